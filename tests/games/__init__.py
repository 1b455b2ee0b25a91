"""Tests of the game families, each with the slow twin of its kernel, written from the rule text alone."""
