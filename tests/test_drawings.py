"""Start positions and areas that a ruleset draws, and positions that are painted: their texts, and what is wrong."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from workbench import games
from workbench.base.errors import InputError
from workbench.base.language import in_all
from workbench.base.project import Project
from workbench.games import drawings, wording
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, DrawingError, marked
from workbench.positions.board_input import EditedPosition, palette
from workbench.positions.game_state import GameState, IllegalMove, parse_setup
from workbench.report.sections.rules import distinct_changes
from workbench.rules import rulebook, rulesets
from workbench.rules.edits import RulesetReading, read_ruleset_text
from workbench.rules.rulesets import Ruleset
from workbench.studio.pages.rules import view as rules_view
from workbench.studio.visitor import Visitor

SWAPPED = "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq"
ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"
pytestmark = pytest.mark.usefixtures("in_the_checkout")
DRAWN = [
    (family, toggle.name)
    for family in games.names()
    for toggle in games.declaration(family).toggles
    if isinstance(toggle, Drawing)
]


def loaded(tmp_path: Path, game: str, *rules: str) -> Ruleset:
    """The ruleset of a file with some lines under ``rules``, of which the first is line 4."""
    path = tmp_path / "mine.yaml"
    path.write_text(f"game: {game}\ntitle: Mine\nrules:\n" + "".join(f"  {line}\n" for line in rules), encoding="utf-8")
    return rulesets.load_ruleset(path)


def told(tmp_path: Path, game: str, *rules: str) -> tuple[int | None, str | None, str]:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, game, *rules)
    (problem,) = caught.value.problems
    return problem.line, problem.key, problem.message


def derived(game: str, **rules: Setting) -> Ruleset:
    base = {"chess": "chess/orthodox", "draughts": "draughts/english", "chatra": "chatra/2007-09"}[game]
    return rulesets.derive_ruleset(rulesets.load_ruleset(base), rules, "mine", "mine")


@pytest.mark.parametrize(("family", "name"), DRAWN)
def test_a_kernel_reads_of_a_drawing_an_array_and_nothing_for_the_default(family: str, name: str) -> None:
    """No code of a value is compiled into a kernel, so `games/drawings.py` decides no machine code."""
    toggle = games.declaration(family).toggle(name)
    assert toggle.code(toggle.default) == ()
    assert all(isinstance(toggle.code(value.name), tuple) for value in toggle.values)
    rules = GameState(family, games.declaration(family).codes(games.declaration(family).defaults())).rules
    assert getattr(rules, name).shape == (0,)


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ("x./..", None, "6 rows, or 3 to be mirrored, found 2"),
        ("xxx/xx/xxx", 1, "3 squares, found 2 in row 2"),
        ("xxxx/xxxx/xxxx", 0, "6 squares, or 3 to be mirrored, found 4 in row 1"),
    ],
)
def test_what_is_no_map_of_the_board_is_told_with_its_row(text: str, row: int | None, message: str) -> None:
    with pytest.raises(DrawingError, match=message) as caught:
        marked(text, 6)
    assert caught.value.row == row


# --- Chess ------------------------------------------------------------------------------------------------------------


def test_a_fen_is_where_games_of_chess_begin(tmp_path: Path) -> None:
    ruleset = loaded(tmp_path, "chess", f"start_position:  {SWAPPED} - 0  1")
    assert ruleset.settings["start_position"] == SWAPPED
    game_state = GameState("chess", ruleset.codes())
    assert game_state.notation.position(game_state.rules, game_state.state)["fen"] == f"{SWAPPED} - 0 1"
    assert "Nb3" not in GameState("chess", rulesets.load_ruleset("chess/orthodox").codes()).legal_texts()
    game_state.push_text("Nb3")
    game_state.push_text("d5")
    written = (game_state.rules, game_state.played, game_state.texts, "unfinished", ("a", "b"), {"Event": "x"})
    exported = game_state.notation.export(*written)
    assert f'[FEN "{SWAPPED} - 0 1"]' in exported and '[SetUp "1"]' in exported


def test_fields_may_be_left_out(tmp_path: Path) -> None:
    placement = "4k3/8/8/8/8/8/4P3/4K3"
    assert loaded(tmp_path, "chess", f"start_position: {placement}").settings["start_position"] == f"{placement} w -"
    rules = ("king: capture", "insufficient_material: play-on")
    assert loaded(tmp_path, "chess", "start_position: 4k3/4R3/8/8/8/8/8/4K3 w -", *rules).contents, "there is no check"


FENS = {
    "4k3/8/8/8/8/8/4P3/4K3 w - e3 0 1": "expected '- 0 1' at the end, as at the start of a game, found 'e3 0 1'",
    "4k3/8/8/8 w -": "5 to 8 ranks separated by /, found 4",
    "4k3/8/8/8/8/8/8/4K2 w -": "the same number of squares in each rank, from 5 to 8, found 7 in rank 1",
    "4k3/8/8/8/8/2x5/8/4K3 w -": "piece letters (PNBRQKpnbrqk), found 'x' in rank 3 ('2x5')",
    "8/8/8/8/8/8/8/4K3 w -": "pieces of both colours, found none of Black",
    "4k3/8/8/8/8/8/8/3KK3 w -": "one king of each colour (a colour named in `extinction` may have none)",
    "4k3/8/8/8/8/8/8/P3K3 w -": "no pawn on the first or the last rank, found one on rank 1",
    "4k3/8/8/8/8/8/8/4K3 w K": "king and rook on their first rank",
    "4k3/4R3/8/8/8/8/8/4K3 w -": "Black's king is not attacked",
    "x": "expected array or a FEN of at most 8 files",
}
BY_RULES = [
    ("4k3/8/8/8/QQQQQQQQ/8/PP6/4K3 w -", "expected with ", "turns: triple"),
    (ARRAY, "- for the castling rights, because of ", "castling: never"),
    ("4k3/8/8/8/8/8/8/4K3 b -", "White moves first under ", "turns: triple"),
]


@pytest.mark.parametrize(("fen", "message", "more"), [*((fen, FENS[fen], "") for fen in FENS), *BY_RULES])
def test_what_is_wrong_with_a_fen_is_told_with_its_place(tmp_path: Path, fen: str, message: str, more: str) -> None:
    line, key, what = told(tmp_path, "chess", f"start_position: {fen}", *filter(None, [more]))
    assert (line, key) == (4, "rules.start_position")
    assert what.startswith("expected ") and message + more in what


def test_a_drawing_of_the_default_is_the_default() -> None:
    orthodox = rulesets.load_ruleset("chess/orthodox").fingerprint
    assert derived("chess", start_position=ARRAY).fingerprint == orthodox
    swapped = derived("chess", start_position=SWAPPED).fingerprint
    assert len({orthodox, swapped, derived("chess", start_position=SWAPPED.replace("KQkq", "KQ")).fingerprint}) == 3
    english = rulesets.load_ruleset("draughts/english").fingerprint
    pieces = "B:B1,2,3,4,5,6,7,8,9,10,11,12:W" + ",".join(map(str, range(21, 33)))
    for start in ("B:W21-32:B1-12", pieces, "W:W21-32:B1-12"):
        assert (derived("draughts", start_position=start).fingerprint == english) == (start[0] == "B")


# --- Draughts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "message", "more"),
    [
        ("B:W25-32", "a FEN such as", ()),
        ("B:W25-32:W1-8", "the pieces of W and B", ()),
        ("B:W25-33:B1-8", "squares on the 8×8 board, such as 1 or K32, found '25-33'", ()),
        ("B:W1-8:B8-12", "one piece per square, found two on 8", ()),
        ("B:W25-32:B", "pieces of both players, found none for the first player", ()),
        ("B:W1,25:B9", "only kings on their owner's last row, found a man on 1", ()),
        ("B:W25,R26:B1-8", "no royal pieces (R) under these rules, found 1 for the second player", ()),
        ("B:WK25,26:B1-8", "only men, since the first king wins", ("goal: first-king",)),
    ],
)
def test_what_is_wrong_with_a_position_of_draughts_is_told(
    tmp_path: Path, fen: str, message: str, more: tuple[str, ...]
) -> None:
    line, key, what = told(tmp_path, "draughts", f'start_position: "{fen}"', *more)
    assert (line, key) == (4, "rules.start_position")
    assert message in what


# --- Chatra -----------------------------------------------------------------------------------------------------------

QUARTER = ("......", "......", "..xxxx", "..xxxx", "..xxxx", "..xxxx")
"""Not on the two outer rings, of a quarter of the board of 12×12 squares."""
NINE = ".B......./...b...../........./........./.b.....w./........./...w...../......W../........."


def test_an_area_is_a_picture(tmp_path: Path) -> None:
    ruleset = loaded(tmp_path, "chatra", "object_area: |", *(f"  {row}" for row in QUARTER))
    game_state = GameState("chatra", ruleset.codes())
    game_state.push_text("a1")
    inside = {f"O{column}{row}" for column in "cdefghij" for row in range(3, 11)}
    assert set(game_state.legal_texts()) == inside
    assert "The rules do not allow objects to be placed on" in game_state.why_not("Ob5")
    whole = "/".join(row + row[::-1] for row in (*QUARTER, *QUARTER[::-1]))
    assert derived("chatra", object_area=whole).contents == ruleset.contents
    quarter = derived("chatra", object_area="/".join(QUARTER))
    assert derived("chatra", object_area=whole).fingerprint == quarter.fingerprint
    assert sum(line.split()[1:] == list("··xxxxxxxx··") for line in rulebook.describe_ruleset(ruleset)) == 8


def test_a_map_of_what_a_name_says_is_that_name() -> None:
    base = rulesets.load_ruleset("chatra/2007-09").fingerprint
    outside = "/".join(["x" * 12] * 4 + ["xxxx....xxxx"] * 4 + ["x" * 12] * 4)
    assert derived("chatra", object_area=outside).fingerprint == base
    away = "/".join(["x" * 12] * 3 + ["xxx......xxx"] * 6 + ["x" * 12] * 3)
    assert derived("chatra", object_area=away).fingerprint == rulesets.load_ruleset("chatra/D").fingerprint
    assert derived("chatra", drop_area="/".join(["x" * 12] * 12)).fingerprint == base


def test_drops_stay_on_their_map() -> None:
    ruleset = rulesets.derive_ruleset(
        rulesets.load_ruleset("chatra/9x9"), {"drop_area": "xx.../x..../...../...../....x"}, "m", "m"
    )
    game_state = GameState("chatra", ruleset.codes())
    corners = {"a1", "b1", "a2", "h1", "i1", "i2", "a8", "a9", "b9", "i8", "i9", "h9"}
    assert set(game_state.legal_texts()) == corners
    assert "The rules do not allow subjects to be dropped on" in game_state.why_not("d1")


@pytest.mark.parametrize(
    ("rules", "line", "message"),
    [
        (("object_area: |", "  xx.", "  xx"), 4, "expected 12 rows, or 6 to be mirrored, found 2"),
        (("object_area: |", *["  xxxxxx"] * 5, "  xxxxx"), 10, "expected 6 squares, found 5 in row 6"),
        (("object_area: |", *["  xxxxxx"] * 5, "  xxyxxx"), 10, "expected the signs x ., found 'y' in row 6"),
        (("size: 9", "object_area: " + "/".join(["........."] * 8 + [".x......."])), 5, "at least 2 squares marked x"),
        (("size: 9", "start_position: " + NINE.replace("B", ".")), 5, "one object for each player (B and W), or none"),
        (("size: 9", "start_position: " + NINE.replace("W..", "Wb.")), 5, "White's object out of reach"),
        (("size: 9", "subjects: 1", "start_position: " + NINE), 6, "at most 1 subjects of Black"),
        (("start_position: " + NINE,), 4, "expected 12 rows, found 9"),
        (("size: 9", "start_position: " + NINE.replace("B", ".").replace("W", ".")), 5, "opening: objects-first"),
    ],
)
def test_what_is_wrong_with_a_drawing_of_chatra_is_told(
    tmp_path: Path, rules: tuple[str, ...], line: int, message: str
) -> None:
    where, key, what = told(tmp_path, "chatra", *rules)
    assert where == line and key in ("rules.object_area", "rules.start_position")
    assert message in what


def test_a_game_of_chatra_begins_with_the_board_that_is_drawn() -> None:
    changes: dict[str, Setting] = {"start_position": NINE, "subjects": 6}
    ruleset = rulesets.derive_ruleset(rulesets.load_ruleset("chatra/9x9"), changes, "mine", "mine")
    game_state = GameState("chatra", ruleset.codes())
    drawn = "".join("".join(sign or "." for sign in row) for row in game_state.board().cells)
    assert drawn == NINE.replace("/", "").translate(str.maketrans("bwBW", "●○★☆"))
    assert game_state.board().notes[0] == "in hand: Black 4, White 4"
    assert game_state.seat == 0 and "Oa1" in game_state.legal_texts()


# --- What is shown, and painted ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", rulesets.ruleset_names())
def test_what_is_shown_of_the_default_is_where_games_begin(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    family = games.declaration(ruleset.game)
    for toggle in (each for each in family.toggles if isinstance(each, Drawing) and each.pieces):
        board = GameState(ruleset.game, ruleset.codes()).board()
        drawn = drawings.shown(ruleset.game, toggle, ruleset.settings)
        is_complete = ruleset.settings.get("royal", "none") == "none" and ruleset.settings.get("drops") != "placement"
        if is_complete:
            assert drawn.board.cells == board.cells
        assert drawn.board.shaded == board.shaded and drawn.board.columns == board.columns


@pytest.mark.parametrize(
    ("game", "toggle", "strokes", "setting"),
    [
        ("chess", "start_position", [("e1", ""), ("d1", "K")], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBK1BNR w kq"),
        ("draughts", "start_position", [("32", ""), ("1", "B")], None),
        ("chatra", "object_area", [("f6", "x")], None),
        ("chatra", "drop_area", [("a1", "")], None),
        ("chatra", "start_position", [("b2", "B"), ("k11", "W"), ("d4", "b")], None),
    ],
)
def test_strokes_change_a_square_each(
    game: str, toggle: str, strokes: list[tuple[str, str]], setting: str | None
) -> None:
    family, ruleset = games.declaration(game), derived(game)
    declared = family.toggle(toggle)
    assert isinstance(declared, Drawing)
    before = drawings.shown(game, declared, ruleset.settings)
    cells = {name: cell for cell, name in before.names.items()}
    settings = dict(ruleset.settings)
    for name, sign in strokes:
        signs = {**drawings.shown(game, declared, settings).signs, cells[name]: sign}
        signs = {cell: one for cell, one in signs.items() if one}
        settings[toggle] = drawings.replace_signs(game, declared, settings, signs)
        assert declared.allows(settings[toggle])
    after = drawings.shown(game, declared, settings).signs
    wanted = {**before.signs, **{cells[name]: sign for name, sign in strokes}}
    assert after == {cell: sign for cell, sign in wanted.items() if sign}
    assert setting in (None, settings[toggle])
    assert derived(game, **{toggle: settings[toggle]}).contents[toggle]


def read_text(game: str, base: str, rules: str = "") -> RulesetReading:
    return read_ruleset_text(
        Project(Path.cwd()), f"{game}/mine", f"game: {game}\nextends: {base}\ntitle: Mine\nrules:\n{rules}"
    )


@pytest.mark.parametrize(
    ("game", "base", "start"),
    [("chess", "orthodox", SWAPPED), ("draughts", "english", "W:W21,K22:B1,2"), ("chatra", "9x9", NINE)],
)
def test_a_picture_has_the_pieces_that_stand_on_it(game: str, base: str, start: str) -> None:
    reading = read_text(game, base, f"  start_position: {start}\n" + "  subjects: 6\n" * (game == "chatra"))
    toggle = reading.family.toggle("start_position")
    assert isinstance(toggle, Drawing) and not reading.problems
    drawn = drawings.shown(game, toggle, reading.settings)
    picture = rules_view.RulesView(reading, Project(Path()), Visitor("en", "light")).board(toggle)["pictures"][0]
    used, defined = re.findall('<use href="#([^"]+)"', picture), re.findall('<g id="([^"]+)"', picture)
    assert len(used) == len(drawn.signs) and set(used) == set(defined)
    assert len(defined) == len(set(drawn.signs.values()))


@pytest.mark.parametrize(
    ("game", "base", "toggle"),
    [("chess", "orthodox", "start_position"), ("chatra", "9x9", "start_position"), ("chatra", "9x9", "object_area")],
)
def test_what_is_painted_as_it_was_is_no_change(game: str, base: str, toggle: str) -> None:
    reading = read_text(game, base)
    declared = reading.family.toggle(toggle)
    assert isinstance(declared, Drawing)
    sign = "x" if toggle == "object_area" else ""
    cell = next(cell for cell, name in drawings.shown(game, declared, reading.settings).names.items() if name == "c5")
    done = rules_view.painted_setting(declared, reading, {"cells": [cell], "sign": sign})
    assert done == reading.settings[toggle]


AREA = "/".join(["xxx......"] + ["........."] * 8)


def test_readers_are_told_how_much_is_drawn_and_see_a_picture() -> None:
    before, after = derived("chatra", size=9), derived("chatra", size=9, object_area=AREA)
    toggle = games.declaration("chatra").toggle("object_area")
    assert in_all(wording.setting_words("chatra", toggle, after.settings)) == ("3 squares", "3マス")
    assert wording.setting_words("chatra", toggle, before.settings) == "outside-centre"
    recorded = [{"name": str(n), "game": "chatra", "settings": one.settings} for n, one in enumerate((before, after))]
    (change,) = distinct_changes(recorded, "0")
    assert change.now == ("3 squares", "Objects may be placed only on marked squares.")
    assert change.position is not None
    assert change.position.highlights == {"open": frozenset({(0, 0), (0, 1), (0, 2)})}
    assert AREA not in after.title


def test_rules_are_called_by_short_sentences_or_by_what_is_set() -> None:
    family = games.declaration("chatra")
    before = family.defaults()
    changes: dict[str, Setting] = {"drop_check": "allowed", "size": 9, "stuck": "loss", "adjacent_drops": "allowed"}
    told = wording.changes_words("chatra", family.toggles, before, before | changes)
    assert told == "Board size: 9, Subjects may be dropped next to other subjects, A drop may give check, …"
    long = wording.changes_words("chatra", family.toggles, before, before | {"offside": "front"})
    assert in_all(long) == ("offside by the front pieces", "オフサイドは前線の二つ")
    assert not wording.changes_words("chatra", family.toggles, before, before)


# Positions that are painted


RULESETS = [
    *("chess/orthodox", "chess/007", "draughts/english", "draughts/international", "draughts/turkish"),
    *("chatra/9x9", "chatra/limited-7", "star/default", "rengo/go9"),
]


def state(name: str, text: str = "") -> GameState:
    ruleset = rulesets.load_ruleset(name)
    return GameState(ruleset.game, ruleset.codes(), parse_setup(ruleset.game, text))


@pytest.mark.parametrize("name", RULESETS)
def test_the_text_of_a_position_is_the_position(name: str) -> None:
    game_state = state(name)
    random_numbers = random.Random(3)
    for ply in range(24):
        edited = EditedPosition.of(game_state)
        if game_state.game != "chatra" or ply > 2:
            again = state(name, edited.text())
            assert again.board().pieces() == game_state.board().pieces()
            assert again.seat == game_state.seat
            # What the star's foul rule remembers and how far a pawn has just come is told by no board.
            if game_state.game not in ("star", "chess"):
                assert sorted(again.legal_texts()) == sorted(game_state.legal_texts())
        if not game_state.legal():
            break
        game_state.push(random_numbers.choice(game_state.legal()))


@pytest.mark.parametrize("name", RULESETS)
def test_what_stands_on_the_board_can_be_painted(name: str) -> None:
    game_state = state(name)
    signs = {sign for sign, _ in palette(game_state)}
    edited = EditedPosition.of(game_state)
    empty = edited.without_pieces()
    assert not any(sign for row in empty.cells for sign in row)
    for cell in edited.names:
        sign = edited.cells[cell[0]][cell[1]]
        assert sign in signs | {""}
        empty = empty.with_piece(cell, sign)
    assert empty.cells == edited.cells and empty.text() == edited.text()


@pytest.mark.family("chess")
def test_castling_is_left_where_king_and_rook_still_stand() -> None:
    edited = EditedPosition.of(state("chess/orthodox"))
    moved = edited.with_piece((7, 7), "").with_piece((0, 4), "").with_piece((1, 4), "♚")
    assert moved.text() == "rnbq1bnr/ppppkppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Q - 0 1"
    back = moved.with_piece((7, 7), "♖")
    assert back.text().split()[2] == "KQ"


@pytest.mark.family("chess")
def test_what_is_wrong_with_a_painted_position_is_told_as_for_a_typed_one() -> None:
    edited = EditedPosition.of(state("chess/orthodox")).with_piece((7, 4), "")
    with pytest.raises(IllegalMove, match="White has 0 kings"):
        state("chess/orthodox", edited.text())
