"""The declaration of the star game."""

from __future__ import annotations

from workbench.base.language import tr, trc
from workbench.engine.folds import SQUARE
from workbench.games.declaration import Blank, Declaration, Group, Named, Span, Toggle, UnitKind, Value

SOURCE = tr("the star game, an anonymous Japanese blog ('a board game with as few squares as possible')")

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
TOGGLES = (
    Toggle(
        name="size", title=tr("Board size"),
        source=tr("{source}; larger boards are ours", source=SOURCE), default=3,
        span=Span(3, 5, tr("The board is {n}×{n}; the star starts on a1.")),
    ),
    Toggle(
        name="pieces", title=tr("Pieces"),
        source=tr("{source}, section on the course of the game; other numbers are ours", source=SOURCE), default=3,
        span=Span(2, 4, tr("Each player has {n} pieces in hand at the start.")),
    ),
    Toggle(
        name="foul", title=tr("Foul"),
        source=tr("{source}, foul 1; its examples fit only the reading 'no-undo'", source=SOURCE), default="no-undo",
        values=(
            Value("no-undo", tr("A placement or a move may not return your pieces to where they were at the start of "
                                "your previous turn; a jump may not return both your pieces and the star."),
                  tr("no undoing by a placement or move")),
            Value("shape", tr("No action may return your pieces and the star to where they were at the start "
                              "of your previous turn."), tr("no undoing the shape with ★")),
            Value("own-pieces", tr("No action may return your pieces to where they were at the start of your "
                                   "previous turn, wherever the star is."), tr("no undoing one's own shape")),
            Value("off", tr("Any shape may recur.")),
        ),
    ),
    Toggle(
        name="opponent_completes", title=tr("Star surrounded through the opponent's action"),
        source=tr("{source}, winning condition 2: 'or if such a shape comes about'. In actual play, no action can "
                  "complete the surround on the opponent's behalf, so the two values differ only in set-up positions",
                  source=SOURCE),
        default="wins",
        values=(
            Value("wins", tr("You win as soon as your pieces occupy every cell next to the star, even through "
                             "the opponent's action."), tr("a win even if the opponent completes it")),
            Value("ignored", tr("You win if your own action leaves your pieces on every cell next to the star."),
                  tr("no win if the opponent completes it")),
        ),
    ),
    Toggle(
        name="stuck", title=tr("No legal action"),
        source=tr("{source}, remarks", source=SOURCE), default="loss",
        values=(
            Value("loss", tr("A player who has no legal action loses.")),
            Value("draw", tr("A player who has no legal action draws.")),
        ),
    ),
    Toggle(
        name="repetition", title=trc("star", "Repetition"),
        source=tr("{source}: it does not mention this and lets players agree on a draw; the rule is ours",
                  source=SOURCE),
        default=0,
        values=(Blank(0, trc("star", "Positions may repeat without limit.")),),
        span=Span(2, 20, tr("The game is a draw when the same board, player to move and shapes remembered by "
                            "the foul rule occur together {n} times.")),
    ),
)

DECLARATION = Declaration(
    name="star", title=tr("The star game"), version=1, pace=50, training_nodes=10_000_000, trainer=1,
    source=SOURCE,
    seats=(trc("first seat", "First (○)"), trc("second seat", "Second (●)")),
    introduction=tr("Surround the star: fill every cell next to it with your own pieces."),
    summary=(
        tr("A neutral star ★ starts in the corner a1 of an otherwise empty board; the players' pieces are in hand."),
        tr("The player to move does exactly one of three things: place a piece from hand on any empty cell; "
           "move one of their pieces one cell up, down, left or right to an empty cell; or make the star jump "
           "over an adjacent piece of their own, up, down, left or right, to the empty cell straight behind it."),
        tr("The player whose pieces occupy every cell next to the star (up, down, left, right) wins."),
    ),
    notation=(
        tr("b2 places a piece on b2; columns are lettered from the left, rows numbered from the top."),
        tr("b2-b1 moves the piece on b2 to b1."),
        tr("*a3 makes the star jump to a3."),
    ),
    toggles=TOGGLES, legend=tr("★ is the star; ○ and ● are the pieces of the first and second player."),
    current="default",
    groups=(
        Group(tr("Board and pieces"), ("size", "pieces")),
        Group(tr("Actions"), ("foul",)),
        Group(tr("End of the game"), ("opponent_completes", "stuck", "repetition")),
    ),
    conflicts=(),
    units=(UnitKind("piece", tr("piece"), SQUARE),),
    features=(
        Named("neighbours", tr("The player's pieces next to the star."), 0.9),
        Named("one_short", tr("True if the player lacks only one cell next to the star and that cell is empty."), 0.9),
        Named("actions", tr("Empty cells that the player's pieces can move to, and jumps of the star."), 0.9),
        Named("in_hand", tr("Pieces in hand."), 2.3),
        Named("tempo", trc("star", "True if this side is to move."), 1.2),
    ),
    events=(
        Named("placements", tr("Pieces placed.")),
        Named("jumps", tr("Jumps of the star.")),
        Named("fouls", tr("Turns in which the foul rule forbade an action."), toggles=("foul",)),
    ),
    terminations={
        8: Named("surrounded", tr("One player's pieces occupy every cell next to the star.")),
        9: Named("stuck", tr("The player to move has no legal action."), toggles=("stuck", "foul")),
    },
)
