"""Witnesses: positions in which a setting of a toggle shows, for the tests and for the report.

A family's ``witnesses.yaml`` holds a list, ``witnesses``, with an entry for every value of every toggle
that is not the default; an entry has the fields of `Witness`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from workbench import games
from workbench.errors import InputError
from workbench.files.yamlfile import Node, read_yaml
from workbench.games.declaration import Setting, equal_settings, setting_text
from workbench.games.game_state import GameState
from workbench.language import tr
from workbench.questions import rulesets


@dataclass(frozen=True)
class Witness:
    """A position that tells a setting of a toggle from its default."""

    toggle: str
    value: Setting
    expect: Mapping[str, Any]
    """What holds under the value: ``legal`` and ``illegal`` moves (some, not all), ``result`` and ``termination``, or
    ``seat``: who chooses next."""
    sentence: str
    """What differs."""
    sentence_ja: str = ""
    base: Mapping[str, Setting] = field(default_factory=dict)
    """Settings that both sides of the comparison share, where they are not the defaults."""
    moves: tuple[str, ...] = ()
    """The game from the start, or from ``setup``."""
    times: int = 1
    """How often the moves are played, one round after the other."""
    setup: Mapping[str, Any] | None = None
    """A position, as the family's ``notation.set_up`` reads it."""

    def __str__(self) -> str:
        return f"{self.toggle}={setting_text(self.value)}"

    def game_state(self, family: str, setting: Setting) -> GameState:
        """The position, reached under any setting of the toggle that allows its moves."""
        declaration = games.declaration(family)
        settings = {**declaration.defaults(), **self.base, self.toggle: setting}
        game_state = GameState(family, rulesets.kernel_codes(family, settings), setup=self.setup)
        for move in self.moves * self.times:
            game_state.push_text(move)
        return game_state


@cache
def family_witnesses(family: str) -> tuple[Witness, ...]:
    """The witnesses of a family, in the order of its file; none if it has no such file.

    Raises:
        InputError: the file holds something else.
    """
    path = games.folder(family) / "witnesses.yaml"
    if not path.exists():
        return ()
    listed = read_yaml(path).descendant("witnesses")
    return tuple(_witness(family, entry) for entry in (listed.value if isinstance(listed.value, tuple) else (listed,)))


def _witness(family: str, entry: Node) -> Witness:
    try:
        keys = entry.plain()
        witness = Witness(**keys | {"moves": tuple(keys.get("moves", ()))})
        toggle = games.declaration(family).toggle(witness.toggle)
    except (AttributeError, KeyError, TypeError) as error:
        keys = tr("the keys of a witness, and a toggle of the game")
        raise InputError([entry.expected(keys, found=str(error))]) from None
    if not toggle.allows(witness.value):
        raise InputError([entry.expected(toggle.choices(), found=repr(witness.value))])
    return witness


def witness_between(family: str, toggle: str, one: Setting, other: Setting) -> Witness | None:
    """A witness that concerns one of two settings of a toggle: that of the second, or else that of the first."""
    for setting in (other, one):
        for witness in family_witnesses(family):
            if witness.toggle == toggle and equal_settings(witness.value, setting):
                return witness
    return None
