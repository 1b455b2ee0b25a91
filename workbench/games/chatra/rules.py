"""The declaration of Chatra."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.base.language import tr, trc
from workbench.engine.folds import SQUARE
from workbench.games.declaration import (
    Blank,
    Conflict,
    Declaration,
    Group,
    Landmark,
    Named,
    NoEffect,
    Span,
    Toggle,
    UnitKind,
    Value,
)
from workbench.games.drawings import Drawing

PLAYERS = (trc("seat and colour", "Black"), trc("seat and colour", "White"))


RELATIONS = {
    "one_zone": tr("in the same zone, so each in the enemy zone"),
    "side_by_side": tr("in zones that share an edge"),
    "corner": tr("in zones that touch at a corner"),
    "facing": tr("facing each other across one zone in a row or column"),
    "far": tr("in other zones that do not touch"),
}
"""Relations of the objects. Comment 20 says 対面: here as on g3 and g10; with a common edge it is ``side_by_side``."""
PLACES = {
    "one_zone": tr("both objects in the same zone outside the centre"),
    "both_centre": tr("both objects in the centre zone"),
    "own_centre": tr("only the player's own object in the centre zone"),
    "enemy_centre": tr("only the enemy object in the centre zone"),
    "elsewhere": tr("no object in the centre or enemy zone"),
}
"""Places of the objects before a drop, from the player's point of view."""


def _early_events() -> Iterator[Named]:
    """Yield the counters of plies before the first check (開戦前 in proposal E), by the objects' relation."""
    yield Named(
        "early_plies",
        tr("Plies before the fighting, with both objects on the board and no check given so far."),
        per="plies",
    )
    for key, relation in RELATIONS.items():
        plies = tr("Plies before the fighting, with the objects {relation}.", relation=relation)
        yield Named(f"plies_{key}", plies, per="early_plies")
        fights = tr("Fights (started by the first check) that began with the objects {relation}.", relation=relation)
        yield Named(f"fights_{key}", fights, per=f"plies_{key}")
    for name, place in PLACES.items():
        for seat, player in (("first", tr("Black")), ("second", tr("White"))):
            plies = tr("{player}'s plies before the fighting, with {place}.", player=player, place=place)
            yield Named(f"{seat}_plies_{name}", plies, per="early_plies")
            squares = tr(
                "Squares open to {player}'s drops (ignoring check) before the fighting, with {place}.",
                player=player, place=place,
            )  # fmt: skip
            yield Named(f"{seat}_squares_{name}", squares, per=f"{seat}_plies_{name}")


RULES = tr("R. Konuma, Chatra rules, mixi community, 9 Sep 2007 to 9 Feb 2008")
TALK = tr("comments below R. Konuma's Chatra rules, mixi community, 2007-2008")
WITHOUT_OFFSIDE = NoEffect(
    {"offside": ("off",)},
    tr("there is no offside rule, so offside_line and offside_exemption have no effect: remove them"),
)

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
EVENTS = (
    Named("drops", tr("Subjects dropped."), per="plies"),
    Named("offside_drops", tr("Drops that only the offside rule allowed."),
          toggles=("offside", "offside_line", "offside_exemption")),
    Named("slides", tr("Subject slides of more than one step.")),
    Named("flights", tr("Subject moves of more than one step that needed a flight.")),
    Named("captures", tr("Subjects captured.")),
    Named("object_moves", tr("Moves of an object after its placement.")),
    Named("checks", tr("Plies that gave check.")),
    Named("centre_entries", tr("Moves of an object into the centre zone."), toggles=("object_into_centre",)),
    Named("limits_ended_by_check", tr("Ply after which a check ended the drop limits; 0 if none did."),
          toggles=("limits_end",)),
    Named("limits_ended_by_centre", tr("Ply after which an entry into the centre ended the drop limits; 0 if none "
                                       "did."), toggles=("limits_end",)),
    Named("moves", tr("Moves of subjects and objects on the board."), per="drops"),
    Named("quiet_moves", tr("Moves on the board that neither gave nor answered a check."), per="plies"),
    *_early_events(),
)

