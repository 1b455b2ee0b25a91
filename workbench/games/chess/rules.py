"""The declaration of chess, 007 chess and proposals."""

from __future__ import annotations

from workbench.base.language import tr, trc
from workbench.games.chess.betza import moves_toggle
from workbench.games.chess.rules_moves import CONFLICTS, ENDINGS, MOVES, OTHER_TURNS, OWN_TURNS, WITHOUT_MATE
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
from workbench.games.drawings import Drawing

JACKMAN = tr("E. Jackman, 007 Chess, 1995, The Chess Variant Pages")

BOTH_COLOURS = tr("A pawn's colour sets its direction, whoever moves it, and a ply may undo the opponent's last one.")
OWN_PLIES = tr(
    "A ply that gives check ends the turn; a pawn that stepped two squares on the last ply of a turn may be "
    "captured en passant on the first ply of the next."
)
WITHOUT_DETENTE = NoEffect(
    {"turns": ("single", "progressive", *OWN_TURNS)},
    tr("the Detente rules refer to the first, second and third ply of a turn: they need turns: triple or balanced"),
)

FIDE = tr("FIDE, Laws of Chess, 2023")
ALPHAZERO = tr("Tomašev, Paquet, Hassabis, Kramnik, Assessing Game Balance with AlphaZero, 2020, arXiv:2009.04374")
BETZA = tr("R. Betza, Funny Notation and Chess with Different Armies, 1996, The Chess Variant Pages")
ANTICHESS = tr("Antichess (Losing Chess): M. Watkins, Losing Chess: 1. e3 wins for White, 2016")

CAPTURE_NEEDS_NO_MATE = tr(
    "a king can be captured by any remaining piece, so no material is insufficient: write "
    "insufficient_material: play-on"
)

ENDS_WITHOUT_MATE = tr("the game can be won without mate, even with few pieces: write insufficient_material: play-on")

DETENTE_AND_DUTY = tr(
    "the Detente rules forbid captures and second moves that obligatory capture may require, and neither source states "
    "which takes precedence: write capture: optional, or moved_enemy: capturable and same_piece: allowed"
)

