"""Chatra written from the rule text, sentence by sentence: slow, without tables, without cleverness.

It exists to be compared with the compiled kernel and shares no code with it. A cell is ``(x, y)``: column and row
from the top left corner, both from 0. Sides are 0 (Black, "first") and 1 (White, "second"). "Subject" is every piece
that is not an object.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

Square = tuple[int, int]
Settings = Mapping[str, str | int | float | bool]

BLACK, WHITE = 0, 1
RESULT_OF_WINNER = ("first", "second")
LINE_DIRECTIONS: tuple[Square, ...] = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Rows, columns and the two kinds of 45° diagonal: the only lines that slides and the three-in-line rule know."""


@dataclass(frozen=True)
class Position:
    """All that the rules ask of a game at one moment. Nothing in it is changed after it is made."""

    size: int
    stones: dict[Square, int]
    """Where each subject stands, and whose it is."""
    objects: list[Square | None]
    """Where Black's and White's objects stand; None until they are placed."""
    to_move: int
    limits_ended: bool
    checked: bool
    """Whether a check has occurred in this game."""
    hands: tuple[int | None, int | None]
    """Subjects that each side may still drop; None where the supply is unlimited."""
    plies: int
    """Moves made so far."""
    extra: int = 0
    """Moves that White makes besides at his first turn with both objects on the board."""


# --- Squares, zones, notation -----------------------------------------------------------------------------------------


def cells(size: int) -> list[Square]:
    """Every square of the board."""
    return [(x, y) for y in range(size) for x in range(size)]


def on_board(size: int, cell: Square) -> bool:
    """Whether the cell is a square of the board."""
    return 0 <= cell[0] < size and 0 <= cell[1] < size


def name(cell: Square) -> str:
    """The cell in the notation of the rules: a1 is the upper left corner."""
    return "abcdefghijklmno"[cell[0]] + str(cell[1] + 1)


def cell_of(text: str) -> Square:
    """The cell that a name such as "k12" stands for."""
    return "abcdefghijklmno".index(text[0]), int(text[1:]) - 1


def adjacent(a: Square, b: Square) -> bool:
    """Whether b is one of the eight neighbours of a."""
    return a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def neighbours(size: int, cell: Square) -> list[Square]:
    """Where a chess king could step from the cell on an empty board."""
    x, y = cell
    around = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]
    return [other for other in around if on_board(size, other)]


def zone(size: int, cell: Square) -> Square:
    """The zone of a cell: column and row of the zone, each 0 to 2."""
    side_of_zone = size // 3
    return cell[0] // side_of_zone, cell[1] // side_of_zone


def touch(zone_a: Square, zone_b: Square) -> bool:
    """Whether two different zones share an edge or a corner."""
    return adjacent(zone_a, zone_b)


def in_centre(size: int, cell: Square) -> bool:
    """Whether the cell lies in the centre zone."""
    return zone(size, cell) == (1, 1)


def on_map(size: int, drawn: str, cell: Square) -> bool:
    """Whether a map marks the cell; of a map of half the rows, or half the columns, the other half is its mirror."""
    x, y = cell
    rows = drawn.split("/")
    row = rows[y] if y < len(rows) else rows[size - 1 - y]
    return (row[x] if x < len(row) else row[size - 1 - x]) == "x"


def touches_centre(size: int, cell: Square) -> bool:
    """Whether the cell is outside the centre zone and next to one of its squares."""
    return not in_centre(size, cell) and any(in_centre(size, other) for other in neighbours(size, cell))


# --- Who stands where -------------------------------------------------------------------------------------------------


def subjects_of(position: Position, side: int) -> list[Square]:
    """The squares of a side's subjects."""
    return [cell for cell, owner in position.stones.items() if owner == side]


def own_piece(position: Position, side: int, cell: Square) -> bool:
    """Whether the side's own subject or object stands there."""
    return position.stones.get(cell) == side or position.objects[side] == cell


def occupied(position: Position, cell: Square) -> bool:
    """Whether any subject or object stands there."""
    return cell in position.stones or cell in position.objects


# --- Links ------------------------------------------------------------------------------------------------------------


