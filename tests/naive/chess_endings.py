"""How games of chess end by proposals, for the slow twin: from the rule text, on boards of python-chess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import chess

Settings = Mapping[str, str | int | float | bool]
WINS = {chess.WHITE: "first", chess.BLACK: "second"}


def goals(settings: Settings) -> Iterator[tuple[chess.Piece, set[chess.Square]]]:
    """Each piece that has a goal, with the squares of its goal."""
    if settings["flag"] == "none":
        return
    for clause in str(settings["flag"]).split(";"):
        letters, *places = clause.split()
        squares = {
            square
            for square in chess.SQUARES
            for place in places
            if all(want in ("*", sign) for want, sign in zip(place, chess.square_name(square), strict=True))
        }
        for letter in letters:
            yield chess.Piece.from_symbol(letter), squares


def at_goal(settings: Settings, board: chess.Board) -> set[chess.Color]:
    """The colours that have a piece at its goal."""
    return {
        piece.color for piece, squares in goals(settings) if squares & set(board.pieces(piece.piece_type, piece.color))
    }


def is_bare(board: chess.Board, colour: chess.Color) -> bool:
    """Whether a colour has nothing but its king."""
    return board.occupied_co[colour].bit_count() == 1


def ending(
    settings: Settings, board: chess.Board, given: Mapping[int, int], is_stuck: bool, is_round_over: bool
) -> tuple[str, str] | None:
    """Result and termination by a goal, by checks or by a bare king; None while the game goes on.

    ``given``: the checks of each colour. ``is_stuck``: the colour to move has no legal move.
    """
    if settings["flag_when"] == "at-once" or is_round_over or is_stuck:
        there = at_goal(settings, board)
        if there:
            return ("draw", "both-at-goal") if len(there) == 2 else (WINS[there.pop()], "flag")
    for colour in chess.COLORS:
        wins = settings["checks_to_win"]
        if colour == chess.BLACK and settings["checks_of_black"] != "as-white":
            wins = settings["checks_of_black"]
        if settings["checks_to_win"] and given[colour] >= int(wins):
            return WINS[colour], "checks"
    if settings["bare_king"] != "plays-on":
        bare = {colour for colour in chess.COLORS if is_bare(board, colour)}
        if len(bare) == 2:
            return "draw", "both-bare"
        # Who is bared is to move, and may still bare the other by his next ply.
        if bare and not (bare == {board.turn} and settings["bare_king"] == "loses-unless-bared"):
            return WINS[not bare.pop()], "bare-king"
    return None


def stalemate(settings: Settings, colour: chess.Color) -> str:
    """The result if a colour is stalemated."""
    rule = settings["stalemate_black"] if colour == chess.BLACK else "as-white"
    if rule == "as-white":
        rule = settings["stalemate"]
    return {"draw": "draw", "loss": WINS[not colour], "win": WINS[colour]}[str(rule)]
