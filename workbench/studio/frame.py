"""What pages share: what stands around each of them, and what every page does that edits a text."""

from __future__ import annotations

import asyncio
import difflib
import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.base.errors import InputError, Problem, WorkbenchError, display_path, text_of
from workbench.base.language import LANGUAGES, OWN_NAME, in_all, style_sheet, tr, trc
from workbench.base.yamlfile import snapshot
from workbench.report import render
from workbench.studio.drafts import (
    Desk,
    Draft,
    History,
    ListedRuleset,
    NameTaken,
    Sheet,
    Sheets,
    SheetType,
    ShippedName,
)
from workbench.studio.game_tasks import Positions
from workbench.studio.jobs import Queue
from workbench.studio.runs import Runs, Shelf
from workbench.studio.visitor import THEMES, View, Visitor, problem_view, script_texts
from workbench.studio.workers import Workers

_SHARED, _RENDER = Path(__file__).parent / "shared", Path(render.__path__[0])
_STYLES = (
    *(_RENDER / f"{name}.css" for name in ("boards", "charts", "replay")),
    *(_SHARED / f"{name}.css" for name in ("studio", "runs")),
    *sorted(Path(__file__).parent.glob("pages/*/style.css")),
)
SHARED = {"studio": str(_SHARED)}
"""Where the components of the studio import from that say ``import … from "studio/…"``."""
NOT_FOUND = tr("There is no such page. Perhaps the address is mistyped, or the file has another name now.")
GAME_REFUSED = tr("This game may not play yet.")
NOT_PLAYABLE = tr("These rules have to be mended first:")
_AREAS = {"new": "rules", "file": "edit"}
"""Where the pages of rules are, by their kind."""
NEAR = 0.8
"""How much alike names are of which one may be a mistyped other one: a share of their letters."""


def begin_page(visitor: Visitor, area: str, here: str, game: str, title: str = "", play: str = "") -> None:
    """The head of a page at the address ``here``, in one of the studio's areas; ``play`` leads to a game by its rules.

    Without it the links to rules lead to those that were looked at last.
    """
    name = visitor.translate(tr("Rule studio"))
    ui.page_title(f"{title} – {name}" if title else name)
    ui.dark_mode(visitor.dark)
    style = "\n".join((*(path.read_text(encoding="utf-8") for path in _STYLES), style_sheet()))
    # All of it comes from fixed choices, so nothing of a user's stands in these scripts.
    ui.add_head_html(
        f"<style>{style}</style><script>document.documentElement.lang = {visitor.language!r}; "
        f"document.documentElement.dataset.theme = {visitor.theme!r};</script>"
    )
    texts = json.dumps(script_texts(visitor.language)).replace("<", "\\u003c")
    script = (_SHARED / "connection.js").read_text(encoding="utf-8")
    ui.add_head_html(f"<script>window.TEXTS = {texts};{script}</script>")
    kind, _, rules = play.removeprefix("/play/").partition("/")
    last = f"?game={game}" if game else ""
    links = [
        ("rules", tr("Rules"), f"/{_AREAS[kind]}/{rules}" if play else f"/rules{last}"),
        ("play", trc("words", "Play"), play or f"/play{last}"),
        ("try", trc("areas", "Try"), play.replace("/play/", "/try/", 1) or f"/try{last}"),
        ("idea", tr("An idea"), f"/idea/{game}" if game else "/idea"),
        ("experiments", tr("Experiments"), "/experiments"),
        ("searches", trc("areas", "Search"), "/searches"),
        ("reports", tr("Reports"), "/reports"),
    ]
    head = ui.html(
        Markup(
            '<a class="skip" href="#main">{skip}</a>'
            '<header class="top"><a class="brand" href="/"><i aria-hidden="true">☆</i> <span>{brand}</span></a>'
            '<nav aria-label="{areas}">{links}</nav>'
            '<button type="button" class="tuning" popovertarget="tune" aria-label="{tune}">⚙</button>'
            '<div id="tune" popover><div class="choose" role="group" aria-label="{language}">{languages}</div>'
            '<div class="choose" role="group" aria-label="{theme}">{themes}</div></div></header>'
        ).format(
            skip=visitor.translate(tr("Skip to the content")),
            brand=name,
            areas=visitor.translate(tr("Areas of the studio")),
            tune=visitor.translate(tr("Language and colours")),
            links=Markup("").join(
                Markup('<a href="{}" {}>{}</a>').format(address, _aria_current(key == area), visitor.translate(text))
                for key, text, address in links
            ),
            language=visitor.translate(tr("Language")),
            languages=Markup("").join(
                Markup('<a href="/language/{}?back={}" lang="{}" {}>{}</a>').format(
                    code, quote(here), code, _aria_current(code == visitor.language), label
                )
                for code, label in zip(LANGUAGES, in_all(OWN_NAME), strict=True)
            ),
            theme=visitor.translate(tr("Colours")),
            themes=Markup("").join(
                Markup('<a href="/theme/{}?back={}" {}><i aria-hidden="true">{}</i> {}</a>').format(
                    code,
                    quote(here),
                    _aria_current(code == visitor.theme),
                    sign,
                    visitor.translate(text),
                )
                for code, (sign, text) in THEMES.items()
            ),
        ),
        sanitize=False,
    )
    # Before the page's `main`, where a reader of screens looks for it.
    head.move(ui.context.client.layout, 0)


