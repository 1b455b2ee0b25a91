"""Rule search: finds, in a space of settings, the rulesets that come closest to a wish."""
