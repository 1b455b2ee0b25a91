"""The mixed game (rengō shōgi II): what may be changed in its rules, and what each choice says in the rule book."""

from __future__ import annotations

from typing import NamedTuple

from workbench.engine.folds import MIRRORED, SQUARE
from workbench.games.declaration import (
    Declaration,
    Files,
    Idle,
    Named,
    Own,
    Span,
    Toggle,
    UnitKind,
    Value,
)
from workbench.games.prices import Price, PriceList
from workbench.games.prices import Unit as Priced

SOURCE = "「続・連合将棋」 (mixed shōgi, part II), blog.hangame.co.jp/P427369068"
FIRST = "the first article 『連合将棋』, blog.hangame.co.jp/P427369068/article/40534170"
OURS = "the source is silent; our choice"

SHOGI, CHESS, XIANGQI, JANGGI, MAKRUK, DRAUGHTS, GO, OTHELLO, RENJU = range(9)
GAMES = ("shogi", "chess", "xiangqi", "janggi", "makruk", "draughts", "go", "othello", "renju")
GAMES_JA = ("将棋", "チェス", "象棋", "チャンギ", "マークルック", "ドラフツ", "囲碁", "オセロ", "連珠")

KEEPS, PROMOTES_AT_WILL, PROMOTES_IN_ZONE, PROMOTES_PAST_MIDDLE, PROMOTES_ON_LAST_ROW, CHOOSES_ON_LAST_ROW = range(6)
"""How a unit promotes: never, as in shogi, as 貝, 卒, 平 and 兵."""


class Unit(NamedTuple):
    """A kind of unit."""

    letter: str
    """As players write it; promoted units without a letter of their own have a plus sign."""
    game: int
    role: str
    """Its class: king, adjutant, elephant, horse, chariot, cannon, soldier, stone."""
    cost: int
    """Points for setting it up, by the first article's table. Prices may say otherwise; how a player judges a unit goes
    by this."""
    most: int
    """How many of it a player's sets hold; 0: it only comes about by promotion."""
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
"""In the kernel kind k is unit k - 1: 0 is the empty cell. 平 and 冠 capture by jumping, which no table says.

Betza's letters mean: W and F one step orthogonally and diagonally, K both; N, A and Z leaps of (1, 2), (2, 2) and
(2, 3); R, B and Q riders. Before a letter: f forward only (ff the two narrow leaps), s sideways, m only without and c
only with capture, n lame (the leap can be blocked), p over exactly one screen.

Source: the first article's table of pieces, classes and costs; the notation: R. Betza, chessvariants.org.
"""

FREE_GO_STONES, FURTHER_GO_STONE = 50, 1
"""So many 碁 cost nothing; points for each further one. Source: section 2(2)."""


def _priced(unit: Unit) -> Priced:
    """What a player may set up for the table's price."""
    price = Price(FURTHER_GO_STONE, FREE_GO_STONES) if unit.game == GO else Price(unit.cost)
    return Priced(unit.letter, GAMES[unit.game], GAMES_JA[unit.game], price, unit.most, gives_back=unit.role == "king")


