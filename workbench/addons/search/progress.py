"""Searches for rulesets in the studio: how they are played, their progress and their results.

What is read of folders is read in a process beside the server, as plain data; texts are messages, which
`Visitor.translate` reads.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench import games
from workbench.addons.search import question as rule_search
from workbench.addons.search.document import search_path
from workbench.addons.search.question import CANDIDATES, RuleSearch, kept_search, search_folder
from workbench.base.errors import InputError, error_text
from workbench.base.language import bilingual, preferred, speaking, tr, untranslated
from workbench.base.project import CONFIRMED, SEARCH, SEARCHES, Project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import changes_words, sentence_beside
from workbench.rules.settings import combine_settings
from workbench.runs.storage import FolderState, FolderStatus, is_folder_in_use
from workbench.studio import report_files
from workbench.studio.report_files import change_stamp, changed_at
from workbench.studio.runs import Run, Runs, load_file
from workbench.studio.visitor import View, Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    import pandas as pd

    from workbench.studio.jobs import Queue


MOST_ROWS = 40
"""Rulesets that a page names in its table."""

Kept = Mapping[str, Any]
"""The content of ``search.json``."""


@dataclass(frozen=True)
class SearchRun(Run):
    """A search, or a folder of games whose search is gone."""

    leaders: tuple[str, ...] = ()
    """The most promising rulesets at the last look, by their changes."""
    confirmed: float = 0.0
    """When the report of its finalists was written."""
    estimated: float = 0.0
    """When the estimates of all rulesets were written last."""


@dataclass(frozen=True)
class Look:
    """A ruleset of a search that its user looks at."""

    view: View
    """As `_ruleset_view` gives it, with its ``changes`` and whether it ``opens`` as a draft."""
    base: str
    settings: Mapping[str, Setting] | None
    """The settings besides the base; None if the search's file does not have these levels any more."""


def list_searches(project: Project) -> list[str]:
    """Return the names of all searches, and of folders of games whose search is gone."""
    names = rule_search.search_names(project)
    with contextlib.suppress(OSError):
        folders = sorted(path.name for path in (project.reports / SEARCHES).iterdir() if path.is_dir())
        names += [name for name in folders if name not in names]
    return names


@snapshot()
def load_searches(project: Project, names: Sequence[str]) -> list[SearchRun]:
    """Some searches with their progress."""
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return [_load_run(project, name, stamp) for name in names]


def _load_run(project: Project, name: str, stamp: tuple[int, ...]) -> SearchRun:
    path, folder = search_path(project, name), search_folder(project, name)
    loaded, problems, title = load_file(rule_search.load_search, path, project, stamp)
    page, confirmed = (
        changed_at(found) if (found := report_files.resolve_address(project, f"{at}/{report_files.PAGE}")) else 0.0
        for at in (f"{SEARCHES}/{name}", CONFIRMED.format(name=name))
    )
    kept, damaged = _read_kept(folder)
    budget = kept.get("budget", {"strong": 0, "confirm": 0})
    state = FolderState.DONE if kept.get("result") else FolderState.STOPPED if kept else FolderState.NOT_BEGUN
    if is_folder_in_use(folder):
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    total = budget["strong"] + budget["confirm"]
    done = state is FolderState.DONE
    leaders = kept["rounds"][-1]["leaders"] if kept.get("rounds") and not done else []
    return SearchRun(
        name=name,
        title=title or bilingual(en=str(kept.get("title") or ""), ja=str(kept.get("title_ja") or "")) or name,
        file=path.is_file(),
        status=FolderStatus(state, total if done else kept.get("played", 0), total, damaged=tuple(damaged)),
        page=page,
        touched=max(changed_at(path), changed_at(folder / SEARCH)),
        problems=problems,
        answer=report_files.read_answer(folder, page) if page and done else "",
        leaders=tuple(_title(loaded, leader) for leader in leaders),
        confirmed=confirmed,
        estimated=changed_at(folder / CANDIDATES),
    )


def _read_kept(folder: Path) -> tuple[Kept, list[str]]:
    """Return the content of ``search.json``, and why it cannot be read."""
    try:
        return kept_search(folder), []
    except InputError as error:
        return {}, [error_text(error)]


def _settings(search: RuleSearch, name: str) -> Mapping[str, Setting] | None:
    """Return the settings of a ruleset of a search besides the base."""
    changes = rule_search.changes_of(search, name)
    if changes is None:
        return None
    return {toggle: setting for _, level in changes for toggle, setting in level.settings.items()}


def _title(search: RuleSearch | None, name: str) -> str:
    """Return the changes of a ruleset of a search in words; the title of the base."""
    settings = _settings(search, name) if search else None
    if search is None or settings is None:
        return untranslated(name)
    family = games.declaration(search.base.game)
    after = combine_settings(family, search.base.settings, settings)
    return changes_words(family.name, family.toggles, search.base.settings, after) or search.base.heading


