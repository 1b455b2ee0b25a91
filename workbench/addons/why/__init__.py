"""Causes: where in a game, and through which events, a change of rules has its effect."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.why import command as command


@offers
def explain_change(was: Any, now: Any, player: Any, games: int, seed: int, max_plies: int) -> list[str]:
    """Return where in a game a change acts, in sentences, by games of this process."""
    from workbench.addons.why import effect_place, report

    return report.why_sentences(report.explain(effect_place.play_switched(was, now, player, games, seed, max_plies)))
