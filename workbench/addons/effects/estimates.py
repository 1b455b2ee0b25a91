"""Estimates of the effects of single rule changes in all saved reports, their pooling, and wishes.

A change sets one toggle from one setting to another. In a report, its effect is estimated by the difference between two
rulesets that differ only in this toggle, for one pairing of players; in a search, by the model's mean effect over the
search space.

Limits: games on the same lines count as independent unless a ruleset is compared with the baseline, which makes
intervals wider; records that were saved twice under different digests count twice. Custom drawings, such as start
positions, are skipped, since other rulesets cannot have the change.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from workbench import games
from workbench.base.errors import InputError
from workbench.base.project import RESERVED_FOLDERS, SEARCHES, Project
from workbench.experiments.experiment import STRONG_NODES
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, PLIES, measure_by_name
from workbench.experiments.wishes import Wish
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import setting_from_text, toggles_by_name
from workbench.statistics.intervals import Floats, Z, wilson

PLAIN = (FIRST_SCORE, "draw_rate", "plies_mean")
CHANGE = ["game", "toggle", "before", "after"]
COLUMNS = ["source", *CHANGE, "measure", "players", "effect", "error", "games", "value", "rules", "strength"]
"""Columns of the estimates. ``before`` and ``after`` are settings in file notation, in alphabetical order; ``effect``
is the difference of the measure, ``error`` its standard error, ``value`` the measure before the change, ``rules`` all
settings before the change, ``strength`` the value of `_strength`."""
Values = Mapping[str, tuple[float, int]]
"""The mean of each measure, and the number of games."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Errors raised by damaged or foreign files."""
YARDSTICK = "random"
NODES_OF_DEPTH = 30
"""Approximate branching factor of a search."""
STANDARD_STRENGTH = sum(map(math.log2, STRONG_NODES)) / len(STRONG_NODES)
SUMMARY = [
    *("ruleset", "first", "second", "games", "unfinished", "first_wins", "second_wins"),
    *(f"{name}{end}" for name in PLAIN for end in ("", "_low", "_high")),
]
"""The columns of ``summary.csv`` that are read; 200 columns of events are not."""


def saved_estimates(folders: Iterable[Path], project: Project, game: str = "") -> pd.DataFrame:
    """Return a table of `COLUMNS` with estimates from the reports in ``folders`` and in their ``searches/``.

    ``game`` limits it to one game. A report is a folder with ``provenance.json`` and ``summary.csv``; unreadable ones
    and copies of the same records are skipped. Rulesets given only by fingerprint are looked up in the project. Files
    are read again only if one has changed.
    """
    patterns = ("*/provenance.json", f"{SEARCHES}/*/effects.csv")
    paths = [path for folder in folders for pattern in patterns for path in sorted(folder.glob(pattern))]
    kept = (path for path in paths if path.parent.name not in RESERVED_FOLDERS)
    return _estimates_in(tuple((path, path.stat().st_mtime_ns) for path in kept), project, game)


