"""The page of a search for rulesets, its pictures and tables, and what the terminal says of it."""

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
from workbench.addons.search.statistics import BASE_AS_NEAR, MET, NEAREST, PROMISING, aim_of
from workbench.base import output
from workbench.base.addons import addons
from workbench.base.language import COMMA, LANGUAGES, bilingual, join, join_list, sentences, tr, untranslated
from workbench.experiments.measures import FIRST_SCORE, MEASURES, PLIES, TARGETS
from workbench.games.declaration import Setting, Toggle
from workbench.games.wording import change_words
from workbench.report import model
from workbench.report.labels import format_amount, format_amounts, format_percent, format_share, format_signed
from workbench.report.model import Dot, Interval, Line, Panel, Row, fit_scale, interval_ends
from workbench.report.render.documents import PAGE, TEXT, print_document, publish
from workbench.report.verdicts import VERDICTS
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import setting_of_text

DRAWS_DIFFER = 0.02
"""From which difference of draws on the rulesets of a space are drawn by them."""
MOST_ROWS = 30
"""Rulesets that the table names."""
SHOWN = {FIRST_SCORE: tr("first player's score"), "draw_rate": tr("draws"), PLIES: tr("plies of a game")}
"""The measures shown for every ruleset."""
OUTCOMES = {
    MET: tr("{ruleset} meets all targets: the first player scores {score}."),
    NEAREST: tr("No ruleset meets all targets. {ruleset} comes nearest: the first player scores {score}."),
    PROMISING: tr(
        "Not settled: {ruleset} is the most promising, the first player scores {score}; the games do not tell "
        "whether it meets all targets."
    ),
    BASE_AS_NEAR: tr(
        "The base is as near to the targets: the games do not surely tell any ruleset from it; the first player scores "
        "{score} there."
    ),
}
"""The sentence for each verdict of `search_verdict`."""
STATES = {"met": "met", "missed": "missed", "open": "not_settled"}
"""State of a target -> its verdict."""

Kept = Mapping[str, Any]
"""The content of ``search.json``."""


def write_search(
    folder: Path, kept: Kept, base: Ruleset, rulesets: pd.DataFrame, effects: pd.DataFrame, lang: str | None = None
) -> list[Path]:
    """Write the page and its pictures into the folder of a search; returns the files.

    ``rulesets`` and ``effects`` are the tables of `workbench.addons.search.run.Search.estimates`.
    """
    document = build_search_document(kept, base, rulesets, effects)
    owned = output.claim_folder(folder, (PAGE, TEXT))
    return publish(document, owned, lang, {}, tr("Its games are kept."))


def print_search(kept: Kept, console: Console) -> None:
    """Print what a search found."""
    outcome = kept["result"]
    tables = [_finalist_table(outcome)] if outcome and outcome["finalists"] else []
    print_document(model.Document.answering(_heading(kept), search_answer(kept), *tables), console)


# The document


def build_search_document(kept: Kept, base: Ruleset, rulesets: pd.DataFrame, effects: pd.DataFrame) -> model.Document:
    """All that the page says."""
    sections = [
        model.Section("answer", tr("Answer"), _answer_parts(kept, base)),
        model.Section("rulesets", tr("All rulesets of the space"), _space_parts(kept, base, rulesets)),
        model.Section("rules", tr("What each rule does"), _rule_parts(base, effects)),
        *_beyond_section(kept),
        model.Section("limits", tr("What was not tried"), _limit_parts(kept, base)),
    ]
    about = tr(
        "A search by {games:,} games of {players} players, and {fresh:,} fresh games of the finalists.",
        games=kept["budget"]["strong"],
        players=len((kept["result"] or {}).get("players", [])) or tr("some"),
        fresh=kept["budget"]["confirm"],
    )
    colophon = tr("Rule workbench {version}, search {fingerprint}", version=workbench.__version__,
                  fingerprint=kept["fingerprint"])  # fmt: skip
    return model.Document(_heading(kept), about, colophon, sections)


def _heading(kept: Kept) -> str:
    return bilingual(en=str(kept["title"]), ja=str(kept["title_ja"] or kept["title"]))


