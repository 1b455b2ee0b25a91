"""Nets beside learned weights: what they say of positions, how they are fitted, and where they are kept."""

from __future__ import annotations

import base64
import bz2
import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import few
from tests.star_project import star_experiment, star_project
from tests.test_training import positions, practice_of
from workbench import games
from workbench.base.errors import InputError
from workbench.base.project import Project
from workbench.engine import contract
from workbench.engine.players import DEEPEST, PRINCIPAL, WITH_NET, WITHOUT_NET, Agent
from workbench.engine.search import evaluation as nets
from workbench.engine.search.evaluation import heuristic
from workbench.engine.search.memory import EARLY_PLACES, FULL, LATE_PLACES, SIZE, make_workspace
from workbench.engine.search.units import HIDDEN, input_count, input_table, mirrored_inputs
from workbench.engine.training import Fit, add_gradients, initial_fit, zero_fit
from workbench.players import library, trainer
from workbench.players.agent_kinds import NET
from workbench.players.agents import AgentSpec
from workbench.players.library import Learned, Match
from workbench.players.trainer import Base, NetBudget
from workbench.rules import rulesets
from workbench.runs import training
from workbench.runs.executor import Executor

ROOT = Path(__file__).resolve().parent.parent
PLAYER = Agent(PRINCIPAL, DEEPEST, 0.0, 0.0, 0, nodes=1_000, reductions=1, follows=1, learned=WITH_NET)
STAR = rulesets.load_ruleset("star/default", Project(ROOT))
TINY = trainer.Budget(nodes=20_000, rounds=2, plies=60, positions=2_000, match=10)


def arbitrary(rules: Any) -> tuple[Any, Any]:
    """The memory of a search, and a row of weights with a net, each another number; those of inputs are whole."""
    ws = make_workspace(rules, 60, 1, (np.zeros(0, np.uint64), np.zeros(0, np.int32)))
    chance, size = np.random.default_rng(1), int(ws.layout[SIZE])
    row = np.zeros(size + nets.net_size(rules))
    row[ws.layout[FULL]] = 20.0
    net = row[size:]
    net[nets.MARK] = 7.0
    net[nets.BIAS : nets.INPUTS] = chance.normal(0.2, 0.4, nets.INPUTS - nets.BIAS)
    net[nets.INPUTS :] = np.round(chance.normal(0, 500, len(net) - nets.INPUTS))
    return ws, row


def net_by_hand(rules: Any, state: Any, row: Any, layout: Any) -> float:
    """What a net adds for the first seat: unit by unit, and each cell turned here once more."""
    size, kinds = int(contract.board_size(rules)), len(contract.FOLDS[type(rules)])
    net = row[int(layout[SIZE]) :]
    words = np.zeros(contract.MOST_UNITS, np.int64)
    sums, on_board = [[0.0] * HIDDEN, [0.0] * HIDDEN], 0
    for word in map(int, words[: contract.units(rules, state, words)]):
        kind, owner, cell, count = word >> 12 & 4095, word >> 11 & 1, word & 2047, word >> 24
        on_board += cell != contract.HAND
        for viewer in (0, 1):
            place = size * size
            if cell != contract.HAND:
                y, x = cell >> 5, cell & 31
                if viewer:
                    a, b, c, d = contract.FOLDS[type(rules)][kind].second
                    # About the middle of the board, in halves of a cell.
                    x, y = 2 * x - size + 1, 2 * y - size + 1
                    x, y = (a * x + b * y + size - 1) // 2, (c * x + d * y + size - 1) // 2
                place = y * size + x
            number = (kind + (0 if owner == viewer else kinds)) * (size * size + 1) + place
            for h in range(HIDDEN):
                sums[viewer][h] += count * net[nets.INPUTS + HIDDEN * number + h]
    early = min(1.0, on_board / float(row[layout[FULL]]))
    who = int(contract.seat(rules, state))
    value = 0.0
    begins = (nets.EVEN_EARLY, nets.EARLY_OWN, nets.EARLY_OTHER), (nets.EVEN_LATE, nets.LATE_OWN, nets.LATE_OTHER)
    for share, (even, own, other) in zip((early, 1.0 - early), begins, strict=True):
        value += share * net[even]
        for h in range(HIDDEN):
            for begin, viewer in ((own, who), (other, 1 - who)):
                active = min(1.0, max(0.0, sums[viewer][h] / 4096 + net[nets.BIAS + h]))
                value += share * net[begin + h] * active**2
    return value if who == 0 else -value


