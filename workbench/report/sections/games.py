"""Games to look at: which are chosen, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from workbench import games as families
from workbench.errors import InputError
from workbench.games import results
from workbench.games.playing import traces
from workbench.language import given, tr, translated, without_stop
from workbench.play.match import Again
from workbench.questions.agent_kinds import PEOPLE
from workbench.report.model import Findings, Paragraph, Part, Replay, ReplayList, Section
from workbench.report.names import Names
from workbench.statistics import AnalysisPlan
from workbench.store.trials import Trials


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


MAX_GAMES = 60
"""Games that a page holds."""
SHORTEST = tr("the shortest")
TYPICAL = tr("a typical length")
LONGEST = tr("the longest that finished")
CHOSEN = tr("chosen by its number")
NONE_FINISHED = tr("none finished")
ENDED = tr("ended by {termination}")


def choose_games(
    games: Trials | pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """The records of the games to look at, with a column ``reasons``; at most `MAX_GAMES`.

    Of each ruleset: the shortest, a typical and the longest finished game of the last pairing that is an agent against
    itself, or else of the last one; if none finished, one that was stopped. Of each way to end: a game of the last
    pairing that has one. Among equal games the one with the smallest number.
    """
    kept = Trials.of(games)
    trials = kept.games
    if trials.empty:
        return trials.assign(reasons=None)
    strongest = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    rows: dict[Any, list[str]] = {}
    endings = {
        str(ending): _example(trials, str(ending), rulesets, pairings)
        for ending in trials["termination"].value_counts().index
    }
    shown = trials[(trials["first"] == strongest[0]) & (trials["second"] == strongest[1])]
    for name in rulesets:
        games_of = shown[shown["ruleset"] == name].sort_values(["plies", "game"])
        if games_of.empty or len(rows) + 3 + len(endings) > MAX_GAMES:
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
        rows.setdefault(row, []).append(ENDED.format(termination=_ending_words(str(trials.at[row, "ruleset"]), ending)))
    chosen = kept.rows(list(rows)).assign(reasons=pd.Series(rows, dtype=object))
    order = {name: i for i, name in enumerate(rulesets)}
    return chosen.sort_values("ruleset", key=lambda names: names.map(order), kind="stable")


def _ending_words(ruleset: str, ending: str) -> str:
    """A way to end as records call it, in Japanese its sentence."""
    game = ruleset.partition("/")[0]
    named = results.ending(families.declaration(game), ending) if game in families.names() else None
    return given(en=ending, ja=translated(without_stop(named.sentence), "ja")) if named else ending


def _example(trials: pd.DataFrame, ending: str, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> Any:
    such = trials[trials["termination"] == ending]
    of_pairings = (such[(such["first"] == first) & (such["second"] == second)] for first, second in reversed(pairings))
    of_pairing = next(games for games in of_pairings if len(games))
    of_rulesets = (of_pairing.loc[of_pairing["ruleset"] == name, "game"] for name in rulesets)
    return next(games.idxmin() for games in of_rulesets if len(games))


def with_moments(section: Section, cards: Sequence[Part]) -> Section:
    """The games to look at, with those in which the proposals of some cards act."""
    findings = [each for part in cards if isinstance(part, Findings) for each in part.items]
    more = [replay for each in findings if each.moment for replay in each.moment.replays]
    parts = [
        replace(part, replays=[*part.replays, *more]) if isinstance(part, ReplayList) else part
        for part in section.parts
    ]
    return replace(section, parts=parts)


def games_section(trials: Trials, provenance: Mapping[str, Any], names: Names) -> Section:
    """The chosen games, played again."""
    chosen = choose_games(trials, names.rulesets, names.plan.pairings)
    cells = Counter({cell: len(trials.cell(cell)) for cell in trials.cells})
    sense = tr(
        "Of each ruleset the shortest, a typical and the longest game between the strongest "
        "players, and one game for each way to end, played again from their seeds."
    )
    if all(names.plan.agents[first].kind == PEOPLE for first, _ in names.plan.pairings):
        sense = tr(
            "Of each ruleset the shortest, a typical and the longest game of the highest rated people, and one game "
            "for each way to end."
        )
    shown_games = ReplayList(replay_games(chosen, names.plan, provenance.get("weights", {})), names.short_names, cells)
    return Section("games", tr("Games to look at"), [Paragraph(sense), shown_games])
