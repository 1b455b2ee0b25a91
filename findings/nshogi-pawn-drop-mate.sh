# nshogi 0.3.3 (PyPI): its list of legal moves has the pawn drop that mates, which shogi forbids.
#
# Input:    7nk/9/7G1/9/9/9/9/9/4K4 b P 1 (SFEN): P*1b would mate
# Expected: 80 legal moves, without that drop
# Seen:     nshogi has 81 with it; python-shogi 1.1.1, cshogi 1.1.0 and rsshogi 1.7.0 have 80 without
. "$(dirname "$0")/temporary.sh"
pypi nshogi==0.3.3 python-shogi==1.1.1 cshogi==1.1.0 rsshogi==1.7.0
by_python << 'END'
import cshogi
import nshogi.io.sfen
import rsshogi.core
import shogi

SFEN = "7nk/9/7G1/9/9/9/9/9/4K4 b P 1"
state, board = nshogi.io.sfen.make_state_from_sfen(SFEN), rsshogi.core.Board()
board.set_sfen(SFEN)
for name, moves in (
    ("nshogi", [nshogi.io.sfen.stringify(move) for move in state.legal_moves]),
    ("python-shogi", [move.usi() for move in shogi.Board(SFEN).legal_moves]),
    ("cshogi", [cshogi.move_to_usi(move) for move in cshogi.Board(SFEN).legal_moves]),
    ("rsshogi", [move.to_usi() for move in board.legal_moves()]),
):
    print(f"{name}:", len(moves), "P*1b" in moves)
END
expect << 'END'
nshogi: 81 True
python-shogi: 80 False
cshogi: 80 False
rsshogi: 80 False
END
