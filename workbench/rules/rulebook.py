"""Rulesets in words: the choices of a game, the rules of a ruleset, differences between rulesets, and witnesses.

Witnesses are positions that demonstrate a setting of a toggle, used by tests and reports. A family's ``witnesses.yaml``
has a list ``witnesses`` with an entry for every non-default value of every toggle; an entry has the fields of
`Witness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from workbench import games
from workbench.base.console import display_width, padded, wrapped
from workbench.base.errors import InputError, Problem, display_path, guess, input_error
from workbench.base.keys import DeferredValue, ListOf, MappingOf, Number, OneOf, Text, key, key_map
from workbench.base.language import SEMICOLON, bilingual, join, tr, translated, trn
from workbench.base.project import Project
from workbench.base.yamlfile import Node, read_yaml
from workbench.games import drawings
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import PriceList
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import Cost, army_costs, army_offers, price_list, read_setting, toggles_by_name


def find_family(name: str) -> Declaration:
    """Return the declaration of a game named by the user; raise `InputError` if there is no such game."""
    try:
        return games.declaration(name)
    except KeyError:
        if name in (refused := games.refused()):
            raise input_error(refused[name]) from None
        game = name.partition("/")[0]
        hint = guess(name, games.names(), tr("there are {names}"))
        if game in games.names():
            hint = tr("did you mean '{game}'?", game=game)
        raise input_error(tr("there is no game '{name}'", name=name), hint) from None


def describe_toggles(declaration: Declaration) -> Iterator[str]:
    """Yield lines that list every toggle with its values (the default starred) and its source."""
    text = tr("{title} ({name}): ruleset settings. * marks the default.")
    yield text.format(title=declaration.title, name=declaration.name)
    for toggle in declaration.toggles:
        yield ""
        yield join("", (f"{toggle.name}: ", toggle.title))
        for setting, text, sentence in choices(declaration, toggle):
            star = "*" if equal_settings(setting, toggle.default) else " "
            yield wrapped(join(": ", (text, sentence)), f"  {star} ", "      ")
        if isinstance(toggle, PriceList):
            yield from _price_lines(toggle, toggle.default, "        ")
        yield wrapped(tr("source: {source}", source=toggle.source), "    ", "      ")
    if excluded := dict.fromkeys(conflict.message for conflict in declaration.excluded()):
        yield ""
        yield tr("Incompatible settings:")
        yield from (wrapped(message, "    ", "      ") for message in excluded)
    if declaration.styles:
        yield ""
        yield tr("Agent styles, such as greedy:style={styles}:", styles=declaration.styles[0].name)
        for style in declaration.styles:
            yield wrapped(join("", (f"{style.name}: ", style.sentence)), "    ", "      ")


def choices(declaration: Declaration, toggle: Toggle) -> Iterator[tuple[Setting | None, str, str]]:
    """Yield a toggle's possible settings, each with its spelling in files and its sentence in the rule book.

    If an entry covers several settings, its first element is the default if that is one of them, and None otherwise.
    """
    for value in toggle.values:
        yield value.name, setting_text(value.name), toggle.sentence(value.name)
    default = tr(" (default {default})", default=setting_text(toggle.default))
    if span := toggle.span:
        includes_default = not any(equal_settings(value.name, toggle.default) for value in toggle.values)
        steps = "" if span.step == 1 else tr(" in steps of {step:g}", step=span.step)
        numbers = tr("{low} to {high}{steps}", low=span.low, high=span.high, steps=steps)
        text = join("", (numbers, default)) if includes_default else numbers
        yield (toggle.default if includes_default else None), text, span.sentence.format(n="n")
    if isinstance(toggle, PriceList):
        yield None, tr("prices such as {example}", example=toggle.example()), toggle.differs.format(prices=tr("these"))
    if isinstance(toggle, Drawing):
        yield None, toggle.what, toggle.drawn
    if files := toggle.files:
        folder = f"rulesets/{declaration.name}/{files.folder}"
        name = tr("the name of {what} in {folder}", what=files.what, folder=folder)
        yield toggle.default, join("", (name, default)), files.sentence


def describe_ruleset(ruleset: Ruleset, project: Project | None = None) -> Iterator[str]:
    """Yield lines that describe a ruleset in full."""
    declaration = games.declaration(ruleset.game)
    yield wrapped(join(": ", (ruleset.name, ruleset.heading)), "", "  ")
    if ruleset.title and ruleset.title_ja:
        yield join("", ("  ", bilingual(en=ruleset.title_ja, ja=ruleset.title)))
    if ruleset.source:
        yield wrapped(tr("source: {source}", source=ruleset.source), "  ", "    ")
    yield from (wrapped(line, "  ", "    ") for line in (ruleset.known.describe() if ruleset.known else ()))
    if ruleset.parents:
        yield tr("  extends: {parents}", parents=", ".join(ruleset.parents))
    if ruleset.path:
        yield tr("  file: {path}", path=display_path(ruleset.path))
    yield tr("  fingerprint: {fingerprint}", fingerprint=ruleset.fingerprint)
    yield ""
    yield tr("Settings (* marks differences from the game's defaults)")
    without_effect = declaration.without_effect(ruleset.settings)
    for toggle in declaration.toggles:
        setting = ruleset.settings[toggle.name]
        star = " " if equal_settings(setting, toggle.default) else "*"
        note = tr("  # no effect here") if toggle.name in without_effect else ""
        yield join("", (f"  {star} {toggle.name}: {setting_text(setting)}", note))
    for name in ruleset.parents:
        parent = rulesets.load_ruleset(name, project)
        yield ""
        yield tr("Differences from {name}", name=name)
        yield from _differences(rulesets.setting_differences(parent, ruleset))
    yield ""
    yield tr("Differences from the defaults of {game}", game=declaration.title)
    yield from _differences(rulesets.changes_from_default(ruleset))
    yield ""
    yield tr("The rules")
    yield from (wrapped(sentence, "  - ", "    ") for sentence in ruleset.text())
    yield from _pictures(declaration, ruleset)
    yield from _prices(declaration, ruleset, project)


def _pictures(declaration: Declaration, ruleset: Ruleset) -> Iterator[str]:
    """Yield lines that show the settings given as drawings."""
    for toggle in declaration.toggles:
        if isinstance(toggle, Drawing) and toggle.pictured and toggle.is_drawn(ruleset.settings[toggle.name]):
            yield ""
            yield tr("{toggle} ({name})", toggle=toggle.title, name=toggle.name)
            diagram = drawings.shown(ruleset.game, toggle, ruleset.settings)
            for y, name in enumerate(diagram.board.rows):
                row = [diagram.signs.get((y, x), "·") for x in range(len(diagram.board.columns))]
                yield f"  {name:>3} {' '.join(row)}"
            if any(diagram.board.columns):
                yield f"      {' '.join(diagram.board.columns)}".rstrip()
            yield from (wrapped(note, "      ", "      ") for note in diagram.board.notes)


def _prices(declaration: Declaration, ruleset: Ruleset, project: Project | None) -> Iterator[str]:
    """Yield lines with the prices of units and of armies; none in games without prices."""
    prices = price_list(declaration)
    if prices is None:
        return
    yield ""
    yield tr("Prices in points (* marks differences from the standard price, which is shown in brackets)")
    yield from _price_lines(prices, ruleset.settings[prices.name], "  ")
    yield ""
    budget = setting_text(ruleset.settings[prices.budget])
    yield tr("Armies (budget: {budget} points)", budget=budget)
    for cost in army_costs(declaration, ruleset.settings, ruleset.contents):
        yield tr("  {toggle}: {cost}, {spent}", toggle=cost.toggle.title, cost=cost.name, spent=_army_points(cost))
    yield ""
    yield tr("Possible armies on this board (budget: {budget} points)", budget=budget)
    offers = army_offers(declaration, ruleset.settings, project)
    width = max((len(cost.name) for cost in offers), default=0)
    for cost in offers:
        yield join("", (f"  {cost.name:{width}}  ", _army_points(cost)))


def _army_points(cost: Cost) -> str:
    """Return an army's cost in points and the remaining budget as text."""
    if cost.left >= 0:
        return trn("{n} point, {left} left", "{n} points, {left} left", cost.points, left=cost.left)
    return trn("{n} point, {more} too many", "{n} points, {more} too many", cost.points, more=-cost.left)


