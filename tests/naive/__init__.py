"""Slow, obviously right twins of the compiled games, each written from the rule text alone."""
