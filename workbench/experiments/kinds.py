"""Keys of experiment files with forms of their own: targets, games that reach the cap, published results.

Published results decide nothing: reports set the differences between the baseline and the other rulesets beside the
same differences of the experiment's own games.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.base.errors import Problem, guess
from workbench.base.keys import Key, MappingOf, Number, Text, key, keys_of, yaml_flow
from workbench.base.language import OR, tr
from workbench.base.yamlfile import NONE, Node
from workbench.experiments.measures import TARGETS

Target = list[float] | str
"""``[lowest, highest]`` or a limit such as ``<0.05``."""
_LIMIT = re.compile(r"[<>]=?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

THRESHOLD = 0.9
"""From which expected score on a capped game is adjudicated to a side, if nothing is said."""
THRESHOLDS = Number(0.6, 1, tr("an expected score"))
"""The range of a threshold."""
CAPPED: Mapping[str, str] = {
    "bounds": tr("They stay unfinished; intervals allow for either result."),
    "adjudicate": tr(
        "The strongest player of the experiment judges the last position; a side whose expected "
        "score is at least the threshold ({threshold} if left out) has won, and else the game "
        "stays unfinished.",
        threshold=THRESHOLD,
    ),
}
"""The treatments of games that reach max_plies."""


@dataclass(frozen=True)
class Targets:
    """Measures and what they should reach."""

    most_plies: int

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Target] | None:
        """The targets that are right."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(tr('targets such as {draw_rate: "<0.05"}')))
            return None
        targets: dict[str, Target] = {}
        for name, inner in node.value.items():
            if name not in TARGETS:
                problems.append(inner.unknown(tr("something to set a target for"), name, TARGETS))
            elif (target := self._target(name, inner, problems)) is not None:
                targets[name] = target
        return targets

    def _target(self, name: str, node: Node, problems: list[Problem]) -> Target | None:
        high = float(self.most_plies) if name == "plies" else 1.0
        limit = node.text.strip()
        if isinstance(node.value, str) and _LIMIT.fullmatch(limit) and float(limit.lstrip("<>= ")) <= high:
            return limit
        if isinstance(node.value, tuple) and len(node.value) == 2:
            ends = [float(each.value) for each in node.value if type(each.value) in (int, float)]  # type: ignore[arg-type]
            if len(ends) == 2 and 0 <= ends[0] <= ends[1] <= high:
                return ends
        what = node.plain() if isinstance(node.value, tuple) else node.describe()
        expected = tr('[lowest, highest] or a limit such as "<0.05", from 0 to {high:,.0f}', high=high)
        problems.append(node.expected(expected, found=what))
        return None

    def schema(self) -> dict[str, Any]:
        """A band or a limit for each measure."""
        band = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}
        target = {"anyOf": [band, {"type": "string", "pattern": f"^{_LIMIT.pattern}$"}]}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {"description": text, **target} for name, text in TARGETS.items()},
        }


_ADJUDICATE = MappingOf(
    "adjudicate",
    {
        "threshold": Key(
            "threshold", THRESHOLDS, tr("The expected score from which on a side has won."), 0.95, default=THRESHOLD
        )
    },
)


@dataclass(frozen=True)
class Capped:
    """``bounds``, ``adjudicate``, or ``{adjudicate: {threshold: 0.95}}``."""

    def read(self, node: Node, problems: list[Problem]) -> float | None:
        """The threshold of adjudication; None if games that reach the cap stay unfinished, or for a wrong value."""
        if isinstance(node.value, dict) and list(node.value) == ["adjudicate"]:
            return self._threshold(node.value["adjudicate"], problems)
        if node.is_scalar and node.text in CAPPED:
            return None if node.text == "bounds" else THRESHOLD
        hint = (
            guess(node.text, CAPPED)
            if node.is_scalar
            else tr("or {{adjudicate: {{threshold: {threshold}}}}}", threshold=THRESHOLD)
        )
        problems.append(node.expected(OR.join(CAPPED), hint))
        return None

    def _threshold(self, node: Node, problems: list[Problem]) -> float | None:
        """The threshold among the options of ``adjudicate``."""
        if node.value is None:
            return THRESHOLD
        before = len(problems)
        threshold: float = _ADJUDICATE.values(node, problems).get("threshold", THRESHOLD)
        return threshold if len(problems) == before else None

    def schema(self) -> dict[str, Any]:
        """The names, or the threshold as an option."""
        properties = _ADJUDICATE.schema()["properties"]
        options = {
            "description": CAPPED["adjudicate"],
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": properties,
        }
        names = [{"const": name, "description": sentence} for name, sentence in CAPPED.items()]
        mapping = {
            "type": "object",
            "additionalProperties": False,
            "required": ["adjudicate"],
            "properties": {"adjudicate": options},
        }
        return {"anyOf": [*names, mapping], "default": "bounds"}


MEASURES = ("first_score", "draw_rate")
"""The measures that are compared."""
NORMAL_95 = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""
EXAMPLE = tr(
    "{first_wins: 772, draws: 8820, second_wins: 409} or {first_score: 0.518, draw_rate: [0.88, 0.89], games: 10000}"
)


class PublishedEstimate(NamedTuple):
    """A published share with its standard error."""

    value: float
    error: float


class PublishedShare:
    """A share of the games, or its 95 % interval."""

    one = Number(0, 1, tr("a share"))

    def read(self, node: Node, problems: list[Problem]) -> float | tuple[float, float] | None:
        """The share, or both ends."""
        if not isinstance(node.value, tuple):
            return self.one.read(node, problems)
        ends = [self.one.read(each, problems) for each in node.value]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] < ends[1]:
            return ends[0], ends[1]
        if None not in ends:
            problems.append(node.expected(tr("[low, high] with low below high"), found=node.plain()))
        return None

    def schema(self) -> dict[str, Any]:
        """A number or two."""
        ends = {"type": "array", "items": self.one.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [self.one.schema(), ends]}


