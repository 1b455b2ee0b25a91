"""Games to look at: which ones, and what the page needs to replay them.

The games are not in the records, but their seeds are: they are played again by the engine, and the hash of their moves
says whether they came out the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.engine import trials as engine
from workbench.engine.trials import Codes
from workbench.exact import solutions
from workbench.files.yamlfile import InputError
from workbench.games.declaration import Board
from workbench.games.game_state import GameState
from workbench.questions.agents import AgentSpec
from workbench.report.words import Words
from workbench.statistics import AnalysisPlan

MOST = 60
"""Games that a page holds."""
SHORTEST = Words("the shortest", "最短")
TYPICAL = Words("a typical length", "標準的な長さ")
LONGEST = Words("the longest that finished", "決着した中で最長")
NONE_FINISHED = Words("none finished", "決着した対局なし")
ENDED = Words("ended by {termination}", "終わり方：{termination}")


@dataclass(frozen=True)
class Replay:
    """A game, played again."""

    ruleset: str
    first: str
    second: str
    game: int
    seed: int
    result: str
    termination: str
    plies: int
    reasons: tuple[Words, ...]
    """Why it is worth a look."""
    family: str
    codes: Codes
    moves: tuple[int, ...] | None
    """None if the engine no longer plays this game from its seed."""

    @cached_property
    def game_state(self) -> GameState:
        """The game at its end."""
        game_state = GameState(self.family, self.codes)
        for move in self.moves or ():
            game_state.push(move)
        return game_state

    def boards(self) -> Iterator[Board]:
        """The positions, from the start to the end."""
        game_state = GameState(self.family, self.codes)
        yield game_state.board()
        for move in self.moves or ():
            game_state.push(move)
            yield game_state.board()

    def seats(self) -> str:
        """Who made each move: a string of 0 and 1."""
        game_state = GameState(self.family, self.codes)
        seats = []
        for move in self.moves or ():
            seats.append(str(game_state.seat))
            game_state.push(move)
        return "".join(seats)


def choose(trials: pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """The records of the games to look at, with a column ``reasons``; at most `MOST`.

    Of each ruleset: the shortest, a typical and the longest finished game of the last pairing that is an agent against
    itself, or else of the last one; if none finished, one that was stopped. Of each way to end: a game of the last
    pairing that has one. Among equal games the one with the smallest number.
    """
    if trials.empty:
        return trials.assign(reasons=None)
    strongest = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    rows: dict[Any, list[Words]] = {}
    endings = {str(ending): _example(trials, str(ending), rulesets, pairings) for ending in _endings(trials)}
    shown = trials[(trials["first"] == strongest[0]) & (trials["second"] == strongest[1])]
    for name in rulesets:
        games_of = shown[shown["ruleset"] == name].sort_values(["plies", "game"])
        if games_of.empty or len(rows) + 3 + len(endings) > MOST:
            continue
        games_of, stopped = games_of[games_of["result"] != "unfinished"], games_of
        if games_of.empty:
            rows.setdefault(stopped.index[0], []).append(NONE_FINISHED)
            continue
        middle = games_of["plies"].sub(games_of["plies"].median()).abs().sort_values(kind="stable").index[0]
        longest = games_of[games_of["plies"] == games_of["plies"].max()].index[0]
        for row, reason in ((games_of.index[0], SHORTEST), (middle, TYPICAL), (longest, LONGEST)):
            rows.setdefault(row, []).append(reason)
    for ending, row in endings.items():
        rows.setdefault(row, []).append(ENDED.format(termination=ending))
    chosen = trials.loc[list(rows)].assign(reasons=pd.Series(rows, dtype=object))
    order = {name: i for i, name in enumerate(rulesets)}
    return chosen.sort_values("ruleset", key=lambda names: names.map(order), kind="stable")


def _endings(trials: pd.DataFrame) -> list[str]:
    """The ways in which games ended, the commonest first."""
    return [str(ending) for ending in trials["termination"].value_counts().index]


def _example(trials: pd.DataFrame, ending: str, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> Any:
    such = trials[trials["termination"] == ending]
    strength = {pair: i for i, pair in enumerate(pairings)}
    order = {name: i for i, name in enumerate(rulesets)}
    keys = pd.DataFrame(
        {
            "pair": [-strength[pair] for pair in zip(such["first"], such["second"], strict=True)],
            "ruleset": such["ruleset"].map(order),
            "game": such["game"],
        },
        index=such.index,
    )
    return keys.sort_values(["pair", "ruleset", "game"]).index[0]


def replay(chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]) -> list[Replay]:
    """Plays the chosen games again, but for those whose family, or whose player's solution, is not at hand.

    ``weights`` are the default weights of each family at the time of the run.
    """
    found: dict[Any, Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            continue
        family, codes = ruleset.game, tuple(ruleset.codes().values())
        try:
            first_seat, second_seat = (
                solutions.numbers(_as_it_played(plan.agents[label], weights.get(family, {})), ruleset)
                for label in (first, second)
            )
        except InputError:
            continue
        played = engine.run_block(
            family,
            codes,
            first_seat,
            second_seat,
            records["seed"].to_numpy(dtype=np.uint64),
            plan.max_plies,
            keep=int(records["plies"].max()),
        )
        for i, (row, record) in enumerate(zip(records.index, records.to_dict("records"), strict=True)):
            same = f"{int(played['game_hash'][i]):016x}" == record["game_hash"]
            moves = tuple(int(move) for move in played["opening"][i, : record["plies"]]) if same else None
            names = ("result", "termination", "game", "seed", "plies")
            found[row] = Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                **{column: record[column] for column in names},
            )  # fmt: skip
    return [found[row] for row in chosen.index if row in found]


def _as_it_played(agent: AgentSpec, weights: Mapping[str, float]) -> AgentSpec:
    """The agent with the default weights of its time, but for those that are its own."""
    return replace(agent, weights=tuple(sorted({**weights, **dict(agent.weights)}.items())))


def frames(boards: Sequence[Board], number: Any) -> list[list[int]]:
    """What changes from each position to the next: cell and piece, cell and piece, …; the first is all that stands.

    ``number`` gives the numbers of a board's cells.
    """
    now = [0] * (len(boards[0].cells) * len(boards[0].cells[0]))
    found = []
    for board in boards:
        then = number(board)
        found.append([part for i, (a, b) in enumerate(zip(now, then, strict=True)) if a != b for part in (i, b)])
        now = then
    return found
