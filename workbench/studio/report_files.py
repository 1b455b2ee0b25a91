"""Reports as files: which there are, what each says in short, and reading one safely, whoever put it there.

A file is served only if it lies in the project's reports, under a name that reports have, and if no link leads to it.
What it holds is not trusted: `gate` sends it with a policy of its own, in a sandbox without an origin, where only the
script runs that reports of this version have.
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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import escape

from workbench.base import yamlfile
from workbench.base.errors import InputError
from workbench.base.language import LANGUAGES, bilingual, tr, trc, untranslated
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment as experiments
from workbench.records import provenance
from workbench.records.records import TRIALS
from workbench.report.render.documents import page_style, script_element
from workbench.rules.rulesets import Ruleset, is_tried, with_saved_titles
from workbench.studio.visitor import Visitor

PAGE = "report.html"
GUIDE = re.compile(r"how-to-read(\.ja)?\.md")
TYPES = {"html": "text/html; charset=utf-8", "md": "text/html; charset=utf-8"}
MAX_BYTES = 200_000_000
"""Bytes of a file that is served."""
MAX_FOLDERS, MAX_DEPTH = 2_000, 5
"""Ladders lie four folders deep: ``ladders/<game>/<ruleset>/<players>``."""
MAX_TITLE = 300
WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, RecursionError, OSError)
"""What reading a file that is no run's may raise."""
MAX_ANSWER, MAX_BARS = 600, 8
"""Letters of an answer, and rulesets of the small chart beside it."""
LEAD = re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)


@dataclass(frozen=True)
class ReportFolder:
    """A folder with a report."""

    name: str
    """Its path within the reports."""
    games: bool
    """Whether there are records of games."""
    touched: float
    """When the report was written, in seconds since 1970."""


Bar = tuple[str, float, float, float, str]
"""The title of a ruleset, a score, the ends of its interval, and how sure it is that it brings what was asked."""


@dataclass(frozen=True)
class Glance:
    """What a report says in short; empty where it does not say it."""

    answer: str
    players: tuple[str, ...]
    bars: tuple[Bar, ...]
    """For some rulesets what the first player scores between the strongest players, with its interval."""


UNREAD = Glance("", (), ())


def list_folders(project: Project) -> list[ReportFolder]:
    """All folders with a report, those that were written last first."""
    found = []
    for path in _walk(project.reports, 0):
        try:
            about = (path / PAGE).lstat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            name = path.relative_to(project.reports).as_posix()
            found.append(ReportFolder(name, (path / provenance.FILE).is_file(), about.st_mtime))
        if len(found) >= MAX_FOLDERS:
            break
    return sorted(found, key=lambda one: (-one.touched, one.name))


def read_glances(reports: Path, folders: list[ReportFolder]) -> list[Glance]:
    """What each report says in short; it takes a while the first time."""
    return [_read_glance(reports / one.name, one.touched) for one in folders]


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_glance(folder: Path, touched: float) -> Glance:
    answer = read_answer(folder, touched)
    try:
        players, bars = _read_numbers(folder)
    except (*WRONG, InputError, csv.Error):
        players, bars = (), ()
    return Glance(answer, players, bars)


@functools.lru_cache(maxsize=MAX_FOLDERS)
def read_answer(folder: Path, touched: float) -> str:
    """What the report of a folder answers in a sentence."""
    page = (read_content(folder / PAGE) or b"").decode("utf-8", errors="replace")
    lead = LEAD.search(page)
    return bilingual(**{lang: _in_language(lead[1], lang) for lang in LANGUAGES}) if lead else untranslated("")


