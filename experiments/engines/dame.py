"""How strong players are at international draughts: matches with dame-rs 0.2.0 by its Hub protocol.

    python experiments/engines/dame.py                          # those of docs/results.md
    python experiments/engines/dame.py --nodes 4000 --lines 20  # fewer of them

Installs dame-rs, pinned, in a temporary environment (it needs the package index) and plays it with both families of
search, with the weights of training 1, 2 or 3 by turns, at as many nodes a move. Every line of four random moves, of a
player's own, is played twice, with the colours changed. Games end, and are drawn, by draughts/international; each move
of dame-rs is checked by it, and what it forbids is printed and counted. Prints how many games each player won, drew and
lost, and its score with a 95 % interval, in which the two games of a line are one observation.

The engine counts nodes in steps of 1,024: told 500 nodes it looks at 1,024, told 10,000 at 10,240. Equal nodes are not
equal time.

Source: F. Letouzey, "Hub protocol for draughts, version 2", 2017; ``level nodes=`` is an addition of dame-rs.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import t

import workbench as wb

PIN = "dame-rs==0.2.0"
RULESET = "draughts/international"
SQUARES = 50
OPENING = 4
"""Random plies of a line."""


class Illegal(Exception):
    """The engine answered with a move that the ruleset forbids."""


class Hub:
    """An engine that speaks the Hub protocol."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("hub", "wait")
        self.ask("init", "ready")

    def send(self, line: str) -> None:
        """Writes a command."""
        assert self.program.stdin is not None
        self.program.stdin.write(line + "\n")

    def ask(self, line: str, expected: str) -> dict[str, str]:
        """Writes a command; returns the arguments of the first answer of the name ``expected``."""
        self.send(line)
        assert self.program.stdout is not None
        for answer in self.program.stdout:
            name, *arguments = shlex.split(answer) or [""]
            if name == "error":
                raise RuntimeError(f"{answer.strip()} after {line}")
            if name == expected:
                return dict(argument.partition("=")[::2] for argument in arguments)
        raise RuntimeError(f"the engine ended after {line}")

    def close(self) -> None:
        """Ends the engine."""
        self.send("quit")
        self.program.wait(10)


def hub_position(fen: str) -> str:
    """A position as the protocol writes it: who is to move, then the 50 squares; without the counters of a FEN."""
    mover, *sides = fen.split(":")[:3]
    board = ["e"] * SQUARES
    for side in sides:
        for king, first, last in re.findall(r"(K?)(\d+)(?:-(\d+))?", side):
            piece = side[0] if king else side[0].lower()
            for square in range(int(first), int(last or first) + 1):
                board[square - 1] = piece
    return mover + "".join(board)


def engine_move(engine: Hub, game: wb.Game, quiet: tuple[str, Sequence[str]], nodes: int) -> str:
    """The move that the engine chooses, as the workbench writes it; it is told the moves of kings since ``quiet``.

    Raises:
        Illegal: the ruleset forbids it.
    """
    position, moves = quiet
    engine.send(f'pos pos={position} moves="{" ".join(moves)}"' if moves else f"pos pos={position}")
    engine.send(f"level nodes={nodes}")
    answer = engine.ask("go think", "done")["move"]
    origin, *jumped = answer.split("x")
    move = f"{origin}x{jumped[0]}:{','.join(jumped[1:])}" if jumped else answer
    if reason := game.why_not(move):
        raise Illegal(f"{game.fen()}: {answer}: {reason}")
    return move


def play(engine: Hub, agent: str, seat: str, line: Sequence[str], nodes: int, seed: int) -> float:
    """The agent's score, 0 to 1, of a game in which it has a seat, ``first`` or ``second``.

    Raises:
        Illegal: the engine made a move that the ruleset forbids.
    """
    game = wb.Game(RULESET, line)
    engine.ask("new-game\nping", "pong")
    quiet: tuple[str, list[str]] = (hub_position(game.fen()), [])
    while game.outcome() is None:
        move = game.choose(agent, seed) if game.seat == seat else engine_move(engine, game, quiet, nodes)
        game.push(move)
        if ":H" in game.fen():
            quiet[1].append(move)
        else:
            quiet = (hub_position(game.fen()), [])
    outcome = game.outcome()
    assert outcome is not None
    return 0.5 if outcome.result == "draw" else float(outcome.result == seat)


def drawn_line(chance: random.Random) -> list[str]:
    """Random legal moves."""
    game = wb.Game(RULESET)
    for _ in range(OPENING):
        game.push(chance.choice(game.legal_moves()))
    return list(game.moves)


def match(engine: Hub, kind: str, nodes: int, lines: int) -> str:
    """A line that tells how a player fared in twice as many games as ``lines``."""
    chance, scores, illegal = random.Random(f"{kind} {nodes}"), [], 0
    for number in range(lines):
        agent = f"{kind}:nodes={nodes},evaluation=learned,training={1 + number % 3}"
        line = drawn_line(chance)
        try:
            scores.append([play(engine, agent, seat, line, nodes, number) for seat in ("first", "second")])
        except Illegal as error:
            illegal += 1
            print(error)
    games = np.array(scores)
    of_lines = games.mean(axis=1)
    reach = t.ppf(0.975, len(of_lines) - 1) * of_lines.std(ddof=1) / np.sqrt(len(of_lines))
    counts = [int((games == result).sum()) for result in (1.0, 0.5, 0.0)]
    ends = np.clip([games.mean(), games.mean() - reach, games.mean() + reach], 0, 1)
    score, low, high = (f"{100 * value:.1f}" for value in ends)
    return (
        f"{kind}, {nodes:,} nodes: {counts[0]} won, {counts[1]} drawn, {counts[2]} lost: {score} % ({low}–{high})"
        f" of {games.size} games; illegal moves of the engine: {illegal}"
    )


def main() -> None:
    """Installs the engine and plays the matches that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[500, 4_000, 10_000])
    parser.add_argument("--kinds", nargs="+", default=["alphabeta", "best-first"])
    parser.add_argument("--lines", type=int, default=50)
    asked = parser.parse_args()
    if asked.lines < 2:
        parser.error("an interval takes two lines or more")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        programs = Path(folder) / "bin"
        subprocess.run([programs / "python", "-m", "pip", "install", "-q", PIN], check=True)
        engine = Hub([programs / "dame", "hub"])
        for nodes in asked.nodes:
            for kind in asked.kinds:
                print(match(engine, kind, nodes, asked.lines), flush=True)
        engine.close()


if __name__ == "__main__":
    main()
