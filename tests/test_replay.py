"""The replay of games in a report: what it shows, against the records and traces of the run, and how it is worked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from workbench import games, report
from workbench.games.playing import UNIT
from workbench.language import given, translated
from workbench.questions import experiment
from workbench.report.labels import event_title
from workbench.report.reading import read_report_trials, read_run_provenance
from workbench.report.sections.games import replay_games
from workbench.run import runner
from workbench.statistics import AnalysisPlan
from workbench.store.records import read_traces

EXPERIMENT = """\
title: Games to look at
rulesets: [chatra/9x9, star/5x5]
agents: [random, greedy]
games: 8
max_plies: 90
seed: 5
"""
PHONE = {"width": 390, "height": 844}
CLIPBOARD = (
    "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}});"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, no_charts_in_module: None) -> Path:
    place = tmp_path_factory.mktemp("replay")
    (place / "looks.yaml").write_text(EXPERIMENT, encoding="utf-8")
    runner.run_experiment(experiment.load_experiment(place / "looks.yaml"), place / "out", workers=1)
    report.write_report(place / "out")
    return place / "out"


@contextmanager
def opened(chromium: Browser, folder: Path, fragment: str = "", **options: Any) -> Iterator[Page]:
    context = chromium.new_context(**options)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.add_init_script(CLIPBOARD)
    page.goto((folder / "report.html").as_uri() + fragment)
    yield page
    context.close()
    assert wrong == []


def data(folder: Path) -> dict[str, Any]:
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = re.search(r'id="games-data">(.*?)</script>', page, re.DOTALL)
    assert found
    content = json.loads(found[1])
    assert isinstance(content, dict)
    return content


def greedy(folder: Path, game: str = "chatra") -> tuple[int, dict[str, Any]]:
    """The longest game of the greedy players that the report shows, and its number in the list."""
    shown = enumerate(data(folder)["games"])
    return max(
        ((number, one) for number, one in shown if one["id"].startswith(f"{game}/") and "/greedy/greedy/" in one["id"]),
        key=lambda each: len(each[1]["moves"]),
    )


@pytest.mark.thorough
def test_every_event_is_the_ply_of_the_count_in_the_records(folder: Path) -> None:
    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(folder, provenance, plan.pairings).frame()
    reasons: Any = [(given(en="all", ja="全部"),)] * len(trials)
    chosen = trials.assign(reasons=reasons)
    played = replay_games(chosen, plan, provenance["weights"])
    assert len(played) == len(trials) == 32
    happened_at_all = set()
    for game, record in zip(played, chosen.to_dict("records"), strict=True):
        plies: Counter[str] = Counter(name for names in game.game_state.happened() for name in names)
        happened_at_all |= set(plies)
        for name in ("checks", "captures", "slides", "centre_entries", "offside_drops", "quiet_moves"):
            if game.family == "chatra":
                assert plies[name] == record[f"event_{name}"], name
        for name in ("placements", "jumps", "fouls"):
            if game.family == "star":
                assert plies[name] == record[f"event_{name}"], name
        limits = {
            name: ply for ply, names in enumerate(game.game_state.happened(), 1) for name in names if "limits" in name
        }
        for name, ply in limits.items():
            assert record[f"event_{name}"] == ply, "this one is not a count: it holds the ply"
    assert {"checks", "captures", "limits_ended_by_check", "placements", "jumps"} <= happened_at_all


def test_the_curve_is_the_trace_of_the_run_and_random_players_have_none(folder: Path) -> None:
    traced = read_traces(folder)
    cells = zip(traced["ruleset"], traced["first"], traced["second"], traced["game"], strict=True)
    kept = {
        f"{ruleset}/{first}/{second}/{game + 1}": evaluations
        for (ruleset, first, second, game), evaluations in zip(cells, traced["evaluations"], strict=True)
    }
    for game in data(folder)["games"]:
        if "/random/random/" in game["id"]:
            assert game["curve"] == []
        else:
            assert game["curve"][:-1] == [round(int(value) / (UNIT / 100)) for value in kept[game["id"]]][:-1]
            ended = "Stopped after" not in game["ending"]
            assert not ended or game["curve"][-1] in (-100, 0, 100), "a game that has ended is where its result is"
    assert any(game["curve"] for game in data(folder)["games"]) and not any("random/random" in game for game in kept)


def test_no_event_is_called_by_what_counts_it() -> None:
    for name in games.names():
        for event in games.declaration(name).events:
            text = event_title(event)
            assert text == event.name.replace("_", " ")
            if not event.per:
                assert translated(text, "ja") and not re.search("数$|何手目|。|（", translated(text, "ja")), event.name


def test_the_event_of_a_ply_is_told_and_its_move_is_marked(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    words = data(folder)["families"]["chatra"]["happened"]
    ruled = [int(ply) for ply, which in game["events"].items() if any(words[place][1] for place in which)]
    quiet = next(ply for ply in range(1, len(game["moves"])) if str(ply) not in game["events"])
    with opened(chromium, folder, locale="ja-JP") as page:
        page.select_option("[data-part=picker]", str(number))
        marked = page.locator(".moves button[data-rule]")
        expect(marked).to_have_count(len(ruled))
        marked.first.click()
        assert page.inner_text("[data-part=ply]") == f"{ruled[0]} / {len(game['moves'])}"
        japanese = [
            re.sub(r'.*<span lang="ja">(.*)</span>', r"\1", words[place][0]) for place in game["events"][str(ruled[0])]
        ]
        assert page.inner_text("[data-part=event]").split(" · ") == japanese
        assert page.locator("[data-part=event] b").count() == sum(
            words[place][1] for place in game["events"][str(ruled[0])]
        )
        page.locator(".moves button").nth(quiet - 1).click()
        assert page.inner_text("[data-part=event]") == ""


def test_what_stands_where_is_told_and_the_moves_are_one_stop(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder, "star")
    with opened(chromium, folder, locale="en-US") as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator(".moves button").first.click()
        standing = page.locator("[data-part=standing]")
        expect(standing).to_have_text(re.compile(rf"First \(○\) piece: {game['moves'][0]}$"), use_inner_text=True)
        for key, place in (("ArrowRight", 1), ("End", len(game["moves"]) - 1), ("Home", 0)):
            page.keyboard.press(key)
            expect(page.locator(".moves button").nth(place)).to_be_focused()
            assert page.locator(".moves button[tabindex='0']").count() == 1
        for key in ("Home", "End"):
            page.keyboard.press(key)
            squares = re.findall(r"\b[a-z]\d+\b", page.inner_text("[data-part=standing]"))
            assert page.locator("[data-part=board] use").count() == len(squares)


def test_a_click_on_the_curve_goes_to_its_ply(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with opened(chromium, folder) as page:
        page.select_option("[data-part=picker]", str(number))
        curve = page.locator(".curve")
        curve.scroll_into_view_if_needed()
        box = curve.bounding_box()
        assert box
        for wanted in (plies // 3, plies // 2, 0):
            page.mouse.click(box["x"] + box["width"] * wanted / plies, box["y"] + 20)
            assert page.inner_text("[data-part=ply]") == f"{wanted} / {plies}"
            assert curve.get_attribute("aria-valuenow") == str(wanted)
        page.keyboard.press("ArrowRight")
        assert page.inner_text("[data-part=value]") == f"{int(50 + game['curve'][0] / 2 + 0.5)} %"


@pytest.mark.thorough
def test_it_plays_by_itself_until_a_key_or_the_end(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with opened(chromium, folder) as page:
        # Time stands still but for what the test lets pass.
        page.clock.install(time=0)
        page.reload()
        page.clock.pause_at(3_600_000)
        page.select_option("[data-part=picker]", str(number))
        place = page.locator("[data-part=ply]")
        page.focus("#viewer")
        page.keyboard.press(" ")
        expect(place).to_have_text(f"0 / {plies}")
        page.clock.run_for(2500)
        expect(place).to_have_text(f"3 / {plies}")
        page.keyboard.press(" ")
        page.clock.run_for(5000)
        expect(place).to_have_text(f"3 / {plies}")
        page.select_option("[data-part=speed]", "5")
        page.click("[data-part=play]")
        page.clock.run_for(500)
        expect(place).to_have_text(f"6 / {plies}")
        # The button in the place of the one that was pressed has the keys; pressing it is one press, not two.
        assert page.evaluate("document.activeElement.dataset.part") == "pause"
        page.keyboard.press(" ")
        page.clock.run_for(5000)
        expect(place).to_have_text(f"6 / {plies}")
        page.click("[data-part=play]")
        page.click("[data-part=next]")
        page.clock.run_for(5000)
        expect(place).to_have_text(f"7 / {plies}")
        page.click("[data-part=play]")
        page.clock.run_for(200 * plies)
        expect(place).to_have_text(f"{plies} / {plies}")
        expect(page.locator("[data-part=play]")).to_be_visible()
        expect(page.locator("[data-part=pause]")).to_be_hidden()


@pytest.mark.thorough
def test_a_link_leads_to_the_ply_and_is_followed_when_it_changes(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    with opened(chromium, folder) as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator(".moves button").nth(6).click()
        page.click("[data-part=link]")
        expect(page.locator("[data-part=copied]")).to_be_visible()
        link = page.evaluate("window.copied")
    assert link.endswith(f"#game={game['id']}&ply=7")
    with opened(chromium, folder, "#" + link.partition("#")[2]) as page:
        assert page.input_value("[data-part=picker]") == str(number)
        assert page.inner_text("[data-part=ply]") == f"7 / {len(game['moves'])}"
        assert page.evaluate("scrollY") > 0
        page.evaluate("location.hash = 'game=star/none/greedy/greedy/1&ply=2'")
        assert page.input_value("[data-part=picker]") == str(number), "there is no such game"
        other = data(folder)["games"][0]
        page.evaluate(f"location.hash = 'game={other['id']}'")
        expect(page.locator("[data-part=picker]")).to_have_value("0")
        assert page.inner_text("[data-part=ply]") == f"0 / {len(other['moves'])}"
    with opened(chromium, folder, "#scores") as page:
        assert page.input_value("[data-part=picker]") == "0"


def test_a_game_is_copied_as_text_in_the_language_of_the_page(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    with opened(chromium, folder, locale="ja-JP") as page:
        page.select_option("[data-part=picker]", str(number))
        page.click("[data-part=text]")
        expect(page.locator("[data-part=copied]")).to_be_visible()
        about, moves, ending = page.evaluate("window.copied").splitlines()
    assert "局中の第" in about and "game" not in about
    assert moves.split() == game["moves"]
    assert re.search("手で|打ち切り", ending)


@pytest.mark.thorough
def test_browsers_that_give_no_clipboard_copy_what_is_selected(chromium: Browser, folder: Path) -> None:
    with opened(chromium, folder) as page:
        page.evaluate(
            "navigator.clipboard.writeText = () => Promise.reject(new Error('no'));"
            "document.execCommand = () => { window.copied = document.activeElement.value; };"
        )
        page.click("[data-part=text]")
        expect(page.locator("[data-part=copied]")).to_be_visible()
        assert data(folder)["games"][0]["moves"][0] in page.evaluate("window.copied")
        assert page.locator("textarea").count() == 0


def test_a_phone_is_swiped(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with opened(chromium, folder, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator("[data-part=board]").scroll_into_view_if_needed()
        device = page.context.new_cdp_session(page)

        def swipe(right: int, down: int) -> None:
            box = page.locator("[data-part=board]").bounding_box()
            assert box
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            for kind, part in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)):
                point = {"x": x + right * part, "y": y + down * part}
                device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
            device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        place = page.locator("[data-part=ply]")
        page.locator("#viewer").press("End")
        swipe(90, 5)
        expect(place).to_have_text(f"{plies - 1} / {plies}")
        swipe(90, 5)
        expect(place).to_have_text(f"{plies - 2} / {plies}")
        swipe(-90, -5)
        expect(place).to_have_text(f"{plies - 1} / {plies}")
        swipe(10, 0)
        swipe(40, 90)
        expect(place).to_have_text(f"{plies - 1} / {plies}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
