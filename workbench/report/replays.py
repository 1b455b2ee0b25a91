"""Games played again from their seeds.

The games are not in the records, but their seeds are: the engine plays them again, and the hash of their moves tells
whether they came out the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.engine import trials as engine
from workbench.files.yamlfile import InputError
from workbench.games.openings import opening_moves
from workbench.learning import library
from workbench.questions.agents import AgentSpec
from workbench.report.model import Replay
from workbench.statistics import AnalysisPlan
from workbench.store.records import LINE


def replay(chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]) -> list[Replay]:
    """Plays the chosen games again, but for those whose family, or whose player's solution, is not at hand.

    Games of players from outside are not played again: a report starts no programs.

    ``weights`` are the default weights of each family at the time of the run.
    """
    replays: dict[Any, Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            continue
        if any(plan.agents[label].outside for label in (first, second)):
            continue
        family, codes = ruleset.game, ruleset.codes()
        try:
            first_seat, second_seat = (
                library.player(_as_it_played(plan.agents[label], weights.get(family, {})), ruleset)
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
            lines=_moves(records, plan, name),
        )
        for i, (row, record) in enumerate(zip(records.index, records.to_dict("records"), strict=True)):
            same = f"{int(played['game_hash'][i]):016x}" == record["game_hash"]
            moves = tuple(int(move) for move in played["opening"][i, : record["plies"]]) if same else None
            names = ("result", "termination", "game", "seed", "plies")
            replays[row] = Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                **{column: record[column] for column in names},
            )  # fmt: skip
    return [replays[row] for row in chosen.index if row in replays]


def _moves(records: pd.DataFrame, plan: AnalysisPlan, ruleset: str) -> Any:
    """The line of each game; None where the players chose from the first move on."""
    if LINE.name not in records or ruleset not in plan.lines:
        return None
    played = plan.ruleset(ruleset)
    texts = [plan.lines[ruleset][int(number)] for number in records[LINE.name]]
    return opening_moves(played.game, played.codes(), texts)


def _as_it_played(agent: AgentSpec, weights: Mapping[str, float]) -> AgentSpec:
    """The agent with the default weights of its time, but for those that are its own."""
    return replace(agent, weights=tuple(sorted({**weights, **dict(agent.weights)}.items())))