def search_answer(kept: Kept) -> list[str]:
    """Return the result in sentences."""
    outcome = kept["result"]
    if not outcome or not outcome["finalists"]:
        return [tr("The search is not finished: {games:,} games so far.", games=kept.get("played", 0))]
    best, base = outcome["finalists"][0], outcome["base"]
    near = outcome["verdict"] == BASE_AS_NEAR
    shown, other = (base, best) if near else (best, base)

    def score(ruleset: Mapping[str, Any]) -> str:
        return value_text(FIRST_SCORE, ruleset["values"][FIRST_SCORE])

    said = [OUTCOMES[outcome["verdict"]].format(ruleset=_title(shown), score=score(shown))]
    if best["ruleset"] != base["ruleset"]:
        nearer = (
            tr("{ruleset} is nearer with {chance}: the first player scores {score}.")
            if near
            else tr("With {chance} it is nearer to the targets than the base, where the first player scores {score}.")
        )
        chance = format_percent(best["nearer"], 0)
        said.append(nearer.format(ruleset=_title(best), chance=chance, score=score(other)))
    alike = tr("Probability {chance} of being within {points} points of the best of the {count} finalists.")
    chance, points = format_percent(best["alike"], 0), f"{100 * kept['indifferent']:g}"
    said.append(alike.format(chance=chance, count=len(outcome["finalists"]), points=points))
    if missed := [name for name, state in shown["targets"].items() if state == "missed"]:
        gap, measure = _gap(kept, shown, missed[0]), _measure_title(missed[0])
        size = format_signed(gap, 0) if missed[0] == PLIES else tr("{points} points", points=format_signed(100 * gap))
        missing = tr("A rule is missing here: it would have to change “{measure}” by {size}.")
        said.append(missing.format(measure=measure, size=size))
    return said


def _gap(kept: Kept, ruleset: Mapping[str, Any], name: str) -> float:
    """Return by how much a measure of a ruleset would have to change to meet its target."""
    value, aim = ruleset["values"][name]["value"], aim_of(name, {**kept["targets"], **kept["must"]}[name])
    return float(min(max(value, aim.low), aim.high) - value)


def suggest_changes(kept: Kept, best: Ruleset) -> list[str]:
    """Return what other reports suggest where the best finalist misses a target, in sentences."""
    finalists = (kept.get("result") or {"finalists": []})["finalists"]
    missed = [name for name, state in finalists[0]["targets"].items() if state == "missed"] if finalists else []
    if not missed:
        return []
    measure = {PLIES: "plies_mean"}.get(missed[0], missed[0])
    return addons().suggest_changes(ruleset=best, measure=measure, more=_gap(kept, finalists[0], missed[0]) > 0) or []


def _answer_parts(kept: Kept, base: Ruleset) -> list[model.Part]:
    said = [*search_answer(kept), *texts(kept, "nearest"), *texts(kept, "why")]
    parts: list[model.Part] = [model.Paragraph(said[0], "lead"), *([model.Bullets(said[1:])] if said[1:] else [])]
    outcome = kept["result"]
    if not outcome:
        return parts
    items = [_finding(number, each, base) for number, each in enumerate(outcome["finalists"], start=1)]
    return [*parts, model.Findings(items, len(items)), _finalist_table(outcome)]


def _finding(number: int, each: Mapping[str, Any], base: Ruleset) -> model.Finding:
    """Return a finalist as a card: its changes with their sentences, before and after, and the effect of each."""
    family = games.declaration(base.game)
    levels = {entry["factor"]: entry["level"] for entry in each["changes"]}
    toggles = [toggle for toggle in family.toggles if toggle.name in levels]
    states = set(each["targets"].values())
    facts = [tr("{name}: {value}", name=title, value=value_text(name, each["values"][name]))
             for name, title in SHOWN.items()]  # fmt: skip
    return model.Finding(
        name=tr("{number}. {title}", number=number, title=_title(each)),
        title="",
        score=join(COMMA, facts),
        certainty=targets_text(each),
        likely=each["alike"],
        kind="good" if states == {"met"} else "bad" if "missed" in states else "open",
        ends=(tr("worse than another"), tr("as good as the best")),
        chance=tr("{chance} as good as the best", chance=format_percent(each["alike"], 0)),
        was=sentences(toggle.sentence(base.settings[toggle.name]) for toggle in toggles),
        now=sentences(toggle.sentence(_setting(toggle, levels[toggle.name], base)) for toggle in toggles),
        next_step=sentences([_bought(entry, base) for entry in each["buys"]]),
        graded=True,
        anchor=f"finalist-{number}",
    )


def _setting(toggle: Toggle, level: Setting, base: Ruleset) -> Setting:
    """Return the setting that files write as a level; that of the base, if the toggle has none."""
    setting = setting_of_text(toggle, level) if isinstance(level, str) else level
    return setting if toggle.allows(setting) else base.settings[toggle.name]


