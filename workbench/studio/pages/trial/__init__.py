"""The page that tries rules out against others."""

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
from nicegui.element import Element

from workbench.base.errors import InputError, WorkbenchError, text_of
from workbench.base.language import join, tr
from workbench.base.yamlfile import snapshot
from workbench.studio import frame, interim_report, tryouts
from workbench.studio.documents.experiments import QUICK_PLAYERS
from workbench.studio.documents.rulesets import DraftStore, RulesetDocument
from workbench.studio.frame import Studio
from workbench.studio.opponents import players_view
from workbench.studio.runs import FIRST_RESULT_SECONDS, ExperimentRuns, format_time_span
from workbench.studio.tryouts import (
    OFFERED,
    Tryout,
    games_of_cell,
    make_tryout,
    measure_game_seconds,
)
from workbench.studio.visitor import View, Visitor, problem_view
from workbench.studio.workers import Workers


class TryPanel(Element, component="trial.js", esm=frame.SHARED):
    """The ruleset with which some rules are compared, and the button that tries them out."""


@dataclass
class Choice:
    """The rules of a page, and the rulesets with which they may be compared."""

    draft: RulesetDocument
    bases: dict[str, str]
    """The rulesets by name, with their titles."""
    base: str
    """One of the names; "" if there is none."""

    @classmethod
    @snapshot()
    def of(cls, store: DraftStore, kind: str, name: str, against: str = "") -> Choice:
        """The rules of a ruleset's page, to be compared with ``against``, else with a ruleset that they extend."""
        draft = store.draft(name, kind)
        own = "" if draft.new else draft.name
        bases = {one.name: one.heading for one in store.family_rulesets(draft.game) if one.name != own}
        wanted = [against, *(parent for parent, _ in draft.read().file.parents), *bases]
        return cls(draft, bases, next((one for one in wanted if one in bases), ""))

    def view(self) -> View:
        """Return the rulesets, and the chosen one."""
        return {"bases": [{"name": name, "title": title} for name, title in self.bases.items()], "base": self.base}

    def tryout(self) -> Tryout:
        """The experiment of the rules as they are now; raises a `WorkbenchError` if there is nothing to try out."""
        with snapshot():
            reading = self.draft.read()
            if reading.ruleset is not None and not self.base:
                raise WorkbenchError(tr("There is no other ruleset of this game to compare with."))
            tried = make_tryout(self.draft, reading, self.base)
        if not tried.differs:
            raise WorkbenchError(tr("These are the rules of {base}. Change something first.", base=self.base))
        return tried


PILOT_SECONDS = {False: 8.0, True: 50.0}
"""Seconds that a pilot takes on a machine with little else to do, without and with machine code to be made."""


@dataclass(frozen=True)
class Pilot:
    """A few games by which the size of a try-out is measured; the first ones of a game wait for its machine code."""

    seconds: asyncio.Task[float]
    compiles: asyncio.Task[bool]
    """True if machine code had to be made first."""
    begun: float

    def left(self, usual: Mapping[bool, float]) -> float:
        """The rest of a time that is usual ``{without, with}`` machine code to be made; known after `compiles`."""
        return max(0.0, self.begun + usual[self.compiles.result()] - time.monotonic())


def trial_view(store: DraftStore, of: str, keys: Mapping[str, Any], visitor: Visitor) -> View | None:
    """Return the rules that an experiment with these keys tries out; None if ``of`` is no page of rules."""
    kind, _, name = of.partition("/")
    try:
        chosen = Choice.of(store, kind, name, str(keys.get("baseline") or ""))
    except InputError:
        return None
    return {
        "of": f"{kind}/{quote(name)}",
        "back": frame.rules_address(kind, name),
        **visitor.localize(chosen.view()),
    }


