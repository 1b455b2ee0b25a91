"""Where the reader of a report goes on, and what rules are called that were tried out first and saved then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studio import own_project
from workbench.files.project import Project
from workbench.language import in_all
from workbench.questions import experiment as experiments
from workbench.questions import rulesets
from workbench.report.labels import ruleset_labels
from workbench.studio.drafts import Desk, Unsaved, save_ruleset
from workbench.studio.experiments import Tryout, make_tryout
from workbench.studio.report_files import ASKS_STRONG, ways_on
from workbench.studio.words import Visitor


@pytest.fixture
def project(tmp_path: Path) -> Project:
    own_project(tmp_path, "star")
    return Project(tmp_path)


def tried_out(desk: Desk) -> Tryout:
    """Rules without a file, after they were tried out."""
    draft = desk.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("repetition", 4)
    tried = make_tryout(draft, draft.read(), "star/default")
    tried.write_rules()
    tried.write(0.1)
    return tried


def test_a_report_leads_to_playing_saving_more_games_and_strong_players(project: Project) -> None:
    desk = Desk(project, Unsaved(project))
    tried = tried_out(desk)
    name, visitor = tried.path.stem, Visitor("en", "auto")
    ways = {way["does"]: way["url"] for way in ways_on(project, name, visitor)}
    assert ways == {
        "play": f"/tried/play/{tried.own.name}",
        "save": f"/tried/rules/{tried.own.name}#save",
        "games": f"/experiment/{name}#games",
    }
    (project.reports / name).mkdir(parents=True)
    (project.reports / name / "report.html").write_bytes(ASKS_STRONG)
    assert {way["does"] for way in ways_on(project, name, visitor)} == {*ways, "strong"}
    draft = desk.draft(desk.page_of_tried(tried.own.name), "new")
    save_ruleset(draft, "mine", replace=False)
    assert "save" not in {way["does"] for way in ways_on(project, name, visitor)}
    assert ways_on(project, "nothing", visitor) == []


def test_rules_that_were_tried_out_are_gone_on_with_where_they_came_from(project: Project) -> None:
    desk = Desk(project, Unsaved(project))
    tried = tried_out(desk)
    assert desk.page_of_tried(tried.own.name) == "star/default"
    changed = desk.draft("star/default", "new")
    changed.set_toggle("swap", "after-first")
    page = desk.page_of_tried(tried.own.name)
    assert page == "star/default~2", "another draft stays as it is"
    ruleset = desk.draft(page, "new").read().ruleset
    assert ruleset is not None and ruleset.fingerprint == tried.own.fingerprint
    assert desk.page_of_tried(tried.own.name) == page


def test_rules_that_were_saved_since_are_called_by_their_title(project: Project) -> None:
    desk = Desk(project, Unsaved(project))
    tried = tried_out(desk)
    asked = experiments.load_experiment(tried.path, project)
    assert "mine" not in str(ruleset_labels(rulesets.with_saved_titles(asked.rulesets, project))[tried.own.name])
    draft = desk.draft("star/default", "new")
    draft.set_title("Draw when stuck", japanese=False)
    draft.set_title("手詰まりは引き分け", japanese=True)
    save_ruleset(draft, "mine", replace=False)
    called = rulesets.with_saved_titles(asked.rulesets, project)
    assert called[0] is asked.rulesets[0], "only those that were tried out are called anew"
    assert in_all(ruleset_labels(called)[tried.own.name]) == ("Draw when stuck", "手詰まりは引き分け")
