"""The command ``handicap``."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli import application as cli
from workbench.cli.games import MAX_PLIES, MAX_SEED


@cli.app.command(
    cli.PLAYERS,
    "workbench handicap rengo/go9 --toggle komi --agent alphabeta-1k",
    "workbench handicap star/four-pieces star/default star/two-pieces --games 2_000",
    "workbench handicap chatra/2008-02 --toggle subjects --from 5 --to 25 --json",
)
def handicap(
    names: Annotated[list[str], typer.Argument(metavar="RULESET", help="A ruleset, or several ordered by handicap.")],
    toggle: Annotated[str, typer.Option(metavar="NAME", help="The rule whose value is the handicap.")] = "",
    low: Annotated[float | None, typer.Option("--from", metavar="N", help="The smallest value to try.")] = None,
    high: Annotated[float | None, typer.Option("--to", metavar="N", help="The largest value to try.")] = None,
    agent: Annotated[str, typer.Option("--agent", metavar="AGENT", help="The player for both sides.")] = "greedy",
    games: Annotated[
        int, typer.Option(parser=cli.whole_number, metavar="N", help="Games in all.", show_default="1_000")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides the games.")] = 0,
    max_plies: Annotated[
        int, typer.Option(min=1, max=MAX_PLIES, help="Plies after which a game is stopped and counts as a draw.")
    ] = 400,
    as_json: cli.AsJson = False,
) -> None:
    """Find the handicap that makes the game even.

    Two players of equal strength play at amounts increasingly close to the answer. A curve is fitted to the scores; if
    it does not fit, no amount is named. The result holds for players of this strength. The amounts are the values of a
    rule such as komi, or the positions of the rulesets in the order given, counted from 0. JSON: {"verdict", "even",
    "low", "high", "nearest", "games": [{"amount", "ruleset", "games", "score"}]}; unless the verdict is "named", even,
    low and high are null.
    """
    from workbench.addons.handicap.even import handicap as find_even

    rulesets = [cli.load_ruleset(name) for name in names]
    cli.announce_compiling("trials._play_block", rulesets)
    result = find_even(
        rulesets if len(rulesets) > 1 else rulesets[0], toggle, low=low, high=high, agent=agent, games=games, seed=seed,
        max_plies=max_plies,
    )  # fmt: skip
    if as_json:
        content = {name: getattr(result, name) for name in ("verdict", "even", "low", "high")}
        cli.print_json(content | {"nearest": result.nearest.name, "games": result.table.to_dict("records")})
        return
    cli.print_lines(result.sentences)
