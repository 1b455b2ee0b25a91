"""A game in play as plain data in one language, for ``play.js``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench import games
from workbench.base.language import COMMA, from_catalogue, join, join_list, sentences, tr, trc, untranslated
from workbench.base.project import Project
from workbench.rules.edits import RulesetReading
from workbench.rules.rulesets import Ruleset, load_ruleset
from workbench.studio import opponents
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import Visitor

if TYPE_CHECKING:
    from workbench.players.judgement import Worth
    from workbench.rules.rulesets import Ruleset
    from workbench.studio.game_tasks import Step
from workbench.studio.pages.play.session import HUMAN, GameSession

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
    """Return the rules in force: their title, what is changed from their base, and the rule book."""
    assert reading.ruleset is not None
    parents = [tr("“{title}”", title=_title(load_ruleset(name, project))) for name, _ in reading.file.parents]
    base = join_list(parents) if parents else tr("the defaults of {name}", name=reading.family.title)
    book = list(RulesView(reading, project, visitor).book())
    changes = [sentence for sentence in book if sentence["was"]]
    against = tr("Changed from {base}:") if changes else tr("Nothing is changed from {base}.")
    title = _title(reading.ruleset)
    return visitor.localize({"title": title, "against": against.format(base=base), "changes": changes, "book": book})


def _title(ruleset: Ruleset) -> str:
    return ruleset.heading if ruleset.title or ruleset.title_ja else untranslated(ruleset.name)


def table_view(table: GameSession, visitor: Visitor, looked_at: tuple[int, View] | None) -> View:
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
                    {"name": player, "title": titles.get(player) or tell(opponents.display_name(player, table.levels))}
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


def _sides(table: GameSession, visitor: Visitor) -> list[View]:
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


def _you(table: GameSession, visitor: Visitor, seats: Sequence[View]) -> View:
    """Who the reader is: a sentence in two parts, the piece and name of a seat between them."""
    people = [place for place in (0, 1) if table.players[place] == HUMAN]
    if len(people) != 1:
        before = tr("Two players of the workbench play each other here.")
        if people:
            before = tr("People play both sides here.")
        return {"before": visitor.translate(before), "seat": None, "after": ""}
    before, _, after = visitor.translate(tr("You play {seat}.", seat="\n")).partition("\n")
    return {"before": before, "seat": people[0], "after": after}


def _result(table: GameSession, seats: Sequence[View]) -> dict[str, str] | None:
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


def _spoken(table: GameSession, seats: Sequence[View], turn: str, check: str, result: dict[str, str] | None) -> str:
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


def _standing(table: GameSession, visitor: Visitor, sides: Sequence[View]) -> View | None:
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
        tr("by one search of {player}", player=opponents.display_name(table.observer, table.levels))
        if table.observer
        else tr("at a glance, without looking ahead")
    )
    dark = [side["dark"] for side in sides]
    return {"share": share, "dark": dark, "text": visitor.translate(text), "by": visitor.translate(observer)}


def _step(step: Step) -> str:
    """Return a move in words: what is placed where, or what moves from where to where; "" of one without squares."""
    if not step.target:
        return ""
    if not step.origin:
        return tr("{piece} placed on {target}", piece=step.piece, target=step.target)
    return tr("{piece} from {origin} to {target}", **step._asdict())


def _strength(table: GameSession, player: str) -> str:
    """How strong a player at the table is, in a sentence."""
    if player == HUMAN:
        return ""
    level = next((level for level in table.levels if level.player == player), None)
    return opponents.sentence(level) if level else opponents.reading(player, table.ruleset.game)


def _best_first(table: GameSession) -> list[Worth]:
    from workbench.players.judgement import best_first

    return best_first(table.worths)


def _judge(table: GameSession, visitor: Visitor) -> str:
    if not table.worths:
        return ""
    if all(worth.exact for worth in table.worths):
        return visitor.translate(tr("Known exactly: these rules are solved."))
    return visitor.translate(
        tr(
            "As {player} sees it: the share of points that the mover can expect, 50% being even.",
            player=opponents.display_name(table.judge, table.levels),
        )
    )


_EXACT = {0.0: tr("loses in {plies}"), 0.5: trc("words", "draws"), 1.0: tr("wins in {plies}")}
"""What is said of a move of a known score."""


def _worth(table: GameSession, worth: Worth, visitor: Visitor) -> View:
    if worth.exact:
        told = whole = _EXACT[worth.score].format(plies=worth.plies)
    else:
        percent = f"{100 * worth.score:.0f}"
        told, whole = f"{percent}%", tr("the mover can expect {percent}% of the points", percent=percent)
    best = max((one.score for one in table.worths), default=worth.score)
    grade = 4 * worth.score if worth.exact else sum(best - worth.score <= lost for lost in _LOSS_GRADES)
    said = {"told": visitor.translate(told), "whole": visitor.translate(whole)}
    return {"move": worth.move, "text": worth.text, "grade": int(grade), **said}


def _grades(table: GameSession, visitor: Visitor) -> list[View]:
    """What the colours of the moves say, the best first."""
    if table.worths and all(worth.exact for worth in table.worths):
        told = {4: trc("words", "wins"), 2: trc("words", "draws"), 0: trc("words", "loses")}
    else:
        lost = [f"{100 * grade:.0f}" for grade in _LOSS_GRADES]
        worse = [tr("up to {percent} points worse", percent=percent) for percent in lost[1:]]
        best = tr("as good as the best, within {percent} points", percent=lost[0])
        told = dict(zip((4, 3, 2, 1, 0), [best, *worse, tr("worse still")], strict=True))
    return [{"grade": grade, "text": visitor.translate(text)} for grade, text in told.items()]
