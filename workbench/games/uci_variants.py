"""UCI (Universal Chess Interface) names and definitions of rulesets."""

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
    """A ruleset for UCI engines. The family's ``notation.uci`` writes its moves."""

    name: str
    """The value of the option ``UCI_Variant``; every engine supports ``chess``."""
    ini: str = ""
    """The variant's section in Fairy-Stockfish's ``variants.ini``; empty for built-in variants."""
    start: str = "startpos"
    """The start position, written as in the ``position`` command."""
    names: tuple[str, ...] = ()
    """Alternative names of the variant; the first that an engine supports is used."""

    @property
    def section(self) -> str:
        """The variant's section of ``variants.ini``, with its start position."""
        text = self.ini or f"[workbench:{self.name}]\n"
        return text if self.start == "startpos" else f"{text}startFen = {self.start.removeprefix('fen ')}\n"


class Inexpressible(Exception):
    """Raised if a ruleset cannot be expressed in UCI; the text gives the reason."""


class UciSettings:
    """A ruleset's settings, to be translated one by one until only defaults remain."""

    def __init__(self, declaration: Declaration, settings: Mapping[str, Setting]) -> None:
        self._declaration, self._settings = declaration, settings
        self._remaining = [
            toggle.name for toggle in declaration.toggles if not equal_settings(settings[toggle.name], toggle.default)
        ]

    def translate(self, name: str, translations: Mapping[Setting, T], fallback: Callable[[Any], T] | None = None) -> T:
        """Return the translation of a toggle's setting, computed by ``fallback`` for settings that are not listed.

        Raises:
            Inexpressible: there is no translation, and the setting is listed or there is no ``fallback``.
        """
        setting = self._settings[name]
        listed = any(equal_settings(value.name, setting) for value in self._declaration.toggle(name).values)
        if setting not in translations and (listed or fallback is None):
            raise self._inexpressible(name)
        if name in self._remaining:
            self._remaining.remove(name)
        return translations[setting] if setting in translations or fallback is None else fallback(setting)

    def check_complete(self) -> None:
        """Raise `Inexpressible` unless all settings other than defaults have been translated."""
        for name in self._remaining:
            raise self._inexpressible(name)

    def _inexpressible(self, name: str) -> Inexpressible:
        setting = setting_text(self._settings[name])
        return Inexpressible(tr("UCI cannot express {name}: {setting}", name=name, setting=setting))


def uci_variant(family: str, settings: Mapping[str, Setting]) -> UciVariant | str:
    """Return a ruleset as a UCI variant, given the settings of all toggles, or the reason why there is none.

    A family that engines may play has a module ``uci`` with ``translate(settings)``, which loads no kernel and calls
    ``settings.translate`` for every toggle that it can express. Settings of other toggles must be defaults.
    """
    module = _uci_module(family)
    if module is None:
        return tr("UCI cannot express {family}", family=family)
    translator = UciSettings(games.declaration(family), settings)
    try:
        variant = module.translate(translator)
        translator.check_complete()
    except Inexpressible as error:
        return error_text(error)
    assert isinstance(variant, UciVariant)
    return variant


def with_names(family: str, variant: UciVariant) -> UciVariant:
    """Return the variant with the names by which engines may know it, from the family's ``uci.built_in_names``."""
    names = getattr(_uci_module(family), "built_in_names", None) if variant.ini else None
    return replace(variant, names=names(variant.section)) if names else variant


def _uci_module(family: str) -> Any:
    """Return a family's module ``uci``, or None if it has none."""
    try:
        return games.module(family, "uci")
    except ModuleNotFoundError as missing:
        if missing.name != f"{games.__name__}.{family}.uci":
            raise
        return None
