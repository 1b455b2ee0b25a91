"""Report files: listing, summarizing and safely reading them, whoever wrote them.

A file is served only if it is in the project's report folder under a report's name and its path contains no links. Its
content is not trusted: it is sent as plain text, and pages show copies.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import html
import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from workbench.base.errors import InputError
from workbench.base.language import COMMA, LANGUAGES, bilingual, join, tr, trc
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment as experiments
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.records import provenance
from workbench.records.records import TRIALS
from workbench.rules.rulesets import is_tried, with_saved_titles
from workbench.studio import asks
from workbench.studio.asks import LEVELS, QUICK, level_of
from workbench.studio.opponents import display_name
from workbench.studio.visitor import View

PAGE, REPORTS = "report.html", "/report-files/"
"""The name of a stored report, and where stored reports are sent from."""
MAX_BYTES = 200_000_000
"""Maximum size of a served file in bytes."""
MAX_FOLDERS, MAX_DEPTH = 2_000, 5
"""Ladders are four folders deep: ``ladders/<game>/<ruleset>/<players>``."""
MAX_HEAD, MAX_TEXT, MAX_BARS = 100_000, 600, 8
INVALID = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, RecursionError, OSError)
"""Exceptions raised by reading files that were not written by a run."""
TITLE, LEAD = re.compile(r"<h1>(.*?)</h1>", re.DOTALL), re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)


class Bar(NamedTuple):
    """The first player's score under a ruleset, the certainty of its effect or `BASELINE`, draws (share) and length."""

    title: str
    score: float
    low: float
    high: float
    certainty: str
    draws: float
    plies: float


class Scores(NamedTuple):
    """The results of a report; empty if it lacks them."""

    players: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    """The first player's scores between the strongest players."""


BASELINE = trc("shelf words", "baseline")


def list_reports(project: Project) -> dict[str, float]:
    """Return the names of all folders that contain a report with the times of their reports, latest first."""
    found: dict[str, float] = {}
    for place, folders, _ in os.walk(project.reports):
        name = Path(place).relative_to(project.reports).as_posix()
        if name.count("/") >= MAX_DEPTH or len(found) >= MAX_FOLDERS:
            folders.clear()
        folders[:] = [inner for inner in folders if not inner.startswith(".") and inner not in ("tables", TRIALS)]
        with contextlib.suppress(OSError):
            status = os.lstat(Path(place, PAGE))
            if stat.S_ISREG(status.st_mode) and name != ".":
                found[name] = status.st_mtime
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def page_address(project: Project, name: str) -> str:
    """Return the address of a stored report, which changes with the report; "" if there is none."""
    path = resolve_address(project, f"{name}/{PAGE}")
    return f"{REPORTS}{quote(name)}/{PAGE}?{changed_at(path):.0f}" if path else ""


def read_head(project: Project, name: str) -> tuple[str, str]:
    """Return the title of a folder's report, or else the name, and its answer as a sentence; "" if there is none."""
    path = resolve_address(project, f"{name}/{PAGE}")
    title, answer = _read_head(path, changed_at(path)) if path else ("", "")
    return title or name, answer


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_head(path: Path, changed: float) -> list[str]:
    page = (read_content(path, MAX_HEAD) or b"").decode("utf-8", errors="replace")
    found = (pattern.search(page) for pattern in (TITLE, LEAD))
    return [bilingual(**{lang: _in_language(match[1], lang) for lang in LANGUAGES}) if match else "" for match in found]


