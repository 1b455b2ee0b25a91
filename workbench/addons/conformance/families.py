"""Laws of a family's files: its declaration, its kernel and its notation; and all laws asked of a family.

They are asked first by a process without machine code, then compiled: as plain Python an index that leaves an array is
an error with its line; in machine code it would overwrite other memory.
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
from workbench.addons.conformance.positions import RULESETS, Breach, Broken, Law, Subject, WrongAnswer, raised
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
"""Functions of a notation, and their arguments behind rules and state."""
COMPILED = {contract.kernel_name(one): ", ".join(inspect.signature(one).parameters) for one in contract.MACHINE_TYPES}
KERNEL = dict.fromkeys(("state_size", "max_moves", "board_size", "repetition_draws"), "rules") | COMPILED
"""The same of a kernel, with all that is given."""
_Test = Callable[[Any], bool]


def _whole(low: int = 0, high: int = 2**31 - 1) -> _Test:
    return lambda answer: isinstance(answer, int | np.integer) and low <= int(answer) <= high


def _ends(codes: Collection[int]) -> _Test:
    return lambda answer: answer in [(ONGOING, 0), *itertools.product((FIRST, SECOND, DRAW), codes)]


def _truth(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_)


def _stops(answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2 and _whole()(answer[0]) and _truth(answer[1])


def _written(text: Any) -> bool:
    return isinstance(text, str) and text.split() == [text] != [results.SWAP]


def _drawn(board: Any) -> bool:
    if not isinstance(board, Board) or [len(row) for row in board.cells] != [len(board.columns)] * len(board.rows):
        return False
    return all(isinstance(sign, str) for row in (*board.cells, board.columns, board.rows) for sign in row)


def _expected(family: str) -> Iterator[tuple[str, _Test, str]]:
    """Functions, the test of what they answer, and the same in words."""
    endings, result = games.declaration(family).terminations, tr("ONGOING, 0, or a result with one of ENDINGS")
    yield "state_size max_moves board_size", _whole(1), tr("a positive integer")
    yield "legal_moves count_moves units parse_move", _whole(), tr("a non-negative integer")
    yield "sample_move", _whole(-1), tr("a legal move, or -1")
    yield "seat", _whole(high=1), tr("the side to move, 0 or 1")
    yield "key", _whole(high=2**64 - 1), tr("a hash, np.uint64")
    yield "has_move quiet counts_positions repetition_draws", _truth, tr("True or False")
    yield "tactical_moves followed_moves", _stops, tr("the number of moves listed, and whether a search may stop")
    yield "outcome", _ends(endings), result
    yield "repetition", _ends((*endings, REPETITION)), tr("{result} or REPETITION", result=result)
    yield "format_move", _written, tr("a string without spaces, other than swap")
    yield "explain", lambda text: isinstance(text, str) and text != "", tr("a sentence")
    yield "board", _drawn, tr("a Board of strings with one row per entry of rows and one cell per entry of columns")


def signatures_fit(module: ModuleType, wanted: dict[str, str], optional: Collection[str] = ()) -> None:
    """A module has its functions, and they take what they are given."""
    for name, given in wanted.items():
        given = given if given.startswith("rules") else ", ".join(filter(None, ("rules, state", given)))
        call, function = f"def {name}({given})", getattr(module, name, None)
        if function is None and name not in optional:
            file = Path(str(module.__file__)).name
            raise Broken(tr("{path} does not define {missing}: write {call}", path=file, missing=name, call=call))
        plain = isinstance(function, FunctionType) and not hasattr(function, "__wrapped__")
        if plain and name in COMPILED and not jit.DISABLED:
            raise Broken(tr("{place}: decorate {call} with @njit", place=_place(function), call=call))
        try:
            _ = function and inspect.signature(_plain(function)).bind(*given.split(", "))
        except TypeError:
            raise Broken(tr("{place}: write {call}", place=_place(function), call=call)) from None


def watch(family: str) -> None:
    """From now on the functions of a family say in words that they answer what they must not."""
    for module in (games.kernel(family), games.notation(family)):
        for names, right, words in _expected(family):
            for name in names.split():
                if (function := getattr(module, name, None)) and not hasattr(function, "__wrapped__"):
                    setattr(module, name, _watched(function, right, words))


def _watched(function: Any, right: _Test, words: str) -> Any:
    @functools.wraps(function)
    def asked(*given: Any) -> Any:
        if right(answer := function(*given)):
            return answer
        answer = answer.item() if isinstance(answer, np.generic) else answer
        found = tr("nothing: is a return missing?") if answer is None else abbreviated(repr(answer))
        about = tr("{place}: {name} returns {found}", place=_place(function), name=function.__name__, found=found)
        raise WrongAnswer(tr("{about}; expected {words}", about=about, words=words))

    return asked


def _plain(function: Any) -> Any:
    return getattr(inspect.unwrap(function), "py_func", inspect.unwrap(function))


def _place(function: Any) -> str:
    lines, first = inspect.getsourcelines(_plain(function))
    first += next((after for after, line in enumerate(lines) if line.startswith("def ")), 0)
    return tr("{where}, line {line}", where=Path(str(inspect.getsourcefile(_plain(function)))).name, line=first)


LEFT_OUT = {
    "count_moves", "has_move", "preferred", "gain", "followed_moves", "quiet", "pack", "unpack", "repetition_draws",
}  # fmt: skip
"""Functions of a kernel for which the engine has a stand-in."""
LIGHT = (
    "workbench.base.errors",
    "workbench.base.language",
    "workbench.games.chess.betza",
    "workbench.games.declaration",
    "workbench.games.drawings",
    "workbench.games.prices",
    "workbench.engine.folds",
)
"""The modules of the workbench that a declaration may import: checking a ruleset starts no compiler."""


def files_are_complete(family: str) -> None:
    """The kernel and the notation have all their functions."""
    for name in ("kernel.py", "notation.py"):
        if not (games.folder(family) / name).is_file():
            raise Broken(tr("{place} has no {path}", place=games.folder(family).name, path=name))
    try:
        kernel, notation = games.kernel(family), games.notation(family)
    except AttributeError as error:
        # The kernel asks for some of its functions at its own end.
        if isinstance(error.obj, ModuleType) and error.obj.__name__.endswith(".kernel"):
            signatures_fit(error.obj, KERNEL, LEFT_OUT)
        raise
    if getattr(kernel, "Rules", None) not in contract.KERNELS:
        raise Broken(tr("kernel.py does not end with implement(Rules, …)"))
    signatures_fit(kernel, KERNEL, LEFT_OUT)
    signatures_fit(notation, NOTATION)


def witnesses_show_it(family: str) -> None:
    """Each witness can be played, and there is what it expects."""
    for witness in family_witnesses(family):
        about = tr("the witness of {witness}", witness=str(witness))
        try:
            game_state = witness.game_state(family, witness.value)
        except IllegalMove as error:
            raise Broken(join(": ", (about, error_text(error)))) from None
        wrong = [move for move in witness.expect.get("legal", ()) if game_state.why_not(move)]
        wrong += [move for move in witness.expect.get("illegal", ()) if not game_state.why_not(move)]
        if wrong:
            raise Broken(tr("{about} expects something that is not true: {wrong}", about=about, wrong=", ".join(wrong)))


def imports_are_few(family: str) -> None:
    """A kernel imports the engine, the declaration and NumPy alone, a declaration the standard library.

    A declaration is rules.py and any rules_*.py. The cache of machine code is keyed by these files: a change in another
    import would go unnoticed.
    """
    package = f"{games.__name__}.{family}"
    for file in sorted(games.folder(family).glob("*.py")):
        tree, compiled = ast.parse(file.read_bytes(), str(file)), file.name.startswith("kernel")
        if not compiled and not (file.name == "rules.py" or file.name.startswith("rules_")):
            continue
        for line, module in _imported(tree, package):
            of_family = module.removeprefix(f"{package}.") if module.startswith(f"{package}.") else ""
            fine = module.partition(".")[0] in sys.stdlib_module_names or module in LIGHT
            if compiled:
                fine |= module.partition(".")[0] == "numpy" or module.startswith("workbench.engine.")
                fine |= of_family == "rules" or of_family.startswith(("rules_", "kernel"))
            elif not fine and family in games.shipped():
                fine = of_family != ""
            if not fine:
                message = tr("{file}, line {line}: {module} cannot be imported there")
                raise Broken(message.format(file=file.name, line=line, module=module))


def _imported(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level > 1:
                yield node.lineno, "." * node.level + (node.module or "")
                continue
            base = package if node.level else ""
            whole = ".".join(filter(None, (base, node.module)))
            # `from . import kernel` names a module, `from .rules import DECLARATION` what is in one.
            inner = whole in (package, "workbench.engine", "workbench.games")
            yield from ((node.lineno, f"{whole}.{alias.name}" if inner else whole) for alias in node.names)


def kernel_and_declaration_agree(family: str) -> None:
    """The kernel's `Rules` have the toggles of the declaration, and `implement` was given its numbers."""
    declaration, kernel = games.declaration(family), games.kernel(family)
    if kernel.Rules._fields != tuple(toggle.name for toggle in declaration.toggles):
        raise Broken(tr("the fields of Rules are not the toggles of the declaration, in its order"))
    rules = trials.make_rules(family, declaration.codes(declaration.defaults()))
    for what, counted, declared in (
        ("features", contract.feature_count(rules), len(declaration.features)),
        ("events", contract.event_count(rules), len(declaration.events)),
    ):
        if counted != declared:
            message = tr("implement was given {counted} {what}; the declaration has {declared}")
            raise Broken(message.format(counted=counted, what=what, declared=declared))
    if said := declaration_problem(declaration, games.folder(family) / "rules.py"):
        raise Broken(said)


