"""Training of weights and nets by self-play.

Weights are trained in rounds of self-play, and fitted after each to predict the results of all games so far. The fit is
a logistic regression with three priors: features have the hand-tuned weights on the scale that predicts best, all
places have the same value, and late weights equal early ones. The target is half the result of the game and half the
search's score at the position.

A net is trained on games by learned weights: on quiet positions, and on positions a few random plies away, which a
search evaluates. The net learns the weights' errors, while the weights stay near their values. Some games are held out
to select the fit that predicts them best. Only matches measure the strength of a net (`play_match`): lower errors did
not always mean better play.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base import project as projects
from workbench.base.project import Project
from workbench.engine import training, trials
from workbench.engine.contract import FOLDS, board_size
from workbench.engine.players import WITH_NET, WITHOUT_NET, BlockArguments, Player, random_player
from workbench.engine.rng import mix
from workbench.engine.search.evaluation import BIAS, EARLY_OWN, EVEN_EARLY, INPUTS, MARK, ONE, net_size, unit_worth
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, SIZE, WORTH, shuffle
from workbench.engine.search.units import HIDDEN, input_count, input_table, mirrored_inputs
from workbench.engine.training import Fit, Rows, SelfPlay, add_gradients, fill_uniform, initial_fit, split_seeds, step
from workbench.players import library
from workbench.players.agent_kinds import NET, SHARED
from workbench.players.agents import AgentSpec
from workbench.players.library import Learned, Match, trainer_version, training_subject
from workbench.rules.rulesets import Ruleset

SELF_PLAY_SHARE = 0.9
"""The share of self-play in the time of a training run; the rest is the fit and the matches."""
MAX_GAMES = 100_000
"""The maximum number of games in a training run. Very short or mostly forced games would hardly ever exhaust the budget
of nodes."""
FOLLOWING = 2
"""The first trainer version whose searches follow captures (`Agent.follows`).

A version increases when the same budget and seed learn something else; `Declaration.trainer` selects a family's.
"""
SCALED = 3
"""The first version in which noise is scaled to the learned weights (`Learned.scale`). In the mixed game hand-tuned
unit values are three times the learned ones, so that unscaled noise would handicap the latter."""


@dataclass(frozen=True)
class Budget:
    """The budget and parameters of a training run, which are the same for all compared rulesets."""

    nodes: int
    """Positions searched in all games."""
    looks: float = 6.0
    """Positions searched for each legal move of a typical position."""
    rounds: int = 5
    """The number of fits; games follow each except the last."""
    plies: int = 300
    """The maximum length of games; longer ones teach nothing."""
    positions: int = 400_000
    """The number of stored training positions."""
    trust: float = 0.5
    """The weight of the result in the target, against the search's score."""
    near_own: float = 10.0
    """The strength of the prior for hand-tuned weights, in games (whose positions are correlated)."""
    near_zero: float = 4.0
    """The minimum strength of the prior for equal places."""
    places_off: float = 0.65
    """The random standard deviation, in log-odds, of the total value of a full board's places; if there are too few
    games for that, the prior is strengthened."""
    same_late: float = 12.0
    """The strength of the prior for equal early and late weights."""
    match: int = 200
    """The number of games against the hand-tuned weights; fewer, but at least `FEWEST`, if the match has searched as
    many positions as the training."""
    match_looks: float = 3.0
    """The factor by which this match's searches exceed the training's."""


def default_budget(ruleset: Ruleset) -> Budget:
    """Return the default budget for a ruleset, common to its family."""
    return Budget(games.declaration(ruleset.game).training_nodes)


def game_weights(ruleset: Ruleset) -> tuple[float, ...]:
    """Return the hand-tuned weights of the features."""
    return tuple(feature.weight for feature in games.declaration(ruleset.game).features)


