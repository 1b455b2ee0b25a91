"""Searches for rulesets: their progress and their results.

What is read of folders is read in a process beside the server, as plain data; texts are messages, which
`Visitor.translate` reads.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench import games
from workbench.addons.search import question as rule_search
from workbench.addons.search.question import RuleSearch
from workbench.base.errors import InputError, Problem, text_of
from workbench.base.language import bilingual, tr, untranslated
from workbench.base.project import CONFIRMED, SEARCH, SEARCHES, Project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import changes_words, sentence_beside
from workbench.records.kept_files import CANDIDATES, kept_search, search_folder
from workbench.rules.settings import combine_settings
from workbench.runs.status import FolderState, is_folder_in_use
from workbench.studio import report_files
from workbench.studio.auth import REPORTS
from workbench.studio.documents.document import is_shipped
from workbench.studio.documents.searches import search_path
from workbench.studio.report_files import change_stamp, changed_at, read_titles
from workbench.studio.runs import BUTTONS, STATES, Runs, games_progress_text, job_view
from workbench.studio.visitor import Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    import pandas as pd

    from workbench.studio.jobs import Job, Queue


MAX_CACHED = 200
"""Searches that the process keeps in memory as they were read."""
MOST_ROWS = 40
"""Rulesets that a page names in its table."""

Kept = Mapping[str, Any]
"""What ``search.json`` holds."""


@dataclass(frozen=True)
class SearchEntry:
    """A search, or a folder whose search is not there (any more)."""

    name: str
    title: str
    file: bool
    """Whether there is a file of the search."""
    state: FolderState
    """`FolderState.NOT_BEGUN`, `STOPPED`, `DONE`, `DAMAGED`, or `ELSEWHERE` while another process plays it."""
    games: int = 0
    """Of strong players, in finished rounds; all of them when it is done."""
    total: int = 0
    """0: nobody knows before it begins."""
    answer: str = ""
    """What came out, in a sentence."""
    leaders: tuple[str, ...] = ()
    """The most promising rulesets at the last look, by what they change."""
    rounds: int = 0
    page: float = 0.0
    """When its report was written, in seconds since 1970; 0 if there is none."""
    confirmed: float = 0.0
    """When the report of its finalists was written."""
    touched: float = 0.0
    """When its file, or what it has found, was written last."""
    estimated: float = 0.0
    """When what is known of every ruleset was written last."""
    problems: tuple[Problem, ...] = ()
    """Why the file is no search."""
    damaged: str = ""
    """Why what it has found cannot be read."""


@dataclass(frozen=True)
class Ruleset:
    """A ruleset of a search as a page shows it."""

    place: int
    """Its place among the candidates of the search."""
    title: str
    """What it changes, in words."""
    base: bool
    """Whether it changes nothing."""
    number: int
    """Its place among the finalists; 0 if it is none."""
    values: Mapping[str, str]
    """The measures that are told of every ruleset, with intervals: of finalists by fresh games, else by the model."""
    price: float
    games: int
    best: float
    """The probability of being the best, by the model; of finalists that of being as good as the best."""
    targets: str
    """Of a finalist, which targets it meets."""


@dataclass(frozen=True)
class Look:
    """A ruleset of a search that somebody looks at."""

    ruleset: Ruleset
    base: str
    settings: Mapping[str, Setting] | None
    """What it sets besides the base; None if the search's file does not have these levels any more."""
    changes: tuple[tuple[str, str, str], ...]
    """Of each toggle that it changes: the title, what the base says and what it says."""


@dataclass(frozen=True)
class Overview:
    """What is known of the rulesets of a search."""

    picture: str
    """By score and draws, as markup in all languages; a dot leads to ``?look=`` with the ruleset's place."""
    rulesets: tuple[Ruleset, ...] = field(default=())
    """The most promising first."""
    count: int = 0
    """Rulesets that were not left out by quick players."""


@snapshot()
def list_searches(project: Project) -> list[SearchEntry]:
    """All searches of a project by name, and folders of games whose search is gone."""
    names = rule_search.search_names(project)
    with contextlib.suppress(OSError):
        folders = sorted(path.name for path in (project.reports / SEARCHES).iterdir() if path.is_dir())
        names += [name for name in folders if name not in names]
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return [_read_entry(project, name, stamp) for name in names]


