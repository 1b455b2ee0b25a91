"""Names of rulesets, players and codes of an analysis; access to rows of its tables; texts of several sections."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from workbench import games
from workbench.base.language import LANGUAGES, bilingual, in_all, join, join_list, strip_period, tr, trc, untranslated
from workbench.experiments.measures import FAIRNESS, PLIES, measure_by_name
from workbench.games.declaration import Declaration, Named, Toggle
from workbench.report import labels
from workbench.report.model import Column, Line, Mark, Row, Series, TableCell, numeric_cell
from workbench.report.verdicts import NOTES, VERDICTS, Words
from workbench.rules.rulesets import is_tried
from workbench.statistics import Analysis, AnalysisPlan
from workbench.statistics.intervals import Estimate

UNITS = {
    "share": tr("points"), "plies": tr("plies"), "moves": tr("moves"), "count": tr("a game"),
    "ratio": tr("in a hundred"), "variety": trc("names", "openings"),
}  # fmt: skip
"""The units of differences in measures."""
SUBJECTS = {"result": tr("results"), "plies": tr("lengths")}
"""Subjects of warnings other than rulesets, toggles and events."""
MAX_NAMES = 12
"""Longer lists of rulesets are replaced by their number."""
MAX_LETTERS = 200
"""Lists of rulesets with more letters are replaced by their number."""
Pairing = tuple[str, str]
Record = Mapping[Any, Any]
ByCell = Mapping[tuple[str, str, str], Record]
"""Rows by ruleset, first agent and second agent."""


@dataclass(frozen=True)
class Names:
    """The names of an experiment's rulesets and pairings."""

    plan: AnalysisPlan

    @cached_property
    def short_names(self) -> dict[str, str]:
        """Full name -> the shortest distinguishing name."""
        return labels.ruleset_labels(self.plan.rulesets)

    @property
    def rulesets(self) -> list[str]:
        """The full names in plan order."""
        return list(self.short_names)

    def short(self, ruleset: str) -> str:
        """Return a ruleset's short name."""
        return self.short_names.get(ruleset, ruleset)

    def title(self, ruleset: str) -> str:
        """Return a ruleset's title without its leading short name, and the name of its file if that is another."""
        title = next((entry.heading for entry in self.plan.rulesets if entry.name == ruleset), untranslated(""))
        short, file = self.short(ruleset), "" if is_tried(ruleset) else ruleset.rpartition("/")[2]
        texts = {}
        for language, label, text in zip(LANGUAGES, in_all(short), in_all(title), strict=True):
            spelled = re.escape(label).replace(r"\+", r" ?\+ ?")
            lead = re.match(f"{spelled}(?:, |: |：|(?=（)|$)", text)
            rest = text[lead.end() :] if lead else text
            rest = rest[1:-1] if rest.startswith("（") and rest.endswith("）") else rest
            texts[language] = "\N{EM SPACE}".join(part for part in (rest, file) if part not in ("", label))
        return bilingual(**texts)

    def ruleset_cell(self, ruleset: str, titled: bool = False) -> TableCell:
        """Return a ruleset as a row heading."""
        position = self.rulesets.index(ruleset) if ruleset in self.short_names else len(self.short_names)
        return TableCell(untranslated(self.short(ruleset)), self.title(ruleset) if titled else "", sort=float(position))

    def ruleset_column(self, titled: bool = False) -> Column:
        """Return a column of the records' rulesets."""
        return Column.plain(tr("ruleset"), lambda row: self.ruleset_cell(str(row["ruleset"]), titled))

    def players_column(self) -> Column:
        """Return a column of the records' players."""

        def players(row: Record) -> TableCell:
            pair = (str(row["first"]), str(row["second"]))
            return TableCell(labels.pairing_text(pair), sort=float(self.series_number(pair)))

        return Column.plain(tr("players"), players)

    def cell_columns(self) -> tuple[Column, Column]:
        """Return columns of the records' rulesets and players."""
        return self.ruleset_column(), self.players_column()

    def series_number(self, pairing: Pairing) -> int:
        """Return the series number of a pairing."""
        return list(self.plan.pairings).index(pairing)

    @cached_property
    def strongest(self) -> Pairing:
        """The strongest pairing, on which the answer is based."""
        return self.plan.strongest_pairing()

    @cached_property
    def level(self) -> str:
        """The strongest players in words."""
        return labels.pairing_text(self.strongest)

    @cached_property
    def baseline(self) -> str:
        """The short name of the baseline."""
        return self.short(self.plan.baseline)

    def seat_names(self, ruleset: str) -> tuple[str, str]:
        """Return the names of the two seats."""
        game = self.plan.ruleset(ruleset).game
        if game in games.names():
            return games.declaration(game).seats
        return trc("first seat", "First"), trc("second seat", "Second")

    def factor_name(self, name: str) -> str:
        """Return the name of a factor: a toggle's title, "ruleset" for `base`, or the name itself."""
        if name == "base":
            return tr("ruleset")
        return next((toggle.title for toggle in self._toggles if toggle.name == name), name)

    def level_name(self, factor: str, level: str) -> str:
        """Return the name of a factor's level; a ruleset's name omits its family."""
        return level.partition("/")[2] or level if factor == "base" else level

    def choice_name(self, code: str) -> str:
        """Return the name of a choice that players make: their style, or a choice declared by the family."""
        choices = (declaration.player_choice for declaration in self._declarations if declaration.player_choice)
        return next((choice.title or choice.name for choice in choices if choice.name == code), tr("style"))

    def name_without_choices(self, ruleset: str) -> str:
        """Return a varied ruleset's levels without the players' choices, or the game's name if none remain."""
        declaration = games.declaration(self.plan.ruleset(ruleset).game)
        chosen_toggles = declaration.player_choice.toggles if declaration.player_choice else ()
        levels = [
            tr("{factor} {level}", factor=self.factor_name(factor), level=level)
            for factor, level in self.plan.experiment.levels.get(ruleset, {}).items()
            if factor not in chosen_toggles
        ]
        return join_list(levels) if levels else declaration.title

    def event_sentence(self, name: str) -> str:
        """Return an event's sentence without its full stop; the event may be ``plies``."""
        if name == PLIES:
            return trc("names", "plies")
        event = next((event for event in self._events if event.name == name), None)
        return strip_period(event.sentence) if event else name

    def measure_name(self, code: str) -> str:
        """Return the title of a measure of `comparisons`; an event's title is its sentence."""
        return measure_by_name(code, self.event_sentence).title

    def more_or_less(self, code: str, more: bool) -> str:
        """Return the words for an increase (``more``) or a decrease in a measure."""
        measure = measure_by_name(code, self.event_sentence)
        if word := measure.more if more else measure.less:
            return word
        if measure.is_share:
            word = tr("more {what}") if more else tr("fewer {what}")
        else:
            word = tr("more of {what}") if more else tr("less of {what}")
        return word.format(what=measure.title)

    @cached_property
    def words(self) -> Words:
        """The words for an increase and a decrease in the question's measure."""
        measure = self.plan.question_measure.name
        if measure == FAIRNESS:
            return Words(VERDICTS["fairer"].text, VERDICTS["less_fair"].text, True)
        return Words(self.more_or_less(measure, True), self.more_or_less(measure, False), False)

    @staticmethod
    def unit_name(code: str) -> str:
        """Return the unit of differences in a measure."""
        measure = measure_by_name(code)
        return UNITS.get(measure.name) or UNITS.get(measure.unit) or untranslated(measure.unit)

    def change_text(self, measure: str, value: float, low: float = math.nan, high: float = math.nan) -> str:
        """Return a difference in a measure with its unit and interval."""
        return labels.format_change(value, low, high, self.unit_name(measure), unit_factor(measure))

    def landmark_sentence(self, name: str) -> str:
        """Return the sentence of a landmark."""
        marks = (mark for declaration in self._declarations for mark in declaration.landmarks)
        return next((mark.sentence for mark in marks if mark.name == name), name)

    def subject_name(self, name: str) -> str:
        """Return the subject of a warning: a ruleset, a toggle, an event, or one of `SUBJECTS`."""
        if name in self.short_names:
            return untranslated(self.short(name))
        return SUBJECTS.get(name) or (
            self.event_sentence(name) if self.factor_name(name) == untranslated(name) else self.factor_name(name)
        )

    def capped_method_sentence(self) -> str:
        """Return a sentence on the treatment of games that reached the cap."""
        if not self.plan.experiment.adjudicator:
            return tr("Capped games: bounds (no result; intervals allow for a win by either side).")
        return tr(
            "Capped games: adjudicated by {judge} to the side whose expected score in the last "
            "position is at least {threshold}; the others have no result.",
            judge=self.plan.experiment.adjudicator,
            threshold=labels.format_percent(self.plan.experiment.adjudicate or 1.0, 0),
        )

    def pairings_in(self, table: pd.DataFrame) -> list[Pairing]:
        """Return the pairings with rows in a table."""
        return [pair for pair in self.plan.pairings if not pairing_rows(table, pair).empty]

    def pairing_series(self, pairings: Sequence[Pairing]) -> list[Series]:
        """Return a series for each pairing."""
        return [Series(self.series_number(pair), labels.pairing_text(pair)) for pair in pairings]

    def pairing_line(self, pairing: Pairing, text: str, *marks: Mark) -> Line:
        """Return the line of a pairing in a ruleset's row."""
        return Line(self.series_number(pairing), marks, text, labels.pairing_label(*pairing))

    def ruleset_row(self, ruleset: str, lines: Sequence[Line], titled: bool = False) -> Row:
        """Return the row of a ruleset."""
        # In a factorial experiment the name already contains the difference.
        title = self.title(ruleset) if titled and not self.plan.experiment.factors else ""
        return Row(ruleset, untranslated(self.short(ruleset)), tuple(lines), title, ruleset == self.plan.baseline)

    def chart_rows(
        self, table: pd.DataFrame, pairings: Sequence[Pairing], marks: Callable[[Record], tuple[str, Sequence[Mark]]],
        rulesets: Sequence[str] | None = None, titled: bool = False,
    ) -> list[Row]:  # fmt: skip
        """Return a row per ruleset with a line per pairing; ``marks`` returns a cell's text and marks."""
        by_cell = rows_by_cell(table)

        def line(ruleset: str, pair: Pairing) -> Line:
            text, line_marks = marks(by_cell[ruleset, *pair])
            return self.pairing_line(pair, text, *line_marks)

        return [
            self.ruleset_row(name, [line(name, pair) for pair in pairings if (name, *pair) in by_cell], titled)
            for name in (self.rulesets if rulesets is None else rulesets)
        ]

    def list_rulesets(self, rulesets: Sequence[str], proposals: bool = False) -> str:
        """Return the short names, or for a long list their number out of all rulesets (or all ``proposals``)."""
        short = [self.short(ruleset) for ruleset in rulesets]
        if len(short) <= MAX_NAMES and sum(map(len, short)) <= MAX_LETTERS:
            return join_list(short)
        if proposals:
            return tr("{n} of {all} proposals", n=len(short), all=len(self.plan.proposals))
        return tr("{n} of {all} rulesets", n=len(short), all=len(self.rulesets))

    def difference_text(self, row: Record) -> str:
        """Return a difference with its interval, with a footnote mark if the verdict is weaker than the interval."""
        difference = labels.format_difference(
            row["difference"], row["low"], row["high"], unit_factor(self.plan.question_measure.name)
        )
        mark, _ = NOTES.get(str(row["reason"]), ("", ""))
        return join(" ", [difference, mark]) if mark else difference

    def difference_name(self) -> str:
        """Return the name of a difference in the question's measure."""
        measure = self.plan.question_measure.name
        if measure == FAIRNESS:
            return tr("gain in fairness")
        return tr("difference in {measure}", measure=self.measure_name(measure))

    @cached_property
    def _declarations(self) -> list[Declaration]:
        # Families that no longer exist have results but no declaration.
        game_names = dict.fromkeys(ruleset.game for ruleset in self.plan.rulesets)
        return [games.declaration(game) for game in game_names if game in games.names()]

    @cached_property
    def _toggles(self) -> list[Toggle]:
        return [toggle for declaration in self._declarations for toggle in declaration.toggles]

    @cached_property
    def _events(self) -> list[Named]:
        return [event for declaration in self._declarations for event in declaration.events]


