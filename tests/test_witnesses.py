"""Witnesses: the positions in which the values of toggles show are what they say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engines import Kernel, Outcome, Twin
from workbench import games
from workbench.engine import contract, jit, trials
from workbench.engine.players import BlockArguments, Codes
from workbench.games.declaration import Setting
from workbench.players.agents import agent_from_text
from workbench.positions.game_state import GameState
from workbench.rules import rulebook, rulesets

FAMILIES = games.names()
EACH = [(family, witness) for family in FAMILIES for witness in rulebook.family_witnesses(family)]


@pytest.mark.parametrize(("family", "witness"), EACH, ids=lambda each: str(each))
def test_a_witness_is_whole(family: str, witness: rulebook.Witness) -> None:
    toggle = games.declaration(family).toggle(witness.toggle)
    assert toggle.allows(witness.value) and witness.value != toggle.default
    assert witness.toggle not in witness.base
    assert witness.expect
    assert witness.sentence.endswith(".") and "\n" not in witness.sentence
    assert witness.sentence_ja.endswith("。")


@pytest.mark.parametrize("engine", [Twin, Kernel])
@pytest.mark.parametrize(("family", "witness"), EACH, ids=lambda each: str(each))
def test_twin_and_kernel_see_what_differs(engine: type[Twin | Kernel], family: str, witness: rulebook.Witness) -> None:
    declaration, asked, moves = games.declaration(family), engine(family), witness.moves * witness.times

    def seen(setting: Setting) -> tuple[set[str], Outcome, str] | None:
        settings = {**declaration.defaults(), **witness.base, witness.toggle: setting}
        game = settings, moves, witness.setup
        try:
            result, termination = asked.outcome(*game)
            return set() if termination else asked.legal(*game), (result, termination), asked.seat(*game)
        except (LookupError, ValueError):
            return None

    with_value = seen(witness.value)
    assert with_value is not None, "the value itself allows the position and the moves"
    assert with_value != seen(declaration.toggle(witness.toggle).default)
    legal, outcome, seat = with_value
    expected = witness.expect
    assert set(expected.get("legal", ())) <= legal
    assert not set(expected.get("illegal", ())) & legal
    assert seat == expected.get("seat", seat)
    if "result" in expected:
        # What goes on is called unfinished by records.
        wanted = {"unfinished": "ongoing"}.get(expected["result"], expected["result"])
        assert outcome == (wanted, expected["termination"])


def told_by(family: str, toggle: str) -> tuple[list[int], list[int]]:
    """The events, as columns, and the endings, as codes, that are declared to tell of a toggle."""
    declaration = games.declaration(family)
    events = [i for i, event in enumerate(declaration.events) if toggle in event.toggles]
    return events, [code for code, ending in declaration.terminations.items() if toggle in ending.toggles]


TOLD = [(family, witness) for family, witness in EACH if any(told_by(family, witness.toggle))]


def shared(family: str, witness: rulebook.Witness, one: Codes, other: Codes) -> bool:
    """Whether random games in which nothing tells of the witness's toggle are games under other rules, too."""
    numbers = agent_from_text("random").player(games.declaration(family))
    events, endings = told_by(family, witness.toggle)
    arrays = trials.run_block(BlockArguments(family, one, numbers, numbers, np.arange(30), 250, keep=250))
    told = arrays["events"][:, events].any(axis=1) | np.isin(arrays["termination"], endings)
    for game in np.flatnonzero(~told):
        here, game_state = GameState(family, one), GameState(family, other)
        for move in arrays["opening"][game, : arrays["plies"][game]]:
            over = contract.outcome(game_state.rules, game_state.state, 1)[0] != contract.ONGOING
            legal = game_state._generate()
            # Chess under other rules may number the same move otherwise, but writes it alike.
            named = [each for each in legal if game_state.format(each) == here.format(move)]
            alike = [move] if move in legal else named
            if over or len(alike) != 1:
                return False
            here.push(move)
            game_state.push(alike[0])
        if arrays["termination"][game] not in (contract.CAP, contract.REPETITION):
            ending = contract.outcome(game_state.rules, game_state.state, len(game_state._generate()))
            if ending != (arrays["result"][game], arrays["termination"][game]):
                return False
    return True


@pytest.mark.thorough
@pytest.mark.skipif(jit.DISABLED, reason="hundreds of games")
@pytest.mark.parametrize(("family", "witness"), TOLD, ids=lambda each: str(each))
def test_what_tells_of_a_toggle_happens_where_it_matters(family: str, witness: rulebook.Witness) -> None:
    """Reports say that games say nothing of a change if what tells of its toggle never happened under either setting.

    A rule that forbids is told of under the setting that has it: there its games must be games of the other setting.
    """
    settings = {**games.declaration(family).defaults(), **witness.base}
    changed = {**settings, witness.toggle: witness.value}
    one, other = (rulesets.kernel_codes(family, each) for each in (settings, changed))
    assert shared(family, witness, one, other) or shared(family, witness, other, one)


def test_between_two_settings_the_second_is_witnessed_first() -> None:
    witness = rulebook.witness_between("chatra", "limits_end", "check", "never")
    assert witness is not None and witness.value == "never"
    witness = rulebook.witness_between("chatra", "limits_end", "check", "check-or-centre")
    assert witness is not None and witness.value == "check", "a default has no witness of its own"
    assert rulebook.witness_between("chatra", "repetition_count", 7, 8) is None
