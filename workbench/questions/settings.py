"""Settings of toggles: which ones a ruleset may write, and which do not go together."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from workbench.errors import Problem, guess, narrowed, nearest
from workbench.files import yamlfile
from workbench.files.yamlfile import Node
from workbench.games.declaration import Conflict, Declaration, Setting, Toggle, hold, setting_text
from workbench.games.drawings import Drawing, Misdrawn
from workbench.games.prices import PriceList
from workbench.language import tr
from workbench.questions import price_lists
from workbench.questions.content_files import drawing_problem

SPELLING, SPELT_WORD = 0.75, 0.7
"""How alike the letters of a wrong name and a toggle are (`difflib`), and those of each of their words, where it is
taken for a slip of the keys."""
_TRUTH = {"yes": True, "on": True, "no": False, "off": False}
"""Truth values of other versions of YAML."""


def toggles_by_name(family: Declaration) -> dict[str, Toggle]:
    """The toggles of a family by name."""
    return {toggle.name: toggle for toggle in family.toggles}


_EXCLUDED: dict[int, tuple[Declaration, list[Conflict]]] = {}


def unknown_toggle_problem(family: Declaration, name: str, node: Node, hint: str = "") -> Problem:
    """The problem of a name that is no toggle of the family; ``hint`` says what to write, if that is known."""
    hint = hint or _misspelt(family, name) or _nearest_rule(family, name, node)
    return node.unknown_key(tr("a toggle of {family}", family=family.name), name, hint=hint)


def _misspelt(family: Declaration, name: str) -> str:
    """Which toggle was meant, if the name differs from it by its spelling alone: not by a word."""
    near = nearest(name, toggles_by_name(family))
    for typed in {name.casefold(), narrowed(name).casefold()} if near else ():
        words, meant = re.split("[_ -]", typed), near.split("_")
        alike = len(words) != len(meant) or all(_alike(*pair) >= SPELT_WORD for pair in zip(words, meant, strict=True))
        missing = set(words) < set(meant) or set(meant) < set(words)
        if alike and not missing and _alike(typed, near) >= SPELLING:
            return guess(name, toggles_by_name(family))
    return ""


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _nearest_rule(family: Declaration, name: str, node: Node) -> str:
    """Return the toggles whose words come closest to an unknown name; ``node`` is its value."""
    from workbench.questions.toggle_search import toggle_index

    words = name.replace("_", " ").replace("-", " ")
    if isinstance(node.value, str):
        words += f" {node.text}"
    if near := list(toggle_index(family.name).nearest(words))[:3]:
        return tr("similar words have {toggles}; all toggles: workbench rules {family}",
                  toggles=", ".join(near), family=family.name)  # fmt: skip
    return tr("workbench rules {family} lists all toggles", family=family.name)


def read_setting(toggle: Toggle, node: Node, problems: list[Problem]) -> Setting | None:
    """What a file writes for a toggle; None, and problems, if the toggle does not allow it."""
    if isinstance(toggle, PriceList) and isinstance(node.value, dict):
        return price_lists.read_price_list(toggle, node, problems)
    try:
        if isinstance(node.value, bool | int | float | str) and toggle.allows(node.value):
            if isinstance(toggle, Drawing) and toggle.is_drawn(node.value):
                toggle.understand(str(node.value))
            return node.value
        if isinstance(toggle, Drawing) and isinstance(node.value, str) and not _names_a_value(toggle, node.text):
            text = toggle.canonical(node.value)
            toggle.understand(text)
            return text
    except Misdrawn as error:
        problems.append(drawing_problem(node, error))
        return None
    hint = "" if isinstance(node.value, tuple | dict) else _remedy(toggle, node)
    problems.append(node.expected(toggle.choices(), hint))
    return None


def _names_a_value(toggle: Toggle, text: str) -> bool:
    """Whether a text looks like the name of a value rather than a drawing, so that the nearest name helps."""
    words = [setting_text(value.name) for value in toggle.values]
    return bool(nearest(text, words)) or not set(text) & set("./0123456789:\n")


def combine_settings(
    family: Declaration, settings: Mapping[str, Setting], *changes: Mapping[str, Setting]
) -> dict[str, Setting]:
    """Settings with one change after the other: of price lists what each of them says, of all else the last value."""
    after = dict(settings)
    for change in changes:
        after |= change
    for toggle in family.toggles:
        if isinstance(toggle, PriceList):
            lists = [one[toggle.name] for one in (settings, *changes) if toggle.name in one]
            after[toggle.name] = toggle.merged(lists)
    return after


def _remedy(toggle: Toggle, node: Node) -> str:
    """What to write instead of a scalar that the toggle does not allow, or ``""``."""
    truth = _TRUTH.get(node.text.casefold())
    if toggle.allows(yamlfile.parse_scalar(node.text)):
        return tr("write {node} without quotes", node=node.text)
    if isinstance(node.value, float) and node.value.is_integer() and toggle.allows(int(node.value)):
        return tr("write {number}", number=int(node.value))
    if (side := re.fullmatch(r"(\d+)[x×]\1", node.text.strip())) and toggle.allows(int(side[1])):
        return tr("write {number}", number=int(side[1]))
    if truth is not None and toggle.allows(truth):
        return tr("write {truth}", truth=setting_text(truth))
    if (truth is False or node.value is False) and toggle.allows("off"):
        return tr("write off")
    if isinstance(node.value, str) and (
        near := nearest(node.text, [setting_text(value.name) for value in toggle.values])
    ):
        return tr("did you mean '{near}'?", near=near)
    return ""


def find_conflicts(family: Declaration, settings: Mapping[str, Setting]) -> list[Conflict]:
    """The declared conflicts that settings of every toggle run into."""
    # They are thousands of values, asked of every ruleset. The declaration is kept, so that no other one has its id.
    if id(family) not in _EXCLUDED:
        _EXCLUDED[id(family)] = family, family.excluded()
    return [conflict for conflict in _EXCLUDED[id(family)][1] if hold(conflict.settings, settings)]
