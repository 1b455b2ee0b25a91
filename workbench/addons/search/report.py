"""A rule search's page with charts and tables, and its summary in the terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

import workbench
from workbench import games
from workbench.addons.search.statistics import BASE_AS_NEAR, MET, NEAREST, PROMISING, target_band
from workbench.base import output
from workbench.base.addons import addons
from workbench.base.language import COMMA, LANGUAGES, bilingual, join, join_list, sentences, tr, untranslated
from workbench.experiments.measures import FIRST_SCORE, MEASURES, PLIES, TARGETS
from workbench.games.declaration import Toggle
from workbench.games.wording import change_words
from workbench.report import model
from workbench.report.labels import format_amount, format_amounts, format_percent, format_share, format_signed
from workbench.report.model import Column, Dot, Interval, Line, Panel, Row, TableCell, fit_scale, numeric_cell
from workbench.report.render.documents import PAGE, TEXT, print_document, publish
from workbench.report.verdicts import VERDICTS
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import setting_from_text

MIN_DRAW_SPREAD = 0.02
"""The scatter plot shows draws instead of lengths if the range of draw rates is at least this."""
MAX_ROWS = 30
MEASURE_TITLES = {FIRST_SCORE: tr("first player's score"), "draw_rate": tr("draws"), PLIES: tr("plies per game")}
OUTCOMES = {
    MET: tr("{ruleset} meets all targets: the first player scores {score}."),
    NEAREST: tr("No ruleset meets all targets. {ruleset} comes closest: the first player scores {score}."),
    PROMISING: tr(
        "Not settled: {ruleset} is the most promising; the first player scores {score}. It may or may not meet "
        "all targets."
    ),
    BASE_AS_NEAR: tr(
        "No ruleset is significantly closer to the targets than the base, where the first player scores {score}."
    ),
}
STATES = {"met": "met", "missed": "missed", "open": "not_settled"}
"""State of a target -> its verdict."""

Results = Mapping[str, Any]
Entry = Mapping[str, Any]


def write_search(
    folder: Path, results: Results, base: Ruleset, rulesets: pd.DataFrame, effects: pd.DataFrame, lang: str | None
) -> list[Path]:
    """Write the page and its charts into a search's folder and return the files.

    ``rulesets`` and ``effects`` are tables from `workbench.addons.search.run.Search.estimates`.
    """
    document = build_search_document(results, base, rulesets, effects)
    target = output.claim_folder(folder, (PAGE, TEXT))
    return publish(document, target, lang, {}, tr("Its games are saved."))


def print_search(results: Results, console: Console) -> None:
    """Print a search's summary."""
    tables = [_finalist_table(results)] if finalists(results) else []
    print_document(model.Document.answering(_heading(results), search_answer(results), *tables), console)


def build_search_document(
    results: Results, base: Ruleset, rulesets: pd.DataFrame, effects: pd.DataFrame
) -> model.Document:
    """Return the page of a search."""
    sections = [
        model.Section("answer", tr("Answer"), _answer_parts(results, base)),
        model.Section("rulesets", tr("All rulesets in the search space"), _space_parts(results, base, rulesets)),
        model.Section("rules", tr("The effect of each rule"), _rule_parts(base, effects)),
        *_neighbour_section(results),
        model.Section("limits", tr("What was not tried"), _limit_parts(results, base)),
    ]
    about = tr(
        "A search with {games:,} games between {players} players, and {fresh:,} fresh games of the finalists.",
        games=results["budget"]["strong"],
        players=len((results["result"] or {}).get("players", [])) or tr("some"),
        fresh=results["budget"]["confirm"],
    )
    colophon = tr("Rule workbench {version}, search {fingerprint}", version=workbench.__version__,
                  fingerprint=results["fingerprint"])  # fmt: skip
    return model.Document(_heading(results), about, colophon, sections)


def _heading(results: Results) -> str:
    return bilingual(en=str(results["title"]), ja=str(results["title_ja"] or results["title"]))


def finalists(results: Results) -> dict[str, Entry]:
    """Return the finalists by name, best first; there are none before the confirmation."""
    return {entry["ruleset"]: entry for entry in (results.get("result") or {"finalists": []})["finalists"]}


# The answer


