"""Experiment files: which rulesets are played by which agents, how often, and with which random numbers.

An experiment is a table of cells, ruleset by pairing (the agents of the two seats), and plays ``games`` games in each.
`load` reads and checks a file; `Experiment` knows its cells, the seed of every game and how games are cut into blocks.

Seeds: a game's random numbers depend on the experiment's seed, the fingerprint of the rules, the two agents and the
number of the game in its cell, and on nothing else (see `seeds`). So more rulesets, more games or other blocks never
change a game that was there before.

This module imports neither pandas nor Numba.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.files.project import Project
from workbench.files.project import find as find_project
from workbench.files.yamlfile import InputError, Node, Problem, by_name, guess, read, shown, snapshot
from workbench.games.declaration import Declaration, Setting, same, text
from workbench.questions import agents, primary, rulesets
from workbench.questions.agents import AgentSpec
from workbench.questions.design import DESIGNS, Factor, Level, points
from workbench.questions.ruleset_files import Library
from workbench.questions.rulesets import Ruleset
from workbench.questions.settings import wrong_setting

if TYPE_CHECKING:
    import numpy as np

    Seeds = np.ndarray[Any, np.dtype[np.uint64]]

TARGETS: Mapping[str, str] = {
    "first_score": "Wins and half the draws of the first seat, as a share of the finished games.",
    "first_win_rate": "Share of all games that the first seat wins.",
    "second_win_rate": "Share of all games that the second seat wins.",
    "draw_rate": "Share of all games that are drawn.",
    "capped_rate": "Share of all games that are stopped at max_plies.",
    "plies": "Median length of a game.",
}
"""What a designer may set a target for."""
MEASURES: Mapping[str, str] = {
    "fairness": "How much nearer to one half the first seat's score is than under the baseline.",
    "first_score": TARGETS["first_score"],
    "first_win_rate": TARGETS["first_win_rate"],
    "second_win_rate": TARGETS["second_win_rate"],
    "draw_rate": TARGETS["draw_rate"],
    "capped_rate": TARGETS["capped_rate"],
    "decisive_rate": "Share of all games that somebody wins.",
    "plies_mean": "Mean length of a game, up to max_plies.",
    "legal_moves": "Legal moves at a ply.",
}
"""What proposals may be compared by."""
Target = list[float] | str
_LIMIT = re.compile(r"[<>]=?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

_NAME = re.compile(r"(?![\s.])[^/\\\x00-\x1f\x7f]+(?<![\s.])")
"""What an experiment may be called: its report folder has the same name."""
MOST_GAMES = 10_000_000
MOST_PLIES = 100_000
MOST_SEED = 2**64 - 1
MOST_CELLS = 10_000
MOST_BLOCKS = 400_000
"""Blocks are files until a run has ended, and its plan, about a kilobyte for each, is held in memory."""
DEFAULT_MAX_PLIES = 400
MOST_LOOKS = 50
LOOKS_UNTIL, LOOKS_PRECISION = 5, 20
"""Looks, if nothing is said: those at verdicts cost certainty, those at precision only time."""
LEAST_PRECISION = 0.0005
THRESHOLD, LEAST_THRESHOLD = 0.9, 0.6
"""From which expected score on a capped game is adjudicated to a side, if nothing is said, and at least."""
CAPPED: Mapping[str, str] = {
    "bounds": "They stay unfinished; intervals allow for either result.",
    "adjudicate": "The strongest player of the experiment judges the last position; a side whose expected score is at "
    f"least the threshold ({THRESHOLD} if left out) has won, and else the game stays unfinished.",
}
"""What may become of games that reach max_plies."""

KEYS: Mapping[str, str] = {
    "title": "The question that the experiment answers.",
    "title_ja": "The title in Japanese; one of the two titles is enough.",
    "rulesets": "The rulesets to compare, by their full names.",
    "vary": "Toggles and the values to try: every combination becomes a ruleset, but those that the rules refuse. "
    "Toggles that belong together: a name of your own, with named levels that each set several toggles. What is varied "
    "is the one ruleset of `rulesets`, or the one (or each of the list) named here as `base`, besides those of "
    "`rulesets`.",
    "design": "Which combinations of `vary` are played: full (all), fractional (enough for effects of two), or pairs.",
    "baseline": "The ruleset that the others are compared with; the first one if left out.",
    "agents": "Agents that play themselves.",
    "pairings": "Pairs of agents: the first and the second seat.",
    "games": "Games per cell (ruleset and pairing); the ceiling, if `until` or `precision` may end a cell earlier.",
    "question": "The measure that the verdicts are about: first_score (judged as fairness) if left out, draw_rate, "
    "decisive, plies (mean length), variety (openings), legal_moves, first_win_rate, second_win_rate, capped_rate, or "
    "event_x_mean or event_x_share of an event x of the game.",
    "until": "decided: a proposal's cells end as soon as the verdict on the question is sure.",
    "precision": "A cell ends as soon as the interval of the first seat's score is no wider than this on either side.",
    "looks": f"Looks of `until` ({LOOKS_UNTIL}) or `precision` ({LOOKS_PRECISION}), in equal steps up to `games`.",
    "margin": "The smallest difference of the question's measure that matters, in its unit; as a share, 0.02 is two "
    "points, and a score that is surely no farther from 0.5 is balanced. If left out: of first_score half the width of "
    "its target, or 0.025; of other shares 0.025; of plies, legal moves and the mean of an event 5 % of the baseline's "
    "value; of variety 10 % of it.",
    "measures": "What else proposals are compared by, with p-values corrected together with those of the question.",
    "max_plies": f"Games are stopped after so many plies; {DEFAULT_MAX_PLIES} if left out. See `capped`.",
    "capped": "What becomes of games that reach max_plies. bounds (if left out): they stay unfinished, and intervals "
    "allow for either result. adjudicate: the strongest player of the experiment judges the last position, and a side "
    f"whose expected score is at least {THRESHOLD} has won; another threshold: {{adjudicate: {{threshold: 0.95}}}}.",
    "seed": "All random numbers follow from this one; 0 if left out.",
    "block": "Games that are played and saved together; chosen by the agents' speed if left out. Changes no result.",
    "targets": 'What a good ruleset should reach, as [lowest, highest] or as a limit such as "<0.05".',
}


@dataclass(frozen=True)
class Cell:
    """A ruleset and the agents of the two seats."""

    index: int
    ruleset: Ruleset
    first: AgentSpec
    second: AgentSpec
    key: str
    """16 hex digits of a hash of all that decides the cell's games, their number aside."""

    @property
    def title(self) -> str:
        """The cell in words."""
        return f"{self.ruleset.name}, {self.first.label} – {self.second.label}"


