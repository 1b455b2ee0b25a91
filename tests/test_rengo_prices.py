"""Price lists of the mixed game: what a ruleset may write, what becomes of it, and which armies it buys."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from tests import few
from tests.naive import rengo_setup as twin
from tests.toy import plan_from
from workbench.cli import app
from workbench.errors import InputError, display_path
from workbench.files import project, yamlfile
from workbench.files.project import Project
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.rengo import armies
from workbench.games.rengo.rules import DECLARATION, UNITS
from workbench.language import given, in_all, translated
from workbench.questions import experiment, rulebook, rulesets, workspace
from workbench.questions.settings import army_costs, army_offers
from workbench.report.model import Paragraph, Section, Table
from workbench.report.names import Names
from workbench.report.sections.choices import prices_section

SHIPPED = project.shipped_project()
FOLDER = SHIPPED.rulesets / "rengo" / "armies"
ARMIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yaml"))}
(PRICES,) = (toggle for toggle in DECLARATION.toggles if isinstance(toggle, PriceList))
LONE = "title: x\nking: {玉: e1}\n"


@pytest.fixture
def own(tmp_path: Path) -> Project:
    """A project of one's own with a ruleset and an army of 30 go stones."""
    (tmp_path / "rulesets" / "rengo" / "armies").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    write(tmp_path, "armies/mine", LONE + "hand: {碁: 30}\n")
    write(tmp_path, "base", "game: rengo\ntitle: x\nrules: {first_army: mine, second_army: mine}\n")
    return Project(tmp_path)


def write(root: Path, name: str, text: str) -> Path:
    path = root / "rulesets" / "rengo" / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def child(where: Project, prices: str, extends: str = "base", name: str = "child") -> Path:
    """A ruleset that writes prices."""
    return write(where.root, name, f"game: rengo\nextends: {extends}\ntitle: x\nrules:\n  prices: {prices}\n")


def load(where: Project, name: str = "child") -> rulesets.Ruleset:
    return rulesets.load_ruleset(f"rengo/{name}", where)


def said(where: Project, name: str = "child") -> list[str]:
    """What is wrong with a ruleset, a line each."""
    with pytest.raises(InputError) as caught:
        load(where, name)
    return [str(problem) for problem in caught.value.problems]


# --- The table --------------------------------------------------------------------------------------------------------


def test_the_table_is_that_of_the_articles() -> None:
    table = PRICES.table("source")
    assert {name: tuple(price) for name, price in table.items()} == {name: twin.price(name, ()) for name in twin.TABLE}
    assert set(table) == {unit.letter for unit in UNITS if unit.most > 0}


@pytest.mark.parametrize("seed", few.first(6, range(60)))
def test_an_army_costs_what_the_twin_says_under_any_list(seed: int, own: Project) -> None:
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
        write(own.root, "armies/mine", LONE)
        child(own, prices, extends, f"child{len(lists) - 1}")
    ruleset = load(own, f"child{len(lists) - 1}")
    for name, text in ARMIES.items():
        army = yaml.safe_load(text)
        cost = twin.cost(army, lists)
        root = yamlfile.parse_yaml(text, name)
        units = armies.numbers(root, ruleset.settings)
        assert units == twin.units(army)
        assert sum(PRICES.costs(units, ruleset.settings["prices"]).values()) == cost
        budget = chance.choice([max(cost, 0), max(cost, 0) + 1])
        content = armies.read(root, {**ruleset.settings, "budget": budget})
        assert armies.held(content) == units
        if cost > 0:
            with pytest.raises(InputError, match=f"at most {cost - 1} points, found {cost}: 1 too many"):
                armies.read(root, {**ruleset.settings, "budget": cost - 1})


def test_the_hint_names_what_is_dear_by_these_prices() -> None:
    settings = DECLARATION.defaults() | {"prices": "歩 4; 碁 free 20"}
    with pytest.raises(InputError) as caught:
        armies.read(yamlfile.parse_yaml(ARMIES["shogi-classic"], "army.yaml"), settings)
    (problem,) = caught.value.problems
    assert problem.message.endswith("found 154: 54 too many, by the prices 歩 4; 碁 free 20")
    assert problem.hint == "most of them for 8 歩 (32), 50 碁 (30), 14 珠 (28), 21 翻 (21)"


