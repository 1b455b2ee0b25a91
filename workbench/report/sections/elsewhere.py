"""What is known from elsewhere beside what the players scored: best play, what others published, games of people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench import games
from workbench.addons.people.reading import KINDS, REMARKS
from workbench.base.language import bilingual, join, join_list, sentences, tr, trc, untranslated
from workbench.experiments.experiment_files import Published
from workbench.games.results import RESULT_WORDS, SCORES, ending
from workbench.players.agent_kinds import PEOPLE
from workbench.records.trials import Trials
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import ByCell, Names, Pairing, Record, rows_by_cell, score_cell, score_text
from workbench.report.reading import SOLVED_BY
from workbench.report.verdicts import BALANCES, VERDICTS
from workbench.statistics import Analysis
from workbench.statistics.intervals import score_interval, wilson


def best_play_section(table: pd.DataFrame, analysis: Analysis, names: Names) -> m.Section | None:
    """What is known of best play under the rulesets, as `best_play_table` has it; nothing where nothing is."""
    if table.empty:
        return None
    caption = tr(
        "Best play beside what the players of this experiment scored. Like best play: the side that wins with best "
        "play is ahead, or, where that is a draw, the score is balanced. Players who are not perfect may lean the "
        "other way: then what they score is not the value of the game."
    )
    of_cells = rows_by_cell(analysis.cells)
    records = [
        {**of_cells[str(row["ruleset"]), str(row["first"]), str(row["second"])], **row}
        for row in table.to_dict("records")
    ]
    columns = (
        names.ruleset_column(),
        m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["best_play"]]),
        m.Column.text(tr("solved here"), lambda row: RESULT_WORDS.get(row["solved"], "")),
        names.players_column(),
        m.Column.number(tr("first player's score"), score_cell),
        m.Column.percent(trc("known", "draws"), "draw_rate"),
        m.Column.text(tr("who is ahead"), lambda row: BALANCES[row["balance"]]),
        m.Column.plain(tr("like best play?"), lambda row: VERDICTS[row["agrees"] or "undecided"].unsigned_cell()),
        m.Column.number(tr("began with a winning move"), lambda row: _share_cell(row["wins"])),
        m.Column.number(tr("began with a losing move"), lambda row: _share_cell(row["loses"])),
    )
    of_rulesets = table.drop_duplicates("ruleset").to_dict("records")
    unsolved = [row for row in of_rulesets if not str(row["source"]).startswith(SOLVED_BY)]
    parts: list[m.Part] = [
        *([m.Bullets([_statement(row, names) for row in unsolved])] if unsolved else []),
        *([_random_play_table(table, of_cells, names)] if any(row["solved"] for row in of_rulesets) else []),
        m.Table.of(caption, columns, records, printed=True).without_empty_columns(),
    ]
    for row in of_rulesets:
        if row["solved"] in ("", row["best_play"]):
            continue
        text = tr("Of {ruleset} the source says: {said}. Solved here: {solved}. One of them is wrong.")
        stated, solved = RESULT_WORDS[row["best_play"]], RESULT_WORDS[row["solved"]]
        parts.append(
            m.Paragraph(text.format(ruleset=names.short(str(row["ruleset"])), said=stated, solved=solved), "warning")
        )
    return m.Section("known", tr("What is known of best play"), parts)


def _random_play_table(table: pd.DataFrame, of_cells: ByCell, names: Names) -> m.Table:
    """Of each solved ruleset what best play and random play come to, and what the players of each mirror scored."""

    def plies(row: Record) -> m.TableCell:
        value = row["best_plies"]
        return m.TableCell() if value is None or math.isnan(value) else m.numeric_cell(f"{value:.0f}", value)

    def best(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_percent(SCORES[row["solved"]]), SCORES[row["solved"]])

    def of_players(pair: Pairing) -> m.Column:
        def score(row: Record) -> m.TableCell:
            cell = of_cells.get((str(row["ruleset"]), *pair))
            return score_cell(cell) if cell else m.TableCell()

        return m.Column.number(labels.pairing_text(pair), score)

    columns = (
        names.ruleset_column(),
        m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["solved"]]),
        m.Column.number(tr("plies of best play"), plies),
        m.Column.number(tr("score with best play"), best),
        m.Column.number(tr("score in random play, exact"), lambda row: _share_cell(row["random_score"])),
        *(of_players(pair) for pair in names.plan.pairings if pair[0] == pair[1]),
    )
    solved = table[table["solved"] != ""].drop_duplicates("ruleset").to_dict("records")
    caption = tr(
        "Solved rulesets: who wins with best play and in how many plies (the winner hurries, the loser delays), and "
        "the first player's score with best play, in random play, and of the players of this experiment."
    )
    return m.Table.of(caption, columns, solved).without_empty_columns()


def _statement(row: Record, names: Names) -> str:
    """What is known of a ruleset, and who says so."""
    statements = [RESULT_WORDS[row["best_play"]]]
    for moves, text in (
        (row["winning_moves"], tr("first moves that win: {moves}")),
        (row["losing_moves"], tr("first moves that lose: {moves}")),
    ):
        if moves:
            statements.append(text.format(moves=join_list(str(moves).split())))
    return tr("{ruleset}: {said} ({source}).").format(
        ruleset=names.short(str(row["ruleset"])), said=trc("known", "; ").join(statements), source=row["source"]
    )


def _share_cell(value: float | None) -> m.TableCell:
    """The share of the games that began with one of some moves; nothing where no such moves are known."""
    if value is None or math.isnan(value):
        return m.TableCell()
    return m.numeric_cell(labels.format_percent(value), value)


STRONG_PLAY = ("", "")
"""What stands in the place of a pairing."""
MOST_COLUMNS = 4
"""Of more pairings the table shows the strongest one."""
NOT_USABLE = tr("not significant: no direction")


def published_section(table: pd.DataFrame, source: Published | None, names: Names) -> m.Section | None:
    """The table of `statistics.published_differences`; nothing where nothing was published."""
    if source is None or table.empty:
        return None
    about = [
        tr("What others published ({source}), beside the same differences of this experiment.", source=source.source)
    ]
    if source.players:
        players = bilingual(en=source.players, ja=source.players_ja)
        about.append(tr(" Players: {players}.", players=players))
    parts: list[m.Part] = [m.Paragraph(join("", about))]
    shown = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
    for measure, of in table.groupby("measure", sort=False):
        players_of = set(zip(of["first"], of["second"], strict=True))
        columns = [pair for pair in (STRONG_PLAY, *shown) if pair in players_of]
        parts += [m.Bullets([_agreement_sentence(of, str(measure), pair, names) for pair in columns])]
        parts += [_published_table(of, str(measure), columns, names)]
    return m.Section("published", tr("Beside published results"), parts)


def _players_text(pair: Pairing) -> str:
    return tr("strong play") if pair == STRONG_PLAY else labels.pairing_text(pair)


def _agreement_sentence(of: pd.DataFrame, measure: str, pair: Pairing, names: Names) -> str:
    """How many published directions these players have, too."""
    agrees = of.loc[of["usable"].astype(bool) & (of["first"] == pair[0]) & (of["second"] == pair[1]), "agrees"]
    yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
    return tr(
        "{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, {open} undecided.",
        measure=names.measure_name(measure),
        players=_players_text(pair),
        usable=len(agrees),
        yes=yes,
        no=no,
        open=len(agrees) - yes - no,
    )


def _published_table(of: pd.DataFrame, measure: str, columns: Sequence[Pairing], names: Names) -> m.Table:
    """A row for each ruleset, a column for strong play and each pairing."""
    caption = tr(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or contradicts: both "
        "intervals leave 0 out, on the same side or on different ones; of strong play: its verdict has a direction."
    ).format(measure=names.measure_name(measure), baseline=names.baseline)
    heads = [m.TableCell(tr("ruleset")), m.TableCell(tr("published"), kind="number")]
    heads += [m.TableCell(_players_text(pair)) for pair in columns]
    rows = []
    for ruleset, theirs in of.groupby("ruleset", sort=False):
        cells = {(row["first"], row["second"]): row for row in theirs.to_dict("records")}
        row = theirs.iloc[0]
        number = untranslated(labels.format_difference(row["published"], row["published_low"], row["published_high"]))
        note = "" if row["usable"] else NOT_USABLE
        rows.append([names.ruleset_cell(str(ruleset)), m.TableCell(number, note, float(row["published"]), "number")])
        rows[-1] += [_result_cell(cells[pair]) if pair in cells else m.TableCell() for pair in columns]
    return m.Table(caption, heads, rows)


def _result_cell(row: Record) -> m.TableCell:
    """A difference of this experiment, and what it says of the published one."""
    number, sort = (
        untranslated(labels.format_difference(row["difference"], row["low"], row["high"])),
        float(row["difference"]),
    )
    agreement = VERDICTS[{"yes": "agrees", "no": "contradicts", "": "undecided"}[str(row["agrees"])]]
    if row["strong"]:
        verdict = VERDICTS[str(row["strong"])].text
        if not row["agrees"]:
            return m.TableCell(verdict, number, sort, "verdict open")
        number = tr("{verdict}: {now}", verdict=verdict, now=number)
    elif not row["usable"]:
        return m.TableCell(number, sort=sort)
    return agreement.unsigned_cell(number, sort)


MOST_MOVES = 8
"""First moves that are shown, the most frequent ones."""
MOST_KINDS = 12
"""Kinds of differences from a proposal that are shown."""


def people_section(trials: Trials, provenance: Mapping[str, Any], analysis: Analysis, names: Names) -> m.Section | None:
    """What there is to say of people's games; nothing where there are none."""
    imports: Mapping[str, Any] = provenance.get(PEOPLE) or {}
    if not imports:
        return None
    parts: list[m.Part] = [_import_paragraph(said, str(ruleset), names) for ruleset, said in imports.items()]
    parts.append(_beside_table(trials, analysis, names))
    for ruleset, said in imports.items():
        parts += _first_moves(trials, str(ruleset), names)
        parts += _rungs(said.get("rungs") or {}, names)
        parts += _under(said, str(ruleset), names)
    return m.Section("people", tr("People’s games"), parts)


