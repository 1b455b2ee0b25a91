"""Kills runs and reports at every operation on files, one after the other, and says what became of their folders.

As a program, which forks itself before any library has started threads:
``python -m tests.kills SCENE FOLDER KIND STEP``, with a scene of `SCENES` and a kind of `KINDS`; every STEP-th
operation is the end of a process. It prints how many ends there were, or after which of them something was wrong.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import report_folders
from tests.conftest import leave_out_charts, toy_records
from workbench import report
from workbench.records import provenance, records

KINDS = ("kill", "lost")
"""A process ends before an operation; or right after it has renamed a file, whose content the disk then loses, too."""
CHANGES = ("os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir", "os.utime", "os.truncate")
KILLED, UNHARMED = 137, 0


class Ending:
    """Ends this process at an operation on files, counted from 1."""

    def __init__(self, place: Path, at: int, kind: str) -> None:
        self.place, self.at, self.kind = str(place), at, kind
        self.count = 0
        self.renamed = ""
        self.armed = True
        os.fsync = lambda fd: self.tick()
        sys.addaudithook(self.audit)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
        opened = event == "open" and bool(arguments[2] & writes) and str(arguments[0]).startswith(self.place)
        if self.armed and (event in CHANGES or opened):
            self.tick()
            if event == "os.rename":
                self.renamed = os.fsdecode(arguments[1])

    def tick(self) -> None:
        renamed, self.renamed = self.renamed, ""
        if self.kind == "lost":
            if not renamed or not os.path.isfile(renamed):
                return
            self.count += 1
            if self.count == self.at:
                self.armed = False
                os.truncate(renamed, 0)
                os._exit(KILLED)
            return
        self.count += 1
        if self.count == self.at:
            os._exit(KILLED)


def forked(work: Callable[[], object]) -> int:
    """The exit code of some work in a process of its own; 1 after an exception, which is printed."""
    sys.stdout.flush()
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(UNHARMED)


def copied(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


class Runs:
    """A run from an empty folder, from a finished one with fewer games, or afresh over a finished one."""

    def __init__(self, place: Path, before: int, fresh: bool) -> None:
        self.place, self.before, self.fresh = place, before, fresh
        self.folder = place / "r"

    def prepare(self) -> None:
        """Leaves the folder as it is before a run under ``start``, and as it should be after one under ``whole``."""
        (self.place / "start").mkdir(parents=True)
        if self.before:
            report_folders.run(report_folders.load(self.place, games=self.before, block=20), self.place / "start")
        report_folders.run(report_folders.load(self.place, block=20), self.place / "whole")

    def act(self) -> None:
        report_folders.run(report_folders.load(self.place, block=20), self.folder, fresh=self.fresh)

    def look(self, kind: str) -> None:
        """Raises if anything is lost or wrong, before or after the run is done again."""
        if kind == "kill":
            for path in self.folder.rglob("*.parquet"):
                records.read_file(path)
            if (self.folder / provenance.FILE).exists():
                provenance.load_provenance(self.folder)
        else:
            named = [path for path in self.folder.rglob("*") if path.is_file() and not path.stat().st_size]
            with contextlib.suppress(FileNotFoundError, provenance.Damaged):
                provenance.load_provenance(self.folder)
                assert provenance.FILE not in {path.name for path in named}
        # A file that was emptied is named by the run, or is not needed: the mark, or a block beside the whole files.
        report_folders.run(report_folders.load(self.place, block=20), self.folder)
        assert report_folders.record_bytes(self.folder) == report_folders.record_bytes(self.place / "whole")
        said, other = provenance.load_provenance(self.folder), provenance.load_provenance(self.place / "whole")
        for name in ("experiment", "rulesets", "pairings", "weights", "engines", "digests"):
            assert said[name] == other[name], name
        assert report_folders.run(report_folders.load(self.place, block=20), self.folder).notes == ()


class Reports:
    """A report that takes the place of an older one."""

    def __init__(self, place: Path) -> None:
        self.place, self.folder = place, place / "r"

    def prepare(self) -> None:
        start = toy_records(self.place / "start")
        self.write(start)
        whole = self.place / "whole"
        copied(start, whole)
        for path in sorted(start.rglob("*")):
            if path.suffix in (".csv", ".html", ".md"):
                path.write_text("of before", encoding="utf-8")
        (start / "tables" / "mine.csv").write_text("mine", encoding="utf-8")

    def write(self, folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            leave_out_charts(patch)
            report.write_report(folder)

    def act(self) -> None:
        self.write(self.folder)

    def look(self, kind: str) -> None:
        old, new = (report_folders.contents(self.place / name) for name in ("start", "whole"))
        for name, content in report_folders.contents(self.folder).items():
            if not Path(name).parts[0].startswith(".workbench"):
                emptied = kind == "lost" and not content
                assert content in (old.get(name), new.get(name)) or emptied, name
        self.write(self.folder)
        after = report_folders.contents(self.folder)
        assert after.pop("tables/mine.csv") == b"mine"
        for name in [name for name in after if name.startswith(".workbench-")]:
            del after[name]  # of a process that might still be at work; they go after an hour
        marks = [set(json.loads(each.pop(".workbench"))["files"]) for each in (after, new)]
        assert after == new
        assert marks[1] <= marks[0]


SCENES: dict[str, Callable[[Path], Runs | Reports]] = {
    "run": lambda place: Runs(place, 0, fresh=False), "more": lambda place: Runs(place, 20, fresh=False),
    "fresh": lambda place: Runs(place, 20, fresh=True), "report": Reports
}  # fmt: skip


def main(name: str, place: Path, kind: str, step: int) -> int:
    """Ends a process at each operation in turn, until one comes to its own end."""
    sys.dont_write_bytecode = True
    os.fsync = lambda fd: None  # nothing here outlives the machine
    scene = SCENES[name](place)

    def prepare() -> None:
        scene.prepare()
        (place / "modules").write_text("\n".join(sys.modules), encoding="utf-8")

    assert forked(prepare) == UNHARMED
    # What every process would import anew takes longer than what it does.
    for module in (place / "modules").read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    at, ends = 1, 0

    def act() -> None:
        Ending(place, at, kind)
        scene.act()

    while True:
        copied(place / "start", scene.folder)
        ended = forked(act)
        if ended == UNHARMED:
            break
        if ended != KILLED or forked(lambda: scene.look(kind)) != UNHARMED:
            print(f"{name}: wrong after the {kind} at operation {at}")
            return 1
        at, ends = at + step, ends + 1
    print(ends)
    return 0


if __name__ == "__main__":
    scene_name, where, kind_of_end, every = sys.argv[1:]
    sys.exit(main(scene_name, Path(where), kind_of_end, int(every)))
