"""Keys of the files that people write: each is declared once, and checks, defaults, JSON Schema and help follow.

A class that is read from a file declares its keys as fields of a dataclass, with `key`: a field has its type, and its
`Key` says what a file may write for it (a `Kind`), what stands where it writes nothing, what it means, and an example.

This is our own, and not pydantic, for what messages are for: they tell all that is wrong with a file at once, in its
own lines and words. Pydantic makes a model only of a file in which every value is right, while here a wrong title must
not hide a feature that the games of the rulesets do not have; it knows neither lines nor the text as it was written
(``2e3``, ``007``); each of its messages would be worded anew; and importing it takes longer than checking a file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Protocol

from workbench.errors import Problem, guess
from workbench.files.yamlfile import Node, parse_scalar
from workbench.language import OR, tr

_GROUPED = re.compile("[1-9][0-9]{0,2}(_[0-9]{3}){1,9}")
"""A whole number whose digits are in groups of three."""

ALWAYS, IF_SET, NEVER = "always", "if set", "never"
"""When a key is recorded with results: whatever its value, only where it is not the default, or not under its name."""


class Kind(Protocol):
    """What a file may write for a key."""

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """The value that is written; None, and a problem, if it is wrong."""

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, but for the description and the default."""


@dataclass(frozen=True)
class Key:
    """A key of a file: all that is known of it."""

    name: str
    kind: Kind
    sentence: str
    """What it means."""
    example: Any
    default: Any = None
    """What holds where the file does not say."""
    required: bool = False
    instead: str = ""
    """For a required key, another one that will do."""
    recorded: str = NEVER

    def missing(self, file: str, line: int) -> Problem:
        """The problem of a file that does not have the key."""
        example = self.example if isinstance(self.example, str) else yaml_flow(self.example)
        hint = tr("for instance '{key}: {example}'", key=self.name, example=example)
        return Problem(file, line, self.name, tr("expected this key, found none"), hint)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value."""
        shown = self.default not in (None, "") and isinstance(self.default, int | float | str)
        return {"description": self.sentence, **self.kind.schema(), **({"default": self.default} if shown else {})}


def key(
    kind: Kind,
    sentence: str,
    example: Any,
    *,
    name: str = "",
    default: Any = None,
    required: bool = False,
    instead: str = "",
    recorded: str = NEVER,
) -> Any:
    """A field of a dataclass that a file may set; see `Key`. The key has the field's name, if no other is given."""
    declared = Key(name, kind, sentence, example, default, required, instead, recorded)
    if isinstance(default, Mapping):
        return field(default_factory=dict, metadata={"key": declared})
    return field(default=MISSING if required and default is None else default, metadata={"key": declared})


def keys_of(model: type) -> dict[str, Key]:
    """The keys that the fields of a dataclass declare, by the name of the field."""
    declared = {each.name: each.metadata["key"] for each in fields(model) if "key" in each.metadata}
    return {name: replace(one, name=one.name or name) for name, one in declared.items()}


