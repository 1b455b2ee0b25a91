"""The page that compares rulesets of several reports in one table."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui
from nicegui.element import Element

from workbench.base.language import tr
from workbench.studio import frame, report_files
from workbench.studio.frame import Studio
from workbench.studio.pages.compare.view import Source, compare_reports
from workbench.studio.visitor import Visitor

MAX_COMPARED = 6
"""Reports whose rulesets stand in one table."""


class ComparePanel(Element, component="compare.js", esm=frame.SHARED):
    """Rulesets of reports in one table."""


def compare_address(names: list[str]) -> str:
    """Return the address of the table of rulesets of some reports."""
    return "/compare?" + urlencode([("report", name) for name in names])


def register(studio: Studio) -> None:
    """Give the page its address."""
    project, worker = studio.project, studio.workers.reading

    async def compare(request: Request) -> None:
        """Rulesets of the reports that the address names, in one table."""
        visitor = Visitor.from_request(request)
        found = await asyncio.to_thread(report_files.list_folders, project)
        folders = {folder.name: folder for folder in found if folder.games}
        chosen = [name for name in dict.fromkeys(request.query_params.getlist("report")) if name in folders]
        chosen = chosen[:MAX_COMPARED]
        here = compare_address(chosen)
        frame.begin_page(visitor, "reports", here, "", title=visitor.translate(tr("Compare rulesets")))
        panel = ComparePanel()
        panel.props["choices"] = [
            {"name": each.name, "title": visitor.translate(report_files.title_of(project, each))}
            for each in folders.values()
        ]
        panel.props["most"] = MAX_COMPARED
        panel.props["shown"] = None

        async def show(names: list[str], base: tuple[str, str]) -> None:
            sources = [
                Source(
                    name, project.reports / name, report_files.title_of(project, folders[name]), folders[name].touched
                )
                for name in names
            ]
            shown = await worker.run(compare_reports, sources, base, visitor.language)
            panel.props["shown"] = shown
            panel.update()

        async def choose(given: Any) -> None:
            names = [str(name) for name in given.args["reports"] if name in folders][:MAX_COMPARED]
            await show(names, (str(given.args["base"][0]), str(given.args["base"][1])))

        panel.on("choose", choose)
        ui.timer(0, lambda: show(chosen, ("", "")), once=True)

    ui.page("/compare")(compare)
