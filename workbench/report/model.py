"""The content of a report, independent of its presentation: sections of parts, in both languages.

`workbench.report.sections` makes these values, `workbench.report.render` renders them. A chart is described once and
drawn twice: by `render.svg` for the page, by `render.matplotlib` for files. Its **panel** has a scale and rows; a
**row** represents a ruleset (or a factor) and has lines; a **line** is one estimate of one **series**, with a text and
the **marks** that show it on the scale. Marks with unknown (NaN) numbers are not drawn; lines beyond the scale end in
an arrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from workbench.base.language import in_all, join, tr, untranslated
from workbench.engine import contract
from workbench.engine.players import Codes
from workbench.games.declaration import Board
from workbench.positions.game_state import GameState
from workbench.report.labels import format_amount, format_percent, share_text


@dataclass(frozen=True)
class Dot:
    """An estimate; ``hollow`` marks an undecided comparison."""

    value: float
    hollow: bool = False


@dataclass(frozen=True)
class Interval:
    """A thick line: a confidence interval, or the middle half of a distribution."""

    low: float
    high: float


@dataclass(frozen=True)
class Bounds:
    """A thin whisker: the range of the value over all results of the unfinished games."""

    low: float
    high: float


@dataclass(frozen=True)
class Exact:
    """An open diamond: the exact value."""

    value: float


@dataclass(frozen=True)
class Median:
    """An upright tick."""

    value: float


@dataclass(frozen=True)
class Survival:
    """The area under a step curve that starts at 1; ``steps`` are positions with the share after each step."""

    steps: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Course:
    """A curve along the scale; heights range from 0 at the bottom of the row to 1 at its top."""

    points: tuple[tuple[float, float, float, float], ...]
    """(position on the scale, lower edge of the band, middle, upper edge)."""
    reference: tuple[tuple[float, float], ...] = ()
    """A reference curve of (position, height)."""
    level: float | None = None
    """The height of a horizontal line."""
    ends: tuple[str, str] = ("", "")
    """Labels of the bottom and the top."""


Mark = Dot | Interval | Bounds | Exact | Median | Survival | Course


def estimate_marks(value: float, low: float, high: float, hollow: bool = False) -> tuple[Interval, Dot]:
    """Return the marks of an estimate with its interval."""
    return Interval(low, high), Dot(value, hollow)


@dataclass(frozen=True)
class Series:
    """The legend entry of a colour and a shape."""

    number: int
    label: str


@dataclass(frozen=True)
class Line:
    """An estimate with its text and its marks in drawing order."""

    series: int
    marks: tuple[Mark, ...]
    text: str
    name: str = ""
    """Unique within the row."""

    @property
    def has_area(self) -> bool:
        """True if the line has an area."""
        return any(isinstance(mark, Survival) and mark.steps for mark in self.marks)

    @property
    def has_course(self) -> bool:
        """True if the line has a course, which needs even more room."""
        return any(isinstance(mark, Course) for mark in self.marks)


@dataclass(frozen=True)
class Row:
    """A ruleset or another subject of comparison, and its lines."""

    name: str
    """The full name, unique within the chart."""
    label: str
    lines: tuple[Line, ...]
    title: str = ""
    """Text below or beside the label."""
    baseline: bool = False


@dataclass(frozen=True)
class Scale:
    """The range of a panel with its ticks, band and even line."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    """Positions and labels."""
    even: float | None = None
    """The position of a vertical line."""
    band: tuple[float, float] | None = None
    """The shaded range."""
    left: str | None = None
    """The meaning of values to the left and to the right of ``even``."""
    right: str | None = None

    def share(self, value: float) -> float:
        """Return a position as a share of the scale's width; values beyond the scale are clipped."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def labelled(self, letters: float) -> list[int]:
        """Return the indices of the ticks whose labels fit on a strip as wide as so many letters, from ``even`` on.

        Labels are dropped rather than printed over each other.
        """
        count = len(self.ticks)
        start = next(
            (i for i, tick in enumerate(self.ticks) if self.even is not None and math.isclose(tick[0], self.even)), 0
        )
        # A label at an end of the strip stands beside its tick, not below it.
        widest = 1.5 * max((len(text) for _, label in self.ticks for text in in_all(label)), default=0) + 1
        spacing = letters * (self.ticks[1][0] - self.ticks[0][0]) / (self.high - self.low) if count > 1 else letters
        step = max(1, math.ceil(widest / max(spacing, 1e-9)))
        return [i for i in range(count) if (i - start) % step == 0]

    def contains(self, value: float) -> bool:
        """Return whether a value lies on the scale."""
        return self.low <= value <= self.high


