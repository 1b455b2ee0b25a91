"""Experiment documents."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.base import yamlfile
from workbench.base.errors import InputError
from workbench.base.language import COMMA, join, tr, translated
from workbench.base.project import Project
from workbench.experiments import experiment, workspace
from workbench.experiments.experiment import KEYS, STRONG_GAMES, STRONG_NODES, STRONG_PLIES, Experiment
from workbench.players.agent_kinds import KINDS, LEARNED, OWN, SEEDS, SHARED
from workbench.players.library import can_share
from workbench.rules import edits
from workbench.rules.rulesets import Ruleset
from workbench.studio.documents import DocumentStore, FileDocument, FileReading, as_yaml, keys_before, plain_item

QUICK_PLAYERS = ("greedy", "alphabeta-2")
"""The players of try-outs and of new experiments."""
SCHEMA_LINE = "# yaml-language-server: $schema=experiment.schema.json\n"
NEW_QUESTION = tr("What do these rules change?")
GAMES = 200
"""Games per cell of a new experiment."""
MOST_TITLES = 3
"""The most rulesets listed in a proposed title."""

List = Literal["rulesets", "agents"]


@dataclass(frozen=True)
class ExperimentReading(FileReading):
    """The content of an experiment's text."""

    experiment: Experiment | None
    """None if there are problems."""

    def list_items(self, key: str) -> list[Any]:
        """Return the items of a list, or an empty list if the key has none."""
        value = self.keys.get(key)
        return value if isinstance(value, list) else []


def experiment_path(project: Project, name: str) -> Path:
    """Return the path for an experiment's name; the file need not exist."""
    if project.shipped:
        with contextlib.suppress(InputError):
            return experiment.find_experiment(name, project)
    return project.experiments / f"{name}.yaml"


@dataclass(kw_only=True)
class ExperimentDocument(FileDocument[ExperimentReading]):
    """The text of an experiment's file with its history."""

    folder = autosaved = "experiments"
    unnamed = "my-question"
    keys = KEYS
    names = staticmethod(experiment.experiment_names)
    path_of = staticmethod(experiment_path)
    new_path = staticmethod(functools.partial(workspace.new_path, workspace.EXPERIMENT))
    load = staticmethod(experiment.load_experiment)
    reading = ExperimentReading

    def tick(self, key: List, word: str) -> None:
        """Add an item to a list or remove it; a removed baseline is replaced by the first ruleset."""
        items = [plain_item(item) for item in edits.list_items(self.text, key)]
        if word not in items:
            self.step(edits.add_item(self.text, key, as_yaml(word), self.before(key)))
            return
        text = edits.remove_item(self.text, key, items.index(word))
        is_base = key == "rulesets" and self.read().keys.get("baseline") == word
        self.step(edits.set_value(text, "baseline", None) if is_base else text)

    def set_plies(self, plies: int | None) -> None:
        """Let games begin with lines of so many random plies, or with the first ply if it is None or 0."""
        after = self.before("openings")
        self.step(
            edits.set_entry(self.text, "openings", "plies", as_yaml(plies), after)
            if plies else edits.set_value(self.text, "openings", None)
        )  # fmt: skip

    def set_strong_players(self) -> None:
        """Ask the same question of strong players."""
        loaded = self.read().experiment
        self.step(strong_text(self.text, loaded.rulesets if loaded else ()))


def strong_text(text: str, rulesets: Sequence[Ruleset], games: int = STRONG_GAMES) -> str:
    """Return an experiment's text with strong players; see `experiment.with_strong_players`."""
    kinds = [kind.name for kind in KINDS.values() if kind.has_node_budget]
    evaluations = [f"[{OWN}, {LEARNED}]"]
    if rulesets and can_share(rulesets):
        evaluations = [f"[{OWN}, {SHARED}], training: {SEEDS[0]}", f"{LEARNED}, training: {list(SEEDS[:2])}"]
    nodes = list(STRONG_NODES)
    players = [f"{{{kind}: {{nodes: {nodes}, evaluation: {item}}}}}" for kind in kinds for item in evaluations]
    keys = {"agents": f"[{', '.join(players)}]", "games": str(games)}
    if "openings" not in yamlfile.parse_yaml(text, "").plain():
        keys["openings"] = f"{{plies: {STRONG_PLIES}}}"
    for key, value in {**keys, "until": None, "looks": None, "precision": None}.items():
        text = edits.set_value(text, key, value, keys_before(KEYS, key))
    return text


def new_experiment(store: DocumentStore, rulesets: Sequence[str] = (), language: str = "en") -> ExperimentDocument:
    """Return the new experiment with its changes; ``rulesets`` replace its text in an undoable step."""
    text = new_experiment_text(rulesets, language) if rulesets else ""
    return store.open_new(ExperimentDocument, new_experiment_text([], language), text)


def compared_title(rulesets: Sequence[Ruleset], baseline: str) -> str:
    """Return a title that lists the compared rulesets."""
    base = next(ruleset for ruleset in rulesets if ruleset.name == baseline or not baseline)
    proposals = [ruleset.heading for ruleset in rulesets if ruleset is not base]
    titles = join(COMMA, proposals) if len(proposals) <= MOST_TITLES else tr("{n} rulesets", n=len(proposals))
    return tr("{own} – against {base}", own=titles, base=base.heading)


def new_experiment_text(rulesets: Sequence[str], language: str) -> str:
    """Return the text of a new experiment."""
    title = json.dumps(translated(NEW_QUESTION, language), ensure_ascii=False)
    return (
        f"{SCHEMA_LINE}{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"rulesets: [{', '.join(as_yaml(name) for name in rulesets)}]\n"
        f"agents: [{', '.join(QUICK_PLAYERS)}]\n"
        f"games: {GAMES}\nseed: 1\n"
    )