TOGGLES = (
    Toggle(
        name="size", title=tr("Board size"),
        source=tr("{rules}, sections 2(1) and 9", rules=RULES), default=12,
        values=tuple((
                         Value(n, tr("The board has {n}×{n} squares{zones}.", n=n, zones=zones))
                         for n, zones in (
                             (12, tr(" in nine zones of 4×4")),
                             (9, tr(" in nine zones of 3×3 (for beginners)")),
                             (6, tr(" in nine zones of 2×2 (small enough to be solved)")),
                             (3, tr(", each its own zone (small enough to be solved)")),
                             (15, tr(" in nine zones of 5×5 (for experts)")),
                         )
                     )),
    ),
    Toggle(
        name="opening", title=tr("Opening"),
        source=tr("{rules}, section 3; proposal C: {talk}", rules=RULES, talk=TALK), default="subject-first",
        values=(
            Value("subject-first", tr("Black first drops a subject (not in the centre zone); then White and "
                                      "then Black place their objects."), tr("a subject first")),
            Value("objects-first", tr("Black places the first object, White the second; from ply 3 both play "
                                      "freely (proposal C)."), tr("objects first")),
        ),
    ),
    Drawing(
        name="object_area", title=tr("Where objects are placed"),
        source=tr("{rules}, sections 3(2) and 4(1); proposal D: {talk}", rules=RULES, talk=TALK),
        default="outside-centre",
        values=(
            Value("outside-centre", tr("Objects may be placed anywhere outside the centre zone."),
                  tr("objects outside the centre")),
            Value("away-from-centre", tr("Objects may not be placed in the centre zone or on a square that "
                                         "touches it (proposal D)."), tr("objects away from the centre")),
        ),
        drawn=tr("Objects may be placed only on marked squares."),
    ),
    Toggle(
        name="later_object", title=tr("Where the second object is placed"),
        source=tr("{talk}, proposals A and B", talk=TALK), default="anywhere",
        values=(
            Blank("anywhere", tr("The object placed second may be in any zone open to objects."),
                  tr("the second object placed in any open zone")),
            Value("outside-enemy-zone", tr("The object placed second may not be in the enemy zone (proposal A)."),
                  tr("the second object placed outside the enemy zone")),
            Value("away-from-enemy-zone", tr("The object placed second may not be in the enemy zone or in a "
                                             "zone that touches it (proposal B)."),
                  tr("the second object placed away from the enemy zone")),
        ),
    ),
    Toggle(
        name="object_into_centre", title=tr("When an object may enter the centre"),
        source=tr("{talk}, proposal E", talk=TALK), default="always",
        values=(
            Blank("always", tr("An object may move into the centre zone at any time."),
                  tr("objects may always enter the centre")),
            Value("after-first-check", tr("An object may move into the centre zone only after the first check of the "
                                          "game (proposal E)."), tr("no object in the centre before the first check")),
        ),
    ),
    Toggle(
        name="limits_end", title=tr("When the drop limits end"),
        source=tr("{rules}, section 4(3), versions of 2007-09 and 2008-02", rules=RULES), default="check-or-centre",
        values=(
            Value("check-or-centre", tr("The drop limits end for both players after the first check, or when an object "
                                        "moves into the centre zone."), tr("limits end with a check or centre entry")),
            Value("check", tr("The drop limits end for both players after the first check."),
                  tr("limits end with a check")),
            Value("never", tr("The drop limits never end.")),
        ),
    ),
    Toggle(
        name="offside", title=tr("Offside rule"),
        source=tr("{rules}, section 4(2): 'the pieces near the enemy object'; its drawings are lost", rules=RULES),
        default="nearest-two",
        values=(
            Value("nearest-two", tr("A drop is also allowed on the line through the player's two subjects "
                                    "nearest to the enemy object (measured between the centres of the "
                                    "squares), and on the side of that line away from the object; among "
                                    "equally near subjects, any pair that allows the drop will do."),
                  tr("offside by the nearest two")),
            Value("front", tr("A drop is also allowed on or behind the line through any two of the player's "
                              "subjects, provided that none of the player's subjects is on the enemy object's "
                              "side of the line."), tr("offside by the front pieces")),
            Value("any-two", tr("A drop is also allowed on or behind the line through any two of the player's "
                                "subjects."), tr("offside by any two")),
            Value("off", tr("There is no offside rule: only the zones matter.")),
        ),
    ),
    Toggle(
        name="offside_line", title=tr("How far the offside line extends"),
        source=tr("{rules}, section 4(2): 'the line that connects the centres'; its drawings are lost", rules=RULES),
        default="line",
        has_no_effect_when=(WITHOUT_OFFSIDE,),
        values=(
            Value("line", tr("The offside line is the whole straight line through the two subjects, and all "
                             "squares on its far side lie away from the enemy object."),
                  tr("the offside line has no end")),
            Value("segment", tr("The offside line ends at the two subjects: a drop is allowed on the segment between "
                                "them and on the squares that it hides from the enemy object. In front of it are the "
                                "squares in the triangle formed by the two subjects and the enemy object."),
                  tr("the offside line ends at the subjects")),
        ),
    ),
    Toggle(
        name="offside_exemption", title=tr("The enemy object on the offside line"),
        source=tr("{rules}, section 4(2), which names only rows, columns and 45° diagonals", rules=RULES),
        default="any-slope",
        has_no_effect_when=(WITHOUT_OFFSIDE,),
        values=(
            Value("any-slope", tr("Two subjects open no squares if the enemy object is on the straight line "
                                  "through them, between or beyond them, at any slope."),
                  tr("exempt on lines of any slope")),
            Value("rows-columns-diagonals", tr("Two subjects open no squares if the enemy object is on their "
                                               "row, column or 45° diagonal. If it is on the line through them "
                                               "at any other slope, the line is open, and neither side counts "
                                               "as facing away from the object."),
                  tr("exempt on rows, columns and diagonals")),
        ),
    ),
    Toggle(
        name="subjects", title=tr("Supply of subjects"),
        source=tr("{talk}, on limiting the supply ('15 would change little, perhaps 7')", talk=TALK),
        default="unlimited",
        values=(Value("unlimited", tr("Each player has as many subjects as the game needs.")),),
        span=Span(1, 112, tr("Each player has {n} subjects; captured ones join the captor's hand.")),
    ),
    Toggle(
        name="white_supply", title=tr("White's supply"),
        source=tr("no source: allows ideas such as '10 for Black, 12 for White'"), default="as-black",
        has_no_effect_when=(
            NoEffect({"subjects": ("unlimited",)}, tr("White's supply can differ only if Black's is limited: "
                                                      "write subjects: 7 or another number")),
        ),
        values=(Blank("as-black", tr("White has as many subjects as Black."), code=0),),
        span=Span(1, 112, tr("White has a different number of subjects: {n}.")),
    ),
    Toggle(
        name="adjacent_drops", title=tr("Adjacent drops"),
        source=tr("{rules}, section 8(2)", rules=RULES), default="forbidden",
        values=(
            Value("forbidden", tr("No subject may be dropped next to a subject of either side."),
                  tr("no drop next to a subject")),
            Value("allowed", tr("Subjects may be dropped next to other subjects.")),
        ),
    ),
    Toggle(
        name="drop_check", title=tr("Check by a drop"),
        source=tr("{rules}, section 8(1)", rules=RULES), default="forbidden",
        values=(Value("forbidden", tr("A drop may not give check.")), Value("allowed", tr("A drop may give check."))),
    ),
    Toggle(
        name="middle_piece", title=tr("Pieces in the middle of a row"),
        source=tr("{rules}, section 5(4)", rules=RULES), default="no-links",
        values=(
            Value("no-links", tr("Of three or more subjects of one side in a line, only the two at the ends "
                                 "are linked; those between them have only the king step, on every line."),
                  tr("middle pieces have no links")),
            Value("no-links-on-that-line", tr("Of three or more subjects of one side in a line, only the two "
                                              "at the ends are linked on that line; those between them keep "
                                              "their links with subjects off the line."),
                  tr("middle pieces have no links on that line")),
        ),
    ),
    Toggle(
        name="link_moves", title=tr("What links give"),
        source=tr("no source: allows ideas such as 'no slides'"), default="both",
        values=(
            Blank("both", tr("Links allow flights and slides.")),
            Value("flights", tr("Links allow only flights: nothing slides.")),
            Value("slides", tr("Links allow only slides: nothing flies.")),
        ),
    ),
    Toggle(
        name="flight_captures", title=tr("What a flight captures"),
        source=tr("no source: allows ideas such as 'capture by flying over'"), default="landing",
        has_no_effect_when=(
            NoEffect({"link_moves": ("slides",)}, tr("nothing flies, so flight_captures has no effect: remove "
                                                     "it, or write link_moves: both")),
        ),
        values=(
            Blank("landing", tr("A flight captures only where it lands.")),
            Value("flown-over", tr("A flight also captures every enemy subject that it flies over, that is, any with "
                                   "the centre of its square on the straight line between the ends of the flight."),
                  tr("flights capture what they fly over")),
        ),
    ),
    Toggle(
        name="enemy_object_cuts", title=tr("An enemy object on a line"),
        source=tr("{rules}, section 5(4)", rules=RULES), default=True,
        values=(
            Value(True, tr("An enemy object on a line cuts it: subjects on opposite sides of the object do not "
                           "affect each other."), tr("an enemy object cuts lines")),
            Value(False, tr("An enemy object on a line does not cut it.")),
        ),
    ),
    Toggle(
        name="repetition", title=tr("Repetition"),
        source=tr("{rules}, section 8(3)", rules=RULES), default="initiator-loses",
        values=(
            Value("initiator-loses", tr("When a position recurs too often, the side to move, which started the "
                                        "sequence, loses. Positions count, not moves: drops in a fight for one "
                                        "square lead to the same position wherever they are made."),
                  tr("whoever began a repetition loses")),
            Value("draw", tr("When a position occurs too often, the game is a draw."), tr("a repetition draws")),
            Value("off", tr("Positions may repeat without limit.")),
        ),
    ),
    Toggle(
        name="repetition_count", title=tr("How many occurrences end the game"),
        source=tr("{rules}, section 8(3): the third run of a sequence must be its last; the fourth, which ends "
                  "in the fifth occurrence, loses. On the stricter reading (4), the third run already decides",
                  rules=RULES),
        default=5,
        has_no_effect_when=(
            NoEffect({"repetition": ("off",)}, tr("repetition is off, so repetition_count has no effect: "
                                                  "remove one of them")),
        ),
        span=Span(2, 20, tr("Occurrence number {n} of a position ends the game.")),
    ),
    Toggle(
        name="stuck", title=tr("No legal move, not in check"),
        source=tr("not specified in the source; our choice"), default="draw",
        values=(
            Value("draw", tr("A player who has no legal move and is not in check draws."), tr("having no legal "
                                                                                              "move draws")),
            Value("loss", tr("A player who has no legal move and is not in check loses."), tr("having no legal "
                                                                                              "move loses")),
        ),
    ),
    Toggle(
        name="row_wins", title=tr("Subjects in a row"),
        source=tr("no source: allows ideas such as 'five in a row win'"), default=0,
        values=(Blank(0, tr("Subjects in a row do not win.")),),
        span=Span(3, 8, tr("A player also wins by having {n} subjects side by side in a row, column or 45° "
                           "diagonal after moving."), label=tr("{n} in a row win, too")),
    ),
    Toggle(
        name="white_extra_moves", title=tr("White's extra moves"),
        source=tr("no source: a komi in moves, for ideas such as 'White moves twice first'"), default=0,
        values=(Blank(0, tr("Players take turns from the start.")),),
        span=Span(1, 3, tr("On White's first turn after both objects are placed, White makes {n} more moves; a "
                           "check ends them."), label=tr("White begins with {n} more moves")),
    ),
    Drawing(
        name="drop_area", title=tr("Squares where subjects may be dropped"),
        source=tr("no source: allows ideas such as 'not on the two outer rings'"), default="everywhere",
        values=(Blank("everywhere", tr("No square is permanently closed to drops.")),),
        drawn=tr("Subjects may be dropped only on marked squares."),
    ),
    Drawing(
        name="start_position", title=tr("The starting position"),
        source=tr("not from any source: all sources start with an empty board"), default="empty",
        # Matches positions with objects.
        settled={"B": ("opening", "object_area", "later_object")},
        values=(Blank("empty", tr("The game starts with an empty board.")),),
        what=tr("rows of . b w B W (subjects, and objects in capitals) such as b../.W./B.w"), pieces="bBwW",
        drawn=tr("The game starts from this position."),
    ),
)

