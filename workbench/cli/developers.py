"""Commands for developers: check-game, perft, bench, signature, schema."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import FAILED, expected, input_error
from workbench.base.language import OR, join_list, quoted, tr, trn
from workbench.base.project import find_project
from workbench.cli.app import DEVELOPERS, app
from workbench.cli.common import (
    AsJson,
    RulesetName,
    announce_compiling,
    echo,
    echo_written,
    load_ruleset,
    make_console,
    print_json,
    print_lines,
    refuse,
)
from workbench.cli.games import Moves, Position, Run, game_after

if TYPE_CHECKING:
    from workbench.conformance.positions import Breach
    from workbench.rules.rulesets import Ruleset


@app.command(
    DEVELOPERS,
    "workbench check-game star",
    "workbench check-game hexapawn --trust      code in games/ of the project runs only if you say so",
    "workbench check-game star/5x5 --seeds 20   longer, of one ruleset",
)
def check_game(
    name: Annotated[str, typer.Argument(metavar="GAME", help="A game, or one of its rulesets.", show_default=False)],
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Random games of each ruleset.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Test a game against the laws that every game must obey.

    In random games and in games of every kind of player, first without machine code, then compiled. A law that is
    broken is told with the ruleset, the seed and the moves. The exit code is 1 if there is any.

    JSON: {"game", "rulesets", "laws": {name: sentence}, "breaches": [{"law", "ruleset", "said", "seed", "players",
    "moves"}]}.
    """
    from workbench.rules import rulebook, rulesets

    game = name.partition("/")[0]
    rulebook.find_family(game)
    asked = [
        rulesets.load_ruleset(each) for each in rulesets.ruleset_names() if each == name or each.startswith(f"{name}/")
    ]
    if not asked and "/" in name:
        asked = [rulesets.load_ruleset(name)]
    if not asked:
        hint = tr("write rulesets/{game}/standard.yaml: game: {game}, and a title", game=game)
        raise input_error(tr("there is no ruleset of {game} to be asked", game=game), hint)
    announce_compiling("trials._play_block", asked)
    from workbench.conformance import families, positions

    breaches = families.check(game, asked, seeds, lambda line: echo(line, err=True))
    if as_json:
        laws = {one.name: one.sentence for one in (*positions.RULESETS, *families.FAMILIES)}
        said = [dataclasses.asdict(breach) for breach in breaches]
        print_json({"game": game, "rulesets": [one.name for one in asked], "laws": laws, "breaches": said})
    else:
        _tell(game, asked, breaches)
    if breaches:
        raise typer.Exit(FAILED)


def _tell(game: str, asked: list[Ruleset], breaches: list[Breach]) -> None:
    for breach in breaches:
        _tell_breach(breach, game)
    broken = {breach.ruleset for breach in breaches}
    for ruleset in asked if "" not in broken else ():
        if ruleset.name not in broken:
            fine = tr("{ruleset}: nothing found so far") if breaches else tr("{ruleset}: fine")
            echo(fine.format(ruleset=ruleset.name))
    if breaches:
        echo(trn("{game}: {n} law is broken.", "{game}: {n} laws are broken.", len(breaches), game=game))
    else:
        n = len(asked)
        echo(
            trn("{game} holds all laws, under {n} ruleset.", "{game} holds all laws, under {n} rulesets.", n, game=game)
        )


def _tell_breach(breach: Breach, game: str) -> None:
    from workbench.conformance import families

    law: Any = families.law(breach.law)
    echo(tr("{ruleset} breaks a law: {sentence}", ruleset=breach.ruleset or game, sentence=law.sentence))
    echo(tr("  found: {found}", found=breach.finding))
    if breach.ruleset:
        if breach.players:
            echo(tr("  players {players}", players=breach.players))
        echo(tr("  seed {seed}", seed=breach.seed))
    if breach.moves is not None:
        moves = " ".join(breach.moves)
        echo(tr("  after: {moves}", moves=moves) if moves else tr("  at the start"))
        more = f" --moves {shlex.quote(moves)}" if moves else ""
        echo(tr("  see it: workbench moves {ruleset}{more}", ruleset=breach.ruleset, more=more))
    echo()