def line_through(a: Square, b: Square) -> Square | None:
    """The direction of the row, column or 45° diagonal that two different cells share, or None."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    if dy == 0:
        return (1, 0)
    if dx == 0:
        return (0, 1)
    if dx == dy:
        return (1, 1)
    if dx == -dy:
        return (1, -1)
    return None


def in_line(settings: Settings, position: Position, cell: Square, direction: Square) -> list[Square]:
    """The own subjects on one line through a subject, that subject included, from one end to the other.

    Enemy subjects in between do not matter. An enemy object on the line cuts it: what is behind does not count.
    """
    side = position.stones[cell]
    enemy_object = position.objects[1 - side]
    cut = enemy_object if settings["enemy_object_cuts"] else None
    halves: list[list[Square]] = []
    for sign in (-1, 1):
        half: list[Square] = []
        x, y = cell[0] + sign * direction[0], cell[1] + sign * direction[1]
        while 0 <= x < position.size and 0 <= y < position.size and (x, y) != cut:
            if position.stones.get((x, y)) == side:
                half.append((x, y))
            x, y = x + sign * direction[0], y + sign * direction[1]
        halves.append(half)
    return list(reversed(halves[0])) + [cell] + halves[1]


def is_middle(settings: Settings, position: Position, cell: Square) -> bool:
    """Whether the subject stands between two own subjects on any of its four lines."""
    for direction in LINE_DIRECTIONS:
        line = in_line(settings, position, cell, direction)
        if cell != line[0] and cell != line[-1]:
            return True
    return False


def links(settings: Settings, position: Position, side: int) -> set[tuple[Square, Square]]:
    """The pairs of a side's subjects that have linked functions with each other, each pair in both orders."""
    own = subjects_of(position, side)
    unlinked = settings["middle_piece"] == "no-links"
    middle = {cell for cell in own if unlinked and is_middle(settings, position, cell)}
    pairs: set[tuple[Square, Square]] = set()
    for a, b in combinations(own, 2):
        if a in middle or b in middle:
            continue
        direction = line_through(a, b)
        if direction is not None:
            line = in_line(settings, position, a, direction)
            if {a, b} != {line[0], line[-1]}:
                continue
        pairs.update({(a, b), (b, a)})
    return pairs


# --- Where a piece goes; attack = defence = movement ------------------------------------------------------------------


def flight(position: Position, cell: Square, partner: Square) -> list[Square]:
    """The square point-symmetric to the subject about its partner, if it may land there; nothing in between matters."""
    landing = (2 * partner[0] - cell[0], 2 * partner[1] - cell[1])
    if not on_board(position.size, landing) or own_piece(position, position.stones[cell], landing):
        return []
    return [landing]


def slide(position: Position, cell: Square, partner: Square) -> list[Square]:
    """The squares to which the subject may slide straight away from its partner.

    At most as far as the partner is away; up to and including an enemy piece, or to just before an own piece.
    """
    if line_through(cell, partner) is None:
        return []
    away_x, away_y = cell[0] - partner[0], cell[1] - partner[1]
    distance = max(abs(away_x), abs(away_y))
    step_x, step_y = away_x // distance, away_y // distance
    reached: list[Square] = []
    for step in range(1, distance + 1):
        square = (cell[0] + step * step_x, cell[1] + step * step_y)
        if not on_board(position.size, square) or own_piece(position, position.stones[cell], square):
            break
        reached.append(square)
        if occupied(position, square):
            break
    return reached


def reaches(settings: Settings, position: Position, side: int) -> dict[Square, set[Square]]:
    """For each subject of a side, the squares it moves to or attacks, the enemy object's square included."""
    reached: dict[Square, set[Square]] = {}
    for cell in subjects_of(position, side):
        reached[cell] = {square for square in neighbours(position.size, cell) if not own_piece(position, side, square)}
    for cell, partner in links(settings, position, side):
        if settings["link_moves"] != "slides":
            reached[cell].update(flight(position, cell, partner))
        if settings["link_moves"] != "flights":
            reached[cell].update(slide(position, cell, partner))
    return reached


def attacked(settings: Settings, position: Position, side: int) -> bool:
    """Whether the side's object stands where a piece of the other side could move to."""
    target = position.objects[side]
    if target is None:
        return False
    enemy_object = position.objects[1 - side]
    if enemy_object is not None and adjacent(enemy_object, target):
        return True
    return any(target in squares for squares in reaches(settings, position, 1 - side).values())


