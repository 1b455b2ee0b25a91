"""A game in progress with its seats and moves."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.project import Project
from workbench.rules.rulesets import Ruleset
from workbench.studio import game_tasks, opponents
from workbench.studio.opponents import EASY, LEVELS, Level
from workbench.studio.visitor import View
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth

HUMAN = "human"


@dataclass
class GameSession:
    """A game in progress under fixed rules."""

    ruleset: Ruleset
    project: Project
    workers: Workers
    players: list[str] = field(default_factory=lambda: [HUMAN, EASY])
    played: list[tuple[int, int]] = field(default_factory=list)
    """(move, seat that chose it)."""
    later: list[tuple[int, int]] = field(default_factory=list)
    """Undone moves in reverse order."""
    texts: list[str] = field(default_factory=list)
    """The moves in words, including the undone ones."""
    resigned: int | None = None
    start: str = ""
    """The initial position; "" is the ruleset's."""
    trouble: str = ""
    """The reason why the last action failed."""
    levels: Sequence[Level] = LEVELS
    hinted: Worth | None = None
    standing: Standing | None = None
    """The latest evaluation of the game."""
    shares: dict[tuple[int, ...], float] = field(default_factory=dict)
    """The first seat's expected share after each line of moves that was evaluated."""
    observer: str = ""
    """The name of the judge of these."""
    waiting: str = ""
    """``thinking``, ``compiling`` or ``judging`` while a move or an evaluation is computed."""
    shown: View = field(default_factory=dict)
    """The current `game_tasks.position_view`."""
    listeners: list[Callable[[], None]] = field(default_factory=list)
    seed: int = field(default_factory=lambda: secrets.randbelow(2**32))
    left: Mapping[str, Any] | None = None
    """The game from an earlier studio or of a link until it is resumed."""
    _turn: int = 0
    """A counter of people's actions by which outdated answers are detected."""

    @property
    def is_over(self) -> bool:
        """True after the end of the game."""
        return self.resigned is not None or bool(self.shown.get("over")) or len(self.played) >= game_tasks.MOST_PLIES

    @property
    def _is_my_turn(self) -> bool:
        return bool(self.shown) and not self.is_over and self.players[self.shown["seat"]] == HUMAN

    @property
    def _seatable(self) -> list[str]:
        return [HUMAN, *(level.player for level in self.levels)]

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data to continue the game in another studio, or None if nothing has happened."""
        if not (self.played or self.later or self.start):
            return None
        return {
            "start": self.start, "texts": list(self.texts), "plies": len(self.played), "resigned": self.resigned,
            "over": self.is_over, "seed": self.seed, "players": list(self.players),
        }  # fmt: skip

    async def resume(self) -> str:
        """Resume the game from an earlier studio or of a link if nothing has happened yet; return the problem or ""."""
        if self.left is None:
            return ""
        await self.find_players()
        match self.left:
            case {
                "start": str(start), "texts": [*texts], "plies": int(plies), "resigned": 0 | 1 | None as resigned,
                "seed": int(seed), "players": [first, second],
            } if plies >= 0 and 0 <= seed < 2**32:  # fmt: skip
                try:
                    moves = await self.workers.drawing.run(game_tasks.read_moves, self.ruleset, start, texts)
                except WorkbenchError as error:
                    self.left = None
                    return error_text(error)
                if self.left is not None and not self._turn:
                    self.start, self.texts, self.resigned, self.seed = start, texts, resigned, seed
                    self.played, self.later = moves[:plies], moves[plies:][::-1]
                    self.players = [player if player in self._seatable else HUMAN for player in (first, second)]
        self.left = None
        return ""

    async def begin(self, trouble: str = "") -> None:
        """Draw the position and let agents answer."""
        self._turn += 1
        self.trouble, self.hinted = trouble, None
        turn = self._turn
        try:
            await self._play_agents(turn)
            await self._update_standing(turn)
            await self._complete_curve(turn)
        except WorkbenchError as error:
            if turn == self._turn:
                self._notify(trouble=error_text(error), waiting="")

    async def find_players(self) -> None:
        """Find the levels."""
        if self.levels is LEVELS:
            levels = await self.workers.quick.run(opponents.find_levels, self.ruleset, self.project)
            self._notify(levels=levels)

    async def hint(self) -> None:
        """Recommend a move."""
        turn, trouble, hinted = self._turn, "", None
        if self.is_over or self.waiting:
            return
        compiling = await self.workers.strong.run(game_tasks.judge_must_compile, self.ruleset.game)
        self._notify(trouble="", waiting="compiling" if compiling else "judging")
        try:
            _, hinted = await self._ask_judge("best", self.moves())
        except WorkbenchError as error:
            trouble = error_text(error)
        if turn == self._turn:
            self._notify(hinted=hinted, trouble=trouble, waiting="")

    async def set_up(self, position: str) -> bool:
        """Set the initial position of the next `new` game as text; return False if it is invalid."""
        try:
            await self.workers.drawing.run(game_tasks.position_view, self.ruleset, position.strip(), ())
        except WorkbenchError as error:
            self._notify(trouble=error_text(error))
            return False
        self.start = position.strip()
        return True

    async def play(self, move: int) -> None:
        """Play a person's move if it is still legal."""
        if self._is_my_turn and move in [touch["move"] for touch in self.shown["moves"]]:
            self.played.append((move, self.shown["seat"]))
            self.later.clear()
            await self.begin()

    async def undo(self) -> None:
        """Take back the moves since a person's last move, or only a resignation."""
        resigned, self.resigned = self.resigned, None
        while self.played and resigned is None:
            self.later.append(self.played.pop())
            if self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def redo(self) -> None:
        """Repeat undone moves up to a person's turn."""
        while self.later:
            self.played.append(self.later.pop())
            if not self.later or self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def go_back(self, plies: int) -> None:
        """Take back all moves after the first ``plies`` and continue from there."""
        if 0 <= plies < len(self.played):
            self.resigned = None
            self.later += reversed(self.played[plies:])
            del self.played[plies:]
            await self.begin()

    async def new(self) -> None:
        """Start another game."""
        self.played, self.later, self.resigned, self.shares, self.texts = [], [], None, {}, []
        self.seed = secrets.randbelow(2**32)
        await self.begin()

    async def resign(self) -> None:
        """Resign for the person to move."""
        if self._is_my_turn:
            self.resigned = self.shown["seat"]
            await self.begin()

    async def seat(self, place: int, player: str) -> None:
        """Seat a person or a level's player."""
        if place in (0, 1) and player in self._seatable:
            self.players[place] = player
            await self.begin()

    async def record(self) -> str:
        """Return the game in its exchange format; it must have started at the ruleset's initial position."""
        end = self.shown.get("over") or {"result": "unfinished", "termination": "unfinished"}
        if self.resigned is not None:
            end = {"result": ("second", "first")[self.resigned], "termination": "resignation"}
        arguments = end["result"], end["termination"], (self.players[0], self.players[1])
        return str(await self.workers.drawing.run(game_tasks.game_record, self.ruleset, self.moves(), *arguments))

    def moves(self) -> tuple[int, ...]:
        """Return the moves without seats."""
        return tuple(move for move, _ in self.played)

    async def draw(self, task: Callable[..., Any], *arguments: object, plies: int | None = None) -> Any:
        """Run a task of the drawing worker on the game, or on its first ``plies``."""
        return await self.workers.drawing.run(task, self.ruleset, self.start, self.moves()[:plies], *arguments)

    async def _ask_judge(self, method: str, line: tuple[int, ...]) -> tuple[str, Any]:
        game = self.ruleset, self.start, line, self.project
        answer: tuple[str, Any] = await self.workers.strong.run(game_tasks.judge, *game, method)
        return answer

    async def _play_agents(self, turn: int) -> None:
        """Show the position and play the agents' moves until a person's turn or action."""
        while True:
            shown = await self.draw(game_tasks.position_view)
            if turn != self._turn:
                return
            self.shown = shown
            if self.texts[: len(shown["texts"])] != shown["texts"]:
                self.texts = shown["texts"]
            player = self.players[shown["seat"]]
            answers = not self.is_over and player != HUMAN
            self._notify(waiting="thinking" if answers else "")
            if not answers:
                return
            # The easiest player answers immediately without machine code.
            worker = self.workers.quick if player == EASY else self.workers.strong
            if player != EASY and await worker.run(opponents.player_must_compile, self.ruleset.game, player):
                self._notify(waiting="compiling")
            arguments = (self.ruleset, self.start, self.moves(), player, shown["seat"], self.seed, self.project)
            is_watched = HUMAN not in self.players
            # A pause between agents' moves lets people see each move.
            answer, *_ = await asyncio.gather(
                worker.run(opponents.reply, *arguments),
                asyncio.sleep(0.4 if is_watched else 0),
                *([self._update_standing(turn)] if is_watched else []),
            )
            if turn != self._turn:
                return
            self.played.append((int(answer), shown["seat"]))
            self.later.clear()

    async def _update_standing(self, turn: int) -> None:
        """Evaluate the position."""
        # Before the first move, a number would look like a measurement of the rules, but it is only one search.
        if turn != self._turn or not (self.played or self.start):
            return
        line = self.moves()
        observer, standing = await self._ask_judge("standing", line)
        if turn == self._turn:
            self._notify(observer=observer, standing=standing, shares=self.shares | {line: standing.share})

    async def _complete_curve(self, turn: int) -> None:
        """Evaluate the earlier positions that are not evaluated yet, latest first."""
        line = self.moves()
        while line:
            if line not in self.shares:
                _, standing = await self._ask_judge("standing", line)
                if turn != self._turn:
                    return
                self.shares[line] = standing.share
            line = line[:-1]
        self._notify()

    def _notify(self, **changes: Any) -> None:
        """Set attributes and redraw the pages."""
        vars(self).update(changes)
        for listener in list(self.listeners):
            listener()
