"""Ruleset files: what they resolve to, what is said about every way to get one wrong, and their schema."""

from __future__ import annotations

import itertools
import os
import shutil
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import games
from workbench.base import yamlfile
from workbench.base.errors import InputError, Problem
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.games.declaration import COMMON, Blank, Conflict, Toggle, equal_settings
from workbench.games.drawings import Drawing
from workbench.rules import rulebook, rulesets
from workbench.rules.rulesets import Ruleset, load_ruleset

ROOT = Path(__file__).parent.parent
SHIPPED = Project(ROOT)
HEAD = "game: chatra\ntitle: mine\n"
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes ruleset files into a project of the shipped Chatra rulesets, which is the current folder."""
    shutil.copytree(ROOT / "rulesets" / "chatra", tmp_path / "rulesets" / "chatra")
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / "rulesets" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


def problems(name_or_path: str | Path) -> list[Problem]:
    with pytest.raises(InputError) as caught:
        load_ruleset(name_or_path)
    assert str(caught.value) == "\n".join(str(problem) for problem in caught.value.problems)
    return caught.value.problems


def shipped(name: str) -> Ruleset:
    return load_ruleset(f"chatra/{name}", SHIPPED)


def test_every_combination_of_the_proposals_exists_and_is_asked_about() -> None:
    """A and B say two things of the same placing: not both can hold."""
    chosen = (letters for count in range(1, 6) for letters in itertools.combinations("ABCDE", count))
    names = [f"chatra/{'+'.join(letters)}" for letters in chosen if not {"A", "B"} <= set(letters)]
    assert len(names) == 23 and {*names} <= set(rulesets.ruleset_names(SHIPPED))
    for name in names:
        asked: dict[str, Any] = {}
        for letter in name.removeprefix("chatra/").split("+"):
            asked |= shipped(letter).own
        assert load_ruleset(name, SHIPPED).settings == {**shipped("2007-09").settings, **asked}
    experiment = yaml.safe_load((ROOT / "experiments" / "chatra-proposals.yaml").read_text(encoding="utf-8"))
    assert sorted(experiment["rulesets"]) == sorted(["chatra/2007-09", *names])


@pytest.mark.parametrize("name", rulesets.ruleset_names(SHIPPED))
def test_a_shipped_file_says_where_it_comes_from_and_where_its_schema_is(name: str) -> None:
    ruleset = rulesets.load_ruleset(name, SHIPPED)
    lacking = [key for key in ("title", "title_ja", "source") if not getattr(ruleset, key)]
    assert not lacking, f"rulesets/{name}.yaml: write {' and '.join(lacking)}, as every ruleset has that is shipped"
    assert ruleset.path is not None
    first = ruleset.path.read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../ruleset.schema.json"


def test_different_rules_have_different_fingerprints() -> None:
    by_fingerprint: dict[str, list[Ruleset]] = {}
    for ruleset in rulesets.load_all_rulesets(SHIPPED):
        by_fingerprint.setdefault(ruleset.fingerprint, []).append(ruleset)
    for same_print in by_fingerprint.values():
        assert all((one.game, one.settings) == (same_print[0].game, same_print[0].settings) for one in same_print)


def test_a_title_in_either_language_is_enough(write: Write) -> None:
    japanese = load_ruleset(write("chatra/ja", "game: chatra\ntitle_ja: 私案\n"))
    english = load_ruleset(write("chatra/en", HEAD))
    assert (japanese.title, japanese.title_ja, english.title, english.title_ja) == ("私案", "私案", "mine", "")
    validator = jsonschema.Draft202012Validator(workspace.ruleset_schema())
    assert validator.is_valid({"game": "chatra", "title_ja": "私案"}) and not validator.is_valid({"game": "chatra"})


def test_parents_are_full_names_and_own_is_what_is_written(write: Write) -> None:
    mine = load_ruleset(write("chatra/mine", HEAD + "extends: [A, chatra/C]\nrules:\n  stuck: loss\n"))
    assert mine.parents == ("chatra/A", "chatra/C")
    assert mine.own == {"stuck": "loss"}
    assert (mine.settings["later_object"], mine.settings["opening"]) == ("outside-enemy-zone", "objects-first")
    assert mine.settings["limits_end"] == "check"


def test_later_parents_win_and_a_common_ancestor_undoes_nothing(write: Write) -> None:
    assert load_ruleset(write("chatra/ab", HEAD + "extends: [A, B]")).settings["later_object"] == "away-from-enemy-zone"
    assert load_ruleset(write("chatra/ba", HEAD + "extends: [B, A]")).settings["later_object"] == "outside-enemy-zone"
    write("chatra/never", HEAD + "extends: 2007-09\nrules: {limits_end: never}")
    assert load_ruleset(write("chatra/both", HEAD + "extends: [never, C]")).settings["limits_end"] == "never"


def test_parents_that_start_from_different_rules_need_a_word_where_these_differ(write: Write) -> None:
    """C extends 2007-09 and limited-7 extends 2008-02: no order of theirs says when the limits end."""
    for order, values in (("C, limited-7", "check / check-or-centre"), ("limited-7, C", "check-or-centre / check")):
        first, second = order.split(", ")
        (problem,) = problems(write("chatra/two", HEAD + f"extends: [{order}]"))
        assert (problem.line, problem.key) == (3, "extends[1]")
        assert f"{first} extends 20" in problem.message and f"{second} extends 20" in problem.message
        there, here = values.split(" / ")
        assert problem.message.endswith(f"found limits_end: {there} / limits_end: {here}")
        assert "write limits_end: " in problem.hint and "under rules" in problem.hint
        mended = load_ruleset(write("chatra/two", HEAD + f"extends: [{order}]\nrules: {{limits_end: check}}"))
        assert mended.settings == {**shipped("C").settings, "subjects": 7}
    # What a ruleset between the file and the start writes is a change like any other: the later one counts.
    write("chatra/never", HEAD + "extends: C\nrules: {limits_end: never}")
    write("chatra/centre", HEAD + "extends: limited-7\nrules: {limits_end: check-or-centre}")
    for order, setting in (("never, centre", "check-or-centre"), ("centre, never", "never")):
        both = load_ruleset(write("chatra/both", HEAD + f"extends: [{order}]"))
        assert (both.settings["limits_end"], both.settings["opening"]) == (setting, "objects-first")
    # Of three parents the third is asked, too; and a start that was settled further down is not asked about again.
    (problem,) = problems(write("chatra/three", HEAD + "extends: [C, A, limited-7]"))
    assert problem.key == "extends[2]" and "A extends 2007-09" in problem.message
    write("chatra/two", HEAD + "extends: [C, limited-7]\nrules: {limits_end: check}")
    assert load_ruleset(write("chatra/more", HEAD + "extends: [two, A]")).settings["limits_end"] == "check"


@pytest.mark.parametrize("rules", ["rules:", "rules: {}", ""])
def test_a_file_without_parents_and_rules_has_the_defaults(write: Write, rules: str) -> None:
    mine = load_ruleset(write("chatra/mine", HEAD + rules))
    assert (mine.own, mine.settings) == ({}, games.declaration("chatra").defaults())


@pytest.mark.parametrize("name", ["007", "9", "1e3", "1.10", "true", "0x10", "改正案 第2版", "ガ+C"])
def test_names_are_taken_as_written(write: Write, name: str) -> None:
    write(f"chatra/{name}", HEAD + "rules: {size: 15}")
    child = load_ruleset(write("chatra/child", HEAD + f"extends: {name}"))
    assert child.parents == (f"chatra/{name}",)
    assert child.settings["size"] == 15
    assert f"chatra/{name}" in rulesets.ruleset_names()


@pytest.mark.parametrize("asked", ["chatra/C", "rulesets/chatra/C.yaml", Path("rulesets/chatra/C.yaml")])
def test_a_ruleset_is_found_by_name_and_by_path(write: Write, asked: str | Path) -> None:
    ruleset = load_ruleset(asked)
    assert (ruleset.name, ruleset.game, ruleset.title) == ("chatra/C", "chatra", "C: objects first")
    assert ruleset.path is not None and ruleset.path.samefile("rulesets/chatra/C.yaml")


def test_a_file_elsewhere_may_extend_rulesets(write: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("desk") / "C.yaml"
    path.write_text(HEAD + "extends: C\nrules: {size: 9}", encoding="utf-8")
    mine = load_ruleset(path)
    assert (mine.name, mine.parents) == ("chatra/C", ("chatra/C",))
    assert [toggle.name for toggle, _, _ in rulesets.setting_differences(load_ruleset("chatra/C"), mine)] == ["size"]
    assert load_ruleset(str(path)) == mine


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("chatra/D+C", "did you mean 'chatra/C+D'?"), ("C+D", "did you mean 'chatra/C+D'?"),
     ("chatra/limited7", "did you mean 'chatra/limited-7'?"), ("chatra/2007", "did you mean 'chatra/2007-09'?"),
     ("chatra/c", "did you mean 'chatra/C'?"), ("chattra/E", "did you mean 'chatra/E'?"),
     ("chatra/zzzz", "known are chatra/15x15, chatra/2007-09"), ("", "known are chatra/15x15"),
     ("chatra/", "known are chatra/15x15"), ("chatra/../../secret", "known are chatra/15x15")],
)  # fmt: skip
def test_an_unknown_name_gets_the_nearest(write: Write, asked: str, hint: str) -> None:
    (problem,) = problems(asked)
    assert f"found '{asked}'" in problem.message
    assert hint in problem.hint


def test_a_missing_file_is_named(write: Write) -> None:
    assert "there is no such file (did you mean the ruleset 'chatra/C'?)" in str(problems("chatra/C.yaml")[0])
    assert all("no such file" in str(problems(name)[0]) for name in ("no\0file.yaml", "x" * 5000 + ".yaml"))
    assert "cannot be read" in str(problems(Path("rulesets"))[0])


BAD: list[tuple[str, str | bytes, list[tuple[int | None, str | None, str]]]] = [
    ("empty", "", [(1, None, "found an empty file")]),
    ("list", "# rules\n- a\n", [(2, None, "expected lines of the form 'key: value', found a list")]),
    ("binary", b"\x89PNG\r\n\x1a\n", [(1, None, "expected UTF-8 text, found the byte 0x89 (save the file as UTF-8)")]),
    ("two-marks", b"\xef\xbb\xbf" * 2 + HEAD.encode(), [(1, None, "expected at most one byte order mark (U+FEFF)")]),
    ("zeros", "game: chatra\n\0\0", [(2, None, "found the control character U+0000")]),
    ("huge", "a: " + "x" * 1_000_000, [(None, None, "found more than 1 MB")]),
    ("tab", HEAD + "rules:\n\tsize: 9\n", [(4, None, "indent with spaces, not with tabs")]),
    ("indent", HEAD + "rules:\n  size: 9\n stuck: loss\n",
     [(5, None, "indent this line like the other keys at its level")]),
    ("bracket", HEAD + "rules: {size: 9\n\n", [(5, None, "while parsing a flow mapping starting on line 3")]),
    ("colon", "game: chatra\ntitle: C: mine\n", [(2, None, "text containing ': ' needs quotes")]),
    ("escape", HEAD + 'source: "\\U00ffffff"\n', [(3, None, "is not YAML")]),
    ("two-documents", HEAD + "---\n" + HEAD, [(3, None, "expected one document")]),
    ("deep-mapping", HEAD + "rules: " + "{a: " * 50_000, [(3, None, "at most 24 levels")]),
    ("laughs", "a0: &a0 [1, 1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 20)),
     [(9, None, "at most 20000 values")]),
    ("own-alias", HEAD + "rules: &a {size: *a}\n", [(3, "rules.size", "found '*a', inside its own '&a'")]),
    ("no-anchor", HEAD + "rules: *a\n", [(3, "rules", "without an '&a' before it")]),
    ("tag", HEAD + "rules: !!python/object/apply:os.system ['true']\n",
     [(3, "rules", "found the tag '!!python/object/apply:os.system' (tags are not supported: remove the tag)"),
      (3, "rules", "found a list")]),
    ("control-character", 'game: chatra\ntitle: "\\e[31m"\n', [(2, "title", "control character U+001B")]),
    ("list-as-key", HEAD + "? [a]\n: b\n", [(3, None, "expected a word as the key, found a list")]),
    ("duplicates", HEAD + "title: again\nrules:\n  size: 9\n  stuck: los\n  size: 12\n",
     [(3, "title", "found 'title', already on line 2"), (6, "rules.stuck", "did you mean 'loss'?"),
      (7, "rules.size", "found 'size', already on line 5")]),
    ("nothing-known", "{}", [(1, "game", "expected a game"), (1, "title", "expected this key, found none")]),
    ("missing-title", "\ngame: chatra\n", [(2, "title", "expected this key, found none")]),
    ("texts", "game: chatra\ntitle: [a]\ntitle_ja: {a: b}\nsource: true\n",
     [(2, "title", "expected text, found a list"), (3, "title_ja", "expected text, found a mapping"),
      (4, "source", "expected text, found true")]),
    ("unknown-game", "game: chatrra\ntitle: x\n", [(1, "game", "found 'chatrra' (did you mean 'chatra'?)")]),
    ("unknown-keys",
     HEAD + "extend: C\nopening: objects-first\ncolour: red\nrules:\n  openning: x\n  title: x\n  zzzz: 1\n",
     [(3, "extend", "did you mean 'extends'?"), (4, "opening", "opening belongs under rules"),
      (5, "colour", "known are game, extends, title, title_ja, source, known, rules"),
      (7, "rules.openning", "did you mean 'opening'?"), (8, "rules.title", "title belongs at the top level"),
      (9, "rules.zzzz", "workbench rules chatra lists")]),
    ("values",
     HEAD + "rules:\n  size: '12'\n  opening: true\n  later_object:\n  offside: no\n  subjects: 0\n  stuck: lose\n"
     "  drop_check: [allowed]\n  enemy_object_cuts: 'true'\n  repetition_count: 99\n  limits_end: Never\n",
     [(4, "rules.size", "expected 12, 9, 6, 3 or 15, found the text '12' (write 12 without quotes)"),
      (5, "rules.opening", "expected subject-first or objects-first, found true"),
      (6, "rules.later_object", "found nothing"), (7, "rules.offside", "found 'no' (write off)"),
      (8, "rules.subjects", "expected unlimited or a whole number from 1 to 112, found 0"),
      (9, "rules.stuck", "expected draw or loss, found 'lose' (did you mean 'loss'?)"),
      (10, "rules.drop_check", "expected forbidden or allowed, found a list"),
      (11, "rules.enemy_object_cuts", "found the text 'true' (write true without quotes)"),
      (12, "rules.repetition_count", "expected a whole number from 2 to 20, found 99"),
      (13, "rules.limits_end", "did you mean 'never'?")]),
    ("ideas", HEAD + "rules:\n  size: 9x9\n  board_size: 9\n",
     [(4, "rules.size", "(write 9)"), (5, "rules.board_size", "key 'board_size' (similar toggles: size")]),
    ("empty-parents", HEAD + "extends: []\n", [(3, "extends", "found an empty list")]),
    ("parents", HEAD + "extends:\n  - limited7\n  - D+C\n  - 9\n  - [A]\n  - chatra/2007-9\n  - zzzz\n",
     [(4, "extends[0]", "found 'limited7' (did you mean 'limited-7'?)"),
      (5, "extends[1]", "found 'D+C' (did you mean 'C+D'?)"), (6, "extends[2]", "found '9' (did you mean '9x9'?)"),
      (7, "extends[3]", "found a list"), (8, "extends[4]", "found 'chatra/2007-9' (did you mean '2007-09'?)"),
      (9, "extends[5]", "the rulesets of chatra are 15x15, 2007-09")]),
    ("parent-outside", HEAD + "extends: ../../etc/passwd\n", [(3, "extends", "found the path '../../etc/passwd'")]),
    ("parent-file", HEAD + "extends: C.yaml\n", [(3, "extends", "found the path 'C.yaml' (did you mean 'C'?)")]),
    ("itself", HEAD + "extends: itself\n", [(3, "extends", "found the circle chatra/itself -> chatra/itself")]),
    ("parent-twice", HEAD + "extends: [C, C]\n", [(3, "extends[1]", "expected a ruleset that adds rules")]),
    ("conflict", HEAD + "rules:\n  repetition: off\n  repetition_count: 3\n",
     [(5, "rules.repetition_count", "found repetition_count: 3 with repetition: off; repetition is off")]),
    ("conflict-and-more", HEAD + "foo: 1\nrules:\n  repetition_count: 3\n  repetition: off\n  size: 10\n",
     [(3, "foo", "unknown key"), (6, "rules.repetition", "repetition is off"),
      (7, "rules.size", "found 10")])
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "expected"), BAD, ids=[row[0] for row in BAD])
def test_all_problems_of_a_bad_file_are_told(
    write: Write, name: str, content: str | bytes, expected: list[Any]
) -> None:
    told = problems(write(f"chatra/{name}", content))
    assert [(problem.line, problem.key) for problem in told] == [(line, key) for line, key, _ in expected]
    for problem, (line, key, piece) in zip(told, expected, strict=True):
        place = f"rulesets/chatra/{name}.yaml" + (f":{line}" if line else "") + (f": {key}: " if key else ": ")
        assert str(problem).startswith(place)
        assert piece in str(problem)


def test_problems_of_parents_are_told_with_their_own_files(write: Write) -> None:
    write("chatra/grandparent", HEAD + "rules: {size: 10}")
    write("chatra/parent", "game: chatra\nextends: grandparent")
    write("chatra/broken", "- a")
    told = problems(write("chatra/child", HEAD + "rules: {size: 11}\nextends: [parent, broken, grandparent]"))
    assert [(p.file, p.line, p.key) for p in told] == [
        ("rulesets/chatra/child.yaml", 3, "rules.size"), ("rulesets/chatra/child.yaml", 4, "extends[2]"),
        ("rulesets/chatra/broken.yaml", 1, None), ("rulesets/chatra/parent.yaml", 1, "title"),
        ("rulesets/chatra/grandparent.yaml", 3, "rules.size")
    ]  # fmt: skip


def test_a_circle_is_shown(write: Write) -> None:
    write("chatra/x", HEAD + "extends: y")
    write("chatra/y", HEAD + "extends: [C, z]")
    write("chatra/z", HEAD + "extends: x\nrules: {size: 9}")
    (problem,) = problems("chatra/x")
    assert (problem.file, problem.line, problem.key) == ("rulesets/chatra/z.yaml", 3, "extends")
    assert "chatra/x -> chatra/y -> chatra/z -> chatra/x" in problem.message
    start = Path("elsewhere.yaml")
    start.write_text(HEAD + "extends: x", encoding="utf-8")
    assert [p.message for p in problems(start)] == [problem.message]


def test_a_long_ancestry_is_refused_in_whatever_order_the_files_are_read(write: Write) -> None:
    write("chatra/r100", HEAD)
    for number in range(101, 160):
        write(f"chatra/r{number}", HEAD + f"extends: r{number - 1}\nrules: {{size: 9}}")
    for load in (lambda: load_ruleset("chatra/r159"), rulesets.load_all_rulesets):
        with pytest.raises(InputError, match="at most 50 levels of extension"):
            load()


def test_a_conflict_is_told_where_the_toggle_is_written(write: Write) -> None:
    write("chatra/norep", HEAD + "extends: 2008-02\nrules:\n  repetition: off")
    write("chatra/count", HEAD + "extends: 2008-02\nrules:\n  stuck: loss\n  repetition_count: 3")
    (problem,) = problems(write("chatra/both", HEAD + "extends: [norep, count]"))
    assert (problem.file, problem.line, problem.key) == ("rulesets/chatra/count.yaml", 6, "rules.repetition_count")
    assert "in chatra/both" in problem.message
    assert "repetition is set in rulesets/chatra/norep.yaml:5" in problem.hint


def test_a_conflict_is_told_once_and_a_child_may_mend_it(write: Write) -> None:
    write("chatra/bad", HEAD + "rules: {repetition: off, repetition_count: 3}")
    child = problems(write("chatra/child", HEAD + "extends: bad\nrules: {size: 9}"))
    assert [(p.file, p.line) for p in child] == [("rulesets/chatra/bad.yaml", 3)]
    write("chatra/mild", HEAD + "rules: {repetition: off}")
    mended = load_ruleset(write("chatra/mend", HEAD + "extends: mild\nrules: {repetition: draw, repetition_count: 3}"))
    assert mended.settings["repetition_count"] == 3


def test_game_must_be_the_folder(write: Write) -> None:
    (problem,) = problems(write("elsewhere/mine", HEAD))
    assert (problem.line, problem.key) == (1, "game")
    assert "expected 'elsewhere', the name of the file's folder, found 'chatra'" in problem.message
    assert problem.hint == "or move the file to rulesets/chatra"
    (problem,) = problems(write("chatra/child", HEAD + "extends: elsewhere/mine"))
    assert "found 'elsewhere/mine', a ruleset of elsewhere" in problem.message


def test_links_out_of_the_project_are_not_followed(write: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.yaml"
    outside.write_text(HEAD, encoding="utf-8")
    os.symlink(outside, "rulesets/chatra/link.yaml")
    (problem,) = problems("chatra/link")
    assert "expected a file in the project folder, found a link to" in problem.message
    told = problems(write("chatra/child", HEAD + "extends: link"))
    assert [problem.file for problem in told] == ["rulesets/chatra/link.yaml"]
    os.symlink("C.yaml", "rulesets/chatra/fine.yaml")
    assert load_ruleset("chatra/fine").fingerprint == load_ruleset("chatra/C").fingerprint
    os.symlink("loop.yaml", "rulesets/chatra/loop.yaml")
    assert "cannot be read" in str(problems("chatra/loop")[0])


def test_names_that_look_the_same_are_an_error(write: Write) -> None:
    composed, split = (unicodedata.normalize(form, "ガ") for form in ("NFC", "NFD"))
    write(f"chatra/{composed}", HEAD)
    write(f"chatra/{split}", HEAD)
    for ask in (lambda: load_ruleset("chatra/C"), rulesets.ruleset_names, rulesets.load_all_rulesets):
        with pytest.raises(InputError, match="two files whose names look the same but are encoded differently"):
            ask()
    Path(f"rulesets/chatra/{composed}.yaml").unlink()
    assert {load_ruleset(f"chatra/{name}").name for name in (composed, split)} == {f"chatra/{composed}"}


def test_all_rulesets_of_a_project_report_together(write: Write) -> None:
    write("chatra/bad", HEAD + "rules: 5")
    write("chatra/worse", HEAD + "extends: bad\nrules: 6")
    with pytest.raises(InputError) as caught:
        rulesets.load_all_rulesets()
    files = [problem.file for problem in caught.value.problems]
    assert files == ["rulesets/chatra/bad.yaml", "rulesets/chatra/worse.yaml"]


TOGGLES = [(family, toggle) for family in games.names() for toggle in games.declaration(family).toggles]


def allowed(toggle: Toggle) -> list[Any]:
    numbers = [toggle.span.low, toggle.span.high] if toggle.span else []
    return [value.name for value in toggle.values] + numbers


@pytest.mark.parametrize(("family", "toggle"), TOGGLES, ids=lambda part: getattr(part, "name", part))
def test_every_other_value_changes_the_fingerprint(family: str, toggle: Toggle) -> None:
    declaration = games.declaration(family)
    settings = [{**declaration.defaults(), toggle.name: value} for value in allowed(toggle)]
    prints = [rulesets.rules_fingerprint(declaration, each) for each in settings]
    distinct = {(type(value), value) for value in allowed(toggle)}
    assert len(set(prints)) == len(distinct)


@pytest.mark.parametrize("family", games.names())
def test_defaults_are_allowed_and_agree(family: str) -> None:
    declaration = games.declaration(family)
    assert all(toggle.allows(toggle.default) for toggle in declaration.toggles)
    for toggle in declaration.toggles:
        silent = [value.name for value in toggle.values if type(value) is Blank]
        assert silent in ([], [toggle.default]), f"only defaults say that nothing happens, not {toggle.name}"
    for conflict in declaration.excluded():
        defaults = [(declaration.defaults()[name], values) for name, values in conflict.settings.items()]
        assert not all(any(equal_settings(default, value) for value in values) for default, values in defaults)


def test_text_has_the_summary_and_a_sentence_for_each_toggle_that_does_something() -> None:
    ruleset, family = shipped("limited-7"), games.declaration("chatra")
    lines = ruleset.text()
    assert lines[: len(family.summary)] == list(family.summary)
    blank = [(toggle, value.name) for toggle in family.toggles for value in toggle.values if type(value) is Blank]
    silent = [toggle.sentence(value) for toggle, value in blank if value == ruleset.settings[toggle.name]]
    assert len(silent) > len(COMMON) and not set(silent) & set(lines)
    assert len(lines) == len(family.summary) + len(family.toggles) - len(silent)
    derived = shipped("limited-7").derive(swap="after-first", draw_value=0).text()
    assert [line for line in derived if line not in lines] == [COMMON[0].sentence("after-first"), COMMON[1].sentence(0)]


def test_a_comparison_says_that_nothing_happens_where_the_other_ruleset_differs() -> None:
    hill = [rulesets.load_ruleset(f"chess/{name}") for name in ("orthodox", "king-of-the-hill")]
    assert "No square wins the game." in "\n".join(rulebook.describe_difference(*hill))


def test_codes_are_plain_integers_in_the_order_of_the_declaration() -> None:
    codes = shipped("C").codes()
    toggles = games.declaration("chatra").toggles
    assert list(codes) == [toggle.name for toggle in toggles]
    for toggle in toggles:
        assert (codes[toggle.name] == ()) if isinstance(toggle, Drawing) else (type(codes[toggle.name]) is int)
    assert (codes["opening"], codes["size"], codes["enemy_object_cuts"]) == (1, 12, 1)


@pytest.mark.parametrize(
    ("changes", "key", "piece"),
    [({"size": 10}, "rules.size", "expected 12, 9, 6, 3 or 15, found 10"), ({"size": True}, "rules.size", "found true"),
     ({"enemy_object_cuts": 1}, "rules.enemy_object_cuts", "expected true or false, found 1"),
     ({"openning": "x"}, "rules.openning", "did you mean 'opening'?"),
     ({"repetition": "off", "repetition_count": 3}, "rules.repetition_count, rules.repetition",
      "repetition_count has no effect")],
)  # fmt: skip
def test_a_derived_ruleset_is_checked(changes: dict[str, Any], key: str, piece: str) -> None:
    with pytest.raises(InputError) as caught:
        rulesets.derive_ruleset(shipped("A"), changes, "x", "x")
    (problem,) = caught.value.problems
    assert problem.key == key
    assert piece in str(problem)


def test_conflicts_of_three_toggles_hold_only_together(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    conflicts = (Conflict({"size": (9,), "stuck": ("loss",), "subjects": (7, 8)}, "no."),)
    changed = replace(games.declaration("chatra"), conflicts=conflicts)
    monkeypatch.setattr(games, "declaration", lambda name: changed)
    assert load_ruleset(write("chatra/two", HEAD + "rules: {size: 9, subjects: 8}")).settings["stuck"] == "draw"
    assert len(problems(write("chatra/three", HEAD + "extends: two\nrules: {stuck: loss}"))) == 1


def test_a_byte_order_mark_and_windows_line_ends_are_read(write: Write) -> None:
    name = write("chatra/windows", b"\xef\xbb\xbfgame: chatra\r\ntitle: x\r\nrules:\r\n  size: 9\r\n")
    assert load_ruleset(name).settings["size"] == 9


def test_a_multi_line_title_becomes_one_line(write: Write) -> None:
    name = write("chatra/long", "game: chatra\ntitle: >\n  one\n  two\n\n  three\n")
    assert load_ruleset(name).title == "one two three"


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 20) | st.sampled_from(["A", "off", "12", "true", "9x9", "../x", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["size", "title", "x"]), inner),
    max_leaves=5,
)


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {}, optional={"game": JUNK, "title": JUNK, "extends": JUNK, "rules": JUNK, "more": JUNK}
    ).filter(bool)
)
def test_any_mapping_is_a_ruleset_or_an_input_error(junk: Path, content: dict[str, Any]) -> None:
    junk.write_text(yaml.safe_dump(content), encoding="utf-8")
    try:
        assert load_ruleset(junk, SHIPPED).title
    except InputError as error:
        assert all(problem.line for problem in error.problems)


@pytest.fixture(scope="module")
def junk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("junk") / "junk.yaml"


def test_schema_is_valid_and_accepts_the_shipped_files() -> None:
    schemas = {family: workspace.ruleset_schema(family) for family in ("", *games.names())}
    for each in schemas.values():
        jsonschema.Draft202012Validator.check_schema(each)
    validators = {family: jsonschema.Draft202012Validator(each) for family, each in schemas.items()}
    for ruleset in rulesets.load_all_rulesets(SHIPPED):
        assert ruleset.path is not None
        content = yamlfile.read_yaml(ruleset.path).plain()
        for family in ("", ruleset.game):
            validators[family].validate(content)


@pytest.mark.parametrize(("family", "toggle"), TOGGLES, ids=lambda part: getattr(part, "name", part))
def test_schema_allows_what_the_loader_allows_and_says_what_it_means(family: str, toggle: Toggle) -> None:
    validator = jsonschema.Draft202012Validator(workspace.ruleset_schema())
    low, high = (toggle.span.low, toggle.span.high) if toggle.span else (0, 0)
    ends = [low - 1, low, high, high + 1] if toggle.span else []
    values: list[Any] = [each.name for each in toggle.values]
    values += [*ends, "nonsense", None, 1, 0, True, False, "true", "1", [], {}]
    for value in values:
        accepted = validator.is_valid({"game": family, "title": "x", "rules": {toggle.name: value}})
        assert accepted == toggle.allows(value), value
    written = workspace.ruleset_schema(family)["$defs"][family]["properties"][toggle.name]
    assert written["default"] == toggle.default
    assert toggle.source in written["description"]
    sentences = {entry["const"]: entry["description"] for entry in written["oneOf"] if "const" in entry}
    assert sentences == {value.name: value.sentence for value in toggle.values}


@pytest.mark.parametrize(
    "content",
    [{"game": "chatra"}, {"title": "x"}, {"game": "nothing", "title": "x"},
     {"game": "chatra", "title": "x", "colour": "red"},
     {"game": "chatra", "title": "x", "rules": {"openning": "objects-first"}},
     {"game": "chatra", "title": "x", "rules": 5}, {"game": "chatra", "title": ["x"]},
     {"game": "chatra", "title": "x", "extends": []},
     {"game": "chatra", "title": "x", "extends": {"a": "b"}}],
)  # fmt: skip
def test_schema_refuses_what_the_loader_refuses(content: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(workspace.ruleset_schema()).is_valid(content)


def test_an_editor_offers_the_names_of_a_games_rulesets_where_one_extends_another() -> None:
    offered = workspace.ruleset_schema(known=["star/default", "star/no-foul", "chess/007"])
    of_star = next(each["then"] for each in offered["allOf"] if each["if"]["properties"]["game"]["const"] == "star")
    names = of_star["properties"]["extends"]["anyOf"][0]["anyOf"][0]["enum"]
    assert names == ["default", "no-foul"]
    validator = jsonschema.Draft202012Validator(offered)
    for extends in ("default", "mine", ["default", "no-foul"]):
        assert validator.is_valid({"game": "star", "title": "x", "extends": extends})
    assert not validator.is_valid({"game": "star", "title": "x", "extends": []})