def _import_paragraph(said: Mapping[str, Any], ruleset: str, names: Names) -> m.Paragraph:
    """How many games were read, and how many were left out for what."""
    found = [
        tr(
            "{ruleset}: of {read:,} games that people have played, {games:,} are on record.",
            ruleset=names.short(ruleset),
            read=said["read"],
            games=said["games"],
        )
    ]
    for texts, counts, sentence in (
        (KINDS, said["left_out"], tr("Left out: {kinds} (left-out.csv names them).")),
        (REMARKS, said["remarks"], tr("On record despite: {kinds}.")),
    ):
        kinds = [tr("{kind}: {count:,}", kind=texts.get(kind, kind), count=count) for kind, count in counts.items()]
        found += [sentence.format(kinds=join_list(kinds))] if kinds else []
    return m.Paragraph(sentences(found))


def _beside_table(trials: Trials, analysis: Analysis, names: Names) -> m.Table:
    """Players and people in the same rows: score, draws, length, first move."""

    def draws(cell: Record) -> m.TableCell:
        share = cell["draws"] / cell["finished"] if cell["finished"] else math.nan
        low, high = (float(end) for end in wilson(cell["draws"], cell["finished"]))
        return m.numeric_cell(labels.format_share(share, low, high), share)

    def commonest(cell: Record) -> str:
        moves = _moves_of(trials, (str(cell["ruleset"]), str(cell["first"]), str(cell["second"])))
        counts = moves["move"].value_counts()
        if not len(counts):
            return ""
        share = labels.format_percent(counts.iloc[0] / counts.sum(), 0)
        return tr("{move} ({share})", move=untranslated(str(counts.index[0])), share=share)

    columns = (
        *names.cell_columns(),
        m.Column.amount(tr("games"), "games"),
        m.Column.number(
            tr("first player's score"),
            lambda cell: m.TableCell(score_text(cell), sort=float(cell["first_score"]), kind="number"),
        ),
        m.Column.number(tr("draws"), draws),
        m.Column.amount(tr("half of the games end by ply"), "plies_median"),
        m.Column.text(tr("commonest first move"), commonest),
    )
    caption = tr(
        "People, by the mean of both ratings, and players of the workbench under the same rules, with 95 % intervals. "
        "People resign, agree on draws and run out of time; players go on to the end."
    )
    played = analysis.cells[analysis.cells["games"] > 0]
    return m.Table.of(caption, columns, played.to_dict("records"))


