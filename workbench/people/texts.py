"""Files of games as text: the tags and words of each game, by one grammar for PGN and PDN, without a look at the moves.

A line has no meaning but behind ``;`` and ``%``: a game begins with a tag, with the number 1, or behind a result. What
the workbench writes as text and JSON is read besides. A file may be packed, and is never in memory as a whole.

Sources: S. J. Edwards, Portable Game Notation Specification, 1994, sections 5 to 8; "Portable Draughts Notation",
version 3.0, the grammar for reading.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from workbench.errors import InputError, Problem, abbreviated, display_path, reason_of
from workbench.language import tr

CHUNK = 1 << 20
"""Signs that are read at once."""
COMMENT = 1 << 16
"""Signs of a comment within which its end is looked for behind the piece of text that it begins in."""
LONGEST = 1 << 24
"""Signs of one game; more is no file of games."""
STANDARD = "-"
"""Stands for the standard input."""
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
UNCLOSED, LEFT_OVER, REPEATED, BROKEN = "unclosed", "left-over", "repeated-tag", "broken-tag"
"""Faults of a text: a bracket without its other half, movetext behind the result or without its beginning, a tag that
is there twice, one that cannot be read."""
HEADER = re.compile(
    r"(?P<Ruleset>[^|\n]+) \| (?P<First>[^|\n]+?) - (?P<Second>[^|\n]+?) \| #\d+ \| (?:[^|\n]* \| )*"
    r"(?P<Result>first|second|draw|unfinished) \((?P<Termination>[\w-]+), \d+\)\s*"
)
"""The line before a game in the workbench's own text."""
EXAMPLE = "chess/orthodox | Ann - Bob | #1 | first (mate, 57)"
FIRST_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "GameType", "Variant", "FEN")
"""Tags with which a game may begin."""
SPELLED = {name.lower(): name for name in (*FIRST_TAGS, "Result", "Termination", "PlyCount", "WhiteElo", "BlackElo")}
"""Tags that are read, whatever their case in the file."""
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
"""The tokens of PGN and PDN. A result that may be a move of draughts, such as 8-4, is a word here."""


