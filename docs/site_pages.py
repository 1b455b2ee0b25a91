"""A hook of MkDocs: the site has the folders of the repository, so that the links of its pages lead where they say.

Pages of ``docs/`` stand in the site's ``docs/``. With them come the front pages and the guides to reports, and every
file that one of the pages links to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "README.ja.md", "CHANGELOG.md", "CONTRIBUTING.md",
         "reports/how-to-read.md", "reports/how-to-read.ja.md")  # fmt: skip


@event_priority(100)  # before the plugin that makes pages of notebooks
def on_files(files: Files, *, config: Any) -> Files:
    """The files of the site."""
    own = [file for file in files if file.src_dir == config.docs_dir]
    for file in own:
        files.remove(file)
    waiting = [*PAGES, *(f"docs/{file.src_uri}" for file in own if not file.src_uri.endswith(".py"))]
    paths: set[str] = set()
    while waiting:
        paths.add(path := waiting.pop())
        if path.endswith(".md"):
            waiting += set(_linked(ROOT / path)) - paths
    for path in sorted(paths):
        files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def _linked(page: Path) -> Iterator[str]:
    """The files of the repository that a page links to."""
    for target in re.findall(r"\]\((?![a-z]+:)([^)#\s]+)", page.read_text(encoding="utf-8")):
        linked = (page.parent / target).resolve()
        if linked.is_file() and linked.is_relative_to(ROOT):
            yield linked.relative_to(ROOT).as_posix()
