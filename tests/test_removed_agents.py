"""The agent mcts was removed: what files, labels, the command line and older reports that speak of it are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import call, refused
from workbench import games
from workbench.engine.players import SEARCHES
from workbench.errors import InputError, display_path
from workbench.questions import agents, experiment
from workbench.questions.agents import AgentSpec
from workbench.run import runner
from workbench.store import provenance

pytestmark = pytest.mark.usefixtures("in_the_checkout")

INSTEAD = "(best-first: {nodes: N} takes its place, for instance best-first-10k)"
FILE = """\
title: T
rulesets: [star/default]
agents:
- random
- mcts
- mcts-400
- mcts: {simulations: 50, rollout: 0, weights: {mobility: 1}}
- {mcts-400-learned-2: {temperature: 0}}
pairings:
- [greedy, 'mcts:simulations=200']
openings: {plies: 4, lines: 20, judge: mcts-50}
games: 10
"""
TOLD = (
    "5: agents[1]: expected an agent that there is, found mcts: mcts was removed",
    "6: agents[2]: expected an agent that there is, found mcts-400: mcts was removed",
    "7: agents[3].mcts: expected an agent that there is, found mcts: mcts was removed",
    "8: agents[4].mcts-400-learned-2: expected an agent that there is, found mcts-400-learned-2: mcts was removed",
    "10: pairings[0][1]: expected an agent that there is, found mcts:simulations=200: mcts was removed",
    "11: openings.judge: expected an agent that there is, found mcts-50: mcts was removed",
)


@pytest.mark.parametrize("command", [["run"], ["check"], ["plan"]])
def test_an_experiment_is_told_at_every_place(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "old.yaml"
    path.write_text(FILE, encoding="utf-8")
    said = refused(*command, str(path)).splitlines()
    assert said == [f"{display_path(path)}:{told} {INSTEAD}" for told in TOLD]


@pytest.mark.parametrize("written", ["mcts", "mcts-400", "mcts:simulations=200,exploration=2", "mcts-400-learned"])
@pytest.mark.parametrize("option", ["play --second", "bench --agents", "ladder --agents"])
def test_the_command_line_is_told(option: str, written: str) -> None:
    command, name = option.split()
    said = refused(command, "star/default", name, written)
    assert f"{name}: expected an agent that there is, found mcts" in said and f"mcts was removed {INSTEAD}" in said


def test_what_looks_like_it_is_no_agent_either() -> None:
    with pytest.raises(InputError, match="expected an agent .*found 'mctsx'"):
        agents.agent_from_text("mctsx")


def test_an_older_report_is_still_made_and_says_what_it_cannot_show(tmp_path: Path, no_charts: None) -> None:
    """Its games are results; they are no longer played again, unlike those of the others."""
    path = tmp_path / "old.yaml"
    players = "[greedy, {greedy: {name: mcts-400, epsilon: 0.5}}]"
    path.write_text(f"title: T\nrulesets: [star/default]\nagents: {players}\ngames: 4\n", encoding="utf-8")
    folder = tmp_path / "out"
    runner.run_experiment(experiment.load_experiment(path), folder, workers=1)
    content = provenance.load_provenance(folder)
    for pairing in content["pairings"]:
        if pairing["first"] == "mcts-400":
            gone = {"kind": "mcts", "epsilon": 0.0, "temperature": 0.05, "simulations": 400, "exploration": 1.0}
            pairing["first_options"] = pairing["second_options"] = gone
    provenance.save_provenance(folder, content)
    done = call("report", str(folder))
    assert done.exit_code == 0, done.output
    said = " ".join(done.stderr.split())
    assert "provenance.json: pairings: mcts was removed: the games of mcts-400 count" in said and INSTEAD in said
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "mcts-400" in page
    assert call("check", str(folder)).exit_code == 0


def test_a_player_of_an_older_report_does_not_play() -> None:
    old = AgentSpec.from_provenance("mcts-400", {"kind": "mcts", "simulations": 400, "epsilon": 0.0})
    assert old.label == "mcts-400"
    with pytest.raises(InputError, match="there is no agent mcts here to play the part of mcts-400 .best-first"):
        old.player(games.declaration("star"))


DIGESTS = {
    "random": "aa9145064f19247b",
    "optimal": "c2cf36d4a5126e49",
    "greedy": "2a6d4c36e7a6c213",
    "alphabeta-3": "5b598b4b1bac6579",
    "alphabeta-10k": "fa4103baa247b206",
    "best-first-10k": "9498b3b88cbccbed",
}
"""Of the cells of the version that had the agent: the blocks of a run are named by them."""


def test_cells_of_the_other_agents_are_named_as_before(tmp_path: Path) -> None:
    path = tmp_path / "test.yaml"
    written = json.dumps(list(DIGESTS))
    path.write_text(f"title: T\nrulesets: [star/default]\nagents: {written}\ngames: 10\nseed: 7\n", encoding="utf-8")
    assert {cell.first.label: cell.digest for cell in experiment.load_experiment(path).cells()} == DIGESTS
    assert 3 not in SEARCHES
