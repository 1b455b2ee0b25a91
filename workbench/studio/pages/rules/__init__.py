"""The page of a ruleset with choices, rule book and YAML side by side."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.base.errors import InputError, Problem, WorkbenchError, error_text
from workbench.base.language import bilingual, tr, trc
from workbench.base.yamlfile import snapshot
from workbench.studio import frame, game_tasks
from workbench.studio.documents import is_shipped
from workbench.studio.documents.rulesets import DraftStore, Kind, NameTaken, RulesetDocument
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.pages.rules import view as rules_view
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor, problem_view

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
        view = await self.drawing.run(game_tasks.draw_witness, game, toggle, before, after, chosen == "was")
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
        return RedirectResponse(frame.Proposal(kind, name, "").address(area) if name else "/", status_code=303)

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

    def file_rules(self, request: Request, name: str) -> Response | None:
        """Draw the page of a ruleset's file; a shipped one redirects to a draft that extends it."""
        if is_shipped("rulesets", name):
            return RedirectResponse(frame.rules_address("new", name), status_code=303)
        self.rules(request, name, "file")
        return None

    def rules(self, request: Request, name: str, kind: Kind) -> None:
        """Draw the page of a ruleset's document."""
        visitor, store = Visitor.from_request(request), self.store
        draft = frame.open_draft(visitor, store, kind, name)
        if draft is None:
            return
        proposal = frame.Proposal(kind, name, store.title(draft))
        frame.begin_page(visitor, "rules", proposal.address("rules"), proposal.title, proposal)
        parent = next((parent for parent, _ in draft.read().file.parents), draft.base)
        compared = [("ruleset", parent), ("ruleset", name if kind == "file" else f"new/{name}")]
        links = [
            ("play", trc("words", "Play"), proposal.address("play")),
            ("ask", tr("Ask"), proposal.address("ask")),
            ("compare", tr("Compare…"), f"/compare?{urlencode(compared)}"),
            ("book", tr("Rule book"), proposal.address("book")),
            ("idea", tr("An idea in words"), f"/?game={quote(draft.base)}"),
            *([] if draft.new else [("begin", tr("Base new rules on it"), frame.rules_address("new", name))]),
        ]
        panel = RulesPanel(
            here={"base": draft.base, "new": draft.new, "folder": not store.project.shipped},
            heading=visitor.translate(store.heading(draft.base)),
            legend=visitor.translate(draft.read().family.legend),
            links=visitor.localize(links),
            lists=visitor.localize({"games": list_games(store, draft.game), "shelves": list_rulesets(store, draft)}),
        )
        _RulesPage(self.studio, draft, panel, visitor)


