"""The kinds of players: the workbench's own in `KINDS`, and external ones in `EXTERNAL`.

Parsing, canonical form, labels, JSON Schema, help, the guide's table, ladders, laws and the studio are derived from
`KINDS`. The compiled searches are in `workbench.engine.players.SEARCHES`.

External players are UCI engines and Python classes; nothing is started here. An engine is a plain name to be found on
PATH, or a path inside the project, and a class is defined in a Python file inside the project. So a foreign file can
start only what is installed or came with it, and only after the user has allowed it (see `workbench.base.errors`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.base.errors import Problem, guess, system_reason
from workbench.base.keys import CONTROL, Boolean, ByName, DeferredValue, Key, MappingOf, Number, OneOf, OneOrMore, Word
from workbench.base.language import AND, SEMICOLON, join, tr, trc
from workbench.base.project import Project, outside_link_message
from workbench.base.yamlfile import Node
from workbench.engine.players import ALPHABETA, BEST_FIRST, GREEDY, OPTIMAL, PRINCIPAL, RANDOM, WITH_NET, WITHOUT_NET

OWN, LEARNED, NET, SHARED = "own", "learned", "net", "shared"


@dataclass(frozen=True)
class Evaluation:
    """A way in which agents evaluate positions."""

    name: str
    code: int
    """`workbench.engine.players.Agent.learned`."""
    sentence: str

    @property
    def described(self) -> str:
        """Its name and description."""
        return tr("{name}, {sentence}", name=self.name, sentence=self.sentence)

    @property
    def trained(self) -> bool:
        """True if agents of this kind are trained by self-play, with a seed."""
        return self.code != 0


EVALUATIONS: Mapping[str, Evaluation] = {
    evaluation.name: evaluation
    for evaluation in (
        Evaluation(OWN, 0, tr("the game's hand-tuned heuristic weights")),
        Evaluation(LEARNED, WITHOUT_NET, tr("weights learned for the ruleset by self-play (workbench train)")),
        Evaluation(NET, WITH_NET, tr("learned weights combined with a small network (workbench train --net)")),
        Evaluation(
            SHARED,
            WITHOUT_NET,
            tr("one set of weights for all rulesets of the experiment, learned by self-play on all of them"),
        ),
    )
}
"""The evaluations of agents; the first is the default."""
TRAINED = tuple(name for name, evaluation in EVALUATIONS.items() if evaluation.trained)


def training_key(evaluation: str, seed: int) -> str:
    """Return a training run's name in records: its seed, with a prefix unless `LEARNED`; "" without a seed."""
    return "" if not seed else str(seed) if evaluation == LEARNED else f"{evaluation}-{seed}"


def split_training_key(key: str) -> tuple[str, int]:
    """Return the evaluation and the seed of a training run."""
    evaluation, _, seed = key.rpartition("-")
    return evaluation or LEARNED, int(seed)


def shares_weights(key: str) -> bool:
    """Return whether players with a training run ("" for none) share weights across an experiment's rulesets."""
    return not key or split_training_key(key)[0] == SHARED


def fallback_training(key: str) -> str:
    """Return the training run that replaces a rejected one; "" stands for the hand-tuned weights."""
    evaluation, seed = split_training_key(key)
    return training_key(LEARNED, seed) if evaluation == NET else ""


SEEDS = (1, 2, 3)
"""The default seeds of training runs, with an agent for each."""
MOST_TRAININGS = 1_000


@dataclass(frozen=True)
class Option:
    """A numerical option of players: a field of `AgentSpec` and of `workbench.engine.players.Agent`."""

    name: str
    default: int | float
    low: float
    high: float
    sentence: str

    @property
    def key(self) -> Key:
        """The key that sets it in files."""
        is_whole = isinstance(self.default, int)
        kind = tr("a whole number") if is_whole else tr("a number")
        expected = tr("{kind} from {low:,.0f} to {high:,.0f}", kind=kind, low=self.low, high=self.high)
        number = Number(self.low, self.high, whole=is_whole, expected=expected)
        return Key(self.name, number, self.sentence, self.default, default=self.default)


