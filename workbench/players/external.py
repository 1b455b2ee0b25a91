"""Players of games played in Python: programs, classes, and the workbench's own agents.

The add-on ``engines`` starts, queries and probes programs.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from workbench.base.addons import addons
from workbench.base.console import stoppable
from workbench.base.errors import NONE, PlayerFailed, abbreviated, error_text, expected, system_reason
from workbench.base.language import join, tr
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments, Codes, Player
from workbench.engine.trials import Adviser
from workbench.games.uci_variants import UciVariant, uci_variant, with_names
from workbench.players import library
from workbench.players.agent_kinds import External, Program, PythonClass
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset


@dataclass(frozen=True)
class ExternalPlayer:
    """An external player with its ruleset, as plain data that can be pickled."""

    label: str
    outside: External
    ruleset: str
    """The name of the ruleset, for messages."""
    variant: UciVariant | None = None
    """The variant for a UCI engine."""

    @classmethod
    def of(cls, agent: AgentSpec, ruleset: Ruleset) -> ExternalPlayer | None:
        """Return the external player of an agent; None for the workbench's own agents."""
        if agent.outside is None:
            return None
        variant = uci_variant(ruleset.game, ruleset.settings) if isinstance(agent.outside, Program) else None
        if isinstance(variant, str):
            message = tr("{agent} cannot play {ruleset}: {reason}.")
            raise PlayerFailed(message.format(agent=agent.label, ruleset=ruleset.name, reason=variant))
        return cls(agent.label, agent.outside, ruleset.name, variant and with_names(ruleset.game, variant))

    def describe(self) -> str:
        """Return a phrase that names the program or class to start, with its player."""
        kind = tr("the program")
        if isinstance(self.outside, PythonClass):
            kind = tr("the class {outside} in", outside=self.outside.name)
        return tr("{kind} {path} (player {player})", kind=kind, path=self.program_file(), player=self.label)

    def program_file(self) -> str:
        """Return the path of the program, or of the file with the class."""
        return programs().find_program(self.outside) if isinstance(self.outside, Program) else str(self.outside.file)


_PROBED: set[tuple[ExternalPlayer, str, int, str]] = set()
"""Programs already probed in this process: player, file, modification time, and fingerprint of the rules."""


class SeatPlayer(Protocol):
    """A player at one seat."""

    def new_game(self, seat: int, seed: int) -> None:
        """Begin a game."""

    def choose(self, game_state: GameState) -> int:
        """Return a legal move in an unfinished game."""


class Programs(Protocol):
    """Functions for running programs, provided by the add-on ``engines``; all raise `PlayerFailed`."""

    def find_program(self, program: Program) -> str:
        """Return the path of a program."""

    def open_program(self, outsider: ExternalPlayer) -> contextlib.AbstractContextManager[SeatPlayer]:
        """Start a program, which ends with the context."""

    def probe_program(self, outsider: ExternalPlayer, ruleset: Ruleset) -> tuple[str, str]:
        """Start a program briefly and compare its rules with ours; return its name, and a note for the user or ""."""


def programs() -> Programs:
    """Return the functions for running programs."""
    provider: Programs = addons().programs()
    return provider


@dataclass
class WorkbenchPlayer:
    """An agent of the workbench, with a memory for one game."""

    player: Player
    max_plies: int
    seed: int = 0
    adviser: Adviser | None = None
    """Created at the first move of a game."""

    def new_game(self, seat: int, seed: int) -> None:
        """Set the seed and forget the previous game."""
        self.seed, self.adviser = seed, None

    def choose(self, game_state: GameState) -> int:
        """Return the move recommended by the engine."""
        if self.adviser is None:
            game, codes, start = game_state.game, game_state.codes, game_state.before(0)
            self.adviser = Adviser(game, codes, self.player, self.seed, self.max_plies, start)
        return self.adviser.choose(game_state.played, game_state.swap)


