"""What players choose for themselves: matrices with equilibria, places of objects; what units are worth, and cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from workbench import games
from workbench.base.language import join_list, sentences, tr, trc, untranslated
from workbench.base.project import Project
from workbench.games.declaration import Declaration, equal_settings
from workbench.games.prices import PriceList
from workbench.players.agent_kinds import shares_weights
from workbench.positions.game_state import GameState
from workbench.report.labels import LEARNED_IN_WORDS, format_percent, share_text
from workbench.report.marks import Dot, Heat, HeatCell, Interval, Line, Panel, Row, fit_scale, interval_ends
from workbench.report.model import (
    Chart,
    Diagram,
    HeatMap,
    Paragraph,
    Part,
    Section,
    SmallMultiples,
    Table,
    TableCell,
    numeric_cell,
)
from workbench.report.names import Names, extreme_rows, pairing_rows
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import Cost, army_costs, army_offers, price_list
from workbench.statistics import Analysis
from workbench.statistics.styles import STYLE

CHOICE = ["ruleset", "choice", "agents"]
"""The columns that tell one matrix of choices from another."""


def game_of_choice(matrix: pd.DataFrame, names: Names) -> tuple[str, str]:
    """What a matrix is about, its ruleset or board, and what is chosen there."""
    ruleset, code, agents = (str(matrix[column].iloc[0]) for column in CHOICE)
    name = untranslated(names.short(ruleset)) if code == STYLE else names.name_without_choices(ruleset)
    if agents:
        name = tr("{name} ({agents})", name=name, agents=agents)
    return name, names.choice_name(code)


def game_value_sentence(balance: pd.DataFrame, names: Names) -> str:
    """What a game of free choice is worth to the first player, and what both choose; from rows of `equilibria`."""
    name, choice = game_of_choice(balance, names)
    first, second = names.seat_names(str(balance["ruleset"].iloc[0]))
    top = balance.iloc[0].to_dict()
    played = {}
    for seat in ("first", "second"):
        of_seat = balance[(balance["seat"] == seat) & (balance["share"] > 0.005)].sort_values("share", ascending=False)
        played[seat] = join_list(
            [f"{row['option']} {format_percent(row['share'], 0)}" for row in of_seat.to_dict("records")]
        )
    return tr(
        "If both choose their {choice} freely, {name} is worth {value} to the first player: "
        "{first} plays {first_plays}; {second} plays {second_plays}.",
        name=name,
        choice=choice,
        value=share_text(top, "value"),
        first=first,
        second=second,
        first_plays=played["first"],
        second_plays=played["second"],
    )


def ranking_sentence(balance: pd.DataFrame, names: Names) -> str:
    """The options from the strongest to the weakest, by their mean score in both seats."""
    name, choice = game_of_choice(balance, names)
    means = balance.groupby("option", sort=False)["mean_score"].mean().sort_values(ascending=False, kind="stable")
    text = tr("{name}: mean score of each {choice} against all, in both seats: {each}.")
    each = join_list([f"{option} {format_percent(mean, 0)}" for option, mean in means.items()])
    return text.format(name=name, choice=choice, each=each)


MOST_BOARDS = 6
"""Rulesets whose boards with placements are drawn."""
SHADES = 8


def styles_section(analysis: Analysis, names: Names) -> Section | None:
    """The matrices of what players choose for themselves with their equilibria, and where objects were placed."""
    parts: list[Part] = []
    chosen: list[str] = []
    for what, matrix in analysis.matrices.groupby(CHOICE, sort=False):
        equilibria = analysis.equilibria[(analysis.equilibria[CHOICE] == list(what)).all(axis=1)]
        parts += _matrix_parts(matrix, equilibria, names, len(chosen) + 1)
        chosen.append(names.choice_name(str(matrix["choice"].iloc[0])))
    parts += _placement_parts(analysis, names)
    if not parts:
        return None
    title = tr("Choice of place")
    if chosen:
        title = tr("Free choice of {what}", what=join_list(list(dict.fromkeys(chosen))))
    return Section("styles", title, parts)


def _matrix_parts(matrix: pd.DataFrame, balance: pd.DataFrame, names: Names, number: int) -> list[Part]:
    """A matrix, the experiment's ``number``-th, and the equilibrium of its game in a sentence."""
    name, choice = game_of_choice(matrix, names)
    rows = list(dict.fromkeys(matrix["row"]))
    columns = list(dict.fromkeys(matrix["column"]))
    cells = {(row["row"], row["column"]): row for row in matrix.to_dict("records")}
    first, second = names.seat_names(str(matrix["ruleset"].iloc[0]))
    corner = tr("{first} ↓ / {second} →", first=first, second=second)
    caption = tr(
        "{name}: score of the first player for each choice of {choice}. Blue: first player "
        "ahead; orange: second; no colour: the 95 % interval holds 50 %."
    ).format(name=name, choice=choice)
    heat = Heat(
        corner,
        tuple(rows),
        tuple(columns),
        [[_heat_cell(cells.get((row, column))) for column in columns] for row in rows],
    )
    parts: list[Part] = [HeatMap(caption, heat, name, f"matrix_{number}" if number > 1 else "matrix")]
    return [*parts, Paragraph(game_value_sentence(balance, names))] if len(balance) else parts


