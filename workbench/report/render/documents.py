"""Rendering of documents as a self-contained HTML page, as Markdown, in the terminal, and as files."""

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

from workbench.base import language, output
from workbench.base.console import wrapped
from workbench.base.language import LANGUAGES, current, join, join_list, style_sheet, tr, translated, untranslated
from workbench.records import records
from workbench.report import model
from workbench.report.labels import pairing_text
from workbench.report.render import replay as replay_code
from workbench.report.render.svg import MAX_OPEN_ROWS, Pieces, board_svg, legend_key, panel_svg, scatter_svg, strip_svg

FAILED = tr(
    "Game {game} of {ruleset}, {pairing}, cannot be shown: from its seed, this version of the workbench plays "
    "a different game."
)


def render_html(
    document: model.Document, lang: str = "en", guides: Mapping[str, str] | None = None, follow: bool = False
) -> str:
    """Return the HTML page, which opens in ``lang`` (en or ja) and lets its reader switch.

    If ``follow`` is true, it opens in the language that the reader's browser prefers; ``lang`` applies if the browser
    prefers another language or runs no scripts. The browser remembers the reader's choice.

    ``guides`` maps languages to addresses of the guide to the report.
    """
    replays = next((part for part in document.parts if isinstance(part, model.ReplayList)), None)
    pieces = Pieces()
    return (
        replay_code.template_environment()
        .get_template("page.html")
        .render(
            **{name: getattr(document, name) for name in ("sections", "main", "title", "about", "colophon")},
            guides=guides or {},
            view=lambda: replay_code.replay_view(replays, pieces) if replays else None,
            failed=unplayable_games(replays) if replays else [],
            plot=panel_svg,
            most_at_once=MAX_OPEN_ROWS,
            scatter=scatter_svg,
            strip=strip_svg,
            key=legend_key,
            board=lambda board, highlights, label: board_svg(board, pieces, highlights, label),
            t=replay_code.TEXTS,
            lang=lang,
            follow=follow,
            titles=replay_code.json_markup(dict(zip(LANGUAGES, language.in_all(document.title), strict=True))),
            definitions=pieces.definitions,
            style=page_style(),
            script=_script(),
        )
    )


PAGE, TEXT = "report.html", "report.md"
"""The names of a document's page and Markdown file."""


def publish(
    document: model.Document,
    folder: output.Folder,
    lang: str | None,
    tables: Mapping[str, pd.DataFrame],
    note: str,
    guides: Mapping[str, str] | None = None,
    on_progress: Callable[[float], object] = lambda share: None,
) -> list[Path]:
    """Write a document and ``tables`` (by file name) into a claimed folder as a transaction.

    The tables and charts of an earlier document are replaced. ``note`` is appended to the error message. Returns the
    written files; `write_document` explains the other parameters.
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
    """Write a document's page, Markdown and charts into a folder, and return these files.

    If ``lang`` is None, the page opens in the language of its reader's browser; the other files, and a page without
    scripts, use the current language. ``on_progress`` receives the share of the charts that are drawn.
    """
    from workbench.report.render import matplotlib as drawing

    follow, lang = lang is None, lang or current()
    files = [
        output.write_file(folder / PAGE, render_html(document, lang, guides, follow).encode()),
        output.write_file(folder / TEXT, render_markdown(document, lang).encode()),
    ]
    parts = [part.sheet if isinstance(part, model.Cards) else part for part in document.parts]
    with_files = model.Chart | model.Scatter | model.SmallMultiples | model.HeatMap
    charts = [part for part in parts if isinstance(part, with_files) and part.stem]
    on_progress(0.0)
    for number, part in enumerate(charts, start=1):
        figure = drawing.draw_figure(part, lang, translated(document.title, lang))
        files += drawing.save_figure(figure, folder / part.stem)
        on_progress(number / len(charts))
    return files


def shadow_style() -> str:
    """Return the page's style for a copy in a shadow tree, which takes its colours from the page around it."""
    style = re.sub(r":root \{[^}]*}", "", page_style())
    style = re.sub(r":root(\[[^]]*])", r":host(\1)", style)
    return re.sub(r"^(\s*)body \{", r"\1:host {", style, flags=re.MULTILINE)


