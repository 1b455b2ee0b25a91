"""The declaration of the mixed game (rengō shōgi II)."""

from __future__ import annotations

from typing import NamedTuple

from workbench.base.language import tr, trc
from workbench.engine.folds import MIRRORED, SQUARE
from workbench.games.declaration import (
    Blank,
    Declaration,
    Files,
    Group,
    Named,
    NoEffect,
    PlayerChoice,
    Span,
    Toggle,
    UnitKind,
    Value,
)
from workbench.games.prices import Price, PriceList
from workbench.games.prices import Unit as Priced

SOURCE = tr("「続・連合将棋」 (mixed shōgi, part II), blog.hangame.co.jp/P427369068")
FIRST = tr("the first article 『連合将棋』, blog.hangame.co.jp/P427369068/article/40534170")
OURS = tr("not specified in the source; our choice")

SHOGI, CHESS, XIANGQI, JANGGI, MAKRUK, DRAUGHTS, GO, OTHELLO, RENJU = range(9)
GAMES = (
    tr("shogi"), tr("chess"), tr("xiangqi"), tr("janggi"), tr("makruk"), tr("draughts"),
    tr("go"), tr("othello"), tr("renju"),
)  # fmt: skip

KEEPS, PROMOTES_AT_WILL, PROMOTES_IN_ZONE, PROMOTES_PAST_MIDDLE, PROMOTES_ON_LAST_ROW, CHOOSES_ON_LAST_ROW = range(6)
"""Types of promotion: none, as in shogi, and those of 貝, 卒, 平 and 兵."""


class Unit(NamedTuple):
    """A kind of unit."""

    letter: str
    """The letter in notation, with a plus sign if the promoted unit has no letter of its own."""
    game: int
    role: str
    """The class: king, adjutant, elephant, horse, chariot, cannon, soldier or stone."""
    cost: int
    """The cost in points in the first article's table, which players' evaluations use regardless of price lists."""
    most: int
    """The maximum number per player; 0 for units that exist only through promotion."""
    betza: str
    promotion: int = KEEPS
    promoted: str = ""


