# pyffish 0.0.90, python-chess 1.11.2 (PyPI) and chessops 0.15.1 (npm): they disagree whether a knight and a king can still win
# in atomic chess and crazyhouse.
#
# Input:    White has king and knight, Black the king alone; pockets are empty
# Expected: one answer whether White has enough to win
# Seen:     pyffish says that White has in both, python-chess and chessops that White has not, so that the game is drawn there
. "$(dirname "$0")/temporary.sh"
pypi pyffish==0.0.90 chess==1.11.2
by_python << 'END'
import chess
import chess.variant
import pyffish

BOARDS = {"atomic": chess.variant.AtomicBoard, "crazyhouse": chess.variant.CrazyhouseBoard}
for name, fen in (("atomic", "4k3/8/8/8/8/8/8/4KN2 w - - 0 1"), ("crazyhouse", "4k3/8/8/8/8/8/8/4KN2[] w - - 0 1")):
    print(name, "pyffish: too little:", pyffish.has_insufficient_material(name, fen, [])[0])
    print(name, "python-chess: too little:", BOARDS[name](fen).has_insufficient_material(chess.WHITE))
END
npm_packages chessops@0.15.1
by_node << 'END'
import { parseFen } from 'chessops/fen';
import { setupPosition } from 'chessops/variant';

for (const [name, fen] of [['atomic', '4k3/8/8/8/8/8/8/4KN2 w - - 0 1'], ['crazyhouse', '4k3/8/8/8/8/8/8/4KN2[] w - - 0 1']]) {
  const position = setupPosition(name, parseFen(fen).unwrap()).unwrap();
  console.log(name, 'chessops: too little:', position.hasInsufficientMaterial('white'), 'over:', position.isEnd());
}
END
expect << 'END'
atomic pyffish: too little: False
atomic python-chess: too little: True
crazyhouse pyffish: too little: False
crazyhouse python-chess: too little: True
atomic chessops: too little: true over: true
crazyhouse chessops: too little: true over: true
END