@lru_cache(maxsize=8)
def _estimates_in(files: tuple[tuple[Path, int], ...], project: Project, game: str) -> pd.DataFrame:
    library, seen = Library(project), set[str]()
    parts: list[pd.DataFrame] = []
    for path, _ in files:
        try:
            if path.name == "effects.csv":
                parts.append(_search_estimates(path.parent, library, game))
                continue
            provenance = json.loads(path.read_text("utf-8"))
            records = str(provenance.get("digests") or path)
            if records not in seen:
                parts.append(_report_estimates(path.parent, provenance, library, game))
                seen.add(records)
        except UNREADABLE:
            continue
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _report_estimates(folder: Path, provenance: Mapping[str, Any], library: Library, game: str) -> pd.DataFrame:
    settings = dict(_saved_settings(provenance, library, game))
    summary = pd.read_csv(folder / "summary.csv", usecols=SUMMARY)
    wins = summary["first_wins"] + summary["second_wins"]
    for name, column in (("capped_rate", summary["unfinished"]), ("decisive_rate", wins)):
        summary[name] = column / summary["games"]
        summary[f"{name}_low"], summary[f"{name}_high"] = wilson(column, summary["games"])
    rows = summary.to_dict("records")
    cells = dict[str, dict[str, Mapping[Any, Any]]]()
    for row in [row for row in rows if _players(row) != YARDSTICK] or rows:
        cells.setdefault(row["ruleset"], {})[_players(row)] = row
    baseline = provenance["experiment"]["baseline"]
    strengths = _strengths(provenance)
    tables = [path for path in (folder / "tables" / "comparisons.csv", folder / "comparisons.csv") if path.exists()]
    compared = _comparisons(pd.read_csv(tables[0])) if tables else {}
    estimates: list[list[Any]] = []
    for a_name, b_name in itertools.combinations([name for name in settings if name in cells], 2):
        (game, a), (other_game, b) = settings[a_name], settings[b_name]
        differing = [name for name in a if game == other_game and not equal_settings(a[name], b[name])]
        if len(differing) != 1 or _is_custom_drawing(game, differing[0], a, b):
            continue
        toggle, texts = differing[0], (setting_text(a[differing[0]]), setting_text(b[differing[0]]))
        before, after = (a_name, b_name) if texts[0] <= texts[1] else (b_name, a_name)
        sign = {after: 1, before: -1}
        for players in [players for players in cells[a_name] if players in cells[b_name]]:
            old, new = cells[before][players], cells[after][players]
            effects = {
                name: (new[name] - old[name], math.hypot(*(_error(cell, name) for cell in (old, new))), old[name])
                for name in (*PLAIN, "capped_rate", "decisive_rate")
            }
            if baseline in (a_name, b_name):
                proposal = b_name if baseline == a_name else a_name
                for name, (difference, error, value) in compared.get((proposal, players), {}).items():
                    effects[name] = sign[proposal] * difference, error, value
            count = int(min(old["games"], new["games"]))
            estimates += [
                [folder.name, game, toggle, *sorted(texts), name, players, *effect[:2], count, effect[2],
                 settings[before][1], strengths[players]]
                for name, effect in effects.items()
            ]  # fmt: skip
    return _estimate_table(estimates)


def measured_values(folders: Iterable[Path], ruleset: Ruleset) -> Values:
    """Return the values of the measures `PLAIN` in a ruleset's saved games between the strongest players."""
    library, parts = Library(ruleset.project), list[pd.DataFrame]()
    for path in (path for folder in folders for path in sorted(folder.glob("*/provenance.json"))):
        try:
            provenance = json.loads(path.read_text("utf-8"))
            saved = _saved_settings(provenance, library, ruleset.game)
            names = [name for name, (_, settings) in saved if settings == ruleset.settings]
            if names:
                summary, strengths = pd.read_csv(path.with_name("summary.csv"), usecols=SUMMARY), _strengths(provenance)
                strength = [strengths[_players(row)] for row in summary.to_dict("records")]
                parts.append(summary.assign(strength=strength)[summary["ruleset"].isin(names)])
        except UNREADABLE:
            continue
    rows = pd.concat(parts) if parts else pd.DataFrame(columns=[*SUMMARY, "strength"])
    rows = rows[rows["strength"] >= min(math.log2(STRONG_NODES[-1]), max(rows["strength"], default=0))]
    rows = rows[rows[FIRST_SCORE].notna()]
    count = int(rows["games"].sum())
    return {name: (float((rows[name] * rows["games"]).sum()) / count, count) for name in PLAIN} if count else {}


def _is_custom_drawing(game: str, name: str, *settings: Mapping[str, Setting]) -> bool:
    """Return True if a toggle is a custom drawing in any of the settings."""
    toggle = games.declaration(game).toggle(name)
    return isinstance(toggle, Drawing) and any(toggle.is_drawn(values[name]) for values in settings)


def _players(pair: Mapping[Any, Any]) -> str:
    """Return the label of a pairing: both players, or one if they are the same."""
    first, second = str(pair["first"]), str(pair["second"])
    return first if first == second else f"{first} : {second}"


def _strength(options: Mapping[str, Any]) -> float:
    """Return the base-2 logarithm of a player's nodes per move, estimated if its search is limited by depth."""
    if nodes := options.get("nodes"):
        return math.log2(nodes)
    return math.log2(NODES_OF_DEPTH) * (options.get("depth") or (0 if options.get("kind") == YARDSTICK else 1))


def _strengths(provenance: Mapping[str, Any]) -> dict[str, float]:
    """Return the mean `_strength` of a report's pairings by label."""
    return {
        _players(pair): (_strength(pair["first_options"]) + _strength(pair["second_options"])) / 2
        for pair in provenance["pairings"]
    }


