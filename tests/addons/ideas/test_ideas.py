"""Ideas as designers type them find the toggles that are meant, in English and in Japanese, and are not judged."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import printed
from workbench import games
from workbench.addons.ideas import directions, ideas
from workbench.addons.ideas.text_search import read_synonyms, toggle_index
from workbench.addons.ideas.view import idea_view
from workbench.base.errors import InputError
from workbench.base.language import bilingual, in_all
from workbench.base.project import Project
from workbench.experiments.measures import FAIRNESS
from workbench.games.chess import rules as chess
from workbench.games.declaration import Toggle, Value
from workbench.studio.visitor import Visitor

ROOT = Path(__file__).resolve().parents[3]
LIST: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("ideas.yaml").read_text(encoding="utf-8")
)
ALL = [entry for part in LIST.values() for entry in part]
JAPANESE = re.compile("[ぁ-ヿ㐀-鿿]")


def near(game: str, idea: str) -> list[str]:
    return list(toggle_index(game).nearest(idea))


@pytest.mark.parametrize("japanese", [False, True])
@pytest.mark.parametrize(
    ("part", "number", "share"), [("tuned", 239, 0.9), ("held_out", 49, 0.9), ("new", 30, 0.8), ("later", 28, 0.8)]
)
def test_the_toggles_that_are_meant_are_among_the_first_three(
    part: str, number: int, share: float, japanese: bool
) -> None:
    entries = [entry for entry in LIST[part] if "toggles" in entry]
    assert len(entries) == number
    asked = [entry for entry in entries if bool(JAPANESE.search(entry["idea"])) == japanese]
    missed = [entry["idea"] for entry in asked if not set(entry["toggles"]) <= set(near(**_where(entry))[:3])]
    assert len(asked) - len(missed) >= share * len(asked), missed


def _where(entry: dict[str, Any]) -> dict[str, str]:
    return {"game": entry["game"], "idea": entry["idea"]}


def test_a_variant_that_is_named_is_among_the_nearest_rulesets() -> None:
    wanted = {entry["idea"]: entry for entry in ALL if "ruleset" in entry}
    found = {
        idea: [one.name for one in ideas.match_in_project(idea, entry["game"], Project(ROOT)).rulesets]
        for idea, entry in wanted.items()
    }
    assert len(wanted) >= 10
    assert [idea for idea, entry in wanted.items() if entry["ruleset"] not in found[idea]] == []


@pytest.mark.parametrize(
    ("goal", "game", "toggle", "before", "after", "sign"),
    [
        (directions.DRAWS, "chess", "stalemate", "draw", "loss", -1),
        (directions.DRAWS, "star", "stuck", "loss", "draw", 1),
        (directions.BOARD, "draughts", "size", 8, 10, 1),
        (directions.BOARD, "chess", "stalemate", "draw", "loss", 0),
        (directions.LENGTH, "chatra", "row_wins", 0, 5, -1),
        (directions.LENGTH, "chess", "stalemate", "draw", "loss", 0),
        (directions.LENGTH, "chess", "stalemate_black", "as-white", "loss", 0),
        (FAIRNESS, "chatra", "white_extra_moves", 0, 1, 1),
        (FAIRNESS, "rengo", "komi", 6.5, 5.5, -1),
        (FAIRNESS, "chess", "draw_value", 0.5, 0, 1),
        (FAIRNESS, "chess", "draw_value", 0.5, 1, -1),
    ],
)
def test_a_change_has_the_direction_that_its_rules_say(
    goal: str, game: str, toggle: str, before: Any, after: Any, sign: int
) -> None:
    assert directions.direction(goal, games.declaration(game).toggle(toggle), before, after) == sign


def answer(game: str, idea: str) -> dict[str, Any]:
    view = idea_view(game, idea, Project(ROOT), Visitor("en", "auto"))
    return {**view, "near": {toggle["name"]: {one["setting"]: one["note"] for one in toggle["values"]}
                             for toggle in view["near"]}}  # fmt: skip


def test_the_weaker_side_is_given_something_and_nothing_that_cannot_act() -> None:
    chatra, star = (
        answer("chatra/2008-02", "先手の有利を減らしたい"),
        answer("star/default", "reduce the first player's advantage"),
    )
    assert chatra["near"]["white_extra_moves"] == {"1": "not measured yet"}
    assert "draw_value" not in {**chatra["near"], **star["near"]} and "the strongest players" in star["now"]
    assert "swap" not in star["near"], "it overshoots"


def test_shorter_games_come_from_a_new_end_and_no_board_for_solving() -> None:
    near = answer("chatra/2008-02", "対局を短くしたい")["near"]
    assert list(near["size"]) == ["9"] and near["row_wins"] == {"5": "not measured yet"}


def test_an_idea_that_is_not_understood_is_answered_by_wishes_that_the_game_leaves_open() -> None:
    wishes = answer("chatra/2008-02", "子どもでも遊べるようにしたい")["wishes"]
    assert {"shorter games", "reduce the first player's advantage"} <= set(wishes) and "fewer draws" not in wishes
    assert all(answer("chatra/2008-02", wish)["near"] for wish in wishes)


def test_what_has_nothing_to_do_with_a_game_finds_nothing_in_it() -> None:
    entries = [entry for entry in ALL if "nothing" in entry]
    assert len(entries) == 2
    assert [near(**_where(entry)) for entry in entries] == [[]] * 2


@pytest.mark.parametrize(
    ("game", "idea", "toggle"),
    [
        ("chess", "CASLTING", "castling"), ("chess", "キャスリグ", "castling"), ("chess", "ｷｬｽﾘﾝｸﾞ", "castling"),
        ("chess", "enpassant", "pawn_double_step"), ("chatra", "offsides", "offside"),
    ],
)  # fmt: skip
def test_a_word_that_is_misspelt_is_found(game: str, idea: str, toggle: str) -> None:
    assert toggle in near(game, idea)[:3]


@pytest.mark.parametrize("game", sorted(games.shipped()))
def test_every_toggle_is_found_by_its_name_and_titles(game: str) -> None:
    for toggle in games.declaration(game).toggles:
        for text in (toggle.name, toggle.name.replace("_", " "), *in_all(toggle.title)):
            assert toggle.name in near(game, text)[:3], text


@pytest.mark.parametrize(
    "idea", ["", " ", "the and of", "🦓", "です", "x" * 300, "「」", "0x0", "-", "(((", r"\b.*", "a" * 9999]
)
@pytest.mark.parametrize("game", ["chess", "star"])
def test_no_text_is_too_strange(game: str, idea: str) -> None:
    assert set(near(game, idea)) <= {toggle.name for toggle in games.declaration(game).toggles}


def test_the_command_that_shows_all_values_can_be_typed(in_the_checkout: None) -> None:
    words = shlex.split(printed("idea", "kings don't castle").splitlines()[-1].partition(": ")[2])
    assert words == ["workbench", "idea", "kings don't castle", "--base", "chess/orthodox"]
    assert "castling: never" in printed(*words[1:])


def test_a_new_toggle_is_found_by_its_declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    hill = Toggle(
        "hill", bilingual(en="King on the hill", ja="丘の上のキング"), "", "off",
        values=(
            Value("off", bilingual(en="A summit wins nothing.", ja="頂上に着いても勝ちにはならない。")),
            Value("summit", bilingual(en="Bringing the king to the summit wins.", ja="キングを頂上に進めれば勝ち。")),
        ),
    )  # fmt: skip
    more = replace(chess.DECLARATION, toggles=(*chess.DECLARATION.toggles, hill))
    monkeypatch.setattr(chess, "DECLARATION", more)
    toggle_index.cache_clear()
    try:
        assert all("hill" in near("chess", idea)[:2] for idea in ("the king at the summit", "キングが頂上に着いたら"))
    finally:
        toggle_index.cache_clear()


@pytest.fixture
def synonyms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of synonyms of the star game, which nobody has written yet."""
    monkeypatch.setattr(games, "folder", lambda family: tmp_path)
    for cached in (read_synonyms, toggle_index):
        cached.cache_clear()
    yield tmp_path / "synonyms.yaml"
    for cached in (read_synonyms, toggle_index):
        cached.cache_clear()


