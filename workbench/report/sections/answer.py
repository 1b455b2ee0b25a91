"""The answer: a sentence, a card for each proposal or rule change, a chart of all effects, details of the verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from workbench.base import language
from workbench.base.language import capitalized, join, join_list, sentences, tr, trc, trn, untranslated
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
from workbench.report.sections.games import TYPICAL, decisive_moment, what_changes
from workbench.report.sections.scores import line_sentences
from workbench.report.sections.strong import (
    judged_players,
    openings_clause,
    reason_text,
    strong_level_sentences,
    strong_verdict_tables,
)
from workbench.runs.executor import format_duration
from workbench.statistics import stopped_games
from workbench.statistics.intervals import Estimate
from workbench.statistics.overview import silent_proposals
from workbench.statistics.tables import band_verdict

OTHER_MEASURES = ("fairness", "first_score", "draw_rate", "plies_mean", "capped_rate")
"""Measures reported after the question's own; all other measures follow from these."""
FEWEST_CARDS, MOST_CARDS = 4, 6
"""The cards that are not collapsed: those of which something is known, within these numbers."""
SHOWN_CHANGES = 2
"""The number of a proposal's changes whose sentences appear on its card."""
FAR_FROM_EVEN = 0.1
"""A score is far from even if it differs from one half by at least this."""
VERY_LIKELY = 0.95
"""Weaker players contradict an effect if the opposite is at least as probable in their games."""
WORTH_HOURS, WORTH_GAMES = 2.0, 100_000
"""More games are worth playing if they take at most so long, or are at most so many if their time is unknown."""


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
    values: str
    """The question's measure without and with the change."""
    gain: Estimate
    """The change in the question's measure: for fairness, how much closer the first player's score is to one half."""
    level: Estimate | None = None
    """The first player's score with the change."""
    reason: str = ""
    """The code in `verdicts.REASONS` of the reason why it is not certain."""
    why_open: str = ""
    """The reason in words."""
    more_games: float = math.nan
    """The factor by which the number of games must grow for a probable decision; infinite if no number suffices."""
    strong: bool = False
    """True if players of two strengths were asked."""
    silent: bool = False
    """True if the changed rule never applied, so any difference between the games is due to chance."""
    moved: str = ""
    """``more`` or ``less`` if the first player's score certainly rises or falls (known in questions about fairness)."""

    @property
    def more(self) -> bool:
        """True if an increase is certain, or likelier than a decrease."""
        return self.verdict == "more" or (self.verdict != "less" and self.more_chance >= 0.5)

    def certainty(self, words: v.Words) -> m.Certainty:
        """Return how sure the effect is."""
        if self.silent:
            return m.Certainty("", v.SILENT, "open")
        return v.certainty(self.more_chance, self.verdict, words, self.strong, self.moved)

    def rank(self, words: v.Words) -> tuple[int, float]:
        """Return the order of its card: the best first, then the worst, then no difference, what is open last."""
        if self.silent or math.isnan(self.more_chance):
            return 4 if self.silent else 3, 0.0
        if not self.certainty(words).claim and self.verdict != "same":
            return 3, -self.more_chance
        order = 2 if self.verdict == "same" else 0 if self.more else 1
        return order, -self.gain.value if self.more else self.gain.value


