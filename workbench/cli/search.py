"""The command search: the rulesets of a space that meet a designer's targets with the fewest changes."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import (
    AsJson,
    Lang,
    On,
    announce_compiling,
    make_console,
    print_json,
)
from workbench.cli.experiments import confirm_fresh
from workbench.cli.spoken import echo
from workbench.errors import display_path
from workbench.language import tr


@app.command(
    epilog=examples(
        "workbench search fair-chatra",
        "workbench search fair-chatra --dry-run      what it would look at, without a game",
        "workbench search searches/fair-chatra.yaml --workers 4",
        "workbench search fair-chatra --on dask:tcp://host:8786",
        "workbench search fair-chatra --fresh --yes --json",
    )
)
def search(
    name: Annotated[str, typer.Argument(metavar="SEARCH", help="A YAML file, or the stem of its name in searches/.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be searched, and play nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew: the games of this search are deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: do not ask.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
    on: On = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Finds rulesets that meet targets with few changes.

    They are sought among all that a file lets be changed. Quick players leave out what cannot be played; games of
    strong players go, round after round, to the rulesets that may be the best by a model of what every rule does. The
    most promising are then played once more, with fresh games and players that have learned them, and only these games
    decide. The same command again continues a search that was stopped in any way, and the games are the same for any
    number of processes.

    The page is reports/searches/NAME/report.html, the games of the finalists are the report reports/NAME.confirmed.

    JSON: what search.json holds: {"name", "base", "fingerprint", "space", "budget", "rounds", "finalists", "targets",
    "result": {"finalists": [{"ruleset", "title", "values", "targets", "price", "changes", "alike", "regret", "buys"}],
    "base", "players"}}.
    """
    from workbench.files import project
    from workbench.questions import rule_search as searches
    from workbench.run import places
    from workbench.run import rule_search as runs

    if on:
        places.parse_cluster_address(on)
    where = project.find_project()
    loaded = searches.load_search(searches.find_search(name, where), where)
    folder = runs.search_folder(where, loaded.name)
    candidates = searches.list_candidates(loaded)
    if not as_json:
        echo(loaded.heading)
        for line in runs.describe_space(loaded, candidates):
            echo(line)
    if dry_run:
        return
    if fresh:
        confirm_fresh(runs.search_files(folder, where.report(runs.confirmed_name(loaded))), display_path(folder), yes)
        runs.forget(folder, where.report(runs.confirmed_name(loaded)))
    again = shlex.join(["workbench", "search", name, *(["--on", on] if on else [])])
    if not on:
        announce_compiling("trials._play_block", [loaded.base], runs.all_players(loaded))
    console = make_console()
    with places.open_cluster(on, workers) as cluster:
        begun = runs.begin_search(loaded, where, workers=workers, cluster=cluster, command=again, candidates=candidates)
        if not as_json:
            for line in runs.describe_budget(begun):
                echo(line)
        with runs.progress_display(None if as_json else console) as report:
            begun.play_rounds(report)
        if not as_json:
            echo(tr("The finalists, by fresh games:"))
        with runs.progress_display(None if as_json else console) as report:
            _, confirmed = begun.confirm(lambda line: echo(line, err=as_json), report)
    from workbench.report import rule_search as pages
    from workbench.report import writing

    kept = runs.kept_search(folder)
    pages.write_search(folder, kept, loaded.base, *begun.estimates(), lang)
    writing.write_report(confirmed, lang)
    if as_json:
        print_json(kept)
        return
    pages.print_search(kept, console)
    echo("")
    for path in (folder, confirmed):
        echo(tr("wrote {path}", path=display_path(path / "report.html")))
