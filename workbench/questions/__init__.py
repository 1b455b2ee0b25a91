"""What people write: rulesets, experiments, agents, lines; their schemas, and the rule book."""
