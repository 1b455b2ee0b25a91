"""The pages of reports: a list of what each says, one report within the page, and rulesets of several in one table."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import Response
from nicegui import app, ui
from nicegui.element import Element

from workbench.files.project import Project
from workbench.language import verbatim
from workbench.report.render.html import style_of_copies
from workbench.studio import comparing, findings, frame, levels, report_files
from workbench.studio.gate import REPORTS
from workbench.studio.report_files import Glance, ReportFolder, ways_on
from workbench.studio.words import WORDS, Visitor, translated_words
from workbench.studio.workers import Worker

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
        frame.begin_page(visitor, "reports", "/reports", "", title=visitor.translate(WORDS["reports"]))
        panel = ReportsPanel()
        panel.props["words"] = translated_words(visitor.language)
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
            frame.begin_page(visitor, "reports", "/reports", "")
            ui.context.client.status_code = 404
            folders = {folder.name: folder for folder in found}
            near = [folders[each] for each in frame.nearest_first(name, folders)]
            ways = [(f"/report/{quote(folder.name)}", visitor.translate(self._title(folder))) for folder in near]
            ways.append(("/reports", visitor.translate(WORDS["reports"])))
            frame.note_page(visitor.translate(WORDS["no_report"].format(name=name)), near=ways)
            return
        title = visitor.translate(self._title(shown))
        frame.begin_page(visitor, "reports", f"/report/{quote(name)}", "", title=title)
        panel = ReportPanel()
        panel.props["words"] = translated_words(visitor.language)
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
        frame.begin_page(visitor, "reports", here, "", title=visitor.translate(WORDS["compare_rulesets"]))
        panel = ComparePanel()
        panel.props["words"] = translated_words(visitor.language)
        panel.props["choices"] = [
            {"name": each.name, "title": visitor.translate(self._title(each))} for each in folders.values()
        ]
        panel.props["most"] = MAX_COMPARED
        panel.props["shown"] = None

        async def show(names: list[str], base: tuple[str, str]) -> None:
            sources = [
                comparing.Source(name, self.project.reports / name, self._title(folders[name]), folders[name].touched)
                for name in names
            ]
            shown = await self._worker.run(comparing.compare, sources, base, visitor.language)
            panel.props["shown"] = shown
            panel.update()

        async def choose(given: Any) -> None:
            names = [str(name) for name in given.args["reports"] if name in folders][:MAX_COMPARED]
            await show(names, (str(given.args["base"][0]), str(given.args["base"][1])))

        panel.on("choose", choose)
        ui.timer(0, lambda: show(chosen, ("", "")), once=True)

    def _title(self, folder: ReportFolder) -> str:
        return report_files.folder_title(self.project.reports / folder.name) or verbatim(folder.name)

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
        "players": [visitor.translate(levels.called(each)) for each in glance.players],
        "bars": bars,
    }
