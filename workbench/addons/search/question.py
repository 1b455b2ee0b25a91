"""Rule searches: the files in ``searches/``, the rulesets in their spaces, and saved results.

`RuleSearch` is the model of a file; its fields declare the keys. `load_search` reads and checks a file, and
`list_candidates` generates the rulesets of its space.

This module imports neither pandas nor Numba.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from workbench import games
from workbench.base.addons import FileKind
from workbench.base.errors import InputError, Problem, display_path, error_text, input_error
from workbench.base.keys import (
    ByName,
    DeferredValue,
    Key,
    ListOf,
    MappingOf,
    Number,
    Text,
    key,
    key_map,
    read_file,
    unknown_key_problems,
)
from workbench.base.language import bilingual, tr
from workbench.base.project import SEARCH, SEARCHES, Project, find_project
from workbench.base.yamlfile import Node, snapshot
from workbench.experiments import experiment as experiments
from workbench.experiments.design import Combinations, Factor, LeftOut, Level, Point, Vary, group_left_out, read_factors
from workbench.experiments.experiment import DEFAULT_MAX_PLIES, MOST_PLIES, MOST_SEED, strong_players
from workbench.experiments.experiment_files import DrawnLines, Lines, Openings, Target, Targets
from workbench.games.declaration import Declaration, Setting, equal_settings
from workbench.players import agents
from workbench.players.agent_kinds import SEEDS, SHARED
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import read_setting, toggles_by_name, unknown_toggle_problem

if TYPE_CHECKING:
    from workbench.runs.progress import FolderStatus

MOST_CANDIDATES = 20_000
"""Maximum number of examined combinations; a larger space is sampled."""
STANDARD = "standard"
"""Both kinds of search with two node budgets each; in race and confirmation also with trained evaluations."""
PRICE = "price"
DEFAULT_HOURS = 1.0

_AGENTS = DeferredValue(lambda: {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/agent"}})
_STRONG = DeferredValue(lambda: {"anyOf": [{"const": STANDARD}, _AGENTS.schema()]})


@dataclass(frozen=True)
class FactorPrice:
    """The price of changing a toggle: constant, or proportional to the change in a number."""

    each: float = 1.0
    step: float | None = None
    most: float = math.inf


_PRICE = Number(0, 1000)
_STEPS = MappingOf(
    tr("a price"),
    {
        "step": Key("step", _PRICE, tr("The cost per unit change in the number."), 0.1),
        "most": Key("most", _PRICE, tr("The maximum cost."), 1),
    },
    FactorPrice,
)


class Price:
    """A price in a file: ``1``, or ``{step: 0.1, most: 1}``."""

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """Return the price as a `FactorPrice`."""
        if isinstance(node.value, dict):
            return _STEPS.read(node, problems)
        return FactorPrice(_PRICE.read(node, problems) or 0.0)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a price."""
        return {"anyOf": [_PRICE.schema(), _STEPS.schema()]}


_PLAYERS: Mapping[str, Key] = {
    "quick": Key("quick", _AGENTS, tr("Players that detect unplayable rulesets."), ["greedy"]),
    "strong": Key(
        "strong", _STRONG, tr("Players whose games count: standard, or a list of agents."), STANDARD, default=STANDARD
    ),
}
_BUDGET: Mapping[str, Key] = {
    "hours": Key("hours", Number(0.01, 1000), tr("How long the search may take on this machine."), 3),
    "games": Key("games", Number(100, 10_000_000, whole=True), tr("Total games of strong players."), 12_000),
    "confirm": Key("confirm", Number(0.1, 0.9), tr("Share of games used to confirm the finalists."), 0.4),
}


