"""Portraits of each ruleset's games, events, sample games, and divergences: positions where a proposal applies.

Replayed games are followed under both rulesets while these lead to the same positions. If the legal moves or the
effect of a move differ, the same player searches the position under each. Divergences in which a chosen move is
illegal under the other ruleset or has another effect there are preferred to those in which only the chosen moves
differ; the report shows the divergence with the largest difference in value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench import games as families
from workbench.base.errors import InputError
from workbench.base.language import SEMICOLON, join, join_list, sentences, tr, untranslated
from workbench.engine import contract
from workbench.games.results import RESULTS
from workbench.players.agent_kinds import PEOPLE
from workbench.players.agents import AgentSpec
from workbench.players.judgement import Search
from workbench.positions.game_state import GameState, traces
from workbench.records.records import TRACED_GAMES
from workbench.records.trials import Trials
from workbench.report import model as m
from workbench.report.labels import ending_words, format_amount, format_percent, format_ratio, pairing_text, share_text
from workbench.report.names import Names, Pairing, Record, Results, pairing_rows, rows_by_cell
from workbench.report.replaying import ReplayBatch, move_array
from workbench.rules.rulesets import Ruleset
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis_plan import ALPHA
from workbench.statistics.intervals import Z, holm
from workbench.statistics.portrait import CLEAR_LEAD, FEWEST_TRACED, FIRST_VIEW, LEGAL_MOVES_VIEW, WINNER_VIEW, Depth

Depths = Mapping[str, Sequence[Depth]]
"""Ruleset -> the depth of each kind of player on its saved ladder, for rulesets that have a ladder."""

PORTRAITS = tr("How games unfold")
SHOWN = 6
"""The number of cards that are not collapsed."""
LISTED = 3
"""The most lines that are listed as typical of a ruleset."""
OFTEN, LEAST = 0.05, 5
"""A typical line is played in at least this share and this number of games."""
VIEWS = {
    WINNER_VIEW: tr("The winner's evaluation"),
    FIRST_VIEW: tr("The first player's evaluation"),
    LEGAL_MOVES_VIEW: tr("Legal moves, by ply"),
}
CAPTIONS = {
    WINNER_VIEW: tr("Won games as seen by the eventual winner, over the course of the game (0 to 100 % of its plies)."),
    FIRST_VIEW: tr("All games as seen by the first player."),
    LEGAL_MOVES_VIEW: tr("Legal moves before each ply, as long as at least half of the games are still in progress."),
}
PERCENT = m.Scale(0.0, 1.0, tuple((part, f"{100 * part:.0f}") for part in (0.0, 0.5, 1.0)))


def portraits_section(results: Results, depths: Depths) -> m.Section | None:
    """Return a card for each ruleset and a table for all players, or None if there are no games."""
    if results.portraits.empty:
        return None
    # Prefer the strongest players that have courses.
    pairings = [results.strongest, *reversed([pair for pair in results.plan.pairings if pair != results.strongest])]
    pair = next((pair for pair in pairings if len(pairing_rows(results.courses, pair))), results.strongest)
    parts: list[m.Part] = [_cards(results, pair, depths), *_portrait_table(results)]
    if missing := [results.short(ruleset) for ruleset in results.rulesets if not depths.get(ruleset)]:
        label = join_list(missing)
        if 1 < len(missing) == len(results.rulesets):
            label = tr("these rulesets")
        text = tr("No ladder has been saved for {rulesets}, so the depth is unknown.", rulesets=label)
        parts.append(m.Paragraph(text, "note"))
    return m.Section("portraits", PORTRAITS, parts)


def _cards(results: Results, pair: Pairing, depths: Depths) -> m.Cards:
    courses = pairing_rows(results.courses, pair)
    counts = {row["ruleset"]: row for row in pairing_rows(results.cells, pair).to_dict("records")}
    rows = pairing_rows(results.portraits, pair).to_dict("records")
    cells = {row["ruleset"]: {**counts[row["ruleset"]], **row} for row in rows}
    optional_charts = [_course_chart(courses[courses["view"] == view], view, cells, results, pair) for view in VIEWS]
    charts = [chart for chart in optional_charts if chart is not None]
    sheet = m.SmallMultiples(_courses_caption(results, pair, charts), charts, "portraits" if charts else "", PORTRAITS)
    cards = [_card(cells[name], results, pair, depths.get(name, ())) for name in results.rulesets if name in cells]
    visible = len(cards) if len(cards) <= SHOWN + 2 else SHOWN
    return m.Cards(sheet, cards, visible, tr("The other {count} rulesets", count=len(cards) - visible))


def _courses_caption(results: Results, pair: Pairing, charts: Sequence[m.Chart]) -> str:
    rows = pairing_rows(results.portraits, pair)
    if not charts:
        text = tr(
            "The course of games between {pair} cannot be shown: it takes traces of {fewest} games per ruleset. A "
            "run saves traces of the first {most} games per ruleset and pair of players, unless both move at "
            "random."
        )
        return text.format(pair=pairing_text(pair), fewest=FEWEST_TRACED, most=TRACED_GAMES)
    low, high = int(rows["traced"].min()), int(rows["traced"].max())
    text = tr(
        "The course of games between {pair}, from the first {count} games of each ruleset. An evaluation is a "
        "side's expected score, from −1 (lost) to 1 (won), according to these players' own heuristic or "
        "learned weights, without search: an estimate, not the truth. Line: the median of the games; band: "
        "four games in five (10th to 90th percentile)."
    ).format(pair=pairing_text(pair), count=f"{low}" if low == high else f"{low}–{high}")
    if results.plan.baseline and len(results.rulesets) > 1:
        return sentences([text, tr("Grey, dashed: the median of {baseline}.", baseline=results.baseline)])
    return text


def _course_chart(
    courses: pd.DataFrame, view: str, cells: Mapping[str, Record], names: Names, pair: Pairing
) -> m.Chart | None:
    if courses.empty:
        return None
    if view != LEGAL_MOVES_VIEW:
        scale, low, high, ends = PERCENT, -1.0, 1.0, ("−1", "1")
    else:
        scale = m.fit_scale([float(courses["at"].max())], lambda value: f"{value:.0f}", from_zero=True, whole=True)
        low, high = 0.0, max(1.0, float(courses["upper_decile"].max()))
        ends = ("0", format_amount(high))
    level = None if view == LEGAL_MOVES_VIEW else 0.5
    columns = ["lower_decile", "median", "upper_decile"]
    heights = courses.assign(**{name: (courses[name].astype(float) - low) / (high - low) for name in columns})
    by_ruleset = {str(name): rows for name, rows in heights.groupby("ruleset", sort=False)}
    baseline: tuple[tuple[float, float], ...] = ()
    if names.plan.baseline in by_ruleset:
        median_rows = by_ruleset[names.plan.baseline]
        baseline = tuple(zip(median_rows["at"].astype(float), median_rows["median"], strict=True))
    rows = []
    for ruleset in [name for name in names.rulesets if name in by_ruleset]:
        points = tuple(map(tuple, by_ruleset[ruleset][["at", *columns]].astype(float).to_numpy().tolist()))
        mark = m.Course(points, baseline if ruleset != names.plan.baseline else (), level, ends)
        line = names.pairing_line(pair, _course_text(view, cells[ruleset]), mark)
        rows.append(names.ruleset_row(ruleset, [line], titled=True))
    chart_id, panel = f"chart-portraits-{view.replace('_', '-')}", m.Panel(scale, tuple(rows))
    return m.Chart(chart_id, panel, CAPTIONS[view], title=VIEWS[view])


def _course_text(view: str, cell: Record) -> str:
    if view == WINNER_VIEW and not math.isnan(cell["decided_at"]):
        return tr("decided at {at}", at=format_percent(cell["decided_at"], 0))
    if view == LEGAL_MOVES_VIEW:
        return tr("mean {n}", n=format_amount(cell["legal_moves"], 1))
    return ""


def _card(cell: Record, results: Results, pair: Pairing, depths: Sequence[Depth]) -> m.Card:
    ruleset, traced = cell["ruleset"], cell["traced"]
    length = tr("{n} plies (median)", n=format_amount(cell["plies_median"]))
    if math.isinf(cell["plies_median"]):
        length = tr("beyond the cap (median)")
    games = tr("{games}, {traced} of them traced", games=format_amount(cell["games"]), traced=format_amount(traced))
    facts = [
        (tr("games"), games),
        (tr("first player's score"), share_text(cell, "first_score")),
        (tr("length"), length),
        (tr("decided"), _decided_text(cell)),
        (tr("comebacks"), _comebacks_text(cell)),
    ]
    if not math.isnan(cell.get("lead_changes", math.nan)):
        changes, drama = format_amount(cell["lead_changes"], 1), format_percent(cell["drama"])
        facts.append((tr("lead changes"), tr("{n} per game; drama {drama}", n=changes, drama=drama)))
    facts += [(tr("depth: {kind}", kind=_engine_family(depth)), _depth_text(depth)) for depth in depths]
    lines = _typical_lines(results, ruleset, pair)
    if not lines:
        text = tr("none: no first move is played in {often} or more of {games} games")
        if results.plan.experiment.openings is not None:
            text = tr("set by the experiment")
        frequency = format_percent(OFTEN, 0)
        facts.append((tr("typical lines"), text.format(often=frequency, games=format_amount(cell["games"]))))
    note = "" if traced else tr("No game was traced, so no course is shown.")
    if 0 < traced < FEWEST_TRACED:
        template = tr("Only {n} games were traced, too few to show their spread ({fewest} are needed).")
        note = template.format(n=traced, fewest=FEWEST_TRACED)
    name = results.short(ruleset)
    if ruleset == results.plan.baseline:
        name = tr("{name} (baseline)", name=name)
    return m.Card(ruleset, name, "" if results.plan.experiment.factors else results.title(ruleset), facts, lines, note)


def _decided_text(cell: Record) -> str:
    """Return the share of a game after which it is decided, and the number of plies left."""
    if math.isnan(cell["decided_at"]):
        text = tr("unknown: only {n} traced games have a winner ({fewest} are needed)")
        return text.format(n=format_amount(cell["traced_decided"]), fewest=FEWEST_TRACED)
    remaining = format_amount(cell["plies_after_decision"])
    return tr("after {at} of the game; plies left: {left}", at=share_text(cell, "decided_at"), left=remaining)


def _comebacks_text(cell: Record) -> str:
    if not cell["won_games"]:
        return tr("unknown: no won game has recorded leads")
    return tr("{rate} of {n} won games", rate=share_text(cell, "comeback_rate"), n=format_amount(cell["won_games"]))


def _engine_family(depth: Depth) -> str:
    """Return the kind of player that a depth describes."""
    family, _, limit = depth.kind.partition(", ")
    limits = {"nodes": tr("{family}, nodes"), "depth": tr("{family}, depth")}
    return limits[limit].format(family=family) if limit else untranslated(family)


def _depth_text(depth: Depth) -> str:
    """Return the number of 60 % steps between a kind's weakest and strongest players."""
    interval = ""
    if depth.low is not None:
        interval = tr(" (at least {low})", low=format_amount(depth.low, 1))
        if depth.high is not None:
            interval = untranslated(f" ({depth.low:.1f}–{depth.high:.1f})")
    text = tr("{steps}{around} steps of 60 % from {weakest} to {strongest}")
    steps = format_amount(depth.steps, 1)
    return text.format(steps=steps, around=interval, weakest=depth.weakest, strongest=depth.strongest)