@dataclass(frozen=True)
class AgentKind:
    """A kind of player, without its search; only a name for external players and obsolete kinds."""

    name: str
    sentence: str = ""
    """A description of its play."""
    search: int | None = None
    """Its number in `workbench.engine.players.SEARCHES`; None if its moves are chosen elsewhere."""
    search_by_nodes: int | None = None
    """The number of a different search for a budget of nodes."""
    options: tuple[Option, ...] = ()
    size: str = ""
    """The option that distinguishes agents of the kind, and appears in their label; see `label`."""
    evaluates: bool = False
    """True if it evaluates positions by weights, so that it has weights, evaluation and training."""
    styled: bool = False
    """True if its moves can be restricted by a style."""
    solved: bool = False
    """True if it plays by the ruleset's solution."""
    block_sizes: tuple[int, ...] = (200,)
    """The number of games against itself that take about a second, by size 1, 2, …; the last one for larger sizes."""
    offered: Mapping[str, str] = field(default_factory=dict)
    """Its descriptions in the studio: without an option (""), or by depth or nodes, {n}."""

    @property
    def at_random(self) -> bool:
        """True if it evaluates no position."""
        return self.search == RANDOM

    @property
    def is_fast(self) -> bool:
        """True if it looks no further than its own next move, so ladders can include it at almost no cost."""
        return not self.size and not self.solved

    @property
    def has_node_budget(self) -> bool:
        """True if it can have a budget of nodes."""
        return any(option.name == "nodes" for option in self.options)

    @property
    def label_pattern(self) -> str:
        """A regular expression of its agents' labels, with the options as named groups."""
        trained = "|".join(TRAINED)
        sizes = ["-(?P<depth>[0-9]+)"] if self.size == "depth" else []
        sizes += ["-(?P<nodes>[0-9]+[kn])"] if self.has_node_budget else []
        pattern = self.name + (f"(?:{'|'.join(sizes)})" if sizes else "")
        if self.evaluates:
            pattern += f"(?:-(?P<evaluation>{trained})(?:-(?P<training>[0-9]+))?)?"
        return pattern + (rf"(?:-(?P<style>(?!(?:{trained})(?:-|$))[a-z][\w-]*))?" if self.styled else "")

    def label(self, size: str = "", value: int = 0) -> str:
        """Return an agent's name in tables, given its size and value; nodes are written ``10k`` or ``2500n``."""
        if size == "nodes" and value:
            return f"{self.name}-{value // 1000}k" if value % 1000 == 0 else f"{self.name}-{value}n"
        return f"{self.name}-{value}" if size else self.name

    def keys(self) -> dict[str, Key]:
        """Return the keys of an agent of the kind in a file."""
        keys = {option.name: option.key for option in self.options}
        if self.has_node_budget:
            nodes = keys["nodes"]
            sentence = tr("{sentence} A list defines several agents.", sentence=nodes.sentence)
            keys["nodes"] = replace(nodes, kind=OneOrMore(nodes.kind, tr("a budget")), sentence=sentence)
        keys |= {key.name: key for key in _EVALUATION_KEYS if self.evaluates}
        keys |= {"style": _STYLE} if self.styled else {}
        return keys | {"name": NAME}


_EVALUATION_KEYS = (
    Key(
        "weights", ByName(tr("numbers such as {mobility: 0.5}"), Number(-1e9, 1e9, expected=tr("a number"))),
        tr("Feature weights that replace the hand-tuned ones."), {"mobility": 0.5},
    ),
    Key(
        "evaluation", OneOrMore(OneOf(tuple(EVALUATIONS)), tr("an evaluation")),
        tr("How it evaluates positions: {evaluations}. Default: {own}. A list defines several agents.").format(
            evaluations=SEMICOLON.join(evaluation.described for evaluation in EVALUATIONS.values()), own=OWN
        ), LEARNED,
    ),
    Key(
        "training",
        OneOrMore(
            Number(1, MOST_TRAININGS, whole=True),
            tr("a whole number from 1 to {most_trainings}", most_trainings=MOST_TRAININGS),
        ),
        tr(
            "For learned evaluations, the seed of the training run, or a list for several agents. Defaults to "
            "three ({seeds}), which show the variation between training runs.",
            seeds=", ".join(map(str, SEEDS)),
        ), SEEDS[0],
    ),
)  # fmt: skip
_STYLE = Key("style", Word(tr("the name of a style")), tr("One of the game's opening styles."), "centre")
NAME = Key("name", Word(tr("a name of at most 40 characters"), 40), tr("The player's name in tables."), "mine")


