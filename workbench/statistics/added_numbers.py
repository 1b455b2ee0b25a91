"""The numbers that measures of one's own make of each game."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.errors import InputError, Problem
from workbench.language import tr
from workbench.questions import measures
from workbench.questions.measures import Measure
from workbench.statistics.intervals import Floats
from workbench.store.trials import Trials


def with_added_numbers(trials: Trials | pd.DataFrame) -> Trials:
    """The records with a column for each measure that was added; NaN where a game has no number.

    Raises:
        InputError: some measures fail, or do not give a number for each game.
    """
    trials, columns, problems = Trials.of(trials), dict[str, Floats](), list[Problem]()
    if missing := [one for one in measures.added_measures() if one.name not in trials.columns]:
        frame = trials.frame()
        for one in missing:
            try:
                columns[one.name] = _numbers(one, frame)
            except Exception as error:
                message = tr(
                    "the measure '{name}' failed: {error}", name=one.name, error=f"{type(error).__name__}: {error}"
                )
                hint = tr("add it again, mended, or take it away: wb.remove_measure('{name}')", name=one.name)
                problems.append(Problem("", None, "", message, hint))
    if problems:
        raise InputError(problems)
    return trials.assign(**columns)


def _numbers(one: Measure, records: pd.DataFrame) -> Floats:
    """The number of each game by a measure; a series tells by its index of which games its numbers are."""
    assert one.of_games is not None
    # What it does to its table is done to a copy.
    frame = records.reset_index(drop=True).copy()
    index = frame.index
    numbers = one.of_games(frame)
    is_series = isinstance(numbers, pd.Series)
    if is_series and numbers.index.isin(index).all():
        numbers = numbers.reindex(index).astype(np.float64)
    values = np.asarray(numbers, dtype=np.float64)
    if values.shape != index.shape or (is_series and not numbers.index.equals(index)):
        raise ValueError(tr("expected a number for each of {count:,} games", count=len(index)))
    if np.isinf(values).any():
        raise ValueError(tr("expected finite numbers, or NaN of games to leave out"))
    return values
