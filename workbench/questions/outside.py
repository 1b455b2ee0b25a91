"""Players from outside, as files and the command line describe them: programs that speak UCI, and Python classes.

Nothing is started here. A program is a plain name, to be found on PATH, or a path inside the project; the class is one
of a Python file inside the project. So a file from somebody else can start nothing but what is installed, or what came
with it; and that only after its user has allowed it (see `workbench.outside`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import Problem, guess, reason_of
from workbench.files.project import Project, leads_outside
from workbench.files.yamlfile import Node
from workbench.language import AND, join, tr
from workbench.questions.keys import number_schema, read_number, unknown_key_problems

UCI, PYTHON = "uci", "python"
LIMITS: Mapping[str, tuple[str, int]] = {
    "nodes": (tr("Nodes that it may search for a move."), 1_000_000_000),
    "depth": (tr("Plies that it looks ahead."), 200),
    "movetime": (tr("Milliseconds for a move; no such game is reproducible."), 3_600_000),
}
"""How a UCI engine is told how long to think: one of these, from 1 on."""
TIMEOUT, LONGEST_TIMEOUT = 60, 86_400
"""Seconds."""
_REPRODUCIBLE = tr("Whether the same seed gives the same game on every machine, as you assure; false if left out.")
_NAME = tr("What tables call the player.")


@dataclass(frozen=True)
class OutsideKind:
    """A kind of players from outside."""

    sentence: str
    """What they are."""
    main: str
    """The key by which alone a player may be described: ``{python: players.cautious:Cautious}``."""
    example: str
    keys: Mapping[str, str]
    """All that a file may say of a player, and what that means."""


OUTSIDE: Mapping[str, OutsideKind] = {
    UCI: OutsideKind(
        tr("A program that plays by the Universal Chess Interface, such as fairy-stockfish or stockfish."),
        "command",
        tr("{command: fairy-stockfish, nodes: 1000}"),
        {
            "command": tr("The program: a name on PATH, or a path from the project folder. It runs without a shell."),
            "options": tr("Options of the engine, by its own names for them."),
            **{name: sentence for name, (sentence, _) in LIMITS.items()},
            "timeout": tr(
                "Seconds within which it is ready, and gives a move, or else the run stops; {timeout} if left out.",
                timeout=TIMEOUT,
            ),
            "reproducible": _REPRODUCIBLE,
            "name": _NAME,
        },
    ),
    PYTHON: OutsideKind(
        tr("A class of yours in a Python file of the project, with choose(position) -> move."),
        "class",
        "players.cautious:Cautious",
        {
            "class": tr("module:Class; players.cautious is players/cautious.py in the project folder."),
            "options": tr("Given to the class, by name."),
            "reproducible": _REPRODUCIBLE,
            "name": _NAME,
        },
    ),
}
"""The kinds of players from outside."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PLAIN = re.compile(r"\w[\w.+-]*", re.ASCII)
_CLASS = re.compile(r"((?:[a-z_]\w*\.)*[a-z_]\w*):([a-z_]\w*)", re.ASCII | re.IGNORECASE)

Options = tuple[tuple[str, str | int | float | bool], ...]


