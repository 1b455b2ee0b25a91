# statsmodels 0.15.0 (PyPI): multipletests counts a missing p-value as a test, and some methods then give none at all.
#
# Input:    p = 0.01, 0.02, 0.03 and NaN
# Expected: the values of three tests, or an error
# Seen:     Bonferroni and Holm correct for four tests; fdr_bh, simes-hochberg and hommel give NaN for all four, and fdr_bh still
#           rejects the first three
. "$(dirname "$0")/temporary.sh"
pypi statsmodels==0.15.0
by_python << 'END'
from statsmodels.stats.multitest import multipletests

VALUES = [0.01, 0.02, 0.03]
for method in ("bonferroni", "holm", "fdr_bh", "simes-hochberg", "hommel"):
    _, alone, *_ = multipletests(VALUES, method=method)
    rejected, corrected, *_ = multipletests([*VALUES, float("nan")], method=method)
    print(f"{method}:", alone.round(4).tolist(), "->", corrected.round(4).tolist(), "rejected:", int(rejected.sum()))
END
expect << 'END'
bonferroni: [0.03, 0.06, 0.09] -> [0.04, 0.08, 0.12, nan] rejected: 1
holm: [0.03, 0.04, 0.04] -> [0.04, 0.06, 0.06, nan] rejected: 1
fdr_bh: [0.03, 0.03, 0.03] -> [nan, nan, nan, nan] rejected: 3
simes-hochberg: [0.03, 0.03, 0.03] -> [nan, nan, nan, nan] rejected: 1
hommel: [0.03, 0.03, 0.03] -> [nan, nan, nan, nan] rejected: 0
END