def _price_lines(prices: PriceList, setting: Setting, indent: str) -> Iterator[str]:
    """Yield a line for each group of units, with the price of every unit."""
    current = prices.table(setting)
    width = max(display_width(translated(unit.group)) for unit in prices.units)
    for group in dict.fromkeys(unit.group for unit in prices.units):
        entries = []
        for unit in (unit for unit in prices.units if unit.group == group):
            price, standard = current[unit.name], unit.price
            text = join(" ", (unit.name, price.words()))
            entries.append(tr("*{price} ({table})", price=text, table=standard.words()) if price != standard else text)
        yield wrapped(SEMICOLON.join(entries), indent + padded(group, width + 2), indent + " " * (width + 2))


def ruleset_as_json(ruleset: Ruleset, project: Project | None = None) -> dict[str, Any]:
    """Return a ruleset's description as plain data; differences map a toggle to ``[other setting, own setting]``."""
    declaration = games.declaration(ruleset.game)

    def plain(differences: Iterable[tuple[Toggle, Setting, Setting]]) -> dict[str, list[Setting]]:
        return {toggle.name: [other, own] for toggle, other, own in differences}

    return {
        "ruleset": ruleset.name, "game": ruleset.game, "title": ruleset.title, "title_ja": ruleset.title_ja,
        "source": ruleset.source, "known": ruleset.known.as_json() if ruleset.known else None,
        "file": display_path(ruleset.path) if ruleset.path else None, "fingerprint": ruleset.fingerprint,
        "parents": list(ruleset.parents), "settings": dict(ruleset.settings), "text": ruleset.text(),
        "differs_from_parents": {
            name: plain(rulesets.setting_differences(rulesets.load_ruleset(name, project), ruleset))
            for name in ruleset.parents
        },
        "differs_from_default": plain(rulesets.changes_from_default(ruleset)),
        **_prices_json(declaration, ruleset, project),
    }  # fmt: skip


