"""Experiment files: what they mean, what is wrong with them, the seeds of their games, and designs."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from workbench import games, statistics
from workbench.base import keys, project, yamlfile
from workbench.base.errors import InputError
from workbench.engine.players import ALPHABETA, BEST_FIRST, DEEPEST, GREEDY, PRINCIPAL, RANDOM, Agent, Player
from workbench.experiments import experiment, workspace
from workbench.experiments.design import DESIGNS, MOST_COMBINATIONS, Factor, Level, Point, _model_row, design_points
from workbench.experiments.experiment import Experiment
from workbench.players import agents
from workbench.players.agent_kinds import KINDS
from workbench.players.agents import AgentSpec

ROOT = Path(__file__).parent.parent
CHATRA = games.declaration("chatra")
RULESETS = {"base": "{}", "C": "{opening: objects-first}", "D": "{object_area: away-from-centre}",
            "same": "{opening: subject-first}", "loop": "{repetition: off}"}  # fmt: skip
GOOD = {"title": "T", "rulesets": "[chatra/base, chatra/C]", "agents": "[random, greedy]", "games": "10"}
Load = Callable[..., Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads the text of an experiment, or `GOOD` with the given keys changed (None: left out)."""
    (tmp_path / "rulesets" / "chatra").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    for name, rules in RULESETS.items():
        text = f"game: chatra\ntitle: {name}\nrules: {rules}\n"
        (tmp_path / "rulesets" / "chatra" / f"{name}.yaml").write_text(text, encoding="utf-8")

    def read(text: str | None = None, **changes: str | None) -> Experiment:
        if text is None:
            lines = {key: value for key, value in (GOOD | changes).items() if value is not None}
            text = "".join(f"{key}: {value}\n" for key, value in lines.items())
        path = tmp_path / "experiments" / "test.yaml"
        path.write_text(text, encoding="utf-8")
        return experiment.load_experiment(path, project.Project(tmp_path))

    return read


def schema(known: Sequence[str] = ()) -> dict[str, Any]:
    return workspace.file_schema(workspace.EXPERIMENT, known)


def problems(load: Load, text: str | None = None, **changes: str | None) -> list[str]:
    """The problems of a file without its path: ``line: key: message (hint)``."""
    with pytest.raises(InputError) as caught:
        load(text, **changes)
    return [str(problem).partition("test.yaml:")[2] or str(problem) for problem in caught.value.problems]


def test_a_short_file_gets_defaults(load: Load) -> None:
    loaded = load()
    assert (loaded.name, loaded.title, loaded.games, loaded.max_plies, loaded.seed) == ("test", "T", 10, 400, 0)
    assert loaded.baseline == "chatra/base"
    assert [(cell.index, cell.title) for cell in loaded.cells()] == [
        (0, "chatra/base, random – random"), (1, "chatra/base, greedy – greedy"),
        (2, "chatra/C, random – random"), (3, "chatra/C, greedy – greedy"),
    ]  # fmt: skip


def test_a_full_file(load: Load) -> None:
    loaded = load(
        "title: T\ntitle_ja: 題\nrulesets: [chatra/C, chatra/base]\nbaseline: chatra/base\n"
        "agents:\n- alphabeta: {depth: 3, epsilon: 0.1, weights: {mobility: 2}}\n"
        "- best-first: {nodes: 50, temperature: 0, name: quick}\n"
        "pairings: [[greedy, random], [random, greedy]]\n"
        "games: 10000000\nmax_plies: 100000\nseed: 18446744073709551615\nblock: 300\n"
        'targets: {first_score: [0.48, 0.52], draw_rate: "<0.05", plies: [40, 120], capped_rate: <= .1}\n'
    )
    assert [(first.label, second.label) for first, second in loaded.pairings] == [
        ("alphabeta-3", "alphabeta-3"), ("quick", "quick"), ("greedy", "random"), ("random", "greedy")
    ]  # fmt: skip
    assert loaded.pairings[0][0].canonical() == {
        "kind": "alphabeta", "depth": 3, "epsilon": 0.1, "temperature": 0.05, "weights": {"mobility": 2.0}
    }  # fmt: skip
    assert loaded.canonical() == {
        "name": "test", "title": "T", "title_ja": "題", "baseline": "chatra/base", "games": 10_000_000,
        "max_plies": 100_000, "seed": 2**64 - 1,
        "targets": {"first_score": [0.48, 0.52], "draw_rate": "<0.05", "plies": [40, 120], "capped_rate": "<= .1"},
    }  # fmt: skip
    assert {loaded.block_size(cell) for cell in loaded.cells()} == {300}
    json.dumps(loaded.canonical())


