"""Charts of results, on axes of matplotlib: ``wb.plot.first_score(trials)``.

Every function takes axes to draw on, or makes some, and returns them; what is drawn are the charts of the report.
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

    from workbench.report.reading import AnalysedRecords

__all__ = ["board", "difference", "first_score", "lengths"]
__dir__ = __all__.copy


@hide_internal_frames
def first_score(trials: pd.DataFrame | str | Path, ax: Axes | None = None, lang: str = "en") -> Axes:
    """The first player's score under every ruleset, with 95 % intervals; hollow where it is undecided who is ahead.

    Args:
        trials: what `run` or `load` returned, or a report folder.
        ax: where to draw; new axes of pyplot, if left out.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are no records of a run.
    """
    analysed, results = _results(trials)
    return _draw_translated(scores_section.score_chart(results, analysed.exact), ax, lang)


@hide_internal_frames
def difference(trials: pd.DataFrame | str | Path, ax: Axes | None = None, lang: str = "en") -> Axes:
    """The difference of each proposal from the baseline in the measure of the question, with intervals and verdicts.

    Args:
        trials: what `run` or `load` returned, or a report folder.
        ax: where to draw; new axes of pyplot, if left out.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are no records of a run, or it compares nothing.
    """
    analysed, results = _results(trials)
    if analysed.analysis.comparisons.empty:
        raise input_error(
            expected(tr("a run that compares rulesets"), tr("one with nothing beside the baseline")), key="trials"
        )
    return _draw_translated(scores_section.gain_chart(results), ax, lang)


@hide_internal_frames
def lengths(
    trials: pd.DataFrame | str | Path, pairing: str | Sequence[str] = "", ax: Axes | None = None, lang: str = "en"
) -> Axes:
    """Return the share of games of each ruleset that still go on after each ply, with the median and the middle half.

    Args:
        trials: what `run` or `load` returned, or a report folder.
        pairing: the players: an agent that plays itself, or two; those on which the answer rests, if left out.
        ax: where to draw; new axes of pyplot, if left out.
        lang: ``en`` or ``ja``.

    Raises:
        InputError: these are no records of a run, or such players are not among them.
    """
    _, results = _results(trials)
    pairings = results.plan.pairings
    wanted = results.strongest
    if pairing:
        both = (pairing, pairing) if isinstance(pairing, str) else tuple(map(str, pairing))
        if both not in pairings:
            known = [first if first == second else f"({first}, {second})" for first, second in pairings]
            message = expected(tr("players of the run"), repr(pairing))
            raise input_error(message, guess(str(pairing), known, tr("there are {names}")), key="pairing")
        wanted = both
    chart = scores_section.survival_chart(results, wanted)
    if chart is None:
        raise input_error(tr("there are no games of {wanted} yet", wanted=" – ".join(wanted)), key="pairing")
    title = tr("Games that still go on: {players}", players=chart.title)
    return _draw_translated(replace(chart, title=title), ax, lang)


@hide_internal_frames
def board(game: Game, ax: Axes | None = None) -> Axes:
    """Return a position, with the cells marked that the last move touched.

    Args:
        game: the game.
        ax: where to draw; new axes of pyplot, if left out.

    Raises:
        InputError: this is no game.
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
