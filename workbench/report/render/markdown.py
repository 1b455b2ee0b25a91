"""The sections of a report as Markdown, in one language: for reviews, wikis and those who read plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.language import listed, translated, verbatim
from workbench.report.labels import pairing_text
from workbench.report.model import (
    Bullets,
    Cards,
    Chart,
    Document,
    Facts,
    Findings,
    HeatMap,
    Paragraph,
    Part,
    ReplayList,
    RuleChanges,
    Scatter,
    SmallMultiples,
    Table,
    TableCell,
)
from workbench.report.render.replay import TEXTS, ending_sentence

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def render_markdown(document: Document, lang: str = "en") -> str:
    """The report as one text; charts are the files beside it."""
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


def _part(part: Part, lang: str) -> Iterator[str]:
    if isinstance(part, Paragraph):
        text = _escape(translated(part.text, lang))
        forms = {"lead": f"**{text}**", "warning": f"> {text}", "command": f"`{translated(part.text, lang)}`"}
        yield forms.get(part.kind, text)
    elif isinstance(part, Bullets):
        yield from (f"* {_escape(translated(item, lang))}" for item in part.items)
    elif isinstance(part, Facts):
        yield from (f"* {_escape(translated(name, lang))}: `{translated(value, lang)}`" for name, value in part.items)
    elif isinstance(part, Table):
        yield from _table(part, lang)
    elif isinstance(part, HeatMap):
        yield from _heat_map(part, lang)
    elif isinstance(part, Chart | Scatter):
        yield from _picture(part, lang)
        yield _escape(translated(part.caption, lang))
    elif isinstance(part, SmallMultiples):
        yield _escape(translated(part.caption, lang))
        yield ""
        yield from _picture(part, lang)
        for i, item in enumerate(part.items):
            yield from ([""] if i else [])
            yield _escape(translated(item.caption, lang))
    elif isinstance(part, Cards):
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
    elif isinstance(part, Findings):
        yield from _findings(part, lang)
    elif isinstance(part, RuleChanges):
        yield from _changes(part, lang)
    elif isinstance(part, ReplayList):
        yield from _games(part, lang)


def _picture(part: Chart | Scatter | SmallMultiples, lang: str) -> Iterator[str]:
    if part.stem:
        yield f"![{_escape(translated(part.title, lang))}]({part.stem}.png)"
        yield ""


def _cell(cell: TableCell, lang: str) -> str:
    text, small = _escape(translated(cell.text, lang)), _escape(translated(cell.small, lang))
    return " ".join(each for each in (text, f"({small})" if text and small and "(" not in small else small) if each)


def _table(table: Table, lang: str) -> Iterator[str]:
    yield _escape(translated(table.caption, lang))
    yield ""
    yield "| " + " | ".join(_cell(head, lang) for head in table.heads) + " |"
    yield "|" + "|".join("---:" if head.kind == "number" else "---" for head in table.heads) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_cell(cell, lang) for cell in row) + " |"


def _heat_map(part: HeatMap, lang: str) -> Iterator[str]:
    heat = part.heat
    rows = [
        [TableCell(verbatim(name)), *(TableCell(verbatim(cell.text), verbatim(cell.below)) for cell in cells)]
        for name, cells in zip(heat.rows, heat.cells, strict=True)
    ]
    heads = [TableCell(heat.corner), *(TableCell(verbatim(column)) for column in heat.columns)]
    yield from _table(Table(part.caption, heads, rows), lang)


def _findings(part: Findings, lang: str) -> Iterator[str]:
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


def _changes(part: RuleChanges, lang: str) -> Iterator[str]:
    for change in part.changes:
        yield f"### {change.number}. {_escape(translated(change.title, lang))}"
        yield ""
        yield _escape(translated(listed([part.short[name] for name in change.proposals]), lang))
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


def _games(part: ReplayList, lang: str) -> Iterator[str]:
    for replay in part.replays:
        pair = translated(pairing_text((replay.first, replay.second)), lang)
        reasons = _escape(translated(listed(replay.reasons), lang))
        yield f"### {_escape(f'{translated(part.short[replay.ruleset], lang)}, {pair}')}: {reasons}"
        yield ""
        yield _escape(translated(ending_sentence(replay), lang))
        if replay.moves is not None:
            yield ""
            yield "`" + " ".join(replay.game_state.texts) + "`"
        yield ""
