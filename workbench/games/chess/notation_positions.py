"""Positions of chess as text: FEN and the place in the run, such as ``3/2``.

Source: S. J. Edwards, Portable Game Notation Specification, 1994, section 16.1.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any

import numpy as np

from workbench.base.language import SEMICOLON, join, tr
from workbench.engine.contract import start
from workbench.games import boards as positions
from workbench.games.chess import kernel
from workbench.games.chess import kernel_board as b
from workbench.games.chess import kernel_general as g
from workbench.games.chess import kernel_rays as r
from workbench.games.chess.kernel_board import TOGGLES

LETTERS = "PNBRQK"
COLOURS = (tr("White"), tr("Black"))
RUN = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
MOST_IN_HAND = 64
"""An upper bound on the number of pieces of a kind in a game."""
CHECKS = re.compile(r"([0-9])\+([0-9])")
NAMED = ("board", "colour", "castling", "passant")
"""The positional fields of a FEN."""
FURTHER = {
    "clock": r"[0-9]{1,5}|-", "number": r"[0-9]{1,5}|-", "checks left": r"[0-9]\+[0-9]", "checks": r"\+[0-9]\+[0-9]",
    "run": r"[0-9]+/[0-9]+", "moved": r"[a-h][1-8](?:,[a-h][1-8])*",
}  # fmt: skip
"""Patterns of the other fields. ``checks left`` are still needed to win, ``checks`` have been given."""
LENGTHS = {
    TOGGLES.turns.single: (1, 1), TOGGLES.turns.triple: (3, 3), TOGGLES.turns.balanced: (1, 3),
    TOGGLES.turns.progressive: (1, 1000), TOGGLES.turns.double: (2, 2), TOGGLES.turns.double_balanced: (1, 2),
    TOGGLES.turns.progressive_own: (1, 1000),
}  # fmt: skip
"""The lengths of the shortest and longest runs by setting of `turns`."""


def square(cell: int) -> str:
    """Return the name of a square."""
    return "abcdefgh"[cell & 7] + str((cell >> 3) + 1)


def parse_square(name: str) -> int:
    """Return the number of a square from its name."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def piece_on(state: Any, cell: int) -> tuple[int, int] | None:
    """Return the colour and kind of the piece on a square, or None."""
    for colour in (0, 1):
        if (int(state[b.WHITE + colour]) >> cell) & 1:
            return colour, next(kind for kind in range(6) if (int(state[kind]) >> cell) & 1)
    return None


def size(rules: Any) -> tuple[int, int]:
    """Return the numbers of files and ranks."""
    setup = rules.start_position
    return (int(setup[g.FILES]), int(setup[g.RANKS])) if setup.shape[0] > b.USUAL_WORDS else (8, 8)


def hand(state: Any, colour: int) -> list[int]:
    """Return the number of pieces of each kind in a colour's hand."""
    if not state[b.CHANGED] & b.GENERAL:
        return [0] * 6
    return [(int(state[b.HAND + colour]) >> (g.IN_HAND * kind)) & 255 for kind in range(6)]


