"""The page of a proposal's history: its versions, with what was asked and played under each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.language import tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.games.wording import changes_words
from workbench.records import provenance
from workbench.rules.edits import RulesetReading, read_ruleset_text
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Studio, component
from workbench.studio.visitor import View, Visitor

HistoryPanel = component("history.js", __file__)
EVENTS = {"saved": (tr("saved"), ""), "asked": (tr("asked"), "ask"), "played": (tr("a game played"), "play")}
"""The events in words, with the tabs that show them."""
Version = tuple[RulesetReading, list[dict[str, Any]]]
"""The rules of a version, and its events, oldest first."""


@snapshot()
def versions(store: DraftStore, draft: RulesetDocument) -> list[Version]:
    """Return the versions of a proposal, latest first: those with an event, and the present one."""
    found: list[Version] = []
    for event in [*store.history(draft), {"at": time.time(), "event": "", "address": "", "text": draft.text}]:
        reading = read_ruleset_text(draft.project, draft.name, event["text"])
        if found and found[-1][0].settings == reading.settings:
            found[-1][1].append(event)
        else:
            found.append((reading, [event]))
    return found[::-1]


def version_views(found: Sequence[Version], proposal: frame.Proposal) -> Iterator[View]:
    """Yield versions with what they change; only the present version's events lead to its pages."""
    for place, (reading, events) in enumerate(found):
        before = found[place + 1][0].settings if found[place + 1 :] else reading.inherited
        toggles = reading.family.toggles
        # Of what was asked more than once, the last time is told.
        told = {
            (words, query): {
                "at": event["at"],
                "told": words,
                "url": f"{proposal.address(tab)}?{query}" if tab and not place else "",
            }
            for event in events
            if event["event"] in EVENTS
            for (words, tab), query in [(EVENTS[event["event"]], event["address"].partition("?")[2])]
        }
        changes = changes_words(reading.family.name, toggles, before, reading.settings, len(toggles))
        yield {"at": events[0]["at"], "changes": changes, "events": [*told.values()]}


def read_answers(project: Project, fingerprints: Sequence[str]) -> list[list[View]]:
    """Return for each fingerprint the answers of the reports on rules that have it."""
    recorded = {
        path.parent: path.read_text("utf-8", "replace") for path in project.reports.glob(f"*/{provenance.FILE}")
    }
    return [
        [
            {"url": f"/report/{quote(folder.name)}", "told": report_files.read_head(project, folder.name)}
            for folder, text in recorded.items()
            if fingerprint in text and (folder / report_files.PAGE).is_file()
        ]
        for fingerprint in fingerprints
    ]


def register(studio: Studio) -> None:
    """Register the page."""
    store, reading_worker = studio.store, studio.workers.reading

    def history(request: Request, kind: str, name: str) -> None:
        """Draw the page of a proposal."""
        visitor = Visitor.from_request(request)
        draft = frame.open_draft(visitor, store, kind, name)
        if draft is None:
            return
        proposal = frame.Proposal(kind, name, store.title(draft))
        frame.begin_page(visitor, "history", proposal.address("history"), proposal.title, proposal)
        found = versions(store, draft)
        panel = HistoryPanel(versions=visitor.localize([*version_views(found, proposal)]), answers=[])

        def go_back(event: GenericEventArguments) -> None:
            draft.step(found[int(event.args)][1][-1]["text"])
            store.save_draft(draft)
            panel.client.open(proposal.address("rules"))

        async def answer() -> None:
            fingerprints = [reading.ruleset.fingerprint if reading.ruleset else "\0" for reading, _ in found]
            answers = await reading_worker.run(read_answers, store.project, fingerprints)
            panel.show(answers=visitor.localize(answers))

        panel.on("back", go_back)
        ui.timer(0, answer, once=True)

    ui.page("/history/{kind}/{name:path}")(history)
