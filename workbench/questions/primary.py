"""What an experiment may ask: the primary measure of its comparisons, with its unit and the margin that matters.

Experiment files are checked with it, and statistics judge by it; so it imports neither pandas nor Numba.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench import games
from workbench.errors import Problem, guess
from workbench.files.yamlfile import Node
from workbench.questions.keys import number

FIRST_SCORE = "first_score"
"""What is asked if an experiment does not say: who is ahead, judged as fairness."""
FAIRNESS = "fairness"
PLIES = "plies"
"""What an event may be counted per besides another event: the plies of a game."""
MEASURES: Mapping[str, str] = {
    FAIRNESS: "How much nearer to one half the first seat's score is than under the baseline.",
    "first_score": "Wins and half the draws of the first seat, as a share of the finished games.",
    "first_win_rate": "Share of all games that the first seat wins.",
    "second_win_rate": "Share of all games that the second seat wins.",
    "draw_rate": "Share of all games that are drawn.",
    "capped_rate": "Share of all games that are stopped at max_plies.",
    "decisive_rate": "Share of all games that somebody wins.",
    "plies_mean": "Mean length of a game, up to max_plies.",
    "legal_moves": "Legal moves at a ply.",
}
"""What proposals are compared by in every experiment, besides what it asks; in the order of the tables."""
LEAST_MARGIN = 0.001
MOST_SHARE, MOST_NUMBER = 0.5, 100_000.0
"""The largest margin of a share, and of a number such as plies."""


@dataclass(frozen=True)
class Question:
    """A primary measure."""

    name: str
    """As experiment files write it."""
    measure: str
    """Its name in the table of comparisons."""
    unit: str
    """``share``, ``plies``, ``moves``, ``count`` or ``ratio``."""
    sentence: str
    margin: float
    """The smallest difference that matters, if the experiment does not say: in the unit of the measure, or, if
    `relative`, as a part of the baseline's value."""
    relative: bool = False
    columns: tuple[str, ...] = ()
    """Columns of the trial records that it needs besides those that every experiment is judged by."""

    @property
    def is_share(self) -> bool:
        """Whether differences are points of a percentage."""
        return self.unit == "share"

    @property
    def event(self) -> str:
        """The event that it is about, if any."""
        match = _EVENT.fullmatch(self.name)
        return match["event"] if match else ""

    @property
    def per(self) -> str:
        """What the event is counted for each of, another event or ``plies``, where a ratio of both sums is asked."""
        match = _EVENT.fullmatch(self.name)
        return (match["per"] or "") if match else ""

    def read_margin(self, node: Node | None, problems: list[Problem]) -> float | None:
        """The margin that a file gives, in the unit of the measure; or None and, if it gives a wrong one, a problem."""
        if node is None:
            return None
        high, unit = (MOST_SHARE, "share") if self.is_share else (MOST_NUMBER, f"difference in {self.name}")
        what = f"a {unit} from {LEAST_MARGIN:g} to {high:g}"
        return number(node, LEAST_MARGIN, high, False, what, problems)


_EVENT = re.compile(r"event_(?P<event>\w+?)_(?:(?P<kind>mean|share)|per_(?P<per>\w+))")


def _all(*questions: Question) -> Mapping[str, Question]:
    return {question.name: question for question in questions}


QUESTIONS = _all(
    Question(FIRST_SCORE, FAIRNESS, "share", MEASURES[FAIRNESS], 0.025),
    Question("draw_rate", "draw_rate", "share", MEASURES["draw_rate"], 0.025),
    Question("decisive", "decisive_rate", "share", MEASURES["decisive_rate"], 0.025),
    Question("plies", "plies_mean", "plies", MEASURES["plies_mean"], 0.05, True),
    Question("variety", "variety", "count", "Effective number of openings.", 0.1, True, ("opening",)),
    Question("legal_moves", "legal_moves", "moves", MEASURES["legal_moves"], 0.05, True),
    Question("first_win_rate", "first_win_rate", "share", MEASURES["first_win_rate"], 0.025),
    Question("second_win_rate", "second_win_rate", "share", MEASURES["second_win_rate"], 0.025),
    Question("capped_rate", "capped_rate", "share", MEASURES["capped_rate"], 0.025),
)
"""What may be asked of every game; besides, for each event x of the family, ``event_x_mean`` (how often in a game),
``event_x_share`` (in which share of the games at all) and, where x is declared per y, ``event_x_per_y`` (a ratio of
sums over all games)."""


def question(name: str) -> Question:
    """The question of that name; of events, any that has the form of one.

    Raises:
        ValueError: there is no such question.
    """
    if name in QUESTIONS:
        return QUESTIONS[name]
    match = _EVENT.fullmatch(name)
    if not match:
        raise ValueError(f"there is no question {name!r}")
    column = (f"event_{match['event']}",)
    if per := match["per"]:
        columns = column if per == PLIES else (*column, f"event_{per}")
        return Question(name, name, "ratio", f"The event {match['event']} for each of {per}.", 0.05, True, columns)
    if match["kind"] == "share":
        return Question(name, name, "share", f"Share of games with the event {match['event']}.", 0.025, False, column)
    return Question(name, name, "count", f"How often the event {match['event']} happens in a game.", 0.05, True, column)


def events(played: Iterable[str]) -> list[str]:
    """The events that all of these games count."""
    of_games = [[event.name for event in games.declaration(game).events] for game in played]
    return [name for name in of_games[0] if all(name in each for each in of_games)] if of_games else []


def ratios(played: Iterable[str]) -> list[str]:
    """The questions about an event per another that all of these games count so."""
    of_games = [
        [f"event_{event.name}_per_{event.per}" for event in games.declaration(game).events if event.per]
        for game in played
    ]
    return [name for name in of_games[0] if all(name in each for each in of_games)] if of_games else []


def names(played: Iterable[str]) -> list[str]:
    """All questions that may be asked of all of these games together."""
    played = list(played)
    asked = [f"event_{event}_{kind}" for event in events(played) for kind in ("mean", "share")]
    return [*QUESTIONS, *asked, *ratios(played)]


def read(node: Node | None, played: Iterable[str], problems: list[Problem]) -> Question:
    """The question that a file asks of the games that it plays; notes a problem if there is none of that name."""
    played = list(played)
    known = names(played)
    if node is None:
        return QUESTIONS[FIRST_SCORE]
    if node.is_scalar and node.text in known:
        return question(node.text)
    # Without a game, which is a problem of its own, nobody can say which events there are.
    if played or not (node.is_scalar and _EVENT.fullmatch(node.text)):
        what = f"a measure or an event of {' and '.join(played)}" if played else "a measure"
        hint = guess(node.text, known, "questions are") if node.is_scalar else ""
        hint = hint or f"questions are {', '.join(QUESTIONS)}, and event_x_mean and event_x_share of its events"
        problems.append(node.problem(f"expected {what}, found {node.described()}", hint))
    return QUESTIONS[FIRST_SCORE]


def schema() -> dict[str, Any]:
    """The JSON Schema of a question: every one that may be asked of some game."""
    return {"enum": list(dict.fromkeys(name for game in games.names() for name in names([game])))}


def margin_schema() -> dict[str, Any]:
    """The JSON Schema of a margin, whatever the question."""
    return {"type": "number", "minimum": LEAST_MARGIN, "maximum": MOST_NUMBER}
