"""Commands about players that learn: train, show-player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.base.errors import expected, input_error
from workbench.base.language import capitalized, current, join_list, quoted, tr, translated
from workbench.base.project import find_project
from workbench.cli import application as cli


@cli.app.command(
    cli.PLAYERS,
    "workbench train chatra/C chatra/D",
    "workbench train star/default --seed 1 --seed 2",
    "workbench train draughts/english --net            adds a small neural network",
    "workbench train chess/007 --workers 2 --force     trains again",
    "workbench train chatra/A chatra/B chatra/C --base   trains a base net for all of them",
    "workbench train chatra/2007-09 chatra/B --shared   shared weights for both",
    "workbench train star/default --nodes 1_000_000    a shorter training run, for a first look",
    "workbench train chess/007 chess/orthodox --on dask:tcp://host:8786",
)
def train(
    names: Annotated[list[str], typer.Argument(metavar="RULESET", help="Rulesets to learn.")],
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            "--seed", min=1, max=1000, help="Seed of a training run; may be repeated.", show_default="1, 2 and 3"
        ),
    ] = None,
    workers: cli.Workers = None,
    on: cli.On = None,
    force: Annotated[bool, typer.Option("--force", help="Repeat existing trainings.")] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            parser=cli.whole_number,
            metavar="N",
            help="Positions searched per training run; must be equal for rulesets that are compared.",
            show_default="set by the game family",
        ),
    ] = None,
    net: Annotated[
        bool,
        typer.Option(
            "--net", help="Also train nets, for agents with evaluation: net (takes two to five times as long)."
        ),
    ] = False,
    shared: Annotated[
        bool,
        typer.Option(
            "--shared", help="Train these rulesets together, on boards of one size, for agents with evaluation: shared."
        ),
    ] = False,
    base: Annotated[
        bool,
        typer.Option(
            "--base",
            help="Train one net for all these rulesets (one game, one board size), from which other nets start.",
        ),
    ] = False,
    shipped: Annotated[
        bool, typer.Option("--shipped", hidden=True, help="Save next to the rulesets, in rulesets/GAME/players/.")
    ] = False,
) -> None:
    """Let players learn a ruleset by self-play.

    Used by agents with evaluation: learned. A player plays against itself and fits the value of each feature, and of
    each unit on each square, to the results. It then plays a match against the hand-tuned weights at equal nodes; if it
    scores less than 50 %, agents use the hand-tuned weights instead. Training is determined by rules, seed and budget.
    Three training runs with different seeds show how much an answer depends on training.

    For agents with evaluation: shared, the rulesets of an experiment are learned together: a player has the same
    weights under all of them, at about the cost of one training run. The weights are identified by these rulesets in
    any order; workbench run also trains them.

    A net is a small neural network added to learned weights. It is trained on games played with these weights and plays
    a match against them; if it is not better, its agents use the weights alone. Training starts from the base net for
    its game and board size, if there is one: --base trains one from games of several rulesets, in
    rulesets/GAME/players/. This needs training runs with seed 1.

    Training runs are saved in reports/players/GAME/ under the fingerprint of the rules and are not repeated; an
    interrupted command keeps the finished ones. workbench run trains missing players automatically.
    """
    from workbench.players.agent_kinds import LEARNED, NET, SEEDS, SHARED
    from workbench.players.agents import AgentSpec
    from workbench.runs import training
    from workbench.runs.executor import open_executor, parse_cluster_address

    project = find_project()
    rulesets = [cli.load_ruleset(name) for name in dict.fromkeys(names)]
    if shared and net:
        raise input_error(expected(tr("either --net or --shared"), tr("both")), key="--shared")
    if base and (seeds or on or force or nodes or net or shared):
        reason = tr("it can be combined only with --workers: a base net has its own seed and budget")
        raise input_error(reason, key="--base")
    if (shipped or base) and project.shipped:
        reason = tr("there is no project folder here (one with rulesets/)")
        raise input_error(reason, key="--base" if base else "--shipped")
    console = cli.make_console()

    def say(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    if base:
        training.check_base(rulesets, project)
        cli.announce_compiling("training._play_games", rulesets)
        with open_executor(None, workers) as executor:
            command = cli.repeated_command()
            training.train_base(rulesets, project, say=say, executor=executor, command=command, console=console)
        return
    for ruleset in rulesets:
        project.report(f"players/{ruleset.game}")
    evaluation = SHARED if shared else NET if net else LEARNED
    players = [AgentSpec.of("greedy", training=seed, evaluation=evaluation) for seed in dict.fromkeys(seeds or SEEDS)]
    players = [player.within(rulesets) for player in players]
    trainings = training.distinct_trainings(training.needed_trainings(players, rulesets))
    if on:
        parse_cluster_address(on)
    else:
        cli.announce_compiling("training._play_games", rulesets)
    missing = trainings if force else training.missing_trainings(trainings, project, cli.echo)
    for existing in (run for run in trainings if run not in missing):
        cli.echo(tr("{each} already exists; --force repeats the training run.", each=existing.title))
    if not missing:
        return
    with open_executor(on, workers) as executor:
        training.run_trainings(
            missing, project, say=say, executor=executor, nodes=nodes, with_rulesets=shipped,
            command=cli.repeated_command(), console=console,
        )  # fmt: skip


@cli.app.command(
    cli.PLAYERS,
    "workbench show-player chatra/C",
    "workbench show-player chess/orthodox chess/007 --lang ja",
    "workbench show-player star/default --json",
    "workbench show-player chatra/C --out worth.svg",
)
def show_player(
    names: Annotated[list[str], typer.Argument(metavar="RULESET", help="Rulesets of one game.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a chart to a new file, .svg or .png.")
    ] = None,
    lang: cli.Lang = None,
    as_json: cli.AsJson = False,
) -> None:
    """Show the piece values that players have learned.

    Shows one bar per piece kind: the mean over training runs, with minimum and maximum. The rulesets that these extend
    are shown beside them if trained players exist, because rules change piece values. The unit is the most common kind
    in the starting position.

    JSON: {"unit", "rulesets": [{"ruleset", "trainings": [{"evaluation", "training", "digest", "accepted", "wins",
    "draws", "losses"}], "worth": [{"kind", "ja", "mean", "low", "high"}]}]}; unit is null if worth is in log-odds.
    """
    from workbench.players.agent_kinds import SEEDS, TRAINED, split_training_key
    from workbench.runs import training

    if out and out.suffix not in (".svg", ".png"):
        cli.refuse(expected(tr("a file name ending in .svg or .png"), quoted(str(out))), "--out")
    cli.require_new_file(out, "--out")
    rulesets = [cli.load_ruleset(name) for name in names]
    game = rulesets[0].game
    if other := next((ruleset for ruleset in rulesets if ruleset.game != game), None):
        raise input_error(expected(tr("rulesets of one game"), join_list((rulesets[0].name, other.name))))
    rulesets += [cli.load_ruleset(parent) for ruleset in rulesets for parent in ruleset.parents]
    distinct = list({ruleset.name: ruleset for ruleset in rulesets}.values())
    learned: dict[str, Any] = training.record_trainings(
        [training.Training(each, seed, evaluation) for each in distinct for evaluation in TRAINED for seed in SEEDS],
        find_project(),
    )
    if untrained := [each.name for each in rulesets[: len(names)] if each.name not in learned]:
        reason = tr("there is no training run for {labels}", labels=", ".join(dict.fromkeys(untrained)))
        raise input_error(reason, f"workbench train {' '.join(dict.fromkeys(untrained))}")
    from workbench.report.sections import rules as sections
    from workbench.report.sections.rules import unit_worths

    by_ruleset, relative = unit_worths(learned)
    if out:
        from workbench.base import output
        from workbench.report.render import matplotlib as drawing

        figure = drawing.draw_figure(sections.worth_chart(game, learned, {}), current())
        output.write_file(out, drawing.render_figure(figure, out.suffix[1:]), new=True)
    if as_json:
        cli.print_json({
            "unit": next(iter(learned[distinct[0].name].values()))["commonest"] if relative else None,
            "rulesets": [
                {
                    "ruleset": each,
                    "trainings": [
                        dict(zip(("evaluation", "training"), split_training_key(key), strict=True))
                        | {name: entry[name] for name in ("digest", "accepted")} | entry["match"]
                        for key, entry in learned[each].items()
                    ],
                    "worth": [
                        {"kind": worth.kind, "ja": translated(sections.kind_name(game, worth.kind), "ja"),
                         "mean": worth.mean, "low": worth.low, "high": worth.high}
                        for worth in worths
                    ],
                }
                for each, worths in by_ruleset.items()
            ],
        })  # fmt: skip
        return
    _show_bars(game, learned, current())
    if out:
        cli.echo(tr("wrote {out}", out=out))


def _show_bars(game: str, learned: dict[str, Any], language: str) -> None:
    """Print the unit values as bars."""
    from rich.bar import Bar
    from rich.table import Table

    from workbench.report.sections import rules as sections
    from workbench.report.sections.rules import unit_worths

    console = cli.make_console()
    by_ruleset, relative = unit_worths(learned)
    highest = max([abs(worth.mean) for worths in by_ruleset.values() for worth in worths] + [1e-9])
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, worths in by_ruleset.items():
        for i, worth in enumerate(sorted(worths, key=lambda worth: -worth.mean)):
            mean, ends = sections.worth_text(worth)
            kind = translated(sections.kind_name(game, worth.kind), language)
            table.add_row(name if i == 0 else "", kind, mean, ends, Bar(highest, 0, abs(worth.mean), width=30))
    console.print(table)
    unit = tr("{sentence}.", sentence=capitalized(sections.worth_unit(game, learned, relative)))
    console.print(translated(unit, language), markup=False, soft_wrap=True)
    for name, trainings in learned.items():
        if rejected := [seed for seed, each in trainings.items() if not each["accepted"]]:
            line = sections.REFUSED.format(names=f"{name} ({', '.join(rejected)})")
            console.print(translated(line, language), markup=False, soft_wrap=True)
