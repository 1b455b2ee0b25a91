"""What single changes of rules did in all kept reports: a table of estimates, from the tables beside their games.

A change is one toggle from one setting to another. An estimate of its effect is the difference between two rulesets of
a report that differ in that toggle alone, by games of one pairing of players; of a search, what its model expects of
the change over its space. `workbench.statistics.pooled_effects` says what they come to.

Limits: games under the same lines are taken as independent where a ruleset is compared with another one than the
baseline, which makes their intervals too wide rather than too narrow; records that were kept twice under other digests
count twice. Drawings of the user's own, such as start positions, are no change that other rules could make.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.errors import InputError
from workbench.files.names import RESERVED_FOLDERS, SEARCHES
from workbench.files.project import Project
from workbench.files.yamlfile import parse_scalar
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.questions import rulesets
from workbench.questions.derived_experiments import STRONG_NODES
from workbench.questions.measures import FAIRNESS, FIRST_SCORE, PLIES
from workbench.questions.ruleset_files import Library
from workbench.questions.rulesets import Ruleset
from workbench.questions.settings import toggles_by_name
from workbench.statistics.intervals import Z, wilson

PLAIN = (FIRST_SCORE, "draw_rate", "plies_mean")
"""What every report tells."""
CHANGE = ["game", "toggle", "before", "after"]
COLUMNS = ["source", *CHANGE, "measure", "players", "effect", "error", "games", "value", "rules", "strength"]
"""A row for each estimate. ``before`` and ``after``: as files write settings, in the order of the alphabet; ``effect``:
what the measure is more under ``after``, ``error`` its standard error; ``value``: the measure under ``before``;
``rules``: all settings of that ruleset; ``strength``: see `_strength`."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""What files raise that are damaged, or no report's."""
YARDSTICK = "random"
NODES_OF_DEPTH = 30
"""Positions that a search of one ply looks at, about; of two plies as many each."""
STANDARD_STRENGTH = sum(map(math.log2, STRONG_NODES)) / len(STRONG_NODES)
"""That of the standard players of a search."""


SUMMARY = [
    *("ruleset", "first", "second", "games", "unfinished", "first_wins", "second_wins"),
    *(f"{name}{end}" for name in PLAIN for end in ("", "_low", "_high")),
]
"""The columns of ``summary.csv`` that are read: those of events are two hundred."""


def kept_estimates(folders: Iterable[Path], project: Project, game: str = "") -> pd.DataFrame:
    """The estimates of all reports in some folders, and of searches in ``searches/`` within them; see `COLUMNS`.

    A report is a folder with ``provenance.json`` and ``summary.csv``. One whose files cannot be read is left out, and
    one with the same records as another. Rulesets that are told by fingerprint alone are looked up in the project.
    ``game``: estimates of this game alone.
    """
    library = Library(project)
    parts: list[pd.DataFrame] = []
    seen: set[str] = set()
    for folder in folders:
        for path in sorted(folder.glob("*/provenance.json")):
            if path.parent.name in RESERVED_FOLDERS:
                continue
            try:
                provenance = json.loads(path.read_text("utf-8"))
                records = str(provenance.get("digests") or path)
                if records not in seen:
                    parts.append(_report_estimates(path.parent, provenance, library, game))
                    seen.add(records)
            except UNREADABLE:
                continue
        for path in sorted((folder / SEARCHES).glob("*/effects.csv")):
            try:
                parts.append(_search_estimates(path.parent, library, game))
            except UNREADABLE:
                continue
    kept = [part for part in parts if len(part)]
    return pd.concat(kept, ignore_index=True) if kept else pd.DataFrame(columns=COLUMNS)


