# chess.js 1.4.0 (npm): a mate by the hundredth quiet ply is a mate and a draw.
#
# Input:    6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80, Ra8
# Expected: mate comes first: the game is won
# Seen:     isCheckmate() and isDraw() are both true; a program that asks isDraw() first counts half a point
. "$(dirname "$0")/temporary.sh"
npm_packages chess.js@1.4.0
by_node << 'END'
import { Chess } from 'chess.js';

const chess = new Chess('6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80');
console.log(chess.move('Ra8').san, 'mate:', chess.isCheckmate(), 'draw:', chess.isDraw());
END
expect << 'END'
Ra8# mate: true draw: true
END