class _RulesPage:
    """An open ruleset page: its choices and YAML, undo and saving."""

    def __init__(self, studio: Studio, draft: RulesetDocument, panel: Panel, visitor: Visitor) -> None:
        self.studio, self.document, self.panel, self.visitor = studio, draft, panel, visitor
        self.boards: set[str] = set()
        """The toggles whose drawings are open for painting."""
        self.wrong: list[Problem] = []
        """The problems of the last event."""
        draft.viewers.append(self.show)
        panel.client.on_delete(lambda: draft.viewers.remove(self.show))
        of_page = (self.choose, self.draw, self.entitle)
        for action in (draft.write, draft.undo, draft.redo, draft.revert, draft.switch, *of_page):
            panel.on(action.__name__, functools.partial(self.do, action))
        panel.on("save", self.save)
        self.show()

    def show(self) -> None:
        """Redraw the page."""
        draft, store = self.document, self.studio.store
        state = RulesView(draft.read(), draft.project, self.visitor, self.boards).page(draft)
        state["proposed"] = store.free_title(draft.game, state["title"]) if draft.new else state["title"]
        self.panel.show(state=self.visitor.localize(state | {"wrong": self.problem_views(self.wrong)}))

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """Return problems in the page's language."""
        family = self.document.read().family
        return [problem_view(problem, self.visitor, family) for problem in problems]

    def do(self, action: Callable[..., object], event: GenericEventArguments) -> None:
        """Change the document by an event and redraw all its pages; this page shows the problems of the change."""
        self.wrong = []
        self.panel.props["heard"] = event.args.pop("count")
        with snapshot():
            try:
                action(**event.args)
            except InputError as error:
                self.wrong = error.problems
            self.studio.store.save_draft(self.document)

    def choose(self, toggle: str, setting: str | View) -> None:
        """Set a toggle, or paint a stroke of its drawing."""
        if isinstance(setting, str):
            self.boards.discard(toggle)
        self.document.set_toggle(toggle, rules_view.chosen_setting(self.document.read(), toggle, setting))

    def draw(self, toggle: str) -> None:
        """Open a drawing for painting or close it."""
        self.boards ^= {toggle}

    def entitle(self, title: str) -> None:
        """Set the title in the page's language, of what was asked about the rules, too."""
        self.document.entitle(title, self.visitor.language)
        self.rename()

    def rename(self) -> None:
        """Give the document's title to what was asked about its rules."""
        self.studio.runs.rewrite(self.studio.store.rename_asked(self.document), self.visitor.language)

    async def save(self, event: GenericEventArguments) -> None:
        """Write the file, or show the reason in the dialog if it cannot be written."""
        title, document, store = str(event.args["title"]), self.document, self.studio.store
        name = document.file_name(title)
        answer: View = {"problems": [], "taken": False}
        try:
            english, japanese = document.read().titles
            if title != self.visitor.translate(bilingual(en=english, ja=japanese)):
                document.entitle(title, self.visitor.language)
            full_name, _ = document.destination(name)
            arguments = document.project.root, full_name, document.text
            if problems := await self.studio.workers.drawing.run(game_tasks.check_first_moves, *arguments):
                raise InputError(problems)
            await asyncio.to_thread(store.save, document, name, bool(event.args["replace"]))
        except NameTaken:
            answer["taken"] = True
        except WorkbenchError as error:
            unwritable = [Problem("", None, None, error_text(error))]
            answer["problems"] = self.problem_views(getattr(error, "problems", unwritable))
        else:
            if not document.new:
                store.save_draft(document)
            self.rename()
            for notify in self.studio.on_saved:
                notify(document, full_name, self.visitor.language)
            store.latest = f"file/{full_name}"
            self.panel.client.open(f"/edit/{quote(full_name)}?saved")
            return
        self.panel.show(answer=answer)


def list_rulesets(store: DraftStore, draft: RulesetDocument) -> list[View]:
    """Return a game's rulesets by shelf: the user's files and drafts, official ones, proposals, and combinations.

    The page itself adds its draft to the user's. Combinations, on a shelf without a title, are only found by a search.
    """
    shelves: dict[str, list[View]] = {
        title: [] for title in (tr("Yours"), tr("Official"), tr("Proposals and variants"), "")
    }
    yours, official, proposals, combined = shelves.values()
    for other in store.changed_drafts(draft.game):
        if other is not draft:
            title = other.title(other.read())
            yours.append({"title": title, "short": title, "url": frame.rules_address(other.kind, other.page)})
    for item in store.family_rulesets(draft.game):
        shelf = official if not item.parents else proposals if item.own or len(item.parents) == 1 else combined
        (shelf if item.shipped else yours).append({
            "title": item.heading or item.name, "short": item.short, "here": item.name == draft.base,
            "url": frame.rules_address("new" if item.shipped else "file", item.name),
        })  # fmt: skip
    named = {str(proposal.heading) for proposal in draft.named}
    proposals.sort(key=lambda item: str(item["title"]) not in named)
    return [{"title": title, "rulesets": rulesets} for title, rulesets in shelves.items()]


def list_games(store: DraftStore, game: str) -> list[View]:
    """Return a project's games; the page of a refused one shows the reason."""
    titles = {name: f"{name} ⚠" for name in games.refused()}
    titles |= {name: games.declaration(name).title for name in games.names()}
    present = [name for name in store.games() if name in titles]
    return [{"title": titles[name], "url": f"/rules/{name}", "here": name == game} for name in present]


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
    ui.page("/edit/{name:path}")(pages.file_rules)
