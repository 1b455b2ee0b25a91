"""Human games: import of game files as records for comparison with computer players."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.people import command as command


@offers
def name_variant(ruleset: Any) -> dict[str, str]:
    """Return the tags that name a ruleset's variant in game files."""
    from workbench.addons.people.reading import written_tags

    return written_tags(ruleset)


@offers
def replay_moves(rules: Any, lines: Any) -> Any:
    """Replay lists of moves and return the hash of each game."""
    from workbench.addons.people.replaying import replayed_hashes

    return replayed_hashes(rules, lines)


@offers
def report_section(trials: Any, provenance: Any, analysis: Any, names: Any) -> Any:
    """Return the section on human games."""
    from workbench.addons.people.report import people_section

    return people_section(trials, provenance, analysis, names)
