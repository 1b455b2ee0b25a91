"""The page that tries rules out against a baseline."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import ui

from workbench.base.errors import InputError, WorkbenchError, error_text
from workbench.base.language import join, tr
from workbench.base.yamlfile import snapshot
from workbench.runs.executor import format_duration
from workbench.studio import frame, interim_report, tryouts
from workbench.studio.documents.experiments import QUICK_PLAYERS
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Studio, component
from workbench.studio.opponents import players_view
from workbench.studio.runs import FIRST_RESULT_SECONDS, ExperimentRuns
from workbench.studio.tryouts import OFFERED, Tryout, games_per_cell, make_tryout, measure_game_seconds
from workbench.studio.visitor import View, Visitor, problem_view
from workbench.studio.workers import Workers

TryPanel = component("trial.js", __file__)


@dataclass
class Choice:
    """A page's rules and the rulesets they may be compared with."""

    draft: RulesetDocument
    bases: dict[str, str]
    """Rulesets by name -> their titles."""
    base: str
    """The chosen baseline; "" if there is none."""

    @classmethod
    @snapshot()
    def of(cls, store: DraftStore, kind: str, name: str, against: str = "") -> Choice:
        """Return the choice for a ruleset page, with ``against`` or else a parent ruleset as the baseline."""
        draft = store.draft(name, kind)
        own = "" if draft.new else draft.name
        bases = {item.name: item.heading for item in store.family_rulesets(draft.game) if item.name != own}
        preferred = [against, *(parent for parent, _ in draft.read().file.parents), *bases]
        return cls(draft, bases, next((base for base in preferred if base in bases), ""))

    def view(self) -> View:
        """Return the rulesets and the chosen baseline."""
        return {"bases": [{"name": name, "title": title} for name, title in self.bases.items()], "base": self.base}

    def tryout(self) -> Tryout:
        """Return the try-out; raises `WorkbenchError` if the rules have problems or equal the baseline."""
        with snapshot():
            reading = self.draft.read()
            if reading.ruleset is not None and not self.base:
                raise WorkbenchError(tr("There is no other ruleset of this game to compare with."))
            tryout = make_tryout(self.draft, reading, self.base)
        if not tryout.differs:
            raise WorkbenchError(tr("These are the rules of {base}. Change something first.", base=self.base))
        return tryout


PILOT_SECONDS = {False: 8.0, True: 50.0}
"""Duration in seconds of a pilot on an idle machine, without and with compilation."""


@dataclass(frozen=True)
class Pilot:
    """Pilot games that determine a try-out's size; the first pilot of a game compiles its code."""

    seconds: asyncio.Task[float]
    compiles: asyncio.Task[bool]
    """True if compilation was necessary."""
    begun: float

    def left(self, durations: Mapping[bool, float]) -> float:
        """Return the time left, given the durations without and with compilation; requires `compiles`."""
        return max(0.0, self.begun + durations[self.compiles.result()] - time.monotonic())


def trial_view(store: DraftStore, of: str, keys: Mapping[str, Any], visitor: Visitor) -> View | None:
    """Return the rules that an experiment with these keys tries out, or None if ``of`` is not a ruleset page."""
    kind, _, name = of.partition("/")
    try:
        choice = Choice.of(store, kind, name, str(keys.get("baseline") or ""))
    except InputError:
        return None
    page = f"{kind}/{quote(name)}"
    return {"of": page, "back": frame.rules_address(kind, name), **visitor.localize(choice.view())}


