"""What a run is: its experiment, rules and agents, the engine that plays, the machine. It becomes the provenance."""

from __future__ import annotations

import contextlib
import datetime
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from workbench import games
from workbench.files import project
from workbench.questions.experiment import Cell, Experiment
from workbench.run import training
from workbench.run.lines import ExperimentLines
from workbench.run.worker import engine_digests

__all__ = ["cpu_name", "current_commit", "earlier_games", "engine_digests", "run_manifest"]


def run_manifest(
    experiment: Experiment, cells: Sequence[Cell], workers: int, command: str, lines: ExperimentLines | None = None
) -> dict[str, Any]:
    """What a run is: the experiment, its resolved rules, agents and lines, versions, machine, command and date."""
    pairings = {(cell.first.label, cell.second.label): cell for cell in cells}
    families = {ruleset.game: games.declaration(ruleset.game) for ruleset in experiment.rulesets}
    return {
        "experiment": experiment.canonical(),
        "rulesets": [
            {
                "name": ruleset.name,
                "title": ruleset.title,
                "title_ja": ruleset.title_ja,
                **({"label": ruleset.label} if ruleset.label else {}),
                "game": ruleset.game,
                "fingerprint": ruleset.fingerprint,
                "settings": dict(ruleset.settings),
                **({"levels": dict(levels)} if (levels := experiment.levels.get(ruleset.name)) else {}),
            }
            for ruleset in experiment.rulesets
        ],
        "pairings": [
            {
                "first": cell.first.label,
                "second": cell.second.label,
                "first_options": cell.first.canonical(),
                "second_options": cell.second.canonical(),
                **({} if cell.first.reproducible and cell.second.reproducible else {"reproducible": False}),
            }
            for cell in pairings.values()
        ],
        "weights": {
            name: {feature.name: feature.weight for feature in declaration.features}
            for name, declaration in families.items()
        },
        **(
            {"learned": learned}
            if (learned := training.record_experiment_trainings(experiment, project.find_project()))
            else {}
        ),
        **({"openings": {name: of_ruleset.as_json() for name, of_ruleset in lines.items()}} if lines else {}),
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
            "workbench": workbench.__version__,
            **({"commit": current_commit()} if current_commit() else {}),
        },
        "engines": engine_digests(families),
        "cpu": cpu_name(),
        "workers": workers,
        "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


@cache
def current_commit() -> str:
    """The commit of the checkout that plays, with a ``+`` if its files are not those of the commit; "" elsewhere."""
    root = Path(workbench.__file__).resolve().parents[1]
    if not (root / ".git").exists():
        return ""
    words = [
        "git",
        "--no-optional-locks",
        "-C",
        str(root),
        "describe",
        "--always",
        "--abbrev=40",
        "--exclude=*",
        "--dirty=+",
    ]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(words, capture_output=True, text=True, timeout=10, check=True)
        return said.stdout.strip()
    return ""


def cpu_name() -> str:
    """The processor's name."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def earlier_games(before: Mapping[str, Any] | None, experiment: Experiment) -> list[int]:
    """Games per cell at which a folder was judged before ``games`` was raised to what the experiment says.

    A run that was not finished has no verdicts, unless cells end as soon as they have theirs. ``before`` is the
    provenance of the folder, if any.
    """
    if not before:
        return []
    asked, judged = before["experiment"]["games"], "digests" in before or experiment.sequential
    return [*before.get("earlier_games", ()), *([asked] if judged and asked < experiment.games else [])]
