"""What the workbench says in Japanese: the catalogue has every text, and output has no English words left."""

import itertools
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests import texts
from workbench import language
from workbench.cli import app
from workbench.errors import Problem
from workbench.language import catalogue, speaking, translated, wanted
from workbench.questions.agent_kinds import KINDS
from workbench.statistics.power_analysis import power_analysis

ENTRIES = catalogue.shipped()


def in_japanese(*words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--lang", "ja"])
    return f"{result.stdout}\n{result.stderr}"


class TestTheCatalogue:
    def test_has_every_text_of_the_source(self) -> None:
        known = {en for en, _, _ in ENTRIES}
        missing = [f"{place}: {template}" for place, template in texts.everything() if template not in known]
        assert not missing, "add to workbench/language/ja.po:\n" + "\n".join(missing)

    def test_has_nothing_that_the_source_does_not_say(self) -> None:
        text = catalogue.FILE.read_text(encoding="utf-8")
        of_source = text.partition("\n#. words:")[0]
        said = {template for _, template in texts.everything()}
        stale = [en for en, _, _ in ENTRIES if f"msgid {_quoted(en)}\n" in of_source and en not in said]
        assert not stale, "delete from workbench/language/ja.po:\n" + "\n".join(stale)

    def test_has_each_text_once(self) -> None:
        english = [en for en, _, _ in ENTRIES]
        assert len(english) == len(set(english)), {en for en in english if english.count(en) > 1}

    def test_has_the_same_fields_in_both_languages(self) -> None:
        for en, ja, _ in ENTRIES:
            assert _fields(ja) == _fields(en), en

    def test_is_written_in_japanese(self) -> None:
        same = [en for en, ja, _ in ENTRIES if not re.search("[ぁ-んァ-ヶ一-龠、。：（〜]", ja)]
        left = [en for en in same if catalogue.left_in(re.sub(r"\{\d+\}", "", en))]
        assert not left

    def test_speaks_without_politeness_as_reports_do(self) -> None:
        assert not [ja for _, ja, _ in ENTRIES if re.search("(です|ます|ください|ません)[。（]?$", ja)]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _fields(template: str) -> list[int]:
    return sorted({part for part in catalogue.parts(template) if isinstance(part, int)})


class TestATemplate:
    CATALOGUE = catalogue.Catalogue(
        itertools.starmap(
            catalogue.Entry,
            [
                ("expected {0}, found {1}", "{0}が必要だが、{1}になっている"),
                ("a whole number from {0} to {1}", "{0}〜{1}の整数"),
                ("{0} from {1} to {2}", "{1}〜{2}の{0}"),
                ("{0} of {1}", "{1}の{0}"),
                ("a list", "リスト"),
                ("there is no game '{0}'", "ゲーム「{0}」はない"),
                ("The board is full.", "盤が埋まった。"),
                ("Nobody passes.", "パスはない。"),
                ("write {{n: {0}}}", "{{n: {0}}}と書く"),
                ("source: {0}", "出典：{0}", True),
            ],
        )
    )

    @pytest.mark.parametrize(
        ("english", "japanese"),
        [
            ("expected a whole number from 1 to 9, found a list", "1〜9の整数が必要だが、リストになっている"),
            ("expected off or a whole number from 1 to 9, found 'x'", "offか1〜9の整数が必要だが、'x'になっている"),
            ("there is no game 'a list'", "ゲーム「a list」はない"),
            ("The board is full. Nobody passes.", "盤が埋まった。パスはない。"),
            ("stuck: The board is full.", "stuck: 盤が埋まった。"),
            ("write {n: 3}", "{n: 3}と書く"),
            ("source: The board is full. Nobody passes.", "出典：The board is full. Nobody passes."),
            ("Battle of wits and luck", "Battle of wits and luck"),
            ("  e4 Nf3 exd5", "  e4 Nf3 exd5"),
            ("", ""),
        ],
    )
    def test_is_found_by_what_it_says_and_its_fields_follow(self, english: str, japanese: str) -> None:
        assert self.CATALOGUE.translate(english) == japanese


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
        ],
    )
    def test_is_that_of_the_first_variable_that_is_set(self, environment: dict[str, str], expected: str) -> None:
        assert wanted(environment) == expected

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
            assert translated("a list", "en") == "a list"
        assert language.current() == "en"


class TestAProblem:
    def test_keeps_its_place_and_the_words_of_its_user(self) -> None:
        problem = Problem("a list.yaml", 3, "rules.a list", "expected a toggle of star, found the unknown key 'a list'",
                          "did you mean 'a list'?")  # fmt: skip
        assert problem.told("ja") == (
            "a list.yaml:3: rules.a list: starの項目が必要だが、未知のキー「a list」がある（「a list」のことか）"
        )
        assert str(problem).endswith("found the unknown key 'a list' (did you mean 'a list'?)")


class TestHelp:
    @pytest.mark.parametrize("command", ["", *texts.commands()])
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
    human best first second learned own nodes depth movetime perft draw drawn unfinished
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
            told = translated(f"As the file is: {line}", "ja")
            assert told.startswith("ファイルのとおりなら：") and not english_in(told), told


def test_fields_beside_each_other_are_told_apart() -> None:
    for where in ("in the enemy zone", "in a zone that touches the enemy zone"):
        for more in ("", ", and the offside rule does not open it"):
            told = translated(f"The drop limits still hold: f6 lies {where}{more}.", "ja")
            assert told.startswith("打てる場所の制限が続いている：f6は") and not english_in(told), told
            assert ("オフサイド" in told) == bool(more)


def test_what_is_to_be_typed_stays_as_it_is_typed() -> None:
    assert translated("for instance 'games: 1000'", "ja") == "例：「games: 1000」"


MESSAGES = (Path(__file__).parent / "messages.txt").read_text(encoding="utf-8").splitlines()
"""A message or hint for each kind of mistake that the tests of files make."""


def test_messages_about_mistakes_are_in_japanese() -> None:
    for message in MESSAGES:
        told = translated(message, "ja")
        assert re.search("[ぁ-んァ-ヶ一-龠、〜]", told), message
        # Names stand alone; two English words beside each other are a text that nobody has translated.
        bare = re.sub(r"「[^」]*」|'[^']*'|\"[^\"]*\"|\{.*\}|\w+: \S+( with \w+: \S+)*|; .*free.*|J\\..*", " ", told)
        assert not re.search(r"(?<![\w/.:=-])[A-Za-z][a-z]+ [a-z]{2,}(?![\w:=])", bare), (message, told)
