"""Games whose first plies are played under one ruleset and the rest under another, on equal seeds.

Where the effect of a changed rule arises is seen by switching it on later and later: after 0, 2, 4, 8 … plies. A game
that has ended by then, or whose next move the changed rules do not allow, counts as it was played without the change:
the two rulesets have parted before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.console import stoppable
from workbench.errors import input_error
from workbench.games.game_state import GameState
from workbench.language import tr
from workbench.learning import library
from workbench.outside.players import block_runner
from workbench.questions.agents import AgentSpec
from workbench.questions.experiment import splitmix
from workbench.questions.rulesets import Ruleset
from workbench.statistics.effect_place import GamesOfRules

STEPS = (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Plies after which the changed rules begin: about half as many more each time."""


@dataclass(frozen=True)
class SwitchedGames:
    """The games of one player against itself; ``was`` are the rules without the change, ``now`` those with it."""

    was: Ruleset
    now: Ruleset
    player: AgentSpec
    after: tuple[int, ...]
    """Plies after which ``now`` begins, from 0 on: it is played from the start. The last number is one by which all
    games have ended or parted: they are those under ``was`` alone."""
    results: npt.NDArray[np.int64]
    """The result codes of games, switches × games."""
    plies: npt.NDArray[np.int64]
    """Their lengths, likewise."""
    alone: tuple[GamesOfRules, GamesOfRules]
    """The games under ``was`` and under ``now`` alone."""


def play_switched(
    was: Ruleset, now: Ruleset, player: AgentSpec, games: int, seed: int, max_plies: int
) -> SwitchedGames:
    """Plays under both rulesets, and under the one from some ply on. In this process.

    Raises:
        InputError: the rulesets are of two games, or have the same rules.
    """
    if was.game != now.game or was.fingerprint == now.fingerprint:
        message = tr(
            "expected two rulesets of one game with different rules, found {was} and {now}", was=was.name, now=now.name
        )
        raise input_error(message)
    seeds = splitmix(("switching", seed, was.fingerprint, now.fingerprint, player.canonical()), 0, games)
    without = _play(was, player, seeds, max_plies)
    lines, lengths = without["opening"], without["plies"]
    partings = np.array([_parting(now, line[line >= 0]) for line in lines])
    last = int(np.minimum(lengths, partings + 1).max())
    after = tuple(step for step in STEPS if step < last)
    columns = np.arange(lines.shape[1])
    results, plies = [], []
    for step in after:
        own, length = without["result"].copy(), lengths.copy()
        on = np.flatnonzero((step <= partings) & (step < lengths))
        if step == 0:
            on = np.arange(games)
        if len(on):
            given = np.where(columns[None, :] < step, lines[on], -1)
            arrays = _play(now, player, seeds[on], max_plies, given[:, : max(step, 1)])
            own[on], length[on] = arrays["result"], arrays["plies"]
        if step == 0:
            with_change = arrays
        results.append(own)
        plies.append(length)
    results.append(without["result"])
    plies.append(lengths)
    return SwitchedGames(
        was, now, player, (*after, last), np.array(results, dtype=np.int64), np.array(plies, dtype=np.int64),
        (_alone(without), _alone(with_change)),
    )  # fmt: skip


def _alone(arrays: Mapping[str, Any]) -> GamesOfRules:
    return GamesOfRules(*(arrays[name].astype(np.int64) for name in ("result", "plies", "events", "termination")))


def _play(ruleset: Ruleset, player: AgentSpec, seeds: Any, max_plies: int, lines: Any = None) -> dict[str, Any]:
    numbers: Any = library.engine_player(player, ruleset)
    with stoppable():
        run = block_runner(player, player, ruleset)
        return dict(run(ruleset.game, ruleset.codes(), numbers, numbers, seeds, max_plies, max_plies, None, lines))


def _parting(ruleset: Ruleset, line: npt.NDArray[np.int32]) -> int:
    """How many moves of a game a ruleset allows before it forbids the next one, or is over."""
    state = GameState(ruleset.game, ruleset.codes())
    for ply, move in enumerate(line.tolist()):
        if move not in state.legal():
            return ply
        state.push(move)
    return len(line)
