"""The page frame, components, and pages that only show a message."""

from __future__ import annotations

import difflib
import json
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from nicegui import ui
from nicegui.element import Element

from workbench import games
from workbench.base.errors import InputError
from workbench.base.language import LANGUAGES, OWN_NAME, in_all, style_sheet, tr, trc
from workbench.report import render
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.jobs import Queue
from workbench.studio.runs import Runs
from workbench.studio.visitor import THEMES, Visitor, script_texts
from workbench.studio.workers import Workers

_SHARED, _RENDER = Path(__file__).parent / "shared", Path(render.__path__[0])
_STYLES = (
    *(_RENDER / f"{name}.css" for name in ("boards", "charts", "replay")),
    *(_SHARED / f"{name}.css" for name in ("studio", "runs")),
    *sorted(Path(__file__).parent.glob("pages/*/style.css")),
    *sorted(Path(__file__).parents[1].glob("addons/*/style.css")),
)
NOT_FOUND = tr("There is no such page. Perhaps the address is mistyped, or the file was renamed.")
GAME_REFUSED = tr("This game cannot be played yet.")
NOT_PLAYABLE = tr("Fix these rules first:")
_AREAS = {"new": "rules", "file": "edit"}
"""Areas of ruleset pages by the kind of document."""
SIMILARITY = 0.8
"""Minimum similarity between a mistyped name and a suggestion."""


class Panel(Element):
    """A Vue component that draws its props."""

    def __init__(self, **props: Any) -> None:
        super().__init__()
        self.props.update(props)

    def show(self, **props: Any) -> None:
        """Set some props and send all props to the page."""
        self.props.update(props)
        self.update()


def component(script: str, page: str) -> type[Panel]:
    """Return the component defined by a script in a page's folder; it imports shared scripts ``from "studio/…"``.

    The scripts that reports contain are imported ``from "report/…"``.
    """
    options = {"component": Path(page).with_name(script), "esm": {"studio": str(_SHARED), "report": str(_RENDER)}}
    return types.new_class(f"{Path(script).stem.title()}Panel", (Panel,), options)


class Proposal(NamedTuple):
    """Rules that are open: the kind and name of their document and their title."""

    kind: str
    name: str
    title: str

    def address(self, tab: str) -> str:
        """Return the address of one of its pages: ``rules``, ``play``, ``ask`` or ``history``."""
        return rules_address(self.kind, self.name) if tab == "rules" else f"/{tab}/{self.kind}/{quote(self.name)}"


AREAS = {"rules": tr("Rules"), "play": trc("words", "Play"), "ask": tr("Ask"), "answers": tr("Answers")}
TABS = {"rules": AREAS["rules"], "play": AREAS["play"], "ask": tr("Answer"), "history": tr("History")}
"""The pages of a proposal."""

_EDITING = ("Ctrl+Z", tr("Undo")), ("Ctrl+Y", tr("Redo")), ("Ctrl+S", tr("Save…"))
_OF_GAMES = ("← →", tr("Previous or next move of a game")), (tr("Space"), tr("Play a game"))
_KEYS = {
    "rules": _EDITING, "edit": _EDITING, "report": _OF_GAMES,
    "play": (
        ("← → ↑ ↓", tr("Move over the board; elsewhere, ← and → show earlier and later positions")),
        ("Enter", tr("Pick up a piece, play a move")), ("Esc", tr("Put the piece back")), ("f", tr("Flip the board")),
    ),
}  # fmt: skip
"""The keys of a page and what they do, by the first part of its address."""
_KEYS_EVERYWHERE = ("Tab", tr("The next link, button or field")), ("Esc", tr("Close")), ("?", tr("This list"))


