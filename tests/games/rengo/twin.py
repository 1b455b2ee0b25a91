"""The mixed game (rengō shōgi II) written from the rule text, sentence by sentence: slow, without tables.

It exists to be compared with the compiled kernel and shares no code with it. A cell is ``(x, y)``: column and row
from the top left corner, both from 0; the first player (side 0) sits below and moves up. A unit is its letter, with a
plus sign where it is promoted but has no letter of its own, and the side that owns it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from tests.games.rengo.twin_board import (
    COLUMNS,
    KINGS,
    RESULT_OF_WINNER,
    SHOGI_PIECES,
    SIZES,
    SOLDIER_ROWS,
    STONES,
    F,
    Hand,
    Settings,
    Square,
    Stage,
    Unit,
    W,
    around,
    between,
    cell_of,
    cells,
    chains,
    empty,
    enclosed,
    goes,
    group_of,
    is_enclosed,
    name,
    neighbours,
    rank,
)

ARMIES = Path(__file__).resolve().parents[3] / "rulesets" / "rengo" / "armies"


@dataclass(frozen=True, eq=False)
class Position:
    """All that the rules ask of a game at one moment. Nothing in it is changed after it is made."""

    settings: Settings
    stage: Stage
    hands: tuple[Hand, Hand]
    prisoners: tuple[int, int]
    """How many units each side has taken that do not go to the hand."""
    to_move: int
    ko: Square | None = None
    """Where the player to move may put nothing."""
    passes: int = 0
    """How many passes have just been made in succession."""
    second_king: str = "玉"
    facing_goes_on: bool = False
    """Whether the two 楚 faced each other before and after the last move."""
    won: tuple[int, str] | None = None
    """Who has won by the last move, and how."""

    @property
    def size(self) -> int:
        """The number of rows and of columns."""
        return SIZES[str(self.settings["board"])]


# --- Othello, renju ---------------------------------------------------------------------------------------------------


def turned_by(position: Position, stage: Stage, side: int, cell: Square) -> set[Square]:
    """The enemy units that a 翻 of the side, dropped on the cell, would turn."""
    settings = position.settings
    if settings["othello_flip"] == "off":
        return set()
    turned: set[Square] = set()
    for dx, dy in W | F:
        row: list[Square] = []
        x, y = cell[0] + dx, cell[1] + dy
        while (unit := stage.get((x, y))) is not None:
            if unit.side == side:
                if unit.kind == "翻":
                    turned.update(row)
                break
            if unit.kind in KINGS and settings["flip_king"] == "immune":
                break
            if unit.kind != "翻" and settings["othello_flip"] == "stones-only":
                break
            row.append((x, y))
            x, y = x + dx, y + dy
    return turned


def row_ends(stage: Stage, side: int) -> set[Square]:
    """Where the rows of enemy units end that begin beside a 翻 of the side; only there can a 翻 turn anything."""
    stone = Unit("翻", side)
    ends: set[Square] = set()
    for start in [cell for cell, unit in stage.items() if unit == stone]:
        for dx, dy in W | F:
            x, y = start[0] + dx, start[1] + dy
            while (x, y) in stage and stage[x, y].side != side:
                x, y = x + dx, y + dy
            if (x, y) not in stage and (x, y) != (start[0] + dx, start[1] + dy):
                ends.add((x, y))
    return ends


def may_drop_othello_stone(position: Position, stage: Stage, side: int, cell: Square) -> bool:
    """Whether a 翻 on the cell brackets something, or need not."""
    if position.settings["othello_flip"] == "off" or Unit("翻", side) not in stage.values():
        return True
    return bool(turned_by(position, stage, side, cell))


def makes_five(position: Position, stage: Stage, side: int, cell: Square) -> bool:
    """Whether the cell lies in a line of five or more stones that count."""
    counting = {"renju-stones": "珠", "any-own-stones": STONES, "off": ""}[str(position.settings["five"])]
    wanted = {Unit(kind, side) for kind in counting}
    if stage.get(cell) not in wanted:
        return False
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            step = 1
            while stage.get((cell[0] + sign * step * dx, cell[1] + sign * step * dy)) in wanted:
                length += 1
                step += 1
        if length >= 5:
            return True
    return False


# --- Kings ------------------------------------------------------------------------------------------------------------


def king_of(stage: Stage, side: int) -> Square | None:
    """Where the side's king stands."""
    return next((cell for cell, unit in stage.items() if unit.side == side and unit.kind in KINGS), None)


