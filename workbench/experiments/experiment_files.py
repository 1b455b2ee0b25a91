"""Files of experiments: keys with forms of their own, and reading the keys, each by itself and then together.

Of their own form are targets, games that reach the cap, openings (the lines, lists of opening moves, with which games
begin) and published results. The latter decide nothing: reports set the differences between the baseline and the other
rulesets beside the same differences of the experiment's own games.

Which lines are drawn is seen when the rules are played (`workbench.runs.lines`): this module starts no compiler until
`check_given_lines` asks whether the lines that were given are legal.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from workbench import games
from workbench.base.errors import NONE, InputError, Problem, guess
from workbench.base.keys import Key, MappingOf, Number, Text, key, keys_of, read_file, yaml_flow
from workbench.base.language import OR, quoted, tr
from workbench.base.project import Project
from workbench.base.yamlfile import Node
from workbench.experiments import measures
from workbench.experiments.design import BASE, Variation, vary_rulesets
from workbench.experiments.measures import TARGETS
from workbench.players import agents
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset

# Targets and games that reach the cap

Target = list[float] | str
"""``[lowest, highest]`` or a limit such as ``<0.05``."""
_LIMIT = re.compile(r"[<>]=?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

THRESHOLD = 0.9
"""From which expected score on a capped game is adjudicated to a side, if nothing is said."""
THRESHOLDS = Number(0.6, 1, tr("an expected score"))
"""The range of a threshold."""
CAPPED: Mapping[str, str] = {
    "bounds": tr("They stay unfinished; intervals allow for either result."),
    "adjudicate": tr(
        "The strongest player of the experiment judges the last position; a side whose expected "
        "score is at least the threshold ({threshold} if left out) has won, and else the game "
        "stays unfinished.",
        threshold=THRESHOLD,
    ),
}
"""The treatments of games that reach max_plies."""


@dataclass(frozen=True)
class Targets:
    """Measures and what they should reach."""

    most_plies: int

    def read(self, node: Node, problems: list[Problem]) -> dict[str, Target] | None:
        """Return the targets that are right."""
        if not isinstance(node.value, dict):
            problems.append(node.expected(tr('targets such as {draw_rate: "<0.05"}')))
            return None
        targets: dict[str, Target] = {}
        for name, inner in node.value.items():
            if name not in TARGETS:
                problems.append(inner.unknown(tr("something to set a target for"), name, TARGETS))
            elif (target := self._target(name, inner, problems)) is not None:
                targets[name] = target
        return targets

    def _target(self, name: str, node: Node, problems: list[Problem]) -> Target | None:
        high = float(self.most_plies) if name == "plies" else 1.0
        limit = node.text.strip()
        if isinstance(node.value, str) and _LIMIT.fullmatch(limit) and float(limit.lstrip("<>= ")) <= high:
            return limit
        if isinstance(node.value, tuple) and len(node.value) == 2:
            ends = [float(each.value) for each in node.value if type(each.value) in (int, float)]  # type: ignore[arg-type]
            if len(ends) == 2 and 0 <= ends[0] <= ends[1] <= high:
                return ends
        what = node.plain() if isinstance(node.value, tuple) else node.describe()
        expected = tr('[lowest, highest] or a limit such as "<0.05", from 0 to {high:,.0f}', high=high)
        problems.append(node.expected(expected, found=what))
        return None

    def schema(self) -> dict[str, Any]:
        """Return a band or a limit for each measure."""
        band = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}
        target = {"anyOf": [band, {"type": "string", "pattern": f"^{_LIMIT.pattern}$"}]}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {"description": text, **target} for name, text in TARGETS.items()},
        }


_THRESHOLD = Key(
    "threshold", THRESHOLDS, tr("The expected score from which on a side has won."), 0.95, default=THRESHOLD
)
_ADJUDICATE = MappingOf("adjudicate", {_THRESHOLD.name: _THRESHOLD})


@dataclass(frozen=True)
class Capped:
    """``bounds``, ``adjudicate``, or ``{adjudicate: {threshold: 0.95}}``."""

    def read(self, node: Node, problems: list[Problem]) -> float | None:
        """The threshold of adjudication; None if games that reach the cap stay unfinished, or for a wrong value."""
        if isinstance(node.value, dict) and list(node.value) == ["adjudicate"]:
            options, before = node.value["adjudicate"], len(problems)
            values = {} if options.value is None else _ADJUDICATE.values(options, problems)
            return values.get("threshold", THRESHOLD) if len(problems) == before else None
        if node.is_scalar and node.text in CAPPED:
            return None if node.text == "bounds" else THRESHOLD
        hint = tr("or {{adjudicate: {{threshold: {threshold}}}}}", threshold=THRESHOLD)
        hint = guess(node.text, CAPPED) if node.is_scalar else hint
        problems.append(node.expected(OR.join(CAPPED), hint))
        return None

    def schema(self) -> dict[str, Any]:
        """Return the names, or the threshold as an option."""
        options = {
            "description": CAPPED["adjudicate"], "type": ["object", "null"], "additionalProperties": False,
            "properties": _ADJUDICATE.schema()["properties"],
        }  # fmt: skip
        names = [{"const": name, "description": sentence} for name, sentence in CAPPED.items()]
        mapping = {
            "type": "object", "additionalProperties": False, "required": ["adjudicate"],
            "properties": {"adjudicate": options},
        }  # fmt: skip
        return {"anyOf": [*names, mapping], "default": "bounds"}


# Published results

PUBLISHED_MEASURES = ("first_score", "draw_rate")
"""The measures that are compared."""
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

    one = Number(0, 1, tr("a share"))

    def read(self, node: Node, problems: list[Problem]) -> float | tuple[float, float] | None:
        """Return the share, or both ends."""
        if not isinstance(node.value, tuple):
            return self.one.read(node, problems)
        ends = [self.one.read(each, problems) for each in node.value]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] < ends[1]:
            return ends[0], ends[1]
        if None not in ends:
            problems.append(node.expected(tr("[low, high] with low below high"), found=node.plain()))
        return None

    def schema(self) -> dict[str, Any]:
        """Return a number or two."""
        ends = {"type": "array", "items": self.one.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [self.one.schema(), ends]}


COUNTS = {
    "first_wins": tr("Games that the first player won."),
    "draws": tr("Games that were drawn."),
    "second_wins": tr("Games that the second player won."),
}
SHARES = {
    "first_score": tr("Wins and half the draws of the first player, as a share of the games; or its 95 % interval."),
    "draw_rate": tr("Share of the games that were drawn; or its 95 % interval."),
}
_GAMES = Number(0, 10**12, whole=True)
RESULT = MappingOf(
    tr("published results"),
    {
        **{name: Key(name, _GAMES, sentence, 0) for name, sentence in COUNTS.items()},
        **{name: Key(name, PublishedShare(), sentence, 0.5) for name, sentence in SHARES.items()},
        "games": Key("games", _GAMES, tr("Number of games, where a share stands without its interval."), 0),
    },
)


class PublishedResults:
    """``{chess/orthodox: {first_wins: 772, draws: 8820, second_wins: 409}, …}``."""

    def read(self, node: Node, problems: list[Problem]) -> dict[str, dict[str, PublishedEstimate]] | None:
        """Return the results as far as they are right; which rulesets there are is checked by `check_published`."""
        if not isinstance(node.value, dict) or not node.value:
            hint = tr("for instance {{chess/orthodox: {example}}}", example=EXAMPLE)
            problems.append(node.expected(tr("rulesets with their results"), hint))
            return None
        return {name: self._of_ruleset(each, problems) for name, each in node.value.items()}

    def _of_ruleset(self, node: Node, problems: list[Problem]) -> dict[str, PublishedEstimate]:
        before = len(problems)
        estimates = _estimates(RESULT.values(node, problems))
        if not estimates and len(problems) == before:
            what = tr("results such as {example}", example=EXAMPLE)
            problems.append(node.expected(what, found=yaml_flow(node.plain())))
        return estimates

    def schema(self) -> dict[str, Any]:
        """For each ruleset numbers of games or shares."""
        return {"type": "object", "minProperties": 2, "additionalProperties": RESULT.schema()}


def _estimates(values: Mapping[str, Any]) -> dict[str, PublishedEstimate]:
    """Score and draws with their standard errors, by the multinomial distribution of results.

    Nothing where too little is values, or counts and shares together.
    """
    if set(values) & set(COUNTS):
        if set(values) != set(COUNTS) or not any(values.values()):
            return {}
        games = sum(values.values())
        score, drawn = (values["first_wins"] + values["draws"] / 2) / games, values["draws"] / games
        values = {"first_score": score, "draw_rate": drawn, "games": games}
    found = {}
    for name in PUBLISHED_MEASURES:
        match values.get(name):
            case (low, high):
                found[name] = PublishedEstimate((low + high) / 2, (high - low) / (2 * NORMAL_95))
            case float(value):
                if not values.get("games"):
                    return {}
                drawn = values.get("draw_rate") if name == "first_score" else 0.0
                # Wins are the score less half the draws; a score that its draws do not allow has no spread.
                spread = value - value**2 - (drawn / 4 if isinstance(drawn, float) else 0.0)
                found[name] = PublishedEstimate(value, math.sqrt(max(spread, 0.0) / values["games"]))
    return found


@dataclass(frozen=True)
class Published:
    """The published results of some rulesets."""

    source: str = key(Text(), tr("Where the results were published."), "D. Author, Games, 2020", required=True)
    results: Mapping[str, Mapping[str, PublishedEstimate]] = key(
        PublishedResults(),
        tr("What was published for each ruleset, the baseline among them: numbers of games, or shares."),
        {"chess/orthodox": {"first_wins": 772, "draws": 8820, "second_wins": 409}},
        required=True,
    )
    """Ruleset -> measure (of `PUBLISHED_MEASURES`) -> what was published."""
    players: str = key(Text(), tr("Who played, and at what time control."), "AlphaZero", default="")
    players_ja: str = key(Text(), tr("The same in Japanese."), "AlphaZero", default="")

    def canonical(self) -> dict[str, Any]:
        """Return the results as plain data."""
        texts = {name: getattr(self, name) for name in ("source", "players", "players_ja")}
        return texts | {"results": {
            ruleset: {name: list(each) for name, each in measures.items()} for ruleset, measures in self.results.items()
        }}  # fmt: skip


def published_from_provenance(recorded: Mapping[str, Any] | None) -> Published | None:
    """Return the published results of an experiment, from their form in provenance (`Published.canonical`)."""
    if not recorded:
        return None
    results = {
        str(ruleset): {str(measure): PublishedEstimate(*map(float, each)) for measure, each in measures.items()}
        for ruleset, measures in recorded["results"].items()
    }
    return Published(str(recorded["source"]), results, str(recorded["players"]), str(recorded["players_ja"]))


PUBLISHED = MappingOf("published", keys_of(Published), Published)


def check_published(
    node: Node | None, published: Published | None, rulesets: Collection[str], baseline: str
) -> list[Problem]:
    """Rulesets with published results that the experiment does not play, and a baseline without any."""
    if node is None or published is None:
        return []
    problems = [
        node.descendant("results", name).unknown(
            tr("a ruleset of this experiment"), name, hint=guess(name, rulesets, tr("there are {names}"))
        )
        for name in published.results
        if name not in rulesets
    ]
    if baseline and baseline not in published.results:
        what, hint = tr("results of the baseline {name}", name=baseline), tr("differences from it are compared")
        problems.append(node.descendant("results").expected(what, hint, found=NONE))
    return problems


# Openings

PLIES = Number(1, 100, whole=True)
LINES = Number(20, 10_000, whole=True)
"""Fewer lines than 20 do not tell how much lines differ."""
MOST_GIVEN = 1_000
DEFAULT_LINES = 500
JUDGE = AgentSpec.of("alphabeta", depth=3).judge()
"""The default judge of lines that are drawn."""


class Judge:
    """A player that can judge a position."""

    def read(self, node: Node, problems: list[Problem]) -> AgentSpec | None:
        """Return the player, without chance, noise or style."""
        judge = agents.read_agent(node, problems)
        if judge is not None and agents.strongest_player([judge]) is None:
            hint = tr("for instance {judge}", judge=JUDGE.label)
            problems.append(node.unknown(tr("a player that can judge a position"), judge.label, hint=hint))
        return judge and judge.judge()

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of an agent."""
        return {"$ref": "#/$defs/agent"}


