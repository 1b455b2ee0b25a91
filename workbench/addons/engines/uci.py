"""One program that speaks the Universal Chess Interface: its process, its options, its moves.

The protocol is our own hundred lines, and not ``chess.engine``: that holds positions in a chess board of 64 squares and
refuses, or cannot write, the moves of other games, and its licence (GPL) would become the workbench's.

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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import PlayerFailed, Problem, abbreviated, expected, guess, system_reason
from workbench.base.language import SEMICOLON, join, quoted, tr
from workbench.games.uci_variants import UciVariant
from workbench.players.agent_kinds import Program

LISTING_SECONDS = 5.0
"""Seconds that a program which is ready takes at most to list the moves of one position."""
GOAL_DEPTH = 4
"""Plies of a search for a win of one or two plies; twice as many where it may play any move."""
QUIT_SECONDS = 2.0
"""Seconds that a program has to end after ``quit``, before it is killed."""
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian puts games; not on everybody's PATH."""
PACKAGES = {
    "fairy-stockfish": "apt-get install fairy-stockfish (Debian, Ubuntu), or https://fairy-stockfish.github.io",
    "stockfish": "apt-get install stockfish (Debian, Ubuntu), or https://stockfishchess.org",
}
"""How to get well-known programs."""
_OPTION = re.compile(
    r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>check|spin|combo|button|string)(?:\s+default(?P<default>.*?))?"
    r"(?:\s+min\s+(?P<min>-?\d+))?(?:\s+max\s+(?P<max>-?\d+))?(?P<values>(?:\s+var\s+.+?)*)\s*"
)
_PERFT_MOVE, _PERFT_TOTAL = re.compile(r"(\S+): 1"), re.compile(r"Nodes searched: (\d+)")
"""Output of the command ``go perft 1``: a line for each move, and the last line."""
_SEARCH_OUTPUT = re.compile(r"bestmove\b|info (?!string\b)")
"""Output of a program that understands ``go perft`` as an ordinary ``go``."""
_WIN = re.compile(r"\bscore mate [12]\b")
"""Output of a search that has found a win of one or two moves."""
_PROTOCOL_WORDS = ("id", "option", "uciok", "readyok", "bestmove")
"""First words of routine output, which is never an error message."""
_RESERVED_OPTIONS = ("Protocol", "UCI_Chess960", "UCI_Variant", "VariantPath")
"""Options that the workbench sets itself, by the ruleset and the protocol."""


def find_program(program: Program) -> str:
    """Return the path of a program.

    Raises:
        PlayerFailed: it does not exist, or is not executable.
    """
    command = program.command
    if "/" in command:
        path = Path(os.path.realpath(Path(program.root, command)))
        if not path.is_relative_to(os.path.realpath(program.root)):
            words = tr("{command} leads out of the project folder, to {path}: no such program is started.")
            raise PlayerFailed(words.format(command=command, path=path))
        if not path.is_file():
            words = tr("There is no program {command} in the project folder {root}.")
            raise PlayerFailed(words.format(command=command, root=program.root))
        if not os.access(path, os.X_OK):
            raise PlayerFailed(tr("{command} is not executable: chmod +x {path}", command=command, path=path))
        return str(path)
    # A relative folder on PATH would depend on where the command is typed.
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    file = shutil.which(command, path=os.pathsep.join([*folders, *GAMES_FOLDERS]))
    if file is None:
        advice = tr(" To install it: {packages}.", packages=PACKAGES[command]) if command in PACKAGES else ""
        raise PlayerFailed(tr("The program '{command}' is not on PATH.{advice}", command=command, advice=advice))
    return file


