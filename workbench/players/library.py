"""Files of learned players: some come with the rulesets, others were trained in the project.

A file is found by the fingerprint of the ruleset, the version of the trainer and the seed. Those that come with the
rulesets lie in ``rulesets/<game>/players/``, those that were trained later in ``reports/players/<game>/``.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import functools
import hashlib
import json
import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base import project as projects
from workbench.base.errors import InputError, display_path, expected, in_a_line, input_error, reason_of
from workbench.base.language import join_list, sentences, tr
from workbench.base.project import PLAYERS, Project
from workbench.engine import contract
from workbench.engine.players import Player
from workbench.engine.search.evaluation import INPUTS, net_size
from workbench.engine.search.memory import SIZE, weight_layout
from workbench.engine.search.units import unit_places
from workbench.players import solutions
from workbench.players.agent_kinds import EVALUATIONS, LEARNED, NET, SHARED, training_key
from workbench.players.agents import AgentSpec
from workbench.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Match:
    """The result of a match between what was learned and the hand-tuned weights, at equal nodes."""

    wins: int
    draws: int
    """Games without a result among them."""
    losses: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of the points that what was learned has won."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Learned:
    """Weights or a net that a player has learned for a ruleset."""

    game: str
    ruleset: str
    """The name of the ruleset; what counts is the fingerprint."""
    fingerprint: str
    """Of the ruleset, or of those that were learned together; see `learned_of`."""
    seed: int
    version: int
    """Of the trainer."""
    budget: Mapping[str, Any]
    weights: tuple[float, ...]
    """A row as `engine.search.memory` lays it out."""
    games: int
    """Games that it has learned from."""
    positions: int
    match: Match
    pruning: Match
    """The result of the search with pruning against the one without, by the same weights at equal nodes: under some
    rules there is nothing to prune."""
    evaluation: str = LEARNED
    """One of `EVALUATIONS`. Behind learned weights stands the net in the same row (`engine.search.evaluation`)."""
    beside: Match | None = None
    """The result of a net against the learned weights that it was distilled from, at equal nodes."""
    worth: Mapping[str, float] | None = None
    """The value of a unit of each kind by a net; see `unit_values`."""
    base: str = ""
    """The digest of the base net that a net began with; see `nets`."""
    scale: float = 1.0
    """The log-odds that correspond to 1 on the scale of the hand-tuned weights: noise on evaluations is scaled by it,
    so that it hides no more than beside these. It is as large where the trainer is below `trainer.SCALED`."""
    rulesets: tuple[str, ...] = ()
    """The names of those that were learned together."""

    @property
    def prunes(self) -> bool:
        """True if a search by the weights prunes."""
        return self.pruning.score >= 0.5

    @property
    def accepted(self) -> bool:
        """True if it did no worse than the hand-tuned weights, and a net than the weights it was distilled from."""
        return self.match.score >= 0.5 and (self.beside is None or self.beside.score >= 0.5)

    @property
    def key(self) -> str:
        """The name of the training in records."""
        return training_key(self.evaluation, self.seed)

    @property
    def digest(self) -> str:
        """Of all that decides how it plays."""
        # A file says 0 for a weight of -0.0.
        played_by: list[Any] = [[weight + 0.0 for weight in self.weights], self.prunes]
        if self.scale != 1.0:
            played_by.append(self.scale)
        return hashlib.sha256(json.dumps(played_by).encode()).hexdigest()[:16]


_DEFAULTS = {each.name: each.default for each in fields(Learned) if each.default is not MISSING}
NET_TRAINER = 1
"""The version of the trainer of nets; with it counts that of the weights beside them."""


def trainer_version(game: str, evaluation: str) -> int:
    """Return the version of the trainer that players of a family learn by."""
    version = games.declaration(game).trainer
    return 1000 * NET_TRAINER + version if evaluation == NET else version


# Files

NAMED = 3
"""Rulesets that are named, at most, where many were learned together."""


def learned_of(ruleset: Ruleset, mixture: Sequence[Ruleset]) -> tuple[str, str]:
    """The name and the fingerprint of what is learned: a ruleset, or the ``mixture`` of those learned together."""
    if not mixture:
        return ruleset.name, ruleset.unswapped.fingerprint
    names = sorted(each.name for each in mixture)
    name = ", ".join(names[:NAMED]) + (f" … ({len(names)})" if len(names) > NAMED else "")
    return name, hashlib.sha256(json.dumps([each.fingerprint for each in mixture]).encode()).hexdigest()[:16]


def check_boards(rulesets: Sequence[Ruleset], where: str) -> None:
    """Raise `InputError` if rulesets have no weights in common: they are of several games or sizes of board."""
    first = rulesets[0]
    for ruleset in rulesets:
        if ruleset.game != first.game or contract.board_size(ruleset.rules()) != contract.board_size(first.rules()):
            what = tr("rulesets of one game on boards of one size")
            raise input_error(expected(what, join_list((first.name, ruleset.name))), key=where)


def can_share(rulesets: Sequence[Ruleset]) -> bool:
    """Return whether there are several rulesets of each game, and weights fit all rulesets of a game."""
    families = [
        [ruleset for ruleset in rulesets if ruleset.game == game] for game in {ruleset.game for ruleset in rulesets}
    ]
    with contextlib.suppress(InputError):
        for family in families:
            check_boards(family, "")
        return all(len(family) > 1 for family in families)
    return False


def training_path(folder: Path, learned: Learned) -> Path:
    """Return the file of a training in one of the folders that hold such files."""
    name = re.sub(r"[^\w.+=,-]", "-", learned.ruleset.rpartition("/")[2])[:80]
    name = f"{len(learned.rulesets)}-rulesets" if learned.rulesets else name
    return folder / f"{name}-{learned.fingerprint}-{learned.key}.json"


def shipped_folder(project: Project, game: str) -> Path:
    """Where the files of a family lie that come with its rulesets."""
    return project.rulesets / game / PLAYERS


def trained_folder(project: Project, game: str) -> Path:
    """Where the files of a family lie that were trained in the project."""
    return project.reports / PLAYERS / game


def save_learned(project: Project, learned: Learned, ruleset: Ruleset, with_rulesets: bool = False) -> Path:
    """Save what was learned, among the project's reports or, for files that are handed on, with its rulesets.

    Raises:
        InputError: there is a file of others in its place, or a link.
        Unwritable: the folder cannot be written.
    """
    folder = (shipped_folder if with_rulesets else trained_folder)(project, ruleset.game)
    file = training_path(folder, learned)
    if with_rulesets:
        output.make_folder(folder)
    else:
        output.make_folder(folder.parent)
        output.claim_folder(folder, [file.name])
    content = asdict(learned) | {"digest": learned.digest}
    content = {name: value for name, value in content.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
    row = learned.weights
    if learned.evaluation == NET:
        begin = _row_size(ruleset, LEARNED) + INPUTS
        row, content["inputs"] = row[:begin], pack_inputs(row[begin:])
    content["weights"] = [int(weight) if weight == int(weight) else weight for weight in row]
    return output.write_file(file, (json.dumps(content, separators=(",", ":")) + "\n").encode())


def pack_inputs(weights: Sequence[float]) -> str:
    """Return the weights of a net's inputs, which are nearly all of it, as text: whole numbers of two bytes each.

    Bzip2 packs them everywhere in the same way.
    """
    return base64.b64encode(bz2.compress(struct.pack(f"<{len(weights)}h", *map(int, weights)))).decode()


def unpack_inputs(text: str) -> tuple[int, ...]:
    """Return the inverse of `pack_inputs`.

    Raises:
        ValueError, EOFError, struct.error: it is damaged.
    """
    packed = bz2.decompress(base64.b64decode(text, validate=True)) if text else b""
    return struct.unpack(f"<{len(packed) // 2}h", packed)


def find_learned(
    project: Project,
    ruleset: Ruleset,
    seed: int,
    note: Callable[[str], object] = lambda line: None,
    evaluation: str = LEARNED,
    mixture: Sequence[Ruleset] = (),
) -> Learned | None:
    """Return the weights or net learned for a ruleset by a training; None if there are none.

    Of a `SHARED` training, it was learned of a ``mixture`` of rulesets.

    ``note`` is called with a line about each file that is ignored, since another trainer has learned it.

    Raises:
        InputError: a file is damaged, or is none of a training.
    """
    version, key = trainer_version(ruleset.game, evaluation), training_key(evaluation, seed)
    _, fingerprint = learned_of(ruleset, mixture)
    for file in _training_files(project, ruleset.game, f"{fingerprint}-{key}"):
        learned = _read_training(str(file), file.stat().st_mtime_ns)
        if (learned.fingerprint, learned.key) != (fingerprint, key):
            reason = tr("it holds what was learned of {ruleset} with seed {seed}")
            raise _damaged_error(file, reason.format(ruleset=learned.ruleset, seed=learned.seed))
        if (learned.version, len(learned.weights)) == (version, _row_size(ruleset, evaluation)):
            return learned
        note(tr("{file} was learned by another trainer: not used.", file=display_path(file)))
    return None


def _training_files(project: Project, game: str, ending: str) -> Iterator[Path]:
    """Yield the files of a training, whatever the ruleset is called: those that came with the rulesets first."""
    folders = [shipped_folder(project, game), shipped_folder(projects.shipped_project(), game)]
    for folder in dict.fromkeys([*folders, trained_folder(project, game)]):
        yield from sorted(folder.glob(f"*-{ending}.json"))


@functools.lru_cache(maxsize=256)
def _read_training(file: str, changed: int) -> Learned:
    """Return a file of that time of change."""
    with reading_file(Path(file)) as content:
        digest = content.pop("digest")
        for match in {"match", "pruning", "beside"} & content.keys():
            content[match] = Match(**{name: int(count) for name, count in content[match].items()})
        inputs = unpack_inputs(content.pop("inputs", ""))
        content["weights"] = tuple(float(weight) for weight in (*content["weights"], *inputs))
        learned = Learned(**content | {"rulesets": tuple(content.get("rulesets", ()))})
        numbers = [getattr(learned, name) for name in ("seed", "version", "games", "positions")]
        whole = all(map(math.isfinite, (*learned.weights, learned.scale))) and all(
            type(number) is int for number in numbers
        )
        whole = whole and learned.evaluation in EVALUATIONS and learned.match.games > 0 < learned.pruning.games
    if not whole or learned.digest != digest:
        raise wrong_digest(Path(file))
    return learned


@contextlib.contextmanager
def reading_file(file: Path) -> Iterator[dict[str, Any]]:
    """A context in which errors while reading a file of learned weights name the file."""
    try:
        yield json.loads(output.require_regular_file(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise _damaged_error(file, reason_of(error)) from None
    except (ValueError, EOFError, struct.error, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = tr("what {command} writes", command="workbench train")
        raise _damaged_error(file, expected(what, in_a_line(error))) from None


def wrong_digest(file: Path) -> InputError:
    """Return a file's numbers do not agree with its digest."""
    return _damaged_error(file, tr("its weights do not agree with its digest: it was damaged, or changed by hand"))


