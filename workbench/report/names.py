"""What rulesets, pairings and the codes of the analysis are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workbench import games
from workbench.games.declaration import Declaration, Named, Toggle
from workbench.language import given, listed, tr, translated, trc, verbatim, without_stop
from workbench.questions.measures import MEASURES, PLIES, Measure, measure_by_name
from workbench.report.labels import format_percent, ruleset_labels
from workbench.report.model import TableCell
from workbench.statistics import AnalysisPlan

VERDICTS = {
    "fairer": (trc("names", "fairer"), "▲", "good"),
    "less_fair": (trc("names", "less fair"), "▼", "bad"),
    "no_meaningful_difference": (tr("no meaningful difference"), "=", ""),
    "undecided": (tr("undecided"), "?", "open"),
    "met": (tr("met"), "▲", "good"),
    "missed": (tr("missed"), "▼", "bad"),
    "higher": (tr("higher"), "↑", ""),
    "lower": (tr("lower"), "↓", ""),
    "no_difference_shown": (tr("no difference shown"), "?", "open"),
    "more": (tr("more"), "↑", ""),
    "less": (tr("less"), "↓", ""),
    "yardstick": (tr("yardstick"), "·", "open"),
}
"""Code of a verdict -> its words, a sign that needs no colour, and how it is shown."""
BALANCES = {
    "first": tr("first player ahead"),
    "second": tr("second player ahead"),
    "balanced": tr("balanced"),
    "undecided": tr("undecided"),
    "": tr("no result"),
}
REASONS = {
    "": verbatim(""),
    "too_few_games": tr("too few games"),
    "capped_games": tr("too many games were stopped at the cap"),
    "too_few_lines": tr("too few openings were drawn, and further games would begin with the same ones"),
    "no_games": tr("no games"),
    "together": tr("not sure yet among so many comparisons"),
    "no_look": tr("no verdict is due yet"),
    "not_finished": tr("the run is not finished"),
}
NOTES = {
    "together": (
        "†",
        tr(
            "† Undecided although the interval leaves out 0: it is the interval of one comparison; "
            "judged together with {others} others (Holm) it is not sure yet."
        ),
    ),
    "no_look": (
        "‡",
        tr(
            "‡ Undecided because verdicts are taken only at numbers of games that were fixed "
            "beforehand: the first of them, {first_look}, is not reached yet."
        ),
    ),
}
"""Reason of an undecided verdict -> the mark beside its interval, and what the mark says."""
UNITS = {
    "share": tr("points"),
    "plies": tr("plies"),
    "moves": tr("moves"),
    "count": tr("a game"),
    "ratio": tr("in a hundred"),
    "variety": trc("names", "openings"),
}
"""What differences of a measure are in."""
SUBJECTS = {"result": tr("results"), "plies": tr("lengths")}
"""What jumps from one part of a run to the next."""
Pairing = tuple[str, str]


@dataclass(frozen=True)
class Names:
    """The names of an experiment's rulesets and pairings."""

    plan: AnalysisPlan

    @cached_property
    def _short(self) -> dict[str, str]:
        return ruleset_labels(self.plan.rulesets)

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {variant.name: variant.heading for variant in self.plan.rulesets}

    @property
    def rulesets(self) -> list[str]:
        """The full names, in their order."""
        return list(self._short)

    @property
    def proposals(self) -> list[str]:
        """All but the baseline; none without one."""
        return self.plan.proposals

    @property
    def short_names(self) -> dict[str, str]:
        """Full name -> the shortest that tells the rulesets apart."""
        return self._short

    def short(self, ruleset: str) -> str:
        """The shortest name that tells the rulesets apart."""
        return self._short.get(ruleset, ruleset)

    def title(self, ruleset: str) -> str:
        """The title of a ruleset, without the short name where it begins with that (in Japanese: its file)."""
        title = self._titles.get(ruleset, verbatim(""))
        short, head, japanese = str(self.short(ruleset)), translated(self.short(ruleset), "ja"), translated(title, "ja")
        if (short, head) == (str(title), japanese):
            return verbatim("")
        lead, colon, rest = str(title).partition(": ")
        english = rest if colon and lead.replace(" ", "") == short else str(title)
        rest = japanese.removeprefix(head).lstrip("：")
        rest = rest[1:-1] if rest.startswith("（") and rest.endswith("）") else rest
        file = short if japanese.startswith(head) and short not in head else ""
        return given(en=english, ja="\N{IDEOGRAPHIC SPACE}".join(filter(None, (rest, file))) or verbatim(short))

    def ruleset_cell(self, ruleset: str, titled: bool = False) -> TableCell:
        """A ruleset as the heading of a table's row."""
        place = self.rulesets.index(ruleset) if ruleset in self._short else len(self._short)
        return TableCell(verbatim(self.short(ruleset)), self.title(ruleset) if titled else "", sort=float(place))

    def series_number(self, pairing: Pairing) -> int:
        """The number of a pairing, for its colour and its dots."""
        return list(self.plan.pairings).index(pairing)

    @cached_property
    def strongest(self) -> Pairing:
        """The pairing on which the answer rests."""
        return self.plan.strongest_pairing()

    def seat_names(self, ruleset: str) -> tuple[str, str]:
        """What players call the two seats."""
        game = self.plan.ruleset(ruleset).game
        return (
            games.declaration(game).seats
            if game in games.names()
            else (trc("first seat", "First"), trc("second seat", "Second"))
        )

    def factor_name(self, name: str) -> str:
        """What was varied: a toggle by its title, the rulesets of `base`, or a factor by the experiment's own name."""
        if name == "base":
            return tr("ruleset")
        return next((one.title for one in self._toggles if one.name == name), name)

    def level_name(self, factor: str, level: str) -> str:
        """A level of a factor, rulesets without their family."""
        return level.partition("/")[2] or level if factor == "base" else level

    def choice_name(self, code: str) -> str:
        """What players choose for themselves: their style, or what the family says."""
        own = (one.own for one in self._declarations if one.own)
        return next((each.title or each.name for each in own if each.name == code), tr("style"))

    def name_without_choices(self, ruleset: str) -> str:
        """What tells a ruleset of `vary` from others, the players' own choices aside; else the name of the game."""
        declaration = games.declaration(self.plan.ruleset(ruleset).game)
        own = declaration.own.toggles if declaration.own else ()
        levels = [
            tr("{factor} {level}", factor=self.factor_name(factor), level=level)
            for factor, level in self.plan.experiment.levels.get(ruleset, {}).items()
            if factor not in own
        ]
        return listed(levels) if levels else declaration.title

    def event_sentence(self, name: str) -> str:
        """The sentence of an event, or of ``plies``, without its full stop."""
        if name == PLIES:
            return trc("names", "plies")
        event = next((one for one in self._events if one.name == name), None)
        return without_stop(event.sentence) if event else name

    def measure_name(self, code: str) -> str:
        """What a measure of `comparisons` is called; an event by its sentence."""
        return measure_by_name(code, self.event_sentence).title

    def target_name(self, code: str) -> str:
        """What a target is about."""
        return tr("median length") if code == PLIES else MEASURES[code].title

    def more_or_less(self, code: str, more: bool) -> str:
        """What a ruleset has that has more, or less, of a measure."""
        one = measure_by_name(code, self.event_sentence)
        if word := one.more if more else one.less:
            return word
        if one.is_share:
            word = tr("more {what}") if more else tr("fewer {what}")
        else:
            word = tr("more of {what}") if more else tr("less of {what}")
        return word.format(what=one.title)

    def unit_name(self, code: str) -> str:
        """The unit of differences of a measure."""
        return measure_unit(measure_by_name(code))

    def landmark_sentence(self, name: str) -> str:
        """The sentence of a choice of a place."""
        marks = (mark for declaration in self._declarations for mark in declaration.landmarks)
        return next((mark.sentence for mark in marks if mark.name == name), name)

    def subject_name(self, name: str) -> str:
        """What a warning is about: a ruleset, a toggle, an event, or something else in its own words."""
        if name in self._short:
            return verbatim(self.short(name))
        return SUBJECTS.get(name) or (
            self.event_sentence(name) if self.factor_name(name) == verbatim(name) else self.factor_name(name)
        )

    @cached_property
    def _declarations(self) -> list[Declaration]:
        # Of a family that is no longer there, the numbers are left.
        played = dict.fromkeys(variant.game for variant in self.plan.rulesets)
        return [games.declaration(game) for game in played if game in games.names()]

    @cached_property
    def _toggles(self) -> list[Toggle]:
        return [toggle for declaration in self._declarations for toggle in declaration.toggles]

    @cached_property
    def _events(self) -> list[Named]:
        return [event for declaration in self._declarations for event in declaration.events]


