"""The answer in words: verdicts, targets, scorecard, and whether the answer holds if it is asked otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.questions.design import LeftOut, grouped
from workbench.questions.primary import FAIRNESS
from workbench.report.model import Bullets, Cell, Paragraph, Part, Section, Table, numeric
from workbench.report.names import (
    NOTES,
    REASONS,
    TARGETS,
    UNITS,
    VERDICTS,
    Names,
    Pairing,
    capped_method,
    pair_words,
    scaling,
    verdict_cell,
)
from workbench.report.numbers import amount, amounts, change, difference, kinds, number, percent, points, share
from workbench.report.words import NOTHING, Words, joined, same, sentences
from workbench.statistics import Analysis, stopped
from workbench.statistics.comparisons import FUTILE
from workbench.statistics.sequential import games_for_equality, look_sizes
from workbench.statistics.styles import STYLE

GROUPS = (
    ("fairer", Words("Fairer than {baseline}", "{baseline}より公平"), True),
    ("less_fair", Words("Less fair than {baseline}", "{baseline}より不公平"), True),
    (
        "no_meaningful_difference",
        Words("No meaningful difference from {baseline}", "{baseline}と意味のある差なし"),
        True,
    ),
    ("undecided", Words("Undecided", "未判定"), False),
)
GROUPS_ASKED = (
    ("more", Words("{more} with {names}", "{names}は{more}"), True),
    ("less", Words("{less} with {names}", "{names}は{less}"), True),
    (
        "no_meaningful_difference",
        Words("no meaningful difference with {names}", "{names}は意味のある差なし"),
        True,
    ),
    ("undecided", Words("undecided: {names}", "{names}は未判定"), False),
)
VARIANTS = {
    "main": Words("as above", "本分析"),
    "draws_zero": Words("draws count 0", "引き分けを0点とする"),
    "draws_out": Words("draws left out", "引き分けを除く"),
    "capped_half": Words("capped games count ½", "打ち切りを½点とする"),
    "unadjudicated": Words("adjudicated games left open", "裁定を用いない"),
    "first_half": Words("first half of the seeds", "乱数の前半のみ"),
    "second_half": Words("second half of the seeds", "乱数の後半のみ"),
    "distinct": Words("each game once", "同一の棋譜は1局と数える"),
}
WARNINGS = {
    "unsteady": Words(
        "{where}: {subject} change along the run by more than chance allows.",
        "{where}：{subject}が、偶然の範囲を超えて途中で変化している。",
    ),
    "toggle_never_fired": Words(
        "{where}: what the rule “{subject}” is about never happened, neither here nor under the baseline: the games "
        "say nothing of this change.",
        "{where}：「{subject}」に関わる出来事が、基準でも案でも一度も起きていない。この変更については何も言えない。",
    ),
    "event_never": Words("Never happened in any game: {subject}.", "どの対局でも一度も起きなかった出来事：{subject}。"),
    "no_finished_games": Words(
        "{where}: no game finished, so there is no score.", "{where}：決着した対局がなく、得点率を出せない。"
    ),
    "no_games": Words("{where}: there are no games.", "{where}：対局がない。"),
    "equal_fingerprints": Words("{where} has the same rules as {subject}.", "{where}は{subject}と同じルールである。"),
    "copies": Words(
        "{where}: games repeat each other so often that they are worth only {value} different ones.",
        "{where}：同じ棋譜が多く、実質的な対局数は{value}局にとどまる。",
    ),
    "few_games": Words(
        "{where}: {value} games are too few to tell a difference of the size that matters.",
        "{where}：{value}局では、問題となる大きさの差を見分けるには足りない。",
    ),
    "left_out": Words(
        "Left out, since the rules refuse them: {subject}.", "ルール上ありえないので除いた組み合わせ：{subject}。"
    ),
}
TOLD_TOGETHER = ("event_never", "left_out")
"""Warnings of which there may be many, in one sentence each."""
SCORED = (FAIRNESS, "variety", "decisive_rate")
"""Measures that the scorecard has a column for, whatever was asked."""
MOST_NAMED = 12
"""Undecided proposals, or unbeaten rulesets, that are named; more are counted."""
FOLLOWING = ("fairness", "first_score", "draw_rate", "plies_mean", "capped_rate")
"""Measures of which the answer tells what differs, after the one that was asked; others follow from these."""
CHOICE = ["ruleset", "choice", "agents"]
"""The columns that tell one matrix of choices from another."""
Row = Mapping[Any, Any]


def answer(found: Analysis, names: Names, partial: tuple[int, int] | None) -> Section:
    """The verdict; ``partial`` is the number of games that are there and of those that are wanted, if some miss."""
    parts: list[Part] = []
    if partial:
        unfinished = Words(
            "The run is not finished: {there} of {wanted} games. What follows is about the games that are there.",
            "この実験は完了していない（{wanted}局のうち{there}局）。以下は終わった対局についての結果である。",
        )
        there, wanted = (f"{count:,}" for count in partial)
        parts.append(Paragraph(unfinished.format(there=there, wanted=wanted), "warning"))
    verdicts = asked(found)
    parts.append(Paragraph(_headline(verdicts, found, names), "lead"))
    parts.append(Bullets(_sentences(verdicts, found, names)))
    if not verdicts.empty:
        parts.append(_by_strength(verdicts, found, names))
    parts += _targets(found, names)
    parts += _warnings(found, names)
    return Section("answer", Words("The answer", "結論"), parts)


def asked(found: Analysis) -> pd.DataFrame:
    """The comparisons that give the verdicts: those of the measure that the experiment asks about."""
    chosen: pd.DataFrame = found.comparisons[found.comparisons["measure"] == found.plan.asked.measure]
    return chosen


def at(table: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """The rows of a pairing."""
    return table[(table["first"] == pairing[0]) & (table["second"] == pairing[1])]


def row_of(table: pd.DataFrame, ruleset: str, pairing: Pairing) -> Row | None:
    """The row of a cell."""
    rows = at(table[table["ruleset"] == ruleset], pairing).to_dict("records")
    return rows[0] if rows else None


def ends(table: pd.DataFrame, column: str) -> tuple[Row, Row]:
    """The rows with the smallest and with the largest value."""
    rows = table.dropna(subset=[column]).to_dict("records")
    return min(rows, key=lambda row: float(row[column])), max(rows, key=lambda row: float(row[column]))


def _headline(verdicts: pd.DataFrame, found: Analysis, names: Names) -> Words:
    strongest = names.strongest
    level = pair_words(strongest)
    base = names.plan.baseline
    if len(found.equilibria):
        # Styles and armies are chosen, not proposed, and none is stronger than another by declaration.
        return sentences(worth(balance, names) for _, balance in found.equilibria.groupby(CHOICE, sort=False))
    effects = _effects_found(found, names)
    if effects:
        return sentences(effects)
    if verdicts.empty:
        cells = at(found.cells, strongest).to_dict("records")
        return sentences(_value(cell, found, names) for cell in cells[:3])
    best = at(verdicts, strongest)
    if names.plan.asked.measure != FAIRNESS:
        return _asked_headline(best, names)
    groups = {code: [names.short(name) for name in best.loc[best["verdict"] == code, "ruleset"]] for code in VERDICTS}
    fairer, less = groups["fairer"], groups["less_fair"]
    fields = {"level": level, "baseline": names.short(base)}
    if fairer:
        text = Words(
            "{names} {verb} fairer than {baseline} between the strongest players of this experiment ({level}).",
            "この実験で最も強いプレイヤー（{level}）どうしでは、{names}は{baseline}より公平である。",
        )
        return text.format(names=joined(fairer), verb="is" if len(fairer) == 1 else "are", **fields)
    if (best["reason"] == "not_finished").all():
        return Words(
            "No verdict yet: the run is not finished. Verdicts are given when all games are there, since stopping as "
            "soon as one looks good is wrong too often.",
            "まだ判定はない。実験が完了していないためである。判定はすべての対局が終わってから行う。"
            "途中で判定を見て都合のよいところでやめると、誤りが増えるからである。",
        )
    if groups["undecided"] and not less and not groups["no_meaningful_difference"]:
        text = Words(
            "These games do not decide the question: between the strongest players ({level}) no proposal is shown to "
            "be fairer or less fair than {baseline}.",
            "この対局数では判定できない。最も強いプレイヤー（{level}）どうしで、"
            "{baseline}より公平と言える案も不公平と言える案もない。",
        )
        return text.format(**fields)
    text = Words(
        "No proposal is shown to be fairer than {baseline} between the strongest players of this experiment ({level}).",
        "この実験で最も強いプレイヤー（{level}）どうしでは、{baseline}より公平と言える案はない。",
    )
    return text.format(**fields)


def _asked_headline(best: pd.DataFrame, names: Names) -> Words:
    """The verdicts on a measure other than fairness, in a sentence."""
    measure = names.plan.asked.measure
    words = {word: names.more_or_less(measure, word == "more") for word in ("more", "less")}
    fields = {"level": pair_words(names.strongest), "baseline": names.short(names.plan.baseline), **words}
    groups = {code: list(best.loc[best["verdict"] == code, "ruleset"]) for code, *_ in GROUPS_ASKED}
    if len(groups["undecided"]) == len(best):
        text = Words(
            "These games do not decide the question: between the strongest players ({level}) no proposal is shown to "
            "have {more} or {less} than {baseline}.",
            "この対局数では判定できない。最も強いプレイヤー（{level}）どうしで、{baseline}より{more}、"
            "または{less}と言える案はない。",
        )
        return text.format(**fields)
    said = []
    for code, text, _ in GROUPS_ASKED:
        group = [names.short(str(name)) for name in groups[code]]
        if group:
            which = joined(group)
            if len(group) > MOST_NAMED:
                which = Words("{n} of {all} proposals", "{all}案のうち{n}案").format(n=len(group), all=len(best))
            said.append(text.format(names=which, **words))
    text = Words(
        "Compared with {baseline}, between the strongest players of this experiment ({level}): {said}.",
        "この実験で最も強いプレイヤー（{level}）では、{baseline}と比べて、{said}。",
    )
    return text.format(said=Words("; ", "、また").join(said), **fields)


def game_of_choice(matrix: pd.DataFrame, names: Names) -> tuple[Words, Words]:
    """What a matrix is about, its ruleset or board, and what is chosen there."""
    ruleset, code, agents = (str(matrix[column].iloc[0]) for column in CHOICE)
    name = same(names.short(ruleset)) if code == STYLE else names.but_for_own_choice(ruleset)
    if agents:
        name = Words("{name} ({agents})", "{name}（{agents}）").format(name=name, agents=agents)
    return name, names.choice(code)


def worth(balance: pd.DataFrame, names: Names) -> Words:
    """What a game of free choice is worth to the first player, and what both choose; from rows of `equilibria`."""
    name, choice = game_of_choice(balance, names)
    first, second = names.seats(str(balance["ruleset"].iloc[0]))
    top = balance.iloc[0]
    played = {}
    for seat in ("first", "second"):
        of_seat = balance[(balance["seat"] == seat) & (balance["share"] > 0.005)].sort_values("share", ascending=False)
        played[seat] = joined([f"{row['option']} {percent(row['share'], 0)}" for row in of_seat.to_dict("records")])
    text = Words(
        "If both choose their {choice} freely, {name} is worth {value} to the first player: {first} plays "
        "{first_plays}; {second} plays {second_plays}.",
        "双方が{choice}を自由に選ぶと、{name}の先手の価値は{value}。{first}は{first_plays}、"
        "{second}は{second_plays}を選ぶ。",
    )
    return text.format(
        name=name,
        choice=choice,
        value=share(top["value"], top["value_low"], top["value_high"]),
        first=first,
        second=second,
        first_plays=played["first"],
        second_plays=played["second"],
    )


def _ranking(balance: pd.DataFrame, names: Names) -> Words:
    """The options from the strongest to the weakest, by their mean score in both seats."""
    name, choice = game_of_choice(balance, names)
    means = balance.groupby("option", sort=False)["mean_score"].mean().sort_values(ascending=False, kind="stable")
    text = Words(
        "{name}: mean score of each {choice} against all, in both seats: {each}.",
        "{name}：{choice}ごとの、先後両方で全相手に対する平均得点率：{each}。",
    )
    each = joined([f"{option} {percent(mean, 0)}" for option, mean in means.items()])
    return text.format(name=name, choice=choice, each=each)


def _score(cell: Row, names: Names) -> Words:
    """What a cell says by itself."""
    who = Words("Under {name} the first player scores {score}", "{name}では先手の得点率は{score}").format(
        name=names.short(cell["ruleset"]),
        score=share(cell["first_score"], cell["first_score_low"], cell["first_score_high"]),
    )
    words = {
        "first": Words("{who}: ahead.", "{who}で、先手有利である。"),
        "second": Words("{who}: the second player is ahead.", "{who}で、後手有利である。"),
        "balanced": Words("{who}: balanced.", "{who}で、互角である。"),
        "undecided": Words("{who}: who is ahead is undecided.", "{who}で、どちらが有利かは未判定である。"),
        "": Words("Under {name} no game finished.", "{name}では決着した対局がない。"),
    }
    return words[cell["balance"]].format(who=who, name=names.short(cell["ruleset"]))


def _value(cell: Row, found: Analysis, names: Names) -> Words:
    """What a cell says by itself of the measure that was asked."""
    measure = names.plan.asked.measure
    if measure == FAIRNESS:
        return _score(cell, names)
    text = Words("{measure} under {name}: {value}.", "{name}の{measure}：{value}。")
    pairing = (str(cell["first"]), str(cell["second"]))
    value = value_of(found, names, str(cell["ruleset"]), pairing)
    return text.format(measure=_capital(names.measure(measure)), name=names.short(str(cell["ruleset"])), value=value)


def value_of(found: Analysis, names: Names, ruleset: str, pairing: Pairing) -> Words:
    """The measure that was asked in a cell, with its interval."""
    question = names.plan.asked
    column = question.measure
    row = row_of(found.cells, ruleset, pairing)
    if question.event:
        row = row_of(found.events[found.events["event"] == question.event], ruleset, pairing)
        column = "share" if question.is_share else "mean"
    elif column == "variety":
        row = row_of(found.openings[found.openings["shown"].astype(bool)], ruleset, pairing)
        column = "effective"
    if row is None or math.isnan(row[column]):
        return same("–")
    value, low, high = (float(row[f"{column}{end}"]) for end in ("", "_low", "_high"))
    if question.is_share:
        return share(value, low, high)
    text = Words("{value} {unit} ({around})", "{value}{unit}（{around}）")
    return text.format(value=amount(value, 1), unit=names.unit(column if column in UNITS else question.measure),
                       around=amounts(low, high, 1))  # fmt: skip


def _sentences(verdicts: pd.DataFrame, found: Analysis, names: Names) -> list[Words]:
    if len(found.equilibria):
        return [_ranking(balance, names) for _, balance in found.equilibria.groupby(CHOICE, sort=False)]
    measure = names.plan.asked.measure
    said = _other_effects(found, names)
    base = row_of(found.cells, names.plan.baseline, names.strongest)
    if base and not verdicts.empty:
        said.append(_value(base, found, names))
    best = at(verdicts, names.strongest)
    for code, lead, with_gain in _leads(names):
        group = best[best["verdict"] == code].to_dict("records")
        if not group:
            continue
        if len(group) > MOST_NAMED and not with_gain:
            count = Words("{n} of {all} proposals", "{all}案のうち{n}案").format(n=str(len(group)), all=str(len(best)))
            text = Words("{lead}: {count}.", "{lead}：{count}。").format(lead=lead, count=count)
            said.append(sentences([text, *_needed(group), *_left_open(group, names)]))
            continue
        each = [_changed(row, measure, names) if with_gain else same(names.short(row["ruleset"])) for row in group]
        text = Words("{lead}: {names}.", "{lead}：{names}。").format(
            lead=lead.format(baseline=names.short(names.plan.baseline)), names=joined(each)
        )
        said.append(
            sentences([text, *_needed(group), *_left_open(group, names), *_out_of_reach(names)])
            if code == "undecided"
            else text
        )
    said += _capped(found, names)
    said += _turned(found, names)
    if found.effects.empty:
        said += _following(found, names)
    best_of = found.scorecard[found.scorecard["pareto"].astype(bool)] if not found.scorecard.empty else found.scorecard
    best_of = at(best_of, names.strongest)
    if len(best_of) == len(names.rulesets) > 1 and len(names.proposals):
        said.append(
            Words(
                "Simplicity, fairness and variety together rule out none of the {n} rulesets: each is better than "
                "every other on at least one of them.",
                "単純さ・公平さ・多様さを合わせても、{n}ルールのどれも除外できない。"
                "どのルールも、他のどれに対しても何か一つは勝っている。",
            ).format(n=str(len(best_of)))
        )
    elif len(best_of) and len(names.proposals):
        text = Words(
            "Not beaten on simplicity, fairness and variety together: {names}.",
            "単純さ・公平さ・多様さを合わせて、これを上回るルールが他にないもの：{names}。",
        )
        if best_of["variety"].isna().all():
            text = Words(
                "Not beaten on simplicity and fairness together (how varied the openings are is not known): {names}.",
                "単純さと公平さを合わせて、これを上回るルールが他にないもの（序盤の多様さは不明）：{names}。",
            )
        unbeaten = joined([names.short(str(name)) for name in best_of["ruleset"]])
        if len(best_of) > MOST_NAMED:
            counts = {"n": str(len(best_of)), "all": str(len(names.rulesets))}
            unbeaten = Words("{n} of {all} rulesets", "{all}ルールのうち{n}").format(**counts)
        said.append(text.format(names=unbeaten))
    return said


def _leads(names: Names) -> list[tuple[str, Words, bool]]:
    """Verdicts on what was asked, how a list of proposals with each begins, and whether their differences are told."""
    measure = names.plan.asked.measure
    if measure == FAIRNESS:
        return list(GROUPS)
    leads = []
    for code, word in (("more", True), ("less", False)):
        text = Words("{what} than {baseline}", "{baseline}より{what}")
        leads.append((code, text.format(what=_capital(names.more_or_less(measure, word)), baseline="{baseline}"), True))
    return [*leads, *GROUPS[2:]]


def _changed(row: Row, measure: str, names: Names) -> Words:
    """A proposal and what it changes."""
    told = change(row["difference"], row["low"], row["high"], names.unit(measure), scaling(measure))
    if measure == FAIRNESS:
        gain = difference(row["difference"], row["low"], row["high"])
        told = Words(f"{gain} points", f"{gain}ポイント")
    return Words("{name} ({told})", "{name}（{told}）").format(name=names.short(row["ruleset"]), told=told)


def _following(found: Analysis, names: Names) -> list[Words]:
    """What else differs from the baseline beyond chance, measure by measure."""
    table = at(found.comparisons, names.strongest)
    said = []
    for measure in FOLLOWING:
        if measure == names.plan.asked.measure:
            continue
        each = []
        for codes, more in ((("higher", "fairer"), True), (("lower", "less_fair"), False)):
            rows = table[(table["measure"] == measure) & table["verdict"].isin(codes)].to_dict("records")
            if rows:
                which = joined([_changed(row, measure, names) for row in rows])
                if len(rows) > MOST_NAMED:
                    which = Words("{n} of {all} proposals", "{all}案のうち{n}案").format(
                        n=len(rows), all=len(names.proposals)
                    )
                text = Words("{what} with {names}", "{names}は{what}")
                each.append(text.format(what=names.more_or_less(measure, more), names=which))
        if each:
            text = Words("Besides, {each}.", "ほかに、{each}。")
            said.append(text.format(each=Words("; ", "、また").join(each)))
    return said


def _effects_by_measure(found: Analysis, names: Names) -> dict[str, list[Row]]:
    """The effects between the strongest players, the measure that was asked first, the largest first."""
    table = at(found.effects, names.strongest) if not found.effects.empty else found.effects
    return {
        str(measure): sorted(rows.to_dict("records"), key=lambda row: -abs(row["effect"]))
        for measure, rows in table.groupby("measure", sort=False)
    }


def _effects_found(found: Analysis, names: Names) -> list[Words]:
    """What factors do that is shown beyond chance, a sentence for each measure; nothing if none does anything."""
    said: list[Words] = []
    for measure, rows in _effects_by_measure(found, names).items():
        each = [_effect(row, measure, names) for row in rows if row["kind"] == "main" and is_shown(row)]
        if each:
            text = Words(
                "{measure} between the strongest players ({level}): {each}.",
                "{measure}（最も強いプレイヤー：{level}）への効果：{each}。",
            )
            if said:
                text = Words("{measure}: {each}.", "{measure}：{each}。")
            what = _capital(names.measure(measure))
            said.append(text.format(measure=what, level=pair_words(names.strongest), each=joined(each)))
    return said


def _other_effects(found: Analysis, names: Names) -> list[Words]:
    """What two levels do together beyond the sum of both, and what shows no effect."""
    effects = _effects_by_measure(found, names)
    said = []
    for measure, rows in effects.items():
        each = [_effect(row, measure, names) for row in rows if row["kind"] == "interaction" and is_shown(row)]
        if each:
            text = Words(
                "Together beyond the sum of what each does alone, {measure}: {each}.",
                "単独の効果の和を超える組み合わせ（{measure}）：{each}。",
            )
            said.append(text.format(measure=names.measure(measure), each=joined(each)))
    for measure, rows in effects.items():
        none = [effect_name(row, names) for row in rows if row["kind"] == "main" and not is_shown(row)]
        if none:
            text = Words(
                "No effect on {measure} is shown beyond chance (Holm): {none}.",
                "{measure}への効果が示されないもの（ホルム法）：{none}。",
            )
            said.append(text.format(measure=names.measure(measure), none=joined(none)))
    return said


def _effect(row: Row, measure: str, names: Names) -> Words:
    """An effect with its unit and interval."""
    told = change(row["effect"], row["low"], row["high"], names.unit(measure), scaling(measure))
    return Words("{what} {told}", "{what} {told}").format(what=effect_name(row, names), told=told)


def effects_shown(found: Analysis, names: Names) -> dict[str, Words]:
    """For each measure the effects of a factorial experiment that are shown beyond chance, in a sentence."""
    said = {}
    for measure, rows in _effects_by_measure(found, names).items():
        clear = [_effect(row, measure, names) for row in rows if is_shown(row)]
        if clear:
            text = Words(
                "{measure}, shown beyond chance (Holm): {clear}.",
                "{measure}について、偶然とは言えない効果（ホルム法）：{clear}。",
            )
            said[measure] = text.format(measure=_capital(names.measure(measure)), clear=joined(clear))
    return said


def is_shown(effect: Row) -> bool:
    """Whether an effect is beyond chance, corrected for their number; nothing is, before the run is finished."""
    if effect.get("withheld") == True:  # noqa: E712
        return False
    return bool(effect["p_holm"] < 0.05)


def effect_name(row: Row, names: Names) -> Words:
    """What an effect compares: a level with the reference, or ``×``, two levels together with the sum of both alone."""
    factor, level = names.factor(str(row["factor"])), names.level(str(row["factor"]), str(row["level"]))
    if row["kind"] == "main":
        return Words("{factor}: {level} instead of {reference}", "{factor}：{reference}→{level}").format(
            factor=factor, level=level, reference=names.level(str(row["factor"]), str(row["reference"]))
        )
    return Words("{factor}: {level} × {factor2}: {level2}", "{factor}：{level}×{factor2}：{level2}").format(
        factor=factor,
        level=level,
        factor2=names.factor(str(row["factor2"])),
        level2=names.level(str(row["factor2"]), str(row["level2"])),
    )


def _capital(words: Words) -> Words:
    return Words(words.en[:1].upper() + words.en[1:], words.ja)


def _needed(group: Sequence[Row]) -> list[Words]:
    """How many more games would decide the undecided."""
    needed = [float(row["games_needed"]) for row in group]
    some = [count for count in needed if 0 < count < math.inf]
    said = []
    if some:
        text = Words(
            "Going by these games, a decision takes roughly {least} more games of each ruleset{most}; the further "
            "games may tell otherwise.",
            "これまでの対局から見ると、判定には各ルールさらに{least}局ほど{most}が必要である"
            "（目安であり、追加の対局の結果によって変わりうる）。",
        )
        low, high = (f"{_rounded(count):,}" for count in (min(some), max(some)))
        most = Words(" for the clearest and {high} for the closest of them", "（明らかな案）〜{high}局（僅差の案）")
        said.append(text.format(least=low, most=most.format(high=high) if low != high else same("")))
    ended = [row for row in group if row["chance_left"] > 0 and row["chance_left"] < FUTILE]
    if ended:
        text = Words(
            "{n} of them ended before all their games were played: the rest would hardly have decided.",
            "うち{n}案は、残りの対局でも判定がつく見込みがほとんどないため、途中で終えた。",
        )
        said.append(text.format(n=str(len(ended))))
    if any(count == math.inf for count in needed):
        text = Words(
            "For {names} no number of games will: {reason}.", "{names}は対局数を増やしても判定できない（{reason}）。"
        )
        stuck = [row for row in group if row["games_needed"] == math.inf]
        reasons = {str(row["reason"]) or "capped_games" for row in stuck}
        said.append(
            text.format(
                names=Words(f"{len(stuck)} of them", f"うち{len(stuck)}案"),
                reason=joined([REASONS[reason] for reason in sorted(reasons)]),
            )
        )
    return said


def _left_open(group: Sequence[Row], names: Names) -> list[Words]:
    """How much of the gain is left open by capped games where they, and not chance, keep a verdict from being taken."""
    wide = [row for row in group if row["reason"] == "capped_games" and row["most"] > row["least"]]
    if not wide:
        return []
    # A gain lies between -50 and 50 points; where the baseline may be on either side of 50 % its bounds are rough.
    open_points = [min(100.0, 100 * (row["most"] - row["least"])) for row in wide]
    low, high = amount(min(open_points), 1), amount(max(open_points), 1)
    text = Words(
        "Games stopped at the cap leave up to {points} points of the gain open for {names}{remedy}.",
        "{names}では、打ち切りのために改善幅が最大{points}ポイントの範囲で定まらない{remedy}。",
    )
    remedy = Words(
        ": more games help little, a larger max_plies or “capped: adjudicate” may help",
        "（対局数を増やしてもあまり狭まらない。max_pliesを大きくするか、「capped: adjudicate」とすれば"
        "狭まることがある）",
    )
    if names.plan.judge:
        remedy = Words(
            ": more games help little, a larger max_plies may help",
            "（対局数を増やしてもあまり狭まらない。max_pliesを大きくすれば狭まることがある）",
        )
    which = joined([names.short(row["ruleset"]) for row in wide])
    if len(wide) > MOST_NAMED:
        which = Words("{n} of them", "うち{n}案").format(n=len(wide))
    return [text.format(points=low if low == high else f"{low}–{high}", names=which, remedy=remedy)]


def _capped(found: Analysis, names: Names) -> list[Words]:
    """How many games between the strongest players were stopped at the cap, and what became of them."""
    cells = at(found.cells, names.strongest)
    games, at_cap = int(cells["games"].sum()), int(stopped(cells).sum())
    if not at_cap:
        return []
    text = Words(
        "{share} of the games between the strongest players were stopped at the cap{adjudicated}. {method}",
        "最も強いプレイヤーどうしの対局のうち{share}が打ち切られた{adjudicated}。{method}",
    )
    adjudicated = same("")
    if names.plan.judge:
        decided = percent((at_cap - int(cells["unfinished"].sum())) / games)
        adjudicated = Words(", {decided} were adjudicated", "（{decided}は裁定）").format(decided=decided)
    return [text.format(share=percent(at_cap / games), adjudicated=adjudicated, method=capped_method(names))]


def _out_of_reach(names: Names) -> list[Words]:
    """Whether "no meaningful difference" could not be shown from the outset."""
    plan = names.plan
    if not plan.asked.is_share:
        return []
    margin = plan.share_margin
    least = games_for_equality(margin, looks=plan.verdict_looks, design=plan.number)
    if not plan.games or plan.games >= least:
        return []
    text = Words(
        "“No meaningful difference” was out of reach: to show it to ±{margin} points takes at least {least} games of "
        "each ruleset, unless many are drawn; this experiment has {games}.",
        "「意味のある差なし」は、この実験では判定できない。±{margin}ポイント以内と示すには、引き分けが多くないかぎり"
        "各ルール{least}局以上が必要で、この実験は{games}局までである。",
    )
    return [text.format(margin=f"{100 * margin:.3g}", least=f"{least:,}", games=f"{plan.games:,}")]


def _rounded(count: float) -> int:
    """Two leading digits, rounded up: more would pretend to know."""
    size = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return int(math.ceil(count / size) * size)


def _turned(found: Analysis, names: Names) -> list[Words]:
    """Where the answer depends on the strength of the players."""
    if found.flips.empty:
        return []
    said = []
    texts = {
        "verdict_flips": Words(
            "The verdict on {names} turns round with the strength of the players: trust no single level.",
            "{names}の判定はプレイヤーの強さによって逆転する。一つの強さだけで判断してはならない。",
        ),
        "side_flips": Words(
            "Under {names} one player is ahead at one strength and the other at another.",
            "{names}では、強さによって先手有利と後手有利が入れ替わる。",
        ),
    }
    for column, text in texts.items():
        turned = [names.short(str(name)) for name in found.flips.loc[found.flips[column].astype(bool), "ruleset"]]
        if turned:
            said.append(text.format(names=joined(turned)))
    return said


def _by_strength(verdicts: pd.DataFrame, found: Analysis, names: Names) -> Table:
    """The verdict on each proposal at every level."""
    pairings = [pair for pair in names.plan.pairings if not at(verdicts, pair).empty]
    turned = set() if found.flips.empty else set(found.flips.loc[found.flips["verdict_flips"].astype(bool), "ruleset"])
    measure = names.plan.asked.measure
    rows = []
    for name in names.proposals:
        cells = [names.cell(name, titled=True)]
        for pair in pairings:
            row = row_of(verdicts, name, pair)
            if row is None:
                cells.append(Cell())
                continue
            cells.append(verdict_cell(row["verdict"], told_of(row, names), number(row["difference"])))
        if turned:
            mark = Words("turns round", "逆転する") if name in turned else same("")
            cells.append(Cell(mark, kind="verdict bad"))
        rows.append(cells)
    heads = [Cell(Words("proposal", "案")), *(Cell(pair_words(pair)) for pair in pairings)]
    if turned:
        heads.append(Cell(Words("between levels", "強さによる違い")))
    caption = Words(
        "Fairer or less fair than {baseline}, for each pair of players, weak to strong. Below each verdict: by how "
        "many points the first player's score comes nearer to 50 %, with its 95 % interval.",
        "{baseline}と比べて公平か不公平か（プレイヤーの弱い順）。判定の下は、"
        "先手の得点率が50%に何ポイント近づくかと、その95%信頼区間。",
    )
    if measure != FAIRNESS:
        caption = Words(
            "{measure} compared with {baseline}, for each pair of players, weak to strong. Below each verdict: the "
            "difference ({unit}), with its 95 % interval.",
            "{measure}を{baseline}と比べた結果（プレイヤーの弱い順）。判定の下は差（単位：{unit}）とその95%信頼区間。",
        )
    if any(pair in names.plan.yardsticks for pair in pairings):
        note = Words(
            "Random players are a yardstick: they have no verdict.", "ランダムなプレイヤーは目安であり、判定しない。"
        )
        caption = sentences([caption, note])
    caption = sentences([caption, *notes(verdicts, found)])
    fields = {
        "measure": _capital(names.measure(measure)),
        "baseline": names.short(names.plan.baseline),
        "unit": names.unit(measure),
    }
    return Table(caption.format(**fields), heads, rows)


def told_of(row: Row, names: Names) -> str:
    """A difference with its interval, marked where the verdict says less than the interval seems to."""
    told = difference(row["difference"], row["low"], row["high"], scaling(names.plan.asked.measure))
    mark, _ = NOTES.get(str(row["reason"]), ("", NOTHING))
    return f"{told} {mark}".rstrip()


def notes(verdicts: pd.DataFrame, found: Analysis) -> list[Words]:
    """What the marks of `told_of` say, of those that occur."""
    said = [text for reason, (_, text) in NOTES.items() if (verdicts["reason"] == reason).any()]
    others = int(found.comparisons["chosen"].astype(bool).sum()) - 1
    sizes = look_sizes(found.plan.games, found.plan.looks)
    return [text.format(others=f"{others:,}", first_look=f"{sizes[0]:,}" if sizes else "") for text in said]


def _targets(found: Analysis, names: Names) -> list[Part]:
    if found.targets.empty:
        return []
    chosen = at(found.targets, names.strongest)
    goals = list(dict.fromkeys(zip(chosen["target"], chosen["wanted"], strict=True)))
    rows = []
    for name in names.rulesets:
        cells = [names.cell(name)]
        for goal, _ in goals:
            row = row_of(chosen[chosen["target"] == goal], name, names.strongest)
            if row is None:
                cells.append(Cell())
                continue
            long = str(goal).startswith("plies")
            low, high = (amount(row[end]) if long else percent(row[end]) for end in ("low", "high"))
            cells.append(verdict_cell(row["verdict"], f"{low} – {high}"))
        rows.append(cells)
    heads = [Cell(Words("ruleset", "ルール"))]
    heads += [Cell(TARGETS.get(str(goal), same(goal)), same(wanted)) for goal, wanted in goals]
    caption = Words(
        "The targets of the experiment between the strongest players ({level}): met or missed only where the whole "
        "interval, capped games either way, lies inside or outside.",
        "実験で設けた目標（最も強いプレイヤー：{level}）。打ち切られた対局がどちらに転んでも区間全体が目標の内（外）"
        "にあるときだけ達成（未達）とする。",
    )
    baseline = names.rulesets.index(names.plan.baseline) if names.plan.baseline in names.rulesets else None
    return [Table(caption.format(level=pair_words(names.strongest)), heads, rows, baseline)]


def _warnings(found: Analysis, names: Names) -> list[Part]:
    """What keeps a reader from believing a number; the same of many cells is said once."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in found.warnings.to_dict("records"):
        rows.setdefault((row["code"], "" if row["code"] in TOLD_TOGETHER else row["subject"]), []).append(row)
    said: list[Part] = []
    for (code, subject), group in rows.items():
        values = [float(row["value"]) for row in group if not math.isnan(row["value"])]
        low, high = (amount(end(values)) if values else "" for end in (min, max))
        about = names.subject(subject)
        if code == "event_never":
            events = [names.event(row["subject"]) for row in group]
            about = joined([Words(f"“{event.en}”", f"「{event.ja}」") for event in events])
        elif code == "left_out":
            about = Words("; ", "。").join(
                Words(text.en, text.ja) for text in map(_left_out, grouped([row["subject"] for row in group]))
            )
        text = WARNINGS[code].format(
            where=_where(group, names), subject=about, value=low if low == high else f"{low}–{high}"
        )
        said.append(Paragraph(text, "note" if code in TOLD_TOGETHER else "warning"))
    return said


