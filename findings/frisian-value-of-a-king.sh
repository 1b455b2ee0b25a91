# py-draughts 1.10.1 and pydraughts 0.6.7 (PyPI): in Frisian draughts they weigh a king differently, so they force other captures.
#
# Input:    W:W46,50:BK36,K21,K11,44,34,24,14,9, where White can capture three kings (46x6) or five men (50x8)
# Expected: one of them: the rule is that the capture worth most is obligatory, and a king is worth more than a man and less
#           than two
# Seen:     py-draughts, where a king counts 1.99 men, has 46x6 alone; pydraughts, where it counts 1.501, has 50x8 alone
. "$(dirname "$0")/temporary.sh"
position=W:W46,50:BK36,K21,K11,44,34,24,14,9
pypi py-draughts==1.10.1
by_python << END
import draughts

print("py-draughts:", [str(move) for move in draughts.FrisianBoard.from_fen("$position").legal_moves])
END
rm -r environment
pypi pydraughts==0.6.7
by_python << END
import draughts

print("pydraughts:", [move.pdn_move for move in draughts.Board("frisian", "$position").legal_moves()])
END
expect << 'END'
py-draughts: ['46x26x17x6']
pydraughts: ['50x8']
END
