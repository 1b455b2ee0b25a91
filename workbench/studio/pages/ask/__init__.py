"""The page that asks about a proposal at three levels, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from fastapi import Request
from nicegui import ui
from starlette.datastructures import QueryParams

from workbench.base.errors import InputError, WorkbenchError, error_text
from workbench.base.language import tr
from workbench.base.yamlfile import snapshot
from workbench.experiments.measures import measure_for_question
from workbench.rules import rulesets
from workbench.runs.progress import FolderState
from workbench.studio import asks, frame, report_files
from workbench.studio.asks import (
    LEVELS,
    PLAYERS,
    QUICK,
    STRONG,
    USUAL_QUESTIONS,
    AskedRules,
    Estimate,
    Question,
    Wishes,
)
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Panel, Studio, component
from workbench.studio.jobs import rough_time
from workbench.studio.opponents import players_view
from workbench.studio.runs import REFRESH_SECONDS, load_runs
from workbench.studio.visitor import View, Visitor, problem_view

AskPanel = component("ask.js", __file__)


@dataclass
class Choice:
    """A proposal, the baseline, and further proposals."""

    store: DraftStore
    draft: RulesetDocument
    titles: dict[str, str]
    """The rulesets and drafts of the game -> their titles."""
    base: str
    """The chosen baseline; "" if there is none."""
    others: list[str]
    wishes: Wishes

    @classmethod
    @snapshot()
    def of(cls, store: DraftStore, kind: str, name: str, query: QueryParams) -> Choice:
        """Return the choice for a proposal: as in the address, or the best known question, or as against its parent.

        Shipped rulesets and combinations are compared with the ruleset without parents that they come from.
        """
        draft = store.draft(name, kind)
        asked = [event["address"].partition("?")[2] for event in store.history(draft) if event["event"] == "asked"]
        before = [
            cls.of(store, kind, name, QueryParams(text)) for text in dict.fromkeys(asked[::-1]) if text and not query
        ]
        if before:
            return max(before, key=cls._answered)
        reading = draft.read()
        titles = {
            item.name: item.heading for item in store.family_rulesets(draft.game)
            if item.settings != reading.settings and item.name != draft.name
        }  # fmt: skip
        bases = list(titles)
        drafts = {
            f"new/{other.page}": store.title(other)
            for other in store.changed_drafts(draft.game)
            if other.new and other.key != draft.key
        }
        titles = drafts | titles
        parents = [parent for parent, _ in reading.file.parents]
        is_own = draft.dirty or not (draft.new or draft.shipped)
        roots = [file.name for file in reading.file.ancestry if not file.parents]
        preferred = [query.get("against", ""), *(parents if is_own and len(parents) == 1 else []), *roots, *bases]
        base = next((base for base in preferred if base in bases), "")
        chosen = [other for other in dict.fromkeys(_present(store, other) for other in query.getlist("with"))
                  if other in titles and other != base]  # fmt: skip
        return cls(store, draft, titles, base, chosen, Wishes.of_address(query))

    def _answered(self) -> int:
        """Return the strongest level that is answered; a question without an answer was just asked."""
        with contextlib.suppress(WorkbenchError):
            reports = [self.store.project.reports / path.stem / report_files.PAGE for path in self.question().paths]
            return max((level for level in range(len(LEVELS)) if reports[level].exists()), default=len(LEVELS))
        return -1

    @property
    def address(self) -> str:
        """The address of the page."""
        query = {"against": self.base, "with": self.others, **self.wishes.changed}
        return f"/ask/{self.draft.kind}/{quote(self.draft.page)}?{urlencode(query, doseq=True)}"

    @snapshot()
    def question(self) -> Question:
        """Return the question; raises `WorkbenchError` if rules have problems or equal the baseline."""
        own = AskedRules.of(self.draft)
        if not self.base:
            raise WorkbenchError(tr("There is no other ruleset of this game to compare with."))
        base = rulesets.load_ruleset(self.base, self.store.project)
        proposals = {own.ruleset.fingerprint: own}
        for name in self.others:
            draft = self.store.peek(name.removeprefix("new/"), "new") if name.startswith("new/") else None
            other = AskedRules.of(draft) if draft else AskedRules(rulesets.load_ruleset(name, self.store.project), "")
            proposals.setdefault(other.ruleset.fingerprint, other)
        proposals.pop(base.fingerprint, None)
        return Question(self.store.project, base, tuple(proposals.values()), self.wishes)


def _measures() -> list[tuple[str, str]]:
    """Return the measures that can be chosen, with their questions."""
    return [(name, measure_for_question(name).studio_question or name) for name in USUAL_QUESTIONS]


def _present(store: DraftStore, name: str) -> str:
    """Return a proposal's file or the address of its draft, whose name may be that of rules without a file."""
    page = None
    if rulesets.is_tried(name):
        with contextlib.suppress(InputError):
            page = store.present_page(rulesets.load_ruleset(name, store.project))
    return name if page is None else page[1] if page[0] == "file" else "/".join(page)


