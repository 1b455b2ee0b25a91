"""Effects of rules: which change does what is wished for, by the games of all kept reports."""
