"""What is known exactly of rulesets, beside estimates: true scores, and best play."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.exact import solutions
from workbench.files import project
from workbench.files.project import Project
from workbench.games.declaration import NO_SWAP, SWAP
from workbench.games.results import SCORES, SEATS
from workbench.questions import rulesets
from workbench.questions.known_values import KnownValue
from workbench.store.trials import Trials

KNOWN_COLUMNS = (
    *("ruleset", "first", "second", "best_play", "source", "solved", "best_plies", "random_score"),
    *("first_score", "first_score_low"),
    *("first_score_high", "balance", "agrees", "wins", "loses", "winning_moves", "losing_moves"),
)

SOLVED_BY = "workbench solve"
"""What the source of a value begins with that the workbench found."""


def load_best_play(here: Project, families: Collection[str] | None = None) -> dict[str, KnownValue]:
    """What is known of best play, by fingerprint: from the rulesets' files, else as the workbench solved it.

    Of the families, if they are named, and of others where it costs nothing.
    """
    solved = {
        key: KnownValue(each.value, f"{SOLVED_BY} {each.ruleset}")
        for key, each in solutions.load_exact_results(here).items()
    }
    return solved | rulesets.known_values_by_fingerprint(here, families)


def best_play_table(provenance: Mapping[str, Any], trials: Trials, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of the rulesets of which best play is known, by the fingerprint of their rules.

    It is known from the ruleset's file or because the workbench has solved it.

    Columns: ``ruleset``, ``first``, ``second``; ``best_play`` (first, second or draw) with its ``source``, and
    ``solved``, the same as the workbench found it ("" if it did not), with ``best_plies``, the plies that a win takes
    with best play, and ``random_score``, the first seat's exact score in random play, both missing where they are not
    known; the score of the first seat with its ends and
    ``balance``; ``agrees``, whether the side is ahead that best play lets win, or none where that is a draw: yes, no,
    or "" if undecided; ``wins`` and ``loses``, the shares of the games that began with a move of ``winning_moves`` and
    of ``losing_moves``, missing where no such moves are known or games began with given lines.
    """
    here = project.find_project()
    families = {str(ruleset["name"]).partition("/")[0] for ruleset in provenance["rulesets"]}
    known, solved = load_best_play(here, families), solutions.load_exact_results(here)
    prints = {str(ruleset["name"]): str(ruleset.get("fingerprint")) for ruleset in provenance["rulesets"]}
    given = bool(provenance["experiment"].get("openings"))
    rows = []
    for cell in cells.to_dict("records"):
        fingerprint = prints[cell["ruleset"]]
        value, exact = known.get(fingerprint), solved.get(fingerprint)
        if value is None:
            continue
        name = (str(cell["ruleset"]), str(cell["first"]), str(cell["second"]))
        shares: list[float | None] = [None, None]
        moves = (value.winning_first_moves, value.losing_first_moves)
        if any(moves) and len(trials.cell(name)) and not given:
            began = trials.column(name, "opening").astype(str).str.partition(" ")[0]
            shares = [float(began.isin(some).mean()) if some else None for some in moves]
        expected = {"draw": "balanced"}.get(value.best_play, value.best_play)
        rows.append(
            {column: cell[column] for column in KNOWN_COLUMNS if column in cell}
            | {
                "best_play": value.best_play,
                "source": value.source,
                "solved": exact.value if exact else "",
                "best_plies": exact.plies if exact else None,
                "random_score": exact.first_score if exact else None,
                "agrees": "" if cell["balance"] in ("undecided", "") else ("no", "yes")[cell["balance"] == expected],
                "wins": shares[0],
                "loses": shares[1],
                "winning_moves": " ".join(value.winning_first_moves),
                "losing_moves": " ".join(value.losing_first_moves),
            }
        )
    return pd.DataFrame(rows, columns=KNOWN_COLUMNS)


EXACT_COLUMNS = (
    *("ruleset", "first", "second", "exact", "first_score", "first_score_low", "first_score_high", "inside"),
    *("plies_exact", "plies_mean"),
)


def exact_score_table(provenance: Mapping[str, Any], trials: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of solved rulesets whose true score is known: both seats random, or both optimal.

    Columns: ``ruleset``, ``first``, ``second``; the ``exact`` score of the first seat, the estimate ``first_score``
    with ``first_score_low`` and ``first_score_high``, and whether the exact value lies ``inside``; ``plies_exact`` and
    ``plies_mean``. Games without a result are no part of the estimates.
    """
    # What is known exactly is the value of the start, not that of lines.
    known = {} if provenance["experiment"].get("openings") else solutions.load_exact_results(project.find_project())
    prints = {ruleset["name"]: ruleset.get("fingerprint") for ruleset in provenance["rulesets"]}
    swapping = {
        entry["name"] for entry in provenance["rulesets"] if entry.get("settings", {}).get(SWAP, NO_SWAP) != NO_SWAP
    }
    kinds = {
        (pairing["first"], pairing["second"]): {
            (options.get("kind"), options.get("epsilon", 0.0))
            for options in (pairing.get(f"{seat}_options", {}) for seat in SEATS)
        }
        for pairing in provenance["pairings"]
    }
    means = trials.groupby(["ruleset", "first", "second"], observed=True)["plies"].mean()
    rows = []
    for cell in cells.to_dict("records"):
        exact = known.get(str(prints[cell["ruleset"]]))
        pairing = kinds[cell["first"], cell["second"]]
        if exact is None or not cell["finished"] or pairing not in ({("random", 0.0)}, {("optimal", 0.0)}):
            continue
        if pairing == {("random", 0.0)}:
            if exact.random is None or exact.first_score is None:
                continue
            score, plies = exact.first_score, exact.random["plies"]
        else:
            score = SCORES[exact.value]
            # Where sides may be swapped, players who lose in any case do not delay it before that.
            plies = float(exact.plies) if exact.plies and cell["ruleset"] not in swapping else np.nan
        rows.append(
            {name: cell[name] for name in ("ruleset", "first", "second")}
            | {
                "exact": score,
                **{name: cell[name] for name in ("first_score", "first_score_low", "first_score_high")},
                "inside": cell["first_score_low"] <= score <= cell["first_score_high"],
                "plies_exact": plies,
                "plies_mean": means[cell["ruleset"], cell["first"], cell["second"]],
            }
        )
    return pd.DataFrame(rows, columns=EXACT_COLUMNS)
