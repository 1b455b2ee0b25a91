"""Mistakes of who writes a first game: each is told in a sentence, with the file, the line and what to write."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import few, hexapawn, hexgame
from tests.hexapawn import User
from workbench.addons.solver import solving

KERNEL, NOTATION, RULES = (f"{hexapawn.FAMILY}/{name}.py" for name in ("kernel", "notation", "rules"))
WITNESSES = f"{hexapawn.FAMILY}/witnesses.yaml"
REPETITION = "def repetition(rules, state, count):\n    return ONGOING, 0"
ARRIVED = "return FIRST, ENDINGS.arrived"
DRAWS = "\n\n\ndef repetition_draws(rules):\n    return True\n\n\ndef counts_positions(rules):\n    return True"
STUCK = 'Value("draw", bilingual'
WITNESS = "witnesses:\n- toggle: stuck\n  value: draw\n  moves: [{}]\n  expect: {{legal: [{}]}}\n  sentence: X.\n"


def repetition(answer: str, more: str = "") -> tuple[str, str, str]:
    return KERNEL, REPETITION, REPETITION.replace("ONGOING, 0", answer) + more


MISTAKES = {
    "a draw without an ending": (*repetition("DRAW, 0"),
                                 "kernel.py, line 106: repetition returns (3, 0); expected ONGOING and 0, or"),
    "a first occurrence": (*repetition("(DRAW, 2) if count else (ONGOING, 0)"),
                           "when a position occurs for the first time (count 1)"),
    "positions that nobody counts": (*repetition("(DRAW, 2) if count > 2 else (ONGOING, 0)"),
                                     "at count 3 although counts_positions is not True"),
    "repetition that is won": (*repetition("(FIRST, 2) if count > 2 else (ONGOING, 0)", DRAWS),
                               "repetition_draws is True, but a repetition can win the game"),
    "an ending that is not declared": (KERNEL, ARRIVED, "return FIRST, 12", "outcome returns (1, 12)"),
    "an unknown result": (KERNEL, ARRIVED, "return 7, ENDINGS.arrived", "outcome returns (7, 8)"),
    "a default outside the span": (RULES, "default=3,", "default=7,",
                                   "rules.py, line 21: the default of size is 7; expected a whole"),
    "an unknown default": (RULES, 'default="loss"', 'default="lose"',
                           "rules.py, line 30: the default of stuck is 'lose'"),
    "a value twice": (RULES, STUCK, 'Value("loss", bilingual', "two values of the toggle stuck have the same code"),
    "a span the wrong way": (RULES, "3, 5, bilingual", "5, 3, bilingual", "line 21: the span of size is empty"),
    "a toggle of the workbench's": (RULES, 'name="stuck"', 'name="swap"',
                                    "line 30: toggles contains the name 'swap' twice"),
    "a name of Python's": (RULES, 'name="stuck"', 'name="class"', "the toggle 'class' needs a name of letters"),
    "an unknown toggle": (RULES, 'toggles=("stuck",)', 'toggles=("stuk",)', "line 51: there is no toggle 'stuk'"),
    "one entry, no tuple": (RULES, 'units=(UnitKind("pawn", "歩"),)', 'units=(UnitKind("pawn", "歩"))',
                            "line 42: units must be a tuple of UnitKind: a single entry"),
    "an ending of the engine's": (RULES, " 9: Named(", " 7: Named(", "the ending 7: expected a code from 8 to 63"),
    "a missing argument": (RULES, '            default="loss",\n', "",
                           "rules.py, line 30: TypeError: Toggle.__init__() missing 1"),
    "no declaration": (RULES, "DECLARATION = Decl", "DECLARED = Decl", "rules.py does not define DECLARATION"),
    "a syntax error of the rules": (RULES, "conflicts=(),", "conflicts=()", "rules.py, line 41: SyntaxError: "),
    "a missing function": (KERNEL, "def legal_moves(", "def moves(",
                           "does not define legal_moves: add def legal_moves("),
    "an argument too few": (KERNEL, "def play(rules, state, move):", "def play(state, move):",
                            "kernel.py, line 75: write def play(rules, state, move)"),
    "no notation": (NOTATION, None, "", "hexapawn has no notation.py"),
    "nothing at the end": (KERNEL, "implement(Rules, sys", "(lambda *a: 0)(Rules, sys", "kernel.py does not end with"),
    "a forgotten return": (KERNEL, "                    n += 1\n    return n\n", "                    n += 1\n",
                           "line 48: legal_moves returns nothing: is a return statement missing?"),
    "another error than ValueError": (NOTATION, 'raise ValueError(f"expected a move',
                                      'raise TypeError(f"expected a move',
                                      "notation.py, line 29: TypeError: expected a move"),
    "a position that is not read": (NOTATION, "def set_up(rules, state, setup):",
                                    "def set_up(rules, state, setup):\n    return",
                                    "set_up accepts an unknown key: it must raise"),
    "negative moves": (KERNEL, "moves[n] = origin << 8 | to", "moves[n] = -1", "legal_moves lists -1; moves are"),
    "chance": (KERNEL, "state[TURN] = 1 - state[TURN]",
               "state[TURN] = 1 - state[TURN]\n    state[25] = np.random.randint(9)",
               "played twice from the same position, leads to different"),
    "an undeclared unit": (KERNEL, "unit_word(UNITS.pawn,", "unit_word(UNITS.pawn + 5,",
                           "units writes a unit of kind 5 on row 0, column 0"),
    "no list of witnesses": (WITNESSES, None, "witness: 3\n", "witnesses.yaml:1: expected a list of witnesses"),
    "an unknown value": (WITNESSES, None, WITNESS.format("a1-a2", "").replace(": draw", ": drawn"),
                         "witnesses.yaml:3: witnesses[0].value: expected loss"),
    "an expectation that fails": (WITNESSES, None, WITNESS.format("a1-a2", "a1-a2"),
                                  "the witness for stuck=draw has wrong expectations: a1-a2")
}  # fmt: skip
SCRIPT = """
import json, os, shutil, sys
from pathlib import Path
from workbench.cli import app
from workbench.report import folders
from workbench.addons.conformance import families
from workbench.games.star import notation

