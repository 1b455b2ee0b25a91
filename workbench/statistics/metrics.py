"""The dictionary of all numbers: formula, unit, better direction and source of each.

The measures that compare rulesets are declared in `workbench.experiments.measures.MEASURES`, all others here. A name
means the same in all tables, and a test checks that every number of every table is here.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.language import tr
from workbench.experiments.measures import BERGER, CHAO, COCHRAN, IMBENS, MEASURES, SEKI, TANGO, WILSON

MOVER = "R. G. Newcombe, Statistics in Medicine 17, 1998; G. Y. Zou, A. Donner, Statistics in Medicine 27, 2008"
KAPLAN = "E. L. Kaplan, P. Meier, JASA 53, 1958"
BROWNE = "C. Browne, Automatic Generation and Evaluation of Recombination Games, 2008"
HOLM = "S. Holm, Scandinavian J. of Statistics 6, 1979"
SHAFFER = "J. P. Shaffer, JASA 81, 1986"
LIANG = "K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986; A. C. Cameron, D. L. Miller, J. of Human Resources 50, 2015"
TAVENER = "S. Tavener, reports of Ai Ai, mrraow.com"
COUNT = "a count"


@dataclass(frozen=True)
class Metric:
    """One number."""

    name: str
    formula: str
    unit: str  # ``games``, ``share`` (0 to 1; differences of shares are shares, too), ``plies``, ``moves``, ``bits`` …
    direction: str
    """The wish of a designer: ``more``, ``less``, ``near 1/2``, ``target`` (as the experiment says) or ``none``."""
    source: str
    sentence: str


_METRICS = (
    # Counts
    Metric("games", "games played", "games", "none", COUNT, tr("Games in the cell.")),
    Metric("finished", "games - unfinished", "games", "none", COUNT,
           tr("Games with a result: by the rules, or adjudicated at the cap.")),
    Metric("first_wins", "games won by the first seat", "games", "none", COUNT, tr("Games won by the first seat.")),
    Metric("second_wins", "games won by the second seat", "games", "none", COUNT, tr("Games won by the second seat.")),
    Metric("draws", "drawn games", "games", "none", COUNT, tr("Drawn games.")),
    Metric("unfinished", "games stopped at the cap and not adjudicated", "games", "less", COUNT,
           tr("Games stopped at max_plies without a result; they are not draws.")),
    Metric("looks", "interim analyses that the cell's games took part in", "analyses", "none", COUNT,
           tr("Number of verdicts based on this cell.")),
    Metric("distinct_games", "different move lists", "games", "more", COUNT, tr("Distinct games.")),
    Metric("distinct_share", "distinct_games / games", "share", "more", COUNT, tr("Share of distinct games.")),
    Metric("effective_games", "games² / Σ copies²", "games", "more", "L. Kish, Survey Sampling, 1965",
           tr("Effective number of games if repeated games add no information.")),
    # Results
    *(Metric(one.name, one.formula, one.unit, one.direction, one.source, one.sentence) for one in MEASURES.values()),
    Metric("unfairness", "|first_score - 1/2|", "share", "less", TANGO,
           tr("Distance of the first seat's score from one half.")),
    Metric("ended_by", "games that ended so", "games", "none", COUNT, tr("Games by type of ending.")),
    # Lengths and choices
    Metric("plies_median", "first ply at which fewer than 1/2 of the games go on", "plies", "target", KAPLAN,
           tr("Median game length; infinite if beyond the cap.")),
    Metric("plies_lower_quartile", "first ply at which fewer than 3/4 go on", "plies", "none", KAPLAN,
           tr("A quarter of the games are at most this long.")),
    Metric("plies_upper_quartile", "first ply at which fewer than 1/4 go on", "plies", "none", KAPLAN,
           tr("A quarter of the games are at least this long.")),
    Metric("length_off_target", "distance of plies_median from its target", "plies", "less", "the experiment's target",
           tr("Distance of the median length from its target, in plies.")),
    Metric("plies", "ply number", "plies", "none", COUNT, tr("Number of plies.")),
    Metric("alive", "share of longer games", "share", "none", KAPLAN, tr("Share of games longer than this.")),
    Metric("at_risk", "games that had not ended before", "games", "none", KAPLAN,
           tr("Games that had not ended before this ply.")),
    Metric("lead_changes", "times the heuristic's favourite changes", "count", "more", BROWNE,
           tr("Number of lead changes in a game, according to the heuristic.")),
    Metric("drama", "mean over the winner's bad plies of √(loser's lead)", "0 to 1", "more", BROWNE,
           tr("Mean deficit of the eventual winner over the plies at which it was behind.")),
    Metric("drama_max", "largest lead of the later loser", "0 to 1", "more", BROWNE,
           tr("Largest deficit of the eventual winner.")),
    # Portraits
    Metric("traced", "games with an evaluation after each ply", "games", "none", COUNT,
           tr("Games on which the courses are based: the first ones in the cell.")),
    Metric("traced_decided", "traced games that somebody won", "games", "none", COUNT,
           tr("Traced games with a winner.")),
    Metric("decided_at", "median of ply / plies; the ply from which the winner's evaluation stays above 1/2", "share",
           "none", BROWNE,
           tr("Decisiveness: the share of the game after which the winner leads clearly (expected score above "
              "75 %) to the end, according to the players' own heuristic.")),
    Metric("plies_after_decision", "median of plies - that ply", "plies", "less", BROWNE,
           tr("Decisiveness: plies played after the game is decided; a large number means a long formality.")),
    Metric("comebacks", "won games with drama_max > 1/2", "games", "more", f"{TAVENER}; {BROWNE}",
           tr("Games won by a side that was clearly behind (opponent's expected score above 75 %).")),
    Metric("comeback_rate", "comebacks / won games with a known lead", "share", "more", f"{TAVENER}; {WILSON}",
           tr("Share of won games that were comebacks.")),
    Metric("won_games", "won games with a known lead", "games", "none", COUNT, tr("Won games with recorded leads.")),
    Metric("at", "place in a game: share of its plies; of legal moves, the ply", "share or plies", "none", TAVENER,
           tr("Point in the course of the games.")),
    Metric("median", "median over the games at that place", "-1 to 1, or moves", "none", TAVENER,
           tr("Expected score of the eventual winner, or of the first player, from -1 (lost) to 1 (won); or "
              "legal moves.")),
    Metric("lower_decile", "value that one game in ten is below", "-1 to 1, or moves", "none", TAVENER,
           tr("Lower edge of the band: the tenth percentile of the games.")),
    Metric("upper_decile", "value that one game in ten is above", "-1 to 1, or moves", "none", TAVENER,
           tr("Upper edge of the band: the ninetieth percentile of the games.")),
    Metric("depth_steps", "Elo from the weakest player / Elo of a score of 60 %", "steps", "more",
           "J. M. Thompson, The Games Journal, 2000; F. Lantz et al., Depth in Strategic Games, 2017; " + TAVENER,
           tr("Depth: the number of players, each scoring 60 % against the previous one, that fit between the ladder's "
              "weakest player (random) and the strongest of a kind of search; a lower bound on the game's depth.")),
    # Openings
    Metric("ply", "ply number", "plies", "none", COUNT, tr("Length of the counted openings, in plies.")),
    Metric("different", "openings seen", "count", "more", COUNT, tr("Number of different openings.")),
    Metric("possible", "sequences of legal moves of this length", "count", "none", COUNT,
           tr("Number of different openings that the rules allow, if counted.")),
    Metric("mean_score", "mean of the seat's scores over all options of the other seat", "share", "more", COUNT,
           tr("Mean score of an option (a style, an army) against all options.")),
    Metric("entropy", "-Σ p log₂ p, corrected for unseen kinds", "bits", "more", CHAO,
           tr("Unpredictability of the opening.")),
    Metric("effective", "2^entropy", "count", "more", f"{CHAO}; L. Jost, Oikos 113, 2006",
           tr("Number of equally common openings with the same entropy.")),
    Metric("variety_ply", "deepest ply with coverage of 0.9 in all rulesets", "plies", "none", "the workbench",
           tr("Length in plies of the openings on which variety is based.")),
    Metric("coverage", "1 - (openings seen once) / games", "share", "none", "I. J. Good, Biometrika 40, 1953",
           tr("Probability that the next game repeats an opening already seen.")),
    Metric("common", "openings with at least 30 finished games", "count", "more", "the workbench",
           tr("Openings with enough games to be judged.")),
    Metric("balanced", "common openings whose interval lies in the target", "count", "more", f"{SEKI}; {TANGO}",
           tr("Significantly fair openings.")),
    Metric("lopsided", "common openings whose interval lies outside of the target", "count", "less",
           f"{SEKI}; {TANGO}", tr("Significantly unfair openings.")),
    Metric("undecided", "common openings that are neither", "count", "none", TANGO,
           tr("Openings that need more games for a verdict.")),
    Metric("share", "part of the whole that the row is about", "share", "none", WILSON,
           tr("Share of games (openings, events, places) or of choices (equilibrium).")),
    Metric("score", "(wins + draws / 2) / finished, of the side that the table is about", "share", "near 1/2", TANGO,
           tr("Score of the first seat, or, in `strength`, of the agent.")),
    # Openings that the experiment chose
    Metric("lines", "different lines that the games begin with", "lines", "more", COUNT,
           tr("Number of opening lines generated for the games.")),
    Metric("line", "number of the line", "lines", "none", COUNT,
           tr("Number of the line, from 1, in the experiment's order.")),
    Metric("line2", "number of the other line", "lines", "none", COUNT, tr("Number of the line it is compared with.")),
    Metric("design_effect", "variance with games of a line together / variance of independent games", "count", "less",
           LIANG, tr("Factor by which the effective number of games is reduced because games with the same "
                     "line are similar.")),
    # Comparisons
    Metric("value", "the measure (or entry) itself", "of the measure", "none", MOVER, tr("The estimate.")),
    Metric("baseline_value", "the measure under the baseline", "of the measure", "none", MOVER,
           tr("The estimate under the baseline.")),
    Metric("baseline_games", "games of the baseline's cell", "games", "none", COUNT, tr("Games of the baseline.")),
    Metric("difference", "value - baseline_value; for fairness baseline_value - value", "of the measure", "none",
           MOVER, tr("Effect of the proposal; for fairness, its gain.")),
    Metric("gain", "difference of the question's measure", "of the measure", "none", f"{MOVER}; {BERGER}",
           tr("The proposal's change in the question's measure; for first_score, how much fairer it is than "
              "the baseline.")),
    Metric("least", "smallest difference that capped games allow", "of the measure", "none",
           "C. F. Manski, American Economic Review 80, 1990",
           tr("Lower bound of the difference, whatever the results of capped games.")),
    Metric("most", "largest difference that capped games allow", "of the measure", "none",
           "C. F. Manski, American Economic Review 80, 1990",
           tr("Upper bound of the difference, whatever the results of capped games.")),
    Metric("low", "lower end of the 95 % interval", "of the measure", "none", f"{MOVER}; {IMBENS}",
           tr("Lower end of the interval.")),
    Metric("high", "upper end of the 95 % interval", "of the measure", "none", f"{MOVER}; {IMBENS}",
           tr("Upper end of the interval.")),
    Metric("simultaneous", "the same, 95 % for all chosen comparisons together", "of the measure", "none",
           "C. E. Bonferroni, 1936", tr("Simultaneous interval for all comparisons.")),
    Metric("p", "chance of so large a difference if there were none", "share", "none",
           "P. C. O'Brien, T. R. Fleming, Biometrics 35, 1979", tr("p-value, adjusted for earlier analyses.")),
    Metric("p_holm", "p, corrected for all claims of its family", "share", "none", f"{HOLM}; {SHAFFER}",
           tr("p-value of a difference, corrected across all proposals, pairings and measures in its family.")),
    Metric("p_equivalent", "chance of so small a difference if it were as large as the margin", "share", "none",
           "D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987",
           tr("p-value of the equivalence test.")),
    Metric("p_equivalent_holm", "p_equivalent, corrected for all claims of its family", "share", "none",
           f"{HOLM}; {SHAFFER}",
           tr("p-value of “no difference that matters”, corrected like p_holm and together with it.")),
    Metric("margin", "smallest difference that matters", "of the measure", "none", "the experiment",
           tr("The margin of the experiment's question.")),
    Metric("games_needed", "games (times - 1), by decision_chance", "games", "less", "Spiegelhalter 1986",
           tr("Estimated further games per cell until a verdict; infinite if capped games prevent one.")),
    Metric("chance_left", "P(decision at the ceiling)", "share", "more", "Spiegelhalter 1986",
           tr("Probability that the remaining games will lead to a verdict; cells below 5 % stop.")),
    Metric("effect", "mean at level less mean at reference", "of the measure", "none",
           "B. L. Welch, Biometrika 34, 1947", tr("Effect of a factor's level, averaged over the other factors.")),
    Metric("mean", "mean over games or over a grid of levels", "of the measure", "none",
           "B. L. Welch, Biometrika 34, 1947", tr("Mean number of events per game, or mean at the factor levels.")),
    Metric("when_fired", "mean over the games in which the event happened", "count", "none", COUNT,
           tr("Mean count, or ply, in the games with the event.")),
    Metric("ratio", "sum of the event / sum of its denominator", "of the event", "none", COCHRAN,
           tr("The event's count relative to `per`.")),
    # Scorecard
    Metric("changed_toggles", "toggles that differ from the baseline's", "count", "less", SEKI,
           tr("The first criterion: the size of a proposal's change.")),
    Metric("rule_words", "words of the ruleset's whole English text", "words", "less", SEKI,
           tr("The first criterion: the length of the rules.")),
    Metric("pareto_share", "share of redrawn scorecards in which no other beats it", "share", "more",
           "B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993",
           tr("Confidence that no other ruleset beats it on all criteria.")),
    # Others
    Metric("wins", "games the agent won", "games", "none", COUNT, tr("Games won by the agent.")),
    Metric("losses", "games the agent lost", "games", "none", COUNT, tr("Games lost by the agent.")),
    Metric("games_as_first", "games with the agent in the first seat", "games", "none", COUNT,
           tr("Games with the agent in the first seat.")),
    Metric("limit", "threshold of the value", "of the value", "none", "the workbench", tr("Threshold for a warning.")),
)  # fmt: skip
METRICS = {metric.name: metric for metric in _METRICS}
