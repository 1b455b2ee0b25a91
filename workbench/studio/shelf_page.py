"""The page that lists the project's experiments, and the queue."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui
from nicegui.element import Element

from workbench.studio import frame
from workbench.studio.shelf import Shelf
from workbench.studio.visitor import Visitor
from workbench.studio.watched_list import show_list
from workbench.studio.words import WORDS


class ShelfPanel(Element, component="parts/shelf.js", esm=frame.SHARED):
    """All experiments, with what is played and what waits."""


class ShelfPages:
    """The list of experiments, for each who opens it."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def register(self) -> None:
        """Gives the page its address."""
        ui.page("/experiments")(self.page)

    def page(self, request: Request) -> None:
        """All experiments."""
        shelf, visitor = self.shelf, Visitor.from_request(request)
        frame.begin_page(visitor, "experiments", "/experiments", "", title=visitor.translate(WORDS["experiments"]))
        panel = ShelfPanel()
        panel.on("move", lambda given: shelf.move(str(given.args["name"]), int(given.args["place"])))
        show_list(panel, shelf, visitor)
