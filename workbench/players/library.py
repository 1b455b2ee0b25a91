"""Learned players and solutions: their files, and the engine's players that use them."""

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
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base import project as projects
from workbench.base.addons import addons
from workbench.base.errors import InputError, display_path, expected, input_error, one_line, system_reason
from workbench.base.language import join_list, sentences, tr
from workbench.base.project import PLAYERS, SOLUTIONS, Project
from workbench.engine import contract, solver
from workbench.engine.agents import load_solution
from workbench.engine.players import Player
from workbench.engine.search.evaluation import INPUTS, net_size
from workbench.engine.search.memory import SIZE, weight_layout
from workbench.engine.search.units import unit_places
from workbench.engine.trials import OFFERED
from workbench.players.agent_kinds import EVALUATIONS, LEARNED, NET, SHARED, training_key
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset

SOLUTIONS_FILE = "solutions.json"
Book = tuple[Any, Any]
"""The hashes of all states of a ruleset (uint64, sorted), and their values (int32).

A value is `workbench.engine.solver.LONGEST` minus the plies to the first seat's forced win, the negative of that for
the second seat, and 0 for a draw.
"""


@dataclass(frozen=True)
class ExactResult:
    """The exact result of a ruleset."""

    ruleset: str
    fingerprint: str
    value: str
    """The winner with best play, first or second, or draw."""
    plies: int | None
    """The plies to the end with best play, quick wins and slow losses; None for a draw, even one that counts as a
    win."""
    positions: int
    """The number of reachable positions as compared by the repetition rule (board and side to move)."""
    states: int
    """The number of reachable states: positions with everything else that affects the future."""
    transitions: int
    terminals: Mapping[str, int]
    """The number of finished states by termination."""
    random: Mapping[str, float] | None
    """Uniformly random play: the probabilities of ``first``, ``second`` and ``draw``, the mean number of ``plies``,
    and, if not all games end, the share ``unfinished``. None if not computed."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data, as printed by ``workbench solve --json``."""
        data = {name: getattr(self, name) for name in ("value", "plies", "positions", "states", "transitions")}
        return data | {"terminals": dict(self.terminals), "random": dict(self.random) if self.random else None}

    @property
    def first_score(self) -> float | None:
        """The first seat's exact expected score in random play, if known."""
        return self.random["first"] + self.random["draw"] / 2 if self.random else None


def state_value(game_state: GameState, book: Book) -> int | None:
    """Return the value of a state for the sides, or None if the state is unreachable."""
    hashes, values = book
    packed, state_hash = np.zeros((1, contract.packed_bytes(game_state.rules)), np.uint8), np.zeros(1, np.uint64)
    contract.pack(game_state.rules, game_state.state, packed[0])
    solver.hash_states(packed, state_hash)
    index = int(np.searchsorted(hashes, state_hash[0]))
    return int(values[index]) if index < len(hashes) and hashes[index] == state_hash[0] else None


def draw_value(rules: Any) -> int:
    """Return the value of a draw; if endless games count as won, it is ±1, a win of unknown length."""
    values = {contract.FIRST: 1, contract.SECOND: -1}
    return values.get(int(rules.draw_value), 0) if contract.counts_positions(rules) else 0


def players_value(game_state: GameState, book: Book, cache: dict[bytes, int]) -> int:
    """Return a position's value for the players, who may still swap sides, from ``book``; ``cache`` stores results."""
    key = game_state.plies.to_bytes(2, "big") + game_state.state.tobytes()
    if key in cache:
        return cache[key]
    result, _ = game_state.outcome()
    if result != contract.ONGOING:
        value = {contract.FIRST: solver.LONGEST, contract.SECOND: -solver.LONGEST}.get(result, 0)
    elif game_state.swap == OFFERED:
        value = state_value(game_state, book) or draw_value(game_state.rules)
        # The swap is a ply; the second player chooses the better value.
        value = min(value, _value_before_ply(-value))
    else:
        values = []
        for move in game_state.legal():
            game_state.push(move)
            values.append(_value_before_ply(players_value(game_state, book, cache)))
            game_state.undo()
        value = max(values) if game_state.side == 0 else min(values)
    cache[key] = value
    return value


