"""Whenever a run or a report is killed, and whatever the disk forgets then, doing it again gives what it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import ROOT
from tests.kills import KINDS, SCENES

pytest.importorskip("fcntl")  # there is no fork on Windows


def ends(scene: str, place: Path, kind: str, step: int) -> int:
    """How many ends of processes at operations on files were survived; see `tests.kills`."""
    command = [sys.executable, "-m", "tests.kills", scene, str(place), kind, str(step)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_survives_kills(tmp_path: Path, kind: str) -> None:
    assert ends("run", tmp_path / "k", kind, 31 if kind == "kill" else 4) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scene", SCENES)
def test_everything_survives_kills_at_every_operation(tmp_path: Path, scene: str, kind: str) -> None:
    assert ends(scene, tmp_path / "k", kind, 1) >= {"kill": 50, "lost": 7}[kind]
