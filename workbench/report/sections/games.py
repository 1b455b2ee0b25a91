"""Portraits of the games of each ruleset, what happened in them, games to look at, and where a proposal acts in them.

A proposal acts in a position of two rulesets in which the same player moves otherwise under each. Games of a report
that were played again are followed under both rulesets, as long as they are the same game. Wherever the legal moves
differ, or what a move leads to, one search looks at the position under each. Of the positions in which a choice is not
allowed under the other ruleset, or leads elsewhere there, the pair is the one in which the two values lie farthest
apart; failing these, of those in which the choices differ.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
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
from workbench.report.replaying import ReplayBatch
from workbench.rules.rulesets import Ruleset
from workbench.statistics import AnalysisPlan
from workbench.statistics.portrait import CLEAR_LEAD, FEWEST_TRACED, FIRST_VIEW, LEGAL_MOVES_VIEW, WINNER_VIEW, Depth

Depths = Mapping[str, Sequence[Depth]]
"""Ruleset -> how deep kinds of players are on its kept ladder; rulesets without a ladder are missing."""

PORTRAITS = tr("Portraits of the games")
SHOWN = 6
"""Cards that the page shows unasked."""
LISTED = 3
"""Typical lines of a ruleset."""
OFTEN, LEAST = 0.05, 5
"""Share of the games, and games, that a line has at least to be typical."""
VIEWS = {
    WINNER_VIEW: tr("The winner's evaluation"),
    FIRST_VIEW: tr("The first player's evaluation"),
    LEGAL_MOVES_VIEW: tr("Legal moves, by ply"),
}
CAPTIONS = {
    WINNER_VIEW: tr(
        "The winner's evaluation: won games as the side saw them that won later, over the course "
        "of the game (0 to 100 % of its plies)."
    ),
    FIRST_VIEW: tr("The first player's evaluation: all games as the first player saw them."),
    LEGAL_MOVES_VIEW: tr("Legal moves before each ply, as long as half of the games go on."),
}
PERCENT = m.Scale(0.0, 1.0, tuple((part, f"{100 * part:.0f}") for part in (0.0, 0.5, 1.0)))


def portraits_section(results: Results, depths: Depths) -> m.Section | None:
    """Return a card for each ruleset, and the numbers of all players; nothing where no game was played."""
    if results.portraits.empty:
        return None
    pair = _portrayed_pairing(results)
    parts: list[m.Part] = [_cards(results, pair, depths)]
    if table := _table(results):
        parts.append(table)
    without = [ruleset for ruleset in results.rulesets if not depths.get(ruleset)]
    if without:
        which = join_list([results.short(ruleset) for ruleset in without])
        if 1 < len(without) == len(results.rulesets):
            which = tr("these rulesets")
        text = tr("No ladder is kept of {rulesets}, so the depth is not known.", rulesets=which)
        parts.append(m.Paragraph(text, "note"))
    return m.Section("portraits", PORTRAITS, parts)


def _portrayed_pairing(results: Results) -> Pairing:
    """Return the strongest players of whom any ruleset has courses; the strongest of all where there are none."""
    ordered = [results.strongest, *reversed([pair for pair in results.plan.pairings if pair != results.strongest])]
    return next((pair for pair in ordered if len(pairing_rows(results.courses, pair))), results.strongest)


# Charts


def _cards(results: Results, pair: Pairing, depths: Depths) -> m.Cards:
    courses = pairing_rows(results.courses, pair)
    cells = _portraits_by_ruleset(results, pair)
    charts = [_chart(courses[courses["view"] == view], view, cells, results, pair) for view in VIEWS]
    drawn = [chart for chart in charts if chart is not None]
    sheet = m.SmallMultiples(_caption(results, pair, drawn), drawn, "portraits" if drawn else "", PORTRAITS)
    cards = [
        _card(ruleset, cells[ruleset], results, pair, depths.get(ruleset, ()))
        for ruleset in results.rulesets
        if ruleset in cells
    ]
    shown = len(cards) if len(cards) <= SHOWN + 2 else SHOWN
    more = tr("The other {count} rulesets", count=len(cards) - shown)
    return m.Cards(sheet, cards, shown, more)


def _portraits_by_ruleset(results: Results, pair: Pairing) -> dict[str, Record]:
    """Return the row of each ruleset between two players: its portrait and its cell."""
    counted = {str(row["ruleset"]): row for row in pairing_rows(results.cells, pair).to_dict("records")}
    rows = pairing_rows(results.portraits, pair).to_dict("records")
    return {str(row["ruleset"]): {**counted[str(row["ruleset"])], **row} for row in rows}


def _caption(results: Results, pair: Pairing, drawn: Sequence[m.Chart]) -> str:
    rows = pairing_rows(results.portraits, pair)
    if not drawn:
        reason = tr(
            "Between {pair}, no course of the games is shown. Courses need the traces of {fewest} games of a ruleset; "
            "a run keeps those of the first {most} games of each ruleset and players, unless both move at random."
        )
        return reason.format(pair=pairing_text(pair), fewest=FEWEST_TRACED, most=TRACED_GAMES)
    low, high = int(rows["traced"].min()), int(rows["traced"].max())
    texts = [
        tr(
            "How games go between {pair}, from the first {count} games of each ruleset. An evaluation is the expected "
            "score of a side, from −1 (lost) to 1 (won), as these players' own heuristic or learned weights see a "
            "position without search: what they believe, not what is true. Line: the median of the games; band: four "
            "games in five (10th to 90th percentile)."
        ).format(pair=pairing_text(pair), count=f"{low}" if low == high else f"{low}–{high}")
    ]
    if results.plan.baseline and len(results.rulesets) > 1:
        texts.append(tr("Grey, dashed: the median of {baseline}.", baseline=results.baseline))
    return sentences(texts)


def _chart(
    courses: pd.DataFrame, view: str, cells: Mapping[str, Record], names: Names, pair: Pairing
) -> m.Chart | None:
    if courses.empty:
        return None
    if view == LEGAL_MOVES_VIEW:
        scale = m.fit_scale([float(courses["at"].max())], lambda value: f"{value:.0f}", from_zero=True, whole=True)
        low, high = 0.0, max(1.0, float(courses["upper_decile"].max()))
        level, ends = None, ("0", format_amount(high))
    else:
        scale, low, high, level, ends = PERCENT, -1.0, 1.0, 0.5, ("−1", "1")

    def height(value: float) -> float:
        return (value - low) / (high - low)

    by_ruleset = {str(name): rows for name, rows in courses.groupby("ruleset", sort=False)}
    base = by_ruleset.get(names.plan.baseline or "")
    rows: list[m.Row] = []
    for ruleset in names.rulesets:
        if ruleset not in by_ruleset:
            continue
        own = by_ruleset[ruleset]
        columns = own[["at", "lower_decile", "median", "upper_decile"]].astype(float)
        points = tuple(
            (at, height(lower), height(middle), height(upper)) for at, lower, middle, upper in columns.values
        )
        behind: tuple[tuple[float, float], ...] = ()
        if base is not None and ruleset != names.plan.baseline:
            behind = tuple((float(at), height(float(y))) for at, y in base[["at", "median"]].itertuples(index=False))
        mark = m.Course(points, behind, level, ends)
        rows.append(
            names.ruleset_row(ruleset, [names.pairing_line(pair, _course_text(view, cells[ruleset]), mark)], True)
        )
    return m.Chart(f"chart-portraits-{view.replace('_', '-')}", m.Panel(scale, tuple(rows)), CAPTIONS[view],
                 title=VIEWS[view])  # fmt: skip


def _course_text(view: str, cell: Record) -> str:
    if view == WINNER_VIEW and not math.isnan(cell["decided_at"]):
        return tr("decided at {at}", at=format_percent(cell["decided_at"], 0))
    if view == LEGAL_MOVES_VIEW:
        return tr("mean {n}", n=format_amount(cell["legal_moves"], 1))
    return ""


# Facts


def _card(ruleset: str, cell: Record, results: Results, pair: Pairing, depths: Sequence[Depth]) -> m.Card:
    games, traced = format_amount(cell["games"]), format_amount(cell["traced"])
    length = tr("{n} plies (median)", n=format_amount(cell["plies_median"]))
    if math.isinf(cell["plies_median"]):
        length = tr("beyond the cap (median)")
    facts = [
        (tr("games"), tr("{games}, of which {traced} traced", games=games, traced=traced)),
        (tr("first player's score"),
         share_text(cell, "first_score")),
        (tr("length"), length),
        (tr("decided"), _decided_text(cell)),
        (tr("comebacks"), _comebacks_text(cell)),
    ]  # fmt: skip
    if not math.isnan(cell.get("lead_changes", math.nan)):
        changes, drama = format_amount(cell["lead_changes"], 1), format_percent(cell["drama"])
        facts.append((tr("lead changes"), tr("{n} a game; drama {drama}", n=changes, drama=drama)))
    facts += [(tr("depth: {kind}", kind=_engine_family(depth)), _depth_text(depth)) for depth in depths]
    lines = _typical_lines(results, ruleset, pair)
    if not lines:
        facts.append((tr("typical lines"), _no_lines_sentence(results, cell)))
    note = ""
    if 0 < cell["traced"] < FEWEST_TRACED:
        few = tr("Only {n} games are traced: too few to show their spread ({fewest} are needed).")
        note = few.format(n=cell["traced"], fewest=FEWEST_TRACED)
    elif not cell["traced"]:
        note = tr("No game is traced, so no course is shown.")
    name = results.short(ruleset)
    if ruleset == results.plan.baseline:
        name = tr("{name} (baseline)", name=name)
    return m.Card(ruleset, name, "" if results.plan.experiment.factors else results.title(ruleset), facts, lines, note)


def _decided_text(cell: Record) -> str:
    """After which share of a game it is decided, and how many plies follow."""
    if math.isnan(cell["decided_at"]):
        few = tr("not known: {n} traced games with a winner ({fewest} are needed)")
        return few.format(n=format_amount(cell["traced_decided"]), fewest=FEWEST_TRACED)
    at = share_text(cell, "decided_at")
    return tr("after {at} of the game; plies left: {left}", at=at, left=format_amount(cell["plies_after_decision"]))


def _comebacks_text(cell: Record) -> str:
    if not cell["won_games"]:
        return tr("not known: no won game has leads on record")
    rate = share_text(cell, "comeback_rate")
    return tr("{rate} of {n} won games", rate=rate, n=format_amount(cell["won_games"]))


def _engine_family(depth: Depth) -> str:
    """Return the family of engines that a depth is of."""
    family, _, limit = depth.kind.partition(", ")
    limits = {"nodes": tr("{family}, nodes"), "depth": tr("{family}, depth")}
    return limits[limit].format(family=family) if limit else untranslated(family)


def _depth_text(depth: Depth) -> str:
    """Return the steps of 60 % from the weakest player to the strongest one of a kind."""
    steps = format_amount(depth.steps, 1)
    if depth.low is not None and depth.high is not None:
        around = untranslated(f" ({depth.low:.1f}–{depth.high:.1f})")
    elif depth.low is not None:
        around = tr(" (at least {low})", low=format_amount(depth.low, 1))
    else:
        around = ""
    text = tr("{steps}{around} steps of 60 % from {weakest} to {strongest}")
    return text.format(steps=steps, around=around, weakest=depth.weakest, strongest=depth.strongest)


def _typical_lines(results: Results, ruleset: str, pair: Pairing) -> list[tuple[str, str]]:
    """Return the commonest lines, as deep as one of them is still frequent, with their games and scores."""
    if results.opening_lines.empty:
        return []
    lines = pairing_rows(results.opening_lines[results.opening_lines["ruleset"] == ruleset], pair)
    frequent = lines[(lines["games"] >= LEAST) & (lines["share"] >= OFTEN)]
    if frequent.empty:
        return []
    deepest = frequent[frequent["ply"] == frequent["ply"].max()]
    text = tr("{games} games ({share}), first player's score {score}")
    return [
        (
            str(line["opening"]),
            text.format(
                games=format_amount(line["games"]), share=format_percent(line["share"]), score=share_text(line, "score")
            ),
        )
        for line in deepest.to_dict("records")[:LISTED]
    ]


def _no_lines_sentence(names: Names, cell: Record) -> str:
    if names.plan.experiment.openings is not None:
        return tr("the experiment chose how games begin")
    text = tr("none: not even a first ply is played in {often} of the {games} games")
    return text.format(often=format_percent(OFTEN, 0), games=format_amount(cell["games"]))


def _table(results: Results) -> m.Table | None:
    """Return the numbers of all rulesets and players, the strongest players first."""
    order = {pair: i for i, pair in enumerate(reversed(results.plan.pairings))}
    order[results.strongest] = -1
    cells = rows_by_cell(results.cells)
    known = results.portraits[(results.portraits["won_games"] > 0) | (results.portraits["traced"] > 0)]
    records = [
        {"lead_changes": math.nan, "drama": math.nan, **cells[row["ruleset"], row["first"], row["second"]], **row}
        for row in known.to_dict("records")
    ]
    records.sort(key=lambda row: (order[row["first"], row["second"]], results.rulesets.index(row["ruleset"])))
    if not records:
        return None

    def players(row: Record) -> m.TableCell:
        pair = (row["first"], row["second"])
        return m.TableCell(pairing_text(pair), sort=float(order[pair]))

    columns = (
        results.ruleset_column(),
        m.Column.plain(tr("players"), players),
        m.Column.amount(tr("traced games"), "traced"),
        m.Column.percent(tr("decided after"), "decided_at", 0),
        m.Column.amount(tr("plies that follow"), "plies_after_decision"),
        m.Column.share(tr("comebacks"), "comeback_rate"),
        m.Column.amount(tr("lead changes a game"), "lead_changes", 1),
        m.Column.percent(tr("drama"), "drama"),
    )
    caption = tr(
        "The same in numbers, for all players, the strongest first. Decided: the winner's "
        "expected score is above {clear} from there to the end. Comebacks: won games whose "
        "winner once faced an expected score of the other side above {clear}."
    )
    return m.Table.of(caption.format(clear=format_percent((1 + CLEAR_LEAD) / 2, 0)), columns, records, folded=True)


def events_section(results: Results) -> m.Section | None:
    """Return the frequencies of events between the strongest players: per game, or per another event."""
    chosen = results.strongest_rows("events")
    if chosen.empty:
        return None
    counted = chosen["per"] == ""
    counts = tr(
        "How often things happened in a game, or at which ply, between the strongest players ({level}): the mean over "
        "the games in which it happened, and below it the share of these games where it is not all."
    )
    ratios = tr(
        "What happened for each of something else, such as for each ply, between the strongest players ({level}): the "
        "ratio of both sums over all games, and below it its 95 % interval, if there are enough games that differ."
    )
    tables = [
        _events_table(part, caption.format(level=results.level), cell, results)
        for part, caption, cell in ((chosen[counted], counts, _count_cell), (chosen[~counted], ratios, _ratio_cell))
        if not part.empty
    ]
    return m.Section("events", tr("What happened in the games"), tables)


def _events_table(chosen: pd.DataFrame, caption: str, cell: Callable[[Record], m.TableCell], names: Names) -> m.Table:
    """Return a row for each event, a column for each ruleset."""
    of = {(row["event"], row["per"], row["ruleset"]): row for row in chosen.to_dict("records")}

    def event_cell(event: tuple[str, str]) -> m.TableCell:
        name, per = event
        each = tr("for each of: {per}", per=names.event_sentence(per)) if per else untranslated("")
        return m.TableCell(names.event_sentence(name), each)

    def of_ruleset(name: str) -> m.Column:
        head = untranslated(names.short(name))
        return m.Column.of_found(head, lambda event: of.get((*event, name)), cell, kind="number")

    events = dict.fromkeys(zip(chosen["event"].astype(str), chosen["per"].astype(str), strict=True))
    columns = [m.Column.plain(tr("event"), event_cell), *map(of_ruleset, names.rulesets)]
    return m.Table.of(caption, columns, events, folded=True)


def _count_cell(row: Record) -> m.TableCell:
    """Return the mean of an event over the games in which it happened, and the share of these games."""
    if math.isnan(row["mean"]):
        return m.TableCell()
    below = untranslated(format_percent(row["share"], 0)) if row["share"] < 0.9995 else untranslated("")
    return m.TableCell(
        untranslated(format_amount(row["when_fired"], 1) if row["share"] else "–"), below, row["mean"], "number"
    )


def _ratio_cell(row: Record) -> m.TableCell:
    """Return the ratio of an event to another."""
    if math.isnan(row["ratio"]):
        return m.TableCell()
    ends = (row["ratio_low"], row["ratio_high"])
    around = "–".join(map(format_ratio, ends)) if all(map(math.isfinite, ends)) else ""
    return m.TableCell(untranslated(format_ratio(row["ratio"])), untranslated(around), row["ratio"], "number")


def replay_games(
    chosen: pd.DataFrame, plan: AnalysisPlan, weights: Mapping[str, Mapping[str, float]]
) -> list[m.Replay]:
    """Plays the chosen games again, but for those whose family, or whose player's solution, is not at hand.

    Games of players from outside are not played again: a report starts no programs. The course of those that came out
    the same is evaluated as in the traces of a run, whether or not that run kept theirs.

    ``weights`` are the default weights of each family at the time of the run.
    """
    replays: dict[Any, m.Replay] = {}
    for key, records in chosen.groupby(["ruleset", "first", "second"], sort=False, observed=True):
        name, first, second = (str(part) for part in key)
        try:
            cell = ReplayBatch.of(records, plan, weights)
        except InputError:
            continue
        family, codes = cell.ruleset.game, cell.ruleset.codes()
        played = cell.moves()
        same = [moves for moves in played if moves is not None]
        lists = np.full((len(same), max(map(len, same), default=0)), -1, np.int32)
        for line, one in zip(lists, same, strict=True):
            line[: len(one)] = one
        courses = iter(traces(family, codes, *cell.players, lists))
        for row, record, moves in zip(records.index, records.to_dict("records"), played, strict=True):
            course = next(courses, None) if moves is not None else None
            replays[row] = m.Replay(
                name, first, second, family=family, codes=codes, moves=moves, reasons=tuple(record["reasons"]),
                evaluations=tuple(course.evaluations.tolist()) if course else (),
                **{column: record[column] for column in ("result", "termination", "game", "seed", "plies")},
            )  # fmt: skip
    return [replays[row] for row in chosen.index if row in replays]


MAX_GAMES = 60
"""Games that a page holds."""
SHORTEST = tr("the shortest")
TYPICAL = tr("a typical length")
LONGEST = tr("the longest that finished")
CHOSEN = tr("chosen by its number")
NONE_FINISHED = tr("none finished")
ENDED = tr("ended by {termination}")


def choose_games(
    games: Trials | pd.DataFrame, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Return the records of the games to look at, with a column ``reasons``; at most `MAX_GAMES`.

    Of each ruleset: the shortest, a typical and the longest finished game of the last pairing that is an agent against
    itself, or else of the last one; if none finished, one that was stopped. Of each way to end: a game of the last
    pairing that has one. Among equal games the one with the smallest number.
    """
    kept = Trials.of(games)
    trials = kept.games
    if trials.empty:
        return trials.assign(reasons=None)
    strongest = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    rows: dict[Any, list[str]] = {}
    endings = {
        str(ending): _example(trials, str(ending), rulesets, pairings)
        for ending in trials["termination"].value_counts().index
    }
    shown = trials[(trials["first"] == strongest[0]) & (trials["second"] == strongest[1])]
    for name in rulesets:
        games_of = shown[shown["ruleset"] == name].sort_values(["plies", "game"])
        if games_of.empty or len(rows) + 3 + len(endings) > MAX_GAMES:
            continue
        games_of, stopped = games_of[games_of["result"] != "unfinished"], games_of
        if games_of.empty:
            rows.setdefault(stopped.index[0], []).append(NONE_FINISHED)
            continue
        middle = games_of["plies"].sub(games_of["plies"].median()).abs().sort_values(kind="stable").index[0]
        longest = games_of[games_of["plies"] == games_of["plies"].max()].index[0]
        for row, reason in ((games_of.index[0], SHORTEST), (middle, TYPICAL), (longest, LONGEST)):
            rows.setdefault(row, []).append(reason)
    for ending, row in endings.items():
        rows.setdefault(row, []).append(ENDED.format(termination=ending_words(str(trials.at[row, "ruleset"]), ending)))
    chosen = kept.rows(list(rows)).assign(reasons=pd.Series(rows, dtype=object))
    order = {name: i for i, name in enumerate(rulesets)}
    return chosen.sort_values("ruleset", key=lambda names: names.map(order), kind="stable")