def _left_out(group: LeftOut) -> Words:
    """Combinations that were left out for one reason."""
    if group.count == 1:
        return same(f"{group.shared}: {group.reason}")
    if not group.shared:
        return Words(f"{group.count} combinations: {group.reason}", f"{group.count}通り（{group.reason}）")
    return Words(
        f"all {group.count} combinations with {group.shared}: {group.reason}",
        f"{group.shared}を含む{group.count}通り（{group.reason}）",
    )


def _where(group: Sequence[Row], names: Names) -> Words:
    """The cells of a warning, as few words as tell them."""
    of_pair: dict[Pairing, list[str]] = {}
    for row in group:
        of_pair.setdefault((row["first"], row["second"]), []).append(row["ruleset"])
    of_rulesets: dict[tuple[str, ...], list[Pairing]] = {}
    for pair, rulesets in of_pair.items():
        of_rulesets.setdefault(tuple(rulesets), []).append(pair)
    said = []
    for group_of, pairs in of_rulesets.items():
        which = joined([names.short(name) for name in group_of])
        if set(group_of) >= set(names.rulesets) and len(group_of) > 1:
            which = Words("All rulesets", "すべてのルール")
        players = joined([pair_words(pair) for pair in pairs if any(pair)])
        said.append(
            Words("{which} ({players})", "{which}（{players}）").format(which=which, players=players)
            if players.en
            else which
        )
    return Words("; ", "、").join(said)