UNITS = (
    Unit("玉", SHOGI, "king", 0, 1, "K"),
    Unit("王", CHESS, "king", 0, 1, "K"),
    Unit("帥", XIANGQI, "king", -4, 1, "W"),
    Unit("楚", JANGGI, "king", -4, 1, "W"),
    Unit("君", MAKRUK, "king", 0, 1, "K"),
    Unit("金", SHOGI, "adjutant", 6, 2, "WfF"),
    Unit("銀", SHOGI, "elephant", 5, 2, "FfW", PROMOTES_AT_WILL, "+銀"),
    Unit("桂", SHOGI, "horse", 3, 2, "ffN", PROMOTES_AT_WILL, "+桂"),
    Unit("香", SHOGI, "chariot", 3, 2, "fR", PROMOTES_AT_WILL, "+香"),
    Unit("飛", SHOGI, "chariot", 10, 1, "R", PROMOTES_AT_WILL, "+飛"),
    Unit("角", SHOGI, "elephant", 8, 1, "B", PROMOTES_AT_WILL, "+角"),
    Unit("歩", SHOGI, "soldier", 1, 9, "fW", PROMOTES_AT_WILL, "+歩"),
    Unit("+銀", SHOGI, "adjutant", 6, 0, "WfF"),
    Unit("+桂", SHOGI, "adjutant", 6, 0, "WfF"),
    Unit("+香", SHOGI, "adjutant", 6, 0, "WfF"),
    Unit("+飛", SHOGI, "chariot", 12, 0, "RF"),
    Unit("+角", SHOGI, "elephant", 10, 0, "BW"),
    Unit("+歩", SHOGI, "adjutant", 6, 0, "WfF"),
    Unit("后", CHESS, "adjutant", 18, 1, "Q"),
    Unit("僧", CHESS, "elephant", 8, 2, "B"),
    Unit("騎", CHESS, "horse", 6, 2, "N"),
    Unit("城", CHESS, "chariot", 11, 2, "R"),
    Unit("兵", CHESS, "soldier", 1, 8, "fmWfcF", CHOOSES_ON_LAST_ROW, "后"),
    Unit("仕", XIANGQI, "adjutant", 2, 2, "F"),
    Unit("相", XIANGQI, "elephant", 2, 2, "nA"),
    Unit("傌", XIANGQI, "horse", 4, 2, "nN"),
    Unit("俥", XIANGQI, "chariot", 10, 2, "R"),
    Unit("炮", XIANGQI, "cannon", 6, 2, "mRcpR"),
    Unit("卒", XIANGQI, "soldier", 1, 5, "fW", PROMOTES_PAST_MIDDLE, "+卒"),
    Unit("+卒", XIANGQI, "soldier", 1, 0, "fWsW"),
    Unit("士", JANGGI, "adjutant", 4, 2, "WF"),
    Unit("象", JANGGI, "elephant", 3, 2, "nZ"),
    Unit("马", JANGGI, "horse", 5, 2, "nN"),
    Unit("车", JANGGI, "chariot", 11, 2, "R"),
    Unit("包", JANGGI, "cannon", 6, 2, "pR"),
    Unit("卆", JANGGI, "soldier", 1, 5, "fWsW"),
    Unit("種", MAKRUK, "adjutant", 4, 1, "F"),
    Unit("根", MAKRUK, "elephant", 5, 2, "FfW"),
    Unit("午", MAKRUK, "horse", 6, 2, "N"),
    Unit("船", MAKRUK, "chariot", 10, 2, "R"),
    Unit("貝", MAKRUK, "soldier", 1, 8, "fmWfcF", PROMOTES_IN_ZONE, "核"),
    Unit("核", MAKRUK, "adjutant", 4, 0, "F"),
    Unit("平", DRAUGHTS, "soldier", 3, 20, "fmF", PROMOTES_ON_LAST_ROW, "冠"),
    Unit("冠", DRAUGHTS, "elephant", 9, 20, "mB"),
    Unit("碁", GO, "stone", 0, 180, ""),
    Unit("翻", OTHELLO, "stone", 1, 32, ""),
    Unit("珠", RENJU, "stone", 2, 113, ""),
)
"""The kernel's kind k is unit k - 1, and 0 is the empty cell. 平 and 冠 capture by jumping, which no table contains.

Betza's letters mean: W and F one step orthogonally and diagonally, K both; N, A and Z leaps of (1, 2), (2, 2) and
(2, 3); R, B and Q riders. Before a letter: f forward only (ff the two narrow leaps), s sideways, m only without and c
only with capture, n lame (the leap can be blocked), p over exactly one screen.

Source: the first article's table of pieces, classes and costs; the notation: R. Betza, chessvariants.org.
"""

LETTERS = ("", *(unit.letter for unit in UNITS))
"""The letter of each kind."""
KIND = {letter: kind for kind, letter in enumerate(LETTERS) if letter}
SOLDIER_ROW = {9: 3, 13: 4, 19: 4, 8: 2, 15: 4, 10: 4}
"""The row of soldiers by board size, counted from the player's edge; on go and renju boards, the row of star points."""

FREE_GO_STONES, FURTHER_GO_STONE = 50, 1
"""The number of free 碁, and the points for each further 碁. Source: section 2(2)."""


def _priced(unit: Unit) -> Priced:
    """Return a unit with its price in the default table."""
    price = Price(FURTHER_GO_STONE, FREE_GO_STONES) if unit.game == GO else Price(unit.cost)
    return Priced(unit.letter, GAMES[unit.game], price, unit.most, gives_back=unit.role == "king")


# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
TOGGLES = (
    Toggle(
        name="board", title=tr("Board"),
        source=tr("{source}, section 3", source=SOURCE), default="go9",
        values=(
            Value("go9", tr("A 9×9 go board. Soldiers start on the third row. 卒 promotes from the middle row "
                            "on, shogi pieces and 貝 from the enemy's third row on, 兵 and 平 on the last row. "
                            "Players may pass at any time."), tr("9×9 go board"), code=9),
            Value("go13", tr("A 13×13 go board. Soldiers start on the fourth row. 卒 promotes from the middle "
                             "row on, shogi pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last "
                             "row. Players may pass at any time."), tr("13×13 go board"), code=13),
            Value("go19", tr("A 19×19 go board. Soldiers start on the fourth row. 卒 promotes from the middle "
                             "row on, shogi pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last "
                             "row. Players may pass at any time."), tr("19×19 go board"), code=19),
            Value("othello8", tr("An 8×8 othello board. Soldiers start on the second row, all other units on "
                                 "the first. 卒 promotes from the enemy's fourth row on, shogi pieces and 貝 "
                                 "from the enemy's second row on, 兵 and 平 on the last row. A player passes if "
                                 "and only if there is no other legal move."), tr("othello board"), code=8),
            Value("renju15", tr("A 15×15 renju board. Soldiers start on the fourth row. 卒 promotes from the "
                                "middle row on, shogi pieces and 貝 from the enemy's fourth row on, 兵 and 平 on "
                                "the last row. There is no passing; if there is no legal move, the second "
                                "player's king decides: 玉 and 帥 lose, 王 and 君 draw, with 楚 the player passes."),
                  tr("renju board"), code=15),
            Value("draughts10", tr("A 10×10 draughts board. Soldiers start on the fourth row. 卒 promotes from the "
                                   "enemy's fifth row on, shogi pieces and 貝 from the enemy's fourth row on, 兵 and "
                                   "平 on the last row. There is no passing; a player without a legal move loses."),
                  tr("draughts board"), code=10),
        ),
    ),
    Toggle(
        name="first_army", title=tr("Army of the first player"),
        source=tr("{source}, sections 1 and 2: players place what they like within their budget", source=SOURCE),
        default="shogi-classic", files=Files("armies", tr("an army"), tr("The first player sets up this army.")),
    ),
    Toggle(
        name="second_army", title=tr("Army of the second player"),
        source=tr("{source}, sections 1 and 2: players place what they like within their budget", source=SOURCE),
        default="shogi-classic", files=Files("armies", tr("an army"), tr("The second player sets up this army.")),
    ),
    Toggle(
        name="budget", title=tr("Points for each army"),
        source=tr("{source}, section 2(4)", source=SOURCE), default=100,
        span=Span(0, 1000, tr("Each army may cost up to {n} points.")),
    ),
    PriceList(
        name="prices", title=tr("Prices of the units"),
        source=tr("{first}, table of costs; {source}, section 2(2); other prices are ours", first=FIRST, source=SOURCE),
        default="source",
        values=(
            Value("source", tr("Prices follow the source's table; the first 50 碁 of an army are free.")),
        ),
        units=tuple(_priced(unit) for unit in UNITS if unit.most > 0), budget="budget",
        paid=("first_army", "second_army"), differs=tr("Prices follow the source's table, except {prices}."),
    ),
    Toggle(
        name="draughts_duty", title=tr("Obligation to capture with draughts units"),
        source=tr("{source}, section 4; its precedence over check is open", source=SOURCE), default="above-check",
        values=(
            Value("above-check", tr("If 平 or 冠 can capture, the capture that removes the most units must be "
                                    "made and all else is forbidden, in check or not. If every such capture "
                                    "would leave the player's king capturable, only a pass remains; a player "
                                    "who may not pass has no legal move, and in check is mated."),
                  tr("the obligation to capture takes precedence over "
                                                              "check")),
            Value("below-check", tr("If 平 or 冠 can capture without leaving the player's king capturable, the "
                                    "capture that removes the most units must be made."),
                  tr("check takes precedence over the obligation to capture")),
            Value("off", tr("Capturing with 平 and 冠 is optional, and the choice among captures is free; a "
                            "capture still goes on as long as possible."), tr("no obligation to capture")),
        ),
    ),
    Toggle(
        name="crown", title=tr("Reach of the crown 冠"),
        source=tr("{source}, section 4: 'as in international draughts'", source=SOURCE), default="flying",
        values=(
            Value("flying", tr("冠 moves any distance along a diagonal and captures over any distance, as in "
                               "international draughts."), tr("the crown flies")),
            Value("short", tr("冠 moves one step diagonally and captures by jumping over a neighbouring unit."),
                  tr("the crown moves one step")),
        ),
    ),
    Toggle(
        name="go_capture", title=tr("Capture by surrounding with 碁"),
        source=tr("{source}, section 4", source=SOURCE), default="all-units",
        values=(
            Value("all-units", tr("A connected group of enemy units of any kind is captured when all its "
                                  "neighbouring cells contain 碁. No move may leave one of the player's own "
                                  "groups enclosed, unless it captures first."), tr("surrounding captures all units")),
            Value("go-stones-only", tr("Only groups of 碁 are captured this way; a friendly unit of another "
                                       "kind beside a group protects it."), tr("surrounding captures only go stones")),
            Value("off", tr("Nothing is captured by surrounding, and no cell is forbidden."),
                  tr("no capture by surrounding")),
        ),
    ),
    Toggle(
        name="othello_flip", title=tr("Flipping with 翻"),
        source=tr("{source}, section 4", source=SOURCE), default="all-units",
        values=(
            Value("all-units", tr("翻 is dropped where it brackets enemy units of any kind in a line ending at "
                                  "another of the player's 翻; they change sides. A player without 翻 on the "
                                  "board may drop it anywhere."), tr("all units are flipped")),
            Value("stones-only", tr("翻 is dropped where it brackets enemy 翻, which are flipped; any other unit "
                                    "breaks the line."), tr("only stones are flipped")),
            Value("off", tr("翻 may be dropped anywhere and flips nothing.")),
        ),
    ),
    Toggle(
        name="flip_king", title=tr("A bracketed king"),
        source=tr("{ours} ({source}, section 4, does not name kings)", ours=OURS, source=SOURCE), default="immune",
        has_no_effect_when=(
            NoEffect({"othello_flip": ("stones-only", "off")},
                     tr("only 翻 that flip all units could capture a king: remove flip_king")),
        ),
        values=(
            Value("immune", tr("A king breaks a line: it cannot be bracketed.")),
            Value("captured", tr("Bracketing the enemy king captures it: the threat to do so is check."),
                  tr("a flipped king is captured")),
        ),
    ),
    Toggle(
        name="five", title=tr("Five in a row"),
        source=tr("{source}, sections 4 and 5", source=SOURCE), default="renju-stones",
        values=(
            Value("renju-stones", tr("Five or more 珠 of one player in a row, column or diagonal win at once."),
                  tr("five renju stones win")),
            Value("any-own-stones", tr("Five or more stones of one player, of any kind (碁, 翻, 珠), in a row, "
                                       "column or diagonal win at once."), tr("five stones of any kind win")),
            Value("off", tr("Rows of stones do not win.")),
        ),
    ),
    Toggle(
        name="five_ignores_check", title=tr("Five in a row and check"),
        source=tr("{source}, section 4", source=SOURCE), default=True,
        has_no_effect_when=(
            NoEffect({"five": ("off",)}, tr("five is off, so five_ignores_check has no effect: remove one of them")),
        ),
        values=(
            Value(True, tr("A move that completes five may leave the player's king in check."),
                  tr("five wins even in check")),
            Value(False, tr("Even a move that completes five may not leave the player's king capturable."),
                  tr("five does not win in check")),
        ),
    ),
    Toggle(
        name="bikjang", title=tr("楚 facing 楚 (bikjang)"),
        source=tr("{source}, section 4", source=SOURCE), default="draw",
        values=(
            Value("draw", tr("While two 楚 face each other on an open column, the player to move must end this, "
                             "or the game is a draw."), tr("facing kings draw")),
            Value("off", tr("Two 楚 may face each other.")),
        ),
    ),
    Toggle(
        name="facing_generals", title=tr("帥 facing 帥"),
        source=tr("{source}, section 4", source=SOURCE), default="forbidden",
        values=(
            Value("forbidden", tr("No move may leave two 帥 facing each other on an open column."),
                  tr("generals may not face each other")),
            Value("allowed", tr("Two 帥 may face each other.")),
        ),
    ),
    Toggle(
        name="komi", title=tr("Komi"),
        source=tr("{source}, section 5", source=SOURCE), default=6.5,
        has_no_effect_when=(NoEffect({"board": ("draughts10",)}), NoEffect({"passing": ("never",)})),
        span=Span(-50, 50, tr("When both players pass in succession, the second player receives {n} points."),
                  step=0.5),
    ),
    Toggle(
        name="ko", title=tr("Ko"),
        source=tr("{source}, section 4", source=SOURCE), default="forbidden",
        has_no_effect_when=(
            NoEffect({"go_capture": ("off",)}, tr("go_capture is off, so there is no ko: remove ko")),
        ),
        values=(
            Value("forbidden", tr("If a single unit has just captured a single unit by surrounding it, and the "
                                  "vacated cell is the capturing unit's only empty neighbour, nothing may be "
                                  "placed there on the next move."), tr("ko")),
            Value("allowed", tr("A ko may be recaptured at once.")),
        ),
    ),
    Toggle(
        name="passing", title=tr("Passing"),
        source=tr("{source}, section 3; 'never' is ours", source=SOURCE), default="by-board",
        has_no_effect_when=(NoEffect({"board": ("draughts10",)}),),
        values=(
            Blank("by-board", tr("Passing depends on the board.")),
            Value("never", tr("There is no passing: even where the board or the king would allow it, a player "
                              "without a legal move loses."), tr("no passing")),
        ),
    ),
)

