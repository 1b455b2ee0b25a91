"""Playing, progress and results of rule searches in the studio.

Folders are read as plain data in a process beside the server; texts are messages for `Visitor.localize`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.document import search_path
from workbench.addons.search.question import CANDIDATES, RuleSearch, load_results, search_folder
from workbench.base.errors import InputError, error_text
from workbench.base.language import bilingual, preferred, speaking, tr, untranslated
from workbench.base.project import CONFIRMED, SEARCH, SEARCHES, Project, find_project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import changes_words, sentence_beside
from workbench.rules.settings import combine_settings
from workbench.runs.progress import FolderState, FolderStatus, is_folder_in_use
from workbench.studio import report_files
from workbench.studio.documents import change_stamp
from workbench.studio.report_files import changed_at
from workbench.studio.runs import Run, Runs, load_file
from workbench.studio.visitor import View, Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    import pandas as pd

    from workbench.studio.jobs import Queue


MAX_ROWS = 40
STAGES: Mapping[str, str] = {
    "sieve": tr("quick players drop what cannot be played"),
    "first sample": tr("a first look at some proposals"),
    "rounds": tr("games of proposals that may be best"),
    "race": tr("games of the most promising"),
    "confirmation": tr("fresh games of the finalists"),
}
"""Descriptions of `workbench.addons.search.run.STAGES` for the studio."""

Results = Mapping[str, Any]


@dataclass(frozen=True)
class SearchRun(Run):
    """A search, or a folder of games whose search file is missing."""

    leaders: tuple[str, ...] = ()
    """The changes of the most promising rulesets after the last round."""
    confirmed: float = 0.0
    """The time of the report on the finalists."""
    estimated: float = 0.0
    """The time of the latest estimates of all rulesets."""


class SelectedRuleset(NamedTuple):
    """A ruleset of a search that is open on the page."""

    view: View
    """The value of `_ruleset_view` with ``changes`` and ``opens`` (true if it can be opened as a draft)."""
    base: str
    settings: Mapping[str, Setting] | None
    """The settings that differ from the base; None if the search's file no longer has these levels."""


def list_searches(project: Project) -> list[str]:
    """Return the names of all searches, including folders of games that have no search file."""
    names = question.search_names(project)
    with contextlib.suppress(OSError):
        folders = sorted(path.name for path in (project.reports / SEARCHES).iterdir() if path.is_dir())
        names += [name for name in folders if name not in names]
    return names


@snapshot()
def load_searches(project: Project, names: Sequence[str]) -> list[SearchRun]:
    """Return searches with their progress."""
    return [_load_run(project, name) for name in names]


def _load_file(project: Project, name: str) -> Any:
    """Return a search, its problems and its title, as in `load_file`."""
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return load_file(question.load_search, search_path(project, name), project, stamp)


def _load_run(project: Project, name: str) -> SearchRun:
    path, folder = search_path(project, name), search_folder(project, name)
    search, problems, title = _load_file(project, name)
    page, confirmed = (
        changed_at(file) if (file := report_files.resolve_address(project, f"{stem}/{report_files.PAGE}")) else 0.0
        for stem in (f"{SEARCHES}/{name}", CONFIRMED.format(name=name))
    )
    results, damaged = _read_results(folder)
    budget = results.get("budget", {"strong": 0, "confirm": 0})
    is_done = bool(results.get("result"))
    state = FolderState.DONE if is_done else FolderState.STOPPED if results else FolderState.NOT_BEGUN
    if is_folder_in_use(folder):
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    total = budget["strong"] + budget["confirm"]
    is_done = state is FolderState.DONE
    leaders = results["rounds"][-1]["leaders"] if results.get("rounds") and not is_done else []
    return SearchRun(
        name=name,
        title=title or bilingual(en=str(results.get("title") or ""), ja=str(results.get("title_ja") or "")) or name,
        file=path.is_file(),
        status=FolderStatus(state, total if is_done else results.get("played", 0), total, damaged=tuple(damaged)),
        page=page, touched=max(changed_at(path), changed_at(folder / SEARCH)), problems=problems,
        answer=report_files.read_answer(folder, page) if page and is_done else "",
        leaders=tuple(_title(search, leader) for leader in leaders), confirmed=confirmed,
        estimated=changed_at(folder / CANDIDATES),
    )  # fmt: skip


