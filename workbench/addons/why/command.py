"""The command ``why``."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.base.errors import display_path
from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli
from workbench.cli.games import MAX_PLIES, MAX_SEED


@cli.app.command(
    cli.QUESTIONS,
    "workbench why chatra/2007-09 chatra/C",
    "workbench why chess/orthodox chess/stalemate-wins --games 1_000 --agent alphabeta-500n",
    "workbench why draughts/english draughts/pool --agent greedy --agent alphabeta-2 --json",
)
def why(
    was: Annotated[str, typer.Argument(metavar="RULESET", help="The rules without the change.", show_default=False)],
    now: Annotated[str, typer.Argument(metavar="CHANGED", help="The rules with the change.", show_default=False)],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", metavar="AGENT", help="The player for both sides; may be repeated.", show_default="greedy"
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            parser=lambda text: cli.whole_number(text, 2),
            metavar="N",
            help="Number of games; each is replayed with the change.",
            show_default="400",
        ),
    ] = 400,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides the games.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, max=MAX_PLIES, help="Plies after which a game is stopped.")] = 400,
    lang: cli.Lang = None,
    as_json: cli.AsJson = False,
) -> None:
    """Show where in a game a rule change takes effect.

    Games are played without the change, and replayed with the change starting at the first, second, third, fifth … ply.
    A difference in score, draws or length between one start and the next arises in between. Events and endings that
    become more or less frequent are listed, too. A chart is written to reports/why/.

    JSON: a list with, for each player, {"was", "now", "player", "games", "effects": [{"measure", "effect", "low",
    "high", "sure", "part", "chance", "start", "stop", "share", "bands"}], "clearest", "events": [{"name", "result",
    "before", "after", "size", "p", "along"}], "sentences"}; plies count from 0. Missing values are null, such as the
    location of an effect that is not significant.
    """
    from workbench.addons.why import effects
    from workbench.api.rulesets import to_agent
    from workbench.report.render.documents import print_document

    rulesets = cli.load_ruleset(was), cli.load_ruleset(now)
    players = [to_agent(name, rulesets[0], "agent") for name in agent or ["greedy"]]
    cli.announce_compiling("trials._play_block", rulesets[:1], players)
    results = []
    for player in players:
        result = effects.explain(effects.play_switched(*rulesets, player, games, seed, max_plies))
        results.append(effects.plain_why(result))
        files = effects.write_why(effects.why_folder(find_project(), result), result, lang)
        if not as_json:
            print_document(effects.why_document(result), cli.make_console())
            cli.echo(tr("wrote {path}", path=display_path(files[0])))
    if as_json:
        cli.print_json(results)
