"""Main commands: from a folder and a file to a run, its report and the studio."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.addons import addons
from workbench.base.errors import BAD_INPUT, InputError, Problem, display_path
from workbench.base.language import join, tr, translated, trn
from workbench.base.project import find_project
from workbench.cli import application as cli

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.records.trials import Trials


@cli.app.command(cli.MAIN, "workbench init my-rules", "cd my-rules && workbench run quickstart")
def init(
    directory: Annotated[Path, typer.Argument(parser=cli.folder_name, metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Create a working folder with the shipped files.

    Copies the rulesets, experiments and searches that come with the workbench, and the schemas for editors. An existing
    working folder gets only the files it lacks; nothing is overwritten.
    """
    from workbench.experiments import workspace

    written, kept = workspace.init_project(directory)
    existing_note = tr(" ({kept} already existed)", kept=kept) if kept else ""
    folder = display_path(directory)
    cli.echo(
        tr("wrote {written} files to {directory}{before}", written=written, directory=folder, before=existing_note)
    )
    cli.echo(tr("Next: cd {quote} && workbench run quickstart", quote=shlex.quote(folder)))


@cli.app.command(
    cli.MAIN,
    "workbench new free-drops --from chatra/2008-02",
    'workbench new free-drops --from chatra/2008-02 --title "Drops next to subjects are allowed"',
    "workbench new stuck-loses --from chatra/2008-02 --set stuck=loss   a toggle and its value; may be repeated",
    "workbench new my-question --experiment --from chatra/C     C compared with the ruleset it extends",
    "workbench new my-question --experiment --from quickstart   starts from the quickstart's question",
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new file's name, without the extension.")],
    parent: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="RULESET",
            help="The ruleset or experiment to start from.",
            show_default="quickstart, for an experiment",
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="The title, on one line.", show_default=False)] = "",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="TOGGLE=VALUE", help="A toggle and its value; may be repeated.")
    ] = None,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="Create an experiment instead of a ruleset.")
    ] = False,
) -> None:
    """Create a ruleset that extends another, or an experiment.

    The file is a template: every toggle or key appears in a comment with an explanation. With --set it is complete and
    contains only these toggles. An existing file is never changed.
    """
    from workbench.experiments import workspace

    project = find_project()
    if experiment and changes:
        cli.refuse(tr("experiments have no toggles: set them in a ruleset"), "--set")
    if experiment:
        path = workspace.new_experiment(name, parent or "quickstart", title, project)
        cli.echo_written([path])
        cli.echo(tr("Next: edit it, then run: workbench check {stem} && workbench run {stem}", stem=path.stem))
        return
    if not parent:
        cli.refuse(tr("name the ruleset to extend"), "--from")
    ruleset = cli.load_ruleset(parent)
    path = workspace.new_ruleset(name, ruleset, title, project, changes or ())
    full = f"{ruleset.game}/{path.stem}"
    cli.echo_written([path])
    message = tr("Next: edit it, then run: workbench check {full} && workbench diff {ruleset} {full}")
    cli.echo(message.format(full=full, ruleset=ruleset.name))


@cli.app.command(
    cli.MAIN,
    "workbench check                              everything in rulesets/, experiments/ and searches/",
    "workbench check rulesets/chatra/my-idea.yaml",
    "workbench check chatra/C+D quickstart",
    "workbench check reports/quickstart           verifies the records and prints the digest of the games",
)
def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...", help="Files, folders, names or report folders.", show_default="the whole project"
        ),
    ] = None,
) -> None:
    """Check files and reports, and print every problem.

    Each problem is reported with file, line and key, what was expected and what was found. Exits with code 2 if there
    are any. The records of a report folder are checked against their digests; two people with the same digest of games,
    which `run` also prints, have the same games.
    """
    from workbench.experiments import workspace

    reports = [name for name in files or () if (Path(name) / "provenance.json").is_file()]
    others = [name for name in files or () if name not in reports]
    problems: list[Problem] = []
    for name in reports:
        try:
            cli.echo(join(": ", (name, cli.games_line(_trials(Path(name))))))
        except InputError as error:
            problems += error.problems
    valid_count = 0
    if others or not reports:
        valid_count, file_problems = workspace.check_files(others, find_project())
        problems += file_problems
    if not problems:
        if others or not reports:
            cli.echo(trn("{n} file is valid.", "{n} files are valid.", valid_count))
        return
    cli.echo(InputError(problems), err=True)
    rest = trn("; {n} other file is valid", "; {n} other files are valid", valid_count) if valid_count else ""
    cli.echo(trn("{n} problem{rest}.", "{n} problems{rest}.", len(problems), rest=rest))
    raise typer.Exit(BAD_INPUT)