def _in_language(markup: str, language: str) -> str:
    others = "|".join(code for code in LANGUAGES if code != language)
    text = re.sub(rf'<span lang="(?:{others})">.*?</span>', "", markup, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()[:MAX_TEXT]


def read_scores(folder: Path) -> Scores:
    """Return the results of a report; the first call takes a while."""
    return _read_scores(folder, changed_at(folder / PAGE))


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_scores(folder: Path, changed: float) -> Scores:
    with contextlib.suppress(*INVALID, InputError, csv.Error):
        return _scores(folder)
    return Scores()


def _scores(folder: Path) -> Scores:
    from workbench.report import verdicts
    from workbench.report.folders import checked_provenance
    from workbench.report.labels import pairing_label
    from workbench.report.names import Names
    from workbench.report.verdicts import SILENT
    from workbench.statistics import AnalysisPlan
    from workbench.statistics.overview import silent_proposals

    with checked_provenance(folder) as recorded:
        plan = AnalysisPlan.from_provenance(recorded)
        names, measure = Names(plan), plan.question_measure
        players = tuple(pairing_label(*pairing) for pairing in plan.pairings)

    def read(table: str) -> Iterator[dict[str, str]]:
        return csv.DictReader(io.StringIO((read_content(folder / table) or b"").decode("utf-8")))

    def rows(table: str, players: tuple[str, str] = names.strongest) -> Iterator[dict[str, str]]:
        return (row for row in read(table) if (row["first"], row["second"]) == players)

    compared = list(rows("tables/comparisons.csv"))
    moves = verdicts.score_moves(compared, measure)
    certainties = {
        row["ruleset"]: verdicts.certainty(
            verdicts.chance_of_more(row, measure),
            verdicts.SIDES.get(row["verdict"], ""),
            names.words,
            moved=moves.get(row["ruleset"], ""),
        ).text
        for row in compared
        if row["measure"] == measure.name and row["difference"]
    } | ({plan.baseline: BASELINE} if plan.baseline else {})
    warnings = rows("tables/warnings.csv", ("", ""))
    unused = ((row["ruleset"], row["subject"]) for row in warnings if row["code"] == "toggle_never_fired")
    certainties |= dict.fromkeys(silent_proposals(unused, plan), SILENT)
    others = {
        row["ruleset"]: (float(row.get("draw_rate") or 0), float(row.get("plies_mean") or 0))
        for row in rows("summary.csv")
    }
    bars: dict[str, Bar] = {}
    judges_score = measure.name in (FAIRNESS, FIRST_SCORE)

    def add_bar(name: str, score: float, low: float, high: float) -> None:
        title = plan.ruleset(name).heading or names.short(name)
        bars[name] = Bar(title, score, low, high, certainties.get(name, ""), *others[name])

    for row in read("tables/strong_verdicts.csv"):
        # Strong players speak together.
        name = row["ruleset"]
        if row["measure"] == FIRST_SCORE and row["compared"] == "False":
            add_bar(name, *(0.5 + float(row[f"now{end}"]) for end in ("", "_low", "_high")))
        elif judges_score and row["measure"] == FIRST_SCORE and name in bars and bars[name].certainty != SILENT:
            moved = verdicts.direction(row, float(row["likely"]))
            sure = verdicts.certainty(*verdicts.strong_certainty(row, measure.name), names.words, True, moved)
            bars[name] = bars[name]._replace(certainty=sure.text)
    for row in rows("summary.csv") if not bars else ():
        if row["first_score"]:
            add_bar(row["ruleset"], *(float(row[f"first_score{end}"]) for end in ("", "_low", "_high")))
    return Scores(players, tuple(bars.values())[:MAX_BARS])


def read_levels(project: Project, names: Sequence[str]) -> tuple[list[dict[str, Any]], str]:
    """Return what the reports on levels say about each proposal, and how the last level differs from the first one.

    The strongest level is the first, and the proposal that was asked about is the first of each level.
    """
    from workbench.report.verdicts import MOVED, UNDECIDED

    lines: list[dict[str, Any]] = []
    gains = []
    for name in names:
        bars = read_scores(project.reports / name).bars
        base = next((bar for bar in bars if bar.certainty == BASELINE), None)
        proposals = [bar for bar in bars if bar is not base]
        if base is None or not proposals:
            continue
        earlier, lines, level = lines, [], LEVELS[level_of(name) or QUICK]
        for bar in proposals:
            told = [
                _change(tr("First player’s score {values}"), 100 * base.score, 100 * bar.score, "\N{NO-BREAK SPACE}%"),
                _change(tr("Draws {values}"), 100 * base.draws, 100 * bar.draws, "\N{NO-BREAK SPACE}%"),
                _change(tr("Mean length {values} plies"), base.plies, bar.plies),
            ]
            lines.append({"level": level, "proposal": bar.title, "sure": bar.certainty, "told": told})
        gains.append(100 * (abs(base.score - 0.5) - abs(proposals[0].score - 0.5)))
        lines += earlier
    unsure = all(line["sure"] in (UNDECIDED, *MOVED.values()) for line in lines)
    if len(gains) < 2 or abs(gains[-1] - gains[0]) < AGREES or unsure:
        return lines, ""
    weak, strong = map(_gain_text, (gains[0], gains[-1]))
    return lines, tr("With weak players it looked {weak}; with strong players {strong}.", weak=weak, strong=strong)


AGREES = 2.5
"""A difference in points between levels that is not worth a word."""


def _change(text: str, before: float, after: float, unit: str = "") -> str:
    """Return a text with the values under the baseline and under the proposal, or with the one of both."""
    from workbench.report.labels import whole

    values = list(dict.fromkeys((whole(before) + unit, whole(after) + unit)))
    return text.format(values=" → ".join(values))


def _gain_text(points: float) -> str:
    if abs(points) < 0.5:
        return tr("equally fair")
    text = tr("{n} points fairer") if points > 0 else tr("{n} points less fair")
    return text.format(n=f"{abs(points):.0f}")


def folder_with_games(project: Project, name: str) -> Path | None:
    """Return the report folder with a name if a run has written it and its path contains no links, else None."""
    path = resolve_address(project, f"{name}/{PAGE}", exists=False)
    return path.parent if path and (path.parent / provenance.FILE).is_file() else None


def resolve_address(project: Project, address: str, exists: bool = True) -> Path | None:
    """Return the file at an address within the folder of reports, or None if it is missing or may not be served.

    If ``exists`` is false, the file may be missing.
    """
    parts = address.split("/")
    if parts[-1] != PAGE or not 1 < len(parts) <= MAX_DEPTH + 3:
        return None
    path = project.reports
    for part in parts:
        if part == "" or part.startswith(".") or re.search(r"[\\\x00-\x1f]", part):
            return None
        path = path / part
        if path.is_symlink():
            return None
    is_inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project.reports))
    return path if is_inside and (path.is_file() or not exists) else None


