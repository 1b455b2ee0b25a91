"""What is printed in Japanese may be typed back: names and values of settings stay as files write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests import few
from workbench import games
from workbench.cli import app
from workbench.errors import Problem
from workbench.files import project, yamlfile
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings
from workbench.language import translated
from workbench.questions import rulesets
from workbench.questions.ruleset_files import Library
from workbench.questions.settings import read_setting

pytestmark = pytest.mark.usefixtures("in_the_checkout")
DIFFERENCE = re.compile(r"  (\w+: .*)（もとは(.*)）")
CHOICE = re.compile(r"  [ *] (\S.*)")
FAMILIES = [games.declaration(name) for name in games.names()]


def lines(*words: str) -> list[str]:
    """What a command prints in Japanese, at a terminal in which no line is broken."""
    result = CliRunner().invoke(app, [*words, "--lang", "ja"])
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def loaded(game: str, settings: Iterable[str], extends: str = "") -> rulesets.Ruleset:
    """The ruleset of a file with these lines under ``rules``."""
    head = [f"game: {game}", "title: typed back", *([f"extends: {extends}"] if extends else []), "rules:"]
    text = "\n".join([*head, *(f"  {line}" for line in settings)]) + "\n"
    name = f"{game}/typed-back"
    return rulesets.load_ruleset(name, library=Library(project.find_project(), {name: text}))


@few.every_ruleset()
def test_the_settings_that_show_prints(name: str) -> None:
    ruleset, shown = rulesets.load_ruleset(name), lines("show", name)
    begin = next(place for place, line in enumerate(shown) if line.startswith("設定（")) + 1
    settings = [line[4:] for line in shown[begin : shown.index("", begin)]]
    assert len(settings) == len(ruleset.settings)
    assert loaded(ruleset.game, settings).fingerprint == ruleset.fingerprint
    differences = [match.groups() for line in shown if (match := DIFFERENCE.fullmatch(line))]
    for here, there in differences:
        toggle = games.declaration(ruleset.game).toggle(here.partition(":")[0])
        assert equal_settings(typed(toggle, here.partition(": ")[2]), ruleset.settings[toggle.name])
        typed(toggle, there)


def typed(toggle: Toggle, text: str) -> Setting:
    """The setting that somebody types."""
    problems: list[Problem] = []
    setting = read_setting(toggle, yamlfile.parse_yaml(f"x: {text}\n", "typed").descendant("x"), problems)
    assert setting is not None and not problems, problems
    return setting


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_toggles_and_values_that_rules_prints(family: Declaration) -> None:
    printed = iter(lines("rules", family.name))
    for toggle in family.toggles:
        assert any(line == f"{toggle.name}: {translated(toggle.title, 'ja')}" for line in printed), toggle.name
        for value in toggle.values:
            choice = next(filter(None, map(CHOICE.fullmatch, printed)))[1]
            assert equal_settings(typed(toggle, choice.partition(": ")[0]), value.name)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_file_that_new_writes_when_its_comments_are_removed(family: Declaration, own: Path) -> None:
    parent = next(name for name in rulesets.ruleset_names() if name.startswith(f"{family.name}/"))
    lines("new", "typed", "--from", parent)
    text = Path(f"rulesets/{family.name}/typed.yaml").read_text(encoding="utf-8")
    names = "|".join(toggle.name for toggle in family.toggles)
    settings = re.findall(rf"(?m)^  # ((?:{names}): .*)", text)
    assert len(settings) == len(family.toggles)
    assert loaded(family.name, settings, parent).fingerprint == rulesets.load_ruleset(parent).fingerprint
