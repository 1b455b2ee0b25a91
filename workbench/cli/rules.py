"""Commands about single rulesets: rules, show, diff."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import AsJson, RulesetName, load_ruleset, print_json, print_lines


@app.command(epilog=examples("workbench rules chatra"))
def rules(game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as chatra.")]) -> None:
    """Lists everything that a ruleset of a game may set.

    Each toggle with all its values, what each value says in the rule book, the default (starred), and where the rule
    comes from.
    """
    from workbench.questions import rulebook

    print_lines(rulebook.describe_toggles(rulebook.find_family(game)))


@app.command(epilog=examples("workbench show chatra/C+D", "workbench show chatra/2008-02 --json"))
def show(name: RulesetName, as_json: AsJson = False) -> None:
    """Shows a ruleset: settings, plain rules, changes.

    What differs is told against each ruleset that it extends and against the game's default. Rulesets with the same
    fingerprint are the same rules.
    """
    from workbench.questions import rulebook

    ruleset = load_ruleset(name)
    if as_json:
        print_json(rulebook.ruleset_as_json(ruleset))
    else:
        print_lines(rulebook.describe_ruleset(ruleset))


@app.command(epilog=examples("workbench diff chatra/2007-09 chatra/2008-02", "workbench diff chatra/A my-idea.yaml"))
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A ruleset or YAML file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> None:
    """Shows what two rulesets of a game set differently.

    Each toggle with both settings and what they say in the rule book.
    """
    from workbench.questions import rulebook

    print_lines(rulebook.describe_difference(load_ruleset(a), load_ruleset(b)))
