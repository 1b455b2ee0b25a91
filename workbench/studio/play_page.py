"""Games in play, and the page that shows them, as plain data in one language: ``parts/play.js`` draws it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.base.errors import InputError, WorkbenchError, text_of
from workbench.base.language import COMMA, from_catalogue, join, join_list, sentences, tr, trc, untranslated
from workbench.base.project import Project
from workbench.players.agent_kinds import KINDS
from workbench.rules.edits import RulesetReading
from workbench.rules.rulesets import Ruleset, load_ruleset
from workbench.studio import frame, game_tasks, opponents, rules_view
from workbench.studio.drafts import Desk, Draft, Kind
from workbench.studio.opponents import BUDGETS, DEPTHS, EASY, LEVELS, Level, offered_agents
from workbench.studio.report_pages import BOARD
from workbench.studio.rules_view import rule_book_view
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth
    from workbench.rules.rulesets import Ruleset
    from workbench.studio.game_tasks import Step


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
class Table:
    """A game, until its page is left for other rules."""

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
        """Whether nothing more can be played."""
        return self.resigned is not None or bool(self.shown.get("over")) or len(self.played) >= game_tasks.MOST_PLIES

    def as_json(self) -> dict[str, Any] | None:
        """Plain data of which another studio can go on with the game; None if nothing was done."""
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
        """Takes up the game that an earlier studio left, if it is one by these rules and nothing was played yet."""
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
        """A player of an earlier studio; a person where it may not play here."""
        with contextlib.suppress(WorkbenchError):
            return await self._canonical_player(player)
        return HUMAN

    async def begin(self) -> None:
        """Draws the position, and lets an agent answer."""
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
        """Finds out who else may sit down."""
        if self.more is None:
            self.more = []
            arguments = self.ruleset, self.project, self.programs
            self.levels, self.more = await self.workers.quick.run(opponents.list_opponents, *arguments)
            self._notify()

    def groups(self) -> list[tuple[str, list[str]]]:
        """Who may sit down besides people, in groups with titles; the levels are the first."""
        levels = [level.player for level in self.levels]
        groups = [*GROUPS.items(), *(self.more or []), (tr("Named by you"), self.typed)]
        others = [(group, [player for player in players if player not in levels]) for group, players in groups]
        return [(tr("Levels"), levels), *((group, players) for group, players in others if players)]

    async def judge_moves(self, whether: bool) -> None:
        """Says what each move is worth from now on, or no more."""
        self.judging = whether
        if not whether:
            self.worths = []
            self._notify()
        elif not self.waiting:
            await self.begin()

    async def hint(self) -> None:
        """Recommends a move."""
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
        """A painted position after one more thing was done to it."""
        arguments = (self.ruleset, self.start, self.moves(), done)
        painted: dict[str, Any] = await self.workers.drawing.run(game_tasks.paint_position, *arguments)
        return painted

    async def set_up(self, position: str) -> bool:
        """Takes a position, or the start if none is given, for the next `new` game; False if it cannot be set up."""
        try:
            await self.workers.drawing.run(game_tasks.position_view, self.ruleset, position.strip(), ())
        except WorkbenchError as error:
            self.trouble = text_of(error)
            self._notify()
            return False
        self.start = position.strip()
        return True

    async def play(self, move: int) -> None:
        """Plays a person's move; one that is not legal any more is left out."""
        mine = self.shown and self.players[self.shown["seat"]] == HUMAN
        if mine and not self.is_over and move in [one["move"] for one in self.shown["moves"]]:
            self.played.append((move, self.shown["seat"]))
            self.later.clear()
            await self.begin()

    async def undo(self) -> None:
        """Takes back up to the last move of a person; a resignation alone, where the game ended by it."""
        resigned, self.resigned = self.resigned, None
        while self.played and resigned is None:
            self.later.append(self.played.pop())
            if self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def redo(self) -> None:
        """Plays again what was taken back, up to a person's turn."""
        while self.later:
            self.played.append(self.later.pop())
            if not self.later or self.players[self.later[-1][1]] == HUMAN:
                break
        await self.begin()

    async def go_back(self, plies: int) -> None:
        """Takes back all moves after the first ones, and goes on from there."""
        if 0 <= plies < len(self.played):
            self.resigned = None
            self.later += reversed(self.played[plies:])
            del self.played[plies:]
            await self.begin()

    async def position_after(self, plies: int) -> dict[str, Any]:
        """The position after some of the moves, as `game_tasks.position_view` tells it."""
        arguments = self.ruleset, self.start, self.moves()[:plies]
        return dict(await self.workers.drawing.run(game_tasks.position_view, *arguments))

    async def new(self) -> None:
        """Begins another game."""
        self.played, self.later, self.resigned = [], [], None
        self.seed = secrets.randbelow(2**32)
        await self.begin()

    async def resign(self) -> None:
        """Gives the game up for the person whose turn it is."""
        if not self.is_over and self.shown and self.players[self.shown["seat"]] == HUMAN:
            self.resigned = self.shown["seat"]
            await self.begin()

    async def seat(self, place: int, player: str) -> None:
        """Sits a player down: a person, one of the `groups`, or another one that somebody names."""
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
        """A player as the table calls it, which is one of the `groups` from now on.

        Raises:
            WorkbenchError: there is no such player, or it cannot play by these rules.
        """
        if player not in {HUMAN, *(each for _, players in self.groups() for each in players)}:
            arguments = (self.ruleset, player[:MAX_NAME], self.project)
            player = await self.workers.strong.run(opponents.canonical_player, *arguments)
            self.typed = [*(each for each in self.typed if each != player), player]
        return player

    async def forbidding_rule(self, origin: tuple[int, int] | None, target: tuple[int, int], hand: str) -> str:
        """Which rule forbids what was touched."""
        touched = origin, target, hand
        why: str = await self.workers.drawing.run(game_tasks.why_not, self.ruleset, self.start, self.moves(), *touched)
        return why

    async def replay_so_far(self, about: str, ending: str, language: str) -> dict[str, Any]:
        """The game so far, to be looked through."""
        run = self.workers.drawing.run
        return dict(
            await run(game_tasks.render_replay, self.ruleset, self.start, self.moves(), about, ending, language)
        )

    async def record(self) -> str:
        """The game, which began at the start, as players exchange it."""
        over = self.shown.get("over") or {"result": "unfinished", "termination": "unfinished"}
        if self.resigned is not None:
            over = {"result": ("second", "first")[self.resigned], "termination": "resignation"}
        names = (self.players[0], self.players[1])
        told = over["result"], over["termination"]
        return str(await self.workers.drawing.run(game_tasks.game_record, self.ruleset, self.moves(), *told, names))

    def moves(self) -> tuple[int, ...]:
        """The moves alone."""
        return tuple(move for move, _ in self.played)

    async def _go_on(self, turn: int) -> None:
        """Shows the position, and plays the agents' moves, until a person's turn or until something else was done."""
        while True:
            shown = await self.workers.drawing.run(game_tasks.position_view, self.ruleset, self.start, self.moves())
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
                worker.run(opponents.outsider_reply if outside else opponents.agent_reply, *arguments),
                asyncio.sleep(0.4 if alone else 0),
                *([self._look_at_standing(turn)] if alone else []),
            )
            if turn != self._turn:
                return
            self.played.append((int(answer), shown["seat"]))
            self.later.clear()

    async def _look_at_standing(self, turn: int) -> None:
        """Finds out how the game stands: by looking ahead, if no machine code has to be made for that."""
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
        """Finds out what the moves of the position are worth, some after the others."""
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


