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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench import games
from workbench.base import output, yamlfile
from workbench.base.errors import InputError, display_path, text_of
from workbench.base.language import COMMA, SOURCE, in_all, join, sentences, speaking, strip_period, tr, translated, trc
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment, measures, workspace
from workbench.experiments.experiment import KEYS, STRONG_GAMES, STRONG_NODES, STRONG_PLIES, Experiment
from workbench.players.agent_kinds import KINDS, LEARNED, NET, OWN, SEEDS, SHARED
from workbench.players.library import can_share
from workbench.report.labels import ruleset_labels
from workbench.rules import edits, rulesets
from workbench.rules.edits import TITLES, RulesetReading
from workbench.rules.ruleset_files import TRIED, Library
from workbench.rules.rulesets import Ruleset, is_tried, with_saved_titles
from workbench.runs.status import FolderState
from workbench.studio.drafts import (
    Desk,
    Draft,
    Files,
    Reading,
    Sheet,
    Sheets,
    is_shipped_experiment,
    plain_item,
    plain_number,
    plain_word,
    quoted,
)
from workbench.studio.opponents import BUDGETS, DEPTHS, LEVELS, pair_called
from workbench.studio.rules_view import problem_view
from workbench.studio.visitor import Visitor

if TYPE_CHECKING:
    from workbench.base.project import Project
    from workbench.experiments.experiment import Experiment
    from workbench.games.declaration import Named
    from workbench.studio.jobs import Job


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


View = dict[str, Any]

SIZES: Mapping[str, tuple[int, ...]] = {"": (0,), "depth": DEPTHS[:3], "nodes": BUDGETS[:2]}
_OWN_AND_LEARNED = tr("By the game's own evaluation, and by what was learned of each ruleset.")
_LEARNED = tr("The same, by what it has learned of each ruleset; training takes a while.")
OFFERED_PLAYERS: Mapping[str, str] = {
    kind.label(size, value): sentence.format(n=f"{value:,}")
    for kind in KINDS.values()
    for size, sentence in kind.offered.items()
    for value in SIZES[size]
} | {"alphabeta-10k-learned": _LEARNED}
"""The players that may be ticked, with their texts."""
USUAL_QUESTIONS = ("first_score", "draw_rate", "plies", "variety", "decisive", "legal_moves")
"""What is offered first; events of the game and the rest come when somebody asks for more."""
WISHES: Mapping[str, str] = {
    "file": tr("As it stands"),
    "precision": tr("Each score to ±{size} points"),
    "gain": tr("A gain in fairness of {size} points is found (80 %)"),
    "difference": tr("A difference of {size} points is found (80 %)"),
    "equality": tr("No difference is shown, to ±{size} points (80 %)"),
}
COMPARING = ("gain", "difference")
"""Targets about a difference between rulesets."""
ADVISED_SIZE = 0.05
"""The difference that is advised to look for."""


def choices_view(desk: Desk, visitor: Visitor) -> View:
    """What there is to tick: it does not change while the page is open."""
    families = [games.declaration(name) for name in games.names() if name in desk.games()]
    return {
        "games": [{"name": family.name, "title": visitor.translate(family.title)} for family in families],
        "rulesets": [
            {
                "name": one.name,
                "own": one.name.partition("/")[2],
                "game": family.name,
                "title": visitor.translate(one.heading),
            }
            for family in families
            for one in desk.family_rulesets(family.name)
        ],
        "players": players_view(OFFERED_PLAYERS, visitor),
    }


def players_view(labels: Iterable[str], visitor: Visitor) -> list[View]:
    """Players that may be ticked: those of a level with its name, and what each does."""
    titles = {level.player: level.name for level in LEVELS}
    sentences = {
        label: tr("{level}: {told}", level=titles[label], told=does) if label in titles else does
        for label, does in OFFERED_PLAYERS.items()
    }
    return [{"label": label, "sentence": visitor.translate(sentences[label])} for label in labels]


