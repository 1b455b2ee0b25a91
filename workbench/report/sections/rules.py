"""Effects of changes of the rules, and the players' own choices: armies, styles, places; prices and units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.base.project import Project
from workbench.experiments.measures import FAIRNESS
from workbench.games.declaration import Declaration, Setting, equal_settings
from workbench.games.prices import PriceList
from workbench.games.wording import sentence_beside, setting_words
from workbench.players.agent_kinds import shares_weights
from workbench.positions.game_state import GameState
from workbench.report import labels
from workbench.report import model as m
from workbench.report.labels import LEARNED_IN_WORDS, format_percent, share_text
from workbench.report.names import Names, Record, Results, extreme_rows, unit_factor
from workbench.report.sections.strong import estimate_cell, evaluations_text, verdict_cell
from workbench.report.verdicts import DIRECTIONS, UNDECIDED, VERDICTS
from workbench.report.witness_positions import shown_position
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import Cost, army_costs, army_offers, price_list
from workbench.statistics.styles import STYLE

CHOICE = ["ruleset", "choice", "agents"]
"""The columns that tell one matrix of choices from another."""


def game_of_choice(matrix: pd.DataFrame, names: Names) -> tuple[str, str]:
    """Return the ruleset or board of a matrix, and the name of the choice."""
    ruleset, code, agents = (str(matrix[column].iloc[0]) for column in CHOICE)
    name = untranslated(names.short(ruleset)) if code == STYLE else names.name_without_choices(ruleset)
    if agents:
        name = tr("{name} ({agents})", name=name, agents=agents)
    return name, names.choice_name(code)


def game_value_sentence(balance: pd.DataFrame, names: Names) -> str:
    """Return the value of a game of free choice to the first player, and both choices; from rows of `equilibria`."""
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
    """Return the options from the strongest to the weakest, by their mean score in both seats."""
    name, choice = game_of_choice(balance, names)
    means = balance.groupby("option", sort=False)["mean_score"].mean().sort_values(ascending=False, kind="stable")
    text = tr("{name}: mean score of each {choice} against all, in both seats: {each}.")
    each = join_list([f"{option} {format_percent(mean, 0)}" for option, mean in means.items()])
    return text.format(name=name, choice=choice, each=each)


MOST_BOARDS = 6
"""Rulesets whose boards with placements are drawn."""
SHADES = 8


def styles_section(results: Results) -> m.Section | None:
    """The matrices of what players choose for themselves with their equilibria, and where objects were placed."""
    parts: list[m.Part] = []
    chosen: list[str] = []
    for what, matrix in results.matrices.groupby(CHOICE, sort=False):
        equilibria = results.equilibria[(results.equilibria[CHOICE] == list(what)).all(axis=1)]
        parts += _matrix_parts(matrix, equilibria, results, len(chosen) + 1)
        chosen.append(results.choice_name(str(matrix["choice"].iloc[0])))
    parts += _placement_parts(results)
    if not parts:
        return None
    title = tr("Choice of place")
    if chosen:
        title = tr("Free choice of {what}", what=join_list(list(dict.fromkeys(chosen))))
    return m.Section("styles", title, parts)


def _matrix_parts(matrix: pd.DataFrame, balance: pd.DataFrame, names: Names, number: int) -> list[m.Part]:
    """Return a matrix, the experiment's ``number``-th, and the equilibrium of its game in a sentence."""
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
    heat = m.Heat(
        corner,
        tuple(rows),
        tuple(columns),
        [[_heat_cell(cells.get((row, column))) for column in columns] for row in rows],
    )
    parts: list[m.Part] = [m.HeatMap(caption, heat, name, f"matrix_{number}" if number > 1 else "matrix")]
    return [*parts, m.Paragraph(game_value_sentence(balance, names))] if len(balance) else parts


