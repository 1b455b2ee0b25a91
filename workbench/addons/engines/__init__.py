"""Programs of others: players that speak UCI, and the rules in a file of Fairy-Stockfish's variants."""
