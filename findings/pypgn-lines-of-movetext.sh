# pypgn 0.5.1 (PyPI): of movetext on two lines it reads the one that begins with "1."; where no blank follows "1." it reads no move.
#
# Input:    "1. e4 e5⏎2. Nf3 Nc6 1-0" and "1.e4 e5 2.Nf3 Nc6 1-0", as most programs write files
# Expected: four plies each
# Seen:     two of the first (1. e4 e5), none of the second
. "$(dirname "$0")/temporary.sh"
pypi pypgn==0.5.1
by_python << 'END'
import pypgn

for movetext in ("1. e4 e5\n2. Nf3 Nc6 1-0\n", "1.e4 e5 2.Nf3 Nc6 1-0\n"):
    with open("game.pgn", "w") as file:
        file.write(f'[Event "a"]\n[Result "1-0"]\n\n{movetext}')
    print([str(move) for move in pypgn.Game("game.pgn").moves])
END
expect << 'END'
["['1.', 'e4', 'e5']"]
[]
END
