"""``provenance.json``: what a run played, with what and when, and what changed from one run to the next.

The file holds a digest of itself and of the finished records. It is made of the experiment, so it can be made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.files import output
from workbench.store import record_files, records
from workbench.store.record_files import BLOCKS, TRIALS

FILE = "provenance.json"
NAMES = (FILE, TRIALS, BLOCKS, "report.html", "report.md", "summary.csv")
"""What every report folder will hold, besides tables and charts."""
_MADE_ON = ("versions", "cpu", "workers", "command", "started")
SELF = "digest"
"""The key that holds the digest of all others."""


class Damaged(Exception):
    """``provenance.json`` is not as a run wrote it."""


def design(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the verdicts on a folder depend on, as its list ``designs`` keeps it: an entry without interim analyses."""
    said = content["experiment"]
    options = ("until", "precision", "looks", "question", "measures")
    return {
        "games": said.get("games"),
        **{name: said[name] for name in options if said.get(name)},
        "margin": said.get("margin"),
        "targets": said.get("targets") or {},
        "baseline": said.get("baseline"),
        "seed": said.get("seed"),
        "rulesets": {ruleset["name"]: ruleset["fingerprint"] for ruleset in content["rulesets"]},
        "pairings": [[pair["first"], pair["second"]] for pair in content["pairings"]],
        "taken": [],
    }


def designs(old: Mapping[str, Any] | None, new: Mapping[str, Any], taken: Sequence[int]) -> list[dict[str, Any]]:
    """The designs that the folder had, in their order, and the present one, which is listed once.

    ``taken``: for folders that have no such list, or lost it, the interim analyses that their finished games had for
    certain.
    """
    listed = [dict(entry) for entry in (old or {}).get("designs") or ()]
    if not listed and taken:
        listed = [(design(old) if old else design(new) | {"games": max(taken)}) | {"taken": list(taken)}]
    entry = design(new)
    if not listed or _without_analyses(listed[-1]) != _without_analyses(entry):
        listed.append(entry)
    return listed


def _without_analyses(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in ("taken", "counts")}


def note_analyses(folder: Path, taken: Sequence[int], counts: Sequence[Sequence[Any]] = ()) -> dict[str, Any] | None:
    """Notes the interim analyses (games per cell) that the present design had; those that were noted before stay.

    Returns what is now in ``provenance.json``, or None if it cannot be read.
    """
    content = read(folder)
    if content is None or not content.get("designs"):
        return content
    entry = content["designs"][-1]
    every = sorted({*entry["taken"], *taken})
    if every != entry["taken"] or (counts and list(map(list, counts)) != entry.get("counts")):
        entry["taken"] = every
        if counts:
            entry["counts"] = [list(each) for each in counts]
        return save(folder, content)
    return content