# --- Drop limits ------------------------------------------------------------------------------------------------------


def distance_squared(a: Square, b: Square) -> int:
    """The square of Euclid's distance."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def side_of_line(a: Square, b: Square, cell: Square) -> int:
    """On which side of the straight line through a and b the cell is: -1 or 1; 0 on the line itself."""
    cross = (b[0] - a[0]) * (cell[1] - a[1]) - (b[1] - a[1]) * (cell[0] - a[0])
    return (cross > 0) - (cross < 0)


def offside_pairs(settings: Settings, position: Position, side: int) -> list[tuple[Square, Square]]:
    """The pairs of own subjects whose lines the offside rule uses."""
    enemy_object = position.objects[1 - side]
    assert enemy_object is not None
    own = subjects_of(position, side)
    pairs = list(combinations(own, 2))
    if settings["offside"] == "off":
        return []
    if settings["offside"] == "any-two":
        return pairs
    if settings["offside"] == "front":
        segment = settings["offside_line"] == "segment"
        before = in_triangle if segment else in_front
        return [(a, b) for a, b in pairs if not any(before(a, b, enemy_object, other) for other in own)]
    nearest_first = sorted(distance_squared(cell, enemy_object) for cell in own)
    return [
        (a, b)
        for a, b in pairs
        if sorted((distance_squared(a, enemy_object), distance_squared(b, enemy_object))) == nearest_first[:2]
    ]


def in_front(a: Square, b: Square, enemy_object: Square, cell: Square) -> bool:
    """Whether the cell lies strictly on the enemy object's side of the line through a and b."""
    return side_of_line(a, b, enemy_object) != 0 and side_of_line(a, b, cell) == side_of_line(a, b, enemy_object)


def in_triangle(a: Square, b: Square, enemy_object: Square, cell: Square) -> bool:
    """Whether the cell lies in the triangle of a, b and the enemy object, but not on its side a-b."""
    sides = [side_of_line(p, q, cell) for p, q in ((enemy_object, a), (a, b), (b, enemy_object))]
    return side_of_line(a, b, enemy_object) != 0 and sides[1] != 0 and not {-1, 1} <= set(sides)


def strictly_before(a: Square, b: Square, enemy_object: Square, cell: Square) -> bool:
    """Whether of four cells in line neither a nor b, nor any point between them, lies on the way to the cell.

    The way is from the enemy object; on it t runs from 0 to 1, before it t is negative, behind it larger than 1.
    """
    length = distance_squared(enemy_object, cell)
    way = (cell[0] - enemy_object[0], cell[1] - enemy_object[1])
    at = [(p[0] - enemy_object[0]) * way[0] + (p[1] - enemy_object[1]) * way[1] for p in (a, b)]
    return max(at) < 0 or min(at) > length


def hidden(a: Square, b: Square, enemy_object: Square, cell: Square) -> bool:
    """Whether the way from the enemy object to the cell meets the segment a-b, ends included.

    The two cross where the ways ``enemy_object + t (cell - enemy_object)`` and ``a + u (b - a)`` are equal, t and u
    both from 0 to 1.
    """
    way = (cell[0] - enemy_object[0], cell[1] - enemy_object[1])
    segment = (b[0] - a[0], b[1] - a[1])
    start = (a[0] - enemy_object[0], a[1] - enemy_object[1])
    determinant = way[0] * segment[1] - way[1] * segment[0]
    if determinant == 0:
        return False
    t = Fraction(start[0] * segment[1] - start[1] * segment[0], determinant)
    u = Fraction(start[0] * way[1] - start[1] * way[0], determinant)
    return 0 <= t <= 1 and 0 <= u <= 1


