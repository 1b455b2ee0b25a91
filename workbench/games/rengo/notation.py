"""Notation of moves and boards of the mixed game, and reasons why a move is illegal.

Units are single letters as in 「続・連合将棋」. A plus sign precedes promoted shogi pieces and 卒, and an apostrophe
follows the second player's units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from workbench.base.errors import expected
from workbench.base.language import tr
from workbench.engine.contract import legal_moves, max_moves
from workbench.games import boards as positions
from workbench.games.declaration import Board
from workbench.games.rengo import kernel
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo import rules as r
from workbench.games.rengo.kernel_board import TOGGLES
from workbench.games.results import SEATS

COLUMNS = "abcdefghijklmnopqrs"
SQUARE = r"([a-s])(1[0-9]|[1-9])"
MOVE = re.compile(rf"{SQUARE}-{SQUARE}(\+|=.)?(?::(.+))?")
DROP = re.compile(rf"(.)\*{SQUARE}")
ASCII = dict(zip("PLNSGBRIOJ", "歩香桂銀金角飛碁翻珠", strict=True))
CHOICES = {"Q": "后", "R": "城", "B": "僧", "N": "騎"}
SEAT_NAMES = (tr("First"), tr("Second"))
MOST_HELD = 361
"""The maximum number of prisoners, and of units of one kind in hand, in a position entered by hand."""
EXAMPLES = tr("c3-c4, c3-c2+, h2-h1=后, c7-e5:d6, 歩*e5 (or P*e5) or pass")


def square(rules: Any, cell: int) -> str:
    """Return the name of a cell."""
    row, column = divmod(int(cell) - b.BOARD, rules.board + 3)
    return f"{COLUMNS[column - 3]}{row - 2}"


def _cell(rules: Any, column: str, row: str) -> int:
    x, y = COLUMNS.index(column), int(row) - 1
    if x >= rules.board or y >= rules.board:
        message = tr("{column}{row} is not on the {board}×{board} board")
        raise ValueError(message.format(column=column, row=row, board=rules.board))
    return int(b.cell_at(rules, x, y))


def _letter(word: int) -> str:
    return r.LETTERS[int(word) & b.KIND_MASK]


def format_move(rules: Any, state: Any, move: int) -> str:
    """Return a move in the game's notation."""
    kind, origin, cell = m.move_type(move), m.move_origin(move), m.move_target(move)
    if kind == m.PASS:
        return "pass"
    if kind == m.DROP:
        return f"{r.LETTERS[origin]}*{square(rules, cell)}"
    text = f"{square(rules, origin)}-{square(rules, cell)}"
    if kind == m.JUMP:
        man = b.kind_of(state[origin]) == b.MAN
        crowned = man and b.from_rank(rules, b.side_of(state[origin]), cell, rules.board)
        return f"{text}{'+' if crowned else ''}:{','.join(_jumped_cells(rules, state, move))}"
    promoted = move >> 22
    if promoted and b.PROMOTION[b.kind_of(state[origin])] == r.CHOOSES_ON_LAST_ROW:
        return f"{text}={r.LETTERS[promoted]}"
    return text + "+" if promoted else text


def _jumped_cells(rules: Any, state: Any, move: int) -> list[str]:
    """Return the names of the cells that a jump passes over, sorted by column and row."""
    copy = state.copy()
    ends, sizes, victims = (np.zeros(b.MOST_CHAINS, np.int64) for _ in range(3))
    origin, target = m.move_origin(move), m.move_target(move)
    number = b.find_jump_chains(rules, copy, origin, 0, target, move >> 22, ends, sizes, victims)
    names = [square(rules, cell) for cell in victims[:number]]
    return sorted(names, key=lambda name: (name[0], int(name[1:])))


def _unit_moves(rules: Any, state: Any, origin: int) -> Iterator[int]:
    """Yield the moves of the unit on a cell, including jumps, whether legal or not."""
    copy = state.copy()
    buffer = np.zeros(m.ROOM, np.int64)
    yield from (int(move) for move in buffer[: m.unit_moves(rules, copy, origin, buffer, 0)])
    if b.kind_of(state[origin]) in (b.MAN, b.CROWN):
        ends, sizes, victims = (np.zeros(b.MOST_CHAINS, np.int64) for _ in range(3))
        chain_count = b.find_jump_chains(rules, copy, origin, 0, 0, 0, ends, sizes, victims)
        for i in range(chain_count):
            number = int(np.count_nonzero(ends[:i] == ends[i]))
            yield int(m.JUMP << 20 | origin << 10 | int(ends[i]) | number << 22)


