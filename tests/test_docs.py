"""Pages know every command, show what is printed, link to what is there, and have the figures of their tables."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
import typer
import yaml
from scipy.stats import chi2, chi2_contingency
from typer.testing import CliRunner

import workbench as wb
from tests.alike import apart
from tests.notebooks import NOTEBOOKS, executed, shown
from tests.report_folders import SAMPLE
from tests.results import CELLS, KEPT, keep, lengths_at_once, table_of_levels
from workbench.cli import app
from workbench.experiments import experiment, workspace

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "README.ja.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES if page.exists()}
COMMANDS = list(typer.main.get_group(app).commands)


def test_help_lists_all_commands_in_groups_and_in_the_order_of_their_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    listed = CliRunner().invoke(app, ["--help"]).stdout.partition("\nMain commands:\n")[2].partition("\n  Examples:")[0]
    groups = [re.findall(r"(?m)^[A-Z][\w ]+:$|(?<=^  )[a-z-]+", group) for group in listed.split("\n\n")]
    assert [" ".join(group) for group in groups] == [
        "init new check plan run report studio",
        "Rules: list rules show diff import-rules idea",
        "Questions and answers: effects search why",
        "Players: train show-player handicap ladder solve",
        "Games: play moves games import-games",
        "For developers: perft schema bench signature check-game",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_one_a_line(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = CliRunner().invoke(app, [command, "--help"]).stdout
    _, examples, lines = text.partition("  Examples:\n")
    assert examples
    for line in lines.strip().splitlines():
        assert re.match(rf"    (cd [\w-]+ && )?workbench ({command}|run)\b", f"    {line.strip()}")


def test_each_command_says_in_the_list_what_it_does_uncut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(app, ["--help"]).stdout
    assert "..." not in text.replace("[ARGS]...", "")


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_documentation_names_every_command(command: str) -> None:
    assert any(f"workbench {command}" in text for text in TEXTS.values())


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
def test_the_front_page_stays_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 110
    assert len(TEXTS["README.ja.md"].splitlines()) <= 110


def headings(text: str) -> set[str]:
    """The anchors of a page, as its headings make them."""
    lines = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", TEXTS)
def test_links_and_pictures_of_a_page_are_there(page: str) -> None:
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", TEXTS[page]):
        path, _, anchor = target.partition("#")
        linked = (folder / path).resolve() if path else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in headings(linked.read_text(encoding="utf-8")), f"{page} links to {target}"


@pytest.mark.parametrize("page", TEXTS)
def test_experiments_and_rulesets_that_a_page_names_are_there(page: str) -> None:
    for name in re.findall(r"workbench run ([\w-]+)", TEXTS[page]):
        assert name in ("my-question", "pie") or (ROOT / "experiments" / f"{name}.yaml").exists(), f"{page}: {name}"


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
@pytest.mark.parametrize("page", ["docs/new-game", "docs/hex"])
def test_the_japanese_page_of_a_new_game_shows_what_the_test_of_the_english_one_runs(page: str) -> None:
    shown, run = (re.findall(r"(?ms)^```.*?^```$", TEXTS[f"{page}{end}"]) for end in (".ja.md", ".md"))
    assert shown == run != []


BLOCKS = [block for text in TEXTS.values() for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)]
EXAMPLES = sorted(
    {
        (command, output)
        for block in BLOCKS
        for command, output in re.findall(r"\$ workbench (.*)\n((?:[^$].*\n|\n)*)", block)
    }
)


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_pages_show_what_is_printed(command: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(README.parent)
    monkeypatch.setenv("COLUMNS", "100")
    result = CliRunner().invoke(app, shlex.split(command))
    printed = result.output + str(result.exception)
    for line in output.splitlines():
        # A shown line may end in an ellipsis, and lines may be left out at the end.
        assert line.removesuffix("…") in printed


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    assert "pip install --no-compile -e '.[dev]' -c constraints.txt && .venv/bin/python -m pytest" in readme
    assert "--no-compile -e '.[dev]' -c constraints.txt" in ci
    assert "\n  python -m pytest" in ci


@pytest.mark.parametrize("name", workspace.EDITOR)
def test_the_settings_of_the_editor_are_those_that_init_writes(name: str) -> None:
    assert json.loads((ROOT / name).read_text(encoding="utf-8")) == workspace.EDITOR[name]


PARTS = [
    block
    for text in TEXTS.values()
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    if not block.startswith("# ") and "players.cautious" not in block
]
QUESTION = {"title": "A page's example", "rulesets": ["chess/orthodox"], "agents": ["random"], "games": 10}


@pytest.mark.parametrize("part", PARTS, ids=[part.split(":")[0] for part in PARTS])
def test_parts_of_experiments_that_a_page_shows_are_right(part: str, tmp_path: Path) -> None:
    # A key that is shown twice is shown in two ways.
    for text in re.split(r"(?m)^(?=openings:)", part):
        if own := yaml.safe_load(text):
            rest = {key: value for key, value in QUESTION.items() if key not in own}
            if "published" in own:
                rest |= {"rulesets": list(own["published"]["results"]), "baseline": "chess/orthodox"}
            elif "f9" in text:
                rest["rulesets"] = ["chatra/2007-09"]
            file = tmp_path / "question.yaml"
            file.write_text(text + yaml.safe_dump(rest), encoding="utf-8")
            experiment.load_experiment(file)


# Notebooks


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


# Results


PAGE = KEPT.with_suffix(".md")
TEXT = PAGE.read_text(encoding="utf-8")
FLAT = " ".join(TEXT.split())
KEEPS = sorted(folder.name for folder in KEPT.glob("*/"))
CITED = re.compile(r"`workbench\s+run\s+([\w-]+)`")
NUMBER = r"[−+]?\d[\d,]*(?:\.\d+)?"
ESTIMATE = re.compile(rf"({NUMBER})(?: %)?[^()|\d]{{0,40}}\(({NUMBER})(?:–|…)({NUMBER})\)")
"""An estimate with its interval, as the page writes them: 52.3 % (46.8–57.8), −1.4 (−9.4…+6.7)."""
SHARE = re.compile(rf"({NUMBER}) %")


CITED_IN = {
    headings(f"# {part}").pop(): frozenset(CITED.findall(part)) for part in re.split(r"(?m)^#+ ", TEXT) if part.strip()
}
"""The experiments that each section of the page cites."""
QUESTIONS = re.findall(r"(?m)^\| \[[^]]+\]\(#([\w-]+)\) (\|.*)\|$", TEXT)
"""The rows of the page's first table: the section that a row links to, and what follows the link."""


