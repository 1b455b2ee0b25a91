"""What an idea says that is drawn, written or counted rather than chosen: areas, start positions, moves, prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.games import drawings
from workbench.games.betza import Moves
from workbench.games.declaration import Declaration, Setting, Toggle
from workbench.games.drawings import MARKED, Drawing, Misdrawn
from workbench.games.prices import EACH, FREE, PriceList
from workbench.ideas.terms import Meanings, Token

Cell = tuple[int, int]


@dataclass(frozen=True)
class Read:
    """What was read of an idea."""

    toggle: Toggle
    setting: Setting | None
    """None: it speaks of the toggle, but of nothing that this can say."""
    used: frozenset[int]
    """The places of the tokens that it comes from."""


def read_drawings(
    family: Declaration, words: Meanings, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Iterator[Read]:
    """All that can be read of the tokens of an idea."""
    for toggle in family.toggles:
        if isinstance(toggle, Moves):
            yield from _moves(family, toggle, words, tokens)
        elif isinstance(toggle, Drawing) and toggle.pieces:
            yield from _position(family, toggle, words, tokens, settings)
        elif isinstance(toggle, Drawing) and toggle.painted:
            yield from _area(family, toggle, words, tokens, settings)
        elif isinstance(toggle, PriceList):
            yield from _prices(toggle, words, tokens, settings)


def _places(tokens: Sequence[Token], *terms: str) -> set[int]:
    return {n for n, token in enumerate(tokens) if token.term in terms}


def _numbers(tokens: Sequence[Token]) -> list[int]:
    """The places of the whole numbers."""
    return [n for n, token in enumerate(tokens) if token.kind == "number" and token.term.isdigit()]


# --- How pieces move --------------------------------------------------------------------------------------------------

_STEPS = {("straight", 1): "W", ("diagonal", 1): "F", ("", 1): "K", ("straight", 2): "D", ("diagonal", 2): "A",
          ("straight", 3): "H", ("diagonal", 3): "G"}  # fmt: skip
"""Betza's letters of leaps in words."""


def _moves(family: Declaration, toggle: Moves, words: Meanings, tokens: Sequence[Token]) -> Iterator[Read]:
    """Moves of one kind of piece: those of other pieces, a few squares at most, or Betza's notation itself."""
    movers = {words.term(str(names[0])): betza for betza, names in words.general["movers"].items()}
    pieces = {words.term(unit.name) for unit in family.units}
    own = words.term(toggle.name.partition("_")[0])
    named = [n for n, token in enumerate(tokens) if token.term in movers or token.term in pieces]
    here = [n for n in named if tokens[n].term == own]
    moving = _places(tokens, "move", "jump", "like", "may", "also")
    # The piece stands before its moves, but for "amazon queens".
    if not here or not (here[0] == named[0] or (tokens[named[0]].term not in pieces and here[0] == named[0] + 1)):
        return
    usual, extra = str(toggle.default), _places(tokens, "also")
    others = [n for n in named if n != here[0]]
    if len({tokens[n].term for n in others}) < len(others):
        return  # several kinds move
    used = {here[0], *others, *moving}
    if any(not movers.get(tokens[n].term, "") for n in others):
        yield Read(toggle, None, frozenset({here[0], *others}))
    elif others:
        yield Read(toggle, (usual if extra else "") + "".join(movers[tokens[n].term] for n in others), frozenset(used))
    elif (numbers := _numbers(tokens)) and moving and len(numbers) == 1:
        number = int(tokens[numbers[0]].term)
        used |= {*numbers, *_places(tokens, "most", "only", "square")}
        ways = [term for term in ("straight", "diagonal") if _places(tokens, term)]
        step = _STEPS.get((ways[0] if len(ways) == 1 else "", number))
        if usual in "RBQ" and not extra and not ways and 1 <= number <= 7:
            yield Read(toggle, f"{usual}{number}", frozenset(used))
        elif step and (extra or ways):
            yield Read(toggle, (usual if extra else "") + step, frozenset(used | _places(tokens, *ways)))


# --- Areas ------------------------------------------------------------------------------------------------------------

Region = Callable[[int, int, int, int], bool]
"""Whether a square belongs to it: by row, column, side of the board, and a number that the idea may say."""


def _edge(y: int, x: int, size: int) -> int:
    """How far a square is from the edge of the board."""
    return min(y, x, size - 1 - y, size - 1 - x)


def _outer(y: int, x: int, size: int) -> tuple[bool, bool]:
    """Whether a square lies in an outer third of the rows, and of the columns."""
    third = size // 3
    return not third <= y < size - third, not third <= x < size - third


REGIONS: Mapping[str, Region] = {
    "rim": lambda y, x, size, n: _edge(y, x, size) < n,
    "corners": lambda y, x, size, n: min(y, size - 1 - y) < n and min(x, size - 1 - x) < n,
    "corner zones": lambda y, x, size, n: all(_outer(y, x, size)),
    "side zones": lambda y, x, size, n: _outer(y, x, size)[0] != _outer(y, x, size)[1],
    "centre zone": lambda y, x, size, n: not any(_outer(y, x, size)),
    "centre": lambda y, x, size, n: _edge(y, x, size) >= (size - 1) // 2,
    "diagonals": lambda y, x, size, n: x in (y, size - 1 - y),
}


