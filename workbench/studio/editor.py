"""Pages that edit a document: text and choices, undo, saving, and the document's run."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic
from urllib.parse import quote

from fastapi import Request
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError, Problem, WorkbenchError, display_path, error_text
from workbench.base.language import bilingual
from workbench.base.yamlfile import snapshot
from workbench.studio.documents import Document, DocumentStore, FileDocument, FileType, NameTaken, ShippedName
from workbench.studio.frame import NOT_FOUND, Panel, begin_page, not_found_page
from workbench.studio.runs import Runs
from workbench.studio.visitor import View, Visitor, problem_view


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


class FilePages(ABC, Generic[FileType]):
    """The pages of experiments or searches."""

    area: str
    """The address of pages of saved files."""
    listing: str
    """The project folder of the files."""
    under: str = ""
    """The beginning of the names of its runs."""
    new_text: str
    """The heading of a new file's page."""
    panel_type: type[Panel]
    document_type: type[FileType]

    def __init__(self, store: DocumentStore, runs: Runs) -> None:
        self.store, self.runs = store, runs

    def of(self, request: Request, name: str) -> None:
        """Draw a file's page."""
        visitor = Visitor.from_request(request)
        try:
            document = self.store.open_file(self.document_type, name)
        except InputError as error:
            lines = [problem.text for problem in error.problems]
            not_found_page(visitor, "answers", NOT_FOUND, lines)
            return
        self.show(request, document, visitor)

    @abstractmethod
    def show(self, request: Request, document: FileType, visitor: Visitor) -> None:
        """Draw a document's page."""

    def begin(self, request: Request, document: FileType, visitor: Visitor) -> Panel:
        """Start a document's page with the common parts and return its panel."""
        address = f"/new-{self.area}" if document.new else f"/{self.area}/{quote(document.name, safe='')}"
        title = self.new_text if document.new else document.read().title or document.name
        begin_page(visitor, "ask", address, title=title)
        return self.panel_type(
            heading=visitor.translate(self.new_text) if document.new else "",
            here={
                "name": document.name,
                "new": document.new,
                "resumed": document.new and document.dirty and not request.query_params,
                "folder": "" if self.store.project.shipped else self.listing,
                "shipped": document.shipped,
                "begun": not document.new and self.runs.has_begun(self.under + document.name),
            },
            saved="saved" in request.query_params,
            run=None if document.new else self.runs.entry(self.under + document.name, visitor),
        )


class FilePage(Editor):
    """A page that edits an experiment or a search and shows its run."""

    document: FileDocument[Any]

    def __init__(self, pages: FilePages[Any], document: FileDocument[Any], panel: Panel, visitor: Visitor) -> None:
        super().__init__(pages.store, document, panel, visitor)
        self.area, self.runs = pages.area, pages.runs
        panel.on("play", lambda _: self.play(document.name))
        self.name = pages.under + document.name
        """The name of the file's run."""
        panel.on("stop", lambda _: self.runs.stop(self.name))

    @abstractmethod
    def show_run(self) -> None:
        """Redraw the state of the run."""

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """Return problems in the page's language."""
        file = display_path(self.document.path)
        return [problem_view(problem, self.visitor, own=file) for problem in problems]

    async def saved(self, name: str, event: View) -> bool:
        """Play the file on request, and open the page of a file with a new name."""
        if event["run"]:
            await self.play(name)
        if stays := not self.document.new and name == self.document.name:
            return stays
        self.client.open(f"/{self.area}/{quote(name, safe='')}?saved")
        return False

    async def play(self, name: str) -> None:
        """Queue a file."""
        self.wrong = []
        try:
            self.runs.queue.add(self.name.removesuffix(self.document.name) + name, self.visitor.language)
        except WorkbenchError as error:
            self.wrong = _problems(error)
            self.show()
        self.show_run()


def _problems(error: WorkbenchError) -> list[Problem]:
    return error.problems if isinstance(error, InputError) else [Problem("", None, None, error_text(error))]