_EPSILON = Option("epsilon", 0.0, 0, 1, tr("Probability of a random move."))
_NOISE = Option("temperature", 0.05, 0, 1_000_000, tr("Amount of random noise added to evaluations; 0 for none."))
_DEPTH = Option("depth", 2, 1, 12, tr("Search depth in plies; an upper limit if nodes is set."))
_NODES_OR_DEPTH = tr("Positions searched per move, at any depth; 0 means that only depth limits the search.")

_ALL = (
    AgentKind(
        "random", tr("Every legal move is equally likely."), RANDOM, styled=True, block_sizes=(500,),
        offered={"": trc("agent kinds", "Random moves.")},
    ),
    AgentKind(
        "greedy", tr("Chooses the move that the heuristic rates highest."), GREEDY,
        options=(_EPSILON, _NOISE), evaluates=True, styled=True,
        offered={"": tr("The best move one ply ahead.")},
    ),
    AgentKind(
        "alphabeta",
        tr("Searches to a fixed depth, or as deep as a node budget allows (alpha-beta)."),
        ALPHABETA, PRINCIPAL,
        options=(_EPSILON, _NOISE, _DEPTH, Option("nodes", 0, 0, 100_000_000, _NODES_OR_DEPTH)),
        size="depth", evaluates=True, styled=True, block_sizes=(150, 50, 3, 1),
        offered={
            "depth": tr("{n}-ply search."),
            "nodes": tr("{n} positions per move."),
        },
    ),
    AgentKind(
        "best-first",
        tr("Extends the most promising lines within a node budget (best-first minimax)."), BEST_FIRST,
        options=(_EPSILON, _NOISE, Option("nodes", 10_000, 1, 10_000_000, tr("Positions to search per move."))),
        size="nodes", evaluates=True, styled=True,
        offered={"nodes": tr("{n} positions per move, most promising lines first.")},
    ),
    AgentKind(
        "optimal",
        tr("Plays perfectly using the ruleset's solution (workbench solve --save), choosing at random among "
           "equally good moves."),
        OPTIMAL, options=(_EPSILON,), solved=True,
    ),
)  # fmt: skip
KINDS: Mapping[str, AgentKind] = {kind.name: kind for kind in _ALL}
"""The kinds of players, from weak to strong."""
OPTIONS: Mapping[str, type[int | float]] = {
    option.name: type(option.default) for kind in _ALL for option in kind.options
}
"""The types of all options."""

PEOPLE = "people"
"""The kind of human players, in games read from files."""


def find_kind(name: str) -> AgentKind:
    """Return the kind with this name; external players and people have a kind with nothing but a name."""
    return KINDS.get(name) or AgentKind(name)


UCI, PYTHON = "uci", "python"
LIMITS: Mapping[str, tuple[str, int]] = {
    "nodes": (tr("Nodes to search per move."), 1_000_000_000),
    "depth": (tr("Search depth in plies."), 200),
    "movetime": (tr("Milliseconds per move; games with this limit are not reproducible."), 3_600_000),
}
"""The search limits of a UCI engine, of which exactly one is given; the minimum is 1."""
TIMEOUT, LONGEST_TIMEOUT = 60, 86_400
"""In seconds."""