def answer_sections(
    results: Results, changes: Sequence[m.RuleChange], replays: m.ReplayList | None, provenance: Mapping[str, Any],
    partial: tuple[int, int] | None,
) -> tuple[m.Section, m.Section | None]:  # fmt: skip
    """Return the first screen and, if it has cards, the details of the verdicts for the appendix.

    ``partial`` is (games played, games planned) if the run is unfinished.
    """
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
    title = tr("The answer")
    effects = [] if partial or not results.plan.finished or len(results.equilibria) else find_effects(results)
    if not effects:
        lead, *more = [*_plain_answer(results), *line_sentences(results)]
        parts += [m.Paragraph(lead, "lead"), *([m.Bullets(more)] if more else []), *_details(results)]
        return m.Section("answer", title, parts), None
    lines = [m.Paragraph(text) for text in line_sentences(results)]
    parts += [m.Paragraph(sentences(answer_sentences(effects, results)), "lead"), *lines]
    chart, gains = _effect_charts(effects, results)
    cost = _GameCost(provenance)
    findings = [_finding(effect, results, changes, replays, cost) for effect in effects]
    for i, effect in enumerate(effects[:MOST_CARDS]):
        # The search for a moment takes seconds.
        moment = decisive_moment(results, effect.key, replays.replays if replays else ())
        findings[i] = replace(findings[i], moment=moment)
    if len(findings) > 1 and len({(each.next_step, each.command) for each in findings}) == 1:
        step, command = findings[0].next_step, findings[0].command
        findings = [replace(each, next_step="", command="") for each in findings]
    else:
        step, command = "", ""
    known = sum(each.certainty.kind != "open" for each in findings)
    shown = min(max(known, FEWEST_CARDS), MOST_CARDS)
    hidden = tr("{n} more: {names}", n=len(findings) - shown, names=join_list([e.name for e in findings[shown:]]))
    parts.append(m.Findings(findings, shown, hidden, gains))
    parts += [m.Paragraph(tr("Next: {step}", step=step), "next")] if step else []
    parts += [m.Paragraph(untranslated(command), "command")] if command else []
    scope = [
        _scope(results, any(finding.certainty.word == v.SETTLED for finding in findings)),
        *([] if results.strong_effects.empty else [MEANS]),
    ]
    parts += [m.Paragraph(sentences(scope), "note"), chart]
    return m.Section("answer", title, parts), m.Section("verdicts", tr("The verdicts"), _details(results))


MEANS = tr("A card for a rule change shows its mean effect over all combinations of the other changes.")


def answer_sentences(effects: Sequence[_Effect], results: Results) -> list[str]:
    """Return the answer in a few sentences: what is settled or likely, and the balance of the baseline."""
    words, texts, moves = results.words, [], _move_sentences(effects, results)
    for more, what in ((True, words.more), (False, words.less)):
        for verdict in (True, False):
            group = [effect for effect in effects if effect.more == more and effect.verdict != "same"]
            group = [e for e in group if e.certainty(words).claim and bool(e.verdict) == verdict]
            if group:
                text = tr("{what} than {baseline}: {names} ({word}).")
                if words.more_is_better:
                    text = tr("{names}: fairer than {baseline} ({word}).")
                    text = text if more else tr("{names}: less fair than {baseline} ({word}).")
                known = group[0].certainty(words)
                word = known.word if verdict or len(group) > 1 else known._replace(claim="").text
                names = join_list([effect.name for effect in group])
                if len(group) > MAX_NAMES:
                    names = tr("{n} of {all} proposals", n=len(group), all=len(effects))
                text = text.format(what=capitalized(what), baseline=results.baseline, names=names, word=word)
                texts.append(text)
    if words.more_is_better and len(effects) > 1 and not any(e.more and e.certainty(words).claim for e in effects):
        text = tr("None of the {n} proposals looks fairer than {baseline}.")
        texts.insert(0, text.format(n=len(effects), baseline=results.baseline))
    if not texts and not moves:
        text = tr("No difference that matters from {baseline}.")
        if any(effect.verdict != "same" for effect in effects):
            text = tr("These games cannot tell yet which of the {n} proposals differ from {baseline}.")
            if len(effects) == 1:
                text = tr("These games cannot tell yet whether {name} differs from {baseline}: play more games.")
        texts.append(text.format(n=len(effects), name=effects[0].name, baseline=results.baseline))
    if moves and len(effects) == 1:
        return [*moves, *texts]
    texts = [*moves, *texts, *_balance_sentences(results)]
    if len(effects) == 1 and effects[0].level is not None and words.more_is_better:
        texts.append(_balance_text(effects[0].level, results, {
            "balanced": tr("With {name}: {score}, even."), "first": tr("With {name}: {score}, ahead."),
            "second": tr("With {name}: {score}, behind."), "undecided": tr("With {name}: {score}."),
        }).format(name=effects[0].name, score=format_percent(effects[0].level.value, 0)))  # fmt: skip
    return texts


