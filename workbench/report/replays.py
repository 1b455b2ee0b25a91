"""Games of a report, played again to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.errors import InputError
from workbench.games.traces import traces
from workbench.play.again import Again
from workbench.report.model import Replay
from workbench.statistics import AnalysisPlan


def replay_games(chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]) -> list[Replay]:
    """Plays the chosen games again, but for those whose family, or whose player's solution, is not at hand.

    Games of players from outside are not played again: a report starts no programs. The course of those that came out
    the same is evaluated as in the traces of a run, whether or not that run kept theirs.

    ``weights`` are the default weights of each family at the time of the run.
    """
    replays: dict[Any, Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        try:
            cell = Again.of(records, plan, weights)
        except InputError:
            continue
        family, codes = cell.ruleset.game, cell.ruleset.codes()
        played = cell.moves()
        same = [moves for moves in played if moves is not None]
        lists = np.full((len(same), max(map(len, same), default=0)), -1, np.int32)
        for line, one in zip(lists, same, strict=True):
            line[: len(one)] = one
        courses = iter(traces(family, codes, *cell.players, lists))
        for row, record, moves in zip(records.index, records.to_dict("records"), played, strict=True):
            course = next(courses, None) if moves is not None else None
            names = ("result", "termination", "game", "seed", "plies")
            replays[row] = Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                evaluations=tuple(course.evaluations.tolist()) if course else (),
                **{column: record[column] for column in names},
            )  # fmt: skip
    return [replays[row] for row in chosen.index if row in replays]
