"""All sections of a report, in their order, from the records and their analysis."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

import workbench
from workbench import statistics
from workbench.report import answers, factors, measures
from workbench.report.boards import Pieces
from workbench.report.changes import changes
from workbench.report.model import Bullets, Cell, Changes, Facts, Games, Paragraph, Part, Section, Table
from workbench.report.names import Names
from workbench.report.replays import choose, replay
from workbench.report.words import Words, either, same

GUIDE = (
    Words(
        "Read the verdict before the numbers. “Undecided” means too few games, never “no difference”.",
        "数値より先に判定を読む。「未判定」は対局数が足りないという意味で、「差がない」という意味ではない。",
    ),
    Words(
        "Compare bars, not dots: a bar is the 95 % interval of a number, and holds the true value in 19 of 20 cases.",
        "点ではなく帯を比べる。帯は95%信頼区間で、20回のうち19回は真の値を含む。",
    ),
    Words(
        "Trust the strongest players most. Random players do not use what makes a rule unfair.",
        "最も強いプレイヤーの結果を重んじる。ランダムなプレイヤーは、不公平の原因になる手を選ばない。",
    ),
    Words(
        "Capped games were stopped at the limit of plies. They are no draws: where there are many, the score is known "
        "only within the bounds that are shown. An experiment may have them adjudicated by its strongest player; "
        "the report then says how many were, and the others stay open.",
        "打ち切りは上限の手数で止めた対局で、引き分けではない。多いときは、得点率は示した範囲のどこかとしか言えない。"
        "実験で最も強いプレイヤーに裁定させることもできる。そのときは裁定の割合を示し、残りは結果なしのままとする。",
    ),
)
QUICK_LOOK = Words(
    "A quick look: the experiment itself asks for {count} games of each ruleset and players. It has a folder of its "
    "own, and other verdicts may come out there.",
    "これは少ない対局数での試し見である。実験本来の対局数は、ルールとプレイヤーの組み合わせごとに{count}局。"
    "その結果は別のフォルダーに保存され、判定は変わりうる。",
)
MOST_SHOWN = 20
"""Rulesets in the table of the run that are shown without being asked for."""
GUIDES = {"en": "how-to-read.md", "ja": "how-to-read.ja.md"}
"""The long guide, in the folder that holds the report folders."""


@dataclass(frozen=True)
class Built:
    """What a report says."""

    title: Words
    about: Words
    colophon: Words
    sections: list[Section]
    pieces: Pieces


def build(
    trials: pd.DataFrame,
    provenance: Mapping[str, Any],
    found: statistics.Analysis,
    exact: pd.DataFrame,
    wanted: int,
) -> Built:
    """The report on an experiment; plays the games to look at again.

    ``exact`` has what is known exactly of some cells: ``exact``, the true score, and ``plies_exact``.
    """
    names = Names(found.plan)
    pieces = Pieces()
    partial = (len(trials), wanted) if len(trials) < wanted else None
    free_choice = factors.styles(found, names, pieces)
    changed = None
    if names.plan.own_choices:
        # Armies that meet are no proposals: who beats whom is the answer, and the rest is there for those who ask.
        middle = [free_choice, measures.all_cells(found, names, exact)]
    else:
        changed = _changes(provenance, names, pieces)
        middle = [
            measures.differences(found, names),
            answers.scorecard(found, names),
            measures.scores(found, names, exact),
            measures.lengths(found, names, exact),
            measures.openings(found, names),
            free_choice,
            factors.effects(found, names),
        ]
    first = answers.answer(found, names, partial)
    if count := provenance["experiment"].get("quick_look"):
        said = Paragraph(QUICK_LOOK.format(count=f"{int(count):,}"), "warning")
        first = replace(first, parts=[said, *first.parts])
    sections = [
        first,
        *middle,
        measures.events(found, names),
        changed,
        answers.sensitivity(found, names),
        _run(provenance, names),
        _games(trials, provenance, names),
        _metrics(),
    ]
    experiment = provenance["experiment"]
    title = either(str(experiment.get("title") or experiment.get("name") or ""), str(experiment.get("title_ja") or ""))
    about = Words(
        "{rulesets} rulesets, {pairings} {pairs} of players, {games} games.",
        "ルール{rulesets}種、プレイヤー{pairings}組、{games}局。",
    ).format(
        rulesets=len(names.rulesets),
        pairings=len(names.plan.pairings),
        pairs="pair" if len(names.plan.pairings) == 1 else "pairs",
        games=f"{len(trials):,}",
    )
    colophon = Words("Made by the rule workbench {version}.", "rule workbench {version}で作成。")
    return Built(
        title,
        about,
        colophon.format(version=workbench.__version__),
        [section for section in sections if section is not None],
        pieces,
    )


def _changes(provenance: Mapping[str, Any], names: Names, pieces: Pieces) -> Section | None:
    found = changes(provenance["rulesets"], names.plan.baseline, pieces)
    if not found:
        return None
    rows = []
    for name in names.proposals:
        own = [change for change in found if name in change.proposals]
        told = [Words(f"{change.number}. {change.title.en}", f"{change.number}. {change.title.ja}") for change in own]
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            told = [Words("another game", "別のゲーム")]
        rows.append([names.cell(name, titled=True), Cell(Words("; ", "、").join(told))])
    caption = Words("What each proposal changes in {baseline}.", "各案が{baseline}から変えるところ。")
    heads = [Cell(Words("proposal", "案")), Cell(Words("changes", "変更点"))]
    table = Table(caption.format(baseline=names.short(names.plan.baseline)), heads, rows)
    parts: list[Part] = [table, Changes(found, names.short_names)]
    return Section("changes", Words("What the proposals change", "各案のルール変更"), parts)


def _games(trials: pd.DataFrame, provenance: Mapping[str, Any], names: Names) -> Section:
    chosen = choose(trials, names.rulesets, names.plan.pairings)
    cells = Counter(zip(*(trials[column].astype(str) for column in ("ruleset", "first", "second")), strict=True))
    sense = Words(
        "Of each ruleset the shortest, a typical and the longest game between the strongest players, and one game for "
        "each way to end, played again from their seeds.",
        "各ルールについて、最も強いプレイヤーの最短・標準・最長の対局と、終わり方ごとの1局を、"
        "乱数の種から再現したもの。",
    )
    shown_games = Games(replay(chosen, names.plan, provenance.get("weights", {})), names.short_names, cells)
    return Section("games", Words("Games to look at", "棋譜"), [Paragraph(sense), shown_games])


def _run(provenance: Mapping[str, Any], names: Names) -> Section:
    experiment = provenance["experiment"]
    versions = provenance.get("versions", {})
    agents: dict[str, str] = {}
    for pair in provenance["pairings"]:
        for seat in ("first", "second"):
            agents[str(pair[seat])] = _options(pair.get(f"{seat}_options", {}))
    continued = provenance.get("continued", [])
    # Not there if the file was lost once and made again.
    machine = [provenance["cpu"], f"{provenance['workers']} workers"] if {"cpu", "workers"} <= set(provenance) else []
    facts = [
        (Words("command", "コマンド"), str(provenance.get("command", ""))),
        (Words("seed", "乱数の種"), str(experiment.get("seed", ""))),
        (Words("games per cell, at most", "組み合わせごとの最大対局数"), f"{experiment.get('games', '')}"),
        (Words("stopped after plies", "打ち切りの手数"), f"{experiment.get('max_plies', '')}"),
        (Words("capped games", "打ち切りの扱い"), _adjudication(experiment.get("capped"))),
        *((same(label), options) for label, options in agents.items()),
        (Words("begun", "開始"), str(provenance.get("started", ""))),
        *((Words("continued", "再開"), f"{one['started']}: {one['command']}") for one in continued),
        (Words("machine", "計算機"), ", ".join(machine)),
        (Words("versions", "版"), ", ".join(f"{name} {version}" for name, version in versions.items())),
    ]
    ends = {name: experiment[name] for name in ("until", "precision", "looks") if experiment.get(name)}
    if "until" in ends or "precision" in ends:
        facts.insert(3, (Words("may end early", "早期終了の条件"), _options(ends)))
    if experiment.get("targets"):
        goals = json.dumps(experiment["targets"], ensure_ascii=False)
        facts.insert(4, (Words("targets", "目標"), goals))
    rows = [
        [names.cell(variant.name, titled=True), Cell(same(variant.name)), Cell(same(variant.fingerprint))]
        for variant in names.plan.rulesets
    ]
    heads = [
        Cell(Words("ruleset", "ルール")),
        Cell(Words("full name", "正式名")),
        Cell(Words("fingerprint", "フィンガープリント")),
    ]
    caption = Words(
        "The rules that were played: equal fingerprints are equal rules. All settings are in provenance.json.",
        "使用したルール。フィンガープリントが等しければ同じルールである。すべての設定はprovenance.jsonにある。",
    )
    seeds = Words(
        "Every game has its own seed, made from the seed of the experiment, the fingerprint, the players and the "
        "number of the game: the same command plays the same games on any machine and with any number of workers.",
        "各対局の乱数の種は、実験の種、ルールのフィンガープリント、プレイヤー、対局番号から決まる。同じコマンドは、"
        "どの計算機でもワーカー数によらず同じ棋譜を生む。",
    )
    parts: list[Part] = [
        Facts([(name, same(value)) for name, value in facts if value], code=True),
        Paragraph(seeds, "note"),
        Table(
            caption,
            heads,
            rows,
            names.rulesets.index(names.plan.baseline) if names.plan.baseline else None,
            folded=len(rows) > MOST_SHOWN,
        ),
    ]
    return Section("run", Words("How this was run", "実行条件"), parts)


def _adjudication(capped: Mapping[str, Any] | None) -> str:
    """What became of the games that reached the cap, as the provenance says it."""
    if not capped:
        return "bounds"
    return f"adjudicate: threshold {capped['threshold']}, {capped['judge']} ({_options(capped['options'])})"


def _options(options: Mapping[str, Any]) -> str:
    return ", ".join(str(value) if name == "kind" else f"{name} {value}" for name, value in options.items())


def _metrics() -> Section:
    rows = [
        [
            Cell(same(metric.name)),
            Cell(Words(metric.sentence, metric.ja)),
            *(Cell(same(part)) for part in (metric.formula, metric.unit, metric.direction, metric.source)),
        ]
        for metric in statistics.METRICS.values()
    ]
    heads = [
        Cell(words)
        for words in (
            Words("column", "列"),
            Words("meaning", "意味"),
            Words("formula", "式"),
            Words("unit", "単位"),
            Words("better", "望ましい向き"),
            Words("source", "出典"),
        )
    ]
    caption = Words(
        "All numbers of the tables: meaning, formula, unit, the better direction, source.",
        "表にあるすべての数値の意味・式・単位・望ましい向き・出典。",
    )
    parts: list[Part] = [Bullets(GUIDE), Table(caption, heads, rows, folded=True)]
    return Section("numbers", Words("What the numbers mean", "数値の意味"), parts)
