# pydraughts 0.6.7 (PyPI): a variant that it does not know is international draughts.
#
# Input:    draughts.Board("spanish"), "american pool" (which its own reader of PDN names) and "no-such-game"
# Expected: an error, or boards of 8x8 squares
# Seen:     each begins with 20 men a side on 10x10 squares
. "$(dirname "$0")/temporary.sh"
pypi pydraughts==0.6.7
by_python << 'END'
import draughts
from draughts.PDN import PDNReader

named = PDNReader(pdn_text='[GameType "23"]\n\n1. 22-18 9-14 *\n').games[0].variant
for name in ("spanish", named, "no-such-game"):
    board = draughts.Board(name)
    print(f"{name}:", board.fen.count(",") + 2, "men,", [move.pdn_move for move in board.legal_moves()][:2])
END
expect << 'END'
spanish: 40 men, ['31-26', '31-27']
american pool: 40 men, ['31-26', '31-27']
no-such-game: 40 men, ['31-26', '31-27']
END
