"""The page of a rule search with its file, run and results."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.addons.search import document as searches
from workbench.addons.search import progress
from workbench.addons.search.document import Role, SearchDocument, problems_at
from workbench.addons.search.progress import SearchRuns, SelectedRuleset
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.editor import FilePage, FilePages
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.experiment.view import choices_view
from workbench.studio.runs import REFRESH_SECONDS
from workbench.studio.visitor import Visitor

SearchPanel = component("search.js", __file__)
PERCENT = 100
DRAFT_PAGES: Mapping[str, str] = {"rules": "/rules/{page}", "try": "/ask/new/{page}", "save": "/rules/{page}?save"}
"""Pages that open a search's ruleset as a draft."""
ENTRIES: Mapping[str, Mapping[str, float]] = {
    "openings": {"plies": 1, "lines": 1},
    "budget": {"hours": 1, "games": 1, "confirm": PERCENT},
}
"""Numbers within mappings that have a field on the page, with the factor from the file to the page."""


class SearchPages(FilePages[SearchDocument]):
    """The pages of searches."""

    area, listing, panel_type, document_type = "search", "searches", SearchPanel, SearchDocument
    new_text, own_text = tr("New search"), tr("The search {name}")
    store: DraftStore
    runs: SearchRuns

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio.store, SearchRuns(studio.project, studio.queue, studio.workers))
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
        panel.show(choices=choices_view(self.store, visitor), size=None, found=None, look=None)
        index = request.query_params.get("look", "")
        _SearchPage(self, document, panel, visitor, int(index) if index.isdecimal() else None)


class _SearchPage(FilePage):
    """An open search page."""

    document: SearchDocument
    runs: SearchRuns

    def __init__(
        self, pages: SearchPages, document: SearchDocument, panel: Panel, visitor: Visitor, index: int | None
    ) -> None:
        """``index``: the index of the ruleset to open."""
        super().__init__(pages, document, panel, visitor)
        self.rulesets, self.workers = pages.store, pages.workers
        self.counted = ""
        """The text whose rulesets are being counted or were last counted."""
        self.counting = False
        self.selected: SelectedRuleset | None = None
        self.requested = index
        for event, handler in (
            ("base", document.set_base),
            ("vary", lambda toggle: document.vary(toggle, searches.base_settings(pages.store, document.read()))),
            ("choose", document.choose),
            ("range", lambda toggle, **ends: document.set_range(toggle, ends)),
            ("price", document.set_price),
            ("target", self.set_target),
            ("weigh", document.weigh),
            ("weight", lambda name, value: document.set_entry("weights", name, value)),
            ("never", document.add_never),
            ("allow", document.remove_never),
            ("tick", document.tick),
            ("standard", lambda on: document.set_players("strong", [] if on else list(searches.STRONG_PLAYERS))),
            ("set", self.set),
        ):
            self.on_event(event, handler)
        panel.on("look", lambda event: self.select(int(event.args)))
        panel.on("unlook", lambda _: self.show_selected(None))
        panel.on("open", self.open)
        self.show()
        if not document.new:
            self.runs.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Read the search's folders and redraw the run."""
        await self.runs.refresh()
        await self.runs.refresh_overview(self.document.name)
        self.show_run()
        if self.requested is not None:
            index, self.requested = self.requested, None
            await self.select(index)

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
        run = self.runs.entry(self.document.name, self.visitor)
        overview = self.visitor.localize(self.runs.overview(self.document.name))
        if run != self.panel.props["run"] or overview != self.panel.props["found"]:
            self.panel.show(run=run, found=overview)

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
                        "at": problems_at(space["problems"], self.visitor, document.read().family),
                        "lines": self.visitor.localize(space["lines"]),
                        "differs": space["differs"] and not document.new,
                    }
                    self.panel.show(size=size)
        finally:
            self.counting = False

    def set_target(self, name: str, role: Role, low: float | None, high: float | None) -> None:
        """Set the band or limit of a measure in the page's units."""
        factor = searches.page_factor(name)
        self.document.set_target(name, role, *(None if limit is None else limit / factor for limit in (low, high)))

    def set(self, key: str, value: float | None, entry: str = "") -> None:
        """Set a number that has a field on the page."""
        if entry in ENTRIES.get(key, {}):
            value = None if value is None else value / ENTRIES[key][entry]
            other = {"hours": "games", "games": "hours"}.get(entry, "") if value is not None else ""
            self.document.set_entry(key, entry, value, instead=other)
        elif key in searches.SCALARS:
            self.document.set(key, value)
        elif key == "indifferent":
            self.document.set(key, None if value is None else value / PERCENT)

    async def select(self, index: int) -> None:
        """Show a ruleset of the search by its index."""
        worker, document = self.workers.reading, self.document
        self.show_selected(await worker.run(progress.read_ruleset, document.project, document.name, index))

    def show_selected(self, selected: SelectedRuleset | None) -> None:
        """Show a ruleset of the search, or close it if it is None."""
        self.selected = selected
        self.panel.show(look=self.visitor.localize(selected.view) if selected else None)

    async def open(self, event: GenericEventArguments) -> None:
        """Open a ruleset of the search as a draft based on the base, or open the base itself."""
        index, action = int(event.args["place"]), str(event.args["way"])
        if self.selected is None or self.selected.view["place"] != index:
            await self.select(index)
        if self.selected is None or self.selected.settings is None:
            return
        base, settings = self.selected.base, self.selected.settings
        if not settings:
            self.client.open(f"/{'ask/file' if action == 'try' else 'edit'}/{quote(base)}")
            return
        with snapshot():
            try:
                draft = self.rulesets.draft_with(base, settings)
            except InputError as error:
                self.wrong = error.problems
                self.show()
                return
        self.client.open(DRAFT_PAGES.get(action, DRAFT_PAGES["rules"]).format(page=quote(draft.page)))


def register(studio: Studio) -> None:
    """Register the addresses of the pages, and the searches as runs."""
    pages = SearchPages(studio)
    ui.page("/new-search")(pages.new)
    ui.page("/search/{name}")(pages.of)
    studio.runs.append(pages.runs)
