"""What was measured, in charts with their numbers below: scores, lengths, openings, events."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from workbench.questions.primary import FAIRNESS
from workbench.report.answers import Row, asked, at, difference_name, ends, notes, row_of, told_of
from workbench.report.figures import Mark, Scale, key, scale, strips
from workbench.report.figures import Row as Strip
from workbench.report.model import Cell, Chart, Paragraph, Part, Section, Table, numeric
from workbench.report.names import BALANCES, VERDICTS, Names, Pairing, capped_method, pair_words, scaling
from workbench.report.numbers import amount, amounts, change, kinds, percent, points_label, share, signed
from workbench.report.words import NOTHING, Words, joined, same, sentences
from workbench.statistics import Analysis, band, stopped

FIRST = Words("first player ahead", "先手有利")
SECOND = Words("second player ahead", "後手有利")
FAIRER = Words("fairer", "より公平")
LESS_FAIR = Words("less fair", "より不公平")


def scores(found: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """How much the first seat scores, and what each proposal gains."""
    parts: list[Part] = [_score_chart(found, names, exact)]
    if not asked(found).empty and names.plan.asked.measure == FAIRNESS:
        parts.append(_gain_chart(found, names))
    parts.append(_cell_table(found, names, exact))
    return Section("scores", Words("Who is ahead, and by how much", "先手と後手の差"), parts)


def differences(found: Analysis, names: Names) -> Section | None:
    """What each proposal changes in the measure that was asked; nothing if that is fairness, which `scores` shows."""
    measure = names.plan.asked.measure
    if measure == FAIRNESS or asked(found).empty:
        return None
    title = Words("What changes: {measure}", "変化：{measure}").format(measure=names.measure(measure))
    return Section("asked", title, [_gain_chart(found, names)])


def all_cells(found: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """The numbers of all cells, without charts."""
    parts: list[Part] = [_cell_table(found, names, exact), _length_table(found, names, exact)]
    return Section("scores", Words("All results", "全結果"), parts)


def _percent_label(value: float) -> str:
    return f"{100 * value:.3g} %"


def _legend(names: Names, pairings: Sequence[Pairing]) -> list[tuple[Markup, Words]]:
    return [(key(names.series(pair)), pair_words(pair)) for pair in pairings] if len(pairings) > 1 else []


def _strip(names: Names, ruleset: str, marks: Sequence[Mark], titled: bool = False) -> Strip:
    base = ruleset == names.plan.baseline
    name = Words("{name} (baseline)", "{name}（基準）") if base else Words("{name}", "{name}")
    return Strip(name.format(name=names.short(ruleset)), names.title(ruleset) if titled else NOTHING, tuple(marks))


def _score_chart(found: Analysis, names: Names, exact: pd.DataFrame) -> Chart:
    pairings = list(names.plan.pairings)
    rows: list[Strip] = []
    values: list[float] = []
    for ruleset in names.rulesets:
        marks = []
        for pair in pairings:
            cell = row_of(found.cells, ruleset, pair)
            if cell is None:
                continue
            capped = cell["unfinished"] > 0
            truth = row_of(exact, ruleset, pair)
            marks.append(
                Mark(
                    names.series(pair),
                    cell["first_score"],
                    _score_text(cell),
                    cell["first_score_low"],
                    cell["first_score_high"],
                    cell["first_score_lowest"] if capped else math.nan,
                    cell["first_score_highest"] if capped else math.nan,
                    cell["balance"] == "undecided",
                    truth["exact"] if truth else math.nan,
                )
            )
            values += [cell["first_score_low"], cell["first_score_high"]]
            values += [truth["exact"]] if truth else []
        rows.append(_strip(names, ruleset, marks, titled=True))
    goal = names.plan.targets.get("first_score")
    on = scale([*values, 0.45, 0.55], _percent_label, 0.5, band(goal) if goal else None, SECOND, FIRST)
    legend = _legend(names, pairings)
    sense = [_score_sense(found, names)]
    sense.append(
        Words(
            "Dot and bar: the first player's score in the finished games and its 95 % interval; hollow where it is "
            "undecided who is ahead.",
            "点と帯：決着した対局での先手の得点率と95%信頼区間。白抜きはどちらが有利か未判定。",
        )
    )
    if found.cells["unfinished"].any():
        sense.append(
            Words(
                "Thin line: what the score could be if all games stopped at the cap were lost or won.",
                "細線：打ち切られた対局がすべて負け、またはすべて勝ちだった場合の範囲。",
            )
        )
    if goal:
        sense.append(Words("Shaded: the target.", "色の帯：目標。"))
    if any(math.isfinite(mark.exact) for row in rows for mark in row.marks):
        sense.append(Words("Open diamond: the exact value.", "中抜きのひし形：厳密値。"))
    title = Words("Score of the first player", "先手の得点率")
    return Chart("chart-score", strips(rows, on, "chart-score"), sentences(sense), legend, "first_score", title)


def _score_text(cell: Row) -> Words:
    if not cell["games"]:
        return Words("no games yet", "対局なし")
    if not cell["finished"]:
        return Words("no game finished", "決着なし")
    return share(cell["first_score"], cell["first_score_low"], cell["first_score_high"])


def _score_sense(found: Analysis, names: Names) -> Words:
    """The result of the chart in a sentence."""
    cells = at(found.cells, names.strongest)
    said = []
    for code, who in (("first", FIRST), ("second", SECOND), ("balanced", BALANCES["balanced"])):
        group = [names.short(str(name)) for name in cells.loc[cells["balance"] == code, "ruleset"]]
        if group:
            said.append(Words("{who} under {names}", "{names}で{who}").format(who=who, names=joined(group)))
    count = int((cells["balance"] == "undecided").sum())
    if count:
        said.append(Words("undecided under {n} of {all}", "{all}種のうち{n}種で未判定").format(n=count, all=len(cells)))
    text = Words("Between the strongest players ({level}): {said}.", "最も強いプレイヤー（{level}）では、{said}。")
    return text.format(level=pair_words(names.strongest), said=joined(said))


def _gain_chart(found: Analysis, names: Names) -> Chart:
    """The differences of the proposals in the measure that was asked."""
    verdicts = asked(found)
    measure = names.plan.asked.measure
    times = scaling(measure)
    pairings = [pair for pair in names.plan.pairings if not at(verdicts, pair).empty]
    rows: list[Strip] = []
    values: list[float] = []
    for ruleset in names.proposals:
        marks = []
        for pair in pairings:
            row = row_of(verdicts, ruleset, pair)
            if row is None:
                continue
            text = same(f"{VERDICTS[row['verdict']][1]} {told_of(row, names)}")
            open_verdict = row["verdict"] in ("undecided", "yardstick")
            marks.append(
                Mark(names.series(pair), row["difference"], text, row["low"], row["high"], hollow=open_verdict)
            )
            # Weak players leave many games unfinished: their intervals may be so wide that no other could be read.
            values += [row["low"], row["high"]] if pair == names.strongest else [row["difference"]]
        rows.append(_strip(names, ruleset, marks))
    best = at(verdicts, names.strongest).sort_values("difference", ascending=False).to_dict("records")
    margin = float(best[0]["margin"]) if best else math.nan
    label = points_label if times == 100 else _number_label
    less, more = (names.more_or_less(measure, more) for more in (False, True))
    band_of = None if math.isnan(margin) else (-margin, margin)
    on = scale(values, label, 0.0, band_of, less, more) if measure != FAIRNESS else scale(
        values, label, 0.0, band_of, LESS_FAIR, FAIRER
    )  # fmt: skip
    sense = []
    if best and not math.isnan(best[0]["difference"]):
        top = best[0] if measure == FAIRNESS else max(best, key=lambda row: abs(row["difference"]))
        text = Words(
            "Largest gain between the strongest players ({level}): {name} with {gain}, {verdict}.",
            "最も強いプレイヤー（{level}）で改善幅が最も大きいのは{name}で{gain}（{verdict}）。",
        )
        if measure != FAIRNESS:
            text = Words(
                "Largest difference between the strongest players ({level}): {name} with {gain}, {verdict}.",
                "最も強いプレイヤー（{level}）で差が最も大きいのは{name}で{gain}（{verdict}）。",
            )
        sense.append(
            text.format(
                level=pair_words(names.strongest),
                name=names.short(top["ruleset"]),
                gain=_told(top, names),
                verdict=VERDICTS[top["verdict"]][0],
            )
        )
    text = Words(
        "By how many points the score comes nearer to 50 % than under {baseline}, with 95 % intervals. Shaded: "
        "differences too small to matter (±{margin} {unit}). ▲ fairer, ▼ less fair, = no meaningful difference, "
        "? undecided.",
        "{baseline}と比べて得点率が50%に何ポイント近づくかと95%信頼区間。色の帯："
        "問題にならないほど小さい差（±{margin}{unit}）。"
        "▲より公平、▼より不公平、=意味のある差なし、?未判定。",
    )
    if measure != FAIRNESS:
        text = Words(
            "Difference from {baseline} ({unit}), with 95 % intervals. Shaded: differences too small to matter "
            "(±{margin} {unit}). ↑ {more}, ↓ {less}, = no meaningful difference, ? undecided.",
            "{baseline}との差（単位：{unit}）と95%信頼区間。色の帯：問題にならないほど小さい差（±{margin}{unit}）。"
            "↑{more}、↓{less}、=意味のある差なし、?未判定。",
        )
    sense.append(
        text.format(
            baseline=names.short(names.plan.baseline),
            margin=f"{times * margin:.3g}",
            unit=names.unit(measure),
            more=more,
            less=less,
        )
    )
    if any(pair in names.plan.yardsticks for pair in pairings):
        sense.append(Words("·: random players, a yardstick.", "·は目安のランダムなプレイヤー。"))
    sense += notes(verdicts, found)
    what = difference_name(names)
    title = Words(what.en[:1].upper() + what.en[1:], what.ja)
    picture = strips(rows, on, "chart-gain")
    legend = _legend(names, pairings)
    return Chart("chart-gain", picture, sentences(sense), legend, "gain", title, strips=(rows, on))


def _told(row: Row, names: Names) -> Words:
    """A difference in its unit."""
    measure = names.plan.asked.measure
    return change(row["difference"], row["low"], row["high"], names.unit(measure), scaling(measure))


def _number_label(value: float) -> str:
    digits = 0 if abs(value - round(value)) < 1e-6 else 1
    return signed(value, digits).replace("±0", "0")


def _cell(names: Names, row: Row) -> list[Cell]:
    """The headings of a cell's row: ruleset and players."""
    pair = (str(row["first"]), str(row["second"]))
    return [
        Cell(same(names.short(str(row["ruleset"]))), sort=float(names.rulesets.index(row["ruleset"]))),
        Cell(pair_words(pair), sort=float(names.series(pair))),
    ]


