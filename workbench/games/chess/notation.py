"""How chess moves, positions and games are written, and why a move is not allowed.

Moves are read in standard algebraic notation (SAN) and as UCI writes them, and written in SAN; steps of pawns sideways
and back, which SAN does not know, by both squares, as UCI writes them. Positions are those of `notation_positions`.

Source: FIDE, Laws of Chess, 2023, appendix C; S. J. Edwards, Portable Game Notation Specification, 1994.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from workbench.base.language import OR, tr
from workbench.engine.contract import ONGOING, key, outcome, play, repetition, start, state_size
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess.kernel_board import TOGGLES
from workbench.games.chess.notation_positions import COLOURS, LETTERS, cell_of, hand, piece_on, size
from workbench.games.chess.notation_positions import fens as fens
from workbench.games.chess.notation_positions import position as position
from workbench.games.chess.notation_positions import set_up as set_up
from workbench.games.chess.notation_positions import square as square
from workbench.games.chess.notation_reasons import (
    CASTLE,
    NAMES,
    castling_homes,
    extra_step,
    is_general,
    legal,
    parts,
    passes,
    unreachable,
    without_detente,
)
from workbench.games.chess.notation_reasons import explain as explain
from workbench.games.chess.notation_reasons import uci as uci
from workbench.games.declaration import Board

SYMBOLS = "♙♘♗♖♕♔♟♞♝♜♛♚"
UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([nbrqk])?")
CHOICE = re.compile(r"=([NBRQKnbrqk])[+#]*")
DROP = re.compile(r"([PNBRQK])?@([a-h][1-8])[+#]*")
SAN = re.compile(r"([NBRQK])?([a-h])?([1-8])?(x)?([a-h][1-8])(?:=?([NBRQK]))?[+#]*")
WRITTEN = re.compile(r"P?([NBRQK])?([a-h])?([1-8])?[-x:]?([a-h])([1-8])?(?:=?([NBRQKnbrqk]))?[+#]*")
"""What people write for moves without castling and drops, longer and shorter than SAN."""
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")


def _after(rules: Any, state: Any, move: int) -> Any:
    after = state.copy()
    play(rules, after, move)
    return after


# --- Moves ------------------------------------------------------------------------------------------------------------


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return a move in SAN, with + for check and # for mate; read as chess without Detente, it is unambiguous, too."""
    origin, target, kind, promotion = parts(move)
    after = _after(rules, state, move)
    check = ""
    if after[b.CHECKERS]:
        check = "+" if legal(rules, after) else "#"
    if move & g.DROP:
        return f"{LETTERS[kind]}@{square(target)}{check}"
    if origin == target:
        return f"={LETTERS[promotion]}{check}"
    if kind == b.KING and (move & g.CASTLE or abs(target - origin) == 2):
        return ("O-O" if target > origin else "O-O-O") + check
    if extra_step(int(state[b.COLOUR]), kind, origin, target):
        return square(origin) + square(target) + check
    passant = bool(move & g.PASSING) if is_general(state) else kind == b.PAWN and (target - origin) % 8 != 0
    takes = "x" if passant or piece_on(state, target) else ""
    if kind == b.PAWN and rules.pawn_moves.shape[0]:
        text = square(origin) + takes + square(target)
        return text + (f"={LETTERS[promotion]}" if promotion else "") + check
    if kind == b.PAWN:
        text = (square(origin)[0] if takes else "") + takes + square(target)
        return text + (f"={LETTERS[promotion]}" if promotion else "") + check
    rivals = [
        parts(other)[0]
        for other in without_detente(rules, state)
        if parts(other)[1:3] == (target, kind) and parts(other)[0] != origin
    ]
    name = square(origin)
    if not rivals:
        name = ""
    elif all(rival & 7 != origin & 7 for rival in rivals):
        name = name[0]
    elif all(rival >> 3 != origin >> 3 for rival in rivals):
        name = name[1]
    return LETTERS[kind] + name + takes + square(target) + check


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the move that a text writes, in SAN or UCI, legal or not.

    Raises:
        ValueError: the text is no move of any piece on the board, or an owner has to choose a piece first; the
            message says why.
    """
    if match := CHOICE.fullmatch(text):
        cell = _last_rank_pawn(state)
        return cell | cell << 6 | LETTERS.index(match[1].upper()) << 15
    if state[b.CHOICE]:
        pawn = square(_last_rank_pawn(state))
        raise ValueError(tr("The pawn on {pawn} must be promoted first: write =Q, =R, =B or =N.", pawn=pawn))
    if match := DROP.fullmatch(text):
        cell = cell_of(match[2])
        return cell | cell << 6 | LETTERS.index(match[1] or "P") << 12 | g.DROP
    if match := UCI.fullmatch(text):
        origin, target = cell_of(match[1]), cell_of(match[2])
        piece = piece_on(state, origin)
        promotion = LETTERS.index(match[3].upper()) if match[3] else 0
        code = origin | target << 6 | (piece[1] if piece else 0) << 12 | promotion << 15
        return _with_bits(rules, state, code)
    if match := CASTLE.fullmatch(text):
        long = match[1].count("-") == 2
        king, rook = map(int, castling_homes(rules, 2 * int(state[b.COLOUR]) + long))
        if rules.start_position.shape[0] > b.USUAL_WORDS:
            return king | rook << 6 | b.KING << 12 | g.CASTLE
        return king | (king + (-2 if long else 2)) << 6 | b.KING << 12
    if match := SAN.fullmatch(text):
        return _parse_san(rules, state, text, match)
    raise ValueError(
        tr("'{move}' is not a move; write e4, Nf3, exd5, O-O, e8=Q, or g1f3 and e7e8q as in UCI", move=text)
    )


def _with_bits(rules: Any, state: Any, code: int) -> int:
    """The legal move of these parts with the bits that the general way gives it; the code itself if there is none."""
    moves = legal(rules, state) if is_general(state) else []
    return next((move for move in moves if not move & g.DROP and move & g.PARTS == code), code)


def _last_rank_pawn(state: Any) -> int:
    """Return the square of the pawn whose owner has to choose, or a corner if there is none."""
    pawns = int(state[b.PAWN]) & int(state[b.WHITE + state[b.COLOUR]]) & int(b.LAST_RANKS)
    return (pawns & -pawns).bit_length() - 1 if pawns else 0


def _parse_san(rules: Any, state: Any, text: str, match: re.Match[str]) -> int:
    letter, file, rank, takes, name, promoted = match.groups()
    kind, target = LETTERS.index(letter or "P"), cell_of(name)
    promotion = LETTERS.index(promoted) if promoted else 0
    if takes and not piece_on(state, target) and not (kind == b.PAWN and passes(state, target)):
        raise ValueError(tr("there is nothing to take on {name}", name=name))

    def fits(origin: int) -> bool:
        if extra_step(int(state[b.COLOUR]), kind, origin, target):
            return bool(file and rank and not takes) and square(origin) == f"{file}{rank}"
        written = (not file or square(origin)[0] == file) and (not rank or square(origin)[1] == rank)
        return written and (kind != b.PAWN or bool(file) or (target - origin) % 8 == 0)

    found = [
        move
        for move in legal(rules, state)
        if parts(move)[1:] == (target, kind, promotion) and fits(parts(move)[0]) and parts(move)[0] != target
    ]
    # Standard notation: a move of the king by two squares is only written O-O.
    found = [
        move
        for move in found
        if not move & (g.DROP | g.CASTLE) and (kind != b.KING or abs(target - parts(move)[0]) != 2)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(
            tr("'{move}' may be {moves}", move=text, moves=OR.join(uci(rules, state, move) for move in found))
        )
    colour = int(state[b.COLOUR])
    candidates = [cell for cell in range(64) if piece_on(state, cell) == (colour, kind) and fits(cell)]
    near = [cell for cell in candidates if not unreachable(rules, state, colour, kind, cell, target)]
    if not near:
        of = (
            tr("on file {file} ", file=file)
            if file and not rank
            else tr("on {file}{rank} ", file=file or "rank ", rank=rank)
            if rank
            else ""
        )
        what = tr("no {piece} of {colour} {of}can go to {name}")
        raise ValueError(what.format(piece=NAMES[kind], colour=COLOURS[colour], of=of, name=name))
    return near[0] | target << 6 | kind << 12 | promotion << 15


def pattern(rules: Any, word: str) -> tuple[int, int, int, int] | None:
    """What all moves that a word writes have in common: see `people.replaying.matched`; None if it is no such word."""
    bits = g.CASTLE | g.DROP
    if match := CASTLE.fullmatch(word):
        files = bits | g.PARTS & ~0o7070
        return files, b.KING << 12 | (2 if match[1].count("-") == 2 else 6) << 6 | 4, -1, 0
    if match := DROP.fullmatch(word):
        cell = cell_of(match[2])
        return bits | g.PARTS, cell | cell << 6 | LETTERS.index(match[1] or "P") << 12 | g.DROP, -1, 0
    if not (match := WRITTEN.fullmatch(word)):
        return None
    letter, file, rank, to_file, to_rank, promoted = match.groups()
    kind, whole = LETTERS.index(letter or "P"), bool(file and rank)
    x, y = "abcdefgh".index(to_file), int(to_rank or 1) - 1
    if not (to_rank or (file and not letter)):
        return None
    origins = 0
    for cell in range(64):
        near = kind != b.KING or whole or max(abs((cell & 7) - x), abs((cell >> 3) - y)) < 2
        there = (not file or "abcdefgh"[cell & 7] == file) and (not rank or cell >> 3 == int(rank) - 1)
        if near and there and (letter or file or cell & 7 == x) and (cell != x + 8 * y or not to_rank):
            origins |= 1 << cell
    mask = bits | g.PARTS & ~63 & ~(0 if to_rank else 0o7000) & ~(0o70000 if whole and not letter else 0)
    value = x << 6 | y << 9 | kind << 12 | LETTERS.index((promoted or "P").upper()) << 15
    return mask, value & mask, origins - (origins >> 63 << 64), 0


# --- Positions --------------------------------------------------------------------------------------------------------


def chooser(state: Any) -> str:
    """Who chooses the next ply, and where in the run it is."""
    who = tr("{seat}'s player", seat=COLOURS[state[b.SEAT]])
    if state[b.CHOICE]:
        return tr("{who} chooses what the pawn on {square} becomes", who=who, square=square(_last_rank_pawn(state)))
    colour = (tr("{who} moves a white piece, ply {n} of {all}"), tr("{who} moves a black piece, ply {n} of {all}"))
    return colour[state[b.COLOUR]].format(who=who, n=state[b.DONE] + 1, all=state[b.RUN])


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid, White below; dark squares are shaded."""

    def symbol(cell: int) -> str:
        piece = piece_on(state, cell)
        return SYMBOLS[6 * piece[0] + piece[1]] if piece else ""

    files, ranks = size(rules)
    notes = [
        tr("{colour} to move", colour=COLOURS[state[b.COLOUR]])
        if rules.turns == TOGGLES.turns.single
        else chooser(state)
    ]
    if rules.checks_to_win:
        given = [int(state[b.GIVEN]) & 255, int(state[b.GIVEN]) >> 8]
        notes.append(tr("checks given: White {white}, Black {black}", white=given[0], black=given[1]))
    if rules.drops != TOGGLES.drops.none:
        for colour, name in enumerate(COLOURS):
            pieces = "".join(SYMBOLS[6 * colour + kind] * count for kind, count in enumerate(hand(state, colour)))
            notes.append(tr("in {colour}'s hand: {pieces}", colour=name, pieces=pieces or "–"))
    check = tr("{colour} is in check", colour=COLOURS[state[b.COLOUR]]) if state[b.CHECKERS] else ""
    return Board(
        cells=tuple(tuple(symbol(8 * y + x) for x in range(files)) for y in range(ranks - 1, -1, -1)),
        columns=tuple("abcdefgh"[:files]),
        rows=tuple("87654321"[8 - ranks :]),
        shaded=frozenset((ranks - 1 - y, x) for y in range(ranks) for x in range(files) if (x + y) % 2 == 0),
        notes=(*notes, *filter(None, [check])),
        check=check,
    )


