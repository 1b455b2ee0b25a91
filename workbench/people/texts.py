"""Files of games as a stream of blocks: where each game's tags and moves are, without a look at the moves.

PGN and PDN are files of tags and moves; the workbench's own text and JSON are what ``workbench games`` writes. A file
may be packed (gz, bz2, zst), and is never in memory as a whole.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from workbench.engine.jit import njit
from workbench.errors import InputError, Problem, display_path, reason_of, text_of
from workbench.language import tr

CHUNK = 1 << 22
"""Bytes that are read at once."""
LONGEST = 1 << 24
"""Bytes of one game; more is no file of games."""
STANDARD = "-"
"""Stands for the standard input."""
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
TAG = re.compile(rb'\[\s*(\w+)\s+"((?:[^"\\\r\n]|\\.)*)"\s*\]')
HEADER = re.compile(
    rb"(?P<Ruleset>[^|\n]+) \| (?P<First>[^|\n]+?) - (?P<Second>[^|\n]+?) \| #\d+ \| (?:[^|\n]* \| )*"
    rb"(?P<Result>first|second|draw|unfinished) \((?P<Termination>[\w-]+), \d+\)\s*"
)
"""The line before a game in the workbench's own text."""


@dataclass(frozen=True)
class Texts:
    """Some games of a file, in one piece of text."""

    text: Any
    """uint8."""
    spans: Any
    """int64, games x 4: where its tags begin, where its moves begin and end, and the line of the file it begins on."""
    first: int
    """The number of the first of them in the file, from 1."""
    own: bool = False
    """Whether results and endings are those of the workbench."""

    def tags(self, game: int) -> Mapping[bytes, bytes]:
        """The tags of a game."""
        begin, moves = self.spans[game, :2]
        head = self.text[begin:moves].tobytes()
        if not self.own:
            return dict(TAG.findall(head))
        if head[:1] == b"{":
            return {str(name).encode(): str(value).encode() for name, value in json.loads(head).items()}
        match = HEADER.match(head)
        return {name.encode(): value for name, value in match.groupdict().items()} if match else {}


@njit
def _split(text: Any, size: int, spans: Any, state: Any) -> int:
    """Finds the games in ``text[:size]``, and returns how many begin there.

    ``state`` is the line that the text begins on, and then that on which the last game begins.
    """
    n, in_moves, comment, line, at = 0, True, False, state[0], 0
    while at < size:
        sign = text[at]
        # At the start of a line. A comment that was never closed does not swallow the rest of the file.
        if sign == 91 and in_moves and (not comment or (at + 6 < size and text[at + 1] == 69 and text[at + 6] == 32)):
            if n == spans.shape[0]:
                return n
            if n > 0:
                spans[n - 1, 2] = at
            spans[n, 0], spans[n, 1], spans[n, 2], spans[n, 3] = at, size, size, line
            n += 1
            in_moves, comment = False, False
        elif not in_moves and sign > 32 and sign != 91 and sign != 37:
            spans[n - 1, 1] = at
            in_moves = True
        elif n == 0 and sign > 32 and sign != 37:
            spans[0, 0], spans[0, 1], spans[0, 2], spans[0, 3] = at, at, size, line  # moves without tags
            n = 1
        while at < size and text[at] != 10:
            if in_moves:
                if text[at] == 123:
                    comment = True
                elif text[at] == 125:
                    comment = False
                elif text[at] == 59 and not comment:
                    while at + 1 < size and text[at + 1] != 10:
                        at += 1
            at += 1
        at += 1
        line += 1
    return n


def blocks(path: str | Path) -> Iterator[Texts]:
    """The games of a file of PGN or PDN, of the workbench's text or of its JSON, some at a time.

    Raises:
        InputError: it cannot be read, or holds no games.
    """
    stream = _opened(path)
    try:
        with stream:
            head = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf")
            start = head.lstrip()
            if not start:
                raise InputError([_problem(path, None, tr("expected games, found an empty file"))])
            if start[:1] == b"{" or HEADER.match(start):
                yield from _own_blocks(path, head, stream, start[:1] == b"{")
            elif start[:1] in b"[%;" or re.match(rb"\d+\s*\.", start):
                yield from _tagged_blocks(path, head, stream)
            else:
                line = 1 + head[: len(head) - len(start)].count(b"\n")
                message = tr(
                    "expected a game in PGN or PDN, or as `workbench games` writes it, found '{found}'",
                    found=start.split(b"\n", 1)[0][:40].decode("utf-8", "replace").strip(),
                )
                raise InputError([_problem(path, line, message)])
    except (OSError, EOFError) as error:
        raise InputError([_problem(path, None, text_of(error))]) from error


