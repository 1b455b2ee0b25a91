"""The page of a report's games."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

from fastapi import Request
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.language import join, tr, trc, untranslated
from workbench.report.render.replay import SCRIPT
from workbench.studio import frame, game_tasks, report_files
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.reports import NO_REPORT
from workbench.studio.visitor import View, Visitor
from workbench.studio.workers import Worker

ReplayPanel = component("replay.js", __file__)
NO_EFFECT = tr("In the compared games, the rule does not change the player's moves.")
BOARD = "/board/replay.js"
"""The address of the replay script, which reports contain as well."""


class _ReplayPage:
    """An open page with a report's games."""

    def __init__(self, worker: Worker, folder: Path, panel: Panel, visitor: Visitor) -> None:
        self.worker, self.folder, self.panel, self.visitor = worker, folder, panel, visitor
        self.list: View = {"cells": [], "proposals": []}
        self.requests = self.comparisons = 0
        panel.on("ask", self.show_game)
        panel.on("acts", self.show_effect)
        ui.timer(0, self.begin, once=True)

    async def begin(self) -> None:
        """List the games."""
        try:
            self.list = await self.worker.run(game_tasks.list_cells, self.folder)
        except WorkbenchError as error:
            self.show_message(error_text(error))
        else:
            self.panel.show(list=self.visitor.localize(self.list))

    async def show_game(self, event: GenericEventArguments) -> None:
        """Show a game; if there are several requests, only the last one counts."""
        number = game_number(self.list, str(event.args))
        if number is None:
            self.show_message(tr("The report has no such game."))
            return
        self.requests += 1
        request = self.requests
        try:
            if await self.worker.run(game_tasks.replay_must_compile, self.folder, number):
                self.show_message(tr("Compiling machine code, once for each game; this takes up to a minute…"))
            game = await self.worker.run(game_tasks.replay_game, self.folder, number, self.visitor.language)
        except WorkbenchError as error:
            game = {"failed": error_text(error)}
        if request == self.requests:
            if "markup" in game:
                self.panel.show(shown=game | {"count": request})
            self.show_message(game.get("failed", ""))

    async def show_effect(self, event: GenericEventArguments) -> None:
        """Show a game under the baseline and under a proposal at the ply where they diverge."""
        proposal, language = str(event.args), self.visitor.language
        if proposal not in [entry["ruleset"] for entry in self.list["proposals"]]:
            return
        self.comparisons += 1
        request, message = self.comparisons, NO_EFFECT
        try:
            pair = await self.worker.run(game_tasks.find_effect, self.folder, proposal, language)
        except WorkbenchError as error:
            pair, message = None, error_text(error)
        if request == self.comparisons:
            empty = {"games": [], "text": self.visitor.translate(message), "changes": []}
            self.panel.show(acts=(pair or empty) | {"count": request})

    def show_message(self, text: str) -> None:
        """Show a message above the board."""
        self.panel.show(told=self.visitor.translate(text))


def game_number(listing: View, identifier: str) -> game_tasks.Number | None:
    """Return a game's number from its identifier in links, or None if the report lacks the game."""
    for cell in listing["cells"]:
        prefix = game_tasks.game_id((cell["ruleset"], cell["first"], cell["second"], 0)).removesuffix("0")
        number = identifier.removeprefix(prefix)
        if number != identifier and number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= cell["count"]:
            return cell["ruleset"], cell["first"], cell["second"], int(number[:9])
    return None


def register(studio: Studio) -> None:
    """Register the page and its script."""

    async def replay(request: Request, name: str) -> None:
        visitor = Visitor.from_request(request)
        folder = await asyncio.to_thread(report_files.folder_with_games, studio.project, name)
        if folder is None:
            links = [("/reports", tr("Reports"))]
            frame.not_found_page(visitor, "reports", NO_REPORT.format(name=name), similar=links)
            return
        title = report_files.folder_title(folder) or untranslated(name)
        heading = join(" – ", (title, trc("words", "Its games")))
        frame.begin_page(visitor, "answers", f"/replay/{quote(name)}", title=heading)
        back = f"/report/{quote(name)}" if (folder / report_files.PAGE).is_file() else "/reports"
        panel = ReplayPanel(
            heading=visitor.translate(title), back=back, script=BOARD, list=None, shown=None, told="", acts=None
        )
        _ReplayPage(studio.workers.strong, folder, panel, visitor)

    app.add_static_file(local_file=SCRIPT, url_path=BOARD, max_cache_age=0)
    ui.page("/replay/{name:path}")(replay)
