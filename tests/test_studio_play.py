"""The studio's page of a game, in Chromium; and moves by the squares that are touched."""

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
from tests.studio import Studio, more_players, new_game, opened, own_project, page_of, unfold
from workbench.files.project import Project
from workbench.games.game_state import GameState
from workbench.language import in_all, translated
from workbench.play import judgement
from workbench.play.touch import attempt, names, palette, piece_title, touches
from workbench.questions import rulesets
from workbench.questions.ruleset_texts import read_ruleset_text
from workbench.store.ladders import FILE, ladder_folder
from workbench.studio import levels, play_page, room
from workbench.studio.tables import Table
from workbench.studio.words import WORDS, Visitor

PHONE = {"width": 390, "height": 844}
PROMOTION = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"


def state(ruleset: str, setup: dict[str, Any] | None = None) -> GameState:
    loaded = rulesets.load_ruleset(ruleset)
    return GameState(loaded.game, loaded.codes(), setup)


@pytest.mark.parametrize(
    "ruleset",
    few.first(3, ["chatra/9x9", "chess/orthodox", "draughts/turkish", "draughts/english", "rengo/go9", "star/4x4"]),
)
def test_every_legal_move_can_be_touched_and_what_is_touched_is_that_move(in_the_checkout: None, ruleset: str) -> None:
    game_state = state(ruleset)
    random_numbers = random.Random(7)
    for _ in range(24):
        all_moves = touches(game_state)
        assert [touch.move for touch in all_moves] == game_state.legal()
        if not all_moves:
            break
        on_board = set(names(game_state))
        for touch in all_moves:
            assert touch.target in on_board or touch.text == "pass"
            assert touch.origin is None or (touch.origin in on_board and touch.origin != touch.target)
        # A move by its two squares, where no other has the same ones, is what typing them would play.
        ends = [(touch.origin, touch.target, touch.hand) for touch in all_moves]
        for touch, end in zip(all_moves, ends, strict=True):
            if touch.target and ends.count(end) == 1:
                typed = attempt(game_state, touch.origin, touch.target, touch.hand)
                captures = game_state.game == "draughts" and "x" in touch.text
                assert captures or not game_state.why_not(typed) or touch.text[-1] in "+QRBN", typed
        game_state.push(random_numbers.choice(all_moves).move)


def test_promotions_share_their_squares_and_differ_in_their_text(in_the_checkout: None) -> None:
    moves = [touch for touch in touches(state("chess/orthodox", {"fen": PROMOTION})) if touch.origin == (1, 0)]
    assert {touch.target for touch in moves} == {(0, 0)}
    assert [touch.text for touch in moves] == ["a8=Q+", "a8=R+", "a8=B", "a8=N"]


def test_the_star_is_touched_before_it_jumps(in_the_checkout: None) -> None:
    game_state = state("star/5x5")
    for text in ("b1", "e5"):
        game_state.push_text(text)
    jumps = [touch for touch in touches(game_state) if touch.text.startswith("*")]
    assert [(touch.text, touch.origin, touch.target) for touch in jumps] == [("*c1", (0, 0), (0, 2))]


def test_an_object_of_chatra_comes_from_the_hand_and_then_moves_from_its_square(in_the_checkout: None) -> None:
    game_state = state("chatra/9x9")
    for text in ("a1", "Oi9"):
        game_state.push_text(text)
    assert {(touch.origin, touch.hand) for touch in touches(game_state)} == {(None, "O")}
    for text in ("Oc1", "i8"):
        game_state.push_text(text)
    steps = [touch for touch in touches(game_state) if touch.text.startswith("O")]
    assert steps and {(touch.origin, touch.hand) for touch in steps} == {((0, 2), "")}


@pytest.mark.parametrize(
    "ruleset", ["chatra/9x9", "chess/orthodox", "draughts/turkish", "draughts/english", "rengo/go9", "star/4x4"]
)
def test_every_piece_has_a_name(in_the_checkout: None, ruleset: str) -> None:
    game_state = state(ruleset)
    named = {sign: in_all(piece_title(game_state.game, sign)) for sign, _ in palette(game_state)}
    assert len(set(named.values())) == len(named), "another piece, another name"
    for sign, (english, japanese) in named.items():
        assert english != sign and english != japanese


