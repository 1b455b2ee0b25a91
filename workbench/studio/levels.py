"""How strong an opponent is, in words: four levels, what each of them reads, and how it did where that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench import games
from workbench.errors import WorkbenchError
from workbench.language import join, sentences, tr, without_stop
from workbench.questions import agents
from workbench.questions.agent_kinds import KINDS
from workbench.studio.words import WORDS

if TYPE_CHECKING:
    from workbench.files.project import Project
    from workbench.questions.rulesets import Ruleset

EASY, PERFECT = "greedy", "optimal"


class Level(NamedTuple):
    """A strength that one chooses by its name."""

    name: str
    """A key of `WORDS`."""
    player: str
    points: float | None = None
    """Its share of the points against `EASY` under these rules, by a ladder; None where none was played."""


LEVELS = (Level("easy", EASY), Level("fair", "alphabeta-1k"), Level("strong", "alphabeta-10k"))
"""Those of rules of which nothing more is known."""


def find_levels(ruleset: Ruleset, project: Project) -> list[Level]:
    """The levels of a ruleset: the strong one has learned it if some player has, and a solution plays perfectly."""
    from workbench.play.judgement import solvable, trainings

    names = {level.name: level.player for level in LEVELS}
    if training := next(trainings(ruleset, project), ""):
        names["strong"] += f"-{training}"
    if solvable(ruleset, project):
        names["perfect"] = PERFECT
    elo = _measured(ruleset, project)
    return [
        Level(name, player, _share(elo[player] - elo[EASY]) if {player, EASY} <= set(elo) and player != EASY else None)
        for name, player in names.items()
    ]


def called(player: str, levels: Sequence[Level] = LEVELS) -> str:
    """A player by its level, or else by what it reads, its identifier behind that."""
    title = next((WORDS[level.name] for level in levels if level.player == player), "")
    told = title or without_stop(reading(player, whole=False))
    return tr("{told} ({player})", told=told, player=player) if told else player


def pair_called(first: str, second: str) -> str:
    """Who plays whom; one name where a player plays itself."""
    return join(" – ", map(called, dict.fromkeys((first, second))))


def sentence(level: Level) -> str:
    """How strong a level is: as it was measured, or else what it reads."""
    if level.points is None:
        return reading(level.player)
    return sentences([reading(level.player), WORDS["measured"].format(percent=f"{100 * level.points:.0f}")])


def reading(player: str, game: str = "", whole: bool = True) -> str:
    """What a player reads before it moves, that it has learned, and how it opens a ``game``.

    "" of one that is not offered by a number.
    """
    if player == PERFECT:
        return WORDS["plays_perfectly"]
    try:
        spec = agents.agent_from_text(player)
    except WorkbenchError:
        return ""
    if not whole or not spec.reading:
        return spec.reading
    learned = [WORDS["has_learned"]] if spec.training else []
    styles = games.declaration(game).styles if game else ()
    return sentences([spec.reading, *learned, *(style.sentence for style in styles if style.name == spec.style)])


def _share(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def _measured(ruleset: Ruleset, project: Project) -> Mapping[str, float]:
    """The Elo of players by the largest ladder that was played under the rules."""
    from workbench.store.ladders import saved_ladders

    ladder = next(saved_ladders(project.reports, ruleset.fingerprint), None)
    entries = ((str(entry["player"]), entry["elo"]["value"]) for entry in (ladder or {"players": ()})["players"])
    return {player: elo for player, elo in entries if isinstance(elo, int | float) and math.isfinite(elo)}


DEPTHS = (1, 2, 3, 4)
BUDGETS = (1_000, 10_000, 100_000)


def offered_agents(size: str = "", values: Iterable[int] = (0,), evaluates: bool = False) -> list[str]:
    """The agents that are offered by some depths or nodes, or without either, as tables call them.

    Where they must have an evaluation, only those of kinds that have one.
    """
    kinds = [kind for kind in KINDS.values() if size in kind.offered and kind.evaluates >= evaluates]
    return [kind.label(size, value) for kind in kinds for value in values]
