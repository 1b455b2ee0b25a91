"""The answer of the command ``effects``: changes that fulfil a wish according to all saved reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from workbench.addons.effects.estimates import CLAIM, Change, Effect, Values
from workbench.base.language import COMMA, LANGUAGES, in_all, join, join_list, sentences, tr, trn, untranslated
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, measure_by_name
from workbench.experiments.wishes import LESS, MORE, SAME, Wish
from workbench.games.declaration import setting_text
from workbench.games.wording import change_words
from workbench.report.labels import format_change, format_percent
from workbench.report.model import Column, Document, Table, TableCell, numeric_cell
from workbench.report.names import Names, unit_factor
from workbench.report.verdicts import LIKELY, UNDECIDED, chance_text
from workbench.rules.rulesets import Ruleset

MOST = 20
NEAREST = 3


def effect_words(measure: str, effect: Effect) -> str:
    """Return an effect with its interval and unit."""
    return format_change(effect.value, effect.low, effect.high, Names.unit_name(measure), unit_factor(measure))


def change_after(change: Change, base: Ruleset) -> str:
    """Return the rule after a change as a sentence."""
    return change_words(change.game, change.toggle, {**base.settings, change.toggle.name: change.after})


def wish_words(wish: Wish) -> str:
    """Describe how a wish was interpreted."""
    words = {MORE: tr("{measure}: more"), LESS: tr("{measure}: less"), SAME: tr("{measure}: unchanged")}
    directions = {**wish.toward, **dict.fromkeys(wish.keep, SAME)}
    parts = [words[sign].format(measure=measure_by_name(name).title) for name, sign in directions.items()]
    return join(COMMA, parts)


def effects_answer(changes: Sequence[Change], wish: Wish | None, base: Ruleset) -> list[str]:
    """Summarize the changes in one or two sentences."""
    if not changes:
        if wish is None:
            return [tr("No saved report has two rulesets of {game} that differ in only one rule.", game=base.game)]
        return [tr("No change in the saved reports is expected to do this; a new rule or another report is needed.")]
    if wish is None:
        return [tr("{count} changes are known for rules like {base}.", count=len(changes), base=base.heading)]
    top = changes[0]
    effects = join(
        COMMA,
        [tr("{measure} {effect}", measure=measure_by_name(name).title, effect=effect_words(name, top.effects[name]))
         for name in (*wish.toward, *wish.keep)],
    )  # fmt: skip
    answer = tr("Most promising: “{change}” ({effects}), from {games:,} games.", change=change_after(top, base),
              effects=effects, games=top.games)  # fmt: skip
    chance = format_percent(top.chance, 0)
    doubt = tr("However, the direction is not certain: its probability is {chance}.", chance=chance)
    return [answer, doubt] if top.chance < CLAIM else [answer]


def effects_document(
    title: str, changes: Sequence[Change], wish: Wish | None, base: Ruleset, measures: Sequence[str]
) -> Document:
    """Return a document with the answer and a table of the changes."""

    def effect_column(measure: str) -> Column:
        def cell(change: Change) -> TableCell:
            effect = change.effects.get(measure)
            return TableCell(effect_words(measure, effect) if effect else untranslated("–"), kind="number")

        return Column.number(measure_by_name(measure).title, cell)

    columns = [Column.plain(tr("change"), lambda change: _change_cell(change, base)), *map(effect_column, measures)]
    if wish:
        columns.append(
            Column.number(
                tr("right direction"), lambda change: numeric_cell(format_percent(change.chance, 0), change.chance)
            )
        )
    caption = tr(
        "Expected effects relative to {base}, with 95 % intervals, pooled over all saved reports, with most weight on "
        "similar rules and players, and shrunk towards zero. When predicted from other reports, directions with a "
        "probability of at least {chance} were right four times out of five; confirm them with your own games.",
        base=base.heading,
        chance=format_percent(CLAIM, 0),
    )
    if len(changes) > MOST:
        caption = sentences([caption, tr("--json lists {count} more.", count=len(changes) - MOST)])
    table = Table.of(caption, columns, changes[:MOST], printed=True)
    return Document.answering(title, effects_answer(changes, wish, base), *([table] if changes else []))


def _change_cell(change: Change, base: Ruleset) -> TableCell:
    """Return a change in file notation, with its words, players and reports below."""
    notation = untranslated(f"{change.toggle.name}: {setting_text(change.before)} → {setting_text(change.after)}")
    *others, strongest = change.players
    players = tr("{count}, up to {player}", count=len(others) + 1, player=strongest) if others else strongest
    games = trn("{n:,} game, {players}", "{n:,} games, {players}", change.games, players=players)
    sources = join(": ", (games, untranslated(", ".join(change.sources))))
    return TableCell(notation, join("\n", (change_after(change, base), sources)))


def plain_change(change: Change, base: Ruleset) -> Mapping[str, Any]:
    """Return a change as plain data."""
    return {
        "game": change.game,
        "toggle": change.toggle.name,
        "before": change.before,
        "after": change.after,
        "words": dict(zip(LANGUAGES, in_all(change_after(change, base)), strict=True)),
        "effects": {name: {"value": of.value, "low": of.low, "high": of.high} for name, of in change.effects.items()},
        "games": change.games,
        "players": list(change.players),
        "reports": list(change.sources),
        "chance": change.chance if change.chance == change.chance else None,
    }


def suggestions(changes: Sequence[Change], measure: str, base: Ruleset) -> list[str]:
    """Return a sentence about the most promising changes for a measure."""
    if not changes:
        return [tr("No saved report contains a change that would do this.")]
    clauses = [
        tr("“{change}” {effect}", change=change_after(one, base), effect=effect_words(measure, one.effects[measure]))
        for one in changes[:NEAREST]
    ]
    return [tr("In the saved reports, these come closest: {changes}.", changes=join_list(clauses))]


# How much a change does in the saved games, and how it is today
EFFECTS: Mapping[tuple[str, bool], str] = {
    ("plies_mean", True): tr("games get {n} moves longer on average"),
    ("plies_mean", False): tr("games get {n} moves shorter on average"),
    ("draw_rate", True): tr("{n} more draws in 100 games"),
    ("draw_rate", False): tr("{n} fewer draws in 100 games"),
    (FAIRNESS, True): tr("{n} points closer to even"),
    (FAIRNESS, False): tr("{n} points further from even"),
}
RARE = 0.01
"""The largest share of draws that is too small to reduce."""


def wish_view(wish: Wish, ranked: Sequence[Change], known: Iterable[Change], values: Values) -> Mapping[str, Any]:
    """Return the answer to a wish as plain data for the studio's first page."""
    settled = _settled(values)
    moot = bool(wish.toward) and wish.toward.items() <= settled.items()
    relevant = [change for change in ranked if change.gain >= 1 and not moot]
    likely = [change for change in relevant if change.chance >= LIKELY]
    notes = {(change.toggle.name, change.after): "" for change in known}
    if "draw_rate" in settled:
        notes |= dict.fromkeys([("draw_value", 0), ("draw_value", 1)], "")
    for change in relevant:
        effects = join_list([_effect_sentence(name, change.effects[name]) for name in wish.toward])
        sure = tr("likely, {chance}", chance=chance_text(change.chance)) if change.chance >= LIKELY else UNDECIDED
        notes[change.toggle.name, change.after] = tr("measured: {effects} ({sureness})", effects=effects, sureness=sure)
    return {
        "now": sentences([*_today(wish, values), *([tr("There is hardly anything left to improve.")] if moot else [])]),
        "moot": moot,
        "settled": settled,
        "first_is_behind": bool(values) and values[FIRST_SCORE][0] < 0.5,
        "changes": [(change.toggle.name, change.after) for change in (likely or relevant)[:NEAREST]],
        "notes": notes,
    }


