"""What single changes of rules do: by all kept reports, and where in a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench import games
from workbench.addons.effects import kept_effects
from workbench.addons.effects.kept_effects import CLAIM, Change, Effect
from workbench.addons.why import effect_place
from workbench.base import output
from workbench.base.language import (
    COMMA,
    LANGUAGES,
    bilingual,
    current,
    in_all,
    join,
    join_list,
    sentences,
    strip_period,
    tr,
    translated,
    trn,
    untranslated,
)
from workbench.base.project import WHY, Project
from workbench.experiments.measures import LESS, MORE, Wish, measure_by_name
from workbench.games.declaration import setting_text
from workbench.games.results import all_endings
from workbench.games.wording import change_words, changes_words
from workbench.report.labels import format_amount, format_change, format_percent, format_signed
from workbench.report.model import (
    Chart,
    Column,
    Document,
    Dot,
    Interval,
    Line,
    Panel,
    Row,
    Section,
    Table,
    TableCell,
    fit_scale,
    interval_ends,
    numeric_cell,
)
from workbench.report.render import matplotlib as drawing
from workbench.rules.rulesets import Ruleset
from workbench.runs.self_play import SwitchedGames

MOST = 20
"""Changes that the terminal shows."""


def measures_told(wish: Wish | None, plain: Sequence[str]) -> tuple[str, ...]:
    """Those of a wish, and what every report tells."""
    return tuple(dict.fromkeys([*(wish.toward if wish else ()), *(wish.keep if wish else ()), *plain]))


def effect_words(measure: str, effect: Effect) -> str:
    """An effect with its interval: points of a share, or plies, say."""
    return format_change(effect.value, effect.low, effect.high, *_unit_and_factor(measure))


def _unit_and_factor(measure: str) -> tuple[str, float]:
    """What effects on a measure are told in, and by what they are multiplied for it."""
    declared = measure_by_name(measure)
    return (tr("points"), 100) if declared.is_share else (tr("plies") if declared.unit == "plies" else "", 1)


def words_of(change: Change, base: Ruleset) -> str:
    """What a change changes the rules to."""
    return change_words(change.game, change.toggle, {**base.settings, change.toggle.name: change.after})


def wish_words(wish: Wish) -> str:
    """A wish as it was understood."""
    parts = [
        (tr("{measure}: more") if direction == MORE else tr("{measure}: less")).format(
            measure=measure_by_name(name).title
        )
        for name, direction in wish.toward.items()
    ]
    kept = [tr("{measure}: as it is", measure=measure_by_name(name).title) for name in wish.keep]
    return join(COMMA, [*parts, *kept])


def effects_answer(changes: Sequence[Change], wish: Wish | None, base: Ruleset) -> list[str]:
    """What comes out, in sentences."""
    if not changes:
        if wish is None:
            return [tr("No kept report has two rulesets of {game} that differ in one rule alone.", game=base.game)]
        return [tr("No change that was ever played is expected to do this: a rule is missing, or a report.")]
    if wish is None:
        return [tr("{count} changes are known, beside rules like {base}.", count=len(changes), base=base.heading)]
    best = changes[0]
    effects = join(
        COMMA,
        [tr("{measure} {effect}", measure=measure_by_name(name).title, effect=effect_words(name, best.effects[name]))
         for name in (*wish.toward, *wish.keep)],
    )  # fmt: skip
    said = tr("Most promising: “{change}” ({effects}), by {games:,} games.", change=words_of(best, base),
              effects=effects, games=best.games)  # fmt: skip
    if best.chance < CLAIM:
        return [said, tr("But no direction is sure: it is right with {chance}.", chance=format_percent(best.chance, 0))]
    return [said]


def effects_document(
    title: str, changes: Sequence[Change], wish: Wish | None, base: Ruleset, told: Sequence[str]
) -> Document:
    """What comes out, and the changes as a table."""

    def effect_column(measure: str) -> Column:
        def cell(change: Change) -> TableCell:
            effect = change.effects.get(measure)
            return TableCell(effect_words(measure, effect) if effect else untranslated("–"), kind="number")

        return Column.number(measure_by_name(measure).title, cell)

    columns = [
        Column.plain(tr("change"), lambda change: _change_cell(change, base)),
        *map(effect_column, told),
        *(
            [
                Column.number(
                    tr("right direction"), lambda change: numeric_cell(format_percent(change.chance, 0), change.chance)
                )
            ]
            if wish
            else []
        ),
    ]
    caption = tr(
        "Expected effects beside {base}, with 95 % intervals: from all kept reports, most of all from those with like "
        "rules and players, and shrunk towards no effect. Directions that other reports gave a chance of {chance} or "
        "more were right in four cases out of five: confirm them by games of your own.",
        base=base.heading,
        chance=format_percent(CLAIM, 0),
    )
    if len(changes) > MOST:
        caption = sentences([caption, tr("{count} more: --json has all.", count=len(changes) - MOST)])
    table = Table.of(caption, columns, changes[:MOST], printed=True)
    return Document.answering(title, effects_answer(changes, wish, base), *([table] if changes else []))


def _chance_cell(change: Change) -> TableCell:
    return numeric_cell(format_percent(change.chance, 0), change.chance)


def _change_cell(change: Change, base: Ruleset) -> TableCell:
    """A change as files write it; below in words, and who played it in which reports."""
    written = untranslated(f"{change.toggle.name}: {setting_text(change.before)} → {setting_text(change.after)}")
    played = trn("{n:,} game, {players}", "{n:,} games, {players}", change.games, players=_players(change.players))
    sources = join(": ", (played, untranslated(", ".join(change.sources))))
    return TableCell(written, join("\n", (words_of(change, base), sources)))


def _players(players: Sequence[str]) -> str:
    """Who played: one, or how many and the strongest."""
    if len(players) == 1:
        return untranslated(players[0])
    return tr("{count}, up to {player}", count=len(players), player=players[-1])


def plain_change(change: Change, base: Ruleset) -> Mapping[str, Any]:
    """A change for other programs."""
    return {
        "game": change.game,
        "toggle": change.toggle.name,
        "before": change.before,
        "after": change.after,
        "words": dict(zip(LANGUAGES, in_all(words_of(change, base)), strict=True)),
        "effects": {
            name: {"value": effect.value, "low": effect.low, "high": effect.high}
            for name, effect in change.effects.items()
        },
        "games": change.games,
        "players": list(change.players),
        "reports": list(change.sources),
        "chance": change.chance if change.chance == change.chance else None,
    }


NEAREST = 3
"""Kept effects that are named where a rule is missing."""
OF_SEARCH = {"plies": "plies_mean"}
"""What reports call the measures of a search."""


def texts(kept: Mapping[str, Any], name: str) -> list[str]:
    """Sentences that were kept in all languages."""
    return [bilingual(**{lang: str(text) for lang, text in each.items()}) for each in kept.get(name) or ()]


def beyond_section(
    kept: Mapping[str, Any],
    shown: Mapping[str, str],
    value: Callable[[str, Mapping[str, float]], str],
    targets: Callable[[Mapping[str, Any]], str],
) -> list[Section]:
    """What lies one step beyond the space, beside the finalists; nothing if it was not asked.

    ``shown``: measures and their titles; ``value`` and ``targets`` write a measure and which targets are met.
    """
    rows = kept.get("beyond")
    if not rows:
        return []

    def step(row: Mapping[str, Any]) -> str:
        return texts({"change": [row["change"]]}, "change")[0] if row["beside"] else tr("none: a finalist")

    def measure_column(name: str) -> Column:
        def cell(row: Mapping[str, Any]) -> TableCell:
            return numeric_cell(value(name, row["values"][name]), row["values"][name]["value"])

        return Column.number(shown[name], cell)

    columns = (
        Column.text(tr("ruleset"), lambda row: texts({"title": [row["title"]]}, "title")[0]),
        Column.text(tr("the step beyond"), step),
        *map(measure_column, shown),
        Column.text(tr("targets"), targets),
    )
    caption = tr(
        "Rulesets that change one thing of a finalist which the space does not have, beside the finalists, by fresh "
        "games of the players of the search; those that miss the targets by least come first. All intervals of a "
        "column hold at once with 95 %."
    )
    return [Section("beyond", tr("One step beyond the space"), [Table.of(caption, columns, rows)])]


def nearest_effects(kept: Mapping[str, Any], base: Ruleset, best: Ruleset) -> list[str]:
    """Where no finalist meets a target: the changes of which kept reports let expect most of what is missing."""
    outcome = (kept.get("result") or {"finalists": []})["finalists"]
    missed = [name for name, state in outcome[0]["targets"].items() if state == "missed"] if outcome else []
    if not missed or base.project is None:
        return []
    target, value = {**kept["targets"], **kept["must"]}[missed[0]], outcome[0]["values"][missed[0]]["value"]
    low = 0.0 if isinstance(target, str) else target[0]
    rises = target.startswith(">") if isinstance(target, str) else value < low
    measure = OF_SEARCH.get(missed[0], missed[0])
    estimates = kept_effects.kept_estimates([base.project.reports], base.project, base.game)
    changes = kept_effects.known_changes(estimates, best, [measure])
    found = kept_effects.serve(Wish({measure: MORE if rises else LESS}), changes, best)
    if not found:
        return [tr("No kept report has a change that would do this.")]
    named = [
        tr("“{change}” {effect}", change=words_of(change, best), effect=effect_words(measure, change.effects[measure]))
        for change in found[:NEAREST]
    ]
    return [tr("By the kept reports these come nearest to it: {changes}.", changes=join_list(named))]


MOST_EVENTS = 3
"""Events that are told."""
PLACES = {
    effect_place.OPENING: tr("Most of the effect on {measure} ({effect}) arises in the opening, {plies}."),
    effect_place.MIDDLE: tr("Most of the effect on {measure} ({effect}) arises in the middle of the game, {plies}."),
    effect_place.END: tr("Most of the effect on {measure} ({effect}) arises towards the end of the game, {plies}."),
}
PARTS = {effect_place.OPENING: tr("opening"), effect_place.MIDDLE: tr("middle"), effect_place.END: tr("end")}
BY_RESULT = {
    "win": tr("won: {sentence}"),
    "draw": tr("drawn: {sentence}"),
    "unfinished": tr("not finished: {sentence}"),
}


@dataclass(frozen=True)
class Why:
    """What switched games say of a change."""

    games: SwitchedGames
    places: tuple[effect_place.Place, ...]
    """For each measure."""
    best: effect_place.Place
    """That of the clearest effect."""
    events: tuple[effect_place.Event, ...]
    """What happens more or less often, the largest difference first."""


def explain(switched: SwitchedGames) -> Why:
    """Where the effects arise, and what changes with the clearest of them."""
    values = effect_place.game_values(switched.results, switched.plies)
    was = switched.alone[0]
    places = tuple(effect_place.effect_place(name, each, switched.after, was.plies) for name, each in values.items())
    best = effect_place.clearest(places)
    family = games.declaration(switched.was.game)
    endings = {code: ending.name for code, ending in all_endings(family).items()}
    columns = effect_place.event_columns([event.name for event in family.events], endings, switched.alone)
    events = effect_place.changed_events(columns, (values[best.measure][-1], values[best.measure][0]))
    return Why(switched, places, best, tuple(events))


def change_title(why: Why) -> str:
    """What the second ruleset changes of the first, in words."""
    was, now = why.games.was, why.games.now
    return changes_words(was.game, games.declaration(was.game).toggles, was.settings, now.settings)


def why_sentences(why: Why) -> list[str]:
    """Where the clearest effect arises, and what happens more or less often with the change."""
    best = why.best
    if not best.is_sure:
        return [tr("These games show no effect on score, draws or length, so there is none to place.")]
    unit, factor = _unit_and_factor(best.measure)
    effect = tr("{number} {unit}", number=format_signed(factor * best.effect), unit=unit)
    said = [PLACES[best.part].format(measure=measure_by_name(best.measure).title, effect=effect, plies=_plies(best))]
    if not why.events:
        return [*said, tr("None of the events that are counted shows a difference.")]
    changed = [_event_words(why, event) for event in why.events[:MOST_EVENTS]]
    said.append(tr("What changes with it: {events}.", events=join_list(changed)))
    first = why.events[0]
    if 0.1 <= first.along <= 1:
        share = format_percent(first.along, 0)
        said.append(
            tr("{share} of the effect go along with the first of these, which need not be the cause.", share=share)
        )
    return said


def why_document(why: Why) -> Document:
    """The places of all effects, and the parts of the clearest."""

    def where(text: Callable[[effect_place.Place], str]) -> Callable[[effect_place.Place], TableCell]:
        return lambda place: TableCell(text(place) if place.is_sure else untranslated("–"))

    def effect(place: effect_place.Place) -> TableCell:
        return TableCell(format_change(place.effect, place.low, place.high, *_unit_and_factor(place.measure)))

    columns = (
        Column.text(tr("measure"), lambda place: measure_by_name(place.measure).title),
        Column.number(tr("effect"), effect),
        Column.plain(tr("part of the game"), where(lambda place: PARTS[place.part])),
        Column.number(tr("sure"), where(lambda place: format_percent(place.chance, 0))),
        Column.number(tr("most of it in plies"), where(lambda place: untranslated(f"{place.start + 1}–{place.stop}"))),
    )
    caption = tr(
        "Where effects arise, with 95 % intervals: {games} games of {player}, and again with the change from ply "
        "{plies} on",
        games=len(why.games.alone[0].plies),
        player=why.games.player.label,
        plies=", ".join(str(step + 1) for step in why.games.after[:-1]),
    )
    table = Table.of(caption, columns, why.places, printed=True)
    return Document.answering(change_title(why), why_sentences(why), table)


def why_chart(why: Why) -> Chart:
    """How much of the clearest effect arises between each two switches."""
    best = why.best
    unit, factor = _unit_and_factor(best.measure)
    rows = []
    for band in best.bands:
        text = untranslated(format_signed(factor * band.value))
        marks = (Interval(factor * band.low, factor * band.high), Dot(factor * band.value, band.low <= 0 <= band.high))
        label = untranslated(f"{band.start + 1}–{band.stop}" if band.stop - band.start > 1 else f"{band.stop}")
        rows.append(Row(str(band.start), label, (Line(0, marks, text),)))
    scale = fit_scale(interval_ends(rows), lambda value: format_signed(value, 0), 0.0)
    title = measure_by_name(best.measure).title
    caption = tr(
        "What of the effect on {measure} arises in which plies, in {unit}, with 95 % intervals. Hollow: not settled.",
        measure=title,
        unit=unit,
    )
    return Chart("why", Panel(scale, tuple(rows)), caption, stem="why", title=title)


def why_folder(project: Project, why: Why) -> Path:
    """Where the chart of a change lies."""
    was, now = (ruleset.fingerprint[:8] for ruleset in (why.games.was, why.games.now))
    return project.report(f"{WHY}/{why.games.was.game}-{was}-{now}-{why.games.player.label}")


def write_why(folder: Path, why: Why, lang: str | None = None) -> list[Path]:
    """Writes the chart into a folder, as PNG and SVG; returns the files."""
    output.make_folder(folder)
    output.claim_folder(folder, ["why.png", "why.svg"])
    figure = drawing.draw_figure(why_chart(why), lang or current(), translated(change_title(why), lang or current()))
    return drawing.save_figure(figure, folder / "why")


def plain_why(why: Why) -> Mapping[str, Any]:
    """All of it for other programs; an effect that is not sure has no place."""
    placed = ("start", "stop", "share", "part", "chance")
    return {
        "was": why.games.was.name,
        "now": why.games.now.name,
        "player": why.games.player.label,
        "games": len(why.games.alone[0].plies),
        "effects": [
            asdict(place) | {"sure": place.is_sure} | ({} if place.is_sure else dict.fromkeys(placed))
            for place in why.places
        ],
        "clearest": why.best.measure,
        "events": [asdict(event) for event in why.events],
        "sentences": [str(sentence) for sentence in why_sentences(why)],
    }


def _plies(place: effect_place.Place) -> str:
    if place.stop - place.start == 1:
        return tr("at ply {n}", n=place.stop)
    return tr("in plies {start} to {stop}", start=place.start + 1, stop=place.stop)


def _event_words(why: Why, event: effect_place.Event) -> str:
    family = games.declaration(why.games.was.game)
    if event.result:
        ending = next(one for one in all_endings(family).values() if one.name == event.name)
        sentence = BY_RESULT[event.result].format(sentence=strip_period(ending.sentence))
        before, after = (format_percent(share, 0) for share in (event.before, event.after))
        return tr("games that are {sentence} ({before} → {after})", sentence=sentence, before=before, after=after)
    sentence = strip_period(next(one.sentence for one in family.events if one.name == event.name))
    before, after = (format_amount(times, 1) for times in (event.before, event.after))
    return tr("“{sentence}” ({before} → {after} in 100 plies)", sentence=sentence, before=before, after=after)
