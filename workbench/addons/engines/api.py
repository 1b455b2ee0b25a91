"""Variants of Fairy-Stockfish for programs: `workbench.read_variants`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.addons.engines import import_rules
from workbench.base.errors import InputError, Problem, hide_internal_frames
from workbench.rules.rulesets import Ruleset


@hide_internal_frames
def read_variants(file: str | Path, unsaid: Callable[[Problem], object] | None = None) -> dict[str, Ruleset]:
    """The rulesets of chess that the sections of a ``variants.ini`` of Fairy-Stockfish say, by the sections' names.

    A section becomes a ruleset if all of it can be said: then both play by the same rules. Nothing is written;
    ``workbench import-rules`` writes the files.

    Examples:
        Those that can be said, and why not the others::

            variants = wb.read_variants("variants.ini", unsaid=print)
            wb.play(variants["coffeehouse"], games=100)

    Args:
        file: the file.
        unsaid: is told of each key that no ruleset of chess says; its section is left out.

    Raises:
        InputError: the file cannot be read; or, without ``unsaid``, a section cannot be said, with all such keys.
    """
    imported, problems = import_rules.read_variants(file)
    if problems and unsaid is None:
        raise InputError(problems)
    for problem in problems:
        assert unsaid is not None
        unsaid(problem)
    return {name: each.ruleset for name, each in imported.items()}
