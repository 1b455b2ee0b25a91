"""Effects of rule changes; the players' own choices of armies, styles and places; prices and units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench import games
from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.base.project import Project
from workbench.games.declaration import Declaration, Setting, equal_settings
from workbench.games.prices import PriceList
from workbench.games.wording import sentence_beside, setting_words
from workbench.players.agent_kinds import shares_weights
from workbench.positions.game_state import GameState
from workbench.report import labels
from workbench.report import model as m
from workbench.report.labels import LEARNED_IN_WORDS, format_percent, share_text
from workbench.report.names import Names, Record, Results, estimate, unit_factor
from workbench.report.sections.strong import estimate_cell, evaluations_text, verdict_cell
from workbench.report.verdicts import DIRECTIONS, UNDECIDED, VERDICTS
from workbench.report.witness_positions import change_position
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import Cost, army_costs, army_offers, price_list
from workbench.statistics.styles import STYLE

CHOICE = ["ruleset", "choice", "agents"]
"""The columns that identify a matrix of choices."""


def _choice_names(matrix: pd.DataFrame, names: Names) -> tuple[str, str]:
    """Return the name of a matrix's ruleset or board, and the name of the choice."""
    ruleset, code, agents = (str(matrix[column].iloc[0]) for column in CHOICE)
    name = untranslated(names.short(ruleset)) if code == STYLE else names.name_without_choices(ruleset)
    return tr("{name} ({agents})", name=name, agents=agents) if agents else name, names.choice_name(code)


def game_value_sentence(table: pd.DataFrame, names: Names) -> str:
    """Return a sentence on the value of a free choice and each player's optimal mixture, from rows of `equilibria`."""
    name, choice = _choice_names(table, names)
    first, second = names.seat_names(str(table["ruleset"].iloc[0]))
    mixtures = []
    for seat in ("first", "second"):
        rows = table[(table["seat"] == seat) & (table["share"] > 0.005)].sort_values("share", ascending=False)
        shares = [f"{row['option']} {format_percent(row['share'], 0)}" for row in rows.to_dict("records")]
        mixtures.append(join_list(shares))
    return tr(
        "If both players freely choose their {choice}, {name} is worth {value} to the first player: {first} "
        "plays {first_plays}; {second} plays {second_plays}.",
        name=name, choice=choice, value=share_text(table.iloc[0].to_dict(), "value"), first=first, second=second,
        first_plays=mixtures[0], second_plays=mixtures[1],
    )  # fmt: skip


def ranking_sentence(table: pd.DataFrame, names: Names) -> str:
    """Return a sentence ranking the options by their mean score in both seats."""
    name, choice = _choice_names(table, names)
    means = table.groupby("option", sort=False)["mean_score"].mean().sort_values(ascending=False, kind="stable")
    text = tr("{name}: mean score of each {choice} against all, in both seats: {each}.")
    scores = join_list([f"{option} {format_percent(mean, 0)}" for option, mean in means.items()])
    return text.format(name=name, choice=choice, each=scores)


MOST_BOARDS = 6
"""The most rulesets for which boards with placements are shown."""
SHADES = 8


def styles_section(results: Results) -> m.Section | None:
    """Return the matrices of the players' choices with their equilibria, and the placements of landmarks."""
    parts: list[m.Part] = []
    choices: dict[str, None] = {}
    for number, (key, matrix) in enumerate(results.matrices.groupby(CHOICE, sort=False), 1):
        equilibria = results.equilibria[(results.equilibria[CHOICE] == list(key)).all(axis=1)]
        parts += _matrix_parts(matrix, equilibria, results, number)
        choices[results.choice_name(str(matrix["choice"].iloc[0]))] = None
    parts += _placement_parts(results)
    title = tr("Free choice of {what}", what=join_list(list(choices))) if choices else tr("Where pieces were placed")
    return m.Section("styles", title, parts) if parts else None