def search_answer(results: Results) -> list[str]:
    """Summarize the result in sentences."""
    if not finalists(results):
        return [tr("The search is unfinished: {games:,} games so far.", games=results.get("played", 0))]
    outcome = results["result"]
    best, base = outcome["finalists"][0], outcome["base"]
    base_as_near = outcome["verdict"] == BASE_AS_NEAR
    main, other = (base, best) if base_as_near else (best, base)
    score, other_score = (value_text(FIRST_SCORE, entry["values"][FIRST_SCORE]) for entry in (main, other))
    lines = [OUTCOMES[outcome["verdict"]].format(ruleset=_title(main), score=score)]
    if best["ruleset"] != base["ruleset"]:
        comparison = tr(
            "With probability {chance} it is closer to the targets than the base, where the first "
            "player scores {score}."
        )
        if base_as_near:
            comparison = tr("{ruleset} is closer with probability {chance}: the first player scores {score}.")
        chance = format_percent(best["nearer"], 0)
        lines.append(comparison.format(ruleset=_title(best), chance=chance, score=other_score))
    sentence = tr("Probability of being within {points} points of the best of the {count} finalists: {chance}.")
    chance, points = format_percent(best["alike"], 0), f"{100 * results['indifferent']:g}"
    lines.append(sentence.format(chance=chance, count=len(outcome["finalists"]), points=points))
    if missed := [name for name, state in main["targets"].items() if state == "missed"]:
        gap, measure = _target_gap(results, main, missed[0]), _measure_title(missed[0])
        size = format_signed(gap, 0) if missed[0] == PLIES else tr("{points} points", points=format_signed(100 * gap))
        suggestion = tr("Missing here: a rule that changes “{measure}” by {size}.")
        lines.append(suggestion.format(measure=measure, size=size))
    return lines


def _target_gap(results: Results, entry: Entry, name: str) -> float:
    """Return the change in a measure that a ruleset needs to meet its target."""
    value, aim = entry["values"][name]["value"], target_band(name, {**results["targets"], **results["must"]}[name])
    return float(min(max(value, aim.low), aim.high) - value)


def suggest_changes(results: Results, best: Ruleset) -> list[str]:
    """Return suggestions from other reports as sentences if the best finalist misses a target."""
    entry: Entry = next(iter(finalists(results).values()), {"targets": {}})
    missed = [name for name, state in entry["targets"].items() if state == "missed"]
    if not missed:
        return []
    measure, more = ({PLIES: "plies_mean"}.get(missed[0], missed[0]), _target_gap(results, entry, missed[0]) > 0)
    return addons().suggest_changes(ruleset=best, measure=measure, more=more) or []


def _answer_parts(results: Results, base: Ruleset) -> list[model.Part]:
    lead, *others = [*search_answer(results), *_saved_sentences(results, "nearest"), *_saved_sentences(results, "why")]
    parts: list[model.Part] = [model.Paragraph(lead, "lead"), *([model.Bullets(others)] if others else [])]
    if not results["result"]:
        return parts
    cards = [_card(number, entry, base) for number, entry in enumerate(finalists(results).values(), start=1)]
    return [*parts, model.Findings(cards, len(cards)), _finalist_table(results)]


def _saved_sentences(results: Results, name: str) -> list[str]:
    return [_in_languages(texts) for texts in results.get(name) or ()]


def _card(number: int, entry: Entry, base: Ruleset) -> model.Finding:
    """Return a finalist's card: its changed rules before and after, and each change's effect."""
    levels = {change["factor"]: change["level"] for change in entry["changes"]}
    toggles = [toggle for toggle in games.declaration(base.game).toggles if toggle.name in levels]
    states = set(entry["targets"].values())
    kind = "good" if states == {"met"} else "bad" if "missed" in states else "open"
    facts = [tr("{name}: {value}", name=title, value=value_text(name, entry["values"][name]))
             for name, title in MEASURE_TITLES.items()]  # fmt: skip
    after = {toggle.name: _setting(toggle, levels[toggle.name], base) for toggle in toggles}
    return model.Finding(
        name=tr("{number}. {title}", number=number, title=_title(entry)), title="",
        certainty=model.Certainty("", targets_text(entry), kind), values=join(COMMA, facts),
        gain=tr("{chance} probability of being as good as the best", chance=format_percent(entry["alike"], 0)),
        others=[_change_effect(change, base) for change in entry["buys"]],
        was=sentences(toggle.sentence(base.settings[toggle.name]) for toggle in toggles),
        now=sentences(toggle.sentence(after[toggle.name]) for toggle in toggles),
        anchor=f"finalist-{number}",
    )  # fmt: skip


