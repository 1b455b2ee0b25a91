"""Report folders among the files of others: what is written appears whole or not at all, foreign files stay."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import few
from tests.command_line import ROOT, call, refused
from tests.report_folders import contents, load, partly, record_bytes, run
from workbench import report
from workbench.base import output, project
from workbench.base.errors import InputError
from workbench.experiments import experiment
from workbench.records import provenance
from workbench.runs import progress

pytestmark = pytest.mark.usefixtures("quick_records")


@pytest.mark.thorough
def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("report.md", "trials", "summary.csv"):
        (mine / name).write_text("mine")
    before = contents(mine)
    monkeypatch.chdir(tmp_path / "project")
    for fresh in ([], ["--fresh", "--yes"]):
        said = refused("run", "test", "--out", str(mine), "--workers", "1", *fresh)
        assert "expected a new or empty folder" in said and "--into-existing" in said and "../mine" in said
        # Room beside the user's files, but not in their place.
        said = refused("run", "test", "--out", str(mine), "--into-existing", *fresh)
        assert all(f"{name}: was not written by the workbench" in said for name in before)
    assert contents(mine) == before
    letters = tmp_path / "letters"
    (letters / "tables").mkdir(parents=True)
    (letters / "letter.txt").write_text("mine")
    (letters / "tables" / "mine.csv").write_text("mine")
    with pytest.raises(InputError, match="expected a new or empty folder"):
        run(what, letters)
    assert run(what, letters, into_existing=True).played == 160
    (letters / "trials" / "mine.txt").write_text("mine")
    assert run(what, letters, fresh=True).played == 160
    for name in ("letter.txt", "tables/mine.csv", "trials/mine.txt"):
        assert (letters / name).read_text() == "mine"


@pytest.mark.thorough
@pytest.mark.usefixtures("no_charts")
def test_a_report_replaces_and_deletes_its_own_files_alone(reported: Path) -> None:
    written = {path.relative_to(reported).as_posix() for path in report.write_report(reported).files}
    assert "tables/comparisons.csv" in written
    listed = output.listed_files(reported)
    assert listed and written <= listed
    (reported / "tables" / "mine.csv").write_text("mine")
    (reported / "tables" / "stale.csv").write_text("old")
    owned = provenance.claim_report_folder(reported)
    owned.names.add("tables/stale.csv")
    owned._mark()
    report.write_report(reported)
    assert (reported / "tables" / "mine.csv").read_text() == "mine"
    assert not (reported / "tables" / "stale.csv").exists()
    # A name that was not taken when the folder was marked.
    owned.names.remove("tables/comparisons.csv")
    owned._mark()
    before = contents(reported)
    with pytest.raises(InputError, match=r"tables/comparisons\.csv: was not written by the workbench"):
        report.write_report(reported)
    assert contents(reported) == before


def test_a_damaged_mark_makes_no_folder_foreign(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    foreign = '{"files": [1, "../../escape", "/etc/passwd", "a/../../b", "."]}'
    for text in ("", "[1]", '{"files": 1}', foreign, "[" * 9999):
        (tmp_path / "r" / output.MARK).write_text(text)
        assert not {"../../escape", "/etc/passwd", "a/../../b", "."} & (output.listed_files(tmp_path / "r") or set())
        if "passwd" not in text:
            assert run(what, tmp_path / "r").played == 0


def test_names_that_are_no_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path)
    own = tmp_path / "project"
    monkeypatch.chdir(own)
    for name in ("..yaml", "...yaml", ".hidden.yaml", " .yaml", "a .yaml", "a..yaml", "a\nb.yaml"):
        path = own / "experiments" / name
        shutil.copy(own / "experiments" / "test.yaml", path)
        assert "expected a name that " in refused("run", f"experiments/{name}"), name
        assert "expected a name that " in refused("check", f"experiments/{name}"), name
        path.unlink()
    assert "empty name" in refused("run", "test", "--out", "")
    assert "empty name" in refused("report", "")
    assert "empty name" in refused("init", "")
    assert sorted(path.name for path in own.iterdir()) == ["experiments", "rulesets"]


def test_experiments_can_be_run_where_their_pictures_are_kept() -> None:
    for path in (ROOT / "reports").iterdir():
        # A folder with records is a run of this checkout's user, as README's first command makes.
        if path.name in experiment.experiment_names(project.Project(ROOT)) and not (path / "trials").exists():
            held = {str(one.relative_to(path)) for one in path.rglob("*") if one.is_file()} - {output.MARK}
            listed = output.listed_files(path)
            assert listed is not None and held <= listed, path


def edit(owned: output.Folder, *names: str) -> None:
    with owned.transaction(replaces="tables/*.csv") as stage:
        (stage / "tables").mkdir()
        for name in names:
            output.write_file(stage / name, b"new")


@pytest.mark.thorough
@pytest.mark.usefixtures("no_charts")
def test_planted_links_are_not_followed(tmp_path: Path, reported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    for name in (".bashrc", "mine.csv", "mine.parquet", "0123456789abcdef-00000000-0123456789abcdef.parquet"):
        (home / name).write_text("mine")
    before = contents(home)
    # Under the names that temporary files had once.
    for name in ("report.html.tmp", "report.md.tmp", "provenance.json.tmp"):
        (reported / name).symlink_to(home / ".bashrc")
    report.write_report(reported)
    owned = provenance.claim_report_folder(reported)
    for name, target in (("report.html", ".bashrc"), ("tables", ""), (output.MARK, ".bashrc")):
        path = reported / name
        aside = reported.with_name("aside")
        path.rename(aside)
        path.symlink_to(home / target)
        with pytest.raises(InputError, match="is a link"):
            edit(owned, "report.html", "tables/new.csv")
        with pytest.raises(InputError, match="is a link"):
            output.write_file(path if name != "tables" else path / "mine.csv", b"new")
        path.unlink()
        aside.rename(path)
        owned.names.discard("tables/new.csv")
    (tmp_path / "elsewhere").symlink_to(home)
    with pytest.raises(InputError, match="is a link"):
        run(what, tmp_path / "elsewhere")
    partly(what, tmp_path / "r")
    shutil.move(tmp_path / "r" / "trials", tmp_path / "trials")
    (tmp_path / "r" / "trials").symlink_to(home)
    for fresh in (True, False):
        with pytest.raises(InputError, match="trials: is a link"):
            run(what, tmp_path / "r", fresh=fresh)
    assert contents(home) == before
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "reports").symlink_to(home)
    assert "a link points outside the project folder" in refused("run", "test")
    (tmp_path / "project" / "reports").unlink()
    (tmp_path / "project" / "reports").mkdir()
    (tmp_path / "project" / "reports" / "test").symlink_to(home)
    assert "a link points outside the project folder" in refused("run", "test")
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json.tmp").symlink_to(home / ".bashrc")
    assert call("schema", "--write").exit_code == 0
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json").unlink()
    (tmp_path / "project" / "rulesets" / "ruleset.schema.json").symlink_to(home / ".bashrc")
    assert "is a link" in refused("schema", "--write")
    assert contents(home) == before


def full(patch: pytest.MonkeyPatch, after: int) -> None:
    """Lets the disk be full after so many files."""
    written = iter(range(10_000))

    def sync(place: int) -> None:
        if next(written) >= after:
            raise OSError(errno.ENOSPC, "No space left on device")

    patch.setattr(os, "fsync", sync)


@pytest.mark.thorough
@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("after", few.first(1, [4, 0]))
def test_a_full_disk_leaves_the_old_report(reported: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    report.write_report(reported)
    (reported / "report.md").write_text("of before")
    before = contents(reported)
    with monkeypatch.context() as patch:
        full(patch, after)
        said = refused("report", str(reported))
    assert f"{reported.name} cannot be written: No space left on device. Nothing was changed" in said
    assert "records are safe. To try again: workbench report" in said
    assert contents(reported) == before


@pytest.mark.thorough
def test_a_full_disk_in_the_middle_of_a_run_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "whole")
    kept = 0
    # Blocks, provenance and records in turn: each file is flushed, and then its folder.
    for after in (0, 3, 9, 30, 9, 4):
        with monkeypatch.context() as patch:
            full(patch, after)
            with pytest.raises(progress.FolderUnwritable, match="No space left on device.*games are saved"):
                run(what, tmp_path / "r")
        assert not list((tmp_path / "r").rglob("*.tmp"))
        kept = len(record_bytes(tmp_path / "r"))
    assert kept > 15
    run(what, tmp_path / "r")
    assert record_bytes(tmp_path / "r") == record_bytes(tmp_path / "whole")


def test_one_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.txt"
    output.write_file(path, b"old")
    with monkeypatch.context() as patch:
        full(patch, 0)
        with pytest.raises(output.Unwritable, match="cannot be written: No space left on device"):
            output.write_file(path, b"new")
    with pytest.raises(InputError, match="the file already exists"):
        output.write_file(path, b"new", new=True)
    with contextlib.suppress(KeyboardInterrupt), output.atomic_write(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert contents(tmp_path) == {"one.txt": b"old"}


HALF_WAY = """
import os, signal, sys, time
from pathlib import Path
from workbench.base import output

folder = output.claim_folder(Path(sys.argv[1]), ["one.txt"])
with folder.transaction() as stage, output.atomic_write(folder.path / "one.txt") as stream:
    (stage / "two.txt").touch()
    for path in folder.path.glob(".workbench-*.tmp"):
        os.utime(path, (time.time() - 60, time.time() - 60))
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(output.fcntl is None, reason="no locks of files")
def test_what_a_process_left_goes_once_it_has_ended_and_not_before(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HALF_WAY, str(tmp_path / "r")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        output.claim_folder(tmp_path / "r", ["three.txt"])
        assert len(list((tmp_path / "r").glob(".workbench-*.tmp"))) == 2, "its process is at work"
        process.kill()
    output.claim_folder(tmp_path / "r", ["three.txt"])
    assert os.listdir(tmp_path / "r") == [output.MARK]
