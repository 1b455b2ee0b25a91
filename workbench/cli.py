"""The command ``workbench``: one thin function per command.

``workbench --help`` must be quick, so this module imports Typer alone; every command imports what it needs.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from workbench.errors import BAD_INPUT, UserError

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.games.game_state import GameState
    from workbench.questions.agents import AgentSpec
    from workbench.questions.rulesets import Ruleset

MOST_SEED = 2**64 - 1
MOST_PLIES = 100_000
UNBOUNDED = 100_000
"""Columns of what is no terminal: tables are as wide as they are, running text is wrapped (`terminal.wrapped`)."""


class Commands(TyperGroup):
    """The commands; what a user did wrong ends with its reason and an exit code, never with a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was typed."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            typer.echo(error, err=True)
            raise typer.Exit(error.exit_code) from None
        except OSError as error:
            if not error.filename or isinstance(error, BrokenPipeError):
                raise
            typer.echo(f"{error.filename}: {error.strerror}", err=True)
            raise typer.Exit(BAD_INPUT) from None


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


app = typer.Typer(
    name="workbench",
    cls=Commands,
    help="Compares proposals for the rules of a board game by playing thousands of games under each.\n\n"
    "Proposals are YAML files in rulesets/, questions are YAML files in experiments/, answers go to reports/.",
    epilog=_examples(
        "workbench run quickstart            plays an experiment and shows what came out",
        "workbench show chatra/2008-02       the rules of a ruleset in plain language",
        "workbench play chatra/A --first human --second alphabeta",
        "workbench init my-rules             a folder of your own to work in",
    ),
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _whole(words: str) -> int:
    """A whole number of at least 1; 2_000_000 may be written so."""
    try:
        number = int(words)
    except ValueError:
        number = 0
    if number < 1:
        raise typer.BadParameter(f"expected a whole number of at least 1, found '{words}'")
    return number


RulesetName = Annotated[
    str, typer.Argument(metavar="RULESET", help="A name such as chatra/2008-02, or a YAML file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
Moves = Annotated[
    str, typer.Option("--moves", metavar="MOVES", help="Moves from the start, with spaces between.", show_default=False)
]

Position = Annotated[
    str,
    typer.Option(
        metavar="POSITION",
        help="Begin from a position: FEN (chess, draughts), rows (star), or YAML in braces.",
        show_default=False,
    ),
]
Run = Annotated[
    str,
    typer.Option("--run", metavar="PLACE", help="With --position in 007 chess: 3/2 is ply 2 of 3.", show_default=False),
]


def _folder(words: str) -> Path:
    """A folder that was named; the empty name would be the current folder."""
    if not words.strip():
        raise typer.BadParameter("expected a folder, found an empty name")
    return Path(words)


Out = Annotated[
    Path | None,
    typer.Option(parser=_folder, metavar="DIR", help="The report folder.", show_default="reports/EXPERIMENT"),
]
IntoExisting = Annotated[
    bool,
    typer.Option("--into-existing", help="Also a folder that holds other things; none of them is replaced."),
]


class Language(StrEnum):
    """What a report opens in."""

    ENGLISH = "en"
    JAPANESE = "ja"


Lang = Annotated[
    Language | None,
    typer.Option(
        help="The language in which the report opens, and that of its pictures; its reader may switch.",
        show_default="that of the reader's browser; pictures: en",
    ),
]


@app.callback(invoke_without_command=True)
def _top(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        import workbench

        typer.echo(f"workbench {workbench.__version__}")
        raise typer.Exit


@app.command(
    epilog=_examples(
        "workbench run quickstart",
        "workbench run experiments/chatra-proposals.yaml --workers 4",
        "workbench run chatra-proposals --games 100  a quick look, kept apart from the experiment's own records",
        "workbench run quickstart --fresh --yes      deletes its records and plays again",
        "workbench run quickstart --out /tmp/first-look",
    )
)
def run(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or the stem of its name.")],
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes.", show_default="one for each core")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the records of earlier runs first; asks.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fresh: do not ask.")] = False,
    out: Out = None,
    into_existing: IntoExisting = False,
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
    lang: Lang = None,
) -> None:
    """Plays the games of an experiment and shows what came out.

    Every finished block of games is on disk: the same command again continues a run that was stopped in any way, and
    plays only what is missing. The records do not depend on the number of workers. Tables go to the terminal, and
    with charts to the report folder.
    """
    from workbench.files import project
    from workbench.files.yamlfile import shown
    from workbench.questions import experiment as experiments
    from workbench.questions.design import grouped
    from workbench.run import runner

    where = project.find()
    loaded = experiments.load(experiments.path_of(experiment, where), where)
    asked = loaded.games
    if count:
        loaded = experiments.quick(loaded, count)
    folder = out or _report_folder(where.reports, loaded.name)
    if fresh:
        _confirm_fresh(runner.own_files(folder), shown(folder), yes)
    cells = len(loaded.cells())
    typer.echo(loaded.title)
    typer.echo(
        f"{len(loaded.rulesets)} rulesets x {len(loaded.pairings)} pairings of agents = {cells} cells, "
        f"{'at most ' if loaded.sequential else ''}{loaded.games:,} games each: {cells * loaded.games:,} games "
        f"-> {shown(folder)}"
    )
    if count:
        typer.echo(
            f"A quick look: {count:,} games a cell instead of the {asked:,} of the file, kept apart from its run."
        )
    for group in grouped(loaded.left_out):
        which = f"{group.count} combinations with {group.shared}" if group.count > 1 else group.shared
        typer.echo(f"Left out: {which}: {group.reason}")
    from workbench.run import planning
    from workbench.store import provenance

    found_before = provenance.read(folder)
    for line in planning.outlook(loaded, None if fresh else found_before):
        typer.echo(line)
    _say_if_compiling("trials._play_block")
    again = ["workbench", "run", experiment]
    again += ["--workers", str(workers)] if workers else []
    again += ["--games", str(count)] if count else []
    again += ["--out", str(out)] if out else []
    console = _console()
    found = runner.run(
        loaded,
        folder,
        workers=workers,
        fresh=fresh,
        into_existing=into_existing,
        command=shlex.join(again),
        console=console,
    )
    if found.played:
        typer.echo(f"Played {found.played:,} games.")
    _report(folder, console, lang)


def _report_folder(reports: Path, name: str) -> Path:
    """The folder of an experiment among the reports, which no link leads elsewhere.

    A folder of rulesets that was copied from somebody else may hold links.
    """
    from workbench.files.yamlfile import InputError, Problem, shown

    folder = reports / name
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(reports.parent)):
        message = f"a link leads out of the project folder, to {os.path.realpath(folder)}"
        raise InputError([Problem(shown(folder), None, None, message, "to write there, name it with --out")])
    return folder


def _confirm_fresh(files: list[Path], folder: str, yes: bool) -> None:
    """Asks whether to delete the files of earlier runs, if there are any."""
    if yes or not files:
        return
    if not sys.stdin.isatty():
        typer.echo(f"--fresh would delete {len(files)} files in {folder}: confirm with --yes", err=True)
        raise typer.Exit(BAD_INPUT)
    if not typer.confirm(f"Delete the records of earlier runs in {folder} ({len(files)} files)?"):
        typer.echo("Nothing was deleted.")
        raise typer.Exit(1)


@app.command(
    epilog=_examples(
        "workbench plan chatra-proposals",
        "workbench plan quickstart --gain 0.05 --workers 16",
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
        int | None, typer.Option(min=1, max=4096, help="Processes of the run.", show_default="one for each core")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tells beforehand how many games, and how long.

    A short pilot measures speed, draws and games that are stopped. Shares: 0.05 is five points. Nothing is kept.
    """
    from workbench.files import project
    from workbench.questions import experiment as experiments

    where = project.find()
    loaded = experiments.load(experiments.path_of(experiment, where), where)
    _say_if_compiling("trials._play_block")
    from workbench.run import planning

    made = planning.plan(loaded, seconds, workers, precision or (), gain or ())
    if as_json:
        _json(made.as_json())
        return
    planning.show(made, loaded.title, _console())


@app.command(
    epilog=_examples("workbench report reports/quickstart", "workbench report quickstart --lang ja      日本語で開く")
)
def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that a run wrote, or its name in reports/.")],
    lang: Lang = None,
) -> None:
    """Writes the report of a folder again.

    report.html is one file to open or to send around; it speaks English and Japanese. Works for a run that is not
    finished, too: it then tells of the games that are there. Nothing new is played.
    """
    from workbench.files import project
    from workbench.files.yamlfile import InputError, Problem, guess

    reports = project.find().reports
    path = _folder(folder)
    if not path.is_dir() and (reports / folder).is_dir():
        path = reports / folder
    if not path.is_dir():
        known = [one.name for one in sorted(reports.iterdir()) if one.is_dir()] if reports.is_dir() else []
        hint = guess(path.name, known, "there are") or "workbench run makes one"
        raise InputError([Problem(folder, None, None, "there is no such report folder", hint)])
    _report(path, _console(), lang)


def _report(folder: Path, console: Console, lang: Language | None) -> None:
    from workbench import report as reports
    from workbench.files.yamlfile import shown

    written = reports.write(folder, lang.value if lang else None)
    for note in written.notes:
        typer.echo(note, err=True)
    reports.terminal(written, console)
    typer.echo("")
    for path in written.files:
        typer.echo(f"wrote {shown(path)}")


@app.command(
    epilog=_examples(
        "workbench check                              everything in rulesets/ and experiments/",
        "workbench check rulesets/chatra/my-idea.yaml",
        "workbench check chatra/C+D quickstart",
    )
)
def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]...", help="Files, folders or names.", show_default="all of the project"),
    ] = None,
) -> None:
    """Checks rulesets and experiments and prints every problem.

    A problem names the file, the line and the key, what was expected and what was found. The exit code is 2 if there
    is any.
    """
    from workbench.files import project
    from workbench.files.yamlfile import InputError
    from workbench.questions import workspace

    fine, problems = workspace.check(files or [], project.find())
    typer.echo(f"{fine} {'file is' if fine == 1 else 'files are'} fine.")
    if problems:
        raise InputError(problems)


@app.command(epilog=_examples("workbench rules chatra"))
def rules(game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as chatra.")]) -> None:
    """Lists everything that a ruleset of a game may set.

    Each toggle with all its values, what each value says in the rule book, the default (starred), and where the rule
    comes from.
    """
    from workbench.questions import rulebook

    _lines(rulebook.rules(rulebook.family(game)))


@app.command(epilog=_examples("workbench show chatra/C+D", "workbench show chatra/2008-02 --json"))
def show(ruleset: RulesetName, as_json: AsJson = False) -> None:
    """Shows a ruleset: settings, plain rules, changes.

    What differs is told against each ruleset that it extends and against the game's default. Rulesets with the same
    fingerprint are the same rules.
    """
    from workbench.questions import rulebook

    found = _ruleset(ruleset)
    if as_json:
        _json(rulebook.show_json(found))
    else:
        _lines(rulebook.show(found))


@app.command(epilog=_examples("workbench diff chatra/2007-09 chatra/2008-02", "workbench diff chatra/A my-idea.yaml"))
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A ruleset or YAML file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> None:
    """Shows what two rulesets of a game set differently.

    Each toggle with both settings and what they say in the rule book.
    """
    from workbench.questions import rulebook

    _lines(rulebook.diff(_ruleset(a), _ruleset(b)))


class Kind(StrEnum):
    """What there are schemas for."""

    RULESET = "ruleset"
    EXPERIMENT = "experiment"


@app.command(
    epilog=_examples(
        "workbench schema ruleset",
        "workbench schema experiment > experiment.schema.json",
        "workbench schema --write      into rulesets/ and experiments/, where the files look for them",
    )
)
def schema(
    kind: Annotated[Kind | None, typer.Argument(help="Of what; both if left out.", show_default=False)] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the files instead of printing.")] = False,
) -> None:
    """Prints the JSON Schemas of ruleset and experiment files.

    Editors complete and explain from them. Without a kind it prints one object that holds both.
    """
    from workbench.files import project
    from workbench.files.yamlfile import shown
    from workbench.questions import workspace

    where = project.find()
    kinds = [kind.value] if kind else [each.value for each in Kind]
    if write:
        for path in workspace.write_schemas(where, kinds):
            typer.echo(f"wrote {shown(path)}")
        return
    found = workspace.schemas(where)
    typer.echo(json.dumps(found[kind.value] if kind else found, indent=2, ensure_ascii=False))


@app.command(
    epilog=_examples(
        "workbench moves chatra/2007-09",
        'workbench moves chatra/2007-09 --moves "f9 Ok2"',
        'workbench moves chatra/9x9 --moves "a1" --json',
        'workbench moves chess/007 --position "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" --run 3/1',
    )
)
def moves(
    ruleset: RulesetName, played: Moves = "", position: Position = "", run: Run = "", as_json: AsJson = False
) -> None:
    """Lists the legal moves of a position.

    The position is given by the moves that led to it, or by itself. JSON: {"ruleset", "ply", "seat", "moves", "result",
    "termination"}; ply counts the moves played, result and termination are null while the game goes on.
    """
    from workbench.engine import contract
    from workbench.games.game_state import RESULTS, SEATS

    found = _ruleset(ruleset)
    game_state = _session(found, played, position, run)
    result, termination = game_state.outcome()
    over = result != contract.ONGOING
    legal = game_state.legal_texts()
    if as_json:
        _json(
            {
                "ruleset": found.name,
                "ply": game_state.plies,
                "seat": SEATS[game_state.seat],
                "moves": legal,
                "result": RESULTS[result] if over else None,
                "termination": termination,
            }
        )
        return
    from workbench.console import columns
    from workbench.play.match import draw, grouped, heading

    draw(game_state, _console())
    if over:
        typer.echo(f"The game is over after {game_state.plies} plies: {RESULTS[result]} ({termination}).")
        return
    name = game_state.declaration.seats[game_state.seat]
    typer.echo(f"{name} ({SEATS[game_state.seat]}) has {len(legal)} legal moves at ply {game_state.plies + 1}.")
    for group, texts in grouped(legal).items():
        typer.echo(heading(group, len(texts)))
        typer.echo(columns(texts, "  "))


@app.command(
    epilog=_examples(
        "workbench perft chatra/2007-09 3",
        'workbench perft chatra/9x9 2 --moves "a1 Oh8" --divide',
        "workbench perft chatra/2008-02 3 --json",
    )
)
def perft(
    ruleset: RulesetName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, max=64, help="Plies.", show_default=False)],
    played: Moves = "",
    position: Position = "",
    run: Run = "",
    divide: Annotated[bool, typer.Option("--divide", help="Also the count behind each first move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Counts the sequences of legal moves from a position.

    Prints the count for 1, 2, ... DEPTH plies. The counts say whether two programs agree on the rules. JSON:
    {"ruleset", "counts"}, and with --divide also "divide", the count of DEPTH by first move.
    """
    from workbench.console import stoppable
    from workbench.engine import contract

    found = _ruleset(ruleset)
    _say_if_compiling("perft._count")
    game_state = _session(found, played, position, run)
    over = game_state.outcome()[0] != contract.ONGOING
    counts = []
    divided = {}
    with stoppable():
        for plies in range(1, depth + 1):
            counts.append(0 if over else game_state.perft(plies))
            if not as_json:
                typer.echo(f"{plies} {counts[-1]}")
        for move in game_state.legal() if divide else []:
            text = game_state.format(move)
            game_state.push(move)
            divided[text] = game_state.perft(depth - 1)
            game_state.undo()
            if not as_json:
                typer.echo(f"{text}: {divided[text]}")
    if as_json:
        _json({"ruleset": found.name, "counts": counts} | ({"divide": divided} if divide else {}))


@app.command(
    epilog=_examples(
        "workbench play chatra/2008-02 --first human --second alphabeta-3",
        "workbench play chatra/A --first greedy --second mcts:simulations=200 --games 5",
        "workbench play chatra/C --first random --second random --games 1000 --seed 7 --json > games.jsonl",
        "workbench play chatra/C --seed 12 --legal --json     game 5 of --seed 7, with its choices",
        "workbench play star/default --first human --explain  what every move leads to",
        "workbench play chess/007 --games 10 --export games.pgn",
    )
)
def play(
    ruleset: RulesetName,
    first: Annotated[str, typer.Option(metavar="AGENT", help="Who sits first: an agent, or human.")] = "greedy",
    second: Annotated[str, typer.Option(metavar="AGENT", help="Who sits second: an agent, or human.")] = "greedy",
    count: Annotated[int, typer.Option("--games", min=1, max=10_000_000, help="Games to play.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Game k (from 0) has the seed SEED + k.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, max=MOST_PLIES, help="Games are stopped here.")] = 400,
    as_json: AsJson = False,
    legal: Annotated[bool, typer.Option("--legal", help="With --json: also the legal moves before each ply.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each legal move leads to (games that can be solved).")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the games to a file: PGN of chess, PDN of draughts."),
    ] = None,
) -> None:
    """Plays single games, between agents or with you.

    Agents are random, greedy, alphabeta, mcts and optimal, with options as in alphabeta:depth=3,temperature=0.2, or
    written as tables call them: alphabeta-3, mcts-400, greedy-centre. The
    same seed and agents give the same game, here and in an experiment. As a human you see the board and type moves;
    help, moves, undo, board, rules, draw, resign and quit are at your service, and a move that is not allowed is told
    why. JSON: one object a line, {"game", "seed", "moves", "result", "termination", "plies"}.
    """
    from workbench import games
    from workbench.questions import workspace

    found = _ruleset(ruleset)
    family = games.declaration(found.game)
    players = [_player(words, family, f"--{seat}") for seat, words in (("first", first), ("second", second))]
    if legal and not as_json:
        raise typer.BadParameter("the legal moves are printed with --json only", param_hint="--legal")
    one, two = players
    kind = getattr(games.notation(found.game), "EXPORT", "") if export else ""
    if export and not kind:
        raise typer.BadParameter(f"there is no format for games of {found.game}; use --json", param_hint="--export")
    if export and (problem := workspace.cannot_write_new(export)):
        raise typer.BadParameter(problem, param_hint="--export")
    if one is None or two is None:
        if as_json or export or count > 1:
            message = "a human plays one game at a time, without --json and --export"
            raise typer.BadParameter(message, param_hint="human")
        _say_if_compiling("advice._advise")
        from workbench.play.match import Match

        Match(found, (one, two), seed, max_plies, _console(), _line, _solution(found) if explain else None).play()
        return
    _say_if_compiling("trials._play_block")
    from workbench.play.match import between_agents, explanation, exported, show_end

    solution = _solution(found) if explain else None
    written = []
    for game in between_agents(found, one, two, seed, count, max_plies, legal, solution):
        if export:
            written.append(exported(found, game, one.label, two.label))
        if as_json:
            _json(game.as_json())
            continue
        for ply, (move, values) in enumerate(zip(game.moves, game.values or (), strict=False), start=1):
            typer.echo(f"ply {ply}: {move}")
            for line in explanation(values):
                typer.echo(line)
        typer.echo(
            f"game {game.game} (seed {game.seed}): {game.result} ({game.termination}), {len(game.moves)} plies: "
            f"{' '.join(game.moves)}"
        )
        if count == 1:
            show_end(found, game, _console())
    if export:
        from workbench.files import output

        output.write(Path(os.path.realpath(export)), "\n".join(written).encode(), new=True)
        typer.echo(f"wrote {len(written):,} games as {kind} to {export}", err=as_json)


def _solution(ruleset: Ruleset) -> tuple[Any, Any]:
    """The value of every state of a ruleset."""
    from workbench.exact import solutions
    from workbench.files import project

    return solutions.for_play(ruleset, project.find())


def _player(words: str, family: Any, where: str) -> AgentSpec | None:
    """The agent that was named; None for a human."""
    from workbench.questions import agents

    return None if words == "human" else agents.agent(words, [family], where)


def _line() -> str | None:
    """The next line that was typed; None at the end of input."""
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


@app.command(
    epilog=_examples(
        "workbench solve star/default",
        "workbench solve star/4x4 --max-states 50_000_000",
        "workbench solve star/default --save      for the agent optimal, play --explain and reports",
        "workbench solve star/no-foul --json",
    )
)
def solve(
    ruleset: RulesetName,
    max_states: Annotated[
        int, typer.Option(parser=_whole, metavar="N", help="Give up beyond so many states.", show_default="2_000_000")
    ] = 2_000_000,
    save: Annotated[bool, typer.Option("--save", help="Keep the solution in reports/solutions/.")] = False,
    as_json: AsJson = False,
) -> None:
    """Solves a small game exactly, for best and random play.

    Lists every state that can be reached, values them backwards from the finished ones (what neither side can force
    to a win is a draw), and follows the probabilities of random play to the end. JSON: {"value", "plies", "positions",
    "states", "transitions", "terminals", "random": {"first", "second", "draw", "plies"}}.
    """
    from rich.console import Console

    from workbench.exact import solutions
    from workbench.files import project
    from workbench.files.yamlfile import shown

    found = _ruleset(ruleset)
    _say_if_compiling("solver.expand")
    with Console(stderr=True).status("Listing the states") as status:
        solution = solutions.solve(
            found, max_states, lambda done, all_: status.update(f"{all_:,} states found, {done:,} looked at")
        )
    exact = solution.exact
    files = solutions.save(solution, found, project.find()) if save else []
    if as_json:
        _json(exact.as_json())
        return
    _lines(solutions.told(exact, found))
    for path in files:
        typer.echo(f"wrote {shown(path)}")


@app.command(epilog=_examples("workbench calibrate", "workbench calibrate --games 100_000 --out /tmp/calibration"))
def calibrate(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Random pairings of rulesets that can be solved.")
    ] = "calibration",
    count: Annotated[
        int | None,
        typer.Option("--games", parser=_whole, metavar="N", help="Games per cell.", show_default="as the file says"),
    ] = None,
    out: Out = None,
    into_existing: IntoExisting = False,
) -> None:
    """Checks the estimates against games solved exactly.

    Plays random games of rulesets whose true values are known.

    Writes a short page with a table and a picture. The exit code is 1 if honest games disagree with the exact values,
    or if slightly biased ones do not.
    """
    import dataclasses

    from rich.console import Console

    from workbench.exact import calibration
    from workbench.files import output, project
    from workbench.files.yamlfile import shown
    from workbench.questions import experiment as experiments
    from workbench.report import calibration as pages

    where = project.find()
    loaded = experiments.load(experiments.path_of(experiment, where), where)
    if count:
        loaded = dataclasses.replace(loaded, games=count)
    place = out or _report_folder(where.reports, loaded.name)
    folder = output.claim(place, pages.FILES, into_existing=into_existing)
    _say_if_compiling("trials._play_block")
    with Console(stderr=True).status("Solving and playing") as status:
        found = calibration.calibrate(loaded, lambda done, total: status.update(f"{done} of {total} cells"))
    for path in (written := pages.write(found, folder)):
        typer.echo(f"wrote {shown(path)}")
    page = written[0].read_text(encoding="utf-8")
    typer.echo("\n".join(line.replace("**", "") for line in page.splitlines() if line.startswith("* ")))
    if not found.passed:
        typer.echo("The estimates do not agree with the exact values as they should.", err=True)
        raise typer.Exit(1)


@app.command(
    epilog=_examples(
        "workbench bench",
        "workbench bench chatra/9x9 chatra/15x15 --agents random --agents alphabeta:depth=2",
        "workbench bench --seconds 1 --json",
    )
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
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="For each ruleset and agent.")] = 3.0,
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

    Games, plies, searched positions (nodes) and simulations a second. Every agent plays itself. After a warm-up the
    same games are played in several rounds, and the fastest round counts.

    --vs chess measures random games of orthodox chess and perft, here and in python-chess, in the same run.
    """
    from workbench.files import project
    from workbench.questions import agents

    where = project.find()
    specs = [agents.agent(word, (), "--agents") for words in which or [] for word in words.split()]
    found = [_ruleset(name) for name in names or []]
    _say_if_compiling("trials._play_block")
    from workbench.run import bench as benches

    machine = benches.machine()
    if versus is not None:
        rows = [one.as_json() for one in benches.versus(versus, seconds)]
        about = {"other": versus, "versus": rows}
    else:
        specs = specs or [agents.agent(words) for words in benches.AGENTS]
        some = found or benches.defaults(where)
        rows = [benches.measure(ruleset, spec, seconds).as_json() for ruleset in some for spec in specs]
        about = {"speeds": rows}
    if as_json:
        _json({"machine": machine, "seconds": seconds} | about)
    else:
        _console().print(benches.table(machine, rows, versus or ""))


@app.command(
    epilog=_examples(
        "workbench signature",
        "workbench signature > tests/signature.txt",
        "workbench signature --check tests/signature.txt",
    )
)
def signature(
    against: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Compare with a file; exit code 1 if lines differ."),
    ] = None,
) -> None:
    """Prints hashes of fixed games, to show changed behaviour.

    There is a line for each ruleset and agent. A line changes if and only if behaviour does: the rules, the agents,
    their weights or the random numbers.
    """
    from workbench.files import project
    from workbench.files.yamlfile import content_of
    from workbench.questions import rulesets

    wanted = content_of(against, "file of hashes").decode("utf-8", "replace").splitlines() if against else None
    found = rulesets.load_all(project.find())
    _say_if_compiling("trials._play_block")
    from workbench.run.bench import signature as lines

    if wanted is None:
        _lines(lines(found))
        return
    have = list(lines(found))
    differing = [f"- {line}" for line in wanted if line not in have]
    differing += [f"+ {line}" for line in have if line not in wanted]
    _lines(iter(differing))
    if differing:
        typer.echo(f"Behaviour differs from {against}: - is the file, + is now.", err=True)
        raise typer.Exit(1)
    typer.echo(f"All {len(have)} lines are as in {against}.")


@app.command(
    epilog=_examples(
        "workbench new free-drops --from chatra/2008-02",
        'workbench new free-drops --from chatra/2008-02 --title "Drops next to subjects are allowed"',
        "workbench new my-question --experiment --from chatra/C     C against what it extends",
        "workbench new my-question --experiment --from quickstart   what the quickstart asks, to be changed",
    )
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new file's name, without an ending.")],
    parent: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="RULESET",
            help="What it starts from; of an experiment also an experiment.",
            show_default="quickstart, for an experiment",
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Its title in a line.", show_default=False)] = "",
    experiment: Annotated[bool, typer.Option("--experiment", help="An experiment instead of a ruleset.")] = False,
) -> None:
    """Writes a ruleset that extends another one, or an experiment.

    It is there to be filled in: every toggle that may be set, or every key, stands in it as a comment that says what
    it does. An existing file is never touched.
    """
    from workbench.files import project
    from workbench.files.yamlfile import shown
    from workbench.questions import workspace

    where = project.find()
    if experiment:
        path = workspace.new_experiment(name, parent or "quickstart", title, where)
        typer.echo(f"wrote {shown(path)}")
        typer.echo(f"Next: change it in an editor, then: workbench check {path.stem} && workbench run {path.stem}")
        return
    if not parent:
        raise typer.BadParameter("a ruleset starts from another one: name it", param_hint="--from")
    found = _ruleset(parent)
    path = workspace.new(name, found, title, where)
    full = f"{found.game}/{path.stem}"
    typer.echo(f"wrote {shown(path)}")
    typer.echo(f"Next: change it in an editor, then: workbench check {full} && workbench diff {found.name} {full}")


@app.command(epilog=_examples("workbench init my-rules", "cd my-rules && workbench run quickstart"))
def init(
    directory: Annotated[Path, typer.Argument(parser=_folder, metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Makes a working folder with the shipped files.

    These are the rulesets and experiments that come with the workbench, and the schemas for editors. A folder that
    was made so before gets what is missing in it; nothing is ever overwritten.
    """
    from workbench.files.yamlfile import shown
    from workbench.questions import workspace

    written, kept = workspace.init(directory)
    before = f" ({kept} were there before)" if kept else ""
    typer.echo(f"wrote {written} files to {shown(directory)}{before}")
    typer.echo(f"Next: cd {shlex.quote(shown(directory))} && workbench run quickstart")


def _ruleset(name: str) -> Ruleset:
    from workbench.questions import rulesets

    return rulesets.load(name)


def _session(ruleset: Ruleset, played: str, position: str = "", run: str = "") -> GameState:
    """A game after some moves, which are checked one by one, from the start or from a position."""
    _say_if_compiling("kernel.legal_moves")
    from workbench.games.game_state import GameState, setup_of

    game_state = GameState(ruleset.game, tuple(ruleset.codes().values()), setup_of(ruleset.game, position, run))
    for text in played.split():
        game_state.push_text(text)
    return game_state


def _console() -> Console:
    import os

    from rich.console import Console

    # A pipe or file has no edge at which a table would have to be cropped, unless the user says so.
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else UNBOUNDED
    return Console(highlight=False, width=None if sys.stdout.isatty() else width)


def _say_if_compiling(function: str) -> None:
    """Says on stderr that the first use takes a while, if it will."""
    from workbench.engine import jit

    if jit.must_compile(function):
        when = "first run only"
        if jit.NO_CACHE:
            when = f"by every command, for the machine code cannot be kept: {jit.NO_CACHE}"
        typer.echo(f"compiling ({when}; may take a minute)…", err=True)


def _json(content: Any) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False))


def _lines(lines: Iterator[str]) -> None:
    for line in lines:
        typer.echo(line)


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A terminal or pipe that cannot show or read a sign gets a question mark, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()