def new_practice(ruleset: Ruleset, budget: Budget, positions: int) -> SelfPlay:
    """Return self-play that starts with the hand-tuned weights and can store ``positions`` positions."""
    follows = games.declaration(ruleset.game).trainer >= FOLLOWING
    return SelfPlay(ruleset.rules(), game_weights(ruleset), budget.looks, budget.plies, positions, follows)


class SharedSelfPlay:
    """Self-play under several rulesets by one row of weights, with the interface of a `SelfPlay`."""

    def __init__(self, rulesets: Sequence[Ruleset], budget: Budget) -> None:
        """Start with the hand-tuned weights and divide the budget's positions among the rulesets."""
        self.practices = [new_practice(ruleset, budget, budget.positions // len(rulesets)) for ruleset in rulesets]
        self.layout, self.row = self.practices[0].layout, self.practices[0].row
        self.row[self.layout[FULL]] = max(practice.row[self.layout[FULL]] for practice in self.practices)
        self.sizes = np.mean([practice.sizes for practice in self.practices], axis=0)
        memory = self.practices[0].ws
        for practice in self.practices:
            practice.row = self.row
            if [part.shape for part in practice.ws] == [part.shape for part in memory]:
                # The workspace keeps nothing from one game to the next.
                practice.ws = memory._replace(nodes=practice.ws.nodes)
        self.update_unit_worth()

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(practice.games for practice in self.practices)

    @property
    def stored(self) -> int:
        """The number of stored positions."""
        return sum(practice.stored for practice in self.practices)

    def update_unit_worth(self) -> None:
        """Set the value of each kind of unit to the average over the rulesets under the current weights."""
        worths = [unit_worth(practice.rules, practice.agent, self.row, practice.ws) for practice in self.practices]
        self.row[self.layout[WORTH] : self.layout[LATE]] = np.round(np.mean(worths, axis=0), 2)

    def loss(self, row: Any, trust: float) -> tuple[float, Any]:
        """Return the loss and its gradient for the positions of all rulesets, like `SelfPlay.loss`."""
        filled = [practice for practice in self.practices if practice.stored]
        losses, gradients = zip(*(practice.loss(row, trust) for practice in filled), strict=True)
        counts = [practice.stored for practice in filled]
        return float(np.average(losses, weights=counts)), np.average(gradients, axis=0, weights=counts)


def derive_seed(text: str) -> int:
    """Return a seed derived from a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def play_rounds(
    practice: SelfPlay, seed: int, nodes: int, positions: int, rounds: int, branches: float = 0.0
) -> Iterator[int]:
    """Play rounds of self-play, each with its share of ``nodes`` and ``positions``; yield each round's number."""
    share = 1.0

    def play(node_limit: int) -> None:
        game_limit = MAX_GAMES * node_limit / nodes
        for _ in practice.play(seed, node_limit, share, share * branches):
            if practice.games >= game_limit:
                break

    for number in range(rounds):
        if number == 0:
            # The first games show how many quiet positions there are, and thereby the share that can be stored.
            play(nodes // 50)
            share = min(1.0, 0.9 * positions / max(1, practice.stored * 50))
        play(nodes * (number + 1) // rounds)
        yield number


def match_player(ruleset: Ruleset, practice: SelfPlay, budget: Budget) -> Player:
    """Return the player for a training run's matches, with the hand-tuned weights."""
    agent = AgentSpec.of("alphabeta", nodes=round(budget.match_looks * practice.search))
    player = agent.player(games.declaration(ruleset.game))
    return player._replace(agent=player.agent._replace(follows=practice.agent.follows))


def train_player(ruleset: Ruleset, seed: int, budget: Budget) -> Learned:
    """Train a player for a ruleset; the same ruleset, seed and budget give the same weights."""
    return _train((ruleset,), seed, budget)


def train_together(mixture: Sequence[Ruleset], seed: int, budget: Budget) -> Learned:
    """Train a player for several rulesets with one row of weights, as in `train_player`.

    The rulesets share the budget equally and alternate in each round. The weights are fitted to all positions and
    accepted by matches under all rulesets.
    """
    name, fingerprint = training_subject(mixture[0], mixture)
    names = tuple(ruleset.name for ruleset in mixture)
    learned = _train(mixture, seed, budget)
    return replace(learned, ruleset=name, fingerprint=fingerprint, evaluation=SHARED, rulesets=names)


def _train(rulesets: Sequence[Ruleset], seed: int, budget: Budget) -> Learned:
    hand_tuned, version, count = game_weights(rulesets[0]), games.declaration(rulesets[0].game).trainer, len(rulesets)
    joint = SharedSelfPlay(rulesets, budget)
    share = replace(budget, nodes=budget.nodes // count, match=2 * -(-(budget.match // 2) // count))
    rounds = [
        play_rounds(
            practice,
            derive_seed(f"training {seed} {version}" + (f" {ruleset.fingerprint}" if count > 1 else "")),
            share.nodes,
            budget.positions // count,
            budget.rounds,
        )
        for ruleset, practice in zip(rulesets, joint.practices, strict=True)
    ]
    scale = 1.0
    for number, *_ in zip(*rounds, strict=True):
        if joint.stored == 0:
            continue  # no game has a quiet position with a choice
        if number == 0:
            # The scale of the hand-tuned weights is arbitrary.
            for practice in joint.practices:
                practice.trust_results()
        fitted_scale = fit_weights(joint, hand_tuned, budget)
        if version >= SCALED:
            scale = round(fitted_scale, 4)
            for practice in joint.practices:
                practice.scale_noise(scale)
        joint.update_unit_worth()
    weights = tuple(float(weight) for weight in np.round(joint.row, 4))

    def play_matches(players: Sequence[tuple[Player, Player]]) -> Match:
        matches = [astuple(play_match(ruleset, *pair, share)) for ruleset, pair in zip(rulesets, players, strict=True)]
        return Match(*(sum(counts) for counts in zip(*matches, strict=True)))

    opponents = [match_player(ruleset, each, budget) for ruleset, each in zip(rulesets, joint.practices, strict=True)]
    learned_players = [player.with_learned(weights, scale) for player in opponents]
    hand_tuned_match = play_matches(list(zip(learned_players, opponents, strict=True)))
    better = learned_players if hand_tuned_match.score >= 0.5 else opponents
    return Learned(
        game=rulesets[0].game, ruleset=rulesets[0].name, fingerprint=rulesets[0].fingerprint, seed=seed,
        version=version, budget=asdict(budget), weights=weights, games=joint.games, positions=joint.stored,
        match=hand_tuned_match, pruning=play_matches([(player, player.unpruned()) for player in better]), scale=scale,
    )  # fmt: skip


def _fit_scale(practice: SelfPlay | SharedSelfPlay, hand_tuned: tuple[float, ...], budget: Budget) -> float:
    """Return the scale at which the hand-tuned weights best predict the stored positions."""
    from scipy.optimize import minimize_scalar

    row, count, late = np.zeros(len(practice.row)), len(hand_tuned), int(practice.layout[LATE])

    def cost(scale: float) -> float:
        row[:count] = row[late : late + count] = scale * np.array(hand_tuned)
        return practice.loss(row, budget.trust)[0]

    return float(minimize_scalar(cost, bounds=(0.0, 2.0), method="bounded").x)


def fit_weights(practice: SelfPlay | SharedSelfPlay, hand_tuned: tuple[float, ...], budget: Budget) -> float:
    """Fit the weights to the stored positions with the budget's priors; return the hand-tuned weights' scale."""
    from scipy.optimize import minimize

    layout, row, count = practice.layout, practice.row, len(practice.sizes)
    place_count = int(layout[LATE_PLACES] - layout[EARLY_PLACES])
    early = np.array([*range(count), *range(layout[EARLY_PLACES], layout[LATE_PLACES])])
    late = np.array([*range(layout[LATE], layout[LATE] + count), *range(layout[LATE_PLACES], layout[FULL])])
    assert len(early) == len(late) == count + place_count
    # Each weight is in units of its feature's size, so that a prior has the same meaning for all.
    sizes = np.concatenate([practice.sizes, np.ones(place_count)])
    full_row = row.copy()
    same_late = budget.same_late / practice.games
    # The information of a game about a place is a quarter (of its result) times the frequency of a unit there.
    on_board = float(row[layout[FULL]])
    evidence = 0.25 * practice.games * on_board / place_count
    near_zero = max(budget.near_zero, on_board / budget.places_off**2 - evidence)
    strength = np.concatenate([np.full(count, budget.near_own), np.full(place_count, near_zero)]) / practice.games
    scale = _fit_scale(practice, hand_tuned, budget)
    center = np.concatenate([np.array(hand_tuned) * scale * practice.sizes, np.zeros(place_count)])

    def cost(x: Any) -> tuple[float, Any]:
        first, second = np.split(x, 2)
        full_row[early], full_row[late] = first / sizes, second / sizes
        loss, gradient = practice.loss(full_row, budget.trust)
        deviation, late_deviation, late_difference = first - center, second - center, first - second
        loss += 0.5 * float(
            (strength * (deviation**2 + late_deviation**2)).sum() + same_late * (late_difference**2).sum()
        )
        return loss, np.concatenate([
            gradient[early] / sizes + strength * deviation + same_late * late_difference,
            gradient[late] / sizes + strength * late_deviation - same_late * late_difference,
        ])  # fmt: skip

    start = np.concatenate([row[early] * sizes, row[late] * sizes])
    result = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    first, second = np.split(result.x, 2)
    # Rounding keeps differences between machines' arithmetic from changing later games.
    row[early], row[late] = np.round(first / sizes, 4), np.round(second / sizes, 4)
    return scale


OPENING_PLIES = 6
"""Random plies at the beginning of a match's games; each opening is played twice, with seats swapped."""
FEWEST = 20
"""The minimum number of games of a match. On the largest boards 200 games would take several times as long as the
training."""


def play_match(ruleset: Ruleset, player: Player, opponent: Player, budget: Budget) -> Match:
    """Play a match, each opening with both seatings, and return the result from the point of view of ``player``."""
    players = player, opponent
    pairs = budget.match // 2
    random = random_player(len(games.declaration(ruleset.game).features))
    codes = ruleset.codes()
    tallies = np.zeros((0, 3), np.int64)
    for seeds in split_seeds(np.arange(1, pairs + 1, dtype=np.uint64), player.agent.nodes, budget.plies):
        openings = trials.run_block(
            BlockArguments(ruleset.game, codes, random, random, seeds, OPENING_PLIES, keep=OPENING_PLIES)
        )
        lines = openings["opening"].astype(np.int32)
        # For each line: the games won and lost, and the positions searched.
        tally = np.zeros((len(seeds), 3), np.int64)
        for seat, (first, second) in ((1, players), (2, players[::-1])):
            played = trials.run_block(
                BlockArguments(ruleset.game, codes, first, second, seeds, budget.plies, lines=lines)
            )
            cost = player.agent.nodes * played["plies"].astype(np.int64)
            tally += np.column_stack([played["result"] == seat, played["result"] == 3 - seat, cost])
        tallies = np.concatenate([tallies, tally])
        # Lines are counted one by one, so that the size of batches does not matter.
        line_limit = max(FEWEST // 2, 1 + int(np.searchsorted(tallies[:, 2].cumsum(), budget.nodes)))
        if len(tallies) >= line_limit:
            tallies = tallies[:line_limit]
            break
    wins, losses, _ = (int(total) for total in tallies.sum(axis=0))
    return Match(wins, 2 * len(tallies) - wins - losses, losses)


HELD_OUT = 10
"""One in this many games is held out."""
LARGEST = 32_767
"""The largest integer of a net, which files store in two bytes."""


EFFORT = 5
"""The ratio of searched and stored positions for a net to those for weights."""
FROM_BASE = 2
"""The same ratio for each round if a net starts from a base net; the family determines the number of rounds."""


@dataclass(frozen=True)
class NetBudget:
    """The budget and parameters for training a net."""

    nodes: int
    """Positions searched in all games."""
    positions: int
    """The number of stored training positions."""
    rounds: int = 2
    """The number of fits, each to all positions so far."""
    branches: float = 0.7
    """The share of plies that also contribute a position off the game."""
    trust: float = 0.5
    """The weight of the result in the target, against the search's score."""
    epochs: int = 8
    batch: int = 4096
    rate: float = 4e-3
    """The initial learning rate, which decays to zero."""
    decay: float = 3e-5
    """The strength of regularization, of a net towards zero and of weights towards their initial values."""


def net_budget(game: str, budget: Budget, base: Base | None) -> NetBudget:
    """Return the budget for training a net, given the one for weights; it is smaller with a base net."""
    if base:
        rounds = games.declaration(game).net_rounds
        return NetBudget(FROM_BASE * rounds * budget.nodes, FROM_BASE * rounds * budget.positions, rounds)
    return NetBudget(EFFORT * budget.nodes, EFFORT * budget.positions)


BASE_EFFORT, BASE_ROUNDS, BASE_SEED = 3, 2, 1
"""For base nets: the effort relative to weights for each of its rulesets; the number of rounds, the first by learned
weights and later ones by the net so far; and the seed of the trainings and the fit."""
GAMES_SHARE = 0.8
"""The share of games in the time of a training run; the rest is the fit and the matches."""


def train_net(ruleset: Ruleset, teacher: Learned, plain: Budget, base: Base | None = None) -> Learned:
    """Train a net that is distilled from learned weights.

    ``plain`` is the budget for training weights, also used for games and matches. The net is initialized from ``base``
    if that already helps the weights. Single-threaded: the same arguments give the same net.
    """
    if base and not _base_helps(base, ruleset, teacher, plain):
        base = None
    budget = net_budget(ruleset.game, plain, base)
    parameters = np.array(base.net) if base else None
    practice = _new_practice(ruleset, teacher, plain, budget, parameters)
    start = np.array(teacher.weights)
    seed = derive_seed(f"net {teacher.digest}")

    limits = budget.nodes, budget.positions, budget.rounds
    for _ in play_rounds(practice, seed, *limits, budget.branches):
        practice.use_weights(fit_net(practice, start, budget, teacher.seed, parameters), WITH_NET)
    weights = tuple(float(weight) for weight in practice.row)
    hand_tuned = _match_player(ruleset, practice, teacher, plain)
    net = hand_tuned.with_learned(weights, teacher.scale, WITH_NET)
    teacher_match = play_match(ruleset, net, hand_tuned.with_learned(teacher.weights, teacher.scale), plain)
    hand_tuned_match = play_match(ruleset, net, hand_tuned, plain)
    worth = unit_worth(practice.rules, practice.agent, practice.row, practice.ws)
    return Learned(
        game=ruleset.game, ruleset=ruleset.name, fingerprint=ruleset.fingerprint, seed=teacher.seed,
        version=trainer_version(ruleset.game, NET), budget=asdict(budget), weights=weights, games=practice.games,
        positions=practice.stored, match=hand_tuned_match, pruning=teacher.pruning, scale=teacher.scale, evaluation=NET,
        beside=teacher_match, base=base.digest if base else "",
        worth={unit.name: float(worth[i]) for i, unit in enumerate(games.declaration(ruleset.game).units)},
    )  # fmt: skip


def _new_practice(ruleset: Ruleset, teacher: Learned, plain: Budget, budget: NetBudget, base: Any) -> SelfPlay:
    """Return self-play by learned weights, with the parameters of a base net if given."""
    practice, start = new_practice(ruleset, plain, budget.positions), np.array(teacher.weights)
    if base is None:
        practice.use_weights(start, WITHOUT_NET)
    else:
        practice.use_weights(weight_row(start_fit(practice, start, base), practice, start), WITH_NET)
    practice.scale_noise(teacher.scale)
    return practice


def _match_player(ruleset: Ruleset, practice: SelfPlay, teacher: Learned, plain: Budget) -> Player:
    """Return the player for a net's matches, with the hand-tuned weights."""
    player = match_player(ruleset, practice, plain)
    return player if teacher.prunes else player.unpruned()


def _base_helps(base: Base, ruleset: Ruleset, teacher: Learned, plain: Budget) -> bool:
    """Return whether weights with a base net score at least 50 % against the same weights without it."""
    practice = _new_practice(ruleset, teacher, plain, net_budget(ruleset.game, plain, base), np.array(base.net))
    player = _match_player(ruleset, practice, teacher, plain)
    with_base = player.with_learned(tuple(practice.row), teacher.scale, WITH_NET)
    return play_match(ruleset, with_base, player.with_learned(teacher.weights, teacher.scale), plain).score >= 0.5


def uniform(rng: Any, count: int) -> Any:
    """Return ``count`` random numbers between 0 and 1."""
    numbers = np.empty(count)
    fill_uniform(numbers, rng)
    return numbers


def fit_net(practice: SelfPlay, start_row: Any, budget: NetBudget, seed: int, base: Any = None) -> Any:
    """Fit weights near ``start_row`` and a net near ``base`` or a random one; return their row in float64."""
    start = start_fit(practice, start_row, base)
    if practice.stored == 0:
        return weight_row(start, practice, start_row)  # no game has a quiet position with a choice
    rows = practice.stored_rows()
    rows = rows._replace(features=rows.features / practice.sizes.astype(np.float32))
    fitted = descend(start, rows, practice.rules, budget, seed, at_random=base is None)
    return weight_row(fitted, practice, start_row)


def start_fit(practice: SelfPlay, start_row: Any, base: Any = None) -> Fit:
    """Return the start of a fit: learned weights with the net ``base`` or, by default, a net without effect."""
    fit = initial_fit(start_row, practice.layout, practice.sizes, input_count(practice.rules))
    if base is not None:
        fit.inputs[:] = (base[INPUTS:] / ONE).reshape(fit.inputs.shape)
        fit.bias[:] = base[BIAS:EARLY_OWN]
        fit.out[:] = base[EARLY_OWN:EVEN_EARLY].reshape(fit.out.shape)
        fit.even[:] = base[EVEN_EARLY:INPUTS]
    return fit


def descend(
    start: Fit, rows: Rows, rules: Any, budget: NetBudget, seed: int, at_random: bool, only_net: bool = False
) -> Fit:
    """Run gradient descent from ``start`` and return the fit that best predicts held-out games.

    Regularization pulls towards ``start``; ``at_random`` initializes the net at random; ``only_net`` freezes weights.
    """
    table, mirrored = input_table(FOLDS[type(rules)], int(board_size(rules))), mirrored_inputs(rules)
    rng = np.array([mix(np.uint64(seed))], np.uint64)
    fit = Fit(*(part.copy() for part in start))
    if at_random:
        _fill(fit, rng)
    gradient, first, second = (Fit(*(np.zeros_like(part) for part in fit)) for _ in range(3))
    no_gradient = Fit(*(part[:0] for part in gradient))
    target = np.float32(budget.trust) * rows.results + np.float32(1 - budget.trust) * rows.scores
    is_held_out = rows.games % HELD_OUT == HELD_OUT - 1
    order, held_out = np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
    sums = np.zeros((2, HIDDEN), np.float32)
    unmirrored = np.zeros(len(held_out), np.int64)
    steps = max(1, len(order) // budget.batch)
    powers, best, best_error = np.ones(2), fit, np.inf
    step_count = 0
    for _ in range(budget.epochs):
        shuffle(order, len(order), rng)
        for number in range(steps):
            batch = order[number * budget.batch : (number + 1) * budget.batch]
            mirrors = (uniform(rng, len(batch)) * len(mirrored)).astype(np.int64)
            add_gradients(batch, mirrors, rows, table, mirrored, target, fit, gradient, sums)
            powers *= (training.FIRST_MOMENT, training.SECOND_MOMENT)
            rate = budget.rate * min(1.0, (step_count + 1) / 100) * (1.0 - step_count / (budget.epochs * steps))
            step_count += 1
            ones = (1.0 - powers).astype(np.float32)
            for name, *parts in zip(Fit._fields, fit, gradient, first, second, start, strict=True):
                flat = (part.reshape(-1) for part in parts)
                learning_rate = 0.0 if only_net and name in ("features", "places") else rate
                step(*flat, learning_rate, budget.decay, len(batch), ones)  # type: ignore[call-arg]
        total = add_gradients(held_out, unmirrored, rows, table, mirrored, target, fit, no_gradient, sums)
        if (error := total / max(1, len(held_out))) < best_error:
            best, best_error = Fit(*(part.copy() for part in fit)), error
    return best


def _fill(fit: Fit, rng: Any) -> None:
    """Initialize a net with random parameters, small enough that hidden units are neither inactive nor saturated."""
    fit.inputs[:] = ((uniform(rng, fit.inputs.size) - 0.5) * 0.2).reshape(fit.inputs.shape)
    fit.bias[:] = 0.3
    fit.out[0] = fit.out[1] = ((uniform(rng, 2 * HIDDEN) - 0.5) * 1.0).reshape(2, HIDDEN)


def weight_row(fit: Fit, practice: SelfPlay, start_row: Any) -> Any:
    """Return a fit's row of weights, rounded as in files, with the unit values of ``start_row``."""
    layout, sizes, count = practice.layout, practice.sizes, len(practice.sizes)
    size, late = int(layout[SIZE]), int(layout[LATE])
    row = np.concatenate([start_row[:size], net_parameters(fit)])
    row[:count], row[late : late + count] = np.round(fit.features / sizes, 4)
    row[layout[EARLY_PLACES] : layout[LATE_PLACES]], row[layout[LATE_PLACES] : layout[FULL]] = np.round(fit.places, 4)
    return row


def net_parameters(fit: Fit) -> Any:
    """Return the parameters of a fit's net, rounded as in files; see `engine.search.evaluation` for the layout."""
    net = np.zeros(INPUTS + fit.inputs.size)
    net[BIAS:EARLY_OWN] = np.round(fit.bias, 5)
    net[EARLY_OWN:EVEN_EARLY] = np.round(fit.out, 5).reshape(-1)
    net[EVEN_EARLY:INPUTS] = np.round(fit.even, 5)
    net[INPUTS:] = np.clip(np.round(fit.inputs * ONE), -LARGEST, LARGEST).reshape(-1)
    net[MARK] = float(int.from_bytes(hashlib.sha256(net.tobytes()).digest()[:8], "big") >> 11) + 1.0
    return net


# Base nets


def play_for_base(ruleset: Ruleset, teacher: Learned, base: Any, number: int) -> Rows:
    """Play a round with the net ``base`` or None; return its positions, with the weights' value as the only feature."""
    plain = default_budget(ruleset)
    budget = base_budget(plain)
    practice = _new_practice(ruleset, teacher, plain, budget, base)
    seed = derive_seed(f"base {teacher.digest} {number}")
    for _ in play_rounds(practice, seed, budget.nodes, budget.positions, 1, budget.branches):
        pass
    rows = practice.stored_rows()
    values = np.zeros((len(rows.early), 1), np.float32)
    training.row_values(np.array(teacher.weights), practice.layout, rows, values[:, 0])
    # Copies release the unused memory.
    return Rows(*(part.copy() for part in rows._replace(features=values, places=np.zeros_like(rows.places))))


def base_budget(plain: Budget) -> NetBudget:
    """Return the budget of a round of games for a base net under one ruleset."""
    return NetBudget(BASE_EFFORT * plain.nodes // BASE_ROUNDS, BASE_EFFORT * plain.positions // BASE_ROUNDS, rounds=1)


def fit_base(row_sets: Sequence[Rows], rules: Any, budget: NetBudget) -> Any:
    """Return the parameters of the net that, added to the weights, best predicts the positions of all rulesets."""
    start = training.zero_fit(input_count(rules), 1, 1)
    start.features[:] = 1.0
    return net_parameters(descend(start, join_rows(row_sets), rules, budget, BASE_SEED, at_random=True, only_net=True))


def join_rows(row_sets: Sequence[Rows]) -> Rows:
    """Concatenate rows, giving their games distinct numbers."""
    ends = np.cumsum([0, *(int(rows.offsets[-1]) for rows in row_sets)])
    games = np.cumsum([0, *(int(rows.games[-1]) + 1 if len(rows.games) else 0 for rows in row_sets)])
    shifted = [
        rows._replace(offsets=rows.offsets[:-1] + end, games=rows.games + np.int32(game))
        for rows, end, game in zip(row_sets, ends[:-1], games[:-1], strict=True)
    ]
    joined = Rows(*(np.concatenate(columns) for columns in zip(*shifted, strict=True)))
    return joined._replace(offsets=np.append(joined.offsets, ends[-1]))


@dataclass(frozen=True)
class Base:
    """A base net."""

    game: str
    size: int
    """The size of the board."""
    version: int
    """The version of the trainer of nets."""
    rulesets: tuple[str, ...]
    """The rulesets that it was trained on."""
    positions: int
    net: tuple[float, ...]
    """The parameters of the net, in the layout of `engine.search.evaluation`."""

    @property
    def digest(self) -> str:
        """The digest of the parameters."""
        # Files write -0.0 as 0.
        return hashlib.sha256(json.dumps([number + 0.0 for number in self.net]).encode()).hexdigest()[:16]


def base_file(folder: Path, size: int) -> Path:
    """Return the path of the base net for a board size, in the folder of its family's training files."""
    return folder / f"base-{size}.json"


def save_base(project: Project, base: Base) -> Path:
    """Save a base net with the rulesets of its family."""
    folder = library.shipped_folder(project, base.game)
    output.make_folder(folder)
    content = asdict(base) | {"net": base.net[:INPUTS], "inputs": library.pack_inputs(base.net[INPUTS:])}
    text = json.dumps(content | {"digest": base.digest}, separators=(",", ":")) + "\n"
    return output.write_file(base_file(folder, base.size), text.encode())


def find_base(project: Project, ruleset: Ruleset) -> Base | None:
    """Return the base net for a ruleset's game and board size, or None if there is none."""
    rules = ruleset.rules()
    for source in (project, projects.shipped_project()):
        file = base_file(library.shipped_folder(source, ruleset.game), int(board_size(rules)))
        if file.is_file():
            base = _read_base(str(file), file.stat().st_mtime_ns)
            if base.version == library.NET_TRAINER and len(base.net) == net_size(rules):
                return base
    return None


@functools.lru_cache(maxsize=16)
def _read_base(file: str, changed: int) -> Base:
    """Return the base net in a file; ``changed``, its modification time, only distinguishes cache entries."""
    with library.reading_file(Path(file)) as content:
        digest, inputs = content.pop("digest"), library.unpack_inputs(content.pop("inputs"))
        content["net"] = tuple(float(number) for number in (*content["net"], *inputs))
        base = Base(**content | {"rulesets": tuple(content["rulesets"])})
    if base.digest != digest:
        raise library.wrong_digest(Path(file))
    return base
