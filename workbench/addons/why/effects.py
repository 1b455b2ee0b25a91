"""Location of a changed rule's effect in the course of a game, and the events that change with it.

Games are played without the change for k plies and with it afterwards, k = 0, 1, 2, 4, …, on equal seeds. The
difference in a measure between one k and the next arises in the plies between, and these differences add up to the
effect. A game that has ended by then, or whose next move is illegal under the changed rules, counts as played without
the change because the rulesets diverged earlier. The location is the ply at which half of the smoothed effect has
arisen; its certainty is estimated by a bootstrap.

Source: effect between two times as the difference of two treatments that diverge at these times, J. Robins, "A new
approach to causal inference in mortality studies with a sustained exposure period", Mathematical Modelling 7, 1986;
smoothing: pool adjacent violators, R. Barlow and others, "Statistical Inference under Order Restrictions", 1972;
bootstrap: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979.
Limits: a rule that acts early through the players' expectations of the end counts as early. Moves before the switch are
made by players without the change. Events that change with a measure are associated with it but need not be causes.
Effects in both directions that cancel each other have no location.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from workbench import games
from workbench.base import output
from workbench.base.errors import input_error
from workbench.base.language import current, join_list, strip_period, tr, translated, untranslated
from workbench.base.project import WHY, Project
from workbench.experiments.experiment import splitmix
from workbench.experiments.measures import FIRST_SCORE, measure_by_name
from workbench.games.results import all_endings
from workbench.games.wording import changes_words
from workbench.players.agents import AgentSpec
from workbench.players.external import play_against_itself
from workbench.positions.game_state import GameState
from workbench.report import model as m
from workbench.report.labels import format_amount, format_change, format_percent, format_signed
from workbench.report.names import Names, unit_factor
from workbench.report.render import matplotlib as drawing
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import Floats, Z, holm

Pair = tuple[Floats, Floats]
"""The values of games without and with the change."""
RESAMPLES = 400
MOST = 0.6
ENDINGS: Mapping[str, tuple[int, ...]] = {"win": (1, 2), "draw": (3,), "unfinished": (0,)}
"""Kind of result -> its codes in records."""
OPENING, MIDDLE, END = "opening", "middle", "end"
EARLY, LATE = 0.25, 2 / 3
"""Shares of the median length at which the opening ends and the end starts, for games whose value changes."""
STEPS = (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


@dataclass(frozen=True)
class Band:
    """The part of an effect between two plies, starting at 0, with its 95 % interval."""

    start: int
    stop: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Place:
    """The location of the effect on a measure."""

    measure: str
    effect: float
    low: float
    high: float
    """The difference in the measure made by the change, with its 95 % interval."""
    bands: tuple[Band, ...]
    start: int
    stop: int
    """The shortest range of plies that contains most of the effect."""
    share: float
    """The share of the effect in this range."""
    part: str
    chance: float
    """The share of bootstrap samples with the same part."""

    @property
    def is_significant(self) -> bool:
        """True if the effect is significant."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Event:
    """An event whose frequency changes."""

    name: str
    result: str
    """The kind of result in `ENDINGS` (frequencies are shares of games), or "" (frequencies are per 100 plies)."""
    before: float
    after: float
    size: float
    p: float
    """The p-value with Holm's correction for all events."""
    along: float
    """The share of the effect associated with the event, by the measure's slope under the same rules."""


def game_values(results: npt.NDArray[np.int64], plies: npt.NDArray[np.int64]) -> dict[str, Floats]:
    """Return each measure's value in every game; a stopped game has score one half."""
    score = np.choose(results, [0.5, 1.0, 0.0, 0.5])
    return {FIRST_SCORE: score, "draw_rate": (results == 3).astype(float), "plies_mean": plies.astype(float)}