def test_each_move_is_told_in_words_that_say_what_was_placed_and_what_moved(in_the_checkout: None) -> None:
    ruleset = rulesets.load_ruleset("chatra/9x9")
    game_state = state("chatra/9x9")
    for text in ("a1", "Oi9", "Oc1", "i8", "Oc2"):
        game_state.push_text(text)
    played = tuple(game_state.played)
    steps = room.position_view(ruleset, "", played)["steps"]
    assert [tuple(map(str, step)) for step in steps[1:3]] == [("", "i9", "White object"), ("", "c1", "Black object")]
    assert [translated(play_page._step(step), "ja") for step in steps[2::2]] == [
        "先手のオブジェクトをc1に打つ", "先手のオブジェクトをc1からc2へ",
    ]  # fmt: skip
    earlier = room.position_view(ruleset, "", played[:2])
    assert earlier["steps"] == steps[:2] and [tuple(map(str, hand[1:])) for hand in earlier["hands"]] == [
        ("★", "Black object")
    ]


def test_a_drawn_area_is_a_picture_on_the_page_of_a_game(in_the_checkout: None) -> None:
    rows = "/".join(["xxxxxxxxx"] * 3 + ["xxx...xxx"] * 2)
    text = f"game: chatra\nextends: 9x9\ntitle: Drawn\nrules: {{object_area: {rows}}}\n"
    reading = read_ruleset_text(Project(Path()), "chatra/drawn", text)
    view = play_page.changes_view(reading, Project(Path()), Visitor("en", "light"))
    (change,) = view["changes"]
    assert change["text"] == "Objects are placed only on the marked squares." and change["picture"].count("<svg") >= 1
    assert "xxx" not in str(view["book"]) and change in view["book"]


def test_nothing_is_said_of_how_a_game_stands_before_a_move_but_what_is_known(in_the_checkout: None) -> None:
    visitor = Visitor("en", "light")
    sides: list[dict[str, Any]] = [{"name": "First", "dark": True}, {"name": "Second", "dark": False}]
    ruleset = rulesets.load_ruleset("star/default")
    unused: Any = None
    table = Table(ruleset, Project(Path()), unused, standing=judgement.Standing(0.57, False))
    table.observer = "alphabeta-10k"
    assert play_page._standing(table, visitor, sides) is None
    table.played.append((0, 0))
    shown = play_page._standing(table, visitor, sides)
    assert shown and "57" in shown["text"] and shown["by"] == "by one search of Strong (alphabeta-10k)"
    table.played.clear()
    table.standing = judgement.Standing(1.0, True)
    shown = play_page._standing(table, visitor, sides)
    assert shown and shown["text"] == "First wins with best play"


def test_a_piece_that_cannot_move_is_said_to_be_stuck(in_the_checkout: None) -> None:
    chess = rulesets.load_ruleset("chess/orthodox")
    blocked = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert room.why_not(chess, blocked, (), None, (4, 4), "") == "White pawn on e4 cannot move now."
    assert "pawn" in room.why_not(chess, blocked, (), (6, 3), (3, 3), ""), "a move of d2 is forbidden by a rule"
    star = rulesets.load_ruleset("star/5x5")
    placed = room.why_not(star, "", (1,), None, (0, 0), "")
    assert placed and "cannot move" not in placed, "where pieces are placed, the square is what is asked about"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with opened(own_project(tmp_path_factory.mktemp("mine"), "star", "chess", "chatra", "draughts")) as studio:
        yield studio


@contextmanager
def table(chromium: Browser, studio: Studio, path: str, second: str = "human", **options: Any) -> Iterator[Page]:
    with page_of(chromium, studio, path, **options) as page:
        page.wait_for_selector(".stage svg.board")
        page.select_option("[data-seat='1']", second)
        yield page


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
        expect(moves(page)).to_have_text(["e4"])
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
        expect(page.locator(".status")).not_to_contain_text("resignation")
        page.click("[data-do=undo]")
        expect(page.locator(".turn b")).to_have_text("Black to move")
        expect(moves(page)).to_have_count(3)
        new_game(page)
        expect(moves(page)).to_have_count(0)


