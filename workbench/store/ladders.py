"""Ladders that were played, in ``reports/ladders/<ruleset>/<fingerprint>/``: players of a ruleset by their strength.

The fingerprint is of all that decides the games: rules, players, openings, seed and engine (`workbench.run.ladder`). A
report on an experiment asks `players_of` where its players stand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.files.names import LADDERS
from workbench.store import records

FILE = "ladder.json"


def folder_of(reports: Path, ruleset: str, fingerprint: str) -> Path:
    """Where a ladder is kept."""
    return reports / LADDERS / ruleset / fingerprint


def read(path: Path) -> dict[str, Any] | None:
    """A kept ladder; None if there is none that can be read."""
    try:
        content = json.loads(records.regular(path).read_text(encoding="utf-8"))
        whole = {str(entry["player"]): (entry["options"], entry["elo"]["value"]) for entry in content["players"]}
        known = content["rules"]["fingerprint"] and content["engine"] and whole and content["games"] >= 0
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content if known else None


def kept(reports: Path, rules: str) -> Iterator[dict[str, Any]]:
    """The ladders of the rules with a fingerprint, whatever their ruleset is called; those with most games first."""
    found = [read(path) for path in sorted((reports / LADDERS).glob(f"**/{FILE}"))]
    same = [content for content in found if content and content["rules"]["fingerprint"] == rules]
    yield from sorted(same, key=lambda content: -int(content["games"]))


def players_of(
    reports: Path, rules: str, engine: str, players: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The kept ladder that has most of the ``players``, and where these stand on it; None if none has any.

    ``players`` are labels with what `AgentSpec.canonical` says of them, and the digest of what they have ``learned``,
    if they have: two players are the same if that is the same, and the same engine plays them. Of each that the ladder
    has, its entry is told.
    """
    best: tuple[dict[str, Any], dict[str, Any]] | None = None
    for content in kept(reports, rules):
        if content["engine"] != engine:
            continue
        standing = {
            label: entry for label, options in players.items() for entry in content["players"]
            if entry["options"] | ({"learned": entry["learned"]} if "learned" in entry else {}) == dict(options)
        }  # fmt: skip
        if standing and (best is None or len(standing) > len(best[1])):
            best = content, standing
    return best
