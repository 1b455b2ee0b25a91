"""The page of a game in progress."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError
from workbench.base.language import join, tr
from workbench.rules.rulesets import Ruleset
from workbench.studio import frame, game_tasks, opponents
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Panel, Proposal, Studio, component
from workbench.studio.pages.play.session import HUMAN, GameSession
from workbench.studio.pages.play.view import changes_view, table_view
from workbench.studio.visitor import View, Visitor, problem_view
from workbench.studio.workers import Workers

PlayPanel = component("play.js", __file__)
FORMATS = {"chess": "pgn", "draughts": "pdn"}
"""Exchange formats by family."""


class PlayPages:
    """The games of a studio, one for each ruleset and draft until its rules change."""

    def __init__(self, store: DraftStore, workers: Workers, programs: bool) -> None:
        """``programs``: external players may be started."""
        self.store, self.workers, self.programs = store, workers, programs
        self._sessions: dict[tuple[str, str], GameSession] = {}

    async def page(self, request: Request, kind: str, name: str) -> None:
        """Draw a game under the rules of a ruleset page."""
        visitor = Visitor.from_request(request)
        game = name.partition("/")[0]
        try:
            draft = self.store.draft(name, kind)
            reading = draft.read()
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store.family_rulesets(game))
            return
        address = f"/play/{kind}/{quote(name)}"
        frame.begin_page(
            visitor, "play", address, game, title=tr("A game of {name}", name=self.store.title(draft)),
            proposal=Proposal(kind, name, self.store.title(draft)), tab="play",
        )  # fmt: skip
        if reading.ruleset is None:
            problems = [problem_view(problem, visitor, reading.family)["message"] for problem in reading.problems]
            frame.note_page(visitor, frame.NOT_PLAYABLE, problems)
            return
        session = self._sessions.get((kind, name))
        if session is None or session.ruleset.fingerprint != reading.ruleset.fingerprint:
            session = self._sessions[kind, name] = self._open_session(kind, name, reading.ruleset)
        panel = PlayPanel(
            name=draft.base, rules=changes_view(reading, self.store.project, visitor),
            back=frame.rules_address(kind, name), format=FORMATS.get(game, ""), painted=None, look=None,
        )  # fmt: skip
        _PlayPage(session, panel, visitor, draft.base)

    def transfer_game(self, draft: RulesetDocument, name: str) -> None:
        """Transfer a draft's game to the ruleset that the draft was saved as; a new draft loses its game."""
        autosave = self.store.autosave
        if draft.key == f"file {name}":
            return
        if game := autosave.load("games", draft.key):
            self._sessions.pop(("file", name), None)
            autosave.store("games", f"file {name}", game | {"name": f"file {name}"})
        if draft.new:
            self._sessions.pop((draft.kind, draft.page), None)
            autosave.store("games", draft.key, None)

    def _open_session(self, kind: str, name: str, ruleset: Ruleset) -> GameSession:
        """Return a page's session, with the game saved by an earlier studio process if there is one."""
        key, autosave = f"{kind} {name}", self.store.autosave
        saved = autosave.load("games", key) or None
        session = GameSession(ruleset, self.store.project, self.workers, self.programs, left=saved)

        def save() -> None:
            if session.left is None and self._sessions.get((kind, name)) is session:
                autosave.store("games", key, session.as_json())

        session.listeners.append(save)
        return session


