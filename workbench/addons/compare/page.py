"""The page that compares rulesets and what reports say about them."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import ui

from workbench.addons.compare.view import Source, compare_reports
from workbench.base.errors import InputError
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.records.provenance import read_provenance
from workbench.rules.rulesets import Ruleset
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.frame import Studio, component
from workbench.studio.visitor import Visitor

ComparePanel = component("compare.js", __file__)
MAX_COMPARED = 6
"""The most reports, and the most rulesets without a report, on a page."""
MAX_SEARCHED = 40
"""The most reports, latest first, among which those about the rulesets are found."""


def register(studio: Studio) -> None:
    """Register the page."""
    project, worker = studio.project, studio.workers.reading

    async def compare(request: Request) -> None:
        visitor, query = Visitor.from_request(request), request.query_params
        sources = await asyncio.to_thread(_sources, project)
        chosen = [sources[name] for name in dict.fromkeys(query.getlist("report")) if name in sources][:MAX_COMPARED]
        rulesets = _rulesets(studio.store, list(dict.fromkeys(query.getlist("ruleset")))[:MAX_COMPARED])
        if "report" not in query and len(rulesets) > 1:
            chosen = await asyncio.to_thread(_about, list(sources.values())[:MAX_SEARCHED], rulesets)
        games = {ruleset.game for _, ruleset in rulesets.values()}
        others = {item.name: item.heading for game in games for item in studio.store.family_rulesets(game)}
        address = "/compare?" + urlencode(
            [("report", one.name) for one in chosen] + [("ruleset", key) for key in rulesets]
        )
        frame.begin_page(visitor, "answers", address, title=tr("Compare rulesets"))
        choices = {"report": {name: source.title for name, source in sources.items()}, "ruleset": others}
        alone = {key: title for key, (title, _) in rulesets.items()}
        panel = ComparePanel(
            choices=visitor.localize(choices), alone=visitor.localize(alone), shown=None,
            chosen=[one.name for one in chosen],
        )  # fmt: skip

        async def show(base: list[Any]) -> None:
            known = {key: ruleset for key, (_, ruleset) in rulesets.items()}
            shown = await worker.run(compare_reports, chosen, tuple(map(str, base)), visitor.language, known)
            panel.show(shown=shown)

        panel.on("base", lambda event: show(event.args))
        ui.timer(0, lambda: show(["", ""]), once=True)

    ui.page("/compare")(compare)


def _sources(project: Project) -> dict[str, Source]:
    """Return all reports with records by name, latest first."""
    found = {}
    for name, touched in report_files.list_reports(project).items():
        if folder := report_files.folder_with_games(project, name):
            found[name] = Source(name, folder, report_files.read_head(project, name)[0], touched)
    return found


def _about(sources: list[Source], rulesets: dict[str, tuple[str, Ruleset]]) -> list[Source]:
    """Return the latest reports that contain all these rulesets."""
    wanted = {ruleset.fingerprint for _, ruleset in rulesets.values()}
    found = []
    for source in sources:
        recorded = (read_provenance(source.folder) or {}).get("rulesets", [])
        if wanted <= {entry.get("fingerprint") for entry in recorded}:
            found.append(source)
    return found[:2]


@snapshot()
def _rulesets(store: DraftStore, names: list[str]) -> dict[str, tuple[str, Ruleset]]:
    """Return rulesets with their titles by name; ``new/`` before a name stands for the draft of a proposal."""
    found = {}
    for name in names:
        try:
            draft = store.peek(name.removeprefix("new/"), "new" if name.startswith("new/") else "file")
        except InputError:
            continue
        reading = draft.read()
        if reading.ruleset is not None:
            found[name] = store.title(draft), reading.ruleset
    return found
