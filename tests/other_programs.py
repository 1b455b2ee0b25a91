"""Moves of rulesets beside those of packages that are no dependency: ``python -m tests.other_programs [NAME …]``.

Each package is installed, pinned, in a temporary folder (it needs the package indexes: PyPI, npm). A program plays
random games by the package and writes the legal moves of every position; then the workbench follows these games. The
figures of docs/other-programs.md are what this prints. Packages that are dependencies are compared by tests.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.games.chess.engines import begin, in_uci
from tests.games.draughts.test_kernel import game_state_of
from workbench.games.declaration import Setting
from workbench.games.draughts import notation
from workbench.rules import rulesets

POSITIONS = 2000
"""How many positions of each game are compared."""
GAMES = """
import json, random, sys

def games(start, legal, play, over):
    "Random games, each a list of [legal moves, the one that is played]."
    seen = 0
    for seed in range(1_000_000):
        chance, board, plies = random.Random(seed), start(), []
        while seen < %d and len(plies) < 200 and not over(board):
            moves = legal(board)
            if not moves:
                break
            text = chance.choice(sorted(moves))
            plies.append([sorted(moves), text])
            play(board, moves[text])
            seen += 1
        yield plies
        if seen >= %d:
            return
""" % (POSITIONS, POSITIONS)  # noqa: UP031 - braces are the program's
PY_DRAUGHTS = """
import draughts
for name in {names}:
    board = getattr(draughts, name + "Board")
    names = getattr(board, "SQUARE_NAMES", None) if name in ("Russian", "Brazilian") else None
    square = lambda place: names[place] if names else str(place + 1)
    def legal(here):
        listed = [move for move in here.legal_moves if move.captured_list] or here.legal_moves
        ends = lambda move: [square(move.square_list[0]), square(move.square_list[-1])]
        return {{" ".join([*ends(move), *sorted(map(square, move.captured_list))]): move for move in listed}}
    for plies in games(board, legal, lambda here, move: here.push(move), lambda here: here.game_over):
        print(json.dumps([name, plies]))
"""
DAME = """
import dame
def legal(here):
    text = lambda move: " ".join([str(move.from_square), str(move.to_square), *sorted(map(str, move.captured))])
    return {text(move): move for move in here.legal_moves}
for plies in games(dame.Board, legal, lambda here, move: here.push(move), lambda here: here.is_game_over()):
    print(json.dumps(["international", plies]))
"""
OPEN_SPIEL = """
import chess, chess.variant, pyspiel
PROMOTED = {"E": "Q", "C": "R", "A": "B", "H": "N"}
BOARDS = {"chess": chess.Board, "crazyhouse": chess.variant.CrazyhouseBoard, "antichess": chess.variant.AntichessBoard}
for name, board in BOARDS.items():
    def move_of(other, san):
        # In crazyhouse it writes letters of their own for what was promoted, and does not tell these from others.
        if name != "crazyhouse" or san[0] not in "QRBNECAH" or "@" in san:
            return other.parse_san(san)
        kind = chess.PIECE_SYMBOLS.index(PROMOTED.get(san[0], san[0]).lower())
        text = san[1:].rstrip("+#").replace("x", "")
        (move,) = (
            move for move in other.legal_moves
            if other.piece_type_at(move.from_square) == kind and not move.drop
            and chess.SQUARE_NAMES[move.to_square] == text[-2:]
            and bool(other.promoted & chess.BB_SQUARES[move.from_square]) == (san[0] in PROMOTED)
            and all(letter in chess.SQUARE_NAMES[move.from_square] for letter in text[:-2])
        )
        return move
    def legal(here):
        state, other = here
        listed = {state.action_to_string(action): action for action in state.legal_actions()}
        if name == "antichess" and other.has_legal_en_passant():
            # Here that capture is obligatory, too.
            listed = {san: action for san, action in listed.items() if "x" in san}
        return {move_of(other, san).uci(): action for san, action in listed.items()}
    def play(here, action):
        state, other = here
        other.push(move_of(other, state.action_to_string(action)))
        state.apply_action(action)
    start = lambda: (pyspiel.load_game(name).new_initial_state(), board())
    for plies in games(start, legal, play, lambda here: here[0].is_terminal()):
        print(json.dumps([name, plies]))