@dataclass(frozen=True)
class Block:
    """The games from ``start`` up to, without, ``stop`` of a cell."""

    cell: Cell
    start: int
    stop: int

    @property
    def count(self) -> int:
        """How many games these are."""
        return self.stop - self.start


@dataclass(frozen=True)
class Experiment:
    """A checked experiment."""

    name: str
    """The stem of its file; also the name of its report folder."""
    path: str
    """As the user would type it."""
    title: str
    rulesets: tuple[Ruleset, ...]
    pairings: tuple[tuple[AgentSpec, AgentSpec], ...]
    games: int
    title_ja: str = ""
    baseline: str = ""
    """Full name of one of ``rulesets``."""
    max_plies: int = DEFAULT_MAX_PLIES
    seed: int = 0
    block: int | None = None
    adjudicate: float | None = None
    """From which expected score on (½ to 1) `judge` adjudicates a game that reaches ``max_plies``; None: never."""
    targets: Mapping[str, Target] = field(default_factory=dict)
    until: str = ""
    """Empty or ``decided``."""
    precision: float | None = None
    looks: int | None = None
    question: str = primary.FIRST_SCORE
    margin: float | None = None
    """In the unit of the question's measure."""
    measures: tuple[str, ...] = ()
    design: str = ""
    """One of `DESIGNS` if the experiment varies factors."""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is varied: factor -> levels."""
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For each ruleset that was made by varying, its level of each factor."""
    left_out: tuple[str, ...] = ()
    """Combinations that the rules refuse, with the reason."""
    quick_look: int = 0
    """For a quick look, the games per cell that the file asks for; see `quick`."""

    def canonical(self) -> dict[str, Any]:
        """What provenance says of the experiment, rulesets and agents aside; options that nobody set are left out."""
        names = ("name", "title", "title_ja", "baseline", "targets", "max_plies", "games", "seed")
        options = ("until", "precision", "looks", "margin", "measures", "design", "factors", "left_out", "quick_look")
        said = {name: getattr(self, name) for name in options if getattr(self, name)}
        judge = {"capped": self.adjudication()} if self.judge else {}
        if self.question != primary.FIRST_SCORE:
            said["question"] = self.question
        return {name: getattr(self, name) for name in names} | judge | said

    @cached_property
    def judge(self) -> AgentSpec | None:
        """The player that adjudicates games that reach ``max_plies``, the same one in all cells; None: nobody does."""
        players = (player for pairing in self.pairings for player in pairing)
        return agents.strongest(players) if self.adjudicate is not None else None

    def adjudication(self) -> dict[str, Any]:
        """How games that reach ``max_plies`` are adjudicated, as plain data; empty if they are not."""
        if self.judge is None:
            return {}
        return {"threshold": self.adjudicate, "judge": self.judge.label, "options": self.judge.judge().canonical()}

    @property
    def sequential(self) -> bool:
        """Whether cells may end before they have all their games."""
        return bool(self.until or self.precision)

    def families(self) -> list[str]:
        """The games that are played, in order of appearance."""
        return list(dict.fromkeys(ruleset.game for ruleset in self.rulesets))

    def cells(self) -> tuple[Cell, ...]:
        """All cells, ruleset by ruleset."""
        return self._cells

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        pairs = itertools.product(self.rulesets, self.pairings)
        return tuple(
            Cell(index, ruleset, first, second, self._key(ruleset, first, second))
            for index, (ruleset, (first, second)) in enumerate(pairs)
        )

    def _key(self, ruleset: Ruleset, first: AgentSpec, second: AgentSpec) -> str:
        declaration = games.declaration(ruleset.game)
        parts: tuple[Any, ...] = (
            self.seed,
            self.max_plies,
            ruleset.game,
            ruleset.fingerprint,
            [first.canonical(), first.numbers(declaration)[:8]],
            [second.canonical(), second.numbers(declaration)[:8]],
        )
        if self.judge:
            # Moves and seeds are the same ones; the results are not.
            judge = self.judge.judge()
            parts += ([self.adjudicate, judge.canonical(), judge.numbers(declaration)[:8]],)
        return hashlib.sha256(_json(parts)).hexdigest()[:16]

    def seeds(self, cell: Cell, start: int, stop: int) -> Seeds:
        """The seeds of the games from ``start`` up to ``stop`` of a cell, uint64."""
        return seeds(self.seed, cell.ruleset.fingerprint, cell.first, cell.second, start, stop)

    def block_size(self, cell: Cell) -> int:
        """Games per block of the cell."""
        if self.block:
            return self.block
        return games.declaration(cell.ruleset.game).pace * min(cell.first.block(), cell.second.block())


