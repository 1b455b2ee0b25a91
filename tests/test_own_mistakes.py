"""Mistakes of who writes a first game: each is told in a sentence, with the file, the line and what to write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import hexapawn
from tests.hexapawn import User

KERNEL, NOTATION, RULES = (f"{hexapawn.FAMILY}/{name}.py" for name in ("kernel", "notation", "rules"))
WITNESSES = f"{hexapawn.FAMILY}/witnesses.yaml"
REPETITION = "def repetition(rules, state, count):\n    return ONGOING, 0"
ARRIVED = "return FIRST, ENDINGS.arrived"
STUCK = 'Value("draw", given'
WITNESS = "witnesses:\n- toggle: stuck\n  value: draw\n  moves: [{}]\n  expect: {{legal: [{}]}}\n  sentence: X.\n"

MISTAKES = {
    # What repetition and outcome answer, and where positions are not counted.
    "a draw without an ending": (
        KERNEL,
        REPETITION,
        REPETITION.replace("ONGOING, 0", "DRAW, 0"),
        "kernel.py, line 106: repetition answers (3, 0); expected ONGOING, 0, or a result with one of ENDINGS or "
        "REPETITION",
    ),
    "a first occurrence": (
        KERNEL,
        REPETITION,
        REPETITION.replace("ONGOING, 0", "(DRAW, 2) if count else (ONGOING, 0)"),
        "repetition ends the game when a position occurs for the first time: count is 1 then",
    ),
    "positions that nobody counts": (
        KERNEL,
        REPETITION,
        REPETITION.replace("ONGOING, 0", "(DRAW, 2) if count > 2 else (ONGOING, 0)"),
        "repetition ends the game at count 3, and counts_positions is not True",
    ),
    "repetition that is won": (
        KERNEL,
        REPETITION,
        REPETITION.replace("ONGOING, 0", "(FIRST, 2) if count > 2 else (ONGOING, 0)")
        + "\n\n\ndef repetition_draws(rules):\n    return True\n\n\ndef counts_positions(rules):\n    return True",
        "repetition_draws is True, and by repetition somebody wins",
    ),
    "an ending of the driver": (
        KERNEL,
        ARRIVED,
        "return FIRST, 1",
        "kernel.py, line 87: outcome answers (1, 1); expected ONGOING, 0, or a result with one of ENDINGS",
    ),
    "repetition as an outcome": (KERNEL, ARRIVED, "return FIRST, 2", "outcome answers (1, 2)"),
    "an ending that is not declared": (KERNEL, ARRIVED, "return FIRST, 12", "outcome answers (1, 12)"),
    "an end without an ending": (KERNEL, ARRIVED, "return FIRST, 0", "outcome answers (1, 0)"),
    "an unknown result": (KERNEL, ARRIVED, "return 7, ENDINGS.arrived", "outcome answers (7, 8)"),
    "an ending without a result": (KERNEL, ARRIVED, "return ONGOING, 8", "outcome answers (0, 8)"),
    # The declaration.
    "a default outside the span": (
        RULES,
        "default=3,",
        "default=7,",
        "games/hexapawn/rules.py, line 21: the default of size is 7; expected a whole number from 3 to 5",
    ),
    "a default of another type": (RULES, "default=3,", 'default="3",', "the default of size is '3'"),
    "an unknown default": (
        RULES,
        'default="loss"',
        'default="lose"',
        "rules.py, line 30: the default of stuck is 'lose'; expected loss or draw",
    ),
    "a value twice": (
        RULES,
        STUCK,
        'Value("loss", given',
        "line 30: two values of the toggle stuck have the same code",
    ),
    "a span the wrong way": (RULES, "3, 5, given", "5, 3, given", "line 21: the span of size is empty"),
    "a number without a place": (RULES, "{n}×{n} squares", "some squares", "must stand in its sentence, as {n}"),
    "a toggle of the workbench's": (RULES, 'name="stuck"', 'name="swap"', "line 30: toggles has the name 'swap' twice"),
    "a name of Python's": (RULES, 'name="stuck"', 'name="class"', "the toggle 'class' needs a name of letters"),
    "an unknown toggle": (RULES, 'toggles=("stuck",)', 'toggles=("stuk",)', "line 51: there is no toggle 'stuk'"),
    "one entry, no tuple": (
        RULES,
        'units=(UnitKind("pawn", "歩"),)',
        'units=(UnitKind("pawn", "歩"))',
        "line 42: units must be a tuple of UnitKind: one entry needs a comma, too",
    ),
    "an ending of the engine's": (
        RULES,
        "        9: Named(",
        "        7: Named(",
        "line 50: the ending 7: expected a code from 8 to 63",
    ),
    "an ending too far": (RULES, "        9: Named(", "        90: Named(", "line 50: the ending 90"),
    "a missing argument": (
        RULES,
        '            default="loss",\n',
        "",
        "rules.py, line 30: TypeError: Toggle.__init__() missing 1 required positional argument: 'default'",
    ),
    "no declaration": (RULES, "DECLARATION = Decl", "DECLARED = Decl", "rules.py has no DECLARATION"),
    # Files and functions.
    "a syntax error of the rules": (RULES, "conflicts=(),", "conflicts=()", "rules.py, line 41: SyntaxError: "),
    "a syntax error": (
        KERNEL,
        "def seat(rules, state):",
        "def seat(rules, state)",
        "kernel.py, line 82: SyntaxError: ",
    ),
    "a syntax error of the notation": (
        NOTATION,
        "def board(rules, state):",
        "def board(rules, state)",
        "notation.py, line 45: SyntaxError: ",
    ),
    "a missing function": (
        KERNEL,
        "def legal_moves(",
        "def moves(",
        "kernel.py has no legal_moves: write def legal_moves(rules, state, moves)",
    ),
    "another missing function": (KERNEL, "def key(", "def keys(", "kernel.py has no key: write def key(rules, state)"),
    "an argument too few": (
        KERNEL,
        "def play(rules, state, move):",
        "def play(state, move):",
        "kernel.py, line 75: write def play(rules, state, move)",
    ),
    "no notation": (NOTATION, None, "", "hexapawn has no notation.py"),
    "nothing at the end": (KERNEL, "implement(Rules, sys", "(lambda *a: 0)(Rules, sys", "kernel.py does not end with"),
    "a forgotten return": (
        KERNEL,
        "                    n += 1\n    return n\n",
        "                    n += 1\n",
        "kernel.py, line 48: legal_moves answers nothing: is a return missing?; expected a whole number",
    ),
    "half an answer": (
        KERNEL,
        "        return ONGOING, 0\n    if",
        "        return ONGOING\n    if",
        "outcome answers 0; expected",
    ),
    "no text of a move": (
        NOTATION,
        'return f"{_name(rules, origin)}',
        'f"{_name(rules, origin)}',
        "notation.py, line 21: format_move answers nothing: is a return missing?",
    ),
    "a text with blanks": (NOTATION, "'x' if state", "' x ' if state", "expected a text without blanks"),
    "no number of a text": (
        NOTATION,
        "return cells[0] << 8 | cells[1]",
        "return str(cells[0])",
        "parse_move answers '",
    ),
    "no reason": (
        NOTATION,
        'return "You have no pawn there."',
        "return None",
        "notation.py, line 39: explain answers nothing",
    ),
    "another error than ValueError": (
        NOTATION,
        'raise ValueError(f"expected a move',
        'raise TypeError(f"expected a move',
        "notation.py, line 29: TypeError: expected a move",
    ),
    "a board of other columns": (NOTATION, '"abcde"[:n]', '"abcde"', "notation.py, line 45: board answers Board("),
    "a position that is not read": (
        NOTATION,
        "def set_up(rules, state, setup):",
        "def set_up(rules, state, setup):\n    return",
        "set_up takes what it cannot know: a ValueError must say what it expects",
    ),
    "negative moves": (
        KERNEL,
        "moves[n] = origin << 8 | to",
        "moves[n] = -1",
        "legal_moves lists -1; a move is a whole number from 0 on, 1073741824 excepted",
    ),
    "a third seat": (
        KERNEL,
        "    return state[TURN]\n",
        "    return state[TURN] + 1\n",
        "seat answers 2; expected whose turn",
    ),
    "a key that is no hash": (KERNEL, "    return hashed\n", "    return 1.5\n", "key answers 1.5; expected a hash"),
    "chance": (
        KERNEL,
        "state[TURN] = 1 - state[TURN]",
        "state[TURN] = 1 - state[TURN]\n    state[25] = np.random.randint(9)",
        "a1-a2, played twice from the same position, leads to two",
    ),
    "an undeclared unit": (
        KERNEL,
        "unit_word(UNITS.pawn,",
        "unit_word(UNITS.pawn + 5,",
        "units writes a unit of kind 5 on row 0, column 0",
    ),
    # Witnesses.
    "witnesses that are no YAML": (WITNESSES, None, "- [unclosed\n", "witnesses.yaml:2: is not YAML"),
    "no list of witnesses": (
        WITNESSES,
        None,
        "witness: 3\n",
        "witnesses.yaml:1: expected the keys of a witness",
    ),
    "an unknown key": (
        WITNESSES,
        None,
        WITNESS.format("a1-a2", "").replace("value", "valu"),
        "witnesses.yaml:2: witnesses[0]: expected the keys of a witness, and a toggle of the game, "
        "found Witness.__init__() got an unexpected keyword argument 'valu'",
    ),
    "an unknown value": (
        WITNESSES,
        None,
        WITNESS.format("a1-a2", "").replace(": draw", ": drawn"),
        "witnesses.yaml:2: witnesses[0]: expected loss or draw, found 'drawn'",
    ),
    "a move that is none": (WITNESSES, None, WITNESS.format("a1-a9", ""), "the witness of stuck=draw: ply 1, a1-a9: "),
    "an expectation that fails": (
        WITNESSES,
        None,
        WITNESS.format("a1-a2", "a1-a2"),
        "the witness of stuck=draw expects what does not hold: a1-a2",
    ),
}
SCRIPT = """
import json, os, shutil, sys
from pathlib import Path
from workbench.cli import app
from workbench.report import writing
from workbench.laws import families
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


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (KERNEL, "def seat(rules, state):", "def seat(rules, state)", "kernel.py, line 82: SyntaxError: expected ':'"),
        (KERNEL, "def legal_moves(", "def moves(", "kernel.py has no legal_moves"),
        (NOTATION, "    return Board(", "    return Board(1 / 0, ", "notation.py, line 48: ZeroDivisionError"),
    ],
)
def test_every_command_tells_of_them(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    project = hexapawn.project(tmp_path / "mine")
    text = (project / file).read_text(encoding="utf-8")
    (project / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    trusted = {"WORKBENCH_TRUST": str(project / "games"), "NUMBA_DISABLE_JIT": "1"}
    done = User(tmp_path / "home").run("moves", "hexapawn/gardner", folder=project, **trusted)
    assert done.returncode == 2 and f"hexapawn: {said}" in done.stderr and "Traceback" not in done.stderr
    assert "(workbench check-game hexapawn says more)" in done.stderr
