"""Experiments that vary several factors: how a file declares them, and which combinations of their levels are played.

A factor is a toggle with some of its values, or a name of the author's with levels that set several toggles at once.
Combinations that the rules refuse never take part.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench import games
from workbench.base.errors import MORE, NONE, InputError, Problem, expected, text_of
from workbench.base.keys import Number, unknown_key_problems
from workbench.base.language import SEMICOLON, tr, translated
from workbench.base.yamlfile import Node
from workbench.games.declaration import Declaration, Setting, Span, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import PriceList
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import (
    armies_over_budget,
    combine_settings,
    price_list_schemas,
    read_setting,
    read_settings,
    toggles_by_name,
    unknown_toggle_problem,
)

DESIGNS: Mapping[str, str] = {
    "full": tr("Every combination."),
    "fractional": tr("As few combinations as tell apart all main effects and all effects of two factors together."),
    "pairs": tr(
        "As few combinations as show every two levels of two factors together at least once: to find what breaks."
    ),
    "one-at-a-time": tr("The first level of every factor, and every other level of one factor alone."),
}
ONE_AT_A_TIME = "one-at-a-time"
MOST_COMBINATIONS = 20_000
"""Combinations that may be looked through."""
PATIENCE, MOST_WORK = 20_000, 10**9
"""Exchanges tried in a round, at most, and the operations that they may take; beyond that a fractional design stays as
it was first chosen."""
LARGEST_MODEL = 2 * 10**8
"""Combinations times the square of the number of effects, at most, of a fractional design: a second or two."""


@dataclass(frozen=True)
class Level:
    """One setting of a factor."""

    name: str
    settings: Mapping[str, Setting]


@dataclass(frozen=True)
class Factor:
    """A part of the rules that is varied."""

    name: str
    title: str
    levels: tuple[Level, ...]
    title_ja: str = ""


def combined_changes(settings: Sequence[Mapping[str, Setting]], baseline: int = 0) -> dict[tuple[int, ...], list[str]]:
    """Return the changes that rulesets combine: the level of each ruleset -> the toggles that change so together.

    Empty if they combine none: if there are as many effects of changes as rulesets besides the baseline.
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for toggle, usual in settings[baseline].items() if settings else ():
        numbers = {str(usual): 0}
        levels = tuple(numbers.setdefault(str(each.get(toggle)), len(numbers)) for each in settings)
        if any(levels):
            groups.setdefault(levels, []).append(toggle)
    return groups if groups and sum(map(max, groups)) < len(settings) - 1 else {}


@dataclass(frozen=True)
class LeftOut:
    """Combinations that the rules refuse for the same reason."""

    count: int
    shared: str
    """The levels that all of them have, or the one combination itself."""
    reason: str


def group_left_out(notes: Iterable[str]) -> list[LeftOut]:
    """Return the combinations of notes such as ``chatra/C with size=9, stuck=loss: too small``, one for each reason.

    >>> group_left_out(["A with a=1, b=2: no", "A with a=1, b=3: no"])
    [LeftOut(count=2, shared='a=1', reason='no')]
    """
    reasons: dict[str, list[str]] = {}
    for note in notes:
        combination, _, reason = note.partition(": ")
        # A message tells the author of a ruleset what to write instead; here nobody wrote anything.
        reasons.setdefault(reason.partition(": write ")[0], []).append(combination)
    groups = []
    for reason, combinations in reasons.items():
        levels = [combination.partition(" with ")[2].split(", ") for combination in combinations]
        shared = ", ".join(level for level in levels[0] if all(level in others for others in levels))
        groups.append(LeftOut(len(combinations), shared if len(combinations) > 1 else combinations[0], reason))
    return groups


Point = tuple[int, ...]
"""For each factor the number of its level."""