def test_the_rule_that_forbids_is_said_in_the_language_of_the_reader(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/chess/no-castling", locale="ja-JP") as page:
        click(page, "e2", "e5")
        expect(page.locator(".why")).to_have_text("e2のポーンはe5に動けない。")


@pytest.mark.thorough
def test_a_turn_of_three_plies_and_promotion_choices(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/chess/007") as page:
        new_game(page)
        for n, squares in enumerate((("a2", "a4"), ("b7", "b5"), ("a4", "b5")), start=1):
            click(page, *squares)
            expect(moves(page)).to_have_count(n)
        expect(page.locator(".table .quiet", has_text="ply 1 of 3")).to_be_visible()
        for n, squares in enumerate(
            (("h7", "h6"), ("b5", "b6"), ("h6", "h5"), ("b6", "a7"), ("h5", "h4"), ("h2", "h3")), start=4
        ):
            click(page, *squares)
            expect(moves(page)).to_have_count(n)


def test_agents_answer_and_undo_takes_their_answer_back(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/star/4x4", second="greedy") as page:
        new_game(page)
        expect(moves(page)).to_have_count(0)
        click(page, "d4")
        expect(moves(page)).to_have_count(2)
        expect(page.locator(".turn .quiet")).to_have_count(0)
        page.click("[data-do=undo]")
        expect(moves(page)).to_have_count(0)
        more_players(page)
        page.select_option("[data-seat='0']", "random")
        expect(page.locator("[data-do=resign]")).to_be_disabled()
        page.locator(".side .moves li").nth(1).wait_for()
        page.select_option("[data-seat='0']", "human")


def test_sides_are_swapped_by_a_button_and_the_players_change_their_names(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/star/pie") as page:
        new_game(page)
        expect(page.locator("[data-move=swap]")).to_have_count(0)
        click(page, "b2")
        expect(page.locator("[data-move=swap]")).to_have_text("Swap sides")
        page.click("[data-move=swap]")
        expect(moves(page)).to_have_text(["b2", "swap"])
        expect(page.locator(".turn b")).to_have_text("Second (●) to move")
        expect(page.locator(".seat label")).to_have_text([re.compile("Second"), re.compile("First")])
        resign(page)
        expect(page.locator(".turn b")).to_have_text("Second (●) resigns: First (○) wins.")
        page.click("[data-do=undo]")
        page.click("[data-do=undo]")
        expect(page.locator("[data-move=swap]")).to_have_count(1)
        page.select_option("[data-seat='1']", "greedy")
        expect(moves(page).nth(1)).to_be_visible()
    with table(chromium, studio, "/play/file/star/pie", locale="ja-JP") as page:
        new_game(page)
        expect(moves(page)).to_have_count(0)
        click(page, "b2")
        expect(page.locator("[data-move=swap]")).to_have_text("先後を入れ替える")


@pytest.mark.thorough
def test_a_position_is_set_up_or_the_reason_told(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/orthodox") as page:
        page.locator(".setup summary", has_text="Set up").click()
        page.fill(".setup textarea", "8/8/8 w - - 0 1")
        page.click("[data-do=setup]")
        expect(page.locator(".why")).to_contain_text("cannot be set up")
        assert page.locator(".stage use").count() == 32
        page.fill(".setup textarea", PROMOTION)
        page.click("[data-do=setup]")
        expect(page.locator(".stage use")).to_have_count(3)
        click(page, "a7", "a8")
        expect(page.locator("dialog [data-move]")).to_have_text(["a8=Q+", "a8=R+", "a8=B", "a8=N"])
        page.click("dialog [data-move='a8=N']")
        expect(moves(page)).to_have_text(["a8=N"])
        page.fill(".setup textarea", "")
        page.click("[data-do=setup]")
        expect(page.locator(".stage use")).to_have_count(32)


@pytest.mark.thorough
def test_who_has_learned_the_rules_may_sit_down(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/file/chess/orthodox") as page:
        options = page.locator("[data-seat='1'] option")
        expect(options).to_have_text(["A person", "Easy", "Fair", "Strong", "More players…"])
        more_players(page)
        expect(options.filter(has_text="best-first-10k-learned-1")).to_have_count(1)
        assert "optimal" not in options.all_inner_texts(), "nobody has solved it"


@pytest.mark.thorough
def test_the_keyboard_plays_and_what_happens_is_heard(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/star/5x5") as page:
        new_game(page)
        expect(page.locator("#spoken")).to_have_text("First (○) to move")
        page.locator("[data-cell=a1]").focus()
        for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.locator("[data-cell=c2]")).to_be_focused()
        for key, square in (("Home", "a2"), ("End", "e2")):
            page.keyboard.press(key)
            expect(page.locator(f"[data-cell={square}]")).to_be_focused()
        page.locator("[data-cell=c2]").focus()
        expect(page.locator("[data-cell=c2]")).to_have_attribute("aria-label", "c2, may be placed on")
        assert page.locator(".cell[tabindex='0']").count() == 1, "Tab leaves the board"
        page.keyboard.press("Enter")
        expect(moves(page)).to_have_text(["c2"])
        expect(page.locator("[data-cell=c2]")).to_have_attribute("aria-label", "c2, First (○) piece")
        expect(page.locator("#spoken")).to_have_text("First (○): c2. Second (●) to move")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.locator("#spoken")).to_have_text("Second (●): a2. First (○) to move")
        page.locator("[data-do=undo]").click()
        expect(page.locator("#spoken")).to_have_text("Taken back so far: 1. First (○): c2. Second (●) to move")
        heard = page.locator("p.hinted[role=status]")
        expect(heard).to_have_text("")
        page.click("[data-do=hint]")
        expect(heard).to_have_text(re.compile("^Hint "))
        expect(page.locator("[data-do=hint]")).to_be_focused()
        page.click("[data-do=judge]")
        best = page.locator(".worths [role=status] .unseen")
        expect(best).to_have_text(re.compile(r"^\w+: \d+%$"))
        assert str(best.text_content()).split(":")[0] == page.locator("[data-worth]").first.get_attribute("data-worth")
        page.locator("[data-do=undo]").click()
        expect(page.locator("[data-do=undo]")).to_be_disabled()
        expect(page.locator("[data-do=undo]")).to_be_focused()


@pytest.mark.thorough
def test_who_does_not_see_the_board_hears_what_is_picked_up(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/orthodox") as page:
        new_game(page)
        first = page.locator(".cell[tabindex='0']")
        expect(first).to_have_attribute("aria-label", re.compile("^[a-h][12], White (pawn|knight)$"))
        square = page.locator("[data-cell=e2]")
        square.focus()
        page.keyboard.press("Enter")
        expect(square).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#spoken")).to_have_text("e2, White pawn: picked up. Squares to go to: e3, e4")
        page.keyboard.press("Enter")
        expect(square).to_have_attribute("aria-pressed", "false")
        expect(page.locator("#spoken")).to_have_text("e2, White pawn: put back")
        page.locator("[data-cell=a1]").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".why")).to_have_text("White rook on a1 cannot move now.")
        resign(page)
        expect(page.locator("[data-do=resign]")).to_be_focused()
        page.locator(".setup:has([data-do=paint]) summary").click()
        page.click("[data-do=paint]")
        expect(page.locator(".cell[tabindex='0']")).to_be_focused()
        expect(page.get_by_text("arrow keys")).to_be_visible()
        for of_the_game in ("[data-do=undo]", ".moves", ".worths", "[data-seat]", "[data-hand]"):
            expect(page.locator(of_the_game)).to_have_count(0)
        expect(page.locator("#spoken")).to_be_empty()
        expect(page.locator("[data-brush='♘']")).to_have_attribute("aria-label", "White knight")
        expect(page.locator("[data-cell=e8]")).to_have_attribute("aria-label", "e8, Black king")
        page.click("[data-do=paint-end]")
        expect(page.locator(".setup:has([data-do=paint]) summary")).to_be_focused()
        expect(page.locator("[data-do=undo]")).to_be_enabled()


@pytest.mark.thorough
def test_the_rules_in_force_and_who_one_is(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/play/file/chatra/C") as page:
        expect(page.locator(".head h1")).to_contain_text("C: objects first")
        expect(page.locator(".head h1 code")).to_have_text("chatra/C")
        expect(page.locator(".differs summary")).to_have_text(
            "Changed from “Rules of September 2007, the baseline of the proposals”:"
        )
        changes = page.locator(".differs li").all_inner_texts()
        assert len(changes) == 1
        book = page.locator(".book-of li")
        assert not book.first.is_visible()
        page.click(".book-of summary")
        expect(page.locator(".book-of .changed")).to_have_text(changes)
        assert book.count() > 10
        expect(page.locator(".you")).to_have_text(re.compile("You play +Black."))
        expect(page.locator(".you .piece polygon.dark")).to_have_count(1)
        page.select_option("[data-seat='0']", "greedy")
        page.select_option("[data-seat='1']", "human")
        expect(page.locator(".you")).to_have_text(re.compile("You play +White."))
        page.select_option("[data-seat='0']", "human")
        expect(page.locator(".you")).to_have_text("People play both sides here.")


@pytest.mark.thorough
def test_check_how_the_game_stands_and_why_it_ended(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/no-castling") as page:
        expect(page.locator(".standing")).to_have_text("")
        page.locator(".setup summary", has_text="Set up").click()
        page.fill(".setup textarea", "k7/8/1K6/8/8/8/8/7R w - - 0 1")
        page.click("[data-do=setup]")
        expect(page.locator(".stage use")).to_have_count(3)
        expect(page.locator(".standing")).to_have_text(re.compile("White can expect (9.|100)% of the points"))
        share = page.locator(".balance span").evaluate("bar => parseFloat(bar.style.getPropertyValue('--share'))")
        assert share < 10, "of Black's share"
        click(page, "b6", "c7")
        expect(moves(page)).to_have_count(1)
        expect(page.locator(".check")).to_have_count(0)
        click(page, "a8", "a7")
        expect(moves(page)).to_have_count(2)
        click(page, "h1", "a1")
        expect(page.locator(".turn b").first).to_have_text("White wins after 3 plies")
        expect(page.locator(".status")).to_contain_text("has no legal move: its player loses.")
        expect(page.locator("#spoken")).to_have_text(
            re.compile("White: Ra1#. White wins after 3 plies. .* no legal move")
        )
        expect(page.locator(".balance span")).to_have_attribute("style", re.compile("--share: 0%"))
        for left in (2, 1, 0):
            page.click("[data-do=undo]")
            expect(moves(page)).to_have_count(left)
        click(page, "h1", "a1")
        expect(page.locator(".check")).to_have_text("Black is in check")
        expect(page.locator(".table > .quiet")).to_have_count(0)


@pytest.mark.thorough
def test_a_click_on_a_move_shows_its_position_from_which_one_may_go_on(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/torpedo") as page:
        new_game(page)
        assert not page.locator("dialog[open]").count(), "there was nothing to lose"
        for n, squares in enumerate((("e2", "e4"), ("d7", "d5"), ("e4", "d5")), start=1):
            click(page, *squares)
            expect(moves(page)).to_have_count(n)
        page.click("[data-ply='1']")
        expect(page.locator(".turn b")).to_have_text("The position after move 1, e4")
        expect(page.locator(".stage use")).to_have_count(32)
        click(page, "g8")
        expect(page.locator(".target")).to_have_count(0)
        page.keyboard.press("Escape")
        page.locator("[data-ply='1']").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".turn b")).to_have_text("The position after move 2, d5")
        page.click("[data-do=back]")
        expect(page.locator(".turn b")).to_have_text("Black to move")
        expect(page.locator(".stage use")).to_have_count(31)
        page.click("[data-ply='1']")
        page.click("[data-do=continue]")
        expect(moves(page)).to_have_text(["e4"])
        expect(page.locator(".turn b")).to_have_text("Black to move")
        page.click("[data-do=redo]")
        expect(moves(page)).to_have_text(["e4", "d5"])
        page.click("[data-do=fresh]")
        expect(page.locator("dialog[open]")).to_contain_text("2 moves were played")
        page.click("[data-do=keep]")
        expect(moves(page)).to_have_count(2)
        new_game(page)
        expect(moves(page)).to_have_count(0)


def test_what_is_placed_and_what_forbids_it_stand_above_the_board_which_stays_where_it_is(
    chromium: Browser, studio: Studio
) -> None:
    with table(chromium, studio, "/play/file/chatra/9x9") as page:
        new_game(page)
        expect(page.locator(".prompt")).to_have_text("Choose a square: Black subject.")
        place = page.locator(".stage").bounding_box()
        click(page, "e5")
        expect(page.locator(".why")).not_to_be_empty()
        expect(page.locator(".prompt")).to_have_count(0)
        assert page.locator(".stage").bounding_box() == place
        told = page.locator(".why").bounding_box()
        assert place and told and 0 < place["y"] - told["y"] - told["height"] < 40
        for n, cell in enumerate(("a1", "i9", "c1"), start=1):
            click(page, cell)
            expect(moves(page)).to_have_count(n)
        expect(page.locator(".prompt")).to_contain_text("an empty square to place one there: White subject.")
        expect(page.locator("[data-hand]")).to_have_text("○")
        assert page.locator(".stage").bounding_box() == place
        expect(page.locator(".side .moves button").nth(2)).to_have_attribute("title", "Black object placed on c1")
        expect(page.locator(".step")).to_have_text("Oc1 Black object placed on c1")


def test_levels_are_words_with_what_each_reads(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chess/orthodox", second="alphabeta-1k") as page:
        options = page.locator("[data-seat='1'] optgroup").first.locator("option")
        expect(options).to_have_text(["Easy", "Fair", "Strong"])
        told = "Looks at 100,000 positions a move, as deep as they reach (alphabeta-100k)"
        more_players(page)
        expect(page.locator("[data-seat='1'] option[value=alphabeta-100k]")).to_have_text(told)
        expect(page.locator(".seat p code")).to_have_text("alphabeta-1k")
        expect(page.locator(".seat p")).to_contain_text("Looks at 1,000 positions a move")
        expect(page.locator(".levels dt code")).to_have_text(["greedy", "alphabeta-1k", "alphabeta-10k-net-1"])


def test_players_with_a_style_say_which(in_the_checkout: None) -> None:
    told = [str(levels.reading(f"greedy-{style}", "chatra")) for style in ("centre", "edge", "corner")]
    assert len(set(told)) == 3 and "in a corner zone" in told[2]
    chatra = rulesets.load_ruleset("chatra/2008-02")
    groups = dict(room.list_opponents(chatra, Project(Path()), False)[1])
    of_a_style = [title for title, players in groups.items() if any(name.endswith("-corner") for name in players)]
    assert len(of_a_style) == 1 and translated(of_a_style[0], "ja").startswith("序盤：")
    trainings = {
        name.partition("-learned-" if "-learned-" in name else "-net-")[2] for name in groups[WORDS["learned"]]
    }
    assert trainings == {"1"} and len(groups[WORDS["learned"]]) < 18, (
        "of several trainings the first of each evaluation"
    )


def test_players_of_levels_are_called_by_them_and_others_by_what_they_read() -> None:
    assert translated(levels.called("greedy"), "ja") == "やさしい（greedy）"
    assert str(levels.called("alphabeta-2")).endswith("(alphabeta-2)")
    assert levels.called("uci:stockfish") == "uci:stockfish"


def test_a_level_was_measured_where_a_ladder_was_played(in_the_checkout: None, tmp_path: Path) -> None:
    ruleset = rulesets.load_ruleset("star/default")
    found = levels.find_levels(ruleset, Project(tmp_path))
    assert [(level.name, level.player, level.points) for level in found] == [
        ("easy", "greedy", None), ("fair", "alphabeta-1k", None), ("strong", "alphabeta-10k-learned-1", None),
        ("perfect", "optimal", None),
    ]  # fmt: skip
    entries = [{"player": name, "options": {}, "elo": {"value": elo}} for name, elo in
               (("greedy", 100.0), ("alphabeta-1k", 290.85), ("alphabeta-10k-learned-1", math.inf))]  # fmt: skip
    ladder = {"rules": {"fingerprint": ruleset.fingerprint}, "engine": "x", "games": 10, "players": entries}
    path = ladder_folder(tmp_path / "reports", "star/default", "x") / FILE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(ladder))
    measured = {level.name: level for level in levels.find_levels(ruleset, Project(tmp_path))}
    assert measured["fair"].points == pytest.approx(0.75, abs=0.001)
    assert "75%" in levels.sentence(measured["fair"]) and "1,000 positions" in levels.sentence(measured["fair"])
    assert measured["easy"].points is None and measured["strong"].points is None
    assert "never makes a mistake" in levels.sentence(measured["perfect"])


def test_a_look_without_machine_code_sees_who_is_ahead(in_the_checkout: None) -> None:
    queen_up = judgement.at_a_glance(state("chess/orthodox", {"fen": "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"}))
    assert 0.9 < queen_up.share < 1.0 and not queen_up.exact
    mated = judgement.at_a_glance(state("chess/orthodox", {"fen": "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"}))
    assert mated == (1.0, True)


def test_a_phone_sees_the_whole_board_and_whose_turn_it_is_at_once(chromium: Browser, studio: Studio) -> None:
    # What a browser's own bars leave of 844 pixels.
    phone: dict[str, Any] = {"viewport": PHONE | {"height": 664}, "has_touch": True, "is_mobile": True}
    for ruleset in ("chatra/2008-02+A", "star/4x4"):
        with table(chromium, studio, f"/play/file/{ruleset}", locale="ja-JP", **phone) as page:
            page.evaluate("scrollTo(0, 0)")
            expect(page.locator(".stage")).to_be_in_viewport(ratio=1)
            expect(page.locator(".turn")).to_be_in_viewport(ratio=1)
            rules, board = (page.locator(each).bounding_box() for each in (".differs, .head > .quiet", ".stage"))
            assert rules and board and rules["y"] > board["y"]


def test_what_is_wrong_with_a_position_is_told_in_the_readers_language(in_the_checkout: None) -> None:
    painted = room.paint_position(rulesets.load_ruleset("chatra/9x9"), "", (), {"text": "{black: []}"})
    assert "9×9の盤のマス" in translated(painted["problem"], "ja")


@pytest.mark.parametrize("language", few.first(1, ["ja-JP", "en-US"]))
def test_a_phone_plays_by_touch(chromium: Browser, studio: Studio, language: str) -> None:
    path = "/play/file/draughts/international"
    with table(chromium, studio, path, viewport=PHONE, has_touch=True, is_mobile=True, locale=language) as page:
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
        page.tap("[data-do=look]")
        expect(page.locator(".looking .replay")).to_be_focused()
        expect(page.locator("[data-do=close]")).to_be_in_viewport(ratio=1)
        page.tap("[data-do=close]")


@pytest.mark.thorough
def test_a_draft_is_played_before_it_is_saved(chromium: Browser, studio: Studio) -> None:
    with table(chromium, studio, "/play/new/chatra/2007-09") as page:
        page.goto(f"{studio.root}/rules/chatra/2007-09")
        unfold(page)
        page.locator("#toggle-size .option", has=page.locator("code", has_text=re.compile("^9$"))).click()
        expect(page.locator(".chip")).to_have_count(1)
        page.click("[data-do=play]")
        page.wait_for_selector(".stage svg.board")
        assert page.locator(".cell").count() == 81
        page.go_back()
        unfold(page)
        page.locator("#toggle-size .option", has=page.locator("code", has_text=re.compile("^3$"))).click()
        page.locator("#toggle-object_area .option").nth(1).click()
        expect(page.locator(".verdict")).to_have_class(re.compile("wrong"))
        page.goto(f"{studio.root}/play/new/chatra/2007-09")
        expect(page.locator(".note")).to_contain_text("These rules have to be mended first")