def _value_before_ply(value: int) -> int:
    """Return the value before the ply that led to a value; a win of unknown length is unchanged."""
    return value - (value > 1) + (value < -1)


def moves_with_values(game_state: GameState, book: Book) -> list[tuple[str, int]]:
    """Return the legal moves with the values of the resulting states, best first for the player."""
    sign = 1 if game_state.side == 0 else -1
    valued_moves = []
    for move in game_state.legal():
        text = game_state.format(move)
        game_state.push(move)
        value = state_value(game_state, book) or 0
        game_state.undo()
        # A player who swaps has the first side from then on.
        valued_moves.append((text, value, value if move == contract.SWAP else sign * value))
    return [(text, value) for text, value, _ in sorted(valued_moves, key=lambda item: -item[2])]


def describe_value(value: int, seats: tuple[str, str], played: int = 0) -> str:
    """Describe a value in words; ``played`` plies are added to the remaining ones."""
    if value == 0:
        return tr("draw")
    winner, plies = seats[0 if value > 0 else 1], solver.LONGEST - abs(value) + played
    return tr("{winner} wins in {plies}", winner=winner, plies=plies)


def solution_path(ruleset: Ruleset, project: Project) -> Path:
    """Return the file with the values of a ruleset's states."""
    name = f"{ruleset.name.replace('/', '-')}-{ruleset.unswapped.fingerprint}.states.npz"
    return project.reports / SOLUTIONS / name


def load_exact_results(project: Project) -> dict[str, ExactResult]:
    """Return exact results by fingerprint: the shipped ones and those computed here."""
    files = (project.rulesets / SOLUTIONS_FILE, project.reports / SOLUTIONS / SOLUTIONS_FILE)
    return {exact.fingerprint: exact for file in files for exact in read_exact_results(file)}