def measure_unit(one: Measure) -> str:
    """The unit of differences of a measure."""
    return UNITS.get(one.name) or UNITS.get(one.unit) or verbatim(one.unit)


def unit_factor(code: str) -> float:
    """By what differences of a measure are multiplied to be in its unit."""
    return 100.0 if measure_by_name(code).unit in ("share", "ratio") else 1.0


def capped_method_sentence(names: Names) -> str:
    """What became of the games that reached the cap, in a sentence."""
    if not names.plan.experiment.adjudicator:
        return tr("Capped games: bounds (they have no result, and intervals allow for either).")
    text = tr(
        "Capped games: adjudicated by {judge} to the side whose expected score in the last "
        "position is at least {threshold}; the others have no result."
    )
    return text.format(
        judge=names.plan.experiment.adjudicator, threshold=format_percent(names.plan.experiment.adjudicate or 1.0, 0)
    )


def verdict_cell(code: str, small: str = "", sort: float | None = None) -> TableCell:
    """A verdict in a table, with a sign that tells it without colour."""
    text, sign, kind = VERDICTS[code]
    below = small if isinstance(small, str) else verbatim(small)
    order = ["fairer", "met", "higher", "more", "no_meaningful_difference", "less_fair", "lower", "less",
             "no_difference_shown", "undecided"]  # fmt: skip
    rank = float(order.index(code)) if code in order else 9.0
    return TableCell(
        tr("{sign} {text}", sign=sign, text=text), below, rank if sort is None else sort, f"verdict {kind}"
    )
