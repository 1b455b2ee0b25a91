"""The report of where the effects of a change arise: sentences, a table, a chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench import games
from workbench.addons.why import effect_place
from workbench.addons.why.effect_place import Event, Place, SwitchedGames
from workbench.base import output
from workbench.base.language import current, join_list, strip_period, tr, translated, untranslated
from workbench.base.project import WHY, Project
from workbench.experiments.measures import measure_by_name
from workbench.games.results import all_endings
from workbench.games.wording import changes_words
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
    Table,
    TableCell,
    fit_scale,
    interval_ends,
)
from workbench.report.names import Names, unit_factor
from workbench.report.render import matplotlib as drawing

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
    """The places and events of a change, from switched games."""

    games: SwitchedGames
    places: tuple[Place, ...]
    """For each measure."""
    best: Place
    """The place of the clearest effect."""
    events: tuple[Event, ...]
    """The events that change, the largest difference first."""


def explain(switched: SwitchedGames) -> Why:
    """Return the places of the effects, and the events that change with the clearest of them."""
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
    """Return the changes of the second ruleset beside the first, in words."""
    was, now = why.games.was, why.games.now
    return changes_words(was.game, games.declaration(was.game).toggles, was.settings, now.settings)


def why_sentences(why: Why) -> list[str]:
    """Return the place of the clearest effect and the events that change with it, in sentences."""
    best = why.best
    if not best.is_sure:
        return [tr("These games show no effect on score, draws or length, so there is none to place.")]
    unit, factor = Names.unit_name(best.measure), unit_factor(best.measure)
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
    """Return the places of all effects, and the parts of the clearest."""

    def where(text: Callable[[Place], str]) -> Callable[[Place], TableCell]:
        return lambda place: TableCell(text(place) if place.is_sure else untranslated("–"))

    def effect(place: Place) -> TableCell:
        unit, factor = Names.unit_name(place.measure), unit_factor(place.measure)
        return TableCell(format_change(place.effect, place.low, place.high, unit, factor))

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
    """Return the chart of the clearest effect by plies."""
    best = why.best
    unit, factor = Names.unit_name(best.measure), unit_factor(best.measure)
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
    """Return the folder of the chart of a change."""
    was, now = (ruleset.fingerprint[:8] for ruleset in (why.games.was, why.games.now))
    return project.report(f"{WHY}/{why.games.was.game}-{was}-{now}-{why.games.player.label}")


def write_why(folder: Path, why: Why, lang: str | None = None) -> list[Path]:
    """Write the chart into a folder, as PNG and SVG; returns the files."""
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


def _plies(place: Place) -> str:
    if place.stop - place.start == 1:
        return tr("at ply {n}", n=place.stop)
    return tr("in plies {start} to {stop}", start=place.start + 1, stop=place.stop)


def _event_words(why: Why, event: Event) -> str:
    family = games.declaration(why.games.was.game)
    if event.result:
        ending = next(one for one in all_endings(family).values() if one.name == event.name)
        sentence = BY_RESULT[event.result].format(sentence=strip_period(ending.sentence))
        before, after = (format_percent(share, 0) for share in (event.before, event.after))
        return tr("games that are {sentence} ({before} → {after})", sentence=sentence, before=before, after=after)
    sentence = strip_period(next(one.sentence for one in family.events if one.name == event.name))
    before, after = (format_amount(times, 1) for times in (event.before, event.after))
    return tr("“{sentence}” ({before} → {after} in 100 plies)", sentence=sentence, before=before, after=after)