@pytest.mark.kernel
@pytest.mark.parametrize("name", few.ONE_EACH)
def test_a_net_says_what_is_computed_by_hand_whatever_was_asked_before(name: str) -> None:
    rules = rulesets.load_ruleset(name).rules()
    ws, row = arbitrary(rules)
    found = positions(name, 20)
    for state in [*found, *found[::-7]]:
        players = (PLAYER._replace(learned=how) for how in (WITH_NET, WITHOUT_NET))
        with_net, without = (heuristic(rules, state, player, row, ws) for player in players)
        assert with_net - without == pytest.approx(net_by_hand(rules, state, row, ws.layout), abs=1e-9)


@pytest.mark.kernel
def test_two_nets_that_take_turns_disturb_each_other_in_nothing() -> None:
    rules = rulesets.load_ruleset("chatra/9x9").rules()
    ws, one = arbitrary(rules)
    other = one.copy()
    begin = int(ws.layout[SIZE])
    other[begin + nets.MARK], other[begin + nets.INPUTS :] = 8.0, -one[begin + nets.INPUTS :]
    found = positions("chatra/9x9", 20)
    alone = [[heuristic(rules, state, PLAYER, row, ws) for state in found] for row in (one, other)]
    in_turn = [[heuristic(rules, state, PLAYER, row, ws) for row in (one, other)] for state in found]
    assert in_turn == [list(pair) for pair in zip(*alone, strict=True)], "to the last bit"


@pytest.mark.family("chess")
def test_mirrored_inputs_belong_to_the_mirrored_board() -> None:
    rules = rulesets.load_ruleset("chess/orthodox").rules()
    [as_is, mirrored] = mirrored_inputs(rules)
    assert (as_is == np.arange(input_count(rules))).all()
    table = input_table(contract.FOLDS[type(rules)], 8)
    for kind in range(6):
        for owner in (0, 1):
            b4, g4 = (contract.unit_word(kind, owner, 4 << 5 | x, 0) for x in (1, 6))
            hand = contract.unit_word(kind, owner, contract.HAND, 0)
            for viewer in (0, 1):
                assert mirrored[table[viewer, b4]] == table[viewer, g4]
                assert mirrored[table[viewer, hand]] == table[viewer, hand]
    # A star counts the same wherever the board is turned to.
    assert len(mirrored_inputs(STAR.rules())) == 8


@pytest.mark.kernel
@pytest.mark.thorough
def test_gradients_are_those_of_differences() -> None:
    practice = practice_of("star/default", 60)
    for _ in practice.play(1, 5_000, 1.0, 0.5):
        pass
    kept, rows = practice.stored, practice.rows
    assert kept > 30
    size = int(contract.board_size(practice.rules))
    table, mirrored = input_table(contract.FOLDS[type(practice.rules)], size), mirrored_inputs(practice.rules)
    inputs, places = input_count(practice.rules), int(practice.layout[LATE_PLACES] - practice.layout[EARLY_PLACES])
    chance = np.random.default_rng(3)
    shapes = zero_fit(inputs, rows.features.shape[1], places)
    fit = Fit(*(chance.normal(0.0, 0.2, part.shape).astype(np.float64) for part in shapes))
    # Of hidden units some are between silent and full, one is full and one silent.
    fit.inputs[:] = chance.normal(0.0, 0.02, fit.inputs.shape)
    fit.bias[:] = [5.0, -5.0, *[0.4] * (HIDDEN - 2)]
    order, mirrors = np.arange(kept), np.arange(kept) % len(mirrored)
    target, sums = rows.scores[:kept].astype(np.float64), np.zeros((2, HIDDEN), np.float64)

    def entropy(changed: Fit) -> float:
        """By the chances that the squared errors tell of one row after the other."""
        empty = Fit(*(part[:0] for part in changed))
        total = 0.0
        for number in order:
            one = order[number : number + 1]
            off = math.sqrt(add_gradients(one, mirrors[one], rows, table, mirrored, zero, changed, empty, sums))
            total -= target[number] * math.log(off) + (1 - target[number]) * math.log(1 - off)
        return total

    # Beside a target of 0 the error is the chance itself.
    zero = np.zeros(kept)
    slope = Fit(*(np.zeros_like(part) for part in fit))
    add_gradients(order, mirrors, rows, table, mirrored, target, fit, slope, sums)
    assert not slope.bias[:2].any() and slope.out[:, :, 0].all() and not slope.out[:, :, 1].any()
    for number, part in enumerate(fit):
        strongest = np.argsort(-np.abs(slope[number].reshape(-1)))[:3]
        for place in strongest:
            ends = []
            for step in (1e-3, -1e-3):
                changed = part.copy()
                changed.reshape(-1)[place] += step
                ends.append(entropy(Fit(*(changed if i == number else each for i, each in enumerate(fit)))))
            steep = (ends[0] - ends[1]) / 2e-3
            assert steep == pytest.approx(slope[number].reshape(-1)[place], rel=1e-3, abs=1e-3), Fit._fields[number]


