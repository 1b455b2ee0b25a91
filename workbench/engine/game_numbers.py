"""The numbers that the loop of `trials` notes of each game, besides how it ended. Imports no compiler."""

from __future__ import annotations

from typing import NamedTuple


class GameNumber(NamedTuple):
    """A float64 number of a game, a column of the records; NaN where it is not known."""

    name: str
    sentence: str
    unit: str = ""


NUMBERS = (
    GameNumber(
        "lead_changes", "How often the lead changed, as the heuristic sees it; NaN if both are random.", "count"
    ),
    GameNumber("drama", "How far the later winner was behind, 0 to 1, over the plies where it was; see metrics."),
    GameNumber("drama_max", "How far the later winner was behind at worst, 0 to 1."),
)
"""In the order of the words that `trials` fills."""
LEAD_CHANGES, DRAMA, DRAMA_MAX = range(len(NUMBERS))
