"""Lists of what a project holds: rulesets, experiments and searches, with their titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench import games
from workbench.console import padded, width_of, wrapped
from workbench.errors import InputError, display_path
from workbench.files.project import Project
from workbench.files.yamlfile import read_yaml, snapshot
from workbench.language import given, tr
from workbench.questions import experiment, rule_search
from workbench.questions.ruleset_files import Library

HEADS = {"rulesets": tr("Rulesets:"), "experiments": tr("Experiments:"), "searches": tr("Searches:")}


@snapshot()
def list_files(project: Project, game: str = "") -> dict[str, list[dict[str, Any]]]:
    """Return the files of a project, or those about a game, by kind, each as plain data."""
    experiments, searches = experiment.experiment_names(project), rule_search.search_names(project)
    kinds = {
        "rulesets": Library(project).catalogue,
        "experiments": {name: experiment.find_experiment(name, project) for name in experiments},
        "searches": {name: rule_search.find_search(name, project) for name in searches},
    }
    listed = {kind: [_listed_file(name, path) for name, path in files.items()] for kind, files in kinds.items()}
    return {kind: [one for one in files if not game or game in one["games"]] for kind, files in listed.items()}


def _listed_file(name: str, path: Path) -> dict[str, Any]:
    try:
        content = read_yaml(path, []).plain()
    except InputError:
        content = {}
    named = {name.partition("/")[0]} if "/" in name else set(re.findall(r"([\w-]+)/", repr(content)))
    titles = {key: str(content[key]) if content.get(key) else None for key in ("title", "title_ja")}
    return {"name": name, **titles, "games": sorted(named & {*games.names()}), "file": display_path(path)}


def describe_files(listed: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield lines with the files of each kind and their titles."""
    if not any(listed.values()):
        yield tr("This project has nothing of it.")
    width = max((width_of(one["name"]) for files in listed.values() for one in files), default=0)
    for kind, files in listed.items():
        if files:
            yield HEADS[kind]
        for one in files:
            title = given(en=one["title"] or one["title_ja"] or "", ja=one["title_ja"] or one["title"] or "")
            yield wrapped(title or tr("(no title)"), f"  {padded(one['name'], width)}  ", " " * (width + 4))
