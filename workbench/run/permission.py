"""Programs and classes that an experiment starts: only with the user's word, for the file may be somebody else's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.language import tr
from workbench.questions.experiment import Experiment
from workbench.questions.rulesets import Ruleset
from workbench.run.errors import ProgramsNotAllowed


def probe_outside_players(
    experiment: Experiment, allowed: bool, command: str, say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """Probes the players from outside; returns label -> the name the player gives itself, and its file.

    Each is started for a moment, a program once per ruleset, so that what cannot play, or plays by other rules, fails
    before the first game.

    Raises:
        ProgramsNotAllowed: the user has not ``allowed`` it.
        PlayerFailed: one cannot be started, does not know a ruleset, or plays by other rules.
    """
    if all(agent.outside is None for pairing in experiment.pairings for agent in pairing):
        return {}
    from workbench.outside.players import Outsider, probe_outsider

    outsiders: dict[Any, tuple[Outsider, Ruleset]] = {}
    for cell in experiment.cells():
        for agent in (cell.first, cell.second):
            if outsider := Outsider.of(agent, cell.ruleset):
                rules = cell.ruleset.fingerprint if outsider.variant else ""
                outsiders.setdefault((outsider.label, rules), (outsider, cell.ruleset))
    starts = list(dict.fromkeys(outsider.start_in_words() for outsider, _ in outsiders.values()))
    if not allowed:
        raise ProgramsNotAllowed(starts, command)
    for line in starts:
        say(tr("Starts {line}", line=line))
    players = {}
    for outsider, ruleset in outsiders.values():
        name, note = probe_outsider(outsider, ruleset)
        players[outsider.label] = {"name": name, "file": outsider.program_file()}
        if note:
            say(note)
    return players


def changed_players(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> list[str]:
    """Players from outside that are others than those whose games a folder holds, in lines for the user."""
    previous = (before or {}).get("players") or {}
    return [
        tr(
            "player {label}: was {previous}, is now {player}",
            label=label,
            previous=previous[label].get("name"),
            player=player["name"],
        )
        for label, player in now.items()
        if label in previous and previous[label].get("name") != player["name"]
    ]