def scorecard(found: Analysis, names: Names) -> Section | None:
    """The criteria side by side, for the strongest players."""
    chosen = at(found.scorecard, names.strongest) if not found.scorecard.empty else found.scorecard
    if chosen.empty:
        return None
    rows = []
    measure = names.plan.asked.measure
    verdicts = asked(found)
    drama = "drama" in chosen and chosen["drama"].notna().any()
    for row in chosen.to_dict("records"):
        cells = [
            names.cell(row["ruleset"]),
            numeric(amount(row["changed_toggles"]), row["changed_toggles"]),
            numeric(amount(row["rule_words"]), row["rule_words"]),
            numeric(
                amount(100 * row["unfairness"], 1),
                row["unfairness"],
                amounts(100 * row["unfairness_low"], 100 * row["unfairness_high"], 1),
            ),
            numeric(
                kinds(row["variety"]),
                row["variety"],
                "" if math.isnan(row["variety"]) else f"{kinds(row['variety_low'])}–{kinds(row['variety_high'])}",
            ),
            numeric(amount(row["plies_median"]), row["plies_median"]),
            numeric(percent(row["decisive_rate"]), row["decisive_rate"]),
        ]
        if measure not in SCORED:
            told = row_of(verdicts, row["ruleset"], names.strongest)
            value = value_of(found, names, row["ruleset"], names.strongest)
            below = VERDICTS[told["verdict"]] if told else None
            small = Words(f"{below[1]} {below[0].en}", f"{below[1]} {below[0].ja}") if below else same("")
            cells.insert(1, Cell(value, small, number(told["value"]) if told else None, "number"))
        if drama:
            cells.append(numeric(percent(row["drama"]), row["drama"]))
        cells.append(_unbeaten(row, names))
        rows.append(cells)
    heads = [
        Cell(Words("ruleset", "ルール")),
        Cell(Words("rules changed", "変更した規則"), kind="number"),
        Cell(Words("words in the rules", "ルールの語数"), kind="number"),
        Cell(Words("points from even", "50%との差"), kind="number"),
        Cell(Words("different openings (estimate)", "序盤の種類（推定）"), kind="number"),
        Cell(Words("median plies", "手数の中央値"), kind="number"),
        Cell(Words("decided games", "勝敗のつく割合"), kind="number"),
    ]
    if measure not in SCORED:
        heads.insert(1, Cell(names.measure(measure), kind="number"))
    if drama:
        heads.append(Cell(Words("drama", "逆転の度合い"), kind="number"))
    heads.append(Cell(Words("unbeaten", "上回られない")))
    caption = Words(
        "Simplicity (first two columns), fairness and variety, and how games go, between the strongest players "
        "({level}). Unbeaten: no other ruleset is at least as good on simplicity, fairness and variety and better on "
        "one; that is no verdict on a ruleset, the more criteria the more rulesets are unbeaten. Below it, how often "
        "that holds when the numbers are drawn anew within their uncertainty.",
        "単純さ（左の2列）、公平さ、多様さと対局の様子（最も強いプレイヤー：{level}）。「上回られない」は、"
        "単純さ・公平さ・多様さのすべてで同等以上かつどれかで勝るルールが"
        "他にないこと。基準が多いほど当てはまるルールも多く、良いルールだという判定ではない。"
        "下の数字は、誤差の範囲で数値を引き直したときにそれが成り立つ割合。",
    )
    caption = caption.format(level=pair_words(names.strongest))
    if chosen["variety"].isna().all():
        unknown = Words(
            "How many openings there are is not known (see Openings): variety decides nothing here.",
            "序盤の種類数は不明なので（「序盤」を参照）、多様さは考慮していない。",
        )
        caption = sentences([caption, unknown])
    baseline = next((i for i, row in enumerate(chosen["ruleset"]) if row == names.plan.baseline), None)
    table = Table(caption, heads, rows, baseline)
    return Section("scorecard", Words("Scorecard", "評価表"), [table])


