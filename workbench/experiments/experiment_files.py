"""Reading experiment files: keys with special forms, then the checks that involve several keys.

Special forms are targets, games that reach the cap, openings (lists of moves with which games begin) and published
results, which affect no verdict: reports print their differences from the baseline beside the experiment's own.

Only `check_given_lines`, which plays lines, starts a compiler; `workbench.runs.lines` draws lines.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from workbench import games
from workbench.base.errors import NONE, InputError, Problem, guess
from workbench.base.keys import Key, MappingOf, Number, Text, key, key_map, read_file, yaml_flow
from workbench.base.language import OR, quoted, tr
from workbench.base.project import Project
from workbench.base.yamlfile import Node
from workbench.experiments import measures
from workbench.experiments.design import BASE, vary_rulesets
from workbench.experiments.measures import TARGETS
from workbench.players import agents
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset

Target = list[float] | str
"""``[lowest, highest]`` or a limit such as ``<0.05``."""
_LIMIT = re.compile(r"[<>]=?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

THRESHOLD = 0.9
"""The default expected score at which a capped game is adjudicated as a win."""
THRESHOLDS = Number(0.6, 1, tr("an expected score"))
CAPPED: Mapping[str, str] = {
    "bounds": tr("They stay unfinished; intervals allow for either result."),
    "adjudicate": tr(
        "The strongest player in the experiment evaluates the last position; a side whose expected score is at "
        "least the threshold (by default {threshold}) has won, otherwise the game stays unfinished.",
        threshold=THRESHOLD,
    ),
}
"""The treatments of games that reach max_plies."""


@dataclass(frozen=True)
class Targets:
    """The key ``targets``: measures with the ranges that they should reach."""

    most_plies: int

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Target] | None:
        """Return the valid targets."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(tr('targets such as {draw_rate: "<0.05"}')))
            return None
        targets: dict[str, Target] = {}
        for name, entry in node.value.items():
            if name not in TARGETS:
                problems.append(entry.unknown(tr("a measure with a target"), name, TARGETS))
            elif (target := self._target(name, entry, problems)) is not None:
                targets[name] = target
        return targets

    def _target(self, name: str, node: Node, problems: list[Problem]) -> Target | None:
        high = float(self.most_plies) if name == "plies" else 1.0
        limit = node.text.strip()
        if isinstance(node.value, str) and _LIMIT.fullmatch(limit) and float(limit.lstrip("<>= ")) <= high:
            return limit
        if isinstance(node.value, tuple) and len(node.value) == 2:
            ends = [float(item.value) for item in node.value if type(item.value) in (int, float)]  # type: ignore[arg-type]
            if len(ends) == 2 and 0 <= ends[0] <= ends[1] <= high:
                return ends
        actual = node.plain() if isinstance(node.value, tuple) else node.describe()
        expected = tr('[lowest, highest] or a limit such as "<0.05", from 0 to {high:,.0f}', high=high)
        problems.append(node.expected(expected, found=actual))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a range or a limit for each measure."""
        band = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}
        target = {"anyOf": [band, {"type": "string", "pattern": f"^{_LIMIT.pattern}$"}]}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {"description": description, **target} for name, description in TARGETS.items()},
        }


_THRESHOLD = Key(
    "threshold", THRESHOLDS, tr("The expected score at which a side is declared the winner."), 0.95, default=THRESHOLD
)
_ADJUDICATE = MappingOf("adjudicate", {_THRESHOLD.name: _THRESHOLD})


@dataclass(frozen=True)
class Capped:
    """``bounds``, ``adjudicate``, or ``{adjudicate: {threshold: 0.95}}``."""

    def read(self, node: Node, problems: list[Problem]) -> float | None:
        """Return the adjudication threshold, or None for ``bounds`` or an invalid value."""
        if isinstance(node.value, dict) and list(node.value) == ["adjudicate"]:
            options, problem_count = node.value["adjudicate"], len(problems)
            values = {} if options.value is None else _ADJUDICATE.values(options, problems)
            return values.get("threshold", THRESHOLD) if len(problems) == problem_count else None
        if node.is_scalar and node.text in CAPPED:
            return None if node.text == "bounds" else THRESHOLD
        hint = tr("or {{adjudicate: {{threshold: {threshold}}}}}", threshold=THRESHOLD)
        hint = guess(node.text, CAPPED) if node.is_scalar else hint
        problems.append(node.expected(OR.join(CAPPED), hint))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of both names and of the mapping with a threshold."""
        threshold = {"additionalProperties": False, "properties": _ADJUDICATE.schema()["properties"]}
        options = {"description": CAPPED["adjudicate"], "type": ["object", "null"], **threshold}
        names = [{"const": name, "description": description} for name, description in CAPPED.items()]
        mapping = {"type": "object", "required": ["adjudicate"], **threshold, "properties": {"adjudicate": options}}
        return {"anyOf": [*names, mapping], "default": "bounds"}