@snapshot()
def read_overview(project: Project, name: str) -> View | None:
    """Return the results for the rulesets of a search, in messages; None as long as there are none.

    The ``picture`` by score and draws is markup in all languages; a dot leads to ``?look=`` with the ruleset's place.
    """
    from workbench.addons.search import report as pages
    from workbench.report.render.svg import scatter_svg

    folder = search_folder(project, name)
    table, kept = _read_candidates(folder), _read_kept(folder)[0]
    if table is None or not kept:
        return None
    search = _loaded(project, name)
    shown = table[~table["left_out"]].sort_values("loss")
    titles = {each: _title(search, each) for each in shown["ruleset"]}
    links = {each: f"?look={number}" for each, number in zip(table["ruleset"], table["place"], strict=True)}
    # The table beside it has a button for each that stands out: nobody is to press Tab a thousand times.
    drawn = str(scatter_svg(pages.draw_rulesets(kept, shown, titles, links)))
    finalists = _finalists(kept)
    first = shown[shown["ruleset"].isin(finalists)]
    rest = shown[~shown["ruleset"].isin(finalists)].head(MOST_ROWS - len(first))
    rows = [_ruleset_view(row, kept, titles[row["ruleset"]]) for each in (first, rest) for row in _rows(each)]
    rows.sort(key=lambda row: row["number"] or len(finalists) + 1)
    return {
        "picture": drawn.replace("<a href", '<a tabindex="-1" href'),
        "rows": rows,
        "shown": tr("{shown} of {count} rulesets", shown=f"{len(rows):,}", count=f"{len(shown):,}"),
    }


@snapshot()
def read_look(project: Project, name: str, place: int) -> Look | None:
    """Return a ruleset of a search, by its place among the candidates; None if there is none."""
    folder = search_folder(project, name)
    table, kept, search = _read_candidates(folder), _read_kept(folder)[0], _loaded(project, name)
    found = [] if table is None else _rows(table[table["place"] == place])
    if not found:
        return None
    [row] = found
    settings = _settings(search, row["ruleset"]) if search else None
    changes: list[View] = []
    if search and settings is not None:
        family, before = games.declaration(search.base.game), search.base.settings
        after = combine_settings(family, before, settings)
        changes = [
            {
                "title": toggle.title,
                "was": sentence_beside(toggle, before[toggle.name]),
                "now": sentence_beside(toggle, after[toggle.name]),
            }
            for toggle in family.toggles
            if not equal_settings(before[toggle.name], after[toggle.name])
        ]
    view = _ruleset_view(row, kept, _title(search, row["ruleset"]))
    return Look(view | {"changes": changes, "opens": settings is not None}, str(kept.get("base", "")), settings)


def _loaded(project: Project, name: str) -> RuleSearch | None:
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    search: RuleSearch | None = load_file(rule_search.load_search, search_path(project, name), project, stamp)[0]
    return search


def _read_candidates(folder: Path) -> pd.DataFrame | None:
    """Return the estimates of every ruleset, as `workbench.addons.search.run.Search.save_estimates` wrote them."""
    import pandas as pd

    try:
        return pd.read_csv(folder / CANDIDATES)
    except (OSError, ValueError):
        return None


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _finalists(kept: Kept) -> dict[str, Mapping[str, Any]]:
    outcome = kept.get("result") or {"finalists": []}
    return {each["ruleset"]: each for each in outcome["finalists"]}


def _ruleset_view(row: Mapping[str, Any], kept: Kept, title: str) -> View:
    """A ruleset: its place among the candidates and its ``number`` among the finalists (0 for none), and its measures.

    A finalist's are estimated by fresh games, with the chance of being as good as the best; all others by the model,
    with the chance of being the best.
    """
    from workbench.addons.search import report as pages

    finalists = _finalists(kept)
    own = finalists.get(row["ruleset"])
    values = own["values"] if own else {name: _estimate(row, name) for name in pages.SHOWN}
    percent = round(100 * float(own["alike"] if own else row["best"]))
    chance = tr("as good as the best with {percent} %") if own else tr("best with {percent} %")
    return {
        "place": int(row["place"]),
        "title": title,
        "base": row["ruleset"] == kept.get("base"),
        "number": list(finalists).index(row["ruleset"]) + 1 if own else 0,
        "values": {name: pages.value_text(name, values[name]) for name in pages.SHOWN},
        "price": f"{row['price']:g}",
        "games": f"{int(row['games']):,}",
        "best": f"{percent} %",
        "chance": chance.format(percent=percent),
        "targets": pages.targets_text(own) if own else "",
    }


def _estimate(row: Mapping[str, Any], name: str) -> dict[str, float]:
    value, spread = row[name], 1.96 * row[f"{name}_sd"]
    return {"value": value, "low": value - spread, "high": value + spread}