def _typical_lines(results: Results, ruleset: str, pair: Pairing) -> list[tuple[str, str]]:
    """Return the most common lines with their games and scores, at the deepest ply with a frequent line."""
    lines = pairing_rows(results.opening_lines, pair)
    if lines.empty:
        return []
    frequent = lines[(lines["ruleset"] == ruleset) & (lines["games"] >= LEAST) & (lines["share"] >= OFTEN)]
    text = tr("{games} games ({share}), first player's score {score}")
    typical = []
    for line in frequent[frequent["ply"] == frequent["ply"].max()].to_dict("records")[:LISTED]:
        games, share = format_amount(line["games"]), format_percent(line["share"])
        typical.append((line["opening"], text.format(games=games, share=share, score=share_text(line, "score"))))
    return typical


def _portrait_table(results: Results) -> list[m.Table]:
    """Return a table of all rulesets and players, the strongest players first, or an empty list if it has no rows."""
    order = {pair: i for i, pair in enumerate(reversed(results.plan.pairings))}
    order[results.strongest] = -1
    cells = rows_by_cell(results.cells)
    portraits = results.portraits[(results.portraits["won_games"] > 0) | (results.portraits["traced"] > 0)]
    records = [
        {"lead_changes": math.nan, "drama": math.nan, **cells[row["ruleset"], row["first"], row["second"]], **row}
        for row in portraits.to_dict("records")
    ]
    records.sort(key=lambda row: (order[row["first"], row["second"]], results.rulesets.index(row["ruleset"])))

    def players(row: Record) -> m.TableCell:
        pair = (row["first"], row["second"])
        return m.TableCell(pairing_text(pair), sort=float(order[pair]))

    columns = (
        results.ruleset_column(), m.Column.plain(tr("players"), players), m.Column.amount(tr("traced games"), "traced"),
        m.Column.percent(tr("decided after"), "decided_at", 0),
        m.Column.amount(tr("plies that follow"), "plies_after_decision"),
        m.Column.share(tr("comebacks"), "comeback_rate"),
        m.Column.amount(tr("lead changes per game"), "lead_changes", 1), m.Column.percent(tr("drama"), "drama"),
    )  # fmt: skip
    caption = tr(
        "The numbers for all players, strongest first. Decided: the point from which the winner's expected score "
        "stays above {clear}. Comebacks: won games in which the loser's expected score was once above {clear}."
    ).format(clear=format_percent((1 + CLEAR_LEAD) / 2, 0))
    return [m.Table.of(caption, columns, records, folded=True)] if records else []


