"""Every text of the studio, in English and Japanese: the one catalogue, from which pages and their scripts are served.

A test compares the languages and looks for texts that are missing or that nothing uses. What the games themselves say
(titles, sentences, witnesses) stands in their declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.language import COMMA, LANGUAGES, tr, translated, trc
from workbench.questions import ideas

if TYPE_CHECKING:
    from fastapi import Request


LANGUAGE, THEME = "workbench-language", "workbench-theme"
"""The names of the cookies; they outlive the studio, whose port may be another one next time."""
THEMES = ("auto", "light", "dark")
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """Language and colours of a page."""

    language: str
    theme: str

    @classmethod
    def from_request(cls, request: Request) -> Visitor:
        """Who sends a request."""
        theme = request.cookies.get(THEME, "")
        return cls(
            preferred_language(request.cookies, request.headers.get("accept-language", "")),
            theme if theme in THEMES else "auto",
        )

    @property
    def dark(self) -> bool | None:
        """Whether the page is dark; None if the system decides."""
        return {"light": False, "dark": True}.get(self.theme)

    def translate(self, text: str) -> str:
        """A text in the language of the page."""
        return translated(text, self.language)


def preferred_language(cookies: Mapping[str, str], accepted: str) -> str:
    """The language that was chosen, or else the one of ours that the browser likes best; English by default.

    >>> preferred_language({}, "fr;q=0.9, ja;q=0.8, en;q=0.7")
    'ja'
    """
    chosen = cookies.get(LANGUAGE, "")
    if chosen in LANGUAGES:
        return chosen
    liked = []
    for place, part in enumerate(accepted.split(",")):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            quality = 0.0
        language = tag.strip().lower().partition("-")[0]
        if language in LANGUAGES and quality > 0:
            liked.append((-quality, place, language))
    return min(liked)[2] if liked else LANGUAGES[0]


WORDS: Mapping[str, str] = {
    "studio": tr("Rule studio"),
    "comma": COMMA,
    "skip": tr("Skip to the content"),
    "areas": tr("Areas of the studio"),
    "rules": tr("Rules"),
    "play": trc("words", "Play"),
    "to_report": tr("To the report"),
    "its_games": trc("words", "Its games"),
    "reading": tr("The records are read…"),
    "replaying": tr("The game is played again from its seed…"),
    "worth_a_look": tr("Worth a look"),
    "any_game": tr("Any game of"),
    "game_number": tr("Number"),
    "show_game": tr("Show"),
    "no_such_game": tr("The report has no such game."),
    "language": tr("Language"),
    "theme": tr("Colours"),
    "auto": trc("colours", "Auto"),
    "light": tr("Light"),
    "dark": tr("Dark"),
    "nav_try": trc("areas", "Try"),
    "tune": tr("Language and colours"),
    "front": tr("What would a change of the rules do?"),
    "step_game": tr("Choose a game"),
    "step_game_how": tr("You begin with the rules that are played today."),
    "step_change": tr("Change a rule"),
    "step_change_how": tr("Choose another answer on the page of its rules: the rule book changes with it."),
    "step_try": tr("Try it"),
    "step_try_how": tr("Play it yourself, or let quick players play many games and see what becomes of them."),
    "begun": tr("Go on with"),
    "begun_run": tr("Running"),
    "begun_draft": tr("Draft"),
    "begun_game": tr("Game in play"),
    "begun_rules": tr("Your rules"),
    "begun_report": tr("Latest report"),
    "to_front": tr("To the first page"),
    "to_last_rules": tr("To the rules that were looked at last"),
    "again": tr("Try again"),
    "no_rulesets": tr("This folder holds no rulesets. The command “workbench init my-rules” makes one that does."),
    "not_found": tr("There is no such page. Perhaps the address is mistyped, or the file has another name now."),
    "failed": tr("Something went wrong in the studio; its terminal says what. Load the page again: drafts are kept."),
    "game_refused": tr("This game may not play yet."),
    "games": tr("Games"),
    "rulesets": tr("Rulesets"),
    "own_rules": tr("Your own"),
    "shipped_rules": tr("Shipped"),
    "find": tr("Find a ruleset"),
    "nothing_found": tr("No ruleset has these words."),
    "new_from": tr("New rules, begun from"),
    "editing": tr("The ruleset's own file"),
    "edit_file": tr("Change its own file instead"),
    "derive": tr("Begin new rules from it"),
    "title": tr("Title"),
    "base": tr("Base: {name}"),
    "no_base": tr("Base: the defaults of {name}"),
    "no_changes": tr("Nothing is changed yet. Choose another answer to a rule below: it will stand here."),
    "changes": tr("Differs from the base:"),
    "n_changed": tr("{n} changed"),
    "undo": tr("Undo"),
    "redo": tr("Redo"),
    "revert": tr("Discard"),
    "revert_hint": tr("Back to how it began; Undo brings it back."),
    "save": tr("Save…"),
    "only_changed": tr("Only what differs"),
    "identifiers": tr("Names as in files"),
    "none_changed": tr("Nothing differs from the base yet: what you change will stand here."),
    "jump": tr("Groups of rules"),
    "how_pictures": tr("How to read the pictures"),
    "mark_open": tr("a move that only the rules as they are here allow, or a marked square"),
    "mark_shut": tr("a move that they do not allow any more"),
    "choices": tr("Choices"),
    "book": tr("Rule book"),
    "book_summary": trc("rule book", "Overview"),
    "yaml": "YAML",
    "yaml_label": tr("The ruleset's file as YAML"),
    "fine": tr("Everything fits together."),
    "save_or_try": tr("Save the rules to keep them; they may be played and tried out before."),
    "to_tools": tr("To what is done with these rules: play, try out, save"),
    "problems": tr("To be mended"),
    "line": tr("line {n}"),
    "stale": tr("The rule book shows what can be understood of the YAML."),
    "changed": tr("changed"),
    "default": tr("default"),
    "of_base": tr("base"),
    "was": tr("Base: {sentence}"),
    "clash": tr("Does not go together: {why}"),
    "number": tr("A number from {low} to {high}"),
    "step": tr("in steps of {step}"),
    "idle": tr("no effect here: {because}"),
    "named_file": tr("A file of the folder {folder}"),
    "prices": tr("Prices of one's own"),
    "free": tr("free"),
    "free_of": tr("How many {name} cost nothing"),
    "price_of": tr("Points for each {name}"),
    "source": tr("Source"),
    "board": tr("Position for {title}"),
    "drawing": tr("Drawing…"),
    "not_drawn": tr("The position could not be drawn."),
    "plays": tr("Moves: {moves}"),
    "otherwise": tr("With the other choice: {sentence}"),
    "opened": tr("Only “{now}” allows: {moves}"),
    "shut": tr("Only “{was}” allows: {moves}"),
    "save_title": tr("Save as a ruleset"),
    "save_name": tr("Name of the file, such as free-drops"),
    "save_where": tr("Written to {folder}/"),
    "nowhere_to_save": tr(
        "There is no folder to save in: make one with “workbench init my-rules”, and start the studio there."
    ),
    "save_now": tr("Save"),
    "cancel": tr("Cancel"),
    "replace": tr("Replace the file"),
    "save_shipped": tr("This ruleset came with the workbench: it is saved under a new name, and stays as it is."),
    "shipped": tr(
        "This ruleset came with the workbench, and others build on it. Choose another name, unless you mean to "
        "replace it for good."
    ),
    "replace_shipped": tr("Replace the shipped file"),
    "taken": tr("There is a file of this name already, or it has changed since it was opened. Replace it?"),
    "saved": tr("Saved as {name}"),
    "gone": tr("The studio does not answer."),
    "gone_how": tr(
        "This page goes on by itself when the studio is open again (workbench studio); drafts and games are kept."
    ),
    "locked_out": tr("Another studio answers at this address."),
    "locked": tr("The key to this page is in the address that the studio has printed in its terminal: open that one."),
    "too_long": tr("This is too long to be sent."),
    "too_long_how": tr("What is longer than a megabyte is left out."),
    "paint_open": tr("Draw it on the board"),
    "paint_done": tr("Close the board"),
    "paint_marks": tr("Touch squares or draw over them to mark them, or to take marks away."),
    "paint_keys": tr("Board: arrow keys move, Space paints."),
    "paint_all": tr("All"),
    "paint_none": tr("None"),
    "paint_invert": tr("Invert"),
    "paint_across": tr("Mirror left to right"),
    "paint_down": tr("Mirror top to bottom"),
    "painted_on": tr("{square} marked"),
    "painted_off": tr("{square} not marked"),
    "painted_piece": tr("{square}: {piece}"),
    "painted_empty": tr("{square} empty"),
    "drawn": tr("A drawing of your own"),
    "not_drawn_yet": tr("Nothing of your own is drawn: it is “{value}”, until you draw."),
    "to_draw": tr("A drawing of your own: {sentence}"),
    "idea": tr("An idea"),
    "idea_lead": tr(
        "Describe your idea for {game} in a few words: the page lists the rules with the most similar words. Choose "
        "what they should say instead."
    ),
    "idea_from": tr("Starting from"),
    "idea_words": tr("Your idea"),
    "idea_example": tr("such as: a smaller board"),
    "idea_open": tr("What it could say instead, opened as a draft:"),
    "idea_choose": tr("Choose it in the rules"),
    "idea_same": ideas.NEAR_RULESETS,
    # A game in play
    "play_these": tr("Play these rules"),
    "playing": tr("A game of {name}"),
    "to_rules": tr("To its rules"),
    "not_playable": tr("These rules have to be mended first:"),
    "to_move": tr("{seat} to move"),
    "thinking": tr("thinking…"),
    "judging": tr("judging the moves…"),
    "compiling": tr("Its machine code is being made, once for each game: up to a minute…"),
    "ended": tr("{told}. {why}"),
    "you_are": tr("You play {seat}."),
    "both_people": tr("People play both sides here."),
    "no_people": tr("Two players of the workbench play each other here."),
    "last_move": tr("{seat}: {move}."),
    "rule_book": tr("Rule book"),
    "step_placed": tr("{piece} placed on {target}"),
    "step_moved": tr("{piece} from {origin} to {target}"),
    "place_where": tr("Choose a square: {piece}."),
    "place_what": tr("Choose what to place."),
    "move_where": tr("Choose the square to move to."),
    "move_what": tr("Choose a piece to move."),
    "move_or_drop": tr("Choose a piece to move, or an empty square to place one there: {piece}."),
    "move_or_place": tr("Choose a piece to move, or one from the hand to place."),
    "changed_from": tr("Changed from {base}:"),
    "nothing_changed": tr("Nothing is changed from {base}."),
    "its_defaults": tr("the defaults of {name}"),
    "resigned": tr("{loser} resigns: {winner} wins."),
    "stopped": tr("Stopped after {plies} plies."),
    "board_keys": tr("Board: arrow keys move, Enter plays, Escape lets go."),
    "legal_target": tr("may be moved to"),
    "legal_drop": tr("may be placed on"),
    "picked": tr("{piece}: picked up. Squares to go to: {squares}"),
    "let_go": tr("{piece}: put back"),
    "taken_back": tr("Taken back so far: {n}."),
    "in_hand": tr("From the hand"),
    "which": tr("Which move?"),
    "undo_move": tr("Take back"),
    "redo_move": tr("Again"),
    "set_up": tr("Set up a position"),
    "set_up_text": tr("The position as text"),
    "set_up_fen": tr("The position as FEN, or as YAML in braces; empty: the start"),
    "set_up_board": tr("The rows of the position, or YAML in braces; empty: the start"),
    "set_up_yaml": tr("The position as YAML in braces, which painting it on the board writes here; empty: the start"),
    "set_up_now": tr("Begin from it"),
    "paint": tr("Paint it on the board"),
    "paint_end": tr("Back to the game"),
    "paint_how": tr("Choose a piece, then touch squares; the same piece again takes it away."),
    "paint_piece": tr("Piece"),
    "paint_nothing": tr("Nothing (takes pieces away)"),
    "paint_side": tr("To move"),
    "paint_empty": tr("Empty board"),
    "hint": tr("Hint"),
    "hinted": tr("{text}: {told}"),
    "judge": tr("What is each move worth?"),
    "known_exactly": tr("Known exactly: these rules are solved."),
    "judged_by": tr("As {player} sees it: the share of points that the mover can expect, 50% being even."),
    "wins_in": tr("wins in {plies}"),
    "loses_in": tr("loses in {plies}"),
    "draws": trc("words", "draws"),
    "expected": "{percent}%",
    "expected_whole": tr("the mover can expect {percent}% of the points"),
    "grade_best": tr("as good as the best, within {percent} points"),
    "grade_worse": tr("up to {percent} points worse"),
    "grade_worst": tr("worse still"),
    "grade_wins": trc("words", "wins"),
    "grade_loses": trc("words", "loses"),
    "of_plies": tr("By plies"),
    "of_nodes": tr("By positions a move"),
    "learned": tr("Has learned these rules"),
    "styled": tr("Opening: {style}"),
    "outside": tr("From outside, named by experiments"),
    "typed": tr("Named by you"),
    "more_players": tr("More players…"),
    "another": tr("Another player by its name…"),
    "another_how": tr("A player such as alphabeta-20k or best-first-2500n"),
    "sit_down": tr("Sit down"),
    "pass": tr("Pass"),
    "swap": tr("Swap sides"),
    "resign": tr("Resign"),
    "resign_ask": tr("Resign this game?"),
    "resign_how": tr("The other side wins. Take back brings the game back."),
    "new_game": tr("New game"),
    "fresh_ask": tr("Throw this game away?"),
    "fresh_how": tr("{n} moves were played. They cannot be brought back."),
    "fresh_now": tr("Begin a new game"),
    "human": tr("A person"),
    "players": tr("Who plays"),
    "levels": tr("Levels"),
    "levels_how": tr("How strong is each level?"),
    "easy": trc("level", "Easy"),
    "fair": trc("level", "Fair"),
    "strong": trc("level", "Strong"),
    "perfect": trc("level", "Perfect"),
    "measured": tr("Scores {percent}% of the points against the easy level, as measured under these rules."),
    "plays_perfectly": tr("Knows what every position is worth, and never makes a mistake."),
    "has_learned": tr("Has learned these rules by playing them."),
    "evaluation": tr("Evaluation"),
    "evaluation_of": tr("{seat} can expect {percent}% of the points"),
    "evaluation_even": tr("Even: each side can expect half of the points"),
    "evaluation_known": tr("{seat} wins with best play"),
    "evaluation_draw": tr("A draw with best play"),
    "seen_by": tr("by one search of {player}"),
    "at_a_glance": tr("at a glance, without looking ahead"),
    "position_after": tr("The position after move {n}, {text}"),
    "position_start": tr("The position at the start"),
    "back_to_game": tr("Back to the game"),
    "go_on_here": tr("Go on from here"),
    "go_on_how": tr("The later moves are taken back; Again brings them."),
    "acts": tr("Where the rule acts"),
    "acts_of": tr("Proposal"),
    "acts_how": tr(
        "One game up to the position in which the rule matters most, then side by side without it and with it."
    ),
    "acts_searching": tr("Games of both rulesets are compared, position by position…"),
    "acts_nowhere": tr("In the games that were compared, the rule changes nothing that the player does."),
    "instead_of": tr("instead of"),
    "moves": trc("words", "Moves"),
    "look": tr("Look through"),
    "as_text": tr("Save as text"),
    "as_format": tr("Save as {format}"),
    # Searches
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
    # Experiments and reports
    "experiments": tr("Experiments"),
    "reports": tr("Reports"),
    # Reports
    "reports_lead": tr(
        "What each says in a sentence. Below it, of each ruleset: the first player's score between the strongest "
        "players with its 95 % interval, hollow where who is ahead is undecided, and how sure its effect is."
    ),
    "no_reports": tr("There are no reports yet: run an experiment first."),
    "script_of_others": tr(
        "This report was written by another version of the workbench, or by somebody else. The "
        "studio does not run its script, so replays and switches stand still; workbench report "
        "writes the page anew."
    ),
    "no_report": tr("There is no report “{name}”."),
    "no_report_found": tr("No report has these words."),
    "find_report": tr("Find a report"),
    "sort_by": tr("Order"),
    "newest": tr("Newest first"),
    "oldest": tr("Oldest first"),
    "by_title": tr("By title"),
    "players_and_more": tr("{players} and {n} more"),
    "report_first": tr("The report"),
    "ways_on": tr("To know more"),
    "play_proposal": tr("Play: {title}"),
    "save_proposal": tr("Save the proposal…"),
    "more_games": tr("More games…"),
    "ask_strong": tr("Ask strong players…"),
    "chart_first_score": tr("Score of the first player"),
    # Rulesets of reports
    "compare_this": tr("Compare {report}"),
    "compare_pick": trc("shelf words", "Compare"),
    "compare_chosen": trc("shelf words", "Reports: {n}"),
    "compare_rulesets": tr("Compare rulesets"),
    "compare_lead": tr("Rulesets of one or several reports, and one of them that the others are compared with."),
    "compare_add": tr("Add a report…"),
    "compare_none": tr("Choose a report."),
    "compare_note": tr(
        "Small: the 95 % interval. Below it: the difference from {base} (in other reports: from their own baseline) "
        "between the same players, with its interval. Of the first player's score it is by how many points it comes "
        "nearer to 50 %: plus is fairer. Of draws it is in points."
    ),
    "compare_apart": tr(
        "{name} ({players}): the reports lean opposite ways, and both are within chance. They do not contradict each "
        "other: these games do not decide it."
    ),
    "plus_is_fairer": tr("difference: + is fairer"),
    "own_baseline": tr("baseline of its report"),
    "compare_length": tr("Mean length (plies)"),
    "compare_variety": tr("Variety (openings)"),
    "compare_changes": tr("Changed rules"),
    "compare_certainty": tr("How sure"),
    "compare_sentences": tr("What their rules say"),
    "compared_with": tr("compared with {base}"),
    "other_game": trc("shelf words", "another game"),
    "not_known": trc("shelf words", "not known"),
    "ruleset": trc("shelf words", "Ruleset"),
    "baseline": trc("shelf words", "baseline"),
    "remove": tr("Remove"),
    "how_to_read": tr("How to read it"),
    "close": tr("Close"),
    "own_tab": tr("In a tab of its own"),
    "also": trc("words", "More"),
    # The list
    "new_experiment": tr("New experiment"),
    "experiments_lead": tr("Each is a question to some rulesets, answered by games that players play."),
    "no_experiments": tr("There are no experiments yet. Tick rulesets, players and a question, and there is one."),
    "find_experiment": tr("Find an experiment"),
    "looking": tr("Looking at the folders…"),
    "queue": tr("Now and next"),
    "earlier": tr("Earlier:"),
    "later": tr("Later:"),
    "take_out": tr("Take out"),
    "stop": tr("Stop"),
    "run_it": tr("Run"),
    "go_on": tr("Continue"),
    "mend": tr("Mend and continue"),
    "open_report": tr("Report"),
    "report_so_far": tr("Report so far"),
    "programs": tr(
        "It starts programs from outside, which only the terminal may allow (workbench studio --allow-programs)."
    ),
    "no_file": tr("Its experiment file is gone: it can be read, but not run again."),
    "differs": tr(
        "The rules or the question were changed since its games were played: save it under another name, or try the "
        "change out again."
    ),
    "state_not_begun": tr("not begun"),
    "state_queued": tr("waiting"),
    "state_running": tr("running, {percent} %"),
    "state_elsewhere": tr("running elsewhere"),
    "state_stopped": tr("{percent} % played"),
    "state_done": tr("done"),
    "state_damaged": tr("damaged"),
    "state_wrong": tr("to be mended"),
    "phase_starting": tr("starting…"),
    "phase_training": tr("players are learning…"),
    "phase_training_share": tr("players are learning ({n} of {total} done)…"),
    "phase_training_left": tr("players are learning ({n} of {total} done), about {time} left"),
    "phase_compiling": tr("machine code is being made…"),
    "phase_playing": tr("playing"),
    "phase_reporting": tr("writing the report…"),
    "phase_reporting_share": tr("writing the report… {percent} %"),
    "phase_stopping": tr("stopping…"),
    "games_asked": tr("{total} games"),
    "games_at_most": tr("at most {total} games"),
    "games_played": tr("{games} games"),
    "games_of": tr("{games} of {total} games"),
    "games_and_at_most": tr("{games} games, at most {rest} more"),
    "pace": tr("{n} games/s"),
    "left": tr("{time} left"),
    "left_at_most": tr("at most {time} left"),
    "seconds": tr("{n} s"),
    "minutes": tr("{n} min"),
    "hours": tr("{hours} h {minutes} min"),
    "first_result_in": tr("The first result comes in about {n} s."),
    "first_result_soon": tr("The first result comes any moment now."),
    "so_far": tr("So far"),
    "so_far_lead": tr("How the games have ended so far. These shares still move; verdicts stand in the report."),
    "so_far_shares": tr("first {first} %, drawn {draw} %, second {second} %"),
    "so_far_capped": tr("first {first} %, drawn {draw} %, second {second} %, stopped {unfinished} %"),
    # An experiment
    "new_question": tr("What do these rules change?"),
    "experiment_of": tr("The experiment {name}"),
    "its_run": tr("Its games"),
    "question_title": tr("Title of the experiment"),
    "choose_rulesets": tr("Tick the rulesets that are to be compared: two or more."),
    "asked_games": trc("shelf words", "How many games"),
    "ask_rulesets": tr("Which rulesets are compared?"),
    "ask_baseline": tr("Compared with"),
    "varied": tr("Besides, `vary` makes {count} rulesets."),
    "leave_out": tr("Leave out:"),
    "ask_players": tr("Who plays?"),
    "ask_players_lead": tr("Each plays against itself. Balance depends on strength: take several."),
    "pairs": tr("Besides, {count} pairs of players of the file."),
    "level_does": tr("{level}: {told}"),
    "player_learned": tr("The same, by what it has learned of each ruleset; training takes a while."),
    "player_net": tr("With a small network beside what it has learned of each ruleset; training takes longer."),
    "player_shared": tr("By the same weights under all rulesets, learned from games under all of them."),
    "players_own_and_learned": tr("By the game's own evaluation, and by what was learned of each ruleset."),
    "ask_question": tr("What is asked?"),
    "more_questions": tr("More questions…"),
    "ask_games": tr("Games for each ruleset and player"),
    "plies": trc("shelf words", "plies"),
    "size": tr("{rulesets} rulesets × {players} players × {games} games = {total} games"),
    "size_at_most": tr("{rulesets} rulesets × {players} players × at most {games} games = at most {total} games"),
    "cost": tr("What it costs"),
    "foretell": tr("Foretell"),
    "resumed": tr("This is the experiment that you had begun; “{revert}” begins with an empty one."),
    "cost_lead": tr("A pilot of a few seconds tells how long it takes, and what more or fewer games would show."),
    "pilot": tr("The pilot plays…"),
    "cost_stale": tr("The experiment has changed since."),
    "cost_games_and_time": tr("{games} games for each ruleset and player, {time}"),
    "cost_more": tr("Other aims, speed, and what the pilot saw"),
    "outlook_more": tr("What else these games can show"),
    "cost_what": tr("What you get"),
    "cost_allows": tr(
        "All numbers of games are for each ruleset and player. These allow for the draws and the games stopped at the "
        "cap in the pilot; what is said of the question, above, does not."
    ),
    "cost_take": tr("Take it"),
    "cost_players": tr("Players"),
    "cost_speed": tr("Games/s a core"),
    "cost_draws": tr("Draws"),
    "cost_plies": tr("Plies"),
    "with_workers": tr("Time, {n} workers"),
    "wish_file": tr("As it stands"),
    "wish_precision": tr("Each score to ±{size} points"),
    "wish_gain": tr("A gain in fairness of {size} points is found (80 %)"),
    "wish_difference": tr("A difference of {size} points is found (80 %)"),
    "wish_equality": tr("No difference is shown, to ±{size} points (80 %)"),
    "no_number": trc("shelf words", "no number will do"),
    "experiment_yaml": tr("The experiment's file as YAML"),
    "save_experiment": tr("Save as an experiment"),
    "experiment_name": tr("Name, such as my-question"),
    "save_and_run": tr("Save and run"),
    "shipped_experiment": tr(
        "This experiment came with the workbench. Choose another name, unless you mean to replace it for good."
    ),
    "change_question": tr("Change the question"),
    "compared_title": tr("{own} – against {base}"),
    "strong_title": tr("Strong players: {compared}"),
    "so_many_rulesets": tr("{n} rulesets"),
    "add_base": tr("Add what they extend: {name}"),
    "shipped_not_run": tr("{n} that came with the workbench, not yet run"),
    "so_many_listed": tr("{n} rulesets: scroll for more"),
    # Rules that are tried out
    "try": tr("Try it out"),
    "try_title": tr("Tried out: {own} – against {base}"),
    "try_against": tr("Compare with"),
    "try_lead": tr(
        "Quick players play many games by both rules. The first result comes within seconds, and it ends as soon as "
        "there is an answer. You may leave this page meanwhile, or stop it: what was played counts."
    ),
    "try_players": tr("Strong play may differ. Before you decide, let stronger players play: that takes longer."),
    "try_players_later": tr(
        "Strong play may differ. As soon as it runs, its page has a link to an experiment with stronger players: that "
        "takes longer."
    ),
    "try_stronger": tr("Experiment with stronger players"),
    "try_rules": tr("Rules tried"),
    "try_fitting": tr("As many as suit this machine"),
    "try_size": tr("at most {total} games, at most {time}"),
    "try_comment": tr("Written by the studio, to try rules out with quick players. To continue it elsewhere:"),
    "try_kept": tr(
        "It becomes an ordinary experiment, with its file and its report. Rules that have no file are kept as they "
        "were tried."
    ),
    "try_start": trc("try words", "Try it out"),
    "try_same": tr("These are the rules of {base}. Change something first."),
    "change_rules": tr("Change the rules"),
    "try_alone": tr("There is no other ruleset of this game to compare with."),
    "try_preparing": tr("Measuring how fast these games go…"),
    "try_compiling": tr("Preparing this game for fast play, once on this machine…"),
    "try_slow": tr("takes longer than usual"),
}


def translated_words(language: str) -> dict[str, str]:
    """The catalogue in one language."""
    return {key: translated(text, language) for key, text in WORDS.items()}
