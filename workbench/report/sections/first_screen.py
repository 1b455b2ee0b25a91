"""The first screen of a report: the answer in a sentence, and a card for each proposal or change of the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.base.language import (
    SEMICOLON,
    bilingual,
    join,
    join_list,
    sentences,
    strip_period,
    tr,
    translated,
    trn,
    untranslated,
)
from workbench.base.project import is_derived
from workbench.experiments.experiment import with_strong_players
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE
from workbench.report import model as m
from workbench.report.labels import format_percent, format_signed, pairing_text, round_count
from workbench.report.names import Names, Record, cell_row, pairing_rows, primary_comparisons, strong_levels
from workbench.report.sections.answer import ended_early, other_differences
from workbench.report.sections.games import TYPICAL, decisive_moment
from workbench.report.sections.rules import rule_name
from workbench.report.sections.strong import asked_players, openings_clause, reason_text
from workbench.report.verdicts import (
    SIDES,
    SILENT,
    VERY_LIKELY,
    Words,
    certainty,
    chance_text,
    direction,
    likely_more,
    strong_certainty,
)
from workbench.runs.progress import format_duration
from workbench.statistics import Analysis
from workbench.statistics.intervals import Estimate
from workbench.statistics.overview import silent_proposals
from workbench.statistics.tables import band_verdict

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 8
"""Cards that the page shows unasked."""
MEANS = tr("A card for a rule change shows its mean effect over all combinations of the other changes.")
WORTH_NAMING = 0.05
"""The probability to be the fairest from which on the second best ruleset is named."""
SHOWN_CHANGES = 2
"""Changes of a proposal whose sentences stand on its card."""
FAR_FROM_EVEN = 0.1
"""A first player's score so far from one half is said in the headline, if its interval leaves even out."""
MOST_WITH_VALUES = 3
"""So many proposals are named in the headline with what they bring; of more the cards tell it."""
PROMISING = 2 / 3
"""The probability from which on the likeliest of several that are undecided is named in the headline."""


@dataclass(frozen=True)
class _Subject:
    """A proposal or a change of the rules, as the analysis sees it."""

    key: str
    """The ruleset that makes the change alone; "" if there is none."""
    name: str
    title: str
    likely: float
    """The probability of more of what was asked: of being fairer, say."""
    verdict: str
    """``more``, ``less`` or ``same``, where that is sure; else nothing."""
    score: str
    """The measure in question, without and with the change."""
    values: str
    """Its numbers alone."""
    next_step: str = ""
    more_games: float = math.nan
    """The factor by which more games of all rulesets would probably decide; infinite if none would."""
    silent: bool = False
    """True if its subject never occurred: any difference in the games is chance."""


def first_screen(
    analysis: Analysis,
    names: Names,
    changes: Sequence[m.RuleChange],
    replays: m.ReplayList | None,
    provenance: Mapping[str, Any],
) -> list[m.Part]:
    """Return the headline and the cards; nothing where no proposals are compared, or the run is not finished."""
    if not names.plan.proposals or len(analysis.equilibria) or not names.plan.finished:
        return []
    cost, words = _Cost(provenance), names.words
    subjects = _strong_subjects(analysis, names, cost) or _compared_subjects(analysis, names)
    if not subjects:
        return []
    subjects = [
        replace(each, likely=math.nan, verdict="", next_step="", more_games=math.nan) if each.silent else each
        for each in subjects
    ]
    subjects = sorted(subjects, key=lambda each: -each.likely if each.likely == each.likely else 2.0)
    findings = [_finding(each, words, changes, replays) for each in subjects]
    for place, each in enumerate(subjects[:SHOWN]):
        moment = decisive_moment(names, each.key, replays.replays if replays else ())
        findings[place] = replace(findings[place], moment=moment)
    others = other_differences(analysis, names, without=[FIRST_SCORE] if words.more_is_better else [])
    parts: list[m.Part] = [
        m.Paragraph(_headline(subjects, others, words, analysis, names), "lead"),
        m.Facts(_facts(subjects, others, words, analysis, names, cost)),
    ]
    name = names.plan.experiment.name
    if _lacks_strong_players(analysis) and name and not is_derived(name):
        command = untranslated(f"workbench run {name} --strong")
        parts.append(m.Paragraph(command, "command"))
    parts.append(m.Findings(findings, SHOWN, tr("{n} more", n=len(findings) - SHOWN)))
    if not analysis.strong_effects.empty:
        parts.append(m.Paragraph(MEANS, "note"))
    return parts


