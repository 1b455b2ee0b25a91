"""How a run ends before its end: each error says why, what is kept, and how to go on."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from workbench.base import output
from workbench.base.errors import BAD_INPUT, FAILED, INTERRUPTED, WorkbenchError, display_path
from workbench.base.language import join, tr
from workbench.records import records


class Stopped(WorkbenchError):
    """A run that did not reach its end; its text tells the user why and what to do."""

    exit_code = FAILED


class FolderMismatch(Stopped):
    """The folder holds the games of another question than the one that is asked."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, differences: Sequence[str], command: str = "") -> None:
        """Keeps ``differences``, one line for each thing that is not the same; ``command`` would ask it again."""
        self.folder = folder
        self.differences = tuple(differences)
        lines = join("\n", (join("  ", ("", line)) for line in differences))
        text = tr("{folder} holds the games of another question:\n{lines}", folder=folder, lines=lines)
        how = tr("A folder has one question. Undo the change, or begin anew with --fresh.")
        if command:
            place = folder.absolute()
            other = next(path for n in itertools.count(2) if not (path := Path(f"{place}-{n}")).exists())
            how = tr(
                "A folder has one question. Undo the change, begin anew with --fresh, or ask it in another folder: "
                "{command} --out {other}",
                command=re.sub(r" --out ('[^']*'|\S+)", "", command),
                other=shlex.quote(display_path(other)),
            )
        super().__init__(join("\n", (text, how)))


class ProgramsNotAllowed(Stopped):
    """The experiment starts programs or classes from outside, and the user has not said that it may."""

    exit_code = BAD_INPUT

    def __init__(self, starts: Sequence[str], command: str) -> None:
        lines = join("\n", (join("  ", ("", each)) for each in starts))
        super().__init__(
            tr(
                "This experiment starts what is no part of the workbench, and may do all that you may "
                "do:\n{lines}\nTo allow it: {command} --allow-programs",
                lines=lines,
                command=command,
            )
        )


class FolderBusy(Stopped):
    """Another run works in the folder."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path) -> None:
        super().__init__(tr("{folder} is in use by another run; wait for it to end, or stop it.", folder=folder))


class FolderUnwritable(Stopped):
    """The folder cannot be written: its disk is full, say."""

    exit_code = BAD_INPUT

    def __init__(self, folder: Path, error: output.Unwritable, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        how = tr(
            "{kept:,} of {total:,} games are kept. To continue: {command}", kept=kept, total=total, command=command
        )
        super().__init__(str(output.Unwritable(folder, error.reason, how)))


class FolderUnreadable(Stopped):
    """A file of the folder cannot be read at present, so nobody can say what is in it."""

    exit_code = BAD_INPUT

    def __init__(self, error: records.Unavailable, command: str) -> None:
        super().__init__(
            tr(
                "{error}. Nothing was changed. Make it readable, then: {command}\nIf it is lost for good, "
                "delete it: its games are then played again.",
                error=error,
                command=command,
            )
        )


class RunInterrupted(Stopped):
    """The user stopped the run."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        self.kept, self.total = kept, total
        super().__init__(
            tr(
                "Stopped. {kept:,} of {total:,} games are kept. To continue: {command}",
                kept=kept,
                total=total,
                command=command,
            )
        )
