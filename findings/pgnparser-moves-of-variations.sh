# pgnparser 1.0 (PyPI): the list of moves of a game has the moves of its variations, its comments and its result.
#
# Input:    1. e4 (1. d4 d5) 1... e5 {a comment} 2. Nf3 1-0
# Expected: e4, e5, Nf3
# Seen:     eight entries, among them "(1.", "d4", "d5)" and "1-0": counting them counts plies that nobody played
. "$(dirname "$0")/temporary.sh"
pypi pgnparser==1.0
by_python << 'END'
import pgn

text = '[Event "a"]\n[Result "1-0"]\n\n1. e4 (1. d4 d5) 1... e5 {a comment} 2. Nf3 1-0\n'
print(pgn.loads(text)[0].moves)
END
expect << 'END'
['e4', '(1.', 'd4', 'd5)', 'e5', '{a comment}', 'Nf3', '1-0']
END
