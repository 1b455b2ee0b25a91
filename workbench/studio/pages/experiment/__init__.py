"""The page of an experiment: its question, its run and answer, and its file behind "More"."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import ui

from workbench.base.language import tr
from workbench.rules.rulesets import tried_ruleset_names
from workbench.studio.documents.experiments import ExperimentDocument, new_experiment
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.editor import FilePage, FilePages
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.experiment.view import choices_view, experiment_view
from workbench.studio.runs import REFRESH_SECONDS
from workbench.studio.visitor import Visitor

ExperimentPanel = component("experiment.js", __file__)
SETTABLE = ("question", "games", "baseline")
"""Keys that have a field on the page."""


class ExperimentPages(FilePages[ExperimentDocument]):
    """The pages that create, edit and run experiments."""

    area, listing, panel_type, document_type = "experiment", "experiments", ExperimentPanel, ExperimentDocument
    new_text = tr("New experiment")
    store: DraftStore

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio.store, studio.runs)

    def new(self, request: Request) -> None:
        """Draw the page of a new experiment on the rulesets in the address, or the unfinished one."""
        visitor = Visitor.from_request(request)
        names = {ruleset.name for game in self.store.games() for ruleset in self.store.family_rulesets(game)}
        names.update(tried_ruleset_names(self.store.project))
        rulesets = [name for name in dict.fromkeys(request.query_params.getlist("ruleset")) if name in names]
        self.show(request, new_experiment(self.store, rulesets, visitor.language), visitor)

    def show(self, request: Request, document: ExperimentDocument, visitor: Visitor) -> None:
        """Draw a document's page."""
        panel = self.begin(request, document, visitor)
        panel.show(choices=choices_view(self.store, visitor))
        _ExperimentPage(self, document, panel, visitor)


class _ExperimentPage(FilePage):
    """An open experiment page."""

    document: ExperimentDocument

    def __init__(self, pages: ExperimentPages, document: ExperimentDocument, panel: Panel, visitor: Visitor) -> None:
        super().__init__(pages, document, panel, visitor)
        self.on_event("tick", document.tick)
        self.on_event("strong", document.set_strong_players)
        self.on_event("set", self.set)
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
        self.panel.show(state=view)

    def show_run(self) -> None:
        """Redraw the state of the run."""
        run = self.runs.entry(self.document.name, self.visitor)
        if run != self.panel.props["run"]:
            self.panel.show(run=run)

    def set(self, key: str, value: Any) -> None:
        """Set a key that has a field on the page."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if key == "plies":
            self.document.set_plies(value)
        elif key in SETTABLE:
            is_default = key == "question" and value == "first_score"
            self.document.set(key, None if value in (None, "") or is_default else value)


def register(studio: Studio) -> None:
    """Register the pages."""
    pages = ExperimentPages(studio)
    ui.page("/new-experiment")(pages.new)
    ui.page("/experiment/{name}")(pages.of)