def kept_designs(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The designs that a fresh start keeps: with the same seed and players it plays the games that they analysed."""
    if not old:
        return []
    deciding = ("seed", "max_plies", "openings")
    same = all(old["experiment"].get(name) == new["experiment"].get(name) for name in deciding)
    options = {(pair["first"], pair["second"]): pair for pair in old["pairings"]}
    same &= all(options.get((pair["first"], pair["second"]), pair) == pair for pair in new["pairings"])
    same &= all(old.get("weights", {}).get(game, each) == each for game, each in new["weights"].items())
    return [dict(entry) for entry in old.get("designs") or () if entry.get("taken")] if same else []


def write(
    folder: Path,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any],
    digests: Mapping[str, str] | None = None,
    lost: bool = False,
) -> dict[str, Any]:
    """Writes ``provenance.json`` and returns it; a continued run keeps the date and the machine of the first.

    Args:
        folder: where to.
        old: what was there.
        new: what this run is.
        digests: of the finished files; those of ``old``, if left out.
        lost: there was one, and nobody knows the date and the machine of the first run any more.
    """
    content = dict(new)
    if old or lost:
        old = old or {"versions": {}}
        content = {name: value for name, value in content.items() if name not in _MADE_ON}
        content |= {name: old[name] for name in _MADE_ON if name in old}
        content["continued"] = [*old.get("continued", []), {name: new[name] for name in _MADE_ON}]
        if "digests" in old:
            content["digests"] = old["digests"]
    return save(folder, content, digests)


def save(folder: Path, content: Mapping[str, Any], digests: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Writes ``provenance.json`` as it is, its own digest and those of finished files aside; returns it."""
    full = {name: value for name, value in content.items() if name != SELF}
    if digests is not None:
        full["digests"] = dict(digests)
    full[SELF] = _digest(full)
    output.write_file(folder / FILE, (json.dumps(full, indent=1, ensure_ascii=False) + "\n").encode())
    return full


def _digest(content: Mapping[str, Any]) -> str:
    """The SHA-256 of the content without its own digest, in JSON without spaces and with its keys in order."""
    said = {name: value for name, value in content.items() if name != SELF}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read(folder: Path) -> dict[str, Any] | None:
    """The provenance of a folder; None if there is none, or none that can be relied on.

    Raises:
        records.Unavailable: the system does not let us read it.
    """
    try:
        provenance = load(folder)
    except (FileNotFoundError, Damaged):
        return None
    return provenance if {"versions", "weights"} <= set(provenance) else None


def load(folder: Path) -> dict[str, Any]:
    """The provenance of a folder, checked. One of version 0.1 has no digest, and is checked for its shape alone.

    Raises:
        FileNotFoundError: there is none.
        records.Unavailable: the system does not let us read it.
        Damaged: it is not as a run wrote it.
    """
    path = folder / FILE
    try:
        content = records.regular(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise records.Unavailable(f"{path}: {error.strerror or error}") from error
    try:
        provenance = json.loads(content.decode("utf-8"))
        agrees = not isinstance(provenance, dict) or SELF not in provenance or provenance[SELF] == _digest(provenance)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path}: {error}") from error
    if not agrees:
        raise Damaged(f"{path}: its content does not agree with its digest: it was damaged, or changed by hand")
    if wrong := _misfit(provenance, _SHAPE, ""):
        raise Damaged(f"{path}: {wrong}")
    assert isinstance(provenance, dict)
    return provenance


_WORDS: Any = {"*": (str, int, float, bool, type(None), list, dict)}
"""A mapping of anything."""
_MACHINE: Any = {"?versions": {"*": str}, "?cpu": str, "?workers": int, "?command": str, "?started": str}
_SHAPE: Any = {
    "experiment": {
        "?name": str, "?title": str, "?title_ja": str, "?baseline": str, "?targets": _WORDS, "?max_plies": int,
        "games": int, "?seed": int, "?until": str, "?precision": (int, float), "?looks": int, "?margin": (int, float),
        "?measures": [str], "?design": str, "?factors": {"*": [str]}, "?left_out": [str], "*": _WORDS["*"],
    },
    "rulesets": [{
        "name": str, "?title": str, "?title_ja": str, "?label": str, "?game": str, "fingerprint": str,
        "?settings": {"*": (str, int, float, bool)}, "?levels": {"*": str}, "*": _WORDS["*"],
    }],
    "pairings": [{
        "first": str, "second": str, "?first_options": _WORDS, "?second_options": _WORDS, "?reproducible": bool,
        "*": _WORDS["*"],
    }],
    "?openings": {"*": {"from": str, "shared": int, "left_out": {"*": int}, "lines": [str]}},
    "?players": {"*": {"name": str, "?file": str, "*": _WORDS["*"]}},
    "?learned": {"*": {"*": {
        "digest": str, "accepted": bool, "?prunes": bool, "match": {"wins": int, "draws": int, "losses": int},
        "nodes": int, "games": int, "worth": {"*": (int, float)}, "commonest": str, "*": _WORDS["*"],
    }}},
    "?weights": {"*": {"*": (int, float)}}, "?engines": {"*": str}, "?digests": {"*": str},
    "?continued": [{**_MACHINE, "*": _WORDS["*"]}], **_MACHINE, "*": _WORDS["*"],
}  # fmt: skip
"""What the parts of the file are; ``?`` may be missing, ``*`` stands for all other names."""


def _misfit(data: Any, shape: Any, place: str) -> str:
    """What in some data has another type than the shape says, in words; empty if nothing has."""
    where = place or "the file"
    if isinstance(shape, list):
        if not isinstance(data, list) or (not data and place in ("rulesets", "pairings")):
            return f"{where}: expected a list"
        return next((wrong for i, each in enumerate(data) if (wrong := _misfit(each, shape[0], f"{place}[{i}]"))), "")
    if isinstance(shape, dict):
        if not isinstance(data, dict):
            return f"{where}: expected a mapping"
        for name in shape:
            if name[0] not in "?*" and name not in data:
                return f"{where}: expected {name}"
        for name, value in data.items():
            inner = next((shape[each] for each in (name, f"?{name}", "*") if each in shape), None)
            if inner is not None and (wrong := _misfit(value, inner, f"{place}.{name}".lstrip("."))):
                return wrong
        return ""
    kinds = shape if isinstance(shape, tuple) else (shape,)
    if isinstance(data, bool) and bool not in kinds:
        return f"{where}: found a truth value"
    return "" if isinstance(data, kinds) else f"{where}: expected another kind of value"


def folder(path: Path, into_existing: bool = False) -> output.Folder:
    """A report folder to write into: a new or empty one, or one that a run has filled; see `output.claim_folder`.

    Raises:
        InputError: besides, it holds a file of another's making in the place of one that a report needs.
    """
    before = _before_marks(path) if path.is_dir() and output.listed_files(path) is None else None
    return output.claim_folder(path, NAMES, before, into_existing)


def _before_marks(path: Path) -> list[str] | None:
    """What the workbench wrote into a folder without a mark (version 0.1); None if it never did.

    It did if there is a provenance or are records: those name themselves.
    """
    for one in [path / TRIALS, *record_files.blocks(path)[:3]]:
        with contextlib.suppress(records.Unreadable, records.Unavailable):
            if one.is_file() and {"cells", "cell"} & set(records.check(one).note):
                break
    else:
        try:
            load(path)
        except (FileNotFoundError, Damaged):
            return None
    charts = [one for one in path.glob("*.png") if one.with_suffix(".svg").is_file()]
    tables = [] if (path / "tables").is_symlink() else path.glob("tables/*.csv")
    pictures = [one.with_suffix(kind).name for one in charts for kind in (".png", ".svg")]
    return [*NAMES, *(f"tables/{one.name}" for one in tables), *pictures]


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Changes from one provenance to the next, in words: those that make the games on disk unusable, and all others."""
    breaking: list[str] = []
    harmless: list[str] = []
    before, now = old["experiment"], new["experiment"]
    for name in ("name", "seed", "max_plies"):
        if before.get(name) != now[name]:
            (harmless if name == "name" else breaking).append(f"{name}: was {before.get(name)}, is now {now[name]}")
    was, is_now = (_adjudication(each.get("capped")) for each in (before, now))
    if was != is_now:
        breaking.append(f"capped: was {was}, is now {is_now}")
    was, is_now = (openings_in_words(each.get("openings")) for each in (before, now))
    if was != is_now:
        breaking.append(f"openings: was {was}, is now {is_now}")
    lines_now = new.get("openings") or {}
    sources = {
        (entry["from"], lines_now[name]["from"])
        for name, entry in (old.get("openings") or {}).items()
        if name in lines_now
    }
    breaking += [
        f"openings: lines were shared with {was}, they are now with {is_now}"
        for was, is_now in sorted(sources)
        if was != is_now
    ]
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
    for name, by_training in (new.get("learned") or {}).items():
        before_now = (old.get("learned") or {}).get(name) or {}
        for training, learned in by_training.items():
            before_digest = (before_now.get(training) or learned)["digest"]
            if before_digest != learned["digest"]:
                said = f"was {before_digest}, is now {learned['digest']}"
                breaking.append(f"what training {training} learned of {name}: {said}")
    for game, weights in new["weights"].items():
        changes = _changes(old.get("weights", {}).get(game, weights), weights)
        if changes:
            breaking.append(f"default weights of {game}: {changes}")
    return breaking, harmless


def _adjudication(capped: Mapping[str, Any] | None) -> str:
    if not capped:
        return "bounds"
    options = ", ".join(f"{name} {value}" for name, value in capped["options"].items() if name != "kind")
    return f"adjudicated by {capped['judge']} ({options}) from {capped['threshold']} on"


def openings_in_words(openings: Mapping[str, Any] | None) -> str:
    """The openings of an experiment as its provenance says them."""
    if not openings:
        return "left to the players"
    if "given" in openings:
        return ", ".join(openings["given"])
    options = ", ".join(f"{name} {value}" for name, value in openings["options"].items() if name != "kind")
    return (
        f"{openings['lines']} lines of {openings['plies']} plies, without those from {openings['threshold']} on by "
        f"{openings['judge']} ({options})"
    )


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    words = []
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            was, now = (json.dumps(side[name]) if name in side else "not there" for side in (old, new))
            words.append(f"{name} was {was}, is now {now}")
    return "; ".join(words)


def folder_stamp(folder: Path) -> tuple[int, ...]:
    """Numbers that change whenever the records of a folder do, or what is said of them."""
    numbers: list[int] = []
    for place in (FILE, TRIALS, record_files.PARTS, BLOCKS):
        try:
            about = (folder / place).stat()
            numbers += [about.st_mtime_ns, about.st_size, about.st_ino]
        except OSError:
            numbers += [0, 0, 0]
    return tuple(numbers)
