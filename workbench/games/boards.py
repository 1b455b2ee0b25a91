"""Validation of positions entered by hand, field by field, for the `set_up` of every family.

A family defines the fields of its positions; `read` returns their values or reports all problems at once. The values
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
    """The allowed values of a field."""

    what: str
    fits: Callable[[Any], bool]
    default: Any = REQUIRED


def words(what: str = "text", default: Any = REQUIRED) -> Field:
    """Return a field for text."""
    return Field(what, lambda value: isinstance(value, str), default)


def whole(low: int, high: int, default: Any = REQUIRED) -> Field:
    """Return a field for an integer from ``low`` to ``high``."""

    def fits(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return Field(tr("a whole number from {low} to {high}", low=low, high=high), fits, default)


def truth(default: Any = REQUIRED) -> Field:
    """Return a field for true or false."""
    return Field(tr("true or false"), lambda value: isinstance(value, bool), default)


def one_of(names: tuple[str, ...], default: Any = REQUIRED) -> Field:
    """Return a field for one of several names."""
    return Field(OR.join(name or '""' for name in names), lambda value: value in names, default)


def several(of: Field, most: int, default: Any = REQUIRED) -> Field:
    """Return a field for a list of at most ``most`` values."""

    def fits(value: Any) -> bool:
        return isinstance(value, list | tuple) and len(value) <= most and all(map(of.fits, value))

    return Field(tr("a list of at most {most}, each {what}", most=most, what=of.what), fits, default)


def each(of: Field, count: int, default: Any = REQUIRED) -> Field:
    """Return a field for a list of exactly ``count`` values."""

    def fits(value: Any) -> bool:
        return isinstance(value, list | tuple) and len(value) == count and all(map(of.fits, value))

    return Field(tr("a list of {count}, each {what}", count=count, what=of.what), fits, default)


def by_name(names: tuple[str, ...], of: Field, default: Any = REQUIRED) -> Field:
    """Return a field for a mapping from some of the names to values."""

    def fits(value: Any) -> bool:
        return isinstance(value, Mapping) and all(name in names and of.fits(value[name]) for name in value)

    what = tr("some of {names}, each with {what}", names=", ".join(names), what=of.what)
    return Field(what, fits, default)


def read(setup: Mapping[str, Any], **fields: Field) -> dict[str, Any]:
    """Return the value of every field; missing and empty fields get their defaults.

    Raises:
        ValueError: all that is wrong, in words.
    """
    wrong = []
    for name in setup:
        if name not in fields:
            near = difflib.get_close_matches(str(name), fields, n=1)
            hint = tr(" (did you mean '{near}'?)", near=near[0]) if near else ""
            wrong.append(
                expected(", ".join(fields), tr("the unknown key {name}{hint}", name=shortened(name), hint=hint))
            )
    values = {}
    for name, field in fields.items():
        value = setup.get(name)
        if value is None:
            values[name] = field.default
            if field.default is REQUIRED:
                wrong.append(join(": ", (name, expected(field.what, tr("nothing")))))
        elif field.fits(value):
            values[name] = value
        else:
            wrong.append(join(": ", (name, expected(field.what, shortened(value)))))
    if wrong:
        raise ValueError(join(SEMICOLON, wrong))
    return values


def shortened(value: Any) -> str:
    """Return a value in short form for a message."""
    text = f"'{value}'" if isinstance(value, str) else tr("a mapping") if isinstance(value, Mapping) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