@dataclass(frozen=True)
class Results(Names):
    """An analysis with its tables as attributes and the names of its rulesets and players."""

    analysis: Analysis

    @classmethod
    def of(cls, analysis: Analysis) -> Results:
        """Return the results of an analysis."""
        return cls(analysis.plan, analysis)

    def __getattr__(self, table: str) -> pd.DataFrame:
        frame: pd.DataFrame = getattr(self.analysis, table)
        return frame

    def strongest_rows(self, table: str) -> pd.DataFrame:
        """Return a table's rows for the strongest players."""
        return pairing_rows(getattr(self, table), self.strongest)

    @cached_property
    def primary_comparisons(self) -> pd.DataFrame:
        """The comparisons in the question's measure, which decide the verdicts."""
        return self.comparisons[self.comparisons["measure"] == self.plan.question_measure.name]

    @cached_property
    def strong_levels(self) -> dict[str, Estimate]:
        """The first player's score under strong play by ruleset; empty if there are no verdicts on strong play."""
        table = self.strong_verdicts
        if table.empty:
            return {}
        rows = table[(table["measure"] == "first_score") & ~table["compared"].astype(bool)].to_dict("records")
        return {row["ruleset"]: estimate(row, "now").plus(0.5) for row in rows}

    def measure_text(self, ruleset: str, pairing: Pairing) -> str:
        """Return a cell's value of the question's measure, with its interval."""
        question = self.plan.question_measure
        table, column = self.cells, question.name
        if question.event:
            table = self.events[self.events["event"] == question.event]
            column = "share" if question.is_share else "ratio" if question.per else "mean"
        elif column == "variety":
            table, column = self.openings[self.openings["shown"].astype(bool)], "effective"
        row = cell_row(table, ruleset, pairing)
        if row is None or math.isnan(row[column]):
            return untranslated("–")
        if question.is_share:
            return labels.share_text(row, column)
        value, low, high = estimate(row, column).scaled(unit_factor(question.name))
        interval = labels.format_amounts(low, high, 1)
        text = tr("{value} {unit} ({around})")
        return text.format(value=labels.format_amount(value, 1), unit=self.unit_name(question.name), around=interval)

    def footnotes(self, verdicts: pd.DataFrame) -> list[str]:
        """Return the footnotes for the marks of `difference_text` that apply to these verdicts."""
        texts = [text for reason, (_, text) in NOTES.items() if (verdicts["reason"] == reason).any()]
        other_count = int(self.comparisons["chosen"].astype(bool).sum()) - 1
        sizes = self.plan.interim_sizes
        return [text.format(others=f"{other_count:,}", first_look=f"{sizes[0]:,}" if sizes else "") for text in texts]