def uci_position(rules: Any, state: Any) -> str:
    """Return the position in the words of UCI's command ``position``: of checks those that are still to be given.

    Empty where the colour to move has been at its goal before: no game goes on so.
    """
    colour = int(state[b.COLOUR])
    if rules.flag.shape[0] and any(
        int(rules.flag[6 * colour + kind]) & int(state[kind]) & int(state[b.WHITE + colour]) for kind in range(6)
    ):
        return ""
    fen = position(rules, state)["fen"]
    if rules.checks_to_win:
        given, of_black = int(state[b.GIVEN]), rules.checks_of_black or rules.checks_to_win
        white, black = rules.checks_to_win - (given & 255), of_black - (given >> 8)
        fen = re.sub(r"(?= \S+ \S+$)", f" {white}+{black}", fen)
    return f"fen {fen}"


# --- Games as PGN -----------------------------------------------------------------------------------------------------


def pgn(
    rules: Any, moves: Iterable[int], tags: Mapping[str, str] | None = None, setup: Mapping[str, Any] | None = None
) -> str:
    """Return a game as PGN; where players choose runs of plies, a comment before each run says who chooses: {W} or {B}.

    ``tags`` are added to, or replace, the seven that PGN asks for. Under ``king: capture`` the plies need not be legal
    chess moves, and other programs may refuse them.
    """
    state = np.zeros(int(state_size(rules)), np.int64)
    start(rules, state)
    headers = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
    number = 1
    if setup is not None:
        set_up(rules, state, setup)
    if setup is not None or rules.start_position.shape[0]:
        # What is said of runs stands in tags of its own, as other programs know six fields or seven.
        words = fens(rules, [state], setup)[0].split()[: 7 if rules.checks_to_win else 6]
        number = int(words[-1])
        headers |= {"SetUp": "1", "FEN": " ".join(words)}
        if rules.turns != TOGGLES.turns.single:
            said = position(rules, state)
            headers |= {name.capitalize(): said[name] for name in ("run", "moved") if name in said}
    seen = [int(key(rules, state))]
    seen = [int(key(rules, state))]
    movetext = list(_pgn_words(rules, state, moves, seen, number))
    result, _ = outcome(rules, state, len(legal(rules, state)))
    if result == ONGOING:
        result, _ = repetition(rules, state, seen.count(seen[-1]))
    headers["Result"] = RESULTS[int(result)]
    headers |= dict(tags or {})
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in headers.items()]
    # A move stays on the line of its number and of the comment before it: a hard space is no place to break at.
    moves_text = " ".join(word.replace(" ", "\xa0") for word in [*movetext, headers["Result"]])
    wrapped = textwrap.fill(moves_text, 80, break_long_words=False, break_on_hyphens=False).replace("\xa0", " ")
    return "\n".join([*lines, "", wrapped]) + "\n"


