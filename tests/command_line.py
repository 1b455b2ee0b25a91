"""The command line for tests: a command's output, its JSON, and what a refused command says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from workbench.cli import app

ROOT = Path(__file__).resolve().parent.parent
SMALL = "chatra/9x9"
MATE = "i1 Oc9 Oc7 b3 a9 a7 a9-b9 Od9 f9 b3-c4 b9-c8"
"""A game on 9×9 squares that Black wins by mate."""
EXPERIMENT = """\
title: A test of the command line
rulesets: [chatra/9x9]
agents: [random]
pairings: [[random, greedy]]
games: 3
max_plies: 40
seed: 5
"""


def call(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=given)


def printed(*words: str) -> str:
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*words: str) -> Any:
    """What a command prints as JSON, which has no word for numbers that are not finite."""
    return json.loads(printed(*words), parse_constant=pytest.fail)


def refused(*words: str, given: str = "") -> str:
    """What stderr says about a command that must end with exit code 2 and without a traceback."""
    result = call(*words, given=given)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.stderr
