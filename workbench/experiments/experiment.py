"""Experiments: which rulesets are played by which agents, how often, and with which random numbers.

An experiment is a table of cells, ruleset by pairing (the agents of the two seats), and plays ``games`` games in each.
`Experiment` is the one model of an experiment file: its fields declare the keys. It knows its cells, the seed of every
game and how games are cut into blocks. `load_experiment` reads and checks a file.

Seeds: a game's random numbers depend on the experiment's seed, the two agents and the number of the game in its cell,
and on nothing else (see `game_seeds`). So a game meets the same chance under all rulesets, and more rulesets, more
games or other blocks never change a game that was there before.

This module imports neither pandas nor Numba.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.base.errors import InputError, Problem, display_path, expected, guess, input_error
from workbench.base.keys import ALWAYS, IF_SET, NEVER, Boolean, DeferredValue, ListOf, Number, OneOf, Text, key, keys_of
from workbench.base.language import bilingual, tr
from workbench.base.project import QUICK_LOOK, STRONG, Project, experiment_name_problem, find_project
from workbench.base.yamlfile import Node, index_by_name, node_of_value, parse_yaml, read_yaml, snapshot
from workbench.experiments import experiment_files, measures
from workbench.experiments.design import DESIGNS, Vary, combined_changes
from workbench.experiments.experiment_files import (
    LOOKS_PRECISION,
    LOOKS_UNTIL,
    PUBLISHED,
    THRESHOLD,
    Capped,
    DrawnLines,
    ExperimentReader,
    Lines,
    Openings,
    Published,
    Target,
    Targets,
)
from workbench.games.declaration import Declaration
from workbench.players import agents
from workbench.players.agent_kinds import KINDS, LEARNED, OWN, SEEDS, SHARED
from workbench.players.agents import AgentSpec
from workbench.rules.rulesets import Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Seeds = np.ndarray[Any, np.dtype[np.uint64]]

MOST_GAMES, MOST_PLIES, MOST_SEED = 10_000_000, 100_000, 2**64 - 1
MOST_CELLS, MOST_BLOCKS = 10_000, 400_000
"""Blocks are files until a run has ended, and its plan, about a kilobyte for each, is held in memory."""
DEFAULT_MAX_PLIES = 400

_AGENT = DeferredValue(lambda: {"$ref": "#/$defs/agent"})
_RULESET = DeferredValue(lambda: {"$ref": "#/$defs/ruleset"})
_PAIR = DeferredValue(lambda: {"type": "array", "items": _AGENT.schema(), "minItems": 2, "maxItems": 2})


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A checked experiment. A field that is a `key` is what its file says, or the default."""

    name: str
    """The stem of its file; also the name of its report folder."""
    path: str
    """As the user would type it."""
    title: str = key(
        Text(), tr("The question that the experiment answers."), "Does the new opening help White?", default="",
        required=True, instead="title_ja", recorded=ALWAYS,
    )  # fmt: skip
    title_ja: str = key(
        Text(), tr("The title in Japanese; one of the two titles is enough."), "この実験の問い", default="",
        recorded=ALWAYS,
    )  # fmt: skip
    rulesets: tuple[Ruleset, ...] = key(
        ListOf("rulesets", _RULESET), tr("The rulesets to compare, by their full names."),
        ["chatra/2007-09", "chatra/C"], required=True, instead="vary",
    )  # fmt: skip
    """The rulesets of the file and those that are made by varying."""
    factors: Mapping[str, tuple[str, ...]] = key(
        Vary(),
        tr(
            "Toggles and the values to try: every combination becomes a ruleset, but those that the "
            "rules refuse. Toggles that belong together: a name of your own, with named levels that "
            "each set several toggles. What is varied is the one ruleset of `rulesets`, or the one "
            "(or each of the list) named here as `base`, besides those of `rulesets`."
        ), {"stuck": ["draw", "loss"]}, name="vary", default={}, recorded=IF_SET,
    )  # fmt: skip
    """The factors that are varied: factor -> levels."""
    design: str = key(
        OneOf(tuple(DESIGNS)),
        tr(
            "Which combinations of `vary` are played: full (all), fractional (enough for effects of "
            "two), pairs, or one-at-a-time (each change alone, besides the first levels)."
        ), "full", default="", recorded=IF_SET,
    )  # fmt: skip
    """One of `DESIGNS` if the experiment varies factors."""
    baseline: str = key(
        DeferredValue(lambda: {"type": "string"}),
        tr("The ruleset that the others are compared with; the first one if left out."), "chatra/2007-09", default="",
        recorded=ALWAYS,
    )  # fmt: skip
    """Full name of one of ``rulesets``."""
    agents: tuple[AgentSpec, ...] = key(
        ListOf("agents", _AGENT), tr("Agents that play themselves."), ["random", "greedy", "alphabeta-2"], default=(),
        required=True, instead="pairings",
    )  # fmt: skip
    pairings: tuple[tuple[AgentSpec, AgentSpec], ...] = key(
        ListOf(tr("pairs of agents"), _PAIR), tr("Pairs of agents: the first and the second seat."),
        [["greedy", "alphabeta-2"], ["alphabeta-2", "greedy"]], default=(),
    )  # fmt: skip
    """All of them: ``agents`` with themselves, then those that the file writes."""
    games: int = key(
        Number(1, MOST_GAMES, whole=True),
        tr("Games per cell (ruleset and pairing); the ceiling, if `until` or `precision` may end a cell earlier."),
        1000, required=True, recorded=ALWAYS,
    )  # fmt: skip
    question: str = key(
        DeferredValue(measures.question_schema),
        tr(
            "The measure that the verdicts are about: first_score (judged as fairness) if left out, "
            "draw_rate, decisive, plies (mean length), variety (openings), legal_moves, "
            "first_win_rate, second_win_rate, capped_rate, or event_x_mean or event_x_share of an "
            "event x of the game, or event_x_per_y where its declaration says so."
        ), "draw_rate", default=measures.FIRST_SCORE, recorded=IF_SET,
    )  # fmt: skip
    until: str = key(
        OneOf(("decided",)),
        tr(
            "decided: a proposal's cells end as soon as the verdict on the question is sure; where players can tell "
            "what strong play says, the cells of rulesets that cannot be the fairest any more."
        ), "decided", default="", recorded=IF_SET,
    )  # fmt: skip
    """Empty or ``decided``."""
    precision: float | None = key(
        Number(0.0005, 0.5, tr("a share")),
        tr("A cell ends as soon as the interval of the first seat's score is no wider than this on either side."),
        0.02,
        recorded=IF_SET,
    )
    looks: int | None = key(
        Number(1, 50, whole=True),
        tr(
            "Looks of `until` ({looks_until}) or `precision` ({looks_precision}), in equal steps up to `games`.",
            looks_until=LOOKS_UNTIL,
            looks_precision=LOOKS_PRECISION,
        ), 5, recorded=IF_SET,
    )  # fmt: skip
    margin: float | None = key(
        DeferredValue(measures.margin_schema),
        tr(
            "The smallest difference of the question's measure that matters, in its unit; as a "
            "share, 0.02 is two points, and a score that is surely no farther from 0.5 is balanced. "
            "If left out: of first_score half the width of its target, or 0.025; of other shares "
            "0.025; of plies, legal moves and the mean of an event 5 % of the baseline's value; of "
            "variety 10 % of it."
        ), 0.025, recorded=IF_SET,
    )  # fmt: skip
    """In the unit of the question's measure."""
    measures: tuple[str, ...] = key(
        ListOf("measures", OneOf(measures.COMPARED, tr("a measure")), once="measure"),
        tr("Further measures for comparing proposals; their p-values are corrected together with the question's."),
        ["fairness", "draw_rate", "plies_mean"], default=(), recorded=IF_SET,
    )  # fmt: skip
    max_plies: int = key(
        Number(1, MOST_PLIES, whole=True),
        tr(
            "Games are stopped after so many plies; {default_max_plies} if left out. See `capped`.",
            default_max_plies=DEFAULT_MAX_PLIES,
        ), DEFAULT_MAX_PLIES, default=DEFAULT_MAX_PLIES, recorded=ALWAYS,
    )  # fmt: skip
    adjudicate: float | None = key(
        Capped(),
        tr(
            "What becomes of games that reach max_plies. bounds (if left out): they stay unfinished, "
            "and intervals allow for either result. adjudicate: the strongest player of the "
            "experiment judges the last position, and a side whose expected score is at least "
            "{threshold} has won; another threshold: {{adjudicate: {{threshold: 0.95}}}}.",
            threshold=THRESHOLD,
        ), "bounds", name="capped",
    )  # fmt: skip
    """From which expected score on (½ to 1) `judge` adjudicates a game that reaches ``max_plies``; None: never."""
    openings: Lines | None = key(
        Openings(),
        tr(
            "The first moves of the games. {plies: 4, lines: 500}: so many lines of random legal "
            "moves, where legal the same for all rulesets, which each player meets in an order of its own; "
            "lines after which a side has as good as won are left out. Or a list of lines, each its moves "
            "with spaces between, of which game i has line i mod lines. If left out, the players choose "
            "from the first move on."
        ),
        {"plies": 4, "lines": 500},
    )
    seed: int = key(
        Number(0, MOST_SEED, whole=True), tr("All random numbers follow from this one; 0 if left out."), 1, default=0,
        recorded=ALWAYS,
    )  # fmt: skip
    block: int | None = key(
        Number(1, MOST_GAMES, whole=True),
        tr("Games that are played and saved together; chosen by the agents' speed if left out. Changes no result."),
        100,
    )
    keep_moves: bool = key(
        Boolean(),
        tr(
            "true: the records hold the moves of every game, for studies of one's own; they can be "
            "read without playing the games again. Changes no result."
        ), True, default=False, recorded=IF_SET,
    )  # fmt: skip
    targets: Mapping[str, Target] = key(
        Targets(MOST_PLIES),
        tr('What a good ruleset should reach, as [lowest, highest] or as a limit such as "<0.05".'),
        {"first_score": [0.48, 0.52], "draw_rate": "<0.05"}, default={}, recorded=ALWAYS,
    )  # fmt: skip
    published: Published | None = key(
        PUBLISHED,
        tr(
            "What others published for rulesets of the experiment: numbers of games, or shares with "
            "the number of games or as 95 % intervals. Reports set the differences from the baseline "
            "beside these."
        ),
        {
            "source": "D. Author, Games, 2020",
            "results": {
                "chatra/2007-09": {"first_wins": 520, "draws": 30, "second_wins": 450},
                "chatra/C": {"first_score": 0.51, "draw_rate": 0.04, "games": 1000},
            },
        },
    )
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For each ruleset that was made by varying, its level of each factor."""
    left_out: tuple[str, ...] = ()
    """Combinations that the rules refuse, with the reason."""
    recorded_judge: str = field(default="", compare=False)
    """The label of the player that adjudicated when the games were played, where provenance tells it."""
    quick_look: int = 0
    """For a quick look, the games per cell that the file asks for; see `quick_look`."""
    learned: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Digests of what players have learned, by the fingerprint of the rules and the training's key; see
    `workbench.players.library`. They are no part of the file, and decide no seed."""

    def canonical(self) -> dict[str, Any]:
        """The experiment as provenance keeps it, rulesets and agents aside; options at their defaults are left out."""
        plain: dict[str, Any] = {"name": self.name}
        for name, declared in FIELDS.items():
            value = getattr(self, name)
            if declared.recorded == ALWAYS or (declared.recorded == IF_SET and value != declared.default):
                plain[name] = value
        if self.judge:
            plain["capped"] = self.adjudication()
        if self.openings:
            plain["openings"] = self.openings.canonical()
        if self.published:
            plain["published"] = self.published.canonical()
        return plain | {name: getattr(self, name) for name in ("left_out", "quick_look") if getattr(self, name)}

    @property
    def heading(self) -> str:
        """Its title in both languages."""
        return bilingual(en=self.title, ja=self.title_ja)

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> Experiment:
        """Return the experiment that a ``provenance.json`` was written for; what it does not say has its default."""
        recorded = provenance["experiment"]
        fields = {name: one for name, one in FIELDS.items() if one.recorded != NEVER and recorded.get(name) is not None}
        values: dict[str, Any] = {
            "name": str(recorded.get("name") or ""), "games": 0, "max_plies": 0,
            **{name: tuple(recorded[name]) if one.default == () else recorded[name] for name, one in fields.items()},
        }  # fmt: skip
        values["factors"] = {name: tuple(levels) for name, levels in values.get("factors", {}).items()}

        rulesets = tuple(Ruleset.from_provenance(entry) for entry in provenance["rulesets"])

        def agent(pair: Mapping[str, Any], seat: str) -> AgentSpec:
            return AgentSpec.from_provenance(str(pair[seat]), pair.get(f"{seat}_options") or {}).within(rulesets)

        return cls(
            **values,
            path="",
            rulesets=rulesets,
            pairings=tuple((agent(pair, "first"), agent(pair, "second")) for pair in provenance["pairings"]),
            adjudicate=(recorded.get("capped") or {}).get("threshold"),
            recorded_judge=str((recorded.get("capped") or {}).get("judge") or ""),
            openings=experiment_files.lines_from_provenance(recorded.get("openings")),
            published=experiment_files.published_from_provenance(recorded.get("published")),
            levels={str(one["name"]): dict(one["levels"]) for one in provenance["rulesets"] if one.get("levels")},
            left_out=tuple(recorded.get("left_out") or ()),
            quick_look=int(recorded.get("quick_look") or 0),
        )

    @property
    def players(self) -> list[AgentSpec]:
        """All that play, in the order of the pairings."""
        return list(dict.fromkeys(player for pairing in self.pairings for player in pairing))

    @property
    def players_and_judge(self) -> list[AgentSpec]:
        """All players, and the judge of random opening lines."""
        return [*self.players, *([self.openings.judge] if isinstance(self.openings, DrawnLines) else [])]

    @property
    def kinds(self) -> set[int]:
        """The engine's codes of all players, including the judge of opening lines."""
        return {player.code for player in self.players_and_judge}

    @cached_property
    def judge(self) -> AgentSpec | None:
        """The player that adjudicates games that reach ``max_plies``, the same one in all cells; None: nobody does."""
        return agents.strongest_player(self.players) if self.adjudicate is not None else None

    @property
    def adjudicator(self) -> str:
        """The label of the player that adjudicates; empty where games that reach ``max_plies`` stay unfinished."""
        return self.recorded_judge or (self.judge.label if self.judge else "")

    def adjudication(self) -> dict[str, Any]:
        """Return the adjudication of games that reach ``max_plies``, as plain data; empty if there is none."""
        if self.judge is None:
            return {}
        return {"threshold": self.adjudicate, "judge": self.judge.label, "options": self.judge.judge().canonical()}

    @property
    def sequential(self) -> bool:
        """True if cells may end before they have all their games."""
        return bool(self.until or self.precision)

    def families(self) -> list[str]:
        """Return the games that are played, in order of appearance."""
        return list(dict.fromkeys(ruleset.game for ruleset in self.rulesets))

    def cells(self) -> tuple[Cell, ...]:
        """All cells, ruleset by ruleset."""
        return self._cells

    def games_of(self, cell: Cell) -> int:
        """Return how many games a cell has, at most where it may end early.

        A baseline with which k single changes are compared is in k differences: it has √k times the games of the
        others, among players that learn each ruleset apart. Where players meet the same chance with the same weights,
        further games of one ruleset alone add little.

        Source: C. W. Dunnett, "A multiple comparison procedure for comparing several treatments with a control",
        Journal of the American Statistical Association 50, 1955.
        """
        alike = cell.first.weights_in_common and cell.second.weights_in_common
        if alike or self.sequential or cell.ruleset.name != self.baseline:
            return self.games
        return math.ceil(self.games * math.sqrt(max(1, self._single_changes)))

    @cached_property
    def _single_changes(self) -> int:
        """The rulesets that are compared with the baseline; 0 where they combine changes of rules."""
        base = next((ruleset for ruleset in self.rulesets if ruleset.name == self.baseline), None)
        compared = [ruleset for ruleset in self.rulesets if base is not None and ruleset.game == base.game]
        return 0 if combined_changes([ruleset.settings for ruleset in compared]) else len(compared) - 1

    @property
    def total_games(self) -> int:
        """The games of all cells, at most."""
        return sum(map(self.games_of, self._cells))

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        pairs = itertools.product(self.rulesets, self.pairings)
        return tuple(
            Cell(index, ruleset, first, second, self._digest(ruleset, first, second))
            for index, (ruleset, (first, second)) in enumerate(pairs)
        )

    def _digest(self, ruleset: Ruleset, first: AgentSpec, second: AgentSpec) -> str:
        declaration = games.declaration(ruleset.game)
        players = [self._decides(agent, ruleset, declaration) for agent in (first, second)]
        parts: tuple[Any, ...] = (
            "common chance",
            self.seed,
            self.max_plies,
            ruleset.game,
            ruleset.fingerprint,
            *players,
        )
        if self.judge:
            # Moves and seeds are the same ones; the results are not.
            parts += ([self.adjudicate, *self._decides(self.judge.judge(), ruleset, declaration)],)
        if self.openings:
            openings = {name: value for name, value in self.openings.canonical().items() if name != "judge"}
            parts += (["openings", openings],)
        if isinstance(self.openings, DrawnLines):
            parts += (["by preference", *self._decides(self.openings.judge, ruleset, declaration)],)
        return hashlib.sha256(canonical_json(parts)).hexdigest()[:16]

    def _decides(self, agent: AgentSpec, ruleset: Ruleset, declaration: Declaration) -> list[Any]:
        """Return the properties that decide an agent's play: its options, the engine's numbers, and its weights."""
        player = agent.player(declaration)
        engine = player.agent
        numbers = [engine.kind, engine.depth, engine.epsilon, engine.temperature, player.weights]
        known = self.learned.get((ruleset.fingerprint, agent.training_key)) if agent.training else None
        return [agent.canonical(), numbers, *([known] if known else [])]

    @property
    def line_count(self) -> int:
        """The number of lines that the games begin with; 0 where the players choose from the first move on."""
        if isinstance(self.openings, DrawnLines):
            return self.openings.lines
        return len(self.openings.lines) if self.openings else 0

    def line_numbers(self, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Any:
        """Return the line of each game from ``start`` up to ``stop`` between two players, int32; -1 for none.

        Given lines take turns. Of drawn lines every two players have an order of their own, the same under all rulesets
        (`line_order`): a line that favours a side then moves the scores of a few players and not of all.
        """
        import numpy as np

        if not self.line_count:
            return np.full(stop - start, -1, dtype=np.int32)
        places = np.arange(start, stop) % self.line_count
        if isinstance(self.openings, DrawnLines):
            places = line_order(self.seed, first, second, self.line_count)[places]
        return places.astype(np.int32)

    def reference(self, ruleset: Ruleset) -> Ruleset:
        """Return the ruleset that a ruleset's lines are compared with: the baseline, or the first of its family."""
        family = [each for each in self.rulesets if each.game == ruleset.game]
        return next((each for each in family if each.name == self.baseline), family[0])

    def line_seeds(self, ruleset: Ruleset, number: int, start: int, stop: int) -> Seeds:
        """The seeds of the attempts at the line of this number, the same for all rulesets of a game; see `splitmix`."""
        return splitmix(("openings", self.seed, ruleset.game, number), start, stop)

    def seeds(self, cell: Cell, start: int, stop: int) -> Seeds:
        """Return the seeds of the games from ``start`` up to ``stop`` of a cell, uint64."""
        return game_seeds(self.seed, cell.first, cell.second, start, stop)

    def block_size(self, cell: Cell) -> int:
        """Games per block of the cell."""
        if self.block:
            return self.block
        return games.declaration(cell.ruleset.game).pace * min(cell.first.block(), cell.second.block())


FIELDS = keys_of(Experiment)
"""The keys of an experiment file by the names of the fields of `Experiment`, in the order of the help."""
KEYS = {declared.name: declared for declared in FIELDS.values()}
"""The keys by their own names."""


def experiment_names(project: Project | None = None) -> list[str]:
    """Return the experiments of the project, by the stems of their files, sorted."""
    return list(files_by_stem((project or find_project()).experiments))


def files_by_stem(folder: Path) -> dict[str, Path]:
    """Return the YAML files of a folder by their stems, sorted."""
    return index_by_name((path.stem, path) for path in sorted(folder.glob("*.yaml")))


def find_experiment(name: str, project: Project | None = None) -> Path:
    """Return the file of an experiment, given as a path or as a name."""
    known = files_by_stem((project or find_project()).experiments)
    return find_file(name, known, tr("there is no experiment '{name}'", name=name), tr("experiments are {names}"))


def find_file(name: str, known: Mapping[str, Path], missing: str, listing: str) -> Path:
    """Return the YAML file that a path or one of the known names leads to.

    Raises:
        InputError: there is none; ``missing`` says so of a name, ``listing`` what ``{names}`` there are.
    """
    if Path(name).is_file():
        return Path(name)
    if (path := known.get(unicodedata.normalize("NFC", name))) is not None:
        return path
    if name.endswith(".yaml") and Path(name).stem not in known:
        hint = guess(Path(name).stem, known, listing)
        raise input_error(tr("there is no such file"), hint, file=name)
    raise input_error(missing, guess(Path(name).stem, known, tr("there are {names}")))


@snapshot()
def load_experiment(path: str | Path, project: Project | None = None, text: str | None = None) -> Experiment:
    """Return the experiment of a file, checked, with all its rulesets; ``text`` counts as the file's, if it is given.

    Raises:
        InputError: the file or one of its rulesets is wrong; all problems of all of them.
    """
    path, project = Path(path), project or find_project()
    root, problems = read_tree(path, project, project.experiments, text)
    return experiment_from_tree(root, path.stem, display_path(path), project, problems)


def read_tree(path: Path, project: Project, folder: Path, text: str | None = None) -> tuple[Node, list[Problem]]:
    """Return the tree of a file that its stem names, and the problems so far; ``text`` counts as the file's.

    Raises:
        InputError: it is no YAML, or lies in ``folder`` and leads out of the project.
    """
    own = Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))
    if own:
        project.require_place(path)
    problems: list[Problem] = []
    root = read_yaml(path, problems) if text is None else parse_yaml(text, display_path(path), problems)
    if trouble := experiment_name_problem(path.stem):
        problems.append(Problem(root.file, root.line, None, trouble, tr("rename the file")))
    return root, problems


