"""Parser of human games: splits files into games, replays their moves by the kernel, and reports problems.

One grammar for PGN and PDN splits the text into tags and words, whatever the moves. Line breaks matter only after ``;``
and ``%``: a game starts with a tag, with move number 1, or after a result. Games written by the workbench as text or
JSON are also supported. Files may be compressed and are read in chunks.

Sources: S. J. Edwards, Portable Game Notation Specification, 1994, sections 5 to 8; "Portable Draughts Notation",
version 3.0, the grammar for reading.

Variants (``Variant`` in PGN, ``GameType`` in PDN) are named as in python-chess, whose names Lichess also writes.
Numbers up to 50 are from "Portable Draughts Notation", higher numbers from Lidraughts.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from workbench import games
from workbench.addons.people import replaying as r
from workbench.base.errors import (
    InputError,
    Problem,
    WorkbenchError,
    abbreviated,
    display_path,
    error_text,
    expected,
    system_reason,
)
from workbench.base.language import quoted, tr
from workbench.engine import contract
from workbench.engine.contract import DRAW, FIRST, ONGOING, SECOND
from workbench.engine.trials import make_rules
from workbench.games.results import ENGINE_ENDINGS, RESULTS, all_endings
from workbench.positions.game_state import apply_ply, opening_texts, parse_setup
from workbench.records.records import OPENING_PLIES
from workbench.rules.rulesets import Ruleset, load_ruleset

# Texts

CHUNK = 1 << 20
MAX_COMMENT = 1 << 16
"""Maximum length in characters of a comment that continues in the next chunk."""
MAX_GAME_CHARS = 1 << 24
"""Maximum length of a game in characters."""
STDIN = "-"
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
UNCLOSED, STRAY_MOVES, REPEATED_TAG, BROKEN_TAG = "unclosed", "left-over", "repeated-tag", "broken-tag"
"""Syntax errors: an unmatched bracket, movetext after the result or without its start, bad tags."""
HEADER = re.compile(
    r"(?P<Ruleset>[^|\n]+) \| (?P<First>[^|\n]+?) - (?P<Second>[^|\n]+?) \| #\d+ \| (?:[^|\n]* \| )*"
    r"(?P<Result>first|second|draw|unfinished) \((?P<Termination>[\w-]+), \d+\)\s*"
)
"""The line before the moves of a game in the workbench's text format."""
EXAMPLE = "chess/orthodox | Ann - Bob | #1 | first (mate, 57)"
FIRST_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "GameType", "Variant", "FEN")
"""Tags that may start a game."""
CANONICAL_TAGS = {
    name.lower(): name for name in (*FIRST_TAGS, "Result", "Termination", "PlyCount", "WhiteElo", "BlackElo")
}
"""Tags that are recognized in any case."""
NO_MOVE = re.compile(r"\d+\.+|\*|1-0|0-1|1/2-1/2")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
DASH = "[-\u2010-\u2015\u2212]"
_SEPARATOR = rf"\s?(?:{DASH}|:)\s?"
_HALVES = r"\d?\s?(?:1/2|½)"
_GAP = r"\s(){}\[\];$*!?,"
TOKEN = re.compile(
    rf"""\s*+(?:
      (?P<tag>\[\s*(?P<name>\w[^\s"\]]*)\s*"(?P<value>(?:[^"\\\n]|\\.|"(?!\s*\]))*)"\s*\])
    | (?P<broken>\[\s*(?P<misnamed>[A-Z]\w*)\s[^\]\n]*\]?)
    | (?P<comment>\{{[^{{}}]*\}}|\{{[^}}\n]*(?:\n(?!\s*\[\w+\s+"|\s*\n\s*1\s?\.)[^}}\n]*)*\}}?)
    | (?P<rest>;.*|(?<![^\n])%.*)
    | (?P<open>\() | (?P<close>\))
    | (?P<result>(?:(?:{_HALVES}{_SEPARATOR}(?:{_HALVES}|\d) | \d{_SEPARATOR}{_HALVES}
        | \d+[.,]5{_SEPARATOR}\d+[.,]5 | (?P<points>[1-9]\d*){_SEPARATOR}(?:0|(?P=points)) | 0{_SEPARATOR}[1-9]\d*
        | 1/2 | ½)(?![\w½/]|[-:.]\w)) | \*(?![a-z]))
    | (?P<number>(?P<digits>\d{{1,6}})(?:\s?(?P<dots>(?:\.(?:\s?\.)*|…)+)
        | (?=\s)(?<!\d\d\d\d)(?!\s*(?:{DASH}|[x×:])\s*[a-l]?\d)) | \.+ | …)
    | (?P<claim>[-+=]\s?[/:]\s?[-+=](?!\S) | [+]{DASH}{DASH}(?!\S) | {DASH}{DASH}[+](?!\S))
    | (?P<sign>\$\d+ | [!?,]+ | (?:(?!{DASH}{{1,2}}(?![^{_GAP}])|=\w)[^\w@{_GAP}]+
        | N | TN | D | RR | e\.?p\.? | ch | dbl | mate | check(?:mate)?)(?![^{_GAP}]))
    | (?P<word>(?:(?:huff|[KQRBNP])?[a-l]?\d+\s*(?:{DASH}|[x×:])\s*(?=[a-l]?\d))*
        (?:[^{_GAP}+\#½]|,(?=\d)|\*(?=[a-z]))+(?:\([QRBNqrbn]\))?[+\#*]*)
    | (?P<stray>\S) | \Z )""",
    re.VERBOSE,
)
"""The tokens of PGN and PDN. A result that may be a draughts move, such as 8-4, is matched as a word."""