def _heat_cell(cell: Mapping[Any, Any] | None) -> HeatCell:
    """A score with its interval, coloured where the interval leaves out one half."""
    if cell is None:
        return HeatCell(math.nan, "–", shade=math.nan)
    score, low, high = (float(cell[name]) for name in ("score", "score_low", "score_high"))
    shade = math.nan if math.isnan(score) else 0.0 if low <= 0.5 <= high else 2 * score - 1
    return HeatCell(score, format_percent(score), f"{100 * low:.1f}–{100 * high:.1f}", shade)


def _placement_parts(analysis: Analysis, names: Names) -> list[Part]:
    """Boards with the share of games in which a landmark was placed on each cell, coloured by who scored."""
    table = pairing_rows(analysis.placements, names.strongest) if not analysis.placements.empty else analysis.placements
    diagrams: list[Diagram] = []
    for ruleset in [name for name in names.rulesets if name in set(table["ruleset"])][:MOST_BOARDS]:
        of_ruleset = table[table["ruleset"] == ruleset]
        rules = names.plan.ruleset(ruleset)
        empty = GameState(rules.game, rules.codes()).board()
        for (_, seat), cells in of_ruleset.groupby(["landmark", "seat"], sort=False):
            # Dark where it often stands, blue where the first player is ahead from there, orange where the second.
            squares = {cell["cell"]: str(cell["cells"]).split() for cell in cells.to_dict("records")}
            most = max(cell["share"] / len(squares[cell["cell"]]) for cell in cells.to_dict("records"))
            highlights: dict[str, list[tuple[int, int]]] = {}
            for cell in cells.to_dict("records"):
                images = squares[cell["cell"]]
                weight = max(1, round(SHADES * cell["share"] / len(images) / most)) if most else 0
                shown = cell["p_holm"] < 0.05
                side = "even" if not shown else "warm" if cell["score"] > 0.5 else "cold"
                highlights.setdefault(f"{side} heat-{weight}", []).extend(
                    (empty.rows.index(image[1:]), empty.columns.index(image[0])) for image in images
                )
            commonest = extreme_rows(cells, "share")[1]
            who = names.seat_names(ruleset)[str(seat) == "second"]
            title = tr("{name}, {who}", name=names.short(ruleset), who=who)
            caption = tr("Most often on {cell} ({share}); the first player then scores {score}.").format(
                cell=_place_name(squares[commonest["cell"]]),
                share=format_percent(commonest["share"]),
                score=share_text(commonest, "score"),
            )
            diagrams.append(Diagram(f"chart-place-{len(diagrams)}", empty, highlights, caption, title))
    if not diagrams:
        return []
    sense = tr(
        "The stronger the colour, the more often; squares that the board's turns and mirror images make of one another "
        "count together. Blue: the first player is shown to be ahead from there; orange: the second; grey: neither is "
        "(Holm, corrected for all squares of these boards). Players: {level}."
    ).format(level=names.level)
    caption = sentences([*(names.landmark_sentence(str(name)) for name in table["landmark"].unique()), sense])
    return [SmallMultiples(caption, diagrams)]


def _place_name(squares: list[str]) -> str:
    """A place: its first square, and how many others are the same from another side of the board."""
    if len(squares) == 1:
        return untranslated(squares[0])
    return tr("{cell} and its {n} images", cell=squares[0], n=str(len(squares) - 1))


