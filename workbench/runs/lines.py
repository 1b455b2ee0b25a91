"""Opening lines of an experiment's rulesets: drawn, judged, and as similar between rulesets as possible.

Each seat plays its legal move that comes first in a random order of all moves. The order depends only on the
experiment's seed, the game and the number of the line, so rulesets share the moves of a line that both allow, whatever
the order of drops, and further rulesets, players or games change no line. A line is redrawn if the game is over after
it, or if the judge considers a side as practically won. Only lines that some game uses are drawn.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from workbench import games
from workbench.base.errors import InputError, Problem, expected
from workbench.base.language import sentences, tr, trn
from workbench.engine import trials
from workbench.engine.contract import ADJUDICATED
from workbench.engine.players import BlockArguments, random_player
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import DrawnLines, GivenLines, check_given_lines
from workbench.players import library
from workbench.positions.game_state import GameState, opening_moves
from workbench.rules.rulesets import Ruleset

BATCH, FURTHER = 32, 8
"""Lines, and substitutes for one line, that are judged per batch."""
TRIES = 200
"""The most attempts at one line."""


@dataclass(frozen=True)
class RulesetLines:
    """The opening lines of one ruleset."""

    texts: tuple[str, ...]
    """The moves in notation; empty for lines that no game uses."""
    moves: Any
    """int32 (lines x plies), padded with -1."""
    positions: tuple[str, ...]
    """A hash of the position after each line, independent of the order of moves."""
    shared: int
    """The number of lines that lead to the same position as the baseline's line of the same number."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Numbers of excluded lines: ``won`` (practically, by a side) and ``ended`` (the game was over)."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry in the provenance."""
        return {
            "shared": self.shared, "left_out": dict(self.left_out), "lines": list(self.texts),
            "positions": list(self.positions),
        }  # fmt: skip


ExperimentLines = Mapping[str, RulesetLines]
"""Lines by ruleset; empty without openings."""


def draw_experiment_lines(experiment: Experiment, recorded: Mapping[str, Any] | None = None) -> dict[str, RulesetLines]:
    """Return the lines that an experiment's games use, by ruleset; empty if the players choose all moves.

    ``recorded`` is the provenance of the folder to continue, whose lines for the same rules are reused.

    Raises:
        InputError: a given line is illegal under a ruleset, or a line could not be drawn.
    """
    openings = experiment.openings
    if openings is None:
        return {}
    if not isinstance(openings, DrawnLines):
        if problems := check_given_lines(openings, experiment.rulesets):
            raise InputError(problems)
        texts, by_ruleset = openings.lines, {}
        for ruleset in experiment.rulesets:
            moves = opening_moves(ruleset.game, ruleset.codes(), texts)
            by_ruleset[ruleset.name] = RulesetLines(texts, moves, texts, len(texts))
        return by_ruleset
    recorded_lines = _recorded_lines(experiment, recorded)
    count = min(max(map(experiment.cell_games, experiment.cells())), openings.lines)
    numbers = np.unique([experiment.line_numbers(*pair, 0, count) for pair in experiment.pairings])
    lines_by_ruleset = {}
    for ruleset in experiment.rulesets:
        lines = recorded_lines.get(ruleset.name)
        if lines is None or not all(number < len(lines.texts) and lines.texts[number] for number in numbers):
            lines = _LineSource(experiment, openings, ruleset).take_lines(numbers)
        lines_by_ruleset[ruleset.name] = lines
    for ruleset in experiment.rulesets:
        lines, base = lines_by_ruleset[ruleset.name], lines_by_ruleset[experiment.reference(ruleset).name]
        shared = sum(own == other != "" for own, other in zip(lines.positions, base.positions, strict=False))
        lines_by_ruleset[ruleset.name] = dataclasses.replace(lines, shared=shared)
    return lines_by_ruleset


def describe_lines(experiment: Experiment, lines: ExperimentLines) -> list[str]:
    """Describe the openings for the terminal, with the numbers of all, shared and excluded lines."""
    openings = experiment.openings
    if isinstance(openings, GivenLines):
        singular = "Openings: {n} line from the file."
        return [trn(singular, "Openings: {n} lines from the file, used equally often.", len(openings.lines))]
    if openings is None:
        return []
    count = max(len(list(filter(None, entry.texts))) for entry in lines.values())
    total = sum((entry.left_out for entry in lines.values()), Counter[str]())
    parts = [
        tr("Openings: {count:,} lines of {plies} random plies for each ruleset.", count=count, plies=openings.plies)
    ]
    references = {ruleset.name: experiment.reference(ruleset).name for ruleset in experiment.rulesets}
    if shared := [f"{name} {entry.shared:,}" for name, entry in lines.items() if references[name] != name]:
        sources = ", ".join(dict.fromkeys(references.values()))
        parts.append(tr("Shared with {sources}: {shared}.", sources=sources, shared=", ".join(shared)))
    text = tr("Excluded: {won:,} practically won ({judge}, threshold {threshold:g}), {ended:,} that ended the game.")
    fields = {"judge": openings.judge.label, "threshold": openings.threshold}
    parts.append(text.format(won=total["won"], ended=total["ended"], **fields))
    return [sentences(parts)]