def passages() -> Iterator[tuple[frozenset[str], str]]:
    """The paragraphs and tables of the page, each with the experiments that it or the last one before it cites."""
    yield from ((CITED_IN[anchor], row) for anchor, row in QUESTIONS)
    cited: frozenset[str] = frozenset()
    for passage in TEXT.split("\n\n"):
        if passage.startswith("#"):
            cited = frozenset()
        cited = frozenset(CITED.findall(passage)) or cited
        yield cited, " ".join(passage.split())


def tables(experiment: str) -> list[pd.DataFrame]:
    """All tables that are kept; scores of strong play as reports write them, from 0 to 1."""
    found = [pd.read_csv(path) for path in sorted((KEPT / experiment).glob("*.csv"))]
    for table in found:
        if {"now", "compared"} <= set(table):
            scores = (table["measure"] == "first_score") & ~table["compared"]
            table.loc[scores, ["now", "now_low", "now_high"]] += 0.5
    return found


def ends(table: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """The columns that hold the ends of an interval."""
    for low in (name for name in table if re.fullmatch(r"(.*_)?low", str(name))):
        yield str(low), f"{str(low).removesuffix('low')}high"


def close(values: object, text: str) -> Any:
    """Which values round to what is written, as a number, in per cent, or as the opposite of either."""
    number = float(text.replace("−", "-").replace(",", "").replace("+", ""))
    unit = 10.0 ** -len(text.partition(".")[2])
    column = np.asarray(values, dtype=np.float64)
    return np.abs(np.abs(np.stack([column, 100 * column])) - abs(number)).min(axis=0) <= unit / 2 + 1e-6


def holds(table: pd.DataFrame, value: str, one: str, other: str) -> bool:
    """Whether a row of the table has this estimate and the ends of its interval."""
    numbers = table.select_dtypes("number")
    rows = np.any([close(numbers[name], value) for name in numbers], axis=0)
    return any(
        (rows & close(table[low], first) & close(table[high], second)).any()
        for low, high in ends(table)
        for first, second in ((one, other), (other, one))
    )


@pytest.mark.parametrize("experiment", KEEPS)
def test_figures_of_the_page_are_those_of_its_tables(experiment: str) -> None:
    """Every estimate with an interval is in one row of a table; every other share is at least in some table."""
    wrong = []
    for cited, text in passages():
        if experiment in cited and cited <= set(KEEPS):
            of_passage = [table for name in cited for table in tables(name)]
            wrong += [
                e[0] for e in ESTIMATE.finditer(text) if not any(holds(table, *e.groups()) for table in of_passage)
            ]
            wrong += [
                share[0] for share in SHARE.finditer(text) if not any(has(table, share[1]) for table in of_passage)
            ]
    assert wrong == []


def has(table: pd.DataFrame, share: str) -> bool:
    return any(close(column, share).any() for _, column in table.select_dtypes("number").items())


def test_the_words_of_combinations_are_their_verdicts() -> None:
    verdicts = pd.read_csv(KEPT / "chatra-proposals" / "strong_verdicts.csv")
    verdicts = verdicts[verdicts["compared"] & (verdicts["measure"] == "first_score")]
    settled = {"less": "fairer, settled", "none": "no difference that matters"}
    for row in verdicts.to_dict("records"):
        word = settled.get(row["direction"], "fairer, likely" if row["likely_fairer"] >= 0.8 else "cannot tell yet")
        name = re.escape(row["ruleset"].partition("/")[2])
        assert re.search(rf"(?m)^\| {name} \| .* \| {word} \| (> )?\d+ % \|$", TEXT), name


def test_budgets_differ_by_no_more_than_chance_as_the_page_says() -> None:
    """Pearson's test of homogeneity of every row from rung to rung, and the steps from a budget to the next."""
    cells = pd.read_csv(KEPT / "chatra-rungs" / "summary.csv")
    rows = cells.groupby(["ruleset", cells["first"].str.replace(r"-\d+k-", "-", regex=True)], sort=False)
    tests = [chi2_contingency(row[["first_wins", "second_wins"]], correction=False) for _, row in rows]
    statistic, freedom = sum(test.statistic for test in tests), sum(test.dof for test in tests)
    large = sum((row["first_score"].diff().abs() > 0.05 + 1e-9).sum() for _, row in rows)
    assert f"(χ² = {statistic:.1f} with {freedom} degrees of freedom, p = {chi2.sf(statistic, freedom):.2f})" in FLAT
    assert f"Of the {freedom} steps from a budget to the next, {large} are larger than five points" in FLAT


def test_the_tables_of_every_experiment_of_the_page_are_kept_and_listed() -> None:
    listed = TEXT.partition("## What the figures come from")[2].partition("\n## ")[0]
    assert set(re.findall(r"\]\(results/([\w-]+)/summary\.csv\)", listed)) == set(KEEPS)
    assert set(CITED.findall(TEXT)) <= set(KEEPS)


def test_the_first_table_has_a_row_with_the_games_and_the_day_of_every_experiment() -> None:
    asked = set()
    for anchor, row in QUESTIONS:
        *_, games, day = (cell.strip() for cell in row.split("|"))
        asked |= {(name, games, day) for name in CITED_IN[anchor] if games != "–"}
    for name in KEEPS:
        started = json.loads((KEPT / name / "provenance.json").read_text(encoding="utf-8"))["started"]
        games = pd.read_csv(KEPT / name / "summary.csv")["games"].sum()
        assert (name, f"{games:,}", f"{datetime.fromisoformat(started):%-d %b}") in asked


@pytest.mark.parametrize("experiment", KEEPS)
def test_what_is_kept_is_small_and_says_where_it_comes_from(experiment: str) -> None:
    assert sum(path.stat().st_size for path in (KEPT / experiment).iterdir()) < 350_000
    said = json.loads((KEPT / experiment / "provenance.json").read_text(encoding="utf-8"))
    summary = pd.read_csv(KEPT / experiment / "summary.csv")
    assert said["experiment"]["name"] == experiment and said["engines"] and said["digests"]
    assert set(said["rulesets"]) == set(summary["ruleset"])
    # Games that go to those who may be the fairest are fewer for the others.
    most, ends_early = said["experiment"]["games"], "until" in said["experiment"]
    # A baseline in many differences may have more.
    games = summary["games"][summary["ruleset"] != said["experiment"]["baseline"]]
    games = games if len(games) else summary["games"]
    assert games.max() == most and (ends_early or (games == most).all())


def test_the_tables_of_a_report_folder_are_kept(tmp_path: Path) -> None:
    kept = keep(SAMPLE, tmp_path)
    assert kept.name == "quickstart" and {path.name for path in kept.iterdir()} == {
        "summary.csv",
        "comparisons.csv",
        "provenance.json",
    }
    mine, whole = pd.read_csv(kept / "summary.csv"), pd.read_csv(SAMPLE / "summary.csv")
    assert list(mine) == CELLS and mine["first_score"].to_numpy() == pytest.approx(whole["first_score"], rel=1e-5)


def test_lengths_of_all_rulesets_and_budgets_hold_at_once(tmp_path: Path) -> None:
    labels, options = ["weak-1", "weak-2", "random"], [{"nodes": 500}, {"nodes": 500}, {}]
    said = {"pairings": [{"first": label, "first_options": each} for label, each in zip(labels, options, strict=True)]}
    rows = [("a", "weak-1", 50.0), ("a", "weak-2", 60.0), ("a", "random", 99.0), ("b", "weak-1", 80.0)]
    cells = pd.DataFrame(rows, columns=["ruleset", "first", "plies_mean"])
    cells["plies_mean_low"], cells["plies_mean_high"] = cells["plies_mean"] - 3.92, cells["plies_mean"] + 3.92
    cells.to_csv(tmp_path / "summary.csv")
    found = lengths_at_once(tmp_path, said).set_index("ruleset")
    assert found["value"].to_dict() == {"a": 55.0, "b": 80.0}
    # Two intervals at once reach 2.24 standard errors; the mean of two players has the error of each over √2.
    reach = found["value_high"] - found["value"]
    assert reach["a"] == pytest.approx(2.236 * 2 / 2**0.5, rel=1e-3) and reach["b"] == pytest.approx(4.473, rel=1e-3)


def test_the_table_of_levels_is_in_the_order_of_draws_and_counts_pairs_that_differ(tmp_path: Path) -> None:
    levels = [
        (name, measure, nodes, value + shift, value + shift - 0.1, value + shift + 0.1)
        for name, shift in (("x/few", 0.0), ("x/many", 0.3))
        for measure, value, budgets in (
            ("first_score", 0.4, (500, 4000)), ("draw_rate", 0.2, (500, 4000)),
            ("draw_rate a doubling", -0.5, (np.nan,)), ("plies_mean", 70, (500, 4000)),
        )
        for nodes in budgets
    ]  # fmt: skip
    columns = ["ruleset", "measure", "nodes", "value", "value_low", "value_high"]
    pd.DataFrame(levels, columns=columns).to_csv(tmp_path / "levels.csv", index=False)
    pairs = {
        "ruleset": ["x/few"],
        "other": ["x/many"],
        "measure": ["draw_rate"],
        "difference_low": [-0.5],
        "difference_high": [-0.1],
    }
    pd.DataFrame(pairs).to_csv(tmp_path / "pairs.csv", index=False)
    head, _, many, few, *told = table_of_levels(tmp_path).splitlines()
    assert head.startswith("| ruleset | draws, 500 nodes | draws, 4,000 |")
    assert many.startswith(
        "| many | 50.0 % (40.0–60.0) | 50.0 % (40.0–60.0) | −20.0 (−30.0…−10.0) | 70.0 % (60.0–80.0) |"
    )
    assert few.startswith("| few | 20.0 % (10.0–30.0) |")
    assert told[0] == "draw_rate: 1 of 1 pairs differ" and told[1].strip() == "many is not told from"