def describe_text(path: Path, project: Project, text: str) -> dict[str, Any]:
    """Return the number of rulesets that a text allows, the refused ones and why (``lines``), and the ``problems``.

    ``differs``: the folder of its name holds games of another search, which this text could not continue.
    """
    from workbench.addons.search import run as runs

    search = rule_search.load_search(path, project, text)
    try:
        candidates = rule_search.list_candidates(search)
    except InputError as error:
        return {"problems": error.problems, "lines": [], "differs": False}
    kept = _read_kept(search_folder(project, search.name))[0]
    differs = bool(kept) and kept.get("fingerprint") != runs.identity(search, candidates)["fingerprint"]
    return {"problems": [], "lines": runs.describe_space(search, candidates), "differs": differs}


STAGES: Mapping[str, str] = {
    "sieve": tr("quick players look for what cannot be played"),
    "first sample": tr("first sample"),
    "rounds": tr("games go to what may be the best"),
    "race": tr("race of the most promising"),
    "confirmation": tr("fresh games of the finalists"),
}
"""The stages of `workbench.addons.search.run.STAGES`, and their words here."""


class SearchRuns(Runs):
    """The searches of a project, as far as somebody has looked."""

    area, listing, under, mark = "search", "searches", SEARCHES, ""
    gone = tr("Its file is gone: what was found can be read, but not continued.")
    run_type = SearchRun
    find = staticmethod(rule_search.find_search)

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__(project, queue, workers)
        self.list_names, self.load = list_searches, load_searches
        self._overviews: dict[str, tuple[tuple[float, float], View | None]] = {}
        """The results of searches by name, and the times at which these were written."""

    async def refresh_overview(self, name: str) -> None:
        """Read the results of a search, if they were written anew."""
        run = self.entries.get(name)
        if not isinstance(run, SearchRun) or not run.estimated:
            return
        written = run.estimated, run.touched
        if name not in self._overviews or self._overviews[name][0] != written:
            overview = await self.workers.reading.run(read_overview, self.project, name)
            self._overviews[name] = written, overview
            self._changed()

    def overview(self, name: str) -> View | None:
        """Return the results of a search in messages, as far as they were read."""
        return self._overviews[name][1] if name in self._overviews else None

    def entry_view(self, run: Run, visitor: Visitor) -> dict[str, Any]:
        """Return a search with its progress, as plain data in a language."""
        assert isinstance(run, SearchRun)
        view, job, finalists = super().entry_view(run, visitor), self.job(run.name), CONFIRMED.format(name=run.name)
        done, running = (view["state"] == state.value for state in (FolderState.DONE, FolderState.RUNNING))
        stage = STAGES.get(job.stage, "") if job and running else ""
        return view | {
            "page": view["page"] if done else "",
            "finalists_report": f"/report/{quote(finalists)}" if run.confirmed else "",
            "finalists_games": f"/replay/{quote(finalists)}" if run.confirmed else "",
            "leaders": [] if done else [visitor.translate(one) for one in run.leaders],
            "stage": visitor.translate(stage),
        }


def play_search(path: Path, executor: Any, tell: Any) -> None:
    """Play the search of a file; ``tell``: the reporter of `workbench.studio.run_process`."""
    from workbench import report
    from workbench.addons.search import report as search_report
    from workbench.addons.search import run as search_run
    from workbench.base.project import find_project

    project = find_project()
    search = rule_search.load_search(path, project)
    folder = search_folder(project, search.name)
    tell.preparing(executor, (player.function for player in search_run.all_players(search)), [search.base.game])
    begun = search_run.begin_search(search, project, executor=executor, command=f"workbench search {search.path}")
    clock = _SearchClock(kept_search(folder).get("played", 0))
    last = search_run.Status("", 0, 0)

    def on_progress(status: Any) -> None:
        nonlocal last
        pace = clock.pace(status.games)
        tell.progress(
            at_once=status.stage != last.stage or status.leaders != last.leaders,
            stage=status.stage,
            games=status.games,
            total=status.total,
            pace=pace,
            left=(status.total - status.games) / pace if pace else None,
        )
        last = status

    begun.on_training = tell.training
    begun.play_rounds(on_progress)
    tell(phase="starting", stage=search_run.CONFIRMATION)
    _, confirmed = begun.confirm(on_progress)
    tell(phase="reporting", games=last.total)
    with speaking(preferred(os.environ)):
        search_report.write_search(folder, kept_search(folder), search.base, *begun.estimates())
        report.write_report(confirmed, on_progress=tell.writing)


class _SearchClock:
    """The pace of a search, by the games of this process."""

    def __init__(self, kept: int) -> None:
        """``kept``: games that were on disk before."""
        self.kept, self.begin = kept, 0.0

    def pace(self, games: int) -> float:
        """Games a second up to now, with so many on disk; 0 while it is not known."""
        now = time.monotonic()
        if games <= self.kept or not self.begin:
            self.begin = now
            self.kept = max(self.kept, games)
            return 0.0
        return (games - self.kept) / max(now - self.begin, 1e-9)
