# Readers of PGN believe different results where the tag and the end of the movetext differ: python-chess 1.11.2, pgnparser 1.0
# (PyPI) and cm-pgn 5.0.0 (npm) the tag; chess.js 1.4.0, chessops 0.15.1, kokopu 4.13.4 (npm) and
# rust-pgn-reader-python-binding 4.1.0 (PyPI) the movetext.
#
# Input:    [Result "1-0"] and 1. e4 e5 0-1
# Expected: one result everywhere, or a word that they differ
# Seen:     as above, and no word; chessops, chess.js and kokopu give the movetext's as the tag
. "$(dirname "$0")/temporary.sh"
pypi chess==1.11.2 pgnparser==1.0 rust-pgn-reader-python-binding==4.1.0
by_python << 'END'
import io

import chess.pgn
import pgn
import rust_pgn_reader_python_binding as rust

TEXT = '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 0-1\n'
game = chess.pgn.read_game(io.StringIO(TEXT))
print("python-chess:", game.headers["Result"], game.errors)
print("pgnparser:", pgn.loads(TEXT)[0].result)
print("rust:", rust.parse_game(TEXT)[0].outcome)
END
npm_packages chess.js@1.4.0 chessops@0.15.1 kokopu@4.13.4 cm-pgn@5.0.0
by_node << 'END'
import { Chess } from 'chess.js';
import { parsePgn } from 'chessops/pgn';
import { Pgn } from 'cm-pgn/src/Pgn.js';
import kokopu from 'kokopu';

const text = '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 0-1\n';
const chess = new Chess();
chess.loadPgn(text);
console.log('chess.js:', chess.getHeaders().Result);
console.log('chessops:', parsePgn(text)[0].headers.get('Result'));
console.log('kokopu:', kokopu.pgnRead(text).game(0).result());
console.log('cm-pgn:', new Pgn(text).header.tags.Result);
END
expect << 'END'
python-chess: 1-0 []
pgnparser: 1-0
rust: Black
chess.js: 0-1
chessops: 0-1
kokopu: 0-1
cm-pgn: 1-0
END
