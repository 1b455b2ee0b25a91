"""The lines with which the games of an experiment begin, ruleset by ruleset: drawn, judged, and alike where possible.

A line is drawn by a random order of preference of all moves of a seat: whose turn it is plays the legal move that comes
first. The order follows from the experiment's seed, the game and the number of the line, and from nothing else. So two
rulesets begin line k with the same moves as far as both allow them; where one has the moves in another order, objects
before subjects, say, both come to the same position place by place; and one more ruleset, player or game changes no
other's lines. A line is left out, and the next order tried in its place, if the game is over after it, or if the judge
thinks a side as good as won. Only lines that some game has are drawn; several may come to the same position.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from workbench.positions.game_state import GameState
from workbench.positions.playing import opening_moves
from workbench.rules.rulesets import Ruleset

BATCH, FURTHER = 32, 8
"""Lines, and lines to stand in for one, that are judged at a time; it changes none of them."""
TRIES = 200
"""The most orders that are tried for one line."""


@dataclass(frozen=True)
class ExcludedLines:
    """Counts of the lines that were drawn for a ruleset and left out."""

    won: int = 0
    """A side had as good as won."""
    ended: int = 0
    """The game was over."""

    def __add__(self, other: ExcludedLines) -> ExcludedLines:
        return ExcludedLines(self.won + other.won, self.ended + other.ended)


@dataclass(frozen=True)
class RulesetLines:
    """The lines of one ruleset; line k is the k-th."""

    texts: tuple[str, ...]
    """The moves as players write them; empty where no game has the line."""
    moves: Any
    """int32 (lines x plies, -1 where a line is shorter, or no game has it)."""
    positions: tuple[str, ...]
    """A hash of the position after each line, whatever the order of the moves that led to it."""
    shared: int
    """Lines after which the position is that of the baseline's line of the same number."""
    left_out: ExcludedLines = ExcludedLines()

    def as_json(self) -> dict[str, Any]:
        """Return the entry in the provenance."""
        counts = {name: count for name, count in dataclasses.asdict(self.left_out).items() if count}
        return {"shared": self.shared, "left_out": counts, "lines": list(self.texts), "positions": list(self.positions)}


ExperimentLines = Mapping[str, RulesetLines]
"""Ruleset -> its lines; empty for an experiment without openings."""


