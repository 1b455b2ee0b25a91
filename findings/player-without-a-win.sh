# evalica 0.4.2 and choix 0.4.1 (PyPI): a player without a win leaves Bradley and Terry's scores without a finite value; two
# functions answer with finite ones.
#
# Input:    a beats b twice and c once, b beats a and c once; c wins nothing
# Expected: an error, or an infinite difference to c, and a before b
# Seen:     evalica gives all three the same score, 1e-06, without a word; of choix, opt_pairwise gives numbers that only say
#           where it stopped, where ilsr_pairwise and mm_pairwise raise an error
. "$(dirname "$0")/temporary.sh"
pypi evalica==0.4.2 choix==0.4.1
by_python << 'END'
import choix
import evalica

GAMES = [("a", "b"), ("a", "b"), ("a", "c"), ("b", "a"), ("b", "c")]
winners, losers = zip(*GAMES)
scores = evalica.bradley_terry(winners, losers, [evalica.Winner.X] * len(GAMES)).scores
print("evalica:", {name: float(score) for name, score in scores.items()})
pairs = [("abc".index(winner), "abc".index(loser)) for winner, loser in GAMES]
for name in ("ilsr_pairwise", "mm_pairwise", "opt_pairwise"):
    try:
        strengths = getattr(choix, name)(3, pairs)
    except Exception as error:
        print(f"choix.{name}:", type(error).__name__)
    else:
        print(f"choix.{name}: c finite:", bool(abs(strengths[2]) < 1000))
END
expect << 'END'
evalica: {'a': 1e-06, 'b': 1e-06, 'c': 1e-06}
choix.ilsr_pairwise: ValueError
choix.mm_pairwise: RuntimeError
choix.opt_pairwise: c finite: True
END
