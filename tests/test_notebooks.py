"""The notebooks of docs/ run, and show what a reader sees in them; the reference has every promised name."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

import workbench as wb
from tests.alike import apart
from tests.notebooks import NOTEBOOKS, executed, shown

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.thorough
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_shows_what_its_cells_give(notebook: Path, tmp_path: Path) -> None:
    """If that is to be something else: python -m tests.notebooks."""
    stored = nbformat.read(notebook, as_version=4)
    for now, then in zip(shown(executed(notebook, tmp_path)), shown(stored), strict=True):
        assert apart("\n".join(now), "\n".join(then)) == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_is_stored_with_a_board_and_a_chart(notebook: Path) -> None:
    kinds = {
        kind
        for cell in nbformat.read(notebook, as_version=4).cells
        for output in cell.get("outputs", ())
        for kind in output.get("data", {})
    }
    assert {"image/svg+xml", "image/png", "text/html"} <= kinds


@pytest.mark.skipif(not (ROOT / "docs" / "api.md").exists(), reason="an installed package has no documentation")
def test_the_reference_has_every_promised_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    documented = {name.rpartition(".")[2] for name in re.findall(r"(?m)^::: (\S+)", page)}
    assert documented == (set(wb.__all__) - {"__version__", "plot"}) | set(wb.plot.__all__)
