"""A tiny chess engine that speaks UCI: legal moves at random, by a hash of the position, so that it repeats itself.

Its option ``Mood`` makes it misbehave: illegal, silent, dead (all from ply ``Moody`` on), deaf (it does not end).
Option ``Fast`` is there to be set. Run with ``mute`` in its name it never says ``uciok``.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time

import chess


def main() -> None:
    board, mood, moody = chess.Board(), "well", 0
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"] and "mute" not in sys.argv[0]:
            say("id name Random Mover 1.0", "option name Mood type combo default well var well var illegal var silent "
                "var dead var deaf", "option name Moody type spin default 0 min 0 max 999",
                "option name Fast type check default false", "uciok")  # fmt: skip
        elif words[:1] == ["isready"]:
            say("readyok")
        elif words[:3] == ["setoption", "name", "Mood"]:
            mood = words[-1]
        elif words[:3] == ["setoption", "name", "Moody"]:
            moody = int(words[-1])
        elif words[:1] == ["position"]:
            board = chess.Board()
            for move in words[3:]:
                board.push_uci(move)
        elif words[:1] == ["go"]:
            assert words[1] in ("nodes", "depth", "movetime") and int(words[2]) > 0
            bad = mood if board.ply() >= moody else "well"
            if bad == "dead":
                sys.exit("out of memory")
            if bad == "silent":
                continue
            say("info depth 1", f"bestmove {'e1e8' if bad == 'illegal' else best(board)} ponder a7a6")
        elif words[:1] == ["quit"] and mood != "deaf":
            return
    while mood == "deaf":
        time.sleep(1)


def best(board: chess.Board) -> str:
    number = int.from_bytes(hashlib.sha256(board.fen().encode()).digest()[:4], "big")
    moves = sorted(move.uci() for move in board.legal_moves)
    return moves[number % len(moves)]


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


if __name__ == "__main__":
    main()
