"""Machine code on disk: kept by family, compiled anew where it is damaged, and not needed."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import games
from workbench.engine import contract, jit

pytestmark = pytest.mark.skipif(jit.DISABLED, reason="there is no machine code")
ROOT = Path(__file__).resolve().parent.parent


def _double(x: int) -> int:
    return 2 * x


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder of machine code, in which nothing has been said yet."""
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    monkeypatch.setattr(jit, "_warned", set())
    return tmp_path


def hits() -> int:
    """Compiles a function or finds it in the folder, and says whether it was there."""
    compiled = jit.njit(_double)
    assert compiled(21) == 42
    return sum(compiled.stats.cache_hits.values())  # type: ignore[attr-defined]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "altered": lambda content: content[: len(content) // 2] + b"\0\1\2\3" + content[len(content) // 2 + 4 :],
}


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_compile_anew(kept: Path, capsys: pytest.CaptureFixture[str], ending: str, damage: str) -> None:
    assert (hits(), hits()) == (0, 1)
    (file,) = kept.rglob(f"*.{ending}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert hits() == 0
    said = capsys.readouterr().err
    assert said.startswith(f"the machine code in {kept} is damaged or unreadable (") and said.count("\n") == 1
    assert hits() == 1 and not capsys.readouterr().err


def test_a_file_that_is_missing_is_compiled_anew(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hits() == 0
    (file,) = kept.rglob("*.nbc")
    file.unlink()
    assert (hits(), hits()) == (0, 1) and not capsys.readouterr().err


def test_where_nothing_can_be_written_nothing_is_kept(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "x")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert (hits(), hits()) == (0, 0)
    line = f"the machine code cannot be cached in {kept} (No space left on device): every command recompiles\n"
    assert capsys.readouterr().err == line
    assert not [path for path in kept.rglob("*") if path.is_file()]
    assert (hits(), hits()) == (0, 1)


APART = """\
from workbench.engine import trials
from workbench.engine.players import ALPHABETA, GREEDY, RANDOM
from workbench.rules import rulesets
from workbench.runs.runner import compile_in_parallel, game_preparation

needed = game_preparation(rulesets.load_ruleset("star/default"), (RANDOM, GREEDY, ALPHABETA))
compile_in_parallel(needed, 2)
assert len(trials.compiled_parts(*needed.arguments)) > 15
print(trials.warm_up(*needed.arguments))
"""


@pytest.mark.thorough
def test_what_several_processes_compile_is_all_that_games_need(tmp_path: Path) -> None:
    """They compile each part by itself, and a process that plays finds it; in a script without a main guard, too."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", APART]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "False\n"), run.stderr


KERNEL = """
import sys
from typing import NamedTuple

from workbench.engine.contract import implement
from workbench.engine.jit import njit
class Rules(NamedTuple):
    size: int
    draw_value: int = 3
    swap: int = 0
@njit
def legal_moves(rules, state, moves): return 0
@njit
def tactical_moves(rules, state, moves): return {quiet}, True
@njit
def outcome(rules, state, n): return {answer}, rules.size
@njit
def units(rules, state, words): return 0
@njit
def play(rules, state, move): return None
@njit
def seat(rules, state): return 0


implement(Rules, sys.modules[__name__], 0, 0)
"""


@pytest.fixture
def families(kept: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of kernels on Python's path, and nothing known yet of what lies there."""
    place = kept / "families"
    place.mkdir()
    monkeypatch.syspath_prepend(place)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield place
    for family in place.iterdir():
        sys.modules.pop(f"{family.name}.kernel", None)
        sys.modules.pop(family.name, None)


def written(place: Path, family: str, answer: int, quiet: str = "0") -> Any:
    """A family's kernel, written and imported anew; ``quiet`` is the number of its tactical moves."""
    (place / family).mkdir(exist_ok=True)
    (place / family / "kernel.py").write_text(KERNEL.format(answer=answer, quiet=quiet), encoding="utf-8")
    sys.modules.pop(f"{family}.kernel", None)
    importlib.invalidate_caches()
    jit.folder_name.cache_clear()
    return importlib.import_module(f"{family}.kernel")


def asked(place: Path, family: str, answer: int) -> tuple[int, int, int]:
    """What the engine says of a family whose kernel gives an answer, and how often driver and kernel were compiled."""
    kernel = written(place, family, answer)
    rules = kernel.Rules(7)
    driver: Any = jit.njit(contract.terminal.py_func)  # type: ignore[attr-defined]
    result, termination = driver(rules, np.zeros(1, np.int64), np.zeros(1, np.int32))
    assert termination == 7
    compiled = [sum(function.stats.cache_misses.values()) for function in (driver, kernel.legal_moves, kernel.outcome)]
    return result, compiled[0], sum(compiled[1:])


@pytest.mark.thorough
def test_python_may_ask_first_for_what_other_functions_of_a_kernel_call(families: Path) -> None:
    kernel = written(families, "first", 1, quiet="legal_moves(rules, state, moves)")
    moves = np.zeros(1, np.int32)
    assert contract.legal_moves(kernel.Rules(7), np.zeros(1, np.int64), moves) == 0
    assert kernel.tactical_moves.signatures


@pytest.mark.thorough
def test_an_edit_of_a_kernel_compiles_that_kernel_alone(families: Path) -> None:
    """The driver is one function of the engine, kept once for each family; it calls the kernel by its name."""
    assert asked(families, "left", 1) == (1, 1, 2) and asked(families, "right", 2) == (2, 1, 2)
    assert asked(families, "left", 1) == (1, 0, 0) and asked(families, "right", 2) == (2, 0, 0)
    assert asked(families, "left", 3) == (3, 0, 2)
    assert asked(families, "right", 2) == (2, 0, 0)
    assert asked(families, "left", 1) == (1, 0, 0)


@pytest.mark.parametrize(
    ("edited", "kernels", "drivers"),
    [("games/chess/kernel.py", {"chess"}, set()), ("games/chess/kernel_moves.py", {"chess"}, set()),
     ("games/chess/rules.py", {"chess"}, {"chess"}), ("games/declaration.py", set(games.names()), set(games.names())),
     ("games/prices.py", set(games.names()), set(games.names())), ("engine/trials.py", set(), set(games.names())),
     ("engine/jit.py", set(games.names()), set(games.names()))],
)  # fmt: skip
def test_the_folder_of_a_family_is_named_after_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str, kernels: set[str], drivers: set[str]
) -> None:
    package = shutil.copytree(jit.PACKAGE, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    declarations = frozenset(package / file.relative_to(jit.PACKAGE) for file in jit.DECLARATIONS)
    monkeypatch.setattr(jit, "DECLARATIONS", declarations)
    monkeypatch.setattr(jit, "PACKAGE", package)

    def folders() -> dict[tuple[str, str], str]:
        jit.folder_name.cache_clear()
        files = {family: package / "games" / family / "kernel.py" for family in games.names()}
        of_kernels = {("kernel", family): jit.folder_name(jit.sources(file)) for family, file in files.items()}
        of_drivers = {("driver", name): jit.folder_name(jit.driver_sources(file)) for name, file in files.items()}
        return of_kernels | of_drivers

    before = folders()
    assert all(name.startswith(f"machine-code-{family}-") for (_, family), name in before.items())
    with (package / edited).open("a", encoding="utf-8") as file:
        file.write("\n")
    changed = {which for which, name in folders().items() if name != before[which]}
    assert changed == {("kernel", family) for family in kernels} | {("driver", family) for family in drivers}


IMPORTS = """
import importlib, sys

for family in sys.argv[1:]:
    for name in [name for name in sys.modules if name.startswith("workbench.games")]:
        del sys.modules[name]
    importlib.import_module(f"workbench.games.{family}.kernel")
    print(*(m.__file__ for name, m in sys.modules.items() if name.startswith("workbench")), sep="\\t")
"""


@pytest.mark.thorough
def test_a_kernel_imports_nothing_that_its_folder_is_not_named_after() -> None:
    command = [sys.executable, "-c", IMPORTS, *games.names()]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for family, line in zip(games.names(), lines, strict=True):
        imported = {Path(file).resolve() for file in line.split("\t")}
        kernel = jit.PACKAGE / "games" / family / "kernel.py"
        assert kernel in imported
        # Of a drawing a kernel reads an array: `tests/test_drawings.py` sees to it that no code of it is compiled.
        needless = {jit.PACKAGE / name for name in ("games/chess/betza.py", "games/drawings.py", "base/errors.py")}
        assert {file for file in imported - jit.sources(kernel) - needless if file.name != "__init__.py"} == set()


INTERRUPTED = """\
from workbench.engine import contract
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

game_state = GameState("star", rulesets.load_ruleset("star/default").codes())

def interrupted(rules):
    raise KeyboardInterrupt

type(game_state.rules).machine_address = property(interrupted)
try:
    contract.seat(game_state.rules, game_state.state)
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.thorough
def test_an_interrupt_while_a_tuple_is_handed_to_machine_code_is_heard() -> None:
    """The code that finds the tuple's address is Python, which Ctrl-C may end."""
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "heard\n"), ended.stderr


@pytest.mark.thorough
def test_a_folder_that_cannot_be_made_is_told_and_not_needed() -> None:
    script = "from workbench.engine import jit; print(jit.CACHE, jit.NO_CACHE, jit.njit(lambda x: 2 * x)(21))"
    completed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": "/dev/null/x"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert completed.stdout.startswith("None /dev/null") and "Not a directory" in completed.stdout, completed.stderr
    assert completed.stdout.endswith(" 42\n")
