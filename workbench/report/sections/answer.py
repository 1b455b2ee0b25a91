"""The answer: a headline with a card for each proposal or rule change, and the verdicts with their evidence."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from workbench.base import language
from workbench.base.language import SEMICOLON, capitalized, join, join_list, sentences, tr, trc, trn, untranslated
from workbench.base.project import is_derived
from workbench.experiments import measures
from workbench.experiments.design import LeftOut, group_left_out
from workbench.experiments.experiment import with_strong_players
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.players.agent_kinds import PEOPLE
from workbench.report import labels
from workbench.report import model as m
from workbench.report import verdicts as v
from workbench.report.labels import format_percent, pairing_text
from workbench.report.names import MAX_NAMES, Names, Pairing, Record, Results, cell_row, estimate, rows_by_cell
from workbench.report.sections import rules
from workbench.report.sections.games import TYPICAL, decisive_moment
from workbench.report.sections.scores import line_sentences
from workbench.report.sections.strong import UNKNOWN, judged_players, openings_clause, reason_text, strong_play_headline
from workbench.runs.executor import format_duration
from workbench.statistics import stopped_games
from workbench.statistics.analysis_plan import games_for_equivalence
from workbench.statistics.comparisons import FUTILITY_CHANCE
from workbench.statistics.overview import silent_proposals
from workbench.statistics.tables import band_verdict

VERDICT_LISTS = (
    ("fairer", tr("Fairer than {baseline}"), True),
    ("less_fair", tr("Less fair than {baseline}"), True),
    ("no_meaningful_difference", tr("No meaningful difference from {baseline}"), True),
    ("undecided", tr("Undecided"), False),
)
"""Verdicts on fairness, each with the start of its list of proposals and True if the list includes differences."""
VERDICT_CLAUSES = (
    ("more", tr("{more} with {names}")),
    ("less", tr("{less} with {names}")),
    ("no_meaningful_difference", tr("no meaningful difference with {names}")),
    ("undecided", tr("undecided: {names}")),
)
OTHER_MEASURES = ("fairness", "first_score", "draw_rate", "plies_mean", "capped_rate")
"""Measures reported after the question's own; all other measures follow from these."""
MAX_DIFFERENCES = 4
"""The most proposals listed by name for a difference in another measure; larger groups are only counted."""


def answer_section(results: Results, partial: tuple[int, int] | None) -> m.Section:
    """Return the verdicts of a run; ``partial`` is (games played, games planned) if the run is unfinished."""
    parts: list[m.Part] = []
    if partial:
        text = tr(
            "The run is unfinished: {there} of {planned} games. The same command continues it; what follows "
            "covers only the games so far."
        )
        if results.plan.experiment.sequential:
            text = tr(
                "The run is unfinished: {there} of the {planned} games up to its next analysis. The same "
                "command continues it; what follows covers only the games so far."
            )
        played, planned = (f"{count:,}" for count in partial)
        parts.append(m.Paragraph(text.format(there=played, planned=planned), "warning"))
    verdicts = results.primary_comparisons
    strong = strong_play_headline(results)
    parts += strong
    if texts := line_sentences(results):
        parts.append(m.Paragraph(sentences(texts), "lead"))
    parts += [m.Paragraph(headline(results), "lead"), m.Bullets(_evidence(results))]
    if results.strong_verdicts.empty:
        parts.append(m.Paragraph(UNKNOWN, "note"))
    if not verdicts.empty:
        parts.append(replace(_strength_table(results), folded=bool(strong)))
    return m.Section("answer", tr("The answer"), [*parts, *_target_parts(results), *warning_parts(results)])


def headline(results: Results) -> str:
    """Answer the experiment's question for its strongest players in a few sentences."""
    if len(results.equilibria):
        # Players choose styles and armies, and no style is declared to be stronger than another.
        return sentences(
            rules.game_value_sentence(rows, results) for _, rows in results.equilibria.groupby(rules.CHOICE, sort=False)
        )
    if effects := rules.effect_sentences(results):
        return sentences(effects)
    verdicts = results.strongest_rows("primary_comparisons")
    if verdicts.empty:
        cells = results.strongest_rows("cells").to_dict("records")
        return sentences(_measure_sentence(cell, results) for cell in cells[:3])
    if results.plan.question_measure.name != FAIRNESS:
        return _measure_headline(verdicts, results)
    groups = {
        code: [results.short(name) for name in verdicts.loc[verdicts["verdict"] == code, "ruleset"]]
        for code in v.VERDICTS
    }
    fields = {"level": results.level, "baseline": results.baseline}
    if fairer := groups["fairer"]:
        text = tr("{names} {verb} fairer than {baseline} between the strongest players in this experiment ({level}).")
        return text.format(names=join_list(fairer), verb="is" if len(fairer) == 1 else "are", **fields)
    if (verdicts["reason"] == "not_finished").all():
        return tr(
            "No verdict yet: the run is unfinished. Verdicts are given once all games have been played, since "
            "stopping as soon as a result looks good leads to wrong verdicts too often."
        )
    text = tr(
        "Between the strongest players in this experiment ({level}), no proposal is shown to be fairer than {baseline}."
    )
    if groups["undecided"] and not groups["less_fair"] and not groups["no_meaningful_difference"]:
        text = tr(
            "These games do not settle the question: between the strongest players ({level}), no proposal is "
            "shown to be fairer or less fair than {baseline}."
        )
    return text.format(**fields)