def parse_move(rules: Any, state: Any, text: str) -> int:
    """Return the move that a text denotes, whether legal or not.

    Raises:
        ValueError: the text is not a move on this board, or is ambiguous.
    """
    text = text.strip()
    if text == "pass":
        return m.THE_PASS
    if match := DROP.fullmatch(text):
        letter = ASCII.get(match[1], match[1])
        if letter not in b.HELD:
            message = tr("'{match}' is never in hand; these can be dropped: {held}")
            raise ValueError(message.format(match=match[1], held=" ".join(b.HELD)))
        return m.DROP << 20 | r.KIND[letter] << 10 | _cell(rules, match[2], match[3])
    match = MOVE.fullmatch(text)
    if not match:
        raise ValueError(tr("'{move}' is not a move; write {how}", move=text, how=EXAMPLES))
    origin, cell = _cell(rules, match[1], match[2]), _cell(rules, match[3], match[4])
    suffix = match[5] or ""
    if suffix.startswith("="):
        letter = CHOICES.get(suffix[1], suffix[1])
        if letter not in CHOICES.values():
            message = tr("'{suffix}' is not a promotion; write =后, =城, =僧 or =騎 (=Q, =R, =B, =N)")
            raise ValueError(message.format(suffix=suffix))
        suffix = "=" + letter
    # The plus sign of a promoting jump precedes the colon and is optional.
    ends = f"{square(rules, origin)}-{square(rules, cell)}"
    moves_to_cell = [move for move in _unit_moves(rules, state, origin) if m.move_target(move) == cell]
    candidates = {format_move(rules, state, move): move for move in moves_to_cell}
    if match[6] is not None:
        jumped = ",".join(sorted((name.strip() for name in match[6].split(",")), key=lambda n: (n[:1], n[1:].zfill(2))))
        candidates = {name: move for name, move in candidates.items() if name.partition(":")[2] == jumped}
    elif ends + suffix in candidates:
        return candidates[ends + suffix]
    elif suffix:
        candidates = {name: move for name, move in candidates.items() if name.partition(":")[0] == ends + suffix}
    if len(candidates) > 1:
        raise ValueError(tr("'{move}' could be several moves: {moves}", move=text, moves=", ".join(candidates)))
    if candidates:
        return next(iter(candidates.values()))
    return m.MOVE << 20 | origin << 10 | cell | (PROMOTED_TEXT.get(suffix, 0) << 22)


PROMOTED_TEXT = {"+": r.KIND["+歩"], **{f"={letter}": r.KIND[letter] for letter in CHOICES.values()}}


