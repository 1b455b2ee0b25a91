"""The page of an experiment: its file, its costs and its run."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, text_of
from workbench.base.language import tr
from workbench.rules.rulesets import tried_ruleset_names
from workbench.studio import experiments, frame
from workbench.studio.drafts import Desk
from workbench.studio.experiments import (
    ExperimentSheet,
    ExperimentSheets,
)
from workbench.studio.frame import SheetPage, SheetPages, Studio
from workbench.studio.pages.experiment.view import choices_view, costs_view, sheet_view
from workbench.studio.pages.runs.page import REFRESH_SECONDS
from workbench.studio.pages.trial.page import trial_view
from workbench.studio.report_files import ways_on
from workbench.studio.runs import Shelf
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

SETTABLE = ("question", "games", "baseline")
"""Keys that the page sets besides the lists that are ticked."""


class ExperimentPanel(Element, component="experiment.js", esm=frame.SHARED):
    """What is asked, its file, and what it costs."""


class ExperimentPages(SheetPages[ExperimentSheet]):
    """The experiments that are made, changed and run on pages."""

    area, listing, panel_type = "experiment", "experiments", ExperimentPanel
    new_text, own_text = tr("New experiment"), tr("The experiment {name}")
    sheets: ExperimentSheets
    shelf: Shelf

    def __init__(self, desk: Desk, workers: Workers, shelf: Shelf) -> None:
        super().__init__(ExperimentSheets(desk.project, desk.unsaved), shelf)
        self.desk, self.workers = desk, workers

    def new(self, request: Request) -> None:
        """A new experiment, with the rulesets that the address names, or like another one but for its players."""
        visitor = Visitor.from_request(request)
        known = {one.name for game in self.desk.games() for one in self.desk.family_rulesets(game)}
        tried = tried_ruleset_names(self.desk.project)
        asked = request.query_params.getlist("ruleset")
        asked = [name for name in dict.fromkeys(asked) if name in known or name in tried]
        like = request.query_params.get("like", "")
        self.show(request, self.sheets.new_sheet(asked, visitor.language, like), visitor)

    def show(self, request: Request, sheet: ExperimentSheet, visitor: Visitor) -> None:
        """The page of a sheet."""
        of = request.query_params.get("of", "")
        trial = None if sheet.new else trial_view(self.desk, of, sheet.read().said, visitor)
        query, play = (f"?{urlencode({'of': of})}", f"/play/{trial['of']}") if trial else ("", "")
        panel = self.begin(request, sheet, visitor, query, play)
        panel.props["trial"] = trial
        panel.props["choices"] = choices_view(self.desk, visitor)
        panel.props["cost"] = panel.props["outlook"] = None
        panel.props["ways"] = []
        _ExperimentPage(self, sheet, panel, visitor)


class _ExperimentPage(SheetPage):
    """One page on one sheet."""

    area = "experiment"
    sheet: ExperimentSheet

    def __init__(self, asking: ExperimentPages, sheet: ExperimentSheet, panel: Element, visitor: Visitor) -> None:
        super().__init__(asking.sheets, sheet, panel, asking.pages, visitor, asking.shelf.play)
        self.asking = asking
        self.looked_at = ""
        """The text that the outlook is about."""
        self.on_event("tick", lambda given: sheet.tick(given["key"], str(given["word"])))
        self.on_event("untick", lambda given: sheet.untick(given["key"], int(given["place"])))
        self.on_event("set", self.set)
        panel.on("foretell", self.plan_costs)
        panel.on("report", lambda _: asking.shelf.write_report(sheet.name, visitor.language))
        panel.on("stop", lambda _: asking.shelf.stop(sheet.name))
        self.show()
        if not sheet.new:
            asking.shelf.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Looks at the report folder, before all others."""
        await self.asking.shelf.look_at(self.sheet.name)
        await self.asking.shelf.refresh()
        self.show_run()

    def show(self) -> None:
        """Draws the page anew."""
        view = sheet_view(self.sheet, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        self.panel.props["state"] = view
        if self.looked_at != self.sheet.text:
            self.panel.props["outlook"] = None
            if not view["problems"]:
                self.looked_at = self.sheet.text
                with self.client:
                    ui.timer(0, self.show_outlook, once=True)
        self.panel.update()

    def show_run(self) -> None:
        """Draws what is known of the run."""
        self.asking.shelf.update_findings(self.sheet.name)
        run, before = self.asking.shelf.entry(self.sheet.name, self.visitor), self.panel.props["run"]
        if run and run["page"] and not (before and before["page"] == run["page"] and self.panel.props["ways"]):
            self.panel.props["ways"] = ways_on(self.sheet.project, self.sheet.name, self.visitor)
        if run != before:
            self.panel.props["run"] = run
            self.panel.update()

    def set(self, given: Any) -> None:
        """Sets one of the keys that have a field of their own."""
        key, value = str(given["key"]), given["value"]
        if key in SETTABLE:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            default = key == "question" and value == "first_score"
            self.sheet.set(key, None if value in (None, "") or default else value)

    async def show_outlook(self) -> None:
        """Says what the experiment can find, and what only a game can say of its file."""
        text, sheet = self.sheet.text, self.sheet
        try:
            told = await self.asking.workers.quick.run(experiments.describe_outlook, sheet.path, sheet.project, text)
        except WorkbenchError:
            return
        if text != self.sheet.text:
            return
        self.panel.props["outlook"] = {
            "problems": self.problem_views(told["problems"]),
            "lines": [self.visitor.translate(line) for line in told["lines"]],
            "programs": told["programs"] and not self.asking.shelf.queue.programs,
        }
        self.panel.update()

    async def plan_costs(self, _: GenericEventArguments) -> None:
        """Plays a pilot in a process of its own, and shows what the experiment would cost."""
        text, sheet, worker = self.sheet.text, self.sheet, self.asking.workers.planning
        if self.sheet.read().experiment is None:
            return
        about = sheet.path, sheet.project, text
        self._cost({"state": "waiting"})
        try:
            if await worker.run(experiments.pilot_must_compile, *about):
                self._cost({"state": "compiling"})
            plan = await worker.run(experiments.plan_costs, *about, self.asking.shelf.queue.programs)
        except WorkbenchError as error:
            self._cost({"state": "wrong", "why": self.visitor.translate(text_of(error))})
            return
        self._cost({"state": "told", "text": text, **costs_view(plan, self.visitor)})

    def _cost(self, told: dict[str, Any]) -> None:
        self.panel.props["cost"] = told
        self.panel.update()


def register(studio: Studio) -> None:
    """Gives each page its address."""
    pages = ExperimentPages(studio.desk, studio.workers, studio.experiments)
    studio.on_saved.append(lambda draft, name, language: studio.experiments.rename_tried(name, language))
    ui.page("/new-experiment")(pages.new)
    ui.page("/experiment/{name}")(pages.of)