def read_content(path: Path, most: int = MAX_BYTES) -> bytes | None:
    """Return at most ``most`` bytes of a file, or None if it is missing, too large, a link or a special file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with contextlib.suppress(OSError), os.fdopen(os.open(path, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            return stream.read(most)
    return None


MAX_LINKED, MAX_PLAYERS = 3, 6
"""The most proposals that a report links to, and the most players named before its first game."""


@snapshot()
def describe(project: Project, name: str) -> View:
    """Return what an experiment asks, and links to the rules of its proposals and to its question."""
    try:
        loaded = experiments.load_experiment(experiments.find_experiment(name, project), project)
    except InputError:
        return {"about": [], "steps": []}
    rulesets = with_saved_titles(loaded.rulesets, project)
    proposals = [] if loaded.levels else [ruleset for ruleset in rulesets if ruleset.name != loaded.baseline]
    links = [
        (
            tr("Rules: {title}", title=item.heading),
            f"/{'tried/rules' if is_tried(item.name) else 'edit'}/{quote(item.name)}",
        )
        for item in proposals[:MAX_LINKED]
    ]
    if level_of(name) is not None:
        links.append((tr("Its question"), asks.page_address(loaded, project)))
    players = [display_name(player.label) for player in loaded.players]
    about = [
        tr("Compares: {titles}", titles=join(COMMA, [ruleset.heading for ruleset in rulesets])),
        tr("Players: {titles}", titles=join(COMMA, players) if len(players) <= MAX_PLAYERS else str(len(players))),
    ]
    return {"about": about, "steps": [{"text": text, "url": url} for text, url in links]}


def changed_at(path: Path) -> float:
    """Return the Unix time of a file's last change, or 0 if it does not exist."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
