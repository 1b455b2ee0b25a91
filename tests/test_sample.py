"""Reports say and draw what they did: the committed sample, and four texts on fixed records."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests import few, golden
from tests.alike import apart
from tests.report_folders import copy_records
from workbench import report
from workbench.cli import app
from workbench.records import trials
from workbench.records.trials import Trials
from workbench.statistics import tables

TESTS = Path(__file__).resolve().parent
SAMPLE, SHIPPED = TESTS / "data" / "sample", TESTS.parent / "reports" / "sample"


def marks(svg: Path) -> list[str]:
    """The named artists of a chart, each with its path data; fonts and versions leave them alone."""
    text = svg.read_text(encoding="utf-8")
    return re.findall(r'<g id="((?:dot|title|title_ja|survival|median|text|course|band|behind)/[^"]+)">', text)


@pytest.mark.thorough
def test_the_sample_is_rebuilt_from_its_records(tmp_path: Path) -> None:
    copy_records(SHIPPED, tmp_path)
    report.write_report(tmp_path)
    # The committed page knows where the guide to it lies.
    guide = re.compile(r"<footer>.*?</footer>", re.DOTALL)
    for name in ("summary.csv", "report.md", "report.html"):
        pages = [guide.sub("", (folder / name).read_text(encoding="utf-8")) for folder in (tmp_path, SHIPPED)]
        assert apart(*pages) == [], name
    assert 'href="../how-to-read.md"' in (SHIPPED / "report.html").read_text(encoding="utf-8")
    for chart in ("answer.svg", "lengths.svg", "portraits.svg"):
        assert marks(SHIPPED / chart)
        assert marks(tmp_path / chart) == marks(SHIPPED / chart)
    for chart in ("answer.png", "lengths.png", "portraits.png"):
        assert (SHIPPED / chart).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_no_number_of_the_sample_is_nan() -> None:
    table = pq.read_table(SAMPLE / "trials")
    numbers = [name for name in table.schema.names if pa.types.is_floating(table.schema.field(name).type)]
    assert not [name for name in numbers if pc.any(pc.is_nan(table[name])).as_py()]
    assert 0 < pc.mean(table["drama"]).as_py() < 1


@pytest.mark.thorough
def test_the_page_on_very_many_games_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables._CellGames, "correlations", lambda self: {})
    few, many = tmp_path / "few", tmp_path / "many"
    for folder, most in ((few, trials.MANY_GAMES), (many, 1)):
        monkeypatch.setattr(trials, "MANY_GAMES", most)
        copy_records(SAMPLE, folder)
        made = report.write_report(folder)
    assert made.trials.files and "drama" not in made.trials.games
    for path in [Path("summary.csv"), Path("report.md"), *(path.relative_to(few) for path in few.glob("tables/*"))]:
        assert apart(*((folder / path).read_text(encoding="utf-8") for folder in (many, few))) == [], path


def test_the_games_have_a_digest_that_two_people_can_compare(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["check", str(SHIPPED)])
    assert (told.exit_code, told.stdout) == (0, f"{SHIPPED}: 7,680 games, digest 201d14fc302f9543b4278fb88eddb62b\n")
    trials = pd.read_parquet(SHIPPED / "trials")
    digest = Trials.of(trials).digest()
    assert digest.startswith("201d14fc302f9543")
    # Neither the order of rulesets nor the name of the experiment makes other games.
    assert Trials.of(trials.iloc[::-1].assign(experiment="another")).digest() == digest
    result = trials["result"].to_numpy(copy=True)
    result[7] = "draw" if result[7] != "draw" else "first"
    trials["result"] = result
    assert Trials.of(trials).digest() != digest


def test_no_field_of_a_text_is_left_unfilled() -> None:
    for name in ("report.html", "report.md"):
        text = re.sub(r"<(style|script)\b.*?</\1>", "", (SHIPPED / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        assert set(re.findall(r"\{\w+(?::[^}]*)?\}", text.replace("\\", ""))) == set(), name


@pytest.mark.parametrize("name", few.first(1, golden.EXPERIMENTS))
def test_a_report_says_what_it_said(name: str, in_the_checkout: None) -> None:
    kept = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert apart(golden.EXPERIMENTS[name](), kept) == [], "python -m tests.golden --write writes it anew"