class OptionValue:
    """The value of an external player's option."""

    def read(self, node: Node, problems: list[Problem]) -> str | int | float | bool | None:
        """Return the value; line breaks, which could inject commands, are rejected."""
        if node.is_scalar and not CONTROL.search(node.key + node.text):
            assert isinstance(node.value, str | int | float)
            return node.value
        problems.append(node.expected(tr("text, a number, true or false")))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of the permitted types."""
        return {"type": ["string", "number", "boolean"]}


@dataclass(frozen=True)
class ExternalKind:
    """A kind of external players."""

    sentence: str
    """Its description."""
    main: str
    """The key whose value alone describes a player: ``{python: players.cautious:Cautious}``."""
    entries: MappingOf
    """The keys of a player in a file."""


_OPTIONS = ByName(tr("options such as {Threads: 1}"), OptionValue())
_BOTH = (
    Key(
        "reproducible",
        Boolean(),
        tr("True if you guarantee that the same seed gives the same game on every machine; default false."),
        True,
        default=False,
    ),
    NAME,
)
_CLASS_NAME = "[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*"
_PROGRAM = DeferredValue(lambda: {"type": "string", "minLength": 1})
_CLASS_KIND = DeferredValue(lambda: {"type": "string", "minLength": 1, "pattern": f"^{_CLASS_NAME}$"})


def _kind(kind: str, sentence: str, *keys: Key) -> ExternalKind:
    entries = MappingOf(kind, {key.name: key for key in (*keys, *_BOTH)})
    return ExternalKind(sentence, keys[0].name, entries)


_TIMEOUT = Number(1, LONGEST_TIMEOUT, tr("a whole number of seconds"), whole=True)
_SECONDS = tr("Time limit in seconds for startup and for each move; exceeding it stops the run. Default: {timeout}.")
EXTERNAL: Mapping[str, ExternalKind] = {
    UCI: _kind(
        UCI, tr("A program that speaks the Universal Chess Interface, such as fairy-stockfish or stockfish."),
        Key(
            "command", _PROGRAM,
            tr("The program: a name on PATH, or a path relative to the project folder. It runs without a shell."),
            "fairy-stockfish", required=True,
        ),
        Key("options", _OPTIONS, tr("Engine options, under the engine's own names."), {"Threads": 1}),
        *(Key(name, Number(1, most, whole=True), sentence, 1000) for name, (sentence, most) in LIMITS.items()),
        Key("timeout", _TIMEOUT, _SECONDS.format(timeout=TIMEOUT), TIMEOUT, default=TIMEOUT),
    ),
    PYTHON: _kind(
        PYTHON, tr("A Python class in a project file, with choose(position) -> move."),
        Key(
            "class", _CLASS_KIND,
            tr("module:Class; players.cautious means players/cautious.py in the project folder."),
            "players.cautious:Cautious", required=True,
        ),
        Key("options", _OPTIONS, tr("Keyword arguments for the class."), {"style": "bold"}),
    ),
}  # fmt: skip
"""The kinds of external players."""

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
    """The project folder, the base of relative paths."""

    @property
    def label(self) -> str:
        """Its default name in tables."""
        unit = {"nodes": "", "depth": "depth-", "movetime": "ms-"}[self.limit]
        return f"{Path(self.command).name}-{unit}{self.amount}"

    def canonical(self) -> dict[str, Any]:
        """Return the data that determine its play."""
        plain: dict[str, Any] = {"kind": UCI, "command": self.command, "options": dict(self.options)}
        return plain | {self.limit: self.amount, "reproducible": self.reproducible}

    def block_size(self) -> int:
        """Return the number of games per block, so that a block takes a few seconds."""
        return max(1, min(20, {"nodes": 40_000, "depth": 80, "movetime": 500}[self.limit] // self.amount))


@dataclass(frozen=True)
class PythonClass:
    """A class in a Python file."""

    module: str
    """Dotted, relative to the project folder."""
    name: str
    options: Options
    digest: str
    """The first 16 hex digits of the file's SHA-256; a changed file is another player."""
    reproducible: bool = False
    root: str = field(default="", compare=False)
    """The project folder."""
    live: type | None = None
    """The class itself, if passed by a program; it cannot be recorded."""

    @property
    def label(self) -> str:
        """Its default name in tables."""
        return self.name

    @property
    def file(self) -> Path:
        """The file of the class."""
        if self.live is not None:
            choose = getattr(self.live, "choose", None)
            return Path(getattr(choose, "__code__", compile("", self.name, "exec")).co_filename)
        return Path(self.root, *self.module.split(".")).with_suffix(".py")

    def canonical(self) -> dict[str, Any]:
        """Return the data that determine its play."""
        plain = {"kind": PYTHON, "class": f"{self.module}:{self.name}", "options": dict(self.options)}
        return plain | {"sha256": self.digest, "reproducible": self.reproducible}

    def block_size(self) -> int:
        """Return the number of games per block, so that a block takes a few seconds at a few milliseconds per move."""
        return 10


External = Program | PythonClass


def external_from_provenance(recorded: Mapping[str, Any]) -> External | None:
    """Return the external player recorded by `canonical`, or None for other players."""
    options = tuple((recorded.get("options") or {}).items())
    reproducible = bool(recorded.get("reproducible"))
    if recorded.get("kind") == UCI:
        limit = next((name for name in LIMITS if name in recorded), "nodes")
        return Program(
            str(recorded.get("command")), options, limit, int(recorded.get(limit, 1)), reproducible=reproducible
        )
    if recorded.get("kind") == PYTHON:
        module, _, name = str(recorded.get("class")).partition(":")
        return PythonClass(module, name, options, str(recorded.get("sha256")), reproducible)
    return None


