"""The laws of the engine's contract, asked of every ruleset of every family.

What a family adds later is asked the same: nothing here knows a game, but for the tests at the end.
"""

from __future__ import annotations

import functools
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

from workbench import games
from workbench.engine import contract, jit, trials
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.results import RESULTS, all_endings
from workbench.questions import rulesets
from workbench.questions.agents import AgentSpec

ROOT = Path(__file__).parent.parent
QUICK = (
    *("chatra/15x15", "chatra/9x9", "chatra/B+C+E", "chatra/limited-7"),
    *("chess/orthodox", "chess/007-detente", "chess/007-owner-promotes"),
    *("draughts/canadian", "draughts/italian", "draughts/russian", "draughts/turkish"),
    *("rengo/go9", "rengo/othello8"),
    *("star/default", "star/5x5"),
)
"""Rulesets that are asked again with bounds checks and without machine code: a few of every family."""

ALL = [pytest.param(name, marks=pytest.mark.kernel if name in QUICK else ()) for name in rulesets.names()]
every_ruleset = pytest.mark.parametrize("name", ALL)
every_family = pytest.mark.parametrize("family", games.names())
needs_machine_code = pytest.mark.skipif(jit.DISABLED, reason="there is no machine code")

PLAYERS = {
    "random": AgentSpec.of("random"),
    "greedy": AgentSpec.of("greedy", epsilon=0.1),
    "alphabeta": AgentSpec.of("alphabeta", depth=1),
    "alphabeta-2": AgentSpec.of("alphabeta", depth=2),
    "best-first": AgentSpec.of("best-first", nodes=100, epsilon=0.1),
}


class Place(NamedTuple):
    """A position of a random game."""

    state: Any
    legal: list[int]


def codes_of(name: str) -> trials.Codes:
    return rulesets.load(name).codes()


def new_game(name: str) -> GameState:
    return GameState(name.partition("/")[0], codes_of(name))


def listed(rules: Any, state: Any) -> list[int]:
    moves = np.full(int(contract.max_moves(rules)), -7, np.int32)
    n = contract.legal_moves(rules, state, moves)
    return [int(move) for move in moves[:n]]


def played(rules: Any, state: Any, move: int) -> Any:
    after = state.copy()
    contract.play(rules, after, move)
    return after


@functools.cache
def walk(name: str) -> list[Place]:
    """The positions of a random game, up to where its rules end it."""
    chance = random.Random(name)
    game_state = new_game(name)
    places = []
    for _ in range(60):
        legal = listed(game_state.rules, game_state.state)
        places.append(Place(game_state.state.copy(), legal))
        if game_state.outcome()[0] != contract.ONGOING:
            break
        game_state.push(chance.choice(sorted(legal)))
    assert len(places) > 3
    return places


def rules_of(name: str) -> Any:
    return trials.rules_of(name.partition("/")[0], codes_of(name))


def block(name: str, first: str, second: str, seeds: list[int], max_plies: int) -> dict[str, Any]:
    """A block of games with their whole move lists."""
    family = name.partition("/")[0]
    declaration = games.declaration(family)
    numbers = [PLAYERS[player].player(declaration) for player in (first, second)]
    words = np.array(seeds, np.uint64)
    return trials.run_block(family, codes_of(name), numbers[0], numbers[1], words, max_plies, keep=max_plies)


