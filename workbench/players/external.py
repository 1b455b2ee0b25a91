"""Players of games that are played in Python: programs, classes, and the workbench's own agents."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from workbench import games
from workbench.addons.engines.uci import Engine, find_program
from workbench.base.errors import PlayerFailed, abbreviated, reason_of, text_of
from workbench.base.language import join, tr
from workbench.engine import contract, trials
from workbench.engine.advice import Adviser
from workbench.engine.players import Player
from workbench.engine.trials import Codes, Judge
from workbench.games.results import all_endings
from workbench.games.uci_variants import UciVariant, uci_variant, with_names
from workbench.players.agent_kinds import Outside, Program, PythonClass
from workbench.players.agents import AgentSpec
from workbench.positions import playing
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulebook
from workbench.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Outsider:
    """A player from outside with the ruleset it plays, as plain data that can be sent to other processes."""

    label: str
    outside: Outside
    ruleset: str
    """Its name, for messages."""
    variant: UciVariant | None = None
    """For a UCI engine."""

    @classmethod
    def of(cls, agent: AgentSpec, ruleset: Ruleset) -> Outsider | None:
        """The player that an agent is in a ruleset; None for the workbench's own agents."""
        if agent.outside is None:
            return None
        variant = uci_variant(ruleset.game, ruleset.settings) if isinstance(agent.outside, Program) else None
        if isinstance(variant, str):
            words = tr("{agent} cannot play {ruleset}: {reason}.")
            raise PlayerFailed(words.format(agent=agent.label, ruleset=ruleset.name, reason=variant))
        return cls(agent.label, agent.outside, ruleset.name, variant and with_names(ruleset.game, variant))

    def start_in_words(self) -> str:
        """The program or class that is started for this player, in words."""
        kind = tr("the program")
        if isinstance(self.outside, PythonClass):
            kind = tr("the class {outside} of", outside=self.outside.name)
        return tr("{kind} {path} (player {player})", kind=kind, path=self.program_file(), player=self.label)

    def program_file(self) -> str:
        """The path of the program, or of the file with the class."""
        return find_program(self.outside) if isinstance(self.outside, Program) else str(self.outside.file)


_PROBED: set[tuple[Outsider, str, int, str]] = set()
"""Programs already probed in this process: player, file, its time of change, and fingerprint of the rules."""


class SeatPlayer(Protocol):
    """A player at one seat."""

    def new_game(self, seat: int, seed: int) -> None:
        """Begins a game."""

    def choose(self, game_state: GameState) -> int:
        """A legal move in a game that goes on."""


@dataclass
class WorkbenchPlayer:
    """An agent of the workbench, with a memory that lasts for one game."""

    player: Player
    max_plies: int
    seed: int = 0
    adviser: Adviser | None = None
    """Created at its first move of a game."""

    def new_game(self, seat: int, seed: int) -> None:
        """Takes the seed, and forgets the game before."""
        self.seed, self.adviser = seed, None

    def choose(self, game_state: GameState) -> int:
        """The move that the engine advises."""
        if self.adviser is None:
            game, codes, begin = game_state.game, game_state.codes, game_state.before(0)
            self.adviser = Adviser(game, codes, self.player, self.seed, self.max_plies, begin)
        return self.adviser.choose(game_state.played, game_state.swap)


class _UciPlayer:
    def __init__(self, outsider: Outsider, engine: Engine) -> None:
        self.outsider, self.engine = outsider, engine
        self.texts: list[str] = []
        self.played: list[int] = []

    def new_game(self, seat: int, seed: int) -> None:
        self.texts, self.played = [], []
        self.engine.new_game()

    def choose(self, game_state: GameState) -> int:
        if game_state.setup is not None:
            words = tr("{outsider} can only play games from the start, not from a set-up position.")
            raise PlayerFailed(words.format(outsider=self.outsider.label))
        texts = self._played_texts(game_state)
        state, rules, notation = game_state.state, game_state.rules, game_state.notation
        answer = self.engine.best_move(texts)
        for move in game_state.legal():
            if notation.uci(rules, state, move) == answer:
                return move
        raise _illegal_move(self.engine.title, answer, game_state, self.outsider.ruleset)

    def _played_texts(self, game_state: GameState) -> list[str]:
        """The moves of the game in UCI; only moves since the last call are converted."""
        common = len(self.played)
        if game_state.played[:common] != self.played:
            common = 0
        del self.texts[common:]
        for ply in range(common, game_state.plies):
            self.texts.append(game_state.notation.uci(game_state.rules, game_state.before(ply), game_state.played[ply]))
        self.played = list(game_state.played)
        return self.texts


