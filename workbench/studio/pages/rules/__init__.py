"""The page of a ruleset with choices, rule book and YAML side by side."""

from __future__ import annotations

import contextlib
import functools
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.base.errors import InputError, Problem
from workbench.base.yamlfile import snapshot
from workbench.studio import frame, game_tasks
from workbench.studio.documents.rulesets import DraftStore, Kind, RulesetDocument
from workbench.studio.editor import Editor
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.rules import view as rules_view
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor, choice_words, problem_view

RulesPanel = component("rules.js", __file__)


class RulesPages:
    """The pages of rulesets and the addresses that redirect to them."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.store, self.drawing = studio, studio.store, studio.workers.drawing

    async def position(
        self, request: Request, game: str, toggle: str, was: str, now: str, chosen: str = ""
    ) -> Response:
        """Send a position in which two settings of a toggle differ."""
        toggles = games.declaration(game).toggles if game in games.names() else ()
        declared = next((candidate for candidate in toggles if candidate.name == toggle), None)
        before, after = (rules_view.parse_setting(declared, text) if declared else None for text in (was, now))
        if declared is None or before is None or after is None:
            return JSONResponse(None, status_code=404)
        drawn = await self.drawing.run(game_tasks.draw_witness, game, toggle, before, after, chosen == "was")
        labels = choice_words(declared, before), choice_words(declared, after)
        view = rules_view.position_view(drawn, labels, was if chosen == "was" else now)
        return JSONResponse(Visitor.from_request(request).localize(view), headers={"Cache-Control": "no-store"})

    async def sample(self, name: str) -> Response:
        """Send a small picture of a ruleset's board."""
        try:
            picture = await self.drawing.run(game_tasks.draw_sample, self.store.project.root, name)
        except InputError:
            return Response(status_code=404)
        return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    def last_rules(self, area: str, game: str = "") -> Response:
        """Redirect to a page of the rules opened last, or of a game's current rules."""
        kind, _, name = self.store.last_page(game).partition("/")
        address = f"/{area}/{kind}/{quote(name)}" if area != "rules" else frame.rules_address(kind, name)
        return RedirectResponse(address if name else "/", status_code=303)

    def begin(self, name: str) -> Response:
        """Redirect to an unchanged draft that extends a ruleset."""
        with contextlib.suppress(InputError):
            name = self.store.unchanged_page(name)
        return RedirectResponse(frame.rules_address("new", name), status_code=303)

    def tried(self, request: Request, area: str, name: str) -> Response:
        """Redirect to a page of rules that were asked about before they had a file."""
        try:
            proposal = frame.Proposal(*self.store.asked_page(name), "")
        except InputError:
            return RedirectResponse("/", status_code=303)
        address = proposal.address(area) if area in frame.TABS else "/"
        return RedirectResponse(f"{address}?{request.url.query}", status_code=303)

    def new_rules(self, request: Request, name: str) -> Response | None:
        """Draw the page of a draft that extends a ruleset; a family's name redirects to its current ruleset."""
        current = self.store.current_ruleset(name) if name in games.names() else ""
        if current:
            return RedirectResponse(f"/rules/{quote(current)}", status_code=303)
        self.rules(request, name, "new")
        return None

    def rules(self, request: Request, name: str, kind: Kind) -> None:
        """Draw the page of a ruleset's document."""
        visitor, store = Visitor.from_request(request), self.store
        game = name.partition("/")[0]
        draft = frame.open_draft(visitor, store, kind, name)
        if draft is None:
            return
        proposal = frame.Proposal(kind, name, store.title(draft))
        frame.begin_page(visitor, "rules", proposal.address("rules"), proposal.title, proposal, "rules")
        panel = RulesPanel(
            here={
                "game": game, "name": name, "base": draft.base, "kind": kind, "new": draft.new,
                "shipped": draft.shipped, "folder": "" if store.project.shipped else f"rulesets/{game}",
            },
            heading=visitor.translate(store.heading(draft.base)),
            legend=visitor.translate(draft.read().family.legend),
            lists=visitor.localize(
                {"games": list_games(store, game, "rules"), "rulesets": list_rulesets(store, draft)}
            ),
            saved="saved" in request.query_params,
        )  # fmt: skip
        _RulesPage(self.studio, draft, panel, visitor)