def _estimate_table(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=COLUMNS)
    finite = np.isfinite(table[["effect", "error"]].to_numpy(dtype=float)).all(axis=1)
    usable: pd.DataFrame = table[finite & (table["error"] > 0)]
    return usable


def _error(row: Mapping[Any, Any], name: str) -> float:
    """Return the standard error of a measure with an interval."""
    return float(row[f"{name}_high"] - row[f"{name}_low"]) / (2 * Z)


def _comparisons(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, tuple[float, float, float]]]:
    """Return (difference from the baseline, standard error, baseline's value) by (ruleset, players) and measure."""
    comparisons: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = {}
    for row in table.to_dict("records"):
        numbers = float(row["difference"]), (row["high"] - row["low"]) / (2 * Z), float(row["baseline_value"])
        comparisons.setdefault((str(row["ruleset"]), _players(row)), {})[str(row["measure"])] = numbers
    return comparisons


def _saved_settings(
    provenance: Mapping[str, Any], library: Library, game: str
) -> Iterator[tuple[str, tuple[str, Mapping[str, Setting]]]]:
    """Yield the name, game and settings of each ruleset in a report."""
    saved = provenance["rulesets"]
    for entry in saved if isinstance(saved, list) else []:
        if entry["game"] in games.names() and game in ("", entry["game"]):
            defaults = games.declaration(entry["game"]).defaults()
            if set(entry["settings"]) <= set(defaults):
                yield entry["name"], (entry["game"], {**defaults, **entry["settings"]})
    for name, fingerprint in saved.items() if isinstance(saved, dict) else []:
        ruleset = _find_ruleset(name, library) if name.startswith(game) else None
        if ruleset is not None and ruleset.fingerprint == fingerprint:
            yield name, (ruleset.game, ruleset.settings)


def _find_ruleset(name: str, library: Library) -> Ruleset | None:
    """Return a ruleset by name, which may include changes such as ``chatra/2008-02 stuck=loss, subjects=7``."""
    base, _, suffix = name.partition(" ")
    try:
        ruleset = rulesets.load_ruleset(base, library=library)
        toggles = games.declaration(ruleset.game)
        pairs = (part.partition("=") for part in suffix.split(", ") if part)
        changes = {name: setting_from_text(toggles.toggle(name), text) for name, _, text in pairs}
        return rulesets.derive_ruleset(ruleset, changes, name, "") if changes else ruleset
    except (InputError, KeyError):
        return None


def _search_estimates(folder: Path, library: Library, game_filter: str) -> pd.DataFrame:
    """Return the mean effect of each change over a search's space."""
    results = json.loads((folder / "search.json").read_text("utf-8"))
    base = _find_ruleset(str(results["base"]), library)
    if base is None or game_filter not in ("", base.game):
        return pd.DataFrame(columns=COLUMNS)
    game, toggles = base.game, toggles_by_name(games.declaration(base.game))
    players = ", ".join((results.get("result") or {}).get("players", []))
    rows: list[list[Any]] = []
    for row in pd.read_csv(folder / "effects.csv", dtype={"level": str, "beside": str}).to_dict("records"):
        if row["factor"] not in toggles:
            continue
        texts = (str(row[name]) for name in ("level", "beside"))
        level, beside = (text.lower() if text in ("True", "False") else text for text in texts)
        sign = 1 if beside <= level else -1
        for column, measure in ((FIRST_SCORE, FIRST_SCORE), ("draw_rate", "draw_rate"), (PLIES, "plies_mean")):
            rows.append([f"{SEARCHES}/{folder.name}", game, row["factor"], *sorted((beside, level)), measure, players,
                         sign * row[column], _error(row, column), results["budget"]["strong"], math.nan, base.settings,
                         STANDARD_STRENGTH])  # fmt: skip
    return _estimate_table(rows)


RULES, STRENGTH = 1.0, 6.0
"""Correlation lengths of deviations: the number of other toggles, and the number of doublings of the nodes."""
LEAST = 2.0
"""Minimum standard deviation of effects and deviations, in differences that matter."""
REPORT = 1.0
"""Standard deviation of the error shared by a report's estimates (by their lines, for example), in the same unit."""
CLAIM = 0.84
"""Minimum probability of a reported direction, about one standard deviation."""

Settings = Mapping[str, Setting]


