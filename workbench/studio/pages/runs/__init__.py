"""The list of experiments, and what the list of any runs does."""

from __future__ import annotations

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


class ExperimentListPanel(Element, component="runs.js", esm=frame.SHARED):
    """All experiments, those first that are played or wait."""


def show_list(panel_type: type[Element], runs: Runs, title: str, request: Request) -> None:
    """Show a page with the list of some runs, which plays and stops them and is kept up to date."""
    visitor = Visitor.from_request(request)
    frame.begin_page(visitor, runs.listing, f"/{runs.listing}", "", title=visitor.translate(title))
    panel = panel_type()
    panel.props["language"], panel.props["trouble"] = visitor.language, ""

    def show() -> None:
        rows = runs.rows(visitor)
        if panel.props.get("rows") != rows or panel.props.get("looked") != runs.looked:
            panel.props["rows"], panel.props["looked"] = rows, runs.looked
            panel.update()

    async def play(event: GenericEventArguments) -> None:
        panel.props["trouble"] = ""
        try:
            await runs.play(str(event.args), visitor.language)
        except WorkbenchError as error:
            panel.props["trouble"] = visitor.translate(error.told(visitor.language))
        panel.update()

    panel.on("play", play)
    panel.on("stop", lambda event: runs.stop(str(event.args)))
    panel.on("move", lambda event: runs.move(str(event.args["name"]), int(event.args["place"])))
    show()
    runs.watch(panel.client, show)
    ui.timer(REFRESH_SECONDS, runs.refresh, immediate=True)


def register(studio: Studio) -> None:
    """Give the page its address."""

    def experiments(request: Request) -> None:
        show_list(ExperimentListPanel, studio.experiments, tr("Experiments"), request)

    ui.page("/experiments")(experiments)