def interval_ends(rows: Iterable[Row]) -> list[float]:
    """Return both ends of every interval in the rows."""
    marks = [mark for row in rows for line in row.lines for mark in line.marks if isinstance(mark, Interval)]
    return [end for mark in marks for end in (mark.low, mark.high)]


def round_up(number: float) -> float:
    """Round a positive number up to 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(number))
    return float(next(size * power for size in (1, 2, 5, 10) if size * power >= number * 0.999))


def fit_scale(
    values: Iterable[float],
    label: Callable[[float], str],
    even: float | None = None,
    band: tuple[float, float] | None = None,
    left: str | None = None,
    right: str | None = None,
    from_zero: bool = False,
    whole: bool = False,
) -> Scale:
    """Return a scale for all finite values, the even line and the band, with about five ticks.

    ``from_zero``: the scale starts at 0; ``whole``: ticks are whole numbers.
    """
    ends = [value for value in values if math.isfinite(value)]
    ends += [even] if even is not None else []
    ends += [end for end in band or () if math.isfinite(end)]
    ends += [0.0] if from_zero else []
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    margin = 0.06 * (high - low)
    low, high = (0.0 if from_zero and low >= 0 else low - margin), high + margin
    step = round_up(max((high - low) / 5, 1.0 if whole else 0.0))
    start = math.ceil(low / step - 1e-9)
    ticks = tuple((n * step, label(n * step)) for n in range(start, math.floor(high / step + 1e-9) + 1))
    return Scale(low, high, ticks, even, band, left, right)


@dataclass(frozen=True)
class Panel:
    """Rows on a common scale."""

    scale: Scale
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class HeatCell:
    """A number of a heat map."""

    value: float
    text: str
    below: str = ""
    shade: float = 0.0
    """The colour, -1 to 1; 0 if no difference from even is significant, NaN if there is no number."""


@dataclass(frozen=True)
class Heat:
    """A matrix of numbers; significant differences from even are coloured."""

    corner: str
    """The meaning of its rows and columns."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Sequence[Sequence[HeatCell]]


Squares = frozenset[tuple[int, int]]
"""Cells of a board, as (row, column)."""
Highlights = Mapping[str, Sequence[tuple[int, int]] | Squares]
"""Kind of a mark on a board (``last``, ``open``, ``shut``, ``warm heat-1`` …) -> its cells."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``kind`` is ``lead``, ``note``, ``warning``, ``next``, ``command`` or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[str]


@dataclass(frozen=True)
class TableCell:
    """A cell of a table."""

    text: str = ""
    small: str = ""
    """A second line below ``text``."""
    sort: float | str | None = None
    """The sort key if it is not the text."""
    kind: str = ""
    """``number``, ``verdict good``, ``verdict bad`` or ``verdict open``."""


def numeric_cell(text: str, value: float, small: str = "") -> TableCell:
    """Return a cell with a number as its sort key."""
    return TableCell(text, untranslated(small), None if math.isnan(value) else float(value), "number")


def share_cell(row: Mapping[Any, Any], name: str) -> TableCell:
    """Return a cell with a record's share and its interval."""
    return numeric_cell(share_text(row, name), row[name])


