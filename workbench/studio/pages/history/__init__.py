"""The page of a proposal's history: its versions, with what was asked and played under each."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.base.yamlfile import snapshot
from workbench.games.wording import changes_words
from workbench.rules.edits import RulesetReading, read_ruleset_text
from workbench.studio import frame, report_files
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Studio, component
from workbench.studio.visitor import View, Visitor

HistoryPanel = component("history.js", __file__)
TOLD = {"saved": tr("saved"), "asked": tr("asked"), "played": tr("a game played")}


@dataclass
class Version:
    """A state of a proposal's rules with its events."""

    reading: RulesetReading
    text: str = ""
    at: float = 0.0
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The ends of the names under which experiments may ask about these rules."""
        ruleset = self.reading.ruleset
        return [f"-{ruleset.fingerprint[:8]}", *([ruleset.name] if ruleset.path else [])] if ruleset else []


@snapshot()
def versions(store: DraftStore, draft: RulesetDocument) -> list[Version]:
    """Return the versions of a proposal, latest first: those with an event, and the present one."""
    found: list[Version] = []
    for entry in [*store.history(draft), {"at": time.time(), "event": "", "address": "", "text": draft.text}]:
        reading = read_ruleset_text(draft.project, draft.name, entry["text"])
        if not found or found[-1].reading.settings != reading.settings:
            found.append(Version(reading))
        found[-1].text, found[-1].at = entry["text"], found[-1].at or entry["at"]
        found[-1].events.append(entry)
    return found[::-1]


def read_answers(project: Project, names: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
    """Return for each version the reports on it with their answers; ``names`` are those of `Version.names`."""
    texts = {
        path.stem: path.read_text(encoding="utf-8", errors="replace") for path in project.experiments.glob("*.yaml")
    }
    found: list[list[tuple[str, str]]] = []
    for ends in names:
        asked = re.compile("|".join(rf"{re.escape(end)}(?![\w+.-])" for end in ends) or "(?!)")
        pages = [
            project.reports / name / report_files.PAGE for name, text in sorted(texts.items()) if asked.search(text)
        ]
        found.append([
            (page.parent.name, report_files.read_answer(page.parent, report_files.changed_at(page)))
            for page in pages if page.is_file()
        ])  # fmt: skip
    return found


def version_views(found: Sequence[Version], proposal: frame.Proposal) -> list[View]:
    """Return versions with what they change; only links of the present version lead to its rules."""
    views = []
    for place, version in enumerate(found):
        reading = version.reading
        before = found[place + 1].reading.settings if place + 1 < len(found) else reading.inherited
        toggles = reading.family.toggles
        views.append({
            "place": place, "at": version.at,
            "changes": changes_words(reading.family.name, toggles, before, reading.settings, len(toggles)),
            "events": [
                {
                    "at": entry["at"], "told": TOLD[entry["event"]],
                    "url": "" if place else _address(proposal, entry["event"], entry["address"]),
                }
                for entry in version.events if entry["event"] in TOLD
            ],
            "answers": [],
        })  # fmt: skip
    return views


def _address(proposal: frame.Proposal, event: str, recorded: str) -> str:
    """Return an event's address under the proposal's present name."""
    tab = {"asked": "ask", "played": "play"}.get(event, "")
    query = recorded.partition("?")[2]
    return f"{proposal.address(tab)}{'?' if query else ''}{query}" if tab else ""


def register(studio: Studio) -> None:
    """Register the page."""
    store = studio.store

    def history(request: Request, kind: str, name: str) -> None:
        """Draw the page of a proposal."""
        visitor, game = Visitor.from_request(request), name.partition("/")[0]
        try:
            draft = store.draft(name, kind)
        except InputError as error:
            frame.missing_page(visitor, name, error, store.family_rulesets(game))
            return
        proposal = frame.Proposal(kind, name, store.title(draft))
        address = proposal.address("history")
        frame.begin_page(visitor, "rules", address, game, title=proposal.title, proposal=proposal, tab="history")
        found = versions(store, draft)
        views = version_views(found, proposal)
        panel = HistoryPanel(versions=visitor.localize(views))

        def go_back(event: GenericEventArguments) -> None:
            draft.step(found[int(event.args)].text)
            store.save_draft(draft)
            panel.client.open(proposal.address("rules"))

        async def answer() -> None:
            names = [version.names for version in found]
            for view, reports in zip(
                views, await studio.workers.reading.run(read_answers, store.project, names), strict=True
            ):
                view["answers"] = [
                    {"url": f"/report/{quote(report)}", "text": text or report} for report, text in reports
                ]
            panel.show(versions=visitor.localize(views))

        panel.on("back", go_back)
        ui.timer(0, answer, once=True)

    ui.page("/history/{kind}/{name:path}")(history)