def locate_effect(
    measure: str, values: Floats, after: Sequence[int], lengths: npt.NDArray[np.int64], seed: int = 0
) -> Place:
    """Locate the effect on a measure.

    ``values`` has a row per switch and a last row for games without the change, and a column per game. ``after`` has
    the ply of each switch, and ``lengths`` the length in plies of each game without the change.
    """
    edges = np.array(after)
    games = values.shape[1]
    differences = values[:-1] - values[1:]
    total = values[0] - values[-1]
    effect, error = float(total.mean()), float(total.std(ddof=1)) / math.sqrt(games)
    errors = differences.std(axis=1, ddof=1) / math.sqrt(games)
    bands = tuple(
        Band(int(start), int(stop), float(value), float(value - Z * band_error), float(value + Z * band_error))
        for start, stop, value, band_error in zip(edges, edges[1:], differences.mean(axis=1), errors, strict=False)
    )
    changed = np.where(total != 0, lengths, -1)
    part = _part(differences.mean(axis=1), edges, changed)
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, games, games) for _ in range(RESAMPLES)]
    parts = [_part(differences[:, sample].mean(axis=1), edges, changed[sample]) for sample in samples]
    start, stop, share = _shortest_range(_cumulative_share(differences.mean(axis=1)), edges)
    return Place(
        measure, effect, effect - Z * error, effect + Z * error, bands, start, stop, share, part,
        parts.count(part) / RESAMPLES,
    )  # fmt: skip


def _cumulative_share(band_effects: Floats) -> Floats:
    """Return the share of the effect that has arisen by each edge, by isotonic regression of the running sums."""
    total = float(band_effects.sum())
    if total == 0:
        return np.linspace(0, 1, len(band_effects) + 1)
    sums = np.concatenate([[0.0], np.cumsum(band_effects) / total])
    # The ends are fixed because no effect arises before the first ply or after the last.
    inner_shares = np.clip(optimize.isotonic_regression(sums[1:-1]).x, 0, 1) if len(sums) > 2 else []
    return np.concatenate([[0.0], inner_shares, [1.0]])


def _part(band_effects: Floats, edges: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> str:
    """Return the part of a game in which half of the effect has arisen; negative lengths are ignored."""
    share = _cumulative_share(band_effects)
    upper = int(np.argmax(share >= 0.5))
    low, high = share[upper - 1], share[upper]
    ply = edges[upper - 1] + (0.5 - low) / max(high - low, 1e-12) * (edges[upper] - edges[upper - 1])
    median = float(np.median(lengths[lengths >= 0])) if (lengths >= 0).any() else float(edges[-1])
    return OPENING if ply < EARLY * median else END if ply >= LATE * median else MIDDLE


def _shortest_range(share: Floats, edges: npt.NDArray[np.int64]) -> tuple[int, int, float]:
    """Return the shortest range that contains most of the effect, and its share; ties go to the largest share."""
    bands = len(share) - 1
    ranges = [(j - i, -(share[j] - share[i]), i, j) for i in range(bands) for j in range(i + 1, bands + 1)]
    _, negative_share, i, j = min(candidate for candidate in ranges if -candidate[1] >= MOST)
    return int(edges[i]), int(edges[j]), float(-negative_share)


def clearest(places: Sequence[Place]) -> Place:
    """Return the place whose effect is largest relative to its error."""
    return max(places, key=lambda place: abs(place.effect) / max((place.high - place.low) / 2, 1e-12))


def changed_events(columns: Mapping[tuple[str, str], Pair], values: Pair) -> list[Event]:
    """Return the events and endings that change significantly (5 %), largest difference first.

    ``columns`` has each game's values by name and result, and ``values`` those of the measure. Columns that vary are
    compared by Welch's test or by permutations, with Holm's correction.
    """
    varying = {key: pair for key, pair in columns.items() if np.ptp(np.concatenate(pair))}
    corrected = holm([_p_value(*pair) for pair in varying.values()])
    events = [
        Event(*key, float(pair[0].mean()), float(pair[1].mean()), _size(*pair), float(p), _share(pair, values))
        for (key, pair), p in zip(varying.items(), corrected, strict=True)
    ]
    return sorted((event for event in events if event.p <= 0.05), key=lambda event: -abs(event.size))


def event_columns(
    names: Sequence[str], endings: Mapping[int, str], games: Sequence[GamesOfRules]
) -> dict[tuple[str, str], Pair]:
    """Return each game's events (per hundred plies) and endings (1 or 0) by name and result.

    ``games`` are the games without and with the change, ``endings`` the names of terminations by code.
    """
    columns: dict[tuple[str, str], Pair] = {}
    for i, name in enumerate(names):
        before, after = (100 * played.events[:, i] / np.maximum(played.plies, 1) for played in games)
        columns[name, ""] = before, after
    for (code, name), (result, codes) in itertools.product(endings.items(), ENDINGS.items()):
        before, after = (((played.endings == code) & np.isin(played.results, codes)).astype(float) for played in games)
        columns[name, result] = before, after
    return columns


def _p_value(before: Floats, after: Floats) -> float:
    if np.ptp(before) + np.ptp(after) == 0:
        return 2 / math.comb(len(before) + len(after), len(after))  # the probability of this split in either direction
    # SciPy would warn about nearly equal values but does not warn about their moments.
    moments = [moment for sample in (after, before) for moment in (sample.mean(), sample.std(ddof=1), len(sample))]
    return float(stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)


def _size(before: Floats, after: Floats) -> float:
    """Return Cohen's d, or infinity if neither sample varies."""
    spread = math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    difference = float(after.mean() - before.mean())
    return difference / spread if spread else math.copysign(math.inf, difference)


def _share(events: Pair, values: Pair) -> float:
    """Return the share of the effect explained by an event's change and the measure's slope on it within rulesets."""
    centred = [np.concatenate([sample - sample.mean() for sample in pair]) for pair in (events, values)]
    effect, sum_of_squares = float(values[1].mean() - values[0].mean()), float(centred[0] @ centred[0])
    if not effect or not sum_of_squares:
        return math.nan
    return float(centred[0] @ centred[1]) / sum_of_squares * float(events[1].mean() - events[0].mean()) / effect


@dataclass(frozen=True)
class GamesOfRules:
    """Games under one ruleset as arrays with one entry per game."""

    results: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]
    events: npt.NDArray[np.int64]
    """The counts of events, games × events of the family."""
    endings: npt.NDArray[np.int64]


