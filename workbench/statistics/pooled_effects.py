"""What a change of rules can be expected to do beside certain rules, by all kept estimates, and which serve a wish.

The effect of a change on a measure, beside rules x and between players of strength s, is::

    f(x, s) = effect of the change + deviation(x, s)

Both are normal around none. Deviations are the more alike, the fewer other toggles two rulesets set differently and the
nearer their players are in strength: ``exp(-toggles / RULES - doublings / STRENGTH)``. So a change that was played
beside the same rules counts most, and one that was played on another board by other players says little. Both have
one variance: the median of what the estimates of each change show, and no less than `LEAST`, since the few estimates
of a game cannot show that rules hardly matter.

Source: Gaussian processes with a common effect, J. Sacks and others, "Design and analysis of computer experiments",
Statistical Science 4, 1989; effects shrunk towards none by the variance of all of them, C. Morris, "Parametric
empirical Bayes inference", Journal of the American Statistical Association 78, 1983.
Limits: all toggles count alike for how like rules are; errors that all players share are in no interval. Of the effects
that a shipped report shows for sure, the others have the direction of two thirds right, and of those about which they
claim a direction (`CLAIM`) four fifths (`tests/test_kept_effects.py`): by that, changes are proposed for trial.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from workbench import games
from workbench.games.declaration import Setting, Toggle, equal_settings
from workbench.questions.measures import measure_by_name
from workbench.questions.rulesets import Ruleset
from workbench.questions.wishes import Wish
from workbench.statistics.intervals import Floats, Z
from workbench.statistics.kept_effects import CHANGE, setting_of_text

RULES, STRENGTH = 1.0, 6.0
"""Other toggles, and doublings of the nodes of a move, over which deviations become e times less alike."""
LEAST = 2.0
"""The least standard deviation of effects and of deviations, in differences that matter."""
REPORT = 1.0
"""The standard deviation of what all estimates of a report have in common, such as its lines, in the same unit."""
CLAIM = 0.84
"""How probable a direction must be to be told: about one standard deviation."""

Rules = Mapping[str, Setting]


@dataclass(frozen=True)
class Effect:
    """What a change is expected to do to a measure: mean and standard deviation, and the difference that matters."""

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
        """The probability that the measure moves in a direction, 1 or -1."""
        return float(ndtr(direction * self.value / self.spread))

    @property
    def beyond(self) -> float:
        """By how many differences that matter it is expected to be larger than one of them."""
        mean, spread = abs(self.value) / self.unit - 1, self.spread / self.unit
        density = math.exp(-((mean / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
        return float(mean * ndtr(mean / spread) + spread * density)


@dataclass(frozen=True)
class Change:
    """A change of one toggle, and what is known of it."""

    game: str
    toggle: Toggle
    before: Setting
    after: Setting
    effects: Mapping[str, Effect]
    """By measure."""
    sources: tuple[str, ...]
    """The reports that it stands in."""
    players: tuple[str, ...]
    """Who played, the strongest last."""
    games: int
    """Games under rulesets with the change; of a search all of its games."""
    gain: float = field(default=0.0, compare=False)
    """How well it serves a wish: wanted effects in differences that matter, less what changes besides."""
    chance: float = field(default=math.nan, compare=False)
    """The probability that all that is wanted moves in its direction."""

    def turned(self) -> Change:
        """The change in the other direction."""
        effects = {name: replace(effect, value=-effect.value) for name, effect in self.effects.items()}
        return replace(self, before=self.after, after=self.before, effects=effects)


class Model:
    """The estimates of one measure in one game, by change, and the variances that make them most likely."""

    def __init__(self, table: pd.DataFrame) -> None:
        """``table``: rows of `kept_estimates` of one game and measure."""
        measure = measure_by_name(str(table["measure"].iloc[0]))
        usual = float(table["value"].abs().mean())
        self.unit = measure.margin * (usual if measure.relative and usual > 0 else 1.0)
        self.groups = {tuple(map(str, key)): _Group(rows, self.unit) for key, rows in table.groupby(CHANGE)}
        squares = [np.mean(group.effects**2 - group.variances) for group in self.groups.values()]
        self.scale = max(LEAST, math.sqrt(max(0.0, float(np.median(squares)))))

    def effect(self, change: tuple[str, ...], rules: Rules, strength: float) -> Effect:
        """What is expected of a change beside some rules, between players of a strength."""
        mean, deviation = self.groups[change].expected(rules, strength, self.scale)
        return Effect(self.unit * mean, self.unit * deviation, self.unit)


class _Group:
    """The estimates of one change, in differences that matter; those of like players of one report are one."""

    def __init__(self, rows: pd.DataFrame, unit: float) -> None:
        rows = rows.assign(
            weight=1 / rows["error"] ** 2, among=[id(each) for each in rows["rules"]], level=rows["strength"].round()
        )
        values, self.rules, strengths, sources = [], list[Rules](), [], []
        for (source, _, _), alike in rows.groupby(["source", "among", "level"]):
            weight = float(alike["weight"].sum())
            values.append((float((alike["weight"] * alike["effect"]).sum()) / weight, 1 / weight))
            self.rules.append(alike["rules"].iloc[0])
            strengths.append(float(alike["strength"].mean()))
            sources.append(source)
        self.toggle = str(rows["toggle"].iloc[0])
        self.strengths = np.array(strengths)
        self.effects, self.variances = (np.array(values) / [unit, unit**2]).T
        names = np.array(sources, dtype=str)
        self.same_report = names[:, None] == names[None, :]
        self.alike = np.array([self._alike(*each) for each in zip(self.rules, strengths, strict=True)])

    def _alike(self, rules: Rules, strength: float) -> Floats:
        """How alike the deviations of each estimate and of some rules and players are, 0 to 1."""
        apart = {id(one): _toggles_apart(one, rules, self.toggle) for one in self.rules}
        toggles = np.array([apart[id(one)] for one in self.rules])
        return np.asarray(np.exp(-toggles / RULES - np.abs(self.strengths - strength) / STRENGTH))

    def expected(self, rules: Rules, strength: float, scale: float) -> tuple[float, float]:
        """Mean and standard deviation of the effect beside some rules."""
        across = scale**2 * (1 + self._alike(rules, strength))
        covariance = scale**2 * (1 + self.alike) + REPORT**2 * self.same_report + np.diag(self.variances)
        factor = cho_factor(covariance, lower=True)
        gain = cho_solve(factor, across)
        variance = 2 * scale**2 + REPORT**2 - float(gain @ across)
        return float(gain @ self.effects), math.sqrt(max(variance, 1e-12))


def _toggles_apart(one: Rules, other: Rules, changed: str) -> float:
    """How many toggles two rulesets set differently, besides the one that is changed; a number counts by its ratio."""
    total = 0.0
    for name in one.keys() | other.keys():
        a, b = one.get(name), other.get(name)
        if name == changed or (a is not None and b is not None and equal_settings(a, b)):
            continue
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) and each > 0 for each in (a, b))
        total += min(2.0, 2 * abs(math.log2(a / b))) if numbers else 1.0  # type: ignore[operator]
    return total


def fit_models(estimates: pd.DataFrame, measures: Iterable[str]) -> dict[str, Model]:
    """A model for each of the measures that there are estimates of; all of one game."""
    wanted = estimates[estimates["measure"].isin(list(measures))]
    return {str(name): Model(rows) for name, rows in wanted.groupby("measure")}


def known_changes(estimates: pd.DataFrame, base: Ruleset, measures: Sequence[str]) -> list[Change]:
    """All changes of a game with what is expected of them beside a ruleset, between the strongest who played."""
    own = estimates[estimates["game"] == base.game]
    if own.empty:
        return []
    models, strongest, family = fit_models(own, measures), float(own["strength"].max()), games.declaration(base.game)
    changes = []
    for key, rows in own.groupby(CHANGE):
        change = tuple(map(str, key))
        toggle = family.toggle(change[1])
        effects = {
            name: model.effect(change, base.settings, strongest)
            for name, model in models.items()
            if change in model.groups
        }
        changes.append(
            Change(
                base.game, toggle, setting_of_text(toggle, change[2]), setting_of_text(toggle, change[3]), effects,
                tuple(sorted(rows["source"].unique())),
                tuple(dict.fromkeys(rows.sort_values("strength", kind="stable")["players"])),
                int(rows.groupby("measure")["games"].sum().max()),
            )
        )  # fmt: skip
    return changes


def serve(wish: Wish, changes: Iterable[Change], base: Ruleset | None = None) -> list[Change]:
    """The changes that are expected to serve a wish, the best first; with ``base`` only those of its own settings.

    What is wanted counts by its expected effect in differences that matter. What should stay costs as much as it is
    expected to change by more than one of these.
    """
    served = []
    for change in (one for each in changes for one in (each, each.turned())):
        if not {*wish.toward, *wish.keep} <= set(change.effects):
            continue
        if base is None or equal_settings(base.settings[change.toggle.name], change.before):
            wanted = [(direction, change.effects[name]) for name, direction in wish.toward.items()]
            gain = sum(direction * effect.value / effect.unit for direction, effect in wanted)
            gain -= sum(change.effects[name].beyond for name in wish.keep)
            if gain > 0:
                chance = math.prod(effect.chance(direction) for direction, effect in wanted)
                served.append(replace(change, gain=gain, chance=chance))
    return sorted(served, key=lambda change: -change.gain)