@dataclass(slots=True)
class GameText:
    """A game as its file writes it."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    """Words that may be moves."""
    results: list[str] = field(default_factory=list)
    """Results behind the moves."""
    claim: str = ""
    """A sign such as +/- behind the last move: a result where there is no other."""
    comment: str = ""
    """The last one, variations left aside."""
    faults: list[str] = field(default_factory=list)
    own: bool = False
    """Results and endings are those of the workbench."""


def read_games(path: str | Path) -> Iterator[GameText]:
    """The games of a file of PGN or PDN, of the workbench's text or of its JSON, in their order.

    Raises:
        InputError: it cannot be read, or holds no games.
    """
    try:
        with closing(_opened(path)) as stream:
            head = INVISIBLE.sub("", stream.read(CHUNK))
            start = head.lstrip()
            if not start:
                raise InputError([_problem(path, None, tr("expected games, found an empty file"))])
            as_json = re.match(r'\{\s*"\w+"\s*:', start) is not None
            if as_json or HEADER.match(start):
                yield from _own_games(path, head, stream, as_json)
            elif re.search(r'\A(?:[\[%;({*]|\S*\d|[Oo]-[Oo])|^\s*\[\w+\s+"', start, re.MULTILINE):
                yield from _exchanged_games(path, head, stream)
            else:
                line = 1 + head[: len(head) - len(start)].count("\n")
                message = tr(
                    "expected a game in PGN or PDN, or as `workbench games` writes it, found '{found}'",
                    found=abbreviated(start.split("\n", 1)[0]),
                )
                raise InputError([_problem(path, line, message)])
    except (OSError, EOFError, UnicodeError) as error:
        raise InputError([_problem(path, None, reason_of(error))]) from error


def _problem(path: str | Path, line: int | None, message: str, hint: str = "") -> Problem:
    where = tr("standard input") if str(path) == STANDARD else display_path(Path(path))
    return Problem(where, line, None, message, hint)


def _opened(path: str | Path) -> TextIO:
    """The text of a file: UTF-8, and what is not UTF-8 as Windows writes it; every kind of line end is one."""
    stream: Any
    if str(path) == STANDARD:
        stream = io.BufferedReader(sys.stdin.buffer)
    elif packing := PACKED.get(Path(path).suffix.lower()):
        import pyarrow as pa

        stream = io.BufferedReader(pa.input_stream(str(path), compression=packing), CHUNK)
    else:
        stream = io.BufferedReader(io.FileIO(path), CHUNK)
    wide = stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return io.TextIOWrapper(stream, "utf-16" if wide else "utf-8", "as-windows-writes")


def _as_windows_writes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("as-windows-writes", _as_windows_writes)


def _exchanged_games(path: str | Path, pending: str, stream: TextIO) -> Iterator[GameText]:
    line = 1
    while True:
        more = stream.read(CHUNK)
        # The last game of a piece of text may go on behind it, and so may the last line, or a comment.
        end = (pending.rfind("\n") + 1 or pending.rfind(" ") + 1) if more else len(pending)
        opened = pending.rfind("{", max(0, end - COMMENT), end) if more else -1
        end = opened if opened > pending.rfind("}", 0, end) else end
        begin, last = 0, None
        for start, game in games_in(pending[:end], line):
            if last:
                yield last
            begin, last = start, game
        if not more:
            if last:
                yield last
            return
        line = last.line if last else line
        if len(pending) - begin > LONGEST:
            hint = tr('each game begins with tags such as [Event "…"]')
            raise InputError([_problem(path, line, tr("this one game has more than 16 million signs"), hint)])
        pending = pending[begin:] + INVISIBLE.sub("", more)


def games_in(text: str, line: int) -> Iterator[tuple[int, GameText]]:
    """The games of a text that begins on a line, and where each begins in it."""
    game: GameText | None = None
    begin = depth = 0
    numbered = False
    for token in TOKEN.finditer(text):
        if (kind := token.lastgroup) is None:
            break
        start, sign = token.start(kind), token[kind]
        unclosed = kind == "comment" and sign[-1] != "}"
        name = token["name"] or token["misnamed"] if kind in ("tag", "broken") else ""
        name = SPELLED.get(name.lower(), name)
        if kind == "word" and game and game.results and not re.search(r"\d|[Oo]-[Oo]", sign):
            kind = "prose"  # such as "1-0 Black resigns"
        number = int(token["digits"]) if kind == "number" and token["digits"] else 0
        if game is None:
            fresh = unclosed or kind not in ("comment", "rest", "sign", "claim")
        elif name:
            apart = text.count("\n", token.start(), start) > 1
            # A tag of another sort amid the moves is one of the same game.
            late = game.tags and not apart and name not in game.tags and name not in FIRST_TAGS
            fresh = bool(depth or game.results or (game.words and not late))
            fresh |= name == next(iter(game.tags), "") and ("Result" in game.tags or apart)
        elif kind == "number":
            inside = depth and (game.tags or game.results)
            known = game.results or (game.words and "\n" in text[token.start() : start])
            fresh = number == 1 and (token["dots"] or ".") == "." and bool(known and not inside)
        else:
            # Without tags and numbers, a line is a game.
            known = game.results or (game.words and not game.tags and "\n" in text[token.start() : start])
            fresh = kind == "word" and bool(known and not numbered and not depth)
        if fresh:
            if game:
                game.faults += [UNCLOSED] * (depth > 0)
                yield begin, game
            line += text.count("\n", begin, start)
            game, begin, depth, numbered = GameText(line), start, 0, False
        if game is None:
            continue
        if kind == "tag":
            if name in game.tags:
                game.faults.append(REPEATED)
            game.tags[name] = re.sub(r"\\(.)", r"\1", token["value"]).strip()
        elif kind == "broken" or sign in "[]":
            game.faults.append(BROKEN)
        elif unclosed or sign == "}" or (kind == "close" and not depth):
            game.faults.append(UNCLOSED)
        elif kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif depth or kind in ("rest", "sign"):
            pass
        elif kind == "comment":
            game.comment = sign[1:-1].strip()
        elif kind == "prose":
            game.comment += f" {sign}"
        elif kind == "claim":
            game.claim = sign
        elif kind == "result":
            game.results.append(sign)
        else:
            begins_late = number > 1 and not game.words and "FEN" not in game.tags
            if begins_late or (game.results and (kind != "number" or number)):
                game.faults.append(LEFT_OVER)
            numbered |= number > 0
            if kind != "number":
                game.words.append(sign)
                game.claim = ""
    if game:
        game.faults += [UNCLOSED] * (depth > 0)
        yield begin, game


def _own_games(path: str | Path, head: str, stream: TextIO, as_json: bool) -> Iterator[GameText]:
    """Games of the workbench's text (a line of what they are, and one of moves), or of JSON, an object a line."""
    whole = (head + stream.readline()).removesuffix("\n").split("\n")
    lines = enumerate((INVISIBLE.sub("", line) for line in itertools.chain(whole, stream)), 1)
    for number, line in lines:
        if not line.strip():
            continue
        if as_json:
            try:
                content = json.loads(line)
                moves = content.pop("moves")
                moves = moves if isinstance(moves, str) else " ".join(map(str, moves))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                message = tr(
                    "expected a game, an object with its moves, found '{found}'", found=abbreviated(line.strip())
                )
                raise InputError([_problem(path, number, message)]) from error
            tags = {"".join(map(str.capitalize, str(name).split("_"))): str(value) for name, value in content.items()}
        else:
            if not (match := HEADER.match(line)):
                found = abbreviated(line.strip())
                message = tr("expected a line such as {example}, found '{found}'", example=EXAMPLE, found=found)
                raise InputError([_problem(path, number, message)])
            tags, (_, moves) = match.groupdict(), next(lines, (0, ""))
        yield GameText(number, tags, [word for word in moves.split() if not NO_MOVE.fullmatch(word)], own=True)