@dataclass(frozen=True)
class DrawnLines:
    """Lines of random legal moves; those after which a side has as good as won are left out."""

    plies: int = key(PLIES, tr("Plies of each line."), 4, required=True)
    lines: int = key(
        LINES, tr("Lines that are drawn; {default_lines} if left out.", default_lines=DEFAULT_LINES), DEFAULT_LINES,
        default=DEFAULT_LINES,
    )  # fmt: skip
    threshold: float = key(
        THRESHOLDS,
        tr(
            "A line is left out if a side's expected score after it is at least this; {threshold} if left out.",
            threshold=THRESHOLD,
        ), THRESHOLD, default=THRESHOLD,
    )  # fmt: skip
    """From which expected score on, ½ to 1, a side has as good as won."""
    judge: AgentSpec = key(
        Judge(), tr("The player that says what is expected, without noise; {judge} if left out.", judge=JUDGE.label),
        JUDGE.label, default=JUDGE,
    )  # fmt: skip
    """As `AgentSpec.judge` has it: without chance, noise or style."""

    def canonical(self) -> dict[str, Any]:
        """All that decides which lines are drawn, but for the seed and the rules, as plain data."""
        numbers = {name: getattr(self, name) for name in ("plies", "lines", "threshold")}
        return numbers | {"judge": self.judge.label, "options": self.judge.canonical()}