def _matrix_parts(matrix: pd.DataFrame, equilibria: pd.DataFrame, names: Names, number: int) -> list[m.Part]:
    """Return a matrix and a sentence on its equilibrium; ``number`` counts the experiment's matrices."""
    name, choice = _choice_names(matrix, names)
    rows, columns = (tuple(dict.fromkeys(matrix[axis])) for axis in ("row", "column"))
    cells = {(row["row"], row["column"]): row for row in matrix.to_dict("records")}
    first, second = names.seat_names(str(matrix["ruleset"].iloc[0]))
    corner = tr("{first} ↓ / {second} →", first=first, second=second)
    caption = tr(
        "{name}: score of the first player for each choice of {choice}. Blue: first player ahead; orange: "
        "second; no colour: the 95 % interval contains 50 %."
    ).format(name=name, choice=choice)
    heat = m.Heat(corner, rows, columns, [[_heat_cell(cells.get((row, column))) for column in columns] for row in rows])
    parts: list[m.Part] = [m.HeatMap(caption, heat, name, f"matrix_{number}" if number > 1 else "matrix")]
    return [*parts, m.Paragraph(game_value_sentence(equilibria, names))] if len(equilibria) else parts


def _heat_cell(cell: Record | None) -> m.HeatCell:
    """Return a score with its interval, coloured if the interval excludes one half."""
    if cell is None:
        return m.HeatCell(math.nan, "–", shade=math.nan)
    score, low, high = estimate(cell, "score")
    shade = math.nan if math.isnan(score) else 0.0 if low <= 0.5 <= high else 2 * score - 1
    return m.HeatCell(score, format_percent(score), f"{100 * low:.1f}–{100 * high:.1f}", shade)


def _placement_parts(results: Results) -> list[m.Part]:
    """Return boards that show where a landmark was placed, coloured by frequency and score."""
    table = results.strongest_rows("placements")
    diagrams: list[m.Diagram] = []
    for ruleset in [name for name in results.rulesets if len(table) and name in set(table["ruleset"])][:MOST_BOARDS]:
        rules = results.plan.ruleset(ruleset)
        empty = GameState(rules.game, rules.codes()).board()
        for (_, seat), rows in table[table["ruleset"] == ruleset].groupby(["landmark", "seat"], sort=False):
            # Frequent cells are darker; they are blue if the first player is ahead, orange if the second is.
            cells = [{**row, "squares": str(row["cells"]).split()} for row in rows.to_dict("records")]
            highest = max(cell["share"] / len(cell["squares"]) for cell in cells)
            highlights: dict[str, list[tuple[int, int]]] = {}
            for cell in cells:
                squares = cell["squares"]
                weight = max(1, round(SHADES * cell["share"] / len(squares) / highest)) if highest else 0
                side = "even" if not cell["p_holm"] < 0.05 else "warm" if cell["score"] > 0.5 else "cold"
                highlights.setdefault(f"{side} heat-{weight}", []).extend(
                    (empty.rows.index(square[1:]), empty.columns.index(square[0])) for square in squares
                )
            favourite = max(cells, key=lambda cell: float(cell["share"]))
            player = results.seat_names(ruleset)[str(seat) == "second"]
            title = tr("{name}, {who}", name=results.short(ruleset), who=player)
            place, *equivalents = favourite["squares"]
            if equivalents:
                place = tr("{cell} and {n} equivalent squares", cell=place, n=str(len(equivalents)))
            caption = tr("Most often on {cell} ({share}); the first player then scores {score}.").format(
                cell=place, share=format_percent(favourite["share"]), score=share_text(favourite, "score")
            )
            diagrams.append(m.Diagram(f"chart-place-{len(diagrams)}", empty, highlights, caption, title))
    if not diagrams:
        return []
    text = tr(
        "Darker means more often; squares that are equivalent under rotation or reflection of the board are "
        "counted together. Blue: the first player is significantly ahead from there; orange: the second; grey: "
        "neither (Holm, corrected for all squares of these boards). Players: {level}."
    ).format(level=results.level)
    landmarks = [results.landmark_sentence(str(name)) for name in table["landmark"].unique()]
    return [m.SmallMultiples(sentences([*landmarks, text]), diagrams)]


SMALLEST = 0.05
"""The most common kind is the unit of worth if its own worth in log-odds is at least this."""


class UnitWorth(NamedTuple):
    """The mean worth of a unit of one kind under a ruleset, with its range over training runs."""

    kind: str
    mean: float
    low: float
    high: float


