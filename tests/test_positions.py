"""Positions by their meaning: texts of one position give equal states, and `Game.fen` writes what is read back."""

from __future__ import annotations

import io
import random

import chess.pgn
import chess.variant
import draughts
import pytest

import workbench as wb
from tests import few
from workbench.addons.people.reading import GameReader
from workbench.base.errors import InputError
from workbench.rules import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")
BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
STARTS = {
    "chess/orthodox": (
        "", "?", '""', "startpos", '[FEN ""]', f'[FEN "{BOARD} w KQkq - 0 1"]',
        f"{BOARD}/ w KQkq -", f"{BOARD} w KQkq - 0", f"  {BOARD}  W  qkQK - 0 0 ", f"{BOARD} w HAha -",
        f"{BOARD} w AHah - - -", f"{BOARD}[] w KQkq -", f"{BOARD}[-] w KQkq - 0 1",
    ),
    "chess/no-castling": (f"{BOARD} w - - 0 1", f"{BOARD} w KQkq - 0 1"),
    "chess/crazyhouse": (
        f"{BOARD} w KQkq - 0 1", f"{BOARD}[] w KQkq - 0 1", f"{BOARD}[-] w KQkq -", f"{BOARD}/ w KQkq -",
        f"{BOARD}/- w KQkq - 0 1",
    ),
    "chess/three-check": (
        f"{BOARD} w KQkq -", f"{BOARD} w KQkq - 3+3 0 1", f"{BOARD} w KQkq - 0 1 +0+0", f"{BOARD} w KQkq - 0 1 3+3",
        f"{BOARD} w KQkq - 3+3 0 1 +0+0",
    ),
    "chess/chess960-0": (
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq -", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -",
    ),
    "chess/007": (f"{BOARD} w KQkq - 0 1", f"{BOARD} w KQkq - 0 1 3/1"),
    "draughts/international": (
        "", "W:W31-50:B1-20", "W:W31-50:B1-20:H0:F1", "W:B1-20:W31-50.", "w:w31-50:b1-20", " W : W 31 - 50 : B1-20 . ",
        '"W:W50–31:B1-20"', "W:W31-50:B1-20:f1:h0",
    ),
    "draughts/frisian": ("W:W31-50:B1-20:H0:F1:+0+0",),
    "draughts/russian": ("W:WA1-G3:BB6-H8", "W:Wa1-g3:Bh8-b6"),
}  # fmt: skip
STARTS_OF = [(name, text) for name, texts in STARTS.items() for text in texts]


def state(game: wb.Game) -> list[int]:
    return [int(word) for word in game._state.state]


def at(name: str, position: str) -> wb.Game:
    return wb.Game(name, position=position)


@pytest.mark.parametrize(("name", "text"), STARTS_OF)
def test_texts_of_the_start_are_the_start_in_games_and_in_tags(name: str, text: str) -> None:
    assert state(at(name, text)) == state(wb.Game(name))
    assert GameReader(rulesets.load_ruleset(name)).start_problem(text) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [("chess/orthodox", f"{BOARD} w - - 0 1"), ("chess/crazyhouse", f"{BOARD}[p] w KQkq - 0 1"),
     ("chess/three-check", f"{BOARD} w KQkq - 2+3 0 1"), ("chess/007", f"{BOARD} w KQkq - 0 1 3/2"),
     ("chess/orthodox", "rubbish"), ("draughts/international", "B:W31-50:B1-20"), ("star/default", "○")],
)  # fmt: skip
def test_a_tag_of_another_position_is_another_start(name: str, text: str) -> None:
    assert GameReader(rulesets.load_ruleset(name)).start_problem(text) is not None


@pytest.mark.parametrize(
    ("name", "texts"),
    [("chess/three-check", (f"{BOARD} b KQkq - 2+3 1 2", f"{BOARD} b KQkq - 1 2 +1+0", f"{BOARD} b KQkq - 1 2 2+3")),
     ("chess/crazyhouse", ("4k3/8/8/8/8/8/8/4K3/Rp w - - 0 1", "4k3/8/8/8/8/8/8/4K3[pR] w - -")),
     ("chess/orthodox", ("4k3/8/8/3Q~4/8/8/8/4K3 w - -", "4k3/8/8/3Q4/8/8/8/4K3 w - - 0 1")),
     ("chess/orthodox",
      ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
       "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")),
     ("draughts/international", ("W:WK31:B12:H3:F9", "W:B12:Wk31:H3", "w:wK31.:b12.:h3.")),
     ("draughts/english", ("B:Wk31,32:B1", "B:B1:W32,K31"))],
)  # fmt: skip
def test_texts_of_one_position_are_one_state(name: str, texts: tuple[str, ...]) -> None:
    assert len({tuple(state(at(name, text))) for text in texts}) == 1