ORDINARY_KING = tr("a king that is a piece like any other")

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
TURNS = (
    Toggle(
        name="turns", title=tr("Plies per turn"),
        source=tr("{jackman}: rule 1, Balanced 007, Progressive 007; Marseillais chess, 1925; Scottish progressive "
                  "chess", jackman=JACKMAN),
        default="single",
        values=(
            Blank("single", tr("A turn is one ply: the player moves one of their own pieces."), tr("one ply per turn")),
            Value("triple", tr("A turn is three plies chosen by one player: own piece, enemy piece, own piece. "
                               "{both_colours}", both_colours=BOTH_COLOURS), tr("three plies per turn")),
            Value("balanced", tr("Black's player chooses White's first ply; then White's player moves a black "
                                 "and a white piece; from then on a turn is three plies: own piece, enemy "
                                 "piece, own piece. {both_colours} White's player has the first seat, though "
                                 "the other chooses the first ply.", both_colours=BOTH_COLOURS),
                  tr("three plies per turn, balanced")),
            Value("progressive", tr("The players' turns grow longer: one ply, two, three and so on; the "
                                    "colours still alternate ply by ply. {both_colours}", both_colours=BOTH_COLOURS),
                  tr("turns of one, two, three plies")),
            Value("double", tr("A turn is two plies with the player's own pieces. {own_plies}", own_plies=OWN_PLIES),
                  tr("two plies per turn, own pieces")),
            Value("double-balanced", tr("A turn is two plies with the player's own pieces, but White's first "
                                        "turn is one. {own_plies}", own_plies=OWN_PLIES),
                  tr("two plies per turn, own pieces, balanced")),
            Value("progressive-own", tr("The turns grow longer: White plays one ply, Black two, White three "
                                        "and so on, all with the player's own pieces. {own_plies}",
                                        own_plies=OWN_PLIES), tr("turns of one, two, three plies, own pieces")),
        ),
    ),
    Toggle(
        name="promotion_by", title=tr("Who chooses what a pawn becomes"),
        source=tr("{jackman}: rule 7, and his second thoughts", jackman=JACKMAN), default="mover",
        has_no_effect_when=(NoEffect({"turns": ("single", *OWN_TURNS)}),),
        values=(
            Value("mover", tr("The player who moves a pawn to its last rank chooses what it becomes."),
                  tr("the mover chooses the promotion")),
            Value("owner", tr("The owner of a pawn chooses what it becomes, even if the opponent moved it to "
                              "its last rank."), tr("the owner chooses the promotion")),
        ),
    ),
    Toggle(
        name="moved_enemy", title=tr("The enemy piece that was moved (Detente)"),
        source=tr("{jackman}: Detente Variation, rule 1", jackman=JACKMAN), default="capturable",
        has_no_effect_when=(WITHOUT_DETENTE,),
        values=(
            Blank("capturable", tr("The enemy piece moved in a turn may be captured on the last ply of that turn."),
                  tr("the moved enemy piece may be captured")),
            Value("safe", tr("The enemy piece moved in a turn may not be captured, even en passant, on the "
                             "last ply of that turn: the third of three plies, or the second of the two-ply "
                             "turn with which White's player begins in Balanced 007."),
                  tr("the moved enemy piece is safe")),
        ),
    ),
    Toggle(
        name="same_piece", title=tr("The same piece twice (Detente)"),
        source=tr("{jackman}: Detente Variation, rule 2", jackman=JACKMAN), default="allowed",
        has_no_effect_when=(WITHOUT_DETENTE,),
        values=(
            Blank("allowed", tr("The first and the third ply may move the same piece."), tr("the same piece twice")),
            Value("only-if-forced", tr("The first and the third ply may not move the same piece, unless none "
                                       "of the player's other pieces has a legal move."),
                  tr("the same piece twice only if forced")),
        ),
    ),
    Toggle(
        name="castling_moves", title=tr("Which pieces castling moves (Detente)"),
        source=tr("{jackman}: Detente Variation; the source is silent", jackman=JACKMAN), default="king",
        has_no_effect_when=(
            NoEffect({"moved_enemy": ("capturable",), "same_piece": ("allowed",)},
                     tr("castling_moves concerns the Detente rules and has no effect here: it needs "
                        "moved_enemy: safe or same_piece: only-if-forced")),
            NoEffect({"castling": ("never",)}, tr("castling_moves concerns castling and has no effect here: "
                                                  "write castling_moves: king or castling: standard")),
        ),
        values=(
            Value("king", tr("Under the Detente rules, castling is a king move: the rook counts as unmoved."),
                  tr("castling moves the king")),
            Value("king-and-rook", tr("Under the Detente rules, castling moves both king and rook."),
                  tr("castling moves king and rook")),
        ),
    ),
)