View = dict[str, Any]
_SET_UP = {
    "fen": tr("The position as FEN, or as YAML in braces; empty: the start"),
    "board": tr("The rows of the position, or YAML in braces; empty: the start"),
    "yaml": tr("The position as YAML in braces, which painting it on the board writes here; empty: the start"),
}
"""How a position is typed, by what the family's notation calls one; what has no name of its own is YAML."""
_LOSS_GRADES = (0.02, 0.05, 0.1, 0.2)
"""The grades of estimates: how much of a point a move gives away, against the best, at most."""
_COLOURS = {"○": tr("White"), "●": tr("Black")}
"""What a colour is called where the name of a seat does not say it, by the piece of the seat."""
_DARK = "●★♚"


def changes_view(reading: RulesetReading, project: Project, visitor: Visitor) -> View:
    """The rules in force: their title, what is changed from their base, and the rule book."""
    assert reading.ruleset is not None
    parents = [tr("“{title}”", title=_title(load_ruleset(name, project))) for name, _ in reading.file.parents]
    base = join_list(parents) if parents else tr("the defaults of {name}", name=reading.family.title)
    book = list(rule_book_view(reading, visitor))
    changes = [sentence for sentence in book if sentence["was"]]
    against = tr("Changed from {base}:") if changes else tr("Nothing is changed from {base}.")
    return {
        "title": visitor.translate(_title(reading.ruleset)),
        "against": visitor.translate(against.format(base=base)),
        "changes": changes,
        "book": book,
    }


