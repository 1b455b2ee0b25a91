"""The pictures of the README and the guide, in both languages: ``python -m tests.pictures`` takes them anew.

Those of the studio are taken of a real one, on a project with the shipped rulesets; those of reports, of the sample.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser import chromium
from tests.studio import ROOT, Studio, new_game, opened, own_project, page_of, show_yaml, unfold

DOCS = ROOT / "docs"
REPORTS = ROOT / "reports"
PLACES = {"answer": "#answer", "scores": "#scores figure >> nth=0", "change": "#change-2", "replay": "#viewer"}
"""What is taken of a report."""
WINDOW = {"width": 1360, "height": 850}
COLOURS = 96
"""Of a picture: enough for text and boards, and a third of the bytes."""


def rules(page: Page, studio: Studio) -> None:
    page.goto(f"{studio.root}/rules/chatra/2007-09")
    show_yaml(page)
    for toggle, value in (("opening", "objects-first"), ("object_area", "away-from-centre")):
        unfold(page)
        page.locator(f"#toggle-{toggle} .option", has=page.locator(f"code:text-is('{value}')")).click()
        page.wait_for_selector(f".book [data-toggle={toggle}].changed")
    page.wait_for_selector(".position svg.board")
    page.evaluate("scrollTo(0, 0)")
    page.locator(".book").evaluate("book => { book.scrollTop = book.querySelector('.changed').offsetTop - 150 }")


def play(page: Page, studio: Studio) -> None:
    page.goto(f"{studio.root}/play/file/chatra/C")
    page.wait_for_selector(".stage svg.board")
    page.select_option("[data-seat='1']", "human")
    new_game(page)
    # The game of the other language was played at the same table.
    page.wait_for_function("!document.querySelector('.side .moves li') && document.querySelector('.target')")
    for n, cell in enumerate(("i10", "f10", "j9", "g10", "k11", "h12"), start=1):
        page.click(f"[data-cell={cell}]")
        page.wait_for_function(f"document.querySelectorAll('.side .moves li').length === {n}")
    page.click("[data-cell=f6]")
    page.wait_for_function("document.querySelector('.why').textContent.trim() !== ''")


def ask(page: Page, studio: Studio) -> None:
    page.goto(f"{studio.root}/ask/file/star/5x5")
    page.wait_for_selector("[data-do=start]")
    if page.locator("[data-do=start]").is_enabled() and not page.locator(".report-view").count():
        page.click("[data-do=start]")
    page.wait_for_selector("[data-level='0'] .done")
    page.wait_for_function("document.querySelector('#main').innerText.includes('%')")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


VIEWS: Mapping[str, Callable[[Page, Studio], None]] = {
    "studio": rules, "studio-play": play, "studio-ask": ask,
}  # fmt: skip


def of_report(browser: Browser) -> None:
    (REPORTS / "pictures").mkdir(exist_ok=True)
    page = browser.new_page(viewport={"width": 960, "height": 900}, color_scheme="light")
    page.goto((REPORTS / "sample" / "report.html").as_uri())
    for lang, suffix in (("en", ""), ("ja", ".ja")):
        page.click(f"button[data-lang={lang}]")
        page.locator("#appendix").evaluate("fold => { fold.open = true; }")
        page.locator("#viewer").press("End")
        for name, place in PLACES.items():
            page.locator(place).screenshot(path=REPORTS / "pictures" / f"{name}{suffix}.png")


def main() -> None:
    """Writes the pictures into ``docs`` and ``reports/pictures``, the Japanese ones with ``.ja`` in their names."""
    families = ("chatra", "chess", "draughts", "rengo", "star")
    with (
        tempfile.TemporaryDirectory() as place,
        chromium() as browser,
        opened(own_project(Path(place), *families)) as studio,
    ):
        of_report(browser)
        for language, suffix in (("en-US", ""), ("ja-JP", ".ja")):
            for name, prepare in VIEWS.items():
                if name != "studio" and suffix:
                    continue  # The guide is in English.
                options: dict[str, Any] = {"viewport": WINDOW, "locale": language, "color_scheme": "light"}
                with page_of(browser, studio, "/", quiet=True, **options) as page:
                    page.set_default_timeout(120_000)
                    prepare(page, studio)
                    page.mouse.move(0, 0)
                    page.wait_for_timeout(2_000)  # colours on their way
                    with Image.open(io.BytesIO(page.screenshot())) as shot:
                        shot.convert("RGB").quantize(COLOURS).save(DOCS / f"{name}{suffix}.png", optimize=True)


if __name__ == "__main__":
    main()
