"""The page of a ruleset: choices, rule book and YAML beside each other."""

from __future__ import annotations

import contextlib
import functools
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nicegui import app, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.base.errors import InputError, Problem
from workbench.base.yamlfile import snapshot
from workbench.studio import frame, game_tasks
from workbench.studio.documents.rulesets import DraftStore, Kind, RulesetDocument
from workbench.studio.editor import Editor
from workbench.studio.frame import Studio
from workbench.studio.pages.rules import view as rules_view
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor, choice_words, problem_view


class RulesPanel(Element, component="rules.js", esm=frame.SHARED):
    """The page of a ruleset: choices, rule book and YAML beside each other."""


class RulesPages:
    """The pages of rules, and the addresses that lead to them."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.store, self.positions = studio, studio.store, studio.positions

    async def position(
        self, request: Request, game: str, toggle: str, was: str, now: str, chosen: str = ""
    ) -> Response:
        """The position that tells two settings of a toggle apart."""
        toggles = games.declaration(game).toggles if game in games.names() else ()
        declared = next((one for one in toggles if one.name == toggle), None)
        settings = [rules_view.parse_setting(declared, text) if declared else None for text in (was, now)]
        if declared is None or settings[0] is None or settings[1] is None:
            return JSONResponse(None, status_code=404)
        drawn = await self.positions.witness(game, toggle, settings[0], settings[1], chosen == "was")
        labels = choice_words(declared, settings[0]), choice_words(declared, settings[1])
        view = rules_view.position_view(drawn, labels, was if chosen == "was" else now)
        return JSONResponse(Visitor.from_request(request).localize(view), headers={"Cache-Control": "no-store"})

    async def sample(self, name: str) -> Response:
        """A small picture of a family's board."""
        try:
            picture = await self.positions.sample(self.store.project.root, name)
        except InputError:
            return Response(status_code=404)
        return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    def last_rules(self, area: str, game: str = "") -> Response:
        """Redirect to a page of the rules that were opened last, or of the current rules of a game."""
        kind, _, name = self.store.last_page(game).partition("/")
        address = f"/{area}/{kind}/{quote(name)}" if area != "rules" else frame.rules_address(kind, name)
        return RedirectResponse(address if name else "/", status_code=303)

    def begin(self, name: str) -> Response:
        """Redirect to new rules that extend a ruleset and change nothing yet, beside the drafts that do."""
        with contextlib.suppress(InputError):
            name = self.store.unchanged_page(name)
        return RedirectResponse(frame.rules_address("new", name), status_code=303)

    def tried(self, area: str, name: str) -> Response:
        """Redirect to a draft with the rules of a try-out, to be played or saved."""
        try:
            page = self.store.page_of_tried(name)
        except InputError:
            return RedirectResponse("/", status_code=303)
        address = f"/play/new/{quote(page)}" if area == "play" else frame.rules_address("new", page)
        return RedirectResponse(address, status_code=303)

    def new_rules(self, request: Request, name: str) -> Response | None:
        """New rules that begin with those of a ruleset; the name of a family leads to its current one."""
        current = self.store.current_ruleset(name) if name in games.names() else ""
        if current:
            return RedirectResponse(f"/rules/{quote(current)}", status_code=303)
        self._rules(request, name, "new")
        return None

    def file_of_rules(self, request: Request, name: str) -> None:
        """A ruleset's own file."""
        self._rules(request, name, "file")

    def _rules(self, request: Request, name: str, kind: Kind) -> None:
        visitor = Visitor.from_request(request)
        game = name.partition("/")[0]
        here = f"{'rules' if kind == 'new' else 'edit'}/{quote(name)}"
        try:
            draft = self.store.draft(name, kind)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store.family_rulesets(game), f"/{here}")
            return
        reading = draft.read()
        title = visitor.translate(self.store.title(draft))
        frame.begin_page(visitor, "rules", f"/{here}", game, title=title, play=f"/play/{kind}/{quote(name)}")
        panel = RulesPanel()
        panel.props["here"] = {
            "game": game,
            "name": name,
            "base": draft.base,
            "kind": kind,
            "new": draft.new,
            "shipped": draft.shipped,
            "folder": "" if self.store.project.shipped else f"rulesets/{game}",
        }
        panel.props["heading"] = visitor.translate(self.store.heading(draft.base))
        panel.props["legend"] = visitor.localize({"signs": reading.family.legend, "moves": reading.family.notation})
        panel.props["lists"] = self._lists(game, draft.base, visitor)
        panel.props["saved"] = "saved" in request.query_params
        _RulesPage(self.studio, draft, panel, visitor)

    def _lists(self, game: str, name: str, visitor: Visitor) -> dict[str, Any]:
        return {
            "games": list_games(self.store, game, visitor, "rules"),
            "rulesets": [
                {
                    "name": each.name,
                    "own": each.name.partition("/")[2],
                    "title": visitor.translate(each.heading),
                    "url": f"/rules/{quote(each.name)}",
                    "here": each.name == name,
                    "shipped": each.shipped,
                }
                for each in self.store.family_rulesets(game)
            ],
        }


