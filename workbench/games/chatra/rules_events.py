"""Chatra: what is counted in a game."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.base.language import tr
from workbench.games.declaration import Named

RELATIONS = {
    "one_zone": tr("in one zone, each in the enemy zone"),
    "side_by_side": tr("in zones that share an edge"),
    "corner": tr("in zones that touch at a corner"),
    "facing": tr("facing each other across one zone of their row or column"),
    "far": tr("in other zones that do not touch"),
}
"""How the objects stand. Comment 20 says 対面: here as g3 and g10 stand; as a common edge it is ``side_by_side``."""
PLACES = {
    "one_zone": tr("both objects in one zone that is not the centre"),
    "both_centre": tr("both objects in the centre zone"),
    "own_centre": tr("only the own object in the centre zone"),
    "enemy_centre": tr("only the enemy object in the centre zone"),
    "elsewhere": tr("no object in the centre or enemy zone"),
}
"""Where the objects stand when a player may drop, as that player sees it."""


def _before_the_fighting() -> Iterator[Named]:
    """What is counted before the first check (開戦前, in the words of proposal E), and how the objects stand then."""
    yield Named(
        "early_plies",
        tr("Plies before the fighting: both objects are on the board, and there has been no check."),
        per="plies",
    )
    for key, relation in RELATIONS.items():
        plies = tr("Plies before the fighting with the objects {relation}.", relation=relation)
        yield Named(f"plies_{key}", plies, per="early_plies")
        fights = tr("Fights begun (first checks) with the objects {relation}.", relation=relation)
        yield Named(f"fights_{key}", fights, per=f"plies_{key}")
    for name, place in PLACES.items():
        for seat, player in (("first", tr("Black")), ("second", tr("White"))):
            plies = tr("{player}'s plies before the fighting with {place}.", player=player, place=place)
            yield Named(f"{seat}_plies_{name}", plies, per="early_plies")
            squares = tr(
                "Squares open to {player}'s drops (check aside) before the fighting, with {place}.",
                player=player, place=place,
            )  # fmt: skip
            yield Named(f"{seat}_squares_{name}", squares, per=f"{seat}_plies_{name}")


EVENTS = (
    Named("drops", tr("Subjects dropped."), per="plies"),
    Named(
        "offside_drops",
        tr("Drops that only the offside rule allowed."),
        toggles=("offside", "offside_line", "offside_exemption"),
    ),
    Named("slides", tr("Subject moves of more than one step that follow a slide.")),
    Named("flights", tr("Subject moves of more than one step that only a flight allows.")),
    Named("captures", tr("Subjects captured.")),
    Named("object_moves", tr("Moves of an object after it was placed.")),
    Named("checks", tr("Plies that gave check.")),
    Named("centre_entries", tr("Times an object moved into the centre zone."), toggles=("object_into_centre",)),
    Named(
        "limits_ended_by_check",
        tr("Ply after which a check ended the drop limits; 0 if none did."),
        toggles=("limits_end",),
    ),
    Named(
        "limits_ended_by_centre",
        tr("Ply after which an entry into the centre ended the drop limits; 0 if none did."),
        toggles=("limits_end",),
    ),
    Named("moves", tr("Moves of subjects and objects on the board."), per="drops"),
    Named("quiet_moves", tr("Moves on the board that neither gave check nor answered one."), per="plies"),
    *_before_the_fighting(),
)
