"""What the studio says of ideas: the list of ideas with their verdicts, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.studio import own_project
from workbench import games
from workbench.files.project import Project
from workbench.games.chess import rules as chess
from workbench.games.declaration import Setting, Span, Toggle, Value, equal_settings, setting_text
from workbench.ideas import answers, idea_drawings
from workbench.ideas.answers import Answer, answer_idea
from workbench.ideas.spoken import family_terms
from workbench.ideas.terms import meanings, plain, without_reasons
from workbench.language import given, in_all
from workbench.questions.idea_trial import try_settings
from workbench.studio.drafts import Desk, Draft
from workbench.studio.unsaved import Unsaved

LIST = yaml.safe_load(Path(__file__).with_name("ideas.yaml").read_text(encoding="utf-8"))
FROM = {
    "chatra": "chatra/2007-09",
    "chess": "chess/orthodox",
    "draughts": "draughts/english",
    "rengo": "rengo/go9",
    "star": "star/default",
}
DRAWN = "drawn"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    project = own_project(tmp_path_factory.mktemp("mine"), *FROM)
    return Desk(Project(project), Unsaved(Project(project)))


def answer(desk: Desk, entry: dict[str, Any]) -> tuple[Draft, Answer]:
    game = entry["game"]
    draft = desk.draft(entry.get("from", FROM[game]), "new")
    listed = [(one.name, (one.title, one.title_ja), one.settings) for one in desk.family_rulesets(game)]
    return draft, answer_idea(game, entry["idea"], draft.read().settings, listed)


def is_right(entry: dict[str, Any], given: Answer) -> bool:
    wanted = entry.get("set", {})
    shown = [toggle.name for toggle in given.nearest]
    if not all(fits(given, *one) for one in wanted.items()):
        return False
    if entry["says"] == "can":
        return given.verdict == "can" and shown[0] in wanted
    if entry["says"] == "near":
        return given.verdict == "near" and (bool(given.unsaid) if wanted else shown[0] == entry["nearest"])
    if entry["says"] == "no":
        return given.verdict != "can" and ("nearest" not in entry or entry["nearest"] in shown)
    return given.verdict == "cannot"


def fits(given: Answer, name: str, setting: Setting) -> bool:
    said = given.settings.get(name)
    return said is not None and (equal_settings(said, setting) or (setting == DRAWN and "/" in str(said)))


@pytest.mark.parametrize(("part", "number"), [pytest.param("tuned", 262, marks=pytest.mark.thorough), ("held_out", 71)])
def test_ideas_have_the_verdict_that_a_designer_would_give(desk: Desk, part: str, number: int) -> None:
    entries = LIST[part]
    assert len(entries) == number
    given = [(entry, answer(desk, entry)[1]) for entry in entries]
    wrong = [(entry["idea"], one) for entry, one in given if not is_right(entry, one)]
    assert len(wrong) <= number / 10, wrong
    # What can be said has to be right, always.
    assert [(entry["idea"], one) for entry, one in given if one.verdict == "can" and not is_right(entry, one)] == []


@pytest.mark.parametrize(
    ("game", "idea", "unsaid", "rulesets"),
    [
        ("chatra", "五つ並べたら勝ち", (), ("chatra/five-in-a-row",)),
        ("chatra", "取った駒を持ち駒にする", (), ("chatra/limited-15", "chatra/limited-7", "chatra/limited-10-12")),
        ("chatra", "6×6の盤で、オブジェクトを2つにする", ("オブジェクト", "2つ"), ()),
        ("chess", "no castling, and no pieces may be captured", ("captured",), ("chess/no-castling",)),
        ("star", "no draws", (), ()),
    ],
)
def test_what_is_left_unsaid_is_named_and_so_are_rulesets_that_say_the_same(
    desk: Desk, game: str, idea: str, unsaid: tuple[str, ...], rulesets: tuple[str, ...]
) -> None:
    given = answer(desk, {"game": game, "idea": idea})[1]
    assert set(unsaid) <= set(given.unsaid) and bool(unsaid) == bool(given.unsaid)
    assert given.rulesets[: len(rulesets)] == rulesets and bool(rulesets) == bool(given.rulesets)


@pytest.mark.parametrize(
    ("idea", "rest"),
    [
        ("囲碁のように盤を9路に", "盤を9路に"),
        ("駒を3つから2つに減らす", "駒を2つに減らす"),
        ("先手が有利すぎるので後手に一手多く", "後手に1手多く"),
        ("コミは7目半。先手が有利だから。", "コミは7目半"),
        ("Rooks are too strong, so they move one square", "rooks move one square"),
        ("コミが小さすぎるので7に", "コミ 7に"),
        ("three by three, four-by-four", "3x3, 4x4"),
        ("stalemate loses, because draws are boring", "stalemate loses"),
        ("four in a line win, as in gomoku", "four in a line win"),
        ("so that it ends sooner", "so that it ends sooner"),
        ("knights move like bishops", "knights move like bishops"),
    ],
)
def test_reasons_and_comparisons_are_no_part_of_an_idea(idea: str, rest: str) -> None:
    assert without_reasons(plain(idea)) == rest


@pytest.mark.parametrize(
    ("idea", "sentence", "same"),
    [
        ("先手は最初の手で中央に置けない", "初手に黒がサブジェクトを打ち（中央ゾーンを除く）", True),
        ("Each player has one object", "Each player has one object", True),
        ("パスしてもよい", "パスはできない。", False),
        ("オブジェクトは二つずつ持つ", "", False),
        ("黒は最初にサブジェクトを打てない", "", False),
    ],
)
def test_what_the_rule_book_says_already_is_said_by_its_sentence(
    desk: Desk, idea: str, sentence: str, same: bool
) -> None:
    given = answer(desk, {"game": "chatra", "idea": idea})[1]
    assert (given.written is not None) == bool(sentence) and given.settings == {}
    if given.written:
        assert any(text.startswith(sentence) for text in in_all(given.written.sentence))
        assert (given.verdict == "can") == given.written.same == same


@pytest.mark.parametrize(
    ("base", "idea", "settings", "left"),
    [
        ("chatra/limited-7", "白に一つ多く持ち駒をあげる", {"white_supply": 8}, ""),
        ("chatra/limited-7", "白の持ち駒を2つ減らす", {"white_supply": 5}, ""),
        ("chatra/limited-7", "give White one more subject", {"white_supply": 8}, ""),
        ("chatra/2008-02", "白に一つ多く持ち駒をあげる", {}, "base"),
        ("chatra/2008-02", "白の持ち駒は12個", {"white_supply": 12}, ""),
        ("chatra/2008-02", "後手に一手多く指させる", {"white_extra_moves": 1}, ""),
    ],
)
def test_one_more_is_counted_from_what_the_rules_say(
    desk: Desk, base: str, idea: str, settings: dict[str, Setting], left: str
) -> None:
    given = answer(desk, {"game": "chatra", "idea": idea, "from": base})[1]
    assert (dict(given.settings), given.open) == (settings, left)
    assert given.open != "base" or [one.name for one in given.nearest[:2]] == ["subjects", "white_supply"]


@pytest.mark.parametrize("idea", ["王を取ったら勝ち", "オブジェクトは二つずつ持つ"])
def test_rules_that_share_a_word_with_an_idea_are_no_neighbours(desk: Desk, idea: str) -> None:
    assert answer(desk, {"game": "chatra", "idea": idea})[1].nearest == ()


@pytest.mark.parametrize(
    ("game", "idea", "verdict", "settings", "nearest"),
    [
        ("chess", "a bare king wins", "can", {"bare_king": "loses"}, "bare_king"),
        ("chess", "baring the king wins", "can", {"bare_king": "loses"}, "bare_king"),
        ("chess", "a lone king loses", "can", {"bare_king": "loses"}, "bare_king"),
        ("chess", "bare king is a draw", "near", {}, "bare_king"),
        ("chess", "裸の王は引き分け", "near", {}, "bare_king"),
        ("chess", "引き分けを減らす", "near", {}, "draw_value"),
        ("chess", "a shorter game", "near", {}, "move_limit"),
        ("chess", "short castling", "cannot", {}, ""),
        ("draughts", "men jump men", "near", {}, "men_capture"),
        ("draughts", "no backward capture", "can", {"men_capture": "forward"}, "men_capture"),
    ],
)
def test_a_wish_of_one_word_and_a_word_that_comes_back_mislead_nobody(
    desk: Desk, game: str, idea: str, verdict: str, settings: dict[str, Setting], nearest: str
) -> None:
    given = answer(desk, {"game": game, "idea": idea})[1]
    assert (given.verdict, given.settings) == (verdict, settings)
    assert next((toggle.name for toggle in given.nearest), "") == nearest


def test_what_has_nothing_to_do_with_a_game_finds_nothing_in_it(desk: Desk) -> None:
    entries = [entry for part in LIST.values() for entry in part if entry["says"] == "nothing"]
    assert len(entries) == 6
    assert [given for entry in entries if (given := answer(desk, entry)[1]).nearest or given.settings] == []


@pytest.mark.thorough
def test_what_can_be_said_is_a_draft_without_problems(desk: Desk) -> None:
    for entry in (entry for part in LIST.values() for entry in part if entry["says"] == "can"):
        draft, given = answer(desk, entry)
        trial = try_settings(draft.written, given.settings)
        assert trial.problems == (), entry["idea"]
        assert not set(trial.also) & set(given.settings)


@pytest.mark.parametrize(
    ("base", "wanted", "also"),
    [
        ("draughts/international", {"size": 8}, {"rows": 3}),
        ("chess/orthodox", {"king_moves": "N"}, {"insufficient_material": "play-on"}),
        (
            "chess/orthodox",
            {"goal": "lose-all"},
            {"king": "ordinary", "insufficient_material": "play-on"},
        ),
        ("rengo/go9", {"prices": "碁 free 20"}, {"first_army": "shogi-twenty-stones"}),
        ("star/default", {"size": 4}, {}),
    ],
)
def test_what_does_not_go_together_is_mended_by_few_other_changes(
    desk: Desk, base: str, wanted: dict[str, Setting], also: dict[str, Setting]
) -> None:
    trial = try_settings(desk.draft(base, "new").written, wanted)
    assert trial.problems == ()
    assert also.items() <= trial.also.items() and len(trial.also) <= len(also) + 1


def test_what_cannot_be_mended_is_said(desk: Desk) -> None:
    trial = try_settings(desk.draft("draughts/english", "new").written, {"size": 4, "rows": 5})
    assert "fill the board" in str(trial.problems[0].message)


@pytest.mark.parametrize(
    ("game", "idea", "terms"),
    [
        ("draughts", "\uff18×\uff18", ["8x8"]),
        ("draughts", "8 by 8, 八かける八、8路", ["8x8", "8x8", "8x8"]),
        ("chatra", "三回, three, 42個、四十二個", ["3", "3", "42", "42"]),
        ("chatra", "2マス, two squares", ["2", "square"] * 2),
        ("rengo", "コミ6目半 こみ", ["komi", "6.5", "komi"]),
        ("chess", "キャスリング きゃすりんぐ ｷｬｽﾘﾝｸﾞ castling castles", ["castling"] * 5),
        ("chess", "クイーン クィーン queens", ["queen"] * 3),
        ("chess", "can't, cannot, must not", ["not", "not", "must", "not"]),
        ("chess", "the third check, 三度目のチェック", ["3th", "check", "3th", "check"]),
        ("star", "です。", []),
    ],
)
def test_words_of_one_meaning_are_one_term(game: str, idea: str, terms: list[str]) -> None:
    assert [token.term for token in meanings(game).tokens(idea)] == terms


def test_every_toggle_is_found_by_its_own_title() -> None:
    for name in games.names():
        family = games.declaration(name)
        for toggle in family.toggles:
            for title in in_all(toggle.title):
                found = answer_idea(name, plain(title), family.defaults()).nearest
                assert toggle.name in [near.name for near in found], title


@pytest.mark.parametrize("idea", ["", "the and of", "zebra", "🦓", "です", "x" * 300, "「」", "0x0", "-"])
@pytest.mark.parametrize("game", sorted(games.shipped()))
def test_no_text_is_too_strange(game: str, idea: str) -> None:
    given = answer_idea(game, idea, games.declaration(game).defaults())
    assert given.verdict == "cannot" and given.settings == {}


def _chess_with(*toggles: Toggle) -> Iterator[dict[str, Setting]]:
    more = replace(chess.DECLARATION, toggles=(*chess.DECLARATION.toggles, *toggles))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chess, "DECLARATION", more)
        patch.setattr(answers, "family_terms", cache(family_terms.__wrapped__))
        yield more.defaults()


@pytest.fixture
def defaults() -> Iterator[dict[str, Setting]]:
    """Chess with toggles that somebody has just declared, and of which no list of words has heard."""
    hill = Toggle(
        "hill", given(en="King on the hill", ja="中央に着いたキング"), "", "off",
        values=(
            Value("off", given(en="A king in the centre wins nothing.", ja="キングが中央に着いても勝ちにはならない。")),
            Value("centre", given(en="Whoever brings the king to the centre wins.", ja="キングを中央に進めれば勝ち。")),
        ),
    )  # fmt: skip
    checks = Toggle(
        "check_limit", given(en="Checks that win", ja="勝ちになるチェックの回数"), "", 0,
        values=(Value(0, given(en="Checks win nothing.", ja="チェックの回数では勝ちにならない。")),),
        span=Span(2, 9, given(en="Whoever gives check number {n} wins.", ja="{n}回目のチェックで勝ち。")),
    )  # fmt: skip
    yield from _chess_with(hill, checks)


@pytest.mark.parametrize(
    ("idea", "wanted"),
    [
        ("キングが中央に着いたら勝ち", {"hill": "centre"}),
        ("チェックを5回かけたら勝ち", {"check_limit": 5}),
        ("no castling", {"castling": "never"}),
    ],
)
def test_a_new_toggle_is_found_by_its_declaration(
    defaults: dict[str, Setting], idea: str, wanted: dict[str, Setting]
) -> None:
    given = answer_idea("chess", idea, defaults)
    assert (given.verdict, given.settings) == ("can", wanted)


@pytest.mark.parametrize("game", sorted(games.shipped()))
def test_words_of_a_family_speak_of_what_it_declares(game: str) -> None:
    family, own = games.declaration(game), meanings(game).own
    for name, entries in own["toggles"].items():
        toggle = family.toggle(name)
        allowed = {"about", "area", "than", *(setting_text(value.name) for value in toggle.values)}
        others = {setting_text(key) for key in entries} - allowed
        assert all(toggle.span and (re.fullmatch(r"n(-1)?", key) or toggle.span.allows(int(key))) for key in others), (
            name
        )
    for entry in own.get("names", []):
        for name, setting in entry.get("set", {}).items():
            assert family.toggle(name).allows(setting), entry["call"]
        assert {"set", "says", "near"} & set(entry)
    assert set(meanings(game).general["regions"]) == set(idea_drawings.REGIONS)


def test_arrays_of_chess960_have_scharnagls_numbers() -> None:
    assert idea_drawings.shuffled_array(518).startswith("rnbqkbnr/")
    assert idea_drawings.shuffled_array(959).startswith("rkrnnqbb/")
    assert len({idea_drawings.shuffled_array(number) for number in range(960)}) == 960


@pytest.mark.parametrize(
    ("idea", "setting"),
    [
        ("objects only in the corner zones", "xxxx....xxxx"),
        ("オブジェクトは端から2列に置く", "xxxxxxxxxxxx"),
        ("objects not on the rim", "............"),
        ("objects also in the centre zone", "xxxxxxxxxxxx"),
    ],
)
def test_parts_of_the_board_become_drawings(idea: str, setting: str) -> None:
    given = answer_idea("chatra", idea, games.declaration("chatra").defaults())
    assert str(given.settings["object_area"]).partition("/")[0] == setting


def test_an_area_that_has_a_name_is_called_so() -> None:
    settings = games.declaration("chatra").defaults() | {"object_area": "away-from-centre"}
    given = answer_idea("chatra", "objects not in the centre zone", settings)
    assert given.settings == {"object_area": "away-from-centre"}


def test_an_idea_is_not_sought_in_a_ruleset_with_mistakes(tmp_path: Path) -> None:
    project = own_project(tmp_path, "chess")
    text = "game: chess\ntitle: My Capablanca\nrules:\n  start_position: 10/10/10/10/10/10/10/10 w -\n"
    (project / "rulesets" / "chess" / "my-capablanca.yaml").write_text(text)
    there = Desk(Project(project), Unsaved(Project(project))).family_rulesets("chess")
    assert [one.name for one in there if not one.sound] == ["chess/my-capablanca"]
