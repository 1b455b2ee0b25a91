"""The list of experiments, and the list page for any kind of runs."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import WorkbenchError
from workbench.base.language import tr
from workbench.studio import frame
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.runs import Runs
from workbench.studio.visitor import Visitor

ExperimentListPanel = component("runs.js", __file__)
REFRESH_SECONDS = 3.0
"""Seconds between scans of the folders while a page shows them."""


def show_list(panel_type: type[Panel], runs: Runs, title: str, request: Request) -> None:
    """Draw a list of runs and keep it up to date; its buttons play, stop and reorder runs."""
    visitor = Visitor.from_request(request)
    frame.begin_page(visitor, "answers", f"/{runs.listing}", title=title)
    panel = panel_type(language=visitor.language, trouble="")

    def show() -> None:
        rows = runs.rows(visitor)
        if (panel.props.get("rows"), panel.props.get("looked")) != (rows, runs.scanned):
            panel.show(rows=rows, looked=runs.scanned)

    async def play(event: GenericEventArguments) -> None:
        trouble = ""
        try:
            await runs.play(str(event.args), visitor.language)
        except WorkbenchError as error:
            trouble = visitor.translate(error.told(visitor.language))
        panel.show(trouble=trouble)

    panel.on("play", play)
    panel.on("stop", lambda event: runs.stop(str(event.args)))
    panel.on("move", lambda event: runs.move(str(event.args["name"]), int(event.args["place"])))
    show()
    runs.watch(panel.client, show)
    ui.timer(REFRESH_SECONDS, runs.refresh, immediate=True)


def register(studio: Studio) -> None:
    """Register the page."""

    def experiments(request: Request) -> None:
        show_list(ExperimentListPanel, studio.experiments, tr("Experiments"), request)

    ui.page("/experiments")(experiments)
