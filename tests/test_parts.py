"""Very many games lie in parts: the same rows as in one file, written, resumed, mended and read like it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import workbench as wb
from tests.report_folders import contents, flip, load, partly, run
from workbench import report
from workbench.cli import app
from workbench.errors import InputError, WorkbenchError
from workbench.questions.experiment import Experiment
from workbench.run.status import FolderState, folder_status
from workbench.store import provenance, record_files, records
from workbench.studio.findings import tally_games

pytestmark = pytest.mark.usefixtures("quick_records")


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a hundred games are very many; the forty games of a cell lie in three files."""
    monkeypatch.setattr(record_files, "MAX_GAMES_IN_ONE_FILE", 100)
    monkeypatch.setattr(record_files, "GAMES_PER_PART", 16)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "trials").iterdir())


def dies_at_part(number: int, what: Experiment, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that plays all games, and is stopped when it has written so many parts of them."""
    write, written = records.write_records, list[Path]()

    def once(path: Path, *others: Any) -> str:
        if path.parent.name == "trials":
            if len(written) == number:
                raise KeyboardInterrupt
            written.append(path)
        return write(path, *others)

    with monkeypatch.context() as dying:
        dying.setattr(records, "write_records", once)
        partly(what, folder, 1000)


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["cell", "game"], ignore_index=True)


@pytest.mark.thorough
@pytest.mark.usefixtures("in_parts")
def test_parts_hold_the_rows_of_the_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    outcome = run(what, tmp_path / "parts")
    assert (outcome.trials, outcome.played) == (tmp_path / "parts" / "trials", 160)
    assert [path.name for path in files(tmp_path / "parts")] == sorted(
        f"{cell.digest}-{start:08d}.parquet" for cell in what.cells() for start in (0, 16, 32)
    )
    assert not (tmp_path / "parts" / "trials.parquet").exists() and not (tmp_path / "parts" / "blocks").exists()
    assert sum(records.verify_records(path).count for path in files(tmp_path / "parts")) == 160
    run(load(tmp_path, block=11), tmp_path / "other-blocks")
    assert [path.read_bytes() for path in files(tmp_path / "parts")] == [
        path.read_bytes() for path in files(tmp_path / "other-blocks")
    ]
    assert run(what, tmp_path / "parts").played == 0
    monkeypatch.setattr(record_files, "MAX_GAMES_IN_ONE_FILE", 160)
    one = run(what, tmp_path / "one").trials
    pd.testing.assert_frame_equal(ordered(pd.read_parquet(tmp_path / "parts" / "trials")), pd.read_parquet(one))
    pd.testing.assert_frame_equal(wb.load(tmp_path / "parts"), wb.load(tmp_path / "one"))
    told = [CliRunner().invoke(app, ["check", str(tmp_path / name)]) for name in ("parts", "one")]
    assert [each.exit_code for each in told] == [0, 0]
    assert told[0].stdout.partition(": ")[2] == told[1].stdout.partition(": ")[2]
    for name in ("parts", "one"):
        report.write_report(tmp_path / name)
    for name in ("summary.csv", "tables/openings.csv"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert tally_games(tmp_path / "parts") == tally_games(tmp_path / "one")


@pytest.mark.thorough
@pytest.mark.usefixtures("in_parts")
def test_a_run_that_dies_while_it_writes_parts_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(load(tmp_path), tmp_path / "whole")
    whole = contents(tmp_path / "whole" / "trials")
    monkeypatch.setattr(record_files, "MAX_GAMES_IN_ONE_FILE", 1000)
    run(load(tmp_path, games=30), tmp_path / "r")
    monkeypatch.setattr(record_files, "MAX_GAMES_IN_ONE_FILE", 100)
    dies_at_part(5, load(tmp_path), tmp_path / "r", monkeypatch)
    assert len(files(tmp_path / "r")) == 5 and (tmp_path / "r" / "trials.parquet").exists()
    assert folder_status(tmp_path / "r", load(tmp_path)).games == 160
    assert len(wb.load(tmp_path / "r")) == 160
    assert run(load(tmp_path), tmp_path / "r").played == 0
    assert contents(tmp_path / "r" / "trials") == whole
    assert not (tmp_path / "r" / "trials.parquet").exists() and not (tmp_path / "r" / "blocks").exists()
    # More games replace each part by one that holds what it held.
    dies_at_part(7, load(tmp_path, games=50), tmp_path / "r", monkeypatch)
    assert run(load(tmp_path, games=50), tmp_path / "r").played == 0
    run(load(tmp_path, games=50), tmp_path / "more")
    assert contents(tmp_path / "r" / "trials") == contents(tmp_path / "more" / "trials")


@pytest.mark.usefixtures("in_parts")
def test_damage_is_named_and_costs_its_games_alone(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    whole = contents(tmp_path / "r" / "trials")
    hurt = tmp_path / "r" / "trials" / f"{what.cells()[2].digest}-{16:08d}.parquet"
    column = pq.read_metadata(hurt).row_group(0).column(6)
    flip(hurt, column.data_page_offset + column.total_compressed_size - 2)
    assert folder_status(tmp_path / "r", what).state is FolderState.DAMAGED
    with pytest.raises(InputError, match=r"damaged: games 16 to 31 of chatra/C, random"):
        report.write_report(tmp_path / "r")
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 16 and outcome.notes[0].startswith(f"{hurt} is damaged: games 16 to 31 of chatra/C")
    assert contents(tmp_path / "r" / "trials") == whole
    hurt.unlink()
    assert "is not what" in folder_status(tmp_path / "r", what).damaged[0]
    with pytest.raises(InputError, match=r"trials is not what provenance\.json speaks of"):
        report.write_report(tmp_path / "r")
    assert run(what, tmp_path / "r").played == 16
    assert contents(tmp_path / "r" / "trials") == whole
    assert folder_status(tmp_path / "r", what).state is FolderState.DONE
    (tmp_path / "r" / "provenance.json").unlink()
    assert run(what, tmp_path / "r").played == 0
    assert set(provenance.load_provenance(tmp_path / "r")["digests"]) >= {"trials"}


@pytest.mark.usefixtures("in_parts")
def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "r" / "trials").mkdir(parents=True)
    (tmp_path / "r" / "trials" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not the workbench's own"):
        run(load(tmp_path), tmp_path / "r", into_existing=True)
    assert not (tmp_path / "r" / "blocks").exists()


@pytest.mark.thorough
@pytest.mark.usefixtures("in_parts")
def test_a_fresh_start_deletes_parts(tmp_path: Path) -> None:
    run(load(tmp_path), tmp_path / "r")
    run(load(tmp_path, games=20), tmp_path / "r", fresh=True)
    assert not (tmp_path / "r" / "trials").exists()
    assert len(pd.read_parquet(tmp_path / "r" / "trials.parquet")) == 80


def test_too_many_games_for_one_table_are_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(load(tmp_path), tmp_path / "r").trials.parent
    whole = wb.load(folder)
    some = ["ruleset", "game", "game_hash"]
    pd.testing.assert_frame_equal(wb.load(folder, columns=some, ruleset="chatra/C"),
                                  whole.loc[whole["ruleset"] == "chatra/C", some])  # fmt: skip
    monkeypatch.setattr("workbench.api.experiments.MAX_VALUES", 160 * 10)
    assert len(wb.load(folder, columns=some)) == 160
    with pytest.raises(WorkbenchError, match=r"160 games with .* columns are too much.*columns="):
        wb.load(folder)
    with pytest.raises(WorkbenchError, match="the records have no column 'plys'"):
        wb.load(folder, columns=["plys"])
    with pytest.raises(WorkbenchError, match="the records have no ruleset 'chatra/D'"):
        wb.load(folder, ruleset="chatra/D")