def _bought(entry: Mapping[str, Any], base: Ruleset) -> str:
    """Return the effect of one change of a finalist, beside the same rules without it."""
    effects = [_difference(name, entry[name]) for name in SHOWN if not entry[name]["low"] <= 0 <= entry[name]["high"]]
    change = _change_title(base, entry["factor"], entry["level"])
    if not effects:
        return tr("“{change}” buys nothing that these games show.", change=change)
    return tr("“{change}” brings {effects}.", change=change, effects=join_list(effects))


def _difference(name: str, effect: Mapping[str, float]) -> str:
    factor = 1 if name == PLIES else 100
    number, low, high = (format_signed(factor * effect[end]) for end in ("value", "low", "high"))
    if name == PLIES:
        return tr("{number} plies ({low} to {high})", number=number, low=low, high=high)
    return tr("{number} points of {measure} ({low} to {high})", number=number, low=low, high=high, measure=SHOWN[name])


def _change_title(base: Ruleset, factor: str, level: str) -> str:
    family = games.declaration(base.game)
    toggle = next((one for one in family.toggles if one.name == factor), None)
    if toggle is None:
        return untranslated(f"{factor}: {level}")
    return change_words(family.name, toggle, {**base.settings, factor: _setting(toggle, level, base)})


def candidate_title(base: Ruleset, name: str) -> str:
    """Return a ruleset of the space by its changes; the title of the base, which has none."""
    changes = name.partition(" ")[2]
    if not changes:
        return bilingual(en=base.title, ja=base.title_ja)
    pairs = (change.partition("=") for change in re.split(r", (?=\w+=)", changes))
    return join(COMMA, [_change_title(base, factor, level) for factor, _, level in pairs])


def _measure_column(name: str) -> model.Column:
    def cell(each: Mapping[str, Any]) -> model.TableCell:
        return model.numeric_cell(value_text(name, each["values"][name]), each["values"][name]["value"])

    return model.Column.number(SHOWN[name], cell)


def _price_cell(each: Mapping[str, Any]) -> model.TableCell:
    return model.numeric_cell(f"{each['price']:g}", each["price"])


def _finalist_table(outcome: Mapping[str, Any]) -> model.Table:
    rows = outcome["finalists"]
    loss = model.TableCell(tr("expected loss beside the best"), small=tr("in half-widths of the bands"), kind="number")
    columns = (
        model.Column.text(tr("ruleset"), _title),
        *map(_measure_column, SHOWN),
        model.Column.number(tr("price"), _price_cell),
        model.Column.text(tr("targets"), targets_text),
        model.Column.percent(tr("as good as the best"), "alike", 0),
        model.Column(loss, lambda each: model.numeric_cell(format_amount(each["regret"], 2), each["regret"])),
    )
    caption = tr("By fresh games alone. All intervals of a column hold at once with 95 %; players are a sample, too.")
    base = next((row for row, each in enumerate(rows) if each == outcome["base"]), None)
    return model.Table.of(caption, columns, rows, base, printed=True)


def _space_parts(kept: Kept, base: Ruleset, rulesets: pd.DataFrame) -> list[model.Part]:
    finalists = [each["ruleset"] for each in (kept["result"] or {"finalists": []})["finalists"]]
    table = rulesets[~rulesets["left_out"]].sort_values("loss")
    titles = {name: candidate_title(base, name) for name in map(str, table["ruleset"])}
    titles |= {each["ruleset"]: _title(each) for each in (kept["result"] or {"finalists": []})["finalists"]}
    anchors = {name: f"#finalist-{number}" for number, name in enumerate(finalists, start=1)}
    scatter = draw_rulesets(kept, table, titles, anchors)
    return [scatter, _ruleset_table(table, titles, pareto_front(table), finalists)]


