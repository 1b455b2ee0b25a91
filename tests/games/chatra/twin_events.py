"""What is counted in a game of Chatra, move by move, by the sentences of the declaration and the slow twin's rules."""

from __future__ import annotations

from collections import Counter

from tests.games.chatra import twin
from tests.games.chatra.twin import Position, Settings, Square

SEATS = ("first", "second")


def relation(size: int, one: Square, other: Square) -> str:
    """How two objects stand to each other, by their zones."""
    here, there = twin.zone(size, one), twin.zone(size, other)
    if here == there:
        return "one_zone"
    in_one_row_or_column = here[0] == there[0] or here[1] == there[1]
    if twin.touch(here, there):
        return "side_by_side" if in_one_row_or_column else "corner"
    return "facing" if in_one_row_or_column else "far"


def place(position: Position, side: int) -> str:
    """Where the objects stand, as a side sees it."""
    own, enemy = position.objects[side], position.objects[1 - side]
    assert own is not None and enemy is not None
    if twin.zone(position.size, own) == twin.zone(position.size, enemy):
        return "both_centre" if twin.in_centre(position.size, own) else "one_zone"
    if twin.in_centre(position.size, own):
        return "own_centre"
    return "enemy_centre" if twin.in_centre(position.size, enemy) else "elsewhere"


def open_squares(settings: Settings, position: Position) -> int:
    """The squares that are open to drops of the side to move, whether or not they would give check."""
    return sum(twin.open_to_drop(settings, position, cell) for cell in twin.cells(position.size))


def long_move(settings: Settings, position: Position, start: Square, end: Square) -> Counter[str]:
    """Whether a subject's move is a slide or, where no slide gets there, a flight; neither if it is a step."""
    if end in twin.neighbours(position.size, start):
        return Counter()
    partners = [partner for cell, partner in twin.links(settings, position, position.to_move) if cell == start]
    slides = settings["link_moves"] != "flights" and any(
        end in twin.slide(position, start, partner) for partner in partners
    )
    return Counter({"slides" if slides else "flights": 1})


def of_move(settings: Settings, before: Position, move: str, after: Position) -> Counter[str]:
    """What a move counts for."""
    side = before.to_move
    counts: Counter[str] = Counter()
    both_stand = None not in before.objects
    answers, gives = twin.attacked(settings, before, side), twin.attacked(settings, after, 1 - side)
    counts["checks"] = int(gives)
    places_object = move.startswith("O") and before.objects[side] is None
    if not move.startswith("O") and "-" not in move:
        counts["drops"] = 1
        limited = both_stand and not before.limits_ended
        counts["offside_drops"] = int(limited and not twin.open_by_zone(before, side, twin.cell_of(move)))
    elif not places_object:
        counts["moves"] = 1
        counts["quiet_moves"] = int(not answers and not gives)
        counts["captures"] = len(before.stones) - len(after.stones)
    if "-" in move:
        counts.update(long_move(settings, before, *map(twin.cell_of, move.split("-"))))
    if move.startswith("O") and not places_object:
        was, now = before.objects[side], after.objects[side]
        assert was is not None and now is not None
        counts["object_moves"] = 1
        counts["centre_entries"] = int(twin.in_centre(before.size, now) and not twin.in_centre(before.size, was))
    if both_stand and not before.checked:
        black, white = before.objects
        assert black is not None and white is not None
        counts["early_plies"] = 1
        counts["plies_" + relation(before.size, black, white)] = 1
        counts["fights_" + relation(before.size, black, white)] = int(gives)
        counts[f"{SEATS[side]}_plies_{place(before, side)}"] = 1
        counts[f"{SEATS[side]}_squares_{place(before, side)}"] = open_squares(settings, before)
    if after.limits_ended and not before.limits_ended:
        counts["limits_ended_by_check" if gives else "limits_ended_by_centre"] = after.plies
    return counts
