"""The declaration of draughts."""

from __future__ import annotations

from workbench.base.language import tr, trc
from workbench.engine.folds import UNFOLDED
from workbench.games.declaration import (
    Blank,
    Conflict,
    Declaration,
    Group,
    Named,
    NoEffect,
    Span,
    Toggle,
    UnitKind,
    Value,
)
from workbench.games.draughts.rules_squares import EXTENTS, NAMINGS, OBLONG
from workbench.games.drawings import Drawing

ARTICLE = tr("'Checkers' and its quotations from the Japanese Wikipedia, blog article of 27 Dec 2019")
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
"""The toggle has no effect if the first king ends the game."""

FROM_AFAR = ("flying", "land-behind", "flying-but-behind-a-king")
FULL = tr("the men would fill the board and leave no row between them: choose fewer rows or a larger board")

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
ENDS = (
    Toggle(
        name="goal", title=tr("Goal"),
        source=tr("{article}; giveaway: 'Suicide checkers', {variants}; the first king: {forum}; two kings: made for "
                  "the workbench", article=ARTICLE, variants=VARIANTS, forum=FORUM),
        default="capture-all",
        values=(
            Value("capture-all", tr("A player whose pieces have all been captured loses.")),
            Value("lose-all", tr("A player whose pieces have all been captured wins; so does one who would "
                                 "lose by being unable to move."), tr("whoever loses all pieces wins")),
            Value("first-king", tr("Whoever gets the first king wins with that move; a player whose pieces have all "
                                   "been captured loses."), tr("the first king wins")),
            Value("two-kings", tr("Whoever is the first to have two kings on the board wins with that move; a player "
                                  "whose pieces have all been captured loses."), tr("the first two kings win")),
        ),
    ),
    Toggle(
        name="stuck", title=tr("No legal move"),
        source=ARTICLE, default="loss",
        values=(
            Value("loss", tr("A player who has pieces but no legal move loses.")),
            Value("draw", tr("If the player to move has pieces but no legal move, the game is a draw."),
                  tr("having no legal move draws")),
        ),
    ),
    Toggle(
        name="repetition", title=trc("draughts", "Repetition"),
        source=tr("{wcdf}; {fmjd}", wcdf=WCDF, fmjd=FMJD), default=3,
        has_no_effect_when=(NoEffect({**WITHOUT_KINGS.settings, "men_step": ("forward",)}),),
        values=(Value(0, trc("draughts", "Positions may repeat without limit.")),),
        span=Span(2, 20, tr("When a position occurs {n} times with the same player to move, the game is a draw.")),
    ),
    Toggle(
        name="quiet_limit", title=tr("Limit on quiet plies"),
        source=tr("80: {wcdf}; 50: {fmjd}", wcdf=WCDF, fmjd=FMJD), default=80,
        has_no_effect_when=(WITHOUT_KINGS,),
        values=(Value(0, tr("Kings may move without limit.")),),
        span=Span(1, 1000, tr("The game is a draw after {n} plies without a capture or a move by a man.")),
    ),
    Toggle(
        name="endgame_limits", title=tr("Endgame limits"),
        source=tr("international: {fmjd}, 8.4 and 8.5; Russian: {idf}, on draws (except the main road); "
                  "Turkish: {wtdf}; Frisian: {frisian}, as read by lidraughts.org; pool checkers: {apca}, 27 "
                  "(except the long line, 28)", fmjd=FMJD, idf=IDF, wtdf=WTDF, frisian=FRISIAN, apca=APCA),
        default="none",
        has_no_effect_when=(
            NoEffect({"goal": ("first-king",)}, tr("no ending has a king if the first king wins: write "
                                                   "endgame_limits: none or goal: capture-all")),
        ),
        values=(
            Blank("none", tr("Endings with few pieces have no limit of their own.")),
            Value("international", tr("If three pieces, including a king, are left against a lone king, the game is a "
                                      "draw after 16 more moves by each player; if one or two pieces, including a "
                                      "king, are left, it is a draw after 5. A capture never adds moves."),
                  tr("international endgame limits")),
            Value("russian", tr("If both players have kings, the game is a draw when nothing has been captured "
                                "and no man has become a king for 5 moves by each player with two or three "
                                "pieces on the board, for 30 with four or five, for 60 with six or seven; but "
                                "for 15 if three or more kings are left against a lone king."),
                  tr("Russian endgame limits")),
            Value("turkish", tr("When each player has one king and nothing else, and the player to move cannot "
                                "capture, the game is a draw."), tr("Turkish endgame limits")),
            Value("frisian", tr("If two kings are left against one, the game is a draw after 7 moves by each "
                                "player; with one king against one, after 2."), tr("Frisian endgame limits")),
            Value("pool", tr("If three kings are left against a lone king, the game is a draw after 13 moves "
                             "by each player."), tr("pool checkers endgame limit")),
        ),
    ),
)

