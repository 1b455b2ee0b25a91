"""Names of what becomes a file or a folder: rulesets, experiments and game families move from system to system.

Imports the standard library alone, as does what finds game families.
"""

from __future__ import annotations

import re

from workbench.language import tr

LADDERS, PLAYERS, SOLUTIONS, SEARCHES, WHY = RESERVED_FOLDERS = ("ladders", "players", "solutions", "searches", "why")
"""Folders of ``reports/`` that belong to no experiment."""
QUICK_LOOK = "{name}.games-{count}"
"""The report folder of a quick look at an experiment."""
STRONG = "{name}.strong"
"""The report folder of an experiment whose rulesets are played by players that can tell what strong play says."""
SEARCH = "search.json"
"""What tells a folder of ``reports/searches/`` from others."""
CONFIRMED = "{name}.confirmed"
"""The report folder of the games that confirm what a search found."""
BEYOND = "{name}.beyond"
"""The report folder of games under rulesets beside those that a search found."""

_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{a}{n}" for a in ("com", "lpt") for n in "123456789¹²³"
}
"""Devices of Windows, whatever ending follows. Source: Microsoft, *Naming Files, Paths, and Namespaces*."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ufffd]')
_DERIVED = re.compile(
    "|".join(
        each.replace(".", r"\.").format(name=".*", count="[0-9]+") for each in (QUICK_LOOK, STRONG, CONFIRMED, BEYOND)
    )
)
"""Names made by the patterns above."""


def name_problem(name: str) -> str:
    """Why a name (without suffix) is invalid as a file name on some system; "" if it is valid."""
    if character := _FORBIDDEN.search(name):
        what = tr("expected a name that a file can have on every system, found '{name}' with {character!a}")
        return what.format(name=name, character=character.group())
    if not name or name != name.strip() or name[0] == "." or name[-1] == ".":
        return tr("expected a name that begins and ends with neither a dot nor a blank, found '{name}'", name=name)
    if name.partition(".")[0].rstrip().casefold() in _DEVICES:
        return tr(
            "expected a name that a file can have on every system, found '{name}', a device of Windows", name=name
        )
    return ""


def is_derived(name: str) -> bool:
    """Whether a report is made of another file's by one of the patterns above: no experiment has its name."""
    return bool(_DERIVED.fullmatch(name))


def experiment_name_problem(name: str) -> str:
    """Why a name is invalid for an experiment, whose report folder bears it too; "" if it is valid."""
    if name.casefold() in RESERVED_FOLDERS:
        return tr(
            "expected another name than '{name}': such a folder of reports/ is for other files of the workbench",
            name=name,
        )
    if is_derived(name):
        return tr(
            "expected another name than '{name}': such folders of reports/ are for quick looks, strong "
            "players and what a search has found",
            name=name,
        )
    return name_problem(name)
