"""The pages of reports: a gallery of their charts, and one report, or two beside each other, within the page."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response
from nicegui import app, ui
from nicegui.element import Element

from workbench.files.project import Project
from workbench.language import verbatim
from workbench.studio import frame, report_files
from workbench.studio.gate import REPORTS
from workbench.studio.report_files import ReportFolder
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS, translated_words
from workbench.studio.workers import Worker

SMALL = "/small-charts/"
"""Where the charts of the gallery are served."""
CHARTS = {
    "first_score": WORDS["chart_first_score"],
    "gain": WORDS["chart_gain"],
    "lengths": WORDS["chart_lengths"],
    "openings": WORDS["chart_openings"],
    "portraits": WORDS["chart_portraits"],
}
"""What charts are called, by the names of their files; others by their file's."""


class GalleryPanel(Element, component="parts/gallery.js", esm=frame.SHARED):
    """All reports with their charts."""


class ReportPanel(Element, component="parts/report.js"):
    """A report, or two."""


class ReportPages:
    """The reports of a project."""

    def __init__(self, project: Project, worker: Worker) -> None:
        """``worker`` makes charts small."""
        self.project = project
        self._worker = worker

    def register(self) -> None:
        """Gives each page its address."""
        app.get(REPORTS + "{address:path}")(self.file)
        app.get(SMALL + "{address:path}")(self.thumbnail_response)
        ui.page("/reports")(self.gallery)
        ui.page("/report/{name:path}")(self.report)

    async def file(self, request: Request, address: str) -> Response:
        """A report, a chart or the guide, as it lies in the reports."""
        path = await asyncio.to_thread(report_files.resolve_address, self.project, address)
        content = await asyncio.to_thread(report_files.read_content, path) if path else None
        if path is None or content is None:
            return Response(status_code=404)
        if path.name == report_files.PAGE:
            content = await asyncio.to_thread(report_files.adapt_page, content, Visitor.from_request(request))
        kind = report_files.TYPES[path.suffix[1:]]
        return Response(content, media_type=kind, headers={"Cache-Control": "no-store"})

    async def thumbnail_response(self, address: str) -> Response:
        """A chart, small enough for the gallery."""
        path = await asyncio.to_thread(report_files.resolve_address, self.project, address)
        if path is None or path.suffix != ".png":
            return Response(status_code=404)
        drawn = await self._worker.run(report_files.thumbnail, path, path.stat().st_mtime_ns)
        if drawn is None:
            return Response(status_code=404)
        # Its address says when it was drawn.
        headers = {"Cache-Control": "max-age=86400"}
        return Response(drawn, media_type="image/png", headers=headers)

    async def gallery(self, request: Request) -> None:
        """The charts of all reports."""
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "reports", "/reports", "", title=visitor.translate(WORDS["reports"]))
        found = await asyncio.to_thread(report_files.list_folders, self.project)
        panel = GalleryPanel()
        panel.props["words"] = translated_words(visitor.language)
        panel.props["language"] = visitor.language
        panel.props["reports"] = [self._folder_view(folder, visitor) for folder in found]

    async def report(self, request: Request, name: str) -> None:
        """A report, and beside it another one, if the address names one."""
        visitor = Visitor.from_request(request)
        found = await asyncio.to_thread(report_files.list_folders, self.project)
        pages = {folder.name: folder for folder in found if folder.page}
        if name not in pages:
            frame.begin_page(visitor, "reports", "/reports", "")
            ui.context.client.status_code = 404
            frame.note_page(visitor.translate(WORDS["no_report"]), [name])
            return
        beside = request.query_params.get("beside", "")
        title = visitor.translate(self._title(pages[name]))
        here = f"/report/{quote(name)}" + (f"?beside={quote(beside, safe='')}" if beside in pages else "")
        frame.begin_page(visitor, "reports", here, "", title=title)
        panel = ReportPanel()
        panel.props["words"] = translated_words(visitor.language)
        panel.props["reports"] = [self._folder_view(folder, visitor) for folder in pages.values()]
        panel.props["first"] = name
        panel.props["second"] = beside if beside in pages else ""
        guide = "how-to-read.ja.md" if visitor.language == "ja" else "how-to-read.md"
        path = await asyncio.to_thread(report_files.resolve_address, self.project, guide)
        panel.props["guide"] = REPORTS + guide if path else ""

    def _title(self, folder: ReportFolder) -> str:
        return report_files.folder_title(self.project.reports / folder.name) or verbatim(folder.name)

    def _folder_view(self, folder: ReportFolder, visitor: Visitor) -> dict[str, Any]:
        at = quote(folder.name)
        return {
            "name": folder.name,
            "title": visitor.translate(self._title(folder)),
            "touched": folder.touched,
            "url": f"/report/{at}" if folder.page else "",
            "games": f"/replay/{at}" if folder.games else "",
            "page": f"{REPORTS}{at}/{report_files.PAGE}?{folder.touched:.0f}",
            "charts": [
                {
                    "title": visitor.translate(_chart_title(chart)),
                    "small": f"{SMALL if chart.endswith('.png') else REPORTS}{at}/{quote(chart)}?{changed}",
                    "full": f"{REPORTS}{at}/{quote(chart)}?{changed}",
                }
                for chart, changed in folder.charts
            ],
        }


def _chart_title(chart: str) -> str:
    stem = chart.rpartition(".")[0]
    return CHARTS.get(stem) or verbatim(stem.replace("_", " "))
