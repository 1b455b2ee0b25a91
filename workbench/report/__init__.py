"""A report folder: from the records that a run left in it to the report, its charts and tables, and the terminal.

`write` reads ``trials.parquet`` (and ``blocks/`` of a run that is not finished) with ``provenance.json`` and leaves
beside them ``report.html``, one file that holds the whole report; ``report.md``; ``summary.csv`` with the numbers of
all cells and ``tables/`` with those of every other table; and each chart as PNG and SVG. Writing again from the same
records gives the same files. `terminal` prints the tables.

The way of a report: `workbench.statistics.analyse` makes tables, `build` makes sections of them, in words of both
languages, and `page` and `markdown` write the sections down.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench import games, statistics
from workbench.console import wrapped
from workbench.exact import solutions
from workbench.files import output as writer
from workbench.files import project
from workbench.files.yamlfile import InputError, Problem, shown
from workbench.games.game_state import GameState
from workbench.questions.rulesets import Ruleset
from workbench.report import charts
from workbench.report.build import GUIDES, QUICK_LOOK, Built, build
from workbench.report.markdown import markdown
from workbench.report.model import Bullets, Chart, Paragraph
from workbench.report.model import Table as Numbers
from workbench.report.names import Names, capped_method
from workbench.report.page import html
from workbench.report.words import LANGUAGES, Words
from workbench.statistics import stopping
from workbench.statistics.variety import DEEPEST
from workbench.store import provenance as provenances
from workbench.store import records

SEATS = ("first", "second")

MAIN_COLUMNS = {
    "ruleset": 13,
    "first_score (95 %)": 18,
    "balance": 9,
    "draws": 6,
    "capped": 12,
    "plies": 13,
    "legal": 5,
    "distinct": 8,
}
"""Columns of the main table and the characters that they take."""
EXACT_COLUMNS = (
    *("ruleset", "first", "second", "exact", "first_score", "first_score_low", "first_score_high", "inside"),
    *("plies_exact", "plies_mean"),
)
AGAIN = "workbench run makes it again, and plays nothing that is there"
EVENTS_AT_ONCE = 5
"""Event columns that fit beside each other."""


@dataclass(frozen=True)
class Report:
    """What is known of an experiment."""

    folder: Path
    title: str
    provenance: Mapping[str, Any]
    trials: pd.DataFrame
    cells: pd.DataFrame
    """`statistics.cells`, with a column ``target_x`` for each target: met, missed or undecided."""
    targets: pd.DataFrame
    """`statistics.targets`; no rows if the experiment sets none."""
    strength: pd.DataFrame
    """`statistics.strength`; no rows if every agent plays itself only."""
    exact: pd.DataFrame
    """`exactly`: what is known exactly, beside the estimates."""
    wanted: int
    """Games that the experiment asks for."""
    answer: tuple[str, ...]
    """The answer in words, most important first."""
    margin: float
    """How far from 50 % a balanced score may be."""
    own_choices: bool
    """Whether the rulesets are what players choose for themselves, such as armies, and no proposals."""
    files: tuple[Path, ...]
    """What was written."""
    notes: tuple[str, ...] = ()
    """What is to be said of the records."""

    @property
    def partial(self) -> bool:
        """Whether games are still missing."""
        return len(self.trials) < self.wanted


def write(folder: Path, lang: str | None = None) -> Report:
    """The report on a folder, after all its files were written into it; they open, and are named, in ``lang``.

    Without ``lang`` the page opens in the language of its reader's browser, and the other files are in English.

    Of a run that is not finished, each cell counts the games from its first one up to the first that is missing: were
    every block counted that happens to be there, quick games would be too many.

    Raises:
        InputError: the folder holds no records of an experiment, or they cannot be read.
    """
    provenance = _provenance(folder)
    try:
        return _write(folder, provenance, lang)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        if provenances.SELF in provenance:
            raise
        # Without a digest, what it says may be anything.
        message = f"does not fit its records ({type(error).__name__}: {error})"
        raise InputError([Problem(str(folder / provenances.FILE), None, None, message, AGAIN)]) from error


def _write(folder: Path, provenance: Mapping[str, Any], asked: str | None) -> Report:
    follow, lang = asked is None, asked or LANGUAGES[0]
    experiment = provenance["experiment"]
    plan = statistics.AnalysisPlan.from_provenance(provenance)
    titles = {variant.name: (variant.title, variant.title_ja) for variant in plan.rulesets}
    trials, notes = _trials(folder, provenance, plan.pairings)
    owned = provenances.folder(folder)
    plan = dataclasses.replace(plan, sequences=_sequences(plan.rulesets))
    wanted = max(sum(stopping.wanted(trials, plan).values()), len(trials))
    plan = dataclasses.replace(plan, finished=len(trials) >= wanted)
    found = statistics.analyse(trials, plan)
    cells = found.cells.copy()
    for name in plan.targets:
        cells[f"target_{name}"] = found.targets.loc[found.targets["target"] == name, "verdict"].to_numpy()
    title = str(experiment.get("title") or folder.name)
    exact = exactly(provenance, trials, cells)
    built = build(trials, provenance, found, exact, wanted)
    kept = f"Nothing in it was changed, and its records are kept. To try again: workbench report {shown(folder)}"
    # An older report may have had tables and charts that these records do not bear.
    with owned.edition(kept, replaces=("tables/*.csv", "*.png", "*.svg")) as stage:
        page = html(
            built.sections, built.title, built.about, built.colophon, built.pieces, lang, _guides(folder), follow
        )
        files = [
            _text(stage / "report.html", page),
            _text(stage / "report.md", markdown(built.sections, built.title, built.about, lang)),
            _csv(cells, stage / "summary.csv"),
        ]
        files += _tables({**vars(found), "exact": exact}, stage / "tables")
        if not plan.own_choices:
            score = charts.first_score_chart(cells, titles, title, plan.targets, exact)
            files += charts.save(score, stage / "first_score")
            lengths = charts.lengths_chart(trials, titles, title, plan.pairings, plan.baseline, plan.max_plies)
            files += charts.save(lengths, stage / "lengths")
        files += _charts(built, stage, lang)
    files = [folder / path.relative_to(stage) for path in files]
    which = LANGUAGES.index(lang)
    return Report(
        folder, built.title[which], provenance, trials, cells, found.targets, found.strength, exact, wanted,
        answer=tuple(words[which] for words in _answer(built)),
        margin=plan.margin,
        own_choices=bool(plan.own_choices),
        files=tuple(files),
        notes=notes,
    )  # fmt: skip


def _answer(built: Built) -> Iterator[Words]:
    """What the first section says, tables and warnings aside."""
    for part in built.sections[0].parts:
        if isinstance(part, Paragraph) and part.kind == "lead":
            yield part.text
        elif isinstance(part, Bullets):
            yield from part.items


def _sequences(rulesets: Iterable[Ruleset]) -> dict[str, tuple[int, ...]]:
    """How many openings of each length the rulesets allow, where these are few enough to count and the game is here."""
    known = set(games.names())
    return {
        ruleset.name: GameState(ruleset.game, tuple(ruleset.codes().values())).sequences(DEEPEST)
        for ruleset in rulesets
        if ruleset.game in known
    }


def _guides(folder: Path) -> dict[str, str]:
    """Where the guide to the report lies, seen from a report folder; nothing outside of a project that has it."""
    found = {lang: folder.absolute().parent / name for lang, name in GUIDES.items()}
    return {lang: f"../{path.name}" for lang, path in found.items() if path.is_file()}


def _charts(built: Built, folder: Path, lang: str) -> list[Path]:
    """The other charts of the page, as files."""
    which = LANGUAGES.index(lang)
    files: list[Path] = []
    heats = 0
    for part in (part for section in built.sections for part in section.parts):
        if isinstance(part, Chart) and part.strips:
            rows, on = part.strips
            figure = charts.estimates_chart(
                {row.name[which]: (row.small.en, row.small.ja) for row in rows},
                [
                    [charts.Estimate(mark.series, mark.value, mark.low, mark.high, mark.hollow) for mark in row.marks]
                    for row in rows
                ],
                [words[which] for _, words in part.legend],
                [(tick, on.label(tick)) for tick in on.ticks],
                part.title[which],
                part.caption[which],
                on.even,
                on.band,
                limits=(on.low, on.high),
            )
            files += charts.save(figure, folder / part.stem)
        elif isinstance(part, Numbers) and part.heat:
            heats += 1
            figure = charts.matrix_chart(
                [row[0].text[which] for row in part.rows],
                [head.text[which] for head in part.heads[1:]],
                [[float("nan") if cell.sort is None else float(cell.sort) for cell in row[1:]] for row in part.rows],
                part.caption[which].partition(":")[0].partition("：")[0],
                part.heads[0].text[which],
                [[shade != 0 for shade in line] for line in part.shades],
            )
            files += charts.save(figure, folder / (f"matrix_{heats}" if heats > 1 else "matrix"))
    return files


def _tables(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Every table that has rows, as CSV; the cells are told in ``summary.csv``."""
    tables = {name: table for name, table in found.items() if isinstance(table, pd.DataFrame) and len(table)}
    folder.mkdir()
    return [_csv(table, folder / f"{name}.csv") for name, table in tables.items() if name != "cells"]


