"""The page of a game in play."""

from __future__ import annotations

from typing import Any, get_args
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.files.yamlfile import InputError
from workbench.report.text import LANGUAGES, Text
from workbench.studio import frame, rules_view
from workbench.studio.drafts import Desk, Kind
from workbench.studio.tables import HUMAN, PLAYERS, Table
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS, words
from workbench.studio.workers import Workers

FORMATS = {"chess": "pgn", "draughts": "pdn"}
"""How games of a family are exchanged; other families have no such format."""


class PlayPanel(Element, component="parts/play.js"):
    """A board to play on, and who plays."""


class Playing:
    """The games of a studio: one for each ruleset and draft, which lasts until its rules change."""

    def __init__(self, desk: Desk, workers: Workers) -> None:
        self.desk = desk
        self.workers = workers
        self._tables: dict[tuple[str, str], Table] = {}

    async def page(self, request: Request, kind: str, name: str) -> None:
        """A game by the rules of a ruleset's page."""
        visitor = Visitor.of(request)
        game = name.partition("/")[0]
        area = "edit" if kind == "file" else "rules"
        back = f"/{area}/{quote(name)}"
        try:
            if kind not in get_args(Kind):
                raise InputError([])
            reading = self.desk.draft(name, kind, visitor.language).read()  # type: ignore[arg-type]
        except InputError as error:
            frame.begin(visitor, "", "/", "")
            ui.context.client.status_code = 404
            frame.note(visitor.say(WORDS["not_found"]), [problem.told(visitor.language) for problem in error.problems])
            return
        here = f"/play/{kind}/{quote(name)}"
        frame.begin(visitor, "play", here, game, title=name, play=here)
        if reading.ruleset is None:
            told = [rules_view.problem_view(problem, visitor)["message"] for problem in reading.problems]
            frame.note(visitor.say(WORDS["not_playable"]), told)
            return
        table = self._tables.get((kind, name))
        if table is None or table.ruleset.fingerprint != reading.ruleset.fingerprint:
            table = self._tables[kind, name] = Table(reading.ruleset, self.desk.project, self.workers)
        panel = PlayPanel()
        panel.props["words"] = words(visitor.language)
        panel.props["heading"] = visitor.say(WORDS["playing"].format(name=name))
        panel.props["back"] = back
        panel.props["format"] = FORMATS.get(game, "")
        _Seated(table, panel, visitor, name)


class _Seated:
    """One page at a table."""

    def __init__(self, table: Table, panel: PlayPanel, visitor: Visitor, name: str) -> None:
        self.table, self.panel, self.visitor, self.name = table, panel, visitor, name
        table.listeners.append(self.show)
        panel.client.on_delete(lambda: table.listeners.remove(self.show))
        panel.on("play", lambda given: table.play(int(given.args)))
        panel.on("undo", lambda _: table.undo())
        panel.on("redo", lambda _: table.redo())
        panel.on("fresh", lambda _: table.new())
        panel.on("resign", lambda _: table.resign())
        panel.on("seat", lambda given: table.seat(int(given.args["place"]), str(given.args["player"])))
        panel.on("setup", lambda given: table.set_up(str(given.args)))
        panel.on("attempt", self.attempt)
        panel.on("record", self.record)
        self.show()
        ui.timer(0, self.begin, once=True)

    async def begin(self) -> None:
        """Draws the first position, and looks who else may sit down."""
        if not self.table.waiting:
            await self.table.begin()
        await self.table.look_for_players()

    def show(self) -> None:
        """Draws the page anew."""
        table, shown, place = self.table, self.table.shown, LANGUAGES.index(self.visitor.language)
        seats = shown.get("seats", ["", ""]) if place == 0 else ["先手", "後手"]
        view: dict[str, Any] = {
            "players": table.players,
            "seats": seats,
            "turn": self._turn(seats),
            "waiting": table.waiting,
            "opponents": [
                {"name": player, "title": self.visitor.say(WORDS["human"]) if player == HUMAN else player}
                for player in (*PLAYERS, *(table.learned or ()))
            ],
            "start": table.start,
            "trouble": self.visitor.tell(table.trouble),
            "undo": bool(table.played),
            "redo": bool(table.later),
            "mine": bool(shown) and not table.over and table.players[shown["seat"]] == HUMAN,
            "texts": shown.get("texts", []),
            "notes": shown["notes"][place] if shown else [],
        }
        view |= {key: shown.get(key, []) for key in ("names", "cells", "moves", "hands")}
        view |= {"picture": shown.get("picture", ""), "size": shown.get("size", (1, 1, 10, 7))}
        self.panel.props["state"] = view
        self.panel.update()

    def _turn(self, seats: list[str]) -> str:
        table = self.table
        if not table.shown:
            return ""
        if table.resigned is not None:
            return self.visitor.say(WORDS["resigned"].format(seat=seats[table.resigned]))
        over = table.shown["over"]
        if over:
            return self.visitor.say(WORDS["ended"].format(told=Text(*over["told"]), why=Text(*over["why"])))
        if table.over:
            return self.visitor.say(WORDS["stopped"].format(plies=len(table.played)))
        return self.visitor.say(WORDS["to_move"].format(seat=seats[table.shown["seat"]]))

    async def attempt(self, given: GenericEventArguments) -> None:
        """Says which rule forbids what was touched."""
        origin, target = given.args["origin"], given.args["target"]
        why = await self.table.why_not(tuple(origin) if origin else None, tuple(target), str(given.args["hand"] or ""))
        self.panel.props["told"] = {"why": self.visitor.tell(why)}
        self.panel.update()

    async def record(self, given: GenericEventArguments) -> None:
        """Hands the game over as a file."""
        kind = str(given.args)
        own = self.name.rpartition("/")[2]
        if kind in FORMATS.values():
            ui.download.content(await self.table.record(), f"{own}.{kind}")
        else:
            ui.download.content(" ".join(self.table.shown.get("texts", [])) + "\n", f"{own}.txt")
