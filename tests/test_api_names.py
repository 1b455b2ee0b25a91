"""What programs may rely on: the promised names and signatures, and that a typed program of theirs passes mypy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api as mypy

import workbench as wb
from tests.api_names import listing

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = '''
"""A program of a user, in which every type is known."""

import workbench as wb


def gain(name: str) -> float:
    """What two pieces gain over three."""
    base: wb.Ruleset = wb.ruleset("star/default")
    trials = wb.run(name, rulesets=[base, base.derive(pieces=2)], agents=["random", {"greedy": {"epsilon": 0.1}}],
                    games=10, openings={"plies": 2, "lines": 5}, progress=print)
    game: wb.PlayedGame = wb.replay(trials.iloc[0])
    position: wb.Game = game.after(2)
    outcome = position.outcome()
    if outcome is not None and outcome.result == "first":
        print(outcome.sentence, position.legal_moves()[0].upper())
    axes = wb.plot.first_score(trials)
    wb.plot.lengths(trials, "random", ax=axes).set_title("Lengths")
    try:
        position.push(position.choose("greedy", seed=1))
    except wb.IllegalMove as error:
        print(error.told("ja"))
    except wb.InputError as error:
        print([problem.hint for problem in error.problems])
    played: list[wb.PlayedGame] = wb.play(base, "random", games=2)
    return float(wb.compare(trials)["difference"].max()) + played[0].plies
'''
WRONG = """
import workbench as wb

wb.rulset("star/default")
wb.run(gmaes=3)
wb.Game("star/default").push(3)
wb.play("star/default", games="two")
wb.plot.first_scores("quickstart")
"""


def test_the_promised_names_and_signatures_are_those_that_are_written_down() -> None:
    """Who changes one of them on purpose says so in CHANGELOG.md: python -m tests.api_names > tests/api.txt."""
    assert list(listing()) == (ROOT / "tests" / "api.txt").read_text(encoding="utf-8").splitlines()


def test_every_promised_name_is_documented() -> None:
    for name in wb.__all__:
        value = getattr(wb, name)
        assert name == "__version__" or value.__doc__, name
    for name in wb.plot.__all__:
        assert getattr(wb.plot, name).__doc__, name
    for kind in (wb.Game, wb.PlayedGame, wb.Outcome, wb.Ruleset):
        members = {name: member for name, member in vars(kind).items() if not name.startswith("_") and callable(member)}
        assert not [name for name, member in members.items() if not member.__doc__], kind


def checked(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What mypy says of a program, in its strict mode, without the settings of this repository."""
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    settings = folder / "mypy.ini"
    settings.write_text("[mypy]\n", encoding="utf-8")
    # As of an installed package, of which a user's mypy follows the types and tells no errors.
    options = ["--strict", "--follow-imports=silent", "--config-file", str(settings), "--ignore-missing-imports"]
    said, wrong, _ = mypy.run([*options, "--cache-dir", str(folder / "cache"), str(program)])
    assert not wrong
    return said.splitlines()


@pytest.mark.thorough
def test_a_typed_program_passes_mypy_and_mistakes_in_one_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked(PROGRAM, tmp_path, monkeypatch) == ["Success: no issues found in 1 source file"]
    errors = checked(WRONG, tmp_path, monkeypatch)
    assert [int(line.split(":")[1]) for line in errors if ": error:" in line] == [4, 5, 6, 7, 8]
    assert re.search(r'has no attribute "rulset"', errors[0])