def begin_page(visitor: Visitor, area: str, page_url: str, title: str = "", proposal: Proposal | None = None) -> None:
    """Draw the header of a page in an area of `AREAS` or `TABS` with the address ``page_url``.

    Its links lead to the open proposal, whose name and tabs are drawn, or else to the rules opened last.
    """
    translate = visitor.translate
    name = translate(tr("Rule studio"))
    ui.page_title(f"{translate(title)} – {name}" if title else name)
    ui.dark_mode(visitor.dark)
    style = "\n".join((*(path.read_text(encoding="utf-8") for path in _STYLES), style_sheet()))
    # These scripts contain fixed choices only, never user text.
    ui.add_head_html(
        f"<style>{style}</style><script>document.documentElement.lang = {visitor.language!r}; "
        f"document.documentElement.dataset.theme = {visitor.theme!r};</script>"
    )
    texts = json.dumps(script_texts(visitor.language)).replace("<", "\\u003c")
    script = (_SHARED / "connection.js").read_text(encoding="utf-8")
    ui.add_head_html(f"<script>window.TEXTS = {texts};{script}</script>")
    own = {key: proposal.address(key) for key in TABS} if proposal else {}
    header = Markup(
        '<a class="skip" href="#main">{skip}</a>'
        '<header class="top"><a class="brand" href="/"><i aria-hidden="true">☆</i> <span>{brand}</span></a>'
        '<nav aria-label="{areas}">{links}</nav>'
        '<button type="button" class="keys" data-keys aria-label="{keys}" title="{keys}">?</button>'
        '<dialog id="keys" class="save" aria-label="{keys}"><h2>{keys}</h2><dl>{each}</dl>'
        '<button type="button" class="button" data-close>{close}</button></dialog>'
        '<button type="button" class="tuning" popovertarget="tune" aria-label="{tune}">⚙</button>'
        '<div id="tune" popover><div class="choose" role="group" aria-label="{language}">{languages}</div>'
        '<div class="choose" role="group" aria-label="{theme}">{themes}</div></div></header>'
    ).format(
        skip=translate(tr("Skip to content")),
        brand=name,
        areas=translate(tr("Areas of the studio")),
        tune=translate(tr("Language and colours")),
        keys=translate(tr("Keys")),
        close=translate(tr("Close")),
        each=Markup("").join(
            Markup("<dt><kbd>{}</kbd></dt><dd>{}</dd>").format(translate(key), translate(text))
            for key, text in (*_KEYS.get(page_url.split("/")[1], ()), *_KEYS_EVERYWHERE)
        ),
        links=Markup("").join(
            _link(own.get(key, f"/{key}"), key == ("rules" if area == "history" else area), translate(text))
            for key, text in AREAS.items()
        ),
        language=translate(tr("Language")),
        languages=Markup("").join(
            _link(f"/language/{code}?back={quote(page_url)}", code == visitor.language, label, Markup(f'lang="{code}"'))
            for code, label in zip(LANGUAGES, in_all(OWN_NAME), strict=True)
        ),
        theme=translate(tr("Colours")),
        themes=Markup("").join(
            _link(
                f"/theme/{code}?back={quote(page_url)}",
                code == visitor.theme,
                Markup('<i aria-hidden="true">{}</i> {}').format(symbol, translate(text)),
            )
            for code, (symbol, text) in THEMES.items()
        ),
    )
    if proposal:
        header += Markup('<div class="proposal"><b>{}</b><nav aria-label="{}">{}</nav></div>').format(
            translate(proposal.title),
            translate(tr("This proposal")),
            Markup("").join(_link(own[key], key == area, translate(text)) for key, text in TABS.items()),
        )
    # Screen readers expect the header before `main`.
    ui.html(header, sanitize=False).move(ui.context.client.layout, 0)


def _link(address: str, current: bool, text: str, attributes: str = "") -> Markup:
    mark = Markup('aria-current="true"') if current else ""
    return Markup('<a href="{}" {} {}>{}</a>').format(address, attributes, mark, text)


def note_page(visitor: Visitor, text: str, lines: Iterable[str] = (), similar: Iterable[tuple[str, str]] = ()) -> None:
    """Draw a page with a message and links: suggestions (addresses, titles), the home page and the latest rules."""
    translate = visitor.translate
    links = [*similar, ("/", tr("Home page")), ("/rules", tr("Rules opened last"))]
    ui.html(
        Markup('<div id="main" class="note" tabindex="-1"><h1>{}</h1>{}<ul>{}</ul></div>').format(
            translate(text),
            Markup("").join(Markup("<p><code>{}</code></p>").format(translate(line)) for line in lines),
            Markup("").join(Markup('<li><a href="{}">{}</a></li>').format(url, translate(name)) for url, name in links),
        ),
        sanitize=False,
    )


def rules_address(kind: str, name: str) -> str:
    """Return the address of a ruleset page."""
    return f"/{_AREAS.get(kind, 'rules')}/{quote(name)}"


def not_found_page(
    visitor: Visitor, area: str, text: str, lines: Iterable[str] = (), similar: Iterable[tuple[str, str]] = ()
) -> None:
    """Answer with status 404 and a message page in an area."""
    begin_page(visitor, area, f"/{area}")
    ui.context.client.status_code = 404
    note_page(visitor, text, lines, similar)


def open_draft(visitor: Visitor, store: DraftStore, kind: str, name: str) -> RulesetDocument | None:
    """Return a ruleset page's document; None if there is none, which the page tells."""
    try:
        return store.draft(name, kind)
    except InputError as error:
        missing_page(visitor, name, error, store)
        return None


def missing_page(visitor: Visitor, name: str, error: InputError, store: DraftStore) -> None:
    """Answer with the problems of a ruleset or its game, or with rulesets that have similar names."""
    game = name.partition("/")[0]
    refused = game in games.refused()
    titles = {ruleset.name: ruleset.heading or ruleset.name for ruleset in store.family_rulesets(game)}
    exists = refused or name in titles
    lines = [problem.text for problem in error.problems] if exists else [name]
    similar = [] if exists else [(f"/rules/{quote(other)}", titles[other]) for other in nearest_first(name, titles)]
    not_found_page(visitor, "", GAME_REFUSED if refused else NOT_FOUND, lines, similar)


def nearest_first(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three similar names, the most similar first, or else the first of all names."""
    names = list(names)
    return difflib.get_close_matches(name, names, 3, SIMILARITY) or names[:1]


class Studio:
    """The objects that all pages share: documents, worker processes, the queue and the runs."""

    def __init__(self, store: DraftStore, workers: Workers, queue: Queue) -> None:
        self.store, self.workers, self.queue, self.project = store, workers, queue, store.project
        self.runs = Runs(store.project, queue, workers)
        self.on_saved: list[Callable[[RulesetDocument, str, str], object]] = []
        """Functions that are called with a saved draft, its ruleset's name and the page's language."""
        self.on_first_page: list[Callable[[Request, Visitor], object]] = []
        """Functions that draw a part of the first page, above the games."""
        self.on_run: list[Callable[[str, Visitor], object]] = []
        """Functions that draw a part of the page of a run with a name, above its report."""
