"""Keys of the files that users write: one declaration each for validation, default, JSON Schema and help.

A class that is read from a file declares its keys as fields of a dataclass, by `key`. A `Key` has the permitted values
(a `Kind`), the default, a sentence and an example.

Pydantic does not fit. Its models require that every value is valid, while here an invalid title must not hide other
mistakes; it knows neither lines nor the text as written (``2e3``, ``007``); each of its messages would need rewording;
and importing it takes longer than checking a file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Protocol

from workbench.base.errors import NONE, Problem, expected, guess
from workbench.base.language import OR, tr
from workbench.base.yamlfile import Node, parse_scalar

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_GROUPED = re.compile("[1-9][0-9]{0,2}(_[0-9]{3}){1,9}")
"""A whole number with its digits in groups of three."""

ALWAYS, IF_SET, NEVER = "always", "if set", "never"
"""Conditions for recording a key with the results: always, if it is set, or never under its own name."""


class Kind(Protocol):
    """The permitted values of a key."""

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """Return the value of a node; if it is invalid, append a problem and return None."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values, without description and default."""


@dataclass(frozen=True)
class Key:
    """The declaration of a key."""

    name: str
    kind: Kind
    sentence: str
    """Its meaning."""
    example: Any
    default: Any = None
    """The value of a missing key."""
    required: bool = False
    instead: str = ""
    """Another key that replaces a required one."""
    recorded: str = NEVER

    def missing(self, owner: Node) -> Problem:
        """Return the problem that the key is missing."""
        example = self.example if isinstance(self.example, str) else yaml_flow(self.example)
        hint = tr("for example '{key}: {example}'", key=self.name, example=example)
        place = f"{owner.key}.{self.name}" if owner.key else self.name
        return Problem(owner.file, owner.line or None, place, expected(tr("this key"), NONE), hint)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the key's value."""
        is_plain = self.default not in (None, "") and isinstance(self.default, int | float | str)
        return {"description": self.sentence, **self.kind.schema(), **({"default": self.default} if is_plain else {})}


def key(
    kind: Kind, sentence: str, example: Any, *, name: str = "", default: Any = None, required: bool = False,
    instead: str = "", recorded: str = NEVER,
) -> Any:  # fmt: skip
    """Declare a field of a dataclass as a key named after the field by default; see `Key`."""
    declared = Key(name, kind, sentence, example, default, required, instead, recorded)
    if isinstance(default, Mapping):
        return field(default_factory=dict, metadata={"key": declared})
    return field(default=MISSING if required and default is None else default, metadata={"key": declared})


def key_map(model: type) -> dict[str, Key]:
    """Return the keys declared by the fields of a dataclass, by field name."""
    declared = {member.name: member.metadata["key"] for member in fields(model) if "key" in member.metadata}
    return {name: replace(entry, name=entry.name or name) for name, entry in declared.items()}


