"""Who plays at a table of the studio, in words and by their moves: levels, what players read, players from outside.

Players from outside are those that experiment files of the project name, and nobody else: a page starts no program that
somebody types into it. Whoever opens the studio allows what the files name (``--allow-programs``), as for
``workbench run``. Functions that find players or answer run in a process beside the server.
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
from workbench.base.errors import InputError, WorkbenchError
from workbench.base.language import join, sentences, strip_period, tr, trc
from workbench.base.yamlfile import snapshot
from workbench.players import agents
from workbench.players.agent_kinds import KINDS, OUTSIDE
from workbench.studio.game_tasks import MOST_PLIES, remember, state_after
from workbench.studio.visitor import Visitor

if TYPE_CHECKING:
    from workbench.base.project import Project
    from workbench.engine.players import Player
    from workbench.players.agents import AgentSpec
    from workbench.players.external import Outsider, SeatPlayer
    from workbench.rules.rulesets import Ruleset


EASY, PERFECT = "greedy", "optimal"


class Level(NamedTuple):
    """A strength that one chooses by its name."""

    name: str
    player: str
    points: float | None = None
    """Its share of the points against `EASY` under these rules, by a ladder; None where none was played."""


STRONG = trc("level", "Strong")
LEVELS = (
    Level(trc("level", "Easy"), EASY),
    Level(trc("level", "Fair"), "alphabeta-1k"),
    Level(STRONG, "alphabeta-10k"),
)
"""Those of rules of which nothing more is known."""


def find_levels(ruleset: Ruleset, project: Project) -> list[Level]:
    """The levels of a ruleset: the strong one has learned it if some player has, and a solution plays perfectly."""
    from workbench.players.judgement import solvable, trainings

    names = {level.name: level.player for level in LEVELS}
    if training := next(trainings(ruleset, project), ""):
        names[STRONG] += f"-{training}"
    if solvable(ruleset, project):
        names[trc("level", "Perfect")] = PERFECT
    elo = _measured(ruleset, project)
    return [
        Level(name, player, _share(elo[player] - elo[EASY]) if {player, EASY} <= set(elo) and player != EASY else None)
        for name, player in names.items()
    ]


def display_name(player: str, levels: Sequence[Level] = LEVELS) -> str:
    """Return a player by its level, or else by what it reads, its identifier behind that."""
    title = next((level.name for level in levels if level.player == player), "")
    told = title or strip_period(reading(player, whole=False))
    return tr("{told} ({player})", told=told, player=player) if told else player


def pair_name(first: str, second: str) -> str:
    """Who plays whom; one name where a player plays itself."""
    return join(" – ", map(display_name, dict.fromkeys((first, second))))


def sentence(level: Level) -> str:
    """How strong a level is: as it was measured, or else what it reads."""
    if level.points is None:
        return reading(level.player)
    measured = tr("Scores {percent}% of the points against the easy level, as measured under these rules.")
    return sentences([reading(level.player), measured.format(percent=f"{100 * level.points:.0f}")])


def reading(player: str, game: str = "", whole: bool = True) -> str:
    """What a player reads before it moves, that it has learned, and how it opens a ``game``.

    "" of one that is not offered by a number.
    """
    if player == PERFECT:
        return tr("Knows what every position is worth, and never makes a mistake.")
    try:
        spec = agents.agent_from_text(player)
    except WorkbenchError:
        return ""
    if not whole or not spec.reading:
        return spec.reading
    learned = [tr("Has learned these rules by playing them.")] if spec.training else []
    styles = games.declaration(game).styles if game else ()
    return sentences([spec.reading, *learned, *(style.sentence for style in styles if style.name == spec.style)])


def _share(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def _measured(ruleset: Ruleset, project: Project) -> Mapping[str, float]:
    """Return the Elo of players by the largest ladder that was played under the rules."""
    from workbench.records.kept_ladders import saved_ladders

    ladder = next(saved_ladders(project.reports, ruleset.fingerprint), None)
    entries = ((str(entry["player"]), entry["elo"]["value"]) for entry in (ladder or {"players": ()})["players"])
    return {player: elo for player, elo in entries if isinstance(elo, int | float) and math.isfinite(elo)}


DEPTHS = (1, 2, 3, 4)
BUDGETS = (1_000, 10_000, 100_000)


def offered_agents(size: str = "", values: Iterable[int] = (0,), evaluates: bool = False) -> list[str]:
    """Return the agents that are offered by some depths or nodes, or without either, as tables call them.

    Where they must have an evaluation, only those of kinds that have one.
    """
    kinds = [kind for kind in KINDS.values() if size in kind.offered and kind.evaluates >= evaluates]
    return [kind.label(size, value) for kind in kinds for value in values]


SIZES: Mapping[str, tuple[int, ...]] = {"": (0,), "depth": DEPTHS[:3], "nodes": BUDGETS[:2]}


LEARNED_TOO = tr("The same, by what it has learned of each ruleset; training takes a while.")


OFFERED_PLAYERS: Mapping[str, str] = {
    kind.label(size, value): sentence.format(n=f"{value:,}")
    for kind in KINDS.values()
    for size, sentence in kind.offered.items()
    for value in SIZES[size]
} | {"alphabeta-10k-learned": LEARNED_TOO}
"""The players that may be ticked, with their texts."""


def players_view(labels: Iterable[str], visitor: Visitor) -> list[dict[str, Any]]:
    """Players that may be ticked: those of a level with its name, and what each does."""
    titles = {level.player: level.name for level in LEVELS}
    sentences = {
        label: tr("{level}: {told}", level=titles[label], told=does) if label in titles else does
        for label, does in OFFERED_PLAYERS.items()
    }
    return [{"label": label, "sentence": visitor.translate(sentences[label])} for label in labels]


MAX_RUNNING = 2
"""Players whose programs run at the same time: those of one game."""
_players: OrderedDict[tuple[str, str, int, int], SeatPlayer] = OrderedDict()
_seated: OrderedDict[tuple[Any, ...], tuple[SeatPlayer, contextlib.ExitStack]] = OrderedDict()


def is_outside(player: str) -> bool:
    """Return whether a player of a table comes from outside."""
    return player.partition(":")[0] in OUTSIDE


@snapshot()
def external_players(ruleset: Ruleset, project: Project) -> dict[str, Outsider]:
    """Who may play by a ruleset, by the name at the table: the kind and the label, ``uci:fairy-stockfish-400``.

    All players from outside of experiments with rulesets of the same family; of equal labels the first one. A UCI
    engine that cannot be told the ruleset is left out.
    """
    from workbench.base.errors import PlayerFailed
    from workbench.experiments import experiment
    from workbench.players.external import Outsider

    found: dict[str, Outsider] = {}
    for path in sorted(project.experiments.glob("*.yaml")):
        try:
            # Most files name none, and a whole experiment takes longer to check.
            if not project.contains(path):
                continue
            text = output.require_regular_file(path).read_text(encoding="utf-8")
            if not any(kind in text for kind in OUTSIDE):
                continue
            loaded = experiment.load_experiment(path, project)
        except (InputError, OSError, ValueError):
            continue
        for agent in (agent for pairing in loaded.pairings for agent in pairing):
            if agent.outside is not None and ruleset.game in loaded.families():
                with contextlib.suppress(PlayerFailed):
                    outsider = Outsider.of(agent, ruleset)
                    assert outsider is not None
                    found.setdefault(f"{agent.kind}:{agent.label}", outsider)
    return found


def external_reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], player: str, seat: int, seed: int, project: Project
) -> int:
    """Return the move of a player from outside, whose program runs until others sit down.

    Raises:
        WorkbenchError: no file names it any more, or it fails.
    """
    from workbench.players.external import open_player, probe_outsiders

    key = (ruleset.fingerprint, start, player, seat, seed)
    if key not in _seated:
        outsider = external_players(ruleset, project).get(player)
        if outsider is None:
            raise WorkbenchError(tr("no experiment of the project names {player} any more", player=player))
        for note in probe_outsiders([outsider], ruleset):
            warnings.warn(note, stacklevel=2)
        stack = contextlib.ExitStack()
        chair = stack.enter_context(open_player(outsider))
        _seated[key] = chair, stack
        end_programs(MAX_RUNNING)
        chair.new_game(seat, seed)
    _seated.move_to_end(key)
    try:
        return int(_seated[key][0].choose(state_after(ruleset, start, played)))
    except WorkbenchError:
        _seated.pop(key)[1].close()
        raise


def end_programs(kept: int = 0) -> None:
    """End the programs of all players, but for the latest ones."""
    while len(_seated) > kept:
        _, stack = _seated.popitem(last=False)[1]
        stack.close()


def list_opponents(
    ruleset: Ruleset, project: Project, programs: bool
) -> tuple[list[Level], list[tuple[str, list[str]]]]:
    """Return the levels of a ruleset, and players that there are for some rulesets only, in groups with titles.

    Who plays by what was learned of the rules (of several trainings the first, and the first net), or by a style of the
    opening that the family declares; where ``programs`` may be started, those that experiments name.
    """
    from workbench import games
    from workbench.players.judgement import trainings

    # Of each evaluation the first one.
    first: dict[str, str] = {}
    for training in trainings(ruleset, project):
        first.setdefault(training.partition("-")[0], training)
    searches = [*offered_agents("nodes", BUDGETS, evaluates=True), *offered_agents(evaluates=True)]
    quick = [*offered_agents(evaluates=True), *offered_agents("depth", [2], evaluates=True)]
    quick += offered_agents("nodes", [10_000], evaluates=True)
    groups = [
        (tr("Has learned these rules"), [f"{player}-{training}" for training in first.values() for player in searches]),
        *(
            (tr("Opening: {style}", style=strip_period(style.sentence)), [f"{player}-{style.name}" for player in quick])
            for style in games.declaration(ruleset.game).styles
        ),
        (tr("From outside, named by experiments"), list(external_players(ruleset, project)) if programs else []),
    ]
    return find_levels(ruleset, project), [(group, players) for group, players in groups if players]


def canonical_player(ruleset: Ruleset, written: str, project: Project) -> str:
    """Return the player that somebody typed, one of the workbench's own: as tables call it, if that says all of it.

    Raises:
        WorkbenchError: there is no such player, or it cannot play by these rules.
    """
    from workbench.base.errors import WorkbenchError
    from workbench.players import agents

    if is_outside(written.strip()):
        raise WorkbenchError(
            tr(
                "a page starts no program: an experiment file names the player, and workbench studio "
                "--allow-programs allows it"
            )
        )
    spec = _spec_and_player(ruleset, written, project)[0]
    return spec.label if agents.agent_from_text(spec.label) == spec else written.strip()


def _spec_and_player(ruleset: Ruleset, written: str, project: Project) -> tuple[AgentSpec, Player]:
    from workbench import games
    from workbench.players import agents, library, solutions
    from workbench.players.judgement import solvable

    spec = agents.agent_from_text(written, [games.declaration(ruleset.game)], "player")
    if spec.declared.solved and solvable(ruleset, project):
        solutions.load_or_solve(ruleset, project, save=True)
    return spec, library.engine_player(spec, ruleset, project)


def agent_reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], agent: str, seat: int, seed: int, project: Project
) -> int:
    """Return the move of a player of the workbench."""
    from workbench.players.external import WorkbenchPlayer

    key = (f"{ruleset.fingerprint} {start}", agent, seat, seed)
    if key not in _players:
        player = WorkbenchPlayer(_spec_and_player(ruleset, agent, project)[1], MOST_PLIES)
        player.new_game(seat, seed)
        remember(_players, key, player)
    return int(_players[key].choose(state_after(ruleset, start, played)))


def player_must_compile(game: str, agent: str) -> bool:
    """Return whether a player's machine code for a game is still to be made."""
    from workbench.games import processes
    from workbench.players import agents

    return processes.must_compile(["trials._advise", agents.agent_from_text(agent).function], [game])
