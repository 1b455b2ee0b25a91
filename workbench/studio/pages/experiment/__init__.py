"""The page of an experiment with its file, costs and run."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.language import tr
from workbench.rules.rulesets import tried_ruleset_names
from workbench.studio import tryouts
from workbench.studio.documents.experiments import ExperimentDocument, new_experiment
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.editor import FilePage, FilePages
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.experiment.view import choices_view, costs_view, experiment_view
from workbench.studio.pages.trial import trial_view
from workbench.studio.report_files import next_steps
from workbench.studio.runs import REFRESH_SECONDS, ExperimentRuns
from workbench.studio.visitor import Visitor

ExperimentPanel = component("experiment.js", __file__)
SETTABLE = ("question", "games", "baseline")
"""Keys that have a field on the page."""


class ExperimentPages(FilePages[ExperimentDocument]):
    """The pages that create, edit and run experiments."""

    area, listing, panel_type, document_type = "experiment", "experiments", ExperimentPanel, ExperimentDocument
    new_text, own_text = tr("New experiment"), tr("The experiment {name}")
    store: DraftStore
    runs: ExperimentRuns

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio.store, studio.experiments)
        self.workers = studio.workers

    def new(self, request: Request) -> None:
        """Draw the page of a new experiment on the rulesets in the address, or of one that repeats another."""
        visitor = Visitor.from_request(request)
        names = {ruleset.name for game in self.store.games() for ruleset in self.store.family_rulesets(game)}
        names.update(tried_ruleset_names(self.store.project))
        rulesets = [name for name in dict.fromkeys(request.query_params.getlist("ruleset")) if name in names]
        like = request.query_params.get("like", "")
        self.show(request, new_experiment(self.store, rulesets, visitor.language, like), visitor)

    def show(self, request: Request, document: ExperimentDocument, visitor: Visitor) -> None:
        """Draw a document's page."""
        of = request.query_params.get("of", "")
        trial = None if document.new else trial_view(self.store, of, document.read().keys, visitor)
        panel = self.begin(request, document, visitor, f"?{urlencode({'of': of})}" if trial else "")
        panel.show(trial=trial, choices=choices_view(self.store, visitor), cost=None, outlook=None, steps=[])
        _ExperimentPage(self, document, panel, visitor)


class _ExperimentPage(FilePage):
    """An open experiment page."""

    document: ExperimentDocument
    runs: ExperimentRuns

    def __init__(self, pages: ExperimentPages, document: ExperimentDocument, panel: Panel, visitor: Visitor) -> None:
        super().__init__(pages, document, panel, visitor)
        self.workers = pages.workers
        self.described = ""
        """The text described by the outlook."""
        self.on_event("tick", document.tick)
        self.on_event("untick", document.untick)
        self.on_event("set", self.set)
        panel.on("foretell", self.plan_costs)
        panel.on("report", lambda _: self.runs.write_report(document.name, visitor.language))
        self.show()
        if not document.new:
            self.runs.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Read the report folder, then all others."""
        await self.runs.scan_run(self.document.name)
        await self.runs.refresh()
        self.show_run()

    def show(self) -> None:
        """Redraw the page."""
        view = experiment_view(self.document, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        if self.described != self.document.text:
            self.panel.props["outlook"] = None
            if not view["problems"]:
                self.described = self.document.text
                with self.client:
                    ui.timer(0, self.show_outlook, once=True)
        self.panel.show(state=view)

    def show_run(self) -> None:
        """Redraw the state of the run."""
        self.runs.update_interim(self.document.name)
        run, previous = self.runs.entry(self.document.name, self.visitor), self.panel.props["run"]
        if run and run["page"] and not (previous and previous["page"] == run["page"] and self.panel.props["steps"]):
            self.panel.props["steps"] = next_steps(self.document.project, self.document.name, self.visitor)
        if run != previous:
            self.panel.show(run=run)

    def set(self, key: str, value: Any) -> None:
        """Set a key that has a field on the page."""
        if key in SETTABLE:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            is_default = key == "question" and value == "first_score"
            self.document.set(key, None if value in (None, "") or is_default else value)

    async def show_outlook(self) -> None:
        """Show the effects that the experiment can detect, and problems that only positions reveal."""
        document = self.document
        text = document.text
        try:
            outlook = await self.workers.quick.run(tryouts.describe_outlook, document.path, document.project, text)
        except WorkbenchError:
            return
        if text == document.text:
            view = {
                "problems": self.problem_views(outlook["problems"]),
                "lines": self.visitor.localize(outlook["lines"]),
                "programs": outlook["programs"] and not self.runs.queue.programs,
            }
            self.panel.show(outlook=view)

    async def plan_costs(self, _: GenericEventArguments) -> None:
        """Play a pilot in a worker and show the experiment's costs."""
        document, worker = self.document, self.workers.planning
        text = document.text
        if document.read().experiment is None:
            return
        arguments = document.path, document.project, text
        self.panel.show(cost={"state": "waiting"})
        try:
            if await worker.run(tryouts.pilot_must_compile, *arguments):
                self.panel.show(cost={"state": "compiling"})
            plan = await worker.run(tryouts.plan_costs, *arguments, self.runs.queue.programs)
        except WorkbenchError as error:
            self.panel.show(cost={"state": "wrong", "why": self.visitor.translate(error_text(error))})
            return
        self.panel.show(cost={"state": "told", "text": text, **costs_view(plan, self.visitor)})


def register(studio: Studio) -> None:
    """Register the pages."""
    pages = ExperimentPages(studio)
    studio.on_saved.append(lambda draft, name, language: studio.experiments.rename_tried(name, language))
    ui.page("/new-experiment")(pages.new)
    ui.page("/experiment/{name}")(pages.of)
