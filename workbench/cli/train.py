"""The command train: players learn what units and features are worth under a ruleset."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from workbench.cli.app import app, examples
from workbench.cli.common import announce_compiling, load_ruleset, make_console, report_folder, whole_number


@app.command(
    epilog=examples(
        "workbench train chatra/C chatra/D",
        "workbench train star/default --seed 1 --seed 2",
        "workbench train chess/007 --workers 2 --force     learns again what is there",
        "workbench train star/default --nodes 1_000_000    a shorter training, for a first look",
    )
)
def train(
    names: Annotated[list[str], typer.Argument(metavar="RULESET", help="Rulesets to learn.")],
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", min=1, max=1000, help="A training; give it again for more.", show_default="1, 2 and 3"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Learn again what is there.")] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="Positions that a training searches; rulesets that are compared need the same.",
            show_default="as the game family says",
        ),
    ] = None,
    shipped: Annotated[
        bool, typer.Option("--shipped", hidden=True, help="Keep it with the rulesets, in rulesets/GAME/players/.")
    ] = False,
) -> None:
    """Lets players learn a ruleset by playing it.

    What they learn is for agents with evaluation: learned. A player plays against itself, and fits what each feature,
    and each unit on each place, is worth to how the games end. Then it plays a match against the game's own weights at
    equal nodes; if it scores less than 50 %, agents play by the game's own weights instead. Rules, seed and budget
    decide what is learned. Three trainings with different seeds show how far an answer depends on the training.

    What is learned is kept in reports/players/GAME/, and found by the fingerprint of the rules. What is there is not
    learned again; a command that is stopped keeps what is done. workbench run trains by itself what is not there.
    """
    from workbench.files import project
    from workbench.files.yamlfile import InputError, Problem
    from workbench.questions.agents import SEEDS
    from workbench.run.training import Training

    where = project.find()
    rulesets = [load_ruleset(name) for name in dict.fromkeys(names)]
    if shipped and where.shipped:
        raise InputError([Problem("", None, "--shipped", "there is no project folder here (one that holds rulesets/)")])
    for ruleset in rulesets:
        report_folder(where.reports, f"players/{ruleset.game}")
    asked = [Training(ruleset, seed) for ruleset in rulesets for seed in dict.fromkeys(seeds or SEEDS)]
    announce_compiling("training._play_games", rulesets)
    from workbench.run import training

    wanted = asked if force else training.missing(asked, where, typer.echo)
    for each in asked:
        if each not in wanted:
            typer.echo(f"{each.title} is there already; --force learns it again.")
    if not wanted:
        return
    command = ["workbench", "train", *names, *(f"--seed={seed}" for seed in seeds or ())]
    command += [f"--workers={workers}"] if workers else []
    command += [f"--nodes={nodes}"] if nodes else []
    console = make_console()
    training.train(
        wanted,
        where,
        say=lambda line: console.print(line, markup=False, soft_wrap=True),
        workers=workers,
        nodes=nodes,
        with_rulesets=shipped,
        command=shlex.join(command),
        console=console,
    )
