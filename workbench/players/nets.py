"""Nets: self-play by learned weights, and the small network that predicts these games best.

A player with learned weights plays on; quiet positions of its games are kept, and positions a few random plies off
them, which a search evaluates. A net is fitted to add to the weights what they miss, with the weights themselves near
what they were. One part of the games is held out: the fit that predicts these best counts. Only matches measure the
strength of a net (`trainer.play_match`): lower errors did not always play better.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base import project as projects
from workbench.base.project import Project
from workbench.engine.contract import FOLDS, board_size
from workbench.engine.players import WITH_NET, WITHOUT_NET, Player
from workbench.engine.rng import mix
from workbench.engine.search.evaluation import BIAS, EARLY_OWN, EVEN_EARLY, INPUTS, MARK, ONE, net_size, unit_worth
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, SIZE, shuffle
from workbench.engine.search.units import HIDDEN, input_count, input_table, mirrored_inputs
from workbench.engine.training import (
    FIRST_MOMENT,
    SECOND_MOMENT,
    Fit,
    Rows,
    SelfPlay,
    add_gradients,
    fill_uniform,
    initial_fit,
    row_values,
    step,
    zero_fit,
)
from workbench.players import library, trainer
from workbench.players.agent_kinds import NET
from workbench.players.library import Learned, trainer_version
from workbench.players.trainer import Budget
from workbench.rules.rulesets import Ruleset

HELD_OUT = 10
"""One in this many games is held out."""
LARGEST = 32_767
"""A whole number of a net, at most: files have two bytes for it."""


EFFORT = 5
"""The ratio of positions that the games of a net's training search, and it keeps, to those of the training of
weights."""
FROM_BASE = 2
"""The same of each round, where it begins with a base net; the family says how many rounds there are."""


@dataclass(frozen=True)
class NetBudget:
    """The budget and the course of the training of a net."""

    nodes: int
    """Positions that the searches of all games look at."""
    positions: int
    """Positions that are kept to learn from."""
    rounds: int = 2
    """The number of times that a net is fitted to all positions so far and plays on."""
    branches: float = 0.7
    """At how many plies a position off the game is looked at, too, where all are kept."""
    trust: float = 0.5
    """The share of the result in the target of a prediction, against the score of the search."""
    epochs: int = 8
    batch: int = 4096
    rate: float = 4e-3
    """Of learning, at first; it falls to nothing."""
    decay: float = 3e-5
    """The strength with which a net is drawn towards nothing, and weights towards what they were."""


def net_budget(game: str, plain: Budget, base: Base | None) -> NetBudget:
    """Return the budget of a net's training, given that of weights: less where it begins with a base."""
    if base:
        rounds = games.declaration(game).net_rounds
        return NetBudget(FROM_BASE * rounds * plain.nodes, FROM_BASE * rounds * plain.positions, rounds)
    return NetBudget(EFFORT * plain.nodes, EFFORT * plain.positions)


BASE_EFFORT, BASE_ROUNDS, BASE_SEED = 3, 2, 1
"""Of a base net: how many times as many positions the games of each of its rulesets search, and it keeps, as the
training of weights; rounds of games, the first by learned weights and each other one by the net of those before; and
the seed of the trainings whose weights play, and of the fit."""
GAMES_SHARE = 0.8
"""The share of a training's time that its games take; the rest is the fit and matches."""


def train_net(
    ruleset: Ruleset,
    teacher: Learned,
    plain: Budget,
    base: Base | None = None,
) -> Learned:
    """Train a net, distilled from learned weights.

    ``plain`` is the budget of a training of weights: games and matches are played as there. The net begins as that of
    ``base`` where this helps the weights already. Single-threaded: the same ruleset, weights, base and budget give the
    same net.
    """
    if base and not _helps(base, ruleset, teacher, plain):
        base = None
    budget = net_budget(ruleset.game, plain, base)
    numbers = np.array(base.net) if base else None
    practice = _new_practice(ruleset, teacher, plain, budget, numbers)
    begin = np.array(teacher.weights)
    seed = trainer.seed_of(f"net {teacher.digest}")

    cost = budget.nodes, budget.positions, budget.rounds
    for _ in trainer.play_rounds(practice, seed, *cost, budget.branches):
        practice.use_weights(fit_net(practice, begin, budget, teacher.seed, numbers), WITH_NET)
    weights = tuple(float(weight) for weight in practice.row)
    own = _match_player(ruleset, practice, teacher, plain)
    net = own.with_learned(weights, teacher.scale, WITH_NET)
    beside = trainer.play_match(ruleset, net, own.with_learned(teacher.weights, teacher.scale), plain)
    against_own = trainer.play_match(ruleset, net, own, plain)
    worth = unit_worth(practice.rules, practice.agent, practice.row, practice.ws)
    return Learned(
        game=ruleset.game,
        ruleset=ruleset.name,
        fingerprint=ruleset.fingerprint,
        seed=teacher.seed,
        version=trainer_version(ruleset.game, NET),
        budget=asdict(budget),
        weights=weights,
        games=practice.games,
        positions=practice.stored,
        match=against_own,
        pruning=teacher.pruning,
        scale=teacher.scale,
        evaluation=NET,
        beside=beside,
        base=base.digest if base else "",
        worth={unit.name: float(worth[i]) for i, unit in enumerate(games.declaration(ruleset.game).units)},
    )


