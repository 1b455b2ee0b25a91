# statsmodels 0.15.0 (PyPI): fit_map of a binomial mixed model gives as the log of the spread minus the number of groups.
#
# Input:    BinomialBayesMixedGLM, 10 groups of 20 trials whose logits have a spread of 1 (log 0), and 40 groups of 2
# Expected: about 0 for the first
# Seen:     -10 and -40, so a spread of exp(-10): no differences between groups; fit_vb gives about -0.4 for the first
. "$(dirname "$0")/temporary.sh"
pypi statsmodels==0.15.0
by_python << 'END'
import numpy
import pandas
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

for groups, trials in ((10, 20), (40, 2)):
    chance = numpy.random.default_rng(1)
    group = numpy.repeat(numpy.arange(groups), trials)
    logits = chance.normal(0, 1, groups)[group]
    won = (chance.random(groups * trials) < 1 / (1 + numpy.exp(-logits))).astype(int)
    model = BinomialBayesMixedGLM.from_formula("won ~ 1", {"g": "0 + C(g)"}, pandas.DataFrame({"won": won, "g": group}))
    print(groups, "groups: fit_map:", round(float(model.fit_map().vcp_mean[0]), 1))
    if groups == 10:
        print("fit_vb above -1:", bool(model.fit_vb().vcp_mean[0] > -1))
END
expect << 'END'
10 groups: fit_map: -10.0
fit_vb above -1: True
40 groups: fit_map: -40.0
END
