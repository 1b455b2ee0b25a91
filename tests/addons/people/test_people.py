"""Games of people: files of them, what is wrong with some, their records and reports, and other rules."""

from __future__ import annotations

import bz2
import io
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.command_line import call, printed, refused
from tests.few import first
from workbench import games
from workbench.addons.people import importing, reading
from workbench.addons.people.importing import Difference, Proposal
from workbench.addons.people.reading import GameReader, Games, GameText, game_end
from workbench.base.errors import InputError
from workbench.engine import trials
from workbench.engine.players import BlockArguments, random_player
from workbench.games.draughts import notation
from workbench.games.results import ENGINE_ENDINGS, RESULTS, all_endings
from workbench.positions.game_state import GameState, opening_texts
from workbench.records import provenance
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset

pytestmark = pytest.mark.thorough
MATE = "1. f3 e5 2. g4 Qh4# 0-1"
"""A game of chess in four plies."""


def pgn(moves: str, result: str = "*", **tags: str) -> str:
    head = {"Event": "Club", "White": "A", "Black": "B", "Result": result, **tags}
    return "\n".join([*(f'[{name} "{value}"]' for name, value in head.items()), "", moves, "", ""])


def written(folder: Path, *games_of_it: str, name: str = "some.pgn") -> Path:
    path = folder / name
    path.write_text("".join(games_of_it), encoding="utf-8")
    return path


def read(path: Path, name: str) -> list[Games]:
    return list(GameReader(rulesets.load_ruleset(name)).read(path))


def lines_of(parts: Sequence[Games]) -> list[list[int]]:
    return [line[line >= 0].tolist() for part in parts for line in part.block.moves]


def random_games(ruleset: Ruleset, count: int, plies: int) -> dict[str, Any]:
    player = random_player(len(games.declaration(ruleset.game).features))
    seeds = np.arange(count, dtype=np.uint64)
    return trials.run_block(BlockArguments(ruleset.game, ruleset.codes(), player, player, seeds, plies, keep=plies))


def decorated(rng: random.Random) -> tuple[str, list[str]]:
    """A game of chess as python-chess writes it, with comments, marks and variations, and its moves in UCI."""
    board, game = chess.Board(), chess.pgn.Game()
    node: chess.pgn.GameNode = game
    played = []
    for _ in range(rng.randint(2, 90)):
        legal = list(board.legal_moves)
        if not legal:
            break
        move = rng.choice(legal)
        if rng.random() < 0.1 and len(legal) > 1:
            other = next(one for one in legal if one != move)
            node.add_variation(other).comment = "or (perhaps) this; 1-0"
        node = node.add_main_variation(move)
        node.comment = rng.choice(["", "", "[%clk 0:03:00]", "12. e4 is\n[no] tag", "Nf3!"])
        if rng.random() < 0.1:
            node.nags.add(rng.choice([1, 2, 6]))
        board.push(move)
        played.append(move.uci())
    return f"{game}\n\n", played


def test_games_of_chess_are_read_as_python_chess_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    made = [decorated(rng) for _ in range(40)]
    path = written(tmp_path, *(text for text, _ in made))
    monkeypatch.setattr(reading, "CHUNK", 5_000)
    monkeypatch.setattr(reading, "BATCH", 13)
    parts = read(path, "chess/orthodox")
    assert len(parts) > 2, "the file was read in one piece"
    assert not [one for part in parts for one in part.problems]
    assert [int(number) for part in parts for number in part.numbers] == list(range(1, 41))
    squares = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"]
    promoted = ["", "n", "b", "r", "q"]
    found = [
        [squares[move & 63] + squares[(move >> 6) & 63] + promoted[move >> 15] for move in line]
        for line in lines_of(parts)
    ]
    assert found == [moves for _, moves in made]


