"""Where other programs differ: the rulesets have in these positions what docs/other-programs.md says of them.

What the packages have there is shown by the scripts in findings/; the moves in random games are compared by the tests
and by the script that the page names.
"""

from __future__ import annotations

import re
from pathlib import Path

import draughts
import pytest

import workbench as wb

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/other-programs.md"
FINDINGS = sorted(path for path in (ROOT / "findings").glob("*.sh") if path.name != "temporary.sh")
pytestmark = pytest.mark.usefixtures("in_the_checkout")
QUIET = (
    "1-6 29-25 6-10 25-30 10-15 22-17 15-19 17-13 19-23 13-9 23-27 30-25 27-32 25-29 32-27 9-5 27-32 5-1 4-8 1-6 32-28 "
    "6-9 28-24 9-6 8-12 29-25 24-19 25-22 19-24 22-18 12-16 18-22 16-20 22-17 20-16 6-1 16-11 1-6 11-16 17-21 24-27"
)
"""41 plies of English draughts without a capture, by kings and men; no position has occurred three times."""


@pytest.mark.parametrize(
    ("ruleset", "position", "moves"),
    [
        ("draughts/english", "W:W22:B18,1", ["22x15"]),
        ("draughts/frisian", "W:W46,50:BK36,K21,K11,44,34,24,14,9", ["50x8"]),
        ("draughts/international", "W:W38:B33,23,22,32", ["38x38"]),
        ("draughts/russian", "W:W22:B1", ["c3-b4", "c3-d4"]),
        ("draughts/russian", "W:Wc3:Bh8", ["c3-b4", "c3-d4"]),
        (
            "chess/placement",
            "8/pppppppp/8/8/8/8/PPPPPPPP/RNBR1N2[KQBk] w - - 0 1",
            ["B@h1", "K@e1", "K@g1", "Q@e1", "Q@g1"],
        ),
        ("chess/antichess", "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", ["dxc6"]),
    ],
)
def test_the_legal_moves_are_these(ruleset: str, position: str, moves: list[str]) -> None:
    assert sorted(wb.Game(ruleset, position=position).legal_moves()) == moves


@pytest.mark.family("draughts")
def test_numbers_of_a_russian_board_begin_at_b8() -> None:
    texts = [wb.Game("draughts/russian", position=position).text() for position in ("W:W22:B1", "W:Wc3:Bb8")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("position", ["W:WKd4,d5:Bh8", "W:WKd4:Bd6,d7"])
def test_a_king_of_turkish_draughts_passes_over_no_own_piece_and_over_no_two(position: str) -> None:
    assert "d4-d8" not in wb.Game("draughts/turkish", position=position).legal_moves()


def test_black_begins_in_english_draughts_and_its_pdn_says_21() -> None:
    game = wb.Game("draughts/english")
    assert '[GameType "21,B' in game.pdn() and "11-15" in game.legal_moves()


def test_men_that_move_keep_a_game_of_english_draughts_from_a_draw() -> None:
    game = wb.Game("draughts/english", QUIET, position="B:WK29,22:BK4,1")
    assert game.ply == 41 and game.outcome() is None


@pytest.mark.parametrize(
    ("ruleset", "position", "ending"),
    [
        ("chess/orthodox", "4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "insufficient-material"),
        ("chess/atomic", "4k3/8/8/8/8/8/8/4KN2 w - - 0 1", None),
        ("chess/crazyhouse", "4k3/8/8/8/8/8/8/4KN2[] w - - 0 1", None),
    ],
)
def test_a_knight_against_a_king_is_drawn_in_orthodox_chess_alone(
    ruleset: str, position: str, ending: str | None
) -> None:
    outcome = wb.Game(ruleset, position=position).outcome()
    assert (outcome and outcome.termination) == ending


@pytest.mark.parametrize("position", ["8/8/8/p7/P7/8/8/8", "8/8/p7/P7/P7/8/8/8", "8/8/8/p7/P7/8/8/7n"])
def test_who_is_stalemated_in_antichess_wins_however_many_pieces_are_left(position: str) -> None:
    outcome = wb.Game("chess/antichess", position=f"{position} w - - 0 1").outcome()
    assert outcome is not None and (outcome.result, outcome.termination) == ("first", "stalemate")


@pytest.mark.parametrize(
    ("ruleset", "variant", "position", "moves"),
    [
        ("draughts/international", "standard", "W:WK47,K46:BK3,K2", "47-41 3-8 41-47 8-3 47-41 3-8 41-47 8-3"),
        ("draughts/english", "english", "W:WK29,K30:BK4,K3", "29-25 4-8 25-29 8-4 29-25 4-8 25-29 8-4"),
    ],
)
def test_the_third_occurrence_ends_a_game_of_draughts(ruleset: str, variant: str, position: str, moves: str) -> None:
    game, board = wb.Game(ruleset, position=position), draughts.Board(variant, position)
    for move in moves.split():
        assert game.outcome() is None and not board.is_over()
        game.push(move)
        board.push(draughts.Move(board, pdn_move=move))
    assert board.is_over() and board.winner() == 0
    outcome = game.outcome()
    assert outcome is not None and (outcome.result, outcome.termination) == ("draw", "repetition")


def test_every_line_of_the_page_names_what_shows_it_and_this_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"\.\./findings/([\w.-]+\.sh)", text))
    assert named == {path.name for path in FINDINGS}
    for name in re.findall(r"`(tests/\w+\.py)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_a_finding_has_its_form(path: Path) -> None:
    head, _, body = path.read_text(encoding="utf-8").partition('. "$(dirname "$0")/temporary.sh"\n')
    assert all(line.startswith("#") for line in head.splitlines())
    assert re.search(r"\d+\.\d+", head) and all(f"# {word}: " in head for word in ("Input", "Expected", "Seen"))
    pins = re.findall(r"^(?:pypi|npm_packages) (.*)$", body, re.MULTILINE)
    assert pins and "expect << 'END'\n" in body and not re.search(r"\bworkbench\b", body)