_DRAWN = MappingOf("openings", keys_of(DrawnLines), DrawnLines)


@dataclass(frozen=True)
class GivenLines:
    """Lines that the file writes."""

    lines: tuple[str, ...]
    """Each in the notation of the game, with one space between two moves."""
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """Where the file writes them."""

    def canonical(self) -> dict[str, Any]:
        """Return the lines as plain data."""
        return {"given": list(self.lines)}


Lines = DrawnLines | GivenLines


def lines_from_provenance(recorded: Mapping[str, Any] | None) -> Lines | None:
    """Return the openings of an experiment, from their form in provenance (`canonical`)."""
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
        """Return the openings as far as the file alone tells them."""
        if isinstance(node.value, dict):
            drawn: DrawnLines | None = _DRAWN.read(node, problems)
            return drawn
        if not isinstance(node.value, tuple):
            example = tr('lines to draw, such as {plies: 4, lines: 500}, or a list of lines, such as ["f9 Ok2 Oi4"]')
            problems.append(node.expected(example))
            return None
        items = node.value
        if not 1 <= len(items) <= MOST_GIVEN:
            problems.append(node.expected(tr("1 to {most:,} lines", most=MOST_GIVEN), found=f"{len(items):,}"))
        lines: dict[str, Node] = {}
        for item in items:
            line = " ".join(item.text.split()) if item.is_scalar else ""
            if not line:
                hint = tr("moves with spaces between them, in quotation marks")
                problems.append(item.expected(tr('a line such as "f9 Ok2 Oi4"'), hint))
            elif line in lines:
                problems.append(item.repeated(tr("line"), quoted(line)))
            else:
                lines[line] = item
        return GivenLines(tuple(lines), tuple(lines.values())) if lines else None

    def schema(self) -> dict[str, Any]:
        """Both forms."""
        drawn = {"description": tr("Lines of random legal moves."), **_DRAWN.schema()}
        given = {
            "description": tr("Lines in the notation of the game, moves with spaces between them."), "type": "array",
            "minItems": 1, "maxItems": MOST_GIVEN, "uniqueItems": True, "items": {"type": "string", "minLength": 1},
        }  # fmt: skip
        return {"anyOf": [drawn, given]}


