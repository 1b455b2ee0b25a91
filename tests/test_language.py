"""What commands print is Japanese, but for names, which may be typed back as they are; catalogues and messages."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests import catalogues
from workbench import games
from workbench.base import project, yamlfile
from workbench.base.errors import Problem
from workbench.base.language import (
    LANGUAGES,
    SOURCE,
    bilingual,
    in_all,
    join,
    join_list,
    preferred,
    sentences,
    speaking,
    tr,
    translated,
    trn,
)
from workbench.cli import app
from workbench.experiments.experiment import KEYS
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.players.agent_kinds import KINDS
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.settings import read_setting
from workbench.statistics.metrics import METRICS

pytestmark = pytest.mark.usefixtures("in_the_checkout")
COMMANDS = (
    "rules star", "list star", "show star/5x5", "diff star/default star/5x5", "idea 駒は2つ",
    "idea 反則 --base star/default", "run --help", "moves star/default", "perft star/default 2",
    "play star/default --first random --second greedy --seed 3",
    "play star/default --first random --second greedy --games 3", "solve star/default", "schema",
    "check question star/default", "plan question", "run question --workers 1", "games reports/question",
    "ladder star/default --agents random --agents greedy --games 40 --workers 1",
    "new star/mine --from star/default --set size=4", "new another --experiment",
)  # fmt: skip
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
    first_score workbench rule strength per decisive mod choose move position stockfish
    """.split()  # noqa: SIM905 (a list would take sixty lines)
)
"""Names that stand in output without a sign that tells them from words."""
NAMES = {toggle.name for family in FAMILIES for toggle in family.toggles}
NAMES |= {setting_text(value.name) for family in FAMILIES for toggle in family.toggles for value in toggle.values}
NAMES |= {named.name for family in FAMILIES for named in (*family.terminations.values(), *family.events)}
NAMES |= {*METRICS, *KEYS}


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


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("japanese") / "mine"
    assert CliRunner().invoke(app, ["init", str(folder)]).exit_code == 0
    text = "title_ja: 問い\nrulesets: [star/default, star/two-pieces]\nagents: [random, greedy]\ngames: 40\n"
    (folder / "experiments" / "question.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results = {line: CliRunner().invoke(app, [*line.split(), "--lang", "ja"]) for line in COMMANDS}
    assert {line: result.output for line, result in results.items() if result.exit_code} == {}
    return {line: result.output for line, result in results.items()}


@pytest.mark.thorough
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


# What may be typed back


CHOICE = re.compile(r"  [ *] (\S.*)")


def lines(*words: str) -> list[str]:
    """What a command prints in Japanese, at a terminal in which no line is broken."""
    result = CliRunner().invoke(app, [*words, "--lang", "ja"])
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def loaded(game: str, settings: Iterable[str], extends: str = "") -> rulesets.Ruleset:
    head = [f"game: {game}", "title: typed back", *([f"extends: {extends}"] if extends else []), "rules:"]
    text = "\n".join([*head, *(f"  {line}" for line in settings)]) + "\n"
    name = f"{game}/typed-back"
    return rulesets.load_ruleset(name, library=Library(project.find_project(), {name: text}))


def typed(toggle: Toggle, text: str) -> Setting:
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


# Catalogues and messages


def entries(code: str) -> list[tuple[catalogues.Key, tuple[str, ...]]]:
    return [
        (key, catalogues.forms(each))
        for catalogue in catalogues.read(code)
        for key, each in catalogues.entries(catalogue)
    ]


def fields(template: str) -> set[str]:
    """The names of the fields; braces around anything else stand for themselves."""
    return set(re.findall(r"(?<!\{)\{(\w+)(?::[^{}]*)?\}", template))


@pytest.mark.parametrize("code", [each for each in LANGUAGES if each != SOURCE])
class TestTheCatalogues:
    def test_have_every_message_of_the_source_and_no_other(self, code: str) -> None:
        asked, there = catalogues.messages(), dict(entries(code))
        assert not set(asked) - set(there), "run python -m tests.catalogues, and translate what it lists"
        assert not set(there) - set(asked), "run python -m tests.catalogues: it deletes what nothing says any more"
        assert [key for key, texts in there.items() if not all(texts)] == []

    def test_have_no_field_that_the_source_has_not(self, code: str) -> None:
        for (_, english), texts in entries(code):
            wanted = fields(english if isinstance(english, str) else english[-1])
            assert [text for text in texts if not fields(text) <= wanted] == [], english

    def test_are_compiled(self, code: str) -> None:
        assert catalogues.compiled_path(code).read_bytes() == catalogues.compiled(code)


@pytest.mark.thorough
def test_messages_are_extracted_and_have_the_fields_that_they_are_given() -> None:
    known = {text if isinstance(text, str) else text[0] for _, text in catalogues.messages()}
    for path in catalogues.ROOT.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in catalogues.KEYWORDS:
                texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
                place, where = call.func.id == "trc", f"{path}:{call.lineno}"
                if len(texts) == len(call.args) and place < len(texts):
                    assert texts[place] in known, f"{where} is not extracted: say it in a statement of its own"
                given_ones = {each.arg for each in call.keywords}
                assert not given_ones - set(re.findall(r"\{(\w+)[}:!]", str(texts))) - {None}, where


def test_japanese_is_polite_except_in_the_book_of_rules() -> None:
    polite, plain = 'msgstr .*(?:です|ます|ください|ません)[。（]?"', "(?:である|ではない|がない|できない|ならない)。"
    for path in catalogues.po_files("ja"):
        foreign, text = plain, path.read_text(encoding="utf-8")
        if path.parts[-4] == "games":
            # What is said about a move answers a player; all else is the book.
            notation = "".join(file.read_text(encoding="utf-8") for file in path.parents[1].glob("*notation*.py"))
            said = [(re.search('msgid "(.+)"', entry), entry) for entry in text.split("\n\n")]
            foreign, text = polite, "".join(entry for about, entry in said if not about or about[1] not in notation)
        assert not re.findall(foreign, text), path


class TestAMessage:
    FOUND = tr("expected {what}, found {found}", what=tr("a list"), found="a list")

    def test_is_the_english_text_and_knows_the_others(self) -> None:
        assert self.FOUND == "expected a list, found a list"
        assert translated(self.FOUND, "ja") == "リストが必要です。実際はa list"
        with speaking("ja"):
            assert translated(self.FOUND).startswith("リスト")

    def test_translates_the_fields_that_are_messages_and_no_others(self) -> None:
        assert translated(tr("there is no game '{name}'", name="a list"), "ja") == "ゲーム「a list」はありません"
        assert translated("a list", "ja") == "a list"

    def test_keeps_its_translations_when_it_is_joined_listed_filled_or_sent_to_another_process(self) -> None:
        for made in (join(": ", ("x.yaml", self.FOUND)), "x: " + self.FOUND, pickle.loads(pickle.dumps(self.FOUND))):
            assert "リストが必要です" in translated(made, "ja")
        later = tr("there is no game '{name}'").format(name="go")
        assert translated(later, "ja") == "ゲーム「go」はありません"
        caption = sentences([tr("there is no game '{name}'"), bilingual(en="One.", ja="一。")]).format(name="go")
        assert in_all(caption) == ("there is no game 'go' One.", "ゲーム「go」はありません一。")
        assert in_all(join_list(["A", "B", "C"])) == ("A, B and C", "A、B、C")
        assert in_all(trn("{n} file is valid.", "{n} files are valid.", 1))[0] == "1 file is valid."
        assert in_all(trn("{n} file is valid.", "{n} files are valid.", 2))[0] == "2 files are valid."

    def test_fills_the_fields_of_the_messages_in_it_but_not_those_that_they_have(self) -> None:
        row = sentences([tr("there is no game '{name}'"), tr("there is no game '{name}'", name="go")])
        assert in_all(row.format(name="shogi"))[0] == "there is no game 'shogi' there is no game 'go'"


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("environment", "expected"),
        [
            ({}, "en"), ({"LANG": ""}, "en"), ({"LANG": "fr_FR.UTF-8"}, "en"), ({"LANG": "ja_JP.UTF-8"}, "ja"),
            ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"), ({"LC_MESSAGES": "ja_JP", "LANG": "en_GB.UTF-8"}, "ja"),
            ({"WORKBENCH_LANG": "ja", "LC_ALL": "en_GB"}, "ja"), ({"WORKBENCH_LANG": "en", "LANG": "ja_JP"}, "en"),
        ],
    )  # fmt: skip
    def test_is_that_of_the_first_variable_that_is_set(self, environment: dict[str, str], expected: str) -> None:
        assert preferred(environment) == expected

    def test_is_asked_for_before_or_behind_a_command(self) -> None:
        for line in ("--lang ja rules nix", "rules nix --lang=ja", "rules --lang ja nix"):
            assert "ゲーム「nix」はありません" in CliRunner().invoke(app, line.split()).stderr

    def test_that_nobody_knows_is_refused(self) -> None:
        for line in ("--lang fr rules star", "rules star --lang fr"):
            result = CliRunner().invoke(app, line.split())
            assert result.exit_code == 2
            assert "expected en or ja, found 'fr'" in result.stderr