class _LineSource:
    """Draws the lines of one ruleset."""

    def __init__(self, experiment: Experiment, openings: DrawnLines, ruleset: Ruleset) -> None:
        self.experiment, self.openings, self.ruleset = experiment, openings, ruleset
        self.random_player = random_player(len(games.declaration(ruleset.game).features))
        self.judge = library.engine_player(openings.judge, ruleset)

    def take_lines(self, numbers: npt.NDArray[np.int32]) -> RulesetLines:
        """Draw the lines with these sorted numbers; raise `InputError` if all attempts at a line fail."""
        size = int(numbers[-1]) + 1
        texts, positions = [""] * size, [""] * size
        moves = np.full((size, self.openings.plies), -1, np.int32)
        left_out: Counter[str] = Counter()
        for batch in np.split(numbers, range(BATCH, len(numbers), BATCH)):
            first_attempts = self._mark_won([self._draw(self._seeds(number, 0, 1)[0]) for number in batch])
            for number, first_attempt in zip(batch, first_attempts, strict=True):
                for line in itertools.chain([first_attempt], self._further_attempts(number)):
                    if not line.reason:
                        texts[number], moves[number], positions[number] = line.text, line.moves, line.position
                        break
                    left_out[line.reason] += 1
                else:
                    raise InputError([self._too_few_lines(left_out)])
        return RulesetLines(tuple(texts), moves, tuple(positions), len(numbers), left_out)

    def _too_few_lines(self, left_out: Counter[str]) -> Problem:
        lines, plies, ruleset = self.openings.lines, self.openings.plies, self.ruleset.name
        target = tr("{lines:,} lines of {plies} plies under {ruleset}", lines=lines, plies=plies, ruleset=ruleset)
        failure = tr("a line that failed in {tries} attempts: {won:,} practically won, {ended:,} ended the game")
        failure = failure.format(tries=TRIES, won=left_out["won"], ended=left_out["ended"])
        hint = tr("use another length or a higher threshold, or list the lines yourself")
        return Problem(self.experiment.path, None, "openings", expected(target, failure), hint)

    def _seeds(self, number: int, start: int, stop: int) -> list[int]:
        return [int(seed) for seed in self.experiment.line_seeds(self.ruleset, int(number), start, stop)]

    def _further_attempts(self, number: int) -> Iterator[_Line]:
        """Yield the attempts at a line after the first."""
        for start in range(1, TRIES, FURTHER):
            yield from self._mark_won([self._draw(seed) for seed in self._seeds(number, start, start + FURTHER)])

    def _draw(self, seed: int) -> _Line:
        """Draw a line at random; it is shorter if the game ends early."""
        game_state = GameState(self.ruleset.game, self.ruleset.unswapped.codes())
        for _ in range(self.openings.plies):
            legal = game_state.legal()
            if not legal:
                break
            game_state.push(min(legal, key=functools.partial(_preference, seed, game_state.seat)))
        is_over, board = game_state.outcome()[1] is not None, game_state.board()
        return _Line(
            " ".join(game_state.texts),
            tuple(game_state.played),
            hashlib.sha256(repr((game_state.seat, board.columns, board.rows, board.cells)).encode()).hexdigest()[:12],
            "ended" if is_over else "",
        )

    def _mark_won(self, lines: Sequence[_Line]) -> list[_Line]:
        """Mark the lines that the judge considers won, which are games adjudicated at the length of the line."""
        unfinished = [line for line in lines if not line.reason]
        if not unfinished:
            return list(lines)
        plies = self.openings.plies
        moves = np.array([line.moves for line in unfinished], np.int32)
        arrays = trials.run_block(BlockArguments(
            self.ruleset.game, self.ruleset.unswapped.codes(), self.random_player, self.random_player,
            np.zeros(len(unfinished), np.uint64), plies, plies, (self.judge, self.openings.threshold), moves,
        ))  # fmt: skip
        endings = arrays["termination"].tolist()
        won = {line for line, ending in zip(unfinished, endings, strict=True) if ending == ADJUDICATED}
        return [line._replace(reason="won") if line in won else line for line in lines]


class _Line(NamedTuple):
    text: str
    moves: tuple[int, ...]
    position: str
    """A short hash of the board and the side to move."""
    reason: str
    """The reason for excluding it, if any: ``won`` or ``ended``."""


def _preference(seed: int, seat: int, move: int) -> int:
    """Return the rank of a move in a seat's random order: a hash by splitmix64's finalizer."""
    z = (seed + (2 * move + seat + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ (z >> 31)


def _recorded_lines(experiment: Experiment, provenance: Mapping[str, Any] | None) -> dict[str, RulesetLines]:
    """Return the recorded lines of rulesets whose rules are unchanged."""
    assert experiment.openings is not None
    if not provenance or not (recorded := provenance.get("openings")):
        return {}
    earlier = provenance["experiment"]
    if earlier.get("openings") != experiment.openings.canonical() or earlier.get("seed") != experiment.seed:
        return {}
    fingerprints = {entry["name"]: entry["fingerprint"] for entry in provenance["rulesets"]}
    by_ruleset = {}
    for ruleset in experiment.rulesets:
        entry = recorded.get(ruleset.name)
        if entry and fingerprints.get(ruleset.name) == ruleset.fingerprint:
            texts, positions = tuple(entry["lines"]), tuple(entry["positions"])
            moves = opening_moves(ruleset.game, ruleset.codes(), texts)
            by_ruleset[ruleset.name] = RulesetLines(
                texts, moves, positions, int(entry["shared"]), Counter(entry["left_out"])
            )
    return by_ruleset