QUICK = (
    *("draughts/russian", "draughts/international", "draughts/turkish"),
    *("chess/007-owner-promotes", "chess/king-of-the-hill"),
)
EXPORTED = [
    *QUICK,
    *(name for name in rulesets.ruleset_names() if name.startswith(("chess/", "draughts/")) and name not in QUICK),
]


@pytest.mark.parametrize("name", first(len(QUICK), EXPORTED))
def test_games_that_the_workbench_writes_are_read_back_move_for_move(name: str, tmp_path: Path) -> None:
    ruleset = rulesets.load_ruleset(name)
    family, codes = ruleset.game, ruleset.codes()
    played = random_games(ruleset, 6, 120)
    endings = all_endings(games.declaration(family))
    rules = trials.make_rules(family, codes)
    for kind in ("exchanged", "text", "json"):
        parts = []
        for game, (line, text) in enumerate(
            zip(played["opening"], opening_texts(family, codes, played["opening"]), strict=True)
        ):
            moves = line[line >= 0].tolist()
            result = RESULTS[played["result"][game]]
            ending = endings[int(played["termination"][game])].name
            if kind == "text":
                parts.append(f"{name} | a - b | #{game + 1} | seed=3 | {result} ({ending}, {len(moves)})\n{text}\n\n")
            elif kind == "json":
                about = {"ruleset": name, "moves": text.split(), "result": result, "termination": ending}
                parts.append(json.dumps(about) + "\n")
            else:
                tags = {"Site": "rule workbench", "Termination": ending}
                words = text.split()
                parts.append(games.notation(family).export(rules, moves, words, result, ("a", "b"), tags) + "\n")
        found = read(written(tmp_path, *parts), name)
        assert [one.text for part in found for one in part.problems] == []
        assert lines_of(found) == [line[line >= 0].tolist() for line in played["opening"]]
        block = found[0].block
        assert block.hashes.tolist() == played["game_hash"].tolist()
        assert block.counts.tolist() == played["events"].tolist()
        ends = [told.end for told in found[0].details]
        assert [end.result for end in ends] == [RESULTS[code] for code in played["result"]]
        assert [end.termination for end in ends] == [endings[int(code)].name for code in played["termination"]]


@pytest.mark.parametrize("name", first(1, ["star/default", "chatra/9x9", "rengo/othello8"]))
def test_games_of_other_families_are_read_from_the_workbenchs_text(name: str, tmp_path: Path) -> None:
    ruleset = rulesets.load_ruleset(name)
    played = random_games(ruleset, 3, 60)
    words = opening_texts(ruleset.game, ruleset.codes(), played["opening"])
    path = written(tmp_path, *(f"{name} | a - b | #1 | draw (cap, 3)\n{text}\n\n" for text in words))
    assert lines_of(read(path, name)) == [line[line >= 0].tolist() for line in played["opening"]]


def test_packed_files_are_read_and_one_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.pgn.bz2"
    path.write_bytes(bz2.compress(pgn(MATE).encode()))
    assert len(lines_of(read(path, "chess/orthodox"))[0]) == 4
    with pytest.raises(InputError, match=r"some\.pgn\.zst"):
        read(written(tmp_path, "no archive", name="some.pgn.zst"), "chess/orthodox")


@pytest.mark.parametrize(
    ("ruleset", "moves", "ply", "move", "kind", "reason"),
    [
        ("chess/orthodox", "1. e4 e5 2. Ke3", 3, "Ke3", reading.ILLEGAL, "no king of White can move to e3"),
        ("chess/orthodox", "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# Kxf7", 8, "Kxf7", reading.AFTER_END, "no legal"),
        ("chess/orthodox", "1. e4 -- 2. d4", 2, "--", reading.UNREADABLE, "is not a move"),
        ("chess/no-castling", "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O", 7, "O-O", reading.ILLEGAL, "Castling"),
        ("draughts/english", "1. 11-15 22-18 2. 9-14", 3, "9-14", reading.ILLEGAL, "Capturing is obligatory"),
    ],
)  # fmt: skip
def test_an_illegal_game_is_named(
    ruleset: str, moves: str, ply: int, move: str, kind: str, reason: str, tmp_path: Path
) -> None:
    (part,) = read(written(tmp_path, pgn("*"), pgn(moves), pgn("*")), ruleset)
    one, wrong, other = sorted(part.problems, key=lambda one: one.game)
    assert one.kind == other.kind == reading.NO_MOVES
    assert (wrong.game, wrong.line, wrong.ply, wrong.move, wrong.kind) == (2, 8, ply, move, kind)
    assert reason in wrong.reason and reason in wrong.text and "some.pgn:8: game 2, ply" in wrong.text
    assert not part.details