COUNTS = {
    "first_wins": tr("Games that the first player won."),
    "draws": tr("Games that were drawn."),
    "second_wins": tr("Games that the second player won."),
}
SHARES = {
    "first_score": tr("Wins and half the draws of the first player, as a share of the games; or its 95 % interval."),
    "draw_rate": tr("Share of the games that were drawn; or its 95 % interval."),
}
_GAMES = Number(0, 10**12, whole=True)
RESULT = MappingOf(
    tr("published results"),
    {
        **{name: Key(name, _GAMES, sentence, 0) for name, sentence in COUNTS.items()},
        **{name: Key(name, PublishedShare(), sentence, 0.5) for name, sentence in SHARES.items()},
        "games": Key("games", _GAMES, tr("Number of games, where a share stands without its interval."), 0),
    },
)


class PublishedResults:
    """``{chess/orthodox: {first_wins: 772, draws: 8820, second_wins: 409}, …}``."""

    def read(self, node: Node, problems: list[Problem]) -> dict[str, dict[str, PublishedEstimate]] | None:
        """The results as far as they are right; which rulesets there are is checked by `check_published`."""
        if not isinstance(node.value, dict) or not node.value:
            hint = tr("for instance {{chess/orthodox: {example}}}", example=EXAMPLE)
            problems.append(node.expected(tr("rulesets with their results"), hint))
            return None
        return {name: self._of_ruleset(each, problems) for name, each in node.value.items()}

    def _of_ruleset(self, node: Node, problems: list[Problem]) -> dict[str, PublishedEstimate]:
        before = len(problems)
        found = _estimates(RESULT.values(node, problems))
        if not found and len(problems) == before:
            problems.append(
                node.expected(tr("results such as {example}", example=EXAMPLE), found=yaml_flow(node.plain()))
            )
        return found

    def schema(self) -> dict[str, Any]:
        """For each ruleset numbers of games or shares."""
        return {"type": "object", "minProperties": 2, "additionalProperties": RESULT.schema()}


def _estimates(said: Mapping[str, Any]) -> dict[str, PublishedEstimate]:
    """Score and draws with their standard errors, by the multinomial distribution of results.

    Nothing where too little is said, or counts and shares together.
    """
    if set(said) & set(COUNTS):
        if set(said) != set(COUNTS) or not any(said.values()):
            return {}
        games = sum(said.values())
        score, drawn = (said["first_wins"] + said["draws"] / 2) / games, said["draws"] / games
        said = {"first_score": score, "draw_rate": drawn, "games": games}
    found = {}
    for name in MEASURES:
        match said.get(name):
            case (low, high):
                found[name] = PublishedEstimate((low + high) / 2, (high - low) / (2 * NORMAL_95))
            case float(value):
                if not said.get("games"):
                    return {}
                drawn = said.get("draw_rate") if name == "first_score" else 0.0
                # Wins are the score less half the draws; a score that its draws do not allow has no spread.
                spread = value - value**2 - (drawn / 4 if isinstance(drawn, float) else 0.0)
                found[name] = PublishedEstimate(value, math.sqrt(max(spread, 0.0) / said["games"]))
    return found


@dataclass(frozen=True)
class Published:
    """The published results of some rulesets."""

    source: str = key(Text(), tr("Where the results were published."), "D. Author, Games, 2020", required=True)
    results: Mapping[str, Mapping[str, PublishedEstimate]] = key(
        PublishedResults(),
        tr("What was published for each ruleset, the baseline among them: numbers of games, or shares."),
        {"chess/orthodox": {"first_wins": 772, "draws": 8820, "second_wins": 409}},
        required=True,
    )
    """Ruleset -> measure (of `MEASURES`) -> what was published."""
    players: str = key(Text(), tr("Who played, and with how much time."), "AlphaZero", default="")
    players_ja: str = key(Text(), tr("The same in Japanese."), "AlphaZero", default="")

    def canonical(self) -> dict[str, Any]:
        """The results as plain data."""
        results = {
            ruleset: {name: list(each) for name, each in measures.items()} for ruleset, measures in self.results.items()
        }
        return {
            "source": self.source, "players": self.players, "players_ja": self.players_ja, "results": results,
        }  # fmt: skip


def published_from_provenance(said: Mapping[str, Any] | None) -> Published | None:
    """The published results of an experiment, from what `Published.canonical` said of them."""
    if not said:
        return None
    results = {
        str(ruleset): {str(measure): PublishedEstimate(*map(float, each)) for measure, each in measures.items()}
        for ruleset, measures in said["results"].items()
    }
    return Published(str(said["source"]), results, str(said["players"]), str(said["players_ja"]))


PUBLISHED = MappingOf("published", keys_of(Published), Published)


def check_published(
    node: Node | None, published: Published | None, rulesets: Collection[str], baseline: str
) -> list[Problem]:
    """Rulesets with published results that the experiment does not play, and a baseline without any."""
    if node is None or published is None:
        return []
    problems = [
        node.descendant("results", name).unknown(
            tr("a ruleset of this experiment"), name, hint=guess(name, rulesets, tr("there are {names}"))
        )
        for name in published.results
        if name not in rulesets
    ]
    if baseline and baseline not in published.results:
        what, hint = tr("results of the baseline {name}", name=baseline), tr("differences from it are compared")
        problems.append(node.descendant("results").expected(what, hint, found=NONE))
    return problems
