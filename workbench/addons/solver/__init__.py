"""Exact values: solves small games, or proves their values forwards."""