def _example(trials: pd.DataFrame, ending: str, rulesets: Sequence[str], pairings: Sequence[tuple[str, str]]) -> Any:
    such = trials[trials["termination"] == ending]
    of_pairings = (such[(such["first"] == first) & (such["second"] == second)] for first, second in reversed(pairings))
    of_pairing = next(games for games in of_pairings if len(games))
    of_rulesets = (of_pairing.loc[of_pairing["ruleset"] == name, "game"] for name in rulesets)
    return next(games.idxmin() for games in of_rulesets if len(games))


def with_moments(section: m.Section, cards: Sequence[m.Part]) -> m.Section:
    """Return the games to look at, with those in which the proposals of some cards act."""
    findings = [each for part in cards if isinstance(part, m.Findings) for each in part.items]
    more = [replay for each in findings if each.moment for replay in each.moment.replays]
    parts = [
        replace(part, replays=[*part.replays, *more]) if isinstance(part, m.ReplayList) else part
        for part in section.parts
    ]
    return replace(section, parts=parts)


def games_section(trials: Trials, provenance: Mapping[str, Any], names: Names) -> m.Section:
    """Return the chosen games, played again."""
    chosen = choose_games(trials, names.rulesets, names.plan.pairings)
    cells = Counter({cell: len(trials.cell(cell)) for cell in trials.cells})
    sense = tr(
        "Of each ruleset the shortest, a typical and the longest game between the strongest "
        "players, and one game for each way to end, played again from their seeds."
    )
    if all(names.plan.agents[first].kind == PEOPLE for first, _ in names.plan.pairings):
        sense = tr(
            "Of each ruleset the shortest, a typical and the longest game of the highest rated people, and one game "
            "for each way to end."
        )
    shown_games = m.ReplayList(
        replay_games(chosen, names.plan, provenance.get("weights", {})), names.short_names, cells
    )
    return m.Section("games", tr("Games to look at"), [m.Paragraph(sense), shown_games])


