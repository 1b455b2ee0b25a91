"""Which verdicts an experiment can give at all, known before a game is played."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.language import tr, trn
from workbench.questions.measures import FIRST_SCORE
from workbench.statistics.sequential import POWER, games_for_equivalence, smallest_gain


@dataclass(frozen=True)
class PowerAnalysis:
    """What the comparisons of an experiment can show; shares: 0.02 is two points."""

    games: int
    """Per cell, at most."""
    comparisons: int
    """Verdicts that are corrected for one another."""
    margin: float
    smallest_difference: float
    """The smallest difference that is found with a chance of 80 %, among so many comparisons."""
    equivalence_games: int
    """With fewer games per cell the absence of a difference cannot be shown, not even if none at all is found."""
    likely_equivalence_games: int
    """With so many it is shown with a chance of 80 %, if there is none."""
    question: str = FIRST_SCORE
    """The question, as experiment files call it."""

    @property
    def equivalence_possible(self) -> bool:
        """Whether "no meaningful difference" is within reach."""
        return self.games >= self.equivalence_games

    def describe(self) -> list[str]:
        """The same in words, for the terminal."""
        words = (
            tr("Fairer, less fair")
            if self.question == FIRST_SCORE
            else tr("More, less ({question})", question=self.question)
        )
        differences = trn(
            "{words}: differences from {smallest_difference:.1f} points on are found (80 %).",
            "{words}: differences from {smallest_difference:.1f} points on are found (80 %), "
            "although {n} verdicts are corrected for one another.",
            self.comparisons,
            words=words,
            smallest_difference=100 * self.smallest_difference,
        )
        if self.smallest_difference >= 0.5:
            differences = tr(
                "{words}: out of reach; with so few games no difference is found, however large.", words=words
            )
        if not self.equivalence_possible:
            none = tr(
                "out of reach; it takes {equivalence_games:,} games per cell even if no difference at "
                "all is found, and {likely_equivalence_games:,} for a chance of 80 % (fewer where many "
                "games are drawn, more where some are stopped at the cap).",
                equivalence_games=self.equivalence_games,
                likely_equivalence_games=self.likely_equivalence_games,
            )
        elif self.games < self.likely_equivalence_games:
            none = tr(
                "within reach from {equivalence_games:,} games per cell on, but not likely; a chance of "
                "80 % takes {likely_equivalence_games:,}.",
                equivalence_games=self.equivalence_games,
                likely_equivalence_games=self.likely_equivalence_games,
            )
        else:
            none = tr("found (80 %) if there is none, since {games:,} games per cell are enough.", games=self.games)
        return [
            differences,
            tr("No meaningful difference (margin: {margin:.3g} points): {none}", margin=100 * self.margin, none=none),
        ]


def power_analysis(
    games: int,
    comparisons: int,
    margin: float,
    analyses: int = 1,
    stage: int = 1,
    variance: float = 0.25,
    asked: str = FIRST_SCORE,
) -> PowerAnalysis:
    """What so many ``games`` per cell can show, whatever the players; ``stage``: 2 for the first extension.

    ``variance`` is that of a game's measure: at most ¼ for a score or a share, which is what is assumed before a game
    was seen. Draws make scores vary less, and everything easier to find.

    Source: `smallest_gain`, `games_for_equivalence`.
    Limits: normal distributions; capped games are not in it, and hide as much of a difference as their share.
    """
    variances = (variance, variance)
    return PowerAnalysis(
        games=games,
        comparisons=comparisons,
        margin=margin,
        smallest_difference=smallest_gain(games, comparisons, analyses, variances, stage=stage),
        equivalence_games=games_for_equivalence(margin, comparisons, analyses, variances, stage=stage),
        likely_equivalence_games=games_for_equivalence(margin, comparisons, analyses, variances, POWER, stage),
        question=asked,
    )
