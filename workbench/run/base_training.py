"""Learns a base net of several rulesets of a family: their games in processes, round by round, and a fit after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.engine.contract import board_size
from workbench.engine.training import Rows
from workbench.errors import display_path
from workbench.files.project import Project
from workbench.language import tr
from workbench.learning import library, nets, trainer
from workbench.learning.library import NET_TRAINER, Learned
from workbench.learning.nets import Base
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset
from workbench.run.executor import Executor
from workbench.run.training import TrainingStopped, progress_display
from workbench.run.worker import Call

if TYPE_CHECKING:
    from rich.console import Console


def check_base(rulesets: Sequence[Ruleset], project: Project) -> list[Learned]:
    """The learned weights that play for a base net of rulesets.

    Raises:
        InputError: the rulesets are of several games or sizes of board, or nothing was learned of one.
    """
    library.check_boards(rulesets, "--base")
    player = AgentSpec.of("greedy", training=nets.BASE_SEED)
    return [library.require_learned(player, each, project) for each in rulesets]


def train_base(
    rulesets: Sequence[Ruleset],
    project: Project,
    *,
    say: Callable[[str], object],
    executor: Executor | None = None,
    command: str,
    console: Console | None = None,
) -> Base:
    """Learns the base net of rulesets and saves it with those of its family.

    Raises:
        TrainingStopped: the user pressed Ctrl-C; nothing is kept.
        InputError: see `check_base`.
    """
    taught, first = check_base(rulesets, project), rulesets[0]
    executor = executor or Executor()
    gathered: dict[tuple[int, int], Rows] = {}
    net: Any = None

    def call(task: tuple[int, int]) -> Call:
        number, i = task
        return Call(nets.play_for_base, (rulesets[i], taught[i], net, number), rulesets[i].name)

    try:
        with progress_display(nets.BASE_ROUNDS * len(rulesets), console) as tell_done:
            for number in range(nets.BASE_ROUNDS):
                for task, played in executor.as_completed([(number, i) for i in range(len(rulesets))], call, say):
                    gathered[task] = played
                    tell_done(len(gathered))
                rows = [gathered[task] for task in sorted(gathered)]
                net = nets.fit_base(rows, first.rules(), nets.base_budget(trainer.default_budget(first)))
    except KeyboardInterrupt:
        raise TrainingStopped(0, 1, command) from None
    base = Base(
        game=first.game,
        size=int(board_size(first.rules())),
        version=NET_TRAINER,
        rulesets=tuple(each.name for each in rulesets),
        positions=sum(len(rows.early) for rows in gathered.values()),
        net=tuple(float(number) for number in net),
    )
    file = display_path(nets.save_base(project, base))
    told = tr("{positions:,} positions of {count} rulesets: {file}")
    say(told.format(positions=base.positions, count=len(rulesets), file=file))
    return base
