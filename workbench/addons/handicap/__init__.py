"""Handicaps: by how much stronger one player must be for a game to be even."""
