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
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Protocol

from workbench.base.errors import NONE, Problem, expected, guess
from workbench.base.language import OR, tr
from workbench.base.yamlfile import Node, parse_scalar

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_GROUPED = re.compile("[1-9][0-9]{0,2}(_[0-9]{3}){1,9}")
"""A whole number whose digits are in groups of three."""

ALWAYS, IF_SET, NEVER = "always", "if set", "never"
"""When a key is recorded with results: whatever its value, only where it is not the default, or not under its name."""


class Kind(Protocol):
    """The kind of values that a key may have."""

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """Return the value that is written; None, and a problem, if it is wrong."""

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, but for the description and the default."""


@dataclass(frozen=True)
class Key:
    """A key of a file: all that is known of it."""

    name: str
    kind: Kind
    sentence: str
    """Its meaning."""
    example: Any
    default: Any = None
    """The value where the file gives none."""
    required: bool = False
    instead: str = ""
    """For a required key, another one that will do."""
    recorded: str = NEVER

    def missing(self, owner: Node) -> Problem:
        """Return the problem of a file, or of a mapping in it, that does not have the key."""
        example = self.example if isinstance(self.example, str) else yaml_flow(self.example)
        hint = tr("for instance '{key}: {example}'", key=self.name, example=example)
        place = f"{owner.key}.{self.name}" if owner.key else self.name
        return Problem(owner.file, owner.line or None, place, expected(tr("this key"), NONE), hint)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its value."""
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
    """Return the keys that the fields of a dataclass declare, by the name of the field."""
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
        """Return the node itself."""
        return node

    def schema(self) -> dict[str, Any]:
        """Return the rule."""
        return self.rule()


@dataclass(frozen=True)
class Text:
    """A line of text; line breaks become spaces."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the text; a number counts as text, as it is written."""
        if node.is_scalar and not isinstance(node.value, bool) and node.text.strip():
            return " ".join(node.text.split())
        problems.append(node.expected(tr("text")))
        return None

    def schema(self) -> dict[str, Any]:
        """Return a string; a number will do."""
        return {"type": ["string", "number"], "minLength": 1}


@dataclass(frozen=True)
class Number:
    """A number of a range."""

    low: float
    high: float
    what: str = ""
    """A noun for messages, such as ``a share``; "a number" if left out."""
    whole: bool = False
    expected: str = ""
    """The range in words, if there are better ones."""

    def read(self, node: Node, problems: list[Problem]) -> int | float | None:
        """Return the number; a whole one is an int, any other a float.

        Digits of a whole one may be in groups of three: ``10_000``. To YAML 1.2 that is text.
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
        what = self.expected or tr("{kind} from {low} to {high}", kind=kind, low=self.low, high=self.high)
        problems.append(node.expected(what))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the range; to an editor ``10_000`` is text, which is right where it is long."""
        limits = {"minimum": self.low, "maximum": self.high}
        if not self.whole:
            return {"type": "number", **limits}
        if self.high < 1000:
            return {"type": "integer", **limits}
        return {"type": ["integer", "string"], **limits, "pattern": f"^{_GROUPED.pattern}$"}