@dataclass(frozen=True, kw_only=True)
class RuleSearch:
    """A checked search; fields declared by `key` have the file's values or defaults."""

    name: str
    path: str
    title: str = key(
        Text(), tr("The goal of the search."), "A fair Chatra", default="", required=True, instead="title_ja"
    )
    title_ja: str = key(Text(), tr("The Japanese title; either title is enough."), "公平なチャトラ", default="")
    base: Ruleset = key(
        DeferredValue(lambda: {"$ref": "#/$defs/ruleset"}),
        tr("The current rules, which are changed and compared with the finalists."),
        "chatra/2007-09",
        required=True,
    )
    factors: tuple[Factor, ...] = key(
        Vary(),
        tr(
            "What may be changed: toggles and their possible values, as in an experiment's `vary`; numbers "
            "also as a range {from: 5, to: 12}, with optional additional `values`."
        ),
        {"stuck": ["draw", "loss"], "subjects": {"from": 5, "to": 12}},
        name="space",
        required=True,
    )
    never: tuple[Mapping[str, Setting], ...] = key(
        ListOf("combinations", DeferredValue(lambda: {"type": "object", "minProperties": 1})),
        tr("Combinations to exclude: rulesets that have all the settings of one are skipped."),
        [{"stuck": "loss", "subjects": 5}],
        default=(),
    )
    prices: Mapping[str, FactorPrice] = key(
        ByName(tr("prices, such as {each: 1}"), Price()),
        tr("Prices of changes relative to the base, 1 by default; numbers may have a price per step."),
        {"each": 1, "subjects": {"step": 0.1, "most": 1}},
        name="price",
        default={},
    )
    must: Mapping[str, Target] = key(
        Targets(MOST_PLIES),
        tr("Conditions that a ruleset must meet to be considered."),
        {"capped_rate": "<0.02"},
        default={},
    )
    targets: Mapping[str, Target] = key(
        Targets(MOST_PLIES),
        tr("Targets for a good ruleset, as [lowest, highest] or as a limit; for plies, the mean counts."),
        {"first_score": [0.47, 0.53], "draw_rate": "<0.05"},
        required=True,
    )
    weights: Mapping[str, float] = key(
        ByName(tr("weights, such as {first_score: 1, price: 0.4}"), Number(0, 1e6)),
        tr(
            "Weights for missing a target by half its width (or half a limit), and for a price of 1. Without "
            "weights, targets take precedence, and the cheapest ruleset that meets them is best."
        ),
        {"first_score": 1, "price": 0.4},
        default={},
    )
    indifferent: float = key(
        Number(0.001, 0.5),
        tr("The largest difference in the first player's score that does not matter."),
        0.02,
        default=0.02,
    )
    quick: tuple[AgentSpec, ...] = ()
    strong: tuple[AgentSpec, ...] = ()
    """Empty if the players are the standard ones."""
    players: Any = key(
        MappingOf("players", _PLAYERS), tr("The players; see `quick` and `strong`."), {"strong": STANDARD}, default={}
    )
    openings: Lines | None = key(
        Openings(),
        tr("Random opening lines for strong players' games, generated anew each round."),
        {"plies": 4, "lines": 400},
        default=None,
    )
    max_plies: int = key(
        Number(1, MOST_PLIES, whole=True),
        tr("Games are stopped after this many plies."),
        400,
        default=DEFAULT_MAX_PLIES,
    )
    budget: Mapping[str, Any] = key(
        MappingOf("the budget", _BUDGET), tr("The budget in hours or in games."), {"hours": 3}, default={}
    )
    finalists: int = key(Number(1, 12, whole=True), tr("Number of rulesets confirmed by fresh games."), 4, default=4)
    seed: int = key(Number(0, MOST_SEED, whole=True), tr("The seed of all random numbers."), 1, default=0)
    combinations: Combinations | None = field(default=None, compare=False, repr=False)

    @property
    def heading(self) -> str:
        """The title in both languages."""
        return bilingual(en=self.title, ja=self.title_ja)

    @property
    def confirm(self) -> float:
        """The share of games that confirm the finalists."""
        return float(self.budget.get("confirm", 0.4))

    @property
    def round_players(self) -> tuple[AgentSpec, ...]:
        """The strong players of the rounds."""
        return self.strong or strong_players(())

    @property
    def race_players(self) -> tuple[AgentSpec, ...]:
        """The players of the race; standard players play with and without one training run."""
        return self.strong or strong_players(SEEDS[:1])

    @property
    def confirmation_players(self) -> tuple[AgentSpec, ...]:
        """The players of the confirmation; standard players play with and without every training run."""
        return self.strong or strong_players()

    def price(self, point: Point) -> float:
        """Return the price of a ruleset's changes, given its levels."""
        levels = zip(self.factors, point, self.base_point(), strict=True)
        return sum((self._change_price(factor, level) for factor, level, base in levels if level != base), 0.0)

    def _change_price(self, factor: Factor, level: int) -> float:
        price = self.prices.get(factor.name) or self.prices.get("each") or FactorPrice()
        if price.step is None:
            return price.each
        before, after = self.base.settings.get(factor.name), factor.levels[level].settings.get(factor.name)
        if _is_number(before) and _is_number(after):
            return min(price.most, price.step * abs(after - before))
        return price.most if math.isfinite(price.most) else price.each

    def base_point(self) -> tuple[int | None, ...]:
        """Return the base's level of each factor, or None for a factor without such a level."""
        return tuple(
            next((index for index, level in enumerate(factor.levels) if _has_settings(self.base, level.settings)), None)
            for factor in self.factors
        )

    def numbers(self) -> tuple[tuple[int, ...], ...]:
        """Return each factor's numeric levels in ascending order of their values."""
        values = [[level.settings.get(factor.name) for level in factor.levels] for factor in self.factors]
        return tuple(
            tuple(level for _, level in sorted((value, level) for level, value in enumerate(row) if _is_number(value)))
            for row in values
        )


