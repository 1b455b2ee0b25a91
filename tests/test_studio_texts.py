"""Texts of the studio: both languages, none missing, none too many; and changes to the text of a YAML file."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.report_folders import SAMPLE
from tests.studio import Studio, opened, own_project, page_of, store_of
from tests.test_language import NAMES as TERMS
from workbench import games
from workbench import studio as package
from workbench.base import yamlfile
from workbench.base.errors import InputError
from workbench.base.project import Project
from workbench.games.declaration import Setting
from workbench.rules import rulesets
from workbench.rules.edits import RulesetReading, read_ruleset_text, set_entry, set_text_key, yaml_scalar
from workbench.studio import game_tasks, visitor
from workbench.studio.jobs import Queue
from workbench.studio.pages import home
from workbench.studio.pages.play.kept import own_text
from workbench.studio.pages.rules import view as rules_view
from workbench.studio.visitor import Visitor, preferred_language, problem_view

FOLDER = Path(package.__path__[0])
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.parent.rglob("*.js")}


def test_every_text_of_a_script_is_a_message() -> None:
    calls = sum(len(re.findall(r"\btrc?\([\"']", content)) for content in SCRIPTS.values())
    found = sum(len(visitor._CALL.findall(content)) for content in SCRIPTS.values())
    assert calls == found and len(visitor.script_messages()) > 200
    # A double quote would end the attribute of a template, and leave the page empty.
    assert not [name for name, content in SCRIPTS.items() if re.search(r'="[^"]*\btrc?\("', content)]
    assert visitor.script_texts("en") == {} and visitor.script_texts("ja")["Undo"] == "元に戻す"


def test_scripts_hold_no_words_of_their_own() -> None:
    for name, content in SCRIPTS.items():
        code = re.sub(r"//.*", "", content)
        assert not re.findall(r">\s*[A-Za-z]{3,}[^<{}]*<", code), name
        assert not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", code), name


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("ja", "ja"), ("ja-JP,en;q=0.5", "ja"), ("en-GB,ja", "en"), ("fr, ja;q=0.2", "ja"), ("ja;q=0", "en"),
     ("ja;q=x", "en"), ("de", "en"), (";;,,", "en")],
)  # fmt: skip
def test_the_language_is_the_one_that_the_browser_likes_best(accepted: str, language: str) -> None:
    assert preferred_language({}, accepted) == language
    assert preferred_language({"workbench-language": "ja"}, accepted) == "ja"
    assert preferred_language({"workbench-language": "<b>"}, accepted) == language


DRAWN = "|\n..x\nx.."
AREA = "rules:\n  area: |\n    ..x\n    x..\n"
PRICES = "rules:\n  prices:\n    飛: 12\n    碁:\n      free: 20\n  five: true\n# end\n"
BLOCK = "# mine\ngame: star\nrules:\n    size: 4   # small\n    foul: off\n# end\n"


@pytest.mark.parametrize(
    ("text", "toggle", "setting", "after"),
    [
        (BLOCK, "size", 3, BLOCK.replace("size: 4", "size: 3")),
        (BLOCK, "pieces", 2, BLOCK.replace("foul: off\n", "foul: off\n    pieces: 2\n")),
        (BLOCK, "size", None, BLOCK.replace("    size: 4   # small\n", "")),
        (BLOCK, "pieces", None, BLOCK),
        ("game: star", "size", 4, "game: star\nrules:\n  size: 4\n"),
        ("game: star\nrules:", "size", 4, "game: star\nrules:\n  size: 4\n"),
        ("rules:   # none\ngame: star\n", "size", 4, "rules:   # none\n  size: 4\ngame: star\n"),
        ("rules: {}\ngame: star\n", "size", 4, "rules: {size: 4}\ngame: star\n"),
        ("rules: {size: 4, foul: off}\n", "pieces", 2, "rules: {size: 4, foul: off, pieces: 2}\n"),
        ("rules: {size: 4, foul: off}\n", "size", None, "rules: {foul: off}\n"),
        ("rules: {size: 4, foul: off}\n", "foul", None, "rules: {size: 4}\n"),
        ("rules: {size: 4}\n", "size", None, "rules: {}\n"),
        ("rules:\n  size:\n  foul: off\n", "size", 4, "rules:\n  size: 4\n  foul: off\n"),
        ("rules:\n  size: 'x'\n", "size", "12", 'rules:\n  size: "12"\n'),
        ("rules:\n  five: true", "five", False, "rules:\n  five: false"),
    ],
)
def test_a_rule_is_written_as_a_person_would(text: str, toggle: str, setting: Setting | None, after: str) -> None:
    changed = set_entry(text, "rules", toggle, None if setting is None else yaml_scalar(setting))
    assert changed == after
    rules = yamlfile.parse_yaml(changed, "x").plain().get("rules") or {}
    assert rules.get(toggle) == setting


@pytest.mark.parametrize(
    ("text", "key", "written", "after"),
    [
        ("rules:\n", "area", DRAWN, AREA),
        (AREA, "area", "|\nxxx\nx..", AREA.replace("..x", "xxx")),
        (AREA, "area", "off", "rules:\n  area: off\n"),
        (AREA, "area", None, "rules:\n"),
        ("rules:\n  area: off\ntitle: x\n", "area", DRAWN, AREA + "title: x\n"),
        ("rules: {size: 9}\n", "area", DRAWN, 'rules: {size: 9, area: "..x/x.."}\n'),
        (PRICES, "prices", "{飛: 3}", "rules:\n  five: true\n  prices: {飛: 3}\n# end\n"),
        (PRICES, "prices", None, "rules:\n  five: true\n# end\n"),
        ("rules:\n  prices:\n    飛: 12\ntitle: x\n", "prices", "source", "rules:\n  prices: source\ntitle: x\n"),
        (
            "rules:\n  prices:\n    飛: 12\ntitle: x\n",
            "ko",
            "off",
            "rules:\n  prices:\n    飛: 12\n  ko: off\ntitle: x\n",
        ),
    ],
)
def test_an_entry_of_several_lines_is_written_and_replaced_whole(
    text: str, key: str, written: str | None, after: str
) -> None:
    assert set_entry(text, "rules", key, written) == after


@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        ("title: a  # why\nb: 1\n", "new: 'x'", "title: \"new: 'x'\"  # why\nb: 1\n"),
        ("game: star\nrules:\n", "new", 'game: star\ntitle: "new"\nrules:\n'),
        ("title: >\n  long\n  text\nb: 1\n", "new", 'title: "new"\nb: 1\n'),
        ("title: a\nb: 1\n", "", "b: 1\n"),
    ],
)
def test_a_title_is_written_as_a_person_would(text: str, content: str, after: str) -> None:
    assert set_text_key(text, "title", content) == after


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "rules: 3\n", "\tx: 1\n"])
def test_what_is_no_yaml_is_left_alone(text: str) -> None:
    with pytest.raises(InputError):
        set_entry(text, "rules", "size", "4")


def test_the_first_page_lists_what_was_begun_and_nothing_else(tmp_path: Path) -> None:
    project = Project(own_project(tmp_path, "star"))
    store, queue = store_of(project), Queue(project)
    assert list(home.unfinished_work(store, queue)) == []
    draft = store.draft("star/5x5", "new")
    draft.set_toggle("stuck", "draw")
    store.save_draft(draft)
    undone = store.draft("star/4x4", "new")
    undone.set_toggle("stuck", "draw")
    undone.undo()
    store.save_draft(undone)
    reading = store.peek("star/4x4", "file").read()
    assert reading.ruleset is not None
    game = {"text": own_text(reading, "Four"), "plies": 1}
    store.autosave.store("games", f"file star/4x4 {reading.ruleset.fingerprint}", game)
    store.autosave.store("games", f"file star/no-more {reading.ruleset.fingerprint}", game)
    (tmp_path / "rulesets" / "star" / "zzz.yaml").write_text("game: star\nextends: 5x5\ntitle: Mine\n")
    shutil.copytree(SAMPLE, tmp_path / "reports" / "sample")
    begun = [(what, address) for what, _, address in home.unfinished_work(store, queue)]
    assert begun == [
        ("Latest answer", "/report/sample"), ("The star game – Draft", "/rules/star/5x5"),
        ("The star game – Game in progress", "/play/file/star/4x4"),
        ("The star game – Your proposal", "/edit/star/zzz"),
    ]  # fmt: skip


def test_the_picture_of_a_number_is_the_one_that_is_chosen() -> None:
    other, shown = (game_tasks.draw_witness("chatra", "size", *sizes, False) for sizes in ((9, 12), (12, 9)))
    assert other is None and shown
    assert shown["captions"][0]["text"].startswith("On 9×9")


def test_a_board_on_which_both_choices_look_the_same_is_not_shown() -> None:
    assert game_tasks.draw_witness("chatra", "opening", "subject-first", "objects-first", False) is None


def book_of(reading: RulesetReading) -> list[dict[str, Any]]:
    return list(rules_view.RulesView(reading, Project(Path()), Visitor("en", "light")).book())


def test_the_rule_book_has_the_headings_of_the_choices(in_the_checkout: None) -> None:
    reading = read_ruleset_text(Project(Path()), "chatra/mine", "game: chatra\nextends: 2007-09\ntitle: M\n")
    book = book_of(reading)
    titles = [str(title) for title, _ in reading.family.grouped()]
    assert [line["heading"] for line in book if line["heading"]] == ["Overview", *titles[: len(titles) - 1]]
    groups = {toggle.name: str(title) for title, toggles in reading.family.grouped() for toggle in toggles}
    heading = ""
    for line in book:
        heading = line["heading"] or heading
        assert heading == groups.get(line["toggle"], "Overview")


def test_the_rule_book_of_a_draft_says_what_no_longer_happens(in_the_checkout: None) -> None:
    text = "game: chess\nextends: king-of-the-hill\ntitle: M\nrules:\n  flag: none\n"
    reading = read_ruleset_text(Project(Path()), "chess/mine", text)
    book = {line["text"]: line["was"] for line in book_of(reading)}
    assert "a king on d4" in book["No square wins the game."]
    assert "The number of checks does not matter." not in book


@pytest.mark.parametrize("name", ["chatra/9x9", "star/4x4", "draughts/canadian", "rengo/othello8"])
def test_a_rule_book_has_pictures_that_fit_its_board(in_the_checkout: None, name: str) -> None:
    base = rulesets.load_ruleset(name)
    for toggle in games.declaration(base.game).toggles:
        for value in toggle.values:
            with contextlib.suppress(InputError):
                changed = rulesets.derive_ruleset(base, {toggle.name: value.name}, f"{base.game}/changed", "changed")
                game_tasks.draw_book(changed, {toggle.name: base.settings[toggle.name]})


def test_mistakes_call_rules_by_their_titles(in_the_checkout: None) -> None:
    text = "game: chess\nextends: orthodox\ntitle: M\nrules:\n  goal: lose-all\n  king: checkmate\n"
    reading = read_ruleset_text(Project(Path()), "chess/mine", text)
    (problem,) = [problem_view(one, Visitor("ja", "light"), reading.family) for one in reading.problems]
    assert (problem["key"], problem["about"]) == ("rules.king", "チェックとキングの捕獲")
    assert "「チェックとキングの捕獲：詰みで勝ち」" in problem["message"] and "goal: lose-all" not in problem["message"]


# Japanese pages


TEXTS = """() => {
  const apart = "script, style, code, pre, textarea, option, svg, .moves, [lang=en]", texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!element.closest(apart) && element.checkVisibility()) texts.push(walk.currentNode.textContent);
  }
  for (const name of ["aria-label", "title", "placeholder", "alt"])
    for (const element of document.querySelectorAll(`[${name}]:not([lang=en])`)) texts.push(element.getAttribute(name));
  return texts;
}"""
"""What is read on a page, and what is read out."""
PATHS = re.compile(r"[\w.+-]*[/_`.+-][\w./+`-]*|`[^`]*`|「[^」]*」")
NAMES = TERMS | {"question", "workbench", "studio", "alphabeta", "greedy", "random", "best", "first", *games.names()}
NAMES |= {name.rpartition("/")[2] for name in rulesets.ruleset_names()}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "star")
    (project / "experiments" / "question.yaml").write_text(
        "title_ja: 問い\nrulesets: [star/4x4, star/5x5]\nagents: [random]\ngames: 200\n"
    )
    shutil.copytree(SAMPLE, project / "reports" / "sample")
    with opened(project) as studio:
        yield studio


def english(texts: list[str]) -> list[str]:
    return [
        word
        for text in texts
        for word in re.findall("(?<![A-Za-z])[a-z]{3,}", PATHS.sub(" ", text))
        if word not in NAMES
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", ".cards"),
        ("/rules/star/5x5", ".chosen, .option"),
        ("/?game=star&idea=駒を二個ずつ", ".near"),
        ("/?game=star&idea=zebra", ".nothing"),
        ("/book/file/star/4x4", ".handout figure svg"),
        ("/history/file/star/4x4", "[data-version]"),
        ("/play/file/star/4x4", ".stage svg.board"),
        ("/ask/file/star/four-pieces", "[data-do=start]"),
        ("/report/question", "[data-do=play]"),
        ("/answers", "[data-report=question] [data-do=play]"),
        ("/report/sample", ".report-view .lead"),
        ("/compare?report=sample", ".compare tbody tr"),
        ("/new-search", ".counted p"),
        ("/rules/star/nothing-of-that-name", "#main"),
        ("/nothing", "#main"),
    ],
)
def test_a_page_has_no_english_words(chromium: Browser, studio: Studio, path: str, shown: str) -> None:
    with page_of(chromium, studio, path, quiet=True, locale="ja-JP") as page:
        page.wait_for_selector(shown)
        expect(page.locator("html")).to_have_attribute("lang", "ja")
        assert not english(page.evaluate(TEXTS))