def _cell_table(found: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    """The numbers of all cells."""
    rows = []
    for cell in found.cells.to_dict("records"):
        truth = row_of(exact, cell["ruleset"], (cell["first"], cell["second"]))
        bounds = ""
        if cell["unfinished"]:
            bounds = f"{100 * cell['first_score_lowest']:.0f}–{100 * cell['first_score_highest']:.0f} %"
        rows.append(
            [
                *_cell(names, cell),
                numeric(amount(cell["games"]), cell["games"]),
                numeric(_score_text(cell), cell["first_score"]),
                numeric(percent(truth["exact"], 2), truth["exact"]) if truth else Cell(),
                Cell(BALANCES[cell["balance"]]),
                numeric(share(cell["draw_rate"], cell["draw_rate_low"], cell["draw_rate_high"]), cell["draw_rate"]),
                numeric(percent(cell["capped_rate"]) if cell["unfinished"] else "0", cell["capped_rate"], bounds),
                _adjudicated(cell),
                numeric(percent(cell["distinct_share"]), cell["distinct_share"]),
            ]
        )
    heads = [
        Cell(Words("ruleset", "ルール")),
        Cell(Words("players", "プレイヤー")),
        Cell(Words("games", "対局数"), kind="number"),
        Cell(Words("first player's score", "先手の得点率"), kind="number"),
        Cell(Words("exact", "厳密値"), kind="number"),
        Cell(Words("who is ahead", "有利な側")),
        Cell(Words("draws", "引き分け"), kind="number"),
        Cell(Words("capped", "打ち切り"), kind="number"),
        Cell(Words("adjudicated", "裁定"), kind="number"),
        Cell(Words("distinct games", "異なる棋譜"), kind="number"),
    ]
    caption = Words(
        "All cells. Below the capped games: the range of the score if all of them were lost or won.",
        "すべての組み合わせの数値。打ち切りの下は、そのすべてが負け、または勝ちだった場合の得点率の範囲。",
    )
    return Table(sentences([caption, capped_method(names)]), *_without_empty(heads, rows), folded=True)


def _adjudicated(cell: Row) -> Cell:
    """The share of the games that were adjudicated; empty where none was."""
    if not cell.get("ended_by_adjudicated"):
        return Cell()
    rate, low, high = (cell[f"ended_by_adjudicated_rate{end}"] for end in ("", "_low", "_high"))
    return numeric(share(rate, low, high), rate)


def _without_empty(heads: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> tuple[list[Cell], list[list[Cell]]]:
    """The table without the columns in which no row has anything."""
    kept = [i for i in range(len(heads)) if any(row[i].text.en for row in rows)]
    return [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]


def lengths(found: Analysis, names: Names, exact: pd.DataFrame) -> Section:
    """How long the games are: the curve of games that still go on, and the quartiles."""
    parts: list[Part] = [_length_sense(found, names)]
    for pair in names.plan.pairings:
        cells = at(found.cells, pair)
        if cells.empty:
            continue
        curves = at(found.lengths, pair)
        longest = float(curves["plies"].max()) if len(curves) else 1.0
        on = scale([longest], lambda value: f"{value:.0f}", zero=True, whole=True)
        rows = [
            Strip(same(names.short(ruleset)), same(""), (_length_mark(found, names, ruleset, pair, on),))
            for ruleset in names.rulesets
            if row_of(found.cells, ruleset, pair) is not None
        ]
        chart = f"chart-lengths-{names.series(pair)}"
        capped = stopped(cells).sum() / max(1, int(cells["games"].sum()))
        caption = Words(
            "{pair}: {capped} of the games were stopped at {cap} plies.", "{pair}：{capped}が{cap}手で打ち切り。"
        )
        parts.append(
            Chart(
                chart,
                strips(rows, on, chart),
                caption.format(pair=pair_words(pair), capped=percent(capped), cap=names.plan.max_plies or "–"),
                title=pair_words(pair),
                stem="lengths",
                small=True,
            )
        )
    parts.append(_length_table(found, names, exact))
    return Section("lengths", Words("How long the games are", "対局の長さ"), parts)


def _length_sense(found: Analysis, names: Names) -> Paragraph:
    cells = at(found.cells, names.strongest).dropna(subset=["plies_median"])
    said = []
    if len(cells):
        low, high = ends(cells, "plies_median")
        text = Words(
            "Between the strongest players ({level}) the median game takes from {low} plies ({shortest}) to {high} "
            "({longest}).",
            "最も強いプレイヤー（{level}）では、手数の中央値は{low}手（{shortest}）から{high}手（{longest}）。",
        )
        said.append(
            text.format(
                level=pair_words(names.strongest),
                low=amount(low["plies_median"]),
                high=amount(high["plies_median"]),
                shortest=names.short(str(low["ruleset"])),
                longest=names.short(str(high["ruleset"])),
            )
        )
    said.append(
        Words(
            "Shaded: the share of games that still go on after so many plies (Kaplan–Meier: a game stopped at the cap "
            "counts as longer, not as ended). Bar: the middle half of the games, with the median; an arrow where it "
            "runs beyond the cap.",
            "面：その手数のあとも続いている対局の割合（カプラン・マイヤー法。打ち切られた対局は終わったのではなく、"
            "もっと長いものとして扱う）。帯：中央の半数と中央値。矢印は打ち切りの手数を超えることを示す。",
        )
    )
    return Paragraph(sentences(said))


def _length_mark(found: Analysis, names: Names, ruleset: str, pair: Pairing, on: Scale) -> Mark:
    cell = row_of(found.cells, ruleset, pair)
    assert cell is not None
    curve = at(found.lengths[found.lengths["ruleset"] == ruleset], pair).sort_values("plies")
    steps: list[tuple[float, float]] = []
    for plies, alive in zip(curve["plies"], curve["alive"], strict=True):
        # What moves the curve by less than a pixel is not drawn.
        if not steps or steps[-1][1] - float(alive) >= 0.02 or alive == 0:
            steps.append((float(plies), float(alive)))
    if steps:
        open_end = cell["unfinished"] or cell.get("ended_by_adjudicated")
        end = names.plan.max_plies if open_end else float(curve["plies"].iloc[-1])
        steps.append((float(end), float(curve["alive"].iloc[-1])))
    median = float(cell["plies_median"])
    beyond = f">{names.plan.max_plies}" if names.plan.max_plies else "∞"
    text = Words("{n} plies", "{n}手").format(n=beyond if math.isinf(median) else amount(median))
    if not cell["games"]:
        text = Words("no games yet", "対局なし")
    lower, upper = float(cell["plies_lower_quartile"]), float(cell["plies_upper_quartile"])
    if math.isinf(lower):
        lower = math.nan
    return Mark(names.series(pair), median, text, lower, upper, area=tuple(steps))


def _length_table(found: Analysis, names: Names, exact: pd.DataFrame) -> Table:
    rows = []
    for cell in found.cells.to_dict("records"):
        truth = row_of(exact, cell["ruleset"], (cell["first"], cell["second"]))
        rows.append(
            [
                *_cell(names, cell),
                *(
                    numeric(amount(cell[column]), cell[column])
                    for column in ("plies_lower_quartile", "plies_median", "plies_upper_quartile")
                ),
                numeric(
                    amount(cell["plies_mean"], 1),
                    cell["plies_mean"],
                    amounts(cell["plies_mean_low"], cell["plies_mean_high"], 1),
                ),
                numeric(amount(truth["plies_exact"], 2), truth["plies_exact"]) if truth else Cell(),
                numeric(amount(cell["legal_moves"], 1), cell["legal_moves"]),
            ]
        )
    heads = [
        Cell(Words("ruleset", "ルール")),
        Cell(Words("players", "プレイヤー")),
        Cell(Words("a quarter ends by", "4分の1が終わる手数"), kind="number"),
        Cell(Words("half", "半数"), kind="number"),
        Cell(Words("three quarters", "4分の3"), kind="number"),
        Cell(Words("mean, up to the cap", "平均手数（打ち切りまで）"), kind="number"),
        Cell(Words("exact mean", "平均の厳密値"), kind="number"),
        Cell(Words("legal moves at a ply", "1手ごとの合法手"), kind="number"),
    ]
    caption = Words(
        "Plies of all cells; ∞: beyond the cap.", "すべての組み合わせの手数。∞は打ち切りの手数を超えることを示す。"
    )
    return Table(caption, *_without_empty(heads, rows), folded=True)


def openings(found: Analysis, names: Names) -> Section | None:
    """How many openings there are, and how many of them are balanced."""
    if found.openings.empty:
        return None
    title = Words("Openings", "序盤")
    chosen = found.openings[found.openings["shown"].astype(bool)]
    pairings = [pair for pair in names.plan.pairings if not at(chosen, pair).empty]
    hidden = [pair for pair in names.plan.pairings if pair not in pairings and not at(found.openings, pair).empty]
    if chosen.empty:
        return Section("openings", title, [Paragraph(_too_new(hidden))])
    rows: list[Strip] = []
    values: list[float] = []
    for ruleset in names.rulesets:
        marks = []
        for pair in pairings:
            row = row_of(chosen, ruleset, pair)
            if row is None:
                continue
            text = same(kinds(row["effective"]))
            marks.append(
                Mark(
                    names.series(pair),
                    _log(row["effective"]),
                    text,
                    _log(row["effective_low"]),
                    _log(row["effective_high"]),
                )
            )
            values += [_log(row["effective_low"]), _log(row["effective_high"])]
        rows.append(_strip(names, ruleset, marks))
    on = scale(values, lambda power: f"{2**power:.0f}", whole=True)
    best = at(chosen, names.strongest)
    sense = []
    if len(best):
        low, high = ends(best, "effective")
        sense.append(
            Words(
                "Between the strongest players ({level}), from an estimated {low} different openings ({least}) to "
                "{high} ({most}), those that these games did not show included.",
                "最も強いプレイヤー（{level}）では、実質{low}種（{least}）から{high}種（{most}）と推定される"
                "（この対局数では現れなかったものも含む推定値）。",
            ).format(
                level=pair_words(names.strongest),
                low=kinds(low["effective"]),
                high=kinds(high["effective"]),
                least=names.short(str(low["ruleset"])),
                most=names.short(str(high["ruleset"])),
            )
        )
    sense.append(
        Words(
            "Effective number of openings up to {ply}, the deepest at which nine of ten games open in a way that was "
            "seen before: as many equally frequent ones would be as varied. It is an estimate for any number of games, "
            "and so may exceed the number of those seen in these games (table below). Doubling scale, 95 % intervals.",
            "{ply}までの実質的な序盤の種類数（同じ頻度で現れる序盤が何種あるのと同じ多様さか）。10局のうち9局の序盤が"
            "既に現れたものである、最も深い手数を選んだ。対局数によらない推定値なので、この対局で実際に現れた数"
            "（下の表）を上回ることがある。対数目盛、95%信頼区間。",
        ).format(ply=_plies(chosen, pairings))
    )
    if hidden:
        sense.append(_too_new(hidden))
    chart = Chart(
        "chart-openings",
        strips(rows, on, "chart-openings"),
        sentences(sense),
        _legend(names, pairings),
        "openings",
        Words("Different openings", "序盤の種類"),
        strips=(rows, on),
    )
    parts: list[Part] = [chart, _opening_counts(chosen, names), *_opening_lines(found, names, best)]
    return Section("openings", title, parts)


def _too_new(pairings: Sequence[Pairing]) -> Words:
    """For whom no number of openings is given, and why."""
    return Words(
        "Not counted between {players}: too many openings are new, even after one ply, to say how many there are. More "
        "games would tell.",
        "{players}では、1手目でさえ初めて現れるものが多すぎて、序盤の種類数を推定できない。対局を増やせば分かる。",
    ).format(players=joined([pair_words(pair) for pair in pairings]))


def _plies(chosen: pd.DataFrame, pairings: Sequence[Pairing]) -> Words:
    """How many plies an opening has: for each pair of players as many as leave 9 of 10 games in openings seen."""
    plies = {pair: int(at(chosen, pair)["ply"].iloc[0]) for pair in pairings}
    if len(set(plies.values())) == 1:
        return Words("ply {ply}", "{ply}手目").format(ply=str(plies[pairings[0]]))
    each = [
        Words("ply {ply} ({level})", "{ply}手目（{level}）").format(ply=str(ply), level=pair_words(pair))
        for pair, ply in plies.items()
    ]
    return joined(each)


def _log(value: float) -> float:
    return math.log2(value) if value > 0 else math.nan


def _opening_counts(chosen: pd.DataFrame, names: Names) -> Table:
    """How many of the common openings are balanced, for the strongest players."""
    rows = []
    for ruleset in names.rulesets:
        row = row_of(chosen, ruleset, names.strongest)
        if row is None:
            continue
        counts = [row[name] for name in ("different", "common", "balanced", "lopsided", "undecided")]
        rows.append([names.cell(ruleset), *(numeric(amount(count), count) for count in counts)])
    heads = [Cell(Words("ruleset", "ルール"))]
    heads += [
        Cell(words, kind="number")
        for words in (
            Words("openings seen in these games", "この対局で現れた序盤"),
            Words("common enough to judge", "判定できる頻度のもの"),
            Words("balanced", "互角"),
            Words("lopsided", "一方が有利"),
            Words("undecided", "未判定"),
        )
    ]
    caption = Words(
        "Openings between the strongest players ({level}): balanced if the whole interval of the opening's own score "
        "lies in the target, lopsided if all of it lies outside.",
        "最も強いプレイヤー（{level}）の序盤。その序盤の得点率の区間全体が目標の内にあれば互角、"
        "外にあれば一方が有利とする。",
    )
    return Table(caption.format(level=pair_words(names.strongest)), heads, rows)


def _opening_lines(found: Analysis, names: Names, best: pd.DataFrame) -> list[Part]:
    lines = found.opening_lines
    if lines.empty or best.empty:
        return []
    ply = int(best["ply"].iloc[0])
    lines = at(lines[lines["ply"] == ply], names.strongest)
    rows = [
        [
            Cell(same(names.short(str(line["ruleset"]))), sort=float(names.rulesets.index(line["ruleset"]))),
            Cell(same(line["opening"])),
            numeric(amount(line["games"]), line["games"]),
            numeric(percent(line["share"]), line["share"]),
            numeric(share(line["score"], line["score_low"], line["score_high"]), line["score"]),
            Cell(BALANCES[line["status"]]),
        ]
        for line in lines.to_dict("records")
    ]
    heads = [
        Cell(Words("ruleset", "ルール")),
        Cell(Words("opening", "序盤")),
        Cell(Words("games", "対局数"), kind="number"),
        Cell(Words("share", "割合"), kind="number"),
        Cell(Words("first player's score", "先手の得点率"), kind="number"),
        Cell(Words("who is ahead", "有利な側")),
    ]
    caption = Words("The commonest openings of each ruleset.", "各ルールでよく現れた序盤。")
    return [Table(caption, heads, rows, folded=True)] if rows else []


def events(found: Analysis, names: Names) -> Section | None:
    """How often things happened, for the strongest players."""
    chosen = at(found.events, names.strongest) if not found.events.empty else found.events
    if chosen.empty:
        return None
    rows = []
    for event in dict.fromkeys(str(name) for name in chosen["event"]):
        cells = [Cell(names.event(event))]
        for ruleset in names.rulesets:
            row = row_of(chosen[chosen["event"] == event], ruleset, names.strongest)
            if row is None or math.isnan(row["mean"]):
                cells.append(Cell())
                continue
            below = same(percent(row["share"], 0)) if row["share"] < 0.9995 else same("")
            cells.append(
                Cell(same(amount(row["when_fired"], 1) if row["share"] else "–"), below, row["mean"], "number")
            )
        rows.append(cells)
    heads = [Cell(Words("event", "出来事")), *(Cell(same(names.short(name)), kind="number") for name in names.rulesets)]
    caption = Words(
        "How often things happened in a game, or at which ply, between the strongest players ({level}): the mean over "
        "the games in which it happened, and below it the share of these games where it is not all.",
        "1局あたりの回数、または何手目か（最も強いプレイヤー：{level}）。起きた対局での平均と、"
        "全局でないときはその割合。",
    )
    table = Table(caption.format(level=pair_words(names.strongest)), heads, rows, folded=True)
    return Section("events", Words("What happened in the games", "対局中の出来事"), [table])
