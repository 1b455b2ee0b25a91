"""How a game went, in records and ply by ply in traces: against a slow count over the replayed game, and in runs."""

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

from tests.report_folders import record_bytes, stop_after
from tests.toy import write_records
from workbench import games as families
from workbench import report
from workbench.base import project
from workbench.engine import contract
from workbench.engine import trials as engine
from workbench.engine.agents import prepare_workspace
from workbench.engine.players import BlockArguments
from workbench.engine.search.memory import SIZE
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.players import agents
from workbench.positions.game_state import UNIT, GameState, traces
from workbench.records import records, trials
from workbench.records.records import Note, RecordFile, Segment
from workbench.records.trials import Trials
from workbench.report.folders import read_report_trials, read_run_provenance
from workbench.rules import rulesets
from workbench.runs import progress, runner

pytestmark = pytest.mark.usefixtures("no_charts")
CHATRA = families.declaration("chatra")
CODES = rulesets.load_ruleset("chatra/2007-09").codes()
EXPERIMENT = """\
title: A test
rulesets: [star/default, star/no-foul]
agents: [random, greedy]
games: {games}
max_plies: 60
seed: 3
block: {block}
"""


def block(first: str, second: str, count: int, max_plies: int) -> dict[str, np.ndarray]:
    players = [agents.agent_from_text(words).player(CHATRA) for words in (first, second)]
    seeds = np.arange(count, dtype=np.uint64)
    return engine.run_block(BlockArguments("chatra", CODES, players[0], players[1], seeds, max_plies, keep=max_plies))


def leads(moves: list[int], weights: list[float]) -> list[float]:
    game_state = GameState("chatra", CODES)
    seen = np.zeros(len(weights))
    after = []
    for move in moves:
        game_state.push(move)
        contract.features(game_state.rules, game_state.state, seen)
        after.append(math.tanh(float(np.dot(seen, weights)) / 2))
    return after


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("first", "second"), [("greedy", "greedy"), ("greedy:epsilon=0.3,weights.mobility=0.1", "random")]
)
def test_records_and_traces_say_what_a_replay_says(first: str, second: str) -> None:
    arrays = block(first, second, 12, 150)
    one, other = (agents.agent_from_text(words).player(CHATRA) for words in (first, second))
    weights = [(a + b) / 2 for a, b in zip(one.weights, other.weights, strict=True)]
    found = traces("chatra", CODES, one, other, arrays["opening"])
    decided = 0
    for game in range(12):
        after = leads([int(move) for move in arrays["opening"][game] if move >= 0], weights)
        assert found[game].evaluations / UNIT == pytest.approx(after, abs=1 / UNIT)
        if first == second:
            assert arrays["legal_moves"][game] == pytest.approx(found[game].legal_moves.mean())
        clear = [lead for lead in after if abs(lead) > engine.EVEN]
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


@pytest.mark.kernel
def test_random_games_have_no_trace() -> None:
    arrays = block("random", "random", 5, 60)
    player = agents.agent_from_text("random").player(CHATRA)
    assert all(np.isnan(arrays[name]).all() for name in ("lead_changes", "drama", "drama_max"))
    assert traces("chatra", CODES, player, player, arrays["opening"]) == []


@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32()])
def test_numbers_that_a_record_lacks_are_null_for_all_who_read_parquet(tmp_path: Path, dtype: pa.DataType) -> None:
    fields = pa.schema([("drama", dtype), ("plies", pa.int32())])
    columns = ([0.25, math.nan], [None, 0.75])
    parts = [pa.table({"drama": column, "plies": [7, 7]}, fields) for column in columns]
    note = Note("", (Segment("0", 0, "", "", "", 0, 4),), {})
    path = records.write_file(tmp_path, pa.concat_tables(parts), note).path
    column = pq.read_table(path)["drama"]
    assert column.to_pylist() == [0.25, None, None, 0.75] and pc.mean(column).as_py() == 0.5
    read = pd.read_parquet(path)["drama"]
    assert read.isna().tolist() == [False, True, True, False] and read.mean() == 0.5