def events_section(results: Results) -> m.Section | None:
    """Return the frequencies of events per game, or per another event, between the strongest players."""
    events = results.strongest_rows("events")
    if events.empty:
        return None
    counts = tr(
        "Events per game, or their ply, between the strongest players ({level}): the mean over games with the "
        "event; below, the share of such games if under 100 %."
    )
    ratios = tr(
        "Events per other event, such as per ply, between the strongest players ({level}): the ratio of their "
        "totals over all games; below, its 95 % interval if enough games differ."
    )
    counted = events["per"] == ""
    tables = [
        _events_table(rows, caption.format(level=results.level), cell, results)
        for rows, caption, cell in ((events[counted], counts, _count_cell), (events[~counted], ratios, _ratio_cell))
        if not rows.empty
    ]
    return m.Section("events", tr("What happened in the games"), tables)


def _events_table(rows: pd.DataFrame, caption: str, cell: Callable[[Record], m.TableCell], names: Names) -> m.Table:
    """Return a table with a row for each event and a column for each ruleset."""
    by_key = {(row["event"], row["per"], row["ruleset"]): row for row in rows.to_dict("records")}

    def event_cell(event: tuple[str, str]) -> m.TableCell:
        name, per = event
        small = tr("relative to: {per}", per=names.event_sentence(per)) if per else untranslated("")
        return m.TableCell(names.event_sentence(name), small)

    def ruleset_column(name: str) -> m.Column:
        heading = untranslated(names.short(name))
        return m.Column.optional(heading, lambda event: by_key.get((*event, name)), cell, kind="number")

    columns = [m.Column.plain(tr("event"), event_cell), *map(ruleset_column, names.rulesets)]
    events = dict.fromkeys(zip(rows["event"], rows["per"], strict=True))
    return m.Table.of(caption, columns, events, folded=True)