PUBLISHED_MEASURES = ("first_score", "draw_rate")
"""The measures for which results may be published."""
NORMAL_95 = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""
EXAMPLE = tr(
    "{first_wins: 772, draws: 8820, second_wins: 409} or {first_score: 0.518, draw_rate: [0.88, 0.89], games: 10000}"
)


class PublishedEstimate(NamedTuple):
    """A published share with its standard error."""

    value: float
    error: float


class PublishedShare:
    """A share of the games, or its 95 % interval."""

    share = Number(0, 1, tr("a share"))

    def read(self, node: Node, problems: list[Problem]) -> float | tuple[float, float] | None:
        """Return the share, or both ends of its interval."""
        if not isinstance(node.value, tuple):
            return self.share.read(node, problems)
        ends = [self.share.read(end, problems) for end in node.value]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] < ends[1]:
            return ends[0], ends[1]
        if None not in ends:
            problems.append(node.expected(tr("[low, high] with low below high"), found=node.plain()))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the schema of a share or an interval."""
        ends = {"type": "array", "items": self.share.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [self.share.schema(), ends]}


COUNTS = {
    "first_wins": tr("Games won by the first player."),
    "draws": tr("Drawn games."),
    "second_wins": tr("Games won by the second player."),
}
SHARES = {
    "first_score": tr("The first player's wins and half the draws, as a share of the games; or its 95 % interval."),
    "draw_rate": tr("Share of drawn games, or its 95 % interval."),
}
_GAMES = Number(0, 10**12, whole=True)
RESULT = MappingOf(
    tr("published results"),
    {
        **{name: Key(name, _GAMES, sentence, 0) for name, sentence in COUNTS.items()},
        **{name: Key(name, PublishedShare(), sentence, 0.5) for name, sentence in SHARES.items()},
        "games": Key("games", _GAMES, tr("Number of games, for shares without an interval."), 0),
    },
)


class PublishedResults:
    """``{chess/orthodox: {first_wins: 772, draws: 8820, second_wins: 409}, …}``."""

    def read(self, node: Node, problems: list[Problem]) -> dict[str, dict[str, PublishedEstimate]] | None:
        """Return the valid results; `check_published` checks the names of rulesets."""
        if not isinstance(node.value, dict) or not node.value:
            hint = tr("for example {{chess/orthodox: {example}}}", example=EXAMPLE)
            problems.append(node.expected(tr("rulesets with their results"), hint))
            return None
        results = {}
        for name, entry in node.value.items():
            problem_count = len(problems)
            results[name] = _estimates(RESULT.values(entry, problems))
            if not results[name] and len(problems) == problem_count:
                expected = tr("results such as {example}", example=EXAMPLE)
                problems.append(entry.expected(expected, found=yaml_flow(entry.plain())))
        return results

    def schema(self) -> dict[str, Any]:
        """Return the schema of counts or shares for each ruleset."""
        return {"type": "object", "minProperties": 2, "additionalProperties": RESULT.schema()}


def _estimates(values: Mapping[str, Any]) -> dict[str, PublishedEstimate]:
    """Return the score and the draw rate with multinomial standard errors, or {} if they cannot be determined."""
    if set(values) & set(COUNTS):
        if set(values) != set(COUNTS) or not any(values.values()):
            return {}
        games = sum(values.values())
        score, draw_rate = (values["first_wins"] + values["draws"] / 2) / games, values["draws"] / games
        values = {"first_score": score, "draw_rate": draw_rate, "games": games}
    estimates = {}
    for name in PUBLISHED_MEASURES:
        match values.get(name):
            case (low, high):
                estimates[name] = PublishedEstimate((low + high) / 2, (high - low) / (2 * NORMAL_95))
            case float(value):
                if not values.get("games"):
                    return {}
                draw_rate = values.get("draw_rate") if name == "first_score" else 0.0
                # If the score is impossible with this draw rate, the variance counts as zero.
                variance = value - value**2 - (draw_rate / 4 if isinstance(draw_rate, float) else 0.0)
                estimates[name] = PublishedEstimate(value, math.sqrt(max(variance, 0.0) / values["games"]))
    return estimates


@dataclass(frozen=True)
class Published:
    """The published results of some rulesets."""

    source: str = key(Text(), tr("Where the results were published."), "D. Author, Games, 2020", required=True)
    results: Mapping[str, Mapping[str, PublishedEstimate]] = key(
        PublishedResults(),
        tr("The published counts of games or shares for each ruleset, including the baseline."),
        {"chess/orthodox": {"first_wins": 772, "draws": 8820, "second_wins": 409}},
        required=True,
    )
    """Published estimates by ruleset and measure (of `PUBLISHED_MEASURES`)."""
    players: str = key(Text(), tr("The players and their time control."), "AlphaZero", default="")
    players_ja: str = key(Text(), tr("The same in Japanese."), "AlphaZero", default="")

    def canonical(self) -> dict[str, Any]:
        """Return the results as plain data."""
        texts = {name: getattr(self, name) for name in ("source", "players", "players_ja")}
        return texts | {"results": {
            ruleset: {name: list(item) for name, item in measures.items()} for ruleset, measures in self.results.items()
        }}  # fmt: skip


def published_from_provenance(recorded: Mapping[str, Any] | None) -> Published | None:
    """Return the published results that `Published.canonical` recorded in the provenance."""
    if not recorded:
        return None
    results = {
        str(ruleset): {str(measure): PublishedEstimate(*map(float, estimate)) for measure, estimate in measures.items()}
        for ruleset, measures in recorded["results"].items()
    }
    return Published(str(recorded["source"]), results, str(recorded["players"]), str(recorded["players_ja"]))


PUBLISHED = MappingOf("published", key_map(Published), Published)


def check_published(
    node: Node | None, published: Published | None, rulesets: Collection[str], baseline: str
) -> list[Problem]:
    """Return the problems: published rulesets that are not in the experiment, or a baseline without results."""
    if node is None or published is None:
        return []
    problems = []
    for name in [name for name in published.results if name not in rulesets]:
        hint = guess(name, rulesets, tr("there are {names}"))
        problems.append(node.descendant("results", name).unknown(tr("a ruleset in this experiment"), name, hint=hint))
    if baseline and baseline not in published.results:
        expected, hint = tr("results of the baseline {name}", name=baseline), tr("the differences from it are compared")
        problems.append(node.descendant("results").expected(expected, hint, found=NONE))
    return problems


# Openings

PLIES = Number(1, 100, whole=True)
LINES = Number(20, 10_000, whole=True)
"""Fewer than 20 lines do not show how much lines differ."""
MOST_GIVEN = 1_000
DEFAULT_LINES = 500
JUDGE = AgentSpec.of("alphabeta", depth=3).judge()
"""The default judge of random lines."""


class Judge:
    """A player that can judge a position."""

    def read(self, node: Node, problems: list[Problem]) -> AgentSpec | None:
        """Return the player without randomness or style."""
        judge = agents.read_agent(node, problems)
        if judge is not None and agents.strongest_player([judge]) is None:
            hint = tr("for instance {judge}", judge=JUDGE.label)
            problems.append(node.unknown(tr("a player that can evaluate a position"), judge.label, hint=hint))
        return judge and judge.judge()

    def schema(self) -> dict[str, Any]:
        """Return the schema of an agent."""
        return {"$ref": "#/$defs/agent"}


@dataclass(frozen=True)
class DrawnLines:
    """Lines of random legal moves, except those that practically win the game for a side."""

    plies: int = key(PLIES, tr("Number of plies per line."), 4, required=True)
    lines: int = key(
        LINES, tr("The number of lines; by default {default_lines}.", default_lines=DEFAULT_LINES), DEFAULT_LINES,
        default=DEFAULT_LINES,
    )  # fmt: skip
    threshold: float = key(
        THRESHOLDS,
        tr(
            "Lines that give a side at least this expected score are excluded; by default {threshold}.",
            threshold=THRESHOLD,
        ), THRESHOLD, default=THRESHOLD,
    )  # fmt: skip
    """The expected score, ½ to 1, of a practically won position."""
    judge: AgentSpec = key(
        Judge(), tr("The player that evaluates positions, without noise; by default {judge}.", judge=JUDGE.label),
        JUDGE.label, default=JUDGE,
    )  # fmt: skip
    """Without randomness or style; see `AgentSpec.judge`."""

    def canonical(self) -> dict[str, Any]:
        """Return everything besides the seed and the rules that determines the lines, as plain data."""
        numbers = {name: getattr(self, name) for name in ("plies", "lines", "threshold")}
        return numbers | {"judge": self.judge.label, "options": self.judge.canonical()}


_DRAWN = MappingOf("openings", key_map(DrawnLines), DrawnLines)


@dataclass(frozen=True)
class GivenLines:
    """Lines listed in the file."""

    lines: tuple[str, ...]
    """Moves in the notation of the game, separated by spaces."""
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """The lines' nodes in the file."""

    def canonical(self) -> dict[str, Any]:
        """Return the lines as plain data."""
        return {"given": list(self.lines)}


