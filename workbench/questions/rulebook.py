"""Rulesets in words: what a game lets one choose, what a ruleset says, and how two rulesets differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workbench import games
from workbench.console import wrapped
from workbench.errors import InputError, Problem, display_path, guess
from workbench.files.project import Project
from workbench.games import drawings
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import PriceList
from workbench.language import Told, chosen, current, translated
from workbench.questions import price_lists, rulesets
from workbench.questions.rulesets import Ruleset


def find_family(name: str) -> Declaration:
    """The declaration of the game that a user names.

    Raises:
        InputError: there is no such game; says the nearest.
    """
    try:
        return games.declaration(name)
    except KeyError:
        if name in (refused := games.refused()):
            raise InputError([Problem("", None, None, refused[name])]) from None
        game = name.partition("/")[0]
        hint = f"did you mean '{game}'?" if game in games.names() else guess(name, games.names(), "there are")
        raise InputError([Problem("", None, None, f"there is no game '{name}'", hint)]) from None


def describe_toggles(declaration: Declaration) -> Iterator[str]:
    """Lines with every toggle, all its values (the default starred) and where it comes from."""
    yield f"{declaration.title} ({declaration.name}): what a ruleset may set. * marks the default."
    for toggle in declaration.toggles:
        yield ""
        yield Told(f"{toggle.name}: {chosen(toggle.title, toggle.title_ja)}")
        for setting, choice in describe_choices(declaration, toggle):
            star = "*" if equal_settings(setting, toggle.default) else " "
            yield wrapped(choice, f"  {star} ", "      ")
        if isinstance(toggle, PriceList):
            yield from _table(toggle, toggle.default, "        ")
        yield wrapped(f"source: {toggle.source}", "    ", "      ")
    if excluded := dict.fromkeys(conflict.message for conflict in declaration.excluded()):
        yield ""
        yield "What does not go together:"
        for message in excluded:
            yield wrapped(message, "    ", "      ")
    if declaration.styles:
        yield ""
        yield "Styles that an agent may have, such as greedy:style=" + declaration.styles[0].name + ":"
        for style in declaration.styles:
            yield wrapped(Told(f"{style.name}: {translated(style.sentence)}"), "    ", "      ")


def describe_choices(declaration: Declaration, toggle: Toggle) -> Iterator[tuple[Setting, Told]]:
    """What a ruleset may write for a toggle, with what that says in the rule book, in the language that is spoken.

    Each with the setting, the default if that is among what a line stands for, or "" for none of them. A setting
    is written as files write it: it may be copied from here.
    """
    language = current()
    for value in toggle.values:
        yield value.name, Told(f"{setting_text(value.name)}: {toggle.sentence(value.name, language)}")
    default = chosen(f" (default {setting_text(toggle.default)})", f"（既定値{setting_text(toggle.default)}）")
    if span := toggle.span:
        own = not any(equal_settings(value.name, toggle.default) for value in toggle.values)
        steps = "" if span.step == 1 else chosen(f" in steps of {span.step:g}", f"、{span.step:g}刻み")
        numbers = chosen(f"{span.low} to {span.high}{steps}", f"{span.low}〜{span.high}{steps}")
        sentence = chosen(span.sentence, span.ja).format(n="n")
        yield (toggle.default if own else ""), _choice(f"{numbers}{default if own else ''}", sentence)
    if isinstance(toggle, PriceList):
        prices = chosen(f"prices such as {toggle.example()}", f"{toggle.example()}のような点数")
        sentence = chosen(toggle.differs, toggle.differs_ja).format(n=chosen("these", "ここに書いたものは別"))
        yield "", _choice(prices, sentence)
    if isinstance(toggle, Drawing):
        sentence = chosen(toggle.drawn, toggle.drawn_ja).format(n=chosen("so drawn", "描いたもの"))
        yield "", _choice(translated(toggle.what), sentence)
    if files := toggle.files:
        folder = f"rulesets/{declaration.name}/{files.folder}"
        name = chosen(f"the name of {files.what} in {folder}", f"{folder}にある{translated(files.what, 'ja')}の名前")
        sentence = chosen(files.sentence, files.ja).format(n=chosen("so named", "その名前"))
        yield toggle.default, _choice(f"{name}{default}", sentence)


def _choice(what: str, sentence: str) -> Told:
    return Told(chosen(f"{what}: {sentence}", f"{what}：{sentence}"))


def describe_ruleset(ruleset: Ruleset, project: Project | None = None) -> Iterator[str]:
    """Lines with all there is to know of a ruleset."""
    declaration = games.declaration(ruleset.game)
    title = chosen(ruleset.title, ruleset.title_ja)
    yield wrapped(Told(f"{ruleset.name}: {title}"), "", "  ")
    if (other := chosen(ruleset.title_ja, ruleset.title)) not in ("", title):
        yield Told(f"  {other}")
    if ruleset.source:
        yield wrapped(f"source: {ruleset.source}", "  ", "    ")
    if ruleset.known:
        for line in ruleset.known.describe():
            yield wrapped(line, "  ", "    ")
    if ruleset.parents:
        yield f"  extends: {', '.join(ruleset.parents)}"
    if ruleset.path:
        yield f"  file: {display_path(ruleset.path)}"
    yield f"  fingerprint: {ruleset.fingerprint}"
    yield ""
    yield "Settings (* differs from the default of the game)"
    idle = declaration.idle(ruleset.settings)
    for toggle in declaration.toggles:
        setting = ruleset.settings[toggle.name]
        star = " " if equal_settings(setting, toggle.default) else "*"
        note = chosen("  # no effect here", "  # ここでは効果なし") if toggle.name in idle else ""
        yield Told(f"  {star} {toggle.name}: {setting_text(setting)}{note}")
    for name in ruleset.parents:
        parent = rulesets.load_ruleset(name, project)
        yield ""
        yield f"What differs from {name}"
        yield from _differences(rulesets.setting_differences(parent, ruleset))
    yield ""
    title = declaration.title
    yield chosen(f"What differs from the default of {title}", f"{declaration.title_ja or title}の既定と異なるところ")
    yield from _differences(_changes_from_default(declaration, ruleset))
    yield ""
    yield "The rules"
    for sentence in rule_sentences(ruleset):
        yield wrapped(sentence, "  - ", "    ")
    yield from _drawn(declaration, ruleset)
    yield from _prices(declaration, ruleset, project)


def rule_sentences(ruleset: Ruleset) -> list[str]:
    """The rules in plain language, those of toggles in the language that is spoken; see `Ruleset.text`."""
    family = games.declaration(ruleset.game)
    toggles = (sentence for _, sentence in family.sentences(ruleset.settings, current()))
    return [*family.summary, *map(Told, (*toggles, *family.custom(ruleset.settings, current())))]


def _drawn(declaration: Declaration, ruleset: Ruleset) -> Iterator[str]:
    """What the rules draw, as pictures."""
    for toggle in declaration.toggles:
        if isinstance(toggle, Drawing) and toggle.is_drawn(ruleset.settings[toggle.name]):
            yield ""
            yield chosen(f"{toggle.title} ({toggle.name})", f"{toggle.title_ja or toggle.title}（{toggle.name}）")
            drawn = drawings.shown(ruleset.game, toggle, ruleset.settings)
            for y, name in enumerate(drawn.board.rows):
                row = [drawn.signs.get((y, x), "·") for x in range(len(drawn.board.columns))]
                yield Told(f"  {name:>3} {' '.join(row)}")
            if any(drawn.board.columns):
                yield Told(f"      {' '.join(drawn.board.columns)}".rstrip())
            for note in zip(drawn.board.notes, drawn.board.notes_ja, strict=False):
                yield wrapped(chosen(*note), "      ", "      ")


def _prices(declaration: Declaration, ruleset: Ruleset, project: Project | None) -> Iterator[str]:
    """What units cost, what the armies of both players cost, and what else these prices buy; nothing without prices."""
    prices = price_lists.price_list(declaration)
    if prices is None:
        return
    yield ""
    yield "Prices in points (* differs from the rules' own table, whose price stands in brackets)"
    yield from _table(prices, ruleset.settings[prices.name], "  ")
    yield ""
    budget = setting_text(ruleset.settings[prices.budget])
    yield f"What is set up, of {budget} points"
    for cost in price_lists.army_costs(declaration, ruleset.settings, ruleset.contents):
        title = chosen(cost.toggle.title, cost.toggle.title_ja)
        yield Told(chosen(f"  {title}: {cost.name}, {_spent(cost)}", f"  {title}：{cost.name}、{_spent(cost)}"))
    yield ""
    yield f"What may be set up on this board, of {budget} points"
    offers = price_lists.army_offers(declaration, ruleset.settings, project)
    width = max((len(cost.name) for cost in offers), default=0)
    for cost in offers:
        yield Told(f"  {cost.name:{width}}  {_spent(cost)}")


def _spent(cost: price_lists.Cost) -> str:
    """The points of an army and what they leave."""
    points = f"{cost.points} {'point' if abs(cost.points) == 1 else 'points'}"
    if cost.left >= 0:
        return chosen(f"{points}, {cost.left} left", f"{cost.points}点使用、残り{cost.left}点")
    return chosen(f"{points}, {-cost.left} too many", f"{cost.points}点使用、{-cost.left}点超過")


def _table(prices: PriceList, setting: Setting, indent: str) -> Iterator[str]:
    """Lines with the price of every unit, a line or more for each group of units."""
    table = prices.table(setting)
    width = max(len(unit.group) for unit in prices.units)
    for group in dict.fromkeys(unit.group for unit in prices.units):
        entries = []
        for unit in (each for each in prices.units if each.group == group):
            price, own = table[unit.name], unit.price
            there = f" ({own.words()})" if price != own else ""
            entries.append(f"{'*' if there else ''}{unit.name} {price.words()}{there}")
        yield wrapped("; ".join(entries), f"{indent}{group:{width}}  ", indent + " " * (width + 2))


def ruleset_as_json(ruleset: Ruleset, project: Project | None = None) -> dict[str, Any]:
    """The same as plain data; a difference maps a toggle to ``[setting there, setting here]``."""
    declaration = games.declaration(ruleset.game)

    def plain(differences: Iterable[tuple[Toggle, Setting, Setting]]) -> dict[str, list[Setting]]:
        return {toggle.name: [there, here] for toggle, there, here in differences}

    return {
        "ruleset": ruleset.name,
        "game": ruleset.game,
        "title": ruleset.title,
        "title_ja": ruleset.title_ja,
        "source": ruleset.source,
        "known": ruleset.known.as_json() if ruleset.known else None,
        "file": display_path(ruleset.path) if ruleset.path else None,
        "fingerprint": ruleset.fingerprint,
        "parents": list(ruleset.parents),
        "settings": dict(ruleset.settings),
        "text": ruleset.text(),
        "differs_from_parents": {
            name: plain(rulesets.setting_differences(rulesets.load_ruleset(name, project), ruleset))
            for name in ruleset.parents
        },
        "differs_from_default": plain(_changes_from_default(declaration, ruleset)),
        **_prices_json(declaration, ruleset, project),
    }


def _prices_json(declaration: Declaration, ruleset: Ruleset, project: Project | None) -> dict[str, Any]:
    """What units and armies cost, as plain data; nothing without prices."""
    prices = price_lists.price_list(declaration)
    if prices is None:
        return {}
    set_up = price_lists.army_costs(declaration, ruleset.settings, ruleset.contents)
    offers = price_lists.army_offers(declaration, ruleset.settings, project)
    return {
        "prices": {name: price._asdict() for name, price in prices.table(ruleset.settings[prices.name]).items()},
        "set_up": {cost.toggle.name: {"name": cost.name, "points": cost.points, "left": cost.left} for cost in set_up},
        "may_be_set_up": {cost.name: {"points": cost.points, "left": cost.left} for cost in offers},
    }


def describe_difference(a: Ruleset, b: Ruleset) -> Iterator[str]:
    """Lines with the toggles that two rulesets set differently, and both sentences.

    Raises:
        InputError: they are rulesets of two games.
    """
    if a.game != b.game:
        message = f"expected two rulesets of one game, found one of {a.game} and one of {b.game}"
        raise InputError([Problem("", None, None, message)])
    differences = rulesets.setting_differences(a, b)
    if not differences:
        yield f"{a.name} and {b.name} are the same rules (fingerprint {a.fingerprint})."
        return
    yield Told(f"{a.name}: {chosen(a.title, a.title_ja)}")
    yield Told(f"{b.name}: {chosen(b.title, b.title_ja)}")
    width = max(len(a.name), len(b.name))
    for toggle, of_a, of_b in differences:
        yield ""
        yield Told(f"{toggle.name}: {chosen(toggle.title, toggle.title_ja)}")
        for name, setting in ((a.name, of_a), (b.name, of_b)):
            sentence = Told(f"{setting_text(setting)}: {toggle.sentence(setting, current())}")
            yield wrapped(sentence, f"  {name:{width}}  ", " " * (width + 6))


def _changes_from_default(declaration: Declaration, ruleset: Ruleset) -> list[tuple[Toggle, Setting, Setting]]:
    return [
        (toggle, toggle.default, ruleset.settings[toggle.name])
        for toggle in declaration.toggles
        if not equal_settings(toggle.default, ruleset.settings[toggle.name])
    ]


def _differences(differences: Iterable[tuple[Toggle, Setting, Setting]]) -> Iterator[str]:
    lines: list[str] = []
    for toggle, there, here in differences:
        was = chosen(f" (there: {setting_text(there)})", f"（もとは{setting_text(there)}）")
        lines.append(Told(f"  {toggle.name}: {setting_text(here)}{was}"))
    yield from lines or [chosen("  nothing", "  なし")]
