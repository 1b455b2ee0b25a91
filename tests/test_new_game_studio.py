"""A game of a project in the studio, in Chromium: it says how its code is trusted, and then plays like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests import hexapawn
from tests.hexapawn import User
from tests.studio import opened, own_project, page_of
from workbench.games.declaration import COMMON

RULES, PLAY = "/rules/hexapawn/gardner", "/play/file/hexapawn/gardner"


@pytest.mark.thorough
def test_a_game_of_the_project_is_trusted_and_plays(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, project = User(tmp_path / "home"), hexapawn.project(own_project(tmp_path / "mine", "star"))
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("WORKBENCH_TRUST", raising=False)
    with opened(project, user=user.home) as studio:
        with page_of(chromium, studio, "/", quiet=True) as page:
            page.get_by_role("link", name="hexapawn ⚠").click()
            for path in ("", RULES, PLAY, "/try/file/hexapawn/gardner"):
                if path:
                    page.goto(studio.root + path)
                expect(page.locator(".note")).to_contain_text("This game may not play yet.")
                expect(page.locator(".note")).to_contain_text("workbench check-game hexapawn --trust")
            page.goto(f"{studio.root}/idea/hexapawn")
            expect(page).to_have_url(f"{studio.root}/")
        trusted = user.run("show", "hexapawn/gardner", "--trust", folder=project)
        assert trusted.returncode == 0, trusted.stderr
        # The studio that is open sees it.
        with page_of(chromium, studio, RULES) as page:
            # Its own two, and those of every game.
            expect(page.locator(".toggle")).to_have_count(2 + len(COMMON))
            expect(page.locator("body")).to_contain_text("Whoever brings a pawn to the last row wins.")
        with page_of(chromium, studio, PLAY) as page:
            page.select_option("[data-seat='0']", "human")
            page.select_option("[data-seat='1']", "human")
            for square in ("a1", "a2"):
                page.click(f"[data-cell={square}]")
            expect(page.locator(".side .moves li")).to_have_text(["a1-a2"])
            page.click("[data-cell=b3]")
            page.click("[data-cell=b1]")
            expect(page.locator(".why")).to_contain_text("A pawn steps straight ahead to an empty square")
            page.locator(".setup summary", has_text="Set up").click()
            page.click("[data-do=paint]")
            page.click("[data-brush='♟']")
            page.click("[data-cell=b2]")
            expect(page.locator(".setup textarea")).to_have_value('{board: "♟♟♟/♙♟./.♙♙", to_move: second}')
            page.click("[data-do=setup]")
            expect(page.locator(".turn b")).to_have_text("Black (♟) to move")