def _title(ruleset: Ruleset) -> str:
    return ruleset.heading if ruleset.title or ruleset.title_ja else untranslated(ruleset.name)


def table_view(table: Table, visitor: Visitor, looked_at: tuple[int, View] | None) -> View:
    """All that changes while a game is played; ``looked_at`` is an earlier position, and after how many moves it is."""
    tell, shown = visitor.translate, table.shown
    sides = _sides(table, visitor)
    seats = sides[::-1] if shown.get("swapped") else sides
    position = looked_at[1] if looked_at else shown
    check = position.get("check", "")
    family = games.declaration(table.ruleset.game)
    said = {str(check), *(str(tr("{seat} to move", seat=seat)) for seat in family.seats)}
    result = _result(table, seats)
    mine = bool(shown) and not table.is_over and table.players[shown["seat"]] == HUMAN
    turn = tr("{seat} to move", seat=seats[shown["seat"]]["name"]) if shown and not result else ""
    titles = {level.player: tell(level.name) for level in table.levels}
    view: View = {
        "players": table.players,
        "seats": seats,
        "sides": [tell(seat) for seat in family.seats],
        "you": _you(table, visitor, seats),
        "turn": tell(turn),
        "to_move": shown["seat"] if turn else None,
        "check": tell(check),
        "result": {key: tell(text) for key, text in result.items()} if result else None,
        "spoken": tell(_spoken(table, seats, turn, check, result)),
        "looking": _looking(looked_at, visitor),
        "standing": _standing(table, visitor, sides),
        "waiting": table.waiting,
        "human": {"name": HUMAN, "title": tell(tr("A person"))},
        "opponents": [
            {
                "title": tell(title),
                "players": [
                    {"name": player, "title": titles.get(player) or tell(opponents.called(player, table.levels))}
                    for player in players
                ],
            }
            for title, players in table.groups()
        ],
        "levels": [
            {"player": level.player, "title": titles[level.player], "sentence": tell(opponents.sentence(level))}
            for level in table.levels
        ],
        "reads": [tell(_strength(table, player)) for player in table.players],
        "judging": table.judging,
        "judge": _judge(table, visitor),
        "worths": [_worth(table, worth, visitor) for worth in _best_first(table)],
        "grades": _grades(table, visitor),
        "hint": _worth(table, table.hinted, visitor) if table.hinted else None,
        "start": table.start,
        "trouble": tell(table.trouble),
        "undo": bool(table.played) or table.resigned is not None,
        "redo": bool(table.later),
        "mine": mine and not looked_at,
        "in_play": bool(table.played) and not table.is_over,
        "texts": shown.get("texts", []),
        "steps": [tell(_step(step)) for step in shown.get("steps", [])],
        "notes": [tell(note) for note in position.get("notes", []) if str(note) not in said],
    }
    view["position"] = tell(_SET_UP.get(position.get("key", ""), _SET_UP["yaml"]))
    view["names"] = position.get("names", [])
    view["cells"] = [[tell(piece) for piece in row] for row in position.get("cells", [])]
    view["hands"] = [(hand, sign, tell(piece)) for hand, sign, piece in position.get("hands", [])]
    view["moves"] = [] if looked_at else shown.get("moves", [])
    view |= {"picture": position.get("picture", ""), "size": position.get("size", (1, 1, 10, 7))}
    view["grid"] = position.get("grid", {})
    return view


