"""What other programs call a ruleset in the files of games that they write: ``Variant`` of PGN, ``GameType`` of PDN.

Sources: the names of python-chess, which Lichess writes, too; "Portable Draughts Notation", version 3.0, for numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench import games
from workbench.engine.trials import rules_of
from workbench.questions.rulesets import Ruleset, load_ruleset

NAMES: Mapping[str, tuple[str, ...]] = {
    "chess/orthodox": ("Standard", "Chess", "Orthodox", "Normal", "Classical", "Regular", "From Position", "0"),
    "chess/three-check": ("Three-check", "3-check"),
    "chess/king-of-the-hill": ("King of the Hill", "KOTH"),
    "chess/antichess": ("Antichess", "Anti"),
    "chess/atomic": ("Atomic", "Atom"),
    "chess/crazyhouse": ("Crazyhouse", "House", "ZH"),
    "chess/racing-kings": ("Racing Kings", "Racing", "Race"),
    "chess/horde": ("Horde",),
    "chess/chess960-0": ("Chess960", "960", "Fischerandom", "Fischer Random", "FRC"),
    "draughts/international": ("International", "Standard", "From Position"),
    "draughts/english": ("English", "American", "Anglo-American", "Checkers"),
    "draughts/pool": ("Pool", "American pool"),
    "draughts/spantsireti": ("Spantsireti", "Spantsiretti"),
}
"""The name that is written first, and others that are read; what is not here is called as its ruleset is."""


def _plain(name: str) -> str:
    return re.sub("(?<=.)(chess|draughts|checkers)$", "", re.sub(r"[\W_]", "", name.casefold()))


def _known(ruleset: Ruleset) -> tuple[str, ...]:
    """The names of the game that has these rules, and the number of its type; none if other programs know no such game."""
    numbered = getattr(games.notation(ruleset.game), "game_of", None)
    number = numbered(rules_of(ruleset.game, ruleset.codes())) if numbered else 0
    same = (
        (name.partition("/")[2], *names)
        for name, names in NAMES.items()
        if name.startswith(f"{ruleset.game}/") and load_ruleset(name).fingerprint == ruleset.fingerprint
    )
    return (*next(same, ()), *([str(number)] if number else ()))


def read_names(ruleset: Ruleset) -> frozenset[str]:
    """The names in files of games that are read as the ruleset; those of what it extends, if it has none of its own."""
    known, bases = _known(ruleset), list(ruleset.parents)
    while not known and bases:
        base = load_ruleset(bases.pop(0), ruleset.project)
        known, bases = _known(base), [*bases, *base.parents]
    own = (ruleset.name.partition("/")[2], ruleset.title, ruleset.label)
    return frozenset(_plain(name) for name in (*known, *own) if name)


def named_game(tags: Mapping[str, str]) -> tuple[str, ...]:
    """The names that tags give to the game: that of a variant, the number of a type; none where they say nothing."""
    variant, number = tags.get("Variant", ""), re.match(r"\d+(?=,|$)", tags.get("GameType", ""))
    return (*([variant] if variant.strip("?-* ") else ()), *([number[0]] if number else ()))


def is_read_as(name: str, names: frozenset[str]) -> bool:
    """Whether a game of a name is one of the rules that have these names."""
    return _plain(name) in names


def written_tags(ruleset: Ruleset) -> dict[str, str]:
    """The tag by which others see that a game was not played by the usual rules; PDN has the number of the game itself."""
    known = _known(ruleset)
    if known and (known[-1].isdigit() or known[0] == "orthodox"):
        return {}
    return {"Variant": known[1] if known else ruleset.name.partition("/")[2]}
