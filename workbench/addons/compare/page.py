"""The page that compares rulesets from several reports in one table."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui

from workbench.addons.compare.view import Source, compare_reports
from workbench.base.language import tr
from workbench.studio import frame, report_files
from workbench.studio.frame import Studio, component
from workbench.studio.visitor import Visitor

ComparePanel = component("compare.js", __file__)
MAX_COMPARED = 6
"""The most reports in a table."""


def register(studio: Studio) -> None:
    """Register the page."""
    project, worker = studio.project, studio.workers.reading

    async def compare(request: Request) -> None:
        visitor = Visitor.from_request(request)
        folders = {
            item.name: item for item in await asyncio.to_thread(report_files.list_folders, project) if item.games
        }
        titles = {name: report_files.report_title(project, folder) for name, folder in folders.items()}
        selected = [name for name in dict.fromkeys(request.query_params.getlist("report")) if name in folders]
        selected = selected[:MAX_COMPARED]
        address = "/compare?" + urlencode([("report", name) for name in selected])
        frame.begin_page(visitor, "answers", address, title=tr("Compare rulesets"))
        choices = [{"name": name, "title": visitor.translate(title)} for name, title in titles.items()]
        panel = ComparePanel(choices=choices, most=MAX_COMPARED, shown=None)

        async def show(names: list[str], base: tuple[str, str]) -> None:
            sources = [Source(name, project.reports / name, titles[name], folders[name].touched) for name in names]
            panel.show(shown=await worker.run(compare_reports, sources, base, visitor.language))

        async def choose(event: Any) -> None:
            names = [str(name) for name in event.args["reports"] if name in folders][:MAX_COMPARED]
            await show(names, (str(event.args["base"][0]), str(event.args["base"][1])))

        panel.on("choose", choose)
        ui.timer(0, lambda: show(selected, ("", "")), once=True)

    ui.page("/compare")(compare)