def _measure_headline(verdicts: pd.DataFrame, results: Results) -> str:
    """Summarize in a sentence the verdicts on a measure other than fairness."""
    measure = results.plan.question_measure.name
    directions = {code: results.more_or_less(measure, code == "more") for code in ("more", "less")}
    fields = {"level": results.level, "baseline": results.baseline, **directions}
    if (verdicts["verdict"] == "undecided").all():
        text = tr(
            "These games do not settle the question: between the strongest players ({level}), no proposal is "
            "shown to have {more} or {less} than {baseline}."
        )
        return text.format(**fields)
    clauses = []
    for code, clause in VERDICT_CLAUSES:
        if group := [results.short(name) for name in verdicts.loc[verdicts["verdict"] == code, "ruleset"]]:
            names = join_list(group)
            if len(group) > MAX_NAMES:
                names = tr("{n} of {all} proposals", n=len(group), all=len(verdicts))
            clauses.append(clause.format(names=names, **directions))
    text = tr("Compared with {baseline}, between the strongest players in this experiment ({level}): {texts}.")
    return text.format(texts=trc("answer", "; ").join(clauses), **fields)


def _measure_sentence(cell: Record, results: Results) -> str:
    """Return a sentence that states a cell's value of the question's measure."""
    measure, name = results.plan.question_measure.name, results.short(cell["ruleset"])
    if measure != FAIRNESS:
        value = results.measure_text(cell["ruleset"], (cell["first"], cell["second"]))
        text = tr("{measure} under {name}: {value}.")
        return text.format(measure=capitalized(results.measure_name(measure)), name=name, value=value)
    score = labels.share_text(cell, "first_score")
    by_balance = {
        "first": tr("{who}: ahead."),
        "second": tr("{who}: the second player is ahead."),
        "balanced": tr("{who}: balanced."),
        "undecided": tr("{who}: it is undecided who is ahead."),
        "": tr("No game under {name} finished."),
    }
    intro = tr("Under {name} the first player scores {score}", name=name, score=score)
    return by_balance[cell["balance"]].format(who=intro, name=name)


def _evidence(results: Results) -> list[str]:
    if len(results.equilibria):
        by_choice = results.equilibria.groupby(rules.CHOICE, sort=False)
        return [rules.ranking_sentence(rows, results) for _, rows in by_choice]
    texts = rules.other_effect_sentences(results)
    baseline_cell = cell_row(results.cells, results.plan.baseline, results.strongest)
    if baseline_cell and not results.primary_comparisons.empty:
        texts.append(_measure_sentence(baseline_cell, results))
    verdicts = results.strongest_rows("primary_comparisons")
    for code, lead, detailed in _verdict_leads(results):
        group = verdicts[verdicts["verdict"] == code].to_dict("records")
        if not group:
            continue
        further_sentences = (
            [*games_needed_sentences(group), *capped_gain_sentences(group, results)] if code == "undecided" else []
        )
        if len(group) > MAX_NAMES and not detailed:
            count = tr("{n} of {all} proposals", n=str(len(group)), all=str(len(verdicts)))
            texts.append(sentences([tr("{lead}: {count}.", lead=lead, count=count), *further_sentences]))
            continue
        names = [
            _change_text(row, results) if detailed else untranslated(results.short(row["ruleset"])) for row in group
        ]
        text = tr("{lead}: {names}.", lead=lead.format(baseline=results.baseline), names=join_list(names))
        if code == "undecided" and not (verdicts["verdict"] == "no_meaningful_difference").any():
            further_sentences += unreachable_equivalence(results)
        texts.append(sentences([text, *further_sentences]))
    texts += [*capped_games_sentences(results), *_reversals_by_strength(results)]
    if results.effects.empty:
        texts += [tr("Besides, {each}.", each=difference) for difference in other_differences(results)]
    return [*texts, *_pareto_sentences(results)]


def _pareto_sentences(results: Results) -> list[str]:
    table = results.strongest_rows("scorecard")
    same_game = [results.plan.baseline, *results.plan.proposals]
    unbeaten = table[table["pareto"].astype(bool) & table["ruleset"].isin(same_game)]
    if len(unbeaten) == len(same_game) > 1:
        text = tr(
            "Simplicity, fairness and variety together rule out none of the {n} rulesets: each beats every "
            "other on at least one criterion."
        )
        return [text.format(n=str(len(unbeaten)))]
    if unbeaten.empty or not len(results.plan.proposals):
        return []
    text = tr("Unbeaten on simplicity, fairness and variety together: {names}.")
    if unbeaten["variety"].isna().all():
        text = tr("Unbeaten on simplicity and fairness together (the variety of openings is unknown): {names}.")
    return [text.format(names=results.list_rulesets(list(unbeaten["ruleset"])))]


def _verdict_leads(names: Names) -> list[tuple[str, str, bool]]:
    """Return `VERDICT_LISTS` in the words of the question's measure."""
    measure = names.plan.question_measure.name
    if measure == FAIRNESS:
        return list(VERDICT_LISTS)
    phrases = {code: capitalized(names.more_or_less(measure, code == "more")) for code in ("more", "less")}
    text = tr("{what} than {baseline}")
    leads = [(code, text.format(what=phrase, baseline="{baseline}"), True) for code, phrase in phrases.items()]
    return [*leads, *VERDICT_LISTS[2:]]


def _change_text(row: Record, names: Names) -> str:
    """Return a proposal's name with its difference from the baseline."""
    change = names.change_text(row["measure"], row["difference"], row["low"], row["high"])
    return tr("{name} ({told})", name=names.short(row["ruleset"]), told=change)


