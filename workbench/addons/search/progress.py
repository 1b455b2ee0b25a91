"""Playing, progress and results of rule searches in the studio.

Folders are read as plain data in a process beside the server; texts are messages for `Visitor.localize`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.document import search_path
from workbench.addons.search.question import CANDIDATES, RuleSearch, load_results, search_folder
from workbench.base.errors import InputError
from workbench.base.language import preferred, speaking, tr, untranslated
from workbench.base.project import CONFIRMED, Project, find_project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import changes_words, sentence_beside
from workbench.rules.settings import combine_settings
from workbench.studio.report_files import PAGE
from workbench.studio.visitor import View

if TYPE_CHECKING:
    import pandas as pd


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


class SelectedRuleset(NamedTuple):
    """A ruleset of a search that is open on the page."""

    view: View
    """The value of `_ruleset_view` with ``changes`` and ``opens`` (true if it can be opened as a draft)."""
    base: str
    settings: Mapping[str, Setting] | None
    """The settings that differ from the base; None if the search's file no longer has these levels."""


def _load_search(project: Project, name: str) -> RuleSearch | None:
    """Return a search, or None if its file is missing or has problems."""
    with contextlib.suppress(InputError):
        return question.load_search(search_path(project, name), project)
    return None


def _read_results(folder: Path) -> Results:
    """Return the content of ``search.json``, or an empty mapping if it is unreadable."""
    with contextlib.suppress(InputError):
        return load_results(folder)
    return {}


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
    """Return a search's results as messages, or None if there are none yet.

    ``leaders``: the changes of the most promising rulesets after the last round of an unfinished search;
    ``finalists``: the address of the report on them.
    """
    from workbench.addons.search import report

    folder = search_folder(project, name)
    table, results = _read_candidates(folder), _read_results(folder)
    if not results:
        return None
    search = _load_search(project, name)
    leaders = results["rounds"][-1]["leaders"] if results.get("rounds") and not results.get("result") else []
    confirmed = CONFIRMED.format(name=name)
    found = {
        "rows": [], "shown": "", "leaders": [_title(search, leader) for leader in leaders],
        "finalists": f"/report/{quote(confirmed)}" if (project.reports / confirmed / PAGE).is_file() else "",
    }  # fmt: skip
    if table is None:
        return found
    table = table.sort_values("loss")
    eligible = table[~table["left_out"]]
    names = list(report.finalists(results))
    finalists = eligible[eligible["ruleset"].isin(names)]
    others = eligible[~eligible["ruleset"].isin(names)].head(MAX_ROWS - len(finalists))
    records = [row for part in (finalists, others) for row in part.to_dict("records")]
    rows = [_ruleset_view(row, results, _title(search, row["ruleset"])) for row in records]
    rows.sort(key=lambda row: row["number"] or len(names) + 1)
    shown = tr("{shown} of {count} proposals", shown=f"{len(rows):,}", count=f"{len(eligible):,}")
    return found | {"rows": rows, "shown": shown}


@snapshot()
def read_ruleset(project: Project, name: str, index: int) -> SelectedRuleset | None:
    """Return the ruleset at an index of the candidates, or None if there is none."""
    folder = search_folder(project, name)
    table, results, search = _read_candidates(folder), _read_results(folder), _load_search(project, name)
    rows = [] if table is None else table[table["place"] == index].to_dict("records")
    if not rows:
        return None
    settings = _settings(search, rows[0]["ruleset"])
    changes: list[View] = []
    if search is not None and settings is not None:
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
    results = _read_results(search_folder(project, search.name))
    differs = bool(results) and results.get("fingerprint") != run.identity(search, candidates)["fingerprint"]
    return {"problems": [], "lines": run.describe_space(search, candidates), "differs": differs}


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
