"""What every page does that edits a text: it hears its user, and all pages with the same text show what came of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import InputError, Problem
from workbench.files.yamlfile import snapshot
from workbench.studio.history import History

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