def _new_practice(ruleset: Ruleset, teacher: Learned, plain: Budget, budget: NetBudget, base: Any) -> SelfPlay:
    """Return a player by learned weights, and by the numbers of a base net beside them if there are any."""
    practice, begin = trainer.new_practice(ruleset, plain, budget.positions), np.array(teacher.weights)
    if base is None:
        practice.use_weights(begin, WITHOUT_NET)
    else:
        practice.use_weights(row_of(begin_fit(practice, begin, base), practice, begin), WITH_NET)
    practice.scale_noise(teacher.scale)
    return practice


def _match_player(ruleset: Ruleset, practice: SelfPlay, teacher: Learned, plain: Budget) -> Player:
    """Return the player of matches by the hand-tuned weights, whose place players by other weights take."""
    own = trainer.match_player(ruleset, practice, plain)
    return own if teacher.prunes else own.unpruned()


def _helps(base: Base, ruleset: Ruleset, teacher: Learned, plain: Budget) -> bool:
    """Return whether weights do as well with a base net beside them as alone, in a match.

    Under rules that are far from those of its rulesets they do not, and a net that begins at random is better.
    """
    practice = _new_practice(ruleset, teacher, plain, net_budget(ruleset.game, plain, base), np.array(base.net))
    own = _match_player(ruleset, practice, teacher, plain)
    with_base = own.with_learned(tuple(practice.row), teacher.scale, WITH_NET)
    return trainer.play_match(ruleset, with_base, own.with_learned(teacher.weights, teacher.scale), plain).score >= 0.5


def uniform(rng: Any, count: int) -> Any:
    """Numbers from 0 to 1."""
    drawn = np.empty(count)
    fill_uniform(drawn, rng)
    return drawn


def fit_net(practice: SelfPlay, begin_row: Any, budget: NetBudget, seed: int, base: Any = None) -> Any:
    """Return a row of weights with a net after them, float64, by what is kept and near the weights of ``begin_row``.

    The net begins as ``base``, the numbers of a net, and stays near it; without one it begins at random.
    """
    begin = begin_fit(practice, begin_row, base)
    if practice.stored == 0:
        # No game has a quiet position in which there is something to choose.
        return row_of(begin, practice, begin_row)
    rows = practice.stored_rows()
    rows = rows._replace(features=rows.features / practice.sizes.astype(np.float32))
    fitted = descend(begin, rows, practice.rules, budget, seed, at_random=base is None)
    return row_of(fitted, practice, begin_row)


def begin_fit(practice: SelfPlay, begin_row: Any, base: Any = None) -> Fit:
    """Return the start of a fit: learned weights, and a net that adds nothing or a base."""
    fit = initial_fit(begin_row, practice.layout, practice.sizes, input_count(practice.rules))
    if base is not None:
        fit.inputs[:] = (base[INPUTS:] / ONE).reshape(fit.inputs.shape)
        fit.bias[:] = base[BIAS:EARLY_OWN]
        fit.out[:] = base[EARLY_OWN:EVEN_EARLY].reshape(fit.out.shape)
        fit.even[:] = base[EVEN_EARLY:INPUTS]
    return fit