def test_vary_is_the_full_factorial(load: Load) -> None:
    loaded = load(rulesets="[chatra/base]", vary="{subjects: [unlimited, 7], stuck: [draw, loss]}")
    assert [ruleset.name for ruleset in loaded.rulesets] == [
        f"chatra/base subjects={values}"
        for values in ("unlimited, stuck=draw", "unlimited, stuck=loss", "7, stuck=draw", "7, stuck=loss")
    ]
    last = loaded.rulesets[-1]
    assert last.title == "Supply of subjects: 7, No legal move, not in check: loss" and "：7、" in last.title_ja
    assert (last.settings["subjects"], last.settings["stuck"]) == (7, "loss")
    assert loaded.baseline == loaded.rulesets[0].name


def test_one_change_at_a_time_is_named_by_the_change(load: Load) -> None:
    loaded = load(
        rulesets="[chatra/base]", vary="{subjects: [unlimited, 7, 5], stuck: [draw, loss]}", design="one-at-a-time",
        baseline="chatra/base",
    )  # fmt: skip
    names = [ruleset.name for ruleset in loaded.rulesets]
    assert names == ["chatra/base", *(f"chatra/base {change}" for change in ("stuck=loss", "subjects=7", "subjects=5"))]
    assert loaded.baseline == "chatra/base"
    assert [ruleset.title for ruleset in loaded.rulesets][:2] == ["base", "No legal move, not in check: loss"]
    assert loaded.levels["chatra/base subjects=7"] == {"subjects": "7", "stuck": "draw"}


def test_vary_may_have_several_bases(load: Load) -> None:
    loaded = load(rulesets=None, vary="{base: [chatra/base, chatra/C], stuck: [draw, loss]}")
    names = [f"{base} stuck={value}" for base in ("chatra/base", "chatra/C") for value in ("draw", "loss")]
    assert [ruleset.name for ruleset in loaded.rulesets] == names
    assert [each.title.partition("; ")[0] for each in loaded.rulesets] == ["base", "base", "C", "C"]
    assert len({each.title for each in loaded.rulesets}) == len({each.title_ja for each in loaded.rulesets}) == 4
    assert loaded.factors == {"base": ("chatra/base", "chatra/C"), "stuck": ("draw", "loss")}
    assert loaded.levels["chatra/C stuck=loss"] == {"base": "chatra/C", "stuck": "loss"}
    assert problems(load, rulesets=None, vary="{base: [chatra/base, chatra/CC], stuck: [loss]}") == [
        "4: vary.base[1]: expected the name of a ruleset, found 'chatra/CC' (did you mean 'chatra/C'?)"
    ]


def test_vary_beside_rulesets_needs_a_base(load: Load) -> None:
    loaded = load(vary="{base: chatra/C, stuck: [loss]}")
    assert [ruleset.name for ruleset in loaded.rulesets] == ["chatra/base", "chatra/C", "chatra/C stuck=loss"]
    alone = load(rulesets=None, vary="{base: chatra/C, stuck: [draw, loss]}", baseline="chatra/C")
    assert alone.baseline == "chatra/C stuck=draw"
    assert problems(load, vary="{stuck: [loss]}") == [
        "5: vary: expected one ruleset in 'rulesets' to vary, found 2 (name it there, or as base: GAME/NAME in 'vary')"
    ]


def test_refused_combinations_are_left_out_with_a_note(load: Load) -> None:
    loaded = load(rulesets="[chatra/base]", vary="{repetition: [draw, off], repetition_count: [4, 5]}")
    kept = [(ruleset.settings["repetition"], ruleset.settings["repetition_count"]) for ruleset in loaded.rulesets]
    assert kept == [("draw", 4), ("draw", 5), ("off", 5)]
    (note,) = loaded.left_out
    assert note.startswith("chatra/base with repetition=off, repetition_count=4: repetition is off, so")
    assert loaded.canonical()["left_out"] == (note,)
    assert loaded.factors == {"repetition": ("draw", "off"), "repetition_count": ("4", "5")}
    assert loaded.levels[loaded.rulesets[2].name] == {"repetition": "off", "repetition_count": "5"}


def test_toggles_can_be_tied_to_one_factor(load: Load) -> None:
    text = "{stuck: [draw, loss], links: {strict: {middle_piece: no-links, enemy_object_cuts: true}, "
    text += "loose: {middle_piece: no-links-on-that-line, enemy_object_cuts: false}}}"
    loaded = load(rulesets="[chatra/base]", vary=text)
    assert [ruleset.name for ruleset in loaded.rulesets] == [
        f"chatra/base stuck={stuck}, links={links}" for stuck in ("draw", "loss") for links in ("strict", "loose")
    ]
    last = loaded.rulesets[-1]
    assert (last.settings["middle_piece"], last.settings["enemy_object_cuts"]) == ("no-links-on-that-line", False)
    assert last.title == "No legal move, not in check: loss, links: loose"