def draw_experiment_lines(experiment: Experiment, recorded: Mapping[str, Any] | None = None) -> dict[str, RulesetLines]:
    """Return the lines of every ruleset of an experiment, those that its games have; none without openings.

    ``recorded`` is the provenance of the folder that the experiment goes on with: what it says of the same openings
    under the same rules is not drawn again.

    Raises:
        InputError: a line that is given is not legal under every ruleset, or there are not as many lines to draw.
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
    known = _recorded_lines(experiment, recorded)
    count = min(max(map(experiment.games_of, experiment.cells())), openings.lines)
    numbers = np.unique([experiment.line_numbers(*pair, 0, count) for pair in experiment.pairings])
    drawn = {}
    for ruleset in experiment.rulesets:
        lines = known.get(ruleset.name)
        if lines is None or not all(number < len(lines.texts) and lines.texts[number] for number in numbers):
            lines = _LineSource(experiment, openings, ruleset).take_lines(numbers)
        drawn[ruleset.name] = lines
    for ruleset in experiment.rulesets:
        lines, base = drawn[ruleset.name], drawn[experiment.reference(ruleset).name]
        shared = sum(one == other != "" for one, other in zip(lines.positions, base.positions, strict=False))
        drawn[ruleset.name] = dataclasses.replace(lines, shared=shared)
    return drawn


def describe_lines(experiment: Experiment, lines: ExperimentLines) -> list[str]:
    """Return the openings in words, for the terminal: how many lines, how many of them shared, how many left out."""
    openings = experiment.openings
    if isinstance(openings, GivenLines):
        count = len(openings.lines)
        return [
            trn(
                "Openings: {n} line of the file, each as often as the others.",
                "Openings: {n} lines of the file, each as often as the others.",
                count,
            )
        ]
    if openings is None:
        return []
    count = max(len(list(filter(None, each.texts))) for each in lines.values())
    total = functools.reduce(ExcludedLines.__add__, (each.left_out for each in lines.values()), ExcludedLines())
    parts = [
        tr("Openings: {count:,} lines of {plies} random plies for each ruleset.", count=count, plies=openings.plies)
    ]
    references = {ruleset.name: experiment.reference(ruleset).name for ruleset in experiment.rulesets}
    if shared := [f"{name} {each.shared:,}" for name, each in lines.items() if references[name] != name]:
        sources = ", ".join(dict.fromkeys(references.values()))
        parts.append(tr("Shared with {sources}: {shared}.", sources=sources, shared=", ".join(shared)))
    parts.append(
        tr(
            "Left out: {won:,} as good as won ({judge}, from {threshold:g} on), {ended:,} that ended the game.",
            won=total.won,
            judge=openings.judge.label,
            threshold=openings.threshold,
            ended=total.ended,
        )
    )
    return [sentences(parts)]


class _LineSource:
    """The lines of one ruleset while they are drawn."""

    def __init__(self, experiment: Experiment, openings: DrawnLines, ruleset: Ruleset) -> None:
        self.experiment, self.openings, self.ruleset = experiment, openings, ruleset
        self.nobody = random_player(len(games.declaration(ruleset.game).features))
        self.judge = library.engine_player(openings.judge, ruleset)

    def take_lines(self, numbers: npt.NDArray[np.int32]) -> RulesetLines:
        """Draw the lines of these numbers, in ascending order.

        Raises:
            InputError: in the place of some line nothing but won or ended games was drawn.
        """
        size = int(numbers[-1]) + 1
        texts, positions = [""] * size, [""] * size
        moves = np.full((size, self.openings.plies), -1, np.int32)
        left_out = ExcludedLines()
        for batch in np.split(numbers, range(BATCH, len(numbers), BATCH)):
            firsts = self._judged([self._draw(self._seeds(number, 0, 1)[0]) for number in batch])
            for number, first in zip(batch, firsts, strict=True):
                for line in itertools.chain([first], self._further(number)):
                    left_out += line.left_out
                    if line.left_out == ExcludedLines():
                        texts[number], moves[number], positions[number] = line.text, line.moves, line.position
                        break
                else:
                    raise InputError([self._too_few_lines(left_out)])
        return RulesetLines(tuple(texts), moves, tuple(positions), len(numbers), left_out)

    def _too_few_lines(self, left_out: ExcludedLines) -> Problem:
        lines, plies, ruleset = self.openings.lines, self.openings.plies, self.ruleset.name
        what = tr("{lines:,} lines of {plies} plies under {ruleset}", lines=lines, plies=plies, ruleset=ruleset)
        found = tr("one for which {tries} tries were not enough: {won:,} were as good as won, {ended:,} had ended")
        found = found.format(tries=TRIES, **dataclasses.asdict(left_out))
        hint = tr("lines of another length, or a higher threshold; or give the lines yourself")
        return Problem(self.experiment.path, None, "openings", expected(what, found), hint)

    def _seeds(self, number: int, start: int, stop: int) -> list[int]:
        return [int(seed) for seed in self.experiment.line_seeds(self.ruleset, int(number), start, stop)]

    def _further(self, number: int) -> Iterator[_Line]:
        """Yield substitutes for the first line of this number, one after the other."""
        for start in range(1, TRIES, FURTHER):
            yield from self._judged([self._draw(seed) for seed in self._seeds(number, start, start + FURTHER)])

    def _draw(self, seed: int) -> _Line:
        """Return a line by its order of preference; of a game that ended on the way, the moves up to there."""
        game_state = GameState(self.ruleset.game, self.ruleset.unswapped.codes())
        for _ in range(self.openings.plies):
            legal = game_state.legal()
            if not legal:
                break
            game_state.push(min(legal, key=functools.partial(_preference, seed, game_state.seat)))
        over, board = game_state.outcome()[1] is not None, game_state.board()
        return _Line(
            " ".join(game_state.texts),
            tuple(game_state.played),
            hashlib.sha256(repr((game_state.seat, board.columns, board.rows, board.cells)).encode()).hexdigest()[:12],
            ExcludedLines(ended=1) if over else ExcludedLines(),
        )

    def _judged(self, lines: Sequence[_Line]) -> list[_Line]:
        """Return the lines, those left out after which the judge thinks a side as good as won.

        A game that is stopped at the length of the line is adjudicated if a side is thought to have won.
        """
        lasting = [line for line in lines if line.left_out == ExcludedLines()]
        if not lasting:
            return list(lines)
        plies = self.openings.plies
        moves = np.array([line.moves for line in lasting], np.int32)
        arrays = trials.run_block(BlockArguments(
            self.ruleset.game, self.ruleset.unswapped.codes(), self.nobody, self.nobody,
            np.zeros(len(lasting), np.uint64), plies, plies, (self.judge, self.openings.threshold), moves,
        ))  # fmt: skip
        won = {
            line: ExcludedLines(won=1)
            for line, ending in zip(lasting, arrays["termination"].tolist(), strict=True)
            if ending == ADJUDICATED
        }
        return [dataclasses.replace(line, left_out=won.get(line, line.left_out)) for line in lines]


@dataclass(frozen=True)
class _Line:
    text: str
    moves: tuple[int, ...]
    position: str
    """A short hash of the board and of whose turn it is."""
    left_out: ExcludedLines
    """Why it is left out; nothing counted if it is kept."""


def _preference(seed: int, seat: int, move: int) -> int:
    """The rank of a move in a random order of all moves of a seat: a hash of the three, by splitmix64's last step."""
    z = (seed + (2 * move + seat + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ (z >> 31)


def _recorded_lines(experiment: Experiment, provenance: Mapping[str, Any] | None) -> dict[str, RulesetLines]:
    """Return the lines of this experiment that a folder has recorded, for the rulesets whose rules are the same."""
    assert experiment.openings is not None
    if not provenance or not (recorded := provenance.get("openings")):
        return {}
    before = provenance["experiment"]
    if before.get("openings") != experiment.openings.canonical() or before.get("seed") != experiment.seed:
        return {}
    prints = {entry["name"]: entry["fingerprint"] for entry in provenance["rulesets"]}
    by_ruleset = {}
    for ruleset in experiment.rulesets:
        entry = recorded.get(ruleset.name)
        if entry and prints.get(ruleset.name) == ruleset.fingerprint:
            texts = tuple(str(text) for text in entry["lines"])
            counts = ExcludedLines(**{name: int(count) for name, count in entry["left_out"].items()})
            positions = tuple(str(position) for position in entry["positions"])
            moves = opening_moves(ruleset.game, ruleset.codes(), texts)
            by_ruleset[ruleset.name] = RulesetLines(texts, moves, positions, int(entry["shared"]), counts)
    return by_ruleset
