"""Neighbours of a ruleset: rulesets outside the space of a search that differ from a finalist by one step.

A step changes one toggle: to the next number on either side, to another value, to piece moves with one letter of
Betza's notation added or removed, to an area with one orbit of squares added or removed, or to a start position in
which a piece and its counterpart are moved by one square. Prices and the value of a draw are not varied because they
do not affect moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench import games
from workbench.base.errors import InputError
from workbench.games import drawings
from workbench.games.chess import betza
from workbench.games.declaration import COMMON, SWAP, Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import MARKED, Drawing, DrawingError
from workbench.games.wording import changes_words
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset

MOST = 40
ADDED_LETTERS = ("W", "F", "D", "A", "N")
"""Leaps that may be added to a piece's moves."""
NUMBER, VALUE, LETTER, AREA, PLACE = range(5)
"""Kinds of steps, simplest first."""
ORTHOGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0))

Square = tuple[int, int]
Signs = Mapping[Square, str]


@dataclass(frozen=True)
class Neighbour:
    """A ruleset one step from another ruleset."""

    ruleset: Ruleset
    change: str
    origin: Ruleset
    """The ruleset that was changed."""
    toggle: str
    kind: int


def neighbours(origins: Sequence[Ruleset], excluded: Collection[str] = (), limit: int = MOST) -> list[Neighbour]:
    """Return the distinct rulesets one step from any of the ``origins``, simplest steps first.

    ``excluded`` are fingerprints of rulesets to skip, such as those in the space. Rulesets with declared conflicts
    are also skipped. Within a kind of step, every toggle occurs once before any occurs twice.
    """
    fingerprints = {*excluded, *(ruleset.fingerprint for ruleset in origins)}
    ranked: list[tuple[tuple[int, int, int], Neighbour]] = []
    for i, origin in enumerate(origins):
        family = games.declaration(origin.game)
        for toggle in (toggle for toggle in family.toggles if toggle not in COMMON or toggle.name == SWAP):
            counts = dict.fromkeys(range(PLACE + 1), 0)
            for kind, setting in _steps(family, toggle, origin.settings):
                ruleset = _derive_ruleset(origin, family, toggle, setting)
                if ruleset is not None and ruleset.fingerprint not in fingerprints:
                    fingerprints.add(ruleset.fingerprint)
                    change = changes_words(family.name, family.toggles, origin.settings, ruleset.settings)
                    ranked.append(((kind, counts[kind], i), Neighbour(ruleset, change, origin, toggle.name, kind)))
                    counts[kind] += 1
    return [neighbour for _, neighbour in sorted(ranked, key=lambda entry: entry[0])[:limit]]


def _derive_ruleset(origin: Ruleset, family: Declaration, toggle: Toggle, setting: Setting) -> Ruleset | None:
    """Return the ruleset with another setting of a toggle, or None if the rules reject it or it has no effect."""
    name = f"{origin.name}{', ' if ' ' in origin.name else ' '}{toggle.name}={setting_text(setting)}"
    try:
        ruleset = rulesets.derive_ruleset(origin, {toggle.name: setting}, name, name)
    except InputError:
        return None
    return ruleset if toggle.name not in family.without_effect(ruleset.settings) else None


def _steps(family: Declaration, toggle: Toggle, settings: Mapping[str, Setting]) -> Iterator[tuple[int, Setting]]:
    """Yield the settings one step from the current one, each after its kind of step."""
    current = settings[toggle.name]
    if toggle.span:
        numbers = list(toggle.span.numbers())
        position = next((n for n, number in enumerate(numbers) if equal_settings(number, current)), len(numbers) + 1)
        yield from ((NUMBER, numbers[step]) for step in (position - 1, position + 1) if 0 <= step < len(numbers))
    yield from ((VALUE, value.name) for value in toggle.values if not equal_settings(value.name, current))
    if not isinstance(toggle, Drawing):
        return
    try:
        if toggle.painted:
            yield from _variants(family, toggle, settings)
        elif isinstance(current, str) and toggle.name.endswith("_moves"):
            yield from ((LETTER, text) for text in _letter_changes(current) if toggle.allows(text))
    except DrawingError:  # the drawing cannot be varied, such as moves with separate captures
        return


