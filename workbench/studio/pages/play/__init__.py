"""The page of a game in play."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError
from workbench.base.language import join, tr
from workbench.rules.rulesets import Ruleset
from workbench.studio import frame, opponents
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.pages.replay import BOARD
from workbench.studio.visitor import Visitor, problem_view
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.rules.rulesets import Ruleset
from workbench.studio.frame import Studio
from workbench.studio.pages.play.session import HUMAN, GameSession
from workbench.studio.pages.play.view import View, changes_view, table_view

FORMATS = {"chess": "pgn", "draughts": "pdn"}
"""How games of a family are exchanged; other families have no such format."""


class PlayPanel(Element, component="play.js", esm=frame.SHARED):
    """A board to play on, and who plays."""


class PlayPages:
    """The games of a studio: one for each ruleset and draft, which lasts until its rules change."""

    def __init__(self, store: DraftStore, workers: Workers, programs: bool) -> None:
        self.store = store
        self.workers = workers
        self.programs = programs
        """Whether players from outside may be started."""
        self._tables: dict[tuple[str, str], GameSession] = {}

    async def page(self, request: Request, kind: str, name: str) -> None:
        """A game by the rules of a ruleset's page."""
        visitor = Visitor.from_request(request)
        game = name.partition("/")[0]
        area = "edit" if kind == "file" else "rules"
        back = f"/{area}/{quote(name)}"
        try:
            draft = self.store.draft(name, kind)
            reading = draft.read()
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store.family_rulesets(game))
            return
        here = f"/play/{kind}/{quote(name)}"
        title = visitor.translate(tr("A game of {name}", name=self.store.title(draft)))
        frame.begin_page(visitor, "play", here, game, title=title, play=here)
        if reading.ruleset is None:
            wrong = [problem_view(each, visitor, reading.family) for each in reading.problems]
            told = [each["message"] for each in wrong]
            frame.note_page(visitor, frame.NOT_PLAYABLE, told)
            return
        table = self._tables.get((kind, name))
        if table is None or table.ruleset.fingerprint != reading.ruleset.fingerprint:
            table = self._tables[kind, name] = self._table(kind, name, reading.ruleset)
        panel = PlayPanel()
        panel.props["name"] = draft.base
        panel.props["rules"] = changes_view(reading, self.store.project, visitor)
        panel.props["back"] = back
        panel.props["format"] = FORMATS.get(game, "")
        panel.props["painted"] = None
        panel.props["look"] = None
        panel.props["script"] = BOARD
        _PlayPage(table, panel, visitor, draft.base)

    def hand_on(self, draft: RulesetDocument, name: str) -> None:
        """Let the ruleset as which a draft was saved have the draft's game; new rules do not keep it beside."""
        autosave = self.store.autosave
        if draft.key == f"file {name}":
            return
        if game := autosave.load("games", draft.key):
            self._tables.pop(("file", name), None)
            autosave.store("games", f"file {name}", game | {"name": f"file {name}"})
        if draft.new:
            self._tables.pop((draft.kind, draft.page), None)
            autosave.store("games", draft.key, None)

    def _table(self, kind: str, name: str, ruleset: Ruleset) -> GameSession:
        """Return a table for a page, which goes on with the game that an earlier studio left there."""
        key, autosave = f"{kind} {name}", self.store.autosave
        table = GameSession(
            ruleset, self.store.project, self.workers, self.programs, left=autosave.load("games", key) or None
        )

        def keep() -> None:
            if table.left is None and self._tables.get((kind, name)) is table:
                autosave.store("games", key, table.as_json())

        table.listeners.append(keep)
        return table


class _PlayPage:
    """One page at a table."""

    def __init__(self, table: GameSession, panel: PlayPanel, visitor: Visitor, name: str) -> None:
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
        """Draw the page anew."""
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
        return tr("A person") if player == HUMAN else opponents.display_name(player, self.table.levels)

    async def record(self, given: GenericEventArguments) -> None:
        """Hands the game over as a file."""
        kind = str(given.args)
        own = self.name.rpartition("/")[2]
        if kind in FORMATS.values():
            ui.download.content(await self.table.record(), f"{own}.{kind}")
        else:
            ui.download.content(" ".join(self.table.shown.get("texts", [])) + "\n", f"{own}.txt")


def register(studio: Studio) -> None:
    """Give the page its address."""
    pages = PlayPages(studio.store, studio.workers, studio.queue.programs)
    studio.on_saved.append(lambda draft, name, language: pages.hand_on(draft, name))
    ui.page("/play/{kind}/{name:path}")(pages.page)
