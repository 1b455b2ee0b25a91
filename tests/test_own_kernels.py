"""Kernels of games of one's own: those that do not compile, and how the solver packs their states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests import few, hexapawn, hexgame
from tests.hexapawn import User
from workbench.exact import graph

BROKEN = hexgame.kernel().replace(
    "@njit\ndef start(rules, state):\n    state[:] = 0\n",
    '@njit\ndef empty(rules):\n    seen = {"a": [1, "b"]}\n    return len(seen) - 1\n\n\n'
    "@njit\ndef start(rules, state):\n    state[:] = empty(rules)\n",
)
LINE = 1 + BROKEN[: BROKEN.index("    seen = ")].count("\n")


def _user(folder: Path, kernel: str) -> tuple[User, Path, dict[str, str]]:
    project = hexgame.project(folder / "mine", kernel)
    return User(folder / "home"), project, {"WORKBENCH_TRUST": str(project / "games")}


class TestAKernelThatDoesNotCompile:
    """It runs as plain Python, so only the compiler minds."""

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "command",
        few.first(1, ["run mine --workers 1", "play hex/3x3 --first greedy --second random", "solve hex/3x3"]),
    )
    def test_is_told_in_words(self, command: str, tmp_path: Path) -> None:
        user, project, trusted = _user(tmp_path, BROKEN)
        (project / "experiments").mkdir()
        question = "title: T\nrulesets: [hex/3x3]\nagents: [random]\ngames: 5\n"
        (project / "experiments" / "mine.yaml").write_text(question)
        done = user.run(*command.split(), folder=project, **trusted)
        assert done.returncode == 2, done.stderr
        assert f"kernel.py, line {LINE}: this does not compile: " in done.stderr
        assert "check-game" in done.stderr and "Traceback" not in done.stderr and "\x1b" not in done.stderr
        assert len(done.stderr.splitlines()) < 12

    @pytest.mark.thorough
    def test_is_not_linked(self, tmp_path: Path) -> None:
        """Who asked again found the type of its rules linked, and called functions at address 0."""
        user, project, trusted = _user(tmp_path, BROKEN)
        script = (
            "from workbench import games\n"
            "from workbench.engine import contract, linking\n"
            "from workbench.questions import rulesets\n"
            "rules = rulesets.load_ruleset('hex/3x3').rules()\n"
            "games.kernel('hex')\n"
            "for _ in range(3):\n"
            "    try:\n"
            "        contract.link(linking.typeof(rules))\n"
            "        print('linked')\n"
            "    except Exception as error:\n"
            "        print('refused')\n"
        )
        done = user.python("-c", script, folder=project, **trusted)
        assert done.stdout.split() == 3 * ["refused"], done.stderr

    @pytest.mark.thorough
    def test_is_told_under_every_ruleset(self, tmp_path: Path) -> None:
        user, project, trusted = _user(tmp_path, BROKEN)
        done = user.run("check-game", "hex", folder=project, **trusted)
        assert done.returncode == 1, (done.returncode, done.stderr)
        assert done.stdout.count(f"kernel.py, line {LINE}: this does not compile: ") == 2

    @pytest.mark.thorough
    def test_is_told_to_programs(self, tmp_path: Path) -> None:
        user, project, trusted = _user(tmp_path, BROKEN)
        script = (
            "import workbench as wb\n"
            "for _ in range(2):\n"
            "    try:\n"
            "        wb.play('hex/3x3', 'random')\n"
            "    except wb.WorkbenchError as error:\n"
            "        print(error)\n"
        )
        done = user.python("-c", script, folder=project, **trusted)
        assert done.stdout.count(f"kernel.py, line {LINE}: this does not compile: ") == 2, done.stderr


class TestLayouts:
    @pytest.mark.parametrize(
        "words", [[0, 1, 2], [-5, 7], [3], [0, 1 << 40], [-(1 << 63), (1 << 63) - 1], [1 << 62, -9]]
    )
    def test_hold_what_they_were_made_for_in_as_few_bits_as_may_be(self, words: list[int]) -> None:
        layout = graph.fit_layout(np.array([[word, 9] for word in words], np.int64))
        assert layout[1].tolist() == [9, 9, 0]
        low, high, bits = map(int, layout[0])
        assert low <= min(words) and max(words) <= high
        assert bits == 64 or high - low == (1 << bits) - 1
        assert bits <= max(1, max(words) - min(words)).bit_length() + 2

    def test_grow_twofold_towards_what_they_lack(self) -> None:
        layout, changed = graph.fit_layout(np.zeros((1, 1), np.int64)), 0
        for word in [*range(1000), *range(0, -1000, -1)]:
            wider = graph.widen_layout(layout, np.array([word], np.int64))
            changed += wider.tolist() != layout.tolist()
            layout = wider
            assert layout[0, 0] <= word <= layout[0, 1]
        assert changed <= 12


SOLVE = """
import sys
import numpy as np
from workbench.engine import contract, solver
from workbench.exact import graph, solutions
from workbench.questions import rulesets