class Asking:
    """A question that pages show: its pilots on this machine, and the runs of its levels."""

    def __init__(self, studio: Studio, question: Question) -> None:
        self.question, self.runs, self.workers = question, studio.runs, studio.workers
        self.names = [path.stem for path in question.paths]
        self.estimate: Estimate | None = None
        self.seconds: list[float | None] = [asks.QUICK_SECONDS * len(question.rulesets), None, None]
        """The durations of the levels; None if unknown."""
        self.quick = asyncio.create_task(self.workers.strong.run(asks.design_quick, question))
        self.estimating = asyncio.create_task(self._estimate())
        # Whoever waits for the estimate reports a failure.
        self.estimating.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    async def _estimate(self) -> None:
        _, self.seconds[QUICK] = await asyncio.shield(self.quick)
        self.runs.notify()
        if (self.question.project.reports / self.names[-1] / report_files.PAGE).exists():
            return
        self.estimate = await self.workers.planning.run(asks.estimate_strong, self.question)
        self.seconds[STRONG:] = self.estimate.seconds
        for name, seconds in zip(self.names, self.seconds, strict=True):
            job = self.runs.queue.job(name)
            if job is not None and job.left is None:
                job.left = seconds
        self.runs.notify()

    @property
    def failed(self) -> bool:
        """True if the pilot failed, so that another page starts anew."""
        return self.quick.done() and (self.quick.cancelled() or self.quick.exception() is not None)

    async def start(self, level: int, language: str) -> None:
        """Write the files of all levels up to one, and queue those that are unfinished."""
        question = self.question
        await asyncio.to_thread(question.write_rules)
        runs = await self.workers.reading.run(load_runs, question.project, self.names[: level + 1])
        for number, (name, run) in enumerate(runs.items()):
            is_asked = question.path(number).exists()
            if is_asked and run.status.state is FolderState.DONE:
                continue
            if not is_asked:
                if number == QUICK:
                    games, self.seconds[QUICK] = await asyncio.shield(self.quick)
                elif number == STRONG:
                    games = question.strong_games
                else:
                    await asyncio.shield(self.estimating)
                    games = self.estimate.night_games if self.estimate else 2 * question.strong_games
                await asyncio.to_thread(question.write, number, games, language)
            with snapshot():
                self.runs.queue.add(name, language, self.seconds[number])

    def stop(self) -> None:
        """Stop all levels, the last one first."""
        for name in reversed(self.names):
            self.runs.queue.stop(name)