def _in_language(markup: str, language: str) -> str:
    others = "|".join(each for each in LANGUAGES if each != language)
    text = re.sub(rf'<span lang="(?:{others})">.*?</span>', "", markup, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()[:MAX_ANSWER]


def _read_numbers(folder: Path) -> tuple[tuple[str, ...], tuple[Bar, ...]]:
    """Who played, and the first player's scores between the strongest of them."""
    from workbench.report.labels import pairing_label
    from workbench.report.names import Names
    from workbench.report.reading import checked_provenance
    from workbench.report.verdicts import SIDES, SILENT, certainty, likely_more
    from workbench.statistics import AnalysisPlan
    from workbench.statistics.overview import silent_proposals

    with checked_provenance(folder) as run:
        plan = AnalysisPlan.from_provenance(run)
        names, asked = Names(plan), plan.question_measure
        players = tuple(pairing_label(*each) for each in plan.pairings)

    def rows(table: str, players: tuple[str, str] = names.strongest) -> Iterator[dict[str, str]]:
        text = (read_content(folder / table) or b"").decode("utf-8")
        return (row for row in csv.DictReader(io.StringIO(text)) if (row["first"], row["second"]) == players)

    sure = {
        row["ruleset"]: certainty(likely_more(row, asked), SIDES.get(row["verdict"], ""), names.words)[0]
        for row in rows("tables/comparisons.csv")
        if row["measure"] == asked.name and row["difference"]
    } | ({plan.baseline: trc("shelf words", "baseline")} if plan.baseline else {})
    warned = rows("tables/warnings.csv", ("", ""))
    idle = ((row["ruleset"], row["subject"]) for row in warned if row["code"] == "toggle_never_fired")
    sure |= dict.fromkeys(silent_proposals(idle, plan), SILENT)
    scores: list[Bar] = []
    for row in rows("summary.csv"):
        if row["first_score"]:
            value, low, high = (float(row[f"first_score{end}"]) for end in ("", "_low", "_high"))
            title = plan.ruleset(row["ruleset"]).heading or names.short(row["ruleset"])
            scores.append((title, value, low, high, sure.get(row["ruleset"], "")))
    return players, tuple(scores[:MAX_BARS])


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        names = sorted(one.name for one in os.scandir(folder) if one.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        if not name.startswith(".") and name not in ("tables", TRIALS):
            yield folder / name
            if depth < MAX_DEPTH:
                yield from _walk(folder / name, depth + 1)


def folder_with_games(project: Project, name: str) -> Path | None:
    """Return the folder of a name within the reports, if a run has written it and no link leads to it."""
    path = resolve_address(project, f"{name}/{PAGE}", there=False)
    return path.parent if path and (path.parent / provenance.FILE).is_file() else None


def resolve_address(project: Project, address: str, there: bool = True) -> Path | None:
    """Return the file of an address within the reports; None if nothing may be served there.

    It need not be ``there`` yet.
    """
    parts = address.split("/")
    name = parts[-1]
    guide = len(parts) == 1 and GUIDE.fullmatch(name)
    served = guide or (len(parts) > 1 and name == PAGE)
    if not served or len(parts) > MAX_DEPTH + 3:
        return None
    path = project.reports
    for part in parts:
        if part in ("", ".", "..") or part.startswith(".") or re.search(r"[\\\x00-\x1f]", part):
            return None
        path = path / part
        if path.is_symlink():
            return None
    inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project.reports))
    return path if inside and (path.is_file() or not there) else None


def folder_title(folder: Path) -> str | None:
    """What the run of a folder was about, or what its report says in its first line; None if nothing says it."""
    for name in (provenance.FILE, "report.md"):
        path = folder / name
        try:
            about = path.lstat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode) and (said := _read_title(path, about.st_mtime_ns)):
            return said
    return None


