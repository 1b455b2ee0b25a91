"""Damaged files: what is read of them is what was written, or an error in words; what a run wrote is mended."""

from __future__ import annotations

import errno
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
from tests.report_folders import SAMPLE, contents, flip, load, partly, record_bytes, run
from tests.toy import games, write_records
from workbench import report
from workbench.base import output, project
from workbench.base.errors import InputError, WorkbenchError
from workbench.engine import agents
from workbench.experiments import experiment
from workbench.games import added
from workbench.players import library
from workbench.records import provenance, records
from workbench.records.provenance import load_ladder
from workbench.rules import rulesets
from workbench.runs import progress, worker
from workbench.runs.progress import FolderState, folder_status

UNCLOSED = "ignore::pytest.PytestUnraisableExceptionWarning"  # NumPy leaves a file open that is no archive
pytestmark = [pytest.mark.usefixtures("quick_records"), pytest.mark.filterwarnings(UNCLOSED)]
KINDS = ("bit", "zeros", "cut", "swap", "noise", "longer", "empty")


def harm(content: bytes, kind: str, rng: random.Random) -> bytes:
    changed = bytearray(content)
    at = rng.randrange(len(content))
    size = rng.choice((1, 4, 64, 512, 4096))
    if kind == "bit":
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == "zeros":
        changed[at : at + size] = bytes(len(changed[at : at + size]))
    elif kind == "cut":
        del changed[at:]
    elif kind == "swap":
        other = rng.randrange(len(content))
        changed[at], changed[other] = changed[other], changed[at]
    elif kind == "noise":
        changed[at : at + size] = rng.randbytes(len(changed[at : at + size]))
    elif kind == "longer":
        changed += rng.randbytes(size)
    else:
        changed.clear()
    return bytes(changed)