ruleset = rulesets.load_ruleset("hex/3x3")
rules = ruleset.rules()

def naive():
    start = np.zeros(contract.state_size(rules), np.int64)
    contract.start(rules, start)
    moves = np.zeros(contract.max_moves(rules), np.int32)
    found, waiting = {start.tobytes()}, [start]
    for state in waiting:
        n = contract.legal_moves(rules, state, moves)
        if contract.outcome(rules, state, n)[0]:
            continue
        for move in moves[:n].tolist():
            after = state.copy()
            contract.play(rules, after, contract.MOVE(move))
            if after.tobytes() not in found:
                found.add(after.tobytes())
                waiting.append(after)
    return waiting

if sys.argv[1] == "narrow":
    # As if random games had seen nothing but the start.
    seen = graph.fit_layout
    graph.fit_layout = lambda states: seen(states[:1])
solution = solutions.solve_ruleset(ruleset, random=False)
expected = naive()
assert np.array_equal(solution.states, np.array(expected)), "the same states in the same order"
# Players that play by the solution look states up as they are packed whole.
whole = np.zeros((20, contract.packed_bytes(rules)), np.uint8)
for state, packed in zip(expected, whole):
    contract.pack(rules, state, packed)
words, kept = np.zeros(20, np.uint64), np.zeros(20, np.uint64)
solver.hash_states(whole, words)
solver.hash_kept(rules, solution.layout, solution.packed, expected[0].copy(), whole[0], kept)
assert words.tolist() == kept.tolist() and len(set(words)) == 20
print(solution.exact.value, solution.exact.plies, solution.exact.states, solution.packed.shape[1])
"""


@pytest.mark.parametrize("seen", few.first(0, ["narrow", "random games"], thorough=1))
def test_the_solver_packs_states_by_what_occurs(seen: str, tmp_path: Path) -> None:
    """Nine cells of two bits and the turn: 3 bytes of 976, as many as packed by hand."""
    user, project, trusted = _user(tmp_path, hexgame.kernel())
    done = user.python("-c", SOLVE, seen, folder=project, NUMBA_DISABLE_JIT="1", **trusted)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["first", "5", "5514", "3"]


@pytest.mark.slow
def test_hex_on_four_by_four_is_solved(tmp_path: Path) -> None:
    user, project, trusted = _user(tmp_path, hexgame.kernel())
    done = user.run("solve", "hex/4x4", "--memory", "4", folder=project, **trusted)
    assert done.returncode == 0, done.stderr
    assert "a state takes 5 bytes" in done.stderr + done.stdout
    assert "With best play Black wins" in done.stdout
    proved = user.run("solve", "hex/4x4", "--forward", "--memory", "1", folder=project, **trusted)
    assert "With best play Black wins" in proved.stdout


BACK = """            back = origin - WIDTH * ahead
            if 0 <= y - ahead < rules.size and state[BOARD + back] == 0:
                moves[n] = origin << 8 | back
                n += 1