def test_sequential_experiments(load: Load) -> None:
    assert (load().sequential, load().looks) == (False, None)
    loaded = load(until="decided", margin="0.03", measures="[draw_rate]")
    assert (loaded.until, loaded.looks, loaded.margin) == ("decided", 5, 0.03)
    assert loaded.measures == ("fairness", "draw_rate")
    assert loaded.canonical().items() >= {"until": "decided", "looks": 5, "margin": 0.03}.items()
    loaded = load(precision="0.02", looks="7")
    assert (loaded.precision, loaded.looks, loaded.sequential) == (0.02, 7, True)
    assert load(precision="0.02").looks == 20


def test_an_experiment_may_ask_for_another_measure(load: Load) -> None:
    assert load().question == "first_score" and "question" not in load().canonical()
    loaded = load(question="draw_rate", margin="0.05", measures="[fairness]")
    assert (loaded.question, loaded.margin, loaded.measures) == ("draw_rate", 0.05, ("draw_rate", "fairness"))
    assert loaded.canonical()["question"] == "draw_rate"
    assert (load(question="plies", margin="7.5").margin, load(question="variety").margin) == (7.5, None)
    event = CHATRA.events[0].name
    assert load(question=f"event_{event}_share").question == f"event_{event}_share"
    plan = statistics.AnalysisPlan(loaded)
    assert (plan.question_measure.name, plan.question_margin, plan.margin) == ("draw_rate", 0.05, 0.025)
    assert plan.primary_measures == ("draw_rate", "fairness") and plan.primary_comparisons == 2


