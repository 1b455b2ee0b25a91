"""``provenance.json``: what a run played, with what and when, and what changed from one run to the next."""

from __future__ import annotations

import contextlib
import datetime
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from workbench import games, records
from workbench.experiment import Cell, Experiment

FILE = "provenance.json"


def of(experiment: Experiment, cells: Sequence[Cell], workers: int, command: str) -> dict[str, Any]:
    """What a run is: the experiment, its resolved rules and agents, versions, machine, command and date."""
    pairings = {(cell.first.label, cell.second.label): cell for cell in cells}
    families = {ruleset.game: games.declaration(ruleset.game) for ruleset in experiment.rulesets}
    return {
        "experiment": experiment.canonical(),
        "rulesets": [
            {
                "name": ruleset.name,
                "title": ruleset.title,
                "title_ja": ruleset.title_ja,
                "game": ruleset.game,
                "fingerprint": ruleset.fingerprint,
                "settings": dict(ruleset.settings),
                **({"levels": dict(levels)} if (levels := experiment.levels.get(ruleset.name)) else {}),
            }
            for ruleset in experiment.rulesets
        ],
        "pairings": [
            {
                "first": cell.first.label,
                "second": cell.second.label,
                "first_options": cell.first.canonical(),
                "second_options": cell.second.canonical(),
            }
            for cell in pairings.values()
        ],
        "weights": {
            name: {feature.name: feature.weight for feature in declaration.features}
            for name, declaration in families.items()
        },
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
            "workbench": workbench.__version__,
        },
        "cpu": cpu(),
        "workers": workers,
        "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def write(folder: Path, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> None:
    """Writes ``provenance.json``; a continued run keeps the date and the machine of the first."""
    content = dict(new)
    if old:
        machine = ("versions", "cpu", "workers", "command", "started")
        content |= {name: old[name] for name in machine if name in old}
        content["continued"] = [*old.get("continued", []), {name: new[name] for name in machine}]
    path = folder / FILE
    beside = path.with_name(f"{FILE}.tmp")
    beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    records.settle(beside, path)


def read(folder: Path) -> dict[str, Any] | None:
    """The provenance of a folder; None if there is none that can be read."""
    try:
        found = json.loads(records.regular(folder / FILE).read_text(encoding="utf-8"))
        for name, kind in (("experiment", dict), ("rulesets", list), ("pairings", list), ("versions", dict)):
            if not isinstance(found[name], kind):
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    assert isinstance(found, dict)
    return found


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What changed from one provenance to the next, in words: what makes played games wrong, and what does not."""
    breaking: list[str] = []
    harmless: list[str] = []
    before, now = old["experiment"], new["experiment"]
    for name in ("name", "seed", "max_plies"):
        if before.get(name) != now[name]:
            (harmless if name == "name" else breaking).append(f"{name}: was {before.get(name)}, is now {now[name]}")
    if before.get("games") != now["games"]:
        more = isinstance(before.get("games"), int) and before["games"] < now["games"]
        (harmless if more else breaking).append(f"games: was {before.get('games')} per cell, is now {now['games']}")
    rulesets = {ruleset["name"]: ruleset for ruleset in old["rulesets"]}
    for ruleset in new["rulesets"]:
        was = rulesets.pop(ruleset["name"], None)
        if was is None:
            harmless.append(f"ruleset {ruleset['name']} was added")
        elif was["fingerprint"] != ruleset["fingerprint"]:
            changes = _changes(was["settings"], ruleset["settings"])
            breaking.append(f"ruleset {ruleset['name']}: {changes or 'its game family now plays by other rules'}")
    breaking += [f"ruleset {name} is no longer in the experiment" for name in rulesets]
    pairs = {(pair["first"], pair["second"]): pair for pair in old["pairings"]}
    agents: dict[str, str] = {}
    for pair in new["pairings"]:
        was = pairs.pop((pair["first"], pair["second"]), None)
        if was is None:
            harmless.append(f"pairing {pair['first']} – {pair['second']} was added")
            continue
        for seat in ("first", "second"):
            if was[f"{seat}_options"] != pair[f"{seat}_options"]:
                agents[pair[seat]] = _changes(was[f"{seat}_options"], pair[f"{seat}_options"])
    breaking += [f"agent {label}: {changes}" for label, changes in agents.items()]
    breaking += [f"pairing {first} – {second} is no longer in the experiment" for first, second in pairs]
    for game, weights in new["weights"].items():
        changes = _changes(old.get("weights", {}).get(game, weights), weights)
        if changes:
            breaking.append(f"default weights of {game}: {changes}")
    return breaking, harmless


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    words = []
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            was, now = (json.dumps(side[name]) if name in side else "not there" for side in (old, new))
            words.append(f"{name} was {was}, is now {now}")
    return "; ".join(words)


def cpu() -> str:
    """The processor's name."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
