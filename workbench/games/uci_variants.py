"""UCI (Universal Chess Interface) names and definitions of a family's rulesets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from workbench import games
from workbench.base.errors import error_text
from workbench.base.language import tr
from workbench.games.declaration import Declaration, Setting, equal_settings, setting_text

T = TypeVar("T")


@dataclass(frozen=True)
class UciVariant:
    """A ruleset for UCI engines; the family's ``notation.uci`` writes its moves."""

    name: str
    """The value of the engine's option ``UCI_Variant``; every engine knows ``chess``."""
    ini: str = ""
    """Its section in Fairy-Stockfish's ``variants.ini``; empty for variants that engines know by name."""
    start: str = "startpos"
    """The start position, as in the command ``position``."""
    names: tuple[str, ...] = ()
    """Alternative names of the variant; the first that an engine knows is used."""

    @property
    def section(self) -> str:
        """The variant as a section of ``variants.ini``, with the start position."""
        text = self.ini or f"[workbench:{self.name}]\n"
        return text if self.start == "startpos" else f"{text}startFen = {self.start.removeprefix('fen ')}\n"


class Inexpressible(Exception):
    """A ruleset that UCI cannot express; its text says why."""


class UciSettings:
    """The settings of a ruleset, to be translated one by one; in the end all that are not defaults must be."""

    def __init__(self, declaration: Declaration, settings: Mapping[str, Setting]) -> None:
        self._declaration, self._settings = declaration, settings
        self._remaining = [
            toggle.name for toggle in declaration.toggles if not equal_settings(settings[toggle.name], toggle.default)
        ]

    def translate(self, name: str, known: Mapping[Setting, T], other: Callable[[Any], T] | None = None) -> T:
        """Return the translation of a toggle's setting: the ``known`` one, or ``other`` of an unlisted setting.

        Raises:
            Inexpressible: the setting is listed by the toggle but not known, or not listed and there is no ``other``.
        """
        setting = self._settings[name]
        listed = any(equal_settings(value.name, setting) for value in self._declaration.toggle(name).values)
        if setting not in known and (listed or other is None):
            raise self._inexpressible(name)
        if name in self._remaining:
            self._remaining.remove(name)
        return known[setting] if setting in known or other is None else other(setting)

    def check_complete(self) -> None:
        """Raise `Inexpressible` if a setting other than the default was not translated."""
        for name in self._remaining:
            raise self._inexpressible(name)

    def _inexpressible(self, name: str) -> Inexpressible:
        setting = setting_text(self._settings[name])
        return Inexpressible(tr("UCI cannot express {name}: {settings}", name=name, settings=setting))


def uci_variant(family: str, settings: Mapping[str, Setting]) -> UciVariant | str:
    """Return a ruleset as a UCI variant, given the settings of all toggles; or a sentence that says why there is none.

    A family that engines may play has a module ``uci`` with ``translate(settings)``, which loads no kernel and calls
    ``settings.translate`` for every toggle that it can express. Settings of other toggles must be defaults.
    """
    module = _uci_module(family)
    if module is None:
        return tr("UCI cannot express {family}", family=family)
    pending = UciSettings(games.declaration(family), settings)
    try:
        variant = module.translate(pending)
        pending.check_complete()
    except Inexpressible as why:
        return error_text(why)
    assert isinstance(variant, UciVariant)
    return variant


def with_names(family: str, variant: UciVariant) -> UciVariant:
    """Return the variant with the names by which engines may know it, if the family has ``uci.built_in_names``."""
    names = getattr(_uci_module(family), "built_in_names", None) if variant.ini else None
    return replace(variant, names=names(variant.section)) if names else variant


def _uci_module(family: str) -> Any:
    """Return the module ``uci`` of a family; None if it has none."""
    try:
        return games.module(family, "uci")
    except ModuleNotFoundError as missing:
        if missing.name != f"{games.__name__}.{family}.uci":
            raise
        return None