def face_each_other(stage: Stage, kind: str) -> bool:
    """Whether the kings of both sides are of this kind and stand on one column with nothing between them."""
    kings = [cell for cell, unit in stage.items() if unit.kind == kind]
    return len(kings) == 2 and kings[0][0] == kings[1][0] and empty(stage, between(*kings))


def in_check(position: Position, side: int) -> bool:
    """Whether the enemy could take the side's king, were it his turn; what else forbids him the move is ignored."""
    settings, size, stage, enemy = position.settings, position.size, position.stage, 1 - side
    king = king_of(stage, side)
    if king is None:
        return False
    for cell, unit in stage.items():
        if unit.side != enemy:
            continue
        if unit.kind in "平冠":
            if any(king in chain.over for chain in chains(settings, size, stage, cell)):
                return True
        elif goes(settings, stage, cell, king):
            return True
    if settings["facing_generals"] == "forbidden" and face_each_other(stage, "帥"):
        return True
    if position.hands[enemy].get("碁", 0) > 0:
        free = [cell for cell in around(size, group_of(settings, size, stage, king)) if cell not in stage]
        # One stone cannot fill two cells.
        if len(free) == 1:
            after = {**stage, free[0]: Unit("碁", enemy)}
            if is_enclosed(settings, size, after, group_of(settings, size, after, king)):
                return True
    if position.hands[enemy].get("翻", 0) > 0:
        for cell in row_ends(stage, enemy):
            if cell[0] not in range(size) or cell[1] not in range(size):
                continue
            turned = turned_by(position, stage, enemy, cell)
            if king in turned:
                return True
            if turned:
                after = stage | {other: Unit(stage[other].kind, enemy) for other in turned}
                after[cell] = Unit("翻", enemy)
                if is_enclosed(settings, size, after, group_of(settings, size, after, king)):
                    return True
    return False


# --- Moves ------------------------------------------------------------------------------------------------------------


def promotions(position: Position, unit: Unit, end: Square) -> list[tuple[str, str]]:
    """What a unit may be after a move that ends there: what is written behind the move, and the kind."""
    kind, side = unit
    size = position.size
    row = rank(size, side, end)
    in_zone = row >= size + 1 - SOLDIER_ROWS[str(position.settings["board"])]
    if kind in "飛角銀桂香歩" and in_zone:
        stays = [] if never_moves_again(size, kind, row) else [("", kind)]
        return [*stays, ("+", "+" + kind)]
    if kind == "貝" and in_zone:
        return [("+", "核")]
    if kind == "卒" and row >= size // 2 + 1:
        return [("+", "+卒")]
    if kind == "兵" and row == size:
        return [("=" + choice, choice) for choice in "后城僧騎"]
    if kind == "平" and row == size:
        return [("+", "冠")]
    return [("", kind)]


def never_moves_again(size: int, kind: str, row: int) -> bool:
    """Whether a shogi piece has no move from a row, counted from its own edge."""
    return (kind in "歩香" and row == size) or (kind == "桂" and row >= size - 1)


def after_move(
    position: Position, stage: Stage, put: Square, turned: set[Square], taken: Sequence[Unit], dropped: str | None
) -> Position | None:
    """The position after a unit was put on a cell, enclosed groups taken; None if own units end up enclosed."""
    settings, size, side = position.settings, position.size, position.to_move
    dead = enclosed(settings, size, stage, 1 - side)
    taken = [*taken, *(stage[cell] for cell in dead)]
    stage = {cell: unit for cell, unit in stage.items() if cell not in dead}
    if enclosed(settings, size, stage, side):
        return None
    ko = None
    if settings["ko"] == "forbidden" and len(dead) == 1:
        beside = neighbours(size, put)
        alone = not any(cell in stage and stage[cell].side == side for cell in beside)
        if alone and {cell for cell in beside if cell not in stage} == dead:
            ko = next(iter(dead))
    won = None
    if king_of(position.stage, 1 - side) is not None and king_of(stage, 1 - side) is None:
        won = (side, "mate")
    if any(makes_five(position, stage, side, cell) for cell in {put, *turned}):
        won = (side, "five")
    hand, prisoners = dict(position.hands[side]), position.prisoners[side]
    if dropped is not None:
        hand[dropped] -= 1
    for unit in taken:
        kind = unit.kind.lstrip("+")
        if kind in SHOGI_PIECES or kind == "翻":
            hand[kind] = hand.get(kind, 0) + 1
        else:
            prisoners += 1
    return Position(
        settings=settings,
        stage=stage,
        hands=(hand, position.hands[1]) if side == 0 else (position.hands[0], hand),
        prisoners=(prisoners, position.prisoners[1]) if side == 0 else (position.prisoners[0], prisoners),
        to_move=1 - side,
        ko=ko,
        second_king=position.second_king,
        facing_goes_on=facing_goes_on(position, stage),
        won=won,
    )


