"""Files of experiments and searches that are edited as texts: as they were left, and how they are saved.

As with rulesets (`drafts`), the text is the one truth: what is ticked on a page changes the text as a person would, and
all that the page shows is read from the text by the same checks as the command line has.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.errors import InputError, Problem, display_path
from workbench.files import output, yamlfile
from workbench.files.project import Project
from workbench.language import given, tr
from workbench.questions import edits
from workbench.questions.keys import without_groups
from workbench.studio.drafts import NameTaken, ShippedName, holds_text
from workbench.studio.history import History, Kind, Unsaved


@dataclass(frozen=True)
class Reading:
    """What the text of a file means."""

    said: Mapping[str, Any]
    """The keys of the text as plain values, as far as it can be understood."""
    problems: tuple[Problem, ...]

    @property
    def title(self) -> str:
        """What the file calls itself, in both languages; "" if it says nothing."""
        return given(en=plain_word(self.said.get("title")), ja=plain_word(self.said.get("title_ja")))


@dataclass(kw_only=True)
class Sheet(History, ABC):
    """The text of a file and its history."""

    project: Project
    name: str
    """The stem of the file; a name that none has where there is no file yet."""
    new: bool
    """Whether there is no file yet."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """The file."""

    @abstractmethod
    def read(self) -> Reading:
        """What the text means now, with the rulesets as they are on disk now."""

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages."""
        words = " ".join(title.split())
        quoted = json.dumps(words, ensure_ascii=False) if words else None
        self.write(edits.set_value(self.text, "title_ja" if japanese else "title", quoted, ("title", "title_ja")))


SheetType = TypeVar("SheetType", bound=Sheet)


class Sheets(ABC, Generic[SheetType]):
    """The sheets of one project, each as it was left, if need be in an earlier studio."""

    kind: Kind
    unnamed: str
    """What a new one is called until it has a name."""

    def __init__(self, project: Project, unsaved: Unsaved) -> None:
        self.project, self.unsaved = project, unsaved
        self._kept: dict[str, SheetType] = {}
        """By the name of the file; "" for the new one."""

    @abstractmethod
    def names(self) -> Collection[str]:
        """The names that files of the kind have."""

    @abstractmethod
    def path(self, name: str) -> Path:
        """The file of a name, whether it is there or not."""

    @abstractmethod
    def new_path(self, name: str) -> Path:
        """Where a file is written that is to have a name that was typed.

        Raises:
            InputError: the name cannot be used, or the project is not the user's own.
        """

    @abstractmethod
    def is_shipped(self, name: str) -> bool:
        """Whether a file of this name came with the workbench."""

    @abstractmethod
    def read(self, path: Path, text: str) -> Reading:
        """What a text means as a file."""

    @abstractmethod
    def make(self, text: str, name: str, new: bool) -> SheetType:
        """A sheet with a text."""

    def sheet(self, name: str) -> SheetType:
        """The sheet of a file, as it was left.

        Raises:
            InputError: there is no such file, or it cannot be read.
        """
        path = self.path(name)
        if name not in self.names():
            raise InputError([Problem(display_path(path), None, None, tr("there is no such file"))])
        if not self.project.contains(path):
            message = tr("expected a file inside the project folder, found a link that leads out of it")
            raise InputError([Problem(display_path(path), None, None, message, tr("copy the file into the project"))])
        kept = self._kept.get(name)
        if kept is not None and kept.dirty:
            return kept
        text = yamlfile.read_small_file(path, "YAML file").decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        if kept is None or kept.saved != text:
            sheet = self._kept[name] = self.make(text, name, new=False)
            if kept is None:
                sheet.resume(self.unsaved.load(self.kind, _sheet_key(sheet)))
            return sheet
        return kept

    def resumed(self, blank: str) -> SheetType:
        """The new sheet as it was left, or as ``blank`` has it."""
        kept = self._kept.get("")
        sheet = self.make(blank, self._unused(), new=True)
        if kept is None:
            sheet.resume(self.unsaved.load(self.kind, _sheet_key(sheet)))
        elif kept.dirty:
            sheet = kept
        self._kept[""] = sheet
        return sheet

    def replace_text(self, sheet: SheetType, text: str) -> None:
        """Begins a new sheet anew with a text; what was there before can be had again by a step back."""
        replaces = sheet.dirty
        sheet.step(text)
        if replaces:
            self.save_sheet_draft(sheet)

    def save_sheet_draft(self, sheet: SheetType) -> None:
        """Saves a sheet, so that the next studio has it, too."""
        self.unsaved.store(self.kind, _sheet_key(sheet), sheet.as_json())

    def _unused(self) -> str:
        """A name that no file has."""
        known = set(self.names())
        number = 1
        while (name := f"{self.unnamed}{f'-{number}' if number > 1 else ''}") in known:
            number += 1
        return name

    def save(self, sheet: SheetType, name: str, replace: bool) -> str:
        """Writes a sheet as the file of a name, whole or not at all; returns the name.

        ``replace``: the user has said that a file which is there already may be replaced.

        Raises:
            NameTaken: there is such a file, and nobody said that it may be replaced; or it has changed meanwhile.
            ShippedName: it came with the workbench.
            InputError: the name cannot be used, or the text has problems.
            Unwritable: the disk is full, say.
        """
        own = not sheet.new and name == sheet.name
        path = sheet.path if own and not self.project.shipped else self.new_path(name)
        if problems := self.read(path, sheet.text).problems:
            raise InputError(problems)
        self.project.require_place(path)
        there = os.path.lexists(path)
        if there and not replace and self.is_shipped(path.stem):
            raise ShippedName
        if there and not replace and not (own and holds_text(path, sheet.saved)):
            raise NameTaken
        content = sheet.text if sheet.text.endswith("\n") else f"{sheet.text}\n"
        try:
            output.write_file(output.make_folder(path.parent) / path.name, content.encode(), new=not there)
        except InputError:
            if replace or not os.path.lexists(path) or path.is_symlink() or path.parent.is_symlink():
                raise
            raise NameTaken from None  # somebody else was faster
        if own:
            sheet.saved = sheet.text
        for name in {path.stem, "" if sheet.new else sheet.name}:
            self._kept.pop(name, None)
            self.unsaved.store(self.kind, name, None)
        return path.stem


def _sheet_key(sheet: Sheet) -> str:
    return "" if sheet.new else sheet.name


def plain_item(written: str) -> str:
    """The word that an item of a list is; its text if it is no word."""
    try:
        node = yamlfile.parse_yaml(f"x: {written}", "").descendant("x")
    except InputError:
        return written
    return node.text if node.is_scalar else written


def plain_word(value: Any) -> str:
    """What a file says for a word; "" if it is none."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def plain_number(value: Any) -> float | None:
    """The number that a file says; None if it says none."""
    value = without_groups(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def quoted(word: str) -> str:
    """A word as YAML writes it."""
    plain = re.fullmatch(r"\w[\w./+-]*", word) and isinstance(yamlfile.parse_scalar(word), str)
    return word if plain else json.dumps(word, ensure_ascii=False)