def _heat_cell(cell: Mapping[Any, Any] | None) -> m.HeatCell:
    """Return a score with its interval, coloured where the interval leaves out one half."""
    if cell is None:
        return m.HeatCell(math.nan, "–", shade=math.nan)
    score, low, high = (float(cell[name]) for name in ("score", "score_low", "score_high"))
    shade = math.nan if math.isnan(score) else 0.0 if low <= 0.5 <= high else 2 * score - 1
    return m.HeatCell(score, format_percent(score), f"{100 * low:.1f}–{100 * high:.1f}", shade)


def _placement_parts(results: Results) -> list[m.Part]:
    """Boards with the share of games in which a landmark was placed on each cell, coloured by who scored."""
    table = results.strongest_rows("placements") if not results.placements.empty else results.placements
    diagrams: list[m.Diagram] = []
    for ruleset in [name for name in results.rulesets if name in set(table["ruleset"])][:MOST_BOARDS]:
        of_ruleset = table[table["ruleset"] == ruleset]
        rules = results.plan.ruleset(ruleset)
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
            who = results.seat_names(ruleset)[str(seat) == "second"]
            title = tr("{name}, {who}", name=results.short(ruleset), who=who)
            caption = tr("Most often on {cell} ({share}); the first player then scores {score}.").format(
                cell=_place_name(squares[commonest["cell"]]),
                share=format_percent(commonest["share"]),
                score=share_text(commonest, "score"),
            )
            diagrams.append(m.Diagram(f"chart-place-{len(diagrams)}", empty, highlights, caption, title))
    if not diagrams:
        return []
    sense = tr(
        "The stronger the colour, the more often; squares that the board's turns and mirror images make of one another "
        "count together. Blue: the first player is shown to be ahead from there; orange: the second; grey: neither is "
        "(Holm, corrected for all squares of these boards). Players: {level}."
    ).format(level=results.level)
    caption = sentences([*(results.landmark_sentence(str(name)) for name in table["landmark"].unique()), sense])
    return [m.SmallMultiples(caption, diagrams)]


def _place_name(squares: list[str]) -> str:
    """Return a place: its first square, and how many others are the same from another side of the board."""
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


UNITS_TITLE = tr("What units are worth")
WORTH_UNITS = {
    True: tr("in units of the kind that is commonest when a game begins ({kinds})"),
    False: tr("in log-odds of winning"),
}
WORTH_CAPTION = tr(
    "What one unit of each kind is worth to the players that learned each ruleset, {unit}: "
    "the mean of the trainings (dot) and the least and the most that one of them says "
    "(line). What differs by more than the trainings do comes from the rules."
)
REFUSED = tr("Not used, because it scored worse than the fallback weights: {names}.")
MOST_LINES = 60
"""Lines of a chart; more are told by the table alone."""


def kind_name(game: str, kind: str) -> str:
    """Return the name of a kind of units."""
    known = games.declaration(game).units if game in games.names() else ()
    return next((each.title or each.name for each in known if each.name == kind), untranslated(kind))


def worth_unit(game: str, learned: Mapping[str, Mapping[str, Any]], relative: bool) -> str:
    """Return the unit of the worth, in words."""
    kinds = dict.fromkeys(str(each["commonest"]) for trainings in learned.values() for each in trainings.values())
    return WORTH_UNITS[relative].format(kinds=join_list([kind_name(game, kind) for kind in kinds]))


def worth_text(worth: UnitWorth) -> tuple[str, str]:
    """Return the worth and its ends, as they are written."""
    ends = "" if worth.low == worth.high else f"{worth.low:.2f}–{worth.high:.2f}"
    return f"{worth.mean:.2f}".replace("-", "−"), ends.replace("-", "−")