def check_given_lines(openings: Lines | None, rulesets: Iterable[Ruleset]) -> list[Problem]:
    """The problems of lines that a file gives: of each line the first move that is not legal, ruleset by ruleset.

    A line after which the game is over is wrong, too: nobody has a choice left. Loads the kernels of the games.
    """
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
    """Why a line cannot be played to its end with a choice left after it, and a hint; None if it can.

    The moves that are legal are played in ``game_state``.
    """
    from workbench.engine import contract

    for text in line.split():
        result, termination = game_state.outcome()
        if result != contract.ONGOING:
            message = tr("before move {number}, {move}, the game is over ({termination})")
            return message.format(number=game_state.plies + 1, move=text, termination=termination), ""
        if reason := game_state.why_not(text):
            return tr("move {number}, {move}: {reason}", number=game_state.plies + 1, move=text, reason=reason), guess(
                text, game_state.legal_texts()
            )
        game_state.push_text(text)
    result, termination = game_state.outcome()
    if result != contract.ONGOING:
        return tr(
            "the game is over after it ({termination}), and nobody has a choice left", termination=termination
        ), tr("leave out its last move")
    return None


# Reading a file

LOOKS_UNTIL, LOOKS_PRECISION = 5, 20
"""Default numbers of interim analyses: for verdicts they cost certainty, for precision only time."""

