# py-draughts 1.10.1 (PyPI): four rules of its American checkers are not those of the federations.
#
# Input:    the start; a man on 22 that can capture 18; kings and men that move without capturing
# Expected: Black begins; who can capture must; GameType 21 of PDN; no draw by 20 moves each, in which men move
# Seen:     White begins; the step 22-17 is legal beside the capture; GameType 23, that of pool checkers; a draw after 40
#           plies without a capture or a new king, though men moved
. "$(dirname "$0")/temporary.sh"
pypi py-draughts==1.10.1
by_python << 'END'
import random

import draughts

board = draughts.AmericanBoard()
print("begins:", board.turn.name, "GameType:", board.GAME_TYPE)
print("legal:", sorted(map(str, draughts.AmericanBoard.from_fen("W:W22:B18,1").legal_moves)))
for seed in range(1000):
    board, by_men = draughts.AmericanBoard.from_fen("W:WK32,K31,29:BK1,K2,4"), 0
    chance = random.Random(seed)
    while not board.is_draw:
        move = chance.choice([move for move in board.legal_moves if not move.captured_list])
        by_men += abs(board.position[move.square_list[0]]) == 1
        board.push(move)
    if not board.is_threefold_repetition and board.halfmove_clock == len(board._moves_stack) and by_men:
        break
print("plies:", board.halfmove_clock, "draw:", board.is_draw, "men moved:", by_men > 0)
END
expect << 'END'
begins: WHITE GameType: 23
legal: ['22-17', '22x15']
plies: 40 draw: True men moved: True
END
