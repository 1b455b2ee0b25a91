"""Players from outside: programs that speak UCI and Python classes, started only where the user has allowed it.

`games.run_block` plays their games move by move, and hands the moves to the engine, which plays them again and counts.
"""
