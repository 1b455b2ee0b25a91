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
from workbench.cli.app import (
    QUESTIONS,
    AsJson,
    Lang,
    On,
    Workers,
    announce_compiling,
    app,
    confirm_fresh,
    echo,
    make_console,
    print_json,
)


@app.command(
    QUESTIONS,
    "workbench search fair-chatra",
    "workbench search fair-chatra --dry-run      what it would look at, without a game",
    "workbench search searches/fair-chatra.yaml --workers 4",
    "workbench search fair-chatra --beyond 12 --why",
    "workbench search fair-chatra --on dask:tcp://host:8786",
    "workbench search fair-chatra --fresh --yes --json",
)
def search(
    name: Annotated[str, typer.Argument(metavar="SEARCH", help="A YAML file, or the stem of its name in searches/.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be searched, and play nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew: the games of this search are deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: do not ask.")] = False,
    workers: Workers = None,
    beyond: Annotated[
        int, typer.Option(min=0, max=200, metavar="N", help="Then play so many rulesets one step beyond the space.")
    ] = 0,
    why: Annotated[
        bool, typer.Option("--why", help="Say where in a game the changes of the best ruleset act (400 quick games).")
    ] = False,
    on: On = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Find rulesets that meet targets with few changes.

    The search covers every change the file allows. Quick players leave out what cannot be played; games of
    strong players go, round after round, to the rulesets that may be the best by a model of what every rule does.
    The most promising and the base are then played once more, with fresh games and players that have learned them,
    and only these games decide. The same command again continues a search that was stopped in any way, and the
    games are the same for any number of processes.

    The page is reports/searches/NAME/report.html, the games of the finalists are the report reports/NAME.confirmed.
    With --beyond changes that the space does not have are tried around the finalists (reports/NAME.beyond): the next
    numbers, other values, moves with a letter more or less, areas with squares more or less.

    JSON, with --dry-run {"name", "rulesets", "sentences"}, else what search.json holds: {"name", "base", "fingerprint",
    "space", "budget", "rounds", "targets", "must", "result": {"verdict", "finalists": [{"ruleset", "title", "values",
    "targets", "price", "changes", "alike", "regret", "loss", "nearer", "buys"}], "base", "players"}}; verdict is met,
    nearest, promising or base_as_near.
    """
    from workbench.addons.search import question
    from workbench.addons.search import run as runs
    from workbench.runs.executor import open_executor, parse_cluster_address

    if on:
        parse_cluster_address(on)
    where = find_project()
    loaded = question.load_search(question.find_search(name, where), where)
    folder = question.search_folder(where, loaded.name)
    candidates = question.list_candidates(loaded)
    described = [loaded.heading, *runs.describe_space(loaded, candidates)]
    if dry_run and as_json:
        print_json({"name": loaded.name, "rulesets": len(candidates), "sentences": described})
    for line in () if as_json else described:
        echo(line)
    if dry_run:
        return
    if fresh:
        reports = [where.report(pattern.format(name=loaded.name)) for pattern in (CONFIRMED, BEYOND)]
        confirm_fresh(runs.files_of_search(folder, *reports), display_path(folder), yes)
        runs.forget(folder, *reports)
    asked = [*(["--beyond", str(beyond)] if beyond else []), *(["--why"] if why else [])]
    again = shlex.join(["workbench", "search", name, *asked, *(["--on", on] if on else [])])
    if not on:
        announce_compiling("trials._play_block", [loaded.base], runs.all_players(loaded))
    console = make_console()
    with open_executor(on, workers) as executor:
        begun = runs.begin_search(loaded, where, executor=executor, command=again, candidates=candidates)
        begun.say = lambda line: echo(line, err=as_json)
        if not as_json:
            for line in runs.describe_budget(begun):
                echo(line)
        with runs.progress_display(None if as_json else console) as show:
            begun.play_rounds(show)
        if not as_json:
            echo(tr("The finalists, by fresh games:"))
        with runs.progress_display(None if as_json else console) as show:
            _, confirmed = begun.confirm(show)
        written = [confirmed]
        if beyond:
            if not as_json:
                echo(tr("One step beyond the space:"))
            with runs.progress_display(None if as_json else console) as show:
                if played := runs.play_beyond(begun, beyond, show):
                    written.append(played)
    from workbench.addons.search import report
    from workbench.players.agents import AgentSpec
    from workbench.report import folders

    best = begun.best_ruleset()
    runs.keep_notes(folder, "nearest", report.suggest_changes(question.kept_search(folder), best))
    if why and best.fingerprint != loaded.base.fingerprint:
        quick = next(iter(loaded.quick), AgentSpec.of("greedy"))
        first, *others = addons().explain_change(
            was=loaded.base, now=best, player=quick, games=400, seed=loaded.seed, max_plies=loaded.max_plies
        )
        said = tr("Between players of {player}, who are quick: {text}", player=quick.label, text=first)
        runs.keep_notes(folder, "why", [said, *others])
    if as_json:
        _write_page(folder, lang)
        print_json(question.kept_search(folder))
    else:
        show_search(folder, lang)
    for path in written:
        folders.write_report(path, lang)
        echo(tr("wrote {path}", path=display_path(path / "report.html")), err=as_json)


def show_search(folder: Path, lang: str | None) -> None:
    """Write the page of a search into its folder, and print what it found."""
    from workbench.addons.search import report

    report.print_search(_write_page(folder, lang), make_console())
    echo("")
    echo(tr("wrote {path}", path=display_path(folder / "report.html")))


def _write_page(folder: Path, lang: str | None) -> dict[str, Any]:
    """Write the page of a search; return what its folder keeps."""
    import pandas as pd

    from workbench.addons.search import question, report
    from workbench.rules import rulesets

    kept = question.kept_search(folder)
    base = rulesets.load_ruleset(str(kept["base"]))
    known, effects = pd.read_csv(folder / question.CANDIDATES), pd.read_csv(folder / question.EFFECTS)
    report.write_search(folder, kept, base, known, effects, lang)
    return kept