# --- What a file writes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{飛車: 3}", "rules.prices.飛車: expected a unit that can be set up, found '飛車' (did you mean '飛'?)"),
        ("{+飛: 3}", "expected a unit that can be set up, found '+飛'"),
        ("{rook: 3}", "found 'rook' (units with a price are 玉 王 帥 楚 君 金 "),
        ("{核: 3}", "expected a unit that can be set up, found '核'"),
        ("{飛: -1}", "expected the price of 飛, a whole number from 0 to 1000, found -1 (only a king may give"),
        ("{帥: -1001}", "expected the price of 帥, a whole number from -1000 to 1000, found -1001"),
        ("{飛: 1001}", "a whole number from 0 to 1000, found 1001"),
        ("{飛: 2.5}", "a whole number from 0 to 1000, found 2.5"),
        ("{飛: 2.0}", "found 2.0 (write 2)"),
        ('{飛: "2"}', "(write 2)"),
        ("{飛: true}", "a whole number from 0 to 1000, found true"),
        ("{飛: }", "a whole number from 0 to 1000, found nothing"),
        ("{飛: [1]}", "a whole number from 0 to 1000, found a list"),
        ("{飛: {}}", "expected each, free or both, found an empty mapping"),
        ("{碁: {fre: 3}}", "rules.prices.碁.fre: expected each or free, found 'fre' (did you mean 'free'?)"),
        (
            "{碁: {free: 181}}",
            "how many 碁 are free, a whole number from 0 to 180, found 181 (a player has at most 180",
        ),
        ("{碁: {free: -1}}", "how many 碁 are free, a whole number from 0 to 180, found -1"),
        ("{}", "expected source or prices such as {金: 7, 碁: {free: 0}}, found an empty mapping (write source)"),
        ("[飛]", "expected source or prices such as {金: 7, 碁: {free: 0}}, found a list"),
        ("sorce", "expected source or prices such as {金: 7, 碁: {free: 0}}, found 'sorce' (did you mean 'source'?)"),
        ("飛 -1", "found '飛 -1'"),
        ("5", "expected source or prices such as {金: 7, 碁: {free: 0}}, found 5"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(own: Project, written: str, words: str) -> None:
    path = child(own, written)
    (message,) = said(own)
    assert message.startswith(f"{display_path(path)}:5: rules.prices")
    assert words in message
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if written not in ("{飛: 2.0}", "飛 -1"):  # to a schema 2.0 is whole, and text need only look like a list
        assert not jsonschema.Draft202012Validator(workspace.ruleset_schema()).is_valid(content)


def test_all_problems_come_at_once_and_end_a_command_with_2(own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    child(own, "\n    飛車: 3\n    金: -1\n    碁: {free: many, price: 2}\n  bord: go13")
    assert [message.split(": ")[0].rpartition(":")[2] for message in said(own)] == ["6", "7", "8", "8", "9"]
    monkeypatch.chdir(own.root)
    done = CliRunner().invoke(app, ["check", "rengo/child"])
    assert done.exit_code == 2 and "Traceback" not in done.output


@pytest.mark.thorough
@pytest.mark.parametrize(
    "written", ["{飛: 12}", "{帥: -6}", "{碁: {free: 0}}", "{碁: {each: 2, free: 9}, 珠: 3}", "飛 12"]
)
def test_the_schema_allows_what_the_loader_allows(own: Project, written: str) -> None:
    path = child(own, written)
    assert load(own).settings["prices"] != "source"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    jsonschema.validate(content, workspace.ruleset_schema())
    unit = workspace.ruleset_schema()["$defs"]["rengo"]["properties"]["prices"]["oneOf"][1]["properties"]["碁"]
    assert unit["description"] == "go: 50 free, then 1 by the rules' own table."
    assert unit["anyOf"][1]["properties"][FREE]["maximum"] == 180
    assert unit["anyOf"][0]["default"] == unit["anyOf"][1]["properties"][EACH]["default"] == 1


# --- What becomes of it -----------------------------------------------------------------------------------------------


def test_only_what_differs_is_part_of_the_rules(own: Project) -> None:
    base = load(own, "base")
    same = ["source", "{飛: 10}", "{碁: {free: 50}, 帥: -4}", "碁 1 free 50; 飛 10", "{桂: {each: 3, free: 0}}"]
    for written in same:
        child(own, written)
        assert (load(own).settings, load(own).fingerprint) == (base.settings, base.fingerprint)
    child(own, "{飛: 12, 金: 6}")
    assert load(own).settings["prices"] == "飛 12" and load(own).fingerprint != base.fingerprint
    assert load(own).codes() == base.codes(), "a price changes no game"


def test_equal_lists_have_equal_fingerprints(own: Project) -> None:
    prints = set()
    for written in (
        "{碁: 0, 飛: 12}",
        "{飛: {each: 12}, 碁: {free: 180}}",
        "飛 12; 碁 0 free 7",
        "{碁: {each: 0}, 飛: 12}",
    ):
        child(own, written)
        prints.add(load(own).fingerprint)
    assert len(prints) == 1
    child(own, "{碁: 0, 飛: 13}")
    assert load(own).fingerprint not in prints


def test_what_extends_a_list_changes_it_key_by_key(own: Project) -> None:
    child(own, "{飛: 12, 碁: {free: 40}}", name="parent")
    child(own, "{角: 9, 碁: 2}", "parent")
    assert load(own).settings["prices"] == "飛 12; 角 9; 碁 2 free 40"
    child(own, "{碁: {each: 0, free: 3}}", "parent", "nothing")
    child(own, "{碁: 2}", "nothing")
    assert load(own).settings["prices"] == "飛 12; 碁 2 free 3"
    child(own, "{飛: 10}", "parent")
    assert load(own).settings["prices"] == "碁 free 40"
    child(own, "source", "parent")
    assert load(own).fingerprint == load(own, "base").fingerprint
    child(own, "{飛: 11, 桂: 4}", name="other")
    write(own.root, "both", "game: rengo\nextends: [parent, other]\ntitle: x\n")
    assert load(own, "both").settings["prices"] == "桂 4; 飛 11; 碁 free 40"


def test_a_list_forbids_what_is_too_dear(own: Project) -> None:
    child(own, "{碁: {each: 4, free: 4}}")
    (message,) = said(own)
    assert "mine.yaml:1: expected an army of at most 100 points, found 104: 4 too many" in message
    assert "(most of them for 30 碁 (104))" in message
    child(own, "{碁: {each: 4, free: 5}}")
    assert load(own).contents["first_army"]


def test_an_army_is_fine_that_some_ruleset_can_buy(own: Project) -> None:
    write(own.root, "armies/dear", LONE + "hand: {珠: 60}\n")
    fine, problems = workspace.check_files([], own)
    assert fine == 2 and "found 120: 20 too many" in str(problems[0])
    child(own, "{珠: 1}")
    assert workspace.check_files([], own) == (4, [])


def test_shipped_rulesets_change_prices_and_buy_what_they_say() -> None:
    for name, free, stones in (("no-free-stones", 0, 0), ("twenty-free-stones", 20, 20)):
        ruleset = rulesets.load_ruleset(f"rengo/{name}")
        assert ruleset.settings["prices"] == f"碁 free {free}"
        for cost in army_costs(DECLARATION, ruleset.settings, ruleset.contents):
            assert (cost.points, cost.left) == (100, 0)
        assert armies.held(ruleset.contents["first_army"]).get("碁", 0) == stones
        offers = {cost.name: cost.left for cost in army_offers(DECLARATION, ruleset.settings)}
        assert offers["shogi-classic"] == free - 50 and offers["shogi-without-go"] == 0


# --- What is shown ----------------------------------------------------------------------------------------------------


def test_the_rule_book_shows_prices_and_what_they_buy(own: Project) -> None:
    child(own, "{飛: 12, 碁: {free: 20}}")
    lines = list(rulebook.describe_ruleset(load(own), own))
    shown = "\n".join(lines)
    assert "  * prices: 飛 12; 碁 free 20" in lines
    assert "*飛 12 (10); 角 8;" in shown and "*碁 20 free, then 1 (50 free, then 1)" in shown
    assert "  Army of the first player: mine, 10 points, 90 left" in lines
    assert "  shogi-classic        132 points, 32 too many" in lines
    # Of an army for another board nothing is said.
    write(own.root, "armies/mine", LONE + "pieces: {飛: a1}\n")
    write(own.root, "armies/high", LONE + "pieces: {飛: a3}\n")
    assert not any(line.startswith("  high ") for line in rulebook.describe_ruleset(load(own), own))
    plain = rulebook.ruleset_as_json(load(own), own)
    assert plain["prices"]["碁"] == {"each": 1, "free": 20}
    assert plain["set_up"]["first_army"] == {"name": "mine", "points": 12, "left": 88}
    assert plain["may_be_set_up"]["shogi-classic"]["left"] == -32
    assert "prices" not in rulebook.ruleset_as_json(rulesets.load_ruleset("chatra/C"))


def test_the_sentence_names_both_prices_in_both_languages() -> None:
    english, japanese = in_all(PRICES.sentence("飛 12; 碁 free 20"))
    assert english.endswith("but for 飛 12 (there 10); 碁 20 free, then 1 (there 50 free, then 1).")
    assert japanese.endswith("ただし飛は12点（元は10点）、碁は20個まで0点・以降1点（元は50個まで0点・以降1点）。")


def test_rules_of_the_game_name_every_price() -> None:
    told = "\n".join(rulebook.describe_toggles(DECLARATION))
    assert all(f"{unit.name} {unit.price.words()}" in told for unit in PRICES.units)


def report(*names: str, changes: dict[str, str] | None = None) -> Section | None:
    """What a report on rulesets says of prices; the last one besides with changes."""
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
    heads = [(head.text, head.small, translated(head.small, "ja")) for head in bought.heads]
    assert heads[1] == ("go9 and othello8", "the rules' own table, 100 points", "元の表、100点")
    assert heads[2] == ("twenty-free-stones", "碁 free 20, 100 points", "碁 free 20、100点")
    rows = {row[0].text: row for row in bought.rows}
    assert (
        list(rows)[:2] == ["shogi-classic", "shogi-twenty-stones"]
        and translated(rows["shogi-classic"][0].small, "ja") == "9路盤・将棋同士、オセロ盤"
    )
    told = [(cell.text, cell.small, translated(cell.small, "ja"), cell.kind) for cell in rows["stone-wall"][1:]]
    assert told == [("100", "0 left", "残り0点", "number"), ("130", "30 too many", "30点超過", "number verdict bad")]
    rows = {row[0].text: row for row in units.rows}
    assert len(rows) == len(PRICES.units)
    assert rows["碁"][2].text == given(en="* 20 free, then 1", ja="* 20個まで0点・以降1点")
    assert rows["碁"][2].small == given(en="own table: 50 free, then 1", ja="元は50個まで0点・以降1点")
    assert (rows["碁"][1].text, rows["飛"][2].text, rows["飛"][2].small) == ("50 free, then 1", "10", "")
    assert rows["飛"][0].small == given(en="shogi", ja="将棋")


def test_a_report_says_when_prices_change_no_game() -> None:
    section = report("go9", "no-free-stones", changes={"prices": "飛 9"})
    assert section is not None
    note = section.parts[0]
    assert isinstance(note, Paragraph) and "no-free-stones and changed differ in nothing but" in note.text
    assert report("go9", "othello8") is None


# --- Varied, and from the command line --------------------------------------------------------------------------------


def test_prices_can_be_varied(own: Project) -> None:
    path = own.root / "experiments" / "prices.yaml"
    head = "title: x\nagents: [random]\ngames: 1\nvary:\n  base: rengo/base\n  prices: "
    path.write_text(head + "[source, {碁: {free: 20}, 飛: 12}, 飛 12]\n", encoding="utf-8")
    made = experiment.load_experiment(path, own).rulesets
    assert [ruleset.settings["prices"] for ruleset in made] == ["source", "飛 12; 碁 free 20", "飛 12"]
    assert len({ruleset.fingerprint for ruleset in made}) == 3
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), workspace.experiment_schema())
    path.write_text(head + "[source, {飛: -3, 王将: 1}]\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        experiment.load_experiment(path, own)
    assert [problem.key for problem in caught.value.problems] == ["vary.prices[1].飛", "vary.prices[1].王将"]


def test_what_is_too_dear_for_a_list_is_left_out_of_a_round_robin(own: Project) -> None:
    path = own.root / "experiments" / "round.yaml"
    text = (
        "title: x\nagents: [random]\ngames: 1\nvary:\n  base: rengo/base\n"
        "  prices: [source, {碁: {free: 20, each: 11}}]\n"
        "  first_army: [mine, lone-king]\n  second_army: [mine, stone-wall]\n"
    )
    path.write_text(text, encoding="utf-8")
    loaded = experiment.load_experiment(path, own)
    assert [ruleset.settings["prices"] for ruleset in loaded.rulesets] == ["source"] * 4
    assert loaded.left_out[0].endswith(", first_army=mine, second_army=mine: mine costs 110 of 100 points")
    assert loaded.left_out[1].endswith(": stone-wall costs 1030 of 100 points; mine costs 110 of 100 points")
    # A mistake in a file is none of prices.
    write(own.root, "armies/mine", LONE + "hand: {碁: 30}\nidee: x\n")
    with pytest.raises(InputError, match="expected a key of an army, found 'idee'"):
        experiment.load_experiment(path, own)


def test_a_new_ruleset_may_be_given_prices(own: Project) -> None:
    base = load(own, "base")
    path = workspace.new_ruleset("mapped", base, "", own, ["prices={飛: 12, 碁: {free: 20}}"])
    assert load(own, "mapped").settings["prices"] == "飛 12; 碁 free 20"
    assert "prices: 飛 12; 碁 free 20" in path.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="expected the price of 飛, a whole number from 0 to 1000, found -1"):
        workspace.new_ruleset("wrong", base, "", own, ["prices={飛: -1}"])
    template = workspace.new_ruleset("all", base, "", own).read_text(encoding="utf-8")
    assert "  # prices: source" in template and "  #   - prices such as {金: 7, 碁: {free: 0}}: Units" in template
