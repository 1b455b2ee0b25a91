"""`workbench check-game`: a family that breaks a law is told which one, with the seed and the moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import few, hexapawn
from tests.command_line import as_json, call
from tests.hexapawn import User
from workbench import report
from workbench.addons.conformance import families, positions
from workbench.addons.conformance.positions import Broken, Subject
from workbench.engine import contract, jit
from workbench.players.judgement import Search
from workbench.rules import rulesets

KERNEL, NOTATION = "kernel.py", "notation.py"
BREAKS = [
    ("distinct_moves", KERNEL, "                    n += 1\n",
     "                    n += 1\n                    moves[n] = origin << 8 | to\n                    n += 1\n",
     "a1-a2 is listed twice"),
    ("distinct_moves", KERNEL, "return 3 * WIDTH + 1", "return 3",
     "3 moves are legal, but max_moves is 3; it must exceed every possible count"),
    ("distinct_moves", KERNEL, "state[TURN] = 1 - state[TURN]", "state[TURN] = 1 - side",
     "NameError: name 'side' is not defined"),
    ("no_change", KERNEL, "out[:] = 0.0", "out[:] = 0.0\n    state[1] = 1", "features modifies the position"),
    ("same_move", KERNEL, "    if before[BOARD", "    before[1] = 1\n    if before[BOARD",
     "events modifies the position before a1-a2"),
    ("keys", KERNEL, "mix(hashed ^ np.uint64(state[i] + 1))", "mix(hashed)",
     "key is the same after a1-a2 and b1-b2"),
    ("samples", KERNEL, "return -1  #", "return 7  #", "sample_move draws the illegal move 7"),
    ("features", KERNEL, "return 0, True", "return 0, False",
     "tactical_moves omits legal moves although the search may not stop"),
    ("followed", KERNEL, "implement(",
     "@njit\ndef followed_moves(rules, state, moves):\n    moves[0] = 7\n    return 1, True\n\n\nimplement(",
     "followed_moves lists a move twice, or an illegal one"),
    ("followed", KERNEL, "implement(", "@njit\ndef quiet(rules, state, moves):\n    return False\n\n\nimplement(",
     "tactical_moves, followed_moves and quiet disagree on whether a search may stop"),
    ("ends_seen", KERNEL, "implement(", "@njit\ndef has_move(rules, state, moves):\n    return False\n\n\nimplement(",
     "outcome with has_move differs from outcome with the list of moves"),
    ("texts", NOTATION, "    origin, to = move >> 8, move & 255\n", "    return 'a1-a2'\n",
     "two legal moves are written 'a1-a2'"),
    ("packed", KERNEL, "implement(", "@njit\ndef pack(rules, state, packed):\n    packed[:] = 0\n\n\n"
     "@njit\ndef unpack(rules, packed, state):\n    state[:] = 0\n\n\nimplement(",
     "an unpacked state has different legal moves"),
    ("complete", KERNEL, "def key(", "def _key(", "kernel.py does not define key"),
    ("complete", NOTATION, "def explain(", "def _explain(", "notation.py does not define explain"),
    ("imports", KERNEL, "import numpy as np\n", "import numpy as np\nfrom workbench.base import yamlfile\n",
     "kernel.py, line 7: workbench.base may not be imported here"),
    ("imports", KERNEL, "from .rules", "from . import notation\nfrom .rules",
     "workbench.games.hexapawn.notation may not be imported here"),
    ("imports", "rules.py", "from workbench.games", "import numpy\nfrom workbench.games",
     "rules.py, line 4: numpy may not be imported here"),
    ("agreement", KERNEL, "len(FEATURES)", "3", "implement was given 3 features; the declaration has 2"),
]  # fmt: skip
MIXED = [one for begin in range(4) for one in BREAKS[begin::4]]


@pytest.mark.parametrize(
    ("law", "file", "old", "new", "said"),
    few.first(0, MIXED, thorough=6),
    ids=[f"{one[0]}-{one[4][:20]}" for one in MIXED],
)
def test_a_broken_law_is_told_with_what_was_found(
    tmp_path: Path, law: str, file: str, old: str, new: str, said: str
) -> None:
    """Without machine code, as every check begins."""
    project, user = hexapawn.project(tmp_path / "mine"), User(tmp_path / "home")
    path = project / hexapawn.FAMILY / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    words = ("check-game", "hexapawn/gardner", "--trust", "--json", "--seeds", "2")
    done = user.run(*words, folder=project, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 1, done.stdout + done.stderr
    breaches = {breach["law"]: breach for breach in json.loads(done.stdout)["breaches"]}
    assert said in breaches[law]["finding"]


@pytest.mark.thorough
def test_the_seed_and_the_moves_lead_to_the_position(tmp_path: Path) -> None:
    """An IndexError of the plain kernel, three plies into a game: its command shows the position."""
    project, user = hexapawn.project(tmp_path / "mine"), User(tmp_path / "home")
    kernel = project / hexapawn.FAMILY / KERNEL
    text = kernel.read_text(encoding="utf-8")
    late = "    if state[BOARD + 6] == 2 and state[BOARD] == 0:\n        return state[99], True\n    return 0, True"
    kernel.write_text(text.replace("    return 0, True", late), encoding="utf-8")
    place = {"WORKBENCH_TRUST": str(project / "games")}
    # Machine code is asked for, and never made.
    done = user.run("check-game", "hexapawn/4x4", "--seeds", "1", folder=project, **place)
    assert done.returncode == 1, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    line = 1 + text.partition("    return 0, True")[0].count("\n") + 1
    assert f"found: kernel.py, line {line}: IndexError: index 99 is out of bounds for axis 0 with size 26" in lines
    assert "seed 0" in lines and lines[-1] == "hexapawn violates 1 law."
    command = next(line for line in lines if line.startswith("reproduce: workbench moves hexapawn/4x4 --moves"))
    moves = command.partition(" --moves '")[2].rstrip("'")
    assert f"after: {moves}" in lines
    shown = user.run(
        "moves", "hexapawn/4x4", "--moves", moves, "--json", folder=project, **place, NUMBA_DISABLE_JIT="1"
    )
    assert shown.returncode == 0, shown.stderr


@pytest.mark.thorough
def test_a_shipped_game_holds_all_laws() -> None:
    said = as_json("check-game", "star/two-pieces", "--seeds", "1", "--json")
    assert said["breaches"] == [] and said["rulesets"] == ["star/two-pieces"]
    assert set(said["laws"]) == {law.name for law in (*positions.RULESETS, *families.FAMILIES)}


@pytest.mark.family("chess")
def test_two_moves_may_lead_to_the_same_position() -> None:
    """A pawn on b7 captures one of its own pawns on a6 and c6: either way one of each is left."""
    fen = "4k3/1p6/p1p5/8/8/8/8/4K3 b -"
    ruleset = rulesets.load_ruleset("chess/self-capture")
    subject = Subject(rulesets.derive_ruleset(ruleset, {"start_position": fen}, "chess/two-ways", "Two ways"))
    begin = subject.new_game()
    assert {"bxa6", "bxc6"} <= set(begin.legal_texts())
    positions.check_keys(subject)


@pytest.mark.parametrize("words", [("checkers",), ("star/checkers",), ("star", "--seeds", "0")])
def test_what_cannot_be_asked_is_refused(words: tuple[str, ...]) -> None:
    assert call("check-game", *words).exit_code == 2


@pytest.fixture
def star() -> Subject:
    return Subject(rulesets.load_ruleset("star/default"))


@pytest.mark.skipif(jit.DISABLED, reason="thousands of draws")
def test_a_sampler_with_a_favourite_breaks_the_law(star: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    assert families.check_sample_distribution([star]) > 3
    monkeypatch.setattr(contract, "sample_move", lambda rules, state, rng: star.legal_moves(state)[0])
    with pytest.raises(Broken, match="does not draw all moves with equal probability"):
        families.check_sample_distribution([star])


class Forgetful(Subject):
    """Its games depend on how many are played together."""

    def block(self, first: str, second: str, seeds: list[int], max_plies: int) -> dict[str, Any]:
        arrays = super().block(first, second, seeds, max_plies)
        return arrays | {"plies": arrays["plies"] + len(seeds)}


@pytest.mark.skipif(jit.DISABLED, reason="costs minutes")
@pytest.mark.parametrize("law", [positions.check_seeds, positions.check_searches])
def test_games_that_differ_with_their_neighbours_break_the_law(star: Subject, law: Any) -> None:
    law(star)
    with pytest.raises(Broken):
        law(Forgetful(star.ruleset))


class Untruthful(Subject):
    """A record of its games is wrong."""

    column, change = "turns", 1

    def block(self, first: str, second: str, seeds: list[int], max_plies: int) -> dict[str, Any]:
        arrays = super().block(first, second, seeds, max_plies)
        return arrays | {self.column: arrays[self.column] + np.asarray(self.change, arrays[self.column].dtype)}


@pytest.mark.parametrize(("column", "said"), [("turns", "turns: 8 in the record"), ("events", "events counted")])
def test_records_that_are_wrong_break_the_law(star: Subject, column: str, said: str) -> None:
    wrong = Untruthful(star.ruleset)
    wrong.column = column
    breach = wrong.breach("records", positions.check_records)
    assert breach is not None and breach.finding.startswith(said)
    assert breach.players == "random random" and breach.moves
    breach = Subject(star.ruleset).breach("records", positions.check_records)
    assert breach is None


def test_games_that_differ_without_machine_code_break_the_law(star: Subject) -> None:
    lines = list(positions.short_games(star, False))
    assert not list(families._differing(lines, lines))
    other = [line.replace("[", "[9") if " plies " in line else line for line in lines]
    (breach,) = families._differing(lines, other)
    assert (breach.law, breach.ruleset, breach.players) == ("machine_code", "star/default", "random random")
    assert breach.finding.startswith("plies differs with and without compilation")


def test_who_answers_an_offered_swap_with_what_is_no_ply_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "analyse", lambda self, game_state: (1 << 20, 0.5))
    with pytest.raises(Broken, match=".* chooses an illegal ply when sides may be swapped"):
        positions.check_pie_rule([rulesets.load_ruleset("star/two-pieces")])


@pytest.mark.thorough
def test_a_game_with_the_pie_rule_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    write = report.write_report
    monkeypatch.setattr(report, "write_report", lambda folder: written.append(write(folder)))
    positions.check_pie_rule([rulesets.load_ruleset("star/two-pieces")])
    (made,) = written
    assert sorted(made.trials.games.groupby("ruleset")["swapped"].max()) == [0, 1]
