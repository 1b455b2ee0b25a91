"""Training: self-play in rounds, and after each the weights that predict the results of all games so far best.

The fit is a logistic regression with three priors: features have the hand-tuned weights, on the scale that predicts
best; all places are worth the same; and late in the game everything is what it is early. The target is half the result
of the game and half the score of the search at the position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import trials
from workbench.engine.players import BlockArguments, Player, random_player
from workbench.engine.search.evaluation import unit_worth
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, WORTH
from workbench.engine.training import SelfPlay, split_seeds
from workbench.players.agent_kinds import SHARED
from workbench.players.agents import AgentSpec
from workbench.players.library import Learned, Match, learned_of
from workbench.rules.rulesets import Ruleset

SELF_PLAY_SHARE = 0.9
"""The share of a training's time that its own games take; the rest is the fit and the matches."""
MAX_GAMES = 100_000
"""Games of a training at most. A game of a few positions, whose moves are mostly forced, hardly ever spends its budget
of nodes, and more games of it teach nothing."""
FOLLOWING = 2
"""The version of the trainer from which on its searches follow captures (`Agent.follows`).

Versions are raised when the same budget and seed begin to learn something else; each family says by which its players
learn (`Declaration.trainer`)."""
SCALED = 3
"""The version from which on noise has the scale of what is learned (`Learned.scale`). In the mixed game the hand-tuned
weights value a unit three times as high as learned ones: noise of the same size costs the latter more.
"""


@dataclass(frozen=True)
class Budget:
    """The budget and the course of a training; the same for all rulesets that are compared."""

    nodes: int
    """Positions that the searches of all games look at."""
    looks: float = 6.0
    """Positions that a search looks at for each legal move of a typical position: enough to see some answers to each.
    """
    rounds: int = 5
    """The number of times that the weights are fitted anew and play on."""
    plies: int = 300
    """Where a game is broken off; it then teaches nothing."""
    positions: int = 400_000
    """Positions that are kept to learn from."""
    trust: float = 0.5
    """The share of the result in the target of a prediction, against the score of the search."""
    near_own: float = 10.0
    """The strength of the prior that a feature has its hand-tuned weight, in games (whose positions are much alike)."""
    near_zero: float = 4.0
    """The strength of the prior that places are worth the same, at least."""
    places_off: float = 0.65
    """The standard deviation, in log-odds, of the worth of all the places of a full board by chance; the prior is made
    stronger where there are too few games for that."""
    same_late: float = 12.0
    """The strength of the prior that a weight late in the game is what it is early."""
    match: int = 200
    """Games against the hand-tuned weights that decide whether the learned ones are accepted; fewer, but at least
    `FEWEST`, if the match has searched as many positions as the training."""
    match_looks: float = 3.0
    """By how many times as much the searches of this match look at."""


def default_budget(ruleset: Ruleset) -> Budget:
    """Return the default budget of training for a ruleset: the same for all of its family."""
    return Budget(games.declaration(ruleset.game).training_nodes)


def game_weights(ruleset: Ruleset) -> tuple[float, ...]:
    """Return the hand-tuned weights of the features."""
    return tuple(feature.weight for feature in games.declaration(ruleset.game).features)


def new_practice(ruleset: Ruleset, budget: Budget, positions: int) -> SelfPlay:
    """Return a player that begins with the hand-tuned weights, and room for this many positions."""
    follows = games.declaration(ruleset.game).trainer >= FOLLOWING
    return SelfPlay(ruleset.rules(), game_weights(ruleset), budget.looks, budget.plies, positions, follows)


