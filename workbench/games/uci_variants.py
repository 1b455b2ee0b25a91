"""Names of a family's rulesets for programs that play by the Universal Chess Interface (UCI)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from workbench import games
from workbench.base.errors import text_of
from workbench.base.language import tr
from workbench.games.declaration import Declaration, Setting, equal_settings, setting_text

T = TypeVar("T")


@dataclass(frozen=True)
class UciVariant:
    """A ruleset in the words of UCI engines; its moves are written by the family's ``notation.uci``."""

    name: str
    """The variant, as the engine's option ``UCI_Variant`` calls it; ``chess`` is known to every engine."""
    ini: str = ""
    """Its section in ``variants.ini`` of Fairy-Stockfish; empty for a variant that engines know by its name."""
    start: str = "startpos"
    """Where games begin, in the words of the command ``position``."""
    names: tuple[str, ...] = ()
    """The names by which engines know it; the first that an engine has is taken."""

    @property
    def section(self) -> str:
        """All of it as a section of ``variants.ini``, with the start."""
        text = self.ini or f"[workbench:{self.name}]\n"
        return text if self.start == "startpos" else f"{text}startFen = {self.start.removeprefix('fen ')}\n"


class Untold(Exception):
    """A ruleset that UCI has no words for; its text says why."""


class Untaken:
    """The settings of a ruleset, to be put into words one by one; at the end none may be left over."""

    def __init__(self, declaration: Declaration, settings: Mapping[str, Setting]) -> None:
        self._declaration, self._settings = declaration, settings
        self._left = [
            toggle.name for toggle in declaration.toggles if not equal_settings(settings[toggle.name], toggle.default)
        ]

    def words(self, name: str, known: Mapping[Setting, T], other: Callable[[Any], T] | None = None) -> T:
        """The word for a setting of a toggle: one of those known, or ``other`` for a number, a drawing or a file.

        Raises:
            Untold: there are no words for a value that the toggle lists, or for what it does not list.
        """
        setting = self._settings[name]
        listed = any(equal_settings(value.name, setting) for value in self._declaration.toggle(name).values)
        if setting not in known and (listed or other is None):
            raise Untold(self._without_words(name))
        if name in self._left:
            self._left.remove(name)
        return known[setting] if setting in known or other is None else other(setting)

    def end(self) -> None:
        """Raise `Untold` if a setting other than the default was not put into words."""
        for name in self._left:
            raise Untold(self._without_words(name))

    def _without_words(self, name: str) -> str:
        return tr("UCI has no words for {name}: {settings}", name=name, settings=setting_text(self._settings[name]))


def uci_variant(family: str, settings: Mapping[str, Setting]) -> UciVariant | str:
    """Return a ruleset, by the settings of all toggles of its family, for UCI engines; or a sentence that says why not.

    A family that engines may play has a module ``uci`` with ``uci_variant(untaken)``, which loads no kernel: it asks
    ``untaken.words`` for every setting that it can say. What it cannot say, and what it does not ask for, is refused.
    """
    module = _module(family, "uci")
    if module is None:
        return tr("UCI has no words for {family}", family=family)
    untaken = Untaken(games.declaration(family), settings)
    try:
        variant = module.uci_variant(untaken)
        untaken.end()
    except Untold as why:
        return text_of(why)
    assert isinstance(variant, UciVariant)
    return variant


def with_names(family: str, variant: UciVariant) -> UciVariant:
    """Return the variant with the names by which engines may know it, if the family has ``uci_reading.names_of``."""
    module = _module(family, "uci_reading") if variant.ini else None
    return replace(variant, names=module.names_of(variant.section)) if module else variant


def _module(family: str, name: str) -> Any:
    """Return a module of a family; None if it has none of that name."""
    try:
        return games.module(family, name)
    except ModuleNotFoundError as missing:
        if missing.name != f"{games.__name__}.{family}.{name}":
            raise
        return None
