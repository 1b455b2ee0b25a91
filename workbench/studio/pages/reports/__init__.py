"""The pages of reports: the list, and one report."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response
from nicegui import app, ui
from nicegui.element import Element

from workbench.base.language import tr
from workbench.base.project import Project
from workbench.report.render.documents import style_of_copies
from workbench.studio import frame, interim_report, opponents, report_files
from workbench.studio.auth import REPORTS
from workbench.studio.frame import Studio
from workbench.studio.pages.compare import compare_address
from workbench.studio.report_files import Glance, ReportFolder, next_steps
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Worker

NO_REPORT = tr("There is no report “{name}”.")


class ReportsPanel(Element, component="reports.js", esm=frame.SHARED):
    """All reports, a line each."""


class ReportPanel(Element, component="report.js", esm=frame.SHARED):
    """A report."""


class ReportPages:
    """The reports of a project."""

    def __init__(self, project: Project, worker: Worker) -> None:
        """``worker`` reads reports and their records."""
        self.project = project
        self._worker = worker

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
            ways = [(f"/report/{quote(folder.name)}", report_files.title_of(self.project, folder)) for folder in near]
            ways.append(("/reports", tr("Reports")))
            frame.not_found_page(visitor, "reports", "/reports", NO_REPORT.format(name=name), near=ways)
            return
        title = visitor.translate(report_files.title_of(self.project, shown))
        frame.begin_page(visitor, "reports", f"/report/{quote(name)}", "", title=title)
        panel = ReportPanel()
        panel.props["reports"] = [self._folder_view(folder, visitor) for folder in found]
        panel.props["first"] = name
        panel.props["steps"] = await asyncio.to_thread(next_steps, self.project, name, visitor)
        guide = "how-to-read.ja.md" if visitor.language == "ja" else "how-to-read.md"
        path = await asyncio.to_thread(report_files.resolve_address, self.project, guide)
        panel.props["guide"] = REPORTS + guide if path else ""
        # Its rulesets may be compared next.
        self._worker.begin(interim_report.load_statistics)

    def _folder_view(self, folder: ReportFolder, visitor: Visitor) -> dict[str, Any]:
        at = quote(folder.name)
        return {
            "name": folder.name,
            "title": visitor.translate(report_files.title_of(self.project, folder)),
            "touched": folder.touched,
            "url": f"/report/{at}",
            "games": f"/replay/{at}" if folder.games else "",
            "compare": compare_address([folder.name]),
            "page": f"{REPORTS}{at}/{report_files.PAGE}?{folder.touched:.0f}",
        }


def _glance_view(glance: Glance, visitor: Visitor) -> dict[str, Any]:
    bars = [(visitor.translate(title), *numbers, visitor.translate(sure)) for title, *numbers, sure in glance.bars]
    return {
        "answer": visitor.translate(glance.answer),
        "players": [visitor.translate(opponents.display_name(each)) for each in glance.players],
        "bars": bars,
    }


def register(studio: Studio) -> None:
    """Give each page its address."""
    pages = ReportPages(studio.project, studio.workers.reading)
    app.get(REPORTS + "{address:path}")(pages.file)
    app.get("/paper.css")(lambda: Response(style_of_copies(), media_type="text/css"))
    ui.page("/reports")(pages.reports)
    ui.page("/report/{name:path}")(pages.report)
