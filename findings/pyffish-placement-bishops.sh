# pyffish 0.0.90 (PyPI): in placement chess no piece takes the last square of the colour that a bishop in hand needs.
#
# Input:    a bishop on c1 (dark), and in hand king, queen and bishop; of the light squares of the first rank h1 alone is free
# Expected: by most texts: bishops go to unlike colours, and pieces to any free square of the first rank
# Seen:     B@h1, and king and queen on e1 and g1: neither may go to h1
. "$(dirname "$0")/temporary.sh"
pypi pyffish==0.0.90
by_python << 'END'
import pyffish

print(*sorted(pyffish.legal_moves("placement", "8/pppppppp/8/8/8/8/PPPPPPPP/RNBR1N2[KQBk] w - - 0 1", [])))
END
expect << 'END'
B@h1 K@e1 K@g1 Q@e1 Q@g1
END
