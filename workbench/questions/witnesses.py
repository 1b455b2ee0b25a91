"""Witnesses: positions in which a setting of a toggle shows, for the tests and for the report.

A family's ``witnesses.yaml`` holds a list, ``witnesses``, with an entry for every value of every toggle
that is not the default; an entry has the fields of `Witness`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from workbench import games
from workbench.errors import InputError, Problem
from workbench.files.yamlfile import Node, read_yaml
from workbench.games.declaration import Setting, equal_settings, setting_text
from workbench.games.game_state import GameState
from workbench.language import listed as listed_words
from workbench.language import tr
from workbench.questions import rulesets
from workbench.questions.keys import unknown_key_problems


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
        InputError: the file holds something else; all problems.
    """
    path = games.folder(family) / "witnesses.yaml"
    if not path.exists():
        return ()
    listed = read_yaml(path).descendant("witnesses")
    if not isinstance(listed.value, tuple):
        raise InputError([listed.problem(tr("expected witnesses: and a list of them"))])
    if problems := [problem for entry in listed.value for problem in _problems(family, entry)]:
        raise InputError(problems)
    return tuple(Witness(**entry | {"moves": tuple(entry.get("moves", ()))}) for entry in listed.plain())


def _problems(family: str, entry: Node) -> Iterator[Problem]:
    """What is wrong with an entry of the file."""
    keys: dict[str, Node] = entry.value if isinstance(entry.value, dict) else {}
    yield from unknown_key_problems(keys, [one.name for one in fields(Witness)], tr("a witness"))
    if missing := [name for name in ("toggle", "value", "expect", "sentence") if name not in keys]:
        yield entry.problem(tr("a witness has no {missing}", missing=listed_words(missing)))
        return
    toggles = {toggle.name: toggle for toggle in games.declaration(family).toggles}
    name, value = keys["toggle"].plain(), keys["value"]
    if name not in toggles:
        yield keys["toggle"].problem(tr("expected a toggle of {family}, found '{name}'", family=family, name=name))
    elif not toggles[name].allows(value.plain()):
        choices = toggles[name].choices()
        yield value.problem(tr("expected {choices}, found {value}", choices=choices, value=value.describe()))
    if "moves" in keys and not isinstance(keys["moves"].value, tuple):
        yield keys["moves"].problem(tr("expected a list of moves, found {value}", value=keys["moves"].describe()))
    if not isinstance(keys["expect"].value, dict):
        yield keys["expect"].problem(tr("expected legal, illegal, result and termination, or seat"))


def witness_between(family: str, toggle: str, one: Setting, other: Setting) -> Witness | None:
    """A witness that concerns one of two settings of a toggle: that of the second, or else that of the first."""
    for setting in (other, one):
        for witness in family_witnesses(family):
            if witness.toggle == toggle and equal_settings(witness.value, setting):
                return witness
    return None
