"""The list of reports and the page of a report."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import Response
from nicegui import app, ui

from workbench.base.language import tr
from workbench.report.render.documents import shadow_style
from workbench.studio import frame, interim_report, opponents, report_files
from workbench.studio.auth import REPORTS
from workbench.studio.frame import Studio, component
from workbench.studio.report_files import ReportFolder, ReportSummary, next_steps
from workbench.studio.visitor import Visitor

ReportsPanel = component("reports.js", __file__)
ReportPanel = component("report.js", __file__)
NO_REPORT = tr("There is no report “{name}”.")


class ReportPages:
    """The pages of a project's reports."""

    def __init__(self, studio: Studio) -> None:
        self.project, self.worker = studio.project, studio.workers.reading

    async def file(self, request: Request, address: str) -> Response:
        """Send a report file or the guide."""
        path = await asyncio.to_thread(report_files.resolve_address, self.project, address)
        content = await asyncio.to_thread(report_files.read_content, path) if path else None
        if path is None or content is None:
            return Response(status_code=404)
        visitor = Visitor.from_request(request)
        if path.name == report_files.PAGE:
            content = await asyncio.to_thread(report_files.adapt_page, content, visitor)
        else:
            content = await asyncio.to_thread(report_files.guide_page, path, content, visitor)
        return Response(content, media_type="text/html; charset=utf-8", headers={"Cache-Control": "no-store"})

    async def reports(self, request: Request) -> None:
        """List the reports, first without and then with their answers."""
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "answers", "/reports", title=tr("Reports"))
        panel = ReportsPanel(language=visitor.language)
        folders = await asyncio.to_thread(report_files.list_folders, self.project)

        def show(summaries: list[ReportSummary]) -> None:
            views = zip(folders, summaries, strict=True)
            panel.show(reports=[self._folder_view(*view, visitor) for view in views])

        async def read() -> None:
            show(await self.worker.run(report_files.read_summaries, self.project.reports, folders))

        show([report_files.UNREAD] * len(folders))
        ui.timer(0, read, once=True)

    async def report(self, request: Request, name: str) -> None:
        """Show a report."""
        visitor = Visitor.from_request(request)
        listed = await asyncio.to_thread(report_files.list_folders, self.project)
        folders = {folder.name: folder for folder in listed}
        if name not in folders:
            near = [folders[similar] for similar in frame.nearest_first(name, folders)]
            links = [
                (f"/report/{quote(folder.name)}", report_files.report_title(self.project, folder)) for folder in near
            ]
            links.append(("/reports", tr("Reports")))
            frame.not_found_page(visitor, "reports", NO_REPORT.format(name=name), similar=links)
            return
        title = report_files.report_title(self.project, folders[name])
        frame.begin_page(visitor, "answers", f"/report/{quote(name)}", title=title)
        guide = "how-to-read.ja.md" if visitor.language == "ja" else "how-to-read.md"
        path = await asyncio.to_thread(report_files.resolve_address, self.project, guide)
        ReportPanel(
            reports=[self._folder_view(folder, report_files.UNREAD, visitor) for folder in listed],
            first=name,
            steps=await asyncio.to_thread(next_steps, self.project, name, visitor),
            guide=REPORTS + guide if path else "",
        )
        # The user may compare its rulesets next.
        self.worker.begin(interim_report.load_statistics)

    def _folder_view(self, folder: ReportFolder, summary: ReportSummary, visitor: Visitor) -> dict[str, Any]:
        address = quote(folder.name)
        return {
            "name": folder.name,
            "title": visitor.translate(report_files.report_title(self.project, folder)),
            "touched": folder.touched,
            "url": f"/report/{address}",
            "games": f"/replay/{address}" if folder.games else "",
            "compare": "/compare?" + urlencode({"report": folder.name}),
            "page": f"{REPORTS}{address}/{report_files.PAGE}?{folder.touched:.0f}",
            "answer": visitor.translate(summary.answer),
            "players": [visitor.translate(opponents.display_name(player)) for player in summary.players],
            "bars": visitor.localize(list(summary.bars)),
        }


def register(studio: Studio) -> None:
    """Register the pages and files."""
    pages = ReportPages(studio)
    app.get(REPORTS + "{address:path}")(pages.file)
    app.get("/paper.css")(lambda: Response(shadow_style(), media_type="text/css"))
    ui.page("/reports")(pages.reports)
    ui.page("/report/{name:path}")(pages.report)