class _PythonPlayer:
    def __init__(self, outsider: ExternalPlayer, player: Any) -> None:
        self.outsider, self.player = outsider, player

    def new_game(self, seat: int, seed: int) -> None:
        if hasattr(self.player, "new_game"):
            # Each seat has its own seed.
            digest = hashlib.sha256(f"{seed} {seat}".encode()).digest()
            with _errors_in_words(self.outsider, "new_game"):
                self.player.new_game(seat, int.from_bytes(digest[:8], "big"))

    def choose(self, game_state: GameState) -> int:
        with _errors_in_words(self.outsider, "choose", game_state):
            answer = self.player.choose(game_state.copy())
        if isinstance(answer, str):
            reason = game_state.why_not(answer)
            if not reason:
                return game_state.parse(answer)
        elif not isinstance(answer, bool) and hasattr(answer, "__index__") and int(answer) in game_state.legal():
            return int(answer)
        raise illegal_move(self.outsider.label, answer, game_state, self.outsider.ruleset)


def open_player(outsider: ExternalPlayer) -> contextlib.AbstractContextManager[SeatPlayer]:
    """Return a context manager for the player of a seat; a program runs until the context ends."""
    if isinstance(outsider.outside, Program):
        return programs().open_program(outsider)
    return contextlib.nullcontext(_PythonPlayer(outsider, create_python_player(outsider, outsider.outside)))


def probe_player(outsider: ExternalPlayer, ruleset: Ruleset) -> tuple[str, str]:
    """Start a player and check its rules; return its name and a note, or raise `PlayerFailed` if it is unfit."""
    if isinstance(outsider.outside, Program):
        return programs().probe_program(outsider, ruleset)
    create_python_player(outsider, outsider.outside)
    return f"{outsider.outside.module}:{outsider.outside.name}", ""


def probe_players(outsiders: Iterable[ExternalPlayer | None], ruleset: Ruleset) -> list[str]:
    """Probe each program once per process and ruleset (see `probe_player`); return notes for the user."""
    notes = []
    for outsider in outsiders:
        if outsider is None or outsider.variant is None:
            continue
        file = outsider.program_file()
        key = (outsider, file, os.stat(file).st_mtime_ns, ruleset.fingerprint)
        if key not in _PROBED:
            notes.append(probe_player(outsider, ruleset)[1])
            _PROBED.add(key)
    return [note for note in notes if note]


def create_python_player(outsider: ExternalPlayer, python: PythonClass) -> Any:
    """Return a new instance of the user's class; raise `PlayerFailed` if it fails or its file has changed."""
    file = python.file
    if python.live is not None:
        with _errors_in_words(outsider, tr("the class")):
            return python.live()
    try:
        digest = hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError as error:
        raise PlayerFailed(join(": ", (outsider.label, str(file), system_reason(error)))) from None
    if digest != python.digest:
        message = tr("{outsider}: {file} changed during the run. Start again.")
        raise PlayerFailed(message.format(outsider=outsider.label, file=file))
    # A top-level name for each digest keeps Python from searching the folders of the command and of the file.
    name = f"workbench_player_{digest}"
    module = sys.modules.get(name)
    if module is None:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            with _errors_in_words(outsider, tr("its module")):
                spec.loader.exec_module(module)
        except PlayerFailed:
            del sys.modules[name]
            raise
    player_class = getattr(module, python.name, None)
    if not isinstance(player_class, type) or not callable(getattr(player_class, "choose", None)):
        requirement = tr("a class {name} with a method choose(position) in {file}", name=python.name, file=file)
        actual = NONE if player_class is None else tr("something else")
        raise PlayerFailed(tr("{outsider}: {problem}.", outsider=outsider.label, problem=expected(requirement, actual)))
    with _errors_in_words(outsider, tr("the class")):
        return player_class(**dict(python.options))


@contextlib.contextmanager
def _errors_in_words(outsider: ExternalPlayer, method: str, game_state: GameState | None = None) -> Iterator[None]:
    """Turn exceptions raised by the user's code into `PlayerFailed`, with the line in the user's file."""
    try:
        yield
    except (Exception, SystemExit) as error:
        assert isinstance(outsider.outside, PythonClass)
        file = outsider.outside.file
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == file]
        if isinstance(error, SyntaxError) and error.filename == str(file):
            lines.append(error.lineno)
        place = f"{file}:{lines[-1]}" if lines else str(file)
        position_text = join("", (" ", _position_in_words(game_state, outsider.ruleset))) if game_state else ""
        name, text = type(error).__name__, abbreviated(error_text(error))
        message = tr("{player}: {method} raised {error} ({place}){where}.")
        if text:
            message = tr("{player}: {method} raised {error}: {message} ({place}){where}.")
        fields = {"player": outsider.label, "method": method, "error": name, "place": place, "where": position_text}
        raise PlayerFailed(message.format(**fields, message=text)) from None


