"""The pages of the studio and the addresses behind them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from markupsafe import Markup
from nicegui import Client, app, binding, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.addons.ideas import ideas
from workbench.base.errors import InputError, Problem, WorkbenchError, text_of
from workbench.base.language import LANGUAGES, bilingual, tr, untranslated
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Toggle
from workbench.studio import drafts, frame, report_files, rules_view
from workbench.studio.drafts import Desk, Draft, Kind, is_shipped
from workbench.studio.experiment_page import ExperimentPages, TryPages
from workbench.studio.frame import Editor, Pages, rules_address
from workbench.studio.game_tasks import Positions
from workbench.studio.jobs import Queue
from workbench.studio.play_page import PlayPages
from workbench.studio.report_pages import ReplayPages, ReportPages
from workbench.studio.search_page import SearchPages
from workbench.studio.shelf import Shelf
from workbench.studio.visitor import LANGUAGE, THEME, THEMES, YEAR, Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.rules.edits import RulesetReading

View = dict[str, Any]


class IdeaPanel(Element, component="parts/idea.js", esm=frame.SHARED):
    """The page of an idea."""


@dataclass
class IdeaPage:
    """One page on the rules that a draft begins from."""

    desk: Desk
    draft: Draft
    """The draft that opens; what it already changes has no part in an answer."""
    pages: Pages
    """What shows the same draft."""
    visitor: Visitor
    panel: IdeaPanel

    def __post_init__(self) -> None:
        self.panel.on("ask", self.ask)
        self.panel.on("open", self.open)

    def ask(self, event: GenericEventArguments) -> None:
        """Show what comes closest to an idea."""
        idea = " ".join(str(event.args).split())[: ideas.LONGEST]
        with snapshot():
            self.panel.props["answer"] = self._answer(idea) if idea else None
        self.panel.update()

    def open(self, event: GenericEventArguments) -> None:
        """Open the draft with one value of a toggle more."""
        toggle = self.draft.read().family.toggle(str(event.args["toggle"]))
        with snapshot():
            self.draft.set_toggle(toggle.name, toggle.values[int(event.args["value"])].name)
            self.desk.save_draft(self.draft)
            for draw in list(self.pages[id(self.draft)]):
                draw()
        ui.navigate.to(f"/rules/{quote(self.draft.page)}#toggle-{toggle.name}")

    def _answer(self, idea: str) -> View | None:
        listed = self.desk.family_rulesets(self.draft.game)
        base = next((one for one in listed if one.name == self.draft.base), None)
        if base is None:  # Its file has gone since the page was opened.
            return None
        found = ideas.match(idea, base, [one for one in listed if one.sound])
        translate = self.visitor.translate
        return {
            "near": [self._toggle_view(one, found) for one in found.toggles],
            "nothing": "" if found.toggles else translate(ideas.NOTHING.format(game=found.family.title)),
            "groups": [
                {
                    "title": translate(title),
                    "toggles": [{"name": one.name, "title": translate(one.title)} for one in toggles],
                }
                for title, toggles in found.groups()
            ],
            "same": [
                {"url": f"/rules/{quote(one.name)}", "title": translate(one.heading) or one.name}
                for one in found.rulesets
            ],
        }

    def _toggle_view(self, toggle: Toggle, found: ideas.Matches) -> View:
        translate = self.visitor.translate
        names = [one.name for one in toggle.values]
        others = list(found.others(toggle))
        return {
            "name": toggle.name,
            "title": translate(toggle.title),
            "now": translate(ideas.NOW.format(sentence=found.now(toggle))),
            "values": [
                {"place": names.index(setting), "sentence": translate(sentence)}
                for setting, _, sentence in others[: len(names)]
                if setting in names
            ],
        }


# Else NiceGUI complains on stderr whenever a busy machine pauses it for a hundredth of a second.
binding.MAX_PROPAGATION_TIME = 1.0

PARTS = Path(__file__).parent / "parts"


class RulesPanel(Element, component="parts/rules.js", esm=frame.SHARED):
    """The page of a ruleset: choices, rule book and YAML beside each other."""


def create_application(desk: Desk, workers: Workers, queue: Queue) -> FastAPI:
    """The studio of one project as an ASGI application."""
    outer = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _Studio(desk, workers, queue).register()
    ui.run_with(
        outer,
        title=str(tr("Rule studio")),
        favicon=PARTS / "favicon.svg",
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        reconnect_timeout=30,
        binding_refresh_interval=None,
    )
    return outer


class _Studio:
    def __init__(self, desk: Desk, workers: Workers, queue: Queue) -> None:
        self.desk = desk
        self.queue = queue
        self.positions = Positions(workers.drawing)
        self.playing = PlayPages(desk, workers, queue.programs)
        self.reports = ReportPages(desk.project, workers.reading)
        self.shelf = Shelf(desk.project, queue, workers)
        self.trying = TryPages(desk, workers, self.shelf)
        self.asking = ExperimentPages(desk, workers, self.shelf, self.trying)
        self.replays = ReplayPages(desk.project, workers)
        self.drafts = Pages(list)
        self.searching = SearchPages(desk, workers, queue, self.drafts)

    def register(self) -> None:
        """Gives each page its address."""
        app.get("/language/{choice}")(self.choose_language)
        app.get("/theme/{choice}")(self.choose_theme)
        app.get("/position/{game}/{toggle}")(self.position)
        app.get("/sample/{name:path}")(self.sample)
        for area in ("rules", "play", "try", "idea"):
            app.get(f"/{area}")(functools.partial(self.last_rules, area))
        app.get("/begin/{name:path}")(self.begin)
        app.get("/tried/{area}/{name:path}")(self.tried)
        ui.page("/")(self.home)
        ui.page("/rules/{name:path}")(self.new_rules)
        ui.page("/edit/{name:path}")(self.file_of_rules)
        ui.page("/idea/{game}")(self.idea)
        ui.page("/play/{kind}/{name:path}")(self.playing.page)
        self.reports.register()
        self.asking.register()
        self.searching.register()
        self.replays.register()
        ui.page("/try/{kind}/{name:path}")(self.trying.page)
        app.exception_handler(404)(functools.partial(_message_page, frame.NOT_FOUND, 404))
        app.exception_handler(Exception)(functools.partial(_message_page, FAILED, 500))

    def choose_language(self, choice: str, back: str = "/") -> Response:
        """Remembers the language."""
        return _set_cookie(LANGUAGE, choice if choice in LANGUAGES else LANGUAGES[0], back)

    def choose_theme(self, choice: str, back: str = "/") -> Response:
        """Remembers the colours."""
        return _set_cookie(THEME, choice if choice in THEMES else "auto", back)

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
        labels = rules_view.choice_words(declared, settings[0]), rules_view.choice_words(declared, settings[1])
        here = was if chosen == "was" else now
        view = rules_view.localized_position(drawn, labels, here, Visitor.from_request(request))
        return JSONResponse(view, headers={"Cache-Control": "no-store"})

    async def sample(self, name: str) -> Response:
        """A small picture of a family's board."""
        try:
            picture = await self.positions.sample(self.desk.project.root, name)
        except InputError:
            return Response(status_code=404)
        return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    def home(self, request: Request) -> None:
        """The first page: the way from a game to an answer, and the games."""
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "", "/", "")
        if not self.desk.games():
            text = tr("This folder holds no rulesets. The command “workbench init my-rules” makes one that does.")
            frame.note_page(visitor, text)
            return
        front_page(self.desk, self.queue, visitor)

    def last_rules(self, area: str, game: str = "") -> Response:
        """Leads to a page of the rules that were looked at last, or of the current rules of a game."""
        kind, _, name = self.desk.last_page(game).partition("/")
        if area == "idea":
            return RedirectResponse(f"/idea/{name.partition('/')[0]}" if name else "/", status_code=303)
        address = f"/{area}/{kind}/{quote(name)}" if area != "rules" else frame.rules_address(kind, name)
        return RedirectResponse(address if name else "/", status_code=303)

    def begin(self, name: str) -> Response:
        """Leads to new rules that extend a ruleset and change nothing yet, beside the drafts that do."""
        with contextlib.suppress(InputError):
            name = self.desk.unchanged_page(name)
        return RedirectResponse(frame.rules_address("new", name), status_code=303)

    def tried(self, area: str, name: str) -> Response:
        """Leads to new rules that say what rules say which were tried out, to be played or saved."""
        try:
            page = self.desk.page_of_tried(name)
        except InputError:
            return RedirectResponse("/", status_code=303)
        address = f"/play/new/{quote(page)}" if area == "play" else frame.rules_address("new", page)
        return RedirectResponse(address, status_code=303)

    def new_rules(self, request: Request, name: str) -> Response | None:
        """New rules that begin with those of a ruleset; the name of a family leads to its current one."""
        current = self.desk.current_ruleset(name) if name in games.names() else ""
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
            draft = self.desk.draft(name, kind)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.desk.family_rulesets(game), f"/{here}")
            return
        reading = draft.read()
        title = visitor.translate(self.desk.title(draft))
        frame.begin_page(visitor, "rules", f"/{here}", game, title=title, play=f"/play/{kind}/{quote(name)}")
        panel = RulesPanel()
        panel.props["here"] = {
            "game": game,
            "name": name,
            "base": draft.base,
            "kind": kind,
            "language": visitor.language,
        }
        panel.props["heading"] = visitor.translate(self.desk.heading(draft.base))
        panel.props["shipped"] = is_shipped(draft.base)
        panel.props["legend"] = rules_view.legend_view(reading.family, visitor)
        panel.props["lists"] = self._lists(game, draft.base, visitor)
        panel.props["saved"] = "saved" in request.query_params
        panel.props["folder"] = "" if self.desk.project.shipped else f"rulesets/{game}"
        _RulesPage(self, draft, panel, visitor)

    def idea(self, request: Request, game: str) -> Response | None:
        """What rulesets of a family can say of an idea, beginning from ``from``, or else from the current one."""
        if game not in self.desk.games() or game not in games.names():
            return RedirectResponse("/", status_code=303)
        visitor = Visitor.from_request(request)
        listed = {one.name: visitor.translate(one.heading) or one.name for one in self.desk.family_rulesets(game)}
        wanted = request.query_params.get("from", "")
        base = wanted if wanted in listed else self.desk.current_ruleset(game)
        frame.begin_page(visitor, "idea", f"/idea/{game}", game, title=visitor.translate(tr("An idea")))
        panel = IdeaPanel()
        panel.props["games"] = self._games(game, visitor, "idea")
        lead = tr(
            "Describe your idea for {game} in a few words: the page lists the rules with the most similar words. "
            "Choose what they should say instead.",
            game=games.declaration(game).title,
        )
        panel.props["lead"] = visitor.translate(lead)
        panel.props["here"] = {
            "game": game,
            "base": base,
            "rules": listed,
            "idea": request.query_params.get("idea", ""),
        }
        IdeaPage(self.desk, self.desk.kept_draft(base, "new"), self.drafts, visitor, panel)
        return None

    def _games(self, game: str, visitor: Visitor, area: str) -> list[dict[str, Any]]:
        families = [games.declaration(each) for each in games.names() if each in self.desk.games()]
        # The page of a family that may not play says why.
        refused = [each for each in games.refused() if each in self.desk.games()] if area == "rules" else []
        return [
            {
                "name": family.name,
                "title": visitor.translate(family.title),
                "url": f"/{area}/{family.name}",
                "here": family.name == game,
            }
            for family in families
        ] + [{"name": each, "title": f"{each} ⚠", "url": f"/{area}/{each}", "here": False} for each in refused]

    def _lists(self, game: str, name: str, visitor: Visitor) -> dict[str, Any]:
        return {
            "games": self._games(game, visitor, "rules"),
            "rulesets": [
                {
                    "name": each.name,
                    "own": each.name.partition("/")[2],
                    "title": visitor.translate(each.heading),
                    "url": f"/rules/{quote(each.name)}",
                    "here": each.name == name,
                    "shipped": each.shipped,
                }
                for each in self.desk.family_rulesets(game)
            ],
        }