def _count_cell(row: Record) -> m.TableCell:
    """Return an event's mean over the games in which it happened, with the share of these games."""
    if math.isnan(row["mean"]):
        return m.TableCell()
    small = format_percent(row["share"], 0) if row["share"] < 0.9995 else ""
    text = format_amount(row["when_fired"], 1) if row["share"] else "–"
    return m.TableCell(untranslated(text), untranslated(small), row["mean"], "number")


def _ratio_cell(row: Record) -> m.TableCell:
    if math.isnan(row["ratio"]):
        return m.TableCell()
    ends = (row["ratio_low"], row["ratio_high"])
    interval = "–".join(map(format_ratio, ends)) if all(map(math.isfinite, ends)) else ""
    return m.TableCell(untranslated(format_ratio(row["ratio"])), untranslated(interval), row["ratio"], "number")


def replay_games(
    chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]
) -> list[m.Replay]:
    """Replay and evaluate the chosen games whose family and players are available.

    Games of external players are skipped because a report starts no programs. ``weights`` are each family's default
    weights at the time of the run.
    """
    replays: dict[Any, m.Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        try:
            batch = ReplayBatch.of(records, plan, weights)
        except InputError:
            continue
        family, codes, games = batch.ruleset.game, batch.ruleset.codes(), batch.moves()
        evaluations = iter(
            traces(family, codes, *batch.players, move_array([moves for moves in games if moves is not None]))
        )
        for row, record, moves in zip(records.index, records.to_dict("records"), games, strict=True):
            course = next(evaluations, None) if moves is not None else None
            replays[row] = m.Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                evaluations=tuple(course.evaluations.tolist()) if course else (),
                **{column: record[column] for column in ("result", "termination", "game", "seed", "plies")},
            )  # fmt: skip
    return [replays[row] for row in chosen.index if row in replays]