def unit_worths(learned: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, list[UnitWorth]], bool]:
    """Return each ruleset's worth by kind, and True if it is relative to the most common kind.

    ``learned`` is an entry of the provenance: ruleset -> training run -> ``worth`` by kind in log-odds of winning, and
    the ``commonest`` kind. A relative worth is a multiple of that kind's worth in the same training run. If one of
    these is close to zero, all rulesets use log-odds instead.

    Limits: the range covers a few training runs and is not a confidence interval.
    """
    entries = [entry for runs in learned.values() for entry in runs.values()]
    commonest = [abs(entry["worth"].get(entry["commonest"], 0.0)) for entry in entries]
    relative = bool(commonest) and min(commonest) >= SMALLEST
    by_ruleset: dict[str, list[UnitWorth]] = {}
    for ruleset, runs in learned.items():
        for kind in next(iter(runs.values()))["worth"]:
            values = [
                entry["worth"].get(kind, 0.0) / (abs(entry["worth"][entry["commonest"]]) if relative else 1.0)
                for entry in runs.values()
            ]
            worth = UnitWorth(kind, sum(values) / len(values), min(values), max(values))
            by_ruleset.setdefault(ruleset, []).append(worth)
    return by_ruleset, relative


UNITS_TITLE = tr("What units are worth")
WORTH_UNITS = {
    True: tr("in units of the most common kind in the starting position ({kinds})"),
    False: tr("in log-odds of winning"),
}
WORTH_CAPTION = tr(
    "Value of one unit of each kind to players trained on each ruleset, {unit}: mean over training runs (dot) "
    "and range (line). Differences larger than those between training runs come from the rules."
)
REFUSED = tr("Not used, because they scored lower than the fallback weights: {names}.")
MOST_LINES = 60
"""The most lines in a chart; longer lists appear only in the table."""


def kind_name(game: str, kind: str) -> str:
    """Return the name of a kind of unit."""
    units = games.declaration(game).units if game in games.names() else ()
    return next((unit.title or unit.name for unit in units if unit.name == kind), untranslated(kind))


def worth_unit(game: str, learned: Mapping[str, Mapping[str, Any]], relative: bool) -> str:
    """Return, in words, the unit in which worths are expressed."""
    kinds = dict.fromkeys(str(entry["commonest"]) for runs in learned.values() for entry in runs.values())
    return WORTH_UNITS[relative].format(kinds=join_list([kind_name(game, kind) for kind in kinds]))


def worth_text(worth: UnitWorth) -> tuple[str, str]:
    """Return a worth and its range as text."""
    ends = "" if worth.low == worth.high else f"{worth.low:.2f}–{worth.high:.2f}"
    return f"{worth.mean:.2f}".replace("-", "−"), ends.replace("-", "−")


def worth_chart(
    game: str, learned: Mapping[str, Mapping[str, Any]], names: Mapping[str, str], baseline: str = ""
) -> m.Chart:
    """Return a chart of the worth of each kind with a row per ruleset; ``names`` are the rulesets' short names."""
    by_ruleset, relative = unit_worths(learned)

    def line(number: int, worth: UnitWorth) -> m.Line:
        mean, ends = worth_text(worth)
        text = tr("{name} {mean} ({ends})") if ends else tr("{name} {mean}")
        text = text.format(name=kind_name(game, worth.kind), mean=mean, ends=ends)
        return m.Line(number, m.estimate_marks(worth.mean, worth.low, worth.high), text, worth.kind)

    rows = [
        m.Row(name, untranslated(names.get(name, name)), tuple(line(i, entry) for i, entry in enumerate(worths)),
              baseline=name == baseline)
        for name, worths in by_ruleset.items()
    ]  # fmt: skip
    scale = m.fit_scale(m.interval_ends(rows), lambda value: f"{value:g}".replace("-", "−"), even=0.0)
    caption = WORTH_CAPTION.format(unit=worth_unit(game, learned, relative))
    return m.Chart(f"worth-{game}", m.Panel(scale, tuple(rows)), caption, stem=f"worth_{game}", title=UNITS_TITLE)


def unit_worth_section(provenance: Mapping[str, Any], names: Names) -> m.Section | None:
    """Return the worth of units if players were trained on each ruleset separately, else None."""
    saved = provenance.get("learned") or {}
    learned = {name: {key: entry for key, entry in saved[name].items() if not shares_weights(key)} for name in saved}
    parts: list[m.Part] = []
    for game in dict.fromkeys(names.plan.ruleset(ruleset).game for ruleset in names.rulesets):
        same_game = {name: learned[name] for name in names.rulesets
                     if learned.get(name) and names.plan.ruleset(name).game == game}  # fmt: skip
        if same_game:
            parts += _worth_parts(game, same_game, names)
    if not parts:
        return None
    refused = [
        LEARNED_IN_WORDS.format(ruleset=names.short(ruleset), training=training)
        for ruleset, runs in saved.items()
        for training, entry in runs.items()
        if not entry["accepted"] and ruleset in names.rulesets
    ]
    if refused:
        parts.insert(0, m.Paragraph(REFUSED.format(names=join_list(refused)), "warning"))
    return m.Section("worth", UNITS_TITLE, parts)