def title_of(project: Project, folder: ReportFolder) -> str:
    """Return the title of a report, or else its name."""
    return folder_title(project.reports / folder.name) or untranslated(folder.name)


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_title(path: Path, changed: int) -> str | None:
    whole = read_content(path) or b""
    if path.suffix == ".md":
        first = whole[:1000].decode("utf-8", errors="replace").partition("\n")[0]
        return untranslated(first[2:].strip()[:MAX_TITLE]) if first.startswith("# ") else None
    try:
        said = json.loads(whole)["experiment"]
        english, japanese = (str(said.get(key) or "")[:MAX_TITLE] for key in ("title", "title_ja"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return bilingual(en=english, ja=japanese) if english or japanese else None


def read_content(path: Path) -> bytes | None:
    """What a file holds; None if it is gone, too large, a link or no file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_BYTES:
                return None
            return stream.read(MAX_BYTES)
    except OSError:
        return None


SCRIPT_OF_OTHERS = tr(
    "This report was written by another version of the workbench, or by somebody else. The studio does not run its "
    "script, so replays and switches stand still; workbench report writes the page anew."
)
GUIDE_PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}
main img {{ max-width: 100%; height: auto }} main pre {{ overflow-x: auto }}</style><main>{body}</main></html>
"""


def guide_page(path: Path, content: bytes, visitor: Visitor) -> bytes:
    """The guide as a page, with its pictures within it; without links to other files, which a sandbox cannot follow."""
    from markdown_it import MarkdownIt

    def picture(found: re.Match[str]) -> str:
        place = path.parent / "pictures" / found[1]
        holds = None if place.parent.is_symlink() else read_content(place)
        return f'src="data:image/png;base64,{base64.b64encode(holds).decode()}"' if holds else 'src=""'

    text = re.sub(r"^\[\w+\]\([\w.-]+\)$", "", content.decode("utf-8", errors="replace"), flags=re.MULTILINE)
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    body = re.sub(r'<a href="[^"]*"[^>]*>(.*?)</a>', r"\1", body, flags=re.DOTALL)
    body = re.sub(r'src="(?:pictures/([\w.-]+)|[^"]*)"', lambda found: picture(found) if found[1] else 'src=""', body)
    title = escape(visitor.translate(tr("How to read it")))
    page = GUIDE_PAGE.format(language=visitor.language, title=title, style=page_style(), body=body)
    return _in_colours(page.encode(), visitor)


def adapt_page(page: bytes, visitor: Visitor) -> bytes:
    """Return a report in the language and the colours of who reads it, as far as it follows its reader.

    The link to the guide, which a sandbox cannot follow, goes, and so do commands; the studio has both beside it. A
    page whose script is not ours, and does not run, says so.
    """
    if f'<script type="module">{script_element()}</script>'.encode() not in page:
        why = escape(visitor.translate(SCRIPT_OF_OTHERS))
        page = page.replace(b"<main>", f'<main><p class="note" role="note">{why}</p>'.encode(), 1)
    page = re.sub(rb'<html lang="\w+"( data-follow)?>', f'<html lang="{visitor.language}">'.encode(), page, count=1)
    page = re.sub(rb'<p class="command">.*?</p>', b"", page)
    page = re.sub(rb'<span lang="(en|ja)"><a href="\.\./how-to-read[\w.]*">[^<]*</a></span>', b"", page)
    return _in_colours(page, visitor)


def _in_colours(page: bytes, visitor: Visitor) -> bytes:
    """Return a page in the colours of who reads it."""
    if visitor.dark is None:
        return page
    return page.replace(b"(prefers-color-scheme: dark)", b"(min-width: 0)" if visitor.dark else b"not all")


MOST_PLAYED = 3
"""Proposals that each have a link to be played."""
ASKS_STRONG = b'<p class="command">'
"""What a report has whose players cannot tell what strong play says."""


@snapshot()
def next_steps(project: Project, name: str, visitor: Visitor) -> list[dict[str, Any]]:
    """Return the links of the report of a name, as far as its experiment still has a file."""
    try:
        asked = experiments.load_experiment(experiments.find_experiment(name, project), project)
    except InputError:
        return []
    page = read_content(project.reports / name / PAGE) or b""
    called = with_saved_titles(asked.rulesets, project)
    proposals = [one for one in called if one.name != asked.baseline][:MOST_PLAYED] if not asked.levels else []
    ways = [("play", _play_text(one, len(proposals)), _rules_address("play", one)) for one in proposals]
    # Those that were saved meanwhile have the label of their file.
    unsaved = [one for one in proposals if is_tried(one.name) and not one.label]
    ways += [("save", tr("Save the proposal…"), f"{_rules_address('rules', one)}#save") for one in unsaved]
    ways.append(("games", tr("More games…"), f"/experiment/{quote(name, safe='')}#games"))
    if ASKS_STRONG in page:
        ways.append(("strong", tr("Ask strong players…"), f"/new-experiment?{urlencode({'like': name})}"))
    return [{"does": does, "text": visitor.translate(text), "url": url} for does, text, url in ways]


def _play_text(ruleset: Ruleset, proposals: int) -> str:
    return tr("Play these rules") if proposals == 1 else tr("Play: {title}", title=ruleset.heading)


def _rules_address(area: str, ruleset: Ruleset) -> str:
    if is_tried(ruleset.name):
        return f"/tried/{area}/{quote(ruleset.name)}"
    return f"/{area}/file/{quote(ruleset.name)}"


def read_titles(path: Path) -> str | None:
    """What a file calls itself, though it may be wrong otherwise."""
    try:
        said = yamlfile.read_yaml(path, []).plain()
    except InputError:
        return None
    english, japanese = (said.get(key) for key in ("title", "title_ja"))
    words = [each if isinstance(each, str) else "" for each in (english, japanese)]
    return bilingual(en=words[0], ja=words[1]) if any(words) else None


def change_stamp(paths: Iterable[Path]) -> tuple[int, int, int]:
    """What changes when one of some files does."""
    count = newest = size = 0
    for path in paths:
        with contextlib.suppress(OSError):
            about = path.stat()
            count, newest, size = count + 1, max(newest, about.st_mtime_ns), size + about.st_size
    return count, newest, size


def changed_at(path: Path) -> float:
    """When a file was written last, in seconds since 1970; 0 if it is not there."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
