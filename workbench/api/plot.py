"""Charts of results on Matplotlib axes: ``wb.plot.first_score(trials)``.

Every function draws a chart of the report on given or new axes, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.games import Game
from workbench.api.results import analyse_trials, check_language
from workbench.base.errors import expected, guess, hide_internal_frames, input_error
from workbench.base.language import tr
from workbench.report.model import Chart
from workbench.report.names import Results
from workbench.report.render import matplotlib
from workbench.report.sections import scores as scores_section

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from workbench.report.folders import AnalysedRecords

__all__ = ["board", "difference", "first_score", "lengths"]
__dir__ = __all__.copy


@hide_internal_frames
def first_score(trials: pd.DataFrame | str | Path, ax: Axes | None = None, lang: str = "en") -> Axes:
    """Draw the first player's score under every ruleset with 95 % intervals; hollow marks are undecided.

    Args:
        trials: the result of `run` or `load`, or a report folder.
        ax: the axes; by default, new pyplot axes.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are not the records of a run.
    """
    analysed, results = _results(trials)
    return _draw_translated(scores_section.score_chart(results, analysed.exact), ax, lang)


@hide_internal_frames
def difference(trials: pd.DataFrame | str | Path, ax: Axes | None = None, lang: str = "en") -> Axes:
    """Draw each proposal's difference from the baseline in the question's measure, with intervals and verdicts.

    Args:
        trials: the result of `run` or `load`, or a report folder.
        ax: the axes; by default, new pyplot axes.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are not the records of a run, or the run compares nothing.
    """
    analysed, results = _results(trials)
    if analysed.analysis.comparisons.empty:
        raise input_error(expected(tr("a run that compares rulesets"), tr("one with only the baseline")), key="trials")
    return _draw_translated(scores_section.gain_chart(results), ax, lang)


@hide_internal_frames
def lengths(
    trials: pd.DataFrame | str | Path, pairing: str | Sequence[str] = "", ax: Axes | None = None, lang: str = "en"
) -> Axes:
    """Draw the share of each ruleset's games that continue after each ply, with the median and the quartiles.

    Args:
        trials: the result of `run` or `load`, or a report folder.
        pairing: an agent playing itself, or two agents; by default the strongest pairing.
        ax: the axes; by default, new pyplot axes.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are not the records of a run, or the run has no such players.
    """
    _, results = _results(trials)
    pairings = results.plan.pairings
    players = results.strongest
    if pairing:
        pair = (pairing, pairing) if isinstance(pairing, str) else tuple(map(str, pairing))
        if pair not in pairings:
            pairing_names = [first if first == second else f"({first}, {second})" for first, second in pairings]
            message = expected(tr("players in the run"), repr(pairing))
            raise input_error(message, guess(str(pairing), pairing_names, tr("there are {names}")), key="pairing")
        players = pair
    chart = scores_section.survival_chart(results, players)
    if chart is None:
        raise input_error(tr("there are no games with {wanted} so far", wanted=" – ".join(players)), key="pairing")
    title = tr("Games in progress: {players}", players=chart.title)
    return _draw_translated(replace(chart, title=title), ax, lang)


@hide_internal_frames
def board(game: Game, ax: Axes | None = None) -> Axes:
    """Draw a position with the cells of the last move marked.

    Args:
        game: the game.
        ax: the axes; by default, new pyplot axes.

    Raises:
        InputError: this is not a game.
    """
    if not isinstance(game, Game):
        raise input_error(expected(tr("a game"), type(game).__name__), key="game")
    return matplotlib.draw_board(game._state.board(), game._state.touched(), ax)


def _results(trials: object) -> tuple[AnalysedRecords, Results]:
    analysed = analyse_trials(trials)
    return analysed, Results.of(analysed.analysis)


def _draw_translated(chart: Chart, ax: Axes | None, lang: str) -> Axes:
    check_language(lang)
    return matplotlib.draw_chart(chart, ax, lang)