def facing_goes_on(before: Position, stage: Stage) -> bool:
    """Whether the two 楚 face each other before a move and after it."""
    return before.settings["bikjang"] == "draw" and all(face_each_other(one, "楚") for one in (before.stage, stage))


def after_pass(position: Position) -> Position:
    """The position after a pass."""
    return replace(
        position,
        to_move=1 - position.to_move,
        ko=None,
        passes=position.passes + 1,
        facing_goes_on=facing_goes_on(position, position.stage),
    )


def board_moves(position: Position) -> Iterator[tuple[str, Position | None]]:
    """All moves of units on the board but jumps, with what they lead to."""
    stage = position.stage
    for start, unit in stage.items():
        if unit.side != position.to_move or unit.kind in STONES:
            continue
        for end in cells(position.size):
            if end == position.ko or not goes(position.settings, stage, start, end):
                continue
            for suffix, kind in promotions(position, unit, end):
                after = {cell: other for cell, other in stage.items() if cell != start}
                after[end] = Unit(kind, unit.side)
                taken = [stage[end]] if end in stage else []
                yield name(start) + "-" + name(end) + suffix, after_move(position, after, end, set(), taken, None)


def jump_moves(position: Position) -> Iterator[tuple[str, int, Position | None]]:
    """All jumps of 平 and 冠 that could not go on, with the number of units jumped and what they lead to."""
    stage = position.stage
    for start, unit in stage.items():
        if unit.side != position.to_move or unit.kind not in "平冠":
            continue
        for chain in chains(position.settings, position.size, stage, start):
            if chain.continues or chain.end == position.ko:
                continue
            ((suffix, kind),) = promotions(position, unit, chain.end)
            after = {cell: other for cell, other in stage.items() if cell != start and cell not in chain.over}
            after[chain.end] = Unit(kind, unit.side)
            taken = [stage[cell] for cell in chain.over]
            over = ",".join(name(cell) for cell in sorted(chain.over))
            text = f"{name(start)}-{name(chain.end)}{suffix}:{over}"
            yield text, len(chain.over), after_move(position, after, chain.end, set(), taken, None)


def drops(position: Position) -> Iterator[tuple[str, Position | None]]:
    """All drops, with what they lead to."""
    size, stage, side = position.size, position.stage, position.to_move
    for kind, number in position.hands[side].items():
        for cell in cells(size) if number > 0 else ():
            if cell in stage or cell == position.ko:
                continue
            row = rank(size, side, cell)
            if kind == "珠" and row <= size // 2:
                continue
            if kind == "翻" and not may_drop_othello_stone(position, stage, side, cell):
                continue
            if never_moves_again(size, kind, row):
                continue
            if kind == "歩" and any(stage.get((cell[0], y)) == Unit("歩", side) for y in range(size)):
                continue
            turned = turned_by(position, stage, side, cell) if kind == "翻" else set()
            after = stage | {other: Unit(stage[other].kind, side) for other in turned}
            after[cell] = Unit(kind, side)
            kings = [other for other in turned if stage[other].kind in KINGS]
            for king in kings:
                del after[king]
            yield f"{kind}*{name(cell)}", after_move(position, after, cell, turned, [stage[k] for k in kings], kind)


def safe(position: Position, side: int) -> bool:
    """Whether the side could leave this position behind after its move."""
    five = position.won == (side, "five")
    return (five and bool(position.settings["five_ignores_check"])) or not in_check(position, side)