def samples_are_uniform(subjects: Sequence[Subject]) -> int:
    """`sample_move` draws each legal move equally often: Pearson's test in six positions; returns how many had enough.

    What the sampler leaves to the list is not its business.
    """
    if jit.DISABLED:
        return 0  # thousands of draws
    tested = 0
    for i, subject in enumerate((list(subjects) * 6)[:: max(1, len(subjects) // 6)][:6]):
        places = subject.walk
        place = places[(i + 1) * (len(places) - 1) // 6]
        subject.at = subject.seed, "", place.moves
        rng = np.array([i], np.uint64)
        drawn = [contract.sample_move(subject.rules, place.state, rng) for _ in range(40 * len(place.legal))]
        counts = [drawn.count(move) for move in place.legal]
        if sum(counts) > 5 * len(place.legal):
            if (p := chisquare(counts).pvalue) <= 1e-4:
                raise Broken(tr("sample_move does not draw all moves with equal probability (p = {p:.1e})", p=p))
            tested += 1
    return tested


MARKER = "laws: "
"""The beginning of the line in which `main` answers."""
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
    Law("agreement", tr("Kernel and declaration agree.")),
    Law("witnesses", tr("Each witness in witnesses.yaml can be played and shows the expected result.")),
    Law("uniform", tr("sample_move draws each legal move with equal probability.")),
    Law("machine_code", tr("The same games are played with and without compilation.")),
    Law("pie_rule", tr("Games with the pie rule are played, judged and reported.")),
)
OF_FILES: dict[str, Callable[[str], None]] = {
    "imports": imports_are_few,
    "complete": files_are_complete,
    "agreement": kernel_and_declaration_agree,
    "witnesses": witnesses_show_it,
}
"""The laws of a family's files, in the order in which they are asked."""


def law(name: str) -> Law:
    """Return the law of that name."""
    return next(one for one in (*RULESETS, *FAMILIES) if one.name == name)


def check(family: str, asked: Sequence[Ruleset], seeds: int, tell: Callable[[str], None]) -> list[Breach]:
    """Return the breaches of laws by some rulesets of a family, with random games of so many seeds; at most one a law.

    ``tell`` is called with what is being done. Where something is broken without machine code, nothing is compiled.
    """
    found = [breach for name, ask in OF_FILES.items() if (breach := _of_family(family, name, ask))]
    if found:
        return found[:1]
    if jit.DISABLED:
        watch(family)
    else:
        tell(tr("without machine code…"))
        broken, plain = _asked_without_machine_code(family, asked)
        if broken:
            return broken
        tell(tr("with machine code…"))
    for ruleset in asked:
        found += list(_of_ruleset(ruleset, seeds))
    if not found:
        subjects = [Subject(ruleset) for ruleset in asked]
        if uniform := _of_family(family, "uniform", lambda _: samples_are_uniform(subjects)):
            at = next((subject for subject in subjects if subject.at[2] is not None), subjects[0])
            found.append(dataclasses.replace(uniform, ruleset=at.ruleset.name, moves=at.at[2]))
    if not found and not jit.DISABLED:
        compiled = [line for ruleset in asked for line in positions.short_games(Subject(ruleset), True)]
        found += list(_differing(compiled, plain))
    if not found and (
        breach := _of_family(family, "pie_rule", lambda _: positions.the_pie_rule_is_played_and_reported(asked))
    ):
        found.append(breach)
    return found


def _of_family(family: str, name: str, ask: Callable[[str], object]) -> Breach | None:
    try:
        ask(family)
    except Broken as broken:
        return Breach(name, "", str(broken), 0)
    except Exception as error:  # whatever the code of a family may raise
        return Breach(name, "", raised(error, games.folder(family)), 0)
    return None


def _of_ruleset(ruleset: Ruleset, seeds: int) -> Iterator[Breach]:
    """Yield the first breach of each law; what was found already is not told again."""
    findings: set[str] = set()
    subjects = [Subject(ruleset, seed) for seed in range(seeds)]
    for one in RULESETS:
        assert one.ask is not None
        breaches = (subject.breach(one.name, one.ask) for subject in subjects)
        if (found := next((breach for breach in breaches if breach), None)) and found.finding not in findings:
            findings.add(found.finding)
            yield found
            if found.moves is None:
                return  # it does not get as far as a position: all other laws would say the same


def _differing(compiled: list[str], plain: list[str]) -> Iterator[Breach]:
    for one, other in zip(compiled, plain, strict=True):
        if one != other:
            ruleset, player, column, _ = one.split(" ", 3)
            text = tr("{column} differs for the same games: does a number overflow its type?", column=column)
            yield Breach("machine_code", ruleset, text, 0, f"{player} {player}")
            return


def _asked_without_machine_code(family: str, asked: Sequence[Ruleset]) -> tuple[list[Breach], list[str]]:
    """Return the breaches that a process without machine code finds, and the games that it plays."""
    package = str(Path(workbench.__file__).resolve().parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    # Not safe would be the working folder among those that modules are imported from.
    more = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", "NUMBA_DISABLE_JIT": "1"}
    names = [ruleset.name for ruleset in asked]
    done = subprocess.run(
        [sys.executable, "-m", __name__, *names],
        env=os.environ | more, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    answered = next((line for line in done.stdout.splitlines() if line.startswith(MARKER)), "")
    if not answered:
        last = done.stderr.strip().splitlines()[-1:] or [tr("exit code {returncode}", returncode=done.returncode)]
        return [Breach("complete", "", tr("the process without compilation exited: {last}", last=last[0]), 0)], []
    answer = json.loads(answered.removeprefix(MARKER))
    return [_breach(one) for one in answer["breaches"]], answer["games"]


def _breach(plain: dict[str, Any]) -> Breach:
    return Breach(**plain | {"moves": None if plain["moves"] is None else tuple(plain["moves"])})


def main() -> None:
    """Prints, as JSON, what the rulesets of the command line break without machine code, and short games of them."""
    asked = [rulesets.load_ruleset(name) for name in sys.argv[1:]]
    watch(asked[0].game)
    breaches = [breach for ruleset in asked for breach in _of_ruleset(ruleset, 1)]
    lines = [] if breaches else [line for ruleset in asked for line in positions.short_games(Subject(ruleset), True)]
    print(MARKER + json.dumps({"breaches": [dataclasses.asdict(breach) for breach in breaches], "games": lines}))


if __name__ == "__main__":
    main()
