"""Factorial designs: reading the factors that a file varies, and choosing the combinations of levels to play.

A factor is a toggle with some of its values, or a user-defined name whose levels set several toggles at once.
Combinations that the rules refuse are never played.
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
from workbench.base.errors import MORE, NONE, InputError, Problem, error_text, expected
from workbench.base.keys import Number, unknown_key_problems
from workbench.base.language import SEMICOLON, tr, translated
from workbench.base.yamlfile import Node
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
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
    "fractional": tr("The fewest combinations that separate all main effects and two-factor interactions."),
    "pairs": tr(
        "The fewest combinations that contain every pair of levels of two factors at least once, to find what breaks."
    ),
    "one-at-a-time": tr("The first level of every factor, and each other level alone."),
}
ONE_AT_A_TIME = "one-at-a-time"
MOST_COMBINATIONS = 20_000
"""The most combinations that a design may be chosen from."""
MOST_EXCHANGES, MOST_WORK = 20_000, 10**9
"""The most exchanges and operations per round for improving a fractional design; larger designs stay greedy."""
LARGEST_MODEL = 2 * 10**8
"""The most combinations times squared effects of a fractional design, which takes a second or two."""


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
    """Map ruleset levels to toggles that change together; empty if every non-baseline ruleset has its own effect."""
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
    """The levels they have in common, or the only combination itself."""
    reason: str


def group_left_out(notes: Iterable[str]) -> list[LeftOut]:
    """Group notes such as ``chatra/C with size=9, stuck=loss: too small`` by their reason.

    >>> group_left_out(["A with a=1, b=2: no", "A with a=1, b=3: no"])
    [LeftOut(count=2, shared='a=1', reason='no')]
    """
    reasons: dict[str, list[str]] = {}
    for note in notes:
        combination, _, reason = note.partition(": ")
        # The advice on what to write instead is for authors of a ruleset.
        reasons.setdefault(reason.partition(": write ")[0], []).append(combination)
    groups = []
    for reason, combinations in reasons.items():
        levels = [combination.partition(" with ")[2].split(", ") for combination in combinations]
        shared = ", ".join(level for level in levels[0] if all(level in others for others in levels))
        groups.append(LeftOut(len(combinations), shared if len(combinations) > 1 else combinations[0], reason))
    return groups


Point = tuple[int, ...]
"""The level index of each factor."""


def design_points(
    factors: Sequence[Factor], design: str, allowed: Callable[[Point], bool]
) -> tuple[list[Point], list[Point]]:
    """Return combinations to play, the last factor varying fastest, and refused ones; `ValueError` if too many."""
    if math.prod(len(factor.levels) for factor in factors) > MOST_COMBINATIONS:
        raise ValueError(expected(tr("at most {most:,} combinations", most=MOST_COMBINATIONS), MORE))
    every = list(itertools.product(*(range(len(factor.levels)) for factor in factors)))
    if design == ONE_AT_A_TIME:
        every = [point for point in every if sum(level > 0 for level in point) <= 1]
    good = [point for point in every if allowed(point)]
    permitted = set(good)
    refused = [point for point in every if point not in permitted]
    if not good:
        return [], refused
    choose = {"fractional": _fractional_design, "pairs": _pairwise_design}.get(design)
    return sorted(choose(good) if choose else good), refused


def _pairwise_design(good: list[Point]) -> list[Point]:
    """Return combinations that cover every allowed pair of levels, greedily picking the one that adds the most pairs.

    Source: D. M. Cohen, S. R. Dalal, M. L. Fredman, G. C. Patton, "The AETG system: an approach to testing based on
    combinatorial design", IEEE Transactions on Software Engineering 23, 1997; here over all combinations.
    Limits: close to the minimum, which it does not always reach.
    """

    def shows(point: Point) -> frozenset[tuple[int, int, int, int]]:
        spots = list(enumerate(point))
        if len(spots) == 1:
            return frozenset({(0, point[0], 0, point[0])})
        return frozenset((i, a, j, b) for (i, a), (j, b) in itertools.combinations(spots, 2))

    shown = {point: shows(point) for point in good}
    missing = set().union(*shown.values())
    chosen = []
    # Gains only shrink, so a combination whose gain has not changed since it was queued is the best one.
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
    """Return a D-optimal design: as many combinations as main effects and two-factor interactions have parameters.

    Combinations are exchanged one by one while the determinant of the information matrix grows. With five factors of
    two levels this is the half fraction of resolution V, 16 of 32.

    Source: V. V. Fedorov, "Theory of Optimal Experiments", 1972; T. J. Mitchell, Technometrics 16, 1974.
    Limits: a local optimum. Three-factor interactions are aliased with other effects.
    """
    import numpy as np

    last = [max(column) for column in zip(*good, strict=True)]
    effects = 1 + sum(last) + sum(one * two for one, two in itertools.combinations(last, 2))
    if len(good) * effects**2 > LARGEST_MODEL:
        found = tr("{count:,} combinations with {effects:,} main effects and interactions")
        instead = tr("fewer levels for a fractional design, or 'design: pairs'")
        raise ValueError(expected(instead, found.format(count=len(good), effects=effects)))
    rows = np.array([_model_row(point, last) for point in good])
    rank = int(np.linalg.matrix_rank(rows))
    if rank == len(good):
        return good
    # A tiny ridge keeps the determinant positive while the design is incomplete.
    spread = np.linalg.inv(rows.T @ rows / len(good) * 1e-3 + 1e-9 * np.eye(rows.shape[1]))
    chosen: list[int] = []
    gains = np.zeros(len(good))
    # Small models recompute the gains, in an order of summation that is the same on every machine.
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
    for _ in range(10 if exchanges <= MOST_EXCHANGES and exchanges * effects**3 <= MOST_WORK else 0):
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
    """Return 1, the levels in sum-to-zero coding (``last``: the highest of each factor) and their pairwise products."""
    coded = [
        [-1.0 if level == highest else float(level == one) for one in range(highest)]
        for level, highest in zip(point, last, strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(coded)]
    row += [a * b for one, two in itertools.combinations(coded, 2) for a, b in itertools.product(one, two)]
    return row


BASE = "base"
"""The key within ``vary`` for the rulesets to vary."""
RANGE = ("values", "from", "to", "step")
"""The keys of a range of numbers with additional named values."""


def vary_rulesets(
    bases: Sequence[Ruleset], node: Node, design: str, problems: list[Problem]
) -> tuple[list[Ruleset], dict[str, Any]]:
    """Return the rulesets that the design plays, the last factor varying fastest, and fields of an `Experiment`.

    Several bases are the first factor. Problems of ``node``, the value of ``vary``, are added to ``problems``.
    """
    before = len(problems)
    factors = read_factors(bases, node, problems)
    if len(problems) > before:
        return [], {}
    if len(bases) > 1:
        factors.insert(0, Factor(BASE, "", tuple(Level(base.name, {}) for base in bases)))
    combinations = Combinations(bases, factors, node, problems, design == ONE_AT_A_TIME)
    try:
        played, _ = design_points(factors, design, combinations.allowed)
    except ValueError as error:
        problems.append(node.problem(error_text(error)))
        return [], {"left_out": tuple(combinations.left_out)}
    if not played:
        problems += [node.problem(note) for note in combinations.left_out]
    rulesets = [combinations.made[point] for point in played]
    return rulesets, {
        "factors": {factor.name: tuple(level.name for level in factor.levels) for factor in factors},
        "levels": {ruleset.name: combinations.levels[ruleset.name] for ruleset in rulesets},
        "left_out": tuple(combinations.left_out),
        "design": design,
    }


@dataclass
class Combinations:
    """Rulesets of combinations, made on demand."""

    bases: Sequence[Ruleset]
    factors: Sequence[Factor]
    node: Node
    problems: list[Problem]
    named_by_change: bool = False
    """True if names omit the levels of the base."""
    made: dict[Point, Ruleset] = field(default_factory=dict)
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    """Level names by ruleset and factor."""
    left_out: list[str] = field(default_factory=list)
    """Combinations that the rules refuse, with the reason."""

    def __post_init__(self) -> None:
        self.conflicts = {conflict.message for conflict in games.declaration(self.bases[0].game).excluded()}

    def allowed(self, point: Point) -> bool:
        """Make the ruleset of a combination; return False, and note the reason, if the rules refuse it."""
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
        if not named:
            title, title_ja = base.title, base.title_ja
        elif several:
            # Otherwise the same changes of two bases would have the same title.
            title, title_ja = f"{base.title}; {title}", f"{base.title_ja or base.title}、{title_ja}"
        try:
            ruleset = rulesets.derive_ruleset(base, changes, f"{base.name} {name}".rstrip(), title, title_ja)
        except InputError as error:
            reasons = self._refusal(base, changes, error.problems)
            self.left_out.append(
                tr("{base} with {name}: {reasons}", base=base.name, name=name, reasons=SEMICOLON.join(reasons))
            )
            return False
        self.made[point] = ruleset
        self.levels[ruleset.name] = {factor.name: level.name for factor, level in chosen}
        return True

    def _refusal(self, base: Ruleset, changes: Mapping[str, Setting], problems: Sequence[Problem]) -> list[str]:
        """Return the reasons; note those that are mistakes of the file, not conflicts of rules or of a budget."""
        mistakes = [problem for problem in problems if problem.message not in self.conflicts]
        family = games.declaration(base.game)
        if mistakes and all(problem.file for problem in mistakes):
            settings = combine_settings(family, base.settings, changes)
            if costs := armies_over_budget(family, settings, base.project):
                return costs
        for problem in mistakes:
            wrong = problem if problem.file else self.node.problem(problem.message, problem.hint)
            if wrong not in self.problems:
                self.problems.append(wrong)
        return [problem.message for problem in problems]


def _changed(base: Ruleset, level: Level) -> bool:
    return any(not equal_settings(base.settings.get(toggle), setting) for toggle, setting in level.settings.items())


def read_factors(bases: Sequence[Ruleset], node: Node, problems: list[Problem]) -> list[Factor]:
    """Read the factors of a mapping, adding what is wrong with it to ``problems``."""
    assert isinstance(node.value, dict)
    entries = {name: inner for name, inner in node.value.items() if name != BASE}
    if not entries:
        problems.append(node.expected(tr("at least one toggle"), found=NONE))
    if len({base.game for base in bases}) > 1:
        problems.append(node.expected(tr("bases of one game"), found=tr("several games")))
    declaration = games.declaration(bases[0].game)
    factors = [_factor(declaration, name, inner, problems) for name, inner in entries.items()]
    setters = Counter(toggle for one in factors for toggle in {name for level in one.levels for name in level.settings})
    for toggle in sorted(toggle for toggle, count in setters.items() if count > 1):
        found = tr("'{toggle}' in two", toggle=toggle)
        problems.append(node.expected(tr("each toggle in one factor"), found=found))
    return factors


def _factor(declaration: Declaration, name: str, node: Node, problems: list[Problem]) -> Factor:
    """Return a toggle with some of its values, or named levels that set several toggles."""
    toggle = toggles_by_name(declaration).get(name)
    if not isinstance(node.value, dict) or (toggle and set(node.value) & set(RANGE)):
        if toggle is None:
            problems.append(unknown_toggle_problem(declaration, name, node))
            return Factor(name, name, ())
        read = _range if isinstance(node.value, dict) else _listed
        levels = tuple(Level(setting_text(setting), {name: setting}) for setting in read(toggle, node, problems))
        return Factor(name, str(toggle.title), levels, translated(toggle.title, "ja"))
    if toggle:
        hint = tr("factors that set several toggles need a different name")
        problems.append(node.expected(tr("a list of values for the toggle '{name}'", name=name), hint))
    named = []
    for level, inner in node.value.items():
        if isinstance(inner.value, dict) and inner.value:
            named.append(Level(level, read_settings(declaration, inner.value, problems)))
        else:
            problems.append(inner.expected(tr("toggles and their values")))
    if len({frozenset(level.settings) for level in named}) > 1:
        problems.append(node.problem(expected(tr("the same toggles in each level"))))
    return Factor(name, name, tuple(named))


def _range(toggle: Toggle, node: Node, problems: list[Problem]) -> list[Setting]:
    """Return the named values, followed by the numbers of the range."""
    assert isinstance(node.value, dict)
    entries, span, before = node.value, toggle.span, len(problems)
    problems += unknown_key_problems(entries, RANGE, tr("a range"))
    named = _listed(toggle, entries["values"], problems) if "values" in entries else []
    if "from" not in entries and "to" not in entries:
        return named
    if span is None:
        what = tr("a list of values ({choices})", choices=toggle.choices())
        problems.append(node.expected(what, found=tr("a range")))
        return []
    whole = span.step == 1
    limit = Number(span.low, span.high, whole=whole, expected=span.words())
    least = tr("a multiple of {step:g}", step=span.step) if not whole else tr("a whole number")
    ends = [limit.read(entries[end], problems) if end in entries else None for end in ("from", "to")]
    low, high = (bound if end is None else end for bound, end in zip((span.low, span.high), ends, strict=True))
    step: float | None = span.step
    if "step" in entries:
        step = Number(span.step, span.high, whole=whole, expected=least).read(entries["step"], problems)
    if len(problems) == before and low > high:
        found = tr("{low:g} to {high:g}", low=low, high=high)
        problems.append(node.expected(tr("a range from low to high"), found=found))
    if len(problems) > before or step is None:
        return []
    numbers = [number for number in span.numbers() if low <= float(number) <= high]
    stride = max(1, round(step / span.step))
    return [*named, *(number for number in numbers[::stride] if not any(equal_settings(number, one) for one in named))]


def _listed(toggle: Toggle, node: Node, problems: list[Problem]) -> list[Setting]:
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


def value_schemas(toggle: Toggle) -> list[dict[str, Any]]:
    """Return the JSON Schemas of a toggle's values, no two of which overlap."""
    schemas: list[dict[str, Any]] = [{"const": value.name, "description": value.sentence} for value in toggle.values]
    if toggle.files:
        schemas.append({"type": "string", "description": toggle.files.sentence})
    if isinstance(toggle, PriceList):
        schemas += price_list_schemas(toggle)
    if isinstance(toggle, Drawing):
        other = {"enum": [value.name for value in toggle.values]}
        schemas.append({"type": "string", "pattern": toggle.pattern, "not": other, "description": toggle.drawn})
    if span := toggle.span:
        kind = {"type": "integer"} if span.step == 1 else {"type": "number", "multipleOf": span.step}
        named = [value.name for value in toggle.values if type(value.name) is int]
        schemas.append(
            {**kind, "minimum": span.low, "maximum": span.high, "description": span.sentence.format(n="n")}
            | ({"not": {"enum": named}} if named else {})
        )
    return schemas


