"""Whose pieces move how often in chess: plies of a turn, and the Detente rules."""

from __future__ import annotations

from workbench.base.language import tr
from workbench.games.chess.rules_moves import OWN_TURNS
from workbench.games.declaration import Blank, NoEffect, Toggle, Value

JACKMAN = tr("E. Jackman, 007 Chess, 1995, The Chess Variant Pages")

BOTH_COLOURS = tr("Pawns move by their colour, whoever moves them, and a ply may take back the opponent's last one.")
OWN_PLIES = tr(
    "A ply that gives check ends the turn; a pawn that stepped two squares with the last ply of a turn may be captured "
    "en passant with the first ply of the next."
)
WITHOUT_DETENTE = NoEffect(
    {"turns": ("single", "progressive", *OWN_TURNS)},
    tr("the Detente rules speak of the first, second and third ply of a turn: they need turns: triple or balanced"),
)

TURNS = (
    Toggle(
        name="turns",
        title=tr("Plies of a turn"),
        source=tr(
            "{jackman}: rule 1, Balanced 007, Progressive 007; Marseillais chess, 1925; Scottish progressive chess",
            jackman=JACKMAN,
        ),
        default="single",
        values=(
            Value("single", tr("A turn is one ply: the player moves a piece of his own colour."), tr("one ply a turn")),
            Value(
                "triple",
                tr(
                    "A turn is three plies chosen by one player: his own piece, an enemy piece, his own "
                    "piece. {both_colours}",
                    both_colours=BOTH_COLOURS,
                ),
                tr("three plies a turn"),
            ),
            Value(
                "balanced",
                tr(
                    "Black's player chooses White's first ply; then White's player moves a black and a white piece; "
                    "from then on a turn is three plies: own piece, enemy piece, own piece. {both_colours} The first "
                    "seat is White's player's, though the other chooses the first ply.",
                    both_colours=BOTH_COLOURS,
                ),
                tr("three plies a turn, balanced"),
            ),
            Value(
                "progressive",
                tr(
                    "The players' turns grow: one ply, two, three and so on; the colours still alternate ply "
                    "by ply. {both_colours}",
                    both_colours=BOTH_COLOURS,
                ),
                tr("turns of one, two, three plies"),
            ),
            Value(
                "double",
                tr("A turn is two plies of the player's own pieces. {own_plies}", own_plies=OWN_PLIES),
                tr("two own plies a turn"),
            ),
            Value(
                "double-balanced",
                tr(
                    "A turn is two plies of the player's own pieces, but White's first turn is one. {own_plies}",
                    own_plies=OWN_PLIES,
                ),
                tr("two own plies a turn, balanced"),
            ),
            Value(
                "progressive-own",
                tr(
                    "The turns grow: White plays one ply, Black two, White three and so on, all of the player's own "
                    "pieces. {own_plies}",
                    own_plies=OWN_PLIES,
                ),
                tr("turns of one, two, three own plies"),
            ),
        ),
    ),
    Toggle(
        name="promotion_by",
        title=tr("Who chooses what a pawn becomes"),
        source=tr("{jackman}: rule 7, and his second thoughts", jackman=JACKMAN),
        default="mover",
        has_no_effect_when=(NoEffect({"turns": ("single", *OWN_TURNS)}),),
        values=(
            Value(
                "mover",
                tr("The player who moves a pawn to its last rank chooses what it becomes."),
                tr("the mover chooses the promotion"),
            ),
            Value(
                "owner",
                tr("The owner of a pawn chooses what it becomes, also when the opponent moved it to its last rank."),
                tr("the owner chooses the promotion"),
            ),
        ),
    ),
    Toggle(
        name="moved_enemy",
        title=tr("The enemy piece that was moved (Detente)"),
        source=tr("{jackman}: Detente Variation, rule 1", jackman=JACKMAN),
        default="capturable",
        has_no_effect_when=(WITHOUT_DETENTE,),
        values=(
            Blank(
                "capturable",
                tr("The enemy piece moved in a turn may be captured with the last ply of that turn."),
                tr("the moved enemy piece may be captured"),
            ),
            Value(
                "safe",
                tr(
                    "The enemy piece moved in a turn may not be captured with the last ply of that turn, nor "
                    "en passant: with the third of three plies, and with the second of the turn of two with "
                    "which White's player begins in Balanced 007."
                ),
                tr("the moved enemy piece is safe"),
            ),
        ),
    ),
    Toggle(
        name="same_piece",
        title=tr("The same piece twice (Detente)"),
        source=tr("{jackman}: Detente Variation, rule 2", jackman=JACKMAN),
        default="allowed",
        has_no_effect_when=(WITHOUT_DETENTE,),
        values=(
            Blank("allowed", tr("The first and the third ply may move the same piece."), tr("the same piece twice")),
            Value(
                "only-if-forced",
                tr(
                    "The first and the third ply may not move the same piece, unless no other own piece has "
                    "a legal move."
                ),
                tr("the same piece twice only if forced"),
            ),
        ),
    ),
    Toggle(
        name="castling_moves",
        title=tr("Which pieces castling has moved (Detente)"),
        source=tr("{jackman}: Detente Variation; the source is silent", jackman=JACKMAN),
        default="king",
        has_no_effect_when=(
            NoEffect(
                {"moved_enemy": ("capturable",), "same_piece": ("allowed",)},
                tr(
                    "castling_moves is about the Detente rules and would do nothing: it needs moved_enemy: "
                    "safe or same_piece: only-if-forced"
                ),
            ),
            NoEffect(
                {"castling": ("never",)},
                tr(
                    "castling_moves is about castling and would do nothing: write castling_moves: king or "
                    "castling: standard"
                ),
            ),
        ),
        values=(
            Value(
                "king",
                tr("For the Detente rules castling is a move of the king: its rook counts as not moved."),
                tr("castling moves the king"),
            ),
            Value(
                "king-and-rook",
                tr("For the Detente rules castling moves both king and rook."),
                tr("castling moves king and rook"),
            ),
        ),
    ),
)
