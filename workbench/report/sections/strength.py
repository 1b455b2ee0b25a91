"""How strong the players are, where a ladder of a ruleset was kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.files import project
from workbench.games.results import SEATS
from workbench.language import listed, tr, verbatim
from workbench.questions.agent_kinds import training_key
from workbench.report.model import Paragraph, Section, Table, TableCell, numeric_cell
from workbench.report.names import Names
from workbench.report.numbers import format_elo_estimate
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


def strength_section(standings: Standings, names: Names) -> Section | None:
    """Where the players stand on the ladders of the rulesets; nothing where there are none."""
    if not standings:
        return None
    labels = list(dict.fromkeys(label for pairing in names.plan.pairings for label in pairing))
    rows = []
    for ruleset in names.rulesets:
        if ruleset not in standings:
            continue
        ladder, entries = standings[ruleset]
        for label in labels:
            if label in entries:
                entry = entries[label]
                rows.append([
                    names.ruleset_cell(ruleset),
                    TableCell(verbatim(label), sort=float(labels.index(label))),
                    numeric_cell(format_elo_estimate(entry["elo"]), entry["elo"]["value"]),
                    numeric_cell(format_elo_estimate(entry["first_move"]), entry["first_move"]["value"]),
                    numeric_cell(f"{ladder['games']:,}", ladder["games"]),
                ])  # fmt: skip
    zeros = listed(list(dict.fromkeys(str(ladder["zero"]) for ladder, _ in standings.values())))
    heads = [TableCell(tr("ruleset")), TableCell(tr("player"))] + [
        TableCell(text, kind="number")
        for text in (
            "Elo",
            tr("worth of moving first"),
            tr("games of the ladder"),
        )
    ]
    caption = tr(
        "The players of this experiment on the ladders that were kept of its rulesets (workbench "
        "ladder), in Elo, with 95 % intervals; {zeros} is 0. Ladders of different rulesets have "
        "no common scale but that one player."
    ).format(zeros=zeros)
    parts: list[Paragraph | Table] = [Table(caption, heads, rows)]
    without = [names.short(ruleset) for ruleset in names.rulesets if ruleset not in standings]
    if without:
        missing = tr("No ladder is kept of {rulesets}.")
        parts.append(Paragraph(missing.format(rulesets=listed(without)), "note"))
    return Section("strength", tr("How strong the players are"), parts)