@dataclass(frozen=True)
class SwitchedGames:
    """Games of a player against itself, without (``was``) and with the change (``now``)."""

    was: Ruleset
    now: Ruleset
    player: AgentSpec
    after: tuple[int, ...]
    """The plies after which ``now`` applies, starting at 0. By the last one, all games have ended or diverged: they are
    played entirely under ``was``."""
    results: npt.NDArray[np.int64]
    """Result codes: switches × games."""
    plies: npt.NDArray[np.int64]
    """Lengths: switches × games."""
    alone: tuple[GamesOfRules, GamesOfRules]
    """Games entirely under ``was`` and under ``now``."""


def play_switched(
    was: Ruleset, now: Ruleset, player: AgentSpec, games: int, seed: int, max_plies: int
) -> SwitchedGames:
    """Play games under both rulesets, and games that switch from one to the other after some plies."""
    if was.game != now.game or was.fingerprint == now.fingerprint:
        message = tr(
            "expected two rulesets of one game with different rules, found {was} and {now}", was=was.name, now=now.name
        )
        raise input_error(message)
    seeds = splitmix(("switching", seed, was.fingerprint, now.fingerprint, player.canonical()), 0, games)
    without_change = play_against_itself(was, player, seeds, max_plies, max_plies)
    lines, lengths = without_change["opening"], without_change["plies"]
    divergences = np.array([_divergence(now, line[line >= 0]) for line in lines])
    last = int(np.minimum(lengths, divergences + 1).max())
    after = tuple(step for step in STEPS if step < last)
    results = np.tile(without_change["result"].astype(np.int64), (len(after) + 1, 1))
    plies = np.tile(lengths.astype(np.int64), (len(after) + 1, 1))
    for row, step in enumerate(after):
        switched = np.flatnonzero((step <= divergences) & (step < lengths)) if step else np.arange(games)
        if len(switched):
            prescribed = np.where(np.arange(lines.shape[1]) < step, lines[switched], -1)[:, : max(step, 1)]
            arrays = play_against_itself(now, player, seeds[switched], max_plies, lines=prescribed)
            results[row, switched], plies[row, switched] = arrays["result"], arrays["plies"]
        if step == 0:
            with_change = arrays
    alone = _ruleset_games(without_change), _ruleset_games(with_change)
    return SwitchedGames(was, now, player, (*after, last), results, plies, alone)


