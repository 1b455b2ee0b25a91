"""Reports and their charts as files: which there are, and reading one safely, whoever put it there.

A file is served only if it lies in the project's reports, under a name that reports have, and if no link leads to it.
What it holds is not trusted: `gate` sends it with a policy of its own, in a sandbox without an origin, where only the
script runs that reports of this version have.
"""

from __future__ import annotations

import functools
import io
import json
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import escape

from workbench.files.project import Project
from workbench.language import given, verbatim
from workbench.report.render.html import script_element
from workbench.store import provenance
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

PAGE = "report.html"
GUIDE = re.compile(r"how-to-read(\.ja)?\.md")
CHART = re.compile(r"\w[\w.-]{0,99}\.(png|svg)")
TYPES = {
    "html": "text/html; charset=utf-8",
    "md": "text/plain; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
}
MAX_BYTES = 200_000_000
"""Bytes of a file that is served."""
MAX_FOLDERS, MAX_DEPTH = 2_000, 5
"""Ladders lie four folders deep: ``ladders/<game>/<ruleset>/<players>``."""
MAX_TITLE = 300
WIDTH = 480
"""Pixels of a chart in the gallery, twice what is shown."""
MAX_CACHED = 400
"""Small charts that are kept in memory, of some 20 kB each."""


@dataclass(frozen=True)
class ReportFolder:
    """A folder of reports."""

    name: str
    """Its path within the reports."""
    page: bool
    """Whether there is a report to open."""
    games: bool
    """Whether there are records of games."""
    charts: tuple[tuple[str, int], ...]
    """The names of its charts, each with what changes when the file does."""
    touched: float
    """When the report or its newest chart was written, in seconds since 1970."""


def list_folders(project: Project) -> list[ReportFolder]:
    """All folders with a report or charts, those that were written last first."""
    found = []
    for path in _walk(project.reports, 0):
        page, charts, touched = False, {}, 0.0
        try:
            entries = [(one.name, one.stat(follow_symlinks=False)) for one in os.scandir(path) if not one.is_symlink()]
        except OSError:
            continue
        for name, about in entries:
            if not stat.S_ISREG(about.st_mode) or not (name == PAGE or CHART.fullmatch(name)):
                continue
            touched = max(touched, about.st_mtime)
            if name == PAGE:
                page = True
            elif not name.endswith(".svg") or name.removesuffix(".svg") + ".png" not in dict(entries):
                charts[name] = about.st_mtime_ns
        if page or charts:
            name = path.relative_to(project.reports).as_posix()
            games = any(entry == provenance.FILE for entry, _ in entries)
            found.append(ReportFolder(name, page, games, tuple(sorted(charts.items())), touched))
        if len(found) >= MAX_FOLDERS:
            break
    return sorted(found, key=lambda one: (-one.touched, one.name))


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        names = sorted(one.name for one in os.scandir(folder) if one.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        if not name.startswith(".") and name not in ("tables", "blocks"):
            yield folder / name
            if depth < MAX_DEPTH:
                yield from _walk(folder / name, depth + 1)


def folder_with_games(project: Project, name: str) -> Path | None:
    """The folder of a name within the reports, if a run has written it and no link leads to it."""
    path = resolve_address(project, f"{name}/{PAGE}", there=False)
    return path.parent if path and (path.parent / provenance.FILE).is_file() else None


def resolve_address(project: Project, address: str, there: bool = True) -> Path | None:
    """The file of an address within the reports; None if nothing may be served there.

    It need not be ``there`` yet.
    """
    parts = address.split("/")
    name = parts[-1]
    guide = len(parts) == 1 and GUIDE.fullmatch(name)
    served = guide or (len(parts) > 1 and (name == PAGE or CHART.fullmatch(name)))
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


@functools.lru_cache(maxsize=MAX_FOLDERS)
def _read_title(path: Path, changed: int) -> str | None:
    whole = read_content(path) or b""
    if path.suffix == ".md":
        first = whole[:1000].decode("utf-8", errors="replace").partition("\n")[0]
        return verbatim(first[2:].strip()[:MAX_TITLE]) if first.startswith("# ") else None
    try:
        said = json.loads(whole)["experiment"]
        english, japanese = (str(said.get(key) or "")[:MAX_TITLE] for key in ("title", "title_ja"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return given(en=english, ja=japanese) if english or japanese else None


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


def adapt_page(page: bytes, visitor: Visitor) -> bytes:
    """A report in the language and the colours of who reads it, as far as it follows its reader.

    The link to the guide, which a sandbox cannot follow, goes; the studio has one beside the report. A page whose
    script is not ours, and does not run, says so.
    """
    if f'<script type="module">{script_element()}</script>'.encode() not in page:
        why = escape(visitor.translate(WORDS["script_of_others"]))
        page = page.replace(b"<main>", f'<main><p class="note" role="note">{why}</p>'.encode(), 1)
    page = re.sub(rb'<html lang="\w+"( data-follow)?>', f'<html lang="{visitor.language}">'.encode(), page, count=1)
    page = re.sub(rb'<span lang="(en|ja)"><a href="\.\./how-to-read[\w.]*">[^<]*</a></span>', b"", page)
    if visitor.dark is not None:
        always, never = b"(min-width: 0)", b"not all"
        page = page.replace(b"(prefers-color-scheme: dark)", always if visitor.dark else never)
    return page


_thumbnails: OrderedDict[tuple[str, int], bytes | None] = OrderedDict()


def thumbnail(path: Path, changed: int) -> bytes | None:
    """A chart, small enough for a gallery, as PNG; None if it cannot be drawn."""
    key = (str(path), changed)
    if key not in _thumbnails:
        _thumbnails[key] = _draw_thumbnail(path)
        while len(_thumbnails) > MAX_CACHED:
            _thumbnails.popitem(last=False)
    _thumbnails.move_to_end(key)
    return _thumbnails[key]


def _draw_thumbnail(path: Path) -> bytes | None:
    import warnings

    from PIL import Image

    whole = read_content(path)
    if whole is None:
        return None
    try:
        with warnings.catch_warnings():
            # What unpacks to far more than a chart does is refused.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(whole), formats=["PNG"]) as picture:
                picture.thumbnail((WIDTH, WIDTH))
                paper = Image.new("RGBA", picture.size, "white")
                paper.alpha_composite(picture.convert("RGBA"))
                stream = io.BytesIO()
                paper.convert("RGB").quantize(64).save(stream, "PNG", optimize=True)
                return stream.getvalue()
    except (OSError, ValueError, SyntaxError, MemoryError, Warning, Image.DecompressionBombError):
        return None
