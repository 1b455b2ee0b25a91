"""Files of experiments and searches that are edited as texts: as they were left, and how they are saved.

As with rulesets (`drafts`), the text is the one truth: what is ticked on a page changes the text as a person would, and
all that the page shows is read from the text by the same checks as the command line has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from workbench.errors import InputError, Problem, display_path
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.language import given, tr
from workbench.questions import edits
from workbench.questions.keys import without_groups
from workbench.studio.drafts import file_text, require_inside, write_named
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


ReadingType = TypeVar("ReadingType", bound=Reading)


@dataclass(frozen=True)
class Files(Generic[ReadingType]):
    """A kind of files that are edited as texts."""

    kind: Kind
    unnamed: str
    """What a new one is called until it has a name."""
    keys: Collection[str]
    """The keys of a file, in their order."""
    names: Callable[[Project], Collection[str]]
    path: Callable[[Project, str], Path]
    """The file of a name, whether it is there or not."""
    new_path: Callable[[str, Project], Path]
    """Where a file is written that is to have a name that was typed; raises `InputError`."""
    is_shipped: Callable[[str], bool]
    """Whether a file of this name came with the workbench."""
    load: Callable[[Path, Project, str], Any]
    reading: Callable[[Mapping[str, Any], tuple[Problem, ...], Any], ReadingType]

    @snapshot()
    def read(self, path: Path, project: Project, text: str) -> ReadingType:
        """What a text means as a file."""
        said: Mapping[str, Any] = {}
        try:
            said = yamlfile.parse_yaml(text, display_path(path), []).plain()
            loaded = self.load(path, project, text)
        except InputError as error:
            return self.reading(said, tuple(dict.fromkeys(error.problems)), None)
        return self.reading(said, (), loaded)

    def preceding_keys(self, key: str) -> list[str]:
        """The keys behind which a file has a key, nearest first."""
        order = list(self.keys)
        return order[: order.index(key)][::-1]


@dataclass(kw_only=True)
class Sheet(History, Generic[ReadingType]):
    """The text of a file and its history."""

    files: ClassVar[Files[Any]]
    project: Project
    name: str
    """The stem of the file; a name that none has where there is no file yet."""
    new: bool
    """Whether there is no file yet."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.files.path(self.project, self.name)

    @property
    def shipped(self) -> bool:
        """Whether the file came with the workbench."""
        return not self.new and self.files.is_shipped(self.name)

    def read(self) -> ReadingType:
        """What the text means now, with the rulesets as they are on disk now."""
        meaning: ReadingType = self.files.read(self.path, self.project, self.text)
        return meaning

    def set_title(self, title: str, japanese: bool) -> None:
        """Sets the title in one of the languages."""
        words = " ".join(title.split())
        quoted = json.dumps(words, ensure_ascii=False) if words else None
        self.write(edits.set_value(self.text, "title_ja" if japanese else "title", quoted, ("title", "title_ja")))


SheetType = TypeVar("SheetType", bound=Sheet[Any])


class Sheets(Generic[SheetType]):
    """The sheets of one project, each as it was left, if need be in an earlier studio."""

    sheet_type: type[SheetType]

    def __init__(self, project: Project, unsaved: Unsaved) -> None:
        self.project, self.unsaved, self.files = project, unsaved, self.sheet_type.files
        self._kept: dict[str, SheetType] = {}
        """By the name of the file; "" for the new one."""

    def sheet(self, name: str) -> SheetType:
        """The sheet of a file, as it was left.

        Raises:
            InputError: there is no such file, or it cannot be read.
        """
        path = self.files.path(self.project, name)
        if name not in self.files.names(self.project):
            raise InputError.of(tr("there is no such file"), file=display_path(path))
        require_inside(self.project, path)
        kept = self._kept.get(name)
        if kept is not None and kept.dirty:
            return kept
        text = file_text(path)
        if kept is None or kept.saved != text:
            sheet = self._kept[name] = self.sheet_type(text, project=self.project, name=name, new=False)
            if kept is None:
                sheet.resume(self.unsaved.load(self.files.kind, _sheet_key(sheet)))
            return sheet
        return kept

    def resumed(self, blank: str) -> SheetType:
        """The new sheet as it was left, or as ``blank`` has it."""
        kept = self._kept.get("")
        name = edits.unused_name([self.files.unnamed], self.files.names(self.project))
        sheet = self.sheet_type(blank, project=self.project, name=name, new=True)
        if kept is None:
            sheet.resume(self.unsaved.load(self.files.kind, _sheet_key(sheet)))
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
        self.unsaved.store(self.files.kind, _sheet_key(sheet), sheet.as_json())

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
        path = sheet.path if own and not self.project.shipped else self.files.new_path(name, self.project)
        if problems := self.files.read(path, self.project, sheet.text).problems:
            raise InputError(problems)
        self.project.require_place(path)
        write_named(path, sheet.text, replace, self.files.is_shipped(path.stem), sheet.saved if own else None)
        if own:
            sheet.saved = sheet.text
        for name in {path.stem, "" if sheet.new else sheet.name}:
            self._kept.pop(name, None)
            self.unsaved.store(self.files.kind, name, None)
        return path.stem


def _sheet_key(sheet: Sheet[Any]) -> str:
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
