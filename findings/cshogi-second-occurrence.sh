# cshogi 1.1.0 (PyPI): is_draw() says "repetition" at the second occurrence of a position, not at the fourth.
#
# Input:    both rooks of the start go aside and back, again and again
# Expected: a draw at the fourth occurrence, after 12 plies, as shogi has it
# Seen:     cshogi says REPETITION_DRAW after 4 plies; python-shogi 1.1.1 and rsshogi 1.7.0 after 12
. "$(dirname "$0")/temporary.sh"
pypi cshogi==1.1.0 python-shogi==1.1.1 rsshogi==1.7.0
by_python << 'END'
import itertools

import cshogi
import rsshogi.core
import shogi

board, second, third = cshogi.Board(), shogi.Board(), rsshogi.core.Board()
after = {}
for ply, move in zip(range(1, 17), itertools.cycle(("2h3h", "8b7b", "3h2h", "7b8b"))):
    board.push_usi(move)
    second.push_usi(move)
    third.apply_usi(move)
    for name, drawn in (
        ("cshogi", board.is_draw() == cshogi.REPETITION_DRAW),
        ("python-shogi", second.is_fourfold_repetition()),
        ("rsshogi", third.is_repetition()),
    ):
        if drawn:
            after.setdefault(name, ply)
print("plies:", after)
END
expect << 'END'
plies: {'cshogi': 4, 'python-shogi': 12, 'rsshogi': 12}
END