class Column(NamedTuple):
    """A column of a table with one row per record."""

    head: TableCell
    cell: Callable[[Any], TableCell]
    """Returns a record's cell."""

    @classmethod
    def plain(cls, head: str, cell: Callable[[Any], TableCell]) -> Column:
        """Return a column of words or verdicts."""
        return cls(TableCell(head), cell)

    @classmethod
    def text(cls, head: str, text: Callable[[Any], str]) -> Column:
        """Return a column of words in a single line."""
        return cls(TableCell(head), lambda record: TableCell(text(record)))

    @classmethod
    def optional(
        cls, head: str, find: Callable[[Any], Any], cell: Callable[[Any], TableCell], small: str = "", kind: str = ""
    ) -> Column:
        """Return a column of cells made from the values that ``find`` returns; cells are empty if it returns None."""

        def found_cell(record: Any) -> TableCell:
            value = find(record)
            return TableCell() if value is None else cell(value)

        return cls(TableCell(head, small, kind=kind), found_cell)

    @classmethod
    def number(cls, head: str, cell: Callable[[Any], TableCell]) -> Column:
        """Return a column of numbers."""
        return cls(TableCell(head, kind="number"), cell)

    @classmethod
    def amount(cls, head: str, name: str, digits: int = 0) -> Column:
        """Return a column with each record's number ``name``."""
        return cls.number(head, lambda row: numeric_cell(format_amount(row[name], digits), row[name]))

    @classmethod
    def percent(cls, head: str, name: str, digits: int = 1) -> Column:
        """Return a column with each record's share ``name``."""
        return cls.number(head, lambda row: numeric_cell(format_percent(row[name], digits), row[name]))

    @classmethod
    def share(cls, head: str, name: str) -> Column:
        """Return a column with each record's share ``name`` and its interval."""
        return cls.number(head, lambda row: share_cell(row, name))


@dataclass(frozen=True)
class Table:
    """A table with sortable columns; the first cell of each row is the row's heading."""

    caption: str
    heads: Sequence[TableCell]
    rows: Sequence[Sequence[TableCell]]
    emphasis: int | None = None
    """The row of the baseline."""
    folded: bool = False
    """True if the page collapses it."""
    printed: bool = False
    """True if the terminal prints it, too."""

    @classmethod
    def of(
        cls, caption: str, columns: Sequence[Column], records: Iterable[Any], emphasis: int | None = None,
        folded: bool = False, printed: bool = False,
    ) -> Table:  # fmt: skip
        """Return a table with one row per record."""
        rows = [[column.cell(record) for column in columns] for record in records]
        return cls(caption, [column.head for column in columns], rows, emphasis, folded, printed)

    def without_empty_columns(self) -> Table:
        """Return the table without columns that have no text in any row."""
        columns = [i for i in range(len(self.heads)) if any(row[i].text for row in self.rows)]
        rows = [[row[i] for i in columns] for row in self.rows]
        return replace(self, heads=[self.heads[i] for i in columns], rows=rows)


@dataclass(frozen=True)
class Point:
    """A point of a scatter plot."""

    across: float
    up: float
    kind: str
    """``main``, ``shown`` or ``faint``, in descending prominence."""
    text: str
    """A description in words."""
    label: str = ""
    """Text beside the point."""
    link: str = ""
    """The address that a click opens."""


@dataclass(frozen=True)
class Scatter:
    """A scatter plot with its caption."""

    id: str
    across: Scale
    up: Scale
    across_title: str
    up_title: str
    points: Sequence[Point]
    """In drawing order."""
    caption: str
    title: str
    stem: str
    """The name of its PNG and SVG files."""


@dataclass(frozen=True)
class HeatMap:
    """A matrix as a coloured table with its caption."""

    caption: str
    heat: Heat
    title: str
    stem: str
    """The name of its PNG and SVG files."""


@dataclass(frozen=True)
class Chart:
    """A chart with its caption."""

    id: str
    panel: Panel
    caption: str
    series: Sequence[Series] = ()
    """The legend's entries; empty for a single series."""
    stem: str = ""
    """The name of its PNG and SVG files; empty for a chart in `SmallMultiples`."""
    title: str = ""


@dataclass(frozen=True)
class Diagram:
    """A board with highlights and a caption."""

    id: str
    board: Board
    highlights: Highlights
    caption: str
    title: str = ""


@dataclass(frozen=True)
class SmallMultiples:
    """Charts or boards side by side for comparison."""

    caption: str
    """A caption for all of them."""
    items: Sequence[Chart | Diagram]
    stem: str = ""
    """The name of their common file; empty for boards."""
    title: str = ""