WRONG: list[tuple[dict[str, str | None], list[str]]] = [
    ({"rulsets": "[a]"},
     ["5: rulsets: expected a key of an experiment, found the unknown key 'rulsets' (did you mean 'rulesets'?)"]),
    ({"games": None}, ["1: games: expected this key, found none"]),
    ({"games": "10000000", "block": "1"}, ["5: block: expected at most 400,000 blocks of games in total, found 40,0"]),
    ({"games": "0"}, ["4: games: expected a whole number from 1 to 10000000, found 0"]),
    ({"rulesets": "[chatra/bse]"},
     ["2: rulesets[0]: expected the name of a ruleset, found 'chatra/bse' (did you mean 'chatra/base'?)"]),
    ({"rulesets": "[rulesets/chatra/C.yaml]"}, ["2: rulesets[0]: expected the name of a ruleset, found 'rulesets/"]),
    ({"rulesets": "[chatra/base, chatra/same]"},
     ["2: rulesets[1]: expected rulesets that differ, found 'chatra/same' with the same rules as 'chatra/base'"]),
    ({"baseline": "chatra/D"}, ["5: baseline: expected one of the experiment's rulesets, found 'chatra/D'"]),
    ({"agents": "[rndom]"},
     [f"3: agents[0]: expected an agent ({', '.join(KINDS)}, uci, python), "
      "found 'rndom' (did you mean 'random'?)"]),
    ({"agents": "['alphabeta:depth=3']"},
     [f"3: agents[0]: expected an agent ({', '.join(KINDS)}, uci, python), "
      "found 'alphabeta:depth=3' (options are"]),
    ({"agents": "[{greedy: {}, random: {}}]"}, ["3: agents[0]: expected one agent, found 2 keys"]),
    ({"agents": "[{alphabeta: {deph: 3}}]"},
     ["3: agents[0].alphabeta.deph: expected an option of alphabeta, found 'deph' (did you mean 'depth'?)"]),
    ({"agents": "[{greedy: {depth: 3}}]"},
     ["3: agents[0].greedy.depth: expected an option of greedy, found 'depth' (an option of alphabeta)"]),
    ({"agents": "[{greedy: {weights: {mobilty: 1}}}]"},
     ["3: agents[0].greedy.weights.mobilty: expected a feature of chatra, found 'mobilty' (did you mean 'mobility'?)"]),
    ({"agents": "[{greedy: {name: ''}}]"}, ["3: agents[0].greedy.name: expected a name of at most 40 characters"]),
    ({"agents": "[greedy, greedy]"}, ["3: agents[1]: expected each pairing once, found greedy – greedy again"]),
    ({"agents": "[greedy, {greedy: {temperature: 1}}]"},
     ["3: agents[1]: expected agents with distinct labels, found a second 'greedy' with different options (give"]),
    ({"agents": "[greedy, {greedy: {name: other}}]"},
     ["3: agents[1]: expected agents that differ, found 'other', which plays like 'greedy'"]),
    ({"pairings": "[random]"}, ["5: pairings[0]: expected two agents [first, second], found 'random'"]),
    ({"question": "fun"},
     ["5: question: expected a measure, or an event of chatra, found 'fun' (questions: first_score, "]),
    ({"question": "event_dropps_mean"},
     ["5: question: expected a measure, or an event of chatra, found 'event_dropps_mean' (did you mean "
      "'event_drops_mean'?)"]),
    ({"question": "plies", "margin": "0"},
     ["6: margin: expected a difference in plies from 0.001 to 100000, found 0"]),
    ({"question": "draw_rate", "margin": "5"}, ["6: margin: expected a share from 0.001 to 0.5, found 5"]),
    ({"targets": "[1]"}, ["5: targets: expected targets such as"]),
    ({"targets": "{draws: '<0.1'}"}, ["5: targets.draws: expected a measure with a target, found 'draws'"]),
    ({"targets": "{first_score: [0.52, 0.48]}"},
     ['5: targets.first_score: expected [lowest, highest] or a limit such as "<0.05", from 0 to 1, found [0.52, ']),
    ({"rulesets": "[chatra/base]", "vary": "[7]"}, ["5: vary: expected toggles and lists of values, found a list"]),
    ({"rulesets": "[chatra/base]", "vary": "{}"}, ["5: vary: expected at least one toggle, found none"]),
    ({"rulesets": "[chatra/base]", "vary": "{subject: [7]}"},
     ["5: vary.subject: expected a toggle of chatra, found the unknown key 'subject' (did you mean 'subjects'?)"]),
    ({"rulesets": "[chatra/base]", "vary": "{subjects: 7}"}, ["5: vary.subjects: expected a list of values (unl"]),
    ({"rulesets": "[chatra/base]", "vary": "{subjects: [0, seven]}"},
     ["5: vary.subjects[0]: expected unlimited or a whole number from 1 to 112, found 0", "5: vary.subjects[1]: "]),
    ({"rulesets": "[chatra/base]", "vary": "{stuck: [draw, draw]}"},
     ["5: vary.stuck[1]: expected each value once, found 'draw' again"]),
    ({"rulesets": "[chatra/loop]", "vary": "{repetition_count: [3, 4]}"},
     ["5: vary: chatra/loop with repetition_count=3: repetition is off, so repetition_count has no effect",
      "5: vary: chatra/loop with repetition_count=4: repetition is off, so repetition_count has no effect"]),
    ({"rulesets": "[chatra/base]", "vary": "{stuck: {a: {offside: front}}}"},
     ["5: vary.stuck: expected a list of values for the toggle 'stuck', found a mapping (factors that set several"]),
    ({"rulesets": "[chatra/base]", "vary": "{mine: {a: {stuck: loss}, b: {offside: front}}}"},
     ["5: vary.mine: expected the same toggles in each level"]),
    ({"rulesets": "[chatra/base]", "vary": "{mine: {a: {stuk: loss}, b: [3], c: {stuck: 3}}}"},
     ["5: vary.mine.a.stuk: expected a toggle of chatra, found the unknown key 'stuk' (did you mean 'stuck'?)",
      "5: vary.mine.b: expected toggles and their values, found a list",
      "5: vary.mine.c.stuck: expected draw or loss, found 3"]),
    ({"rulesets": "[chatra/base]", "vary": "{stuck: [draw, loss], mine: {a: {stuck: loss}}}"},
     ["5: vary: expected each toggle in only one factor, found 'stuck' in two"]),
    ({"design": "pairs"}, ["5: design: 'design' has no effect without 'vary'"]),
    ({"rulesets": "[chatra/base]", "vary": "{stuck: [draw, loss]}", "design": "ful"},
     ["6: design: expected full or fractional or pairs or one-at-a-time, found 'ful' (did you mean 'full'?)"]),
    ({"until": "decided", "precision": "0.01"}, ["6: precision: expected 'until' or 'precision', found both"]),
    ({"until": "decided", "rulesets": "[chatra/base]"}, ["5: until: there is nothing to decide: expected at least"]),
    ({"looks": "3"}, ["5: looks: 'looks' has no effect without 'until' or 'precision'"]),
    ({"measures": "[draw_rate, draw_rate]"}, ["5: measures[1]: expected each measure once, found draw_rate again"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), WRONG, ids=[str(changes)[:60] for changes, _ in WRONG])
def test_errors_name_line_key_and_remedy(load: Load, changes: dict[str, str | None], expected: list[str]) -> None:
    told = problems(load, **changes)
    assert len(told) == len(expected), told
    for message, start in zip(told, expected, strict=True):
        assert message.startswith(start)


def test_all_errors_come_at_once_in_the_order_of_lines(load: Load) -> None:
    text = "rulesets: [chatra/X]\nagents: [randm, {best-first: {nodes: 0}}]\ngames: many\nmax_ply: 3\nseed: 1.5\n"
    text += "targets: {draw_rate: low}\ngames: 20\n"
    assert [message.split(": ")[:2] for message in problems(load, text)] == [
        ["1", "title"], ["1", "rulesets[0]"], ["2", "agents[0]"], ["2", "agents[1].best-first.nodes"],
        ["3", "games"], ["4", "max_ply"], ["5", "seed"], ["6", "targets.draw_rate"],
        ["7", "games"],
    ]  # fmt: skip


def test_errors_of_a_ruleset_name_its_own_file(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "rulesets" / "chatra" / "C.yaml"
    path.write_text("game: chatra\ntitle: C\nrules:\n  openin: objects-first\n", encoding="utf-8")
    told = problems(load, games="0")
    assert told[0].startswith("4: games")
    assert "chatra/C.yaml:4: rules.openin" in told[1] and len(told) == 2


def test_experiments_are_found_by_name(load: Load, tmp_path: Path) -> None:
    load()
    where = project.Project(tmp_path)
    assert experiment.experiment_names(where) == ["test"]
    assert experiment.find_experiment("test", where) == tmp_path / "experiments" / "test.yaml"
    with pytest.raises(InputError, match="there is no experiment named 'tset'.*did you mean 'test'"):
        experiment.find_experiment("tset", where)
    with pytest.raises(InputError, match=r"experiments/tset\.yaml: there is no such file .did you mean 'test'"):
        experiment.find_experiment("experiments/tset.yaml", where)


@pytest.mark.parametrize(
    ("words", "label", "expected"),
    [
        ("greedy:epsilon=0.5", "greedy", {"kind": "greedy", "epsilon": 0.5, "temperature": 0.05}),
        ("alphabeta:depth=3,temperature=0", "alphabeta-3",
         {"kind": "alphabeta", "epsilon": 0.0, "temperature": 0.0, "depth": 3}),
        ("best-first:nodes=50,name=quick,weights.mobility=2", "quick",
         {"kind": "best-first", "epsilon": 0.0, "temperature": 0.05, "nodes": 50, "weights": {"mobility": 2.0}}),
    ],
)  # fmt: skip
def test_agents_of_the_command_line(words: str, label: str, expected: dict[str, object]) -> None:
    agent = agents.agent_from_text(words, [CHATRA])
    assert (agent.label, agent.canonical()) == (label, expected)


def test_errors_of_the_command_line_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        agents.agent_from_text("alphabeta:depth=0,wdith=3,,weights.mobilty=1,depth=2", [CHATRA])
    told = [str(problem).partition(", found")[0] for problem in caught.value.problems]
    assert told == [
        "--agent: expected option=value", "--agent: expected each option once",
        "--agent alphabeta:depth: expected a whole number from 1 to 12",
        "--agent alphabeta:wdith: expected an option of alphabeta",
        "--agent alphabeta:weights.mobilty: expected a feature of chatra",
    ]  # fmt: skip


def test_players_for_the_engine() -> None:
    defaults = tuple(feature.weight for feature in CHATRA.features)
    assert AgentSpec.of("random").player(CHATRA) == Player(Agent(RANDOM, 0, 0.0, 0.0, 0), defaults)
    searching = Agent(ALPHABETA, 3, 0.0, 0.05, 0)
    assert AgentSpec.of("alphabeta", depth=3).player(CHATRA) == Player(searching, defaults)
    by_budget = searching._replace(kind=PRINCIPAL, depth=DEEPEST, nodes=500, reductions=1, follows=1)
    assert AgentSpec.of("alphabeta", nodes=500).player(CHATRA) == Player(by_budget, defaults)
    best_first = searching._replace(kind=BEST_FIRST, depth=DEEPEST, nodes=10_000, reductions=1, follows=1)
    assert AgentSpec.of("best-first").player(CHATRA) == Player(best_first, defaults)
    player = AgentSpec.of("greedy", weights={CHATRA.features[1].name: 9}, epsilon=1).player(CHATRA)
    assert player == Player(Agent(GREEDY, 0, 1.0, 0.05, 0), (defaults[0], 9.0, *defaults[2:]))
    assert [type(number) for number in player.agent] == [int] * 2 + [float] * 2 + [int] * 5


def test_blocks_are_smaller_for_slower_agents(load: Load) -> None:
    listed = "[random, greedy, alphabeta, {alphabeta: {depth: 5}}, best-first, {best-first: {nodes: 1000000}}]"
    loaded = load(agents=listed, pairings="[[random, alphabeta]]")
    assert [loaded.block_size(cell) for cell in loaded.cells()][:7] == [500, 200, 50, 1, 2, 1, 50]


def test_seeds_are_what_the_documentation_says(load: Load) -> None:
    """They come from the seed and both agents alone, and not from the rules or the rest of the experiment."""
    loaded = load(agents=None, pairings="[[random, {greedy: {epsilon: 0.1}}]]", seed="7", games="500", block="3")
    first, second = loaded.pairings[0]
    text = json.dumps([7, first.canonical(), second.canonical()], sort_keys=True, separators=(",", ":"))
    begin = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def mix(z: int) -> int:
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    expected = [mix((begin + (n + 1) * 0x9E3779B97F4A7C15) % 2**64) for n in range(100)]
    for cell in loaded.cells():
        seeds = loaded.seeds(cell, 0, 100)
        assert seeds.dtype == np.uint64 and seeds.tolist() == expected
        assert loaded.seeds(cell, 90, 95).tolist() == expected[90:95]


def test_a_baseline_in_k_differences_has_root_k_times_the_games(load: Load) -> None:
    agents = "[greedy, {greedy: {evaluation: learned, training: 1}}]"
    single = load(rulesets="[chatra/base, chatra/C, chatra/D]", agents=agents, games="50")
    games = {(c.ruleset.name, c.first.label, c.second.label): single.cell_games(c) for c in single.cells()}
    assert games["chatra/base", "greedy", "greedy"] == 50, "weights in common"
    assert games["chatra/base", "greedy-learned-1", "greedy-learned-1"] == math.ceil(50 * 2**0.5)
    assert games["chatra/C", "greedy-learned-1", "greedy-learned-1"] == 50
    assert single.total_games == sum(games.values())
    factors = "{opening: [subject-first, objects-first], stuck: [draw, loss]}"
    combined = load(rulesets="[chatra/base]", vary=factors, agents=agents, games="50")
    early = load(rulesets="[chatra/base, chatra/C, chatra/D]", agents=agents, games="500", until="decided")
    for each in (combined, early):
        assert {each.cell_games(cell) for cell in each.cells()} == {each.games}


def test_the_key_of_a_cell_changes_with_what_decides_its_games(load: Load) -> None:
    def keys(**changes: str | None) -> set[str]:
        return {cell.digest for cell in load(**changes).cells()}

    before = keys()
    assert len(before) == 4
    other = {"title": "Other", "games": "99", "block": "3", "targets": "{plies: [1, 2]}"}
    assert keys(rulesets="[chatra/C, chatra/base]", **other) == before
    assert keys(agents="[{greedy: {name: g}}, random]") == before
    assert not keys(seed="1") & before and not keys(max_plies="401") & before
    assert len(keys(agents="[random, {greedy: {weights: {mobility: 5}}}]") & before) == 2


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_experiments_are_right(path: Path) -> None:
    assert experiment.load_experiment(path, project.Project(ROOT)).title_ja
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# yaml-language-server: $schema=experiment.schema.json" and lines[2].startswith("# ")


def test_the_schema_knows_all_keys_and_toggles() -> None:
    json_schema = schema(["chatra/A"])
    assert set(json_schema["properties"]) == set(experiment.KEYS)
    assert all("description" in rule for rule in json_schema["properties"].values())
    toggles = {toggle.name for game in games.names() for toggle in games.declaration(game).toggles}
    assert set(json_schema["properties"]["vary"]["properties"]) == toggles | {"base"}
    json.dumps(json_schema)


NEEDS = {"looks": "until", "design": "vary"}
"""Keys that say nothing without another one."""


@pytest.mark.parametrize("name", list(experiment.KEYS))
def test_the_example_of_each_key_is_right(name: str, tmp_path: Path) -> None:
    """What the template of ``workbench new --experiment`` shows, and what an error tells to write."""
    content = {"title": "T", "rulesets": ["chatra/2007-09", "chatra/C"], "agents": ["random", "greedy"], "games": 10}
    content |= {each: experiment.KEYS[each].example for each in (name, NEEDS.get(name, name))}
    if "vary" in content:
        content["rulesets"] = ["chatra/2007-09"]
    jsonschema.Draft202012Validator(schema()).validate(content)
    path = tmp_path / "test.yaml"
    path.write_text("".join(f"{key}: {keys.yaml_flow(value)}\n" for key, value in content.items()), encoding="utf-8")
    loaded = experiment.load_experiment(path, project.Project(ROOT))
    if name not in ("rulesets", "vary", "agents", "pairings", "capped", "openings", "published"):
        value = getattr(loaded, name)
        assert (list(value) if isinstance(value, tuple) else value) == experiment.KEYS[name].example


def test_examples_in_messages_are_yaml() -> None:
    for value in ("chatra/A+C", "", "12", "true", "a: b", "<0.05", 'a "b"', "a ", "問い", "007", 7, 0.5, True,
                  [["random", "greedy-2"], []], {"draw_rate": "<= .1", "plies": [40, 120]}):  # fmt: skip
        assert yamlfile.parse_yaml(f"key: {keys.yaml_flow(value)}", "x").plain() == {"key": value}


def test_defaults_are_those_that_the_schema_tells(load: Load) -> None:
    told = {name: rule["default"] for name, rule in schema()["properties"].items() if "default" in rule}
    assert told == {"question": "first_score", "max_plies": 400, "capped": "bounds", "keep_moves": False, "seed": 0}
    assert load(**{name: keys.yaml_flow(value) for name, value in told.items()}).canonical() == load().canonical()


def test_checking_a_file_starts_neither_pandas_nor_a_compiler() -> None:
    code = "import sys; from workbench.experiments.experiment import load_experiment as load; "
    code += "load('experiments/quickstart.yaml'); print(*sys.modules)"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pandas", "numba", "numpy", "pyarrow", "rich", "joblib"} & set(completed.stdout.split())


@pytest.mark.parametrize(
    ("label", "long"),
    [("alphabeta-2", "{alphabeta: {depth: 2}}"), ("best-first-2500n", "{best-first: {nodes: 2500}}"),
     ("best-first-3k-edge", "{best-first: {nodes: 3000, style: edge}}"),
     ("{alphabeta-2: {temperature: 0.5}}", "{alphabeta: {depth: 2, temperature: 0.5}}")],
)  # fmt: skip
def test_labels_of_tables_are_the_agents_that_they_name(load: Load, label: str, long: str) -> None:
    """The same canonical form, and so the same seeds and games, in lists, in pairings and on the command line."""
    short, spelt = (load(agents=f"[random, {words}]") for words in (label, long))
    assert short.pairings == spelt.pairings
    assert [cell.digest for cell in short.cells()] == [cell.digest for cell in spelt.cells()]
    assert load(agents=None, pairings=f"[[random, {label}]]").pairings[0][1] == spelt.pairings[1][0]
    if not label.startswith("{"):
        assert agents.agent_from_text(label, [games.declaration("chatra")]) == spelt.pairings[1][0]
        assert spelt.pairings[1][0].label == label
        content = {"title": "T", "rulesets": ["chatra/C"], "agents": [label], "games": 1}
        assert jsonschema.Draft202012Validator(schema()).is_valid(content)


@pytest.mark.parametrize(
    ("written", "piece"),
    [("alfabeta-2", "did you mean 'alphabeta-2'?"), ("alphabeta-99", "expected a whole number from 1 to 12, found 99"),
     ("greedy-center", "expected a style of chatra, found 'center' (did you mean 'centre'?)"),
     ("{alphabeta-2: {depth: 3}}", "expected depth once, found it both in the label 'alphabeta-2' and separately"),
     ("alphabeta-500", "found 500 (did you mean nodes, 'alphabeta-500n' or {alphabeta: {nodes: 500}}?)"),
     ("alphabeta-50-learned-2", "did you mean nodes, 'alphabeta-50n-learned-2' or {alphabeta: {nodes: 50}}?"),
     ("best-first-500", "did you mean 'best-first-500n'?"),
     ("greedy-2", "found 'greedy-2' (did you mean 'greedy'?)")],
)  # fmt: skip
def test_wrong_labels_are_told_with_what_was_meant(load: Load, written: str, piece: str) -> None:
    assert any(piece in problem for problem in problems(load, agents=f"[{written}]"))


@pytest.mark.parametrize(
    ("written", "nodes"),
    [("10_000", 10_000), ("[1_000, 12_345_678]", [1_000, 12_345_678]), ("1_00", None), ("_100", None), ("0_100", None)],
)
def test_digits_may_be_in_groups_of_three(load: Load, written: str, nodes: int | list[int] | None) -> None:
    content = {"title": "T", "rulesets": ["chatra/C"], "agents": [{"alphabeta": {"nodes": written}}], "games": 1}
    if isinstance(nodes, list):
        content["agents"] = [{"alphabeta": {"nodes": written.strip("[]").split(", ")}}]
    # To an editor, which reads YAML 1.2, they are text.
    assert jsonschema.Draft202012Validator(schema()).is_valid(content) == (nodes is not None)
    if nodes is None:
        found = problems(load, agents=f"[{{alphabeta: {{nodes: {written}}}}}]")
        assert f"expected a whole number from 0 to 100,000,000, found '{written}'" in found[0]
    else:
        loaded = load(agents=f"[{{alphabeta: {{nodes: {written}}}}}]", games="1_000")
        assert [agent.nodes for agent in loaded.agents] == ([nodes] if isinstance(nodes, int) else nodes)
        assert loaded.games == 1_000


def test_a_title_in_either_language_is_enough(load: Load) -> None:
    japanese = load(title=None, title_ja="公平か")
    assert (japanese.title, japanese.title_ja, load().title_ja) == ("公平か", "公平か", "")
    assert problems(load, title=None)[0].startswith("1: title: expected this key")
    content = {"rulesets": ["chatra/C"], "agents": ["random"], "games": 1}
    validator = jsonschema.Draft202012Validator(schema())
    assert validator.is_valid(content | {"title_ja": "公平か"}) and not validator.is_valid(content)


def test_a_quick_look_is_the_beginning_of_the_run_with_a_fixed_number(load: Load) -> None:
    whole = load(games="500", until="decided", targets="{first_score: [0.48, 0.52]}")
    look = experiment.quick_look(whole, 20)
    assert (look.name, look.games, look.quick_look) == ("test.games-20", 20, 500)
    assert not look.sequential and look.looks is None
    assert look.canonical()["quick_look"] == 500 and "until" not in look.canonical()
    assert "quick_look" not in whole.canonical()
    assert [cell.digest for cell in look.cells()] == [cell.digest for cell in whole.cells()]


def test_links_out_of_the_project_are_errors(load: Load, tmp_path: Path) -> None:
    load()
    outside = tmp_path.parent / f"{tmp_path.name}-secret.yaml"
    outside.write_text("title: secret\n", encoding="utf-8")
    here = project.Project(tmp_path)
    (here.experiments / "link.yaml").symlink_to(outside)
    (here.experiments / "fine.yaml").symlink_to("test.yaml")
    with pytest.raises(InputError, match="expected a file in the project folder, found a link to"):
        experiment.load_experiment(experiment.find_experiment("link", here), here)
    assert experiment.load_experiment(experiment.find_experiment("fine", here), here).title == "T"


def factors(*levels: int) -> list[Factor]:
    return [Factor(f"f{i}", "", tuple(Level(str(k), {}) for k in range(count))) for i, count in enumerate(levels)]


def design(kind: str, *levels: int, refused: Sequence[Point] = ()) -> list[Point]:
    return design_points(factors(*levels), kind, lambda point: point not in refused)[0]


def test_full_is_everything_that_is_allowed() -> None:
    assert design("full", 2, 3) == list(itertools.product(range(2), range(3)))
    allowed, refused = design_points(factors(2, 2), "full", lambda point: point != (1, 1))
    assert (allowed, refused) == ([(0, 0), (0, 1), (1, 0)], [(1, 1)])
    assert design_points(factors(2), "pairs", lambda point: False) == ([], [(0,), (1,)])


def test_one_at_a_time_changes_one_factor_alone() -> None:
    chosen = design("one-at-a-time", 2, 3, 2)
    assert chosen == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 2, 0), (1, 0, 0)]
    assert design_points(factors(2, 2), "one-at-a-time", lambda point: point != (0, 1)) == ([(0, 0), (1, 0)], [(0, 1)])