def test_a_fit_begins_with_what_learned_weights_say() -> None:
    practice = practice_of("star/default")
    practice.row[:] = np.random.default_rng(4).normal(0, 1, len(practice.row))
    fit = initial_fit(practice.row, practice.layout, practice.sizes, input_count(practice.rules))
    row = trainer.weight_row(fit, practice, practice.row)
    size = int(practice.layout[SIZE])
    assert row[:size] == pytest.approx(practice.row, abs=1e-4)
    assert not row[size + nets.BIAS :].any()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return star_project(tmp_path, monkeypatch, ["default"])


@pytest.fixture(scope="module")
def taught() -> Learned:
    return trainer.train_player(STAR, 1, TINY)


@pytest.fixture(scope="module")
def net(taught: Learned) -> Learned:
    return trainer.train_net(STAR, taught, TINY)


@pytest.mark.thorough
def test_the_same_games_teach_the_same_net(taught: Learned, net: Learned) -> None:
    again = trainer.train_net(STAR, taught, TINY)
    assert again == net
    other = trainer.train_net(STAR, dataclasses.replace(taught, seed=2), TINY)
    assert other.digest != net.digest, "the seed decides where a fit begins"
    assert net.beside is not None and net.beside.games == net.match.games == 10
    assert net.worth is not None and set(net.worth) == set(library.unit_values(taught))


@pytest.mark.thorough
def test_a_net_is_kept_beside_the_weights(project: Project, taught: Learned, net: Learned) -> None:
    library.save_learned(project, taught, STAR)
    assert library.find_learned(project, STAR, 1, evaluation=NET) is None
    file = library.save_learned(project, net, STAR)
    assert file.name == f"default-{STAR.fingerprint}-net-1.json"
    assert library.find_learned(project, STAR, 1, evaluation=NET) == net
    assert library.find_learned(project, STAR, 1) == taught
    content = json.loads(file.read_text())
    plain = json.loads(file.with_name(file.name.replace("net-", "")).read_text())
    assert not {"beside", "worth", "evaluation", "inputs"} & plain.keys()
    changed = bytes([1]) + bz2.decompress(base64.b64decode(content["inputs"]))[1:]
    for inputs, message in (
        (base64.b64encode(bz2.compress(changed)).decode(), "its weights do not match its digest"),
        (base64.b64encode(bz2.compress(changed[1:])).decode(), "expected what workbench train writes"),
        (content["inputs"][:-9], "delete it; missing training runs are repeated"),
    ):
        file.write_text(json.dumps(content | {"inputs": inputs}))
        with pytest.raises(InputError, match=message):
            library.find_learned(project, STAR, 1, evaluation=NET)


def rows_of(practice: Any) -> Any:
    for _ in practice.play(1, 5_000, 1.0, 0.5):
        pass
    return practice.stored_rows()


