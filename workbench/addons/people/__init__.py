"""Games that people played: files of games become records of a run, to be read beside those of players."""
