"""What a process beside the server does with the games of a report folder: each function runs there, on plain data."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.store.provenance import folder_stamp

if TYPE_CHECKING:
    from workbench.statistics import AnalysisPlan
    from workbench.store.trials import Trials

GAMES_SEARCHED = 10
"""Games of each ruleset in which a position is looked for where a proposal acts."""
Number = tuple[str, str, str, int]
"""A game: its ruleset, the agents of both seats, and its number in this cell, from 1."""


def list_cells(folder: Path) -> dict[str, Any]:
    """The cells of a folder with the games in each, and the games that its report shows, in both languages.

    Raises:
        WorkbenchError: there are no records, or they are damaged.
    """
    from workbench.report.names import Names
    from workbench.report.render.replay import game_option
    from workbench.report.sections.games import choose_games

    _, plan, trials = _read_records(folder, folder_stamp(folder))
    names = Names(plan)
    chosen = choose_games(trials, names.rulesets, plan.pairings)
    examples = [
        {
            "id": game_id((row["ruleset"], row["first"], row["second"], int(row["game"]) + 1)),
            "text": game_option(
                names.short(row["ruleset"]), row["reasons"], row["plies"], (row["first"], row["second"])
            ),
        }
        for row in chosen.to_dict("records")
    ]
    return {
        "cells": [
            {"ruleset": name, "short": names.short(name), "first": first, "second": second, "count": count}
            for name in names.rulesets
            for first, second in plan.pairings
            if (count := len(trials.cell((name, first, second))))
        ],
        "examples": examples,
        "proposals": [{"ruleset": name, "short": names.short(name)} for name in names.proposals],
    }


def game_id(number: Number) -> str:
    """How links name a game."""
    ruleset, first, second, game = number
    return f"{ruleset}/{first}/{second}/{game}"


def replay_must_compile(folder: Path, number: Number) -> bool:
    """Whether machine code is still to be made before a game is played again."""
    from workbench.games import machine_code

    _, plan, _ = _read_records(folder, folder_stamp(folder))
    players = [plan.agents[label] for label in number[1:3]]
    return machine_code.games_must_compile((player.function for player in players), [plan.ruleset(number[0]).game])


def replay_game(folder: Path, number: Number, language: str) -> dict[str, Any]:
    """A game, played again, as `replay_games.js` shows it: its markup and its data.

    Raises:
        WorkbenchError: it cannot be played again.
    """
    from workbench.play.again import Again
    from workbench.report.model import ReplayList
    from workbench.report.names import Names
    from workbench.report.render.boards import Pieces
    from workbench.report.render.html import unplayable_games
    from workbench.report.render.replay import replay_markup, replay_view
    from workbench.report.sections.games import CHOSEN, replay_games

    provenance, plan, trials = _read_records(folder, folder_stamp(folder))
    name, first, second, game = number
    cell = trials.cell((name, first, second))
    record = trials.rows(cell.index[cell["game"] == game - 1].to_list())
    weights = provenance.get("weights", {})
    Again.of(record, plan, weights)
    reasons: Any = [(CHOSEN,)]
    replays = replay_games(record.assign(reasons=reasons), plan, weights)
    listed = ReplayList(replays, Names(plan).short_names, {(name, first, second): len(cell)})
    if replays[0].moves is None:
        return {"failed": unplayable_games(listed)[0]}
    pieces = Pieces("replay")
    seen = replay_view(listed, pieces, choice=False)
    return {"markup": str(replay_markup(seen, pieces, language)), "data": seen.content}


def games_where_it_acts(folder: Path, proposal: str, language: str) -> dict[str, Any] | None:
    """Where a proposal acts, in games of the report: the same game under the baseline and under the proposal.

    Each as `replay_game` gives it, with the ply at which they part, and the sentences that the proposal changes. None
    where no position was found in which it matters.

    Raises:
        WorkbenchError: the games cannot be played again.
    """
    from workbench.language import translated
    from workbench.play.again import Again
    from workbench.report import moments
    from workbench.report.model import ReplayList
    from workbench.report.names import Names
    from workbench.report.render.boards import Pieces
    from workbench.report.render.replay import replay_markup, replay_view
    from workbench.report.sections.rules import distinct_changes

    provenance, plan, trials = _read_records(folder, folder_stamp(folder))
    names, lines = Names(plan), []
    for name in (plan.baseline, proposal):
        cell = trials.cell((name, *names.strongest))
        record = trials.rows(cell.index[:GAMES_SEARCHED].to_list())
        lines += [moves for moves in Again.of(record, plan, provenance.get("weights", {})).moves() if moves]
    pair = moments.find_pair(names, proposal, lines)
    if pair is None:
        return None
    both = []
    for number, replay in enumerate(moments.pair_replays(names, pair)):
        pieces = Pieces(f"pair-{number}")
        seen = replay_view(ReplayList([replay], names.short_names), pieces, choice=False)
        both.append({"markup": str(replay_markup(seen, pieces, language, pieces.name)), "data": seen.content})
    changes = [each for each in distinct_changes(provenance["rulesets"], plan.baseline) if proposal in each.proposals]
    return {
        "games": both,
        "ply": len(pair.shared) + 1,
        "text": translated(moments.moment_text(names, pair), language),
        "changes": [
            {"was": translated(each.was[1], language), "now": translated(each.now[1], language)} for each in changes
        ],
    }


@lru_cache(maxsize=2)
def _read_records(folder: Path, changed: tuple[int, ...]) -> tuple[dict[str, Any], AnalysisPlan, Trials]:
    from workbench.report.reading import read_report_trials, read_run_provenance
    from workbench.statistics import AnalysisPlan

    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    return provenance, plan, read_report_trials(folder, provenance, plan.pairings)
