"""Files of every kind, damaged in every way: what is read of them is what was written, or an error in words."""

from __future__ import annotations

import functools
import io
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command_line import ROOT
from tests.report_folders import SAMPLE
from tests.test_damage import KINDS, harm
from workbench.engine import agents
from workbench.errors import WorkbenchError
from workbench.exact import solutions
from workbench.files import output, project
from workbench.games import trust
from workbench.learning import library
from workbench.questions import experiment, rulesets
from workbench.store import ladders, provenance, records, traces

# NumPy leaves a file open that is no archive.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PLAYER = ROOT / "rulesets" / "chess" / "players" / "pawn-sideways-c0a37763a2a82025-1.json"
LADDER = {
    "rules": {"fingerprint": "0123"}, "engine": "4567", "games": 40,
    "players": [{"player": "greedy", "options": {}, "elo": {"value": 12.5}}],
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of file: one of them, and what reads it."""

    content: Callable[[], bytes]
    read: Callable[[Path], Any]
    name: str = "file"
    proves_itself: bool = True
    """Whether the file knows its content: then what is read without an error is what was written."""


def a_player(path: Path) -> Any:
    """What it plays by, which is what the file's digest is of."""
    learned = library._read_training.__wrapped__(str(path), 0)
    return learned.weights, learned.prunes


@functools.cache
def a_net_written() -> bytes:
    star = rulesets.load_ruleset("star/default")
    weights = tuple(float(number % 900) for number in range(library._row_size(star, "net")))
    won = library.Match(1, 0, 0)
    net = library.Learned(
        game=star.game, ruleset=star.name, fingerprint=star.fingerprint, seed=1, version=1, budget={}, weights=weights,
        games=1, positions=1, match=won, pruning=won, evaluation="net", beside=won, worth={"piece": 1.0},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        return library.save_learned(project.Project(Path(folder)), net, star, with_rulesets=True).read_bytes()


def a_ruleset(path: Path) -> Any:
    return rulesets.load_ruleset(path, project.Project(path.parents[2])).settings


def an_experiment(path: Path) -> Any:
    return experiment.load_experiment(path, project.Project(ROOT)).cells()


def some_traces(path: Path) -> Any:
    parts, damaged = traces.read_trace_tables([path])
    return None if damaged else [part.to_pydict() for part in parts]


def whole_records(path: Path) -> Any:
    checked = records.verify_records(path)
    return None if checked.damaged else checked.sha256


def json_of(content: Any) -> bytes:
    return json.dumps(content, indent=1).encode()


@functools.cache
def small_traces() -> bytes:
    """Few traces, whose damage is soon told."""
    names = dict.fromkeys(traces.CELL_COLUMNS, "x")
    game = type("Trace", (), {"evaluations": [1, 2, 3], "legal_moves": [4, 5, 6]})
    place = Path(os.environ["PYTEST_TRACES"])
    records.write_records(
        place, [traces.trace_table(names, "d", [0, 1], [3, 3], [game, game])], traces.trace_schema(), {}
    )
    return place.read_bytes()


def a_solution_written() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, words=np.arange(300, dtype=np.uint64), values=np.arange(300, dtype=np.int32))
    return stream.getvalue()


def a_solution(path: Path) -> Any:
    agents.load_solution.cache_clear()
    words, values = solutions.load_state_values(path, rulesets.load_ruleset("star/default"))
    return words.tobytes(), values.tobytes()


FILES = {
    "records": Kind((SAMPLE / "trials.parquet").read_bytes, whole_records),
    "traces": Kind(small_traces, some_traces),
    "provenance": Kind((SAMPLE / "provenance.json").read_bytes, lambda path: provenance.read_provenance(path.parent),
                       provenance.FILE),
    "player": Kind(PLAYER.read_bytes, a_player),
    "net": Kind(a_net_written, a_player),
    "mark": Kind(lambda: json_of({"files": ["report.html", "tables/x.csv"]}),
                 lambda path: output.listed_files(path.parent), output.MARK, proves_itself=False),
    "ladder": Kind(lambda: json_of(LADDER), ladders.load_ladder, proves_itself=False),
    "solutions": Kind((ROOT / "rulesets" / "solutions.json").read_bytes, solutions._read_exact_results,
                      proves_itself=False),
    "solution": Kind(a_solution_written, a_solution),
    "trust": Kind(lambda: json_of({"trusted": {"/a/game": "0123", "/b": "45"}}), lambda path: trust._remembered(),
                  "workbench/" + trust.FILE, proves_itself=False),
    "ruleset": Kind((ROOT / "rulesets" / "chatra" / "C+D.yaml").read_bytes, a_ruleset,
                    "rulesets/chatra/C+D.yaml", proves_itself=False),
    "experiment": Kind((ROOT / "experiments" / "quickstart.yaml").read_bytes, an_experiment, "experiments/x.yaml",
                       proves_itself=False),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for damaged files, in which the user's trust is kept, too."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PYTEST_TRACES", str(tmp_path / "made"))
    shutil.copytree(ROOT / "rulesets" / "chatra", tmp_path / "rulesets" / "chatra")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "workbench").mkdir()
    small_traces.cache_clear()
    return tmp_path


def plain(value: Any) -> str:
    return repr(value) if not isinstance(value, np.ndarray) else value.tobytes().hex()


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", FILES)
def test_what_is_read_is_what_was_written_or_an_error_in_words(place: Path, kind: str, count: int) -> None:
    file = FILES[kind]
    content, path, rng = file.content(), place / file.name, random.Random(f"{kind}{count}")
    path.write_bytes(content)
    said = plain(file.read(path))
    told = 0
    for number in range(count):
        damaged = harm(content, KINDS[number % len(KINDS)], rng)
        path.write_bytes(damaged)
        try:
            read = file.read(path)
        except (WorkbenchError, records.Unreadable, records.Unavailable, provenance.Damaged) as error:
            assert str(error)
            told += 1
        else:
            told += read is None
            assert not file.proves_itself or read is None or plain(read) == said, (number, damaged[:200])
    assert not file.proves_itself or told > count // 2


@pytest.mark.parametrize("kind", FILES)
def test_a_pipe_in_its_place_is_not_waited_for(place: Path, kind: str) -> None:
    file = FILES[kind]
    path = place / file.name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    try:
        assert not file.read(path)
    except (WorkbenchError, records.Unreadable, records.Unavailable) as error:
        assert "pipe" in str(error), error
    except FileNotFoundError:
        assert kind == "traces"
