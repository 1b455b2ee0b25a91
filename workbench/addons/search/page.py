"""The page of a search for rulesets: its file, its run and its results."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.addons.search import progress
from workbench.addons.search.document import STRONG_PLAYERS, Role, SearchDocument, new_search
from workbench.addons.search.progress import Look, SearchRuns
from workbench.addons.search.view import (
    SCALARS,
    base_settings,
    problems_at,
    scale_of,
    search_view,
)
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import tr, trc
from workbench.base.yamlfile import snapshot
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.editor import FilePage, FilePages
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.experiment.view import choices_view
from workbench.studio.pages.runs import REFRESH_SECONDS, show_list
from workbench.studio.visitor import Visitor

SearchListPanel = component("searches.js", __file__)
SearchPanel = component("search.js", __file__)
PERCENT = 100


WAYS: Mapping[str, str] = {"rules": "/rules/{page}", "try": "/try/new/{page}", "save": "/rules/{page}?save"}
"""The pages on which the rules of a ruleset of a search are opened."""


ENTRIES: Mapping[str, Mapping[str, float]] = {
    "openings": {"plies": 1, "lines": 1},
    "budget": {"hours": 1, "games": 1, "confirm": PERCENT},
}
"""Numbers within mappings that have a field of their own, and by what the page multiplies them."""


AREA = (5, "searches", trc("areas", "Search"), "/searches")
"""The place, name, title and address of its link in the head of pages."""


class SearchPages(FilePages[SearchDocument]):
    """The searches that are made, changed and run on pages."""

    area, listing, panel_type, document_type = "search", "searches", SearchPanel, SearchDocument
    new_text, own_text = tr("New search"), tr("The search {name}")
    store: DraftStore
    runs: SearchRuns

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio.store, SearchRuns(studio.project, studio.queue, studio.workers))
        self.workers = studio.workers

    def new(self, request: Request) -> None:
        """A new search, with the ruleset that the address names as its base, or as it was left."""
        visitor = Visitor.from_request(request)
        asked = request.query_params.get("base", "")
        known = {one.name for game in self.store.games() for one in self.store.family_rulesets(game)}
        game = self.store.last_page().partition("/")[2].partition("/")[0]
        base = asked if asked in known else self.store.current_ruleset(game) if game else ""
        self.show(request, new_search(self.store, base, visitor.language, asked in known), visitor)

    def show(self, request: Request, document: SearchDocument, visitor: Visitor) -> None:
        """The page of a document."""
        panel = self.begin(request, document, visitor)
        panel.show(choices=choices_view(self.store, visitor), size=None, found=None, look=None)
        asked = request.query_params.get("look", "")
        _SearchPage(self, document, panel, visitor, int(asked) if asked.isdecimal() else None)


class _SearchPage(FilePage):
    """A page on a search."""

    document: SearchDocument
    runs: SearchRuns

    def __init__(
        self, pages: SearchPages, document: SearchDocument, panel: Panel, visitor: Visitor, look: int | None
    ) -> None:
        """``look``: the ruleset of the search with which the page opens."""
        super().__init__(pages, document, panel, visitor)
        self.rulesets, self.workers = pages.store, pages.workers
        self.counted = ""
        """The text whose rulesets are, or were, counted."""
        self.counting = False
        self.looked: Look | None = None
        self.asked = look
        for event, act in (
            ("base", document.set_base),
            ("vary", lambda toggle: document.vary(toggle, base_settings(pages.store, document.read()))),
            ("choose", document.choose),
            ("range", lambda toggle, **ends: document.set_range(toggle, ends)),
            ("price", document.set_price),
            ("target", self.set_target),
            ("weigh", document.weigh),
            ("weight", lambda name, value: document.set_entry("weights", name, value)),
            ("never", document.add_never),
            ("allow", document.remove_never),
            ("tick", document.tick),
            ("standard", lambda on: document.set_players("strong", [] if on else list(STRONG_PLAYERS))),
            ("set", self.set),
        ):
            self.on_event(event, act)
        panel.on("look", lambda event: self.open_look(int(event.args)))
        panel.on("unlook", lambda _: self.show_look(None))
        panel.on("open", self.open)
        self.show()
        if not document.new:
            self.runs.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Read the folders."""
        shelf, name = self.runs, self.document.name
        await shelf.refresh()
        await shelf.refresh_overview(name)
        self.show_run()
        if self.asked is not None:
            asked, self.asked = self.asked, None
            await self.open_look(asked)

    def show(self) -> None:
        """Draw the page anew."""
        view = search_view(self.document, self.rulesets, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        if self.counted != self.document.text:
            self.panel.props["size"] = None
            if not view["problems"] and not view["begins"] and not self.counting:
                with self.client:
                    ui.timer(0, self.count_rulesets, once=True)
        self.panel.show(state=view)

    def show_run(self) -> None:
        """Draw the state and the results of the run."""
        shelf, name, visitor = self.runs, self.document.name, self.visitor
        run, overview = shelf.entry(name, visitor), shelf.overview(name)
        found = visitor.localize(overview)
        if run != self.panel.props["run"] or found != self.panel.props["found"]:
            self.panel.show(run=run, found=found)

    async def count_rulesets(self) -> None:
        """Show the number of rulesets of the text; while one is counted, later texts wait for their turn."""
        document, worker = self.document, self.workers.planning
        self.counting = True
        try:
            while self.counted != document.text:
                text = self.counted = document.text
                if document.read().search is None:
                    return
                try:
                    told = await worker.run(progress.describe_text, document.path, document.project, text)
                except WorkbenchError:
                    continue
                if text == document.text:
                    size = {
                        "problems": self.problem_views(told["problems"]),
                        "at": problems_at(told["problems"], self.visitor, document.read().family),
                        "lines": [self.visitor.translate(line) for line in told["lines"]],
                        "differs": told["differs"] and not document.new,
                    }
                    self.panel.show(size=size)
        finally:
            self.counting = False

    def set_target(self, name: str, role: Role, low: float | None, high: float | None) -> None:
        """Set the band or limit of a measure, in the units of the page."""
        factor = scale_of(name)
        self.document.set_target(name, role, *(None if end is None else end / factor for end in (low, high)))

    def set(self, key: str, value: float | None, entry: str = "") -> None:
        """Set one of the numbers that have a field of their own."""
        if entry in ENTRIES.get(key, {}):
            value = None if value is None else value / ENTRIES[key][entry]
            other = {"hours": "games", "games": "hours"}.get(entry, "") if value is not None else ""
            self.document.set_entry(key, entry, value, instead=other)
        elif key in SCALARS:
            self.document.set(key, value)
        elif key == "indifferent":
            self.document.set(key, None if value is None else value / PERCENT)

    async def open_look(self, place: int) -> None:
        """Show a ruleset of the search."""
        worker, document = self.workers.reading, self.document
        self.show_look(await worker.run(progress.read_look, document.project, document.name, place))

    def show_look(self, look: Look | None) -> None:
        """Show a ruleset of the search, or none any more."""
        self.looked = look
        self.panel.show(look=self.visitor.localize(look.view) if look else None)

    async def open(self, given: GenericEventArguments) -> None:
        """Open the rules of a ruleset of the search as a draft that extends the base."""
        place, way = int(given.args["place"]), WAYS.get(str(given.args["way"]), WAYS["rules"])
        if self.looked is None or self.looked.view["place"] != place:
            await self.open_look(place)
        look = self.looked
        if look is None or look.settings is None:
            return
        with snapshot():
            try:
                draft = self.rulesets.draft_with(look.base, look.settings) if look.settings else None
            except InputError as error:
                self.wrong = error.problems
                self.show()
                return
        if draft:
            self.client.open(way.format(page=quote(draft.page)))
        else:
            kind = "/edit/{page}" if way != WAYS["try"] else "/try/file/{page}"
            self.client.open(kind.format(page=quote(look.base)))


def register(studio: Studio) -> None:
    """Give each page its address."""
    pages = SearchPages(studio)
    ui.page("/new-search")(pages.new)
    ui.page("/search/{name}")(pages.of)

    def searches(request: Request) -> None:
        show_list(SearchListPanel, pages.runs, tr("Searches for rulesets"), request)

    ui.page("/searches")(searches)