@pytest.mark.parametrize("levels", [(2, 2), (2, 2, 2, 2, 2), (3, 4, 2, 3), (2,) * 8, (4,), (112, 19, 4)])
def test_pairs_show_every_two_levels_together(levels: tuple[int, ...]) -> None:
    chosen_points = design("pairs", *levels)
    for (i, a), (j, b) in itertools.combinations(enumerate(levels), 2):
        assert {(point[i], point[j]) for point in chosen_points} == set(itertools.product(range(a), range(b)))
    assert len(chosen_points) <= 2 * math.prod(sorted(levels)[-2:])


def test_pairs_are_those_that_add_most_the_first_of_them_first() -> None:
    def allowed(point: Point) -> bool:
        return sum(point) != 4 and point[:2] != (1, 2)

    good = [point for point in itertools.product(range(4), range(3), range(5)) if allowed(point)]
    pairs = {point: {(i, point[i], j, point[j]) for i, j in itertools.combinations(range(3), 2)} for point in good}
    missing, greedy = set().union(*pairs.values()), []
    while missing:
        greedy.append(max(good, key=lambda point: len(pairs[point] & missing)))
        missing -= pairs[greedy[-1]]
    assert design_points(factors(4, 3, 5), "pairs", allowed)[0] == sorted(greedy)


