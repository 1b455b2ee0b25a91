"""What every page does that edits a text: it hears its user, and all pages with the same text show what came of it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Coroutine
from typing import Any, Generic
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import InputError, Problem, WorkbenchError, display_path, text_of
from workbench.files.yamlfile import snapshot
from workbench.studio import frame, rules_view
from workbench.studio.drafts import NameTaken, ShippedName
from workbench.studio.history import History
from workbench.studio.sheets import Sheet, Sheets, SheetType
from workbench.studio.shelf import Runs
from workbench.studio.words import WORDS, Visitor, translated_words

Pages = defaultdict[int, list[Callable[[], None]]]
"""What draws the pages anew that show a text, by the id of the text."""


class Editor(ABC):
    """One page on one text."""

    def __init__(self, history: History, panel: Element, pages: Pages, keep: Callable[[], None]) -> None:
        """``keep`` keeps the text for the next studio."""
        self._history, self.panel, self.client, self._keep = history, panel, panel.client, keep
        self._pages = pages[id(history)]
        self.wrong: list[Problem] = []
        """What was wrong with the last thing that was asked."""
        self._pages.append(self.show)
        self.client.on_delete(lambda: self._pages.remove(self.show))
        self.on_event("write", lambda given: history.write(str(given["text"])))
        self.on_event("undo", lambda _: history.undo())
        self.on_event("redo", lambda _: history.redo())
        self.on_event("revert", lambda _: history.revert())

    @abstractmethod
    def show(self) -> None:
        """Draws the page anew."""

    def on_event(self, event: str, act: Callable[[Any], object]) -> None:
        """Registers ``act`` as the handler of an event of the page; it is called with the content of the event."""

        def done(given: GenericEventArguments) -> None:
            if isinstance(given.args, dict) and "count" in given.args:
                self.panel.props["heard"] = given.args["count"]
            self.do(lambda: act(given.args))

        self.panel.on(event, done)

    def do(self, act: Callable[[], object]) -> None:
        """Does something to the text, and shows it on all its pages; this one says what was wrong with it."""
        self.wrong = []
        with snapshot():
            try:
                act()
            except InputError as error:
                self.wrong = error.problems
            self._keep()
            for draw in list(self._pages):
                draw()


View = dict[str, Any]


class SheetPages(ABC, Generic[SheetType]):
    """The pages of a kind of files, each as it was left."""

    area: str
    """Where pages of saved files are."""
    listing: str
    """Where the list of all is."""
    new_text: str
    """What the page of a new file is called."""
    own_text: str
    """What the page of the file of a ``name`` is called."""
    panel_type: type[Element]

    def __init__(self, sheets: Sheets[SheetType], shelf: Runs[Any]) -> None:
        self.sheets, self.shelf = sheets, shelf
        self.pages = Pages(list)

    def of(self, request: Request, name: str) -> None:
        """The page of a file."""
        visitor = Visitor.from_request(request)
        try:
            sheet = self.sheets.sheet(name)
        except InputError as error:
            frame.begin_page(visitor, self.listing, f"/{self.listing}", "")
            ui.context.client.status_code = 404
            frame.note_page(
                visitor.translate(WORDS["not_found"]), [visitor.translate(problem.text) for problem in error.problems]
            )
            return
        self.show(request, sheet, visitor)

    @abstractmethod
    def show(self, request: Request, sheet: SheetType, visitor: Visitor) -> None:
        """The page of a sheet."""

    def begin(self, request: Request, sheet: SheetType, visitor: Visitor, query: str = "", play: str = "") -> Element:
        """Begins the page of a sheet with what all have in common; returns its panel."""
        here = f"/new-{self.area}" if sheet.new else f"/{self.area}/{quote(sheet.name, safe='')}"
        new = visitor.translate(self.new_text)
        title = new if sheet.new else visitor.translate(sheet.read().title) or sheet.name
        frame.begin_page(visitor, self.listing, here + query, "", title=title, play=play)
        panel = self.panel_type()
        panel.props["words"] = translated_words(visitor.language)
        panel.props["heading"] = new if sheet.new else visitor.translate(self.own_text.format(name=sheet.name))
        panel.props["here"] = {
            "name": sheet.name,
            "new": sheet.new,
            "resumed": sheet.new and sheet.dirty and not request.query_params,
            "folder": "" if self.sheets.project.shipped else self.listing,
            "shipped": sheet.shipped,
            "begun": not sheet.new and self.shelf.has_begun(sheet.name),
        }
        panel.props["saved"] = "saved" in request.query_params
        panel.props["run"] = None if sheet.new else self.shelf.entry(sheet.name, visitor)
        return panel


class SheetPage(Editor):
    """One page on one sheet."""

    area: str
    """Where pages of saved files are."""

    def __init__(
        self,
        sheets: Sheets[Any],
        sheet: Sheet[Any],
        panel: Element,
        pages: Pages,
        visitor: Visitor,
        enqueue: Callable[[str, str], Coroutine[Any, Any, None]],
    ) -> None:
        """``enqueue`` plays the file of a name, for who reads a language."""
        super().__init__(sheet, panel, pages, lambda: sheets.save_sheet_draft(sheet))
        self.sheets, self.sheet, self.visitor, self._enqueue = sheets, sheet, visitor, enqueue
        self.on_event("entitle", self.entitle)
        panel.on("save", self.save)
        panel.on("play", lambda _: self.play(sheet.name))

    @abstractmethod
    def show_run(self) -> None:
        """Draws what is known of the run."""

    def problem_views(self, problems: list[Problem]) -> list[View]:
        """What is wrong, in the language of the page."""
        own = display_path(self.sheet.path)
        return [rules_view.problem_view(problem, own, self.visitor) for problem in problems]

    def entitle(self, given: Any) -> None:
        """Sets the title: in the page's language, unless the file has only the other one."""
        said = self.sheet.read().said
        japanese = self.visitor.language == "ja" and (bool(said.get("title_ja")) or not said.get("title"))
        self.sheet.set_title(str(given), japanese)

    async def save(self, given: GenericEventArguments) -> None:
        """Writes the file, and plays it if that was asked, or says why not; the answer stands in the dialog."""
        name, replace = str(given.args["name"]).strip(), bool(given.args["replace"])
        answer: View = {"problems": [], "taken": False}
        try:
            with self.sheet.unless_refused():
                if given.args["title"] != self.panel.props["state"]["title"]:
                    self.entitle(given.args["title"])
                saved = await asyncio.to_thread(self.sheets.save, self.sheet, name, replace)
        except NameTaken as error:
            answer["taken"] = True
            answer["shipped"] = isinstance(error, ShippedName)
        except WorkbenchError as error:
            answer["problems"] = self.problem_views(_problems(error))
        else:
            in_place = saved == self.sheet.name and not self.sheet.new
            if in_place:
                self.do(lambda: None)
            if given.args["run"]:
                await self.play(saved)
            if not in_place:
                self.client.open(f"/{self.area}/{quote(saved, safe='')}?saved")
                return
            answer["saved"] = True
        self.panel.props["answer"] = answer
        self.panel.update()

    async def play(self, name: str) -> None:
        """Puts the file, which has this name now, into the queue."""
        self.wrong = []
        try:
            await self._enqueue(name, self.visitor.language)
        except WorkbenchError as error:
            self.wrong = _problems(error)
            self.show()
        self.show_run()


def _problems(error: WorkbenchError) -> list[Problem]:
    return error.problems if isinstance(error, InputError) else [Problem("", None, None, text_of(error))]
