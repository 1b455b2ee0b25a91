"""The page on which rules are tried out: a run against their base, and what it says so far."""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

from fastapi import Request
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import InputError, WorkbenchError, display_path, text_of
from workbench.files.yamlfile import snapshot
from workbench.language import listed, verbatim
from workbench.questions import experiment as experiments
from workbench.questions.experiment import Experiment
from workbench.report.numbers import MINUS, format_difference, format_percent
from workbench.run.status import FolderState, FolderStatus
from workbench.store import provenance, records
from workbench.studio import findings, frame, report_files, rules_view
from workbench.studio.drafts import Desk, Draft, Kind
from workbench.studio.editing import Pages
from workbench.studio.replay_page import BOARD
from workbench.studio.shelf import Entry, Shelf
from workbench.studio.tryout import (
    ANALYSES,
    BLOCKS,
    LEAST,
    MARGIN,
    Tryout,
    load_engine,
    make_tryout,
    measure_game_seconds,
)
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS, translated_words
from workbench.studio.workers import Workers

REFRESH_SECONDS = 0.5
"""Seconds between two looks at what the page shows."""
VERDICT_TEXTS = {
    "fairer": WORDS["try_says_fairer"],
    "less_fair": WORDS["try_says_less_fair"],
    "no_meaningful_difference": WORDS["try_says_no_meaningful_difference"],
}
HEADLINES = {
    "fairer": WORDS["try_fairer"],
    "less_fair": WORDS["try_less_fair"],
    "no_meaningful_difference": WORDS["try_no_meaningful_difference"],
    "undecided": WORDS["try_undecided"],
}


class TryPanel(Element, component="parts/trial.js"):
    """A run of two rulesets, and what it says so far."""


@dataclass
class _FolderFindings:
    """What is known of a report folder, for all pages that show it."""

    stamp: object = None
    """What `_stamp` said of the folder when `findings` were read."""
    latest: object = None
    """What it says now."""
    findings: dict[str, Any] | None = None
    replays: dict[str, Any] | None = None
    """Three of its games, see `findings.replay_chosen_games`; None: not asked for yet, or there are none."""
    played: int = -1
    """The games that these are chosen among."""
    preparing: bool = False
    trouble: str = ""
    busy: bool = False
    """Whether a process reads the folder, or plays games of it again."""


