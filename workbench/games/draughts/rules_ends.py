"""Draughts: how a game ends, and the sources that the rules name."""

from __future__ import annotations

from workbench.base.language import tr, trc
from workbench.games.declaration import Blank, Named, NoEffect, Span, Toggle, Value

ARTICLE = tr("'Checkers' and what is quoted there from the Japanese Wikipedia, blog article of 27 Dec 2019")
WCDF = tr("World Checkers/Draughts Federation, Rules of Draughts (Checkers)")
FORUM = tr("'Breakthrough draughts', World Draughts Forum, September 2017")
FMJD = tr("World Draughts Federation (FMJD), Official rules for international draughts 100")
IDF = tr("International Draughts Federation, Rules of draughts-64")
WTDF = tr("World Turkish Draughts rules of the FMJD: one king against one is a draw")
FID = tr("Federazione Italiana Dama, Regolamento tecnico")
VARIANTS = tr("'Checkers', English Wikipedia, table of national variants")
APCA = tr("American Pool Checkers Association, Tournament rules of play, 2016")
FRISIAN = tr("Official Rules for Frisian Draughts, 2011")
ARMENIAN = tr("'Armenian draughts', English Wikipedia")
MINDSPORTS = tr("C. Freeling, 'Killer Draughts', mindsports.nl")
HUFF = tr("'Huff (board games)' and 'Jamaican draughts', English Wikipedia; 'huff and move' in old laws of draughts")


WITHOUT_KINGS = NoEffect({"goal": ("first-king",), "start_position": ("rows",)})
"""The first king ends the game."""

ENDS = (
    Toggle(
        name="goal",
        title=tr("Goal"),
        source=tr(
            "{article}; giveaway: 'Suicide checkers', {variants}; the first king: {forum}; two kings: made for the "
            "workbench",
            article=ARTICLE,
            variants=VARIANTS,
            forum=FORUM,
        ),
        default="capture-all",
        values=(
            Value("capture-all", tr("A player whose pieces have all been captured loses.")),
            Value(
                "lose-all",
                tr(
                    "A player whose pieces have all been captured wins; who would lose for being unable to "
                    "move wins, too."
                ),
                tr("who loses all pieces wins"),
            ),
            Value(
                "first-king",
                tr(
                    "Whoever gets the first king wins with that move; a player whose pieces have all been "
                    "captured loses."
                ),
                tr("the first king wins"),
            ),
            Value(
                "two-kings",
                tr(
                    "Whoever is the first to have two kings on the board wins with that move; a player whose pieces "
                    "have all been captured loses."
                ),
                tr("the first two kings win"),
            ),
        ),
    ),
    Toggle(
        name="stuck",
        title=tr("No legal move"),
        source=ARTICLE,
        default="loss",
        values=(
            Value("loss", tr("A player who has pieces but no legal move loses.")),
            Value(
                "draw",
                tr("If the player to move has pieces but no legal move, the game is a draw."),
                tr("no legal move draws"),
            ),
        ),
    ),
    Toggle(
        name="repetition",
        title=trc("draughts", "Repetition"),
        source=tr("{wcdf}; {fmjd}", wcdf=WCDF, fmjd=FMJD),
        default=3,
        has_no_effect_when=(NoEffect({**WITHOUT_KINGS.settings, "men_step": ("forward",)}),),
        values=(Value(0, trc("draughts", "Positions may repeat without end.")),),
        span=Span(2, 20, tr("When a position occurs {n} times with the same player to move, the game is a draw.")),
    ),
    Toggle(
        name="quiet_limit",
        title=tr("Limit of quiet plies"),
        source=tr("80: {wcdf}; 50: {fmjd}", wcdf=WCDF, fmjd=FMJD),
        default=80,
        has_no_effect_when=(WITHOUT_KINGS,),
        values=(Value(0, tr("Kings may move without end.")),),
        span=Span(1, 1000, tr("After {n} plies without a capture or a man's move the game is a draw.")),
    ),
    Toggle(
        name="endgame_limits",
        title=tr("Limits of endings"),
        source=tr(
            "international: {fmjd}, 8.4 and 8.5; Russian: {idf}, on draws (but for the main road); Turkish: {wtdf}; "
            "Frisian: {frisian}, read as lidraughts.org does; pool checkers: {apca}, 27 (but for the long line, 28)",
            fmjd=FMJD,
            idf=IDF,
            wtdf=WTDF,
            frisian=FRISIAN,
            apca=APCA,
        ),
        default="none",
        has_no_effect_when=(
            NoEffect(
                {"goal": ("first-king",)},
                tr("no ending has a king where the first king wins: write endgame_limits: none or goal: capture-all"),
            ),
        ),
        values=(
            Blank("none", tr("Endings with few pieces have no limit of their own.")),
            Value(
                "international",
                tr(
                    "Where three pieces, a king among them, are left against a lone king, the game is a draw "
                    "after 16 more moves of each player; where two pieces or one, a king among them, after "
                    "5. A capture does not lengthen what is left."
                ),
                tr("international endgame limits"),
            ),
            Value(
                "russian",
                tr(
                    "Where both players have kings, the game is a draw when nothing was captured and no man became a "
                    "king for 5 moves of each player with two or three pieces on the board, for 30 with four or five, "
                    "for 60 with six or seven; and for 15 moves where three kings or more are left against a lone king."
                ),
                tr("Russian endgame limits"),
            ),
            Value(
                "turkish",
                tr(
                    "When each player has one king and nothing else, and the player to move cannot capture, "
                    "the game is a draw."
                ),
                tr("Turkish endgame limits"),
            ),
            Value(
                "frisian",
                tr(
                    "Where two kings are left against one, the game is a draw after 7 moves of each player; where one "
                    "king is left against one, after 2."
                ),
                tr("Frisian endgame limits"),
            ),
            Value(
                "pool",
                tr("Where three kings are left against a lone king, the game is a draw after 13 moves of each player."),
                tr("the endgame limit of pool checkers"),
            ),
        ),
    ),
)

TERMINATIONS = {
    8: Named("no-pieces", tr("All pieces of the player to move have been captured.")),
    9: Named("stuck", tr("The player to move has pieces but no legal move."), toggles=("stuck",)),
    10: Named("royal-captured", tr("The royal piece has been captured.")),
    11: Named(
        "quiet-limit", tr("Too many plies in a row without a capture or a man's move."), toggles=("quiet_limit",)
    ),
    12: Named("lose-all", tr("A player has lost all pieces, as was the goal.")),
    13: Named("first-king", tr("A player got the first king, as was the goal.")),
    14: Named(
        "endgame-limit",
        tr("The pieces that are left had all the moves that the rule on endings gives them."),
        toggles=("endgame_limits",),
    ),
    15: Named("two-kings", tr("A player was the first to have two kings, as was the goal.")),
}