def _worth_parts(game: str, learned: Mapping[str, Mapping[str, Any]], names: Names) -> Iterator[m.Part]:
    by_ruleset, relative = unit_worths(learned)
    if sum(map(len, by_ruleset.values())) <= MOST_LINES:
        yield worth_chart(game, learned, names.short_names, names.plan.baseline)

    def kind_column(i: int, kind: str) -> m.Column:
        def cell(ruleset: str) -> m.TableCell:
            worth = by_ruleset[ruleset][i]
            mean, ends = worth_text(worth)
            return m.numeric_cell(mean, worth.mean, ends)

        return m.Column.number(kind_name(game, kind), cell)

    def score(ruleset: str) -> m.TableCell:
        matches = [item["match"] for item in learned[ruleset].values()]
        scores = [100 * (item["wins"] + item["draws"] / 2) / max(1, sum(item.values())) for item in matches]
        ends = f"{min(scores):.0f}–{max(scores):.0f}" if len(scores) > 1 else ""
        return m.numeric_cell(f"{sum(scores) / len(scores):.0f} %", sum(scores) / len(scores), ends)

    columns = [
        m.Column.plain(tr("ruleset"), names.ruleset_cell),
        *(kind_column(i, item.kind) for i, item in enumerate(next(iter(by_ruleset.values())))),
        m.Column.number(tr("score in the match"), score),
    ]
    caption = tr(
        "The values {unit}; below each, the range over training runs. Last column: the players' score against the "
        "hand-tuned weights at equal nodes."
    )
    yield m.Table.of(caption.format(unit=worth_unit(game, learned, relative)), columns, by_ruleset)


MAX_IN_CELL = 3
"""Longer lists of rulesets in a cell are replaced by their number."""
OWN_TABLE = tr("the rules' own table")
SAME_GAMES = tr("{names} differ only in the armies allowed; since the same armies meet, their games are the same.")


class _PriceGroup(NamedTuple):
    """Rulesets with the same prices and budget."""

    prices: PriceList
    rulesets: Sequence[Ruleset]

    @property
    def setting(self) -> str:
        """The setting of the price list."""
        return str(self.rulesets[0].settings[self.prices.name])

    def head(self, names: Names) -> m.TableCell:
        """Return the heading of the group's column."""
        setting = OWN_TABLE if self.setting == self.prices.default else untranslated(self.setting)
        budget = int(self.rulesets[0].settings[self.prices.budget])
        text = tr("{prices}, {points} points", prices=setting, points=budget)
        return m.TableCell(_ruleset_list([names.short(ruleset.name) for ruleset in self.rulesets]), text, kind="number")


def _ruleset_list(names: Sequence[str]) -> str:
    if len(names) <= MAX_IN_CELL:
        return join_list(names)
    return tr("{count} rulesets", count=len(names))


def prices_section(names: Names, project: Project) -> m.Section | None:
    """Return prices and armies if a ruleset deviates from its game's prices or budget, else None."""
    parts: list[m.Part] = []
    for game in dict.fromkeys(ruleset.game for ruleset in names.plan.rulesets if ruleset.game in games.names()):
        family = games.declaration(game)
        prices = price_list(family)
        if prices is None:
            continue
        rulesets = [ruleset for ruleset in names.plan.rulesets if ruleset.game == game]
        defaults = {name: family.toggle(name).default for name in (prices.name, prices.budget)}
        if all(equal_settings(members.settings[name], defaults[name]) for members in rulesets for name in defaults):
            continue
        by_prices: dict[tuple[object, ...], list[Ruleset]] = {}
        same_games: dict[str, list[str]] = {}
        for ruleset in rulesets:
            by_prices.setdefault(tuple(ruleset.settings[name] for name in defaults), []).append(ruleset)
            other_codes = {name: code for name, code in ruleset.codes().items() if name not in defaults}
            same_games.setdefault(str(other_codes), []).append(names.short(ruleset.name))
        groups = [_PriceGroup(prices, members) for members in by_prices.values()]
        parts += [
            m.Paragraph(SAME_GAMES.format(names=join_list(members)), "note")
            for members in same_games.values()
            if len(members) > 1
        ]
        parts += [_army_table(family, groups, names, project), _unit_table(groups, names)]
    return m.Section("prices", tr("Prices and what they buy"), parts) if parts else None