def worth_chart(
    game: str, learned: Mapping[str, Mapping[str, Any]], names: Mapping[str, str], baseline: str = ""
) -> m.Chart:
    """Bars of the worth of each kind, a row for each ruleset; ``names`` are what rulesets are called."""
    by_ruleset, relative = unit_worths(learned)
    rows = tuple(
        m.Row(
            ruleset,
            untranslated(names.get(ruleset, ruleset)),
            tuple(
                m.Line(number, (m.Interval(each.low, each.high), m.Dot(each.mean)), _text(game, each), each.kind)
                for number, each in enumerate(of_ruleset)
            ),
            baseline=ruleset == baseline,
        )
        for ruleset, of_ruleset in by_ruleset.items()
    )
    scale = m.fit_scale(m.interval_ends(rows), lambda value: f"{value:g}".replace("-", "−"), even=0.0)
    caption = WORTH_CAPTION.format(unit=worth_unit(game, learned, relative))
    return m.Chart(f"worth-{game}", m.Panel(scale, rows), caption, stem=f"worth_{game}", title=UNITS_TITLE)


def _text(game: str, worth: UnitWorth) -> str:
    mean, ends = worth_text(worth)
    name = kind_name(game, worth.kind)
    if not ends:
        return tr("{name} {mean}", name=name, mean=mean)
    return tr("{name} {mean} ({ends})", name=name, mean=mean, ends=ends)


def unit_worth_section(provenance: Mapping[str, Any], names: Names) -> m.Section | None:
    """Return the worth of units, where players have learned each ruleset apart."""
    told = provenance.get("learned") or {}
    learned = {name: {key: each for key, each in told[name].items() if not shares_weights(key)} for name in told}
    parts: list[m.Part] = []
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
        parts.insert(0, m.Paragraph(REFUSED.format(names=join_list(refused)), "warning"))
    return m.Section("worth", UNITS_TITLE, parts)


def _game_parts(game: str, learned: Mapping[str, Mapping[str, Any]], names: Names) -> Iterator[m.Part]:
    by_ruleset, relative = unit_worths(learned)
    if sum(map(len, by_ruleset.values())) <= MOST_LINES:
        yield worth_chart(game, learned, names.short_names, names.plan.baseline)
    kinds = [each.kind for each in next(iter(by_ruleset.values()))]
    heads = [
        m.TableCell(tr("ruleset")),
        *(m.TableCell(kind_name(game, kind), kind="number") for kind in kinds),
        m.TableCell(tr("score in the match"), kind="number"),
    ]
    rows = []
    for ruleset, of_ruleset in by_ruleset.items():
        scores = [_score(each["match"]) for each in learned[ruleset].values()]
        ends = f"{min(scores):.0f}–{max(scores):.0f}" if len(scores) > 1 else ""
        rows.append([
            names.ruleset_cell(ruleset),
            *(m.numeric_cell(worth_text(each)[0], each.mean, worth_text(each)[1]) for each in of_ruleset),
            m.numeric_cell(f"{sum(scores) / len(scores):.0f} %", sum(scores) / len(scores), ends),
        ])  # fmt: skip
    caption = tr(
        "The same, {unit}; below each number the least and the most of the trainings. Last, how "
        "they scored against the game's own weights at equal nodes."
    )
    yield m.Table(caption.format(unit=worth_unit(game, learned, relative)), heads, rows)


def _score(match: Mapping[str, int]) -> float:
    return 100 * (match["wins"] + match["draws"] / 2) / max(1, sum(match.values()))


MAX_IN_CELL = 3
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

    def head(self, names: Names) -> m.TableCell:
        """Return the heading of the column of these rulesets."""
        setting = OWN_TABLE if self.setting == self.prices.default else untranslated(self.setting)
        what = tr("{prices}, {points} points", prices=setting, points=self.budget)
        return m.TableCell(_ruleset_list([names.short(ruleset.name) for ruleset in self.rulesets]), what, kind="number")


def _ruleset_list(short: Sequence[str]) -> str:
    if len(short) <= MAX_IN_CELL:
        return join_list(short)
    return tr("{count} rulesets", count=len(short))


