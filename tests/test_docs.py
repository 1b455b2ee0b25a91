"""The documentation knows every command, and every command explains itself with examples."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workbench.cli import app

README = Path(__file__).resolve().parent.parent / "README.md"
COMMANDS = [command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands]


def test_all_commands_are_there() -> None:
    assert COMMANDS == [
        "run",
        "plan",
        "report",
        "check",
        "rules",
        "show",
        "diff",
        "schema",
        "moves",
        "perft",
        "play",
        "solve",
        "calibrate",
        "bench",
        "signature",
        "new",
        "init",
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


@pytest.mark.skipif(not README.exists(), reason="there is no README.md yet")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_names_every_command(command: str) -> None:
    assert f"workbench {command}" in README.read_text(encoding="utf-8")


BLOCKS = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8") if README.exists() else "", re.DOTALL)
EXAMPLES = [
    (command, output)
    for block in BLOCKS
    for command, output in re.findall(r"\$ workbench (.*)\n((?:[^$].*\n|\n)*)", block)
]


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_the_readme_shows_what_is_printed(command: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert "pip install -e '.[dev]' && .venv/bin/python -m pytest" in readme
    assert "-e '.[dev]'" in ci
    assert "\npython -m pytest" in ci
