"""Laws that every game must hold, whoever wrote it; asked by ``workbench check-game`` and by the tests.

`positions` has the laws of rulesets, `families` those of a family's files, and asks them all.
"""