def _effect_sentence(measure: str, effect: Effect) -> str:
    sentence = EFFECTS.get((measure, effect.value > 0))
    if sentence is None:
        return tr("{measure} {effect}", measure=measure_by_name(measure).title, effect=effect_words(measure, effect))
    return sentence.format(n=f"{abs(effect.value) * unit_factor(measure):.0f}")


def _settled(values: Values) -> dict[str, int]:
    """Return the goals for which the saved games of today's rules leave nothing to wish."""
    settled = dict[str, int]()
    if values and abs(values[FIRST_SCORE][0] - 0.5) <= measure_by_name(FAIRNESS).margin:
        settled[FAIRNESS] = MORE
    if values and values["draw_rate"][0] <= RARE:
        settled["draw_rate"] = LESS
    return settled


def _today(wish: Wish, values: Values) -> Iterator[str]:
    """Yield sentences about the saved games of today's rules."""
    for name in (FIRST_SCORE if measure == FAIRNESS else measure for measure in wish.toward):
        value, count = values.get(name, (0.0, 0))
        if name == "draw_rate" and count:
            drawn = round(value * count)
            words = trn("{n:,} was drawn", "{n:,} were drawn", drawn) if drawn else tr("none was drawn")
            yield tr("Of {games:,} saved games between the strongest players {drawn}.", games=count, drawn=words)
        elif name == FIRST_SCORE and count:
            yield tr("Between the strongest players, the first player wins {share} of {games:,} games today (a draw "
                     "counts half).", share=format_percent(value, 0), games=count)  # fmt: skip
        elif count:
            yield tr("Between the strongest players, a game takes {n:.0f} moves on average today ({games:,} games).",
                     n=value, games=count)  # fmt: skip