class _PythonPlayer:
    def __init__(self, outsider: Outsider, player: Any) -> None:
        self.outsider, self.player = outsider, player

    def new_game(self, seat: int, seed: int) -> None:
        if hasattr(self.player, "new_game"):
            # Both seats have seeds of their own.
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
        raise _illegal_move(self.outsider.label, answer, game_state, self.outsider.ruleset)


@contextlib.contextmanager
def open_player(outsider: Outsider) -> Iterator[SeatPlayer]:
    """Starts the player of a seat; its program runs until the context ends."""
    if isinstance(outsider.outside, Program):
        assert outsider.variant is not None
        with contextlib.closing(Engine(outsider.outside, outsider.label, outsider.variant, outsider.ruleset)) as engine:
            yield _UciPlayer(outsider, engine)
    else:
        yield _PythonPlayer(outsider, create_python_player(outsider, outsider.outside))


def probe_outsider(outsider: Outsider, ruleset: Ruleset) -> tuple[str, str]:
    """Starts a player briefly, compares a program's rules with ours; returns its name and a note for the user or "".

    Raises:
        PlayerFailed: it cannot be started, does not know the ruleset, or plays by other rules.
    """
    with open_player(outsider) as player:
        if isinstance(player, _UciPlayer):
            assert outsider.variant is not None
            return player.engine.name, disagreement(player.engine, outsider.variant, ruleset)
    assert isinstance(outsider.outside, PythonClass)
    return f"{outsider.outside.module}:{outsider.outside.name}", ""


def probe_outsiders(outsiders: Iterable[Outsider | None], ruleset: Ruleset) -> list[str]:
    """Probes each program once per process and ruleset (see `probe_outsider`); returns notes for the user."""
    notes = []
    for outsider in outsiders:
        if outsider is None or outsider.variant is None:
            continue
        file = outsider.program_file()
        key = (outsider, file, os.stat(file).st_mtime_ns, ruleset.fingerprint)
        if key not in _PROBED:
            notes.append(probe_outsider(outsider, ruleset)[1])
            _PROBED.add(key)
    return [note for note in notes if note]


def create_python_player(outsider: Outsider, python: PythonClass) -> Any:
    """A new instance of the user's class.

    Raises:
        PlayerFailed: the file has changed since the experiment was read, or it or the class raises.
    """
    file = python.file
    if python.live is not None:
        with _errors_in_words(outsider, tr("the class")):
            return python.live()
    try:
        digest = hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError as error:
        raise PlayerFailed(join(": ", (outsider.label, str(file), reason_of(error)))) from None
    if digest != python.digest:
        words = tr("{outsider}: {file} was changed while the games were played. Begin again.")
        raise PlayerFailed(words.format(outsider=outsider.label, file=file))
    # A name of its own, below no package: neither the folder of the command nor that of the file is searched.
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
        found = tr("none") if player_class is None else tr("something else")
        message = tr("{outsider}: expected a class {python} with a method choose(position) in {file}, found {found}.")
        raise PlayerFailed(message.format(outsider=outsider.label, python=python.name, file=file, found=found))
    with _errors_in_words(outsider, tr("the class")):
        return player_class(**dict(python.options))


@contextlib.contextmanager
def _errors_in_words(outsider: Outsider, what: str, game_state: GameState | None = None) -> Iterator[None]:
    """Turns exceptions of the user's code into `PlayerFailed`, with the line in the user's file."""
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
        where = join("", (" ", _position_in_words(game_state, outsider.ruleset))) if game_state else ""
        text = abbreviated(text_of(error))
        raised = tr("{player}: {method} raised {error} ({place}){where}.")
        if text:
            raised = tr("{player}: {method} raised {error}: {message} ({place}){where}.")
        name = type(error).__name__
        raise PlayerFailed(
            raised.format(player=outsider.label, method=what, error=name, message=text, place=place, where=where)
        ) from None


def _illegal_move(who: str, answer: object, game_state: GameState, ruleset: str) -> PlayerFailed:
    where = _position_in_words(game_state, ruleset)
    words = tr("{who} answered '{answer}', which is not legal {where}.")
    return PlayerFailed(words.format(who=who, answer=abbreviated(str(answer)), where=where))


def _position_in_words(game_state: GameState, ruleset: str) -> str:
    moves = tr("after {moves}", moves=" ".join(game_state.texts)) if game_state.texts else tr("at the start")
    return tr("in {ruleset} {moves}", ruleset=ruleset, moves=moves)