def _read_results(folder: Path) -> tuple[Results, list[str]]:
    """Return the content of ``search.json``, or an empty mapping and the error if it is unreadable."""
    try:
        return load_results(folder), []
    except InputError as error:
        return {}, [error_text(error)]


def _settings(search: RuleSearch | None, name: str) -> Mapping[str, Setting] | None:
    """Return the settings in which a ruleset differs from the base, or None if the search lacks the ruleset."""
    changes = question.parse_changes(search, name) if search else None
    return None if changes is None else {key: value for _, level in changes for key, value in level.settings.items()}


def _title(search: RuleSearch | None, name: str) -> str:
    """Return a ruleset's changes in words, or the base's title."""
    settings = _settings(search, name)
    if search is None or settings is None:
        return untranslated(name)
    family = games.declaration(search.base.game)
    after = combine_settings(family, search.base.settings, settings)
    return changes_words(family.name, family.toggles, search.base.settings, after) or search.base.heading


@snapshot()
def read_overview(project: Project, name: str) -> View | None:
    """Return a search's results as messages, or None if there are none yet."""
    from workbench.addons.search import report

    folder = search_folder(project, name)
    table, results = _read_candidates(folder), _read_results(folder)[0]
    if table is None or not results:
        return None
    search = _load_file(project, name)[0]
    table = table.sort_values("loss")
    eligible = table[~table["left_out"]]
    names = list(report.finalists(results))
    finalists = eligible[eligible["ruleset"].isin(names)]
    others = eligible[~eligible["ruleset"].isin(names)].head(MAX_ROWS - len(finalists))
    records = [row for part in (finalists, others) for row in part.to_dict("records")]
    rows = [_ruleset_view(row, results, _title(search, row["ruleset"])) for row in records]
    rows.sort(key=lambda row: row["number"] or len(names) + 1)
    return {
        "rows": rows,
        "shown": tr("{shown} of {count} proposals", shown=f"{len(rows):,}", count=f"{len(eligible):,}"),
    }


@snapshot()
def read_ruleset(project: Project, name: str, index: int) -> SelectedRuleset | None:
    """Return the ruleset at an index of the candidates, or None if there is none."""
    folder = search_folder(project, name)
    table, results, search = _read_candidates(folder), _read_results(folder)[0], _load_file(project, name)[0]
    rows = [] if table is None else table[table["place"] == index].to_dict("records")
    if not rows:
        return None
    settings = _settings(search, rows[0]["ruleset"])
    changes: list[View] = []
    if settings is not None:
        family, before = games.declaration(search.base.game), search.base.settings
        after = combine_settings(family, before, settings)
        sides = {"was": before, "now": after}
        changes = [
            {"title": toggle.title, **{key: sentence_beside(toggle, side[toggle.name]) for key, side in sides.items()}}
            for toggle in family.toggles
            if not equal_settings(before[toggle.name], after[toggle.name])
        ]
    view = _ruleset_view(rows[0], results, _title(search, rows[0]["ruleset"]))
    view |= {"changes": changes, "opens": settings is not None}
    return SelectedRuleset(view, str(results.get("base", "")), settings)


def _read_candidates(folder: Path) -> pd.DataFrame | None:
    """Return the estimates of every ruleset, or None if they are unreadable."""
    import pandas as pd

    try:
        return pd.read_csv(folder / CANDIDATES)
    except (OSError, ValueError):
        return None


def _ruleset_view(row: Mapping[Any, Any], results: Results, title: str) -> View:
    """Return a ruleset's measures, its index among the candidates and its ``number`` among the finalists, or 0.

    Finalists are estimated by fresh games, with the probability of being as good as the best; other rulesets are
    estimated by the model, with the probability of being the best.
    """
    from workbench.addons.search import report

    finalists = report.finalists(results)
    entry = finalists.get(row["ruleset"])
    values = entry["values"] if entry else {name: report.model_estimate(row, name) for name in report.MEASURE_TITLES}
    percent = round(100 * float(entry["alike"] if entry else row["best"]))
    chance = (
        tr("as good as the best with probability {percent} %") if entry else tr("best with probability {percent} %")
    )
    return {
        "place": int(row["place"]),
        "title": title,
        "base": row["ruleset"] == results.get("base"),
        "number": list(finalists).index(row["ruleset"]) + 1 if entry else 0,
        "values": {name: report.value_text(name, values[name]) for name in report.MEASURE_TITLES},
        "games": f"{int(row['games']):,}",
        "best": f"{percent} %",
        "chance": chance.format(percent=percent),
        "targets": report.targets_text(entry) if entry else "",
    }


