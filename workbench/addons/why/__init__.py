"""Reasons: where in the game, and by which events, a change of rules has its effect."""