Lines = DrawnLines | GivenLines


def lines_from_provenance(recorded: Mapping[str, Any] | None) -> Lines | None:
    """Return the openings that ``canonical`` recorded in the provenance."""
    if not recorded:
        return None
    if "given" in recorded:
        return GivenLines(tuple(str(line) for line in recorded["given"]))
    judge = AgentSpec.from_provenance(str(recorded["judge"]), recorded["options"])
    return DrawnLines(int(recorded["plies"]), int(recorded["lines"]), float(recorded["threshold"]), judge)


@dataclass(frozen=True)
class Openings:
    """``{plies: 4, lines: 500}``, or a list of lines."""

    def read(self, node: Node, problems: list[Problem]) -> Lines | None:
        """Return the openings; given lines are not yet checked for legality."""
        if isinstance(node.value, dict):
            random_lines: DrawnLines | None = _DRAWN.read(node, problems)
            return random_lines
        if not isinstance(node.value, tuple):
            expected = tr('random lines, such as {plies: 4, lines: 500}, or a list of lines, such as ["f9 Ok2 Oi4"]')
            problems.append(node.expected(expected))
            return None
        items = node.value
        if not 1 <= len(items) <= MOST_GIVEN:
            problems.append(node.expected(tr("1 to {most:,} lines", most=MOST_GIVEN), found=f"{len(items):,}"))
        lines: dict[str, Node] = {}
        for item in items:
            line = " ".join(item.text.split()) if item.is_scalar else ""
            if not line:
                hint = tr("moves separated by spaces, in quotation marks")
                problems.append(item.expected(tr('a line such as "f9 Ok2 Oi4"'), hint))
            elif line in lines:
                problems.append(item.repeated(tr("line"), quoted(line)))
            else:
                lines[line] = item
        return GivenLines(tuple(lines), tuple(lines.values())) if lines else None

    def schema(self) -> dict[str, Any]:
        """Return the schema of random lines and of given lines."""
        random_lines = {"description": tr("Lines of random legal moves."), **_DRAWN.schema()}
        given_lines = {
            "description": tr("Lines in the game's notation, with moves separated by spaces."), "type": "array",
            "minItems": 1, "maxItems": MOST_GIVEN, "uniqueItems": True, "items": {"type": "string", "minLength": 1},
        }  # fmt: skip
        return {"anyOf": [random_lines, given_lines]}


