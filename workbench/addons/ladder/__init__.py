"""Ladders: how strong each kind of player is under a ruleset, in points."""