def prices_section(names: Names, project: Project) -> m.Section | None:
    """Prices and armies, where a ruleset has other prices or another budget than its game; else nothing."""
    parts: list[m.Part] = []
    for game in dict.fromkeys(ruleset.game for ruleset in names.plan.rulesets if ruleset.game in games.names()):
        family = games.declaration(game)
        own = price_list(family)
        rulesets = [ruleset for ruleset in names.plan.rulesets if ruleset.game == game]
        if own is not None and any(_has_other_prices(family, own, ruleset) for ruleset in rulesets):
            shops = _price_groups(own, rulesets)
            parts += _notes(family, own, rulesets, names)
            parts += [_army_table(family, shops, names, project), _unit_table(shops, names)]
    return m.Section("prices", tr("Prices, and what they buy"), parts) if parts else None


def _has_other_prices(family: Declaration, own: PriceList, ruleset: Ruleset) -> bool:
    return any(
        not equal_settings(ruleset.settings[name], family.toggle(name).default) for name in (own.name, own.budget)
    )


def _price_groups(own: PriceList, rulesets: Sequence[Ruleset]) -> list[_PriceGroup]:
    alike: dict[tuple[object, object], list[Ruleset]] = {}
    for ruleset in rulesets:
        alike.setdefault((ruleset.settings[own.name], ruleset.settings[own.budget]), []).append(ruleset)
    return [_PriceGroup(own, each) for each in alike.values()]


def _notes(family: Declaration, own: PriceList, rulesets: Sequence[Ruleset], names: Names) -> list[m.Part]:
    """Note on rulesets that differ in nothing but the armies that may be set up."""
    alike: dict[str, list[Ruleset]] = {}
    for ruleset in rulesets:
        played = {name: code for name, code in ruleset.codes().items() if name not in (own.name, own.budget)}
        alike.setdefault(str(played), []).append(ruleset)
    return [
        m.Paragraph(SAME_GAMES.format(names=join_list([names.short(each.name) for each in same])), "note")
        for same in alike.values()
        if len(same) > 1
    ]


def _army_table(family: Declaration, shops: Sequence[_PriceGroup], names: Names, project: Project) -> m.Table:
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

    def army(name: str) -> m.TableCell:
        return m.TableCell(untranslated(name), _ruleset_list(list(dict.fromkeys(met.get(name, ())))))

    def cost_column(shop: _PriceGroup, costs: Mapping[str, Cost]) -> m.Column:
        return m.Column(shop.head(names), lambda name: _army_cost_cell(costs.get(name)))

    what = (family.player_choice.title or family.player_choice.name) if family.player_choice else tr("set-up")
    caption = tr(
        "What each {what} costs by the prices of each ruleset, and what it leaves of the points; "
        "below its name, who sets it up in this experiment. –: it does not fit the board."
    )
    priced = [m.Column.plain(what, army), *map(cost_column, shops, columns)]
    return m.Table.of(caption.format(what=what), priced, [*met, *others])


def _army_cost_cell(cost: Cost | None) -> m.TableCell:
    if cost is None:
        return m.TableCell(untranslated("–"))
    left = tr("{n} left") if cost.left >= 0 else tr("{n} too many")
    cell = m.numeric_cell(str(cost.points), cost.points)
    kind = "number" if cost.left >= 0 else "number verdict bad"
    return m.TableCell(cell.text, left.format(n=abs(cost.left)), cell.sort, kind)


def _unit_table(shops: Sequence[_PriceGroup], names: Names) -> m.Table:
    """Return the price of every unit, marked where it is not that of the rules' own table."""
    own = shops[0].prices

    def price_column(shop: _PriceGroup) -> m.Column:
        table = own.table(shop.setting)

        def cell(unit: Any) -> m.TableCell:
            price, words = table[unit.name], table[unit.name].words()
            if price == unit.price:
                return m.TableCell(words, sort=float(price.each), kind="number")
            there = tr("own table: {old}", old=unit.price.words())
            return m.TableCell(tr("* {words}", words=words), there, float(price.each), "number")

        return m.Column(shop.head(names), cell)

    units = m.Column.plain(trc("prices", "unit"), lambda unit: m.TableCell(untranslated(unit.name), unit.group))
    caption = tr("What a unit of each kind costs, in points. * marks what differs from the rules' own table.")
    return m.Table.of(caption, [units, *map(price_column, shops)], own.units, folded=True)


