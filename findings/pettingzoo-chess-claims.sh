# pettingzoo 1.27.0 (PyPI), chess_v6: a game ends a ply before the third occurrence of a position.
#
# Input:    both knights go out and home
# Expected: over with the eighth ply, by which the start is on the board for the third time, if repetition ends the game at all
# Seen:     over with the seventh: a move that would repeat is possible, so a draw can be claimed; whoever would rather have
#           moved on cannot
. "$(dirname "$0")/temporary.sh"
pypi pettingzoo==1.27.0 chess==1.11.2 pygame
by_python << 'END'
import os

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import numpy
from pettingzoo.classic import chess_v6
from pettingzoo.classic.chess import chess_utils

environment = chess_v6.env()
environment.reset()
plies = 0
while True:
    observation, reward, over, *_ = environment.last()
    if over:
        break
    wanted = ("g1f3", "g8f6", "f3g1", "f6g8")[plies % 4]
    board = environment.unwrapped.board
    actions = [int(action) for action in numpy.flatnonzero(observation["action_mask"])]
    environment.step(next(a for a in actions if chess_utils.action_to_move(board, a, plies % 2).uci() == wanted))
    plies += 1
print("over after", plies, "plies; occurrences so far:", 1 + plies // 4, "reward:", reward)
END
expect << 'END'
over after 7 plies; occurrences so far: 2 reward: 0
END
