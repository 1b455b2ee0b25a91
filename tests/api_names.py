"""The interface for programs as text, every promised name with its signature: ``python -m tests.api_names``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

import workbench

SAME_FOR_ALL = {"with_traceback", "add_note", "args", "count", "index"}
"""Members that every exception or tuple has."""
OURS = {
    "Ruleset": {"codes", "contents", "from_provenance", "known", "own", "parents", "path", "project", "rules"},
    **{name: {"exit_code"} for name in ("IllegalMove", "InputError", "Stopped", "WorkbenchError")},
}
"""Members that the workbench itself needs, and that are not promised."""


def listing() -> Iterator[str]:
    """A line for each name, and for each public member of a class or module."""
    for name in sorted(workbench.__all__, key=str.casefold):
        value = getattr(workbench, name)
        if inspect.isclass(value):
            bases = ", ".join(base.__name__ for base in value.__bases__ if base.__name__ != "object")
            yield f"class {name}({bases})"
            yield from (f"  {line}" for line in _members(value, OURS.get(name, set())))
        elif isinstance(value, ModuleType) and not callable(value):
            yield f"module {name}"
            yield from (f"  {each}{_signature(getattr(value, each))}" for each in sorted(value.__all__))
        elif callable(value):
            yield f"{name}{_signature(value)}"
        else:
            yield name


def _members(kind: type, ours: set[str]) -> Iterator[str]:
    own = vars(kind).get("__init__")
    fields = [each.name for each in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    # What is made of fields comes from functions; nobody else makes it.
    if own is not None and not fields and not issubclass(kind, BaseException):
        yield f"__init__{_signature(own)}"
    names = {name for one in kind.__mro__ if one.__module__.startswith("workbench") for name in vars(one)}
    for name in sorted((names | set(fields)) - SAME_FOR_ALL - ours):
        if name.startswith("_"):
            continue
        member = inspect.getattr_static(kind, name, None)
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        yield f"{name}{_signature(member)}" if inspect.isfunction(member) else name


def _signature(function: object) -> str:
    assert callable(function)
    # Annotations are texts.
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))


if __name__ == "__main__":
    print("\n".join(listing()))