Pairing = tuple[AgentSpec, AgentSpec]


@dataclass
class ExperimentReader:
    """One file while it is read; adds to ``problems`` what is wrong with it."""

    root: Node
    keys: Mapping[str, Key]
    """By the names of the experiment's fields."""
    project: Project
    problems: list[Problem]
    known: Mapping[str, Ruleset] = field(default_factory=dict)
    """Rulesets beside the project's."""

    def __post_init__(self) -> None:
        assert isinstance(self.root.value, dict)
        self.entries = self.root.value
        self.library = Library(self.project)

    def values(self) -> dict[str, Any]:
        """Return the values of the fields; what is missing or wrong has its default, so that the rest can be judged."""
        values = read_file(self.root, self.keys, tr("an experiment"), self.problems)
        values["title"] = values["title"] or values["title_ja"]
        vary = self.entries.get("vary")
        if vary is None and "design" in self.entries:
            self.problems.append(self.entries["design"].problem(tr("a design does nothing without 'vary'")))
        listed, made = self._rulesets(values["rulesets"] or (), vary, values["design"] or "full")
        compared = [ruleset for ruleset, _ in listed]
        played = list(dict.fromkeys(ruleset.game for ruleset in compared))
        mirrors, pairings = self._pairings(values["agents"], values["pairings"], compared)
        asked = measures.read_question(self.entries.get("question"), played, self.problems)
        values |= {
            "rulesets": tuple(compared),
            "factors": made.factors,
            "levels": made.levels,
            "left_out": tuple(made.left_out),
            "design": (values["design"] or "full") if made.factors else "",
            "baseline": self._baseline(compared),
            "agents": mirrors,
            "pairings": pairings,
            "question": asked.question_key,
            "margin": asked.read_margin(self.entries.get("margin"), self.problems),
            "measures": tuple(dict.fromkeys((asked.name, *values["measures"]))) if values["measures"] else (),
            "looks": self._looks(values),
        }
        names = [ruleset.name for ruleset in compared]
        self.problems += check_published(
            self.entries.get("published"), values["published"], names, str(values["baseline"])
        )
        self._check_ends(values)
        self._check_judge(values["adjudicate"], pairings)
        self._check_openings(values["openings"], asked, values["max_plies"], played)
        if isinstance(values["openings"], DrawnLines):
            values["openings"] = replace(values["openings"], judge=values["openings"].judge.within(compared))
        return values

    # Rulesets

    def _rulesets(
        self, nodes: Sequence[Node], vary: Node | None, design: str
    ) -> tuple[list[tuple[Ruleset, Node]], Variation]:
        """Return the rulesets, each with the place where the file asks for it, and what was varied."""
        listed = [(ruleset, node) for node in nodes if (ruleset := self._ruleset(node)) is not None]
        made = Variation()
        if vary is not None and isinstance(vary.value, dict):
            bases: list[Ruleset | None] = []
            if BASE in vary.value:
                named = vary.value[BASE]
                bases = [self._ruleset(node) for node in (named.value if isinstance(named.value, tuple) else (named,))]
            elif len(nodes) == 1:
                bases = [listed.pop()[0] if listed else None]
            else:
                hint = tr("name it there, or as {base} within 'vary'", base=f"{BASE}: GAME/NAME")
                self.problems.append(vary.expected(tr("one ruleset in 'rulesets' to vary"), hint, found=len(nodes)))
            right = [base for base in bases if base is not None]
            if right and len(right) == len(bases):
                made = vary_rulesets(right, vary, design, self.problems)
                listed += [(ruleset, vary) for ruleset in made.rulesets]
        self._check_distinct(listed)
        return listed, made

    def _check_distinct(self, listed: Iterable[tuple[Ruleset, Node]]) -> None:
        """Note rulesets that are the same rules: that would play every game twice."""
        seen: dict[tuple[str, str], Ruleset] = {}
        for ruleset, node in listed:
            twin = seen.setdefault((ruleset.game, ruleset.fingerprint), ruleset)
            if twin is not ruleset:
                same = tr("'{ruleset}' with the rules of '{twin}'", ruleset=ruleset.name, twin=twin.name)
                hint = tr("its games would be the same ones; leave it out")
                self.problems.append(node.expected(tr("rulesets that differ"), hint, found=same))

    def _ruleset(self, node: Node) -> Ruleset | None:
        if node.is_scalar and node.text in self.known:
            return self.known[node.text]
        if not node.is_scalar or node.text.endswith((".yaml", ".yml")):
            hint = tr("rulesets have names such as chatra/2008-02") if node.is_scalar else ""
            self.problems.append(node.expected(tr("the name of a ruleset"), hint))
            return None
        try:
            return rulesets.load_ruleset(node.text, library=self.library)
        except InputError as error:
            for problem in error.problems:
                self.problems.append(problem if problem.file else node.problem(problem.message, problem.hint))
            return None

    def _baseline(self, compared: Sequence[Ruleset]) -> str:
        node = self.entries.get("baseline")
        if node is None:
            return compared[0].name if compared else ""
        known = [ruleset.name for ruleset in compared]
        if node.is_scalar and node.text in known:
            return node.text
        # The ruleset that is varied may be named itself, where one of the combinations equals it.
        if node.is_scalar and node.text in self.library.catalogue:
            try:
                fingerprint = rulesets.load_ruleset(node.text, library=self.library).fingerprint
            except InputError:
                fingerprint = ""
            for ruleset in compared:
                if ruleset.fingerprint == fingerprint:
                    return ruleset.name
        if compared:
            hint = guess(node.text, known) if node.is_scalar else ""
            self.problems.append(node.expected(tr("one of the experiment's rulesets"), hint))
        return ""

    # Agents

    def _pairings(
        self, agent_nodes: Iterable[Node], pair_nodes: Iterable[Node], compared: Sequence[Ruleset]
    ) -> tuple[tuple[AgentSpec, ...], tuple[Pairing, ...]]:
        """Return the agents that play themselves, and all pairings, these among them."""
        reader = _AgentReader(compared, self.problems, self.library.project)
        pairings: dict[Pairing, None] = {}

        def add(first: AgentSpec, second: AgentSpec, node: Node) -> None:
            if (first, second) in pairings:
                self.problems.append(node.repeated(tr("pairing"), f"{first.label} – {second.label}"))
            pairings[first, second] = None

        for node in agent_nodes:
            for agent in reader.read(node):
                add(agent, agent, node)
        mirrors = tuple(first for first, _ in pairings)
        for node in pair_nodes:
            if not isinstance(node.value, tuple) or len(node.value) != 2:
                what = tr("{count} items", count=len(node.value)) if isinstance(node.value, tuple) else node.describe()
                self.problems.append(node.expected(tr("two agents [first, second]"), found=what))
                continue
            firsts, seconds = (reader.read(each) for each in node.value)
            budgets = [[agent.nodes for agent in of_seat] for of_seat in (firsts, seconds)]
            same_budgets = budgets[0] == budgets[1] or all(len(set(of_seat)) == 1 for of_seat in budgets)
            if same_budgets and [agent.training for agent in firsts] == [agent.training for agent in seconds]:
                # Where both have learned, those of one training meet; of lists of budgets, equal ones.
                for first, second in zip(firsts, seconds, strict=True):
                    add(first, second, node)
            else:
                for first, second in itertools.product(firsts, seconds):
                    add(first, second, node)
        return mirrors, tuple(pairings)

    # What makes no sense together

    def _looks(self, values: Mapping[str, Any]) -> int | None:
        """Return the number of interim analyses that the file asks for (its key ``looks``), or the usual one."""
        if "looks" in self.entries and not {"until", "precision"} & self.entries.keys():
            self.problems.append(self.entries["looks"].problem(tr("looks do nothing without 'until' or 'precision'")))
        usual = LOOKS_UNTIL if values["until"] else LOOKS_PRECISION if values["precision"] else None
        looks: int | None = values["looks"] or usual
        return looks

    def _check_ends(self, values: Mapping[str, Any]) -> None:
        if values["until"] and values["precision"]:
            self.problems.append(self.entries["precision"].both("'until'", "'precision'"))
        if values["until"] and len(values["rulesets"]) == 1 and not values["targets"]:
            nothing = tr("there is nothing to decide: expected two rulesets or more, or targets")
            self.problems.append(self.entries["until"].problem(nothing))

    def _check_judge(self, threshold: float | None, pairings: Iterable[Pairing]) -> None:
        players = [player for pairing in pairings for player in pairing]
        if threshold is not None and players and agents.strongest_player(players) is None:
            judge = tr("a player that can judge a position (any but random and those from outside)")
            hint = tr("add one, or leave the games unfinished: capped: bounds")
            self.problems.append(self.entries["capped"].expected(judge, hint, found=NONE))

    def _check_openings(
        self, openings: Lines | None, asked: measures.Measure, max_plies: int, played: Iterable[str]
    ) -> None:
        """Note lines that leave nothing to play, a judge that does not know the games, and a question about itself."""
        if openings is None:
            return
        node = self.entries["openings"]
        if isinstance(openings, DrawnLines):
            longest, place = openings.plies, node.descendant("plies")
            declarations = map(games.declaration, played)
            agents.check_agent_features(openings.judge, node.descendant("judge"), declarations, self.problems)
        else:
            lengths = [len(line.split()) for line in openings.lines]
            longest, place = max(zip(lengths, openings.nodes, strict=True), key=lambda pair: pair[0])
        if longest >= max_plies:
            fewer = tr("fewer plies than max_plies ({max_plies})", max_plies=max_plies)
            self.problems.append(place.expected(fewer, found=longest))
        if asked.name == "variety":
            hint = tr("leave out 'openings', or ask about another")
            another = tr("another question where the file chooses the openings")
            self.problems.append(self.entries["question"].expected(another, hint))


