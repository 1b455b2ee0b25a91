"""The command ``effects``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.base.console import WIDEST
from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.QUESTIONS,
    'workbench effects draughts --want "fewer draws, same length"',
    'workbench effects chatra/2008-02 --want "fairer"',
    "workbench effects chess --want draw_rate:less,plies:same --reports docs/results",
    "workbench effects --want 引き分けを減らしたい --json",
)
def effects(
    name: Annotated[
        str, typer.Argument(metavar="[GAME|RULESET]", help="A game, or the ruleset to change.", show_default="all")
    ] = "",
    want: Annotated[str, typer.Option(metavar="WISH", help="Measures that should change or stay the same.")] = "",
    folders: Annotated[
        list[Path] | None,
        typer.Option(
            "--reports", parser=cli.folder_name, metavar="DIR", help="A folder of reports.", show_default="reports/"
        ),
    ] = None,
    as_json: cli.AsJson = False,
) -> None:
    """Find the rule change that does what you want.

    Uses the games stored in reports and searches; plays no new ones. Two rulesets in a report that differ in only one
    rule show the effect of that rule. All reports are pooled to estimate its effect on a ruleset, with most weight on
    similar rules and players.

    Describe your goal in a sentence (in English or Japanese), or list measures, as in the examples. If you leave this
    blank, all known changes are listed.

    JSON: {"wish", "changes": [{"game", "toggle", "before", "after", "words", "effects", "games", "players", "reports",
    "chance"}]}; an effect is {"value", "low", "high"}.
    """
    from workbench import games
    from workbench.addons.effects import estimates, report
    from workbench.experiments.wishes import read_wish
    from workbench.report.render.documents import print_document
    from workbench.rules import rulebook, rulesets
    from workbench.rules.ruleset_files import Library

    project = find_project()
    wish = read_wish(want) if want else None
    # A single word is a game; a path or a name with a slash is a ruleset.
    ruleset = cli.load_ruleset(name) if "/" in name or name.endswith((".yaml", ".yml")) else None
    if name and not ruleset:
        rulebook.find_family(name)
    game = ruleset.game if ruleset else name
    folders = folders or [project.reports]
    table = estimates.saved_estimates(folders, project, game)
    measures = list(dict.fromkeys((*(wish.toward if wish else ()), *(wish.keep if wish else ()), *estimates.PLAIN)))
    console, entries = cli.make_console(WIDEST), []
    library = Library(project)
    current = {family: rulesets.current_ruleset(family, library) for family in games.names()}
    for family in [game] if game else sorted(table["game"].unique()) or filter(current.get, current):
        base = ruleset or rulesets.load_ruleset(current[family] or family, library=library)
        changes = estimates.estimate_changes(table, base, measures)
        if wish is not None:
            changes = estimates.rank_changes(wish, changes, ruleset, estimates.measured_values(folders, base))
        entries += [report.plain_change(change, base) for change in changes]
        if not as_json:
            heading = games.declaration(family).title
            title = tr("{game}: {wish}", game=heading, wish=report.wish_words(wish)) if wish else heading
            print_document(report.effects_document(title, changes, wish, base, measures), console)
    if as_json:
        toward = {name: {1: "more", -1: "less"}[direction] for name, direction in wish.toward.items()} if wish else {}
        cli.print_json({"wish": toward | dict.fromkeys(wish.keep if wish else (), "same"), "changes": entries})