def yaml_flow(value: Any) -> str:
    """Plain data as a line of YAML.

    >>> yaml_flow([["random", "greedy"], {"draw_rate": "<0.05"}, 3])
    '[[random, greedy], {draw_rate: "<0.05"}, 3]'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {yaml_flow(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(yaml_flow(inner) for inner in value) + "]"
    if isinstance(value, str):
        plain = re.fullmatch(r"[^\W\d]([\w/+ .-]*[\w?])?", value) and isinstance(parse_scalar(value), str)
        return value if plain else json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value)


# What a file may write


@dataclass(frozen=True)
class DeferredValue:
    """A value whose meaning depends on other keys: it is kept as it stands in the file, to be read with them."""

    rule: Callable[[], dict[str, Any]]
    """Makes its JSON Schema."""

    def read(self, node: Node, problems: list[Problem]) -> Node:
        """The node itself."""
        return node

    def schema(self) -> dict[str, Any]:
        """The rule."""
        return self.rule()


@dataclass(frozen=True)
class Text:
    """A line of text; line breaks become spaces."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """The text; a number is one, too, as it is written."""
        if node.is_scalar and not isinstance(node.value, bool) and node.text.strip():
            return " ".join(node.text.split())
        problems.append(node.problem(tr("expected text, found {found}", found=node.describe())))
        return None

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Number:
    """A number of a range."""

    low: float
    high: float
    what: str = ""
    """What it is, for messages, such as ``a share``; a number if left out."""
    whole: bool = False

    def read(self, node: Node, problems: list[Problem]) -> int | float | None:
        """The number; a whole one is an int, any other a float."""
        what = self.what or (tr("a whole number") if self.whole else tr("a number"))
        return read_number(
            node,
            self.low,
            self.high,
            self.whole,
            tr("{kind} from {low} to {high}", kind=what, low=self.low, high=self.high),
            problems,
        )

    def schema(self) -> dict[str, Any]:
        """The range."""
        return number_schema(self.low, self.high, self.whole)


@dataclass(frozen=True)
class Boolean:
    """Yes or no."""

    def read(self, node: Node, problems: list[Problem]) -> bool | None:
        """Which of the two."""
        if node.is_scalar and isinstance(node.value, bool):
            return node.value
        problems.append(node.problem(tr("expected true or false, found {found}", found=node.describe())))
        return None

    def schema(self) -> dict[str, Any]:
        """Either."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class OneOf:
    """One of some names."""

    names: tuple[str, ...]
    what: str = ""
    """What they name, for messages, where they are too many to be listed."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """The name."""
        if node.is_scalar and node.text in self.names:
            return node.text
        hint = guess(node.text, self.names) if node.is_scalar else ""
        problems.append(
            node.problem(
                tr(
                    "expected {expected}, found {found}",
                    expected=self.what or OR.join(self.names),
                    found=node.describe(),
                ),
                hint,
            )
        )
        return None

    def schema(self) -> dict[str, Any]:
        """The names."""
        return {"enum": list(self.names)}


@dataclass(frozen=True)
class OneOrMore:
    """One of something, or a list of several."""

    one: Kind
    what: str
    """What one is, such as "a budget"."""

    def read(self, node: Node, problems: list[Problem]) -> tuple[Any, ...] | None:
        """Those of the list that are right, each once."""
        items = node.value if isinstance(node.value, tuple) else (node,)
        found = [self.one.read(item, problems) for item in items]
        known = tuple(each for each in found if each is not None)
        if not items or len(set(known)) < len(known):
            problems.append(
                node.problem(
                    tr(
                        "expected {expected}, or a list of them, each once, found {found}",
                        expected=self.what,
                        found=node.describe(),
                    )
                )
            )
            return None
        return known if len(known) == len(items) else None

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        one = self.one.schema()
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}]}


@dataclass(frozen=True)
class ListOf:
    """A list with at least one item."""

    what: str
    """The items, in the plural."""
    items: Kind
    once: str = ""
    """The item, in the singular, where each may stand only once; else others see to that."""

    def read(self, node: Node, problems: list[Problem]) -> tuple[Any, ...] | None:
        """The items that are right."""
        if not isinstance(node.value, tuple):
            problems.append(
                node.problem(
                    tr("expected a list of {expected}, found {found}", expected=self.what, found=node.describe())
                )
            )
            return None
        if not node.value:
            problems.append(
                node.problem(tr("expected at least one of the {expected}, found an empty list", expected=self.what))
            )
        values: list[Any] = []
        for item in node.value:
            value = self.items.read(item, problems)
            if self.once and value is not None and value in values:
                problems.append(
                    item.problem(tr("expected each {once} once, found {item} again", once=self.once, item=item.text))
                )
            elif value is not None:
                values.append(value)
        return tuple(values)

    def schema(self) -> dict[str, Any]:
        """The list."""
        return {"type": "array", "minItems": 1, "items": self.items.schema(), "uniqueItems": True}


@dataclass(frozen=True)
class MappingOf:
    """A mapping with certain keys."""

    what: str
    """What the keys are of, for messages, such as ``published``."""
    keys: Mapping[str, Key]
    make: Callable[..., Any] = dict
    """Makes a value of those of the keys, by their names."""

    def values(self, node: Node, problems: list[Problem]) -> dict[str, Any]:
        """The values that are right, by the names of the keys."""
        if not isinstance(node.value, dict):
            required = {name: each.example for name, each in self.keys.items() if each.required}
            hint = tr("for instance {example}", example=yaml_flow(required)) if required else ""
            problems.append(
                node.problem(
                    tr("expected keys of {owner}, found {found}", owner=self.what, found=node.describe()), hint
                )
            )
            return {}
        problems += unknown_key_problems(node.value, self.keys, self.what)
        values = {}
        for name, declared in self.keys.items():
            if name in node.value:
                values[name] = declared.kind.read(node.value[name], problems)
            elif declared.required:
                problems.append(
                    node.problem(tr("expected {name}, found none", name=name), declared.missing("", 0).hint)
                )
        return {name: value for name, value in values.items() if value is not None}

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """What is made of the values; None where a required one is not among them."""
        values = self.values(node, problems)
        required = {name for name, each in self.keys.items() if each.required}
        return self.make(**values) if required <= set(values) else None

    def schema(self) -> dict[str, Any]:
        """The keys."""
        required = [name for name, declared in self.keys.items() if declared.required]
        return {
            "type": "object",
            "additionalProperties": False,
            **({"required": required} if required else {"minProperties": 1}),
            "properties": {name: declared.schema() for name, declared in self.keys.items()},
        }


def without_groups(value: Any) -> Any:
    """A value of a file; the number, of text that writes a whole one with its digits in groups: ``10_000``."""
    return int(value) if isinstance(value, str) and _GROUPED.fullmatch(value) else value


def read_number(
    node: Node, low: float, high: float, whole: bool, expected: str, problems: list[Problem]
) -> int | float | None:
    """The number that a value of a file is, from ``low`` to ``high``; or None and a problem.

    Where a whole number is expected, its digits may be in groups of three: ``10_000``. To YAML 1.2 that is text.
    """
    value = without_groups(node.value) if whole else node.value
    right = isinstance(value, int | float) and not isinstance(value, bool) and not (whole and isinstance(value, float))
    if isinstance(value, int | float) and right and math.isfinite(value) and low <= value <= high:
        return value if whole else float(value)
    problems.append(node.problem(tr("expected {expected}, found {found}", expected=expected, found=node.describe())))
    return None


def number_schema(low: float, high: float, whole: bool) -> dict[str, Any]:
    """The JSON Schema of what `read_number` reads; to an editor ``10_000`` is text, which is right where it is long."""
    limits = {"minimum": low, "maximum": high}
    if not whole:
        return {"type": "number", **limits}
    if high < 1000:
        return {"type": "integer", **limits}
    return {"type": ["integer", "string"], **limits, "pattern": f"^{_GROUPED.pattern}$"}


def unknown_key_problems(entries: Mapping[str, Node], known: Iterable[str], what: str) -> list[Problem]:
    """The problems of keys that ``what``, such as ``an experiment``, does not have."""
    known = list(known)
    return [
        node.problem(
            tr("expected a key of {owner}, found the unknown key '{name}'", owner=what, name=name), guess(name, known)
        )
        for name, node in entries.items()
        if name not in known
    ]