THREE_CHECK = "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qh5+ g6 5. Qxg6+ 1-0"
START = "W:W31-50:B1-20"


@pytest.mark.parametrize(
    ("ruleset", "text", "games", "wrong"),
    [
        ("chess/orthodox", f'[Variant "Three-check"]\n\n{THREE_CHECK}', [], [reading.OTHER_GAME]),
        ("chess/three-check", f'[Variant "Three-check"]\n\n{THREE_CHECK}', [(9, "first", "checks")], []),
        ("draughts/international", '[GameType "20"]\n1. 32-28 2-0', [(1, "first", "unknown")], []),
        ("chess/orthodox", '[Result "1-0"]\n[Termination "Abandoned"]', [], [reading.NO_MOVES]),
        ("chess/orthodox", '[A "1"]\n\n 0-1\n\n[A "2"]\n\n1. d4 0-1', [(1, "second", "unknown")], [reading.NO_MOVES]),
        ("chess/orthodox", '[Result "1/2-1/2"]\n1. e4 0-1', [(1, "draw", "unknown")], [reading.TWO_RESULTS]),
        ("chess/orthodox", '[Result "White wins"]\n1. e4', [(1, "unfinished", "no-result")],
         [reading.UNREADABLE_RESULT]),
        ("chess/orthodox", '[PlyCount "80"]\n1. e4 1-0', [(1, "first", "unknown")], [reading.PLY_COUNT]),
        ("chess/orthodox", '[PlyCount "1"]\n1. e4 1-0', [(1, "first", "unknown")], []),
        ("chess/orthodox", f"{MATE[:-3]}1-0", [(4, "second", "mate")], [reading.CONTRADICTED]),
        ("chess/orthodox", '[FEN ""]\n1. e4 *\n[FEN "?"]\n1. e4 *', [(1, "unfinished", "no-result")] * 2, []),
        ("chess/orthodox", f'[FEN "{chess.STARTING_FEN[:-4]}"]\n1. e4 *', [(1, "unfinished", "no-result")], []),
        ("chess/orthodox", '[FEN "nonsense"]\n1. e4 *', [], [reading.OTHER_START]),
        ("draughts/international", f'[FEN "{START}"]\n1. 32-28 12-0', [(1, "first", "unknown")], []),
        ("draughts/international", "1. 32- 28 19 - 23 2. 28:19 14x23 8-4", [(4, "first", "unknown")], []),
        ("draughts/international", "01. 32-28 19-23 02. 2819 1-1", [(3, "draw", "unknown")], []),
        ("draughts/russian", "1.C3-D4 d6:c5 *\n1. c3d4 *", [(1, "unfinished", "no-result")], [reading.ILLEGAL]),
        ("chess/orthodox", "1. e4 d5 2. ed Qxd5 3. Nc3 Qe5+ 4. Be2 N b5 5. Nf3 ⩲ b4 6. o-o bc 7. bc Qxe2 8. Qxe2 1-0",
         [(15, "first", "unknown")], []),
        ("chess/orthodox", "1. a4 b5 2. ab a6 3. ba Bb7 4. axb7 g6 5. bxa8(N) g5 1-0", [(10, "first", "unknown")], []),
        ("chess/orthodox", "1. e4 f5 2. e5 d5 3. exd6e.p. c5 4. d6xe7 Kd7 5. exd8/Q#1-0",
         [(9, "first", "unknown")], []),
        ("chess/crazyhouse", "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe5+ 4. Be2 P@d3 5. P@d4 *",
         [(9, "unfinished", "no-result")], []),
    ],
)  # fmt: skip
def test_games_are_read_or_left_out_by_name(
    ruleset: str, text: str, games: list[tuple[int, str, str]], wrong: list[str], tmp_path: Path
) -> None:
    (part,) = read(written(tmp_path, text), ruleset)
    plies = [len(line) for line in lines_of([part])]
    found = [(ply, told.end.result, told.end.termination) for ply, told in zip(plies, part.details, strict=True)]
    assert (found, [one.kind for one in part.problems]) == (games, wrong), [one.text for one in part.problems]