def _army_table(family: Declaration, groups: Sequence[_PriceGroup], names: Names, project: Project) -> m.Table:
    """Return a table of every army's cost by price list and the points left; the experiment's armies come first."""
    costs: list[dict[str, Cost]] = []
    users: dict[str, list[str]] = {}
    for i, group in enumerate(groups):
        costs.append({cost.name: cost for cost in army_offers(family, group.rulesets[0].settings, project)})
        for ruleset in group.rulesets:
            for cost in army_costs(family, ruleset.settings, ruleset.contents):
                costs[i][cost.name] = cost
                users.setdefault(cost.name, []).append(names.short(ruleset.name))
    unused = sorted({name for by_name in costs for name in by_name} - set(users))

    def army(name: str) -> m.TableCell:
        return m.TableCell(untranslated(name), _ruleset_list(list(dict.fromkeys(users.get(name, ())))))

    def cost_column(group: _PriceGroup, by_name: Mapping[str, Cost]) -> m.Column:
        return m.Column(group.head(names), lambda name: _army_cost_cell(by_name.get(name)))

    label = (family.player_choice.title or family.player_choice.name) if family.player_choice else tr("set-up")
    caption = tr(
        "Cost of each {what} at each ruleset's prices, and the points left over; below its name, the rulesets "
        "that use it in this experiment. –: does not fit on the board."
    )
    columns = [m.Column.plain(label, army), *map(cost_column, groups, costs)]
    return m.Table.of(caption.format(what=label), columns, [*users, *unused])


def _army_cost_cell(cost: Cost | None) -> m.TableCell:
    if cost is None:
        return m.TableCell(untranslated("–"))
    text, kind = (tr("{n} left"), "number") if cost.left >= 0 else (tr("{n} too many"), "number verdict bad")
    return m.TableCell(str(cost.points), text.format(n=abs(cost.left)), float(cost.points), kind)


def _unit_table(groups: Sequence[_PriceGroup], names: Names) -> m.Table:
    """Return a table of every unit's price, in which differences from the rules' own table are marked."""
    prices = groups[0].prices

    def price_column(group: _PriceGroup) -> m.Column:
        table = prices.table(group.setting)

        def cell(unit: Any) -> m.TableCell:
            price, words = table[unit.name], table[unit.name].words()
            if price == unit.price:
                return m.TableCell(words, sort=float(price.each), kind="number")
            standard = tr("own table: {old}", old=unit.price.words())
            return m.TableCell(tr("* {words}", words=words), standard, float(price.each), "number")

        return m.Column(group.head(names), cell)

    units = m.Column.plain(trc("prices", "unit"), lambda unit: m.TableCell(untranslated(unit.name), unit.group))
    caption = tr("Price of a unit of each kind, in points. * marks differences from the rules' own table.")
    return m.Table.of(caption, [units, *map(price_column, groups)], prices.units, folded=True)


MEASURE_WORDS = {"first_score": tr("first player's score"), "draw_rate": tr("share of draws")}
RANKS_SHOWN = 12
"""The most rulesets that are ranked at once; a folded table ranks all."""


def rule_effects_section(results: Results) -> m.Section | None:
    """Return each rule's mean effect over all combinations and each ruleset's probability of being the fairest."""
    parts: list[m.Part] = []
    effects = results.strong_effects
    if len(effects):
        parts.append(_effect_table(effects[effects["kind"] == "main"], results))
    if len(results.strong_ranks) > 2:
        parts.append(_ranking_table(results, RANKS_SHOWN))
    return m.Section("rules", tr("What each rule does in strong play"), parts) if parts else None


def further_rule_tables(results: Results) -> list[m.Part]:
    """Return collapsed tables of the interactions between two rules and, if the answer omits some, of all ranks."""
    parts: list[m.Part] = []
    effects, ranks = results.strong_effects, len(results.strong_ranks)
    if len(effects) and (effects["kind"] == "pair").any():
        parts.append(_pair_table(effects[effects["kind"] == "pair"], results))
    return [*parts, replace(_ranking_table(results, ranks), folded=True)] if ranks > RANKS_SHOWN else parts


def rule_name(row: Record, names: Names, suffix: str = "") -> str:
    """Name a rule change by the ruleset that makes only it, or by its toggle; suffix "2" is a pair's second change."""
    if alone := row[f"alone{suffix}"]:
        return untranslated(names.short(alone))
    return join(": ", (names.factor_name(row[f"factor{suffix}"]), untranslated(row[f"level{suffix}"])))