class Practices:
    """A player that plays against itself under several rulesets, by one row of weights; read as a `SelfPlay` is."""

    def __init__(self, rulesets: Sequence[Ruleset], budget: Budget) -> None:
        """Begin with the hand-tuned weights; each ruleset has its part of the budget's positions."""
        self.each = [new_practice(ruleset, budget, budget.positions // len(rulesets)) for ruleset in rulesets]
        self.layout, self.row = self.each[0].layout, self.each[0].row
        self.row[self.layout[FULL]] = max(practice.row[self.layout[FULL]] for practice in self.each)
        self.sizes = np.mean([practice.sizes for practice in self.each], axis=0)
        memory = self.each[0].ws
        for practice in self.each:
            practice.row = self.row
            if [part.shape for part in practice.ws] == [part.shape for part in memory]:
                # It holds nothing from one game to the next.
                practice.ws = memory._replace(nodes=practice.ws.nodes)
        self.update_unit_worth()

    @property
    def games(self) -> int:
        """Games that were played."""
        return sum(practice.games for practice in self.each)

    @property
    def stored(self) -> int:
        """Positions that are kept."""
        return sum(practice.stored for practice in self.each)

    def update_unit_worth(self) -> None:
        """Find out what a unit of each kind is worth to the weights, on average over the rulesets."""
        worths = [unit_worth(one.rules, one.agent, self.row, one.ws) for one in self.each]
        self.row[self.layout[WORTH] : self.layout[LATE]] = np.round(np.mean(worths, axis=0), 2)

    def loss(self, row: Any, trust: float) -> tuple[float, Any]:
        """As `SelfPlay.loss`, of the positions of all rulesets."""
        losses, slopes = zip(*(practice.loss(row, trust) for practice in self.each if practice.stored), strict=True)
        counts = [practice.stored for practice in self.each if practice.stored]
        return float(np.average(losses, weights=counts)), np.average(slopes, axis=0, weights=counts)


def seed_of(words: str) -> int:
    """Return the seed of the games of what is called so."""
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")


def play_rounds(
    practice: SelfPlay,
    seed: int,
    nodes: int,
    positions: int,
    rounds: int,
    branches: float = 0.0,
) -> Iterator[int]:
    """Plays games in rounds that cost the same; yields the number of each.

    Searches look at ``nodes`` positions in all, and ``positions`` are kept. ``branches``: see `SelfPlay.play`, where
    all positions are kept.
    """
    share = 1.0

    def play(until: int) -> None:
        """Play until searches have looked at this many positions, or the games that go with them are played."""
        most = MAX_GAMES * until / nodes
        for _ in practice.play(seed, until, share, share * branches):
            if practice.games >= most:
                break

    for number in range(rounds):
        if number == 0:
            # The first games show how many quiet positions there are, and so which share of them there is room for.
            play(nodes // 50)
            share = min(1.0, 0.9 * positions / max(1, practice.stored * 50))
        play(nodes * (number + 1) // rounds)
        yield number


def match_player(ruleset: Ruleset, practice: SelfPlay, budget: Budget) -> Player:
    """Return the player of the matches of a training, by the hand-tuned weights."""
    plain = AgentSpec.of("alphabeta", nodes=round(budget.match_looks * practice.search)).player(
        games.declaration(ruleset.game)
    )
    return plain._replace(agent=plain.agent._replace(follows=practice.agent.follows))


def train_player(ruleset: Ruleset, seed: int, budget: Budget) -> Learned:
    """Train a player for a ruleset.

    Single-threaded: the same ruleset, seed and budget learn the same weights.
    """
    return _train((ruleset,), seed, budget)


def train_together(mixture: Sequence[Ruleset], seed: int, budget: Budget) -> Learned:
    """Train a player for several rulesets together, by one row of weights; as `train_player`.

    The rulesets have equal parts of the budget, and are played by turns in each round. The weights are fitted to the
    positions of all of them, and accepted or not by matches under all of them.
    """
    name, fingerprint = learned_of(mixture[0], mixture)
    names = tuple(ruleset.name for ruleset in mixture)
    learned = _train(mixture, seed, budget)
    return replace(learned, ruleset=name, fingerprint=fingerprint, evaluation=SHARED, rulesets=names)


def _train(rulesets: Sequence[Ruleset], seed: int, budget: Budget) -> Learned:
    own, version, count = game_weights(rulesets[0]), games.declaration(rulesets[0].game).trainer, len(rulesets)
    practices = Practices(rulesets, budget)
    part = replace(budget, nodes=budget.nodes // count, match=2 * -(-(budget.match // 2) // count))
    rounds = [
        play_rounds(
            practice,
            seed_of(f"training {seed} {version}" + (f" {ruleset.fingerprint}" if count > 1 else "")),
            part.nodes,
            budget.positions // count,
            budget.rounds,
        )
        for ruleset, practice in zip(rulesets, practices.each, strict=True)
    ]
    scale = 1.0
    for number, *_ in zip(*rounds, strict=True):
        if practices.stored == 0:
            # No game has a quiet position in which there is something to choose.
            continue
        if number == 0:
            # What the game's own weights say is on a scale of its own.
            for practice in practices.each:
                practice.trust_results()
        fitted_scale = fit_weights(practices, own, budget)
        if version >= SCALED:
            scale = round(fitted_scale, 4)
            for practice in practices.each:
                practice.scale_noise(scale)
        practices.update_unit_worth()
    weights = tuple(float(weight) for weight in np.round(practices.row, 4))

    def play_matches(players: Sequence[tuple[Player, Player]]) -> Match:
        """Return the match of each ruleset between two players, as one."""
        matches = [astuple(play_match(ruleset, *pair, part)) for ruleset, pair in zip(rulesets, players, strict=True)]
        return Match(*(sum(counts) for counts in zip(*matches, strict=True)))

    plain = [match_player(ruleset, one, budget) for ruleset, one in zip(rulesets, practices.each, strict=True)]
    learned_players = [one.with_learned(weights, scale) for one in plain]
    against_own = play_matches(list(zip(learned_players, plain, strict=True)))
    better = learned_players if against_own.score >= 0.5 else plain
    return Learned(
        game=rulesets[0].game,
        ruleset=rulesets[0].name,
        fingerprint=rulesets[0].fingerprint,
        seed=seed,
        version=version,
        budget=asdict(budget),
        weights=weights,
        games=practices.games,
        positions=practices.stored,
        match=against_own,
        pruning=play_matches([(one, one.unpruned()) for one in better]),
        scale=scale,
    )


def _fit_scale(practice: SelfPlay | Practices, own: tuple[float, ...], budget: Budget) -> float:
    """Return the scale on which the hand-tuned weights predict the kept positions best."""
    from scipy.optimize import minimize_scalar

    row, known, late = np.zeros(len(practice.row)), len(own), int(practice.layout[LATE])

    def cost(scale: float) -> float:
        row[:known] = row[late : late + known] = scale * np.array(own)
        return practice.loss(row, budget.trust)[0]

    return float(minimize_scalar(cost, bounds=(0.0, 2.0), method="bounded").x)


def fit_weights(practice: SelfPlay | Practices, own: tuple[float, ...], budget: Budget) -> float:
    """Fits the player's weights to the kept positions, with the priors of the budget.

    Returns the scale on which the game's own weights foretell best.
    """
    from scipy.optimize import minimize

    layout, row, known = practice.layout, practice.row, len(practice.sizes)
    places = int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    early = np.array([*range(known), *range(layout[EARLY_PLACES], layout[LATE_PLACES])])
    late = np.array([*range(layout[LATE], layout[LATE] + known), *range(layout[LATE_PLACES], layout[FULL])])
    assert len(early) == len(late) == known + places
    # In units of its feature's size, so that a prior means the same for all.
    sizes = np.concatenate([practice.sizes, np.ones(places)])
    whole = row.copy()
    same_late = budget.same_late / practice.games
    # What each game tells of a place: a quarter (of its result) times how often there is a unit.
    on_board = float(row[layout[FULL]])
    evidence = 0.25 * practice.games * on_board / places
    near_zero = max(budget.near_zero, on_board / budget.places_off**2 - evidence)
    strength = np.concatenate([np.full(known, budget.near_own), np.full(places, near_zero)]) / practice.games
    scale = _fit_scale(practice, own, budget)
    center = np.concatenate([np.array(own) * scale * practice.sizes, np.zeros(places)])

    def cost(x: Any) -> tuple[float, Any]:
        first, second = np.split(x, 2)
        whole[early], whole[late] = first / sizes, second / sizes
        loss, slope = practice.loss(whole, budget.trust)
        off, off_late, apart = first - center, second - center, first - second
        loss += 0.5 * float((strength * (off**2 + off_late**2)).sum() + same_late * (apart**2).sum())
        return loss, np.concatenate([
            slope[early] / sizes + strength * off + same_late * apart,
            slope[late] / sizes + strength * off_late - same_late * apart,
        ])  # fmt: skip

    begin = np.concatenate([row[early] * sizes, row[late] * sizes])
    found = minimize(cost, begin, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    first, second = np.split(found.x, 2)
    # Rounded, so that no difference between machines' arithmetic changes the games that follow.
    row[early], row[late] = np.round(first / sizes, 4), np.round(second / sizes, 4)
    return scale


OPENING_PLIES = 6
"""Random plies that the games of a match begin with, each line twice, with seats swapped."""
FEWEST = 20
"""Games of a match that are played whatever they cost. On the largest boards a match of 200 games takes several
times as long as the training that it is about."""


def play_match(ruleset: Ruleset, one: Player, other: Player, budget: Budget) -> Match:
    """Games between two players, from the view of the first one: on shared openings, seats swapped."""
    players = one, other
    pairs = budget.match // 2
    random = random_player(len(games.declaration(ruleset.game).features))
    codes = ruleset.codes()
    tallies = np.zeros((0, 3), np.int64)
    for seeds in split_seeds(np.arange(1, pairs + 1, dtype=np.uint64), one.agent.nodes, budget.plies):
        drawn = trials.run_block(
            BlockArguments(ruleset.game, codes, random, random, seeds, OPENING_PLIES, keep=OPENING_PLIES)
        )
        lines = drawn["opening"].astype(np.int32)
        # Of each line: games that are won and lost, and positions that are looked at.
        tally = np.zeros((len(seeds), 3), np.int64)
        for mine, (first, second) in ((1, players), (2, players[::-1])):
            played = trials.run_block(
                BlockArguments(ruleset.game, codes, first, second, seeds, budget.plies, lines=lines)
            )
            cost = one.agent.nodes * played["plies"].astype(np.int64)
            tally += np.column_stack([played["result"] == mine, played["result"] == 3 - mine, cost])
        tallies = np.concatenate([tallies, tally])
        # Counted line by line: how many are played without a break changes nothing.
        enough = max(FEWEST // 2, 1 + int(np.searchsorted(tallies[:, 2].cumsum(), budget.nodes)))
        if len(tallies) >= enough:
            tallies = tallies[:enough]
            break
    wins, losses, _ = (int(total) for total in tallies.sum(axis=0))
    return Match(wins, 2 * len(tallies) - wins - losses, losses)