PLAYER = ROOT / "rulesets" / "chess" / "players" / "pawn-sideways-c0a37763a2a82025-1.json"
LADDER = {
    "rules": {"fingerprint": "0123"}, "engine": "4567", "games": 40,
    "players": [{"player": "greedy", "options": {}, "elo": {"value": 12.5}}],
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    content: Callable[[], bytes]
    read: Callable[[Path], Any]
    name: str = "file"
    """Nothing: that of the records."""
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


def json_of(content: Any) -> bytes:
    return json.dumps(content, indent=1).encode()


@functools.cache
def some_records() -> tuple[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = write_records(Path(folder), games("wld" * 20))
        return path.name, path.read_bytes()


def a_solution_written() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, words=np.arange(300, dtype=np.uint64), values=np.arange(300, dtype=np.int32))
    return stream.getvalue()


def a_solution(path: Path) -> Any:
    agents.load_solution.cache_clear()
    words, values = library.load_state_values(path, rulesets.load_ruleset("star/default"))
    return words.tobytes(), values.tobytes()


FILES = {
    "records": Kind(lambda: some_records()[1], lambda path: records.read_file(path).sha256, ""),
    "provenance": Kind((SAMPLE / "provenance.json").read_bytes, lambda path: provenance.read_provenance(path.parent),
                       provenance.FILE),
    "player": Kind(PLAYER.read_bytes, a_player),
    "net": Kind(a_net_written, a_player),
    "mark": Kind(lambda: json_of({"files": ["report.html", "tables/x.csv"]}),
                 lambda path: output.listed_files(path.parent), output.MARK, proves_itself=False),
    "ladder": Kind(lambda: json_of(LADDER), load_ladder, proves_itself=False),
    "solutions": Kind((ROOT / "rulesets" / "solutions.json").read_bytes, library.read_exact_results,
                      proves_itself=False),
    "solution": Kind(a_solution_written, a_solution),
    "trust": Kind(lambda: json_of({"trusted": {"/a/game": "0123", "/b": "45"}}), lambda path: added._trusted_folders(),
                  "workbench/" + added.TRUSTED, proves_itself=False),
    "ruleset": Kind((ROOT / "rulesets" / "chatra" / "C+D.yaml").read_bytes, a_ruleset,
                    "rulesets/chatra/C+D.yaml", proves_itself=False),
    "experiment": Kind((ROOT / "experiments" / "quickstart.yaml").read_bytes, an_experiment, "experiments/x.yaml",
                       proves_itself=False),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for damaged files, in which the user's trust is kept, too."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    shutil.copytree(ROOT / "rulesets" / "chatra", tmp_path / "rulesets" / "chatra")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "workbench").mkdir()
    return tmp_path


def plain(value: Any) -> str:
    return repr(value) if not isinstance(value, np.ndarray) else value.tobytes().hex()


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", FILES)
def test_what_is_read_is_what_was_written_or_an_error_in_words(place: Path, kind: str, count: int) -> None:
    file = FILES[kind]
    content, path, rng = file.content(), place / (file.name or some_records()[0]), random.Random(f"{kind}{count}")
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
    path = place / (file.name or some_records()[0])
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    try:
        assert not file.read(path)
    except (WorkbenchError, records.Unreadable, records.Unavailable) as error:
        assert "pipe" in str(error), error


def test_damage_is_named_and_costs_its_games_alone(tmp_path: Path) -> None:
    what, folder = load(tmp_path), tmp_path / "r"
    run(what, folder)
    whole = record_bytes(folder)
    hurt = folder / sorted(whole)[3]
    games_of = records.read_file(hurt).note.segments
    flip(hurt, 200)
    assert folder_status(folder, what).state is FolderState.DAMAGED
    with pytest.raises(InputError, match=rf"{hurt.name}: damaged"):
        report.write_report(folder)
    outcome = run(what, folder)
    assert outcome.played == sum(one.count for one in games_of) == 16
    cell = f"{games_of[0].ruleset}, {games_of[0].first} – {games_of[0].second}"
    assert outcome.notes == (f"{hurt} is damaged: games of {cell} starting at {games_of[0].start}: played again",)
    assert record_bytes(folder) == whole
    hurt.unlink()
    assert "but missing" in folder_status(folder, what).damaged[0]
    with pytest.raises(InputError, match=r"is listed in provenance\.json but missing"):
        report.write_report(folder)
    assert run(what, folder).played == 16
    assert record_bytes(folder) == whole and folder_status(folder, what).state is FolderState.DONE


def test_a_file_that_cannot_be_read_at_present_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    for folder, path in (("r", sorted((tmp_path / "r" / "trials").iterdir())[3]),
                         ("whole", sorted((tmp_path / "whole" / "trials").iterdir())[3]),
                         ("whole", tmp_path / "whole" / "provenance.json")):  # fmt: skip
        before = contents(tmp_path / folder)
        with monkeypatch.context() as patch:
            # The mode of a file is nothing to root.
            hide(patch, path)
            with pytest.raises(progress.FolderUnreadable, match=f"(?s){path.name}: Permission denied.*played again"):
                run(what, tmp_path / folder)
            with pytest.raises(InputError, match="Permission denied"):
                report.write_report(tmp_path / folder)
        assert contents(tmp_path / folder) == before
    assert run(what, tmp_path / "whole").played == 0


def hide(patch: pytest.MonkeyPatch, hidden: Path) -> None:
    read_bytes = Path.read_bytes

    def careful(path: Path) -> bytes:
        if path == hidden:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read_bytes(path)

    patch.setattr(Path, "read_bytes", careful)


def test_a_lost_provenance_is_made_again(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    before = json.loads((tmp_path / "r" / "provenance.json").read_text(encoding="utf-8"))
    (tmp_path / "r" / "provenance.json").unlink()
    with pytest.raises(InputError, match="if the records are there, run the experiment again"):
        report.write_report(tmp_path / "r")
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 0
    recreated = "provenance.json was missing or damaged: recreated from the experiment, without date and machine"
    assert outcome.notes == (recreated,)
    after = provenance.load_provenance(tmp_path / "r")
    for name in ("experiment", "rulesets", "pairings", "weights", "engines", "digests"):
        assert after[name] == before[name]
    assert "started" not in after and "cpu" not in after and len(after["continued"]) == 1


@pytest.mark.nightly
def test_games_of_two_engines_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    for lost in (False, True):
        if lost:
            for folder in ("r", "whole"):
                (tmp_path / folder / "provenance.json").unlink()
        with monkeypatch.context() as patch:
            patch.setattr(worker, "_engine_digest", lambda family: "0123456789abcdef")
            with pytest.raises(progress.FolderMismatch, match="chatra was played with version .* 0123456789abcdef"):
                run(what, tmp_path / "r")
            with pytest.raises(progress.FolderMismatch, match="--fresh"):
                run(load(tmp_path, games=41), tmp_path / "whole")
            load(tmp_path)
            assert run(what, tmp_path / "whole").played == 0
    assert provenance.load_provenance(tmp_path / "whole")["engines"] == worker.engine_digests(["chatra"])
    assert run(what, tmp_path / "r").resumed > 0
    with monkeypatch.context() as patch:
        patch.setattr(worker, "_engine_digest", lambda family: "0123456789abcdef")
        assert run(what, tmp_path / "r", fresh=True).played == 160
    assert provenance.load_provenance(tmp_path / "r")["engines"] == {"chatra": "0123456789abcdef"}


def test_the_engine_is_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "workbench"
    shutil.copytree(ROOT / "workbench", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("workbench.__file__", str(package / "__init__.py"))
    monkeypatch.setattr("workbench.games.__path__", [str(package / "games")])
    digest = worker._engine_digest.__wrapped__
    assert digest("star") == worker.engine_digests(["star"])["star"] != digest("chess")
    for name, changes in (("engine/agents.py", True), ("games/star/kernel.py", True), ("games/chess/kernel.py", False),
                          ("games/star/rules.py", True), ("players/agents.py", False)):  # fmt: skip
        before = digest("star")
        with open(package / name, "a", encoding="utf-8") as stream:
            stream.write("\n# another rule\n")
        assert (digest("star") != before) == changes, name
    before = digest("star")
    source = package / "engine" / "rng.py"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert digest("star") == before
