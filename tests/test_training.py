"""What training computes, against slow and obvious computations and against known truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests import few
from workbench import games
from workbench.engine import contract, jit, training, trials
from workbench.engine.folds import MIRRORED, SQUARE, Fold
from workbench.engine.search.evaluation import heuristic
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE, LATE_PLACES, WORTH
from workbench.engine.search.units import unit_places
from workbench.engine.training import SelfPlay
from workbench.players import trainer
from workbench.players.agents import AgentSpec
from workbench.players.library import Match
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

pytestmark = pytest.mark.kernel
RULESETS = ["chess/orthodox", "star/default", "draughts/turkish"]


def practice_of(name: str, room: int = 400) -> SelfPlay:
    ruleset = rulesets.load_ruleset(name)
    own = [feature.weight for feature in games.declaration(ruleset.game).features]
    return SelfPlay(trials.make_rules(ruleset.game, ruleset.codes()), own, 1.0, 60, room, follows=False)


def arbitrary(practice: SelfPlay, seed: int = 1) -> Any:
    row = practice.row.copy()
    numbers = np.random.default_rng(seed).normal(0, 0.2, len(row))
    row[: practice.layout[FULL]] = numbers[: practice.layout[FULL]]
    return row


def by_hand(practice: SelfPlay, state: Any, row: Any) -> float:
    """The heuristic of learned weights: unit by unit, and each square folded here once more."""
    rules, layout = practice.rules, practice.layout
    size = int(contract.board_size(rules))
    folds = contract.FOLDS[type(rules)]
    begins = np.cumsum([0, *(len(places_of(fold, size)) + 1 for fold in folds)])
    words = np.zeros(contract.MOST_UNITS, np.int64)
    features = np.zeros(contract.feature_count(rules))
    contract.features(rules, state, features)
    early_sum = float(features @ row[: len(features)])
    late_sum = float(features @ row[layout[LATE] : layout[LATE] + len(features)])
    on_board = 0
    for word in words[: contract.units(rules, state, words)]:
        kind, owner, cell = word >> 12 & 4095, word >> 11 & 1, word & 2047
        places = places_of(folds[kind], size)
        if cell == contract.HAND:
            place = len(places)
        else:
            on_board += 1
            x, y = cell & 31, cell >> 5
            place = places.index(least((x, y) if owner == 0 else (size - 1 - x, size - 1 - y), folds[kind], size))
        sign = (1 - 2 * owner) * (word >> 24)
        early_sum += sign * row[layout[EARLY_PLACES] + begins[kind] + place]
        late_sum += sign * row[layout[LATE_PLACES] + begins[kind] + place]
    early = min(1.0, on_board / row[layout[FULL]])
    return float(early * early_sum + (1 - early) * late_sum)


def least(cell: tuple[int, int], fold: Fold, size: int) -> tuple[int, int]:
    """Of all cells that are worth as much, the least."""
    x, y = cell
    same = {(x, y)}
    if fold in (MIRRORED, SQUARE):
        same |= {(size - 1 - x, y)}
    if fold == SQUARE:
        same |= {(a, size - 1 - b) for a, b in same}
        same |= {(b, a) for a, b in same}
    return min(same)


def places_of(fold: Fold, size: int) -> list[tuple[int, int]]:
    return sorted({least((x, y), fold, size) for x in range(size) for y in range(size)})


def positions(name: str, count: int) -> list[Any]:
    chance = np.random.default_rng(7)
    ruleset = rulesets.load_ruleset(name)
    states: list[Any] = []
    while len(states) < count:
        game = GameState(ruleset.game, ruleset.codes())
        for _ in range(40):
            if game.outcome()[0] != contract.ONGOING:
                break
            game.push(game.legal()[chance.integers(len(game.legal()))])
            states.append(game.state.copy())
    return states[:count]


@pytest.mark.parametrize("name", RULESETS)
def test_learned_weights_say_what_a_sum_by_hand_says(name: str) -> None:
    practice = practice_of(name)
    row = arbitrary(practice)
    for state in positions(name, 40):
        said = heuristic(practice.rules, state, practice.agent, row, practice.ws)
        assert said == pytest.approx(by_hand(practice, state, row))


@pytest.mark.family("chess")
def test_places_are_counted_once() -> None:
    rules = practice_of("chess/orthodox").rules
    # Six kinds, 32 squares each (left and right are one), and the hand.
    assert unit_places(rules).total == 6 * 33
    # Subjects and objects of Chatra on 12×12: an eighth of the board with its diagonal, and the hand.
    ruleset = rulesets.load_ruleset("chatra/2008-02")
    assert unit_places(trials.make_rules("chatra", ruleset.codes())).total == 2 * (21 + 1)


@pytest.mark.parametrize("name", few.first(1, ["star/default", "chess/orthodox"]))
def test_the_loss_and_its_slope(name: str) -> None:
    practice = practice_of(name, 200)
    for _ in practice.play(1, 6_000, 1.0):
        pass
    assert practice.stored >= 20
    row, rows = arbitrary(practice), practice.rows
    loss, slope = practice.loss(row, 0.3)
    known, layout = len(practice.sizes), practice.layout
    total = 0.0
    for r in range(practice.stored):
        units = slice(rows.offsets[r], rows.offsets[r + 1])
        says = []
        for features, places in ((0, EARLY_PLACES), (layout[LATE], LATE_PLACES)):
            by_place = row[layout[places] :][rows.places[units]]
            says.append(float(rows.features[r] @ row[features : features + known] + rows.counts[units] @ by_place))
        value = rows.early[r] * says[0] + (1 - rows.early[r]) * says[1]
        chance = 1 / (1 + math.exp(-value))
        told = 0.3 * rows.results[r] + 0.7 * rows.scores[r]
        total -= told * math.log(chance) + (1 - told) * math.log(1 - chance)
    assert loss == pytest.approx(total / practice.stored, rel=1e-6)
    touched = np.flatnonzero(slope)
    assert len(touched) > known
    for i in touched[:: max(1, len(touched) // 12)]:
        step = np.zeros(len(row))
        step[i] = 1e-5
        numeric = (practice.loss(row + step, 0.3)[0] - practice.loss(row - step, 0.3)[0]) / 2e-5
        assert slope[i] == pytest.approx(numeric, abs=1e-6)


def test_the_fit_finds_weights_that_made_the_results() -> None:
    """Results drawn by known weights: the more games, the nearer the fit comes to what they say of each position."""
    name = "star/default"
    practice = practice_of(name, 20_000)
    own = tuple(practice.row[: len(practice.sizes)])
    for _ in practice.play(1, 250_000, 1.0):
        pass
    truth = practice.row.copy()
    truth[: practice.layout[FULL]] = 0.0
    known = len(practice.sizes)
    for begin in (0, int(practice.layout[LATE])):
        truth[begin : begin + known] = np.linspace(0.6, -0.4, known) / practice.sizes
    chance = np.random.default_rng(3)
    rows, n = practice.rows, practice.stored
    says = rows.features[:n] @ truth[:known]
    rows.results[:n] = chance.random(n) < 1 / (1 + np.exp(-says))
    practice.trust_results()
    # Here every position is a game of its own.
    practice.games = n
    trainer.fit_weights(practice, own, trainer.Budget(0))
    fitted = rows.features[:n] @ practice.row[:known]
    assert np.corrcoef(says, fitted)[0, 1] > 0.9


@pytest.mark.family("rengo")
@pytest.mark.skipif(jit.DISABLED, reason="110 games of the mixed game take half a minute without machine code")
def test_kinds_that_are_seldom_met_are_worth_what_the_weights_say() -> None:
    """In a few random games of the mixed game hardly any bishop is taken; a search needs to know what it wins."""
    practice = practice_of("rengo/go9")
    names = [kind.name for kind in games.declaration("rengo").units]
    worth = {name: practice.row[practice.layout[WORTH] + names.index(name)] for name in "飛角金銀桂歩"}
    assert sorted(worth, key=worth.__getitem__, reverse=True) == list("飛角金銀桂歩")
    assert worth["歩"] > 0.1 and worth["飛"] > 0.8


@pytest.mark.thorough
def test_few_games_teach_little_of_places() -> None:
    """The results are chance: what a full board's places seem to be worth stays within what the budget allows."""
    practice = practice_of("chess/orthodox", 20_000)
    own = tuple(practice.row[: len(practice.sizes)])
    for _ in practice.play(1, 60_000, 1.0):
        pass
    rows, n = practice.rows, practice.stored
    chance = np.random.default_rng(5)
    rows.results[:n] = chance.integers(0, 2, n)
    practice.trust_results()
    practice.games = n
    off = []
    for allowed in (0.2, 100.0):
        trainer.fit_weights(practice, own, trainer.Budget(0, places_off=allowed))
        places = practice.row[practice.layout[EARLY_PLACES] : practice.layout[LATE_PLACES]]
        units = [slice(rows.offsets[r], rows.offsets[r + 1]) for r in range(n)]
        said = [rows.counts[some] @ places[rows.places[some]] for some in units]
        off.append(float(np.std(said)))
    assert off[0] < 0.2 < off[1]