def _has_settings(ruleset: Ruleset, settings: Mapping[str, Setting]) -> bool:
    return all(equal_settings(ruleset.settings.get(name), setting) for name, setting in settings.items())


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


FIELDS = key_map(RuleSearch)
KEYS = {declared.name: declared for declared in FIELDS.values()}


def find_search(name: str, project: Project | None = None) -> Path:
    """Return a search's file, given its path or name."""
    files = experiments.files_by_stem((project or find_project()).searches)
    return experiments.find_file(
        name, files, tr("there is no search named '{name}'", name=name), tr("searches are {names}")
    )


@snapshot()
def load_search(path: str | Path, project: Project | None = None, text: str | None = None) -> RuleSearch:
    """Read and check a search; ``text`` replaces the content of the file.

    Raises:
        InputError: the file or its ruleset is invalid; the error contains all problems.
    """
    path, project = Path(path), project or find_project()
    root, problems = experiments.read_tree(path, project, project.searches, text)
    values = _Reader(root, project, problems).values()
    if problems:
        unique = dict.fromkeys(problems)
        raise InputError(sorted(unique, key=lambda problem: (problem.file != root.file, problem.line or 0)))
    return RuleSearch(name=path.stem, path=display_path(path), **values)


class _Reader:
    """A reader of one file that appends to ``problems``."""

    def __init__(self, root: Node, project: Project, problems: list[Problem]) -> None:
        assert isinstance(root.value, dict)
        self.root, self.entries, self.project, self.problems = root, root.value, project, problems

    def values(self) -> dict[str, Any]:
        """Return the values of the valid fields."""
        values = read_file(self.root, FIELDS, tr("a search"), self.problems)
        values["title"] = values["title"] or values["title_ja"]
        base = self._base(values.pop("base"))
        space, factors = values.pop("factors"), list[Factor]()
        if base is not None and isinstance(space, Node):
            factors = read_factors([base], space, self.problems)
            values["combinations"] = Combinations([base], factors, space, self.problems, named_by_change=True)
        family = games.declaration(base.game) if base else None
        players = values.pop("players") or {}
        return {
            **values,
            "base": base,
            "factors": tuple(factors),
            "never": self._never(values["never"] or (), family),
            "prices": self._prices(values["prices"] or {}, factors),
            "weights": self._weights(values["weights"] or {}, values["targets"] or {}),
            "quick": self._agents(players.get("quick"), base),
            "strong": self._agents(players.get("strong"), base),
            "budget": self._budget(values["budget"] or {}),
            "openings": self._openings(values["openings"]),
        }

    def _base(self, node: Node | None) -> Ruleset | None:
        if not isinstance(node, Node):
            return None
        try:
            return rulesets.load_ruleset(node.text, library=Library(self.project))
        except InputError as error:
            self.problems += [
                problem if problem.file else node.problem(problem.message, problem.hint) for problem in error.problems
            ]
            return None

    def _never(self, nodes: Sequence[Node], family: Declaration | None) -> tuple[Mapping[str, Setting], ...]:
        combinations = []
        for node in nodes:
            if not isinstance(node.value, dict) or not node.value:
                self.problems.append(node.expected(tr("toggles and their values")))
                continue
            settings: dict[str, Setting] = {}
            for name, inner in node.value.items():
                if not family:
                    break
                if name not in toggles_by_name(family):
                    self.problems.append(unknown_toggle_problem(family, name, inner))
                elif (setting := read_setting(family.toggle(name), inner, self.problems)) is not None:
                    settings[name] = setting
            combinations.append(settings)
        return tuple(combinations)

    def _prices(self, prices: Mapping[str, FactorPrice], factors: Sequence[Factor]) -> Mapping[str, FactorPrice]:
        allowed = ["each", *(factor.name for factor in factors)]
        if factors and "price" in self.entries and isinstance(self.entries["price"].value, dict):
            self.problems += unknown_key_problems(self.entries["price"].value, allowed, tr("what is changed"))
        return prices

    def _weights(self, weights: Mapping[str, float], targets: Mapping[str, Target]) -> Mapping[str, float]:
        if weights and isinstance(self.entries["weights"].value, dict):
            self.problems += unknown_key_problems(self.entries["weights"].value, [*targets, PRICE], tr("the targets"))
        return weights

    def _agents(self, node: Node | None, base: Ruleset | None) -> tuple[AgentSpec, ...]:
        if node is None or node.text == STANDARD:
            return ()
        items = node.value if isinstance(node.value, tuple) else (node,)
        specs = tuple(dict.fromkeys(agent for item in items for agent in agents.read_agents(item, self.problems)))
        for agent in specs:
            if base and agent.evaluation == SHARED:
                requirement = tr("a different evaluation: a search's rulesets are not known in advance")
                self.problems.append(node.expected(requirement, found=SHARED))
            if base:
                agents.check_agent_features(agent, node, [games.declaration(base.game)], self.problems)
        return specs

    def _budget(self, budget: Mapping[str, Any]) -> Mapping[str, Any]:
        if {"hours", "games"} <= set(budget):
            self.problems.append(self.entries["budget"].both("hours", "games"))
        return budget if {"hours", "games"} & set(budget) else {**budget, "hours": DEFAULT_HOURS}

    def _openings(self, openings: Lines | None) -> Lines | None:
        if openings is not None and not isinstance(openings, DrawnLines):
            hint = tr("each ruleset needs its own lines")
            requirement = tr("random lines, such as {plies: 4, lines: 400}")
            self.problems.append(self.entries["openings"].expected(requirement, hint))
        return openings


