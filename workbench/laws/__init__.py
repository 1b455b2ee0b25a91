"""What every game must hold, whoever wrote it: laws, asked by ``workbench check-game`` and by the tests.

`subject` is a ruleset under questions, `positions` and `families` are the laws, `asking` asks them all, first
without machine code and then with it.
"""
