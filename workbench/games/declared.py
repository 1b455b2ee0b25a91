"""Mistakes in a family's declaration that Python lets pass."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.games.declaration import Conflict, Declaration, Named, Toggle, UnitKind
from workbench.games.results import ENGINE_ENDINGS
from workbench.language import LANGUAGES, OR, join, listed, tr, translated

CODES = range(8, 64)
"""What endings of a family may have as codes: those below are the engine's, and the solver counts as many."""
_TUPLES: dict[str, type] = {
    "summary": str, "toggles": Toggle, "conflicts": Conflict, "features": Named, "events": Named, "units": UnitKind,
    "notation": str, "styles": Named, "seats": str,
}  # fmt: skip


def mistake(declared: Declaration, file: Path) -> str:
    """The first mistake of a declaration, behind the file's name and the line; "" if there is none."""
    name, said = next(_mistakes(declared), ("", ""))
    if not said:
        return ""
    source, quoted = file.read_text(encoding="utf-8", errors="replace"), rf"[\"']{re.escape(name)}[\"']"
    # Where it is declared, or else where it is spoken of.
    for pattern in (rf"\w\(\s*(?:name\s*=\s*)?{quoted}", rf"\b{re.escape(name)}\s*[=:]", quoted):
        if at := re.search(pattern, source):
            line = source.count("\n", 0, at.start()) + 1
            return tr("{path}, line {line}: {error}", path=file.name, line=line, error=said)
    return join(": ", (file.name, said))


def _mistakes(declared: Declaration) -> Iterator[tuple[str, str]]:
    """Each mistake behind the name of what it is in."""
    for field, kind in _TUPLES.items():
        entries: Any = getattr(declared, field)
        if not isinstance(entries, tuple) or not all(isinstance(one, kind) for one in entries):
            said = tr("{name} must be a tuple of {kind}: one entry needs a comma, too", name=field, kind=kind.__name__)
            yield field, said
            return
    if len(tuple(declared.seats)) != 2:
        yield "seats", tr("seats must be what the two players are called, found {n}", n=len(declared.seats))
    for code in [one for one in declared.terminations if one not in CODES]:
        low, high = CODES[0], CODES[-1]
        yield str(code), tr("the ending {code}: expected a code from {low} to {high}", code=code, low=low, high=high)
    endings = declared.terminations.values()
    named = {field: getattr(declared, field) for field in ("toggles", "features", "events", "units", "styles")}
    for field, ones in (named | {"terminations": (*ENGINE_ENDINGS.values(), *endings)}).items():
        names = [one.name for one in ones]
        for name in [name for name in names[::-1] if names.count(name) > 1]:
            yield name, tr("{field} has the name '{name}' twice, the engine's own counted", field=field, name=name)
    for toggle in declared.toggles:
        yield from ((toggle.name, said) for said in _mistakes_of(toggle))
    known = {toggle.name: toggle for toggle in declared.toggles}
    settings = [one.settings for one in declared.excluded()]
    settings += [idle.settings for toggle in declared.toggles for idle in toggle.idle]
    spoken: list[tuple[str, Any]] = [(name, one) for each in settings for name, ones in each.items() for one in ones]
    for name, value in [*spoken, *((name, None) for one in (*declared.events, *endings) for name in one.toggles)]:
        if name not in known:
            yield name, tr("there is no toggle '{name}'; there are {known}", name=name, known=", ".join(known))
        elif value is not None and not known[name].allows(value):
            yield str(value), tr("{name} cannot be {value}", name=name, value=repr(value))
    counted = ["plies", *(event.name for event in declared.events)]
    for event in [one for one in declared.events if one.per not in ("", *counted)]:
        yield event.name, tr("per '{per}': expected {known}", per=event.per, known=listed(counted, OR))


def _mistakes_of(toggle: Toggle) -> Iterator[str]:
    """What is wrong with a toggle."""
    name, span = toggle.name, toggle.span
    if not name.isidentifier() or keyword.iskeyword(name):
        yield tr("the toggle '{toggle}' needs a name of letters, digits and _, none of Python's", toggle=name)
    if span and span.low > span.high:
        yield tr("the span of {toggle} is empty: the smaller number comes first", toggle=name)
    elif not toggle.allows(toggle.default):
        choices, value = toggle.choices() or tr("values or a span"), repr(toggle.default)
        yield tr("the default of {toggle} is {value}; expected {choices}", toggle=name, value=value, choices=choices)
    codes = [toggle.code(value.name) for value in toggle.values]
    if len(set(codes)) != len(codes):
        yield tr("two values of the toggle {toggle} have the same code", toggle=name)
    if span and not all("{n}" in translated(span.sentence, language) for language in LANGUAGES):
        yield tr("the number of {toggle} must stand in its sentence, as {n}", toggle=name, n="{n}")