class AskPages:
    """The pages that ask about proposals."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.store = studio, studio.store
        self._asked: dict[Path, Asking] = {}

    def page(self, request: Request, kind: str, name: str) -> None:
        """Draw the page of a proposal."""
        visitor = Visitor.from_request(request)
        try:
            choice = Choice.of(self.store, kind, name, request.query_params)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store)
            return
        proposal = frame.Proposal(kind, name, self.store.title(choice.draft))
        frame.begin_page(visitor, "ask", choice.address, tr("Ask"), proposal)
        own = {choice.draft.name, choice.base, *choice.others}
        panel = AskPanel(
            own=visitor.translate(proposal.title),
            base=choice.base,
            address=f"/ask/{kind}/{quote(name)}",
            bases=visitor.localize([[base, title] for base, title in choice.titles.items() if "new/" not in base]),
            others=visitor.localize([[other, choice.titles[other]] for other in choice.others]),
            offered=visitor.localize([[other, title] for other, title in choice.titles.items() if other not in own]),
            wishes=choice.wishes._asdict(), measures=visitor.localize(_measures()),
            players=players_view(PLAYERS, visitor), rules=proposal.address("rules"), notes=[], trouble="", busy="",
            levels=[], run=None, page="", answers=[], change="", next=0, asked=-1,
        )  # fmt: skip
        try:
            question = choice.question()
        except InputError as error:
            problems = [problem_view(each, visitor, choice.draft.read().family)["message"] for each in error.problems]
            panel.show(notes=[visitor.translate(frame.NOT_PLAYABLE), *problems])
        except WorkbenchError as error:
            panel.show(notes=[visitor.translate(error_text(error))])
        else:
            _AskPage(self, choice, self.asking(question), panel, visitor)

    def asking(self, question: Question) -> Asking:
        """Return the pilots and runs of a question; the first call and one after a failure start its pilots."""
        key = question.path(QUICK)
        if key not in self._asked or self._asked[key].failed:
            self._asked[key] = Asking(self.studio, question)
        self._asked[key].question = question
        return self._asked[key]


class _AskPage:
    """An open page."""

    def __init__(self, pages: AskPages, choice: Choice, asking: Asking, panel: Panel, visitor: Visitor) -> None:
        self.choice, self.asking, self.panel, self.visitor = choice, asking, panel, visitor
        self.runs, self.reading = pages.studio.runs, pages.studio.workers.reading
        self.shown: list[str] = []
        """The addresses of the reports whose answers are shown."""
        panel.on("start", lambda event: self.start(int(event.args)))
        panel.on("stop", lambda _: asking.stop())
        self.show()
        self.runs.watch(panel.client, self.show)
        ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Read the report folders."""
        for name, path in zip(self.asking.names, self.asking.question.paths, strict=True):
            if path.exists():
                await self.runs.scan_run(name)
        await self.runs.refresh()
        self.show()
        await self.show_answers()

    async def start(self, level: int) -> None:
        """Ask up to a level."""
        visitor = self.visitor
        text = tr("Starting… (The first time, a game is prepared for fast play, which takes a minute.)")
        self.panel.show(trouble="", busy=visitor.translate(text))
        try:
            await self.asking.start(level, visitor.language)
        except WorkbenchError as error:
            self.panel.show(trouble=visitor.translate(error_text(error)))
        else:
            self.choice.store.record(self.choice.draft, "asked", self.asking.question.address)
        self.panel.show(busy="")
        self.show()

    def views(self) -> list[View | None]:
        """Return the runs of the levels, with None for those that were never asked."""
        return [self.runs.entry(name, self.visitor) for name in self.asking.names]

    def show(self) -> None:
        """Redraw the levels and the run in progress."""
        views = self.views()
        done = [view is not None and view["state"] == FolderState.DONE for view in views]
        active = [view for view in views if view and view["can"] == "stop"]
        run = active[0] if active else next((view for view in views if view and view["can"]), None)
        last = max((level for level in range(len(LEVELS)) if done[level]), default=-1)
        asked = max((level for level, view in enumerate(views) if view in active), default=-1)
        props = {
            "levels": self.levels(views), "run": run, "next": min(last + 1, len(LEVELS) - 1), "asked": asked,
            "ended": done[-1],
        }  # fmt: skip
        if any(self.panel.props.get(key) != value for key, value in props.items()):
            self.panel.show(**props)

    def levels(self, runs: Sequence[View | None]) -> list[View]:
        """Return the levels with their total times, or what becomes of them."""
        estimate, views, total = self.asking.estimate, [], 0.0
        for run, title, seconds, about in zip(runs, LEVELS, self.asking.seconds, ABOUT, strict=True):
            done, told = run is not None and run["state"] == FolderState.DONE, tr("measuring how long it takes…")
            if run is not None and (done or run["can"] == "stop"):
                told = run["phase"] or run["told"]
            elif seconds is not None:
                total += seconds
                told = tr("about {time}", time=rough_time(total))
                if estimate and seconds > estimate.training > 30 and title == LEVELS[STRONG]:
                    learning = rough_time(estimate.training)
                    told = tr("about {time}, of which {learning} learning", time=rough_time(total), learning=learning)
            views.append({"title": title, "told": told, "about": about, "done": done})
        return self.visitor.localize(views)

    async def show_answers(self) -> None:
        """Show the report of the strongest finished level, and what each level said."""
        views = self.views()
        finished = [view for view in views if view and view["page"] and view["state"] == FolderState.DONE]
        pages = [view["page"] for view in finished or [view for view in views if view and view["page"]]]
        if pages != self.shown:
            self.shown = pages
            names = [view["name"] for view in finished]
            self.panel.show(page=pages[-1] if pages else "")
            answers, change = await self.reading.run(report_files.read_levels, self.asking.question.project, names)
            self.panel.show(answers=self.visitor.localize(answers), change=self.visitor.translate(change))


ABOUT = (
    tr("Quick players: which way it goes."),
    tr("Players who learn each ruleset and think ahead: whether it holds."),
    tr("The same, with many more games: how much it matters."),
)


def register(studio: Studio) -> None:
    """Register the page."""
    ui.page("/ask/{kind}/{name:path}")(AskPages(studio).page)
