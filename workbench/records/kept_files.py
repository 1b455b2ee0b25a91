"""Ladders and searches for rulesets that were played: their folders, and what their files say.

A ladder lies in ``reports/ladders/<ruleset>/<fingerprint>/``. The fingerprint is of all that decides the games: rules,
players, openings, seed and engine. A report on an experiment asks `best_ladder_for` where its players stand. A search
lies in ``reports/searches/<name>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.base import output
from workbench.base.errors import display_path, input_error
from workbench.base.project import LADDERS, SEARCH, SEARCHES, Project

CANDIDATES, EFFECTS = "candidates.csv", "effects.csv"
"""The tables of a search: what is known of each ruleset, and what each rule does."""
EXTRAS_FILE = "besides.json"
"""What was asked besides the search: rulesets beyond its space, why its changes act."""


def search_folder(project: Project, name: str) -> Path:
    """Where a search keeps its games."""
    return project.report(f"{SEARCHES}/{name}")


def kept_search(folder: Path) -> dict[str, Any]:
    """What ``search.json`` of a folder holds, and what was asked besides; nothing where there is none."""
    content: dict[str, Any] = {}
    for name in (SEARCH, EXTRAS_FILE):
        try:
            read = json.loads((folder / name).read_text("utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise input_error(str(error), file=display_path(folder / name)) from None
        content |= read if isinstance(read, dict) else {}
    return content


LADDER_FILE = "ladder.json"


def ladder_folder(reports: Path, ruleset: str, fingerprint: str) -> Path:
    """The folder of a ladder."""
    return reports / LADDERS / ruleset / fingerprint


def load_ladder(path: Path) -> dict[str, Any] | None:
    """The content of a saved ladder; None if there is no readable one."""
    try:
        content = json.loads(output.require_regular_file(path).read_text(encoding="utf-8"))
        entries = {str(entry["player"]): (entry["options"], entry["elo"]["value"]) for entry in content["players"]}
        is_complete = content["rules"]["fingerprint"] and content["engine"] and entries and content["games"] >= 0
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content if is_complete else None


def saved_ladders(reports: Path, rules: str) -> Iterator[dict[str, Any]]:
    """The saved ladders for a fingerprint of rules, whatever the ruleset is called; those with most games first."""
    ladders = [load_ladder(path) for path in sorted((reports / LADDERS).glob(f"**/{LADDER_FILE}"))]
    matching = [content for content in ladders if content and content["rules"]["fingerprint"] == rules]
    yield from sorted(matching, key=lambda content: -int(content["games"]))


def best_ladder_for(
    reports: Path, rules: str, engine: str, players: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The saved ladder with most of the ``players``, and the ladder's entry of each of these; None if none has any.

    ``players`` maps labels to `AgentSpec.canonical`, with the digest of what they have ``learned``, if anything:
    players are the same if these are equal and the same engine plays them.
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
