"""The commands that measure and sign the engine: bench, signature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import ROOT, SMALL, as_json, call, printed
from workbench.files import project
from workbench.questions import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")


def test_the_shape_of_bench() -> None:
    output = as_json("bench", SMALL, "--agents", "random best-first:nodes=20", "--seconds", "0.01", "--json")
    assert set(output) == {"machine", "seconds", "speeds"}
    random, best_first = output["speeds"]
    assert (random["ruleset"], random["agent"], best_first["agent"]) == (SMALL, "random", "best-first-20n")
    assert random["plies_per_second"] > random["games_per_second"] > 0
    assert random["nodes_per_second"] is None
    assert best_first["nodes_per_second"] > best_first["plies_per_second"]
    assert random["cpu_seconds"] > 0 and random["wall_seconds"] > 0
    table = printed("bench", SMALL, "--agents", "random", "--seconds", "0.01")
    assert "random" in table and "CPU (s)" in table and "wall (s)" in table


class BusyMachine:
    """Clocks of a machine on which other programs take 99 hundredths of the time."""

    cpu = 0.0

    def work(self, seconds: float) -> None:
        self.cpu += seconds

    def process_time(self) -> float:
        return self.cpu

    def perf_counter(self) -> float:
        return 100 * self.cpu


def test_bench_counts_the_time_of_its_own_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.engine import trials
    from workbench.questions import agents
    from workbench.run import bench

    machine, play = BusyMachine(), trials.run_block

    def slowly(*arguments: Any) -> dict[str, Any]:
        machine.work(0.5 * len(arguments[4]))
        return play(*arguments)

    monkeypatch.setattr(bench, "time", machine)
    monkeypatch.setattr(trials, "run_block", slowly)
    speed = bench.measure_speed(rulesets.load_ruleset(SMALL), agents.agent_from_text("random"), 10.0).as_json()
    assert speed["games_per_second"] == 2
    assert speed["wall_seconds"] == 100 * speed["cpu_seconds"] == 50 * speed["games_per_round"]
    assert speed["cpu_seconds"] * speed["rounds"] == 10

    def seven_units() -> int:
        machine.work(0.25)
        return 7

    assert bench._measure_rate(seven_units, 10.0) == 28


def test_bench_measures_the_default_of_every_game() -> None:
    from workbench.games import declaration, names
    from workbench.run import bench

    defaults = bench.benchmark_rulesets(project.find_project())
    assert [ruleset.game for ruleset in defaults] == names()
    for ruleset in defaults:
        assert ruleset.settings == declaration(ruleset.game).defaults()


def test_bench_against_python_chess_prints_the_ratio() -> None:
    versus = as_json("bench", "--vs", "chess", "--seconds", "0.05", "--json")["versus"]
    assert [row["work"] for row in versus] == ["random plies", "perft nodes"]
    for row in versus:
        assert row["ratio"] == pytest.approx(row["workbench"] / row["other"], rel=0.1)
        assert row["ratio"] > 1


def test_a_signature_is_stable_and_tells_rules_apart() -> None:
    from workbench.run.bench import SIGNATURE_GAMES, signature_lines

    some = [rulesets.load_ruleset(name) for name in ("chatra/9x9", "chatra/limited-7")]
    lines = list(signature_lines(some))
    assert len(lines) == 2 * len(SIGNATURE_GAMES)
    assert lines == list(signature_lines(some))
    assert len({line.split()[2] for line in lines}) == len(lines)


def test_signature_compares_with_a_file(own: Path) -> None:
    for path in [*own.rglob("*.yaml")]:
        path.unlink()
    (own / "rulesets/chatra/9x9.yaml").write_text("game: chatra\ntitle: t\nrules: {size: 9}\n", encoding="utf-8")
    lines = printed("signature")
    file = own / "signature.txt"
    file.write_text(lines, encoding="utf-8")
    assert printed("signature", "--check", str(file)) == f"All {len(lines.splitlines())} lines are as in {file}.\n"
    first, *others = lines.splitlines()
    file.write_text("\n".join([first[:-1] + "!", *others]), encoding="utf-8")
    result = call("signature", "--check", str(file))
    assert (result.exit_code, result.stdout) == (1, f"- {first[:-1]}!\n+ {first}\n")


LARGE = ("rengo/go13", "rengo/go19", "rengo/renju15")
"""Rulesets whose games of players that look at every move take nine tenths of the time of the whole signature."""


@pytest.mark.parametrize(
    "whole", [pytest.param(False, marks=pytest.mark.thorough), pytest.param(True, marks=pytest.mark.slow)]
)
def test_behaviour_is_as_signed(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour changed if this fails: rules, agents, weights or random numbers.

    If that is wanted, write the file again with ``workbench signature > tests/signature.txt`` in the same commit, say
    why in its message, and tell in CHANGELOG.md whose results are touched.
    """
    from workbench.run import bench

    signed = (ROOT / "tests/signature.txt").read_text(encoding="utf-8").splitlines()
    if whole:
        lines = printed("signature").splitlines()
    else:
        lines = list(
            bench.signature_lines(rulesets.load_ruleset(name) for name in rulesets.ruleset_names() if name not in LARGE)
        )
        monkeypatch.setattr(bench, "SIGNATURE_GAMES", bench.SIGNATURE_GAMES[:1])
        lines += bench.signature_lines(rulesets.load_ruleset(name) for name in LARGE)
        by_others = tuple(f"{name} {agent} " for name in LARGE for agent in ("greedy", "alphabeta-1"))
        signed = [line for line in signed if not line.startswith(by_others)]
    changed = sorted(set(lines) ^ set(signed))
    assert not changed, "behaviour changed; to update: workbench signature > tests/signature.txt"
