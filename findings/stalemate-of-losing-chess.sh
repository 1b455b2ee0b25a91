# pyffish 0.0.90 and python-chess 1.11.2 (PyPI): who is stalemated in losing chess wins, loses or draws, by the name one asks for.
#
# Input:    White to move cannot; he has as many pawns as Black, more, or fewer pieces
# Expected: the names antichess, giveaway and suicide are used for one game in many texts
# Seen:     antichess and giveaway: White wins each; suicide: who has fewer pieces wins, as many are a draw; both packages
#           have it so
. "$(dirname "$0")/temporary.sh"
pypi pyffish==0.0.90 chess==1.11.2
by_python << 'END'
import chess.variant
import pyffish

WORD = {1: "win", 0: "draw", -1: "loss"}
BOARDS = {"antichess": chess.variant.AntichessBoard, "giveaway": chess.variant.GiveawayBoard, "suicide": chess.variant.SuicideBoard}
POSITIONS = {
    "as many": "8/8/8/p7/P7/8/8/8 w - - 0 1",
    "more": "8/8/p7/P7/P7/8/8/8 w - - 0 1",
    "fewer": "8/8/8/p7/P7/8/8/7n w - - 0 1",
}
for many, fen in POSITIONS.items():
    for name, board in BOARDS.items():
        score = pyffish.game_result(name, fen, [])
        result = {"1-0": "win", "1/2-1/2": "draw", "0-1": "loss"}[board(fen).result()]
        print(f"{many}, {name}: pyffish: {WORD[(score > 0) - (score < 0)]}, python-chess: {result}")
END
expect << 'END'
as many, antichess: pyffish: win, python-chess: win
as many, giveaway: pyffish: win, python-chess: win
as many, suicide: pyffish: draw, python-chess: draw
more, antichess: pyffish: win, python-chess: win
more, giveaway: pyffish: win, python-chess: win
more, suicide: pyffish: loss, python-chess: loss
fewer, antichess: pyffish: win, python-chess: win
fewer, giveaway: pyffish: win, python-chess: win
fewer, suicide: pyffish: win, python-chess: win
END
