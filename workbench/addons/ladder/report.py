"""A ladder's page with charts and tables, and its summary in the terminal."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

import workbench
from workbench.base import output
from workbench.base.language import bilingual, join_list, tr, trc, untranslated
from workbench.report import model
from workbench.report.labels import MINUS, format_elo, format_elo_estimate, format_percent
from workbench.report.model import Bounds, Dot, Interval, Line, Mark, Panel, Row, Series, fit_scale
from workbench.report.render.documents import PAGE, TEXT, print_document, publish

Ladder = Mapping[str, Any]
Entry = Mapping[str, Any]
SIZES: Mapping[str, str] = {"nodes": tr("{size} nodes"), "depth": tr("depth {size}")}
MAX_ELO_SHOWN = 1e6
"""The end of an open whisker, beyond any scale."""
LOGARITHMIC = tr("Node budgets grow about threefold from row to row, so the scale is logarithmic. ")
LEGIBLE = 6
"""Maximum ratio of an interval's width to that of the narrowest one; wider bars end in an arrow."""
ALPHA = 0.05
FILES = (PAGE, TEXT, "players.csv", "pairs.csv")


def write_ladder(folder: Path, ladder: Ladder, lang: str | None = None) -> list[Path]:
    """Write the page, tables and charts into a ladder's folder and return the files."""
    target = output.claim_folder(folder, FILES)
    tables = zip(FILES[2:], (map(_player_row, ladder["players"]), ladder["pairs"]), strict=True)
    frames = {name: pd.DataFrame(list(rows)) for name, rows in tables}
    return publish(build_ladder_document(ladder), target, lang, frames, tr("Its games are saved."))


def _player_row(entry: Entry) -> dict[str, Any]:
    """Return a player as a table row; unbounded ends of intervals are None."""
    row: dict[str, Any] = {"player": entry["player"], "games": entry["games"]}
    for name in ("elo", "step", "first_move"):
        interval = entry[name] or {"value": None, "low": None, "high": None}
        row |= {f"{name}{end}": interval[key] for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))}
    return row | {"above": entry["above"], "score": entry["score"], "draw_rate": entry["draw_rate"]}


def print_ladder(ladder: Ladder, console: Console) -> None:
    """Print a ladder's summary."""
    print_document(build_ladder_document(ladder), console)


# Words


def search_size(options: Mapping[str, Any]) -> tuple[str, str, float]:
    """Return the size of a player's search as text, option name and value; empty if the player does not search."""
    for name, text in SIZES.items():
        if options.get(name):
            return text.format(size=f"{options[name]:,}"), name, float(options[name])
    return untranslated(""), "", 0.0


def _title(ladder: Ladder) -> str:
    name = bilingual(en=str(ladder["title"]), ja=str(ladder["title_ja"]))
    return tr("Player strength: {name}", name=name)


def ladder_answer(ladder: Ladder) -> list[str]:
    """Summarize the results of a ladder in sentences."""
    players: Sequence[Entry] = ladder["players"]
    best, count, zero = players[-1]["player"], len(players), ladder["zero"]
    elo = format_elo_estimate(players[-1]["elo"])
    lines = [
        tr("{best} is the strongest of {count} players.", best=best, count=count)
        if best == zero
        else tr("{best} is the strongest of {count} players, {elo} Elo above {zero}.", best=best, count=count, elo=elo,
                zero=zero)
    ]  # fmt: skip
    if unsettled := [entry for entry in players[1:] if _interval_contains(entry["step"], 0.0)]:
        pairs = [tr("{one} and {other}", one=entry["player"], other=entry["above"]) for entry in unsettled]
        lines.append(tr("The order of these players is not settled: {pairs}.", pairs=tr("; ").join(pairs)))
    value, low, high = (ladder["draws"][name] for name in ("value", "low", "high"))
    draws = f"{format_percent(value)} ({100 * (low or 0.0):.1f}–{100 * (1.0 if high is None else high):.1f})"
    lines.append(_first_move_sentence(ladder))
    lines.append(
        tr("Equal players draw {draws} of their games, leaving aside the effect of moving first.", draws=draws)
    )
    if unbounded := [entry["player"] for entry in players[1:] if entry["step"]["high"] is None]:
        sentence = tr("{players} lost almost no games to the next weaker player: this step, and any difference "
                      "across it, has no upper limit.", players=join_list(unbounded))  # fmt: skip
        lines.append(sentence)
    lines.append(_fit_sentence(ladder))
    if external := ladder["irreproducible"]:
        warning = tr("Games of the external players {players} may not be reproducible.")
        lines.append(warning.format(players=join_list(external)))
    if ladder["stopped"]:
        note = tr("{stopped:,} of {games:,} games were stopped after {max_plies} plies without a clear "
                     "winner; they count as draws.")  # fmt: skip
        lines.append(note.format(**{name: ladder[name] for name in ("stopped", "games", "max_plies")}))
    return lines


