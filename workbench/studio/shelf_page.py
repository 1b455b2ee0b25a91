"""The page that lists the project's experiments, and the queue."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import ui
from nicegui.element import Element

from workbench.errors import WorkbenchError
from workbench.studio import frame
from workbench.studio.experiment_page import REFRESH_SECONDS
from workbench.studio.shelf import Shelf
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS, translated_words


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
        panel.props["words"] = translated_words(visitor.language)
        panel.props["language"] = visitor.language
        panel.props["trouble"] = ""

        def show() -> None:
            rows = shelf.rows(visitor)
            if panel.props.get("rows") != rows or panel.props.get("looked") != shelf.looked:
                panel.props["rows"], panel.props["looked"] = rows, shelf.looked
                panel.update()

        async def play(given: Any) -> None:
            panel.props["trouble"] = ""
            try:
                await shelf.play(str(given.args), visitor.language)
            except WorkbenchError as error:
                panel.props["trouble"] = visitor.translate(error.told(visitor.language))
            panel.update()

        panel.on("play", play)
        panel.on("stop", lambda given: shelf.stop(str(given.args)))
        panel.on("move", lambda given: shelf.move(str(given.args["name"]), int(given.args["place"])))
        show()
        shelf.watch(panel.client, show)
        ui.timer(REFRESH_SECONDS, shelf.refresh, immediate=True)
