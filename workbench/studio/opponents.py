"""The players that can be chosen, by level or by search, and their answers in a game.

External players are named in the project's experiment files: a page never starts a program that somebody types, and the
studio starts them only with ``--allow-programs``, like ``workbench run``. Functions that find players or answer run in
a worker process.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench import games
from workbench.base import output
from workbench.base.errors import InputError, PlayerFailed, WorkbenchError
from workbench.base.language import join, sentences, strip_period, tr, trc
from workbench.base.yamlfile import snapshot
from workbench.players import agents
from workbench.players.agent_kinds import EXTERNAL, KINDS
from workbench.studio.game_tasks import MAX_CACHED, MOST_PLIES, state_after
from workbench.studio.visitor import View, Visitor

if TYPE_CHECKING:
    from workbench.base.project import Project
    from workbench.engine.players import Player
    from workbench.players.agents import AgentSpec
    from workbench.players.external import ExternalPlayer, SeatPlayer
    from workbench.rules.rulesets import Ruleset

EASY, PERFECT = "greedy", "optimal"


class Level(NamedTuple):
    """A named strength."""

    name: str
    player: str
    points: float | None = None
    """The expected score against `EASY` under the ruleset according to a ladder; None if there is no ladder."""


STRONG = trc("level", "Strong")
LEVELS = (
    Level(trc("level", "Easy"), EASY),
    Level(trc("level", "Fair"), "alphabeta-1k"),
    Level(STRONG, "alphabeta-10k"),
)
"""The levels of a ruleset that has no trained players, solution or ladder."""


def find_levels(ruleset: Ruleset, project: Project) -> list[Level]:
    """Return a ruleset's levels; Strong uses learned weights if there are any; solved games have a perfect player."""
    from workbench.players.judgement import solvable, trainings
    from workbench.records.provenance import saved_ladders

    names = {level.name: level.player for level in LEVELS}
    if training := next(trainings(ruleset, project), ""):
        names[STRONG] += f"-{training}"
    if solvable(ruleset, project):
        names[trc("level", "Perfect")] = PERFECT
    ladder = next(iter(saved_ladders(project.reports, ruleset.fingerprint)), None)
    values = {str(entry["player"]): entry["elo"]["value"] for entry in (ladder["players"] if ladder else ())}
    elo = {player: value for player, value in values.items() if isinstance(value, int | float) and math.isfinite(value)}

    def points(player: str) -> float | None:
        if player == EASY or not {player, EASY} <= set(elo):
            return None
        return 1 / (1 + 10 ** ((elo[EASY] - elo[player]) / 400))

    return [Level(name, player, points(player)) for name, player in names.items()]


def display_name(player: str, levels: Sequence[Level] = LEVELS) -> str:
    """Return a player's level or description followed by its label."""
    title = next((level.name for level in levels if level.player == player), "")
    name = title or strip_period(description(player, whole=False))
    return tr("{told} ({player})", told=name, player=player) if name else player


def pair_name(first: str, second: str) -> str:
    """Return a pairing's display names, or one name for self-play."""
    return join(" – ", map(display_name, dict.fromkeys((first, second))))


def level_text(level: Level) -> str:
    """Return a level's description with its measured score, if there is one."""
    if level.points is None:
        return description(level.player)
    measured = tr("Scores {percent}% of the points against the easy level, as measured under these rules.")
    return sentences([description(level.player), measured.format(percent=f"{100 * level.points:.0f}")])


def description(player: str, game: str = "", whole: bool = True) -> str:
    """Describe a player's search and, if ``whole``, its training and its style in a ``game``; "" if unknown."""
    if player == PERFECT:
        return tr("Knows the value of every position and never makes a mistake.")
    try:
        spec = agents.agent_from_text(player)
    except WorkbenchError:
        return ""
    if not whole or not spec.look_ahead:
        return spec.look_ahead
    learned = [tr("Trained on games played under these rules.")] if spec.training else []
    styles = games.declaration(game).styles if game else ()
    return sentences([spec.look_ahead, *learned, *(style.sentence for style in styles if style.name == spec.style)])


DEPTHS = (1, 2, 3, 4)
BUDGETS = (1_000, 10_000, 100_000)


def offered_agents(size: str = "", values: Iterable[int] = (0,), evaluates: bool = False) -> list[str]:
    """Return labels of agents limited by depth, nodes or not at all; ``evaluates``: only those with an evaluation."""
    kinds = [kind for kind in KINDS.values() if size in kind.offered and kind.evaluates >= evaluates]
    return [kind.label(size, value) for kind in kinds for value in values]


SIZES: Mapping[str, tuple[int, ...]] = {"": (0,), "depth": DEPTHS[:3], "nodes": BUDGETS[:2]}
LEARNED_TOO = tr("The same, with weights learned for each ruleset; training takes a while.")
OFFERED_PLAYERS: Mapping[str, str] = {
    kind.label(size, value): sentence.format(n=f"{value:,}")
    for kind in KINDS.values()
    for size, sentence in kind.offered.items()
    for value in SIZES[size]
} | {"alphabeta-10k-learned": LEARNED_TOO}
"""The players that experiments can choose, with descriptions."""


def players_view(labels: Iterable[str], visitor: Visitor) -> list[View]:
    """Return players with their levels and descriptions."""
    levels = {level.player: level.name for level in LEVELS}
    texts = {
        label: tr("{level}: {told}", level=levels[label], told=text) if label in levels else text
        for label, text in OFFERED_PLAYERS.items()
    }
    return [{"label": label, "sentence": visitor.translate(texts[label])} for label in labels]


