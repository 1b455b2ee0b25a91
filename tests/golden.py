"""Four small experiments made from fixed records, and the whole text of their reports, in both languages.

    python -m tests.golden --write   writes ``tests/golden/*.txt`` anew: read the diff, and say in the commit why

Where Japanese differs it follows ``¦``. Boards are left out: ``tests/test_drawings.py`` draws them.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import workbench
from tests.toy import drawn, pairs, plan_from, ruleset, traces
from workbench import games as families
from workbench.base.language import translated
from workbench.experiments.experiment_files import GivenLines, published_from_provenance
from workbench.players.agents import AgentSpec
from workbench.records.trials import Trials
from workbench.report.model import Course, Document, Row, Section, Survival, Table, TableCell
from workbench.report.sections.document import build_document
from workbench.rules.rulesets import Ruleset
from workbench.statistics import AnalysisPlan, analyse, published_differences
from workbench.statistics.portrait import Depth

FOLDER = Path(__file__).parent / "golden"
SEED = 20080209
LEFT_OUT = {"board", "highlights", "replays", "moves", "codes", "setup", "scale", "moment", "evaluations"}
"""Fields that are pictures."""
MOST = 24
"""Rows of a table and charts beside each other of which all are told."""
EXACT = ["ruleset", "first", "second", "exact", "plies_exact"]


# Text


def words(text: str) -> str:
    english, japanese = str(text), translated(text, "ja")
    return english if english == japanese else f"{english} ¦ {japanese}"


def short(value: Any) -> str:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, TableCell):
        kind = f" <{value.kind}>" if value.kind.startswith("verdict") else ""
        return " / ".join(words(each) for each in (value.text, value.small) if each) + kind
    if isinstance(value, Survival | Course):
        return f"{type(value).__name__}({len(dataclasses.astuple(value)[0])} steps)"
    if dataclasses.is_dataclass(value):
        fields = [short(getattr(value, each.name)) for each in dataclasses.fields(value)]
        return f"{type(value).__name__}({', '.join(each for each in fields if each)})"
    if isinstance(value, Mapping):
        return ", ".join(f"{short(key)}: {short(each)}" for key, each in value.items())
    if isinstance(value, Sequence):
        return " · ".join(map(short, value))
    return str(value)


def tell(value: Any, depth: int = 0) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(value, Table):
        yield f"{indent}Table{' (folded)' * value.folded}: {words(value.caption)}"
        yield f"{indent}  {' | '.join(map(short, value.heads))}"
        for number, row in enumerate(value.rows[:MOST]):
            yield f"{indent}{'* ' if number == value.emphasis else '  '}{' | '.join(map(short, row))}"
        yield f"{indent}  rows: {len(value.rows)}"
    elif isinstance(value, Row):
        yield f"{indent}{'* ' if value.baseline else ''}{value.name}: {words(value.label)}; {words(value.title)}"
        for line in value.lines:
            yield f"{indent}  {line.series} {line.name}: {words(line.text)} {' '.join(map(short, line.marks))}"
    elif dataclasses.is_dataclass(value):
        yield f"{indent}{type(value).__name__}"
        for each in dataclasses.fields(value):
            content = getattr(value, each.name)
            if each.name in LEFT_OUT or content is None or content in ("", (), []):
                continue
            if isinstance(content, Sequence) and not isinstance(content, str):
                for item in content[:MOST]:
                    simple = isinstance(item, str | tuple) or not dataclasses.is_dataclass(item)
                    yield from [f"{indent}  - {short(item)}"] if simple else tell(item, depth + 1)
            elif dataclasses.is_dataclass(content):
                yield from tell(content, depth + 1)
            else:
                yield f"{indent}  {each.name}: {short(content)}"
    else:
        yield f"{indent}{short(value)}"


def text_of(document: Document) -> str:
    """All that a document says, a line for each thing."""
    lines = [f"# {words(document.title)}", words(document.about)]
    section: Section
    for number, section in enumerate(document.sections):
        if section.id == "numbers":  # The dictionary of numbers is the same in every report.
            continue
        lines += ["", f"## {section.id}{' (main)' * (number < document.main)}: {words(section.title)}"]
        lines += [line for part in section.parts for line in tell(part)]
    return "\n".join(lines).replace(workbench.__version__, "VERSION") + "\n"


# Experiments


def report(trials: pd.DataFrame, plan: AnalysisPlan, traced: pd.DataFrame | None = None, **options: Any) -> str:
    experiment = plan.experiment
    said: dict[str, Any] = {
        "experiment": {"name": experiment.name, "max_plies": experiment.max_plies, "games": experiment.games},
        "rulesets": [{"name": each.name, "game": each.game, "title": each.title, "title_ja": each.title_ja,
                      "settings": dict(each.settings), "fingerprint": each.fingerprint} for each in plan.rulesets],
        "pairings": [{"first": one, "second": two} for one, two in plan.pairings],
        **options.pop("provenance", {}),
    }  # fmt: skip
    planned = options.pop("planned", len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= planned)
    analysis = analyse(trials, plan, traced)
    exact = options.pop("exact", pd.DataFrame(columns=EXACT))
    # No games can be played again: they were drawn, not played.
    with mock.patch("workbench.report.sections.games.replay_games", return_value=[]):
        return text_of(build_document(Trials.of(trials), said, analysis, exact, planned, **options))


def strong() -> str:
    """Players of two searches at two budgets, with a ladder, published results and the time that games took."""
    scores = {"base": 0.65, "even": 0.52, "same": 0.65, "worse": 0.72, "odd": 0.62, "near": 0.605}
    rulesets = [ruleset(f"toy/{name}", fingerprint=name) for name in scores]
    players = [AgentSpec.of(search, nodes=nodes, training=training) for search in ("alphabeta", "best-first")
               for training in (0, 1) for nodes in (1_000, 3_000)]  # fmt: skip
    chance = np.random.default_rng(SEED)
    parts = []
    for name, score in scores.items():
        for player in players:
            shift = 0.12 * (1 if player.kind == "alphabeta" else -1) if name == "odd" else 0.0
            cell = drawn(chance, 900, score + shift, 0.1, ruleset=f"toy/{name}", agent=player.label)
            parts.append(cell.assign(opening=chance.choice(["a b c", "a c b", "b a c"], 900)))
    best = players[-1]
    known = {"base": 0.6, "even": 0.5, "worse": 0.58}
    published: dict[str, Any] = {"source": "A. Author, 2020", "players": "Some", "players_ja": "", "results": {
        f"toy/{name}": {"first_score": [value, 0.004]} for name, value in known.items()
    }}  # fmt: skip
    plan = plan_from(
        rulesets, [(one, one) for one in players], margin=0.04, games=900, name="mine", title="Which is fair?",
        title_ja="どれが公平か",
    )  # fmt: skip
    trials = pd.concat(parts, ignore_index=True)
    courses = [[0.0, 0.2 * (number % 3), 0.8, 0.9] for number in range(30)]
    traced = traces("toy/base", courses, first=best.label, second=best.label)
    of_best = (trials["ruleset"] == "toy/base") & (trials["first"] == best.label) & (trials["game"] < 30)
    trials.loc[of_best, "plies"] = 4
    said = published_from_provenance(published)
    analysis = analyse(trials, plan, traced)
    return report(
        trials, plan, traced,
        provenance={
            "experiment": {"name": "mine", "games": 900, "max_plies": 99, "seed": 3, "published": published},
            "timed": {"games": 400, "seconds": 2_400.0}, "workers": 2, "cpu": "a machine", "started": "today",
            "versions": {"numpy": "2"}, "command": "workbench run mine",
        },
        standings={"toy/even": ({"games": 800, "zero": "random"}, {best.label: {
            "elo": {"value": 320.0, "low": 300.0, "high": 340.0},
            "first_move": {"value": 9.0, "low": None, "high": 20.0},
        }})},
        published_table=published_differences(said, analysis.comparisons, analysis.strong_verdicts, plan),
        depths={"toy/base": [Depth("best-first", "best-first-3k", "random", 4.04, 3.0, None)]},
    )  # fmt: skip


def verdicts() -> str:
    """Chatra under changed rules between weak players: every verdict, capped and judged games, events, swaps."""
    family = families.declaration("chatra")
    settings: dict[str, dict[str, Any]] = {
        "base": {}, "fair": {"opening": "objects-first"}, "same": {"object_area": "away-from-centre"},
        "worse": {"offside": "any-two"}, "still": {"stuck": "loss"}, "capped": {"subjects": 15},
        "open": {"drop_check": "allowed"}, "pie": {"swap": "after-first"},
    }  # fmt: skip
    rulesets = [
        dataclasses.replace(
            ruleset(f"chatra/{name}", "chatra", family.defaults() | changes, name), title=f"The rules {name}",
            title_ja=f"{name}案：{'長い' * len(name)}題名",
        )
        for name, changes in settings.items()
    ]  # fmt: skip
    scores = {"base": 0.62, "fair": 0.5, "same": 0.62, "worse": 0.75, "still": 0.56, "capped": 0.52, "open": 0.56,
              "pie": 0.51}  # fmt: skip
    chance = np.random.default_rng(SEED)
    parts = []
    agents, count = ("random", "greedy", "alphabeta-2"), 2_500
    for name, score in scores.items():
        for agent in agents:
            # Between greedy players one proposal is as much less fair as it is fairer between the others.
            here = 0.9 if (name, agent) == ("fair", "greedy") else score
            cell = drawn(chance, count, here, 0.05, 0.3 if name == "capped" else 0.01, f"chatra/{name}", agent)
            judged = (cell["result"] == "unfinished") & (cell["game"] % 2 == 0) & (name == "capped")
            cell.loc[judged, ["result", "termination"]] = ["first", "adjudicated"]
            events: dict[str, Any] = {
                f"event_{event.name}": chance.poisson(2.0 + (name == "worse"), count) for event in family.events
            }
            events["event_offside_drops"] = np.ones(count)
            events["event_flights"] = np.zeros(count)
            cell["termination"] = cell["termination"].replace("stuck", "repetition")
            first = chance.choice(["a", "b", "c"], count, p=[0.5, 0.3, 0.2])
            swapped = ((first == "a") & (name == "pie")).astype(int)
            columns: dict[str, Any] = {"drama_max": chance.random(count) * 0.9, "drama": 0.2, "lead_changes": 1.0}
            columns["opening"] = [f"{a} {b}" for a, b in zip(first, chance.choice(list("abc"), count), strict=True)]
            parts.append(cell.assign(**events, **columns, swapped=swapped))
    plan = plan_from(
        rulesets, [(agent, agent) for agent in agents], games=2_500, margin=0.06, adjudicate=0.9,
        recorded_judge="alphabeta-3", targets={"first_score": [0.45, 0.55], "plies": "<60"},
        opening_counts={"chatra/base": (3, 9)}, name="weak", title="Which are fairer?",
    )  # fmt: skip
    exact = pd.DataFrame([("chatra/base", "random", "random", 0.61, 47.0)], columns=EXACT)
    judge = {"threshold": 0.9, "judge": "alphabeta-3", "options": {"kind": "alphabeta", "depth": 3}}
    said = {"experiment": {"name": "weak", "games": 2_500, "max_plies": 99, "capped": judge, "quick_look": 9_000,
                           "targets": dict(plan.experiment.targets)}}  # fmt: skip
    return report(pd.concat(parts, ignore_index=True), plan, exact=exact, provenance=said)


def factors() -> str:
    """A factorial in which draws are asked, lines are given and players have styles."""
    family = families.declaration("chatra")
    openings, areas = ("subject-first", "objects-first"), ("front", "off")
    levels = {f"chatra/{a[0]}{b[1]}": {"opening": a, "offside": b} for a in openings for b in areas}
    rulesets = [ruleset(name, "chatra", family.defaults() | each, name) for name, each in levels.items()]
    styles = ("greedy-centre", "greedy-edge")
    chance = np.random.default_rng(SEED)
    parts = []
    for name in levels:
        for one in styles:
            for two in styles:
                score = 0.5 + 0.1 * (one == styles[1]) - 0.15 * (two == styles[1])
                cell = drawn(chance, 400, score, 0.1 + 0.2 * (name[7] == "o"), ruleset=name, agent=one)
                line = cell["game"] % 2
                parts.append(cell.assign(second=two, line=line, opening=np.where(line == 0, "f9 Ok2", "f9 Oi4")))
    plan = plan_from(
        rulesets, [(one, two) for one in styles for two in styles], games=400, question="draw_rate",
        openings=GivenLines(("f9 Ok2", "f9 Oi4")), line_texts=dict.fromkeys(levels, ("f9 Ok2", "f9 Oi4")),
        factors={"opening": openings, "offside": areas}, levels=levels, title="What makes draws?",
        left_out=("chatra/x with a=1, b=2: no", "chatra/x with a=3, b=2: no", "chatra/y with d=1: no board"),
    )  # fmt: skip
    said = {"experiment": {"name": "draws", "games": 400, "max_plies": 99}}
    return report(pd.concat(parts, ignore_index=True), plan, provenance=said)


def armies() -> str:
    """Rulesets that differ in what each player chooses for himself, before all games are played."""
    rulesets: list[Ruleset] = []
    levels: dict[str, dict[str, str]] = {}
    parts = []
    chance, defaults = np.random.default_rng(SEED), families.declaration("rengo").defaults()
    for board in ("go9", "othello8"):
        for one in ("stone-wall", "renju-rush"):
            for other in ("stone-wall", "renju-rush"):
                settings = defaults | {"board": board, "first_army": one, "second_army": other}
                name = f"rengo/{board}-{one}-{other}"
                levels[name] = {"board": board, "first_army": one, "second_army": other}
                rulesets.append(ruleset(name, "rengo", settings, name))
                score = 0.5 if one == other else 0.9 if one == "stone-wall" else 0.2
                parts.append(drawn(chance, 60, score, ruleset=name))
    plan = plan_from(rulesets, pairs([("greedy", "greedy")]), games=60, levels=levels, title="Which army?")
    return report(pd.concat(parts, ignore_index=True), plan, planned=600)


EXPERIMENTS: Mapping[str, Callable[[], str]] = {
    "strong": strong, "verdicts": verdicts, "factors": factors, "armies": armies,
}  # fmt: skip


def main(arguments: list[str]) -> int:
    """Compares, writes if asked to; returns how many texts are not current."""
    stale, writes = 0, "--write" in arguments
    for name, make in EXPERIMENTS.items():
        path, text = FOLDER / f"{name}.txt", make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale += not writes
            print(f"tests/golden/{path.name}: {'written' if writes else 'not current'}")
            if writes:
                path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