def _report_estimates(folder: Path, provenance: Mapping[str, Any], library: Library, game: str) -> pd.DataFrame:
    known = dict(_kept_settings(provenance, library, game))
    summary = pd.read_csv(folder / "summary.csv", usecols=SUMMARY)
    summary["players"] = summary["first"].where(
        summary["first"] == summary["second"], summary["first"] + " : " + summary["second"]
    )
    if (summary["players"] != YARDSTICK).any():
        summary = summary[summary["players"] != YARDSTICK]
    cells = {name: rows.set_index("players") for name, rows in summary.groupby("ruleset")}
    baseline = provenance["experiment"]["baseline"]
    strengths = {
        _players(pair): (_strength(pair["first_options"]) + _strength(pair["second_options"])) / 2
        for pair in provenance["pairings"]
    }
    table = next(
        (path for path in (folder / "tables" / "comparisons.csv", folder / "comparisons.csv") if path.exists()), None
    )
    compared = _comparisons(pd.read_csv(table)) if table else {}
    rows: list[list[Any]] = []
    for one, other in itertools.combinations([name for name in known if name in cells], 2):
        (game, a), (other_game, b) = known[one], known[other]
        differing = [name for name in a if game == other_game and not equal_settings(a[name], b[name])]
        if len(differing) != 1 or _is_drawn(game, differing[0], a, b):
            continue
        toggle, texts = differing[0], (setting_text(a[differing[0]]), setting_text(b[differing[0]]))
        before, after = (one, other) if texts[0] <= texts[1] else (other, one)
        sign = {after: 1, before: -1}
        for players in cells[one].index.intersection(cells[other].index):
            was, now = (_summary_values(cells[name].loc[players]) for name in (before, after))
            found = {name: (now[name][0] - was[name][0], math.hypot(now[name][1], was[name][1]), was[name][0])
                     for name in was}  # fmt: skip
            found[FAIRNESS] = _fairer(found[FIRST_SCORE])
            if baseline in (one, other):
                proposal = other if baseline == one else one
                for name, (difference, error, value) in compared.get((proposal, players), {}).items():
                    found[name] = sign[proposal] * difference, error, value
            count = int(min(cells[one].loc[players, "games"], cells[other].loc[players, "games"]))
            rows += [
                [folder.name, game, toggle, *sorted(texts), name, players, *numbers[:2], count, numbers[2],
                 known[before][1], strengths[players]]
                for name, numbers in found.items()
            ]  # fmt: skip
    return _usable(rows)


def _is_drawn(game: str, name: str, *settings: Mapping[str, Setting]) -> bool:
    """Whether a toggle is a drawing of the user's own in any of some rules."""
    toggle = games.declaration(game).toggle(name)
    return isinstance(toggle, Drawing) and any(toggle.is_drawn(each[name]) for each in settings)


def _players(pair: Mapping[Any, Any]) -> str:
    """A pairing in a word: the player, or both."""
    first, second = str(pair["first"]), str(pair["second"])
    return first if first == second else f"{first} : {second}"


def _strength(options: Mapping[str, Any]) -> float:
    """How far a player looks: doublings of the nodes of a move; of a depth, about so many."""
    if nodes := options.get("nodes"):
        return math.log2(nodes)
    return math.log2(NODES_OF_DEPTH) * (options.get("depth") or (0 if options.get("kind") == YARDSTICK else 1))


def _usable(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=COLUMNS)
    finite = np.isfinite(table[["effect", "error"]].to_numpy(dtype=float)).all(axis=1)
    usable: pd.DataFrame = table[finite & (table["error"] > 0)]
    return usable


def _fairer(score: tuple[float, float, float]) -> tuple[float, float, float]:
    """How much nearer to one half a score is after a difference."""
    difference, error, value = score
    return abs(value - 0.5) - abs(value + difference - 0.5), error, abs(value - 0.5)


def _summary_values(cell: pd.Series) -> dict[str, tuple[float, float]]:
    """Measures of a cell with their standard errors, from its counts and intervals."""
    values = {name: (float(cell[name]), float(cell[f"{name}_high"] - cell[f"{name}_low"]) / (2 * Z)) for name in PLAIN}
    played = float(cell["games"])
    for name, count in (
        ("capped_rate", cell["unfinished"]),
        ("decisive_rate", cell["first_wins"] + cell["second_wins"]),
    ):
        low, high = wilson(float(count), played)
        values[name] = float(count) / played, float(high - low) / (2 * Z)
    return values