def design_points(
    factors: Sequence[Factor], design: str, allowed: Callable[[Point], bool]
) -> tuple[list[Point], list[Point]]:
    """The combinations that the design plays, in the order of the levels, the last factor fastest; and those refused.

    Raises:
        ValueError: there are more combinations than can be looked through, or no design to speak of.
    """
    if math.prod(len(factor.levels) for factor in factors) > MOST_COMBINATIONS:
        raise ValueError(expected(tr("at most {most:,} combinations", most=MOST_COMBINATIONS), MORE))
    every = list(itertools.product(*(range(len(factor.levels)) for factor in factors)))
    if design == ONE_AT_A_TIME:
        # What is not played need not be allowed.
        every = [point for point in every if sum(level > 0 for level in point) <= 1]
    good = [point for point in every if allowed(point)]
    permitted = set(good)
    refused = [point for point in every if point not in permitted]
    if not good:
        return [], refused
    choose = {"fractional": _fractional_design, "pairs": _pairwise_design}.get(design)
    return sorted(choose(good) if choose else good), refused


def _pairwise_design(good: list[Point]) -> list[Point]:
    """Few combinations that hold every allowed pair of levels, chosen greedily: always the one that adds most pairs.

    Source: D. M. Cohen, S. R. Dalal, M. L. Fredman, G. C. Patton, "The AETG system: an approach to testing based on
    combinatorial design", IEEE Transactions on Software Engineering 23, 1997; here over all combinations.
    Limits: near the smallest number, not always the smallest.
    """

    def shows(point: Point) -> frozenset[tuple[int, int, int, int]]:
        spots = list(enumerate(point))
        if len(spots) == 1:
            return frozenset({(0, point[0], 0, point[0])})
        return frozenset((i, a, j, b) for (i, a), (j, b) in itertools.combinations(spots, 2))

    shown = {point: shows(point) for point in good}
    missing = set().union(*shown.values())
    chosen = []
    # What a combination adds only shrinks: one that still adds what it did when it was last looked at is the best.
    heap = [(-len(shown[point]), number) for number, point in enumerate(good)]
    heapq.heapify(heap)
    while missing:
        added, number = heapq.heappop(heap)
        adds = shown[good[number]] & missing
        if len(adds) == -added:
            chosen.append(good[number])
            missing -= adds
        elif adds:
            heapq.heappush(heap, (-len(adds), number))
    return chosen


def _fractional_design(good: list[Point]) -> list[Point]:
    """As many combinations as the model of main effects and two-factor interactions has parameters, D-optimal.

    They are exchanged for others one by one as long as the determinant of the information grows (D-optimality). With
    five factors of two levels this is the half fraction of resolution V, 16 of 32.

    Source: V. V. Fedorov, "Theory of Optimal Experiments", 1972; T. J. Mitchell, Technometrics 16, 1974.
    Limits: a local optimum. Effects of three factors together, if there are any, are mistaken for others.
    """
    import numpy as np

    last = [max(column) for column in zip(*good, strict=True)]
    effects = 1 + sum(last) + sum(one * two for one, two in itertools.combinations(last, 2))
    if len(good) * effects**2 > LARGEST_MODEL:
        found = tr("{count:,} combinations with {effects:,} effects of one or two factors")
        instead = tr("fewer levels for a fractional design, or 'design: pairs'")
        raise ValueError(expected(instead, found.format(count=len(good), effects=effects)))
    rows = np.array([_model_row(point, last) for point in good])
    rank = int(np.linalg.matrix_rank(rows))
    if rank == len(good):
        return good
    # A tiny ridge keeps the determinant above 0 while the design is still incomplete.
    spread = np.linalg.inv(rows.T @ rows / len(good) * 1e-3 + 1e-9 * np.eye(rows.shape[1]))
    chosen: list[int] = []
    gains = np.zeros(len(good))
    # Where it is quick enough, gains are computed anew in an order of sums that is the same on every machine.
    quick = len(good) * effects**2 * rank <= MOST_WORK
    for number in range(rank):
        if quick:
            gains = np.einsum("ij,jk,ik->i", rows, spread, rows)
        elif number == 0:
            gains = ((rows @ spread) * rows).sum(axis=1)
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(np.round(gains, 9))))
        row = rows[chosen[-1]]
        moved = spread @ row
        spread -= np.outer(moved, moved) / (1 + row @ moved)
        if not quick:
            gains -= (rows @ moved) ** 2 / (1 + row @ moved)

    def worth(which: list[int]) -> float:
        some = rows[which]
        return float(np.linalg.slogdet(some.T @ some + 1e-9 * np.eye(rows.shape[1]))[1])

    best = worth(chosen)
    exchanges = rank * len(good)
    for _ in range(10 if exchanges <= PATIENCE and exchanges * effects**3 <= MOST_WORK else 0):
        before = best
        for place in range(rank):
            for other in range(len(good)):
                if other not in chosen:
                    changed = [*chosen[:place], other, *chosen[place + 1 :]]
                    if (determinant := worth(changed)) > best + 1e-6:
                        chosen, best = changed, determinant
        if best <= before:
            break
    return [good[i] for i in chosen]