MAX_GAMES = 60
"""The most sample games on a page."""
SHORTEST = tr("the shortest")
TYPICAL = tr("a typical length")
LONGEST = tr("the longest finished game")
CHOSEN = tr("chosen by number")
NONE_FINISHED = tr("none finished")
ENDED = tr("ended by {termination}")


def choose_games(
    games: Trials | pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Return the records of at most `MAX_GAMES` sample games with a column ``reasons``.

    Each ruleset contributes the shortest, a typical and the longest finished game (or one that was stopped) from the
    last pairing of an agent with itself, or else from the last pairing. Each ending contributes a game from the last
    pairing in which it occurs. Ties go to the smallest number.
    """
    source = Trials.of(games)
    trials = source.games
    if trials.empty:
        return trials.assign(reasons=None)
    strongest = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    rows: dict[Any, list[str]] = {}
    endings = {
        str(ending): _example(trials[trials["termination"] == ending], rulesets, pairings)
        for ending in trials["termination"].value_counts().index
    }
    strongest_games = pairing_rows(trials, strongest)
    for name in rulesets:
        played = strongest_games[strongest_games["ruleset"] == name].sort_values(["plies", "game"])
        if played.empty or len(rows) + 3 + len(endings) > MAX_GAMES:
            continue
        finished = played[played["result"] != "unfinished"]
        if finished.empty:
            rows.setdefault(played.index[0], []).append(NONE_FINISHED)
            continue
        middle = finished["plies"].sub(finished["plies"].median()).abs().sort_values(kind="stable").index[0]
        longest = finished[finished["plies"] == finished["plies"].max()].index[0]
        for row, reason in ((finished.index[0], SHORTEST), (middle, TYPICAL), (longest, LONGEST)):
            rows.setdefault(row, []).append(reason)
    for ending, row in endings.items():
        rows.setdefault(row, []).append(ENDED.format(termination=ending_words(str(trials.at[row, "ruleset"]), ending)))
    chosen = source.rows(list(rows)).assign(reasons=pd.Series(rows, dtype=object))
    order = {name: i for i, name in enumerate(rulesets)}
    return chosen.sort_values("ruleset", key=lambda names: names.map(order), kind="stable")


def _example(trials: pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> Any:
    """Return the index of the first game under the first ruleset that has one, in the last pairing that has one."""
    games = next(rows for pair in reversed(pairings) if len(rows := pairing_rows(trials, pair)))
    return next(numbers.idxmin() for name in rulesets if len(numbers := games.loc[games["ruleset"] == name, "game"]))


def with_moments(section: m.Section, cards: Sequence[m.Part]) -> m.Section:
    """Return the games section with the replays of the cards' moments appended."""
    findings = [finding for part in cards if isinstance(part, m.Findings) for finding in part.items]
    replays = [replay for finding in findings if finding.moment for replay in finding.moment.replays]
    parts = [
        replace(part, replays=[*part.replays, *replays]) if isinstance(part, m.ReplayList) else part
        for part in section.parts
    ]
    return replace(section, parts=parts)


def games_section(trials: Trials, provenance: Mapping[str, Any], names: Names) -> m.Section:
    """Return the section with the replayed sample games."""
    chosen = choose_games(trials, names.rulesets, names.plan.pairings)
    counts = {cell: len(trials.cell(cell)) for cell in trials.cells}
    text = tr(
        "For each ruleset: the shortest, a typical and the longest game between the strongest players, and one "
        "game per type of ending, replayed from their seeds."
    )
    if all(names.plan.agents[first].kind == PEOPLE for first, _ in names.plan.pairings):
        text = tr(
            "For each ruleset: the shortest, a typical and the longest game of the highest-rated people, and "
            "one game per type of ending."
        )
    replays = replay_games(chosen, names.plan, provenance.get("weights", {}))
    replay_list = m.ReplayList(replays, names.short_names, counts)
    return m.Section("games", tr("Sample games"), [m.Paragraph(text), replay_list])


NODES, DEPTH = 2_000, 2
"""The limits for searching a position."""
MOST_POSITIONS = 64
"""The most positions searched; they are chosen at equal intervals."""
LEAST_SWING = 0.05
"""The smallest difference in value of a divergence whose moves do not show the rule."""
FOLLOWED = 8
"""The number of plies played after a divergence under each ruleset."""


@dataclass(frozen=True)
class Divergence:
    """A position in which the same player's move or its result differs between two rulesets."""

    rulesets: tuple[Ruleset, Ruleset]
    shared: tuple[int, ...]
    """The moves that lead to it under both rulesets."""
    chosen: tuple[int, int]
    """The move under each ruleset."""
    values: tuple[float, float]
    """The first player's expected score under each ruleset, 0 to 1."""

    @property
    def swing(self) -> float:
        """The absolute difference of the values."""
        return abs(self.values[0] - self.values[1])

    @cached_property
    def shows_rule(self) -> bool:
        """True if a chosen move is illegal under the other ruleset or has another effect there."""
        for move in self.chosen:
            states = [_after(ruleset, self.shared) for ruleset in self.rulesets]
            if any(move not in state.legal() for state in states):
                return True
            for state in states:
                state.push(move)
            if not _look_alike(*states):
                return True
        return False

    @cached_property
    def states(self) -> tuple[GameState, GameState]:
        """The games under both rulesets after the chosen moves."""
        before, after = (_after(ruleset, self.shared) for ruleset in self.rulesets)
        before.push(self.chosen[0])
        after.push(self.chosen[1])
        return before, after


def searcher(players: Iterable[AgentSpec]) -> AgentSpec | None:
    """Return the player that searches deepest, limited to `NODES` or `DEPTH`, or None if no player evaluates."""
    judges = [player.judge() for player in players if player.declared.evaluates and not player.outside]
    strongest = max(judges, key=lambda player: (bool(player.nodes), player.nodes, player.depth), default=None)
    if strongest is None:
        return None
    depth = strongest.depth if strongest.nodes else min(strongest.depth, DEPTH)
    return replace(strongest, nodes=min(strongest.nodes, NODES), depth=depth, training=0)


def clearest_divergence(
    baseline: Ruleset, proposal: Ruleset, player: AgentSpec, lines: Iterable[Sequence[int]]
) -> Divergence | None:
    """Return the clearest divergence in ``lines``, games of engine moves played under either ruleset.

    Returns None if the rulesets belong to different games or no difference matters to the player.
    """
    if baseline.game != proposal.game:
        return None
    rulesets = baseline, proposal
    positions = list(dict.fromkeys(shared for line in lines for shared in _diverging_positions(rulesets, line)))
    positions = positions[:: -(-len(positions) // MOST_POSITIONS) or 1]
    searches = [Search(player, ruleset) for ruleset in rulesets] if positions else []
    divergences = []
    for shared in positions:
        states = [_after(ruleset, shared) for ruleset in rulesets]
        (before, value), (after, new_value) = (
            search.analyse(state) for search, state in zip(searches, states, strict=True)
        )
        # A search values sides; a divergence values players.
        values = (1 - value, 1 - new_value) if states[0].swapped else (value, new_value)
        divergence = Divergence(rulesets, shared, (before, after), values)
        if divergence.shows_rule or (before != after and divergence.swing >= LEAST_SWING):
            divergences.append(divergence)
    return max(divergences, key=lambda item: (item.shows_rule, item.swing), default=None)


def continue_games(divergence: Divergence, player: AgentSpec) -> tuple[GameState, GameState]:
    """Continue both games from the divergence for `FOLLOWED` plies or to their end."""
    before, after = (state.copy() for state in divergence.states)
    for game_state, ruleset in zip((before, after), divergence.rulesets, strict=True):
        search = Search(player, ruleset)
        for _ in range(FOLLOWED):
            if game_state.outcome()[0] != contract.ONGOING:
                break
            game_state.push(search.analyse(game_state)[0])
    return before, after


def _diverging_positions(rulesets: tuple[Ruleset, Ruleset], line: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the prefixes of a game after which the legal moves or the next move's effect differ."""
    states = [_after(ruleset, ()) for ruleset in rulesets]
    for ply, move in enumerate(line):
        if not _look_alike(*states):
            if ply:
                yield tuple(line[: ply - 1])
            return
        legal = [set(state.legal()) for state in states]
        if legal[0] != legal[1]:
            yield tuple(line[:ply])
        if any(move not in moves for moves in legal):
            return
        for state in states:
            state.push(move)
    if line and not _look_alike(*states):
        yield tuple(line[:-1])


def _after(ruleset: Ruleset, moves: Sequence[int]) -> GameState:
    game_state = GameState(ruleset.game, ruleset.codes())
    for move in moves:
        game_state.push(move)
    return game_state


def _look_alike(first: GameState, second: GameState) -> bool:
    """Check whether two games look the same on the board."""
    # Games with the same start and the same kernel state look the same.
    boards = [] if first.plies and np.array_equal(first.state, second.state) else [first.board(), second.board()]
    grids = {(board.columns, board.rows, board.outside, board.cells, board.owners) for board in boards}
    return len(grids) < 2 and first.seat == second.seat and first.outcome() == second.outcome()


def find_divergence(names: Names, proposal: str, lines: Iterable[Sequence[int]]) -> Divergence | None:
    """Return the clearest divergence between the baseline and a proposal in games under either, or None."""
    baseline, player = names.plan.baseline, searcher(names.plan.agents.values())
    if player is None or not baseline or proposal not in names.plan.proposals:
        return None
    old, new = names.plan.ruleset(baseline), names.plan.ruleset(proposal)
    return clearest_divergence(old, new, player, lines) if {old.game, new.game} <= set(families.names()) else None


def what_changes(results: Results, proposal: str, replays: Sequence[m.Replay]) -> str:
    """Name the event whose frequency a proposal changes most clearly, and the move from which the rules differ.

    The strongest players' frequencies per hundred plies are averaged. Of the events whose difference is significant
    (5 %, Holm), the one with the largest effect size h is named. Returns "" if there is none.

    Source: h is the difference between arcsines of square roots, J. Cohen, "Statistical Power Analysis for the
    Behavioral Sciences", 1988. Limits: an event that changes need not be the cause of an effect.
    """
    from scipy.special import ndtr

    players, baseline = _strongest_labels(results), results.plan.baseline
    table = results.events[
        results.events["first"].isin(players) & (results.events["first"] == results.events["second"])
    ]
    if table.empty:
        return untranslated("")
    lengths = results.cells.set_index(["ruleset", "first"])
    plies = [lengths.loc[(row["ruleset"], row["first"]), "plies_mean"] for row in table.to_dict("records")]
    # Counts in longer games are larger; events declared per number of plies have their own ratio.
    own = table["per"].fillna("").str.endswith("plies")
    rates = pd.DataFrame({end: np.where(own, table[f"ratio{end}"], table[f"mean{end}"] / plies)
                          for end in ("", "_low", "_high")}, index=table.index)  # fmt: skip
    rates = rates.assign(
        event=table["event"], ruleset=table["ruleset"], error=(rates["_high"] - rates["_low"]) / (2 * Z)
    )
    rates = rates[own | table["per"].fillna("").eq("")]
    rates = rates[rates[""].between(0, 1)]
    pooled = rates.groupby(["event", "ruleset"], sort=False).agg(
        rate=("", "mean"), error=("error", lambda errors: math.sqrt((errors**2).sum()) / len(errors))
    )
    by_event = pooled.unstack("ruleset").dropna()
    if by_event.empty or proposal not in by_event["rate"] or baseline not in by_event["rate"]:
        return untranslated("")
    change = by_event["rate"][proposal] - by_event["rate"][baseline]
    error = np.hypot(by_event["error"][proposal], by_event["error"][baseline])
    z = (change / error.where(error > 0)).abs().fillna(0.0)
    angles = np.arcsin(np.sqrt(by_event["rate"]))
    size = (angles[proposal] - angles[baseline]).abs()[holm(2 * ndtr(-z.to_numpy())) <= ALPHA]
    if size.empty:
        return untranslated("")
    event = str(size.idxmax())
    before, after = (format_amount(100 * float(by_event["rate"][name][event]), 1) for name in (baseline, proposal))
    text = tr("In the games: “{event}” {before} → {after} in 100 plies.")
    if (ply := _first_difference(results, proposal, replays)) is not None:
        text = tr("In the games, from move {n} on: “{event}” {before} → {after} in 100 plies.")
    return text.format(event=results.event_sentence(event), before=before, after=after, n=ply)


def _strongest_labels(results: Results) -> list[str]:
    """Return the labels of the players on which the answer is based."""
    strong = results.strong_players
    if strong.empty:
        return [results.strongest[0]]
    return [str(name) for name in strong.loc[strong["nodes"] == strong["nodes"].max(), "player"].unique()]


def _first_difference(names: Names, proposal: str, replays: Sequence[m.Replay]) -> int | None:
    """Return the median move, from 1, at which the rules first allow different moves in sample games, or None."""
    old, new = names.plan.ruleset(names.plan.baseline), names.plan.ruleset(proposal)
    lines = [replay.moves for replay in replays if replay.ruleset in (old.name, new.name) and replay.moves]
    firsts = [next(_diverging_positions((old, new), line), None) for line in lines] if old.game == new.game else []
    plies = sorted(len(first) + 1 for first in firsts if first is not None)
    return plies[len(plies) // 2] if plies else None


def decisive_moment(names: Names, proposal: str, replays: Iterable[m.Replay]) -> m.Moment | None:
    """Return the position in which a proposal applies most clearly, with both rulesets' moves, or None."""
    ruleset_names = names.plan.baseline, proposal
    lines = [replay.moves for replay in replays if replay.ruleset in ruleset_names and replay.moves is not None]
    divergence = find_divergence(names, proposal, lines)
    if divergence is None:
        return None
    states, ply = divergence.states, len(divergence.shared)
    before, after = (state.touched() for state in states)
    highlights = {"shut": before - after, "open": after - before, "last": before & after}
    was, now = (
        tr("{ruleset}: {move}", ruleset=names.short(ruleset.name), move=state.texts[-1])
        for ruleset, state in zip(divergence.rulesets, states, strict=True)
    )
    return m.Moment(
        f"moment-{names.rulesets.index(proposal)}", states[1].board(ply), highlights, moment_text(names, divergence),
        tr("Move {n}", n=ply + 1), was, now, divergence_replays(names, divergence),
    )  # fmt: skip


def moment_text(names: Names, divergence: Divergence) -> str:
    """Describe the position of a divergence in one line."""
    text = tr("Move {n}: {was} under {baseline}, {now} under {proposal}")
    if divergence.chosen[0] == divergence.chosen[1]:
        text = tr("Move {n}: {was} under both {baseline} and {proposal}, with different consequences")
    was, now = (state.texts[-1] for state in divergence.states)
    baseline, proposal = (names.short(ruleset.name) for ruleset in divergence.rulesets)
    text = text.format(n=len(divergence.shared) + 1, was=was, now=now, baseline=baseline, proposal=proposal)
    before, after = (format_percent(value, 0) for value in divergence.values)
    value = tr("first player's expected score {before} → {after}", before=before, after=after)
    return join(SEMICOLON, (text, value))


def divergence_replays(names: Names, divergence: Divergence) -> tuple[m.Replay, m.Replay]:
    """Return the replays of a divergence under both rulesets, each continued for some plies."""
    player = searcher(names.plan.agents.values())
    assert player is not None
    before, after = continue_games(divergence, player)
    return _replay(names, divergence, before, "was"), _replay(names, divergence, after, "now")


def _replay(names: Names, divergence: Divergence, game_state: GameState, side: str) -> m.Replay:
    ruleset, proposal, ply = divergence.rulesets[side == "now"], divergence.rulesets[1].name, len(divergence.shared)
    text = tr("Where {proposal} makes a difference: the same game up to move {n}, then under {ruleset}")
    if not ply:
        text = tr("Where {proposal} makes a difference: from the first move on, under {ruleset}")
    about = text.format(proposal=names.short(proposal), n=ply, ruleset=names.short(ruleset.name))
    return m.Replay(
        ruleset.name, "", "", 0, 0, RESULTS[game_state.result], game_state.outcome()[1] or "", game_state.plies, (),
        ruleset.game, ruleset.codes(), tuple(game_state.played), link=f"pair/{proposal}/{side}", about=about,
        parting=ply + 1,
    )  # fmt: skip
