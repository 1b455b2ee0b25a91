"""UCI engines as players: a client of the Universal Chess Interface and a comparison of our rules with an engine's.

The client does not use ``chess.engine``, which represents positions by a chess board of 64 squares, rejects moves of
other games, and is licensed under the GPL.

Source: S. Meyer-Kahlen and R. Huber, "Description of the universal chess interface (UCI)", 2006.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench import games
from workbench.base.errors import PlayerFailed, Problem, abbreviated, expected, guess, system_reason
from workbench.base.language import SEMICOLON, join, quoted, tr
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments
from workbench.games.results import all_endings
from workbench.games.uci_variants import UciVariant
from workbench.players.agent_kinds import Program
from workbench.players.agents import AgentSpec
from workbench.players.external import ExternalPlayer, SeatPlayer, illegal_move
from workbench.positions.game_state import GameState, IllegalMove, apply_ply
from workbench.rules import rulebook
from workbench.rules.rulesets import Ruleset

LISTING_SECONDS = 5.0
"""Timeout in seconds for a program that lists the moves of a position."""
GOAL_DEPTH = 4
"""Depth of a search for a win in one or two plies; twice as deep if it is not restricted to certain moves."""
QUIT_SECONDS = 2.0
"""Seconds between ``quit`` and killing the program."""
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Debian's folders for games, which may be missing from PATH."""
PACKAGES = {
    "fairy-stockfish": "apt-get install fairy-stockfish (Debian, Ubuntu), or https://fairy-stockfish.github.io",
    "stockfish": "apt-get install stockfish (Debian, Ubuntu), or https://stockfishchess.org",
}
_OPTION = re.compile(
    r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>check|spin|combo|button|string)(?:\s+default(?P<default>.*?))?"
    r"(?:\s+min\s+(?P<min>-?\d+))?(?:\s+max\s+(?P<max>-?\d+))?(?P<values>(?:\s+var\s+.+?)*)\s*"
)
_PERFT_MOVE, _PERFT_TOTAL = re.compile(r"(\S+): 1"), re.compile(r"Nodes searched: (\d+)")
"""Output of ``go perft 1``: a line for each move, and the total."""
_SEARCH_OUTPUT = re.compile(r"bestmove\b|info (?!string\b)")
"""Output of a program that treats ``go perft`` as an ordinary search."""
_WIN = re.compile(r"\bscore mate [12]\b")
"""Output of a search that has found a win in one or two moves."""
_PROTOCOL_WORDS = ("id", "option", "uciok", "readyok", "bestmove")
"""First words of regular output, which is never an error message."""
_RESERVED_OPTIONS = ("Protocol", "UCI_Chess960", "UCI_Variant", "VariantPath")
"""Options that the workbench sets itself."""


def find_program(program: Program) -> str:
    """Return the path of a program.

    Raises:
        PlayerFailed: the program is missing, not executable or outside the project folder.
    """
    command = program.command
    if "/" in command:
        path = Path(os.path.realpath(Path(program.root, command)))
        if not path.is_relative_to(os.path.realpath(program.root)):
            message = tr("{command} is outside the project folder, at {path}, so it is not started.")
            raise PlayerFailed(message.format(command=command, path=path))
        if not path.is_file():
            message = tr("There is no program {command} in the project folder {root}.")
            raise PlayerFailed(message.format(command=command, root=program.root))
        if not os.access(path, os.X_OK):
            raise PlayerFailed(tr("{command} is not executable: chmod +x {path}", command=command, path=path))
        return str(path)
    # A relative folder on PATH would depend on the current folder.
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    executable = shutil.which(command, path=os.pathsep.join([*folders, *GAMES_FOLDERS]))
    if executable is None:
        advice = tr(" To install it: {packages}.", packages=PACKAGES[command]) if command in PACKAGES else ""
        raise PlayerFailed(tr("The program '{command}' is not on PATH.{advice}", command=command, advice=advice))
    return executable


@dataclass(frozen=True)
class _Option:
    """An option that a program declares."""

    name: str
    kind: str
    low: int | None
    high: int | None
    values: tuple[str, ...]

    def refusal_reason(self, value: object) -> str:
        """Return the reason why a value is invalid, or "" if it is valid."""
        text = _option_text(value)
        if self.kind == "spin":
            if not re.fullmatch(r"-?\d+", text):
                return expected(tr("a whole number"), quoted(text))
            if (self.low is not None and int(text) < self.low) or (self.high is not None and int(text) > self.high):
                requirement = tr("{kind} from {low} to {high}", kind=tr("a number"), low=self.low, high=self.high)
                return expected(requirement, text)
        if self.kind == "check" and text not in ("true", "false"):
            return expected(tr("true or false"), quoted(text))
        if self.kind == "combo" and text.casefold() not in {allowed.casefold() for allowed in self.values}:
            message = expected(tr("one of its values"), quoted(text))
            return Problem("", None, None, message, guess(text, self.values)).text
        return ""