def sheet_view(sheet: ExperimentSheet, visitor: Visitor) -> View:
    """All that changes on the page while its user ticks and types."""
    reading = sheet.read()
    said, loaded, title = reading.said, reading.experiment, reading.title
    # Nobody has done anything wrong yet.
    begins = sheet.new and not reading.list_of("rulesets") and {each.key for each in reading.problems} == {"rulesets"}
    ticked = [plain_word(name) for name in reading.list_of("rulesets")]
    played = list(dict.fromkeys(name.partition("/")[0] for name in ticked if name.partition("/")[0] in games.names()))
    if loaded:
        played = loaded.families()
    question = plain_word(said.get("question")) or measures.FIRST_SCORE
    own = display_path(sheet.path)
    baseline = loaded.baseline if loaded else plain_word(said.get("baseline")) or (ticked or [""])[0]
    base = common_base(sheet.project, ticked)
    return {
        "text": sheet.text,
        "title": visitor.translate(title),
        "proposed": {
            "title": visitor.translate(compared_title(loaded) if loaded and title in _UNNAMED else title),
            "name": sheet.proposed_name(ticked, baseline),
        },
        "base": "" if base in ticked else base,
        "begins": begins,
        "problems": [] if begins else [problem_view(each, own, visitor) for each in reading.problems],
        "rulesets": ticked,
        "labels": _labels(loaded, sheet.project, visitor),
        "baseline": baseline,
        "varied": visitor.translate(tr("Besides, `vary` makes {count} rulesets.", count=len(loaded.levels)))
        if loaded and loaded.levels
        else "",
        "agents": _agent_views(sheet, visitor),
        "pairs": visitor.translate(
            tr("Besides, {count} pairs of players of the file.", count=len(reading.list_of("pairings")))
        )
        if reading.list_of("pairings")
        else "",
        "question": question,
        "questions": [
            {"name": name, "title": text, "usual": name in USUAL_QUESTIONS or name == question}
            for name, text in _questions(played, question, visitor)
        ],
        "games": plain_number(said.get("games")),
        "size": _size_of(reading, visitor),
        "quick": loaded is not None and {one.label for pair in loaded.pairings for one in pair} <= set(QUICK_PLAYERS),
        "undo": sheet.place > 0,
        "redo": sheet.place < len(sheet.texts) - 1,
        "dirty": sheet.dirty or sheet.new,
        "changed": sheet.dirty,
    }


ONCE_A_GAME = {
    "limits_ended_by_check", "limits_ended_by_centre", "mates_given", "self_mates", "turns_cut_short", "counts",
}  # fmt: skip
"""Events that happen once in a game at most, or whose number is the ply of it: what is asked is in how many games."""

_UNNAMED = ("", *in_all(NEW_QUESTION))
"""Titles that say nothing of the experiment yet."""


def _labels(loaded: Experiment | None, project: Project, visitor: Visitor) -> dict[str, str]:
    """What rulesets without a name of their own are called: those that were tried out."""
    labels = ruleset_labels(with_saved_titles(loaded.rulesets, project)) if loaded else {}
    return {name: visitor.translate(label) for name, label in labels.items() if is_tried(name)}


def _agent_views(sheet: ExperimentSheet, visitor: Visitor) -> list[View]:
    try:
        written = edits.list_items(sheet.text, "agents")
    except InputError:
        return []
    return [
        {"place": place, "label": plain_item(item), "sentence": visitor.translate(_players_words(item))}
        for place, item in enumerate(written)
    ]


def _players_words(written: str) -> str:
    """What players do that an item of a file describes by a kind with its options; "" of any other item."""
    try:
        item = yamlfile.parse_yaml(f"x: {written}", "").descendant("x").plain()
    except InputError:
        return ""
    name, options = next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else ("", None)
    if name not in KINDS or not isinstance(options, dict):
        return ""
    size = next((size for size in SIZES if size in options and size in KINDS[name].offered), None)
    if size is None:
        return ""
    sizes, evaluations = (each if isinstance(each, list) else [each] for each in map(options.get, (size, "evaluation")))
    texts = [
        KINDS[name].offered[size].format(n=join(COMMA, [f"{n:,}" if isinstance(n, int) else str(n) for n in sizes]))
    ]
    if LEARNED in evaluations:
        texts.append(_OWN_AND_LEARNED if OWN in evaluations else _LEARNED)
    if SHARED in evaluations:
        texts.append(tr("By the same weights under all rulesets, learned from games under all of them."))
    if NET in evaluations:
        texts.append(tr("With a small network beside what it has learned of each ruleset; training takes longer."))
    return sentences(texts)


def _questions(played: Iterable[str], chosen: str, visitor: Visitor) -> Iterable[tuple[str, str]]:
    """What may sensibly be asked of these games, in words; and what the file asks, even if that is not."""
    played = list(played)
    known = measures.possible_questions(played)
    events = {event.name: event for game in played[:1] for event in games.declaration(game).events}
    sentences = {name: strip_period(event.sentence) for name, event in events.items()} | {
        measures.PLIES: trc("shelf words", "plies")
    }
    for name in known:
        asked = measures.measure_of_question(name, sentences.__getitem__)
        if (text := asked.studio_question) and (name == chosen or is_sensible(asked, events)):
            yield name, visitor.translate(text)
    if chosen not in known:
        yield chosen, chosen


