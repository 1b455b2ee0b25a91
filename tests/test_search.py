"""The searches by a budget of nodes: right where the truth is known, within the budget, and the same each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import few
from tests.games.chess.engines import TRIPLE, begin, rules
from workbench import games
from workbench.addons.solver import solving
from workbench.engine import contract, jit, trials
from workbench.engine.agents import prepare_workspace, weight_rows
from workbench.engine.players import DEEPEST, BlockArguments, Player
from workbench.engine.search import principal
from workbench.engine.search.evaluation import heuristic
from workbench.engine.search.memory import FOLLOWED
from workbench.engine.trials import best_move
from workbench.players import agents, trainer
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

STAR = rulesets.load_ruleset("star/two-pieces")


def player(ruleset: rulesets.Ruleset, kind: str = "alphabeta", reductions: int = 1, **options: Any) -> Player:
    made = AgentSpec.of(kind, **options).player(games.declaration(ruleset.game))
    return made._replace(agent=made.agent._replace(reductions=reductions))


@pytest.mark.skipif(jit.DISABLED, reason="millions of positions")
@pytest.mark.parametrize(("kind", "reductions"), few.first(1, [("alphabeta", 1), ("alphabeta", 0), ("best-first", 0)]))
def test_it_finds_the_wins_that_the_solution_knows(kind: str, reductions: int) -> None:
    from workbench.engine import solver

    solution = solving.solve_ruleset(STAR)
    rules = trials.make_rules("star", STAR.codes())
    values = dict(zip(*(column.tolist() for column in solution.book), strict=True))
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    searcher = player(STAR, kind, reductions, nodes=30_000, temperature=0.0)
    words = np.zeros(len(solution.packed), np.uint64)
    solver.hash_states(solution.packed, words)
    asked = 0
    for i in np.random.default_rng(1).permutation(len(words)):
        state, value = solution.states[i], values[int(words[i])]
        plies = solver.LONGEST - abs(value)
        seat = int(contract.seat(rules, state))
        n = int(contract.legal_moves(rules, state, moves))
        ongoing = contract.outcome(rules, state, n)[0] == contract.ONGOING
        if not (ongoing and 1 <= plies <= 7 and (value > 0) == (seat == 0)):
            continue
        after = state.copy()
        contract.play(rules, after, best_move("star", STAR.codes(), searcher, 1, [], state))
        packed, reached = np.zeros((1, contract.packed_bytes(rules)), np.uint8), np.zeros(1, np.uint64)
        contract.pack(rules, after, packed[0])
        solver.hash_states(packed, reached)
        left = values[int(reached[0])]
        assert (left > 0) == (value > 0) and left != 0, (i, value, left)
        asked += 1
        if asked == 150:
            break
    assert asked == 150


@pytest.mark.parametrize("kind", ["alphabeta", "best-first"])
@pytest.mark.parametrize("name", ["star/default", "chess/007", "draughts/english"])
def test_it_keeps_to_its_budget(name: str, kind: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    nodes = 100 if jit.DISABLED else 2_000
    searcher = player(ruleset, kind, nodes=nodes)
    block = trials.run_block(BlockArguments(ruleset.game, ruleset.codes(), searcher, searcher, np.arange(2), 12))
    rules = trials.make_rules(ruleset.game, ruleset.codes())
    # A node is a move that was played; one look at each move of the root and of a position may come on top.
    most = int(contract.max_moves(rules))
    spent, plies = int(block["nodes"][0]), int(block["plies"].sum())
    assert nodes * plies / 3 < spent <= (nodes + 2 * most) * plies


@pytest.mark.family("chess")
@pytest.mark.parametrize("kind", ["alphabeta", "best-first"])
def test_a_budget_that_is_too_small_for_a_search_plays_the_best_by_one_look(kind: str) -> None:
    ruleset = rulesets.load_ruleset("chess/orthodox")
    codes = ruleset.codes()
    greedy = AgentSpec.of("greedy", temperature=0.0).player(games.declaration("chess"))
    tiny = player(ruleset, kind, nodes=1, temperature=0.0)
    # Black has just given his queen away: exactly one capture is best at one look.
    game_state = GameState("chess", codes)
    for text in ["e4", "d5", "exd5", "Qxd5", "Nc3", "a6"]:
        game_state.push_text(text)
    chosen = [best_move("chess", codes, each, 1, game_state.played) for each in (tiny, greedy)]
    assert chosen[0] == chosen[1]


SHUFFLED = "e4 e5 Qh5 Nf6 Qxf7+ Kxf7 Nf3 Nc6 Ng1"
"""White has lost his queen, and both begin to shuffle their knights."""


@pytest.mark.family("chess")
@pytest.mark.parametrize("kind", ["alphabeta", "best-first"])
def test_repetition_saves_who_is_behind_and_is_avoided_by_who_is_ahead(kind: str) -> None:
    ruleset = rulesets.load_ruleset("chess/orthodox")
    codes = ruleset.codes()
    searcher = player(ruleset, kind, nodes=300 if jit.DISABLED else 3_000, temperature=0.0)

    def answer(more: str) -> str:
        game_state = GameState("chess", codes)
        for text in f"{SHUFFLED} {more}".split():
            game_state.push_text(text)
        move = best_move("chess", codes, searcher, 1, game_state.played)
        return game_state.format(move)

    # Ng1 makes the position after 5. Ng1 stand there for the third time.
    assert answer("Nb8 Ne2 Nc6 Ng1 Nb4 Nh3 Nc6") == "Ng1"
    # Nb8 would make that after 3... Kxf7 do so.
    assert answer("Nb8 Nf3 Nc6 Ng1") != "Nb8"


@pytest.mark.skipif(jit.DISABLED, reason="thousands of positions")
@pytest.mark.parametrize("name", few.first(1, ["star/default", "draughts/giveaway", "chess/007", "chess/orthodox"]))
def test_best_first_beats_one_look(name: str) -> None:
    """Whoever moves how often in a row, and whether captures are wanted or not."""
    ruleset = rulesets.load_ruleset(name)
    declaration = games.declaration(ruleset.game)
    deep = player(ruleset, "best-first", nodes=1_000)
    greedy = AgentSpec.of("greedy").player(declaration)
    seeds = np.arange(15, dtype=np.uint64)
    first = trials.run_block(BlockArguments(ruleset.game, ruleset.codes(), deep, greedy, seeds, 200))["result"]
    second = trials.run_block(BlockArguments(ruleset.game, ruleset.codes(), greedy, deep, seeds, 200))["result"]
    won = int((first == contract.FIRST).sum() + (second == contract.SECOND).sum())
    lost = int((first == contract.SECOND).sum() + (second == contract.FIRST).sum())
    assert won > 4 * lost


SCHOLAR = ["e4", "e5", "h3"]
"""White's player has made these plies; Qh4 Ke2 Qxe4 is mate by Black's player alone."""


@pytest.mark.family("chess")
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mate_with_the_last_ply_of_the_own_turn_is_seen(depth: int, seed: int) -> None:
    game_state = begin(rules(TRIPLE))
    for text in SCHOLAR:
        game_state.push_text(text)
    numbers = agents.agent_from_text(f"alphabeta:depth={depth}").player(games.declaration("chess"))
    while game_state.outcome()[0] == 0 and game_state.seat == 1:
        game_state.push(best_move("chess", game_state.codes, numbers, seed, game_state.played))
    assert game_state.outcome() == (2, "mate"), game_state.texts
    assert game_state.plies <= 6


class Quiescence:
    """The value of a position when its tactical moves are followed: by recursion over windows of the first seat."""

    def __init__(self, ruleset: rulesets.Ruleset, searcher: Player) -> None:
        self.rules = trials.make_rules(ruleset.game, ruleset.codes())
        self.searcher = searcher
        self.ws = prepare_workspace(self.rules, 10, searcher)
        self.row = weight_rows(self.rules, self.ws, searcher)[0]
        self.room = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        self.asked = 0

    def naive(self, state: Any, ply: int = 1) -> int:
        """Minimax over all that may be followed.

        Raises:
            OverflowError: that are too many positions for a slow recursion.
        """
        self.asked = self.asked + 1 if ply > 1 else 1
        if self.asked > 200:
            raise OverflowError
        n, quiet = contract.followed_moves(self.rules, state, self.room)
        moves = [int(move) for move in self.room[:n]]
        result, _ = contract.terminal(self.rules, state, self.room.copy())
        if result != contract.ONGOING:
            return principal.integer_end_value(result, ply)
        sign = 1 if contract.seat(self.rules, state) == 0 else -1
        best = -principal.INFINITE
        if quiet or ply > 16:
            said = heuristic(self.rules, state, self.searcher.agent, self.row, self.ws)
            best = sign * int(principal.SCALE * said)
        for move in moves if ply <= 16 else ():
            after = state.copy()
            contract.play(self.rules, after, move)
            best = max(best, sign * self.naive(after, ply + 1))
        return sign * best

    def searched(self, state: Any, low: int, high: int) -> int:
        self.ws.states[1, :] = state
        self.ws.frames[0, principal.OWN] = 0
        self.ws.frames[0, principal.SEAT] = contract.seat(self.rules, state)
        salt, limit = np.uint64(1), 1 << 40
        agent = self.searcher.agent
        value, finished = principal.search(self.rules, agent, self.row, self.ws, salt, 1, 0, low, high, limit)
        assert finished
        return int(value)


def tactical_positions(ruleset: rulesets.Ruleset, count: int) -> list[Any]:
    chance = np.random.default_rng(11)
    rules = trials.make_rules(ruleset.game, ruleset.codes())
    room = np.zeros(int(contract.max_moves(rules)), np.int32)
    states: list[Any] = []
    while len(states) < count:
        game = GameState(ruleset.game, ruleset.codes())
        for ply in range(60):
            if game.outcome()[0] != contract.ONGOING:
                break
            game.push(game.legal()[chance.integers(len(game.legal()))])
            n, quiet = contract.followed_moves(game.rules, game.state, room)
            if ply % 6 == 5 and quiet and 1 <= n <= 4 and game.outcome()[0] == contract.ONGOING:
                states.append(game.state.copy())
    return states[:count]


@pytest.mark.kernel
@pytest.mark.parametrize("name", few.first(2, ["chatra/9x9", "chess/orthodox", "rengo/othello8"]))
def test_following_captures_is_minimax(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    quiescence = Quiescence(ruleset, player(ruleset, nodes=100, reductions=0, temperature=0.0))
    better = 0
    for state in tactical_positions(ruleset, 15 if jit.DISABLED and ruleset.game != "chess" else 40):
        try:
            expected = quiescence.naive(state)
        except OverflowError:
            continue
        value = quiescence.searched(state, -principal.INFINITE, principal.INFINITE)
        assert abs(value - expected) <= 1
        said = heuristic(quiescence.rules, state, quiescence.searcher.agent, quiescence.row, quiescence.ws)
        better += abs(value - int(principal.SCALE * said)) > 1
    assert better >= (0 if jit.DISABLED and ruleset.game != "chess" else 2)


@pytest.mark.family("chess")
@pytest.mark.kernel
def test_captures_that_are_left_out_do_not_lower_the_bound() -> None:
    """Far below the window most captures are not looked at; what they would win must still be thought possible."""
    ruleset = rulesets.load_ruleset("chess/orthodox")
    quiescence = Quiescence(ruleset, player(ruleset, nodes=100, reductions=1, temperature=0.0))
    quiescence.ws.swing[0] = principal.SCALE // 2
    kept = gained = 0
    states = tactical_positions(ruleset, 40)
    for state in states:
        value = quiescence.searched(state, -principal.INFINITE, principal.INFINITE)
        sign = 1 if contract.seat(quiescence.rules, state) == 0 else -1
        edge = sign * value + 6 * principal.SCALE
        low, high = (edge, edge + 1) if sign > 0 else (-edge - 1, -edge)
        bound = sign * quiescence.searched(state, low, high)
        assert bound <= edge
        kept += bound >= sign * value
        said = heuristic(quiescence.rules, state, quiescence.searcher.agent, quiescence.row, quiescence.ws)
        gained += sign * value > sign * int(principal.SCALE * said) + 1
    assert gained >= len(states) // 10
    assert kept >= 0.85 * len(states)


@pytest.mark.kernel
@pytest.mark.thorough
def test_the_longest_lines_stay_within_the_frames() -> None:
    """On nine squares there is check after check, and each makes the search a ply deeper: its frames must suffice."""
    ruleset = rulesets.load_ruleset("chatra/solved/3x3-three-stuck-loses-adjacent-check-frees")
    rules = trials.make_rules(ruleset.game, ruleset.codes())
    searcher = player(ruleset, nodes=100 if jit.DISABLED else 20_000, temperature=0.0)
    farthest = 0
    for seed in range(2 if jit.DISABLED else 60):
        chance = np.random.default_rng(seed)
        game = GameState(ruleset.game, ruleset.codes())
        while game.legal() and game.plies < 4 + seed % 12:
            game.push(game.legal()[chance.integers(len(game.legal()))])
        if not game.legal():
            continue
        ws = prepare_workspace(rules, 100, searcher)
        ws.states[1] = game.state
        ws.frames[0, principal.DEPTH], ws.frames[0, principal.SEAT] = DEEPEST, game.seat
        row = weight_rows(rules, ws, searcher)[0]
        window, limit = principal.INFINITE, searcher.agent.nodes
        principal.search(rules, searcher.agent, row, ws, np.uint64(seed), 1, DEEPEST - 1, -window, window, limit)
        farthest = max(farthest, int(np.flatnonzero(ws.path).max(initial=0)))
    assert farthest <= DEEPEST + FOLLOWED
    assert jit.DISABLED or farthest > DEEPEST


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chatra/2008-02", "rengo/othello8"])
def test_a_search_that_follows_captures_is_far_stronger(name: str) -> None:
    """Where captures are no tactical moves: some 80 % at equal nodes, by the same weights."""
    ruleset = rulesets.load_ruleset(name)
    follows = player(ruleset, nodes=800)
    stops = follows._replace(agent=follows.agent._replace(follows=0))
    assert trainer.play_match(ruleset, follows, stops, trainer.Budget(1_000_000_000, match=40)).score >= 0.65


@pytest.mark.family("draughts")
@pytest.mark.kernel
@pytest.mark.skipif(jit.DISABLED, reason="a hundred thousand positions")
def test_moves_that_must_be_answered_are_tried_until_they_do_not_pay() -> None:
    ruleset = rulesets.load_ruleset("draughts/english")
    searcher = player(ruleset, nodes=3_000)
    game = GameState(ruleset.game, ruleset.codes())
    ws = prepare_workspace(game.rules, 200, searcher)
    row = weight_rows(game.rules, ws, searcher)[0]
    rng = np.ones(1, np.uint64)
    for _ in range(80):
        legal = game.legal()
        if not legal:
            break
        ws.states[0], ws.moves[0, : len(legal)] = game.state, legal
        move = principal.principal(game.rules, searcher.agent, row, ws, np.uint64(1), rng, len(legal))
        game.push(int(move))
    # Positions that have begun with such moves go on with them.
    begun = 100
    for forced, paid in ws.learnt[:, [principal.FORCED, principal.PAID]]:
        assert principal.MIN_FORCED <= forced <= principal.MIN_FORCED + principal.FORCED_PER_PAID * paid + begun