def experiment_from_tree(
    root: Node,
    name: str,
    path: str,
    project: Project,
    problems: list[Problem],
    known: Mapping[str, Ruleset] | None = None,
) -> Experiment:
    """Return the experiment of a tree of keys with ``problems`` so far; ``known`` are rulesets beside the project's."""
    experiment = Experiment(
        name=name, path=path, **ExperimentReader(root, FIELDS, project, problems, known or {}).values()
    )
    _check_size(experiment, root, problems)
    if problems:
        in_order = sorted(dict.fromkeys(problems), key=lambda one: (one.file != root.file, one.file, one.line or 0))
        raise InputError(in_order)
    return experiment


def _check_size(experiment: Experiment, root: Node, problems: list[Problem]) -> None:
    """Note what is too much: cells, or blocks that are so small that there are too many of them."""
    pairings, cells = len(experiment.pairings), len(experiment.rulesets) * len(experiment.pairings)
    if cells > MOST_CELLS:
        found = tr("{count} rulesets with {pairings} pairings", count=len(experiment.rulesets), pairings=pairings)
        problems.append(root.expected(tr("at most {most:,} cells", most=MOST_CELLS), found=found))
    if problems:
        return
    count = sum(-(-experiment.games_of(cell) // experiment.block_size(cell)) for cell in experiment.cells())
    if count > MOST_BLOCKS:
        message = expected(tr("at most {most:,} blocks of games in all", most=MOST_BLOCKS), f"{count:,}")
        least = -(-cells * experiment.games // MOST_BLOCKS) + 1
        hint = tr("write 'block: {least}' or more, or fewer games", least=least)
        assert isinstance(root.value, dict)
        problems.append(root.value["block" if "block" in root.value else "games"].problem(message, hint))


@snapshot()
def experiment_from_values(values: Mapping[str, object], name: str = "", project: Project | None = None) -> Experiment:
    """Return the experiment of plain values by the keys of a file, checked as a file is that holds them.

    Rulesets may stand there themselves instead of their names. An experiment without a name is called after all that
    it says, so that the same has the same folder; one without a title has its name for it.
    """
    problems: list[Problem] = []
    known: dict[str, Ruleset] = {}
    labelled: dict[str, str] = {}

    def named(value: object, place: str) -> object:
        if not isinstance(value, Ruleset):
            return value
        if known.setdefault(value.name, value).fingerprint != value.fingerprint:
            other = tr("another '{name}' with other rules", name=value.name)
            hint = tr("give it another: derive(label=…)")
            problems.append(Node("", 0, place, None).expected(tr("rulesets with different names"), hint, found=other))
        elif value.label and labelled.setdefault(value.label, value.name) != value.name:
            other = tr("another '{label}'", label=value.label)
            problems.append(Node("", 0, place, None).expected(tr("rulesets with different labels"), found=other))
        return value.name

    plain = {key: named(value, key) for key, value in values.items()}
    listed = plain.get("rulesets")
    if isinstance(listed, list | tuple):
        plain["rulesets"] = [named(value, f"rulesets[{i}]") for i, value in enumerate(listed)]
    root = node_of_value(plain, problems=problems)
    if not name:
        prints = sorted((each.name, each.fingerprint) for each in known.values())
        about = json.dumps([root.plain(), prints], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        name = f"unnamed-{hashlib.sha256(about.encode()).hexdigest()[:12]}"
    elif trouble := experiment_name_problem(name):
        problems.append(Problem("", None, "name", trouble, tr("letters, digits, - and _, such as my-question")))
    if "title" not in plain and "title_ja" not in plain:
        root = node_of_value({**plain, "title": name})
    return experiment_from_tree(root, name, "", project or find_project(), problems, known)


STRONG_NODES, STRONG_GAMES, STRONG_PLIES = (250, 2_000), 150, 4
"""The budgets of `with_strong_players`, the games of each cell, and the plies of the lines that are drawn for them.

The effect of doubling the nodes is estimated the better the farther budgets lie apart; more than a factor of ten is too
far.
"""


def quick_look(experiment: Experiment, count: int) -> Experiment:
    """Return the experiment with exactly ``count`` games in every cell; its name says so.

    The games are the first ``count`` of the experiment's own, by their seeds.
    """
    name = QUICK_LOOK.format(name=experiment.name, count=count)
    return replace(_without_early_ends(experiment, count), name=name, quick_look=experiment.games)


def with_strong_players(experiment: Experiment, share: bool = False) -> Experiment:
    """Return the same rulesets and question, by players that can tell what strong play says; its name says so.

    Both families of search play themselves with two budgets of nodes, by the hand-tuned weights and by three trainings;
    from random lines, where the file has no openings. The rulesets ``share`` the first of these trainings, where they
    can: differences show in fewer games between players of the same weights.
    """
    players = strong_players(SEEDS[:2], SEEDS[:1]) if share else strong_players()
    return replace(
        _without_early_ends(experiment, STRONG_GAMES),
        name=STRONG.format(name=experiment.name),
        pairings=tuple((player, player) for player in (player.within(experiment.rulesets) for player in players)),
        openings=experiment.openings or DrawnLines(STRONG_PLIES),
    )


def strong_players(trainings: tuple[int, ...] = SEEDS, shared: tuple[int, ...] = ()) -> tuple[AgentSpec, ...]:
    """Both families of search with two budgets of nodes, by the hand-tuned weights and by trainings."""
    kinds = [kind.name for kind in KINDS.values() if kind.by_nodes]
    judged = [(OWN, 0), *((SHARED, seed) for seed in shared), *((LEARNED, seed) for seed in trainings)]
    return tuple(
        AgentSpec.of(kind, nodes=nodes, training=training, evaluation=evaluation)
        for kind in kinds for nodes in STRONG_NODES for evaluation, training in judged
    )  # fmt: skip


def _without_early_ends(experiment: Experiment, games: int) -> Experiment:
    """With a fixed number of games, even where the file ends cells early.

    Verdicts after these games need no correction for interim analyses that are not taken.
    """
    return replace(experiment, games=games, until="", precision=None, looks=None)


@dataclass(frozen=True)
class Cell:
    """A ruleset and the agents of the two seats."""

    index: int
    ruleset: Ruleset
    first: AgentSpec
    second: AgentSpec
    digest: str
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
        """The number of these games."""
        return self.stop - self.start


def game_seeds(seed: int, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Seeds:
    """Return the seeds of a cell's games ``start`` to ``stop - 1``: one 64-bit number for each game, uint64.

    Their stream (see `splitmix`) depends on the experiment's seed and both agents' options. It leaves out the rules, so
    that a game meets the same chance under all of them: differences of rulesets are then differences of the rules.

    Source: common random numbers, A. M. Law, "Simulation Modeling and Analysis", 5th edition, 2015, section 11.2.
    """
    return splitmix((seed, first.canonical(), second.canonical()), start, stop)


def line_order(seed: int, first: AgentSpec, second: AgentSpec, lines: int) -> npt.NDArray[np.intp]:
    """Return the order, a permutation of ``lines`` numbers, in which two players meet the lines of an experiment.

    It is the same for both orders of seats and under all rulesets.
    """
    import numpy as np

    players = sorted(canonical_json(player.canonical()).decode() for player in (first, second))
    return np.argsort(splitmix(("lines", seed, players), 0, lines), kind="stable")


def splitmix(about: tuple[Any, ...], start: int, stop: int) -> Seeds:
    """Return the numbers ``start`` to ``stop - 1`` of a stream, uint64.

    The stream starts at ``b``, the first 8 bytes (big-endian) of the SHA-256 of the JSON text of what it is ``about``.
    Number ``n`` is output ``n`` of splitmix64 from state ``b``: ``mix(b + (n + 1) * 0x9E3779B97F4A7C15)``, so all
    numbers of a stream differ.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    import numpy as np

    digest = hashlib.sha256(canonical_json(about)).digest()
    begin = np.array([int.from_bytes(digest[:8], "big")], dtype=np.uint64)
    z: Seeds = begin + np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def canonical_json(value: Any) -> bytes:
    """Plain data as the one JSON text that there is of it, in UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