def note_page(visitor: Visitor, text: str, lines: Iterable[str] = (), near: Iterable[tuple[str, str]] = ()) -> None:
    """A page that only says something, and where to go on: to what may have been meant (addresses and titles), too."""
    say = visitor.translate
    ways = [*near, ("/", tr("To the first page")), ("/rules", tr("To the rules that were looked at last"))]
    ui.html(
        Markup('<div id="main" class="note" tabindex="-1"><h1>{}</h1>{}<ul>{}</ul></div>').format(
            say(text),
            Markup("").join(Markup("<p><code>{}</code></p>").format(say(line)) for line in lines),
            Markup("").join(Markup('<li><a href="{}">{}</a></li>').format(address, say(to)) for address, to in ways),
        ),
        sanitize=False,
    )


def rules_address(kind: str, name: str) -> str:
    """The page of some rules."""
    return f"/{_AREAS.get(kind, 'rules')}/{quote(name)}"


def not_found_page(
    visitor: Visitor,
    area: str,
    here: str,
    text: str,
    lines: Iterable[str] = (),
    near: Iterable[tuple[str, str]] = (),
) -> None:
    """The answer, with the status of what is not there, at the address ``here`` of an area."""
    begin_page(visitor, area, here, "")
    ui.context.client.status_code = 404
    note_page(visitor, text, lines, near)


def missing_page(
    visitor: Visitor, name: str, error: InputError, listed: Sequence[ListedRuleset], here: str = "/"
) -> None:
    """A page that says what is wrong with some rules or their game, or that there are none, and which were meant."""
    refused, titles = name.partition("/")[0] in games.refused(), {one.name: one.heading or one.name for one in listed}
    known = refused or name in titles
    lines = [problem.text for problem in error.problems] if known else [name]
    near = [] if known else [(f"/rules/{quote(one)}", titles[one]) for one in nearest_first(name, titles)]
    not_found_page(visitor, "", here, GAME_REFUSED if refused else NOT_FOUND, lines, near)


