# pydraughts 0.6.7 and py-draughts 1.10.1 (PyPI): on the board of Russian draughts, one number is two squares.
#
# Input:    the positions W:W22:B1, in numbers, and W:Wc3:Bh8, in letters
# Expected: one position each
# Seen:     to pydraughts 22 is d6 and 1 is a1; to py-draughts 22 is c3 and 1 is b8; both read the letters alike
. "$(dirname "$0")/temporary.sh"
pypi pydraughts==0.6.7
by_python << 'END'
import draughts

for fen in ("W:W22:B1", "W:Wc3:Bh8"):
    print("pydraughts:", fen, "->", draughts.Board("russian", fen).fen)
END
rm -r environment
pypi py-draughts==1.10.1
by_python << 'END'
import draughts

for fen in ("W:W22:B1", "W:Wc3:Bh8"):
    board = draughts.RussianBoard.from_fen(fen)
    names = {piece: name for name, piece in zip(board.SQUARE_NAMES, board.position, strict=True) if piece}
    print("py-draughts:", fen, "->", f"W:W{names[-1]}:B{names[1]}")
END
expect << 'END'
pydraughts: W:W22:B1 -> W:Wd6:Ba1
pydraughts: W:Wc3:Bh8 -> W:Wc3:Bh8
py-draughts: W:W22:B1 -> W:Wc3:Bb8
py-draughts: W:Wc3:Bh8 -> W:Wc3:Bh8
END
