"""The command ``search``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.base.addons import addons
from workbench.base.errors import display_path
from workbench.base.language import tr
from workbench.base.project import BEYOND, CONFIRMED, find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.QUESTIONS,
    "workbench search fair-chatra",
    "workbench search fair-chatra --dry-run      shows what would be searched, without playing",
    "workbench search searches/fair-chatra.yaml --workers 4",
    "workbench search fair-chatra --beyond 12 --why",
    "workbench search fair-chatra --on dask:tcp://host:8786",
    "workbench search fair-chatra --fresh --yes --json",
)
def search(
    name: Annotated[
        str, typer.Argument(metavar="SEARCH", help="A YAML file, or its name in searches/ without the extension.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Describe the search without playing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start again and delete the games of this search.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: skip the confirmation.")] = False,
    workers: cli.Workers = None,
    beyond: Annotated[
        int, typer.Option(min=0, max=200, metavar="N", help="Also play this many rulesets one step beyond the space.")
    ] = 0,
    why: Annotated[
        bool,
        typer.Option(
            "--why", help="Play 400 quick games to show where in a game the best ruleset's changes take effect."
        ),
    ] = False,
    on: cli.On = None,
    lang: cli.Lang = None,
    as_json: cli.AsJson = False,
) -> None:
    """Find rulesets that meet targets with few rule changes.

    The search covers all changes that the file allows. Quick players eliminate unplayable rulesets. In each round,
    strong players then play the rulesets that may be best according to a model of all rule effects. Finally, the most
    promising ones and the base are played again, in fresh games and with trained players, and only these games decide.
    The same command continues an interrupted search, and the games are the same for any number of processes.

    The page is reports/searches/NAME/report.html; the finalists' games form the report reports/NAME.confirmed. With
    --beyond, changes outside the space are tried on the finalists (reports/NAME.beyond): adjacent numbers, other
    values, piece moves with one letter added or removed, areas with squares added or removed.

    JSON: with --dry-run {"name", "rulesets", "sentences"}, otherwise the content of search.json: {"name", "base",
    "fingerprint", "space", "budget", "rounds", "targets", "must", "result": {"verdict", "finalists": [{"ruleset",
    "title", "values", "targets", "price", "changes", "alike", "regret", "loss", "nearer", "buys"}], "base",
    "players"}}; verdict is met, nearest, promising or base_as_near.
    """
    from workbench.addons.search import question, run
    from workbench.runs.executor import open_executor, parse_cluster_address

    if on:
        parse_cluster_address(on)
    project = find_project()
    spec = question.load_search(question.find_search(name, project), project)
    folder = question.search_folder(project, spec.name)
    candidates = question.list_candidates(spec)
    description = [spec.heading, *run.describe_space(spec, candidates)]
    if dry_run and as_json:
        cli.print_json({"name": spec.name, "rulesets": len(candidates), "sentences": description})
    cli.print_lines(() if as_json else description)
    if dry_run:
        return
    if fresh:
        reports = [project.report(pattern.format(name=spec.name)) for pattern in (CONFIRMED, BEYOND)]
        cli.confirm_fresh(run.search_files(folder, *reports), display_path(folder), yes)
        run.delete_search(folder, *reports)
    options = [*(["--beyond", str(beyond)] if beyond else []), *(["--why"] if why else [])]
    command = shlex.join(["workbench", "search", name, *options, *(["--on", on] if on else [])])
    if not on:
        cli.announce_compiling("trials._play_block", [spec.base], run.all_players(spec))
    console = None if as_json else cli.make_console()
    with open_executor(on, workers) as executor:
        search = run.open_search(spec, project, executor=executor, command=command, candidates=candidates)
        search.say = lambda line: cli.echo(line, err=as_json)
        cli.print_lines(() if as_json else run.describe_budget(search))
        with run.progress_display(console) as on_status:
            search.play_rounds(on_status)
        cli.print_lines(() if as_json else [tr("The finalists in fresh games:")])
        with run.progress_display(console) as on_status:
            report_folders = [search.confirm(on_status)[1]]
        if beyond:
            cli.print_lines(() if as_json else [tr("One step outside the search space:")])
            with run.progress_display(console) as on_status:
                report_folders += filter(None, [run.play_neighbours(search, beyond, on_status)])
    from workbench.addons.search import report
    from workbench.players.agents import AgentSpec
    from workbench.report import folders

    best = search.best_ruleset()
    suggestions = report.suggest_changes(question.load_results(folder), best)
    run.save_extras(folder, nearest=list(map(run.in_languages, suggestions)))
    if why and best.fingerprint != spec.base.fingerprint:
        quick = next(iter(spec.quick), AgentSpec.of("greedy"))
        first, *rest = addons().explain_change(
            before=spec.base, after=best, player=quick, games=400, seed=spec.seed, max_plies=spec.max_plies
        )
        lead = tr("Between quick {player} players: {text}", player=quick.label, text=first)
        run.save_extras(folder, why=list(map(run.in_languages, [lead, *rest])))
    if as_json:
        cli.print_json(_write_page(folder, lang))
    else:
        show_search(folder, lang)
    for path in report_folders:
        folders.write_report(path, lang)
        cli.echo(tr("wrote {path}", path=display_path(path / "report.html")), err=as_json)


def show_search(folder: Path, lang: str | None) -> None:
    """Write a search's page into its folder and print its summary."""
    from workbench.addons.search import report

    report.print_search(_write_page(folder, lang), cli.make_console())
    cli.echo("")
    cli.echo(tr("wrote {path}", path=display_path(folder / "report.html")))


def _write_page(folder: Path, lang: str | None) -> dict[str, Any]:
    """Write a search's page and return the search's results."""
    import pandas as pd

    from workbench.addons.search import question, report
    from workbench.rules import rulesets

    results = question.load_results(folder)
    base = rulesets.load_ruleset(str(results["base"]))
    estimates, effects = pd.read_csv(folder / question.CANDIDATES), pd.read_csv(folder / question.EFFECTS)
    report.write_search(folder, results, base, estimates, effects, lang)
    return results
