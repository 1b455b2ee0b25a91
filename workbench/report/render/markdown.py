"""The sections of a report as Markdown, in one language: for reviews, wikis and those who read plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.language.text import LANGUAGES, joined, verbatim
from workbench.report.labels import pairing_text
from workbench.report.model import (
    Bullets,
    Cards,
    Chart,
    Document,
    Facts,
    HeatMap,
    Paragraph,
    Part,
    ReplayList,
    RuleChanges,
    SmallMultiples,
    Table,
    TableCell,
)
from workbench.report.render.wording import TEXTS, ending

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def markdown(document: Document, lang: str = "en") -> str:
    """The report as one text; charts are the files beside it."""
    which = LANGUAGES.index(lang)
    lines = [f"# {_plain(document.title[which])}", "", _plain(document.about[which])]
    for section in document.sections:
        lines += ["", f"## {_plain(section.title[which])}"]
        for part in section.parts:
            lines.append("")
            lines += _part(part, which)
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Text whose signs mean nothing to Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def _part(part: Part, which: int) -> Iterator[str]:
    if isinstance(part, Paragraph):
        text = _plain(part.text[which])
        yield f"**{text}**" if part.kind == "lead" else f"> {text}" if part.kind == "warning" else text
    elif isinstance(part, Bullets):
        yield from (f"* {_plain(item[which])}" for item in part.items)
    elif isinstance(part, Facts):
        yield from (f"* {_plain(name[which])}: `{value[which]}`" for name, value in part.items)
    elif isinstance(part, Table):
        yield from _table(part, which)
    elif isinstance(part, HeatMap):
        yield from _heat_map(part, which)
    elif isinstance(part, Chart):
        yield from _picture(part, which)
        yield _plain(part.caption[which])
    elif isinstance(part, SmallMultiples):
        yield _plain(part.caption[which])
        yield ""
        yield from _picture(part, which)
        for i, item in enumerate(part.items):
            yield from ([""] if i else [])
            yield _plain(item.caption[which])
    elif isinstance(part, Cards):
        yield from _part(part.sheet, which)
        for card in part.cards:
            yield from ("", f"### {_plain(card.name[which])}", "")
            if card.note[which]:
                yield from (_plain(card.note[which]), "")
            yield from (f"* {_plain(name[which])}: {_plain(value[which])}" for name, value in card.facts)
            if card.lines:
                yield from ("", f"{TEXTS['typical'][which]}:", "")
            yield from (f"* `{moves}`: {_plain(told[which])}" for moves, told in card.lines)
    elif isinstance(part, RuleChanges):
        yield from _changes(part, which)
    elif isinstance(part, ReplayList):
        yield from _games(part, which)


def _picture(part: Chart | SmallMultiples, which: int) -> Iterator[str]:
    if part.stem:
        yield f"![{_plain(part.title[which])}]({part.stem}.png)"
        yield ""


def _cell(cell: TableCell, which: int) -> str:
    text, small = _plain(cell.text[which]), _plain(cell.small[which])
    return " ".join(each for each in (text, f"({small})" if text and small and "(" not in small else small) if each)


def _table(table: Table, which: int) -> Iterator[str]:
    yield _plain(table.caption[which])
    yield ""
    yield "| " + " | ".join(_cell(head, which) for head in table.heads) + " |"
    yield "|" + "|".join("---:" if head.kind == "number" else "---" for head in table.heads) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_cell(cell, which) for cell in row) + " |"


def _heat_map(part: HeatMap, which: int) -> Iterator[str]:
    heat = part.heat
    rows = [
        [TableCell(verbatim(name)), *(TableCell(verbatim(cell.text), verbatim(cell.below)) for cell in cells)]
        for name, cells in zip(heat.rows, heat.cells, strict=True)
    ]
    heads = [TableCell(heat.corner), *(TableCell(verbatim(column)) for column in heat.columns)]
    yield from _table(Table(part.caption, heads, rows), which)


def _changes(part: RuleChanges, which: int) -> Iterator[str]:
    for change in part.changes:
        yield f"### {change.number}. {_plain(change.title[which])}"
        yield ""
        yield _plain(joined([part.short[name] for name in change.proposals])[which])
        yield ""
        for word, (setting, sentence) in (("before", change.was), ("after", change.now)):
            yield f"* {TEXTS[word][which]} (`{change.toggle}: {setting}`): {_plain(sentence[which])}"
        if change.position:
            yield f"* {TEXTS['example'][which]} (`{change.position.about}`): {_plain(change.position.sentence[which])}"
            if change.position.plays:
                yield f"* {TEXTS['plays'][which]}: `{change.position.plays}`"
        yield ""


def _games(part: ReplayList, which: int) -> Iterator[str]:
    for replay in part.replays:
        pair = pairing_text((replay.first, replay.second))[which]
        yield f"### {_plain(f'{part.short[replay.ruleset]}, {pair}')}: {_plain(joined(replay.reasons)[which])}"
        yield ""
        yield _plain(ending(replay)[which])
        if replay.moves is not None:
            yield ""
            yield "`" + " ".join(replay.game_state.texts) + "`"
        yield ""