def test_rows_of_several_rulesets_stand_one_after_the_other() -> None:
    practice = practice_of("star/default", 60)
    one = rows_of(practice)
    joined = trainer.join_rows([one, one])
    kept, units = len(one.early), int(one.offsets[-1])
    assert len(joined.early) == 2 * kept and len(joined.words) == 2 * units
    for number in (0, kept - 1):
        for begin in (0, kept):
            first, end = joined.offsets[number + begin], joined.offsets[number + begin + 1]
            assert (joined.words[first:end] == one.words[one.offsets[number] : one.offsets[number + 1]]).all()
    assert not set(joined.games[:kept]) & set(joined.games[kept:]), "a game is held out by itself"


@pytest.mark.parametrize("only_net", [True, False])
def test_what_the_weights_of_each_ruleset_say_stays_while_a_base_is_fitted(only_net: bool) -> None:
    practice = practice_of("star/default", 60)
    rows = rows_of(practice)
    rows = rows._replace(features=np.ones((len(rows.early), 1), np.float32), places=np.zeros_like(rows.places))
    begin = zero_fit(input_count(practice.rules), 1, 1)
    begin.features[:] = 1.0
    budget = NetBudget(1, 1, epochs=2, batch=8)
    fitted = trainer.descend(begin, rows, practice.rules, budget, 1, at_random=True, only_net=only_net)
    assert (fitted.features == 1.0).all() == (not fitted.places.any()) == only_net
    assert (fitted.inputs != 0.0).any()


@pytest.fixture(scope="module")
def base(taught: Learned) -> Base:
    practice = practice_of("star/default", 60)
    rows = rows_of(practice)
    numbers = trainer.fit_base([rows, rows], practice.rules, NetBudget(1, 1, epochs=2, batch=64))
    return Base("star", 3, library.NET_TRAINER, ("star/default",), 2 * len(rows.early), tuple(map(float, numbers)))


def test_a_net_begins_with_a_base(taught: Learned, base: Base) -> None:
    practice = trainer.new_practice(STAR, TINY, 100)
    row = trainer.fit_net(practice, np.array(taught.weights), NetBudget(1, 1), 1, np.array(base.net))
    # Nothing is kept: what is fitted is where it begins.
    size = int(practice.layout[SIZE])
    assert tuple(row[size:]) == base.net and any(base.net[nets.INPUTS :])
    assert row[:size] == pytest.approx(taught.weights, abs=1e-4)


@pytest.mark.thorough
def test_a_net_from_a_base_says_so(taught: Learned, net: Learned, base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "_base_helps", lambda *_: True)
    from_base = trainer.train_net(STAR, taught, TINY, base=base)
    assert (from_base.base, net.base) == (base.digest, "")
    assert from_base.digest != net.digest
    assert from_base == trainer.train_net(STAR, taught, TINY, base=base)
    monkeypatch.setattr(trainer, "_base_helps", lambda *_: False)
    assert trainer.train_net(STAR, taught, TINY, base=base) == net


def test_a_base_that_harms_the_weights_is_no_beginning() -> None:
    ruleset = rulesets.load_ruleset("star/5x5", Project(ROOT))
    taught = library.find_learned(Project(ROOT), ruleset, 1)
    assert taught is not None
    plain = trainer.Budget(nodes=2_000_000, plies=60, positions=100, match=40)
    rules, chance = ruleset.rules(), np.random.default_rng(7)
    silent = np.zeros(nets.net_size(rules))
    silent[nets.MARK] = 5.0
    harmful = silent.copy()
    harmful[nets.MARK] = 6.0
    harmful[nets.EARLY_OWN : nets.EVEN_EARLY] = chance.normal(0, 20, 4 * HIDDEN)
    harmful[nets.INPUTS :] = np.round(chance.normal(0, 2000, len(harmful) - nets.INPUTS))
    for numbers, helps in ((silent, True), (harmful, False)):
        base = Base("star", 5, library.NET_TRAINER, (), 0, tuple(map(float, numbers)))
        assert trainer._base_helps(base, ruleset, taught, plain) == helps