answers = {}
for name, (file, old, new, _) in json.load(open("mistakes.json")).items():
    shutil.copytree("plain", name)
    path = Path(name, file)
    if old is None and not new:
        path.unlink()
    else:
        text = new if old is None else path.read_text(encoding="utf-8").replace(old, new, 1)
        assert old is None or text != path.read_text(encoding="utf-8"), name
        path.write_text(text, encoding="utf-8")
    read, write = os.pipe()
    if not os.fork():
        os.dup2(write, 1), os.dup2(write, 2)
        os.chdir(name)
        os.environ["WORKBENCH_TRUST"] = str(Path("games").resolve())
        app(["check-game", "hexapawn/gardner", "--seeds", "2"])
    os.close(write)
    with open(read, encoding="utf-8") as said:
        answers[name] = said.read(), os.waitstatus_to_exitcode(os.wait()[1])
json.dump(answers, open("answers.json", "w"))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int]]:
    """What the check says of each mistake, as plain Python, and its exit code."""
    folder = tmp_path_factory.mktemp("mistakes")
    hexapawn.project(folder / "plain")
    (folder / "mistakes.json").write_text(json.dumps(MISTAKES), encoding="utf-8")
    done = User(folder / "home").python("-c", SCRIPT, folder=folder, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[str, int]] = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_a_sentence(answers: dict[str, tuple[str, int]], mistake: str) -> None:
    said, code = answers[mistake]
    assert MISTAKES[mistake][3] in " ".join(said.split()), said
    assert code in (1, 2) and "Traceback" not in said


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
            "from workbench.engine import contract, jit\n"
            "from workbench.rules import rulesets\n"
            "rules = rulesets.load_ruleset('hex/3x3').rules()\n"
            "games.kernel('hex')\n"
            "for _ in range(3):\n"
            "    try:\n"
            "        contract.link(jit.typeof(rules))\n"
            "        print('linked')\n"
            "    except Exception as error:\n"
            "        print('refused')\n"
        )
        done = user.python("-c", script, folder=project, **trusted)
        assert done.stdout.split() == 3 * ["refused"], done.stderr


