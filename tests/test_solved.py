"""The solver against the twins, its limits, and the solved rulesets that are shipped with their values."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from tests import few
from tests.naive import chatra, chess, draughts, exact, star
from workbench.cli import app
from workbench.cli.engine import solving
from workbench.errors import InputError
from workbench.exact import solutions
from workbench.exact.graph import SolutionStep, StateGraph
from workbench.files import project
from workbench.questions import rulesets
from workbench.questions.ruleset_files import Library

ROOT = Path(__file__).parent.parent
SHIPPED: dict[str, dict[str, Any]] = {
    entry["ruleset"]: entry
    for entry in json.loads((ROOT / "rulesets" / "solutions.json").read_text(encoding="utf-8"))
    if "/solved/" in entry["ruleset"]
}
TWINS = {"star": star, "chatra": chatra, "chess": chess, "draughts": draughts}


# --- The solver -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *few.first(
            1,
            [
                "star/solved/two-no-foul",
                "draughts/solved/4x4-one-row",
                "chatra/solved/3x3-one",
                "chatra/solved/3x3-one-stuck-loses-drop-checks-check-frees",
                "draughts/solved/4x4-one-row-lose-all",
                "draughts/solved/4x4-one-row-first-king",
                "draughts/solved/4x4-one-row-optional",
                "draughts/solved/4x4-one-row-flying-far-captures-backwards",
                "draughts/solved/4x4-one-row-all-first-king",
                "chess/solved/antichess-bishop-against-knight",
            ],
        ),
        pytest.param("chess/solved/antichess-pawn-against-king", marks=pytest.mark.slow),
    ],
)
def test_the_twin_alone_comes_to_the_same(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    solved = solutions.solve_ruleset(ruleset, random=False).exact
    truth = exact.solve(TWINS[ruleset.game], ruleset.settings)
    assert (solved.value, solved.plies) == (truth.value, truth.plies)
    assert (solved.states, solved.transitions) == (truth.states, truth.transitions)
    assert dict(solved.terminals) == truth.endings


def graph(name: str, kept: bool) -> StateGraph:
    """The solved graph of a ruleset, with its transitions kept or made again in every pass."""
    listed = StateGraph(rulesets.load_ruleset(name).rules(), 1_000_000, 1 << 30)
    if not kept:
        listed.targets = None
    listed.list_states()
    listed.value_states()
    return listed


@pytest.mark.thorough
def test_without_kept_transitions_the_values_are_the_same() -> None:
    kept, made_again = (graph("star/solved/two-no-foul", one) for one in (True, False))
    assert made_again.targets is None and kept.transitions == made_again.transitions
    assert (kept.states == made_again.states).all() and (kept.values == made_again.values).all()
    assert Counter(np.sign(kept.values).tolist())[1] > 100
    now = np.zeros(kept.found)
    now[0] = 1.0
    for _ in range(4):
        now = kept.random_step(now)
    again = np.zeros(kept.found)
    again[0] = 1.0
    for _ in range(4):
        again = made_again.random_step(again)
    assert np.allclose(now, again, rtol=1e-12) and 0.9 < now.sum() < 1.0  # some games have ended


def test_memory_has_a_limit() -> None:
    with pytest.raises(
        InputError, match=r"more than 2\.0 MiB of memory would be needed; [\d,]+ states were found.*--memory"
    ):
        solutions.solve_ruleset(rulesets.load_ruleset("star/default"), memory=2 << 20)


def test_the_command_says_what_memory_it_will_take_and_stops_at_its_limit() -> None:
    result = CliRunner().invoke(app, ["solve", "star/default", "--memory", "0.002"])
    assert result.exit_code == 2
    assert "a state takes 7 bytes" in result.output and "2.0 MiB hold some" in result.output
    assert "star/default cannot be solved: more than 2.0 MiB of memory would be needed" in result.output


@pytest.mark.thorough
def test_king_and_rook_mate_as_is_known() -> None:
    """T. Ströhlein, 1970: in no more than 16 moves. There are 216 mates and 68 stalemates."""
    solved = graph("chess/solved/king-and-rook", True)
    assert solved.values.max() == 1 + 2 * 16  # plies, Black to move first
    entry = SHIPPED["chess/solved/king-and-rook"]
    assert (entry["terminals"]["mate"], entry["terminals"]["stalemate"]) == (216, 68)
    assert (entry["plies"], SHIPPED["chess/solved/king-against-rook"]["plies"]) == (21, 28)


def test_repetition_that_draws_changes_no_value() -> None:
    """A win needs no repetition, and a draw is a draw with and without the rule."""
    for name in ("draughts/solved/4x4-one-row", "draughts/solved/4x4-one-row-lose-all"):
        drawing = rulesets.load_ruleset(name)
        endless = rulesets.derive_ruleset(drawing, {"repetition": 0}, name, name)
        with_rule, without = (solutions.solve_ruleset(one).exact for one in (drawing, endless))
        assert with_rule.random is None and without.random is not None
        assert (with_rule.value, with_rule.plies) == (without.value, without.plies)


def test_progress_tells_states_then_values() -> None:
    steps: list[SolutionStep] = []
    solutions.solve_ruleset(rulesets.load_ruleset("star/solved/two-no-foul"), progress=steps.append, random=False)
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["states", "values", "positions"]
    assert steps[0].share is None and all(0 <= (step.share or 0) <= 1 for step in steps)
    assert steps[-1].states == 6_297


def test_ctrl_c_ends_it_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with solving() as progress:
            progress(SolutionStep("states", 1_234_567, "", None, 1 << 20))
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as stopped:
        interrupted()
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().err.strip() == "Stopped after 1,234,567 states were found: nothing was kept."


# --- What is shipped --------------------------------------------------------------------------------------------------


def test_every_solved_ruleset_has_its_value_and_there_are_enough_of_each() -> None:
    names = [name for name in Library(project.Project(ROOT)).apart if "/solved/" in name]
    assert names == sorted(SHIPPED)
    assert len(names) >= 60
    assert {name.partition("/")[0] for name in names} == {"star", "chatra", "chess", "draughts", "rengo"}
    values = Counter(entry["value"] for entry in SHIPPED.values())
    assert min(values[value] for value in ("first", "second", "draw")) >= 10
    for name in names:
        ruleset = rulesets.load_ruleset(name)
        assert ruleset.fingerprint == SHIPPED[name]["fingerprint"]
        assert ruleset.known is not None and ruleset.known.best_play == SHIPPED[name]["value"]
        assert ruleset.title and ruleset.title_ja
    prints = [entry["fingerprint"] for entry in SHIPPED.values()]
    assert len(set(prints)) == len(prints)


def test_no_list_of_rulesets_shows_them() -> None:
    assert not {*rulesets.ruleset_names()} & {*SHIPPED}
    assert not [one for one in rulesets.load_all_rulesets() if "/solved/" in one.name]


QUICK = [
    *("star/solved/two-shape", "star/solved/three-no-foul-stuck-draws", "chatra/solved/3x3-three"),
    *("chatra/solved/3x3-two-stuck-loses-adjacent-limits-stay", "draughts/solved/4x4-one-row-all-first-king"),
    *("draughts/solved/6x6-two-rows-first-king", "rengo/solved/knight-against-king"),
    *("chess/solved/king-and-rook", "chess/solved/antichess-two-pawns-each"),
]


def solved_again(name: str) -> None:
    """Solves a ruleset and compares all that is kept of it."""
    kept = {key: value for key, value in SHIPPED[name].items() if key not in ("ruleset", "fingerprint")}
    again = solutions.solve_ruleset(rulesets.load_ruleset(name), 20_000_000).exact.as_json()
    of_random, as_kept = again.pop("random"), kept.pop("random")
    assert again == kept
    assert (of_random is None) == (as_kept is None)
    assert as_kept is None or of_random == pytest.approx(as_kept, rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("name", QUICK)
def test_some_are_solved_again(name: str) -> None:
    solved_again(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_all_are_solved_again(name: str) -> None:
    solved_again(name)
