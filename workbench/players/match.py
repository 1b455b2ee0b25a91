"""Single games at the terminal, between agents or with a person, and their export.

Records contain the seeds of games instead of their moves: the engine replays them, and a hash of the moves shows
whether the game is still the same.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import games
from workbench.base.addons import addons
from workbench.base.console import stoppable, wrapped
from workbench.base.errors import nearest
from workbench.base.language import join, tr, translated
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments
from workbench.games.declaration import Board
from workbench.games.results import RESULTS, SEATS, all_endings, with_sides
from workbench.players import library
from workbench.players.agents import AgentSpec
from workbench.players.external import ExternalPlayer, SeatPlayer, WorkbenchPlayer, block_runner, open_player
from workbench.positions.game_state import GameState, without_swap
from workbench.rules.rulesets import Ruleset

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


MOST_SEEDS = 2**64
_ORIGIN = re.compile(r"([A-Z]?[a-z]+[0-9]+|[0-9]+)[-x:]")

COMMANDS = {
    "help": tr("this list"), "moves": tr("all legal moves; 'moves e4': only those starting with e4"),
    "board": tr("the board again"), "undo": tr("takes back your last move and the reply"),
    "rules": tr("shows the rules of this ruleset"),
    "draw": tr("offers a draw; agents decline, a person at the same keyboard answers"),
    "resign": tr("resigns the game"), "quit": tr("quits without a result"),
}  # fmt: skip


@dataclass(frozen=True)
class Played:
    """A finished game."""

    game: int
    seed: int
    codes: tuple[int, ...]
    """The moves as numbered by the engine."""
    moves: tuple[str, ...]
    result: str
    termination: str
    legal: tuple[tuple[str, ...], ...] | None = None
    """The legal moves before each ply, if requested."""
    values: tuple[dict[str, str], ...] | None = None
    """The value of each legal move before each ply, best first, if requested."""

    def as_json(self) -> dict[str, Any]:
        """Return the output of ``workbench play --json``."""
        data = {name: getattr(self, name) for name in ("game", "seed", "moves", "result", "termination")}
        data |= {"moves": list(self.moves), "plies": len(self.moves)}
        if self.legal is not None:
            data["legal"] = [list(moves) for moves in self.legal]
        return data if self.values is None else {**data, "values": list(self.values)}


def games_between(
    ruleset: Ruleset, first: AgentSpec, second: AgentSpec, seed: int, count: int, max_plies: int,
    with_legal_moves: bool = False, solution: tuple[Any, Any] | None = None, opening: Sequence[int] = (),
) -> Iterator[Played]:  # fmt: skip
    """Yield games between two agents; game k has the seed ``seed + k`` (mod 2**64), as in an experiment.

    A ``solution`` adds the outcome of every legal move. The moves of the ``opening`` are played first.
    """
    family = games.declaration(ruleset.game)
    codes = ruleset.codes()
    endings = all_endings(family)
    players = [library.engine_player(agent, ruleset) for agent in (first, second)]
    play = block_runner(first, second, ruleset)
    size = min(first.block_size(), second.block_size(), 100)
    for start in range(0, count, size):
        seeds = np.array([(seed + k) % MOST_SEEDS for k in range(start, min(start + size, count))], np.uint64)
        with stoppable():
            lines = np.tile(np.array(opening, np.int32), (len(seeds), 1))
            arrays = play(
                BlockArguments(ruleset.game, codes, players[0], players[1], seeds, max_plies, max_plies, None, lines)
            )
        for i, game_seed in enumerate(seeds.tolist()):
            game_state, legal_moves, outcomes = GameState(ruleset.game, codes), [], []
            for move in arrays["opening"][i, : arrays["plies"][i]]:
                if with_legal_moves:
                    legal_moves.append(tuple(game_state.legal_texts()))
                if solution:
                    outcomes.append(move_outcomes(game_state, solution))
                game_state.push(int(move))
            yield Played(
                game=start + i, seed=game_seed, codes=tuple(game_state.played), moves=tuple(game_state.texts),
                result=RESULTS[int(arrays["result"][i])], termination=endings[int(arrays["termination"][i])].name,
                legal=tuple(legal_moves) if with_legal_moves else None, values=tuple(outcomes) if solution else None,
            )  # fmt: skip


def move_outcomes(game_state: GameState, solution: tuple[Any, Any]) -> dict[str, str]:
    """Return the outcome of each legal move with best play afterwards, best first."""
    seats = game_state.declaration.seats
    valued_moves = library.moves_with_values(game_state, solution)
    return {text: library.describe_value(value, seats, played=1) for text, value in valued_moves}


def outcome_lines(outcomes: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each outcome with its moves, best first."""
    for outcome, group in itertools.groupby(outcomes.items(), key=lambda item: item[1]):
        yield wrapped("  ".join(move for move, _ in group), f"  {translated(outcome)}: ", "      ")


