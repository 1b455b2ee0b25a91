"""Games that people have played: read from files of games, replayed by the kernels, and written as records of a run."""
