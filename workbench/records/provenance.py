"""``provenance.json``: the games of a run, the players and machine that played them, and the date.

The file holds a digest of itself and those of all files of a finished run; it is written last. It is made of the
experiment, so it can be made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench.base import output
from workbench.base.errors import reason_of, text_of
from workbench.base.language import SEMICOLON, join, tr
from workbench.records import records
from workbench.records.records import TRIALS

FILE = "provenance.json"
NAMES = (FILE, TRIALS, "report.html", "report.md", "summary.csv")
"""The files and folders of every report folder, besides tables and charts."""
_BESIDE = ("name", "title", "title_ja", "published", "keep_moves", "left_out", "quick_look")
"""Keys of an experiment on which no verdict depends."""
_RUN_KEYS = ("versions", "cpu", "workers", "command", "started")
DIGEST_KEY = "digest"
"""The key that holds the digest of all others."""


class Damaged(Exception):
    """``provenance.json`` is not as a run wrote it."""


def write_provenance(
    folder: Path,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any],
    digests: Mapping[str, str] | None = None,
    lost: bool = False,
) -> dict[str, Any]:
    """Write ``provenance.json`` for a run and returns it; a continued run keeps date and machine of the first.

    ``old`` is the provenance before this run, if any; where that is ``lost``, so are date and machine of the first run.
    ``digests`` are those of the finished files, by default those of ``old``.
    """
    content = dict(new)
    if old or lost:
        old = old or {"versions": {}}
        content = {name: value for name, value in content.items() if name not in _RUN_KEYS}
        content |= {name: old[name] for name in _RUN_KEYS if name in old}
        content["continued"] = [*old.get("continued", []), {name: new[name] for name in _RUN_KEYS}]
        if "digests" in old:
            content["digests"] = old["digests"]
    return save_provenance(folder, content, digests)


def save_provenance(
    folder: Path, content: Mapping[str, Any], digests: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Write the content to ``provenance.json`` with its own digest, and ``digests`` if given; returns it."""
    full = {name: value for name, value in content.items() if name != DIGEST_KEY}
    if digests is not None:
        full["digests"] = dict(digests)
    full[DIGEST_KEY] = _digest(full)
    output.write_file(folder / FILE, (json.dumps(full, indent=1, ensure_ascii=False) + "\n").encode())
    return full


def _digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content without its own digest, in JSON without spaces and with its keys in order."""
    undigested = {name: value for name, value in content.items() if name != DIGEST_KEY}
    text = json.dumps(undigested, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_provenance(folder: Path) -> dict[str, Any] | None:
    """Return the verified provenance of a folder; None if it is missing or damaged.

    Raises:
        records.Unavailable: the file exists, but cannot be read.
    """
    try:
        return load_provenance(folder)
    except (FileNotFoundError, Damaged):
        return None


def load_provenance(folder: Path) -> dict[str, Any]:
    """Return the verified provenance of a folder.

    Raises:
        FileNotFoundError: there is none.
        records.Unavailable: the file exists, but cannot be read.
        Damaged: it is not as a run wrote it.
    """
    path = folder / FILE
    try:
        content = output.require_regular_file(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise records.Unavailable(join(": ", (str(path), reason_of(error)))) from error
    try:
        provenance = json.loads(content.decode("utf-8"))
        agrees = isinstance(provenance, dict) and provenance.get(DIGEST_KEY) == _digest(provenance)
    except (ValueError, RecursionError) as error:
        raise Damaged(join(": ", (str(path), text_of(error)))) from error
    if not agrees:
        raise Damaged(
            tr("{path}: its content does not agree with its digest: it was damaged, or changed by hand", path=path)
        )
    return dict(provenance)


def claim_report_folder(path: Path, into_existing: bool = False) -> output.Folder:
    """Prepare a report folder for writing: a new or empty one, or one of a run; see `output.claim_folder`.

    Raises:
        InputError: also if the folder holds a file of somebody else under a name that a report needs.
    """
    unmarked_files = _files_without_mark(path) if path.is_dir() and output.listed_files(path) is None else None
    return output.claim_folder(path, NAMES, unmarked_files, into_existing)


def _files_without_mark(path: Path) -> list[str] | None:
    """Return the workbench's files in a folder whose mark is lost, known by its provenance; else None."""
    if read_provenance(path) is None:
        return None
    charts = [file for file in path.glob("*.png") if file.with_suffix(".svg").is_file()]
    tables = [] if (path / "tables").is_symlink() else path.glob("tables/*.csv")
    pictures = [file.with_suffix(kind).name for file in charts for kind in (".png", ".svg")]
    return [*NAMES, *(f"tables/{file.name}" for file in tables), *pictures]