def _trials(folder: Path) -> Trials:
    """Return the records of a report folder, verified against their digests."""
    from workbench.report import folders
    from workbench.statistics import AnalysisPlan

    provenance = folders.read_run_provenance(folder)
    return folders.read_report_trials(folder, provenance, AnalysisPlan.from_provenance(provenance).pairings)


@cli.app.command(
    cli.MAIN,
    "workbench plan chatra-proposals",
    "workbench plan quickstart --gain 0.05 --workers 16",
    "workbench plan quickstart --on dask:tcp://host:8786",
    "workbench plan quickstart --precision 0.02 --precision 0.01 --seconds 10 --json",
)
def plan(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or its name without the extension.")
    ],
    precision: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", min=0.0005, max=0.5, help="Target half-width of each score's interval."),
    ] = None,
    gain: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", min=0.0005, max=0.5, help="The gain in fairness to detect."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="For the pilot.")] = 30.0,
    workers: cli.Workers = None, on: cli.On = None, allow_programs: cli.AllowPrograms = False,
    as_json: cli.AsJson = False,
) -> None:  # fmt: skip
    """Estimate how many games an experiment needs and how long they take.

    A short pilot measures speed, draws and capped games. A share of 0.05 is five points. Nothing is saved.
    """
    from workbench.experiments import experiment as experiments

    project = find_project()
    loaded = experiments.load_experiment(experiments.find_experiment(experiment, project), project)
    from workbench.runs.runner import probe_external_players

    probe_external_players(
        loaded, allow_programs, f"workbench plan {experiment}", lambda line: cli.echo(line, err=True)
    )
    from workbench.runs import planning
    from workbench.runs.executor import open_executor

    if not on:
        cli.announce_compiling("trials._play_block", loaded.rulesets, loaded.players)
    with open_executor(on, workers) as executor:
        cost_plan = planning.plan_experiment(loaded, seconds, executor, precision or (), gain or ())
    if as_json:
        cli.print_json(cost_plan.as_json())
        return
    planning.print_plan(cost_plan, translated(loaded.heading), cli.make_console())


@cli.app.command(
    cli.MAIN,
    "workbench run quickstart",
    "workbench run experiments/chatra-proposals.yaml --workers 4",
    "workbench run chatra-proposals --games 100  a quick look, stored separately",
    "workbench run quickstart --strong           the same rulesets with strong players",
    "workbench run quickstart --fresh --yes      deletes the records and starts over",
    "workbench run quickstart --out /tmp/first-look",
    "workbench run my-question --allow-programs  starts the UCI engines and Python classes named in the file",
    "workbench run chatra-proposals --on dask:tcp://host:8786",
)
def run(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or its name without the extension.")
    ],
    workers: cli.Workers = None, on: cli.On = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete the records of earlier runs first, after confirmation.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: skip the confirmation.")] = False,
    out: cli.Out = None, into_existing: cli.IntoExisting = False, allow_programs: cli.AllowPrograms = False,
    count: Annotated[
        int | None,
        typer.Option(
            "--games", min=1, max=10_000_000, metavar="N",
            help="A quick look: N games per cell, saved in reports/EXPERIMENT.games-N.", show_default="from the file",
        ),
    ] = None,
    strong: Annotated[
        bool,
        typer.Option("--strong", help="Play the same rulesets with strong players; results go to "
                                      "reports/EXPERIMENT.strong."),
    ] = False,
    lang: cli.Lang = None,
) -> None:  # fmt: skip
    """Play the games of an experiment and report the results.

    Every finished block of games is saved, so repeating the command continues an interrupted run and plays only the
    missing games. The records do not depend on the number of workers. Tables are printed; the report folder contains
    tables and charts.
    """
    from workbench.experiments import experiment as experiments
    from workbench.experiments.design import group_left_out
    from workbench.runs import progress, runner, training
    from workbench.runs.executor import open_executor, parse_cluster_address

    if on:
        parse_cluster_address(on)
    project = find_project()
    loaded = experiments.load_experiment(experiments.find_experiment(experiment, project), project)
    if strong:
        from workbench.players import library

        loaded = experiments.with_strong_players(loaded, library.can_share(loaded.rulesets))
    full_count = loaded.games
    if count:
        loaded = experiments.quick_look(loaded, count)
    folder = out or project.report(loaded.name)
    if fresh:
        cli.confirm_fresh(progress.run_files(folder), display_path(folder), yes)
    cells = len(loaded.cells())
    cli.echo(loaded.heading)
    summary = tr(
        "{rulesets} rulesets x {pairings} pairings of agents = {cells} cells, {games:,} games each: "
        "{total:,} games -> {folder}"
    )
    if loaded.sequential:
        summary = tr(
            "{rulesets} rulesets x {pairings} pairings of agents = {cells} cells, at most {games:,} games "
            "each: {total:,} games -> {folder}"
        )
    cli.echo(
        summary.format(
            rulesets=len(loaded.rulesets), pairings=len(loaded.pairings), cells=cells, games=loaded.games,
            total=loaded.total_games, folder=display_path(folder),
        )
    )  # fmt: skip
    if loaded.total_games > cells * loaded.games:
        largest = max(map(loaded.cell_games, loaded.cells()))
        message = tr(
            "{ruleset} is compared with all others, so it gets {most:,} games with players trained on each "
            "ruleset separately."
        )
        cli.echo(message.format(ruleset=loaded.baseline, most=largest))
    if count:
        message = tr("A quick run: {count:,} games per cell instead of {asked:,}, stored separately from the full run.")
        cli.echo(message.format(count=count, asked=full_count))
    for group in group_left_out(loaded.left_out):
        combinations = tr("{count} combinations containing {shared}", count=group.count, shared=group.shared)
        omitted = combinations if group.count > 1 else group.shared
        cli.echo(tr("Omitted: {which}: {reason}", which=omitted, reason=group.reason))
    from workbench.records import provenance
    from workbench.runs import planning

    earlier = provenance.read_provenance(folder)
    for line in planning.describe_power(loaded, None if fresh else earlier):
        cli.echo(line)
    if not on:
        cli.announce_compiling("trials._play_block", loaded.rulesets, loaded.players)
    console, repeat_command = cli.make_console(), cli.repeated_command("--fresh", "--yes", "-y", "--into-existing")
    with open_executor(on, workers) as executor:
        shared: dict[str, Any] = {"executor": executor, "command": repeat_command, "console": console}
        training.ensure_trained(training.experiment_trainings(loaded), project, say=cli.echo, **shared)
        outcome = runner.run_experiment(
            loaded, folder, fresh=fresh, into_existing=into_existing, allow_programs=allow_programs, **shared
        )
    if outcome.played:
        cli.echo(tr("Played {played:,} games.", played=outcome.played))
    write_and_print(folder, console, lang)