def estimate(row: Record, name: str) -> Estimate:
    """Return the estimate in a row's column ``name``, with its interval."""
    return Estimate(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


def unit_factor(code: str) -> float:
    """Return the factor that converts differences in a measure to its unit."""
    return 100.0 if measure_by_name(code).unit in ("share", "ratio") else 1.0


def pairing_rows(table: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """Return a pairing's rows; an empty table needs no columns."""
    return table if table.empty else table[(table["first"] == pairing[0]) & (table["second"] == pairing[1])]


def cell_row(table: pd.DataFrame, ruleset: str, pairing: Pairing) -> Record | None:
    """Return a cell's row, or None if it is missing."""
    rows = pairing_rows(table[table["ruleset"] == ruleset], pairing).to_dict("records")
    return rows[0] if rows else None


def rows_by_cell(table: pd.DataFrame) -> ByCell:
    """Return each cell's first row by ruleset and pairing; faster than `cell_row` in loops."""
    rows = table.to_dict("records")
    return {(str(row["ruleset"]), str(row["first"]), str(row["second"])): row for row in reversed(rows)}


def extreme_rows(table: pd.DataFrame, column: str) -> tuple[Record, Record]:
    """Return the rows with the smallest and the largest value in a column."""
    rows = table.dropna(subset=[column]).to_dict("records")
    return min(rows, key=lambda row: float(row[column])), max(rows, key=lambda row: float(row[column]))


def score_text(cell: Record) -> str:
    """Return a cell's score with its interval, or the reason why it is missing."""
    if not cell["games"]:
        return tr("no games yet")
    if not cell["finished"]:
        return tr("no game finished")
    return labels.share_text(cell, "first_score")


def score_cell(cell: Record) -> TableCell:
    """Return a table cell with a cell's score."""
    return numeric_cell(score_text(cell), cell["first_score"])
