"""Files of games as text: where a game begins and ends, what is a move, which result is meant and how games ended."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.pgn
import pytest

from workbench.addons.people import reading
from workbench.games.draughts import notation
from workbench.rules import rulesets

TWO = '[Event "x"]{0}[Result "1-0"]{0}{0}1. e4 e5 2. Nf3 1-0{0}{0}[Event "y"]{0}{0}1. d4 0-1{0}'


def split(text: str) -> list[reading.GameText]:
    return [game for _, game in reading.split_games(text, 1)]


def words(text: str) -> list[str]:
    return [" ".join(game.words) for game in split(text)]


@pytest.mark.parametrize(
    ("text", "games"),
    [
        (TWO.format("\n"), ["e4 e5 Nf3", "d4"]),
        (TWO.format("\n  "), ["e4 e5 Nf3", "d4"]),
        (TWO.format("\n\t"), ["e4 e5 Nf3", "d4"]),
        (TWO.format(" "), ["e4 e5 Nf3", "d4"]),
        ('[Event "a"]\n  1. 33-28 18-22\n2. 38-33\n\t12-18\n  2-0\n', ["33-28 18-22 38-33 12-18"]),
        ('[Result "1-0"] 1. e4 e5\n[Result "1-0"] 1. d4\n', ["e4 e5", "d4"]),
        ("1. e4 e5 1-0\n1. d4 d5 2. c4 *\n", ["e4 e5", "d4 d5 c4"]),
        ("1. e4 e5\n1. d4 d5\n", ["e4 e5", "d4 d5"]),
        ("1 e4 e5 2 Nf3\n1 d4\n", ["e4 e5 Nf3", "d4"]),
        ("1. e4 1-0 1. d4 0-1 1. c4 *", ["e4", "d4", "c4"]),
        ("e2e4 e7e5\nd2d4\n", ["e2e4 e7e5", "d2d4"]),
        ("e4 e5 1-0 d4 0-1", ["e4 e5", "d4"]),
        ("1. e4 e5\n2. Nf3\n\n2... Nc6\n3. Bb5", ["e4 e5 Nf3 Nc6 Bb5"]),
        ('[Event "a"]\n\n[Site "b"]\n\n1. e4\n\n1... e5\n\n*', ["e4 e5"]),
        ('[Event "a"]\n[Result "1-0"]\n\n[Event "b"]\n[Result "0-1"]\n\n1. e4 0-1', ["", "e4"]),
        ('[A "1"]\n\n 0-1\n\n[A "2"]\n\n1. d4 e6 1-0', ["", "d4 e6"]),
        ("{About\n[Event \"the\"]\nfile} 1. e4 {[%clk 0:01:00]} e5 ; c5 {\n% (\n2. Nf3", ["e4 e5 Nf3"]),
        ("1. e4 (1. d4 d5 (1... Nf6 {)} 2. c4) 2. Nf3) 1... e5 $1 $20 (1... c5)", ["e4 e5"]),
        ("1.32-28!? 19-23(!?!!!) 2.28x19 *", ["32-28 19-23 28x19"]),
        ("1. ... 7-12 2. 8x17 77. ... *", ["7-12 8x17"]),
        ("1. 33-28, 18-22 2. 39 - 33 1- 7 3. 3228 *", ["33-28 18-22 39 - 33 1- 7 3228"]),
        ("1.c3-d4 d6:c5* 2.a3b4 1:0", ["c3-d4 d6:c5* a3b4"]),
        ("12.5-10", ["5-10"]),
        ("1. Nf3 ⩲ d5 ± +/= N D ∞ 2. e4 mate de e.p. +- 3. --!", ["Nf3 d5 e4 de --"]),
        ("1. Qxf7#1-0", ["Qxf7#"]),
        ('[Event "a"]\n1. e4 e5 [ECO "C20"] 2. Nf3\n[Result "1-0"]\n\n[Event "b"]\n\n1. d4', ["e4 e5 Nf3", "d4"]),
        ('1. e4 e5\n[Result "1-0"]\n1. d4', ["e4 e5", "d4"]),
        ("翻*g6 *b2 c2+ 1-0", ["翻*g6 *b2 c2+"]),
        ("Our games\n\n[White \"a\"]\n1. e4", ["Our games", "e4"]),
        ("1. e4 {oh\n\n1. d4} e5", ["e4 e5"]),
    ],
)  # fmt: skip
def test_lines_and_marks_do_not_decide_where_a_game_begins(text: str, games: list[str]) -> None:
    assert words(text) == games


def test_tags_belong_to_their_game() -> None:
    first, second = split('[WhiteElo "1000"]\n[Termination "Abandoned"]\n\n 0-1\n\n[Event "y"]\n\n1. d4 e6 1-0')
    assert (first.tags, first.words, first.results) == ({"WhiteElo": "1000", "Termination": "Abandoned"}, [], ["0-1"])
    assert (second.tags, second.line) == ({"Event": "y"}, 6)
    assert split('[RESULT "1-0"]\n[Fen "x"]\n[eco "y"]')[0].tags == {"Result": "1-0", "FEN": "x", "eco": "y"}
    (quoted,) = split(r'[White "J. "Bo" Doe"] [Black "O\"x\\"] 1. e4')
    assert quoted.tags == {"White": 'J. "Bo" Doe', "Black": 'O"x\\'}


@pytest.mark.parametrize(
    ("text", "faults", "games"),
    [
        ("1. e4 (1. d4 d5 1-0", {reading.UNCLOSED}, 1), ("1. e4 {comment", {reading.UNCLOSED}, 1),
        ("1. e4 { a { b } c } e5", {reading.UNCLOSED}, 1), ("1. e4 e5) 2. Nf3", {reading.UNCLOSED}, 1),
        ('1. e4 {oh\n\n[Event "b"]\n\n1. d4 {fine} 1-0', {reading.UNCLOSED}, 2),
        ("1. e4 {oh e5 1-0\n\n1. d4 1-0", {reading.UNCLOSED}, 2),
        ('1. e4 (1. d4\n\n[Event "b"]\n\n1. d4 1-0', {reading.UNCLOSED}, 2),
        ("1. e4 e5 1-0 2. Nf3 Nc6", {reading.STRAY_MOVES}, 1), ("1. e4 e5 1-0 Nf3", {reading.STRAY_MOVES}, 1),
        ("2. Nf3 Nc6 1-0", {reading.STRAY_MOVES}, 1), ('[Event "a"]\n[Event "b"]\n1. e4', {reading.REPEATED_TAG}, 1),
        ('[Event "a"]\n[Site b]\n[Round "1"]\n1. e4', {reading.BROKEN_TAG}, 1),
        ('[Event "a"]]\n[Result "1-0"]\n\n1. e4 [1] e5', {reading.BROKEN_TAG}, 1), ('[FEN "x"]\n23. Nf3', set(), 1),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_text_is_noted(text: str, faults: set[str], games: int) -> None:
    first, *others = split(text)
    assert set(first.faults) == faults and len(others) == games - 1 and not any(one.faults for one in others)


@pytest.mark.parametrize("chunk", [7, 64, 1000])
def test_a_file_is_read_in_pieces_of_any_size(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = '{a\n\n1. d4 d5\n[Event "no"] }'
    text = "".join(f'[Event "{n}"]\n\n1. e4 {comment}\n1... e5 (1... c5)\n2. Nf3 1-0\n\n' for n in range(30))
    path = tmp_path / "some.pgn"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(reading, "CHUNK", chunk)
    found = list(reading.read_games(path))
    assert [(game.tags["Event"], game.line, game.words) for game in found] == [
        (str(n), 1 + 9 * n, ["e4", "e5", "Nf3"]) for n in range(30)
    ]


@pytest.mark.parametrize(
    "written",
    [
        '[White "Müller"]\r\r1. e4 e5\r\r[White "Öz"]\r\r1. d4\r'.encode(),
        '[White "Müller"]\r\n\r\n1. e4 e5\r\n\r\n[White "Öz"]\r\n\r\n1. d4\r\n'.encode("cp1252"),
        '\ufeff[White "Müller"]\n\n1. e4\u200b e5\n\ufeff[White "Öz"]\n\n1. d4'.encode(),
        '[White "Müller"]\n\n1. e4 e5\n\n[White "Öz"]\n\n1. d4'.encode("utf-16"),
    ],
)
def test_line_ends_encodings_and_byte_order_marks(written: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.pgn"
    path.write_bytes(written)
    found = [(game.tags["White"], game.words) for game in reading.read_games(path)]
    assert found == [("Müller", ["e4", "e5"]), ("Öz", ["d4"])]


@pytest.mark.parametrize(
    ("text", "code", "behind"),
    [
        ("1-0", 1, ""), ("0-1", 2, ""), ("1/2-1/2", 3, ""), ("1/2", 3, ""), ("½-½", 3, ""), ("0.5-0.5", 3, ""),
        ("0,5 - 0,5", 3, ""), ("1:0", 1, ""), ("1 - 0", 1, ""), ("1–0", 1, ""), ("+/-", 1, " forfeit"),
        ("-/+", 2, " forfeit"), ("+--", 1, " forfeit"), ("1-0 FF", 1, " FF"), ("2-0", 1, ""), ("1-1", 3, ""),
        ("0-2", 2, ""), ("12-0", 1, ""), ("6-6", 3, ""), ("4-6", 2, ""), ("8-4", 1, ""), ("3-0", 1, ""), ("0-0", 0, ""),
        ("1 1/2 - 1/2", 1, ""), ("0.98-1.02", 2, ""), ("*", 0, ""), ("", 0, ""), ("draw", 3, ""),
    ],
)  # fmt: skip
def test_results_of_every_spelling(text: str, code: int, behind: str) -> None:
    assert reading.read_result(text) == (code, behind)
    if text and code and text[:1].isdigit() and " FF" not in text and text not in ("4-6", "8-4", "0.98-1.02"):
        (game,) = split(f"1. 31-27 {text}\n")
        assert (game.words, game.results) == (["31-27"], [text])


@pytest.mark.parametrize("text", ["White wins", "+/=", "1-", "e4"])
def test_what_is_no_result(text: str) -> None:
    assert reading.read_result(text) is None


@pytest.mark.parametrize(
    ("word", "tag", "result"),
    [("8-4", "", True), ("4-6", "*", True), ("9-14", "", False), ("8-4", "1-0", False), ("9-14", "9-14", True)],
)
def test_a_last_word_that_is_no_move_may_be_points(word: str, tag: str, result: bool) -> None:
    assert reading.is_result(word, tag) == result


@pytest.mark.parametrize(
    ("by", "ending"),
    [
        ("Timothy won by resignation", "resignation"), ("AwardWinner won by resignation", "resignation"),
        ("Sometimes won on time", "time"), ("Mr Time won - game abandoned", "abandoned"), ("Time forfeit", "time"),
        ("time forfeit", "time"), ("Normal", "resignation"), ("Abandoned", "abandoned"), ("", "unknown"),
        ("Rules infraction", "awarded"), ("illegal move", "awarded"), ("stalled connection", "abandoned"),
        ("adjudication", "awarded"), ("TCEC win rule", "awarded"), ("checkmate", "unknown"), ("Unknown", "unknown"),
        ("something untimely", "unknown"),
    ],
)  # fmt: skip
def test_how_a_game_ended_is_asked_of_whole_words(by: str, ending: str) -> None:
    assert reading.game_end(reading.GameText(1, {"Result": "1-0", "Termination": by}), 0, "") == (
        "first",
        ending,
        False,
    )


def test_details_of_an_end_have_tags_of_their_own() -> None:
    drawn = {"Result": "1/2-1/2", "Termination": "normal", "TerminationDetails": "TCEC draw rule"}
    assert reading.game_end(reading.GameText(1, drawn), 0, "").termination == "awarded"
    assert (
        reading.game_end(
            reading.GameText(1, {"Result": "1-0", "ICCResult": "Black forfeits on time"}), 0, ""
        ).termination
        == "time"
    )


@pytest.mark.parametrize(
    ("comment", "ending"),
    [
        ("White forfeits on time", "time"), ("Black resigns.", "resignation"), ("Anna resigned", "resignation"),
        ("Black ran out of time", "time"), ("White makes an illegal move: e2e9", "awarded"),
        ("-1.2/20 0.1s, Black loses on time", "time"), ("+M3/9 1s, White wins by adjudication", "awarded"),
        ("White is better, but in time trouble", "unknown"), ("and White wins a pawn in time", "unknown"),
    ],
)  # fmt: skip
def test_a_comment_tells_the_end_only_as_servers_do(comment: str, ending: str) -> None:
    assert reading.game_end(reading.GameText(1, {}, results=["1-0"], comment=comment), 0, "").termination == ending


def test_the_end_that_every_move_leads_to_is_that_end() -> None:
    game = reading.GameText(1, {"Result": "1-0", "Termination": "Normal"})
    assert reading.game_end(game, 0, "", forced=(1, "flag")).termination == "flag"
    assert reading.game_end(game, 0, "", forced=(2, "flag")).termination == "resignation"
    assert (
        reading.game_end(
            reading.GameText(1, {"Result": "1-0", "Termination": "Time forfeit"}), 0, "", forced=(1, "flag")
        )[1]
        == "time"
    )


def test_a_game_without_result_but_a_sign_behind_its_moves_was_forfeited() -> None:
    (game,) = split("1. e4 e5 +/-")
    assert reading.game_end(game, 0, "") == ("first", "awarded", False)
    assert reading.game_end(split("1. e4 +/- e5 0-1")[0], 0, "").result == "second"


@pytest.mark.parametrize(
    ("word", "move"),
    [
        ("gxh1(N)", "gxh1=N"), ("Rd8(N)+", "Rd8+"), ("Nf3(N)", "Nf3"), ("bxa8/Q", "bxa8=Q"), ("b8=q", "b8=Q"),
        ("b8q+", "b8=Q+"), ("e7e8q", "e7e8=Q"), ("o-o", "O-O"),
        ("O–O", "O-O"), ("0-0-0#", "O-O-O#"), ("exd6e.p.", "exd6"), ("exd6ep+", "exd6+"), ("♘f3", "Nf3"),
        ("Nf3⩲", "Nf3"),
        ("Nf3=", "Nf3"), ("33 - 29", "33-29"), ("01-07", "1-7"), ("C3-D4", "c3-d4"), ("c7-b6*", "c7-b6"), ("--", "--"),
        ("=Q", "=Q"), ("N@f3+", "N@f3+"),
    ],
)  # fmt: skip
def test_moves_are_spelled_as_notations_read_them(word: str, move: str) -> None:
    assert reading.normalize_move(word) == move


@pytest.mark.parametrize("name", ["chess/three-check", "chess/king-of-the-hill", "chess/horde", "chess/racing-kings"])
def test_the_names_of_variants_are_those_of_python_chess(name: str) -> None:
    (tag,) = reading.written_tags(rulesets.load_ruleset(name)).values()
    assert str(chess.pgn.Headers({"Variant": tag}).variant().uci_variant).replace("3", "three") == name[6:].replace(
        "-", ""
    )


@pytest.mark.parametrize(
    ("ruleset", "tags", "other"),
    [
        ("chess/orthodox", {"Variant": "Standard"}, ""), ("chess/orthodox", {"Variant": "Three-check"}, "Three-check"),
        ("chess/orthodox", {"Variant": "From Position"}, ""), ("chess/orthodox", {"Variant": "?"}, ""),
        ("chess/orthodox", {"Variant": "Duck Chess"}, "Duck Chess"),
        ("chess/orthodox", {"Variant": "Chess960"}, "Chess960"),
        ("chess/orthodox", {"GameType": "20"}, "20"), ("chess/orthodox", {"GameType": "0,W,8,8,S0"}, ""),
        ("chess/three-check", {"Variant": "3check"}, ""), ("chess/three-check", {"Variant": "Standard"}, "Standard"),
        ("chess/no-castling", {"Variant": "Standard"}, ""), ("chess/no-castling", {"Variant": "No castling"}, ""),
        ("chess/no-castling", {"Variant": "Atomic"}, "Atomic"), ("chess/chess960-0", {"Variant": "chess 960"}, ""),
        ("draughts/frisian", {"GameType": "20,W,10,10,N2,0"}, "20"), ("draughts/frisian", {"GameType": "40"}, ""),
        ("draughts/frysk", {"GameType": "40"}, "40"), ("draughts/frysk", {"GameType": "97"}, ""),
        ("draughts/frysk", {"GameType": "40", "FEN": "W:W46-50:B1-5"}, ""),
        ("draughts/english", {"GameType": "23"}, "23"), ("draughts/international", {"GameType": "99"}, ""),
        ("draughts/giveaway", {"GameType": "21,B,8,8,N1,0"}, "21"), ("draughts/giveaway", {"Variant": "Giveaway"}, ""),
        ("draughts/kingscourt", {"GameType": "21", "FEN": "B:W21-32:B1-12"}, "21"),
        ("draughts/killer", {"GameType": "20"}, ""), ("draughts/huffing", {"GameType": "21"}, ""),
        ("draughts/pool", {"Variant": "American Pool Checkers"}, ""),
        ("draughts/international", {"GameType": "40 , W,10,10"}, "40"),
        ("draughts/english", {"GameType": "21", "Variant": "Standard"}, ""),
        ("draughts/international", {"GameType": "40", "Variant": "Standard"}, "40"),
        ("chess/extinction", {"Variant": "Standard"}, "Standard"), ("chess/placement", {"Variant": "normal"}, "normal"),
        ("chess/los-alamos", {"Variant": "Standard"}, "Standard"), ("chess/los-alamos", {"Variant": "losalamos"}, ""),
        ("chess/los-alamos", {"Variant": "From Position", "FEN": "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w -"}, ""),
        ("chess/los-alamos", {"Variant": "Atomic", "FEN": "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w -"}, "Atomic"),
        ("chess/antichess", {"Variant": "Give away chess"}, ""), ("chess/antichess", {"Variant": "Suicide"}, "Suicide"),
        ("draughts/brazilian", {"GameType": "25"}, "25"), ("draughts/international", {"GameType": "40"}, "40"),
        ("draughts/international", {"GameType": "20,W,10,10,N1,0", "Variant": "Standard"}, ""),
    ],
)  # fmt: skip
def test_which_game_it_is_is_asked_of_the_tags(ruleset: str, tags: dict[str, str], other: str) -> None:
    assert reading.other_game_name(tags, reading.read_names(rulesets.load_ruleset(ruleset))) == other


def test_names_are_kept_of_rulesets_and_numbers_that_are_there() -> None:
    there = {one.fingerprint for one in rulesets.load_all_rulesets()} | {str(number) for number in notation.GAMES}
    assert set(reading.NAMES) <= there