class _RulesPage(Editor):
    """One page on one draft."""

    def __init__(self, studio: _Studio, draft: Draft, panel: RulesPanel, visitor: Visitor) -> None:
        super().__init__(draft, panel, studio.drafts, lambda: studio.desk.save_draft(draft))
        self.studio, self.draft, self.visitor = studio, draft, visitor
        self.boards: set[str] = set()
        """Toggles whose drawing is open to be painted."""
        self.on_event("choose", self.choose)
        self.on_event("entitle", self.entitle)
        panel.on("draw", self.draw)
        panel.on("save", self.save)
        self.show()

    def show(self) -> None:
        """Draws the page anew."""
        names = [one.name for one in self.studio.desk.family_rulesets(self.draft.game)]
        view = rules_view.draft_view(self.draft, names, self.visitor)
        view["boards"] = rules_view.board_views(self.draft.read(), self.boards, self.visitor)
        view["wrong"] = [
            rules_view.ruleset_problem_view(problem, self.visitor, self.draft.read().family) for problem in self.wrong
        ]
        self.panel.props["state"] = view
        self.panel.update()

    def choose(self, chosen: Any) -> None:
        """Sets a toggle."""
        self.draft.set_toggle(*rules_view.setting_of(self.draft.read(), chosen))

    def draw(self, asked: GenericEventArguments) -> None:
        """Opens a drawing to be painted, or closes it."""
        self.boards ^= {str(asked.args)}
        with snapshot():
            self.show()

    def entitle(self, title: Any) -> None:
        """Sets the title: in the page's language, unless the file has only the other one."""
        reading = self.draft.read()
        japanese = self.visitor.language == "ja" and (bool(reading.file.title_ja) or not reading.file.title)
        self.draft.set_title(str(title), japanese)

    def _written_title(self) -> str:
        reading = self.draft.read()
        return bilingual(en=reading.file.title, ja=reading.file.title_ja)

    async def save(self, asked: GenericEventArguments) -> None:
        """Writes the ruleset, or says why not; the answer stands in the dialog of the page."""
        name, replace = str(asked.args["name"]), bool(asked.args["replace"])
        answer: dict[str, Any] = {"problems": [], "taken": False}
        try:
            with self.draft.unless_refused():
                if asked.args["title"] != self.visitor.translate(self._written_title()):
                    self.entitle(asked.args["title"])
                problems = await self._first_moves(name)
                if problems:
                    raise InputError(problems)
                full = await asyncio.to_thread(drafts.save_ruleset, self.draft, name, replace)
        except drafts.NameTaken as error:
            answer["taken"] = True
            answer["shipped"] = isinstance(error, drafts.ShippedName)
        except InputError as error:
            family = self.draft.read().family
            answer["problems"] = [
                rules_view.ruleset_problem_view(problem, self.visitor, family) for problem in error.problems
            ]
        except WorkbenchError as error:
            answer["problems"] = [
                rules_view.ruleset_problem_view(Problem("", None, None, text_of(error)), self.visitor)
            ]
        else:
            self.studio.shelf.rename_tried(full, self.visitor.language)
            self.studio.playing.hand_on(self.draft, full)
            self.studio.desk.latest = f"file/{full}"
            if self.draft.kind == "new":
                self.studio.desk.discard_draft(self.draft)
            else:
                self.do(lambda: None)
            self.client.open(f"/edit/{quote(full)}?saved")
            return
        self.panel.props["answer"] = answer
        self.panel.update()

    async def _first_moves(self, name: str) -> list[Problem]:
        ruleset = self.draft.read().ruleset
        if ruleset is None or ruleset.known is None or not ruleset.known.nodes:
            return []
        full, _ = drafts.resolve_name(self.draft, name)
        return await self.studio.positions.first_moves(self.draft.project.root, full, self.draft.text)