def test_what_is_wrong_is_named_in_the_order_of_games_behind_a_heading(tmp_path: Path) -> None:
    games = (pgn("1. e4", "1-0", PlyCount="7"), pgn("1. e5"))
    (part,) = read(written(tmp_path, "Games of the club\n\n", *games), "chess/orthodox")
    kinds = [(1, reading.UNREADABLE), (2, reading.PLY_COUNT), (3, reading.ILLEGAL)]
    assert [(one.game, one.kind) for one in part.problems] == kinds


def test_games_of_the_workbench_under_another_ruleset_are_another_game(tmp_path: Path) -> None:
    text = "{} | a - b | #1 | draw (cap, 2)\ne4 e5\n\n"
    path = written(tmp_path, *map(text.format, ("chess/orthodox", "chess/three-check", "chess/no-castling")))
    for ruleset, numbers in (("chess/orthodox", [1]), ("chess/no-castling", [1, 3]), ("chess/three-check", [2])):
        assert [number for part in read(path, ruleset) for number in part.numbers.tolist()] == numbers


def test_games_from_an_array_of_ones_own_are_read(tmp_path: Path) -> None:
    board = "nrbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN"
    own = "game: chess\nextends: orthodox\ntitle: Own array\ntitle_ja: 自作\nrules:\n  start_position: "
    path = tmp_path / "own.yaml"
    path.write_text(f"{own}{board} w KQkq\n", encoding="utf-8")
    ruleset = rulesets.load_ruleset(path)
    moves = "1. g3 g6 2. Bg2 Bg7 3. O-O O-O"
    written_games = [pgn(moves, Variant=name, FEN=f"{board} w {rights} - 0 1") for name, rights in (
        ("Chess960", "GBgb"), ("fischerandom", "KQkq"), ("From Position", "KQkq"), ("Atomic", "KQkq"),
        ("Chess960", "-"),
    )]  # fmt: skip
    (part,) = reading.GameReader(ruleset).read(written(tmp_path, *written_games, pgn(moves, Variant="Standard")))
    assert part.numbers.tolist() == [1, 2, 3]
    assert [one.kind for one in part.problems] == [reading.OTHER_GAME, reading.OTHER_START, reading.OTHER_GAME]


def test_tags_stay_with_their_game(tmp_path: Path) -> None:
    head = '[WhiteElo "1500?"]\n[BlackElo "1400"]\n[Termination "Time forfeit"]\n'
    (part,) = read(written(tmp_path, f'{head}\n0-1\n\n[Event "y"]\n1. d4 1-0\n{head}\n1. e4 1-0'), "chess/orthodox")
    assert [(told.first_rating, told.second_rating, told.end.termination) for told in part.details] == [
        (None, None, "unknown"), (1500, 1400, "time"),
    ]  # fmt: skip