def yaml_flow(value: Any) -> str:
    """Return plain data as one line of YAML.

    >>> yaml_flow([["random", "greedy"], {"draw_rate": "<0.05"}, 3])
    '[[random, greedy], {draw_rate: "<0.05"}, 3]'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {yaml_flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(yaml_flow(item) for item in value) + "]"
    if isinstance(value, str):
        plain = re.fullmatch(r"[^\W\d]([\w/+ .-]*[\w?])?", value) and isinstance(parse_scalar(value), str)
        return value if plain else json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value)


# Kinds of values


@dataclass(frozen=True)
class DeferredValue:
    """A value whose meaning depends on other keys, and which is therefore read later."""

    rule: Callable[[], dict[str, Any]]
    """Returns its JSON Schema."""

    def read(self, node: Node, problems: list[Problem]) -> Node:
        """Return the node itself."""
        return node

    def schema(self) -> dict[str, Any]:
        """Return the schema given by the rule."""
        return self.rule()


@dataclass(frozen=True)
class Text:
    """A line of text; line breaks become spaces."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the text; a number is returned as written."""
        if node.is_scalar and not isinstance(node.value, bool) and node.text.strip():
            return " ".join(node.text.split())
        problems.append(node.expected(tr("text")))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a string or a number."""
        return {"type": ["string", "number"], "minLength": 1}


@dataclass(frozen=True)
class Number:
    """A number within a range."""

    low: float
    high: float
    what: str = ""
    """A noun for messages, such as ``a share``; by default "a number"."""
    whole: bool = False
    expected: str = ""
    """A description of the range that replaces the usual one."""

    def read(self, node: Node, problems: list[Problem]) -> int | float | None:
        """Return an int if a whole number is required, otherwise a float.

        Digits of a whole number may be grouped, as in ``10_000``, which YAML 1.2 reads as text.
        """
        value = without_groups(node.value) if self.whole else node.value
        allowed = int if self.whole else (int, float)
        if (
            isinstance(value, allowed)
            and type(value) is not bool
            and math.isfinite(value)
            and self.low <= value <= self.high
        ):
            return value if self.whole else float(value)
        kind = self.what or (tr("a whole number") if self.whole else tr("a number"))
        expectation = self.expected or tr("{kind} from {low} to {high}", kind=kind, low=self.low, high=self.high)
        problems.append(node.expected(expectation))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of the range; it allows text, as editors read ``10_000`` as text."""
        limits = {"minimum": self.low, "maximum": self.high}
        if not self.whole:
            return {"type": "number", **limits}
        if self.high < 1000:
            return {"type": "integer", **limits}
        return {"type": ["integer", "string"], **limits, "pattern": f"^{_GROUPED.pattern}$"}


@dataclass(frozen=True)
class Word:
    """One or several words, such as a name."""

    what: str
    longest: int | None = None

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the words without surrounding spaces."""
        name = node.text.strip() if node.is_scalar else ""
        if name and (self.longest is None or (len(name) <= self.longest and not CONTROL.search(name))):
            return name
        problems.append(node.expected(self.what))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a string of limited length."""
        return {"type": "string", "minLength": 1, **({"maxLength": self.longest} if self.longest else {})}


@dataclass(frozen=True)
class Boolean:
    """True or false."""

    def read(self, node: Node, problems: list[Problem]) -> bool | None:
        """Return the truth value."""
        if isinstance(node.value, bool):
            return node.value
        problems.append(node.expected(tr("true or false")))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class OneOf:
    """One of several names."""

    names: tuple[str, ...]
    what: str = ""
    """A noun for messages if there are too many names to list."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the name."""
        if node.is_scalar and node.text in self.names:
            return node.text
        hint = guess(node.text, self.names) if node.is_scalar else ""
        problems.append(node.expected(self.what or OR.join(self.names), hint))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema that lists the names."""
        return {"enum": list(self.names)}


@dataclass(frozen=True)
class OneOrMore:
    """One value, or a list of distinct values."""

    item: Kind
    what: str
    """A noun for a single value, such as "a budget"."""

    def read(self, node: Node, problems: list[Problem]) -> tuple[Any, ...] | None:
        """Return the values; if any is invalid, append a problem for each and return None."""
        items = node.value if isinstance(node.value, tuple) else (node,)
        values = tuple(value for item in items if (value := self.item.read(item, problems)) is not None)
        if not items or len(set(values)) < len(values):
            problems.append(node.expected(tr("{expected}, or a list without duplicates", expected=self.what)))
            return None
        return values if len(values) == len(items) else None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a single value or a list."""
        item = self.item.schema()
        return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1, "uniqueItems": True}]}


@dataclass(frozen=True)
class ListOf:
    """A list with at least one item."""

    what: str
    """A noun for the items, in the plural."""
    items: Kind
    once: str = ""
    """A noun for one item, if duplicates are not allowed."""

    def read(self, node: Node, problems: list[Problem]) -> tuple[Any, ...] | None:
        """Return the valid items."""
        if not isinstance(node.value, tuple):
            problems.append(node.expected(tr("a list of {expected}", expected=self.what)))
            return None
        if not node.value:
            problems.append(node.expected(tr("at least one item in the list of {expected}", expected=self.what)))
        values: list[Any] = []
        for item in node.value:
            value = self.items.read(item, problems)
            if self.once and value is not None and value in values:
                problems.append(item.repeated(self.once))
            elif value is not None:
                values.append(value)
        return tuple(values)

    def schema(self) -> dict[str, Any]:
        """Return the schema of the list."""
        return {"type": "array", "minItems": 1, "items": self.items.schema(), "uniqueItems": True}


