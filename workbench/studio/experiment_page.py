"""The pages of experiments: rules that are tried out, the list, and one with its file, what it costs, and its run."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.base.errors import InputError, WorkbenchError, text_of
from workbench.base.language import join, tr
from workbench.base.yamlfile import snapshot
from workbench.rules.rulesets import tried_ruleset_names
from workbench.studio import experiments, findings, frame, rules_view
from workbench.studio.drafts import Desk, Draft, Kind
from workbench.studio.experiments import (
    OFFERED,
    QUICK_PLAYERS,
    ExperimentSheet,
    ExperimentSheets,
    Tryout,
    games_of_cell,
    make_tryout,
    measure_game_seconds,
)
from workbench.studio.frame import SheetPage, SheetPages
from workbench.studio.report_files import ways_on
from workbench.studio.shelf import FIRST_FINDINGS, Runs, Shelf
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers


class TryPanel(Element, component="parts/trial.js", esm=frame.SHARED):
    """With what some rules are compared, and the button that tries them out."""


@dataclass
class Choice:
    """The rules of a page, and what they may be compared with."""

    draft: Draft
    names: list[str]
    base: str
    """One of the names; empty if there is none."""

    def tryout(self) -> Tryout:
        """The experiment that this is, with the rules as they are now.

        Raises:
            InputError: there is nothing to try out.
        """
        with snapshot():
            reading = self.draft.read()
            if reading.ruleset is None:
                raise InputError(list(reading.problems))
            if not self.base:
                raise WorkbenchError(tr("There is no other ruleset of this game to compare with."))
            tried = make_tryout(self.draft, reading, self.base)
        if not tried.differs:
            raise WorkbenchError(tr("These are the rules of {base}. Change something first.", base=self.base))
        return tried


PILOT_SECONDS = {False: 8.0, True: 50.0}
"""Seconds that a pilot takes on a machine with little else to do, without and with machine code to be made."""


@dataclass(frozen=True)
class Pilot:
    """A few games that tell how large a try-out may be; the first ones of a game wait for its machine code."""

    seconds: asyncio.Task[float]
    compiles: asyncio.Task[bool]
    """Whether machine code had to be made first."""
    begun: float

    def left(self, usual: Mapping[bool, float]) -> float:
        """What is left of a time that is usual ``{without, with}`` machine code to be made; known after `compiles`."""
        return max(0.0, self.begun + usual[self.compiles.result()] - time.monotonic())


class TryPages:
    """The try-outs of a studio."""

    def __init__(self, desk: Desk, workers: Workers, shelf: Shelf) -> None:
        self.desk, self.workers, self.shelf = desk, workers, shelf
        self._starting: dict[Path, asyncio.Task[None]] = {}
        self._pilots: dict[tuple[Path, str], Pilot] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def choice(self, kind: str, name: str, against: str = "") -> Choice:
        """The rules of a ruleset's page, to be compared with ``against``, else with what they extend.

        Raises:
            InputError: there are no such rules.
        """
        if kind not in get_args(Kind):
            raise InputError([])
        draft = self.desk.draft(name, kind)  # type: ignore[arg-type]
        with snapshot():
            own = draft.name if draft.kind == "file" else ""
            names = [one.name for one in self.desk.family_rulesets(draft.game) if one.name != own]
            parents = [parent for parent, _ in draft.read().file.parents if parent in names]
        return Choice(draft, names, against if against in names else next(iter([*parents, *names]), ""))

    def bases(self, choice: Choice, visitor: Visitor) -> list[dict[str, str]]:
        """What the rules may be compared with, by titles."""
        listed = {one.name: one.heading for one in self.desk.family_rulesets(choice.draft.game)}
        return [{"name": name, "title": visitor.translate(listed[name])} for name in choice.names]

    def view(self, of: str, said: Mapping[str, Any], visitor: Visitor) -> dict[str, Any] | None:
        """What the page of an experiment says of the rules that it tries out; None if ``of`` is no page of rules."""
        kind, _, name = of.partition("/")
        try:
            choice = self.choice(kind, name, str(said.get("baseline") or ""))
        except InputError:
            return None
        return {
            "of": f"{kind}/{quote(name)}",
            "back": frame.rules_address(kind, name),
            "bases": self.bases(choice, visitor),
            "base": choice.base,
        }

    def page(self, request: Request, kind: str, name: str, against: str = "") -> Response | None:
        """The rules of a ruleset's page, to be tried out; what was tried out before leads to its experiment."""
        visitor = Visitor.from_request(request)
        game, of = name.partition("/")[0], f"{kind}/{quote(name)}"
        try:
            choice = self.choice(kind, name, against)
        except InputError as error:
            frame.missing_page(visitor, name, error, self.desk.family_rulesets(game))
            return None
        tried, notes, same = None, [], False
        try:
            tried = choice.tryout()
        except InputError as error:
            family = choice.draft.read().family
            told = [rules_view.ruleset_problem_view(each, visitor, family)["message"] for each in error.problems]
            notes = [visitor.translate(frame.NOT_PLAYABLE), *told]
        except WorkbenchError as error:
            notes, same = [visitor.translate(text_of(error))], bool(choice.base)
        if tried is not None and tried.written:
            return RedirectResponse(experiment_address(tried, f"{kind}/{name}"), status_code=303)
        here = f"/try/{of}" + (f"?{urlencode({'against': against})}" if against else "")
        title = visitor.translate(join(": ", (tr("Try it out"), self.desk.title(choice.draft))))
        frame.begin_page(visitor, "try", here, game, title=title, play=f"/play/{of}")
        panel = TryPanel()
        panel.props["back"] = frame.rules_address(kind, name)
        panel.props["of"] = of
        panel.props["choice"] = {"bases": self.bases(choice, visitor), "base": choice.base}
        panel.props["rules"] = visitor.translate(choice.draft.title(choice.draft.read()))
        panel.props["notes"], panel.props["trouble"], panel.props["busy"] = notes, "", False
        panel.props["same"] = same
        panel.props["first_in"], panel.props["pilot"] = 0, None
        panel.props["players"] = experiments.players_view(QUICK_PLAYERS, visitor)
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
                tried = choice.tryout()
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
        self._keep(asyncio.create_task(self.workers.planning.run(findings.load_statistics)))
        return None

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Holds a task that nobody may wait for until it has ended, whatever becomes of it."""

        def end(ended: asyncio.Task[Any]) -> None:
            self._tasks.discard(ended)
            if not ended.cancelled():
                ended.exception()  # Whoever waits for it is told; nobody may.

        self._tasks.add(task)
        task.add_done_callback(end)

    def _pilot(self, tried: Tryout) -> Pilot:
        """The pilot of a try-out, which begins with the first call; one that failed begins anew."""
        about = tried.path, tried.pilot_text
        pilot = self._pilots.get(about)
        if pilot is None or (pilot.seconds.done() and (pilot.seconds.cancelled() or pilot.seconds.exception())):
            asked = tried.path, tried.project, tried.pilot_text
            # Both begin at once: what is to be made takes longer than to see that it is missing.
            pilot = self._pilots[about] = Pilot(
                asyncio.create_task(self.workers.strong.run(measure_game_seconds, *asked, tried.own)),
                asyncio.create_task(self.workers.planning.run(experiments.pilot_must_compile, *asked)),
                time.monotonic(),
            )
            self._keep(pilot.seconds)
            self._keep(pilot.compiles)
        return pilot

    async def start(self, tried: Tryout, language: str, expect: Callable[[float], object], games: int) -> None:
        """Puts the try-out into the queue, after its files were written where there are none; charts have its language.

        ``games``: see `experiments.games_of_cell`. ``expect`` is called with the seconds in which the first result is
        expected, if it is begun by this call.

        Raises:
            InputError: the place of a file is none of the project's.
            Unwritable: the disk is full, say.
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
                expect(max(FIRST_FINDINGS[False], pilot.left(FIRST_FINDINGS)))
                await asyncio.to_thread(tried.write, await asyncio.shield(pilot.seconds), games, language)
                del self._pilots[tried.path, tried.pilot_text]
            with snapshot():
                self.shelf.queue.add(tried.path, language)
        finally:
            del self._starting[tried.path]


