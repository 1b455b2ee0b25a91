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
    "a78e3e3f6e8ab335": ("Standard", "Chess", "Orthodox", "Normal", "Classical", "Regular", "From Position", "0"),
    "82809ccd50e8630c": ("Three-check", "3-check"),
    "2e50eb627f749f76": ("King of the Hill", "KOTH"),
    "63f5af704fa95642": ("Antichess", "Anti"),
    "907e64c60b532a91": ("Atomic", "Atom"),
    "395f24e85df26825": ("Crazyhouse", "House", "ZH"),
    "005e2311cf20bf26": ("Racing Kings", "Racing", "Race"),
    "2a2848000241ff6d": ("Horde",),
    "499790422e748e5f": ("Chess960", "960", "Fischerandom", "Fischer Random", "FRC"),
    "f0afd1b822c6c0fd": ("International", "Standard", "From Position"),
    "264827b2bd728afb": ("English", "American", "Anglo-American", "Checkers"),
    "60bf2013b87a9055": ("Pool", "American pool"),
    "c778a507bfb372dc": ("Spantsireti", "Spantsiretti"),
}
"""By the fingerprint of the rules, the name that is written, and others that are read.

Rules that are not here are called as their ruleset is.
"""


def _plain(name: str) -> str:
    return re.sub("(?<=.)(chess|draughts|checkers)$", "", re.sub(r"[\W_]", "", name.casefold()))


def _known(ruleset: Ruleset) -> tuple[str, ...]:
    """The names by which other programs know the rules, and the number of a game of draughts behind them, if any."""
    game_of = getattr(games.notation(ruleset.game), "game_of", None)
    number = game_of(rules_of(ruleset.game, ruleset.codes())) if game_of else 0
    return (*NAMES.get(ruleset.fingerprint, ()), *([str(number)] if number else ()))


def read_names(ruleset: Ruleset) -> frozenset[str]:
    """The names that files of its games may give; also those of what it extends, if other programs do not know it."""
    known, bases = _known(ruleset), list(ruleset.parents)
    while not known and bases:
        base = load_ruleset(bases.pop(0), ruleset.project)
        known, bases = _known(base), [*bases, *base.parents]
    own = (ruleset.name.rpartition("/")[2], ruleset.title.partition(":")[0], ruleset.label)
    return frozenset(_plain(name) for name in (*known, *own) if name)


def other_game(tags: Mapping[str, str], names: frozenset[str]) -> str:
    """The name or number that tags give to another game than that of the names; "" where they say nothing else."""
    variant, number = tags.get("Variant", "").strip("?-* "), re.match(r"\d+(?=,|$)", tags.get("GameType", ""))
    said = (variant, number[0] if number else "")
    return next((name for name in said if name and _plain(name) not in names), "")


def written_tags(ruleset: Ruleset) -> dict[str, str]:
    """The tag that keeps others from reading the game as the usual one; what has a number in PDN needs none."""
    known = _known(ruleset)
    if "Standard" in known or "".join(known[-1:]).isdigit():
        return {}
    return {"Variant": known[0] if known else ruleset.name.rpartition("/")[2]}
