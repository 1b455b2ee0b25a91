"""YAML files as trees of plain values with their positions, and explanations of mistakes in them.

`read_yaml` returns a tree of `Node`: every value has its file, line, dotted key and original text. Every mistake raises
an `InputError` with one `Problem` for each correction to make.

Values follow YAML 1.2 with restrictions: only ``true`` and ``false`` are booleans (``off`` and ``no`` are words), only
decimal numbers without leading zeros are numbers, and there are no dates and no tags. Use `Node.text` for names that
resemble numbers (``007``).

The tree is built from PyYAML's parser events, since its loader drops lines and the original text, silently accepts
duplicate keys, and recurses without limit.
"""

from __future__ import annotations

import functools
import math
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

import yaml

from workbench.base import errors
from workbench.base.errors import MORE, InputError, Problem, abbreviated, display_path, expected, guess, input_error
from workbench.base.language import quoted, tr

MAX_FILE_BYTES = 1_000_000
"""The maximum size of a file."""
MAX_VALUES = 20_000
"""The maximum number of values after expanding aliases."""
MAX_DEPTH = 24
"""The maximum nesting depth."""

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,99})")
_NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]{0,99})(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,9})?")
_STANDARD_TAG = "tag:yaml.org,2002:"

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Scalar = None | bool | int | float | str


@dataclass(frozen=True)
class Node:
    """A value of a YAML file, with its position."""

    file: str
    line: int
    """The line of the value's key or list item, counted from 1; 0 for values that are not from a file."""
    key: str
    """The dotted path from the root; empty for the root."""
    value: Scalar | tuple[Node, ...] | dict[str, Node]
    text: str = ""
    """A scalar as written, without quotes."""

    @property
    def is_scalar(self) -> bool:
        """True for a single value that is not empty, so that `text` can serve as a name."""
        return self.value is not None and not isinstance(self.value, tuple | dict)

    def plain(self) -> Any:
        """Return the value as plain Python data."""
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        if isinstance(self.value, tuple):
            return [node.plain() for node in self.value]
        return self.value

    def descendant(self, *path: str | int) -> Node:
        """Return the node at a path of keys and list positions, or its last existing ancestor."""
        node = self
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                node = node.value[str(step)]
            elif isinstance(node.value, tuple) and isinstance(step, int) and 0 <= step < len(node.value):
                node = node.value[step]
            else:
                break
        return node

    def describe(self) -> str:
        """Return the value in words, for messages."""
        if self.value is None:
            return tr("nothing")
        if isinstance(self.value, tuple):
            return tr("a list") if self.value else tr("an empty list")
        if isinstance(self.value, dict):
            return tr("a mapping") if self.value else tr("an empty mapping")
        shown = abbreviated(self.text)
        if not isinstance(self.value, str):
            return shown
        return quoted(shown) if isinstance(parse_scalar(self.text), str) else tr("the text '{words}'", words=shown)

    def problem(self, message: str, hint: str = "") -> Problem:
        """Return a problem with this value; full-width characters take precedence as the likely cause."""
        return Problem(self.file, self.line or None, self.key or None, message, errors.half_width(self.text) or hint)

    def expected(self, expectation: str, hint: str = "", found: object = None) -> Problem:
        """Return the problem that the value is not ``expectation``."""
        found = self.describe() if found is None else found
        return self.problem(expected(expectation, found), hint)

    def unknown(self, expectation: str, name: str, known: Iterable[str] = (), hint: str = "") -> Problem:
        """Return the problem of an unknown name, with the nearest known one as a hint."""
        return self.expected(expectation, hint or guess(name, known), quoted(name))

    def unknown_key(self, expectation: str, name: str, known: Iterable[str] = (), hint: str = "") -> Problem:
        """Return the problem of an unknown key, with the nearest known one as a hint."""
        found = tr("the unknown key '{name}'", name=name)
        return self.expected(expectation, hint or guess(name, known), found=found)

    def both(self, one: str, other: str) -> Problem:
        """Return the problem that two mutually exclusive keys are present."""
        return self.expected(tr("{one} or {other}", one=one, other=other), tr("remove one of them"), found=tr("both"))

    def repeated(self, noun: str, name: str = "") -> Problem:
        """Return the problem that a value is repeated."""
        return self.expected(tr("each {what} once", what=noun), found=tr("{name} again", name=name or self.text))