EXPORT = "PGN"
"""The format of `export`."""
POSITION = "fen"
"""What a position on the command line is, for `set_up`."""


def export(
    rules: Any,
    moves: Sequence[int],
    texts: Sequence[str],
    result: str,
    players: tuple[str, str],
    tags: Mapping[str, str],
    setup: Mapping[str, Any] | None = None,
) -> str:
    """Return a finished or stopped game as PGN; ``result`` and ``players`` by seat: the first is White's player."""
    ending = {"first": RESULTS[1], "second": RESULTS[2], "draw": RESULTS[3]}.get(result, RESULTS[0])
    about = dict(tags) | {"White": players[0], "Black": players[1], "Result": ending}
    return pgn(rules, moves, about, setup)


def _pgn_words(rules: Any, state: Any, moves: Iterable[int], seen: list[int], number: int) -> Iterator[str]:
    """Move numbers, comments and moves; ``state`` is played to its end, its keys are added to ``seen``."""
    said, pending, interrupted = -1, "", True
    for move in moves:
        seat, colour = int(state[b.SEAT]), int(state[b.COLOUR])
        text = format_move(rules, state, move)
        if state[b.CHOICE]:
            # The owner's choice belongs to the pawn's move before it.
            yield pending + text
            yield f"{{{'WB'[seat]} promotes}}"
            pending, interrupted = "", True
        else:
            if rules.turns != TOGGLES.turns.single and seat != said:
                yield f"{{{'WB'[seat]}}}"
                said, interrupted = seat, True
            if colour == 0 or interrupted:
                yield f"{number}." if colour == 0 else f"{number}..."
            interrupted = False
        after = _after(rules, state, move)
        if after[b.CHOICE]:
            pending = text
        elif not state[b.CHOICE]:
            yield text
        if after[b.COLOUR] != colour:
            number += colour
        state[:] = after
        seen.append(int(key(rules, state)))


def _escaped(value: str) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"')