def _interval_contains(estimate: Mapping[str, float | None], value: float) -> bool:
    low, high = estimate["low"], estimate["high"]
    return (low is None or low <= value) and (high is None or value <= high)


def _first_move_sentence(ladder: Ladder) -> str:
    elo, score = format_elo_estimate(ladder["first_move"]), format_percent(ladder["first_score"])
    if _interval_contains(ladder["first_move"], 0.0):
        undecided = tr("Which seat has the advantage is not settled: moving first is worth {elo} Elo.")
        return undecided.format(elo=elo)
    return tr("Moving first is worth {elo} Elo: between equal players, the first scores {score}.", elo=elo, score=score)


def _fit_sentence(ladder: Ladder) -> str:
    p = ladder["misfit"]
    if p is None:
        return tr("The fit cannot be tested: the pairings form a single chain.")
    if p >= ALPHA:
        return tr("One rating per player fits all pairs (p = {p:.2g}).", p=p)
    worst = max(ladder["pairs"], key=lambda row: abs(row["z"]))
    return tr(
        "One rating per player does not fit all pairs (p = {p:.2g}): {player} scored {score} against {other}; "
        "the ladder predicts {predicted}.",
        p=p,
        player=worst["player"],
        other=worst["other"],
        score=format_percent(worst["score"]),
        predicted=format_percent(worst["predicted"]),
    )


# The page


def build_ladder_document(ladder: Ladder) -> model.Document:
    """Return the page of a ladder."""
    lead, *details = ladder_answer(ladder)
    sections = [
        model.Section("answer", tr("The answer"), [model.Paragraph(lead, "lead"), model.Bullets(details)]),
        model.Section("ladder", tr("The ladder"), [_elo_chart(ladder), _player_table(ladder)]),
        model.Section("first-move", tr("The first move"), [_first_move_chart(ladder)]),
        model.Section("fit", tr("Does one rating per player fit?"), _pair_parts(ladder)),
        model.Section("run", tr("How this was run"), [_run_facts(ladder)]),
    ]
    about = tr("{ruleset}, {players} players, {games:,} games.", ruleset=ladder["ruleset"],
               players=len(ladder["players"]), games=ladder["games"])  # fmt: skip
    colophon = tr("Made by the rule workbench {version}.", version=workbench.__version__)
    return model.Document(_title(ladder), about, colophon, sections)


def _chart_series(ladder: Ladder) -> tuple[list[Series], dict[str, int]]:
    """Return a chart's series and each player's series number; players in a series differ only in search size."""
    kinds: dict[str, tuple[str, str]] = {}
    for entry in ladder["players"]:
        options = {name: value for name, value in entry["options"].items() if name not in SIZES and name != "kind"}
        searches = bool(search_size(entry["options"])[1])
        kinds[entry["player"]] = (str(entry["options"]["kind"]), json.dumps(options)) if searches else ("", "")
    numbers = {kind: i for i, kind in enumerate(dict.fromkeys(kinds.values()))}
    series = []
    for (kind, options_json), number in numbers.items():
        same_kind = [other for other in numbers if other[0] == kind]
        label = untranslated(kind) if kind else tr("no search")
        if len(same_kind) > 1:
            own_options = json.loads(options_json).items()
            different = [(name, value) for name, value in own_options
                         if any(json.loads(other).get(name) != value for _, other in same_kind)]  # fmt: skip
            label = untranslated(f"{kind} ({', '.join(f'{name} {value}' for name, value in different)})")
        series.append(Series(number, label))
    return series, {player: numbers[kind] for player, kind in kinds.items()}