@dataclass(frozen=True)
class Program:
    """A UCI engine."""

    command: str
    options: Options
    limit: str
    """One of `LIMITS`."""
    amount: int
    timeout: int = TIMEOUT
    reproducible: bool = False
    root: str = field(default="", compare=False)
    """The project folder, in which paths begin."""

    @property
    def label(self) -> str:
        """What tables call it, if nobody gives it a name."""
        unit = {"nodes": "", "depth": "depth-", "movetime": "ms-"}[self.limit]
        return f"{Path(self.command).name}-{unit}{self.amount}"

    def canonical(self) -> dict[str, Any]:
        """All that decides how it plays, as plain data."""
        plain: dict[str, Any] = {"kind": UCI, "command": self.command, "options": dict(self.options)}
        return plain | {self.limit: self.amount, "reproducible": self.reproducible}

    def block(self) -> int:
        """Games that take some seconds."""
        return max(1, min(20, {"nodes": 40_000, "depth": 80, "movetime": 500}[self.limit] // self.amount))


@dataclass(frozen=True)
class PythonClass:
    """A class of a Python file."""

    module: str
    """Dotted, from the project folder on."""
    name: str
    options: Options
    digest: str
    """16 hex digits of the SHA-256 of the file: another file is another player."""
    reproducible: bool = False
    root: str = field(default="", compare=False)
    """The project folder."""
    live: type | None = None
    """The class itself, where a program hands it over; nothing of it can be recorded."""

    @property
    def label(self) -> str:
        """What tables call it, if nobody gives it a name."""
        return self.name

    @property
    def file(self) -> Path:
        """Where the class is."""
        if self.live is not None:
            return Path(
                getattr(getattr(self.live, "choose", None), "__code__", compile("", self.name, "exec")).co_filename
            )
        return Path(self.root, *self.module.split(".")).with_suffix(".py")

    def canonical(self) -> dict[str, Any]:
        """All that decides how it plays, as plain data."""
        plain = {"kind": PYTHON, "class": f"{self.module}:{self.name}", "options": dict(self.options)}
        return plain | {"sha256": self.digest, "reproducible": self.reproducible}

    def block(self) -> int:
        """Games that take some seconds, if the class takes milliseconds for a move."""
        return 10


Outside = Program | PythonClass


def outside_from_provenance(said: Mapping[str, Any]) -> Outside | None:
    """The player of which `canonical` said this; None for what is no player from outside."""
    options = tuple((said.get("options") or {}).items())
    reproducible = bool(said.get("reproducible"))
    if said.get("kind") == UCI:
        limit = next((name for name in LIMITS if name in said), "nodes")
        return Program(str(said.get("command")), options, limit, int(said.get(limit, 1)), reproducible=reproducible)
    if said.get("kind") == PYTHON:
        module, _, name = str(said.get("class")).partition(":")
        return PythonClass(module, name, options, str(said.get("sha256")), reproducible)
    return None


def read_outside(kind: str, inner: Node, project: Project, problems: list[Problem]) -> tuple[Outside, str] | None:
    """The player that a file describes below ``kind``, and its name; None, and problems, where it is wrong."""
    declared = OUTSIDE[kind]
    if inner.is_scalar:
        inner = Node(inner.file, inner.line, inner.key, {declared.main: inner})
    if not isinstance(inner.value, dict):
        expected = tr("expected {expected}, found {found}", expected=declared.main, found=inner.describe())
        problems.append(inner.problem(expected, tr("for instance {example}", example=declared.example)))
        return None
    before = len(problems)
    entries = inner.value
    problems += unknown_key_problems(entries, declared.keys, kind)
    if declared.main not in entries:
        problems.append(
            inner.problem(tr("expected {expected}, found none", expected=declared.main), declared.keys[declared.main])
        )
    options = _read_options(entries.get("options"), problems)
    reproducible = _read_boolean(entries.get("reproducible"), problems)
    name = _read_name(entries.get("name"), problems)
    outside: Outside | None = None
    if kind == UCI:
        outside = _read_program(inner, entries, options, reproducible, project, problems)
    elif "class" in entries:
        outside = _read_python_class(entries["class"], options, reproducible, project, problems)
    return (outside, name) if outside is not None and len(problems) == before else None


def _read_program(
    inner: Node,
    entries: Mapping[str, Node],
    options: Options,
    reproducible: bool,
    project: Project,
    problems: list[Problem],
) -> Program | None:
    limits = [name for name in LIMITS if name in entries]
    if len(limits) != 1:
        found = AND.join(limits) or tr("none of them")
        problems.append(
            inner.problem(
                tr("expected nodes, depth or movetime, found {found}", found=found), tr("for instance nodes: 1000")
            )
        )
    command = ""
    if "command" in entries:
        command = _read_command(entries["command"], project, problems)
    amounts = {}
    for name in limits:
        most = LIMITS[name][1]
        expected = tr("a whole number from 1 to {most:,}", most=most)
        amounts[name] = read_number(entries[name], 1, most, True, expected, problems)
    timeout: int | float | None = TIMEOUT
    if "timeout" in entries:
        expected = tr("a whole number of seconds from 1 to {longest_timeout:,}", longest_timeout=LONGEST_TIMEOUT)
        timeout = read_number(entries["timeout"], 1, LONGEST_TIMEOUT, True, expected, problems)
    threads = next((value for name, value in options if name.casefold() == "threads"), 1)
    if reproducible and ("movetime" in limits or threads != 1):
        why = (
            tr("with movetime the clock decides")
            if "movetime" in limits
            else tr("its threads run as the machine lets them")
        )
        problems.append(
            entries["reproducible"].problem(tr("such games are not reproducible: {why}", why=why), tr("leave it out"))
        )
    if len(limits) != 1 or not command or amounts[limits[0]] is None or timeout is None:
        return None
    amount = int(amounts[limits[0]] or 1)
    return Program(command, options, limits[0], amount, int(timeout), reproducible, str(project.root))


def _read_command(node: Node, project: Project, problems: list[Problem]) -> str:
    """The program's name, or its path from the project folder on."""
    command = node.text if node.is_scalar else ""
    if _PLAIN.fullmatch(command):
        return command
    path = Path(command)
    plain = bool(command) and "/" in command and not _CONTROL.search(command) and not path.is_absolute()
    if plain and not project.shipped and project.contains(project.root / path):
        return command
    message = tr("expected a program's name, or a path inside the project folder, found {found}", found=node.describe())
    hint = tr("without arguments; options of the engine are written under options") if " " in command else ""
    problems.append(node.problem(message, hint))
    return ""


def _read_python_class(
    node: Node, options: Options, reproducible: bool, project: Project, problems: list[Problem]
) -> PythonClass | None:
    match = _CLASS.fullmatch(node.text) if node.is_scalar else None
    if match is None:
        message = tr("expected module:Class, found {found}", found=node.describe())
        problems.append(node.problem(message, tr("for instance players.cautious:Cautious")))
        return None
    if project.shipped:
        problems.append(
            node.problem(
                tr("there is no project folder here (one that holds rulesets/), in which a class could be"),
                tr("make one with: workbench init my-rules"),
            )
        )
        return None
    found = PythonClass(match[1], match[2], options, "", reproducible, str(project.root))
    file = found.file
    shown = "/".join([*match[1].split(".")]) + ".py"
    if not project.contains(file):
        problems.append(node.problem(leads_outside(file)))
        return None
    if not file.is_file():
        near = [each.stem for each in file.parent.glob("*.py")] if file.parent.is_dir() else []
        hint = guess(file.stem, near) or tr("modules are named from the project folder on")
        problems.append(node.problem(tr("there is no file {shown} in the project folder", shown=shown), hint))
        return None
    try:
        content = file.read_bytes()
    except OSError as error:
        problems.append(node.problem(join(": ", (shown, reason_of(error)))))
        return None
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()[:16]
    return PythonClass(match[1], match[2], options, digest, reproducible, str(project.root))


def _read_options(node: Node | None, problems: list[Problem]) -> Options:
    if node is None:
        return ()
    if not isinstance(node.value, dict):
        problems.append(
            node.problem(tr("expected options such as {{Threads: 1}}, found {found}", found=node.describe()))
        )
        return ()
    options: list[tuple[str, Any]] = []
    for name, value in node.value.items():
        if not value.is_scalar or _CONTROL.search(name) or _CONTROL.search(value.text):
            problems.append(
                value.problem(tr("expected a text, a number, true or false, found {found}", found=value.describe()))
            )
        else:
            options.append((name, value.value))
    return tuple(sorted(options))


def _read_boolean(node: Node | None, problems: list[Problem]) -> bool:
    if node is None:
        return False
    if isinstance(node.value, bool):
        return node.value
    problems.append(node.problem(tr("expected true or false, found {found}", found=node.describe())))
    return False


def _read_name(node: Node | None, problems: list[Problem]) -> str:
    if node is None:
        return ""
    name = node.text.strip() if node.is_scalar else ""
    if not name or len(name) > 40 or _CONTROL.search(name):
        problems.append(
            node.problem(tr("expected a name of at most 40 characters, found {found}", found=node.describe()))
        )
    return name


def outside_schemas() -> list[dict[str, Any]]:
    """The JSON Schemas of the players from outside, for an experiment file."""
    text = {"type": "string", "minLength": 1}
    kinds: dict[str, dict[str, Any]] = {
        "command": text,
        "class": text | {"pattern": "^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$"},
        "options": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
        **{name: number_schema(1, most, True) for name, (_, most) in LIMITS.items()},
        "timeout": {**number_schema(1, LONGEST_TIMEOUT, True), "default": TIMEOUT},
        "reproducible": {"type": "boolean", "default": False},
        "name": text | {"maxLength": 40},
    }
    choices = []
    for kind, declared in OUTSIDE.items():
        whole: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "required": [declared.main],
            "properties": {name: {"description": said, **kinds[name]} for name, said in declared.keys.items()},
        }
        if kind == UCI:
            whole["oneOf"] = [{"required": [name]} for name in LIMITS]
        choices.append({
            "description": declared.sentence,
            "type": "object",
            "additionalProperties": False,
            "required": [kind],
            "properties": {kind: {"anyOf": [kinds["class"], whole]} if kind == PYTHON else whole},
        })  # fmt: skip
    return choices
