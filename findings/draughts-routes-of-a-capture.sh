# pydraughts 0.6.7, py-draughts 1.10.1 and dame-rs 0.2.0 (PyPI): one capture by two routes is two moves of the first and one of
# the others.
#
# Input:    W:W38:B33,23,22,32 of international draughts: the man captures all four and comes back, by either way round
# Expected: a count of moves that one can compare
# Seen:     pydraughts lists both routes; the two others list one move
. "$(dirname "$0")/temporary.sh"
position=W:W38:B33,23,22,32
pypi pydraughts==0.6.7
by_python << END
import draughts

print("pydraughts:", sorted(move.pdn_move for move in draughts.Board("standard", "$position").legal_moves()))
END
rm -r environment
pypi py-draughts==1.10.1 dame-rs==0.2.0
by_python << END
import dame
import draughts

print("py-draughts:", [str(move) for move in draughts.StandardBoard.from_fen("$position").legal_moves])
print("dame-rs:", [move.hub() for move in dame.Board("$position").legal_moves])
END
expect << 'END'
pydraughts: ['38x27x18x29x38', '38x29x18x27x38']
py-draughts: ['38x29x18x27x38']
dame-rs: ['38x38x22x23x32x33']
END
