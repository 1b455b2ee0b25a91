"""No page of the studio leaves English words in its Japanese, but for names that files and commands have."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.report_folders import SAMPLE
from tests.studio import Studio, opened, own_project, page_of
from workbench import games
from workbench.games.declaration import setting_text
from workbench.questions import rulesets

pytestmark = pytest.mark.thorough
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
NAMES = {"question", "workbench", "studio", "alphabeta", "greedy", "random", "best", "first"}
NAMES |= {
    word
    for name in games.names()
    for toggle in games.declaration(name).toggles
    for word in (toggle.name, *(setting_text(value.name) for value in toggle.values))
}
NAMES |= {name.rpartition("/")[2] for name in rulesets.ruleset_names()} | set(games.names())


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
    """The words in small letters that are no names."""
    return [
        word
        for text in texts
        for word in re.findall("(?<![A-Za-z])[a-z]{3,}", PATHS.sub(" ", text))
        if word not in NAMES
    ]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", ".cards"),
        ("/rules/star/5x5", ".chosen, .option"),
        ("/idea/star?idea=駒を二個ずつ", ".near"),
        ("/idea/star?idea=zebra", ".nothing"),
        ("/play/file/star/4x4", ".stage svg.board"),
        ("/try/file/star/four-pieces", "[data-do=start]"),
        ("/experiments", "[data-experiment=question]"),
        ("/experiment/question", ".size"),
        ("/reports", "[data-report=sample] .scores"),
        ("/compare?report=sample", ".compare tbody tr"),
        ("/rules/star/nothing-of-that-name", "#main"),
        ("/nothing", "#main"),
    ],
)
def test_a_page_has_no_english_words(chromium: Browser, studio: Studio, path: str, shown: str) -> None:
    with page_of(chromium, studio, path, quiet=True, locale="ja-JP") as page:
        page.wait_for_selector(shown)
        expect(page.locator("html")).to_have_attribute("lang", "ja")
        assert not english(page.evaluate(TEXTS))


def test_a_name_that_cannot_be_used_is_refused_in_japanese(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/rules/star/5x5", locale="ja-JP") as page:
        page.click("[data-do=save]")
        page.fill("#save-name", "../x")
        page.click("dialog button[type=submit]")
        expect(page.locator("dialog li")).to_have_count(1)
        assert "NAME" not in page.locator("dialog").inner_text()
        assert not english(page.evaluate(TEXTS))
