# open_spiel 2.0.2 and imparaai-checkers 1.4.2 (PyPI): checkers is drawn after 40 plies without a capture, whatever men do.
#
# Input:    random games of each until one ends so
# Expected: a draw by moves of kings alone, as federations have it, or none
# Seen:     both end the game at the 40th ply without a capture although men moved within these plies; in open_spiel each
#           jump of one capture is an action, so a player acts several times in a row
. "$(dirname "$0")/temporary.sh"
pypi open_spiel==2.0.2 imparaai-checkers==1.4.2
by_python << 'END'
import random

import pyspiel
from checkers.game import Game


def men(text):
    return [place for place, piece in enumerate(text) if piece in "o+"]


for seed in range(1000):
    chance, state, boards, players = random.Random(seed), pyspiel.load_game("checkers").new_initial_state(), [], []
    while not state.is_terminal():
        boards.append(str(state))
        players.append(state.current_player())
        state.apply_action(chance.choice(state.legal_actions()))
    boards.append(str(state))
    if state.returns() == [0, 0] and men(boards[-41]) != men(boards[-1]):
        break
pieces = [sum(board.partition("abc")[0].count(piece) for piece in "o+8*") for board in boards]
quiet = next(plies for plies in range(1, len(pieces)) if pieces[-1 - plies] != pieces[-1]) - 1
repeated = any(a == b for a, b in zip(players, players[1:]))
print("open_spiel: drawn after", quiet, "plies without a capture; men moved; a player acts twice in a row:", repeated)
for seed in range(1000):
    chance, game, by_men = random.Random(seed), Game(), []
    while not game.is_over():
        move = chance.choice(game.get_possible_moves())
        by_men.append(not game.board.searcher.get_piece_by_position(move[0]).king)
        game.move(move)
    if game.move_limit_reached() and any(by_men[-40:]):
        break
print("imparaai-checkers: over after", game.moves_since_last_capture, "plies without a capture; men moved:", any(by_men[-40:]))
END
expect << 'END'
open_spiel: drawn after 40 plies without a capture; men moved; a player acts twice in a row: True
imparaai-checkers: over after 40 plies without a capture; men moved: True
END