def describe_text(path: Path, project: Project, text: str) -> dict[str, Any]:
    """Return sentences about a text's search space (``lines``) and its ``problems``.

    ``differs`` is true if the folder with its name contains games of another search, which the text cannot continue.
    """
    from workbench.addons.search import run

    search = question.load_search(path, project, text)
    try:
        candidates = question.list_candidates(search)
    except InputError as error:
        return {"problems": error.problems, "lines": [], "differs": False}
    results = _read_results(search_folder(project, search.name))[0]
    differs = bool(results) and results.get("fingerprint") != run.identity(search, candidates)["fingerprint"]
    return {"problems": [], "lines": run.describe_space(search, candidates), "differs": differs}


class SearchRuns(Runs):
    """The loaded searches of a project."""

    area, listing, under, mark = "search", "searches", SEARCHES, ""
    gone = tr("Its file is missing: the results can be read, but the search cannot be continued.")
    run_type = SearchRun
    find = staticmethod(question.find_search)

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__(project, queue, workers)
        self.list_names, self.load = list_searches, load_searches
        self._overviews: dict[str, tuple[tuple[float, float], View | None]] = {}
        """The results by search name, with the times at which they were written."""

    async def refresh_overview(self, name: str) -> None:
        """Read a search's results again if they have changed."""
        run = self.entries.get(name)
        if not isinstance(run, SearchRun) or not run.estimated:
            return
        timestamps = run.estimated, run.touched
        if name not in self._overviews or self._overviews[name][0] != timestamps:
            overview = await self.workers.reading.run(read_overview, self.project, name)
            self._overviews[name] = timestamps, overview
            self.notify()

    def overview(self, name: str) -> View | None:
        """Return a search's results as messages if they have been read."""
        return self._overviews[name][1] if name in self._overviews else None

    def entry_view(self, run: Run, visitor: Visitor) -> dict[str, Any]:
        """Return a search with its progress as plain data in the visitor's language."""
        assert isinstance(run, SearchRun)
        view, job, finalists = super().entry_view(run, visitor), self.job(run.name), CONFIRMED.format(name=run.name)
        done, running = (view["state"] == state.value for state in (FolderState.DONE, FolderState.RUNNING))
        return view | {
            "page": view["page"] if done else "",
            "finalists_report": f"/report/{quote(finalists)}" if run.confirmed else "",
            "leaders": [] if done else visitor.localize(list(run.leaders)),
            "stage": visitor.translate(STAGES.get(job.stage, "") if job and running else ""),
        }


def play_search(path: Path, executor: Any, tell: Any) -> None:
    """Play the search in a file; ``tell`` is the reporter of `workbench.studio.run_process`."""
    from workbench import report
    from workbench.addons.search import report as search_report
    from workbench.addons.search import run

    project = find_project()
    spec = question.load_search(path, project)
    folder = search_folder(project, spec.name)
    tell.preparing(executor, (player.function for player in run.all_players(spec)), [spec.base.game])
    search = run.open_search(spec, project, executor=executor, command=f"workbench search {spec.path}")
    start_time, games_before = 0.0, load_results(folder).get("played", 0)
    latest = run.Status("", 0, 0)

    def on_status(status: run.Status) -> None:
        """Report the progress with the pace since the first new game."""
        nonlocal latest, start_time, games_before
        pace = 0.0
        if status.games > games_before and start_time:
            pace = (status.games - games_before) / max(time.monotonic() - start_time, 1e-9)
        else:
            start_time, games_before = time.monotonic(), max(games_before, status.games)
        tell.progress(
            at_once=status.stage != latest.stage or status.leaders != latest.leaders, stage=status.stage,
            games=status.games, total=status.total,
            left=(status.total - status.games) / pace if pace else None,
        )  # fmt: skip
        latest = status

    search.on_training = tell.training
    search.play_rounds(on_status)
    tell(phase="starting", stage=run.CONFIRMATION)
    _, confirmed = search.confirm(on_status)
    tell(phase="reporting", games=latest.total)
    with speaking(preferred(os.environ)):
        search_report.write_search(folder, load_results(folder), spec.base, *search.estimates(), None)
        report.write_report(confirmed)