def _sides(table: Table, visitor: Visitor) -> list[View]:
    """The sides: what they are called, with their colour where that is another word, and a piece to know them by."""
    signs = table.shown.get("signs", [("", ""), ("", "")])
    dark = [sign in _DARK if sign else place == 1 for place, (sign, _) in enumerate(signs)]
    if dark[0] == dark[1]:
        dark = [False, True]
    sides = []
    for place, (name, (sign, picture)) in enumerate(
        zip(games.declaration(table.ruleset.game).seats, signs, strict=True)
    ):
        seat, colour = visitor.translate(name), visitor.translate(_COLOURS.get(sign, from_catalogue(str(name))))
        named = colour in (seat, str(name)) or (sign and sign in seat)
        both = seat if named else visitor.translate(tr("{seat} ({colour})", seat=seat, colour=colour))
        sides.append({"name": both, "sign": picture, "dark": dark[place]})
    return sides


def _you(table: Table, visitor: Visitor, seats: Sequence[View]) -> View:
    """Who the reader is: a sentence in two parts, the piece and name of a seat between them."""
    people = [place for place in (0, 1) if table.players[place] == HUMAN]
    if len(people) != 1:
        before = tr("Two players of the workbench play each other here.")
        if people:
            before = tr("People play both sides here.")
        return {"before": visitor.translate(before), "seat": None, "after": ""}
    before, _, after = visitor.translate(tr("You play {seat}.", seat="\n")).partition("\n")
    return {"before": before, "seat": people[0], "after": after}


def _result(table: Table, seats: Sequence[View]) -> dict[str, str] | None:
    """How the game ended, and why; the name of the ending is as records have it."""
    if table.resigned is not None:
        loser, winner = seats[table.resigned]["name"], seats[1 - table.resigned]["name"]
        return {
            "text": tr("{loser} resigns: {winner} wins.", loser=loser, winner=winner),
            "why": "",
            "name": "resignation",
        }
    if over := table.shown.get("over"):
        return {"text": over["told"], "why": over["why"], "name": over["termination"]}
    if table.is_over:
        return {"text": tr("Stopped after {plies} plies.", plies=len(table.played)), "why": "", "name": "cap"}
    return None


def _spoken(table: Table, seats: Sequence[View], turn: str, check: str, result: dict[str, str] | None) -> str:
    """What somebody hears who does not see the board: the last move, whose turn it is or how it ended, and check."""
    back = tr("Taken back so far: {n}.", n=len(table.later)) if table.later else ""
    last = ""
    if table.played and table.shown.get("texts"):
        made = [(seat, text) for (_, seat), text in zip(table.played, table.shown["texts"], strict=False)]
        mover = made[-1][0]
        turn_moves = [text for _, text in itertools.takewhile(lambda move: move[0] == mover, reversed(made))]
        last = tr("{seat}: {move}.", seat=seats[mover]["name"], move=join(COMMA, turn_moves[::-1]))
    if result and result["why"]:
        return sentences([back, last, tr("{told}. {why}", told=result["text"], why=result["why"])])
    return sentences([back, last, *([result["text"]] if result else [turn, check])])


def _looking(looked_at: tuple[int, View] | None, visitor: Visitor) -> View | None:
    if looked_at is None:
        return None
    plies, position = looked_at
    text = tr("The position at the start")
    if plies:
        text = tr("The position after move {n}, {text}", n=plies, text=position["texts"][-1])
    return {"plies": plies, "text": visitor.translate(text)}


