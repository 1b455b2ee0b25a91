"""What the page of a game in play shows, as plain data in one language: ``parts/play.js`` draws it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench import games
from workbench.errors import InputError
from workbench.files.project import Project
from workbench.language import COMMA, join, listed, looked_up, sentences, tr, verbatim
from workbench.questions.edits import RulesetReading
from workbench.questions.rulesets import Ruleset, load_ruleset
from workbench.studio import frame, levels, rules_view
from workbench.studio.drafts import Desk, Draft, Kind
from workbench.studio.replay_page import BOARD
from workbench.studio.rules_view import rule_book_view
from workbench.studio.tables import HUMAN, Table
from workbench.studio.words import WORDS, Visitor, translated_words
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.play.judgement import Worth
    from workbench.questions.rulesets import Ruleset
    from workbench.studio.room import Step

View = dict[str, Any]
_SET_UP = {"fen": "set_up_fen", "board": "set_up_board"}
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
    base = listed(parents) if parents else WORDS["its_defaults"].format(name=reading.family.title)
    book = list(rule_book_view(reading, visitor))
    changes = [sentence for sentence in book if sentence["was"]]
    return {
        "title": visitor.translate(_title(reading.ruleset)),
        "against": visitor.translate(WORDS["changed_from" if changes else "nothing_changed"].format(base=base)),
        "changes": changes,
        "book": book,
    }


def _title(ruleset: Ruleset) -> str:
    return ruleset.heading if ruleset.title or ruleset.title_ja else verbatim(ruleset.name)


def table_view(table: Table, visitor: Visitor, looked_at: tuple[int, View] | None) -> View:
    """All that changes while a game is played; ``looked_at`` is an earlier position, and after how many moves it is."""
    tell, shown = visitor.translate, table.shown
    sides = _sides(table, visitor)
    seats = sides[::-1] if shown.get("swapped") else sides
    position = looked_at[1] if looked_at else shown
    check = position.get("check", "")
    family = games.declaration(table.ruleset.game)
    said = {str(check), *(str(WORDS["to_move"].format(seat=seat)) for seat in family.seats)}
    result = _result(table, seats)
    mine = bool(shown) and not table.is_over and table.players[shown["seat"]] == HUMAN
    turn = WORDS["to_move"].format(seat=seats[shown["seat"]]["name"]) if shown and not result else ""
    titles = {level.player: tell(WORDS[level.name]) for level in table.levels}
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
        "human": {"name": HUMAN, "title": tell(WORDS["human"])},
        "opponents": [
            {
                "title": tell(title),
                "players": [
                    {"name": player, "title": titles.get(player) or tell(levels.called(player, table.levels))}
                    for player in players
                ],
            }
            for title, players in table.groups()
        ],
        "levels": [
            {"player": level.player, "title": titles[level.player], "sentence": tell(levels.sentence(level))}
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
    view["position"] = tell(WORDS[_SET_UP.get(position.get("key", ""), "set_up_yaml")])
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
        seat, colour = visitor.translate(name), visitor.translate(_COLOURS.get(sign, looked_up(str(name))))
        named = colour in (seat, str(name)) or (sign and sign in seat)
        both = seat if named else visitor.translate(tr("{seat} ({colour})", seat=seat, colour=colour))
        sides.append({"name": both, "sign": picture, "dark": dark[place]})
    return sides


def _you(table: Table, visitor: Visitor, seats: Sequence[View]) -> View:
    """Who the reader is: a sentence in two parts, the piece and name of a seat between them."""
    people = [place for place in (0, 1) if table.players[place] == HUMAN]
    if len(people) != 1:
        return {"before": visitor.translate(WORDS["both_people" if people else "no_people"]), "seat": None, "after": ""}
    before, _, after = visitor.translate(WORDS["you_are"].format(seat="\n")).partition("\n")
    return {"before": before, "seat": people[0], "after": after}


def _result(table: Table, seats: Sequence[View]) -> dict[str, str] | None:
    """How the game ended, and why; the name of the ending is as records have it."""
    if table.resigned is not None:
        loser, winner = seats[table.resigned]["name"], seats[1 - table.resigned]["name"]
        return {"text": WORDS["resigned"].format(loser=loser, winner=winner), "why": "", "name": "resignation"}
    if over := table.shown.get("over"):
        return {"text": over["told"], "why": over["why"], "name": over["termination"]}
    if table.is_over:
        return {"text": WORDS["stopped"].format(plies=len(table.played)), "why": "", "name": "cap"}
    return None


def _spoken(table: Table, seats: Sequence[View], turn: str, check: str, result: dict[str, str] | None) -> str:
    """What somebody hears who does not see the board: the last move, whose turn it is or how it ended, and check."""
    back = WORDS["taken_back"].format(n=len(table.later)) if table.later else ""
    last = ""
    if table.played and table.shown.get("texts"):
        made = [(seat, text) for (_, seat), text in zip(table.played, table.shown["texts"], strict=False)]
        mover = made[-1][0]
        turn_moves = [text for _, text in itertools.takewhile(lambda move: move[0] == mover, reversed(made))]
        last = WORDS["last_move"].format(seat=seats[mover]["name"], move=join(COMMA, turn_moves[::-1]))
    if result and result["why"]:
        return sentences([back, last, WORDS["ended"].format(told=result["text"], why=result["why"])])
    return sentences([back, last, *([result["text"]] if result else [turn, check])])


def _looking(looked_at: tuple[int, View] | None, visitor: Visitor) -> View | None:
    if looked_at is None:
        return None
    plies, position = looked_at
    text = WORDS["position_start"]
    if plies:
        text = WORDS["position_after"].format(n=plies, text=position["texts"][-1])
    return {"plies": plies, "text": visitor.translate(text)}


def _standing(table: Table, visitor: Visitor, sides: Sequence[View]) -> View | None:
    """How the game stands, as a share of the points for the first side and in words."""
    # Before a move is made a number would look like a measurement of the rules, which one search is not.
    if table.standing is None or not (table.played or table.start or table.standing.exact):
        return None
    share = table.standing.share
    percent, seat = round(100 * max(share, 1 - share)), sides[share < 0.5]["name"]
    if table.standing.exact:
        text = WORDS["evaluation_draw"] if percent == 50 else WORDS["evaluation_known"].format(seat=seat)
    elif percent == 50:
        text = WORDS["evaluation_even"]
    else:
        text = WORDS["evaluation_of"].format(seat=seat, percent=percent)
    observer = (
        WORDS["seen_by"].format(player=levels.called(table.observer, table.levels))
        if table.observer
        else WORDS["at_a_glance"]
    )
    dark = [side["dark"] for side in sides]
    return {"share": share, "dark": dark, "text": visitor.translate(text), "by": visitor.translate(observer)}


def _step(step: Step) -> str:
    """A move in words: what is placed where, or what moves from where to where; "" of one without squares."""
    if not step.target:
        return ""
    key = "step_moved" if step.origin else "step_placed"
    return WORDS[key].format(piece=step.piece, origin=step.origin, target=step.target)


def _strength(table: Table, player: str) -> str:
    """How strong a player at the table is, in a sentence."""
    if player == HUMAN:
        return ""
    level = next((level for level in table.levels if level.player == player), None)
    return levels.sentence(level) if level else levels.reading(player, table.ruleset.game)


def _best_first(table: Table) -> list[Worth]:
    from workbench.play.judgement import best_first

    return best_first(table.worths)


def _judge(table: Table, visitor: Visitor) -> str:
    if not table.worths:
        return ""
    if all(worth.exact for worth in table.worths):
        return visitor.translate(WORDS["known_exactly"])
    return visitor.translate(WORDS["judged_by"].format(player=levels.called(table.judge, table.levels)))


def _worth(table: Table, worth: Worth, visitor: Visitor) -> View:
    if worth.exact:
        key = "draws" if worth.score == 0.5 else "wins_in" if worth.score == 1 else "loses_in"
        told = whole = WORDS[key].format(plies=worth.plies)
    else:
        told, whole = (WORDS[key].format(percent=f"{100 * worth.score:.0f}") for key in ("expected", "expected_whole"))
    best = max((one.score for one in table.worths), default=worth.score)
    grade = 4 * worth.score if worth.exact else sum(best - worth.score <= lost for lost in _LOSS_GRADES)
    said = {"told": visitor.translate(told), "whole": visitor.translate(whole)}
    return {"move": worth.move, "text": worth.text, "grade": int(grade), **said}


def _grades(table: Table, visitor: Visitor) -> list[View]:
    """What the colours of the moves say, the best first."""
    if table.worths and all(worth.exact for worth in table.worths):
        told = {4: WORDS["grade_wins"], 2: WORDS["draws"], 0: WORDS["grade_loses"]}
    else:
        lost = [f"{100 * grade:.0f}" for grade in _LOSS_GRADES]
        worse = [WORDS["grade_worse"].format(percent=percent) for percent in lost[1:]]
        best = WORDS["grade_best"].format(percent=lost[0])
        told = dict(zip((4, 3, 2, 1, 0), [best, *worse, WORDS["grade_worst"]], strict=True))
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
            frame.begin_page(visitor, "", "/", "")
            ui.context.client.status_code = 404
            frame.missing_page(visitor, name, error, self.desk.family_rulesets(game))
            return
        here = f"/play/{kind}/{quote(name)}"
        title = visitor.translate(WORDS["playing"].format(name=self.desk.title(draft)))
        frame.begin_page(visitor, "play", here, game, title=title, play=here)
        if reading.ruleset is None:
            wrong = [rules_view.ruleset_problem_view(each, visitor, reading.family) for each in reading.problems]
            told = [each["message"] for each in wrong]
            frame.note_page(visitor.translate(WORDS["not_playable"]), told)
            return
        table = self._tables.get((kind, name))
        if table is None or table.ruleset.fingerprint != reading.ruleset.fingerprint:
            table = self._tables[kind, name] = self._table(kind, name, reading.ruleset)
        panel = PlayPanel()
        panel.props["words"] = translated_words(visitor.language)
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
        about = WORDS["playing"].format(name=self.name)
        told = tr("{about}: {players}.", about=about, players=players)
        over = self.table.shown.get("over")
        ending = WORDS["ended"].format(told=over["told"], why=over["why"]) if over else ""
        shown = await self.table.replay_so_far(told, ending, self.visitor.language)
        self.panel.props["look"] = shown | {"count": (self.panel.props.get("look") or {"count": 0})["count"] + 1}
        self.panel.update()

    def _player_name(self, player: str) -> str:
        return WORDS["human"] if player == HUMAN else levels.called(player, self.table.levels)

    async def record(self, given: GenericEventArguments) -> None:
        """Hands the game over as a file."""
        kind = str(given.args)
        own = self.name.rpartition("/")[2]
        if kind in FORMATS.values():
            ui.download.content(await self.table.record(), f"{own}.{kind}")
        else:
            ui.download.content(" ".join(self.table.shown.get("texts", [])) + "\n", f"{own}.txt")
