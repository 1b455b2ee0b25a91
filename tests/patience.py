"""Limits of waiting: a test that passes never waits for one, so they are long enough for any machine under any load."""

PATIENCE = 120
"""Seconds until a test gives up what it waits for: machine code may have to be made first, on a machine in use."""
WHOLE_RUNS = 4 * PATIENCE
"""The same for whole runs of thousands of games, with their reports."""