def _facts(
    subjects: Sequence[_Subject], others: Sequence[str], words: Words, analysis: Analysis, names: Names, cost: _Cost
) -> list[tuple[str, str]]:
    """Facts in a line each: changes for the worse, the fairest combination, the next step."""
    facts = []
    if words.more_is_better:
        worse = [each for each in subjects if each.verdict == "less" or _is_likely(each, is_more=False)]
        facts.append((tr("Makes it worse"), _which(worse) if worse else tr("none that is sure")))
    ranks = analysis.strong_ranks.sort_values("loss", kind="stable").to_dict("records")
    if len(ranks) > 2 and words.more_is_better:
        facts.append((tr("Fairest of all"), _fairest(ranks, strong_levels(analysis), names)))
    if not others:
        facts.append((tr("Besides"), tr("no other difference is shown")))
    holds = join(SEMICOLON, [_players_text(names), openings_clause(names)])
    facts.append((tr("Holds for"), asked_players(analysis, names) if strong_levels(analysis) else holds))
    facts.append((tr("Stronger players"), _stronger_players(analysis)))
    facts.append((tr("To know more"), _next_step(subjects, analysis, names, cost)))
    return facts


def _fairest(ranks: Sequence[Record], levels: Mapping[str, Estimate], names: Names) -> str:
    """Return the ruleset that is probably the fairest, what the first player scores, and the next one."""
    best, second = ranks[:2]
    text = tr("{name} with a probability of {chance}, {before} → {after}")
    if float(second["fairest"]) >= WORTH_NAMING:
        text = tr("{name} with a probability of {chance}, {before} → {after}; {second} with {second_chance}")
    return text.format(
        name=names.short(str(best["ruleset"])),
        chance=chance_text(float(best["fairest"])),
        before=format_percent(levels[names.plan.baseline].value),
        after=format_percent(levels[str(best["ruleset"])].value),
        second=names.short(str(second["ruleset"])),
        second_chance=chance_text(float(second["fairest"])),
    )


def _lacks_strong_players(analysis: Analysis) -> bool:
    """True if the players do not allow a verdict about strong play."""
    lacking = ("one_strength", "one_search")
    return not len(analysis.strong_verdicts) or bool(analysis.strong_verdicts["reason"].isin(lacking).all())


def _stronger_players(analysis: Analysis) -> str:
    """Return a clause on whether stronger players would agree."""
    if _lacks_strong_players(analysis):
        return tr("not asked: to stronger players the answer may be another one")
    nodes = int(analysis.strong_verdicts["nodes"].max())
    return tr("what is sure stays so for players of up to {nodes:,} positions a move", nodes=2 * nodes)


def _next_step(subjects: Sequence[_Subject], analysis: Analysis, names: Names, cost: _Cost) -> str:
    """Return the next step to learn more, and its cost."""
    if _lacks_strong_players(analysis):
        asked = with_strong_players(names.plan.experiment)
        games = len(asked.rulesets) * len(asked.pairings) * asked.games
        return tr("ask strong players: {games:,} games", games=games)
    if all(each.verdict for each in subjects):
        return tr("nothing: all of it is settled")
    played = int(analysis.cells["games"].sum())
    times = [each.more_games for each in subjects if math.isfinite(each.more_games)]
    if not times:
        return tr("ask stronger players, or more trainings: more games of these would hardly tell")
    most = math.ceil(names.plan.games * min(times))
    return tr(
        "set games to {most} and run it again: {games} in all",
        most=most,
        games=cost.of_games((min(times) - 1) * played),
    )


class _Cost:
    """The cost of further games."""

    def __init__(self, provenance: Mapping[str, Any]) -> None:
        timed = provenance.get("timed") or {}
        self.seconds = float(timed.get("seconds", math.nan)) / max(1, int(timed.get("games", 1)))
        self.workers = max(1, int(provenance.get("workers") or 1))

    def of_games(self, games: float) -> str:
        """So many games, rounded, and the time that they take."""
        count = round_count(games)
        if math.isnan(self.seconds):
            return tr("{count:,} more games", count=count)
        return tr(
            "{count:,} more games ({time})", count=count, time=format_duration(count * self.seconds / self.workers)
        )


