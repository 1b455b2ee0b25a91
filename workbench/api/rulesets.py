"""Rulesets by name, and what they may become."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.api.arguments import to_ruleset
from workbench.errors import InputError, Problem, without_internals
from workbench.language import tr
from workbench.questions import rulesets as _rulesets
from workbench.questions.rulesets import Ruleset

__all__ = ["Ruleset", "read_variants", "ruleset", "rulesets"]


@without_internals
def ruleset(name: str | Path) -> Ruleset:
    """The ruleset of a name, or of a YAML file.

    Names are those of the project folder around the current one, or else of the rulesets that come with the workbench.

    Examples:
        >>> ruleset("star/default").settings["pieces"]
        3
        >>> ruleset("star/default").derive(pieces=2).name
        'star/default pieces=2'

    Args:
        name: such as ``chatra/C``, or the path of a file.

    Raises:
        InputError: there is no such ruleset, or its file is wrong; all problems, with their lines.
    """
    return to_ruleset(name)


@without_internals
def rulesets(game: str = "") -> list[str]:
    """The names of the rulesets that there are, sorted.

    Examples:
        >>> rulesets("star")[:3]
        ['star/4x4', 'star/4x4-no-foul', 'star/5x5']

    Args:
        game: only those of this game; all, if left out.

    Raises:
        InputError: there is no such game.
    """
    from workbench import games
    from workbench.api.arguments import argument_error
    from workbench.errors import guess

    if game in (reasons := games.refused()):
        raise argument_error("game", reasons[game])
    if game and game not in games.names():
        raise argument_error(
            "game",
            tr("expected a game, found '{game}'", game=game),
            guess(game, games.names(), tr("there are {names}")),
        )
    return [name for name in _rulesets.ruleset_names() if not game or name.startswith(f"{game}/")]


@without_internals
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
    from workbench.questions import variant_files

    imported, problems = variant_files.read_variants(file)
    if problems and unsaid is None:
        raise InputError(problems)
    for problem in problems:
        assert unsaid is not None
        unsaid(problem)
    return {name: each.ruleset for name, each in imported.items()}