@pytest.mark.parametrize("words", [[0, 1, 2], [-5, 7], [3], [0, 1 << 40], [-(1 << 63), (1 << 63) - 1], [1 << 62, -9]])
def test_layouts_hold_what_they_were_made_for_in_as_few_bits_as_may_be(words: list[int]) -> None:
    layout = solving.fit_layout(np.array([[word, 9] for word in words], np.int64))
    assert layout[1].tolist() == [9, 9, 0]
    low, high, bits = map(int, layout[0])
    assert low <= min(words) and max(words) <= high
    assert bits == 64 or high - low == (1 << bits) - 1
    assert bits <= max(1, max(words) - min(words)).bit_length() + 2


SOLVE = """
import sys
import numpy as np
from workbench.addons.solver import solving
from workbench.engine import contract, solver
from workbench.rules import rulesets

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
    seen = solving.fit_layout
    solving.fit_layout = lambda states: seen(states[:1])
solution = solving.solve_ruleset(ruleset, random=False)
expected = naive()
assert np.array_equal(solution.states, np.array(expected)), "the same states in the same order"
# Players that play by the solution look states up as they are packed whole.
whole = np.zeros((20, contract.packed_bytes(rules)), np.uint8)
for state, packed in zip(expected, whole):
    contract.pack(rules, state, packed)
words, kept = np.zeros(20, np.uint64), np.zeros(20, np.uint64)
solver.hash_states(whole, words)
solver.hash_stored(rules, solution.layout, solution.packed, expected[0].copy(), whole[0], kept)
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


BACK = """            back = origin - WIDTH * ahead
            if 0 <= y - ahead < rules.size and state[BOARD + back] == 0:
                moves[n] = origin << 8 | back
                n += 1
"""
COMES_AGAIN = (("                    n += 1\n    return n\n", f"                    n += 1\n{BACK}    return n\n"),
               ("return 3 * WIDTH + 1", "return 4 * WIDTH + 1"), ("    return False  #", "    return True  #"),
               ("    return ONGOING, 0\n\n\n@njit\ndef features",
                "    return (DRAW, REPETITION) if count >= 3 else (ONGOING, 0)\n\n\n@njit\ndef features"),
               ("DRAW, FIRST, ONGOING, SECOND", "DRAW, FIRST, ONGOING, REPETITION, SECOND"))  # fmt: skip
"""Hexapawn whose pawns may step back, drawn when a position occurs for the third time."""
SOLVE_AGAIN = """
import numpy as np
from workbench.engine import contract
from workbench.addons.solver import solving
from workbench.rules import rulesets

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
exact = solving.solve_ruleset(ruleset).exact
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

    @pytest.mark.thorough
    def test_is_solved_where_repetition_draws(self, tmp_path: Path) -> None:
        user, project, trusted = self.made(tmp_path, "def repetition_draws(rules):\n    return True")
        done = user.run("check-game", "hexapawn/gardner", "--seeds", "2", folder=project, **trusted)
        assert done.returncode == 0, done.stdout
        done = user.python("-c", SOLVE_AGAIN, folder=project, **trusted)
        assert done.returncode == 0, done.stderr

    def test_says_what_its_kernel_lacks_where_it_is_not_said_to_draw(self, tmp_path: Path) -> None:
        user, project, trusted = self.made(tmp_path, "")
        done = user.run("solve", "hexapawn/gardner", folder=project, **trusted)
        assert done.returncode == 2 and "see the kernel's repetition_draws" in done.stderr
