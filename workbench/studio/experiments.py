"""Experiments in the making: the text of an experiment's file, what it means, and every text that it was before.

As with rulesets (`drafts`), the text is the one truth: what is ticked on the page changes the text as a person would,
and all that the page shows is read from the text by the same checks as ``workbench check``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workbench.errors import InputError, Problem, display_path
from workbench.files import output, yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.language import COMMA, join, tr, translated
from workbench.questions import edits, experiment, naming, workspace
from workbench.questions.agent_kinds import KINDS, LEARNED
from workbench.questions.derived_experiments import STRONG_GAMES, STRONG_NODES, STRONG_PLIES
from workbench.questions.experiment import KEYS, Experiment
from workbench.questions.ruleset_files import Library
from workbench.questions.ruleset_texts import TITLES
from workbench.studio.history import History
from workbench.studio.saving import NameTaken, ShippedName, holds_text, is_shipped_experiment
from workbench.studio.unsaved import Unsaved
from workbench.studio.words import WORDS

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
class ExperimentReading:
    """What the text of an experiment's file means."""

    said: Mapping[str, Any]
    """The keys of the text as plain values, as far as it can be understood."""
    problems: tuple[Problem, ...]
    experiment: Experiment | None
    """None while there are problems."""

    def list_of(self, key: str) -> list[Any]:
        """The items of a list of the text."""
        value = self.said.get(key)
        return value if isinstance(value, list) else []