TOGGLES = (
    *TURNS,
    Toggle(
        name="king", title=tr("Check and the loss of the king"),
        source=tr("{fide}, articles 3.9 and 5.1; {jackman}: a fast and extreme game; {antichess}", fide=FIDE,
                  jackman=JACKMAN, antichess=ANTICHESS),
        default="checkmate",
        values=(
            Value("checkmate", tr("No ply, whoever chooses it, may leave the moving colour's king in check; a colour "
                                  "that is in check and has no legal move is mated, and its player loses."),
                  tr("checkmate wins")),
            Value("capture", tr("Check and mate are ignored, and castling may cross attacked squares. A player "
                                "whose king is captured loses, even if they captured it themselves."),
                  tr("capturing the king wins")),
            Value("ordinary", tr("A king is a piece like any other: there is no check, it may be captured, and a pawn "
                                 "may become one."), tr("the king is an ordinary piece")),
        ),
    ),
    Toggle(
        name="stalemate", title=tr("Stalemate"),
        source=tr("{fide}, article 5.2.1; {jackman}: rule 4", fide=FIDE, jackman=JACKMAN), default="draw",
        values=(
            Value("draw", tr("A colour that is not in check and has no legal move is stalemated: the game is a "
                             "draw at once, even in the middle of a turn."), tr("stalemate draws")),
            Value("loss", tr("A player whose colour is stalemated loses.")),
            Value("win", tr("A player whose colour is stalemated wins.")),
        ),
    ),
    Toggle(
        name="repetition", title=trc("chess", "Repetition"),
        source=tr("{fide}, article 9.2", fide=FIDE), default=3,
        values=(Value(0, trc("chess", "Positions may repeat without limit.")),),
        span=Span(2, 20, tr("The game is a draw when the same board, colour to move, castling and en passant "
                            "rights and place in the turn occur together {n} times.")),
    ),
    Toggle(
        name="move_limit", title=tr("Limit on plies without progress"),
        source=tr("{fide}, article 9.3: 50 moves by each player", fide=FIDE), default=100,
        values=(
            Value(0, tr("There is no limit on the number of plies without a capture or pawn move."),
                  tr("no move limit")),
        ),
        span=Span(1, 1000, tr("The game is a draw after {n} plies without a capture or pawn move.")),
    ),
    Toggle(
        name="insufficient_material", title=tr("Too few pieces to mate"),
        source=tr("{fide}, articles 5.2.2 and 9.6", fide=FIDE), default="draw",
        values=(
            Value("draw", tr("The game is a draw at once if only kings are left, or kings with one bishop or "
                             "knight, or kings with bishops on squares of one colour."),
                  tr("insufficient material draws")),
            Value("play-on", tr("The game goes on, however few pieces are left.")),
        ),
    ),
    Toggle(
        name="castling", title=tr("When kings may castle"),
        source=tr("{fide}, article 3.8.2; {alphazero}: No-castling, No-castling (10)", fide=FIDE, alphazero=ALPHAZERO),
        default="standard",
        values=(
            Value("standard", tr("A king that has not moved may castle with a rook that has not moved."),
                  tr("castling")),
            Value("never", trc("chess", "Castling is not allowed.")),
            Value("after-move-10", tr("Neither colour may castle in its first ten moves; positions that differ "
                                      "in how long castling must wait count as different."),
                  tr("castling after move 10")),
        ),
    ),
    Toggle(
        name="pawn_double_step", title=tr("Ranks from which a pawn may move two squares"),
        source=tr("{fide}, article 3.7.2; {alphazero}: Pawn-one-square, Torpedo, Semi-torpedo", fide=FIDE,
                  alphazero=ALPHAZERO),
        default="from-start",
        values=(
            Value("from-start", tr("A pawn may step two squares from its second rank, and then be captured en "
                                   "passant."), tr("double step from the start rank")),
            Value("second-and-third", tr("A pawn may step two squares from its second or third rank, and then "
                                         "be captured en passant."), tr("double step from the second or third rank")),
            Value("anywhere", tr("A pawn may step two squares from any rank, even to the last, and then be "
                                 "captured en passant."), tr("double step from anywhere")),
            Value("never", tr("Pawns step only one square: there is no capture en passant."), tr("no double step")),
            Value("first-and-second", tr("A pawn may step two squares from its first or second rank, and then "
                                         "be captured en passant if it came from the second."),
                  tr("double step from the first or second rank")),
        ),
    ),
    Toggle(
        name="pawn_extra", title=tr("Additional pawn steps"),
        source=tr("{alphazero}: Pawn-back, Pawn-sideways", alphazero=ALPHAZERO), default="none",
        values=(
            Blank("none", tr("Pawns step only forward.")),
            Value("back", tr("A pawn may also step one square straight back, without capturing and never to "
                             "its first rank. Pawn moves do not count as progress for the ply limit."),
                  tr("pawns may step back")),
            Value("sideways", tr("A pawn may also step one square sideways without capturing."),
                  tr("pawns may step sideways")),
        ),
    ),
    Toggle(
        name="self_capture", title=tr("Capturing one's own pieces"),
        source=tr("{alphazero}: Self-capture", alphazero=ALPHAZERO), default="none",
        values=(
            Blank("none", tr("A piece may not capture a piece of its own colour.")),
            Value("any-but-king", tr("A piece may capture any piece of its own colour except the king, as if "
                                     "it were an enemy piece."), tr("own pieces may be captured")),
        ),
    ),
    Toggle(
        name="capture", title=tr("Obligation to capture"),
        source=ANTICHESS, default="optional",
        values=(
            Blank("optional", tr("Capturing is optional.")),
            Value("obligatory", tr("A colour that can capture must capture; the choice of capture is free."),
                  tr("captures are obligatory")),
        ),
    ),
    Toggle(
        name="goal", title=tr("Goal"),
        source=tr("{fide}, article 1.4; {antichess}", fide=FIDE, antichess=ANTICHESS), default="king",
        values=(
            Blank("king", tr("The aim is to defeat the enemy king, unless kings are pieces like any other.")),
            Value("lose-all", tr("A player whose colour has no pieces left wins.")),
        ),
    ),
    Drawing(
        name="start_position", title=tr("Where the pieces start"),
        source=tr("S. J. Edwards, Portable Game Notation Specification, 1994, section 16.1 (FEN)"), default="array",
        # Positions without castling rights, and positions without pawns.
        settled={" -$": ("castling", "castling_moves"), "^[^pP]* ": ("pawn_double_step", "pawn_extra", "promotion_by")},
        values=(Blank("array", tr("The pieces begin in the usual array.")),),
        what=tr("a FEN of at most 8 files and ranks such as rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq"),
        form="[1-9A-Za-z/]{9,80} [wb] ([KQkqA-Ha-h]{1,4}|-)",
        fields=("", "w", "-", "-", "0", "1"), kept=3, pieces="PNBRQKpnbrqk",
        drawn=tr("The game starts from this position instead of the usual array: the pieces are followed by "
                 "the side to move, w or b, and the castling rights, - for none."),
    ),
    moves_toggle("knight", tr("knights"), "N", tr("{fide}, article 3.6; {betza}", fide=FIDE, betza=BETZA)),
    moves_toggle("bishop", tr("bishops"), "B", tr("{fide}, article 3.2; {betza}", fide=FIDE, betza=BETZA)),
    moves_toggle("rook", tr("rooks"), "R", tr("{fide}, article 3.3; {betza}", fide=FIDE, betza=BETZA)),
    moves_toggle("queen", tr("queens"), "Q", tr("{fide}, article 3.4; {betza}", fide=FIDE, betza=BETZA)),
    moves_toggle("king", tr("kings"), "K", tr("{fide}, article 3.8; {betza}", fide=FIDE, betza=BETZA)),
    moves_toggle("pawn", tr("pawns"), "fmWfcF", tr("E. Nebermann, Berolina chess, 1926; {betza}", betza=BETZA),
                 tr("Pawns go one square straight forward, and capture one square diagonally forward.")),
    *ENDINGS,
    *MOVES,
)