def read_exact_results(file: Path) -> list[ExactResult]:
    """Return the exact results in a file, or an empty list if it does not exist."""
    if not file.is_file():
        return []
    try:
        return [ExactResult(**entry) for entry in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise input_error(expected(tr("a list of solutions"), str(error)), file=str(file)) from None


def solved_player(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Player:
    """Return the agent in the engine's form, with the solution if the agent plays by it."""
    player = agent.player(games.declaration(ruleset.game))
    if not agent.declared.solved:
        return player
    file = solution_path(ruleset, project or projects.find_project())
    if not file.is_file():
        reason = tr("the agent {kind} needs the solution of {ruleset}", kind=agent.kind, ruleset=ruleset.name)
        raise input_error(reason, f"workbench solve {ruleset.name} --save")
    load_state_values(file, ruleset)
    return player._replace(solution=str(file))


def load_state_values(file: Path, ruleset: Ruleset) -> Book:
    """Return the hashes and values of a saved solution, cached in this process."""
    try:
        hashes, values = load_solution(str(output.require_regular_file(file)))
        if hashes.dtype != np.uint64 or values.dtype != np.int32 or hashes.ndim != 1 or hashes.shape != values.shape:
            raise ValueError(tr("columns that do not belong to a solution"))
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, NotImplementedError, RuntimeError,
            zipfile.BadZipFile, zlib.error) as error:  # fmt: skip
        reason = expected(tr("what {command} writes", command="workbench solve"), f"{type(error).__name__}: {error}")
        hint = tr("delete it, then run: workbench solve {ruleset} --save", ruleset=ruleset.name)
        raise input_error(reason, hint, file=display_path(file)) from None
    return hashes, values


def load_or_solve(ruleset: Ruleset, project: Project, save: bool = False) -> Book:
    """Load the saved solution of a ruleset, or solve it now and optionally ``save`` the solution."""
    file = solution_path(ruleset, project)
    if file.is_file():
        return load_state_values(file, ruleset)
    book: Book = addons().solve_states(ruleset=ruleset, project=project if save else None)
    return book


@dataclass(frozen=True)
class Match:
    """The result of a match between learned and hand-tuned weights at equal nodes."""

    wins: int
    draws: int
    """Games without a result included."""
    losses: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The learned weights' share of the points."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Learned:
    """Weights or a net learned for a ruleset."""

    game: str
    ruleset: str
    """The name of the ruleset; only the fingerprint matters."""
    fingerprint: str
    """The fingerprint of the ruleset, or of those learned together; see `training_subject`."""
    seed: int
    version: int
    """The version of the trainer."""
    budget: Mapping[str, Any]
    weights: tuple[float, ...]
    """A row in the layout of `engine.search.memory`."""
    games: int
    """The number of training games."""
    positions: int
    match: Match
    pruning: Match
    """The result of the search with pruning against the one without, by the same weights at equal nodes: some rules
    offer nothing to prune."""
    evaluation: str = LEARNED
    """One of `EVALUATIONS`. A net follows the learned weights in the same row (`engine.search.evaluation`)."""
    beside: Match | None = None
    """The result of a net against the learned weights that it was distilled from, at equal nodes."""
    worth: Mapping[str, float] | None = None
    """The value of each kind of unit according to a net; see `unit_values`."""
    base: str = ""
    """The digest of the base net from which a net was initialized."""
    scale: float = 1.0
    """The log-odds that correspond to 1 on the scale of the hand-tuned weights, by which noise on evaluations is
    scaled; 1 for trainers before `trainer.SCALED`."""
    rulesets: tuple[str, ...] = ()
    """The names of rulesets learned together."""

    @property
    def prunes(self) -> bool:
        """True if searches by the weights prune."""
        return self.pruning.score >= 0.5

    @property
    def accepted(self) -> bool:
        """True if it scored at least 50 % against the hand-tuned weights and, if a net, against its teacher."""
        return self.match.score >= 0.5 and (self.beside is None or self.beside.score >= 0.5)

    @property
    def key(self) -> str:
        """The name of the training run in records."""
        return training_key(self.evaluation, self.seed)

    @property
    def digest(self) -> str:
        """The digest of everything that determines its play."""
        # Files write a weight of -0.0 as 0.
        content: list[Any] = [[weight + 0.0 for weight in self.weights], self.prunes]
        if self.scale != 1.0:
            content.append(self.scale)
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


_DEFAULTS = {each.name: each.default for each in fields(Learned) if each.default is not MISSING}
NET_TRAINER = 1
"""The version of the trainer of nets; the version of the weights' trainer is added."""


def trainer_version(game: str, evaluation: str) -> int:
    """Return the version of the trainer for a family's players."""
    version = games.declaration(game).trainer
    return 1000 * NET_TRAINER + version if evaluation == NET else version


# Files

NAMED = 3
"""The maximum number of rulesets in a name for several."""


def training_subject(ruleset: Ruleset, mixture: Sequence[Ruleset]) -> tuple[str, str]:
    """Return the name and the fingerprint of a ruleset, or of several rulesets learned together (``mixture``)."""
    if not mixture:
        return ruleset.name, ruleset.unswapped.fingerprint
    names = sorted(member.name for member in mixture)
    name = ", ".join(names[:NAMED]) + (f" … ({len(names)})" if len(names) > NAMED else "")
    return name, hashlib.sha256(json.dumps([member.fingerprint for member in mixture]).encode()).hexdigest()[:16]


def check_boards(rulesets: Sequence[Ruleset], key: str) -> None:
    """Raise `InputError` if rulesets cannot share weights because of different games or board sizes."""
    first = rulesets[0]
    for ruleset in rulesets:
        if ruleset.game != first.game or contract.board_size(ruleset.rules()) != contract.board_size(first.rules()):
            requirement = tr("rulesets of one game and one board size")
            raise input_error(expected(requirement, join_list((first.name, ruleset.name))), key=key)


def can_share(rulesets: Sequence[Ruleset]) -> bool:
    """Return whether each game has several rulesets, all of which can share weights."""
    families = [
        [ruleset for ruleset in rulesets if ruleset.game == game] for game in {ruleset.game for ruleset in rulesets}
    ]
    with contextlib.suppress(InputError):
        for family in families:
            check_boards(family, "")
        return all(len(family) > 1 for family in families)
    return False


def training_path(folder: Path, learned: Learned) -> Path:
    """Return the path of a training file in one of the folders for such files."""
    name = re.sub(r"[^\w.+=,-]", "-", learned.ruleset.rpartition("/")[2])[:80]
    name = f"{len(learned.rulesets)}-rulesets" if learned.rulesets else name
    return folder / f"{name}-{learned.fingerprint}-{learned.key}.json"


def shipped_folder(project: Project, game: str) -> Path:
    """Return the folder of a family's training files that are shipped with its rulesets."""
    return project.rulesets / game / PLAYERS


def trained_folder(project: Project, game: str) -> Path:
    """Return the folder of a family's training files made in the project."""
    return project.reports / PLAYERS / game


def save_learned(project: Project, learned: Learned, ruleset: Ruleset, with_rulesets: bool = False) -> Path:
    """Save learned weights in reports or with the rulesets; a foreign file or link raises `InputError`."""
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
        split = _row_size(ruleset, LEARNED) + INPUTS
        row, content["inputs"] = row[:split], pack_inputs(row[split:])
    content["weights"] = [int(weight) if weight == int(weight) else weight for weight in row]
    return output.write_file(file, (json.dumps(content, separators=(",", ":")) + "\n").encode())


def pack_inputs(weights: Sequence[float]) -> str:
    """Return the weights of a net's inputs, its largest part, as text: 16-bit integers, compressed by bzip2."""
    return base64.b64encode(bz2.compress(struct.pack(f"<{len(weights)}h", *map(int, weights)))).decode()


def unpack_inputs(text: str) -> tuple[int, ...]:
    """Invert `pack_inputs`; raise `ValueError`, `EOFError` or `struct.error` for damaged text."""
    packed = bz2.decompress(base64.b64decode(text, validate=True)) if text else b""
    return struct.unpack(f"<{len(packed) // 2}h", packed)


def find_learned(
    project: Project, ruleset: Ruleset, seed: int, note: Callable[[str], object] = lambda line: None,
    evaluation: str = LEARNED, mixture: Sequence[Ruleset] = (),
) -> Learned | None:  # fmt: skip
    """Return the learned weights or net of a ruleset, or None if there are none.

    `SHARED` weights were learned on a ``mixture`` of rulesets. ``note`` receives a line about each file ignored because
    of another trainer version. Raises `InputError` for damaged files.
    """
    version, key = trainer_version(ruleset.game, evaluation), training_key(evaluation, seed)
    _, fingerprint = training_subject(ruleset, mixture)
    for file in _training_files(project, ruleset.game, f"{fingerprint}-{key}"):
        learned = _read_training(str(file), file.stat().st_mtime_ns)
        if (learned.fingerprint, learned.key) != (fingerprint, key):
            reason = tr("it contains a training run on {ruleset} with seed {seed}")
            raise _damaged_error(file, reason.format(ruleset=learned.ruleset, seed=learned.seed))
        if (learned.version, len(learned.weights)) == (version, _row_size(ruleset, evaluation)):
            return learned
        note(tr("{file} is from another version of the trainer and is ignored.", file=display_path(file)))
    return None


def _training_files(project: Project, game: str, ending: str) -> Iterator[Path]:
    """Yield the files of a training run regardless of the ruleset's name, shipped files first."""
    folders = [shipped_folder(project, game), shipped_folder(projects.shipped_project(), game)]
    for folder in dict.fromkeys([*folders, trained_folder(project, game)]):
        yield from sorted(folder.glob(f"*-{ending}.json"))


@functools.lru_cache(maxsize=256)
def _read_training(file: str, changed: int) -> Learned:
    """Return the learned weights in a file; ``changed``, its modification time, only distinguishes cache entries."""
    with reading_file(Path(file)) as content:
        digest = content.pop("digest")
        for match in {"match", "pruning", "beside"} & content.keys():
            content[match] = Match(**{name: int(count) for name, count in content[match].items()})
        inputs = unpack_inputs(content.pop("inputs", ""))
        content["weights"] = tuple(float(weight) for weight in (*content["weights"], *inputs))
        learned = Learned(**content | {"rulesets": tuple(content.get("rulesets", ()))})
        numbers = [getattr(learned, name) for name in ("seed", "version", "games", "positions")]
        is_valid = all(map(math.isfinite, (*learned.weights, learned.scale))) and all(
            type(number) is int for number in numbers
        )
        is_valid = is_valid and learned.evaluation in EVALUATIONS and learned.match.games > 0 < learned.pruning.games
    if not is_valid or learned.digest != digest:
        raise wrong_digest(Path(file))
    return learned


@contextlib.contextmanager
def reading_file(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the content of a training file; report a damaged file by name."""
    try:
        yield json.loads(output.require_regular_file(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise _damaged_error(file, system_reason(error)) from None
    except (ValueError, EOFError, struct.error, KeyError, TypeError, AttributeError, RecursionError) as error:
        valid_content = tr("what {command} writes", command="workbench train")
        raise _damaged_error(file, expected(valid_content, one_line(error))) from None


def wrong_digest(file: Path) -> InputError:
    """Return the error for a file whose content does not match its digest."""
    return _damaged_error(file, tr("its weights do not match its digest: it was damaged or edited"))


def _damaged_error(file: Path, reason: str) -> InputError:
    hint = tr("delete it; missing training runs are repeated")
    return input_error(reason, hint, file=display_path(file))


def _row_size(ruleset: Ruleset, evaluation: str) -> int:
    """Return the length of a ruleset's row of weights, including any net."""
    rules = ruleset.rules()
    weights = int(weight_layout(len(games.declaration(ruleset.game).features), unit_places(rules))[SIZE])
    return weights + (net_size(rules) if evaluation == NET else 0)


# Players


def engine_player(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Player:
    """Return the agent in the engine's form, with the solution or the learned weights that it needs.

    Weights that lost their match are replaced by the hand-tuned ones, and pruning is off for a search that did better
    without it. Raises `InputError` if the ruleset has not been solved or learned.
    """
    player = solved_player(agent, ruleset, project)
    if not agent.training:
        return player
    learned = require_learned(agent, ruleset, project)
    if not learned.prunes:
        player = player.unpruned()
    if not learned.accepted and learned.evaluation == NET:
        # The net's teacher, or else the hand-tuned weights, play better.
        return engine_player(replace(agent, evaluation=LEARNED), ruleset, project)
    code = EVALUATIONS[learned.evaluation].code
    return player.with_learned(learned.weights, learned.scale, code) if learned.accepted else player


def require_learned(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Learned:
    """Return the learned weights or net of a trained agent; raise `InputError` if they are missing."""
    notes: list[str] = []
    project = project or projects.find_project()
    mixture = agent.learned_with(ruleset)
    learned = find_learned(project, ruleset, agent.training, notes.append, agent.evaluation, mixture)
    if learned is None:
        text = tr("the agent {agent} needs a training run on {ruleset}.", agent=agent.label, ruleset=ruleset.name)
        reason = sentences([text, *notes])
        names = " ".join(member.name for member in mixture or (ruleset,))
        option = {NET: " --net", SHARED: " --shared"}.get(agent.evaluation, "")
        hint = f"workbench train {names} --seed {agent.training}{option}"
        raise input_error(reason, hint)
    return learned


# Unit values


def unit_values(learned: Learned) -> dict[str, float]:
    """Return each kind of unit's value by name, in log-odds of winning."""
    if learned.worth is not None:
        return dict(learned.worth)
    declaration = games.declaration(learned.game)
    offset = len(declaration.features)
    return {kind.name: learned.weights[offset + number] for number, kind in enumerate(declaration.units)}


def most_common_unit(ruleset: Ruleset) -> str:
    """Return the most numerous kind of unit at the start, in hand or on the board."""
    rules = ruleset.rules()
    state, words = np.zeros(contract.state_size(rules), np.int64), np.zeros(contract.MOST_UNITS, np.int64)
    contract.start(rules, state)
    kinds = games.declaration(ruleset.game).units
    counts = [0] * len(kinds)
    for word in words[: contract.units(rules, state, words)]:
        counts[contract.unit_kind(word)] += int(contract.unit_count(word))
    return kinds[counts.index(max(counts))].name