def _change_effect(change: Entry, base: Ruleset) -> str:
    """Describe the effect of one of a finalist's changes relative to the same rules without the change."""
    effects = []
    for name, title in MEASURE_TITLES.items():
        effect, factor = change[name], 1 if name == PLIES else 100
        if effect["low"] <= 0 <= effect["high"]:
            continue
        text = tr("{number} points of {measure} ({low} to {high})", measure=title)
        if name == PLIES:
            text = tr("{number} plies ({low} to {high})")
        number, low, high = (format_signed(factor * effect[end]) for end in ("value", "low", "high"))
        effects.append(text.format(number=number, low=low, high=high))
    words = _level_title(base, change["factor"], change["level"])
    if not effects:
        return tr("“{change}” has no significant effect.", change=words)
    return tr("The effect of “{change}” is {effects}.", change=words, effects=join_list(effects))


def _toggle(base: Ruleset, name: str) -> Toggle | None:
    return next((toggle for toggle in games.declaration(base.game).toggles if toggle.name == name), None)


def _setting(toggle: Toggle, level: Any, base: Ruleset) -> Any:
    """Return a level's setting from file notation, or the base's setting if the toggle does not allow it."""
    setting = setting_from_text(toggle, level) if isinstance(level, str) else level
    return setting if toggle.allows(setting) else base.settings[toggle.name]


def _level_title(base: Ruleset, factor: str, level: str) -> str:
    toggle = _toggle(base, factor)
    if toggle is None:
        return untranslated(f"{factor}: {level}")
    return change_words(base.game, toggle, {**base.settings, factor: _setting(toggle, level, base)})


def candidate_title(base: Ruleset, name: str) -> str:
    """Return a ruleset's changes in words, or the base's title if there are none."""
    changes = name.partition(" ")[2]
    if not changes:
        return bilingual(en=base.title, ja=base.title_ja)
    pairs = (change.partition("=") for change in re.split(r", (?=\w+=)", changes))
    return join(COMMA, [_level_title(base, factor, level) for factor, _, level in pairs])


# Tables and charts


def _measure_column(name: str) -> Column:
    def cell(entry: Entry) -> TableCell:
        return numeric_cell(value_text(name, entry["values"][name]), entry["values"][name]["value"])

    return Column.number(MEASURE_TITLES[name], cell)


def _price_cell(entry: Entry) -> TableCell:
    return numeric_cell(f"{entry['price']:g}", entry["price"])


def _finalist_table(results: Results) -> model.Table:
    rows, base = results["result"]["finalists"], results["result"]["base"]
    loss = TableCell(tr("expected loss relative to the best"), small=tr("in half-widths of the bands"), kind="number")
    columns = (
        Column.text(tr("ruleset"), _title),
        *map(_measure_column, MEASURE_TITLES),
        Column.number(tr("price"), _price_cell),
        Column.text(tr("targets"), targets_text),
        Column.percent(tr("as good as the best"), "alike", 0),
        Column(loss, lambda entry: numeric_cell(format_amount(entry["regret"], 2), entry["regret"])),
    )
    caption = tr(
        "From fresh games only. The intervals in a column hold simultaneously at 95 %; the players, too, are "
        "treated as a sample."
    )
    return model.Table.of(caption, columns, rows, rows.index(base) if base in rows else None, printed=True)


def _space_parts(results: Results, base: Ruleset, rulesets: pd.DataFrame) -> list[model.Part]:
    table = rulesets[~rulesets["left_out"]].sort_values("loss")
    titles = {name: candidate_title(base, name) for name in map(str, table["ruleset"])}
    titles |= {name: _title(entry) for name, entry in finalists(results).items()}
    anchors = {name: f"#finalist-{number}" for number, name in enumerate(finalists(results), start=1)}
    return [ruleset_scatter(results, table, titles, anchors), _ruleset_table(table, titles, list(anchors))]