def _prices_json(declaration: Declaration, ruleset: Ruleset, project: Project | None) -> dict[str, Any]:
    """Return the prices of units and armies as plain data; empty in games without prices."""
    prices = price_list(declaration)
    if prices is None:
        return {}
    set_up = army_costs(declaration, ruleset.settings, ruleset.contents)
    offers = army_offers(declaration, ruleset.settings, project)
    return {
        "prices": {name: price._asdict() for name, price in prices.table(ruleset.settings[prices.name]).items()},
        "set_up": {cost.toggle.name: {"name": cost.name, "points": cost.points, "left": cost.left} for cost in set_up},
        "may_be_set_up": {cost.name: {"points": cost.points, "left": cost.left} for cost in offers},
    }


def describe_difference(a: Ruleset, b: Ruleset) -> Iterator[str]:
    """Yield lines with the toggles that differ between two rulesets and both sentences for each."""
    differences = rulesets.setting_differences(a, b)
    if a.fingerprint == b.fingerprint:
        text = tr("{a} and {b} have the same rules (fingerprint {fingerprint}).")
        yield text.format(a=a.name, b=b.name, fingerprint=a.fingerprint)
        return
    yield join(": ", (a.name, a.heading))
    yield join(": ", (b.name, b.heading))
    width = max(len(a.name), len(b.name))
    for toggle, *settings in differences:
        yield ""
        yield join("", (f"{toggle.name}: ", toggle.title))
        for name, setting in zip((a.name, b.name), settings, strict=True):
            sentence = join(": ", (setting_text(setting), toggle.sentence(setting)))
            yield wrapped(sentence, f"  {name:{width}}  ", " " * (width + 6))


def _differences(differences: Iterable[tuple[Toggle, Setting, Setting]]) -> list[str]:
    lines = [
        join("", (f"  {toggle.name}: {setting_text(here)}", tr(" (there: {there})", there=setting_text(there))))
        for toggle, there, here in differences
    ]
    return lines or [tr("  nothing")]