def descend(
    begin: Fit, rows: Rows, rules: Any, budget: NetBudget, seed: int, at_random: bool, only_net: bool = False
) -> Fit:
    """The fit that predicts the held-out games best on the way down from ``begin``, towards which it is regularized.

    ``at_random``: the net begins with random numbers. ``only_net``: weights stay what they are.
    """
    table, mirrored = input_table(FOLDS[type(rules)], int(board_size(rules))), mirrored_inputs(rules)
    rng = np.array([mix(np.uint64(seed))], np.uint64)
    fit = Fit(*(part.copy() for part in begin))
    if at_random:
        _fill(fit, rng)
    slope, first, second = (Fit(*(np.zeros_like(part) for part in fit)) for _ in range(3))
    none = Fit(*(part[:0] for part in slope))
    target = np.float32(budget.trust) * rows.results + np.float32(1 - budget.trust) * rows.scores
    held = rows.games % HELD_OUT == HELD_OUT - 1
    order, others = np.flatnonzero(~held), np.flatnonzero(held)
    sums = np.zeros((2, HIDDEN), np.float32)
    seen_as_is = np.zeros(len(others), np.int64)
    steps = max(1, len(order) // budget.batch)
    powers, best, least = np.ones(2), fit, np.inf
    done = 0
    for _ in range(budget.epochs):
        shuffle(order, len(order), rng)
        for number in range(steps):
            batch = order[number * budget.batch : (number + 1) * budget.batch]
            mirrors = (uniform(rng, len(batch)) * len(mirrored)).astype(np.int64)
            add_gradients(batch, mirrors, rows, table, mirrored, target, fit, slope, sums)
            powers *= (FIRST_MOMENT, SECOND_MOMENT)
            rate = budget.rate * min(1.0, (done + 1) / 100) * (1.0 - done / (budget.epochs * steps))
            done += 1
            ones = (1.0 - powers).astype(np.float32)
            for name, *parts in zip(Fit._fields, fit, slope, first, second, begin, strict=True):
                flat = (part.reshape(-1) for part in parts)
                speed = 0.0 if only_net and name in ("features", "places") else rate
                step(*flat, speed, budget.decay, len(batch), ones)  # type: ignore[call-arg]
        error = add_gradients(others, seen_as_is, rows, table, mirrored, target, fit, none, sums) / max(1, len(others))
        if error < least:
            best, least = Fit(*(part.copy() for part in fit)), error
    return best


def _fill(fit: Fit, rng: Any) -> None:
    """Give a net numbers to begin with: small ones, so that hidden units are neither silent nor full."""
    fit.inputs[:] = ((uniform(rng, fit.inputs.size) - 0.5) * 0.2).reshape(fit.inputs.shape)
    fit.bias[:] = 0.3
    fit.out[0] = fit.out[1] = ((uniform(rng, 2 * HIDDEN) - 0.5) * 1.0).reshape(2, HIDDEN)


def row_of(fit: Fit, practice: SelfPlay, begin_row: Any) -> Any:
    """A row of weights that plays by a fit, rounded as files have it; what units are worth is that of ``begin_row``."""
    layout, sizes, known = practice.layout, practice.sizes, len(practice.sizes)
    size, late = int(layout[SIZE]), int(layout[LATE])
    row = np.concatenate([begin_row[:size], numbers_of(fit)])
    row[:known], row[late : late + known] = np.round(fit.features / sizes, 4)
    row[layout[EARLY_PLACES] : layout[LATE_PLACES]], row[layout[LATE_PLACES] : layout[FULL]] = np.round(fit.places, 4)
    return row


def numbers_of(fit: Fit) -> Any:
    """Return a fit's net in the layout of `engine.search.evaluation`, rounded as in files."""
    net = np.zeros(INPUTS + fit.inputs.size)
    net[BIAS:EARLY_OWN] = np.round(fit.bias, 5)
    net[EARLY_OWN:EVEN_EARLY] = np.round(fit.out, 5).reshape(-1)
    net[EVEN_EARLY:INPUTS] = np.round(fit.even, 5)
    net[INPUTS:] = np.clip(np.round(fit.inputs * ONE), -LARGEST, LARGEST).reshape(-1)
    net[MARK] = float(int.from_bytes(hashlib.sha256(net.tobytes()).digest()[:8], "big") >> 11) + 1.0
    return net


# Base nets


def play_for_base(ruleset: Ruleset, teacher: Learned, base: Any, number: int) -> Rows:
    """Return the positions that are kept of a round of a ruleset's games; their only feature is what its weights say.

    ``base`` are the numbers of the net that plays along, or None.
    """
    plain = trainer.default_budget(ruleset)
    budget = base_budget(plain)
    practice = _new_practice(ruleset, teacher, plain, budget, base)
    seed = trainer.seed_of(f"base {teacher.digest} {number}")
    for _ in trainer.play_rounds(practice, seed, budget.nodes, budget.positions, 1, budget.branches):
        pass
    rows = practice.stored_rows()
    values = np.zeros((len(rows.early), 1), np.float32)
    row_values(np.array(teacher.weights), practice.layout, rows, values[:, 0])
    # Copies, without the room that is left.
    return Rows(*(part.copy() for part in rows._replace(features=values, places=np.zeros_like(rows.places))))


def base_budget(plain: trainer.Budget) -> NetBudget:
    """Return the budget of a round of a ruleset's games."""
    return NetBudget(BASE_EFFORT * plain.nodes // BASE_ROUNDS, BASE_EFFORT * plain.positions // BASE_ROUNDS, rounds=1)


def fit_base(gathered: Sequence[Rows], rules: Any, budget: NetBudget) -> Any:
    """Return the numbers of the net that, added to the weights, predicts the kept positions of all rulesets best."""
    begin = zero_fit(input_count(rules), 1, 1)
    begin.features[:] = 1.0
    return numbers_of(descend(begin, join_rows(gathered), rules, budget, BASE_SEED, at_random=True, only_net=True))


def join_rows(gathered: Sequence[Rows]) -> Rows:
    """Rows one after the other; games keep apart."""
    ends = np.cumsum([0, *(int(rows.offsets[-1]) for rows in gathered)])
    games = np.cumsum([0, *(int(rows.games[-1]) + 1 if len(rows.games) else 0 for rows in gathered)])
    shifted = [
        rows._replace(offsets=rows.offsets[:-1] + end, games=rows.games + np.int32(game))
        for rows, end, game in zip(gathered, ends[:-1], games[:-1], strict=True)
    ]
    joined = Rows(*(np.concatenate(parts) for parts in zip(*shifted, strict=True)))
    return joined._replace(offsets=np.append(joined.offsets, ends[-1]))


@dataclass(frozen=True)
class Base:
    """A base net."""

    game: str
    size: int
    """Of the board."""
    version: int
    """Of the trainer of nets."""
    rulesets: tuple[str, ...]
    """The rulesets that it was learned of."""
    positions: int
    net: tuple[float, ...]
    """The numbers of the net, as `engine.search.evaluation` lays them out."""

    @property
    def digest(self) -> str:
        """Of what begins with it."""
        # A file says 0 for a number of -0.0.
        return hashlib.sha256(json.dumps([number + 0.0 for number in self.net]).encode()).hexdigest()[:16]


def base_file(folder: Path, size: int) -> Path:
    """Return the file of a base net, by the size of its board, in the folder of its family's learned players."""
    return folder / f"base-{size}.json"


def save_base(project: Project, base: Base) -> Path:
    """Save a base net with the rulesets of its family."""
    folder = library.shipped_folder(project, base.game)
    output.make_folder(folder)
    content = asdict(base) | {
        "net": base.net[:INPUTS],
        "inputs": library.pack_inputs(base.net[INPUTS:]),
    }
    text = json.dumps(content | {"digest": base.digest}, separators=(",", ":")) + "\n"
    return output.write_file(base_file(folder, base.size), text.encode())


def find_base(project: Project, ruleset: Ruleset) -> Base | None:
    """Return the base net that nets of a ruleset begin with; None if there is none for a board of its size."""
    rules = ruleset.rules()
    for each in (project, projects.shipped_project()):
        file = base_file(library.shipped_folder(each, ruleset.game), int(board_size(rules)))
        if file.is_file():
            base = _read_base(str(file), file.stat().st_mtime_ns)
            if base.version == library.NET_TRAINER and len(base.net) == net_size(rules):
                return base
    return None


@functools.lru_cache(maxsize=16)
def _read_base(file: str, changed: int) -> Base:
    """Return a file of that time of change."""
    with library.reading_file(Path(file)) as content:
        digest, inputs = content.pop("digest"), library.unpack_inputs(content.pop("inputs"))
        content["net"] = tuple(float(number) for number in (*content["net"], *inputs))
        base = Base(**content | {"rulesets": tuple(content["rulesets"])})
    if base.digest != digest:
        raise library.wrong_digest(Path(file))
    return base