def test_a_base_lies_with_the_rulesets_of_its_family(project: Project, base: Base) -> None:
    assert trainer.find_base(project, STAR) is None
    base = dataclasses.replace(base, net=(*base.net[:-1], -0.0))
    file = trainer.save_base(project, base)
    assert file == project.rulesets / "star" / "players" / "base-3.json"
    assert trainer.find_base(project, STAR) == base
    content = json.loads(file.read_text())
    for changed in (content | {"net": [7.0, *content["net"][1:]]}, content | {"inputs": content["inputs"][:-9]}, [1]):
        file.write_text(json.dumps(changed))
        with pytest.raises(InputError, match=r"base-3\.json"):
            trainer.find_base(project, STAR)
    trainer.save_base(project, dataclasses.replace(base, version=base.version - 1))
    assert trainer.find_base(project, STAR) is None, "of another trainer"


@pytest.mark.thorough
def test_the_same_games_teach_the_same_base(project: Project, taught: Learned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "default_budget", lambda ruleset: TINY)
    library.save_learned(project, taught, STAR)
    said: list[str] = []
    options: dict[str, Any] = {"say": said.append, "executor": Executor(1), "command": "x"}
    first, again = (training.train_base([STAR, STAR], project, **options) for _ in range(2))
    assert first == again == trainer.find_base(project, STAR)
    assert "base-3.json" in said[0] and first.positions > 100


@pytest.mark.parametrize(
    ("names", "message"),
    [(["star/default", "star/4x4"], "one board size"), (["star/default"], "workbench train star/default --seed 1")],
)
def test_what_a_base_cannot_be_learned_of(project: Project, names: list[str], message: str) -> None:
    asked = [rulesets.load_ruleset(name, Project(ROOT)) for name in names]
    with pytest.raises(InputError, match=message):
        training.check_base(asked, project)


def with_scores(net: Learned, own: int, beside: int) -> Learned:
    return dataclasses.replace(net, match=Match(own, 0, 10 - own), beside=Match(beside, 0, 10 - beside))


@pytest.mark.parametrize(
    ("own", "beside", "weights_won", "learned"),
    [(6, 5, 8, WITH_NET), (6, 4, 8, WITHOUT_NET), (4, 6, 8, WITHOUT_NET), (6, 4, 3, 0)],
)
def test_who_plays_by_a_net_plays_by_what_does_better_where_it_was_not_accepted(
    project: Project, taught: Learned, net: Learned, own: int, beside: int, weights_won: int, learned: int
) -> None:
    library.save_learned(project, dataclasses.replace(taught, match=Match(weights_won, 0, 10 - weights_won)), STAR)
    library.save_learned(project, with_scores(net, own, beside), STAR)
    player = library.engine_player(AgentSpec.of("greedy", training=1, evaluation=NET), STAR, project)
    assert player.agent.learned == learned
    features = len(games.declaration("star").features)
    assert len(player.weights) == {WITH_NET: len(net.weights), WITHOUT_NET: len(taught.weights), 0: features}[learned]


def test_the_weights_that_play_for_a_net_decide_what_it_played(project: Project, taught: Learned, net: Learned) -> None:
    loaded = star_experiment(project, "star/default", "greedy-net-1")

    def decides(net: Learned, weights: Learned) -> str:
        for each in (net, weights):
            library.save_learned(project, each, STAR)
        return training.with_learned_digests(loaded, project).cells()[0].digest

    others = dataclasses.replace(taught, weights=tuple(2 * weight for weight in taught.weights))
    accepted, refused = with_scores(net, 6, 6), with_scores(net, 6, 4)
    assert decides(accepted, taught) == decides(accepted, others)
    assert len({decides(refused, taught), decides(refused, others), decides(accepted, taught)}) == 3


def test_a_net_needs_the_weights_that_teach_it(project: Project, taught: Learned) -> None:
    agent = AgentSpec.of("greedy", training=2, evaluation=NET)
    needed = training.needed_trainings([agent, AgentSpec.of("greedy", training=2)], [STAR])
    assert [(each.evaluation, each.seed) for each in needed] == [("learned", 2), (NET, 2)]
    with pytest.raises(InputError, match="workbench train star/default --seed 2 --net"):
        library.engine_player(agent, STAR, project)
