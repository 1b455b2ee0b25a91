"""Results that others published for rulesets of an experiment, and how sure they are.

They decide nothing: reports set the differences between the baseline and the other rulesets beside the same differences
of the experiment's own games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import Problem, guess
from workbench.files.yamlfile import Node
from workbench.questions.keys import Number, Text, unknown

MEASURES = ("first_score", "draw_rate")
"""What is compared."""
NORMAL_95 = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""

COUNTS: Mapping[str, str] = {
    "first_wins": "Games that the first player won.",
    "draws": "Games that were drawn.",
    "second_wins": "Games that the second player won.",
}
SHARES: Mapping[str, str] = {
    "first_score": "Wins and half the draws of the first player, as a share of the games; or its 95 % interval.",
    "draw_rate": "Share of the games that were drawn; or its 95 % interval.",
    "games": "Number of games, where a share stands without its interval.",
}
GAMES = Number(0, 10**12, whole=True)
SHARE = Number(0, 1, "a share")
EXAMPLE = "{first_wins: 772, draws: 8820, second_wins: 409} or {first_score: 0.518, draw_rate: 0.882, games: 10000}"
KEYS: Mapping[str, str] = {
    "source": "Where the results were published.",
    "players": "Who played, and with how much time.",
    "players_ja": "The same in Japanese.",
    "results": "What was published for each ruleset, the baseline among them: numbers of games, or shares.",
}


@dataclass(frozen=True)
class Estimate:
    """A published share with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Published:
    """What was published for some rulesets."""

    source: str
    players: str
    players_ja: str
    results: Mapping[str, Mapping[str, Estimate]]
    """Ruleset -> measure (of `MEASURES`) -> what was published."""
    places: Mapping[str, Node] = field(default_factory=dict, compare=False, repr=False)
    """Where the file writes the results of each ruleset."""

    def canonical(self) -> dict[str, Any]:
        """The results as plain data."""
        return {
            "source": self.source,
            "players": self.players,
            "players_ja": self.players_ja,
            "results": {
                ruleset: {measure: [each.value, each.error] for measure, each in measures.items()}
                for ruleset, measures in self.results.items()
            },
        }


def from_provenance(said: Mapping[str, Any] | None) -> Published | None:
    """The published results of an experiment, from what `Published.canonical` said of them."""
    if not said:
        return None
    results = {
        str(ruleset): {str(measure): Estimate(*map(float, each)) for measure, each in measures.items()}
        for ruleset, measures in said["results"].items()
    }
    return Published(str(said["source"]), str(said["players"]), str(said["players_ja"]), results)


def from_counts(first_wins: int, draws: int, second_wins: int) -> dict[str, Estimate]:
    """Score and draws with their standard errors, by the multinomial distribution of results."""
    games = first_wins + draws + second_wins
    score, drawn = (first_wins + draws / 2) / games, draws / games
    spread = (first_wins + draws / 4) / games - score**2
    return {
        "first_score": Estimate(score, math.sqrt(max(spread, 0) / games)),
        "draw_rate": Estimate(drawn, math.sqrt(drawn * (1 - drawn) / games)),
    }


@dataclass(frozen=True)
class PublishedResults:
    """``{source: …, results: {chess/orthodox: {first_wins: 772, draws: 8820, second_wins: 409}, …}}``."""

    def read(self, node: Node, problems: list[Problem]) -> Published | None:
        """The results as far as they are right; which rulesets there are is checked by `check`."""
        entries = node.value
        if not isinstance(entries, dict):
            message = f"expected published results with a source, found {node.described()}"
            problems.append(
                node.problem(message, f"for instance {{source: …, results: {{chess/orthodox: {EXAMPLE}}}}}")
            )
            return None
        problems += unknown(entries, KEYS, "published")
        texts = {"source": "", "players": "", "players_ja": ""}
        for name in texts:
            if name in entries:
                texts[name] = Text().read(entries[name], problems) or ""
        for name in ("source", "results"):
            if name not in entries:
                problems.append(node.problem(f"expected {name}, found none", KEYS[name]))
        listed = entries.get("results")
        if listed is None:
            return None
        if not isinstance(listed.value, dict) or not listed.value:
            message = f"expected rulesets with their results, found {listed.described()}"
            problems.append(listed.problem(message, f"for instance {{chess/orthodox: {EXAMPLE}}}"))
            return None
        results = {name: read_result(each, problems) for name, each in listed.value.items()}
        return Published(**texts, results=results, places=dict(listed.value))

    def schema(self) -> dict[str, Any]:
        """A source, and for each ruleset numbers of games or shares."""
        interval = {"type": "array", "items": SHARE.schema(), "minItems": 2, "maxItems": 2}
        share = {"anyOf": [SHARE.schema(), interval]}
        counts = {
            "type": "object",
            "additionalProperties": False,
            "required": list(COUNTS),
            "properties": {name: {"description": told, **GAMES.schema()} for name, told in COUNTS.items()},
        }
        shares = {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {
                name: {"description": told, **(GAMES.schema() if name == "games" else share)}
                for name, told in SHARES.items()
            },
        }
        return {
            "type": "object",
            "additionalProperties": False,
            "required": ["source", "results"],
            "properties": {
                "source": {"description": KEYS["source"], **Text().schema()},
                "players": {"description": KEYS["players"], **Text().schema()},
                "players_ja": {"description": KEYS["players_ja"], **Text().schema()},
                "results": {
                    "description": KEYS["results"],
                    "type": "object",
                    "minProperties": 2,
                    "additionalProperties": {"anyOf": [counts, shares]},
                },
            },
        }