DECLARATION = Declaration(
    name="rengo", title=tr("Mixed shōgi (rengō shōgi II)"), training_nodes=10_000_000, version=1,
    source=SOURCE,
    seats=(trc("first seat", "First"), trc("second seat", "Second")),
    introduction=tr("Lead an army of pieces and stones from many games: checkmate the opponent's king, or put "
                    "five renju stones in a row."), aim=("five",),
    summary=(
        tr("Each player has an army of units from many games: shogi, chess, xiangqi, janggi, makruk and "
           "draughts pieces, go stones 碁, othello stones 翻 and renju stones 珠, with exactly one king of any "
           "kind, which is royal. Soldiers start on the soldiers' row, all other units behind it, 珠 only in "
           "hand, 碁 and 翻 on the board or in hand."),
        tr("On each turn a player moves a unit, drops one from the hand, or passes if the board allows it. No "
           "move may leave the player's king capturable by any means; a player in check without a legal move "
           "is mated and loses."),

        tr("Shogi and chess pieces move as in their games, but 兵 has no double step; promoted 飛 moves as 飛 or "
           "one step diagonally, 角 as 角 or one step orthogonally, others as 金. Xiangqi: 帥 one step orthogonally,"
           " 仕 one diagonally, 相 two diagonally, 傌 one orthogonally, then one diagonally outwards, both over "
           "empty squares, 俥 as 飛, 炮 as 飛 but capturing over one unit, 卒 one step forward, also sideways once "
           "promoted. Janggi: 楚 as 帥, 士 one step any way, 象 one step, then two diagonally outwards, over empty "
           "squares, 马 as 傌, 车 as 飛, 包 moves and captures over one unit, no 包 involved, 卆 one step forward or "
           "sideways. Makruk: 君 as 王, 種 as 仕, 根 as 銀, 午 as 騎, 船 as 飛, 貝 as 兵, promoted 核 as 仕. "
           "There are no palaces and no river."),
        tr("平 steps diagonally forward and captures by jumping over any enemy unit diagonally, forward or "
           "backward, repeatedly as in international draughts; it becomes 冠 if its move ends on the last row. "
           "Jumped units leave the board after the move, and none may be jumped twice."),
        tr("Captured shogi pieces (unpromoted) and 翻 go to the captor's hand; all other units become "
           "prisoners. Shogi pieces are dropped as in shogi: no second unpromoted 歩 in a column, none where it "
           "could never move, no mate by dropping 歩. 珠 may not be dropped in the player's own half. Promotion "
           "of shogi pieces is optional when a move ends in the zone; all other promotions are forced."),
        tr("Precedence: five in a row, mate, bikjang, no legal move, repetition, judged by the second player's king "
           "(for 玉 the fourth occurrence is a draw, for others the third; with 玉 and 帥 perpetual check loses)."),
        tr("The game ends when both players pass in succession. Each scores the empty cells of regions that touch only "
           "their own 碁, including the cells of dead enemy units there, plus prisoners, plus their 翻 on the board. A "
           "region extends to 碁 of either side, whether or not they could live: a single enemy 碁 makes all of it "
           "neutral, and must be captured before the game ends; any other enemy unit in it except a king is dead."),
    ),
    notation=(
        tr("c3-c4 moves a unit; columns are lettered from the left, rows numbered from the top. c3-c2+ promotes, "
           "h2-h1=后 (or =Q, =R, =B, =N) chooses a promotion."),
        tr("c7-e5:d6 jumps over d6; all jumped cells follow the colon. c7-e5 is enough if only one jump fits."),
        tr("歩*e5 drops a unit from the hand, also written P*e5: P 歩, L 香, N 桂, S 銀, G 金, B 角, R 飛, I 碁, O 翻, "
           "J 珠."), tr("pass passes."),
    ),
    toggles=TOGGLES, legend=tr("Units of the first player point up, those of the second player down."), current="go9",
    groups=(
        Group(tr("Board and armies"), ("board", "first_army", "second_army", "budget", "prices")),
        Group(tr("Moves and captures"),
              ("draughts_duty", "crown", "go_capture", "ko", "passing", "othello_flip", "flip_king")),
        Group(tr("End of the game"), ("five", "five_ignores_check", "bikjang", "facing_generals", "komi")),
    ),
    player_choice=PlayerChoice("army", ("first_army", "second_army"), title=tr("army")),
    conflicts=(),
    units=tuple(UnitKind(unit.letter, unit.letter, SQUARE if unit.role == "stone" else MIRRORED) for unit in UNITS),
    features=(
        Named("board_cost", tr("Cost of the units on the board according to the source's table, whatever the "
                               "ruleset's prices."),
              0.1),
        Named("hand_cost", tr("Cost of the units in hand according to the source's table, whatever the "
                              "ruleset's prices."), 0.08),
        Named("mobility", tr("Moves of the pieces, regardless of the king's safety."), 0.02),
        Named("king_exits", tr("Free cells next to the king that are not attacked."), 0.05),
        Named("king_guard", tr("Friendly units next to the king."), 0.05),
        Named("liberties", tr("Empty cells next to the player's 碁."), 0.01),
        Named("in_check", tr("True if the side to move is in check."), -0.5),
        Named("open_rows", tr("Lines of five cells with two or three 珠 and nothing else, counting each 珠 "
                              "beyond the first."), 0.1),
        Named("fours", tr("Lines of five cells with four 珠 and nothing else, three points each."), 1.0),
        Named("flippable", tr("The most enemy units that one drop of 翻 can flip."), 0.1),
        Named("territory", tr("Empty cells in regions that touch only the player's 碁."), 0.01),
        Named("othello_stones", tr("翻 on the board."), 0.02),
        Named("prisoners", tr("Prisoners."), 0.02),
        Named("tempo", trc("rengo", "True if this side is to move."), 0.1),
        Named("advance", tr("Rows that the soldiers have advanced in total."), 0.02),
    ),
    events=(
        Named("drops", tr("Units dropped.")),
        Named("captures", tr("Units captured by moving onto them.")),
        Named("jumped", tr("Units captured by jumping.")),
        Named("go_captures", tr("Units captured by surrounding."), toggles=("ko",)),
        Named("flips", tr("Units flipped."), toggles=("othello_flip",)),
        Named("fives", tr("Fives completed."), toggles=("five", "five_ignores_check")),
        Named("duty_forced", tr("Turns in which draughts units had to capture."), toggles=("draughts_duty",)),
        Named("promotions", tr("Promotions."), toggles=("crown",)),
        Named("bikjang", tr("Plies after which two 楚 faced each other."), toggles=("bikjang",)),
        Named("passes", tr("Passes."), toggles=("passing",)),
        Named("counts", tr("Games that ended by counting."), toggles=("komi",)),
        Named("checks", trc("rengo", "Plies that gave check.")),
    ),
    terminations={
        8: Named("mate", tr("The king is attacked and the player has no legal move.")),
        9: Named("five", tr("Five stones in a row.")),
        10: Named("bikjang", tr("Two 楚 kept facing each other.")),
        11: Named("count", tr("Both players passed in succession and counted.")),
        12: Named("no-move", tr("The player has no legal move and is not in check.")),
        13: Named("perpetual-check", tr("The position was repeated by perpetual check.")),
    },
)