def export_game(ruleset: Ruleset, played: Played, first: str, second: str, date: str = "") -> str:
    """Return a game in the family's exchange format (PGN, PDN), dated if the date of its run is known."""
    tags = {"Date": date} if date else {}
    tags |= {"Round": str(played.game + 1), "Termination": played.termination, "Seed": str(played.seed)}
    return export_moves(ruleset, played.codes, played.moves, played.result, first, second, tags)


def export_moves(
    ruleset: Ruleset, codes: Sequence[int], moves: Sequence[str], result: str, first: str, second: str,
    tags: Mapping[str, str], setup: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """Return a game from the start or a ``setup`` in the family's exchange format, with extra ``tags``."""
    family = games.declaration(ruleset.game)
    variant = addons().name_variant(ruleset=ruleset)
    all_tags = {"Event": f"{ruleset.title} ({ruleset.name})", "Site": "rule workbench", **variant, **tags}
    rules = trials.make_rules(ruleset.game, ruleset.codes())
    if contract.SWAP in codes:
        # The exported game names the player of each side of the board, so the swap itself is omitted.
        ply = list(codes).index(contract.SWAP)
        all_tags["Swap"] = f"after ply {ply}"
        codes, moves = without_swap(codes), [*moves[:ply], *moves[ply + 1 :]]
        result, first, second = RESULTS[with_sides(RESULTS.index(result), True)], second, first
    players = tuple(f"{label} ({seat!s})" for label, seat in zip((first, second), family.seats, strict=True))
    return str(games.notation(ruleset.game).export(rules, codes, moves, result, players, all_tags, setup))


def print_final_position(ruleset: Ruleset, played: Played, console: Console) -> None:
    """Print the last position of a game."""
    game_state = GameState(ruleset.game, ruleset.codes())
    for move in played.codes:
        game_state.push(move)
    print_position(game_state, console)


def print_position(game_state: GameState, console: Console) -> None:
    """Print the position with the cells of the last move marked."""
    console.print(position_text(game_state.board(), game_state.touched()))


def group_moves(moves: Iterable[str]) -> dict[str, list[str]]:
    """Return moves grouped by their origin, or else by the capital letters before the target.

    >>> group_moves(["f9", "e12-e2", "Ok2", "e12-f12"])
    {'': ['f9'], 'e12': ['e12-e2', 'e12-f12'], 'O': ['Ok2']}
    """
    groups: dict[str, list[str]] = {}
    for move in moves:
        origin = _ORIGIN.match(move)
        capitals = re.match("[A-Z]*", move)
        assert capitals
        groups.setdefault(origin[1] if origin else capitals[0], []).append(move)
    return groups


def group_heading(group: str, count: int) -> str:
    """Return the heading of a group of moves."""
    return f"{group}… ({count})" if group else tr("to a square ({count})", count=count)


@dataclass
class Match:
    """A game with at least one person, who types moves and commands."""

    ruleset: Ruleset
    players: tuple[AgentSpec | None, AgentSpec | None]
    """The first and the second seat; None for a person."""
    seed: int
    """Determines the agents' moves, together with the previous moves."""
    max_plies: int
    console: Console
    ask: Callable[[], str | None]
    """Returns the next typed line; None at the end of input."""
    solution: tuple[Any, Any] | None = None
    """The value of every state, to show the outcome of each move."""
    opening: Sequence[str] = ()
    """Legal moves that are played first and cannot be undone."""

    def __post_init__(self) -> None:
        self.family = games.declaration(self.ruleset.game)
        self.game_state = GameState(self.ruleset.game, self.ruleset.codes())
        for text in self.opening:
            self.game_state.push_text(text)
        self.movers: list[int] = []
        """The seats that made the moves after the opening."""

    def play(self) -> None:
        """Play until the game ends or a person resigns or quits."""
        seats: list[SeatPlayer | None] = []
        with contextlib.ExitStack() as stack:
            for seat, agent in enumerate(self.players):
                player: SeatPlayer | None = None
                if agent and (outsider := ExternalPlayer.of(agent, self.ruleset)):
                    player = stack.enter_context(open_player(outsider))
                elif agent:
                    player = WorkbenchPlayer(library.engine_player(agent, self.ruleset), self.max_plies)
                if player:
                    player.new_game(seat, self.seed)
                seats.append(player)
            self._play(seats)

    def _play(self, seats: Sequence[SeatPlayer | None]) -> None:
        self.say(join(": ", (self.ruleset.name, self.ruleset.heading)))
        self.print_seats()
        if self.game_state.texts:
            self.say(tr("  after {moves}", moves=" ".join(self.game_state.texts)))
        self.say(tr("Type a move, or 'help'."))
        for line in self.notation():
            self.say(join("  ", ("", line)))
        self.board()
        while (end := self.end()) is None:
            seat = self.game_state.seat
            seated_player = seats[seat]
            if seated_player is not None:
                with stoppable():
                    move = seated_player.choose(self.game_state)
                mover = self.name(seat)
                self.game_state.push(move)
                self.say(tr("{seat} plays {move}", seat=mover, move=self.game_state.texts[-1]))
                self.finish_move(seat)
            elif not self.turn(seat):
                break
        else:
            self.say(end)
        if self.game_state.texts:
            self.say(tr("Moves: {moves}", moves=" ".join(self.game_state.texts)))

    def turn(self, seat: int) -> bool:
        """Read lines from a person until the position has changed; return False if the person quits."""
        if contract.SWAP in self.game_state.legal():
            self.say(tr("Instead of moving, you may swap sides: type 'swap'."))
        while True:
            self.console.print(
                tr("{name}, ply {ply}> ", name=self.name(seat), ply=self.game_state.plies + 1), end="", markup=False
            )
            line = self.ask()
            if line is None:
                self.console.print()
                self.say(tr("End of input: the game ends without a result."))
                return False
            command, _, argument = line.strip().partition(" ")
            match command.casefold():
                case "":
                    continue
                case "quit" | "exit":
                    self.say(tr("The game ends without a result."))
                    return False
                case "resign":
                    message = tr("{loser} resigns: {winner} ({order}) wins.")
                    self.say(message.format(loser=self.name(seat), winner=self.name(1 - seat), order=SEATS[1 - seat]))
                    return False
                case "draw":
                    if self.offer_draw(seat):
                        return False
                case "undo":
                    if self.undo():
                        return True
                case "moves":
                    self.moves(argument.strip())
                case "board":
                    self.board()
                case "rules":
                    for sentence in self.ruleset.text():
                        self.say(wrapped(sentence, "  - ", "    "))
                case "help" | "?":
                    self.help()
                case _:
                    if self.play_typed_move(seat, line.strip()):
                        return True

    def offer_draw(self, seat: int) -> bool:
        """Offer a draw to the other seat; return whether it is accepted."""
        other, accepted = self.name(1 - seat), False
        if self.players[1 - seat] is None:
            self.console.print(tr("{other}, do you accept a draw? (yes/no) ", other=other), end="", markup=False)
            accepted = (self.ask() or "").strip().casefold() in ("y", "yes")
        self.say(tr("The game is a draw by agreement.") if accepted else tr("{other} declines.", other=other))
        return accepted

    def play_typed_move(self, seat: int, text: str) -> bool:
        """Play a typed move and return True, or report why it is illegal and return False."""
        game_state = self.game_state
        reason = game_state.why_not(text)
        if not reason:
            game_state.push(game_state.parse(text))
            self.finish_move(seat)
            return True
        self.say(tr("Not allowed: {reason}", reason=reason))
        if near := nearest(text, COMMANDS):
            self.say(tr("Did you mean the command '{near}'?", near=near))
        return False

    def finish_move(self, seat: int) -> None:
        """Record who made the last move, and show the position and, after a swap, the sides."""
        self.movers.append(seat)
        if self.game_state.played[-1] == contract.SWAP:
            self.print_seats()
        self.board()

    def print_seats(self) -> None:
        """Print the side of each player."""
        for seat, player in enumerate(self.players):
            self.say(tr("  {seat}: {player}", seat=self.name(seat), player=player.label if player else tr("you")))

    def undo(self) -> bool:
        """Undo moves through the last one by a person; return False if no person has moved."""
        if not any(self.players[seat] is None for seat in self.movers):
            self.say(tr("There is no move to take back."))
            return False
        while True:
            self.game_state.undo()
            if self.players[self.movers.pop()] is None:
                break
        self.board()
        return True

    def end(self) -> str | None:
        """Return a sentence on how the game ended, or None if it is still in progress."""
        result, termination = self.game_state.outcome()
        sentences = {ending.name: ending.sentence for ending in all_endings(self.family).values()}
        if result == contract.DRAW:
            message = tr("The game is a draw ({termination}). {sentences}")
            return message.format(termination=termination, sentences=sentences[str(termination)])
        if result != contract.ONGOING:
            winner = self.game_state.result - contract.FIRST
            message = tr("{name} ({order}) wins ({termination}). {sentences}")
            fields = {"name": self.name(winner), "order": SEATS[winner], "termination": termination}
            return message.format(**fields, sentences=sentences[str(termination)])
        if self.game_state.plies >= self.max_plies:
            return tr("The game is stopped after {max_plies} plies, without a result.", max_plies=self.max_plies)
        return None

    def moves(self, prefix: str) -> None:
        """Print the legal moves that begin with ``prefix``."""
        legal = self.game_state.legal_texts()
        matching = [move for move in legal if move.startswith(prefix)]
        if not matching:
            message = tr(
                "No legal move starts with '{prefix}'. There are {count} legal moves; type 'moves' to list them."
            )
            self.say(message.format(prefix=prefix, count=len(legal)))
            return
        for group, moves in group_moves(matching).items():
            self.say(group_heading(group, len(moves)))
            self.say(wrapped("  ".join(moves), "  "))

    def help(self) -> None:
        """Print the commands and the notation."""
        for command, meaning in COMMANDS.items():
            self.say(join("", (f"  {command:8}", meaning)))
        self.say(tr("Moves:"))
        for line in self.notation():
            self.say(wrapped(line, "  ", "    "))

    def notation(self) -> tuple[str, ...]:
        """Return the sentences about the notation of moves and squares."""
        return (*self.family.notation, *self.family.square_naming(self.ruleset.settings))

    def board(self) -> None:
        """Print the position, with the outcome of each legal move if the solution is known."""
        print_position(self.game_state, self.console)
        if self.solution and self.end() is None:
            for line in outcome_lines(move_outcomes(self.game_state, self.solution)):
                self.say(line)

    def name(self, seat: int) -> str:
        """Return the name of the side that a seat plays."""
        return self.family.seats[seat ^ self.game_state.swapped]

    def say(self, line: str) -> None:
        """Print a line without markup."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)


SHADE, MARK = "on grey15", "bold yellow"


def position_text(board: Board, marked: frozenset[tuple[int, int]] = frozenset()) -> Text:
    """Return a position in a box: marked cells in brackets, empty shaded cells as colons, notes below."""
    from rich.cells import cell_len
    from rich.text import Text

    cells = [[f"v{symbol}" if owner == 1 else symbol for symbol, owner in row] for row in board.pieces()]
    # A Japanese character is as wide as two Latin letters.
    cell_width = 2 + max((cell_len(symbol) for row in cells for symbol in row if symbol), default=1)
    if board.hexagonal:
        cell_width += cell_width % 2
    margin = max(len(name) for name in board.rows)
    names = "".join(name.center(cell_width) for name in board.columns)
    line = "─" * (cell_width * len(board.columns))
    text = Text(no_wrap=True)
    # Each row of hexagons begins half a cell farther to the right than the one above it.
    step, wall = (cell_width // 2, " ") if board.hexagonal else (0, "│")
    top, bottom = (f"{'':{margin}} ┌{line}┐\n", f"{'':{margin}} └{line}┘\n") if not board.hexagonal else ("", "")
    text.append(f"{'':{margin}}  {names}\n{top}", "dim")
    for y, (name, row) in enumerate(zip(board.rows, cells, strict=True)):
        text.append(f"{'':{y * step}}{name:>{margin}} {wall}", "dim")
        for x, symbol in enumerate(row):
            shade = SHADE if (y, x) in board.shaded else ""
            symbol_text = symbol or (":" if shade else "·")
            style = "bold" if symbol else "dim"
            symbol_text = symbol_text.center(cell_width - 2 - cell_len(symbol_text) + len(symbol_text))
            if (y, x) in board.outside:
                text.append(" " * cell_width)
            elif (y, x) in marked:
                text.append(f"[{symbol_text}]", f"{MARK} {shade}".strip())
            else:
                text.append(f" {symbol_text} ", f"{style} {shade}".strip())
        text.append(f"{wall} {name}\n", "dim")
    text.append(f"{bottom}{'':{margin + len(cells) * step}}  {names}", "dim")
    for note in map(translated, board.notes):
        text.append(f"\n{'':{margin}}  {note}")
    return text
