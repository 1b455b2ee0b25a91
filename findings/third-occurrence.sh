# python-chess 1.11.2, open_spiel 2.0.2 (PyPI) and chess.js 1.4.0 (npm): they end a game of chess at different occurrences of a
# position.
#
# Input:    both knights go out and home until the game is over
# Expected: the third occurrence (8 plies) can be claimed, the fifth (16) ends the game
# Seen:     chess.js and open_spiel have the game over at the third; python-chess at the fifth
. "$(dirname "$0")/temporary.sh"
pypi chess==1.11.2 open_spiel==2.0.2
by_python << 'END'
import itertools

import chess
import pyspiel

board, state = chess.Board(), pyspiel.load_game("chess").new_initial_state()
for move in itertools.cycle(("Nf3", "Nf6", "Ng1", "Ng8")):
    if state.is_terminal():
        break
    state.apply_action(next(a for a in state.legal_actions() if state.action_to_string(a) == move))
print("open_spiel: over after", state.move_number(), "plies")
for move in itertools.cycle(("Nf3", "Nf6", "Ng1", "Ng8")):
    if board.is_game_over():
        break
    board.push_san(move)
print("python-chess: over after", len(board.move_stack), "plies:", board.outcome().termination.name)
END
npm_packages chess.js@1.4.0
by_node << 'END'
import { Chess } from 'chess.js';

const chess = new Chess();
while (!chess.isGameOver()) chess.move(['Nf3', 'Nf6', 'Ng1', 'Ng8'][chess.history().length % 4]);
console.log('chess.js: over after', chess.history().length, 'plies');
END
expect << 'END'
open_spiel: over after 8 plies
python-chess: over after 16 plies: FIVEFOLD_REPETITION
chess.js: over after 8 plies
END
