"""Validation of positions entered by hand, field by field, for each family's `set_up`.

A family defines the fields of its positions. `read` returns their values or reports all problems at once; the values
can be written into a kernel's state without further checks.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import expected
from workbench.base.language import OR, SEMICOLON, join, tr

REQUIRED = object()
"""The default of a required field."""


@dataclass(frozen=True)
class Field:
    """A field of a position, with a description and a test of its allowed values."""

    description: str
    fits: Callable[[Any], bool]
    default: Any = REQUIRED


def words(description: str = "text", default: Any = REQUIRED) -> Field:
    """Return a field for text."""
    return Field(description, lambda value: isinstance(value, str), default)


def whole(low: int, high: int, default: Any = REQUIRED) -> Field:
    """Return a field for a whole number from ``low`` to ``high``."""

    def fits(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return Field(tr("a whole number from {low} to {high}", low=low, high=high), fits, default)


def truth(default: Any = REQUIRED) -> Field:
    """Return a field for true or false."""
    return Field(tr("true or false"), lambda value: isinstance(value, bool), default)


def one_of(names: tuple[str, ...], default: Any = REQUIRED) -> Field:
    """Return a field for one of several names."""
    return Field(OR.join(name or '""' for name in names), lambda value: value in names, default)


def several(element: Field, limit: int, default: Any = REQUIRED) -> Field:
    """Return a field for a list of at most ``limit`` elements."""

    def fits(value: Any) -> bool:
        return isinstance(value, list | tuple) and len(value) <= limit and all(map(element.fits, value))

    return Field(tr("a list of at most {most} items, each {what}", most=limit, what=element.description), fits, default)


def each(element: Field, count: int, default: Any = REQUIRED) -> Field:
    """Return a field for a list of exactly ``count`` elements."""

    def fits(value: Any) -> bool:
        return isinstance(value, list | tuple) and len(value) == count and all(map(element.fits, value))

    return Field(tr("a list of {count} items, each {what}", count=count, what=element.description), fits, default)


def by_name(names: tuple[str, ...], element: Field, default: Any = REQUIRED) -> Field:
    """Return a field for a mapping whose keys are some of ``names`` and whose values are elements."""

    def fits(value: Any) -> bool:
        return isinstance(value, Mapping) and all(name in names and element.fits(value[name]) for name in value)

    description = tr("any of {names}, each with {what}", names=", ".join(names), what=element.description)
    return Field(description, fits, default)


def read(setup: Mapping[str, Any], **fields: Field) -> dict[str, Any]:
    """Return the value of every field; missing and empty fields get their defaults.

    Raises:
        ValueError: the setup is invalid; the message lists all problems.
    """
    problems = []
    for name in setup:
        if name not in fields:
            similar = difflib.get_close_matches(str(name), fields, n=1)
            hint = tr(" (did you mean '{near}'?)", near=similar[0]) if similar else ""
            problems.append(
                expected(", ".join(fields), tr("the unknown key {name}{hint}", name=shortened(name), hint=hint))
            )
    values = {}
    for name, field in fields.items():
        value = setup.get(name)
        if value is None:
            values[name] = field.default
            if field.default is REQUIRED:
                problems.append(join(": ", (name, expected(field.description, tr("nothing")))))
        elif field.fits(value):
            values[name] = value
        else:
            problems.append(join(": ", (name, expected(field.description, shortened(value)))))
    if problems:
        raise ValueError(join(SEMICOLON, problems))
    return values


def shortened(value: Any) -> str:
    """Return a value in a short form for messages."""
    text = f"'{value}'" if isinstance(value, str) else tr("a mapping") if isinstance(value, Mapping) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