def _read_entry(project: Project, name: str, stamp: tuple[int, ...]) -> SearchEntry:
    path, folder = search_path(project, name), search_folder(project, name)
    loaded, problems = _load_search(path, project, (*change_stamp([path]), *stamp)) if path.is_file() else (None, ())
    page = report_files.resolve_address(project, f"{SEARCHES}/{name}/{report_files.PAGE}")
    of_finalists = CONFIRMED.format(name=name)
    confirmed = report_files.resolve_address(project, f"{of_finalists}/{report_files.PAGE}")
    kept, damaged = _read_kept(folder)
    budget = kept.get("budget", {"strong": 0, "confirm": 0})
    state = FolderState.DONE if kept.get("result") else FolderState.STOPPED if kept else FolderState.NOT_BEGUN
    if is_folder_in_use(folder):
        state = FolderState.ELSEWHERE
    elif damaged:
        state = FolderState.DAMAGED
    total = budget["strong"] + budget["confirm"]
    title = read_titles(path) or bilingual(en=str(kept.get("title") or ""), ja=str(kept.get("title_ja") or "")) or name
    leaders = kept["rounds"][-1]["leaders"] if kept.get("rounds") else []
    return SearchEntry(
        name=name,
        title=title,
        file=path.is_file(),
        state=state,
        games=total if state is FolderState.DONE else kept.get("played", 0),
        total=total,
        answer=report_files.read_answer(folder, changed_at(page)) if page and state is FolderState.DONE else "",
        leaders=tuple(_title(loaded, leader) for leader in leaders),
        rounds=len(kept.get("rounds", ())),
        page=changed_at(page) if page else 0.0,
        confirmed=changed_at(confirmed) if confirmed else 0.0,
        touched=max(changed_at(path), changed_at(folder / SEARCH)),
        estimated=changed_at(folder / CANDIDATES),
        problems=problems,
        damaged=damaged,
    )


@functools.lru_cache(maxsize=MAX_CACHED)
def _load_search(path: Path, project: Project, stamp: tuple[int, ...]) -> tuple[RuleSearch | None, tuple[Problem, ...]]:
    """The search of a file, or what is wrong with it; read again when it, or a ruleset, changes."""
    try:
        return rule_search.load_search(path, project), ()
    except InputError as error:
        return None, tuple(error.problems)


def _read_kept(folder: Path) -> tuple[Kept, str]:
    """What ``search.json`` holds, and why it cannot be read."""
    try:
        return kept_search(folder), ""
    except InputError as error:
        return {}, text_of(error)


def _settings(search: RuleSearch, name: str) -> Mapping[str, Setting] | None:
    """What a ruleset of a search sets besides the base."""
    changes = rule_search.changes_of(search, name)
    if changes is None:
        return None
    return {toggle: setting for _, level in changes for toggle, setting in level.settings.items()}


def _title(search: RuleSearch | None, name: str) -> str:
    """What a ruleset of a search changes, in words; of the base its title."""
    settings = _settings(search, name) if search else None
    if search is None or settings is None:
        return untranslated(name)
    family = games.declaration(search.base.game)
    after = combine_settings(family, search.base.settings, settings)
    return changes_words(family.name, family.toggles, search.base.settings, after) or search.base.heading


@snapshot()
def read_overview(project: Project, name: str) -> Overview | None:
    """What is known of the rulesets of a search; None as long as nothing is."""
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
    picture = drawn.replace("<a href", '<a tabindex="-1" href')
    finalists = _finalists(kept)
    first = shown[shown["ruleset"].isin(finalists)]
    rest = shown[~shown["ruleset"].isin(finalists)].head(MOST_ROWS - len(first))
    rows = [_ruleset(row, kept, titles[row["ruleset"]]) for each in (first, rest) for row in _rows(each)]
    rows.sort(key=lambda row: row.number or len(finalists) + 1)
    return Overview(picture, tuple(rows), len(shown))


@snapshot()
def read_look(project: Project, name: str, place: int) -> Look | None:
    """A ruleset of a search, by its place among the candidates; None if there is none."""
    folder = search_folder(project, name)
    table, kept, search = _read_candidates(folder), _read_kept(folder)[0], _loaded(project, name)
    found = [] if table is None else _rows(table[table["place"] == place])
    if not found:
        return None
    [row] = found
    settings = _settings(search, row["ruleset"]) if search else None
    changes: list[tuple[str, str, str]] = []
    if search and settings is not None:
        family = games.declaration(search.base.game)
        before = search.base.settings
        after = combine_settings(family, before, settings)
        changes = [
            (toggle.title, sentence_beside(toggle, before[toggle.name]), sentence_beside(toggle, after[toggle.name]))
            for toggle in family.toggles
            if not equal_settings(before[toggle.name], after[toggle.name])
        ]
    shown = _ruleset(row, kept, _title(search, row["ruleset"]))
    return Look(shown, str(kept.get("base", "")), settings, tuple(changes))


def _loaded(project: Project, name: str) -> RuleSearch | None:
    path = search_path(project, name)
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return _load_search(path, project, (*change_stamp([path]), *stamp))[0] if path.is_file() else None


def _read_candidates(folder: Path) -> pd.DataFrame | None:
    """What is known of every ruleset, as `workbench.addons.search.run.Search.save_estimates` wrote it."""
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


