"""Chess, 007 chess and proposals: what may be changed in the rules, and what each choice says in the rule book."""

from __future__ import annotations

from workbench.games.betza import moves_of
from workbench.games.declaration import Conflict, Declaration, Idle, Named, Span, Toggle, UnitKind, Value
from workbench.games.drawings import Drawing

JACKMAN = "E. Jackman, 007 Chess, 1995, The Chess Variant Pages"
FIDE = "FIDE, Laws of Chess, 2023"
ALPHAZERO = "Tomašev, Paquet, Hassabis, Kramnik, Assessing Game Balance with AlphaZero, 2020, arXiv:2009.04374"
BETZA = "R. Betza, Funny Notation and Chess with Different Armies, 1996, The Chess Variant Pages"
ANTICHESS = "Antichess (Losing Chess): M. Watkins, Losing Chess: 1. e3 wins for White, 2016"

BOTH_COLOURS = "Pawns move by their colour, whoever moves them, and a ply may take back the opponent's last one."
BOTH_COLOURS_ja = "誰が動かしても、ポーンの進む向きはその色で決まる。相手の直前の手を元に戻してもよい。"
WITHOUT_DETENTE = Idle(
    {"turns": ("single", "progressive")},
    "the Detente rules speak of the first, second and third ply of a turn: they need turns: triple or balanced",
)

