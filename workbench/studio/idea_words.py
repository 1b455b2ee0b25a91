"""Texts of the page of ideas, and of the request for a rule that has to be added; a part of `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language import tr

IDEA_WORDS: Mapping[str, str] = {
    "idea": tr("An idea"),
    "idea_lead": tr(
        "Describe your idea for {game} in a few words: the page says whether the rules can express it, and with which "
        "settings."
    ),
    "idea_from": tr("Starting from"),
    "idea_words": tr("Your idea"),
    "idea_example": tr("such as: a smaller board, and no draw by repetition"),
    "idea_can": tr("The rules can express this."),
    "idea_already": tr("The rules already say so."),
    "idea_choose_value": tr("There is a choice about this."),
    "idea_choose_number": tr("The rules can express this: choose the number."),
    "idea_choose_base": tr("“{than}” has no number to count from yet: choose one, then “{title}”."),
    "idea_fixed": tr("The rule book says: “{sentence}”. No setting changes that yet."),
    "idea_next": tr(
        "Say it in other words, look through all choices of the rules, or give the request below to somebody who can "
        "program it."
    ),
    "idea_look": tr("All choices of the rules"),
    "idea_near": tr("Not exactly, but something close can be expressed."),
    "idea_cannot": tr("The rules cannot express this yet. Closest to it:"),
    "idea_nothing": tr("The rules cannot express this yet, and no setting of {game} is about it."),
    "idea_sets": tr("What the draft sets"),
    "idea_also": tr("These have to change with it:"),
    "idea_was": tr("Currently: {sentence}"),
    "idea_now": tr("currently"),
    "idea_clash": tr("Conflicts with the other rules:"),
    "idea_unsaid": tr("Not covered: {words}"),
    "idea_open": tr("Open as a draft"),
    "idea_draft": tr(
        "These rules have an unsaved draft, “{title}”. Opening the idea replaces it; Undo in the rules brings it back."
    ),
    "idea_add": tr("Add to that draft"),
    "idea_same": tr("Rulesets that have it already:"),
    "idea_open_part": tr("Open the part that works as a draft"),
    "idea_choose": tr("Choose it in the rules"),
    "idea_request": tr("Request for a developer"),
    "idea_copy": tr("Copy"),
    "idea_copied": tr("Copied."),
    "idea_save": tr("Save as a file"),
    "request_title": tr("Rule request: {idea}"),
    "request_game": tr("Game: {game} ({name}), starting from {base}"),
    "request_words": tr("Idea in the designer's words: “{idea}”"),
    "request_said": tr("Already possible: {settings}"),
    "request_now": tr("Current rules that it concerns"),
    "request_toggle": tr("{title} ({name}): {sentence} Allowed: {choices}."),
    "request_decide": tr("To be decided"),
    "request_means": tr("What exactly does the idea mean: which pieces, which squares, which situations?"),
    "request_when": tr("From which move on does it apply, and does it ever stop?"),
    "request_whom": tr("Does it apply to both players alike?"),
    "request_order": tr("Which rule takes precedence where it meets these: {titles}?"),
    "request_ends": tr("Can it end a game, and who wins then?"),
    "request_sentence": tr(
        "Its sentence in the rule book, in English and Japanese, and its value in the existing rulesets."
    ),
    "request_steps": tr("How to add a rule"),
    "idea_how_1": tr(
        "Declare the toggle, with a sentence of the rule book for each value in both languages, in {rules}."
    ),
    "idea_how_2": tr(
        "Say in the kernel what it does, one “if” at the place where the rule book has the sentence: {kernel}."
    ),
    "idea_how_3": tr("Say the same a second time in the slow twin, from the rule text: {twin}."),
    "idea_how_4": tr("Give a position in which it shows: {witnesses}."),
    "idea_how_5": tr("List what players call it in {ideas}."),
    "idea_how_more": tr("The steps are told in full in {guide}."),
}
