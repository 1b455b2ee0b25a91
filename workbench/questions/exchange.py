"""Names of rulesets in the files of games of other programs: ``Variant`` of PGN, ``GameType`` of PDN.

Sources: the names of python-chess, which Lichess writes, too; "Portable Draughts Notation", version 3.0, for numbers up
to 50; the sources of Lidraughts for those behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench import games
from workbench.engine.trials import rules_of
from workbench.questions.rulesets import Ruleset, load_ruleset

CHESS960 = ("Chess960", "960", "Fischerandom", "Fischer Random", "FRC", "Freestyle")
NAMES: Mapping[str, tuple[str, ...]] = {
    "a78e3e3f6e8ab335": ("Standard", "Chess", "Orthodox", "Normal", "Classical", "Regular", "From Position", "0"),
    "82809ccd50e8630c": ("Three-check", "3-check"),
    "2e50eb627f749f76": ("King of the Hill", "KOTH"),
    "63f5af704fa95642": ("Antichess", "Anti", "Giveaway"),
    "907e64c60b532a91": ("Atomic", "Atom"),
    "395f24e85df26825": ("Crazyhouse", "House", "ZH"),
    "005e2311cf20bf26": ("Racing Kings", "Racing", "Race"),
    "2a2848000241ff6d": ("Horde",),
    "499790422e748e5f": CHESS960,
    "fc91ddc63bff1f54": ("Frysk!", "97"),
    "20": ("International", "Standard", "From Position", "99"),
    "21": ("English", "American", "Anglo-American", "Checkers"),
    "23": ("Pool", "American pool"),
    "41": ("Spantsireti", "Spantsiretti"),
}
"""By the fingerprint of the rules or their number in PDN, the name that is written, and others that are read.

Rules that are not here are called as their ruleset is.
"""
START = ("start_position", "size", "squares", "rows", "empty_back_rows")
GOAL = ("goal", "flag", "checks_to_win", "checks_of_black", "extinction", "bare_king", "royal", "turns", "drops")
"""Toggles of start and goal: rules that differ in the goal are another game than those that they extend."""


def _plain(name: str) -> str:
    return re.sub("(?<=.)(chess|draughts|checkers)$", "", re.sub(r"[\W_]", "", name.casefold()))


def _number(ruleset: Ruleset) -> str:
    """The number of a game of draughts in PDN; "" if it has none."""
    game_of = getattr(games.notation(ruleset.game), "game_of", None)
    number = game_of(rules_of(ruleset.game, ruleset.codes())) if game_of else 0
    return str(number or "")


def _known(ruleset: Ruleset) -> tuple[str, ...]:
    """The names and numbers by which other programs know the rules."""
    number = _number(ruleset)
    return tuple(filter(None, (*NAMES.get(ruleset.fingerprint, ()), *NAMES.get(number, ()), number)))


def read_names(ruleset: Ruleset) -> Mapping[str, bool]:
    """The names that files of its games may give; of each, whether a FEN has to say beside it where the game begins.

    Rules are also called as those that they extend, with the same goal: if other programs do not know them themselves,
    or where they begin elsewhere.
    """
    own = (*_known(ruleset), ruleset.name.rpartition("/")[2], ruleset.title.partition(":")[0], ruleset.label)
    names, bases = {_plain(name): False for name in own if name}, list(ruleset.parents)
    while bases:
        base = load_ruleset(bases.pop(0), ruleset.project)
        bases += base.parents
        if (known := _known(base)) and all(base.settings.get(name) == ruleset.settings.get(name) for name in GOAL):
            elsewhere = any(base.settings.get(name) != ruleset.settings.get(name) for name in START)
            if elsewhere or not _known(ruleset):
                names = {_plain(name): elsewhere for name in (*known, *(CHESS960 if elsewhere else ()))} | names
            break
    return names


def other_game(tags: Mapping[str, str], names: Mapping[str, bool]) -> str:
    """The name or number that tags give to another game than that of the names; "" where they say nothing else.

    The workbench's own texts name their ruleset.
    """
    number = re.match(r"\d+\b", tags.get("GameType", ""))
    variant = tags.get("Variant", tags.get("Ruleset", "").rpartition("/")[2]).strip("?-* ")
    name = number[0] if number and _plain(variant) in ("", "standard", "fromposition") else variant
    return name if name and names.get(_plain(name), 2) > bool(tags.get("FEN", "").strip("?-* ")) else ""


def written_tags(ruleset: Ruleset) -> dict[str, str]:
    """The tag that keeps others from reading the game as the usual one; what has a number in PDN needs none."""
    known = _known(ruleset)
    if "Standard" in known or _number(ruleset):
        return {}
    return {"Variant": known[0] if known else ruleset.name.rpartition("/")[2]}