class _RulesPage(Editor):
    """An open ruleset page."""

    document: RulesetDocument

    def __init__(self, studio: Studio, draft: RulesetDocument, panel: Panel, visitor: Visitor) -> None:
        super().__init__(studio.store, draft, panel, visitor)
        self.studio = studio
        self.boards: set[str] = set()
        """The toggles whose drawings are open for painting."""
        self.on_event("choose", self.choose)
        self.on_event("switch", draft.switch)
        panel.on("draw", self.draw)
        self.show()

    def show(self) -> None:
        """Redraw the page."""
        draft = self.document
        view = RulesView(draft.read(), draft.project, self.visitor)
        state = {"boards": view.boards(self.boards), "wrong": self.problem_views(self.wrong), **view.page(draft)}
        title = self.studio.store.free_title(draft.game, state["title"]) if draft.new else state["title"]
        state["proposed"] = {"title": title, "name": ""}
        self.panel.show(state=self.visitor.localize(state))

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """Return problems in the page's language."""
        family = self.document.read().family
        return [problem_view(problem, self.visitor, family) for problem in problems]

    def choose(self, **choice: Any) -> None:
        """Set a toggle."""
        self.document.set_toggle(*rules_view.chosen_setting(self.document.read(), choice))

    def entitle(self, title: str) -> None:
        """Set the title, of what was asked about the rules, too."""
        super().entitle(title)
        self.rename()

    def rename(self) -> None:
        """Give the document's title to what was asked about its rules."""
        self.studio.runs.rewrite(self.studio.store.rename_asked(self.document), self.visitor.language)

    def draw(self, event: GenericEventArguments) -> None:
        """Open a drawing for painting or close it."""
        self.boards ^= {str(event.args)}
        with snapshot():
            self.show()

    async def saved(self, name: str, event: View) -> bool:
        """Open the saved file's page."""
        self.rename()
        for notify in self.studio.on_saved:
            notify(self.document, name, self.visitor.language)
        self.studio.store.latest = f"file/{name}"
        self.client.open(f"/edit/{quote(name)}?saved")
        return False

    async def check(self, name: str) -> list[Problem]:
        """Return the problems in the text's statements about first moves."""
        ruleset = self.document.read().ruleset
        if ruleset is None or ruleset.known is None or not ruleset.known.nodes:
            return []
        full_name, _ = self.document.destination(name)
        arguments = self.document.project.root, full_name, self.document.text
        return list(await self.studio.workers.drawing.run(game_tasks.check_first_moves, *arguments))


def list_rulesets(store: DraftStore, draft: RulesetDocument) -> dict[str, list[View]]:
    """Return a game's rulesets by kind: the user's files and drafts, the official ones, proposals, and combinations.

    The page itself adds its draft to the user's.
    """
    kinds: dict[str, list[View]] = {"mine": [], "official": [], "proposals": [], "combined": []}
    for key in store.autosave.names("drafts"):
        kind, _, name = key.partition(" ")
        with contextlib.suppress(InputError):
            if name.startswith(f"{draft.game}/") and key != draft.key and (other := store.peek(name, kind)).dirty:
                title = other.title(other.read())
                kinds["mine"].append({"title": title, "short": title, "url": frame.rules_address(kind, name)})
    for item in store.family_rulesets(draft.game):
        kind = "combined" if item.combined else "proposals" if item.parents else "official"
        kinds[kind if item.shipped else "mine"].append({
            "title": item.heading or item.name, "short": item.short, "here": item.name == draft.base,
            "url": frame.rules_address("new" if item.shipped else "file", item.name),
        })  # fmt: skip
    named = {str(proposal.heading) for proposal in draft.named}
    kinds["proposals"].sort(key=lambda item: str(item["title"]) not in named)
    return kinds


def list_games(store: DraftStore, game: str, area: str) -> list[View]:
    """Return a project's games with the addresses of their pages in an area; ``game`` is the current game."""
    families, playable = store.games(), {name: games.declaration(name).title for name in games.names()}
    # The page of a refused family shows the reason.
    refused = {name: f"{name} ⚠" for name in games.refused()} if area == "rules" else {}
    return [
        {"name": name, "title": title, "url": f"/{area}/{name}", "here": name == game}
        for name, title in (playable | refused).items()
        if name in families
    ]


def register(studio: Studio) -> None:
    """Register the pages, pictures and redirections."""
    pages = RulesPages(studio)
    app.get("/position/{game}/{toggle}")(pages.position)
    app.get("/sample/{name:path}")(pages.sample)
    for area in ("rules", "play", "ask"):
        app.get(f"/{area}")(functools.partial(pages.last_rules, area))
    app.get("/begin/{name:path}")(pages.begin)
    app.get("/tried/{area}/{name:path}")(pages.tried)
    ui.page("/rules/{name:path}")(pages.new_rules)

    def file_rules(request: Request, name: str) -> None:
        pages.rules(request, name, "file")

    ui.page("/edit/{name:path}")(file_rules)