def _effect_table(effects: pd.DataFrame, names: Names) -> m.Table:
    def likeliest(row: Record) -> m.TableCell:
        more_chance = float(row["likely"])
        side = DIRECTIONS[row["measure"], True]["more" if more_chance >= 0.5 else "less"]
        return m.TableCell(side, format_percent(max(more_chance, 1 - more_chance)), max(more_chance, 1 - more_chance))

    columns = (
        m.Column.plain(tr("rule change"),
                       lambda row: m.TableCell(rule_name(row, names), names.title(row["alone"]))),
        m.Column.text(tr("measure"), lambda row: MEASURE_WORDS[row["measure"]]),
        m.Column.number(tr("what it does"), lambda row: estimate_cell(row, "now")),
        m.Column.plain(tr("most likely"), likeliest),
        m.Column.number(tr("a doubling adds"), lambda row: estimate_cell(row, "change")),
        m.Column.text(tr("by evaluation"), evaluations_text), m.Column.plain(trc("rules", "verdict"), verdict_cell),
        m.Column.amount(tr("rulesets with it"), "rulesets"),
    )  # fmt: skip
    caption = tr(
        "Mean effect of each change over all combinations with the other changes, in points, with simultaneous "
        "95 % intervals. It is based on all rulesets with the change, so it is more precise than the effect in "
        "a single ruleset. Most likely: the direction and its probability. By evaluation: the strongest "
        "players with each evaluation, from their own games."
    )
    return m.Table.of(caption, columns, effects.to_dict("records"))


def _pair_table(pairs: pd.DataFrame, names: Names) -> m.Table:
    def changes(row: Record) -> str:
        return tr("{rule} with {other}", rule=rule_name(row, names), other=rule_name(row, names, "2"))

    columns = (
        m.Column.text(tr("changes"), changes), m.Column.text(tr("measure"), lambda row: MEASURE_WORDS[row["measure"]]),
        m.Column.number(tr("beyond their sum"), lambda row: estimate_cell(row, "now")),
        m.Column.text(trc("rules", "verdict"),
                      lambda row: DIRECTIONS[row["measure"], True].get(row["direction"], UNDECIDED)),
    )  # fmt: skip
    caption = tr(
        "Interactions between two changes: how much larger the effect of one is with the other, in points, "
        "with simultaneous intervals for all pairs. Estimates are shrunk towards 0, the more so the smaller "
        "the interactions are overall."
    )
    return m.Table.of(caption, columns, pairs.to_dict("records"), folded=True)


def _ranking_table(results: Results, limit: int) -> m.Table:
    """Return a table of at most ``limit`` of the fairest rulesets, in order of expected loss."""

    def score(row: Record) -> m.TableCell:
        level = results.strong_levels[row["ruleset"]].value
        return m.numeric_cell(format_percent(level), level)

    columns = (
        results.ruleset_column(titled=True), m.Column.number(tr("first player's score"), score),
        m.Column.percent(tr("probability of being fairest"), "fairest"),
        m.Column.number(tr("points behind the fairest (mean)"),
                        lambda row: m.numeric_cell(f"{100 * row['loss']:.1f}", float(row["loss"]))),
    )  # fmt: skip
    ranks = results.strong_ranks.sort_values("loss", kind="stable")[:limit].to_dict("records")
    caption = tr(
        "Which ruleset to choose if only fairness counts: the probability that it is the fairest of all, and "
        "how many points farther from 50 % its score is expected to be than the fairest one's."
    )
    if len(ranks) < len(results.strong_ranks):
        text = tr("These are the {n} fairest of {all}; a table below lists all.")
        caption = sentences([caption, text.format(n=len(ranks), all=len(results.strong_ranks))])
    return m.Table.of(caption, columns, ranks)