class TryPages:
    """The try-outs of a studio."""

    def __init__(self, store: DraftStore, workers: Workers, shelf: ExperimentRuns) -> None:
        self.store, self.workers, self.shelf = store, workers, shelf
        self._starting: dict[Path, asyncio.Task[None]] = {}
        self._pilots: dict[tuple[Path, str], Pilot] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def page(self, request: Request, kind: str, name: str, against: str = "") -> Response | None:
        """Return the rules of a ruleset's page, to be tried out, or a redirection to their experiment."""
        visitor = Visitor.from_request(request)
        game, of = name.partition("/")[0], f"{kind}/{quote(name)}"
        try:
            chosen = Choice.of(self.store, kind, name, against)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.store.family_rulesets(game))
            return None
        tried, notes, same = None, [], False
        try:
            tried = chosen.tryout()
        except InputError as error:
            family = chosen.draft.read().family
            told = [problem_view(each, visitor, family)["message"] for each in error.problems]
            notes = [visitor.translate(frame.NOT_PLAYABLE), *told]
        except WorkbenchError as error:
            notes, same = [visitor.translate(text_of(error))], bool(chosen.base)
        if tried is not None and tried.written:
            return RedirectResponse(experiment_address(tried, f"{kind}/{name}"), status_code=303)
        here = f"/try/{of}" + (f"?{urlencode({'against': against})}" if against else "")
        title = visitor.translate(join(": ", (tr("Try it out"), self.store.title(chosen.draft))))
        frame.begin_page(visitor, "try", here, game, title=title, play=f"/play/{of}")
        panel = TryPanel()
        panel.props["back"] = frame.rules_address(kind, name)
        panel.props["of"] = of
        panel.props["choice"] = visitor.localize(chosen.view())
        panel.props["rules"] = visitor.translate(chosen.draft.title(chosen.draft.read()))
        panel.props["notes"], panel.props["trouble"], panel.props["busy"] = notes, "", False
        panel.props["same"] = same
        panel.props["first_in"], panel.props["pilot"] = 0, None
        panel.props["players"] = players_view(QUICK_PLAYERS, visitor)
        panel.props["sizes"], panel.props["measured"] = sizes_view(None, visitor), False

        def expect(seconds: float) -> None:
            panel.props["first_in"] = seconds
            panel.update()

        async def measure(pilot: Pilot) -> None:
            compiles = await asyncio.shield(pilot.compiles)
            panel.props["pilot"] = {"compiles": compiles, "left": pilot.left(PILOT_SECONDS)}
            panel.update()
            panel.props["sizes"] = sizes_view(await asyncio.shield(pilot.seconds), visitor)
            panel.props["measured"] = True
            panel.update()

        async def start(given: Any) -> None:
            panel.props["trouble"], panel.props["busy"] = "", True
            panel.update()
            try:
                tried = chosen.tryout()
                await self.start(tried, visitor.language, expect, int(given.args or 0))
            except WorkbenchError as error:
                panel.props["trouble"], panel.props["busy"] = visitor.translate(text_of(error)), False
                panel.update()
            else:
                panel.client.open(experiment_address(tried, f"{kind}/{name}"))

        panel.on("start", start)
        # While its user still reads the page.
        if tried is not None and not tried.path.exists():
            self._keep(asyncio.create_task(measure(self._pilot(tried))))
        self._keep(asyncio.create_task(self.workers.planning.run(interim_report.load_statistics)))
        return None

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Hold a task that nobody may wait for until it has ended."""

        def end(ended: asyncio.Task[Any]) -> None:
            self._tasks.discard(ended)
            if not ended.cancelled():
                ended.exception()  # Nobody may ask for it.

        self._tasks.add(task)
        task.add_done_callback(end)

    def _pilot(self, tried: Tryout) -> Pilot:
        """Return the pilot of a try-out, which begins with the first call; one that failed begins anew."""
        about = tried.path, tried.pilot_text
        pilot = self._pilots.get(about)
        if pilot is None or (pilot.seconds.done() and (pilot.seconds.cancelled() or pilot.seconds.exception())):
            asked = tried.path, tried.project, tried.pilot_text
            # Both begin at once: what is to be made takes longer than to see that it is missing.
            pilot = self._pilots[about] = Pilot(
                asyncio.create_task(self.workers.strong.run(measure_game_seconds, *asked, tried.own)),
                asyncio.create_task(self.workers.planning.run(tryouts.pilot_must_compile, *asked)),
                time.monotonic(),
            )
            self._keep(pilot.seconds)
            self._keep(pilot.compiles)
        return pilot

    async def start(self, tried: Tryout, language: str, expect: Callable[[float], object], games: int) -> None:
        """Write the files of a try-out where there are none, and put it into the queue; charts have its language.

        ``games``: see `tryouts.games_of_cell`. ``expect`` is called with the seconds up to the first result, if this
        call begins it.
        """
        if tried.path not in self._starting:
            self._starting[tried.path] = asyncio.create_task(self._start(tried, language, expect, games))
        await asyncio.shield(self._starting[tried.path])

    async def _start(self, tried: Tryout, language: str, expect: Callable[[float], object], games: int) -> None:
        try:
            await asyncio.to_thread(tried.write_rules)
            if not tried.path.exists():
                pilot = self._pilot(tried)
                await asyncio.shield(pilot.compiles)
                expect(max(FIRST_RESULT_SECONDS[False], pilot.left(FIRST_RESULT_SECONDS)))
                await asyncio.to_thread(tried.write, await asyncio.shield(pilot.seconds), games, language)
                del self._pilots[tried.path, tried.pilot_text]
            with snapshot():
                self.shelf.queue.add(tried.path, language)
        finally:
            del self._starting[tried.path]


def sizes_view(seconds: float | None, visitor: Visitor) -> list[dict[str, Any]]:
    """Return the numbers of games that may be chosen, see `tryouts.games_of_cell`, and the time that they take."""
    sizes = []
    for games in (0, *OFFERED):
        played = games_of_cell(seconds or 0.0, games)
        total = f"{2 * len(QUICK_PLAYERS) * played:,}"
        told = tr("at most {total} games", total=total) if games else tr("As many as suit this machine")
        if seconds is not None:
            span = format_time_span(seconds * played / (os.cpu_count() or 1), visitor)
            told = tr("at most {total} games, at most {time}", total=total, time=span)
        sizes.append({"games": games, "told": visitor.translate(told)})
    return sizes


def experiment_address(tried: Tryout, of: str) -> str:
    """Return the page of its experiment, which leads back to its rules, ``of`` such as ``file/star/5x5``."""
    return f"/experiment/{quote(tried.path.stem, safe='')}?{urlencode({'of': of})}"


def register(studio: Studio) -> None:
    """Give the page its address."""
    pages = TryPages(studio.store, studio.workers, studio.experiments)
    ui.page("/try/{kind}/{name:path}")(pages.page)