def page_style() -> Markup:
    """Return the page's style sheet."""
    return _sources(
        replay_code.HERE / "boards.css",
        replay_code.HERE / "charts.css",
        replay_code.HERE / "style.css",
        replay_code.STYLE,
    ) + Markup(style_sheet())


def _script() -> Markup:
    return _sources(replay_code.SCRIPT, *(replay_code.HERE / f"{name}.js" for name in ("page", "script")))


def _sources(*paths: Path) -> Markup:
    return Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in paths)


def unplayable_games(games: model.ReplayList) -> list[str]:
    """Return a sentence for each game that this version of the engine plays differently."""
    return [
        FAILED.format(
            game=replay.game + 1, ruleset=games.short[replay.ruleset],
            pairing=pairing_text((replay.first, replay.second)),
        )
        for replay in games.replays
        if replay.moves is None
    ]  # fmt: skip


# Markdown


def render_markdown(document: model.Document, lang: str = "en") -> str:
    """Return the document as Markdown; it links to charts in the same folder."""
    markdown = _Markdown(lang)
    lines = [f"# {markdown.text(document.title)}", "", markdown.text(document.about)]
    for number, section in enumerate(document.sections):
        if number == document.main > 0:
            lines += ["", f"# {markdown.text(replay_code.TEXTS['appendix'])}"]
        lines += ["", f"## {markdown.text(section.title)}"]
        for part in section.parts:
            lines += ["", *markdown.part(part)]
    return "\n".join(lines) + "\n"