def fields(text: str) -> dict[str, str]:
    """Return the fields of a FEN by name, omitting missing fields.

    Raises:
        ValueError: a field is unknown or repeated.
    """
    words = text.split() or [""]
    values = dict(zip(NAMED, words, strict=False))
    for word in words[len(NAMED) :]:
        name = next((key for key, pattern in FURTHER.items() if key not in values and re.fullmatch(pattern, word)), "")
        if not name:
            message = tr(
                "FEN: {word} is repeated, or is neither clock and move number (at most five digits each) nor "
                "checks (2+3 or +1+0), run (3/2) or moved pieces (e4,f6)"
            )
            raise ValueError(message.format(word=positions.shortened(word)))
        values[name] = word.replace(",", " ").lstrip("+")
    return values


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Write a position into ``state``.

    ``setup`` has ``fen``, whose only mandatory field is the board. Fields after the move number may also be separate
    keys: ``checks`` given by White and Black, such as "1+0", if the rules count them; ``run``, the place in the run,
    such as "3/2" (a run of three plies whose second is next), by default the game's first; and ``moved``, the squares
    of the pieces moved in this run, separated by spaces (for the Detente rules). A pawn of the colour to move on its
    last rank awaits its owner's choice.

    Raises:
        ValueError: the position or the place is invalid, or two fields contradict each other.
    """
    entries = positions.read(
        setup,
        fen=positions.words(),
        run=positions.words(tr("a place such as 3/2"), ""),
        moved=positions.words("squares", ""),
        checks=positions.words(tr("checks such as 1+0"), ""),
    )
    start(rules, state)
    fen_fields = {"colour": "w", "castling": "-", "passant": "-"} | fields(entries["fen"])
    _set_pieces(rules, state, fen_fields["board"])
    if fen_fields["colour"] not in [*"wWbB"]:
        raise ValueError(tr("FEN: the colour to move must be w or b, not '{fields}'", fields=fen_fields["colour"]))
    colour = "wb".index(fen_fields["colour"].lower())
    state[b.COLOUR] = colour
    state[b.CASTLING] = _castling(rules, state, fen_fields["castling"])
    state[b.PASSANT] = _passant(rules, state, colour, fen_fields["passant"])
    state[b.CLOCK] = int(fen_fields.get("clock", "-").replace("-", "0"))
    state[b.WAIT] = max(0, b.LONGEST_WAIT - 2 * (max(1, _move_number(fen_fields)) - 1) - colour)
    run, moved = (_single_value(name, entries[name], fen_fields.get(name, "")) for name in ("run", "moved"))
    _set_run(rules, state, run, moved)
    _set_checks(rules, state, entries["checks"], fen_fields.get("checks left", ""), fen_fields.get("checks", ""))
    general = bool(state[b.CHANGED] & b.GENERAL)
    if general:
        _check_pawns(rules, state)
    waiting = int(state[b.PAWN]) & int(state[b.WHITE + colour]) & (0xFF if colour else 0xFF << 56)
    if not general and (int(state[b.PAWN]) & int(b.LAST_RANKS) & ~waiting or waiting & (waiting - 1)):
        raise ValueError(tr("FEN: there is a pawn on the first or last rank"))
    if waiting and not general:
        if rules.promotion_by != TOGGLES.promotion_by.owner or state[b.SEAT] == colour:
            raise ValueError(
                tr("FEN: a pawn can await its owner's choice on its last rank only with promotion_by: owner")
            )
        state[b.SEAT] = colour
    kernel.complete(rules, state)
    opponent = 1 - colour
    if general:
        waiting = 0
        if g.checking_pieces(rules, state, opponent):
            raise ValueError(tr("FEN: {colour}'s king could be captured", colour=COLOURS[opponent]))
    elif rules.king == TOGGLES.king.checkmate:
        king: Any = np.int64(b.king_square(state, opponent))
        word: Any = np.int64(state[b.WHITE] | state[b.BLACK])
        side: Any = np.int64(colour)
        if r.attackers(rules, state, king, side, word) and not waiting:
            raise ValueError(tr("FEN: {colour}'s king could be captured", colour=COLOURS[opponent]))


def _check_pawns(rules: Any, state: Any) -> None:
    """Raise ValueError for pawns on the last rank, or on the first unless the start position may have them there."""
    top = 8 * (int(state[b.RANKS]) - 1)
    for side, (first, last) in enumerate(((0, top), (top, 0))):
        pawns = int(state[b.PAWN]) & int(state[b.WHITE + side])
        if rules.flag.shape[0]:
            pawns &= ~int(rules.flag[6 * side + b.PAWN])
        if pawns >> last & 0xFF or (pawns >> first & 0xFF and not rules.extinction.shape[0]):
            raise ValueError(tr("FEN: there is a pawn on the first or last rank"))


def _set_pieces(rules: Any, state: Any, text: str) -> None:
    state[: b.BLACK + 1] = 0
    if state[b.CHANGED] & b.GENERAL:
        state[b.HAND : b.HAND + 2] = 0
    rows, in_hand = _in_hand(rules, text)
    files, ranks = size(rules)
    problems = []
    for y, row in zip(range(ranks - 1, -1, -1), rows, strict=True):
        x = 0
        for letter in row:
            if letter.isdecimal() and letter.isascii():
                x += int(letter)
            elif letter == "~" and 0 < x <= files and (piece_on(state, 8 * y + x - 1) or (0, b.PAWN))[1] != b.PAWN:
                if rules.drops == TOGGLES.drops.captured:
                    state[b.PROMOTED] |= b.bit(np.int64(8 * y + x - 1))
            elif letter.upper() not in LETTERS:
                problems.append(tr("'{letter}' in rank {y} is not a piece", letter=letter, y=y + 1))
            else:
                if x < files:
                    colour: Any = np.int64(letter.islower())
                    kind: Any = np.int64(LETTERS.index(letter.upper()))
                    cell: Any = np.int64(8 * y + x)
                    kernel.put(state, colour, kind, cell)
                x += 1
        if x != files:
            problems.append(tr("rank {rank} has {squares} squares, not {files}", rank=y + 1, squares=x, files=files))
    if problems:
        raise ValueError(tr("FEN: {problems}", problems=join(SEMICOLON, problems)))
    for letter in in_hand:
        state[b.HAND + letter.islower()] += 1 << (g.IN_HAND * LETTERS.index(letter.upper()))
    for side, (colour_name, word) in enumerate(zip(COLOURS, (b.WHITE, b.BLACK), strict=True)):
        pieces = int(state[word])
        kings = (pieces & int(state[b.KING]) & 0xFFFFFFFFFFFFFFFF).bit_count() + hand(state, side)[b.KING]
        ordinary = rules.king == TOGGLES.king.ordinary
        may_be_lost = rules.king == TOGGLES.king.capture or rules.blast != TOGGLES.blast.none
        kingless = may_be_lost or side in rules.extinction[::3]
        if not ordinary and (kings > 1 or (kings == 0 and not kingless)):
            raise ValueError(tr("FEN: {colour_name} has {kings} kings", colour_name=colour_name, kings=kings))
        # The kernel's buffers would be too small for sixteen queens.
        counts = [(pieces & int(state[kind]) & 0xFFFFFFFFFFFFFFFF).bit_count() for kind in range(6)]
        with_promoted = counts[0] + sum(max(0, n - first) for n, first in zip(counts[1:], (2, 2, 2, 1, 1), strict=True))
        if with_promoted > 8 and not state[b.CHANGED] & b.GENERAL:
            message = tr("FEN: {colour_name} has more pieces than eight promotions allow")
            raise ValueError(message.format(colour_name=colour_name))


def _in_hand(rules: Any, text: str) -> tuple[list[str], str]:
    """Return a board's ranks and the pieces in hand, which follow in brackets or as an additional rank."""
    board, bracket, in_hand = text.partition("[")
    rows, ranks = board.split("/"), size(rules)[1]
    if len(rows) == ranks + 1 and not re.search("[0-9~]", rows[-1]) and not (rows[-1] and bracket):
        in_hand = rows.pop() + in_hand
    if len(rows) != ranks:
        excerpt = positions.shortened(text)
        message = tr("FEN: a board has {n} ranks separated by /, not {count}: {found}")
        raise ValueError(message.format(n=ranks, count=len(rows), found=excerpt))
    pieces = in_hand.removesuffix("]").replace("-", "")
    if (bracket and not in_hand.endswith("]")) or not set(pieces.upper()) <= {*LETTERS}:
        raise ValueError(tr("FEN: pieces in hand follow the board, as in [Pn], not {found}", found=text))
    if max(map(pieces.count, pieces), default=0) > (MOST_IN_HAND if rules.drops != TOGGLES.drops.none else 0):
        raise ValueError(tr("FEN: more pieces in hand than these rules allow: {found}", found=pieces))
    return rows, pieces


