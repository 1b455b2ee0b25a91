"""What the declarations of the games say in English only, in Japanese: summaries, and why settings do not go together.

A test finds the sentences of declarations that are missing here, and those here that no declaration has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PAIRS = (
    (
        "Each player has one object, the king to be mated, and subjects. The board starts empty. It is divided "
        "into nine square zones; two zones touch if they share an edge or a corner.",
        "双方に、詰められれば負けとなるオブジェクトが1つと、サブジェクトがある。盤には初め何も置かれていない。盤"
        "は正方形のゾーン9つに分かれ、辺か角を共有するゾーンどうしは隣接するという。",
    ),
    (
        "From the opening on, a player drops a subject or moves a subject or the object. There is no passing. No "
        "move may leave the own object attacked. A player whose object is attacked and who has no legal move is "
        "mated and loses.",
        "開始の手順のあとは、サブジェクトを打つか、サブジェクトまたはオブジェクトを動かす。パスはできない。自分の"
        "オブジェクトを取られる状態にする手は指せない。オブジェクトが王手されていて合法手がなければ、詰みで負けと"
        "なる。",
    ),
    (
        "While the drop limits last, a subject may be dropped in the own zone (that of the own object), and in "
        "any zone that is neither the enemy zone nor touches it.",
        "打てる場所の制限がある間、サブジェクトは、自陣（自分のオブジェクトがいるゾーン）と、敵陣でも敵陣に隣接す"
        "るゾーンでもないゾーンに打てる。",
    ),
    (
        "Object and subject step like a chess king. Moving onto an enemy subject captures it.",
        "オブジェクトとサブジェクトは、チェスのキングと同じく1マス動く。敵のサブジェクトのいるマスに動けば、それ"
        "を取る。",
    ),
    (
        "Two linked subjects A and B of one side extend each other's moves. Flight: A jumps to the square "
        "point-symmetric to A about B, whatever stands between. Slide: if they stand on one row, column or 45° "
        "diagonal, B slides straight away from A, at most as far as A is away, up to and including an enemy "
        "subject, or to just before an own piece. What attacks is what moves. Objects have no links.",
        "リンクした味方のサブジェクトAとBは、互いの動きを広げる。跳躍：Aは、Bを中心とする点対称のマスへ、間に何が"
        "あっても跳べる。滑走：同じ列・段・斜め45度の線上にあれば、BはAから遠ざかる向きに、Aとの距離まで滑って進"
        "める。敵のサブジェクトがあればそれを取って止まり、味方の駒があればその手前で止まる。利きは動きと同じ。オ"
        "ブジェクトはリンクしない。",
    ),
    (
        "on 3×3 every square touches the centre, so no object could be placed: write object_area: "
        "outside-centre or a larger size",
        "3×3ではどのマスも中央に接するため、オブジェクトを打てる場所がなくなる。object_areaをoutside-centreにす"
        "るか、盤を大きくする",
    ),
    (
        "repetition is off, so repetition_count would do nothing: leave one of them out",
        "同一局面の繰り返しがoffなので、repetition_countは意味をもたない。どちらかを外す",
    ),
    (
        "there is no offside rule, so offside_line would do nothing: leave one of them out",
        "オフサイドルールがないので、offside_lineは意味をもたない。どちらかを外す",
    ),
    (
        "Pieces, board, array and moves are those of chess, with castling, capture en passant and promotion to "
        "queen, rook, bishop or knight. The colours alternate ply by ply, White first: a game record looks like "
        "ordinary chess.",
        "駒・盤・初期配置・動きはチェスと同じで、キャスリングとアンパッサンがあり、クイーン・ルーク・ビショップ・"
        "ナイトに昇格できる。1手ごとに白、黒と交互に色が替わるので、棋譜は普通のチェスと同じ形になる。",
    ),
    (
        "What the variants change is who chooses a ply. The first seat is always White's player, whoever chooses "
        "the first ply. Pawns move by their colour. There is no passing, and taking back the opponent's move is "
        "allowed.",
        "変わるのは、その1手を誰が決めるかである。最初の手を誰が決める場合でも、先手とは白のプレイヤーをいう。ポ"
        "ーンは色に応じた向きに進む。パスはできず、相手が動かした手を戻すことは許される。",
    ),
    (
        "the Detente rules speak of the first, second and third ply of a turn: they need turns: triple or balanced",
        "軍事協定は一手番の1手目・2手目・3手目についての規則なので、turnsをtripleかbalancedにする",
    ),
    (
        "a king can be taken with any piece left, so nothing is insufficient: write insufficient_material: play-on",
        "どの駒が残っていてもキングを取れるので、戦力不足にはならない。insufficient_materialをplay-onにする",
    ),
    (
        "castling_moves is about the Detente rules and would do nothing: it needs moved_enemy: safe or "
        "same_piece: only-if-forced",
        "castling_movesは軍事協定についての規則で、このままでは意味をもたない。moved_enemyをsafeに、またはsame_pi"
        "eceをonly-if-forcedにする",
    ),
    (
        "castling_moves is about castling and would do nothing: write castling_moves: king or castling: standard",
        "castling_movesはキャスリングについての規則で、このままでは意味をもたない。castling_movesをkingに、または"
        "castlingをstandardにする",
    ),
    (
        "the Detente rules forbid captures and second moves that a duty to capture may demand, and neither "
        "source says which goes first: write capture: optional, or moved_enemy: capturable and same_piece: "
        "allowed",
        "軍事協定は、取る義務が求めうる捕獲や二度目の動きを禁じており、どちらが優先するかを定めた出典がない。capt"
        "ureをoptionalにするか、moved_enemyをcapturable、same_pieceをallowedにする",
    ),
    (
        "a duty to capture would be met, and called for, by captures of one's own pieces: write self_capture: "
        "none or capture: optional",
        "自分の駒を取ることで、取る義務が生じ、また果たされてしまう。self_captureをnoneに、またはcaptureをoptiona"
        "lにする",
    ),
    (
        "against a king that is a piece like any other nobody can win: write goal: lose-all or king: capture",
        "キングがただの駒なら、勝つ方法がない。goalをlose-allに、またはkingをcaptureにする",
    ),
    (
        "a player keeps the king to the end or loses by it, so nobody can lose all pieces: write king: ordinary "
        "or goal: king",
        "キングは最後まで残るか、取られて負けるので、駒をすべて失うことはない。kingをordinaryに、またはgoalをking"
        "にする",
    ),
    (
        "a king that is a piece like any other does not castle: write castling: never",
        "ただの駒であるキングはキャスリングしない。castlingをneverにする",
    ),
    (
        "self_capture sets the king apart, which a king that is a piece like any other is not: write "
        "self_capture: none",
        "self_captureはキングを特別に扱うが、ここではキングもただの駒である。self_captureをnoneにする",
    ),
    (
        "Two players move in turn. A man becomes a king when its move ends on the last row.",
        "2人が交互に手番をもつ。駒は、その手が最奥列で終わるとキングになる。",
    ),
    (
        "A piece captures an enemy piece by jumping over it to a free square behind. A capture goes on with the "
        "same piece as long as it can. Captures that agree in origin, destination and the set of captured pieces "
        "are one move.",
        "敵の駒を飛び越えて、すぐ先の空きマスへ移ることで取る。取れる限り、同じ駒で続けて取る。出発点・到着点・取"
        "った駒の組が同じなら、同じ手とみなす。",
    ),
    (
        "a king that moves one step cannot capture from afar: write king_move: flying or king_capture: adjacent",
        "1マスしか動けないキングは、離れた駒を取れない。king_moveをflyingに、またはking_captureをadjacentにする",
    ),
    (
        "nobody must take the most pieces where nobody must capture: write capture: obligatory or capture_choice: any",
        "取る義務がなければ、最も多く取る義務もない。captureをobligatoryに、またはcapture_choiceをanyにする",
    ),
    (
        "on one colour of squares nothing moves sideways: write squares: all or men_step: forward",
        "1色のマスだけを使うなら、横には動けない。squaresをallに、またはmen_stepをforwardにする",
    ),
    (
        "the men would fill the board and leave no row between them: choose fewer rows or a larger board",
        "駒が盤を埋めて、間に空き列が残らない。列数を減らすか、盤を大きくする",
    ),
    (
        "a board with an even number of squares has no middle of the back row: write size: 9 or royal: none",
        "1辺のマス数が偶数の盤には、最後列の中央がない。sizeを9に、またはroyalをnoneにする",
    ),
    (
        "nothing stands on the back row, so no piece there can be royal: write empty_back_rows: 0 or royal: none",
        "最後列に駒がないので、そこに王の駒を置けない。empty_back_rowsを0に、またはroyalをnoneにする",
    ),
    (
        "capturing the royal piece wins, but the goal is to lose: write goal: capture-all or royal: none",
        "王の駒を取れば勝ちだが、目的は負けることになっている。goalをcapture-allに、またはroyalをnoneにする",
    ),
    (
        "the royal piece is a king from the start, but the first king wins: write goal: capture-all or royal: none",
        "王の駒は初めからキングだが、先にキングを作った側が勝つことになっている。goalをcapture-allに、またはroyal"
        "をnoneにする",
    ),
    (
        "Each player has an army of units of many games: shogi, chess, xiangqi, janggi, makruk and draughts "
        "pieces, go stones 碁, othello stones 翻 and renju stones 珠; exactly one king of any kind, which is "
        "royal. Soldiers begin on the soldier row, all other units behind it, 珠 in hand only, 碁 and 翻 on the "
        "board or in hand.",
        "各プレイヤーは、将棋・チェス・シャンチー・チャンギ・マークルック・ドラフツの駒、碁石（碁）、オセロの石（"
        "翻）、連珠の石（珠）など、さまざまなゲームのユニットから成る軍をもつ。王は種類を問わず1つだけで、取られ"
        "れば負けとなる。兵隊駒は兵隊駒の段に、ほかのユニットはその後ろに置く。珠は持ち駒だけ、碁と翻は盤上にも持"
        "ち駒にもできる。",
    ),
    (
        "In a turn one moves a unit, drops one from the hand, or passes where the board allows it. No move may "
        "leave the own king capturable by any means; a player in check without a legal move is mated and loses.",
        "手番では、ユニットを動かすか、持ち駒を打つか、盤が許せばパスをする。どのような方法であれ自玉を取られる状"
        "態にする手は指せない。王手されていて合法手がなければ、詰みで負けとなる。",
    ),
    (
        "Shogi: 玉 K, 金 WfF, 銀 FfW, 桂 ffN, 香 fR, 飛 R, 角 B, 歩 fW; promoted 飛 RF, 角 BW, others as 金. "
        "Chess: 王 K, 后 Q, 城 R, 僧 B, 騎 N, 兵 fmWfcF without double step. Xiangqi: 帥 W, 仕 F, 相 nA, 傌 nN, "
        "俥 R, 炮 a rook that captures over one screen, 卒 fW, promoted also sideways. Janggi: 楚 W, 士 K, 象 "
        "one step and two diagonal ones, 马 nN, 车 R, 包 moves and captures over one unit, no 包 involved, 卆 "
        "fWsW. Makruk: 君 K, 種 F, 根 FfW, 午 N, 船 R, 貝 as 兵, promoted 核 F. There are no palaces and no "
        "river (Betza's notation).",
        "将棋：玉K、金WfF、銀FfW、桂ffN、香fR、飛R、角B、歩fW。成ると飛はRF、角はBW、ほかは金と同じ。チェス：王K"
        "、后Q、城R、僧B、騎N、兵fmWfcF（初手の2マス進みはない）。シャンチー：帥W、仕F、相nA、傌nN、俥R、炮は間の"
        "駒1つを飛び越えて取る飛車、卒fW、成ると横にも。チャンギ：楚W、士K、象は1マス進んで斜めに2マス、马nN、车R"
        "、包は駒1つを飛び越えて動き、取る（包は飛び越えられず、取れない）、卆fWsW。マークルック：君K、種F、根FfW"
        "、午N、船R、貝は兵と同じで、成ると核F。宮も河もない（表記はベッツァ法）。",
    ),
    (
        "平 steps diagonally forward and captures by jumping any enemy unit diagonally, forward or backward, on "
        "and on as in international draughts; it becomes 冠 if its move ends on the last row. Jumped units leave "
        "the board after the move, and none is jumped twice.",
        "平は斜め前に1マス進み、敵のユニットを斜め前後に飛び越えて、国際ドラフツと同じく取れる限り続けて取る。手"
        "が最奥列で終わると冠になる。飛び越えられたユニットは手のあとで盤から除かれ、同じユニットを二度飛び越える"
        "ことはできない。",
    ),
    (
        "Captured shogi pieces (unpromoted) and 翻 go to the captor's hand, all other units are his prisoners. "
        "Shogi pieces are dropped as in shogi: no second unpromoted 歩 on a column, none where it could never "
        "move, no mate by dropping 歩. 珠 is not dropped on the own half. Promotion of shogi pieces is optional "
        "when a move ends in the zone, all other promotions are forced.",
        "取った将棋の駒（成りは戻す）と翻は取った側の持ち駒になり、ほかのユニットはアゲハマになる。将棋の駒は将棋"
        "と同じように打つ：二歩、行き所のない駒、打ち歩詰めは禁じ手。珠は自陣側の半分には打てない。将棋の駒は、手"
        "が敵陣で終わるときに成るかどうかを選べる。ほかの成りは強制である。",
    ),
    (
        "Precedence: five in a row, mate, bikjang, no legal move, repetition by the second player's king (玉 "
        "fourth time, others third time: draw; with 玉 and 帥 the player who gave check all the time loses).",
        "優先順位：五連、詰み、ビッチャン、合法手なし、後手の王による同一局面（玉なら4回目、ほかは3回目で引き分け"
        "。玉と帥では、王手を続けた側の負け）。",
    ),
    (
        "Both passing in succession ends the game: empty cells of regions that touch own 碁 only, counting those "
        "of dead enemy units in them, plus prisoners, plus own 翻 on the board.",
        "双方が続けてパスすると終局し、地を数える：自分の碁だけに接する区域の空きマス（その中の死んだ敵ユニットの"
        "マスも含む）に、アゲハマと盤上の自分の翻を加える。",
    ),
    (
        "only 翻 that turn all units could take a king: leave flip_king out",
        "王を取りうるのは、すべてのユニットを返す翻だけである。flip_kingを外す",
    ),
    (
        "five is off, so five_ignores_check would do nothing: leave one of them out",
        "五連がoffなので、five_ignores_checkは意味をもたない。どちらかを外す",
    ),
    (
        "go_capture is off, so there is no ko: leave ko out",
        "go_captureがoffなのでコウは生じない。koを外す",
    ),
    (
        "A neutral star ★ begins on the corner a1 of an otherwise empty board; the players' pieces are in hand.",
        "中立の★は、何もない盤の角a1から始める。各プレイヤーの駒は手元にある。",
    ),
    (
        "The player to move does exactly one of three things: place a piece from hand on any empty cell; move an "
        "own piece one cell up, down, left or right to an empty cell; or let the star jump over an own piece "
        "that is next to it, up, down, left or right, to the empty cell straight behind.",
        "手番では、次のどれか1つだけを行う：手元の駒を空きマスに置く。自分の駒を上下左右の隣の空きマスに動かす。"
        "★を、上下左右に隣り合う自分の駒を飛び越えさせ、そのすぐ先の空きマスに移す。",
    ),
    (
        "Whoever holds every cell that is next to the star (up, down, left, right) wins.",
        "★の上下左右に接するマスをすべて自分の駒で占めれば勝ち。",
    ),
)
SENTENCES: Mapping[str, str] = dict(_PAIRS)
_CONFLICT = re.compile(r"found (?P<settings>.+?)(?: in (?P<ruleset>\S+))?; (?P<why>.+)", re.DOTALL)


def japanese(sentence: str) -> str:
    """A sentence of a declaration in Japanese, also within the message of a conflict; as it is where there is none."""
    if sentence in SENTENCES:
        return SENTENCES[sentence]
    conflict = _CONFLICT.fullmatch(sentence)
    if conflict is None or conflict["why"] not in SENTENCES:
        return sentence
    where = f"（{conflict['ruleset']}）" if conflict["ruleset"] else ""
    return f"{conflict['settings'].replace(' with ', 'と')}は組み合わせられない{where}。{SENTENCES[conflict['why']]}"