DECLARATION = Declaration(
    name="chess", title=tr("Chess and 007 chess"), version=1,
    source=tr("{fide}; {jackman}; {alphazero}", fide=FIDE, jackman=JACKMAN, alphazero=ALPHAZERO),
    seats=(trc("first seat", "White"), trc("second seat", "Black")),
    introduction=tr("Move your pieces across the board and checkmate the opponent's king."),
    aim=("goal", "king", "extinction", "flag", "checks_to_win", "bare_king"),
    summary=(
        tr("Pieces, board, start and moves are those of chess, with castling, capture en passant and promotion "
           "to queen, rook, bishop or knight, unless a rule below says otherwise. White moves first, and the "
           "colours alternate with every ply, unless turns have several plies with the player's own pieces. "
           "There is no passing."),
    ),
    notation=(
        tr("e4, Nf3, exd5, O-O, e8=Q: standard algebraic notation, or g1f3, e7e8q: from and to squares as in UCI."),
        tr("=Q is the owner's choice for a pawn that the opponent moved to its last rank."),
        tr("d4c4, d4d3: pawn steps sideways or back, written with both squares."),
    ),
    toggles=TOGGLES, current="orthodox",
    groups=(
        Group(tr("Turns"), ("turns", "moved_enemy", "same_piece", "castling_moves")),
        Group(tr("Start"), ("start_position",)),
        Group(tr("Pawns and castling"), (
                                            *("pawn_double_step", "pawn_extra", "promotion_to", "promotion_rank",
                                              "promotion_limit"),
                                            *("promotion_by", "castling"),
                                        )),
        Group(tr("Captures"), ("capture", "self_capture", "drops", "blast")),
        Group(tr("Moves of the pieces"), (
                                             *("knight_moves", "bishop_moves", "rook_moves", "queen_moves",
                                               "king_moves", "pawn_moves"),
                                             "giving_check",
                                         )),
        Group(tr("End of the game"), (
                                         *("king", "goal", "extinction", "extinction_result", "flag", "flag_when",
                                           "checks_to_win", "checks_of_black", "bare_king"),
                                         *("stalemate", "stalemate_black", "repetition", "move_limit",
                                           "insufficient_material"),
                                     )),
    ),
    conflicts=(
        Conflict({"king": ("capture", "ordinary"), "insufficient_material": ("draw",)}, CAPTURE_NEEDS_NO_MATE),
        *(
            Conflict({toggle: values, "insufficient_material": ("draw",)}, ENDS_WITHOUT_MATE)
            for toggle, values in {
                "checks_to_win": tuple(range(1, 10)),
                "bare_king": ("loses", "loses-unless-bared"),
                **WITHOUT_MATE,
            }.items()
        ),
        *CONFLICTS,
        Conflict({"capture": ("obligatory",), "moved_enemy": ("safe",)}, DETENTE_AND_DUTY),
        Conflict({"capture": ("obligatory",), "same_piece": ("only-if-forced",)}, DETENTE_AND_DUTY),
        Conflict({"capture": ("obligatory",), "self_capture": ("any-but-king",)},
                 tr("captures of one's own pieces would trigger and fulfil the obligation to capture: write "
                    "self_capture: none or capture: optional")),
        Conflict({"king": ("ordinary",), "goal": ("king",), "flag": ("none",), "extinction": ("none",),
                  "stalemate": ("draw", "win")}, tr("against {ordinary_king} nobody can win: write goal: "
                                                    "lose-all or king: capture, or add flag, extinction or "
                                                    "stalemate: loss", ordinary_king=ORDINARY_KING)),
        Conflict({"king": ("checkmate", "capture"), "goal": ("lose-all",)},
                 tr("a player keeps the king or loses the game with it, so nobody can lose all pieces: write "
                    "king: ordinary or goal: king")),
        Conflict({"king": ("ordinary",), "castling": ("standard", "after-move-10"), "turns": OTHER_TURNS},
                 tr("{ordinary_king} cannot castle when turns include moving enemy pieces: write castling: never",
                    ordinary_king=ORDINARY_KING)),
        Conflict({"king": ("ordinary",), "self_capture": ("any-but-king",)},
                 tr("self_capture spares the king, but not {ordinary_king}: write self_capture: none",
                    ordinary_king=ORDINARY_KING)),
    ),
    units=(
        UnitKind("pawn", tr("pawn")),
        UnitKind("knight", tr("knight")),
        UnitKind("bishop", tr("bishop")),
        UnitKind("rook", tr("rook")),
        UnitKind("queen", tr("queen")),
        UnitKind("king", tr("king")),
    ),
    net_rounds=2, trainer=1,
    features=(
        Named("pawns", tr("Pawns."), 0.55),
        Named("knights", tr("Knights."), 1.7),
        Named("bishops", tr("Bishops."), 1.8),
        Named("rooks", tr("Rooks."), 2.7),
        Named("queens", tr("Queens."), 5.0),
        Named("mobility", tr("Squares that knights, bishops, rooks and queens can reach."), 0.03),
        Named("king_attack", tr("Attacks on the enemy king and the squares around it."), 0.09),
        Named("advanced_pawns", tr("Pawn progress: the sum over all pawns of the squared number of steps "
                                   "beyond the first."),
              0.025),
        Named("checks", tr("Moves of knights, bishops, rooks and queens that would give check."), 0.06),
        Named("shelter", tr("Friendly pawns next to the king."), 0.1),
        Named("centre", tr("Pawns on the four central squares, and attacks on them by pawns and knights."), 0.08),
        Named("passed_pawns", tr("Pawns with no enemy pawn in front of them on their own or adjacent files."),
              0.2),
        Named("hanging", tr("Pieces attacked by a pawn, or attacked and undefended."), -0.5),
        Named("in_check", tr("True if this colour is to move and in check."), -0.3),
        Named("tempo", tr("True if this player chooses the next ply."), 0.15),
    ),
    events=(
        Named("captures", tr("Captures.")),
        Named("checks", trc("chess", "Plies that gave check.")),
        Named("castlings", tr("Castlings."), toggles=("castling_moves", "castling")),
        Named("promotions", tr("Pawns that reached their last rank.")),
        Named("promotions_by_opponent", tr("Pawns that their owner's opponent moved to the last rank."),
              toggles=("promotion_by",)),
        Named("own_pieces_taken", tr("Captures by players of their own pieces, made with their own or an enemy piece."),
              toggles=("self_capture",)),
        Named("mates_given", tr("Mates brought about by the winner.")),
        Named("self_mates", tr("Mates brought about by the loser, with an enemy piece or through the Detente rules.")),
        Named("safe_piece_forbade", tr("Positions in which a legal chess move was forbidden because it would "
                                       "have captured the enemy piece just moved."), toggles=("moved_enemy",
                                                                                         "castling_moves")),
        Named("same_piece_forbade", tr("Positions in which a legal chess move was forbidden because it would "
                                       "have moved the same piece again."), toggles=("same_piece", "castling_moves")),
        Named("forced_replies", tr("Plies with an enemy piece when only one move was legal.")),
        Named("turns_cut_short", tr("Games that ended in the middle of a turn, other than by repetition.")),
    ),
    terminations={
        8: Named("mate", tr("A colour is in check and has no legal move: its player loses.")),
        9: Named("stalemate", tr("A colour is not in check and has no legal move."),
                 toggles=("stalemate", "stalemate_black")),
        10: Named("king-captured", tr("A king was captured: its player loses.")),
        11: Named("move-limit", tr("Too many plies without a capture or pawn move: a draw."),
                  toggles=("move_limit",)),
        12: Named("insufficient-material", tr("Too few pieces are left to mate: a draw."),
                  toggles=("insufficient_material",)),
        13: Named("lose-all", tr("A colour has no pieces left, which was the goal: its player wins."),
                  toggles=("goal",)),
        14: Named("flag", tr("A piece has reached its goal: its player wins."), toggles=("flag", "flag_when")),
        15: Named("checks", tr("A colour has given enough checks: its player wins."), toggles=("checks_to_win",)),
        17: Named("extinction", tr("A colour has too few of certain pieces."),
                  toggles=("extinction", "extinction_result")),
        18: Named("blown-up", tr("A king was blown up: its player loses.")),
        16: Named("bare-king", tr("A colour has nothing left but its king: its player loses."), toggles=("bare_king",)),
        19: Named("both-at-goal", tr("Both colours have reached their goals: a draw."), toggles=("flag", "flag_when")),
        20: Named("both-bare", tr("Both colours have nothing left but their kings: a draw."), toggles=("bare_king",)),
    },
)
