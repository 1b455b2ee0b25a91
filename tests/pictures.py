"""The pictures of the guide: ``python -m tests.pictures`` takes them anew from the report on the sample."""

from __future__ import annotations

from pathlib import Path

from tests.browser import chromium

REPORTS = Path(__file__).resolve().parent.parent / "reports"
PLACES = {"answer": "#answer", "scores": "#scores figure >> nth=0", "change": "#change-2", "replay": "#viewer"}


def main() -> None:
    """Writes ``reports/pictures``."""
    (REPORTS / "pictures").mkdir(exist_ok=True)
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 960, "height": 900}, color_scheme="light")
        page.goto((REPORTS / "sample" / "report.html").as_uri())
        for lang, suffix in (("en", ""), ("ja", ".ja")):
            page.click(f"button[data-lang={lang}]")
            page.locator("#viewer").press("End")
            for name, place in PLACES.items():
                page.locator(place).screenshot(path=REPORTS / "pictures" / f"{name}{suffix}.png")


if __name__ == "__main__":
    main()