def _standing(table: Table, visitor: Visitor, sides: Sequence[View]) -> View | None:
    """How the game stands, as a share of the points for the first side and in words."""
    # Before a move is made a number would look like a measurement of the rules, which one search is not.
    if table.standing is None or not (table.played or table.start or table.standing.exact):
        return None
    share = table.standing.share
    percent, seat = round(100 * max(share, 1 - share)), sides[share < 0.5]["name"]
    if table.standing.exact:
        text = tr("A draw with best play") if percent == 50 else tr("{seat} wins with best play", seat=seat)
    elif percent == 50:
        text = tr("Even: each side can expect half of the points")
    else:
        text = tr("{seat} can expect {percent}% of the points", seat=seat, percent=percent)
    observer = (
        tr("by one search of {player}", player=opponents.called(table.observer, table.levels))
        if table.observer
        else tr("at a glance, without looking ahead")
    )
    dark = [side["dark"] for side in sides]
    return {"share": share, "dark": dark, "text": visitor.translate(text), "by": visitor.translate(observer)}


def _step(step: Step) -> str:
    """A move in words: what is placed where, or what moves from where to where; "" of one without squares."""
    if not step.target:
        return ""
    if not step.origin:
        return tr("{piece} placed on {target}", piece=step.piece, target=step.target)
    return tr("{piece} from {origin} to {target}", **step._asdict())


def _strength(table: Table, player: str) -> str:
    """How strong a player at the table is, in a sentence."""
    if player == HUMAN:
        return ""
    level = next((level for level in table.levels if level.player == player), None)
    return opponents.sentence(level) if level else opponents.reading(player, table.ruleset.game)


def _best_first(table: Table) -> list[Worth]:
    from workbench.players.judgement import best_first

    return best_first(table.worths)


def _judge(table: Table, visitor: Visitor) -> str:
    if not table.worths:
        return ""
    if all(worth.exact for worth in table.worths):
        return visitor.translate(tr("Known exactly: these rules are solved."))
    return visitor.translate(
        tr(
            "As {player} sees it: the share of points that the mover can expect, 50% being even.",
            player=opponents.called(table.judge, table.levels),
        )
    )


_EXACT = {0.0: tr("loses in {plies}"), 0.5: trc("words", "draws"), 1.0: tr("wins in {plies}")}
"""What is said of a move of a known score."""


def _worth(table: Table, worth: Worth, visitor: Visitor) -> View:
    if worth.exact:
        told = whole = _EXACT[worth.score].format(plies=worth.plies)
    else:
        percent = f"{100 * worth.score:.0f}"
        told, whole = f"{percent}%", tr("the mover can expect {percent}% of the points", percent=percent)
    best = max((one.score for one in table.worths), default=worth.score)
    grade = 4 * worth.score if worth.exact else sum(best - worth.score <= lost for lost in _LOSS_GRADES)
    said = {"told": visitor.translate(told), "whole": visitor.translate(whole)}
    return {"move": worth.move, "text": worth.text, "grade": int(grade), **said}


def _grades(table: Table, visitor: Visitor) -> list[View]:
    """What the colours of the moves say, the best first."""
    if table.worths and all(worth.exact for worth in table.worths):
        told = {4: trc("words", "wins"), 2: trc("words", "draws"), 0: trc("words", "loses")}
    else:
        lost = [f"{100 * grade:.0f}" for grade in _LOSS_GRADES]
        worse = [tr("up to {percent} points worse", percent=percent) for percent in lost[1:]]
        best = tr("as good as the best, within {percent} points", percent=lost[0])
        told = dict(zip((4, 3, 2, 1, 0), [best, *worse, tr("worse still")], strict=True))
    return [{"grade": grade, "text": visitor.translate(text)} for grade, text in told.items()]


FORMATS = {"chess": "pgn", "draughts": "pdn"}
"""How games of a family are exchanged; other families have no such format."""


class PlayPanel(Element, component="parts/play.js", esm=frame.SHARED):
    """A board to play on, and who plays."""