MEASURE_WORDS = {"first_score": tr("first player's score"), "draw_rate": tr("share of draws")}


RANKS_SHOWN = 12
"""Rulesets that the answer ranks, so that it takes no more than two sheets of paper; the appendix ranks all."""


def rule_effects_section(results: Results) -> m.Section | None:
    """Return the effect of each rule over all combinations, and the probability of each ruleset to be the fairest."""
    parts: list[m.Part] = []
    effects = results.strong_effects
    if len(effects):
        parts.append(_effect_table(effects[effects["kind"] == "main"], results))
    if len(results.strong_ranks):
        parts.append(_rank_table(results, RANKS_SHOWN))
    return m.Section("rules", tr("What each rule does for strong play"), parts) if parts else None


def further_rule_tables(results: Results) -> list[m.Part]:
    """Interactions of two rules, and all ranks where the answer has some of them, as folded tables."""
    parts: list[m.Part] = []
    effects = results.strong_effects
    pairs = effects[effects["kind"] == "pair"] if len(effects) else effects
    if len(pairs):
        parts.append(_pair_table(pairs, results))
    if len(results.strong_ranks) > RANKS_SHOWN:
        parts.append(replace(_rank_table(results, len(results.strong_ranks)), folded=True))
    return parts


def rule_name(row: Record, names: Names, second: str = "") -> str:
    """Return a change of the rules: the ruleset that makes it alone, or its toggle (of a pair's ``second``, "2")."""
    alone = str(row[f"alone{second}"])
    if alone:
        return untranslated(names.short(alone))
    return join(": ", (names.factor_name(str(row[f"factor{second}"])), untranslated(row[f"level{second}"])))


def _effect_table(effects: pd.DataFrame, names: Names) -> m.Table:
    def likeliest(row: Record) -> m.TableCell:
        likely = float(row["likely"])
        side = DIRECTIONS[str(row["measure"]), True]["more" if likely >= 0.5 else "less"]
        return m.TableCell(side, labels.format_percent(max(likely, 1 - likely)), max(likely, 1 - likely))

    columns = (
        m.Column.plain(
            tr("change of the rules"), lambda row: m.TableCell(rule_name(row, names), names.title(str(row["alone"])))
        ),
        m.Column.text(tr("measure"), lambda row: MEASURE_WORDS[str(row["measure"])]),
        m.Column.number(tr("what it does"), lambda row: estimate_cell(row, "now")),
        m.Column.plain(tr("most likely"), likeliest),
        m.Column.number(tr("a doubling adds"), lambda row: estimate_cell(row, "change")),
        m.Column.text(tr("by evaluation"), evaluations_text),
        m.Column.plain(trc("rules", "verdict"), verdict_cell),
        m.Column.number(
            tr("rulesets with it"), lambda row: m.numeric_cell(str(row["rulesets"]), float(row["rulesets"]))
        ),
    )
    caption = tr(
        "What each change does, the mean over all combinations with the other changes, in points, with intervals that "
        "hold for all changes at once (95 %). All rulesets with a change say what it does, so this is known better "
        "than what a single ruleset does. Most likely: the side, and its probability. By evaluation: the strongest "
        "players of each by their own games."
    )
    return m.Table.of(caption, columns, effects.to_dict("records"))


def _pair_table(pairs: pd.DataFrame, names: Names) -> m.Table:
    def both(row: Record) -> str:
        return tr("{rule} with {other}", rule=rule_name(row, names), other=rule_name(row, names, "2"))

    def direction(row: Record) -> str:
        return DIRECTIONS[str(row["measure"]), True].get(str(row["direction"]), UNDECIDED)

    columns = (
        m.Column.text(tr("changes"), both),
        m.Column.text(tr("measure"), lambda row: MEASURE_WORDS[str(row["measure"])]),
        m.Column.number(tr("beyond their sum"), lambda row: estimate_cell(row, "now")),
        m.Column.text(trc("rules", "verdict"), direction),
    )
    caption = tr(
        "What two changes do together beyond the sum of both: by how much the effect of one is larger with the other, "
        "in points, with intervals that hold for all pairs at once. Estimates are drawn towards 0 by how little all "
        "pairs do."
    )
    return m.Table.of(caption, columns, pairs.to_dict("records"), folded=True)


