"""Commands about single rulesets: rules, show, diff."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import AsJson, RulesetName, load_ruleset, print_json, print_lines
from workbench.cli.spoken import echo
from workbench.language import tr, translated


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


@app.command(
    epilog=examples(
        'workbench idea "no castling"                            what each game says of it',
        'workbench idea "no castling, and a 9x9 board" --base chess',
        'workbench idea "five in a row win" --base chatra/C --save five-wins',
        'workbench idea "キャスリングなし" --base chess --lang ja',
    )
)
def idea(
    words: Annotated[str, typer.Argument(metavar="TEXT", help="The idea in a few words, in English or Japanese.")],
    base: Annotated[
        str,
        typer.Option(
            metavar="RULESET",
            help="The rules that it changes; of a game's name its current rules.",
            show_default="the current rules of each game, in short",
        ),
    ] = "",
    save: Annotated[
        str, typer.Option(metavar="NAME", help="Write the ruleset that says it, under this name.", show_default=False)
    ] = "",
) -> None:
    """Says whether rules can express an idea, and how.

    As the studio's page of ideas does: the toggles that it sets, those that have to change with it, and the ruleset
    that says so; or the toggles that come nearest, and a request for a developer. It knows words and their synonyms,
    not grammar: read what it sets. The exit code is 0 whatever the answer, but 2 if there is nothing to save.
    """
    from workbench import games
    from workbench.errors import display_path
    from workbench.files import project
    from workbench.questions import ideas

    where, text = project.find_project(), " ".join(words.split())
    if not text:
        raise typer.BadParameter(translated(tr("expected an idea in a few words, found none")), param_hint="TEXT")
    if len(text) > ideas.LONGEST:
        message = tr("expected at most {most} letters, found {count}", most=ideas.LONGEST, count=len(text))
        raise typer.BadParameter(translated(message), param_hint="TEXT")
    if base:
        found = ideas.answer_about(text, base, where)
        path = ideas.save(found, save, where) if save else None
        print_lines(ideas.describe_idea(found))
        if path:
            echo(tr("wrote {path}", path=display_path(path)))
        return
    if save:
        raise typer.BadParameter(translated(tr("a ruleset starts from another one: name it")), param_hint="--base")
    answers = [ideas.answer_about(text, game, where) for game in games.names()]
    print_lines(ideas.describe_ideas(answers))
