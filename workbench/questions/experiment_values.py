"""Experiments of plain values, for programs that have no file: the same keys, the same checks, the same games."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from workbench.errors import Problem
from workbench.files.names import experiment_name_problem
from workbench.files.project import Project, find_project
from workbench.files.yamlfile import Node, node_of_value, snapshot
from workbench.language import tr
from workbench.questions.experiment import Experiment, experiment_from_tree
from workbench.questions.rulesets import Ruleset


@snapshot()
def experiment_from_values(said: Mapping[str, object], name: str = "", project: Project | None = None) -> Experiment:
    """The experiment of plain values by the keys of a file, checked as a file is that holds them.

    Rulesets may stand there themselves instead of their names. An experiment without a name is called after all that
    it says, so that the same has the same folder; one without a title has its name for it.

    Raises:
        InputError: all that is wrong.
    """
    problems: list[Problem] = []
    given: dict[str, Ruleset] = {}
    labelled: dict[str, str] = {}

    def named(value: object, place: str) -> object:
        if not isinstance(value, Ruleset):
            return value
        if given.setdefault(value.name, value).fingerprint != value.fingerprint:
            other = tr("another '{name}' with other rules", name=value.name)
            hint = tr("give it another: derive(label=…)")
            problems.append(Node("", 0, place, None).expected(tr("rulesets with different names"), hint, found=other))
        elif value.label and labelled.setdefault(value.label, value.name) != value.name:
            other = tr("another '{label}'", label=value.label)
            problems.append(Node("", 0, place, None).expected(tr("rulesets with different labels"), found=other))
        return value.name

    plain = {key: named(value, key) for key, value in said.items()}
    listed = plain.get("rulesets")
    if isinstance(listed, list | tuple):
        plain["rulesets"] = [named(value, f"rulesets[{i}]") for i, value in enumerate(listed)]
    root = node_of_value(plain, problems=problems)
    if not name:
        prints = sorted((each.name, each.fingerprint) for each in given.values())
        about = json.dumps([root.plain(), prints], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        name = f"unnamed-{hashlib.sha256(about.encode()).hexdigest()[:12]}"
    elif trouble := experiment_name_problem(name):
        problems.append(Problem("", None, "name", trouble, tr("letters, digits, - and _, such as my-question")))
    if "title" not in plain and "title_ja" not in plain:
        root = node_of_value({**plain, "title": name})
    return experiment_from_tree(root, name, "", project or find_project(), problems, given)
