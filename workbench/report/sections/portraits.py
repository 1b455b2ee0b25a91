"""A portrait of each ruleset's games: who leads when, how early games are decided, typical lines, depth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from workbench.base.language import join_list, sentences, tr, untranslated
from workbench.records.records import TRACED_GAMES
from workbench.report.labels import format_amount, format_percent, format_ratio, pairing_text, share_text
from workbench.report.marks import Course, Panel, Row, Scale, fit_scale
from workbench.report.model import (
    Card,
    Cards,
    Chart,
    Column,
    Paragraph,
    Part,
    Section,
    SmallMultiples,
    Table,
    TableCell,
)
from workbench.report.names import Names, Pairing, Record, pairing_rows, rows_by_cell
from workbench.statistics import Analysis
from workbench.statistics.portrait import CLEAR_LEAD, FEWEST_TRACED, FIRST_VIEW, LEGAL_MOVES_VIEW, WINNER_VIEW, Depth

Depths = Mapping[str, Sequence[Depth]]
"""Ruleset -> how deep kinds of players are on its kept ladder; rulesets without a ladder are missing."""

TITLE = tr("Portraits of the games")
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
PERCENT = Scale(0.0, 1.0, tuple((part, f"{100 * part:.0f}") for part in (0.0, 0.5, 1.0)))


def portraits_section(analysis: Analysis, names: Names, depths: Depths) -> Section | None:
    """A card for each ruleset, and the numbers of all players; nothing where no game was played."""
    if analysis.portraits.empty:
        return None
    pair = _portrayed_pairing(analysis, names)
    parts: list[Part] = [_cards(analysis, names, pair, depths)]
    if table := _table(analysis, names):
        parts.append(table)
    without = [ruleset for ruleset in names.rulesets if not depths.get(ruleset)]
    if without:
        which = join_list([names.short(ruleset) for ruleset in without])
        if 1 < len(without) == len(names.rulesets):
            which = tr("these rulesets")
        text = tr("No ladder is kept of {rulesets}, so the depth is not known.", rulesets=which)
        parts.append(Paragraph(text, "note"))
    return Section("portraits", TITLE, parts)


def _portrayed_pairing(analysis: Analysis, names: Names) -> Pairing:
    """The strongest players of whom any ruleset has courses; the strongest of all where there are none."""
    ordered = [names.strongest, *reversed([pair for pair in names.plan.pairings if pair != names.strongest])]
    return next((pair for pair in ordered if len(pairing_rows(analysis.courses, pair))), names.strongest)


# Charts


def _cards(analysis: Analysis, names: Names, pair: Pairing, depths: Depths) -> Cards:
    courses = pairing_rows(analysis.courses, pair)
    cells = _portraits_by_ruleset(analysis, pair)
    charts = [_chart(courses[courses["view"] == view], view, cells, names, pair) for view in VIEWS]
    drawn = [chart for chart in charts if chart is not None]
    sheet = SmallMultiples(_caption(analysis, names, pair, drawn), drawn, "portraits" if drawn else "", TITLE)
    cards = [
        _card(ruleset, cells[ruleset], analysis, names, pair, depths.get(ruleset, ()))
        for ruleset in names.rulesets
        if ruleset in cells
    ]
    shown = len(cards) if len(cards) <= SHOWN + 2 else SHOWN
    more = tr("The other {count} rulesets", count=len(cards) - shown)
    return Cards(sheet, cards, shown, more)


def _portraits_by_ruleset(analysis: Analysis, pair: Pairing) -> dict[str, Record]:
    """What is told of each ruleset between two players, in `portraits_section` and in the table of cells."""
    counted = {str(row["ruleset"]): row for row in pairing_rows(analysis.cells, pair).to_dict("records")}
    rows = pairing_rows(analysis.portraits, pair).to_dict("records")
    return {str(row["ruleset"]): {**counted[str(row["ruleset"])], **row} for row in rows}


def _caption(analysis: Analysis, names: Names, pair: Pairing, drawn: Sequence[Chart]) -> str:
    rows = pairing_rows(analysis.portraits, pair)
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
    if names.plan.baseline and len(names.rulesets) > 1:
        texts.append(tr("Grey, dashed: the median of {baseline}.", baseline=names.short(names.plan.baseline)))
    return sentences(texts)


def _chart(courses: pd.DataFrame, view: str, cells: Mapping[str, Record], names: Names, pair: Pairing) -> Chart | None:
    if courses.empty:
        return None
    if view == LEGAL_MOVES_VIEW:
        scale = fit_scale([float(courses["at"].max())], lambda value: f"{value:.0f}", from_zero=True, whole=True)
        low, high = 0.0, max(1.0, float(courses["upper_decile"].max()))
        level, ends = None, ("0", format_amount(high))
    else:
        scale, low, high, level, ends = PERCENT, -1.0, 1.0, 0.5, ("−1", "1")

    def height(value: float) -> float:
        return (value - low) / (high - low)

    by_ruleset = {str(name): rows for name, rows in courses.groupby("ruleset", sort=False)}
    base = by_ruleset.get(names.plan.baseline or "")
    rows: list[Row] = []
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
        mark = Course(points, behind, level, ends)
        rows.append(
            names.ruleset_row(ruleset, [names.pairing_line(pair, _course_text(view, cells[ruleset]), mark)], True)
        )
    return Chart(f"chart-portraits-{view.replace('_', '-')}", Panel(scale, tuple(rows)), CAPTIONS[view],
                 title=VIEWS[view])  # fmt: skip


def _course_text(view: str, cell: Record) -> str:
    if view == WINNER_VIEW and not math.isnan(cell["decided_at"]):
        return tr("decided at {at}", at=format_percent(cell["decided_at"], 0))
    if view == LEGAL_MOVES_VIEW:
        return tr("mean {n}", n=format_amount(cell["legal_moves"], 1))
    return ""


# Facts


def _card(ruleset: str, cell: Record, analysis: Analysis, names: Names, pair: Pairing, depths: Sequence[Depth]) -> Card:
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
    lines = _typical_lines(analysis, names, ruleset, pair)
    if not lines:
        facts.append((tr("typical lines"), _no_lines_sentence(names, cell)))
    note = ""
    if 0 < cell["traced"] < FEWEST_TRACED:
        few = tr("Only {n} games are traced: too few to show their spread ({fewest} are needed).")
        note = few.format(n=cell["traced"], fewest=FEWEST_TRACED)
    elif not cell["traced"]:
        note = tr("No game is traced, so no course is shown.")
    name = names.short(ruleset)
    if ruleset == names.plan.baseline:
        name = tr("{name} (baseline)", name=name)
    return Card(ruleset, name, "" if names.plan.experiment.factors else names.title(ruleset), facts, lines, note)


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
    """The family of engines that a depth is of."""
    family, _, limit = depth.kind.partition(", ")
    limits = {"nodes": tr("{family}, nodes"), "depth": tr("{family}, depth")}
    return limits[limit].format(family=family) if limit else untranslated(family)


def _depth_text(depth: Depth) -> str:
    """How many steps of 60 % a kind of player stands above the weakest one."""
    steps = format_amount(depth.steps, 1)
    if depth.low is not None and depth.high is not None:
        around = untranslated(f" ({depth.low:.1f}–{depth.high:.1f})")
    elif depth.low is not None:
        around = tr(" (at least {low})", low=format_amount(depth.low, 1))
    else:
        around = ""
    text = tr("{steps}{around} steps of 60 % from {weakest} to {strongest}")
    return text.format(steps=steps, around=around, weakest=depth.weakest, strongest=depth.strongest)


def _typical_lines(analysis: Analysis, names: Names, ruleset: str, pair: Pairing) -> list[tuple[str, str]]:
    """The commonest lines, as deep as one of them is still frequent, with their games and scores."""
    if analysis.opening_lines.empty:
        return []
    lines = pairing_rows(analysis.opening_lines[analysis.opening_lines["ruleset"] == ruleset], pair)
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


def _table(analysis: Analysis, names: Names) -> Table | None:
    """The numbers of all rulesets and players, the strongest players first."""
    order = {pair: i for i, pair in enumerate(reversed(names.plan.pairings))}
    order[names.strongest] = -1
    cells = rows_by_cell(analysis.cells)
    known = analysis.portraits[(analysis.portraits["won_games"] > 0) | (analysis.portraits["traced"] > 0)]
    records = [
        {"lead_changes": math.nan, "drama": math.nan, **cells[row["ruleset"], row["first"], row["second"]], **row}
        for row in known.to_dict("records")
    ]
    records.sort(key=lambda row: (order[row["first"], row["second"]], names.rulesets.index(row["ruleset"])))
    if not records:
        return None

    def players(row: Record) -> TableCell:
        pair = (row["first"], row["second"])
        return TableCell(pairing_text(pair), sort=float(order[pair]))

    columns = (
        names.ruleset_column(),
        Column.plain(tr("players"), players),
        Column.amount(tr("traced games"), "traced"),
        Column.percent(tr("decided after"), "decided_at", 0),
        Column.amount(tr("plies that follow"), "plies_after_decision"),
        Column.share(tr("comebacks"), "comeback_rate"),
        Column.amount(tr("lead changes a game"), "lead_changes", 1),
        Column.percent(tr("drama"), "drama"),
    )
    caption = tr(
        "The same in numbers, for all players, the strongest first. Decided: the winner's "
        "expected score is above {clear} from there to the end. Comebacks: won games whose "
        "winner once faced an expected score of the other side above {clear}."
    )
    return Table.of(caption.format(clear=format_percent((1 + CLEAR_LEAD) / 2, 0)), columns, records, folded=True)


def events_section(analysis: Analysis, names: Names) -> Section | None:
    """How often things happened, for the strongest players: in a game, or for each of something else."""
    chosen = pairing_rows(analysis.events, names.strongest)
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
        _events_table(part, caption.format(level=pairing_text(names.strongest)), cell, names)
        for part, caption, cell in ((chosen[counted], counts, _count_cell), (chosen[~counted], ratios, _ratio_cell))
        if not part.empty
    ]
    return Section("events", tr("What happened in the games"), tables)


def _events_table(chosen: pd.DataFrame, caption: str, cell: Callable[[Record], TableCell], names: Names) -> Table:
    """A row for each event, a column for each ruleset."""
    rows = []
    for event, per in dict.fromkeys(zip(chosen["event"].astype(str), chosen["per"].astype(str), strict=True)):
        each = tr("for each of: {per}", per=names.event_sentence(per)) if per else untranslated("")
        cells = [TableCell(names.event_sentence(event), each)]
        by_cell = rows_by_cell(
            pairing_rows(chosen[(chosen["event"] == event) & (chosen["per"] == per)], names.strongest)
        )
        for ruleset in names.rulesets:
            row = by_cell.get((ruleset, *names.strongest))
            cells.append(TableCell() if row is None else cell(row))
        rows.append(cells)
    heads = [
        TableCell(tr("event")),
        *(TableCell(untranslated(names.short(name)), kind="number") for name in names.rulesets),
    ]
    return Table(caption, heads, rows, folded=True)


def _count_cell(row: Record) -> TableCell:
    """How often an event happened in a game in which it did, and in how many games."""
    if math.isnan(row["mean"]):
        return TableCell()
    below = untranslated(format_percent(row["share"], 0)) if row["share"] < 0.9995 else untranslated("")
    return TableCell(
        untranslated(format_amount(row["when_fired"], 1) if row["share"] else "–"), below, row["mean"], "number"
    )


def _ratio_cell(row: Record) -> TableCell:
    """How often an event happened for each of another."""
    if math.isnan(row["ratio"]):
        return TableCell()
    ends = (row["ratio_low"], row["ratio_high"])
    around = "–".join(map(format_ratio, ends)) if all(map(math.isfinite, ends)) else ""
    return TableCell(untranslated(format_ratio(row["ratio"])), untranslated(around), row["ratio"], "number")