MAX_RUNNING = 2
"""The most programs that run at the same time, which are the players of one game."""
_seated: OrderedDict[tuple[Any, ...], tuple[SeatPlayer, contextlib.ExitStack]] = OrderedDict()


def is_external(player: str) -> bool:
    """Return True if a player is external."""
    return player.partition(":")[0] in EXTERNAL


@snapshot()
def external_players(ruleset: Ruleset, project: Project) -> dict[str, ExternalPlayer]:
    """Return the external players for a ruleset, by kind and label, such as ``uci:fairy-stockfish-400``.

    They are named in experiments on the same family; the first player with a label counts. UCI engines that do not
    support the ruleset are skipped.
    """
    from workbench.experiments import experiment
    from workbench.players.external import ExternalPlayer

    players: dict[str, ExternalPlayer] = {}
    for path in sorted(project.experiments.glob("*.yaml")):
        try:
            # Most files name no external players, and checking an experiment takes longer.
            if not project.contains(path):
                continue
            text = output.require_regular_file(path).read_text(encoding="utf-8")
            if not any(kind in text for kind in EXTERNAL):
                continue
            loaded = experiment.load_experiment(path, project)
        except (InputError, OSError, ValueError):
            continue
        for agent in (agent for pairing in loaded.pairings for agent in pairing):
            if agent.outside is not None and ruleset.game in loaded.families():
                with contextlib.suppress(PlayerFailed):
                    player = ExternalPlayer.of(agent, ruleset)
                    assert player is not None
                    players.setdefault(f"{agent.kind}:{agent.label}", player)
    return players


def reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], player: str, seat: int, seed: int, project: Project
) -> int:
    """Return a player's move; an external player's program keeps running until other programs are needed.

    Raises:
        WorkbenchError: the external player is no longer named in an experiment, or it fails.
    """
    from workbench.players.external import WorkbenchPlayer, open_player, probe_players

    key = (ruleset.fingerprint, start, player, seat, seed)
    if key not in _seated:
        stack = contextlib.ExitStack()
        if is_external(player):
            external = external_players(ruleset, project).get(player)
            if external is None:
                raise WorkbenchError(tr("no experiment in the project names {player} any more", player=player))
            for note in probe_players([external], ruleset):
                warnings.warn(note, stacklevel=2)
            _seated[key] = stack.enter_context(open_player(external)), stack
        else:
            _seated[key] = WorkbenchPlayer(_spec_and_player(ruleset, player, project)[1], MOST_PLIES), stack
        end_players(MAX_RUNNING if is_external(player) else MAX_CACHED)
        _seated[key][0].new_game(seat, seed)
    _seated.move_to_end(key)
    try:
        return int(_seated[key][0].choose(state_after(ruleset, start, played)))
    except WorkbenchError:
        _seated.pop(key)[1].close()
        raise


def end_players(remaining: int = 0) -> None:
    """End all players except the ``remaining`` most recent ones."""
    while len(_seated) > remaining:
        _, stack = _seated.popitem(last=False)[1]
        stack.close()


def list_opponents(
    ruleset: Ruleset, project: Project, programs: bool
) -> tuple[list[Level], list[tuple[str, list[str]]]]:
    """Return the levels of a ruleset, and titled groups of players for this ruleset.

    The groups contain players with the first training run or net of each kind, players with opening styles that the
    family declares, and external players if ``programs`` is true.
    """
    from workbench.players.judgement import trainings

    first_trainings: dict[str, str] = {}
    for training in trainings(ruleset, project):
        first_trainings.setdefault(training.partition("-")[0], training)
    searches = [*offered_agents("nodes", BUDGETS, evaluates=True), *offered_agents(evaluates=True)]
    quick = [*offered_agents(evaluates=True), *offered_agents("depth", [2], evaluates=True)]
    quick += offered_agents("nodes", [10_000], evaluates=True)
    learned = [f"{player}-{training}" for training in first_trainings.values() for player in searches]
    groups = [(tr("Trained on these rules"), learned)]
    for style in games.declaration(ruleset.game).styles:
        title = tr("Opening: {style}", style=strip_period(style.sentence))
        groups.append((title, [f"{player}-{style.name}" for player in quick]))
    if programs:
        groups.append((tr("External players named in experiments"), list(external_players(ruleset, project))))
    return find_levels(ruleset, project), [(title, players) for title, players in groups if players]


def canonical_player(ruleset: Ruleset, text: str, project: Project) -> str:
    """Return a typed player's label if it describes the player completely, else the typed text.

    Raises:
        WorkbenchError: there is no such player, or it cannot play by these rules.
    """
    if is_external(text.strip()):
        message = tr(
            "a page cannot start programs: name the player in an experiment file, and use workbench studio "
            "--allow-programs"
        )
        raise WorkbenchError(message)
    spec = _spec_and_player(ruleset, text, project)[0]
    return spec.label if agents.agent_from_text(spec.label) == spec else text.strip()


def _spec_and_player(ruleset: Ruleset, text: str, project: Project) -> tuple[AgentSpec, Player]:
    from workbench.players import library
    from workbench.players.judgement import solvable

    spec = agents.agent_from_text(text, [games.declaration(ruleset.game)], "player")
    if spec.declared.solved and solvable(ruleset, project):
        library.load_or_solve(ruleset, project, save=True)
    return spec, library.engine_player(spec, ruleset, project)


def player_must_compile(game: str, agent: str) -> bool:
    """Return True if a player needs compilation for a game."""
    from workbench.games import processes

    return processes.must_compile(["trials._advise", agents.agent_from_text(agent).function], [game])
