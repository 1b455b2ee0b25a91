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
        "The fewest combinations that contain each pair of levels of two factors at least once, to find what breaks."
    ),
    "one-at-a-time": tr("The first level of every factor, plus each other level alone."),
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
    """Map patterns of levels to the toggles that follow them; return {} if each proposal has its own effect."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for toggle, baseline_setting in settings[baseline].items() if settings else ():
        indices = {str(baseline_setting): 0}
        levels = tuple(indices.setdefault(str(mapping.get(toggle)), len(indices)) for mapping in settings)
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
        # Omit the advice on what to write instead, which is for authors of rulesets.
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
    """Return the combinations to play, with the last factor varying fastest, and the refused ones."""
    if math.prod(len(factor.levels) for factor in factors) > MOST_COMBINATIONS:
        raise ValueError(expected(tr("at most {most:,} combinations", most=MOST_COMBINATIONS), MORE))
    points = list(itertools.product(*(range(len(factor.levels)) for factor in factors)))
    if design == ONE_AT_A_TIME:
        points = [point for point in points if sum(level > 0 for level in point) <= 1]
    playable = [point for point in points if allowed(point)]
    playable_set = set(playable)
    refused = [point for point in points if point not in playable_set]
    if not playable:
        return [], refused
    choose = {"fractional": _fractional_design, "pairs": _pairwise_design}.get(design)
    return sorted(choose(playable) if choose else playable), refused


def _pairwise_design(playable: list[Point]) -> list[Point]:
    """Return combinations that cover every allowed pair of levels, greedily picking the one that adds the most pairs.

    Source: D. M. Cohen, S. R. Dalal, M. L. Fredman, G. C. Patton, "The AETG system: an approach to testing based on
    combinatorial design", IEEE Transactions on Software Engineering 23, 1997; here over all combinations.
    Limits: close to the minimum, which it does not always reach.
    """

    def level_pairs(point: Point) -> frozenset[tuple[int, int, int, int]]:
        levels = list(enumerate(point))
        if len(levels) == 1:
            return frozenset({(0, point[0], 0, point[0])})
        return frozenset((i, a, j, b) for (i, a), (j, b) in itertools.combinations(levels, 2))

    pairs_by_point = {point: level_pairs(point) for point in playable}
    missing = set().union(*pairs_by_point.values())
    chosen = []
    # Gains only shrink, so a combination is the best one if its gain has not changed since it was queued.
    heap = [(-len(pairs_by_point[point]), number) for number, point in enumerate(playable)]
    heapq.heapify(heap)
    while missing:
        queued, number = heapq.heappop(heap)
        gained = pairs_by_point[playable[number]] & missing
        if len(gained) == -queued:
            chosen.append(playable[number])
            missing -= gained
        elif gained:
            heapq.heappush(heap, (-len(gained), number))
    return chosen


def _fractional_design(playable: list[Point]) -> list[Point]:
    """Return a D-optimal design: as many combinations as main effects and two-factor interactions have parameters.

    Combinations are exchanged one by one while the determinant of the information matrix grows. With five factors of
    two levels this is the half fraction of resolution V, 16 of 32.

    Source: V. V. Fedorov, "Theory of Optimal Experiments", 1972; T. J. Mitchell, Technometrics 16, 1974.
    Limits: a local optimum. Three-factor interactions are aliased with other effects.
    """
    import numpy as np

    top_levels = [max(column) for column in zip(*playable, strict=True)]
    effects = 1 + sum(top_levels) + sum(a * b for a, b in itertools.combinations(top_levels, 2))
    if len(playable) * effects**2 > LARGEST_MODEL:
        found = tr("{count:,} combinations with {effects:,} main effects and interactions")
        alternative = tr("fewer levels for a fractional design, or 'design: pairs'")
        raise ValueError(expected(alternative, found.format(count=len(playable), effects=effects)))
    rows = np.array([_model_row(point, top_levels) for point in playable])
    rank = int(np.linalg.matrix_rank(rows))
    if rank == len(playable):
        return playable
    # A tiny ridge keeps the determinant positive while the design is incomplete.
    inverse = np.linalg.inv(rows.T @ rows / len(playable) * 1e-3 + 1e-9 * np.eye(rows.shape[1]))
    chosen: list[int] = []
    gains = np.zeros(len(playable))
    # Small models recompute the gains, in an order of summation that is the same on every machine.
    is_small = len(playable) * effects**2 * rank <= MOST_WORK
    for number in range(rank):
        if is_small:
            gains = np.einsum("ij,jk,ik->i", rows, inverse, rows)
        elif number == 0:
            gains = ((rows @ inverse) * rows).sum(axis=1)
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(np.round(gains, 9))))
        row = rows[chosen[-1]]
        product = inverse @ row
        inverse -= np.outer(product, product) / (1 + row @ product)
        if not is_small:
            gains -= (rows @ product) ** 2 / (1 + row @ product)

    def log_determinant(indices: list[int]) -> float:
        model = rows[indices]
        return float(np.linalg.slogdet(model.T @ model + 1e-9 * np.eye(rows.shape[1]))[1])

    best = log_determinant(chosen)
    exchanges = rank * len(playable)
    for _ in range(10 if exchanges <= MOST_EXCHANGES and exchanges * effects**3 <= MOST_WORK else 0):
        previous = best
        for position in range(rank):
            for other in range(len(playable)):
                if other not in chosen:
                    changed = [*chosen[:position], other, *chosen[position + 1 :]]
                    if (determinant := log_determinant(changed)) > best + 1e-6:
                        chosen, best = changed, determinant
        if best <= previous:
            break
    return [playable[i] for i in chosen]


def _model_row(point: Point, top_levels: Sequence[int]) -> list[float]:
    """Return 1, the levels in sum-to-zero coding and their products; ``top_levels`` has the highest levels."""
    coded = [
        [-1.0 if level == highest else float(level == other) for other in range(highest)]
        for level, highest in zip(point, top_levels, strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(coded)]
    row += [a * b for left, right in itertools.combinations(coded, 2) for a, b in itertools.product(left, right)]
    return row


BASE = "base"
"""The key within ``vary`` for the rulesets to vary."""
RANGE = ("values", "from", "to", "step")
"""The keys of a range of numbers with additional named values."""


def vary_rulesets(
    bases: Sequence[Ruleset], node: Node, design: str, problems: list[Problem]
) -> tuple[list[Ruleset], dict[str, Any]]:
    """Return the rulesets to play, with the last factor varying fastest, and the corresponding `Experiment` fields.

    Several bases form the first factor. Problems with ``node``, the value of ``vary``, are appended to ``problems``.
    """
    problem_count = len(problems)
    factors = read_factors(bases, node, problems)
    if len(problems) > problem_count:
        return [], {}
    if len(bases) > 1:
        factors.insert(0, Factor(BASE, "", tuple(Level(base.name, {}) for base in bases)))
    combinations = Combinations(bases, factors, node, problems, design == ONE_AT_A_TIME)
    try:
        played, _ = design_points(factors, design, combinations.make_ruleset)
    except ValueError as error:
        problems.append(node.problem(error_text(error)))
        return [], {"left_out": tuple(combinations.left_out)}
    if not played:
        problems += [node.problem(note) for note in combinations.left_out]
    rulesets = [combinations.rulesets[point] for point in played]
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
    rulesets: dict[Point, Ruleset] = field(default_factory=dict)
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    """Level names by ruleset and factor."""
    left_out: list[str] = field(default_factory=list)
    """Combinations that the rules refuse, with the reason."""

    def __post_init__(self) -> None:
        self.conflicts = {conflict.message for conflict in games.declaration(self.bases[0].game).excluded()}

    def make_ruleset(self, point: Point) -> bool:
        """Make the ruleset of a combination; if the rules refuse it, note the reason and return False."""
        several = len(self.bases) > 1
        base = self.bases[point[0]] if several else self.bases[0]
        chosen = [(factor, factor.levels[number]) for factor, number in zip(self.factors, point, strict=True)]
        varied = [(factor, level) for factor, level in chosen if factor.name != BASE]
        changes = {toggle: setting for _, level in varied for toggle, setting in level.settings.items()}
        if self.named_by_change:
            varied = [(factor, level) for factor, level in varied if _changes(base, level)]
        name = ", ".join(f"{factor.name}={level.name}" for factor, level in varied)
        title = ", ".join(f"{factor.title}: {level.name}" for factor, level in varied)
        title_ja = "、".join(f"{factor.title_ja or factor.title}：{level.name}" for factor, level in varied)
        if not varied:
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
        self.rulesets[point] = ruleset
        self.levels[ruleset.name] = {factor.name: level.name for factor, level in chosen}
        return True

    def _refusal(self, base: Ruleset, changes: Mapping[str, Setting], problems: Sequence[Problem]) -> list[str]:
        """Return the reasons for a refusal; report those that are mistakes in the file as problems."""
        mistakes = [problem for problem in problems if problem.message not in self.conflicts]
        family = games.declaration(base.game)
        if mistakes and all(problem.file for problem in mistakes):
            settings = combine_settings(family, base.settings, changes)
            if costs := armies_over_budget(family, settings, base.project):
                return costs
        for problem in mistakes:
            located = problem if problem.file else self.node.problem(problem.message, problem.hint)
            if located not in self.problems:
                self.problems.append(located)
        return [problem.message for problem in problems]


def _changes(base: Ruleset, level: Level) -> bool:
    return any(not equal_settings(base.settings.get(toggle), setting) for toggle, setting in level.settings.items())


def read_factors(bases: Sequence[Ruleset], node: Node, problems: list[Problem]) -> list[Factor]:
    """Read the factors of a mapping, adding its mistakes to ``problems``."""
    assert isinstance(node.value, dict)
    entries = {name: entry for name, entry in node.value.items() if name != BASE}
    if not entries:
        problems.append(node.expected(tr("at least one toggle"), found=NONE))
    if len({base.game for base in bases}) > 1:
        problems.append(node.expected(tr("bases of one game"), found=tr("several games")))
    declaration = games.declaration(bases[0].game)
    factors = [_read_factor(declaration, name, entry, problems) for name, entry in entries.items()]
    toggles = ({name for level in factor.levels for name in level.settings} for factor in factors)
    counts = Counter(itertools.chain.from_iterable(toggles))
    for name in sorted(name for name, count in counts.items() if count > 1):
        problems.append(node.expected(tr("each toggle in only one factor"), found=tr("'{toggle}' in two", toggle=name)))
    return factors


def _read_factor(declaration: Declaration, name: str, node: Node, problems: list[Problem]) -> Factor:
    """Return a toggle with some of its values, or named levels that set several toggles."""
    toggle = toggles_by_name(declaration).get(name)
    if not isinstance(node.value, dict) or (toggle and set(node.value) & set(RANGE)):
        if toggle is None:
            problems.append(unknown_toggle_problem(declaration, name, node))
            return Factor(name, name, ())
        read_values = _read_range if isinstance(node.value, dict) else _read_list
        levels = tuple(Level(setting_text(setting), {name: setting}) for setting in read_values(toggle, node, problems))
        return Factor(name, str(toggle.title), levels, translated(toggle.title, "ja"))
    if toggle:
        hint = tr("factors that set several toggles need a different name")
        problems.append(node.expected(tr("a list of values for the toggle '{name}'", name=name), hint))
    levels_read = []
    for level, entry in node.value.items():
        if isinstance(entry.value, dict) and entry.value:
            levels_read.append(Level(level, read_settings(declaration, entry.value, problems)))
        else:
            problems.append(entry.expected(tr("toggles and their values")))
    if len({frozenset(level.settings) for level in levels_read}) > 1:
        problems.append(node.problem(expected(tr("the same toggles in each level"))))
    return Factor(name, name, tuple(levels_read))


def _read_range(toggle: Toggle, node: Node, problems: list[Problem]) -> list[Setting]:
    """Return the named values, followed by the numbers of the range."""
    assert isinstance(node.value, dict)
    entries, span, problem_count = node.value, toggle.span, len(problems)
    problems += unknown_key_problems(entries, RANGE, tr("a range"))
    named = _read_list(toggle, entries["values"], problems) if "values" in entries else []
    if "from" not in entries and "to" not in entries:
        return named
    if span is None:
        expectation = tr("a list of values ({choices})", choices=toggle.choices())
        problems.append(node.expected(expectation, found=tr("a range")))
        return []
    is_whole = span.step == 1
    limit = Number(span.low, span.high, whole=is_whole, expected=span.words())
    step_noun = tr("a multiple of {step:g}", step=span.step) if not is_whole else tr("a whole number")
    ends = [limit.read(entries[end], problems) if end in entries else None for end in ("from", "to")]
    low, high = (bound if end is None else end for bound, end in zip((span.low, span.high), ends, strict=True))
    step: float | None = span.step
    if "step" in entries:
        step = Number(span.step, span.high, whole=is_whole, expected=step_noun).read(entries["step"], problems)
    if len(problems) == problem_count and low > high:
        actual = tr("{low:g} to {high:g}", low=low, high=high)
        problems.append(node.expected(tr("a range from low to high"), found=actual))
    if len(problems) > problem_count or step is None:
        return []
    numbers = [number for number in span.numbers() if low <= float(number) <= high]
    stride = max(1, round(step / span.step))
    return [*named, *(n for n in numbers[::stride] if not any(equal_settings(n, setting) for setting in named))]


def _read_list(toggle: Toggle, node: Node, problems: list[Problem]) -> list[Setting]:
    if not isinstance(node.value, tuple) or not node.value:
        problems.append(node.expected(tr("a list of values ({choices})", choices=toggle.choices())))
        return []
    settings: list[Setting] = []
    for item in node.value:
        setting = read_setting(toggle, item, problems)
        if setting is not None and any(equal_settings(setting, earlier) for earlier in settings):
            problems.append(item.repeated(tr("value"), item.describe()))
        elif setting is not None:
            settings.append(setting)
    return settings


def value_schemas(toggle: Toggle) -> list[dict[str, Any]]:
    """Return non-overlapping JSON Schemas of a toggle's values."""
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
        """Return the schema of all games' toggles with their values, and of user-defined factors."""
        toggles: dict[str, list[Toggle]] = {}
        for game in games.names():
            for toggle in games.declaration(game).toggles:
                toggles.setdefault(toggle.name, []).append(toggle)
        number = {"type": "number"}
        entries: dict[str, Any] = {}
        for name, variants in toggles.items():
            values = {"anyOf": [schema for toggle in variants for schema in value_schemas(toggle)]}
            levels: dict[str, Any] = {"type": "array", "minItems": 1, "items": values}
            if any(toggle.span for toggle in variants):
                ends = {"values": levels, "from": number, "to": number, "step": number}
                number_range = {"type": "object", "additionalProperties": False, "minProperties": 1, "properties": ends}
                levels = {"anyOf": [levels, number_range]}
            entries[name] = {"description": variants[0].title, **levels}
        ruleset = {"$ref": "#/$defs/ruleset"}
        entries[BASE] = {
            "description": tr("The ruleset to vary, or a list of rulesets."),
            "anyOf": [ruleset, {"type": "array", "minItems": 1, "items": ruleset, "uniqueItems": True}],
        }
        custom = {
            "description": tr("A custom factor whose levels set the same toggles."),
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "object", "minProperties": 1},
        }
        return {"type": "object", "minProperties": 1, "additionalProperties": custom, "properties": entries}
