"""The page of a game in progress."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.language import tr
from workbench.positions.board_input import EditedPosition
from workbench.rules.edits import RulesetReading
from workbench.studio import frame, game_tasks
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Panel, Proposal, Studio, component
from workbench.studio.pages.play.kept import kept_games, own_text
from workbench.studio.pages.play.session import HUMAN, GameSession
from workbench.studio.pages.play.view import table_view
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor, problem_view
from workbench.studio.workers import Workers

PlayPanel = component("play.js", __file__)
FORMATS = {"chess": "pgn", "draughts": "pdn"}
"""Exchange formats by family."""


class PlayPages:
    """The games of a studio: for each ruleset page one under each version of its rules, and those of links."""

    def __init__(self, store: DraftStore, workers: Workers) -> None:
        self.store, self.workers = store, workers
        self._sessions: dict[str, GameSession] = {}

    async def page(self, request: Request, kind: str, name: str) -> None:
        """Draw a game under the rules of a ruleset page, or an earlier ``game``; ``moves`` and ``start`` of a link."""
        visitor, query = Visitor.from_request(request), request.query_params
        draft = frame.open_draft(visitor, self.store, kind, name)
        if draft is None:
            return
        proposal, present = Proposal(kind, name, self.store.title(draft)), draft.read()
        kept = list(kept_games(self.store, draft.key))
        chosen = next((each for each in kept if each.identity == query.get("game")), None)
        reading, title = (chosen.reading, chosen.title) if chosen else (present, proposal.title)
        heading = tr("A game of {name}", name=title)
        frame.begin_page(visitor, "play", proposal.address("play"), heading, proposal)
        identity = chosen.identity if chosen else reading.ruleset.fingerprint if reading.ruleset else ""
        others = [
            (each.address, tr("Another game is unfinished."), tr("Continue it ({n} moves)", n=each.content["plies"]))
            for each in kept
            if not each.over and each.identity != identity
        ]
        if reading.ruleset is None:
            problems = [problem_view(problem, visitor, reading.family)["message"] for problem in reading.problems]
            frame.note_page(visitor, frame.NOT_PLAYABLE, problems, [(address, text) for address, text, _ in others])
            return
        if chosen and chosen.earlier:
            text = tr("The rules were changed after this game began; it keeps its earlier rules.")
            others = [(proposal.address("play"), text, tr("Play under the present rules")), *others]
        link: dict[str, Any] = {}
        if "moves" in query:
            link = {"texts": query["moves"].split(), "start": query.get("start", ""), "plies": game_tasks.MOST_PLIES}
            link |= {"players": [HUMAN, HUMAN], "resigned": None, "seed": 0}
            identity += f"-{hashlib.sha256(repr(link).encode()).hexdigest()[:8]}"
        panel = PlayPanel(
            heading=visitor.translate(heading), others=visitor.localize(others), asking=proposal.address("ask"),
            rules=visitor.localize(list(RulesView(reading, self.store.project, visitor).book())),
            format=FORMATS.get(draft.game, ""), painted=None,
        )  # fmt: skip
        _PlayPage(await self._session(draft, identity, reading, link), panel, visitor, draft.base)

    def transfer_games(self, draft: RulesetDocument, name: str) -> None:
        """Transfer a draft's games to the ruleset that the draft was saved as; a new draft loses its games."""
        if draft.key == f"file {name}":
            return
        for game in kept_games(self.store, draft.key):
            old, new = f"{draft.key} {game.identity}", f"file {name} {game.identity}"
            self._sessions.pop(new, None)
            self.store.autosave.store("games", new, {**game.content, "name": new})
            if draft.new:
                self._sessions.pop(old, None)
                self.store.autosave.store("games", old, None)

    async def _session(
        self, draft: RulesetDocument, identity: str, reading: RulesetReading, link: Mapping[str, Any]
    ) -> GameSession:
        """Return a game, which may have been saved by an earlier studio process or begin with a link."""
        key, autosave = f"{draft.key} {identity}", self.store.autosave
        if key in self._sessions:
            return self._sessions[key]
        assert reading.ruleset is not None
        saved, text = autosave.load("games", key), own_text(reading, self.store.title(draft))
        session = GameSession(reading.ruleset, self.store.project, self.workers)
        was_over = bool(saved.get("over", link))

        def save() -> None:
            nonlocal was_over
            if self._sessions.get(key) is not session:
                return
            game = session.as_json()
            autosave.store("games", key, game and {**game, "text": text})
            if session.is_over and not was_over:
                moves = urlencode({"moves": " ".join(session.texts), "start": session.start})
                self.store.record(draft, "played", f"/play/{draft.kind}/{quote(draft.page)}?{moves}")
            was_over = session.is_over

        await session.resume(saved or link)
        session.listeners.append(save)
        # Another page may have opened the game meanwhile.
        return self._sessions.setdefault(key, session)


