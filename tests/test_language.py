"""The languages of the workbench: catalogues that fit the source, and messages."""

import ast
import pickle
import re

import pytest
from markupsafe import escape
from typer.testing import CliRunner

from tests import catalogues
from workbench import language
from workbench.cli import app
from workbench.files.yamlfile import Node
from workbench.language import (
    LANGUAGES,
    SOURCE,
    Message,
    given,
    in_all,
    join,
    listed,
    preferred,
    sentences,
    speaking,
    tr,
    translated,
    trn,
)

OTHERS = [each for each in LANGUAGES if each != SOURCE]


def entries(code: str) -> list[tuple[catalogues.Key, tuple[str, ...]]]:
    """The messages of a language with their translations, one for each plural form."""
    return [
        (key, catalogues.forms(each))
        for catalogue in catalogues.read(code).values()
        for key, each in catalogues.entries(catalogue)
    ]


def fields(template: str) -> set[str]:
    """The names of the fields; braces around anything else stand for themselves."""
    return set(re.findall(r"(?<!\{)\{(\w+)(?::[^{}]*)?\}", template))


@pytest.mark.parametrize("code", OTHERS)
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
                place = call.func.id == "trc"
                if len(texts) == len(call.args) and place < len(texts):
                    assert texts[place] in known, (
                        f"{path}:{call.lineno} is not extracted: say it in a statement of its own"
                    )
                given_ones = {each.arg for each in call.keywords}
                assert not given_ones - set(re.findall(r"\{(\w+)[}:!]", str(texts))) - {None}, f"{path}:{call.lineno}"


def test_japanese_is_without_politeness_as_reports_are() -> None:
    texts = [text for _, forms in entries("ja") for text in forms]
    assert not [text for text in texts if re.search("(です|ます|ください|ません)[。（]?$", text)]


class TestAMessage:
    FOUND = tr("expected {expected}, found {found}", expected=tr("a list"), found="a list")

    def test_is_the_english_text_and_knows_the_others(self) -> None:
        assert self.FOUND == "expected a list, found a list"
        assert translated(self.FOUND, "ja") == "リストが必要だが、実際はa list"
        with speaking("ja"):
            assert translated(self.FOUND).startswith("リスト")

    def test_translates_the_fields_that_are_messages_and_no_others(self) -> None:
        assert translated(tr("there is no game '{name}'", name="a list"), "ja") == "ゲーム「a list」はない"
        assert translated("a list", "ja") == "a list"

    def test_keeps_its_translations_when_it_is_joined_listed_filled_or_sent_to_another_process(self) -> None:
        for made in (
            join(": ", ("x.yaml", self.FOUND)),
            "x.yaml: " + self.FOUND,
            pickle.loads(pickle.dumps(self.FOUND)),
        ):
            assert "リストが必要だが" in translated(made, "ja")
        later = tr("there is no game '{name}'").format(name="go")
        assert translated(later, "ja") == "ゲーム「go」はない"
        caption = sentences([tr("there is no game '{name}'"), given(en="One.", ja="一。")]).format(name="go")
        assert in_all(caption) == ("there is no game 'go' One.", "ゲーム「go」はない一。")
        assert in_all(listed(["A", "B", "C"])) == ("A, B and C", "A、B、C")
        assert in_all(sentences([given(en="One.", ja="一。"), given(en="Two.", ja="二。")])) == (
            "One. Two.",
            "一。二。",
        )

    def test_fills_the_fields_of_the_messages_in_it_but_not_those_that_they_have(self) -> None:
        row = sentences([tr("there is no game '{name}'"), tr("there is no game '{name}'", name="go")])
        assert in_all(row.format(name="shogi"))[0] == "there is no game 'shogi' there is no game 'go'"

    def test_depends_on_a_number(self) -> None:
        texts = [in_all(trn("{n} file is fine.", "{n} files are fine.", n)) for n in (1, 2)]
        assert [english for english, _ in texts] == ["1 file is fine.", "2 files are fine."]
        assert all(str(n) in texts[n - 1][1] for n in (1, 2))

    def test_stands_on_a_page_in_every_language(self) -> None:
        assert escape(self.FOUND).count("<span lang=") == len(LANGUAGES)
        assert isinstance(self.FOUND, Message) and escape(given(en="A", ja="A")) == "A"


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("environment", "expected"),
        [
            ({}, "en"),
            ({"LANG": "ja_JP.UTF-8"}, "ja"),
            ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
            ({"LC_MESSAGES": "ja_JP", "LANG": "en_GB.UTF-8"}, "ja"),
            ({"WORKBENCH_LANG": "ja", "LC_ALL": "en_GB"}, "ja"),
            ({"WORKBENCH_LANG": "en", "LANG": "ja_JP"}, "en"),
            ({"LANG": ""}, "en"),
            ({"LANG": "fr_FR.UTF-8"}, "en"),
        ],
    )
    def test_is_that_of_the_first_variable_that_is_set(self, environment: dict[str, str], expected: str) -> None:
        assert preferred(environment) == expected

    def test_is_asked_for_before_or_behind_a_command(self) -> None:
        for line in ("--lang ja rules nix", "rules nix --lang=ja", "rules --lang ja nix"):
            assert "ゲーム「nix」はない" in CliRunner().invoke(app, line.split()).stderr

    def test_follows_the_environment_and_yields_to_the_command_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("WORKBENCH_LANG", "ja")
        assert "ゲーム" in CliRunner().invoke(app, ["rules", "nix"]).stderr
        assert "there is no game" in CliRunner().invoke(app, ["rules", "nix", "--lang", "en"]).stderr

    def test_that_nobody_knows_is_refused(self) -> None:
        for line in ("--lang fr rules star", "rules star --lang fr"):
            result = CliRunner().invoke(app, line.split())
            assert result.exit_code == 2
            assert "expected en or ja, found 'fr'" in result.stderr

    def test_is_english_for_who_asks_for_english(self) -> None:
        with speaking("ja"):
            assert translated(tr("a list"), "en") == "a list"
        assert language.current() == "en"


class TestAProblem:
    def test_keeps_its_place_and_the_words_of_its_user(self) -> None:
        problem = Node("a list.yaml", 3, "rules.a list", None).unknown_key("star", "a list", ["a list"])
        assert translated(problem.text, "ja").startswith("a list.yaml:3: rules.a list: ")
        assert "未知のキー「a list」" in translated(problem.text, "ja")
        assert translated(problem.text, "ja").endswith("（「a list」のことか）")
        assert str(problem).endswith("found the unknown key 'a list' (did you mean 'a list'?)")