@dataclass(slots=True)
class GameText:
    """A parsed game before its moves are checked."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    claim: str = ""
    """A sign such as +/- after the last move, which is used if there is no result."""
    comment: str = ""
    faults: list[str] = field(default_factory=list)
    is_ours: bool = False
    """True if the workbench wrote the game."""


def read_games(path: str | Path) -> Iterator[GameText]:
    """Yield the games of a file in PGN, PDN or the workbench's text or JSON format."""
    try:
        with closing(_open_text(path)) as stream:
            head = INVISIBLE.sub("", stream.read(CHUNK))
            start = head.lstrip()
            if not start:
                raise InputError([_problem(path, None, expected(tr("games"), tr("an empty file")))])
            as_json = re.match(r'\{\s*"\w+"\s*:', start) is not None
            if as_json or HEADER.match(start):
                yield from _workbench_games(path, head, stream, as_json)
            elif re.search(r'\A(?:[\[%;({*]|\S*\d|[Oo]-[Oo])|^\s*\[\w+\s+"', start, re.MULTILINE):
                yield from _notation_games(path, head, stream)
            else:
                line = 1 + head[: len(head) - len(start)].count("\n")
                games_text = tr("a game in PGN, PDN or the format of `workbench games`")
                message = expected(games_text, quoted(abbreviated(start.split("\n", 1)[0])))
                raise InputError([_problem(path, line, message)])
    except (OSError, EOFError, UnicodeError) as error:
        raise InputError([_problem(path, None, system_reason(error))]) from error


def _problem(path: str | Path, line: int | None, message: str, hint: str = "") -> Problem:
    place = tr("standard input") if str(path) == STDIN else display_path(Path(path))
    return Problem(place, line, None, message, hint)


def _open_text(path: str | Path) -> TextIO:
    """Open a file as UTF-8 or UTF-16; bytes that are not UTF-8 are decoded as Windows-1252."""
    stream: Any
    if str(path) == STDIN:
        stream = io.BufferedReader(sys.stdin.buffer)
    elif compression := COMPRESSIONS.get(Path(path).suffix.lower()):
        import pyarrow as pa

        stream = io.BufferedReader(pa.input_stream(str(path), compression=compression), CHUNK)
    else:
        stream = io.BufferedReader(io.FileIO(path), CHUNK)
    is_utf16 = stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return io.TextIOWrapper(stream, "utf-16" if is_utf16 else "utf-8", "windows-1252-fallback")


def _decode_windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("windows-1252-fallback", _decode_windows_1252)


def _notation_games(path: str | Path, pending: str, stream: TextIO) -> Iterator[GameText]:
    line = 1
    while True:
        chunk = stream.read(CHUNK)
        # The last game of a chunk, the last line and a comment may continue in the next chunk.
        end = (pending.rfind("\n") + 1 or pending.rfind(" ") + 1) if chunk else len(pending)
        comment_start = pending.rfind("{", max(0, end - MAX_COMMENT), end) if chunk else -1
        end = comment_start if comment_start > pending.rfind("}", 0, end) else end
        offset, last = 0, None
        for start, game in split_games(pending[:end], line):
            if last:
                yield last
            offset, last = start, game
        if not chunk:
            if last:
                yield last
            return
        line = last.line if last else line
        if len(pending) - offset > MAX_GAME_CHARS:
            hint = tr('each game begins with tags such as [Event "…"]')
            raise InputError([_problem(path, line, tr("this game has more than 16 million characters"), hint)])
        pending = pending[offset:] + INVISIBLE.sub("", chunk)