TOGGLES = (
    Toggle(
        name="board",
        title="Board",
        title_ja="盤",
        source=f"{SOURCE}, section 3",
        default="go9",
        values=(
            Value(
                "go9",
                "A go board of 9×9. Soldiers stand on the third row. 卒 promotes from the middle row on, shogi pieces "
                "and 貝 from the enemy's third row on, 兵 and 平 on the last row. One may pass at any time.",
                code=9,
                ja="9路の碁盤。兵隊駒は自陣3段目に置く。卒は中央の段から、将棋駒と貝は敵陣3段目から、兵と平は最深部で成る。"
                "いつでもパスできる。",
            ),
            Value(
                "go13",
                "A go board of 13×13. Soldiers stand on the fourth row. 卒 promotes from the middle row on, shogi "
                "pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last row. One may pass at any time.",
                code=13,
                ja="13路の碁盤。兵隊駒は自陣4段目に置く。卒は中央の段から、将棋駒と貝は敵陣4段目から、兵と平は最深部で成る。"
                "いつでもパスできる。",
            ),
            Value(
                "go19",
                "A go board of 19×19. Soldiers stand on the fourth row. 卒 promotes from the middle row on, shogi "
                "pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last row. One may pass at any time.",
                code=19,
                ja="19路の碁盤。兵隊駒は自陣4段目に置く。卒は中央の段から、将棋駒と貝は敵陣4段目から、兵と平は最深部で成る。"
                "いつでもパスできる。",
            ),
            Value(
                "othello8",
                "An othello board of 8×8. Soldiers stand on the second row, all else on the first. 卒 promotes from "
                "the enemy's fourth row on, shogi pieces and 貝 from the enemy's second row on, 兵 and 平 on the last "
                "row. One passes if and only if one has no other legal move.",
                code=8,
                ja="8×8のオセロ盤。兵隊駒は自陣2段目、他は1段目に置く。卒は敵陣4段目から、将棋駒と貝は敵陣2段目から、兵と平は"
                "最深部で成る。合法手が無いときに限りパスする。",
            ),
            Value(
                "renju15",
                "A renju board of 15×15. Soldiers stand on the fourth row. 卒 promotes from the middle row on, shogi "
                "pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last row. There is no passing; no "
                "legal move is judged by the second player's king: 玉 and 帥 lose, 王 and 君 draw, with 楚 one passes.",
                code=15,
                ja="15路の連珠盤。兵隊駒は自陣4段目に置く。卒は中央の段から、将棋駒と貝は敵陣4段目から、兵と平は最深部で成る。"
                "パスは無い。合法手が無いときは後手の王様駒に従う。玉・帥は負け、王・君は引き分け、楚はパス。",
            ),
            Value(
                "draughts10",
                "A draughts board of 10×10. Soldiers stand on the fourth row. 卒 promotes from the enemy's fifth row "
                "on, shogi pieces and 貝 from the enemy's fourth row on, 兵 and 平 on the last row. There is no "
                "passing; a player without a legal move loses.",
                code=10,
                ja="10×10のドラフツ盤。兵隊駒は自陣4段目に置く。卒は敵陣5段目から、将棋駒と貝は敵陣4段目から、兵と平は最深部で"
                "成る。パスは無い。合法手が無ければ負け。",
            ),
        ),
    ),
    Toggle(
        name="first_army",
        title="Army of the first player",
        title_ja="先手の軍",
        source=f"{SOURCE}, sections 1 and 2: each player places what he likes within his points",
        default="shogi-classic",
        files=Files(
            "armies", "an army", "The first player sets up the army '{n}'.", ja="先手は軍「{n}」を配置して始める。"
        ),
    ),
    Toggle(
        name="second_army",
        title="Army of the second player",
        title_ja="後手の軍",
        source=f"{SOURCE}, sections 1 and 2: each player places what he likes within his points",
        default="shogi-classic",
        files=Files(
            "armies", "an army", "The second player sets up the army '{n}'.", ja="後手は軍「{n}」を配置して始める。"
        ),
    ),
    Toggle(
        name="budget",
        title="Points for setting up",
        title_ja="設置コストの上限",
        source=f"{SOURCE}, section 2(4)",
        default=100,
        span=Span(
            0,
            1000,
            "Each army may cost up to {n} points.",
            ja="各プレイヤーは{n}点まで設置コストを使って配置できる。",
        ),
    ),
    PriceList(
        name="prices",
        title="Prices of the units",
        title_ja="ユニットの設置コスト",
        source=f"{FIRST}, table of costs; {SOURCE}, section 2(2); other prices are ours",
        default="source",
        values=(
            Value(
                "source",
                "Units cost what the source's table says; the first 50 碁 of an army cost nothing.",
                ja="設置コストは原典の表による。碁は50個まで0点。",
            ),
        ),
        units=tuple(_priced(unit) for unit in UNITS if unit.most > 0),
        budget="budget",
        paid=("first_army", "second_army"),
        differs="Units cost what the source's table says, but for {n}.",
        differs_ja="設置コストは原典の表による。ただし{n}。",
    ),
    Toggle(
        name="draughts_duty",
        title="Duty to capture with draughts units",
        title_ja="ドラフツ駒で取る義務",
        source=f"{SOURCE}, section 4; its rank against check is open",
        default="above-check",
        values=(
            Value(
                "above-check",
                "If 平 or 冠 can capture, the capture of the most units must be made and all else is forbidden, check "
                "or not. Where every such capture would leave the own king capturable, nothing is left but to pass; "
                "who may not pass has no legal move, and in check is mated.",
                ja="平か冠でユニットを取れるなら最も多く取る手を指さなければならず、他の行動は王手中でも禁じ手。そのどれもが自玉を"
                "取られる状態にするなら、パスするほかない。パスできなければ合法手が無く、王手中なら詰み。",
            ),
            Value(
                "below-check",
                "If 平 or 冠 can capture without leaving the own king capturable, the capture of the most units must "
                "be made.",
                ja="自玉を取られる状態にせずに平か冠でユニットを取れるなら、最も多く取る手を指さなければならない。",
            ),
            Value(
                "off",
                "Capturing with 平 and 冠 is free, and so is the choice among captures; a capture still goes on while "
                "it can.",
                ja="平と冠で取るかどうか、どう取るかは自由。ただし取り始めたら取れる限り続ける。",
            ),
        ),
    ),
    Toggle(
        name="crown",
        title="Reach of the crown 冠",
        title_ja="冠の動き",
        source=f"{SOURCE}, section 4: 'as in international draughts'",
        default="flying",
        values=(
            Value(
                "flying",
                "冠 moves any distance along a diagonal and captures over any distance, as in international draughts.",
                ja="冠は国際ドラフツと同じく斜めに何マスでも動き、離れたユニットも飛び越えて取る。",
            ),
            Value(
                "short",
                "冠 moves one step diagonally and captures by jumping over a neighbour.",
                ja="冠は斜めに1マス動き、隣のユニットを飛び越えて取る。",
            ),
        ),
    ),
    Toggle(
        name="go_capture",
        title="Capture by surrounding with 碁",
        title_ja="碁石で囲んで取る",
        source=f"{SOURCE}, section 4",
        default="all-units",
        values=(
            Value(
                "all-units",
                "A connected group of enemy units of any kind is taken when all its neighbouring cells hold 碁. No "
                "move may leave an own group so enclosed, unless it captures first.",
                ja="隣り合うマスがすべて相手の碁になった一連のユニットは種類を問わず取られる。自分の一連のユニットをその状態に"
                "する手は、先に相手を取るのでない限り禁じ手。",
            ),
            Value(
                "go-stones-only",
                "Only groups of 碁 are so taken; an own unit of another kind beside a group protects it.",
                ja="囲んで取れるのは碁だけ。味方の他のユニットに接する碁は取られない。",
            ),
            Value(
                "off",
                "Nothing is taken by surrounding, and no cell is forbidden.",
                ja="囲んでも取れず、着手禁止点も無い。",
            ),
        ),
    ),
    Toggle(
        name="othello_flip",
        title="Turning over with 翻",
        title_ja="翻で裏返す",
        source=f"{SOURCE}, section 4",
        default="all-units",
        values=(
            Value(
                "all-units",
                "翻 is dropped where it brackets enemy units of any kind in a row up to another own 翻; they change "
                "sides. A player without 翻 on the board drops it anywhere.",
                ja="翻は自分の翻との間に種類を問わず相手のユニットを挟むように打ち、挟んだものは自分の所属になる。盤上に自分の翻が"
                "無いときはどこにでも打てる。",
            ),
            Value(
                "stones-only",
                "翻 is dropped where it brackets enemy 翻, which are turned; any other unit breaks the row.",
                ja="翻は相手の翻だけを挟むように打ち、挟んだ翻を裏返す。他のユニットは列を断つ。",
            ),
            Value(
                "off",
                "翻 is dropped anywhere and turns nothing.",
                ja="翻はどこにでも打て、何も裏返さない。",
            ),
        ),
    ),
    Toggle(
        name="flip_king",
        title="A bracketed king",
        title_ja="挟まれた王様駒",
        source=f"{OURS} ({SOURCE}, section 4, does not name kings)",
        default="immune",
        idle=(
            Idle(
                {"othello_flip": ("stones-only", "off")},
                "only 翻 that turn all units could take a king: leave flip_king out",
            ),
        ),
        values=(
            Value("immune", "A king breaks a row: it cannot be bracketed.", ja="王様駒は列を断ち、挟まれない。"),
            Value(
                "captured",
                "Bracketing the enemy king takes it: the threat to do so is check.",
                ja="王様駒を挟めば取れる。従ってそれを狙う手は王手になる。",
            ),
        ),
    ),
    Toggle(
        name="five",
        title="Five in a row",
        title_ja="五連",
        source=f"{SOURCE}, sections 4 and 5",
        default="renju-stones",
        values=(
            Value(
                "renju-stones",
                "Five or more own 珠 in a row, column or diagonal win at once.",
                ja="自分の珠を縦・横・斜めに五つ以上並べれば直ちに勝ち。",
            ),
            Value(
                "any-own-stones",
                "Five or more own stones of any kinds (碁, 翻, 珠) in a row, column or diagonal win at once.",
                ja="自分の碁・翻・珠を種類を問わず縦・横・斜めに五つ以上並べれば直ちに勝ち。",
            ),
            Value("off", "Rows of stones win nothing.", ja="石を並べても勝ちにならない。"),
        ),
    ),
    Toggle(
        name="five_ignores_check",
        title="Five in a row and check",
        title_ja="王手と五連",
        source=f"{SOURCE}, section 4",
        default=True,
        idle=(Idle({"five": ("off",)}, "five is off, so five_ignores_check would do nothing: leave one of them out"),),
        values=(
            Value(
                True,
                "A move that completes five need not look after the own king.",
                ja="五連・長連を完成する手なら王手を無視できる。",
            ),
            Value(
                False,
                "A move that completes five may not leave the own king capturable, either.",
                ja="五連を完成する手でも王手を無視できない。",
            ),
        ),
    ),
    Toggle(
        name="bikjang",
        title="楚 facing 楚 (bikjang)",
        title_ja="ピッチャン",
        source=f"{SOURCE}, section 4",
        default="draw",
        values=(
            Value(
                "draw",
                "While two 楚 face each other on an open column, the player to move must end it, or it is a draw.",
                ja="楚同士が向かい合ったとき、手番のプレイヤーが直ちに解消しなければ引き分け。",
            ),
            Value("off", "Two 楚 may face each other.", ja="楚同士が向かい合ってもよい。"),
        ),
    ),
    Toggle(
        name="facing_generals",
        title="帥 facing 帥",
        title_ja="対面笑",
        source=f"{SOURCE}, section 4",
        default="forbidden",
        values=(
            Value(
                "forbidden",
                "No move may leave two 帥 facing each other on an open column.",
                ja="帥同士を間に何も無い縦の筋で向かい合わせてはならない。",
            ),
            Value("allowed", "Two 帥 may face each other.", ja="帥同士が向かい合ってもよい。"),
        ),
    ),
    Toggle(
        name="komi",
        title="Komi",
        title_ja="コミ",
        source=f"{SOURCE}, section 5",
        default=6.5,
        idle=(Idle({"board": ("draughts10",)}), Idle({"passing": ("never",)})),
        span=Span(
            -50,
            50,
            "When both have passed in succession, the second player adds {n} points.",
            ja="双方が続けてパスして数えるとき、後手に{n}目を加える。",
            step=0.5,
        ),
    ),
    Toggle(
        name="ko",
        title="Ko",
        title_ja="コウ",
        source=f"{SOURCE}, section 4",
        default="forbidden",
        idle=(Idle({"go_capture": ("off",)}, "go_capture is off, so there is no ko: leave ko out"),),
        values=(
            Value(
                "forbidden",
                "If a unit that stands alone has just taken a single unit by surrounding it, and that cell is its only "
                "empty neighbour, nothing may be put on it in the next move.",
                ja="コウでユニットを一つ取られたら、次の手でそのマスに物を置けない。",
            ),
            Value("allowed", "Ko is taken back at once if one likes.", ja="コウは直ちに取り返してよい。"),
        ),
    ),
    Toggle(
        name="passing",
        title="Passing",
        title_ja="パス",
        source=f"{SOURCE}, section 3; 'never' is ours",
        default="by-board",
        idle=(Idle({"board": ("draughts10",)}),),
        values=(
            Value("by-board", "Passing is as the board says.", ja="パスは盤の規則に従う。"),
            Value(
                "never",
                "Nobody passes: where board or king would have one pass, a player without a legal move loses.",
                ja="パスは無い。盤や王様駒の規則でパスとなる場合、合法手の無いプレイヤーは負け。",
            ),
        ),
    ),
)

