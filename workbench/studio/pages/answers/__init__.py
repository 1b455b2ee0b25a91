"""The list of answers and the page of a report."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, display_path, error_text
from workbench.base.language import tr
from workbench.experiments.experiment import experiment_names
from workbench.report.render.documents import shadow_style
from workbench.studio import asks, frame, game_tasks, interim_report, opponents, report_files
from workbench.studio.auth import REPORTS
from workbench.studio.frame import Studio, component
from workbench.studio.report_files import ReportFolder, ReportSummary, next_steps
from workbench.studio.runs import REFRESH_SECONDS, Runs
from workbench.studio.visitor import View, Visitor, localized

AnswersPanel = component("answers.js", __file__)
ReportPanel = component("report.js", __file__)
NO_REPORT = tr("There is no answer “{name}”.")


class ReportPages:
    """The pages of a project's reports."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
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

    async def games(self, request: Request, name: str, game: str = "") -> Response:
        """Send what to choose from in a report's games, and one of them or two that show a proposal's effect."""
        language = Visitor.from_request(request).language
        folder = await asyncio.to_thread(report_files.folder_with_games, self.project, name)
        if folder is None:
            return Response(status_code=404)
        try:
            answer = await self.player.run(game_tasks.report_games, folder, game, language)
        except WorkbenchError as error:
            answer = {"text": error_text(error)}
        return JSONResponse(localized(answer, language))

    async def report(self, request: Request, name: str) -> None:
        """Show a run and its report."""
        visitor, runs = Visitor.from_request(request), self.studio.experiments
        listed = await asyncio.to_thread(report_files.list_folders, self.project)
        folders = {folder.name: folder for folder in listed}
        file = self.project.experiments / f"{name}.yaml"
        has_file = name in await asyncio.to_thread(experiment_names, self.project)
        if name not in folders and not has_file:
            near = [folders[similar] for similar in frame.nearest_first(name, folders)]
            links = [
                (f"/report/{quote(folder.name)}", report_files.report_title(self.project, folder)) for folder in near
            ]
            links.append(("/answers", tr("Answers")))
            frame.not_found_page(visitor, "answers", NO_REPORT.format(name=name), similar=links)
            return
        folder = folders.get(name, ReportFolder(name, False, 0.0))
        title = report_files.report_title(self.project, folder)
        frame.begin_page(visitor, "answers", f"/report/{quote(name)}", title=title)
        guide = "how-to-read.ja.md" if visitor.language == "ja" else "how-to-read.md"
        path = await asyncio.to_thread(report_files.resolve_address, self.project, guide)
        panel = ReportPanel(
            heading=visitor.translate(title),
            file=display_path(file) if has_file else "",
            run=None,
            page=f"{REPORTS}{quote(name)}/{report_files.PAGE}?{folder.touched:.0f}" if folder.touched else "",
            compare="/compare?" + urlencode({"report": name}) if folder.games else "",
            steps=await asyncio.to_thread(next_steps, self.project, name, visitor),
            guide=REPORTS + guide if path else "",
            trouble="",
        )
        # The user may compare its rulesets next.
        self.worker.begin(interim_report.load_statistics)
        if not has_file:
            return

        def show() -> None:
            run = runs.entry(name, visitor)
            if run != panel.props["run"]:
                panel.show(run=run, **({"page": run["page"]} if run else {}))

        async def look() -> None:
            await runs.scan_run(name)
            await runs.refresh()
            show()

        async def play() -> None:
            panel.show(trouble=await _play(runs, name, visitor))

        panel.on("play", play)
        panel.on("stop", lambda _: runs.stop(name))
        runs.watch(panel.client, show)
        ui.timer(REFRESH_SECONDS, look, immediate=True)


async def _play(runs: Runs, name: str, visitor: Visitor) -> str:
    """Queue a run, and return the reason in words if it cannot be played."""
    try:
        await runs.play(name, visitor.language)
    except WorkbenchError as error:
        return visitor.translate(error.told(visitor.language))
    return ""