TERMINATIONS = {
    8: Named("no-pieces", tr("All pieces of the player to move have been captured.")),
    9: Named("stuck", tr("The player to move has pieces but no legal move."), toggles=("stuck",)),
    10: Named("royal-captured", tr("The royal piece has been captured.")),
    11: Named("quiet-limit", tr("Too many plies in a row without a capture or a move by a man."),
              toggles=("quiet_limit",)),
    12: Named("lose-all", tr("A player has lost all pieces, which was the goal.")),
    13: Named("first-king", tr("A player got the first king, which was the goal.")),
    14: Named("endgame-limit", tr("The endgame limit for the remaining pieces has been reached."),
              toggles=("endgame_limits",)),
    15: Named("two-kings", tr("A player was the first to have two kings, which was the goal.")),
}

TOGGLES = (
    Toggle(
        name="size", title=tr("Board size"),
        source=tr("{article}; 10×8: Spantsireti, by N. Spantsireti, {variants}", article=ARTICLE, variants=VARIANTS),
        default=8,
        values=(
            Value(8, tr("The board is 8×8.")),
            Value(4, tr("The board is 4×4 (small enough to be solved).")),
            Value(6, tr("The board is 6×6 (for tests and lessons).")),
            Value(9, tr("The board is 9×9, and its corners are used."), tr("9×9 board")),
            Value(10, tr("The board is 10×10.")),
            Value(12, tr("The board is 12×12.")),
            *(
                Value(f"{files}x{ranks}", tr("The board is {files}×{ranks}: {files} columns and {ranks} rows.",
                                             files=files, ranks=ranks),
                      tr("{files}×{ranks} board", files=files, ranks=ranks), code=ranks << 4 | files)
                for files, ranks in OBLONG
            ),
        ),
    ),
    Toggle(
        name="squares", title=tr("Squares used"),
        source=tr("{article}; Turkish draughts: {variants}", article=ARTICLE, variants=VARIANTS), default="dark",
        values=(
            Value("dark", tr("Only the squares of one colour are used; their lines are the diagonals."),
                  tr("dark squares")),
            Value("all", tr("All squares are used; their lines are the rows and columns."), tr("all squares")),
        ),
    ),
    Toggle(
        name="step_lines", title=tr("Lines of non-capturing moves"),
        source=tr("{variants}; Armenian draughts: {armenian}", variants=VARIANTS, armenian=ARMENIAN), default="own",
        values=(
            Blank("own", tr("Non-capturing moves follow the lines of the squares.")),
            Value("all", tr("Non-capturing moves follow rows, columns and diagonals. On squares of one colour "
                            "the next square in a row or column is two away."), tr("moves along all lines")),
        ),
    ),
    Toggle(
        name="capture_lines", title=tr("Lines of captures"),
        source=tr("{variants}; Frisian draughts: {frisian}", variants=VARIANTS, frisian=FRISIAN), default="own",
        values=(
            Blank("own", tr("Pieces capture along the lines of the squares.")),
            Value("all", tr("Pieces capture along rows, columns and diagonals. On squares of one colour the "
                            "next square in a row or column is two away."), tr("captures along all lines")),
            Value("other", tr("Pieces capture along the other lines: along rows and columns if pieces are on "
                              "squares of one colour, diagonally if all squares are used."),
                  tr("captures along the other lines")),
        ),
    ),
    Toggle(
        name="rows", title=tr("Rows of men"),
        source=ARTICLE, default=3, span=Span(1, 5, tr("Each player has {n} rows of men.")),
    ),
    Toggle(
        name="empty_back_rows", title=tr("Empty rows behind the men"),
        source=tr("Turkish draughts: {variants}", variants=VARIANTS), default=0,
        values=(Blank(0, tr("The men begin on the back row.")), Value(1, tr("The back row is empty at the start."))),
    ),
    Toggle(
        name="men_step", title=tr("How men step"),
        source=tr("{article}; Turkish draughts: {variants}", article=ARTICLE, variants=VARIANTS), default="forward",
        values=(
            Value("forward", tr("A man steps one square forward.")),
            Value("forward-and-sideways", tr("A man steps one square forward or sideways.")),
            Value("all-directions", tr("A man steps one square in any direction, even backwards.")),
        ),
    ),
    Toggle(
        name="men_capture", title=tr("How men capture"),
        source=tr("{article}; also backwards: {fmjd}", article=ARTICLE, fmjd=FMJD), default="forward",
        values=(
            Value("forward", tr("A man captures forward, and sideways or backwards only if it can also step that way."),
                  tr("men capture forward")),
            Value("all-directions", tr("A man captures in all directions, even backwards.")),
        ),
    ),
    Toggle(
        name="men_may_take_kings", title=tr("Men capture kings"),
        source=tr("Italian draughts: {fid}", fid=FID), default=True,
        has_no_effect_when=(WITHOUT_KINGS,),
        values=(Blank(True, tr("A man may capture a king.")), Value(False, tr("A man may not capture a king."))),
    ),
    Toggle(
        name="king_move", title=tr("How kings move"),
        source=tr("{article}; {fmjd}", article=ARTICLE, fmjd=FMJD), default="one-step",
        has_no_effect_when=(WITHOUT_KINGS,),
        values=(
            Value("one-step", tr("A king moves one step in any direction.")),
            Value("flying", tr("A king moves any number of free squares in a line.")),
        ),
    ),
    Toggle(
        name="king_capture", title=tr("How kings capture"),
        source=tr("{article}; from afar: {fmjd}; landing directly behind: Thai draughts, {variants}; behind a king: "
                  "Killer draughts, {mindsports}", article=ARTICLE, fmjd=FMJD, variants=VARIANTS,
                  mindsports=MINDSPORTS),
        default="adjacent",
        has_no_effect_when=(
            NoEffect({
                         **WITHOUT_KINGS.settings,
                         "crowning_in_capture": ("ends-move", "stays-man-unless-it-ends-there"),
                     }),
        ),
        values=(
            Value("adjacent", tr("A king captures an adjacent piece, in any direction, by jumping to the "
                                 "square behind that piece."), tr("kings capture adjacent pieces")),
            Value("flying", tr("A king captures a piece from any distance and lands on any free square behind it; if "
                               "the king can go on capturing from some of these squares, it must land on one of them."),
                  tr("kings capture from afar")),
            Value("land-behind", tr("A king captures a piece from any distance and lands on the square "
                                    "directly behind it."), tr("kings land right behind captured pieces")),
            Value("flying-but-behind-a-king", tr("A king captures a piece from any distance and lands on any free "
                                                 "square behind it; if the king can go on capturing from some of these "
                                                 "squares, it must land on one of them. If the last piece that it "
                                                 "captures is a king, it must land directly behind that king."),
                  tr("kings land right behind captured kings")),
        ),
    ),
    Toggle(
        name="king_run", title=tr("Consecutive moves with one king"),
        source=FRISIAN, default=0,
        has_no_effect_when=(WITHOUT_KINGS,),
        values=(Blank(0, tr("A king may keep moving.")),),
        span=Span(1, 20, tr("A player who has a man left may make at most {n} moves in a row with the same "
                            "king; then another piece must move or the king must capture.")),
    ),
    Toggle(
        name="capture", title=trc("draughts", "Obligation to capture"),
        source=tr("{article}; huffing: {huff}", article=ARTICLE, huff=HUFF), default="obligatory",
        values=(
            Value("obligatory", tr("A player who can capture must capture.")),
            Value("optional", tr("A player who can capture may make another move instead; a capture once begun "
                                 "must go on as long as possible."), tr("captures are optional")),
            Value("huffing", tr("A player who can capture may make another move instead. The opponent may then "
                                "remove one of the pieces that could have captured, before moving as usual. A "
                                "capture once begun must go on as long as possible."),
                  tr("whoever does not capture is huffed")),
        ),
    ),
    Toggle(
        name="capture_choice", title=tr("Choice among captures"),
        source=tr("{article}; most pieces: {fmjd}; {fid}; Spanish and Czech draughts: {variants}; {frisian}",
                  article=ARTICLE, fmjd=FMJD, fid=FID, variants=VARIANTS, frisian=FRISIAN),
        default="any",
        values=(
            Value("any", tr("Among several captures the player chooses freely.")),
            Value("most-pieces", tr("The capture that removes the most pieces must be made."),
                  tr("the largest capture is obligatory")),
            Value("italian", tr("The capture that removes the most pieces must be made; among equals, one by a "
                                "king, then the one with the most captured kings, then the one that captures "
                                "kings earliest."), tr("Italian choice of captures")),
            Value("spanish", tr("The capture that removes the most pieces must be made; among equals, the one "
                                "with the most captured kings."), tr("Spanish choice of captures")),
            Value("king-first", tr("If a king can capture, a king must capture.")),
            Value("frisian", tr("The most valuable capture must be made: a king is worth slightly more than "
                                "one and a half men. Among equals, one by a king must be made."),
                  tr("Frisian choice of captures")),
        ),
    ),
    Toggle(
        name="crowning_in_capture", title=tr("Reaching the last row in a capture"),
        source=tr("{article}; {fmjd}; Russian draughts: {idf}", article=ARTICLE, fmjd=FMJD, idf=IDF),
        default="ends-move",
        values=(
            Value("ends-move", tr("A man that reaches the last row in a capture becomes a king, and the move ends."),
                  tr("crowning ends the capture")),
            Value("stays-man-unless-it-ends-there", tr("A man that reaches the last row in a capture continues "
                                                       "as a man if it can, and becomes a king only if the "
                                                       "capture ends there."),
                  tr("crowned only if the capture ends there")),
            Value("becomes-king-and-goes-on", tr("A man that reaches the last row in a capture becomes a king at once, "
                                                 "and goes on capturing as a king if it can."),
                  tr("crowned at once, then continues")),
        ),
    ),
    Toggle(
        name="removal", title=tr("When captured pieces are removed"),
        source=tr("{fmjd}; Turkish draughts: {variants}", fmjd=FMJD, variants=VARIANTS), default="after-move",
        values=(
            Value("after-move", tr("Captured pieces are removed after the whole move: until then they block, "
                                   "and none may be jumped twice."), tr("pieces are removed after the move")),
            Value("at-once", tr("Captured pieces are removed at once.")),
        ),
    ),
    Toggle(
        name="reverse_turn", title=tr("Turning back within a capture"),
        source=tr("Turkish draughts: {variants}", variants=VARIANTS), default="allowed",
        # Captured pieces that stay on the board block the way back, and short jumps leave no piece behind.
        has_no_effect_when=(NoEffect({"removal": ("after-move",)}), NoEffect({"king_capture": ("adjacent",)})),
        values=(
            Blank("allowed", tr("Within a capture a piece may turn in any direction.")),
            Value("forbidden", tr("Within a capture a piece may not turn back by 180°.")),
        ),
    ),
    Toggle(
        name="royal", title=tr("Royal piece"),
        source=tr("Tetsugaku Tobishōgo by Inoue Enryō, 1890: {article}", article=ARTICLE), default="none",
        values=(
            Blank("none", tr("There is no royal piece.")),
            Value("back-centre", tr("The piece in the middle of the back row is royal: it moves and captures like a "
                                    "king from the start, and whoever captures it wins."), tr("a royal piece")),
        ),
    ),
    *ENDS,
    Drawing(
        name="start_position", title=tr("Where the pieces start"),
        source=tr("PDN standard 3.0, FEN"), default="rows",
        settled={"": ("rows", "empty_back_rows")},
        values=(Blank("rows", tr("The pieces begin on their usual rows.")),),
        what=tr("a FEN such as W:W31-50:B1-20, the side to move first"),
        form="[WB]:[WB][KRa-l0-9,-]*:[WB][KRa-l0-9,-]*", pieces="wWbBRr",
        drawn=tr("The game starts from this position, not from rows of men."),
    ),
)