def exactly(provenance: Mapping[str, Any], trials: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of solved rulesets whose true score is known: both seats random, or both optimal.

    Columns: ``ruleset``, ``first``, ``second``; the ``exact`` score of the first seat, the estimate ``first_score``
    with ``first_score_low`` and ``first_score_high``, and whether the exact value lies ``inside``; ``plies_exact`` and
    ``plies_mean``. Games without a result are no part of the estimates.
    """
    known = solutions.known(project.find())
    prints = {ruleset["name"]: ruleset.get("fingerprint") for ruleset in provenance["rulesets"]}
    kinds = {
        (pairing["first"], pairing["second"]): {
            (options.get("kind"), options.get("epsilon", 0.0))
            for options in (pairing.get(f"{seat}_options", {}) for seat in SEATS)
        }
        for pairing in provenance["pairings"]
    }
    means = trials.groupby(["ruleset", "first", "second"], observed=True)["plies"].mean()
    rows = []
    for cell in cells.to_dict("records"):
        exact = known.get(str(prints[cell["ruleset"]]))
        pairing = kinds[cell["first"], cell["second"]]
        if exact is None or not cell["finished"] or pairing not in ({("random", 0.0)}, {("optimal", 0.0)}):
            continue
        if pairing == {("random", 0.0)}:
            score, plies = exact.first_score, exact.random["plies"]
        else:
            score = {"first": 1.0, "second": 0.0}.get(exact.value, 0.5)
            plies = float(exact.plies) if exact.plies else np.nan
        rows.append(
            {name: cell[name] for name in ("ruleset", "first", "second")}
            | {
                "exact": score,
                **{name: cell[name] for name in ("first_score", "first_score_low", "first_score_high")},
                "inside": cell["first_score_low"] <= score <= cell["first_score_high"],
                "plies_exact": plies,
                "plies_mean": means[cell["ruleset"], cell["first"], cell["second"]],
            }
        )
    return pd.DataFrame(rows, columns=EXACT_COLUMNS)


def terminal(report: Report, console: Console) -> None:
    """Prints the tables of a report; they fit 100 columns where the names of the rulesets are short."""
    names = [str(name) for name in report.cells["ruleset"].unique()]
    short = dict(zip(names, charts.short_names(names), strict=True))
    pairings = charts.pairings_of(report.cells)
    cap = int(report.provenance["experiment"].get("max_plies") or 0)
    baseline = report.provenance["experiment"].get("baseline")
    console.print(Text(report.title, style="bold"))
    for i, words in enumerate(report.answer):
        console.print(Text(wrapped(words, "  " if i else "", "  ")), soft_wrap=True)
    if count := report.provenance["experiment"].get("quick_look"):
        _note(QUICK_LOOK.format(count=f"{int(count):,}").en, console, "yellow")
    if report.own_choices:
        _note("Who beats whom is a table of the report; all numbers are in summary.csv.", console)
        return
    if report.partial:
        _note(
            f"Not finished: {len(report.trials):,} of {report.wanted:,} games. The same command that began the run "
            "continues it; until then these are the numbers of the finished blocks.",
            console,
            "yellow",
        )
    for pairing in pairings:
        of_pairing = _of(report.cells, pairing)
        counts = sorted(set(of_pairing["games"]))
        games = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        table = _table()
        for header, width in MAIN_COLUMNS.items():
            table.add_column(header, min_width=width, overflow="fold", justify="right" if width <= 8 else "left")
        for cell in of_pairing.to_dict("records"):
            name = Text(short[cell["ruleset"]], style="bold" if cell["ruleset"] == baseline else "")
            table.add_row(name, *(Text(words) for words in _row(cell, cap)))
        _print(f"{charts.pairing_label(*pairing)}: {games} games per ruleset", table, console)
        _note(f"Ended by {_endings(of_pairing)}.", console)
    _note(
        "first_score: wins and half the draws of the first seat, of the finished games. balance: balanced if its "
        f"interval lies within {100 * report.margin:.3g} points of 50 %, else the seat that is ahead. capped: "
        "games stopped at the cap, and the first_score in % if all of them were lost or won. plies: median "
        "(quartiles), a + or an open end where it falls among the games stopped at the cap. legal: moves to choose "
        "from, the mean over plies. distinct: games that differ."
        + _adjudication(report)
        + (f" Bold: the baseline {short.get(baseline, baseline)}." if baseline else ""),
        console,
    )
    _print_exact(report, short, console)
    _print_targets(report, short, console)
    _print_strength(report, console)
    _print_events(report, short, console)


def _adjudication(report: Report) -> str:
    """What became of the games that reached the cap; nothing to say where none did."""
    games, at_cap = int(report.cells["games"].sum()), int(statistics.stopped(report.cells).sum())
    if not at_cap:
        return ""
    names = Names(statistics.AnalysisPlan.from_provenance(report.provenance))
    adjudicated = at_cap - int(report.cells["unfinished"].sum())
    share = f" {charts.percent(adjudicated / games)} of all games were adjudicated." if names.plan.judge else ""
    return f" {capped_method(names).en}{share}"


def _endings(of_pairing: pd.DataFrame) -> str:
    """How the games of a pairing ended, all rulesets together, the commonest first."""
    total = of_pairing["games"].sum()
    counts = {
        str(column).removeprefix("ended_by_"): int(of_pairing[column].sum())
        for column in of_pairing
        if str(column).startswith("ended_by_") and not str(column).endswith(("_rate", "_low", "_high"))
    }
    ranked = sorted(((count, ending) for ending, count in counts.items() if count), reverse=True)
    return ", ".join(f"{ending} {charts.percent(count / total)}" for count, ending in ranked) or "nothing yet"


def _row(cell: Mapping[Any, Any], cap: int) -> list[str]:
    """The columns of the main table, after the name."""
    if not cell["games"]:
        return ["no games yet", "", "", "", "", "", ""]
    score = "no game finished"
    if cell["finished"]:
        low, high = 100 * cell["first_score_low"], 100 * cell["first_score_high"]
        score = f"{100 * cell['first_score']:.1f} % ({low:.1f}–{high:.1f})"
    capped = "–"
    if cell["unfinished"]:
        low, high = 100 * cell["first_score_lowest"], 100 * cell["first_score_highest"]
        capped = f"{charts.percent(cell['capped_rate'])} ({low:.0f}–{high:.0f})"
    lower, median, upper = (
        "" if np.isinf(cell[f"plies_{which}"]) else f"{cell[f'plies_{which}']:.0f}"
        for which in ("lower_quartile", "median", "upper_quartile")
    )
    middle = median or f"{cap}+"
    plies = f"{middle} ({lower}–{upper})" if lower else middle
    legal = "" if np.isnan(cell["legal_moves"]) else f"{cell['legal_moves']:.1f}"
    distinct = "100 %" if cell["distinct_games"] == cell["games"] else f"{100 * cell['distinct_share']:.1f} %"
    draws = f"{100 * cell['draw_rate']:.1f} %"
    return [score, cell["balance"], draws, capped, plies, legal, distinct]


def _print_exact(report: Report, short: Mapping[str, str], console: Console) -> None:
    """Prints the estimates beside what is known exactly."""
    if report.exact.empty:
        return
    table = _table()
    for header in ("ruleset", "agents", "first_score (95 %)", "exact", "plies", "exact"):
        table.add_column(header, overflow="fold", justify="left" if header in ("ruleset", "agents") else "right")
    for row in report.exact.to_dict("records"):
        low, high = 100 * row["first_score_low"], 100 * row["first_score_high"]
        table.add_row(
            Text(short[row["ruleset"]]),
            Text(charts.pairing_label(row["first"], row["second"])),
            f"{100 * row['first_score']:.2f} % ({low:.2f}–{high:.2f})",
            Text(f"{100 * row['exact']:.4f} %", style="" if row["inside"] else "yellow"),
            f"{row['plies_mean']:.2f}",
            "" if np.isnan(row["plies_exact"]) else f"{row['plies_exact']:.4f}",
        )
    _print("Solved games: the estimates beside the exact values", table, console)
    _note("plies: the mean. Of twenty 95 % intervals one misses on average.", console)


def _print_targets(report: Report, short: Mapping[str, str], console: Console) -> None:
    """Prints for each ruleset and target in how many pairings it is met."""
    if report.targets.empty:
        return
    goals = report.targets.drop_duplicates("target")
    table = _table()
    table.add_column("ruleset", overflow="fold", min_width=13)
    for name, wanted in zip(goals["target"], goals["wanted"], strict=True):
        table.add_column(f"{name} {wanted}", overflow="fold", min_width=20)
    for ruleset, of_ruleset in report.targets.groupby("ruleset", sort=False):
        row = [Text(short[str(ruleset)])]
        for name in goals["target"]:
            verdicts = list(of_ruleset.loc[of_ruleset["target"] == name, "verdict"])
            found = {word: verdicts.count(word) for word in ("met", "missed", "undecided") if word in verdicts}
            words = [f"{word} {count}" if len(verdicts) > 1 else word for word, count in found.items()]
            row.append(Text(", ".join(words).replace("undecided ", "? ")))
        table.add_row(*row)
    pairings = len(charts.pairings_of(report.cells))
    _print("Targets" + (f": in how many of the {pairings} pairings" if pairings > 1 else ""), table, console)
    reasons = sorted(reason.replace("_", " ") for reason in set(report.targets["reason"]) - {""})
    if reasons:
        open_word = "?" if pairings > 1 else "undecided"
        _note(f"{open_word}: the interval lies partly in the target ({', '.join(reasons)}).", console)


def _print_strength(report: Report, console: Console) -> None:
    if report.strength.empty:
        return
    table = _table()
    for header in ("agent", "opponent", "score (95 %)", "games"):
        table.add_column(header, overflow="fold", justify="right" if header == "games" else "left")
    for pair in report.strength.to_dict("records"):
        score = f"{100 * pair['score']:.1f} % ({100 * pair['score_low']:.1f}–{100 * pair['score_high']:.1f})"
        table.add_row(Text(pair["agent"]), Text(pair["opponent"]), score, f"{pair['games']:,}")
    _print("Strength: both ways of seating and all rulesets added together", table, console)
    _note("Draws and capped games count half.", console)


def _print_events(report: Report, short: Mapping[str, str], console: Console) -> None:
    """Prints how often those events fired that differ between rulesets, for the last agent that plays itself."""
    pairings = charts.pairings_of(report.cells)
    pairing = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    events = statistics.differing_events(_of(report.trials, pairing))
    for start in range(0, len(events), EVENTS_AT_ONCE):
        some = events[start : start + EVENTS_AT_ONCE]
        table = _table()
        table.add_column("ruleset", overflow="fold", min_width=13)
        for event in some:
            table.add_column(event.removeprefix("event_").replace("_", " "), min_width=12, max_width=15)
        for cell in _of(report.cells, pairing).to_dict("records"):
            table.add_row(Text(short[cell["ruleset"]]), *(Text(_event(cell, event)) for event in some))
        _print(f"Events that differ between rulesets, {charts.pairing_label(*pairing)}", table, console)
    if events:
        note = "Mean over the games in which it happened (share of these games, where it is not all)."
        others = " Other pairings: summary.csv." if len(pairings) > 1 else ""
        _note(note + others, console)


def _event(cell: Mapping[Any, Any], event: str) -> str:
    share = cell[f"{event}_share"]
    if np.isnan(share):
        return ""
    if share == 0:
        return "–"
    shown = f"{cell[f'{event}_when_fired']:.1f}"
    return shown if share >= 0.9995 else f"{shown} ({charts.percent(share)})"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def _print(title: str, table: Table, console: Console) -> None:
    console.print()
    console.print(Text(title, style="bold"))
    # A word that does not fit is folded; a table that does not fit all the same runs on, and loses nothing.
    console.print(table, crop=False)


def _note(words: str, console: Console, style: str = "dim") -> None:
    console.print(Text(wrapped(words), style=style), soft_wrap=True)


def _of(table: pd.DataFrame, pairing: tuple[str, str]) -> pd.DataFrame:
    return table[(table["first"] == pairing[0]) & (table["second"] == pairing[1])]


def _provenance(folder: Path) -> dict[str, Any]:
    path = folder / provenances.FILE
    try:
        return provenances.load(folder)
    except FileNotFoundError:
        hint = "a report is made from the folder that a run wrote; if its records are there, run the experiment again"
        raise InputError([Problem(str(path), None, None, "there is no such file", hint)]) from None
    except (provenances.Damaged, records.Unavailable) as error:
        message = f"cannot be read as what a run writes ({str(error).removeprefix(f'{path}: ')})"
        raise InputError([Problem(str(path), None, None, message, AGAIN)]) from error


def _trials(
    folder: Path, provenance: Mapping[str, Any], pairings: Sequence[tuple[str, str]]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The records of all cells, each from its first game up to the first that is missing, and notes on the files."""
    # A run that was continued with more games has a finished file and blocks beside it.
    blocks = sorted((folder / provenances.BLOCKS).glob("*.parquet"))
    paths = [path for path in (folder / provenances.TRIALS, *blocks) if path.exists()]
    try:
        checked = [records.check(path) for path in paths]
        parts = [records.read(path, one) for path, one in zip(paths, checked, strict=True)]
    except (records.Unreadable, records.Unavailable) as error:
        again = "run the experiment again: what is missing or damaged is played again, and that alone"
        hint = again if isinstance(error, records.Unreadable) else "make it readable"
        raise InputError([Problem(str(folder), None, None, f"cannot be read: {error}", hint)]) from error
    said = provenance.get("digests", {}).get(provenances.TRIALS)
    # A run that was killed after it wrote its records has not written their digest, and left its blocks.
    if said and not blocks and paths and checked[0].sha256 != said:
        message = f"{provenances.TRIALS} is whole, but not the file that {provenances.FILE} speaks of"
        hint = "run the experiment again: it tells whether these are its games, and plays nothing that is there"
        raise InputError([Problem(str(folder), None, None, message, hint)])
    if not sum(len(part) for part in parts):
        raise InputError([Problem(str(folder), None, None, "no games are in it yet")])
    notes: tuple[str, ...] = ()
    if not said and not all(one.sealed for one in checked):
        notes = ("These records are of version 0.1, without digests: the checksums of their pages were compared.",)
    trials = pd.concat([part for part in parts if len(part)], ignore_index=True)
    cell = ["ruleset", "first", "second"]
    wanted = {(str(one["name"]), *pairing) for one in provenance["rulesets"] for pairing in pairings}
    trials = trials[[key in wanted for key in zip(*(trials[name] for name in cell), strict=True)]]
    trials = trials.drop_duplicates([*cell, "game"]).sort_values("game", kind="stable")
    return trials[trials["game"] == trials.groupby(cell, sort=False).cumcount()].reset_index(drop=True), notes


def _csv(table: pd.DataFrame, path: Path) -> Path:
    return _text(path, records.csv(table, "%.6g"))


def _text(path: Path, text: str) -> Path:
    return writer.write(path, text.encode())