def illegal_move(label: str, answer: object, game_state: GameState, ruleset: str) -> PlayerFailed:
    """Return the error for a player that answered with an illegal move."""
    position_text = _position_in_words(game_state, ruleset)
    message = tr("{who} replied '{answer}', which is illegal {where}.")
    return PlayerFailed(message.format(who=label, answer=abbreviated(str(answer)), where=position_text))


def _position_in_words(game_state: GameState, ruleset: str) -> str:
    moves = tr("after {moves}", moves=" ".join(game_state.texts)) if game_state.texts else tr("at the start")
    return tr("in {ruleset} {moves}", ruleset=ruleset, moves=moves)


RunBlock = Callable[[BlockArguments], Mapping[str, Any]]
"""The engine's ``run_block``."""


def block_runner(first: AgentSpec, second: AgentSpec, ruleset: Ruleset, play: RunBlock = trials.run_block) -> RunBlock:
    """Return the function that plays blocks of a cell: ``play``, or `run_external_block` for external players."""
    outsiders = (ExternalPlayer.of(first, ruleset), ExternalPlayer.of(second, ruleset))
    return play if outsiders == (None, None) else functools.partial(run_external_block, outsiders, play)


def play_against_itself(
    ruleset: Ruleset, player: AgentSpec, seeds: Any, max_plies: int, keep: int = 0, lines: Any = None
) -> Mapping[str, Any]:
    """Play one game of a player against itself for each seed, in this process; return the result of ``run_block``."""
    seated: Any = library.engine_player(player, ruleset)
    with stoppable():
        block = BlockArguments(ruleset.game, ruleset.codes(), seated, seated, seeds, max_plies, keep, None, lines)
        return block_runner(player, player, ruleset)(block)


def run_external_block(
    outsiders: tuple[ExternalPlayer | None, ExternalPlayer | None], replay: RunBlock, block: BlockArguments
) -> Mapping[str, Any]:
    """Play a block with external players, and return the records of the engine's ``run_block``.

    The moves are chosen here; ``replay``, the engine's function, replays them and makes the records. For an external
    player, the block has a player whose weights evaluate positions. Each program's process ends with the block.
    """
    games, max_plies = [], int(block.max_plies)
    with contextlib.ExitStack() as stack:
        seats = [
            WorkbenchPlayer(player, max_plies) if outsider is None else stack.enter_context(open_player(outsider))
            for outsider, player in zip(outsiders, (block.first, block.second), strict=True)
        ]
        for game_number, seed in enumerate(np.asarray(block.seeds, np.uint64).tolist()):
            opening = [] if block.lines is None else [int(move) for move in block.lines[game_number] if move >= 0]
            games.append(play_game(block.game, block.codes, seats, int(seed), max_plies, opening))
    moves = np.full((len(games), max(map(len, games), default=0)), -1, np.int32)
    for row, game in zip(moves, games, strict=True):
        row[: len(game)] = game
    arrays = replay(block._replace(lines=moves))
    if arrays["plies"].tolist() != [len(row) for row in games]:
        raise AssertionError("games ended elsewhere when they were played again")
    return arrays


def play_game(
    game: str, codes: Codes, seats: Sequence[SeatPlayer], seed: int, max_plies: int, opening: Sequence[int]
) -> list[int]:
    """Return the moves of one game, starting with ``opening``, to its end or to ``max_plies``."""
    game_state = GameState(game, codes)
    for seat, player in enumerate(seats):
        player.new_game(seat, seed)
    while (ply := game_state.plies) < max_plies and game_state.outcome()[0] == contract.ONGOING:
        game_state.push(opening[ply] if ply < len(opening) else seats[game_state.seat].choose(game_state))
    return game_state.played