MOVES = {
    ("less", True): tr("The advantage moves from the first player to the second ({values})"),
    ("more", True): tr("The advantage moves from the second player to the first ({values})"),
    ("less", False): tr("The first player’s score falls ({values})"),
    ("more", False): tr("The first player’s score rises ({values})"),
}
"""(Direction of the first player's score, True if the other side comes out ahead) -> its words."""


def _move_sentences(effects: Sequence[_Effect], results: Results) -> list[str]:
    """Return what no verdict on fairness says: which effects move the first player's score, and over one half."""
    base, texts = _baseline_level(results), []
    for effect in effects[:MOST_CARDS] if results.words.more_is_better else ():
        if not base or effect.moved not in v.MOVED or effect.level is None or effect.silent:
            continue
        turned, text = _turns(base, effect.level), tr("{move}.")
        if effect.verdict == "same":
            text = tr("{move}; the advantage stays about as large.")
        elif not effect.certainty(results.words).claim:
            text = tr("{move}; whether that is fairer cannot be told yet.")
            text = tr("{move}; whether it is smaller cannot be told yet.") if turned else text
        elif not turned:
            continue
        values = join(" → ", [format_percent(each.value, 0) for each in (base, effect.level)])
        text = text.format(move=MOVES[effect.moved, turned].format(values=values))
        texts.append(text if len(effects) == 1 else tr("{name}: {text}", name=effect.name, text=text))
    return texts


def _turns(before: Estimate, after: Estimate) -> bool:
    """Return whether the other side certainly comes out ahead."""
    return before.low > 0.5 > after.high or before.high < 0.5 < after.low


def interim_sentence(results: Results) -> str:
    """Return what is decided during a run; nothing is before its first planned analysis."""
    decided = [effect for effect in _compared_effects(results) if effect.verdict]
    return sentences(answer_sentences(decided, results)) if decided else NOT_YET


NOT_YET = tr("Playing. No verdict yet.")


def _plain_answer(results: Results) -> list[str]:
    """Return the answer to a question that compares no rulesets, or of which nothing can be said yet."""
    if len(results.equilibria):
        # Players choose styles and armies, and no style is declared to be stronger than another.
        groups = [rows for _, rows in results.equilibria.groupby(rules.CHOICE, sort=False)]
        texts = [rules.game_value_sentence(rows, results) for rows in groups]
        return [sentences(texts), *(rules.ranking_sentence(rows, results) for rows in groups)]
    cells = results.strongest_rows("cells").to_dict("records")
    levels = [sentences(texts)] if (texts := strong_level_sentences(results)) else []
    if not results.primary_comparisons.empty:
        cells, levels = [row for row in cells if row["ruleset"] == results.plan.baseline], [interim_sentence(results)]
    return [*levels, *(_measure_sentence(cell, results) for cell in cells[:3])]


