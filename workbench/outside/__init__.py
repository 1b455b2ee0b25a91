"""Players from outside: programs that speak UCI and Python classes, started only where the user has allowed it.

`outside_games.run_outside_block` plays their games move by move; the engine then replays the moves and counts.
"""
