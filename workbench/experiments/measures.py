"""The measures by which rulesets are compared, and the questions that experiments ask about them.

Each measure is declared once, with its estimator, unit, relevant difference and names. Comparisons, targets, reports,
the studio, the schema and the documentation all iterate over `MEASURES` and `added_measures`.

This module imports neither pandas nor Numba.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from workbench import games
from workbench.base.errors import Problem, expected, guess, hide_internal_frames, input_error
from workbench.base.keys import Number
from workbench.base.language import quoted, tr, untranslated
from workbench.base.yamlfile import Node

FIRST_SCORE = "first_score"
"""The default question of an experiment, which is judged as fairness."""
FAIRNESS = "fairness"
PLIES = "plies"
"""The denominator of events per ply."""
RESULTS = {"first": "first_wins", "second": "second_wins", "draw": "draws", "unfinished": "unfinished"}
"""The results of games in records, and the columns of their counts in tables."""
FINISHED = ("first", "second", "draw")
"""The results of finished games."""
WILSON = "E. B. Wilson, JASA 22, 1927"
TANGO = "T. Tango, Statistics in Medicine 17, 1998"
IMBENS = "with capped games G. W. Imbens, C. F. Manski, Econometrica 72, 2004"
BERGER = "R. L. Berger, Technometrics 24, 1982; S. Sasabuchi, Biometrika 67, 1980"
ROYSTON = "P. Royston, M. K. B. Parmar, BMC Medical Research Methodology 13, 2013"
COCHRAN = "W. G. Cochran, Sampling Techniques, 1977"
CHAO = "A. Chao, Y. T. Wang, L. Jost, Methods in Ecology and Evolution 4, 2013"
SEKI = "Seki's criteria, comments below R. Konuma's Chatra rules, mixi community"
LEAST_MARGIN = 0.001
MOST_SHARE, MOST_NUMBER = 0.5, 100_000.0
"""The largest margin of a share, and of a number such as plies."""


class Estimator(Enum):
    """The estimator of a measure in a cell."""

    SCORE = auto()
    """Wins and half the draws, as a share of the finished games."""
    FAIRNESS = auto()
    """The distance of the score from one half."""
    RESULTS = auto()
    """The share of all games with certain results."""
    MEAN = auto()
    """The mean of a column."""
    OCCURRENCE = auto()
    """The share of games in which a column is positive."""
    RATIO = auto()
    """The ratio of the sums of two columns."""
    WEIGHTED_MEAN = auto()
    """The mean of a column, weighted by another one."""
    OPENINGS = auto()
    """The effective number of openings."""


@dataclass(frozen=True)
class Measure:
    """A measure by which rulesets are compared."""

    name: str
    """Its name in tables."""
    estimator: Estimator
    unit: str
    """``share``, ``plies``, ``moves``, ``count`` or ``ratio``."""
    title: str
    """Its name within a sentence."""
    more: str | None = None
    """The phrase for a ruleset with a higher value, derived from the title by default."""
    less: str | None = None
    studio_question: str | None = None
    """The question in the studio, if experiments may ask about it."""
    question: str = ""
    """Its name in experiment files, if different."""
    columns: tuple[str, ...] = ()
    """The record columns from which it is estimated."""
    results: tuple[str, ...] = ()
    """The results that it counts (`Estimator.RESULTS`)."""
    among: tuple[str, ...] = FINISHED
    """The results that count in verdicts about strong play."""
    margin: float = 0.025
    """The default of the smallest difference that matters, in its unit or, if `relative`, as a share of the baseline's
    value."""
    relative: bool = False
    always: bool = True
    """True if every experiment compares it, not only those that ask about it."""
    target: bool = False
    """True if experiments may set a target for it."""
    event: str = ""
    """The event that it counts, if any."""
    per: str = ""
    """The denominator of an event's count: another event, or ``plies``."""
    sentence: str = ""
    """Its definition; empty for events, which define themselves."""
    formula: str = ""
    direction: str = "none"
    """The desired direction: ``more``, ``less``, ``near 1/2``, ``target`` (set by the experiment) or ``none``."""
    source: str = ""
    """The source of its formula or its interval."""
    of_games: Callable[[Any], Any] | None = None
    """Computes its value for each game from the records, for `added_measures`."""

    @property
    def question_key(self) -> str:
        """Its name in experiment files."""
        return self.question or self.name

    @property
    def is_share(self) -> bool:
        """True if its differences are in percentage points."""
        return self.unit == "share"

    @property
    def is_score(self) -> bool:
        """True for the first seat's score and measures derived from it."""
        return self.estimator in (Estimator.SCORE, Estimator.FAIRNESS)

    def result_value(self, result: str) -> float:
        """Return the value of a result in verdicts about strong play, or NaN if the result does not count."""
        if result not in self.among:
            return math.nan
        if self.is_score:
            return {"first": 1.0, "draw": 0.5, "second": 0.0}[result]
        return float(result in self.results)

    def read_margin(self, node: Node | None, problems: list[Problem]) -> float | None:
        """Read a file's margin in the unit of the measure; return None if it is missing or invalid."""
        if node is None:
            return None
        high, unit = MOST_SHARE, "share"
        if not self.is_share:
            high, unit = MOST_NUMBER, tr("difference in {question_key}", question_key=self.question_key)
        expectation = tr("a {unit} from {least_margin:g} to {high:g}", unit=unit, least_margin=LEAST_MARGIN, high=high)
        return Number(LEAST_MARGIN, high, expected=expectation).read(node, problems)