@functools.cache
def some_games(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    """A few games of every kind of player."""
    if jit.DISABLED:
        plan = {("random", "random"): (2, 150), ("greedy", "random"): (2, 60), ("alphabeta", "best-first"): (1, 10)}
    else:
        plan = {
            ("random", "random"): (4, 150),
            ("greedy", "random"): (4, 200),
            ("random", "greedy"): (2, 200),
            ("alphabeta", "greedy"): (2, 60),
            ("best-first", "alphabeta"): (1, 30),
        }
    return {pair: block(name, *pair, list(range(n)), plies) for pair, (n, plies) in plan.items()}


def replayed(name: str) -> Iterator[tuple[GameState, dict[str, Any]]]:
    """Every game of `some_games`, played again by `GameState`, with its record."""
    for pair, arrays in some_games(name).items():
        for i in range(len(arrays["result"])):
            game_state = new_game(name)
            for move in arrays["opening"][i][arrays["opening"][i] >= 0]:
                assert move in game_state.legal(), (pair, i, game_state.texts)
                game_state.push(move)
            yield game_state, {column: values[i] for column, values in arrays.items() if column != "nodes"}


def same_games(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two blocks are equal; what is not known of a game (NaN) is equal, too."""
    return all(
        np.array_equal(one[column], other[column], equal_nan=one[column].dtype.kind == "f")
        for column in one
        if column != "nodes"
    )


# --- Positions --------------------------------------------------------------------------------------------------------


@every_ruleset
def test_legal_moves_are_distinct_and_in_fixed_order(name: str) -> None:
    rules = rules_of(name)
    for place in walk(name):
        assert len(set(place.legal)) == len(place.legal)
        assert listed(rules, place.state.copy()) == place.legal
        room = np.zeros(int(contract.max_moves(rules)), np.int32)
        assert contract.count_moves(rules, place.state.copy(), room) == len(place.legal)
        assert len(place.legal) < contract.max_moves(rules)


@every_ruleset
def test_asking_leaves_the_position_alone(name: str) -> None:
    rules = rules_of(name)
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    out = np.zeros(int(contract.feature_count(rules)))
    for place in walk(name):
        state = place.state.copy()
        contract.legal_moves(rules, state, moves)
        contract.tactical_moves(rules, state, moves)
        contract.terminal(rules, state, moves)
        contract.seat(rules, state)
        contract.key(rules, state)
        contract.features(rules, state, out)
        if place.legal:
            contract.sample_move(rules, state, np.ones(1, np.uint64))
        assert np.array_equal(state, place.state)


@every_ruleset
def test_a_move_leaves_the_parent_alone_and_does_the_same_twice(name: str) -> None:
    rules = rules_of(name)
    counts = np.zeros(int(contract.event_count(rules)), np.int32)
    for place in walk(name):
        parent = place.state.copy()
        for move in place.legal[:: 1 + len(place.legal) // 8]:
            child = played(rules, parent, move)
            assert not np.array_equal(child, parent)
            assert np.array_equal(child, played(rules, parent, move))
            contract.events(rules, parent, move, child.copy(), counts)
            assert np.array_equal(parent, place.state)


@every_ruleset
def test_moves_lead_to_different_positions_with_different_keys(name: str) -> None:
    rules = rules_of(name)
    for place in walk(name)[::5]:
        keys = {int(contract.key(rules, played(rules, place.state, move))) for move in place.legal}
        assert len(keys) == len(place.legal)


@every_ruleset
def test_sampled_moves_are_legal(name: str) -> None:
    rules = rules_of(name)
    rng = np.array([1], np.uint64)
    for place in walk(name):
        if contract.outcome(rules, place.state, len(place.legal))[0] == contract.ONGOING:
            for _ in range(20):
                assert contract.sample_move(rules, place.state, rng) in (*place.legal, -1)


@every_family
def test_sampled_moves_are_uniform(family: str) -> None:
    """Pearson's test in six positions of six rulesets; what the sampler leaves to the list is not its business."""
    if jit.DISABLED:
        pytest.skip("thousands of draws")
    names = [name for name in rulesets.names() if name.startswith(f"{family}/")]
    tested = 0
    for i, name in enumerate((names * 6)[:: max(1, len(names) // 6)][:6]):
        rules, places = rules_of(name), walk(name)
        place = places[(i + 1) * (len(places) - 1) // 6]
        rng = np.array([i], np.uint64)
        drawn = [contract.sample_move(rules, place.state, rng) for _ in range(40 * len(place.legal))]
        counts = [drawn.count(move) for move in place.legal]
        if sum(counts) > 5 * len(place.legal):
            assert chisquare(counts).pvalue > 1e-4, (name, i)
            tested += 1
    assert tested >= 4 or all(contract.sample_move(rules, walk(name)[-1].state, rng) < 0 for name in names)


@every_ruleset
def test_features_are_numbers_and_tactical_moves_are_legal(name: str) -> None:
    rules = rules_of(name)
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    for place in walk(name):
        out = np.full(int(contract.feature_count(rules)), math.nan)
        contract.features(rules, place.state, out)
        assert np.isfinite(out).all()
        n, quiet = contract.tactical_moves(rules, place.state, moves)
        assert {int(move) for move in moves[:n]} <= set(place.legal)
        assert quiet or {int(move) for move in moves[:n]} == set(place.legal)


@every_ruleset
def test_the_end_of_a_game_is_seen_without_a_list_of_moves(name: str) -> None:
    """`terminal` and `has_move` say what the list says, in positions of a random game and after each of their moves."""
    rules = rules_of(name)
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    for place in walk(name)[-1 if jit.DISABLED else -12 :]:
        for state in [place.state, *(played(rules, place.state, move) for move in place.legal)]:
            n, before = len(listed(rules, state)), state.copy()
            expected = contract.outcome(rules, state, n)
            assert contract.terminal(rules, state, moves) == expected
            if expected[0] == contract.ONGOING:
                assert contract.has_move(rules, state, moves) == (n > 0)
            assert np.array_equal(state, before)


@every_ruleset
def test_moves_are_written_and_read_alike(name: str) -> None:
    game_state, notation = new_game(name), games.notation(name.partition("/")[0])
    for place in walk(name)[::3]:
        texts = [notation.format_move(game_state.rules, place.state, move) for move in place.legal]
        assert len(set(texts)) == len(texts)
        assert [notation.parse_move(game_state.rules, place.state, text) for text in texts] == place.legal


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
@every_ruleset
def test_every_legal_move_may_be_typed_as_it_is_shown(name: str, seed: int) -> None:
    """In a random game; in the quick one a few moves of each position are typed."""
    game_state, chance = new_game(name), random.Random(f"{name} {seed}")
    while game_state.plies < (200 if seed else 40) and (legal := game_state.legal()):
        for move in legal if seed else chance.sample(legal, min(len(legal), 8)):
            game_state.push_text(game_state.format(move))
            assert game_state.played[-1] == move
            game_state.undo()
        game_state.push_text(game_state.format(chance.choice(legal)))


# --- Games ------------------------------------------------------------------------------------------------------------


@every_ruleset
def test_players_play_legal_moves_and_records_tell_the_truth(name: str) -> None:
    known = all_endings(games.declaration(name.partition("/")[0]))
    for game_state, record in replayed(name):
        result, termination = game_state.outcome()
        assert game_state.plies == record["plies"]
        assert result == record["result"]
        assert (termination or "cap") == known[int(record["termination"])].name
        seats, counts = [], np.zeros_like(record["events"])
        for ply, move in enumerate(game_state.played):
            seats.append(contract.seat(game_state.rules, game_state._states[ply]))
            contract.events(game_state.rules, game_state._states[ply], move, game_state._states[ply + 1], counts)
        assert sum(a != b for a, b in zip([-1, *seats], seats, strict=False)) == record["turns"]
        assert np.array_equal(counts, record["events"])


@every_ruleset
def test_every_game_ends_by_its_rules_or_at_the_cap(name: str) -> None:
    known = all_endings(games.declaration(name.partition("/")[0]))
    for arrays in some_games(name).values():
        cap = arrays["opening"].shape[1]
        capped = arrays["termination"] == contract.CAP
        assert (arrays["plies"] <= cap).all()
        assert (arrays["plies"][capped] == cap).all()
        assert ((arrays["result"] == contract.ONGOING) == capped).all()
        assert set(arrays["termination"].tolist()) <= set(known)
        assert (arrays["legal_moves"] > 0).all()


@every_ruleset
def test_a_finished_game_stays_finished(name: str) -> None:
    finished = 0
    for game_state, record in replayed(name):
        if record["result"] == contract.ONGOING:
            continue
        finished += 1
        before, last = game_state.outcome(), game_state.texts[-1]
        assert game_state.legal() == []
        with pytest.raises(IllegalMove, match="the game is over"):
            game_state.push_text(last)
        assert game_state.outcome() == before
        if record["termination"] != contract.REPETITION:
            assert game_state.perft(1) == game_state.perft(2) == 0
            n = len(listed(game_state.rules, game_state.state))
            outcome = contract.outcome(game_state.rules, game_state.state, n)
            assert outcome == contract.outcome(game_state.rules, game_state.state, n)
            assert RESULTS[outcome[0]] == RESULTS[record["result"]]
        game_state.undo()
        assert last in game_state.legal_texts()
    assert finished or jit.DISABLED


@every_ruleset
def test_a_game_depends_on_its_seed_alone(name: str) -> None:
    """Blocks of any size and order, played by every kind of player, give the same games."""
    if jit.DISABLED:
        pytest.skip("costs minutes")
    seeds = [3, 1 << 63, 2, 0, 12345678901234567890]
    for first, second, plies in (
        ("random", "random", 100),
        ("greedy", "alphabeta", 40),
        ("best-first", "alphabeta", 16),
    ):
        whole = block(name, first, second, seeds, plies)
        parts = [block(name, first, second, part[::-1], plies) for part in (seeds[4:], seeds[1:4], seeds[:1])]
        backwards = {column: np.concatenate([part[column] for part in parts])[::-1] for column in whole
                     if column != "nodes"}  # fmt: skip
        assert same_games(backwards, whole)
        assert len(set(whole["game_hash"].tolist())) > 1


@pytest.mark.parametrize("name", QUICK)
def test_a_search_remembers_nothing_of_earlier_games(name: str) -> None:
    """A depth at which the transposition table is used; what an earlier game left in it has another game's noise."""
    if jit.DISABLED:
        pytest.skip("costs minutes")
    seeds = list(range(8))
    together = block(name, "alphabeta-2", "alphabeta-2", seeds, 6)
    for i in seeds:
        alone = block(name, "alphabeta-2", "alphabeta-2", [i], 6)
        assert same_games(alone, {column: values[i : i + 1] for column, values in together.items()})


# --- Declarations -----------------------------------------------------------------------------------------------------


@every_family
def test_kernel_and_declaration_agree(family: str) -> None:
    declaration, kernel = games.declaration(family), games.kernel(family)
    assert kernel.Rules._fields == tuple(toggle.name for toggle in declaration.toggles)
    assert all(toggle.name.isidentifier() for toggle in declaration.toggles)
    rules = trials.rules_of(family, declaration.codes(declaration.defaults()))
    assert contract.feature_count(rules) == len(declaration.features)
    assert contract.event_count(rules) == len(declaration.events)
    assert min(declaration.terminations) >= 8
    assert declaration.name == family
    for toggle in declaration.toggles:
        codes = [toggle.code(value.name) for value in toggle.values]
        assert len(set(codes)) == len(codes)


@every_family
def test_rules_are_given_by_name(family: str) -> None:
    declaration = games.declaration(family)
    codes = declaration.codes(declaration.defaults())
    rules = trials.rules_of(family, codes)
    turned = trials.rules_of(family, dict(reversed(codes.items())))
    assert all(np.array_equal(one, other) for one, other in zip(turned, rules, strict=True)), "their order says nothing"
    first, *others = codes
    with pytest.raises(ValueError, match=f"the rules of {family}: {first} has no code$"):
        trials.rules_of(family, {name: codes[name] for name in others})
    with pytest.raises(
        ValueError, match=rf"the rules of {family}: there is no toggle {first}s \(did you mean {first}\?"
    ):
        trials.rules_of(family, {**codes, f"{first}s": 0})
    with pytest.raises(TypeError, match=f"the rules of {family} are given by the names of their toggles"):
        trials.rules_of(family, tuple(codes.values()))  # type: ignore[arg-type]


@every_ruleset
def test_a_toggle_at_its_value_equals_leaving_it_out(name: str) -> None:
    ruleset = rulesets.load(name)
    defaults = games.declaration(ruleset.game).defaults()
    spelled_out = rulesets.derive(ruleset, ruleset.settings, "test", "test")
    assert spelled_out.fingerprint == ruleset.fingerprint
    assert spelled_out.codes() == ruleset.codes()
    for toggle, setting in ruleset.settings.items():
        one = rulesets.derive(ruleset, {toggle: setting}, "test", "test")
        assert one.fingerprint == ruleset.fingerprint
        others = {key: value for key, value in ruleset.settings.items() if key != toggle}
        bare = rulesets.fingerprint(games.declaration(ruleset.game), others, ruleset.contents)
        # Of a file's name the fingerprint knows nothing: what the file holds counts.
        assert (bare == ruleset.fingerprint) == (setting == defaults[toggle] or toggle in ruleset.contents)


# --- Machine code -----------------------------------------------------------------------------------------------------


def python(*arguments: str, folder: Path = ROOT, **environment: str) -> str:
    """What a new Python process prints, that imports the workbench from ``folder``."""
    cleared = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=cleared | {"PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def short_games(deep: bool) -> Iterator[str]:
    """Games of all rulesets by random players, and of a few by the others, as text: "not a number" equals itself."""
    for name in rulesets.names():
        for players, seeds, plies in (
            ("random", [1, 2], 150),
            ("greedy", [3], 25 if deep else 6),
            ("alphabeta", [4], 8 if deep else 2),
            ("best-first", [6], 8 if deep else 2),
        ):
            if players == "random" or name in QUICK:
                for column, values in block(name, players, players, seeds, plies).items():
                    yield f"{name} {players} {column} {json.dumps(values.tolist())}"


@needs_machine_code
@pytest.mark.parametrize("deep", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_same_games_with_and_without_machine_code(deep: bool) -> None:
    script = f"from tests.test_contract import short_games\nfor line in short_games({deep}): print(line)"
    compiled = list(short_games(deep))
    plain = python("-W", "error", "-c", script, NUMBA_DISABLE_JIT="1").splitlines()
    assert len(compiled) == len(plain)
    assert [(one, other) for one, other in zip(compiled, plain, strict=True) if one != other] == []


WARM_UP = "from workbench.engine import trials; import sys; print(trials.warm_up(sys.argv[1], {codes}))"


def test_every_family_is_asked_again() -> None:
    assert {name.partition("/")[0] for name in QUICK} == set(games.names())
    assert set(QUICK) <= set(rulesets.names())


@needs_machine_code
@pytest.mark.skipif(jit.CACHE is None, reason="no folder can be written")
@every_family
def test_a_second_process_compiles_nothing(family: str) -> None:
    name = next(name for name in rulesets.names() if name.startswith(f"{family}/"))
    trials.warm_up(family, codes_of(name))
    assert python("-c", WARM_UP.format(codes=codes_of(name)), family) == "False\n"


@pytest.mark.slow
@needs_machine_code
@every_family
def test_only_the_first_process_compiles(family: str, tmp_path: Path) -> None:
    name = next(name for name in rulesets.names() if name.startswith(f"{family}/"))
    script = WARM_UP.format(codes=codes_of(name))
    assert python("-c", script, family, NUMBA_CACHE_DIR=str(tmp_path)) == "True\n"
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert python("-c", script, family, NUMBA_CACHE_DIR=str(tmp_path)) == "False\n"
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == files


COUNT = """
import sys
from workbench.games.game_state import GameState
print(GameState(sys.argv[1], {codes}).perft(1))
"""


@pytest.mark.slow
@needs_machine_code
@every_family
def test_a_changed_kernel_is_never_answered_by_old_machine_code(family: str, tmp_path: Path) -> None:
    """The driver's own file stays as it was: Numba alone would find its old machine code."""
    name = next(name for name in rulesets.names() if name.startswith(f"{family}/"))
    shutil.copytree(ROOT / "workbench", tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    cache = str(tmp_path / "cache")
    script = COUNT.format(codes=codes_of(name))

    def count() -> int:
        return int(python("-c", script, family, folder=tmp_path, NUMBA_CACHE_DIR=cache))

    right = count()
    assert right == new_game(name).perft(1) > 0
    kernel = tmp_path / "workbench" / "games" / family / "kernel.py"
    source = kernel.read_text(encoding="utf-8")
    kernel.write_text(source + "\n\n@njit\ndef outcome(rules, state, n):\n    return 3, 9\n", encoding="utf-8")
    assert count() == 0
    kernel.write_text(source, encoding="utf-8")
    assert count() == right


# --- Chatra -----------------------------------------------------------------------------------------------------------

CHATRA = [name for name in rulesets.names() if name.startswith("chatra/")]


@pytest.mark.parametrize("name", CHATRA)
def test_transposed_drops_give_the_same_key(name: str) -> None:
    """Two drops of one side, in either order around the same answer, are one position of the repetition rule."""
    game_state, chance = new_game(name), random.Random(name)
    while game_state.plies < 6:
        game_state.push_text(chance.choice(sorted(game_state.legal_texts())))
    pairs = 0
    for _ in range(100):
        drops = [text for text in sorted(game_state.legal_texts()) if text[0] != "O" and "-" not in text]
        first, second = chance.sample(drops, 2)
        game_state.push_text(first)
        answer = chance.choice(sorted(game_state.legal_texts()))
        game_state.undo()
        positions = [reached(game_state, line) for line in ((first, answer, second), (second, answer, first))]
        if positions[0] is not None and positions[1] is not None:
            (key, board), (other_key, other_board) = positions[0], positions[1]
            # A check or an entry into the centre on the way may have ended the drop limits in one order only.
            if board == other_board:
                assert key == other_key
                pairs += 1
    assert pairs > 5


def reached(game_state: GameState, line: tuple[str, ...]) -> tuple[int, Any] | None:
    """Key and board after some moves; None if one of them is not legal."""
    try:
        for text in line:
            game_state.push_text(text)
        return int(contract.key(game_state.rules, game_state.state)), game_state.board()
    except IllegalMove:
        return None
    finally:
        while game_state.plies > 6:
            game_state.undo()


@pytest.mark.parametrize("name", CHATRA)
def test_features_of_the_mirrored_position_are_the_negative(name: str) -> None:
    """Chatra's sides differ in nothing but who begins: colours swapped, every feature changes its sign."""
    game_state = new_game(name)
    swapped = dict(zip("●○★☆", "○●☆★", strict=True))
    compared = 0
    for place in walk(name):
        board = games.notation("chatra").board(game_state.rules, place.state)
        pieces: dict[str, list[str]] = {symbol: [] for symbol in swapped}
        for row, cells in zip(board.rows, board.cells, strict=True):
            for column, symbol in zip(board.columns, cells, strict=True):
                if symbol:
                    pieces[symbol].append(column + row)
        if not pieces["★"] or not pieces["☆"]:
            continue
        kernel = games.kernel("chatra").b
        hands = [int(place.state[kernel.HAND + side]) for side in (0, 1)]
        seat = int(contract.seat(game_state.rules, place.state))
        vectors = []
        for sign, of in ((1, {symbol: symbol for symbol in swapped}), (-1, swapped)):
            setup = {
                "black": pieces[of["●"]],
                "white": pieces[of["○"]],
                "black_object": pieces[of["★"]][0],
                "white_object": pieces[of["☆"]][0],
                "to_move": ("first", "second")[seat if sign == 1 else 1 - seat],
                "limits_ended": bool(place.state[kernel.LIMITS_ENDED]),
                "checked": bool(place.state[kernel.CHECKED]),
                "hands": hands[::sign],
            }
            out = np.zeros(int(contract.feature_count(game_state.rules)))
            contract.features(game_state.rules, GameState("chatra", game_state.codes, setup).state, out)
            vectors.append(sign * out)
        np.testing.assert_array_equal(vectors[0], vectors[1])
        compared += 1
    assert compared > 10
