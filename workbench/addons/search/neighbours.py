"""Rulesets one step beyond a space: changes that a search did not try, around what it found.

One toggle is set otherwise: to the next number on either side, to another of its values, to the moves of a piece with a
letter of Betza's notation more or less, to an area with one orbit of squares more or less, or to a drawn start position
in which a piece, with its counterpart, stands a step aside. Prices are left alone: they decide which armies may be set
up, and no move of a game; so is what a draw counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
"""Neighbours that are listed."""
ADDED_LETTERS = ("W", "F", "D", "A", "N")
"""Leaps that a piece may get."""
NUMBER, VALUE, LETTER, AREA, PLACE = range(5)
"""Kinds of steps, the simplest first."""

Square = tuple[int, int]
Signs = Mapping[Square, str]


@dataclass(frozen=True)
class Neighbour:
    """A ruleset one step from another one."""

    ruleset: Ruleset
    change: str
    """The step, in words."""
    beside: Ruleset
    """The ruleset that it is a step from."""
    toggle: str
    kind: int


def neighbours(around: Sequence[Ruleset], known: Collection[str] = (), most: int = MOST) -> list[Neighbour]:
    """Return the rulesets one step from some rulesets, the simplest steps first, no two with the same rules.

    ``known`` are fingerprints of rulesets that are not wanted, such as those of a space. What the declared conflicts
    refuse is left out. Of each kind of step every toggle comes once before one comes twice.
    """
    seen = {*known, *(ruleset.fingerprint for ruleset in around)}
    found: list[tuple[tuple[int, int, int], Neighbour]] = []
    for place, ruleset in enumerate(around):
        family = games.declaration(ruleset.game)
        for toggle in (one for one in family.toggles if one not in COMMON or one.name == SWAP):
            turns = dict.fromkeys(range(PLACE + 1), 0)
            for kind, setting in _steps(family, toggle, ruleset.settings):
                made = _made(ruleset, family, toggle, setting)
                if made is not None and made.fingerprint not in seen:
                    seen.add(made.fingerprint)
                    change = changes_words(family.name, family.toggles, ruleset.settings, made.settings)
                    neighbour = Neighbour(made, change, ruleset, toggle.name, kind)
                    found.append(((kind, turns[kind], place), neighbour))
                    turns[kind] += 1
    return [neighbour for _, neighbour in sorted(found, key=lambda one: one[0])[:most]]


def _made(ruleset: Ruleset, family: Declaration, toggle: Toggle, setting: Setting) -> Ruleset | None:
    """Return the ruleset with a toggle set otherwise; None if the rules refuse it."""
    name = f"{ruleset.name}{', ' if ' ' in ruleset.name else ' '}{toggle.name}={setting_text(setting)}"
    try:
        made = rulesets.derive_ruleset(ruleset, {toggle.name: setting}, name, name)
    except InputError:
        return None
    return made if toggle.name not in family.without_effect(made.settings) else None


def _steps(family: Declaration, toggle: Toggle, settings: Mapping[str, Setting]) -> Iterator[tuple[int, Setting]]:
    """Yield the settings one step from the present one, with the kind of step."""
    own = settings[toggle.name]
    if toggle.span:
        numbers = list(toggle.span.numbers())
        place = next((n for n, number in enumerate(numbers) if equal_settings(number, own)), None)
        for step in () if place is None else (place - 1, place + 1):
            if 0 <= step < len(numbers):
                yield NUMBER, numbers[step]
    for value in toggle.values:
        if not equal_settings(value.name, own):
            yield VALUE, value.name
    if isinstance(toggle, Drawing):
        if toggle.painted:
            yield from _repainted(family, toggle, settings)
        elif isinstance(own, str) and _is_betza(toggle, own):
            yield from ((LETTER, text) for text in _respelled(own) if toggle.allows(text))


def _is_betza(toggle: Drawing, text: str) -> bool:
    """Return whether a setting is the moves of a piece, alone and not with other captures."""
    if not toggle.name.endswith("_moves"):
        return False
    try:
        return bool(betza.parts(text))
    except DrawingError:
        return False


def _respelled(text: str) -> Iterator[str]:
    """Yield the notation without each of its letters, and with each of some more."""
    parts = [part.text for part in betza.parts(text)]
    for place in range(len(parts) if len(parts) > 1 else 0):
        yield "".join(parts[:place] + parts[place + 1 :])
    reach = set(betza.rays(text))
    for letter in ADDED_LETTERS:
        if not set(betza.rays(letter)) <= reach:
            yield text + letter


def _repainted(family: Declaration, toggle: Drawing, settings: Mapping[str, Setting]) -> Iterator[tuple[int, Setting]]:
    """Drawings that differ in one orbit of an area, or in the place of one piece and its counterpart."""
    try:
        shown = drawings.shown(family.name, toggle, settings)
        if not toggle.pieces:
            painted: Iterable[tuple[int, Signs]] = ((AREA, signs) for signs in _areas(shown.signs, set(shown.names)))
        elif toggle.is_drawn(settings[toggle.name]):
            painted = ((PLACE, signs) for signs in _moved(shown.signs, set(shown.names)))
        else:
            return
        for kind, signs in painted:
            yield kind, toggle.canonical(drawings.drawn_text(family.name, toggle, settings, signs))
    except DrawingError:
        return


def _symmetries(squares: Collection[Square]) -> list[dict[Square, Square]]:
    """Return the turns and reflections of a board that leave its squares where squares are, but for none at all."""
    high, wide = max(y for y, _ in squares), max(x for _, x in squares)
    maps = [
        {(y, x): (high - y, wide - x) for y, x in squares},
        {(y, x): (high - y, x) for y, x in squares},
        {(y, x): (y, wide - x) for y, x in squares},
        {(y, x): (x, y) for y, x in squares},
        {(y, x): (high - x, wide - y) for y, x in squares},
        {(y, x): (x, high - y) for y, x in squares},
        {(y, x): (wide - x, y) for y, x in squares},
    ]
    return [one for one in maps if set(one.values()) == set(squares)]


def _areas(signs: Signs, squares: set[Square]) -> Iterator[Signs]:
    """Areas with one orbit of squares more or less, by the symmetries of the area; orbits at its border first."""
    kept = [one for one in _symmetries(squares) if {one[square] for square in signs} == set(signs)]
    orbits = {frozenset([square, *(one[square] for one in kept)]) for square in squares}

    def at_border(orbit: frozenset[Square]) -> int:
        inside = next(iter(orbit)) in signs
        return -sum(((y + dy, x + dx) in signs) != inside for y, x in orbit for dy, dx in _NEXT)

    for orbit in sorted(orbits, key=lambda one: (at_border(one), sorted(one))):
        rest = {square: sign for square, sign in signs.items() if square not in orbit}
        if len(rest) == len(signs):
            rest |= dict.fromkeys(orbit, MARKED)
        if rest:
            yield rest


_NEXT = ((0, 1), (0, -1), (1, 0), (-1, 0))


def _moved(signs: Signs, squares: set[Square]) -> Iterator[Signs]:
    """Positions in which one piece stands a step aside, and its counterpart likewise if there is one."""
    kept = [one for one in _symmetries(squares) if {one[square] for square in signs} == set(signs)]
    # Of several the one that turns pieces into the same ones of the other player.
    kept.sort(key=lambda one: sum(signs[one[square]] != sign.swapcase() for square, sign in signs.items()))
    turned = kept[0] if kept else {}
    for (y, x), (dy, dx) in itertools.product(sorted(signs), _NEXT):
        moves = {(y, x): (y + dy, x + dx)}
        if turned and (y + dy, x + dx) in squares:
            moves[turned[y, x]] = turned[y + dy, x + dx]
        ends = set(moves.values())
        if ends <= squares and not ends & set(signs) and len(ends) == len(moves):
            rest = {square: sign for square, sign in signs.items() if square not in moves}
            yield rest | {end: signs[start] for start, end in moves.items()}