_DECLARED = (
    Measure(
        FAIRNESS, Estimator.FAIRNESS, "share", tr("fairness"), tr("fairer"), tr("less fair"),
        tr("Is it fair? (the first player's score)"), question=FIRST_SCORE,
        sentence=tr("Decrease in the distance between the first seat's score and one half, relative to the baseline."),
        formula="|baseline's first_score - 1/2| - |first_score - 1/2|", direction="more", source=BERGER,
    ),
    Measure(
        FIRST_SCORE, Estimator.SCORE, "share", tr("first player's score"), tr("a higher score for the first player"),
        tr("a lower score for the first player"), target=True,
        sentence=tr("The first player's wins and half the draws, as a share of the finished games."),
        formula="(first_wins + draws / 2) / finished", direction="near 1/2", source=f"{TANGO}; {IMBENS}",
    ),
    Measure(
        "first_win_rate", Estimator.RESULTS, "share", tr("first player's wins"), tr("more wins for the first player"),
        tr("fewer wins for the first player"), tr("How often does the first player win?"), results=("first",),
        target=True, sentence=tr("Share of all games won by the first player."), formula="first_wins / games",
        direction="target", source=WILSON,
    ),
    Measure(
        "second_win_rate", Estimator.RESULTS, "share", tr("second player's wins"),
            tr("more wins for the second player"),
        tr("fewer wins for the second player"), tr("How often does the second player win?"), results=("second",),
        target=True, sentence=tr("Share of all games won by the second player."), formula="second_wins / games",
        direction="target", source=WILSON,
    ),
    Measure(
        "draw_rate", Estimator.RESULTS, "share", tr("draws"), tr("more draws"), tr("fewer draws"),
        tr("How many games are drawn?"), results=("draw",), target=True,
        sentence=tr("Share of all games that are drawn."), formula="draws / games", direction="less", source=WILSON,
    ),
    Measure(
        "capped_rate", Estimator.RESULTS, "share", tr("games stopped at the cap"), tr("more games stopped at the cap"),
        tr("fewer games stopped at the cap"), tr("How many games are stopped at the cap?"), results=("unfinished",),
        target=True, sentence=tr("Share of all games that are stopped at max_plies without a result."),
        formula="unfinished / games", direction="less", source=WILSON,
    ),
    Measure(
        "decisive_rate", Estimator.RESULTS, "share", tr("games with a winner"), tr("more games with a winner"),
        tr("fewer games with a winner"), tr("How many games have a winner?"), question="decisive",
        results=("first", "second"), sentence=tr("Share of all games with a winner."),
        formula="(first_wins + second_wins) / games", direction="more", source=WILSON,
    ),
    Measure(
        "plies_mean", Estimator.MEAN, "plies", tr("mean length"), tr("longer games"), tr("shorter games"),
        tr("How long are the games?"), question=PLIES, columns=("plies",), margin=0.05, relative=True,
        sentence=tr("Mean length of a game, up to max_plies."), formula="mean of min(plies, max_plies)",
        direction="target", source=ROYSTON,
    ),
    Measure(
        "legal_moves", Estimator.WEIGHTED_MEAN, "moves", tr("legal moves per ply"), tr("more legal moves"),
        tr("fewer legal moves"), tr("How many legal moves are there?"), columns=("legal_moves", "plies"),
        margin=0.05, relative=True, sentence=tr("Number of legal moves, averaged over all plies."),
        formula="Σ legal moves / Σ plies", source=COCHRAN,
    ),
    Measure(
        "variety", Estimator.OPENINGS, "count", tr("different openings"), tr("more different openings"),
        tr("fewer different openings"), tr("How varied are the openings?"), columns=("opening",), margin=0.1,
        relative=True, always=False, sentence=tr("The third criterion: the variety of openings."),
        formula="effective number of openings at variety_ply", direction="more", source=f"{SEKI}; {CHAO}",
    ),
)  # fmt: skip
MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _DECLARED}
"""The measures of every game, in the order of the tables. Each event x of a family also has ``event_x_mean`` (count per
game), ``event_x_share`` (share of games with the event) and, if it is declared per y, ``event_x_per_y`` (ratio of sums
over all games); see `measure_by_name`."""
DECISIVE_FIRST = Measure(
    "decisive_first", Estimator.RESULTS, "share", tr("first player's share of decisive games"), results=("first",),
    among=("first", "second"),
)  # fmt: skip
"""A measure of strong play that rulesets are not compared by."""
COMPARED: tuple[str, ...] = tuple(name for name, measure in MEASURES.items() if measure.always)
"""Measures that every experiment compares besides its question; see `compared_measures`."""
TARGETS: Mapping[str, str] = {
    **{measure.name: measure.sentence for measure in MEASURES.values() if measure.target},
    PLIES: tr("Median length of a game."),
}
"""Measures for which an experiment may set a target."""