def distinct_changes(variants: Sequence[Mapping[str, Any]], baseline: str) -> list[m.RuleChange]:
    """Return the distinct rule changes of all proposals in the order of the family's toggles.

    ``variants`` are the provenance's ruleset entries. Proposals of a game other than the baseline's and toggles without
    effect in both rulesets are omitted.
    """
    baseline_entry = next((entry for entry in variants if entry["name"] == baseline), None)
    if baseline_entry is None or baseline_entry.get("game") not in games.names():
        return []
    declaration = games.declaration(str(baseline_entry["game"]))
    settings = {
        str(entry["name"]): declaration.defaults() | entry.get("settings", {})
        for entry in variants
        if entry.get("game") == baseline_entry["game"]
    }
    without_effect = {name: declaration.without_effect(entry) for name, entry in settings.items()}
    changes: list[m.RuleChange] = []
    for toggle in declaration.toggles:
        was = settings[baseline][toggle.name]
        users: dict[Setting, list[str]] = {}
        for name, entry in settings.items():
            now = entry[toggle.name]
            if not equal_settings(was, now) and toggle.name not in without_effect[baseline] & without_effect[name]:
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            before, after = (setting_words(declaration.name, toggle, settings[name]) for name in (baseline, names[0]))
            changes.append(m.RuleChange(
                len(changes) + 1, toggle.name, toggle.title, (before, sentence_beside(toggle, was)),
                (after, sentence_beside(toggle, now)), tuple(names),
                change_position(declaration.name, toggle, was, settings[names[0]]),
            ))  # fmt: skip
    return changes


def rule_changes_section(provenance: Mapping[str, Any], names: Names) -> m.Section | None:
    """Return each proposal's changes and each distinct change with a position, or None if there is no baseline."""
    changes = distinct_changes(provenance["rulesets"], names.plan.baseline)
    if not changes:
        return None

    def changes_text(name: str) -> str:
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            return tr("another game")
        own = [change for change in changes if name in change.proposals]
        return tr("; ").join(tr("{number}. {change}", number=change.number, change=change.title) for change in own)

    columns = (
        m.Column.plain(tr("proposal"), lambda name: names.ruleset_cell(name, titled=True)),
        m.Column.text(tr("changes"), changes_text),
    )
    caption = tr("What each proposal changes in {baseline}.", baseline=names.baseline)
    table = m.Table.of(caption, columns, names.plan.proposals)
    return m.Section("changes", tr("What the proposals change"), [table, m.RuleChanges(changes, names.short_names)])


def _effects_by_measure(results: Results) -> dict[str, list[Record]]:
    """Return the effects in games between the strongest players, by measure, largest first."""
    table = results.strongest_rows("effects")
    return {} if table.empty else {
        str(measure): sorted(rows.to_dict("records"), key=lambda row: -abs(row["effect"]))
        for measure, rows in table.groupby("measure", sort=False)
    }  # fmt: skip


def effect_sentences(results: Results) -> list[str]:
    """Return a sentence per measure on the significant effects of factors."""
    texts: list[str] = []
    for measure, rows in _effects_by_measure(results).items():
        if effects := _significant_effects(rows, measure, results, "main"):
            text = tr("{measure} between the strongest players ({level}): {each}.")
            if texts:
                text = tr("{measure}: {each}.")
            title = capitalized(results.measure_name(measure))
            texts.append(text.format(measure=title, level=results.level, each=effects))
    return texts


def other_effect_sentences(results: Results) -> list[str]:
    """Return sentences on significant interactions of levels and on factors without a significant effect."""
    interactions, insignificant = [], []
    for measure, rows in _effects_by_measure(results).items():
        name = results.measure_name(measure)
        if effects := _significant_effects(rows, measure, results, "interaction"):
            text = tr("Effects of combinations on {measure}, beyond the sum of the separate effects: {each}.")
            interactions.append(text.format(measure=name, each=effects))
        factors = [effect_name(row, results) for row in rows if row["kind"] == "main" and not is_significant(row)]
        if factors:
            text = tr("No significant effect on {measure} (Holm): {none}.")
            insignificant.append(text.format(measure=name, none=join_list(factors)))
    return [*interactions, *insignificant]


def _significant_effects(rows: Sequence[Record], measure: str, names: Names, kind: str = "") -> str:
    """List the significant effects of one kind, or of all kinds if it is "", with their estimates."""
    effects = [
        join(" ", (effect_name(row, names), names.change_text(measure, row["effect"], row["low"], row["high"])))
        for row in rows
        if kind in ("", row["kind"]) and is_significant(row)
    ]
    return join_list(effects) if effects else ""


def is_significant(effect: Record) -> bool:
    """True if an effect is significant after correction for multiple tests; always False in unfinished runs."""
    withheld = effect.get("withheld")
    return not (isinstance(withheld, bool | np.bool_) and withheld) and bool(effect["p_holm"] < 0.05)


