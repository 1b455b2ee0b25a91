# dame-rs 0.2.0 (PyPI): a search that is told how many nodes to look at, at most, looks at more: the limit is rounded up to a
# multiple of 1,024.
#
# Input:    the start of international draughts, nodes=50, 500, 1000, 4000, 10000
# Expected: `nodes` of the result no larger than that ("Maximum number of nodes"), which matters where programs are compared at
#           equal nodes
# Seen:     1,024 nodes with limits of 50, 500 and 1,000; 4,096 with 4,000, 10,240 with 10,000 (a node or two more or less)
. "$(dirname "$0")/temporary.sh"
pypi dame-rs==0.2.0
by_python << END
import dame

for limit in (50, 500, 1000, 4000, 10000):
    print(limit, "->", round(dame.Engine().search(dame.Board(), nodes=limit).nodes, -1))
END
expect << 'END'
50 -> 1020
500 -> 1020
1000 -> 1020
4000 -> 4100
10000 -> 10240
END
