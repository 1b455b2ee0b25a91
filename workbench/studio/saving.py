"""Rulesets that were made on the page become files: whole or not at all, in the project's folder of rulesets only."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import InputError, Problem
from workbench.files import output
from workbench.files import project as projects
from workbench.language import tr
from workbench.questions import workspace
from workbench.questions.ruleset_texts import read_ruleset_text
from workbench.studio.drafts import Draft, is_shipped


class NameTaken(Exception):
    """There is another file of this name, or its content has changed since it was opened; nothing was written."""


class ShippedName(NameTaken):
    """The file came with the workbench; nothing was written."""


def resolve_name(draft: Draft, name: str) -> tuple[str, Path]:
    """The full name of a ruleset that is to be saved under a name that somebody typed, and its file.

    Raises:
        InputError: the name cannot be used, or the text would not be a ruleset under it; all problems.
    """
    path = workspace.ruleset_path(name.strip(), draft.game, draft.project)
    full = f"{draft.game}/{path.stem}"
    own = draft.read().file
    if any(one.name == full for one in own.ancestry if one is not own):
        message = tr("Rules cannot be saved under the name of rules that they extend.")
        raise InputError([Problem("", None, None, message, tr("choose another name"))])
    if problems := read_ruleset_text(draft.project, full, draft.text).problems:
        raise InputError(problems)
    return full, path


def save_ruleset(draft: Draft, name: str, replace: bool) -> str:
    """Writes a draft as the ruleset of a name; returns the full name.

    ``replace``: the user has said that a file which is there already may be replaced.

    Raises:
        NameTaken: there is such a file, and nobody said that it may be replaced.
        ShippedName: it came with the workbench, even if these are its own rules.
        InputError: the name cannot be used, or the text has problems.
        Unwritable: the disk is full, say.
    """
    full, path = resolve_name(draft, name)
    draft.project.require_place(path)
    content = draft.text if draft.text.endswith("\n") else f"{draft.text}\n"
    own = draft.kind == "file" and full == draft.name
    if os.path.lexists(path) and not replace and is_shipped(full):
        raise ShippedName
    if os.path.lexists(path) and not replace and not (own and holds_text(path, draft.saved)):
        raise NameTaken
    try:
        output.write_file(output.make_folder(path.parent) / path.name, content.encode(), new=not os.path.lexists(path))
    except InputError:
        if replace or not os.path.lexists(path) or path.is_symlink() or path.parent.is_symlink():
            raise
        raise NameTaken from None  # somebody else was faster
    if own:
        draft.saved = draft.text
    return full


def is_shipped_experiment(name: str) -> bool:
    """Whether an experiment of this name came with the workbench."""
    return (projects.shipped_project().experiments / f"{name}.yaml").is_file()


def holds_text(path: Path, text: str) -> bool:
    """Whether a file still holds a text."""
    try:
        return path.is_file() and path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n") == text
    except OSError:
        return False
