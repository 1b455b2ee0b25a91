"""Who may speak to the studio; and drafts, games in play and the browser's way in, which outlive it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests import few
from tests.command_line import refused
from tests.patience import PATIENCE, WHOLE_RUNS
from tests.studio import (
    Line,
    Studio,
    WorkersHere,
    opened,
    own_project,
    page_of,
    run_apart,
    show_yaml,
    store_of,
    unfold,
    until,
)
from workbench.base.project import Project
from workbench.rules import rulesets
from workbench.runs.progress import FolderState, FolderStatus, folder_status
from workbench.studio import auth, documents
from workbench.studio.auth import Session
from workbench.studio.documents import Autosave, History
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.pages import home
from workbench.studio.pages.play import PlayPages
from workbench.studio.pages.play.kept import kept_games
from workbench.studio.pages.play.session import HUMAN, GameSession


def beside(page: Page, address: str) -> Page:
    other = page.context.new_page()
    other.goto(address)
    return other


def lost(page: Page, words: str) -> None:
    expect(page.locator("#popup")).to_have_attribute("aria-hidden", "false")
    expect(page.locator("#popup span").first).to_have_text(words)


class NoLine(Line):
    """The line of a page whose studio ends before they are connected."""

    def connect(self, page: WebSocketRoute) -> None:
        page.close()


@pytest.mark.thorough
def test_a_killed_studio_loses_nothing_and_its_pages_find_the_next_one(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    with opened(project) as killed, page_of(chromium, killed, "/rules/star/5x5", locale="ja-JP") as rules:
        unfold(rules)
        rules.locator("#toggle-foul .option").nth(1).click()
        expect(rules.locator(".chip")).to_have_count(1)
        game = beside(rules, f"{killed.root}/play/new/star/5x5")
        game.select_option("[data-seat='1']", HUMAN)
        for count, cell in enumerate(("b1", "e5", "d2"), start=1):
            game.click(f"[data-cell={cell}]")
            expect(game.locator(".side .moves li")).to_have_count(count)
        game.click("[data-do=undo]")
        expect(game.locator(".side .moves li")).to_have_count(2)
        killed.end(signal.SIGKILL)
        for page in (rules, game):
            lost(page, "工房が応答しません。")
        assert not re.search("[A-Za-z]{3,}", rules.locator("#popup").inner_text().replace("workbench studio", ""))
        show_yaml(rules)
        rules.fill("#yaml", f"{rules.locator('#yaml').input_value()}  size: 4\n")
        with opened(project, port=None) as again:
            assert again.root == killed.root and again.address != killed.address, "the key is another one"
            for page in (rules, game):
                expect(page.locator("#popup")).to_have_attribute("aria-hidden", "true")
            expect(rules.locator(".chip")).to_have_count(2)
            expect(game.locator(".side .moves li")).to_have_text(["b1", "e5"])
            game.click("[data-do=redo]")
            expect(game.locator(".side .moves li")).to_have_count(3)
            rules.click("[data-do=undo]")
            expect(rules.locator(".chip")).to_have_count(1)


@pytest.mark.thorough
@pytest.mark.parametrize("connected", [True, False])
def test_a_page_is_not_let_into_the_studio_of_another_project(
    chromium: Browser, tmp_path: Path, connected: bool
) -> None:
    mine, other = (own_project(tmp_path / name, "star") for name in ("mine", "other"))
    line = None if connected else NoLine()
    with opened(mine) as killed, page_of(chromium, killed, "/rules/star/5x5", line=line, locale="ja-JP") as page:
        page.wait_for_function("connected => window.socket?.connected === connected", arg=connected)
        killed.end(signal.SIGKILL)
        with opened(other, port=killed.port):
            lost(page, "このアドレスでは別の工房が動いています。")
            page.reload()
            expect(page.locator("html")).to_have_attribute("lang", "ja")
            expect(page.locator("p").first).to_contain_text("鍵")
            expect(page.locator("a")).to_have_text("もう一度開く")


def test_a_document_comes_back_with_its_steps(tmp_path: Path) -> None:
    def begin(store: DraftStore) -> RulesetDocument:
        return store.draft("star/5x5", "new")

    project = Project(own_project(tmp_path, "star"))
    before, other = store_of(project), store_of(project)
    document, beside = begin(before), other.draft("star/4x4", "new")
    for studio, written in ((before, document), (other, beside)):
        for number in range(2):
            written.step(f"{written.saved}# {number}\n")
        written.undo()
        studio.save_draft(written)
        studio.autosave.flush()
    after = store_of(project)
    for again, written in ((begin(after), document), (after.draft("star/4x4", "new"), beside)):
        assert (again.texts, again.place, again.dirty) == (written.texts, 1, True), "of both studios of the project"
        after.discard(again)
    after.autosave.flush()
    assert not begin(store_of(project)).dirty
    assert not list(project.root.glob(".studio/*/*.json"))


def test_unchanged_rules_are_opened_beside_the_drafts_that_change_them(tmp_path: Path) -> None:
    root = own_project(tmp_path, "star")
    before = store_of(Project(root))
    for page in ("star/5x5", "star/5x5~2"):
        assert before.unchanged_page("star/5x5") == page
        draft = before.draft(page, "new")
        assert (draft.base, draft.page, draft.dirty) == ("star/5x5", page, False)
        draft.set_toggle("foul", "off")
        before.save_draft(draft)
    before.autosave.flush()
    again = store_of(Project(root))
    assert again.unchanged_page("star/5x5") == "star/5x5~3"
    assert again.draft("star/5x5", "new").dirty and again.draft("star/5x5~2", "new").dirty


def test_a_file_that_changed_meanwhile_is_not_taken_for_what_the_draft_began_with(tmp_path: Path) -> None:
    root = own_project(tmp_path, "star")
    before = store_of(Project(root))
    draft = before.draft("star/4x4", "file")
    draft.write(draft.text + "# mine\n")
    before.save_draft(draft)
    before.autosave.flush()
    path = root / "rulesets/star/4x4.yaml"
    on_disk = path.read_text()
    path.write_text(on_disk + "# theirs\n")
    again = store_of(Project(root)).draft("star/4x4", "file")
    assert again.text == on_disk + "# mine\n" and again.saved == on_disk
    path.write_text(on_disk + "# mine\n")
    assert not store_of(Project(root)).draft("star/4x4", "file").dirty


def test_the_steps_that_are_kept_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_SAVED_TEXT", 10)
    text = History("0000")
    for digit in "12345":
        text.step(digit * 4)
    text.undo()
    kept = text.as_json()
    assert kept == {"saved": "0000", "texts": ["4444", "5555"], "place": 0}
    other = History("0000")
    other.resume(kept)
    other.redo()
    assert other.text == "5555"


@pytest.mark.parametrize(
    "kept", [{}, {"saved": "a"}, {"saved": "a", "texts": ["b"], "place": 1}, {"saved": "a", "texts": [1], "place": 0},
             {"saved": "a", "texts": [], "place": 0}]
)  # fmt: skip
def test_what_is_no_history_changes_none(kept: dict[str, Any]) -> None:
    text = History("mine")
    text.resume(kept)
    assert text.texts == ["mine"] and text.saved == "mine"


def test_the_files_have_a_bound_and_the_oldest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_ENTRIES", 3)
    monkeypatch.setattr(documents, "MAX_BYTES", 1000)
    kept = Autosave(Project(tmp_path))
    for number in range(5):
        kept.store("games", f"game {number}", {"n": number})
        kept.flush()
    assert [kept.load("games", f"game {number}").get("n") for number in range(5)] == [None, None, 2, 3, 4]
    kept.store("games", "game 4", {"n": "x" * 2000})
    assert kept.load("games", "game 4") == {}
    assert (tmp_path / ".studio/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("content", ["", "[", "[]", '{"name": "another"}', "[" * 100_000, "\ud800"])
def test_a_damaged_file_is_as_if_it_were_not_there(tmp_path: Path, content: str) -> None:
    kept = Autosave(Project(tmp_path))
    kept.store("drafts", "a", {"n": 1})
    kept.flush()
    next(tmp_path.glob(".studio/drafts/*.json")).write_bytes(content.encode(errors="surrogatepass"))
    assert kept.load("drafts", "a") == {}


def test_nothing_is_written_through_a_link_and_that_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".studio").symlink_to(tmp_path / "elsewhere")
    told: list[str] = []
    kept = Autosave(Project(tmp_path), told.append)
    for number in range(2):
        kept.store("drafts", "a", {"n": number})
        kept.flush()
    assert len(told) == 1 and "is a link" in told[0]
    assert not list((tmp_path / "elsewhere").iterdir())


def a_game() -> dict[str, Any]:
    return {
        "start": "", "texts": ["b1", "e5", "*c1"], "plies": 2, "resigned": None, "seed": 7, "over": False,
        "players": [HUMAN, "uci:stockfish"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{}, {"start": "no position"}, {"texts": ["b1", "b1"]}, {"texts": [3.5]}, {"resigned": 2}, {"players": [HUMAN]},
     {"seed": -1}, {"plies": None}]
)  # fmt: skip
def test_no_key_of_a_game_is_taken_on_trust_and_none_starts_a_program(
    in_the_checkout: None, change: dict[str, Any]
) -> None:
    workers: Any = WorkersHere()
    left = a_game() | change
    table = GameSession(rulesets.load_ruleset("star/5x5"), Project(Path.cwd()), workers)
    run_apart(table.resume(left))
    assert (len(table.played), len(table.later)) == ((0, 0) if change else (2, 1))
    if not change:
        assert table.players == [HUMAN, HUMAN] and table.as_json() == left | {"players": [HUMAN, HUMAN]}
        table.resigned = 0
        assert (table.as_json() or {})["over"]


def begun(there: DraftStore) -> list[tuple[str, str]]:
    queue: Any = SimpleNamespace(active=[])
    return [(what, address) for what, _, address in home.unfinished_work(there, queue)]


def test_a_game_goes_on_when_its_rules_are_changed_and_saved(tmp_path: Path) -> None:
    here = store_of(Project(own_project(tmp_path, "star")))
    draft = here.draft("star/5x5", "new")
    draft.set_toggle("foul", "off")
    workers: Any = WorkersHere()
    pages = PlayPages(here, workers)

    def session(kind: str, name: str) -> tuple[str, GameSession]:
        reading = here.draft(name, kind).read()
        assert reading.ruleset is not None
        identity = reading.ruleset.fingerprint
        return identity, run_apart(pages._session(here.draft(name, kind), identity, reading, {}))

    fingerprint, played = session("new", "star/5x5")
    played.players = [HUMAN, HUMAN]
    run_apart(played.begin())
    run_apart(played.play(played.shown["moves"][0]["move"]))
    assert ("The star game – Game in progress", "/play/new/star/5x5") in begun(here)
    # Under changed rules it stays what it was, even for the next studio.
    draft.set_toggle("size", 4)
    assert session("new", "star/5x5")[1] is not played
    again = store_of(here.project)
    assert [address for what, address in begun(again) if "Game" in what] == [f"/play/new/star/5x5?game={fingerprint}"]
    (kept,) = kept_games(again, "new star/5x5")
    assert kept.reading.ruleset == played.ruleset and not kept.over
    draft.undo()
    assert session("new", "star/5x5")[1] is played
    name = here.save(draft, "free", False)
    pages.transfer_games(draft, name)
    here.discard(draft)
    assert [address for what, address in begun(here) if what == "The star game – Game in progress"] == [
        "/play/file/star/free"
    ]
    after = session("file", name)[1]
    assert (after.played, after.players) == (played.played, [HUMAN, HUMAN])
    run_apart(after.begin())
    run_apart(after.resign())
    event = here.history(here.draft(name, "file"))[-1]
    assert (event["event"], event["address"]) == ("played", f"/play/file/star/free?moves={after.texts[0]}&start=")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "workbench" / auth.SESSIONS_FILE


def test_a_session_is_that_of_its_project_and_no_other_users(config: Path, tmp_path: Path) -> None:
    session = auth.load_session(tmp_path / "a").save(port=8765, queue=("second", "first"))
    assert auth.load_session(tmp_path / "a") == session and session.queue == ("second", "first")
    assert auth.load_session(tmp_path / "b").cookie != session.cookie
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    config.chmod(0o640)
    assert auth.load_session(tmp_path / "a").cookie != session.cookie, "somebody else may know it"


def test_what_is_good_for_one_studio_only_is_not_kept(config: Path) -> None:
    Session().save(port=8765)
    assert not config.exists()


@pytest.mark.parametrize("said", [{}, {"cookie": "short", "port": 1}, {"cookie": "x" * 43, "port": 0}, [], "x"])
def test_what_is_no_session_is_not_taken_for_one(config: Path, tmp_path: Path, said: object) -> None:
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"sessions": {os.path.realpath(tmp_path): said}}))
    config.chmod(0o600)
    assert len(auth.load_session(tmp_path).cookie) == 43 and auth.load_session(tmp_path).cookie != "x" * 43


@pytest.mark.slow
def test_the_next_studio_plays_what_a_killed_one_had_still_to_play(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    for name, games, block in (("long", 20_000, 200), ("next", 20, 5), ("last", 20, 5)):
        text = f"title: x\nrulesets: [star/4x4]\nagents: [greedy]\ngames: {games}\nblock: {block}\n"
        (project / "experiments" / f"{name}.yaml").write_text(text)

    def state(name: str) -> FolderStatus:
        return folder_status(project / "reports" / name)

    with opened(project) as killed, page_of(chromium, killed, "/answers", quiet=True) as page:
        for name in ("long", "next", "last"):
            page.click(f"[data-report={name}] [data-do=play]")
        until(lambda: state("long").games > 0, page)
        killed.end(signal.SIGKILL)
    during = state("long").games
    assert 0 < during < 20_000 and state("next").state is FolderState.NOT_BEGUN
    with opened(project, port=None) as again:
        until(lambda: state("last").state is FolderState.DONE, patience=WHOLE_RUNS)
        assert state("long").games == 20_000 and state("next").state is FolderState.DONE
        # Ctrl-C means it: the one after that plays nothing.
        again.end()
    content = json.loads((project / ".config" / "workbench" / auth.SESSIONS_FILE).read_text())
    (session,) = content["sessions"].values()
    assert not session["queue"]


# The gate


PAGE = "/rules/star/5x5"


def test_the_token_gives_a_cookie_that_only_the_studio_itself_sees(studio: Studio) -> None:
    response, page = studio.answer(studio.address.removeprefix(studio.root), {"Cookie": ""})
    name, *flags = re.split("; ?", response.headers["Set-Cookie"])
    assert response.status == 200 and set(flags) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert len(name.partition("=")[2]) > 40 and studio.address.partition("=")[2] not in name
    assert response.headers["Referrer-Policy"] == "no-referrer", "the token stays here"
    assert "token" not in page
    response, page = studio.answer(f"/play/new/star/5x5?moves=a1+b2&{studio.address.partition('?')[2]}", {"Cookie": ""})
    assert response.headers["Set-Cookie"] and "url=/play/new/star/5x5?moves=a1+b2" in page and "token" not in page


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        *((PAGE, {"Cookie": cookie}) for cookie in ("", "workbench-studio-{port}=wrong")),
        *((f"/?token={token}", {"Cookie": ""}) for token in ("wrong", "")),
        *((PAGE, {"Host": host}) for host in ("evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "192.168.0.1:{port}")),
        *((PAGE, {"Origin": f"http://{name}"}) for name in ("evil.example", "localhost:1")),
        *((PAGE, {"Origin": origin}) for origin in ("null", "https://127.0.0.1:{port}")),
        (PAGE, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}),
        (PAGE, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}),
        (PAGE, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
        ("/position/star/size?was=5&now=4", {"Cookie": ""}),
        ("/report-files/sample/report.html", {"Cookie": ""}),
        ("/report-files/sample/report.html", {"Origin": "null"}),
        ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {"Cookie": ""}),
        ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {"Origin": "http://evil.example"}),
    ],
)
def test_who_lacks_token_host_or_origin_is_refused(studio: Studio, path: str, headers: dict[str, str]) -> None:
    told = {name: value.format(port=studio.port) for name, value in headers.items()}
    response, content = studio.answer(path, told)
    assert response.status == 403
    assert "Set-Cookie" not in response.headers and "nicegui" not in content


def websocket(studio: Studio, headers: dict[str, str]) -> str:
    """The first line with which the server answers who asks for a websocket."""
    headers = headers | {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    headers |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    lines = ["GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return connection.makefile("rb").readline().decode()


def test_a_websocket_needs_the_same(studio: Studio) -> None:
    host = f"127.0.0.1:{studio.port}"
    right = {"Host": host, "Origin": f"http://{host}", "Cookie": "=".join(studio.cookie)}
    assert "101" in websocket(studio, right)
    evil = f"evil.example:{studio.port}"
    for wrong in (
        *({"Origin": origin} for origin in ("http://evil.example", "")), {"Host": evil, "Origin": f"http://{evil}"},
        *({"Cookie": cookie} for cookie in ("", right["Cookie"] + "x")),
    ):  # fmt: skip
        assert "403" in websocket(studio, right | wrong), wrong
    without = {name: value for name, value in right.items() if name != "Origin"}
    assert "403" in websocket(studio, without)


def test_the_policy_lets_scripts_come_from_the_studio_alone(studio: Studio) -> None:
    response, page = studio.answer(PAGE, {"Cookie": f"a=b; {'='.join(studio.cookie)}"})
    assert response.status == 200 and "nicegui" in page
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    own, nonce, *rest = policy["script-src"].split()
    assert own == "'self'" and rest == ["'unsafe-eval'"]
    number = nonce.removeprefix("'nonce-").removesuffix("'")
    scripts = re.findall(r"<script[^>]*>", page)
    assert len(number) > 20 and scripts and all(f'nonce="{number}"' in script for script in scripts)
    assert not re.search(r"https?:", " ".join(policy.values()))
    again, _ = studio.answer(PAGE)
    assert number not in again.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff" and response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "evil"])
def test_the_choice_of_a_language_leads_back_to_the_studio_only(studio: Studio, back: str) -> None:
    response, _ = studio.answer(f"/language/ja?back={back}")
    assert response.headers["Location"] == "/"
    assert response.headers["Set-Cookie"].startswith("workbench-language=ja;")


@pytest.mark.thorough
@pytest.mark.parametrize("number", few.first(1, [signal.SIGINT, signal.SIGTERM]))
def test_it_ends_as_other_commands_do(tmp_path: Path, number: signal.Signals) -> None:
    with opened(own_project(tmp_path, "star")) as studio:
        # An answer is awaited that takes a second or more: nobody is told of it with a traceback.
        sent = {"Cookie": "=".join(studio.cookie), "Host": f"127.0.0.1:{studio.port}"}
        waiting = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
        waiting.request("GET", "/position/star/foul?was=no-undo&now=off", headers=sent)
        other, _ = studio.answer(PAGE)
        assert other.status == 200
        assert studio.end(number) == 130
        assert studio.process.stdout is not None
        assert studio.process.stdout.read().splitlines() == ["Ctrl-C ends it.", "The studio has stopped."]
        waiting.close()
        assert not (studio.project / ".nicegui").exists()


@pytest.mark.thorough
def test_a_port_that_is_taken_is_said(in_the_checkout: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        message = refused("studio", "--no-open", "--port", str(taken.getsockname()[1]))
    assert "cannot listen on" in message and "--port" in message
    assert "cannot listen on" in refused("studio", "--no-open", "--host", "192.0.2.1")


@pytest.mark.thorough
def test_no_process_outlives_a_server_that_was_killed(tmp_path: Path) -> None:
    with opened(own_project(tmp_path, "star")) as studio:
        drawn, content = studio.answer("/position/star/foul?was=no-undo&now=off")
        assert drawn.status == 200 and "<svg" in content
        children = Path(f"/proc/{studio.process.pid}/task/{studio.process.pid}/children")
        if not children.exists():
            pytest.skip("only Linux lists the children of a process")
        pids = [int(pid) for pid in children.read_text().split()]
        assert pids
        studio.end(signal.SIGKILL)
        until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()])
