"""Games whose columns stay in the files are those whose columns are in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.toy import write_records
from workbench.report.reading import read_report_trials, read_run_provenance
from workbench.store import records, trials
from workbench.store.records import RecordFile
from workbench.store.trials import Trials

SAMPLE = Path(__file__).parent.parent / "reports" / "sample"


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    return pd.read_parquet(SAMPLE / "trials").drop(columns=[column.name for column in records.TRACES])


@pytest.fixture
def few_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MANY_GAMES", 1)


def in_files(sample: pd.DataFrame, folder: Path, *edges: int) -> list[RecordFile]:
    """The records in several files."""
    parts = np.split(np.arange(len(sample)), edges)
    return [records.read_file(write_records(folder, sample.iloc[part])) for part in parts]


@pytest.mark.thorough
@pytest.mark.parametrize("bundle", [1, 1 << 24])
@pytest.mark.usefixtures("few_in_memory")
def test_columns_of_a_cell_are_read_from_the_files(
    sample: pd.DataFrame, tmp_path: Path, bundle: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "MAX_CACHED_NUMBERS", bundle)
    apart, whole = trials.load_trials(in_files(sample, tmp_path, 150, 1033)), Trials.of(sample)
    assert set(apart.games) == set(trials.COLUMNS_IN_MEMORY) and len(apart.files) == 3 and not whole.files
    assert apart.cells == whole.cells and apart.columns == whole.columns
    some = np.random.default_rng(1).random(len(sample)) < 0.3
    for there, here in ((apart, whole), (apart.select(some), whole.select(some))):
        for cell in whole.cells[::5]:
            for column in ("game_hash", "event_captures", "drama", "result"):
                assert list(there.column(cell, column).astype(str)) == list(here.column(cell, column).astype(str))
    order = np.random.default_rng(2).permutation(len(sample))
    pd.testing.assert_frame_equal(apart.take(order).frame(), whole.take(order).frame())
    labels = order[:40].tolist()
    pd.testing.assert_frame_equal(apart.rows(labels), whole.rows(labels))
    assert apart.digest() == apart.take(order).digest() == whole.digest()
    assert apart.select(some).digest() != whole.digest()
    unknown = ("chatra/nothing", "random", "random")
    assert len(apart.cell(unknown)) == len(apart.column(unknown, "drama")) == 0


@pytest.mark.usefixtures("few_in_memory")
def test_what_counts_are_the_games_up_to_the_first_that_is_missing(sample: pd.DataFrame, tmp_path: Path) -> None:
    provenance = read_run_provenance(SAMPLE)
    pairings = list(dict.fromkeys(zip(sample["first"], sample["second"], strict=True)))
    cell = sample[sample["cell"] == 4]
    for start, stop in ((30, 60), (0, 20), (10, 40), (80, 90)):
        write_records(tmp_path, cell.iloc[start:stop])
    found = read_report_trials(tmp_path, provenance | {"digests": {}}, pairings)
    assert found.games["game"].tolist() == list(range(60))
    assert found.frame()["seed"].tolist() == cell["seed"].tolist()[:60]


@pytest.mark.usefixtures("few_in_memory")
def test_a_file_that_changed_meanwhile_is_refused(sample: pd.DataFrame, tmp_path: Path) -> None:
    files = in_files(sample, tmp_path)
    apart = trials.load_trials(files)
    sample.iloc[1:].to_parquet(files[0].path, index=False)
    with pytest.raises(records.Unreadable, match="4,199 rows, not 4,200"):
        apart.column(apart.cells[0], "drama")
    files[0].path.write_bytes(b"")
    with pytest.raises(records.Unreadable):
        apart.column(apart.cells[0], "drama")