class _PlayPage:
    """An open page of a session."""

    def __init__(self, session: GameSession, panel: Panel, visitor: Visitor, name: str) -> None:
        self.session, self.panel, self.visitor, self.name = session, panel, visitor, name
        self.painting = asyncio.Lock()
        self.earlier: tuple[int, View] | None = None
        """The ply and view of an earlier position that the page shows."""
        session.listeners.append(self.show)
        panel.client.on_delete(lambda: session.listeners.remove(self.show))
        panel.on("play", lambda event: session.play(int(event.args)))
        panel.on("undo", lambda _: session.undo())
        panel.on("redo", lambda _: session.redo())
        panel.on("fresh", lambda _: session.new())
        panel.on("resign", lambda _: session.resign())
        panel.on("seat", lambda event: session.seat(int(event.args["place"]), str(event.args["player"])))
        panel.on("judge", lambda event: session.judge_moves(bool(event.args)))
        panel.on("hint", lambda _: session.hint())
        panel.on("setup", self.set_up)
        panel.on("paint", self.paint)
        panel.on("attempt", self.explain)
        panel.on("record", self.download)
        panel.on("look", self.replay)
        panel.on("visit", self.visit)
        panel.on("continue", self.go_back)
        self.show()
        ui.timer(0, self.begin, once=True)

    async def begin(self) -> None:
        """Draw the first position and find the players."""
        await self.session.resume()
        if not self.session.waiting:
            await self.session.begin()
        await self.session.find_players()

    def show(self) -> None:
        """Redraw the page."""
        moves = self.session.shown.get("texts", [])
        if self.earlier and self.earlier[1]["texts"] != moves[: self.earlier[0]]:
            self.earlier = None
        self.panel.show(state=table_view(self.session, self.visitor, self.earlier))

    async def visit(self, event: GenericEventArguments) -> None:
        """Show an earlier position or the current one."""
        plies = int(event.args)
        is_earlier = 0 <= plies < len(self.session.played)
        self.earlier = (plies, await self.session.draw(game_tasks.position_view, plies=plies)) if is_earlier else None
        self.show()

    async def go_back(self) -> None:
        """Continue the game from the displayed position."""
        if self.earlier:
            plies, self.earlier = self.earlier[0], None
            await self.session.go_back(plies)

    async def set_up(self, event: GenericEventArguments) -> None:
        """Start from a position, or show why it is invalid."""
        async with self.painting:
            valid = await self.session.set_up(str(event.args))
            if valid:
                self.panel.props["painted"] = None
        if valid:
            await self.session.new()

    async def paint(self, event: GenericEventArguments) -> None:
        """Redraw a painted position."""
        # Strokes may arrive faster than the server draws; each continues the previous result.
        async with self.painting:
            previous, change = self.panel.props["painted"], dict(event.args)
            painted = None
            if not change.get("end"):
                if previous:
                    change |= {"cells": previous["cells"], "was": previous["side"]}
                painted = self.visitor.localize(await self.session.draw(game_tasks.paint_position, change))
            self.panel.show(painted=painted)

    async def explain(self, event: GenericEventArguments) -> None:
        """Show the rule that forbids the touched move."""
        origin, target = event.args["origin"], event.args["target"]
        touched = tuple(origin) if origin else None, tuple(target), str(event.args["hand"] or "")
        rule = await self.session.draw(game_tasks.why_not, *touched)
        self.panel.show(told={"why": self.visitor.translate(rule), "count": event.args["count"]})

    async def replay(self) -> None:
        """Show the game so far on the replay board."""
        levels = self.session.levels
        names = [
            tr("A person") if player == HUMAN else opponents.display_name(player, levels)
            for player in self.session.players
        ]
        about = tr("{about}: {players}.", about=tr("A game of {name}", name=self.name), players=join(" – ", names))
        over = self.session.shown.get("over")
        ending = tr("{told}. {why}", told=over["told"], why=over["why"]) if over else ""
        replay = await self.session.draw(game_tasks.render_replay, about, ending, self.visitor.language)
        self.panel.show(look=replay | {"count": (self.panel.props.get("look") or {"count": 0})["count"] + 1})

    async def download(self, event: GenericEventArguments) -> None:
        """Send the game as a file."""
        kind, name = str(event.args), self.name.rpartition("/")[2]
        if kind in FORMATS.values():
            ui.download.content(await self.session.record(), f"{name}.{kind}")
        else:
            ui.download.content(" ".join(self.session.shown.get("texts", [])) + "\n", f"{name}.txt")


def register(studio: Studio) -> None:
    """Register the page."""
    pages = PlayPages(studio.store, studio.workers, studio.queue.programs)
    studio.on_saved.append(lambda draft, name, language: pages.transfer_game(draft, name))
    ui.page("/play/{kind}/{name:path}")(pages.page)
