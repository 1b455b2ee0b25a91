"""Chatra: what may be changed in its rules, and what each choice says in the rule book."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.engine.folds import SQUARE
from workbench.games.declaration import Conflict, Declaration, Idle, Landmark, Named, Span, Toggle, UnitKind, Value
from workbench.games.drawings import Drawing

RULES = "R. Konuma, Chatra rules, mixi community, 9 Sep 2007 to 9 Feb 2008"
TALK = "comments below R. Konuma's Chatra rules, mixi community, 2007-2008"
NO_MOVE = "A player who has no legal move and is not in check {}."
NO_MOVE_ja = "王手をかけられていないのに合法手がないときは、{}とする。"
WITHOUT_OFFSIDE = Idle(
    {"offside": ("off",)},
    "there is no offside rule, so offside_line and offside_exemption would do nothing: leave them out",
)

TOGGLES = (
    Toggle(
        name="size",
        title="Board size",
        title_ja="盤の大きさ",
        source=f"{RULES}, sections 2(1) and 9",
        default=12,
        values=tuple(
            Value(n, f"The board has {n}×{n} squares{zones}.", ja=f"盤は{n}×{n}マスで、{zones_ja}。")
            for n, zones, zones_ja in (
                (12, " in nine zones of 4×4", "4×4マスのゾーン9つから成る"),
                (9, " in nine zones of 3×3 (for beginners)", "3×3マスのゾーン9つから成る（初級者向け）"),
                (6, " in nine zones of 2×2 (small enough to be solved)", "2×2マスのゾーン9つから成る（完全解析用）"),
                (3, ", each a zone of its own (to be solved)", "1マスがそれぞれゾーンになる（完全解析用）"),
                (15, " in nine zones of 5×5 (for experts)", "5×5マスのゾーン9つから成る（上級者向け）"),
            )
        ),
    ),
    Toggle(
        name="opening",
        title="Opening",
        title_ja="開始の手順",
        source=f"{RULES}, section 3; proposal C: {TALK}",
        default="subject-first",
        values=(
            Value(
                "subject-first",
                "Black first drops a subject (not in the centre zone), then White places the object, then Black.",
                ja="初手に黒がサブジェクトを打ち（中央ゾーンを除く）、続いて白、黒の順にオブジェクトを打つ。",
            ),
            Value(
                "objects-first",
                "Black first places the object, then White; from ply 3 on both play freely (proposal C).",
                ja="初手に黒、2手目に白がオブジェクトを打ち、3手目からは双方が自由に着手する（C案）。",
            ),
        ),
    ),
    Drawing(
        name="object_area",
        title="Where objects are placed",
        title_ja="オブジェクトを打てる場所",
        source=f"{RULES}, sections 3(2) and 4(1); proposal D: {TALK}",
        default="outside-centre",
        values=(
            Value(
                "outside-centre",
                "Objects are placed anywhere outside the centre zone.",
                ja="オブジェクトは中央ゾーン以外ならどこにでも打てる。",
            ),
            Value(
                "away-from-centre",
                "Objects are placed neither in the centre zone nor on a square that touches it (proposal D).",
                ja="オブジェクトは中央ゾーンにも、中央ゾーンに隣接するマスにも打てない（D案）。",
            ),
        ),
        drawn="Objects are placed only on the squares marked x: {n}.",
        drawn_ja="オブジェクトは、xの付いたマスにだけ打てる：{n}。",
    ),
    Toggle(
        name="later_object",
        title="Where the second object is placed",
        title_ja="あとから打つオブジェクトの場所",
        source=f"{TALK}, proposals A and B",
        default="anywhere",
        values=(
            Value(
                "anywhere",
                "The object placed second may stand in any zone that is open to objects.",
                ja="あとから打つオブジェクトは、オブジェクトを打てるゾーンならどこに打ってもよい。",
            ),
            Value(
                "outside-enemy-zone",
                "The object placed second may not stand in the enemy zone (proposal A).",
                ja="あとから打つオブジェクトは敵陣に打てない（A案）。",
            ),
            Value(
                "away-from-enemy-zone",
                "The object placed second may stand neither in the enemy zone nor in a zone that touches it "
                "(proposal B).",
                ja="あとから打つオブジェクトは、敵陣にも敵陣に隣接するゾーンにも打てない（B案）。",
            ),
        ),
    ),
    Toggle(
        name="object_into_centre",
        title="When an object may enter the centre",
        title_ja="オブジェクトが中央ゾーンに入れる時期",
        source=f"{TALK}, proposal E",
        default="always",
        values=(
            Value(
                "always",
                "An object may move into the centre zone at any time.",
                ja="オブジェクトはいつでも中央ゾーンに入れる。",
            ),
            Value(
                "after-first-check",
                "An object may move into the centre zone only after the first check of the game (proposal E).",
                ja="オブジェクトは、最初の王手がかかるまで中央ゾーンに入れない（E案）。",
            ),
        ),
    ),
    Toggle(
        name="limits_end",
        title="When the drop limits end",
        title_ja="打てる場所の制限の解除",
        source=f"{RULES}, section 4(3), versions of 2007-09 and 2008-02",
        default="check-or-centre",
        values=(
            Value(
                "check-or-centre",
                "The drop limits end for both players after the first check, or when an object moves into the "
                "centre zone.",
                ja="最初の王手がかかるか、オブジェクトが中央ゾーンに移動すると、打てる場所の制限が双方とも解除される。",
            ),
            Value(
                "check",
                "The drop limits end for both players after the first check.",
                ja="最初の王手がかかると、打てる場所の制限が双方とも解除される。",
            ),
            Value("never", "The drop limits never end.", ja="打てる場所の制限は最後まで解除されない。"),
        ),
    ),
    Toggle(
        name="offside",
        title="Offside rule",
        title_ja="オフサイドルール",
        source=f"{RULES}, section 4(2): 'the pieces near the enemy object'; its drawings are lost",
        default="nearest-two",
        values=(
            Value(
                "nearest-two",
                "A drop is also open on the line through the two own subjects nearest to the enemy object, measured "
                "straight from centre to centre of their squares, and on the side of that line away from it; among "
                "equally near subjects any pair that allows the drop will do.",
                ja="敵オブジェクトに最も近い（マスの中心から中心までの直線距離で測る）味方のサブジェクト2つを結ぶ直線の上と、その直線をはさんで敵オブジェクトから離れた側にも打てる。同じ近さのものがあるときは、打てるようになる組み合わせを選んでよい。",
            ),
            Value(
                "front",
                "A drop is also open on or behind the line through any two own subjects that have no own subject on "
                "the enemy object's side of their line.",
                ja="味方のサブジェクト2つを結ぶ直線のうち、敵オブジェクトの側に味方のサブジェクトがないものについて、その直線の上と後方にも打てる。",
            ),
            Value(
                "any-two",
                "A drop is also open on or behind the line through any two own subjects.",
                ja="味方のサブジェクトのどの2つを結ぶ直線についても、その上と後方に打てる。",
            ),
            Value(
                "off",
                "There is no offside rule: only the zones decide.",
                ja="オフサイドルールはなく、打てる場所はゾーンだけで決まる。",
            ),
        ),
    ),
    Toggle(
        name="offside_line",
        title="How far the offside line reaches",
        title_ja="オフサイドラインの範囲",
        source=f"{RULES}, section 4(2): 'the line that connects the centres'; its drawings are lost",
        default="line",
        idle=(WITHOUT_OFFSIDE,),
        values=(
            Value(
                "line",
                "The offside line is the whole straight line through the two subjects, and all squares on its far side "
                "are away from the enemy object.",
                ja="オフサイドラインは2つのサブジェクトを通る直線の全体で、その向こう側のマスはすべて敵オブジェクトから離れた側とする。",
            ),
            Value(
                "segment",
                "The offside line ends at the two subjects: a drop is open on the segment between them and on the "
                "squares that it hides from the enemy object. Before it are the squares of the triangle of the two "
                "subjects and the enemy object.",
                ja="オフサイドラインは2つのサブジェクトを結ぶ線分で、その上と、敵オブジェクトから見てその陰になるマスに打てる。2つのサブジェクトと敵オブジェクトが作る三角形の中を前方とする。",
            ),
        ),
    ),
    Toggle(
        name="offside_exemption",
        title="The enemy object on the offside line",
        title_ja="オフサイドライン上の敵オブジェクト",
        source=f"{RULES}, section 4(2), which names rows, columns and 45° diagonals only",
        default="any-slope",
        idle=(WITHOUT_OFFSIDE,),
        values=(
            Value(
                "any-slope",
                "Two subjects open nothing if the enemy object stands on the straight line through them, be it between "
                "the two or beyond, on rows, columns and diagonals as on any other slope.",
                ja="2つを通る直線上（2つの間でもその外でも）に敵オブジェクトがあれば、縦・横・斜め45度に限らずどの傾きでも、打てるようにはならない。",
            ),
            Value(
                "rows-columns-diagonals",
                "Two subjects open nothing if the enemy object stands on their row, column or 45° diagonal. If it "
                "stands on their straight line on another slope, the line is open, and no side of it is away from it.",
                ja="2つを通る縦・横・斜め45度の直線上に敵オブジェクトがあれば、打てるようにはならない。ほかの傾きの直線上にあるときは、その線の上には打てるが、離れた側はない。",
            ),
        ),
    ),
    Toggle(
        name="subjects",
        title="Supply of subjects",
        title_ja="サブジェクトの数",
        source=f"{TALK}, on limiting the supply ('15 would change little, perhaps 7')",
        default="unlimited",
        values=(
            Value("unlimited", "Each player has as many subjects as the game needs.", ja="サブジェクトの数は無制限。"),
        ),
        span=Span(
            1,
            112,
            "Each player has {n} subjects; captured ones join the captor's hand.",
            ja="サブジェクトは各{n}個とし、取ったサブジェクトは自分の持ち駒になる。",
        ),
    ),
    Toggle(
        name="adjacent_drops",
        title="Adjacent drops",
        title_ja="隣接マス打ち",
        source=f"{RULES}, section 8(2)",
        default="forbidden",
        values=(
            Value(
                "forbidden",
                "No subject is dropped next to another subject of either side.",
                ja="敵味方を問わず、サブジェクトに隣接するマスにサブジェクトを打つことはできない。",
            ),
            Value(
                "allowed",
                "Subjects may be dropped next to subjects.",
                ja="サブジェクトに隣接するマスにもサブジェクトを打てる。",
            ),
        ),
    ),
    Toggle(
        name="drop_check",
        title="Check by a drop",
        title_ja="打ち王手",
        source=f"{RULES}, section 8(1)",
        default="forbidden",
        values=(
            Value("forbidden", "A drop may not give check.", ja="打って王手をかけることはできない。"),
            Value("allowed", "A drop may give check.", ja="打って王手をかけてもよい。"),
        ),
    ),
    Toggle(
        name="middle_piece",
        title="Pieces in the middle of a row",
        title_ja="一直線に並んだサブジェクトの中間の駒",
        source=f"{RULES}, section 5(4)",
        default="no-links",
        values=(
            Value(
                "no-links",
                "Of three or more own subjects in line only the two ends are linked; those between have only the "
                "king step, on every line.",
                ja="味方のサブジェクトが3つ以上一直線に並ぶと、両端のものだけが連帯機能を持つ。中間のものは、どの方向についても単独機能しか持たない。",
            ),
            Value(
                "no-links-on-that-line",
                "Of three or more own subjects in line only the two ends are linked on that line; those between keep "
                "their links with subjects off the line.",
                ja="味方のサブジェクトが3つ以上一直線に並ぶと、その直線上では両端のものだけが連帯機能を持つ。中間のものも、直線の外にある味方との連帯機能は失わない。",
            ),
        ),
    ),
    Toggle(
        name="enemy_object_cuts",
        title="The enemy object on a line",
        title_ja="直線上の敵オブジェクト",
        source=f"{RULES}, section 5(4)",
        default=True,
        values=(
            Value(
                True,
                "The enemy object on a line cuts it: subjects on either side have nothing to do with each other.",
                ja="直線上に敵オブジェクトがあると連帯はそこで分断され、両側のサブジェクトは互いに関係しない。",
            ),
            Value(
                False,
                "The enemy object on a line does not cut it.",
                ja="直線上に敵オブジェクトがあっても連帯は分断されない。",
            ),
        ),
    ),
    Toggle(
        name="repetition",
        title="Repetition",
        title_ja="千日手",
        source=f"{RULES}, section 8(3)",
        default="initiator-loses",
        values=(
            Value(
                "initiator-loses",
                "When a position occurs too often, the side to move, who began the sequence, loses. Positions count, "
                "not moves: drops in a fight for one square bring back the same position, wherever they were.",
                ja="同じ局面が規定の回数現れたときは、手番の側（先に手順を仕掛けた側）の負けとする。手順ではなく局面を数えるので、同じマスを奪い合って駒を打ち合うときは、どこに打っても同じ手順とみなすことになる。",
            ),
            Value(
                "draw",
                "When a position occurs too often, the game is a draw.",
                ja="同じ局面が規定の回数現れたときは引き分けとする。",
            ),
            Value("off", "Positions may repeat without end.", ja="同じ局面が何度現れてもよい。"),
        ),
    ),
    Toggle(
        name="repetition_count",
        title="How often is too often",
        title_ja="千日手になる回数",
        source=f"{RULES}, section 8(3): the third run of a sequence must be its last; the fourth, which ends in the "
        "fifth occurrence, loses. By the stricter reading, 4, the third run decides already",
        default=5,
        idle=(
            Idle(
                {"repetition": ("off",)},
                "repetition is off, so repetition_count would do nothing: leave one of them out",
            ),
        ),
        span=Span(2, 20, "Too often means: occurrence number {n}.", ja="規定の回数は{n}回とする。"),
    ),
    Toggle(
        name="stuck",
        title="No legal move without check",
        title_ja="王手でないのに合法手がないとき",
        source="the source is silent; our choice",
        default="draw",
        values=(
            Value("draw", NO_MOVE.format("draws"), ja=NO_MOVE_ja.format("引き分け")),
            Value("loss", NO_MOVE.format("loses"), ja=NO_MOVE_ja.format("その側の負け")),
        ),
    ),
    Drawing(
        name="drop_area",
        title="Where subjects are dropped at all",
        title_ja="サブジェクトを打てるマス",
        source="no source has it: for ideas such as 'not on the two outer rings'",
        default="everywhere",
        values=(Value("everywhere", "No square is closed to drops for good.", ja="常に打てないマスはない。"),),
        drawn="Subjects are never dropped on other squares than those marked x: {n}.",
        drawn_ja="サブジェクトは、xの付いたマス以外には決して打てない：{n}。",
    ),
    Drawing(
        name="start_position",
        title="What stands on the board at the start",
        title_ja="開始時の盤面",
        source="no source has it: all begin with the empty board",
        default="empty",
        # Both objects.
        settled={"B": ("opening", "object_area", "later_object")},
        values=(Value("empty", "The game begins with the empty board.", ja="何も置かれていない盤で始める。"),),
        what="rows of . b w B W (subjects, and objects in capitals) such as b../.W./B.w",
        pieces="bBwW",
        drawn="The game begins with this board, b and w being subjects, B and W objects: {n}.",
        drawn_ja="次の盤面から始める（bとwはサブジェクト、BとWはオブジェクト）：{n}。",
    ),
)

RELATIONS = {
    "one_zone": ("in one zone, each in the enemy zone", "互いに敵陣（同じゾーン）にいる"),
    "side_by_side": ("in zones that share an edge", "辺で接するゾーンにいる"),
    "corner": ("in zones that touch at a corner", "点で接するゾーンにいる"),
    "facing": ("facing each other across one zone of their row or column", "1ゾーンを挟んで縦か横に対面している"),
    "far": ("in other zones that do not touch", "それ以外の接していないゾーンにいる"),
}
"""How the objects stand. Comment 20 says 対面: here as g3 and g10 stand; as a common edge it is ``side_by_side``."""
PLACES = {
    "one_zone": ("both objects in one zone", "双方のオブジェクトが同じゾーン（敵陣）にいる"),
    "own_centre": ("only the own object in the centre zone", "味方のオブジェクトだけが中央ゾーンにいる"),
    "enemy_centre": ("only the enemy object in the centre zone", "敵オブジェクトだけが中央ゾーンにいる"),
    "elsewhere": ("no object in the centre or enemy zone", "どちらのオブジェクトも中央にも敵陣にもいない"),
}
"""Where the objects stand when a player may drop, as that player sees it."""


def _before_the_fighting() -> Iterator[Named]:
    """What is counted before the first check (開戦前, in the words of proposal E), and how the objects stand then."""
    text = "Plies before the fighting: both objects are on the board, and there has been no check."
    yield Named("early_plies", text, ja="開戦前（両オブジェクトが打たれてから最初の王手まで）の手数。", per="plies")
    for key, (words, ja) in RELATIONS.items():
        text, text_ja = f"Plies before the fighting with the objects {words}.", f"開戦前に、{ja}局面で指した手数。"
        yield Named(f"plies_{key}", text, ja=text_ja, per="early_plies")
        text = f"Fights begun (first checks) with the objects {words}."
        yield Named(f"fights_{key}", text, ja=f"オブジェクトが{ja}局面での開戦（最初の王手）の数。", per=f"plies_{key}")
    for name, (at, ja) in PLACES.items():
        for seat, player, player_ja in (("first", "Black", "黒"), ("second", "White", "白")):
            text, text_ja = f"{player}'s plies before the fighting with {at}.", f"開戦前、{ja}局面の{player_ja}の手数。"
            yield Named(f"{seat}_plies_{name}", text, ja=text_ja, per="early_plies")
            text = f"Squares open to {player}'s drops (check aside) before the fighting, with {at}."
            text_ja = f"開戦前に、{ja}局面で{player_ja}が打てるマスの数（打ち王手の禁止は除く）。"
            yield Named(f"{seat}_squares_{name}", text, ja=text_ja, per=f"{seat}_plies_{name}")


DECLARATION = Declaration(
    name="chatra",
    title="Chatra",
    title_ja="チャトラ",
    training_nodes=50_000_000,
    trainer=2,
    version=2,
    source=RULES,
    seats=("Black", "White"),
    summary=(
        "Each player has one object, the king to be mated, and subjects. The board starts empty. It is divided into "
        "nine square zones; two zones touch if they share an edge or a corner.",
        "From the opening on, a player drops a subject or moves a subject or the object. There is no passing. No move "
        "may leave the own object attacked. A player whose object is attacked and who has no legal move is mated and "
        "loses.",
        "While the drop limits last, a subject may be dropped in the own zone (that of the own object), and in any "
        "zone that is neither the enemy zone nor touches it.",
        "Object and subject step like a chess king. Moving onto an enemy subject captures it.",
        "Two linked subjects A and B of one side extend each other's moves. Flight: A jumps to the square "
        "point-symmetric to A about B, whatever stands between. Slide: if they stand on one row, column or 45° "
        "diagonal, B slides straight away from A, at most as far as A is away, up to and including an enemy subject, "
        "or to just before an own piece. What attacks is what moves. Objects have no links.",
    ),
    notation=(
        "f9 drops a subject on f9; columns are lettered from the left, rows numbered from the top.",
        "Ok2 places the object on k2, or moves it there.",
        "e12-e2 moves the subject on e12 to e2.",
    ),
    toggles=TOGGLES,
    conflicts=(
        Conflict(
            {"size": (3,), "object_area": ("away-from-centre",)},
            "on 3×3 every square touches the centre, so no object could be placed: write object_area: outside-centre "
            "or a larger size",
        ),
    ),
    units=(UnitKind("subject", "サブジェクト", SQUARE), UnitKind("object", "オブジェクト", SQUARE)),
    features=(
        Named(
            "escape_squares",
            "Squares next to the object where it could step without being attacked.",
            0.01,
            ja="オブジェクトの隣で、攻撃されずに移動できるマスの数。",
        ),
        Named(
            "attackers",
            "Attacks by subjects on the enemy object and the squares around it.",
            0.09,
            ja="敵オブジェクトとその周囲のマスに対するサブジェクトの攻撃の数。",
        ),
        Named(
            "aimed_links",
            "Flights and slides that land next to the enemy object.",
            -0.02,
            ja="敵オブジェクトの隣に届く飛行と滑走の数。",
        ),
        Named(
            "mobility",
            "Squares that the subjects can reach, captures included.",
            0.018,
            ja="サブジェクトが移動できるマスの数（取る手を含む）。",
        ),
        Named("subjects", "Subjects on the board.", 0.08, ja="盤上のサブジェクトの数。"),
        Named(
            "linked",
            "Subjects that have links (not in the middle of a row of three or more).",
            0.03,
            ja="連帯機能を持つサブジェクトの数（3つ以上並んだ列の中間にないもの）。",
        ),
        Named(
            "near",
            "Own subjects within three steps of the enemy object.",
            0.19,
            ja="敵オブジェクトから3歩以内にいる味方のサブジェクトの数。",
        ),
        Named(
            "drop_freedom",
            "Squares of the open zones on which a subject may be dropped, while the limits last.",
            0.007,
            ja="制限がある間、打てるゾーンの中でサブジェクトを打てるマスの数。",
        ),
        Named(
            "centre",
            "How near the object is to the centre of the board, in steps from the edge.",
            0.2,
            ja="オブジェクトが盤の中央にどれだけ近いか（盤端からの歩数）。",
        ),
        Named("hand", "Subjects in hand, where the supply is limited.", 0.05, ja="持ち駒の数（数に制限がある場合）。"),
        Named("in_check", "Whether the object stands attacked.", -0.9, ja="オブジェクトが攻撃されているかどうか。"),
        Named("tempo", "Whether it is this side's turn.", 0.3, ja="手番かどうか。"),
        Named("trapped", "Whether the object has no square to step to.", -0.5, ja="オブジェクトの逃げ場がないか。"),
        Named("cramped", "Whether the object has at most two squares to step to.", -0.3, ja="逃げ場が2マス以下か。"),
        Named(
            "supported_checks",
            "Squares next to the enemy object that two subjects attack and no enemy subject does.",
            0.18,
            ja="敵オブジェクトの隣のマスのうち、味方のサブジェクトが2つ以上利き、敵のサブジェクトが利いていないものの数。",
        ),
        Named("initiative", "The same squares, if it is this side's turn.", 0.33, ja="手番のときだけ、同じマスの数。"),
    ),
    events=(
        Named("drops", "Subjects dropped.", ja="打ったサブジェクトの数。", per="plies"),
        Named(
            "offside_drops",
            "Drops that only the offside rule allowed.",
            ja="オフサイドルールがあったから打てた手の数。",
            toggles=("offside", "offside_line", "offside_exemption"),
        ),
        Named(
            "slides",
            "Subject moves of more than one step that follow a slide.",
            ja="2マス以上動いた手のうち、滑走によるものの数。",
        ),
        Named(
            "flights",
            "Subject moves of more than one step that only a flight allows.",
            ja="2マス以上動いた手のうち、飛行でなければ届かないものの数。",
        ),
        Named("captures", "Subjects captured.", ja="取られたサブジェクトの数。"),
        Named("object_moves", "Moves of an object after it was placed.", ja="打ったあとでオブジェクトが移動した回数。"),
        Named("checks", "Plies that gave check.", ja="王手をかけた手の数。"),
        Named(
            "centre_entries",
            "Times an object moved into the centre zone.",
            ja="オブジェクトが中央ゾーンに入った回数。",
            toggles=("object_into_centre",),
        ),
        Named(
            "limits_ended_by_check",
            "Ply after which a check ended the drop limits; 0 if none did.",
            ja="王手によって打てる場所の制限が解除されたのは何手目か（解除されなければ0）。",
            toggles=("limits_end",),
        ),
        Named(
            "limits_ended_by_centre",
            "Ply after which an entry into the centre ended the drop limits; 0 if none did.",
            ja="中央ゾーンへの移動によって打てる場所の制限が解除されたのは何手目か（解除されなければ0）。",
            toggles=("limits_end",),
        ),
        Named("moves", "Moves of subjects and objects on the board.", ja="盤上の駒を動かした手の数。", per="drops"),
        Named(
            "quiet_moves",
            "Moves on the board that neither gave check nor answered one.",
            ja="盤上の駒を動かした手のうち、王手をかける手でも王手を防ぐ手でもないものの数。",
            per="plies",
        ),
        *_before_the_fighting(),
    ),
    styles=(
        Named(
            "centre",
            "Places the object as near to the centre zone as it may, and takes it there within the first 12 plies.",
            ja="オブジェクトをできるだけ中央ゾーンの近くに打ち、最初の12手のうちに中央へ向かう（中央志向）。",
        ),
        Named(
            "edge",
            "Places the object in a zone at a side, not beside the centre zone, and keeps out of that zone at first.",
            ja="オブジェクトを辺のゾーンに、中央ゾーンから離して打ち、序盤は中央に入らない（辺志向）。",
        ),
        Named(
            "corner",
            "Places the object in a corner zone, and keeps out of the centre zone at first.",
            ja="オブジェクトを隅のゾーンに打ち、序盤は中央に入らない（隅志向）。",
        ),
    ),
    landmarks=(
        Landmark(
            "object",
            "The square on which each player places the object.",
            r"O(?P<column>[a-o])(?P<row>[0-9]+)",
            ja="各プレイヤーがオブジェクトを打ったマス。",
            square="size",
        ),
    ),
    terminations={
        8: Named(
            "mate", "The object is attacked and the player has no legal move.", ja="王手をかけられ、合法手がない。"
        ),
        9: Named(
            "stuck",
            "The player is not in check and has no legal move.",
            ja="王手をかけられていないが、合法手がない。",
            toggles=("stuck",),
        ),
    },
)