@app.command(
    DEVELOPERS,
    "workbench perft chatra/2007-09 3",
    'workbench perft chatra/9x9 2 --moves "a1 Oh8" --divide',
    "workbench perft chatra/2008-02 3 --json",
)
def perft(
    name: RulesetName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, max=64, help="Plies.", show_default=False)],
    played: Moves = "",
    position: Position = "",
    run: Run = "",
    divide: Annotated[bool, typer.Option("--divide", help="Also the count behind each first move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the sequences of legal moves from a position.

    Prints the count for 1, 2, ... DEPTH plies. The counts say whether two programs agree on the rules. JSON:
    {"ruleset", "counts"}, and with --divide also "divide", the count of DEPTH by first move.
    """
    from workbench.base.console import stoppable
    from workbench.engine import contract
    from workbench.positions import playing

    ruleset = load_ruleset(name)
    announce_compiling("solver._count", [ruleset])
    game_state = game_after(ruleset, played, position, run)
    over = game_state.outcome()[0] != contract.ONGOING
    counts = []
    divided = {}
    with stoppable():
        for plies in range(1, depth + 1):
            counts.append(0 if over else game_state.perft(plies))
            if not as_json:
                echo(f"{plies} {counts[-1]}")
        for move in playing.on_board(game_state.legal()) if divide else []:
            text = game_state.format(move)
            game_state.push(move)
            divided[text] = game_state.perft(depth - 1)
            game_state.undo()
            if not as_json:
                echo(f"{text}: {divided[text]}")
    if as_json:
        print_json({"ruleset": ruleset.name, "counts": counts} | ({"divide": divided} if divide else {}))


@app.command(
    DEVELOPERS,
    "workbench bench",
    "workbench bench chatra/9x9 chatra/15x15 --agents random --agents alphabeta:depth=2",
    "workbench bench --seconds 1 --json",
)
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULESETS]...", help="Rulesets.", show_default="the default of each game"),
    ] = None,
    which: Annotated[
        list[str] | None,
        typer.Option("--agents", metavar="AGENT", help="An agent; give it again for more.", show_default="one of each"),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="CPU time for each ruleset and agent.")] = 3.0,
    versus: Annotated[
        str | None,
        typer.Option(
            "--vs",
            metavar="PROGRAM",
            help="Compare with another program instead: chess (python-chess).",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measures how fast one core plays.

    Games, plies and searched positions (nodes) a second of CPU time, which other programs do not change; the wall time
    of the same work stands beside it. Every agent plays itself. After a warm-up the same games are played in several
    rounds, and the fastest round counts.

    --vs chess measures random games of orthodox chess and perft, here and in python-chess, in the same run.
    """
    from workbench.players import agents
    from workbench.players.agent_kinds import KINDS

    where = find_project()
    specs = [agents.agent_from_text(word, (), "--agents") for words in which or [] for word in words.split()]
    rulesets = [load_ruleset(name) for name in names or []]
    announce_compiling("trials._play_block", rulesets, specs or [agents.agent_from_text(kind) for kind in KINDS])
    from workbench.runs import bench as benches

    machine = benches.describe_machine()
    if versus is not None:
        rows = [speed.as_json() for speed in benches.compare_programs(versus, seconds)]
        about = {"other": versus, "versus": rows}
    else:
        specs = specs or [agents.agent_from_text(words) for words in benches.AGENTS]
        rulesets = rulesets or benches.benchmark_rulesets(where)
        rows = [benches.measure_speed(ruleset, spec, seconds).as_json() for ruleset in rulesets for spec in specs]
        about = {"speeds": rows}
    if as_json:
        print_json({"machine": machine, "seconds": seconds} | about)
    else:
        make_console().print(benches.speed_table(machine, rows, versus or ""))


@app.command(
    DEVELOPERS,
    "workbench signature",
    "workbench signature > tests/signature.txt",
    "workbench signature --check tests/signature.txt",
)
def signature(
    against: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Compare with a file; exit code 1 if lines differ.")
    ] = None,
) -> None:
    """Print hashes of fixed games, to show changed behaviour.

    There is a line for each ruleset and agent. A line changes if and only if behaviour does: the rules, the agents,
    their weights or the random numbers.
    """
    from workbench.base.yamlfile import read_small_file
    from workbench.rules import rulesets

    expected = (
        read_small_file(against, tr("file of hashes")).decode("utf-8", "replace").splitlines() if against else None
    )
    every_ruleset = rulesets.load_all_rulesets(find_project())
    announce_compiling("trials._play_block", every_ruleset)
    from workbench.runs import bench as benches

    if expected is None:
        print_lines(benches.signature_lines(every_ruleset))
        return
    lines = list(benches.signature_lines(every_ruleset))
    differing = [f"- {line}" for line in expected if line not in lines]
    differing += [f"+ {line}" for line in lines if line not in expected]
    print_lines(differing)
    if differing:
        echo(tr("Behaviour differs from {against}: - is the file, + is now.", against=against), err=True)
        raise typer.Exit(1)
    echo(tr("All {count} lines are as in {against}.", count=len(lines), against=against))


@app.command(
    DEVELOPERS,
    "workbench schema ruleset",
    "workbench schema experiment > experiment.schema.json",
    "workbench schema --write      into the folders of the files, where these look for them",
)
def schema(
    kind: Annotated[str, typer.Argument(metavar="[KIND]", help="Of what; all if left out.", show_default=False)] = "",
    write: Annotated[bool, typer.Option("--write", help="Write the files instead of printing.")] = False,
) -> None:
    """Print JSON Schemas for rulesets, experiments and searches.

    Editors complete and explain from them. Without a kind it prints one object that holds all.
    """
    from workbench.experiments import workspace

    where = find_project()
    if kind and kind not in workspace.SCHEMAS:
        message = expected(join_list(workspace.SCHEMAS, OR), quoted(kind))
        refuse(message, "KIND")
    if write:
        echo_written(workspace.write_schemas(where, [kind] if kind else workspace.SCHEMAS))
        return
    schemas = workspace.schemas(where)
    typer.echo(json.dumps(schemas[kind] if kind else schemas, indent=2, ensure_ascii=False))
