# trueskill 0.4.5 (PyPI): where draws have probability 0, a draw makes both players less certain than they were before it.
#
# Input:    TrueSkill(draw_probability=0), two new players, drawn=True
# Expected: an error, or a sigma that does not grow but by tau (8.3336 at most)
# Seen:     sigma 8.333 becomes 9.588; with the default of 0.1 it becomes 6.458
. "$(dirname "$0")/temporary.sh"
pypi trueskill==0.4.5
by_python << 'END'
import trueskill

for probability in (0.1, 0.0):
    environment = trueskill.TrueSkill(draw_probability=probability)
    first, second = environment.rate_1vs1(environment.create_rating(), environment.create_rating(), drawn=True)
    print(probability, f"{environment.sigma:.3f} -> {first.sigma:.3f}, {second.sigma:.3f}")
END
expect << 'END'
0.1 8.333 -> 6.458, 6.458
0.0 8.333 -> 9.588, 9.588
END
