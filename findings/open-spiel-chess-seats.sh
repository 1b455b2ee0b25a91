# open_spiel 2.0.2 (PyPI): in its games of the chess family player 1 moves first, in its other board games player 0.
#
# Input:    the start of each; fool's mate
# Expected: the first mover is player 0 everywhere, or nowhere
# Seen:     player 1 is White in chess, antichess, crazyhouse, dark_chess and kriegspiel, and returns() has Black's result first; so
#           the mean of returns()[0] is not that of the first mover
. "$(dirname "$0")/temporary.sh"
pypi open_spiel==2.0.2
by_python << 'END'
import pyspiel

names = "chess antichess crazyhouse dark_chess kriegspiel shogi xiangqi checkers breakthrough hex othello".split()
for first in (0, 1):
    print("player", first, "begins:", *[n for n in names if pyspiel.load_game(n).new_initial_state().current_player() == first])
state = pyspiel.load_game("chess").new_initial_state()
for move in ("f3", "e5", "g4", "Qh4#"):
    state.apply_action(next(a for a in state.legal_actions() if state.action_to_string(a) == move))
print("Black has mated:", state.returns())
END
expect << 'END'
player 0 begins: shogi xiangqi checkers breakthrough hex othello
player 1 begins: chess antichess crazyhouse dark_chess kriegspiel
Black has mated: [1.0, -1.0]
END
