"""Location of a rule change's effect in the course of a game, and the events that change with it."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command ``why``."""
    from workbench.addons.why import command as command


@offers
def explain_change(before: Any, after: Any, player: Any, games: int, seed: int, max_plies: int) -> list[str]:
    """Play games in this process and return sentences on the part of a game in which a change takes effect."""
    from workbench.addons.why import effects

    return effects.why_sentences(effects.explain(effects.play_switched(before, after, player, games, seed, max_plies)))