def split_games(text: str, line: int) -> Iterator[tuple[int, GameText]]:
    """Yield the games of a text with their offsets; ``line`` is the number of its first line."""
    game: GameText | None = None
    offset = depth = 0
    is_numbered = False
    for token in TOKEN.finditer(text):
        if (kind := token.lastgroup) is None:
            break
        start, content = token.start(kind), token[kind]
        unclosed = kind == "comment" and content[-1] != "}"
        name = token["name"] or token["misnamed"] if kind in ("tag", "broken") else ""
        name = CANONICAL_TAGS.get(name.lower(), name)
        if kind == "word" and game and game.results and not re.search(r"\d|[Oo]-[Oo]", content):
            kind = "prose"  # such as "1-0 Black resigns"
        number = int(token["digits"]) if kind == "number" and token["digits"] else 0
        if game is None:
            starts_game = unclosed or kind not in ("comment", "rest", "sign", "claim")
        elif name:
            is_separated = text.count("\n", token.start(), start) > 1
            # An uncommon tag among the moves belongs to the current game.
            is_late = game.tags and not is_separated and name not in game.tags and name not in FIRST_TAGS
            starts_game = bool(depth or game.results or (game.words and not is_late))
            starts_game |= name == next(iter(game.tags), "") and ("Result" in game.tags or is_separated)
        elif kind == "number":
            is_inside = depth and (game.tags or game.results)
            is_complete = game.results or (game.words and "\n" in text[token.start() : start])
            starts_game = number == 1 and (token["dots"] or ".") == "." and bool(is_complete and not is_inside)
        else:
            # If there are no tags and move numbers, each line is a game.
            is_complete = game.results or (game.words and not game.tags and "\n" in text[token.start() : start])
            starts_game = kind == "word" and bool(is_complete and not is_numbered and not depth)
        if starts_game:
            if game:
                game.faults += [UNCLOSED] * (depth > 0)
                yield offset, game
            line += text.count("\n", offset, start)
            game, offset, depth, is_numbered = GameText(line), start, 0, False
        if game is None:
            continue
        if kind == "tag":
            if name in game.tags:
                game.faults.append(REPEATED_TAG)
            game.tags[name] = re.sub(r"\\(.)", r"\1", token["value"]).strip()
        elif kind == "broken" or content in "[]":
            game.faults.append(BROKEN_TAG)
        elif unclosed or content == "}" or (kind == "close" and not depth):
            game.faults.append(UNCLOSED)
        elif kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif depth or kind in ("rest", "sign"):
            pass
        elif kind == "comment":
            game.comment = content[1:-1].strip()
        elif kind == "prose":
            game.comment += f" {content}"
        elif kind == "claim":
            game.claim = content
        elif kind == "result":
            game.results.append(content)
        else:
            begins_late = number > 1 and not game.words and "FEN" not in game.tags
            if begins_late or (game.results and (kind != "number" or number)):
                game.faults.append(STRAY_MOVES)
            is_numbered |= number > 0
            if kind != "number":
                game.words.append(content)
                game.claim = ""
    if game:
        game.faults += [UNCLOSED] * (depth > 0)
        yield offset, game


def _workbench_games(path: str | Path, head: str, stream: TextIO, as_json: bool) -> Iterator[GameText]:
    """Yield games in the workbench's text format (header line, line of moves) or JSON format (an object per line)."""
    head_lines = (head + stream.readline()).removesuffix("\n").split("\n")
    lines = enumerate((INVISIBLE.sub("", line) for line in itertools.chain(head_lines, stream)), 1)
    for number, line in lines:
        if not line.strip():
            continue
        if as_json:
            try:
                content = json.loads(line)
                moves = content.pop("moves")
                moves = moves if isinstance(moves, str) else " ".join(map(str, moves))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                message = expected(tr("a game: an object containing its moves"), quoted(abbreviated(line.strip())))
                raise InputError([_problem(path, number, message)]) from error
            tags = {"".join(map(str.capitalize, str(name).split("_"))): str(value) for name, value in content.items()}
        else:
            if not (match := HEADER.match(line)):
                excerpt = abbreviated(line.strip())
                message = expected(tr("a line such as {example}", example=EXAMPLE), quoted(excerpt))
                raise InputError([_problem(path, number, message)])
            tags, (_, moves) = match.groupdict(), next(lines, (0, ""))
        yield GameText(number, tags, [word for word in moves.split() if not NO_MOVE.fullmatch(word)], is_ours=True)


# Games

MAX_PLIES = 1024
"""Maximum number of plies of a game, plus one."""
BATCH = 2048
MAX_EXPLAINED = 1000
"""The most illegal moves that are explained; others are only counted."""
CACHE_SIZE = 1 << 19
"""Maximum number of entries in a cache."""
ILLEGAL, UNREADABLE, AFTER_END, TOO_LONG, OTHER_START = "illegal", "no-move", "after-end", "too-long", "other-start"
OTHER_GAME, NO_MOVES, PLY_COUNT, TWO_RESULTS, UNREADABLE_RESULT, CONTRADICTED, PLAYED_ON = (
    "other-game", "no-moves", "ply-count", "two-results", "unread-result", "contradicted", "played_on",
)  # fmt: skip
REMARKS: Mapping[str, str] = {
    CONTRADICTED: tr("a result that contradicts the rules (the rules prevail)"),
    PLAYED_ON: tr("moves after a draw by the rules"),
    TWO_RESULTS: tr("a Result tag that differs from the result on the board (the tag prevails)"),
    UNREADABLE_RESULT: tr("an unreadable result"),
    PLY_COUNT: tr("a PlyCount that differs from the number of plies"),
    REPEATED_TAG: tr("a repeated tag (the last one prevails)"),
    BROKEN_TAG: tr("an unreadable tag"),
}
"""Descriptions of problems that do not exclude a game."""
KINDS: Mapping[str, str] = {
    **REMARKS,
    ILLEGAL: tr("an illegal move"),
    UNREADABLE: tr("a word that is not a move"),
    AFTER_END: tr("a move after the end of the game"),
    TOO_LONG: tr("more than {room:,} plies", room=MAX_PLIES - 1),
    OTHER_START: tr("another start position"),
    OTHER_GAME: tr("another game"),
    NO_MOVES: tr("no moves"),
    UNCLOSED: tr("an unmatched bracket"),
    STRAY_MOVES: tr("moves after the result, or missing first moves"),
}
"""Descriptions of all problems; all except `REMARKS` exclude a game."""
_FIGURINES = str.maketrans("♔♕♖♗♘♚♛♜♝♞×:", "KQRBNKQRBNx:")