@dataclass(frozen=True)
class Candidates:
    """The playable rulesets of a space without duplicates."""

    rulesets: tuple[Ruleset, ...]
    points: tuple[Point, ...]
    prices: tuple[float, ...]
    base: int | None
    """The index of the base; None if it is outside the space."""
    combinations: int
    """The number of combinations of levels."""
    refused: tuple[LeftOut, ...]
    """The combinations that the rules reject, grouped by reason."""
    unwanted: int
    """The number of combinations that the file excludes."""
    repeated: int
    """The number of combinations whose rules another combination provides at the same or a lower price."""

    def __len__(self) -> int:
        return len(self.rulesets)

    @property
    def complete(self) -> bool:
        """True if every combination was examined."""
        return self.combinations <= MOST_CANDIDATES

    def changes(self, search: RuleSearch, index: int) -> tuple[tuple[Factor, Level], ...]:
        """Return the changes of the ruleset at an index relative to the base."""
        pairs = zip(search.factors, self.points[index], search.base_point(), strict=True)
        return tuple((factor, factor.levels[level]) for factor, level, base in pairs if level != base)


def list_candidates(search: RuleSearch, report: Callable[[float], object] = lambda share: None) -> Candidates:
    """Return the rulesets of a search space; a space that is too large is sampled."""
    combinations = search.combinations
    assert combinations is not None
    counts = [len(factor.levels) for factor in search.factors]
    total = math.prod(counts)
    points = itertools.product(*map(range, counts)) if total <= MOST_CANDIDATES else _sample_points(search, counts)
    cheapest: dict[str, tuple[float, Point, Ruleset]] = {}
    unwanted = repeated = 0
    for index, point in enumerate(points):
        if index % 500 == 0:
            report(index / min(total, MOST_CANDIDATES))
        if not combinations.make_ruleset(point):
            continue
        ruleset, price = combinations.rulesets.pop(point), search.price(point)
        if any(_has_settings(ruleset, settings) for settings in search.never):
            unwanted += 1
            continue
        previous = cheapest.get(ruleset.fingerprint)
        repeated += previous is not None
        if previous is None or (price, point) < previous[:2]:
            cheapest[ruleset.fingerprint] = price, point, ruleset
    if combinations.problems:
        raise InputError(combinations.problems)
    if not cheapest:
        message = tr("the search space has no combinations left")
        raise InputError([combinations.node.problem(message, "; ".join(combinations.left_out[:3]))])
    prices, kept_points, rulesets = zip(*sorted(cheapest.values(), key=lambda entry: entry[1]), strict=True)
    fingerprints = [ruleset.fingerprint for ruleset in rulesets]
    base = fingerprints.index(search.base.fingerprint) if search.base.fingerprint in fingerprints else None
    refused = tuple(group_left_out(combinations.left_out))
    return Candidates(rulesets, kept_points, prices, base, total, refused, unwanted, repeated)