DECLARATION = Declaration(
    name="chatra", title=tr("Chatra"), training_nodes=50_000_000, trainer=2, version=2,
    source=RULES,
    seats=(trc("first seat", "Black"), trc("second seat", "White")),
    introduction=tr("Drop subjects on an empty board, link them so that they move far, and checkmate "
                    "the opponent's object."), aim=("row_wins", "stuck"),
    summary=(
        tr("Each player has subjects and one object, the king to be mated. The board starts empty. It is "
           "divided into nine square zones; two zones touch if they share an edge or a corner."),
        tr("After the opening, a player drops a subject, or moves a subject or the object. There is no "
           "passing. A player may not leave their own object under attack. A player whose object is attacked "
           "and who has no legal move is mated and loses."),
        tr("While the drop limits last, a subject may be dropped in the player's own zone (that of the "
           "player's object), and in any zone except the enemy zone and those that touch it."),
        tr("Objects and subjects step like a chess king. Moving onto an enemy subject captures it."),
        tr("Two linked subjects A and B of one side extend each other's moves, in these ways unless the rules below "
           "leave one out. Flight: A jumps to the square point-symmetric to A about B, over any pieces in between. "
           "Slide: if they share a row, column or 45° diagonal, B slides straight away from A, at most as far as A "
           "is from B, up to and including an enemy subject, or to just before a friendly piece. Pieces attack as "
           "they move. Objects have no links."),
    ),
    notation=(
        tr("f9 drops a subject on f9; columns are lettered from the left, rows numbered from the top."),
        tr("Ok2 places the object on k2, or moves it there."),
        tr("e12-e2 moves the subject on e12 to e2."),
    ),
    toggles=TOGGLES, legend=tr("● ○ subjects and ★ ☆ objects of Black and White"), current="2008-02",
    groups=(
        Group(tr("Board and start"), ("size", "opening", "white_extra_moves", "start_position")),
        Group(tr("Objects"), ("object_area", "later_object", "object_into_centre")),
        Group(tr("Drops"), ("subjects", "white_supply", "adjacent_drops", "drop_check", "drop_area", "limits_end",
                            "offside", "offside_line", "offside_exemption")),
        Group(tr("Links"), ("link_moves", "flight_captures", "middle_piece", "enemy_object_cuts")),
        Group(tr("End of the game"), ("row_wins", "repetition", "repetition_count", "stuck")),
    ),
    conflicts=(
        Conflict({"size": (3,), "object_area": ("away-from-centre",)},
                 tr("on 3×3 every square touches the centre, so no object could be placed: write object_area: "
                    "outside-centre or a larger size")),
        *(
            Conflict({"size": (size,), "row_wins": tuple(range(size + 1, 9))},
                     tr("the board has no row of this length: write a smaller row_wins or a larger size"))
            for size in (3, 6)
        ),
    ),
    units=(UnitKind("subject", tr("subject"), SQUARE), UnitKind("object", tr("object"), SQUARE)),
    features=(
        Named("escape_squares", tr("Adjacent squares to which the object can safely step."), 0.01),
        Named("attackers", tr("Attacks by subjects on the enemy object and the squares around it."), 0.09),
        Named("aimed_links", tr("Flights and slides that end next to the enemy object."), -0.02),
        Named("mobility", tr("Squares that the subjects can reach, including by capture."), 0.018),
        Named("subjects", tr("Subjects on the board."), 0.08),
        Named("linked", tr("Subjects with links, except those in the middle of a row of three or more."), 0.03),
        Named("near", tr("The player's subjects within three steps of the enemy object."), 0.19),
        Named("drop_freedom", tr("Squares in open zones where a subject may be dropped while the limits last."),
              0.007),
        Named("centre", tr("The object's distance from the edge, in steps."), 0.2),
        Named("hand", tr("Subjects in hand, if the supply is limited."), 0.05),
        Named("in_check", tr("True if the object is under attack."), -0.9),
        Named("tempo", tr("True if this side is to move."), 0.3),
        Named("trapped", tr("True if the object has no square to step to."), -0.5),
        Named("cramped", tr("True if the object has at most two squares to step to."), -0.3),
        Named("supported_checks", tr("Squares next to the enemy object that two of the player's subjects and "
                                     "no enemy subject attack."), 0.18),
        Named("initiative", tr("The same squares, if it is this side's turn."), 0.33),
    ),
    events=EVENTS,
    styles=(
        Named("centre", tr("Places the object as near to the centre zone as allowed, and moves it there within "
                           "the first 12 plies.")),
        Named("edge", tr("Places the object in a side zone, away from the centre zone, and keeps out of the "
                         "centre at first.")),
        Named("corner", tr("Places the object in a corner zone, and keeps out of the centre zone at first.")),
        Named("near-centre", tr("Places the object as near to the centre zone as allowed, and moves it there "
                                "only if that seems best.")),
    ),
    landmarks=(
        Landmark("object", tr("The square on which each player places the object."),
                 "O(?P<column>[a-o])(?P<row>[0-9]+)", fold=SQUARE, size="size"),
    ),
    terminations={
        8: Named("mate", tr("The object is attacked and the player has no legal move.")),
        9: Named("stuck", tr("The player is not in check and has no legal move."), toggles=("stuck",)),
        10: Named("row", tr("A player had the required number of subjects in a row."), toggles=("row_wins",)),
    },
)
