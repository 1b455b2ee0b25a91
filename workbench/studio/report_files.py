"""Report files: listing, summarizing and safely reading them, whoever wrote them.

A file is served only if it is in the project's report folder under a report's name and its path contains no links. Its
content is not trusted: `auth` sends it with a separate policy, in a sandbox without an origin, and pages show copies.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import functools
import html
import io
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import escape

from workbench.base import yamlfile
from workbench.base.errors import InputError
from workbench.base.language import LANGUAGES, bilingual, tr, trc, untranslated
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment as experiments
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.records import provenance
from workbench.records.records import TRIALS
from workbench.report.render.documents import page_style
from workbench.rules.rulesets import is_tried, with_saved_titles
from workbench.studio.asks import LEVELS, QUICK, level_of, page_address
from workbench.studio.visitor import View, Visitor

PAGE = "report.html"
GUIDE = re.compile(r"how-to-read(\.ja)?\.md")
MAX_BYTES = 200_000_000
"""Maximum size of a served file in bytes."""
MAX_FOLDERS, MAX_DEPTH = 2_000, 5
"""Ladders are four folders deep: ``ladders/<game>/<ruleset>/<players>``."""
MAX_TITLE, MAX_ANSWER, MAX_BARS = 300, 600, 8
INVALID = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, RecursionError, OSError)
"""Exceptions raised by reading files that were not written by a run."""
LEAD = re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)


class ReportFolder(NamedTuple):
    """A folder that contains a report."""

    name: str
    """The path within the folder of reports."""
    games: bool
    """True if it contains game records."""
    touched: float
    """The Unix time of the report."""


class Bar(NamedTuple):
    """The first player's score under a ruleset, the certainty of its effect or `BASELINE`, draws (share) and length."""

    title: str
    score: float
    low: float
    high: float
    certainty: str
    draws: float
    plies: float


class ReportSummary(NamedTuple):
    """A summary of a report; fields are empty if the report lacks the information."""

    answer: str = ""
    players: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    """The first player's scores between the strongest players."""


UNREAD = ReportSummary()
BASELINE = trc("shelf words", "baseline")


def list_folders(project: Project) -> list[ReportFolder]:
    """Return all folders that contain a report, latest first."""
    folders: list[ReportFolder] = []
    for path in _walk(project.reports, 0):
        with contextlib.suppress(OSError):
            status = (path / PAGE).lstat()
            if stat.S_ISREG(status.st_mode):
                name = path.relative_to(project.reports).as_posix()
                folders.append(ReportFolder(name, (path / provenance.FILE).is_file(), status.st_mtime))
        if len(folders) >= MAX_FOLDERS:
            break
    return sorted(folders, key=lambda folder: (-folder.touched, folder.name))


def read_summaries(reports: Path, folders: list[ReportFolder]) -> list[ReportSummary]:
    """Return the summaries of reports; the first call takes a while."""
    return [_read_summary(reports / folder.name, folder.touched) for folder in folders]


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_summary(folder: Path, touched: float) -> ReportSummary:
    answer = read_answer(folder, touched)
    with contextlib.suppress(*INVALID, InputError, csv.Error):
        return ReportSummary(answer, *_read_scores(folder))
    return ReportSummary(answer)


@functools.lru_cache(maxsize=MAX_FOLDERS)
def read_answer(folder: Path, touched: float) -> str:
    """Return the answer of a folder's report as a sentence."""
    page = (read_content(folder / PAGE) or b"").decode("utf-8", errors="replace")
    lead = LEAD.search(page)
    return bilingual(**{lang: _in_language(lead[1], lang) for lang in LANGUAGES}) if lead else untranslated("")


