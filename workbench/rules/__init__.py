"""Rulesets: their files, settings and edits of these, and the rule book."""
