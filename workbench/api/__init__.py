"""The interface for programs and notebooks: ``import workbench as wb`` provides the names of `workbench.__all__`.

A thin layer: rules, games, runs, statistics and errors are those of the command line.
"""

from workbench.base.project import reject_numba_config_file

reject_numba_config_file()
