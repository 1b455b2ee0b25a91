"""Draughts: what may be changed in its rules, and what each choice says in the rule book."""

from __future__ import annotations

from workbench.engine.folds import UNFOLDED
from workbench.games.declaration import Conflict, Declaration, Idle, Named, Span, Toggle, UnitKind, Value
from workbench.games.draughts.rules_squares import NAMINGS, respelled
from workbench.games.drawings import Drawing

ARTICLE = "'Checkers' and what is quoted there from the Japanese Wikipedia, blog article of 27 Dec 2019"
WCDF = "World Checkers/Draughts Federation, Rules of Draughts (Checkers)"
FORUM = "'Breakthrough draughts', World Draughts Forum, September 2017"
FMJD = "World Draughts Federation (FMJD), Official rules for international draughts 100"
IDF = "International Draughts Federation, Rules of draughts-64"
WTDF = "World Turkish Draughts rules of the FMJD: one king against one is a draw"
FID = "Federazione Italiana Dama, Regolamento tecnico"
VARIANTS = "'Checkers', English Wikipedia, table of national variants"

WITHOUT_KINGS = Idle({"goal": ("first-king",), "start_position": ("rows",)})
"""The first king ends the game."""

TOGGLES = (
    Toggle(
        name="size",
        title="Board size",
        title_ja="盤の大きさ",
        source=ARTICLE,
        default=8,
        values=(
            Value(8, "The board has 8×8 squares.", ja="盤は8×8マス。"),
            Value(4, "The board has 4×4 squares (it can be solved).", ja="盤は4×4マス（完全に解ける）。"),
            Value(6, "The board has 6×6 squares (for tests and lessons).", ja="盤は6×6マス（試験・練習用）。"),
            Value(9, "The board has 9×9 squares, and its corners are played on.", ja="盤は9×9マスで、四隅も使う。"),
            Value(10, "The board has 10×10 squares.", ja="盤は10×10マス。"),
            Value(12, "The board has 12×12 squares.", ja="盤は12×12マス。"),
        ),
    ),
    Toggle(
        name="squares",
        title="Squares used",
        title_ja="使うマス",
        source=f"{ARTICLE}; Turkish draughts: {VARIANTS}",
        default="dark",
        values=(
            Value(
                "dark",
                "Only the squares of one colour are used, and everything moves diagonally.",
                ja="一方の色のマスだけを使い、駒はすべて斜めに動く。",
            ),
            Value(
                "all",
                "All squares are used, and everything moves along rows and columns.",
                ja="すべてのマスを使い、駒はすべて縦横に動く。",
            ),
        ),
    ),
    Toggle(
        name="rows",
        title="Rows of men",
        title_ja="駒の列数",
        source=ARTICLE,
        default=3,
        span=Span(1, 5, "Each player has {n} rows of men.", ja="各プレイヤーは{n}列に駒を並べる。"),
    ),
    Toggle(
        name="empty_back_rows",
        title="Empty rows behind the men",
        title_ja="駒の後ろの空き列",
        source=f"Turkish draughts: {VARIANTS}",
        default=0,
        values=(
            Value(0, "The men begin on the back row.", ja="駒は一番手前の列から並べる。"),
            Value(1, "The back row is empty at the start.", ja="一番手前の列は空けて並べる。"),
        ),
    ),
    Toggle(
        name="men_step",
        title="How men step",
        title_ja="駒（歩）の進み方",
        source=f"{ARTICLE}; Turkish draughts: {VARIANTS}",
        default="forward",
        values=(
            Value("forward", "A man steps one square forward.", ja="駒は前へ1マス進む。"),
            Value(
                "forward-and-sideways",
                "A man steps one square forward or sideways.",
                ja="駒は前か横へ1マス進む。",
            ),
        ),
    ),
    Toggle(
        name="men_capture",
        title="How men capture",
        title_ja="駒（歩）の取り方",
        source=f"{ARTICLE}; backwards, too: {FMJD}",
        default="forward",
        values=(
            Value(
                "forward",
                "A man captures in the directions in which it steps, and not backwards.",
                ja="駒は進める方向の相手だけを取り、後ろの相手は取れない。",
            ),
            Value(
                "all-directions",
                "A man captures in all directions, backwards too.",
                ja="駒は後ろを含むすべての方向の相手を取れる。",
            ),
        ),
    ),
    Toggle(
        name="men_may_take_kings",
        title="Men capture kings",
        title_ja="駒がキングを取れるか",
        source=f"Italian draughts: {FID}",
        default=True,
        idle=(WITHOUT_KINGS,),
        values=(
            Value(True, "A man may capture a king.", ja="駒は相手のキングを取れる。"),
            Value(False, "A man may not capture a king.", ja="駒は相手のキングを取れない。"),
        ),
    ),
    Toggle(
        name="king_move",
        title="How kings move",
        title_ja="キングの動き方",
        source=f"{ARTICLE}; {FMJD}",
        default="one-step",
        idle=(WITHOUT_KINGS,),
        values=(
            Value("one-step", "A king moves one step in any direction.", ja="キングはどの方向へも1マス動く。"),
            Value(
                "flying",
                "A king moves any number of free squares in a line.",
                ja="キングは空いている限り、何マスでもまっすぐ動ける。",
            ),
        ),
    ),
    Toggle(
        name="king_capture",
        title="How kings capture",
        title_ja="キングの取り方",
        source=f"{ARTICLE}; from afar: {FMJD}; landing directly behind: Thai draughts, {VARIANTS}",
        default="adjacent",
        idle=(
            Idle({**WITHOUT_KINGS.settings, "crowning_in_capture": ("ends-move", "stays-man-unless-it-ends-there")}),
        ),
        values=(
            Value(
                "adjacent",
                "A king captures a piece next to it by jumping to the square behind, in any direction.",
                ja="キングは隣の相手をどの方向でも飛び越え、すぐ後ろのマスに着地して取る。",
            ),
            Value(
                "flying",
                "A king captures from any distance and lands on any free square behind; if it can go on capturing from "
                "some of these squares, it lands on one of those.",
                ja="キングは離れた相手も取り、その後ろの空きマスのどこにでも着地できる。続けて取れるマスがあれば、そこに着地する。",
            ),
            Value(
                "land-behind",
                "A king captures from any distance and lands on the square directly behind.",
                ja="キングは離れた相手も取り、そのすぐ後ろのマスに着地する。",
            ),
        ),
    ),
    Toggle(
        name="capture",
        title="Obligation to capture",
        title_ja="取る義務",
        source=ARTICLE,
        default="obligatory",
        values=(
            Value("obligatory", "A player who can capture must capture.", ja="取れるときは必ず取らなければならない。"),
            Value(
                "optional",
                "A player who can capture may make another move instead; a capture once begun goes on as long as it "
                "can.",
                ja="取れるときも取らずに動いてよい。ただし取り始めたら、取れる限り続ける。",
            ),
        ),
    ),
    Toggle(
        name="capture_choice",
        title="Choice among captures",
        title_ja="取り方の選択",
        source=f"{ARTICLE}; most pieces: {FMJD}; {FID}; Spanish and Czech draughts: {VARIANTS}",
        default="any",
        values=(
            Value("any", "Among several captures the player chooses freely.", ja="取り方が複数あれば自由に選べる。"),
            Value(
                "most-pieces",
                "The capture that takes the most pieces must be made.",
                ja="最も多くの駒を取る取り方を選ばなければならない。",
            ),
            Value(
                "italian",
                "The capture that takes the most pieces must be made; among equals one by a king, then the one that "
                "takes the most kings, then the one that takes its kings earliest.",
                ja="最も多く取る取り方を選ぶ。同数ならキングで取り、次に最も多くキングを取り、さらに最も早くキングを取る取り方を選ぶ。",
            ),
            Value(
                "spanish",
                "The capture that takes the most pieces must be made; among equals the one that takes the most kings.",
                ja="最も多く取る取り方を選ぶ。同数なら最も多くキングを取る取り方を選ぶ。",
            ),
            Value(
                "king-first",
                "If a king can capture, a king must capture.",
                ja="キングで取れるときは、必ずキングで取らなければならない。",
            ),
        ),
    ),
    Toggle(
        name="crowning_in_capture",
        title="Reaching the last row in a capture",
        title_ja="取りながら最奥列に達したとき",
        source=f"{ARTICLE}; {FMJD}; Russian draughts: {IDF}",
        default="ends-move",
        values=(
            Value(
                "ends-move",
                "A man that reaches the last row in a capture becomes a king, and the move ends.",
                ja="取りながら最奥列に達した駒はキングになり、そこで手番が終わる。",
            ),
            Value(
                "stays-man-unless-it-ends-there",
                "A man that reaches the last row in a capture goes on as a man if it can, and becomes a king only if "
                "the capture ends there.",
                ja="取りながら最奥列に達した駒は、続けて取れるなら駒のまま取り続け、そこで終わるときだけキングになる。",
            ),
            Value(
                "becomes-king-and-goes-on",
                "A man that reaches the last row in a capture becomes a king at once, and goes on capturing as a king "
                "if it can.",
                ja="取りながら最奥列に達した駒はその場でキングになり、取れるならキングとして取り続ける。",
            ),
        ),
    ),
    Toggle(
        name="removal",
        title="When captured pieces are removed",
        title_ja="取った駒を除く時",
        source=f"{FMJD}; Turkish draughts: {VARIANTS}",
        default="after-move",
        values=(
            Value(
                "after-move",
                "Captured pieces are removed after the whole move: until then they block, and none is jumped twice.",
                ja="取った駒は手の終わりにまとめて除く。それまでは邪魔になり、同じ駒を二度飛び越せない。",
            ),
            Value("at-once", "Captured pieces are removed at once.", ja="取った駒はすぐに除く。"),
        ),
    ),
    Toggle(
        name="reverse_turn",
        title="Turning back within a capture",
        title_ja="連続取り中の逆戻り",
        source=f"Turkish draughts: {VARIANTS}",
        default="allowed",
        # What was captured blocks the way back, and a piece that jumps its neighbour leaves no other one behind.
        idle=(Idle({"removal": ("after-move",)}), Idle({"king_capture": ("adjacent",)})),
        values=(
            Value(
                "allowed",
                "Within a capture a piece may turn in any direction.",
                ja="連続して取るとき、どの方向へ曲がってもよい。",
            ),
            Value(
                "forbidden",
                "Within a capture a piece may not turn back by 180°.",
                ja="連続して取るとき、真後ろ（180°）へは曲がれない。",
            ),
        ),
    ),
    Toggle(
        name="royal",
        title="Royal piece",
        title_ja="王の駒",
        source=f"Tetsugaku Tobishōgo by Inoue Enryō, 1890: {ARTICLE}",
        default="none",
        values=(
            Value("none", "There is no royal piece.", ja="王の駒はない。"),
            Value(
                "back-centre",
                "The piece in the middle of the back row is royal: it moves and captures like a king from the start, "
                "and whoever captures it wins.",
                ja="最後列中央の駒は王で、初めからキングと同じように動いて取る。これを取れば勝ち。",
            ),
        ),
    ),
    Toggle(
        name="goal",
        title="Goal",
        title_ja="目的",
        source=f"{ARTICLE}; giveaway: 'Suicide checkers', {VARIANTS}; the first king: {FORUM}",
        default="capture-all",
        values=(
            Value(
                "capture-all",
                "A player whose pieces have all been captured loses.",
                ja="駒をすべて取られたプレイヤーの負け。",
            ),
            Value(
                "lose-all",
                "A player whose pieces have all been captured wins; who would lose for being unable to move wins, too.",
                ja="駒をすべて取られたプレイヤーの勝ち。動けなくて負けになるはずのプレイヤーも勝ちとなる。",
            ),
            Value(
                "first-king",
                "Whoever gets the first king wins with that move; a player whose pieces have all been captured loses.",
                ja="最初にキングを作ったプレイヤーがその手で勝つ。駒をすべて取られたプレイヤーは負け。",
            ),
        ),
    ),
    Toggle(
        name="stuck",
        title="No legal move",
        title_ja="動けないとき",
        source=ARTICLE,
        default="loss",
        values=(
            Value(
                "loss",
                "A player who has pieces but no legal move loses.",
                ja="駒があっても動かせないプレイヤーの負け。",
            ),
            Value(
                "draw",
                "If the player to move has pieces but no legal move, the game is a draw.",
                ja="手番のプレイヤーに駒があっても動かせなければ引き分け。",
            ),
        ),
    ),
    Toggle(
        name="repetition",
        title="Repetition",
        title_ja="同一局面の反復",
        source=f"{WCDF}; {FMJD}",
        default=3,
        idle=(Idle({**WITHOUT_KINGS.settings, "men_step": ("forward",)}),),
        values=(Value(0, "Positions may repeat without end.", ja="同じ局面は何度現れてもよい。"),),
        span=Span(
            2,
            20,
            "When a position occurs for the {n}. time with the same player to move, the game is a draw.",
            ja="同じ手番の同じ局面が{n}回現れたら引き分け。",
        ),
    ),
    Toggle(
        name="quiet_limit",
        title="Limit of quiet plies",
        title_ja="駒が動かない手数の上限",
        source=f"80: {WCDF}; 50: {FMJD}",
        default=80,
        idle=(WITHOUT_KINGS,),
        values=(Value(0, "Kings may move without end.", ja="キングだけを動かし続けてもよい。"),),
        span=Span(
            1,
            1000,
            "After {n} plies without a capture or a man's move the game is a draw.",
            ja="取りも駒（歩）の動きもない手が両者合わせて{n}手続いたら引き分け。",
        ),
    ),
    Toggle(
        name="endgame_limits",
        title="Limits of endings",
        title_ja="終盤の手数の上限",
        source=f"international: {FMJD}, 8.4 and 8.5; Russian: {IDF}, on draws (but for the main road); Turkish: {WTDF}",
        default="none",
        idle=(
            Idle(
                {"goal": ("first-king",)},
                "no ending has a king where the first king wins: write endgame_limits: none or goal: capture-all",
            ),
        ),
        values=(
            Value(
                "none", "Endings with few pieces have no limit of their own.", ja="駒が少ない終盤に、特別な上限はない。"
            ),
            Value(
                "international",
                "Where three pieces, a king among them, are left against a lone king, the game is a draw after 16 more "
                "moves of each player; where two pieces or one, a king among them, after 5. A capture does not "
                "lengthen what is left.",
                ja="キングを含む3枚対キング1枚になってから、双方が16手ずつ指したら引き分け。"
                "キングを含む2枚以下対キング1枚なら5手ずつで引き分け。駒を取っても残り手数は延びない。",
            ),
            Value(
                "russian",
                "Where both players have kings, the game is a draw when nothing was captured and no man became a king "
                "for 5 moves of each player with two or three pieces on the board, for 30 with four or five, for 60 "
                "with six or seven; and for 15 moves where three kings or more are left against a lone king.",
                ja="双方にキングがあり、駒を取る手もキングへの昇格もないまま、盤上の駒が2〜3枚なら5手ずつ、"
                "4〜5枚なら30手ずつ、6〜7枚なら60手ずつ指したら引き分け。キング3枚以上対キング1枚なら15手ずつで引き分け。",
            ),
            Value(
                "turkish",
                "When each player has one king and nothing else, and the player to move cannot capture, the game is a "
                "draw.",
                ja="双方の駒がキング1枚ずつになり、手番のプレイヤーが取れなければ引き分け。",
            ),
        ),
    ),
    Drawing(
        name="start_position",
        title="Where the pieces begin",
        title_ja="駒の初期配置",
        source="PDN standard 3.0, FEN",
        default="rows",
        settled={"": ("rows", "empty_back_rows")},
        values=(Value("rows", "The pieces begin on their rows.", ja="駒は決められた列に並べて始める。"),),
        what="a FEN such as W:W31-50:B1-20, the side to move first",
        form=r"[WB]:[WB][KRa-l0-9,-]*:[WB][KRa-l0-9,-]*",
        pieces="wWbBRr",
        drawn="The pieces do not begin on rows of men but in this position: {n}.",
        drawn_ja="決められた列ではなく、次の局面から始める：{n}。",
    ),
)