def _moves_of(trials: Trials, cell: tuple[str, str, str]) -> pd.DataFrame:
    """The first move of each game of a cell, and its result."""
    openings = trials.column(cell, "opening").astype(str)
    move = openings.str.split(" ", n=1).str[0]
    return pd.DataFrame({"move": move, "result": trials.cell(cell)["result"].astype(str)})[move.str.len() > 0]


def _first_moves(trials: Trials, ruleset: str, names: Names) -> list[m.Part]:
    """With which moves people begin, and how these do, by rating."""
    pairings = [pair for pair in names.plan.pairings if (ruleset, *pair) in trials.places]
    counts = {}
    for pair in pairings:
        first = _moves_of(trials, (ruleset, *pair))
        finished = first[first["result"].isin(list(SCORES))]
        table = finished.groupby(["move", "result"]).size().unstack(fill_value=0)
        counts[pair] = (first["move"].value_counts(), table.reindex(columns=list(SCORES), fill_value=0))
    of_people = [counts[pair][0] for pair in pairings if names.plan.agents[pair[0]].kind == PEOPLE]
    if not of_people:
        return []
    total = pd.concat(of_people).groupby(level=0).sum().sort_values(ascending=False, kind="stable")
    rows, records = [], []
    for move in total.index[:MOST_MOVES]:
        lines = []
        for pair in pairings:
            how_often, results = counts[pair]
            n = int(how_often.get(move, 0))
            if not n:
                continue
            share = n / how_often.sum()
            won, drawn, lost = (int(results.loc[move, name]) for name in SCORES) if move in results.index else (0, 0, 0)
            low, high = (float(end) for end in score_interval(won, drawn, lost))
            played = won + drawn + lost
            score = (won + drawn / 2) / played if played else float("nan")
            text = labels.format_share(score, low, high)
            lines.append(names.pairing_line(pair, text, m.Interval(low, high), m.Dot(score)))
            records.append(
                {"move": str(move), "first": pair[0], "second": pair[1], "games": n, "share": share}
                | {"score": score, "score_low": low, "score_high": high}
            )
        of_all = untranslated(labels.format_percent(total[move] / total.sum()))
        rows.append(m.Row(str(move), untranslated(str(move)), tuple(lines), of_all))
    scale = m.fit_scale([*m.interval_ends(rows), 0.45, 0.55], labels.percent_tick, 0.5)
    caption = tr(
        "The first moves that people choose most often, with their share among all people’s games: dot and bar are the "
        "first player's score after them and its 95 % interval."
    )
    stem = f"people-first-moves-{names.rulesets.index(ruleset)}"
    title = tr("First moves of people: {ruleset}", ruleset=names.short(ruleset))
    chart = m.Chart(f"chart-{stem}", m.Panel(scale, tuple(rows)), caption, names.pairing_series(pairings), stem, title)
    columns = (
        m.Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        names.players_column(),
        m.Column.amount(tr("games"), "games"),
        m.Column.percent(tr("share"), "share"),
        m.Column.share(tr("first player's score"), "score"),
    )
    return [chart, m.Table.of(title, columns, records, folded=True)]