def sizes_view(seconds: float | None, visitor: Visitor) -> list[dict[str, Any]]:
    """How many games may be chosen, see `experiments.games_of_cell`, and how long that takes where it is known."""
    sizes = []
    for games in (0, *OFFERED):
        played = games_of_cell(seconds or 0.0, games)
        total = f"{2 * len(QUICK_PLAYERS) * played:,}"
        told = tr("at most {total} games", total=total) if games else tr("As many as suit this machine")
        if seconds is not None:
            span = experiments.format_time_span(seconds * played / (os.cpu_count() or 1), visitor)
            told = tr("at most {total} games, at most {time}", total=total, time=span)
        sizes.append({"games": games, "told": visitor.translate(told)})
    return sizes


def experiment_address(tried: Tryout, of: str) -> str:
    """The page of its experiment, which leads back to the rules ``of`` which it is, such as ``file/star/5x5``."""
    return f"/experiment/{quote(tried.path.stem, safe='')}?{urlencode({'of': of})}"


REFRESH_SECONDS = 3.0
"""Seconds between two looks at the folders while a page shows one."""
SETTABLE = ("question", "games", "baseline")
"""Keys that the page sets besides the lists that are ticked."""


class ExperimentPanel(Element, component="parts/experiment.js", esm=frame.SHARED):
    """What is asked, its file, and what it costs."""


