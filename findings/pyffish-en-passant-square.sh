# pyffish 0.0.90, python-chess 1.11.2 (PyPI) and chess.js 1.4.0 (npm): a FEN names an en passant square that nobody can capture on.
#
# Input:    8/2p5/8/KP5r/8/8/8/7k b - - 0 1, c7-c5: bxc6 would open the fifth rank to the rook
# Expected: the same FEN from each, since keys of positions and counts of repetitions are made of it
# Seen:     pyffish writes c6; python-chess and chess.js write -
. "$(dirname "$0")/temporary.sh"
pypi pyffish==0.0.90 chess==1.11.2
by_python << 'END'
import chess
import pyffish

fen = "8/2p5/8/KP5r/8/8/8/7k b - - 0 1"
board = chess.Board(fen)
board.push_uci("c7c5")
print("pyffish:", pyffish.get_fen("chess", fen, ["c7c5"]), "bxc6 is legal:", "b5c6" in pyffish.legal_moves("chess", fen, ["c7c5"]))
print("python-chess:", board.fen())
END
npm_packages chess.js@1.4.0
by_node << 'END'
import { Chess } from 'chess.js';

const chess = new Chess('8/2p5/8/KP5r/8/8/8/7k b - - 0 1');
chess.move('c5');
console.log('chess.js:', chess.fen());
END
expect << 'END'
pyffish: 8/8/8/KPp4r/8/8/8/7k w - c6 0 2 bxc6 is legal: False
python-chess: 8/8/8/KPp4r/8/8/8/7k w - - 0 2
chess.js: 8/8/8/KPp4r/8/8/8/7k w - - 0 2
END