def _ruleset(row: Mapping[str, Any], kept: Kept, title: str) -> Ruleset:
    from workbench.addons.search import report as pages

    finalists = _finalists(kept)
    own = finalists.get(row["ruleset"])
    values = own["values"] if own else {name: _estimate(row, name) for name in pages.SHOWN}
    return Ruleset(
        place=int(row["place"]),
        title=title,
        base=row["ruleset"] == kept.get("base"),
        number=list(finalists).index(row["ruleset"]) + 1 if own else 0,
        values={name: pages.value_text(name, values[name]) for name in pages.SHOWN},
        price=float(row["price"]),
        games=int(row["games"]),
        best=float(own["alike"] if own else row["best"]),
        targets=pages.targets_text(own) if own else "",
    )


def _estimate(row: Mapping[str, Any], name: str) -> dict[str, float]:
    value, spread = row[name], 1.96 * row[f"{name}_sd"]
    return {"value": value, "low": value - spread, "high": value + spread}


def describe_text(path: Path, project: Project, text: str) -> dict[str, Any]:
    """How many rulesets a text lets be played, what is refused and why (``lines``), and what is wrong (``problems``).

    ``differs``: the folder of its name holds games of another search, which this text could not continue.

    Raises:
        InputError: the text is no search.
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


@dataclass(frozen=True)
class KnownRulesets:
    """What was known of the rulesets of a search, and when that was written."""

    written: tuple[float, float]
    overview: Overview | None


class SearchShelf(Runs[SearchEntry]):
    """What is known of the searches of a project, as far as somebody has looked."""

    under, mark = SEARCHES, ""

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__(project, queue, workers)
        self._overviews: dict[str, KnownRulesets] = {}

    async def _refresh(self) -> None:
        found = await self.workers.reading.run(list_searches, self.project)
        entries = {one.name: one for one in sorted(found, key=lambda one: -one.touched)}
        changed, self.entries = entries != self.entries, entries
        if changed or not self.looked:
            self.looked = True
            self._changed()

    async def refresh_overview(self, name: str) -> None:
        """Reads what is known of the rulesets of a search, if that was written anew."""
        entry = self.entries.get(name)
        if entry is None or not entry.estimated:
            return
        written, known = (entry.estimated, entry.touched), self._overviews.get(name)
        if known is None or known.written != written:
            overview = await self.workers.reading.run(read_overview, self.project, name)
            self._overviews[name] = KnownRulesets(written, overview)
            self._changed()

    def overview(self, name: str) -> Overview | None:
        """What is known of the rulesets of a search, as far as it was read."""
        known = self._overviews.get(name)
        return known.overview if known else None

    async def play(self, name: str, language: str) -> None:
        """Puts a search into the queue; its pictures are drawn in a language."""
        self.queue.add(rule_search.find_search(name, self.project), language)

    def queued_entry(self, name: str, job: Job) -> SearchEntry:
        """The entry of one that the queue knows, and nobody has looked at."""
        return SearchEntry(name, job.heading, True, FolderState.NOT_BEGUN)

    def entry_view(self, entry: SearchEntry, visitor: Visitor) -> dict[str, Any]:
        """A search and what is known of its run, as plain data in a language."""
        job, state, games, total = self.job(entry.name), entry.state, entry.games, entry.total
        if job is not None and job.active:
            state, games, total = job.state, max(job.games, games), job.total or total
        percent = min(100, int(100 * games / total)) if total else 0
        folder, finalists = f"{SEARCHES}/{entry.name}", CONFIRMED.format(name=entry.name)
        report = f"/report/{quote(folder)}" if entry.page else ""
        address = f"/search/{quote(entry.name, safe='')}" if entry.file else report
        runs = job is not None and job.active
        stage = STAGES.get(job.stage, "") if job and state is FolderState.RUNNING else ""
        done = state is FolderState.DONE
        return {
            "name": entry.name,
            "title": visitor.translate(entry.title),
            "url": address,
            "report": report,
            "page": f"{REPORTS}{quote(folder)}/{report_files.PAGE}?{entry.page:.0f}" if entry.page and done else "",
            "finalists_report": f"/report/{quote(finalists)}" if entry.confirmed else "",
            "finalists_games": f"/replay/{quote(finalists)}" if entry.confirmed else "",
            "estimated": bool(entry.estimated),
            "touched": entry.touched,
            "shipped": entry.file and is_shipped("searches", entry.name),
            "answer": visitor.translate(entry.answer) if done else "",
            "leaders": [] if done else [visitor.translate(one) for one in entry.leaders],
            "state": str(state.value),
            "told": visitor.translate(STATES[state].format(percent=percent)),
            "percent": 100 if done else percent,
            "games": visitor.translate(games_progress_text(state, games, total, False)),
            "can": "stop" if runs else BUTTONS.get(state, "") if entry.file and not entry.problems else "",
            "wrong": [visitor.translate(problem.text) for problem in entry.problems],
            "damaged": [visitor.translate(entry.damaged)] if entry.damaged else [],
            "note": ""
            if entry.file
            else visitor.translate(tr("Its file is gone: what was found can be read, but not continued.")),
            "stage": visitor.translate(stage),
            **job_view(self.queue, job, visitor),
        }
