"""Commands about experiments: run, plan, report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.base.addons import addons
from workbench.base.errors import display_path
from workbench.base.language import tr, translated
from workbench.base.project import find_project
from workbench.cli.app import app, examples
from workbench.cli.common import (
    AllowPrograms,
    AsJson,
    IntoExisting,
    Lang,
    Language,
    On,
    Out,
    announce_compiling,
    confirm_fresh,
    echo,
    games_line,
    kept_folder,
    make_console,
    print_json,
)

if TYPE_CHECKING:
    from rich.console import Console


@app.command(
    epilog=examples(
        "workbench run quickstart",
        "workbench run experiments/chatra-proposals.yaml --workers 4",
        "workbench run chatra-proposals --games 100  a quick look, kept apart from the experiment's own records",
        "workbench run quickstart --strong           the same rulesets by players that tell what strong play says",
        "workbench run quickstart --fresh --yes      deletes its records and plays again",
        "workbench run quickstart --out /tmp/first-look",
        "workbench run my-question --allow-programs  starts the UCI engines and classes that the file names",
        "workbench run chatra-proposals --on dask:tcp://host:8786",
    )
)
def run(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or the stem of its name.")],
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
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
    """Plays the games of an experiment and shows what came out.

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
        echo(
            tr(
                "{ruleset} is compared with all the others: {most:,} games where players learn each ruleset apart.",
                ruleset=loaded.baseline,
                most=most,
            )
        )
    if count:
        echo(
            tr(
                "A quick look: {count:,} games a cell instead of the {asked:,} of the file, kept apart from its run.",
                count=count,
                asked=asked,
            )
        )
    for group in group_left_out(loaded.left_out):
        which = (
            tr("{count} combinations with {shared}", count=group.count, shared=group.shared)
            if group.count > 1
            else group.shared
        )
        echo(tr("Left out: {which}: {reason}", which=which, reason=group.reason))
    from workbench.records import provenance
    from workbench.runs import planning

    earlier = provenance.read_provenance(folder)
    for line in planning.describe_power(loaded, None if fresh else earlier):
        echo(line)
    if not on:
        announce_compiling("trials._play_block", loaded.rulesets, loaded.players)
    again = ["workbench", "run", experiment]
    again += ["--workers", str(workers)] if workers else []
    again += ["--on", on] if on else []
    again += ["--games", str(count)] if count else []
    again += ["--strong"] if strong else []
    again += ["--out", str(out)] if out else []
    again += ["--allow-programs"] if allow_programs else []
    console = make_console()
    with open_executor(on, workers) as executor:
        training.ensure_trained(
            training.experiment_trainings(loaded),
            where,
            say=echo,
            executor=executor,
            command=shlex.join(again),
            console=console,
        )
        outcome = runner.run_experiment(
            loaded,
            folder,
            executor=executor,
            fresh=fresh,
            into_existing=into_existing,
            allow_programs=allow_programs,
            command=shlex.join(again),
            console=console,
        )
    if outcome.played:
        echo(tr("Played {played:,} games.", played=outcome.played))
    write_and_print(folder, console, lang)


@app.command(
    epilog=examples(
        "workbench plan chatra-proposals",
        "workbench plan quickstart --gain 0.05 --workers 16",
        "workbench plan quickstart --on dask:tcp://host:8786",
        "workbench plan quickstart --precision 0.02 --precision 0.01 --seconds 10 --json",
    )
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
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Processes of the run.", show_default="one for each core"),
    ] = None,
    on: On = None,
    allow_programs: AllowPrograms = False,
    as_json: AsJson = False,
) -> None:
    """Tells beforehand how many games, and how long.

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
    epilog=examples(
        "workbench report reports/quickstart",
        "workbench report quickstart --lang ja      日本語で開く",
        "workbench report reports/ladders/chess/orthodox/1d5eca963a33c51f",
        "workbench report reports/searches/fair-chatra",
    )
)
def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that a run wrote, or its name in reports/.")],
    lang: Lang = None,
) -> None:
    """Writes the report of a folder again.

    report.html is one file to open or to send around; it speaks English and Japanese. Works for a run that is not
    finished, too: it then tells of the games that are there. Nothing new is played. The folder of a ladder or
    of a search gets its page again.
    """
    path = kept_folder(folder)
    if not addons().write_page(folder=path, language=lang):
        write_and_print(path, make_console(), lang)


def write_and_print(folder: Path, console: Console, lang: Language | None) -> None:
    """Writes the report of a folder, and prints its answer and the names of its files."""
    from workbench import report as reports

    with console.status(tr("Writing the report")):
        written = reports.write_report(folder, lang)
    reports.print_report(written, console)
    echo("")
    for path in written.files:
        echo(tr("wrote {path}", path=display_path(path)))
    echo(games_line(written.trials))