def only_the_most(moves: dict[str, Position], captures: Mapping[str, int]) -> dict[str, Position]:
    """The draughts captures of the most units among the moves; all moves where there are none."""
    most = max((captures[text] for text in moves if text in captures), default=0)
    return {text: after for text, after in moves.items() if most == 0 or captures.get(text) == most}


@functools.lru_cache(maxsize=8)
def legal_but_for_pawn_mates(position: Position) -> dict[str, Position]:
    """The legal moves, passes left out and drops of 歩 that mate let in."""
    side, duty = position.to_move, position.settings["draughts_duty"]
    captures: dict[str, int] = {}
    moves: dict[str, Position] = {}
    for text, number, after in jump_moves(position):
        if after is not None:
            moves[text] = after
            captures[text] = number
    if not (captures and duty == "above-check"):
        moves.update((text, after) for text, after in board_moves(position) if after is not None)
        moves.update((text, after) for text, after in drops(position) if after is not None)
    if duty == "above-check":
        moves = only_the_most(moves, captures)
    moves = {text: after for text, after in moves.items() if safe(after, side)}
    return only_the_most(moves, captures) if duty == "below-check" else moves


def mates_by_pawn(position: Position, text: str, after: Position) -> bool:
    """Whether the move is a drop of 歩 that mates."""
    if not text.startswith("歩*") or after.won:
        return False
    return in_check(after, after.to_move) and not legal_but_for_pawn_mates(after)


@functools.lru_cache(maxsize=8)
def legal(position: Position) -> dict[str, Position]:
    """The legal moves and what they lead to."""
    if position.won:
        return {}
    side, settings = position.to_move, position.settings
    moves = {
        text: after
        for text, after in legal_but_for_pawn_mates(position).items()
        if not mates_by_pawn(position, text, after)
    }
    if settings["passing"] == "never" or in_check(position, side):
        return moves
    board = str(settings["board"])
    if settings["draughts_duty"] == "above-check":
        due = any(after is not None for _, _, after in jump_moves(position))
    elif settings["draughts_duty"] == "below-check":
        due = any(":" in text for text in moves)
    else:
        due = False
    any_time = board.startswith("go") and not due
    without_another = (
        board.startswith("go") or board == "othello8" or (board == "renju15" and second_is(position, "楚"))
    )
    if any_time or (without_another and not moves):
        moves["pass"] = after_pass(position)
    return moves


def second_is(position: Position, kinds: str) -> bool:
    """Whether the second player's king is one of these."""
    return position.second_king in kinds


# --- The game ---------------------------------------------------------------------------------------------------------


def start(settings: Settings) -> Position:
    """Both armies set up, the first player to move; an army is what its file says."""
    size = SIZES[str(settings["board"])]
    stage: Stage = {}
    hands: list[dict[str, int]] = []
    for side, which in enumerate(("first_army", "second_army")):
        army = yaml.safe_load((ARMIES / f"{settings[which]}.yaml").read_text(encoding="utf-8"))
        width = army.get("width", 8)
        assert isinstance(width, int)
        for group in ("king", "pieces", "stones"):
            placed = army.get(group) or {}
            assert isinstance(placed, dict)
            for kind, where in placed.items():
                for text in [where] if isinstance(where, str) else where:
                    x = COLUMNS.index(text[0]) + (size - width) // 2
                    y = size - SOLDIER_ROWS[str(settings["board"])] + int(text[1:])
                    stage[(x, y) if side == 0 else (size - 1 - x, size - 1 - y)] = Unit(kind, side)
        held = army.get("hand") or {}
        assert isinstance(held, dict)
        hands.append(dict(held))
    king = king_of(stage, 1)
    second_king = stage[king].kind if king is not None else "玉"
    return Position(settings, stage, (hands[0], hands[1]), (0, 0), 0, second_king=second_king)


