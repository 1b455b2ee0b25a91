"""What an experiment would cost and could find: each function runs in a process beside the server, on plain data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import text_of
from workbench.language import speaking, tr

if TYPE_CHECKING:
    from workbench.files.project import Project
    from workbench.questions.experiment import Experiment

PILOT = 4.0
"""Seconds of a pilot on one core: a page is waited for."""


def describe_outlook(path: Path, project: Project, text: str) -> dict[str, Any]:
    """What can be said of a text before a game is played.

    ``problems`` with the lines that it gives, what it could find (``lines``), and whether it starts programs.

    Raises:
        InputError: the text is no experiment.
    """
    from workbench.questions import experiment, lines
    from workbench.run import planning
    from workbench.store import provenance

    loaded = experiment.load_experiment(path, project, text)
    return {
        "problems": lines.check_given_lines(loaded.openings, loaded.rulesets),
        "lines": planning.describe_power(loaded, provenance.read_provenance(project.reports / loaded.name)),
        "programs": starts_programs(loaded),
    }


def starts_programs(experiment: Experiment) -> bool:
    """Whether players from outside take part: only who opens the studio may allow that, and a page never."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def pilot_must_compile(path: Path, project: Project, text: str) -> bool:
    """Whether machine code is still to be made before a pilot."""
    from workbench.games import machine_code
    from workbench.questions import experiment

    loaded = experiment.load_experiment(path, project, text)
    return machine_code.games_must_compile((player.function for player in loaded.players), loaded.families())


def write_partial_report(folder: Path, language: str) -> str:
    """Writes the report of a folder, even of an unfinished run, in a language; returns why it could not, or ""."""
    from workbench import report
    from workbench.errors import WorkbenchError

    try:
        with speaking(language):
            report.write_report(folder)
    except WorkbenchError as error:
        return text_of(error)
    return ""


def plan_costs(path: Path, project: Project, text: str, programs: bool) -> dict[str, Any]:
    """A pilot, and what each target costs by its rates: a `workbench.run.planning.CostPlan`, its notes in English.

    ``programs``: whether players from outside may be started.

    Raises:
        InputError: the text is no experiment.
        WorkbenchError: it starts programs, and may not.
    """
    from workbench.errors import WorkbenchError
    from workbench.questions import experiment
    from workbench.run import planning

    loaded = experiment.load_experiment(path, project, text)
    if starts_programs(loaded) and not programs:
        raise WorkbenchError(tr("starts programs from outside, which only the terminal may allow"))
    made = planning.plan_experiment(loaded, PILOT)
    return {**made.as_json(), "notes": made.notes()}