def read_external(kind: str, entry: Node, project: Project, problems: list[Problem]) -> tuple[External, str] | None:
    """Return the player described under ``kind`` and its name; if invalid, append to ``problems`` and return None."""
    external_kind, problem_count = EXTERNAL[kind], len(problems)
    if entry.is_scalar:
        entry = replace(entry, value={external_kind.main: entry})
    values = external_kind.entries.values(entry, problems)
    values["options"] = tuple(sorted(values.get("options", {}).items()))
    player: External | None = None
    if kind == UCI and isinstance(entry.value, dict):
        player = _read_program(entry, values, project, problems)
    elif "class" in values:
        player = _read_python_class(
            values["class"], values["options"], values.get("reproducible", False), project, problems
        )
    return (player, values.get("name", "")) if player is not None and len(problems) == problem_count else None


def _read_program(entry: Node, values: Mapping[str, Any], project: Project, problems: list[Problem]) -> Program | None:
    limits = [name for name in LIMITS if entry.descendant(name) is not entry]
    if len(limits) != 1:
        actual = AND.join(limits) or tr("none of them")
        problems.append(entry.expected(tr("nodes, depth or movetime"), tr("for example nodes: 1000"), found=actual))
    command = _read_command(values["command"], project, problems) if "command" in values else ""
    reproducible = values.get("reproducible", False)
    threads = next((value for name, value in values["options"] if name.casefold() == "threads"), 1)
    if reproducible and ("movetime" in limits or threads != 1):
        clock = tr("with movetime, the moves depend on the clock")
        reason = clock if "movetime" in limits else tr("the operating system schedules its threads")
        message = tr("such games are not reproducible: {why}", why=reason)
        problems.append(entry.descendant("reproducible").problem(message, tr("leave it out")))
    if len(limits) != 1 or not command or limits[0] not in values:
        return None
    timeout = values.get("timeout", TIMEOUT)
    return Program(command, values["options"], limits[0], values[limits[0]], timeout, reproducible, str(project.root))


def _read_command(node: Node, project: Project, problems: list[Problem]) -> str:
    """Return the program's name, or its path relative to the project folder."""
    command = node.text if node.is_scalar else ""
    if _PLAIN.fullmatch(command):
        return command
    path = Path(command)
    is_valid = bool(command) and "/" in command and not CONTROL.search(command) and not path.is_absolute()
    if is_valid and not project.shipped and project.contains(project.root / path):
        return command
    hint = tr("no arguments; engine options go under 'options'") if " " in command else ""
    problems.append(node.expected(tr("a program's name, or a path inside the project folder"), hint))
    return ""


def _read_python_class(
    node: Node, options: Options, reproducible: bool, project: Project, problems: list[Problem]
) -> PythonClass | None:
    match = _CLASS.fullmatch(node.text) if node.is_scalar else None
    if match is None:
        problems.append(node.expected("module:Class", tr("for instance players.cautious:Cautious")))
        return None
    if project.shipped:
        message = tr("there is no project folder (with rulesets/) here to load the class from")
        problems.append(node.problem(message, tr("make one with: workbench init my-rules")))
        return None
    player = PythonClass(match[1], match[2], options, "", reproducible, str(project.root))
    file = player.file
    shown_path = "/".join([*match[1].split(".")]) + ".py"
    if not project.contains(file):
        problems.append(node.problem(outside_link_message(file)))
        return None
    if not file.is_file():
        similar = [path.stem for path in file.parent.glob("*.py")] if file.parent.is_dir() else []
        hint = guess(file.stem, similar) or tr("module paths are relative to the project folder")
        problems.append(node.problem(tr("there is no file {shown} in the project folder", shown=shown_path), hint))
        return None
    try:
        content = file.read_bytes()
    except OSError as error:
        problems.append(node.problem(join(": ", (shown_path, system_reason(error)))))
        return None
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()[:16]
    return PythonClass(match[1], match[2], options, digest, reproducible, str(project.root))


def external_schemas() -> list[dict[str, Any]]:
    """Return the JSON Schemas of external players in an experiment file."""
    schemas = []
    for kind, external_kind in EXTERNAL.items():
        options = external_kind.entries.schema()
        if kind == UCI:
            options["oneOf"] = [{"required": [name]} for name in LIMITS]
        schemas.append({
            "description": external_kind.sentence,
            "type": "object",
            "additionalProperties": False,
            "required": [kind],
            "properties": {kind: {"anyOf": [_CLASS_KIND.schema(), options]} if kind == PYTHON else options},
        })  # fmt: skip
    return schemas
