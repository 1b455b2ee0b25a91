"""What stands around every page: where one is, the language, the colours."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.errors import InputError
from workbench.language import LANGUAGES, OWN_NAME, in_all, style_sheet
from workbench.report import render
from workbench.studio.drafts import ListedRuleset
from workbench.studio.words import THEMES, WORDS, Visitor

_PARTS, _RENDER = Path(__file__).parent / "parts", Path(render.__path__[0])
_STYLES = (
    _RENDER / "boards.css",
    _RENDER / "charts.css",
    _RENDER / "replay.css",
    _PARTS / "studio.css",
    _PARTS / "shelf.css",
    _PARTS / "search.css",
)
SHARED = {"studio": "parts/shared"}
"""Where the components of the studio import from that say ``import … from "studio/…"``."""
_POPUPS = ("gone", "gone_how", "locked_out", "locked", "too_long", "too_long_how")
"""What a page says of its line to the studio."""
_AREAS = {"new": "rules", "file": "edit"}
"""Where the pages of rules are, by their kind."""
NEAR = 0.8
"""How much alike names are of which one may be a mistyped other one: a share of their letters."""
_SIGNS = {"auto": "◐", "light": "○", "dark": "●"}


def begin_page(visitor: Visitor, area: str, here: str, game: str, title: str = "", play: str = "") -> None:
    """The head of a page at the address ``here``, in one of the studio's areas; ``play`` leads to a game by its rules.

    Without it the links to rules lead to those that were looked at last.
    """
    name = visitor.translate(WORDS["studio"])
    ui.page_title(f"{title} – {name}" if title else name)
    ui.dark_mode(visitor.dark)
    style = "\n".join((*(path.read_text(encoding="utf-8") for path in _STYLES), style_sheet()))
    # All of it comes from fixed choices, so nothing of a user's stands in these scripts.
    ui.add_head_html(
        f"<style>{style}</style><script>document.documentElement.lang = {visitor.language!r}; "
        f"document.documentElement.dataset.theme = {visitor.theme!r};</script>"
    )
    popups = json.dumps({key: visitor.translate(WORDS[key]) for key in _POPUPS})
    script = (_PARTS / "connection.js").read_text(encoding="utf-8")
    ui.add_head_html(f"<script>{script.replace('$words', popups)}</script>")
    kind, _, rules = play.removeprefix("/play/").partition("/")
    last = f"?game={game}" if game else ""
    links = [
        ("rules", f"/{_AREAS[kind]}/{rules}" if play else f"/rules{last}"),
        ("play", play or f"/play{last}"),
        ("try", play.replace("/play/", "/try/", 1) or f"/try{last}"),
        ("idea", f"/idea/{game}" if game else "/idea"),
        ("experiments", "/experiments"),
        ("searches", "/searches"),
        ("reports", "/reports"),
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
            skip=visitor.translate(WORDS["skip"]),
            brand=name,
            areas=visitor.translate(WORDS["areas"]),
            tune=visitor.translate(WORDS["tune"]),
            links=Markup("").join(
                _link(address, visitor.translate(WORDS["nav_try" if key == "try" else key]), key == area)
                for key, address in links
            ),
            language=visitor.translate(WORDS["language"]),
            languages=Markup("").join(
                Markup('<a href="/language/{}?back={}" lang="{}" {}>{}</a>').format(
                    code, quote(here), code, _aria_current(code == visitor.language), label
                )
                for code, label in zip(LANGUAGES, in_all(OWN_NAME), strict=True)
            ),
            theme=visitor.translate(WORDS["theme"]),
            themes=Markup("").join(
                Markup('<a href="/theme/{}?back={}" {}><i aria-hidden="true">{}</i> {}</a>').format(
                    code,
                    quote(here),
                    _aria_current(code == visitor.theme),
                    _SIGNS[code],
                    visitor.translate(WORDS[code]),
                )
                for code in THEMES
            ),
        ),
        sanitize=False,
    )
    # Before the page's `main`, where a reader of screens looks for it.
    head.move(ui.context.client.layout, 0)


def note_page(text: str, lines: Iterable[str] = (), near: Iterable[tuple[str, str]] = ()) -> None:
    """A page that only says something, and where to go on: to what may have been meant (addresses and titles), too."""
    ways = [*near, ("/", WORDS["to_front"]), ("/rules", WORDS["to_last_rules"])]
    ui.html(
        Markup('<div id="main" class="note" tabindex="-1"><h1>{}</h1>{}<ul>{}</ul></div>').format(
            text,
            Markup("").join(Markup("<p><code>{}</code></p>").format(line) for line in lines),
            Markup("").join(Markup('<li><a href="{}">{}</a></li>').format(*way) for way in ways),
        ),
        sanitize=False,
    )


def rules_address(kind: str, name: str) -> str:
    """The page of some rules."""
    return f"/{_AREAS.get(kind, 'rules')}/{quote(name)}"


def missing_page(visitor: Visitor, name: str, error: InputError, listed: Sequence[ListedRuleset]) -> None:
    """A page that says what is wrong with some rules or their game, or that there are none, and which were meant."""
    refused, titles = name.partition("/")[0] in games.refused(), {one.name: one.heading or one.name for one in listed}
    known = refused or name in titles
    lines = [visitor.translate(problem.text) for problem in error.problems] if known else [name]
    near = [] if known else [(f"/rules/{quote(one)}", titles[one]) for one in nearest_first(name, titles)]
    ways = [(address, visitor.translate(title)) for address, title in near]
    note_page(visitor.translate(WORDS["game_refused" if refused else "not_found"]), lines, ways)


def nearest_first(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of some names that look like one, or else the first."""
    known = list(known)
    return difflib.get_close_matches(name, known, 3, NEAR) or known[:1]


def _link(address: str, text: str, current: bool) -> Markup:
    return Markup('<a href="{}" {}>{}</a>').format(address, _aria_current(current), text)


def _aria_current(whether: bool) -> Markup:
    return Markup('aria-current="true"') if whether else Markup("")
