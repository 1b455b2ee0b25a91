"""The texts of the pages of experiments and reports; part of the catalogue in `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language import tr, trc

SHELF_WORDS: Mapping[str, str] = {
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
