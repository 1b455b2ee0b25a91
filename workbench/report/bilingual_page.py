"""A page for a folder of documents: Markdown in both languages, its tables, and its picture in both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from workbench.files import output
from workbench.language.text import LANGUAGES, Text
from workbench.report.model import SmallMultiples
from workbench.report.render import matplotlib as drawing

SUFFIXES = Text("", ".ja")
"""What stands before the ending of a file in each language."""


class BilingualPage(NamedTuple):
    """The files of a page."""

    stem: str
    tables: tuple[str, ...]
    """File names."""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all files: the English page first."""
        pictures = (f"{self.stem}{suffix}.{kind}" for suffix in SUFFIXES for kind in ("png", "svg"))
        return (*(f"{self.stem}{suffix}.md" for suffix in SUFFIXES), *self.tables, *pictures)

    def picture(self, said: Text) -> Text:
        """The line that shows the picture, which says so much to those who cannot see it."""
        return Text(*(f"![{words}]({self.stem}{suffix}.png)" for words, suffix in zip(said, SUFFIXES, strict=True)))

    def write(self, folder: output.Folder, page: Text, tables: Sequence[bytes], picture: SmallMultiples) -> list[Path]:
        """Writes all files, or none; returns them in the order of `files`."""
        with folder.transaction("Nothing in it was changed.") as stage:
            for name, table in zip(self.tables, tables, strict=True):
                output.write_file(stage / name, table)
            for lang, text, suffix in zip(LANGUAGES, page, SUFFIXES, strict=True):
                output.write_file(stage / f"{self.stem}{suffix}.md", text.encode())
                drawing.save(drawing.figure(picture, lang), stage / f"{self.stem}{suffix}")
        return [folder.path / name for name in self.files]
