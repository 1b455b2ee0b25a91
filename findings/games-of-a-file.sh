# rust-pgn-reader-python-binding 4.1.0, py-draughts 1.10.1 (PyPI) and cm-pgn 5.0.0 (npm): of a file of games they give one,
# without a word.
#
# Input:    the text of a PGN file with three games, and of a PDN file with two
# Expected: all games, or an error
# Seen:     parse_game and parse_games_from_strings of the first, and from_pdn of py-draughts, give the first game; Pgn of cm-pgn
#           gives the last. python-chess 1.11.2 reads all three, pydraughts 0.6.7 both
. "$(dirname "$0")/temporary.sh"
cat > games.pgn << 'END'
[Event "a"]
[Result "1-0"]

1. e4 e5 2. Nf3 1-0

[Event "b"]
[Result "0-1"]

1. d4 d5 0-1

[Event "c"]
[Result "1/2-1/2"]

1. c4 c5 1/2-1/2
END
cat > games.pdn << 'END'
[GameType "20"]
[Result "2-0"]

1. 32-28 19-23 2. 28x19 14x23 2-0

[GameType "20"]
[Result "0-2"]

1. 33-29 20-24 0-2
END
pypi rust-pgn-reader-python-binding==4.1.0 chess==1.11.2 py-draughts==1.10.1
by_python << 'END'
import chess.pgn
import draughts
import rust_pgn_reader_python_binding as rust

text = open("games.pgn").read()
for read in (rust.parse_game(text), rust.parse_games_from_strings([text])):
    print("rust:", len(read), [game.moves_uci() for game in read])
with open("games.pgn") as file:
    print("python-chess:", len([*iter(lambda: chess.pgn.read_game(file), None)]))
print("py-draughts:", *draughts.StandardBoard.from_pdn(open("games.pdn").read()).pdn.splitlines()[-1:])
END
rm -r environment
pypi pydraughts==0.6.7
by_python << 'END'
from draughts.PDN import PDNReader

print("pydraughts:", len(PDNReader(pdn_text=open("games.pdn").read()).games))
END
npm_packages cm-pgn@5.0.0
by_node << 'END'
import { readFileSync } from 'node:fs';
import { Pgn } from 'cm-pgn/src/Pgn.js';

const pgn = new Pgn(readFileSync('games.pgn', 'utf8'));
console.log('cm-pgn:', pgn.header.tags.Event, pgn.history.moves.map(move => move.san).join(' '));
END
expect << 'END'
rust: 1 [['e2e4', 'e7e5', 'g1f3']]
rust: 1 [['e2e4', 'e7e5', 'g1f3']]
python-chess: 3
py-draughts: 1. 32-28 19-23 2. 28x19 14x23 *
pydraughts: 2
cm-pgn: c c4 c5
END