FROM_AFAR = ("flying", "land-behind")
FULL = "the men would fill the board and leave no row between them: choose fewer rows or a larger board"

DECLARATION = Declaration(
    name="draughts",
    title="Draughts",
    title_ja="チェッカー（ドラフツ）",
    version=1,
    source=ARTICLE,
    seats=("First", "Second"),
    summary=(
        "Two players move in turn. A man becomes a king when its move ends on the last row.",
        "A piece captures an enemy piece by jumping over it to a free square behind. A capture goes on with the same "
        "piece as long as it can. Captures that agree in origin, destination and the set of captured pieces are one "
        "move.",
    ),
    notation=(
        "11-15 moves the piece on square 11 to square 15, where squares have letters c3-d4 the one on c3 to d4.",
        "22x15 captures; squares on the way are named where it takes them to tell two captures apart: 22x15x8.",
    ),
    customs=NAMINGS,
    spelling=2,
    respelled=respelled,
    toggles=TOGGLES,
    conflicts=(
        Conflict(
            {"king_move": ("one-step",), "king_capture": FROM_AFAR},
            "a king that moves one step cannot capture from afar: write king_move: flying or king_capture: adjacent",
        ),
        Conflict(
            {"capture": ("optional",), "capture_choice": ("most-pieces", "italian", "spanish")},
            "nobody must take the most pieces where nobody must capture: write capture: obligatory or "
            "capture_choice: any",
        ),
        Conflict(
            {"squares": ("dark",), "men_step": ("forward-and-sideways",)},
            "on one colour of squares nothing moves sideways: write squares: all or men_step: forward",
        ),
        Conflict({"size": (4,), "rows": (2, 3, 4, 5)}, FULL),
        Conflict({"size": (4,), "rows": (1,), "empty_back_rows": (1,)}, FULL),
        Conflict({"size": (6,), "rows": (3, 4, 5)}, FULL),
        Conflict({"size": (6,), "rows": (2,), "empty_back_rows": (1,)}, FULL),
        Conflict({"size": (8,), "rows": (4, 5)}, FULL),
        Conflict({"size": (8,), "rows": (3,), "empty_back_rows": (1,)}, FULL),
        Conflict({"size": (9,), "rows": (5,)}, FULL),
        Conflict({"size": (9,), "rows": (4,), "empty_back_rows": (1,)}, FULL),
        Conflict({"size": (10,), "rows": (5,)}, FULL),
        Conflict({"size": (10,), "rows": (4,), "empty_back_rows": (1,)}, FULL),
        Conflict({"size": (12,), "rows": (5,), "empty_back_rows": (1,)}, FULL),
        Conflict(
            {"royal": ("back-centre",), "size": (4, 6, 8, 10, 12)},
            "a board with an even number of squares has no middle of the back row: write size: 9 or royal: none",
        ),
        Conflict(
            {"royal": ("back-centre",), "empty_back_rows": (1,)},
            "nothing stands on the back row, so no piece there can be royal: write empty_back_rows: 0 or royal: none",
        ),
        Conflict(
            {"royal": ("back-centre",), "goal": ("lose-all",)},
            "capturing the royal piece wins, but the goal is to lose: write goal: capture-all or royal: none",
        ),
        Conflict(
            {"royal": ("back-centre",), "goal": ("first-king",)},
            "the royal piece is a king from the start, but the first king wins: write goal: capture-all or royal: none",
        ),
    ),
    units=(
        UnitKind("man", "マン", UNFOLDED),
        UnitKind("king", "キング", UNFOLDED),
        UnitKind("royal", "ロイヤル", UNFOLDED),
    ),
    trainer=1,
    features=(
        Named("men", "Men.", 0.5, ja="駒（歩）の数。"),
        Named("kings", "Kings that capture next to them only.", 0.7, ja="隣だけを取るキングの数。"),
        Named("flying_kings", "Kings that capture from afar.", 1.3, ja="離れた相手も取るキングの数。"),
        Named("mobility", "Moves that capture nothing.", 0.02, ja="取らない手の数。"),
        Named("back_row", "Men on the back row, which keep the enemy from being crowned.", 0.07, ja="最後列の駒の数。"),
        Named("advancement", "Rows that the men have advanced.", 0.025, ja="駒が進んだ列数の合計。"),
        Named("centre", "Pieces in the middle of the board.", 0.02, ja="盤の中央にいる駒の数。"),
        Named(
            "hanging",
            "Jumps that the enemy can make over pieces of this side, now that it is the enemy's turn.",
            -0.5,
            ja="相手番のとき、相手がこちらの駒を飛び越せる数。",
        ),
        Named(
            "threatened",
            "Jumps that the enemy could make over pieces of this side, although it is this side's turn.",
            -0.15,
            ja="自分の番のとき、相手がこちらの駒を飛び越せそうな数。",
        ),
        Named(
            "royal_attacked", "Jumps that the enemy could make over the royal piece.", -0.5, ja="王を飛び越されうる数。"
        ),
        Named("tempo", "Whether it is this side's turn.", 0.05, ja="手番かどうか。"),
    ),
    events=(
        Named("captures", "Moves that captured.", ja="取った手の数。"),
        Named(
            "multi_captures",
            "Moves that captured more than one piece.",
            ja="二枚以上を一手で取った数。",
            toggles=("removal", "reverse_turn"),
        ),
        Named(
            "forced_captures",
            "Captures made where the obligation ruled out other moves.",
            ja="取る義務がほかの手を封じていたときに取った数。",
            toggles=("capture",),
        ),
        Named(
            "choice_bound",
            "Captures made where the rule on the choice among captures ruled out another capture.",
            ja="取り方の規則がほかの取り方を封じていたときに取った数。",
            toggles=("capture_choice",),
        ),
        Named(
            "crownings",
            "Men that became kings.",
            ja="キングになった駒の数。",
            toggles=("king_move", "king_capture", "men_may_take_kings"),
        ),
        Named(
            "crownings_in_capture",
            "Men that became kings by a capture.",
            ja="取りながらキングになった駒の数。",
            toggles=("crowning_in_capture",),
        ),
    ),
    terminations={
        8: Named(
            "no-pieces", "All pieces of the player to move have been captured.", ja="手番側の駒がすべて取られた。"
        ),
        9: Named(
            "stuck",
            "The player to move has pieces but no legal move.",
            ja="手番側に駒はあるが動かせない。",
            toggles=("stuck",),
        ),
        10: Named("royal-captured", "The royal piece has been captured.", ja="王が取られた。"),
        11: Named(
            "quiet-limit",
            "Too many plies in a row without a capture or a man's move.",
            ja="取りも駒（歩）の動きもない手が上限に達した。",
            toggles=("quiet_limit",),
        ),
        12: Named("lose-all", "A player has lost all pieces, as was the goal.", ja="目的どおり駒をすべて失った。"),
        13: Named("first-king", "A player got the first king, as was the goal.", ja="目的どおり最初のキングができた。"),
        14: Named(
            "endgame-limit",
            "The pieces that are left had all the moves that the rule on endings gives them.",
            ja="終盤の規則が定める手数を使い切った。",
            toggles=("endgame_limits",),
        ),
    },
)
