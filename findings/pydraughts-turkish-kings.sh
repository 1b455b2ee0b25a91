# pydraughts 0.6.7 (PyPI): kings of Turkish draughts move over pieces.
#
# Input:    W:WKd4,d5:Bh8 (a man of its own in front of the king) and W:WKd4:Bd6,d7 (two enemy men in a row)
# Expected: the king stops before its own man; two pieces in a row stop it, too
# Seen:     in both it goes to d8, over what stands between (28 is d4, 60 is d8)
. "$(dirname "$0")/temporary.sh"
pypi pydraughts==0.6.7
by_python << 'END'
import draughts

for fen in ("W:WKd4,d5:Bh8", "W:WKd4:Bd6,d7"):
    moves = [move.pdn_move for move in draughts.Board("turkish", fen).legal_moves()]
    print(fen, "28-60" in moves)
END
expect << 'END'
W:WKd4,d5:Bh8 True
W:WKd4:Bd6,d7 True
END