def check_given_lines(openings: Lines | None, rulesets: Iterable[Ruleset]) -> list[Problem]:
    """Return a problem for each given line that is illegal or ends the game under a ruleset."""
    if not isinstance(openings, GivenLines):
        return []
    from workbench.positions.game_state import GameState

    problems = []
    for number, (line, node) in enumerate(zip(openings.lines, openings.nodes, strict=True), start=1):
        for ruleset in rulesets:
            game_state = GameState(ruleset.game, ruleset.unswapped.codes())
            if refusal := line_refusal(game_state, line):
                reason, hint = refusal
                message = tr("line {number}, '{line}', is not legal under {ruleset}: {reason}").format(
                    number=number, line=line, ruleset=ruleset.name, reason=reason
                )
                problems.append(node.problem(message, hint))
    return problems


def line_refusal(game_state: Any, line: str) -> tuple[str, str] | None:
    """Play a line; return the reason why it is illegal or ends the game, and a hint, or None if the game continues."""
    from workbench.engine import contract

    for number, text in enumerate(line.split(), start=game_state.plies + 1):
        result, termination = game_state.outcome()
        if result != contract.ONGOING:
            message = tr("before move {number}, {move}, the game is over ({termination})")
            return message.format(number=number, move=text, termination=termination), ""
        if reason := game_state.why_not(text):
            message = tr("move {number}, {move}: {reason}", number=number, move=text, reason=reason)
            return message, guess(text, game_state.legal_texts())
        game_state.push_text(text)
    result, termination = game_state.outcome()
    if result == contract.ONGOING:
        return None
    message = tr("the game is over after it ({termination}), leaving nothing to play", termination=termination)
    return message, tr("remove its last move")