def _rank_table(results: Results, most: int) -> m.Table:
    """Rulesets by expected loss of fairness, with the probability to be the fairest; at ``most`` so many."""
    levels = {name: each.value for name, each in results.strong_levels.items()}

    def level(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_percent(levels[str(row["ruleset"])]), levels[str(row["ruleset"])])

    columns = (
        results.ruleset_column(titled=True),
        m.Column.number(tr("first player's score"), level),
        m.Column.percent(tr("the fairest with probability"), "fairest"),
        m.Column.number(
            tr("expected loss (points)"), lambda row: m.numeric_cell(f"{100 * row['loss']:.1f}", float(row["loss"]))
        ),
    )
    ranks = results.strong_ranks.sort_values("loss", kind="stable")[:most].to_dict("records")
    caption = tr(
        "Which ruleset to take, if fairness is all that counts: the probability that it is the fairest of all, and by "
        "how many points its score is farther from 50 % than that of the fairest, on average over what is not known."
    )
    if len(ranks) < len(results.strong_ranks):
        some = tr("These are the {n} fairest of {all}; the appendix has all.")
        caption = sentences([caption, some.format(n=len(ranks), all=len(results.strong_ranks))])
    return m.Table.of(caption, columns, ranks)


def distinct_changes(variants: Sequence[Mapping[str, Any]], baseline: str) -> list[m.RuleChange]:
    """Return the distinct changes of all proposals, in the order of the families' toggles.

    ``variants`` are the rulesets as provenance holds them. A proposal of another game than the baseline's changes more
    than toggles, and is left out; so is what has no effect in either of two rulesets.
    """
    of_name = {str(variant["name"]): variant for variant in variants}
    base = of_name.get(baseline)
    if base is None or base.get("game") not in games.names():
        return []
    declaration = games.declaration(str(base["game"]))
    settings = {
        name: declaration.defaults() | variant.get("settings", {})
        for name, variant in of_name.items()
        if variant.get("game") == base["game"]
    }
    idle = {name: declaration.without_effect(each) for name, each in settings.items()}
    changes: list[m.RuleChange] = []
    for toggle in declaration.toggles:
        was = settings[baseline][toggle.name]
        users: dict[Setting, list[str]] = {}
        for name, each in settings.items():
            now = each[toggle.name]
            if not equal_settings(was, now) and toggle.name not in idle[baseline] & idle[name]:
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            position = shown_position(declaration.name, toggle, was, settings[names[0]])
            changes.append(
                m.RuleChange(
                    len(changes) + 1,
                    toggle.name,
                    toggle.title,
                    (setting_words(declaration.name, toggle, settings[baseline]), sentence_beside(toggle, was)),
                    (setting_words(declaration.name, toggle, settings[names[0]]), sentence_beside(toggle, now)),
                    tuple(names),
                    position,
                )
            )
    return changes


def rule_changes_section(provenance: Mapping[str, Any], names: Names) -> m.Section | None:
    """Return the changes of each proposal, and each distinct change with a position; None without a baseline."""
    changes = distinct_changes(provenance["rulesets"], names.plan.baseline)
    if not changes:
        return None

    def what(name: str) -> str:
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            return tr("another game")
        own = [change for change in changes if name in change.proposals]
        return tr("; ").join(tr("{number}. {change}", number=change.number, change=change.title) for change in own)

    proposal = m.Column.plain(tr("proposal"), lambda name: names.ruleset_cell(name, titled=True))
    caption = tr("What each proposal changes in {baseline}.")
    columns = proposal, m.Column.text(tr("changes"), what)
    table = m.Table.of(caption.format(baseline=names.baseline), columns, names.plan.proposals)
    parts: list[m.Part] = [table, m.RuleChanges(changes, names.short_names)]
    return m.Section("changes", tr("What the proposals change"), parts)


