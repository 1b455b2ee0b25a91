"""Agents: the players of an experiment, their descriptions in files and commands, and their form for the engine.

Their kinds and options are declared in `agent_kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.base.errors import InputError, Problem, guess, input_error, nearest
from workbench.base.language import quoted, tr
from workbench.base.project import Project
from workbench.base.yamlfile import Node, parse_scalar
from workbench.engine.players import DEEPEST, SEARCHES, Agent, Player
from workbench.games.declaration import Declaration
from workbench.games.uci_variants import uci_variant
from workbench.players import agent_kinds
from workbench.players.agent_kinds import KINDS, LEARNED, OPTIONS, OWN, PEOPLE, SHARED, TRAINED, AgentKind, find_kind
from workbench.rules.rulesets import Ruleset

_LABELS = {kind.name: re.compile(kind.label_pattern, re.ASCII) for kind in KINDS.values()}
"""The labels made by `AgentSpec.label` for agents whose other options have their defaults."""


@dataclass(frozen=True)
class AgentSpec:
    """A player: its kind and all options, with defaults filled in (0 for options of other kinds)."""

    kind: str
    name: str = ""
    epsilon: float = 0.0
    temperature: float = 0.0
    depth: int = 0
    """0: limited by ``nodes`` only."""
    nodes: int = 0
    weights: tuple[tuple[str, float], ...] = ()
    """The weights that differ from the family's, by feature name."""
    style: str = ""
    """A style declared by the family, or ""."""
    outside: agent_kinds.External | None = None
    """The program or class that plays; None for the workbench's own players."""
    training: int = 0
    """The seed of its training; 0 for the hand-tuned weights, or ``weights``."""
    evaluation: str = OWN
    """One of `EVALUATIONS`."""
    mixture: tuple[Ruleset, ...] = field(default=(), compare=False)
    """The rulesets learned together, if its weights are `SHARED`: those of its experiment; see `within`."""

    @classmethod
    def of(
        cls, kind: str, name: str = "", weights: Mapping[str, float] | None = None, style: str = "", training: int = 0,
        evaluation: str = "", **options: float,
    ) -> AgentSpec:  # fmt: skip
        """Return an agent with defaults for missing options; a ``training`` alone implies learned weights."""
        evaluation = evaluation or (LEARNED if training else OWN)
        values: dict[str, Any] = {option.name: option.default for option in find_kind(kind).options} | options
        if values.get("nodes") and "depth" not in options:
            values["depth"] = 0
        ordered = tuple(sorted((weights or {}).items()))
        return cls(kind, name, weights=ordered, style=style, training=training, evaluation=evaluation, **values)

    @classmethod
    def from_provenance(cls, label: str, options: Mapping[str, Any]) -> AgentSpec:
        """Return the agent recorded as ``label``, from its `canonical` form; without options, the label is its kind."""
        if outside := agent_kinds.external_from_provenance(options):
            return cls(str(options["kind"]), "" if outside.label == label else label, outside=outside)
        values: dict[str, Any] = {name: options[name] for name in OPTIONS if name in options}
        weights, style = options.get("weights"), str(options.get("style") or "")
        values |= {"training": int(options.get("training") or 0), "evaluation": str(options.get("evaluation") or "")}
        agent = cls.of(str(options.get("kind", label)), weights=weights, style=style, **values)
        return agent if agent.label == label else replace(agent, name=label)

    @property
    def declared(self) -> AgentKind:
        """Its kind."""
        return find_kind(self.kind)

    @property
    def look_ahead(self) -> str:
        """A sentence that describes how far it looks ahead; "" if the studio does not offer its size."""
        size = "nodes" if self.nodes else self.declared.size
        text = self.declared.offered.get(size, "")
        return text.format(n=f"{getattr(self, size):,}" if size else "") if text else ""

    @property
    def label(self) -> str:
        """The name of the agent in tables and records."""
        if self.outside:
            return self.name or self.outside.label
        size = "nodes" if self.nodes else self.declared.size
        text = self.declared.label(size, getattr(self, size) if size else 0)
        text += f"-{self.evaluation}-{self.training}" if self.training else ""
        return self.name or (f"{text}-{self.style}" if self.style else text)

    @property
    def untrained(self) -> AgentSpec:
        """The agent under the same label, with hand-tuned weights instead of learned ones."""
        return replace(self, name=self.label, training=0, evaluation=OWN) if self.training else self

    @property
    def training_key(self) -> str:
        """The name in records of its training run; "" without training."""
        return agent_kinds.training_key(self.evaluation, self.training)

    @property
    def weights_in_common(self) -> bool:
        """True if it plays all rulesets of an experiment with the same weights."""
        return agent_kinds.shares_weights(self.training_key)

    def within(self, rulesets: Iterable[Ruleset]) -> AgentSpec:
        """Return the agent for an experiment with these rulesets, in any order."""
        if self.evaluation != SHARED or self.mixture:
            return self
        unswapped = sorted((ruleset.unswapped for ruleset in rulesets), key=lambda item: (item.fingerprint, item.name))
        by_fingerprint = {ruleset.fingerprint: ruleset for ruleset in reversed(unswapped)}
        return replace(self, mixture=tuple(by_fingerprint[fingerprint] for fingerprint in sorted(by_fingerprint)))

    def learned_with(self, ruleset: Ruleset) -> tuple[Ruleset, ...]:
        """Return the rulesets that share its weights, if any; raise `InputError` if shared ones lack an experiment."""
        rulesets = tuple(other for other in self.mixture if other.game == ruleset.game)
        if self.evaluation == SHARED and not rulesets:
            message = tr(
                "the agent {agent} needs weights shared by rulesets, which exist only within an experiment",
                agent=self.label,
            )
            raise input_error(message, f"evaluation: {LEARNED}")
        return rulesets

    def canonical(self) -> dict[str, Any]:
        """Return the data that determine its play, without its name."""
        if self.outside:
            return self.outside.canonical()
        data: dict[str, Any] = {"kind": self.kind}
        data |= {option.name: getattr(self, option.name) for option in self.declared.options}
        data = {name: value for name, value in data.items() if value or name not in ("nodes", "depth")}
        data |= {"weights": dict(self.weights)} if self.weights else {}
        data |= {"evaluation": self.evaluation, "training": self.training} if self.training else {}
        return data | ({"style": self.style} if self.style else {})

    def player(self, declaration: Declaration) -> Player:
        """Return the agent in the engine's form, for a game that has the features of its weights.

        It has no solution and no learned weights; see `workbench.players.library.engine_player`. External players
        and people, whose moves the engine receives, have the hand-tuned heuristic, which counts lead changes.
        """
        if self.outside or self.kind == PEOPLE:
            return AgentSpec.of("greedy").player(declaration)
        values = dict(self.weights)
        styles = ["", *(style.name for style in declaration.styles)]
        numbers: dict[str, Any] = {name: convert(getattr(self, name)) for name, convert in OPTIONS.items()}
        if self.nodes:
            numbers |= {"depth": numbers["depth"] or DEEPEST, "reductions": 1, "follows": 1}
        agent = Agent(self.code, style=styles.index(self.style), **numbers)
        return Player(agent, tuple(float(values.get(feature.name, feature.weight)) for feature in declaration.features))

    @property
    def code(self) -> int:
        """The engine's code of its kind; for external players and people, that of `player`."""
        kind = KINDS["greedy"] if self.outside or self.kind == PEOPLE else self.declared
        if self.nodes and kind.search_by_nodes is not None:
            return kind.search_by_nodes
        assert kind.search is not None
        return kind.search

    @property
    def function(self) -> str:
        """The compiled function that chooses its moves; "" for a random player."""
        return SEARCHES[self.code].function

    @property
    def reproducible(self) -> bool:
        """True if the same seed gives the same game."""
        return self.outside is None or self.outside.reproducible

    def judge(self) -> AgentSpec:
        """Return the agent for evaluating positions: without randomness, noise or style."""
        return replace(self, epsilon=0.0, temperature=0.0, style="")

    def block_size(self) -> int:
        """Return the number of games per block, so that a block of games against itself takes about a second."""
        if self.outside:
            return self.outside.block_size()
        if self.nodes:
            return min(200, max(1, 20_000 // self.nodes))
        size = getattr(self, self.declared.size) if self.declared.size else 1
        return self.declared.block_sizes[min(size, len(self.declared.block_sizes)) - 1]


def strongest_player(players: Iterable[AgentSpec]) -> AgentSpec | None:
    """Return the player of the last kind in `KINDS` (all searches by nodes count as one) with the highest number.

    Ties are broken by the least randomness and noise, then by order. Returns None if all players move at random or are
    external, since these do not evaluate positions.
    """
    *_, by_nodes = (kind.name for kind in KINDS.values() if kind.has_node_budget)

    def rank(player: AgentSpec) -> tuple[float, ...]:
        index = list(KINDS).index(by_nodes if player.nodes else player.kind)
        return index, player.nodes, player.depth, -player.epsilon, -player.temperature

    best = max((player for player in players if player.outside is None), key=rank, default=None)
    return None if best is None or best.declared.at_random else best


def agent_from_text(
    written: str, declarations: Iterable[Declaration] = (), option_name: str = "--agent", project: Project | None = None
) -> AgentSpec:
    """Return the agent described on a command line, as ``alphabeta:depth=3,temperature=0.2`` or ``alphabeta-3``.

    Weights are written ``weights.mobility=0.5``; ``declarations`` are the games whose features they may name. External
    players, such as ``uci:stockfish,nodes=1000,options.Hash=16`` and ``python:players.cautious:Cautious``, need a
    ``project``.
    """
    return agents_from_text(written, declarations, option_name, project)[0]


def agents_from_text(
    written: str, declarations: Iterable[Declaration] = (), option_name: str = "--agent", project: Project | None = None
) -> list[AgentSpec]:
    """Return the agents that a text describes (see `agent_from_text`), one for each of `SEEDS` by default."""
    kind, colon, option_text = written.strip().partition(":")
    text_node = Node("", 0, option_name, kind, kind)
    problems: list[Problem] = []
    options: dict[str, Node] = {}
    groups: dict[str, dict[str, Node]] = {"options" if kind in agent_kinds.EXTERNAL else "weights": {}}
    for index, part in enumerate(option_text.split(",") if colon else []):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if index == 0 and not equals and kind in agent_kinds.EXTERNAL:
            name, equals, value = agent_kinds.EXTERNAL[kind].main, "=", name
        prefix, dot, suffix = name.partition(".")
        target, key = (groups[prefix], suffix) if dot and prefix in groups else (options, name)
        if not equals or not key or not value:
            actual = tr("'{part}' in '{written}'", part=part.strip(), written=written)
            problems.append(text_node.expected(tr("option=value"), found=actual))
        elif key in target:
            duplicate = tr("'{part}' in '{written}'", part=name, written=written)
            problems.append(text_node.repeated(tr("option"), duplicate))
        else:
            target[key] = Node("", 0, f"{option_name} {kind}:{name}", parse_scalar(value), value)
    options |= {group: Node("", 0, f"{option_name} {kind}:{group}", nodes) for group, nodes in groups.items() if nodes}
    node = replace(text_node, value={kind: Node("", 0, option_name, options)}) if options else text_node
    agents = read_agents(node, problems, project)
    for spec in agents[:1]:
        check_agent_features(spec, node, declarations, problems)
    if problems or not agents:
        raise InputError(problems)
    return agents


def read_agent(node: Node, problems: list[Problem], project: Project | None = None) -> AgentSpec | None:
    """Return the agent described by a node; if it is invalid, append to ``problems`` and return None.

    ``alphabeta-2`` is short for ``{alphabeta: {depth: 2}}``. External players need a ``project``. Without a seed, a
    trained agent has the first of `SEEDS`.
    """
    agents = read_agents(node, problems, project)
    for name, noun in (("nodes", "budget"), ("evaluation", "evaluation"), ("training", "training")) if agents else ():
        if isinstance((option := node.descendant(agents[0].kind, name)).value, tuple) and len(option.value) > 1:
            problems.append(option.expected(tr("one {expected} here", expected=noun), found=len(option.value)))
    return agents[0] if agents else None


def read_agents(node: Node, problems: list[Problem], project: Project | None = None) -> list[AgentSpec]:
    """Return the agents that a node describes: one for each combination of its budgets, evaluations and trainings."""
    description = _read_kind(node, problems, project)
    if description is None or isinstance(description, AgentSpec):
        return [description] if description else []
    kind, values = description
    evaluations, trainings = values.pop("evaluation", (OWN,)), values.pop("training", agent_kinds.SEEDS)
    evaluation_options = [
        {"evaluation": evaluation, "training": seed}
        for evaluation in evaluations
        for seed in (trainings if evaluation in TRAINED else (0,))
    ]
    budgets: Iterable[dict[str, Any]] = [{"nodes": nodes} for nodes in values.pop("nodes", ())] or [{}]
    agents = [AgentSpec.of(kind, **values, **budget, **options) for budget in budgets for options in evaluation_options]
    if not values.get("name") or len(agents) == 1:
        return agents
    # All agents share the name, so a suffix distinguishes them.
    name = values["name"]
    suffixes = [replace(agent, name="").label.removeprefix(f"{kind}-") for agent in agents]
    if len({(agent.nodes, agent.evaluation) for agent in agents}) == 1 and all(agent.training for agent in agents):
        suffixes = [str(agent.training) for agent in agents]
    return [replace(agent, name=f"{name}-{suffix}") for agent, suffix in zip(agents, suffixes, strict=True)]


def _read_kind(
    node: Node, problems: list[Problem], project: Project | None
) -> AgentSpec | tuple[str, dict[str, Any]] | None:
    """Return an external player, or a built-in kind with its options; None if the node is invalid."""
    if isinstance(node.value, dict):
        if len(node.value) != 1:
            found = tr("{count} keys", count=len(node.value))
            problems.append(node.expected(tr("one agent"), tr("write it as {alphabeta: {depth: 2}}"), found=found))
            return None
        kind, option_node = next(iter(node.value.items()))
    else:
        kind, option_node = node.text if node.is_scalar else "", Node(node.file, node.line, node.key, {})
    if kind in agent_kinds.EXTERNAL and project is not None:
        external = agent_kinds.read_external(kind, option_node, project, problems)
        return external and AgentSpec(kind, external[1], outside=external[0])
    if kind in agent_kinds.EXTERNAL:
        found = tr("{kind}, an external player", kind=kind)
        problems.append(node.expected(tr("a built-in agent ({kinds})", kinds=", ".join(KINDS)), found=found))
        return None
    label, kind, label_options = kind, *_split_label(kind, node)
    if kind not in KINDS:
        start = re.split(r"[:\s=(]", label, maxsplit=1)[0]
        options = tr("options are written as {{{start}: {{depth: 2}}}}", start=start)
        hint = options if start in KINDS else _label_hint(label)
        actual_agent = quoted(label) if label else node.describe()
        kinds = (*KINDS, *(agent_kinds.EXTERNAL if project else ()))
        problems.append(node.expected(tr("an agent ({known})", known=", ".join(kinds)), hint, found=actual_agent))
        return None
    if option_node.value is None:
        option_node = replace(option_node, value={})
    if not isinstance(option_node.value, dict):
        problems.append(option_node.expected(tr("options such as {temperature: 0.1}")))
        return None
    for name in label_options.keys() & option_node.value.keys():
        requirement, hint = tr("{name} once", name=name), tr("write {kind} without it", kind=kind)
        actual = tr("it both in the label '{label}' and separately", label=label)
        problems.append(option_node.value[name].expected(requirement, hint, found=actual))
    option_node = replace(option_node, value={**label_options, **option_node.value})
    assert isinstance(option_node.value, dict)
    entries = KINDS[kind].keys()
    values: dict[str, Any] = {}
    for name, value in option_node.value.items():
        if name not in entries:
            others = [other.name for other in KINDS.values() if any(option.name == name for option in other.options)]
            hint = tr("an option of {others}", others=", ".join(others)) if others else guess(name, entries)
            problems.append(value.unknown(tr("an option of {kind}", kind=kind), name, hint=hint))
        elif (setting := entries[name].kind.read(value, problems)) is not None:
            values[name] = setting
        elif name in label_options and (by_nodes := _corrected_label(label)):
            hint = tr("did you mean nodes, '{name}' or {{{kind}: {{nodes: {count}}}}}?").format(
                name=by_nodes, kind=kind, count=value.text
            )
            problems[-1] = replace(problems[-1], hint=hint)
    learned = next((name for name in values.get("evaluation", ()) if name in TRAINED), "")
    if learned and "weights" in values:
        problems.append(option_node.value["weights"].both("weights", f"evaluation: {learned}"))
        del values["weights"]
    if "training" in values and not learned:
        message = tr("training has no effect without 'evaluation: {learned}'", learned=LEARNED)
        problems.append(option_node.value["training"].problem(message))
    return kind, values


def _split_label(label: str, node: Node) -> tuple[str, dict[str, Node]]:
    """Return the kind and options of a label such as ``alphabeta-2-centre``; other text is returned unchanged."""
    match = next(filter(None, (pattern.fullmatch(label) for pattern in _LABELS.values())), None)
    if match is None:
        return label, {}
    parts = {name: text for name, text in match.groupdict().items() if text}
    if "nodes" in parts:
        parts["nodes"] = parts["nodes"].removesuffix("n").replace("k", "000")
    nodes = {name: Node(node.file, node.line, node.key, parse_scalar(text), text) for name, text in parts.items()}
    return next(kind for kind, pattern in _LABELS.items() if pattern is match.re), nodes


def _label_hint(label: str) -> str:
    """Return a hint with the nearest valid kind or label."""
    start, _, suffix = label.partition("-")
    corrected = _corrected_label(label) or _corrected_label(f"{nearest(start, KINDS)}-{suffix}")
    return tr("did you mean '{meant}'?", meant=corrected) if corrected else guess(label, KINDS)


def _corrected_label(label: str) -> str:
    """Return the label if it is valid, or else with its number read as nodes; "" if neither is valid."""
    number_of_nodes = re.sub(r"-([1-9][0-9]*)(?![^-])", r"-\1n", label, count=1)
    for candidate in (label, number_of_nodes):
        kind, options = _split_label(candidate, Node("", 0, "", label))
        if options and all(
            KINDS[kind].keys()[name].kind.read(value, []) is not None for name, value in options.items()
        ):
            return candidate
    return ""


def check_agent_features(
    spec: AgentSpec, node: Node, declarations: Iterable[Declaration], problems: list[Problem]
) -> None:
    """Report a style or weights that one of the games does not have."""
    for declaration in declarations:
        styles = [style.name for style in declaration.styles]
        if spec.style and spec.style not in styles:
            expectation = tr("a style of {declaration}", declaration=declaration.name)
            hint = "" if styles else tr("it declares none")
            problems.append(node.descendant(spec.kind, "style").unknown(expectation, spec.style, styles, hint))
        names = [feature.name for feature in declaration.features]
        for name, _ in spec.weights:
            if name not in names:
                expectation = tr("a feature of {declaration}", declaration=declaration.name)
                problems.append(node.descendant(spec.kind, "weights", name).unknown(expectation, name, names))


def check_uci_variants(spec: AgentSpec, node: Node, rulesets: Iterable[Ruleset], problems: list[Problem]) -> None:
    """Report the rulesets that a UCI engine cannot play."""
    for ruleset in rulesets if spec.kind == agent_kinds.UCI else ():
        reason = uci_variant(ruleset.game, ruleset.settings)
        if isinstance(reason, str):
            message = tr("{spec} cannot play {ruleset}: {why}", spec=spec.label, ruleset=ruleset.name, why=reason)
            problems.append(node.descendant(spec.kind).problem(message))


def agent_schema() -> dict[str, Any]:
    """Return the JSON Schema of an agent in an experiment file."""
    kinds = KINDS.values()
    choices: list[dict[str, Any]] = [{"const": kind.name, "description": kind.sentence} for kind in kinds]
    choices.append({
        "type": "string",
        "description": tr("The name used in tables: alphabeta-2, alphabeta-10k and best-first-10k (nodes), "
                          "alphabeta-10k-learned-1 (the first training run), alphabeta-10k-learned (all three)."),
        "pattern": "|".join(f"^{re.sub('[?]P<[a-z]+>', '', kind.label_pattern)}$" for kind in kinds),
    })  # fmt: skip
    for kind in kinds:
        properties = {name: declared.schema() for name, declared in kind.keys().items()}
        options = {"type": ["object", "null"], "additionalProperties": False, "properties": properties}
        choices.append({
            "description": kind.sentence,
            "type": "object",
            "additionalProperties": False,
            "required": [kind.name],
            "properties": {kind.name: options},
        })  # fmt: skip
    return {"anyOf": [*choices, *agent_kinds.external_schemas()]}
