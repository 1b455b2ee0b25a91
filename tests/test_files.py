"""Report folders: what is written appears whole or not at all, damage is found and mended, foreign files stay."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from tests import fake_engine
from tests.toy import games
from workbench import report
from workbench.cli import app
from workbench.exact import solutions
from workbench.files import output, project
from workbench.files.yamlfile import InputError
from workbench.questions import experiment
from workbench.questions.experiment import Experiment
from workbench.report.reading import read_trials
from workbench.run import errors, manifest, runner
from workbench.run.progress import Progress
from workbench.store import provenance, records

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "reports" / "sample"
TEXT = """\
title: A test
rulesets: [chatra/base, chatra/C]
agents: [random, {{alphabeta: {{depth: 2}}}}]
games: {games}
max_plies: 100
seed: 7
block: {block}
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small row groups, and no waiting for the disk."""
    monkeypatch.setattr(records, "GROUP", 16)
    monkeypatch.setattr(os, "fsync", lambda place: None)


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("figure", "heat_map", "save"):
        monkeypatch.setattr(f"workbench.report.render.matplotlib.{name}", lambda *_, **__: [])


def load(place: Path, games: int = 40, block: int = 7) -> Experiment:
    """A project with two rulesets and one experiment of four cells."""
    own = place / "project"
    (own / "rulesets" / "chatra").mkdir(parents=True, exist_ok=True)
    (own / "experiments").mkdir(exist_ok=True)
    for name, rules in (("base", "{}"), ("C", "{opening: objects-first}")):
        text = f"game: chatra\ntitle: {name}\nrules: {rules}\n"
        (own / "rulesets" / "chatra" / f"{name}.yaml").write_text(text, encoding="utf-8")
    path = own / "experiments" / "test.yaml"
    path.write_text(TEXT.format(games=games, block=block), encoding="utf-8")
    return experiment.load(path, project.Project(own))


def run(what: Experiment, folder: Path, **options: Any) -> runner.Outcome:
    return runner.run(
        what, folder, workers=1, play=fake_engine.play, opening_texts=fake_engine.opening_texts, **options
    )


def partly(what: Experiment, folder: Path, games: int = 60) -> None:
    def look(progress: Progress) -> None:
        if progress.played >= games:
            raise KeyboardInterrupt

    with pytest.raises(errors.Interrupted):
        run(what, folder, on_progress=look)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def call(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def refused(*words: str) -> str:
    result = call(*words)
    assert result.exit_code == 2, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result.stderr


def flip(path: Path, at: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)


# Damage


def test_a_file_of_records_knows_every_bit_of_itself(tmp_path: Path) -> None:
    path = run(load(tmp_path), tmp_path / "r").trials
    whole = path.read_bytes()
    checked = records.check(path)
    assert checked.sealed and not checked.damaged and checked.count == 160
    assert checked.sha256 == hashlib.sha256(whole).hexdigest()
    for at in range(0, len(whole), 371):
        flip(path, at, at % 8)
        with contextlib.suppress(records.Unreadable):
            assert records.check(path).damaged
        path.write_bytes(whole)


def test_the_bit_that_was_read_without_a_word(tmp_path: Path) -> None:
    for name in ("trials.parquet", "provenance.json"):
        shutil.copy(SAMPLE / name, tmp_path)
    flip(tmp_path / "trials.parquet", 6439)
    with pytest.raises(InputError, match="damaged: games 0 to 199 of chatra/2007-09, random – random"):
        report.write(tmp_path)


def test_a_damaged_page_costs_its_games_alone(tmp_path: Path) -> None:
    what = load(tmp_path)
    path = run(what, tmp_path / "r").trials
    whole = path.read_bytes()
    third = pq.read_metadata(path).row_group(3).column(6)
    flip(path, third.data_page_offset + third.total_compressed_size - 2)
    outcome = run(what, tmp_path / "r")
    assert (outcome.kept, outcome.played) == (144, 16)
    assert [note.partition("trials.parquet ")[2] for note in outcome.notes] == [
        "is damaged: games 8 to 23 of chatra/base, alphabeta-2 – alphabeta-2: played again"
    ]
    assert path.read_bytes() == whole
    flip(path, third.data_page_offset + third.total_compressed_size - 2)
    outcome = run(load(tmp_path, games=50), tmp_path / "r")
    assert (outcome.kept, outcome.played) == (144, 56)
    assert run(load(tmp_path, games=50), tmp_path / "r").played == 0


KINDS = ("bit", "zeros", "cut", "swap", "noise", "longer", "empty")


def harm(content: bytes, kind: str, rng: random.Random) -> bytes:
    """A damaged copy."""
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


def fuzz(place: Path, count: int, seed: int) -> dict[str, int]:
    """Damages a file of a folder so often: every damage must be named or harmless, and mended by the next run."""
    rng = random.Random(seed)
    what = load(place, block=20)
    run(what, place / "whole")
    partly(what, place / "part", games=100)
    whole = contents(place / "whole")
    states = {"finished": (place / "whole", whole), "unfinished": (place / "part", contents(place / "part"))}
    tally = {"named": 0, "harmless": 0}
    for number in range(count):
        folder, before = states["finished" if number % 2 else "unfinished"]
        names = [name for name in before if name.endswith((".parquet", ".json"))]
        name = names[number // 2 % 2] if folder.name == "whole" else rng.choice([*names, "provenance.json"])
        kind = KINDS[number % len(KINDS)]
        shutil.rmtree(folder)
        for path, content in before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        (folder / name).write_bytes(harm(before[name], kind, rng))
        same = (folder / name).read_bytes() == before[name]
        clean = True
        try:
            said = provenance.load(folder)
            read, _ = read_trials(folder, said, [(pair["first"], pair["second"]) for pair in said["pairings"]])
        except (InputError, provenance.Damaged):
            clean = False
        else:
            # What a report is made of is what was written.
            assert said == json.loads(before["provenance.json"]), (name, kind)
            assert len(read) == (160 if folder.name == "whole" else len(read))
        outcome = run(what, folder)
        named = any(Path(name).name in note for note in outcome.notes)
        assert named != clean, (name, kind, outcome.notes)
        assert not (same and named)
        tally["named" if named else "harmless"] += 1
        assert outcome.kept + outcome.played == 160
        assert (folder / "trials.parquet").read_bytes() == whole["trials.parquet"]
        assert provenance.load(folder)["digests"]["trials.parquet"] == records.check(outcome.trials).sha256
        if number % 10 == 0:
            assert run(what, folder).notes == ()
    return tally


def test_damage_is_named_or_harmless(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 60, seed=1)["named"] > 45


@pytest.mark.slow
def test_much_damage_is_named_or_harmless(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 600, seed=2)["named"] > 500


def test_a_file_that_cannot_be_read_at_present_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    hidden = sorted((tmp_path / "r" / "blocks").glob("*.parquet"))[3]
    for folder, path in (("r", hidden), ("whole", tmp_path / "whole" / "trials.parquet"),
                         ("whole", tmp_path / "whole" / "provenance.json")):  # fmt: skip
        before = contents(tmp_path / folder)
        with monkeypatch.context() as patch:
            # The mode of a file is nothing to root.
            hide(patch, path)
            with pytest.raises(errors.Unavailable, match=f"(?s){path.name}: Permission denied.*played again"):
                run(what, tmp_path / folder)
            with pytest.raises(InputError, match="Permission denied"):
                report.write(tmp_path / folder)
        assert contents(tmp_path / folder) == before
    assert run(what, tmp_path / "whole").played == 0


def hide(patch: pytest.MonkeyPatch, hidden: Path) -> None:
    opened = open

    def careful(path: Any, *words: Any, **options: Any) -> Any:
        if str(path) == str(hidden):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *words, **options)

    read_bytes = Path.read_bytes
    patch.setattr(records, "open", careful, raising=False)
    patch.setattr(Path, "read_bytes", lambda self: careful(self, "rb").close() if self == hidden else read_bytes(self))


def test_a_lost_provenance_is_made_again(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    before = json.loads((tmp_path / "r" / "provenance.json").read_text(encoding="utf-8"))
    (tmp_path / "r" / "provenance.json").unlink()
    with pytest.raises(InputError, match="if its records are there, run the experiment again"):
        report.write(tmp_path / "r")
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 0
    assert outcome.notes == ("provenance.json is missing: made again from the experiment, without date and machine",)
    after = provenance.load(tmp_path / "r")
    for name in ("experiment", "rulesets", "pairings", "weights", "engines", "digests"):
        assert after[name] == before[name]
    assert "started" not in after and "cpu" not in after and len(after["continued"]) == 1


def test_other_records_than_those_of_the_provenance_are_not_reported(tmp_path: Path) -> None:
    run(load(tmp_path), tmp_path / "r")
    run(load(tmp_path, games=30), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "trials.parquet", tmp_path / "r")
    with pytest.raises(InputError, match="whole, but not the file that provenance.json speaks of"):
        report.write(tmp_path / "r")


def test_a_kill_between_records_and_their_digest_is_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    run(load(tmp_path, games=30), tmp_path / "r")
    what = load(tmp_path)
    save = provenance.save

    def killed(folder: Path, content: Any, digests: Any = None) -> Any:
        if digests is not None:
            raise KeyboardInterrupt
        return save(folder, content, digests)

    with monkeypatch.context() as patch:
        patch.setattr(provenance, "save", killed)
        with pytest.raises(errors.Interrupted):
            run(what, tmp_path / "r")
    said = provenance.load(tmp_path / "r")
    assert said["digests"]["trials.parquet"] != records.check(tmp_path / "r" / "trials.parquet").sha256
    assert len(read_trials(tmp_path / "r", said, [("random", "random")])[0]) == 80
    assert run(what, tmp_path / "r").played == 0
    assert (
        provenance.load(tmp_path / "r")["digests"]["trials.parquet"]
        == records.check(tmp_path / "r" / "trials.parquet").sha256
    )


# Two engines


def test_games_of_two_engines_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    for lost in (False, True):
        if lost:
            for folder in ("r", "whole"):
                (tmp_path / folder / "provenance.json").unlink()
        with monkeypatch.context() as patch:
            patch.setattr(manifest, "_engine", lambda family: "0123456789abcdef")
            with pytest.raises(errors.Differs, match="engine: the games of chatra were played by .* 0123456789abcdef"):
                run(what, tmp_path / "r")
            with pytest.raises(errors.Differs, match="--fresh"):
                run(load(tmp_path, games=41), tmp_path / "whole")
            load(tmp_path)
            # Nothing is mixed where nothing is played.
            assert run(what, tmp_path / "whole").played == 0
    assert provenance.load(tmp_path / "whole")["engines"] == manifest.engines(["chatra"])
    assert run(what, tmp_path / "r").kept > 0
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "_engine", lambda family: "0123456789abcdef")
        assert run(what, tmp_path / "r", fresh=True).played == 160
    assert provenance.load(tmp_path / "r")["engines"] == {"chatra": "0123456789abcdef"}


def test_the_engine_is_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "workbench"
    shutil.copytree(ROOT / "workbench", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("workbench.__file__", str(package / "__init__.py"))
    digest = manifest._engine.__wrapped__
    assert digest("star") == manifest.engines(["star"])["star"] != digest("chess")
    for name, changes in (("engine/agents.py", True), ("games/star/kernel.py", True), ("games/chess/kernel.py", False),
                          ("games/star/rules.py", True), ("questions/agents.py", False)):  # fmt: skip
        before = digest("star")
        with open(package / name, "a", encoding="utf-8") as stream:
            stream.write("\n# another rule\n")
        assert (digest("star") != before) == changes, name
    before = digest("star")
    source = package / "engine" / "rng.py"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert digest("star") == before


# Records of version 0.1


def make_old(folder: Path, version: str = "") -> None:
    """Takes from a folder what version 0.1 did not write."""
    for path in [*folder.glob("trials.parquet"), *folder.glob("blocks/*.parquet")]:
        table = pq.read_table(path)
        note = json.loads(table.schema.metadata[b"workbench"])
        del note["format"]
        note.pop("engine", None), note.pop("engines", None)
        table = table.replace_schema_metadata({b"workbench": json.dumps(note).encode()})
        pq.write_table(table, path, compression="zstd", write_page_checksum=True)
    path = folder / "provenance.json"
    said = json.loads(path.read_text(encoding="utf-8"))
    for name in ("digest", "digests", "engines"):
        said.pop(name, None)
    said["versions"]["workbench"] = version or said["versions"]["workbench"]
    path.write_text(json.dumps(said), encoding="utf-8")
    (folder / output.MARK).unlink()


def test_records_of_version_0_1_are_read_and_continued(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    make_old(tmp_path / "r")
    said = provenance.load(tmp_path / "r")
    _, notes = read_trials(tmp_path / "r", said, [("random", "random")])
    assert notes == ("These records are of version 0.1, without digests: the checksums of their pages were compared.",)
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 0 and "version 0.1, without digests" in outcome.notes[0]
    # From now on a changed bit is found.
    said = provenance.load(tmp_path / "r")
    assert said["digests"]["trials.parquet"] == records.check(tmp_path / "r" / "trials.parquet").sha256
    grown = load(tmp_path, games=50)
    assert run(grown, tmp_path / "r").played == 40
    assert provenance.load(tmp_path / "r")["engines"] == {"chatra": ""}
    assert run(load(tmp_path, games=60), tmp_path / "r").played == 40


def test_a_damaged_page_of_version_0_1_is_found(tmp_path: Path) -> None:
    what = load(tmp_path)
    path = run(what, tmp_path / "r").trials
    make_old(tmp_path / "r")
    column = pq.read_metadata(path).row_group(0).column(6)
    flip(path, column.data_page_offset + column.total_compressed_size - 2)
    with pytest.raises(InputError, match="damaged: games 0 to 39 of chatra/base"):
        report.write(tmp_path / "r")
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 160 and "is damaged" in outcome.notes[0]


def test_old_games_of_another_version_are_not_mixed(tmp_path: Path) -> None:
    what = load(tmp_path)
    for name in ("r", "lost"):
        partly(what, tmp_path / name)
        make_old(tmp_path / name, version="0.0.1")
    with pytest.raises(errors.Differs, match=r"played by version 0\.0\.1"):
        run(what, tmp_path / "r")
    (tmp_path / "lost" / "provenance.json").unlink()
    with pytest.raises(errors.Differs, match="played by an unknown version"):
        run(what, tmp_path / "lost")


def mutants(content: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Copies of JSON content, each with one value taken out or changed to another."""
    places: list[tuple[Any, ...]] = []

    def walk(value: Any, place: tuple[Any, ...]) -> None:
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            places.append((*place, key))
            walk(value[key], (*place, key))

    walk(content, ())
    while True:
        place = rng.choice(places)
        copy = json.loads(json.dumps(content))
        inner = copy
        for key in place[:-1]:
            inner = inner[key]
        value = rng.choice([None, 1, -1, 2.5, 10**30, "", "x", [], [1], {}, {"x": 1}, True, "out"])
        if value == "out":
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
        yield f"{place} = {value}", copy


