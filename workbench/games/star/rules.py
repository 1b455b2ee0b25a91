"""The star game: what may be changed in its rules, and what each choice says in the rule book."""

from __future__ import annotations

from workbench.engine.folds import SQUARE
from workbench.games.declaration import Declaration, Named, Span, Toggle, UnitKind, Value

SOURCE = "the star game, an anonymous Japanese web log ('a board game with as few squares as possible')"

TOGGLES = (
    Toggle(
        name="size",
        title="Board size",
        title_ja="盤の大きさ",
        source=f"{SOURCE}; larger boards are ours",
        default=3,
        span=Span(3, 5, "The board has {n}×{n} cells; the star begins on a1.", ja="盤は{n}×{n}マス。★はa1から始める。"),
    ),
    Toggle(
        name="pieces",
        title="Pieces",
        title_ja="駒の数",
        source=f"{SOURCE}, section on the course of the game; other numbers are ours",
        default=3,
        span=Span(2, 4, "Each player has {n} pieces in hand at the start.", ja="各プレイヤーは駒を{n}つ持って始める。"),
    ),
    Toggle(
        name="foul",
        title="Foul",
        title_ja="反則",
        source=f"{SOURCE}, foul 1; its examples fit only the reading 'no-undo'",
        default="no-undo",
        values=(
            Value(
                "no-undo",
                "A placement or a move may not bring your own pieces back to what they were at the start of your "
                "previous turn; a jump may not bring back your own pieces and the star.",
                ja="配置・移動で自分の駒を自分の前の手番の開始時の形に戻してはならない。★の移動で自分の駒と★をその形に"
                "戻してはならない。",
            ),
            Value(
                "shape",
                "No action may bring your own pieces and the star back to what they were at the start of your "
                "previous turn.",
                ja="どの行動でも、自分の駒と★を自分の前の手番の開始時の形に戻してはならない。",
            ),
            Value(
                "own-pieces",
                "No action may leave your own pieces as they were at the start of your previous turn, wherever the "
                "star is.",
                ja="どの行動でも、★の位置にかかわらず、自分の駒を自分の前の手番の開始時の形にしてはならない。",
            ),
            Value("off", "Any shape may come back.", ja="同じ形に戻してもよい。"),
        ),
    ),
    Toggle(
        name="opponent_completes",
        title="Surrounding by the opponent's action",
        title_ja="相手の行動で囲みができたとき",
        source=f"{SOURCE}, winning condition 2: 'or if such a shape comes about'. In play no action surrounds the star "
        "for the opponent, so the two values differ in set-up positions only",
        default="wins",
        values=(
            Value(
                "wins",
                "You win as soon as your pieces hold every cell next to the star, also by the opponent's action.",
                ja="★に接するマスがすべて自分の駒になれば、相手の行動による場合も勝ち。",
            ),
            Value(
                "ignored",
                "You win if your own action leaves your pieces on every cell next to the star.",
                ja="自分の行動で★に接するマスがすべて自分の駒になれば勝ち。相手の行動による場合は勝ちにならない。",
            ),
        ),
    ),
    Toggle(
        name="stuck",
        title="No legal action",
        title_ja="行動できないとき",
        source=f"{SOURCE}, remarks",
        default="loss",
        values=(
            Value("loss", "A player who has no legal action loses.", ja="行動できないプレイヤーは負け。"),
            Value("draw", "A player who has no legal action draws.", ja="行動できないプレイヤーがいれば引き分け。"),
        ),
    ),
    Toggle(
        name="repetition",
        title="Repetition",
        title_ja="同一局面の反復",
        source=f"{SOURCE}, says nothing of it and lets players agree on a draw; the rule is ours",
        default=0,
        values=(Value(0, "Positions may repeat without end.", ja="同じ局面は何度現れてもよい。"),),
        span=Span(
            2,
            20,
            "The game is a draw when a position occurs for time number {n}: the same board, player to move, and shapes "
            "that the foul rule remembers.",
            ja="同じ局面（盤面、手番、反則の判定に使う前の形）が{n}回目に現れたら引き分け。",
        ),
    ),
)

DECLARATION = Declaration(
    name="star",
    title="The star game",
    title_ja="★のゲーム",
    version=1,
    pace=50,
    training_nodes=10_000_000,
    trainer=1,
    source=SOURCE,
    seats=("First (○)", "Second (●)"),
    summary=(
        "A neutral star ★ begins on the corner a1 of an otherwise empty board; the players' pieces are in hand.",
        "The player to move does exactly one of three things: place a piece from hand on any empty cell; move an own "
        "piece one cell up, down, left or right to an empty cell; or let the star jump over an own piece that is next "
        "to it, up, down, left or right, to the empty cell straight behind.",
        "Whoever holds every cell that is next to the star (up, down, left, right) wins.",
    ),
    notation=(
        "b2 places a piece on b2; columns are lettered from the left, rows numbered from the top.",
        "b2-b1 moves the piece on b2 to b1.",
        "*a3 lets the star jump to a3.",
    ),
    toggles=TOGGLES,
    conflicts=(),
    units=(UnitKind("piece", "駒", SQUARE),),
    features=(
        Named("neighbours", "Own pieces next to the star.", 0.9, ja="★に隣接する自分の駒。"),
        Named(
            "one_short",
            "Whether only one cell next to the star is missing, and it is empty.",
            0.9,
            ja="★に接する空きマスがあと一つで囲みになるか。",
        ),
        Named(
            "actions",
            "Empty cells that own pieces can move to, and jumps of the star.",
            0.9,
            ja="移動できる先と★の移動の数。",
        ),
        Named("in_hand", "Pieces in hand.", 2.3, ja="持ち駒の数。"),
        Named("tempo", "Whether it is this side's turn.", 1.2, ja="自分の手番か。"),
    ),
    events=(
        Named("placements", "Pieces placed.", ja="駒の配置。"),
        Named("jumps", "Jumps of the star.", ja="★の移動。"),
        Named(
            "fouls",
            "Turns in which the foul rule forbade an action.",
            ja="反則の規則が行動を禁じた手番。",
            toggles=("foul",),
        ),
    ),
    terminations={
        8: Named(
            "surrounded",
            "One player's pieces hold every cell next to the star.",
            ja="★に接するマスがすべて一方の駒になった。",
        ),
        9: Named(
            "stuck",
            "The player to move has no legal action.",
            ja="手番のプレイヤーが行動できない。",
            toggles=("stuck", "foul"),
        ),
    },
)
