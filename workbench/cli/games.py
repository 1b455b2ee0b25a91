"""Commands about rules and single games: list, rules, show, diff, play, moves, games."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from workbench.base.console import wrapped
from workbench.base.errors import FAILED
from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.cli import application as cli

if TYPE_CHECKING:
    from workbench.games.declaration import Declaration
    from workbench.players.agents import AgentSpec
    from workbench.positions.game_state import GameState
    from workbench.rules.rulesets import Ruleset


@cli.app.command(cli.RULES, "workbench list", "workbench list chess", "workbench list --json", name="list")
def list_(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="A game, for example chatra.", show_default="all")] = "",
    as_json: cli.AsJson = False,
) -> None:
    """List rulesets, experiments and searches, with their titles.

    JSON: {"rulesets": [{"name", "title", "title_ja", "games", "file"}], "experiments": […], "searches": […]}; a missing
    title is null.
    """
    from workbench.experiments import workspace
    from workbench.rules import rulebook

    if game:
        rulebook.find_family(game)
    listed = workspace.list_files(find_project(), game)
    if as_json:
        cli.print_json(listed)
    else:
        cli.print_lines(workspace.describe_files(listed))


@cli.app.command(cli.RULES, "workbench rules chatra")
def rules(game: Annotated[str, typer.Argument(metavar="GAME", help="A game, for example chatra.")]) -> None:
    """List the settings of a game.

    Shows each toggle with all its values, their wording in the rule book, the default (starred) and the rule's source.
    """
    from workbench.rules import rulebook

    cli.print_lines(rulebook.describe_toggles(rulebook.find_family(game)))


@cli.app.command(cli.RULES, "workbench show chatra/C+D", "workbench show chatra/2008-02 --json")
def show(name: cli.RulesetName, as_json: cli.AsJson = False) -> None:
    """Show a ruleset: settings, rules in plain words, changes.

    Shows the differences from each ruleset it extends and from the game's default. Rulesets with the same fingerprint
    have the same rules.
    """
    from workbench.rules import rulebook

    ruleset = cli.load_ruleset(name)
    if as_json:
        cli.print_json(rulebook.ruleset_as_json(ruleset))
    else:
        cli.print_lines(rulebook.describe_ruleset(ruleset))


@cli.app.command(cli.RULES, "workbench diff chatra/2007-09 chatra/2008-02", "workbench diff chatra/A my-idea.yaml")
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A ruleset or YAML file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> None:
    """Show the settings in which two rulesets of a game differ.

    Shows each toggle with both settings and their wording in the rule book.
    """
    from workbench.rules import rulebook

    cli.print_lines(rulebook.describe_difference(cli.load_ruleset(a), cli.load_ruleset(b)))


MAX_SEED = 2**64 - 1


MAX_PLIES = 100_000


Moves = Annotated[
    str,
    typer.Option(
        "--moves", "--opening", metavar="MOVES", help="Start after these moves, separated by spaces.",
        show_default=False,
    ),
]  # fmt: skip


Position = Annotated[
    str,
    typer.Option(
        metavar="POSITION",
        help="Start from a position: FEN (chess, draughts), rows (star), or YAML in braces.",
        show_default=False,
    ),
]


Run = Annotated[
    str,
    typer.Option("--run", metavar="PLACE", help="With --position in 007 chess: 3/2 is ply 2 of 3.", show_default=False),
]


def game_after(ruleset: Ruleset, played: str, position: str = "", run: str = "") -> GameState:
    """Return a game after some moves, checked one by one, from the start or from a position."""
    cli.announce_compiling("kernel.legal_moves", [ruleset])
    from workbench.positions.game_state import GameState, parse_setup

    game_state = GameState(ruleset.game, ruleset.codes(), parse_setup(ruleset.game, position, run))
    for text in played.split():
        game_state.push_text(text)
    return game_state


@cli.app.command(
    cli.GAMES,
    "workbench play chatra/2008-02 --first human --second alphabeta-3",
    "workbench play chatra/A --first greedy --second best-first:nodes=2000 --games 5",
    "workbench play chatra/C --first random --second random --games 1000 --seed 7 --json > games.jsonl",
    "workbench play chatra/C --seed 12 --legal --json     game 5 of --seed 7, with its legal moves",
    "workbench play star/default --first human --explain  shows the outcome of every move",
    "workbench play chess/007 --games 10 --export games.pgn",
    'workbench play chatra/2007-09 --opening "f9 Ok2 Oi4" --first alphabeta-2 --second alphabeta-2 --games 20',
    "workbench play chess/orthodox --first human --second uci:fairy-stockfish,nodes=1000",
    "workbench play star/default --first python:players.cautious:Cautious --second greedy",
)
def play(
    name: cli.RulesetName,
    first: Annotated[str, typer.Option(metavar="AGENT", help="The first player: an agent, or human.")] = "greedy",
    second: Annotated[str, typer.Option(metavar="AGENT", help="The second player: an agent, or human.")] = "greedy",
    count: Annotated[int, typer.Option("--games", min=1, max=10_000_000, help="Games to play.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Game k (from 0) has seed SEED + k.")] = 0,
    max_plies: Annotated[
        int, typer.Option(min=1, max=MAX_PLIES, help="Games are stopped after this many plies.")
    ] = 400,
    as_json: cli.AsJson = False,
    legal: Annotated[
        bool, typer.Option("--legal", help="With --json, also print the legal moves before each ply.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the outcome of each legal move (solvable games only).")
    ] = False,
    opening: Moves = "",
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the games to a file: PGN for chess, PDN for draughts."),
    ] = None,
) -> None:
    """Play single games between players or against you.

    Agents ({agents}) take options, as in alphabeta:depth=3,temperature=0.2, or are written as in tables: alphabeta-3,
    best-first-10k, greedy-centre, alphabeta-10k-learned-1 (trained first if needed). uci:PROGRAM,nodes=N and
    python:MODULE:CLASS are external players; naming one permits the workbench to start it. The same seed, agents and
    opening give the same game, here and in an experiment. As a human, you see the board and type moves; the commands
    are help, moves, undo, board, rules, draw, resign and quit, and illegal moves are explained. JSON: one object per
    line, {"game", "seed", "moves", "result", "termination", "plies"}.
    """
    from workbench import games

    ruleset = cli.load_ruleset(name)
    family = games.declaration(ruleset.game)
    players = [_player(text, family, f"--{seat}") for seat, text in (("first", first), ("second", second))]
    if legal and not as_json:
        cli.refuse(tr("the legal moves are printed only with --json"), "--legal")
    agent, opponent = players
    opening_game = game_after(ruleset, opening) if opening.strip() else None
    if opening_game and opening_game.outcome()[1]:
        cli.refuse(tr("the game is over after it ({outcome})", outcome=opening_game.outcome()[1]), "--opening")
    kind = getattr(games.notation(ruleset.game), "EXPORT", "") if export else ""
    if export and not kind:
        cli.refuse(tr("there is no file format for {game}; use --json", game=ruleset.game), "--export")
    cli.require_new_file(export, "--export")
    if agent is None or opponent is None:
        if as_json or export or count > 1:
            cli.refuse(tr("a human plays one game at a time, without --json and --export"), "human")
        cli.announce_compiling("trials._advise", [ruleset], [player for player in (agent, opponent) if player])
        from workbench.players.match import Match

        _prepare(ruleset, [player for player in (agent, opponent) if player])
        book, start = _solution(ruleset) if explain else None, opening_game.texts if opening_game else ()
        Match(ruleset, (agent, opponent), seed, max_plies, cli.make_console(), _read_line, book, start).play()
        return
    cli.announce_compiling("trials._play_block", [ruleset], (agent, opponent))
    _prepare(ruleset, (agent, opponent))
    from workbench.players.match import export_game, games_between, outcome_lines, print_final_position

    solution = _solution(ruleset) if explain else None
    texts = []
    played = opening_game.played if opening_game else ()
    for game in games_between(ruleset, agent, opponent, seed, count, max_plies, legal, solution, played):
        if export:
            texts.append(export_game(ruleset, game, agent.label, opponent.label))
        if as_json:
            cli.print_json(game.as_json())
            continue
        for ply, (move, values) in enumerate(zip(game.moves, game.values or (), strict=False), start=1):
            cli.echo(tr("ply {ply}: {move}", ply=ply, move=move))
            for line in outcome_lines(values):
                cli.echo(line)
        ending = {"result": game.result, "termination": game.termination, "count": len(game.moves)}
        message = tr("game {game} (seed {seed}): {result} ({termination}), {count} plies: {moves}")
        cli.echo(message.format(game=game.game, seed=game.seed, **ending, moves=" ".join(game.moves)))
        if count == 1:
            print_final_position(ruleset, game, cli.make_console())
    if export:
        from workbench.base import output

        output.write_file(Path(os.path.realpath(export)), "\n".join(texts).encode(), new=True)
        cli.echo(
            tr("wrote {count:,} games as {kind} to {export}", count=len(texts), kind=kind, export=export), err=as_json
        )


def _prepare(ruleset: Ruleset, players: Sequence[AgentSpec]) -> None:
    """Verify that external players follow the ruleset, and train untrained players."""
    if any(player.outside for player in players):
        from workbench.players.external import ExternalPlayer, probe_players

        for note in probe_players([ExternalPlayer.of(player, ruleset) for player in players], ruleset):
            cli.echo(note, err=True)
    if not any(player.training for player in players):
        return
    from workbench.runs import training

    console = cli.make_console()
    training.ensure_trained(
        training.needed_trainings(players, [ruleset]), find_project(), say=lambda line: cli.echo(line, err=True),
        command=f"workbench train {ruleset.name}", console=console,
    )  # fmt: skip


def _solution(ruleset: Ruleset) -> tuple[Any, Any]:
    """Return the value of every state of a solvable ruleset."""
    from workbench.players import library

    return library.load_or_solve(ruleset, find_project())


def _player(text: str, family: Declaration, option: str) -> AgentSpec | None:
    """Return the agent with a name, or None for a human."""
    from workbench.players import agents

    return None if text == "human" else agents.agent_from_text(text, [family], option, find_project())


def _read_line() -> str | None:
    """Return the next typed line, or None at the end of input."""
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


@cli.app.command(
    cli.GAMES,
    "workbench moves chatra/2007-09",
    'workbench moves chatra/2007-09 --moves "f9 Ok2"',
    'workbench moves chatra/2007-09 --opening "f9 Ok2 Oi4"',
    'workbench moves chatra/9x9 --moves "a1" --json',
    'workbench moves chess/007 --position "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" --run 3/1',
)
def moves(
    name: cli.RulesetName, played: Moves = "", position: Position = "", run: Run = "", as_json: cli.AsJson = False
) -> None:
    """List the legal moves of a position.

    The position is given directly or by the moves leading to it. JSON: {"ruleset", "ply", "seat", "moves", "result",
    "termination"}; ply counts the moves played; result and termination are null while the game is in progress.
    """
    from workbench.engine import contract
    from workbench.games.results import RESULTS, SEATS

    ruleset = cli.load_ruleset(name)
    game_state = game_after(ruleset, played, position, run)
    result, termination = game_state.outcome()
    over = result != contract.ONGOING
    legal = game_state.legal_texts()
    if as_json:
        cli.print_json({
            "ruleset": ruleset.name, "ply": game_state.plies, "seat": SEATS[game_state.seat], "moves": legal,
            "result": RESULTS[game_state.result] if over else None, "termination": termination,
        })  # fmt: skip
        return
    from workbench.players.match import group_heading, group_moves, print_position

    print_position(game_state, cli.make_console())
    if over:
        message = tr("The game is over after {plies} plies: {result} ({termination}).")
        cli.echo(message.format(plies=game_state.plies, result=RESULTS[game_state.result], termination=termination))
        return
    mover = {"side": game_state.declaration.seats[game_state.side], "seat": SEATS[game_state.seat]}
    message = tr("{side} ({seat}) has {count} legal moves at ply {ply}.")
    cli.echo(message.format(**mover, count=len(legal), ply=game_state.plies + 1))
    for group, texts in group_moves(legal).items():
        cli.echo(group_heading(group, len(texts)))
        cli.echo(wrapped("  ".join(texts), "  "))


@cli.app.command(
    cli.GAMES,
    "workbench games quickstart --ruleset C --agent greedy",
    "workbench games chess-proposals --ruleset 007 --agent alphabeta-2 --n 100 --export pgn --out 007.pgn",
    "workbench games reports/draughts-national --n 50 --export pdn > games.pdn",
    "workbench games quickstart --ruleset C --agent greedy --ending mate --result second --n 3",
    "workbench games quickstart --ruleset C --agent greedy --game 12 --game 57 --export json",
)
def games(
    folder: Annotated[
        str, typer.Argument(metavar="REPORT", help="A run's folder, or its name in reports/.", show_default=False)
    ],
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="Only games of this ruleset: chatra/C, or C.", show_default="all")
    ] = "",
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Only games of this agent against itself.", show_default="all")
    ] = "",
    first: Annotated[str, typer.Option(metavar="AGENT", help="Who sits first.", show_default="all")] = "",
    second: Annotated[str, typer.Option(metavar="AGENT", help="Who sits second.", show_default="all")] = "",
    numbers: Annotated[
        list[int] | None,
        typer.Option(
            "--game", min=1, metavar="NUMBER", help="Only this game of a cell, numbered from 1; may be repeated."
        ),
    ] = None,
    result: Annotated[
        str, typer.Option(metavar="RESULT", help="Only games with this result: first, second, draw or unfinished.")
    ] = "",
    ending: Annotated[str, typer.Option(metavar="NAME", help="Only games that ended this way, such as mate.")] = "",
    count: Annotated[
        int, typer.Option("--n", min=1, max=10_000_000, help="The maximum number of games per cell.")
    ] = 20,
    export: Annotated[
        str, typer.Option(metavar="FORMAT", help="pgn (chess), pdn (draughts), json (one object per line) or text.")
    ] = "text",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to a new file.", show_default="the output")
    ] = None,
    workers: cli.Workers = None,
) -> None:
    """Export a report's games, replayed from their seeds.

    Records contain each game's seed and a hash of its moves, which verifies the replay. Games of external players
    cannot be reproduced this way. JSON: {"ruleset", "first", "second", "game", "seed", "moves", "result",
    "termination", "plies"}; games are numbered from 1 within their cell (ruleset and pairing).
    """
    path = cli.run_folder(folder)
    if agent and (first or second):
        cli.refuse(tr("it plays both seats: omit --first and --second"), "--agent")
    cli.require_new_file(out, "--out")
    from workbench.report import folders

    selection = folders.GameSelection(ruleset, agent or first, agent or second, numbers or (), result, ending, count)
    exported_games = folders.export_games(path, selection, export, workers)
    cli.announce_compiling("trials._play_block", exported_games.rulesets, exported_games.players)
    omitted = 0
    with _stream(out) as stream:
        for texts in exported_games.texts:
            omitted += sum(text is None for text in texts)
            stream.write("".join(filter(None, texts)).encode())
            stream.flush()
    if out:
        formats = folders.export_formats(exported_games.families)[export]
        count = exported_games.count - omitted
        cli.echo(tr("wrote {count:,} games as {formats} to {out}", count=count, formats=formats, out=out), err=True)
    if omitted:
        message = tr(
            "{lost:,} of {count:,} games are omitted: from their seeds, this version of the workbench plays "
            "different games."
        )
        cli.echo(message.format(lost=omitted, count=exported_games.count), err=True)
        raise typer.Exit(FAILED)


@contextmanager
def _stream(out: Path | None) -> Iterator[BinaryIO]:
    """Yield stdout, or a new file that is written atomically."""
    if out is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    from workbench.base import output

    with output.atomic_write(Path(os.path.realpath(out)), new=True) as stream:
        yield stream
