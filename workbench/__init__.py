"""The rule workbench: compares proposals for the rules of a board game by playing them.

The way of the data:

1. ``rulesets/*.yaml`` -> `workbench.questions.rulesets` -> one small tuple of integers per variant;
2. ``experiments/*.yaml`` -> `workbench.questions.experiment` -> cells (ruleset x pairing) -> blocks of games;
3. `workbench.run` -> `workbench.engine` and `workbench.games` (compiled) -> records in `workbench.store`;
4. ``reports/<experiment>/trials.parquet`` -> `workbench.statistics` -> tables and verdicts;
5. `workbench.report` -> what a designer reads.
"""

__version__ = "0.1.0"