@cli.app.command(
    cli.MAIN,
    "workbench report reports/quickstart",
    "workbench report quickstart --lang ja      日本語で開く",
    "workbench report quickstart --tables       prints the main tables, too",
    "workbench report reports/ladders/chess/orthodox/1d5eca963a33c51f",
    "workbench report reports/searches/fair-chatra",
)
def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A run's folder, or its name in reports/.")],
    lang: cli.Lang = None,
    tables: Annotated[bool, typer.Option("--tables", help="Also prints the main tables.")] = False,
) -> None:
    """Rewrite the report in a folder.

    report.html is a single file in English and Japanese. The report on an unfinished run uses the games so far; no
    games are played. Also rewrites the page of a ladder or a search.
    """
    path = cli.run_folder(folder)
    if not addons().write_page(folder=path, language=lang):
        write_and_print(path, cli.make_console(), lang, tables)


def write_and_print(folder: Path, console: Console, lang: cli.Language | None, tables: bool = False) -> None:
    """Write the report of a folder, and print its answer, its path and the next step."""
    from workbench import report as reports

    with console.status(tr("Writing the report")):
        written = reports.write_report(folder, lang)
    reports.print_report(written, console, tables)
    cli.echo("")
    cli.echo(tr("Report: {path}", path=display_path(written.files[0])))
    cli.echo(cli.games_line(written.trials))


@cli.app.command(
    cli.MAIN,
    "workbench studio                 opens a page in your browser",
    "workbench studio --no-open       prints only the address",
    "workbench studio --port 8080",
)
def studio(
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="The port to listen on; 0 for any.",
            show_default="the last one used, else 8765, else any free port",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The address to listen on; the default is reachable only from this machine."
        ),
    ] = "127.0.0.1",
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    allow_programs: cli.AllowPrograms = False, on: cli.On = None,
) -> None:  # fmt: skip
    """Open a browser page for writing and trying out rules.

    Set toggles, read the rule book as it changes, play the game, see the effect in quick games, and save the rules as a
    ruleset; create experiments, run them, and read their reports. The page is served from this machine, needs no
    network, and is in English and Japanese. Its address contains a key: anyone who has it can write and play in this
    project until Ctrl-C stops the studio.
    """
    from workbench.studio import server

    if on:
        from workbench.runs.executor import parse_cluster_address

        parse_cluster_address(on)
    server.serve_studio(find_project(), host, port, show, cli.echo, allow_programs, on or "")