@dataclass(kw_only=True)
class Sheet(History):
    """The text of an experiment's file and its history."""

    project: Project
    name: str
    """The stem of the file; `UNSAVED` (or the next name that is free) where there is none yet."""
    new: bool
    """Whether there is no file yet."""

    @property
    def path(self) -> Path:
        """The file."""
        return experiment_path(self.project, self.name)

    @snapshot()
    def read(self) -> ExperimentReading:
        """What the text means now, with the rulesets as they are on disk now."""
        return read_experiment_text(self.path, self.project, self.text)

    def tick(self, key: List, written: str) -> None:
        """Adds an item to a list, or removes it if it is there; the baseline is what most of the rulesets extend.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it.
        """
        there = [self.plain(item) for item in edits.list_items(self.text, key)]
        if written in there:
            self.untick(key, there.index(written))
        else:
            self.step(self._with_baseline(edits.add_item(self.text, key, _quoted(written), preceding_keys(key))))

    def untick(self, key: List, place: int) -> None:
        """Removes the item of a list at a place; the baseline goes with its ruleset."""
        text = edits.remove_item(self.text, key, place)
        removed = self.plain(edits.list_items(self.text, key)[place])
        if key == "rulesets" and self.read().said.get("baseline") == removed:
            text = edits.set_value(text, "baseline", None)
        self.step(self._with_baseline(text))

    def _with_baseline(self, text: str) -> str:
        """A text that says its baseline, if that is another one than its first ruleset."""
        names = [self.plain(item) for item in edits.list_items(text, "rulesets")]
        base = common_base(self.project, names)
        if base not in names[1:] or re.search(r"(?m)^baseline:", text):
            return text
        return edits.set_value(text, "baseline", _quoted(base), preceding_keys("baseline"))

    def set(self, key: str, value: str | int | None) -> None:
        """Sets a key to a word or a number; None leaves it out."""
        written = None if value is None else str(value) if isinstance(value, int) else _quoted(value)
        self.step(edits.set_value(self.text, key, written, preceding_keys(key)))

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages."""
        words = " ".join(title.split())
        quoted = json.dumps(words, ensure_ascii=False) if words else None
        self.write(edits.set_value(self.text, "title_ja" if japanese else "title", quoted, ("title", "title_ja")))

    def proposed_name(self, rulesets: Sequence[str], baseline: str) -> str:
        """A name for the file that no experiment has: the game and what is compared with the baseline."""
        own = [name for name in rulesets if name != baseline] or rulesets
        known = experiment.experiment_names(self.project)
        games = [name.partition("/")[0] for name in own[:1]]
        return naming.unused_name([*games, *(name.rpartition("/")[2] for name in own)] or [UNSAVED], known)

    @staticmethod
    def plain(written: str) -> str:
        """The word that an item of a list is; its text if it is no word."""
        try:
            node = yamlfile.parse_yaml(f"x: {written}", "").descendant("x")
        except InputError:
            return written
        return node.text if node.is_scalar else written


def preceding_keys(key: str) -> list[str]:
    """The keys behind which a file has a key, nearest first."""
    order = list(KEYS)
    return order[: order.index(key)][::-1]


def _quoted(word: str) -> str:
    plain = re.fullmatch(r"\w[\w./+-]*", word) and isinstance(yamlfile.parse_scalar(word), str)
    return word if plain else json.dumps(word, ensure_ascii=False)


@snapshot()
def read_experiment_text(path: Path, project: Project, text: str) -> ExperimentReading:
    """What a text means as the file of an experiment."""
    said: Mapping[str, Any] = {}
    try:
        said = yamlfile.parse_yaml(text, display_path(path), []).plain()
        loaded = experiment.load_experiment(path, project, text)
    except InputError as error:
        return ExperimentReading(said, tuple(dict.fromkeys(error.problems)), None)
    return ExperimentReading(said, (), loaded)


def experiment_path(project: Project, name: str) -> Path:
    """The file of the experiment of a name, whether it is there or not."""
    if not project.shipped:
        return project.experiments / f"{name}.yaml"
    try:
        return experiment.find_experiment(name, project)
    except InputError:
        return project.experiments / f"{name}.yaml"


@dataclass
class Sheets:
    """The sheets of one project, each as it was left, if need be in an earlier studio."""

    project: Project
    unsaved: Unsaved
    _kept: dict[str, Sheet] = field(default_factory=dict)
    """By the name of the file; "" for the new one."""

    def sheet(self, name: str) -> Sheet:
        """The sheet of an experiment's file, as it was left.

        Raises:
            InputError: there is no such experiment, or its file cannot be read.
        """
        path = experiment_path(self.project, name)
        if name not in experiment.experiment_names(self.project):
            raise InputError([Problem(display_path(path), None, None, tr("there is no such file"))])
        if not self.project.contains(path):
            message = tr("expected a file inside the project folder, found a link that leads out of it")
            raise InputError([Problem(display_path(path), None, None, message, tr("copy the file into the project"))])
        kept = self._kept.get(name)
        if kept is not None and kept.dirty:
            return kept
        text = yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        if kept is None or kept.saved != text:
            sheet = self._kept[name] = Sheet(text, project=self.project, name=name, new=False)
            if kept is None:
                sheet.resume(self.unsaved.load("experiments", _sheet_key(sheet)))
            return sheet
        return kept

    def new_sheet(self, rulesets: Sequence[str] = (), language: str = "en", like: str = "") -> Sheet:
        """The sheet of a new experiment, as it was left.

        Rulesets that are named begin another one, and so does an experiment that it is to be ``like``, but for players
        who tell what strong play says; what was there before can be had again by a step back.
        """
        base = common_base(self.project, rulesets)
        ordered = sorted(rulesets, key=lambda name: name != base)
        text = new_experiment_text(ordered, language)
        is_like = like in experiment.experiment_names(self.project)
        text = strong_text(self.sheet(like)) if is_like else text
        blank, kept = new_experiment_text([], language), self._kept.get("")
        sheet = Sheet(blank, project=self.project, name=self._unused(), new=True)
        if kept is None:
            sheet.resume(self.unsaved.load("experiments", _sheet_key(sheet)))
        elif kept.dirty:
            sheet = kept
        if rulesets or is_like:
            replaces = sheet.dirty
            sheet.step(text)
            if replaces:
                self.save_sheet_draft(sheet)
        self._kept[""] = sheet
        return sheet

    def save_sheet_draft(self, sheet: Sheet) -> None:
        """Saves a sheet, so that the next studio has it, too."""
        self.unsaved.store("experiments", _sheet_key(sheet), sheet.as_json())

    def _unused(self) -> str:
        """A name that no experiment has."""
        known = set(experiment.experiment_names(self.project))
        number = 1
        while (name := f"{UNSAVED}{f'-{number}' if number > 1 else ''}") in known:
            number += 1
        return name

    def save(self, sheet: Sheet, name: str, replace: bool) -> str:
        """Writes a sheet as the experiment of a name, whole or not at all; returns the name.

        ``replace``: the user has said that a file which is there already may be replaced.

        Raises:
            NameTaken: there is such a file, and nobody said that it may be replaced; or it has changed meanwhile.
            ShippedName: it came with the workbench.
            InputError: the name cannot be used, or the text has problems.
            Unwritable: the disk is full, say.
        """
        own = not sheet.new and name == sheet.name
        path = sheet.path if own and not self.project.shipped else workspace.experiment_path(name, self.project)
        if problems := read_experiment_text(path, self.project, sheet.text).problems:
            raise InputError(problems)
        self.project.require_place(path)
        there = os.path.lexists(path)
        if there and not replace and is_shipped_experiment(path.stem):
            raise ShippedName
        if there and not replace and not (own and holds_text(path, sheet.saved)):
            raise NameTaken
        content = sheet.text if sheet.text.endswith("\n") else f"{sheet.text}\n"
        try:
            output.write_file(output.make_folder(path.parent) / path.name, content.encode(), new=not there)
        except InputError:
            if replace or not os.path.lexists(path) or path.is_symlink() or path.parent.is_symlink():
                raise
            raise NameTaken from None  # somebody else was faster
        if own:
            sheet.saved = sheet.text
        for name in {path.stem, "" if sheet.new else sheet.name}:
            self._kept.pop(name, None)
            self.unsaved.store("experiments", name, None)
        return path.stem


def _sheet_key(sheet: Sheet) -> str:
    return "" if sheet.new else sheet.name


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


def strong_text(sheet: Sheet) -> str:
    """The text of an experiment that asks strong players the same; see `derived_experiments.with_strong_players`.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    text, asked = sheet.text, sheet.read().experiment
    if asked:
        title = WORDS["strong_title"].format(compared=compared_title(asked))
        for key, language in TITLES:
            text = edits.set_text_key(text, key, translated(title, language))
    kinds = [kind.name for kind in KINDS.values() if kind.by_nodes]
    options = f"{{nodes: {list(STRONG_NODES)}, evaluation: [own, {LEARNED}]}}"
    openings = None if "openings" in yamlfile.parse_yaml(text, "").plain() else f"{{plies: {STRONG_PLIES}}}"
    said = {"agents": f"[{', '.join(f'{{{kind}: {options}}}' for kind in kinds)}]", "games": str(STRONG_GAMES)}
    said |= {"openings": openings} if openings else {}
    for key, written in {**said, "until": None, "looks": None, "precision": None}.items():
        text = edits.set_value(text, key, written, preceding_keys(key))
    return re.sub(r"\A(#.*\n)*", SCHEMA_LINE, text)


def new_experiment_text(rulesets: Sequence[str], language: str) -> str:
    """The text with which a new experiment begins."""
    title = json.dumps(translated(WORDS["new_question"], language), ensure_ascii=False)
    return (
        f"{SCHEMA_LINE}{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"rulesets: [{', '.join(_quoted(name) for name in rulesets)}]\n"
        f"agents: [{', '.join(PLAYERS)}]\n"
        f"games: {GAMES}\n"
        "seed: 1\n"
    )