@dataclass(frozen=True)
class Vary:
    """The key ``vary``, which is read together with the rulesets that it varies."""

    def read(self, node: Node, problems: list[Problem]) -> Node | None:
        """Return the node if it is a mapping."""
        if isinstance(node.value, dict):
            return node
        problems.append(node.expected(tr("toggles and lists of values")))
        return None

    def schema(self) -> dict[str, Any]:
        """Return every toggle of every game with its values, besides user-defined factors."""
        toggles: dict[str, list[Toggle]] = {}
        for game in games.names():
            for toggle in games.declaration(game).toggles:
                toggles.setdefault(toggle.name, []).append(toggle)
        number = {"type": "number"}
        entries: dict[str, Any] = {}
        for name, alike in toggles.items():
            values = {"anyOf": [schema for toggle in alike for schema in value_schemas(toggle)]}
            levels: dict[str, Any] = {"type": "array", "minItems": 1, "items": values}
            if any(toggle.span for toggle in alike):
                ends = {"values": levels, "from": number, "to": number, "step": number}
                spread = {"type": "object", "additionalProperties": False, "minProperties": 1, "properties": ends}
                levels = {"anyOf": [levels, spread]}
            entries[name] = {"description": alike[0].title, **levels}
        ruleset = {"$ref": "#/$defs/ruleset"}
        entries[BASE] = {
            "description": tr("The ruleset to vary, or a list of them."),
            "anyOf": [ruleset, {"type": "array", "minItems": 1, "items": ruleset, "uniqueItems": True}],
        }
        tied = {
            "description": tr("A custom factor whose levels set the same toggles."),
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "object", "minProperties": 1},
        }
        return {"type": "object", "minProperties": 1, "additionalProperties": tied, "properties": entries}