FAILED = tr("Something went wrong in the studio; its terminal says what. Load the page again: drafts are kept.")


async def _message_page(text: str, status: int, request: Request, error: Exception) -> Response:
    if status == 500:
        logging.getLogger("nicegui").exception(error)
    with Client(ui.page(""), request=request) as client:
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "", "/", "")
        frame.note_page(visitor, text)
    return client.build_response(request, status)


def _set_cookie(cookie: str, choice: str, back: str) -> Response:
    parts = urlsplit(back)
    local = back.startswith("/") and not back.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    response = RedirectResponse(back if local else "/", status_code=303)
    response.set_cookie(cookie, choice, max_age=YEAR, samesite="strict", httponly=True)
    return response


STEPS = {
    tr("Choose a game"): tr("You begin with the rules that are played today."),
    tr("Change a rule"): tr("Choose another answer on the page of its rules: the rule book changes with it."),
    tr("Try it"): tr("Play it yourself, or let quick players play many games and see what becomes of them."),
}
"""The way from a game to an answer, and how each step is taken."""
MOST = 4
"""Drafts, games and rulesets of one's own that the page lists, of each."""


def front_page(desk: Desk, queue: Queue, visitor: Visitor) -> None:
    """Draws the page; each card leads to the current rules of its game."""
    say = visitor.translate
    steps = Markup("").join(
        Markup("<li><b>{}</b> <span>{}</span></li>").format(say(step), say(how)) for step, how in STEPS.items()
    )
    cards = Markup("").join(_card(desk, game, visitor) for game in desk.games())
    begun = Markup("").join(
        Markup('<li><a href="{}"><span>{}</span> {}</a></li>').format(address, say(what), say(title))
        for what, title, address in _begun(desk, queue)
    )
    if begun:
        begun = Markup('<section><h2>{}</h2><ul class="begun">{}</ul></section>').format(say(tr("Go on with")), begun)
    ui.html(
        Markup(
            '<div id="main" class="front" tabindex="-1"><h1>{}</h1><ol class="way">{}</ol>'
            '<ul class="cards" aria-label="{}">{}</ul>{}</div>'
        ).format(say(tr("What would a change of the rules do?")), steps, say(tr("Games")), cards, begun),
        sanitize=False,
    )


