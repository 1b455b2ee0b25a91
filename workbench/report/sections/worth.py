"""What a unit of each kind is worth to the players that have learned, ruleset by ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench import games
from workbench.language import listed, tr, verbatim
from workbench.questions.agent_kinds import shares_weights
from workbench.report.labels import LEARNED_IN_WORDS
from workbench.report.marks import Dot, Interval, Line, Panel, Row, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import Names
from workbench.statistics.unit_worth import UnitWorth, unit_worths

TITLE = tr("What units are worth")
UNIT = {
    True: tr("in units of the kind that is commonest when a game begins ({kinds})"),
    False: tr("in log-odds of winning"),
}
CAPTION = tr(
    "What one unit of each kind is worth to the players that learned each ruleset, {unit}: "
    "the mean of the trainings (dot) and the least and the most that one of them says "
    "(line). What differs by more than the trainings do comes from the rules."
)
REFUSED = tr("Not played by, since it did worse than what its agents play by instead: {names}.")
MOST_LINES = 60
"""Lines of a chart; more are told by the table alone."""


def kind_name(game: str, kind: str) -> str:
    """The name of a kind of units."""
    known = games.declaration(game).units if game in games.names() else ()
    return next((each.title or each.name for each in known if each.name == kind), verbatim(kind))


def worth_unit(game: str, learned: Mapping[str, Mapping[str, Any]], relative: bool) -> str:
    """What the worth is counted in, in words."""
    kinds = dict.fromkeys(str(each["commonest"]) for trainings in learned.values() for each in trainings.values())
    return UNIT[relative].format(kinds=listed([kind_name(game, kind) for kind in kinds]))


def worth_text(worth: UnitWorth) -> tuple[str, str]:
    """The worth and its ends, as they are written."""
    ends = "" if worth.low == worth.high else f"{worth.low:.2f}–{worth.high:.2f}"
    return f"{worth.mean:.2f}".replace("-", "−"), ends.replace("-", "−")


def worth_chart(
    game: str, learned: Mapping[str, Mapping[str, Any]], names: Mapping[str, str], baseline: str = ""
) -> Chart:
    """Bars of the worth of each kind, a row for each ruleset; ``names`` are what rulesets are called."""
    by_ruleset, relative = unit_worths(learned)
    rows = tuple(
        Row(
            ruleset,
            verbatim(names.get(ruleset, ruleset)),
            tuple(
                Line(number, (Interval(each.low, each.high), Dot(each.mean)), _text(game, each), each.kind)
                for number, each in enumerate(of_ruleset)
            ),
            baseline=ruleset == baseline,
        )
        for ruleset, of_ruleset in by_ruleset.items()
    )
    ends = [end for of_ruleset in by_ruleset.values() for each in of_ruleset for end in (each.low, each.high)]
    scale = fit_scale(ends, lambda value: f"{value:g}".replace("-", "−"), even=0.0)
    caption = CAPTION.format(unit=worth_unit(game, learned, relative))
    return Chart(f"worth-{game}", Panel(scale, rows), caption, stem=f"worth_{game}", title=TITLE)


def _text(game: str, worth: UnitWorth) -> str:
    mean, ends = worth_text(worth)
    name = kind_name(game, worth.kind)
    if not ends:
        return tr("{name} {mean}", name=name, mean=mean)
    return tr("{name} {mean} ({ends})", name=name, mean=mean, ends=ends)


def unit_worth_section(provenance: Mapping[str, Any], names: Names) -> Section | None:
    """What units are worth, where players have learned each ruleset apart."""
    told = provenance.get("learned") or {}
    learned = {name: {key: each for key, each in told[name].items() if not shares_weights(key)} for name in told}
    parts: list[Part] = []
    for game in dict.fromkeys(names.plan.ruleset(ruleset).game for ruleset in names.rulesets):
        of_game = {name: learned[name] for name in names.rulesets
                   if learned.get(name) and names.plan.ruleset(name).game == game}  # fmt: skip
        if of_game:
            parts += _game_parts(game, of_game, names)
    if not parts:
        return None
    refused = [
        LEARNED_IN_WORDS.format(ruleset=names.short(ruleset), training=training)
        for ruleset, trainings in told.items()
        for training, each in trainings.items()
        if not each["accepted"] and ruleset in names.rulesets
    ]
    if refused:
        parts.insert(0, Paragraph(REFUSED.format(names=listed(refused)), "warning"))
    return Section("worth", TITLE, parts)


def _game_parts(game: str, learned: Mapping[str, Mapping[str, Any]], names: Names) -> Iterator[Part]:
    by_ruleset, relative = unit_worths(learned)
    if sum(map(len, by_ruleset.values())) <= MOST_LINES:
        yield worth_chart(game, learned, names.short_names, names.plan.baseline)
    kinds = [each.kind for each in next(iter(by_ruleset.values()))]
    heads = [
        TableCell(tr("ruleset")),
        *(TableCell(kind_name(game, kind), kind="number") for kind in kinds),
        TableCell(tr("score in the match"), kind="number"),
    ]
    rows = []
    for ruleset, of_ruleset in by_ruleset.items():
        scores = [_score(each["match"]) for each in learned[ruleset].values()]
        ends = f"{min(scores):.0f}–{max(scores):.0f}" if len(scores) > 1 else ""
        rows.append([
            names.ruleset_cell(ruleset),
            *(numeric_cell(worth_text(each)[0], each.mean, worth_text(each)[1]) for each in of_ruleset),
            numeric_cell(f"{sum(scores) / len(scores):.0f} %", sum(scores) / len(scores), ends),
        ])  # fmt: skip
    caption = tr(
        "The same, {unit}; below each number the least and the most of the trainings. Last, how "
        "they scored against the game's own weights at equal nodes."
    )
    yield Table(caption.format(unit=worth_unit(game, learned, relative)), heads, rows)


def _score(match: Mapping[str, int]) -> float:
    return 100 * (match["wins"] + match["draws"] / 2) / max(1, sum(match.values()))