def open_by_offside(settings: Settings, position: Position, side: int, cell: Square) -> bool:
    """Whether the cell is on one of the offside lines, or on the side of it away from the enemy object."""
    enemy_object = position.objects[1 - side]
    assert enemy_object is not None
    for a, b in offside_pairs(settings, position, side):
        if side_of_line(a, b, enemy_object) == 0:
            if settings["offside_exemption"] == "any-slope" or line_through(a, b):
                continue
            # No side is away from the enemy object: the line alone is open, and of it what is not before a segment.
            here = side_of_line(a, b, cell) == 0
            if here and (settings["offside_line"] == "line" or not strictly_before(a, b, enemy_object, cell)):
                return True
            continue
        if settings["offside_line"] == "segment":
            if hidden(a, b, enemy_object, cell):
                return True
            continue
        if side_of_line(a, b, cell) == 0 or side_of_line(a, b, cell) == -side_of_line(a, b, enemy_object):
            return True
    return False


def open_by_zone(position: Position, side: int, cell: Square) -> bool:
    """Whether the cell is in the own zone, or in a zone that is neither the enemy zone nor touches it."""
    own_object, enemy_object = position.objects[side], position.objects[1 - side]
    assert own_object is not None and enemy_object is not None
    here = zone(position.size, cell)
    if here == zone(position.size, own_object):
        return True
    enemy_zone = zone(position.size, enemy_object)
    return here != enemy_zone and not touch(here, enemy_zone)


# --- The three kinds of move ------------------------------------------------------------------------------------------


def drop(position: Position, cell: Square) -> Position:
    """The board after the side to move has dropped a subject; the turn has not passed yet."""
    side = position.to_move
    return replace(position, stones={**position.stones, cell: side}, hands=counted(position.hands, side, -1))


def flown_over(settings: Settings, position: Position, start: Square, end: Square) -> list[Square]:
    """The enemy subjects that a flight captures on its way: whose squares' centres it passes in a straight line."""
    side = position.to_move
    landings = [flight(position, cell, partner) for cell, partner in links(settings, position, side) if cell == start]
    if settings["flight_captures"] == "landing" or adjacent(start, end) or [end] not in landings:
        return []
    return [
        cell
        for cell, owner in position.stones.items()
        if owner != side
        and side_of_line(start, end, cell) == 0
        and distance_squared(start, cell) < distance_squared(start, end)
        and distance_squared(end, cell) < distance_squared(start, end)
    ]


def move_subject(settings: Settings, position: Position, start: Square, end: Square) -> Position:
    """The board after a subject has moved; the turn has not passed yet."""
    side = position.to_move
    gone = {start, end, *flown_over(settings, position, start, end)}
    stones = {cell: owner for cell, owner in position.stones.items() if cell not in gone}
    captured = len(position.stones) - len(stones) - 1
    return replace(position, stones={**stones, end: side}, hands=counted(position.hands, side, captured))


def put_object(position: Position, cell: Square) -> Position:
    """The board after the object has been placed or moved; the turn has not passed yet."""
    side = position.to_move
    objects = list(position.objects)
    objects[side] = cell
    stones = {other: owner for other, owner in position.stones.items() if other != cell}
    captured = 1 if cell in position.stones else 0
    return replace(position, stones=stones, objects=objects, hands=counted(position.hands, side, captured))


def counted(hands: tuple[int | None, int | None], side: int, change: int) -> tuple[int | None, int | None]:
    """The hands after a side has gained or used subjects; an unlimited supply stays as it is."""
    black, white = hands
    if side == BLACK and black is not None:
        black += change
    if side == WHITE and white is not None:
        white += change
    return black, white


def open_to_drop(settings: Settings, position: Position, cell: Square) -> bool:
    """Whether the hand, the pieces around and the drop limits let the side to move drop a subject on the cell."""
    side = position.to_move
    if position.hands[side] == 0:
        return False
    if occupied(position, cell):
        return False
    if settings["drop_area"] != "everywhere" and not on_map(position.size, str(settings["drop_area"]), cell):
        return False
    if settings["adjacent_drops"] == "forbidden" and any(adjacent(cell, subject) for subject in position.stones):
        return False
    if None in position.objects:
        # Only the first ply of the subject-first opening drops before both objects stand.
        return not in_centre(position.size, cell)
    if position.limits_ended:
        return True
    return open_by_zone(position, side, cell) or open_by_offside(settings, position, side, cell)


