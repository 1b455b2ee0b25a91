"""Records of games whose results are known, or drawn with known chances."""

from __future__ import annotations

import copy
import dataclasses
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from workbench.experiments.experiment import Experiment
from workbench.players.agents import AgentSpec
from workbench.records import records
from workbench.records.records import Note, Segment
from workbench.records.trials import CELL
from workbench.rules.rulesets import Ruleset
from workbench.statistics import Analysis, AnalysisPlan

CODES = {"w": "first", "l": "second", "d": "draw", "u": "unfinished"}


def games(
    results: str, ruleset: str = "toy/base", first: str = "greedy", second: str = "greedy",
    plies: Sequence[int] | None = None, cap: int = 99, **columns: Sequence[float],
) -> pd.DataFrame:  # fmt: skip
    """Records of one cell: a letter a game (w, l, d, u: stopped at the cap)."""
    n = len(results)
    lengths = [cap if letter == "u" else 10 for letter in results] if plies is None else list(plies)
    content: dict[str, object] = {
        "ruleset": [ruleset] * n, "first": [first] * n, "second": [second] * n, "game": range(n),
        "result": [CODES[letter] for letter in results],
        "termination": ["cap" if letter == "u" else "stuck" if letter == "d" else "mate" for letter in results],
        "plies": lengths, "legal_moves": [5.0] * n, "game_hash": [f"{number:016x}" for number in range(n)],
    }  # fmt: skip
    return pd.DataFrame(content | columns)


def write_records(folder: Path, trials: pd.DataFrame) -> Path:
    """Writes records, cell by cell, into a file as a run does, with these columns alone."""
    table = pa.Table.from_pandas(trials, preserve_index=False)
    segments: list[Segment] = []
    for cell, part in trials.groupby(CELL, sort=False, observed=True):
        ruleset, first, second = map(str, cell)
        digest = f"{zlib.crc32(f'{ruleset} {first} {second}'.encode()):016x}"
        start, stop = int(part["game"].min()), int(part["game"].max()) + 1
        segments.append(Segment(digest, len(segments), ruleset, first, second, start, stop))
    return records.write_file(folder, table, Note("toy", tuple(segments), {})).path


def traces(
    ruleset: str, courses: Sequence[Sequence[float]], legal: int = 5, first: str = "greedy", second: str = "greedy"
) -> pd.DataFrame:
    """Traces of the first games of a cell, with these evaluations after each ply and so many legal moves before it."""
    return pd.DataFrame({
        "ruleset": ruleset, "first": first, "second": second, "game": range(len(courses)),
        "plies": [len(course) for course in courses],
        "evaluations": [np.rint(1000 * np.asarray(course)).astype(np.int16) for course in courses],
        "legal_moves": [np.full(len(course), legal, np.int32) for course in courses],
    })  # fmt: skip


def drawn(
    rng: np.random.Generator, n: int, score: float, draw_rate: float = 0.0, capped: float = 0.0,
    ruleset: str = "toy/base", agent: str = "greedy",
) -> pd.DataFrame:  # fmt: skip
    """Records of a cell whose first seat has this true score, and games of 10 to 90 plies."""
    finished = 1 - capped
    wins = score * finished - draw_rate / 2
    chances = [wins, finished - draw_rate - wins, draw_rate, capped]
    letters = rng.choice(list("wldu"), p=chances, size=n)
    plies = rng.integers(10, 90, n)
    return games("".join(letters), ruleset, agent, agent, np.where(letters == "u", 99, plies).tolist())


def ruleset(name: str, game: str = "toy", settings: Mapping[str, Any] | None = None, fingerprint: str = "") -> Ruleset:
    """A ruleset with these settings and no others, whether or not its game exists."""
    return Ruleset(name, game, "", "", "", (), {}, settings or {}, fingerprint, None)


def plan_for(*names: str, agents: Sequence[str | AgentSpec] = ("greedy",), **options: Any) -> AnalysisPlan:
    """The analysis plan of an experiment of toy rulesets; the first one is the baseline."""
    rulesets = tuple(ruleset(name, fingerprint=name) for name in names)
    return plan_from(rulesets, [(agent, agent) for agent in agents], **options)


def plan_from(
    rulesets: Sequence[Ruleset], pairings: Iterable[tuple[str | AgentSpec, str | AgentSpec]], **options: Any
) -> AnalysisPlan:
    """The analysis plan of an experiment, the first ruleset being the baseline, with ``options`` of either."""
    asked: dict[str, Any] = {"name": "", "baseline": rulesets[0].name, "games": 0, "max_plies": 99, **options}
    of_plan = {each.name: asked.pop(each.name) for each in dataclasses.fields(AnalysisPlan) if each.name in asked}
    experiment = Experiment(path="", rulesets=tuple(rulesets), pairings=pairs(pairings), **asked)
    return AnalysisPlan(experiment, **of_plan)


def pairs(pairings: Iterable[tuple[str | AgentSpec, str | AgentSpec]]) -> tuple[tuple[AgentSpec, AgentSpec], ...]:
    """Pairings of agents, of some of which only the labels are known."""

    def spec(agent: str | AgentSpec) -> AgentSpec:
        return agent if isinstance(agent, AgentSpec) else AgentSpec.from_provenance(agent, {})

    return tuple((spec(first), spec(second)) for first, second in pairings)


def with_keys(plan: AnalysisPlan, **changes: Any) -> AnalysisPlan:
    """The plan with another experiment, of which these keys differ."""
    if "pairings" in changes:
        changes["pairings"] = pairs(changes["pairings"])
    return dataclasses.replace(plan, experiment=dataclasses.replace(plan.experiment, **changes))


def altered(analysis: Analysis, **parts: Any) -> Analysis:
    other = copy.copy(analysis)
    vars(other).update(parts)
    return other