def normalize_move(word: str) -> str:
    """Return a move of chess or draughts in standard spelling: no annotation, hyphens for dashes, O-O, e8=Q."""
    word = re.sub(DASH, "-", re.sub(r"\s", "", word)).translate(_FIGURINES)
    word = re.sub(r"(?:=|[^\w)=+#@-])+$", "", re.sub(r"(?<=\d)e\.?p\.?", "", word))
    word = re.sub(r"(?<!\d)0+(?=[1-9])", "", word)
    if re.fullmatch(r"[A-L]\d+(?:[-x:]?[A-L]\d+)+", word):
        return word.lower()
    if re.fullmatch(r"[oO0]-[oO0](?:-[oO0])?[+#]*", word):
        return re.sub("[o0]", "O", word)
    promoted = re.fullmatch(r"((?:[a-h][1-8]?)?[-x]?[a-h][18])(?:=|/|\(|(?=[nbrqNBRQ]))([nbrqNBRQ])\)?([+#]*)", word)
    return f"{promoted[1]}={promoted[2].upper()}{promoted[3]}" if promoted else re.sub(r"\(\w\)", "", word)


class _Vocabulary(dict[str, int]):
    """A mapping from words to the indices of their patterns in ``table``; 0 for words without a pattern."""

    def __init__(self, notation: Any, rules: Any) -> None:
        super().__init__()
        self.pattern, self._rules = getattr(notation, "pattern", None), rules
        self.table = [[0] * r.PATTERN]

    def __missing__(self, word: str) -> int:
        pattern = self.pattern(self._rules, normalize_move(word)) if self.pattern else None
        if pattern is None:
            return 0
        self[word] = len(self.table)
        self.table.append(pattern)
        return self[word]


@dataclass(frozen=True)
class GameProblem:
    """A problem in a game."""

    file: str
    game: int
    """The number of the game in the file, starting at 1."""
    line: int
    ply: int
    """The ply, starting at 1; 0 if the problem is not a move."""
    move: str
    kind: str
    reason: str = ""
    """A sentence about the rule that forbids the move; "" after the first `MAX_EXPLAINED` problems."""

    @property
    def left_out(self) -> bool:
        """True if the game is excluded from the records."""
        return self.kind not in REMARKS

    @property
    def text(self) -> str:
        """A message with the location of the problem."""
        reason = self.reason or KINDS[self.kind]
        place = tr("{file}:{line}: game {game}", file=self.file, line=self.line, game=self.game)
        if not self.ply:
            return tr("{where}: {reason}", where=place, reason=reason)
        return tr("{where}, ply {ply}, {move}: {reason}", where=place, ply=self.ply, move=self.move, reason=reason)


@dataclass(frozen=True)
class GameDetails:
    """A game's metadata."""

    end: End
    first_rating: int | None
    second_rating: int | None
    date: str
    """The date in PGN format, such as 2024.05.31; "" if unknown."""
    event: str


@dataclass(frozen=True)
class Games:
    """A batch of a file's games: the valid ones, and the problems in all of them."""

    block: r.Block
    details: tuple[GameDetails, ...]
    numbers: Any
    """Each game's number in the file, starting at 1."""
    problems: tuple[GameProblem, ...]

    def first(self, limit: int) -> Games:
        """Return the first ``limit`` valid games, and the problems up to the last of these."""
        numbers = self.numbers[:limit]
        problems = tuple(problem for problem in self.problems if limit and problem.game <= numbers[-1])
        return Games(self.block.part(slice(limit)), self.details[:limit], numbers, problems)


def position_after(rules: Any, moves: Any) -> Any:
    """Return the position after moves from the start."""
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    contract.start(rules, state)
    for move in moves:
        apply_ply(rules, state, int(move))
    return state