@dataclass(frozen=True)
class _Option:
    """An option that a program declares."""

    name: str
    kind: str
    low: int | None
    high: int | None
    values: tuple[str, ...]

    def why_refused(self, value: object) -> str:
        """Return why a value is invalid for this option; "" if it is valid."""
        text = _option_text(value)
        if self.kind == "spin":
            if not re.fullmatch(r"-?\d+", text):
                return expected(tr("a whole number"), quoted(text))
            if (self.low is not None and int(text) < self.low) or (self.high is not None and int(text) > self.high):
                what = tr("{kind} from {low} to {high}", kind=tr("a number"), low=self.low, high=self.high)
                return expected(what, text)
        if self.kind == "check" and text not in ("true", "false"):
            return expected(tr("true or false"), quoted(text))
        if self.kind == "combo" and text.casefold() not in {allowed.casefold() for allowed in self.values}:
            message = expected(tr("one of its values"), quoted(text))
            return Problem("", None, None, message, guess(text, self.values)).text
        return ""


class Engine:
    """A running program, ready to play one variant; to be closed."""

    def __init__(self, program: Program, label: str, variant: UciVariant, ruleset: str) -> None:
        """Start it.

        Raises:
            PlayerFailed: it cannot be started, is no UCI engine, or does not know an option or the variant.
        """
        self.label, self.timeout = label, float(program.timeout)
        self.name = ""
        self._go = f"go {program.limit} {program.amount}"
        self._start = variant.start
        self._last_output = ""
        self._error_output = b""
        file = find_program(program)
        try:
            # A session of its own: Ctrl-C at the terminal is for the workbench, which then ends the program.
            self._process = subprocess.Popen(
                [file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=program.root,
                start_new_session=True, preexec_fn=_kill_with_parent(),
            )  # fmt: skip
        except OSError as error:
            words = tr("{label}: {file} cannot be started: {reason}")
            raise PlayerFailed(words.format(label=label, file=file, reason=system_reason(error))) from None
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
        chosen = dict(program.options)
        for name, value in chosen.items():
            declared = options.get(_option_key(name))
            if declared is None or declared.name in _RESERVED_OPTIONS:
                reason = tr("is set by the workbench") if declared else tr("is no option of this engine")
                near = guess(name, [option.name for option in options.values()])
                words = tr("{engine}: '{name}' {reason}", engine=self.title, name=name, reason=reason)
                raise PlayerFailed(words + (join(SEMICOLON, ("", near)) if near else "."))
            if reason := declared.why_refused(value):
                words = tr("{engine}: option {name}: {reason}.", engine=self.title, name=declared.name, reason=reason)
                raise PlayerFailed(words)
        refusal = tr("{engine} does not know {ruleset}", engine=self.title, ruleset=ruleset)
        variants = _variants_of(options)
        name = next((known for known in variant.names if known in variants), variant.name)
        if variant.ini and name == variant.name:
            if _option_key("VariantPath") not in options:
                missing = tr("{refusal}: it has no option VariantPath, by which Fairy-Stockfish reads variants.")
                raise PlayerFailed(missing.format(refusal=refusal))
            with _variants_file(variant.ini) as path:
                self._send(f"setoption name VariantPath value {path}")
                options = self._options()
                variants = _variants_of(options)
        if name.casefold() in variants:
            self._send(f"setoption name UCI_Variant value {name}")
        elif name != "chess" or _option_key("UCI_Variant") in options:
            missing = tr("{refusal}: there is no variant {variant} in its option UCI_Variant.")
            raise PlayerFailed(missing.format(refusal=refusal, variant=name))
        for option, value in chosen.items():
            self._send(f"setoption name {options[_option_key(option)].name} value {_option_text(value)}")
        self._wait_until_ready()

    def new_game(self) -> None:
        """Begin a new game."""
        self._send("ucinewgame")
        self._wait_until_ready()

    def best_move(self, moves: Sequence[str]) -> str:
        """Its move after some moves.

        Raises:
            PlayerFailed: it has ended, or gives none in time.
        """
        return self._search(f"{self._start} moves {' '.join(moves)}" if moves else self._start, self._go)[1]

    def sees_win(self, position: str, winning: Collection[str]) -> bool:
        """Return whether it sees that moves win, at once or after any answer: by its score, or by playing one.

        Raises:
            PlayerFailed: it has ended, or gives no move in time.
        """
        move = ""
        # A shallow search prunes a move that only stalemates; asked for that move alone, engines see what it does.
        for go in (f"go depth {GOAL_DEPTH} searchmoves {' '.join(winning)}", f"go depth {2 * GOAL_DEPTH}"):
            scores, move = self._search(position, go)
            if any(map(_WIN.search, scores)):
                return True
        return move in winning

    def _search(self, position: str, go: str) -> tuple[list[str], str]:
        """Return the output of a search, and its move."""
        self._send(f"position {position}")
        self._send(go)
        lines: list[str] = []
        complaint = tr("gave no move within {timeout:.0f} seconds ('{go}')", timeout=self.timeout, go=go)
        for line in self._lines_in_time(complaint):
            if line.split()[:1] == ["bestmove"]:
                return lines, (line.split()[1:] or ["nothing"])[0]
            lines.append(line)
        raise AssertionError

    def legal_moves(self, position: str) -> list[str] | None:
        """Return the program's legal moves in a position; None if it cannot list them. Call it before the first game.

        ``go perft 1`` is no part of the protocol, but known to Stockfish and its descendants.

        Raises:
            PlayerFailed: it has ended, or is not ready in time.
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
        listed = [move[1] for move in map(_PERFT_MOVE.fullmatch, lines) if move]
        return listed if len(listed) == int(count[1]) else None

    def close(self) -> None:
        """End the program, by force if need be."""
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
        """Ask for the program's options, by the `_option_key` of their names, and store the program's name."""
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
        complaint = tr("did not answer 'isready' within {timeout:.0f} seconds", timeout=self.timeout)
        for line in self._lines_in_time(complaint):
            if line == "readyok":
                break
            lines.append(line)
        return lines

    def _lines_in_time(self, complaint: str) -> Iterator[str]:
        """Yield lines of output until the timeout, which raises `PlayerFailed`."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                yield self._next_line(deadline)
            except queue.Empty:
                raise self._failed(complaint) from None

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
        """Stores the last 4096 bytes of standard error, which need not come in lines."""
        assert self._process.stderr
        with self._process.stderr as stream:
            while chunk := os.read(stream.fileno(), 4096):
                self._error_output = (self._error_output + chunk)[-4096:]

    def _exit_error(self) -> PlayerFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        code = self._process.returncode
        how = tr("closed its output") if code is None else tr("ended with code {code}", code=code)
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                how = tr("was ended by {signals}", signals=signal.Signals(-code).name)
        if code is not None:
            self._error_reader.join(QUIT_SECONDS)
        return self._failed(how)

    def _failed(self, complaint: str) -> PlayerFailed:
        """Return the error of a complaint, with the last lines of standard error, or else the last line of output."""
        lines = [line.strip() for line in re.split(r"[\r\n]+", self._error_output.decode(errors="replace"))]
        words = [line for line in lines if line][-3:] or [self._last_output] * bool(self._last_output)
        last = tr("; its last words: {words}", words=" / ".join(map(abbreviated, words))) if words else ""
        return PlayerFailed(tr("{player} {complaint}{words}.", player=self.title, complaint=complaint, words=last))

    @property
    def title(self) -> str:
        """The names of the player and its program, for messages."""
        return f"{self.label} ({self.name})" if self.name else self.label


def _variants_of(options: Mapping[str, _Option]) -> set[str]:
    option = options.get(_option_key("UCI_Variant"))
    return {value.casefold() for value in option.values} if option else set()


def _option_key(name: str) -> str:
    """Return the key of an option: ``skill_level`` and Skill Level have the same."""
    return " ".join(name.casefold().replace("_", " ").split())


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextlib.contextmanager
def _variants_file(text: str) -> Iterator[Path]:
    """A temporary file with the text."""
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder, "variants.ini")
        path.write_text(text, encoding="ascii")
        yield path


def _kill_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` by which a new process is killed when this one dies; on Linux only, else None.

    Elsewhere UCI engines end when their input does.
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