def is_sensible(asked: measures.Measure, events: Mapping[str, Named]) -> bool:
    """Whether a measure says something of its event: of what is counted for each of another, only the ratio does."""
    if not asked.event or asked.per:
        return True
    if asked.event in ONCE_A_GAME:
        return asked.is_share
    per = events[asked.event].per
    return not per or (per == measures.PLIES and not asked.is_share)


_SIZE = tr("{rulesets} rulesets × {players} players × {games} games = {total} games")
_SIZE_AT_MOST = tr("{rulesets} rulesets × {players} players × at most {games} games = at most {total} games")


def _size_of(reading: ExperimentReading, visitor: Visitor) -> str:
    if (loaded := reading.experiment) is None:
        return ""
    cells = len(loaded.cells())
    text = _SIZE_AT_MOST if loaded.sequential else _SIZE
    text = text.format(
        rulesets=f"{len(loaded.rulesets):,}",
        players=f"{len(loaded.pairings):,}",
        games=f"{loaded.games:,}",
        total=f"{cells * loaded.games:,}",
    )
    return visitor.translate(text)


def games_progress_text(state: FolderState, games: int, total: int, at_most: bool) -> str:
    """How many games of how many are played; ``at_most``: cells may end earlier."""
    if state is FolderState.NOT_BEGUN or not games:
        asked = tr("at most {total} games") if at_most else tr("{total} games")
        return asked.format(total=f"{total:,}") if total else ""
    if state is FolderState.DONE or not total:
        return tr("{games} games", games=f"{games:,}")
    if at_most:
        return tr("{games} games, at most {rest} more", games=f"{games:,}", rest=f"{max(0, total - games):,}")
    return tr("{games} of {total} games", games=f"{games:,}", total=f"{total:,}")


def pace_view(job: Job, visitor: Visitor) -> View:
    """How fast the games of a run go, and how long the others take at that pace; empty while that is not known."""
    if job.state is not FolderState.RUNNING or job.phase != "playing" or job.left is None:
        return {"pace": "", "left": ""}
    number = f"{job.pace:,.0f}" if job.pace >= 10 else f"{job.pace:.2g}"
    left = tr("at most {time} left") if job.at_most else tr("{time} left")
    return {
        "pace": visitor.translate(tr("{n} games/s", n=number)),
        "left": visitor.translate(left.format(time=format_time_span(job.left, visitor))),
    }


def format_time_span(seconds: float, visitor: Visitor) -> str:
    """A time in words, to two places."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return visitor.translate(tr("{n} s", n=round(seconds)))
    if minutes < 100:
        return visitor.translate(tr("{n} min", n=minutes))
    return visitor.translate(tr("{hours} h {minutes} min", hours=f"{minutes // 60:,}", minutes=minutes % 60))


def costs_view(plan: Mapping[str, Any], visitor: Visitor) -> View:
    """A plan, as `experiments.plan_costs` gives it."""
    usual = [wish for wish in plan["wishes"] if wish["size"] == ADVISED_SIZE and wish["all_games"] is not None]
    advised = [wish for wish in usual if wish["kind"] in COMPARING] or usual
    return {
        "paces": [
            {
                "players": visitor.translate(pair_called(pace["first"], pace["second"])),
                "games": f"{pace['games']:,}",
                "speed": f"{speed:,.0f}" if (speed := 1 / pace["seconds"]) >= 100 else f"{speed:.3g}",
                "draws": f"{100 * pace['draw_rate']:.0f} %",
                "plies": f"{pace['plies']:.0f}",
            }
            for pace in plan["paces"]
        ],
        "wishes": [
            _target_view(wish, visitor) | {"advised": wish["kind"] == "file" or wish in advised}
            for wish in plan["wishes"]
        ],
        "workers": visitor.translate(tr("Time, {n} workers", n=plan["workers"])),
        "notes": [visitor.translate(note) for note in plan["notes"]],
    }


def _target_view(wish: Mapping[str, Any], visitor: Visitor) -> View:
    known = wish["all_games"] is not None
    return {
        "what": visitor.translate(WISHES[wish["kind"]].format(size=f"{100 * wish['size']:.3g}")),
        "games": f"{wish['all_games']:,}" if known else visitor.translate(trc("shelf words", "no number will do")),
        "time": format_time_span(wish["seconds"], visitor) if known else "",
        "take": wish["all_games"] if known and wish["kind"] != "file" else None,
    }