def parse_changes(search: RuleSearch, name: str) -> tuple[tuple[Factor, Level], ...] | None:
    """Parse the changes in a ruleset's name from `list_candidates`; return None if the space lacks the ruleset.

    The file may have changed since the ruleset was named.
    """

    def read(text: str, factors: Sequence[Factor]) -> tuple[tuple[Factor, Level], ...] | None:
        if not text:
            return ()
        for i, factor in enumerate(factors):
            for level in factor.levels:
                change = f"{factor.name}={level.name}"
                if text == change:
                    return ((factor, level),)
                if text.startswith(f"{change}, ") and (remainder := read(text[len(change) + 2 :], factors[i + 1 :])):
                    return ((factor, level), *remainder)
        return None

    base_name, separator, changes = name.partition(" ")
    return read(changes, search.factors) if base_name == search.base.name and bool(separator) == bool(changes) else None


def _sample_points(search: RuleSearch, counts: Sequence[int]) -> Iterator[Point]:
    """Yield distinct points of a large space: points one or two changes from the base, then random ones."""
    rng = random.Random(search.seed)
    start = tuple(level or 0 for level in search.base_point())
    seen: set[Point] = set()

    def nearby_points() -> Iterator[Point]:
        yield start
        for f, g in itertools.combinations_with_replacement(range(len(counts)), 2):
            for a, b in itertools.product(range(counts[f]), range(counts[g])):
                point = [*start]
                point[f], point[g] = a, b
                yield tuple(point)

    random_points = (tuple(map(rng.randrange, counts)) for _ in range(3 * MOST_CANDIDATES))
    for point in itertools.chain(nearby_points(), random_points):
        if len(seen) == MOST_CANDIDATES:
            return
        if point not in seen:
            seen.add(point)
            yield point


# Results

CANDIDATES, EFFECTS = "candidates.csv", "effects.csv"
"""A search's tables of estimates: of each ruleset and of each level's effect."""
EXTRAS_FILE = "besides.json"
"""The file of further results: neighbours of the space, and sentences about where changes take effect."""


def search_folder(project: Project, name: str) -> Path:
    """Return the folder that contains a search's games."""
    return project.report(f"{SEARCHES}/{name}")


def load_results(folder: Path) -> dict[str, Any]:
    """Return the content of ``search.json`` and of the further results; missing files count as empty."""
    content: dict[str, Any] = {}
    for name in (SEARCH, EXTRAS_FILE):
        try:
            entries = json.loads((folder / name).read_text("utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise input_error(str(error), file=display_path(folder / name)) from None
        content |= entries if isinstance(entries, dict) else {}
    return content


def search_status(folder: Path) -> FolderStatus:
    """Return the state of a search's folder."""
    from workbench.runs.progress import FolderState, FolderStatus, is_folder_in_use

    try:
        results, damaged = load_results(folder), ""
    except InputError as error:
        results, damaged = {}, error_text(error)
    budget = results.get("budget", {"strong": 0, "confirm": 0})
    total = budget["strong"] + budget["confirm"]
    state, played = FolderState.STOPPED if results else FolderState.NOT_BEGUN, results.get("played", 0)
    if is_folder_in_use(folder):
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    elif results.get("result"):
        state, played = FolderState.DONE, total
    return FolderStatus(state, played, total, damaged=(damaged,) if damaged else ())


STAGES: Mapping[str, str] = {
    "sieve": tr("quick players drop what cannot be played"),
    "first sample": tr("a first look at some proposals"),
    "rounds": tr("games of proposals that may be best"),
    "race": tr("games of the most promising"),
    "confirmation": tr("fresh games of the finalists"),
}
"""The stages of a search in words."""
KIND = FileKind(
    "search", SEARCHES, tr("Searches:"), tr("Rule workbench search"), KEYS, load_search, search_status, STAGES
)
