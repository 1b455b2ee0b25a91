"""Move sequences are as many as the perft files say, and the twin counts the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.engines import TWINS, Settings, Twin
from workbench.engine import contract
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

FOLDER = Path(__file__).parent / "games"
FAST = 5_000_000
"""Longer counts are left to the slow tests."""


class Case(NamedTuple):
    ruleset: str
    moves: list[str]
    counts: list[int]
    setup: dict[str, Any] | None = None
    """A position to begin from, if the line has four columns."""
    changes: dict[str, Any] = {}  # noqa: RUF012
    """Toggles that are set otherwise than the ruleset sets them."""


@pytest.mark.family("chess")
def test_a_game_state_counts_the_openings_that_there_are() -> None:
    known = {"star/default": (8, 56, 468), "chatra/2007-09": (128, 15416), "chess/orthodox": (20, 400)}
    for name, counts in known.items():
        ruleset = rulesets.load_ruleset(name)
        game_state = GameState(ruleset.game, ruleset.codes())
        assert game_state.sequences(len(counts)) == counts and game_state.plies == 0
        assert game_state.sequences(6, positions=1) == counts[:1]


def cases(file: str = "*") -> list[Case]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob(f"{file}/{file}.perft")))
    lines = [line for text in texts for line in text.splitlines() if line.strip() and not line.startswith("#")]
    listed = []
    for line in lines:
        ruleset, *setup, moves, counts = line.split("|")
        position = yaml.safe_load(setup[0]) if setup else None
        named, _, changes = ruleset.strip().partition(" ")
        depths = [int(n) for n in counts.split()]
        listed.append(Case(named, moves.split(), depths, position, yaml.safe_load(changes) if changes else {}))
    return listed


def name(case: Case) -> str:
    return f"{case.ruleset}-{len(case.moves)}"


def begin(case: Case) -> GameState:
    ruleset = rulesets.derive_ruleset(rulesets.load_ruleset(case.ruleset), case.changes, "", "")
    game_state = GameState(ruleset.game, ruleset.codes(), case.setup)
    for move in case.moves:
        game_state.push_text(move)
    return game_state


def divided(game_state: GameState, depth: int) -> dict[str, int]:
    counts = {}
    for move in game_state.legal():
        game_state.push(move)
        counts[game_state.texts[-1]] = game_state.perft(depth - 1)
        game_state.undo()
    return dict(sorted(counts.items()))


def in_depth(listed: list[Case], deep: list[Case], quick: int = 1_000) -> pytest.MarkDecorator:
    """Some cases with their quick counts, the first ones in every run, and others, slow, with the rest."""
    marks = [() if number < quick else (pytest.mark.thorough,) for number in range(len(listed))]
    parameters = [pytest.param(case, False, id=name(case), marks=m) for case, m in zip(listed, marks, strict=True)]
    parameters += [pytest.param(case, True, id=f"{name(case)}-deep", marks=pytest.mark.slow) for case in deep]
    return pytest.mark.parametrize(("case", "deep"), parameters)


@in_depth(cases(), [case for case in cases() if max(case.counts) > FAST])
def test_kernel_counts_what_the_file_says(case: Case, deep: bool) -> None:
    game_state = begin(case)
    for depth, count in enumerate(case.counts, start=1):
        if (count > FAST) == deep:
            assert game_state.perft(depth) == count, f"depth {depth} of {case}: {divided(game_state, depth)}"


@pytest.mark.kernel
def test_depths_add_up() -> None:
    case = next(case for case in cases() if case.ruleset == "chatra/15x15" and case.moves)
    game_state = begin(case)
    assert game_state.perft(0) == 1
    assert game_state.perft(1) == len(game_state.legal()) == case.counts[0]
    assert sum(divided(game_state, 2).values()) == game_state.perft(2) == case.counts[1]


def test_a_finished_game_has_no_continuation() -> None:
    mated = next(case for case in cases() if case.ruleset == "chatra/9x9" and case.moves)
    game_state = begin(mated)
    game_state.push_text("d6-c5")
    assert game_state.outcome()[0] != contract.ONGOING
    assert [game_state.perft(depth) for depth in (0, 1, 2, 3)] == [1, 0, 0, 0]


def test_every_family_has_its_file() -> None:
    families = {ruleset.partition("/")[0] for ruleset in rulesets.ruleset_names()}
    assert {path.stem for path in FOLDER.glob("*/*.perft")} == families


def twin_perft(family: str, settings: Settings, position: Any, depth: int) -> int:
    """The twin's number of move sequences of so many plies; a game that has ended has no continuation."""
    twin = TWINS[family]
    if depth == 0:
        return 1
    if twin.outcome(settings, position, [])[1]:
        return 0
    legal = twin.legal_moves(settings, position)
    if depth == 1:
        return len(legal)
    return sum(twin_perft(family, settings, twin.play(settings, position, move), depth - 1) for move in legal)


@in_depth(cases("draughts"), cases(), quick=8)
def test_twin_counts_what_the_file_says(case: Case, deep: bool) -> None:
    ruleset = rulesets.derive_ruleset(rulesets.load_ruleset(case.ruleset), case.changes, "", "")
    position = Twin(ruleset.game).played(ruleset.settings, case.moves, case.setup)[-1]
    for depth, count in enumerate(case.counts, start=1):
        if count < (20_000 if deep else 2_000):
            assert twin_perft(ruleset.game, ruleset.settings, position, depth) == count
