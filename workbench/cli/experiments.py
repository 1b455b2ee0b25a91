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
from workbench.cli.app import (
    MAIN,
    AllowPrograms,
    AsJson,
    IntoExisting,
    Lang,
    Language,
    On,
    Out,
    Workers,
    announce_compiling,
    app,
    confirm_fresh,
    echo,
    echo_written,
    folder_name,
    games_line,
    load_ruleset,
    make_console,
    print_json,
    refuse,
    repeated_command,
    run_folder,
)

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.records.trials import Trials


@app.command(MAIN, "workbench init my-rules", "cd my-rules && workbench run quickstart")
def init(
    directory: Annotated[Path, typer.Argument(parser=folder_name, metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Create a working folder with the shipped files.

    These are the rulesets, experiments and searches that come with the workbench, and the schemas for editors. A
    folder that was made so before gets what is missing in it; nothing is ever overwritten.
    """
    from workbench.experiments import workspace

    written, kept = workspace.init_project(directory)
    before = tr(" ({kept} were there before)", kept=kept) if kept else ""
    folder = display_path(directory)
    echo(tr("wrote {written} files to {directory}{before}", written=written, directory=folder, before=before))
    echo(tr("Next: cd {quote} && workbench run quickstart", quote=shlex.quote(folder)))


@app.command(
    MAIN,
    "workbench new free-drops --from chatra/2008-02",
    'workbench new free-drops --from chatra/2008-02 --title "Drops next to subjects are allowed"',
    "workbench new stuck-loses --from chatra/2008-02 --set stuck=loss   a toggle and its value; may be repeated",
    "workbench new my-question --experiment --from chatra/C     C against what it extends",
    "workbench new my-question --experiment --from quickstart   what the quickstart asks, to be changed",
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new file's name, without an ending.")],
    parent: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="RULESET",
            help="What it starts from; of an experiment also an experiment.",
            show_default="quickstart, for an experiment",
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Its title in a line.", show_default=False)] = "",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TOGGLE=VALUE", help="A toggle of the ruleset, with its value; may be repeated."),
    ] = None,
    experiment: Annotated[bool, typer.Option("--experiment", help="An experiment instead of a ruleset.")] = False,
) -> None:
    """Write a ruleset that extends another, or an experiment.

    It is there to be filled in: every toggle that may be set, or every key, stands in it as a comment that says what
    it does. With --set it is whole: these toggles stand in it and no others. An existing file is never touched.
    """
    from workbench.experiments import workspace

    where = find_project()
    if experiment and changes:
        refuse(tr("an experiment has no toggles: set them in a ruleset"), "--set")
    if experiment:
        path = workspace.new_experiment(name, parent or "quickstart", title, where)
        echo_written([path])
        echo(tr("Next: change it in an editor, then: workbench check {stem} && workbench run {stem}", stem=path.stem))
        return
    if not parent:
        refuse(tr("name the ruleset to extend"), "--from")
    ruleset = load_ruleset(parent)
    path = workspace.new_ruleset(name, ruleset, title, where, changes or ())
    full = f"{ruleset.game}/{path.stem}"
    echo_written([path])
    message = tr("Next: change it in an editor, then: workbench check {full} && workbench diff {ruleset} {full}")
    echo(message.format(full=full, ruleset=ruleset.name))


@app.command(
    MAIN,
    "workbench check                              everything in rulesets/, experiments/ and searches/",
    "workbench check rulesets/chatra/my-idea.yaml",
    "workbench check chatra/C+D quickstart",
    "workbench check reports/quickstart           are its records whole, and which games are they",
)
def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...", help="Files, folders, names or report folders.", show_default="all of the project"
        ),
    ] = None,
) -> None:
    """Check files and reports, and print every problem.

    A problem names the file, the line and the key, what was expected and what was found. The exit code is 2 if there
    is any. Of a report folder the records are compared with their digests; the digest of its games, which `run` prints
    too, tells two people whether they have the same ones.
    """
    from workbench.experiments import workspace

    reports = [word for word in files or () if (Path(word) / "provenance.json").is_file()]
    others = [word for word in files or () if word not in reports]
    problems: list[Problem] = []
    for word in reports:
        try:
            echo(join(": ", (word, games_line(_trials(Path(word))))))
        except InputError as error:
            problems += error.problems
    fine = 0
    if others or not reports:
        fine, wrong = workspace.check_files(others, find_project())
        problems += wrong
    if not problems:
        if others or not reports:
            echo(trn("{n} file is fine.", "{n} files are fine.", fine))
        return
    echo(InputError(problems), err=True)
    rest = trn("; {n} other file is fine", "; {n} other files are fine", fine) if fine else ""
    echo(trn("{n} problem{rest}.", "{n} problems{rest}.", len(problems), rest=rest))
    raise typer.Exit(BAD_INPUT)


def _trials(folder: Path) -> Trials:
    """Return the records of a report folder, verified against their digests."""
    from workbench.report import folders
    from workbench.statistics import AnalysisPlan

    provenance = folders.read_run_provenance(folder)
    return folders.read_report_trials(folder, provenance, AnalysisPlan.from_provenance(provenance).pairings)


@app.command(
    MAIN,
    "workbench plan chatra-proposals",
    "workbench plan quickstart --gain 0.05 --workers 16",
    "workbench plan quickstart --on dask:tcp://host:8786",
    "workbench plan quickstart --precision 0.02 --precision 0.01 --seconds 10 --json",
)
def plan(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or the stem of its name.")],
    precision: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", min=0.0005, max=0.5, help="Wanted width of each score's interval, to one side."),
    ] = None,
    gain: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", min=0.0005, max=0.5, help="Gain in fairness that shall be found."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="For the pilot.")] = 30.0,
    workers: Workers = None,
    on: On = None,
    allow_programs: AllowPrograms = False,
    as_json: AsJson = False,
) -> None:
    """Estimate how many games an experiment needs, and how long they take.

    A short pilot measures speed, draws and games that are stopped. Shares: 0.05 is five points. Nothing is kept.
    """
    from workbench.experiments import experiment as experiments

    where = find_project()
    loaded = experiments.load_experiment(experiments.find_experiment(experiment, where), where)
    from workbench.runs.runner import probe_outside_players

    probe_outside_players(loaded, allow_programs, f"workbench plan {experiment}", lambda line: echo(line, err=True))
    from workbench.runs import planning
    from workbench.runs.executor import open_executor

    if not on:
        announce_compiling("trials._play_block", loaded.rulesets, loaded.players)
    with open_executor(on, workers) as executor:
        planned = planning.plan_experiment(loaded, seconds, executor, precision or (), gain or ())
    if as_json:
        print_json(planned.as_json())
        return
    planning.print_plan(planned, translated(loaded.heading), make_console())


@app.command(
    MAIN,
    "workbench run quickstart",
    "workbench run experiments/chatra-proposals.yaml --workers 4",
    "workbench run chatra-proposals --games 100  a quick look, kept apart from the experiment's own records",
    "workbench run quickstart --strong           the same rulesets by players that tell what strong play says",
    "workbench run quickstart --fresh --yes      deletes its records and plays again",
    "workbench run quickstart --out /tmp/first-look",
    "workbench run my-question --allow-programs  starts the UCI engines and classes that the file names",
    "workbench run chatra-proposals --on dask:tcp://host:8786",
)
def run(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or the stem of its name.")],
    workers: Workers = None,
    on: On = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the records of earlier runs first; asks.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: do not ask.")] = False,
    out: Out = None,
    into_existing: IntoExisting = False,
    allow_programs: AllowPrograms = False,
    count: Annotated[
        int | None,
        typer.Option(
            "--games",
            min=1,
            max=10_000_000,
            metavar="N",
            help="A quick look: N games a cell, in the folder reports/EXPERIMENT.games-N.",
            show_default="as the file says",
        ),
    ] = None,
    strong: Annotated[
        bool,
        typer.Option(
            "--strong",
            help="The same rulesets by players that tell what strong play says, in reports/EXPERIMENT.strong.",
        ),
    ] = False,
    lang: Lang = None,
) -> None:
    """Play the games of an experiment and report the results.

    Every finished block of games is on disk: the same command again continues a run that was stopped in any way, and
    plays only what is missing. The records do not depend on the number of workers. Tables go to the terminal, and
    with charts to the report folder.
    """
    from workbench.experiments import experiment as experiments
    from workbench.experiments.design import group_left_out
    from workbench.runs import runner, storage, training
    from workbench.runs.executor import open_executor, parse_cluster_address

    if on:
        parse_cluster_address(on)
    where = find_project()
    loaded = experiments.load_experiment(experiments.find_experiment(experiment, where), where)
    if strong:
        from workbench.players import library

        loaded = experiments.with_strong_players(loaded, library.can_share(loaded.rulesets))
    asked = loaded.games
    if count:
        loaded = experiments.quick_look(loaded, count)
    folder = out or where.report(loaded.name)
    if fresh:
        confirm_fresh(storage.run_files(folder), display_path(folder), yes)
    cells = len(loaded.cells())
    echo(loaded.heading)
    size = tr(
        "{rulesets} rulesets x {pairings} pairings of agents = {cells} cells, {games:,} games each: "
        "{total:,} games -> {folder}"
    )
    if loaded.sequential:
        size = tr(
            "{rulesets} rulesets x {pairings} pairings of agents = {cells} cells, at most {games:,} games "
            "each: {total:,} games -> {folder}"
        )
    echo(
        size.format(
            rulesets=len(loaded.rulesets), pairings=len(loaded.pairings), cells=cells, games=loaded.games,
            total=loaded.total_games, folder=display_path(folder),
        )
    )  # fmt: skip
    if loaded.total_games > cells * loaded.games:
        most = max(map(loaded.games_of, loaded.cells()))
        message = tr(
            "{ruleset} is compared with all the others: {most:,} games for players trained on each ruleset separately."
        )
        echo(message.format(ruleset=loaded.baseline, most=most))
    if count:
        message = tr("A quick run: {count:,} games per cell instead of {asked:,}, stored separately from the full run.")
        echo(message.format(count=count, asked=asked))
    for group in group_left_out(loaded.left_out):
        several = tr("{count} combinations with {shared}", count=group.count, shared=group.shared)
        which = several if group.count > 1 else group.shared
        echo(tr("Left out: {which}: {reason}", which=which, reason=group.reason))
    from workbench.records import provenance
    from workbench.runs import planning

    earlier = provenance.read_provenance(folder)
    for line in planning.describe_power(loaded, None if fresh else earlier):
        echo(line)
    if not on:
        announce_compiling("trials._play_block", loaded.rulesets, loaded.players)
    console, again = make_console(), repeated_command("--fresh", "--yes", "-y", "--into-existing")
    with open_executor(on, workers) as executor:
        shared: dict[str, Any] = {"executor": executor, "command": again, "console": console}
        training.ensure_trained(training.experiment_trainings(loaded), where, say=echo, **shared)
        outcome = runner.run_experiment(
            loaded, folder, fresh=fresh, into_existing=into_existing, allow_programs=allow_programs, **shared
        )
    if outcome.played:
        echo(tr("Played {played:,} games.", played=outcome.played))
    write_and_print(folder, console, lang)


@app.command(
    MAIN,
    "workbench report reports/quickstart",
    "workbench report quickstart --lang ja      日本語で開く",
    "workbench report reports/ladders/chess/orthodox/1d5eca963a33c51f",
    "workbench report reports/searches/fair-chatra",
)
def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that a run wrote, or its name in reports/.")],
    lang: Lang = None,
) -> None:
    """Write the report of a folder again.

    report.html is one file to open or to send around; it speaks English and Japanese. Works for a run that is not
    finished, too: it then tells of the games that are there. Nothing new is played. The folder of a ladder or
    of a search gets its page again.
    """
    path = run_folder(folder)
    if not addons().write_page(folder=path, language=lang):
        write_and_print(path, make_console(), lang)


def write_and_print(folder: Path, console: Console, lang: Language | None) -> None:
    """Write the report of a folder, and print its answer and the names of its files."""
    from workbench import report as reports

    with console.status(tr("Writing the report")):
        written = reports.write_report(folder, lang)
    reports.print_report(written, console)
    echo("")
    echo_written(written.files)
    echo(games_line(written.trials))


@app.command(
    MAIN,
    "workbench studio                 opens a page in your browser",
    "workbench studio --no-open       prints the address only, to be opened elsewhere",
    "workbench studio --port 8080",
)
def studio(
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The port to listen on; 0: any.",
            show_default="the one of last time, else 8765; any if these are taken",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; others reach this one only from here.")
    ] = "127.0.0.1",
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    allow_programs: AllowPrograms = False,
    on: On = None,
) -> None:
    """Open a page in the browser to write and try rules.

    Choose what each toggle says, read the rule book as it changes, play it, let quick players say what it changes,
    and save it as a ruleset; make experiments, let them run, and read their reports. The page comes from this
    machine, needs no network, and speaks English and Japanese. Its address holds a key: whoever has it may write
    and play in this project, until Ctrl-C ends the studio.
    """
    from workbench.studio import server

    if on:
        from workbench.runs.executor import parse_cluster_address

        parse_cluster_address(on)
    server.serve_studio(find_project(), host, port, show, echo, allow_programs, on or "")
