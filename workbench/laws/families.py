"""Laws of a family's files: its declaration, its kernel and its notation, whatever the ruleset."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import chisquare

from workbench import games
from workbench.engine import contract, jit, trials
from workbench.language import tr
from workbench.laws.subject import Broken, Subject

LEFT_OUT = {"count_moves", "has_move", "preferred", "gain", "followed_moves", "quiet", "pack", "unpack"}
"""Functions of a kernel for which the engine has a stand-in."""
NOTATION = ("format_move", "parse_move", "explain", "board", "set_up")
FIRST_CODE = 8
"""Of the endings that a family declares; those below are the engine's."""
LIGHT = (
    "workbench.language",
    "workbench.games.betza",
    "workbench.games.declaration",
    "workbench.games.drawings",
    "workbench.games.prices",
    "workbench.engine.folds",
)
"""What a declaration may import of the workbench: checking a ruleset starts no compiler."""


def files_are_complete(family: str) -> None:
    """The kernel and the notation have all their functions."""
    kernel, notation = games.kernel(family), games.notation(family)
    if getattr(kernel, "Rules", None) not in contract.KERNELS:
        raise Broken(tr("kernel.py does not end with implement(Rules, …)"))
    wanted = {contract.kernel_name(one) for one in contract.MACHINE_TYPES} | {"state_size", "max_moves"}
    for module, names in ((kernel, sorted(wanted - LEFT_OUT)), (notation, NOTATION)):
        missing = [name for name in names if not callable(getattr(module, name, None))]
        if missing:
            raise Broken(
                tr("{path} has no {missing}", path=Path(str(module.__file__)).name, missing=", ".join(missing))
            )


def imports_are_few(family: str) -> None:
    """A kernel imports the engine, the declaration and NumPy alone, a declaration the standard library.

    By these files their machine code is kept: what else they imported could change and leave it as it is.
    """
    package = f"{games.__name__}.{family}"
    for file in sorted(games.folder(family).glob("*.py")):
        compiled = file.name.startswith("kernel")
        if not compiled and file.name != "rules.py":
            continue
        for line, module in _imported(ast.parse(file.read_text(encoding="utf-8")), package):
            of_family = module.removeprefix(f"{package}.") if module.startswith(f"{package}.") else ""
            fine = module.partition(".")[0] in sys.stdlib_module_names or module in LIGHT
            if compiled:
                fine |= module.partition(".")[0] == "numpy" or module.startswith("workbench.engine.")
                fine |= of_family == "rules" or of_family.startswith("kernel")
            elif not fine and family in games.shipped():
                fine = of_family != ""
            if not fine:
                raise Broken(
                    tr(
                        "{file}, line {line}: {module} cannot be imported there",
                        file=file.name,
                        line=line,
                        module=module,
                    )
                )


def _imported(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    """The lines and names of the modules that a module of a package imports."""
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
    rules = trials.rules_of(family, declaration.codes(declaration.defaults()))
    for what, counted, declared in (
        ("features", contract.feature_count(rules), len(declaration.features)),
        ("events", contract.event_count(rules), len(declaration.events)),
    ):
        if counted != declared:
            raise Broken(
                tr(
                    "implement was told of {counted} {what}; the declaration has {declared}",
                    counted=counted,
                    what=what,
                    declared=declared,
                )
            )
    if low := [code for code in declaration.terminations if code < FIRST_CODE]:
        raise Broken(
            tr("the ending {low}: codes below {first_code} are the engine's", low=low[0], first_code=FIRST_CODE)
        )
    for toggle in declaration.toggles:
        if not toggle.name.isidentifier():
            raise Broken(tr("the toggle '{toggle}' needs a name of letters, digits and _", toggle=toggle.name))
        codes = [toggle.code(value.name) for value in toggle.values]
        if len(set(codes)) != len(codes):
            raise Broken(tr("two values of the toggle {toggle} have the same code", toggle=toggle.name))


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
                raise Broken(tr("sample_move does not draw all moves equally often (p = {p:.1e})", p=p))
            tested += 1
    return tested
