"""The command ``ladder``."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.base.errors import InputError, Problem, display_path, expected, guess, input_error
from workbench.base.language import join, quoted, tr
from workbench.base.project import LADDERS, find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.PLAYERS,
    "workbench ladder chess/orthodox",
    "workbench ladder star/default --games 1_000 --precision 100",
    "workbench ladder chatra/2008-02 --agents 'random greedy alphabeta-1 alphabeta-2'",
    "workbench ladder chess/orthodox chess/007 --seconds 600",
    "workbench ladder draughts/english --lines 50 --plies 6 --json",
    "workbench ladder chess/orthodox --on dask:tcp://host:8786",
    "workbench ladder chess/orthodox --allow-programs --agents 'alphabeta-2 uci:fairy-stockfish,nodes=400'",
)
def ladder(
    names: Annotated[list[str], typer.Argument(metavar="RULESET", help="Rulesets; each gets its own ladder.")],
    agent_names: Annotated[
        list[str] | None,
        typer.Option(
            "--agents",
            metavar="AGENT",
            help="A player, or several separated by spaces, weakest first; may be repeated.",
            show_default="random, greedy, and searches of 1,000 to 100,000 nodes with hand-tuned and learned weights",
        ),
    ] = None,
    precision: Annotated[
        float,
        typer.Option(metavar="ELO", min=1, max=1000, help="Maximum distance from a step to the ends of its interval."),
    ] = 50.0,
    games: Annotated[
        int,
        typer.Option(
            "--games", parser=cli.whole_number, metavar="N", help="The maximum number of games.", show_default="4_000"
        ),
    ] = 4_000,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=1, help="Skip players whose initial games would take longer than this.", show_default="none is skipped"
        ),
    ] = None,
    lines: Annotated[int, typer.Option(min=20, max=10_000, help="Number of random opening lines.")] = 200,
    plies: Annotated[int, typer.Option(min=1, max=100, help="Plies per line.")] = 4,
    zero: Annotated[
        str, typer.Option(metavar="AGENT", help="The player whose Elo is 0.", show_default="random, or the weakest")
    ] = "",
    max_plies: Annotated[int, typer.Option(min=1, max=100_000, help="Games are stopped after this many plies.")] = 400,
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="The seed of all random numbers.")] = 0,
    workers: cli.Workers = None,
    on: cli.On = None,
    allow_programs: cli.AllowPrograms = False,
    lang: cli.Lang = None,
    as_json: cli.AsJson = False,
) -> None:
    """Measure the strength of players in Elo.

    Players meet their neighbours on shared opening lines, each line in both seatings, and then the opponents that most
    improve the precision of the ladder's steps. A fitted model estimates each player's strength, the value of moving
    first and the draw rate, with 95 % intervals.

    The ladder is stored in reports/ladders/RULESET/ under a fingerprint of rules, players, openings, seed and engine.
    The same command continues it without replaying games; a smaller --precision or more --games extend it. Reports on
    experiments with these rules show where their players rank.

    JSON: {"ladders": [{"ruleset", "fingerprint", "folder", "zero", "games", "players": [{"player", "options", "games",
    "elo", "above", "step", "score", "first_move", "draw_rate"}], "first_move", "first_score", "draws", "misfit",
    "pairs", …}]}; an interval is {"value", "low", "high"}, with null for an unbounded end.
    """
    from workbench import games as families
    from workbench.base.yamlfile import Node
    from workbench.experiments.experiment_files import DrawnLines
    from workbench.players import agents

    project = find_project()
    rulesets = [cli.load_ruleset(name) for name in names]
    for ruleset in rulesets:
        project.report(f"{LADDERS}/{ruleset.name}")
    declarations = [families.declaration(game) for game in dict.fromkeys(ruleset.game for ruleset in rulesets)]
    from workbench.addons.ladder import run

    agent_texts = [word for option in agent_names or [] for word in option.split()] or run.default_rungs()
    players = tuple(
        agent for word in agent_texts for agent in agents.agents_from_text(word, declarations, "--agents", project)
    )
    labels = [player.label for player in players]
    problems: list[Problem] = []
    for player in players:
        agents.check_uci_variants(player, Node("", 0, "--agents", player.label, player.label), rulesets, problems)
    if problems:
        raise InputError([dataclasses.replace(problem, line=None) for problem in problems])
    if zero and zero not in labels:
        message = expected(tr("one of the players"), quoted(zero))
        raise input_error(message, guess(zero, labels), key="--zero")
    # Strengths do not include swaps of sides.
    unswapped, openings = [ruleset.unswapped for ruleset in rulesets], DrawnLines(plies, lines)
    ladders = [run.Ladder(ruleset, players, openings, seed, max_plies) for ruleset in unswapped]
    for planned in ladders:
        planned.check_players(games)
    cli.announce_compiling("trials._play_block", rulesets, ladders[0].experiment.players)
    from workbench.addons.ladder import report as pages
    from workbench.runs import training
    from workbench.runs.executor import open_executor
    from workbench.runs.runner import probe_external_players

    command = ["workbench", "ladder", "RULESET", *(f"--agents={word}" for word in agent_texts)]
    command += [f"--precision={precision:g}", f"--games={games}", f"--lines={lines}", f"--plies={plies}"]
    command += [f"--max-plies={max_plies}", f"--seed={seed}", *([f"--zero={zero}"] if zero else [])]
    command += [f"--on={on}"] if on else []
    if seconds:
        for planned in ladders:
            probe_external_players(planned.experiment, allow_programs, shlex.join(command), lambda line: None)
    contents, console = [], None if as_json else cli.make_console()
    with open_executor(on, workers) as executor:
        training.ensure_trained(
            training.needed_trainings(players, rulesets), project, say=lambda line: cli.echo(line, err=as_json),
            executor=executor, console=console,
            command=shlex.join([word if word != "RULESET" else " ".join(names) for word in command]),
        )  # fmt: skip
        for planned in ladders:
            if not as_json:
                cli.echo(join(": ", (planned.ruleset.name, planned.ruleset.heading)))
            if seconds:
                planned, slow = run.drop_slow_players(planned, seconds, max(1, executor.size()))
                for label, needed in slow.items():
                    text = tr("Skipped {label}: its initial games would take {needed:,.0f} seconds.")
                    cli.echo(text.format(label=label, needed=needed), err=True)
            arguments = [planned.ruleset.name if word == "RULESET" else word for word in command]
            result = run.play_ladder(
                planned, project.reports, precision=precision, games=games,
                zero=zero if zero in {player.label for player in planned.players} else "", executor=executor,
                allow_programs=allow_programs, command=shlex.join(arguments), console=console,
            )  # fmt: skip
            contents.append({**result.content, "folder": display_path(result.folder)})
            if as_json:
                pages.write_ladder(result.folder, result.content, lang)
            else:
                show_ladder(result.content, result.folder, lang)
    if as_json:
        cli.print_json({"ladders": contents})


def show_ladder(content: Mapping[str, Any], folder: Path, lang: str | None) -> None:
    """Write a saved ladder's page into its folder and print its summary."""
    from workbench.addons.ladder import report as pages

    files = pages.write_ladder(folder, content, lang)
    pages.print_ladder(content, cli.make_console())
    cli.echo("")
    for path in files:
        cli.echo(tr("wrote {path}", path=display_path(path)))
