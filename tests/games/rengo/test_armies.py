"""Army files: what is checked, in which words, and how an army becomes part of the rules."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests import few
from tests.games.rengo import twin_setup as twin
from tests.games.rengo.positions import SIZES
from tests.toy import plan_from
from workbench.base import project, yamlfile
from workbench.base.errors import InputError, display_path
from workbench.base.language import bilingual
from workbench.base.project import Project
from workbench.experiments import experiment, workspace
from workbench.games.prices import PriceList
from workbench.games.rengo import armies
from workbench.games.rengo.rules import DECLARATION, UNITS
from workbench.positions.game_state import GameState
from workbench.report.model import Paragraph, Section, Table
from workbench.report.names import Names
from workbench.report.sections.rules import prices_section
from workbench.rules import rulebook, rulesets

SHIPPED = project.shipped_project()
FOLDER = SHIPPED.rulesets / "rengo" / "armies"
ENDGAMES = {"king-and-gold", "king-and-knight", "king-and-pawn", "king-and-rook", "lone-king"}
"""Small armies of the solved rulesets."""
ARMIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yaml"))}
NAMES = sorted(ARMIES.keys() - ENDGAMES)


def problems(text: str, board: str = "go9", budget: int = 100) -> list[str]:
    root = yamlfile.parse_yaml(text, "army.yaml")
    try:
        armies.read(root, DECLARATION.defaults() | {"board": board, "budget": budget})
    except InputError as error:
        return [str(problem) for problem in error.problems]
    return []


def test_there_are_eight_armies_of_a_hundred_points_for_every_board() -> None:
    assert len(NAMES) >= 8
    for name, text in ARMIES.items():
        assert [problems(text, board) for board in SIZES] == [[]] * len(SIZES), name
    for name in NAMES:
        (message,) = problems(ARMIES[name], budget=99)
        assert "expected an army of at most 99 points, found 100: 1 too many" in message


GOOD = "title: x\nking: {玉: e1}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("king: {玉: e1}\n", "title: expected a title, found none"),
        ("title: x\n", "expected exactly one king, found none (the kings are 玉, 王, 帥, 楚, 君)"),
        ("title: x\nking: {玉: e1, 王: d1}\n", "army.yaml:2: king: expected exactly one king, found 2"),
        ("title: x\nking: {玉: [e1, d1]}\n", "expected exactly one king, found 2"),
        (GOOD + "peices: {歩: a0}\n", "army.yaml:3: peices: expected a key of an army, found 'peices'"),
        (GOOD + "pieces: {歩: b1}\n", "歩 on b1: soldiers may be placed only on the soldiers' row (write b0)"),
        (GOOD + "pieces: {飛: b0}\n", "飛 on b0: on go9, all units except soldiers are placed behind them"),
        (GOOD + "pieces: {飛: e1}\n", "飛 on e1: 玉 is already there (line 2)"),
        (GOOD + "pieces: {飛: i1}\n", "飛 on i1: the army has columns a to h"),
        (GOOD + "pieces: {飛: 1e}\n", "a cell for 飛 such as c1 (column, rows behind the soldiers), found '1e'"),
        (GOOD + "pieces: {飛: [a1, b1]}\n", "pieces.飛[1]: expected at most 1 飛, found 2 with this"),
        (GOOD + "pieces: {飛車: a1}\n", "expected a unit, found '飛車'"),
        (GOOD + "pieces: {核: a1}\n", "expected a unit that can be placed, found 核, which exists only through"),
        (GOOD + "pieces: {碁: a1}\n", "expected 碁 under stones, found it under pieces"),
        (GOOD + "pieces: [歩]\n", "expected units such as {歩: [a0, b0]}, found a list"),
        (GOOD + "stones: {珠: a1}\n", "expected 珠 only in hand, found it on the board (write it under hand)"),
        (GOOD + "hand: {飛: 1}\n", "expected stones (碁, 翻, 珠) in hand, found 飛"),
        (GOOD + "hand: {翻: 33}\n", "hand.翻: expected at most 32 翻, found 33 with this"),
        (GOOD + "hand: {碁: 181}\n", "expected at most 180 碁, found 181 with this"),
        (GOOD + "hand: {碁: many}\n", "expected the number of 碁 in hand, found 'many'"),
        (GOOD + "width: 10\n", "expected a number of columns from 1 to 9 (the board is go9), found 10"),
        (GOOD + "hand: {珠: 51}\n", "found 102: 2 too many (most expensive: 51 珠 (102))"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    assert any(words in message for message in problems(text)), problems(text)


def test_all_problems_come_at_once() -> None:
    text = "titel: x\nking: {玉: e1}\npieces:\n  歩: [a1, z0]\n  金: [c0, d1, f1]\n"
    told = problems(text, "othello8")
    assert [int(message.split(":")[1]) for message in told] == [1, 1, 4, 4, 5]


@pytest.fixture
def own(tmp_path: Path) -> Project:
    (tmp_path / "rulesets" / "rengo" / "armies").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    write(tmp_path, "armies/mine", GOOD + "hand: {碁: 30}\n")
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


def test_the_fingerprint_is_that_of_the_content_and_not_of_the_name(own: Project) -> None:
    before = rulesets.load_ruleset("rengo/my-rules", own)
    write(own.root, "armies/other", GOOD.replace("title: x", "title: y") + "hand:\n  碁: 30\n")
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
    assert "expected a file in the project folder, found a link" in refused(own)


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


def test_komi_is_a_number_in_steps_of_a_half() -> None:
    toggle = DECLARATION.toggle("komi")
    assert [toggle.code(value) for value in (6.5, 0, -3, 0.5)] == [13, 0, -6, 1]
    assert not any(toggle.allows(value) for value in (6.25, 7.0, 50.5, True, "6.5"))
    base = rulesets.load_ruleset("rengo/go9")
    assert GameState("rengo", rulesets.derive_ruleset(base, {"komi": 7}, "test", "test").codes()).rules.komi == 14


(PRICES,) = (toggle for toggle in DECLARATION.toggles if isinstance(toggle, PriceList))


@pytest.fixture
def priced(own: Project) -> Project:
    """A project with a ruleset besides, under which both have the army of 30 go stones."""
    write(own.root, "base", "game: rengo\ntitle: x\nrules: {first_army: mine, second_army: mine}\n")
    return own


def child(where: Project, prices: str, extends: str = "base", name: str = "child") -> Path:
    return write(where.root, name, f"game: rengo\nextends: {extends}\ntitle: x\nrules:\n  prices: {prices}\n")


def load(where: Project, name: str = "child") -> rulesets.Ruleset:
    return rulesets.load_ruleset(f"rengo/{name}", where)


def said(where: Project, name: str = "child") -> list[str]:
    with pytest.raises(InputError) as caught:
        load(where, name)
    return [str(problem) for problem in caught.value.problems]


def test_the_table_is_that_of_the_articles() -> None:
    table = PRICES.table("source")
    assert {name: tuple(price) for name, price in table.items()} == {name: twin.price(name, ()) for name in twin.TABLE}
    assert set(table) == {unit.letter for unit in UNITS if unit.most > 0}


@pytest.mark.parametrize("seed", few.first(6, range(60)))
def test_an_army_costs_what_the_twin_says_under_any_list(seed: int, priced: Project) -> None:
    chance = random.Random(seed)
    lists: list[dict[str, Any]] = []
    for _ in range(chance.randint(1, 3)):
        written: dict[str, Any] = {}
        for unit in chance.sample(PRICES.units, chance.randint(1, 12)):
            each, free = chance.randint(-9 if unit.gives_back else 0, 20), chance.randint(0, min(unit.most, 60))
            said = {"each": each, "free": free}
            written[unit.name] = chance.choice([each, said, {"each": each}, {"free": free}])
        lists.append(written)
        extends = "base" if len(lists) == 1 else f"child{len(lists) - 2}"
        prices = json.dumps(written, ensure_ascii=False)
        write(priced.root, "armies/mine", GOOD)
        child(priced, prices, extends, f"child{len(lists) - 1}")
    ruleset = load(priced, f"child{len(lists) - 1}")
    for name, text in ARMIES.items():
        army = yaml.safe_load(text)
        cost = twin.cost(army, lists)
        root = yamlfile.parse_yaml(text, name)
        units = armies.unit_counts(root, ruleset.settings)
        assert units == twin.units(army)
        assert sum(PRICES.costs(units, ruleset.settings["prices"]).values()) == cost
        budget = chance.choice([max(cost, 0), max(cost, 0) + 1])
        content = armies.read(root, {**ruleset.settings, "budget": budget})
        assert armies.content_counts(content) == units
        if cost > 0:
            with pytest.raises(InputError, match=f"at most {cost - 1} points, found {cost}: 1 too many"):
                armies.read(root, {**ruleset.settings, "budget": cost - 1})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{飛車: 3}", "rules.prices.飛車: expected a unit that can be placed, found '飛車' (did you mean '飛'?)"),
        ("{+飛: 3}", "expected a unit that can be placed, found '+飛'"),
        ("{飛: -1}", "expected the price of 飛, a whole number from 0 to 1000, found -1 (only a king may give"),
        ("{帥: -1001}", "expected the price of 帥, a whole number from -1000 to 1000, found -1001"),
        ("{飛: 1001}", "a whole number from 0 to 1000, found 1001"),
        ("{飛: 2.5}", "a whole number from 0 to 1000, found 2.5"),
        ("{飛: 2.0}", "found 2.0 (write 2)"),
        ("{飛: true}", "a whole number from 0 to 1000, found true"),
        ("{飛: }", "a whole number from 0 to 1000, found nothing"),
        ("{飛: [1]}", "a whole number from 0 to 1000, found a list"),
        ("{飛: {}}", "expected each, free or both, found an empty mapping"),
        ("{碁: {fre: 3}}", "rules.prices.碁.fre: expected each or free, found 'fre' (did you mean 'free'?)"),
        ("{碁: {free: 181}}", "the number of free 碁, a whole number from 0 to 180, found 181 (a player has"),
        ("{碁: {free: -1}}", "the number of free 碁, a whole number from 0 to 180, found -1"),
        ("{}", "expected source or prices such as {金: 7, 碁: {free: 0}}, found an empty mapping (write source)"),
        ("sorce", "expected source or prices such as {金: 7, 碁: {free: 0}}, found 'sorce' (did you mean 'source'?)"),
        ("飛 -1", "found '飛 -1'"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(priced: Project, written: str, words: str) -> None:
    path = child(priced, written)
    (message,) = said(priced)
    assert message.startswith(f"{display_path(path)}:5: rules.prices")
    assert words in message
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if written not in ("{飛: 2.0}", "飛 -1"):  # to a schema 2.0 is whole, and text need only look like a list
        assert not jsonschema.Draft202012Validator(workspace.ruleset_schema()).is_valid(content)


def test_all_problems_of_prices_come_at_once(priced: Project) -> None:
    child(priced, "\n    飛車: 3\n    金: -1\n    碁: {free: many, price: 2}\n  bord: go13")
    assert [message.split(": ")[0].rpartition(":")[2] for message in said(priced)] == ["6", "7", "8", "8", "9"]


@pytest.mark.thorough
@pytest.mark.parametrize("written", ["{帥: -6}", "{碁: {each: 2, free: 9}, 珠: 3}", "飛 12"])
def test_the_schema_allows_what_the_loader_allows(priced: Project, written: str) -> None:
    path = child(priced, written)
    assert load(priced).settings["prices"] != "source"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    jsonschema.validate(content, workspace.ruleset_schema())


def test_only_what_differs_is_part_of_the_rules(priced: Project) -> None:
    base = load(priced, "base")
    same = ["source", "{飛: 10}", "{碁: {free: 50}, 帥: -4}", "碁 1 free 50; 飛 10", "{桂: {each: 3, free: 0}}"]
    for written in same:
        child(priced, written)
        assert (load(priced).settings, load(priced).fingerprint) == (base.settings, base.fingerprint)
    child(priced, "{飛: 12, 金: 6}")
    assert load(priced).settings["prices"] == "飛 12" and load(priced).fingerprint != base.fingerprint
    assert load(priced).codes() == base.codes(), "a price changes no game"


def test_what_extends_a_list_changes_it_key_by_key(priced: Project) -> None:
    child(priced, "{飛: 12, 碁: {free: 40}}", name="parent")
    child(priced, "{角: 9, 碁: 2}", "parent")
    assert load(priced).settings["prices"] == "飛 12; 角 9; 碁 2 free 40"
    child(priced, "{碁: {each: 0, free: 3}}", "parent", "nothing")
    child(priced, "{碁: 2}", "nothing")
    assert load(priced).settings["prices"] == "飛 12; 碁 2 free 3"
    child(priced, "{飛: 10}", "parent")
    assert load(priced).settings["prices"] == "碁 free 40"
    child(priced, "source", "parent")
    assert load(priced).fingerprint == load(priced, "base").fingerprint
    child(priced, "{飛: 11, 桂: 4}", name="other")
    write(priced.root, "both", "game: rengo\nextends: [parent, other]\ntitle: x\n")
    assert load(priced, "both").settings["prices"] == "桂 4; 飛 11; 碁 free 40"


def test_a_list_forbids_what_is_too_dear(priced: Project) -> None:
    child(priced, "{碁: {each: 4, free: 4}}")
    (message,) = said(priced)
    assert "mine.yaml:1: expected an army of at most 100 points, found 104: 4 too many" in message
    assert "(most expensive: 30 碁 (104))" in message
    child(priced, "{碁: {each: 4, free: 5}}")
    assert load(priced).contents["first_army"]


def test_an_army_is_fine_that_some_ruleset_can_buy(priced: Project) -> None:
    write(priced.root, "armies/dear", GOOD + "hand: {珠: 60}\n")
    fine, problems = workspace.check_files([], priced)
    assert fine == 3 and "found 120: 20 too many" in str(problems[0])
    child(priced, "{珠: 1}")
    assert workspace.check_files([], priced) == (5, [])


def test_the_rule_book_shows_prices_and_what_they_buy(priced: Project) -> None:
    child(priced, "{飛: 12, 碁: {free: 20}}")
    lines = list(rulebook.describe_ruleset(load(priced), priced))
    shown = "\n".join(lines)
    assert "  * prices: 飛 12; 碁 free 20" in lines
    assert "*飛 12 (10); 角 8;" in shown and "*碁 20 free, then 1 (50 free, then 1)" in shown
    assert "  Army of the first player: mine, 10 points, 90 left" in lines
    assert "  shogi-classic        132 points, 32 too many" in lines
    plain = rulebook.ruleset_as_json(load(priced), priced)
    assert plain["prices"]["碁"] == {"each": 1, "free": 20}
    assert plain["set_up"]["first_army"] == {"name": "mine", "points": 10, "left": 90}
    assert plain["may_be_set_up"]["shogi-classic"]["left"] == -32


def report(*names: str, changes: dict[str, str] | None = None) -> Section | None:
    loaded = [rulesets.load_ruleset(f"rengo/{name}") for name in names]
    if changes:
        loaded.append(rulesets.derive_ruleset(loaded[-1], changes, "rengo/changed", "changed"))
    plan = plan_from(loaded, [("greedy", "greedy")], games=10)
    return prices_section(Names(plan), SHIPPED)


def test_a_report_says_what_each_list_buys() -> None:
    section = report("go9", "othello8", "twenty-free-stones")
    assert section is not None
    bought, units = section.parts
    assert isinstance(bought, Table) and isinstance(units, Table)
    assert [head.text for head in bought.heads][1:] == [
        "Go board of 9×9, shogi against shogi and Othello board of 8×8", "Twenty free go stones instead of fifty",
    ]  # fmt: skip
    rows = {row[0].text: row for row in bought.rows}
    assert list(rows)[:2] == ["shogi-classic", "shogi-twenty-stones"]
    told = [(cell.text, cell.small, cell.kind) for cell in rows["stone-wall"][1:]]
    assert told == [("100", "0 left", "number"), ("130", "30 too many", "number verdict bad")]
    rows = {row[0].text: row for row in units.rows}
    assert len(rows) == len(PRICES.units)
    assert rows["碁"][2].text == bilingual(en="* 20 free, then 1", ja="* 20個まで0点・以降1点")
    assert (rows["碁"][1].text, rows["飛"][2].text) == ("50 free, then 1", "10")


def test_a_report_says_when_prices_change_no_game() -> None:
    section = report("go9", "no-free-stones", changes={"prices": "飛 9"})
    assert section is not None
    note = section.parts[0]
    assert isinstance(note, Paragraph) and "each costs a point and changed differ only in" in note.text
    assert report("go9", "othello8") is None


def test_prices_can_be_varied(priced: Project) -> None:
    path = priced.root / "experiments" / "prices.yaml"
    head = "title: x\nagents: [random]\ngames: 1\nvary:\n  base: rengo/base\n  prices: "
    path.write_text(head + "[source, {碁: {free: 20}, 飛: 12}, 飛 12]\n", encoding="utf-8")
    made = experiment.load_experiment(path, priced).rulesets
    assert [ruleset.settings["prices"] for ruleset in made] == ["source", "飛 12; 碁 free 20", "飛 12"]
    assert len({ruleset.fingerprint for ruleset in made}) == 3
    path.write_text(head + "[source, {飛: -3, 王将: 1}]\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        experiment.load_experiment(path, priced)
    assert [problem.key for problem in caught.value.problems] == ["vary.prices[1].飛", "vary.prices[1].王将"]


def test_what_is_too_dear_for_a_list_is_left_out_of_a_round_robin(priced: Project) -> None:
    path = priced.root / "experiments" / "round.yaml"
    text = (
        "title: x\nagents: [random]\ngames: 1\nvary:\n  base: rengo/base\n"
        "  prices: [source, {碁: {free: 20, each: 11}}]\n"
        "  first_army: [mine, lone-king]\n  second_army: [mine, stone-wall]\n"
    )
    path.write_text(text, encoding="utf-8")
    loaded = experiment.load_experiment(path, priced)
    assert [ruleset.settings["prices"] for ruleset in loaded.rulesets] == ["source"] * 4
    assert loaded.left_out[0].endswith(", first_army=mine, second_army=mine: mine costs 110 of 100 points")
    assert loaded.left_out[1].endswith(": stone-wall costs 1030 of 100 points; mine costs 110 of 100 points")


def test_a_new_ruleset_may_be_given_prices(priced: Project) -> None:
    base = load(priced, "base")
    path = workspace.new_ruleset("mapped", base, "", priced, ["prices={飛: 12, 碁: {free: 20}}"])
    assert load(priced, "mapped").settings["prices"] == "飛 12; 碁 free 20"
    assert "prices: 飛 12; 碁 free 20" in path.read_text(encoding="utf-8")