def from_setup(settings: Settings, setup: Mapping[str, object]) -> Position:
    """The position that the text of a set-up says."""
    stage: Stage = {}
    for y, row in enumerate(str(setup["board"]).split("/")):
        for x, unit in enumerate(re.findall(r"\.|\+?[^.+']'?", row)):
            if unit != ".":
                stage[x, y] = Unit(unit.rstrip("'"), int(unit.endswith("'")))
    hands, prisoners = setup.get("hands") or {}, setup.get("prisoners") or {}
    assert isinstance(hands, dict) and isinstance(prisoners, dict)
    king = king_of(stage, 1)
    passes = setup.get("passes", 0)
    assert isinstance(passes, int)
    return Position(
        settings=settings,
        stage=stage,
        hands=(dict(hands.get("first", {})), dict(hands.get("second", {}))),
        prisoners=(prisoners.get("first", 0), prisoners.get("second", 0)),
        to_move=RESULT_OF_WINNER.index(str(setup["to_move"])),
        ko=cell_of(str(setup["ko"])) if setup.get("ko") else None,
        passes=passes,
        second_king=str(setup.get("second_king") or ("玉" if king is None else stage[king].kind)),
    )


def seat(settings: Settings, position: Position) -> int:
    """The side that chooses the next move."""
    return position.to_move


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal moves of the side to move, in the notation of the rules."""
    return set(legal(position))


def play(settings: Settings, position: Position, move_text: str) -> Position:
    """The position after a legal move; the given one stays as it was."""
    return legal(position)[move_text]


def repetition_key(settings: Settings, position: Position) -> Position:
    """The position itself: who checks for ever is seen in those on the way."""
    return position


def identity(position: Position) -> Hashable:
    """What two positions must share to count as the same."""
    hands = tuple(frozenset((kind, number) for kind, number in hand.items() if number) for hand in position.hands)
    return frozenset(position.stage.items()), hands, position.to_move, position.ko, position.passes


def outcome(settings: Settings, position: Position, history: Sequence[Position]) -> tuple[str, str | None]:
    """The result ("ongoing", "first", "second", "draw") and how it came about; ``history`` is all earlier positions."""
    side = position.to_move
    loses = RESULT_OF_WINNER[1 - side]
    if position.won:
        return RESULT_OF_WINNER[position.won[0]], position.won[1]
    if not legal(position) and in_check(position, side):
        return loses, "mate"
    if position.facing_goes_on:
        return "draw", "bikjang"
    if not legal(position):
        drawn = position.settings["board"] == "renju15" and second_is(position, "王君")
        return ("draw" if drawn else loses), "no-move"
    if position.passes == 2:
        first, second = points(position, 0), points(position, 1) + float(position.settings["komi"])
        return ("first" if first > second else "second" if second > first else "draw"), "count"
    return repetition(position, history)


def repetition(position: Position, history: Sequence[Position]) -> tuple[str, str | None]:
    """The outcome by the second player's king if the position has occurred often enough."""
    now = identity(position)
    earlier = [i for i, before in enumerate(history) if identity(before) == now]
    if len(earlier) + 1 < (4 if second_is(position, "玉") else 3):
        return "ongoing", None
    if second_is(position, "玉帥"):
        since = [*history[earlier[0] + 1 :], position]
        checking = [
            side
            for side in (0, 1)
            if all(in_check(after, after.to_move) for after in since if after.to_move == 1 - side)
        ]
        if len(checking) == 1:
            return RESULT_OF_WINNER[1 - checking[0]], "perpetual-check"
    return "draw", "repetition"


def points(position: Position, side: int) -> int:
    """Territory, prisoners and own 翻 after dead units have left the board; komi apart."""
    stage, size = position.stage, position.size
    total = position.prisoners[side]
    total += sum(unit == Unit("翻", side) and owner_of(position, cell) != 1 - side for cell, unit in stage.items())
    for cell in cells(size):
        if owner_of(position, cell) != side:
            continue
        if cell not in stage:
            total += 1
        elif stage[cell].side != side and stage[cell].kind not in KINGS:
            # The dead unit leaves an empty cell, and is a prisoner unless it would go to a hand.
            total += 1
            if stage[cell].kind.lstrip("+") not in SHOGI_PIECES + "翻":
                total += 1
    return total


def owner_of(position: Position, cell: Square) -> int | None:
    """Whose 碁 alone enclose the region of cells without 碁 in which the cell lies."""
    stage, size = position.stage, position.size
    if cell in stage and stage[cell].kind == "碁":
        return None
    region, waiting, owners = {cell}, [cell], set()
    while waiting:
        for other in neighbours(size, waiting.pop()):
            if other in stage and stage[other].kind == "碁":
                owners.add(stage[other].side)
            elif other not in region:
                region.add(other)
                waiting.append(other)
    return next(iter(owners)) if len(owners) == 1 else None
