"""The page of a rule search with its file, run and results."""

from __future__ import annotations

from typing import cast
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.search import document as searches
from workbench.addons.search import progress
from workbench.addons.search.document import SearchDocument
from workbench.addons.search.progress import STAGES, SelectedRuleset
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import tr
from workbench.base.project import SEARCHES
from workbench.base.yamlfile import snapshot
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.editor import FilePage, FilePages
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.runs import REFRESH_SECONDS
from workbench.studio.visitor import Visitor

SearchPanel = component("search.js", __file__)


class SearchPages(FilePages[SearchDocument]):
    """The pages of searches."""

    area, listing, panel_type, document_type = "search", "searches", SearchPanel, SearchDocument
    new_text = tr("New search")
    under = f"{SEARCHES}/"
    store: DraftStore

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio.store, studio.runs)
        self.workers = studio.workers

    def new(self, request: Request) -> None:
        """Show a new search with the base from the address, or the autosaved search."""
        visitor = Visitor.from_request(request)
        base = request.query_params.get("base", "")
        names = {ruleset.name for game in self.store.games() for ruleset in self.store.family_rulesets(game)}
        is_fresh = base in names
        if not is_fresh:
            game = self.store.last_page().partition("/")[2].partition("/")[0]
            base = self.store.current_ruleset(game) if game else ""
        self.show(request, searches.new_search(self.store, base, visitor.language, is_fresh), visitor)

    def show(self, request: Request, document: SearchDocument, visitor: Visitor) -> None:
        """Show a document's page."""
        panel = self.begin(request, document, visitor)
        bases = [
            {
                "title": games.declaration(game).title,
                "rulesets": [{"name": item.name, "title": item.heading} for item in self.store.family_rulesets(game)],
            }
            for game in self.store.games()
            if game in games.names()
        ]
        panel.show(bases=visitor.localize(bases), size=None, found=None, look=None, stage="")
        _SearchPage(self, document, panel, visitor)


class _SearchPage(FilePage):
    """An open search page."""

    document: SearchDocument

    def __init__(self, pages: SearchPages, document: SearchDocument, panel: Panel, visitor: Visitor) -> None:
        super().__init__(pages, document, panel, visitor)
        self.rulesets, self.workers = pages.store, pages.workers
        self.counted = ""
        """The text whose rulesets are being counted or were last counted."""
        self.counting = False
        self.seen = 0.0
        """The time of the results that are shown."""
        self.on_event("base", document.set_base)
        self.on_event(
            "vary", lambda toggle: document.vary(toggle, searches.base_settings(pages.store, document.read()))
        )
        self.on_event("choose", document.choose)
        self.on_event("range", lambda toggle, **ends: document.set_range(toggle, ends))
        self.on_event("goal", document.set_goal)
        self.on_event("hours", document.set_hours)
        panel.on("look", lambda event: self.select(int(event.args)))
        panel.on("unlook", lambda _: panel.show(look=None))
        panel.on("open", self.open)
        self.show()
        if not document.new:
            self.runs.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Read the search's folders and redraw the run."""
        await self.runs.refresh()
        run = self.runs.entries.get(self.name)
        if run is not None and run.touched != self.seen:
            self.seen = run.touched
            found = await self.workers.reading.run(progress.read_overview, self.document.project, self.document.name)
            self.panel.show(found=self.visitor.localize(found))
        self.show_run()

    def show(self) -> None:
        """Redraw the page."""
        view = searches.search_view(self.document, self.rulesets, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        if self.counted != self.document.text:
            self.panel.props["size"] = None
            if not view["problems"] and not view["begins"] and not self.counting:
                with self.client:
                    ui.timer(0, self.count_rulesets, once=True)
        self.panel.show(state=view)

    def show_run(self) -> None:
        """Redraw the run's state and results."""
        run, job = self.runs.entry(self.name, self.visitor), self.runs.job(self.name)
        stage = self.visitor.translate(STAGES.get(job.stage, "") if job and job is self.runs.queue.running else "")
        if (run, stage) != (self.panel.props["run"], self.panel.props["stage"]):
            self.panel.show(run=run, stage=stage)

    async def count_rulesets(self) -> None:
        """Show the number of rulesets defined by the text; if the text changes meanwhile, count them again."""
        document, worker = self.document, self.workers.planning
        self.counting = True
        try:
            while self.counted != document.text:
                text = self.counted = document.text
                if document.read().search is None:
                    return
                try:
                    space = await worker.run(progress.describe_text, document.path, document.project, text)
                except WorkbenchError:
                    continue
                if text == document.text:
                    size = {
                        "problems": self.problem_views(space["problems"]),
                        "lines": self.visitor.localize(space["lines"]),
                        "differs": space["differs"] and not document.new,
                    }
                    self.panel.show(size=size)
        finally:
            self.counting = False

    async def select(self, index: int) -> SelectedRuleset | None:
        """Show a ruleset of the search by its index, and return it."""
        worker, document = self.workers.reading, self.document
        selected = await worker.run(progress.read_ruleset, document.project, document.name, index)
        self.panel.show(look=self.visitor.localize(selected.view) if selected else None)
        return cast(SelectedRuleset | None, selected)

    async def open(self, event: GenericEventArguments) -> None:
        """Open a ruleset of the search as a draft based on the base, perhaps to be saved at once."""
        selected = await self.select(int(event.args["place"]))
        if selected is None or selected.settings is None:
            return
        with snapshot():
            try:
                draft = self.rulesets.draft_with(selected.base, selected.settings)
            except InputError as error:
                self.wrong = error.problems
                self.show()
                return
        self.client.open(f"/rules/{quote(draft.page)}{'?save' * (event.args['way'] == 'save')}")


def register(studio: Studio) -> None:
    """Register the addresses of the pages."""
    pages = SearchPages(studio)
    ui.page("/new-search")(pages.new)
    ui.page("/search/{name}")(pages.of)
