"""The lists of experiments and searches."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError
from workbench.base.language import tr
from workbench.studio import frame
from workbench.studio.frame import Studio
from workbench.studio.runs import Runs
from workbench.studio.visitor import Visitor

REFRESH_SECONDS = 3.0
"""Seconds between two looks at the folders while a page shows one."""


class ShelfPanel(Element, component="runs.js", esm=frame.SHARED):
    """All experiments, with what is played and what waits."""


def show_list(panel: Element, shelf: Runs[Any], visitor: Visitor) -> None:
    """Lets a panel list what is on a shelf, play and stop it, and keeps it up to date."""
    panel.props["language"] = visitor.language
    panel.props["trouble"] = ""

    def show() -> None:
        rows = shelf.rows(visitor)
        if panel.props.get("rows") != rows or panel.props.get("looked") != shelf.looked:
            panel.props["rows"], panel.props["looked"] = rows, shelf.looked
            panel.update()

    async def play(given: GenericEventArguments) -> None:
        panel.props["trouble"] = ""
        try:
            await shelf.play(str(given.args), visitor.language)
        except WorkbenchError as error:
            panel.props["trouble"] = visitor.translate(error.told(visitor.language))
        panel.update()

    panel.on("play", play)
    panel.on("stop", lambda given: shelf.stop(str(given.args)))
    show()
    shelf.watch(panel.client, show)
    ui.timer(REFRESH_SECONDS, shelf.refresh, immediate=True)


class SearchListPanel(Element, component="searches.js", esm=frame.SHARED):
    """All searches, with what is played."""


def show_searches(shelf: Runs[Any], request: Request) -> None:
    """All searches."""
    visitor = Visitor.from_request(request)
    heading = visitor.translate(tr("Searches for rulesets"))
    frame.begin_page(visitor, "searches", "/searches", "", title=heading)
    show_list(SearchListPanel(), shelf, visitor)


def register(studio: Studio) -> None:
    """Gives the page its address."""
    shelf = studio.experiments

    def experiments(request: Request) -> None:
        visitor = Visitor.from_request(request)
        frame.begin_page(visitor, "experiments", "/experiments", "", title=visitor.translate(tr("Experiments")))
        panel = ShelfPanel()
        panel.on("move", lambda given: shelf.move(str(given.args["name"]), int(given.args["place"])))
        show_list(panel, shelf, visitor)

    ui.page("/experiments")(experiments)
