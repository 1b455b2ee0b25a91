"""An experiment as plain data in one language, for ``experiment.js``."""

from __future__ import annotations

from collections.abc import Iterable

from workbench import games
from workbench.base.errors import InputError, display_path
from workbench.base.language import in_all
from workbench.experiments import measures
from workbench.experiments.experiment_files import DrawnLines
from workbench.rules import edits
from workbench.rules.rulesets import is_tried, with_saved_titles
from workbench.studio.asks import present_title
from workbench.studio.documents import plain_item, plain_number, plain_word
from workbench.studio.documents.experiments import NEW_QUESTION, ExperimentDocument, compared_title
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.opponents import players_view
from workbench.studio.visitor import View, Visitor, problem_view

USUAL_QUESTIONS = ("first_score", "draw_rate", "plies", "variety", "decisive", "legal_moves")
"""Questions that can be chosen; others, such as events of the game, are set in the file."""
PLAYERS = ("random", "greedy", "alphabeta-2", "alphabeta-1k", "alphabeta-10k")
"""The players that can be ticked, by strength."""


def choices_view(store: DraftStore, visitor: Visitor) -> View:
    """Return the games, rulesets and players that can be chosen while the page is open."""
    families = [games.declaration(name) for name in games.names() if name in store.games()]
    rulesets = [
        {"name": item.name, "own": item.name.partition("/")[2], "game": family.name, "title": item.heading}
        for family in families
        for item in store.family_rulesets(family.name)
    ]
    return {
        "games": visitor.localize([{"name": family.name, "title": family.title} for family in families]),
        "rulesets": visitor.localize(rulesets),
        "players": players_view(PLAYERS, visitor),
    }


def experiment_view(document: ExperimentDocument, visitor: Visitor) -> View:
    """Return the state of the page."""
    reading = document.read()
    loaded, title, project = reading.experiment, reading.title, document.project
    # Before the first choice, an empty list is not an error.
    ticked = [plain_word(name) for name in reading.list_items("rulesets")]
    is_incomplete = document.new and not ticked and {problem.key for problem in reading.problems} == {"rulesets"}
    question = plain_word(reading.keys.get("question")) or measures.FIRST_SCORE
    file = display_path(document.path)
    baseline = loaded.baseline if loaded else plain_word(reading.keys.get("baseline")) or (ticked or [""])[0]
    rulesets = with_saved_titles(loaded.rulesets, project) if loaded else ()
    view = {
        **document.view(),
        "title": NEW_QUESTION if title in _UNNAMED[1:] else present_title(loaded, title, project) if loaded else title,
        "proposed": {
            "title": compared_title(rulesets, baseline) if loaded and title in _UNNAMED else title,
            "name": "",
        },
        "begins": is_incomplete,
        "problems": [] if is_incomplete else [problem_view(problem, visitor, own=file) for problem in reading.problems],
        "rulesets": ticked,
        "labels": {ruleset.name: ruleset.heading for ruleset in rulesets if is_tried(ruleset.name)},
        "baseline": baseline,
        "agents": _agents(document),
        "question": question,
        "questions": [{"name": name, "title": text} for name, text in _questions(question)],
        "games": plain_number(reading.keys.get("games")),
        "plies": loaded.openings.plies if loaded and isinstance(loaded.openings, DrawnLines) else 0,
    }
    return visitor.localize(view)


_UNNAMED = ("", *in_all(NEW_QUESTION))
"""Titles that are replaced by a proposed title."""


def _agents(document: ExperimentDocument) -> list[str]:
    try:
        items = edits.list_items(document.text, "agents")
    except InputError:
        return []
    return list(map(plain_item, items))


def _questions(current: str) -> Iterable[tuple[str, str]]:
    """Yield the questions that can be chosen, and the chosen question, with their texts."""
    for name in USUAL_QUESTIONS:
        yield name, measures.measure_for_question(name).studio_question or name
    if current not in USUAL_QUESTIONS:
        yield current, current
