"""The list of answers and the page of a report."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, display_path, error_text
from workbench.base.language import tr
from workbench.report.render.documents import shadow_style
from workbench.studio import frame, game_tasks, report_files
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.jobs import file_of
from workbench.studio.runs import REFRESH_SECONDS, Runs, list_names
from workbench.studio.visitor import Visitor, localized

AnswersPanel = component("answers.js", __file__)
ReportPanel = component("report.js", __file__)
NO_REPORT = tr("There is no answer “{name}”.")


def _on_buttons(runs: Runs, panel: Panel, visitor: Visitor) -> None:
    """Let a page's buttons queue a run, which the page shows if it cannot be played, and stop it."""

    def play(event: GenericEventArguments) -> None:
        trouble = ""
        try:
            runs.queue.add(str(event.args), visitor.language)
        except WorkbenchError as error:
            trouble = visitor.translate(error.told(visitor.language))
        panel.show(trouble=trouble)

    panel.on("play", play)
    panel.on("stop", lambda event: runs.queue.stop(str(event.args)))


def register(studio: Studio) -> None:
    """Register the pages and files."""
    project, runs = studio.project, studio.runs

    async def file(address: str) -> Response:
        """Send a report."""
        path = await asyncio.to_thread(report_files.resolve_address, project, address)
        content = await asyncio.to_thread(report_files.read_content, path) if path else None
        if content is None:
            return Response(status_code=404)
        return Response(content, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})

    async def games(request: Request, name: str, game: str = "") -> Response:
        """Send what to choose from in a report's games, and one of them or two that show a proposal's effect."""
        language = Visitor.from_request(request).language
        folder = await asyncio.to_thread(report_files.folder_with_games, project, name)
        if folder is None:
            return Response(status_code=404)
        try:
            answer = await studio.workers.strong.run(game_tasks.report_games, folder, game, language)
        except WorkbenchError as error:
            answer = {"text": error_text(error)}
        return JSONResponse(localized(answer, language))

    async def report(request: Request, name: str) -> None:
        """Show a run and its report."""
        visitor = Visitor.from_request(request)
        names = await asyncio.to_thread(list_names, project)
        if name not in names:
            near = frame.nearest_first(name, names)
            links = [(f"/report/{quote(one)}", report_files.read_head(project, one)[0]) for one in near]
            links.append(("/answers", tr("Answers")))
            frame.not_found_page(visitor, "answers", NO_REPORT.format(name=name), similar=links)
            return
        run = runs.entry(name, visitor)
        title = run["title"] if run else report_files.read_head(project, name)[0]
        frame.begin_page(visitor, "answers", f"/report/{quote(name)}", title=title)
        has_games, (_, file) = report_files.folder_with_games(project, name), file_of(name, project)
        panel = ReportPanel(
            heading=visitor.translate(title),
            file=display_path(file) if file.is_file() else "",
            run=run,
            page=report_files.page_address(project, name),
            compare="/compare?" + urlencode({"report": name}) if has_games else "",
            **visitor.localize(await asyncio.to_thread(report_files.describe, project, name)),
            trouble="",
        )
        for draw in studio.on_run:
            draw(name, visitor)

        def show() -> None:
            run = runs.entry(name, visitor)
            if run is not None and run != panel.props["run"]:
                panel.show(run=run, page=run["page"])

        async def look() -> None:
            await runs.scan_run(name)
            await runs.refresh()

        runs.watch(panel.client, show)
        _on_buttons(runs, panel, visitor)
        ui.timer(REFRESH_SECONDS, look, immediate=True)

    async def answers(request: Request) -> None:
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "answers", "/answers", title=tr("Answers"))
        await runs.begin()
        panel = AnswersPanel(language=visitor.language, trouble="", rows=runs.rows(visitor), read=runs.scanned)

        def show() -> None:
            state = {"rows": runs.rows(visitor), "read": runs.scanned}
            if any(panel.props[key] != value for key, value in state.items()):
                panel.show(**state)

        _on_buttons(runs, panel, visitor)
        runs.watch(panel.client, show)
        ui.timer(REFRESH_SECONDS, runs.refresh, immediate=True)

    app.get(report_files.REPORTS + "{address:path}")(file)
    app.get("/report-style.css")(lambda: Response(shadow_style(), media_type="text/css"))
    app.get("/report-games/{name:path}")(games)
    ui.page("/answers")(answers)
    ui.page("/report/{name:path}")(report)