def _chart_rows(ladder: Ladder, estimate: str) -> tuple[list[Row], list[float], list[Series]]:
    """Return a row for each search size with a line for each series, all their numbers, and the series."""
    series, series_numbers = _chart_series(ladder)

    def row_key(entry: Entry) -> tuple[Any, ...]:
        words, option, size = search_size(entry["options"])
        return (
            len(SIZES) - list(SIZES).index(option) if option else 0,
            size,
            words if option else untranslated(entry["player"]),
        )

    rows, values = [], []
    by_size = sorted(ladder["players"], key=lambda entry: row_key(entry)[:2])
    for (_, _, label), entries in itertools.groupby(by_size, key=row_key):
        lines = []
        for entry in entries:
            interval = entry[estimate]
            low = -math.inf if interval["low"] is None else interval["low"]
            high = math.inf if interval["high"] is None else interval["high"]
            value = interval["value"]
            values += [low, high, value]
            marks: tuple[Mark, ...] = (Interval(low, high), Dot(value))
            if estimate == "elo" and entry["step"]:
                # Relative to a distant player all intervals are wide, even if neighbours differ clearly.
                step = entry["step"]
                ends = {
                    end: math.inf if step[end] is None else abs(step[end] - step["value"]) for end in ("low", "high")
                }
                marks = (Bounds(max(low, -MAX_ELO_SHOWN), min(high, MAX_ELO_SHOWN)),
                         Interval(value - ends["low"], value + ends["high"]), Dot(value))  # fmt: skip
            lines.append(Line(series_numbers[entry["player"]], marks, format_elo_estimate(interval), entry["player"]))
        rows.append(Row(str(label), label, tuple(lines)))
    return rows, values, series


def _is_logarithmic(ladder: Ladder) -> bool:
    """Return True if node budgets grow about threefold from row to row."""
    sizes = sorted({size for _, option, size in (search_size(entry["options"]) for entry in ladder["players"])
                    if option == "nodes"})  # fmt: skip
    return len(sizes) > 1 and all(2.5 <= larger / smaller <= 4 for smaller, larger in itertools.pairwise(sizes))


def _elo_chart(ladder: Ladder) -> model.Chart:
    rows, values, series = _chart_rows(ladder, "elo")
    caption = tr(
        "Strength by search size; {zero} is 0. Bar: the 95 % interval of the step from the next weaker player. "
        "Thin line: the interval of the strength itself. {steps}400 Elo means ten wins per loss. Arrow: no "
        "limit on that side."
    ).format(zero=ladder["zero"], steps=LOGARITHMIC if _is_logarithmic(ladder) else "")
    panel = Panel(fit_scale(values, format_elo, 0.0), tuple(rows))
    return model.Chart("chart-elo", panel, caption, series, "elo", "Elo")


def _first_move_chart(ladder: Ladder) -> model.Chart:
    rows, values, series = _chart_rows(ladder, "first_move")
    caption = tr(
        "The value of moving first in each player's games, in Elo, with 95 % intervals. Shaded: the interval "
        "from all games. A game counts for both players, so neighbours are similar. If the value changes along "
        "the ladder, an experiment's answer depends on the strength of its players."
    )
    low, high = ladder["first_move"]["low"], ladder["first_move"]["high"]
    # If one side wins nearly all games, the interval is very wide: its bar ends in arrows.
    spans = list(zip(values[::3], values[1::3], values[2::3], strict=True))
    max_width = LEGIBLE * min(end - start for start, end, _ in spans)
    shown = [span if span[1] - span[0] <= max_width else span[2:] for span in spans]
    scale = fit_scale(
        itertools.chain.from_iterable(shown), format_elo, 0.0, None if low is None or high is None else (low, high),
        tr("advantage of the second seat"), tr("advantage of the first seat"),
    )  # fmt: skip
    title = tr("The value of moving first")
    return model.Chart("chart-first-move", Panel(scale, tuple(rows)), caption, series, "first-move", title)


