"""The command ``idea``."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.base.errors import NONE, expected
from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.RULES,
    'workbench idea "no castling"                  in every game',
    'workbench idea "smaller board" --base chatra   with all values',
    'workbench idea "キャスリングなし" --base chess --lang ja',
)
def idea(
    words: Annotated[str, typer.Argument(metavar="TEXT", help="The idea in a few words, in English or Japanese.")],
    base: Annotated[
        str,
        typer.Option(
            metavar="RULESET",
            help="The rules to change; a game's name stands for its current rules.",
            show_default="the current rules of each game",
        ),
    ] = "",
) -> None:
    """Find the rules closest to an idea.

    Compares words, synonyms and similar spellings without understanding them. Lists toggles with their current and
    other settings, ready to try, and rulesets with similar wording.
    """
    from workbench import games
    from workbench.addons.ideas import ideas
    from workbench.rules import rulesets

    project, text = find_project(), " ".join(words.split())
    if not text:
        cli.refuse(expected(tr("an idea in a few words"), NONE), "TEXT")
    if len(text) > ideas.LONGEST:
        cli.refuse(expected(tr("at most {longest:,} characters", longest=ideas.LONGEST), len(text)), "TEXT")
    available = {name.partition("/")[0] for name in rulesets.ruleset_names(project)}
    bases = [base] if base else [name for name in games.names() if name in available]
    matches = [ideas.match_in_project(text, name, project, toggles_only=not base) for name in bases]
    cli.print_lines(ideas.describe(matches[0]) if base else ideas.describe_games(matches, text))