def other_differences(results: Results, excluded: Collection[str] = ()) -> list[str]:
    """Describe significant differences in measures other than the question's and the ``excluded`` ones."""
    table = results.strongest_rows("comparisons")
    texts = []
    for measure in (*OTHER_MEASURES, *(added.name for added in measures.added_measures())):
        if measure in (results.plan.question_measure.name, *excluded):
            continue
        clauses = []
        for codes, more in ((("higher", "fairer"), True), (("lower", "less_fair"), False)):
            rows = table[(table["measure"] == measure) & table["verdict"].isin(codes)].to_dict("records")
            if rows:
                names = join_list([_change_text(row, results) for row in rows])
                if len(rows) > MAX_DIFFERENCES:
                    names = tr("{n} of {all} proposals", n=len(rows), all=len(results.plan.proposals))
                clauses.append(tr("{what} with {names}", what=results.more_or_less(measure, more), names=names))
        if clauses:
            texts.append(join(SEMICOLON, clauses))
    return texts


def _reversals_by_strength(results: Results) -> list[str]:
    texts = {
        "verdict_flips": tr("The verdict on {names} reverses with player strength: do not rely on any single level."),
        "side_flips": tr("Under {names}, which player is ahead depends on playing strength."),
    }
    flips = results.flips.to_dict("records")
    names = {column: [results.short(row["ruleset"]) for row in flips if row[column]] for column in texts}
    return [text.format(names=join_list(names[column])) for column, text in texts.items() if names[column]]


def _strength_table(results: Results) -> m.Table:
    """Return a table of the verdict on each proposal for each pair of players."""
    verdicts = results.primary_comparisons
    pairings = results.pairings_in(verdicts)
    reversed_names = {row["ruleset"] for row in results.flips.to_dict("records") if row["verdict_flips"]}
    measure = results.plan.question_measure.name
    by_cell = rows_by_cell(verdicts)

    def verdict(row: Record) -> m.TableCell:
        return v.VERDICTS[row["verdict"]].cell(results.difference_text(row), labels.sort_value(row["difference"]))

    def pairing_column(pair: Pairing) -> m.Column:
        return m.Column.optional(pairing_text(pair), lambda name: by_cell.get((name, *pair)), verdict)

    def reversal(name: str) -> m.TableCell:
        return m.TableCell(tr("turns round") if name in reversed_names else untranslated(""), kind="verdict bad")

    columns = [
        m.Column.plain(tr("proposal"), lambda name: results.ruleset_cell(name, titled=True)),
        *map(pairing_column, pairings),
        *([m.Column.plain(tr("between levels"), reversal)] if reversed_names else []),
    ]
    caption = tr(
        "Fairer or less fair than {baseline}, for each pair of players, weak to strong. Below each verdict: "
        "how many points closer to 50 % the first player's score is, with its 95 % interval."
    )
    if measure != FAIRNESS:
        caption = tr(
            "{measure} compared with {baseline}, for each pair of players, weak to strong. Below "
            "each verdict: the difference ({unit}), with its 95 % interval."
        )
    if any(pair in results.plan.yardsticks for pair in pairings):
        caption = sentences([caption, tr("Random players serve as a yardstick and get no verdict.")])
    caption = sentences([caption, *results.footnotes(verdicts)]).format(
        measure=capitalized(results.measure_name(measure)), baseline=results.baseline, unit=results.unit_name(measure)
    )
    return m.Table.of(caption, columns, results.plan.proposals)


def _target_parts(results: Results) -> list[m.Part]:
    if results.targets.empty:
        return []
    rows = results.strongest_rows("targets")
    targets = dict.fromkeys(zip(rows["target"], rows["wanted"].astype(str), strict=True))
    by_target = {(row["target"], row["ruleset"]): row for row in rows.to_dict("records")}

    def verdict(row: Record) -> m.TableCell:
        format_bound = labels.format_amount if row["target"].startswith("plies") else format_percent
        return v.VERDICTS[row["verdict"]].cell(f"{format_bound(row['low'])} – {format_bound(row['high'])}")

    def goal_column(measure: str, limits: str) -> m.Column:
        title = tr("median length") if measure == measures.PLIES else measures.MEASURES[measure].title
        return m.Column.optional(title, lambda name: by_target.get((measure, name)), verdict, untranslated(limits))

    columns = [m.Column.plain(tr("ruleset"), results.ruleset_cell), *(goal_column(*measure) for measure in targets)]
    caption = tr(
        "The experiment's targets in games between the strongest players ({level}). A target is met or missed "
        "only if the whole interval, with capped games counted either way, lies inside or outside it."
    )
    baseline = results.rulesets.index(results.plan.baseline) if results.plan.baseline in results.rulesets else None
    return [m.Table.of(caption.format(level=results.level), columns, results.rulesets, baseline, printed=True)]


WARNINGS = {
    "unsteady": tr("{where}: {subject} change during the run by more than chance allows."),
    "toggle_never_fired": tr(
        "{where}: the rule “{subject}” never applied here or under the baseline, so these games say nothing "
        "about this change."
    ),
    "event_never": tr("Did not happen in any game: {subject}."),
    "no_finished_games": tr("{where}: no game finished, so there is no score."),
    "no_games": tr("{where}: there are no games."),
    "equal_fingerprints": tr("{where} has the same rules as {subject}."),
    "copied_player": tr("Played the same games as another player, so the two count as one in strong play: {subject}."),
    "copies": tr("{where}: so many games are repeats that they are worth only {value} distinct ones."),
    "few_games": tr("{where}: {value} games are too few to detect a difference that matters."),
    "not_reproducible": tr(
        "Not reproducible: {where}. A player is external, and its author does not guarantee that the same seed gives "
        "the same game."
    ),
    "left_out": tr("Left out because the rules do not allow them: {subject}."),
}
GROUPED_WARNINGS = ("copied_player", "event_never", "left_out", "not_reproducible")
"""Warnings that share one sentence each."""


