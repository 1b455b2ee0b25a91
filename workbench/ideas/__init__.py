"""What rulesets can say of an idea in a few words: ``workbench.ideas.answers``."""