def _rungs(found: Mapping[str, Any], names: Names) -> list[m.Part]:
    """Which players of a ladder people resemble."""
    if not found:
        return []
    bands = [pair for pair in names.plan.pairings if any(pair[0] in one["agrees"] for one in found.values())]
    said = []
    for pair in bands:
        agrees = {label: one["agrees"][pair[0]] for label, one in found.items() if pair[0] in one["agrees"]}
        best = max(agrees, key=lambda label: agrees[label][0] / agrees[label][1])
        share = labels.format_share(agrees[best][0] / agrees[best][1], *map(float, wilson(*agrees[best])))
        text = tr("{people} most often make the move of {player}: {share} of {asked} positions.")
        said.append(
            text.format(people=labels.pairing_text(pair), player=untranslated(best), share=share, asked=agrees[best][1])
        )

    def of_people(pair: Pairing) -> m.Column:
        def rate_cell(row: tuple[str, Record]) -> m.TableCell:
            agreed, asked = row[1]["agrees"].get(pair[0], (0, 0))
            rate = agreed / asked if asked else math.nan
            return m.numeric_cell(labels.format_share(rate, *map(float, wilson(agreed, asked))), rate)

        return m.Column.number(labels.pairing_text(pair), rate_cell)

    columns = (
        m.Column.text(tr("player of the ladder"), lambda row: untranslated(row[0])),
        m.Column.number("Elo", lambda row: m.numeric_cell(labels.format_elo(row[1]["elo"]), row[1]["elo"])),
        *map(of_people, bands),
    )
    caption = tr(
        "How often each player of the ladder that was kept of these rules makes the move that people made, in one "
        "position of each game after ply {ply}, with 95 % intervals. Elo is the ladder's, and no rating of people.",
        ply=8,
    )
    return [m.Paragraph(sentences(said)), m.Table.of(caption, columns, found.items())]