def _unbeaten(row: Row, names: Names) -> Cell:
    held = same(percent(row["pareto_share"], 0))
    if row["pareto"]:
        # A verdict on its games is another matter: unbeaten is what most rulesets are, and no reason to take one.
        return Cell(Words("yes", "はい"), held, -float(row["pareto_share"]), "whole")
    by = names.short(str(row["beaten_by"]))
    beaten = Words("beaten by {by}", "{by}が上回る").format(by=by) if row["beaten_by"] else Words("no", "いいえ")
    return Cell(beaten, held, 1 - float(row["pareto_share"]), "whole quiet" if len(by) <= 16 else "quiet")


def difference_name(names: Names) -> Words:
    """What a difference in the measure that was asked is called."""
    measure = names.plan.asked.measure
    if measure == FAIRNESS:
        return Words("gain in fairness", "公平さの改善幅")
    return Words("difference in {measure}", "{measure}の差").format(measure=names.measure(measure))


def sensitivity(found: Analysis, names: Names) -> Section | None:
    """The verdicts again, with draws and capped games counted otherwise, and with half of the games."""
    chosen = at(found.sensitivity, names.strongest) if not found.sensitivity.empty else found.sensitivity
    chosen = chosen[chosen["ruleset"].isin(names.proposals)]
    if chosen.empty:
        return None
    measure = names.plan.asked.measure
    variants = [code for code in VARIANTS if code in set(chosen["variant"])]
    rows, turned = [], []
    for name in names.proposals:
        of_name = {row["variant"]: row for row in chosen[chosen["ruleset"] == name].to_dict("records")}
        cells = [names.cell(name)]
        for code in variants:
            row = of_name[code]
            gain = points(row["gain"])
            if measure != FAIRNESS:
                gain = change(row["gain"], math.nan, math.nan, names.unit(measure), scaling(measure))
            small = gain if row["same"] else Words(f"{gain.en} ≠", f"{gain.ja} ≠")
            cells.append(verdict_cell(row["verdict"], small, number(row["gain"])))
        rows.append(cells)
        if not all(row["same"] for row in of_name.values()):
            turned.append(names.short(name))
    text = (
        Words("The verdict on {names} changes in at least one column.", "{names}の判定は、少なくとも1つの列で変わる。")
        if turned
        else Words("No verdict changes in any column.", "どの列でも判定は変わらない。")
    )
    caption = Words(
        "The same question asked otherwise, between the strongest players ({level}); below each verdict the {gain}. "
        "≠: not the verdict of the first column. Halves of the games are less sure: their verdicts are often "
        "undecided.",
        "条件を変えた場合の判定（最も強いプレイヤー：{level}）。判定の下は{gain}。≠は最初の列と異なる判定。"
        "半数の対局では確かさが下がり、未判定になりやすい。",
    )
    heads = [Cell(Words("proposal", "案")), *(Cell(VARIANTS[code]) for code in variants)]
    table = Table(caption.format(level=pair_words(names.strongest), gain=difference_name(names)), heads, rows)
    parts = [Paragraph(text.format(names=joined(turned)))]
    return Section("sensitivity", Words("Does the answer hold?", "結論は条件によって変わるか"), [*parts, table])
