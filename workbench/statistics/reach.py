"""Which verdicts an experiment can give at all, known before a game is played."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.questions.measures import FIRST_SCORE
from workbench.statistics.sequential import POWER, Schedule, games_for_equality, smallest_gain


@dataclass(frozen=True)
class Reach:
    """What the comparisons of an experiment can show; shares: 0.02 is two points."""

    games: int
    """Per cell, at most."""
    comparisons: int
    """Verdicts that are corrected for one another."""
    margin: float
    gain: float
    """The smallest difference that is found with a chance of 80 %, among so many comparisons."""
    equality_games: int
    """With fewer games per cell the absence of a difference cannot be shown, not even if none at all is found."""
    likely_equality_games: int
    """With so many it is shown with a chance of 80 %, if there is none."""
    asked: str = FIRST_SCORE
    """The question, as experiment files call it."""

    @property
    def equality(self) -> bool:
        """Whether "no meaningful difference" is within reach."""
        return self.games >= self.equality_games

    @property
    def all(self) -> bool:
        """Whether every verdict has a good chance to be found where it is true."""
        return self.games >= self.likely_equality_games and self.gain < 0.5

    def lines(self) -> list[str]:
        """The same in words, for the terminal."""
        words = "Fairer, less fair" if self.asked == FIRST_SCORE else f"More, less ({self.asked})"
        differences = f"{words}: differences from {100 * self.gain:.1f} points on are found (80 %)" + (
            f", although {self.comparisons} verdicts are corrected for one another." if self.comparisons > 1 else "."
        )
        if self.gain >= 0.5:
            differences = f"{words}: out of reach; no difference is large enough to be found with so few games."
        if not self.equality:
            none = (
                f"out of reach; it takes {self.equality_games:,} games per cell even if no difference at all is found, "
                f"and {self.likely_equality_games:,} for a chance of 80 % (fewer where many games are drawn)."
            )
        elif self.games < self.likely_equality_games:
            none = (
                f"within reach from {self.equality_games:,} games per cell on, but not likely; a chance of 80 % takes "
                f"{self.likely_equality_games:,}."
            )
        else:
            none = f"found (80 %) if there is none, since {self.games:,} games per cell are enough."
        return [differences, f"No meaningful difference (margin: {100 * self.margin:.3g} points): {none}"]


def reach(
    games: int,
    comparisons: int,
    margin: float,
    schedule: Schedule = 1,
    design: int = 1,
    variance: float = 0.25,
    asked: str = FIRST_SCORE,
) -> Reach:
    """What so many ``games`` per cell can show, whatever the players; ``design``: 2 for the first extension.

    ``variance`` is that of a game's measure: at most ¼ for a score or a share, which is what is assumed before a game
    was seen. Draws make scores vary less, and everything easier to find.

    Source: `smallest_gain`, `games_for_equality`.
    Limits: normal distributions; capped games are not in it, and hide as much of a difference as their share.
    """
    variances = (variance, variance)
    return Reach(
        games=games,
        comparisons=comparisons,
        margin=margin,
        gain=smallest_gain(games, comparisons, schedule, variances, design=design),
        equality_games=games_for_equality(margin, comparisons, schedule, variances, design=design),
        likely_equality_games=games_for_equality(margin, comparisons, schedule, variances, POWER, design),
        asked=asked,
    )
