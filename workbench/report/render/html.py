"""The sections of a report as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from workbench.language import LANGUAGES, in_all, style_sheet, tr
from workbench.report.labels import pairing_text
from workbench.report.model import Document, ReplayList
from workbench.report.render.boards import Pieces, board_svg
from workbench.report.render.replay import HERE, SCRIPT, STYLE, TEXTS, json_markup, replay_view, template_environment
from workbench.report.render.svg import MAX_OPEN_ROWS, legend_key, panel_svg, scatter_svg, strip_svg

FAILED = tr(
    "Game {game} of {ruleset}, {pairing}, cannot be shown: from its seed this version of the "
    "workbench plays another game than the one on record."
)


def render_html(
    document: Document, lang: str = "en", guides: Mapping[str, str] | None = None, follow: bool = False
) -> str:
    """The page; it opens in ``lang`` (en or ja), and its reader may switch.

    With ``follow`` it opens in the first of these languages that the reader's browser asks for, and in ``lang`` only
    where it asks for neither or runs no scripts. A language that the reader chose is kept by the browser.

    ``guides`` are the addresses of the guide to the report in each language, where there is one.
    """
    shown = next((part for part in document.parts if isinstance(part, ReplayList)), None)
    pieces = Pieces()
    return (
        template_environment()
        .get_template("page.html")
        .render(
            sections=document.sections,
            main=document.main,
            title=document.title,
            about=document.about,
            colophon=document.colophon,
            guides=guides or {},
            view=lambda: replay_view(shown, pieces) if shown else None,
            failed=unplayable_games(shown) if shown else [],
            plot=panel_svg,
            most_at_once=MAX_OPEN_ROWS,
            scatter=scatter_svg,
            strip=strip_svg,
            key=legend_key,
            board=lambda board, highlights, label: board_svg(board, pieces, highlights, label),
            t=TEXTS,
            lang=lang,
            follow=follow,
            titles=json_markup(dict(zip(LANGUAGES, in_all(document.title), strict=True))),
            definitions=pieces.definitions,
            style=page_style(),
            script=_script(),
        )
    )


def style_of_copies() -> str:
    """The style of a page for a copy of it in a shadow tree, without root and body; light, as paper is."""
    style = re.sub(r":root(\[[^]]*])?", lambda found: f":host({found[1]})" if found[1] else ":host", page_style())
    style = re.sub(r"^(\s*)body \{", r"\1:host {", style, flags=re.MULTILINE)
    return style.replace("(prefers-color-scheme: dark)", "not all")


def script_element() -> str:
    """The only script of a page, as its element holds it; the same for all reports of this version."""
    return f"\n{_script()}"


def page_style() -> Markup:
    """The style of a page."""
    return _sources(HERE / "boards.css", HERE / "charts.css", HERE / "style.css", STYLE) + Markup(style_sheet())


def _script() -> Markup:
    return _sources(SCRIPT, HERE / "script.js")


def _sources(*paths: Path) -> Markup:
    return Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in paths)


def unplayable_games(shown: ReplayList) -> list[str]:
    """Of the games that the engine no longer plays, which they are."""
    return [
        FAILED.format(
            game=replay.game + 1,
            ruleset=shown.short[replay.ruleset],
            pairing=pairing_text((replay.first, replay.second)),
        )
        for replay in shown.replays
        if replay.moves is None
    ]