def read_result(node: Node, problems: list[Problem]) -> dict[str, Estimate]:
    """What was published for a ruleset; nothing, and problems, if it cannot be meant."""
    entries = node.value
    if not isinstance(entries, dict) or not entries:
        problems.append(node.problem(f"expected results such as {EXAMPLE}, found {node.described()}"))
        return {}
    before = len(problems)
    if set(entries) & set(COUNTS):
        problems += unknown(entries, COUNTS, "results in numbers of games")
        counts = {name: GAMES.read(entries[name], problems) for name in COUNTS if name in entries}
        if missing := [name for name in COUNTS if name not in entries]:
            problems.append(node.problem(f"expected {', '.join(COUNTS)}, found no {' and no '.join(missing)}"))
        if len(problems) > before:
            return {}
        if not sum(int(count or 0) for count in counts.values()):
            problems.append(node.problem("expected at least one game, found none"))
            return {}
        return from_counts(*(int(counts[name] or 0) for name in COUNTS))
    problems += unknown(entries, SHARES, "results in shares")
    games = GAMES.read(entries["games"], problems) if "games" in entries else None
    results = {
        name: estimate
        for name in MEASURES
        if name in entries and (estimate := _share(name, entries, games, problems)) is not None
    }
    if not set(MEASURES) & set(entries):
        problems.append(node.problem(f"expected first_score or draw_rate, found neither, but {', '.join(entries)}"))
    return results if len(problems) == before else {}


def _share(name: str, entries: Mapping[str, Node], games: float | None, problems: list[Problem]) -> Estimate | None:
    """A share with the standard error that its interval tells, or else the number of games."""
    node = entries[name]
    if isinstance(node.value, tuple):
        ends = [SHARE.read(each, problems) for each in node.value]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] < ends[1]:
            return Estimate((ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / (2 * NORMAL_95))
        if None not in ends:
            problems.append(node.problem(f"expected [low, high] with low below high, found {node.plain()}"))
        return None
    value = SHARE.read(node, problems)
    if value is None:
        return None
    if not games:
        message = f"expected games beside {name}: {value:g}, found none"
        problems.append(node.problem(message, f"or the 95 % interval, such as {name}: [0.51, 0.53]"))
        return None
    spread = value * (1 - value)
    drawn = entries.get("draw_rate")
    if name == "first_score" and drawn is not None and isinstance(drawn.value, int | float):
        # Wins are the score less half the draws; a score that its draws do not allow has no spread.
        spread = max(value - float(drawn.value) / 4 - value**2, 0)
    return Estimate(value, math.sqrt(spread / games))


def check(published: Published | None, rulesets: Iterable[str], baseline: str) -> list[Problem]:
    """Rulesets with published results that the experiment does not play, and a baseline without any."""
    if published is None:
        return []
    known = list(rulesets)
    problems = [
        place.problem(f"expected a ruleset of this experiment, found '{name}'", guess(name, known, "there are"))
        for name, place in published.places.items()
        if name not in known
    ]
    if baseline and baseline not in published.results and published.places:
        place = next(iter(published.places.values()))
        problems.append(
            place.problem(
                f"expected results of the baseline {baseline}, found none", "differences from it are compared"
            )
        )
    return problems
