"""Files of experiments: reading their keys, each by itself and then together, and what is wrong with them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench import games
from workbench.base.errors import InputError, Problem, guess
from workbench.base.keys import Key, read_file
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.base.yamlfile import NONE, Node
from workbench.experiments import kinds, measures
from workbench.experiments.design import BASE, Variation, vary_rulesets
from workbench.experiments.lines import DrawnLines, Lines
from workbench.players import agents
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset

LOOKS_UNTIL, LOOKS_PRECISION = 5, 20
"""Interim analyses, if nothing is said: those of verdicts cost certainty, those of precision only time."""

Pairing = tuple[AgentSpec, AgentSpec]


class ExperimentReader:
    """One file while it is read; adds to ``problems`` what is wrong with it."""

    def __init__(
        self,
        root: Node,
        keys: Mapping[str, Key],
        project: Project,
        problems: list[Problem],
        given: Mapping[str, Ruleset] | None = None,
    ) -> None:
        """``keys`` are those of an experiment by the names of its fields, ``given`` rulesets beside the project's."""
        self.given = given or {}
        assert isinstance(root.value, dict)
        self.root = root
        self.entries = root.value
        self.keys = keys
        self.library = Library(project)
        self.problems = problems

    def values(self) -> dict[str, Any]:
        """The values of the fields; what is missing or wrong has its default, so that the rest can be judged."""
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
        self.problems += kinds.check_published(
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
        """The rulesets, each with the place where the file asks for it, and what was varied."""
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
        """Notes rulesets that are the same rules: that would play every game twice."""
        seen: dict[tuple[str, str], Ruleset] = {}
        for ruleset, node in listed:
            twin = seen.setdefault((ruleset.game, ruleset.fingerprint), ruleset)
            if twin is not ruleset:
                same = tr("'{ruleset}' with the rules of '{twin}'", ruleset=ruleset.name, twin=twin.name)
                hint = tr("its games would be the same ones; leave it out")
                self.problems.append(node.expected(tr("rulesets that differ"), hint, found=same))

    def _ruleset(self, node: Node) -> Ruleset | None:
        if node.is_scalar and node.text in self.given:
            return self.given[node.text]
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
        """The agents that play themselves, and all pairings, these among them."""
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
        """The number of interim analyses that the file asks for (its key ``looks``), or the usual one."""
        if "looks" in self.entries and not {"until", "precision"} & self.entries.keys():
            self.problems.append(self.entries["looks"].problem(tr("looks do nothing without 'until' or 'precision'")))
        usual = LOOKS_UNTIL if values["until"] else LOOKS_PRECISION if values["precision"] else None
        looks: int | None = values["looks"] or usual
        return looks

    def _check_ends(self, values: Mapping[str, Any]) -> None:
        if values["until"] and values["precision"]:
            self.problems.append(self.entries["precision"].both("'until'", "'precision'"))
        if values["until"] and len(values["rulesets"]) == 1 and not values["targets"]:
            self.problems.append(
                self.entries["until"].problem(
                    tr("there is nothing to decide: expected two rulesets or more, or targets")
                )
            )

    def _check_judge(self, threshold: float | None, pairings: Iterable[Pairing]) -> None:
        players = [player for pairing in pairings for player in pairing]
        if threshold is not None and players and agents.strongest_player(players) is None:
            judge = tr("a player that can judge a position (any but random and those from outside)")
            hint = tr("add one, or leave the games unfinished: capped: bounds")
            self.problems.append(self.entries["capped"].expected(judge, hint, found=NONE))

    def _check_openings(
        self, openings: Lines | None, asked: measures.Measure, max_plies: int, played: Iterable[str]
    ) -> None:
        """Notes lines that leave nothing to play, a judge that does not know the games, and a question about itself."""
        if openings is None:
            return
        node = self.entries["openings"]
        if isinstance(openings, DrawnLines):
            longest, place = openings.plies, node.descendant("plies")
            agents.check_agent_features(
                openings.judge, node.descendant("judge"), map(games.declaration, played), self.problems
            )
        else:
            longest, place = max(
                ((len(line.split()), at) for line, at in zip(openings.lines, openings.nodes, strict=True)),
                key=lambda pair: pair[0],
            )
        if longest >= max_plies:
            self.problems.append(
                place.expected(tr("fewer plies than max_plies ({max_plies})", max_plies=max_plies), found=longest)
            )
        if asked.name == "variety":
            hint = tr("leave out 'openings', or ask about another")
            another = tr("another question where the file chooses the openings")
            self.problems.append(self.entries["question"].expected(another, hint))


class _AgentReader:
    """Reads the agents of an experiment, whose labels must tell them apart."""

    def __init__(self, compared: Sequence[Ruleset], problems: list[Problem], project: Project) -> None:
        self.compared = compared
        self.declarations = [games.declaration(game) for game in dict.fromkeys(each.game for each in compared)]
        self.project = project
        self.problems = problems
        self.labels: dict[str, AgentSpec] = {}

    def read(self, node: Node) -> list[AgentSpec]:
        """The agents of a place: several, if one is named that has learned, and no training."""
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
