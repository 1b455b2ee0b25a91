"""Players that learn what units and features are worth under a ruleset, and where what they learned is kept."""
