"""Programs and classes that an experiment starts: only with the user's word, for the file may be somebody else's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.questions.experiment import Experiment
from workbench.run.errors import NotAllowed


def start_outsiders(
    experiment: Experiment, allowed: bool, command: str, say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """What plays behind each player from outside: its label -> how it calls itself, and its file; {} without any.

    Each is started for a moment, for each ruleset that it is told in words of its own, so that what cannot play fails
    before the first game.

    Raises:
        NotAllowed: the user has not ``allowed`` it.
        PlayerFailed: one cannot be started, or does not know a ruleset.
    """
    if all(agent.outside is None for pairing in experiment.pairings for agent in pairing):
        return {}
    from workbench.outside.players import Outsider, identity

    outsiders: dict[Any, Outsider] = {}
    for cell in experiment.cells():
        for agent in (cell.first, cell.second):
            if outsider := Outsider.of(agent, cell.ruleset):
                outsiders.setdefault((outsider.label, outsider.variant), outsider)
    starts = list(dict.fromkeys(outsider.starts() for outsider in outsiders.values()))
    if not allowed:
        raise NotAllowed(starts, command)
    for each in starts:
        say(f"Starts {each}")
    return {outsider.label: {"name": identity(outsider), "file": outsider.file()} for outsider in outsiders.values()}


def changed(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> list[str]:
    """Players from outside that are others than those whose games a folder holds, in lines for the user."""
    was = (before or {}).get("players") or {}
    return [
        f"player {label}: was {was[label].get('name')}, is now {each['name']}"
        for label, each in now.items()
        if label in was and was[label].get("name") != each["name"]
    ]