"""
CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
"""How castling is written where the king goes to the rook, and here."""


class Game(NamedTuple):
    """A ruleset that plays a game of a package, what differs, and who begins there."""

    ruleset: str
    changes: dict[str, Setting] = {}  # noqa: RUF012 - never changed
    fen: str = ""


class Package(NamedTuple):
    """Packages of a registry, a program (Python, or a file of JavaScript) that plays by them, and its games."""

    pins: tuple[str, ...]
    program: str
    games: dict[str, Game]


PY_GAMES = {
    "Standard": Game("draughts/international"),
    "Antidraughts": Game("draughts/international", {"goal": "lose-all"}),
    "Breakthrough": Game("draughts/international", {"goal": "first-king", "endgame_limits": "none"}),
    "Frisian": Game("draughts/frisian", {"king_run": 0}),
    "Frysk": Game("draughts/frisian", {"king_run": 0, "rows": 1}),
    "Russian": Game("draughts/russian"),
    "Brazilian": Game("draughts/brazilian"),
    "American": Game("draughts/english", {}, "W:W21-32:B1-12"),
}
NODE_GAMES = {
    "chess.js": Game("chess/orthodox"), "kokopu regular": Game("chess/orthodox"),
    **{f"kokopu {name}": Game(f"chess/{name}") for name in ("antichess", "horde")},
    "chessops chess": Game("chess/orthodox"), "chessops racingkings": Game("chess/racing-kings"),
    **{f"chessops {name}": Game(f"chess/{name}") for name in ("crazyhouse", "atomic", "antichess", "horde")},
    "chessops kingofthehill": Game("chess/king-of-the-hill"), "chessops 3check": Game("chess/three-check"),
}  # fmt: skip
PACKAGES = {
    "py-draughts": Package(("py-draughts==1.10.1",), GAMES + PY_DRAUGHTS.format(names=tuple(PY_GAMES)), PY_GAMES),
    "dame-rs": Package(("dame-rs==0.2.0",), GAMES + DAME, {"international": Game("draughts/international")}),
    "open_spiel": Package(
        ("open_spiel==2.0.2", "chess==1.11.2"),
        GAMES + OPEN_SPIEL,
        {"chess": Game("chess/orthodox"), "crazyhouse": Game("chess/crazyhouse"), "antichess": Game("chess/antichess")},
    ),
    "node": Package(("chess.js@1.4.0", "chessops@0.15.1", "kokopu@4.13.4"), "other_programs.mjs", NODE_GAMES),
}


def played(package: Package, folder: Path) -> Iterator[tuple[str, list[tuple[list[str], str]]]]:
    """Installs the packages there; yields the games that the program plays by them."""
    if "@" in package.pins[0]:
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, *package.pins], check=True)
        shutil.copy(Path(__file__).parent / package.program, folder)
        command = ["node", str(folder / package.program), str(POSITIONS)]
    else:
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        python = folder / "environment/bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-compile", *package.pins], check=True)
        command = [str(python), "-W", "ignore", "-c", package.program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        for line in program.stdout:
            name, plies = json.loads(line)
            yield name, plies
    assert not program.returncode, command


Play = tuple[Callable[[], dict[str, int]], Callable[[int], None]]


def draughts_game(settings: Mapping[str, Setting], fen: str) -> Play:
    """A game here: its legal moves as origin, destination and what is captured, and how one is played."""
    game_state = game_state_of(settings, fen)
    names = notation.names(game_state.rules)

    def legal() -> dict[str, int]:
        moves = {}
        for move in game_state._generate():
            prey = sorted(names[bit] for bit in notation.captured(game_state.rules, game_state.state, move))
            moves[" ".join([names[(move >> 8) & 255], names[move & 255], *prey])] = move
        return moves

    return legal, lambda move: game_state.push(move)


def chess_game(settings: Mapping[str, Setting]) -> Play:
    """The same of chess, with moves as UCI writes them."""
    game_state = begin(settings)
    return lambda: {text: move for move, text in in_uci(game_state).items()}, lambda move: game_state.push(move)


def main(names: list[str]) -> None:
    """Prints for each game of each package the positions compared, and those with other moves."""
    for name in names or PACKAGES:
        compared: dict[str, int] = dict.fromkeys(PACKAGES[name].games, 0)
        others: dict[str, list[str]] = {game: [] for game in PACKAGES[name].games}
        with tempfile.TemporaryDirectory() as folder:
            for label, plies in played(PACKAGES[name], Path(folder)):
                game = PACKAGES[name].games[label]
                base = rulesets.load_ruleset(game.ruleset)
                endless = {"repetition": 0, "quiet_limit" if base.game == "draughts" else "move_limit": 0}
                settings = rulesets.derive_ruleset(base, endless | game.changes, "test", "test").settings
                legal, push = chess_game(settings) if base.game == "chess" else draughts_game(settings, game.fen)
                line: list[str] = []
                for listed, text in plies:
                    ours = legal()
                    theirs = {CASTLING[move] if move in CASTLING and move not in ours else move for move in listed}
                    compared[label] += 1
                    if set(ours) != theirs:
                        others[label].append(f"{' '.join(line)}: {sorted(set(ours) ^ theirs)}")
                    text = CASTLING[text] if text not in ours and text in CASTLING else text
                    if text not in ours:
                        break
                    push(ours[text])
                    line.append(text)
        for label, positions in compared.items():
            game = PACKAGES[name].games[label]
            pins = ", ".join(PACKAGES[name].pins)
            print(f"{pins}: {label}: {game.ruleset}: {positions} positions, {len(others[label])} differ")
            for text in others[label][:2]:
                print("   after", text[-300:])


if __name__ == "__main__":
    main(sys.argv[1:])