SMALLEST = 0.05
"""Log-odds: of a commonest kind that is worth less than this, no other is a multiple."""


@dataclass(frozen=True)
class UnitWorth:
    """The worth of a unit of one kind under a ruleset: the mean of its trainings, and the ends of what they say."""

    kind: str
    mean: float
    low: float
    high: float


def unit_worths(learned: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, list[UnitWorth]], bool]:
    """For each ruleset the worth of the kinds, in their order, and whether it is in units of the commonest kind.

    ``learned`` is what provenance says: ruleset -> training -> ``worth`` by kind in log-odds of winning, and the
    ``commonest`` kind. It is told as multiples of that kind's worth in the same training, unless one of them has
    next to none; then it is told in log-odds, in all rulesets.

    Limits: the ends are those of a few trainings, and no confidence interval.
    """
    commonest = [abs(each["worth"].get(each["commonest"], 0.0))
                 for by_training in learned.values() for each in by_training.values()]  # fmt: skip
    relative = bool(commonest) and min(commonest) >= SMALLEST
    by_ruleset: dict[str, list[UnitWorth]] = {}
    for ruleset, by_training in learned.items():
        worths = []
        for kind in next(iter(by_training.values()))["worth"]:
            values = [
                each["worth"].get(kind, 0.0) / (abs(each["worth"][each["commonest"]]) if relative else 1.0)
                for each in by_training.values()
            ]
            worths.append(UnitWorth(kind, sum(values) / len(values), min(values), max(values)))
        by_ruleset[ruleset] = worths
    return by_ruleset, relative


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
    return next((each.title or each.name for each in known if each.name == kind), untranslated(kind))


def worth_unit(game: str, learned: Mapping[str, Mapping[str, Any]], relative: bool) -> str:
    """What the worth is counted in, in words."""
    kinds = dict.fromkeys(str(each["commonest"]) for trainings in learned.values() for each in trainings.values())
    return UNIT[relative].format(kinds=join_list([kind_name(game, kind) for kind in kinds]))


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
            untranslated(names.get(ruleset, ruleset)),
            tuple(
                Line(number, (Interval(each.low, each.high), Dot(each.mean)), _text(game, each), each.kind)
                for number, each in enumerate(of_ruleset)
            ),
            baseline=ruleset == baseline,
        )
        for ruleset, of_ruleset in by_ruleset.items()
    )
    scale = fit_scale(interval_ends(rows), lambda value: f"{value:g}".replace("-", "−"), even=0.0)
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
        parts.insert(0, Paragraph(REFUSED.format(names=join_list(refused)), "warning"))
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


MAX_NAMES = 3
"""Rulesets that a cell names; more are counted."""
OWN_TABLE = tr("the rules' own table")
SAME_GAMES = tr("{names} differ in nothing but what may be set up, and the same armies meet: they play the same games.")


@dataclass(frozen=True)
class _PriceGroup:
    """Rulesets with the same prices and the same budget."""

    prices: PriceList
    rulesets: Sequence[Ruleset]

    @property
    def setting(self) -> str:
        """The prices."""
        return str(self.rulesets[0].settings[self.prices.name])

    @property
    def budget(self) -> int:
        """The points that each player has."""
        return int(self.rulesets[0].settings[self.prices.budget])

    def head(self, names: Names) -> TableCell:
        """What the column of these rulesets is called."""
        setting = OWN_TABLE if self.setting == self.prices.default else untranslated(self.setting)
        what = tr("{prices}, {points} points", prices=setting, points=self.budget)
        return TableCell(_ruleset_list([names.short(ruleset.name) for ruleset in self.rulesets]), what, kind="number")


def _ruleset_list(short: Sequence[str]) -> str:
    if len(short) <= MAX_NAMES:
        return join_list(short)
    return tr("{count} rulesets", count=len(short))


def prices_section(names: Names, project: Project) -> Section | None:
    """Prices and armies, where a ruleset has other prices or another budget than its game; else nothing."""
    parts: list[Part] = []
    for game in dict.fromkeys(ruleset.game for ruleset in names.plan.rulesets if ruleset.game in games.names()):
        family = games.declaration(game)
        own = price_list(family)
        rulesets = [ruleset for ruleset in names.plan.rulesets if ruleset.game == game]
        if own is not None and any(_has_other_prices(family, own, ruleset) for ruleset in rulesets):
            shops = _price_groups(own, rulesets)
            parts += _notes(family, own, rulesets, names)
            parts += [_army_table(family, shops, names, project), _unit_table(shops, names)]
    return Section("prices", tr("Prices, and what they buy"), parts) if parts else None


