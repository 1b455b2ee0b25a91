"""Names of results and seats, and the endings that all families share."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.language import bilingual, strip_period, tr, translated
from workbench.games.declaration import Declaration, Named

RESULTS = ("unfinished", "first", "second", "draw")
"""Result codes 0 to 3 in the engine and in records; unfinished includes games in progress."""

BY_POINTS = ("first", "draw", "second", "unfinished")
"""Result names from best to worst for the first seat; tables use this order."""
SCORES: Mapping[str, float] = {"first": 1.0, "draw": 0.5, "second": 0.0}
"""The first seat's score for each result."""
RESULT_WORDS = {"first": tr("the first player wins"), "second": tr("the second player wins"), "draw": tr("a draw")}
"""The results of finished games in words."""

SWAP = "swap"
"""The notation for swapping sides."""

SEATS = ("first", "second")
"""Seats 0 and 1. The first plays the side that moves first in the base game."""

ENGINE_ENDINGS: Mapping[int, Named] = {
    1: Named("cap", tr("The game was stopped at the experiment's max_plies; it counts as unfinished, not as a draw.")),
    2: Named("repetition", tr("A position occurred too often.")),
    3: Named(
        "adjudicated",
        tr(
            "The game was stopped at the experiment's max_plies and awarded to the side that was clearly ahead "
            "according to the experiment's strongest player."
        ),
    ),
}
"""The engine's endings by code."""

PEOPLE_ENDINGS = (
    Named("resignation", tr("A player resigned.")),
    Named("agreement", tr("The players agreed on a draw.")),
    Named("time", tr("A player ran out of time.")),
    Named("abandoned", tr("A player left the game.")),
    Named("awarded", tr("The result was awarded, for example by an arbiter or for breaking a rule.")),
    Named("unknown", tr("The file does not state how the game ended, or uses unrecognised wording.")),
    Named("no-result", tr("The file gives no result: the game counts as unfinished.")),
)
"""Endings of games between people that are not caused by the rules."""


def with_sides(result: int, swapped: bool) -> int:
    """Convert a result between seats and sides, which differ if sides were swapped."""
    return 3 - result if swapped and result in (1, 2) else result


def all_endings(declaration: Declaration) -> dict[int, Named]:
    """Return all endings of a family by code, including the engine's."""
    return {**ENGINE_ENDINGS, **declaration.terminations}


def ending(declaration: Declaration, name: str) -> Named | None:
    """Return the ending with this name, including endings of games between people, or None."""
    return next((entry for entry in (*all_endings(declaration).values(), *PEOPLE_ENDINGS) if entry.name == name), None)


def ending_text(declaration: Declaration, name: str) -> str:
    """Return an ending's name, in Japanese its sentence."""
    named = ending(declaration, name)
    return bilingual(en=name, ja=translated(strip_period(named.sentence), "ja")) if named else name
