"""Pieces of chess that move by Betza's notation: reading it, and what rulesets say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.chess import twin_betza as naive
from tests.games.chess.engines import rules
from tests.test_drawings import derived, loaded, told
from workbench.base.errors import InputError
from workbench.experiments import design
from workbench.games.chess import betza
from workbench.games.chess.rules import DECLARATION
from workbench.games.drawings import Drawing, DrawingError, shown
from workbench.positions.game_state import GameState
from workbench.rules import rulebook, rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")


WAYS = {
    "W": ("", "f", "b", "l", "r", "s", "v", "fs", "fr", "flr", "bs"),
    "F": ("", "f", "b", "l", "r", "fl", "fr", "bl", "br", "flbr", "frbl", "flb"),
    "N": ("", "ff", "bb", "ll", "rr", "fs", "bs", "fh", "bh", "lh", "rh", "v", "s", "ffbs", "fsbb", "ffrr", "ffl"),
}
"""Directions by the sort of leap: straight, diagonal and oblique."""
SORTS = {**dict.fromkeys("WDHR", "W"), **dict.fromkeys("FAGB", "F"), **dict.fromkeys("NCZLJ", "N")}
TEXTS = [
    f"{mode}{way}{letter}{behind}"
    for letter, sort in SORTS.items()
    for way in WAYS[sort]
    for behind in ("", "2", "0")
    for mode in ("", "m", "c")
] + ["K", "K2", "KK", "WW", "NN", "Q3", "fK", "bQ", "lK", "FAD", "BfW", "fhNfsRbK", "ffNbsN", "mfWcfF"]


def spread(text: str) -> set[tuple[int, int, bool]]:
    """The squares that a text reaches on an empty board of 15×15, by going (False) and by capturing (True)."""
    return {
        (leap * ray.right, leap * ray.ahead, takes)
        for ray in betza.rays(text)
        for takes in (False, True)
        for leap in range(1, (ray.takes if takes else ray.moves) + 1)
    }


def test_a_second_reader_understands_the_same() -> None:
    for text in TEXTS:
        expected = {
            (leap * right, leap * ahead, takes)
            for (right, ahead), often, goes, captures in naive.ways(text)
            for takes in (False, True)
            if (captures if takes else goes)
            for leap in range(1, often + 1)
            if leap * max(abs(right), abs(ahead)) <= betza.FARTHEST
        }
        assert spread(text) == expected, text


def test_the_order_of_letters_says_nothing() -> None:
    assert betza.rays("NC") == betza.rays("CN") == betza.rays("LN")
    assert betza.rays("Q") == betza.rays("BR") == betza.rays("WWF7") and betza.rays("K") == betza.rays("FW")
    assert betza.rays("mWcW") == betza.rays("W") != betza.rays("mWcF")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pR", "expected a piece that does not hop, such as R, found 'p' in 'pR': a hop over a piece"),
        ("NgB", "found 'g' in 'gB': a hop over a piece"),
        ("nN", "expected a leap that cannot be blocked, such as N, found 'n' in 'nN'"),
        ("fmWifmW2", "expected a move that is always available, such as W, found 'i' in 'ifmW2'"),
        ("oR", "expected a board with edges"),
        ("X", "expected W, F, D, N, A, H, C, Z, G, R, B, Q or K, found 'X'"),
        ("fN", r"expected directions such as ff \(steep\), fs \(flat\), fh \(both\), v or s, before N, found 'fN'"),
        ("ffW", "expected directions such as f, b, l, r, s or v before W"),
        ("sF", "expected directions such as f, b, l, r or two of them, such as fl, before F"),
        ("rlbK", "expected separate directions for W and F"),
        ("mcW", "expected m or c"),
        ("RR", "expected R once"),
        ("W9", "expected a number from 1 to 7, or 0 for any"),
        ("Nf", "expected letters of Betza notation, such as NC or BfW"),
    ],
)
def test_what_cannot_be_played_is_told(text: str, message: str) -> None:
    with pytest.raises(DrawingError, match=message):
        betza.rays(text)


def test_a_ruleset_says_how_pieces_move(tmp_path: Path) -> None:
    ruleset = loaded(tmp_path, "chess", "knight_moves: NC", "bishop_moves: BfW", "insufficient_material: play-on")
    assert "Na4" in GameState("chess", ruleset.codes()).legal_texts()
    assert any(
        "leap three squares along a row or column and one to the side" in sentence for sentence in ruleset.text()
    )
    picture = [line.split() for line in rulebook.describe_ruleset(ruleset)]
    assert list("··x·x··") in picture and list("xx···xx") in picture and list("···N···") in picture
    assert list("···m···") not in picture and any(line[:3] == ["x", "moves", "and"] for line in picture)


def test_the_same_moves_are_the_same_rules() -> None:
    orthodox = rulesets.load_ruleset("chess/orthodox").fingerprint
    assert derived("chess", queen_moves="RB").fingerprint == orthodox
    assert derived("chess", king_moves="FW", rook_moves="WW").fingerprint == orthodox
    assert derived("chess", queen_moves="QN").fingerprint == derived("chess", queen_moves="NBR").fingerprint != orthodox
    assert derived("chess", queen_moves="QN").fingerprint == rulesets.load_ruleset("chess/amazons").fingerprint


@pytest.mark.parametrize(
    ("line", "key", "message"),
    [
        ("rook_moves: pR", "rook_moves", "does not hop"),
        ("queen_moves: fN", "queen_moves", "ff (steep)"),
        ("queen_moves: Q N-", "queen_moves", "moves in Betza notation, such as NC or BfW"),
        ("queen_moves: 3", "queen_moves", "expected Q or moves in Betza notation"),
        ("knight_moves: NC", "knight_moves", "insufficient_material: play-on, since"),
        ("king_moves: KD", "king_moves", "no two-square sideways move"),
        ("king_moves: Q", "king_moves", "no two-square sideways move"),
        ("lion_moves: fmWfcF", "lion_moves", "unknown key 'lion_moves'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, line: str, key: str, message: str) -> None:
    where, found, what = told(tmp_path, "chess", line)
    assert (where, found) == (4, f"rules.{key}") and message in what


def test_what_a_text_means_is_told_beside_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, "chess", "knight_moves: QQ", "castling: 3")
    assert [problem.key for problem in caught.value.problems] == ["rules.knight_moves", "rules.castling"]


def test_a_start_is_looked_at_by_the_moves_of_the_pieces(tmp_path: Path) -> None:
    start = "start_position: 4k3/8/8/8/4Q3/8/8/4K3 w -"
    assert "is not attacked" in told(tmp_path, "chess", start)[2]
    assert loaded(tmp_path, "chess", start, "queen_moves: BN").contents
    leaping = "start_position: 4k3/8/4p3/4R3/8/8/8/4K3 w -"
    assert "is not attacked" in told(tmp_path, "chess", leaping, "rook_moves: H")[2]


def test_editors_know_what_may_be_written() -> None:
    of_toggle = design.value_schemas(DECLARATION.toggle("knight_moves"))
    assert of_toggle[0]["const"] == "N" and of_toggle[1]["pattern"] == r"^[A-Za-z][A-Za-z0-9]*(/[A-Za-z][A-Za-z0-9]*)?$"


@pytest.mark.parametrize(("moves", "last"), [("R", None), ("WW", None), ("R4", 4), ("mR6", 6), ("W", 1), ("D2", 4)])
def test_a_diagram_shows_where_a_line_ends(moves: str, last: int | None) -> None:
    """One that does not end goes on to the edge of the diagram."""
    toggle = DECLARATION.toggle("rook_moves")
    assert isinstance(toggle, Drawing)
    drawn = shown("chess", toggle, {**rules(), "rook_moves": moves})
    middle = len(drawn.board.rows) // 2
    ahead = [leaps for leaps in range(1, middle + 1) if (middle - leaps, middle) in drawn.signs]
    assert ahead[-1] == (last or middle)
    assert last is None or last < middle
