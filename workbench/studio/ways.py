"""Where the reader of a report goes on from it: its text says what would tell more, and these links do it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from workbench.errors import InputError
from workbench.files.project import Project
from workbench.files.yamlfile import snapshot
from workbench.questions import experiment as experiments
from workbench.questions.rulesets import Ruleset, is_tried, with_saved_titles
from workbench.studio import report_files
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

MOST_PLAYED = 3
"""Proposals that each have a link to be played."""
ASKS_STRONG = b'<p class="command">'
"""What a report has whose players cannot tell what strong play says."""


@snapshot()
def ways_on(project: Project, name: str, visitor: Visitor) -> list[dict[str, Any]]:
    """The links of the report of a name, as far as its experiment still has a file."""
    try:
        asked = experiments.load_experiment(experiments.find_experiment(name, project), project)
    except InputError:
        return []
    page = report_files.read_content(project.reports / name / report_files.PAGE) or b""
    called = with_saved_titles(asked.rulesets, project)
    proposals = [one for one in called if one.name != asked.baseline][:MOST_PLAYED] if not asked.levels else []
    ways = [("play", _play_text(one, len(proposals)), _rules_address("play", one)) for one in proposals]
    # Those that were saved meanwhile have the label of their file.
    unsaved = [one for one in proposals if is_tried(one.name) and not one.label]
    ways += [("save", WORDS["save_proposal"], f"{_rules_address('rules', one)}#save") for one in unsaved]
    ways.append(("games", WORDS["more_games"], f"/experiment/{quote(name, safe='')}#games"))
    if ASKS_STRONG in page:
        ways.append(("strong", WORDS["ask_strong"], f"/new-experiment?{urlencode({'like': name})}"))
    return [{"does": does, "text": visitor.translate(text), "url": url} for does, text, url in ways]


def _play_text(ruleset: Ruleset, proposals: int) -> str:
    return WORDS["play_these"] if proposals == 1 else WORDS["play_proposal"].format(title=ruleset.heading)


def _rules_address(area: str, ruleset: Ruleset) -> str:
    if is_tried(ruleset.name):
        return f"/tried/{area}/{quote(ruleset.name)}"
    return f"/{area}/file/{quote(ruleset.name)}"