_PLAIN = DeferredValue(dict)


@dataclass(frozen=True)
class Witness:
    """A position that distinguishes a setting of a toggle from its default."""

    toggle: str = key(Text(), "Whose value shows.", "stuck", required=True)
    value: Setting = key(_PLAIN, "The value that shows.", "draw", required=True)
    expect: Mapping[str, Any] = key(_PLAIN, "What holds under the value.", {"legal": ["a1-a2"]}, required=True)
    """``legal`` and ``illegal`` moves (some, not all), ``result``, ``termination``, or ``seat``, the player to move."""
    sentence: str = key(Text(), "What differs.", "Who has no move draws.", required=True)
    sentence_ja: str = key(Text(), "The same in Japanese.", "動けなければ引き分け。", default="")
    base: Mapping[str, Setting] = key(_PLAIN, "Settings on both sides, if not the defaults.", {"size": 4}, default={})
    moves: tuple[str, ...] = key(ListOf(tr("moves"), Text()), "From the start or `setup`.", ["a1-a2"], default=())
    times: int = key(Number(1, 1000, whole=True), "How often the moves are played, over and over.", 2, default=1)
    setup: Mapping[str, Any] | None = key(_PLAIN, "A position, as the family's `notation.set_up` reads it.", {})

    def __str__(self) -> str:
        return f"{self.toggle}={setting_text(self.value)}"

    def game_state(self, family: str, setting: Setting) -> GameState:
        """Return the position under a ``setting`` of the toggle; the setting must allow the moves that lead to it."""
        declaration = games.declaration(family)
        settings = {**declaration.defaults(), **self.base, self.toggle: setting}
        game_state = GameState(family, rulesets.kernel_codes(family, settings), setup=self.setup)
        for move in self.moves * self.times:
            game_state.push_text(move)
        return game_state

    def holds_under(self, ruleset: Ruleset) -> bool:
        """Return whether the position and what is expected of it are the same under a ruleset of the setting."""
        family, setting = ruleset.game, ruleset.settings[self.toggle]
        try:
            # A board of another size may have no such squares.
            game_state = GameState(family, ruleset.codes(), setup=self.setup)
            own = self.game_state(family, setting)
            for move in self.moves * self.times:
                game_state.push_text(move)
        except (IllegalMove, InputError):
            return False
        legal = game_state.legal_texts()
        return (
            game_state.board().cells == own.board().cells
            and game_state.outcome() == own.outcome()
            and all(move in legal for move in self.expect.get("legal", ()))
            and not any(move in legal for move in self.expect.get("illegal", ()))
        )


@cache
def family_witnesses(family: str) -> tuple[Witness, ...]:
    """Return a family's witnesses in the order of its file; empty if there is no such file."""
    path, problems = games.folder(family) / "witnesses.yaml", list[Problem]()
    if not path.exists():
        return ()
    node, keys = read_yaml(path, problems).descendant("witnesses"), key_map(Witness)
    toggles = toggles_by_name(games.declaration(family))
    keys["toggle"] = replace(keys["toggle"], kind=OneOf(tuple(toggles), tr("a toggle of {family}", family=family)))
    witnesses = ListOf(tr("witnesses"), MappingOf(tr("a witness"), keys, _witness)).read(node, problems) or ()
    for index, witness in enumerate(witnesses if not problems else ()):
        read_setting(toggles[witness.toggle], node.descendant(index, "value"), problems)
    if problems:
        raise InputError(problems)
    return witnesses


def _witness(**values: Any) -> Witness:
    return Witness(**{name: value.plain() if isinstance(value, Node) else value for name, value in values.items()})


def witness_between(family: str, toggle: str, first: Setting, second: Setting) -> Witness | None:
    """Return a witness for the second of two settings, or else for the first, or None if there is none."""
    for setting in (second, first):
        for witness in family_witnesses(family):
            if witness.toggle == toggle and equal_settings(witness.value, setting):
                return witness
    return None
