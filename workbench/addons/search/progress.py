"""Playing, progress and results of rule searches in the studio.

Folders are read as plain data in a process beside the server; texts are messages for `Visitor.localize`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.question import CANDIDATES, RuleSearch, load_results, search_folder
from workbench.base.errors import InputError
from workbench.base.language import preferred, speaking, tr, untranslated
from workbench.base.project import CONFIRMED, Project, find_project
from workbench.base.yamlfile import snapshot
from workbench.games.declaration import equal_settings
from workbench.games.wording import changes_words, sentence_beside
from workbench.rules.settings import combine_settings
from workbench.studio import report_files
from workbench.studio.visitor import View

MAX_ROWS = 40


@snapshot()
def read_overview(project: Project, name: str) -> View | None:
    """Return a search's most promising rulesets as messages, or None if there are none yet."""
    import pandas as pd

    from workbench.addons.search import report

    folder, search = search_folder(project, name), None
    with contextlib.suppress(InputError):
        search = question.load_search(project.searches / f"{name}.yaml", project)
    try:
        results = load_results(folder)
        table = pd.read_csv(folder / CANDIDATES).sort_values("loss")
    except (OSError, ValueError, InputError):
        return None
    if not results:
        return None
    eligible = table[~table["left_out"]]
    finalists = report.finalists(results)
    is_finalist = eligible["ruleset"].isin(finalists)
    others = eligible[~is_finalist].head(MAX_ROWS - len(finalists))
    records = [row for part in (eligible[is_finalist], others) for row in part.to_dict("records")]
    rows = [_ruleset_view(row, results, search) for row in records]
    confirmed = CONFIRMED.format(name=name)
    return {
        "rows": sorted(rows, key=lambda row: row["number"] or len(finalists) + 1),
        "shown": tr("{shown} of {count} proposals", shown=f"{len(rows):,}", count=f"{len(eligible):,}"),
        "report": f"/report/{quote(confirmed)}" if report_files.page_address(project, confirmed) else "",
    }


def _ruleset_view(row: Mapping[Any, Any], results: Mapping[str, Any], search: RuleSearch | None) -> View:
    """Return a ruleset's measures, its index among the candidates and its ``number`` among the finalists, or 0.

    Finalists are estimated by fresh games, with the probability of being as good as the best; other rulesets are
    estimated by the model, with the probability of being the best. The ``settings`` that differ from the base are None
    if the file no longer has them.
    """
    from workbench.addons.search import report

    finalists, name = report.finalists(results), row["ruleset"]
    entry = finalists.get(name)
    values = entry["values"] if entry else {key: report.model_estimate(row, key) for key in report.MEASURE_TITLES}
    percent = round(100 * float(entry["alike"] if entry else row["best"]))
    chance = (
        tr("as good as the best with probability {percent} %") if entry else tr("best with probability {percent} %")
    )
    view = {
        "place": int(row["place"]),
        "title": untranslated(name),
        "number": list(finalists).index(name) + 1 if entry else 0,
        "values": [
            *(report.value_text(measure, values[measure]) for measure in report.MEASURE_TITLES),
            untranslated(f"{int(row['games']):,}"), untranslated(f"{percent} %"),
        ],
        "chance": chance.format(percent=percent),
        "targets": report.targets_text(entry) if entry else "",
        "start": results.get("base"), "settings": None, "changes": [],
    }  # fmt: skip
    changes = question.parse_changes(search, name) if search else None
    if search is None or changes is None:
        return view
    family, before = games.declaration(search.base.game), search.base.settings
    settings = {key: value for _, level in changes for key, value in level.settings.items()}
    after = combine_settings(family, before, settings)
    return view | {
        "title": changes_words(family.name, family.toggles, before, after) or search.base.heading,
        "settings": settings,
        "changes": [
            {"title": toggle.title, "was": sentence_beside(toggle, before[toggle.name]),
             "now": sentence_beside(toggle, after[toggle.name])}
            for toggle in family.toggles
            if not equal_settings(before[toggle.name], after[toggle.name])
        ],
    }  # fmt: skip


def describe_text(path: Path, project: Project, text: str) -> list[str]:
    """Return sentences about the rulesets of a search's text; raises `InputError` if it has problems."""
    from workbench.addons.search import run

    search = question.load_search(path, project, text)
    return run.describe_space(search, question.list_candidates(search))


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
    stage, begun = "", (time.monotonic(), 0)

    def on_status(status: run.Status) -> None:
        """Report the progress with the pace since the first new game."""
        nonlocal stage, begun
        if not stage or status.games <= begun[1]:
            begun = time.monotonic(), status.games
        pace = (status.games - begun[1]) / max(time.monotonic() - begun[0], 1e-9)
        tell.progress(
            at_once=status.stage != stage, stage=status.stage, games=status.games, total=status.total,
            left=(status.total - status.games) / pace if pace else None,
        )  # fmt: skip
        stage = status.stage

    search.on_training = tell.training
    search.play_rounds(on_status)
    tell(phase="starting", stage=run.CONFIRMATION)
    _, confirmed = search.confirm(on_status)
    tell(phase="reporting")
    with speaking(preferred(os.environ)):
        search_report.write_search(folder, load_results(folder), spec.base, *search.estimates(), None)
        report.write_report(confirmed)