def _player_table(ladder: Ladder) -> model.Table:
    no_step = model.TableCell(untranslated("–"), kind="number")

    def elo_cell(estimate: Mapping[str, float]) -> model.TableCell:
        return model.numeric_cell(format_elo_estimate(estimate), estimate["value"])

    def size_cell(entry: Entry) -> model.TableCell:
        text, _, amount = search_size(entry["options"])
        return model.numeric_cell(text, amount or math.nan)

    def score_cell(entry: Entry) -> model.TableCell:
        return model.numeric_cell(format_percent(entry["score"]), entry["score"]) if entry["step"] else no_step

    columns = (
        model.Column.text(tr("player"), lambda entry: untranslated(entry["player"])),
        model.Column.number(tr("searches"), size_cell),
        model.Column.number("Elo", lambda entry: elo_cell(entry["elo"])),
        model.Column.number(tr("above the next"), lambda entry: elo_cell(entry["step"]) if entry["step"] else no_step),
        model.Column.text(tr("the next"), lambda entry: untranslated(entry["above"] or "–")),
        model.Column.number(tr("score against it"), score_cell),
        model.Column.number(tr("first move"), lambda entry: elo_cell(entry["first_move"])),
        model.Column.percent(trc("ladder", "draws"), "draw_rate"),
        model.Column.amount(tr("games"), "games"),
    )
    caption = tr(
        "Players, strongest first, in Elo with 95 % intervals; {zero} is 0. The score against the next weaker player "
        "comes from the model, averaged over both seats; first move and draws come from the player's own games.",
        zero=ladder["zero"],
    )
    return model.Table.of(caption, columns, reversed(ladder["players"]), printed=True)


def _pair_parts(ladder: Ladder) -> list[model.Part]:
    def deviation_cell(pair: Entry) -> model.TableCell:
        return model.numeric_cell(f"{pair['z']:+.1f}".replace("-", MINUS), pair["z"])

    columns = (
        model.Column.text(tr("player"), lambda pair: untranslated(pair["player"])),
        model.Column.text(tr("against"), lambda pair: untranslated(pair["other"])),
        model.Column.amount(tr("games"), "games"),
        model.Column.percent(tr("score"), "score"),
        model.Column.percent(tr("by the ladder"), "predicted"),
        model.Column.number(tr("difference in standard deviations"), deviation_cell),
    )
    caption = tr(
        "Observed scores of each pair, and the scores predicted from the strengths. A pair beyond about ±2 "
        "does not fit."
    )
    return [model.Paragraph(_fit_sentence(ladder)), model.Table.of(caption, columns, ladder["pairs"])]


def _run_facts(ladder: Ladder) -> model.Facts:
    openings = ladder["openings"]
    count, plies, judge = (openings[name] for name in ("lines", "plies", "judge"))
    facts: Iterable[tuple[str, str]] = [
        (tr("ruleset"), f"{ladder['ruleset']} ({ladder['rules']['fingerprint']})"),
        (
            tr("openings"),
            tr("{lines} lines of {plies} plies, judged by {judge}", lines=count, plies=plies, judge=judge),
        ),
        (tr("lines played"), str(ladder["lines"])),
        (tr("seed"), str(ladder["seed"])),
        (tr("stopped after plies"), str(ladder["max_plies"])),
        (tr("adjudicated games"), f"{ladder['adjudicated']:,}"),
        (tr("engine"), str(ladder["engine"])),
        (tr("fingerprint"), str(ladder["fingerprint"])),
        *((untranslated(entry["player"]), _options_text(entry["options"])) for entry in ladder["players"]),
    ]
    return model.Facts([(name, untranslated(value)) for name, value in facts], code=True)


def _options_text(options: Mapping[str, Any]) -> str:
    return ", ".join(str(value) if name == "kind" else f"{name} {value}" for name, value in options.items())