def _strong_subjects(analysis: Analysis, names: Names, cost: _Cost) -> list[_Subject]:
    """Return the changes of the rules where rulesets combine them, or else the proposals, with strong play."""
    asked = names.plan.question_measure.name
    measure = {FAIRNESS: "first_score", "draw_rate": "draw_rate"}.get(asked)
    verdicts, effects = analysis.strong_verdicts, analysis.strong_effects
    levels, idle, silent_ones = strong_levels(analysis), _idle(analysis), _silent(analysis)
    games = int(analysis.cells["games"].sum())
    subjects = []
    for row in effects[(effects["measure"] == measure) & (effects["kind"] == "main")].to_dict("records"):
        alone, before = str(row["alone"]), float(row["without"])
        name = untranslated(names.short(alone)) if alone else rule_name(row, names)
        title = names.title(alone) if alone else ""
        values = _values_text(before, before + float(row["now"]))
        score = _score_text(asked, values)
        step = _strong_step(row, games, cost)
        likely = float(row["likely_fairer" if asked == FAIRNESS else "likely"])
        times = float(row["more_games"])
        silent = (idle["subject"] == row["factor"]).sum() >= row["rulesets"]
        subjects.append(
            _Subject(alone, name, title, likely, direction(row, likely), score, values, step, times, bool(silent))
        )
    if subjects:
        return subjects
    for row in verdicts[(verdicts["measure"] == measure) & verdicts["compared"].astype(bool)].to_dict("records"):
        name, base = str(row["ruleset"]), names.plan.baseline
        likely, verdict = strong_certainty(row, asked)
        values = tr("{difference} points", difference=format_signed(100 * float(row["now"])))
        if asked == FAIRNESS:
            if base not in levels or name not in levels:
                continue
            values = _values_text(levels[base].value, levels[name].value)
        score = _score_text(asked, values)
        step, times = _strong_step(row, games, cost), float(row["more_games"])
        about = (name, untranslated(names.short(name)), names.title(name))
        subjects.append(_Subject(*about, likely, verdict, score, values, step, times, name in silent_ones))
    return subjects


def _values_text(before: float, after: float) -> str:
    return join(" → ", (format_percent(before), format_percent(after)))


def _score_text(asked: str, values: str) -> str:
    """Return the measure in question, before and after."""
    text = tr("First player {values}") if asked == FAIRNESS else tr("Draws {values}")
    return text.format(values=values)


def _strong_step(row: Record, games: int, cost: _Cost) -> str:
    """Return the step that would decide a verdict about strong play."""
    if row["verdict"] != "not_settled" or row["reason"] in ("one_strength", "one_search"):
        return ""
    times = float(row["more_games"])
    if row["reason"] == "games" and math.isfinite(times):
        return tr("To know more: {games} in all.", games=cost.of_games((times - 1) * games))
    return tr("To know more: {reason}.", reason=reason_text(row))


def _compared_subjects(analysis: Analysis, names: Names) -> list[_Subject]:
    asked = names.plan.question_measure
    table = pairing_rows(primary_comparisons(analysis), names.strongest)
    table = table[table["measure"] == asked.name]
    base = cell_row(analysis.cells, names.plan.baseline, names.strongest)
    subjects = []
    for row in table.to_dict("records") if base else ():
        name = str(row["ruleset"])
        cell = cell_row(analysis.cells, name, names.strongest)
        assert base is not None
        if cell is None or not (base["finished"] and cell["finished"]) or math.isnan(row["difference"]):
            continue
        if asked.name == FAIRNESS:
            values = _values_text(float(base["first_score"]), float(cell["first_score"]))
            score = _score_text(FAIRNESS, values)
        else:
            both = (names.measure_text(analysis, each, names.strongest) for each in (names.plan.baseline, name))
            score = values = join(" → ", list(both))
        verdict = SIDES.get(str(row["verdict"]), "")
        likely = likely_more(row, asked)
        about = (name, untranslated(names.short(name)), names.title(name))
        subjects.append(_Subject(*about, likely, verdict, score, values, silent=name in _silent(analysis)))
    return subjects


def _idle(analysis: Analysis) -> pd.DataFrame:
    """Return the rulesets and toggles of which nothing ever happened."""
    return analysis.warnings[analysis.warnings["code"] == "toggle_never_fired"]