"""
COMES_AGAIN = (
    ("                    n += 1\n    return n\n", f"                    n += 1\n{BACK}    return n\n"),
    ("return 3 * WIDTH + 1", "return 4 * WIDTH + 1"),
    ("    return False  #", "    return True  #"),
    (
        "    return ONGOING, 0\n\n\n@njit\ndef features",
        "    return (DRAW, REPETITION) if count >= 3 else (ONGOING, 0)\n\n\n@njit\ndef features",
    ),
    ("DRAW, FIRST, ONGOING, SECOND", "DRAW, FIRST, ONGOING, REPETITION, SECOND"),
)
"""Hexapawn whose pawns may step back, drawn when a position occurs for the third time."""
SOLVE_AGAIN = """
import numpy as np
from workbench.engine import contract
from workbench.exact import solutions
from workbench.questions import rulesets

ruleset = rulesets.load_ruleset("hexapawn/gardner")
rules, moves = ruleset.rules(), np.zeros(64, np.int32)
start = np.zeros(contract.state_size(rules), np.int64)
contract.start(rules, start)
waiting, children, values = [start], {}, {}
for state in waiting:
    n = contract.legal_moves(rules, state, moves)
    result = int(contract.outcome(rules, state, n)[0])
    if result:
        values[state.tobytes()] = {1: 1, 2: -1, 3: 0}[result]
        continue
    after = [state.copy() for _ in range(n)]
    for one, move in zip(after, moves[:n].tolist()):
        contract.play(rules, one, move)
        if one.tobytes() not in children and one.tobytes() not in values:
            waiting.append(one)
    children[state.tobytes()] = int(contract.seat(rules, state)), [one.tobytes() for one in after]
# A win is what a player can force; what nobody can force is drawn by repetition.
while True:
    before = len(values)
    for state, (seat, after) in children.items():
        wins = 1 - 2 * seat
        if state not in values and any(values.get(one) == wins for one in after):
            values[state] = wins
        elif state not in values and all(values.get(one) == -wins for one in after):
            values[state] = -wins
    if len(values) == before:
        break
expected = {1: "first", -1: "second", 0: "draw"}[values.get(start.tobytes(), 0)]
exact = solutions.solve_ruleset(ruleset).exact
assert (exact.value, exact.states) == (expected, len({*children, *values})), (exact, expected)
print(exact.value, exact.states)
"""


class TestAGameInWhichPositionsComeAgain:
    def made(self, folder: Path, kernel: str) -> tuple[User, Path, dict[str, str]]:
        project = hexapawn.project(folder / "mine")
        file = project / hexapawn.FAMILY / "kernel.py"
        text = file.read_text(encoding="utf-8")
        for old, new in COMES_AGAIN:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text.replace("implement(", f"{kernel}\n\n\nimplement("), encoding="utf-8")
        return User(folder / "home"), project, {"WORKBENCH_TRUST": str(project / "games"), "NUMBA_DISABLE_JIT": "1"}

    def test_is_solved_where_repetition_draws(self, tmp_path: Path) -> None:
        user, project, trusted = self.made(tmp_path, "def repetition_draws(rules):\n    return True")
        done = user.run("check-game", "hexapawn/gardner", "--seeds", "2", folder=project, **trusted)
        assert done.returncode == 0, done.stdout
        done = user.python("-c", SOLVE_AGAIN, folder=project, **trusted)
        assert done.returncode == 0, done.stderr

    def test_says_what_its_kernel_lacks_where_it_is_not_said_to_draw(self, tmp_path: Path) -> None:
        user, project, trusted = self.made(tmp_path, "")
        done = user.run("solve", "hexapawn/gardner", folder=project, **trusted)
        assert done.returncode == 2 and "a kernel says so by repetition_draws" in done.stderr