def _castling(rules: Any, state: Any, text: str) -> int:
    rights = 0
    for letter in text.replace("-", ""):
        rank = 0 if letter.isupper() else 7
        index = "KQkq".find(letter)
        if index < 0 and letter.upper() in "ABCDEFGH" and size(rules) == (8, 8):
            rook = 8 * rank + "ABCDEFGH".index(letter.upper())
            index = next((n for n in (2 * (rank > 0), 2 * (rank > 0) + 1) if g.rook_home(rules, n) == rook), -1)
        if index < 0:
            error = tr("FEN: castling rights are any of KQkq, or -, not {found}")
            raise ValueError(error.format(found=positions.shortened(text)))
        side: Any = np.int64(index >> 1)
        right: Any = np.int64(index)
        home = (index >> 1, b.KING), (index >> 1, b.ROOK)
        king, rook = int(g.king_home(rules, side)), int(g.rook_home(rules, right))
        outer = letter.upper() in "KQ" and rook in _inner_rooks(state, index >> 1, king)
        if outer or (piece_on(state, king), piece_on(state, rook)) != home:
            error = tr("FEN: castling right {letter} is given, but the king and rook are not on their initial squares")
            raise ValueError(error.format(letter=letter))
        rights |= 1 << index
    return rights


def _inner_rooks(state: Any, colour: int, king: int) -> set[int]:
    """Return the rooks on a king's rank that K and Q do not denote because another rook is farther out."""
    rank = [cell for cell in range(king & ~7, (king & ~7) + 8) if piece_on(state, cell) == (colour, b.ROOK)]
    return {*[cell for cell in rank if cell < king][1:], *[cell for cell in rank if cell > king][:-1]}