def test_a_race_that_black_cannot_answer_has_ended(tmp_path: Path) -> None:
    ruleset = rulesets.load_ruleset("chess/racing-kings")
    played = random_games(ruleset, 60, 200)
    lines = [line[line >= 0] for line in played["opening"]]
    # White has arrived, and Black's last move, which sites do not ask for, is left out.
    cut = [line[:-1] for line, plies in zip(lines, played["plies"], strict=True) if plies % 2 == 0]
    room = max(map(len, cut))
    padded = np.array([[*line, *[-1] * (room - len(line))] for line in cut], np.int32)
    words = opening_texts(ruleset.game, ruleset.codes(), padded)
    head = '[Variant "Racing Kings"]\n[Result "1-0"]\n[Termination "Normal"]\n\n'
    (part,) = read(written(tmp_path, *(f"{head}{text}\n\n" for text in words)), ruleset.name)
    ends = {tuple(told.end) for told in part.details}
    assert ("first", "flag", False) in ends and ends <= {("first", "flag", False), ("first", "resignation", False)}


def test_games_that_begin_elsewhere_or_never_end_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = chess.STARTING_FEN
    elsewhere = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1"
    path = written(tmp_path, pgn(MATE, FEN=start), pgn(MATE, FEN=elsewhere), pgn("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6"))
    monkeypatch.setattr(reading, "MAX_PLIES", 6)
    (part,) = read(path, "chess/orthodox")
    assert [one.kind for one in part.problems] == [reading.OTHER_START, reading.TOO_LONG]