NODES, DEPTH = 2_000, 2
"""The limits of the search at a position."""
MOST_POSITIONS = 64
"""Positions that are searched; of more, as many that lie evenly between the first and the last."""
LEAST_SWING = 0.05
"""The least difference of the values, where the two moves themselves do not show the rule."""
FOLLOWED = 8
"""Plies that are played on under each ruleset."""


@dataclass(frozen=True)
class Pair:
    """A position in which two rulesets part."""

    rulesets: tuple[Ruleset, Ruleset]
    shared: tuple[int, ...]
    """The moves that lead there under both."""
    chosen: tuple[int, int]
    """The move under each."""
    values: tuple[float, float]
    """The first seat's expected score under each: 0 to 1."""

    @property
    def swing(self) -> float:
        """The difference of the values."""
        return abs(self.values[0] - self.values[1])

    @cached_property
    def shows_the_rule(self) -> bool:
        """True if a chosen move is illegal under the other ruleset, or leads elsewhere there."""
        for move in self.chosen:
            both = [_after(ruleset, self.shared) for ruleset in self.rulesets]
            if any(move not in state.legal() for state in both):
                return True
            for state in both:
                state.push(move)
            if not _alike(*both):
                return True
        return False

    @cached_property
    def states(self) -> tuple[GameState, GameState]:
        """The game under each ruleset after the move that was chosen."""
        before, after = (_after(ruleset, self.shared) for ruleset in self.rulesets)
        before.push(self.chosen[0])
        after.push(self.chosen[1])
        return before, after


