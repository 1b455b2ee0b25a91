"""A game in progress as plain data in one language, for ``play.js``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench import games
from workbench.base.language import from_catalogue, tr
from workbench.engine.contract import DRAW, SECOND
from workbench.studio.opponents import Level
from workbench.studio.pages.play.session import HUMAN, GameSession
from workbench.studio.visitor import View, Visitor

if TYPE_CHECKING:
    from workbench.players.judgement import Standing, Worth

_COLOURS = {"○": tr("White"), "●": tr("Black")}
"""Colour names by the seat's piece, for seats not named after their colour."""
_DARK = "●★♚"
_EXACT = {
    0.0: tr("{text}: loses in {plies} plies"), 0.5: tr("{text}: draws"), 1.0: tr("{text}: wins in {plies} plies"),
}  # fmt: skip


def table_view(session: GameSession, visitor: Visitor, position: View, plies: int) -> View:
    """Return a game as it is, or at an earlier ``position`` after its first ``plies``."""
    sides = _sides(session, visitor)
    seats = sides[::-1] if session.shown["swapped"] else sides
    human_seats = [seat for seat in (0, 1) if session.players[seat] == HUMAN]
    is_current, result = plies == len(session.played), _result(session, seats, human_seats)
    turn = result or tr("{seat} to move", seat=seats[position["seat"]]["name"])
    if not is_current:
        turn = tr("The starting position")
        if plies:
            turn = tr("The position after move {n}, {text}", n=plies, text=session.played[plies - 1].text)
    line = session.line
    known = [session.standings.get(line[:ply]) for ply in range(len(line) + 1)]
    standing = None if result else next(filter(None, reversed(known[: plies + 1])), None)
    may_move = is_current and session.is_my_turn
    return visitor.localize({
        **position,
        "at": plies,
        "sides": sides,
        "seats": seats,
        "you": tr("You play {seat}.", seat=seats[human_seats[0]]["name"]) if len(human_seats) == 1 else "",
        "turn": turn,
        "notes": [] if result else position["notes"],
        "over": bool(result),
        "to_move": position["seat"] if is_current and not result else None,
        "check": "" if result else position["check"],
        "standing": standing and _standing(standing, sides),
        "curve": [each and each.share for each in known],
        "waiting": session.waiting,
        "players": session.players,
        "levels": [level._asdict() for level in (Level(tr("A person"), HUMAN), *session.levels)],
        "hint": session.hinted and _hint(session.hinted, session.shown),
        "start": session.start,
        "trouble": session.trouble,
        "undo": bool(session.played) or session.resigned is not None,
        "redo": bool(session.later),
        "texts": [ply.text for ply in session.played],
        "steps": session.shown["steps"],
        "moves": position["moves"] if may_move else [],
        "hands": position["hands"] if may_move else [],
        # The side of the first person is below.
        "turned": next(iter(human_seats), 0) != position["below"],
    })  # fmt: skip


def _sides(session: GameSession, visitor: Visitor) -> list[View]:
    """Return both sides with their pieces and names, including the colour unless the name states it."""
    signs = session.shown["signs"]
    is_first_dark = signs[0][0] != "" and signs[0][0] in _DARK
    sides = []
    seats = games.declaration(session.ruleset.game).seats
    for i, (name, (sign, picture)) in enumerate(zip(seats, signs, strict=True)):
        seat, colour = visitor.translate(name), visitor.translate(_COLOURS.get(sign, from_catalogue(str(name))))
        if colour not in (seat, str(name)) and not (sign and sign in seat):
            seat = visitor.translate(tr("{seat} ({colour})", seat=seat, colour=colour))
        sides.append({"name": seat, "sign": picture, "dark": is_first_dark == (i == 0)})
    return sides


def _result(session: GameSession, seats: list[View], human_seats: list[int]) -> str:
    """Return the result with its reason, or ""; ``human_seats`` are those of people."""
    if session.resigned is not None:
        loser, winner = seats[session.resigned]["name"], seats[1 - session.resigned]["name"]
        return tr("{loser} resigns: {winner} wins.", loser=loser, winner=winner)
    result, why = session.shown["over"]
    if not result:
        return tr("Stopped after {plies} plies.", plies=len(session.played)) if session.is_over else ""
    told, winner = tr("A draw"), int(result == SECOND)
    if result != DRAW:
        told = tr("{seat} wins", seat=seats[winner]["name"])
        if len(human_seats) == 1:
            told = tr("You win") if winner in human_seats else tr("You lose")
    return tr("{result}. {why}", result=told, why=why)


def _standing(standing: Standing, sides: list[View]) -> View:
    """Return an evaluation in words and as the first side's share of the points."""
    percent, seat = round(100 * max(standing.share, 1 - standing.share)), sides[standing.share < 0.5]["name"]
    if standing.exact:
        text = tr("A draw with best play") if percent == 50 else tr("{seat} wins with best play", seat=seat)
    elif percent == 50:
        text = tr("Even: each side can expect half of the points")
    else:
        text = tr("{seat} can expect {percent} % of the points", seat=seat, percent=percent)
    return {"share": standing.share, "text": text, "exact": standing.exact}


def _hint(worth: Worth, position: View) -> View:
    touch: View = next((each for each in position["moves"] if each["move"] == worth.move), {})
    squares = {(cell["y"], cell["x"]): cell["name"] for cell in position["cells"]}
    text = worth.text
    if touch.get("target") and not touch["origin"]:
        piece = next(title for hand, _, title in position["hands"] if hand == touch["hand"])
        text = tr("Place {piece} on {square}", piece=piece, square=squares[touch["target"]])
    # An estimate of another search would contradict the evaluation.
    text = _EXACT[worth.score].format(text=text, plies=worth.plies) if worth.exact else text
    return {"move": worth.move, "text": text}