def _begun(desk: Desk, queue: Queue) -> Iterator[tuple[str, str, str]]:
    """What there is to go on with: what it is, its title, its address."""
    for job in (*([queue.running] if queue.running else []), *queue.waiting):
        yield tr("Search") if job.search else tr("Running"), job.heading, job.address
    for what, kept in ((tr("Draft"), "drafts"), (tr("Game in play"), "games")):
        for key in desk.unsaved.names(kept)[:MOST]:  # type: ignore[arg-type]
            kind, _, name = key.partition(" ")
            with contextlib.suppress(InputError):
                if kind not in get_args(Kind):
                    continue
                draft = desk.kept_draft(name, kind)  # type: ignore[arg-type]
                reading = draft.read()
                if kept == "drafts" and draft.dirty:
                    yield what, draft.title(reading), rules_address(kind, name)
                elif kept == "games" and _goes_on(desk.unsaved.load("games", key), reading):
                    yield what, draft.title(reading), f"/play/{kind}/{quote(name)}"
    own = [one for game in desk.games() for one in desk.family_rulesets(game) if not one.shipped]
    for one in own[:MOST]:
        yield tr("Your rules"), one.heading or one.name, f"/edit/{quote(one.name)}"
    for folder in report_files.list_folders(desk.project)[:1]:
        title = report_files.folder_title(desk.project.reports / folder.name) or untranslated(folder.name)
        yield tr("Latest report"), title, f"/report/{quote(folder.name)}"


def _goes_on(game: Mapping[str, Any], reading: RulesetReading) -> bool:
    """Whether a game that was kept is not over, and its page has still the rules by which it was played."""
    rules = reading.ruleset.fingerprint if reading.ruleset else ""
    return not game.get("over") and game.get("rules") == rules


def _card(desk: Desk, game: str, visitor: Visitor) -> Markup:
    if game not in games.names():
        # The page of its rules says why it may not play.
        refused = visitor.translate(frame.GAME_REFUSED)
        return Markup('<li><a href="/rules/{}"><b>{} ⚠</b><span>{}</span></a></li>').format(game, game, refused)
    current = desk.current_ruleset(game)
    return Markup(
        '<li><a href="/begin/{0}"><span class="sample"><i>{3}</i>'
        '<img src="/sample/{0}" alt="" width="160" height="160"></span><b>{1}</b><span>{2}</span></a></li>'
    ).format(
        quote(current),
        visitor.translate(games.declaration(game).title),
        visitor.translate(desk.heading(current)),
        visitor.translate(tr("Drawing…")),
    )
