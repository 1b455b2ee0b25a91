"""Add-ons: a folder for each subject beside the comparison of proposals. None is imported by the core or by another.

Published results are none: they are a key of experiment files and an argument of `workbench.run`, and the experiment's
records tell of them.
"""
