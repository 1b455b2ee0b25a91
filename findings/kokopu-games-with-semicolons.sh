# kokopu 4.13.4 (npm): a game with a comment after ";" or an escaped line ("%") is left out of games(), without a word.
#
# Input:    three games, the second with a comment from ";" to the end of the line, the third after a line that begins with "%";
#           PGN has both
# Expected: three games
# Seen:     games() gives one, though gameCount() is 3; game(1) and game(2) throw InvalidPGN
. "$(dirname "$0")/temporary.sh"
npm_packages kokopu@4.13.4
by_node << 'END'
import kokopu from 'kokopu';

const text = '[Event "a"]\n\n1. e4 e5 *\n\n[Event "b"]\n\n1. d4 ; a comment\nd5 *\n\n% an escaped line\n[Event "c"]\n\n1. c4 c5 *\n';
const database = kokopu.pgnRead(text);
console.log('counted:', database.gameCount(), 'given:', [...database.games()].map(game => game.event()).join(' '));
for (const index of [1, 2]) {
  try {
    console.log('game', index, database.game(index).event());
  } catch (error) {
    console.log('game', index, error.name ?? error.constructor.name);
  }
}
END
expect << 'END'
counted: 3 given: a
game 1 InvalidPGN
game 2 InvalidPGN
END