def _damaged_error(file: Path, reason: str) -> InputError:
    hint = tr("delete it: what is missing is learned again")
    return input_error(reason, hint, file=display_path(file))


def _row_size(ruleset: Ruleset, evaluation: str) -> int:
    """Return the length of a row of weights under a ruleset, with the net that stands behind the weights."""
    rules = ruleset.rules()
    weights = int(weight_layout(len(games.declaration(ruleset.game).features), unit_places(rules))[SIZE])
    return weights + (net_size(rules) if evaluation == NET else 0)


# Players


def engine_player(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Player:
    """Return the agent as the engine reads it, with the solution that ``optimal`` needs, or what it has learned.

    Weights that did worse than the game's own in their match are not played by: the game's own are. A search that did
    better without leaving anything out leaves nothing out.

    Raises:
        InputError: the ruleset has not been solved, or nothing was learned of it.
    """
    plain = solutions.solved_player(agent, ruleset, project)
    if not agent.training:
        return plain
    learned = require_learned(agent, ruleset, project)
    if not learned.prunes:
        plain = plain.unpruned()
    if not learned.accepted and learned.evaluation == NET:
        # What it was taught by does better, or the game's own weights do.
        return engine_player(replace(agent, evaluation=LEARNED), ruleset, project)
    how = EVALUATIONS[learned.evaluation].code
    return plain.with_learned(learned.weights, learned.scale, how) if learned.accepted else plain


def require_learned(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Learned:
    """Return the learned weights or net of an agent that has learned."""
    notes: list[str] = []
    project = project or projects.find_project()
    mixture = agent.learned_with(ruleset)
    learned = find_learned(project, ruleset, agent.training, notes.append, agent.evaluation, mixture)
    if learned is None:
        text = tr("the agent {agent} needs what it learned of {ruleset}.", agent=agent.label, ruleset=ruleset.name)
        reason = sentences([text, *notes])
        names = " ".join(each.name for each in mixture or (ruleset,))
        option = {NET: " --net", SHARED: " --shared"}.get(agent.evaluation, "")
        hint = f"workbench train {names} --seed {agent.training}{option}"
        raise input_error(reason, hint)
    return learned


# What units are worth


def unit_values(learned: Learned) -> dict[str, float]:
    """Return the value of a unit of each kind, by name, in log-odds of winning."""
    if learned.worth is not None:
        return dict(learned.worth)
    declaration = games.declaration(learned.game)
    begin = len(declaration.features)
    return {kind.name: learned.weights[begin + number] for number, kind in enumerate(declaration.units)}


def most_common_unit(ruleset: Ruleset) -> str:
    """Return the most numerous kind of unit when a game begins, in hand or on the board; the first of several."""
    rules = ruleset.rules()
    state, words = np.zeros(contract.state_size(rules), np.int64), np.zeros(contract.MOST_UNITS, np.int64)
    contract.start(rules, state)
    kinds = games.declaration(ruleset.game).units
    counts = [0] * len(kinds)
    for word in words[: contract.units(rules, state, words)]:
        counts[contract.unit_kind(word)] += int(contract.unit_count(word))
    return kinds[counts.index(max(counts))].name
