"""A game in progress as plain data in one language, for ``play.js``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import games
from workbench.base.language import COMMA, from_catalogue, join, join_list, sentences, tr, trc
from workbench.rules.edits import RulesetReading
from workbench.studio import opponents
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.pages.play.session import HUMAN, GameSession
from workbench.studio.pages.rules.view import RulesView
from workbench.studio.visitor import View, Visitor

if TYPE_CHECKING:
    from workbench.players.judgement import Worth
    from workbench.studio.game_tasks import Step

POSITION_HINTS = {
    "fen": tr("The position as FEN, or as YAML in braces; empty for the start"),
    "board": tr("The rows of the position, or YAML in braces; empty for the start"),
    "": tr("The position as YAML in braces; empty for the start"),
}
"""The notation's name for a position -> the explanation of the text field."""
_COLOURS = {"○": tr("White"), "●": tr("Black")}
"""Colour names by the seat's piece, for seats not named after their colour."""
_DARK = "●★♚"
_EXACT = {
    0.0: tr("{text} loses in {plies}"), 0.5: trc("words", "{text} draws"), 1.0: tr("{text} wins in {plies}"),
}  # fmt: skip


def changes_view(reading: RulesetReading, store: DraftStore, visitor: Visitor) -> View:
    """Return the rules in force: changes from the base, and rule book."""
    parents = [tr("“{title}”", title=store.heading(name)) for name, _ in reading.file.parents]
    base = join_list(parents) if parents else tr("the defaults of {name}", name=reading.family.title)
    book = list(RulesView(reading, store.project, visitor).book())
    changes = sum(bool(sentence["was"]) for sentence in book)
    against = tr("Rule book; changed from {base}: {n}", base=base, n=changes)
    return visitor.localize({"against": against, "changes": changes, "book": book})


def table_view(session: GameSession, visitor: Visitor, earlier: tuple[int, View] | None) -> View:
    """Return the state of a game; ``earlier`` is the ply and the view of an earlier position to show."""
    shown, levels = session.shown, session.levels
    sides = _sides(session, visitor)
    seats = sides[::-1] if shown.get("swapped") else sides
    position = earlier[1] if earlier else shown
    check = position.get("check", "")
    family = games.declaration(session.ruleset.game)
    redundant = {str(check), *(str(tr("{seat} to move", seat=seat)) for seat in family.seats)}
    result = _result(session, seats)
    is_my_turn = bool(shown) and not session.is_over and session.players[shown["seat"]] == HUMAN
    turn = tr("{seat} to move", seat=seats[shown["seat"]]["name"]) if shown and not result else ""
    measured = {level.player: level.measured for level in levels}
    view: View = {
        "players": session.players,
        "seats": seats,
        "sides": list(family.seats),
        "you": _own_side(session, visitor),
        "turn": turn,
        "to_move": shown["seat"] if turn else None,
        "check": check,
        "result": result,
        "spoken": _announcement(session, turn, check, result),
        "looking": _earlier_view(*earlier) if earlier else None,
        "standing": _standing(session, sides),
        "waiting": session.waiting,
        "human": {"name": HUMAN, "title": tr("A person")},
        "levels": [{"player": level.player, "title": level.name} for level in levels],
        "measured": [measured.get(player, "") for player in session.players],
        "reads": ["" if player == HUMAN else opponents.description(player) for player in session.players],
        "hint": _hint(session.hinted) if session.hinted else None,
        "start": session.start,
        "trouble": session.trouble,
        "undo": bool(session.played) or session.resigned is not None,
        "redo": bool(session.later),
        "mine": is_my_turn and not earlier,
        "in_play": bool(session.played) and not session.is_over,
        "texts": shown.get("texts", []),
        "steps": list(map(step_text, shown.get("steps", []))),
        "notes": [note for note in position.get("notes", []) if str(note) not in redundant],
        "position": POSITION_HINTS.get(position.get("key", ""), POSITION_HINTS[""]),
        "moves": [] if earlier else shown.get("moves", []),
        "pictures": position.get("pictures", []),
        "below": position.get("below", 0),
        # The side of the first person is below.
        "turned": next((seat for seat in (0, 1) if session.players[seat] == HUMAN), 0) != position.get("below", 0),
        "last": position["steps"][-1][:2] if position.get("steps") else None,
        "curve": _curve(session),
        "size": position.get("size", (1, 1, 10, 7)),
        "grid": position.get("grid", {}),
        **{key: position.get(key, []) for key in ("names", "cells", "hands")},
    }
    return visitor.localize(view)


def _curve(session: GameSession) -> list[float | None]:
    """Return the first side's expected share after each ply as far as it is known."""
    if session.standing is None or not session.played:
        return []
    line = session.moves()
    shares = [session.shares.get(line[:ply]) for ply in range(len(line) + 1)]
    return shares if session.start else [None, *shares[1:]]


