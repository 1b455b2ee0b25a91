"""The lines with which the games of an experiment begin, ruleset by ruleset: drawn, judged, and shared where legal.

Lines are drawn one after the other under the baseline (of its own family; for another one under the family's first
ruleset): random legal moves, with seeds that follow from the experiment's and from the fingerprint. A line is left out
if the game is over after it, if the judge thinks a side as good as won, or if it was drawn before. A further ruleset
takes the same lines, move by move as they are written, and puts one that is drawn under its own rules in the place of
each that it does not allow, or after which a side has as good as won by its own rules. So line k is the same for all
rulesets that allow it, the first lines are the same however many there are, and one more ruleset changes no other's.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.errors import InputError, Problem
from workbench.language import sentences, tr, trn
from workbench.learning import library
from workbench.questions.experiment import Experiment
from workbench.questions.lines import DrawnLines, GivenLines, check_given_lines, line_refusal
from workbench.questions.rulesets import Ruleset

BATCH = 32
"""Lines that are drawn at a time; it changes none of them."""
TRIES = 20
"""How often as many lines as are kept may be drawn in vain for the next one."""

PlayBlock = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class ExcludedLines:
    """How many lines were drawn for a ruleset, or taken from the baseline, and left out."""

    won: int = 0
    """A side had as good as won."""
    ended: int = 0
    """The game was over."""
    repeated: int = 0
    """The line was there before."""
    illegal: int = 0
    """Lines of the baseline that the ruleset does not allow."""

    def __add__(self, other: ExcludedLines) -> ExcludedLines:
        return ExcludedLines(
            *(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True))
        )


@dataclass(frozen=True)
class RulesetLines:
    """The lines of one ruleset; line k is the k-th."""

    texts: tuple[str, ...]
    """As players write them."""
    moves: Any
    """int32 (lines x plies, -1 where a line is shorter)."""
    source: str
    """The ruleset whose lines are shared where they are legal; itself for that ruleset, and where lines are given."""
    shared: int
    """Lines that are those of the ``source``."""
    left_out: ExcludedLines = ExcludedLines()

    def as_json(self) -> dict[str, Any]:
        """What provenance keeps."""
        counts = {name: count for name, count in dataclasses.asdict(self.left_out).items() if count}
        return {"from": self.source, "shared": self.shared, "left_out": counts, "lines": list(self.texts)}


ExperimentLines = Mapping[str, RulesetLines]
"""Ruleset -> its lines; empty for an experiment without openings."""


def draw_experiment_lines(
    experiment: Experiment, recorded: Mapping[str, Any] | None = None, play: PlayBlock | None = None
) -> dict[str, RulesetLines]:
    """The lines of every ruleset of an experiment, as many of them as its games need; none without openings.

    ``recorded`` is the provenance of the folder that the experiment goes on with: what it says of the same openings
    under the same rules is not drawn again. ``play`` is the engine's ``run_block``.

    Raises:
        InputError: a line that is given is not legal under every ruleset, or there are not as many lines to draw.
    """
    openings = experiment.openings
    if openings is None:
        return {}
    if not isinstance(openings, DrawnLines):
        if problems := check_given_lines(openings, experiment.rulesets):
            raise InputError(problems)
        by_ruleset = {}
        for ruleset in experiment.rulesets:
            texts = openings.lines
            by_ruleset[ruleset.name] = RulesetLines(texts, _parse_moves(ruleset, texts), ruleset.name, len(texts))
        return by_ruleset
    known = _recorded_lines(experiment, recorded)
    count = min(openings.lines, experiment.games)
    drawn: dict[str, RulesetLines] = {}
    sources = {experiment.lines_from(ruleset).name: experiment.lines_from(ruleset) for ruleset in experiment.rulesets}
    for ruleset in [*sources.values(), *(each for each in experiment.rulesets if each.name not in sources)]:
        if ruleset.name in known and len(known[ruleset.name].texts) >= count:
            drawn[ruleset.name] = known[ruleset.name]
            continue
        source = experiment.lines_from(ruleset)
        drawing = _LineSource(experiment, openings, ruleset, play)
        drawn[ruleset.name] = drawing.take_lines(count, None if source.name == ruleset.name else drawn[source.name])
    return {ruleset.name: drawn[ruleset.name] for ruleset in experiment.rulesets}


def describe_lines(experiment: Experiment, lines: ExperimentLines) -> list[str]:
    """The openings in words, for the terminal: how many lines, how many of them shared, how many left out."""
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
    count = max(len(each.texts) for each in lines.values())
    total = functools.reduce(ExcludedLines.__add__, (each.left_out for each in lines.values()), ExcludedLines())
    parts = [
        tr("Openings: {count:,} lines of {plies} random plies for each ruleset.", count=count, plies=openings.plies)
    ]
    if shared := [f"{name} {each.shared:,}" for name, each in lines.items() if each.source != name]:
        sources = ", ".join(dict.fromkeys(each.source for each in lines.values()))
        parts.append(tr("Shared with {sources}: {shared}.", sources=sources, shared=", ".join(shared)))
    parts.append(
        tr(
            "Left out: {won:,} as good as won ({judge}, from {threshold:g} on), {ended:,} that ended "
            "the game, {repeated:,} drawn before, {illegal:,} not legal elsewhere.",
            won=total.won,
            judge=openings.judge.label,
            threshold=openings.threshold,
            ended=total.ended,
            repeated=total.repeated,
            illegal=total.illegal,
        )
    )
    return [sentences(parts)]


class _LineSource:
    """The lines of one ruleset while they are drawn."""

    def __init__(
        self, experiment: Experiment, openings: DrawnLines, ruleset: Ruleset, play: PlayBlock | None = None
    ) -> None:
        from workbench import games
        from workbench.engine import trials
        from workbench.engine.players import nobody
        from workbench.games.openings import opening_texts

        self.experiment, self.openings, self.ruleset = experiment, openings, ruleset
        self.play = play or trials.run_block
        self.texts_of = functools.partial(opening_texts, ruleset.game, ruleset.codes())
        self.random = nobody(len(games.declaration(ruleset.game).features))
        self.judge = library.engine_player(openings.judge, ruleset)
        self.left_out = ExcludedLines()
        self.kept: dict[str, Any] = {}

    def take_lines(self, count: int, shared: RulesetLines | None) -> RulesetLines:
        """The first ``count`` lines; ``shared`` are those to take where they are legal."""
        own = self._random_lines()
        theirs = self._shared_lines(shared.texts[:count]) if shared else iter(())
        same = 0
        for _ in range(count):
            text, moves, verdict = next(theirs, ("", None, ExcludedLines()))
            if text and verdict == ExcludedLines() and text not in self.kept:
                same += 1
            else:
                self.left_out += verdict if verdict != ExcludedLines() or not text else ExcludedLines(repeated=1)
                text, moves = self._next_line(own)
            self.kept[text] = moves
        texts = tuple(self.kept)
        source = self.experiment.lines_from(self.ruleset).name
        moves = np.array(list(self.kept.values()), np.int32)
        return RulesetLines(texts, moves, source, same if shared else count, self.left_out)

    def _next_line(self, own: Iterator[tuple[str, Any, ExcludedLines]]) -> tuple[str, Any]:
        """The next line that is drawn under these rules, is new, and leaves the game open."""
        before = self.left_out
        for _ in range(TRIES * (1 + len(self.kept))):
            text, moves, verdict = next(own)
            if verdict == ExcludedLines() and text not in self.kept:
                return text, moves
            self.left_out += verdict if verdict != ExcludedLines() else ExcludedLines(repeated=1)
        counts = {name: after - dataclasses.asdict(before)[name]
                  for name, after in dataclasses.asdict(self.left_out).items()}  # fmt: skip
        message = tr(
            "expected {lines:,} different lines of {plies} plies under {ruleset}, found {count:,}: "
            "of the next {values:,} that were drawn, {counts:,} were as good as won, {counts2:,} had "
            "ended and {counts3:,} were there before",
            lines=self.openings.lines,
            plies=self.openings.plies,
            ruleset=self.ruleset.name,
            count=len(self.kept),
            values=sum(counts.values()),
            counts=counts["won"],
            counts2=counts["ended"],
            counts3=counts["repeated"],
        )
        hint = tr("fewer lines, lines of another length, or a higher threshold; or give the lines yourself")
        raise InputError([Problem(self.experiment.path, None, "openings", message, hint)])

    def _random_lines(self) -> Iterator[tuple[str, Any, ExcludedLines]]:
        """Lines of random moves, one after the other without an end: text, moves, and why it is left out, if it is."""
        start = 0
        while True:
            seeds = self.experiment.line_seeds(self.ruleset, start, start + BATCH)
            yield from self._judge_lines(seeds, None)
            start += BATCH

    def _shared_lines(self, texts: Sequence[str]) -> Iterator[tuple[str, Any, ExcludedLines]]:
        """The lines of another ruleset, each as these rules see it."""
        from workbench.games.game_state import GameState

        for start in range(0, len(texts), BATCH):
            judged_lines: dict[str, tuple[Any, ExcludedLines]] = {}
            legal = []
            for text in texts[start : start + BATCH]:
                game_state = GameState(self.ruleset.game, self.ruleset.codes())
                if line_refusal(game_state, text) is None:
                    legal.append(text)
                    judged_lines[text] = np.array(game_state.played, np.int32), ExcludedLines()
                else:
                    over = game_state.outcome()[1] is not None
                    judged_lines[text] = None, ExcludedLines(ended=1) if over else ExcludedLines(illegal=1)
            if legal:
                moves = np.array([judged_lines[text][0] for text in legal], np.int32)
                judged = self._judge_lines(np.zeros(len(legal), np.uint64), moves)
                judged_lines |= {text: (line, verdict) for text, (_, line, verdict) in zip(legal, judged, strict=True)}
            for text in texts[start : start + BATCH]:
                yield text, *judged_lines[text]

    def _judge_lines(self, seeds: Any, moves: Any) -> Iterator[tuple[str, Any, ExcludedLines]]:
        """Lines that are played to their end and judged there; ``moves`` None: random ones by their seeds.

        A game that is stopped at the length of the line is adjudicated if a side is thought to have won.
        """
        from workbench.engine.contract import ADJUDICATED, CAP

        plies = self.openings.plies
        arrays = self.play(
            self.ruleset.game, self.ruleset.codes(), self.random, self.random, seeds, plies, plies,
            (self.judge, self.openings.threshold), *(() if moves is None else (moves,)),
        )  # fmt: skip
        lines = arrays["opening"]
        for text, line, ending in zip(self.texts_of(lines), lines, arrays["termination"].tolist(), strict=True):
            open_still = ending == CAP
            left_out = (
                ExcludedLines()
                if open_still
                else ExcludedLines(won=1)
                if ending == ADJUDICATED
                else ExcludedLines(ended=1)
            )
            yield text, line, left_out


def _parse_moves(ruleset: Ruleset, texts: Sequence[str]) -> Any:
    from workbench.games.openings import opening_moves

    return opening_moves(ruleset.game, ruleset.codes(), texts)


def _recorded_lines(experiment: Experiment, provenance: Mapping[str, Any] | None) -> dict[str, RulesetLines]:
    """What a folder says of the lines that this experiment has: of those rulesets whose rules are the same ones."""
    assert experiment.openings is not None
    said = (provenance or {}).get("openings") or {}
    before = (provenance or {}).get("experiment") or {}
    if not said or before.get("openings") != experiment.openings.canonical() or before.get("seed") != experiment.seed:
        return {}
    assert provenance is not None
    prints = {entry["name"]: entry["fingerprint"] for entry in provenance["rulesets"]}
    by_ruleset = {}
    for ruleset in experiment.rulesets:
        source = experiment.lines_from(ruleset)
        entry = said.get(ruleset.name)
        same = all(prints.get(each.name) == each.fingerprint for each in (ruleset, source))
        if entry and same and entry["from"] == source.name:
            texts = tuple(str(text) for text in entry["lines"])
            counts = ExcludedLines(**{name: int(count) for name, count in entry["left_out"].items()})
            by_ruleset[ruleset.name] = RulesetLines(
                texts, _parse_moves(ruleset, texts), source.name, int(entry["shared"]), counts
            )
    return by_ruleset
