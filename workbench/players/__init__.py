"""Players: their kinds, what they learn and where it is kept, games between them and their judgement of moves."""