ACTS = ("play", "undo", "redo", "new", "resign", "seat", "hint", "go_to")
"""What people do in a game: methods of a session."""


class _PlayPage:
    """An open page of a session."""

    def __init__(self, session: GameSession, panel: Panel, visitor: Visitor, name: str) -> None:
        self.session, self.panel, self.visitor, self.name = session, panel, visitor, name
        self.painting = asyncio.Lock()
        self.painted: EditedPosition | None = None
        """The position that is set up on the page."""
        self.earlier: tuple[tuple[int, ...], View] | None = None
        """The moves before an earlier position that the page shows, and its view."""
        session.listeners.append(self.show)
        panel.client.on_delete(lambda: session.listeners.remove(self.show))
        panel.on("act", self.act)
        panel.on("paint", self.paint)
        panel.on("attempt", self.explain)
        panel.on("record", self.download)
        panel.on("visit", self.visit)
        self.show()
        if not session.waiting:
            ui.timer(0, lambda: session.begin(session.trouble), once=True)

    def show(self) -> None:
        """Redraw the page."""
        line, (shown, position) = self.session.line, self.earlier or (self.session.line, self.session.shown)
        if len(shown) >= len(line) or shown != line[: len(shown)]:
            self.earlier, shown, position = None, line, self.session.shown
        self.panel.show(state=table_view(self.session, self.visitor, position, len(shown)))

    async def act(self, event: GenericEventArguments) -> None:
        """Change the game."""
        name, *arguments = event.args
        if name in ACTS:
            await getattr(self.session, name)(*arguments)

    async def visit(self, event: GenericEventArguments) -> None:
        """Show the position after some moves."""
        line = self.session.line[: int(event.args)]
        self.earlier = line, await self.session.draw(game_tasks.position_view, plies=len(line))
        self.show()

    async def paint(self, event: GenericEventArguments) -> None:
        """Redraw a painted position, or ``end`` painting: ``begin`` starts from a valid position."""
        change, view, start = event.args, None, None
        # Strokes may arrive faster than the server draws; each continues the previous result.
        async with self.painting:
            if not change.get("end"):
                self.painted, view = await self.session.draw(game_tasks.paint_position, self.painted, change)
                if change.get("begin") and not view["problem"]:
                    start, view = view["text"], None
            if view is None:
                self.painted = None
            self.panel.show(painted=self.visitor.localize(view))
        if start is not None:
            await self.session.new(start)

    async def explain(self, event: GenericEventArguments) -> None:
        """Show the rule that forbids the touched move."""
        origin, target = event.args["origin"], event.args["target"]
        touched = tuple(origin) if origin else None, tuple(target), str(event.args["hand"] or "")
        rule = await self.session.draw(game_tasks.why_not, *touched)
        self.panel.show(told={"why": self.visitor.translate(rule), "count": event.args["count"]})

    async def download(self) -> None:
        """Send the game in its exchange format."""
        game = self.session
        record = await game.draw(game_tasks.game_record, game.resigned, tuple(game.players))
        ui.download.content(record, f"{self.name.rpartition('/')[2]}.{FORMATS[game.ruleset.game]}")


def register(studio: Studio) -> None:
    """Register the page."""
    pages = PlayPages(studio.store, studio.workers)
    studio.on_saved.append(lambda draft, name, language: pages.transfer_games(draft, name))
    ui.page("/play/{kind}/{name:path}", response_timeout=60)(pages.page)