@dataclass(frozen=True)
class Effect:
    """The expected effect of a change: mean, standard deviation and the difference that matters."""

    value: float
    spread: float
    unit: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value - Z * self.spread

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.value + Z * self.spread

    def chance(self, direction: int) -> float:
        """Return the probability that the measure changes in a direction (1 or -1)."""
        return float(ndtr(direction * self.value / self.spread))

    @property
    def expected_excess(self) -> float:
        """The expected excess of the effect over the difference that matters, in units of this difference."""
        mean, spread = abs(self.value) / self.unit - 1, self.spread / self.unit
        density = math.exp(-((mean / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
        return float(mean * ndtr(mean / spread) + spread * density)


@dataclass(frozen=True)
class Change:
    """A change of one toggle with its expected effects."""

    game: str
    toggle: Toggle
    before: Setting
    after: Setting
    effects: Mapping[str, Effect]
    sources: tuple[str, ...]
    players: tuple[str, ...]
    """Player labels, strongest last."""
    games: int
    """The number of games under rulesets with the change, or of all games in a search."""
    gain: float = field(default=0.0, compare=False)
    """The desired effects minus the undesired ones, in differences that matter."""
    chance: float = field(default=math.nan, compare=False)
    """The probability that all desired effects have the right direction."""

    def reversed(self) -> Change:
        """Return the opposite change."""
        effects = {name: replace(effect, value=-effect.value) for name, effect in self.effects.items()}
        return replace(self, before=self.after, after=self.before, effects=effects)


class Model:
    """A model that pools the estimates of one measure in one game."""

    def __init__(self, table: pd.DataFrame) -> None:
        """Fit the model to rows of `saved_estimates`."""
        measure = measure_by_name(str(table["measure"].iloc[0]))
        level = float(table["value"].abs().mean())
        self.unit = measure.margin * (level if measure.relative and level > 0 else 1.0)
        self.groups = {tuple(map(str, key)): _Group(rows, self.unit) for key, rows in table.groupby(CHANGE)}
        squares = [np.mean(group.effects**2 - group.variances) for group in self.groups.values()]
        self.scale = max(LEAST, math.sqrt(max(0.0, float(np.median(squares)))))

    def effect(self, change: tuple[str, ...], rules: Settings, strength: float) -> Effect:
        """Return the expected effect of a change to ``rules`` between players of the given strength."""
        mean, deviation = self.groups[change].expected(rules, strength, self.scale)
        return Effect(self.unit * mean, self.unit * deviation, self.unit)


class _Group:
    """Estimates of one change's effect, in differences that matter; similar players in a report are merged."""

    def __init__(self, rows: pd.DataFrame, unit: float) -> None:
        rows = rows.assign(
            weight=1 / rows["error"] ** 2, ids=[id(rules) for rules in rows["rules"]], level=rows["strength"].round()
        )
        values, self.rules, strengths, sources = [], list[Settings](), [], []
        for (source, _, _), similar in rows.groupby(["source", "ids", "level"]):
            weight = float(similar["weight"].sum())
            values.append((float((similar["weight"] * similar["effect"]).sum()) / weight, 1 / weight))
            self.rules.append(similar["rules"].iloc[0])
            strengths.append(float(similar["strength"].mean()))
            sources.append(source)
        self.toggle = str(rows["toggle"].iloc[0])
        self.strengths = np.array(strengths)
        self.effects, self.variances = (np.array(values) / [unit, unit**2]).T
        names = np.array(sources, dtype=str)
        self.same_report = names[:, None] == names[None, :]
        self.correlations = np.array([self._correlation(*pair) for pair in zip(self.rules, strengths, strict=True)])

    def _correlation(self, rules: Settings, strength: float) -> Floats:
        """Return the correlation of each estimate's deviation with the one at the given rules and strength."""
        by_rules = {id(estimated): _toggle_distance(estimated, rules, self.toggle) for estimated in self.rules}
        distances = np.array([by_rules[id(estimated)] for estimated in self.rules])
        return np.asarray(np.exp(-distances / RULES - np.abs(self.strengths - strength) / STRENGTH))

    def expected(self, rules: Settings, strength: float, scale: float) -> tuple[float, float]:
        """Return the mean and standard deviation of the effect under ``rules`` between players of a strength."""
        across = scale**2 * (1 + self._correlation(rules, strength))
        covariance = scale**2 * (1 + self.correlations) + REPORT**2 * self.same_report + np.diag(self.variances)
        factor = cho_factor(covariance, lower=True)
        gain = cho_solve(factor, across)
        variance = 2 * scale**2 + REPORT**2 - float(gain @ across)
        return float(gain @ self.effects), math.sqrt(max(variance, 1e-12))


def _toggle_distance(first: Settings, second: Settings, changed: str) -> float:
    """Return how many toggles besides ``changed`` differ; a numeric one counts twice its log2 ratio, at most 2."""
    total = 0.0
    for name in first.keys() | second.keys():
        a, b = first.get(name), second.get(name)
        if name == changed or (a is not None and b is not None and equal_settings(a, b)):
            continue
        are_numbers = all(type(value) in (int, float) and value > 0 for value in (a, b))  # type: ignore[operator]
        total += min(2.0, 2 * abs(math.log2(a / b))) if are_numbers else 1.0  # type: ignore[operator]
    return total


def estimate_changes(estimates: pd.DataFrame, base: Ruleset, measures: Sequence[str]) -> list[Change]:
    """Return all known changes to a game with their expected effects on ``base`` between the strongest players."""
    game_rows = estimates[estimates["game"] == base.game]
    if game_rows.empty:
        return []
    selected = game_rows[game_rows["measure"].isin(measures)]
    models = {str(name): Model(rows) for name, rows in selected.groupby("measure")}
    strongest, family = float(game_rows["strength"].max()), games.declaration(base.game)
    changes = []
    for key, rows in game_rows.groupby(CHANGE):
        change = tuple(map(str, key))
        toggle = family.toggle(change[1])
        available = {name: model for name, model in models.items() if change in model.groups}
        effects = {name: model.effect(change, base.settings, strongest) for name, model in available.items()}
        changes.append(
            Change(
                base.game, toggle, setting_from_text(toggle, change[2]), setting_from_text(toggle, change[3]), effects,
                tuple(sorted(rows["source"].unique())),
                tuple(dict.fromkeys(rows.sort_values("strength", kind="stable")["players"])),
                int(rows.groupby("measure")["games"].sum().max()),
            )
        )  # fmt: skip
    return changes


def changes_of(changes: Iterable[Change], base: Ruleset | None) -> Iterator[Change]:
    """Yield changes and their opposites, as far as they change a setting of the base if there is one."""
    for change in (version for known in changes for version in (known, known.reversed())):
        if base is None or equal_settings(base.settings[change.toggle.name], change.before):
            yield change


def fairness_gain(score: Effect, level: float) -> Effect:
    """Return the expected reduction in a score's distance from one half, which was ``level`` before the change.

    The distance follows a folded normal distribution, so an uncertain effect is expected to lead away from one half.
    """
    mean, spread = level - 0.5 + score.value, score.spread
    density = math.exp(-((mean / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
    distance = 2 * spread * density + mean * (2 * float(ndtr(mean / spread)) - 1)
    deviation = math.sqrt(max(mean**2 + spread**2 - distance**2, 1e-12))
    return Effect(abs(level - 0.5) - distance, deviation, score.unit)


def rank_changes(
    wish: Wish, changes: Iterable[Change], base: Ruleset | None = None, values: Values | None = None
) -> list[Change]:
    """Return the changes expected to fulfil a wish, best first; ``base`` limits them to changes of its settings.

    Fairness is judged by the `measured_values` before the change. A desired measure adds its expected effect in
    differences that matter. For a measure that should stay the same, the expected excess over one such difference is
    subtracted.
    """
    ranked = []
    for change in changes_of(changes, base):
        effects = dict(change.effects)
        if values and FIRST_SCORE in effects:
            effects[FAIRNESS] = fairness_gain(effects[FIRST_SCORE], values[FIRST_SCORE][0])
        if {*wish.toward, *wish.keep} <= set(effects):
            targets = [(direction, effects[name]) for name, direction in wish.toward.items()]
            gain = sum(direction * effect.value / effect.unit for direction, effect in targets)
            gain -= sum(effects[name].expected_excess for name in wish.keep)
            if gain > 0:
                chance = math.prod(effect.chance(direction) for direction, effect in targets)
                ranked.append(replace(change, effects=effects, gain=gain, chance=chance))
    return sorted(ranked, key=lambda change: -change.gain)
