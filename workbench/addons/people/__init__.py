"""Games that people played: files of games become records of a run, to be read beside those of players."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.people import command as command


@offers
def name_variant(ruleset: Any) -> dict[str, str]:
    """Return the tag that keeps others from reading a game as the usual one."""
    from workbench.addons.people.reading import written_tags

    return written_tags(ruleset)


@offers
def replay_moves(rules: Any, lines: Any) -> Any:
    """Return the hashes of lists of moves."""
    from workbench.addons.people.replaying import replayed_hashes

    return replayed_hashes(rules, lines)


@offers
def report_section(trials: Any, provenance: Any, analysis: Any, names: Any) -> Any:
    """Return the section about people's games."""
    from workbench.addons.people.report import people_section

    return people_section(trials, provenance, analysis, names)
