"""Commands about rules: list, rules, show, diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.base.project import find_project
from workbench.cli.app import RULES, app
from workbench.cli.common import AsJson, RulesetName, load_ruleset, print_json, print_lines

if TYPE_CHECKING:
    pass


@app.command(RULES, "workbench list", "workbench list chess", "workbench list --json", name="list")
def list_(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="A game, such as chatra.", show_default="all")] = "",
    as_json: AsJson = False,
) -> None:
    """List rulesets, experiments and searches, with their titles.

    JSON: {"rulesets": [{"name", "title", "title_ja", "games", "file"}], "experiments": […], "searches": […]}; a title
    that is not given is null.
    """
    from workbench.experiments import workspace
    from workbench.rules import rulebook

    if game:
        rulebook.find_family(game)
    listed = workspace.list_files(find_project(), game)
    if as_json:
        print_json(listed)
    else:
        print_lines(workspace.describe_files(listed))


@app.command(RULES, "workbench rules chatra")
def rules(game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as chatra.")]) -> None:
    """List the settings of a game.

    Each toggle with all its values, what each value says in the rule book, the default (starred), and where the rule
    comes from.
    """
    from workbench.rules import rulebook

    print_lines(rulebook.describe_toggles(rulebook.find_family(game)))


@app.command(RULES, "workbench show chatra/C+D", "workbench show chatra/2008-02 --json")
def show(name: RulesetName, as_json: AsJson = False) -> None:
    """Show a ruleset: settings, rules in plain words, changes.

    What differs is told against each ruleset that it extends and against the game's default. Rulesets with the same
    fingerprint are the same rules.
    """
    from workbench.rules import rulebook

    ruleset = load_ruleset(name)
    if as_json:
        print_json(rulebook.ruleset_as_json(ruleset))
    else:
        print_lines(rulebook.describe_ruleset(ruleset))


@app.command(RULES, "workbench diff chatra/2007-09 chatra/2008-02", "workbench diff chatra/A my-idea.yaml")
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A ruleset or YAML file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> None:
    """Show the settings in which two rulesets of a game differ.

    Each toggle with both settings and what they say in the rule book.
    """
    from workbench.rules import rulebook

    print_lines(rulebook.describe_difference(load_ruleset(a), load_ruleset(b)))
