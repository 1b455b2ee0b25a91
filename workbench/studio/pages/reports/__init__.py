"""The list of reports and the page of a report."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nicegui import app, ui

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.language import tr
from workbench.report.render.documents import shadow_style
from workbench.studio import frame, game_tasks, interim_report, opponents, report_files
from workbench.studio.auth import REPORTS
from workbench.studio.frame import Studio, component
from workbench.studio.report_files import ReportFolder, ReportSummary, next_steps
from workbench.studio.visitor import View, Visitor, localized

ReportsPanel = component("reports.js", __file__)
ReportPanel = component("report.js", __file__)
NO_REPORT = tr("There is no report “{name}”.")
NO_GAME = tr("The report has no such game.")
NO_EFFECT = tr("In the compared games, the rule does not change the player's moves.")


class ReportPages:
    """The pages of a project's reports."""

    def __init__(self, studio: Studio) -> None:
        self.project, self.worker, self.player = studio.project, studio.workers.reading, studio.workers.strong

    async def file(self, request: Request, address: str) -> Response:
        """Send a report file or the guide."""
        path = await asyncio.to_thread(report_files.resolve_address, self.project, address)
        content = await asyncio.to_thread(report_files.read_content, path) if path else None
        if path is None or content is None:
            return Response(status_code=404)
        if path.name != report_files.PAGE:
            content = await asyncio.to_thread(report_files.guide_page, path, content, Visitor.from_request(request))
        return Response(content, media_type="text/html; charset=utf-8", headers={"Cache-Control": "no-store"})

    async def games(self, request: Request, name: str, game: str = "", proposal: str = "") -> Response:
        """Send the list of a report's games, a replayed game, or two games that show a proposal's effect."""
        language = Visitor.from_request(request).language
        folder = await asyncio.to_thread(report_files.folder_with_games, self.project, name)
        if folder is None:
            return Response(status_code=404)
        try:
            answer = await self.player.run(game_tasks.list_cells, folder)
            if proposal:
                known = proposal in [entry["ruleset"] for entry in answer["proposals"]]
                answer = known and await self.player.run(game_tasks.find_effect, folder, proposal, language)
                answer = answer or {"text": NO_EFFECT}
            elif game:
                number = game_number(answer, game)
                answer = {"text": NO_GAME}
                if number is not None:
                    answer = await self.player.run(game_tasks.replay_game, folder, number, language)
        except WorkbenchError as error:
            answer = {"text": error_text(error)}
        return JSONResponse(localized(answer, language))

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
            report=self._folder_view(folders[name], report_files.UNREAD, visitor),
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
            "games": folder.games,
            "compare": "/compare?" + urlencode({"report": folder.name}),
            "page": f"{REPORTS}{address}/{report_files.PAGE}?{folder.touched:.0f}",
            "answer": visitor.translate(summary.answer),
            "players": [visitor.translate(opponents.display_name(player)) for player in summary.players],
            "bars": visitor.localize(list(summary.bars)),
        }


def game_number(listing: View, identifier: str) -> game_tasks.Number | None:
    """Return a game's number from its identifier in links, or None if the report lacks the game."""
    for cell in listing["cells"]:
        prefix = game_tasks.game_id((cell["ruleset"], cell["first"], cell["second"], 0)).removesuffix("0")
        number = identifier.removeprefix(prefix)
        if number != identifier and number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= cell["count"]:
            return cell["ruleset"], cell["first"], cell["second"], int(number[:9])
    return None


def register(studio: Studio) -> None:
    """Register the pages and files."""
    pages = ReportPages(studio)
    app.get(REPORTS + "{address:path}")(pages.file)
    app.get("/report-style.css")(lambda: Response(shadow_style(), media_type="text/css"))
    app.get("/report-games/{name:path}")(pages.games)
    app.get("/replay/{name:path}")(lambda name: RedirectResponse(f"/report/{quote(name)}?games"))
    ui.page("/reports")(pages.reports)
    ui.page("/report/{name:path}")(pages.report)