def _silent(analysis: Analysis) -> frozenset[str]:
    idle = _idle(analysis)
    return silent_proposals(zip(idle["ruleset"], idle["subject"], strict=True), analysis.plan)


def _finding(
    subject: _Subject, words: Words, changes: Sequence[m.RuleChange], replays: m.ReplayList | None
) -> m.Finding:
    own = [change for change in changes if subject.key in change.proposals]
    text, kind, chance = certainty(subject.likely, subject.verdict, words)
    shares = (1 - subject.likely, subject.likely)
    ends = [join(" ", (end, chance_text(share))) for end, share in zip((words.less, words.more), shares, strict=True)]
    shown, more = own[:SHOWN_CHANGES], len(own) - SHOWN_CHANGES
    now = [change.now[1] for change in shown]
    if more > 0:
        now.append(trn("And {n} more change.", "And {n} more changes.", more))
    with_position = next((change for change in own if change.position), None)
    game = ""
    for replay in replays.replays if replays else ():
        if replay.ruleset == subject.key and replay.moves is not None and (not game or TYPICAL in replay.reasons):
            game = f"{replay.ruleset}/{replay.first}/{replay.second}/{replay.game + 1}"
    return m.Finding(
        subject.name, subject.title, subject.score, SILENT if subject.silent else text, subject.likely, kind,
        (ends[0], ends[1]),
        sentences(change.was[1] for change in shown), sentences(now),
        with_position.position if with_position else None, with_position.number if with_position else 0,
        subject.next_step, game, chance, graded=words.more_is_better,
    )  # fmt: skip


def _headline(
    subjects: Sequence[_Subject], others: Sequence[str], words: Words, analysis: Analysis, names: Names
) -> str:
    """Return the recommendation, its certainty, the balance of the baseline, and ``others``: further differences."""
    texts = []
    level, ahead = _baseline_level(analysis, names)
    if level is not None:
        margin = names.plan.margin
        text = tr("Under {baseline}, between {players}, the first player scores {score}; 50 % is even.")
        if ahead == "undecided":
            text = tr(
                "Under {baseline}, between {players}, the first player scores {score}: who is ahead is undecided."
            )
        elif abs(level.value - 0.5) >= FAR_FROM_EVEN and not level.low - margin <= 0.5 <= level.high + margin:
            text = tr("Under {baseline}, between {players}, the first player scores {score}, far from even.")
        score = tr(
            "{value} (95 % interval {low} to {high})",
            value=format_percent(level.value),
            low=format_percent(level.low, 0),
            high=format_percent(level.high, 0),
        )
        players = tr("strong players") if strong_levels(analysis) else _players_text(names)
        texts.append(text.format(baseline=names.baseline, players=players, score=score))
    findings = []
    for verdict, is_more in (("more", True), ("less", False)):
        settled = [each for each in subjects if each.verdict == verdict]
        likely = [each for each in subjects if _is_likely(each, is_more)]
        if settled:
            findings.append(tr("{what}: {names}.", what=words.lead(verdict), names=_which(settled, with_values=True)))
        if likely:
            findings.append(
                tr("Very likely {what}: {names}.", what=words.more if is_more else words.less,
                   names=_which(likely, with_values=True))
            )  # fmt: skip
    undecided = [each for each in subjects if not each.silent and not each.verdict]
    if undecided and not findings:
        findings.append(_nothing_shown(undecided, words))
        compared = pairing_rows(primary_comparisons(analysis), names.strongest).to_dict("records")
        if any(ended_early(row) for row in compared):
            findings.append(tr("The run ended early: further games would hardly have decided."))
    if same := [each for each in subjects if each.verdict == "same"]:
        findings.append(tr("{what}: {names}.", what=words.lead("same"), names=_which(same, with_values=True)))
    if silent := [each for each in subjects if each.silent]:
        text = tr("Of {names} these games say nothing: what changes there never happened.")
        findings.append(text.format(names=_which(silent)))
    findings += _opposed(subjects, words, analysis, names)
    if others:
        findings.append(tr("Besides, {each}.", each=join(SEMICOLON, others)))
    return sentences([*texts, *findings])


