"""Ladders that were played: their folders, and what their files say.

A ladder lies in ``reports/ladders/<ruleset>/<fingerprint>/``. The fingerprint is of all that decides the games: rules,
players, openings, seed and engine. A report on an experiment asks `best_ladder_for` where its players stand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.base import output
from workbench.base.project import LADDERS

LADDER_FILE = "ladder.json"


def ladder_folder(reports: Path, ruleset: str, fingerprint: str) -> Path:
    """Return the folder of a ladder."""
    return reports / LADDERS / ruleset / fingerprint


def load_ladder(path: Path) -> dict[str, Any] | None:
    """Return the content of a saved ladder; None if there is no readable one."""
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