DECLARATION = Declaration(
    name="draughts", title=tr("Draughts"), version=1,
    source=ARTICLE,
    seats=(trc("first seat", "First"), trc("second seat", "Second")),
    introduction=tr("Capture the opponent's pieces by jumping over them: a player without a piece "
                    "or a move loses."), aim=("goal", "stuck", "royal"),
    summary=(
        tr("Two players move in turn. A man becomes a king when its move ends on the last row."),
        tr("A piece captures an enemy piece by jumping over it to a free square behind. A capture goes on with "
           "the same piece as long as possible. Captures with the same origin, destination and set of captured "
           "pieces count as one move."),
    ),
    notation=(
        tr("11-15 moves the piece on square 11 to square 15; with lettered squares, c3-d4 moves a piece from "
           "c3 to d4."),
        tr("22x15 captures; intermediate squares are given if needed to tell two captures apart: 22x15x8."),
    ),
    square_namings=NAMINGS, toggles=TOGGLES, legend=tr("⛂ ⛀ men and ⛃ ⛁ kings of Black and White"),
    current="english",
    groups=(
        Group(tr("Board and start"), ("size", "squares", "rows", "empty_back_rows", "start_position")),
        Group(tr("Men"), ("step_lines", "men_step", "men_capture", "men_may_take_kings", "crowning_in_capture")),
        Group(tr("Kings"), ("king_move", "king_capture", "king_run", "royal")),
        Group(tr("Captures"), ("capture", "capture_choice", "capture_lines", "removal", "reverse_turn")),
        Group(tr("End of the game"), ("goal", "stuck", "repetition", "quiet_limit", "endgame_limits")),
    ),
    conflicts=(
        Conflict({"king_move": ("one-step",), "king_capture": FROM_AFAR},
                 tr("a king that moves one step cannot capture from afar: write king_move: flying or king_capture: "
                    "adjacent")),
        Conflict({"capture": ("optional", "huffing"),
                  "capture_choice": ("most-pieces", "italian", "spanish", "frisian")},
                 tr("capture_choice has no effect if capturing is optional: write capture: obligatory or "
                    "capture_choice: any")),
        Conflict({"squares": ("dark",), "men_step": ("forward-and-sideways",), "step_lines": ("own",),
                  "capture_lines": ("own",)},
                 tr("on squares of one colour nothing moves sideways: write squares: all or men_step: forward")),
        Conflict({"royal": ("back-centre",), "capture": ("huffing",)},
                 tr("a royal piece may not be huffed: write capture: optional or royal: none")),
        Conflict({"royal": ("back-centre",), "goal": ("two-kings",)},
                 tr("the royal piece is a king from the start, but two kings win: write goal: capture-all or royal: "
                    "none")),
        *(
            Conflict({
                         "size": sizes,
                         "rows": tuple(range(ranks // 2 + ranks % 2 - empty, 6)),
                         "empty_back_rows": (empty,),
                     }, FULL)
            for ranks in (4, 6, 8, 9, 10, 12)
            for sizes in [tuple(size for size, extent in EXTENTS.items() if extent[1] == ranks)]
            for empty in (0, 1)
            if ranks // 2 + ranks % 2 - empty <= 5
        ),
        Conflict({"royal": ("back-centre",), "size": tuple(size for size in EXTENTS if size != 9)},
                 tr("a board of even size has no middle square on the back row: write size: 9 or royal: none")),
        Conflict({"royal": ("back-centre",), "empty_back_rows": (1,)},
                 tr("the back row is empty, so no piece there can be royal: write empty_back_rows: 0 or royal: none")),
        Conflict({"royal": ("back-centre",), "goal": ("lose-all",)},
                 tr("capturing the royal piece wins, but the goal is to lose: write goal: capture-all or royal: none")),
        Conflict({"royal": ("back-centre",), "goal": ("first-king",)},
                 tr("the royal piece is a king from the start, but the first king wins: write goal: capture-all or "
                    "royal: none")),
    ),
    units=(
        UnitKind("man", trc("draughts", "man"), UNFOLDED),
        UnitKind("king", tr("king"), UNFOLDED),
        UnitKind("royal", tr("royal"), UNFOLDED),
    ),
    trainer=1,
    features=(
        Named("men", tr("Men."), 0.5),
        Named("kings", tr("Kings that capture only adjacent pieces."), 0.7),
        Named("flying_kings", tr("Kings that capture from afar."), 1.3),
        Named("mobility", tr("Non-capturing moves."), 0.02),
        Named("back_row", tr("Men on the back row, where they stop enemy men from being crowned."), 0.07),
        Named("advancement", tr("Rows that the men have advanced in total."), 0.025),
        Named("centre", tr("Pieces in the middle of the board."), 0.02),
        Named("hanging", tr("Jumps that the enemy can make over this side's pieces, if it is the enemy's turn."),
              -0.5),
        Named("threatened", tr("Jumps that the enemy could make over this side's pieces if it were the enemy's "
                               "turn."), -0.15),
        Named("royal_attacked", tr("Jumps that the enemy could make over the royal piece."), -0.5),
        Named("tempo", tr("True if this side is to move."), 0.05),
    ),
    events=(
        Named("captures", tr("Moves that captured.")),
        Named("multi_captures", tr("Moves that captured more than one piece."), toggles=("removal", "reverse_turn")),
        Named("forced_captures", tr("Captures made when the obligation ruled out other moves."), toggles=("capture",)),
        Named("choice_bound", tr("Captures made when the rule on choosing captures ruled out another capture."),
              toggles=("capture_choice",)),
        Named("crownings", tr("Men that became kings."), toggles=("king_move", "king_capture", "men_may_take_kings")),
        Named("crownings_in_capture", tr("Men that became kings by a capture."), toggles=("crowning_in_capture",)),
    ),
    terminations=TERMINATIONS,
)
