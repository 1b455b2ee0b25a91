"""Headings and labels of the written report, and how a game ended in a sentence."""

from __future__ import annotations

from workbench import games
from workbench.games import results
from workbench.games.declaration import Declaration
from workbench.language import OWN_NAME, tr
from workbench.report.model import Replay

TEXTS = {
    "native": OWN_NAME,
    "guide": tr("How to read the report"),
    "contents": tr("Contents"),
    "skip": tr("Skip to the content"),
    "appendix": tr("Appendix: all numbers"),
    "print_appendix": tr("Print it, too"),
    "before": tr("baseline"),
    "after": tr("proposal"),
    "proposals": tr("Proposals"),
    "example": tr("Example"),
    "marked": tr("marked square"),
    "instead": tr("instead of"),
    "opened": tr("Only the proposal allows"),
    "shut": tr("Only the baseline allows"),
    "plays": tr("Moves"),
    "stop": tr("."),
    "one_game": tr("Watch a game under it"),
    "typical": tr("Typical lines"),
    "viewer": tr("Replay of a game"),
    "choose": tr("Game"),
    "first": tr("To the start"),
    "previous": tr("One move back"),
    "next": tr("One move on"),
    "last": tr("To the end"),
    "play": tr("Play"),
    "pause": tr("Pause"),
    "speed": tr("Speed"),
    "curve": tr("Place in the game, and what the players' evaluation expected of it, without search"),
    "copy_text": tr("Copy as text"),
    "copy_link": tr("Link to this ply"),
    "copied": tr("Copied."),
    "again": tr("How to get this game again"),
    "had": tr("In the folder of this report:"),
    "arrows": tr(
        "Arrow keys step through the game, Home and End jump, Space plays it; a phone is swiped. "
        "The curve is what the players' evaluation expects, without search; its marks, and those "
        "of moves, are what a rule choice speaks of."
    ),
}
WON = tr("{player} wins after {plies} plies")
DRAWN = tr("A draw after {plies} plies")
AHEAD = tr("{player} ahead")
STOPPED = tr("Stopped after {plies} plies")
ENDING = tr("{result}: {termination}. {sentence}")


def ending_sentence(replay: Replay) -> str:
    """How a game ended, in a sentence."""
    declaration = games.declaration(replay.family)
    result = {"draw": DRAWN, "unfinished": STOPPED}.get(replay.result, WON)
    player = seat_names(declaration)[replay.result == "second"]
    return ENDING.format(
        result=result.format(plies=replay.plies, player=player),
        termination=replay.termination,
        sentence=termination_sentence(declaration, replay.termination),
    )


def termination_sentence(declaration: Declaration, name: str) -> str:
    """The sentence of a way to end."""
    named = results.ending(declaration, name)
    return named.sentence if named else ""


def seat_names(declaration: Declaration) -> tuple[str, str]:
    """What players call the two seats."""
    return declaration.seats
