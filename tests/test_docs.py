"""The documentation knows every command, and every command explains itself with examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workbench.cli import app

README = Path(__file__).resolve().parent.parent / "README.md"
COMMANDS = [command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands]


def test_all_commands_are_there() -> None:
    assert COMMANDS == [
        "run",
        "report",
        "check",
        "rules",
        "show",
        "diff",
        "schema",
        "moves",
        "perft",
        "play",
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
