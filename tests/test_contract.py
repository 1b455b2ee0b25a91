"""The laws of `workbench.addons.conformance`, asked of every ruleset of every family, and those of the engine."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests import few
from workbench import games
from workbench.addons.conformance import families, positions
from workbench.addons.conformance.families import check_sample_distribution
from workbench.addons.conformance.positions import Law, Subject, check_typed_moves
from workbench.engine import contract, jit, trials
from workbench.engine.players import Codes
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

ROOT = Path(__file__).parent.parent
every_ruleset = few.every_ruleset(first=(pytest.mark.kernel,))
every_family = pytest.mark.parametrize("family", games.names())
COSTLY = {"seeds", "records", "searches"}
"""Laws of which many games are played."""
needs_machine_code = pytest.mark.skipif(jit.DISABLED, reason="there is no machine code")


def codes_of(name: str) -> Codes:
    return rulesets.load_ruleset(name).codes()


def new_game(name: str) -> GameState:
    return GameState(name.partition("/")[0], codes_of(name))


@functools.cache
def subject(name: str) -> Subject:
    return Subject(rulesets.load_ruleset(name))


def subjects(family: str) -> list[Subject]:
    return [subject(name) for name in rulesets.ruleset_names() if name.startswith(f"{family}/")]


@pytest.mark.parametrize("law", [law for law in positions.RULESETS if law.name not in COSTLY], ids=lambda law: law.name)
@every_ruleset
def test_a_ruleset_holds_the_law(name: str, law: Law) -> None:
    assert law.check is not None
    assert subject(name).breach(law.name, law.check) is None
    assert len(subject(name).walk) > 3


@pytest.mark.parametrize("law", [law for law in positions.RULESETS if law.name in COSTLY], ids=lambda law: law.name)
@every_ruleset
def test_a_ruleset_holds_the_law_of_whole_games(name: str, law: Law) -> None:
    if law.name == "searches" and name not in few.FIRST:
        pytest.skip("costs minutes")
    assert law.check is not None
    assert subject(name).breach(law.name, law.check) is None


@pytest.mark.parametrize("law", families.FILE_CHECKS)
@every_family
def test_a_family_holds_the_law(family: str, law: str) -> None:
    families.FILE_CHECKS[law](family)


@every_family
def test_sampled_moves_are_uniform(family: str) -> None:
    if jit.DISABLED:
        pytest.skip("thousands of draws")
    rng = np.array([1], np.uint64)
    # Some rules have all moves listed.
    asked = [one for one in subjects(family) if contract.sample_move(one.rules, one.walk[0].state, rng) >= 0]
    assert not asked or check_sample_distribution(asked) >= 4


@pytest.mark.slow
@every_ruleset
def test_every_legal_move_may_be_typed_as_it_is_shown(name: str) -> None:
    for seed in range(1, 10):
        check_typed_moves(Subject(rulesets.load_ruleset(name), seed), 200, 0)


@every_family
def test_rules_are_given_by_name(family: str) -> None:
    declaration = games.declaration(family)
    codes = declaration.codes(declaration.defaults())
    rules = trials.make_rules(family, codes)
    turned = trials.make_rules(family, dict(reversed(codes.items())))
    assert all(np.array_equal(one, other) for one, other in zip(turned, rules, strict=True)), "their order says nothing"
    first, *others = codes
    with pytest.raises(ValueError, match=f"the rules of {family}: {first} has no code$"):
        trials.make_rules(family, {name: codes[name] for name in others})
    with pytest.raises(ValueError, match=rf"of {family}: there is no toggle {first}s \(did you mean {first}\?"):
        trials.make_rules(family, {**codes, f"{first}s": 0})
    with pytest.raises(TypeError, match=f"the rules of {family} are given by the names of their toggles"):
        trials.make_rules(family, tuple(codes.values()))  # type: ignore[arg-type]


@every_ruleset
def test_a_toggle_at_its_value_equals_leaving_it_out(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    defaults = games.declaration(ruleset.game).defaults()
    spelled_out = rulesets.derive_ruleset(ruleset, ruleset.settings, "test", "test")
    assert spelled_out.fingerprint == ruleset.fingerprint
    assert spelled_out.codes() == ruleset.codes()
    for toggle, setting in ruleset.settings.items():
        one = rulesets.derive_ruleset(ruleset, {toggle: setting}, "test", "test")
        assert one.fingerprint == ruleset.fingerprint
        others = {key: value for key, value in ruleset.settings.items() if key != toggle}
        bare = rulesets.rules_fingerprint(games.declaration(ruleset.game), others, ruleset.contents)
        # Of a file's name the fingerprint knows nothing: what the file holds counts.
        assert (bare == ruleset.fingerprint) == (setting == defaults[toggle] or toggle in ruleset.contents)


def python(*arguments: str, folder: Path = ROOT, **environment: str) -> str:
    """What a new Python process prints, that imports the workbench from ``folder``."""
    cleared = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    done = subprocess.run([sys.executable, *arguments], cwd=folder,
                          env=cleared | {"PYTHONPATH": str(folder)} | environment, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def short_games(family: str, deep: bool) -> Iterator[str]:
    """Games of all rulesets of a family by random players, and of a few by the others, as text."""
    for one in subjects(family):
        yield from positions.short_games(one, one.ruleset.name in few.FIRST, deep)


@pytest.mark.thorough
@needs_machine_code
@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=pytest.mark.slow) if name == "rengo" else name for name in games.names()]
)
@pytest.mark.parametrize("deep", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_same_games_with_and_without_machine_code(family: str, deep: bool) -> None:
    script = f"from tests.test_contract import short_games\nfor line in short_games({family!r}, {deep}): print(line)"
    compiled = list(short_games(family, deep))
    plain = python("-W", "error", "-c", script, NUMBA_DISABLE_JIT="1").splitlines()
    assert [(one, other) for one, other in zip(compiled, plain, strict=True) if one != other] == []
    assert compiled


WARM_UP = "from workbench.engine import trials; import sys; print(trials.warm_up(sys.argv[1], {codes}))"


def test_every_family_is_asked_again() -> None:
    assert {name.partition("/")[0] for name in few.ONE_EACH} == set(games.names())
    assert set(few.ONE_EACH) <= set(few.FIRST) <= set(rulesets.ruleset_names())


@pytest.mark.thorough
@needs_machine_code
@pytest.mark.skipif(jit.CACHE is None, reason="no folder can be written")
@pytest.mark.parametrize("family", few.first(1, reversed(games.names())))
def test_a_second_process_compiles_nothing(family: str) -> None:
    name = next(name for name in rulesets.ruleset_names() if name.startswith(f"{family}/"))
    trials.warm_up(family, codes_of(name))
    assert python("-c", WARM_UP.format(codes=codes_of(name)), family) == "False\n"


every_chatra = few.every_ruleset("chatra/")


@every_chatra
def test_features_of_the_mirrored_position_are_the_negative(name: str) -> None:
    """Chatra's sides differ in nothing but who begins: colours swapped, every feature changes its sign."""
    game_state = new_game(name)
    swapped = dict(zip("●○★☆", "○●☆★", strict=True))
    compared = 0
    for place in subject(name).walk:
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
                "black": pieces[of["●"]], "white": pieces[of["○"]], "black_object": pieces[of["★"]][0],
                "white_object": pieces[of["☆"]][0], "to_move": ("first", "second")[seat if sign == 1 else 1 - seat],
                "limits_ended": bool(place.state[kernel.LIMITS_ENDED]), "checked": bool(place.state[kernel.CHECKED]),
                "hands": hands[::sign],
            }  # fmt: skip
            out = np.zeros(int(contract.feature_count(game_state.rules)))
            contract.features(game_state.rules, GameState("chatra", game_state.codes, setup).state, out)
            vectors.append(sign * out)
        np.testing.assert_array_equal(vectors[0], vectors[1])
        compared += 1
    assert compared > 10