DECLARATION = Declaration(
    name="rengo",
    title="Mixed shōgi (rengō shōgi II)",
    title_ja="続・連合将棋",
    training_nodes=10_000_000,
    version=1,
    source=SOURCE,
    seats=("First", "Second"),
    summary=(
        "Each player has an army of units of many games: shogi, chess, xiangqi, janggi, makruk and draughts pieces, go "
        "stones 碁, othello stones 翻 and renju stones 珠; exactly one king of any kind, which is royal. Soldiers "
        "begin on the soldier row, all other units behind it, 珠 in hand only, 碁 and 翻 on the board or in hand.",
        "In a turn one moves a unit, drops one from the hand, or passes where the board allows it. No move may leave "
        "the own king capturable by any means; a player in check without a legal move is mated and loses.",
        "Shogi: 玉 K, 金 WfF, 銀 FfW, 桂 ffN, 香 fR, 飛 R, 角 B, 歩 fW; promoted 飛 RF, 角 BW, others as 金. Chess: "
        "王 K, 后 Q, 城 R, 僧 B, 騎 N, 兵 fmWfcF without double step. Xiangqi: 帥 W, 仕 F, 相 nA, 傌 nN, 俥 R, 炮 a "
        "rook that captures over one screen, 卒 fW, promoted also sideways. Janggi: 楚 W, 士 K, 象 one step and two "
        "diagonal ones, 马 nN, 车 R, 包 moves and captures over one unit, no 包 involved, 卆 fWsW. Makruk: 君 K, 種 F, "
        "根 FfW, 午 N, 船 R, 貝 as 兵, promoted 核 F. There are no palaces and no river (Betza's notation).",
        "平 steps diagonally forward and captures by jumping any enemy unit diagonally, forward or backward, on and on "
        "as in international draughts; it becomes 冠 if its move ends on the last row. Jumped units leave the board "
        "after the move, and none is jumped twice.",
        "Captured shogi pieces (unpromoted) and 翻 go to the captor's hand, all other units are his prisoners. Shogi "
        "pieces are dropped as in shogi: no second unpromoted 歩 on a column, none where it could never move, no mate "
        "by dropping 歩. 珠 is not dropped on the own half. Promotion of shogi pieces is optional when a move ends in "
        "the zone, all other promotions are forced.",
        "Precedence: five in a row, mate, bikjang, no legal move, repetition by the second player's king (玉 fourth "
        "time, others third time: draw; with 玉 and 帥 the player who gave check all the time loses).",
        "Both passing in succession ends the game: empty cells of regions that touch own 碁 only, counting those of "
        "dead enemy units in them, plus prisoners, plus own 翻 on the board. A region reaches up to 碁 of either side, "
        "whether or not they could live: a single enemy 碁 in it makes all of it nobody's, and has to be taken before "
        "the game ends; an enemy unit of any other kind in it, kings aside, is dead.",
    ),
    notation=(
        "c3-c4 moves a unit; columns are lettered from the left, rows numbered from the top. c3-c2+ promotes, h2-h1=后 "
        "(or =Q, =R, =B, =N) chooses a promotion.",
        "c7-e5:d6 jumps over d6; all cells that are jumped follow the colon. c7-e5 is enough where only one jump fits.",
        "歩*e5 drops a unit from the hand, also written P*e5: P 歩, L 香, N 桂, S 銀, G 金, B 角, R 飛, I 碁, O 翻, "
        "J 珠.",
        "pass passes.",
    ),
    toggles=TOGGLES,
    own=Own("army", ("first_army", "second_army"), ja="軍"),
    conflicts=(),
    units=tuple(UnitKind(unit.letter, unit.letter, SQUARE if unit.role == "stone" else MIRRORED) for unit in UNITS),
    features=(
        Named(
            "board_cost",
            "Set-up cost of the units on the board by the source's table, whatever the prices.",
            0.1,
            ja="盤上のユニットの、原典の表による設置コスト。",
        ),
        Named(
            "hand_cost",
            "Set-up cost of the units in hand by the source's table, whatever the prices.",
            0.08,
            ja="持ち駒の、原典の表による設置コスト。",
        ),
        Named("mobility", "Moves of the pieces, their king's safety aside.", 0.02, ja="駒の動ける手の数。"),
        Named("king_exits", "Cells beside the king that are free and not attacked.", 0.05, ja="王様駒の逃げ場。"),
        Named("king_guard", "Own units beside the king.", 0.05, ja="王様駒に接する味方。"),
        Named("liberties", "Empty cells beside own 碁.", 0.01, ja="碁の呼吸点。"),
        Named("in_check", "Whether the side to move stands in check.", -0.5, ja="王手されているか。"),
        Named(
            "open_rows",
            "Rows of five cells that hold two or three 珠 and nothing else, each 珠 beyond the first counted.",
            0.1,
            ja="珠が2個か3個だけある五連の筋。2個目から数える。",
        ),
        Named(
            "fours",
            "Rows of five cells that hold four 珠 and nothing else, three points each.",
            1.0,
            ja="珠が4個だけある五連の筋。各3点。",
        ),
        Named(
            "flippable",
            "The most enemy units that one drop of 翻 turns over.",
            0.1,
            ja="翻を一度打って裏返せる相手のユニットの最大数。",
        ),
        Named("territory", "Empty cells in regions that touch own 碁 only.", 0.01, ja="自分の碁だけで囲った空点。"),
        Named("othello_stones", "翻 on the board.", 0.02, ja="盤上の翻。"),
        Named("prisoners", "Prisoners.", 0.02, ja="アゲハマ。"),
        Named("tempo", "Whether it is this side's turn.", 0.1, ja="自分の手番か。"),
        Named("advance", "Rows that soldiers have advanced, all soldiers together.", 0.02, ja="兵隊駒の進んだ段数。"),
    ),
    events=(
        Named("drops", "Units dropped.", ja="打った数。"),
        Named("captures", "Units captured by moving onto them.", ja="動いて取ったユニット。"),
        Named("jumped", "Units captured by jumping.", ja="飛び越えて取ったユニット。"),
        Named("go_captures", "Units captured by surrounding.", ja="囲んで取ったユニット。", toggles=("ko",)),
        Named("flips", "Units turned over.", ja="裏返したユニット。", toggles=("othello_flip",)),
        Named("fives", "Fives completed.", ja="五連。", toggles=("five", "five_ignores_check")),
        Named(
            "duty_forced",
            "Turns in which draughts units had to capture.",
            ja="ドラフツ駒の取る義務が生じた手番。",
            toggles=("draughts_duty",),
        ),
        Named("promotions", "Promotions.", ja="成り。", toggles=("crown",)),
        Named(
            "bikjang", "Plies after which two 楚 faced each other.", ja="楚同士が向かい合った手。", toggles=("bikjang",)
        ),
        Named("passes", "Passes.", ja="パス。", toggles=("passing",)),
        Named("counts", "Games that ended by counting.", ja="整地で終わった対局。", toggles=("komi",)),
        Named("checks", "Plies that gave check.", ja="王手。"),
    ),
    terminations={
        8: Named("mate", "The king could be taken and the player has no legal move.", ja="詰み。"),
        9: Named("five", "Five stones in a row.", ja="五連。"),
        10: Named("bikjang", "Two 楚 went on facing each other.", ja="ピッチャンが解消されなかった。"),
        11: Named("count", "Both players passed in succession and counted.", ja="双方が続けてパスし、整地した。"),
        12: Named("no-move", "The player has no legal move and is not in check.", ja="王手でなく合法手が無い。"),
        13: Named("perpetual-check", "The position was repeated by checks alone.", ja="連続王手の千日手。"),
    },
)