@dataclass(frozen=True)
class MappingOf:
    """A mapping with declared keys."""

    what: str
    """The owner of the keys, for messages, such as ``published``."""
    keys: Mapping[str, Key]
    make: Callable[..., Any] = dict
    """Builds the result from the values by key name."""

    def values(self, node: Node, problems: list[Problem]) -> dict[str, Any]:
        """Return the valid values by key name."""
        if not isinstance(node.value, dict):
            required = {name: key.example for name, key in self.keys.items() if key.required}
            hint = tr("for instance {example}", example=yaml_flow(required)) if required else ""
            problems.append(node.expected(tr("keys of {owner}", owner=self.what), hint))
            return {}
        return {
            name: value for name, value in read_keys(node, self.keys, self.what, problems).items() if value is not None
        }

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """Return the result built from the keys, or None if a required one is missing or invalid."""
        values = self.values(node, problems)
        required = {name for name, key in self.keys.items() if key.required}
        return self.make(**values) if required <= set(values) else None

    def schema(self) -> dict[str, Any]:
        """Return the schema of the mapping and its keys."""
        required = [name for name, declared in self.keys.items() if declared.required]
        return {
            "type": "object",
            "additionalProperties": False,
            **({"required": required} if required else {"minProperties": 1}),
            "properties": {name: declared.schema() for name, declared in self.keys.items()},
        }


@dataclass(frozen=True)
class ByName:
    """A mapping of names to values of one kind."""

    what: str
    """For messages, such as ``weights such as {price: 0.4}``."""
    values: Kind
    known: Collection[str] = ()
    """The permitted names, if restricted."""
    known_as: str = ""
    """A noun for these names, for messages."""

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Any] | None:
        """Return the valid values."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(self.what))
            return None
        values = {}
        for name, entry in node.value.items():
            if self.known and name not in self.known:
                problems.append(entry.unknown(self.known_as, name, self.known))
            elif (value := self.values.read(entry, problems)) is not None:
                values[name] = value
        return values

    def schema(self) -> dict[str, Any]:
        """Return the schema of a mapping to values of one kind."""
        return {"type": "object", "additionalProperties": self.values.schema()}


def read_keys(node: Node, keys: Mapping[str, Key], owner: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the values of a mapping by field name, None for missing and invalid ones; ``owner`` is for messages."""
    assert isinstance(node.value, dict)
    problems += unknown_key_problems(node.value, [declared.name for declared in keys.values()], owner)
    values = {}
    for name, declared in keys.items():
        value_node = node.value.get(declared.name)
        values[name] = None if value_node is None else declared.kind.read(value_node, problems)
        if value_node is None and declared.required and declared.instead not in node.value:
            problems.append(declared.missing(node))
    return values


def read_file(root: Node, keys: Mapping[str, Key], owner: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the values of a whole file; missing and invalid ones get their defaults so that checking can continue."""
    values = read_keys(root, keys, owner, problems)
    for name, declared in keys.items():
        if values[name] is None:
            required = declared.required and isinstance(declared.kind, Number)
            values[name] = declared.kind.low if required else declared.default  # type: ignore[attr-defined]
    return values


def without_groups(value: Any) -> Any:
    """Return text with grouped digits, such as ``10_000``, as a number; any other value is returned unchanged."""
    return int(value) if isinstance(value, str) and _GROUPED.fullmatch(value) else value


def unknown_key_problems(entries: Mapping[str, Node], known: Iterable[str], owner: str) -> list[Problem]:
    """Return a problem for each key that is not ``known``; ``owner`` is a noun such as ``an experiment``."""
    known, expectation = list(known), tr("a key of {owner}", owner=owner)
    return [node.unknown_key(expectation, name, known) for name, node in entries.items() if name not in known]
