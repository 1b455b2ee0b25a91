"""A tiny chess engine that speaks UCI: legal moves at random, by a hash of the position, so that it repeats itself.

Its option ``Mood`` makes it misbehave: illegal, silent, dead (all from ply ``Moody`` on), deaf (it does not end); or,
asked for the list of its moves, searching, ignoring, mistaken, crashing. In the mood chatty, as when it is silent, it
writes its progress to its standard error without ending a line. Option ``Fast`` is there to be set. Run with ``mute``
in its name it never says ``uciok``; with ``variants`` it takes every variant, and plays them all as chess; with
``lichess`` it knows variants by their names. Both see wins of one move.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from pathlib import Path

import chess
import chess.variant

MOODS = ("well", "illegal", "silent", "dead", "deaf", "searching", "ignoring", "mistaken", "crashing", "chatty")


def main() -> None:
    board, mood, moody = chess.Board(), "well", 0
    variants = ["option name VariantPath type string", "option name UCI_Variant type combo default chess var chess"]
    called = Path(sys.argv[0]).name
    variants *= "variants" in called
    rules: type[chess.Board] = chess.Board
    if "lichess" in called:
        variants = ["option name UCI_Variant type combo default chess var chess var kingofthehill var 3check"]
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"] and "mute" not in called:
            say("id name Random Mover 1.0", f"option name Mood type combo default well var {' var '.join(MOODS)}",
                "option name  Moody  type  spin  default  0 min 0  max 999",
                "option name Fast type check default false", *variants, "uciok")  # fmt: skip
        elif words[:1] == ["isready"]:
            complain("search 0%" * (mood == "chatty"))
            say("readyok")
        elif words[:3] == ["setoption", "name", "Mood"]:
            mood = words[-1]
        elif words[:3] == ["setoption", "name", "Moody"]:
            moody = int(words[-1])
        elif words[:3] == ["setoption", "name", "VariantPath"]:
            name = Path(words[-1]).read_text().partition("[")[2].partition(":")[0]
            variants[1] += f" var {name}"
        elif words[:3] == ["setoption", "name", "UCI_Variant"] and "lichess" in called:
            rules = chess.variant.find_variant(words[-1])
        elif words[:1] == ["position"]:
            begin, _, moves = line.partition(" moves ")
            board = rules(begin.partition(" fen ")[2].strip() or rules.starting_fen)
            for move in moves.split():
                board.push_uci(move)
        elif words[:2] == ["go", "perft"] and mood in ("crashing", "mistaken", "ignoring", "searching"):
            if mood == "crashing":
                os.kill(os.getpid(), signal.SIGSEGV)
            if mood == "mistaken":
                say("e2e4: 1", "e2e5: 1", "Nodes searched: 2")
            if mood == "searching":
                say("info depth 1", "bestmove e2e4")
        elif words[:2] == ["go", "perft"]:
            listed = [f"{move.uci()}: 1" for move in board.legal_moves]
            say("info string counting", *listed, "", f"Nodes searched: {len(listed)}")
        elif words[:1] == ["go"]:
            assert words[1] in ("nodes", "depth", "movetime") and int(words[2]) > 0
            bad = mood if board.ply() >= moody else "well"
            if bad == "dead":
                sys.exit("out of memory")
            complain("search 1%\rsearch 2%" * (bad in ("chatty", "silent")))
            if bad == "silent":
                continue
            won = [move for move in board.legal_moves if wins(board, move)] if variants else []
            say("info depth 1" + " score mate 1" * bool(won))
            say(f"bestmove {'e1e8' if bad == 'illegal' else won[0] if won else best(board)} ponder a7a6")
        elif words[:1] == ["quit"] and mood != "deaf":
            return
    while mood == "deaf":
        time.sleep(1)


def best(board: chess.Board) -> str:
    number = int.from_bytes(hashlib.sha256(board.fen().encode()).digest()[:4], "big")
    moves = sorted(move.uci() for move in board.legal_moves)
    return moves[number % len(moves)]


def wins(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate() or after.is_variant_loss()


def complain(text: str) -> None:
    os.write(2, text.encode())


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


if __name__ == "__main__":
    main()
