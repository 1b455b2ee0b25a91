# py-draughts 1.10.1 (PyPI): in Frisian draughts a king moves a fourth time in a row while a man is left.
#
# Input:    B:WK47:BK3,12: the black king goes out, home and out; then Black is to move
# Expected: 12-17 and 12-18 alone, since after three moves of a king in a row something else must move
# Seen:     py-draughts lists eleven moves of the king, too (its documentation says that this is not enforced); pydraughts 0.6.7 has
#           the two of the man
. "$(dirname "$0")/temporary.sh"
moves="3-9 47-41 9-3 41-47 3-9 47-41"
pypi py-draughts==1.10.1
by_python << END
import draughts

board = draughts.FrisianBoard.from_fen("B:WK47:BK3,12")
for move in "$moves".split():
    board.push_uci(move)
print("py-draughts:", *sorted(map(str, board.legal_moves)))
END
rm -r environment
pypi pydraughts==0.6.7
by_python << END
import draughts

board = draughts.Board("frisian", "B:WK47:BK3,12")
for move in "$moves".split():
    board.push(draughts.Move(board, pdn_move=move))
print("pydraughts:", *sorted(move.pdn_move for move in board.legal_moves()))
END
expect << 'END'
py-draughts: 12-17 12-18 9-13 9-14 9-18 9-20 9-22 9-25 9-27 9-3 9-31 9-36 9-4
pydraughts: 12-17 12-18
END