class _AgentReader:
    """Reads the agents of an experiment, whose labels must tell them apart."""

    def __init__(self, compared: Sequence[Ruleset], problems: list[Problem], project: Project) -> None:
        self.compared = compared
        self.declarations = [games.declaration(game) for game in dict.fromkeys(ruleset.game for ruleset in compared)]
        self.project = project
        self.problems = problems
        self.labels: dict[str, AgentSpec] = {}

    def read(self, node: Node) -> list[AgentSpec]:
        """Return the agents of a place: several, if one is named that has learned, and no training."""
        found = [agent.within(self.compared) for agent in agents.read_agents(node, self.problems, self.project)]
        for agent in found[:1]:
            agents.check_agent_features(agent, node, self.declarations, self.problems)
            agents.check_uci_variants(agent, node, self.compared, self.problems)
        for agent in found:
            self._check_labels(agent, node)
        return found

    def _check_labels(self, agent: AgentSpec, node: Node) -> None:
        if self.labels.setdefault(agent.label, agent).canonical() != agent.canonical():
            second = tr("a second '{agent}' with other options", agent=agent.label)
            hint = tr("give it a name: {{{kind}: {{..., name: {agent}-b}}}}", kind=agent.kind, agent=agent.label)
            self.problems.append(node.expected(tr("agents with different labels"), hint, found=second))
        for other in self.labels.values():
            if other.label != agent.label and other.canonical() == agent.canonical():
                same = tr("'{agent}', which plays as '{other}' does", agent=agent.label, other=other.label)
                hint = tr("its games would be the same ones")
                self.problems.append(node.expected(tr("agents that differ"), hint, found=same))
                break