def ruleset_scatter(
    results: Results, table: pd.DataFrame, titles: Mapping[str, str], links: Mapping[str, str]
) -> model.Scatter:
    """Return a scatter plot of rulesets by score and draws, or by score and length if draws hardly differ.

    ``titles`` and ``links`` are the dots' titles and links by ruleset name.
    """
    vertical = "draw_rate" if table["draw_rate"].max() - table["draw_rate"].min() >= MIN_DRAW_SPREAD else PLIES
    title = tr("Rulesets by score and draws") if vertical == "draw_rate" else tr("Rulesets by score and length")
    finalist_names, front = list(finalists(results)), pareto_front(table)
    points = []
    for row in table.to_dict("records"):
        name = str(row["ruleset"])
        number = finalist_names.index(name) + 1 if name in finalist_names else 0
        text = tr(
            "{name}: first player {score}, draws {draws}, {plies} plies, price {price}, {games} games",
            name=titles.get(name, untranslated(name)),
            score=format_percent(row[FIRST_SCORE]),
            draws=format_percent(row["draw_rate"]),
            plies=format_amount(row[PLIES]),
            price=f"{row['price']:g}",
            games=f"{row['games']:,}",
        )
        kind = "main" if number else "shown" if name in front else "faint"
        label = untranslated(str(number) if number else "")
        points.append(model.Point(row[FIRST_SCORE], max(0.0, row[vertical]), kind, text, label, links.get(name, "")))
    points.sort(key=lambda point: ["faint", "shown", "main"].index(point.kind))
    ticks = _percent_tick if vertical == "draw_rate" else format_amount
    across = fit_scale([point.across for point in points], _percent_tick, 0.5, _target_range(results, FIRST_SCORE))
    up = fit_scale(
        [point.up for point in points], ticks, None, _target_range(results, vertical), from_zero=vertical == "draw_rate"
    )
    return model.Scatter(
        "scatter", across, up, MEASURE_TITLES[FIRST_SCORE], MEASURE_TITLES[vertical], points,
        tr("Each dot is a ruleset at its expected values from the model of all games; these are not verdicts. "
           "Numbered: the finalists. Dark: not dominated in score, draws and price. Shaded: the targets."),
        title, "rulesets",
    )  # fmt: skip


def _percent_tick(value: float) -> str:
    return f"{round(100 * value)}"


def _target_range(results: Results, name: str) -> tuple[float, float] | None:
    if (target := {**results["targets"], **results["must"]}.get(name)) is None:
        return None
    aim = target_band(name, target)
    return 0.0 if math.isinf(aim.low) else aim.low, 1.0 if math.isinf(aim.high) else aim.high


def pareto_front(table: pd.DataFrame) -> set[str]:
    """Return the rulesets that no other ruleset dominates in distance of the score from one half, draws and price."""
    values = pd.DataFrame({
        "off": (table["first_score"] - 0.5).abs().round(3), "draws": table["draw_rate"].round(3),
        "price": table["price"],
    }).to_numpy()  # fmt: skip
    dominated = [((values <= row).all(axis=1) & (values < row).any(axis=1)).any() for row in values]
    return {str(name) for name, is_dominated in zip(table["ruleset"], dominated, strict=True) if not is_dominated}


def model_estimate(row: Mapping[Any, Any], name: str) -> dict[str, float]:
    """Return a ruleset's measure under the model with its 95 % interval."""
    value, spread = row[name], 1.96 * row[f"{name}_sd"]
    return {"value": value, "low": value - spread, "high": value + spread}


def _ruleset_table(table: pd.DataFrame, titles: Mapping[str, str], numbered: Sequence[str]) -> model.Table:
    required = table[table["ruleset"].isin(pareto_front(table) | set(numbered))]
    others = table[~table["ruleset"].isin(required["ruleset"])].head(max(0, MAX_ROWS - len(required)))

    def expected_column(name: str) -> Column:
        def cell(row: Mapping[Any, Any]) -> TableCell:
            return numeric_cell(value_text(name, model_estimate(row, name)), row[name])

        return Column.number(MEASURE_TITLES[name], cell)

    best = TableCell(tr("best"), small=tr("probability"), kind="number")
    columns = (
        Column.text(tr("ruleset"), lambda row: titles[str(row["ruleset"])]),
        *map(expected_column, MEASURE_TITLES),
        Column.number(tr("price"), _price_cell),
        Column.amount(tr("games"), "games"),
        Column(best, lambda row: numeric_cell(format_percent(row["best"], 0), row["best"])),
    )
    records = pd.concat([required, others]).sort_values("loss").head(MAX_ROWS).to_dict("records")
    caption = tr(
        "Expected values from the model of all games, with 95 % intervals, most promising first; "
        "candidates.csv lists all rulesets."
    )
    return model.Table.of(caption, columns, records, folded=True)


