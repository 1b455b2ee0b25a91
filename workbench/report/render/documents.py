"""Documents written down: as an HTML page that needs nothing else, as Markdown, in the terminal, and as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pandas as pd
import rich.table
import rich.text
from markupsafe import Markup
from rich import box
from rich.cells import cell_len
from rich.console import Console

from workbench.base import output
from workbench.base.console import wrapped
from workbench.base.language import (
    LANGUAGES,
    current,
    in_all,
    join,
    join_list,
    style_sheet,
    tr,
    translated,
    untranslated,
)
from workbench.records import records
from workbench.report import model
from workbench.report.labels import pairing_text
from workbench.report.render.replay import (
    HERE,
    SCRIPT,
    STYLE,
    TEXTS,
    ending_sentence,
    json_markup,
    replay_view,
    template_environment,
)
from workbench.report.render.svg import MAX_OPEN_ROWS, Pieces, board_svg, legend_key, panel_svg, scatter_svg, strip_svg

FAILED = tr(
    "Game {game} of {ruleset}, {pairing}, cannot be shown: from its seed this version of the "
    "workbench plays another game than the one on record."
)


def render_html(
    document: model.Document, lang: str = "en", guides: Mapping[str, str] | None = None, follow: bool = False
) -> str:
    """Return the page; it opens in ``lang`` (en or ja), and its reader may switch.

    With ``follow`` it opens in the first of these languages that the reader's browser asks for, and in ``lang`` only
    where it asks for neither or runs no scripts. A language that the reader chose is kept by the browser.

    ``guides`` are the addresses of the guide to the report in each language, where there is one.
    """
    shown = next((part for part in document.parts if isinstance(part, model.ReplayList)), None)
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


PAGE, TEXT = "report.html", "report.md"
"""The files of a document that are no charts."""


def publish(
    document: model.Document,
    folder: output.Folder,
    lang: str | None,
    tables: Mapping[str, pd.DataFrame],
    note: str,
    guides: Mapping[str, str] | None = None,
    on_progress: Callable[[float], object] = lambda share: None,
) -> list[Path]:
    """Write a document and ``tables`` (by their files) into a folder that was claimed: all of it, or nothing.

    Tables and charts of an earlier document go. ``note`` ends the message if it cannot be written; for all else see
    `write_document`. Returns the files.
    """
    with folder.transaction(note, replaces=("tables/*.csv", "*.png", "*.svg")) as stage:
        files = write_document(document, stage, lang, guides, on_progress)
        for name, table in tables.items():
            (stage / name).parent.mkdir(exist_ok=True)
            files.append(output.write_file(stage / name, records.to_csv(table, "%.6g").encode()))
    return [folder.path / path.relative_to(stage) for path in files]


def write_document(
    document: model.Document,
    folder: Path,
    lang: str | None,
    guides: Mapping[str, str] | None = None,
    on_progress: Callable[[float], object] = lambda share: None,
) -> list[Path]:
    """Write the page, the Markdown and the charts of a document into a folder, and return these files.

    Without ``lang`` the page opens in the language of its reader's browser; the other files, and a page that runs no
    script, have the language that is spoken now. ``guides`` is what `render_html` wants. ``on_progress`` is called with
    the share of the charts that are drawn.
    """
    from workbench.report.render import matplotlib as drawing

    follow, lang = lang is None, lang or current()
    files = [
        output.write_file(folder / PAGE, render_html(document, lang, guides, follow).encode()),
        output.write_file(folder / TEXT, render_markdown(document, lang).encode()),
    ]
    parts = [part.sheet if isinstance(part, model.Cards) else part for part in document.parts]
    drawn = model.Chart | model.Scatter | model.SmallMultiples | model.HeatMap
    charts = [part for part in parts if isinstance(part, drawn) and part.stem]
    on_progress(0.0)
    for number, part in enumerate(charts, start=1):
        figure = drawing.draw_figure(part, lang, translated(document.title, lang))
        files += drawing.save_figure(figure, folder / part.stem)
        on_progress(number / len(charts))
    return files


def style_of_copies() -> str:
    """Return the style of a page for a copy of it in a shadow tree, without root and body; light, as paper is."""
    style = re.sub(r":root(\[[^]]*])?", lambda found: f":host({found[1]})" if found[1] else ":host", page_style())
    style = re.sub(r"^(\s*)body \{", r"\1:host {", style, flags=re.MULTILINE)
    return style.replace("(prefers-color-scheme: dark)", "not all")


def script_element() -> str:
    """Return the only script of a page, as its element holds it; the same for all reports of this version."""
    return f"\n{_script()}"


def page_style() -> Markup:
    """Return the style of a page."""
    return _sources(HERE / "boards.css", HERE / "charts.css", HERE / "style.css", STYLE) + Markup(style_sheet())


def _script() -> Markup:
    return _sources(SCRIPT, HERE / "script.js")


def _sources(*paths: Path) -> Markup:
    return Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in paths)


def unplayable_games(shown: model.ReplayList) -> list[str]:
    """Sentences that name the games which the engine no longer plays."""
    return [
        FAILED.format(
            game=replay.game + 1,
            ruleset=shown.short[replay.ruleset],
            pairing=pairing_text((replay.first, replay.second)),
        )
        for replay in shown.replays
        if replay.moves is None
    ]


SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def render_markdown(document: model.Document, lang: str = "en") -> str:
    """Return the report as one text; charts are the files beside it."""
    lines = [f"# {_escape(translated(document.title, lang))}", "", _escape(translated(document.about, lang))]
    for number, section in enumerate(document.sections):
        if number == document.main > 0:
            lines += ["", f"# {_escape(translated(TEXTS['appendix'], lang))}"]
        lines += ["", f"## {_escape(translated(section.title, lang))}"]
        for part in section.parts:
            lines.append("")
            lines += _part(part, lang)
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Text whose signs mean nothing to Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def _part(part: model.Part, lang: str) -> Iterator[str]:
    if isinstance(part, model.Paragraph):
        text = _escape(translated(part.text, lang))
        forms = {"lead": f"**{text}**", "warning": f"> {text}", "command": f"`{translated(part.text, lang)}`"}
        yield forms.get(part.kind, text)
    elif isinstance(part, model.Bullets):
        yield from (f"* {_escape(translated(item, lang))}" for item in part.items)
    elif isinstance(part, model.Facts):
        yield from (f"* {_escape(translated(name, lang))}: `{translated(value, lang)}`" for name, value in part.items)
    elif isinstance(part, model.Table):
        yield from _table(part, lang)
    elif isinstance(part, model.HeatMap):
        yield from _heat_map(part, lang)
    elif isinstance(part, model.Chart | model.Scatter):
        yield from _picture(part, lang)
        yield _escape(translated(part.caption, lang))
    elif isinstance(part, model.SmallMultiples):
        yield _escape(translated(part.caption, lang))
        yield ""
        yield from _picture(part, lang)
        for i, item in enumerate(part.items):
            yield from ([""] if i else [])
            yield _escape(translated(item.caption, lang))
    elif isinstance(part, model.Cards):
        yield from _part(part.sheet, lang)
        for card in part.cards:
            yield from ("", f"### {_escape(translated(card.name, lang))}", "")
            if translated(card.note, lang):
                yield from (_escape(translated(card.note, lang)), "")
            yield from (
                f"* {_escape(translated(name, lang))}: {_escape(translated(value, lang))}" for name, value in card.facts
            )
            if card.lines:
                yield from ("", f"{translated(TEXTS['typical'], lang)}:", "")
            yield from (f"* `{moves}`: {_escape(translated(told, lang))}" for moves, told in card.lines)
    elif isinstance(part, model.Findings):
        yield from _findings(part, lang)
    elif isinstance(part, model.RuleChanges):
        yield from _changes(part, lang)
    elif isinstance(part, model.ReplayList):
        yield from _games(part, lang)


def _picture(part: model.Chart | model.Scatter | model.SmallMultiples, lang: str) -> Iterator[str]:
    if part.stem:
        yield f"![{_escape(translated(part.title, lang))}]({part.stem}.png)"
        yield ""


def _cell(cell: model.TableCell, escape: Callable[[str], str] = str, lang: str | None = None) -> str:
    """Return a cell in one line, what stands below its text in brackets."""
    text, small = escape(translated(cell.text, lang)), escape(translated(cell.small, lang))
    return " ".join(each for each in (text, f"({small})" if text and small and "(" not in small else small) if each)


def _table(table: model.Table, lang: str) -> Iterator[str]:
    yield _escape(translated(table.caption, lang))
    yield ""
    yield "| " + " | ".join(_cell(head, _escape, lang) for head in table.heads) + " |"
    yield "|" + "|".join("---:" if head.kind == "number" else "---" for head in table.heads) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_cell(cell, _escape, lang) for cell in row) + " |"


def _heat_map(part: model.HeatMap, lang: str) -> Iterator[str]:
    heat = part.heat
    rows = [
        [
            model.TableCell(untranslated(name)),
            *(model.TableCell(untranslated(cell.text), untranslated(cell.below)) for cell in cells),
        ]
        for name, cells in zip(heat.rows, heat.cells, strict=True)
    ]
    heads = [model.TableCell(heat.corner), *(model.TableCell(untranslated(column)) for column in heat.columns)]
    yield from _table(model.Table(part.caption, heads, rows), lang)


def _findings(part: model.Findings, lang: str) -> Iterator[str]:
    for each in part.items:
        name, title, *others = (
            _escape(translated(text, lang))
            for text in (each.name, each.title, each.certainty, each.chance, each.score, each.now, each.next_step)
        )
        certainty, chance, score, now, step = others
        known = f"{certainty} ({chance})" if chance else certainty
        yield f"* **{' '.join(filter(None, (name, title)))}**: {known}. {score}."
        moment = _escape(translated(each.moment.text, lang)) if each.moment else ""
        yield from (f"  {line}" for line in (now, moment, step) if line)


def _changes(part: model.RuleChanges, lang: str) -> Iterator[str]:
    for change in part.changes:
        yield f"### {change.number}. {_escape(translated(change.title, lang))}"
        yield ""
        yield _escape(translated(join_list([part.short[name] for name in change.proposals]), lang))
        yield ""
        for word, (setting, sentence) in (("before", change.was), ("after", change.now)):
            text = _escape(translated(sentence, lang))
            yield f"* {translated(TEXTS[word], lang)} (`{change.toggle}: {translated(setting, lang)}`): {text}"
        if change.position:
            text = _escape(translated(change.position.sentence, lang))
            yield f"* {translated(TEXTS['example'], lang)} (`{translated(change.position.about, lang)}`): {text}"
            if change.position.plays:
                yield f"* {translated(TEXTS['plays'], lang)}: `{change.position.plays}`"
        yield ""


def _games(part: model.ReplayList, lang: str) -> Iterator[str]:
    for replay in part.replays:
        pair = translated(pairing_text((replay.first, replay.second)), lang)
        reasons = _escape(translated(join_list(replay.reasons), lang))
        yield f"### {_escape(f'{translated(part.short[replay.ruleset], lang)}, {pair}')}: {reasons}"
        yield ""
        yield _escape(translated(ending_sentence(replay), lang))
        if replay.moves is not None:
            yield ""
            yield "`" + " ".join(replay.game_state.texts) + "`"
        yield ""


def print_document(document: model.Document, console: Console) -> None:
    """Print what a document answers, its warnings, and those of its tables that are marked for the terminal."""
    console.print(_styled(document.title, "bold"))
    for i, sentence in enumerate(document.answer):
        console.print(rich.text.Text(wrapped(sentence, "  " if i else "", "  ")), soft_wrap=True)
    for part in document.sections[0].parts:
        if isinstance(part, model.Paragraph) and part.kind == "warning":
            console.print(rich.text.Text(wrapped(part.text), style="yellow"), soft_wrap=True)
    for part in document.parts:
        if isinstance(part, model.Table) and part.printed:
            console.print()
            # A word that does not fit is folded; a table that does not fit all the same runs on, and loses nothing.
            console.print(_grid(part), crop=False)
            console.print(rich.text.Text(wrapped(part.caption), style="dim"), soft_wrap=True)


def _grid(table: model.Table) -> rich.table.Table:
    grid = rich.table.Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    rows = [
        (translated(join("\n", filter(None, (first.text, first.small)))), *map(_cell, others))
        for first, *others in table.rows
    ]
    for place, head in enumerate(table.heads):
        # Words stay whole, but for long names; a table that is wider than the terminal runs on.
        words = " ".join((translated(head.text), *(row[place] for row in rows))).replace("\n", " ").split(" ")
        whole = min(max(map(cell_len, words)), 12)
        right = head.kind == "number"
        grid.add_column(_styled(head.text), overflow="fold", min_width=whole, justify="right" if right else "left")
    for number, row in enumerate(rows):
        grid.add_row(*map(rich.text.Text, row), style="bold" * (number == table.emphasis))
    return grid


def _styled(text: str, style: str = "") -> rich.text.Text:
    return rich.text.Text(translated(text), style=style)