def draw_rulesets(
    kept: Kept, table: pd.DataFrame, titles: Mapping[str, str], links: Mapping[str, str]
) -> model.Scatter:
    """The rulesets of a table by score and draws; where a dot leads, and what its ruleset is called, by its name.

    Where draws hardly differ, the length of games stands in their place.
    """
    height = "draw_rate" if table["draw_rate"].max() - table["draw_rate"].min() >= DRAWS_DIFFER else PLIES
    title = tr("Rulesets by score and draws") if height == "draw_rate" else tr("Rulesets by score and length")
    ticks = format_percent_whole if height == "draw_rate" else format_amount
    finalists = [each["ruleset"] for each in (kept["result"] or {"finalists": []})["finalists"]]
    front = pareto_front(table)
    points = []
    for row in table.to_dict("records"):
        name = str(row["ruleset"])
        number = finalists.index(name) + 1 if name in finalists else 0
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
        points.append(model.Point(row[FIRST_SCORE], max(0.0, row[height]), kind, text, label, links.get(name, "")))
    order = {"faint": 0, "shown": 1, "main": 2}
    points.sort(key=lambda point: order[point.kind])
    across = fit_scale([p.across for p in points], format_percent_whole, 0.5, _band(kept, FIRST_SCORE))
    up = fit_scale([p.up for p in points], ticks, None, _band(kept, height), from_zero=height == "draw_rate")
    return model.Scatter(
        "scatter", across, up, SHOWN[FIRST_SCORE], SHOWN[height], points,
        tr("Each dot is a ruleset, where the model of all games of the search expects it: no verdict. Numbered: the "
           "finalists. Dark: none is better in score, draws and price at once. Shaded: the targets."),
        title, "rulesets",
    )  # fmt: skip


def format_percent_whole(value: float) -> str:
    """Return a tick in percent."""
    return f"{round(100 * value)}"


def _band(kept: Kept, name: str) -> tuple[float, float] | None:
    if (target := {**kept["targets"], **kept["must"]}.get(name)) is None:
        return None
    aim = aim_of(name, target)
    return 0.0 if math.isinf(aim.low) else aim.low, 1.0 if math.isinf(aim.high) else aim.high


def pareto_front(table: pd.DataFrame) -> set[str]:
    """Rulesets that no other one beats in all of: distance from even, draws, price."""
    values = pd.DataFrame({
        "off": (table["first_score"] - 0.5).abs().round(3), "draws": table["draw_rate"].round(3),
        "price": table["price"],
    }).to_numpy()  # fmt: skip
    kept = set()
    for name, own in zip(table["ruleset"], values, strict=True):
        beaten = ((values <= own).all(axis=1) & (values < own).any(axis=1)).any()
        if not beaten:
            kept.add(str(name))
    return kept


def _ruleset_table(
    table: pd.DataFrame, titles: Mapping[str, str], front: set[str], finalists: Sequence[str]
) -> model.Table:
    chosen = table[table["ruleset"].isin(front | set(finalists))]
    rest = table[~table["ruleset"].isin(chosen["ruleset"])].head(max(0, MOST_ROWS - len(chosen)))

    def expected_column(name: str) -> model.Column:
        def cell(row: Mapping[Any, Any]) -> model.TableCell:
            value, spread = row[name], 1.96 * row[f"{name}_sd"]
            return model.numeric_cell(
                value_text(name, {"value": value, "low": value - spread, "high": value + spread}), value
            )

        return model.Column.number(SHOWN[name], cell)

    best = model.TableCell(tr("best"), small=tr("probability"), kind="number")
    columns = (
        model.Column.text(tr("ruleset"), lambda row: titles[str(row["ruleset"])]),
        *map(expected_column, SHOWN),
        model.Column.number(tr("price"), _price_cell),
        model.Column.amount(tr("games"), "games"),
        model.Column(best, lambda row: model.numeric_cell(format_percent(row["best"], 0), row["best"])),
    )
    records = pd.concat([chosen, rest]).sort_values("loss").head(MOST_ROWS).to_dict("records")
    caption = tr(
        "What the model of all games expects, with 95 % intervals, the most promising first; all of them are in "
        "candidates.csv."
    )
    return model.Table.of(caption, columns, records, folded=True)


def _rule_parts(base: Ruleset, effects: pd.DataFrame) -> list[model.Part]:
    if effects.empty:
        return [model.Paragraph(tr("No two rulesets of the space differ in one rule alone."), "note")]
    charts = []
    for name, title in SHOWN.items():
        factor = 1 if name == PLIES else 100
        rows = []
        for row in effects.to_dict("records"):
            low, value, high = (factor * row[key] for key in (f"{name}_low", name, f"{name}_high"))
            text = f"{format_signed(value)} ({format_signed(low)} … {format_signed(high)})"
            line = Line(0, (Interval(low, high), Dot(value, low <= 0 <= high)), untranslated(text))
            label = _change_title(base, row["factor"], row["level"])
            rows.append(Row(f"{row['factor']}={row['level']}", label, (line,)))
        scale = fit_scale(interval_ends(rows), lambda value: format_signed(value, 0), 0.0)
        caption = (
            tr("{measure}, in plies", measure=title) if name == PLIES else tr("{measure}, in points", measure=title)
        )
        charts.append(model.Chart(f"rule-{name}", Panel(scale, tuple(rows)), caption, title=title))
    caption = tr(
        "What each rule changes beside the rules as they are, all else equal: the mean over the space, by the model of "
        "all games of the search, with 95 % intervals. Hollow: not settled."
    )
    return [model.SmallMultiples(caption, charts, "rules", tr("What each rule does"))]


