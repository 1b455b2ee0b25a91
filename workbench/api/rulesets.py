"""Rulesets by name, and what they may become."""

from __future__ import annotations

from pathlib import Path

from workbench.api.arguments import to_ruleset
from workbench.errors import without_internals
from workbench.language import tr
from workbench.questions import rulesets as _rulesets
from workbench.questions.rulesets import Ruleset

__all__ = ["Ruleset", "ruleset", "rulesets"]


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
