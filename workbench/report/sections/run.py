"""How an experiment was run: what is needed to run it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.language.text import Text, verbatim
from workbench.report.model import Facts, Paragraph, Part, Section, Table, TableCell
from workbench.report.names import Names
from workbench.store.provenance import openings_in_words

OUTSIDE = Text(
    "That holds for the workbench's own players. Of players from outside it holds where their author assures it, by "
    "reproducible: true.",
    "ただし、これは本ソフト内蔵のプレイヤーについてである。外部のプレイヤーでは、作者が reproducible: true と"
    "明記した場合に限る。",
)
MOST_SHOWN = 20
"""Rulesets in the table of the run that are shown without being asked for."""


def how_it_was_run(provenance: Mapping[str, Any], names: Names) -> Section:
    """Command, seed, players, machine and rules of the run."""
    experiment = provenance["experiment"]
    versions, engines = provenance.get("versions", {}), provenance.get("engines", {})
    agents: dict[str, str] = {}
    for pair in provenance["pairings"]:
        for seat in ("first", "second"):
            agents[str(pair[seat])] = _options(pair.get(f"{seat}_options", {}))
    for label, each in provenance.get("players", {}).items():
        if label in agents:
            agents[label] += f" ({each['name']})"
    continued = provenance.get("continued", [])
    # Not there if the file was lost once and made again.
    machine = [provenance["cpu"], f"{provenance['workers']} workers"] if {"cpu", "workers"} <= set(provenance) else []
    facts = [
        (Text("command", "コマンド"), str(provenance.get("command", ""))),
        (Text("seed", "乱数の種"), str(experiment.get("seed", ""))),
        (Text("games per cell, at most", "組み合わせごとの最大対局数"), f"{experiment.get('games', '')}"),
        (Text("stopped after plies", "打ち切りの手数"), f"{experiment.get('max_plies', '')}"),
        (Text("openings", "序盤"), openings_in_words(experiment.get("openings")) if experiment.get("openings") else ""),
        (Text("capped games", "打ち切りの扱い"), _adjudication(experiment.get("capped"))),
        *((verbatim(label), options) for label, options in agents.items()),
        *_learned(provenance.get("learned") or {}),
        (Text("begun", "開始"), str(provenance.get("started", ""))),
        *((Text("continued", "再開"), f"{one['started']}: {one['command']}") for one in continued),
        (Text("machine", "計算機"), ", ".join(machine)),
        (Text("versions", "版"), ", ".join(f"{name} {version}" for name, version in versions.items())),
        (Text("digest of the kernels", "カーネルのダイジェスト"), ", ".join(map(" ".join, engines.items()))),
    ]
    ends = {name: experiment[name] for name in ("until", "precision", "looks") if experiment.get(name)}
    if "until" in ends or "precision" in ends:
        facts.insert(3, (Text("may end early", "早期終了の条件"), _options(ends)))
    if experiment.get("targets"):
        goals = json.dumps(experiment["targets"], ensure_ascii=False)
        facts.insert(4, (Text("targets", "目標"), goals))
    rows = [
        [
            names.cell(variant.name, titled=True),
            TableCell(verbatim(variant.name)),
            TableCell(verbatim(variant.fingerprint)),
        ]
        for variant in names.plan.rulesets
    ]
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("full name", "正式名")),
        TableCell(Text("fingerprint", "フィンガープリント")),
    ]
    caption = Text(
        "The rules that were played: equal fingerprints are equal rules. All settings are in provenance.json.",
        "使用したルール。フィンガープリントが等しければ同じルールである。すべての設定はprovenance.jsonにある。",
    )
    outside = any(pair.get("reproducible") is False for pair in provenance["pairings"])
    seeds = Text(
        "Every game has its own seed, made from the seed of the experiment, the fingerprint, the players and the "
        "number of the game: the same command plays the same games on any machine and with any number of workers.",
        "各対局の乱数の種は、実験の種、ルールのフィンガープリント、プレイヤー、対局番号から決まる。同じコマンドは、"
        "どの計算機でもワーカー数によらず同じ棋譜を生む。",
    )
    parts: list[Part] = [
        Facts([(name, verbatim(value)) for name, value in facts if value], code=True),
        Paragraph(seeds, "note"),
        *([Paragraph(OUTSIDE, "note")] if outside else []),
        Table(
            caption,
            heads,
            rows,
            names.rulesets.index(names.plan.baseline) if names.plan.baseline else None,
            folded=len(rows) > MOST_SHOWN,
        ),
    ]
    return Section("run", Text("How this was run", "実行条件"), parts)


def _learned(learned: Mapping[str, Any]) -> list[tuple[Text, str]]:
    """The learned weights that were played by: digest, how they did in their match, and whether they were accepted."""
    facts = []
    for ruleset, trainings in learned.items():
        told = []
        for training, each in trainings.items():
            match = each["match"]
            score = 100 * (match["wins"] + match["draws"] / 2) / max(1, sum(match.values()))
            verdict = "" if each["accepted"] else ", not accepted: the game's own weights"
            verdict += "" if each.get("prunes", True) else ", searches leave nothing out"
            told.append(f"{training}: {each['digest']} ({score:.1f} % of {sum(match.values())} games{verdict})")
        words = Text("learned weights of {ruleset}, by training", "{ruleset}の学習済みの重み（学習ごと）")
        facts.append((words.format(ruleset=ruleset), "; ".join(told)))
    return facts


def _adjudication(capped: Mapping[str, Any] | None) -> str:
    """What became of the games that reached the cap, as the provenance says it."""
    if not capped:
        return "bounds"
    return f"adjudicate: threshold {capped['threshold']}, {capped['judge']} ({_options(capped['options'])})"


def _options(options: Mapping[str, Any]) -> str:
    return ", ".join(
        str(value)
        if name == "kind"
        else f"{name} ({_options(value)})"
        if isinstance(value, Mapping)
        else f"{name} {value}"
        for name, value in options.items()
        if value != {}
    )