def _problem(path: str | Path, line: int | None, message: str, hint: str = "") -> Problem:
    where = tr("standard input") if str(path) == STANDARD else display_path(Path(path))
    return Problem(where, line, None, message, hint)


def _opened(path: str | Path) -> BinaryIO:
    if str(path) == STANDARD:
        import sys

        return sys.stdin.buffer
    try:
        packing = PACKED.get(Path(path).suffix.lower())
        if packing is None:
            return open(path, "rb")
        import pyarrow as pa

        return io.BufferedReader(_Unpacked(pa.input_stream(str(path), compression=packing)), 1 << 20)
    except OSError as error:
        raise InputError([_problem(path, None, reason_of(error))]) from error


class _Unpacked(io.RawIOBase):
    """A packed file as a stream of bytes."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        found = self.source.read(len(room))
        room[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self.source.close()
        super().close()


def _tagged_blocks(path: str | Path, head: bytes, stream: BinaryIO) -> Iterator[Texts]:
    pending, line, number = head, 1, 1
    while True:
        more = stream.read(CHUNK)
        text = np.frombuffer(pending, np.uint8)
        spans = np.zeros((len(pending) // 20 + 1, 4), np.int64)
        found = int(_split(text, len(text), spans, np.array([line])))
        whole = found if not more else found - 1
        if whole > 0:
            yield Texts(text, spans[:whole].copy(), number)
            number += whole
        if not more:
            return
        begin = int(spans[whole, 0]) if found else 0
        line = int(spans[whole, 3]) if found else line
        if len(pending) - begin > LONGEST:
            hint = tr('each game begins with tags such as [Event "…"]')
            raise InputError([_problem(path, line, tr("this one game has more than 16 million signs"), hint)])
        pending = pending[begin:] + more


def _own_blocks(path: str | Path, head: bytes, stream: BinaryIO, as_json: bool) -> Iterator[Texts]:
    """Games of the workbench's text (a line of what they are, and one of moves), or of JSON, an object a line."""
    lines = _lines(head, stream)
    parts: list[bytes] = []
    spans: list[tuple[int, int, int, int]] = []
    size, number = 0, 1

    def put(about: bytes, moves: bytes, line: int) -> None:
        nonlocal size
        parts.extend((about, moves, b"\n"))
        spans.append((size, size + len(about), size + len(about) + len(moves), line))
        size += len(about) + len(moves) + 1

    for line_number, line in lines:
        if not line.strip():
            continue
        if as_json:
            try:
                content = json.loads(line)
                moves = content.pop("moves")
                moves = moves if isinstance(moves, str) else " ".join(map(str, moves))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                message = tr("expected a game, an object with its moves, found '{found}'", found=_short(line))
                raise InputError([_problem(path, line_number, message)]) from error
            put(json.dumps(_as_tags(content)).encode(), moves.encode(), line_number)
        else:
            if not HEADER.match(line):
                message = tr("expected a line such as {example}, found '{found}'", example=EXAMPLE, found=_short(line))
                raise InputError([_problem(path, line_number, message)])
            _, moves_line = next(lines, (0, b""))
            put(line.rstrip() + b" ", moves_line.strip(), line_number)
        if size > CHUNK:
            yield Texts(np.frombuffer(b"".join(parts), np.uint8), np.array(spans, np.int64), number, own=True)
            number += len(spans)
            parts, spans, size = [], [], 0
    if spans:
        yield Texts(np.frombuffer(b"".join(parts), np.uint8), np.array(spans, np.int64), number, own=True)


EXAMPLE = "chess/orthodox | Ann - Bob | #1 | first (mate, 57)"


def _as_tags(content: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON says of a game, by the names of tags: ``first_rating`` is ``FirstRating``."""
    return {"".join(part.capitalize() for part in str(name).split("_")): value for name, value in content.items()}


def _short(line: bytes) -> str:
    return line[:40].decode("utf-8", "replace").strip()


def _lines(head: bytes, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number, pending = 1, head
    while pending:
        more = stream.read(CHUNK)
        *whole, rest = pending.split(b"\n")
        for line in whole:
            yield number, line
            number += 1
        pending = rest + more
        if not more:
            if rest:
                yield number, rest
            return