def _model_row(point: Point, last: Sequence[int]) -> list[float]:
    """Return the row of a combination: 1, the levels in ±1 (sum) coding, and the products of two factors' levels.

    ``last`` is the highest level of each factor.
    """
    coded = [
        [-1.0 if level == highest else float(level == one) for one in range(highest)]
        for level, highest in zip(point, last, strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(coded)]
    row += [a * b for one, two in itertools.combinations(coded, 2) for a, b in itertools.product(one, two)]
    return row


BASE = "base"
"""The name, among the factors, of the rulesets to vary."""
RANGE = ("values", "from", "to", "step")
"""The keys of a range of numbers, besides values that are named."""


@dataclass
class Variation:
    """The rulesets that a design makes of its factors."""

    rulesets: list[Ruleset] = field(default_factory=list)
    factors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Factor -> the names of its levels."""
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    """Ruleset -> its level of each factor."""
    left_out: list[str] = field(default_factory=list)
    """Combinations that the rules refuse, with the reason."""


def vary_rulesets(bases: Sequence[Ruleset], node: Node, design: str, problems: list[Problem]) -> Variation:
    """Return the combinations of the factors that the design plays, the last factor changing fastest.

    Several bases are a factor, too, and the first one. Notes what is wrong with ``node``, the value of ``vary``.
    """
    before = len(problems)
    factors = read_factors(bases, node, problems)
    if len(problems) > before:
        return Variation()
    if len(bases) > 1:
        factors.insert(0, Factor(BASE, "", tuple(Level(base.name, {}) for base in bases)))
    combinations = Combinations(bases, factors, node, problems, design == ONE_AT_A_TIME)
    try:
        played, _ = design_points(factors, design, combinations.allowed)
    except ValueError as error:
        problems.append(node.problem(text_of(error)))
        return Variation(left_out=combinations.left_out)
    if not played:
        problems += [node.problem(note) for note in combinations.left_out]
    made = [combinations.made[point] for point in played]
    return Variation(
        made,
        {factor.name: tuple(level.name for level in factor.levels) for factor in factors},
        {ruleset.name: combinations.levels[ruleset.name] for ruleset in made},
        combinations.left_out,
    )


@dataclass
class Combinations:
    """The rulesets of combinations, made as the design asks for them."""

    bases: Sequence[Ruleset]
    factors: Sequence[Factor]
    node: Node
    problems: list[Problem]
    named_by_change: bool = False
    """True if names have only the levels that are not as the base has them."""
    made: dict[Point, Ruleset] = field(default_factory=dict)
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.conflicts = {conflict.message for conflict in games.declaration(self.bases[0].game).excluded()}

    def allowed(self, point: Point) -> bool:
        """Return whether the rules allow the combination, whose ruleset is then made; else note the reason."""
        several = len(self.bases) > 1
        base = self.bases[point[0]] if several else self.bases[0]
        chosen = [(factor, factor.levels[number]) for factor, number in zip(self.factors, point, strict=True)]
        named = [(factor, level) for factor, level in chosen if factor.name != BASE]
        changes = {toggle: setting for _, level in named for toggle, setting in level.settings.items()}
        if self.named_by_change:
            named = [(factor, level) for factor, level in named if _changed(base, level)]
        name = ", ".join(f"{factor.name}={level.name}" for factor, level in named)
        title = ", ".join(f"{factor.title}: {level.name}" for factor, level in named)
        title_ja = "、".join(f"{factor.title_ja or factor.title}：{level.name}" for factor, level in named)
        if several:
            # Rulesets that differ in nothing but what is varied would have the same title.
            title, title_ja = f"{base.title}; {title}", f"{base.title_ja or base.title}、{title_ja}"
        if not named:
            name, title, title_ja = "", base.title, base.title_ja
        try:
            ruleset = rulesets.derive_ruleset(base, changes, f"{base.name} {name}".rstrip(), title, title_ja)
        except InputError as error:
            reasons = [problem.message for problem in error.problems]
            mistakes = [problem for problem in error.problems if problem.message not in self.conflicts]
            family = games.declaration(base.game)
            # What makes no sense together, or costs too much, is left out; a file that is not there, say, is a mistake.
            if mistakes and all(problem.file for problem in mistakes):
                dear = armies_over_budget(family, combine_settings(family, base.settings, changes), base.project)
                mistakes, reasons = ([], dear) if dear else (mistakes, reasons)
            for problem in mistakes:
                wrong = problem if problem.file else self.node.problem(problem.message, problem.hint)
                if wrong not in self.problems:
                    self.problems.append(wrong)
            self.left_out.append(
                tr("{base} with {name}: {reasons}", base=base.name, name=name, reasons=SEMICOLON.join(reasons))
            )
            return False
        self.made[point] = ruleset
        self.levels[ruleset.name] = {factor.name: level.name for factor, level in chosen}
        return True


def _changed(base: Ruleset, level: Level) -> bool:
    """Return whether a level sets anything else than the base has."""
    return any(not equal_settings(base.settings.get(toggle), setting) for toggle, setting in level.settings.items())


def read_factors(bases: Sequence[Ruleset], node: Node, problems: list[Problem]) -> list[Factor]:
    """Return the factors of a mapping; notes what is wrong with it."""
    assert isinstance(node.value, dict)
    entries = {name: inner for name, inner in node.value.items() if name != BASE}
    if not entries:
        problems.append(node.expected(tr("at least one toggle"), found=NONE))
    if len({base.game for base in bases}) > 1:
        problems.append(node.expected(tr("bases of one game"), found=tr("several games")))
    declaration = games.declaration(bases[0].game)
    factors = [_factor(declaration, name, inner, problems) for name, inner in entries.items()]
    setters = Counter(
        name for factor in factors for name in set[str]().union(*(level.settings for level in factor.levels))
    )
    for toggle in sorted(toggle for toggle, count in setters.items() if count > 1):
        there = tr("'{toggle}' in two", toggle=toggle)
        problems.append(node.expected(tr("each toggle in one factor"), found=there))
    return factors


def _factor(declaration: Declaration, name: str, node: Node, problems: list[Problem]) -> Factor:
    """Return a toggle with some of its values, or named levels that set several toggles."""
    if not isinstance(node.value, dict) or (name in toggles_by_name(declaration) and set(node.value) & set(RANGE)):
        settings = _values(declaration, name, node, problems)
        levels = tuple(Level(setting_text(setting), {name: setting}) for setting in settings)
        title = declaration.toggle(name).title if settings else name
        return Factor(name, str(title), levels, translated(title, "ja") if settings else "")
    if name in toggles_by_name(declaration):
        hint = tr("factors that set several toggles need a name of their own")
        problems.append(node.expected(tr("a list of values for the toggle '{name}'", name=name), hint))
    named = []
    for level, inner in node.value.items():
        if not isinstance(inner.value, dict) or not inner.value:
            problems.append(inner.expected(tr("toggles and their values")))
            continue
        named.append(Level(level, read_settings(declaration, inner.value, problems)))
    if len({frozenset(level.settings) for level in named}) > 1:
        problems.append(node.problem(expected(tr("the same toggles in each level"))))
    return Factor(name, name, tuple(named))


def _values(declaration: Declaration, name: str, node: Node, problems: list[Problem]) -> list[Setting]:
    """Return the values of a toggle that are tried."""
    toggles = toggles_by_name(declaration)
    if name not in toggles:
        problems.append(unknown_toggle_problem(declaration, name, node))
        return []
    toggle = toggles[name]
    return (
        _range(toggle, node, node.value, problems) if isinstance(node.value, dict) else _listed(toggle, node, problems)
    )


def _range(toggle: Toggle, node: Node, entries: Mapping[str, Node], problems: list[Problem]) -> list[Setting]:
    """Return the values that are named, and the numbers from one to another."""
    before = len(problems)
    problems += unknown_key_problems(entries, RANGE, tr("a range"))
    named = _listed(toggle, entries["values"], problems) if "values" in entries else []
    span = toggle.span
    if "from" not in entries and "to" not in entries:
        return named
    if span is None:
        what = tr("a list of values ({choices})", choices=toggle.choices())
        problems.append(node.expected(what, found=tr("a range")))
        return []
    low = _limit(entries.get("from"), span, span.low, problems)
    high = _limit(entries.get("to"), span, span.high, problems)
    whole = span.step == 1
    least = tr("a multiple of {step:g}", step=span.step) if not whole else tr("a whole number")
    step = span.step
    if "step" in entries:
        step = Number(span.step, span.high, whole=whole, expected=least).read(entries["step"], problems) or step
    if len(problems) == before and low > high:
        there = tr("{low:g} to {high:g}", low=low, high=high)
        problems.append(node.expected(tr("a range from low to high"), found=there))
    if len(problems) > before:
        return []
    numbers = [number for number in span.numbers() if low <= float(number) <= high]
    stride = max(1, round(step / span.step))
    return [*named, *(number for number in numbers[::stride] if not any(equal_settings(number, one) for one in named))]


def _limit(node: Node | None, span: Span, otherwise: float, problems: list[Problem]) -> float:
    """Return an end of a range."""
    if node is None:
        return otherwise
    value = Number(span.low, span.high, whole=span.step == 1, expected=span.words()).read(node, problems)
    return otherwise if value is None else value


def _listed(toggle: Toggle, node: Node, problems: list[Problem]) -> list[Setting]:
    """Return the values of a list."""
    if not isinstance(node.value, tuple) or not node.value:
        problems.append(node.expected(tr("a list of values ({choices})", choices=toggle.choices())))
        return []
    settings: list[Setting] = []
    for item in node.value:
        setting = read_setting(toggle, item, problems)
        if setting is not None and any(equal_settings(setting, known) for known in settings):
            problems.append(item.repeated(tr("value"), item.describe()))
        elif setting is not None:
            settings.append(setting)
    return settings


@dataclass(frozen=True)
class Vary:
    """The key ``vary``; it is read with the rulesets that it varies."""

    def read(self, node: Node, problems: list[Problem]) -> Node | None:
        """Return the node, if it is a mapping."""
        if isinstance(node.value, dict):
            return node
        problems.append(node.expected(tr("toggles and lists of values")))
        return None

    def schema(self) -> dict[str, Any]:
        """Every toggle of every game with its values, and factors of the author's own."""
        choices: dict[str, list[dict[str, Any]]] = {}
        titles: dict[str, str] = {}
        spans: set[str] = set()
        for game in games.names():
            for toggle in games.declaration(game).toggles:
                titles.setdefault(toggle.name, toggle.title)
                own = choices.setdefault(toggle.name, [])
                own += [{"const": value.name, "description": value.sentence} for value in toggle.values]
                if span := toggle.span:
                    spans.add(toggle.name)
                    limits = {"minimum": span.low, "maximum": span.high, "description": span.sentence.format(n="n")}
                    own.append({"type": "integer" if span.step == 1 else "number", **limits})
                if isinstance(toggle, PriceList):
                    own += price_list_schemas(toggle)
                if toggle.files:
                    own.append({"type": "string", "description": toggle.files.sentence})
                if isinstance(toggle, Drawing):
                    own.append({"type": "string", "pattern": toggle.pattern, "description": toggle.drawn})
        number: dict[str, Any] = {"type": "number"}
        entries: dict[str, Any] = {}
        for name, own in choices.items():
            listed: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"anyOf": own}}
            ends = {"values": listed, "from": number, "to": number, "step": number}
            spread: dict[str, Any] = {
                "type": "object", "additionalProperties": False, "minProperties": 1, "properties": ends,
            }  # fmt: skip
            ranged = name in spans
            entries[name] = {"description": titles[name], **({"anyOf": [listed, spread]} if ranged else listed)}
        ruleset = {"$ref": "#/$defs/ruleset"}
        entries[BASE] = {
            "description": tr("The ruleset to vary, or a list of them."),
            "anyOf": [ruleset, {"type": "array", "minItems": 1, "items": ruleset, "uniqueItems": True}],
        }
        tied = {
            "description": tr("A factor of your own: each level sets the same toggles."),
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "object", "minProperties": 1},
        }
        return {"type": "object", "minProperties": 1, "additionalProperties": tied, "properties": entries}
