"""Commands as a user types them: help, what is wrong in a line, and rulesets in words (rules, show, diff)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import MATE, ROOT, as_json, printed, refused
from workbench.questions import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, workbench.cli; print(' '.join(sys.modules))"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"numpy", "pandas", "numba", "rich", "matplotlib", "pyarrow", "yaml", "joblib"}
    assert heavy & set(completed.stdout.split()) == set()


def test_the_module_runs_as_the_command_does() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "workbench", "rules", "chatar"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == "there is no game 'chatar' (did you mean 'chatra'?)\n"


def test_version() -> None:
    assert printed("--version").startswith("workbench 1.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "chatr"], "did you mean 'chatra'?"),
        (["show", "chatra/2008-03"], "did you mean 'chatra/2008-0"),
        (["diff", "chatra/A", "chatra/D+C"], "did you mean 'chatra/C+D'?"),
        (["show", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (["check", "quikstart"], "did you mean 'quickstart'?"),
        (["run", "quikstart"], "did you mean 'quickstart'?"),
        (["report", "reports/nothing-here"], "there is no such report folder"),
        (["moves", "chatra/9x9", "--moves", "a1 e5"], "ply 2, e5: The opening asks for the object now"),
        (["moves", "chatra/9x9", "--moves", "a1 zz"], "ply 2, zz: 'zz' is not a move"),
        (["moves", "chatra/9x9", "--moves", MATE + " a1"], "the game is over"),
        (["play", "chatra/9x9", "--first", "gredy"], "did you mean 'greedy'?"),
        (["play", "chatra/9x9", "--second", "alphabeta:dept=2"], "did you mean 'depth'?"),
        (["play", "chatra/9x9", "--first", "human", "--json"], "a human plays one game"),
        (["play", "chatra/9x9", "--legal"], "with --json only"),
        (["play", "chatra/9x9", "--seed", "-1"], "--seed"),
        (["perft", "chatra/9x9", "0"], "DEPTH"),
        (["bench", "chatra/9x9", "--agents", "alphabet"], "did you mean 'alphabeta'?"),
        (["bench", "--vs", "gnuchess"], "--vs: "),
        (["signature", "--check", "no-such-file"], "no-such-file: there is no such file"),
        (["schema", "rulesset"], "rulesset"),
        (["idea", " "], "TEXT: expected an idea in a few words, found none"),
        (["idea", "no castling" * 40], "TEXT: expected at most 300 letters, found 440"),
        (["idea", "no castling", "--base", "chess/orthodx"], "did you mean 'chess/orthodox'?"),
        (["list", "ches"], "there is no game 'ches' (did you mean 'chess'?)"),
        (["effects", "chss"], "there is no game 'chss' (did you mean 'chess'?)"),
        (["show", "chess"], "did you mean 'chess/orthodox'?"),
        (["show", "chss"], "did you mean 'chess/orthodox'?"),
        (["ladder", "chss/nothing-of-that-name"], "did you mean 'chess/orthodox'?"),
        (["show", "draughts10"], "did you mean 'rengo/draughts10'?"),
        (["run", "quikstat"], "there is no experiment 'quikstat' (did you mean 'quickstart'?)"),
        (["plan", "chatra_proposals"], "did you mean 'chatra-proposals'?"),
        (["new", "x", "--from", "chatra/AA"], "chatra/A"),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_a_line(words: list[str], said: str) -> None:
    assert said in refused(*words)


# Rulesets in words


def test_rules_lists_every_toggle_with_every_value_and_stars_the_default() -> None:
    from workbench.games.chatra.rules import DECLARATION

    text = printed("rules", "chatra")
    words = " ".join(text.split())
    for toggle in DECLARATION.toggles:
        assert f"{toggle.name}: {toggle.title}" in text
        assert words.count(toggle.source) >= 1
        for value in toggle.values:
            assert value.sentence in words
    assert "  * subject-first:" in text
    assert "    objects-first:" in text
    assert "  * 2 to 20 (default 5):" in text


def test_show_tells_settings_rules_and_differences() -> None:
    text = printed("show", "chatra/C+D")
    assert "  * opening: objects-first" in text
    assert "    size: 12" in text
    assert "What differs from chatra/C\n  object_area: away-from-centre (there: outside-centre)" in text
    assert rulesets.load_ruleset("chatra/C+D").fingerprint in text


def test_show_as_json() -> None:
    output = as_json("show", "chatra/C+D", "--json")
    assert output["settings"]["opening"] == "objects-first"
    assert output["differs_from_parents"]["chatra/C"] == {"object_area": ["outside-centre", "away-from-centre"]}
    assert output["differs_from_default"]["opening"] == ["subject-first", "objects-first"]
    assert output["fingerprint"] == rulesets.load_ruleset("chatra/C+D").fingerprint


def test_diff_names_only_what_differs() -> None:
    text = printed("diff", "chatra/2007-09", "chatra/2008-02")
    assert "limits_end" in text
    assert "opening" not in text
    assert "the same rules" in printed("diff", "chatra/A", "chatra/A")


def test_a_list_names_rulesets_experiments_and_searches_with_their_titles() -> None:
    lines = printed("list").splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == ["Rulesets:", "Experiments:", "Searches:"]
    for name, title in (("chatra/C\\+D", "C \\+ D: objects first"), ("quickstart", "."), ("fair-chatra", ".")):
        assert any(re.match(f"  {name} +{title}", line) for line in lines), name
    assert "チェス（通常のルール）" in printed("list", "chess", "--lang", "ja")


def test_a_list_of_a_game_has_what_is_about_it_also_as_json() -> None:
    everything, star = as_json("list", "--json"), as_json("list", "star", "--json")
    assert [one["name"] for one in everything["rulesets"]] == rulesets.ruleset_names()
    assert all(one["name"].startswith("star/") for one in star["rulesets"]) and star["searches"] == []
    assert {"pie", "star"} <= {one["name"] for one in star["experiments"]}
    pie = next(one for one in star["rulesets"] if one["name"] == "star/pie")
    assert pie == {
        "name": "star/pie", "title": "The star game with the pie rule", "title_ja": "★のゲーム・パイルール",
        "games": ["star"], "file": "rulesets/star/pie.yaml",
    }  # fmt: skip
    assert all(one["title"] for files in everything.values() for one in files)


def test_a_list_also_has_files_that_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, text in (("rulesets/star", "game: [\n"), ("experiments", "title: [1]\n"), ("searches", "- x\n")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert printed("list").count("(no title)") == 2
    assert as_json("list", "--json")["rulesets"][0]["title"] is None


def test_a_project_without_rulesets_of_a_game_is_searched_and_listed_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rulesets" / "star").mkdir(parents=True)
    (tmp_path / "rulesets" / "star" / "mine.yaml").write_text("game: star\ntitle: Mine\n", encoding="utf-8")
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    assert printed("idea", "no foul").startswith("star/mine: Mine\n  foul: Foul\n")
    assert "found 'chess'" in refused("idea", "no castling", "--base", "chess")
    assert printed("list", "chess") == "This project has nothing of it.\n"


def test_an_idea_lists_the_nearest_toggles_with_their_other_values_and_the_nearest_rulesets() -> None:
    text = printed("idea", "no castling", "--base", "chess")
    assert text.startswith(
        "chess/orthodox: Orthodox chess\n\ncastling: When kings may castle\n  Now: A king that has not"
    )
    assert "\n  castling: never\n      There is no castling.\n" in text
    assert "castling: standard" not in text, "what it says now"
    assert "\n  chess/no-castling: Chess: No castling\n" in text
    assert text.endswith("workbench new my-idea --from chess/orthodox --set TOGGLE=VALUE\n")


def test_what_an_idea_lists_can_be_tried_by_the_command_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "rulesets" / "star", tmp_path / "rulesets" / "star")
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    text = printed("idea", "反則なし", "--base", "star")
    assert re.findall(r"(?m)^  foul: (\S+)$", text) == ["shape", "own-pieces", "off"]
    command = text.splitlines()[-1].partition(": ")[2]
    for value in ("shape", "own-pieces", "off"):
        words = command.replace("TOGGLE=VALUE", f"foul={value}").replace("my-idea", f"mine-{value}").split()
        printed(*words[1:])
        assert rulesets.load_ruleset(f"star/mine-{value}").own == {"foul": value}


def test_a_number_is_left_to_whoever_has_the_idea() -> None:
    text = printed("idea", "a draw after 25 moves", "--base", "chess")
    assert (
        "move_limit: Limit of plies without progress\n" in text and "\n  move_limit: 1 to 1000 (default 100)\n" in text
    )
    assert "25" not in text


def test_without_a_base_each_game_with_similar_words_is_listed_the_closest_first() -> None:
    text = printed("idea", "キャスリングなし", "--lang", "ja")
    assert text.startswith("chess/orthodox: チェス（通常のルール）\n  castling: キャスリングできる時期\n")
    assert "star/default" not in text and text.endswith(" --base chess/orthodox\n")


@pytest.mark.parametrize("base", [(), ("--base", "star")])
def test_where_no_words_are_alike_an_idea_lists_the_groups_of_toggles_and_nothing_else(base: tuple[str, ...]) -> None:
    lines = printed("idea", "zebra xylophone", *base).splitlines()
    assert "    Board and pieces: size, pieces" in lines and "    Sides and score: swap, draw_value" in lines
    assert not any("--base" in line or "workbench new" in line or "Now:" in line for line in lines)
