"""The studio's page of a game, in Chromium: moves by touch, hints, painted positions."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import few
from tests.studio import DESK, Line, Studio, WorkersHere, new_game, page_of, run_apart, until
from workbench import games
from workbench.base.language import in_all, translated
from workbench.base.project import Project
from workbench.players import judgement
from workbench.positions.board_input import cell_names, input_moves, palette, piece_title, typed_text
from workbench.positions.game_state import GameState
from workbench.records.provenance import LADDER_FILE, ladder_folder
from workbench.rules import rulesets
from workbench.studio import game_tasks, opponents
from workbench.studio.pages.play import view as play_view
from workbench.studio.pages.play.session import GameSession
from workbench.studio.visitor import Visitor

PHONE = {"width": 390, "height": 844}
RULESETS = ["chatra/9x9", "chess/orthodox", "draughts/turkish", "draughts/english", "rengo/go9", "star/4x4"]
PROMOTION = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"


def state(ruleset: str, setup: dict[str, Any] | None = None, moves: str = "") -> GameState:
    loaded = rulesets.load_ruleset(ruleset)
    game_state = GameState(loaded.game, loaded.codes(), setup)
    for text in moves.split():
        game_state.push_text(text)
    return game_state


@pytest.mark.parametrize("ruleset", few.first(3, RULESETS))
def test_every_legal_move_can_be_touched_and_what_is_touched_is_that_move(in_the_checkout: None, ruleset: str) -> None:
    game_state = state(ruleset)
    random_numbers = random.Random(7)
    for _ in range(24):
        all_moves = input_moves(game_state)
        assert [touch.move for touch in all_moves] == game_state.legal()
        if not all_moves:
            break
        on_board = set(cell_names(game_state))
        for touch in all_moves:
            assert touch.target in on_board or touch.text == "pass"
            assert touch.origin is None or (touch.origin in on_board and touch.origin != touch.target)
        # A move by its two squares, where no other has the same ones, is what typing them would play.
        ends = [(touch.origin, touch.target, touch.hand) for touch in all_moves]
        for touch, end in zip(all_moves, ends, strict=True):
            if touch.target and ends.count(end) == 1:
                typed = typed_text(game_state, touch.origin, touch.target, touch.hand)
                captures = game_state.game == "draughts" and "x" in touch.text
                assert captures or not game_state.why_not(typed) or touch.text[-1] in "+QRBN", typed
        game_state.push(random_numbers.choice(all_moves).move)


@pytest.mark.parametrize(
    ("ruleset", "moves", "sign", "ends"),
    [
        ("star/5x5", "b1 e5", "*", {((0, 0), "")}),
        ("chatra/9x9", "a1 Oi9", "O", {(None, "O")}),
        ("chatra/9x9", "a1 Oi9 Oc1 i8", "O", {((0, 2), "")}),
    ],
)
def test_star_and_object_are_touched_where_they_stand_or_in_the_hand(
    in_the_checkout: None, ruleset: str, moves: str, sign: str, ends: set[tuple[Any, str]]
) -> None:
    touches = [touch for touch in input_moves(state(ruleset, moves=moves)) if touch.text.startswith(sign)]
    assert {(touch.origin, touch.hand) for touch in touches} == ends


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_piece_has_a_name(in_the_checkout: None, ruleset: str) -> None:
    game_state = state(ruleset)
    named = {sign: in_all(piece_title(game_state.game, sign)) for sign, _ in palette(game_state)}
    assert len(set(named.values())) == len(named), "another piece, another name"
    for sign, (english, japanese) in named.items():
        assert english != sign and english != japanese


def test_each_move_is_told_in_words_that_say_what_was_placed_and_what_moved(in_the_checkout: None) -> None:
    ruleset = rulesets.load_ruleset("chatra/9x9")
    played = tuple(state("chatra/9x9", moves="a1 Oi9 Oc1 i8 Oc2").played)
    steps = game_tasks.position_view(ruleset, "", played)["steps"]
    assert list(map(str, steps[1:3])) == ["White object placed on i9", "Black object placed on c1"]
    assert [translated(step, "ja") for step in steps[2::2]] == [
        "先手のオブジェクトをc1に打つ", "先手のオブジェクトをc1からc2へ",
    ]  # fmt: skip
    earlier = game_tasks.position_view(ruleset, "", played[:2])
    assert earlier["steps"] == steps[:2] and [tuple(map(str, hand[1:])) for hand in earlier["hands"]] == [
        ("★", "Black object")
    ]


def test_nothing_is_said_of_how_a_game_stands_before_a_move(in_the_checkout: None) -> None:
    workers: Any = WorkersHere()
    table = GameSession(rulesets.load_ruleset("star/default"), Project(Path()), workers, players=["human", "human"])

    def standing() -> Any:
        return play_view.table_view(table, Visitor("en", "light"), table.shown, len(table.played))["standing"]

    run_apart(table.begin())
    assert standing() is None
    table.played.append(game_tasks.Ply(0, 0, "a1"))
    table.standings = {(): judgement.Standing(0.57, False)}
    assert "57" in standing()["text"]
    table.standings[0,] = judgement.Standing(1.0, True)
    assert standing()["text"] == "First (○) wins with best play"


@pytest.mark.family("chess")
def test_a_piece_that_cannot_move_is_said_to_be_stuck(in_the_checkout: None) -> None:
    chess = rulesets.load_ruleset("chess/orthodox")
    blocked = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert game_tasks.why_not(chess, blocked, (), None, (4, 4), "") == "The White pawn on e4 cannot move now."
    assert game_tasks.why_not(chess, blocked, (), None, (5, 5), "") == "There is no piece on f3."
    assert "pawn" in game_tasks.why_not(chess, blocked, (), (6, 3), (3, 3), ""), "a move of d2 is forbidden by a rule"
    star = rulesets.load_ruleset("star/5x5")
    placed = game_tasks.why_not(star, "", (1,), None, (0, 0), "")
    assert placed and "cannot move" not in placed, "where pieces are placed, the square is what is asked about"


@contextmanager
def table(chromium: Browser, studio: Studio, path: str, second: str = "human", **options: Any) -> Iterator[Page]:
    with page_of(chromium, studio, path, **options) as page:
        page.wait_for_selector(".stage svg.board")
        page.select_option("[data-seat='1']", second)
        yield page


def top(page: Page, place: str) -> float:
    box = page.locator(place).bounding_box()
    assert box
    return box["y"]


def moves(page: Page) -> Any:
    return page.locator(".side .moves li")


def resign(page: Page) -> None:
    """Resigns, after the question whether to has once been answered by no."""
    page.click("[data-do=resign]")
    page.click("[data-do=keep]")
    expect(page.locator("[data-do=resign]")).to_be_enabled()
    page.click("[data-do=resign]")
    page.click("[data-do=leave]")


def click(page: Page, *cells: str) -> None:
    for cell in cells:
        page.click(f"[data-cell={cell}]")


def test_a_game_by_mouse_with_targets_and_the_rule_that_forbids(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/chess/orthodox") as page:
        expect(page.locator(".turn b")).to_have_text("White to move")
        click(page, "e2")
        expect(page.locator(".target")).to_have_count(2)
        click(page, "e5")
        expect(page.locator(".why")).to_have_text(re.compile("pawn"))
        expect(moves(page)).to_have_count(0)
        click(page, "e2", "e4")
        expect(page.locator(".why")).to_have_text("")
        expect(page.locator(".turn b")).to_have_text("Black to move")
        click(page, "d7", "d5")
        expect(moves(page)).to_have_text(["e4", "d5"])
        click(page, "e4")
        expect(page.locator(".target.full")).to_have_count(1)
        click(page, "d5")
        expect(moves(page)).to_have_text(["e4", "d5", "exd5"])
        page.click("[data-do=undo]")
        expect(moves(page)).to_have_count(2)
        page.click("[data-do=redo]")
        expect(moves(page)).to_have_count(3)
        with page.expect_download() as download:
            page.click("[data-do=record]")
        assert download.value.suggested_filename == "orthodox.pgn"
        assert "1. e4 d5 2. exd5" in download.value.path().read_text()
        page.reload()
        expect(moves(page)).to_have_count(3)
        resign(page)
        expect(page.locator(".turn b")).to_have_text("Black resigns: White wins.")
        page.click("[data-do=undo]")
        expect(page.locator(".turn b")).to_have_text("Black to move")
        new_game(page)
        expect(moves(page)).to_have_count(0)


@pytest.mark.thorough
def test_a_position_is_set_up_or_the_reason_told(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/orthodox") as page:
        page.click("[data-do=paint]")
        page.fill(".setup textarea", "8/8/8 w - - 0 1")
        page.click("[data-do=setup]")
        expect(page.locator(".counted")).to_contain_text("cannot be set up")
        expect(page.locator(".stage use")).to_have_count(32)
        page.fill(".setup textarea", PROMOTION)
        page.click("[data-do=setup]")
        expect(page.locator(".at-hand + .stage use")).to_have_count(3)
        click(page, "a7", "a8")
        buttons = ["♕ White queen", "♖ White rook", "♗ White bishop", "♘ White knight", "Cancel"]
        expect(page.locator("dialog[open] button")).to_have_text(buttons)
        page.click("dialog [data-do='a8=N']")
        expect(moves(page)).to_have_text(["a8=N"])


@pytest.mark.thorough
def test_the_keyboard_plays_and_what_happens_is_heard(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/star/5x5") as page:
        new_game(page)
        turn, step = page.locator(".turn[role=status]"), page.locator(".step[role=status]")
        expect(turn).to_have_text("First (○) to move")
        page.locator("[data-cell=a1]").focus()
        for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.locator("[data-cell=c2]")).to_be_focused()
        expect(page.locator("[data-cell=c2]")).to_have_attribute("aria-label", "c2, may be placed on")
        assert page.locator(".cell[tabindex='0']").count() == 1, "Tab leaves the board"
        page.keyboard.press("Enter")
        expect(moves(page)).to_have_text(["c2"])
        expect(page.locator("[data-cell=c2]")).to_have_attribute("aria-label", "c2, First (○) piece")
        expect(step).to_have_text("c2 First (○) piece placed on c2")
        expect(turn).to_have_text("Second (●) to move")
        page.keyboard.press("Home")
        expect(page.locator("[data-cell=a2]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(step).to_have_text("a2 Second (●) piece placed on a2")
        page.locator("[data-do=undo]").click()
        expect(step).to_have_text("c2 First (○) piece placed on c2")
        heard = page.locator("p.hinted[role=status]")
        expect(heard).to_have_text("")
        page.click("[data-do=hint]")
        expect(heard).to_have_text(re.compile("^Hint "))
        expect(page.locator("[data-do=hint]")).to_be_focused()
        page.locator("[data-do=undo]").click()
        expect(page.locator("[data-do=undo]")).to_be_disabled()
        expect(page.locator("[data-do=undo]")).to_be_focused()


def test_agents_answer_and_undo_takes_their_answer_back(in_the_checkout: None) -> None:
    workers: Any = WorkersHere()
    session = GameSession(rulesets.load_ruleset("star/4x4"), Project(Path()), workers, players=["human", "random"])

    async def play() -> None:
        await session.begin()
        await session.play(session.shown["moves"][3]["move"])
        assert [ply.seat for ply in session.played] == [0, 1]
        await session.undo()
        assert not session.played and len(session.later) == 2
        await session.redo()
        assert len(session.played) == 2
        await session.resign()
        assert session.is_over and session.resigned == 0
        await session.seat(1, "python:players.simple:First")
        assert session.players == ["human", "random"], "a page starts no program"

    run_apart(play())
    assert len(session.standings) == 2 and all(0 <= standing.share <= 1 for standing in session.standings.values())


def test_a_game_goes_on_from_an_earlier_position_and_sides_are_swapped(in_the_checkout: None) -> None:
    workers: Any = WorkersHere()
    session = GameSession(rulesets.load_ruleset("star/pie"), Project(Path()), workers, players=["human", "human"])

    def view(plies: int | None = None) -> dict[str, Any]:
        plies = len(session.played) if plies is None else plies
        shown = run_apart(session.draw(game_tasks.position_view, plies=plies))
        return play_view.table_view(session, Visitor("en", "light"), shown, plies)

    async def play(text: str) -> None:
        await session.play(next(touch["move"] for touch in session.shown["moves"] if touch["text"] == text))

    run_apart(session.begin())
    for text in ("b2", "swap"):
        run_apart(play(text))
    assert view()["turn"] == "Second (●) to move" and view()["texts"] == ["b2", "swap"]
    assert [seat["name"] for seat in view()["seats"]] == ["Second (●)", "First (○)"]
    assert (view(1)["turn"], view(1)["moves"]) == ("The position after move 1, b2", [])
    run_apart(session.resign())
    assert view()["turn"] == "Second (●) resigns: First (○) wins."
    run_apart(session.go_to(1))
    assert view()["texts"] == ["b2"] and session.resigned is None and view()["redo"]


def test_a_level_was_measured_here_or_under_the_rules_of_today(in_the_checkout: None, tmp_path: Path) -> None:
    def measured(name: str) -> dict[str, str]:
        found = opponents.find_levels(rulesets.load_ruleset(name), Project(tmp_path))
        assert [level.player for level in found[:2]] == ["greedy", "alphabeta-1k"]
        return {level.name: level.told for level in found}

    shipped = json.loads(opponents.MEASURED.read_text(encoding="utf-8"))["games"]
    for game, entry in shipped.items():
        current = rulesets.load_ruleset(f"{game}/{games.declaration(game).current}")
        assert entry["rules"] == current.fingerprint, "measure the levels again, as the file says"
    assert measured("star/default")["Beginner"] == "The best move one ply ahead."
    assert measured("star/default")["Club"] == "Scores 84 % against Beginner."
    assert measured("star/5x5")["Club"].endswith("(measured under today's rules).")
    ruleset = rulesets.load_ruleset("star/default")
    entries = [{"player": name, "options": {}, "elo": {"value": elo}} for name, elo in
               (("greedy", 100.0), ("alphabeta-1k", 290.85), ("alphabeta-10k-learned-1", math.inf))]  # fmt: skip
    ladder = {"rules": {"fingerprint": ruleset.fingerprint}, "engine": "x", "games": 10, "players": entries}
    path = ladder_folder(tmp_path / "reports", "star/default", "x") / LADDER_FILE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(ladder))
    assert measured("star/default")["Club"] == "Scores 75 % against Beginner."


def test_a_phone_plays_by_touch(chromium: Browser, studio: Studio) -> None:
    path = "/play/file/draughts/international"
    with table(chromium, studio, path, viewport=PHONE, has_touch=True, is_mobile=True, locale="ja-JP") as page:
        new_game(page)
        expect(moves(page)).to_have_count(0)
        page.tap("[data-cell='31']")
        expect(page.locator(".target")).to_have_count(2)
        page.tap("[data-cell='31']")
        expect(page.locator(".target")).to_have_count(0)
        let_go = "getComputedStyle(document.querySelector(\"[data-cell='31']\")).fill"
        assert page.evaluate(let_go) == "rgba(0, 0, 0, 0)", "a finger does not stay over a square"
        page.tap("[data-cell='31']")
        page.tap("[data-cell='27']")
        expect(moves(page)).to_have_text(["31-27"])
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.tap("[data-do=turn]")
        assert top(page, "[data-cell='31']") < top(page, "[data-cell='1']")


# Hints, and positions


@pytest.mark.thorough
def test_a_position_is_painted_and_played_from(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/chess/torpedo") as page:
        page.click("[data-do=paint]")
        text = page.get_by_label("The position as text")
        page.click("[data-paint=none]")
        expect(text).to_have_value("8/8/8/8/8/8/8/8 w - - 0 1")
        for sign, cell, fen in (
            ("♔", "a1", "8/8/8/8/8/8/8/K7"),
            ("♚", "h8", "7k/8/8/8/8/8/8/K7"),
            ("♕", "c3", "7k/8/8/8/8/2Q5/8/K7"),
        ):
            page.click(f"[data-brush='{sign}']")
            page.click(f"[data-cell={cell}]")
            expect(text).to_have_value(f"{fen} w - - 0 1")
        expect(page.locator(".counted")).to_have_text(re.compile("Black's king could be captured"))
        page.click("[data-paint='1']")
        expect(page.locator(".counted")).to_have_text("")
        # The keyboard paints, too, and the same piece again takes it away.
        page.locator("[data-cell=c3]").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(text).to_have_value("7k/8/8/8/8/2QQ4/8/K7 b - - 0 1")
        page.keyboard.press("Enter")
        expect(text).to_have_value("7k/8/8/8/8/2Q5/8/K7 b - - 0 1")
        text.fill("7k/8/8/8/8/2Q5/8/K6R b - - 0 1")
        text.blur()
        expect(page.locator(".stage use")).to_have_count(4)
        page.click("[data-do=setup]")
        expect(page.locator(".at-hand + .stage use")).to_have_count(4)


@pytest.mark.thorough
def test_a_tap_paints_once_and_a_mouse_wherever_it_is_drawn(chromium: Browser, studio: Studio) -> None:
    line = Line()
    with table(chromium, studio, "/play/file/chess/pawn-back", line=line, has_touch=True) as page:
        page.click("[data-do=paint]")
        page.click("[data-paint=none]")
        text = page.get_by_label("The position as text")
        expect(text).to_have_value("8/8/8/8/8/8/8/8 w - - 0 1")
        # An answer between a finger's coming and its going must not make the tap take its own piece away.
        line.asked.keep()
        for sign, cell in (("♔", "a1"), ("♚", "h8")):
            page.tap(f"[data-brush='{sign}']")
            page.tap(f"[data-cell={cell}]")
        until(lambda: line.asked.holds("♚"), page)
        assert len([said for said in line.asked.kept if "♔" in str(said)]) == 1
        line.asked.hand_on()
        expect(text).to_have_value("7k/8/8/8/8/8/8/K7 w - - 0 1")
        page.click("[data-brush='♙']")
        for cells, row in (("bcd", "1PPP4"), ("cd", "1P6")):
            for place, file in enumerate(cells):
                page.hover(f"[data-cell={file}2]")
                if not place:
                    page.mouse.down()
            page.mouse.up()
            expect(text).to_have_value(f"7k/8/8/8/8/8/{row}/K7 w - - 0 1")


# The board, links, and changed rules


@pytest.mark.parametrize("path", ["new/chatra/2008-02", "new/chess/orthodox", "new/draughts/english", "new/rengo/go9"])
def test_the_whole_board_is_seen_at_once_with_the_own_side_below(chromium: Browser, studio: Studio, path: str) -> None:
    with page_of(chromium, studio, f"/play/{path}", viewport=DESK) as page:
        page.wait_for_selector(".stage svg.board")
        for place in (".stage", ".status", ".side .moves"):
            box = page.locator(place).bounding_box()
            assert box and box["y"] + box["height"] <= DESK["height"], place
        if "draughts" in path:
            assert top(page, "[data-cell='9']") > top(page, "[data-cell='20']"), "Black begins, and is below"
            page.locator("[data-cell='9']").focus()
            page.keyboard.press("ArrowUp")
            expect(page.locator("[data-cell='13'], [data-cell='14']").and_(page.locator(":focus"))).to_have_count(1)
            page.locator("[data-do=turn]").focus()
            page.keyboard.press("f")
            expect(page.locator(".board g[transform]")).to_have_count(0)
            assert top(page, "[data-cell='9']") < top(page, "[data-cell='20']")
            page.keyboard.press("?")
            expect(page.locator("#keys kbd").first).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator("#keys kbd").first).to_be_hidden()


def test_arrows_a_curve_and_a_link_show_how_a_game_went(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/torpedo") as page:
        new_game(page)
        for place, cells in enumerate((("e2", "e4"), ("e7", "e5"), ("g1", "f3")), start=1):
            click(page, *cells)
            expect(moves(page)).to_have_count(place)
        expect(page.locator(".arrow.last")).to_have_count(1)
        page.click("[data-do=hint]")
        expect(page.locator(".arrow.best")).to_have_count(1)
        expect(page.locator(".course b")).to_have_text(re.compile(r"^\d+ %$"))
        page.locator(".course svg").click(position={"x": 2, "y": 20})
        expect(page.locator(".turn")).to_have_text("The starting position")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".turn")).to_have_text("The position after move 1, e4")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("[data-do=link]")
        expect(page.locator("[data-do=link]")).to_have_text("Copied.")
        page.goto(page.evaluate("navigator.clipboard.readText()"))
        expect(moves(page)).to_have_text(["e4"])
        page.goto(f"{studio.root}/play/new/chess/torpedo")
        expect(moves(page)).to_have_text(["e4", "e5", "Nf3"])
        page.goto(f"{studio.root}/play/new/chess/torpedo?moves=e4+e4")
        expect(page.locator(".why")).to_contain_text("ply 2, e4")