class PlayPages:
    """The games of a studio: one for each ruleset and draft, which lasts until its rules change."""

    def __init__(self, desk: Desk, workers: Workers, programs: bool) -> None:
        self.desk = desk
        self.workers = workers
        self.programs = programs
        """Whether players from outside may be started."""
        self._tables: dict[tuple[str, str], Table] = {}

    async def page(self, request: Request, kind: str, name: str) -> None:
        """A game by the rules of a ruleset's page."""
        visitor = Visitor.from_request(request)
        game = name.partition("/")[0]
        area = "edit" if kind == "file" else "rules"
        back = f"/{area}/{quote(name)}"
        try:
            if kind not in get_args(Kind):
                raise InputError([])
            draft = self.desk.draft(name, kind)  # type: ignore[arg-type]
            reading = draft.read()
        except InputError as error:
            frame.missing_page(visitor, name, error, self.desk.family_rulesets(game))
            return
        here = f"/play/{kind}/{quote(name)}"
        title = visitor.translate(tr("A game of {name}", name=self.desk.title(draft)))
        frame.begin_page(visitor, "play", here, game, title=title, play=here)
        if reading.ruleset is None:
            wrong = [rules_view.ruleset_problem_view(each, visitor, reading.family) for each in reading.problems]
            told = [each["message"] for each in wrong]
            frame.note_page(visitor, frame.NOT_PLAYABLE, told)
            return
        table = self._tables.get((kind, name))
        if table is None or table.ruleset.fingerprint != reading.ruleset.fingerprint:
            table = self._tables[kind, name] = self._table(kind, name, reading.ruleset)
        panel = PlayPanel()
        panel.props["name"] = draft.base
        panel.props["rules"] = changes_view(reading, self.desk.project, visitor)
        panel.props["back"] = back
        panel.props["format"] = FORMATS.get(game, "")
        panel.props["painted"] = None
        panel.props["look"] = None
        panel.props["script"] = BOARD
        _PlayPage(table, panel, visitor, draft.base)

    def hand_on(self, draft: Draft, name: str) -> None:
        """Lets the ruleset as which a draft was saved have the draft's game; new rules do not keep it beside."""
        unsaved = self.desk.unsaved
        if (draft.kind, draft.page) == ("file", name):
            return
        if game := unsaved.load("games", f"{draft.kind} {draft.page}"):
            self._tables.pop(("file", name), None)
            unsaved.store("games", f"file {name}", game | {"name": f"file {name}"})
        if draft.kind == "new":
            self._tables.pop((draft.kind, draft.page), None)
            unsaved.store("games", f"{draft.kind} {draft.page}", None)

    def _table(self, kind: str, name: str, ruleset: Ruleset) -> Table:
        """A table for a page, which goes on with the game that an earlier studio left there."""
        key, unsaved = f"{kind} {name}", self.desk.unsaved
        table = Table(ruleset, self.desk.project, self.workers, self.programs, left=unsaved.load("games", key) or None)

        def keep() -> None:
            if table.left is None and self._tables.get((kind, name)) is table:
                unsaved.store("games", key, table.as_json())

        table.listeners.append(keep)
        return table