def effect_name(row: Record, names: Names) -> str:
    """Name an effect's levels: a level and its reference, or for an interaction the two levels."""
    factor, level = names.factor_name(row["factor"]), names.level_name(row["factor"], row["level"])
    if row["kind"] == "main":
        reference = names.level_name(row["factor"], row["reference"])
        return tr("{factor}: {level} instead of {reference}", factor=factor, level=level, reference=reference)
    factor2, level2 = names.factor_name(row["factor2"]), names.level_name(row["factor2"], row["level2"])
    text = tr("{factor}: {level} × {factor2}: {level2}")
    return text.format(factor=factor, level=level, factor2=factor2, level2=level2)


def effects_section(results: Results) -> m.Section | None:
    """Return the factors' effects and interactions, or None if the experiment has no factors."""
    if results.effects.empty:
        return None
    parts: list[m.Part] = []
    by_measure = _effects_by_measure(results)
    effects_table = results.strongest_rows("effects")
    for measure in by_measure:
        factor = unit_factor(measure)
        rows = []
        for row in effects_table[effects_table["measure"] == measure].to_dict("records"):
            text = untranslated(labels.format_difference(row["effect"], math.nan, math.nan, factor))
            marks = m.estimate_marks(row["effect"], row["low"], row["high"], hollow=not is_significant(row))
            label = effect_name(row, results)
            rows.append(m.Row(str(label), label, (m.Line(0, marks, text),)))
        scale = m.fit_scale(m.interval_ends(rows), labels.points_label if factor == 100 else labels.number_label, 0.0)
        title = capitalized(results.measure_name(measure))
        summary = tr("No effect is significant (Holm).")
        if effects := _significant_effects(by_measure[measure], measure, results):
            summary = tr("{measure} – significant effects (Holm): {clear}.", measure=title, clear=effects)
        text = tr(
            "{unit}, with 95 % intervals; hollow: not significant. ×: the effect of two levels together beyond "
            "the sum of their separate effects. Players: {level}."
        ).format(unit=tr("In {unit}", unit=results.unit_name(measure)), level=results.level)
        panel, caption = m.Panel(scale, tuple(rows)), sentences([summary, text])
        parts.append(m.Chart(f"chart-effects-{measure}", panel, caption, (), f"effects_{measure}", title))
    return m.Section("effects", tr("What each factor does"), parts)


VARIANTS = {
    "main": tr("main analysis"), "draws_zero": tr("draws count 0"), "draws_out": tr("draws left out"),
    "capped_half": tr("capped games count as ½"), "unadjudicated": tr("adjudicated games left open"),
    "first_half": tr("first half of the seeds"), "second_half": tr("second half of the seeds"),
    "distinct": tr("identical games once"),
}  # fmt: skip


def sensitivity_section(results: Results) -> m.Section | None:
    """Return the verdicts under other ways of counting draws and capped games, and with half of the games."""
    rows = results.strongest_rows("sensitivity")
    rows = rows[rows["ruleset"].isin(results.plan.proposals)] if len(rows) else rows
    if rows.empty:
        return None
    measure = results.plan.question_measure.name
    variants = [code for code in VARIANTS if code in set(rows["variant"])]
    by_variant = {(row["ruleset"], row["variant"]): row for row in rows.to_dict("records")}
    changed = set(rows.loc[~rows["same"].astype(bool), "ruleset"])

    def verdict(row: Record) -> m.TableCell:
        gain = results.change_text(measure, row["gain"])
        small = gain if row["same"] else tr("{gain} ≠", gain=gain)
        return VERDICTS[row["verdict"]].cell(small, labels.sort_value(row["gain"]))

    def variant_column(code: str) -> m.Column:
        return m.Column.optional(VARIANTS[code], lambda name: by_variant.get((name, code)), verdict)

    text = tr("No verdict changes in any column.")
    if changed:
        names = join_list([results.short(name) for name in results.plan.proposals if name in changed])
        text = tr("The verdict on {names} changes in at least one column.", names=names)
    elif (rows.loc[rows["variant"] == variants[0], "verdict"] == "undecided").all():
        text = tr("Nothing was decided, so no verdict could change; compare the numbers across the columns.")
    caption = tr(
        "The same question under other assumptions, between the strongest players ({level}); below each verdict, "
        "the {gain}. ≠: differs from the first column. With only half of the games, more verdicts are “cannot "
        "tell yet”."
    ).format(level=results.level, gain=results.difference_name())
    columns = [m.Column.plain(tr("proposal"), results.ruleset_cell), *map(variant_column, variants)]
    table = m.Table.of(caption, columns, results.plan.proposals)
    return m.Section("sensitivity", tr("Does the answer hold up?"), [m.Paragraph(text), table])
