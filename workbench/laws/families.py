"""Laws of a family's files: its declaration, its kernel and its notation, whatever the ruleset."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import numpy as np
from scipy.stats import chisquare

from workbench import games
from workbench.engine import contract, jit, trials
from workbench.errors import text_of
from workbench.games.declared import mistake
from workbench.games.game_state import IllegalMove
from workbench.language import join, tr
from workbench.laws import answers
from workbench.laws.subject import Broken, Subject
from workbench.questions.witnesses import family_witnesses

LEFT_OUT = {
    "count_moves", "has_move", "preferred", "gain", "followed_moves", "quiet", "pack", "unpack", "repetition_draws",
}  # fmt: skip
"""Functions of a kernel for which the engine has a stand-in."""
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
    for name in ("kernel.py", "notation.py"):
        if not (games.folder(family) / name).is_file():
            raise Broken(tr("{place} has no {path}", place=games.folder(family).name, path=name))
    try:
        kernel, notation = games.kernel(family), games.notation(family)
    except AttributeError as error:
        # The kernel asks for some of its functions at its own end.
        if isinstance(error.obj, ModuleType) and error.obj.__name__.endswith(".kernel"):
            answers.signatures_fit(error.obj, answers.KERNEL, LEFT_OUT)
        raise
    if getattr(kernel, "Rules", None) not in contract.KERNELS:
        raise Broken(tr("kernel.py does not end with implement(Rules, …)"))
    answers.signatures_fit(kernel, answers.KERNEL, LEFT_OUT)
    answers.signatures_fit(notation, answers.NOTATION)


def witnesses_show_it(family: str) -> None:
    """Each witness can be played, and there is what it expects."""
    for witness in family_witnesses(family):
        about = tr("the witness of {witness}", witness=str(witness))
        try:
            game_state = witness.game_state(family, witness.value)
        except IllegalMove as error:
            raise Broken(join(": ", (about, text_of(error)))) from None
        wrong = [move for move in witness.expect.get("legal", ()) if game_state.why_not(move)]
        wrong += [move for move in witness.expect.get("illegal", ()) if not game_state.why_not(move)]
        if wrong:
            raise Broken(tr("{about} expects what does not hold: {wrong}", about=about, wrong=", ".join(wrong)))


def imports_are_few(family: str) -> None:
    """A kernel imports the engine, the declaration and NumPy alone, a declaration the standard library.

    By these files their machine code is kept: what else they imported could change and leave it as it is.
    """
    package = f"{games.__name__}.{family}"
    for file in sorted(games.folder(family).glob("*.py")):
        tree, compiled = ast.parse(file.read_bytes(), str(file)), file.name.startswith("kernel")
        if not compiled and file.name != "rules.py":
            continue
        for line, module in _imported(tree, package):
            of_family = module.removeprefix(f"{package}.") if module.startswith(f"{package}.") else ""
            fine = module.partition(".")[0] in sys.stdlib_module_names or module in LIGHT
            if compiled:
                fine |= module.partition(".")[0] == "numpy" or module.startswith("workbench.engine.")
                fine |= of_family == "rules" or of_family.startswith("kernel")
            elif not fine and family in games.shipped():
                fine = of_family != ""
            if not fine:
                said = tr(
                    "{file}, line {line}: {module} cannot be imported there", file=file.name, line=line, module=module
                )
                raise Broken(said)


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
    if said := mistake(declaration, games.folder(family) / "rules.py"):
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
                raise Broken(tr("sample_move does not draw all moves equally often (p = {p:.1e})", p=p))
            tested += 1
    return tested