@pytest.mark.parametrize(
    ("name", "line", "adds"),
    [("chatra/2008-02", "f9", True), ("chess/orthodox", "e4 d5 exd5", False), ("chess/orthodox", "e4", False),
     ("star/default", "b2", False)],
)  # fmt: skip
def test_a_placed_unit_is_no_capture(name: str, line: str, adds: bool) -> None:
    """A piece from the hand is no new one; a unit of Chatra comes from nowhere."""
    practice = practice_of(name)
    game = GameState(name.split("/")[0], rulesets.load_ruleset(name).codes())
    *before, move = line.split()
    for text in before:
        game.push_text(text)
    number = game.legal()[game.legal_texts().index(move)]
    assert training._only_adds(practice.rules, game.state, number, practice.ws) == adds


@pytest.mark.thorough
def test_a_game_that_looks_at_next_to_nothing_is_learned_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kingscourt on 4×4 has 53 positions, and nearly all its moves are forced: no budget of nodes is ever spent."""
    monkeypatch.setattr(trainer, "MAX_GAMES", 60)
    budget = trainer.Budget(10**12, rounds=3, match=4, positions=2_000)
    learned = trainer.train_player(rulesets.load_ruleset("draughts/kingscourt-4x4"), 1, budget)
    assert 60 <= learned.games < 80
    assert np.isfinite(learned.weights).all()


@pytest.mark.parametrize("heard", [1, 70_000])
def test_how_often_an_interrupt_is_heard_changes_nothing(heard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = trainer.Budget(20_000, rounds=1, plies=60, match=10, positions=1_000)
    learned = []
    for limit in (training.UNINTERRUPTED, heard):
        monkeypatch.setattr(training, "UNINTERRUPTED", limit)
        learned.append(trainer.train_player(rulesets.load_ruleset("star/default"), 1, budget))
    assert learned[0] == learned[1]
    other = trainer.train_player(rulesets.load_ruleset("star/default"), 2, budget)
    assert other.weights != learned[0].weights and other.match.games == 10


@pytest.mark.thorough
@pytest.mark.skipif(jit.DISABLED, reason="four hundred games")
def test_a_match_costs_no_more_than_the_training_that_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    player = AgentSpec.of("alphabeta", nodes=100).player(games.declaration("star"))

    def played(nodes: int) -> Match:
        return trainer.play_match(rulesets.load_ruleset("star/5x5"), player, player, trainer.Budget(nodes))

    monkeypatch.setattr(trainer, "FEWEST", 4)
    some, more = played(100_000), played(200_000)
    assert 4 < some.games < more.games < 200 == played(10**9).games
    # No game is longer than the budget's 300 plies: the last two cost up to 60,000.
    assert some.games * 300 * 100 > 100_000
    assert played(1).games == 4, "whatever they cost"
    monkeypatch.setattr(training, "UNINTERRUPTED", 1)
    assert played(100_000) == some


def test_no_piece_of_a_training_looks_at_more_positions_than_are_heard() -> None:
    seeds = np.arange(10)
    for nodes, plies, size in ((100, 300, 10), (600, 300, 2), (5_000, 300, 1)):
        pieces = training.split_seeds(seeds, nodes, plies)
        assert np.concatenate(pieces).tolist() == seeds.tolist()
        assert max(map(len, pieces)) == size
