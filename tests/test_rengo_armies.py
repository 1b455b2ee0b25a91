"""Army files: what is checked, in which words, and how an army becomes part of the rules."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.rengo_positions import SIZES
from workbench.engine import contract
from workbench.errors import InputError
from workbench.files import project, yamlfile
from workbench.files.project import Project
from workbench.games.game_state import GameState
from workbench.games.rengo import armies
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_units as u
from workbench.games.rengo.rules import DECLARATION
from workbench.questions import experiment, rulesets, workspace

SHIPPED = project.shipped_project()
FOLDER = SHIPPED.rulesets / "rengo" / "armies"
ENDGAMES = {"king-and-gold", "king-and-knight", "king-and-pawn", "king-and-rook", "lone-king"}
"""Small armies of the solved rulesets."""
NAMES = sorted({path.stem for path in FOLDER.glob("*.yaml")} - ENDGAMES)


def problems(text: str, board: str = "go9", budget: int = 100) -> list[str]:
    """What is wrong with an army, a line each."""
    root = yamlfile.parse_yaml(text, "army.yaml")
    try:
        armies.read(root, DECLARATION.defaults() | {"board": board, "budget": budget})
    except InputError as error:
        return [str(problem) for problem in error.problems]
    return []


def test_there_are_eight_armies_of_a_hundred_points_for_every_board() -> None:
    assert len(NAMES) >= 8
    for name in NAMES:
        text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
        for board in SIZES:
            assert problems(text, board) == []
        (message,) = problems(text, budget=99)
        assert "expected an army of at most 99 points, found 100: 1 too many" in message


def test_small_armies_can_be_set_up_on_every_board() -> None:
    for name in sorted(ENDGAMES):
        text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
        assert [problems(text, board) for board in SIZES] == [[]] * len(SIZES)


def test_armies_stand_opposite_each_other() -> None:
    for where in SIZES:
        settings = {"board": where, "first_army": "stone-wall", "second_army": "stone-wall"}
        game_state = GameState("rengo", codes(**settings))
        cells = game_state.board().cells
        turned = [row[::-1] for row in cells[::-1]]
        assert [list(row) for row in cells] == [list(row) for row in turned]
        assert game_state.board().notes[0].partition(":")[2] == game_state.board().notes[1].partition(":")[2]


def codes(**settings: Any) -> Any:
    return rulesets.derive_ruleset(rulesets.load_ruleset("rengo/go9"), settings, "test", "test").codes()


def test_cells_count_from_the_row_of_soldiers_and_stand_in_the_middle() -> None:
    text = "title: x\nwidth: 3\nking: {玉: b1}\npieces: {歩: [a0], 香: c2}\n"
    game_state = armies.read(yamlfile.parse_yaml(text, "army.yaml"), DECLARATION.defaults() | {"board": "go13"})
    placed = {u.LETTERS[word >> 16]: divmod(word & 0xFFFF, 13) for word in game_state[1 : game_state[0] + 1]}
    # Thirteen columns, three of the army: the first is column 5 (from 0). Soldiers stand on the fourth row from below.
    assert placed == {"歩": (9, 5), "玉": (10, 6), "香": (11, 7)}


GOOD = "title: x\nking: {玉: e1}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("king: {玉: e1}\n", "title: expected a title, found none"),
        ("title: x\n", "expected exactly one king, found none (the kings are 玉, 王, 帥, 楚, 君)"),
        ("title: x\nking: {玉: e1, 王: d1}\n", "army.yaml:2: king: expected exactly one king, found 2"),
        ("title: x\nking: {玉: [e1, d1]}\n", "expected exactly one king, found 2"),
        (GOOD + "peices: {歩: a0}\n", "army.yaml:3: peices: expected a key of an army, found 'peices'"),
        (GOOD + "pieces: {歩: b1}\n", "歩 on b1: soldiers stand on the row of soldiers only (write b0)"),
        (GOOD + "pieces: {飛: b0}\n", "飛 on b0: on go9, all but soldiers stand behind them, on rows 1 to 2"),
        (GOOD + "pieces: {飛: b3}\n", "飛 on b3: on go9, all but soldiers stand behind them, on rows 1 to 2"),
        (GOOD + "pieces: {飛: e1}\n", "飛 on e1: 玉 stands there already (line 2)"),
        (GOOD + "pieces: {飛: i1}\n", "飛 on i1: the army has the columns a to h"),
        (
            GOOD + "pieces: {飛: 1e}\n",
            "expected a cell of 飛 such as c1 (column, rows behind the soldiers), found '1e'",
        ),
        (GOOD + "pieces: {飛: [a1, b1]}\n", "pieces.飛[1]: expected at most 1 飛, found 2 with this"),
        (GOOD + "pieces: {飛車: a1}\n", "expected a unit, found '飛車'"),
        (
            GOOD + "pieces: {核: a1}\n",
            "expected a unit that can be set up, found 核, which only comes about by promotion",
        ),
        (GOOD + "pieces: {碁: a1}\n", "expected 碁 under stones, found it under pieces"),
        (GOOD + "pieces: [歩]\n", "expected units such as {歩: [a0, b0]}, found a list"),
        (GOOD + "stones: {珠: a1}\n", "珠 begins in hand only, found it on the board (write it under hand)"),
        (GOOD + "hand: {飛: 1}\n", "expected stones (碁, 翻, 珠) in hand, found 飛"),
        (GOOD + "hand: {翻: 33}\n", "hand.翻: expected at most 32 翻, found 33 with this"),
        (GOOD + "hand: {碁: 181}\n", "expected at most 180 碁, found 181 with this"),
        (GOOD + "hand: {碁: many}\n", "expected how many 碁 are in hand, found 'many'"),
        (GOOD + "width: 10\n", "expected a number of columns from 1 to 9 (the board is go9), found 10"),
        (GOOD + "hand: {碁: 160}\n", "expected an army of at most 100 points, found 110: 10 too many"),
        (GOOD + "hand: {珠: 51}\n", "found 102: 2 too many (most of them for 51 珠 (102))"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    assert any(words in message for message in problems(text)), problems(text)


def test_all_problems_come_at_once() -> None:
    text = "titel: x\nking: {玉: e1}\npieces:\n  歩: [a1, z0]\n  金: [c0, d1, f1]\n"
    told = problems(text, "othello8")
    assert [message.split(": ")[0] for message in told] == [
        "army.yaml:1",
        "army.yaml:1",
        "army.yaml:4",
        "army.yaml:4",
        "army.yaml:5",
    ]


def test_generals_give_points_back() -> None:
    text = "title: x\nking: {帥: e1}\nhand: {珠: 52}\n"
    assert problems(text) == []
    assert "found 104: 4 too many" in problems(text.replace("帥", "玉"))[0]


def test_go_stones_beyond_fifty_cost() -> None:
    text = GOOD + "stones: {碁: [a1, b1]}\nhand: {碁: 148}\n"
    assert problems(text) == []
    assert "found 101: 1 too many" in problems(text.replace("148", "149"))[0]


# --- Armies in rulesets -----------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Project:
    """A project of one's own with one army and one ruleset."""
    (tmp_path / "rulesets" / "rengo" / "armies").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    write(tmp_path, "armies/mine", GOOD + "hand: {碁: 3}\n")
    write(tmp_path, "my-rules", "game: rengo\ntitle: x\nrules: {first_army: mine}\n")
    return Project(tmp_path)