class TryPages:
    """The try-outs of a studio."""

    def __init__(self, store: DraftStore, workers: Workers, runs: ExperimentRuns) -> None:
        self.store, self.workers, self.runs = store, workers, runs
        self._starting: dict[Path, asyncio.Task[None]] = {}
        self._pilots: dict[tuple[Path, str], Pilot] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def page(self, request: Request, kind: str, name: str, against: str = "") -> Response | None:
        """Draw the page of a ruleset's try-out, or redirect to its experiment."""
        visitor = Visitor.from_request(request)
        game, of = name.partition("/")[0], f"{kind}/{quote(name)}"
        try:
            choice = Choice.of(self.store, kind, name, against)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store.family_rulesets(game))
            return None
        tryout, notes, is_same = None, [], False
        try:
            tryout = choice.tryout()
        except InputError as error:
            family = choice.draft.read().family
            problems = [problem_view(problem, visitor, family)["message"] for problem in error.problems]
            notes = [visitor.translate(frame.NOT_PLAYABLE), *problems]
        except WorkbenchError as error:
            notes, is_same = [visitor.translate(error_text(error))], bool(choice.base)
        if tryout is not None and tryout.written:
            return RedirectResponse(experiment_address(tryout, f"{kind}/{name}"), status_code=303)
        address = f"/try/{of}" + (f"?{urlencode({'against': against})}" if against else "")
        title = join(": ", (tr("Try it out"), self.store.title(choice.draft)))
        proposal = frame.Proposal(kind, name, self.store.title(choice.draft))
        frame.begin_page(visitor, "ask", address, game, title=title, proposal=proposal, tab="ask")
        panel = TryPanel(
            back=frame.rules_address(kind, name), of=of, choice=visitor.localize(choice.view()),
            rules=visitor.translate(choice.draft.title(choice.draft.read())), notes=notes, same=is_same,
            trouble="", busy=False, first_in=0, pilot=None, measured=False,
            players=players_view(QUICK_PLAYERS, visitor), sizes=sizes_view(None, visitor),
        )  # fmt: skip

        async def measure(pilot: Pilot) -> None:
            compiles = await asyncio.shield(pilot.compiles)
            panel.show(pilot={"compiles": compiles, "left": pilot.left(PILOT_SECONDS)})
            panel.show(sizes=sizes_view(await asyncio.shield(pilot.seconds), visitor), measured=True)

        async def start(event: Any) -> None:
            panel.show(trouble="", busy=True)
            try:
                tryout = choice.tryout()
                games = int(event.args or 0)
                await self.start(tryout, visitor.language, lambda seconds: panel.show(first_in=seconds), games)
            except WorkbenchError as error:
                panel.show(trouble=visitor.translate(error_text(error)), busy=False)
            else:
                panel.client.open(experiment_address(tryout, f"{kind}/{name}"))

        panel.on("start", start)
        # These tasks start while the user reads the page.
        if tryout is not None and not tryout.path.exists():
            self._keep(asyncio.create_task(measure(self._pilot(tryout))))
        self._keep(asyncio.create_task(self.workers.planning.run(interim_report.load_statistics)))
        return None

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Keep a reference to a task until it ends, and retrieve its exception."""

        def end(ended: asyncio.Task[Any]) -> None:
            self._tasks.discard(ended)
            if not ended.cancelled():
                ended.exception()

        self._tasks.add(task)
        task.add_done_callback(end)

    def _pilot(self, tryout: Tryout) -> Pilot:
        """Return a try-out's pilot; the first call starts it, and a call after a failure restarts it."""
        key = tryout.path, tryout.pilot_text
        pilot = self._pilots.get(key)
        if pilot is None or (pilot.seconds.done() and (pilot.seconds.cancelled() or pilot.seconds.exception())):
            arguments = tryout.path, tryout.project, tryout.pilot_text
            # Both tasks start at once because compilation takes longer than the check for missing code.
            pilot = self._pilots[key] = Pilot(
                asyncio.create_task(self.workers.strong.run(measure_game_seconds, *arguments, tryout.own)),
                asyncio.create_task(self.workers.planning.run(tryouts.pilot_must_compile, *arguments)),
                time.monotonic(),
            )
            self._keep(pilot.seconds)
            self._keep(pilot.compiles)
        return pilot

    async def start(self, tryout: Tryout, language: str, expect: Callable[[float], object], games: int) -> None:
        """Write a try-out's missing files and queue it; charts are drawn in the language.

        `tryouts.games_per_cell` explains ``games``. ``expect`` receives the seconds until the first result if this
        call writes the experiment.
        """
        if tryout.path not in self._starting:
            self._starting[tryout.path] = asyncio.create_task(self._start(tryout, language, expect, games))
        await asyncio.shield(self._starting[tryout.path])

    async def _start(self, tryout: Tryout, language: str, expect: Callable[[float], object], games: int) -> None:
        try:
            await asyncio.to_thread(tryout.write_rules)
            if not tryout.path.exists():
                pilot = self._pilot(tryout)
                await asyncio.shield(pilot.compiles)
                expect(max(FIRST_RESULT_SECONDS[False], pilot.left(FIRST_RESULT_SECONDS)))
                await asyncio.to_thread(tryout.write, await asyncio.shield(pilot.seconds), games, language)
                del self._pilots[tryout.path, tryout.pilot_text]
            with snapshot():
                self.runs.queue.add(tryout.path, language)
        finally:
            del self._starting[tryout.path]


def sizes_view(seconds: float | None, visitor: Visitor) -> list[View]:
    """Return the numbers of games that can be chosen, with durations if ``seconds`` (see `games_per_cell`) is known."""
    sizes = []
    for games in (0, *OFFERED):
        count = games_per_cell(seconds or 0.0, games)
        total = f"{2 * len(QUICK_PLAYERS) * count:,}"
        text = tr("at most {total} games", total=total) if games else tr("A number that suits this machine")
        if seconds is not None:
            span = visitor.translate(format_duration(seconds * count / (os.cpu_count() or 1)))
            text = tr("at most {total} games, at most {time}", total=total, time=span)
        sizes.append({"games": games, "told": visitor.translate(text)})
    return sizes


def experiment_address(tryout: Tryout, of: str) -> str:
    """Return the address of a try-out's experiment, with a link back to a ruleset page such as ``file/star/5x5``."""
    return f"/experiment/{quote(tryout.path.stem, safe='')}?{urlencode({'of': of})}"


def register(studio: Studio) -> None:
    """Register the page."""
    pages = TryPages(studio.store, studio.workers, studio.experiments)
    ui.page("/try/{kind}/{name:path}")(pages.page)
