"""Laws for every game, shipped or added; asked by ``workbench check-game`` and by the tests.

`positions` has the laws of rulesets; `families` has the laws of a family's files, and checks all of them.
"""
