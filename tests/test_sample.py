"""The committed sample report is what the workbench makes of its records today."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from workbench import report

SAMPLE = Path(__file__).resolve().parent.parent / "reports" / "sample"


def marks(svg: Path) -> list[str]:
    """The named artists of a chart, each with its path data; fonts and versions leave them alone."""
    text = svg.read_text(encoding="utf-8")
    return re.findall(r'<g id="((?:dot|title|title_ja|survival|median|text)/[^"]+)">', text)


def test_the_sample_is_rebuilt_from_its_records(tmp_path: Path) -> None:
    for name in ("trials.parquet", "provenance.json"):
        shutil.copy(SAMPLE / name, tmp_path)
    report.write(tmp_path)
    for name in ("summary.csv", "report.md"):
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes()
    # The committed page knows where the guide to it lies.
    guide = re.compile(r"<footer>.*?</footer>", re.DOTALL)
    pages = [guide.sub("", (folder / "report.html").read_text(encoding="utf-8")) for folder in (tmp_path, SAMPLE)]
    assert pages[0] == pages[1]
    assert 'href="../how-to-read.md"' in (SAMPLE / "report.html").read_text(encoding="utf-8")
    for chart in ("first_score.svg", "lengths.svg"):
        assert marks(SAMPLE / chart)
        assert marks(tmp_path / chart) == marks(SAMPLE / chart)
    for chart in ("first_score.png", "lengths.png"):
        assert (SAMPLE / chart).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