class ShelfPanel(Element, component="parts/shelf.js", esm=frame.SHARED):
    """All experiments, with what is played and what waits."""


class ExperimentPages(SheetPages[ExperimentSheet]):
    """The experiments that are made, changed and run on pages."""

    area, listing, panel_type = "experiment", "experiments", ExperimentPanel
    new_text, own_text = tr("New experiment"), tr("The experiment {name}")
    sheets: ExperimentSheets
    shelf: Shelf

    def __init__(self, desk: Desk, workers: Workers, shelf: Shelf, trying: TryPages) -> None:
        super().__init__(ExperimentSheets(desk.project, desk.unsaved), shelf)
        self.desk, self.workers, self.trying = desk, workers, trying

    def register(self) -> None:
        """Gives each page its address."""
        ui.page("/experiments")(self.list_all)
        ui.page("/new-experiment")(self.new)
        ui.page("/experiment/{name}")(self.of)

    def list_all(self, request: Request) -> None:
        """All experiments."""
        shelf, visitor = self.shelf, Visitor.from_request(request)
        frame.begin_page(visitor, "experiments", "/experiments", "", title=visitor.translate(tr("Experiments")))
        panel = ShelfPanel()
        panel.on("move", lambda given: shelf.move(str(given.args["name"]), int(given.args["place"])))
        show_list(panel, shelf, visitor)

    def new(self, request: Request) -> None:
        """A new experiment, with the rulesets that the address names, or like another one but for its players."""
        visitor = Visitor.from_request(request)
        known = {one.name for game in self.desk.games() for one in self.desk.family_rulesets(game)}
        tried = tried_ruleset_names(self.desk.project)
        asked = request.query_params.getlist("ruleset")
        asked = [name for name in dict.fromkeys(asked) if name in known or name in tried]
        like = request.query_params.get("like", "")
        self.show(request, self.sheets.new_sheet(asked, visitor.language, like), visitor)

    def show(self, request: Request, sheet: ExperimentSheet, visitor: Visitor) -> None:
        """The page of a sheet."""
        of = request.query_params.get("of", "")
        trial = None if sheet.new else self.trying.view(of, sheet.read().said, visitor)
        query, play = (f"?{urlencode({'of': of})}", f"/play/{trial['of']}") if trial else ("", "")
        panel = self.begin(request, sheet, visitor, query, play)
        panel.props["trial"] = trial
        panel.props["choices"] = experiments.choices_view(self.desk, visitor)
        panel.props["cost"] = panel.props["outlook"] = None
        panel.props["ways"] = []
        _ExperimentPage(self, sheet, panel, visitor)