def test_a_fraction_of_five_factors_is_the_one_of_resolution_five() -> None:
    chosen_points = design("fractional", *(2,) * 5)
    rows = np.array([_model_row(point, [1] * 5) for point in chosen_points])
    np.testing.assert_allclose(rows.T @ rows, 16 * np.eye(16), atol=1e-9)


@pytest.mark.parametrize("levels", [(2, 2, 2, 2, 2, 2), (3, 3, 2), (3, 2, 2, 2), (100, 2, 2)])
def test_a_fraction_tells_all_effects_of_one_and_of_two_factors(levels: tuple[int, ...]) -> None:
    chosen_points = design("fractional", *levels)
    rows = np.array([_model_row(point, [count - 1 for count in levels]) for point in chosen_points])
    assert np.linalg.matrix_rank(rows) == rows.shape[1] == len(chosen_points) < math.prod(levels)


def test_a_fraction_goes_around_what_is_refused() -> None:
    refused = [point for point in itertools.product(range(2), repeat=5) if point[0] == point[1] == 1]
    chosen_points = design("fractional", *(2,) * 5, refused=refused)
    assert not set(chosen_points) & set(refused) and len(chosen_points) < 24


@pytest.mark.parametrize("levels", [(30, 19, 4), (112, 19, 9)])
def test_a_fraction_of_too_many_levels_is_an_error(levels: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected fewer levels for a fractional design, or 'design: pairs', found "):
        design("fractional", *levels)


@pytest.mark.parametrize("kind", DESIGNS)
def test_too_many_combinations_are_an_error(kind: str) -> None:
    with pytest.raises(ValueError, match=f"at most {MOST_COMBINATIONS:,}"):
        design(kind, *(2,) * 15)