def _players_text(names: Names) -> str:
    """Return the strongest players: who they are, and what they read where both seats are played by the same."""
    first, second = names.strongest
    if first != second:
        return tr("{first} and {second}", first=first, second=second)
    spec = names.plan.agents.get(first)
    if spec is None or not spec.reading:
        return names.level
    return tr("players of {label} (“{told}”)", label=first, told=strip_period(spec.reading))


def _opposed(subjects: Sequence[_Subject], words: Words, analysis: Analysis, names: Names) -> list[str]:
    """Sentences on other players who very likely contradict the strongest ones."""
    asked, texts = names.plan.question_measure, []
    rows = primary_comparisons(analysis).to_dict("records")
    for each in subjects:
        is_more = each.verdict == "more" or (each.verdict != "less" and each.likely >= 0.5)
        if each.verdict == "same" or not (each.verdict or _chance(each, is_more) >= PROMISING):
            continue
        players = []
        for row in rows:
            pair, likely = (str(row["first"]), str(row["second"])), likely_more(row, asked)
            other = row["ruleset"] == each.key and pair not in (names.strongest, *names.plan.yardsticks)
            if other and (1 - likely if is_more else likely) >= VERY_LIKELY:
                players.append(pairing_text(pair))
        if players:
            text = tr("Other players point the other way: between {players} {name} is very likely {what}.")
            what = words.less if is_more else words.more
            if not words.more_is_better:
                text = tr("Other players point the other way: between {players} {name} very likely has {what}.")
            texts.append(text.format(players=join_list(players), name=_quoted(each), what=what))
    return texts


def _nothing_shown(subjects: Sequence[_Subject], words: Words) -> str:
    """Return the most likely effect, where nothing is sure or very likely."""

    def promise(each: _Subject) -> float:
        if math.isnan(each.likely):
            return -1.0
        return each.likely if words.more_is_better else abs(each.likely - 0.5)

    best = max(subjects, key=promise)
    # Of one alone the likelier side, as its card says; of several that which is hoped for.
    is_more = (words.more_is_better and len(subjects) > 1) or not best.likely < 0.5
    text = tr("Not decided yet. {name}: {what} with a probability of {likely}.")
    if len(subjects) > 1:
        text = tr("Not decided yet. The most promising is {name}: {what} with a probability of {likely}.")
        if not _chance(best, is_more) >= PROMISING:
            text = tr("Not decided yet, and none stands out: of none the probability of “{more}” reaches {least}.")
            if not words.more_is_better:
                text = tr(
                    "Not decided yet, and none stands out: of none the probability of “{more}” or of “{less}” "
                    "reaches {least}."
                )
    what, likely = words.more if is_more else words.less, chance_text(_chance(best, is_more))
    return text.format(
        name=_quoted(best), what=what, likely=likely, more=words.more, less=words.less, least=chance_text(PROMISING)
    )


def _chance(subject: _Subject, is_more: bool) -> float:
    return subject.likely if is_more else 1 - subject.likely


def _is_likely(subject: _Subject, is_more: bool) -> bool:
    return not subject.verdict and _chance(subject, is_more) >= VERY_LIKELY


def _which(subjects: Sequence[_Subject], with_values: bool = False) -> str:
    """Their names; a few with what was asked, before and after."""
    if not with_values or len(subjects) > MOST_WITH_VALUES:
        return join_list([_quoted(each) for each in subjects])
    return join_list([tr("{name} ({values})", name=_quoted(each), values=each.values) for each in subjects])


def _quoted(subject: _Subject) -> str:
    """Its name within a sentence; in Japanese it may be a sentence itself."""
    name = translated(subject.name, "ja")
    is_quoted = (name == subject.name and name.isascii()) or name.startswith("「")
    return subject.name if is_quoted else bilingual(en=str(subject.name), ja=f"「{name}」")


def _baseline_level(analysis: Analysis, names: Names) -> tuple[Estimate | None, str]:
    """Return the first player's score under the baseline, of strong play where it was asked, and who is ahead."""
    base, margin = names.plan.baseline, names.plan.margin
    if (level := strong_levels(analysis).get(base)) is not None:
        return level, band_verdict(level.low, level.high, (0.5 - margin, 0.5 + margin))
    cell = cell_row(analysis.cells, base, names.strongest)
    if not cell or not cell["finished"]:
        return None, ""
    return Estimate(*(float(cell[f"first_score{end}"]) for end in ("", "_low", "_high"))), str(cell["balance"])
