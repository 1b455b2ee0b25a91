"""Docstrings name what exists: errors under ``Raises:``, names in single backticks, functions that are called."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "workbench"
IN_BACKTICKS = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")
RAISED = re.compile(r"^ {4,}([A-Z][\w.]*(?:, [A-Z][\w.]*)*): ", re.MULTILINE)
WITHOUT_CLAUSES = {
    "games": "*.py",
    **dict.fromkeys(("api", "base", "experiments", "players", "positions", "records"), "**/*.py"),
    **dict.fromkeys(("report", "rules", "runs", "statistics"), "**/*.py"),
    **{
        f"addons/{name}": "*.py"
        for name in ["bench", "conformance", "effects", "handicap", "ideas", "ladder", "search", "why"]
    },
}
"""Rooms, and their files, in which no docstring begins with a clause."""


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        for one in getattr(node, "body", []) if isinstance(getattr(node, "body", None), list) else []:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield one.lineno, one.value.value


def names(tree: ast.Module) -> Iterator[str]:
    """What the code of a module names: if it were not there, mypy would say so. First arguments name toggles."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.Call(args=[ast.Constant(value=str(name)), *_])
            ):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """Not with a clause: "The path of the file", not "Where the file is"."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {text.partition(chr(10))[0]}"
        for room, pattern in WITHOUT_CLAUSES.items()
        for path in sorted((PACKAGE / room).glob(pattern))
        for line, text in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if re.match("(What|Whether|Those|That|Who|Whoever|How) ", text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.thorough
def test_docstrings_name_what_exists() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    known = {"workbench", *dir(builtins), *(part for path in PACKAGE.rglob("*") for part in path.name.split("."))}
    known |= {name for tree in trees.values() for name in names(tree)}
    missing = []
    for path, tree in sorted(trees.items()):
        for line, text in docstrings(tree):
            raises = text.partition("Raises:")[2]
            said = [*IN_BACKTICKS.findall(text), *", ".join(RAISED.findall(raises)).split(", ")]
            unknown = [name for name in said if name and not known.issuperset(name.split("."))]
            missing += [f"{path.relative_to(PACKAGE)}:{line}: {name}" for name in unknown]
    assert not missing, "\n".join(missing)
