"""How positions of chess are written and read: FEN and the place in the run, such as ``3/2``.

Source: S. J. Edwards, Portable Game Notation Specification, 1994, section 16.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.engine.contract import start
from workbench.games import positions
from workbench.games.chess import kernel
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES
from workbench.language import tr

LETTERS = "PNBRQK"
COLOURS = (tr("White"), tr("Black"))
RUN = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
NUMBER = re.compile(r"[0-9]{1,5}")
MOST_IN_HAND = 64
"""More pieces of a kind than a game has."""
CHECKS = re.compile(r"([0-9])\+([0-9])")


def square(cell: int) -> str:
    """The name of a square."""
    return "abcdefgh"[cell & 7] + str((cell >> 3) + 1)


def cell_of(name: str) -> int:
    """The number of the square that a name such as "e4" stands for."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def piece_on(state: Any, cell: int) -> tuple[int, int] | None:
    """Colour and kind of the piece on a square."""
    for colour in (0, 1):
        if (int(state[b.WHITE + colour]) >> cell) & 1:
            return colour, next(kind for kind in range(6) if (int(state[kind]) >> cell) & 1)
    return None


def size(rules: Any) -> tuple[int, int]:
    """The files and ranks of the board."""
    drawn = rules.start_position
    return (int(drawn[g.FILES]), int(drawn[g.RANKS])) if drawn.shape[0] > b.USUAL_WORDS else (8, 8)


