"""A generator of games with known truth, which shares nothing with the model that is fitted to them.

A game has two latent logits, that of a draw and that of the first seat's win in a decisive game. Each is a sum of what
is drawn anew for every experiment::

    base + changes of rules + two, and three, of them together + remainder of the ruleset      rules
         + the same of each family of search                                                  families
         + log2(nodes / most nodes) x (the same of all of these)                               strength
         + configuration + what each change, and the ruleset, does to it                       trainings
         + ruleset x player                                                                    single players
         + line + line x ruleset + line x player + line x cell                                 opening lines

All but ``base`` are normal. Standard deviations are given in points of the score near one half; a point is 0.04 on the
logit. True values are means over the population of configurations, players and lines, by Gauss-Hermite quadrature, and
over the families that were played.

With common random numbers the game of a number meets the same chance under two rulesets as long as no change that they
do not share has touched it: each change leaves a given share of games untouched. Players that learned each ruleset
apart share the chance of one game in ten.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from tests.toy import plan_from, ruleset
from workbench.experiments.experiment_files import DrawnLines
from workbench.players.agents import AgentSpec
from workbench.statistics import AnalysisPlan
from workbench.statistics.intervals import Floats

POINT = 0.04
"""A point of the score near one half, on the logit."""
SEARCHES = ("alphabeta", "best-first")
APART = 0.1
"""The correlation of games of one number among players that learned each ruleset apart."""
LEARNED_APART = ("learned", "net")
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True, kw_only=True)
class World:
    """How experiments are designed, and how large effects are: standard deviations, in points near one half."""

    levels: tuple[int, ...] = (3, 2)
    """Of each factor of the rules."""
    combined: bool = True
    """All combinations are played; else the baseline and single changes."""
    kinds: tuple[str, ...] = ("own", "learned", "learned")
    """The evaluations of the configurations of each family of search."""
    nodes: tuple[int, ...] = (500, 2_000)
    games: int = 75
    pool: int = 500
    """Lines that are drawn."""
    own_lines: bool = True
    """Every player takes a permutation of the pool of its own; else the first games have the first lines."""
    score: float = 0.55
    """That of the first seat under the baseline, in the mean, of decisive games."""
    draws: float = 0.0
    """The draw rate under the baseline."""
    rule: float = 3.0
    pair: float = 1.0
    three: float = 0.0
    remainder: float = 1.0
    change: float = 0.7
    """What a doubling of the nodes adds to what a change does."""
    change_apart: float = 0.3
    """That of single families and configurations, as a share of it."""
    curve: float = 0.0
    """What the square of the doublings adds to it: the line in log nodes is none."""
    family: float = 0.0
    training: float = 1.5
    configuration: float = 2.0
    player: float = 1.0
    line: float = 16.0
    line_ruleset: float = 0.0
    line_player: float = 0.0
    line_cell: float = 0.0
    draw_effects: float = 1.0
    """By what all effects on the logit of a draw are larger."""
    capped: float = 0.0
    """The share of games without a result."""
    missing: float = 0.0
    """The share of cells without games."""
    untouched: tuple[float, ...] = ()
    """Of each change the share of games that it does not touch, in turn; without any, all games are independent."""
    looks: int = 0
    """Analyses while games are played."""
    margin: float = 0.025

    @cached_property
    def changes(self) -> list[tuple[int, int]]:
        """Factor and level."""
        return [(k, level) for k, levels in enumerate(self.levels) for level in range(1, levels)]

    @cached_property
    def combinations(self) -> list[tuple[int, ...]]:
        """The level of each factor, by ruleset; the baseline first."""
        every = list(itertools.product(*map(range, self.levels)))
        return every if self.combined else [each for each in every if sum(level > 0 for level in each) < 2]

    @cached_property
    def has(self) -> Floats:
        """Ruleset x change: 1 where it is made."""
        return np.array([[each[k] == level for k, level in self.changes] for each in self.combinations], float)

    @cached_property
    def names(self) -> list[str]:
        """The rulesets."""
        return ["toy/" + "".join(map(str, each)) for each in self.combinations]

    @cached_property
    def players(self) -> list[AgentSpec]:
        """Family by family, configuration by configuration, budget by budget."""
        made = []
        for search, (number, kind) in itertools.product(SEARCHES, enumerate(self.kinds)):
            for nodes in self.nodes:
                own: dict[str, Any] = {"weights": {"unit": number + 1.0}} if kind == "own" else {"evaluation": kind}
                own |= {} if kind == "own" else {"training": number + 1}
                made.append(AgentSpec.of(search, name=f"{search}-{kind}{number}-{nodes}", nodes=nodes, **own))
        return made

    @cached_property
    def family_of(self) -> npt.NDArray[np.intp]:
        """By player."""
        return np.repeat(np.arange(len(SEARCHES)), len(self.kinds) * len(self.nodes))

    @cached_property
    def configuration_of(self) -> npt.NDArray[np.intp]:
        """By player."""
        return np.repeat(np.arange(len(SEARCHES) * len(self.kinds)), len(self.nodes))

    @cached_property
    def doublings(self) -> Floats:
        """By player, above the largest budget: 0 or less."""
        return np.tile(np.log2(np.array(self.nodes) / max(self.nodes)), len(SEARCHES) * len(self.kinds))

    def plan(self, times: float = 1.0, **options: Any) -> AnalysisPlan:
        """The plan with ``times`` as many games."""
        world = self.grown(times)
        texts = tuple(f"l{number}" for number in range(world.pool))
        if world.looks:
            options = {"until": "decided", "looks": world.looks} | options
        return plan_from(
            [
                ruleset(name, settings={f"f{k}": str(level) for k, level in enumerate(each)}, fingerprint=name)
                for name, each in zip(world.names, world.combinations, strict=True)
            ],
            [(each, each) for each in world.players],
            games=world.games, margin=world.margin, openings=DrawnLines(2, world.pool),
            line_texts=dict.fromkeys(world.names, texts), **options,
        )  # fmt: skip

    def grown(self, times: float) -> World:
        """With more games; lines that players share become more, too."""
        pool = max(self.pool, round(self.games * times)) if self.own_lines else round(self.pool * times)
        return replace(self, games=round(self.games * times), pool=pool)


class Logit:
    """One latent logit: what was drawn for an experiment, and the mean over what was not."""

    def __init__(self, world: World, base: float, scale: float, seed: tuple[int, ...]) -> None:
        """With the mean ``base`` (a share) under the baseline, and effects ``scale`` times as large."""
        self.world, self.scale, self.seed = world, scale * POINT, seed
        chance = np.random.default_rng(seed)
        has, rulesets = world.has, len(world.names)
        families, configurations = len(SEARCHES), int(world.configuration_of.max()) + 1

        def of_rules(of_change: float, of_ruleset: float, count: int) -> Floats:
            """What changes, and rulesets, do to each of some players: ruleset x count."""
            own = chance.normal(0, of_ruleset, (rulesets, count))
            return np.asarray(has @ chance.normal(0, of_change, (has.shape[1], count)) + own)

        rules = of_rules(world.rule, world.remainder, 1)[:, 0]
        for size, deviation in ((2, world.pair), (3, world.three)):
            for some in itertools.combinations(range(has.shape[1]), size):
                rules += chance.normal(0, deviation) * has[:, list(some)].prod(axis=1)
        rules -= rules[0]
        of_family = of_rules(world.family, world.family / 2, families) + chance.normal(0, world.player, families)
        apart = world.change * world.change_apart
        self.slope = of_rules(world.change, world.change / 2, 1) + of_rules(apart, apart / 2, families)
        self.slope += chance.normal(0, world.change, families)
        self.of_configuration = of_rules(world.training, world.training / 2, configurations)
        self.of_configuration += chance.normal(0, world.configuration, configurations)
        self.slope_of_configuration = of_rules(apart, apart / 2, configurations) + chance.normal(
            0, apart, configurations
        )
        self.slope_of_configuration *= self.scale
        self.curve = of_rules(world.curve, world.curve / 2, 1) * self.scale if world.curve else np.zeros((rulesets, 1))
        self.of_player = chance.normal(0, world.player, (rulesets, len(world.players)))
        self.rules = (rules[:, None] + of_family) * self.scale
        """Ruleset x family, at the largest budget."""
        self.slope *= self.scale
        self.of_configuration *= self.scale
        self.of_player *= self.scale
        of_lines = world.line, world.line_ruleset, world.line_player, world.line_cell
        self.line_variance = float(np.square(of_lines).sum()) * self.scale**2
        start = np.array(self._variance(0.0)[0])
        base = float(brentq(lambda logit: _mean_share(np.array(logit), start) - base, -12.0, 12.0))
        self.rules += base - self.rules[0].mean()

    def _variance(self, doublings: float) -> Floats:
        """By ruleset, of all that is averaged over."""
        world = self.world
        own, apart = world.has.sum(axis=1) + 0.25, world.change * world.change_apart * doublings
        players = own * world.training**2 + world.configuration**2 + world.player**2 + (own + 1) * apart**2
        return np.asarray(self.line_variance + players * self.scale**2)

    def share(self, doublings: float) -> Floats:
        """The mean over configurations and lines: ruleset x family."""
        return _mean_share(self._mean(doublings), self._variance(doublings)[:, None])

    def _mean(self, doublings: float) -> Floats:
        """Of the logit: ruleset x family."""
        return self.rules + self.slope * doublings + self.curve * doublings**2

    def share_of_players(self, doublings: float, family: int, count: int, chance: np.random.Generator) -> Floats:
        """Of further players of a family, the mean over lines: ruleset x player."""
        world, has = self.world, self.world.has
        apart = world.change * world.change_apart * doublings
        own = has @ chance.normal(0, np.hypot(world.training, apart), (has.shape[1], count))
        own += chance.normal(0, np.hypot(world.training, apart) / 2, (len(has), count))
        own += chance.normal(0, np.hypot(world.configuration, apart), count)
        own += chance.normal(0, world.player, (len(has), count))
        mean = self._mean(doublings)[:, family, None] + own * self.scale
        return _mean_share(mean, np.full(mean.shape, self.line_variance))

    def of_games(self, line: npt.NDArray[np.intp], pool: int) -> Floats:
        """The probability in each game, of which the line is given: game x ruleset x player."""
        world, family = self.world, self.world.family_of
        players, rulesets = len(world.players), len(world.names)
        mean = self.rules[:, family] + self.slope[:, family] * world.doublings + self.curve * world.doublings**2
        of_configuration = self.of_configuration[:, world.configuration_of] + self.of_player
        mean += of_configuration + self.slope_of_configuration[:, world.configuration_of] * world.doublings
        total = np.broadcast_to(mean, (len(line), rulesets, players))
        deviations = world.line, world.line_ruleset, world.line_player, world.line_cell
        shapes = ((1, 1), (rulesets, 1), (1, players), (rulesets, players))
        for number, (deviation, shape) in enumerate(zip(deviations, shapes, strict=True)):
            if deviation:
                # With more lines the first ones stay what they are.
                worth = np.random.default_rng((*self.seed, number)).normal(0, deviation, (pool, *shape))
                worth = np.broadcast_to(worth, (pool, *(np.maximum(shape, (1, players))))) * self.scale
                total = total + worth[line[:, None, :], np.arange(worth.shape[1])[:, None], np.arange(players)]
        return np.asarray(expit(total))


class Experiment:
    """An experiment of a world: its true values, and as many games as one likes."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        self.win = Logit(world, world.score, 1.0, (seed, 1))
        self.draw = Logit(world, world.draws, world.draw_effects, (seed, 2)) if world.draws else None

    def truth(self, measure: str, doublings: float = 0.0) -> Floats:
        """Of a measure under every ruleset, the mean over the families."""
        win = self.win.share(doublings)
        draw = self.draw.share(doublings) if self.draw else np.zeros_like(win)
        return np.asarray(_measure(measure, win, draw).mean(axis=1))

    def further_players(self, measure: str, count: int = 20) -> Floats:
        """Of players of these families that did not play, after one more doubling: ruleset x player."""
        chance = np.random.default_rng((self.seed, 5))
        parts = []
        for family in range(len(SEARCHES)):
            win = self.win.share_of_players(1.0, family, count // 2, chance)
            draw = self.draw.share_of_players(1.0, family, count // 2, chance) if self.draw else np.zeros_like(win)
            parts.append(_measure(measure, win, draw))
        return np.concatenate(parts, axis=1)

    def records(self, times: float = 1.0) -> pd.DataFrame:
        """All games of all cells; of more games the first ones stay what they are."""
        world = self.world.grown(times)
        # Where single changes are compared, the baseline's cells have more games, among players that learned it apart.
        k = 1 if world.combined or world.looks else len(world.names) - 1
        games = math.ceil(world.games * math.sqrt(k))
        line = self._lines(world, games)
        win = self.win.of_games(line, world.pool)
        draw = self.draw.of_games(line, world.pool) if self.draw else np.zeros_like(win)
        chance, branch = self._chances(games)
        result = np.where(
            chance < (1 - draw) * win, "first", np.where(chance < (1 - draw) * win + draw, "draw", "second")
        )
        result = result.astype(object)
        random = np.random.default_rng((self.seed, 6))
        result[random.random(result.shape) < world.capped] = "unfinished"
        played = np.ones(result.shape, dtype=bool)
        played[world.games :, 1:] = False
        played[world.games :, :, ~self._learned_apart] = False
        played[:, self._missing_cells()] = False
        game, of_ruleset, player = np.nonzero(np.moveaxis(played, 0, 2))[2], *np.nonzero(np.moveaxis(played, 0, 2))[:2]
        labels = np.array([each.label for each in world.players], dtype=object)
        hashes = (branch + np.arange(games)[:, None, None] * 4_096) * 64 + np.arange(len(labels))
        return pd.DataFrame({
            "ruleset": np.array(world.names, dtype=object)[of_ruleset], "first": labels[player],
            "second": labels[player], "game": game, "result": result[game, of_ruleset, player], "termination": "mate",
            "plies": 30, "legal_moves": 5.0, "line": line[game, player],
            "game_hash": np.char.mod("%016x", hashes[game, of_ruleset, player]),
        })  # fmt: skip

    def _lines(self, world: World, games: int) -> npt.NDArray[np.intp]:
        """The line of each game: game x player."""
        if not world.own_lines:
            return np.repeat(np.arange(games) * world.pool // world.games % world.pool, len(world.players)).reshape(
                games, -1
            )
        random = np.random.default_rng((self.seed, 3))
        dealt = np.column_stack([random.permutation(world.pool) for _ in world.players])
        return np.asarray(dealt[np.arange(games) % world.pool])

    def _chances(self, games: int) -> tuple[Floats, npt.NDArray[np.intp]]:
        """The chance that each game meets, and what tells it from other chances of its number and player."""
        world = self.world
        rulesets, players, changes = len(world.names), len(world.players), len(world.changes)
        random = np.random.default_rng((self.seed, 4))
        alone = np.broadcast_to(np.arange(rulesets)[:, None], (games, rulesets, players))
        if not world.untouched:
            return random.random((games, rulesets, players)), alone
        stays = np.resize(world.untouched, changes)
        touched = np.random.default_rng((self.seed, 7)).random((games, changes, players)) >= stays[:, None]
        code = np.einsum("rc,gcp->grp", world.has * 2.0 ** np.arange(changes), touched).astype(np.intp)
        apart = np.random.default_rng((self.seed, 8)).random((games, rulesets, players)) >= APART**0.5
        branch = np.where(self._learned_apart, np.where(apart, alone + (1 << changes), 0), code)
        table = random.random((games, players, (1 << changes) + rulesets))
        return np.take_along_axis(table, branch.swapaxes(1, 2), axis=2).swapaxes(1, 2), branch

    @property
    def _learned_apart(self) -> npt.NDArray[np.bool_]:
        """By player."""
        return np.array([each.evaluation in LEARNED_APART for each in self.world.players])

    def _missing_cells(self) -> npt.NDArray[np.bool_]:
        """Ruleset x player; of every ruleset a player of each family and budget stays."""
        world, random = self.world, np.random.default_rng((self.seed, 9))
        missing = random.random((len(world.names), len(world.players))) < world.missing
        missing.reshape(len(world.names), len(SEARCHES), len(world.kinds), len(world.nodes))[:, :, 0] = False
        return missing


def _mean_share(mean: Floats, variance: Floats) -> Floats:
    """The mean of a share whose logit is normal."""
    return np.asarray(expit(mean[..., None] + np.sqrt(variance)[..., None] * _POINTS) @ _WEIGHTS / _WEIGHTS.sum())


def _measure(measure: str, win: Floats, draw: Floats) -> Floats:
    values: dict[str, Floats] = {"first_score": (1 - draw) * win + draw / 2, "draw_rate": draw, "decisive_first": win}
    return values[measure]
