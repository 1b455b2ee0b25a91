"""The game that `docs/new-game.md` builds, taken from the page's own text, and a user of its own for its commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "new-game.md"
FAMILY = "games/hexapawn"


class Block(NamedTuple):
    kind: str
    """``sh``, ``text``, or the language of a file."""
    content: str

    @property
    def file(self) -> str:
        """The file that it is, by its first line; "" if it is none."""
        named = re.match(r"# ([\w./-]+)\n", self.content)
        return named[1] if named and self.kind not in ("sh", "text") else ""


def blocks(page: Path = PAGE) -> list[Block]:
    return [Block(*found) for found in re.findall(r"```(\w+)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)]


def write(block: Block, project: Path) -> None:
    path = project / block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.content, encoding="utf-8")


def project(folder: Path, page: Path = PAGE) -> Path:
    """A folder that holds all files of a page but a package's."""
    for block in blocks(page):
        if block.file and block.kind != "toml":
            write(block, folder)
    return folder


class User:
    """Somebody with a configuration folder of his own, who has trusted nothing yet."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {key: value for key, value in os.environ.items() if key != "WORKBENCH_TRUST"}
        self.environment |= {"XDG_CONFIG_HOME": str(home), "HOME": str(home), "APPDATA": str(home)}
        self.environment |= {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        # The machine code of the games is that of the whole run of tests.
        if "NUMBA_CACHE_DIR" not in os.environ:
            from workbench.engine import jit

            self.environment["NUMBA_CACHE_DIR"] = str(jit.cache_root())

    def run(self, *words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "workbench", *words, folder=folder, **more)

    def python(self, *words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *words], cwd=folder, env=self.environment | more, capture_output=True,
                              text=True, encoding="utf-8", check=False)  # fmt: skip
