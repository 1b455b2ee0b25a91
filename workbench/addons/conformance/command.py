"""The command ``check-game``."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import FAILED, input_error
from workbench.base.language import tr, trn
from workbench.cli import application as cli

if TYPE_CHECKING:
    from workbench.addons.conformance.positions import Breach
    from workbench.rules.rulesets import Ruleset


@cli.app.command(
    cli.DEVELOPERS,
    "workbench check-game star",
    "workbench check-game hexapawn --trust      runs code in the project's games/ folder",
    "workbench check-game star/5x5 --seeds 20   one ruleset, longer",
)
def check_game(
    name: Annotated[str, typer.Argument(metavar="GAME", help="A game, or one of its rulesets.", show_default=False)],
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Random games per ruleset.")] = 5,
    as_json: cli.AsJson = False,
) -> None:
    """Test a game against the laws that every game must obey.

    Plays random games and games between players of every kind, first as plain Python, then compiled. Reports each
    violated law with its ruleset, seed and moves. Exits with code 1 if a law is violated.

    JSON: {"game", "rulesets", "laws": {name: sentence}, "breaches": [{"law", "ruleset", "said", "seed", "players",
    "moves"}]}.
    """
    from workbench.rules import rulebook, rulesets

    game = name.partition("/")[0]
    rulebook.find_family(game)
    tested = [
        rulesets.load_ruleset(key) for key in rulesets.ruleset_names() if key == name or key.startswith(f"{name}/")
    ]
    if not tested and "/" in name:
        tested = [rulesets.load_ruleset(name)]
    if not tested:
        hint = tr("write rulesets/{game}/standard.yaml with game: {game} and a title", game=game)
        raise input_error(tr("no rulesets found for {game}", game=game), hint)
    cli.announce_compiling("trials._play_block", tested)
    from workbench.addons.conformance import families, positions

    breaches = families.check(game, tested, seeds, lambda line: cli.echo(line, err=True))
    if as_json:
        laws = {law.name: law.sentence for law in (*positions.RULESETS, *families.FAMILIES)}
        entries = [dataclasses.asdict(breach) for breach in breaches]
        cli.print_json(
            {"game": game, "rulesets": [ruleset.name for ruleset in tested], "laws": laws, "breaches": entries}
        )
    else:
        _print_result(game, tested, breaches)
    if breaches:
        raise typer.Exit(FAILED)


def _print_result(game: str, rulesets: list[Ruleset], breaches: list[Breach]) -> None:
    for breach in breaches:
        _print_breach(breach, game)
    broken = {breach.ruleset for breach in breaches}
    for ruleset in rulesets if "" not in broken else ():
        if ruleset.name not in broken:
            message = tr("{ruleset}: no violations found so far") if breaches else tr("{ruleset}: fine")
            cli.echo(message.format(ruleset=ruleset.name))
    if breaches:
        cli.echo(trn("{game} violates {n} law.", "{game} violates {n} laws.", len(breaches), game=game))
    else:
        n = len(rulesets)
        cli.echo(trn("{game} obeys all laws in {n} ruleset.", "{game} obeys all laws in {n} rulesets.", n, game=game))


def _print_breach(breach: Breach, game: str) -> None:
    from workbench.addons.conformance import families

    law: Any = families.law(breach.law)
    cli.echo(tr("{ruleset} violates a law: {sentence}", ruleset=breach.ruleset or game, sentence=law.sentence))
    cli.echo(tr("  found: {found}", found=breach.finding))
    if breach.ruleset:
        if breach.players:
            cli.echo(tr("  players {players}", players=breach.players))
        cli.echo(tr("  seed {seed}", seed=breach.seed))
    if breach.moves is not None:
        moves = " ".join(breach.moves)
        cli.echo(tr("  after: {moves}", moves=moves) if moves else tr("  at the start"))
        option = f" --moves {shlex.quote(moves)}" if moves else ""
        cli.echo(tr("  reproduce: workbench moves {ruleset}{more}", ruleset=breach.ruleset, more=option))
    cli.echo()
