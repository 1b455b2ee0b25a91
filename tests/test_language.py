"""The languages of the workbench: catalogues that fit the source, messages, and output without English words left."""

import ast
import pickle
import re
from pathlib import Path

import pytest
from markupsafe import escape
from typer.testing import CliRunner

from tests import catalogues
from workbench import language
from workbench.cli import app
from workbench.errors import Problem
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
from workbench.language.libraries import from_library
from workbench.questions.agent_kinds import KINDS
from workbench.statistics.sequential import power_analysis

OTHERS = [each for each in LANGUAGES if each != SOURCE]


def in_japanese(*words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--lang", "ja"])
    return f"{result.stdout}\n{result.stderr}"


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
        assert translated(self.FOUND, "ja") == "リストが必要だが、a listになっている"
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


def test_what_libraries_say_is_translated_by_pattern() -> None:
    text = "Error: Invalid value for '--games': 'x' is not a valid integer."
    assert translated(from_library(text), "ja") == "エラー：「--games」の値：「x」は整数ではない。"
    assert translated(from_library("Permission denied"), "ja") == "許可がない"
    assert from_library("A new sentence.") == "A new sentence."


@pytest.mark.parametrize(
    "words", [["--port", "x"], ["--port", "0.5"], ["--port", "-1"], ["--port", "99999"], ["a", "b"]]
)
def test_what_the_command_line_refuses_is_told_in_japanese(words: list[str]) -> None:
    error = in_japanese("studio", *words).strip().splitlines()[-1]
    assert error.startswith("エラー：") and not re.search("[a-z]{3}", error.replace("--port", ""))


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
        message = tr("expected a key of {owner}, found the unknown key '{name}'", owner="star", name="a list")
        problem = Problem("a list.yaml", 3, "rules.a list", message, tr("did you mean '{near}'?", near="a list"))
        assert translated(problem.text, "ja").startswith("a list.yaml:3: rules.a list: ")
        assert "未知のキー「a list」" in translated(problem.text, "ja")
        assert translated(problem.text, "ja").endswith("（「a list」のことか）")
        assert str(problem).endswith("found the unknown key 'a list' (did you mean 'a list'?)")


def commands() -> list[str]:
    """The names of the commands that a user sees."""
    return [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]


class TestHelp:
    @pytest.mark.parametrize("command", ["", *commands()])
    def test_is_in_japanese(self, command: str) -> None:
        written = in_japanese(*([command] if command else []), "--help")
        assert "使い方：" in written
        assert not re.search(r"<(int|float|str)|OPTIONS|ARGS", written)
        assert not english_in(written), english_in(written)


NAMES = re.compile(
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


def english_in(text: str) -> list[str]:
    """The English words of Japanese output that are no names."""
    words = re.findall(r"(?<![A-Za-z0-9_-])[a-z]{2,}(?![A-Za-z0-9_-])", NAMES.sub(" ", text))
    return [word for word in words if word not in PLAIN and word not in KINDS]


class TestOutput:
    @pytest.mark.parametrize("path", sorted(map(str, (Path(__file__).parent / "bad").glob("*.yaml"))))
    def test_of_a_bad_file_is_in_japanese(self, path: str) -> None:
        written = in_japanese("check", path)
        assert not english_in(written), written

    @pytest.mark.parametrize("name", ["star/default", "chatra/C+D", "chess/007", "draughts/english", "rengo/default"])
    def test_of_show_is_in_japanese(self, name: str) -> None:
        written = in_japanese("show", name)
        _, _, below = written.partition("\n\n")  # the head has the English title and the source
        assert not english_in(below), written


def test_what_an_experiment_can_show_is_in_japanese() -> None:
    for games in (200, 6_000, 20_000):
        for line in power_analysis(games, comparisons=2, margin=0.025).describe():
            assert not english_in(translated(line, "ja")), line