def may_drop(settings: Settings, position: Position, cell: Square) -> bool:
    """Whether the side to move may drop a subject on the cell."""
    side = position.to_move
    if not open_to_drop(settings, position, cell):
        return False
    after = drop(position, cell)
    if attacked(settings, after, side):
        return False
    return not (settings["drop_check"] == "forbidden" and attacked(settings, after, 1 - side))


def may_place_object(settings: Settings, position: Position, cell: Square) -> bool:
    """Whether the side to move may place its object on the cell."""
    side = position.to_move
    if occupied(position, cell):
        return False
    if settings["object_area"] in ("outside-centre", "away-from-centre"):
        if in_centre(position.size, cell):
            return False
        if settings["object_area"] == "away-from-centre" and touches_centre(position.size, cell):
            return False
    elif not on_map(position.size, str(settings["object_area"]), cell):
        return False
    enemy_object = position.objects[1 - side]
    if enemy_object is not None:
        here, enemy_zone = zone(position.size, cell), zone(position.size, enemy_object)
        if settings["later_object"] in ("outside-enemy-zone", "away-from-enemy-zone") and here == enemy_zone:
            return False
        if settings["later_object"] == "away-from-enemy-zone" and touch(here, enemy_zone):
            return False
    return not attacked(settings, put_object(position, cell), side)


def may_move_object(settings: Settings, position: Position, cell: Square) -> bool:
    """Whether the object of the side to move may step to the cell."""
    side = position.to_move
    here = position.objects[side]
    assert here is not None
    if not adjacent(here, cell):
        return False
    if position.stones.get(cell) == side or cell == position.objects[1 - side]:
        return False
    enters_centre = in_centre(position.size, cell) and not in_centre(position.size, here)
    if enters_centre and settings["object_into_centre"] == "after-first-check" and not position.checked:
        return False
    return not attacked(settings, put_object(position, cell), side)


def may_move_subject(settings: Settings, position: Position, start: Square, end: Square) -> bool:
    """Whether the subject on start, from where it reaches end, may move there."""
    side = position.to_move
    if end == position.objects[1 - side]:
        return False
    return not attacked(settings, move_subject(settings, position, start, end), side)


# --- The game ---------------------------------------------------------------------------------------------------------


def start(settings: Settings) -> Position:
    """The empty board or the one that is drawn, Black to move; subjects on the board are part of the supply."""
    supplies = [settings["subjects"], settings["white_supply"]]
    if supplies[1] == "as-black":
        supplies[1] = supplies[0]
    stones: dict[Square, int] = {}
    objects: list[Square | None] = [None, None]
    if settings["start_position"] != "empty":
        for y, row in enumerate(str(settings["start_position"]).split("/")):
            for x, sign in enumerate(row):
                if sign in "bw":
                    stones[(x, y)] = "bw".index(sign)
                elif sign in "BW":
                    objects["BW".index(sign)] = (x, y)
    hands = [
        None if supply == "unlimited" else int(supply) - list(stones.values()).count(side)
        for side, supply in enumerate(supplies)
    ]
    return Position(
        size=int(settings["size"]),
        stones=stones,
        objects=objects,
        to_move=BLACK,
        limits_ended=False,
        checked=False,
        hands=(hands[0], hands[1]),
        plies=0,
        extra=int(settings["white_extra_moves"]),
    )


def from_setup(settings: Settings, setup: Mapping[str, Any]) -> Position:
    """A position of the free play after the opening."""
    side = {"first": BLACK, "second": WHITE}[setup["to_move"]]
    stones = {cell_of(square): BLACK for square in setup["black"]}
    stones |= {cell_of(square): WHITE for square in setup["white"]}
    hands = setup.get("hands") if settings["subjects"] != "unlimited" else None
    position = Position(
        size=int(settings["size"]),
        stones=stones,
        objects=[cell_of(setup["black_object"]), cell_of(setup["white_object"])],
        to_move=side,
        limits_ended=setup.get("limits_ended", False),
        checked=setup.get("checked", False),
        hands=(hands[0], hands[1]) if hands else (None, None),
        plies=4 if side == BLACK else 5,
    )
    assert not attacked(settings, position, 1 - side), "the side that has just moved stands in check"
    return position


def seat(settings: Settings, position: Position) -> int:
    """The side that chooses the next move."""
    return position.to_move