@dataclass(frozen=True)
class Card:
    """A summary of the facts about a ruleset."""

    row: str
    """The name of its row in the charts of `Cards`."""
    name: str
    title: str
    facts: Sequence[tuple[str, str]]
    lines: Sequence[tuple[str, str]] = ()
    """Opening moves with the results of games that start with them."""
    note: str = ""
    """The reason why something is missing."""


@dataclass(frozen=True)
class Cards:
    """Cards that each contain a row of every chart; in a file the charts are side by side."""

    sheet: SmallMultiples
    cards: Sequence[Card]
    shown: int
    """The number of cards that are not collapsed."""
    more: str = ""
    """The text that expands the others."""


@dataclass(frozen=True)
class Moment:
    """A position in which a rule applies, with the player's moves under the baseline and the proposal."""

    id: str
    board: Board
    highlights: Highlights
    """``shut``: the move under the baseline; ``open``: the proposal's; ``last``: cells that both moves touch."""
    text: str
    """A description in one line."""
    move: str
    """The number of the move, from 1."""
    was: str
    now: str
    """The moves under the baseline and the proposal."""
    replays: Sequence[Replay]
    """The game continued under both rulesets."""


class Certainty(NamedTuple):
    """A claim and how sure it is: settled, likely, cannot tell yet, or no difference that matters."""

    claim: str
    """The settled or likely effect; "" if there is none."""
    word: str
    kind: str
    """``good``, ``bad``, ``open`` or empty."""
    chance: str = ""
    """The probability of a claim that is only likely."""

    @property
    def text(self) -> str:
        """The claim with its word, and its probability if it is only likely."""
        word = tr("{word} {chance}", word=self.word, chance=self.chance) if self.chance else self.word
        return tr("{claim}, {word}", claim=self.claim, word=word) if self.claim else word


MAX_STEPS = 2
"""The most next steps in text."""


@dataclass(frozen=True)
class Finding:
    """The result for a proposal or a rule change, in brief."""

    name: str
    title: str
    certainty: Certainty
    values: str = ""
    """The question's measure without and with the change."""
    gain: str = ""
    """The change in the question's measure with its interval."""
    reason: str = ""
    """One sentence on what changes in the games, or on why nothing is sure."""
    others: Sequence[str] = ()
    """Sentences on what else changes."""
    next_step: str = ""
    """The next step towards a decision and its cost."""
    command: str = ""
    """The command of the next step."""
    was: str = ""
    now: str = ""
    """The changed rule before and after the change, each as a sentence."""
    position: Position | None = None
    """A position that shows the change."""
    number: int = 0
    """The number of the position among those of `RuleChanges`."""
    game: str = ""
    """A sample game of `ReplayList`: ruleset, players and number, separated by slashes."""
    moment: Moment | None = None
    """A position from the report's games in which the change applies."""
    row: str = ""
    """The name of its row in the chart of `Findings`."""
    anchor: str = ""
    """The card's anchor for links."""

    @property
    def headline(self) -> str:
        """The name with its certainty and numbers."""
        return join(" · ", [tr("{name}: {value}", name=self.name, value=self.certainty.text), self.values, self.gain])

    @property
    def sentences(self) -> list[str]:
        """The remaining sentences of the card."""
        return [text for text in (self.reason, *self.others) if text]


@dataclass(frozen=True)
class Findings:
    """The answer as a card for each proposal or rule change."""

    items: Sequence[Finding]
    shown: int
    """The number of cards that are not collapsed."""
    more: str = ""
    """The text that expands the others."""
    chart: Chart | None = None
    """A chart with a row for each card."""


@dataclass(frozen=True)
class Facts:
    """Pairs of a name and a value."""

    items: Sequence[tuple[str, str]]
    code: bool = False


@dataclass(frozen=True)
class Position:
    """A position that shows a rule change."""

    sentence: str
    about: str
    """The setting that ``sentence`` describes."""
    board: Board
    highlights: Highlights
    plays: str
    """The moves from the start; empty for a position that was set up."""
    opened: str | None
    """The moves that only the proposal allows."""
    shut: str | None
    """The moves that only the baseline allows."""
    outcome: str | None
    """The outcomes under the baseline and under the proposal if they differ."""

    @property
    def is_diagram(self) -> bool:
        """True if the board shows squares marked by the rules but no game."""
        return self.marked and self.opened is None and self.shut is None

    @property
    def marked(self) -> bool:
        """True if the board has highlights."""
        return any(self.highlights.values())


