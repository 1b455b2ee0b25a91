"""Processes beside the server's own, so that no page waits for a game.

Those that draw and those that answer quickly run the kernels as plain Python: a position takes some milliseconds, and
nothing has to be compiled before a designer sees the first board. The strong one runs machine code, and compiles it
where there is none yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from workbench.errors import compiler_in_words
from workbench.games import processes

if TYPE_CHECKING:
    from workbench.errors import Problem
    from workbench.games.declaration import Setting
    from workbench.games.game_state import GameState
    from workbench.questions.rulesets import Ruleset


class Worker:
    """A process that does one thing after the other; it begins with the first, or when it is told to."""

    def __init__(self, compiled: bool) -> None:
        """``compiled``: it runs machine code."""
        self._compiled = compiled
        self._pool: ProcessPoolExecutor | None = None

    async def run(self, task: Callable[..., Any], *arguments: object) -> Any:
        """Runs a function of a module in the process; returns its result."""
        for last in (False, True):
            pool = self._pool = self._pool or processes.process(self._compiled)
            try:
                return await asyncio.wrap_future(pool.submit(_run_task, task, *arguments))
            except BrokenProcessPool:
                # It was killed, perhaps for want of memory: one more attempt.
                if self._pool is pool:
                    self._pool = None
                if last:
                    raise
        raise AssertionError

    def begin(self, task: Callable[..., Any]) -> None:
        """Has the process, which starts if need be, run a function of a module for whose result nobody waits."""
        self._pool = self._pool or processes.process(self._compiled)
        # A process that was killed is replaced by the next that is asked something.
        with contextlib.suppress(BrokenProcessPool):
            self._pool.submit(_run_task, task)

    def end(self) -> None:
        """Ends the process, whatever it does."""
        if self._pool is not None:
            processes.end(self._pool)
            self._pool = None


class Workers:
    """The processes of a studio, for the length of a ``with`` block."""

    def __init__(self) -> None:
        self.drawing, self.quick, self.strong = Worker(False), Worker(False), Worker(True)
        self.reading, self.planning, self.outside = Worker(False), Worker(True), Worker(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in (self.drawing, self.quick, self.strong, self.reading, self.planning, self.outside):
            worker.end()


def _run_task(task: Callable[..., Any], *arguments: object) -> Any:
    with compiler_in_words():
        return task(*arguments)


MAX_REMEMBERED = 8
"""Games, players and judges that a process remembers."""
_states: OrderedDict[tuple[str, str], GameState] = OrderedDict()


def remember(memory: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Adds a value, or makes it the latest one; the oldest beyond `MAX_REMEMBERED` goes."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)


def state_after(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> GameState:
    """The game after these moves; what two calls share is not played again."""
    from workbench.games.game_state import GameState, setup_of

    key = (ruleset.fingerprint, start)
    game_state = _states.get(key) or GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    remember(_states, key, game_state)
    while game_state.played and tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    for move in played[len(game_state.played) :]:
        game_state.push(move)
    return game_state


PositionView = dict[str, Any]
"""A drawn position as plain data: its ``picture``, and in both languages what stands below it."""


class Positions:
    """What a process that knows the games has drawn; each position once."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._shown: dict[tuple[str, str, Setting, Setting, bool], PositionView | None] = {}
        self._samples: dict[str, str] = {}

    async def witness(
        self, game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool
    ) -> PositionView | None:
        """The position in which two settings of a toggle differ; None if none is known.

        On boards that cannot be compared it is that of the setting that is chosen.
        """
        key = (game, toggle, was, now, first_chosen)
        if key not in self._shown:
            self._shown[key] = await self._worker.run(_draw_witness, *key)
        return self._shown[key]

    async def sample(self, root: Path, name: str) -> str:
        """A small picture of a ruleset's board with pieces on it, as an SVG document."""
        if name not in self._samples:
            self._samples[name] = await self._worker.run(_draw_sample, root, name)
        return self._samples[name]

    async def first_moves(self, root: Path, name: str, text: str) -> list[Problem]:
        """What is wrong with the first moves of which the text of a ruleset says that something is known."""
        problems: list[Problem] = await self._worker.run(_check_first_moves, root, name, text)
        return problems


def load_games() -> None:
    """Loads what pictures are drawn with, before the first is asked for."""
    from workbench import games

    for module in ("questions.rulesets", "questions.rulebook", "report.render.boards"):
        importlib.import_module(f"workbench.{module}")
    for name in games.names():
        games.declaration(name)


def _draw_witness(game: str, toggle: str, was: Setting, now: Setting, first_chosen: bool) -> PositionView | None:
    from markupsafe import Markup

    from workbench import games
    from workbench.report.render.boards import Pieces, board_svg
    from workbench.report.witness_positions import witness_position

    declared = games.declaration(game).toggle(toggle)
    shown = witness_position(game, declared, was, now)
    if first_chosen and shown and not (shown.opened or shown.shut or shown.outcome):
        shown = witness_position(game, declared, now, was)
    if shown is None:
        return None
    pieces = Pieces(f"{toggle}-{_yaml_of(was)}-{_yaml_of(now)}")
    drawn = Markup("{1}{0}").format(board_svg(shown.board, pieces, shown.highlights), pieces.definitions())
    # On an empty board without marks both settings look the same: only the words below it tell them apart.
    blank = not (any(map(any, shown.board.cells)) or any(shown.highlights.values()))
    return {
        "picture": "" if blank and (shown.opened or shown.shut) else str(drawn),
        "sentence": shown.sentence,
        "about": shown.about,
        "notes": shown.board.notes,
        "plays": shown.plays,
        "opened": shown.opened,
        "shut": shown.shut,
        "outcome": shown.outcome,
    }


def _draw_sample(root: Path, name: str) -> str:
    """The start, or what looks more like a game where the board is nearly empty: the fullest of the witnesses."""
    from workbench.errors import WorkbenchError
    from workbench.files.project import Project
    from workbench.games.game_state import GameState, IllegalMove
    from workbench.questions import rulebook, rulesets
    from workbench.report.render.boards import standalone_board_svg

    ruleset = rulesets.load_ruleset(name, Project(root))
    boards = [GameState(ruleset.game, ruleset.codes()).board()]
    size = len(boards[0].cells)
    if sum(map(bool, itertools.chain(*boards[0].cells))) < size:
        for witness in rulebook.family_witnesses(ruleset.game):
            try:
                boards.append(witness.game_state(ruleset.game, witness.value).board())
            except (WorkbenchError, IllegalMove):
                continue
    fitting = [board for board in boards if len(board.cells) == size]
    fullest = max(fitting, key=lambda board: sum(map(bool, itertools.chain(*board.cells))))
    bare = replace(fullest, columns=("",) * len(fullest.columns), rows=("",) * len(fullest.rows))
    return standalone_board_svg(bare)


def _yaml_of(setting: Setting) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in str(setting))


def _check_first_moves(root: Path, name: str, text: str) -> list[Problem]:
    from workbench.files.project import Project
    from workbench.questions import rulesets
    from workbench.questions.ruleset_files import Library

    return rulesets.first_move_problems(rulesets.load_ruleset(name, library=Library(Project(root), {name: text})))