class TryPages:
    """The try-outs of a studio."""

    def __init__(self, desk: Desk, workers: Workers, shelf: Shelf, drafts: Pages) -> None:
        self.desk = desk
        self.workers = workers
        self.shelf = shelf
        self.queue = shelf.queue
        self.drafts = drafts
        self._known: dict[Path, _FolderFindings] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._warm = False

    async def page(self, request: Request, kind: str, name: str, against: str = "") -> None:
        """The rules of a ruleset's page, tried out."""
        visitor = Visitor.from_request(request)
        game = name.partition("/")[0]
        try:
            if kind not in get_args(Kind):
                raise InputError([])
            draft = self.desk.draft(name, kind)  # type: ignore[arg-type]
        except InputError as error:
            frame.begin_page(visitor, "", "/", "")
            ui.context.client.status_code = 404
            frame.missing_page(visitor, game, error)
            return
        here = f"/try/{kind}/{quote(name)}"
        back = f"{here}?against={quote(against)}" if against else here
        frame.begin_page(visitor, "try", back, game, title=name, play=f"/play/{kind}/{quote(name)}")
        panel = TryPanel()
        panel.props["words"] = translated_words(visitor.language)
        panel.props["back"] = f"/{'edit' if kind == 'file' else 'rules'}/{quote(name)}"
        panel.props["here"] = here
        panel.props["script"] = BOARD
        _TryPage(self, draft, against, panel, visitor)
        self._warm_up()

    def _warm_up(self) -> None:
        """Lets the processes load what they need, while their user still reads the page."""
        if not self._warm:
            self._warm = True
            for worker, task in ((self.workers.strong, load_engine), (self.workers.reading, findings.load_statistics)):
                self._keep(asyncio.create_task(worker.run(task)))

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def folder_findings(self, folder: Path) -> _FolderFindings:
        """What is known of a folder."""
        return self._known.setdefault(folder, _FolderFindings())

    def start(self, tried: Tryout) -> None:
        """Puts the try-out into the queue, after its files were written where there are none."""
        known = self.folder_findings(tried.folder)
        if not known.preparing:
            known.preparing, known.trouble = True, ""
            self._keep(asyncio.create_task(self._start(tried, known)))

    async def _start(self, tried: Tryout, known: _FolderFindings) -> None:
        try:
            await asyncio.to_thread(tried.write_rules)
            if not tried.path.exists():
                pilot = tried.experiment_text(ANALYSES * LEAST, LEAST // BLOCKS)
                seconds = await self.workers.strong.run(measure_game_seconds, tried.path, tried.project, pilot)
                await asyncio.to_thread(tried.write, seconds)
            with snapshot():
                self.queue.add(tried.path)
        except WorkbenchError as error:
            known.trouble = text_of(error)
        finally:
            known.preparing = False

    async def update_findings(self, folder: Path, resting: bool) -> _FolderFindings:
        """What a folder says, as far as that is known; where nobody plays its games, with three of them.

        What is not known yet is found out meanwhile: many games take a while to read.
        """
        known = self.folder_findings(folder)
        stamp = known.latest = await asyncio.to_thread(_stamp, folder)
        if stamp is None:
            known.stamp = known.findings = known.replays = None
            known.played = -1
        elif not known.busy:
            games = known.findings["games"] if known.findings else known.played
            if stamp != known.stamp or (resting and games != known.played):
                known.busy = True
                self._keep(asyncio.create_task(self._load_findings(folder, known, stamp)))
        return known

    async def _load_findings(self, folder: Path, known: _FolderFindings, stamp: object) -> None:
        try:
            if stamp != known.stamp:
                found = await self.workers.reading.run(findings.interim_findings, folder)
                if found is not None:
                    known.stamp, known.findings = stamp, found
            elif known.findings is not None:
                games, known.replays = known.findings["games"], None
                with contextlib.suppress(WorkbenchError):
                    known.replays = await self.workers.strong.run(findings.replay_chosen_games, folder)
                known.played = games
        finally:
            known.busy = False


def _stamp(folder: Path) -> object:
    """What changes with each interim analysis that was made; None before the first one."""
    try:
        said = provenance.read_provenance(folder)
    except records.Unavailable:
        return None
    taken = ((said or {}).get("designs") or [{}])[-1].get("taken")
    if not said or not taken:
        return None
    return (
        tuple(taken),
        tuple((said.get("digests") or {}).items()),
        tuple(one["fingerprint"] for one in said["rulesets"]),
    )


class _TryPage:
    """One page on a try-out."""

    def __init__(self, trying: TryPages, draft: Draft, against: str, panel: TryPanel, visitor: Visitor) -> None:
        self.trying, self.draft, self.panel, self.visitor = trying, draft, panel, visitor
        self.against = against
        self.shown: dict[str, Any] | None = None
        self.tried: Tryout | None = None
        self.experiment: Experiment | None = None
        pages = trying.drafts[id(draft)]
        pages.append(self.read)
        panel.client.on_delete(lambda: pages.remove(self.read))
        panel.on("start", self.start)
        panel.on("stop", self.stop)
        self.read()
        panel.props["state"] = self._initial_view()
        ui.timer(REFRESH_SECONDS, self.refresh, immediate=True)

    def read(self) -> None:
        """Takes the rules as they are now."""
        say = self.visitor.translate
        self.tried, self.notes = None, []
        with snapshot():
            reading = self.draft.read()
            names = [one.name for one in self.trying.desk.family_rulesets(self.draft.game)]
            own = self.draft.name if self.draft.kind == "file" else ""
            names = [name for name in names if name != own]
            parents = [name for name, _ in reading.file.parents if name in names]
            base = self.against if self.against in names else next(iter([*parents, *names]), "")
            self.choice = {"names": names, "base": base}
            if reading.ruleset is None:
                told = [
                    rules_view.ruleset_problem_view(problem, self.visitor)["message"] for problem in reading.problems
                ]
                self.notes = [say(WORDS["not_playable"]), *told]
            elif not base:
                self.notes = [say(WORDS["try_alone"])]
            else:
                try:
                    self.tried = make_tryout(self.draft, reading, base)
                except InputError as error:
                    self.notes = [self.visitor.translate(problem.text) for problem in error.problems]
        if self.tried is not None and not self.tried.differs:
            self.notes = [say(WORDS["try_same"].format(base=base))]
            self.tried = None
        self.experiment = None

    def start(self, _: GenericEventArguments) -> None:
        """Begins, or goes on."""
        if self.tried is not None:
            self.trying.start(self.tried)

    def stop(self, _: GenericEventArguments) -> None:
        """Stops the run, or takes it out of the queue."""
        if self.tried is not None:
            self.trying.queue.stop(self.tried.folder)

    async def refresh(self) -> None:
        """Draws the page anew, if anything has changed."""
        view = await self._view()
        if view != self.shown:
            self.shown = view
            self.panel.props["state"] = view
            self.panel.update()

    def _initial_view(self) -> dict[str, Any]:
        """What is seen before anything is known of the run."""
        return {
            "choice": self.choice,
            "notes": self.notes,
            "state": "",
            "run": None,
            "heading": self.visitor.translate(WORDS["try"]),
        }

    async def _view(self) -> dict[str, Any]:
        tried, say, view = self.tried, self.visitor.translate, self._initial_view()
        if tried is None:
            return view
        queue = self.trying.queue
        if self.experiment is None and tried.path.exists():
            with contextlib.suppress(InputError), snapshot():
                self.experiment = experiments.load_experiment(tried.path, tried.project)
        standing = await queue.folder_status(tried.folder, self.experiment)
        resting = standing.state not in (FolderState.QUEUED, FolderState.RUNNING, FolderState.ELSEWHERE)
        known = await self.trying.update_findings(tried.folder, resting)
        if tried is not self.tried:  # the rules were changed meanwhile
            return await self._view()
        own = WORDS["try_own"] if tried.text else verbatim(_short(tried.own.name))
        names = {"own": own, "base": verbatim(_short(tried.base.name))}
        view["heading"] = say(WORDS["try_heading"].format(**names))
        view["names"] = {name: say(text) for name, text in names.items()}
        view["margin"] = say(WORDS["try_margin"].format(margin=f"{100 * MARGIN:g}"))
        view["kept"] = say(
            WORDS["try_kept"].format(experiment=display_path(tried.path), folder=display_path(tried.folder))
        )
        view["command"] = f"workbench run {tried.path.stem}"
        view["tried"] = say(WORDS["try_tried"].format(path=display_path(tried.ruleset_path))) if tried.text else ""
        view |= {"state": standing.state.value, "run": self._progress(tried, standing, known)}
        done = standing.state is FolderState.DONE and known.stamp == known.latest
        view |= self._findings_view(tried, names, known, done)
        return view

    def _progress(self, tried: Tryout, standing: FolderStatus, known: _FolderFindings) -> dict[str, Any]:
        """How far the run is and what may be done about it, as the list of experiments says it."""
        page = (tried.folder / report_files.PAGE).is_file()
        view = self.trying.shelf.entry_view(Entry(tried.path.stem, tried.title, True, standing, page), self.visitor)
        view["begun"] = standing.state is not FolderState.NOT_BEGUN
        if known.preparing:
            view |= {
                "state": FolderState.QUEUED.value,
                "phase": self.visitor.translate(WORDS["try_preparing"]),
                "can": "",
            }
        view["trouble"] = self.visitor.translate(known.trouble) if known.trouble else view["trouble"]
        return view

    def _findings_view(
        self, tried: Tryout, names: dict[str, str], known: _FolderFindings, done: bool
    ) -> dict[str, Any]:
        """What the interim analyses say."""
        say, found = self.visitor.translate, known.findings
        first = self.experiment.games // ANALYSES if self.experiment is not None else 0
        view: dict[str, Any] = {"verdict": "", "pairings": [], "sizes": [], "replays": None, "no_look": ""}
        if found is None:
            if known.busy:
                view["no_look"] = say(WORDS["reading"])
            elif first:
                view["no_look"] = say(WORDS["try_no_look"].format(games=f"{first:,}"))
            return view
        headline, decided = self._headline(found["pairings"], done)
        view["verdict"] = say(headline.format(base=names["base"]))
        view["decided"] = decided
        view["sizes"] = found["sizes"]
        made = max((look["games"] for each in found["pairings"] for look in each["looks"]), default=0)
        coming = next((size for size in found["sizes"] if size > made), 0)
        if coming and not done:
            view["no_look"] = say(WORDS["try_next_look"].format(games=f"{coming:,}"))
        view["pairings"] = [self._pairing(each, found, names, done) for each in found["pairings"]]
        if known.replays is not None and known.played == found["games"]:
            view["replays"] = {
                "key": f"{tried.path.stem} {known.played}",
                "markup": known.replays["markup"][self.visitor.language],
                "data": known.replays["data"],
                "why": [say(why) for why in known.replays["why"]],
            }
        return view

    def _headline(self, pairings: list[dict[str, Any]], done: bool) -> tuple[str, bool]:
        """The verdicts of all players in one sentence, and whether that is one about these players."""
        verdicts = dict.fromkeys(each["verdict"] for each in pairings)
        decided = [verdict for verdict in verdicts if verdict != "undecided"]
        if "undecided" in verdicts and not done:
            return WORDS["try_open"], False
        if len(verdicts) == 1:
            return HEADLINES[next(iter(verdicts))], bool(decided)
        if len(decided) == 1:
            who = [each["name"] for each in pairings if each["verdict"] in decided]
            return WORDS["try_partly"].format(verdict=HEADLINES[decided[0]], players=listed(who)), True
        return WORDS["try_mixed"], True

    def _pairing(
        self, each: dict[str, Any], found: dict[str, Any], names: dict[str, str], done: bool
    ) -> dict[str, Any]:
        say = self.visitor.translate
        looks = [
            {
                "games": look["games"],
                "base": look["scores"][found["baseline"]],
                "own": look["scores"][found["proposal"]],
            }
            for look in each["looks"]
        ]
        fields = {
            "base": names["base"],
            "margin": f"{100 * found['margin']:g}",
            "gain": f"{100 * each['gain'][0]:+.1f}".replace("-", MINUS),
            **{
                end: f"{100 * value:+.1f}".replace("-", MINUS)
                for end, value in zip(("low", "high"), each["gain"][1:], strict=True)
            },
            "why": each["why"],
        }
        if each["verdict"] == "less_fair":
            low, high = -each["gain"][2], -each["gain"][1]
            fields |= {"gain": f"{-100 * each['gain'][0]:.1f}", "low": f"{100 * low:.1f}", "high": f"{100 * high:.1f}"}
        elif each["verdict"] == "fairer":
            fields |= {
                name: f"{100 * value:.1f}" for name, value in zip(("gain", "low", "high"), each["gain"], strict=True)
            }
        if not looks:
            told = WORDS["try_says_nothing"]
        else:
            told = VERDICT_TEXTS.get(each["verdict"]) or WORDS["try_says_undecided" if done else "try_says_open"]
        needed = each["needed"]
        more = done and each["verdict"] == "undecided" and 0 < needed < math.inf
        scores = {}
        if looks:
            scores = {side: _share(looks[-1][side]) for side in ("base", "own")}
        chart = WORDS["try_chart"].format(
            players=each["name"], base_name=names["base"], own_name=names["own"], **(scores or {"base": "", "own": ""})
        )
        return {
            "name": say(each["name"]),
            "verdict": each["verdict"],
            "said": say(told.format(**fields)),
            "more": say(WORDS["try_needed"].format(games=f"{_round_to_two_digits(needed):,}")) if more else "",
            "looks": [{**look, **{side: _finite(look[side]) for side in ("base", "own")}} for look in looks],
            "scores": scores,
            "chart": say(chart),
            "measures": [self._measure(row) for row in each["measures"]],
        }

    def _measure(self, row: dict[str, Any]) -> dict[str, Any]:
        say, plies = self.visitor.translate, row["measure"] == "plies_mean"
        values = {side: f"{row[side]:.0f}" if plies else format_percent(row[side], 0) for side in ("base", "own")}
        unit = say(row["unit"])
        value, low, high = row["difference"]
        told = format_difference(value, low, high, 1 if plies else 100)
        return {
            "name": say(row["name"]), **values, "difference": f"{told} {unit}", "word": say(row["word"]),
            "shown": row["verdict"] != "no_difference_shown",
        }  # fmt: skip


def _short(name: str) -> str:
    return name.partition("/")[2]


def _share(score: tuple[float, float, float]) -> str:
    value, low, high = score
    return "–" if math.isnan(value) else f"{format_percent(value)} ({100 * low:.0f}–{100 * high:.0f})"


def _finite(score: tuple[float, float, float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in score]


def _round_to_two_digits(games: float) -> int:
    """A number with two digits that count."""
    size = 10 ** max(0, math.floor(math.log10(games)) - 1)
    return int(math.ceil(games / size) * size)
