"""What the page of a game in play shows, as plain data in one language: ``parts/play.js`` draws it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.files.project import Project
from workbench.language import COMMA, join, listed, looked_up, sentences, tr, verbatim
from workbench.questions.ruleset_texts import RulesetReading
from workbench.questions.rulesets import Ruleset, load_ruleset
from workbench.studio import levels
from workbench.studio.rules_view import rule_book_view
from workbench.studio.tables import HUMAN, Table
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

if TYPE_CHECKING:
    from workbench.play.judgement import Worth
    from workbench.studio.room import Step

View = dict[str, Any]
_SET_UP = {"fen": "set_up_fen", "board": "set_up_board"}
"""How a position is typed, by what the family's notation calls one; what has no name of its own is YAML."""
_LOSS_GRADES = (0.02, 0.05, 0.1, 0.2)
"""The grades of estimates: how much of a point a move gives away, against the best, at most."""
_COLOURS = {"○": tr("White"), "●": tr("Black")}
"""What a colour is called where the name of a seat does not say it, by the piece of the seat."""
_DARK = "●★♚"


def rules_view(reading: RulesetReading, project: Project, visitor: Visitor) -> View:
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
    """Who says what moves are worth."""
    if not table.worths:
        return ""
    if all(worth.exact for worth in table.worths):
        return visitor.translate(WORDS["known_exactly"])
    return visitor.translate(WORDS["judged_by"].format(player=levels.called(table.judge, table.levels)))


def _worth(table: Table, worth: Worth, visitor: Visitor) -> View:
    """A move and what it is worth, in words and as a grade from 0 to 4."""
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