def stage(settings: Settings, position: Position) -> str:
    """What the side to move does at this ply: "drop", "place object" or "free"."""
    openings = {
        "subject-first": ("drop", "place object", "place object"),
        "objects-first": ("place object", "place object"),
    }
    opening = openings[str(settings["opening"])]
    if None not in position.objects:
        return "free"
    return opening[position.plies] if position.plies < len(opening) else "free"


def legal_moves(settings: Settings, position: Position) -> set[str]:
    """The legal moves of the side to move, in the notation of the rules."""
    now = stage(settings, position)
    every_cell = cells(position.size)
    if now == "place object":
        return {"O" + name(cell) for cell in every_cell if may_place_object(settings, position, cell)}
    moves = {name(cell) for cell in every_cell if may_drop(settings, position, cell)}
    if now == "drop":
        return moves
    moves.update("O" + name(cell) for cell in every_cell if may_move_object(settings, position, cell))
    for subject, squares in reaches(settings, position, position.to_move).items():
        for end in squares:
            if may_move_subject(settings, position, subject, end):
                moves.add(f"{name(subject)}-{name(end)}")
    return moves


def play(settings: Settings, position: Position, move_text: str) -> Position:
    """The position after a legal move; the given one stays as it was."""
    side = position.to_move
    entered_centre = False
    if move_text.startswith("O"):
        before, here = position.objects[side], cell_of(move_text[1:])
        if before is not None:
            entered_centre = in_centre(position.size, here) and not in_centre(position.size, before)
        after = put_object(position, here)
    elif "-" in move_text:
        from_text, to_text = move_text.split("-")
        after = move_subject(settings, position, cell_of(from_text), cell_of(to_text))
    else:
        after = drop(position, cell_of(move_text))
    check = attacked(settings, after, 1 - side)
    limits_ended = position.limits_ended
    if check and settings["limits_end"] in ("check", "check-or-centre"):
        limits_ended = True
    if entered_centre and settings["limits_end"] == "check-or-centre":
        limits_ended = True
    extra, to_move = position.extra, 1 - side
    if side == WHITE and None not in position.objects and extra:
        # White moves again, but not after a check.
        extra, to_move = (0, BLACK) if check else (extra - 1, WHITE)
    return replace(
        after,
        to_move=to_move,
        extra=extra,
        limits_ended=limits_ended,
        checked=position.checked or check,
        plies=position.plies + 1,
    )


def repetition_key(settings: Settings, position: Position) -> Hashable:
    """What two positions must share to count as the same."""
    return (
        frozenset(position.stones.items()),
        tuple(position.objects),
        position.to_move,
        position.limits_ended,
        position.checked if settings["object_into_centre"] == "after-first-check" else None,
        position.hands if settings["subjects"] != "unlimited" else None,
        position.extra,
    )


def has_row(settings: Settings, position: Position, side: int) -> bool:
    """Whether a side has as many subjects side by side on a line as win."""
    length = int(settings["row_wins"])
    return length > 0 and any(
        all(position.stones.get((x + i * dx, y + i * dy)) == side for i in range(length))
        for x, y in subjects_of(position, side)
        for dx, dy in LINE_DIRECTIONS
    )


def outcome(settings: Settings, position: Position, history: Sequence[Hashable]) -> tuple[str, str | None]:
    """The result ("ongoing", "first", "second", "draw") and how it came about, from the keys of all earlier positions.

    A row that wins comes before everything else; a player without a legal move is mated or stuck before anyone counts
    repetitions.
    """
    side = position.to_move
    opponent_wins = RESULT_OF_WINNER[1 - side]
    for owner in (1 - side, side):
        if has_row(settings, position, owner):
            return RESULT_OF_WINNER[owner], "row"
    if not legal_moves(settings, position):
        if attacked(settings, position, side):
            return opponent_wins, "mate"
        return (opponent_wins if settings["stuck"] == "loss" else "draw"), "stuck"
    if settings["repetition"] != "off":
        occurrence = 1 + list(history).count(repetition_key(settings, position))
        if occurrence >= int(settings["repetition_count"]):
            return (opponent_wins if settings["repetition"] == "initiator-loses" else "draw"), "repetition"
    return "ongoing", None