def _ruleset_games(arrays: Mapping[str, Any]) -> GamesOfRules:
    return GamesOfRules(*(arrays[name].astype(np.int64) for name in ("result", "plies", "events", "termination")))


def _divergence(ruleset: Ruleset, line: npt.NDArray[np.int32]) -> int:
    """Return the number of moves in a game before the first one that a ruleset forbids."""
    state = GameState(ruleset.game, ruleset.codes())
    for ply, move in enumerate(line.tolist()):
        if move not in state.legal():
            return ply
        state.push(move)
    return len(line)


MOST_EVENTS = 3
PLACES = {
    OPENING: tr("Most of the effect on {measure} ({effect}) arises in the opening ({plies})."),
    MIDDLE: tr("Most of the effect on {measure} ({effect}) arises in the middle of the game ({plies})."),
    END: tr("Most of the effect on {measure} ({effect}) arises towards the end of the game ({plies})."),
}
PARTS = {OPENING: tr("opening"), MIDDLE: tr("middle"), END: tr("end")}
BY_RESULT = {
    "win": tr("won: {sentence}"),
    "draw": tr("drawn: {sentence}"),
    "unfinished": tr("not finished: {sentence}"),
}


@dataclass(frozen=True)
class Why:
    """The locations of a change's effects, and the events that change."""

    games: SwitchedGames
    places: tuple[Place, ...]
    best: Place
    events: tuple[Event, ...]
    """The changed events, largest difference first."""


def explain(switched: SwitchedGames) -> Why:
    """Locate a change's effects, and find the events that change with the clearest effect."""
    values = game_values(switched.results, switched.plies)
    was = switched.alone[0]
    places = tuple(locate_effect(name, value, switched.after, was.plies) for name, value in values.items())
    best = clearest(places)
    family = games.declaration(switched.was.game)
    endings = {code: ending.name for code, ending in all_endings(family).items()}
    columns = event_columns([event.name for event in family.events], endings, switched.alone)
    events = changed_events(columns, (values[best.measure][-1], values[best.measure][0]))
    return Why(switched, places, best, tuple(events))


def change_title(explanation: Why) -> str:
    """Return a description of the rule changes."""
    was, now = explanation.games.was, explanation.games.now
    return changes_words(was.game, games.declaration(was.game).toggles, was.settings, now.settings)


def why_sentences(explanation: Why) -> list[str]:
    """Return sentences about the location of the clearest effect and the events that change."""
    place = explanation.best
    if not place.is_significant:
        return [tr("These games show no effect on score, draws or length.")]
    title, unit = measure_by_name(place.measure).title, Names.unit_name(place.measure)
    effect = tr("{number} {unit}", number=format_signed(unit_factor(place.measure) * place.effect), unit=unit)
    lines = [PLACES[place.part].format(measure=title, effect=effect, plies=_plies(place))]
    if not explanation.events:
        return [*lines, tr("No counted event changes significantly.")]
    event_texts = [_event_words(explanation, event) for event in explanation.events[:MOST_EVENTS]]
    lines.append(tr("Events that change with it: {events}.", events=join_list(event_texts)))
    if 0.1 <= explanation.events[0].along <= 1:
        text = tr("{share} of the effect is associated with the first of these, though it need not be the cause.")
        lines.append(text.format(share=format_percent(explanation.events[0].along, 0)))
    return lines


def why_document(explanation: Why) -> m.Document:
    """Return a document with the answer and a table of all effects."""

    def if_significant(text: Callable[[Place], str]) -> Callable[[Place], m.TableCell]:
        return lambda place: m.TableCell(text(place) if place.is_significant else untranslated("–"))

    def effect(place: Place) -> m.TableCell:
        unit, factor = Names.unit_name(place.measure), unit_factor(place.measure)
        return m.TableCell(format_change(place.effect, place.low, place.high, unit, factor))

    columns = (
        m.Column.text(tr("measure"), lambda place: measure_by_name(place.measure).title),
        m.Column.number(tr("effect"), effect),
        m.Column.plain(tr("part of the game"), if_significant(lambda place: PARTS[place.part])),
        m.Column.number(tr("sure"), if_significant(lambda place: format_percent(place.chance, 0))),
        m.Column.number(
            tr("plies with the greatest effect"),
            if_significant(lambda place: untranslated(f"{place.start + 1}–{place.stop}")),
        ),
    )
    caption = tr(
        "Where the effects arise in {games} games by {player}, replayed with the change starting at ply "
        "{plies}; with 95 % intervals",
        games=len(explanation.games.alone[0].plies),
        player=explanation.games.player.label,
        plies=", ".join(str(step + 1) for step in explanation.games.after[:-1]),
    )
    table = m.Table.of(caption, columns, explanation.places, printed=True)
    return m.Document.answering(change_title(explanation), why_sentences(explanation), table)


