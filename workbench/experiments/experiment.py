"""Experiments: rulesets, agents, numbers of games and seeds.

An experiment plays ``games`` games in each cell, a ruleset with the agents of the two seats. The fields of `Experiment`
declare the keys of its file, which `load_experiment` reads and checks.

A game's seed depends only on the experiment's seed, the two agents and the number of the game in its cell (see
`game_seeds`). So further rulesets, games or other block sizes never change a game.

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
from workbench.base.keys import ALWAYS, IF_SET, NEVER, Boolean, DeferredValue, ListOf, Number, OneOf, Text, key, key_map
from workbench.base.language import bilingual, tr
from workbench.base.project import QUICK_LOOK, STRONG, Project, experiment_name_problem, find_project
from workbench.base.yamlfile import Node, index_by_name, node_from_value, parse_yaml, read_yaml, snapshot
from workbench.experiments import experiment_files, measures
from workbench.experiments.design import DESIGNS, Vary, combined_changes
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
"""Each block is a file until the run has ended, and takes about a kilobyte of memory."""
DEFAULT_MAX_PLIES = 400

_AGENT = DeferredValue(lambda: {"$ref": "#/$defs/agent"})
_RULESET = DeferredValue(lambda: {"$ref": "#/$defs/ruleset"})
_PAIR = DeferredValue(lambda: {"type": "array", "items": _AGENT.schema(), "minItems": 2, "maxItems": 2})


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A valid experiment. Fields that are a `key` have the value in the file, or the default."""

    name: str
    """The stem of its file and the name of its report folder."""
    path: str
    """As the user would type it."""
    title: str = key(
        Text(), tr("The question that the experiment answers."), "Does the new opening help White?", default="",
        required=True, instead="title_ja", recorded=ALWAYS,
    )  # fmt: skip
    title_ja: str = key(
        Text(), tr("The Japanese title; either title is enough."), "この実験の問い", default="",
        recorded=ALWAYS,
    )  # fmt: skip
    rulesets: tuple[Ruleset, ...] = key(
        ListOf("rulesets", _RULESET), tr("The rulesets to compare, by their full names."),
        ["chatra/2007-09", "chatra/C"], required=True, instead="vary",
    )  # fmt: skip
    """The listed and the varied rulesets."""
    factors: Mapping[str, tuple[str, ...]] = key(
        Vary(),
        tr(
            "Toggles and the values to try: every combination that the rules allow becomes a ruleset. To "
            "change toggles together, use a custom name with named levels that each set several toggles. The "
            "base is the only ruleset in `rulesets`, or the ruleset (or list of rulesets) given here as `base` "
            "in addition to those in `rulesets`."
        ), {"stuck": ["draw", "loss"]}, name="vary", default={}, recorded=IF_SET,
    )  # fmt: skip
    """The levels of each varied factor."""
    design: str = key(
        OneOf(tuple(DESIGNS)),
        tr(
            "The combinations of `vary` to play: full (all), fractional (enough for two-factor interactions), pairs, "
            "or one-at-a-time (each change alone, plus the first levels)."
        ), "full", default="", recorded=IF_SET,
    )  # fmt: skip
    """One of `DESIGNS` if the experiment varies factors."""
    baseline: str = key(
        DeferredValue(lambda: {"type": "string"}),
        tr("The ruleset that the others are compared with; by default the first."), "chatra/2007-09", default="",
        recorded=ALWAYS,
    )  # fmt: skip
    """The full name of one of ``rulesets``."""
    agents: tuple[AgentSpec, ...] = key(
        ListOf("agents", _AGENT), tr("Agents that play against themselves."), ["random", "greedy", "alphabeta-2"],
        default=(), required=True, instead="pairings",
    )  # fmt: skip
    pairings: tuple[tuple[AgentSpec, AgentSpec], ...] = key(
        ListOf(tr("pairs of agents"), _PAIR), tr("Pairs of agents: first and second player."),
        [["greedy", "alphabeta-2"], ["alphabeta-2", "greedy"]], default=(),
    )  # fmt: skip
    """All pairings: ``agents`` against themselves, then those of the file."""
    games: int = key(
        Number(1, MOST_GAMES, whole=True),
        tr("Games per cell (ruleset and pairing); the maximum if `until` or `precision` may stop a cell earlier."),
        1000, required=True, recorded=ALWAYS,
    )  # fmt: skip
    question: str = key(
        DeferredValue(measures.question_schema),
        tr(
            "The measure that the verdicts are about: first_score (judged as fairness; the default), "
            "draw_rate, decisive, plies (mean length), variety (of openings), legal_moves, first_win_rate, "
            "second_win_rate, capped_rate, or event_x_mean or event_x_share for an event x of the game, or "
            "event_x_per_y if the game declares it."
        ), "draw_rate", default=measures.FIRST_SCORE, recorded=IF_SET,
    )  # fmt: skip
    until: str = key(
        OneOf(("decided",)),
        tr(
            "decided: a proposal's cells end as soon as the verdict on the question is certain; with strong "
            "players, so do the cells of rulesets that can no longer be the fairest."
        ), "decided", default="", recorded=IF_SET,
    )  # fmt: skip
    """Empty or ``decided``."""
    precision: float | None = key(
        Number(0.0005, 0.5, tr("a share")),
        tr("A cell stops once the half-width of the interval for the first player's score is at most this value."),
        0.02, recorded=IF_SET,
    )  # fmt: skip
    looks: int | None = key(
        Number(1, 50, whole=True),
        tr(
            "Number of interim analyses for `until` (default {looks_until}) or `precision` (default "
            "{looks_precision}), equally spaced up to `games`.",
            looks_until=experiment_files.LOOKS_UNTIL, looks_precision=experiment_files.LOOKS_PRECISION,
        ), 5, recorded=IF_SET,
    )  # fmt: skip
    margin: float | None = key(
        DeferredValue(measures.margin_schema),
        tr(
            "The smallest difference in the question's measure that matters, in its unit; for a share, 0.02 is "
            "two points, and a score certain to be within this distance of 0.5 is balanced. Default: for "
            "first_score half the width of its target, or 0.025; for other shares 0.025; for plies, legal "
            "moves and event means 5 % of the baseline's value; for variety 10 %."
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
            "The number of plies after which games are stopped; by default {default_max_plies}. See `capped`.",
            default_max_plies=DEFAULT_MAX_PLIES,
        ), DEFAULT_MAX_PLIES, default=DEFAULT_MAX_PLIES, recorded=ALWAYS,
    )  # fmt: skip
    adjudicate: float | None = key(
        experiment_files.Capped(),
        tr(
            "How to treat games that reach max_plies. bounds (the default): they stay unfinished, and "
            "intervals allow for either result. adjudicate: the strongest player in the experiment evaluates "
            "the last position, and a side whose expected score is at least {threshold} has won; for another "
            "threshold write {{adjudicate: {{threshold: 0.95}}}}.",
            threshold=experiment_files.THRESHOLD,
        ), "bounds", name="capped",
    )  # fmt: skip
    """The expected score (½ to 1) at which `judge` adjudicates a capped game; None for no adjudication."""
    openings: experiment_files.Lines | None = key(
        experiment_files.Openings(),
        tr(
            "The first moves of the games. {plies: 4, lines: 500} generates 500 lines of 4 random legal moves, "
            "common to all rulesets where legal, except lines that practically win the game for a side; each "
            "player meets them in a different order. Listed lines, each with its moves separated by spaces, "
            "are used in turn. By default the players choose all moves."
        ),
        {"plies": 4, "lines": 500},
    )
    seed: int = key(
        Number(0, MOST_SEED, whole=True), tr("The seed of all random numbers; by default 0."), 1, default=0,
        recorded=ALWAYS,
    )  # fmt: skip
    block: int | None = key(
        Number(1, MOST_GAMES, whole=True),
        tr(
            "The number of games played and saved together; by default it depends on the agents' speed. It "
            "does not affect results."
        ),
        100,
    )
    keep_moves: bool = key(
        Boolean(),
        tr(
            "true: record the moves of every game, for custom analyses without replaying. It does not affect results."
        ), True, default=False, recorded=IF_SET,
    )  # fmt: skip
    targets: Mapping[str, experiment_files.Target] = key(
        experiment_files.Targets(MOST_PLIES),
        tr('Targets for a good ruleset, as [lowest, highest] or as a limit such as "<0.05".'),
        {"first_score": [0.48, 0.52], "draw_rate": "<0.05"}, default={}, recorded=ALWAYS,
    )  # fmt: skip
    published: experiment_files.Published | None = key(
        experiment_files.PUBLISHED,
        tr(
            "Published results for the experiment's rulesets: counts of games, or shares, either with the number of "
            "games or as 95 % intervals. Reports compare their differences from the baseline with the experiment's."
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
    """The factor levels of each varied ruleset."""
    left_out: tuple[str, ...] = ()
    """Combinations that the rules refuse, with the reason."""
    recorded_judge: str = field(default="", compare=False)
    """The label of the player that adjudicated the games, according to provenance."""
    quick_look: int = 0
    """The file's games per cell, if this is a quick look; see `quick_look`."""
    learned: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Digests of learned weights by ruleset fingerprint and training key, which do not affect seeds."""

    def canonical(self) -> dict[str, Any]:
        """Return the entry for provenance, without rulesets, agents and default options."""
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
        """The title in both languages."""
        return bilingual(en=self.title, ja=self.title_ja)

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> Experiment:
        """Return the experiment recorded in a provenance, with defaults for unrecorded fields."""
        recorded = provenance["experiment"]
        fields = {name: key for name, key in FIELDS.items() if key.recorded != NEVER and recorded.get(name) is not None}
        values: dict[str, Any] = {
            "name": str(recorded.get("name") or ""), "games": 0, "max_plies": 0,
            **{name: tuple(recorded[name]) if key.default == () else recorded[name] for name, key in fields.items()},
        }  # fmt: skip
        values["factors"] = {name: tuple(levels) for name, levels in values.get("factors", {}).items()}

        rulesets = tuple(Ruleset.from_provenance(entry) for entry in provenance["rulesets"])

        def agent(pair: Mapping[str, Any], seat: str) -> AgentSpec:
            return AgentSpec.from_provenance(str(pair[seat]), pair.get(f"{seat}_options") or {}).within(rulesets)

        return cls(
            **values, path="", rulesets=rulesets,
            pairings=tuple((agent(pair, "first"), agent(pair, "second")) for pair in provenance["pairings"]),
            adjudicate=(recorded.get("capped") or {}).get("threshold"),
            recorded_judge=str((recorded.get("capped") or {}).get("judge") or ""),
            openings=experiment_files.lines_from_provenance(recorded.get("openings")),
            published=experiment_files.published_from_provenance(recorded.get("published")),
            levels={str(item["name"]): dict(item["levels"]) for item in provenance["rulesets"] if item.get("levels")},
            left_out=tuple(recorded.get("left_out") or ()), quick_look=int(recorded.get("quick_look") or 0),
        )  # fmt: skip

    @property
    def players(self) -> list[AgentSpec]:
        """All players, in the order of the pairings."""
        return list(dict.fromkeys(player for pairing in self.pairings for player in pairing))

    @property
    def players_and_judge(self) -> list[AgentSpec]:
        """All players, and the judge of random opening lines."""
        return [
            *self.players,
            *([self.openings.judge] if isinstance(self.openings, experiment_files.DrawnLines) else []),
        ]

    @property
    def kinds(self) -> set[int]:
        """The engine's codes for the kinds of all players, including the judge of opening lines."""
        return {player.code for player in self.players_and_judge}

    @cached_property
    def judge(self) -> AgentSpec | None:
        """The player that adjudicates capped games in all cells, if any."""
        return agents.strongest_player(self.players) if self.adjudicate is not None else None

    @property
    def adjudicator(self) -> str:
        """The label of the player that adjudicates; empty without adjudication."""
        return self.recorded_judge or (self.judge.label if self.judge else "")

    def adjudication(self) -> dict[str, Any]:
        """Return the adjudication of capped games as plain data; empty without adjudication."""
        if self.judge is None:
            return {}
        return {"threshold": self.adjudicate, "judge": self.judge.label, "options": self.judge.judge().canonical()}

    @property
    def sequential(self) -> bool:
        """True if cells may end early."""
        return bool(self.until or self.precision)

    def families(self) -> list[str]:
        """Return the game families, in order of appearance."""
        return list(dict.fromkeys(ruleset.game for ruleset in self.rulesets))

    def cells(self) -> tuple[Cell, ...]:
        """Return all cells, ruleset by ruleset."""
        return self._cells

    def cell_games(self, cell: Cell) -> int:
        """Return the number of games of a cell, or its maximum if the cell may end early.

        The baseline of k single changes takes part in k comparisons, so it has √k times the games of the others if
        players learn each ruleset separately. With common weights and random numbers, further games of one ruleset
        would add little.

        Source: C. W. Dunnett, "A multiple comparison procedure for comparing several treatments with a control",
        Journal of the American Statistical Association 50, 1955.
        """
        shares_weights = cell.first.weights_in_common and cell.second.weights_in_common
        if shares_weights or self.sequential or cell.ruleset.name != self.baseline:
            return self.games
        return math.ceil(self.games * math.sqrt(max(1, self._single_changes)))

    @cached_property
    def _single_changes(self) -> int:
        """The number of rulesets compared with the baseline; 0 if they combine changes."""
        base = next((ruleset for ruleset in self.rulesets if ruleset.name == self.baseline), None)
        compared = [ruleset for ruleset in self.rulesets if base is not None and ruleset.game == base.game]
        return 0 if combined_changes([ruleset.settings for ruleset in compared]) else len(compared) - 1

    @property
    def total_games(self) -> int:
        """The maximum number of games of all cells."""
        return sum(map(self.cell_games, self._cells))

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        pairs = itertools.product(self.rulesets, self.pairings)
        return tuple(
            Cell(index, ruleset, first, second, self._digest(ruleset, first, second))
            for index, (ruleset, (first, second)) in enumerate(pairs)
        )

    def _digest(self, ruleset: Ruleset, first: AgentSpec, second: AgentSpec) -> str:
        declaration = games.declaration(ruleset.game)
        players = [self._play_identity(agent, ruleset, declaration) for agent in (first, second)]
        rules = ruleset.game, ruleset.fingerprint
        parts: tuple[Any, ...] = ("common chance", self.seed, self.max_plies, *rules, *players)
        if self.judge:
            parts += ([self.adjudicate, *self._play_identity(self.judge.judge(), ruleset, declaration)],)
        if self.openings:
            openings = {name: value for name, value in self.openings.canonical().items() if name != "judge"}
            parts += (["openings", openings],)
        if isinstance(self.openings, experiment_files.DrawnLines):
            parts += (["by preference", *self._play_identity(self.openings.judge, ruleset, declaration)],)
        return hashlib.sha256(canonical_json(parts)).hexdigest()[:16]

    def _play_identity(self, agent: AgentSpec, ruleset: Ruleset, declaration: Declaration) -> list[Any]:
        """Return everything that determines an agent's play: its options, engine parameters and weights."""
        player = agent.player(declaration)
        engine = player.agent
        numbers = [engine.kind, engine.depth, engine.epsilon, engine.temperature, player.weights]
        learned_digest = self.learned.get((ruleset.fingerprint, agent.training_key)) if agent.training else None
        return [agent.canonical(), numbers, *([learned_digest] if learned_digest else [])]

    @property
    def line_count(self) -> int:
        """The number of opening lines; 0 if players choose all moves."""
        if isinstance(self.openings, experiment_files.DrawnLines):
            return self.openings.lines
        return len(self.openings.lines) if self.openings else 0

    def line_numbers(self, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Any:
        """Return the line number (int32) of each game from ``start`` up to ``stop``; -1 without opening lines.

        Listed lines are used in turn. Random lines have a separate order for each pair of players (`line_order`), so
        that a line that favours a side affects the scores of only a few players.
        """
        import numpy as np

        if not self.line_count:
            return np.full(stop - start, -1, dtype=np.int32)
        indices = np.arange(start, stop) % self.line_count
        if isinstance(self.openings, experiment_files.DrawnLines):
            indices = line_order(self.seed, first, second, self.line_count)[indices]
        return indices.astype(np.int32)

    def reference(self, ruleset: Ruleset) -> Ruleset:
        """Return the reference for a ruleset's lines: the baseline, or the first ruleset of its family."""
        family = [other for other in self.rulesets if other.game == ruleset.game]
        return next((other for other in family if other.name == self.baseline), family[0])

    def line_seeds(self, ruleset: Ruleset, number: int, start: int, stop: int) -> Seeds:
        """Return the seeds for attempts at drawing a line, common to the rulesets of a game; see `splitmix`."""
        return splitmix(("openings", self.seed, ruleset.game, number), start, stop)

    def seeds(self, cell: Cell, start: int, stop: int) -> Seeds:
        """Return the seeds of the games from ``start`` up to ``stop`` of a cell, uint64."""
        return game_seeds(self.seed, cell.first, cell.second, start, stop)

    def block_size(self, cell: Cell) -> int:
        """Return the number of games per block of the cell."""
        if self.block:
            return self.block
        return games.declaration(cell.ruleset.game).pace * min(cell.first.block_size(), cell.second.block_size())


FIELDS = key_map(Experiment)
"""The keys of an experiment file by the fields of `Experiment`, in the order of the help."""
KEYS = {declared.name: declared for declared in FIELDS.values()}
"""The keys by name."""


def experiment_names(project: Project | None = None) -> list[str]:
    """Return the names of the project's experiments, sorted."""
    return list(files_by_stem((project or find_project()).experiments))


def files_by_stem(folder: Path) -> dict[str, Path]:
    """Return the YAML files of a folder by their stems, sorted."""
    return index_by_name((path.stem, path) for path in sorted(folder.glob("*.yaml")))


def find_experiment(name: str, project: Project | None = None) -> Path:
    """Return the path of an experiment's file, given its path or its name."""
    files = files_by_stem((project or find_project()).experiments)
    return find_file(name, files, tr("there is no experiment named '{name}'", name=name), tr("experiments are {names}"))


def find_file(name: str, files: Mapping[str, Path], missing: str, listing: str) -> Path:
    """Return a YAML file by path or name; raise `InputError` with the message ``missing`` or the hint ``listing``."""
    if Path(name).is_file():
        return Path(name)
    if (path := files.get(unicodedata.normalize("NFC", name))) is not None:
        return path
    if name.endswith(".yaml") and Path(name).stem not in files:
        hint = guess(Path(name).stem, files, listing)
        raise input_error(tr("there is no such file"), hint, file=name)
    raise input_error(missing, guess(Path(name).stem, files, tr("there are {names}")))


@snapshot()
def load_experiment(path: str | Path, project: Project | None = None, text: str | None = None) -> Experiment:
    """Read and check an experiment from a file, or from ``text`` instead; raise `InputError` with all problems."""
    path, project = Path(path), project or find_project()
    root, problems = read_tree(path, project, project.experiments, text)
    return experiment_from_tree(root, path.stem, display_path(path), project, problems)


def read_tree(path: Path, project: Project, folder: Path, text: str | None = None) -> tuple[Node, list[Problem]]:
    """Return the tree of a file or of its ``text``, and its problems; raise `InputError` for invalid YAML."""
    is_in_folder = Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))
    if is_in_folder:
        project.require_place(path)
    problems: list[Problem] = []
    root = read_yaml(path, problems) if text is None else parse_yaml(text, display_path(path), problems)
    if name_problem := experiment_name_problem(path.stem):
        problems.append(Problem(root.file, root.line, None, name_problem, tr("rename the file")))
    return root, problems


def experiment_from_tree(
    root: Node, name: str, path: str, project: Project, problems: list[Problem],
    known: Mapping[str, Ruleset] | None = None,
) -> Experiment:  # fmt: skip
    """Return the experiment of a tree, given its ``problems`` so far and ``known`` rulesets outside the project."""
    values = experiment_files.ExperimentReader(root, FIELDS, project, problems, known or {}).values()
    experiment = Experiment(name=name, path=path, **values)
    _check_size(experiment, root, problems)
    if problems:
        in_order = sorted(dict.fromkeys(problems), key=lambda each: (each.file != root.file, each.file, each.line or 0))
        raise InputError(in_order)
    return experiment


def _check_size(experiment: Experiment, root: Node, problems: list[Problem]) -> None:
    """Report too many cells or too many blocks in an experiment."""
    pairings, cells = len(experiment.pairings), len(experiment.rulesets) * len(experiment.pairings)
    if cells > MOST_CELLS:
        actual = tr("{count} rulesets with {pairings} pairings", count=len(experiment.rulesets), pairings=pairings)
        problems.append(root.expected(tr("at most {most:,} cells", most=MOST_CELLS), found=actual))
    if problems:
        return
    count = sum(-(-experiment.cell_games(cell) // experiment.block_size(cell)) for cell in experiment.cells())
    if count > MOST_BLOCKS:
        message = expected(tr("at most {most:,} blocks of games in total", most=MOST_BLOCKS), f"{count:,}")
        block_size = -(-cells * experiment.games // MOST_BLOCKS) + 1
        hint = tr("write 'block: {least}' or more, or reduce the number of games", least=block_size)
        assert isinstance(root.value, dict)
        problems.append(root.value["block" if "block" in root.value else "games"].problem(message, hint))


@snapshot()
def experiment_from_values(values: Mapping[str, object], name: str = "", project: Project | None = None) -> Experiment:
    """Return the checked experiment defined by plain values and `Ruleset` objects under the keys of a file.

    The default name is a hash of all values, so that equal experiments have the same folder; the default title is the
    name.
    """
    problems: list[Problem] = []
    rulesets: dict[str, Ruleset] = {}
    names_by_label: dict[str, str] = {}

    def ruleset_name(value: object, key: str) -> object:
        if not isinstance(value, Ruleset):
            return value
        if rulesets.setdefault(value.name, value).fingerprint != value.fingerprint:
            other = tr("a second '{name}' with different rules", name=value.name)
            hint = tr("give it another label: derive(label=…)")
            problems.append(Node("", 0, key, None).expected(tr("rulesets with distinct names"), hint, found=other))
        elif value.label and names_by_label.setdefault(value.label, value.name) != value.name:
            other = tr("another '{label}'", label=value.label)
            problems.append(Node("", 0, key, None).expected(tr("rulesets with distinct labels"), found=other))
        return value.name

    plain = {key: ruleset_name(value, key) for key, value in values.items()}
    listed_rulesets = plain.get("rulesets")
    if isinstance(listed_rulesets, list | tuple):
        plain["rulesets"] = [ruleset_name(value, f"rulesets[{i}]") for i, value in enumerate(listed_rulesets)]
    root = node_from_value(plain, problems=problems)
    if not name:
        fingerprints = sorted((each.name, each.fingerprint) for each in rulesets.values())
        name = f"unnamed-{hashlib.sha256(canonical_json([root.plain(), fingerprints])).hexdigest()[:12]}"
    elif name_problem := experiment_name_problem(name):
        problems.append(Problem("", None, "name", name_problem, tr("letters, digits, - and _, such as my-question")))
    if "title" not in plain and "title_ja" not in plain:
        root = node_from_value({**plain, "title": name})
    return experiment_from_tree(root, name, "", project or find_project(), problems, rulesets)


STRONG_NODES, STRONG_GAMES, STRONG_PLIES = (250, 2_000), 150, 4
"""The node budgets, games per cell and line plies of `with_strong_players`.

The effect of doubling the nodes is estimated best from distant budgets, up to a factor of ten.
"""


def quick_look(experiment: Experiment, count: int) -> Experiment:
    """Return the experiment under another name with exactly the first ``count`` games of every cell."""
    name = QUICK_LOOK.format(name=experiment.name, count=count)
    return replace(_without_early_ends(experiment, count), name=name, quick_look=experiment.games)


def with_strong_players(experiment: Experiment, share: bool = False) -> Experiment:
    """Return the experiment under another name with strong players and, by default, random opening lines.

    With ``share``, the rulesets share the weights of the first training if possible, so fewer games are needed to show
    their differences.
    """
    players = strong_players(SEEDS[:2], SEEDS[:1]) if share else strong_players()
    return replace(
        _without_early_ends(experiment, STRONG_GAMES),
        name=STRONG.format(name=experiment.name),
        pairings=tuple((player, player) for player in (player.within(experiment.rulesets) for player in players)),
        openings=experiment.openings or experiment_files.DrawnLines(STRONG_PLIES),
    )


def strong_players(trainings: tuple[int, ...] = SEEDS, shared: tuple[int, ...] = ()) -> tuple[AgentSpec, ...]:
    """Return players with each kind of search, each of two node budgets, and hand-tuned or learned weights."""
    kinds = [kind.name for kind in KINDS.values() if kind.has_node_budget]
    weights = [(OWN, 0), *((SHARED, seed) for seed in shared), *((LEARNED, seed) for seed in trainings)]
    return tuple(
        AgentSpec.of(kind, nodes=nodes, training=training, evaluation=evaluation)
        for kind in kinds for nodes in STRONG_NODES for evaluation, training in weights
    )  # fmt: skip


def _without_early_ends(experiment: Experiment, games: int) -> Experiment:
    """Return the experiment with a fixed number of games and no interim analyses."""
    return replace(experiment, games=games, until="", precision=None, looks=None)


@dataclass(frozen=True)
class Cell:
    """A ruleset and the agents of the two seats."""

    index: int
    ruleset: Ruleset
    first: AgentSpec
    second: AgentSpec
    digest: str
    """A hash, 16 hex digits, of everything that determines the cell's games, except their number."""

    @property
    def title(self) -> str:
        """The cell's name in messages."""
        return f"{self.ruleset.name}, {self.first.label} – {self.second.label}"


@dataclass(frozen=True)
class Block:
    """The games ``start`` to ``stop - 1`` of a cell."""

    cell: Cell
    start: int
    stop: int

    @property
    def count(self) -> int:
        """The number of games."""
        return self.stop - self.start


def game_seeds(seed: int, first: AgentSpec, second: AgentSpec, start: int, stop: int) -> Seeds:
    """Return the seeds of a cell's games ``start`` to ``stop - 1``, uint64.

    Their stream (see `splitmix`) depends on the experiment's seed and both agents' options, but not on the rules, so
    that rulesets are compared with common random numbers.

    Source: common random numbers, A. M. Law, "Simulation Modeling and Analysis", 5th edition, 2015, section 11.2.
    """
    return splitmix((seed, first.canonical(), second.canonical()), start, stop)


def line_order(seed: int, first: AgentSpec, second: AgentSpec, lines: int) -> npt.NDArray[np.intp]:
    """Return the permutation of ``lines`` opening lines for two players, regardless of their seats and the ruleset."""
    import numpy as np

    players = sorted(canonical_json(player.canonical()).decode() for player in (first, second))
    return np.argsort(splitmix(("lines", seed, players), 0, lines), kind="stable")


def splitmix(key: tuple[Any, ...], start: int, stop: int) -> Seeds:
    """Return the numbers ``start`` to ``stop - 1`` of a stream, uint64.

    The state ``b`` is the first 8 bytes (big-endian) of the SHA-256 of ``key`` as JSON. Number ``n`` is output ``n``
    of splitmix64, ``mix(b + (n + 1) * 0x9E3779B97F4A7C15)``, so all numbers of a stream differ.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    import numpy as np

    digest = hashlib.sha256(canonical_json(key)).digest()
    state = np.array([int.from_bytes(digest[:8], "big")], dtype=np.uint64)
    z: Seeds = state + np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def canonical_json(value: Any) -> bytes:
    """Return plain data as compact UTF-8 JSON with sorted keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
