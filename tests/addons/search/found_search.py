"""A finished search as the workbench keeps it, made by hand: tests of pages need no games for it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from workbench.addons.search import question as rule_search
from workbench.addons.search import run as runs
from workbench.addons.search.question import CANDIDATES, search_folder
from workbench.base.project import SEARCH, Project

TEXT = """\
title: A fair star game
base: star/default
space:
  stuck: [loss, draw]   # both would do
  size: {from: 3, to: 4}
  pieces: [2, 3]
targets: {first_score: [0.45, 0.55], draw_rate: "<0.05"}
players: {quick: [greedy], strong: [greedy]}
openings: {plies: 4, lines: 20}
budget: {games: 1000}
finalists: 2
"""
FINALISTS = ("star/default size=4", "star/default stuck=draw, size=4", "star/default")


def write_found(project: Project, name: str, finished: bool = True) -> Path:
    """Writes the file of a search and what it has found; returns its folder."""
    project.searches.mkdir(exist_ok=True)
    path = project.searches / f"{name}.yaml"
    path.write_text(TEXT)
    search = rule_search.load_search(path, project)
    candidates = rule_search.list_candidates(search)
    folder = search_folder(project, name)
    folder.mkdir(parents=True)
    known = {ruleset.name: number for number, ruleset in enumerate(candidates.rulesets)}
    interval = {"value": 0.5, "low": 0.45, "high": 0.55}
    finalists = [
        {
            "ruleset": one, "title": {"en": one, "ja": one}, "price": place + 1.0, "alike": 0.9 - place / 2,
            "values": {"first_score": interval, "draw_rate": interval, "plies": {"value": 40, "low": 30, "high": 50}},
            "targets": {"first_score": "open", "draw_rate": "missed"}, "changes": [], "loss": place + 1.0, "buys": [],
            "regret": 0.1, "nearer": 0.97 * (one != search.base.name),
        }
        for place, one in enumerate(FINALISTS)
    ]  # fmt: skip
    content = {
        **runs.identity(search, candidates), "title": search.title, "title_ja": "",
        "budget": {"strong": 600, "quick": 100, "each": 10, "confirm": 400}, "classes": [], "played": 600,
        "rounds": [{"stage": "first sample", "games": 600, "leaders": list(FINALISTS)}], "space": {},
        "targets": dict(search.targets), "must": {}, "indifferent": 0.02,
        "result": {
            "verdict": "nearest", "finalists": finalists, "base": finalists[-1], "players": ["greedy"]
        } if finished else None,
    }  # fmt: skip
    (folder / SEARCH).write_text(json.dumps(content))
    about = dict.fromkeys(("first_score", "draw_rate", "plies"), 0.0)
    rows = [
        {"place": place, "ruleset": one, "price": candidates.prices[place], "alike": 1, "games": 10 * place,
         "left_out": False, "loss": place, "best": 0.1, **about, "first_score": 0.4 + place / 50, "draw_rate": -0.01,
         **{f"{measure}_sd": 0.02 for measure in about}}
        for one, place in known.items()
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(folder / CANDIDATES, index=False)
    return folder