def _details(results: Results) -> list[m.Part]:
    """Return what stands behind the answer: sentences on details, tables of all verdicts, and warnings."""
    texts = [*rules.effect_sentences(results), *rules.other_effect_sentences(results)]
    texts += [*capped_games_sentences(results), *_reversals_by_strength(results)]
    parts: list[m.Part] = [m.Bullets(texts)] if texts else []
    parts += strong_verdict_tables(results)
    if not results.primary_comparisons.empty:
        parts.append(_strength_table(results))
    return [*parts, *_target_parts(results), *warning_parts(results)]


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
        "undecided": tr("{who}: cannot tell yet who is ahead."),
        "": tr("No game under {name} finished."),
    }
    intro = tr("Under {name} the first player scores {score}", name=name, score=score)
    return by_balance[cell["balance"]].format(who=intro, name=name)


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
        *map(pairing_column, reversed(pairings)),
        *([m.Column.plain(tr("between levels"), reversal)] if reversed_names else []),
    ]
    caption = tr(
        "Fairer or less fair than {baseline}, for each pair of players, strong to weak. Below each verdict: "
        "how many points closer to 50 % the first player's score is, with its 95 % interval."
    )
    if measure != FAIRNESS:
        caption = tr(
            "{measure} compared with {baseline}, for each pair of players, strong to weak. Below "
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


# Cards


def _scope(results: Results, settled: bool) -> str:
    """Return the players and starts for which the answer holds; if it is ``settled``, with the meaning of that word."""
    if _lacks_strong_players(results):
        text = tr("Holds for {players}; {begin}. Stronger players were not tested and may see it differently.")
        return text.format(players=_players_text(results), begin=openings_clause(results))
    text = tr("Holds for {players}.")
    if settled:
        text = tr("Holds for {players}. “Settled” should hold up to {nodes} positions a move.")
    nodes = f"{2 * int(results.strong_verdicts['nodes'].max()):,}"
    return text.format(players=judged_players(results), nodes=nodes)


def _lacks_strong_players(results: Results) -> bool:
    """Check whether the players are too weak or too similar for a verdict on strong play."""
    verdicts = results.strong_verdicts
    return verdicts.empty or bool(verdicts["reason"].isin(["one_strength", "one_search"]).all())


class _GameCost:
    """The time that further games take."""

    def __init__(self, provenance: Mapping[str, Any]) -> None:
        timed = provenance.get("timed") or {}
        self.seconds = float(timed.get("seconds", math.nan)) / max(1, int(timed.get("games", 1)))
        self.workers = max(1, int(provenance.get("workers") or 1))

    def is_worth(self, games: float) -> bool:
        """Check whether more games are cheap enough to be advised."""
        seconds = games * self.seconds / self.workers
        return games <= WORTH_GAMES if math.isnan(seconds) else seconds <= 3600 * WORTH_HOURS

    def text(self, games: float) -> str:
        """Return a number of games, rounded, with the time they take."""
        count = labels.round_count(games)
        if math.isnan(self.seconds):
            return tr("{count:,} more games", count=count)
        duration = format_duration(count * self.seconds / self.workers)
        return tr("{count:,} more games ({time})", count=count, time=duration)


def _next_step(effect: _Effect, results: Results, game_cost: _GameCost) -> tuple[str, str]:
    """Return the next step towards a decision with its cost, and its command; "" if there is none."""
    name = results.plan.experiment.name
    command = f"workbench run {name}" if name and not is_derived(name) else ""
    if _lacks_strong_players(results):
        strong = with_strong_players(results.plan.experiment)
        count = len(strong.rulesets) * len(strong.pairings) * strong.games
        return tr("More games with stronger players: {games:,} games.", games=count), command and f"{command} --strong"
    if effect.verdict == "more" and results.words.more_is_better and effect.key and " " not in effect.key:
        return tr("Play it yourself."), f"workbench play {effect.key} --first human --second alphabeta-3"
    if effect.verdict or effect.silent:
        return "", ""
    if effect.reason == "games" and math.isfinite(effect.more_games):
        games = (effect.more_games - 1) * int(results.cells["games"].sum())
        if game_cost.is_worth(games):
            text = tr("Set games to {most} in the experiment and run it again: {games}.")
            most = math.ceil(results.plan.games * effect.more_games)
            return text.format(most=most, games=game_cost.text(games)), command
        return tr("Not worth more games ({games}): try a bolder change.", games=game_cost.text(games)), ""
    if effect.reason in ("games", "games_never"):
        return tr("Not worth more games: try a bolder change, or more and stronger players."), ""
    return "", ""


def find_effects(results: Results) -> list[_Effect]:
    """Return the effects in the order of their cards: under strong play, or else between the strongest players."""
    if not results.plan.proposals:
        return []
    effects = _strong_effects(results) or _compared_effects(results)
    return sorted(
        (replace(e, more_chance=math.nan, verdict="", more_games=math.nan) if e.silent else e for e in effects),
        key=lambda effect: effect.rank(results.words),
    )


def _strong_effects(results: Results) -> list[_Effect]:
    """Return the effects under strong play: of rule changes if rulesets combine them, else of the proposals."""
    question = results.plan.question_measure.name
    measure = {FAIRNESS: "first_score", "draw_rate": "draw_rate"}.get(question)
    levels, silent_names = results.strong_levels, _silent_proposals(results)
    effects = []
    table = results.strong_effects
    for row in table[(table["measure"] == measure) & (table["kind"] == "main")].to_dict("records"):
        alone, level, change = row["alone"], float(row["without"]), estimate(row, "now")
        more_chance = float(row["likely_fairer" if question == FAIRNESS else "likely"])
        unused = sum(each["subject"] == row["factor"] for each in _unused_rules(results).to_dict("records"))
        effects.append(_Effect(
            alone, rules.rule_name(row, results), results.title(alone) if alone else "", more_chance,
            v.direction(row, more_chance), _values_text(question, level, level + change.value),
            v.fairness_gain(level - 0.5, change) if question == FAIRNESS else change, None, row["reason"],
            _reason_words(row), float(row["more_games"]), True, unused >= row["rulesets"],
        ))  # fmt: skip
    if effects:
        return effects
    table = results.strong_verdicts
    for row in table[(table["measure"] == measure) & table["compared"].astype(bool)].to_dict("records"):
        name, base, change = row["ruleset"], levels.get(results.plan.baseline), estimate(row, "now")
        if question == FAIRNESS and (base is None or name not in levels):
            continue
        values, score = untranslated(""), levels.get(name)
        if base is not None and score is not None and question == FAIRNESS:
            # The effect is estimated from all players together, so it differs a little from that of the two levels.
            score = score._replace(value=min(max(base.value + change.value, score.low), score.high))
            values = _values_text(question, base.value, score.value)
            change = v.fairness_gain(base.value - 0.5, change)
        effects.append(_Effect(
            name, untranslated(results.short(name)), results.title(name), *v.strong_certainty(row, question),
            values, change, score, row["reason"], _reason_words(row), float(row["more_games"]), True,
            name in silent_names, v.direction(row, float(row["likely"])),
        ))  # fmt: skip
    return effects


def _reason_words(row: Record) -> str:
    return reason_text(row) if row["verdict"] == "not_settled" else untranslated("")


def _compared_effects(results: Results) -> list[_Effect]:
    """Return the proposals' effects in games between the strongest players."""
    question, baseline = results.plan.question_measure, results.plan.baseline
    base, silent_names = cell_row(results.cells, baseline, results.strongest), _silent_proposals(results)
    effects, moves = [], v.score_moves(results.strongest_rows("comparisons").to_dict("records"), question)
    for row in results.strongest_rows("primary_comparisons").to_dict("records") if base and base["finished"] else ():
        name = row["ruleset"]
        cell = cell_row(results.cells, name, results.strongest)
        if cell is None or not cell["finished"] or math.isnan(row["difference"]):
            continue
        if question.name == FAIRNESS and base:
            values = _values_text(FAIRNESS, float(base["first_score"]), float(cell["first_score"]))
        else:
            values = join(" → ", [results.measure_text(ruleset, results.strongest) for ruleset in (baseline, name)])
        effects.append(_Effect(
            name, untranslated(results.short(name)), results.title(name), v.chance_of_more(row, question),
            v.SIDES.get(row["verdict"], ""), values, Estimate(*(float(row[e]) for e in ("difference", "low", "high"))),
            estimate(cell, "first_score"), str(row["reason"]), v.REASONS.get(str(row["reason"]), ""),
            silent=name in silent_names, moved=moves.get(name, ""),
        ))  # fmt: skip
    return effects


def _values_text(question: str, before: float, after: float) -> str:
    text = tr("First player {values}") if question == FAIRNESS else tr("Draws {values}")
    return text.format(values=join(" → ", (format_percent(before), format_percent(after))))


def _unused_rules(results: Results) -> pd.DataFrame:
    """Return the warnings about rules that never applied."""
    warnings = results.warnings
    return warnings[warnings["code"] == "toggle_never_fired"] if len(warnings) else warnings


def _silent_proposals(results: Results) -> frozenset[str]:
    rows = _unused_rules(results).to_dict("records")
    return silent_proposals([(row["ruleset"], row["subject"]) for row in rows], results.plan)


def _finding(
    effect: _Effect, results: Results, changes: Sequence[m.RuleChange], replays: m.ReplayList | None, cost: _GameCost
) -> m.Finding:
    own_changes = [change for change in changes if effect.key in change.proposals]
    visible, hidden_count = own_changes[:SHOWN_CHANGES], len(own_changes) - SHOWN_CHANGES
    now = [change.now[1] for change in visible]
    if hidden_count > 0:
        now.append(trn("And {n} more change.", "And {n} more changes.", hidden_count))
    with_position = next((change for change in own_changes if change.position), None)
    own_replays = [replay for replay in replays.replays if replay.moves is not None] if replays else []
    game = min(
        (replay for replay in own_replays if replay.ruleset == effect.key),
        key=lambda replay: TYPICAL not in replay.reasons, default=None,
    )  # fmt: skip
    certainty, (step, command) = effect.certainty(results.words), _next_step(effect, results, cost)
    reason = what_changes(results, effect.key, own_replays) if certainty.claim and effect.key else ""
    if not certainty.claim and not effect.silent and not effect.verdict and effect.why_open:
        reason = tr("Why not yet: {reason}.", reason=effect.why_open)
    return m.Finding(
        effect.name, effect.title, certainty, effect.values, _gain_text(effect, results), reason,
        [] if effect.silent else _side_effects(effect, results), step, command,
        sentences(change.was[1] for change in visible), sentences(now),
        with_position.position if with_position else None, with_position.number if with_position else 0,
        f"{game.ruleset}/{game.first}/{game.second}/{game.game + 1}" if game else "",
        row=effect.key or str(effect.name),
    )  # fmt: skip


def _gain_text(effect: _Effect, results: Results) -> str:
    """Return the change in the question's measure with its interval in words."""
    if math.isnan(effect.gain.value):
        return untranslated("")
    if results.plan.question_measure.name == FAIRNESS:
        value, low, high = (labels.format_signed(100 * end) for end in effect.gain)
        return tr("fairness {number} points (between {low} and {high})", number=value, low=low, high=high)
    return results.change_text(results.plan.question_measure.name, *effect.gain)


def _side_effects(effect: _Effect, results: Results) -> list[str]:
    """Return what else a proposal changes for certain, and whether weaker players see the opposite."""
    question, texts = results.plan.question_measure, []
    if effect.certainty(results.words).claim and question.name == FAIRNESS:
        margin = _margin(effect, results)
        if effect.verdict and min(abs(effect.gain.low), abs(effect.gain.high)) >= margin:
            text = tr("Large enough to matter ({margin} points or more): yes.")
            texts.append(text.format(margin=f"{100 * margin:.3g}"))
    table = results.strongest_rows("comparisons")
    table = table[(table["ruleset"] == effect.key) & table["verdict"].isin(["higher", "fairer", "lower", "less_fair"])]
    rows = {row["measure"]: row for row in table.to_dict("records")}
    for measure in (*OTHER_MEASURES, *(added.name for added in measures.added_measures())):
        if measure not in rows or measure in (question.name, *([FIRST_SCORE] if question.name == FAIRNESS else ())):
            continue
        row = rows[measure]
        more = row["verdict"] in ("higher", "fairer")
        if measure == "plies_mean":
            text = tr("Games are longer on average: {values} plies (difference {low} to {high}).")
            if not more:
                text = tr("Games are shorter on average: {values} plies (difference {low} to {high}).")
            ends = sorted(abs(row[end]) for end in ("low", "high"))
            before, after, low, high = map(labels.whole, (row["baseline_value"], row["value"], *ends))
            texts.append(text.format(values=join(" → ", (before, after)), low=low, high=high))
        else:
            change = results.change_text(measure, row["difference"], row["low"], row["high"])
            what = capitalized(results.more_or_less(measure, more))
            texts.append(tr("{what}: {change}.", what=what, change=change))
    texts += [*_draws_unchanged(effect.key, results), *_variety_change(effect.key, results)]
    rows_by_player = results.primary_comparisons[results.primary_comparisons["ruleset"] == effect.key]
    players = []
    for row in rows_by_player.to_dict("records") if effect.certainty(results.words).claim else ():
        pair, chance = (row["first"], row["second"]), v.chance_of_more(row, question)
        if (
            pair not in (results.strongest, *results.plan.yardsticks)
            and (1 - chance if effect.more else chance) >= VERY_LIKELY
        ):
            players.append(pairing_text(pair))
    if players:
        named = join_list(players) if len(players) <= 3 else tr("{n} pairs", n=len(players))
        texts.append(tr("Weaker players see the opposite: {players}.", players=named))
    return [*texts, *_turned_sides(effect.key, results)]


def _turned_sides(name: str, results: Results) -> list[str]:
    """Return a sentence if a proposal certainly puts the other side ahead between some weaker players."""
    cells, turned = rows_by_cell(results.cells), []
    for pair in results.plan.pairings:
        rows = [cells.get((ruleset, *pair)) for ruleset in (results.plan.baseline, name)]
        if pair in (results.strongest, *results.plan.yardsticks) or not all(rows):
            continue
        before, after = (estimate(row, FIRST_SCORE) for row in rows if row)
        if _turns(before, after):
            scores = join(" → ", [format_percent(each.value, 0) for each in (before, after)])
            turned.append(join(" ", (pairing_text(pair), scores)))
    if not turned:
        return []
    told = join_list(turned) if len(turned) <= 3 else tr("{n} pairs", n=len(turned))
    return [tr("Between weaker players, the other side comes out ahead: {players}.", players=told)]


def _margin(effect: _Effect, results: Results) -> float:
    """Return the smallest difference in a share that matters."""
    return results.plan.margin if effect.strong else results.plan.share_margin


def _draws_unchanged(name: str, results: Results) -> list[str]:
    """Return a sentence if it is settled that a proposal makes no difference to draws."""
    table = results.strong_verdicts
    if table.empty or results.plan.question_measure.name == "draw_rate":
        return []
    rows = table[table["compared"].astype(bool) & (table["measure"] == "draw_rate") & (table["ruleset"] == name)]
    is_same = (rows["verdict"] == "settled") & (rows["direction"] == "none")
    return [tr("Draws: no difference that matters.")] if is_same.any() else []


def _variety_change(name: str, results: Results) -> list[str]:
    """Return a sentence if a proposal's number of openings certainly differs from the baseline's."""
    table = results.strongest_rows("openings")
    rows = [cell_row(table, each, results.strongest) for each in (results.plan.baseline, name)] if len(table) else []
    if not rows or not all(row and row["shown"] for row in rows):
        return []
    before, after = (estimate(row, "effective") for row in rows if row)
    if not (before.high < after.low or after.high < before.low):
        return []
    numbers = (labels.format_kinds(each.value) for each in (before, after))
    return [tr("Different openings: {numbers}.", numbers=join(" → ", list(numbers)))]


def _effect_charts(effects: Sequence[_Effect], results: Results) -> tuple[m.SmallMultiples, m.Chart]:
    """Return the chart of all levels and effects, and the chart of effects alone, whose rows stand on the cards."""
    words, question = results.words, results.plan.question_measure
    margin, rows, level_rows = _margin(effects[0], results), [], []
    for effect in effects:
        key, known = effect.key or str(effect.name), effect.certainty(words)
        marks = m.estimate_marks(*effect.gain, hollow=not effect.verdict)
        rows.append(m.Row(key, effect.name, (m.Line(0, marks, known.text),), effect.title))
        if effect.level is not None:
            level_rows.append(_level_row(key, effect.name, effect.level))
    scale = m.fit_scale(
        m.interval_ends(rows), labels.points_label if question.is_share else labels.number_label, 0.0,
        (-margin, margin) if question.is_share else None, words.less, words.more,
    )  # fmt: skip
    caption = tr("Dot and bar: estimate and 95 % interval. Hollow: not sure. Shaded: too small to matter.")
    title = tr("Change in points") if question.is_share else tr("Change")
    gains = m.Chart("chart-effects", m.Panel(scale, tuple(rows)), caption, title=title)
    charts, base = [gains], _baseline_level(results)
    if level_rows and base and question.name == FAIRNESS:
        level_rows.insert(0, _level_row(results.plan.baseline, untranslated(results.baseline), base, True))
        band = (0.5 - margin, 0.5 + margin)
        panel = m.Panel(m.fit_scale(m.interval_ends(level_rows), labels.percent_tick, 0.5, band), tuple(level_rows))
        charts.insert(
            0,
            m.Chart(
                "chart-levels",
                panel,
                tr("A draw counts half. 50 % is even; shaded: close enough to even."),
                title=tr("First player's score"),
            ),
        )
    return m.SmallMultiples("", charts, "answer", tr("All effects at a glance")), gains


def _level_row(key: str, name: str, level: Estimate, baseline: bool = False) -> m.Row:
    line = m.Line(0, m.estimate_marks(*level), untranslated(format_percent(level.value)))
    return m.Row(key, name, (line,), baseline=baseline)


def _baseline_level(results: Results) -> Estimate | None:
    """Return the first player's score under the baseline if it could be estimated."""
    baseline = results.plan.baseline
    cell = cell_row(results.cells, baseline, results.strongest)
    if (level := results.strong_levels.get(baseline)) is not None:
        return level
    return estimate(cell, "first_score") if cell and cell["finished"] else None


def _balance_sentences(results: Results) -> list[str]:
    """Return a sentence on the first player's score under the baseline if it could be estimated."""
    level, margin = _baseline_level(results), results.plan.margin
    if level is None:
        return []
    text = _balance_text(level, results, {
        "balanced": tr("Under {baseline} the first player scores {score}: even."),
        "first": tr("Under {baseline} the first player scores {score}: ahead."),
        "second": tr("Under {baseline} the first player scores {score}: behind."),
        "undecided": tr("Under {baseline} the first player scores {score}: cannot tell yet who is ahead."),
    })  # fmt: skip
    far = abs(level.value - 0.5) >= FAR_FROM_EVEN and not level.low - margin <= 0.5 <= level.high + margin
    if far:
        text = tr("Under {baseline} the first player scores {score}: clearly ahead.")
        if level.value < 0.5:
            text = tr("Under {baseline} the first player scores {score}: clearly behind.")
    return [text.format(baseline=results.baseline, score=format_percent(level.value, 0))]


def _balance_text(level: Estimate, results: Results, texts: Mapping[str, str]) -> str:
    """Return the text for a score's balance: ``balanced``, ``first``, ``second`` or ``undecided``."""
    margin = results.plan.margin
    return texts[band_verdict(level.low, level.high, (0.5 - margin, 0.5 + margin))]


def _players_text(names: Names) -> str:
    """Name the strongest players, with a description if both seats have the same player."""
    first, second = names.strongest
    if first != second:
        return tr("{first} and {second}", first=first, second=second)
    spec = names.plan.agents.get(first)
    if spec is None or not spec.look_ahead:
        return names.level
    return tr("players ({told})", told=language.strip_period(spec.look_ahead))
