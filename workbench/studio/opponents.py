"""The players that can be chosen in games and experiments, and their answers in a game.

Functions that find players or answer run in a worker process.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench import games
from workbench.base.errors import WorkbenchError
from workbench.base.language import sentences, strip_period, tr, trc
from workbench.players import agents
from workbench.studio.game_tasks import MAX_CACHED, MOST_PLIES, state_after
from workbench.studio.visitor import View, Visitor

if TYPE_CHECKING:
    from workbench.base.project import Project
    from workbench.players.external import WorkbenchPlayer
    from workbench.rules.rulesets import Ruleset

EASY, PERFECT = "greedy", "optimal"


class Level(NamedTuple):
    """A named strength."""

    name: str
    player: str
    told: str = ""
    """A sentence on its score against the level below, or else on its search."""


STRONG = trc("level", "Strong")
LEVELS = (
    Level(trc("level", "Beginner"), EASY),
    Level(trc("level", "Club"), "alphabeta-1k"),
    Level(STRONG, "alphabeta-10k"),
)
"""The levels of a ruleset that has no trained players, solution or measurement."""
MEASURED = Path(__file__).with_name("levels.json")
"""Scores between the levels under each family's current rules, with the commands that measured them."""


def find_levels(ruleset: Ruleset, project: Project) -> list[Level]:
    """Return a ruleset's levels; Strong uses learned weights if there are any; solved games have a perfect player."""
    from workbench.players.judgement import solvable, trainings
    from workbench.records.provenance import saved_ladders

    names = {level.name: level.player for level in LEVELS}
    if training := next(trainings(ruleset, project), ""):
        names[STRONG] += f"-{training}"
    if solvable(ruleset, project):
        names[trc("level", "Perfect")] = PERFECT
    ladder = next(iter(saved_ladders(project.reports, ruleset.fingerprint)), {"players": ()})
    values = {str(entry["player"]): entry["elo"]["value"] for entry in ladder["players"]}
    elo = {player: value for player, value in values.items() if isinstance(value, int | float) and math.isfinite(value)}
    shipped = json.loads(MEASURED.read_text(encoding="utf-8"))["games"].get(ruleset.game, {"rules": "", "points": {}})
    levels: list[Level] = []
    for name, player in names.items():
        below, points, text = levels[-1] if levels else None, None, tr("Scores {percent} % against {level}.")
        if below and {player, below.player} <= set(elo):
            points = 1 / (1 + 10 ** ((elo[below.player] - elo[player]) / 400))
        elif below:
            points = shipped["points"].get(f"{player} {below.player}")
            if shipped["rules"] != ruleset.fingerprint:
                text = tr("Scores {percent} % against {level} (measured under today's rules).")
        measured = below and points and text.format(percent=f"{100 * points:.0f}", level=below.name)
        levels.append(Level(name, player, measured or description(player)))
    return levels


def display_name(player: str) -> str:
    """Return a player's level or description, or its label if it has neither."""
    title = next((level.name for level in LEVELS if level.player == player), "")
    return title or strip_period(description(player)) or player


def description(player: str) -> str:
    """Describe a player's search and training; "" if unknown."""
    if player == PERFECT:
        return tr("Knows the value of every position and never makes a mistake.")
    try:
        spec = agents.agent_from_text(player)
    except WorkbenchError:
        return ""
    learned = [tr("Trained on games played under these rules.")] if spec.training else []
    return sentences([spec.look_ahead, *learned]) if spec.look_ahead else ""


def players_view(labels: Sequence[str], visitor: Visitor) -> list[View]:
    """Return players with their levels and descriptions."""
    levels = {level.player: tr("{level}: {told}", level=level.name, told=description(level.player)) for level in LEVELS}
    return [{"label": label, "sentence": visitor.translate(levels.get(label, description(label)))} for label in labels]


def reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], player: str, seat: int, seed: int, project: Project
) -> int:
    """Return a player's move."""
    return int(_seated(ruleset, start, player, seat, seed, project).choose(state_after(ruleset, start, played)))


@lru_cache(MAX_CACHED)
def _seated(ruleset: Ruleset, start: str, player: str, seat: int, seed: int, project: Project) -> WorkbenchPlayer:
    """Return the player of a game's seat, which remembers the game from move to move."""
    from workbench.players import library
    from workbench.players.external import WorkbenchPlayer
    from workbench.players.judgement import solvable

    spec = agents.agent_from_text(player, [games.declaration(ruleset.game)], "player")
    if spec.declared.solved and solvable(ruleset, project):
        library.load_or_solve(ruleset, project, save=True)
    seated = WorkbenchPlayer(library.engine_player(spec, ruleset, project), MOST_PLIES)
    seated.new_game(seat, seed)
    return seated


def must_compile(game: str, agent: str) -> bool:
    """Return True if a player needs compilation for a game."""
    from workbench.games import processes

    return processes.must_compile(["trials._advise", agents.agent_from_text(agent).function], [game])