def _effects_by_measure(results: Results) -> dict[str, list[Record]]:
    """Return the effects between the strongest players, the measure that was asked first, the largest first."""
    if results.effects.empty:
        return {}
    table = results.strongest_rows("effects")
    return {
        str(measure): sorted(rows.to_dict("records"), key=lambda row: -abs(row["effect"]))
        for measure, rows in table.groupby("measure", sort=False)
    }


def effect_sentences(results: Results) -> list[str]:
    """Return the significant effects of factors, a sentence for each measure."""
    texts: list[str] = []
    for measure, rows in _effects_by_measure(results).items():
        each = [
            _effect_sentence(row, measure, results) for row in rows if row["kind"] == "main" and is_significant(row)
        ]
        if each:
            text = tr("{measure} between the strongest players ({level}): {each}.")
            if texts:
                text = tr("{measure}: {each}.")
            what = capitalized(results.measure_name(measure))
            texts.append(text.format(measure=what, level=results.level, each=join_list(each)))
    return texts


def other_effect_sentences(results: Results) -> list[str]:
    """Return the significant interactions of levels, and the factors without an effect."""
    effects = _effects_by_measure(results)
    texts = []
    for measure, rows in effects.items():
        each = [
            _effect_sentence(row, measure, results)
            for row in rows
            if row["kind"] == "interaction" and is_significant(row)
        ]
        if each:
            text = tr("Together beyond the sum of what each does alone, {measure}: {each}.")
            texts.append(text.format(measure=results.measure_name(measure), each=join_list(each)))
    for measure, rows in effects.items():
        none = [effect_name(row, results) for row in rows if row["kind"] == "main" and not is_significant(row)]
        if none:
            text = tr("No effect on {measure} is shown beyond chance (Holm): {none}.")
            texts.append(text.format(measure=results.measure_name(measure), none=join_list(none)))
    return texts


def _effect_sentence(row: Record, measure: str, names: Names) -> str:
    return join(" ", (effect_name(row, names), names.change_text(measure, row["effect"], row["low"], row["high"])))


def significant_effects(results: Results) -> dict[str, str]:
    """For each measure the effects of a factorial experiment that are shown beyond chance, in a sentence."""
    texts = {}
    for measure, rows in _effects_by_measure(results).items():
        clear = [_effect_sentence(row, measure, results) for row in rows if is_significant(row)]
        if clear:
            text = tr("{measure}, shown beyond chance (Holm): {clear}.")
            texts[measure] = text.format(measure=capitalized(results.measure_name(measure)), clear=join_list(clear))
    return texts


def is_significant(effect: Record) -> bool:
    """True if an effect is beyond chance, corrected for their number; never before the run is finished."""
    withheld = effect.get("withheld")
    return not (isinstance(withheld, bool | np.bool_) and withheld) and bool(effect["p_holm"] < 0.05)


def effect_name(row: Record, names: Names) -> str:
    """The comparison of an effect: a level with the reference, or ``×``, two levels with the sum of both alone."""
    factor, level = names.factor_name(str(row["factor"])), names.level_name(str(row["factor"]), str(row["level"]))
    if row["kind"] == "main":
        return tr("{factor}: {level} instead of {reference}").format(
            factor=factor, level=level, reference=names.level_name(str(row["factor"]), str(row["reference"]))
        )
    return tr("{factor}: {level} × {factor2}: {level2}").format(
        factor=factor,
        level=level,
        factor2=names.factor_name(str(row["factor2"])),
        level2=names.level_name(str(row["factor2"]), str(row["level2"])),
    )


