"""Pages that edit a document: text and choices, undo, saving, and the document's run."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable

from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError, Problem, WorkbenchError, error_text
from workbench.base.language import bilingual
from workbench.base.yamlfile import snapshot
from workbench.studio.documents import Document, DocumentStore, NameTaken, ShippedName
from workbench.studio.frame import Panel
from workbench.studio.visitor import View, Visitor


class Editor(ABC):
    """A page that edits a document."""

    def __init__(self, store: DocumentStore, document: Document, panel: Panel, visitor: Visitor) -> None:
        self.store, self.document, self.panel, self.client, self.visitor = store, document, panel, panel.client, visitor
        self.wrong: list[Problem] = []
        """The problems of the last event."""
        document.viewers.append(self.show)
        self.client.on_delete(lambda: document.viewers.remove(self.show))
        for event in ("write", "undo", "redo", "revert"):
            self.on_event(event, getattr(document, event))
        self.on_event("entitle", self.entitle)
        panel.on("save", self.save)

    @abstractmethod
    def show(self) -> None:
        """Redraw the page."""

    @abstractmethod
    def problem_views(self, problems: list[Problem]) -> list[View]:
        """Return problems in the page's language."""

    @abstractmethod
    async def saved(self, name: str, event: View) -> bool:
        """Finish a save under a full name and return True if the page stays open."""

    def entitle(self, title: str) -> None:
        """Set the title in the page's language."""
        self.document.entitle(title, self.visitor.language)

    async def check(self, name: str) -> list[Problem]:
        """Return problems of a file to be saved under a name, except those found by reading its text."""
        return []

    def on_event(self, event: str, action: Callable[..., object]) -> None:
        """Register the handler of an event that changes the document; the event's fields become its arguments."""

        def handle(arguments: GenericEventArguments) -> None:
            fields = dict(arguments.args) if isinstance(arguments.args, dict) else {}
            if "count" in fields:
                self.panel.props["heard"] = fields.pop("count")
            self.do(lambda: action(**fields))

        self.panel.on(event, handle)

    def do(self, action: Callable[[], object]) -> None:
        """Change the document and redraw all its pages; this page shows the problems of the change."""
        self.wrong = []
        with snapshot():
            try:
                action()
            except InputError as error:
                self.wrong = error.problems
            self.store.save_draft(self.document)

    async def save(self, event: GenericEventArguments) -> None:
        """Write the file, or show the reason in the dialog if it cannot be written."""
        title, replace = str(event.args["title"]), bool(event.args["replace"])
        name = str(event.args["name"]).strip() or self.document.file_name(title)
        answer: View = {"problems": [], "taken": False}
        document = self.document
        try:
            with document.restored_on_error():
                english, japanese = document.read().titles
                if title != self.visitor.translate(bilingual(en=english, ja=japanese)):
                    document.entitle(title, self.visitor.language)
                if problems := await self.check(name):
                    raise InputError(problems)
                full_name = await asyncio.to_thread(self.store.save, document, name, replace)
        except NameTaken as error:
            answer |= {"taken": True, "shipped": isinstance(error, ShippedName)}
        except WorkbenchError as error:
            answer["problems"] = self.problem_views(_problems(error))
        else:
            if not document.new and full_name == document.name:
                self.do(lambda: None)
            if not await self.saved(full_name, event.args):
                return
            answer["saved"] = True
        self.panel.show(answer=answer)


def _problems(error: WorkbenchError) -> list[Problem]:
    return error.problems if isinstance(error, InputError) else [Problem("", None, None, error_text(error))]
