# open_spiel 2.0.2 (PyPI): in antichess a capture en passant is not obligatory.
#
# Input:    4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1, c5: White's only capture is dxc6 en passant
# Expected: dxc6 alone, since who can capture must
# Seen:     its list has the other moves of White, too; python-chess 1.11.2 has dxc6 alone
. "$(dirname "$0")/temporary.sh"
pypi open_spiel==2.0.2 chess==1.11.2
by_python << 'END'
import chess.variant
import pyspiel

FEN = "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1"
state, board = pyspiel.load_game("antichess").new_initial_state(FEN), chess.variant.AntichessBoard(FEN)
state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action) == "c5"))
board.push_san("c5")
print("open_spiel:", *sorted(state.action_to_string(action) for action in state.legal_actions()))
print("python-chess:", *sorted(map(board.san, board.legal_moves)))
END
expect << 'END'
open_spiel: Kd1 Kd2 Ke2 Kf1 Kf2 d6 dxc6
python-chess: dxc6
END
