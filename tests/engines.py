"""What tests of rules share between families: settings written as changes of the defaults, and the engines in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from workbench.games.declaration import Declaration, Setting
from workbench.games.game_state import GameState
from workbench.games.results import RESULTS

Settings = Mapping[str, Setting]
Outcome = tuple[str, str | None]
"""Result, "ongoing" as long as there is none, and termination."""

ONGOING: Outcome = ("ongoing", None)


def with_defaults(declaration: Declaration, *changes: Settings) -> dict[str, Setting]:
    """Every toggle of a family: the defaults, then the changes in their order."""
    settings = declaration.defaults()
    for change in changes:
        settings |= change
    return settings


def outcome_of(game_state: GameState) -> Outcome:
    """Result and termination on the kernel."""
    result, termination = game_state.outcome()
    return (RESULTS[result] if result else "ongoing"), termination


def in_turn(twin: Any, kernel: Any) -> Any:
    """The fixture ``engine`` of a family: its slow twin, then its compiled kernel."""

    @pytest.fixture(name="engine", params=["twin", "kernel"])
    def engine(request: pytest.FixtureRequest) -> Any:
        return {"twin": twin, "kernel": kernel}[request.param]

    return engine