def warning_parts(results: Results) -> list[m.Part]:
    """Return warnings about unreliable numbers; a warning that concerns several cells appears once."""
    groups: dict[tuple[str, str], list[Record]] = {}
    decided_cells = _decided_cells(results)
    for row in results.warnings.to_dict("records"):
        if row["code"] != "few_games" or (row["ruleset"], row["first"], row["second"]) not in decided_cells:
            subject = "" if row["code"] in GROUPED_WARNINGS else row["subject"]
            groups.setdefault((row["code"], subject), []).append(row)
    parts: list[m.Part] = []
    for (code, subject), rows in groups.items():
        values = [float(row["value"]) for row in rows if not math.isnan(row["value"])]
        low, high = (labels.format_amount(end(values)) if values else "" for end in (min, max))
        topic = results.subject_name(subject)
        if code == "event_never":
            topic = join_list([tr("“{event}”", event=results.event_sentence(row["subject"])) for row in rows])
        elif code == "copied_player":
            topic = join_list([tr("{player} (as {other})", player=row["first"], other=row["subject"]) for row in rows])
        elif code == "left_out":
            left_out = group_left_out([row["subject"] for row in rows])
            topic = trc("warnings", "; ").join(map(_left_out_text, left_out))
        text = WARNINGS[code].format(
            where=_cells_text(rows, results), subject=topic, value=low if low == high else f"{low}–{high}"
        )
        parts.append(m.Paragraph(text, "note" if code in GROUPED_WARNINGS else "warning"))
    return parts


def _decided_cells(results: Results) -> set[tuple[str, str, str]]:
    """Return the cells with a verdict, and the baseline's cells if all comparisons with them are decided."""
    compared = results.primary_comparisons
    if compared.empty:
        return set()
    is_open = compared["verdict"] == "undecided"
    open_pairs = set(compared.loc[is_open, ["first", "second"]].itertuples(index=False, name=None))
    cells = set(compared.loc[~is_open, ["ruleset", "first", "second"]].itertuples(index=False, name=None))
    pairs = {(first, second) for _, first, second in cells} - open_pairs
    return cells | {(results.plan.baseline, first, second) for first, second in pairs}


def _left_out_text(group: LeftOut) -> str:
    if group.count == 1:
        return untranslated(f"{group.shared}: {group.reason}")
    text = (
        tr("all {count} combinations with {shared}: {reason}") if group.shared else tr("{count} combinations: {reason}")
    )
    return text.format(count=group.count, shared=group.shared, reason=group.reason)


def _cells_text(rows: Sequence[Record], names: Names) -> str:
    """Return the shortest description of the rows' cells."""
    by_pair: dict[Pairing, list[str]] = {}
    for row in rows:
        by_pair.setdefault((row["first"], row["second"]), []).append(row["ruleset"])
    by_rulesets: dict[tuple[str, ...], list[Pairing]] = {}
    for pair, rulesets in by_pair.items():
        by_rulesets.setdefault(tuple(rulesets), []).append(pair)
    texts = []
    for group, pairs in by_rulesets.items():
        label = names.list_rulesets(group)
        if set(group) >= set(names.rulesets) and len(group) > 1:
            label = tr("All rulesets")
        players = join_list([pairing_text(pair) for pair in pairs if any(pair)])
        texts.append(tr("{which} ({players})", which=label, players=players) if players else label)
    return tr("; ").join(texts)


def ended_early(row: Record) -> bool:
    """True if a comparison was stopped early because further games could hardly have decided it."""
    return 0 < float(row["chance_left"]) < FUTILITY_CHANCE


def games_needed_sentences(group: Sequence[Record]) -> list[str]:
    """Return sentences on how many more games the undecided proposals need."""
    needed = [float(row["games_needed"]) for row in group]
    finite = [count for count in needed if 0 < count < math.inf]
    texts = []
    if finite:
        text = tr(
            "Judging by these games, a verdict requires roughly {least} more games of each ruleset{most}; this "
            "may change with further games."
        )
        low, high = (f"{labels.round_count(count):,}" for count in (min(finite), max(finite)))
        closest = tr(" for the clearest and {high} for the closest of them")
        texts.append(text.format(least=low, most=closest.format(high=high) if low != high else untranslated("")))
    if futile := sum(map(ended_early, group)):
        text = tr("{n} of them ended early: the remaining games were unlikely to decide them.")
        texts.append(text.format(n=str(futile)))
    if undecidable := [row for row in group if row["games_needed"] == math.inf]:
        text = tr("For {names}, no number of games can decide: {reason}.")
        reasons = sorted({row["reason"] or "capped_games" for row in undecidable})
        names = tr("{count} of them", count=len(undecidable))
        texts.append(text.format(names=names, reason=join_list([v.REASONS[reason] for reason in reasons])))
    return texts


