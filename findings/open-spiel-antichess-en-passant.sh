# open_spiel 2.0.2 (PyPI): in antichess a capture en passant is no capture.
#
# Input:    c5 in 4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1, where White's only capture is dxc6 en passant; the same with a white rook
#           that can capture, too
# Expected: dxc6 alone; dxc6 and Rxh3, since who can capture must
# Seen:     dxc6 beside all other moves of White; Rxh3 alone. python-chess 1.11.2 has what is expected
. "$(dirname "$0")/temporary.sh"
pypi open_spiel==2.0.2 chess==1.11.2
by_python << 'END'
import chess.variant
import pyspiel

for fen in ("4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1", "4k3/2p5/8/3P4/8/7p/8/4K2R b - - 0 1"):
    state, board = pyspiel.load_game("antichess").new_initial_state(fen), chess.variant.AntichessBoard(fen)
    state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action) == "c5"))
    board.push_san("c5")
    print("open_spiel:", *sorted(state.action_to_string(action) for action in state.legal_actions()))
    print("python-chess:", *sorted(map(board.san, board.legal_moves)))
END
expect << 'END'
open_spiel: Kd1 Kd2 Ke2 Kf1 Kf2 d6 dxc6
python-chess: dxc6
open_spiel: Rxh3
python-chess: Rxh3 dxc6
END
