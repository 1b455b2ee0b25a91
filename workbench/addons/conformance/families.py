"""Laws of a family's declaration, kernel and notation, and the check of a family against all laws.

Laws are checked first by a process without machine code, then compiled. In plain Python an index beyond an array is an
error with a line number; in machine code it would overwrite other memory.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from scipy.stats import chisquare

import workbench
from workbench import games
from workbench.addons.conformance import positions
from workbench.addons.conformance.positions import RULESETS, Breach, Broken, Law, Subject, WrongAnswer, describe_error
from workbench.base.errors import abbreviated, error_text
from workbench.base.language import join, tr
from workbench.engine import contract, jit, trials
from workbench.engine.contract import DRAW, FIRST, ONGOING, REPETITION, SECOND
from workbench.games import results
from workbench.games.added import declaration_problem
from workbench.games.declaration import Board
from workbench.positions.game_state import IllegalMove
from workbench.rules import rulesets
from workbench.rules.rulebook import family_witnesses
from workbench.rules.rulesets import Ruleset

NOTATION = {"format_move": "move", "parse_move": "text", "explain": "text, move", "board": "", "set_up": "setup"}
"""Functions of a notation, with their arguments after rules and state."""
COMPILED = {contract.kernel_name(f): ", ".join(inspect.signature(f).parameters) for f in contract.MACHINE_TYPES}
KERNEL = dict.fromkeys(("state_size", "max_moves", "board_size", "repetition_draws"), "rules") | COMPILED
"""Functions of a kernel, with all their arguments."""
_Test = Callable[[Any], bool]


def _is_integer(low: int = 0, high: int = 2**31 - 1) -> _Test:
    return lambda value: isinstance(value, int | np.integer) and low <= int(value) <= high


def _is_outcome(endings: Collection[int]) -> _Test:
    return lambda value: value in [(ONGOING, 0), *itertools.product((FIRST, SECOND, DRAW), endings)]


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_stop(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and _is_integer()(value[0]) and _is_bool(value[1])


def _is_move_text(text: Any) -> bool:
    return isinstance(text, str) and text.split() == [text] != [results.SWAP]


def _is_board(board: Any) -> bool:
    if not isinstance(board, Board) or [len(row) for row in board.cells] != [len(board.columns)] * len(board.rows):
        return False
    return all(isinstance(text, str) for row in (*board.cells, board.columns, board.rows) for text in row)


def _return_checks(family: str) -> Iterator[tuple[str, _Test, str]]:
    """Yield the names of functions, a test of their return values, and a description of valid values."""
    endings, result = games.declaration(family).terminations, tr("ONGOING and 0, or a result and one of ENDINGS")
    yield "state_size max_moves board_size", _is_integer(1), tr("a positive integer")
    yield "legal_moves count_moves units parse_move", _is_integer(), tr("a non-negative integer")
    yield "sample_move", _is_integer(-1), tr("a legal move, or -1")
    yield "seat", _is_integer(high=1), tr("the side to move, 0 or 1")
    yield "key", _is_integer(high=2**64 - 1), tr("a hash, np.uint64")
    yield "has_move quiet counts_positions repetition_draws", _is_bool, tr("True or False")
    yield "tactical_moves followed_moves", _is_stop, tr("the number of moves listed, and whether a search may stop")
    yield "outcome", _is_outcome(endings), result
    yield "repetition", _is_outcome((*endings, REPETITION)), tr("{result} or REPETITION", result=result)
    yield "format_move", _is_move_text, tr("a string without spaces, except 'swap'")
    yield "explain", lambda text: isinstance(text, str) and text != "", tr("a sentence")
    yield "board", _is_board, tr("a Board of strings with one row per entry of rows and one cell per entry of columns")


def check_signatures(module: ModuleType, required: dict[str, str], optional: Collection[str] = ()) -> None:
    """Raise `Broken` if a module lacks a function, or a function does not accept its arguments."""
    for name, arguments in required.items():
        arguments = arguments if arguments.startswith("rules") else f"rules, state, {arguments}".removesuffix(", ")
        definition, function = f"def {name}({arguments})", getattr(module, name, None)
        if function is None and name not in optional:
            file = Path(str(module.__file__)).name
            raise Broken(tr("{path} does not define {missing}: add {call}", path=file, missing=name, call=definition))
        is_plain_function = isinstance(function, FunctionType) and not hasattr(function, "__wrapped__")
        if is_plain_function and name in COMPILED and not jit.DISABLED:
            raise Broken(tr("{place}: decorate {call} with @njit", place=_location(function), call=definition))
        try:
            _ = function and inspect.signature(_unwrap(function)).bind(*arguments.split(", "))
        except TypeError:
            raise Broken(tr("{place}: write {call}", place=_location(function), call=definition)) from None


def watch(family: str) -> None:
    """Make the functions of a family raise `WrongAnswer` when they return an invalid value."""
    for module in (games.kernel(family), games.notation(family)):
        for names, is_valid, description in _return_checks(family):
            for name in names.split():
                if (function := getattr(module, name, None)) and not hasattr(function, "__wrapped__"):
                    setattr(module, name, _checked_function(function, is_valid, description))


def _checked_function(function: Any, is_valid: _Test, description: str) -> Any:
    @functools.wraps(function)
    def checked(*arguments: Any) -> Any:
        if is_valid(value := function(*arguments)):
            return value
        value = value.item() if isinstance(value, np.generic) else value
        found = tr("nothing: is a return statement missing?") if value is None else abbreviated(repr(value))
        text = tr("{place}: {name} returns {found}", place=_location(function), name=function.__name__, found=found)
        raise WrongAnswer(tr("{about}; expected {words}", about=text, words=description))

    return checked


def _unwrap(function: Any) -> Any:
    return getattr(inspect.unwrap(function), "py_func", inspect.unwrap(function))


def _location(function: Any) -> str:
    lines, line_number = inspect.getsourcelines(_unwrap(function))
    line_number += next((offset for offset, line in enumerate(lines) if line.startswith("def ")), 0)
    return tr("{where}, line {line}", where=Path(str(inspect.getsourcefile(_unwrap(function)))).name, line=line_number)


OPTIONAL = {
    "count_moves", "has_move", "preferred", "gain", "followed_moves", "quiet", "pack", "unpack", "repetition_draws",
}  # fmt: skip
"""Functions of a kernel for which the engine has a default."""
LIGHT = (
    "workbench.base.errors",
    "workbench.base.language",
    "workbench.games.chess.betza",
    "workbench.games.declaration",
    "workbench.games.drawings",
    "workbench.games.prices",
    "workbench.engine.folds",
)
"""Workbench modules that a declaration may import without starting a compiler."""


def check_functions(family: str) -> None:
    """Raise `Broken` if the kernel or the notation lacks a function or defines it with wrong arguments."""
    for name in ("kernel.py", "notation.py"):
        if not (games.folder(family) / name).is_file():
            raise Broken(tr("{place} has no {path}", place=games.folder(family).name, path=name))
    try:
        kernel, notation = games.kernel(family), games.notation(family)
    except AttributeError as error:
        # The end of the kernel refers to some of its functions.
        if isinstance(error.obj, ModuleType) and error.obj.__name__.endswith(".kernel"):
            check_signatures(error.obj, KERNEL, OPTIONAL)
        raise
    if getattr(kernel, "Rules", None) not in contract.KERNELS:
        raise Broken(tr("kernel.py does not end with implement(Rules, …)"))
    check_signatures(kernel, KERNEL, OPTIONAL)
    check_signatures(notation, NOTATION)


def check_witnesses(family: str) -> None:
    """Raise `Broken` if a witness cannot be played or does not show the expected moves."""
    for witness in family_witnesses(family):
        name = tr("the witness for {witness}", witness=str(witness))
        try:
            game_state = witness.game_state(family, witness.value)
        except IllegalMove as error:
            raise Broken(join(": ", (name, error_text(error)))) from None
        wrong = [move for move in witness.expect.get("legal", ()) if game_state.why_not(move)]
        wrong += [move for move in witness.expect.get("illegal", ()) if not game_state.why_not(move)]
        if wrong:
            raise Broken(tr("{about} has wrong expectations: {wrong}", about=name, wrong=", ".join(wrong)))


def check_imports(family: str) -> None:
    """Raise `Broken` if a kernel or a declaration (rules.py, rules_*.py) imports a module that it may not.

    Kernels may import the engine, the declaration and NumPy; declarations may import the standard library. The cache
    of machine code depends on these files and would miss changes in any other module.
    """
    package = f"{games.__name__}.{family}"
    for file in sorted(games.folder(family).glob("*.py")):
        tree, compiled = ast.parse(file.read_bytes(), str(file)), file.name.startswith("kernel")
        if not compiled and not (file.name == "rules.py" or file.name.startswith("rules_")):
            continue
        for line, module in _imported_modules(tree, package):
            own_module = module.removeprefix(f"{package}.") if module.startswith(f"{package}.") else ""
            allowed = module.partition(".")[0] in sys.stdlib_module_names or module in LIGHT
            if compiled:
                allowed |= module.partition(".")[0] == "numpy" or module.startswith("workbench.engine.")
                allowed |= own_module == "rules" or own_module.startswith(("rules_", "kernel"))
            elif not allowed and family in games.shipped():
                allowed = own_module != ""
            if not allowed:
                message = tr("{file}, line {line}: {module} may not be imported here")
                raise Broken(message.format(file=file.name, line=line, module=module))


def _imported_modules(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level > 1:
                yield node.lineno, "." * node.level + (node.module or "")
                continue
            base = package if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            # `from . import kernel` imports a module, `from .rules import DECLARATION` a part of one.
            is_package = source in (package, "workbench.engine", "workbench.games")
            yield from ((node.lineno, f"{source}.{alias.name}" if is_package else source) for alias in node.names)


def check_agreement(family: str) -> None:
    """Raise `Broken` if the kernel's `Rules` or its counts differ from the declaration."""
    declaration, kernel = games.declaration(family), games.kernel(family)
    if kernel.Rules._fields != tuple(toggle.name for toggle in declaration.toggles):
        raise Broken(tr("the fields of Rules do not match the names and order of the declaration's toggles"))
    rules = trials.make_rules(family, declaration.codes(declaration.defaults()))
    for kind, in_kernel, in_declaration in (
        ("features", contract.feature_count(rules), len(declaration.features)),
        ("events", contract.event_count(rules), len(declaration.events)),
    ):
        if in_kernel != in_declaration:
            message = tr("implement was given {counted} {what}; the declaration has {declared}")
            raise Broken(message.format(counted=in_kernel, what=kind, declared=in_declaration))
    if problem := declaration_problem(declaration, games.folder(family) / "rules.py"):
        raise Broken(problem)