def why_chart(explanation: Why) -> m.Chart:
    """Return a chart of the clearest effect by ply."""
    place = explanation.best
    unit, factor = Names.unit_name(place.measure), unit_factor(place.measure)
    rows = []
    for band in place.bands:
        text = untranslated(format_signed(factor * band.value))
        marks = (
            m.Interval(factor * band.low, factor * band.high),
            m.Dot(factor * band.value, band.low <= 0 <= band.high),
        )
        label = untranslated(f"{band.start + 1}–{band.stop}" if band.stop - band.start > 1 else f"{band.stop}")
        rows.append(m.Row(str(band.start), label, (m.Line(0, marks, text),)))
    scale = m.fit_scale(m.interval_ends(rows), lambda value: format_signed(value, 0), 0.0)
    title = measure_by_name(place.measure).title
    caption = tr(
        "The effect on {measure} by ply, in {unit}, with 95 % intervals. Hollow: not settled.", measure=title, unit=unit
    )
    return m.Chart("why", m.Panel(scale, tuple(rows)), caption, stem="why", title=title)


def why_folder(project: Project, explanation: Why) -> Path:
    """Return the folder for a change's chart."""
    was, now = (ruleset.fingerprint[:8] for ruleset in (explanation.games.was, explanation.games.now))
    return project.report(f"{WHY}/{explanation.games.was.game}-{was}-{now}-{explanation.games.player.label}")


def write_why(folder: Path, explanation: Why, lang: str | None = None) -> list[Path]:
    """Write the chart into a folder as PNG and SVG and return the files."""
    output.make_folder(folder)
    output.claim_folder(folder, ["why.png", "why.svg"])
    language = lang or current()
    figure = drawing.draw_figure(why_chart(explanation), language, translated(change_title(explanation), language))
    return drawing.save_figure(figure, folder / "why")


def plain_why(explanation: Why) -> Mapping[str, Any]:
    """Return the result as plain data; effects that are not significant have no location."""
    location = ("start", "stop", "share", "part", "chance")
    return {
        "was": explanation.games.was.name,
        "now": explanation.games.now.name,
        "player": explanation.games.player.label,
        "games": len(explanation.games.alone[0].plies),
        "effects": [
            asdict(place) | {"sure": place.is_significant} | ({} if place.is_significant else dict.fromkeys(location))
            for place in explanation.places
        ],
        "clearest": explanation.best.measure,
        "events": [asdict(event) for event in explanation.events],
        "sentences": [str(sentence) for sentence in why_sentences(explanation)],
    }


def _plies(place: Place) -> str:
    if place.stop - place.start == 1:
        return tr("at ply {n}", n=place.stop)
    return tr("in plies {start} to {stop}", start=place.start + 1, stop=place.stop)


def _event_words(explanation: Why, event: Event) -> str:
    family = games.declaration(explanation.games.was.game)
    if event.result:
        ending = next(ending for ending in all_endings(family).values() if ending.name == event.name)
        sentence = BY_RESULT[event.result].format(sentence=strip_period(ending.sentence))
        before, after = (format_percent(share, 0) for share in (event.before, event.after))
        return tr("games {sentence} ({before} → {after})", sentence=sentence, before=before, after=after)
    sentence = strip_period(next(counted.sentence for counted in family.events if counted.name == event.name))
    before, after = (format_amount(times, 1) for times in (event.before, event.after))
    return tr("“{sentence}” ({before} → {after} in 100 plies)", sentence=sentence, before=before, after=after)
