"""Openings: the lines, lists of opening moves, with which the games of an experiment begin.

An experiment draws its lines at random (`DrawnLines`), or is given them (`GivenLines`). Which lines are drawn is seen
when its rules are played (`workbench.runs.lines`): this module reads the file, and starts no compiler until
`check_given_lines` asks whether the lines that were given are legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import Problem, guess
from workbench.base.keys import MappingOf, Number, key, keys_of
from workbench.base.language import quoted, tr
from workbench.base.yamlfile import Node
from workbench.experiments.kinds import THRESHOLD, THRESHOLDS
from workbench.players import agents
from workbench.players.agents import AgentSpec

if TYPE_CHECKING:
    from workbench.rules.rulesets import Ruleset

PLIES = Number(1, 100, whole=True)
LINES = Number(20, 10_000, whole=True)
"""Fewer lines than 20 do not tell how much lines differ."""
MOST_GIVEN = 1_000
DEFAULT_LINES = 500
JUDGE = AgentSpec.of("alphabeta", depth=3).judge()
"""The default judge of lines that are drawn."""


class Judge:
    """A player that can judge a position."""

    def read(self, node: Node, problems: list[Problem]) -> AgentSpec | None:
        """The player, without chance, noise or style."""
        judge = agents.read_agent(node, problems)
        if judge is not None and agents.strongest_player([judge]) is None:
            hint = tr("for instance {judge}", judge=JUDGE.label)
            problems.append(node.unknown(tr("a player that can judge a position"), judge.label, hint=hint))
        return judge and judge.judge()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of an agent."""
        return {"$ref": "#/$defs/agent"}


@dataclass(frozen=True)
class DrawnLines:
    """Lines of random legal moves; those after which a side has as good as won are left out."""

    plies: int = key(PLIES, tr("Plies of each line."), 4, required=True)
    lines: int = key(
        LINES,
        tr("Lines that are drawn; {default_lines} if left out.", default_lines=DEFAULT_LINES),
        DEFAULT_LINES,
        default=DEFAULT_LINES,
    )
    threshold: float = key(
        THRESHOLDS,
        tr(
            "A line is left out if a side's expected score after it is at least this; {threshold} if left out.",
            threshold=THRESHOLD,
        ),
        THRESHOLD,
        default=THRESHOLD,
    )
    """From which expected score on, ½ to 1, a side has as good as won."""
    judge: AgentSpec = key(
        Judge(),
        tr("The player that says what is expected, without noise; {judge} if left out.", judge=JUDGE.label),
        JUDGE.label,
        default=JUDGE,
    )
    """As `AgentSpec.judge` has it: without chance, noise or style."""

    def canonical(self) -> dict[str, Any]:
        """All that decides which lines are drawn, but for the seed and the rules, as plain data."""
        return {
            "plies": self.plies,
            "lines": self.lines,
            "threshold": self.threshold,
            "judge": self.judge.label,
            "options": self.judge.canonical(),
        }


_DRAWN = MappingOf("openings", keys_of(DrawnLines), DrawnLines)


@dataclass(frozen=True)
class GivenLines:
    """Lines that the file writes."""

    lines: tuple[str, ...]
    """Each in the notation of the game, with one space between two moves."""
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """Where the file writes them."""

    def canonical(self) -> dict[str, Any]:
        """The lines as plain data."""
        return {"given": list(self.lines)}


Lines = DrawnLines | GivenLines


def lines_from_provenance(said: Mapping[str, Any] | None) -> Lines | None:
    """The openings of an experiment, from what `canonical` said of them."""
    if not said:
        return None
    if "given" in said:
        return GivenLines(tuple(str(line) for line in said["given"]))
    judge = AgentSpec.from_provenance(str(said["judge"]), said["options"])
    return DrawnLines(int(said["plies"]), int(said["lines"]), float(said["threshold"]), judge)


@dataclass(frozen=True)
class Openings:
    """``{plies: 4, lines: 500}``, or a list of lines."""

    def read(self, node: Node, problems: list[Problem]) -> Lines | None:
        """The openings as far as the file alone tells them."""
        if isinstance(node.value, dict):
            drawn: DrawnLines | None = _DRAWN.read(node, problems)
            return drawn
        if isinstance(node.value, tuple):
            return self._given(node, node.value, problems)
        example = tr('lines to draw, such as {plies: 4, lines: 500}, or a list of lines, such as ["f9 Ok2 Oi4"]')
        problems.append(node.expected(example))
        return None

    def _given(self, node: Node, items: Sequence[Node], problems: list[Problem]) -> GivenLines | None:
        if not 1 <= len(items) <= MOST_GIVEN:
            problems.append(node.expected(tr("1 to {most:,} lines", most=MOST_GIVEN), found=f"{len(items):,}"))
        lines: dict[str, Node] = {}
        for item in items:
            line = " ".join(item.text.split()) if item.is_scalar else ""
            if not line:
                hint = tr("moves with spaces between them, in quotation marks")
                problems.append(item.expected(tr('a line such as "f9 Ok2 Oi4"'), hint))
            elif line in lines:
                problems.append(item.repeated(tr("line"), quoted(line)))
            else:
                lines[line] = item
        return GivenLines(tuple(lines), tuple(lines.values())) if lines else None

    def schema(self) -> dict[str, Any]:
        """Both forms."""
        drawn = {"description": tr("Lines of random legal moves."), **_DRAWN.schema()}
        given = {
            "description": tr("Lines in the notation of the game, moves with spaces between them."),
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_GIVEN,
            "uniqueItems": True,
            "items": {"type": "string", "minLength": 1},
        }
        return {"anyOf": [drawn, given]}


def check_given_lines(openings: Lines | None, rulesets: Iterable[Ruleset]) -> list[Problem]:
    """The problems of lines that a file gives: of each line the first move that is not legal, ruleset by ruleset.

    A line after which the game is over is wrong, too: nobody has a choice left. Loads the kernels of the games.
    """
    if not isinstance(openings, GivenLines):
        return []
    from workbench.positions.game_state import GameState

    problems = []
    for number, (line, node) in enumerate(zip(openings.lines, openings.nodes, strict=True), start=1):
        for ruleset in rulesets:
            game_state = GameState(ruleset.game, ruleset.unswapped.codes())
            if refusal := line_refusal(game_state, line):
                reason, hint = refusal
                message = tr(
                    "line {number}, '{line}', is not legal under {ruleset}: {reason}",
                    number=number,
                    line=line,
                    ruleset=ruleset.name,
                    reason=reason,
                )
                problems.append(node.problem(message, hint))
    return problems


def line_refusal(game_state: Any, line: str) -> tuple[str, str] | None:
    """Why a line cannot be played to its end with a choice left after it, and a hint; None if it can.

    The moves that are legal are played in ``game_state``.
    """
    from workbench.engine import contract

    for text in line.split():
        result, termination = game_state.outcome()
        if result != contract.ONGOING:
            return tr(
                "before move {number}, {move}, the game is over ({termination})",
                number=game_state.plies + 1,
                move=text,
                termination=termination,
            ), ""
        if reason := game_state.why_not(text):
            return tr("move {number}, {move}: {reason}", number=game_state.plies + 1, move=text, reason=reason), guess(
                text, game_state.legal_texts()
            )
        game_state.push_text(text)
    result, termination = game_state.outcome()
    if result != contract.ONGOING:
        return tr(
            "the game is over after it ({termination}), and nobody has a choice left", termination=termination
        ), tr("leave out its last move")
    return None
