"""What the page of a search shows, as plain data in one language: ``parts/search.js`` draws it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.addons.search.question import FIELDS, PRICE
from workbench.base.errors import InputError, Problem, WorkbenchError, display_path
from workbench.base.language import SEMICOLON, join, tr, trc
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments.measures import PLIES, TARGETS
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import change_words, sentence_beside
from workbench.studio import experiments, frame, rules_view, searches
from workbench.studio.drafts import Desk, plain_item, plain_number
from workbench.studio.experiment_page import REFRESH_SECONDS, show_list
from workbench.studio.frame import Pages, SheetPage, SheetPages
from workbench.studio.jobs import Queue
from workbench.studio.rules_view import problem_view
from workbench.studio.searches import (
    MOST_NEVER,
    ROLES,
    STRONG_PLAYERS,
    Look,
    Overview,
    Ruleset,
    SearchReading,
    SearchSheet,
    SearchSheets,
    SearchShelf,
)
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

View = dict[str, Any]
TITLES: Mapping[str, str] = {
    "first_score": tr("First player's score"),
    "first_win_rate": tr("Wins of the first player"),
    "second_win_rate": tr("Wins of the second player"),
    "draw_rate": trc("search words", "Draws"),
    "capped_rate": tr("Games without an end"),
    PLIES: tr("Plies of a game"),
}
"""What a target may be set for."""
SCALARS = ("finalists", "seed", "max_plies")
"""Keys of whole numbers that have a field of their own."""


def sheet_view(sheet: SearchSheet, desk: Desk, visitor: Visitor) -> View:
    """All that changes on the page while its user chooses and types."""
    reading = sheet.read()
    own, family = display_path(sheet.path), reading.family
    settings = _base_settings(desk, reading)
    varied = _varied_views(sheet, reading, family, settings, visitor) if family else []
    # Nobody has done anything wrong yet.
    begins = sheet.new and not reading.mapping("space") and {each.key for each in reading.problems} == {"space"}
    problems = [] if begins else [problem_view(each, own, visitor) for each in reading.problems]
    title = visitor.translate(reading.title)
    return {
        "text": sheet.text,
        "title": title,
        "proposed": {"title": title, "name": sheet.proposed_name()},
        "begins": begins,
        "problems": problems,
        "at": problems_at(reading.problems if not begins else (), visitor, family),
        "base": reading.base,
        "varied": varied,
        "groups": _offered_views(family, reading, settings, visitor) if family else [],
        "never": _never_views(reading, family, settings, visitor),
        "price": reading.mapping("price").get("each", 1),
        "targets": [_target_view(name, reading, visitor) for name in TARGETS],
        "weights": _weights_view(reading, visitor),
        "indifferent": _scaled(reading.said.get("indifferent", FIELDS["indifferent"].default), 100),
        "quick": [plain_item(one) for one in sheet.players("quick")],
        "strong": [plain_item(one) for one in sheet.players("strong")],
        "openings": {key: plain_number(reading.mapping("openings").get(key)) for key in ("plies", "lines")},
        "budget": {key: plain_number(reading.mapping("budget").get(key)) for key in ("hours", "games")}
        | {"confirm": _scaled(reading.mapping("budget").get("confirm", 0.4), 100)},
        **{key: plain_number(reading.said.get(key, FIELDS[key].default)) for key in SCALARS},
        "undo": sheet.place > 0,
        "redo": sheet.place < len(sheet.texts) - 1,
        "dirty": sheet.dirty or sheet.new,
        "changed": sheet.dirty,
    }


def problems_at(
    problems: Sequence[Problem], visitor: Visitor, family: Declaration | None = None
) -> dict[str, list[str]]:
    """What is wrong, by the field that it is about: a key of the file, or an entry of one such as ``space.stuck``."""
    at: dict[str, list[str]] = {}
    for problem in problems:
        key, *inner = re.split(r"[.\[\]]+", problem.key or "")
        view = rules_view.ruleset_problem_view(problem, visitor)
        told = " ".join(filter(None, (view["message"], view["hint"] and f"({view['hint']})")))
        entry = f"{key}.{inner[0]}" if inner and key in ("space", *ROLES.values()) else key
        at.setdefault(entry, []).append(rules_view.with_titles(told, family, visitor))
    return at


def _base_settings(desk: Desk, reading: SearchReading) -> Mapping[str, Setting]:
    if reading.search:
        return reading.search.base.settings
    listed = desk.family_rulesets(reading.base.partition("/")[0]) if reading.family else []
    return next((one.settings for one in listed if one.name == reading.base), {})


def settings_offered(toggle: Toggle, project: Project, family: Declaration) -> list[Setting]:
    """The settings of a toggle that have a name."""
    named: list[Setting] = [value.name for value in toggle.values]
    return [*named, *rules_view.file_names(family, toggle, project)] if toggle.files else named


def _varied_views(
    sheet: SearchSheet, reading: SearchReading, family: Declaration, settings: Mapping[str, Setting], visitor: Visitor
) -> list[View]:
    """The factors of the file, in its order."""
    toggles = {toggle.name: toggle for toggle in family.toggles}
    return [
        _toggle_view(toggles[name], sheet, reading, family, settings.get(name), visitor)
        if name in toggles
        else {
            "name": name,
            "title": name,
            "told": visitor.translate(tr("Several rules that are changed together, as the file says.")),
            "values": [],
            "span": None,
        }
        for name in map(str, reading.mapping("space"))
    ]


def _toggle_view(
    toggle: Toggle,
    sheet: SearchSheet,
    reading: SearchReading,
    family: Declaration,
    now: Setting | None,
    visitor: Visitor,
) -> View:
    values, ends = sheet.levels(toggle.name)
    chosen = {setting_text(one) for one in values}
    named = settings_offered(toggle, sheet.project, family)
    # Others are numbers and drawings that the file writes.
    others = [one for one in values if setting_text(one) not in set(map(setting_text, named)) and toggle.allows(one)]
    price = reading.mapping("price").get(toggle.name)
    by_step = isinstance(price, dict)
    span = toggle.span
    return {
        "name": toggle.name,
        "title": visitor.translate(toggle.title),
        "told": "",
        "values": [
            {
                "text": setting_text(one),
                "sentence": visitor.translate(sentence_beside(toggle, one)),
                "chosen": setting_text(one) in chosen,
                "base": now is not None and equal_settings(one, now),
            }
            for one in (*named, *others)
        ],
        "span": {
            "low": span.low,
            "high": span.high,
            "step": span.step,
            "sentence": rules_view.span_sentence(toggle, visitor),
            "now": now if now is not None and span.allows(now) else None,
            **{key: ends.get(key) for key in ("from", "to")},
            "by": ends.get("step"),
        }
        if span
        else None,
        "price": plain_number(price.get("step") if isinstance(price, dict) else price),
        "by_step": by_step,
    }


def _offered_views(
    family: Declaration, reading: SearchReading, settings: Mapping[str, Setting], visitor: Visitor
) -> list[View]:
    """The toggles that may be chosen, in their groups, with what the base has."""
    chosen = reading.mapping("space")
    groups = []
    for title, toggles in family.grouped():
        offered = [
            {
                "name": toggle.name,
                "title": visitor.translate(toggle.title),
                "now": visitor.translate(sentence_beside(toggle, settings[toggle.name]))
                if toggle.name in settings
                else "",
                "chosen": toggle.name in chosen,
            }
            for toggle in toggles
            if len(toggle.values) > 1 or toggle.span or toggle.files
        ]
        if offered:
            groups.append({"title": visitor.translate(title), "toggles": offered})
    return groups


def _never_views(
    reading: SearchReading, family: Declaration | None, settings: Mapping[str, Setting], visitor: Visitor
) -> list[str]:
    said = reading.said.get("never")
    toggles = {toggle.name: toggle for toggle in family.toggles} if family else {}

    def told(name: str, setting: Any) -> str:
        toggle = toggles.get(name)
        if family is None or toggle is None or not toggle.allows(setting):
            return f"{name}: {setting}"
        return change_words(family.name, toggle, {**settings, name: setting})

    listed = said if isinstance(said, list) else []
    return [
        visitor.translate(join(SEMICOLON, [told(str(name), setting) for name, setting in one.items()]))
        if isinstance(one, dict)
        else str(one)
        for one in listed
    ]


def _target_view(name: str, reading: SearchReading, visitor: Visitor) -> View:
    role = next((role for role, key in ROLES.items() if name in reading.mapping(key)), "")
    low, high = _ends(reading.mapping(ROLES[role]).get(name)) if role else (None, None)
    factor = scale_of(name)
    return {
        "name": name,
        "title": visitor.translate(TITLES[name]),
        "told": visitor.translate(TARGETS[name]),
        "unit": visitor.translate(trc("shelf words", "plies")) if name == PLIES else "%",
        "role": role,
        "low": _scaled(low, factor),
        "high": _scaled(high, factor),
    }


def scale_of(measure: str) -> int:
    """By what the page multiplies what files write of a measure: shares are percent."""
    return 1 if measure == PLIES else 100


def _ends(target: Any) -> tuple[float | None, float | None]:
    if isinstance(target, list) and len(target) == 2:
        return plain_number(target[0]), plain_number(target[1])
    if isinstance(target, str) and (found := re.fullmatch(r"([<>])=?\s*([0-9.]+)", target.strip())):
        limit = float(found[2])
        return (None, limit) if found[1] == "<" else (limit, None)
    return None, None


def _weights_view(reading: SearchReading, visitor: Visitor) -> View:
    weights = reading.mapping("weights")
    rows = [
        {
            "name": name,
            "told": visitor.translate(
                tr("for a price of 1")
                if name == PRICE
                else tr("for missing “{measure}” by half its width", measure=TITLES[name])
            ),
            "value": plain_number(weights.get(name)),
        }
        for name in (*(one for one in TARGETS if one in reading.mapping("targets")), PRICE)
    ]
    return {"on": bool(weights), "rows": rows}


def _scaled(value: Any, factor: float) -> float | None:
    number = plain_number(value)
    return None if number is None else float(f"{number * factor:.10g}")


# What is found


def overview_view(overview: Overview, visitor: Visitor) -> View:
    """What is known of the rulesets of a search."""
    rows = [ruleset_view(one, visitor) for one in overview.rulesets]
    shown = tr("{shown} of {count} rulesets", shown=f"{len(rows):,}", count=f"{overview.count:,}")
    return {"picture": overview.picture, "rows": rows, "shown": visitor.translate(shown)}


def ruleset_view(one: Ruleset, visitor: Visitor) -> View:
    """A ruleset of a search."""
    chance = tr("as good as the best with {percent} %") if one.number else tr("best with {percent} %")
    return {
        "place": one.place,
        "title": visitor.translate(one.title),
        "base": one.base,
        "number": one.number,
        "values": {name: visitor.translate(value) for name, value in one.values.items()},
        "price": f"{one.price:g}",
        "games": f"{one.games:,}",
        "best": f"{round(100 * one.best)} %",
        "chance": visitor.translate(chance.format(percent=round(100 * one.best))),
        "targets": visitor.translate(one.targets),
    }


def look_view(look: Look, visitor: Visitor) -> View:
    """A ruleset that somebody looks at."""
    return ruleset_view(look.ruleset, visitor) | {
        "changes": [
            dict(zip(("title", "was", "now"), map(visitor.translate, each), strict=True)) for each in look.changes
        ],
        "opens": look.settings is not None,
    }


PERCENT = 100
WAYS: Mapping[str, str] = {"rules": "/rules/{page}", "try": "/try/new/{page}", "save": "/rules/{page}?save"}
"""Where the rules of a ruleset of a search are opened."""
ENTRIES: Mapping[str, Mapping[str, float]] = {
    "openings": {"plies": 1, "lines": 1},
    "budget": {"hours": 1, "games": 1, "confirm": PERCENT},
}
"""Numbers within mappings that have a field of their own, and by what the page multiplies them."""


class SearchListPanel(Element, component="parts/searches.js", esm=frame.SHARED):
    """All searches, with what is played."""


class SearchPanel(Element, component="parts/search.js", esm=frame.SHARED):
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

    def register(self) -> None:
        """Gives each page its address."""
        ui.page("/searches")(self.searches)
        ui.page("/new-search")(self.new)
        ui.page("/search/{name}")(self.of)

    def searches(self, request: Request) -> None:
        """All searches."""
        visitor, shelf = Visitor.from_request(request), self.shelf
        heading = visitor.translate(tr("Searches for rulesets"))
        frame.begin_page(visitor, "searches", "/searches", "", title=heading)
        panel = SearchListPanel()
        show_list(panel, shelf, visitor)

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
        panel.props["choices"] = experiments.choices_view(self.desk, visitor)
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
            base = _base_settings(self.searching.desk, self.sheet.read())
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