def write(root: Path, name: str, text: str) -> Path:
    path = root / "rulesets" / "rengo" / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(where: Project, name: str = "rengo/my-rules") -> str:
    with pytest.raises(InputError) as caught:
        rulesets.load_ruleset(name, where)
    return str(caught.value)


def test_an_army_reaches_the_kernel(own: Project) -> None:
    ruleset = rulesets.load_ruleset("rengo/my-rules", own)
    game_state = GameState("rengo", ruleset.codes())
    assert game_state.state[b.HAND + u.HELD.index("碁")] == 3
    assert game_state.board().cells[7][4] == "玉"
    # Eight steps of the king, a stone on each of the 81 - 1 - 16 empty cells, and the pass.
    assert len(game_state.legal()) == 8 + 64 + 1


def test_the_fingerprint_is_that_of_the_content_and_not_of_the_name(own: Project) -> None:
    before = rulesets.load_ruleset("rengo/my-rules", own)
    write(own.root, "armies/other", GOOD.replace("title: x", "title: y") + "hand:\n  碁: 3\n")
    write(own.root, "my-rules", "game: rengo\ntitle: x\nrules: {first_army: other}\n")
    assert rulesets.load_ruleset("rengo/my-rules", own).fingerprint == before.fingerprint
    write(own.root, "armies/other", GOOD + "hand: {碁: 4}\n")
    assert rulesets.load_ruleset("rengo/my-rules", own).fingerprint != before.fingerprint