def _comparisons(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, tuple[float, float, float]]]:
    """Differences from the baseline with standard errors and the baseline's value, by ruleset and players."""
    found: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = {}
    for row in table.to_dict("records"):
        players = _players(row)
        error = (row["high"] - row["low"]) / (2 * Z)
        found.setdefault((str(row["ruleset"]), players), {})[str(row["measure"])] = (
            float(row["difference"]), float(error), float(row["baseline_value"]),
        )  # fmt: skip
    return found


def _kept_settings(
    provenance: Mapping[str, Any], library: Library, game: str
) -> Iterator[tuple[str, tuple[str, Mapping[str, Setting]]]]:
    """The game and all settings of each ruleset of a report, as its family knows them now."""
    listed = provenance["rulesets"]
    for entry in listed if isinstance(listed, list) else []:
        if entry["game"] in games.names() and game in ("", entry["game"]):
            defaults = games.declaration(entry["game"]).defaults()
            if set(entry["settings"]) <= set(defaults):
                yield entry["name"], (entry["game"], {**defaults, **entry["settings"]})
    for name, fingerprint in listed.items() if isinstance(listed, dict) else []:
        ruleset = _looked_up(name, library) if name.startswith(game) else None
        if ruleset is not None and ruleset.fingerprint == fingerprint:
            yield name, (ruleset.game, ruleset.settings)


def _looked_up(name: str, library: Library) -> Ruleset | None:
    """The ruleset of a name, also of one that an experiment varied: ``chatra/2008-02 stuck=loss, subjects=7``."""
    base, _, varied = name.partition(" ")
    try:
        ruleset = rulesets.load_ruleset(base, library=library)
        pairs = (part.partition("=") for part in varied.split(", ") if part)
        changes = {
            toggle: setting_of_text(games.declaration(ruleset.game).toggle(toggle), text) for toggle, _, text in pairs
        }
        return rulesets.derive_ruleset(ruleset, changes, name, "") if changes else ruleset
    except (InputError, KeyError):
        return None


def setting_of_text(toggle: Toggle, text: str) -> Setting:
    """The setting that files write so."""
    scalar = parse_scalar(text)
    return scalar if isinstance(scalar, bool | int | float) and toggle.allows(scalar) else text


def _search_estimates(folder: Path, library: Library, wanted: str) -> pd.DataFrame:
    """What the model of a search expects of each change, over its space."""
    kept = json.loads((folder / "search.json").read_text("utf-8"))
    base = _looked_up(str(kept["base"]), library)
    if base is None or wanted not in ("", base.game):
        return pd.DataFrame(columns=COLUMNS)
    game, toggles = base.game, toggles_by_name(games.declaration(base.game))
    players = ", ".join((kept.get("result") or {}).get("players", []))
    rows: list[list[Any]] = []
    for row in pd.read_csv(folder / "effects.csv", dtype={"level": str, "beside": str}).to_dict("records"):
        if row["factor"] not in toggles:
            continue
        level, beside = (
            str(row[name]).lower() if row[name] in ("True", "False") else str(row[name]) for name in ("level", "beside")
        )
        sign = 1 if beside <= level else -1
        for column, measure in ((FIRST_SCORE, FIRST_SCORE), ("draw_rate", "draw_rate"), (PLIES, "plies_mean")):
            error = (row[f"{column}_high"] - row[f"{column}_low"]) / (2 * Z)
            rows.append([f"{SEARCHES}/{folder.name}", game, row["factor"], *sorted((beside, level)), measure, players,
                         sign * row[column], error, kept["budget"]["strong"], math.nan, base.settings,
                         STANDARD_STRENGTH])  # fmt: skip
    return _usable(rows)
