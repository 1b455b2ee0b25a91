"""How fast people's games are read, and in how much memory: ``python -m tests.people_speed 1000000``.

It makes a file of games of chess (10,000 different ones, some with clocks, each again and again with other tags),
reads it into a report folder with no proposal and with two, and prints CPU seconds and the largest memory. Openings are
skewed as people's are. Nothing depends on the figures: they are for who changes `workbench.people`.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chess

from workbench.people.importing import Wanted, import_games
from workbench.questions import rulesets

DIFFERENT = 10_000
PROPOSALS = ("chess/no-castling", "chess/king-of-the-hill")


def made_game(rng: random.Random) -> str:
    """The moves of a game of 66 plies in the mean, with its result; every fourth has clocks."""
    board, words, clocks = chess.Board(), [], rng.random() < 0.25
    for ply in range(max(6, int(rng.expovariate(1 / 66)))):
        legal = sorted(board.legal_moves, key=lambda move: hash((ply, move.from_square, move.to_square)))
        if not legal:
            break
        place = int(rng.paretovariate(1.1)) - 1 if ply < 12 else rng.randrange(len(legal))
        move = legal[min(place, len(legal) - 1)]
        number = f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}..." if clocks else ""
        words += [number, board.san(move), "{ [%clk 0:03:00] }" if clocks else ""]
        board.push(move)
    return " ".join(filter(None, words))


def write_games(path: Path, count: int) -> None:
    """A file with so many games."""
    rng = random.Random(1)
    games = [made_game(rng) for _ in range(min(count, DIFFERENT))]
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(count):
            white, result = int(rng.gauss(1600, 300)), rng.choice(["1-0", "0-1", "1/2-1/2"])
            stream.write(
                f'[Event "Rated Blitz game"]\n[Site "https://example.org/{number:08x}"]\n[White "a{number}"]\n'
                f'[Black "b{number}"]\n[Result "{result}"]\n[UTCDate "2024.05.{number % 30 + 1:02d}"]\n'
                f'[UTCTime "00:00:00"]\n[WhiteElo "{white}"]\n[BlackElo "{white + rng.randint(-80, 80)}"]\n'
                f'[ECO "C20"]\n[TimeControl "180+2"]\n[Termination "Normal"]\n\n'
                f"{games[number % len(games)]} {result}\n\n"
            )


def measure(path: Path, folder: Path, proposals: tuple[str, ...]) -> str:
    """What an import takes, in words."""
    import_games(Wanted([path], rulesets.load_ruleset("chess/orthodox"), most=100), folder)  # compiles
    began = time.process_time()
    under = [rulesets.load_ruleset(name) for name in proposals]
    found = import_games(Wanted([path], rulesets.load_ruleset("chess/orthodox"), under=under), folder)
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{found.games:,} games, {len(proposals)} proposals: {seconds:.0f} s of CPU, {memory:.0f} MiB"


def main() -> None:
    """Measures, each in a process of its own."""
    if len(sys.argv) > 2:
        print(measure(Path(sys.argv[1]), Path(sys.argv[2]), tuple(sys.argv[3:])))
        return
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "made.pgn")
        write_games(path, int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
        for number, proposals in enumerate(((), PROPOSALS)):
            words = [sys.executable, "-m", "tests.people_speed", str(path), f"{place}/{number}", *proposals]
            subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