def test_what_the_project_lacks_came_with_the_workbench(own: Project) -> None:
    assert rulesets.load_ruleset("rengo/my-rules", own).settings["second_army"] == "shogi-classic"
    write(own.root, "armies/shogi-classic", GOOD)
    assert rulesets.load_ruleset("rengo/my-rules", own).contents["second_army"][0] == 1


def test_a_missing_army_is_named_at_its_place(own: Project) -> None:
    write(own.root, "my-rules", "game: rengo\ntitle: x\nrules:\n  first_army: mini\n")
    message = refused(own)
    assert "my-rules.yaml:4: rules.first_army: expected the name of an army" in message
    assert "did you mean 'mine'?" in message


@pytest.mark.parametrize("name", ["../armies/mine", "/etc/passwd", "..", "", "a/b", ".mine"])
def test_names_of_armies_are_no_paths(own: Project, name: str) -> None:
    write(own.root, "my-rules", f'game: rengo\ntitle: x\nrules:\n  first_army: "{name}"\n')
    assert "expected the name of an army" in refused(own)


def test_armies_stay_inside_the_project(own: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "army.yaml"
    outside.write_text(GOOD, encoding="utf-8")
    (own.root / "rulesets" / "rengo" / "armies" / "linked.yaml").symlink_to(outside)
    write(own.root, "my-rules", "game: rengo\ntitle: x\nrules: {first_army: linked}\n")
    assert "expected a file inside the project folder, found a link" in refused(own)


def test_tags_and_double_keys_in_army_files_are_refused(own: Project) -> None:
    write(own.root, "armies/mine", GOOD + "pieces: {歩: !!python/name:os.system a0}\nking: {玉: e1}\n")
    message = refused(own)
    assert "tags are not read" in message and "expected each key once" in message


def test_the_board_and_the_budget_of_the_ruleset_count(own: Project) -> None:
    write(own.root, "armies/mine", GOOD + "pieces: {飛: a2}\n")
    assert rulesets.load_ruleset("rengo/my-rules", own).settings["board"] == "go9"
    write(own.root, "my-rules", "game: rengo\ntitle: x\nrules: {first_army: mine, board: othello8}\n")
    assert "mine.yaml:3: pieces.飛: 飛 on a2: on othello8" in refused(own)
    write(own.root, "my-rules", "game: rengo\ntitle: x\nrules: {first_army: mine, budget: 99}\n")
    assert "shogi-classic.yaml:1: expected an army of at most 99 points" in refused(own)


def test_check_looks_at_armies_that_no_ruleset_names(own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(own.root, "armies/unused", "title: x\n")
    fine, told = workspace.check_files([], own)
    assert fine == 2 and len(told) == 1 and "expected exactly one king" in str(told[0])
    assert workspace.check_files([str(path)], own)[1] == told
    # An army for the largest boards is none for the small ones, and right.
    write(own.root, "armies/unused", GOOD + "pieces: {飛: a3}\n")
    assert workspace.check_files([], own) == (3, [])


def test_a_new_folder_has_the_armies(tmp_path: Path) -> None:
    workspace.init_project(tmp_path / "mine")
    copied = sorted(path.stem for path in (tmp_path / "mine" / "rulesets" / "rengo" / "armies").glob("*.yaml"))
    assert copied == sorted({*NAMES, *ENDGAMES})


def test_a_round_robin_is_the_combinations_of_armies(own: Project) -> None:
    shutil.copy(FOLDER / "renju-rush.yaml", own.root / "rulesets" / "rengo" / "armies")
    path = own.root / "experiments" / "round.yaml"
    names = "[mine, renju-rush]"
    path.write_text(
        "title: x\nvary:\n  base: rengo/my-rules\n  board: [othello8, go9]\n"
        f"  first_army: {names}\n  second_army: {names}\nagents: [random]\ngames: 1\n",
        encoding="utf-8",
    )
    made = experiment.load_experiment(path, own).rulesets
    assert len({ruleset.fingerprint for ruleset in made}) == len(made) == 8
    path.write_text(path.read_text(encoding="utf-8").replace("[mine, ", "[mini, "), encoding="utf-8")
    with pytest.raises(InputError, match="mini"):
        experiment.load_experiment(path, own)


def test_komi_is_a_number_in_steps_of_a_half() -> None:
    toggle = DECLARATION.toggle("komi")
    assert [toggle.code(value) for value in (6.5, 0, -3, 0.5)] == [13, 0, -6, 1]
    assert not any(toggle.allows(value) for value in (6.25, 7.0, 50.5, True, "6.5"))
    rules = GameState("rengo", codes(komi=7)).rules
    assert rules.komi == 14
    assert contract.feature_count(rules) == len(DECLARATION.features)