def nearest_first(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of some names that look like one, or else the first."""
    known = list(known)
    return difflib.get_close_matches(name, known, 3, NEAR) or known[:1]


def _aria_current(whether: bool) -> Markup:
    return Markup('aria-current="true"') if whether else Markup("")


Pages = defaultdict[int, list[Callable[[], None]]]
"""What draws the pages anew that show a text, by the id of the text."""


class Studio:
    """What the pages of a studio have in common: the project's texts, the processes beside the server and the runs."""

    def __init__(self, desk: Desk, workers: Workers, queue: Queue) -> None:
        self.desk, self.workers, self.queue, self.project = desk, workers, queue, desk.project
        self.positions = Positions(workers.drawing)
        self.experiments = Shelf(desk.project, queue, workers)
        self.drafts = Pages(list)
        self.on_saved: list[Callable[[Draft, str, str], object]] = []
        """Called with a draft that was saved, the name of its ruleset and the language of the page."""


class Editor(ABC):
    """One page on one text."""

    def __init__(self, history: History, panel: Element, pages: Pages, keep: Callable[[], None]) -> None:
        """``keep`` keeps the text for the next studio."""
        self._history, self.panel, self.client, self._keep = history, panel, panel.client, keep
        self._pages = pages[id(history)]
        self.wrong: list[Problem] = []
        """What was wrong with the last thing that was asked."""
        self._pages.append(self.show)
        self.client.on_delete(lambda: self._pages.remove(self.show))
        self.on_event("write", lambda given: history.write(str(given["text"])))
        self.on_event("undo", lambda _: history.undo())
        self.on_event("redo", lambda _: history.redo())
        self.on_event("revert", lambda _: history.revert())

    @abstractmethod
    def show(self) -> None:
        """Draws the page anew."""

    def on_event(self, event: str, act: Callable[[Any], object]) -> None:
        """Registers ``act`` as the handler of an event of the page; it is called with the content of the event."""

        def done(given: GenericEventArguments) -> None:
            if isinstance(given.args, dict) and "count" in given.args:
                self.panel.props["heard"] = given.args["count"]
            self.do(lambda: act(given.args))

        self.panel.on(event, done)

    def do(self, act: Callable[[], object]) -> None:
        """Does something to the text, and shows it on all its pages; this one says what was wrong with it."""
        self.wrong = []
        with snapshot():
            try:
                act()
            except InputError as error:
                self.wrong = error.problems
            self._keep()
            for draw in list(self._pages):
                draw()


class SheetPages(ABC, Generic[SheetType]):
    """The pages of a kind of files, each as it was left."""

    area: str
    """Where pages of saved files are."""
    listing: str
    """Where the list of all is."""
    new_text: str
    """What the page of a new file is called."""
    own_text: str
    """What the page of the file of a ``name`` is called."""
    panel_type: type[Element]

    def __init__(self, sheets: Sheets[SheetType], shelf: Runs) -> None:
        self.sheets, self.shelf = sheets, shelf
        self.pages = Pages(list)

    def of(self, request: Request, name: str) -> None:
        """The page of a file."""
        visitor = Visitor.from_request(request)
        try:
            sheet = self.sheets.sheet(name)
        except InputError as error:
            lines = [problem.text for problem in error.problems]
            not_found_page(visitor, self.listing, f"/{self.listing}", NOT_FOUND, lines)
            return
        self.show(request, sheet, visitor)

    @abstractmethod
    def show(self, request: Request, sheet: SheetType, visitor: Visitor) -> None:
        """The page of a sheet."""

    def begin(self, request: Request, sheet: SheetType, visitor: Visitor, query: str = "", play: str = "") -> Element:
        """Begins the page of a sheet with what all have in common; returns its panel."""
        here = f"/new-{self.area}" if sheet.new else f"/{self.area}/{quote(sheet.name, safe='')}"
        new = visitor.translate(self.new_text)
        title = new if sheet.new else visitor.translate(sheet.read().title) or sheet.name
        begin_page(visitor, self.listing, here + query, "", title=title, play=play)
        panel = self.panel_type()
        panel.props["heading"] = new if sheet.new else visitor.translate(self.own_text.format(name=sheet.name))
        panel.props["here"] = {
            "name": sheet.name,
            "new": sheet.new,
            "resumed": sheet.new and sheet.dirty and not request.query_params,
            "folder": "" if self.sheets.project.shipped else self.listing,
            "shipped": sheet.shipped,
            "begun": not sheet.new and self.shelf.has_begun(sheet.name),
        }
        panel.props["saved"] = "saved" in request.query_params
        panel.props["run"] = None if sheet.new else self.shelf.entry(sheet.name, visitor)
        return panel


class SheetPage(Editor):
    """One page on one sheet."""

    area: str
    """Where pages of saved files are."""

    def __init__(
        self,
        sheets: Sheets[Any],
        sheet: Sheet[Any],
        panel: Element,
        pages: Pages,
        visitor: Visitor,
        enqueue: Callable[[str, str], Coroutine[Any, Any, None]],
    ) -> None:
        """``enqueue`` plays the file of a name, for who reads a language."""
        super().__init__(sheet, panel, pages, lambda: sheets.save_sheet_draft(sheet))
        self.sheets, self.sheet, self.visitor, self._enqueue = sheets, sheet, visitor, enqueue
        self.on_event("entitle", self.entitle)
        panel.on("save", self.save)
        panel.on("play", lambda _: self.play(sheet.name))

    @abstractmethod
    def show_run(self) -> None:
        """Draws what is known of the run."""

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """What is wrong, in the language of the page."""
        own = display_path(self.sheet.path)
        return [problem_view(problem, own, self.visitor) for problem in problems]

    def entitle(self, given: Any) -> None:
        """Sets the title: in the page's language, unless the file has only the other one."""
        said = self.sheet.read().said
        japanese = self.visitor.language == "ja" and (bool(said.get("title_ja")) or not said.get("title"))
        self.sheet.set_title(str(given), japanese)

    async def save(self, given: GenericEventArguments) -> None:
        """Writes the file, and plays it if that was asked, or says why not; the answer stands in the dialog."""
        name, replace = str(given.args["name"]).strip(), bool(given.args["replace"])
        answer: View = {"problems": [], "taken": False}
        try:
            with self.sheet.unless_refused():
                if given.args["title"] != self.panel.props["state"]["title"]:
                    self.entitle(given.args["title"])
                saved = await asyncio.to_thread(self.sheets.save, self.sheet, name, replace)
        except NameTaken as error:
            answer["taken"] = True
            answer["shipped"] = isinstance(error, ShippedName)
        except WorkbenchError as error:
            answer["problems"] = self.problem_views(_problems(error))
        else:
            in_place = saved == self.sheet.name and not self.sheet.new
            if in_place:
                self.do(lambda: None)
            if given.args["run"]:
                await self.play(saved)
            if not in_place:
                self.client.open(f"/{self.area}/{quote(saved, safe='')}?saved")
                return
            answer["saved"] = True
        self.panel.props["answer"] = answer
        self.panel.update()

    async def play(self, name: str) -> None:
        """Puts the file, which has this name now, into the queue."""
        self.wrong = []
        try:
            await self._enqueue(name, self.visitor.language)
        except WorkbenchError as error:
            self.wrong = _problems(error)
            self.show()
        self.show_run()


def _problems(error: WorkbenchError) -> list[Problem]:
    return error.problems if isinstance(error, InputError) else [Problem("", None, None, text_of(error))]