@pytest.fixture
def reported(tmp_path: Path) -> Path:
    """A folder of games that nobody can replay, so that its report is quick, as version 0.1 left it."""
    folder = tmp_path / "toy"
    trials = pd.concat([games("wl" * 20, "toy/a"), games("wu" * 20, "toy/b")])
    folder.mkdir()
    trials.to_parquet(folder / "trials.parquet")
    content = {
        "experiment": {"name": "toy", "title": "Which?", "baseline": "toy/a", "games": 40, "max_plies": 99, "seed": 1,
                       "targets": {"first_score": [0.1, 0.9], "plies": "<5"}},
        "rulesets": [{"name": name, "title": "A title", "title_ja": "題", "game": "toy", "fingerprint": name,
                      "settings": {"a": 1}} for name in ("toy/a", "toy/b")],
        "pairings": [{"first": "greedy", "second": "greedy", "first_options": {"kind": "greedy"},
                      "second_options": {"kind": "greedy"}}],
        "weights": {"toy": {"a": 1.0}}, "versions": {"workbench": "0.1.0"},
    }  # fmt: skip
    (folder / "provenance.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.mark.usefixtures("no_charts")
def test_an_old_provenance_with_anything_in_it_is_no_traceback(reported: Path) -> None:
    content = json.loads((reported / "provenance.json").read_text(encoding="utf-8"))
    changed = mutants(content, random.Random(3))
    told = 0
    for _ in range(12):
        _, mutant = next(changed)
        (reported / "provenance.json").write_text(json.dumps(mutant), encoding="utf-8")
        try:
            report.write(reported)
        except InputError as error:
            assert "provenance.json" in str(error) or "no games" in str(error)
            told += 1
    assert told > 2


def test_what_a_run_wrote_has_the_shape_that_is_asked_for() -> None:
    # An old provenance that is misread would be made again, and lose its dates.
    for path in (ROOT / "reports").glob("*/provenance.json"):
        assert provenance.read(path.parent)


def test_a_changed_value_in_a_provenance_is_found(tmp_path: Path) -> None:
    run(load(tmp_path), tmp_path / "r")
    path = tmp_path / "r" / "provenance.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    changed = mutants(content, random.Random(4))
    for _ in range(200):
        _, mutant = next(changed)
        if mutant != content and "digest" in mutant:
            path.write_text(json.dumps(mutant), encoding="utf-8")
            with pytest.raises(provenance.Damaged):
                provenance.load(tmp_path / "r")


# Folders and files of others


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("report.md", "trials.parquet", "summary.csv"):
        (mine / name).write_text("mine")
    before = contents(mine)
    monkeypatch.chdir(tmp_path / "project")
    for fresh in ([], ["--fresh", "--yes"]):
        said = refused("run", "test", "--out", str(mine), "--workers", "1", *fresh)
        assert "expected a new or empty folder" in said and "--into-existing" in said and "../mine" in said
        # Room beside the user's files, but not in their place.
        said = refused("run", "test", "--out", str(mine), "--into-existing", *fresh)
        assert all(f"{name}: is not the workbench's own" in said for name in before)
    assert contents(mine) == before
    letters = tmp_path / "letters"
    (letters / "tables").mkdir(parents=True)
    (letters / "letter.txt").write_text("mine")
    (letters / "tables" / "mine.csv").write_text("mine")
    with pytest.raises(InputError, match="expected a new or empty folder"):
        run(what, letters)
    assert run(what, letters, into_existing=True).played == 160
    assert run(what, letters, fresh=True).played == 160
    assert (letters / "letter.txt").read_text() == (letters / "tables" / "mine.csv").read_text() == "mine"


@pytest.mark.usefixtures("no_charts")
def test_a_report_replaces_and_deletes_its_own_files_alone(reported: Path) -> None:
    written = {path.relative_to(reported).as_posix() for path in report.write(reported).files}
    assert "tables/comparisons.csv" in written
    listed = output.marked(reported)
    assert listed and written <= listed
    (reported / "tables" / "mine.csv").write_text("mine")
    (reported / "tables" / "stale.csv").write_text("old")
    owned = provenance.folder(reported)
    owned.names.add("tables/stale.csv")
    owned._mark()
    report.write(reported)
    assert (reported / "tables" / "mine.csv").read_text() == "mine"
    assert not (reported / "tables" / "stale.csv").exists()
    # A name that was not taken when the folder was marked.
    owned.names.remove("tables/comparisons.csv")
    owned._mark()
    before = contents(reported)
    with pytest.raises(InputError, match=r"tables/comparisons\.csv: is not the workbench's own"):
        report.write(reported)
    assert contents(reported) == before


def test_a_damaged_mark_makes_no_folder_foreign(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    for text in (
        "",
        "[1]",
        '{"files": 1}',
        '{"files": [1, "../../escape", "/etc/passwd", "a/../../b", "."]}',
        "[" * 9999,
    ):
        (tmp_path / "r" / output.MARK).write_text(text)
        assert not {"../../escape", "/etc/passwd", "a/../../b", "."} & (output.marked(tmp_path / "r") or set())
        if "passwd" not in text:
            assert run(what, tmp_path / "r").played == 0


def test_names_that_are_no_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path)
    own = tmp_path / "project"
    monkeypatch.chdir(own)
    for name in ("..yaml", "...yaml", ".hidden.yaml", " .yaml", "a .yaml", "a..yaml", "a\nb.yaml"):
        path = own / "experiments" / name
        path.write_text(TEXT.format(games=2, block=7), encoding="utf-8")
        assert "expected a name for a report folder" in refused("run", f"experiments/{name}"), name
        assert "expected a name for a report folder" in refused("check", f"experiments/{name}"), name
        path.unlink()
    assert "empty name" in refused("run", "test", "--out", "")
    assert "empty name" in refused("calibrate", "--out", " ")
    assert "empty name" in refused("report", "")
    assert "empty name" in refused("init", "")
    assert sorted(path.name for path in own.iterdir()) == ["experiments", "rulesets"]


def test_experiments_can_be_run_where_their_pictures_are_kept() -> None:
    for path in (ROOT / "reports").iterdir():
        if path.name in experiment.names(project.Project(ROOT)):
            held = {str(one.relative_to(path)) for one in path.rglob("*") if one.is_file()} - {output.MARK}
            listed = output.marked(path)
            assert listed is not None and held <= listed, path


# Links that lead elsewhere


def edit(owned: output.Folder, *names: str) -> None:
    with owned.edition(replaces="tables/*.csv") as stage:
        (stage / "tables").mkdir()
        for name in names:
            output.write(stage / name, b"new")


@pytest.mark.usefixtures("no_charts")
def test_planted_links_are_not_followed(tmp_path: Path, reported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    for name in (".bashrc", "mine.csv", "mine.parquet", "0123456789abcdef-00000000.parquet"):
        (home / name).write_text("mine")
    before = contents(home)
    # Under the names that temporary files had once.
    for name in ("report.html.tmp", "report.md.tmp", "provenance.json.tmp", "trials.parquet.tmp"):
        (reported / name).symlink_to(home / ".bashrc")
    report.write(reported)
    owned = provenance.folder(reported)
    for name, target in (("report.html", ".bashrc"), ("tables", ""), (output.MARK, ".bashrc")):
        path = reported / name
        aside = reported.with_name("aside")
        path.rename(aside)
        path.symlink_to(home / target)
        with pytest.raises(InputError, match="is a link"):
            edit(owned, "report.html", "tables/new.csv")
        with pytest.raises(InputError, match="is a link"):
            output.write(path if name != "tables" else path / "mine.csv", b"new")
        path.unlink()
        aside.rename(path)
        owned.names.discard("tables/new.csv")
    (tmp_path / "elsewhere").symlink_to(home)
    with pytest.raises(InputError, match="is a link"):
        run(what, tmp_path / "elsewhere")
    partly(what, tmp_path / "r")
    shutil.move(tmp_path / "r" / "blocks", tmp_path / "blocks")
    (tmp_path / "r" / "blocks").symlink_to(home)
    for fresh in (True, False):
        with pytest.raises(InputError, match="blocks: is a link"):
            run(what, tmp_path / "r", fresh=fresh)
    assert contents(home) == before
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "reports").symlink_to(home)
    assert "a link leads out of the project folder" in refused("run", "test")
    (tmp_path / "project" / "reports").unlink()
    (tmp_path / "project" / "reports").mkdir()
    (tmp_path / "project" / "reports" / "test").symlink_to(home)
    assert "a link leads out of the project folder" in refused("run", "test")
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json.tmp").symlink_to(home / ".bashrc")
    assert call("schema", "--write").exit_code == 0
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json").unlink()
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json").symlink_to(home / ".bashrc")
    assert "is a link" in refused("schema", "--write")
    assert contents(home) == before


# A disk that is full


def full(patch: pytest.MonkeyPatch, after: int) -> None:
    """Lets the disk be full after so many files."""
    written = iter(range(10_000))

    def sync(place: int) -> None:
        if next(written) >= after:
            raise OSError(errno.ENOSPC, "No space left on device")

    patch.setattr(os, "fsync", sync)


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("after", [0, 4])
def test_a_full_disk_leaves_the_old_report(reported: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    report.write(reported)
    (reported / "report.md").write_text("of before")
    before = contents(reported)
    with monkeypatch.context() as patch:
        full(patch, after)
        said = refused("report", str(reported))
    assert f"{reported.name} cannot be written: No space left on device. Nothing in it was changed" in said
    assert "records are kept. To try again: workbench report" in said
    assert contents(reported) == before


def test_a_full_disk_in_the_middle_of_a_run_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "whole")
    kept = 0
    # Blocks, provenance and records in turn: each file is flushed, and then its folder.
    for after in (0, 3, 9, 30, 9, 4):
        with monkeypatch.context() as patch:
            full(patch, after)
            with pytest.raises(errors.Unwritten, match="r cannot be written: No space left on device.*games are kept"):
                run(what, tmp_path / "r")
        assert not list((tmp_path / "r").rglob("*.tmp"))
        kept = len(list((tmp_path / "r").glob("blocks/*.parquet")))
    assert kept > 15
    run(what, tmp_path / "r")
    assert (tmp_path / "r" / "trials.parquet").read_bytes() == (tmp_path / "whole" / "trials.parquet").read_bytes()


def test_one_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.txt"
    output.write(path, b"old")
    with monkeypatch.context() as patch:
        full(patch, 0)
        with pytest.raises(output.Unwritable, match="cannot be written: No space left on device"):
            output.write(path, b"new")
    with pytest.raises(InputError, match="there is such a file already"):
        output.write(path, b"new", new=True)
    with contextlib.suppress(KeyboardInterrupt), output.writing(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert contents(tmp_path) == {"one.txt": b"old"}


def test_what_a_killed_process_left_is_swept_away(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    old, young, mine = (tmp_path / "r" / name for name in (".workbench-0.tmp", ".workbench-1.tmp", "mine.tmp"))
    for path in (old, young, mine):
        path.touch()
    os.utime(old, (1, 1))
    run(what, tmp_path / "r")
    assert not old.exists() and young.exists() and mine.exists()


SMALL_DISK = """
set -e
mount -t tmpfs -o size=$SIZE none "$DISK"
cp -r "$FROM"/. "$DISK"
find "$DISK" -type f | sort | xargs sha256sum > "$DISK.before"
if [ -n "$READ_ONLY" ]; then mount -o remount,ro "$DISK"; fi
set +e
"$PYTHON" -m workbench report "$DISK" 2> "$DISK.said" > /dev/null
echo $? > "$DISK.code"
find "$DISK" -type f | sort | xargs sha256sum > "$DISK.after"
"""


def on_a_small_disk(place: Path, source: Path, size: str, read_only: bool) -> tuple[int, str, bool]:
    """Writes a report on a disk of its own: the exit code, what was said, and whether the disk is as it was."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("mounting takes root")
    disk = place / "disk"
    disk.mkdir()
    names = {
        "DISK": disk,
        "FROM": source,
        "SIZE": size,
        "READ_ONLY": "1" if read_only else "",
        "PYTHON": sys.executable,
    }
    environment = os.environ | {name: str(value) for name, value in names.items()}
    subprocess.run(["unshare", "-m", "bash", "-c", SMALL_DISK], cwd=ROOT, env=environment, check=True)
    said, code, before, after = (Path(f"{disk}.{name}").read_text() for name in ("said", "code", "before", "after"))
    return int(code), said, before == after


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "read_only", "why"), [("900k", False, "No space left on device"), ("9m", True, "Read-only file system")]
)
def test_a_real_full_or_read_only_disk(tmp_path: Path, size: str, read_only: bool, why: str) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("trials.parquet", "provenance.json"):
        shutil.copy(SAMPLE / name, source)
    # The folder has had a mark, as after a run.
    provenance.folder(source)
    code, said, same = on_a_small_disk(tmp_path, source, size, read_only)
    assert code == 2 and same, said
    assert f"disk cannot be written: {why}. Nothing in it was changed, and its records are kept." in said
    assert "Traceback" not in said


def test_solutions_are_kept_beside_nothing_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "reports" / "solutions"
    place.mkdir(parents=True)
    (place / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="expected a new or empty folder"):
        output.claim(place, [solutions.FILE], [] if solutions._read(place / solutions.FILE) else None)
