"""Armies of one family each play by the same moves as pyffish, which knows those games, on boards without palace.

pyffish (Fairy-Stockfish's library) is told the rules that differ by a custom variant. Random games are compared move by
move, both legal move lists whole.
"""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

import pytest

from tests.games.rengo import positions as rengo_positions
from tests.games.rengo.positions import position
from workbench.games.declaration import Setting

ffish: Any = pytest.importorskip("pyffish")

VARIANTS = """
[rengochess:chess]
castling = false
doubleStep = false

[rengomakruk:makruk]
promotionRegionWhite = *7 *8
promotionRegionBlack = *2 *1

[rengoxiangqi]
maxRank = 9
maxFile = 9
king = k:W
fers = a
elephant = b
horse = n
rook = r
cannon = c
soldier = p
soldierPromotionRank = 5
flyingGeneral = true
castling = false
stalemateValue = loss
startFen = rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1

[rengojanggi]
maxRank = 9
maxFile = 9
king = k:W
commoner = a
janggiElephant = b
horse = n
rook = r
janggiCannon = c
soldier = p
castling = false
stalemateValue = loss
startFen = rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1
"""


class Game(NamedTuple):
    """One of the games: its variant in the library, the board here, and the units by their FEN letters."""

    variant: str
    board: str
    units: dict[str, str]
    rules: tuple[tuple[str, Setting], ...] = ()


GAMES = {
    "shogi": Game("shogi", "go9", dict(zip("kgsnlrbp", "玉金銀桂香飛角歩", strict=True))),
    "chess": Game("rengochess", "othello8", dict(zip("kqrbnp", "王后城僧騎兵", strict=True))),
    "xiangqi": Game("rengoxiangqi", "go9", dict(zip("kabnrcp", "帥仕相傌俥炮卒", strict=True))),
    "janggi": Game("rengojanggi", "go9", dict(zip("kabnrcp", "楚士象马车包卆", strict=True)), (("bikjang", "off"),)),
    "makruk": Game("rengomakruk", "othello8", dict(zip("kmsnrp", "君種根午船貝", strict=True))),
}


def rows(fen: str, units: dict[str, str]) -> str:
    board = re.sub(r"\d", lambda digits: "." * int(digits[0]), fen.partition(" ")[0].partition("[")[0])
    return "".join(
        units.get(letter, units.get(letter.lower(), letter)) + ("'" if letter.islower() and letter in units else "")
        for letter in board.replace("/", " ")
    )


def our_words(move: str, board: list[list[str]], seat: int, game: Game) -> str:
    size = len(board)

    def cell(name: str) -> str:
        return f"{name[0]}{size + 1 - int(name[1:])}"

    if "@" in move:
        return f"{game.units[move[0].lower()]}*{cell(move[2:])}"
    origin, target, suffix = re.fullmatch(r"([a-i]\d)([a-i]\d)(\S?)", move).groups()  # type: ignore[union-attr]
    if suffix and game.variant == "rengochess":
        suffix = "=" + game.units[suffix]
    elif suffix:
        suffix = "+"
    elif board[size - int(origin[1:])][ord(origin[0]) - ord("a")].startswith("卒"):
        # The library's soldiers change with their row; here 卒 becomes +卒.
        row = int(cell(target)[1:])
        suffix = "+" if (row if seat else size + 1 - row) >= 5 else ""
    return f"{cell(origin)}-{cell(target)}{suffix}"


def left_the_zone(move: str, seat: int) -> bool:
    """Whether a move promotes that ends outside of the three last rows."""
    if not move.endswith("+"):
        return False
    row = int(move.rstrip("+").partition("-")[2][1:])
    return row > 3 if seat == 0 else row < 7


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_random_games_have_the_same_legal_moves(name: str) -> None:
    game = GAMES[name]
    ffish.load_variant_config(VARIANTS)
    fen = ffish.start_fen(game.variant)
    chance = random.Random(name)
    compared = 0
    for _ in range(8):
        game_state = position(rows(fen, game.units), game.board, rules={"passing": "never", **dict(game.rules)})
        moves: list[str] = []
        for _ in range(100):
            ours, board, seat = set(game_state.legal_texts()), rengo_positions.rows(game_state), game_state.seat
            theirs = {our_words(move, board, seat, game): move for move in ffish.legal_moves(game.variant, fen, moves)}
            if name == "shogi":
                # Here only a move that ends in the zone promotes.
                theirs = {move: one for move, one in theirs.items() if not left_the_zone(move, seat)}
            assert ours == set(theirs), f"after {' '.join(game_state.texts)}"
            compared += 1
            if not ours:
                break
            move = chance.choice(sorted(ours))
            game_state.push_text(move)
            moves.append(theirs[move])
            if game_state.outcome()[1] in ("repetition", "perpetual-check"):
                break
    assert compared > 400
