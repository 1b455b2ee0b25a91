"""Texts of the page of ideas beside those of its answers; a part of `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language import tr
from workbench.questions import ideas

IDEA_WORDS: Mapping[str, str] = {
    "idea": tr("An idea"),
    "idea_lead": tr(
        "Describe your idea for {game} in a few words: the page says whether the rules can express it, and with which "
        "settings."
    ),
    "idea_from": tr("Starting from"),
    "idea_words": tr("Your idea"),
    "idea_example": tr("such as: a smaller board, and no draw by repetition"),
    "idea_next": tr(
        "Say it in other words, look through all choices of the rules, or give the request below to somebody who can "
        "program it."
    ),
    "idea_look": tr("All choices of the rules"),
    "idea_sets": tr("What the draft sets"),
    "idea_also": ideas.ALSO,
    "idea_clash": ideas.CLASH,
    "idea_open": tr("Open as a draft"),
    "idea_draft": tr(
        "These rules have an unsaved draft, “{title}”. Opening the idea replaces it; Undo in the rules brings it back."
    ),
    "idea_add": tr("Add to that draft"),
    "idea_same": ideas.SAME,
    "idea_open_part": tr("Open the part that works as a draft"),
    "idea_choose": tr("Choose it in the rules"),
    "idea_request": ideas.REQUEST,
    "idea_copy": tr("Copy"),
    "idea_copied": tr("Copied."),
    "idea_save": tr("Save as a file"),
}
