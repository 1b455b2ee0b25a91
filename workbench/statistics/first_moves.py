"""The first moves of many games as numbers: texts are taken apart and compared once, and not once a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.store.records import OPENING_PLIES

Places = npt.NDArray[np.intp]
BATCH = 1 << 18
"""Openings that are taken apart at once."""


@dataclass(frozen=True)
class FirstMoves:
    """The moves with which games began."""

    words: tuple[str, ...]
    """The distinct moves, sorted."""
    codes: npt.NDArray[np.int32]
    """For each game and ply, up to `OPENING_PLIES`, the place of the move among the words; -1 after the game's end."""

    @staticmethod
    def from_openings(openings: pd.Series) -> FirstMoves:
        """The moves of a column ``opening`` of records; a missing one is a game without moves."""
        code_of_word: dict[str, int] = {}
        codes = np.full((len(openings), OPENING_PLIES), -1, dtype=np.int32)
        for start in range(0, len(openings), BATCH):
            texts = pa.array(openings.iloc[start : start + BATCH], pa.string(), from_pandas=True)
            texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
            lists = pc.split_pattern(pc.fill_null(texts, ""), " ")
            flat = lists.flatten().dictionary_encode()
            number = np.array(
                [code_of_word.setdefault(str(word), len(code_of_word)) for word in flat.dictionary.to_pylist()],
                np.int32,
            )
            length = lists.value_lengths().to_numpy()
            ply = np.arange(len(flat)) - np.repeat(np.cumsum(length) - length, length)
            game = np.repeat(np.arange(start, start + len(length)), length)
            within_limit = ply < OPENING_PLIES
            codes[game[within_limit], ply[within_limit]] = number[flat.indices.to_numpy()][within_limit]
        words = sorted(code_of_word)
        # What has no moves is one empty text; the last place is for the -1.
        empty = bool(words) and not words[0]
        rank = np.full(len(words) + 1, -1, dtype=np.int32)
        rank[[code_of_word[word] for word in words]] = np.arange(len(words), dtype=np.int32) - empty
        return FirstMoves(tuple(words[empty:]), rank[codes])

    def openings_by_ply(self) -> Iterator[tuple[int, npt.NDArray[np.bool_], Places, Places, Places]]:
        """For each ply that is reached, the openings of so many plies, sorted as texts.

        Yields the ply, which games reached it, of each opening a game that has it, of each game that reached the ply
        the place of its opening, and how many games each opening has.
        """
        ids = np.zeros(len(self.codes), dtype=np.intp)
        for ply in range(1, self.codes.shape[1] + 1):
            reached = self.codes[:, ply - 1] >= 0
            if not reached.any():
                return
            keys = ids[reached] * len(self.words) + self.codes[reached, ply - 1]
            _, firsts, opening_of_game, counts = np.unique(
                keys, return_index=True, return_inverse=True, return_counts=True
            )
            ids[reached] = opening_of_game
            yield ply, reached, np.flatnonzero(reached)[firsts], opening_of_game, counts

    def text(self, game: int, plies: int) -> str:
        """The first moves of a game."""
        return " ".join(self.words[code] for code in self.codes[game, :plies])
