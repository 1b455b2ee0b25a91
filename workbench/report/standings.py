"""Where the players of an experiment stand on the ladders that were kept of its rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.files import project
from workbench.games.results import SEATS
from workbench.questions.agent_kinds import training_key
from workbench.statistics.portrait import Depth, ladder_depths
from workbench.store import ladders

Standings = Mapping[str, tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]]]]
"""Ruleset -> a kept ladder of its rules, and label -> the player's entry in it."""


def ladder_standings(provenance: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """For each ruleset of an experiment with a kept ladder, that ladder and the entries of its players.

    A ladder counts if its rules have the same fingerprint, and the same engine played.
    """
    reports = project.find_project().reports
    players = {
        str(pairing[seat]): pairing[f"{seat}_options"]
        for pairing in provenance["pairings"]
        for seat in SEATS
        if pairing.get(f"{seat}_options")
    }
    engines = provenance.get("engines") or {}
    placed = {
        str(ruleset["name"]): ladders.best_ladder_for(
            reports,
            str(ruleset["fingerprint"]),
            str(engines.get(ruleset.get("game"), "")),
            {label: _with_learned(options, provenance, str(ruleset["name"])) for label, options in players.items()},
        )
        for ruleset in provenance["rulesets"]
    }
    return {name: standing for name, standing in placed.items() if standing}


def depths_by_ruleset(provenance: Mapping[str, Any]) -> dict[str, list[Depth]]:
    """For each ruleset with a kept ladder, how deep it is; of several ladders, that with most games counts.

    A ladder counts as in `ladder_standings`, but for its players: they need not be the experiment's.
    """
    reports = project.find_project().reports
    engines = provenance.get("engines") or {}
    found: dict[str, list[Depth]] = {}
    for ruleset in provenance["rulesets"]:
        engine = str(engines.get(ruleset.get("game"), ""))
        whole = (one for one in ladders.saved_ladders(reports, str(ruleset["fingerprint"])) if one["engine"] == engine)
        if ladder := next(whole, None):
            found[str(ruleset["name"])] = ladder_depths(ladder)
    return found


def _with_learned(options: Mapping[str, Any], provenance: Mapping[str, Any], ruleset: str) -> dict[str, Any]:
    """The options of a player, with the digest of what it has learned of a ruleset."""
    learned = (provenance.get("learned") or {}).get(ruleset) or {}
    key = training_key(str(options.get("evaluation") or ""), int(options.get("training") or 0))
    entry = learned.get(key)
    return {**options, "learned": entry["digest"]} if entry else dict(options)