def capped_gain_sentences(group: Sequence[Record], names: Names) -> list[str]:
    """Return a sentence on the range of the gain if only capped games prevent a verdict."""
    open_rows = [row for row in group if row["reason"] == "capped_games" and row["most"] > row["least"]]
    if not open_rows:
        return []
    # A gain lies between -50 and 50 points; its bounds are rough if the baseline may be on either side of 50 %.
    open_points = [min(100.0, 100 * (row["most"] - row["least"])) for row in open_rows]
    low, high = labels.format_amount(min(open_points), 1), labels.format_amount(max(open_points), 1)
    text = tr("Games stopped at the cap leave up to {points} points of the gain uncertain for {names}{remedy}.")
    remedy = tr(": more games would help little; a larger max_plies or “capped: adjudicate” may help")
    if names.plan.experiment.adjudicator:
        remedy = tr(": more games would help little; a larger max_plies may help")
    label = join_list([names.short(row["ruleset"]) for row in open_rows])
    if len(open_rows) > MAX_NAMES:
        label = tr("{n} of them", n=len(open_rows))
    return [text.format(points=low if low == high else f"{low}–{high}", names=label, remedy=remedy)]


def capped_games_sentences(results: Results) -> list[str]:
    """Return a sentence on how many of the strongest players' games reached the cap."""
    cells = results.strongest_rows("cells")
    games, at_cap = int(cells["games"].sum()), int(stopped_games(cells).sum())
    if not at_cap:
        return []
    share = format_percent(at_cap / games)
    if results.plan.agents[results.strongest[0]].kind == PEOPLE:
        text = tr("{share} of the games of {people} have no result; intervals allow for a win by either side.")
        return [text.format(share=share, people=results.level)]
    text = tr("{share} of the games between the strongest players were stopped at the cap{adjudicated}. {method}")
    adjudicated = untranslated("")
    if results.plan.experiment.adjudicator:
        decided = format_percent((at_cap - int(cells["unfinished"].sum())) / games)
        adjudicated = tr(", {decided} were adjudicated", decided=decided)
    return [text.format(share=share, adjudicated=adjudicated, method=results.capped_method_sentence())]


def unreachable_equivalence(names: Names) -> list[str]:
    """Return a sentence if the planned number of games could never show "no meaningful difference"."""
    plan = names.plan
    if not plan.question_measure.is_share:
        return []
    margin = plan.share_margin
    required = games_for_equivalence(margin, plan.primary_comparisons, plan.verdict_analyses, stage=plan.stage_number)
    if not plan.games or plan.games >= required:
        return []
    text = tr(
        "“No meaningful difference” was out of reach: showing it within ±{margin} points takes at least "
        "{least} games per ruleset and pair of players, unless many are drawn; this experiment has {games}."
    )
    return [text.format(margin=f"{100 * margin:.3g}", least=f"{required:,}", games=f"{plan.games:,}")]


# Headline and cards

SHOWN_CARDS = 8
"""The number of cards that are not collapsed."""
MEANS = tr("A card for a rule change shows its mean effect over all combinations of the other changes.")
WORTH_NAMING = 0.05
"""The second-best ruleset is named if its probability of being the fairest is at least this."""
SHOWN_CHANGES = 2
"""The number of a proposal's changes whose sentences appear on its card."""
FAR_FROM_EVEN = 0.1
"""The headline calls a score far from even if it differs from one half by at least this."""
MOST_WITH_VALUES = 3
"""The most proposals that the headline names with their values."""
PROMISING = 2 / 3
"""The headline names the likeliest of several undecided proposals if its probability is at least this."""


@dataclass(frozen=True)
class _Effect:
    """The effect of a proposal or of a rule change."""

    key: str
    """The ruleset that makes only this change; "" if there is none."""
    name: str
    title: str
    more_chance: float
    """The probability that the change increases the question's measure (makes the game fairer, for example)."""
    verdict: str
    """``more``, ``less`` or ``same`` if that is certain, else ""."""
    score: str
    """The question's measure without and with the change."""
    values: str
    """The numbers in ``score``."""
    next_step: str = ""
    more_games: float = math.nan
    """The factor by which the number of games must grow for a probable decision; infinite if no number suffices."""
    silent: bool = False
    """True if the changed rule never applied, so any difference between the games is due to chance."""

    def chance(self, more: bool) -> float:
        """Return the probability of an increase, or of a decrease, in the question's measure."""
        return self.more_chance if more else 1 - self.more_chance

    def is_likely(self, more: bool) -> bool:
        """True if an increase, or a decrease, is very likely but not settled."""
        return not self.verdict and self.chance(more) >= v.VERY_LIKELY

    @property
    def quoted_name(self) -> str:
        """The name for use within a sentence; Japanese names that may be sentences are quoted."""
        name = language.translated(self.name, "ja")
        is_quoted = (name == self.name and name.isascii()) or name.startswith("「")
        return self.name if is_quoted else language.bilingual(en=str(self.name), ja=f"「{name}」")


