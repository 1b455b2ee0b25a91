"""The page of the games of a report."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import app, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, text_of
from workbench.base.language import tr, trc, untranslated
from workbench.base.project import Project
from workbench.report.render.replay import SCRIPT
from workbench.studio import frame, game_tasks, report_files
from workbench.studio.frame import Studio
from workbench.studio.pages.reports import NO_REPORT
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

ACTS_NOWHERE = tr("In the games that were compared, the rule changes nothing that the player does.")
BOARD = "/board/replay.js"
"""Where the script lies that reports hold, too."""


class ReplayPanel(Element, component="replay.js", esm=frame.SHARED):
    """A game of a report, and which one."""


class ReplayPages:
    """The games of a project's reports."""

    def __init__(self, project: Project, workers: Workers) -> None:
        self.project = project
        self.workers = workers

    async def report(self, request: Request, name: str) -> None:
        """The games of a report."""
        visitor = Visitor.from_request(request)
        folder = await asyncio.to_thread(report_files.folder_with_games, self.project, name)
        if folder is None:
            ways = [("/reports", tr("Reports"))]
            frame.not_found_page(visitor, "reports", "/reports", NO_REPORT.format(name=name), near=ways)
            return
        title = visitor.translate(report_files.folder_title(folder) or untranslated(name))
        games = visitor.translate(trc("words", "Its games"))
        frame.begin_page(visitor, "reports", f"/replay/{quote(name)}", "", title=f"{title} – {games}")
        panel = ReplayPanel()
        panel.props["heading"] = title
        panel.props["back"] = f"/report/{quote(name)}" if (folder / report_files.PAGE).is_file() else "/reports"
        panel.props["script"] = BOARD
        panel.props["list"] = None
        panel.props["shown"] = None
        panel.props["told"] = ""
        panel.props["acts"] = None
        _ReplayPage(self.workers, folder, panel, visitor)


class _ReplayPage:
    """One page with the games of a report."""

    def __init__(self, workers: Workers, folder: Path, panel: ReplayPanel, visitor: Visitor) -> None:
        self.workers, self.folder, self.panel, self.visitor = workers, folder, panel, visitor
        self.list: dict[str, Any] | None = None
        self.asked = 0
        self.compared = 0
        panel.on("ask", self.ask)
        panel.on("acts", self.find_where_it_acts)
        ui.timer(0, self.begin, once=True)

    async def begin(self) -> None:
        """Lists the games."""
        try:
            self.list = await self.workers.strong.run(game_tasks.list_cells, self.folder)
        except WorkbenchError as error:
            self.show_message(self.visitor.translate(text_of(error)))
            return
        examples = [{"id": one["id"], "text": self.visitor.translate(one["text"])} for one in self.list["examples"]]
        cells, proposals = (
            [one | {"short": self.visitor.translate(one["short"])} for one in self.list[key]]
            for key in ("cells", "proposals")
        )
        self.panel.props["list"] = {"cells": cells, "examples": examples, "proposals": proposals}
        self.panel.update()

    async def ask(self, given: GenericEventArguments) -> None:
        """Shows a game; of several that were asked for, the last."""
        number = self._number(str(given.args))
        if number is None:
            self.show_message(self.visitor.translate(tr("The report has no such game.")))
            return
        self.asked += 1
        asked = self.asked
        strong = self.workers.strong
        try:
            if await strong.run(game_tasks.replay_must_compile, self.folder, number):
                self.show_message(
                    self.visitor.translate(tr("Its machine code is being made, once for each game: up to a minute…"))
                )
            shown = await strong.run(game_tasks.replay_game, self.folder, number, self.visitor.language)
        except WorkbenchError as error:
            shown = {"trouble": self.visitor.translate(text_of(error))}
        if asked != self.asked:
            return
        if "markup" in shown:
            self.panel.props["shown"] = shown | {"count": asked}
        trouble = self.visitor.translate(shown["failed"]) if "failed" in shown else shown.get("trouble", "")
        self.show_message(trouble)

    async def find_where_it_acts(self, given: GenericEventArguments) -> None:
        """Shows the same game under the baseline and under a proposal, where they part."""
        proposal = str(given.args)
        if proposal not in [each["ruleset"] for each in (self.list or {"proposals": ()})["proposals"]]:
            return
        self.compared += 1
        asked, language = self.compared, self.visitor.language
        arguments = self.folder, proposal, language
        try:
            found = await self.workers.strong.run(game_tasks.games_where_it_acts, *arguments)
            told = "" if found else self.visitor.translate(ACTS_NOWHERE)
        except WorkbenchError as error:
            found, told = None, self.visitor.translate(text_of(error))
        if asked == self.compared:
            self.panel.props["acts"] = (found or {"games": [], "text": told, "changes": []}) | {"count": asked}
            self.panel.update()

    def show_message(self, text: str) -> None:
        """Say something above the board."""
        self.panel.props["told"] = text
        self.panel.update()

    def _number(self, asked: str) -> game_tasks.Number | None:
        for cell in (self.list or {"cells": ()})["cells"]:
            first_part = game_tasks.game_id((cell["ruleset"], cell["first"], cell["second"], 0)).removesuffix("0")
            rest = asked.removeprefix(first_part)
            if rest != asked and rest.isascii() and rest.isdecimal() and 1 <= int(rest[:9]) <= cell["count"]:
                return cell["ruleset"], cell["first"], cell["second"], int(rest[:9])
        return None


def register(studio: Studio) -> None:
    """Give the page its address."""
    app.add_static_file(local_file=SCRIPT, url_path=BOARD, max_cache_age=0)
    ui.page("/replay/{name:path}")(ReplayPages(studio.project, studio.workers).report)
