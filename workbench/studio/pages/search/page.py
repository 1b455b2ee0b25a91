"""The page of a search for rulesets: its file, its run and its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, Toggle, setting_text
from workbench.studio import frame, searches
from workbench.studio.drafts import Desk, plain_number
from workbench.studio.frame import Pages, SheetPage, SheetPages, Studio
from workbench.studio.jobs import Queue
from workbench.studio.pages.experiment.view import choices_view
from workbench.studio.pages.runs.page import REFRESH_SECONDS, show_list
from workbench.studio.pages.search.view import (
    SCALARS,
    base_settings,
    look_view,
    overview_view,
    problems_at,
    scale_of,
    settings_offered,
    sheet_view,
)
from workbench.studio.searches import (
    MOST_NEVER,
    ROLES,
    STRONG_PLAYERS,
    Look,
    SearchSheet,
    SearchSheets,
    SearchShelf,
)
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

PERCENT = 100


WAYS: Mapping[str, str] = {"rules": "/rules/{page}", "try": "/try/new/{page}", "save": "/rules/{page}?save"}
"""Where the rules of a ruleset of a search are opened."""


ENTRIES: Mapping[str, Mapping[str, float]] = {
    "openings": {"plies": 1, "lines": 1},
    "budget": {"hours": 1, "games": 1, "confirm": PERCENT},
}
"""Numbers within mappings that have a field of their own, and by what the page multiplies them."""


class SearchListPanel(Element, component="searches.js", esm=frame.SHARED):
    """All searches, those first that are played or wait."""


class SearchPanel(Element, component="search.js", esm=frame.SHARED):
    """What is searched, its file, its run and what it has found."""


class SearchPages(SheetPages[SearchSheet]):
    """The searches that are made, changed and run on pages."""

    area, listing, panel_type = "search", "searches", SearchPanel
    new_text, own_text = tr("New search"), tr("The search {name}")
    sheets: SearchSheets
    shelf: SearchShelf

    def __init__(self, desk: Desk, workers: Workers, queue: Queue, drafts: Pages) -> None:
        """``drafts``: what shows drafts of rules."""
        super().__init__(SearchSheets(desk.project, desk.unsaved), SearchShelf(desk.project, queue, workers))
        self.desk, self.workers, self.drafts = desk, workers, drafts

    def new(self, request: Request) -> None:
        """A new search, beginning from the ruleset that the address names, or as it was left."""
        visitor = Visitor.from_request(request)
        asked = request.query_params.get("base", "")
        known = {one.name for game in self.desk.games() for one in self.desk.family_rulesets(game)}
        base = asked if asked in known else self._usual_base()
        self.show(request, self.sheets.new_sheet(base, visitor.language, asked in known), visitor)

    def _usual_base(self) -> str:
        """The base of a new search: the current rules of the game that was looked at last."""
        game = self.desk.last_page().partition("/")[2].partition("/")[0]
        return self.desk.current_ruleset(game) if game else ""

    def show(self, request: Request, sheet: SearchSheet, visitor: Visitor) -> None:
        """The page of a sheet."""
        panel = self.begin(request, sheet, visitor)
        panel.props["choices"] = choices_view(self.desk, visitor)
        panel.props["size"] = panel.props["found"] = panel.props["look"] = None
        asked = request.query_params.get("look", "")
        _SearchPage(self, sheet, panel, visitor, int(asked) if asked.isdecimal() else None)


class _SearchPage(SheetPage):
    """One page on one sheet."""

    area = "search"
    sheet: SearchSheet

    def __init__(
        self, searching: SearchPages, sheet: SearchSheet, panel: Element, visitor: Visitor, look: int | None
    ) -> None:
        """``look``: the ruleset of the search that the page opens with."""
        super().__init__(searching.sheets, sheet, panel, searching.pages, visitor, searching.shelf.play)
        self.searching = searching
        self.counted = ""
        """The text whose rulesets are, or were, counted."""
        self.counting = False
        self.looked: Look | None = None
        self.asked = look
        self.on_event("base", lambda given: sheet.set_base(str(given["name"])))
        self.on_event("vary", self.vary)
        self.on_event("choose", self.choose)
        self.on_event("range", self.set_range)
        self.on_event("price", self.set_price)
        self.on_event("target", self.set_target)
        self.on_event("weigh", lambda given: sheet.weigh(bool(given["on"])))
        self.on_event(
            "weight", lambda given: sheet.set_entry("weights", str(given["name"]), plain_number(given["value"]))
        )
        self.on_event("never", self.add_never)
        self.on_event("allow", lambda given: sheet.remove_never(int(given["place"])))
        self.on_event("tick", self.tick)
        self.on_event("standard", self.set_standard)
        self.on_event("set", self.set)
        panel.on("look", lambda given: self.open_look(int(given.args)))
        panel.on("unlook", lambda _: self.show_look(None))
        panel.on("open", self.open)
        panel.on("stop", lambda _: searching.shelf.stop(sheet.name))
        self.show()
        if not sheet.new:
            searching.shelf.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Looks at the folders."""
        shelf, name = self.searching.shelf, self.sheet.name
        await shelf.refresh()
        await shelf.refresh_overview(name)
        self.show_run()
        if self.asked is not None:
            asked, self.asked = self.asked, None
            await self.open_look(asked)

    def show(self) -> None:
        """Draws the page anew."""
        view = sheet_view(self.sheet, self.searching.desk, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        self.panel.props["state"] = view
        if self.counted != self.sheet.text:
            self.panel.props["size"] = None
            if not view["problems"] and not view["begins"] and not self.counting:
                with self.client:
                    ui.timer(0, self.count_rulesets, once=True)
        self.panel.update()

    def show_run(self) -> None:
        """Draws what is known of the run, and of its rulesets."""
        shelf, name, visitor = self.searching.shelf, self.sheet.name, self.visitor
        run, overview = shelf.entry(name, visitor), shelf.overview(name)
        found = overview_view(overview, visitor) if overview else None
        if run != self.panel.props["run"] or found != self.panel.props["found"]:
            self.panel.props["run"], self.panel.props["found"] = run, found
            self.panel.update()

    async def count_rulesets(self) -> None:
        """Says how many rulesets the text lets be played; while one is counted, later texts wait for their turn."""
        sheet, worker = self.sheet, self.searching.workers.planning
        self.counting = True
        try:
            while self.counted != sheet.text:
                text = self.counted = sheet.text
                if sheet.read().search is None:
                    return
                try:
                    told = await worker.run(searches.describe_text, sheet.path, sheet.project, text)
                except WorkbenchError:
                    continue
                if text == sheet.text:
                    self.panel.props["size"] = {
                        "problems": self.problem_views(told["problems"]),
                        "at": problems_at(told["problems"], self.visitor, sheet.read().family),
                        "lines": [self.visitor.translate(line) for line in told["lines"]],
                        "differs": told["differs"] and not sheet.new,
                    }
                    self.panel.update()
        finally:
            self.counting = False

    # What is asked

    def _toggle(self, name: Any) -> Toggle | None:
        family = self.sheet.read().family
        return next((one for one in family.toggles if one.name == name), None) if family else None

    def vary(self, given: Mapping[str, Any]) -> None:
        """Lets a toggle be changed, or lets it be; a factor of the author's own can only be left out."""
        if toggle := self._toggle(given["toggle"]):
            base = base_settings(self.searching.desk, self.sheet.read())
            self.sheet.vary(toggle, base.get(toggle.name))
        else:
            self.sheet.set_entry("space", str(given["toggle"]), None)

    def choose(self, given: Mapping[str, Any]) -> None:
        """Adds a value to those of a toggle that are tried, or removes it."""
        toggle = self._toggle(given["toggle"])
        setting = self._setting(toggle, given["text"])
        if toggle and setting is not None:
            self.sheet.choose(toggle, setting, bool(given["on"]))

    def _setting(self, toggle: Toggle | None, text: Any) -> Setting | None:
        family = self.sheet.read().family
        if toggle is None or family is None:
            return None
        named = settings_offered(toggle, self.sheet.project, family)
        offered = [*named, *self.sheet.levels(toggle.name)[0]]
        return next((one for one in offered if setting_text(one) == text and toggle.allows(one)), None)

    def set_range(self, given: Mapping[str, Any]) -> None:
        """Sets the numbers of a toggle that are tried."""
        ends = {key: plain_number(given[key]) for key in ("from", "to", "step")}
        if toggle := self._toggle(given["toggle"]):
            self.sheet.set_range(toggle, {key: value for key, value in ends.items() if value is not None})

    def set_price(self, given: Mapping[str, Any]) -> None:
        """Sets what the changes of a toggle cost, or of all that have no price of their own."""
        self.sheet.set_price(str(given["toggle"]), plain_number(given["value"]), bool(given["by_step"]))

    def set_target(self, given: Mapping[str, Any]) -> None:
        """Sets what a measure should or must reach."""
        measure, role = str(given["name"]), str(given["role"])
        factor = scale_of(measure)
        low, high = (None if (end := plain_number(given[key])) is None else end / factor for key in ("low", "high"))
        if role in ("", *ROLES):
            self.sheet.set_target(measure, role, low, high)  # type: ignore[arg-type]

    def add_never(self, given: Mapping[str, Any]) -> None:
        """Adds a combination that is not wanted."""
        levels: dict[str, Setting] = {}
        for name, text in list(given["levels"])[:MOST_NEVER]:
            toggle = self._toggle(name)
            setting = self._setting(toggle, text)
            if toggle is not None and setting is None and toggle.span:
                setting = next((one for one in toggle.span.numbers() if setting_text(one) == text), None)
            if setting is not None:
                levels[str(name)] = setting
        if levels:
            self.sheet.add_never(levels)

    def tick(self, given: Mapping[str, Any]) -> None:
        """Adds a player, or removes it."""
        if given["seat"] in ("quick", "strong"):
            self.sheet.tick(given["seat"], str(given["player"]))

    def set_standard(self, given: Mapping[str, Any]) -> None:
        """Takes the standard players as the strong ones, or a list."""
        self.sheet.set_players("strong", [] if given["on"] else list(STRONG_PLAYERS))

    def set(self, given: Mapping[str, Any]) -> None:
        """Sets one of the numbers that have a field of their own."""
        key, entry, value = str(given["key"]), str(given.get("entry", "")), plain_number(given["value"])
        if entry in ENTRIES.get(key, {}):
            value = None if value is None else value / ENTRIES[key][entry]
            other = {"hours": "games", "games": "hours"}.get(entry, "") if value is not None else ""
            self.sheet.set_entry(key, entry, value, instead=other)
        elif key in SCALARS:
            self.sheet.set(key, value)
        elif key == "indifferent":
            self.sheet.set(key, None if value is None else value / PERCENT)

    # What is found

    async def open_look(self, place: int) -> None:
        """Shows a ruleset of the search."""
        worker, sheet = self.searching.workers.reading, self.sheet
        self.show_look(await worker.run(searches.read_look, sheet.project, sheet.name, place))

    def show_look(self, look: Look | None) -> None:
        """Shows a ruleset of the search, or none any more."""
        self.looked = look
        self.panel.props["look"] = look_view(look, self.visitor) if look else None
        self.panel.update()

    async def open(self, given: GenericEventArguments) -> None:
        """Opens the rules of a ruleset of the search as a draft that extends the base."""
        place, way = int(given.args["place"]), WAYS.get(str(given.args["way"]), WAYS["rules"])
        if self.looked is None or self.looked.ruleset.place != place:
            await self.open_look(place)
        look, desk = self.looked, self.searching.desk
        if look is None or look.settings is None:
            return
        with snapshot():
            try:
                draft = desk.draft_with(look.base, look.settings) if look.settings else None
            except InputError as error:
                self.wrong = error.problems
                self.show()
                return
            for draw in self.searching.drafts[id(draft)] if draft else ():
                draw()
        if draft:
            self.client.open(way.format(page=quote(draft.page)))
        else:
            kind = "/edit/{page}" if way != WAYS["try"] else "/try/file/{page}"
            self.client.open(kind.format(page=quote(look.base)))


def register(studio: Studio) -> None:
    """Gives each page its address."""
    pages = SearchPages(studio.desk, studio.workers, studio.queue, studio.drafts)
    ui.page("/new-search")(pages.new)
    ui.page("/search/{name}")(pages.of)

    def searches(request: Request) -> None:
        show_list(SearchListPanel, pages.shelf, tr("Searches for rulesets"), request)

    ui.page("/searches")(searches)