class AnswerList:
    """An open list of what runs, what waits and what was answered."""

    def __init__(self, studio: Studio, visitor: Visitor) -> None:
        self.project, self.worker, self.visitor = studio.project, studio.workers.reading, visitor
        self.kinds = {runs.listing: runs for runs in studio.runs}
        self.titles: dict[ReportFolder, str] = {}
        """The titles of all reports, latest first."""
        self.summaries: dict[ReportFolder, ReportSummary] = {}
        self.panel = panel = AnswersPanel(language=visitor.language, trouble="", rows=[], read=False)
        panel.on("play", self.play)
        panel.on("stop", lambda event: self.kinds[event.args["kind"]].stop(str(event.args["name"])))
        panel.on("move", self.move)
        for runs in studio.runs:
            runs.watch(panel.client, self.show)

    async def list_titles(self) -> None:
        """List the reports with their titles, which takes no time."""
        self.titles = await asyncio.to_thread(report_files.report_titles, self.project)
        self.show()

    async def refresh(self) -> None:
        """Read what has changed in the folders."""
        await self.list_titles()
        new = [folder for folder in self.titles if folder not in self.summaries]
        read = await self.worker.run(report_files.read_summaries, self.project.reports, new)
        self.summaries.update(zip(new, read, strict=True))
        self.show()
        await asyncio.gather(*(runs.refresh() for runs in self.kinds.values()))

    def show(self) -> None:
        """Send the rows if they have changed."""
        rows, read = self._rows(), all(runs.scanned for runs in self.kinds.values())
        if (rows, read) != (self.panel.props["rows"], self.panel.props["read"]):
            self.panel.show(rows=rows, read=read)

    async def play(self, event: GenericEventArguments) -> None:
        """Queue a run."""
        runs = self.kinds[event.args["kind"]]
        self.panel.show(trouble=await _play(runs, str(event.args["name"]), self.visitor))

    def move(self, event: GenericEventArguments) -> None:
        """Move a run in the queue."""
        self.kinds[event.args["kind"]].move(str(event.args["name"]), int(event.args["place"]))

    def _rows(self) -> list[View]:
        """Return all runs, and the reports that are not of a run; a question is listed with its strongest answer."""
        reports = {folder.name: self._report_view(folder) for folder in self.titles}
        rows: list[View] = []
        questions: dict[str, list[View]] = {}
        for kind, runs in self.kinds.items():
            for row in runs.rows(self.visitor):
                key = f"{runs.under}/{row['name']}".removeprefix("/")
                report = reports.pop(key, {"key": key, "scores": [], "players": []})
                rows.append(report | row | {"kind": kind, "listed": False})
                questions.setdefault(asks.question_of(key), []).append(rows[-1])
        for levels in questions.values():
            begun = [row for row in levels if row["report"] or row["percent"]] or levels
            max(begun, key=lambda row: (row["report"] != "", asks.level_of(row["name"]) or 0))["listed"] = True
        return rows + list(reports.values())

    def _report_view(self, folder: ReportFolder) -> View:
        """Return a report as the row of a run that has ended."""
        summary, url = self.summaries.get(folder, report_files.UNREAD), f"/report/{quote(folder.name)}"
        players = [opponents.display_name(player) for player in summary.players]
        view = {
            "key": folder.name, "name": folder.name, "kind": "", "listed": True, "title": self.titles[folder],
            "url": url, "report": url, "games": "", "compared": folder.games, "touched": folder.touched,
            "answer": summary.answer, "players": players, "scores": list(summary.bars), "state": "done", "place": 0,
            "shipped": False,
        }  # fmt: skip
        return self.visitor.localize(view)


def register(studio: Studio) -> None:
    """Register the pages and files."""
    pages = ReportPages(studio)
    app.get(REPORTS + "{address:path}")(pages.file)
    app.get("/report-style.css")(lambda: Response(shadow_style(), media_type="text/css"))
    app.get("/report-games/{name:path}")(pages.games)
    app.get("/replay/{name:path}")(lambda name: RedirectResponse(f"/report/{quote(name)}?games"))

    async def answers(request: Request) -> None:
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "answers", "/answers", title=tr("Answers"))
        listed = AnswerList(studio, visitor)
        await listed.list_titles()
        ui.timer(REFRESH_SECONDS, listed.refresh, immediate=True)

    ui.page("/answers")(answers)
    ui.page("/report/{name:path}")(pages.report)