def quick(experiment: Experiment, count: int) -> Experiment:
    """The experiment with ``count`` games in every cell, none of which ends earlier; its name says so.

    A fixed number, even where the file ends cells early: verdicts after a few games need no correction for interim
    analyses that are not taken. The games are the first ``count`` of the experiment's own, by their seeds.
    """
    return replace(
        experiment,
        name=f"{experiment.name}.games-{count}",
        games=count,
        until="",
        precision=None,
        looks=None,
        quick_look=experiment.games,
    )


def seeds(seed: int, fingerprint: str, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Seeds:
    """The seeds of a cell's games ``start`` to ``stop - 1``: one 64-bit number for each game, uint64.

    The cell's stream starts at ``b``, the first 8 bytes (big-endian) of the SHA-256 of the JSON text of the
    experiment's seed, the fingerprint and both agents' options. Game ``n`` gets output ``n`` of splitmix64 from state
    ``b``: ``mix(b + (n + 1) * 0x9E3779B97F4A7C15)``, so all games of a cell differ.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    import numpy as np

    digest = hashlib.sha256(_json((seed, fingerprint, first.canonical(), second.canonical()))).digest()
    begin = np.array([int.from_bytes(digest[:8], "big")], dtype=np.uint64)
    z: Seeds = begin + np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def names(project: Project | None = None) -> list[str]:
    """The experiments of the project, by the stems of their files, sorted.

    Raises:
        InputError: two names look the same.
    """
    return list(_files(project or find_project()))


def _files(project: Project) -> dict[str, Path]:
    return by_name((path.stem, path) for path in sorted(project.experiments.glob("*.yaml")))


def path_of(name: str, project: Project | None = None) -> Path:
    """The file of an experiment, given as a path or as a name.

    Raises:
        InputError: there is no such experiment.
    """
    project = project or find_project()
    if Path(name).is_file():
        return Path(name)
    known = _files(project)
    if (path := known.get(unicodedata.normalize("NFC", name))) is not None:
        return path
    hint = guess(Path(name).stem, known, "there are")
    raise InputError([Problem("", None, None, f"there is no experiment '{name}'", hint)])


@snapshot()
def load(path: str | Path, project: Project | None = None) -> Experiment:
    """The experiment of a file, checked, with all its rulesets.

    Raises:
        InputError: the file or one of its rulesets is wrong; all problems of all of them.
    """
    path, project = Path(path), project or find_project()
    own = Path(os.path.abspath(path)).is_relative_to(os.path.abspath(project.experiments))
    if own and not project.inside(path):
        message = f"expected a file inside the project folder, found a link to {os.path.realpath(path)}"
        raise InputError([Problem(shown(path), None, None, message, "copy the file into the project")])
    return _Reader(read(path), path, project).experiment()


class _Reader:
    """Reads one file; gathers its problems."""

    def __init__(self, root: Node, path: Path, project: Project) -> None:
        assert isinstance(root.value, dict)
        self.root = root
        self.keys = root.value
        self.path = path
        self.project = project
        self.library = Library(project)
        self.problems: list[Problem] = []
        self.factors: dict[str, tuple[str, ...]] = {}
        self.levels: dict[str, dict[str, str]] = {}
        self.left_out: list[str] = []

    def experiment(self) -> Experiment:
        for key, node in self.keys.items():
            if key not in KEYS:
                message = f"expected a key of an experiment, found the unknown key '{key}'"
                self.problems.append(node.problem(message, guess(key, KEYS)))
        if not _NAME.fullmatch(self.path.stem):
            message = f"expected a name for a report folder before the ending, found '{self.path.stem}'"
            hint = "letters, digits, - and _, such as my-question.yaml"
            self.problems.append(Problem(self.root.file, None, None, message, hint))
        title_ja = self.words("title_ja")
        title = self.words("title", needed="title_ja" not in self.keys) or title_ja
        found = self.rulesets()
        pairings = self.pairings([games.declaration(game) for game in dict.fromkeys(each.game for each in found)])
        if len(found) * len(pairings) > MOST_CELLS:
            many = f"expected at most {MOST_CELLS:,} cells, found {len(found)} rulesets with {len(pairings)} pairings"
            self.problems.append(self.root.problem(many))
        until = self.one_of("until", ("decided",))
        precision = self.share("precision", LEAST_PRECISION)
        asked = primary.read(self.keys.get("question"), dict.fromkeys(each.game for each in found), self.problems)
        experiment = Experiment(
            name=self.path.stem,
            path=shown(self.path),
            title=title,
            title_ja=title_ja,
            rulesets=tuple(found),
            baseline=self.baseline(found),
            pairings=tuple(pairings),
            games=self.whole("games", 1, MOST_GAMES, None) or 1,
            max_plies=self.whole("max_plies", 1, MOST_PLIES, DEFAULT_MAX_PLIES) or 1,
            seed=self.whole("seed", 0, MOST_SEED, 0) or 0,
            block=self.whole("block", 1, MOST_GAMES, 0) or None,
            adjudicate=self.adjudicate(pairings),
            targets=self.targets(),
            until=until,
            precision=precision,
            looks=self.looks(until, precision),
            question=asked.name,
            margin=asked.read_margin(self.keys.get("margin"), self.problems),
            measures=self.measures(asked.measure),
            design=(self.one_of("design", DESIGNS) or "full") if self.factors else "",
            factors=self.factors,
            levels=self.levels,
            left_out=tuple(self.left_out),
        )
        self.ends(experiment)
        self.blocks(experiment)
        if self.problems:
            raise InputError(sorted(dict.fromkeys(self.problems), key=self._place))
        return experiment

    def _place(self, problem: Problem) -> tuple[bool, str, int]:
        return (problem.file != self.root.file, problem.file, problem.line or 0)

    def missing(self, key: str, example: str) -> None:
        self.problems.append(Problem(self.root.file, self.root.line, key, "expected this key, found none",
                                     f"for instance {example}"))  # fmt: skip

    def words(self, key: str, needed: bool = False) -> str:
        node = self.keys.get(key)
        if node is None:
            if needed:
                self.missing(key, f"'{key}: Does the new opening help White?'")
            return ""
        if node.is_scalar and not isinstance(node.value, bool) and node.text.strip():
            return " ".join(node.text.split())
        self.problems.append(node.problem(f"expected text, found {node.described()}"))
        return ""

    def whole(self, key: str, low: int, high: int, default: int | None) -> int | None:
        node = self.keys.get(key)
        if node is None:
            if default is None:
                self.missing(key, f"'{key}: 2000'")
            return default
        found = agents.number(node, low, high, True, f"a whole number from {low} to {high}", self.problems)
        return None if found is None else int(found)

    def one_of(self, key: str, allowed: Iterable[str]) -> str:
        node = self.keys.get(key)
        if node is None or (node.is_scalar and node.text in allowed):
            return node.text if node else ""
        hint = guess(node.text, allowed) if node.is_scalar else ""
        self.problems.append(node.problem(f"expected {' or '.join(allowed)}, found {node.described()}", hint))
        return ""

    def share(self, key: str, low: float) -> float | None:
        node = self.keys.get(key)
        if node is None:
            return None
        found = agents.number(node, low, 0.5, False, f"a share from {low} to 0.5", self.problems)
        return None if found is None else float(found)

    def looks(self, until: str, precision: float | None) -> int | None:
        node = self.keys.get("looks")
        if node is not None and not until and precision is None:
            self.problems.append(node.problem("looks do nothing without 'until' or 'precision'"))
        default = LOOKS_UNTIL if until else LOOKS_PRECISION if precision else 0
        return self.whole("looks", 1, MOST_LOOKS, default) or None

    def measures(self, asked: str) -> tuple[str, ...]:
        found = []
        for node in self.listed("measures", "measures"):
            if not node.is_scalar or node.text not in MEASURES:
                hint = guess(node.text, MEASURES) if node.is_scalar else ""
                self.problems.append(node.problem(f"expected a measure, found {node.described()}", hint))
            elif node.text in found:
                self.problems.append(node.problem(f"expected each measure once, found {node.text} again"))
            else:
                found.append(node.text)
        return tuple(dict.fromkeys((asked, *found))) if found else ()

    def ends(self, experiment: Experiment) -> None:
        """Notes what makes no sense together."""
        if "design" in self.keys and "vary" not in self.keys:
            self.problems.append(self.keys["design"].problem("a design does nothing without 'vary'"))
        if experiment.until and experiment.precision:
            node = self.keys["precision"]
            self.problems.append(node.problem("expected 'until' or 'precision', found both", "leave one of them out"))
        if experiment.until and len(experiment.rulesets) == 1 and not experiment.targets:
            message = "there is nothing to decide: expected two rulesets or more, or targets"
            self.problems.append(self.keys["until"].problem(message))

    def blocks(self, experiment: Experiment) -> None:
        """Notes blocks that are so small that there are too many of them."""
        if self.problems:
            return
        count = sum(-(-experiment.games // experiment.block_size(cell)) for cell in experiment.cells())
        if count > MOST_BLOCKS:
            games = len(experiment.cells()) * experiment.games
            message = f"expected at most {MOST_BLOCKS:,} blocks of games in all, found {count:,}"
            hint = f"write 'block: {-(-games // MOST_BLOCKS) + 1}' or more, or fewer games"
            self.problems.append(self.keys["block" if "block" in self.keys else "games"].problem(message, hint))

    def adjudicate(self, pairings: Sequence[tuple[AgentSpec, AgentSpec]]) -> float | None:
        """The threshold that ``capped`` asks for; None if games that reach the cap stay unfinished."""
        node = self.keys.get("capped")
        if node is None or (node.is_scalar and node.text == "bounds"):
            return None
        threshold: float | None = THRESHOLD
        if isinstance(node.value, dict) and list(node.value) == ["adjudicate"]:
            threshold = self.threshold(node.value["adjudicate"])
        elif not node.is_scalar or node.text not in CAPPED:
            example = f"or {{adjudicate: {{threshold: {THRESHOLD}}}}}"
            hint = guess(node.text, CAPPED) if node.is_scalar else example
            self.problems.append(node.problem(f"expected {' or '.join(CAPPED)}, found {node.described()}", hint))
            return None
        players = [player for pairing in pairings for player in pairing]
        if players and agents.strongest(players) is None:
            message = (
                "expected a player that can judge a position (greedy, alphabeta, mcts or optimal), found only random"
            )
            self.problems.append(node.problem(message, "add one, or leave the games unfinished: capped: bounds"))
        return threshold

    def threshold(self, node: Node) -> float | None:
        """The threshold among the options of ``adjudicate``."""
        if node.value is None:
            return THRESHOLD
        if not isinstance(node.value, dict):
            example = f"{{threshold: {THRESHOLD}}}"
            self.problems.append(node.problem(f"expected options such as {example}, found {node.described()}"))
            return None
        for name, each in node.value.items():
            if name != "threshold":
                message = f"expected an option of adjudicate, found '{name}'"
                self.problems.append(each.problem(message, guess(name, ["threshold"])))
        if "threshold" not in node.value:
            return THRESHOLD
        expected = f"an expected score from {LEAST_THRESHOLD} to 1"
        found = agents.number(node.value["threshold"], LEAST_THRESHOLD, 1, False, expected, self.problems)
        return None if found is None else float(found)

    def listed(self, key: str, what: str) -> tuple[Node, ...]:
        node = self.keys.get(key)
        if node is None:
            return ()
        if not isinstance(node.value, tuple):
            self.problems.append(node.problem(f"expected a list of {what}, found {node.described()}"))
            return ()
        if not node.value:
            self.problems.append(node.problem(f"expected at least one of the {what}, found an empty list"))
        return node.value

    # Rulesets

    def rulesets(self) -> list[Ruleset]:
        found: list[tuple[Ruleset, Node]] = []
        listed = self.listed("rulesets", "rulesets")
        for node in listed:
            if (ruleset := self.ruleset(node)) is not None:
                found.append((ruleset, node))
        vary = self.keys.get("vary")
        if vary is not None:
            bases: list[Ruleset | None] = []
            toggles = vary.value
            if not isinstance(toggles, dict):
                self.problems.append(vary.problem(f"expected toggles and lists of values, found {vary.described()}"))
            elif "base" in toggles:
                named = toggles["base"]
                bases = [self.ruleset(node) for node in (named.value if isinstance(named.value, tuple) else (named,))]
            elif len(listed) == 1:
                bases = [found.pop()[0] if found else None]
            else:
                self.problems.append(vary.problem(f"expected one ruleset in 'rulesets' to vary, found {len(listed)}",
                                                  "name the one to vary with 'base'"))  # fmt: skip
            if isinstance(toggles, dict):
                toggles = {name: node for name, node in toggles.items() if name != "base"}
                if bases and None not in bases:
                    found += [(ruleset, vary) for ruleset in self.varied([b for b in bases if b], toggles, vary)]
        elif "rulesets" not in self.keys:
            self.missing("rulesets", "'rulesets: [chatra/2007-09, chatra/A]'")
        return self.distinct(found)

    def distinct(self, found: list[tuple[Ruleset, Node]]) -> list[Ruleset]:
        """The rulesets, after a check that no two of them are the same rules: that would play every game twice."""
        seen: dict[tuple[str, str], Ruleset] = {}
        for ruleset, node in found:
            twin = seen.setdefault((ruleset.game, ruleset.fingerprint), ruleset)
            if twin is ruleset:
                continue
            if twin.name == ruleset.name:
                message = f"expected each ruleset once, found '{ruleset.name}' again"
            else:
                message = f"expected rulesets that differ, but '{ruleset.name}' has the same rules as '{twin.name}'"
            self.problems.append(node.problem(message, "its games would be the same ones; leave it out"))
        return [ruleset for ruleset, _ in found]

    def ruleset(self, node: Node) -> Ruleset | None:
        if not node.is_scalar or node.text.endswith((".yaml", ".yml")):
            hint = "rulesets have names such as chatra/2008-02" if node.is_scalar else ""
            self.problems.append(node.problem(f"expected the name of a ruleset, found {node.described()}", hint))
            return None
        try:
            return rulesets.load(node.text, library=self.library)
        except InputError as error:
            self.problems += [problem if problem.file else node.problem(problem.message, problem.hint)
                              for problem in error.problems]  # fmt: skip
            return None

    def varied(self, bases: Sequence[Ruleset], toggles: Mapping[str, Node], vary: Node) -> list[Ruleset]:
        """The combinations of the factors that the design plays, the last factor changing fastest.

        Several bases are a factor, too, and the first one.
        """
        declaration = games.declaration(bases[0].game)
        before = len(self.problems)
        if not toggles:
            self.problems.append(vary.problem("expected at least one toggle, found none"))
        if len({base.game for base in bases}) > 1:
            self.problems.append(vary.problem("expected bases of one game, found several games"))
        factors = [self.factor(declaration, name, node) for name, node in toggles.items()]
        design = self.one_of("design", DESIGNS) or "full"
        setters = [toggle for factor in factors for toggle in dict.fromkeys(t for level in factor.levels
                                                                            for t in level.settings)]  # fmt: skip
        for toggle in sorted({toggle for toggle in setters if setters.count(toggle) > 1}):
            self.problems.append(vary.problem(f"expected each toggle in one factor, found '{toggle}' in two"))
        if len(self.problems) > before:
            return []
        if len(bases) > 1:
            factors.insert(0, Factor("base", "", tuple(Level(base.name, {}) for base in bases)))
        made: dict[tuple[int, ...], Ruleset] = {}
        levels: dict[str, dict[str, str]] = {}

        def allowed(point: tuple[int, ...]) -> bool:
            base = bases[point[0]] if len(bases) > 1 else bases[0]
            chosen = [(factor, factor.levels[number]) for factor, number in zip(factors, point, strict=True)]
            named = [(factor, level) for factor, level in chosen if factor.name != "base"]
            name = ", ".join(f"{factor.name}={level.name}" for factor, level in named)
            title = ", ".join(f"{factor.title}: {level.name}" for factor, level in named)
            title_ja = "、".join(f"{factor.title_ja or factor.title}：{level.name}" for factor, level in named)
            if len(bases) > 1:
                # Rulesets that differ in nothing but what is varied would have the same title.
                title, title_ja = f"{base.title}; {title}", f"{base.title_ja or base.title}、{title_ja}"
            changes = {toggle: setting for _, level in named for toggle, setting in level.settings.items()}
            try:
                made[point] = rulesets.derive(base, changes, f"{base.name} {name}", title, title_ja)
            except InputError as error:
                conflicts = {conflict.message for conflict in declaration.conflicts}
                for problem in error.problems:
                    # A combination that makes no sense is left out; a file that is not there, say, is a mistake.
                    if problem.message not in conflicts:
                        wrong = problem if problem.file else vary.problem(problem.message, problem.hint)
                        if wrong not in self.problems:
                            self.problems.append(wrong)
                reasons = "; ".join(problem.message for problem in error.problems)
                self.left_out.append(f"{base.name} with {name}: {reasons}")
                return False
            levels[made[point].name] = {factor.name: level.name for factor, level in chosen}
            return True

        try:
            played, _ = points(factors, design, allowed)
        except ValueError as error:
            self.problems.append(vary.problem(str(error)))
            return []
        if not played:
            self.problems += [vary.problem(note) for note in self.left_out]
        self.factors = {factor.name: tuple(level.name for level in factor.levels) for factor in factors}
        self.levels = {made[point].name: levels[made[point].name] for point in played}
        return [made[point] for point in played]

    def factor(self, declaration: Declaration, name: str, node: Node) -> Factor:
        """A toggle with some of its values, or named levels that set several toggles."""
        if not isinstance(node.value, dict):
            settings = self.choices(declaration, name, node)
            title, title_ja = name, ""
            if settings:
                title, title_ja = declaration.toggle(name).title, declaration.toggle(name).title_ja
            levels_of = tuple(Level(text(setting), {name: setting}) for setting in settings)
            return Factor(name, title, levels_of, title_ja)
        if name in [toggle.name for toggle in declaration.toggles]:
            message = f"expected a list of values, found a mapping: '{name}' is a toggle"
            self.problems.append(node.problem(message, "factors that set several toggles need a name of their own"))
        levels = []
        for level, inner in node.value.items():
            if not isinstance(inner.value, dict) or not inner.value:
                self.problems.append(inner.problem(f"expected toggles and their values, found {inner.described()}"))
                continue
            changes: dict[str, Setting] = {}
            for toggle, value in inner.value.items():
                known = [each.name for each in declaration.toggles]
                if toggle not in known:
                    message = f"expected a toggle of {declaration.name}, found '{toggle}'"
                    self.problems.append(value.problem(message, guess(toggle, known)))
                elif problem := wrong_setting(declaration.toggle(toggle), value):
                    self.problems.append(problem)
                elif isinstance(value.value, str | int | float):
                    changes[toggle] = value.value
            levels.append(Level(level, changes))
        if len({frozenset(level.settings) for level in levels}) > 1:
            self.problems.append(node.problem("expected the same toggles in each level"))
        return Factor(name, name, tuple(levels))

    def choices(self, declaration: Declaration, name: str, node: Node) -> list[Setting]:
        known = [toggle.name for toggle in declaration.toggles]
        if name not in known:
            message = f"expected a toggle of {declaration.name}, found '{name}'"
            self.problems.append(node.problem(message, guess(name, known)))
            return []
        toggle = declaration.toggle(name)
        if not isinstance(node.value, tuple) or not node.value:
            found = "an empty list" if node.value == () else node.described()
            self.problems.append(node.problem(f"expected a list of values ({toggle.choices()}), found {found}"))
            return []
        settings: list[Setting] = []
        for each in node.value:
            if problem := wrong_setting(toggle, each):
                self.problems.append(problem)
            elif isinstance(each.value, str | int | float) and not any(same(each.value, old) for old in settings):
                settings.append(each.value)
            else:
                self.problems.append(each.problem(f"expected each value once, found {each.described()} again"))
        return settings

    def baseline(self, found: Sequence[Ruleset]) -> str:
        node = self.keys.get("baseline")
        if node is None:
            return found[0].name if found else ""
        known = [ruleset.name for ruleset in found]
        if node.is_scalar and node.text in known:
            return node.text
        # The ruleset that is varied may be named itself, where one of the combinations equals it.
        if node.is_scalar and node.text in self.library.catalogue:
            try:
                fingerprint = rulesets.load(node.text, library=self.library).fingerprint
            except InputError:
                fingerprint = ""
            for ruleset in found:
                if ruleset.fingerprint == fingerprint:
                    return ruleset.name
        if found:
            hint = guess(node.text, known) if node.is_scalar else ""
            self.problems.append(
                node.problem(f"expected one of the experiment's rulesets, found {node.described()}", hint)
            )
        return ""

    # Agents

    def pairings(self, declarations: Sequence[Declaration]) -> list[tuple[AgentSpec, AgentSpec]]:
        labels: dict[str, AgentSpec] = {}
        found: dict[tuple[AgentSpec, AgentSpec], None] = {}

        def read_agent(node: Node) -> AgentSpec | None:
            spec = agents.parse(node, self.problems)
            if spec is None:
                return None
            agents.check_features(spec, node, declarations, self.problems)
            if labels.setdefault(spec.label, spec).canonical() != spec.canonical():
                message = f"expected agents with different labels, found a second '{spec.label}' with other options"
                hint = f"give it a name: {{{spec.kind}: {{..., name: {spec.label}-b}}}}"
                self.problems.append(node.problem(message, hint))
            for other in labels.values():
                if other.label != spec.label and other.canonical() == spec.canonical():
                    message = f"expected agents that differ, but '{spec.label}' plays as '{other.label}' does"
                    self.problems.append(node.problem(message, "its games would be the same ones"))
                    break
            return spec

        def add(first: AgentSpec, second: AgentSpec, node: Node) -> None:
            if (first, second) in found:
                words = f"{first.label} – {second.label}"
                self.problems.append(node.problem(f"expected each pairing once, found {words} again"))
            found[first, second] = None

        for node in self.listed("agents", "agents"):
            if (spec := read_agent(node)) is not None:
                add(spec, spec, node)
        for node in self.listed("pairings", "pairs of agents"):
            if not isinstance(node.value, tuple) or len(node.value) != 2:
                count = f"{len(node.value)} items" if isinstance(node.value, tuple) else node.described()
                self.problems.append(node.problem(f"expected two agents [first, second], found {count}"))
                continue
            first, second = (read_agent(each) for each in node.value)
            if first and second:
                add(first, second, node)
        if "agents" not in self.keys and "pairings" not in self.keys:
            self.missing("agents", "'agents: [random, greedy]'")
        return list(found)

    # Targets

    def targets(self) -> dict[str, Target]:
        node = self.keys.get("targets")
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.problems.append(
                node.problem(f'expected targets such as {{draw_rate: "<0.05"}}, found {node.described()}')
            )
            return {}
        found: dict[str, Target] = {}
        for name, each in node.value.items():
            if name not in TARGETS:
                message = f"expected something to set a target for, found '{name}'"
                self.problems.append(each.problem(message, guess(name, TARGETS)))
            elif (target := self.target(name, each)) is not None:
                found[name] = target
        return found

    def target(self, name: str, node: Node) -> Target | None:
        high = float(MOST_PLIES) if name == "plies" else 1.0
        words = node.text.strip()
        if isinstance(node.value, str) and _LIMIT.fullmatch(words) and float(words.lstrip("<>= ")) <= high:
            return words
        if isinstance(node.value, tuple) and len(node.value) == 2:
            ends = [float(each.value) for each in node.value if type(each.value) in (int, float)]  # type: ignore[arg-type]
            if len(ends) == 2 and 0 <= ends[0] <= ends[1] <= high:
                return ends
        found = node.plain() if isinstance(node.value, tuple) else node.described()
        expected = f'[lowest, highest] or a limit such as "<0.05", from 0 to {high:,.0f}'
        self.problems.append(node.problem(f"expected {expected}, found {found}"))
        return None


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


# Schema


def schema(known: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of experiment files; ``known`` are the names of rulesets to offer."""

    def described(key: str, rule: Mapping[str, Any]) -> dict[str, Any]:
        return {"description": KEYS[key], **rule}

    ruleset: dict[str, Any] = {"type": "string", "pattern": "^[^/]+/[^/]+$"}
    if known:
        ruleset = {"anyOf": [{"enum": list(known)}, ruleset]}
    agent_rule = {"$ref": "#/$defs/agent"}
    band = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}
    target = {"anyOf": [band, {"type": "string", "pattern": "^" + _LIMIT.pattern + "$"}]}
    some = {"type": "array", "minItems": 1}
    asked = primary.names(event for game in games.names() for event in primary.events([game]))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment of the rule workbench",
        "type": "object",
        "additionalProperties": False,
        "required": ["games"],
        "allOf": [
            {"anyOf": [{"required": ["title"]}, {"required": ["title_ja"]}]},
            {"anyOf": [{"required": ["rulesets"]}, {"required": ["vary"]}]},
            {"anyOf": [{"required": ["agents"]}, {"required": ["pairings"]}]},
        ],
        "properties": {
            "title": described("title", {"type": "string", "minLength": 1}),
            "title_ja": described("title_ja", {"type": "string", "minLength": 1}),
            "rulesets": described("rulesets", some | {"items": ruleset, "uniqueItems": True}),
            "vary": described("vary", _vary_schema(ruleset)),
            "design": described("design", {"enum": list(DESIGNS)}),
            "baseline": described("baseline", {"type": "string"}),
            "agents": described("agents", some | {"items": agent_rule, "uniqueItems": True}),
            "pairings": described("pairings", some | {
                "items": {"type": "array", "items": agent_rule, "minItems": 2, "maxItems": 2}, "uniqueItems": True
            }),
            "games": described("games", {"type": "integer", "minimum": 1, "maximum": MOST_GAMES}),
            "until": described("until", {"enum": ["decided"]}),
            "precision": described("precision", {"type": "number", "minimum": LEAST_PRECISION, "maximum": 0.5}),
            "looks": described("looks", {"type": "integer", "minimum": 1, "maximum": MOST_LOOKS}),
            "question": described("question", {"enum": asked, "default": primary.FIRST_SCORE}),
            "margin": described("margin", {
                "type": "number", "minimum": primary.LEAST_MARGIN, "maximum": primary.MOST_NUMBER
            }),
            "measures": described("measures", some | {"items": {"enum": list(MEASURES)}, "uniqueItems": True}),
            "max_plies": described("max_plies", {
                "type": "integer", "minimum": 1, "maximum": MOST_PLIES, "default": DEFAULT_MAX_PLIES
            }),
            "capped": described("capped", {
                "anyOf": [
                    *({"const": name, "description": sentence} for name, sentence in CAPPED.items()),
                    {
                        "type": "object", "additionalProperties": False, "required": ["adjudicate"],
                        "properties": {"adjudicate": {
                            "description": CAPPED["adjudicate"], "type": ["object", "null"],
                            "additionalProperties": False,
                            "properties": {"threshold": {
                                "description": "The expected score from which on a side has won.", "type": "number",
                                "minimum": LEAST_THRESHOLD, "maximum": 1, "default": THRESHOLD,
                            }},
                        }},
                    },
                ],
                "default": "bounds",
            }),
            "seed": described("seed", {"type": "integer", "minimum": 0, "maximum": MOST_SEED, "default": 0}),
            "block": described("block", {"type": "integer", "minimum": 1, "maximum": MOST_GAMES}),
            "targets": described("targets", {
                "type": "object",
                "additionalProperties": False,
                "properties": {name: {"description": sentence, **target} for name, sentence in TARGETS.items()},
            }),
        },
        "$defs": {"agent": agents.schema()},
    }  # fmt: skip


def _vary_schema(ruleset: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, list[dict[str, Any]]] = {}
    titles: dict[str, str] = {}
    for game in games.names():
        for toggle in games.declaration(game).toggles:
            titles.setdefault(toggle.name, toggle.title)
            choices = values.setdefault(toggle.name, [])
            choices += [{"const": value.name, "description": value.sentence} for value in toggle.values]
            if toggle.span:
                choices.append({"type": "integer" if toggle.span.step == 1 else "number", "minimum": toggle.span.low,
                                "maximum": toggle.span.high, "description": toggle.span.sentence})  # fmt: skip
            if toggle.files:
                choices.append({"type": "string", "description": toggle.files.sentence})
    rules: dict[str, Any] = {
        name: {"description": titles[name], "type": "array", "minItems": 1, "items": {"anyOf": choices}}
        for name, choices in values.items()
    }
    rules["base"] = {
        "description": "The ruleset to vary, or a list of them.",
        "anyOf": [ruleset, {"type": "array", "minItems": 1, "items": ruleset, "uniqueItems": True}],
    }
    tied = {
        "description": "A factor of your own: each level sets the same toggles.",
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": "object", "minProperties": 1},
    }
    return {"type": "object", "minProperties": 1, "additionalProperties": tied, "properties": rules}