_WIDE_SIGNS = re.compile("[\uff1a\uff0c\u3001\uff3b\uff3d\uff5b\uff5d\uff03\uff0d\u3000]")
"""Full-width characters that resemble structural characters of YAML."""


def _with_wide_sign_hint(problem: Problem, lines: list[str]) -> Problem:
    """Return the problem with a hint if a full-width character on or shortly before its line may be the cause."""
    last = min(problem.line or 1, len(lines))
    for number in range(last, max(last - 3, 0), -1):
        line = re.sub("\"[^\"]*\"|'[^']*'|(^|\\s)#.*", "", lines[number - 1])
        if match := _WIDE_SIGNS.search(line):
            replacement = errors.NARROW[ord(match[0])].replace(" ", tr("a space"))
            template = tr("line {number} has the full-width character '{sign}': write {replacement}")
            return replace(
                problem, line=number, hint=template.format(number=number, sign=match[0], replacement=replacement)
            )
    return problem


def index_by_name(paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return files by NFC-normalized name, sorted; raise `InputError` for names that differ only in normalization."""
    paths_by_name: dict[str, Path] = {}
    problems = []
    for name, path in paths:
        if paths_by_name.setdefault(unicodedata.normalize("NFC", name), path) is not path:
            message = expected(
                tr("names that differ"), tr("two files whose names look the same but are encoded differently")
            )
            problems.append(Problem(display_path(path), None, None, message, tr("rename or delete one of them")))
    if problems:
        raise InputError(problems)
    return dict(sorted(paths_by_name.items()))


def parse_scalar(text: str) -> Scalar:
    """Return the value of unquoted YAML text.

    >>> [parse_scalar(text) for text in ("12", "007", "off", "true", "0.5", "2007-09", "~")]
    [12, '007', 'off', True, 0.5, '2007-09', None]
    """
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def read_small_file(path: str | Path, kind: str) -> bytes:
    """Return the content of a file given by the user; raise `InputError` if it exceeds `MAX_FILE_BYTES`."""
    file = display_path(path)
    try:
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            # A pipe may never end, or never begin.
            raise input_error(expected(tr("a file"), tr("a pipe, a socket or a device")), file=file)
        with open(path, "rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise input_error(tr("there is no such file"), file=file) from None
    except (OSError, ValueError) as error:
        reason = errors.system_reason(error)
        raise input_error(tr("cannot be read: {reason}", reason=reason), file=file) from None
    if len(content) > MAX_FILE_BYTES:
        raise input_error(expected(tr("a small {file}", file=kind), tr("more than 1 MB")), file=file)
    return content


_ParsedFile = tuple["Node | None", tuple[Problem, ...]]
"""The tree of a file, or None, and all its syntax problems."""
_cached: ContextVar[dict[object, Any] | None] = ContextVar("snapshot", default=None)


@contextmanager
def snapshot() -> Iterator[None]:
    """Make `read_yaml` read every file once and cache the result, within a ``with`` block or a decorated function.

    All reads see the same state of a file, however many rulesets extend it. Nested snapshots share the outermost one's
    cache, which is dropped at its end.
    """
    if _cached.get() is not None:
        yield
        return
    token = _cached.set({})
    try:
        yield
    finally:
        _cached.reset(token)


def once_in_snapshot(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function compute the result for the same arguments only once in a snapshot."""

    @functools.wraps(function)
    def cached(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with snapshot():
            results, key = _cached.get(), (function, args, *kwargs.items())
            assert results is not None
            if key not in results:
                results[key] = function(*args, **kwargs)
            return cast(Result, results[key])

    return cached


def node_from_value(value: object, key: str = "", problems: list[Problem] | None = None, depth: int = 0) -> Node:
    """Return a tree of plain Python values, including NumPy numbers, as if from a file without name and lines.

    Other values are reported in ``problems`` and become None.

    >>> node_from_value({"greedy": {"epsilon": 0.1}}).descendant("greedy", "epsilon").text
    '0.1'
    """
    problems = [] if problems is None else problems
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        nodes = {
            str(name): node_from_value(item, f"{key}.{name}" if key else str(name), problems, depth + 1)
            for name, item in value.items()
        }
        return Node("", 0, key, nodes)
    if isinstance(value, list | tuple) and depth < MAX_DEPTH:
        items = (node_from_value(item, f"{key}[{i}]", problems, depth + 1) for i, item in enumerate(value))
        return Node("", 0, key, tuple(items))
    if value is None or isinstance(value, bool | int | float | str):
        text = value if isinstance(value, str) else "" if value is None else str(value)
        return Node("", 0, key, value, text.lower() if isinstance(value, bool) else text)
    if isinstance(value, Real):
        return node_from_value(int(value) if isinstance(value, Integral) else float(value), key, problems, depth)
    message = expected(tr("text, a number, true or false, a list or a mapping"), type(value).__name__)
    hint = tr('define it in a project file and refer to it: {{"python": "players.mine:{name}"}}')
    hint = hint.format(name=getattr(value, "__name__", type(value).__name__)) if hasattr(value, "choose") else ""
    problems.append(Problem("", None, key or None, message, hint))
    return Node("", 0, key, None)


def read_yaml(path: str | Path, problems: list[Problem] | None = None) -> Node:
    """Return the tree of a YAML file, which must contain a mapping; see `snapshot`.

    Raises `InputError` with all problems. If ``problems`` is given, it receives those that do not hide the rest of the
    file, such as a duplicate key, so that the caller can report them together with its own.
    """
    cached = _cached.get()
    # Not normalized, since ".." behind a link leads elsewhere.
    absolute = str(Path(path).absolute())
    if cached is None or (parsed := cached.get(absolute)) is None:
        parsed = _read_tree(path)
        if cached is not None:
            cached[absolute] = parsed
    root, syntax_problems = parsed
    if root is None or (syntax_problems and problems is None):
        raise InputError(syntax_problems)
    if problems is not None:
        problems += syntax_problems
    return root


def _read_tree(path: str | Path) -> _ParsedFile:
    problems: list[Problem] = []
    try:
        content = read_small_file(path, "YAML file")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            message = expected(tr("UTF-8 text"), tr("the byte 0x{byte:02x}", byte=content[error.start]))
            raise input_error(message, tr("save the file as UTF-8"), file=display_path(path), line=line) from None
        return parse_yaml(text, display_path(path), problems), tuple(problems)
    except InputError as error:
        return None, tuple(error.problems)


def parse_yaml(text: str, file: str, problems: list[Problem] | None = None) -> Node:
    """Return the tree of YAML text, which must contain a mapping; ``file`` is its name in messages. See `read_yaml`."""
    try:
        return _build_tree(text, file, problems)
    except InputError as error:
        lines = text.splitlines()
        raise InputError([_with_wide_sign_hint(problem, lines) for problem in error.problems]) from None


def _build_tree(text: str, file: str, problems: list[Problem] | None) -> Node:
    builder = _Builder(file)
    if (position := text.find("\ufeff")) >= 0:
        message = expected(tr("at most one byte order mark (U+FEFF), at the start of the file"), tr("another one"))
        builder.fail(
            text.count("\n", 0, position) + 1, None, message, tr("save the file as UTF-8 without byte order marks")
        )
    loader = None
    try:
        loader = yaml.SafeLoader(text)
        root = builder.document(iter(loader.get_event, None))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        builder.fail(line, None, _control_character(int(error.character)))
    except yaml.MarkedYAMLError as error:
        builder.fail(*_syntax_problem(error))
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # impossible \U escapes and version numbers
        builder.fail(loader.line + 1 if loader else 1, None, tr("is not YAML: {error}", error=error))
    if problems is not None:
        problems += builder.problems
    elif builder.problems:
        raise InputError(builder.problems)
    return root


def _control_character(code: int) -> str:
    return expected(tr("text"), tr("the control character U+{code:04X}", code=code))


def _event_line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _syntax_problem(error: yaml.MarkedYAMLError) -> tuple[int | None, None, str, str]:
    """Return line, key, message and hint for text that PyYAML cannot parse."""
    mark = error.problem_mark or error.context_mark
    cause = str(error.problem or error.context)
    reason = f"{cause} {error.context}" if error.context and error.problem else cause
    message = tr("is not YAML: {reason}", reason=reason)
    if error.context and error.problem and error.context_mark and mark and error.context_mark.line != mark.line:
        message = tr("{problem} starting on line {line}", problem=message, line=error.context_mark.line + 1)
    hint = ""
    if "\\t" in cause:
        hint = tr("indent with spaces, not with tabs")
    elif "mapping values are not allowed" in cause:
        hint = tr("text containing ': ' needs quotes; keys at the same level start in the same column")
    elif "<block end>" in cause:
        hint = tr("indent this line like the other keys at its level")
    elif "cannot start any token" in cause:
        hint = tr("text starting with this character needs quotes")
    return (mark.line + 1 if mark else None), None, message, hint


_MAPPING = tr("lines of the form 'key: value'")


class _Builder:
    """Builds a tree from parser events, and collects problems that do not hide others."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node | None] = {}
        self.count = 0
        self.events: Iterator[Any] = iter(())

    def fail(self, line: int | None, key: str | None, message: str, hint: str = "") -> NoReturn:
        """Raise all problems, with this one last."""
        raise InputError([*self.problems, Problem(self.file, line, key or None, message, hint)]) from None

    def add_problem(self, line: int, key: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.file, line, key or None, message, hint))

    def document(self, events: Iterator[Any]) -> Node:
        self.events = events
        root = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                self.fail(_event_line(event), None, expected(tr("one document"), tr("a second document after '---'")))
            if isinstance(event, yaml.NodeEvent):
                root = self.node(event, "", _event_line(event), 0)
        if root is None or root.value is None:
            root = Node(self.file, 1, "", None)
            raise InputError([*self.problems, root.expected(_MAPPING, found=tr("an empty file"))])
        if not isinstance(root.value, dict):
            raise InputError([*self.problems, root.expected(_MAPPING)])
        return root

    def node(self, event: Any, key: str, line: int, depth: int) -> Node:
        self.count_value(line, key, depth)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, key, line, depth)
        if event.tag is not None:
            tag = str(event.tag)
            tag = f"!!{tag.removeprefix(_STANDARD_TAG)}" if tag.startswith(_STANDARD_TAG) else tag
            message = expected(tr("a plain value"), tr("the tag '{tag}'", tag=tag))
            self.add_problem(line, key, message, tr("tags are not supported: remove the tag"))
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            text = self.checked_text(event.value, key, line)
            node = Node(self.file, line, key, parse_scalar(text) if event.style is None else text, text)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Node(self.file, line, key, tuple(self.items(key, depth)))
        else:
            node = Node(self.file, line, key, self.entries(key, depth))
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def items(self, key: str, depth: int) -> Iterator[Node]:
        for position, event in enumerate(self.events):
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self.node(event, f"{key}[{position}]", _event_line(event), depth + 1)

    def entries(self, key: str, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            line = _event_line(event)
            name = self.node(event, key, line, depth + 1)
            if not name.is_scalar:
                self.add_problem(line, key, expected(tr("a word as the key"), name.describe()))
            path = f"{key}.{name.text}" if key else name.text
            value = self.node(next(self.events), path, line, depth + 1)
            if not name.is_scalar:
                continue
            if name.text in entries:
                earlier = entries[name.text].line
                duplicate = tr("'{name}', already on line {line}", name=name.text, line=earlier)
                self.add_problem(line, path, expected(tr("each key once"), duplicate), tr("remove one of them"))
            else:
                entries[name.text] = value
        return entries

    def alias(self, event: Any, key: str, line: int, depth: int) -> Node:
        target = self.anchors.get(event.anchor)
        if target is None:
            is_open = event.anchor in self.anchors
            why = tr("inside its own '&{name}'") if is_open else tr("without an '&{name}' before it")
            self.fail(line, key, tr("found '*{anchor}', {why}", anchor=event.anchor, why=why.format(name=event.anchor)))
        return self.copy_at(target, key, line, depth)

    def copy_at(self, node: Node, key: str, line: int, depth: int) -> Node:
        """Return a copy of an anchored value at the position of its alias."""
        self.count_value(line, key, depth)
        value = node.value
        if isinstance(value, tuple):
            value = tuple(self.copy_at(item, f"{key}[{i}]", line, depth + 1) for i, item in enumerate(value))
        elif isinstance(value, dict):
            value = {
                name: self.copy_at(item, f"{key}.{name}" if key else name, line, depth + 1)
                for name, item in value.items()
            }
        return replace(node, key=key, line=line, value=value)

    def count_value(self, line: int, key: str, depth: int) -> None:
        self.count += 1
        if self.count > MAX_VALUES:
            self.fail(line, None, expected(tr("at most {most} values", most=MAX_VALUES), MORE))
        if depth > MAX_DEPTH:
            self.fail(line, None, expected(tr("at most {most} levels of lists and mappings", most=MAX_DEPTH), MORE))

    def checked_text(self, text: str, key: str, line: int) -> str:
        for character in text:
            if character not in "\t\n" and unicodedata.category(character) in ("Cc", "Cs"):
                self.add_problem(line, key, _control_character(ord(character)))
                return "?"
        return text