@pytest.mark.family("chess")
def test_rights_to_castle_by_the_rooks_of_the_start() -> None:
    start = "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb"
    name = rulesets.load_ruleset("chess/orthodox").derive(start_position=start)
    one, other = (wb.Game(name, position=f"1r1k2r1/8/8/8/8/8/8/1R1K2R1 w {rights} - 0 1") for rights in ("GB", "KQ"))
    assert state(one) == state(other)
    assert one.fen().split()[2] == "KQ"
    # Another rook beyond it is what Q means then, as python-chess writes it, too.
    beyond = wb.Game(name, position="1r1k2r1/8/8/8/8/8/8/RR1K2R1 w KB - 0 1")
    assert beyond.fen().split()[2] == chess.Board(beyond.fen(), chess960=True).fen().split()[2] == "KB"
    with pytest.raises(wb.IllegalMove, match="castling right Q"):
        wb.Game(name, position="1r1k2r1/8/8/8/8/8/8/RR1K2R1 w KQ - 0 1")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("chess/orthodox", "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w", "7 squares, not 8; rank 2 has 9"),
     ("chess/gardner", "rnbqk/pppp/5/PPPPP/RNBQK w", "rank 4 has 4 squares, not 5"),
     ("chess/orthodox", f"{BOARD}[P] w", "more pieces in hand"), ("chess/crazyhouse", f"{BOARD}/p[R] w", "not 9"),
     ("chess/crazyhouse", f"{BOARD}[Rp w", "pieces in hand follow the board"),
     ("chess/crazyhouse", "4k3/8/8/P~7/8/8/8/4K3 w", "'~' in rank 5 is not a piece"),
     ("chess/three-check", f"{BOARD} w KQkq - 3+3 0 1 +1+0", "checks: '0+0' and '1+0' contradict each other"),
     ("chess/three-check", f"{BOARD} w KQkq - 4+3 0 1", "at most 3+3, not '4+3'"),
     ("chess/orthodox", f"{BOARD} w KQkq - 2+3 0 1", "checks: these rules do not count checks"),
     ("chess/orthodox", f"{BOARD} w KQkq - 0 1 7", "'7' is repeated, or is neither clock"),
     ("draughts/international", "W:W31:B1:H1:H2", "'H2' is repeated"),
     ("draughts/international", "W:W31:B1:Hx", "'Hx' is repeated, or is neither"),
     ("draughts/international", "{fen: 'W:W31:B1:H1', quiet: 2}", "quiet and H in the FEN contradict"),
     ("draughts/international", "W:W31:B1:M31=2", "M31=2 is not valid under these rules")],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_field(name: str, text: str, said: str) -> None:
    with pytest.raises(wb.IllegalMove) as caught:
        at(name, text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "name", few.one_in(10, [n for n in rulesets.ruleset_names() if n.split("/")[0] in ("chess", "draughts")])
)
def test_what_fen_writes_comes_back(name: str) -> None:
    chance = random.Random(name)
    for _ in range(4):
        game = wb.Game(name)
        for _ in range(120):
            moves = game.legal_moves()
            if not moves and name == "draughts/tobishogo":
                # The royal piece is lost, and nobody sets up a position without one.
                break
            again = at(name, game.fen())
            assert state(again) == state(game), game.fen()
            assert again.fen() == game.fen()
            if not moves:
                break
            game.push(chance.choice(moves))


BOARDS = {
    "chess/orthodox": chess.Board, "chess/crazyhouse": chess.variant.CrazyhouseBoard,
    "chess/three-check": chess.variant.ThreeCheckBoard, "chess/antichess": chess.variant.AntichessBoard,
    "chess/atomic": chess.variant.AtomicBoard, "chess/horde": chess.variant.HordeBoard,
    "chess/racing-kings": chess.variant.RacingKingsBoard, "chess/king-of-the-hill": chess.variant.KingOfTheHillBoard,
}  # fmt: skip


@pytest.mark.parametrize("name", few.first(2, BOARDS))
def test_fen_and_games_from_positions_are_those_of_python_chess(name: str) -> None:
    chance, board, game = random.Random(3), BOARDS[name](), wb.Game(name)
    for _ in range(60):
        assert game.fen() == board.fen()
        for text in (board.fen(shredder=True), board.fen(en_passant="fen")):
            assert state(at(name, text)) == state(game), text
        if board.is_game_over(claim_draw=True) or game.outcome():
            break
        move = chance.choice(sorted(board.legal_moves, key=str))
        game.push(board.uci(move) if "@" not in str(move) else board.san(move).rstrip("+#"))
        board.push(move)
    begun = at(name, game.fen())
    for _ in range(5):
        if not (moves := begun.legal_moves()):
            break
        begun.push(chance.choice(moves))
    read = chess.pgn.read_game(io.StringIO(begun.pgn()))
    assert read is not None
    assert not read.errors
    assert (read.board().fen(), read.end().board().fen()) == (game.fen(), begun.fen())


NUMBERED = {"international": "standard", "english": "english", "frisian": "frisian"}


@pytest.mark.parametrize("name", few.first(1, NUMBERED))
def test_fen_is_that_of_pydraughts(name: str) -> None:
    chance, game = random.Random(5), wb.Game(f"draughts/{name}")
    for _ in range(40):
        other = draughts.Board(variant=NUMBERED[name], fen=game.fen())
        again = at(f"draughts/{name}", other.fen)
        pieces = [one.partition(":H")[0] for one in (again.fen(), game.fen())]
        assert pieces[0].partition(":M")[0] == pieces[1].partition(":M")[0]
        if not (moves := game.legal_moves()):
            break
        game.push(chance.choice(moves))


@pytest.mark.family("chess", "draughts")
def test_a_game_from_a_position_is_written_with_it() -> None:
    game = wb.Game("chess/orthodox", "Kd2 Kd7", position="4k3/8/8/8/8/8/P7/4K3 w - - 4 30")
    assert '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/P7/4K3 w - - 4 30"]' in game.pgn()
    assert game.pgn().endswith("\n30. Kd2 Kd7 *\n")
    assert '[FEN "B:WK31:BK1"]' in wb.Game("draughts/english", position="B:WK31:BK1").pdn()
    with pytest.raises(InputError, match="no FEN for star"):
        wb.Game("star/default").fen()