def _under(said: Mapping[str, Any], ruleset: str, names: Names) -> list[m.Part]:
    """Which games would have been legal under proposals, and where the others differ."""
    under: Mapping[str, Any] = said.get("under") or {}
    if not under:
        return []
    records, rows = [], []
    kinds: list[Record] = []
    longest = max([1, *(int(ply) for of_cells in under.values() for one in of_cells.values() for ply in one["plies"])])
    for proposal, of_cells in under.items():
        title = bilingual(en=said["titles"][proposal][0], ja=said["titles"][proposal][1])
        lines = []
        for pair in names.plan.pairings:
            if pair[0] not in of_cells:
                continue
            one = of_cells[pair[0]]
            n = one["games"]
            stays = one["legal"] + one["other_result"]
            low, high = (float(end) for end in wilson(stays, n))
            records.append(
                {"title": title, "proposal": proposal, "first": pair[0], "second": pair[1], "games": n}
                | {"legal": stays / n, "legal_low": low, "legal_high": high, "other": one["other_result"] / n}
                | {"ply": _median_ply(one["plies"])}
            )
            steps, left = [], n
            for ply, count in sorted((int(ply), count) for ply, count in one["plies"].items()):
                left -= count
                steps.append((float(ply), left / n))
            curve = m.Survival((*_thinned(steps), (float(longest), stays / n)))
            text = untranslated(labels.format_percent(stays / n))
            lines.append(m.Line(names.series_number(pair), (curve,), text, labels.pairing_text(pair)))
        rows.append(m.Row(proposal, title, tuple(lines), untranslated(proposal)))
        kinds += _kind_rows(of_cells, title, proposal, ruleset, names)
    scale = m.fit_scale([float(longest)], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    pairings = [pair for pair in names.plan.pairings if any(pair[0] in of_cells for of_cells in under.values())]
    stem = f"people-under-{names.rulesets.index(ruleset)}"
    heading = tr("People’s games of {ruleset} under other rules", ruleset=names.short(ruleset))
    shaded = tr(
        "Shaded: the share of people’s games that are still possible after so many plies under a proposal; beside it "
        "the share that stays possible to the end."
    )
    chart = m.Chart(f"chart-{stem}", m.Panel(scale, tuple(rows)), shaded, names.pairing_series(pairings), stem, heading)
    proposal_column = m.Column.plain(
        tr("proposal"), lambda row: m.TableCell(row["title"], untranslated(row["proposal"]))
    )
    columns = (
        proposal_column,
        names.players_column(),
        m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("legal to the end"), "legal"),
        m.Column.percent(tr("of these with another result"), "other"),
        m.Column.amount(tr("first impossible move: median ply"), "ply"),
    )
    caption = tr(
        "Would these games have been legal? People would have played otherwise had they known the other rules: this "
        "says how often a proposal interferes, and not how good it is."
    )
    kind_columns = (
        proposal_column,
        m.Column.text(tr("where the first difference is"), lambda row: row["words"]),
        m.Column.amount(tr("games"), "games"),
        m.Column.percent(tr("share"), "share"),
        m.Column.plain(tr("example"), lambda row: m.TableCell(row["where"], row["reason"])),
    )
    kind_caption = tr("The first move that a proposal does not allow: what it is counted as, or why the game was over.")
    parts: list[m.Part] = [chart, m.Table.of(caption, columns, records)]
    return [*parts, m.Table.of(kind_caption, kind_columns, kinds)] if kinds else parts


