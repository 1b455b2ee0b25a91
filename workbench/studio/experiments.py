"""Experiments in the making: rules tried out, the text of an experiment's file, and what its page shows.

A try-out is an experiment as anybody might write it, ``experiments/try-….yaml``: ``workbench run`` plays it, and its
report is one like all others. Rules that have no file yet, or have changed since they were saved, are kept as they
were tried in ``rulesets/GAME/tried/``: known by name, but in no list of rulesets. The names end in a digest of both
rules: the same rules give the same experiment, and go on with its games.

How many games a try-out has is measured once, when its file is written: so many that the first interim analysis comes
within seconds on this machine. From then on the file says it, whoever plays it wherever.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.base import output, yamlfile
from workbench.base.errors import InputError, text_of
from workbench.base.language import COMMA, SOURCE, join, speaking, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment, workspace
from workbench.experiments.experiment import KEYS, STRONG_GAMES, STRONG_NODES, STRONG_PLIES, Experiment
from workbench.players.agent_kinds import KINDS, LEARNED, OWN, SEEDS, SHARED
from workbench.players.library import can_share
from workbench.rules import edits, rulesets
from workbench.rules.edits import TITLES, RulesetReading
from workbench.rules.ruleset_files import TRIED, Library
from workbench.rules.rulesets import Ruleset
from workbench.studio.drafts import (
    Draft,
    Files,
    Reading,
    Sheet,
    Sheets,
    is_shipped_experiment,
    plain_item,
    quoted,
)

if TYPE_CHECKING:
    from workbench.base.project import Project
    from workbench.experiments.experiment import Experiment


RECIPE = 2
"""Counts up when the same rules are to be tried out in another way."""


QUICK_PLAYERS = ("greedy", "alphabeta-2")
"""Players of try-outs, and those that a new experiment begins with."""


ANALYSES = 24


FIRST_ANALYSIS_SECONDS = 3.5
"""Seconds of play up to the first interim analysis. Some more pass before the first game."""


LEAST, MOST = 20, 300
"""Games of a cell at the first interim analysis."""


OFFERED = (120, 480, 1_200, 4_800)
"""Games of a cell that may be chosen instead of as many as suit the machine."""


TRYOUT_PILOT = 0.6
"""Seconds of the pilot that tells how long a game takes."""


BLOCKS = 4
"""Blocks of a cell from one interim analysis to the next."""


_TRYOUT_COMMENT = tr("Written by the studio, to try rules out with quick players. To continue it elsewhere:")


@dataclass(frozen=True)
class Tryout:
    """Rules, and what they are compared with."""

    project: Project
    own: Ruleset
    base: Ruleset
    text: str
    """What is to be kept as the file of the rules; empty where they have one."""

    @property
    def differs(self) -> bool:
        """Whether there is anything to find out."""
        return self.own.fingerprint != self.base.fingerprint

    @property
    def path(self) -> Path:
        """The file of the experiment."""
        about = (RECIPE, QUICK_PLAYERS, self.own.name, self.own.fingerprint, self.base.name, self.base.fingerprint)
        digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]
        game, own = self.own.game, self.base.name if self.text else self.own.name
        return self.project.experiments / f"try-{game}-{own.rpartition('/')[2]}-{digest}.yaml"

    @property
    def ruleset_path(self) -> Path:
        """The file of the rules, if they are to be kept."""
        return self.project.rulesets / f"{self.own.name}.yaml"

    @property
    def written(self) -> bool:
        """Whether all of its files are there."""
        return self.path.exists() and (not self.text or self.ruleset_path.exists())

    @property
    def title(self) -> str:
        """The title of the experiment."""
        own, base = (one.heading for one in (self.own, self.base))
        return tr("Tried out: {own} – against {base}", own=own, base=base)

    @property
    def pilot_text(self) -> str:
        """The text of an experiment of the base alone, by which it is measured how long a game takes.

        The rules that are tried out may have no file before somebody begins.
        """
        return (
            f"title: {_quoted(self.path.stem)}\nrulesets: [{_quoted(self.base.name)}]\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\ngames: {ANALYSES * LEAST}\nblock: {LEAST // BLOCKS}\nseed: 1\n"
        )

    def experiment_text(self, games: int, block: int, looks: int = ANALYSES, language: str = SOURCE) -> str:
        """The text of the experiment's file, its comment in a language."""
        title = self.title
        return (
            "# yaml-language-server: $schema=experiment.schema.json\n"
            "#\n"
            f"# {translated(_TRYOUT_COMMENT, language)}\n"
            f"#     workbench run {self.path.stem}\n"
            f"title: {_quoted(str(title))}\n"
            f"title_ja: {_quoted(translated(title, 'ja'))}\n"
            f"rulesets: [{_quoted(self.base.name)}, {_quoted(self.own.name)}]\n"
            f"baseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
            f"games: {games}\n"
            "until: decided\n"
            f"looks: {looks}\n"
            f"block: {block}\n"
            "seed: 1\n"
        )

    def write_rules(self) -> None:
        """Writes the file of rules that have none, unless that was done before.

        Raises:
            InputError: the place is none of the project's.
            Unwritable: the disk is full, say.
        """
        if self.text and not os.path.lexists(self.ruleset_path):
            _write_once(self.project, self.ruleset_path, self.text)

    def write(self, seconds: float, games: int = 0, language: str = SOURCE) -> None:
        """Writes the experiment's file, unless that was done before; ``seconds`` and ``games`` as in `games_of_cell`.

        Raises:
            InputError: the place is none of the project's.
            Unwritable: the disk is full, say.
        """
        if os.path.lexists(self.path):
            return
        games = games_of_cell(seconds, games)
        looks = min(ANALYSES, games // LEAST)
        text = self.experiment_text(games, max(5, games // looks // BLOCKS), looks, language)
        _write_once(self.project, self.path, text)


def games_of_cell(seconds: float, chosen: int = 0) -> int:
    """How many games a ruleset and player have at most: as many as were chosen (0: as suit the machine).

    ``seconds``: a game of each cell takes them together.
    """
    if chosen:
        return max(chosen, LEAST)
    first = min(max(FIRST_ANALYSIS_SECONDS * (os.cpu_count() or 1) / max(seconds, 1e-6), LEAST), MOST)
    return ANALYSES * _round_games(first)


def make_tryout(draft: Draft, reading: RulesetReading, base: str) -> Tryout:
    """The rules of a draft, against those of a ruleset.

    Raises:
        InputError: one of them cannot be read.
    """
    own = reading.ruleset
    if own is None:
        raise InputError(list(reading.problems))
    against = rulesets.load_ruleset(base, draft.project)
    if draft.kind == "file" and not draft.dirty:
        return Tryout(draft.project, own, against, "")
    stem = base if draft.kind == "new" else draft.name
    name = f"{draft.game}/{TRIED}/{stem.rpartition('/')[2]}-{own.fingerprint[:8]}"
    title = draft.title(reading)
    titles = {"title": str(title), "title_ja": translated(title, "ja")}
    text = re.sub(r"(?m)^(# yaml-language-server: \$schema=)\.\./(?=ruleset)", r"\1../../", draft.text)
    for key, words in titles.items():
        text = edits.set_text_key(text, key, words)
    own = replace(own, name=name, title=titles["title"], title_ja=titles["title_ja"])
    return Tryout(draft.project, own, against, text if text.endswith("\n") else f"{text}\n")


def _write_once(project: Project, path: Path, text: str) -> None:
    project.require_place(path)
    output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _round_games(games: float) -> int:
    """A number of games that is as round as it is large."""
    step = 5 if games < 50 else 10 if games < 200 else 50
    return int(games // step) * step


def measure_game_seconds(path: Path, project: Project, text: str, own: Ruleset) -> float:
    """The seconds of a game in each cell of an experiment, together, from a short pilot; needs machine code.

    ``own``: rules that are played besides those of the text.

    They are those of the processor: the experiment is to be no smaller because the machine is busy just now.
    """
    import time

    from workbench.experiments import experiment
    from workbench.runs import planning

    loaded = experiment.load_experiment(path, project, text)
    loaded = replace(loaded, rulesets=(*loaded.rulesets, own))
    paces = planning.plan_experiment(loaded, TRYOUT_PILOT, clock=time.process_time).paces
    return len(loaded.rulesets) * sum(pace.seconds for pace in paces)


UNSAVED = "my-question"
"""What a new experiment is called until it has a name."""


SCHEMA_LINE = "# yaml-language-server: $schema=experiment.schema.json\n"


NEW_QUESTION = tr("What do these rules change?")
"""The title of a new experiment."""


GAMES = 200
"""Games of each cell that a new experiment begins with."""


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


class ExperimentSheets(Sheets[ExperimentSheet]):
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
    what = join(COMMA, own) if len(own) <= MOST_TITLES else tr("{n} rulesets", n=len(own))
    return tr("{own} – against {base}", own=what, base=base.heading)


def strong_text(sheet: ExperimentSheet) -> str:
    """The text of an experiment that asks strong players the same; see `experiment.with_strong_players`.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    text, asked = sheet.text, sheet.read().experiment
    if asked:
        title = tr("Strong players: {compared}", compared=compared_title(asked))
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
    title = json.dumps(translated(NEW_QUESTION, language), ensure_ascii=False)
    return (
        f"{SCHEMA_LINE}{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"rulesets: [{', '.join(quoted(name) for name in rulesets)}]\n"
        f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
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
    from workbench.experiments import experiment, experiment_files
    from workbench.records import provenance
    from workbench.runs import planning

    loaded = experiment.load_experiment(path, project, text)
    return {
        "problems": experiment_files.check_given_lines(loaded.openings, loaded.rulesets),
        "lines": planning.describe_power(loaded, provenance.read_provenance(project.reports / loaded.name)),
        "programs": starts_programs(loaded),
    }


def starts_programs(experiment: Experiment) -> bool:
    """Whether players from outside take part: only who opens the studio may allow that, and a page never."""
    return any(agent.outside is not None for pairing in experiment.pairings for agent in pairing)


def pilot_must_compile(path: Path, project: Project, text: str) -> bool:
    """Whether machine code is still to be made before a pilot."""
    from workbench.experiments import experiment
    from workbench.games import processes

    loaded = experiment.load_experiment(path, project, text)
    return processes.games_must_compile((player.function for player in loaded.players), loaded.families())


def write_partial_report(folder: Path, language: str) -> str:
    """Writes the report of a folder, even of an unfinished run, in a language; returns why it could not, or ""."""
    from workbench import report
    from workbench.base.errors import WorkbenchError

    try:
        with speaking(language):
            report.write_report(folder)
    except WorkbenchError as error:
        return text_of(error)
    return ""


def plan_costs(path: Path, project: Project, text: str, programs: bool) -> dict[str, Any]:
    """A pilot, and what each target costs by its rates: a `workbench.runs.planning.CostPlan`, its notes in English.

    ``programs``: whether players from outside may be started.

    Raises:
        InputError: the text is no experiment.
        WorkbenchError: it starts programs, and may not.
    """
    from workbench.base.errors import WorkbenchError
    from workbench.experiments import experiment
    from workbench.runs import planning

    loaded = experiment.load_experiment(path, project, text)
    if starts_programs(loaded) and not programs:
        raise WorkbenchError(tr("starts programs from outside, which only the terminal may allow"))
    made = planning.plan_experiment(loaded, PILOT)
    return {**made.as_json(), "notes": made.notes()}