def _letter_changes(text: str) -> Iterator[str]:
    """Yield the notation with one letter removed, and with each of `ADDED_LETTERS` appended that adds a move."""
    parts = [part.text for part in betza.parts(text)]
    for i in range(len(parts) if len(parts) > 1 else 0):
        yield "".join(parts[:i] + parts[i + 1 :])
    reach = set(betza.rays(text))
    yield from (text + letter for letter in ADDED_LETTERS if parts and not set(betza.rays(letter)) <= reach)


def _variants(family: Declaration, toggle: Drawing, settings: Mapping[str, Setting]) -> Iterator[tuple[int, Setting]]:
    """Yield drawings that differ in one orbit of an area, or in the squares of a piece and its counterpart."""
    if toggle.pieces and not toggle.is_drawn(settings[toggle.name]):
        return
    drawing = drawings.shown(family.name, toggle, settings)
    vary, kind = (_moved_pieces, PLACE) if toggle.pieces else (_changed_areas, AREA)
    for signs in vary(drawing.signs, set(drawing.names)):
        yield kind, toggle.canonical(drawings.replace_signs(family.name, toggle, settings, signs))


def _symmetries(signs: Signs, squares: Collection[Square]) -> list[dict[Square, Square]]:
    """Return the board's rotations and reflections that map marked squares to marked squares."""
    bottom, right = max(y for y, _ in squares), max(x for _, x in squares)
    maps = [
        {(y, x): (bottom - y, right - x) for y, x in squares},
        {(y, x): (bottom - y, x) for y, x in squares},
        {(y, x): (y, right - x) for y, x in squares},
        {(y, x): (x, y) for y, x in squares},
        {(y, x): (bottom - x, right - y) for y, x in squares},
        {(y, x): (x, bottom - y) for y, x in squares},
        {(y, x): (right - x, y) for y, x in squares},
    ]
    return [
        image
        for image in maps
        if set(image.values()) == set(squares) and {image[square] for square in signs} == set(signs)
    ]


def _changed_areas(signs: Signs, squares: set[Square]) -> Iterator[Signs]:
    """Yield areas with one orbit of squares added or removed, starting at the border of the area."""
    symmetries = _symmetries(signs, squares)
    orbits = {frozenset([square, *(image[square] for image in symmetries)]) for square in squares}

    def border_rank(orbit: frozenset[Square]) -> int:
        inside = next(iter(orbit)) in signs
        return -sum(((y + dy, x + dx) in signs) != inside for y, x in orbit for dy, dx in ORTHOGONAL)

    for orbit in sorted(orbits, key=lambda orbit: (border_rank(orbit), sorted(orbit))):
        area = {square: sign for square, sign in signs.items() if square not in orbit}
        if len(area) == len(signs):
            area |= dict.fromkeys(orbit, MARKED)
        if area:
            yield area


def _moved_pieces(signs: Signs, squares: set[Square]) -> Iterator[Signs]:
    """Yield positions with a piece and its counterpart, if it has one, moved by one square."""
    # The best symmetry maps pieces to the opponent's pieces of the same kind.
    counterparts: dict[Square, Square] = min(
        _symmetries(signs, squares),
        key=lambda image: sum(signs[image[square]] != sign.swapcase() for square, sign in signs.items()),
        default={},
    )
    for (y, x), (dy, dx) in itertools.product(sorted(signs), ORTHOGONAL):
        moves = {(y, x): (y + dy, x + dx)}
        if counterparts and (y + dy, x + dx) in squares:
            moves[counterparts[y, x]] = counterparts[y + dy, x + dx]
        targets = set(moves.values())
        if targets <= squares and not targets & set(signs) and len(targets) == len(moves):
            others = {square: sign for square, sign in signs.items() if square not in moves}
            yield others | {target: signs[start] for start, target in moves.items()}
