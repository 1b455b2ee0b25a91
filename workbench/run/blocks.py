"""Blocks of games as calls for workers, and the machine code that these need."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.engine.players import SEARCHES, Player
from workbench.language import tr
from workbench.learning import library
from workbench.questions.experiment import Block, Experiment
from workbench.questions.rulesets import Ruleset
from workbench.run.executor import Executor
from workbench.run.lines import ExperimentLines
from workbench.run.storage import traced_games
from workbench.run.worker import Call, OpeningTexts, PlayBlock, Preparation, Tracing, call_timed, play_block
from workbench.store import records, traces

JOINED, MAX_GAMES = 30, 20_000
"""Of how many blocks one for a cluster is made at most, and its games: small ones would drown the driver in files."""
BLOCKS_PER_WORKER = 4
"""The blocks that each worker of a cluster has at least, so that all end together."""


def block_arguments(experiment: Experiment, block: Block, lines: ExperimentLines) -> tuple[Any, ...]:
    """Return what the engine's ``run_block`` takes for a block; ``lines`` are those of the experiment's rulesets."""
    ruleset = block.cell.ruleset
    numbers = (
        ruleset.game,
        ruleset.codes(),
        library.engine_player(block.cell.first, ruleset),
        library.engine_player(block.cell.second, ruleset),
        experiment.seeds(block.cell, block.start, block.stop),
        experiment.max_plies,
        records.OPENING_PLIES,
    )
    judge = (
        (library.engine_player(experiment.judge.judge(), ruleset), experiment.adjudicate) if experiment.judge else None
    )
    if lines:
        moves = lines[ruleset.name].moves[
            experiment.line_numbers(block.cell.first, block.cell.second, block.start, block.stop)
        ]
        return (*numbers, judge, moves)
    return (*numbers, judge) if judge else numbers


@dataclass(frozen=True)
class BlockCalls:
    """What workers need to play blocks of an experiment."""

    experiment: Experiment
    lines: ExperimentLines
    play: PlayBlock
    opening_texts: OpeningTexts
    trace: Callable[..., list[Any]] | None = None
    """Makes traces of the first games of each cell, if there are to be any; see `workbench.games.playing`."""
    preparations: tuple[Preparation, ...] = ()

    def call(self, block: Block) -> Call:
        """Return the call that gives the seconds of a block, and its arrays; see `worker.play_block`."""
        play, cell = self.play, block.cell
        if cell.first.outside or cell.second.outside:
            from workbench.outside.players import block_runner

            play = block_runner(cell.first, cell.second, cell.ruleset, play)
        tracing = None
        if self.trace and (count := traced_games(block)):
            tracing = Tracing(self.trace, count, min(self.experiment.max_plies, traces.MAX_TRACED_PLIES))
        arguments = block_arguments(self.experiment, block, self.lines)
        game = cell.ruleset.game
        return Call(
            call_timed, (play_block, play, self.opening_texts, arguments, tracing, self.experiment.keep_moves),
            tr("{cell}, games {start} to {stop}", cell=cell.title, start=block.start, stop=block.stop - 1),
            (game,), tuple(code for code in self.preparations if code.family == game), solution_files(arguments),
        )  # fmt: skip


def solution_files(arguments: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the files that players among arguments play by."""

    def found(value: Any) -> Iterator[str]:
        if isinstance(value, Player):
            yield from [value.solution] if value.solution else []
        elif isinstance(value, tuple):
            for item in value:
                yield from found(item)

    return tuple(sorted({*found(arguments)}))


def for_executor(blocks: Sequence[Block], executor: Executor) -> list[Block]:
    """Return the blocks as an executor plays them: on a cluster those of a cell that follow one another are joined.

    How games are cut changes no record.
    """
    most = min(JOINED, len(blocks) // (BLOCKS_PER_WORKER * max(1, executor.size()))) if executor.remote else 1
    joined: dict[str, list[Block]] = {}
    for block in blocks:
        of_cell = joined.setdefault(block.cell.digest, [])
        last = of_cell[-1] if of_cell else block
        if last.stop == block.start and block.stop - last.start <= min(most * block.count, MAX_GAMES):
            of_cell[-1] = Block(block.cell, last.start, block.stop)
        else:
            of_cell.append(block)
    return sorted((block for of_cell in joined.values() for block in of_cell), key=lambda b: (b.start, b.cell.index))


# Machine code


def game_preparation(ruleset: Ruleset, kinds: Collection[int]) -> Preparation:
    """Return the machine code for games between such kinds of players under a ruleset, or another of its family."""
    from workbench.engine import trials

    functions = (
        "kernel.legal_moves",
        "trials._play_block",
        *sorted({SEARCHES[kind].function for kind in kinds} - {""}),
    )
    return Preparation(functions, ruleset.game, trials.warm_up, (ruleset.game, ruleset.codes(), kinds))


def compile_games(ruleset: Ruleset, kinds: Collection[int], workers: int) -> None:
    """Compiles what games need, in so many processes, and loads it into this one."""
    code = game_preparation(ruleset, kinds)
    compile_in_parallel(code, workers)
    code.make(*code.arguments)


def compile_in_parallel(
    needed: Preparation, workers: int, done: Callable[[int, int], object] = lambda part, parts: None
) -> None:
    """Compiles what is ``needed`` for games (`game_preparation`) and missing, in processes that end afterwards.

    With one worker nothing is gained by others. ``done`` is told how many of the parts are compiled, and how many there
    are. What does not compile is left to the process that plays, which says why.
    """
    from workbench.engine import trials

    executor = Executor(min(workers, os.cpu_count() or 1))
    if executor.size() == 1 or not trials.KEEPS_MACHINE_CODE or not needed.is_missing():
        return
    game, codes, kinds = needed.arguments
    parts = trials.parts(game, codes, kinds)
    calls = executor.as_completed(parts, lambda part: Call(trials.compile_part, (game, codes, part), str(part)))
    # Not in the processes that play: `trials.compile_part` makes them unfit for that.
    executor.restart()
    try:
        with contextlib.suppress(Exception):
            for number, _ in enumerate(calls, start=1):
                done(number, len(parts))
    finally:
        executor.restart()
