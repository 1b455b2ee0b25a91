"""Ideas in words: finds the settings and rulesets that come closest to a sentence."""
