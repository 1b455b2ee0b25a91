"""The search by a budget of nodes: it is right where the truth is known, keeps to its budget, and repeats itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench import games
from workbench.engine import contract, jit, trials
from workbench.engine.advice import best_move
from workbench.engine.players import Player
from workbench.exact import solutions
from workbench.files.yamlfile import InputError
from workbench.games.game_state import GameState
from workbench.questions import agents, rulesets
from workbench.questions.agents import AgentSpec

STAR = rulesets.load("star/two-pieces")


def player(ruleset: rulesets.Ruleset, reductions: int = 1, **options: Any) -> Player:
    made = AgentSpec.of("alphabeta", **options).player(games.declaration(ruleset.game))
    return made._replace(agent=made.agent._replace(reductions=reductions))


@pytest.mark.skipif(jit.DISABLED, reason="millions of positions")
@pytest.mark.parametrize("reductions", [0, 1])
def test_it_finds_the_wins_that_the_solution_knows(reductions: int) -> None:
    from workbench.engine import solver

    solution = solutions.solve(STAR)
    rules = trials.rules_of("star", STAR.codes())
    values = dict(zip(solution.words.tolist(), solution.values.tolist(), strict=True))
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    searcher = player(STAR, reductions, nodes=30_000, temperature=0.0)
    words = np.zeros(len(solution.states), np.uint64)
    solver.hash_states(solution.states, words)
    asked = 0
    for i in np.random.default_rng(1).permutation(len(words)):
        state, value = solution.states[i], values[int(words[i])]
        plies = solver.LONGEST - abs(value)
        seat = int(contract.seat(rules, state))
        n = int(contract.legal_moves(rules, state, moves))
        if (
            contract.outcome(rules, state, n)[0] != contract.ONGOING
            or not 1 <= plies <= 7
            or (value > 0) != (seat == 0)
        ):
            continue
        after = state.copy()
        contract.play(rules, after, best_move("star", STAR.codes(), searcher, 1, [], state))
        reached = np.zeros(1, np.uint64)
        solver.hash_states(after[np.newaxis], reached)
        left = values[int(reached[0])]
        assert (left > 0) == (value > 0) and left != 0, (i, value, left)
        asked += 1
        if asked == 150:
            break
    assert asked == 150


@pytest.mark.parametrize("name", ["star/default", "chess/007", "draughts/english"])
def test_it_keeps_to_its_budget(name: str) -> None:
    ruleset = rulesets.load(name)
    nodes = 100 if jit.DISABLED else 2_000
    searcher = player(ruleset, nodes=nodes)
    block = trials.run_block(ruleset.game, ruleset.codes(), searcher, searcher, np.arange(2, dtype=np.uint64), 12)
    rules = trials.rules_of(ruleset.game, ruleset.codes())
    # A node is a move that was played; one look at each move of the root and of a position may come on top.
    most = int(contract.max_moves(rules))
    spent, plies = int(block["counters"][0]), int(block["plies"].sum())
    assert nodes * plies / 2 < spent <= (nodes + 2 * most) * plies


def test_a_budget_that_is_too_small_for_a_search_plays_the_best_by_one_look() -> None:
    ruleset = rulesets.load("chess/orthodox")
    codes = ruleset.codes()
    greedy = AgentSpec.of("greedy", temperature=0.0).player(games.declaration("chess"))
    tiny = player(ruleset, nodes=1, temperature=0.0)
    # Black has just given his queen away: exactly one capture is best at one look.
    game_state = GameState("chess", codes)
    for text in ["e4", "d5", "exd5", "Qxd5", "Nc3", "a6"]:
        game_state.push_text(text)
    assert best_move("chess", codes, tiny, 1, game_state.played) == best_move(
        "chess", codes, greedy, 1, game_state.played
    )


def test_games_do_not_depend_on_the_block_that_they_are_played_in() -> None:
    searcher = player(STAR, nodes=100 if jit.DISABLED else 500)
    seeds = np.arange(6, dtype=np.uint64)
    whole = trials.run_block("star", STAR.codes(), searcher, searcher, seeds, 60)["game_hash"]
    alone = [
        trials.run_block("star", STAR.codes(), searcher, searcher, seeds[i : i + 1], 60)["game_hash"] for i in range(6)
    ]
    assert whole.tolist() == [int(hashes[0]) for hashes in alone]


@pytest.mark.parametrize(("label", "nodes"), [("alphabeta-10k", 10_000), ("alphabeta-2500n", 2_500)])
def test_labels_name_the_budget(label: str, nodes: int) -> None:
    agent = agents.agent(label)
    assert (agent.nodes, agent.depth, agent.label) == (nodes, 0, label)
    assert agents.agent(f"alphabeta:nodes={nodes}") == agent
    assert agent.canonical() == {"kind": "alphabeta", "epsilon": 0.0, "temperature": 0.05, "nodes": nodes}
    assert AgentSpec.from_provenance(label, agent.canonical()) == agent


def test_a_search_by_depth_is_written_as_before() -> None:
    assert agents.agent("alphabeta-3").canonical() == {
        "kind": "alphabeta", "epsilon": 0.0, "temperature": 0.05, "depth": 3,
    }  # fmt: skip


@pytest.mark.parametrize("label", ["mcts-10k", "alphabeta-10m", "alphabeta-k"])
def test_labels_that_name_no_budget_are_refused(label: str) -> None:
    with pytest.raises(InputError):
        agents.agent(label)
