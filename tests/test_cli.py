"""Commands as a user types them: help, what is wrong in a line, and rulesets in words (rules, show, diff)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.command_line import MATE, ROOT, as_json, printed, refused
from workbench.questions import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, workbench.cli; print(' '.join(sys.modules))"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"numpy", "pandas", "numba", "rich", "matplotlib", "pyarrow", "yaml", "joblib"}
    assert heavy & set(completed.stdout.split()) == set()


def test_the_module_runs_as_the_command_does() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "workbench", "rules", "chatar"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == "there is no game 'chatar' (did you mean 'chatra'?)\n"


def test_version() -> None:
    assert printed("--version").startswith("workbench 0.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "chatr"], "did you mean 'chatra'?"),
        (["show", "chatra/2008-03"], "did you mean 'chatra/2008-0"),
        (["diff", "chatra/A", "chatra/D+C"], "did you mean 'chatra/C+D'?"),
        (["show", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (["check", "quikstart"], "did you mean 'quickstart'?"),
        (["run", "quikstart"], "did you mean 'quickstart'?"),
        (["report", "reports/nothing-here"], "there is no such report folder"),
        (["moves", "chatra/9x9", "--moves", "a1 e5"], "ply 2, e5: The opening asks for the object now"),
        (["moves", "chatra/9x9", "--moves", "a1 zz"], "ply 2, zz: 'zz' is not a move"),
        (["moves", "chatra/9x9", "--moves", MATE + " a1"], "the game is over"),
        (["play", "chatra/9x9", "--first", "gredy"], "did you mean 'greedy'?"),
        (["play", "chatra/9x9", "--second", "alphabeta:dept=2"], "did you mean 'depth'?"),
        (["play", "chatra/9x9", "--first", "human", "--json"], "a human plays one game"),
        (["play", "chatra/9x9", "--legal"], "with --json only"),
        (["play", "chatra/9x9", "--seed", "-1"], "--seed"),
        (["perft", "chatra/9x9", "0"], "DEPTH"),
        (["bench", "chatra/9x9", "--agents", "alphabet"], "did you mean 'alphabeta'?"),
        (["bench", "--vs", "gnuchess"], "--vs: "),
        (["signature", "--check", "no-such-file"], "no-such-file: there is no such file"),
        (["schema", "rulesset"], "rulesset"),
        (["new", "x", "--from", "chatra/AA"], "chatra/A"),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_a_line(words: list[str], said: str) -> None:
    assert said in refused(*words)


# Rulesets in words


def test_rules_lists_every_toggle_with_every_value_and_stars_the_default() -> None:
    from workbench.games.chatra.rules import DECLARATION

    text = printed("rules", "chatra")
    words = " ".join(text.split())
    for toggle in DECLARATION.toggles:
        assert f"{toggle.name}: {toggle.title}" in text
        assert words.count(toggle.source) >= 1
        for value in toggle.values:
            assert value.sentence in words
    assert "  * subject-first:" in text
    assert "    objects-first:" in text
    assert "  * 2 to 20 (default 5):" in text


def test_show_tells_settings_rules_and_differences() -> None:
    text = printed("show", "chatra/C+D")
    assert "  * opening: objects-first" in text
    assert "    size: 12" in text
    assert "What differs from chatra/C\n  object_area: away-from-centre (there: outside-centre)" in text
    assert rulesets.load_ruleset("chatra/C+D").fingerprint in text


def test_show_as_json() -> None:
    output = as_json("show", "chatra/C+D", "--json")
    assert output["settings"]["opening"] == "objects-first"
    assert output["differs_from_parents"]["chatra/C"] == {"object_area": ["outside-centre", "away-from-centre"]}
    assert output["differs_from_default"]["opening"] == ["subject-first", "objects-first"]
    assert output["fingerprint"] == rulesets.load_ruleset("chatra/C+D").fingerprint


def test_diff_names_only_what_differs() -> None:
    text = printed("diff", "chatra/2007-09", "chatra/2008-02")
    assert "limits_end" in text
    assert "opening" not in text
    assert "the same rules" in printed("diff", "chatra/A", "chatra/A")
