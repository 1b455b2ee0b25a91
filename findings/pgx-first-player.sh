# pgx 2.6.0 (PyPI): which player moves first is drawn by the key of init(), so rewards[0] is not the first mover's.
#
# Input:    init() of chess, hex and connect_four with the keys 0 to 7
# Expected: player 0 begins
# Seen:     player 1 begins with some of the keys, in each game
. "$(dirname "$0")/temporary.sh"
pypi pgx==2.6.0 jax==0.10.2
by_python << 'END'
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import pgx

for name in ("chess", "hex", "connect_four"):
    init = pgx.make(name).init
    print(f"{name}:", sorted({int(init(jax.random.PRNGKey(key)).current_player) for key in range(8)}))
END
expect << 'END'
chess: [0, 1]
hex: [0, 1]
connect_four: [0, 1]
END
