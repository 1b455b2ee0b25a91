"""Files in the making: rulesets, experiments and searches, each a text with its history."""
