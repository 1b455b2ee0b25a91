"""Games of a player against itself, in this process: for the even amount of a handicap, and rules that begin later.

The amount that makes a game even is looked for by games where the answer seems to be. Where the effect of a changed
rule arises is seen by switching it on later and later, on equal seeds: after 0, 2, 4, 8 … plies. A game that has ended
by then, or whose next move the changed rules do not allow, counts as it was played without the change: the two rulesets
have parted before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.addons.handicap.handicap import MISFIT, NAMED, OPEN, EvenAmount, even_amount
from workbench.addons.why.effect_place import GamesOfRules
from workbench.base.console import stoppable
from workbench.base.errors import expected, input_error
from workbench.base.language import join_list, tr
from workbench.experiments.experiment import splitmix
from workbench.players import library
from workbench.players.agents import AgentSpec
from workbench.players.external import block_runner
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import score_interval

# The even amount of a handicap

FIRST_AMOUNTS = 5
"""Amounts that are tried at first, evenly spread."""
BESIDE, NARROWING = 0.6, 6.0
"""How far from the even amount games are played, in log-odds, at most, and as a part of the root of the games so far:
near enough for the level, and apart for the slope."""

Play = Callable[[int, int, int], tuple[int, int, int]]
"""Wins, draws and losses of the first player in the games from, up to, of an amount, by its place among the amounts."""


@dataclass(frozen=True)
class Handicap:
    """What was found."""

    amounts: tuple[float, ...]
    results: tuple[tuple[int, int, int], ...]
    """Wins, draws and losses of the first player at each amount; games that were stopped count as draws."""
    found: EvenAmount

    @property
    def nearest(self) -> int:
        """The place of the amount nearest to the even one; where none is named, of the measured score nearest to ½."""
        if self.found.verdict == NAMED:
            return min(range(len(self.amounts)), key=lambda place: abs(self.amounts[place] - self.found.even))
        played = [place for place, result in enumerate(self.results) if sum(result)]
        return min(played, key=lambda place: abs(self.score(place) - 0.5))

    def score(self, place: int) -> float:
        """The first player's score as it was measured."""
        return (self.results[place][0] + self.results[place][1] / 2) / sum(self.results[place])


def search_even(amounts: Sequence[float], games: int, play: Play) -> Handicap:
    """Plays so many games in all, more and more of them near the amount that makes the game even.

    The first games are spread over the amounts. Each further round is played at the amounts nearest to where the curve
    that was fitted to all games so far passes one half, and to where it is a little above and below.

    Source: C. F. J. Wu, "Efficient sequential designs with binary data", J. American Statistical Association 80, 1985:
    the next trials are where the curve fitted so far has its root.
    """
    places = sorted({round(place) for place in np.linspace(0, len(amounts) - 1, FIRST_AMOUNTS)})
    batch = max(2, games // 20)
    results = [(0, 0, 0)] * len(amounts)

    def add(place: int, count: int) -> None:
        done = sum(results[place])
        more = play(place, done, done + count)
        results[place] = tuple(a + b for a, b in zip(results[place], more, strict=True))  # type: ignore[assignment]

    for place in places:
        add(place, batch)
    while (left := games - sum(map(sum, results))) > 0:
        found = _fitted(amounts, results)
        step = min(BESIDE, NARROWING / math.sqrt(games - left)) / max(abs(found.slope), 1e-9)
        targets = (found.root - step, found.root, found.root + step) if found.slope else (amounts[0], amounts[-1])
        wanted = [min(range(len(amounts)), key=lambda place: abs(amounts[place] - target)) for target in targets]
        if wanted[0] == wanted[-1] and len(amounts) > 1:
            wanted[-1] += 1 if wanted[-1] + 1 < len(amounts) else -1
        for number, place in enumerate(wanted):
            if (count := min(batch, left - number * batch)) > 0:
                add(place, count)
    return Handicap(tuple(amounts), tuple(results), _fitted(amounts, results))


def _fitted(amounts: Sequence[float], results: Sequence[tuple[int, int, int]]) -> EvenAmount:
    played = [place for place, result in enumerate(results) if sum(result)]
    return even_amount([amounts[place] for place in played], [results[place] for place in played])


def play_handicap(
    rulesets: Sequence[Ruleset], amounts: Sequence[float], player: AgentSpec, games: int, seed: int, max_plies: int
) -> Handicap:
    """The even amount between two players of one kind; ``rulesets`` has one for each amount. In this process."""

    def play(place: int, start: int, stop: int) -> tuple[int, int, int]:
        ruleset = rulesets[place]
        seeds = splitmix(("handicap", seed, ruleset.fingerprint, player.canonical()), start, stop)
        arrays = _play(ruleset, player, seeds, max_plies)
        wins, losses = (int((arrays["result"] == code).sum()) for code in (1, 2))
        return wins, len(seeds) - wins - losses, losses

    return search_even(amounts, games, play)


NOT_NAMED = {
    MISFIT: tr(
        "No even amount is named: these scores do not lie on a curve whose log-odds are a straight line, or they pass "
        "one half more than once."
    ),
    OPEN: tr(
        "No even amount is named: the scores do not surely pass one half between these amounts. Play more games, or "
        "try other amounts."
    ),
}


def describe(handicap: Handicap, names: Sequence[str], player: str) -> list[str]:
    """What was found, in sentences; ``names`` are what the amounts are called."""
    found, nearest = handicap.found, handicap.nearest
    lines = []
    for place, result in enumerate(handicap.results):
        if sum(result):
            low, high = (100 * float(end) for end in score_interval(*result))
            lines.append(
                tr(
                    "{name}: {games:,} games, the first player scores {score:.1f} % ({low:.1f} to {high:.1f})",
                    name=names[place],
                    games=sum(result),
                    score=100 * handicap.score(place),
                    low=low,
                    high=high,
                )
            )
    if found.verdict != NAMED:
        return [*lines, NOT_NAMED[found.verdict], tr("Of those, {name} is nearest to one half.", name=names[nearest])]
    named = tr(
        "Between two {player} the game is even at {even:.2f} (95 %: {low:.2f} to {high:.2f}).",
        player=player,
        even=found.even,
        low=found.low,
        high=found.high,
    )
    return [*lines, named, tr("Nearest to it is {name}.", name=names[nearest])]


# Rules that begin later

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
        found = join_list((was.name, now.name))
        raise input_error(expected(tr("two rulesets of one game with different rules"), found))
    seeds = splitmix(("switching", seed, was.fingerprint, now.fingerprint, player.canonical()), 0, games)
    without = _play(was, player, seeds, max_plies, max_plies)
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
            arrays = _play(now, player, seeds[on], max_plies, lines=given[:, : max(step, 1)])
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


def _play(
    ruleset: Ruleset, player: AgentSpec, seeds: Any, max_plies: int, keep: int = 0, lines: Any = None
) -> Mapping[str, Any]:
    numbers: Any = library.engine_player(player, ruleset)
    with stoppable():
        run = block_runner(player, player, ruleset)
        return run(ruleset.game, ruleset.codes(), numbers, numbers, seeds, max_plies, keep, None, lines)


def _parting(ruleset: Ruleset, line: npt.NDArray[np.int32]) -> int:
    """How many moves of a game a ruleset allows before it forbids the next one, or is over."""
    state = GameState(ruleset.game, ruleset.codes())
    for ply, move in enumerate(line.tolist()):
        if move not in state.legal():
            return ply
        state.push(move)
    return len(line)
