"""Experiments in the making: the text of an experiment's file and what it means."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import InputError, text_of
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.language import COMMA, join, speaking, tr, translated
from workbench.learning.library import can_share
from workbench.questions import edits, experiment, workspace
from workbench.questions.agent_kinds import KINDS, LEARNED, OWN, SEEDS, SHARED
from workbench.questions.edits import TITLES
from workbench.questions.experiment import KEYS, STRONG_GAMES, STRONG_NODES, STRONG_PLIES, Experiment
from workbench.questions.ruleset_files import Library
from workbench.studio import sheets
from workbench.studio.drafts import is_shipped_experiment
from workbench.studio.sheets import Files, Reading, Sheet, plain_item, quoted
from workbench.studio.words import WORDS

if TYPE_CHECKING:
    from workbench.files.project import Project
    from workbench.questions.experiment import Experiment

UNSAVED = "my-question"
"""What a new experiment is called until it has a name."""
SCHEMA_LINE = "# yaml-language-server: $schema=experiment.schema.json\n"
GAMES = 200
"""Games of each cell that a new experiment begins with."""
PLAYERS = ("greedy", "alphabeta-2")
"""Players that a new experiment begins with."""
MOST_TITLES = 3
"""Rulesets that a proposed title names."""

List = Literal["rulesets", "agents"]


@dataclass(frozen=True)
class ExperimentReading(Reading):
    """What the text of an experiment's file means."""

    experiment: Experiment | None
    """None while there are problems."""

    def list_of(self, key: str) -> list[Any]:
        """The items of a list of the text."""
        value = self.said.get(key)
        return value if isinstance(value, list) else []


def experiment_path(project: Project, name: str) -> Path:
    """The file of the experiment of a name, whether it is there or not."""
    if not project.shipped:
        return project.experiments / f"{name}.yaml"
    try:
        return experiment.find_experiment(name, project)
    except InputError:
        return project.experiments / f"{name}.yaml"


FILES = Files(
    kind="experiments",
    unnamed=UNSAVED,
    keys=KEYS,
    names=experiment.experiment_names,
    path=experiment_path,
    new_path=workspace.experiment_path,
    is_shipped=is_shipped_experiment,
    load=experiment.load_experiment,
    reading=ExperimentReading,
)


