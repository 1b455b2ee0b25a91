"""Players from outside at a table of the studio: those that experiment files of the project name, and nobody else.

A page starts no program that somebody types into it. Whoever opens the studio allows what the files name
(``--allow-programs``), as for ``workbench run``. Functions here run in a process beside the server.
"""

from __future__ import annotations

import contextlib
import warnings
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from workbench.errors import InputError, WorkbenchError
from workbench.files.yamlfile import snapshot
from workbench.language import tr
from workbench.questions.agent_kinds import OUTSIDE
from workbench.store import record_files
from workbench.studio.workers import state_after

if TYPE_CHECKING:
    from workbench.files.project import Project
    from workbench.outside.players import Outsider, SeatPlayer
    from workbench.questions.rulesets import Ruleset

MAX_RUNNING = 2
"""Players whose programs run at the same time: those of one game."""
_seated: OrderedDict[tuple[Any, ...], tuple[SeatPlayer, contextlib.ExitStack]] = OrderedDict()


def is_outside(player: str) -> bool:
    """Whether a player of a table comes from outside."""
    return player.partition(":")[0] in OUTSIDE


@snapshot()
def outsiders_by_name(ruleset: Ruleset, project: Project) -> dict[str, Outsider]:
    """Who may play by a ruleset, by the name at the table: the kind and the label, ``uci:fairy-stockfish-400``.

    All players from outside of experiments with rulesets of the same family; of equal labels the first one. A UCI
    engine that cannot be told the ruleset is left out.
    """
    from workbench.outside import PlayerFailed
    from workbench.outside.players import Outsider
    from workbench.questions import experiment

    found: dict[str, Outsider] = {}
    for path in sorted(project.experiments.glob("*.yaml")):
        try:
            # Most files name none, and a whole experiment takes longer to check.
            if not project.contains(path):
                continue
            text = record_files.require_regular_file(path).read_text(encoding="utf-8")
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


def outsider_reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], player: str, seat: int, seed: int, project: Project
) -> int:
    """The move of a player from outside, whose program runs until others sit down.

    Raises:
        WorkbenchError: no file names it any more, or it fails.
    """
    from workbench.outside.players import open_player, probe_outsiders

    key = (ruleset.fingerprint, start, player, seat, seed)
    if key not in _seated:
        outsider = outsiders_by_name(ruleset, project).get(player)
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
    """Ends the programs of all players, but for the latest ones."""
    while len(_seated) > kept:
        _, stack = _seated.popitem(last=False)[1]
        stack.close()