def _has_other_prices(family: Declaration, own: PriceList, ruleset: Ruleset) -> bool:
    return any(
        not equal_settings(ruleset.settings[name], family.toggle(name).default) for name in (own.name, own.budget)
    )


def _price_groups(own: PriceList, rulesets: Sequence[Ruleset]) -> list[_PriceGroup]:
    alike: dict[tuple[object, object], list[Ruleset]] = {}
    for ruleset in rulesets:
        alike.setdefault((ruleset.settings[own.name], ruleset.settings[own.budget]), []).append(ruleset)
    return [_PriceGroup(own, each) for each in alike.values()]


def _notes(family: Declaration, own: PriceList, rulesets: Sequence[Ruleset], names: Names) -> list[Part]:
    """What is to be said of rulesets that differ in what may be set up alone."""
    alike: dict[str, list[Ruleset]] = {}
    for ruleset in rulesets:
        played = {name: code for name, code in ruleset.codes().items() if name not in (own.name, own.budget)}
        alike.setdefault(str(played), []).append(ruleset)
    return [
        Paragraph(SAME_GAMES.format(names=join_list([names.short(each.name) for each in same])), "note")
        for same in alike.values()
        if len(same) > 1
    ]


def _army_table(family: Declaration, shops: Sequence[_PriceGroup], names: Names, project: Project) -> Table:
    """Every army in the points of each price list, and what it leaves of the budget; those that met come first."""
    columns: list[dict[str, Cost]] = []
    met: dict[str, list[str]] = {}
    for place, shop in enumerate(shops):
        columns.append({cost.name: cost for cost in army_offers(family, shop.rulesets[0].settings, project)})
        for ruleset in shop.rulesets:
            for cost in army_costs(family, ruleset.settings, ruleset.contents):
                columns[place][cost.name] = cost
                met.setdefault(cost.name, []).append(names.short(ruleset.name))
    others = sorted({name for column in columns for name in column} - set(met))
    rows = []
    for name in [*met, *others]:
        who = _ruleset_list(list(dict.fromkeys(met.get(name, ()))))
        rows.append([TableCell(untranslated(name), who), *(_army_cost_cell(column.get(name)) for column in columns)])
    what = (family.player_choice.title or family.player_choice.name) if family.player_choice else tr("set-up")
    caption = tr(
        "What each {what} costs by the prices of each ruleset, and what it leaves of the points; "
        "below its name, who sets it up in this experiment. –: it does not fit the board."
    )
    heads = [TableCell(what), *(shop.head(names) for shop in shops)]
    return Table(caption.format(what=what), heads, rows)


def _army_cost_cell(cost: Cost | None) -> TableCell:
    if cost is None:
        return TableCell(untranslated("–"))
    left = tr("{n} left") if cost.left >= 0 else tr("{n} too many")
    cell = numeric_cell(str(cost.points), cost.points)
    kind = "number" if cost.left >= 0 else "number verdict bad"
    return TableCell(cell.text, left.format(n=abs(cost.left)), cell.sort, kind)


def _unit_table(shops: Sequence[_PriceGroup], names: Names) -> Table:
    """The price of every unit, marked where it is not that of the rules' own table."""
    own = shops[0].prices
    tables = [own.table(shop.setting) for shop in shops]
    rows = []
    for unit in own.units:
        cells = [TableCell(untranslated(unit.name), unit.group)]
        for table in tables:
            price = table[unit.name]
            words = price.words()
            if price != unit.price:
                there = tr("own table: {old}", old=unit.price.words())
                cells.append(TableCell(tr("* {words}", words=words), there, float(price.each), "number"))
            else:
                cells.append(TableCell(words, sort=float(price.each), kind="number"))
        rows.append(cells)
    caption = tr("What a unit of each kind costs, in points. * marks what differs from the rules' own table.")
    heads = [TableCell(trc("prices", "unit")), *(shop.head(names) for shop in shops)]
    return Table(caption, heads, rows, folded=True)