_added: dict[str, Measure] = {}


def add_measure(measure: Measure) -> None:
    """Add a measure to this process, replacing any added measure with the same name.

    Raises:
        InputError: the name is invalid, or taken by a built-in measure or a column of the records.
    """
    from workbench.records import records

    columns = {column.name for column in (*records.COLUMNS, records.LINE, records.SWAPPED, records.MOVES)}
    message = ""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", measure.name):
        message = expected(tr("lower-case letters, digits and _"), quoted(measure.name))
    elif measure.name in MEASURES or _EVENT.fullmatch(measure.name):
        message = tr("the measure {one} already exists", one=measure.name)
    elif measure.name in columns or measure.name.startswith("event_"):
        message = tr("the records already have a column named {one}", one=measure.name)
    if message:
        raise input_error(message, tr("choose another name"), key="name")
    _added[measure.name] = measure


@hide_internal_frames
def remove_measure(name: str) -> None:
    """Remove a measure added by `measure`.

    Raises:
        InputError: no measure with this name was added.
    """
    if name not in _added:
        hint = guess(name, _added, tr("added measures: {names}"))
        raise input_error(tr("no measure named '{name}' has been added", name=name), hint, key="name")
    del _added[name]


def added_measures() -> tuple[Measure, ...]:
    """Return the measures added in this process."""
    return tuple(_added.values())


def compared_measures() -> tuple[str, ...]:
    """Return the measures that all experiments compare besides their question."""
    return (*COMPARED, *_added)