def _in_language(markup: str, language: str) -> str:
    others = "|".join(code for code in LANGUAGES if code != language)
    text = re.sub(rf'<span lang="(?:{others})">.*?</span>', "", markup, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()[:MAX_ANSWER]


def _read_scores(folder: Path) -> tuple[tuple[str, ...], tuple[Bar, ...]]:
    """Return the players, and the first player's scores between the strongest players."""
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
    return players, tuple(bars.values())[:MAX_BARS]


def read_levels(project: Project, names: Sequence[str]) -> tuple[list[dict[str, Any]], str]:
    """Return what the reports on levels say about each proposal, and how the last level differs from the first one.

    The strongest level is the first, and the proposal that was asked about is the first of each level.
    """
    from workbench.report.verdicts import MOVED, UNDECIDED

    folders = [ReportFolder(name, True, changed_at(project.reports / name / PAGE)) for name in names]
    lines: list[dict[str, Any]] = []
    gains = []
    for name, summary in zip(names, read_summaries(project.reports, folders), strict=True):
        base = next((bar for bar in summary.bars if bar.certainty == BASELINE), None)
        proposals = [bar for bar in summary.bars if bar is not base]
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
    return text.format(values=" → ".join(values) if values[1:] else tr("{value} (no change)", value=values[0]))


def _gain_text(points: float) -> str:
    if abs(points) < 0.5:
        return tr("equally fair")
    text = tr("{n} points fairer") if points > 0 else tr("{n} points less fair")
    return text.format(n=f"{abs(points):.0f}")


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        if not name.startswith(".") and name not in ("tables", TRIALS):
            yield folder / name
            if depth < MAX_DEPTH:
                yield from _walk(folder / name, depth + 1)


def folder_with_games(project: Project, name: str) -> Path | None:
    """Return the report folder with a name if a run has written it and its path contains no links, else None."""
    path = resolve_address(project, f"{name}/{PAGE}", exists=False)
    return path.parent if path and (path.parent / provenance.FILE).is_file() else None


def resolve_address(project: Project, address: str, exists: bool = True) -> Path | None:
    """Return the file at an address within the folder of reports, or None if it is missing or may not be served.

    If ``exists`` is false, the file may be missing.
    """
    parts = address.split("/")
    is_served = parts[-1] == PAGE if len(parts) > 1 else GUIDE.fullmatch(address)
    if not is_served or len(parts) > MAX_DEPTH + 3:
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


def folder_title(folder: Path) -> str | None:
    """Return the title of a folder's run or the first heading of its report, or None if neither exists."""
    for name in (provenance.FILE, "report.md"):
        with contextlib.suppress(OSError):
            status = (folder / name).lstat()
            if stat.S_ISREG(status.st_mode) and (title := _read_title(folder / name, status.st_mtime_ns)):
                return title
    return None


def report_title(project: Project, folder: ReportFolder) -> str:
    """Return a report's title, or else its name."""
    present = read_titles(project.experiments / f"{folder.name}.yaml")
    return present or folder_title(project.reports / folder.name) or untranslated(folder.name)


def report_titles(project: Project) -> dict[ReportFolder, str]:
    """Return all reports with their titles, latest first."""
    return {folder: report_title(project, folder) for folder in list_folders(project)}


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_title(path: Path, changed: int) -> str | None:
    content = read_content(path) or b""
    if path.suffix == ".md":
        heading = content[:1000].decode("utf-8", errors="replace").partition("\n")[0]
        return untranslated(heading[2:].strip()[:MAX_TITLE]) if heading.startswith("# ") else None
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        keys = json.loads(content)["experiment"]
        english, japanese = (str(keys.get(key) or "")[:MAX_TITLE] for key in ("title", "title_ja"))
        return bilingual(en=english, ja=japanese) if english or japanese else None
    return None


def read_content(path: Path) -> bytes | None:
    """Return a file's content, or None if it is missing, too large, a link or a special file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with contextlib.suppress(OSError), os.fdopen(os.open(path, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            return stream.read(MAX_BYTES)
    return None


GUIDE_PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}
main img {{ max-width: 100%; height: auto }} main pre {{ overflow-x: auto }}</style><main>{body}</main></html>
"""


def guide_page(path: Path, content: bytes, visitor: Visitor) -> bytes:
    """Return the guide as a page with inline pictures and no links to other files, which a sandbox cannot open."""
    from markdown_it import MarkdownIt

    def picture(match: re.Match[str]) -> str:
        picture_path = path.parent / "pictures" / (match[1] or "")
        data = None if not match[1] or picture_path.parent.is_symlink() else read_content(picture_path)
        return f'src="data:image/png;base64,{base64.b64encode(data).decode()}"' if data else 'src=""'

    text = re.sub(r"^\[\w+\]\([\w.-]+\)$", "", content.decode("utf-8", errors="replace"), flags=re.MULTILINE)
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    body = re.sub(r'<a href="[^"]*"[^>]*>(.*?)</a>', r"\1", body, flags=re.DOTALL)
    body = re.sub(r'src="(?:pictures/([\w.-]+)|[^"]*)"', picture, body)
    title = escape(visitor.translate(tr("How to read it")))
    page = GUIDE_PAGE.format(language=visitor.language, title=title, style=page_style(), body=body)
    return page.encode()


MAX_LINKED = 3
"""The most proposals that a report links to."""


@snapshot()
def next_steps(project: Project, name: str, visitor: Visitor) -> list[View]:
    """Return links from a report to the rules of its proposals and to its question, if its experiment file exists."""
    try:
        loaded = experiments.load_experiment(experiments.find_experiment(name, project), project)
    except InputError:
        return []
    rulesets = [] if loaded.levels else with_saved_titles(loaded.rulesets, project)
    links = [
        (
            tr("Rules: {title}", title=item.heading),
            f"/{'tried/rules' if is_tried(item.name) else 'edit'}/{quote(item.name)}",
        )
        for item in [ruleset for ruleset in rulesets if ruleset.name != loaded.baseline][:MAX_LINKED]
    ]
    if level_of(name) is not None:
        links.append((tr("Its question"), page_address(loaded, project)))
    return [{"text": visitor.translate(text), "url": url} for text, url in links]


def read_titles(path: Path) -> str | None:
    """Return the title of a file, even if the file has problems; None if it has no title."""
    return _read_titles(path, changed_at(path))


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_titles(path: Path, changed: float) -> str | None:
    # An open list of answers asks for all titles every few seconds.
    try:
        keys = yamlfile.read_yaml(path, []).plain()
    except InputError:
        return None
    english, japanese = (value if isinstance(value := keys.get(key), str) else "" for key in ("title", "title_ja"))
    return bilingual(en=english, ja=japanese) if english or japanese else None


def changed_at(path: Path) -> float:
    """Return the Unix time of a file's last change, or 0 if it does not exist."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
