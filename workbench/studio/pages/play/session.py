"""A game in play: who sits where, and the moves."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError, text_of
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.players.agent_kinds import KINDS
from workbench.rules.rulesets import Ruleset
from workbench.studio import game_tasks, opponents
from workbench.studio.opponents import BUDGETS, DEPTHS, EASY, LEVELS, Level, offered_agents
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth
    from workbench.rules.rulesets import Ruleset

HUMAN = "human"
GROUPS: Mapping[str, list[str]] = {
    tr("By plies"): [*offered_agents(), *offered_agents("depth", DEPTHS)],
    tr("By positions a move"): offered_agents("nodes", BUDGETS),
}
"""Agents of `workbench.players.agents` that may sit at a seat of any game, besides people."""
MOVES_JUDGED_AT_ONCE = 8
"""Moves that are judged before the page is told."""
MAX_NAME = 200
QUICK_PLAYERS = [kind.name for kind in KINDS.values() if kind.at_once]
"""Agents that answer at once without machine code."""


@dataclass
class GameSession:
    """A game in play, until its page is left for other rules."""

    ruleset: Ruleset
    project: Project
    workers: Workers
    programs: bool = False
    """Whether players from outside may be started."""
    players: list[str] = field(default_factory=lambda: [HUMAN, EASY])
    played: list[tuple[int, int]] = field(default_factory=list)
    """The moves, each with the seat that chose it."""
    later: list[tuple[int, int]] = field(default_factory=list)
    """Moves that were taken back, the next one last."""
    resigned: int | None = None
    start: str = ""
    """A position that was set up; "" for the start of the game."""
    trouble: str = ""
    """Why something could not be done."""
    levels: Sequence[Level] = LEVELS
    """The strengths that one chooses by a name."""
    more: list[tuple[str, list[str]]] | None = None
    """Who else may sit down, as `opponents.list_opponents` finds them; None before they were looked for."""
    typed: list[str] = field(default_factory=list)
    """Players that somebody has named."""
    judging: bool = False
    """Whether it is said what each move is worth, whenever it is a person's turn."""
    worths: list[Worth] = field(default_factory=list)
    """What moves are worth in the position, as far as that is known by now."""
    judge: str = ""
    """Who says so."""
    hinted: Worth | None = None
    """The move that was recommended."""
    standing: Standing | None = None
    """How the game stood when that was last looked at."""
    observer: str = ""
    """Who says so; "" for a look at the position alone."""
    waiting: str = ""
    """``thinking`` or ``compiling`` while an agent's move is awaited, or what moves are worth."""
    shown: dict[str, Any] = field(default_factory=dict)
    """The position, as `game_tasks.position_view` tells it."""
    listeners: list[Callable[[], None]] = field(default_factory=list)
    seed: int = field(default_factory=lambda: secrets.randbelow(2**32))
    left: Mapping[str, Any] | None = None
    """The game as an earlier studio left it, until it is taken up."""
    _turn: int = 0
    """Rises with everything that a person does, so that an answer to what was before is known."""

    @property
    def is_over(self) -> bool:
        """True if nothing more can be played."""
        return self.resigned is not None or bool(self.shown.get("over")) or len(self.played) >= game_tasks.MOST_PLIES

    def as_json(self) -> dict[str, Any] | None:
        """Plain data with which another studio can continue the game; None if nothing was done."""
        if not (self.played or self.later or self.start):
            return None
        return {
            "rules": self.ruleset.fingerprint,
            "start": self.start,
            "played": list(self.played),
            "later": list(self.later),
            "texts": list(self.shown.get("texts", [])),
            "resigned": self.resigned,
            "over": self.is_over,
            "seed": self.seed,
            "players": list(self.players),
        }

    async def resume(self) -> None:
        """Resume the game that an earlier studio left, if it has these rules and nothing was played yet."""
        if self.left is None:
            return
        await self.look_for_players()
        game = await self.workers.drawing.run(game_tasks.restore_game, self.ruleset, self.left)
        players = [await self._admit_player(player) for player in game["players"]] if game else []
        if game and self.left is not None and not self._turn:
            self.start, self.played, self.later = game["start"], game["played"], game["later"]
            self.resigned, self.seed, self.players = game["resigned"], game["seed"], players
        self.left = None

    async def _admit_player(self, player: str) -> str:
        """Return a player of an earlier studio, or a person where it may not play here."""
        with contextlib.suppress(WorkbenchError):
            return await self._canonical_player(player)
        return HUMAN

    async def begin(self) -> None:
        """Draw the position, and let an agent answer."""
        self._turn += 1
        self.trouble, self.worths, self.hinted = "", [], None
        turn = self._turn
        try:
            await self._go_on(turn)
            await self._look_at_standing(turn)
            if self.judging and turn == self._turn:
                await self._judge(turn)
        except WorkbenchError as error:
            if turn == self._turn:
                self.trouble, self.waiting = text_of(error), ""
                self._notify()

    async def look_for_players(self) -> None:
        """Find out who else may sit down."""
        if self.more is None:
            self.more = []
            arguments = self.ruleset, self.project, self.programs
            self.levels, self.more = await self.workers.quick.run(opponents.list_opponents, *arguments)
            self._notify()

    def groups(self) -> list[tuple[str, list[str]]]:
        """Return the players besides people, in groups with titles; the levels are the first."""
        levels = [level.player for level in self.levels]
        groups = [*GROUPS.items(), *(self.more or []), (tr("Named by you"), self.typed)]
        others = [(group, [player for player in players if player not in levels]) for group, players in groups]
        return [(tr("Levels"), levels), *((group, players) for group, players in others if players)]

    async def judge_moves(self, whether: bool) -> None:
        """Show what each move is worth from now on, or no more."""
        self.judging = whether
        if not whether:
            self.worths = []
            self._notify()
        elif not self.waiting:
            await self.begin()

    async def hint(self) -> None:
        """Recommend a move."""
        turn = self._turn
        if self.is_over or self.waiting not in ("", "judging"):
            return
        self.trouble = ""
        await self._prepare_judge()
        try:
            arguments = self.ruleset, self.start, self.moves(), self.project
            hinted = await self.workers.strong.run(game_tasks.best_move, *arguments)
        except WorkbenchError as error:
            self.trouble, hinted = text_of(error), None
        if turn == self._turn:
            self.hinted, self.waiting = hinted, ""
            self._notify()

    async def paint(self, done: dict[str, Any]) -> dict[str, Any]:
        """Return a painted position after one more thing was done to it."""
        return dict(await self._draw(game_tasks.paint_position, done))

    async def set_up(self, position: str) -> bool:
        """Set the start of the next `new` game, as a text; False if it cannot be set up."""
        try:
            await self.workers.drawing.run(game_tasks.position_view, self.ruleset, position.strip(), ())
        except WorkbenchError as error:
            self.trouble = text_of(error)
            self._notify()
            return False
        self.start = position.strip()
        return True

    async def play(self, move: int) -> None:
        """Play a person's move, if it is still legal."""
        mine = self.shown and self.players[self.shown["seat"]] == HUMAN
        if mine and not self.is_over and move in [one["move"] for one in self.shown["moves"]]:
            self.played.append((move, self.shown["seat"]))
            self.later.clear()
            await self.begin()

    async def undo(self) -> None:
        """Take back the moves up to the last one of a person, or a resignation alone."""
        resigned, self.resigned = self.resigned, None
        while self.played and resigned is None:
            self.later.append(self.played.pop())
            if self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def redo(self) -> None:
        """Play again what was taken back, up to a person's turn."""
        while self.later:
            self.played.append(self.later.pop())
            if not self.later or self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def go_back(self, plies: int) -> None:
        """Take back all moves after some plies, and go on from there."""
        if 0 <= plies < len(self.played):
            self.resigned = None
            self.later += reversed(self.played[plies:])
            del self.played[plies:]
            await self.begin()

    async def position_after(self, plies: int) -> dict[str, Any]:
        """Return the position after some of the moves, see `game_tasks.position_view`."""
        return dict(await self._draw(game_tasks.position_view, plies=plies))

    async def new(self) -> None:
        """Begin another game."""
        self.played, self.later, self.resigned = [], [], None
        self.seed = secrets.randbelow(2**32)
        await self.begin()

    async def resign(self) -> None:
        """Resign for the person whose turn it is."""
        if not self.is_over and self.shown and self.players[self.shown["seat"]] == HUMAN:
            self.resigned = self.shown["seat"]
            await self.begin()

    async def seat(self, place: int, player: str) -> None:
        """Seat a player: a person, one of the `groups`, or another one by its name."""
        if place not in (0, 1):
            return
        try:
            self.players[place] = await self._canonical_player(player)
        except WorkbenchError as error:
            self.trouble = text_of(error)
            self._notify()
            return
        await self.begin()

    async def _canonical_player(self, player: str) -> str:
        """Return the name of a player among the `groups`, to which it belongs from now on.

        Raises:
            WorkbenchError: there is no such player, or it cannot play by these rules.
        """
        if player not in {HUMAN, *(each for _, players in self.groups() for each in players)}:
            arguments = (self.ruleset, player[:MAX_NAME], self.project)
            player = await self.workers.strong.run(opponents.canonical_player, *arguments)
            self.typed = [*(each for each in self.typed if each != player), player]
        return player

    async def forbidding_rule(self, origin: tuple[int, int] | None, target: tuple[int, int], hand: str) -> str:
        """Return which rule forbids a move by the squares that were touched."""
        return str(await self._draw(game_tasks.why_not, origin, target, hand))

    async def replay_so_far(self, about: str, ending: str, language: str) -> dict[str, Any]:
        """Return the game so far, to be looked through."""
        return dict(await self._draw(game_tasks.render_replay, about, ending, language))

    async def record(self) -> str:
        """Return the game as players exchange it; it began at the start."""
        over = self.shown.get("over") or {"result": "unfinished", "termination": "unfinished"}
        if self.resigned is not None:
            over = {"result": ("second", "first")[self.resigned], "termination": "resignation"}
        names = (self.players[0], self.players[1])
        told = over["result"], over["termination"]
        return str(await self.workers.drawing.run(game_tasks.game_record, self.ruleset, self.moves(), *told, names))

    def moves(self) -> tuple[int, ...]:
        """Return the moves alone."""
        return tuple(move for move, _ in self.played)

    async def _draw(self, task: Callable[..., Any], *more: object, plies: int | None = None) -> Any:
        """Run a task of the drawing process on the game, up to some ply."""
        return await self.workers.drawing.run(task, self.ruleset, self.start, self.moves()[:plies], *more)

    async def _go_on(self, turn: int) -> None:
        """Show the position and play the agents' moves, until a person's turn or until something else was done."""
        while True:
            shown = await self._draw(game_tasks.position_view)
            if turn != self._turn:
                return
            self.shown = shown
            player = self.players[shown["seat"]]
            answers = not self.is_over and player != HUMAN
            self.waiting = "thinking" if answers else ""
            self._notify()
            if not answers:
                return
            outside = opponents.is_outside(player)
            worker = (
                self.workers.outside
                if outside
                else self.workers.quick
                if player in QUICK_PLAYERS
                else self.workers.strong
            )
            like = "greedy" if outside else player
            if player not in QUICK_PLAYERS and await worker.run(opponents.player_must_compile, self.ruleset.game, like):
                self.waiting = "compiling"
                self._notify()
            arguments = (self.ruleset, self.start, self.moves(), player, shown["seat"], self.seed, self.project)
            alone = HUMAN not in self.players
            # Two agents among themselves leave time to look at each move.
            answer, *_ = await asyncio.gather(
                worker.run(opponents.external_reply if outside else opponents.agent_reply, *arguments),
                asyncio.sleep(0.4 if alone else 0),
                *([self._look_at_standing(turn)] if alone else []),
            )
            if turn != self._turn:
                return
            self.played.append((int(answer), shown["seat"]))
            self.later.clear()

    async def _look_at_standing(self, turn: int) -> None:
        """Evaluate the position: by looking ahead, if no machine code has to be made for that."""
        if turn != self._turn or not self.shown:
            return
        arguments = self.ruleset, self.start, self.moves()
        must_compile = await self.workers.quick.run(game_tasks.judge_must_compile, self.ruleset.game)
        if must_compile or self.standing is None:
            # The process that looks ahead may have to be started yet.
            self._show_standing(turn, "", await self.workers.quick.run(game_tasks.standing_at_a_glance, *arguments))
        if not must_compile:
            self._show_standing(turn, *await self.workers.strong.run(game_tasks.standing, *arguments, self.project))

    def _show_standing(self, turn: int, observer: str, standing: Standing) -> None:
        if turn == self._turn:
            self.observer, self.standing = observer, standing
            self._notify()

    async def _judge(self, turn: int) -> None:
        """Evaluate the moves of the position, some after the others."""
        if self.is_over or not self.shown:
            return
        moves = [one["move"] for one in self.shown["moves"]]
        await self._prepare_judge()
        for place in range(0, len(moves), MOVES_JUDGED_AT_ONCE):
            arguments = (
                self.ruleset,
                self.start,
                self.moves(),
                tuple(moves[place : place + MOVES_JUDGED_AT_ONCE]),
                self.project,
            )
            judge, worths = await self.workers.strong.run(game_tasks.evaluate_moves, *arguments)
            if turn != self._turn or not self.judging:
                return
            self.judge, self.worths = judge, [*self.worths, *worths]
            self._notify()
        self.waiting = ""
        self._notify()

    async def _prepare_judge(self) -> None:
        compiling = await self.workers.strong.run(game_tasks.judge_must_compile, self.ruleset.game)
        self.waiting = "compiling" if compiling else "judging"
        self._notify()

    def _notify(self) -> None:
        for listener in list(self.listeners):
            listener()
