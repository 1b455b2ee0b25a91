"""Whether the workbench's statistics can be trusted, asked of games whose true values are known.

`estimates` plays random games of rulesets that are solved exactly, `verdicts` looks at the verdicts about strong play.
``python -m tests.calibration`` writes the pages of both.
"""