class Engine:
    """A running program that plays one variant; methods raise `PlayerFailed` if it fails or is too slow."""

    def __init__(self, program: Program, label: str, variant: UciVariant, ruleset: str) -> None:
        """Start the program."""
        self.label, self.timeout = label, float(program.timeout)
        self.name = ""
        self._go = f"go {program.limit} {program.amount}"
        self._start = variant.start
        self._last_output = ""
        self._error_output = b""
        executable = find_program(program)
        try:
            # In a new session Ctrl-C reaches only the workbench, which then ends the program.
            self._process = subprocess.Popen(
                [executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=program.root,
                start_new_session=True, preexec_fn=_kill_with_parent(),
            )  # fmt: skip
        except OSError as error:
            message = tr("{label}: {file} cannot be started: {reason}")
            raise PlayerFailed(message.format(label=label, file=executable, reason=system_reason(error))) from None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read_output, name=f"output of {label}", daemon=True).start()
        self._error_reader = threading.Thread(target=self._read_errors, name=f"complaints of {label}", daemon=True)
        self._error_reader.start()
        try:
            self._configure(program, variant, ruleset)
        except BaseException:
            self.close()
            raise

    def _configure(self, program: Program, variant: UciVariant, ruleset: str) -> None:
        options = self._options()
        settings = dict(program.options)
        for name, value in settings.items():
            declared = options.get(_option_key(name))
            if declared is None or declared.name in _RESERVED_OPTIONS:
                reason = tr("is set by the workbench") if declared else tr("is not an option of this engine")
                suggestion = guess(name, [option.name for option in options.values()])
                message = tr("{engine}: '{name}' {reason}", engine=self.title, name=name, reason=reason)
                raise PlayerFailed(message + (join(SEMICOLON, ("", suggestion)) if suggestion else "."))
            if reason := declared.refusal_reason(value):
                message = tr("{engine}: option {name}: {reason}.", engine=self.title, name=declared.name, reason=reason)
                raise PlayerFailed(message)
        refusal = tr("{engine} does not know {ruleset}", engine=self.title, ruleset=ruleset)
        variants = _listed_variants(options)
        name = next((candidate for candidate in variant.names if candidate in variants), variant.name)
        if variant.ini and name == variant.name:
            if _option_key("VariantPath") not in options:
                message = tr("{refusal}: it lacks the VariantPath option that Fairy-Stockfish uses to load variants.")
                raise PlayerFailed(message.format(refusal=refusal))
            with _variants_file(variant.ini) as path:
                self._send(f"setoption name VariantPath value {path}")
                options = self._options()
                variants = _listed_variants(options)
        if name.casefold() in variants:
            self._send(f"setoption name UCI_Variant value {name}")
        elif name != "chess" or _option_key("UCI_Variant") in options:
            message = tr("{refusal}: its UCI_Variant option does not offer {variant}.")
            raise PlayerFailed(message.format(refusal=refusal, variant=name))
        for option, value in settings.items():
            self._send(f"setoption name {options[_option_key(option)].name} value {_option_text(value)}")
        self._wait_until_ready()

    def new_game(self) -> None:
        """Start a new game."""
        self._send("ucinewgame")
        self._wait_until_ready()

    def best_move(self, moves: Sequence[str]) -> str:
        """Return the program's move after a list of moves."""
        return self._search(f"{self._start} moves {' '.join(moves)}" if moves else self._start, self._go)[1]

    def finds_win(self, position: str, winning: Collection[str]) -> bool:
        """Return True if the program's score or move shows that ``winning`` moves win."""
        move = ""
        # A shallow search prunes a move that only stalemates, unless it is restricted to that move.
        for go in (f"go depth {GOAL_DEPTH} searchmoves {' '.join(winning)}", f"go depth {2 * GOAL_DEPTH}"):
            scores, move = self._search(position, go)
            if any(map(_WIN.search, scores)):
                return True
        return move in winning

    def _search(self, position: str, go: str) -> tuple[list[str], str]:
        """Return a search's output and move."""
        self._send(f"position {position}")
        self._send(go)
        lines: list[str] = []
        problem = tr("returned no move within {timeout:.0f} seconds ('{go}')", timeout=self.timeout, go=go)
        for line in self._lines_in_time(problem):
            if line.split()[:1] == ["bestmove"]:
                return lines, (line.split()[1:] or ["nothing"])[0]
            lines.append(line)
        raise AssertionError

    def legal_moves(self, position: str) -> list[str] | None:
        """Return the program's legal moves in a position before the first game, or None if it cannot list them.

        ``go perft 1`` is not part of the protocol, but Stockfish and its descendants support it.
        """
        self._send(f"position {position}")
        self._send("go perft 1")
        lines, deadline = self._wait_until_ready(), time.monotonic() + LISTING_SECONDS
        while not (count := next(filter(None, map(_PERFT_TOTAL.fullmatch, lines)), None)):
            if any(map(_SEARCH_OUTPUT.match, lines)):
                return None
            try:
                lines.append(self._next_line(deadline))
            except queue.Empty:
                return None
        moves = [move[1] for move in map(_PERFT_MOVE.fullmatch, lines) if move]
        return moves if len(moves) == int(count[1]) else None

    def close(self) -> None:
        """Stop the program, by force if necessary."""
        process = self._process
        assert process.stdin
        with contextlib.suppress(OSError):
            process.stdin.write(b"quit\n")
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _options(self) -> dict[str, _Option]:
        """Return the program's options by `_option_key`, and store the program's name."""
        self._send("uci")
        options: dict[str, _Option] = {}
        for line in self._lines_in_time(tr("did not answer 'uci' within {timeout:.0f} seconds", timeout=self.timeout)):
            if line.split()[:2] == ["id", "name"]:
                self.name = line.split(maxsplit=2)[2][:100] if len(line.split()) > 2 else ""
            elif match := _OPTION.fullmatch(line):
                low, high = (int(match[end]) if match[end] else None for end in ("min", "max"))
                values = tuple(re.split(r"\s*\bvar\s+", match["values"])[1:])
                options[_option_key(match["name"])] = _Option(match["name"], match["type"], low, high, values)
            elif line == "uciok":
                break
        return options

    def _wait_until_ready(self) -> list[str]:
        self._send("isready")
        lines = []
        problem = tr("did not answer 'isready' within {timeout:.0f} seconds", timeout=self.timeout)
        for line in self._lines_in_time(problem):
            if line == "readyok":
                break
            lines.append(line)
        return lines

    def _lines_in_time(self, problem: str) -> Iterator[str]:
        """Yield lines of output; raise `PlayerFailed` after the timeout."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                yield self._next_line(deadline)
            except queue.Empty:
                raise self._failed(problem) from None

    def _next_line(self, deadline: float) -> str:
        line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        if line is None:
            raise self._exit_error()
        return line

    def _send(self, command: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._exit_error() from None

    def _read_output(self) -> None:
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                for text in filter(None, map(str.strip, line.decode(errors="replace").split("\r"))):
                    if text.split()[0] not in _PROTOCOL_WORDS:
                        self._last_output = text
                    self._lines.put(text)
        self._lines.put(None)

    def _read_errors(self) -> None:
        """Store the last 4096 bytes of standard error."""
        assert self._process.stderr
        with self._process.stderr as stream:
            while chunk := os.read(stream.fileno(), 4096):
                self._error_output = (self._error_output + chunk)[-4096:]

    def _exit_error(self) -> PlayerFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        code = self._process.returncode
        reason = tr("closed its output") if code is None else tr("exited with code {code}", code=code)
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                reason = tr("was killed by {signals}", signals=signal.Signals(-code).name)
        if code is not None:
            self._error_reader.join(QUIT_SECONDS)
        return self._failed(reason)

    def _failed(self, problem: str) -> PlayerFailed:
        """Return an error with the last lines of standard error, or else with the last line of output."""
        lines = [line.strip() for line in re.split(r"[\r\n]+", self._error_output.decode(errors="replace"))]
        last_lines = [line for line in lines if line][-3:] or [self._last_output] * bool(self._last_output)
        output = tr("; its last output: {words}", words=" / ".join(map(abbreviated, last_lines))) if last_lines else ""
        return PlayerFailed(tr("{player} {complaint}{words}.", player=self.title, complaint=problem, words=output))

    @property
    def title(self) -> str:
        """The names of the player and its program."""
        return f"{self.label} ({self.name})" if self.name else self.label


def _listed_variants(options: Mapping[str, _Option]) -> set[str]:
    option = options.get(_option_key("UCI_Variant"))
    return {value.casefold() for value in option.values} if option else set()


def _option_key(name: str) -> str:
    """Return an option's normalized name, which is the same for ``skill_level`` and Skill Level."""
    return " ".join(name.casefold().replace("_", " ").split())


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextlib.contextmanager
def _variants_file(text: str) -> Iterator[Path]:
    """Return a context manager for a temporary file that contains ``text``."""
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder, "variants.ini")
        path.write_text(text, encoding="ascii")
        yield path


