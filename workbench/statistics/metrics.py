"""The one dictionary of all numbers: what each is, in which unit, which way is better, and where it comes from.

Those by which rulesets are compared are declared as `workbench.questions.measures.MEASURES`, all others here.
Two versions of one number under the same name would point in two directions; so a name means one thing in all tables,
and a test sees to it that every number of every table is here.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.questions.measures import (
    BERGER,
    CHAO,
    COCHRAN,
    IMBENS,
    MEASURES,
    SEKI,
    TANGO,
    WILSON,
    Measure,
)

SUFFIXES = ("_surely_low", "_surely_high", "_lowest", "_highest", "_low", "_high")
"""Ends of intervals and bounds; they have the unit of the number itself."""

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
    unit: str
    """``games``, ``share`` (0 to 1; differences of shares are shares, too), ``plies``, ``moves``, ``bits`` …"""
    direction: str
    """What a designer wants: ``more``, ``less``, ``near 1/2``, ``target`` (as the experiment says) or ``none``."""
    source: str
    sentence: str
    ja: str


def _of_measure(one: Measure) -> Metric:
    return Metric(one.name, one.formula, one.unit, one.direction, one.source, *one.sentence)


def _by_name(*metrics: Metric) -> dict[str, Metric]:
    by_name = {metric.name: metric for metric in metrics}
    assert len(by_name) == len(metrics)
    return by_name


METRICS = _by_name(
    # Counts
    Metric("games", "games played", "games", "none", COUNT, "Games of the cell.", "セルの対局数。"),
    Metric("finished", "games - unfinished", "games", "none", COUNT,
           "Games that have a result: by the rules, or adjudicated at the cap.",
           "結果のある対局の数（ルールによる終局と、打ち切り後の裁定）。"),
    Metric("first_wins", "games won by the first seat", "games", "none", COUNT, "Games that the first seat won.",
           "先手が勝った対局の数。"),
    Metric("second_wins", "games won by the second seat", "games", "none", COUNT, "Games that the second seat won.",
           "後手が勝った対局の数。"),
    Metric("draws", "drawn games", "games", "none", COUNT, "Games that were drawn.", "引き分けの対局の数。"),
    Metric("unfinished", "games stopped at the cap and not adjudicated", "games", "less", COUNT,
           "Games that were stopped at max_plies and have no result; they are no draws.",
           "手数の上限で打ち切り、結果のない対局の数。引き分けではない。"),
    Metric("looks", "interim analyses that the cell's games took part in", "analyses", "none", COUNT,
           "How often verdicts were taken with this cell.", "このセルを含めて途中判定をした回数。"),
    Metric("distinct_games", "different move lists", "games", "more", COUNT, "Games that differ from each other.",
           "互いに異なる対局の数。"),
    Metric("distinct_share", "distinct_games / games", "share", "more", COUNT, "Share of games that differ.",
           "互いに異なる対局の割合。"),
    Metric("effective_games", "games² / Σ copies²", "games", "more", "L. Kish, Survey Sampling, 1965",
           "What the games are worth if a copy of a game tells nothing new.",
           "同じ対局の写しからは何も分からないとしたときの、実質的な対局数。"),
    # Results
    *map(_of_measure, MEASURES.values()),
    Metric("unfairness", "|first_score - 1/2|", "share", "less", TANGO,
           "How far the first seat's score is from one half.", "先手の得点率が5割からどれだけ離れているか。"),
    Metric("ended_by", "games that ended so", "games", "none", COUNT, "How games ended.", "終局の理由。"),
    # Lengths and choices
    Metric("plies_median", "first ply at which fewer than 1/2 of the games go on", "plies", "target", KAPLAN,
           "Median length of a game; infinite if it is beyond the cap.", "手数の中央値。上限を超えるときは無限大。"),
    Metric("plies_lower_quartile", "first ply at which fewer than 3/4 go on", "plies", "none", KAPLAN,
           "A quarter of the games is no longer than this.", "手数の第1四分位数。"),
    Metric("plies_upper_quartile", "first ply at which fewer than 1/4 go on", "plies", "none", KAPLAN,
           "A quarter of the games is at least as long as this.", "手数の第3四分位数。"),
    Metric("length_off_target", "distance of plies_median from its target", "plies", "less", "the experiment's target",
           "Plies by which the median length misses its target.", "手数の中央値が目標から外れた手数。"),
    Metric("plies", "ply number", "plies", "none", COUNT, "Plies played.", "手数。"),
    Metric("alive", "share of games longer than so many plies", "share", "none", KAPLAN,
           "Share of games that still go on.", "その手数でまだ続いている対局の割合。"),
    Metric("at_risk", "games that had not ended before", "games", "none", KAPLAN, "Games that could still end.",
           "その時点でまだ終局していなかった対局の数。"),
    Metric("lead_changes", "times the heuristic's favourite changes", "count", "more", BROWNE,
           "How often the lead changed in a game, as the heuristic sees it.",
           "評価関数から見た優劣の入れ替わりの回数。"),
    Metric("drama", "mean over the winner's bad plies of √(loser's lead)", "0 to 1", "more", BROWNE,
           "How far the later winner was behind, on average over the plies where it was.",
           "最後に勝った側が途中でどれだけ劣勢だったか（劣勢だった局面の平均）。"),
    Metric("drama_max", "largest lead of the later loser", "0 to 1", "more", BROWNE,
           "How far the later winner was behind at worst.", "最後に勝った側が最も劣勢だったときの大きさ。"),
    # Portraits
    Metric("traced", "games of which the evaluation after each ply is known", "games", "none", COUNT,
           "Games that the courses rest on: the first ones of the cell.",
           "推移の図のもとになる対局の数（各セルの最初の対局）。"),
    Metric("traced_decided", "traced games that somebody won", "games", "none", COUNT,
           "Traced games with a winner.", "そのうち勝敗のついた対局の数。"),
    Metric("decided_at", "median of ply / plies; the ply from which the winner's evaluation stays above 1/2", "share",
           "none", BROWNE,
           "Decisiveness: after which share of a game its winner leads clearly (expected score above 75 %) to the end, "
           "as the players' own heuristic sees it.",
           "決定性：勝者の明らかな優勢（期待得点率75%超）が最後まで続くようになるのは、対局のどこからか"
           "（プレイヤー自身の評価関数による）。"),
    Metric("plies_after_decision", "median of plies - that ply", "plies", "less", BROWNE,
           "Decisiveness: plies that are still played once a game is decided; many of them are a long formality.",
           "決定性：勝負が決まってからなお指される手数。多いほど消化試合が長い。"),
    Metric("comebacks", "won games with drama_max > 1/2", "games", "more", f"{TAVENER}; {BROWNE}",
           "Games won by a side that was clearly behind (the other one's expected score above 75 %).",
           "明らかな劣勢（相手の期待得点率75%超）から逆転した対局の数。"),
    Metric("comeback_rate", "comebacks / won games with a known lead", "share", "more", f"{TAVENER}; {WILSON}",
           "Share of won games that were a comeback.", "勝敗のついた対局のうち、逆転勝ちの割合。"),
    Metric("won_games", "won games with a known lead", "games", "none", COUNT,
           "Games of which the winner's leads are on record.", "優劣の記録がある、勝敗のついた対局の数。"),
    Metric("at", "place in a game: share of its plies; of legal moves, the ply", "share or plies", "none", TAVENER,
           "Place in the course of the games.", "対局の中での位置（長さに対する割合。合法手では手数）。"),
    Metric("median", "median over the games at that place", "-1 to 1, or moves", "none", TAVENER,
           "Expected score of the later winner, or of the first seat, from -1 (lost) to 1 (won); or legal moves.",
           "後の勝者または先手の期待得点（-1は負け、1は勝ち）、または合法手の数の中央値。"),
    Metric("lower_decile", "value that one game in ten is below", "-1 to 1, or moves", "none", TAVENER,
           "Lower edge of the band: the tenth percentile of the games.", "帯の下端（10パーセント点）。"),
    Metric("upper_decile", "value that one game in ten is above", "-1 to 1, or moves", "none", TAVENER,
           "Upper edge of the band: the ninetieth percentile of the games.", "帯の上端（90パーセント点）。"),
    Metric("depth_steps", "Elo from the weakest player / Elo of a score of 60 %", "steps", "more",
           "J. M. Thompson, The Games Journal, 2000; F. Lantz et al., Depth in Strategic Games, 2017; " + TAVENER,
           "Depth: how many players, each beating the one before by 60 %, fit between the weakest player of the ladder "
           "(the random one) and the strongest of a kind of search; a lower bound of what the game has.",
           "深さ：はしごの最弱（ランダム）から、その探索方式の最強までに、60%の得点率で次々に勝ち越すプレイヤーが何人"
           "並ぶか。ゲームの深さの下限にあたる。"),
    # Openings
    Metric("ply", "ply number", "plies", "none", COUNT, "Length of the openings that are counted.", "序盤の手数。"),
    Metric("different", "openings seen", "count", "more", COUNT, "Different openings that occurred.",
           "現れた序盤の種類の数。"),
    Metric("possible", "sequences of so many legal moves from the start", "count", "none", COUNT,
           "Different openings that the rules allow, where they were counted.",
           "ルール上ありうる序盤の種類の数（数えた場合）。"),
    Metric("mean_score", "mean of the seat's scores over all options of the other seat", "share", "more", COUNT,
           "How an option (a style, an army) fares against all others.",
           "ある選択（作戦や軍）の、全相手に対する平均得点率。"),
    Metric("entropy", "-Σ p log₂ p, corrected for unseen kinds", "bits", "more", CHAO,
           "How hard an opening is to guess.", "序盤の予測しにくさ（エントロピー）。"),
    Metric("effective", "2^entropy", "count", "more", f"{CHAO}; L. Jost, Oikos 113, 2006",
           "As many equally common openings would be as hard to guess.",
           "同じくらいよく現れる序盤が何種類あるのに相当するか。"),
    Metric("variety_ply", "deepest ply with coverage of 0.9 in all rulesets", "plies", "none", "the workbench",
           "Length of the openings that variety counts.", "多様さを数えた序盤の手数。"),
    Metric("coverage", "1 - (openings seen once) / games", "share", "none", "I. J. Good, Biometrika 40, 1953",
           "Chance that the next game opens in a way that was seen.", "次の対局の序盤が既に現れたものである確率。"),
    Metric("common", "openings with at least 30 finished games", "count", "more", "the workbench",
           "Openings that can be judged.", "判定できるだけの対局がある序盤の数。"),
    Metric("balanced", "common openings whose interval lies in the target", "count", "more", f"{SEKI}; {TANGO}",
           "Openings that are surely fair.", "確かに公平な序盤の数。"),
    Metric("lopsided", "common openings whose interval lies outside of the target", "count", "less",
           f"{SEKI}; {TANGO}", "Openings that are surely unfair.", "確かに不公平な序盤の数。"),
    Metric("undecided", "common openings that are neither", "count", "none", TANGO,
           "Openings that need more games to be judged.", "判定にはさらに対局が必要な序盤の数。"),
    Metric("share", "part of the whole that the row is about", "share", "none", WILSON,
           "Share of games (openings, events, places) or of choices (equilibrium).",
           "対局（序盤・出来事・位置）または選択（均衡）に占める割合。"),
    Metric("score", "(wins + draws / 2) / finished, of the side that the table is about", "share", "near 1/2", TANGO,
           "Score of the first seat, in `strength` of the agent.",
           "先手の得点率。strength の表ではエージェントの得点率。"),
    # Openings that the experiment chose
    Metric("lines", "different lines that the games begin with", "lines", "more", COUNT,
           "Lines that were drawn for the games to begin with.", "対局の開始に用いた、抽選した手順の数。"),
    Metric("line", "number of the line", "lines", "none", COUNT,
           "The line that the row is about, from 1, in the experiment's order.", "実験が指定した手順の番号（1から）。"),
    Metric("line2", "number of the other line", "lines", "none", COUNT,
           "The line that it is compared with.", "比べる相手の手順の番号。"),
    Metric("design_effect", "variance with games of a line together / variance of independent games", "count", "less",
           LIANG, "The games are worth so many times fewer, since games of one line resemble each other.",
           "同じ手順の対局が互いに似るために、実質的な対局数がこの値で割ったものになる（デザイン効果）。"),
    # Comparisons
    Metric("value", "the measure (or entry) itself", "of the measure", "none", MOVER, "What was found.", "測定値。"),
    Metric("baseline_value", "the measure under the baseline", "of the measure", "none", MOVER,
           "What was found under the baseline.", "基準ルールでの測定値。"),
    Metric("baseline_games", "games of the baseline's cell", "games", "none", COUNT, "Games of the baseline.",
           "基準ルールの対局数。"),
    Metric("difference", "value - baseline_value; for fairness baseline_value - value", "of the measure", "none",
           MOVER, "What the proposal changes; for fairness, what it gains.",
           "提案による変化。公平さについては改善の大きさ。"),
    Metric("gain", "difference of the question's measure", "of the measure", "none",
           f"{MOVER}; {BERGER}",
           "What the proposal changes in the measure that the experiment asks about; of first_score, by how much it "
           "is fairer than the baseline.",
           "実験が問う指標での基準ルールとの差。first_scoreのときは、どれだけ公平になったか。"),
    Metric("least", "smallest difference that capped games allow", "of the measure", "none",
           "C. F. Manski, American Economic Review 80, 1990", "The difference at least, whatever capped games were.",
           "打ち切った対局の結果がどうであっても、差は少なくともこれだけ。"),
    Metric("most", "largest difference that capped games allow", "of the measure", "none",
           "C. F. Manski, American Economic Review 80, 1990", "The difference at most, whatever capped games were.",
           "打ち切った対局の結果がどうであっても、差は多くてもこれだけ。"),
    Metric("low", "lower end of the 95 % interval", "of the measure", "none", f"{MOVER}; {IMBENS}",
           "Lower end of the interval.",
           "95%信頼区間の下端。"),
    Metric("high", "upper end of the 95 % interval", "of the measure", "none", f"{MOVER}; {IMBENS}",
           "Upper end of the interval.",
           "95%信頼区間の上端。"),
    Metric("simultaneous", "the same, 95 % for all chosen comparisons together", "of the measure", "none",
           "C. E. Bonferroni, 1936", "Interval that holds for all comparisons at once.",
           "すべての比較について同時に成り立つ区間。"),
    Metric("p", "chance of so large a difference if there were none", "share", "none",
           "P. C. O'Brien, T. R. Fleming, Biometrics 35, 1979", "p-value, analyses of fewer games included.",
           "p値（途中判定を含めて補正済み）。"),
    Metric("p_holm", "p, corrected for all claims of its family", "share", "none", f"{HOLM}; {SHAFFER}",
           "p-value of a difference, corrected over all proposals, pairings and measures of its family.",
           "差のp値（案・プレイヤー・指標にわたる多重比較を補正済み）。"),
    Metric("p_equivalent", "chance of so small a difference if it were as large as the margin", "share", "none",
           "D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987", "p-value of the equivalence test.",
           "同等性検定のp値。"),
    Metric("p_equivalent_holm", "p_equivalent, corrected for all claims of its family", "share", "none",
           f"{HOLM}; {SHAFFER}", "p-value of “no meaningful difference”, corrected like p_holm and together with it.",
           "「意味のある差なし」のp値（差のp値と合わせて多重比較を補正済み）。"),
    Metric("margin", "smallest difference that matters", "of the measure", "none", "the experiment",
           "The margin of the experiment's question.", "実験の問いについて、意味があるとみなす最小の差。"),
    Metric("games_needed", "games (times - 1), by decision_chance", "games", "less", "Spiegelhalter 1986",
           "Further games per cell that a verdict takes, going by these games; infinite if the capped ones hide it.",
           "これまでの対局から見て、判定に必要な追加対局数の目安。打ち切りが妨げるときは無限大。"),
    Metric("chance_left", "P(decision at the ceiling)", "share", "more", "Spiegelhalter 1986",
           "Chance that the games up to the ceiling still decide; cells with less than 5 % end.",
           "残りの対局で判定がつく見込み。5%未満のセルは打ち切る。"),
    Metric("effect", "mean at level less mean at reference", "of the measure", "none",
           "B. L. Welch, Biometrika 34, 1947", "What a factor's level does, the other factors averaged out.",
           "要因の水準の効果（他の要因は平均）。"),
    Metric("mean", "mean over games or over a grid of levels", "of the measure", "none",
           "B. L. Welch, Biometrika 34, 1947", "Mean number of an event in a game, or mean at levels of factors.",
           "平均値（出来事の回数、または要因の水準）。"),
    Metric("when_fired", "mean over the games in which the event happened", "count", "none", COUNT,
           "How often, or at which ply, if at all.", "起きた対局での平均（回数または手数）。"),
    Metric("ratio", "sum of the event / sum of what it is counted per", "of the event", "none",
           COCHRAN,
           "The event for each of what `per` names.", "出来事の回数の合計を、perの合計で割った値。"),
    # Scorecard
    Metric("changed_toggles", "toggles that differ from the baseline's", "count", "less", SEKI,
           "The first criterion: how much a proposal changes.", "第1の基準：変更したルール項目の数。"),
    Metric("rule_words", "words of the ruleset's whole English text", "words", "less", SEKI,
           "The first criterion: how much there is to read.", "第1の基準：ルール文（英語）の語数。"),
    Metric("pareto_share", "share of redrawn scorecards in which no other beats it", "share", "more",
           "B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993",
           "How surely no other ruleset beats it on all criteria.", "すべての基準で上回る他のルールがない確からしさ。"),
    # Others
    Metric("wins", "games the agent won", "games", "none", COUNT, "Games that the agent won.", "勝った対局の数。"),
    Metric("losses", "games the agent lost", "games", "none", COUNT, "Games that the agent lost.", "負けた対局の数。"),
    Metric("games_as_first", "games with the agent in the first seat", "games", "none", COUNT,
           "Games in which the agent had the first seat.", "先手番だった対局の数。"),
    Metric("limit", "what the value should not pass", "of the value", "none", "the workbench", "Limit of a warning.",
           "警告の基準値。"),
)  # fmt: skip


def metric_of_column(column: str) -> str:
    """The name in `METRICS` of a table's column: without the ends of intervals, and without an event's own name."""
    if column.endswith("_design_effect"):
        return "design_effect"
    for suffix in SUFFIXES:
        if column.endswith(suffix) and column.removesuffix(suffix):
            column = column.removesuffix(suffix)
            break
    if column.startswith("ended_by_"):
        return "share" if column.endswith("_rate") else "ended_by"
    if column.startswith("event_"):
        return next((name for name in ("when_fired", "share", "mean") if column.endswith(f"_{name}")), column)
    return column