TOGGLES = (
    Toggle(
        name="turns",
        title="Plies of a turn",
        title_ja="一手番で動かす回数",
        source=f"{JACKMAN}: rule 1, Balanced 007, Progressive 007",
        default="single",
        values=(
            Value(
                "single",
                "A turn is one ply: the player moves a piece of his own colour.",
                ja="一手番は一手で、自分の駒を動かす。",
            ),
            Value(
                "triple",
                "A turn is three plies chosen by one player: his own piece, an enemy piece, his own piece. "
                f"{BOTH_COLOURS}",
                ja=f"一手番は三手で、自分の駒、敵の駒、自分の駒の順に一人で動かす。{BOTH_COLOURS_ja}",
            ),
            Value(
                "balanced",
                "Black's player chooses White's first ply; then White's player moves a black and a white piece; from "
                f"then on a turn is three plies: own piece, enemy piece, own piece. {BOTH_COLOURS} The first seat is "
                "White's player's, though the other chooses the first ply.",
                ja="初手は黒の番の人が白の駒を動かし、次に白の番の人が黒の駒と白の駒を動かす。"
                f"以降は一手番三手で、自分、敵、自分の駒の順に動かす。{BOTH_COLOURS_ja}初手を選ぶのは黒の番の人だが、先手は白の番の人とする。",
            ),
            Value(
                "progressive",
                "The players' turns grow: one ply, two, three and so on; the colours still alternate ply by ply. "
                f"{BOTH_COLOURS}",
                ja=f"手番が進むごとに一手、二手、三手と動かす回数が増える。動かす駒の色は一手ごとに交代する。{BOTH_COLOURS_ja}",
            ),
        ),
    ),
    Toggle(
        name="promotion_by",
        title="Who chooses what a pawn becomes",
        title_ja="昇格する駒を決める人",
        source=f"{JACKMAN}: rule 7, and his second thoughts",
        default="mover",
        idle=(Idle({"turns": ("single",)}),),
        values=(
            Value(
                "mover",
                "The player who moves a pawn to its last rank chooses what it becomes.",
                ja="ポーンを最終段に動かしたプレイヤーが、昇格する駒を決める。",
            ),
            Value(
                "owner",
                "The owner of a pawn chooses what it becomes, also when the opponent moved it to its last rank.",
                ja="相手がポーンを最終段に動かしたときも、昇格する駒はポーンの持ち主が決める。",
            ),
        ),
    ),
    Toggle(
        name="moved_enemy",
        title="The enemy piece that was moved (Detente)",
        title_ja="動かした敵の駒（軍事協定）",
        source=f"{JACKMAN}: Detente Variation, rule 1",
        default="capturable",
        idle=(WITHOUT_DETENTE,),
        values=(
            Value(
                "capturable",
                "The enemy piece moved in a turn may be captured with the last ply of that turn.",
                ja="手番のうちに動かした敵の駒を、その手番の最後の手で取ってもよい。",
            ),
            Value(
                "safe",
                "The enemy piece moved in a turn may not be captured with the last ply of that turn, nor en passant: "
                "with the third of three plies, and with the second of the turn of two with which White's player "
                "begins in Balanced 007.",
                ja="手番のうちに動かした敵の駒を、その手番の最後の手で取ってはならない（アンパッサンも含む）。三手の手番では三手目、"
                "均衡007で白の番の人が始める二手の手番では二手目で取れない。",
            ),
        ),
    ),
    Toggle(
        name="same_piece",
        title="The same piece twice (Detente)",
        title_ja="同じ駒を二度動かすこと（軍事協定）",
        source=f"{JACKMAN}: Detente Variation, rule 2",
        default="allowed",
        idle=(WITHOUT_DETENTE,),
        values=(
            Value(
                "allowed",
                "The first and the third ply may move the same piece.",
                ja="一手目と三手目に同じ駒を動かしてもよい。",
            ),
            Value(
                "only-if-forced",
                "The first and the third ply may not move the same piece, unless no other own piece has a legal move.",
                ja="一手目と三手目に同じ駒を動かしてはならない。ただし、別の駒を動かすことができないときは動かしてもよい。",
            ),
        ),
    ),
    Toggle(
        name="castling_moves",
        title="Which pieces castling has moved (Detente)",
        title_ja="キャスリングで動かしたとみなす駒（軍事協定）",
        source=f"{JACKMAN}: Detente Variation; the source is silent",
        default="king",
        idle=(
            Idle(
                {"moved_enemy": ("capturable",), "same_piece": ("allowed",)},
                "castling_moves is about the Detente rules and would do nothing: it needs moved_enemy: safe or "
                "same_piece: only-if-forced",
            ),
            Idle(
                {"castling": ("never",)},
                "castling_moves is about castling and would do nothing: write castling_moves: king or castling: "
                "standard",
            ),
        ),
        values=(
            Value(
                "king",
                "For the Detente rules castling is a move of the king: its rook counts as not moved.",
                ja="軍事協定では、キャスリングはキングを動かした手とみなす。ルークは動かしていないものとする。",
            ),
            Value(
                "king-and-rook",
                "For the Detente rules castling moves both king and rook.",
                ja="軍事協定では、キャスリングはキングとルークの両方を動かした手とみなす。",
            ),
        ),
    ),
    Toggle(
        name="king",
        title="Check and the end of the king",
        title_ja="チェックとキングの捕獲",
        source=f"{FIDE}, articles 3.9 and 5.1; {JACKMAN}: a fast and extreme game; {ANTICHESS}",
        default="checkmate",
        values=(
            Value(
                "checkmate",
                "No ply may leave the king of the colour that moves in check, whoever chooses it; a colour that is in "
                "check and has no legal move is mated, and its player loses.",
                ja="誰が選んだ手でも、動かした色のキングがチェックされたままになる手は指せない。"
                "チェックされて合法手のない色はチェックメイトで、そのプレイヤーの負け。",
            ),
            Value(
                "capture",
                "Check and mate are ignored, and castling may cross attacked squares. The player whose king is taken "
                "loses, also when he took it himself.",
                ja="チェックとチェックメイトはなく、利きを越えるキャスリングもできる。"
                "キングを取られたプレイヤーの負けで、自分の手で取らせた場合も同じ。",
            ),
            Value(
                "ordinary",
                "A king is a piece like any other: there is no check, it may be captured, and a pawn may become one.",
                ja="キングもほかの駒と同じで、チェックはなく、取られてもよく、ポーンはキングにも昇格できる。",
            ),
        ),
    ),
    Toggle(
        name="stalemate",
        title="Stalemate",
        title_ja="ステイルメイト",
        source=f"{FIDE}, article 5.2.1; {JACKMAN}: rule 4",
        default="draw",
        values=(
            Value(
                "draw",
                "A colour that is not in check and has no legal move is stalemated: the game is a draw at once, also "
                "in the middle of a turn.",
                ja="チェックされていない色に合法手がなければステイルメイトで、手番の途中でもただちに引き分け。",
            ),
            Value(
                "loss",
                "A player whose colour is stalemated loses.",
                ja="自分の色がステイルメイトになったプレイヤーの負け。",
            ),
            Value(
                "win",
                "A player whose colour is stalemated wins.",
                ja="自分の色がステイルメイトになったプレイヤーの勝ち。",
            ),
        ),
    ),
    Toggle(
        name="repetition",
        title="Repetition",
        title_ja="同形反復",
        source=f"{FIDE}, article 9.2",
        default=3,
        values=(Value(0, "Positions may repeat without end.", ja="同じ局面は何度現れてもよい。"),),
        span=Span(
            2,
            20,
            "The game is a draw when a position occurs for time number {n}: the same board, colour, castling, en "
            "passant and place in the turn.",
            ja="同じ局面（盤面、手番の色、キャスリング、アンパッサン、手番の何手目か）が{n}回目に現れたら引き分け。",
        ),
    ),
    Toggle(
        name="move_limit",
        title="Limit of plies without progress",
        title_ja="進展のない手数の上限",
        source=f"{FIDE}, article 9.3: 50 moves of each player",
        default=100,
        values=(
            Value(
                0,
                "There is no limit of plies without a capture or a move of a pawn.",
                ja="駒を取らず、ポーンも動かさない手がいくら続いてもよい。",
            ),
        ),
        span=Span(
            1,
            1000,
            "The game is a draw after {n} plies without a capture or a move of a pawn.",
            ja="駒を取らず、ポーンも動かさない手が{n}手続いたら引き分け。",
        ),
    ),
    Toggle(
        name="insufficient_material",
        title="Too few pieces to mate",
        title_ja="戦力不足",
        source=f"{FIDE}, articles 5.2.2 and 9.6",
        default="draw",
        values=(
            Value(
                "draw",
                "Kings alone, with one bishop or knight, or with bishops on squares of one colour: a draw at once.",
                ja="キングだけ、ビショップかナイト一枚だけ、または同じ色のマスのビショップだけが残ったら、ただちに引き分け。",
            ),
            Value(
                "play-on",
                "The game goes on, however few pieces are left.",
                ja="残った駒がどれほど少なくても続ける。",
            ),
        ),
    ),
    Toggle(
        name="castling",
        title="When kings may castle",
        title_ja="キャスリングできる時期",
        source=f"{FIDE}, article 3.8.2; {ALPHAZERO}: No-castling, No-castling (10)",
        default="standard",
        values=(
            Value(
                "standard",
                "A king that has not moved may castle with a rook that has not moved.",
                ja="動いていないキングは、動いていないルークとキャスリングできる。",
            ),
            Value("never", "There is no castling.", ja="キャスリングはない。"),
            Value(
                "after-move-10",
                "No colour may castle with its first ten moves; positions in which castling has to wait differently "
                "long are different positions.",
                ja="どちらの色も最初の10手ではキャスリングできない。キャスリングできるまでの手数が違えば、別の局面とみなす。",
            ),
        ),
    ),
    Toggle(
        name="pawn_double_step",
        title="From where a pawn may step two squares",
        title_ja="ポーンが二マス進める段",
        source=f"{FIDE}, article 3.7.2; {ALPHAZERO}: Pawn-one-square, Torpedo, Semi-torpedo",
        default="from-start",
        values=(
            Value(
                "from-start",
                "A pawn may step two squares from its second rank, and be captured en passant after it.",
                ja="ポーンは二段目からだけ二マス進め、その直後はアンパッサンで取られうる。",
            ),
            Value(
                "second-and-third",
                "A pawn may step two squares from its second and from its third rank, and be captured en passant after "
                "it.",
                ja="ポーンは二段目と三段目から二マス進め、その直後はアンパッサンで取られうる。",
            ),
            Value(
                "anywhere",
                "A pawn may step two squares from any rank, also to the last one, and be captured en passant after it.",
                ja="ポーンはどの段からでも（最終段へも）二マス進め、その直後はアンパッサンで取られうる。",
            ),
            Value(
                "never",
                "Pawns step one square only: there is no capture en passant.",
                ja="ポーンは一マスずつしか進めず、アンパッサンもない。",
            ),
        ),
    ),
    Toggle(
        name="pawn_extra",
        title="Further steps of pawns",
        title_ja="ポーンの追加の動き",
        source=f"{ALPHAZERO}: Pawn-back, Pawn-sideways",
        default="none",
        values=(
            Value("none", "Pawns step forward only.", ja="ポーンは前にしか進めない。"),
            Value(
                "back",
                "A pawn may also step one square straight back, not capturing and never to its own first rank. For the "
                "limit of plies, moves of pawns are no progress.",
                ja="ポーンはまっすぐ後ろにも一マス動ける。ただし駒は取れず、自陣の一段目には下がれない。"
                "ポーンの手は、手数の上限でいう進展に数えない。",
            ),
            Value(
                "sideways",
                "A pawn may also step one square sideways, not capturing.",
                ja="ポーンは左右にも一マス動けるが、そのとき駒は取れない。",
            ),
        ),
    ),
    Toggle(
        name="self_capture",
        title="Capturing one's own pieces",
        title_ja="自分の駒を取ること",
        source=f"{ALPHAZERO}: Self-capture",
        default="none",
        values=(
            Value("none", "A piece may not capture a piece of its colour.", ja="同じ色の駒は取れない。"),
            Value(
                "any-but-king",
                "A piece may capture any piece of its colour but the king, as it would capture an enemy piece.",
                ja="キング以外なら、敵の駒を取るのと同じ動きで、同じ色の駒も取れる。",
            ),
        ),
    ),
    Toggle(
        name="capture",
        title="Obligation to capture",
        title_ja="駒を取る義務",
        source=ANTICHESS,
        default="optional",
        values=(
            Value("optional", "Nobody has to capture.", ja="駒を取る義務はない。"),
            Value(
                "obligatory",
                "A colour that can capture must capture; which capture is a free choice.",
                ja="駒を取れるときは必ず取る。どの駒を取るかは自由に選べる。",
            ),
        ),
    ),
    Toggle(
        name="goal",
        title="Goal",
        title_ja="目的",
        source=f"{FIDE}, article 1.4; {ANTICHESS}",
        default="king",
        values=(
            Value("king", "The game is won against the enemy king.", ja="敵のキングを討つのが目的。"),
            Value(
                "lose-all",
                "A player whose colour has no piece left wins.",
                ja="自分の色の駒がすべてなくなったプレイヤーの勝ち。",
            ),
        ),
    ),
    Drawing(
        name="start_position",
        title="Where the pieces begin",
        title_ja="駒の初期配置",
        source="S. J. Edwards, Portable Game Notation Specification, 1994, section 16.1 (FEN)",
        default="array",
        # No right to castle, and no pawn.
        settled={" -$": ("castling", "castling_moves"), "^[^pP]* ": ("pawn_double_step", "pawn_extra", "promotion_by")},
        values=(Value("array", "The pieces begin in the array of chess.", ja="駒は通常の初期配置から始める。"),),
        what="a FEN such as rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq",
        form=r"[1-8pnbrqkPNBRQK/]{15,80} [wb] (K?Q?k?q?(?<! )|-)",
        fields=("", "w", "-", "-", "0", "1"),
        kept=3,
        pieces="PNBRQKpnbrqk",
        drawn="The game does not begin in the array of chess but in this position: {n}.",
        drawn_ja="通常の初期配置ではなく、次の局面から始める：{n}。",
    ),
    moves_of("knight", "ナイト", "N", f"{FIDE}, article 3.6; {BETZA}"),
    moves_of("bishop", "ビショップ", "B", f"{FIDE}, article 3.2; {BETZA}"),
    moves_of("rook", "ルーク", "R", f"{FIDE}, article 3.3; {BETZA}"),
    moves_of("queen", "クイーン", "Q", f"{FIDE}, article 3.4; {BETZA}"),
    moves_of("king", "キング", "K", f"{FIDE}, article 3.8; {BETZA}"),
)