class _PlayPage:
    """One page at a table."""

    def __init__(self, table: Table, panel: PlayPanel, visitor: Visitor, name: str) -> None:
        self.table, self.panel, self.visitor, self.name = table, panel, visitor, name
        self.painting = asyncio.Lock()
        self.looked_at: tuple[int, View] | None = None
        """An earlier position that the page shows, and after how many moves it is."""
        table.listeners.append(self.show)
        panel.client.on_delete(lambda: table.listeners.remove(self.show))
        panel.on("play", lambda given: table.play(int(given.args)))
        panel.on("undo", lambda _: table.undo())
        panel.on("redo", lambda _: table.redo())
        panel.on("fresh", lambda _: table.new())
        panel.on("resign", lambda _: table.resign())
        panel.on("seat", lambda given: table.seat(int(given.args["place"]), str(given.args["player"])))
        panel.on("setup", self.set_up)
        panel.on("judge", lambda given: table.judge_moves(bool(given.args)))
        panel.on("hint", lambda _: table.hint())
        panel.on("paint", self.paint)
        panel.on("attempt", self.attempt)
        panel.on("record", self.record)
        panel.on("look", self.look)
        panel.on("visit", self.look_at)
        panel.on("continue", self.go_back)
        self.show()
        ui.timer(0, self.begin, once=True)

    async def begin(self) -> None:
        """Draws the first position, and looks who else may sit down."""
        await self.table.resume()
        if not self.table.waiting:
            await self.table.begin()
        await self.table.look_for_players()

    def show(self) -> None:
        """Draws the page anew."""
        moves = self.table.shown.get("texts", [])
        if self.looked_at and self.looked_at[1]["texts"] != moves[: self.looked_at[0]]:
            self.looked_at = None
        self.panel.props["state"] = table_view(self.table, self.visitor, self.looked_at)
        self.panel.update()

    async def look_at(self, given: GenericEventArguments) -> None:
        """Shows an earlier position, or the game again."""
        plies = int(given.args)
        earlier = 0 <= plies < len(self.table.played)
        self.looked_at = (plies, await self.table.position_after(plies)) if earlier else None
        self.show()

    async def go_back(self) -> None:
        """Goes on from the position that is looked at."""
        if self.looked_at:
            plies, self.looked_at = self.looked_at[0], None
            await self.table.go_back(plies)

    async def set_up(self, given: GenericEventArguments) -> None:
        """Begins from a position, or says why not."""
        async with self.painting:
            begun = await self.table.set_up(str(given.args))
            if begun:
                self.panel.props["painted"] = None
        if begun:
            await self.table.new()

    async def paint(self, given: GenericEventArguments) -> None:
        """Draws a painted position anew."""
        # One after the other, each on what the one before has made: somebody may paint faster than the server draws.
        async with self.painting:
            before, done = self.panel.props["painted"], dict(given.args)
            if done.get("end"):
                painted = None
            else:
                if before:
                    done |= {"cells": before["cells"], "was": before["side"]}
                painted = await self.table.paint(done)
                painted["problem"] = self.visitor.translate(painted["problem"])
                for piece in painted["palette"]:
                    piece["title"] = self.visitor.translate(piece["title"])
            self.panel.props["painted"] = painted
        self.panel.update()

    async def attempt(self, given: GenericEventArguments) -> None:
        """Says which rule forbids what was touched."""
        origin, target = given.args["origin"], given.args["target"]
        why = await self.table.forbidding_rule(
            tuple(origin) if origin else None, tuple(target), str(given.args["hand"] or "")
        )
        self.panel.props["told"] = {"why": self.visitor.translate(why), "count": given.args["count"]}
        self.panel.update()

    async def look(self) -> None:
        """Shows the game so far on the board of replays."""
        players = join(" – ", map(self._player_name, self.table.players))
        about = tr("A game of {name}", name=self.name)
        told = tr("{about}: {players}.", about=about, players=players)
        over = self.table.shown.get("over")
        ending = tr("{told}. {why}", told=over["told"], why=over["why"]) if over else ""
        shown = await self.table.replay_so_far(told, ending, self.visitor.language)
        self.panel.props["look"] = shown | {"count": (self.panel.props.get("look") or {"count": 0})["count"] + 1}
        self.panel.update()

    def _player_name(self, player: str) -> str:
        return tr("A person") if player == HUMAN else opponents.called(player, self.table.levels)

    async def record(self, given: GenericEventArguments) -> None:
        """Hands the game over as a file."""
        kind = str(given.args)
        own = self.name.rpartition("/")[2]
        if kind in FORMATS.values():
            ui.download.content(await self.table.record(), f"{own}.{kind}")
        else:
            ui.download.content(" ".join(self.table.shown.get("texts", [])) + "\n", f"{own}.txt")