def test_synonyms_find_their_toggle(synonyms: Path) -> None:
    assert near("star", "gizmo") == near("star", "ギズモ") == []
    read_synonyms.cache_clear()
    toggle_index.cache_clear()
    synonyms.write_text("words:\n  foul: [gizmo]\ntoggles:\n  swap: [ギズモ]\n", encoding="utf-8")
    assert near("star", "gizmo")[0] == "foul"
    assert near("star", "ギズモ") == ["swap"]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("toggles:\n  foull: [x]\n", ["2: toggles.foull: expected a toggle of star, found 'foull' (did you mean"]),
        ("toggles:\n  foul: x\ntogles: {}\n", ["2: toggles.foul: expected a list", "3: togles: expected a key"]),
        ("words: {a: [[b]]}\nrulesets: [x]\n", ["1: words.a[0]: expected text, found a list", "2: rulesets: expected"]),
        ("toggles: foul\nwords: {}\n", ["1: toggles: expected lists of words, by name, found 'foul'"]),
        ("- a\n", ["expected"]),
        ("words: [\n", [""]),
    ],
)
def test_what_is_wrong_with_a_file_of_synonyms_is_told(synonyms: Path, content: str, problems: list[str]) -> None:
    synonyms.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        near("star", "foul")
    told = [str(problem) for problem in raised.value.problems]
    assert len(told) == len(problems)
    assert all(piece in line and "synonyms.yaml" in line for piece, line in zip(problems, told, strict=True))


def test_synonyms_of_rulesets_name_rulesets_that_there_are() -> None:
    for game in games.shipped():
        for name in read_synonyms(game).rulesets:
            assert (ROOT / f"rulesets/{game}/{name}.yaml").is_file()