@dataclass(kw_only=True)
class ExperimentSheet(Sheet[ExperimentReading]):
    """The text of an experiment's file and its history."""

    files = FILES

    def tick(self, key: List, written: str) -> None:
        """Adds an item to a list, or removes it if it is there; the baseline is what most of the rulesets extend.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        there = [plain_item(item) for item in edits.list_items(self.text, key)]
        if written in there:
            self.untick(key, there.index(written))
        else:
            self.step(self._with_baseline(edits.add_item(self.text, key, quoted(written), FILES.preceding_keys(key))))

    def untick(self, key: List, place: int) -> None:
        """Removes the item of a list at a place; the baseline goes with its ruleset."""
        text = edits.remove_item(self.text, key, place)
        removed = plain_item(edits.list_items(self.text, key)[place])
        if key == "rulesets" and self.read().said.get("baseline") == removed:
            text = edits.set_value(text, "baseline", None)
        self.step(self._with_baseline(text))

    def _with_baseline(self, text: str) -> str:
        """A text that says its baseline, if that is another one than its first ruleset."""
        names = [plain_item(item) for item in edits.list_items(text, "rulesets")]
        base = common_base(self.project, names)
        if base not in names[1:] or re.search(r"(?m)^baseline:", text):
            return text
        return edits.set_value(text, "baseline", quoted(base), FILES.preceding_keys("baseline"))

    def set(self, key: str, value: str | int | None) -> None:
        """Sets a key to a word or a number; None leaves it out."""
        written = None if value is None else str(value) if isinstance(value, int) else quoted(value)
        self.step(edits.set_value(self.text, key, written, FILES.preceding_keys(key)))

    def proposed_name(self, rulesets: Sequence[str], baseline: str) -> str:
        """A name for the file that no experiment has: the game and what is compared with the baseline."""
        own = [name for name in rulesets if name != baseline] or rulesets
        known = experiment.experiment_names(self.project)
        games = [name.partition("/")[0] for name in own[:1]]
        return edits.unused_name([*games, *(name.rpartition("/")[2] for name in own)] or [UNSAVED], known)


class Sheets(sheets.Sheets[ExperimentSheet]):
    """The experiments of one project."""

    sheet_type = ExperimentSheet

    def new_sheet(self, rulesets: Sequence[str] = (), language: str = "en", like: str = "") -> ExperimentSheet:
        """The sheet of a new experiment, as it was left.

        Rulesets that are named begin another one, and so does an experiment that it is to be ``like``, but for players
        who tell what strong play says; what was there before can be had again by a step back.
        """
        base = common_base(self.project, rulesets)
        ordered = sorted(rulesets, key=lambda name: name != base)
        text = new_experiment_text(ordered, language)
        is_like = like in experiment.experiment_names(self.project)
        text = strong_text(self.sheet(like)) if is_like else text
        sheet = self.resumed(new_experiment_text([], language))
        if rulesets or is_like:
            self.replace_text(sheet, text)
        return sheet


@snapshot()
def common_base(project: Project, rulesets: Sequence[str]) -> str:
    """The ruleset from which most of some rulesets start: one of them, or else what they extend; "" for none."""
    library = Library(project)
    files = {}
    for name in rulesets:
        with contextlib.suppress(InputError):
            files[name] = library.examined(name)[0]
    starts = Counter(one.name for name in files for one in files[name].ancestry if one.name != name)
    if among := [name for name in files if starts[name]]:
        return max(among, key=lambda name: starts[name])
    extended = Counter(parent for file in files.values() for parent, _ in file.parents)
    return extended.most_common(1)[0][0] if extended else ""


def compared_title(asked: Experiment) -> str:
    """A title of what is compared with what."""
    base = next(one for one in asked.rulesets if one.name == asked.baseline or not asked.baseline)
    own = [one.heading for one in asked.rulesets if one is not base]
    what = join(COMMA, own) if len(own) <= MOST_TITLES else WORDS["so_many_rulesets"].format(n=len(own))
    return WORDS["compared_title"].format(own=what, base=base.heading)


def strong_text(sheet: ExperimentSheet) -> str:
    """The text of an experiment that asks strong players the same; see `experiment.with_strong_players`.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    text, asked = sheet.text, sheet.read().experiment
    if asked:
        title = WORDS["strong_title"].format(compared=compared_title(asked))
        for key, language in TITLES:
            text = edits.set_text_key(text, key, translated(title, language))
    kinds = [kind.name for kind in KINDS.values() if kind.by_nodes]
    judged = [f"[{OWN}, {LEARNED}]"]
    if asked and can_share(asked.rulesets):
        judged = [f"[{OWN}, {SHARED}], training: {SEEDS[0]}", f"{LEARNED}, training: {list(SEEDS[:2])}"]
    players = [f"{{{kind}: {{nodes: {list(STRONG_NODES)}, evaluation: {by}}}}}" for kind in kinds for by in judged]
    openings = None if "openings" in yamlfile.parse_yaml(text, "").plain() else f"{{plies: {STRONG_PLIES}}}"
    said = {"agents": f"[{', '.join(players)}]", "games": str(STRONG_GAMES)}
    said |= {"openings": openings} if openings else {}
    for key, written in {**said, "until": None, "looks": None, "precision": None}.items():
        text = edits.set_value(text, key, written, FILES.preceding_keys(key))
    return re.sub(r"\A(#.*\n)*", SCHEMA_LINE, text)


def new_experiment_text(rulesets: Sequence[str], language: str) -> str:
    """The text with which a new experiment begins."""
    title = json.dumps(translated(WORDS["new_question"], language), ensure_ascii=False)
    return (
        f"{SCHEMA_LINE}{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"rulesets: [{', '.join(quoted(name) for name in rulesets)}]\n"
        f"agents: [{', '.join(PLAYERS)}]\n"
        f"games: {GAMES}\n"
        "seed: 1\n"
    )


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
