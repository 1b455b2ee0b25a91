// Plays random games by packages of npm for tests/other_programs.py, and prints each: the game's name, and for every ply
// the legal moves as UCI writes them and the one that is played. Its argument is the number of positions of each game.
import { Chess } from 'chess.js';
import { defaultPosition } from 'chessops/variant';
import { makeUci } from 'chessops';
import kokopu from 'kokopu';

const POSITIONS = Number(process.argv[2]);
let state = 1;
const chance = many => (state = (state * 48271) % 2147483647) % many;
function games(name, start, legal, play, over) {
  for (let seen = 0; seen < POSITIONS; ) {
    const board = start(), plies = [];
    while (seen < POSITIONS && plies.length < 200 && !over(board)) {
      const moves = legal(board), texts = [...moves.keys()].sort();
      if (!texts.length) break;
      const text = texts[chance(texts.length)];
      plies.push([texts, text]);
      play(board, moves.get(text));
      seen++;
    }
    console.log(JSON.stringify([name, plies]));
  }
}
games('chess.js', () => new Chess(),
  board => new Map(board.moves({ verbose: true }).map(move => [move.from + move.to + (move.promotion ?? ''), move])),
  (board, move) => board.move(move), board => board.isGameOver());
for (const name of ['regular', 'antichess', 'horde'])
  games('kokopu ' + name, () => new kokopu.Position(name, 'start'),
    board => new Map(board.moves().map(move =>
      [move.from() + move.to() + (move.isPromotion() ? move.promotion() : ''), move])),
    (board, move) => board.play(move), board => !board.hasMove());
function* all(board) {
  for (const [from, targets] of board.allDests())
    for (const to of targets) {
      const last = to >= 56 || to < 8;
      const kinds = ['queen', 'rook', 'bishop', 'knight', ...(board.rules === 'antichess' ? ['king'] : [])];
      if (last && board.board.get(from).role === 'pawn') for (const promotion of kinds) yield { from, to, promotion };
      else yield { from, to };
    }
  for (const role of ['pawn', 'knight', 'bishop', 'rook', 'queen'])
    if (board.rules === 'crazyhouse' && board.pockets[board.turn][role])
      for (const to of board.dropDests()) if (role !== 'pawn' || (to >= 8 && to < 56)) yield { role, to };
}
for (const name of ['chess', 'crazyhouse', 'atomic', 'antichess', 'horde', 'racingkings', 'kingofthehill', '3check'])
  games('chessops ' + name, () => defaultPosition(name),
    board => new Map([...all(board)].map(move => [makeUci(move), move])),
    (board, move) => board.play(move), board => board.isEnd());