def first_screen(
    results: Results, changes: Sequence[m.RuleChange], replays: m.ReplayList | None, provenance: Mapping[str, Any]
) -> list[m.Part]:
    """Return the headline and the cards, or an empty list if nothing is compared or the run is unfinished."""
    if not results.plan.proposals or len(results.equilibria) or not results.plan.finished:
        return []
    game_cost, words = _GameCost(provenance), results.words
    effects = _strong_effects(results, game_cost) or _compared_effects(results)
    if not effects:
        return []
    effects = [
        replace(effect, more_chance=math.nan, verdict="", next_step="", more_games=math.nan)
        if effect.silent
        else effect
        for effect in effects
    ]
    effects.sort(key=lambda effect: 2.0 if math.isnan(effect.more_chance) else -effect.more_chance)
    findings = [_finding(effect, words, changes, replays) for effect in effects]
    for i, effect in enumerate(effects[:SHOWN_CARDS]):
        moment = decisive_moment(results, effect.key, replays.replays if replays else ())
        findings[i] = replace(findings[i], moment=moment)
    differences = other_differences(results, excluded=[FIRST_SCORE] if words.more_is_better else [])
    parts: list[m.Part] = [
        m.Paragraph(_card_headline(effects, differences, results), "lead"),
        m.Facts(_facts(effects, differences, results, game_cost)),
    ]
    name = results.plan.experiment.name
    if _lacks_strong_players(results) and name and not is_derived(name):
        parts.append(m.Paragraph(untranslated(f"workbench run {name} --strong"), "command"))
    parts.append(m.Findings(findings, SHOWN_CARDS, tr("{n} more", n=len(findings) - SHOWN_CARDS)))
    return parts if results.strong_effects.empty else [*parts, m.Paragraph(MEANS, "note")]


def _facts(
    effects: Sequence[_Effect], differences: Sequence[str], results: Results, game_cost: _GameCost
) -> list[tuple[str, str]]:
    graded, facts = results.words.more_is_better, []
    if graded:
        harmful = [effect for effect in effects if effect.verdict == "less" or effect.is_likely(more=False)]
        facts.append((tr("Makes it worse"), _list_effects(harmful) if harmful else tr("none for certain")))
    ranks = results.strong_ranks.sort_values("loss", kind="stable").to_dict("records")
    if len(ranks) > 2 and graded:
        facts.append((tr("Fairest of all"), _fairest(ranks, results)))
    if not differences:
        facts.append((tr("Besides"), tr("no other difference is shown")))
    players = join(SEMICOLON, [_players_text(results), openings_clause(results)])
    facts.append((tr("Holds for"), judged_players(results) if results.strong_levels else players))
    stronger = tr("not tested: with stronger players the answer may differ")
    if not _lacks_strong_players(results):
        text = tr("settled answers hold for players that search up to {nodes:,} positions per move")
        stronger = text.format(nodes=2 * int(results.strong_verdicts["nodes"].max()))
    return [*facts, (tr("Stronger players"), stronger), (tr("To know more"), _next_step(effects, results, game_cost))]


def _fairest(ranks: Sequence[Record], results: Results) -> str:
    """Name the two rulesets most likely to be the fairest, with the first player's score under the likelier one."""
    best, second = ranks[:2]
    text = tr("{name} with a probability of {chance}, {before} → {after}")
    if float(second["fairest"]) >= WORTH_NAMING:
        text = tr("{name} with a probability of {chance}, {before} → {after}; {second} with {second_chance}")
    levels = results.strong_levels
    before, after = (format_percent(levels[name].value) for name in (results.plan.baseline, best["ruleset"]))
    chance, second_chance = (v.chance_text(float(row["fairest"])) for row in (best, second))
    return text.format(
        name=results.short(best["ruleset"]), chance=chance, before=before, after=after,
        second=results.short(second["ruleset"]), second_chance=second_chance,
    )  # fmt: skip


def _lacks_strong_players(results: Results) -> bool:
    """Check whether the players are too weak or too similar for a verdict on strong play."""
    verdicts = results.strong_verdicts
    return verdicts.empty or bool(verdicts["reason"].isin(["one_strength", "one_search"]).all())


def _next_step(effects: Sequence[_Effect], results: Results, game_cost: _GameCost) -> str:
    """Return the next step towards a decision, with its cost."""
    if _lacks_strong_players(results):
        strong = with_strong_players(results.plan.experiment)
        return tr(
            "use strong players: {games:,} games", games=len(strong.rulesets) * len(strong.pairings) * strong.games
        )
    if all(effect.verdict for effect in effects):
        return tr("nothing: everything is settled")
    factors = [effect.more_games for effect in effects if math.isfinite(effect.more_games)]
    if not factors:
        return tr("use stronger players or more training runs; more games with these players would not settle it")
    games = game_cost.text((min(factors) - 1) * int(results.cells["games"].sum()))
    games_each = math.ceil(results.plan.games * min(factors))
    return tr("set games to {most} and run it again: {games} in all", most=games_each, games=games)


class _GameCost:
    """The time that further games take."""

    def __init__(self, provenance: Mapping[str, Any]) -> None:
        timed = provenance.get("timed") or {}
        self.seconds = float(timed.get("seconds", math.nan)) / max(1, int(timed.get("games", 1)))
        self.workers = max(1, int(provenance.get("workers") or 1))

    def text(self, games: float) -> str:
        """Return a number of games, rounded, with the time they take."""
        count = labels.round_count(games)
        if math.isnan(self.seconds):
            return tr("{count:,} more games", count=count)
        duration = format_duration(count * self.seconds / self.workers)
        return tr("{count:,} more games ({time})", count=count, time=duration)