def effects_section(results: Results) -> m.Section | None:
    """Return the effects of each factor of a factorial experiment, alone and with another."""
    if results.effects.empty:
        return None
    parts: list[m.Part] = []
    chosen = results.strongest_rows("effects")
    shown = significant_effects(results)
    for measure in dict.fromkeys(chosen["measure"]):
        factor = unit_factor(str(measure))
        rows = []
        for row in chosen[chosen["measure"] == measure].to_dict("records"):
            text = untranslated(labels.format_difference(row["effect"], math.nan, math.nan, factor))
            dot = m.Dot(row["effect"], hollow=not is_significant(row))
            label = effect_name(row, results)
            rows.append(m.Row(str(label), label, (m.Line(0, (m.Interval(row["low"], row["high"]), dot), text),)))
        scale = m.fit_scale(m.interval_ends(rows), labels.points_label if factor == 100 else labels.whole_label, 0.0)
        title = results.measure_name(str(measure))
        nothing = tr("No effect is shown beyond chance (Holm).")
        unit = tr("In {unit}", unit=results.unit_name(str(measure)))
        rest = tr(
            "{unit}, with 95 % intervals; hollow: not shown. ×: what two levels do together beyond "
            "the sum of what each does alone. Players: {level}."
        ).format(unit=unit, level=results.level)
        chart = f"chart-effects-{measure}"
        caption = sentences([shown.get(str(measure), nothing), rest])
        parts.append(m.Chart(chart, m.Panel(scale, tuple(rows)), caption, (), f"effects_{measure}", capitalized(title)))
    return m.Section("effects", tr("What each factor does"), parts)


VARIANTS = {
    "main": tr("as above"),
    "draws_zero": tr("draws count 0"),
    "draws_out": tr("draws left out"),
    "capped_half": tr("capped games count ½"),
    "unadjudicated": tr("adjudicated games left open"),
    "first_half": tr("first half of the seeds"),
    "second_half": tr("second half of the seeds"),
    "distinct": tr("each game once"),
}


def sensitivity_section(results: Results) -> m.Section | None:
    """Return the verdicts again, with draws and capped games counted otherwise, and with half of the games."""
    chosen = results.strongest_rows("sensitivity")
    chosen = chosen[chosen["ruleset"].isin(results.plan.proposals)]
    if chosen.empty:
        return None
    measure = results.plan.question_measure.name
    variants = [code for code in VARIANTS if code in set(chosen["variant"])]
    of = {(row["ruleset"], row["variant"]): row for row in chosen.to_dict("records")}
    changed = set(chosen.loc[~chosen["same"].astype(bool), "ruleset"])
    turned = [results.short(name) for name in results.plan.proposals if name in changed]

    def verdict(row: Record) -> m.TableCell:
        points = labels.format_points(row["gain"])
        gain = points if measure == FAIRNESS else results.change_text(measure, row["gain"])
        small = gain if row["same"] else tr("{gain} ≠", gain=gain)
        return VERDICTS[row["verdict"]].cell(small, labels.sort_value(row["gain"]))

    def of_variant(code: str) -> m.Column:
        return m.Column.of_found(VARIANTS[code], lambda name: of.get((name, code)), verdict)

    decided = chosen.loc[chosen["variant"] == variants[0], "verdict"] != "undecided"
    text = tr("No verdict changes in any column.")
    if turned:
        text = tr("The verdict on {names} changes in at least one column.")
    elif not decided.any():
        text = tr("Nothing was decided, so nothing could change; see how far the numbers swing between the columns.")
    caption = tr(
        "The same question asked otherwise, between the strongest players ({level}); below each verdict the {gain}. ≠: "
        "not the verdict of the first column. Halves of the games are less sure: their verdicts are often undecided."
    )
    columns = [m.Column.plain(tr("proposal"), results.ruleset_cell), *map(of_variant, variants)]
    caption = caption.format(level=results.level, gain=results.difference_name())
    table = m.Table.of(caption, columns, results.plan.proposals)
    parts = [m.Paragraph(text.format(names=join_list(turned)))]
    return m.Section("sensitivity", tr("Does the answer hold?"), [*parts, table])