def changed_keys(before: Mapping[str, Any], experiment: Mapping[str, Any]) -> list[str]:
    """The keys of an experiment that make its question another than that of the records; ``games`` may be raised."""
    now = json.loads(json.dumps(experiment))
    changed = [name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name)]
    return [name for name in changed if name not in _BESIDE and (name != "games" or before[name] > now[name])]


def question_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the changes from one provenance to the next that make it another question, in words."""
    before, now = old["experiment"], new["experiment"]
    changes = [_key_in_words(name, before.get(name), now.get(name)) for name in changed_keys(before, now)]
    rulesets = {ruleset["name"]: ruleset for ruleset in old["rulesets"]}
    for ruleset in new["rulesets"]:
        was = rulesets.pop(ruleset["name"], None)
        if was is None:
            changes.append(tr("ruleset {ruleset} was added", ruleset=ruleset["name"]))
        elif was["fingerprint"] != ruleset["fingerprint"]:
            settings = _changes_in_words(was["settings"], ruleset["settings"])
            settings = settings or tr("its game family now plays by other rules")
            changes.append(tr("ruleset {ruleset}: {changes}", ruleset=ruleset["name"], changes=settings))
    changes += [tr("ruleset {name} is no longer in the experiment", name=name) for name in rulesets]
    pairs = {(pair["first"], pair["second"]): pair for pair in old["pairings"]}
    agents: dict[str, str] = {}
    for pair in new["pairings"]:
        was = pairs.pop((pair["first"], pair["second"]), None)
        if was is None:
            changes.append(tr("pairing {first} – {second} was added", first=pair["first"], second=pair["second"]))
            continue
        for seat in ("first", "second"):
            if was[f"{seat}_options"] != pair[f"{seat}_options"]:
                agents[pair[seat]] = _changes_in_words(was[f"{seat}_options"], pair[f"{seat}_options"])
    changes += [tr("agent {label}: {changes}", label=label, changes=options) for label, options in agents.items()]
    changes += [
        tr("pairing {first} – {second} is no longer in the experiment", first=first, second=second)
        for first, second in pairs
    ]
    for name, by_training in new.get("learned", {}).items():
        for training, learned in by_training.items():
            was = old.get("learned", {}).get(name, {}).get(training, learned)
            if was["digest"] != learned["digest"]:
                digests = tr("was {before}, is now {now}", before=was["digest"], now=learned["digest"])
                text = tr("weights of training {training} for {name}: {change}")
                changes.append(text.format(training=training, name=name, change=digests))
    for game, weights in new["weights"].items():
        if different := _changes_in_words(old["weights"].get(game, weights), weights):
            changes.append(tr("default weights of {game}: {changes}", game=game, changes=different))
    return changes


def _key_in_words(name: str, before: Any, now: Any) -> str:
    if name == "games":
        return tr("games: was {before} per cell, is now {now}", before=before, now=now)
    own: dict[str, Callable[[Any], str]] = {"capped": _adjudication_in_words, "openings": openings_in_words}
    in_words = own.get(name, _value_in_words)
    return tr("{name}: was {before}, is now {now}", name=name, before=in_words(before), now=in_words(now))


def _value_in_words(value: Any) -> str:
    return tr("not there") if value is None else json.dumps(value, ensure_ascii=False)


def _adjudication_in_words(capped: Mapping[str, Any] | None) -> str:
    if not capped:
        return "bounds"
    options = ", ".join(f"{name} {value}" for name, value in capped["options"].items() if name != "kind")
    return tr(
        "adjudicated by {player} ({options}) from {threshold} on",
        player=capped["judge"],
        options=options,
        threshold=capped["threshold"],
    )


def openings_in_words(openings: Mapping[str, Any] | None) -> str:
    """Return the openings in a provenance, in words."""
    if not openings:
        return tr("left to the players")
    if "given" in openings:
        return ", ".join(openings["given"])
    options = ", ".join(f"{name} {value}" for name, value in openings["options"].items() if name != "kind")
    return tr(
        "{lines} lines of {plies} plies, without those from {threshold} on by {player} ({options})",
        lines=openings["lines"],
        plies=openings["plies"],
        threshold=openings["threshold"],
        player=openings["judge"],
        options=options,
    )


def _changes_in_words(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    text = tr("{name} was {was}, is now {now}")
    return SEMICOLON.join(
        text.format(name=name, was=_value_in_words(old.get(name)), now=_value_in_words(new.get(name)))
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    )


def folder_stamp(folder: Path) -> tuple[int, ...]:
    """Numbers that change whenever the records or the provenance of a folder change."""
    numbers: list[int] = []
    for place in (FILE, TRIALS):
        try:
            status = (folder / place).stat()
            numbers += [status.st_mtime_ns, status.st_size, status.st_ino]
        except OSError:
            numbers += [0, 0, 0]
    return tuple(numbers)