def _rule_parts(base: Ruleset, effects: pd.DataFrame) -> list[model.Part]:
    if effects.empty:
        return [model.Paragraph(tr("No two rulesets in the space differ in only one rule."), "note")]
    charts = []
    for name, title in MEASURE_TITLES.items():
        factor = 1 if name == PLIES else 100
        rows = []
        for row in effects.to_dict("records"):
            low, value, high = (factor * row[key] for key in (f"{name}_low", name, f"{name}_high"))
            text = f"{format_signed(value)} ({format_signed(low)} … {format_signed(high)})"
            line = Line(0, (Interval(low, high), Dot(value, low <= 0 <= high)), untranslated(text))
            label = _level_title(base, row["factor"], row["level"])
            rows.append(Row(f"{row['factor']}={row['level']}", label, (line,)))
        scale = fit_scale(model.interval_ends(rows), lambda value: format_signed(value, 0), 0.0)
        caption = tr("{measure}, in points", measure=title)
        if name == PLIES:
            caption = tr("{measure}, in plies", measure=title)
        charts.append(model.Chart(f"rule-{name}", Panel(scale, tuple(rows)), caption, title=title))
    caption = tr(
        "The effect of each change relative to the base, all else equal, averaged over the search space: "
        "estimates from the model of all games, with 95 % intervals. Hollow: not settled."
    )
    return [model.SmallMultiples(caption, charts, "rules", tr("The effect of each rule"))]


def _neighbour_section(results: Results) -> list[model.Section]:
    """Return the section about rulesets one step beyond the space, or an empty list if none were played."""
    if not (rows := results.get("beyond")):
        return []
    columns = (
        Column.text(tr("ruleset"), _title),
        Column.text(
            tr("the step beyond"), lambda row: _in_languages(row["change"]) if row["beside"] else tr("none: a finalist")
        ),
        *map(_measure_column, MEASURE_TITLES),
        Column.text(tr("targets"), targets_text),
    )
    caption = tr(
        "The finalists, and rulesets outside the space that are one change away from a finalist, in fresh "
        "games; those closest to the targets come first. The intervals in a column hold simultaneously at 95 %."
    )
    return [model.Section("beyond", tr("One step outside the search space"), [model.Table.of(caption, columns, rows)])]


def _limit_parts(results: Results, base: Ruleset) -> list[model.Part]:
    space = results["space"]
    facts = {
        tr("combinations"): space["combinations"],
        tr("rulesets that differ"): space["rulesets"],
        tr("excluded by the rules"): sum(group[0] for group in space["refused"]),
        tr("excluded (never)"): space["unwanted"],
        tr("same rules as another"): space["repeated"],
        tr("eliminated by quick players"): space["left_out"],
        tr("games in the search"): results["budget"]["strong"],
        tr("rounds"): len(results["rounds"]),
    }
    parts: list[model.Part] = [model.Facts([(name, untranslated(f"{count:,}")) for name, count in facts.items()])]
    if not space["complete"]:
        parts.append(model.Paragraph(tr("The space is too large: a random sample of it was examined."), "warning"))
    if space["idle"]:
        toggles = {name: _toggle(base, name) for name in space["idle"]}
        titles = [toggle.title if toggle else untranslated(name) for name, toggle in toggles.items()]
        text = tr(
            "These rules changed none of {games:,} random games, so all their settings count as the same, "
            "although they may matter between strong players: {rules}.",
            games=space["looked"],
            rules=join_list(titles),
        )
        parts.append(model.Paragraph(text, "warning"))
    if space["refused"]:
        items = [
            tr("{count}: {shared}: {reason}", count=count, shared=untranslated(shared), reason=reason)
            for count, shared, reason in space["refused"][:20]
        ]
        parts.append(model.Bullets(items))
    return parts


# Words


def _in_languages(texts: Mapping[str, str]) -> str:
    return bilingual(**{lang: str(texts[lang]) for lang in LANGUAGES})


def _title(entry: Entry) -> str:
    return _in_languages(entry["title"])


def _measure_title(name: str) -> str:
    return MEASURE_TITLES.get(name) or (MEASURES[name].title if name in MEASURES else TARGETS[name])


def value_text(name: str, value: Mapping[str, float]) -> str:
    """Return a measure with its interval, clipped to the measure's range, which the model ignores."""
    if math.isnan(value["value"]):
        return untranslated("–")
    maximum = math.inf if name == PLIES else 1.0
    middle, low, high = (min(max(0.0, value[end]), maximum) for end in ("value", "low", "high"))
    if name == PLIES:
        return untranslated(f"{format_amount(middle)} ({format_amounts(low, high)})")
    return format_share(middle, low, high)


def targets_text(entry: Entry) -> str:
    """Return a ruleset's targets grouped by verdict."""
    groups = {state: [name for name, value in entry["targets"].items() if value == state] for state in STATES}
    lines = [
        tr("{state}: {measures}", state=VERDICTS[STATES[state]].text, measures=join(COMMA, map(_measure_title, names)))
        for state, names in groups.items()
        if names
    ]
    return join(tr("; "), lines)
