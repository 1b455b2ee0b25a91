"""What the games of a folder say so far: summaries of a few kilobytes, whatever the number of games.

Each function runs in a process beside the server's. Texts are in both languages, numbers are plain ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.language import without_stop

if TYPE_CHECKING:
    import pandas as pd

    from workbench.report.model import Replay
    from workbench.statistics import AnalysisPlan

SHOWN_MEASURES = ("draw_rate", "plies_mean", "capped_rate")
"""The measures that stand beside that of the question."""
_scores: dict[tuple[Any, ...], tuple[float, float, float]] = {}
"""Scores at interim analyses that were made: they do not change."""


def load_statistics() -> None:
    """Loads what the functions here need."""
    import workbench.report.names
    import workbench.report.reading
    import workbench.statistics  # noqa: F401


def interim_findings(folder: Path) -> dict[str, Any] | None:
    """What the interim analyses of a run in ``until: decided`` found, pairing by pairing; None before the first one.

    Games after the last interim analysis of a pairing count for nothing: neither value nor interval moves before the
    next one.
    """
    from workbench.errors import InputError
    from workbench.report.reading import read_report_trials, read_run_provenance
    from workbench.statistics import AnalysisPlan, comparison_table

    try:
        provenance = read_run_provenance(folder)
        plan = AnalysisPlan.from_provenance(provenance)
        trials = read_report_trials(folder, provenance, plan.pairings)[0].frame()
    except InputError:
        return None
    sizes = plan.interim_sizes
    taken = set((provenance.get("designs") or [{}])[-1].get("taken") or ())
    looks = _analysis_sizes(trials, plan, [size for size in sizes if size in taken])
    if not any(looks.values()):
        return None
    compared = comparison_table(trials, plan)
    key = (str(folder), *(one.fingerprint for one in plan.rulesets), plan.games, plan.analyses)
    return {
        "baseline": plan.baseline,
        "proposal": plan.proposals[0] if plan.proposals else "",
        "sizes": sizes,
        "margin": plan.margin,
        "games": len(trials),
        "pairings": [
            _pairing_findings(trials, plan, pairing, done, compared, key) for pairing, done in looks.items()
        ],
    }  # fmt: skip


def _analysis_sizes(trials: pd.DataFrame, plan: AnalysisPlan, taken: list[int]) -> dict[tuple[str, str], list[int]]:
    """For each pairing the sizes of the interim analyses that all its cells have reached."""
    counts = trials.groupby(["ruleset", "first", "second"], observed=True).size().to_dict()
    return {
        pairing: [size for size in taken if all(counts.get((name, *pairing), 0) >= size for name in plan.names)]
        for pairing in plan.pairings
    }


def _pairing_findings(
    trials: pd.DataFrame,
    plan: AnalysisPlan,
    pairing: tuple[str, str],
    looks: list[int],
    compared: pd.DataFrame,
    key: tuple[Any, ...],
) -> dict[str, Any]:
    from workbench.questions.measures import MEASURES
    from workbench.report.labels import pairing_text
    from workbench.report.names import REASONS, VERDICTS, measure_unit

    first, second = pairing
    rows: dict[Any, Any] = {
        row["measure"]: row
        for row in compared[(compared["first"] == first) & (compared["second"] == second)].to_dict("records")
    }
    asked = rows[plan.question_measure.name]
    own = trials[(trials["first"] == first) & (trials["second"] == second)]
    history = [
        {name: _score_at_size(own, plan, name, pairing, size, (*key, pairing, name, size)) for name in plan.names}
        for size in looks
    ]
    beside = [(measure, rows[measure]) for measure in SHOWN_MEASURES if measure in rows]
    return {
        "name": pairing_text(pairing),
        "looks": [{"games": size, "scores": scores} for size, scores in zip(looks, history, strict=True)],
        "verdict": str(asked["verdict"]),
        "reason": str(asked["reason"]),
        "why": REASONS[str(asked["reason"])],
        "gain": _estimate(asked, "difference", "low", "high"),
        "needed": float(asked["games_needed"]),
        "measures": [
            {
                "measure": measure,
                "name": MEASURES[measure].title,
                "unit": measure_unit(MEASURES[measure]),
                "base": float(row["baseline_value"]),
                "own": float(row["value"]),
                "difference": _estimate(row, "difference", "low", "high"),
                "verdict": str(row["verdict"]),
                "word": VERDICTS[str(row["verdict"])][0],
            }
            for measure, row in beside
            if looks
        ],
    }


def _score_at_size(
    trials: pd.DataFrame,
    plan: AnalysisPlan,
    ruleset: str,
    pairing: tuple[str, str],
    size: int,
    key: tuple[Any, ...],
) -> tuple[float, float, float]:
    """The first seat's score with its interval at an interim analysis."""
    from workbench.statistics import cell_table

    if key not in _scores:
        seen = trials[(trials["ruleset"] == ruleset) & (trials["game"] < size)]
        row = cell_table(seen, [ruleset], [pairing], plan.baseline, plan.critical, plan.margin)
        _scores[key] = _estimate(
            row.to_dict("records")[0], "first_score", "first_score_surely_low", "first_score_surely_high"
        )
    return _scores[key]


def _estimate(row: Mapping[Any, Any], *names: str) -> tuple[float, float, float]:
    value, low, high = (float(row[name]) for name in names)
    return value, low, high