class _ExperimentPage(SheetPage):
    """One page on one sheet."""

    area = "experiment"
    sheet: ExperimentSheet

    def __init__(self, asking: ExperimentPages, sheet: ExperimentSheet, panel: Element, visitor: Visitor) -> None:
        super().__init__(asking.sheets, sheet, panel, asking.pages, visitor, asking.shelf.play)
        self.asking = asking
        self.looked_at = ""
        """The text that the outlook is about."""
        self.on_event("tick", lambda given: sheet.tick(given["key"], str(given["word"])))
        self.on_event("untick", lambda given: sheet.untick(given["key"], int(given["place"])))
        self.on_event("set", self.set)
        panel.on("foretell", self.plan_costs)
        panel.on("report", lambda _: asking.shelf.write_report(sheet.name, visitor.language))
        panel.on("stop", lambda _: asking.shelf.stop(sheet.name))
        self.show()
        if not sheet.new:
            asking.shelf.watch(self.client, self.show_run)
            ui.timer(REFRESH_SECONDS, self.look, immediate=True)

    async def look(self) -> None:
        """Looks at the report folder, before all others."""
        await self.asking.shelf.look_at(self.sheet.name)
        await self.asking.shelf.refresh()
        self.show_run()

    def show(self) -> None:
        """Draws the page anew."""
        view = experiments.sheet_view(self.sheet, self.visitor)
        view["wrong"] = self.problem_views(self.wrong)
        self.panel.props["state"] = view
        if self.looked_at != self.sheet.text:
            self.panel.props["outlook"] = None
            if not view["problems"]:
                self.looked_at = self.sheet.text
                with self.client:
                    ui.timer(0, self.show_outlook, once=True)
        self.panel.update()

    def show_run(self) -> None:
        """Draws what is known of the run."""
        self.asking.shelf.update_findings(self.sheet.name)
        run, before = self.asking.shelf.entry(self.sheet.name, self.visitor), self.panel.props["run"]
        if run and run["page"] and not (before and before["page"] == run["page"] and self.panel.props["ways"]):
            self.panel.props["ways"] = ways_on(self.sheet.project, self.sheet.name, self.visitor)
        if run != before:
            self.panel.props["run"] = run
            self.panel.update()

    def set(self, given: Any) -> None:
        """Sets one of the keys that have a field of their own."""
        key, value = str(given["key"]), given["value"]
        if key in SETTABLE:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            default = key == "question" and value == "first_score"
            self.sheet.set(key, None if value in (None, "") or default else value)

    async def show_outlook(self) -> None:
        """Says what the experiment can find, and what only a game can say of its file."""
        text, sheet = self.sheet.text, self.sheet
        try:
            told = await self.asking.workers.quick.run(experiments.describe_outlook, sheet.path, sheet.project, text)
        except WorkbenchError:
            return
        if text != self.sheet.text:
            return
        self.panel.props["outlook"] = {
            "problems": self.problem_views(told["problems"]),
            "lines": [self.visitor.translate(line) for line in told["lines"]],
            "programs": told["programs"] and not self.asking.shelf.queue.programs,
        }
        self.panel.update()

    async def plan_costs(self, _: GenericEventArguments) -> None:
        """Plays a pilot in a process of its own, and shows what the experiment would cost."""
        text, sheet, worker = self.sheet.text, self.sheet, self.asking.workers.planning
        if self.sheet.read().experiment is None:
            return
        about = sheet.path, sheet.project, text
        self._cost({"state": "waiting"})
        try:
            if await worker.run(experiments.pilot_must_compile, *about):
                self._cost({"state": "compiling"})
            plan = await worker.run(experiments.plan_costs, *about, self.asking.shelf.queue.programs)
        except WorkbenchError as error:
            self._cost({"state": "wrong", "why": self.visitor.translate(text_of(error))})
            return
        self._cost({"state": "told", "text": text, **experiments.costs_view(plan, self.visitor)})

    def _cost(self, told: dict[str, Any]) -> None:
        self.panel.props["cost"] = told
        self.panel.update()


def show_list(panel: Element, shelf: Runs[Any], visitor: Visitor) -> None:
    """Lets a panel list what is on a shelf, play and stop it, and keeps it up to date."""
    panel.props["language"] = visitor.language
    panel.props["trouble"] = ""

    def show() -> None:
        rows = shelf.rows(visitor)
        if panel.props.get("rows") != rows or panel.props.get("looked") != shelf.looked:
            panel.props["rows"], panel.props["looked"] = rows, shelf.looked
            panel.update()

    async def play(given: GenericEventArguments) -> None:
        panel.props["trouble"] = ""
        try:
            await shelf.play(str(given.args), visitor.language)
        except WorkbenchError as error:
            panel.props["trouble"] = visitor.translate(error.told(visitor.language))
        panel.update()

    panel.on("play", play)
    panel.on("stop", lambda given: shelf.stop(str(given.args)))
    show()
    shelf.watch(panel.client, show)
    ui.timer(REFRESH_SECONDS, shelf.refresh, immediate=True)