def _beyond_section(kept: Kept) -> list[model.Section]:
    """Return what lies one step beyond the space, beside the finalists; nothing if it was not asked for."""
    if not (rows := kept.get("beyond")):
        return []

    def step(row: Mapping[str, Any]) -> str:
        return _in_languages(row["change"]) if row["beside"] else tr("none: a finalist")

    fields = (
        model.Column.text(tr("ruleset"), _title),
        model.Column.text(tr("the step beyond"), step),
        *map(_measure_column, SHOWN),
        model.Column.text(tr("targets"), targets_text),
    )
    caption = tr(
        "Rulesets that change one thing of a finalist which the space does not have, beside the finalists, by fresh "
        "games of the players of the search; those that miss the targets by least come first. All intervals of a "
        "column hold at once with 95 %."
    )
    return [model.Section("beyond", tr("One step beyond the space"), [model.Table.of(caption, fields, rows)])]


def _limit_parts(kept: Kept, base: Ruleset) -> list[model.Part]:
    space = kept["space"]
    facts = [
        (tr("combinations"), f"{space['combinations']:,}"),
        (tr("rulesets that differ"), f"{space['rulesets']:,}"),
        (tr("refused by the rules"), f"{sum(each[0] for each in space['refused']):,}"),
        (tr("not wanted (never)"), f"{space['unwanted']:,}"),
        (tr("same rules as another"), f"{space['repeated']:,}"),
        (tr("left out by quick players"), f"{space['left_out']:,}"),
        (tr("games of the search"), f"{kept['budget']['strong']:,}"),
        (tr("rounds"), f"{len(kept['rounds']):,}"),
    ]
    parts: list[model.Part] = [model.Facts([(name, untranslated(value)) for name, value in facts])]
    if not space["complete"]:
        parts.append(model.Paragraph(tr("The space is too large: a random part of it was looked at."), "warning"))
    if space["idle"]:
        titles = [_factor_title(base, name) for name in space["idle"]]
        parts.append(
            model.Paragraph(
                tr(
                    "These change none of {games:,} random games, so each of their choices counted as the same rules; "
                    "between strong players they may matter: {rules}.",
                    games=space["looked"],
                    rules=join_list(titles),
                ),
                "warning",
            )
        )
    if space["refused"]:
        parts.append(
            model.Bullets(
                [
                    tr("{count}: {shared}: {reason}", count=count, shared=untranslated(shared), reason=reason)
                    for count, shared, reason in space["refused"][:20]
                ]
            )
        )
    return parts


def _factor_title(base: Ruleset, name: str) -> str:
    family = games.declaration(base.game)
    return next((str(toggle.title) for toggle in family.toggles if toggle.name == name), untranslated(name))


# Words


def _in_languages(texts: Mapping[str, str]) -> str:
    return bilingual(**{lang: str(texts[lang]) for lang in LANGUAGES})


def _title(each: Mapping[str, Any]) -> str:
    return _in_languages(each["title"])


def _measure_title(name: str) -> str:
    return SHOWN.get(name) or (MEASURES[name].title if name in MEASURES else TARGETS[name])


def value_text(name: str, value: Mapping[str, float]) -> str:
    """Return a measure with its interval, as far as it is possible: models know of no limits."""
    if math.isnan(value["value"]):
        return untranslated("–")
    most = math.inf if name == PLIES else 1.0
    middle, low, high = (min(max(0.0, value[end]), most) for end in ("value", "low", "high"))
    if name == PLIES:
        return untranslated(f"{format_amount(middle)} ({format_amounts(low, high)})")
    return format_share(middle, low, high)


def targets_text(each: Mapping[str, Any]) -> str:
    """Return which targets are met, in words."""
    by_state: dict[str, list[str]] = {}
    for name, state in each["targets"].items():
        by_state.setdefault(state, []).append(_measure_title(name))
    said = [
        tr("{state}: {measures}", state=VERDICTS[STATES[state]].text, measures=join(COMMA, by_state[state]))
        for state in STATES
        if state in by_state
    ]
    return join(tr("; "), said)


def texts(kept: Kept, name: str) -> list[str]:
    """Return sentences that were kept in all languages."""
    return [_in_languages(each) for each in kept.get(name) or ()]