def _area(
    family: Declaration, toggle: Drawing, words: Meanings, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Iterator[Read]:
    """A part of the board, or all but that part."""
    about = words.own.get("toggles", {}).get(toggle.name, {}).get("area", [])
    subject = _places(tokens, *(words.term(str(word)) for word in about))
    regions = [n for n, token in enumerate(tokens) if token.term.startswith("region ")]
    if not subject or not regions or not toggle.painted:
        return
    number, numbers = 1, _numbers(tokens)
    if len(numbers) == 1:
        number = int(tokens[numbers[0]].term)
    try:
        board = drawings.shown(family.name, toggle, settings)
    except Misdrawn:
        return
    size = len(board.board.cells)
    chosen = [REGIONS[tokens[n].term.removeprefix("region ")] for n in regions]
    there = {cell for cell in board.names if any(one(*cell, size, number) for one in chosen)}
    present, without, also = set(board.signs), _places(tokens, "not", "outside"), _places(tokens, "also")
    marked = present - there if without else present | there if also else there
    said = _places(tokens, "only", "may", "must", "place", "drop", "square", "board", "zone", "row")
    used = {*subject, *regions, *numbers, *without, *also, *said}
    text = "/".join(drawings.rows_of_signs(dict.fromkeys(marked, MARKED), size))
    yield Read(toggle, _named(family, toggle, text, settings), frozenset(used))


def _named(family: Declaration, toggle: Drawing, text: str, settings: Mapping[str, Setting]) -> Setting | None:
    """The named value that says the same as a drawing, or else the drawing; None if no game can be played with it."""
    try:
        content = drawings.read(family.name, toggle, text, settings)
    except Misdrawn:
        return None
    named = toggle.named(content)
    return text if named is None else named


# --- Start positions --------------------------------------------------------------------------------------------------


def _position(
    family: Declaration, toggle: Drawing, words: Meanings, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Iterator[Read]:
    """The present start without some pieces, or with two kinds of them exchanged."""
    signs = {words.term(kind): letters for kind, letters in words.own.get("signs", {}).items()}
    kinds = [n for n, token in enumerate(tokens) if token.term in signs]
    starting = _places(tokens, "start")
    without, exchange = _places(tokens, "not"), _places(tokens, "swap")
    if not kinds or not (starting or without or exchange):
        return
    seats = [n for number in range(2) for n in _places(tokens, f"seat {number}")]
    wanted = {int(tokens[n].term[-1]) for n in seats} or {0, 1}
    used = frozenset({*kinds, *starting, *without, *exchange, *seats, *_places(tokens, "1", "piece", "player")})
    letters = [signs[tokens[n].term] for n in kinds]
    try:
        before = drawings.shown(family.name, toggle, settings).signs
    except Misdrawn:
        return
    after = dict(before)
    if exchange and len(letters) == 2:
        for seat in wanted:
            there = {letters[0][seat]: letters[1][seat], letters[1][seat]: letters[0][seat]}
            after |= {cell: there[sign] for cell, sign in before.items() if sign in there}
    elif without:
        gone = [letter[seat] for letter in letters for seat in wanted]
        one = bool(_places(tokens, "1"))
        for sign in gone:
            for cell in sorted(cell for cell, there in before.items() if there == sign)[: 1 if one else None]:
                after.pop(cell, None)
    if after == before:
        if starting:
            yield Read(toggle, None, frozenset({*kinds, *starting, *seats}))
        return
    text = drawings.drawn_text(family.name, toggle, settings, after)
    yield Read(toggle, _named(family, toggle, text, settings), used)


def redrawn(family: Declaration, found: Mapping[str, Setting], settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """What was found, with start positions as the other settings allow them: without castling nobody may castle."""
    after = dict(found)
    for toggle in family.toggles:
        if isinstance(toggle, Drawing) and toggle.pieces and toggle.is_drawn(after.get(toggle.name, toggle.default)):
            try:
                signs = drawings.shown(family.name, toggle, {**settings, toggle.name: found[toggle.name]}).signs
                after[toggle.name] = drawings.drawn_text(family.name, toggle, {**settings, **found}, signs)
            except Misdrawn:
                continue
    return after


def shuffled_array(number: int) -> str:
    """An array of Chess960 by its number from 0.

    Source: R. Scharnagl's numbering, in which 518 is the array of chess.
    """
    row: list[str] = [""] * 8
    rest, light = divmod(number % 960, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    row[2 * light + 1] = row[2 * dark] = "B"
    _fill(row, queen, "Q")
    first, second = [(i, j) for i in range(5) for j in range(i + 1, 5)][knights]
    _fill(row, second, "N")
    _fill(row, first, "N")
    for piece in "RKR":
        _fill(row, 0, piece)
    white = "".join(row)
    return f"{white.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq"


def _fill(row: list[str], place: int, piece: str) -> None:
    """Puts a piece on the place-th empty square."""
    row[[x for x, there in enumerate(row) if not there][place]] = piece


# --- Prices -----------------------------------------------------------------------------------------------------------


def _prices(
    toggle: PriceList, words: Meanings, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Iterator[Read]:
    """What units of one kind cost, or how many of them cost nothing."""
    units = [n for n, token in enumerate(tokens) if toggle.unit(token.term)]
    numbers, free = _numbers(tokens), _places(tokens, "free")
    priced = _places(tokens, "cost", "point", "points", "budget")
    if len(units) != 1 or not (free or priced):
        return
    what = FREE if free else EACH
    used = frozenset({*units, *numbers, *free, *priced, *_places(tokens, "each", "most")})
    several = [n for n in numbers if tokens[n].term != "1"] or numbers  # A price may be said to be that of one.
    if len(several) != 1:
        yield Read(toggle, None, frozenset({*units, *free, *priced}))
        return
    setting = toggle.text({tokens[units[0]].term: {what: int(tokens[several[0]].term)}})
    if toggle.allows(setting):
        yield Read(toggle, toggle.merged([settings[toggle.name], setting]), used)
