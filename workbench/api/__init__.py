"""The interface for programs and notebooks: ``import workbench as wb`` gives these names, see `workbench.__all__`.

A thin layer: rules, games, runs and statistics are those of the command line, and so are their errors.
"""

from workbench.base.project import refuse_settings_of_the_compiler

refuse_settings_of_the_compiler()