def chosen_games(folder: Path) -> tuple[list[Replay], dict[tuple[str, str, str], int]]:
    """Three games of the proposal that show what the findings rest on, played again, and the games of each cell.

    For a process with machine code.

    Games of the strongest players in which a rule that was changed had something to say come first: one of a typical
    length that went to the seat which gains. Then one that ended in the way that became more frequent, a typical one of
    all, the shortest and the longest one: no two for the same reason.
    """
    import pandas as pd

    from workbench.report.reading import read_report_trials, read_run_provenance
    from workbench.report.replays import replay_games
    from workbench.statistics import AnalysisPlan

    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    found, _ = read_report_trials(folder, provenance, plan.pairings)
    counts = {cell: len(found.cell(cell)) for cell in found.cells}
    if not plan.proposals:
        return [], counts
    trials = found.frame()
    rows = _illustrative_games(trials, plan)
    reasons = pd.Series({row: [reason] for row, reason in rows.items()}, dtype=object)
    chosen = trials.loc[list(rows)].assign(reasons=reasons)
    return replay_games(chosen, plan, provenance.get("weights", {})), counts


def _illustrative_games(trials: pd.DataFrame, plan: AnalysisPlan) -> dict[Any, str]:
    """The rows of three games, each with the reason why it was chosen."""
    from workbench import games
    from workbench.report.names import Names
    from workbench.report.render.wording import termination_sentence
    from workbench.studio.words import WORDS

    first, second = Names(plan).strongest
    at = (trials["first"] == first) & (trials["second"] == second)
    base, own = (trials[at & (trials["ruleset"] == name)] for name in (plan.baseline, plan.proposals[0]))
    finished = own[own["result"] != "unfinished"]
    pool = finished if len(finished) else own
    declaration = games.declaration(plan.ruleset(plan.proposals[0]).game)
    rows: dict[Any, str] = {}

    def take(some: pd.DataFrame, reason: str) -> None:
        """The one of typical length among some games; among equals the first."""
        some = some.drop(index=[row for row in rows if row in some.index])
        if len(some) and len(rows) < 3:
            apart = some["plies"].sub(some["plies"].median()).abs()
            rows[apart.sort_values(kind="stable").index[0]] = reason

    was, now = (plan.ruleset(name).settings for name in (plan.baseline, plan.proposals[0]))
    changed = {name for name in now if now.get(name) != was.get(name)}
    told = [event for event in declaration.events if changed.intersection(event.toggles)]
    for event in sorted(told, key=lambda one: -len(_games_with_event(pool, one.name)))[:1]:
        fired = _games_with_event(pool, event.name)
        share = f"{100 * len(fired) / len(pool):.0f}" if len(pool) else "0"
        take(fired, WORDS["try_rule_fired"].format(event=without_stop(event.sentence), share=share))
    if len(base) and len(own):
        before, after = (part["termination"].value_counts(normalize=True) for part in (base, own))
        risen = after.sub(before.reindex(after.index).fillna(0)).sort_values(ascending=False, kind="stable")
        if risen.iloc[0] > 0:
            how = str(risen.index[0])
            take(
                own[own["termination"] == how],
                WORDS["try_more_often"].format(
                    how=without_stop(termination_sentence(declaration, how)) if how else how,
                    before=f"{100 * before.get(how, 0):.0f}",
                    after=f"{100 * after[how]:.0f}",
                ),
            )
    for result, key in (("first", "try_first_wins"), ("second", "try_second_wins"), ("draw", "try_draws")):
        shares = [float((part["result"] == result).mean()) if len(part) else 0.0 for part in (base, own)]
        if shares[1] > shares[0] and result not in [own["result"][row] for row in rows]:
            before_text, after_text = (f"{100 * share:.0f}" for share in shares)
            take(own[own["result"] == result], WORDS[key].format(before=before_text, after=after_text))
    take(pool, WORDS["try_typical"])
    take(pool[pool["plies"] == pool["plies"].min()], WORDS["try_shortest"])
    take(pool[pool["plies"] == pool["plies"].max()], WORDS["try_longest"])
    return rows


def _games_with_event(trials: pd.DataFrame, event: str) -> pd.DataFrame:
    column = f"event_{event}"
    return trials[trials[column] > 0] if column in trials else trials.iloc[:0]


def replay_chosen_games(folder: Path) -> dict[str, Any] | None:
    """The chosen games as the board of reports shows them: its markup, by language, and its data; None if none is left.

    Beside them in ``why`` for each game the reason why it was chosen.
    """
    from workbench.language import LANGUAGES, sentences
    from workbench.report.labels import short_names
    from workbench.report.model import ReplayList
    from workbench.report.reading import read_run_provenance
    from workbench.report.render.boards import Pieces
    from workbench.report.render.replay import replay_markup, replay_view

    chosen, counts = chosen_games(folder)
    replays = [replay for replay in chosen if replay.moves is not None]
    if not replays:
        return None
    names = [str(one["name"]) for one in read_run_provenance(folder)["rulesets"]]
    pieces = Pieces("tried")
    shown = replay_view(ReplayList(replays, dict(zip(names, short_names(names), strict=True)), counts), pieces)
    return {
        "markup": {lang: str(replay_markup(shown, pieces, lang)) for lang in LANGUAGES},
        "data": {"games": shown.games, "families": shown.families},
        "why": [sentences(replay.reasons) for replay in replays],
    }