class _Markdown:
    """A renderer of document parts as Markdown in one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def text(self, text: str) -> str:
        """Return a translated text with special characters escaped."""
        return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", translated(text, self.lang))

    def code(self, text: str) -> str:
        """Return a translated text as code."""
        return f"`{translated(text, self.lang)}`"

    def part(self, part: model.Part) -> Iterator[str]:
        """Yield the lines of a part."""
        text = self.text
        match part:
            case model.Paragraph(words, kind):
                forms = {"lead": f"**{text(words)}**", "warning": f"> {text(words)}", "command": self.code(words)}
                yield forms.get(kind, text(words))
            case model.Bullets(items):
                yield from (f"* {text(item)}" for item in items)
            case model.Facts(items):
                yield from (f"* {text(name)}: {self.code(value)}" for name, value in items)
            case model.Table():
                yield from self._table(part)
            case model.HeatMap(caption, heat):
                heads = [model.TableCell(untranslated(column)) for column in heat.columns]
                rows = [
                    [model.TableCell(untranslated(name)),
                     *(model.TableCell(untranslated(cell.text), untranslated(cell.below)) for cell in cells)]
                    for name, cells in zip(heat.rows, heat.cells, strict=True)
                ]  # fmt: skip
                yield from self._table(model.Table(caption, [model.TableCell(heat.corner), *heads], rows))
            case model.Chart() | model.Scatter():
                yield from [*self._picture(part), text(part.caption)]
            case model.SmallMultiples(caption, items):
                yield from [text(caption), "", *self._picture(part)]
                for i, item in enumerate(items):
                    yield from [*([""] if i else []), text(item.caption)]
            case model.Cards(sheet, cards):
                yield from self.part(sheet)
                for card in cards:
                    yield from self._card(card)
            case model.Findings(items):
                for finding in items:
                    yield from self._finding(finding)
            case model.RuleChanges(changes, short):
                for change in changes:
                    yield from self._change(change, join_list([short[name] for name in change.proposals]))
            case model.ReplayList(replays, short):
                for replay in replays:
                    yield from self._game(replay, short[replay.ruleset])

    def _picture(self, part: model.Chart | model.Scatter | model.SmallMultiples) -> list[str]:
        return [f"![{self.text(part.title)}]({part.stem}.png)", ""] if part.stem else []

    def _table(self, table: model.Table) -> Iterator[str]:
        yield from [self.text(table.caption), ""]
        yield "| " + " | ".join(_cell_line(head, self.text) for head in table.heads) + " |"
        yield "|" + "|".join("---:" if head.kind == "number" else "---" for head in table.heads) + "|"
        for row in table.rows:
            yield "| " + " | ".join(_cell_line(cell, self.text) for cell in row) + " |"

    def _card(self, card: model.Card) -> Iterator[str]:
        yield from ("", f"### {self.text(card.name)}", "")
        if note := self.text(card.note):
            yield from (note, "")
        yield from (f"* {self.text(name)}: {self.text(value)}" for name, value in card.facts)
        if card.lines:
            yield from ("", f"{translated(replay_code.TEXTS['typical'], self.lang)}:", "")
        yield from (f"* `{moves}`: {self.text(outcome)}" for moves, outcome in card.lines)

    def _finding(self, finding: model.Finding) -> Iterator[str]:
        text = self.text
        name = " ".join(filter(None, (text(finding.name), text(finding.title))))
        numbers = " · ".join(filter(None, map(text, (finding.certainty.text, finding.values, finding.gain))))
        yield f"* **{name}**: {numbers}"
        moment = finding.moment.text if finding.moment else ""
        yield from (
            f"  {text(line)}" for line in (*finding.sentences, finding.now, moment, finding.next_step) if text(line)
        )
        if finding.command:
            yield f"  {self.code(finding.command)}"

    def _change(self, change: model.RuleChange, proposals: str) -> Iterator[str]:
        words = {key: translated(replay_code.TEXTS[key], self.lang) for key in ("before", "after", "example", "plays")}
        yield from (f"### {change.number}. {self.text(change.title)}", "", self.text(proposals), "")
        for key, (setting, sentence) in (("before", change.was), ("after", change.now)):
            yield f"* {words[key]} (`{change.toggle}: {translated(setting, self.lang)}`): {self.text(sentence)}"
        if position := change.position:
            yield f"* {words['example']} ({self.code(position.about)}): {self.text(position.sentence)}"
            if position.plays:
                yield f"* {words['plays']}: `{position.plays}`"
        yield ""

    def _game(self, replay: model.Replay, short: str) -> Iterator[str]:
        pair = pairing_text((replay.first, replay.second))
        yield f"### {self.text(short)}, {self.text(pair)}: {self.text(join_list(replay.reasons))}"
        yield from ("", self.text(replay_code.ending_sentence(replay)))
        if replay.moves is not None:
            yield from ("", "`" + " ".join(replay.game_state.texts) + "`")
        yield ""


def _cell_line(cell: model.TableCell, write: Callable[[str], str]) -> str:
    """Return a cell in one line with its second line in parentheses."""
    text, small = write(cell.text), write(cell.small)
    return " ".join(filter(None, (text, f"({small})" if text and small and "(" not in small else small)))


# Terminal


def print_document(document: model.Document, console: Console, tables: bool = True) -> None:
    """Print a document's answer and warnings, and the ``tables`` marked as printed."""
    console.print(_styled(document.title, "bold"))
    for i, sentence in enumerate(document.answer):
        console.print(rich.text.Text(wrapped(sentence, "  " if i else "", "  ")), soft_wrap=True)
    for part in document.sections[0].parts:
        if isinstance(part, model.Paragraph) and part.kind == "warning":
            console.print(rich.text.Text(wrapped(part.text), style="yellow"), soft_wrap=True)
    for part in document.parts:
        if tables and isinstance(part, model.Table) and part.printed:
            console.print()
            # Tables wider than the terminal are not cropped.
            console.print(_grid(part), crop=False)
            console.print(rich.text.Text(wrapped(part.caption), style="dim"), soft_wrap=True)


def _grid(table: model.Table) -> rich.table.Table:
    grid = rich.table.Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    rows = [
        (translated(join("\n", filter(None, (first.text, first.small)))),
         *(_cell_line(cell, translated) for cell in remaining))
        for first, *remaining in table.rows
    ]  # fmt: skip
    for column, head in enumerate(table.heads):
        # Only long names may be broken.
        all_words = " ".join((translated(head.text), *(row[column] for row in rows))).replace("\n", " ").split(" ")
        min_width = min(max(map(cell_len, all_words)), 12)
        right = head.kind == "number"
        grid.add_column(_styled(head.text), overflow="fold", min_width=min_width, justify="right" if right else "left")
    for number, row in enumerate(rows):
        grid.add_row(*map(rich.text.Text, row), style="bold" * (number == table.emphasis))
    return grid


def _styled(text: str, style: str = "") -> rich.text.Text:
    return rich.text.Text(translated(text), style=style)