def board(rules: Any, state: Any) -> Board:
    """Return the position as a grid in which the players' halves are shaded."""
    n = rules.board
    words = [[int(state[b.cell_at(rules, x, y)]) for x in range(n)] for y in range(n)]
    notes = []
    for side in (0, 1):
        hand = [
            f"{letter}×{int(state[b.HAND + b.SLOTS * side + slot])}"
            for slot, letter in enumerate(b.HELD)
            if state[b.HAND + b.SLOTS * side + slot]
        ]
        prisoners = int(state[b.PRISONERS + side])
        if hand or prisoners:
            message = tr("{seat}: in hand {held}, prisoners {prisoners}")
            in_hand = " ".join(hand) or tr("nothing")
            notes.append(message.format(seat=SEAT_NAMES[side], held=in_hand, prisoners=prisoners))
    if state[b.KO]:
        notes.append(tr("ko forbids {square}", square=square(rules, state[b.KO])))
    if state[b.PASSES] == 1:
        notes.append(tr("the last move was a pass"))
    in_check = state[b.RESULT] == 0 and m.capturable(rules, state.copy(), int(state[b.TURN]))
    check = tr("{seat} is in check", seat=SEAT_NAMES[int(state[b.TURN])]) if in_check else ""
    return Board(
        cells=tuple(tuple(_letter(word) for word in row) for row in words),
        columns=tuple(COLUMNS[:n]),
        rows=tuple(str(y + 1) for y in range(n)),
        shaded=frozenset((y, x) for y in range(n) for x in range(n) if y < n // 2 or y >= n - n // 2),
        notes=(*notes, *filter(None, [check])),
        check=check,
        owners=tuple(tuple(int(b.side_of(word)) if word else -1 for word in row) for row in words),
    )


def set_up(rules: Any, state: Any, setup: Mapping[str, Any]) -> None:
    """Write a position into ``state``; kings may be missing.

    ``setup`` has ``board``, rows from the top separated by slashes, and ``to_move`` (first or second). A cell is a dot
    or a unit, followed by an apostrophe for the second player. These are optional: ``hands`` and ``prisoners`` (by
    player), ``ko`` (a cell), ``passes`` and ``second_king`` (for stalemate and repetition on a board without kings).

    Raises:
        ValueError: the board has the wrong size or an unknown unit, or another field is invalid.
    """
    numbers = positions.whole(0, MOST_HELD)
    fields = positions.read(
        setup,
        board=positions.words(tr("rows separated by /")),
        to_move=positions.one_of(SEATS),
        hands=positions.by_name(SEATS, positions.by_name(b.HELD, numbers), {}),
        prisoners=positions.by_name(SEATS, numbers, {}),
        ko=positions.Field(
            tr("a cell such as e5"), lambda value: isinstance(value, str) and bool(re.fullmatch(SQUARE, value)), ""
        ),
        passes=positions.whole(0, 1, 0),
        second_king=positions.one_of(("", *r.LETTERS[1 : b.KINGS + 1]), ""),
    )
    kernel.clear(rules, state)
    rows = [re.findall(r"\.|\+?[^.+']'?", row) for row in fields["board"].split("/")]
    if [len(row) for row in rows] != [rules.board] * rules.board:
        lengths = positions.shortened([len(row) for row in rows])
        raise ValueError(expected(tr("{size} rows of {size} squares", size=rules.board), lengths))
    if "".join("".join(row) for row in rows) != fields["board"].replace("/", ""):
        raise ValueError(
            tr("a cell of the board is a dot or a unit, with an apostrophe after the second player's units")
        )
    for y, row in enumerate(rows):
        for x, unit in enumerate(row):
            if unit == ".":
                continue
            if unit.rstrip("'") not in r.KIND:
                raise ValueError(tr("'{unit}' is not a unit", unit=unit))
            b.put(rules, state, b.cell_at(rules, x, y), int(unit.endswith("'")), r.KIND[unit.rstrip("'")])
    for side, seat in enumerate(SEATS):
        for letter, number in fields["hands"].get(seat, {}).items():
            b.add_to_hand(state, side, int(b.SLOT[r.KIND[letter]]), number)
        state[b.PRISONERS + side] = fields["prisoners"].get(seat, 0)
    state[b.TURN] = SEATS.index(fields["to_move"])
    if fields["ko"]:
        state[b.KO] = _cell(rules, fields["ko"][0], fields["ko"][1:])
    state[b.PASSES] = fields["passes"]
    if fields["second_king"]:
        state[b.SECOND_KING] = r.KIND[fields["second_king"]]
    kernel.start_history(rules, state)


def explain(rules: Any, state: Any, text: str, move: int) -> str:
    """Return a sentence on the rule that forbids a move; ``text`` is the move as typed."""
    moves = np.zeros(max_moves(rules), np.int32)
    legal = [int(candidate) for candidate in moves[: legal_moves(rules, state, moves)]]
    kind = m.move_type(move)
    duty = _duty_reason(rules, state, legal)
    if kind == m.PASS:
        return duty or _pass_reason(rules, state)
    reason = _drop_reason(rules, state, move) if kind == m.DROP else _move_reason(rules, state, move)
    if reason:
        return reason
    cell = m.move_target(move)
    if cell == state[b.KO]:
        return tr("Ko: nothing may be placed on {square} on this move.", square=square(rules, cell))
    copy = state.copy()
    status = m.move_status(rules, copy, move)
    if status == m.IMPOSSIBLE:
        message = tr("{square} is forbidden: your units would be enclosed by the enemy's 碁.")
        return message.format(square=square(rules, cell))
    if duty:
        return duty
    if status == m.EXPOSED:
        if m.capturable(rules, copy, int(state[b.TURN])):
            return tr("Your king is in check, and this move does not end the check.")
        return tr("This move would leave your king in check.")
    if m.mates_by_dropped_pawn(rules, copy, move):
        return tr("歩 may not be dropped to give mate.")
    return tr("This move is not legal.")


def _duty_reason(rules: Any, state: Any, legal: list[int]) -> str:
    """Return a sentence on the obligatory draughts captures if nothing else is allowed, or ""."""
    if rules.draughts_duty == TOGGLES.draughts_duty.off or not m.can_jump(rules, state.copy()):
        return ""
    jumps = [format_move(rules, state, move) for move in legal if m.move_type(move) == m.JUMP]
    if jumps:
        return tr("Draughts units must capture as many units as they can: {jumps}.", jumps=", ".join(jumps[:6]))
    if rules.draughts_duty == TOGGLES.draughts_duty.above_check and not legal:
        return tr("Draughts units must capture, and no such capture is legal.")
    return ""


def _pass_reason(rules: Any, state: Any) -> str:
    if rules.passing != TOGGLES.passing.by_board:
        return tr("Nobody passes.")
    if m.capturable(rules, state.copy(), int(state[b.TURN])):
        return tr("Your king is in check: you cannot pass.")
    if rules.board == TOGGLES.board.draughts10:
        return tr("There is no passing on this board.")
    return tr("You may pass only if you have no other legal move.")


def _drop_reason(rules: Any, state: Any, move: int) -> str:
    side, kind, cell = int(state[b.TURN]), m.move_origin(move), m.move_target(move)
    letter, name = r.LETTERS[kind], square(rules, cell)
    if state[b.HAND + b.SLOTS * side + int(b.SLOT[kind])] == 0:
        return tr("You have no {letter} in hand.", letter=letter)
    if state[cell] != 0:
        message = tr("{name} is occupied by {owner} {letter}.")
        return message.format(name=name, owner=_owner(state[cell]), letter=_letter(state[cell]))
    if m.droppable(rules, state.copy(), side, kind, cell):
        return ""
    if kind == b.OTHELLO_STONE:
        text = tr("翻 on {name} brackets nothing: it must enclose enemy units between itself and another of your 翻.")
        return text.format(name=name)
    if kind == b.RENJU_STONE:
        return tr("{name} is in your own half, where 珠 may not be dropped.", name=name)
    if not m.can_move_again(rules, side, kind, cell):
        return tr("{letter} on {name} could never move again.", letter=letter, name=name)
    return tr("You already have an unpromoted 歩 in that column.")


def _move_reason(rules: Any, state: Any, move: int) -> str:
    side, origin, cell = int(state[b.TURN]), m.move_origin(move), m.move_target(move)
    word = int(state[origin])
    if word == 0:
        return tr("There is nothing on {square}.", square=square(rules, origin))
    if not b.belongs(word, side):
        message = tr("{square} holds {owner} {letter}; it is {seat}'s turn.")
        return message.format(
            square=square(rules, origin), owner=_owner(word), letter=_letter(word), seat=SEAT_NAMES[side]
        )
    if b.kind_of(word) >= b.FIRST_STONE:
        return tr("{letter} is a stone: it never moves.", letter=_letter(word))
    if move in _unit_moves(rules, state, origin):
        return ""
    if b.belongs(state[cell], side):
        return tr("{square} is occupied by your own {letter}.", square=square(rules, cell), letter=_letter(state[cell]))
    if any(m.move_target(candidate) == cell for candidate in _unit_moves(rules, state, origin)):
        return tr("{letter} cannot promote like that on this move.", letter=_letter(word))
    message = tr("{unit} on {origin} cannot reach {target}.")
    return message.format(unit=_letter(word), origin=square(rules, origin), target=square(rules, cell))


def _owner(word: int) -> str:
    return tr("{player}'s", player=SEAT_NAMES[b.side_of(int(word))])
