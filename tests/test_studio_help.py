"""What helps on the page of a game, in Chromium: who else may play, hints, what moves are worth, painted positions."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.studio import Line, Studio, more_players, page_of, until

pytestmark = pytest.mark.thorough


def at_the_table(page: Page, *players: str) -> None:
    page.wait_for_selector(".stage svg.board")
    for place, player in enumerate(players):
        page.select_option(f"[data-seat='{place}']", player)


def test_a_solved_game_says_what_each_move_leads_to(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/play/file/star/default") as page:
        at_the_table(page, "human", "human")
        page.click("[data-do=judge]")
        worths = page.locator("[data-worth]")
        expect(worths).to_have_count(8)
        expect(worths.first).to_have_text(re.compile("wins in 29"))
        expect(worths.last).to_have_text(re.compile("loses in"))
        expect(page.locator(".worths p.quiet")).to_have_text(re.compile(r"^Known exactly: these rules are solved\."))
        page.click("[data-do=hint]")
        expect(page.locator("p.hinted")).to_have_text(re.compile("wins in 29"))
        expect(page.locator(".cell.hinted")).to_have_count(1)
        # A move is played from the list, and the next position is judged by itself.
        worths.last.click()
        expect(page.locator(".side .moves li")).to_have_count(1)
        expect(worths.first).to_have_text(re.compile("wins in"))
        page.click("[data-do=judge]")
        expect(worths).to_have_count(0)


def test_both_seats_may_be_players_of_any_kind(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/play/new/star/default") as page:
        at_the_table(page, "optimal", "human")
        expect(page.locator(".side .moves li")).to_have_count(1)
        more_players(page)
        page.select_option("[data-seat='1']", "?")
        page.fill("[name=player]", "alphabet-20k")
        page.click("[data-do=sit]")
        expect(page.locator(".why")).to_have_text(re.compile("expected an agent"))
        page.select_option("[data-seat='1']", "?")
        page.fill("[name=player]", "best-first-500n")
        page.click("[data-do=sit]")
        page.locator(".side .moves li").nth(3).wait_for()
        expect(page.locator("[data-seat='1']")).to_have_value("best-first-500n")
        page.select_option("[data-seat='0']", "human")
        groups = page.locator("[data-seat='0'] optgroup").evaluate_all("all => all.map(one => one.label)")
        assert groups == [
            "Levels",
            "By plies",
            "By positions a move",
            "Has learned these rules",
            "Named by you",
        ]


def test_a_position_is_painted_and_played_from(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/play/file/chess/torpedo") as page:
        at_the_table(page, "human", "human")
        page.click(".setup >> text=Set up a position")
        page.click("[data-do=paint]")
        text = page.get_by_label("The position as text")
        expect(text).to_have_value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
        page.click("[data-do=empty]")
        expect(text).to_have_value("8/8/8/8/8/8/8/8 w - - 0 1")
        for sign, cell, fen in (
            ("♔", "a1", "8/8/8/8/8/8/8/K7"),
            ("♚", "h8", "7k/8/8/8/8/8/8/K7"),
            ("♕", "c3", "7k/8/8/8/8/2Q5/8/K7"),
        ):
            page.click(f"[data-brush='{sign}']")
            page.click(f"[data-cell={cell}]")
            expect(text).to_have_value(f"{fen} w - - 0 1")
        expect(page.locator(".why")).to_have_text(re.compile("Black's king could be taken"))
        page.select_option("[data-do=side]", "1")
        expect(page.locator(".why")).to_have_text("")
        # The keyboard paints, too, and the same piece again takes it away.
        page.locator("[data-cell=c3]").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(text).to_have_value("7k/8/8/8/8/2QQ4/8/K7 b - - 0 1")
        page.keyboard.press("Enter")
        expect(text).to_have_value("7k/8/8/8/8/2Q5/8/K7 b - - 0 1")
        text.fill("7k/8/8/8/8/2Q5/8/K6R b - - 0 1")
        expect(page.locator(".stage use")).to_have_count(4)
        page.click("[data-do=setup]")
        expect(page.locator(".painting")).to_have_count(0)
        expect(page.locator(".turn b").first).to_have_text(
            re.compile("Black to move|White wins|checkmate", re.IGNORECASE)
        )
        expect(page.locator(".stage use")).to_have_count(4)
        page.click("[data-do=paint]")
        expect(page.locator(".palette button")).to_have_count(13)
        page.click("[data-do=paint-end]")
        expect(page.locator(".painting")).to_have_count(0)


def test_a_tap_paints_once_and_a_mouse_wherever_it_is_drawn(chromium: Browser, studio: Studio) -> None:
    line = Line()
    with page_of(chromium, studio, "/play/file/chess/pawn-back", line=line, has_touch=True) as page:
        at_the_table(page, "human", "human")
        page.click(".setup >> text=Set up a position")
        page.click("[data-do=paint]")
        page.click("[data-do=empty]")
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