_EVENT = re.compile(r"event_(?P<event>\w+?)_(?:(?P<kind>mean|share)|per_(?P<per>\w+))")


def measure_by_name(name: str, describe_event: Callable[[str], str] = untranslated) -> Measure:
    """Return the measure that tables call ``name``; ``describe_event`` gives an event's sentence, unpunctuated."""
    if measure := MEASURES.get(name) or _added.get(name):
        return measure
    match = _EVENT.fullmatch(name)
    if not match:
        raise ValueError(tr("there is no measure {name!r}", name=name))
    event, per = match["event"], match["per"] or ""
    labels = {"event": describe_event(event), **({"per": describe_event(per)} if per else {})}

    def build(estimator: Estimator, unit: str, title: str, question: str, *more: str, margin: float = 0.05) -> Measure:
        return Measure(
            name, estimator, unit, title.format(**labels), studio_question=question.format(**labels),
            columns=(f"event_{event}", *more), margin=margin, relative=unit != "share", always=False, event=event,
            per=per,
        )  # fmt: skip

    if per:
        title = tr("“{event}” per “{per}”")
        question = tr("{event} (per: {per})")
        column = PLIES if per == PLIES else f"event_{per}"
        return build(Estimator.RATIO, "ratio", title, question, column)
    if match["kind"] == "share":
        title = tr("games with “{event}”")
        question = tr("{event} (share of games)")
        return build(Estimator.OCCURRENCE, "share", title, question, margin=0.025)
    title = tr("“{event}”")
    question = tr("{event} (mean per game)")
    return build(Estimator.MEAN, "count", title, question)


def possible_questions(game_names: Iterable[str] = ()) -> list[str]:
    """Return the questions that experiment files may ask about all these games, or about any game if there are none."""
    common = [measure.question_key for measure in MEASURES.values() if measure.studio_question]
    by_game = []
    for game in game_names:
        events = games.declaration(game).events
        names = [f"event_{event.name}_{kind}" for event in events for kind in ("mean", "share")]
        by_game.append(names + [f"event_{event.name}_per_{event.per}" for event in events if event.per])
    return common + [name for name in (by_game or [[]])[0] if all(name in names for names in by_game)]


def read_question(node: Node | None, game_names: Iterable[str], problems: list[Problem]) -> Measure:
    """Return the measure that a file's question asks about, which all its games must have."""
    if node is None:
        return measure_by_name(FAIRNESS)
    game_names = list(game_names)
    questions = possible_questions(game_names)
    if node.is_scalar and node.text in questions:
        return measure_for_question(node.text)
    # The events are unknown if the file has no valid ruleset.
    if game_names or not (node.is_scalar and _EVENT.fullmatch(node.text)):
        names = " and ".join(game_names)
        choices = tr("a measure, or an event of {played}", played=names) if names else tr("a measure")
        hint = guess(node.text, questions, tr("questions are {names}")) if node.is_scalar else ""
        message = tr("questions: {names}, and event_x_mean and event_x_share for its events")
        problems.append(node.expected(choices, hint or message.format(names=", ".join(possible_questions()))))
    return measure_by_name(FAIRNESS)


def measure_for_question(question: str, describe_event: Callable[[str], str] = untranslated) -> Measure:
    """Return the measure that experiment files call ``question``; see `measure_by_name`."""
    by_question = {measure.question_key: measure for measure in MEASURES.values() if measure.studio_question}
    return by_question.get(question) or measure_by_name(question, describe_event)


def question_schema() -> dict[str, Any]:
    """Return the JSON Schema of a question, listing the questions of all games."""
    return {"enum": list(dict.fromkeys(name for game in games.names() for name in possible_questions([game])))}


def margin_schema() -> dict[str, Any]:
    """Return the JSON Schema of a margin for any question."""
    return {"type": "number", "minimum": LEAST_MARGIN, "maximum": MOST_NUMBER}