def test_people_may_play_on_after_a_draw_that_nobody_claims(tmp_path: Path) -> None:
    moves = "Nf3 Nf6 Ng1 Ng8 " * 3 + "e4"
    (part,) = read(written(tmp_path, pgn(moves, "1-0", Termination="Time forfeit")), "chess/orthodox")
    assert part.details[0].end == ("first", "time", False)
    assert part.block.fields[0, 5] == 8


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "found an empty file"),
        ("\nDear Sir,\n", 2, "found 'Dear Sir,'"),
        ('{"moves": ["e4"]}\n{"move": 1}\n', 2, "an object containing its moves"),
        ("chess/orthodox | a - b | #1 | draw (cap, 1)\ne4\n\nhello\n", 4, "expected a line such as"),
    ],
)
def test_files_that_hold_no_games_are_refused_with_the_line(
    text: str, line: int | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(written(tmp_path, text), "chess/orthodox")
    assert caught.value.problems[0].line == line


@pytest.mark.parametrize(
    ("result", "by", "position", "expected"),
    [
        ("0-1", "Time forfeit", (0, ""), ("second", "time")), ("1/2-1/2", "Normal", (0, ""), ("draw", "agreement")),
        ("*", "unterminated", (0, ""), ("unfinished", "no-result")), ("2-0", "", (0, ""), ("first", "unknown")),
        ("0-1", "Normal", (2, "mate"), ("second", "mate")), ("*", "", (1, "mate"), ("first", "mate")),
        ("0-1", "Time forfeit", (3, "repetition"), ("second", "time")), ("draw", "cap", (0, ""), ("draw", "cap")),
    ],
)  # fmt: skip
def test_results_of_people_are_theirs_and_ends_by_the_rules_are_the_rules(
    result: str, by: str, position: tuple[int, str], expected: tuple[str, str]
) -> None:
    end = game_end(GameText(1, {"Result": result, "Termination": by}, is_ours=by == "cap"), *position)
    assert (end.result, end.termination) == expected and not end.contradicts


@pytest.mark.parametrize("position", [(2, "mate"), (3, "stalemate")])
def test_a_file_does_not_overrule_an_end_by_the_rules(position: tuple[int, str]) -> None:
    end = game_end(GameText(1, {"Result": "1-0"}), *position)
    assert end == (RESULTS[position[0]], position[1], True)


def test_a_draw_counts_as_the_rules_say() -> None:
    assert game_end(GameText(1, {"Result": "1/2-1/2"}), 0, "", 2) == ("second", "unknown", False)
    assert game_end(GameText(1, {"Result": "0-1"}), 3, "stalemate", 2) == ("second", "stalemate", False)


def test_endings_of_people_have_names_of_their_own() -> None:
    taken = {one.name for one in ENGINE_ENDINGS.values()}
    taken |= {one.name for family in games.names() for one in games.declaration(family).terminations.values()}
    assert not taken & {"resignation", "agreement", "time", "abandoned", "awarded", "unknown", "no-result"}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(3)
    parts = []
    for number in range(40):
        game = chess.pgn.read_game(io.StringIO(decorated(rng)[0]))
        assert game
        rating = 1500 if number % 2 else 1900
        game.headers.update(Event="Club", WhiteElo=str(rating), BlackElo=str(rating + 60), UTCDate="2024.05.31")
        game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2"])
        parts.append(f"{game}\n\n")
    parts.append(pgn("1. e5", "1-0"))
    return written(tmp_path_factory.mktemp("club"), *parts, name="club.pgn")


@pytest.fixture(scope="module")
def imported(club: Path) -> pd.DataFrame:
    under = ["chess/no-castling", "chess/pawn-one-square", "chess/stalemate-wins"]
    return wb.read_games(club, "chess/orthodox", club.parent / "report", under=under)


def test_records_of_people_are_those_of_a_run_and_more(imported: pd.DataFrame, club: Path) -> None:
    assert len(imported) == 40
    assert imported["first"].value_counts().to_dict() == {"people-1200-1599": 20, "people-1600-1999": 20}
    low = imported[imported["first"] == "people-1200-1599"]
    assert set(low["first_rating"]) == {1500} and set(low["second_rating"]) == {1560}
    assert set(imported["date"]) == {"2024.05.31"} and set(imported["event"]) == {"Club"}
    assert set(imported["source_file"]) == {"club.pgn"} and sorted(imported["source_game"]) == list(range(1, 41))
    assert list(low["game"]) == list(range(20)) and set(imported["termination"]) >= {"unknown"}
    problems = pd.read_csv(club.parent / "report" / importing.PROBLEMS)
    left_out = problems[problems["left_out"]]
    assert left_out[["file", "game", "ply", "move"]].to_numpy().tolist() == [["club.pgn", 41, 1, "e5"]]
    assert set(problems.loc[~problems["left_out"], "kind"]) <= set(reading.REMARKS) and problems["reason"].notna().all()
    assert wb.load(club.parent / "report").equals(imported)


def test_games_of_people_are_replayed_and_told_ply_by_ply(imported: pd.DataFrame) -> None:
    trial = imported.iloc[7]
    game = wb.replay(trial)
    assert len(game.moves) == trial["plies"] and " ".join(game.moves[:6]) == trial["opening"]
    plies = wb.moves(imported, ["trial", "ply", "event_captures"])
    assert len(plies) == imported["plies"].sum()
    assert plies.groupby("trial")["event_captures"].sum().equals(imported["event_captures"].rename_axis("trial"))


def test_other_rules_forbid_what_they_forbid(imported: pd.DataFrame, club: Path) -> None:
    under = provenance.load_provenance(club.parent / "report")["people"]["chess/orthodox"]["under"]
    plies = wb.moves(imported, ["trial", "ply", "event_castlings", "text"])
    castled = plies[plies["event_castlings"] > 0].groupby("trial")["ply"].min()
    found = pd.Series(dtype=int)
    assert not any(one["other_result"] for one in under["chess/stalemate-wins"].values())
    for label, one in under["chess/no-castling"].items():
        of_band = castled[imported.loc[castled.index, "first"] == label]
        assert one["legal"] == 20 - len(of_band) and one["other_result"] == 0
        assert {int(ply): count for ply, count in one["plies"].items()} == of_band.value_counts().to_dict()
        assert all("castlings" in kind.split(",") for kind in one["kinds"])
        found = pd.concat([found, of_band])
    assert len(found), "nobody castled"
    for one in under["chess/pawn-one-square"].values():
        assert one["legal"] < 3 and all(example["reason"]["ja"] for example in one["examples"][""])


def test_captures_are_the_same_by_what_they_take_whatever_their_number_and_name(tmp_path: Path) -> None:
    """Under each other's rules games of draughts go as far as a person finds who types the moves."""
    base, other = (rulesets.load_ruleset(f"draughts/{name}") for name in ("english", "pool"))
    played = random_games(base, 30, 80)
    words = opening_texts(base.game, base.codes(), played["opening"])
    path = written(tmp_path, *(f"{base.name} | a - b | #1 | draw (cap, 3)\n{text}\n\n" for text in words))
    (part,) = read(path, base.name)
    difference = Difference()
    Proposal(base, other).follow(part, ["all"] * 30, {"all": difference}, path.name)
    plies: Counter[int] = Counter()
    for line in lines_of([part]):
        mine, theirs = (GameState(each.game, each.codes()) for each in (base, other))
        names = {name: notation.names(theirs.rules)[bit] for bit, name in notation.names(mine.rules).items()}
        for move in line:
            text = re.sub("[0-9]+", lambda number: names[number[0]], notation.full(mine.rules, mine.state, move))  # noqa: B023
            if theirs.outcome()[0] or theirs.why_not(text):
                plies[mine.plies + 1] += 1
                break
            mine.push(move)
            theirs.push_text(text)
    assert difference.plies == plies and sum(plies.values()) > 10
    reasons = [one["reason"]["en"] for named in difference.examples.values() for one in named]
    assert not [reason for reason in reasons if "occupied" in reason or "There is" in reason]


def test_the_report_tells_of_people(imported: pd.DataFrame, club: Path) -> None:
    page = wb.write_report(club.parent / "report").read_text(encoding="utf-8")
    assert "people rated 1200–1599" in page and "Castling is not allowed." in page and "別のルールで見ると" in page
    assert "from their seeds" not in page
    assert wb.summary(imported)["games"].tolist() == [20, 20]
    assert (club.parent / "report" / "people-under-0.png").is_file()


def test_bands_of_a_few_games_are_one_with_the_next(tmp_path: Path) -> None:
    ratings = [900] * 3 + [1300] * 20 + [1700] * 40 + [2100] * 60 + [2500] * 2 + [2900]
    path = written(tmp_path, *(pgn(MATE, "0-1", WhiteElo=str(each), BlackElo=str(each)) for each in ratings), pgn(MATE))
    records = wb.read_games(path, "chess/orthodox", tmp_path / "out", under=["chess/no-castling"])
    assert records["first"].value_counts().to_dict() == {
        "people-800-1599": 23, "people-1600-1999": 40, "people-2000-3199": 63, "people": 1,
    }  # fmt: skip
    assert records.groupby("first")["game"].apply(list).map(lambda numbers: numbers == list(range(len(numbers)))).all()
    under = provenance.load_provenance(tmp_path / "out")["people"]["chess/orthodox"]["under"]["chess/no-castling"]
    assert {label: one["legal"] for label, one in under.items()} == records["first"].value_counts().to_dict()


def test_an_import_replaces_an_earlier_one_and_no_run(imported: pd.DataFrame, club: Path, tmp_path: Path) -> None:
    fewer = wb.read_games(club, "chess/orthodox", tmp_path / "some", games=5)
    assert len(fewer) == 5
    assert len(wb.read_games(club, "chess/orthodox", tmp_path / "some", games=7, band=1000)) == 7
    wb.run(rulesets=["chess/orthodox"], agents=["random"], games=2, max_plies=20, out=tmp_path / "run", workers=1)
    with pytest.raises(InputError, match="found the records of a run"):
        wb.read_games(club, "chess/orthodox", tmp_path / "run")


def test_people_stand_beside_players(club: Path, tmp_path: Path) -> None:
    """The players' games are those of their run, and are still played again from their seeds."""
    run = wb.run(
        rulesets=["chess/orthodox", "chess/no-castling"], agents=["random"], games=4, max_plies=60,
        out=tmp_path / "run", workers=1, seed=4,
    )  # fmt: skip
    both = wb.read_games(club, "chess/orthodox", tmp_path / "both", beside=tmp_path / "run")
    assert both["first"].value_counts().to_dict() == {
        "people-1200-1599": 20, "people-1600-1999": 20, "random": 8,
    }  # fmt: skip
    players = both[both["first"] == "random"]
    assert list(players["game_hash"]) == list(run["game_hash"])
    assert len(wb.replay(players.iloc[0]).moves) == players.iloc[0]["plies"]
    page = wb.write_report(both).read_text(encoding="utf-8")
    assert "random" in page and "people rated 1200–1599" in page
    with pytest.raises(InputError, match="import all files together"):
        wb.read_games(club, "chess/orthodox", tmp_path / "again", beside=tmp_path / "both")


def test_players_of_a_ladder_are_asked_what_they_would_have_played(
    club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.runs.worker import engine_digests

    ladder = {
        "engine": engine_digests(["chess"])["chess"],
        "players": [
            {"player": "random", "options": {"kind": "random"}, "elo": {"value": 0.0}},
            {"player": "greedy", "options": {"kind": "greedy"}, "elo": {"value": 300.0}},
        ],
    }
    with monkeypatch.context() as kept:
        kept.setattr("workbench.records.provenance.saved_ladders", lambda reports, rules: iter([ladder]))
        wb.read_games(club, "chess/orthodox", tmp_path / "asked", positions=6)
    said = provenance.load_provenance(tmp_path / "asked")["people"]["chess/orthodox"]["rungs"]
    assert list(said) == ["greedy"]
    assert all(0 <= agrees <= asked == 6 for agrees, asked in said["greedy"]["agrees"].values())
    assert "greedy" in wb.write_report(tmp_path / "asked").read_text(encoding="utf-8")


def test_the_command_reads_reports_and_names_what_is_left_out(club: Path, tmp_path: Path) -> None:
    words = ("import-games", str(club), "--ruleset", "chess/orthodox", "--out", str(tmp_path / "new"))
    said = printed(*words, "--games", "40", "--positions", "0")
    assert "40 games were recorded." in said and (tmp_path / "new" / "report.html").is_file()
    said = printed(*words, "--positions", "0", "--lang", "ja")
    assert "40局を記録しました。" in said and "club.pgn：" in said and "1手目、e5" in said


def test_games_of_people_are_given_out_again(imported: pd.DataFrame, club: Path, tmp_path: Path) -> None:
    words = ("games", str(club.parent / "report"), "--agent", "people-1600-1999", "--n", "20", "--export")
    again = written(tmp_path, printed(*words, "pgn"))
    trials = imported[imported["first"] == "people-1600-1999"]
    parts = read(again, "chess/orthodox")
    assert [len(line) for line in lines_of(parts)] == list(trials["plies"])
    assert [told.end.result for part in parts for told in part.details] == list(trials["result"])
    assert sum("people-1600-1999" in line for line in printed(*words, "text").splitlines()) == 20


def test_the_command_refuses_what_makes_no_sense(club: Path, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "x"))
    assert "no such file" in refused("import-games", "nothing.pgn", "--ruleset", "chess/orthodox", *out).lower()
    said = refused("import-games", str(club), "--ruleset", "chess/orthodox", "--under", "star/default", *out)
    assert "--under" in said and "expected a ruleset of chess, found star/default" in said
    said = refused("import-games", str(club), "--ruleset", "draughts/english", *out)
    pie = wb.ruleset("chess/orthodox").derive(swap="after-first")
    with pytest.raises(InputError, match="without the pie rule"):
        wb.read_games(club, pie, tmp_path / "x")
    assert "none of its games is legal under draughts/english" in said and "is not a move" in said
    assert "workbench import-games games.pgn" in call("import-games", "--help").output