def _strong_effects(results: Results, game_cost: _GameCost) -> list[_Effect]:
    """Return the effects under strong play: of rule changes if rulesets combine them, else of the proposals."""
    question = results.plan.question_measure.name
    measure = {FAIRNESS: "first_score", "draw_rate": "draw_rate"}.get(question)
    levels, silent_proposals = results.strong_levels, _silent_proposals(results)
    games = int(results.cells["games"].sum())
    effects = []
    table = results.strong_effects
    for row in table[(table["measure"] == measure) & (table["kind"] == "main")].to_dict("records"):
        alone, level = row["alone"], float(row["without"])
        values = _values_text(level, level + float(row["now"]))
        more_chance = float(row["likely_fairer" if question == FAIRNESS else "likely"])
        silent = (_unused_rules(results)["subject"] == row["factor"]).sum() >= row["rulesets"]
        effects.append(_Effect(
            alone, rules.rule_name(row, results), results.title(alone) if alone else "", more_chance,
            v.direction(row, more_chance), _score_text(question, values), values, _strong_step(row, games, game_cost),
            float(row["more_games"]), bool(silent),
        ))  # fmt: skip
    if effects:
        return effects
    table = results.strong_verdicts
    for row in table[(table["measure"] == measure) & table["compared"].astype(bool)].to_dict("records"):
        name, baseline = row["ruleset"], results.plan.baseline
        values = tr("{difference} points", difference=labels.format_signed(100 * float(row["now"])))
        if question == FAIRNESS:
            if baseline not in levels or name not in levels:
                continue
            values = _values_text(levels[baseline].value, levels[name].value)
        effects.append(_Effect(
            name, untranslated(results.short(name)), results.title(name), *v.strong_certainty(row, question),
            _score_text(question, values), values, _strong_step(row, games, game_cost), float(row["more_games"]),
            name in silent_proposals,
        ))  # fmt: skip
    return effects


def _values_text(before: float, after: float) -> str:
    return join(" → ", (format_percent(before), format_percent(after)))


def _score_text(question: str, values: str) -> str:
    text = tr("First player {values}") if question == FAIRNESS else tr("Draws {values}")
    return text.format(values=values)


def _strong_step(row: Record, games: int, game_cost: _GameCost) -> str:
    """Return the step that would settle a verdict on strong play."""
    if row["verdict"] != "not_settled" or row["reason"] in ("one_strength", "one_search"):
        return ""
    factor = float(row["more_games"])
    if row["reason"] == "games" and math.isfinite(factor):
        return tr("To know more: {games} in all.", games=game_cost.text((factor - 1) * games))
    return tr("To know more: {reason}.", reason=reason_text(row))


def _compared_effects(results: Results) -> list[_Effect]:
    """Return the proposals' effects in games between the strongest players."""
    question, baseline = results.plan.question_measure, results.plan.baseline
    base = cell_row(results.cells, baseline, results.strongest)
    effects = []
    for row in results.strongest_rows("primary_comparisons").to_dict("records") if base and base["finished"] else ():
        name = row["ruleset"]
        cell = cell_row(results.cells, name, results.strongest)
        if cell is None or not cell["finished"] or math.isnan(row["difference"]):
            continue
        if question.name == FAIRNESS and base:
            values = _values_text(float(base["first_score"]), float(cell["first_score"]))
            score = _score_text(FAIRNESS, values)
        else:
            texts = (results.measure_text(ruleset, results.strongest) for ruleset in (baseline, name))
            score = values = join(" → ", list(texts))
        effects.append(_Effect(
            name, untranslated(results.short(name)), results.title(name), v.chance_of_more(row, question),
            v.SIDES.get(row["verdict"], ""), score, values, silent=name in _silent_proposals(results),
        ))  # fmt: skip
    return effects


def _unused_rules(results: Results) -> pd.DataFrame:
    """Return the warnings about rules that never applied."""
    return results.warnings[results.warnings["code"] == "toggle_never_fired"]


def _silent_proposals(results: Results) -> frozenset[str]:
    unused = _unused_rules(results)
    return silent_proposals(zip(unused["ruleset"], unused["subject"], strict=True), results.plan)


def _finding(
    effect: _Effect, words: v.Words, changes: Sequence[m.RuleChange], replays: m.ReplayList | None
) -> m.Finding:
    own_changes = [change for change in changes if effect.key in change.proposals]
    text, kind, chance = v.certainty(effect.more_chance, effect.verdict, words)
    less = join(" ", (words.less, v.chance_text(1 - effect.more_chance)))
    more = join(" ", (words.more, v.chance_text(effect.more_chance)))
    visible, hidden_count = own_changes[:SHOWN_CHANGES], len(own_changes) - SHOWN_CHANGES
    now = [change.now[1] for change in visible]
    if hidden_count > 0:
        now.append(trn("And {n} more change.", "And {n} more changes.", hidden_count))
    with_position = next((change for change in own_changes if change.position), None)
    replay_id = ""
    for replay in replays.replays if replays else ():
        if replay.ruleset == effect.key and replay.moves is not None and (not replay_id or TYPICAL in replay.reasons):
            replay_id = f"{replay.ruleset}/{replay.first}/{replay.second}/{replay.game + 1}"
    return m.Finding(
        effect.name, effect.title, effect.score, v.SILENT if effect.silent else text, effect.more_chance,
        kind, (less, more), sentences(change.was[1] for change in visible), sentences(now),
        with_position.position if with_position else None, with_position.number if with_position else 0,
        effect.next_step, replay_id, chance, graded=words.more_is_better,
    )  # fmt: skip


