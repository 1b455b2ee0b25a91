"""Texts of the pages on which rules are tried out; a part of the catalogue in `words`."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.language import tr, trc

TRY_WORDS: Mapping[str, str] = {
    "try": tr("Try it out"),
    "try_title": tr("Tried out: {own} – against {base}"),
    "try_heading": tr("Try out {own} against {base}"),
    "try_own": tr("your rules"),
    "try_against": tr("Compare with"),
    "try_lead": tr(
        "Quick players play many games by both rules. The first result comes within seconds, an "
        "answer within minutes; you may leave this page meanwhile."
    ),
    "try_players": tr(
        "These are quick players: greedy takes what looks best at once, alphabeta-2 looks two "
        "plies ahead. Strong play may differ. Before you decide, let stronger players play "
        "(alphabeta-10k, or trained ones) in an experiment of your own: that takes hours rather "
        "than minutes."
    ),
    "try_margin": tr("Differences of less than {margin} points count as none."),
    "try_kept": tr("It is an ordinary experiment: {experiment}, with its games in {folder}. The same in a terminal:"),
    "try_tried": tr("The rules are kept as they were tried in {path}."),
    "try_start": trc("try words", "Try it out"),
    "try_same": tr("These are the rules of {base}. Change something first."),
    "try_alone": tr("There is no other ruleset of this game to compare with."),
    "try_preparing": tr("Measuring how fast these games go…"),
    "try_next_look": tr("The next look comes after {games} games of each ruleset."),
    "try_no_look": tr(
        "The first look comes after {games} games of each ruleset. Nothing is shown before: to "
        "look whenever one likes is wrong too often."
    ),
    "try_verdict": tr("The verdict"),
    "try_open": tr("Not decided yet."),
    "try_undecided": tr("These games do not decide it."),
    "try_fairer": tr("Fairer than {base}."),
    "try_less_fair": tr("Less fair than {base}."),
    "try_no_meaningful_difference": tr("As fair as {base}."),
    "try_partly": tr("{verdict} That holds for {players}; between the other players these games do not decide it."),
    "try_mixed": tr("It depends on the players."),
    "try_quick_only": tr("That is how it is between quick players."),
    "try_says_fairer": tr(
        "Fairer than {base}: the first player's score is nearer to 50\u00a0% by {gain} points ({low} to {high})."
    ),
    "try_says_less_fair": tr(
        "Less fair than {base}: the first player's score is farther from 50\u00a0%, by {gain} points ({low} to {high})."
    ),
    "try_says_no_meaningful_difference": tr(
        "As fair as {base}: the difference is less than {margin} points ({low} to {high})."
    ),
    "try_says_open": tr("Not decided yet: the gain in fairness is {gain} points ({low} to {high})."),
    "try_says_undecided": tr("Not decided ({why}): the gain in fairness is {gain} points ({low} to {high})."),
    "try_says_nothing": tr("No look yet."),
    "try_needed": tr("Roughly {games} more games of each would decide it."),
    "try_chart": tr(
        "First player's score at each look, with its interval. {players}: {base_name} {base}, {own_name} {own}."
    ),
    "try_score": tr("First player's score, %"),
    "try_axis": tr("games of each ruleset"),
    "try_beside": tr("What else changes"),
    "try_difference": tr("Difference"),
    "try_games_why": tr("Three games that show why"),
    "try_rule_fired": tr("A changed rule at work in {share} % of the games: {event}"),
    "try_more_often": tr("Ends in a way that became more frequent, from {before} to {after} %: {how}"),
    "try_first_wins": tr("The first player wins: {after} % instead of {before} %"),
    "try_second_wins": tr("The second player wins: {after} % instead of {before} %"),
    "try_draws": tr("A draw: {after} % instead of {before} %"),
    "try_typical": tr("A game of typical length"),
    "try_shortest": tr("The shortest game"),
    "try_longest": tr("The longest game"),
    "try_all_games": tr("Any other game of it"),
    "try_report": tr("The whole report"),
    "try_stronger": tr("Make an experiment"),
    "try_settings": tr("How it is tried"),
}