def _kill_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` that kills a new process when this one ends, or None on systems other than Linux.

    Engines also stop at the end of their input.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    parent, set_death_signal = os.getpid(), 1

    def prepare() -> None:
        prctl(set_death_signal, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return prepare


class _UciPlayer:
    def __init__(self, external: ExternalPlayer, engine: Engine) -> None:
        self.external, self.engine = external, engine
        self.texts: list[str] = []
        self.played: list[int] = []

    def new_game(self, seat: int, seed: int) -> None:
        self.texts, self.played = [], []
        self.engine.new_game()

    def choose(self, game_state: GameState) -> int:
        if game_state.setup is not None:
            message = tr("{outsider} can play only from the starting position, not from a custom position.")
            raise PlayerFailed(message.format(outsider=self.external.label))
        texts = self._played_texts(game_state)
        state, rules, notation = game_state.state, game_state.rules, game_state.notation
        answer = self.engine.best_move(texts)
        for move in game_state.legal():
            if notation.uci(rules, state, move) == answer:
                return move
        raise illegal_move(self.engine.title, answer, game_state, self.external.ruleset)

    def _played_texts(self, game_state: GameState) -> list[str]:
        """Return the game's moves in UCI notation, converting only the moves since the last call."""
        common = len(self.played)
        if game_state.played[:common] != self.played:
            common = 0
        del self.texts[common:]
        for ply in range(common, game_state.plies):
            self.texts.append(game_state.notation.uci(game_state.rules, game_state.before(ply), game_state.played[ply]))
        self.played = list(game_state.played)
        return self.texts


@contextlib.contextmanager
def open_program(external: ExternalPlayer) -> Iterator[SeatPlayer]:
    """Start a program, which is stopped at the end of the context."""
    with contextlib.closing(_engine(external)) as engine:
        yield _UciPlayer(external, engine)


def probe_program(external: ExternalPlayer, ruleset: Ruleset) -> tuple[str, str]:
    """Compare a program's rules with ours; return its name and a note for the user, which may be empty."""
    assert external.variant is not None
    with contextlib.closing(_engine(external)) as engine:
        return engine.name, disagreement(engine, external.variant, ruleset)


def _engine(external: ExternalPlayer) -> Engine:
    assert isinstance(external.outside, Program) and external.variant is not None
    return Engine(external.outside, external.label, external.variant, external.ruleset)


GAMES, MAX_PLIES = 400, 300
"""Number and maximum length of the random games in which wins are searched."""
WIN_POSITIONS, MAX_TRIES = 3, 30
"""For each ending and colour, the positions in which a program has to find a win and the games tried for them."""


def disagreement(engine: Engine, variant: UciVariant, ruleset: Ruleset) -> str:
    """Raise `PlayerFailed` if an engine's rules differ from ours; return a note if moves are not comparable, or "".

    Legal moves are compared in all positions that lead to the family's witnesses, and wins in the last positions of
    random games.

    Limits: draws are not compared because the workbench ends such games itself.
    """
    compared = set()
    for start, game_state in _positions(variant, ruleset):
        position = _position_arguments(start, game_state)
        if position in compared or game_state.outcome()[0] != contract.ONGOING:
            continue
        compared.add(position)
        with _ruleset_in_errors(ruleset):
            listed = engine.legal_moves(position)
        if listed is None:
            note = tr(
                "{engine} does not list its legal moves ('go perft 1'), so its rules cannot be checked against "
                "{ruleset}"
            ).format(engine=engine.title, ruleset=ruleset.name)
            if variant.name == "chess":
                return note
            raise PlayerFailed(tr("{note}.", note=note))
        own_moves = {_uci(game_state, move) for move in game_state.legal()}
        for move in sorted(own_moves.symmetric_difference(listed)):
            difference = tr("it does not allow {move}") if move in own_moves else tr("it would allow {move}")
            raise _rules_differ(engine, ruleset, difference.format(move=move), position)
    # Every engine knows chess, even those that are weak on purpose.
    for ending, game_state, winning in winning_positions(ruleset) if variant.name != "chess" else ():
        position, moves = _position_arguments(variant.start, game_state), [_uci(game_state, move) for move in winning]
        with _ruleset_in_errors(ruleset):
            finds_win = engine.finds_win(position, moves)
        if not finds_win:
            difference = tr("it does not see that {move} wins ({ending})", move=moves[0], ending=ending)
            raise _rules_differ(engine, ruleset, difference, position)
    return ""


@contextlib.contextmanager
def _ruleset_in_errors(ruleset: Ruleset) -> Iterator[None]:
    """Return a context manager that adds a ruleset's name to an engine's errors."""
    try:
        yield
    except PlayerFailed as failed:
        raise PlayerFailed(f"{ruleset.name}: {failed}") from None


def _rules_differ(engine: Engine, ruleset: Ruleset, difference: str, position: str) -> PlayerFailed:
    claim = tr("{engine} does not play by the same rules as {ruleset}", engine=engine.title, ruleset=ruleset.name)
    message = tr("{claim}: {difference} after 'position {position}'.")
    return PlayerFailed(message.format(claim=claim, difference=difference, position=position))


def _uci(game_state: GameState, move: int, ply: int = -1) -> str:
    text: str = game_state.notation.uci(game_state.rules, game_state.before(ply), move)
    return text


def _position_arguments(start: str, game_state: GameState) -> str:
    """Return the arguments of the UCI command ``position``."""
    moves = [_uci(game_state, move, ply) for ply, move in enumerate(game_state.played)]
    return " ".join((start, *["moves"] * bool(moves), *moves))


def _positions(variant: UciVariant, ruleset: Ruleset) -> Iterator[tuple[str, GameState]]:
    """Yield the positions to compare, each preceded by its game's start as arguments of ``position``."""
    start = GameState(ruleset.game, ruleset.codes())
    yield variant.start, start
    for witness in rulebook.family_witnesses(ruleset.game):
        start_text, game_state = variant.start, start.copy()
        with contextlib.suppress(IllegalMove):  # a witness of other rules
            if witness.setup is not None:
                game_state = GameState(ruleset.game, ruleset.codes(), setup=witness.setup)
                start_text = game_state.notation.uci_position(game_state.rules, game_state.state)
            for move in ("", *witness.moves * witness.times) if start_text else ():
                if move:
                    game_state.push_text(move)
                yield start_text, game_state


def winning_positions(ruleset: Ruleset) -> Iterator[tuple[str, GameState, list[int]]]:
    """Yield (name of an ending, position, winning moves) for random games in which a colour can win.

    The moves win immediately or, if the loser's next ply ends the game, after any reply, and only by this ending.
    """
    game, codes, declaration = ruleset.game, ruleset.codes(), games.declaration(ruleset.game)
    player = AgentSpec.of("random").player(declaration)
    seeds = np.arange(GAMES, dtype=np.uint64)
    arrays = trials.run_block(BlockArguments(game, codes, player, player, seeds, MAX_PLIES, keep=MAX_PLIES))
    found, tries = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for row in np.argsort(arrays["plies"], kind="stable"):
        goal = int(arrays["result"][row]), int(arrays["termination"][row])
        if goal[0] not in (contract.FIRST, contract.SECOND) or found[goal] == WIN_POSITIONS or tries[goal] == MAX_TRIES:
            continue
        tries[goal] += 1
        game_state = GameState(game, codes)
        for move in arrays["opening"][row, : arrays["plies"][row] - 1]:
            game_state.push(move)
        opponent_moves_last = game_state.side != goal[0] - contract.FIRST
        if opponent_moves_last:
            game_state.undo()
        if game_state.side != goal[0] - contract.FIRST:
            continue
        legal = game_state.legal()
        ends = {move: _end(game_state, move, opponent_moves_last) for move in legal}
        winning = [move for move in legal if ends[move] == goal]
        other_wins = any(end[0] == goal[0] and end != goal for end in ends.values())
        if winning and 3 * len(winning) <= len(legal) and not other_wins:
            found[goal] += 1
            yield all_endings(declaration)[goal[1]].name, game_state, winning


def _end(game_state: GameState, move: int, opponent_moves_last: bool) -> tuple[int, int]:
    """Return the result and termination after a move or after all replies; `ONGOING` if the replies differ."""
    rules, state = game_state.rules, game_state.state.copy()
    buffer = np.zeros(int(contract.max_moves(rules)), np.int32)
    apply_ply(rules, state, move)
    end = contract.terminal(rules, state, buffer)
    ends = {end}
    if end[0] == contract.ONGOING and opponent_moves_last:
        ends = set()
        for reply in buffer[: contract.legal_moves(rules, state, buffer)].tolist():
            after = state.copy()
            apply_ply(rules, after, reply)
            ends.add(contract.terminal(rules, after, buffer))
    result, termination = ends.pop() if len(ends) == 1 else (contract.ONGOING, 0)
    return int(result), int(termination)