def _card_headline(effects: Sequence[_Effect], differences: Sequence[str], results: Results) -> str:
    """Summarize the baseline's balance, the effects with their certainty and further ``differences``."""
    words, findings = results.words, []
    for verdict, more in (("more", True), ("less", False)):
        if settled := [effect for effect in effects if effect.verdict == verdict]:
            names = _list_effects(settled, with_values=True)
            findings.append(tr("{what}: {names}.", what=words.lead(verdict), names=names))
        if very_likely := [effect for effect in effects if effect.is_likely(more)]:
            names, phrase = _list_effects(very_likely, with_values=True), words.more if more else words.less
            findings.append(tr("Very likely {what}: {names}.", what=phrase, names=names))
    undecided = [effect for effect in effects if not effect.silent and not effect.verdict]
    if undecided and not findings:
        findings.append(_undecided_sentence(undecided, words))
        if any(map(ended_early, results.strongest_rows("primary_comparisons").to_dict("records"))):
            findings.append(tr("The run ended early: further games were unlikely to settle it."))
    if unchanged := [effect for effect in effects if effect.verdict == "same"]:
        names = _list_effects(unchanged, with_values=True)
        findings.append(tr("{what}: {names}.", what=words.lead("same"), names=names))
    if silent := [effect for effect in effects if effect.silent]:
        text = tr("These games say nothing about {names}: the changed rules never applied.")
        findings.append(text.format(names=_list_effects(silent)))
    findings += _contradictions(effects, results)
    if differences:
        findings.append(tr("Besides, {each}.", each=join(SEMICOLON, differences)))
    return sentences([*_balance_sentences(results), *findings])


def _balance_sentences(results: Results) -> list[str]:
    """Return a sentence on the first player's score under the baseline if it could be estimated."""
    baseline, margin = results.plan.baseline, results.plan.margin
    cell = cell_row(results.cells, baseline, results.strongest)
    if (level := results.strong_levels.get(baseline)) is not None:
        ahead = band_verdict(level.low, level.high, (0.5 - margin, 0.5 + margin))
    elif cell and cell["finished"]:
        level, ahead = estimate(cell, "first_score"), cell["balance"]
    else:
        return []
    text = tr("Under {baseline}, between {players}, the first player scores {score}; 50 % is even.")
    if ahead == "undecided":
        text = tr("Under {baseline}, between {players}, the first player scores {score}; it is undecided who is ahead.")
    elif abs(level.value - 0.5) >= FAR_FROM_EVEN and not level.low - margin <= 0.5 <= level.high + margin:
        text = tr("Under {baseline}, between {players}, the first player scores {score}: far from even.")
    value, low, high = format_percent(level.value), format_percent(level.low, 0), format_percent(level.high, 0)
    score = tr("{value} (95 % interval {low} to {high})", value=value, low=low, high=high)
    players = tr("strong players") if results.strong_levels else _players_text(results)
    return [text.format(baseline=results.baseline, players=players, score=score)]


def _players_text(names: Names) -> str:
    """Name the strongest players, with a description if both seats have the same player."""
    first, second = names.strongest
    if first != second:
        return tr("{first} and {second}", first=first, second=second)
    spec = names.plan.agents.get(first)
    if spec is None or not spec.look_ahead:
        return names.level
    return tr("players of {label} (“{told}”)", label=first, told=language.strip_period(spec.look_ahead))


def _contradictions(effects: Sequence[_Effect], results: Results) -> list[str]:
    """Return sentences on weaker players whose games very likely contradict an effect."""
    question, words = results.plan.question_measure, results.words
    texts = []
    rows = results.primary_comparisons.to_dict("records")
    for effect in effects:
        more = effect.verdict == "more" or (effect.verdict != "less" and effect.more_chance >= 0.5)
        if effect.verdict == "same" or not (effect.verdict or effect.chance(more) >= PROMISING):
            continue
        players = []
        for row in rows:
            pair, probability = (row["first"], row["second"]), v.chance_of_more(row, question)
            eligible = row["ruleset"] == effect.key and pair not in (results.strongest, *results.plan.yardsticks)
            if eligible and (1 - probability if more else probability) >= v.VERY_LIKELY:
                players.append(pairing_text(pair))
        if players:
            text = tr("Results for other players point the other way: between {players}, {name} is very likely {what}.")
            if not words.more_is_better:
                text = tr(
                    "Results for other players point the other way: between {players}, {name} very likely has {what}."
                )
            phrase = words.less if more else words.more
            texts.append(text.format(players=join_list(players), name=effect.quoted_name, what=phrase))
    return texts


def _undecided_sentence(effects: Sequence[_Effect], words: v.Words) -> str:
    """Name the most likely effect if no effect is certain or very likely."""

    def rank(effect: _Effect) -> float:
        if math.isnan(effect.more_chance):
            return -1.0
        return effect.more_chance if words.more_is_better else abs(effect.more_chance - 0.5)

    best = max(effects, key=rank)
    # A single proposal is described by its likelier side, several by the desirable one.
    more = (words.more_is_better and len(effects) > 1) or not best.more_chance < 0.5
    text = tr("Not decided yet. {name}: {what} with a probability of {likely}.")
    if len(effects) > 1:
        text = tr("Not decided yet. The most promising is {name}: {what} with a probability of {likely}.")
        if not best.chance(more) >= PROMISING:
            text = tr("Not decided yet, and none stands out: no probability of “{more}” reaches {least}.")
            if not words.more_is_better:
                text = tr(
                    "Not decided yet, and none stands out: no probability of “{more}” or “{less}” reaches {least}."
                )
    return text.format(
        name=best.quoted_name, what=words.more if more else words.less, likely=v.chance_text(best.chance(more)),
        more=words.more, less=words.less, least=v.chance_text(PROMISING),
    )  # fmt: skip


def _list_effects(effects: Sequence[_Effect], with_values: bool = False) -> str:
    """Return the effects' names, with their values if there are only a few effects."""
    if not with_values or len(effects) > MOST_WITH_VALUES:
        return join_list([effect.quoted_name for effect in effects])
    return join_list([tr("{name} ({values})", name=effect.quoted_name, values=effect.values) for effect in effects])