CAPTURE_NEEDS_NO_MATE = (
    "a king can be taken with any piece left, so nothing is insufficient: write insufficient_material: play-on"
)

DETENTE_AND_DUTY = (
    "the Detente rules forbid captures and second moves that a duty to capture may demand, and neither source says "
    "which goes first: write capture: optional, or moved_enemy: capturable and same_piece: allowed"
)

ORDINARY_KING = "a king that is a piece like any other"

DECLARATION = Declaration(
    name="chess",
    title="Chess and 007 chess",
    title_ja="チェスと007チェス",
    version=1,
    source=f"{FIDE}; {JACKMAN}; {ALPHAZERO}",
    seats=("White", "Black"),
    summary=(
        "Pieces, board, array and moves are those of chess, with castling, capture en passant and promotion to queen, "
        "rook, bishop or knight, unless a rule below says otherwise. The colours alternate ply by ply, White first: a "
        "game record looks like ordinary chess. There is no passing.",
    ),
    notation=(
        "e4, Nf3, exd5, O-O, e8=Q: standard algebraic notation, or g1f3, e7e8q: from and to as in UCI.",
        "=Q is the owner's choice for a pawn that the opponent moved to its last rank.",
        "d4c4, d4d3: steps of a pawn sideways or back, by both squares.",
    ),
    toggles=TOGGLES,
    conflicts=(
        Conflict({"king": ("capture", "ordinary"), "insufficient_material": ("draw",)}, CAPTURE_NEEDS_NO_MATE),
        Conflict({"capture": ("obligatory",), "moved_enemy": ("safe",)}, DETENTE_AND_DUTY),
        Conflict({"capture": ("obligatory",), "same_piece": ("only-if-forced",)}, DETENTE_AND_DUTY),
        Conflict(
            {"capture": ("obligatory",), "self_capture": ("any-but-king",)},
            "a duty to capture would be met, and called for, by captures of one's own pieces: write self_capture: none "
            "or capture: optional",
        ),
        Conflict(
            {"king": ("ordinary",), "goal": ("king",)},
            f"against {ORDINARY_KING} nobody can win: write goal: lose-all or king: capture",
        ),
        Conflict(
            {"king": ("checkmate", "capture"), "goal": ("lose-all",)},
            "a player keeps the king to the end or loses by it, so nobody can lose all pieces: write king: ordinary or "
            "goal: king",
        ),
        Conflict(
            {"king": ("ordinary",), "castling": ("standard", "after-move-10")},
            f"{ORDINARY_KING} does not castle: write castling: never",
        ),
        Conflict(
            {"king": ("ordinary",), "self_capture": ("any-but-king",)},
            f"self_capture sets the king apart, which {ORDINARY_KING} is not: write self_capture: none",
        ),
    ),
    units=(
        UnitKind("pawn", "ポーン"),
        UnitKind("knight", "ナイト"),
        UnitKind("bishop", "ビショップ"),
        UnitKind("rook", "ルーク"),
        UnitKind("queen", "クイーン"),
        UnitKind("king", "キング"),
    ),
    trainer=1,
    features=(
        Named("pawns", "Pawns.", 0.55, ja="ポーンの数。"),
        Named("knights", "Knights.", 1.7, ja="ナイトの数。"),
        Named("bishops", "Bishops.", 1.8, ja="ビショップの数。"),
        Named("rooks", "Rooks.", 2.7, ja="ルークの数。"),
        Named("queens", "Queens.", 5.0, ja="クイーンの数。"),
        Named(
            "mobility",
            "Squares that knights, bishops, rooks and queens can reach.",
            0.03,
            ja="ナイト、ビショップ、ルーク、クイーンが動けるマスの数。",
        ),
        Named(
            "king_attack",
            "Attacks on the enemy king and the squares around it.",
            0.09,
            ja="敵キングとその周囲への利き。",
        ),
        Named(
            "advanced_pawns",
            "Pawns' progress: for each pawn the square of its steps beyond the first.",
            0.025,
            ja="ポーンの前進度（各ポーンの二段目以降の歩数の二乗の和）。",
        ),
        Named(
            "checks",
            "Moves of knights, bishops, rooks and queens that would give check.",
            0.06,
            ja="次にチェックできるナイト、ビショップ、ルーク、クイーンの手。",
        ),
        Named("shelter", "Own pawns next to the king.", 0.1, ja="キングに隣接する味方ポーン。"),
        Named(
            "centre",
            "Pawns on the four central squares, and attacks on them by pawns and knights.",
            0.08,
            ja="中央四マスのポーンと、ポーン・ナイトによる中央への利き。",
        ),
        Named(
            "passed_pawns",
            "Pawns with no enemy pawn in front of them on their file and the files beside it.",
            0.2,
            ja="パスポーン（同じ筋と隣の筋の前方に敵ポーンがないポーン）。",
        ),
        Named(
            "hanging",
            "Pieces attacked by a pawn, or attacked and not defended.",
            -0.5,
            ja="ポーンに当たられている駒と、当たられていて守られていない駒。",
        ),
        Named(
            "in_check", "Whether this colour is to move and in check.", -0.3, ja="この色の番でチェックされているか。"
        ),
        Named("tempo", "Whether this player chooses the next ply.", 0.15, ja="次の手を選ぶのがこのプレイヤーか。"),
    ),
    events=(
        Named("captures", "Captures.", ja="駒を取った手。"),
        Named("checks", "Plies that gave check.", ja="チェックをかけた手。"),
        Named("castlings", "Castlings.", ja="キャスリング。", toggles=("castling_moves", "castling")),
        Named("promotions", "Pawns that reached their last rank.", ja="最終段に達したポーン。"),
        Named(
            "promotions_by_opponent",
            "Pawns that their owner's opponent moved to the last rank.",
            ja="相手の手で最終段に動かされたポーン。",
            toggles=("promotion_by",),
        ),
        Named(
            "own_pieces_taken",
            "Captures in which a player took a piece of his own, with an enemy piece or by self-capture.",
            ja="敵の駒を動かして、または自分の駒で、自分の駒を取った手。",
            toggles=("self_capture",),
        ),
        Named("mates_given", "Mates that the winner brought about.", ja="勝者の手によるチェックメイト。"),
        Named(
            "self_mates",
            "Mates that the loser brought about, with an enemy piece or by the Detente rules.",
            ja="敗者自身の手によるチェックメイト（自殺メイト）。",
        ),
        Named(
            "safe_piece_forbade",
            "Positions in which a legal chess move was forbidden because it took the enemy piece just moved.",
            ja="動かしたばかりの敵の駒を取る手が禁じられた局面。",
            toggles=("moved_enemy", "castling_moves"),
        ),
        Named(
            "same_piece_forbade",
            "Positions in which a legal chess move was forbidden because it moved the same piece again.",
            ja="同じ駒をもう一度動かす手が禁じられた局面。",
            toggles=("same_piece", "castling_moves"),
        ),
        Named(
            "forced_replies",
            "Plies of an enemy piece at which there was only one legal move.",
            ja="敵の駒の合法手が一つしかなかった手。",
        ),
        Named(
            "turns_cut_short",
            "Games that ended in the middle of a turn (repetition aside).",
            ja="手番の途中で終わった対局（同形反復を除く）。",
        ),
    ),
    terminations={
        8: Named(
            "mate",
            "A colour is in check and has no legal move: its player loses.",
            ja="チェックされて合法手がなく、その色のプレイヤーの負け。",
        ),
        9: Named(
            "stalemate",
            "A colour is not in check and has no legal move.",
            ja="チェックされていないが合法手がない。",
            toggles=("stalemate",),
        ),
        10: Named("king-captured", "A king was taken: its player loses.", ja="キングが取られ、そのプレイヤーの負け。"),
        11: Named(
            "move-limit",
            "Too many plies without a capture or a move of a pawn: a draw.",
            ja="駒を取らずポーンも動かさない手が上限に達し、引き分け。",
            toggles=("move_limit",),
        ),
        12: Named(
            "insufficient-material",
            "Too few pieces are left to mate: a draw.",
            ja="チェックメイトできる駒が残っておらず、引き分け。",
            toggles=("insufficient_material",),
        ),
        13: Named(
            "lose-all",
            "A colour has no piece left, as was the goal: its player wins.",
            ja="目的どおり駒がすべてなくなり、その色のプレイヤーの勝ち。",
            toggles=("goal",),
        ),
    },
)