def _thinned(steps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The steps of a curve that are drawn: those that move it by at least a fiftieth."""
    kept: list[tuple[float, float]] = []
    last = 1.0
    for ply, share in steps:
        if last - share >= 0.02 or not kept:
            kept.append((ply, share))
            last = share
    return kept


def _median_ply(plies: Mapping[str, int]) -> float:
    """The median of the plies of first differences; NaN where there are none."""
    total, seen = sum(plies.values()), 0
    for ply, count in sorted((int(ply), count) for ply, count in plies.items()):
        seen += count
        if 2 * seen >= total:
            return float(ply)
    return float("nan")


def _kind_rows(of_cells: Mapping[str, Any], title: str, proposal: str, ruleset: str, names: Names) -> Sequence[Record]:
    """The kinds of differences from a proposal, the commonest first, each with an example."""
    declaration = games.declaration(names.plan.ruleset(ruleset).game)
    events = {event.name: event for event in declaration.events}
    total: dict[str, int] = {}
    examples: dict[str, Mapping[str, Any]] = {}
    for one in of_cells.values():
        for kind, count in one["kinds"].items():
            total[kind] = total.get(kind, 0) + count
            examples.setdefault(kind, one["examples"][kind][0])
    everything = sum(one["games"] for one in of_cells.values())
    records = []
    for kind, count in sorted(total.items(), key=lambda each: -each[1])[:MOST_KINDS]:
        if kind.startswith(":"):
            named = ending(declaration, kind[1:])
            words = tr("the game is over: {sentence}", sentence=named.sentence if named else kind[1:])
        elif kind:
            counted = [labels.event_title(events[name]) if name in events else name for name in kind.split(",")]
            words = tr("a move counted as: {events}", events=join_list(counted))
        else:
            words = tr("an ordinary move")
        example = examples[kind]
        at = {"game": example["game"], "ply": example["ply"]}
        at |= {name: untranslated(example[name]) for name in ("file", "move")}
        where = tr("{file}, game {game}, ply {ply}: {move}", **at)
        reason = bilingual(**example["reason"]) if example["reason"].get("en") else ""
        records.append(
            {"title": title, "proposal": proposal, "words": words, "games": count, "share": count / everything}
            | {"where": where, "reason": reason}
        )
    return records
