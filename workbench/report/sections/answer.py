"""The answer: the verdict in a sentence, what supports it, and the verdicts at every strength."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from workbench.base.language import SEMICOLON, capitalized, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments import measures
from workbench.experiments.design import LeftOut, group_left_out
from workbench.experiments.measures import FAIRNESS
from workbench.players.agent_kinds import PEOPLE
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import (
    MAX_NAMES,
    Names,
    Pairing,
    Record,
    cell_row,
    footnotes,
    pairing_rows,
    primary_comparisons,
    rows_by_cell,
)
from workbench.report.sections.rules import (
    CHOICE,
    effect_sentences,
    game_value_sentence,
    other_effect_sentences,
    ranking_sentence,
)
from workbench.report.sections.scores import line_sentences
from workbench.report.sections.strong import UNKNOWN, strong_play_headline
from workbench.report.verdicts import REASONS, VERDICTS
from workbench.statistics import Analysis, stopped_games
from workbench.statistics.comparisons import FUTILITY_CHANCE
from workbench.statistics.plan import games_for_equivalence

GROUPS = (
    ("fairer", tr("Fairer than {baseline}"), True),
    ("less_fair", tr("Less fair than {baseline}"), True),
    ("no_meaningful_difference", tr("No meaningful difference from {baseline}"), True),
    ("undecided", tr("Undecided"), False),
)
GROUPS_ASKED = (
    ("more", tr("{more} with {names}"), True),
    ("less", tr("{less} with {names}"), True),
    ("no_meaningful_difference", tr("no meaningful difference with {names}"), True),
    ("undecided", tr("undecided: {names}"), False),
)
OTHER_MEASURES = ("fairness", "first_score", "draw_rate", "plies_mean", "capped_rate")
"""Measures of which the answer tells what differs, after the one that was asked; others follow from these."""
MAX_DIFFERENCES = 4
"""Proposals that are named with what else they change; more are counted."""


def answer_section(analysis: Analysis, names: Names, partial: tuple[int, int] | None) -> m.Section:
    """The verdict; ``partial`` is the number of games that are there and of those that are wanted, if some miss."""
    parts: list[m.Part] = []
    if partial:
        unfinished = (
            tr(
                "The run is not finished: {there} of the {planned} games up to its next analysis. The command that "
                "began it continues it; what follows is about the games that are there."
            )
            if names.plan.experiment.sequential
            else tr(
                "The run is not finished: {there} of {planned} games. The command that began it continues it; what "
                "follows is about the games that are there."
            )
        )
        there, planned = (f"{count:,}" for count in partial)
        parts.append(m.Paragraph(unfinished.format(there=there, planned=planned), "warning"))
    verdicts = primary_comparisons(analysis)
    # What strong play says is the headline; what single players say comes below it.
    strong = strong_play_headline(analysis, names)
    parts += strong
    if texts := line_sentences(analysis, names):
        parts.append(m.Paragraph(sentences(texts), "lead"))
    parts.append(m.Paragraph(headline(verdicts, analysis, names), "lead"))
    parts.append(m.Bullets(_supporting_sentences(verdicts, analysis, names)))
    if analysis.strong_verdicts.empty:
        parts.append(m.Paragraph(UNKNOWN, "note"))
    if not verdicts.empty:
        parts.append(replace(_by_strength(verdicts, analysis, names), folded=bool(strong)))
    parts += _target_parts(analysis, names)
    parts += warning_parts(analysis, names)
    return m.Section("answer", tr("The answer"), parts)


def headline(verdicts: pd.DataFrame, analysis: Analysis, names: Names) -> str:
    """Return the answer in a sentence or a few."""
    strongest = names.strongest
    level = labels.pairing_text(strongest)
    base = names.plan.baseline
    if len(analysis.equilibria):
        # Styles and armies are chosen, not proposed, and none is stronger than another by declaration.
        return sentences(
            game_value_sentence(balance, names) for _, balance in analysis.equilibria.groupby(CHOICE, sort=False)
        )
    effects = effect_sentences(analysis, names)
    if effects:
        return sentences(effects)
    if verdicts.empty:
        cells = pairing_rows(analysis.cells, strongest).to_dict("records")
        return sentences(_measure_sentence(cell, analysis, names) for cell in cells[:3])
    best = pairing_rows(verdicts, strongest)
    if names.plan.question_measure.name != FAIRNESS:
        return _asked_headline(best, names)
    groups = {code: [names.short(name) for name in best.loc[best["verdict"] == code, "ruleset"]] for code in VERDICTS}
    fairer, less = groups["fairer"], groups["less_fair"]
    fields = {"level": level, "baseline": names.short(base)}
    if fairer:
        text = tr("{names} {verb} fairer than {baseline} between the strongest players of this experiment ({level}).")
        return text.format(names=join_list(fairer), verb="is" if len(fairer) == 1 else "are", **fields)
    if (best["reason"] == "not_finished").all():
        return tr(
            "No verdict yet: the run is not finished. Verdicts are given when all games are there, "
            "since stopping as soon as one looks good is wrong too often."
        )
    if groups["undecided"] and not less and not groups["no_meaningful_difference"]:
        text = tr(
            "These games do not decide the question: between the strongest players ({level}) no "
            "proposal is shown to be fairer or less fair than {baseline}."
        )
        return text.format(**fields)
    text = tr(
        "No proposal is shown to be fairer than {baseline} between the strongest players of this experiment ({level})."
    )
    return text.format(**fields)


def _asked_headline(best: pd.DataFrame, names: Names) -> str:
    """Return the verdicts on a measure other than fairness, in a sentence."""
    measure = names.plan.question_measure.name
    directions = {code: names.more_or_less(measure, code == "more") for code in ("more", "less")}
    fields = {"level": names.level, "baseline": names.baseline, **directions}
    groups = {code: list(best.loc[best["verdict"] == code, "ruleset"]) for code, *_ in GROUPS_ASKED}
    if len(groups["undecided"]) == len(best):
        text = tr(
            "These games do not decide the question: between the strongest players ({level}) no "
            "proposal is shown to have {more} or {less} than {baseline}."
        )
        return text.format(**fields)
    texts = []
    for code, text, _ in GROUPS_ASKED:
        group = [names.short(str(name)) for name in groups[code]]
        if group:
            which = join_list(group)
            if len(group) > MAX_NAMES:
                which = tr("{n} of {all} proposals", n=len(group), all=len(best))
            texts.append(text.format(names=which, **directions))
    text = tr("Compared with {baseline}, between the strongest players of this experiment ({level}): {texts}.")
    return text.format(texts=trc("answer", "; ").join(texts), **fields)


def _score_sentence(cell: Record, names: Names) -> str:
    """Return a sentence on the score of a cell."""
    who = tr("Under {name} the first player scores {score}").format(
        name=names.short(cell["ruleset"]), score=labels.share_text(cell, "first_score")
    )
    by_balance = {
        "first": tr("{who}: ahead."),
        "second": tr("{who}: the second player is ahead."),
        "balanced": tr("{who}: balanced."),
        "undecided": tr("{who}: who is ahead is undecided."),
        "": tr("Under {name} no game finished."),
    }
    return by_balance[cell["balance"]].format(who=who, name=names.short(cell["ruleset"]))


def _measure_sentence(cell: Record, analysis: Analysis, names: Names) -> str:
    """Return a sentence on the measure in question in a cell."""
    measure = names.plan.question_measure.name
    if measure == FAIRNESS:
        return _score_sentence(cell, names)
    text = tr("{measure} under {name}: {value}.")
    pairing = (str(cell["first"]), str(cell["second"]))
    value = names.measure_text(analysis, str(cell["ruleset"]), pairing)
    return text.format(
        measure=capitalized(names.measure_name(measure)), name=names.short(str(cell["ruleset"])), value=value
    )


def _supporting_sentences(verdicts: pd.DataFrame, analysis: Analysis, names: Names) -> list[str]:
    if len(analysis.equilibria):
        return [ranking_sentence(balance, names) for _, balance in analysis.equilibria.groupby(CHOICE, sort=False)]
    measure = names.plan.question_measure.name
    texts = other_effect_sentences(analysis, names)
    base = cell_row(analysis.cells, names.plan.baseline, names.strongest)
    if base and not verdicts.empty:
        texts.append(_measure_sentence(base, analysis, names))
    best = pairing_rows(verdicts, names.strongest)
    for code, lead, with_gain in _verdict_leads(names):
        group = best[best["verdict"] == code].to_dict("records")
        if not group:
            continue
        further = [*games_needed_sentences(group), *capped_gain_sentences(group, names)] if code == "undecided" else []
        if len(group) > MAX_NAMES and not with_gain:
            count = tr("{n} of {all} proposals", n=str(len(group)), all=str(len(best)))
            texts.append(sentences([tr("{lead}: {count}.", lead=lead, count=count), *further]))
            continue
        each = [
            _change_sentence(row, measure, names) if with_gain else untranslated(names.short(row["ruleset"]))
            for row in group
        ]
        text = tr("{lead}: {names}.", lead=lead.format(baseline=names.baseline), names=join_list(each))
        if code == "undecided" and not (best["verdict"] == "no_meaningful_difference").any():
            further += unreachable_equivalence(names)
        texts.append(sentences([text, *further]))
    texts += capped_games_sentences(analysis, names)
    texts += _reversals_by_strength(analysis, names)
    if analysis.effects.empty:
        texts += [tr("Besides, {each}.", each=each) for each in other_differences(analysis, names)]
    best_of = pairing_rows(analysis.scorecard[analysis.scorecard["pareto"].astype(bool)], names.strongest)
    one_game = [names.plan.baseline, *names.plan.proposals]
    best_of = best_of[best_of["ruleset"].isin(one_game)]
    if len(best_of) == len(one_game) > 1:
        texts.append(
            tr(
                "Simplicity, fairness and variety together rule out none of the {n} rulesets: each is "
                "better than every other on at least one of them."
            ).format(n=str(len(best_of)))
        )
    elif len(best_of) and len(names.plan.proposals):
        text = tr("Not beaten on simplicity, fairness and variety together: {names}.")
        if best_of["variety"].isna().all():
            text = tr(
                "Not beaten on simplicity and fairness together (how varied the openings are is not known): {names}."
            )
        texts.append(text.format(names=names.list_rulesets([str(name) for name in best_of["ruleset"]])))
    return texts


def _verdict_leads(names: Names) -> list[tuple[str, str, bool]]:
    """Verdicts on what was asked, how a list of proposals with each begins, and whether their differences are told."""
    measure = names.plan.question_measure.name
    if measure == FAIRNESS:
        return list(GROUPS)
    words = {code: capitalized(names.more_or_less(measure, code == "more")) for code in ("more", "less")}
    text = tr("{what} than {baseline}")
    leads = [(code, text.format(what=word, baseline="{baseline}"), True) for code, word in words.items()]
    return [*leads, *GROUPS[2:]]


def _change_sentence(row: Record, measure: str, names: Names) -> str:
    change = names.change_text(measure, row["difference"], row["low"], row["high"])
    if measure == FAIRNESS:
        gain = labels.format_difference(row["difference"], row["low"], row["high"])
        change = tr("{gain} points", gain=gain)
    return tr("{name} ({told})", name=names.short(row["ruleset"]), told=change)


def other_differences(analysis: Analysis, names: Names, without: Collection[str] = ()) -> list[str]:
    """Other differences from the baseline beyond chance, measure by measure, ``without`` some of them."""
    table = pairing_rows(analysis.comparisons, names.strongest)
    texts = []
    for measure in (*OTHER_MEASURES, *(one.name for one in measures.added_measures())):
        if measure in (names.plan.question_measure.name, *without):
            continue
        each = []
        for codes, more in ((("higher", "fairer"), True), (("lower", "less_fair"), False)):
            rows = table[(table["measure"] == measure) & table["verdict"].isin(codes)].to_dict("records")
            if rows:
                which = join_list([_change_sentence(row, measure, names) for row in rows])
                if len(rows) > MAX_DIFFERENCES:
                    which = tr("{n} of {all} proposals", n=len(rows), all=len(names.plan.proposals))
                each.append(tr("{what} with {names}", what=names.more_or_less(measure, more), names=which))
        if each:
            texts.append(join(SEMICOLON, each))
    return texts


def _reversals_by_strength(analysis: Analysis, names: Names) -> list[str]:
    """Sentences on answers that depend on the strength of the players."""
    if analysis.flips.empty:
        return []
    sentences_of = {
        "verdict_flips": tr("The verdict on {names} reverses with player strength: do not rely on any single level."),
        "side_flips": tr("Under {names} one player is ahead at one strength and the other at another."),
    }
    turned = {column: analysis.flips.loc[analysis.flips[column].astype(bool), "ruleset"] for column in sentences_of}
    return [
        text.format(names=join_list([names.short(str(name)) for name in turned[column]]))
        for column, text in sentences_of.items()
        if len(turned[column])
    ]


def _by_strength(verdicts: pd.DataFrame, analysis: Analysis, names: Names) -> m.Table:
    """Return the verdict on each proposal at every level."""
    pairings = [pair for pair in names.plan.pairings if not pairing_rows(verdicts, pair).empty]
    flips = analysis.flips
    turned = set() if flips.empty else set(flips.loc[flips["verdict_flips"].astype(bool), "ruleset"])
    measure = names.plan.question_measure.name
    by_cell = rows_by_cell(verdicts)

    def verdict(row: Record) -> m.TableCell:
        return VERDICTS[row["verdict"]].cell(names.difference_text(row), labels.sort_value(row["difference"]))

    def of_pair(pair: Pairing) -> m.Column:
        return m.Column.of_found(labels.pairing_text(pair), lambda name: by_cell.get((name, *pair)), verdict)

    def turns(name: str) -> m.TableCell:
        return m.TableCell(tr("turns round") if name in turned else untranslated(""), kind="verdict bad")

    columns = [m.Column.plain(tr("proposal"), lambda name: names.ruleset_cell(name, titled=True))]
    columns += [*map(of_pair, pairings), *([m.Column.plain(tr("between levels"), turns)] if turned else [])]
    caption = tr(
        "Fairer or less fair than {baseline}, for each pair of players, weak to strong. Below each verdict: by how "
        "many points the first player's score comes nearer to 50 %, with its 95 % interval."
    )
    if measure != FAIRNESS:
        caption = tr(
            "{measure} compared with {baseline}, for each pair of players, weak to strong. Below "
            "each verdict: the difference ({unit}), with its 95 % interval."
        )
    if any(pair in names.plan.yardsticks for pair in pairings):
        note = tr("Random players are a yardstick: they have no verdict.")
        caption = sentences([caption, note])
    caption = sentences([caption, *footnotes(verdicts, analysis)])
    fields = {
        "measure": capitalized(names.measure_name(measure)),
        "baseline": names.baseline,
        "unit": names.unit_name(measure),
    }
    return m.Table.of(caption.format(**fields), columns, names.plan.proposals)


def _target_parts(analysis: Analysis, names: Names) -> list[m.Part]:
    if analysis.targets.empty:
        return []
    chosen = pairing_rows(analysis.targets, names.strongest)
    goals = dict.fromkeys(zip(chosen["target"].astype(str), chosen["wanted"].astype(str), strict=True))
    of = {(row["target"], row["ruleset"]): row for row in chosen.to_dict("records")}

    def verdict(row: Record) -> m.TableCell:
        written = labels.format_amount if row["target"].startswith("plies") else labels.format_percent
        return VERDICTS[row["verdict"]].cell(f"{written(row['low'])} – {written(row['high'])}")

    def of_goal(goal: str, limits: str) -> m.Column:
        name = names.target_name(goal)
        return m.Column.of_found(name, lambda ruleset: of.get((goal, ruleset)), verdict, untranslated(limits))

    columns = [m.Column.plain(tr("ruleset"), names.ruleset_cell), *(of_goal(*goal) for goal in goals)]
    caption = tr(
        "The targets of the experiment between the strongest players ({level}): met or missed "
        "only where the whole interval, capped games either way, lies inside or outside."
    )
    baseline = names.rulesets.index(names.plan.baseline) if names.plan.baseline in names.rulesets else None
    return [m.Table.of(caption.format(level=names.level), columns, names.rulesets, baseline, printed=True)]


WARNINGS = {
    "unsteady": tr("{where}: {subject} change along the run by more than chance allows."),
    "toggle_never_fired": tr(
        "{where}: what the rule “{subject}” is about never happened, neither here nor under the "
        "baseline: the games say nothing of this change."
    ),
    "event_never": tr("Never happened in any game: {subject}."),
    "no_finished_games": tr("{where}: no game finished, so there is no score."),
    "no_games": tr("{where}: there are no games."),
    "equal_fingerprints": tr("{where} has the same rules as {subject}."),
    "copied_player": tr("Played the same games as another player, so that strong play counts both once: {subject}."),
    "copies": tr("{where}: games repeat each other so often that they are worth only {value} different ones."),
    "few_games": tr("{where}: {value} games are too few to tell a difference of the size that matters."),
    "not_reproducible": tr(
        "Not reproducible: {where}. A player comes from outside, and nobody assures that the "
        "same seed gives the same game again."
    ),
    "left_out": tr("Left out, since the rules refuse them: {subject}."),
}
GROUPED_WARNINGS = ("copied_player", "event_never", "left_out", "not_reproducible")
"""Warnings of which there may be many, in one sentence each."""


def warning_parts(analysis: Analysis, names: Names) -> list[m.Part]:
    """Reasons to doubt a number; a reason of many cells is given once."""
    rows: dict[tuple[str, str], list[Record]] = {}
    decided = _decided_cells(analysis)
    for row in analysis.warnings.to_dict("records"):
        if row["code"] == "few_games" and (row["ruleset"], row["first"], row["second"]) in decided:
            continue
        rows.setdefault((row["code"], "" if row["code"] in GROUPED_WARNINGS else row["subject"]), []).append(row)
    texts: list[m.Part] = []
    for (code, subject), group in rows.items():
        values = [float(row["value"]) for row in group if not math.isnan(row["value"])]
        low, high = (labels.format_amount(end(values)) if values else "" for end in (min, max))
        about = names.subject_name(subject)
        if code == "event_never":
            events = [names.event_sentence(row["subject"]) for row in group]
            about = join_list([tr("“{event}”", event=event) for event in events])
        elif code == "copied_player":
            about = join_list([tr("{player} (as {other})", player=row["first"], other=row["subject"]) for row in group])
        elif code == "left_out":
            groups = group_left_out([row["subject"] for row in group])
            about = trc("warnings", "; ").join(map(_left_out_sentence, groups))
        text = WARNINGS[code].format(
            where=_cells_text(group, names), subject=about, value=low if low == high else f"{low}–{high}"
        )
        texts.append(m.Paragraph(text, "note" if code in GROUPED_WARNINGS else "warning"))
    return texts


def _decided_cells(analysis: Analysis) -> set[tuple[str, str, str]]:
    """Cells whose comparison has its verdict, and those of a baseline all of whose comparisons have theirs."""
    compared = primary_comparisons(analysis)
    if compared.empty:
        return set()
    is_open = compared["verdict"] == "undecided"
    open_pairs = set(compared.loc[is_open, ["first", "second"]].itertuples(index=False, name=None))
    cells = set(compared.loc[~is_open, ["ruleset", "first", "second"]].itertuples(index=False, name=None))
    pairs = {(first, second) for _, first, second in cells} - open_pairs
    return cells | {(analysis.plan.baseline, first, second) for first, second in pairs}


def _left_out_sentence(group: LeftOut) -> str:
    """Combinations that were left out for one reason."""
    if group.count == 1:
        return untranslated(f"{group.shared}: {group.reason}")
    if not group.shared:
        return tr("{count} combinations: {reason}", count=group.count, reason=group.reason)
    return tr(
        "all {count} combinations with {shared}: {reason}", count=group.count, shared=group.shared, reason=group.reason
    )


def _cells_text(group: Sequence[Record], names: Names) -> str:
    """Return the cells of a warning, as few words as tell them."""
    of_pair: dict[Pairing, list[str]] = {}
    for row in group:
        of_pair.setdefault((row["first"], row["second"]), []).append(row["ruleset"])
    of_rulesets: dict[tuple[str, ...], list[Pairing]] = {}
    for pair, rulesets in of_pair.items():
        of_rulesets.setdefault(tuple(rulesets), []).append(pair)
    texts = []
    for group_of, pairs in of_rulesets.items():
        which = names.list_rulesets(group_of)
        if set(group_of) >= set(names.rulesets) and len(group_of) > 1:
            which = tr("All rulesets")
        players = join_list([labels.pairing_text(pair) for pair in pairs if any(pair)])
        texts.append(tr("{which} ({players})", which=which, players=players) if players else which)
    return tr("; ").join(texts)


def ended_early(row: Record) -> bool:
    """True if the games of a comparison ended since the rest would hardly have decided."""
    return 0 < float(row["chance_left"]) < FUTILITY_CHANCE


def games_needed_sentences(group: Sequence[Record]) -> list[str]:
    """Sentences on the number of games that would decide the undecided."""
    needed = [float(row["games_needed"]) for row in group]
    some = [count for count in needed if 0 < count < math.inf]
    texts = []
    if some:
        text = tr(
            "Going by these games, a decision takes roughly {least} more games of each "
            "ruleset{most}; the further games may tell otherwise."
        )
        low, high = (f"{labels.round_count(count):,}" for count in (min(some), max(some)))
        most = tr(" for the clearest and {high} for the closest of them")
        texts.append(text.format(least=low, most=most.format(high=high) if low != high else untranslated("")))
    ended = [row for row in group if ended_early(row)]
    if ended:
        text = tr("{n} of them ended before all their games were played: the rest would hardly have decided.")
        texts.append(text.format(n=str(len(ended))))
    if any(count == math.inf for count in needed):
        text = tr("For {names} no number of games can decide: {reason}.")
        stuck = [row for row in group if row["games_needed"] == math.inf]
        reasons = sorted({str(row["reason"]) or "capped_games" for row in stuck})
        which = tr("{count} of them", count=len(stuck))
        texts.append(text.format(names=which, reason=join_list([REASONS[reason] for reason in reasons])))
    return texts


def capped_gain_sentences(group: Sequence[Record], names: Names) -> list[str]:
    """Return a sentence on the gain left open by capped games, where they and not chance prevent a verdict."""
    wide = [row for row in group if row["reason"] == "capped_games" and row["most"] > row["least"]]
    if not wide:
        return []
    # A gain lies between -50 and 50 points; where the baseline may be on either side of 50 % its bounds are rough.
    open_points = [min(100.0, 100 * (row["most"] - row["least"])) for row in wide]
    low, high = labels.format_amount(min(open_points), 1), labels.format_amount(max(open_points), 1)
    text = tr("Games stopped at the cap leave up to {points} points of the gain open for {names}{remedy}.")
    remedy = tr(": more games help little, a larger max_plies or “capped: adjudicate” may help")
    if names.plan.experiment.adjudicator:
        remedy = tr(": more games help little, a larger max_plies may help")
    which = join_list([names.short(row["ruleset"]) for row in wide])
    if len(wide) > MAX_NAMES:
        which = tr("{n} of them", n=len(wide))
    return [text.format(points=low if low == high else f"{low}–{high}", names=which, remedy=remedy)]


def capped_games_sentences(analysis: Analysis, names: Names) -> list[str]:
    """Return a sentence on the games between the strongest players that were stopped at the cap."""
    cells = pairing_rows(analysis.cells, names.strongest)
    games, at_cap = int(cells["games"].sum()), int(stopped_games(cells).sum())
    if not at_cap:
        return []
    if names.plan.agents[names.strongest[0]].kind == PEOPLE:
        return [
            tr("{share} of the games of {people} have no result: intervals allow for either.").format(
                share=labels.format_percent(at_cap / games), people=names.level
            )
        ]
    text = tr("{share} of the games between the strongest players were stopped at the cap{adjudicated}. {method}")
    adjudicated = untranslated("")
    if names.plan.experiment.adjudicator:
        decided = labels.format_percent((at_cap - int(cells["unfinished"].sum())) / games)
        adjudicated = tr(", {decided} were adjudicated", decided=decided)
    method = names.capped_method_sentence()
    return [text.format(share=labels.format_percent(at_cap / games), adjudicated=adjudicated, method=method)]


def unreachable_equivalence(names: Names) -> list[str]:
    """Return a sentence if "no meaningful difference" could not be shown from the outset."""
    plan = names.plan
    if not plan.question_measure.is_share:
        return []
    margin = plan.share_margin
    least = games_for_equivalence(margin, plan.primary_comparisons, plan.verdict_analyses, stage=plan.number)
    if not plan.games or plan.games >= least:
        return []
    text = tr(
        "“No meaningful difference” was out of reach: to show it to ±{margin} points takes at "
        "least {least} games of each ruleset and players, unless many are drawn; this experiment has {games}."
    )
    return [text.format(margin=f"{100 * margin:.3g}", least=f"{least:,}", games=f"{plan.games:,}")]
