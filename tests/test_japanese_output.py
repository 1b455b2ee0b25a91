"""What commands print and a report shows is Japanese, but for names that files and commands have."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from workbench import games
from workbench.cli import app
from workbench.games.declaration import setting_text
from workbench.questions.agent_kinds import KINDS
from workbench.questions.experiment import KEYS
from workbench.statistics.metrics import METRICS

pytestmark = pytest.mark.thorough
SAMPLE = Path(__file__).resolve().parent.parent / "reports" / "sample" / "report.html"
EXPERIMENT = """\
title: A question
title_ja: 問い
rulesets: [star/default, star/two-pieces]
agents: [random, greedy]
games: 40
"""
COMMANDS = (
    "rules star",
    "list star",
    "show star/5x5",
    "diff star/default star/5x5",
    "idea 駒は2つ",
    "idea 反則 --base star/default",
    "run --help",
    "moves star/default",
    "perft star/default 2",
    "play star/default --first random --second greedy --seed 3",
    "play star/default --first random --second greedy --games 3",
    "solve star/default",
    "schema",
    "check question star/default",
    "plan question",
    "run question --workers 1",
    "games reports/question",
    "ladder star/default --agents random --agents greedy --games 40 --workers 1",
    "new star/mine --from star/default --set size=4",
    "new another --experiment",
)
"""Said one after the other, in a folder with one question."""
FAMILIES = [games.declaration(name) for name in games.names()]
SIGNED = re.compile(
    r"""(?xm)
    ^\s+[a-z-]+\ \  | ^\s+(\*\ )?\w+:\ \S+ | \bworkbench\b.* | --[\w-]+ | <[^>]*> | \{[^{}]*\} | \[[\w|.,\ ]+\]
    | 「[^」]*」 | '[^']*' | "[^"]*"
    | \b[\w.*-]*[/_.=:+][\w./*=:+,-]*  # paths, keys, settings
    """
)
PLAIN = set(
    """
    human best first second learned shared net own nodes depth movetime perft draw drawn unfinished
    help moves undo board rules resign quit run plan play bench solve check show report train ladder evaluation value
    star chess chatra draughts rengo numba python cap mate none null true false yes no off text default option
    decided bounds adjudicate full fractional pairs plies variety legal divide explain json uci en ja unlimited
    ply result termination unit kind quickstart cd open studio diff schema signature new init train perft
    first_score workbench
    """.split()  # noqa: SIM905 (a list would take sixty lines)
)
"""Names that stand in output without a sign that tells them from words."""
NAMES = {toggle.name for family in FAMILIES for toggle in family.toggles}
NAMES |= {setting_text(value.name) for family in FAMILIES for toggle in family.toggles for value in toggle.values}
NAMES |= {named.name for family in FAMILIES for named in (*family.terminations.values(), *family.events)}
NAMES |= {
    *METRICS,
    *KEYS,
    "rule",
    "cap",
    "strength",
    "per",
    "decisive",
    "mod",
    "choose",
    "move",
    "position",
    "stockfish",
}


def left_over(text: str) -> list[str]:
    """The English words that are no names; sources and formulas are not translated."""
    text = re.sub(r"出典：.*?(?=\n\n|\n\S|\Z)|`[^`]*`", "", text, flags=re.DOTALL)
    words = re.findall(r"(?<![A-Za-z0-9_-])[a-z]{2,}(?![A-Za-z0-9_-])", SIGNED.sub(" ", text))
    return sorted(set(words) - NAMES - PLAIN - set(KINDS))


def descriptions(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        own = [text for key, text in tree.items() if key == "description" and isinstance(text, str)]
        return own + [text for inner in tree.values() for text in descriptions(inner)]
    return [text for inner in tree for text in descriptions(inner)] if isinstance(tree, list) else []


class Page(HTMLParser):
    """The texts of a page when it is shown in Japanese, its table of formulas aside."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.within: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.within.append((tag, dict(attributes)))
        self.texts.append(dict(attributes).get("data-ja") or "")

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop()[0] != tag:
            pass

    def handle_data(self, text: str) -> None:
        apart = any(
            tag in ("script", "style", "code", "title", "option")
            or (tag in ("span", "tspan") and attributes.get("lang") == "en")
            or attributes.get("id") == "numbers"
            for tag, attributes in self.within
        )
        if not apart:
            self.texts.append(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("japanese")
    assert CliRunner().invoke(app, ["init", str(folder / "mine")]).exit_code == 0
    (folder / "mine" / "experiments" / "question.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return folder / "mine"


@pytest.fixture(scope="module")
def outputs(folder: Path) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results = {line: CliRunner().invoke(app, [*line.split(), "--lang", "ja"]) for line in COMMANDS}
    assert {line: result.output for line, result in results.items() if result.exit_code} == {}
    return {line: result.output for line, result in results.items()}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_prints_japanese(outputs: dict[str, str], line: str) -> None:
    text = outputs[line]
    if line.startswith("show"):
        text = text.partition("\n\n")[2]  # the head has the English title and the source
    if line.endswith("--help"):
        assert "オプション:" in text and "例：" in text
        text = text.partition("\n")[2].replace("Show this message and exit.", "")
    if line == "schema":
        text = "\n\n".join(descriptions(json.loads(text)))
    assert not left_over(text)
    assert not re.findall(r"\{[a-z_]+\}", text), "fields that nobody filled in"


def test_a_report_is_japanese(outputs: dict[str, str], folder: Path) -> None:
    for path in (SAMPLE, folder / "reports" / "question" / "report.html"):
        texts = Page(path.read_text(encoding="utf-8")).texts
        assert any("ルール" in text for text in texts)
        assert {text.strip()[:80]: words for text in texts if (words := left_over(text))} == {}
        assert not [text for text in texts if re.search(r"\{[a-z_]+\}", text)]
