"""The texts of the pages of searches; part of the catalogue in `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language import tr, trc

SEARCH_WORDS: Mapping[str, str] = {
    "searches": trc("areas", "Search"),
    "searches_heading": tr("Searches for rulesets"),
    "searches_lead": tr(
        "Each names what may be changed and what the game should become, and finds the rulesets that get there with "
        "the fewest changes."
    ),
    "no_searches": tr("There are no searches yet."),
    "no_search_found": tr("No search has these words."),
    "find_search": tr("Find a search"),
    "new_search": tr("New search"),
    "new_search_title": tr("Which few changes reach the targets?"),
    "search_of": tr("The search {name}"),
    "search_title": tr("Title of the search"),
    "search_yaml": tr("The search's file as YAML"),
    "save_search": tr("Save as a search"),
    "search_name": tr("Name, such as fair-chatra"),
    "shipped_search": tr(
        "This search came with the workbench. Choose another name, unless you mean to replace it for good."
    ),
    "search_resumed": tr("This is the search that you had begun; “{revert}” begins with an empty one."),
    "change_search": tr("Change the search"),
    "no_search_file": tr("Its file is gone: what was found can be read, but not continued."),
    "search_differs": tr(
        "Games of another search of this name are there: the rules, players, targets, budget or the workbench were "
        "different then. Save this one under another name, or begin anew in a terminal with --fresh."
    ),
    "search_waits": tr("Something else is played first."),
    # The form
    "ask_base": tr("Which rules are to be changed?"),
    "ask_space": tr("What may be changed?"),
    "ask_space_lead": tr("Choose the rules, and of each the choices that would be acceptable to you."),
    "add_rule": tr("Choose rules that may be changed"),
    "find_rule": tr("Find a rule"),
    "no_rule_found": tr("No rule has these words."),
    "let_be": tr("Leave as it is:"),
    "as_it_is": tr("as it is"),
    "numbers_from": tr("Numbers from"),
    "numbers_to": tr("to"),
    "numbers_by": tr("in steps of"),
    "own_factor": tr("Several rules that are changed together, as the file says."),
    "price_each": tr("Price of a change"),
    "price_by_step": tr("for each step of the number"),
    "ask_price": tr("What does a change cost?"),
    "ask_price_lead": tr(
        "The search prefers cheap rulesets. A price of 0 stands for a change that nobody would mind; a rule above may "
        "have a price of its own."
    ),
    "price_usual": tr("Price of each change, if its rule has none of its own"),
    "ask_never": tr("Which combinations are out of the question?"),
    "never_lead": tr("What the rules of the game exclude is left out anyway."),
    "never_first": tr("First choice"),
    "never_second": tr("together with"),
    "never_add": tr("Rule it out"),
    "never_remove": tr("Allow again:"),
    "ask_targets": tr("What should the game become?"),
    "ask_targets_lead": tr(
        "A target is aimed at; what is required has to be fulfilled for a ruleset to be considered at all. One end may "
        "be left empty."
    ),
    "target_role": tr("{measure}: what for"),
    "role_none": tr("not considered"),
    "role_target": trc("search words", "target"),
    "role_must": tr("required"),
    "target_from": tr("{measure}, from"),
    "target_to": tr("{measure}, to"),
    "target_first_score": tr("First player's score"),
    "target_first_win_rate": tr("Wins of the first player"),
    "target_second_win_rate": tr("Wins of the second player"),
    "target_draw_rate": trc("search words", "Draws"),
    "target_capped_rate": tr("Games without an end"),
    "target_plies": tr("Plies of a game"),
    "ask_order": tr("What counts more?"),
    "order_targets": tr("Targets first; of rulesets that meet them, the cheapest"),
    "order_weights": tr("Weights: points of loss"),
    "weight_of": tr("for missing “{measure}” by half its width"),
    "weight_of_price": tr("for a price of 1"),
    "indifferent": tr("Differences of the first player's score that do not matter"),
    "ask_quick_players": tr("Quick players: which rulesets cannot be played at all?"),
    "ask_strong_players": tr("Strong players: whose games count?"),
    "strong_standard": tr(
        "The standard ones: two kinds of search with two budgets each, and in the end by what they have learned"
    ),
    "strong_chosen": tr("Players of your choice"),
    "ask_lines": tr("Random opening lines"),
    "line_plies": tr("Plies of a line"),
    "line_count": tr("Lines of a ruleset"),
    "ask_budget": tr("How long may it take?"),
    "budget_hours": tr("Hours on this machine"),
    "budget_games": tr("Games of strong players"),
    "confirm_share": tr("Of these for confirming the finalists"),
    "finalists": tr("Finalists"),
    "seed": trc("search words", "Random seed"),
    "max_plies": tr("Games are stopped after so many plies"),
    "percent": "%",
    "points": trc("search words", "points"),
    "search_size": tr("How many rulesets that is"),
    "counting": tr("Counting the rulesets…"),
    # The run
    "stage": tr("Stage"),
    "stage_sieve": tr("quick players look for what cannot be played"),
    "stage_sample": tr("first sample"),
    "stage_rounds": tr("games go to what may be the best"),
    "stage_race": tr("race of the most promising"),
    "stage_confirmation": tr("fresh games of the finalists"),
    "leaders": tr("Most promising at present"),
    "leaders_lead": tr("A look in between is no verdict: who leads changes until fresh games decide."),
    "by_score_and_draws": tr("Rulesets by score and draws"),
    "scatter_lead": tr(
        "Each dot is a ruleset, where the model of all games so far expects it. Numbered: the finalists. Dark: none is "
        "better in score, draws and price at once. Shaded: the targets. A dot opens its ruleset."
    ),
    "rulesets_table": tr("The most promising rulesets"),
    "rulesets_lead": tr(
        "Expected by the model of all games, with 95 % intervals, the best first; the numbered finalists by fresh "
        "games alone."
    ),
    "of_rulesets": tr("{shown} of {count} rulesets"),
    "col_score": tr("First player"),
    "col_draws": trc("search words", "Draws"),
    "col_plies": trc("search words", "Plies"),
    "col_price": trc("search words", "Price"),
    "col_games": trc("search words", "Games"),
    "col_best": tr("Best"),
    "look_at": trc("search words", "Look"),
    "looked_at": tr("A ruleset of the search"),
    "finalist": tr("Finalist {n}: {title}"),
    "price_told": tr("price {n}"),
    "chance_best": tr("best with {percent} %"),
    "chance_alike": tr("as good as the best with {percent} %"),
    "no_change": tr("These are the rules as they are."),
    "not_in_space": tr("The search's file does not have these choices any more, so these rules cannot be opened."),
    "before": trc("search words", "Before"),
    "after": trc("search words", "After"),
    "open_rules": tr("Open its rules"),
    "try_this": tr("Try this"),
    "save_as_proposal": tr("Save as a proposal…"),
    "finalists_games": tr("Games of the finalists"),
    "finalists_report": tr("Report on the finalists"),
    "search_report": tr("The report of the search"),
    "begun_search": tr("Search"),
}