def hand(state: Any, colour: int) -> list[int]:
    """How many pieces of each kind a colour has in hand."""
    if not state[b.CHANGED] & b.GENERAL:
        return [0] * 6
    return [(int(state[b.HAND + colour]) >> (g.IN_HAND * kind)) & 255 for kind in range(6)]


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Writes a position into ``state``.

    ``setup`` has ``fen``; the four last fields may be missing. ``checks`` are those that White and Black have given,
    such as "1+0", where they are counted. ``run`` is the place in the run, such as "3/2": a run of
    three plies, of which the second is next; without it the first run of a game begins. Who chooses follows from colour
    and place. ``moved``, squares with spaces between, says which pieces were moved in this run (for the Detente rules).
    A pawn of the colour to move on its last rank waits for its owner's choice.

    Raises:
        ValueError: the position or the place makes no sense; the message says why.
    """
    given = positions.read(
        setup,
        fen=positions.words(),
        run=positions.words(tr("a place such as 3/2"), ""),
        moved=positions.words("squares", ""),
        checks=positions.words(tr("checks such as 1+0"), ""),
    )
    start(rules, state)
    fields = given["fen"].split()
    defaults = ["", "w", "-", "-", "0", "1"]
    if not 1 <= len(fields) <= len(defaults):
        raise ValueError(tr("a FEN has six fields: board, colour, castling, en passant, clock and move number"))
    fields += defaults[len(fields) :]
    _put_pieces(rules, state, fields[0])
    if fields[1] not in ("w", "b"):
        raise ValueError(tr("FEN: the colour to move is w or b, not '{fields}'", fields=fields[1]))
    colour = "wb".index(fields[1])
    state[b.COLOUR] = colour
    state[b.CASTLING] = _castling(rules, state, fields[2])
    state[b.PASSANT] = _passant(rules, state, colour, fields[3])
    if not (NUMBER.fullmatch(fields[4]) and NUMBER.fullmatch(fields[5])):
        clock = positions.shortened(f"{fields[4]} {fields[5]}")
        raise ValueError(
            tr("FEN: clock and move number are whole numbers of at most five digits, not {clock}", clock=clock)
        )
    state[b.CLOCK] = int(fields[4])
    state[b.WAIT] = max(0, b.LONGEST_WAIT - 2 * (max(1, int(fields[5])) - 1) - colour)
    _put_run(rules, state, given["run"], given["moved"])
    _put_checks(rules, state, given["checks"])
    general = bool(state[b.CHANGED] & b.GENERAL)
    if general:
        _check_pawns(rules, state)
    waiting = int(state[b.PAWN]) & int(state[b.WHITE + colour]) & (0xFF if colour else 0xFF << 56)
    if not general and (int(state[b.PAWN]) & int(b.LAST_RANKS) & ~waiting or waiting & (waiting - 1)):
        raise ValueError(tr("FEN: a pawn stands on the first or the last rank"))
    if waiting and not general:
        if rules.promotion_by != TOGGLES.promotion_by.owner or state[b.SEAT] == colour:
            raise ValueError(
                tr("FEN: a pawn on its last rank waits for its owner's choice only under promotion_by: owner")
            )
        state[b.SEAT] = colour
    kernel.complete(rules, state)
    idle = 1 - colour
    if general:
        waiting = 0
        if g.in_danger(rules, state, idle):
            raise ValueError(tr("FEN: {colour}'s king could be taken", colour=COLOURS[idle]))
    elif rules.king == TOGGLES.king.checkmate:
        king: Any = np.int64(b.king_square(state, idle))
        word: Any = np.int64(state[b.WHITE] | state[b.BLACK])
        side: Any = np.int64(colour)
        if r.attackers(rules, state, king, side, word) and not waiting:
            raise ValueError(tr("FEN: {colour}'s king could be taken", colour=COLOURS[idle]))


def _check_pawns(rules: Any, state: Any) -> None:
    """Refuses pawns on their last rank, and on their first one but where colours may begin so."""
    top = 8 * (int(state[b.RANKS]) - 1)
    for side, (first, last) in enumerate(((0, top), (top, 0))):
        pawns = int(state[b.PAWN]) & int(state[b.WHITE + side])
        if rules.flag.shape[0]:
            pawns &= ~int(rules.flag[6 * side + b.PAWN])
        if pawns >> last & 0xFF or (pawns >> first & 0xFF and not rules.extinction.shape[0]):
            raise ValueError(tr("FEN: a pawn stands on the first or the last rank"))


def _put_pieces(rules: Any, state: Any, text: str) -> None:
    state[: b.BLACK + 1] = 0
    if state[b.CHANGED] & b.GENERAL:
        state[b.HAND : b.HAND + 2] = 0
    text, in_hand = _in_hand(rules, text)
    rows = text.split("/")
    files, ranks = size(rules)
    if len(rows) != ranks:
        raise ValueError(
            tr("FEN: a board has {n} ranks with / between, not {found}", n=ranks, found=positions.shortened(text))
        )
    for y, row in zip(range(ranks - 1, -1, -1), rows, strict=True):
        x = 0
        for letter in row:
            if letter in "0123456789":
                x += int(letter)
            elif letter == "~" and rules.drops == TOGGLES.drops.captured and x:
                state[b.PROMOTED] |= b.bit(np.int64(8 * y + x - 1))
            elif letter.upper() in LETTERS and x < files:
                colour: Any = np.int64(letter.islower())
                kind: Any = np.int64(LETTERS.index(letter.upper()))
                cell: Any = np.int64(8 * y + x)
                kernel.put(state, colour, kind, cell)
                x += 1
            else:
                raise ValueError(tr("FEN: '{letter}' in rank {y} is no piece", letter=letter, y=y + 1))
        if x != files:
            raise ValueError(tr("FEN: rank {rank} has {squares} squares", rank=y + 1, squares=x))
    for letter in in_hand or "":
        state[b.HAND + letter.islower()] += 1 << (g.IN_HAND * LETTERS.index(letter.upper()))
    for side, (colour_name, word) in enumerate(zip(COLOURS, (b.WHITE, b.BLACK), strict=True)):
        pieces = int(state[word])
        kings = (pieces & int(state[b.KING]) & 0xFFFFFFFFFFFFFFFF).bit_count() + hand(state, side)[b.KING]
        ordinary = rules.king == TOGGLES.king.ordinary
        kingless = rules.king == TOGGLES.king.capture or side in rules.extinction[::3]
        if not ordinary and (kings > 1 or (kings == 0 and not kingless)):
            raise ValueError(tr("FEN: {colour_name} has {kings} kings", colour_name=colour_name, kings=kings))
        # The kernel's buffers hold the moves of such positions, and not of sixteen queens.
        counts = [(pieces & int(state[kind]) & 0xFFFFFFFFFFFFFFFF).bit_count() for kind in range(6)]
        grown = counts[0] + sum(max(0, n - first) for n, first in zip(counts[1:], (2, 2, 2, 1, 1), strict=True))
        if grown > 8 and not state[b.CHANGED] & b.GENERAL:
            raise ValueError(
                tr("FEN: {colour_name} has more pieces than eight pawns can become", colour_name=colour_name)
            )


def _in_hand(rules: Any, text: str) -> tuple[str, str | None]:
    """The board of a FEN and the pieces in hand behind it, such as [Pn]; None where nothing is dropped."""
    if rules.drops == TOGGLES.drops.none:
        return text, None
    match = re.fullmatch(r"([^\[\]]*)(?:\[([PNBRQKpnbrqk]*)-?\])?", text)
    if not match or max(map((match[2] or "").count, match[2] or " ")) > MOST_IN_HAND:
        raise ValueError(tr("FEN: pieces in hand stand behind the board, such as [Pn], not {found}", found=text))
    return match[1], match[2] or ""


def _castling(rules: Any, state: Any, text: str) -> int:
    rights = 0
    for letter in text.replace("-", ""):
        rank = 0 if letter.isupper() else 7
        which = "KQkq".find(letter)
        if which < 0 and letter.upper() in "ABCDEFGH" and size(rules) == (8, 8):
            rook = 8 * rank + "ABCDEFGH".index(letter.upper())
            which = next((n for n in (2 * (rank > 0), 2 * (rank > 0) + 1) if g.rook_home(rules, n) == rook), -1)
        if which < 0:
            raise ValueError(
                tr("FEN: castling rights are some of KQkq, or -, not {found}", found=positions.shortened(text))
            )
        side: Any = np.int64(which >> 1)
        right: Any = np.int64(which)
        home = (which >> 1, b.KING), (which >> 1, b.ROOK)
        if (piece_on(state, int(g.king_home(rules, side))), piece_on(state, int(g.rook_home(rules, right)))) != home:
            raise ValueError(
                tr("FEN: castling {letter}, but king and rook are not on their first squares", letter=letter)
            )
        rights |= 1 << which
    return rights


def _passant(rules: Any, state: Any, colour: int, text: str) -> int:
    if text == "-":
        return 0
    if not re.fullmatch(r"[a-h][1-8]", text):
        raise ValueError(tr("FEN: '{square}' is no square to take on en passant", square=text))
    cell = cell_of(text)
    if state[b.CHANGED] & b.GENERAL:
        return _passant_generally(rules, state, colour, cell)
    passed = [int(b.DOUBLE_STEPS[rules.pawn_double_step, side]) & int(b.INNER_RANKS) for side in (0, 1)]
    if not ((passed[0] | passed[1]) >> cell) & 1:
        raise ValueError(tr("FEN: '{square}' is no square to take on en passant", square=text))
    if not (passed[1 - colour] >> cell) & 1 or piece_on(state, cell - 8 + 16 * colour) != (1 - colour, b.PAWN):
        raise ValueError(tr("FEN: no pawn has just passed {square}", square=text))
    if piece_on(state, cell) or piece_on(state, cell + 8 - 16 * colour):
        raise ValueError(tr("FEN: no pawn can have passed {square}", square=text))
    return cell


def _passant_generally(rules: Any, state: Any, colour: int, cell: int) -> int:
    """The same where pawns move by other rules: one step before the square lies one from which a pawn has come."""
    ahead = 1 - 2 * (1 - colour)
    ways = [0]
    if rules.pawn_moves.shape[0]:
        first, last = (int(n) for n in r.bounds(rules.pawn_moves, 1 - colour))
        rays = rules.pawn_moves[first:last].reshape(-1, r.WORDS).tolist()
        ways = [right * ahead for right, step, moves, _ in rays if step == 1 and moves]
    for aside in ways:
        x, y = cell % 8 + aside, cell // 8 + ahead
        before = (cell % 8 - aside, cell // 8 - ahead)
        if not all(0 <= place < 8 for place in (x, y, *before)):
            continue
        if piece_on(state, 8 * y + x) == (1 - colour, b.PAWN) and not piece_on(state, cell):
            state[b.PASSED] = 8 * y + x
            return cell
    raise ValueError(tr("FEN: no pawn has just passed {square}", square=square(cell)))


def _own_ply(rules: Any, run: int, ply: int) -> bool:
    """Whether the colour that moves at this place of a run is the chooser's own."""
    if b.own_turns(rules):
        return True
    if rules.turns == TOGGLES.turns.balanced and run < 3:
        return ply == 2
    if rules.turns == TOGGLES.turns.progressive:
        return (run * (run - 1) // 2 + ply - 1) % 2 == (run - 1) % 2
    return ply % 2 == 1


def _put_run(rules: Any, state: Any, place: str, moved: str) -> None:
    state[b.MOVED] = 0
    kernel.begin_run(rules, state)
    if place:
        match = RUN.fullmatch(place)
        if not match:
            raise ValueError(
                tr(
                    "the place in the run: write 3/2 for a run of three whose second ply is next, not {found}",
                    found=positions.shortened(place),
                )
            )
        run, ply = int(match[1]), int(match[2])
        most = {
            TOGGLES.turns.single: (1, 1),
            TOGGLES.turns.triple: (3, 3),
            TOGGLES.turns.balanced: (1, 3),
            TOGGLES.turns.progressive: (1, 1000),
            TOGGLES.turns.double: (2, 2),
            TOGGLES.turns.double_balanced: (1, 2),
            TOGGLES.turns.progressive_own: (1, 1000),
        }[rules.turns]
        if not most[0] <= run <= most[1] or ply > run:
            allowed = f"{most[0]}" if most[0] == most[1] else tr("{fewest} to {most}", fewest=most[0], most=most[1])
            raise ValueError(
                tr(
                    "'{place}': here runs have {allowed} plies, and a place is at most the run's length",
                    place=place,
                    allowed=allowed,
                )
            )
        state[b.RUN], state[b.DONE] = run, ply - 1
        state[b.SEAT] = state[b.COLOUR] if _own_ply(rules, run, ply) else 1 - state[b.COLOUR]
    for name in moved.split():
        piece = piece_on(state, cell_of(name)) if re.fullmatch("[a-h][1-8]", name) else None
        if not piece:
            raise ValueError(tr("moved: there is no piece on {name}", name=name))
        own = piece[0] == state[b.SEAT]
        if (
            (rules.same_piece == TOGGLES.same_piece.only_if_forced)
            if own
            else (rules.moved_enemy == TOGGLES.moved_enemy.safe)
        ):
            bit: Any = b.bit(np.int64(cell_of(name)))
            state[b.MOVED] |= bit


def _put_checks(rules: Any, state: Any, text: str) -> None:
    if not (text and rules.checks_to_win):
        return
    match = CHECKS.fullmatch(text)
    white, black = rules.checks_to_win, rules.checks_of_black or rules.checks_to_win
    if not match or not (int(match[1]) < white and int(match[2]) < black):
        raise ValueError(
            tr(
                "checks: write 1+0 for those of White and Black, fewer than win ({n}), not {found}",
                n=white if white == black else f"{white}+{black}",
                found=positions.shortened(text),
            )
        )
    state[b.GIVEN] = int(match[1]) | int(match[2]) << 8


def position(rules: Any, state: Any) -> dict[str, str]:
    """The position as `set_up` reads it: FEN, place in the run, what was moved in it, checks if they count."""
    rows = []
    files, ranks = size(rules)
    drops = rules.drops != TOGGLES.drops.none
    for y in range(ranks - 1, -1, -1):
        row = ""
        for x in range(files):
            piece = piece_on(state, 8 * y + x)
            row += (LETTERS[piece[1]].lower() if piece[0] else LETTERS[piece[1]]) if piece else "1"
            if drops and (int(state[b.PROMOTED]) >> (8 * y + x)) & 1:
                row += "~"
        rows.append(re.sub("1+", lambda ones: str(len(ones[0])), row))
    castling = "".join(letter for i, letter in enumerate("KQkq") if (int(state[b.CASTLING]) >> i) & 1)
    passant = square(int(state[b.PASSANT])) if state[b.PASSANT] else "-"
    number = 1 if rules.castling != TOGGLES.castling.after_move_10 else 11 - (int(state[b.WAIT]) + 1) // 2
    board = "/".join(rows)
    if drops:
        letters = (LETTERS, LETTERS.lower())
        held = "".join(
            letters[colour][kind] * count for colour in (0, 1) for kind, count in enumerate(hand(state, colour))
        )
        board += f"[{held}]"
    fen = f"{board} {'wb'[state[b.COLOUR]]} {castling or '-'} {passant} {state[b.CLOCK]} {number}"
    moved = " ".join(square(cell) for cell in range(64) if (int(state[b.MOVED]) >> cell) & 1)
    fields = {"fen": fen, "run": f"{state[b.RUN]}/{state[b.DONE] + 1}"}
    if rules.checks_to_win:
        fields["checks"] = f"{state[b.GIVEN] & 255}+{state[b.GIVEN] >> 8}"
    return fields | {"moved": moved} if moved else fields
