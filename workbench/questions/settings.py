"""Settings of toggles: which ones a ruleset may write, and which do not go together."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.files import yamlfile
from workbench.files.yamlfile import Node, Problem, guess, nearest
from workbench.games.declaration import Conflict, Declaration, Setting, Toggle, equal_settings, setting_text

_TRUTH = {"yes": True, "on": True, "no": False, "off": False}
"""Truth values of other versions of YAML."""


def toggles_of(family: Declaration) -> dict[str, Toggle]:
    """The toggles of a family by name."""
    return {toggle.name: toggle for toggle in family.toggles}


def unknown_toggle(family: Declaration, name: str, node: Node, hint: str = "") -> Problem:
    """The problem of a name that is no toggle of the family; ``hint`` says what to write, if that is known."""
    hint = hint or guess(name, toggles_of(family), f"the toggles of {family.name} are")
    return node.problem(f"expected a toggle of {family.name}, found the unknown key '{name}'", hint)


def wrong_setting(toggle: Toggle, node: Node) -> Problem | None:
    """The problem of a value that the toggle does not allow; None if it does."""
    if toggle.allows(node.value):
        return None
    hint = "" if isinstance(node.value, tuple | dict) else _remedy(toggle, node)
    return node.problem(f"expected {toggle.choices()}, found {node.described()}", hint)


def _remedy(toggle: Toggle, node: Node) -> str:
    """What to write instead of a scalar that the toggle does not allow, or ``""``."""
    truth = _TRUTH.get(node.text.casefold())
    if toggle.allows(yamlfile.scalar(node.text)):
        return f"write {node.text} without quotes"
    if isinstance(node.value, float) and node.value.is_integer() and toggle.allows(int(node.value)):
        return f"write {int(node.value)}"
    if truth is not None and toggle.allows(truth):
        return f"write {setting_text(truth)}"
    if (truth is False or node.value is False) and toggle.allows("off"):
        return "write off"
    if isinstance(node.value, str) and (
        near := nearest(node.text, [setting_text(value.name) for value in toggle.values])
    ):
        return f"did you mean '{near}'?"
    return ""


def conflicts_of(family: Declaration, settings: Mapping[str, Setting]) -> list[Conflict]:
    """The declared conflicts that settings of every toggle run into."""
    return [
        conflict
        for conflict in family.conflicts
        if all(any(equal_settings(settings[name], one) for one in part) for name, part in conflict.settings.items())
    ]