def _sides(session: GameSession, visitor: Visitor) -> list[View]:
    """Return both sides with their pieces and names, including the colour unless the name states it."""
    signs = session.shown.get("signs", [("", ""), ("", "")])
    dark = [sign in _DARK if sign else i == 1 for i, (sign, _) in enumerate(signs)]
    if dark[0] == dark[1]:
        dark = [False, True]
    sides = []
    seats = games.declaration(session.ruleset.game).seats
    for i, (name, (sign, picture)) in enumerate(zip(seats, signs, strict=True)):
        seat, colour = visitor.translate(name), visitor.translate(_COLOURS.get(sign, from_catalogue(str(name))))
        if colour not in (seat, str(name)) and not (sign and sign in seat):
            seat = visitor.translate(tr("{seat} ({colour})", seat=seat, colour=colour))
        sides.append({"name": seat, "sign": picture, "dark": dark[i]})
    return sides


def _own_side(session: GameSession, visitor: Visitor) -> View:
    """Return a sentence about the reader's side, split where the piece and the seat's name are drawn."""
    human_seats = [seat for seat in (0, 1) if session.players[seat] == HUMAN]
    if len(human_seats) == 1:
        before, _, after = visitor.translate(tr("You play {seat}.", seat="\n")).partition("\n")
        return {"before": before, "seat": human_seats[0], "after": after}
    text = tr("People play both sides here.") if human_seats else tr("Two workbench players play each other here.")
    return {"before": text, "seat": None, "after": ""}


def _result(session: GameSession, seats: Sequence[View]) -> dict[str, str] | None:
    """Return the result with its reason, or None; ``name`` is the ending in records."""
    if session.resigned is not None:
        loser, winner = seats[session.resigned]["name"], seats[1 - session.resigned]["name"]
        text = tr("{loser} resigns: {winner} wins.", loser=loser, winner=winner)
        return {"text": text, "why": "", "name": "resignation"}
    if over := session.shown.get("over"):
        return {"text": over["told"], "why": over["why"], "name": over["termination"]}
    if session.is_over:
        return {"text": tr("Stopped after {plies} plies.", plies=len(session.played)), "why": "", "name": "cap"}
    return None


def _announcement(session: GameSession, turn: str, check: str, result: View | None) -> str:
    """Return the text for screen readers: the last moves, and the side to move or the result."""
    undone = tr("Moves taken back: {n}.", n=len(session.later)) if session.later else ""
    last_move = ""
    if session.played and session.shown.get("texts"):
        steps = zip(session.shown["steps"], session.shown["texts"], strict=True)
        moves = [
            (seat, step_text(step) or text) for (_, seat), (step, text) in zip(session.played, steps, strict=False)
        ]
        mover = moves[-1][0]
        turn_moves = [text for _, text in itertools.takewhile(lambda move: move[0] == mover, reversed(moves))]
        last_move = tr("Last move: {moves}.", moves=join(COMMA, turn_moves[::-1]))
    if result and result["why"]:
        return sentences([undone, last_move, tr("{told}. {why}", told=result["text"], why=result["why"])])
    return sentences([undone, last_move, *([result["text"]] if result else [turn, check])])


def _earlier_view(plies: int, position: View) -> View:
    text = tr("The starting position")
    if plies:
        text = tr("The position after move {n}, {text}", n=plies, text=position["texts"][-1])
    return {"plies": plies, "text": text}


def _standing(session: GameSession, sides: Sequence[View]) -> View | None:
    """Return the standing in words and as the first side's share of the points."""
    standing = session.standing
    if standing is None or not (session.played or session.start):
        return None
    percent, seat = round(100 * max(standing.share, 1 - standing.share)), sides[standing.share < 0.5]["name"]
    if standing.exact:
        text = tr("A draw with best play") if percent == 50 else tr("{seat} wins with best play", seat=seat)
    elif percent == 50:
        text = tr("Even: each side can expect half of the points")
    else:
        text = tr("{seat} can expect {percent} % of the points", seat=seat, percent=percent)
    observer = tr("from one search by {player}", player=opponents.display_name(session.observer, session.levels))
    return {"share": standing.share, "dark": [side["dark"] for side in sides], "text": text, "by": observer}


def step_text(step: Step) -> str:
    """Return a move in words, or "" if it has no squares."""
    origin, target, piece = step
    if not target:
        return ""
    if not origin:
        return tr("{piece} placed on {target}", piece=piece, target=target)
    return tr("{piece} from {origin} to {target}", piece=piece, origin=origin, target=target)


def _hint(worth: Worth) -> View:
    # An estimate of another search would contradict the evaluation.
    text = _EXACT[worth.score].format(text=worth.text, plies=worth.plies) if worth.exact else worth.text
    return {"move": worth.move, "text": text}