def check_sample_distribution(subjects: Sequence[Subject]) -> int:
    """Raise `Broken` if Pearson's test in six positions shows that `sample_move` is not uniform over legal moves.

    Returns the number of positions with enough draws; draws of -1 do not count.
    """
    if jit.DISABLED:
        return 0  # it takes thousands of draws
    tested = 0
    for i, subject in enumerate((list(subjects) * 6)[:: max(1, len(subjects) // 6)][:6]):
        walk = subject.walk
        position = walk[(i + 1) * (len(walk) - 1) // 6]
        subject.at = subject.seed, "", position.moves
        rng = np.array([i], np.uint64)
        draws = [contract.sample_move(subject.rules, position.state, rng) for _ in range(40 * len(position.legal))]
        counts = [draws.count(move) for move in position.legal]
        if sum(counts) > 5 * len(position.legal):
            if (p := chisquare(counts).pvalue) <= 1e-4:
                raise Broken(tr("sample_move does not draw all moves with equal probability (p = {p:.1e})", p=p))
            tested += 1
    return tested


MARKER = "laws: "
"""The prefix of the line that contains the result of `main`."""
FAMILIES = (
    Law("complete", tr("The kernel and the notation define all required functions with the right arguments.")),
    Law("answers", tr("Every function returns the right type of value.")),
    Law(
        "imports",
        tr(
            "A kernel imports only the engine, the declaration and NumPy; a declaration imports only "
            "the standard library."
        ),
    ),
    Law("agreement", tr("The kernel and the declaration agree.")),
    Law("witnesses", tr("Each witness in witnesses.yaml can be played and shows the expected result.")),
    Law("uniform", tr("sample_move draws each legal move with equal probability.")),
    Law("machine_code", tr("The same games are played with and without compilation.")),
    Law("pie_rule", tr("Games with the pie rule can be played, judged and reported.")),
)
FILE_CHECKS: dict[str, Callable[[str], None]] = {
    "imports": check_imports,
    "complete": check_functions,
    "agreement": check_agreement,
    "witnesses": check_witnesses,
}
"""The checks of a family's files in order."""


def law(name: str) -> Law:
    """Return the law called ``name``."""
    return next(law for law in (*RULESETS, *FAMILIES) if law.name == name)


def check(family: str, tested: Sequence[Ruleset], seeds: int, report: Callable[[str], None]) -> list[Breach]:
    """Return at most one breach per law by a family and its rulesets, using ``seeds`` random games per ruleset.

    ``report`` receives progress messages. A breach found without machine code ends the check before compilation.
    """
    breaches = [breach for name, run in FILE_CHECKS.items() if (breach := _family_breach(family, name, run))]
    if breaches:
        return breaches[:1]
    if jit.DISABLED:
        watch(family)
    else:
        report(tr("without machine code…"))
        uncompiled_breaches, uncompiled_games = _check_uncompiled(family, tested)
        if uncompiled_breaches:
            return uncompiled_breaches
        report(tr("with machine code…"))
    for ruleset in tested:
        breaches += list(_ruleset_breaches(ruleset, seeds))
    if not breaches:
        subjects = [Subject(ruleset) for ruleset in tested]
        if uniform := _family_breach(family, "uniform", lambda _: check_sample_distribution(subjects)):
            subject_at_fault = next((subject for subject in subjects if subject.at[2] is not None), subjects[0])
            breaches.append(
                dataclasses.replace(uniform, ruleset=subject_at_fault.ruleset.name, moves=subject_at_fault.at[2])
            )
    if not breaches and not jit.DISABLED:
        compiled = [line for ruleset in tested for line in positions.short_games(Subject(ruleset), True)]
        breaches += list(_differing(compiled, uncompiled_games))
    if not breaches and (breach := _family_breach(family, "pie_rule", lambda _: positions.check_pie_rule(tested))):
        breaches.append(breach)
    return breaches


def _family_breach(family: str, name: str, check_family: Callable[[str], object]) -> Breach | None:
    try:
        check_family(family)
    except Broken as broken:
        return Breach(name, "", str(broken), 0)
    except Exception as error:  # a family's code may raise anything
        return Breach(name, "", describe_error(error, games.folder(family)), 0)
    return None


def _ruleset_breaches(ruleset: Ruleset, seeds: int) -> Iterator[Breach]:
    """Yield the first breach of each law, except findings already reported for another law."""
    findings: set[str] = set()
    subjects = [Subject(ruleset, seed) for seed in range(seeds)]
    for ruleset_law in RULESETS:
        assert ruleset_law.check is not None
        breaches = (subject.breach(ruleset_law.name, ruleset_law.check) for subject in subjects)
        if (first := next((breach for breach in breaches if breach), None)) and first.finding not in findings:
            findings.add(first.finding)
            yield first
            if first.moves is None:
                return  # no position was reached: all other laws would fail in the same way


def _differing(compiled: list[str], plain: list[str]) -> Iterator[Breach]:
    for compiled_line, plain_line in zip(compiled, plain, strict=True):
        if compiled_line != plain_line:
            ruleset, player, column, _ = compiled_line.split(" ", 3)
            text = tr("{column} differs with and without compilation: does a number overflow its type?", column=column)
            yield Breach("machine_code", ruleset, text, 0, f"{player} {player}")
            return


def _check_uncompiled(family: str, tested: Sequence[Ruleset]) -> tuple[list[Breach], list[str]]:
    """Return the breaches found in a process without compilation, and the games it played."""
    package = str(Path(workbench.__file__).resolve().parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    # Modules must not be imported from the working folder.
    variables = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", "NUMBA_DISABLE_JIT": "1"}
    names = [ruleset.name for ruleset in tested]
    process = subprocess.run(
        [sys.executable, "-m", __name__, *names],
        env=os.environ | variables, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    result_line = next((line for line in process.stdout.splitlines() if line.startswith(MARKER)), "")
    if not result_line:
        last = process.stderr.strip().splitlines()[-1:] or [tr("exit code {returncode}", returncode=process.returncode)]
        return [Breach("complete", "", tr("the uncompiled process exited: {last}", last=last[0]), 0)], []
    result = json.loads(result_line.removeprefix(MARKER))
    return [_breach(entry) for entry in result["breaches"]], result["games"]


def _breach(entry: dict[str, Any]) -> Breach:
    return Breach(**entry | {"moves": None if entry["moves"] is None else tuple(entry["moves"])})


def main() -> None:
    """Print, as JSON, breaches by the rulesets on the command line without machine code, and short games."""
    subjects = [rulesets.load_ruleset(name) for name in sys.argv[1:]]
    watch(subjects[0].game)
    breaches = [breach for ruleset in subjects for breach in _ruleset_breaches(ruleset, 1)]
    lines = [] if breaches else [line for ruleset in subjects for line in positions.short_games(Subject(ruleset), True)]
    print(MARKER + json.dumps({"breaches": [dataclasses.asdict(breach) for breach in breaches], "games": lines}))


if __name__ == "__main__":
    main()