RunBlock = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block``."""


def block_runner(first: AgentSpec, second: AgentSpec, ruleset: Ruleset, play: RunBlock = trials.run_block) -> RunBlock:
    """The function that plays the blocks of a cell: ``play``, or `run_outside_block` if a player is from outside."""
    outsiders = (Outsider.of(first, ruleset), Outsider.of(second, ruleset))
    return play if outsiders == (None, None) else functools.partial(run_outside_block, outsiders, play)


def run_outside_block(
    outsiders: tuple[Outsider | None, Outsider | None],
    replay: RunBlock,
    game: str,
    codes: Codes,
    first: Player,
    second: Player,
    seeds: Any,
    max_plies: int,
    keep: int = 0,
    judge: Judge | None = None,
    lines: Any = None,
) -> Mapping[str, Any]:
    """Plays one game for each seed and returns what the engine's ``run_block`` does.

    The moves are chosen here; ``replay`` (the engine) plays them again as lines, and makes the records. ``first`` and
    ``second`` are the workbench's agents; for a player from outside, the one whose weights evaluate positions. Each
    seat has a process of its own, which ends with the block.

    Raises:
        PlayerFailed: a player cannot be started, dies, hangs, raises or plays what is not legal.
    """
    games = []
    with contextlib.ExitStack() as stack:
        seats = [
            WorkbenchPlayer(player, int(max_plies)) if outsider is None else stack.enter_context(open_player(outsider))
            for outsider, player in zip(outsiders, (first, second), strict=True)
        ]
        for game_number, seed in enumerate(np.asarray(seeds, np.uint64).tolist()):
            opening = [] if lines is None else [int(move) for move in lines[game_number] if move >= 0]
            games.append(play_game(game, codes, seats, int(seed), int(max_plies), opening))
    moves = np.full((len(games), max(map(len, games), default=0)), -1, np.int32)
    for row, played in zip(moves, games, strict=True):
        row[: len(played)] = played
    arrays = replay(game, codes, first, second, seeds, max_plies, keep, judge, moves)
    if arrays["plies"].tolist() != [len(row) for row in games]:
        raise AssertionError("games ended elsewhere when they were played again")
    return arrays


def play_game(
    game: str, codes: Codes, seats: Sequence[SeatPlayer], seed: int, max_plies: int, opening: Sequence[int]
) -> list[int]:
    """The moves of one game, ``opening`` included, to its end or to ``max_plies``."""
    game_state = GameState(game, codes)
    for seat, player in enumerate(seats):
        player.new_game(seat, seed)
    while (ply := game_state.plies) < max_plies and game_state.outcome()[0] == contract.ONGOING:
        game_state.push(opening[ply] if ply < len(opening) else seats[game_state.seat].choose(game_state))
    return game_state.played


# Whether a program plays by a ruleset

GAMES, LONGEST = 400, 300
"""Random games in which goals are looked for, and their plies."""
ASKED, TRIED = 3, 30
"""Positions in which a program has to see a win, for each ending and colour; and so many games are tried for them."""


def disagreement(engine: Engine, variant: UciVariant, ruleset: Ruleset) -> str:
    """Compares an engine's legal moves with ours; returns "", or a note if it plays chess and cannot list its moves.

    Moves are compared at the start and in the family's witnesses, with every position on the way; goals are asked for
    where random games of the ruleset were about to be won.

    Limits: how games are drawn is not asked; the workbench ends them itself.

    Raises:
        PlayerFailed: its moves differ from ours, it does not see a win, or it ends; or it cannot list its moves and the
            game is not chess.
    """
    compared = set()
    for start, game_state in _positions(variant, ruleset):
        position = _words(start, game_state)
        if position in compared or game_state.outcome()[0] != contract.ONGOING:
            continue
        compared.add(position)
        with _named(ruleset):
            listed = engine.legal_moves(position)
        if listed is None:
            note = tr(
                "{engine} does not list its legal moves ('go perft 1'): whether it plays by the rules of {ruleset} "
                "cannot be compared"
            ).format(engine=engine.title, ruleset=ruleset.name)
            if variant.name == "chess":
                return note
            raise PlayerFailed(tr("{note}.", note=note))
        ours = {_uci(game_state, move) for move in game_state.legal()}
        for move in sorted(ours.symmetric_difference(listed)):
            difference = tr("it has no move {move}") if move in ours else tr("it would play {move}")
            raise _otherwise(engine, ruleset, difference.format(move=move), position)
    # Chess is known to every engine, also to those that are weak on purpose.
    for ending, game_state, winning in goals(ruleset) if variant.name != "chess" else ():
        position, moves = _words(variant.start, game_state), [_uci(game_state, move) for move in winning]
        with _named(ruleset):
            sees = engine.sees_win(position, moves)
        if not sees:
            difference = tr("it does not see that {move} wins ({ending})", move=moves[0], ending=ending)
            raise _otherwise(engine, ruleset, difference, position)
    return ""


@contextlib.contextmanager
def _named(ruleset: Ruleset) -> Iterator[None]:
    """A context in which a failure names the ruleset that an engine was asked about."""
    try:
        yield
    except PlayerFailed as failed:
        raise PlayerFailed(f"{ruleset.name}: {failed}") from None


def _otherwise(engine: Engine, ruleset: Ruleset, difference: str, position: str) -> PlayerFailed:
    claim = tr("{engine} plays by other rules than {ruleset}", engine=engine.title, ruleset=ruleset.name)
    words = tr("{claim}: {difference} after 'position {position}'.")
    return PlayerFailed(words.format(claim=claim, difference=difference, position=position))


def _uci(game_state: GameState, move: int, ply: int = -1) -> str:
    text: str = game_state.notation.uci(game_state.rules, game_state.before(ply), move)
    return text


def _words(start: str, game_state: GameState) -> str:
    """A position as the command ``position`` has it."""
    moves = [_uci(game_state, move, ply) for ply, move in enumerate(game_state.played)]
    return " ".join((start, *["moves"] * bool(moves), *moves))


def _positions(variant: UciVariant, ruleset: Ruleset) -> Iterator[tuple[str, GameState]]:
    """The positions to compare, each with the start of its game as an argument of the command ``position``."""
    start = GameState(ruleset.game, ruleset.codes())
    yield variant.start, start
    for witness in rulebook.family_witnesses(ruleset.game):
        start_words, game_state = variant.start, start.copy()
        with contextlib.suppress(IllegalMove):  # what is not so under these rules
            if witness.setup is not None:
                game_state = GameState(ruleset.game, ruleset.codes(), setup=witness.setup)
                start_words = game_state.notation.uci_position(game_state.rules, game_state.state)
            for move in ("", *witness.moves * witness.times) if start_words else ():
                if move:
                    game_state.push_text(move)
                yield start_words, game_state


def goals(ruleset: Ruleset) -> Iterator[tuple[str, GameState, list[int]]]:
    """For each ending by which a colour wins: its name, positions of random games, and the moves that win there.

    They win at once or, where the loser's own ply ends the game, by any answer, and by no other ending.
    """
    game, codes, declaration = ruleset.game, ruleset.codes(), games.declaration(ruleset.game)
    random = AgentSpec.of("random").player(declaration)
    seeds = np.arange(GAMES, dtype=np.uint64)
    played = trials.run_block(game, codes, random, random, seeds, LONGEST, keep=LONGEST)
    asked, tried = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for row in np.argsort(played["plies"], kind="stable"):
        goal = int(played["result"][row]), int(played["termination"][row])
        if goal[0] not in (contract.FIRST, contract.SECOND) or asked[goal] == ASKED or tried[goal] == TRIED:
            continue
        tried[goal] += 1
        game_state = GameState(game, codes)
        for move in played["opening"][row, : played["plies"][row] - 1]:
            game_state.push(move)
        answered = game_state.side != goal[0] - contract.FIRST
        if answered:
            game_state.undo()
        if game_state.side != goal[0] - contract.FIRST:
            continue
        legal = game_state.legal()
        ends = {move: _end(game_state, move, answered) for move in legal}
        winning = [move for move in legal if ends[move] == goal]
        by_others = any(end[0] == goal[0] and end != goal for end in ends.values())
        if winning and 3 * len(winning) <= len(legal) and not by_others:
            asked[goal] += 1
            yield all_endings(declaration)[goal[1]].name, game_state, winning


def _end(game_state: GameState, move: int, answered: bool) -> tuple[int, int]:
    """Result and termination after a move, or after all answers to it; `ONGOING` if answers differ."""
    rules, state = game_state.rules, game_state.state.copy()
    buffer = np.zeros(int(contract.max_moves(rules)), np.int32)
    playing.play(rules, state, move)
    end = contract.terminal(rules, state, buffer)
    ends = {end}
    if end[0] == contract.ONGOING and answered:
        ends = set()
        for answer in buffer[: contract.legal_moves(rules, state, buffer)].tolist():
            after = state.copy()
            playing.play(rules, after, answer)
            ends.add(contract.terminal(rules, after, buffer))
    result, termination = ends.pop() if len(ends) == 1 else (contract.ONGOING, 0)
    return int(result), int(termination)