@dataclass(frozen=True)
class RuleChange:
    """A toggle setting of at least one proposal that differs from the baseline's."""

    number: int
    """The number, from 1, in the order of the family's declaration."""
    toggle: str
    title: str
    was: tuple[str, str]
    """The baseline's setting and its sentence."""
    now: tuple[str, str]
    proposals: tuple[str, ...]
    position: Position | None


@dataclass(frozen=True)
class Replay:
    """A replayed game."""

    ruleset: str
    first: str
    second: str
    game: int
    seed: int
    result: str
    termination: str
    plies: int
    reasons: tuple[str, ...]
    """The reasons for showing it."""
    family: str
    codes: Codes
    moves: tuple[int, ...] | None
    """None if the engine no longer plays this game from its seed."""
    evaluations: tuple[int, ...] = ()
    """The first seat's expected score after each ply (`Trace.evaluations`); empty between random players."""
    setup: Mapping[str, Any] | None = None
    """The initial position if it is not the start."""
    link: str = ""
    """The link id of a game that has no record."""
    about: str = ""
    """The description of a game that has no record."""
    parting: int = 0
    """The ply, from 1, at which it diverges from another game; 0 if there is none."""

    @cached_property
    def game_state(self) -> GameState:
        """The game at its end."""
        game_state = GameState(self.family, self.codes, self.setup)
        for move in self.moves or ():
            game_state.push(move)
        return game_state

    def boards(self) -> Iterator[Board]:
        """Yield every position from the start to the end of the game."""
        game_state = self.game_state
        for ply in range(game_state.plies):
            yield game_state.board(ply)
        yield game_state.board()

    def seats(self) -> str:
        """Return the seats that made the moves, as a string of 0s and 1s."""
        game_state = self.game_state
        states = (game_state.before(ply) for ply in range(game_state.plies))
        return "".join(str(int(contract.seat(game_state.rules, state))) for state in states)


@dataclass(frozen=True)
class RuleChanges:
    """The proposals' rule changes with their positions."""

    changes: Sequence[RuleChange]
    short: dict[str, str]


@dataclass(frozen=True)
class ReplayList:
    """The replay viewer."""

    replays: Sequence[Replay]
    short: dict[str, str]
    count: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """The number of games in each cell."""


Part = (
    Paragraph | Bullets | Table | HeatMap | Chart | Scatter | SmallMultiples | Cards | Findings | Facts | RuleChanges
    | ReplayList
)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A heading with the parts below it."""

    id: str
    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Document:
    """A complete report."""

    title: str
    about: str
    colophon: str
    sections: Sequence[Section]
    main: int = 0
    """The number of sections that answer the question (0: all); the others form the appendix."""

    @classmethod
    def answering(cls, title: str, answer: Sequence[str], *tables: Table) -> Document:
        """Return a document with sentences and tables for the terminal."""
        lead, *remaining = answer
        return cls(title, "", "", [Section("answer", "", [Paragraph(lead, "lead"), Bullets(remaining), *tables])])

    @property
    def parts(self) -> Iterator[Part]:
        """The parts of all sections in order."""
        for section in self.sections:
            yield from section.parts

    @property
    def answer(self) -> list[str]:
        """The sentences of the first section except its tables and warnings."""
        texts: list[str] = []
        for part in self.sections[0].parts:
            match part:
                case Paragraph(text, "lead" | "next" | "command"):
                    texts.append(text)
                case Facts(items):
                    texts += [join(": ", item) for item in items]
                case Bullets(items):
                    texts += items
                case Findings(items, shown):
                    for item in items[:shown]:
                        is_known = item.certainty.kind != "open" or len(items) == 1
                        texts += [item.headline, *(item.sentences if is_known else [])]
                    steps = dict.fromkeys((item.next_step, item.command) for item in items if item.next_step)
                    texts += [tr("Next: {step}", step=join(" ", filter(None, step))) for step in [*steps][:MAX_STEPS]]
        return texts