class _RulesPage(Editor):
    """A page on a ruleset."""

    document: RulesetDocument

    def __init__(self, studio: Studio, draft: RulesetDocument, panel: RulesPanel, visitor: Visitor) -> None:
        super().__init__(studio.store, draft, panel, visitor)
        self.studio = studio
        self.boards: set[str] = set()
        """Toggles whose drawing is open to be painted."""
        self.on_event("choose", self.choose)
        panel.on("draw", self.draw)
        self.show()

    def show(self) -> None:
        """Draw the page anew."""
        draft = self.document
        names = [one.name for one in self.studio.store.family_rulesets(draft.game)]
        view = RulesView(draft.read(), draft.project, self.visitor)
        state = {"boards": view.boards(self.boards), "wrong": self.problem_views(self.wrong), **view.page(draft, names)}
        self.panel.props["state"] = self.visitor.localize(state)
        self.panel.update()

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """Problems in the language of the page."""
        family = self.document.read().family
        return [problem_view(problem, self.visitor, family) for problem in problems]

    def choose(self, **chosen: Any) -> None:
        """Set a toggle."""
        self.document.set_toggle(*rules_view.setting_of(self.document.read(), chosen))

    def draw(self, event: GenericEventArguments) -> None:
        """Open a drawing to be painted, or close it."""
        self.boards ^= {str(event.args)}
        with snapshot():
            self.show()

    async def saved(self, name: str, event: View) -> bool:
        """Open the page of the saved file."""
        for notify in self.studio.on_saved:
            notify(self.document, name, self.visitor.language)
        self.studio.store.latest = f"file/{name}"
        self.client.open(f"/edit/{quote(name)}?saved")
        return False

    async def check(self, name: str) -> list[Problem]:
        """The problems of the first moves of which the text says that something is known."""
        ruleset = self.document.read().ruleset
        if ruleset is None or ruleset.known is None or not ruleset.known.nodes:
            return []
        full, _ = self.document.destination(name)
        asked = self.document.project.root, full, self.document.text
        return list(await self.studio.workers.drawing.run(game_tasks.check_first_moves, *asked))


def list_games(store: DraftStore, game: str, visitor: Visitor, area: str) -> list[dict[str, Any]]:
    """Return the games of a project, with their pages of an area; a ``game`` is the one that is shown."""
    families = [games.declaration(each) for each in games.names() if each in store.games()]
    # The page of a family that may not play says why.
    refused = [each for each in games.refused() if each in store.games()] if area == "rules" else []
    return [
        {
            "name": family.name,
            "title": visitor.translate(family.title),
            "url": f"/{area}/{family.name}",
            "here": family.name == game,
        }
        for family in families
    ] + [{"name": each, "title": f"{each} ⚠", "url": f"/{area}/{each}", "here": False} for each in refused]


def register(studio: Studio) -> None:
    """Give each page its address."""
    pages = RulesPages(studio)
    app.get("/position/{game}/{toggle}")(pages.position)
    app.get("/sample/{name:path}")(pages.sample)
    for area in ("rules", "play", "try"):
        app.get(f"/{area}")(functools.partial(pages.last_rules, area))
    app.get("/begin/{name:path}")(pages.begin)
    app.get("/tried/{area}/{name:path}")(pages.tried)
    ui.page("/rules/{name:path}")(pages.new_rules)
    ui.page("/edit/{name:path}")(pages.file_of_rules)
