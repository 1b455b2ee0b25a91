"""What a record says of how a game went: lead changes and drama, against a slow count over the replayed game."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from workbench import games
from workbench.engine import contract, trials
from workbench.games.game_state import GameState
from workbench.questions import agents, rulesets
from workbench.store import record_files
from workbench.store.record_files import Note, Segment

pytestmark = pytest.mark.kernel
CHATRA = games.declaration("chatra")
CODES = rulesets.load_ruleset("chatra/2007-09").codes()


def block(first: str, second: str, count: int, max_plies: int) -> dict[str, np.ndarray]:
    players = [agents.agent_from_text(words).player(CHATRA) for words in (first, second)]
    return trials.run_block(
        "chatra", CODES, players[0], players[1], np.arange(count, dtype=np.uint64), max_plies, keep=max_plies
    )


def leads(moves: list[int], weights: list[float]) -> list[float]:
    """The first seat's lead after each ply."""
    game_state = GameState("chatra", CODES)
    seen = np.zeros(len(weights))
    after = []
    for move in moves:
        game_state.push(move)
        contract.features(game_state.rules, game_state.state, seen)
        after.append(math.tanh(float(np.dot(seen, weights)) / 2))
    return after


@pytest.mark.parametrize(
    ("first", "second"), [("greedy", "greedy"), ("greedy:epsilon=0.3,weights.mobility=0.1", "random")]
)
def test_lead_changes_and_drama_are_what_a_replay_says(first: str, second: str) -> None:
    arrays = block(first, second, 12, 150)
    players = [agents.agent_from_text(words).player(CHATRA).weights for words in (first, second)]
    weights = [(a + b) / 2 for a, b in zip(*players, strict=True)]
    decided = 0
    for game in range(12):
        after = leads([int(move) for move in arrays["opening"][game] if move >= 0], weights)
        clear = [lead for lead in after if abs(lead) > trials.EVEN]
        assert arrays["lead_changes"][game] == sum(a * b < 0 for a, b in itertools.pairwise(clear))
        result = arrays["result"][game]
        if result not in (contract.FIRST, contract.SECOND):
            assert math.isnan(arrays["drama"][game])
            continue
        decided += 1
        behind = [abs(lead) for lead in clear if (lead < 0) == (result == contract.FIRST)]
        assert arrays["drama_max"][game] == pytest.approx(max(behind, default=0.0))
        assert arrays["drama"][game] == pytest.approx(np.mean(np.sqrt(behind)) if behind else 0.0)
    assert decided > 3


def test_random_games_have_no_trace() -> None:
    arrays = block("random", "random", 5, 60)
    assert all(np.isnan(arrays[name]).all() for name in ("lead_changes", "drama", "drama_max"))


@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32()])
def test_numbers_that_a_record_lacks_are_null_for_all_who_read_parquet(tmp_path: Path, dtype: pa.DataType) -> None:
    fields = pa.schema([("drama", dtype), ("plies", pa.int32())])
    parts = [
        pa.table({"drama": column, "plies": [7] * len(column)}, fields) for column in ([0.25, math.nan], [None, 0.75])
    ]
    note = Note("", (Segment("0", 0, "", "", "", 0, 4),), {})
    path = record_files.write_file(tmp_path, pa.concat_tables(parts), note).path
    column = pq.read_table(path)["drama"]
    assert column.to_pylist() == [0.25, None, None, 0.75] and pc.mean(column).as_py() == 0.5
    read = pd.read_parquet(path)["drama"]
    assert read.isna().tolist() == [False, True, True, False] and read.mean() == 0.5
