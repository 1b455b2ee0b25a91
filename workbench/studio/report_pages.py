"""The pages of reports: the list, one within the page, rulesets of several in one table, games on the board."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import Response
from nicegui import app, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, text_of
from workbench.base.language import tr, trc, untranslated
from workbench.base.project import Project
from workbench.report.render.documents import style_of_copies
from workbench.report.render.replay import SCRIPT
from workbench.studio import findings, frame, game_tasks, opponents, report_files
from workbench.studio.gate import REPORTS
from workbench.studio.report_files import Glance, ReportFolder, ways_on
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Worker, Workers

NO_REPORT = tr("There is no report “{name}”.")
ACTS_NOWHERE = tr("In the games that were compared, the rule changes nothing that the player does.")
MAX_COMPARED = 6
"""Reports whose rulesets stand in one table."""


class ReportsPanel(Element, component="parts/reports.js", esm=frame.SHARED):
    """All reports, a line each."""


class ReportPanel(Element, component="parts/report.js", esm=frame.SHARED):
    """A report."""


class ComparePanel(Element, component="parts/compare.js", esm=frame.SHARED):
    """Rulesets of reports in one table."""


class ReportPages:
    """The reports of a project."""

    def __init__(self, project: Project, worker: Worker) -> None:
        """``worker`` reads reports and their records."""
        self.project = project
        self._worker = worker

    def register(self) -> None:
        """Gives each page its address."""
        app.get(REPORTS + "{address:path}")(self.file)
        app.get("/paper.css")(lambda: Response(style_of_copies(), media_type="text/css"))
        ui.page("/reports")(self.reports)
        ui.page("/compare")(self.compare)
        ui.page("/report/{name:path}")(self.report)

    async def file(self, request: Request, address: str) -> Response:
        """A report or the guide, as it lies in the reports."""
        path = await asyncio.to_thread(report_files.resolve_address, self.project, address)
        content = await asyncio.to_thread(report_files.read_content, path) if path else None
        if path is None or content is None:
            return Response(status_code=404)
        if path.name == report_files.PAGE:
            content = await asyncio.to_thread(report_files.adapt_page, content, Visitor.from_request(request))
        elif report_files.GUIDE.fullmatch(path.name):
            visitor = Visitor.from_request(request)
            content = await asyncio.to_thread(report_files.guide_page, path, content, visitor)
        kind = report_files.TYPES[path.suffix[1:]]
        return Response(content, media_type=kind, headers={"Cache-Control": "no-store"})

    async def reports(self, request: Request) -> None:
        """All reports, a line each."""
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "reports", "/reports", "", title=visitor.translate(tr("Reports")))
        panel = ReportsPanel()
        panel.props["language"] = visitor.language
        found = await asyncio.to_thread(report_files.list_folders, self.project)

        def show(glances: list[Glance]) -> None:
            panel.props["reports"] = [
                self._folder_view(folder, visitor) | _glance_view(glance, visitor)
                for folder, glance in zip(found, glances, strict=True)
            ]
            panel.update()

        async def read() -> None:
            show(await self._worker.run(report_files.read_glances, self.project.reports, found))

        show([report_files.UNREAD] * len(found))
        ui.timer(0, read, once=True)

    async def report(self, request: Request, name: str) -> None:
        """A report."""
        visitor = Visitor.from_request(request)
        found = await asyncio.to_thread(report_files.list_folders, self.project)
        shown = next((folder for folder in found if folder.name == name), None)
        if shown is None:
            folders = {folder.name: folder for folder in found}
            near = [folders[each] for each in frame.nearest_first(name, folders)]
            ways = [(f"/report/{quote(folder.name)}", self._title(folder)) for folder in near]
            ways.append(("/reports", tr("Reports")))
            frame.not_found_page(visitor, "reports", "/reports", NO_REPORT.format(name=name), near=ways)
            return
        title = visitor.translate(self._title(shown))
        frame.begin_page(visitor, "reports", f"/report/{quote(name)}", "", title=title)
        panel = ReportPanel()
        panel.props["reports"] = [self._folder_view(folder, visitor) for folder in found]
        panel.props["first"] = name
        panel.props["ways"] = await asyncio.to_thread(ways_on, self.project, name, visitor)
        guide = "how-to-read.ja.md" if visitor.language == "ja" else "how-to-read.md"
        path = await asyncio.to_thread(report_files.resolve_address, self.project, guide)
        panel.props["guide"] = REPORTS + guide if path else ""
        # Its rulesets may be compared next.
        self._worker.begin(findings.load_statistics)

    async def compare(self, request: Request) -> None:
        """Rulesets of the reports that the address names, in one table."""
        visitor = Visitor.from_request(request)
        found = await asyncio.to_thread(report_files.list_folders, self.project)
        folders = {folder.name: folder for folder in found if folder.games}
        chosen = [name for name in dict.fromkeys(request.query_params.getlist("report")) if name in folders]
        chosen = chosen[:MAX_COMPARED]
        here = compare_address(chosen)
        frame.begin_page(visitor, "reports", here, "", title=visitor.translate(tr("Compare rulesets")))
        panel = ComparePanel()
        panel.props["choices"] = [
            {"name": each.name, "title": visitor.translate(self._title(each))} for each in folders.values()
        ]
        panel.props["most"] = MAX_COMPARED
        panel.props["shown"] = None

        async def show(names: list[str], base: tuple[str, str]) -> None:
            sources = [
                findings.Source(name, self.project.reports / name, self._title(folders[name]), folders[name].touched)
                for name in names
            ]
            shown = await self._worker.run(findings.compare, sources, base, visitor.language)
            panel.props["shown"] = shown
            panel.update()

        async def choose(given: Any) -> None:
            names = [str(name) for name in given.args["reports"] if name in folders][:MAX_COMPARED]
            await show(names, (str(given.args["base"][0]), str(given.args["base"][1])))

        panel.on("choose", choose)
        ui.timer(0, lambda: show(chosen, ("", "")), once=True)

    def _title(self, folder: ReportFolder) -> str:
        return report_files.folder_title(self.project.reports / folder.name) or untranslated(folder.name)

    def _folder_view(self, folder: ReportFolder, visitor: Visitor) -> dict[str, Any]:
        at = quote(folder.name)
        return {
            "name": folder.name,
            "title": visitor.translate(self._title(folder)),
            "touched": folder.touched,
            "url": f"/report/{at}",
            "games": f"/replay/{at}" if folder.games else "",
            "compare": compare_address([folder.name]),
            "page": f"{REPORTS}{at}/{report_files.PAGE}?{folder.touched:.0f}",
        }


def compare_address(names: list[str]) -> str:
    """The address of the table of rulesets of some reports."""
    return "/compare?" + urlencode([("report", name) for name in names])


def _glance_view(glance: Glance, visitor: Visitor) -> dict[str, Any]:
    bars = [(visitor.translate(title), *numbers, visitor.translate(sure)) for title, *numbers, sure in glance.bars]
    return {
        "answer": visitor.translate(glance.answer),
        "players": [visitor.translate(opponents.called(each)) for each in glance.players],
        "bars": bars,
    }


BOARD = "/board/replay.js"
"""Where the script lies that reports hold, too."""


class ReplayPanel(Element, component="parts/replay.js", esm=frame.SHARED):
    """A game of a report, and which one."""


class ReplayPages:
    """The games of a project's reports."""

    def __init__(self, project: Project, workers: Workers) -> None:
        self.project = project
        self.workers = workers

    def register(self) -> None:
        """Gives each page its address."""
        app.add_static_file(local_file=SCRIPT, url_path=BOARD, max_cache_age=0)
        ui.page("/replay/{name:path}")(self.report)

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
        """Says something above the board."""
        self.panel.props["told"] = text
        self.panel.update()

    def _number(self, asked: str) -> game_tasks.Number | None:
        for cell in (self.list or {"cells": ()})["cells"]:
            first_part = game_tasks.game_id((cell["ruleset"], cell["first"], cell["second"], 0)).removesuffix("0")
            rest = asked.removeprefix(first_part)
            if rest != asked and rest.isascii() and rest.isdecimal() and 1 <= int(rest[:9]) <= cell["count"]:
                return cell["ruleset"], cell["first"], cell["second"], int(rest[:9])
        return None
