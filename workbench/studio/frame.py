"""The common parts of all pages: the frame around them, and pages that only say something."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup
from nicegui import ui

from workbench import games
from workbench.base.addons import addons
from workbench.base.errors import InputError
from workbench.base.language import LANGUAGES, OWN_NAME, in_all, style_sheet, tr, trc
from workbench.report import render
from workbench.studio.documents.rulesets import DraftStore, ListedRuleset, RulesetDocument
from workbench.studio.game_tasks import Positions
from workbench.studio.jobs import Queue
from workbench.studio.runs import ExperimentRuns
from workbench.studio.visitor import THEMES, Visitor, script_texts
from workbench.studio.workers import Workers

_SHARED, _RENDER = Path(__file__).parent / "shared", Path(render.__path__[0])
_STYLES = (
    *(_RENDER / f"{name}.css" for name in ("boards", "charts", "replay")),
    *(_SHARED / f"{name}.css" for name in ("studio", "runs")),
    *sorted(Path(__file__).parents[1].glob("addons/*/style.css")),
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
        ("experiments", tr("Experiments"), "/experiments"),
        ("reports", tr("Reports"), "/reports"),
    ]
    for place, *link in sorted(page.AREA for page in addons().studio_page()):
        links.insert(place, (link[0], link[1], link[2] + last))
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
    """Return the page of some rules."""
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


class Studio:
    """What the pages of a studio have in common: the project's texts, the processes beside the server and the runs."""

    def __init__(self, store: DraftStore, workers: Workers, queue: Queue) -> None:
        self.store, self.workers, self.queue, self.project = store, workers, queue, store.project
        self.positions = Positions(workers.drawing)
        self.experiments = ExperimentRuns(store.project, queue, workers)
        self.on_saved: list[Callable[[RulesetDocument, str, str], object]] = []
        """Called with a draft that was saved, the name of its ruleset and the language of the page."""
