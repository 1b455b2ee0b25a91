"""A game in progress with its seats and moves."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError, error_text
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.players.agent_kinds import KINDS
from workbench.rules.rulesets import Ruleset
from workbench.studio import game_tasks, opponents
from workbench.studio.opponents import BUDGETS, DEPTHS, EASY, LEVELS, Level, offered_agents
from workbench.studio.visitor import View
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth

HUMAN = "human"
GROUPS: Mapping[str, list[str]] = {
    tr("By plies"): [*offered_agents(), *offered_agents("depth", DEPTHS)],
    tr("By positions per move"): offered_agents("nodes", BUDGETS),
}
"""Agents for any game."""
EVALUATED_AT_ONCE = 8
"""The number of moves evaluated between updates of the page."""
MAX_NAME = 200
QUICK_PLAYERS = [kind.name for kind in KINDS.values() if kind.is_fast]
"""Agents that answer immediately without machine code."""


@dataclass
class GameSession:
    """A game in progress, which ends when the rules of its page change."""

    ruleset: Ruleset
    project: Project
    workers: Workers
    programs: bool = False
    """True if external players may be started."""
    players: list[str] = field(default_factory=lambda: [HUMAN, EASY])
    played: list[tuple[int, int]] = field(default_factory=list)
    """(move, seat that chose it)."""
    later: list[tuple[int, int]] = field(default_factory=list)
    """Undone moves in reverse order."""
    resigned: int | None = None
    start: str = ""
    """The initial position; "" is the ruleset's."""
    trouble: str = ""
    """The reason why the last action failed."""
    levels: Sequence[Level] = LEVELS
    more: list[tuple[str, list[str]]] | None = None
    """Further groups of players from `opponents.list_opponents`; None before the call."""
    typed: list[str] = field(default_factory=list)
    """Players typed by a user."""
    judging: bool = False
    """True if moves are evaluated at each person's turn."""
    worths: list[Worth] = field(default_factory=list)
    """The evaluations of moves in the position so far."""
    judge: str = ""
    """The name of the judge of moves."""
    hinted: Worth | None = None
    standing: Standing | None = None
    """The latest evaluation of the game."""
    observer: str = ""
    """The name of the judge of ``standing``; "" if the evaluation is static."""
    waiting: str = ""
    """``thinking``, ``compiling`` or ``judging`` while a move or an evaluation is computed."""
    shown: View = field(default_factory=dict)
    """The current `game_tasks.position_view`."""
    listeners: list[Callable[[], None]] = field(default_factory=list)
    seed: int = field(default_factory=lambda: secrets.randbelow(2**32))
    left: Mapping[str, Any] | None = None
    """The game from an earlier studio until it is resumed."""
    _turn: int = 0
    """A counter of people's actions by which outdated answers are detected."""

    @property
    def is_over(self) -> bool:
        """True after the end of the game."""
        return self.resigned is not None or bool(self.shown.get("over")) or len(self.played) >= game_tasks.MOST_PLIES

    @property
    def _is_my_turn(self) -> bool:
        return bool(self.shown) and not self.is_over and self.players[self.shown["seat"]] == HUMAN

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data to continue the game in another studio, or None if nothing has happened."""
        if not (self.played or self.later or self.start):
            return None
        return {
            "rules": self.ruleset.fingerprint, "start": self.start,
            "played": list(self.played), "later": list(self.later), "texts": list(self.shown.get("texts", [])),
            "resigned": self.resigned, "over": self.is_over, "seed": self.seed, "players": list(self.players),
        }  # fmt: skip

    async def resume(self) -> None:
        """Resume the game from an earlier studio if it has these rules and nothing has happened yet."""
        if self.left is None:
            return
        await self.find_players()
        game = await self.workers.drawing.run(game_tasks.restore_game, self.ruleset, self.left)
        players = []
        for player in game["players"] if game else []:
            players.append(HUMAN)
            with contextlib.suppress(WorkbenchError):
                players[-1] = await self._canonical_player(player)
        if game and self.left is not None and not self._turn:
            self.start, self.played, self.later = game["start"], game["played"], game["later"]
            self.resigned, self.seed, self.players = game["resigned"], game["seed"], players
        self.left = None

    async def begin(self) -> None:
        """Draw the position and let agents answer."""
        self._turn += 1
        self.trouble, self.worths, self.hinted = "", [], None
        turn = self._turn
        try:
            await self._play_agents(turn)
            await self._update_standing(turn)
            if self.judging and turn == self._turn:
                await self._evaluate_moves(turn)
        except WorkbenchError as error:
            if turn == self._turn:
                self._notify(trouble=error_text(error), waiting="")

    async def find_players(self) -> None:
        """Find the levels and further players."""
        if self.more is None:
            self.more = []
            arguments = self.ruleset, self.project, self.programs
            levels, more = await self.workers.quick.run(opponents.list_opponents, *arguments)
            self._notify(levels=levels, more=more)

    def groups(self) -> list[tuple[str, list[str]]]:
        """Return the computer players in titled groups, levels first."""
        levels = [level.player for level in self.levels]
        groups = [*GROUPS.items(), *(self.more or []), (tr("Entered by you"), self.typed)]
        further = [(title, [player for player in players if player not in levels]) for title, players in groups]
        return [(tr("Levels"), levels), *((title, players) for title, players in further if players)]

    async def judge_moves(self, judging: bool) -> None:
        """Start or end the evaluation of moves."""
        self.judging = judging
        if not judging:
            self._notify(worths=[])
        elif not self.waiting:
            await self.begin()

    async def hint(self) -> None:
        """Recommend a move."""
        turn = self._turn
        if self.is_over or self.waiting not in ("", "judging"):
            return
        self.trouble, hinted = "", None
        await self._prepare_judge()
        try:
            _, hinted = await self._ask_judge("best")
        except WorkbenchError as error:
            self.trouble = error_text(error)
        if turn == self._turn:
            self._notify(hinted=hinted, waiting="")

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
        self.played, self.later, self.resigned = [], [], None
        self.seed = secrets.randbelow(2**32)
        await self.begin()

    async def resign(self) -> None:
        """Resign for the person to move."""
        if self._is_my_turn:
            self.resigned = self.shown["seat"]
            await self.begin()

    async def seat(self, place: int, player: str) -> None:
        """Seat a person, a player in `groups`, or another player by name."""
        if place not in (0, 1):
            return
        try:
            self.players[place] = await self._canonical_player(player)
        except WorkbenchError as error:
            self._notify(trouble=error_text(error))
            return
        await self.begin()

    async def _canonical_player(self, player: str) -> str:
        """Return a player's label; an unknown player is added to the `groups`. Raises `WorkbenchError`."""
        if player not in {HUMAN, *(name for _, players in self.groups() for name in players)}:
            arguments = (self.ruleset, player[:MAX_NAME], self.project)
            player = await self.workers.strong.run(opponents.canonical_player, *arguments)
            self.typed = [*(name for name in self.typed if name != player), player]
        return player

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

    async def _ask_judge(self, method: str, *arguments: object) -> tuple[str, Any]:
        game = self.ruleset, self.start, self.moves(), self.project
        answer: tuple[str, Any] = await self.workers.strong.run(game_tasks.judge, *game, method, *arguments)
        return answer

    async def _play_agents(self, turn: int) -> None:
        """Show the position and play the agents' moves until a person's turn or action."""
        while True:
            shown = await self.draw(game_tasks.position_view)
            if turn != self._turn:
                return
            self.shown = shown
            player = self.players[shown["seat"]]
            answers = not self.is_over and player != HUMAN
            self._notify(waiting="thinking" if answers else "")
            if not answers:
                return
            external, quick = opponents.is_external(player), player in QUICK_PLAYERS
            worker = self.workers.outside if external else self.workers.quick if quick else self.workers.strong
            agent = EASY if external else player
            if not quick and await worker.run(opponents.player_must_compile, self.ruleset.game, agent):
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
        """Evaluate the position by a search, or statically if the search needs compilation."""
        if turn != self._turn or not self.shown:
            return
        must_compile = await self.workers.quick.run(game_tasks.judge_must_compile, self.ruleset.game)
        # The search process may need time to start.
        if must_compile or self.standing is None:
            game = self.ruleset, self.start, self.moves()
            standing = await self.workers.quick.run(game_tasks.static_standing, *game)
            if turn == self._turn:
                self._notify(observer="", standing=standing)
        if not must_compile:
            observer, standing = await self._ask_judge("standing")
            if turn == self._turn:
                self._notify(observer=observer, standing=standing)

    async def _evaluate_moves(self, turn: int) -> None:
        if self.is_over or not self.shown:
            return
        moves = tuple(touch["move"] for touch in self.shown["moves"])
        await self._prepare_judge()
        for start in range(0, len(moves), EVALUATED_AT_ONCE):
            judge, worths = await self._ask_judge("worths", moves[start : start + EVALUATED_AT_ONCE])
            if turn != self._turn or not self.judging:
                return
            self._notify(judge=judge, worths=[*self.worths, *worths])
        self._notify(waiting="")

    async def _prepare_judge(self) -> None:
        compiling = await self.workers.strong.run(game_tasks.judge_must_compile, self.ruleset.game)
        self._notify(waiting="compiling" if compiling else "judging")

    def _notify(self, **changes: Any) -> None:
        """Set attributes and redraw the pages."""
        vars(self).update(changes)
        for listener in list(self.listeners):
            listener()
