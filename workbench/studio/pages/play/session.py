"""A game in progress with its seats and moves."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.rules.rulesets import Ruleset
from workbench.studio import game_tasks, opponents
from workbench.studio.game_tasks import Ply
from workbench.studio.opponents import EASY, LEVELS, Level
from workbench.studio.visitor import View
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth

HUMAN = "human"
COMPILING = tr("Compiling machine code, once for each game; this takes up to a minute…")


@dataclass
class GameSession:
    """A game in progress under fixed rules."""

    ruleset: Ruleset
    project: Project
    workers: Workers
    players: list[str] = field(default_factory=lambda: [HUMAN, EASY])
    played: list[Ply] = field(default_factory=list)
    later: list[Ply] = field(default_factory=list)
    """Undone moves."""
    resigned: int | None = None
    start: str = ""
    """The initial position; "" is the ruleset's."""
    trouble: str = ""
    """The reason why the last action failed."""
    levels: Sequence[Level] = LEVELS
    hinted: Worth | None = None
    standings: dict[tuple[int, ...], Standing] = field(default_factory=dict)
    """The evaluations after lines of moves."""
    waiting: str = ""
    """What is computed, while a move or a hint is."""
    shown: View = field(default_factory=dict)
    """The current `game_tasks.position_view`."""
    listeners: list[Callable[[], None]] = field(default_factory=list)
    seed: int = field(default_factory=lambda: secrets.randbelow(2**32))
    _turn: int = 0
    """A counter of people's actions by which outdated answers are detected."""

    @property
    def is_over(self) -> bool:
        """True after the end of the game."""
        return self.resigned is not None or bool(self.shown["over"][0]) or len(self.played) >= game_tasks.MOST_PLIES

    @property
    def is_my_turn(self) -> bool:
        """True if a person is to move in the drawn position."""
        is_drawn = self.shown["plies"] == len(self.played)
        return is_drawn and not self.is_over and self.players[self.shown["seat"]] == HUMAN

    @property
    def line(self) -> tuple[int, ...]:
        """The moves without seats."""
        return tuple(ply.move for ply in self.played)

    @property
    def texts(self) -> list[str]:
        """The moves in words, including the undone ones."""
        return [ply.text for ply in (*self.played, *self.later)]

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data to continue the game in another studio, or None if nothing has happened."""
        if not (self.played or self.later or self.start):
            return None
        return {
            "start": self.start, "texts": self.texts, "plies": len(self.played), "resigned": self.resigned,
            "over": self.is_over, "seed": self.seed, "players": list(self.players),
        }  # fmt: skip

    async def resume(self, left: Mapping[str, Any]) -> None:
        """Find the levels, continue the game of an earlier studio or of a link if there is one, and draw it."""
        self.levels = await self.workers.drawing.run(opponents.find_levels, self.ruleset, self.project)
        match left:
            case {
                "start": str(start), "texts": [*texts], "plies": int(plies), "resigned": 0 | 1 | None as resigned,
                "seed": int(seed), "players": [first, second],
            } if plies >= 0 and 0 <= seed < 2**32:  # fmt: skip
                try:
                    moves = await self.workers.drawing.run(game_tasks.read_moves, self.ruleset, start, texts)
                except WorkbenchError as error:
                    self.trouble = error_text(error)
                else:
                    self.start, self.resigned, self.seed = start, resigned, seed
                    self.played, self.later = moves[:plies], moves[plies:]
                    self.players = [player if self._may_play(player) else HUMAN for player in (first, second)]
        self.shown = await self.draw(game_tasks.position_view)

    def _may_play(self, player: object) -> bool:
        return player in [HUMAN, *(level.player for level in self.levels)]

    async def begin(self, trouble: str = "") -> None:
        """Save the game, draw the position and let agents answer."""
        self._turn += 1
        self._notify(trouble=trouble, hinted=None)
        turn = self._turn
        try:
            await self._play_agents(turn)
            await self._evaluate(turn)
        except WorkbenchError as error:
            if turn == self._turn:
                self._notify(trouble=error_text(error), waiting="")

    async def hint(self) -> None:
        """Recommend a move."""
        if self.is_over or self.waiting:
            return
        turn = self._turn
        try:
            await self._wait(LEVELS[-1].player, tr("judging the moves…"))
            hinted, trouble = await self._judge("best", self.line), ""
        except WorkbenchError as error:
            hinted, trouble = None, error_text(error)
        if turn == self._turn:
            self._notify(hinted=hinted, trouble=trouble, waiting="")

    async def play(self, move: int) -> None:
        """Play a person's move if it is still legal."""
        if self.is_my_turn and self._push(move):
            await self.begin()

    def _push(self, move: int) -> bool:
        """Add a move to the game; return False if it is not legal."""
        text = next((touch["text"] for touch in self.shown["moves"] if touch["move"] == move), None)
        if text is not None:
            self.played.append(Ply(move, self.shown["seat"], text))
            self.later.clear()
        return text is not None

    async def undo(self) -> None:
        """Take back the moves since a person's last move, or only a resignation."""
        own = [place for place, ply in enumerate(self.played) if self.players[ply.seat] == HUMAN]
        await self.go_to(len(self.played) if self.resigned is not None else own[-1] if own else 0)

    async def redo(self) -> None:
        """Repeat undone moves up to a person's turn."""
        own = [place for place, ply in enumerate(self.later) if place and self.players[ply.seat] == HUMAN]
        await self.go_to(len(self.played) + (own[0] if own else len(self.later)))

    async def go_to(self, plies: int) -> None:
        """Continue after the first ``plies`` of all moves, including the undone ones."""
        moves = [*self.played, *self.later]
        self.played, self.later, self.resigned = moves[:plies], moves[plies:], None
        await self.begin()

    async def new(self, start: str | None = None) -> None:
        """Start another game, from another position if given."""
        self.start = self.start if start is None else start
        self.played, self.later, self.resigned, self.standings = [], [], None, {}
        self.seed = secrets.randbelow(2**32)
        await self.begin()

    async def resign(self) -> None:
        """Resign for the person to move."""
        if self.is_my_turn:
            self.resigned = self.shown["seat"]
            await self.begin()

    async def seat(self, place: int, player: str) -> None:
        """Seat a person or a level's player."""
        if place in (0, 1) and self._may_play(player):
            self.players[place] = player
            await self.begin()

    async def draw(self, task: Callable[..., Any], *arguments: object, plies: int | None = None) -> Any:
        """Run a task of the drawing worker on the game, or on its first ``plies``."""
        return await self.workers.drawing.run(task, self.ruleset, self.start, self.line[:plies], *arguments)

    async def _judge(self, method: str, line: tuple[int, ...]) -> Any:
        game = self.ruleset, self.start, line, self.project
        return await self.workers.strong.run(game_tasks.judge, *game, method)

    async def _wait(self, player: str, text: str) -> None:
        """Tell that a player is awaited, or the compilation of its machine code."""
        self._notify(waiting=text)
        # The easiest player answers immediately without machine code.
        if player != EASY and await self.workers.strong.run(opponents.must_compile, self.ruleset.game, player):
            self._notify(waiting=COMPILING)

    async def _play_agents(self, turn: int) -> None:
        """Show the position and play the agents' moves until a person's turn or action."""
        while True:
            shown = await self.draw(game_tasks.position_view)
            if turn != self._turn:
                return
            self.shown = shown
            player = self.players[shown["seat"]]
            if self.is_over or player == HUMAN:
                self._notify(waiting="")
                return
            await self._wait(player, tr("thinking…"))
            worker = self.workers.quick if player == EASY else self.workers.strong
            arguments = (self.ruleset, self.start, self.line, player, shown["seat"], self.seed, self.project)
            is_watched = HUMAN not in self.players
            # A pause between agents' moves lets people see each move.
            answer, *_ = await asyncio.gather(
                worker.run(opponents.reply, *arguments),
                asyncio.sleep(0.4 if is_watched else 0),
                *([self._evaluate(turn)] if is_watched else []),
            )
            if turn != self._turn:
                return
            self._push(answer)

    async def _evaluate(self, turn: int) -> None:
        """Evaluate the position and the earlier ones that are not evaluated yet, latest first."""
        # Before the first move, a number would look like a measurement of the rules, but it is only one search.
        standings, whole = self.standings, self.line
        lines = [whole[:plies] for plies in range(len(whole), -1, -1) if plies or self.start]
        for line in lines:
            if line not in standings:
                standings[line] = await self._judge("standing", line)
            if turn != self._turn:
                return
            if line in (lines[0], lines[-1]):
                self._notify()

    def _notify(self, **changes: Any) -> None:
        """Set attributes and redraw the pages."""
        vars(self).update(changes)
        for listener in list(self.listeners):
            listener()