@dataclass(frozen=True)
class Word:
    """A word or several, such as a name."""

    what: str
    longest: int | None = None

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the words, without spaces around them."""
        name = node.text.strip() if node.is_scalar else ""
        if name and (self.longest is None or (len(name) <= self.longest and not CONTROL.search(name))):
            return name
        problems.append(node.expected(self.what))
        return None

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        return {"type": "string", "minLength": 1, **({"maxLength": self.longest} if self.longest else {})}


@dataclass(frozen=True)
class Boolean:
    """Yes or no."""

    def read(self, node: Node, problems: list[Problem]) -> bool | None:
        """Which of the two."""
        if node.is_scalar and isinstance(node.value, bool):
            return node.value
        problems.append(node.expected(tr("true or false")))
        return None

    def schema(self) -> dict[str, Any]:
        """Either."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class OneOf:
    """One of some names."""

    names: tuple[str, ...]
    what: str = ""
    """A noun for the names, for messages, where they are too many to be listed."""

    def read(self, node: Node, problems: list[Problem]) -> str | None:
        """Return the name."""
        if node.is_scalar and node.text in self.names:
            return node.text
        hint = guess(node.text, self.names) if node.is_scalar else ""
        problems.append(node.expected(self.what or OR.join(self.names), hint))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the names."""
        return {"enum": list(self.names)}


@dataclass(frozen=True)
class OneOrMore:
    """One of something, or a list of several."""

    one: Kind
    what: str
    """A noun for one item, such as "a budget"."""

    def read(self, node: Node, problems: list[Problem]) -> tuple[Any, ...] | None:
        """Return the items, each once; None, and problems, if one of them is wrong."""
        items = node.value if isinstance(node.value, tuple) else (node,)
        found = [self.one.read(item, problems) for item in items]
        known = tuple(each for each in found if each is not None)
        if not items or len(set(known)) < len(known):
            problems.append(node.expected(tr("{expected}, or a list of them, each once", expected=self.what)))
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
        """Return the items that are right."""
        if not isinstance(node.value, tuple):
            problems.append(node.expected(tr("a list of {expected}", expected=self.what)))
            return None
        if not node.value:
            problems.append(node.expected(tr("at least one of the {expected}", expected=self.what)))
        values: list[Any] = []
        for item in node.value:
            value = self.items.read(item, problems)
            if self.once and value is not None and value in values:
                problems.append(item.repeated(self.once))
            elif value is not None:
                values.append(value)
        return tuple(values)

    def schema(self) -> dict[str, Any]:
        """Return the list."""
        return {"type": "array", "minItems": 1, "items": self.items.schema(), "uniqueItems": True}


@dataclass(frozen=True)
class MappingOf:
    """A mapping with certain keys."""

    what: str
    """The owner of the keys, for messages, such as ``published``."""
    keys: Mapping[str, Key]
    make: Callable[..., Any] = dict
    """Makes the value from the values of the keys, by their names."""

    def values(self, node: Node, problems: list[Problem]) -> dict[str, Any]:
        """Return the values that are right, by the names of the keys."""
        if not isinstance(node.value, dict):
            required = {name: each.example for name, each in self.keys.items() if each.required}
            hint = tr("for instance {example}", example=yaml_flow(required)) if required else ""
            problems.append(node.expected(tr("keys of {owner}", owner=self.what), hint))
            return {}
        values = read_keys(node, self.keys, self.what, problems)
        return {name: value for name, value in values.items() if value is not None}

    def read(self, node: Node, problems: list[Problem]) -> Any:
        """Return the value made of the keys; None where a required one is missing or wrong."""
        values = self.values(node, problems)
        required = {name for name, each in self.keys.items() if each.required}
        return self.make(**values) if required <= set(values) else None

    def schema(self) -> dict[str, Any]:
        """Return the keys."""
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
    one: Kind
    known: Collection[str] = ()
    """The only names that there are, if they are known."""
    known_as: str = ""
    """A noun for these names, for messages."""

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Any] | None:
        """Return the values that are right."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(self.what))
            return None
        unknown = [name for name in node.value if self.known and name not in self.known]
        problems += [node.value[name].unknown(self.known_as, name, self.known) for name in unknown]
        read = {name: self.one.read(each, problems) for name, each in node.value.items() if name not in unknown}
        return {name: value for name, value in read.items() if value is not None}

    def schema(self) -> dict[str, Any]:
        """Return the names, if they are known, and the values."""
        return {"type": "object", "additionalProperties": self.one.schema()}


def read_keys(node: Node, keys: Mapping[str, Key], what: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the values of a mapping, each looked at by itself, by the names of fields; None if missing or wrong.

    ``what``, such as ``an experiment``, is what has these keys.
    """
    assert isinstance(node.value, dict)
    problems += unknown_key_problems(node.value, [declared.name for declared in keys.values()], what)
    values = {}
    for name, declared in keys.items():
        written = node.value.get(declared.name)
        values[name] = None if written is None else declared.kind.read(written, problems)
        if written is None and declared.required and declared.instead not in node.value:
            problems.append(declared.missing(node))
    return values


def read_file(root: Node, keys: Mapping[str, Key], what: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the same for a whole file; what is missing or wrong has its default, so that the rest can be judged."""
    values = read_keys(root, keys, what, problems)
    for name, declared in keys.items():
        if values[name] is None:
            least = declared.kind.low if declared.required and isinstance(declared.kind, Number) else declared.default
            values[name] = least
    return values


def without_groups(value: Any) -> Any:
    """Return a value of a file; the number, of text that writes a whole one with its digits in groups: ``10_000``."""
    return int(value) if isinstance(value, str) and _GROUPED.fullmatch(value) else value


def unknown_key_problems(entries: Mapping[str, Node], known: Iterable[str], what: str) -> list[Problem]:
    """Return the problems of keys that ``what``, such as ``an experiment``, does not have."""
    known, owner = list(known), tr("a key of {owner}", owner=what)
    return [node.unknown_key(owner, name, known) for name, node in entries.items() if name not in known]