@pytest.mark.family("draughts")
@pytest.mark.kernel
def test_learned_weights_are_those_that_led_in_the_records() -> None:
    ruleset = rulesets.load_ruleset("draughts/english-4x4")
    plain = agents.agent_from_text("greedy").player(families.declaration("draughts"))
    rules = engine.make_rules("draughts", ruleset.codes())
    size = int(prepare_workspace(rules, 1, plain).layout[SIZE])
    weights = np.random.default_rng(1).normal(0, 0.7, size)
    weights[-1] = 4.0  # units on a full board
    learned = plain._replace(agent=plain.agent._replace(learned=1), weights=tuple(weights))
    played = engine.run_block(BlockArguments("draughts", ruleset.codes(), learned, plain, np.arange(40), 60, keep=60))
    found = traces("draughts", ruleset.codes(), learned, plain, played["opening"])
    behind = 0
    for number, (trace, result) in enumerate(zip(found, played["result"], strict=True)):
        if result in (1, 2):
            leads = trace.evaluations / UNIT
            worst = float(max(0.0, *(-leads if result == 1 else leads)))
            assert played["drama_max"][number] == pytest.approx(worst if worst > engine.EVEN else 0.0, abs=1 / UNIT)
            behind += worst > engine.EVEN
    assert behind


def load(place: Path, games: int = 130, block: int = 25) -> Experiment:
    (place / "project" / "experiments").mkdir(parents=True, exist_ok=True)
    path = place / "project" / "experiments" / "test.yaml"
    path.write_text(EXPERIMENT.format(games=games, block=block), encoding="utf-8")
    return experiment.load_experiment(path, project.find_project())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole")
    runner.run_experiment(load(place), place / "r", workers=1)
    return place / "r"


def test_the_first_games_of_each_cell_are_traced(whole: Path) -> None:
    found = records.read_traces(whole)
    trials = pd.read_parquet(whole / "trials")
    assert found.groupby(["ruleset", "first"])["game"].agg(["min", "max", "count"]).reset_index().values.tolist() == [
        [name, "greedy", 0, records.TRACED_GAMES - 1, records.TRACED_GAMES] for name in ("star/default", "star/no-foul")
    ]
    both = found.merge(trials, on=["ruleset", "first", "second", "game"])
    assert len(both) == len(found) and (both["plies_x"] == both["plies_y"]).all()
    assert (both["evaluations"].map(len) == both["plies_x"]).all()


def test_traces_do_not_depend_on_blocks_or_interruptions(whole: Path, tmp_path: Path) -> None:
    for number, block in enumerate((40, 130)):
        what = load(tmp_path / str(number), block=block)
        folder = tmp_path / str(number) / "r"
        for played in (60, 100):
            with pytest.raises(progress.RunInterrupted):
                runner.run_experiment(what, folder, workers=1, on_progress=stop_after(played))
        runner.run_experiment(what, folder, workers=1)
        assert record_bytes(folder) == record_bytes(whole)


@pytest.mark.thorough
def test_a_run_that_is_going_on_has_portraits_too(tmp_path: Path) -> None:
    with pytest.raises(progress.RunInterrupted):
        runner.run_experiment(load(tmp_path), tmp_path / "r", workers=1, on_progress=stop_after(200))
    report.write_report(tmp_path / "r")
    table = pd.read_csv(tmp_path / "r" / "tables" / "portraits.csv")
    greedy = table[table["first"] == "greedy"]
    assert greedy["traced"].tolist() == [50, 50]


SAMPLE = Path(__file__).parent / "data" / "sample"


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    return pd.read_parquet(SAMPLE / "trials").drop(columns=[column.name for column in records.TRACES])


@pytest.fixture
def few_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MANY_GAMES", 1)


def in_files(sample: pd.DataFrame, folder: Path, *edges: int) -> list[RecordFile]:
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