def _passant(rules: Any, state: Any, colour: int, text: str) -> int:
    if text == "-":
        return 0
    if not re.fullmatch(r"[a-h][1-8]", text):
        raise ValueError(tr("FEN: '{square}' is not an en passant square", square=text))
    cell = parse_square(text)
    if state[b.CHANGED] & b.GENERAL:
        return _general_passant(rules, state, colour, cell)
    passed = [int(b.DOUBLE_STEPS[rules.pawn_double_step, side]) & int(b.INNER_RANKS) for side in (0, 1)]
    if not ((passed[0] | passed[1]) >> cell) & 1:
        raise ValueError(tr("FEN: '{square}' is not an en passant square", square=text))
    if not (passed[1 - colour] >> cell) & 1 or piece_on(state, cell - 8 + 16 * colour) != (1 - colour, b.PAWN):
        raise ValueError(tr("FEN: no pawn has just passed {square}", square=text))
    if piece_on(state, cell) or piece_on(state, cell + 8 - 16 * colour):
        raise ValueError(tr("FEN: no pawn can have passed {square}", square=text))
    return cell


def _general_passant(rules: Any, state: Any, colour: int, cell: int) -> int:
    """Return the en passant square, as `_passant` does, for pawns with non-standard moves."""
    ahead = 1 - 2 * (1 - colour)
    sideways_steps = [0]
    if rules.pawn_moves.shape[0]:
        first, last = (int(n) for n in r.bounds(rules.pawn_moves, 1 - colour))
        rays = rules.pawn_moves[first:last].reshape(-1, r.WORDS).tolist()
        sideways_steps = [right * ahead for right, step, moves, _ in rays if step == 1 and moves]
    for sideways in sideways_steps:
        x, y = cell % 8 + sideways, cell // 8 + ahead
        origin = (cell % 8 - sideways, cell // 8 - ahead)
        if not all(0 <= coordinate < 8 for coordinate in (x, y, *origin)):
            continue
        if piece_on(state, 8 * y + x) == (1 - colour, b.PAWN) and not piece_on(state, cell):
            state[b.PASSED] = 8 * y + x
            return cell
    raise ValueError(tr("FEN: no pawn has just passed {square}", square=square(cell)))


def _is_own_ply(rules: Any, run: int, ply: int) -> bool:
    """Return whether the chooser moves a piece of the chooser's own colour at this place in a run."""
    if b.own_turns(rules):
        return True
    if rules.turns == TOGGLES.turns.balanced and run < 3:
        return ply == 2
    if rules.turns == TOGGLES.turns.progressive:
        return (run * (run - 1) // 2 + ply - 1) % 2 == (run - 1) % 2
    return ply % 2 == 1


def _set_run(rules: Any, state: Any, place: str, moved: str) -> None:
    state[b.MOVED] = 0
    kernel.begin_run(rules, state)
    if place:
        match = RUN.fullmatch(place)
        if not match:
            message = tr("the place in the run: write 3/2 for a run of three whose second ply is next, not {found}")
            raise ValueError(message.format(found=positions.shortened(place)))
        run, ply = int(match[1]), int(match[2])
        shortest, longest = LENGTHS[rules.turns]
        if not shortest <= run <= longest or ply > run:
            allowed = f"{shortest}" if shortest == longest else tr("{fewest} to {most}", fewest=shortest, most=longest)
            message = tr("'{place}': here runs have {allowed} plies, and a place cannot exceed the run's length")
            raise ValueError(message.format(place=place, allowed=allowed))
        state[b.RUN], state[b.DONE] = run, ply - 1
        state[b.SEAT] = state[b.COLOUR] if _is_own_ply(rules, run, ply) else 1 - state[b.COLOUR]
    for name in moved.split():
        piece = piece_on(state, parse_square(name)) if re.fullmatch("[a-h][1-8]", name) else None
        if not piece:
            raise ValueError(tr("moved: there is no piece on {name}", name=name))
        own_piece = piece[0] == state[b.SEAT]
        if (
            (rules.same_piece == TOGGLES.same_piece.only_if_forced)
            if own_piece
            else (rules.moved_enemy == TOGGLES.moved_enemy.safe)
        ):
            bit: Any = b.bit(np.int64(parse_square(name)))
            state[b.MOVED] |= bit


def _move_number(fen_fields: Mapping[str, str]) -> int:
    return int(fen_fields.get("number", "-").replace("-", "1"))


def _single_value(field: str, *texts: str) -> str:
    """Return a field that may be given in several places, or ""; raise ValueError if the places disagree."""
    values = sorted({" ".join(sorted(text.split())) for text in texts if text})
    if len(values) > 1:
        message = tr("{field}: '{one}' and '{other}' contradict each other")
        raise ValueError(message.format(field=field, one=values[0], other=values[1]))
    return values[0] if values else ""


def _complement_checks(rules: Any, checks: str) -> str:
    """Convert given checks to remaining checks or vice versa; return other texts unchanged."""
    white, black = rules.checks_to_win, rules.checks_of_black or rules.checks_to_win
    match = CHECKS.fullmatch(checks)
    return f"{white - int(match[1])}+{black - int(match[2])}" if match else checks


def _set_checks(rules: Any, state: Any, own_field: str, remaining: str, given: str) -> None:
    """Set the numbers of checks from their own field, or from remaining or given checks in the FEN."""
    if not rules.checks_to_win:
        if excerpt := remaining or given:
            raise ValueError(tr("checks: these rules do not count checks; found {found}", found=excerpt))
        return
    text = _single_value("checks", own_field, _complement_checks(rules, remaining), given)
    if not text:
        return
    match, maximum = CHECKS.fullmatch(text), _complement_checks(rules, "0+0")
    if not match or not CHECKS.fullmatch(_complement_checks(rules, text)):
        excerpt = positions.shortened(remaining or text)
        message = tr("checks: write those given by White and Black as 1+0, at most {most}, not {found}")
        raise ValueError(message.format(most=maximum, found=excerpt))
    state[b.GIVEN] = int(match[1]) | int(match[2]) << 8


def position(rules: Any, state: Any) -> dict[str, str]:
    """Return the position in the format of `set_up`."""
    fen_fields = fields(fens(rules, [state])[0])
    if rules.castling == TOGGLES.castling.after_move_10:
        fen_fields["number"] = str(11 - (int(state[b.WAIT]) + 1) // 2)
    entries = {"fen": " ".join(fen_fields[name] for name in (*NAMED, "clock", "number"))}
    entries["run"] = f"{state[b.RUN]}/{state[b.DONE] + 1}"
    if rules.checks_to_win:
        entries["checks"] = _complement_checks(rules, fen_fields["checks left"])
    return entries | {name: fen_fields[name] for name in ("moved",) if name in fen_fields}


def _castling_letter(rules: Any, state: Any, right: int) -> str:
    """Return the letter of a castling right: the rook's file if K or Q would denote another rook (X-FEN)."""
    king, rook = int(g.king_home(rules, right >> 1)), int(g.rook_home(rules, right))
    if rook not in _inner_rooks(state, right >> 1, king):
        return "KQkq"[right]
    return ("abcdefgh" if right > 1 else "ABCDEFGH")[rook & 7]


def _unpack_bits(words: Any) -> Any:
    """Return the bits of each word as uint8."""
    return np.unpackbits(np.ascontiguousarray(words, "<i8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")


@functools.lru_cache(maxsize=1 << 16)
def _rank(cells: bytes) -> str:
    """Return a FEN rank, given letters (with the highest bit set for promoted pieces) and zeros for empty squares."""
    signs = "".join("." if not cell else chr(cell & 127) + "~" * (cell >> 7) for cell in cells)
    return re.sub(r"\.+", lambda gap: str(len(gap[0])), signs)


def fens(rules: Any, states: Sequence[Any], setup: Mapping[str, Any] | None = None) -> list[str]:
    """Return the positions of a game in the format of `set_up`.

    Remaining checks precede the clock, as in three-check chess. If turns have several plies, the place in the run and
    the moved pieces follow the move number.
    """
    words, (files, ranks) = np.array(states, np.int64), size(rules)
    cells = np.zeros((len(words), 64), np.uint8)
    for index, letter in enumerate(LETTERS + LETTERS.lower()):
        cells += ord(letter) * _unpack_bits(words[:, index % 6] & words[:, b.WHITE + index // 6])
    drops = rules.drops != TOGGLES.drops.none
    if drops:
        cells += 128 * _unpack_bits(words[:, b.PROMOTED])
    rows = np.ascontiguousarray(cells.reshape(-1, 8, 8)[:, ranks - 1 :: -1, :files]).tobytes()
    texts, number, last_colour = [], _move_number(fields(setup["fen"]) if setup else {}), 0
    standard, runs = rules.start_position.shape[0] <= b.USUAL_WORDS, rules.turns != TOGGLES.turns.single
    checks = rules.checks_to_win
    for ply, state in enumerate(words.tolist()):
        offset, colour = files * ranks * ply, state[b.COLOUR]
        number, last_colour = number + (last_colour > colour), colour
        board = "/".join(_rank(rows[offset + files * y : offset + files * (y + 1)]) for y in range(ranks))
        if drops:
            hands = ["".join(map(mul, reversed(LETTERS), reversed(hand(state, side)))) for side in (0, 1)]
            board += f"[{hands[0]}{hands[1].lower()}]"
        rights = "KQkq" if standard else [_castling_letter(rules, state, i) for i in range(4)]
        castling = "".join(letter for i, letter in enumerate(rights) if state[b.CASTLING] >> i & 1)
        text = f"{board} {'wb'[colour]} {castling or '-'} {square(state[b.PASSANT]) if state[b.PASSANT] else '-'}"
        if checks:
            text += f" {_complement_checks(rules, f'{state[b.GIVEN] & 255}+{state[b.GIVEN] >> 8}')}"
        text += f" {state[b.CLOCK]} {number}"
        if runs:
            moved = ",".join(square(cell) for cell in range(64) if state[b.MOVED] >> cell & 1)
            text = f"{text} {state[b.RUN]}/{state[b.DONE] + 1} {moved}".rstrip()
        texts.append(text)
    return texts
