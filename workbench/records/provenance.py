"""``provenance.json``: the games of a run, its players, machine and date; and ``ladder.json`` of saved ladders.

``provenance.json`` is written last, with a digest of itself and those of all files of a finished run. It follows from
the experiment and can be recreated.

Ladders are in ``reports/ladders/<ruleset>/<fingerprint>/``; the fingerprint covers everything that determines the
games: rules, players, openings, seed and engine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench.base import output
from workbench.base.errors import error_text, system_reason
from workbench.base.language import SEMICOLON, join, tr
from workbench.base.project import LADDERS
from workbench.records import records
from workbench.records.records import TRIALS

FILE = "provenance.json"
NAMES = (FILE, TRIALS, "report.html", "report.md", "summary.csv")
"""The entries of every report folder, besides tables and charts."""
_UNJUDGED = ("name", "title", "title_ja", "published", "keep_moves", "left_out", "quick_look")
"""Keys of an experiment that affect no verdict."""
_RUN_KEYS = ("versions", "cpu", "workers", "command", "started")
DIGEST_KEY = "digest"
"""The key of the digest of all others."""


class Damaged(Exception):
    """``provenance.json`` does not match its digest."""


def write_provenance(
    folder: Path, old: Mapping[str, Any] | None, new: Mapping[str, Any], digests: Mapping[str, str] | None = None,
    lost: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Write and return the provenance of a run; a continued run keeps the date and machine of the first run.

    ``old`` is the previous provenance, if any; if it was ``lost``, date and machine are omitted. ``digests`` are those
    of the finished files, by default those of ``old``.
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
    """Write the content to ``provenance.json`` with its own digest, and ``digests`` if given; return it."""
    full = {name: value for name, value in content.items() if name != DIGEST_KEY}
    if digests is not None:
        full["digests"] = dict(digests)
    full[DIGEST_KEY] = _digest(full)
    output.write_file(folder / FILE, (json.dumps(full, indent=1, ensure_ascii=False) + "\n").encode())
    return full


def _digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content without its own digest, as compact JSON with sorted keys."""
    undigested = {name: value for name, value in content.items() if name != DIGEST_KEY}
    text = json.dumps(undigested, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_provenance(folder: Path) -> dict[str, Any] | None:
    """Return `load_provenance` of a folder, or None if the file is missing or damaged."""
    try:
        return load_provenance(folder)
    except (FileNotFoundError, Damaged):
        return None


def load_provenance(folder: Path) -> dict[str, Any]:
    """Return the verified provenance of a folder.

    Raises:
        FileNotFoundError: the folder has no provenance.
        records.Unavailable: the file exists, but cannot be read.
        Damaged: the content does not match its digest.
    """
    path = folder / FILE
    try:
        content = output.require_regular_file(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise records.Unavailable(join(": ", (str(path), system_reason(error)))) from error
    try:
        provenance = json.loads(content.decode("utf-8"))
        agrees = isinstance(provenance, dict) and provenance.get(DIGEST_KEY) == _digest(provenance)
    except (ValueError, RecursionError) as error:
        raise Damaged(join(": ", (str(path), error_text(error)))) from error
    if not agrees:
        raise Damaged(tr("{path} does not match its digest: it has been damaged or edited", path=path))
    return dict(provenance)


def claim_report_folder(path: Path, into_existing: bool = False) -> output.Folder:
    """Prepare a new, empty or existing report folder; raise `InputError` for foreign files of the same names."""
    unmarked_files = _files_without_mark(path) if path.is_dir() and output.listed_files(path) is None else None
    return output.claim_folder(path, NAMES, unmarked_files, into_existing)


def _files_without_mark(path: Path) -> list[str] | None:
    """Return the workbench's files in an unmarked folder, or None if it has no valid provenance."""
    if read_provenance(path) is None:
        return None
    charts = [file for file in path.glob("*.png") if file.with_suffix(".svg").is_file()]
    tables = [] if (path / "tables").is_symlink() else path.glob("tables/*.csv")
    pictures = [file.with_suffix(kind).name for file in charts for kind in (".png", ".svg")]
    return [*NAMES, *(f"tables/{file.name}" for file in tables), *pictures]


def changed_keys(before: Mapping[str, Any], experiment: Mapping[str, Any]) -> list[str]:
    """Return the changed keys that alter an experiment's question; an increase in ``games`` does not."""
    now = json.loads(json.dumps(experiment))
    changed = [name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name)]
    return [name for name in changed if name not in _UNJUDGED and (name != "games" or before[name] > now[name])]


def question_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Describe those differences between two provenances that alter the question."""
    before, now = old["experiment"], new["experiment"]
    changes = [_describe_key(name, before.get(name), now.get(name)) for name in changed_keys(before, now)]
    rulesets = {ruleset["name"]: ruleset for ruleset in old["rulesets"]}
    for ruleset in new["rulesets"]:
        previous = rulesets.pop(ruleset["name"], None)
        if previous is None:
            changes.append(tr("ruleset {ruleset} was added", ruleset=ruleset["name"]))
        elif previous["fingerprint"] != ruleset["fingerprint"]:
            settings = _describe_changes(previous["settings"], ruleset["settings"])
            settings = settings or tr("its game family now has different rules")
            changes.append(tr("ruleset {ruleset}: {changes}", ruleset=ruleset["name"], changes=settings))
    changes += [tr("ruleset {name} is no longer in the experiment", name=name) for name in rulesets]
    pairs = {(pair["first"], pair["second"]): pair for pair in old["pairings"]}
    agents: dict[str, str] = {}
    for pair in new["pairings"]:
        previous = pairs.pop((pair["first"], pair["second"]), None)
        if previous is None:
            changes.append(tr("pairing {first} – {second} was added", first=pair["first"], second=pair["second"]))
            continue
        for seat in ("first", "second"):
            if previous[f"{seat}_options"] != pair[f"{seat}_options"]:
                agents[pair[seat]] = _describe_changes(previous[f"{seat}_options"], pair[f"{seat}_options"])
    changes += [tr("agent {label}: {changes}", label=label, changes=options) for label, options in agents.items()]
    changes += [
        tr("pairing {first} – {second} is no longer in the experiment", first=first, second=second)
        for first, second in pairs
    ]
    for name, by_training in new.get("learned", {}).items():
        for training, learned in by_training.items():
            previous = old.get("learned", {}).get(name, {}).get(training, learned)
            if previous["digest"] != learned["digest"]:
                digests = tr("was {before}, is now {now}", before=previous["digest"], now=learned["digest"])
                text = tr("weights of training run {training} for {name}: {change}")
                changes.append(text.format(training=training, name=name, change=digests))
    for game, weights in new["weights"].items():
        if different := _describe_changes(old["weights"].get(game, weights), weights):
            changes.append(tr("default weights of {game}: {changes}", game=game, changes=different))
    return changes


def _describe_key(name: str, before: Any, now: Any) -> str:
    if name == "games":
        return tr("games per cell: was {before}, is now {now}", before=before, now=now)
    formatters: dict[str, Callable[[Any], str]] = {"capped": _describe_adjudication, "openings": describe_openings}
    format_value = formatters.get(name, _describe_value)
    return tr("{name}: was {before}, is now {now}", name=name, before=format_value(before), now=format_value(now))


def _describe_value(value: Any) -> str:
    return tr("not set") if value is None else json.dumps(value, ensure_ascii=False)


def _describe_options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items() if name != "kind")


def _describe_adjudication(capped: Mapping[str, Any] | None) -> str:
    if not capped:
        return "bounds"
    text = tr("adjudicated by {judge} ({options}) at {threshold}")
    return text.format(**{**capped, "options": _describe_options(capped["options"])})


def describe_openings(openings: Mapping[str, Any] | None) -> str:
    """Describe the recorded openings of an experiment."""
    if not openings:
        return tr("chosen by the players")
    if "given" in openings:
        return ", ".join(openings["given"])
    text = tr("{lines} lines of {plies} plies, excluding scores of {threshold} or more by {judge} ({options})")
    return text.format(**{**openings, "options": _describe_options(openings["options"])})


def _describe_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    text = tr("{name}: was {was}, is now {now}")
    return SEMICOLON.join(
        text.format(name=name, was=_describe_value(old.get(name)), now=_describe_value(new.get(name)))
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    )


def folder_stamp(folder: Path) -> tuple[int, ...]:
    """Return numbers that change with the records or the provenance of a folder."""
    numbers: list[int] = []
    for name in (FILE, TRIALS):
        try:
            status = (folder / name).stat()
            numbers += [status.st_mtime_ns, status.st_size, status.st_ino]
        except OSError:
            numbers += [0, 0, 0]
    return tuple(numbers)


LADDER_FILE = "ladder.json"


def ladder_folder(reports: Path, ruleset: str, fingerprint: str) -> Path:
    """Return the folder of a ladder within the reports folder."""
    return reports / LADDERS / ruleset / fingerprint


def load_ladder(path: Path) -> dict[str, Any] | None:
    """Return the content of a saved ladder, or None if it is missing or invalid."""
    try:
        content = json.loads(output.require_regular_file(path).read_text(encoding="utf-8"))
        entries = {str(entry["player"]): (entry["options"], entry["elo"]["value"]) for entry in content["players"]}
        is_complete = content["rules"]["fingerprint"] and content["engine"] and entries and content["games"] >= 0
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content if is_complete else None


def saved_ladders(reports: Path, rules: str) -> list[dict[str, Any]]:
    """Return the saved ladders for rules with this fingerprint, sorted by descending number of games."""
    ladders = [load_ladder(path) for path in sorted((reports / LADDERS).glob(f"**/{LADDER_FILE}"))]
    matching = [content for content in ladders if content and content["rules"]["fingerprint"] == rules]
    return sorted(matching, key=lambda content: -int(content["games"]))


def best_ladder_for(
    reports: Path, rules: str, engine: str, players: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the saved ladder with the most of the ``players``, and their entries there, or None if none has any.

    ``players`` maps labels to `AgentSpec.canonical` with the digest of ``learned`` weights, if any. Players are the
    same if these and the engine are equal.
    """
    best: tuple[dict[str, Any], dict[str, Any]] | None = None
    for content in saved_ladders(reports, rules):
        if content["engine"] != engine:
            continue
        entries = {
            label: entry for label, options in players.items() for entry in content["players"]
            if entry["options"] | ({"learned": entry["learned"]} if "learned" in entry else {}) == dict(options)
        }  # fmt: skip
        if entries and (best is None or len(entries) > len(best[1])):
            best = content, entries
    return best