def searcher(players: Iterable[AgentSpec]) -> AgentSpec | None:
    """Return the player that searches deepest, within `NODES` or `DEPTH`; None if none evaluates."""
    judges = [player.judge() for player in players if player.declared.evaluates and not player.outside]
    best = max(judges, key=lambda player: (bool(player.nodes), player.nodes, player.depth), default=None)
    if best is None:
        return None
    depth = best.depth if best.nodes else min(best.depth, DEPTH)
    return dataclasses.replace(best, nodes=min(best.nodes, NODES), depth=depth, training=0)


def clearest_pair(was: Ruleset, now: Ruleset, player: AgentSpec, lines: Iterable[Sequence[int]]) -> Pair | None:
    """Return the clearest pair in games (``lines``, as the engine numbers moves) that were played under either ruleset.

    None where the rulesets have different boards, or nothing that differs matters to the player.
    """
    if was.game != now.game:
        return None
    rulesets = was, now
    positions = list(dict.fromkeys(shared for line in lines for shared in _partings(rulesets, line)))
    positions = positions[:: -(-len(positions) // MOST_POSITIONS) or 1]
    searches = [Search(player, ruleset) for ruleset in rulesets] if positions else []
    pairs = []
    for shared in positions:
        states = [_after(ruleset, shared) for ruleset in rulesets]
        (before, worth), (after, worth_now) = (
            search.look(state) for search, state in zip(searches, states, strict=True)
        )
        # The search speaks of sides, the pair of players.
        values = (1 - worth, 1 - worth_now) if states[0].swapped else (worth, worth_now)
        pair = Pair(rulesets, shared, (before, after), values)
        if pair.shows_the_rule or (before != after and pair.swing >= LEAST_SWING):
            pairs.append(pair)
    return max(pairs, key=lambda pair: (pair.shows_the_rule, pair.swing), default=None)


def play_on(pair: Pair, player: AgentSpec) -> tuple[GameState, GameState]:
    """Both games, from the start to `FOLLOWED` plies behind the parting or to their end."""
    both = [state.copy() for state in pair.states]
    for game_state, ruleset in zip(both, pair.rulesets, strict=True):
        search = Search(player, ruleset)
        for _ in range(FOLLOWED):
            if game_state.outcome()[0] != contract.ONGOING:
                break
            game_state.push(search.look(game_state)[0])
    return both[0], both[1]


def _partings(rulesets: tuple[Ruleset, Ruleset], line: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the beginnings of a game after which the legal moves differ, or what its next move leads to."""
    states = [_after(ruleset, ()) for ruleset in rulesets]
    for ply, move in enumerate(line):
        if not _alike(*states):
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
    if line and not _alike(*states):
        yield tuple(line[:-1])


def _after(ruleset: Ruleset, moves: Sequence[int]) -> GameState:
    game_state = GameState(ruleset.game, ruleset.codes())
    for move in moves:
        game_state.push(move)
    return game_state


def _alike(one: GameState, other: GameState) -> bool:
    """True if two games look the same on the board."""
    # Alike at the start, they are drawn alike wherever the kernel's words are the same.
    drawn = [] if one.plies and np.array_equal(one.state, other.state) else [one.board(), other.board()]
    grids = {(board.columns, board.rows, board.outside, board.cells, board.owners) for board in drawn}
    return len(grids) < 2 and one.seat == other.seat and one.outcome() == other.outcome()


def find_pair(names: Names, proposal: str, lines: Iterable[Sequence[int]]) -> Pair | None:
    """Return the clearest pair of the baseline and a proposal in games of either; None where there is none."""
    base, player = names.plan.baseline, searcher(names.plan.agents.values())
    if player is None or not base or proposal not in names.plan.proposals:
        return None
    was, now = names.plan.ruleset(base), names.plan.ruleset(proposal)
    return clearest_pair(was, now, player, lines) if {was.game, now.game} <= set(families.names()) else None


def decisive_moment(names: Names, proposal: str, replays: Iterable[m.Replay]) -> m.Moment | None:
    """Return the position in which a proposal acts most clearly, with the move under each ruleset, if there is one."""
    both = names.plan.baseline, proposal
    lines = [replay.moves for replay in replays if replay.ruleset in both and replay.moves is not None]
    pair = find_pair(names, proposal, lines)
    if pair is None:
        return None
    states, at = pair.states, len(pair.shared)
    cells = [state.touched() for state in states]
    highlights = {"shut": cells[0] - cells[1], "open": cells[1] - cells[0], "last": cells[0] & cells[1]}
    was, now = (
        tr("{ruleset}: {move}", ruleset=names.short(ruleset.name), move=state.texts[-1])
        for ruleset, state in zip(pair.rulesets, states, strict=True)
    )
    return m.Moment(
        f"moment-{names.rulesets.index(proposal)}", states[1].board(at), highlights, moment_text(names, pair),
        tr("Move {n}", n=at + 1), was, now, pair_replays(names, pair),
    )  # fmt: skip


def moment_text(names: Names, pair: Pair) -> str:
    """Return a line on the position of a pair."""
    text = tr("Move {n}: {was} under {baseline}, {now} under {proposal}")
    if pair.chosen[0] == pair.chosen[1]:
        text = tr("Move {n}: {was} under {baseline} as under {proposal}, with other consequences")
    was, now = (state.texts[-1] for state in pair.states)
    baseline, proposal = (names.short(ruleset.name) for ruleset in pair.rulesets)
    where = text.format(n=len(pair.shared) + 1, was=was, now=now, baseline=baseline, proposal=proposal)
    before, after = (format_percent(value, 0) for value in pair.values)
    worth = tr("the first player can expect {before} → {after} of the points", before=before, after=after)
    return join(SEMICOLON, (where, worth))


def pair_replays(names: Names, pair: Pair) -> tuple[m.Replay, m.Replay]:
    """Both games of a pair, played on for some plies."""
    player = searcher(names.plan.agents.values())
    assert player is not None
    played = play_on(pair, player)
    return _replay(names, pair, played[0], "was"), _replay(names, pair, played[1], "now")


def _replay(names: Names, pair: Pair, game_state: GameState, which: str) -> m.Replay:
    ruleset, proposal = pair.rulesets[which == "now"], pair.rulesets[1].name
    text = tr("Where {proposal} acts: one game up to move {n}, played on under {ruleset}")
    if not pair.shared:
        text = tr("Where {proposal} acts: from the first move on, played under {ruleset}")
    about = text.format(proposal=names.short(proposal), n=len(pair.shared), ruleset=names.short(ruleset.name))
    _, termination = game_state.outcome()
    return m.Replay(
        ruleset.name, "", "", 0, 0, RESULTS[game_state.result], termination or "", game_state.plies, (), ruleset.game,
        ruleset.codes(), tuple(game_state.played), link=f"pair/{proposal}/{which}", about=about,
        parting=len(pair.shared) + 1,
    )  # fmt: skip