class GameReader:
    """A reader of human games under one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.rules = make_rules(ruleset.game, ruleset.codes())
        self.notation = games.notation(ruleset.game)
        self.endings = all_endings(games.declaration(ruleset.game))
        self._replayer = r.Replayer(self.rules, MAX_PLIES)
        self._vocabulary = _Vocabulary(self.notation, self.rules)
        self._names = read_names(ruleset)
        self._explained = 0
        self._texts: dict[bytes, str] = {}
        self._start_problems: dict[str, str | None] = {"": None}
        self._buffer = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        black_first = getattr(self.notation, "black_first", None)
        self._seats = ("Black", "White") if black_first and black_first(self.rules) else ("White", "Black")

    def read(self, path: str | Path) -> Iterator[Games]:
        """Yield a file's games in batches."""
        name, number = STDIN if str(path) == STDIN else Path(path).name, 1
        stream = read_games(path)
        while batch := list(itertools.islice(stream, BATCH)):
            yield self._read(batch, number, name)
            number += len(batch)

    def _read(self, batch: Sequence[GameText], first: int, file: str) -> Games:
        block = self._replayer.block(len(batch))
        rejected: dict[int, GameProblem] = {}

        def reject(game: int, kind: str, reason: str = "", ply: int = 0, move: str = "") -> None:
            block.fields[game, r.STATUS] = r.UNMATCHED
            rejected[game] = GameProblem(file, first + game, batch[game].line, ply, abbreviated(move), kind, reason)

        words = np.full((len(batch), max(1, min(MAX_PLIES, max(len(game.words) for game in batch)))), -1, np.int32)
        for i, game in enumerate(batch):
            if rejection := self._rejection(game):
                reject(i, *rejection)
                continue
            indices = [self._vocabulary[word] for word in game.words[:MAX_PLIES]]
            words[i, : len(indices)] = indices
        patterns = np.array(self._vocabulary.table, np.int64)
        pending = [i for i in range(len(batch)) if i not in rejected]
        while pending:
            self._replayer.read(words, patterns, block)
            pending = [i for i in pending if block.fields[i, r.STATUS] != r.WHOLE]
            for i in pending:
                if problem := self._resume(batch[i], words[i], block.fields[i], block.moves[i]):
                    reject(i, *problem)
            pending = [i for i in pending if i not in rejected]
        if len(self._vocabulary) > CACHE_SIZE:
            self._vocabulary = _Vocabulary(self.notation, self.rules)
        valid = [i for i in range(len(batch)) if i not in rejected]
        details = tuple(self._details(batch[i], block.fields[i]) for i in valid)
        remarks = [
            GameProblem(file, first + i, batch[i].line, 0, "", kind)
            for i, game_details in zip(valid, details, strict=True)
            for kind in _find_remarks(batch[i], block.fields[i], game_details.end)
        ]
        problems = sorted((*rejected.values(), *remarks), key=lambda problem: problem.game)
        return Games(block.part(valid), details, np.array(valid, np.int64) + first, tuple(problems))

    def _rejection(self, game: GameText) -> tuple[str, str] | None:
        """Return the kind and reason of a problem that excludes a game before the replay of its moves, or None."""
        if game.words and game.words[-1].replace(" ", "") == game.tags.get("Result", "").replace(" ", ""):
            game.results.append(game.words.pop())
        if UNCLOSED in game.faults:
            return UNCLOSED, ""
        if name := other_game_name(game.tags, self._names):
            return OTHER_GAME, tr("another game: {name}", name=abbreviated(name))
        if not game.words:
            return NO_MOVES, ""
        fen = game.tags.get("FEN", "")
        if fen not in self._start_problems:
            if len(self._start_problems) > CACHE_SIZE:
                self._start_problems = {"": None}
            self._start_problems[fen] = self.start_problem(fen)
        if (reason := self._start_problems[fen]) is not None:
            return OTHER_START, reason
        return (STRAY_MOVES, "") if STRAY_MOVES in game.faults else None

    def start_problem(self, fen: str) -> str | None:
        """Return None if a position is the ruleset's start, otherwise the reason why it cannot be set up, or ""."""
        try:
            setup = parse_setup(self.ruleset.game, fen)
            if setup is None:
                return None
            self.notation.set_up(self.rules, state := position_after(self.rules, []), setup)
        except (ValueError, WorkbenchError) as error:
            return tr("the position cannot be set up: {error}", error=error_text(error))
        return (
            None if contract.key(self.rules, state) == contract.key(self.rules, position_after(self.rules, [])) else ""
        )

    def _resume(self, game: GameText, words: Any, fields: Any, line: Any) -> tuple[str, str, int, str] | None:
        """Continue a stopped replay in the family's notation; return a problem's kind, reason, ply and word, or None.

        A last word that is a result in points and not a move becomes the game's result.
        """
        ply, index = int(fields[r.PLIES]), int(fields[r.AT])
        problem: tuple[str, str] | None = (TOO_LONG, "") if fields[r.STATUS] == r.LONG else None
        if fields[r.STATUS] == r.OVER:
            index, problem = min(index, ply), (AFTER_END, self.endings[int(fields[r.TERMINATION])].sentence)
        state = position_after(self.rules, line[:ply])
        while not problem:
            codes, problem = self._play_word(state, game.words[index])
            if ply + len(codes) >= MAX_PLIES:
                problem = TOO_LONG, ""
                break
            line[ply : ply + len(codes)] = codes
            ply, index = ply + len(codes), index + len(codes[:1])
            # The replayer continues at the next word with a pattern, or after the end of the game.
            if index == len(words) or words[index] != 0 or self._is_over(state):
                break
        tag = game.tags.get("Result", "")
        if problem and index == len(game.words) - 1 and not game.results and is_result(game.words[index], tag):
            game.results.append(game.words.pop())
            words[index:] = -1
            problem = None
            if not game.words:
                return NO_MOVES, "", 0, ""
        fields[r.PLIES], fields[r.AT], fields[r.STATUS] = ply, index, r.PENDING
        return (*problem, ply + 1, game.words[index]) if problem else None

    def _is_over(self, state: Any) -> bool:
        n = contract.legal_moves(self.rules, state, self._buffer)
        return bool(contract.plain_outcome(self.rules, state, n)[0] != contract.ONGOING)

    def _details(self, game: GameText, fields: Any) -> GameDetails:
        columns = (r.RESULT, r.TERMINATION), (r.FORCED, r.FORCED_BY)
        pairs = ((int(fields[result]), int(fields[ending])) for result, ending in columns)
        last_end, forced_end = ((result, self.endings[ending].name if ending else "") for result, ending in pairs)
        end = game_end(game, *last_end, int(self.rules.draw_value), forced_end)
        first, second = (
            _rating(game.tags, (f"{seat}Elo", f"{seat}Rating", name))
            for seat, name in zip(self._seats, ("FirstRating", "SecondRating"), strict=True)
        )
        date, event = game.tags.get("UTCDate") or game.tags.get("Date", ""), game.tags.get("Event", "")
        return GameDetails(end, first, second, "" if date.startswith("?") else date, "" if event == "?" else event)

    def _play_word(self, state: Any, word: str) -> tuple[list[int], tuple[str, str] | None]:
        """Play the moves that a word denotes in the family's notation; return them and a problem's kind and reason.

        A pawn's move may include its owner's choice of a piece, which is a separate ply in 007 chess.
        """
        word = normalize_move(word) if self._vocabulary.pattern else word
        move = self._parse_move(state, word)
        if isinstance(move, int):
            apply_ply(self.rules, state, move)
            return [move], None
        step, _, choice = word.partition("=")
        if choice and isinstance(first_move := self._parse_move(state, step), int):
            apply_ply(self.rules, state, first_move)
            if isinstance(second_move := self._parse_move(state, f"={choice}"), int):
                apply_ply(self.rules, state, second_move)
                return [first_move, second_move], None
        return [], move

    def _parse_move(self, state: Any, word: str) -> int | tuple[str, str]:
        """Return the legal move that a word denotes, or the kind and reason of a problem."""
        try:
            move = int(self.notation.parse_move(self.rules, state, word))
        except ValueError as error:
            return (UNREADABLE if not re.search("[0-9]", word) else ILLEGAL), error_text(error)
        n = contract.legal_moves(self.rules, state, self._buffer)
        if move in self._buffer[:n]:
            return move
        self._explained += 1
        if self._explained > MAX_EXPLAINED:
            return ILLEGAL, ""
        reason: str = self.notation.explain(self.rules, state, word, move)
        return ILLEGAL, reason

    def openings(self, moves: Any) -> list[str]:
        """Return each game's first `OPENING_PLIES` moves in the family's notation."""
        lines = np.ascontiguousarray(moves[:, :OPENING_PLIES])
        keys = [line.tobytes() for line in lines]
        missing = [i for i, key in enumerate(keys) if key not in self._texts]
        if len(self._texts) + len(missing) > CACHE_SIZE:
            self._texts.clear()
            missing = list(range(len(keys)))
        if missing:
            texts = opening_texts(self.ruleset.game, self.ruleset.codes(), lines[missing])
            self._texts.update(zip((keys[i] for i in missing), texts, strict=True))
        return [self._texts[key] for key in keys]