# Reading a file

LOOKS_UNTIL, LOOKS_PRECISION = 5, 20
"""Default numbers of interim analyses: those for verdicts cost power, those for precision only time."""

Pairing = tuple[AgentSpec, AgentSpec]


class ExperimentReader:
    """Reads an experiment file and adds its mistakes to ``problems``."""

    def __init__(
        self, root: Node, keys: Mapping[str, Key], project: Project, problems: list[Problem],
        known: Mapping[str, Ruleset],
    ) -> None:  # fmt: skip
        """Prepare to read ``keys``, given by field name; ``known`` rulesets need not be in the project."""
        assert isinstance(root.value, dict)
        self.root, self.keys, self.project, self.problems, self.known = root, keys, project, problems, known
        self.entries = root.value
        self.library = Library(project)
        self.labels: dict[str, AgentSpec] = {}

    def values(self) -> dict[str, Any]:
        """Return the values of the fields, with defaults for missing and invalid ones so that checking can continue."""
        values = read_file(self.root, self.keys, tr("an experiment"), self.problems)
        values["title"] = values["title"] or values["title_ja"]
        vary = self.entries.get("vary")
        if vary is None and "design" in self.entries:
            self.problems.append(self.entries["design"].problem(tr("'design' has no effect without 'vary'")))
        rulesets, variation = self._rulesets(values["rulesets"] or (), vary, values["design"] or "full")
        game_names = list(dict.fromkeys(ruleset.game for ruleset in rulesets))
        mirrors, pairings = self._pairings(values["agents"], values["pairings"], rulesets)
        question = measures.read_question(self.entries.get("question"), game_names, self.problems)
        values |= {
            "rulesets": tuple(rulesets), "factors": {}, "design": "", **variation, "baseline": self._baseline(rulesets),
            "agents": mirrors, "pairings": pairings, "question": question.question_key,
            "margin": question.read_margin(self.entries.get("margin"), self.problems),
            "measures": tuple(dict.fromkeys((question.name, *values["measures"]))) if values["measures"] else (),
        }  # fmt: skip
        names = [ruleset.name for ruleset in rulesets]
        self.problems += check_published(
            self.entries.get("published"), values["published"], names, str(values["baseline"])
        )
        self._check_ends(values)
        self._check_judge(values["adjudicate"], pairings)
        self._check_openings(values["openings"], question, values["max_plies"], game_names)
        if isinstance(values["openings"], DrawnLines):
            values["openings"] = replace(values["openings"], judge=values["openings"].judge.within(rulesets))
        return values

    def _rulesets(self, nodes: Sequence[Node], vary: Node | None, design: str) -> tuple[list[Ruleset], dict[str, Any]]:
        """Return the listed and the varied rulesets, and the fields of the variation."""
        listed = [(ruleset, node) for node in nodes if (ruleset := self._ruleset(node)) is not None]
        variation: dict[str, Any] = {}
        if vary is not None and isinstance(vary.value, dict):
            bases: list[Ruleset | None] = []
            if BASE in vary.value:
                base = vary.value[BASE]
                bases = [self._ruleset(node) for node in (base.value if isinstance(base.value, tuple) else (base,))]
            elif len(nodes) == 1:
                bases = [listed.pop()[0] if listed else None]
            else:
                hint = tr("name it there, or as {base} in 'vary'", base=f"{BASE}: GAME/NAME")
                self.problems.append(vary.expected(tr("one ruleset in 'rulesets' to vary"), hint, found=len(nodes)))
            loaded = [base for base in bases if base is not None]
            if loaded and len(loaded) == len(bases):
                varied, variation = vary_rulesets(loaded, vary, design, self.problems)
                listed += [(ruleset, vary) for ruleset in varied]
        # Two rulesets with the same rules would play every game twice.
        unique: dict[tuple[str, str], Ruleset] = {}
        for ruleset, node in listed:
            twin = unique.setdefault((ruleset.game, ruleset.fingerprint), ruleset)
            if twin is not ruleset:
                duplicate = tr("'{ruleset}' with the same rules as '{twin}'", ruleset=ruleset.name, twin=twin.name)
                hint = tr("its games would be identical; leave it out")
                self.problems.append(node.expected(tr("rulesets that differ"), hint, found=duplicate))
        return [ruleset for ruleset, _ in listed], variation

    def _ruleset(self, node: Node) -> Ruleset | None:
        if node.is_scalar and node.text in self.known:
            return self.known[node.text]
        if not node.is_scalar or node.text.endswith((".yaml", ".yml")):
            hint = tr("ruleset names look like chatra/2008-02") if node.is_scalar else ""
            self.problems.append(node.expected(tr("the name of a ruleset"), hint))
            return None
        try:
            return rulesets.load_ruleset(node.text, library=self.library)
        except InputError as error:
            self.problems += [item if item.file else node.problem(item.message, item.hint) for item in error.problems]
            return None

    def _baseline(self, candidates: Sequence[Ruleset]) -> str:
        node = self.entries.get("baseline")
        if node is None:
            return candidates[0].name if candidates else ""
        names = [ruleset.name for ruleset in candidates]
        if node.is_scalar and node.text in names:
            return node.text
        # The varied ruleset is a valid baseline if one of the combinations equals it.
        if node.is_scalar and node.text in self.library.catalogue:
            with contextlib.suppress(InputError):
                fingerprint = rulesets.load_ruleset(node.text, library=self.library).fingerprint
                if matching := [ruleset.name for ruleset in candidates if ruleset.fingerprint == fingerprint]:
                    return matching[0]
        if candidates:
            hint = guess(node.text, names) if node.is_scalar else ""
            self.problems.append(node.expected(tr("one of the experiment's rulesets"), hint))
        return ""

    def _pairings(
        self, agent_nodes: Iterable[Node], pair_nodes: Iterable[Node], compared: Sequence[Ruleset]
    ) -> tuple[tuple[AgentSpec, ...], tuple[Pairing, ...]]:
        """Return the agents that play against themselves, and all pairings, including those of an agent with itself."""
        pairings: dict[Pairing, None] = {}

        def add(first: AgentSpec, second: AgentSpec, node: Node) -> None:
            if (first, second) in pairings:
                self.problems.append(node.repeated(tr("pairing"), f"{first.label} – {second.label}"))
            pairings[first, second] = None

        for node in agent_nodes:
            for agent in self._agents(node, compared):
                add(agent, agent, node)
        mirrors = tuple(first for first, _ in pairings)
        for node in pair_nodes:
            if not isinstance(node.value, tuple) or len(node.value) != 2:
                count = tr("{count} items", count=len(node.value)) if isinstance(node.value, tuple) else None
                self.problems.append(node.expected(tr("two agents [first, second]"), found=count))
                continue
            seats = [self._agents(seat_node, compared) for seat_node in node.value]
            budgets = [[agent.nodes for agent in seat] for seat in seats]
            same_budgets = budgets[0] == budgets[1] or all(len(set(seat)) == 1 for seat in budgets)
            same_trainings = len({tuple(agent.training for agent in seat) for seat in seats}) == 1
            # Pair agents with equal budgets and training runs; otherwise pair all.
            pairs = zip(*seats, strict=True) if same_budgets and same_trainings else itertools.product(*seats)
            for first, second in pairs:
                add(first, second, node)
        return mirrors, tuple(pairings)

    def _agents(self, node: Node, compared: Sequence[Ruleset]) -> list[AgentSpec]:
        """Return the agents of a node: one for each of its search budgets and training runs."""
        specs = [agent.within(compared) for agent in agents.read_agents(node, self.problems, self.project)]
        declarations = [games.declaration(game) for game in dict.fromkeys(ruleset.game for ruleset in compared)]
        for agent in specs[:1]:
            agents.check_agent_features(agent, node, declarations, self.problems)
            agents.check_uci_variants(agent, node, compared, self.problems)
        for agent in specs:
            if self.labels.setdefault(agent.label, agent).canonical() != agent.canonical():
                duplicate = tr("a second '{agent}' with different options", agent=agent.label)
                hint = tr("give it a name: {{{kind}: {{..., name: {agent}-b}}}}", kind=agent.kind, agent=agent.label)
                self.problems.append(node.expected(tr("agents with distinct labels"), hint, found=duplicate))
            others = [label for label, other in self.labels.items() if other.canonical() == agent.canonical()]
            if others and others[0] != agent.label:
                twin = tr("'{agent}', which plays like '{other}'", agent=agent.label, other=others[0])
                hint = tr("its games would be identical")
                self.problems.append(node.expected(tr("agents that differ"), hint, found=twin))
        return specs

    def _check_ends(self, values: dict[str, Any]) -> None:
        """Check the keys that end cells early, and set the default for ``looks``."""
        if "looks" in self.entries and not {"until", "precision"} & self.entries.keys():
            self.problems.append(
                self.entries["looks"].problem(tr("'looks' has no effect without 'until' or 'precision'"))
            )
        default = LOOKS_UNTIL if values["until"] else LOOKS_PRECISION if values["precision"] else None
        values["looks"] = values["looks"] or default
        if values["until"] and values["precision"]:
            self.problems.append(self.entries["precision"].both("'until'", "'precision'"))
        if values["until"] and len(values["rulesets"]) == 1 and not values["targets"]:
            message = tr("there is nothing to decide: expected at least two rulesets, or targets")
            self.problems.append(self.entries["until"].problem(message))

    def _check_judge(self, threshold: float | None, pairings: Iterable[Pairing]) -> None:
        players = [player for pairing in pairings for player in pairing]
        if threshold is not None and players and agents.strongest_player(players) is None:
            judge = tr("a player that can evaluate a position (any but random and external ones)")
            hint = tr("add one, or keep the games unfinished with 'capped: bounds'")
            self.problems.append(self.entries["capped"].expected(judge, hint, found=NONE))

    def _check_openings(
        self, openings: Lines | None, question: measures.Measure, max_plies: int, game_names: Iterable[str]
    ) -> None:
        if openings is None:
            return
        node = self.entries["openings"]
        if isinstance(openings, DrawnLines):
            longest, longest_node = openings.plies, node.descendant("plies")
            declarations = map(games.declaration, game_names)
            agents.check_agent_features(openings.judge, node.descendant("judge"), declarations, self.problems)
        else:
            lengths = [len(line.split()) for line in openings.lines]
            longest, longest_node = max(zip(lengths, openings.nodes, strict=True), key=lambda pair: pair[0])
        if longest >= max_plies:
            shorter = tr("fewer plies than max_plies ({max_plies})", max_plies=max_plies)
            self.problems.append(longest_node.expected(shorter, found=longest))
        if question.name == "variety":
            hint = tr("remove 'openings', or ask another question")
            other_question = tr("a different question, because the file sets the openings")
            self.problems.append(self.entries["question"].expected(other_question, hint))