def _find_remarks(game: GameText, fields: Any, end: End) -> Iterator[str]:
    """Yield the kinds of `REMARKS` that apply to a valid game."""
    yield from dict.fromkeys(game.faults)
    results = [read_result(text) for text in (game.tags.get("Result", ""), *game.results)]
    if None in results:
        yield UNREADABLE_RESULT
    if len({result[0] for result in results if result} - {contract.ONGOING}) > 1:
        yield TWO_RESULTS
    plies = game.tags.get("PlyCount", "")
    if plies.isdecimal() and int(plies) not in (len(game.words), int(fields[r.PLIES])):
        yield PLY_COUNT
    if end.contradicts:
        yield CONTRADICTED
    if fields[r.DRAWN_AT] >= 0:
        yield PLAYED_ON


def _rating(tags: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    for name in names:
        if (match := re.match(r"\s*(\d{1,4})(?!\d)", tags.get(name, ""))) and int(match[1]):
            return int(match[1])
    return None


NO_RESULT, RESIGNATION, AGREEMENT, TIME, ABANDONED, AWARDED, UNKNOWN = (
    "no-result", "resignation", "agreement", "time", "abandoned", "awarded", "unknown",
)  # fmt: skip
"""Endings that only human games have; see `results.PEOPLE_ENDINGS`."""
_POINTS = r"(\d*\s?(?:1/2|½)|\d*[.,]?\d+)"
POINTS = re.compile(rf"{_POINTS}\s*(?:{DASH}|:)\s*{_POINTS}(?![\d/½])")
_SIGNS = re.compile(rf"([+=]|{DASH})\s*[/:-]?\s*([+=]|{DASH}{{1,2}})")
SHARED = (0, 2, 3, 4, 10, 12)
"""Totals of both players' points in a draughts game."""
NO_PLAY = " forfeit"
_VERBS = r"won|wins|lost|loses|drawn|resigns|resigned|forfeits|forfeited|ran|runs|makes|left|disconnects|connection"
RESULT_COMMENT = re.compile(
    r"(?:[-+M\d.]+/\d+ [\d.]+s, )?(?:[\w.'-]+\s+){1,3}(?:resign(?:s|ed)|r[au]ns? out of time.{0,40}|left the game"
    r"|(?:forfeits|wins|won|loses|lost)\s+(?:on time|by .{1,40})|disconnect(?:s|ed)|makes an illegal move.{0,40}"
    r"|connection stalls|drawn by .{1,40})\W*|(?:draw|time|win) (?:by|forfeit|adjudicat).{0,40}",
    re.IGNORECASE,
)
"""A comment by a server or a program on how the game ended."""
ENDING_WORDS: Mapping[str, re.Pattern[str]] = {
    ending: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for ending, words in {
        TIME: r"time|timed? ?out|flag(?:ged|s)?|clock",
        RESIGNATION: r"resign(?:s|ed|ation)?|surrenders?|concede[sd]?",
        AGREEMENT: r"agreement|agreed|mutual",
        ABANDONED: r"abandon(?:s|ed|ment)?|disconnect(?:s|ed|ion)?|connection(?: stalls)?|left the game",
        AWARDED: r"infraction|illegal(?: move)?|adjudicat(?:ed|ion)|TCEC|Syzygy(?:TB)?|tablebases?|death|emergency|"
        r"forfeit(?:s|ed)?|walkover|FF?|WO|default|no.show|arbiter|disqualified|awarded",
        "normal": r"normal",
    }.items()
}  # fmt: skip
"""Names of endings at Lichess, Lidraughts, chess.com, FICS, PlayOK, TCEC, ICC and cutechess, in order of priority."""
STOPPED = {ending.name for ending in ENGINE_ENDINGS.values()}


class End(NamedTuple):
    """The end of a game."""

    result: str
    termination: str
    contradicts: bool = False
    """True if the result in the file contradicts the rules, which take precedence."""


def read_result(text: str) -> tuple[int, str] | None:
    """Return a result's code for the side that moves first, and the text after it; None if the text is not a result.

    The side with more points wins, as in 1-0, 12-0 or 8-4; 0-0 is an open result.
    """
    text = text.strip()
    if text in RESULTS:
        return RESULTS.index(text), ""
    if text in ("", "*", "?", "-"):
        return ONGOING, ""
    if match := POINTS.match(text):
        first, second = map(_points, match.groups())
        code = FIRST if first > second else SECOND if second > first else DRAW if first else ONGOING
        return code, text[match.end() :]
    if text in ("1/2", "½"):
        return DRAW, ""
    if match := _SIGNS.match(text):
        won, lost = (sign[0] == "+" for sign in match.groups())
        if "=" in match[0]:
            return None if won or lost or match[0].count("=") < 2 else (DRAW, "")
        return FIRST if won and not lost else SECOND if lost and not won else ONGOING, NO_PLAY + text[match.end() :]
    return None


def is_result(word: str, tag: str) -> bool:
    """Return True if a game's last word, such as 8-4, is a result, judging by the tag or the total of points."""
    match = POINTS.fullmatch(word)
    is_total = match and sum(map(_points, match.groups())) in SHARED
    return bool(match and (tag.replace(" ", "") == word.replace(" ", "") or (is_total and tag in ("", "?", "*"))))


def _points(text: str) -> float:
    parts = re.findall(r"½|[\d.]+", text.replace("1/2", "½").replace(",", "."))
    return sum(0.5 if part == "½" else float(part) for part in parts)


def game_end(
    game: GameText, result: int, termination: str, draw_value: int = DRAW, forced: tuple[int, str] = (ONGOING, "")
) -> End:
    """Return a game's end, given the result and termination of the last position under the rules.

    A win under the rules and a stalemate override the file. A draw that must be claimed does not: a player who
    continued and ran out of time has lost. ``draw_value`` is the result that a draw counts as; ``forced`` is the end
    to which every legal move in the last position leads.
    """
    end = _stated_end(game, result, termination, forced)
    draw_result = RESULTS[draw_value]
    if end.result == RESULTS[DRAW] != draw_result:
        return End(draw_result, end.termination, stated_result(game)[0] not in (ONGOING, DRAW, draw_value))
    return end


def stated_result(game: GameText) -> tuple[int, str]:
    """Return a game's result as stated in its file, preferably in the tag, and the text after it."""
    texts = (game.tags.get("Result", ""), *game.results, game.claim)
    results = filter(None, map(read_result, texts))
    return next((result for result in results if result[0] != ONGOING), (ONGOING, ""))


def _stated_end(game: GameText, result: int, termination: str, forced: tuple[int, str]) -> End:
    code, suffix = stated_result(game)
    if result != ONGOING and code in (ONGOING, result):
        return End(RESULTS[result], termination)
    if result not in (ONGOING, DRAW) or termination == "stalemate":
        return End(RESULTS[result], termination, contradicts=True)
    description = " ".join(filter(None, map(game.tags.get, ("Termination", "TerminationDetails", "ICCResult"))))
    if description in STOPPED and (game.is_ours or game.tags.get("Site") == "rule workbench"):
        return End(RESULTS[code], description)
    if code == ONGOING:
        return End(RESULTS[ONGOING], NO_RESULT)
    if description.lower() in ("", "?", "normal") and RESULT_COMMENT.fullmatch(game.comment):
        description = game.comment
    kind = _ending_kind(f"{description} {suffix}")
    if kind in ("normal", UNKNOWN) and code == forced[0] != DRAW:
        return End(RESULTS[code], forced[1])
    if kind == "normal":
        kind = AGREEMENT if code == DRAW else RESIGNATION
    return End(RESULTS[code], kind)


def _ending_kind(text: str) -> str:
    """Return the ending named in a text, ignoring the player's name before the verb."""
    text = re.sub(rf".*\b(?=(?:{_VERBS})\b)", "", text, flags=re.DOTALL)
    return next((ending for ending, words in ENDING_WORDS.items() if words.search(text)), UNKNOWN)


CHESS960 = ("Chess960", "960", "Fischerandom", "Fischer Random", "FRC", "Freestyle")
NAMES: Mapping[str, tuple[str, ...]] = {
    "a78e3e3f6e8ab335": ("Standard", "Chess", "Orthodox", "Normal", "Classical", "Regular", "From Position", "0"),
    "82809ccd50e8630c": ("Three-check", "3-check"),
    "2e50eb627f749f76": ("King of the Hill", "KOTH"),
    "63f5af704fa95642": ("Antichess", "Anti", "Giveaway"),
    "907e64c60b532a91": ("Atomic", "Atom"),
    "395f24e85df26825": ("Crazyhouse", "House", "ZH"),
    "005e2311cf20bf26": ("Racing Kings", "Racing", "Race"),
    "2a2848000241ff6d": ("Horde",),
    "499790422e748e5f": CHESS960,
    "fc91ddc63bff1f54": ("Frysk!", "97"),
    "20": ("International", "Standard", "From Position", "99"),
    "21": ("English", "American", "Anglo-American", "Checkers"),
    "23": ("Pool", "American pool"),
    "41": ("Spantsireti", "Spantsiretti"),
}
"""Fingerprint or PDN number of rules -> the name that is written, followed by aliases that are read.

Other rules are named by their ruleset.
"""
START = ("start_position", "size", "squares", "rows", "empty_back_rows")
GOAL = ("goal", "flag", "checks_to_win", "checks_of_black", "extinction", "bare_king", "royal", "turns", "drops")
"""Toggles of the start and the goal; rules with another goal than the rules they extend are a different game."""


def _normalized(name: str) -> str:
    return re.sub("(?<=.)(chess|draughts|checkers)$", "", re.sub(r"[\W_]", "", name.casefold()))


def _pdn_number(ruleset: Ruleset) -> str:
    """Return the PDN number of draughts rules, or "" if they have none."""
    standard_game = getattr(games.notation(ruleset.game), "standard_game", None)
    number = standard_game(make_rules(ruleset.game, ruleset.codes())) if standard_game else 0
    return str(number or "")


def _external_names(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the names and the PDN number of a ruleset in other programs."""
    number = _pdn_number(ruleset)
    return tuple(filter(None, (*NAMES.get(ruleset.fingerprint, ()), *NAMES.get(number, ()), number)))


def read_names(ruleset: Ruleset) -> Mapping[str, bool]:
    """Return the names that files may use for a ruleset, each with True if it requires a FEN of the start.

    If other programs do not know the ruleset or its start differs, the names of the nearest rules that it extends with
    the same goal are included.
    """
    own = (*_external_names(ruleset), ruleset.name.rpartition("/")[2], ruleset.title.partition(":")[0], ruleset.label)
    names, bases = {_normalized(name): False for name in own if name}, list(ruleset.parents)
    while bases:
        base = load_ruleset(bases.pop(0), ruleset.project)
        bases += base.parents
        if (base_names := _external_names(base)) and all(
            base.settings.get(name) == ruleset.settings.get(name) for name in GOAL
        ):
            differs = any(base.settings.get(name) != ruleset.settings.get(name) for name in START)
            if differs or not _external_names(ruleset):
                names = {_normalized(name): differs for name in (*base_names, *(CHESS960 if differs else ()))} | names
            break
    return names


def other_game_name(tags: Mapping[str, str], names: Mapping[str, bool]) -> str:
    """Return the name or number of another game in the tags, or "" if the tags name no other game."""
    number = re.match(r"\d+\b", tags.get("GameType", ""))
    variant = tags.get("Variant", tags.get("Ruleset", "").rpartition("/")[2]).strip("?-* ")
    name = number[0] if number and _normalized(variant) in ("", "standard", "fromposition") else variant
    return name if name and names.get(_normalized(name), 2) > bool(tags.get("FEN", "").strip("?-* ")) else ""


def written_tags(ruleset: Ruleset) -> dict[str, str]:
    """Return the tag that identifies a variant; standard rules and rules with a PDN number need none."""
    names = _external_names(ruleset)
    if "Standard" in names or _pdn_number(ruleset):
        return {}
    return {"Variant": names[0] if names else ruleset.name.rpartition("/")[2]}
