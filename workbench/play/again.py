"""Games of records, played again from their seeds.

The games are not in the records, but their seeds are: the engine plays them again, and the hash of their moves tells
whether they came out the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import games
from workbench.engine import trials
from workbench.engine.players import Player
from workbench.files.yamlfile import InputError, Problem
from workbench.games.openings import opening_moves, opening_texts
from workbench.learning import library
from workbench.play.match import Played, exported
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset
from workbench.store.records import LINE

if TYPE_CHECKING:
    import pandas as pd

    from workbench.statistics import AnalysisPlan

JSON, TEXT = "json", "text"
Weights = Mapping[str, Mapping[str, float]]
"""The default weights of each family at the time of a run."""


@dataclass(frozen=True)
class Again:
    """Some games of one cell, as plain data for another process."""

    ruleset: Ruleset
    labels: tuple[str, str]
    players: tuple[Player, Player]
    max_plies: int
    records: tuple[Mapping[str, Any], ...]
    lines: tuple[str, ...] | None = None
    """The line that each game began with; None where the players chose from the first move on."""

    @classmethod
    def of(cls, records: pd.DataFrame, plan: AnalysisPlan, weights: Weights) -> Again:
        """The records of some games of one cell.

        Raises:
            InputError: the game family, a player or what it has learned is not at hand, or one comes from outside.
        """
        name, *labels = (str(records[column].iloc[0]) for column in ("ruleset", "first", "second"))
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            raise InputError([Problem(name, None, None, f"this version knows no game {ruleset.game}")])
        players = []
        for label in labels:
            agent = plan.agents[label]
            if agent.outside:
                message = "plays from outside: no program is started to play its games again"
                raise InputError([Problem(label, None, None, message)])
            players.append(library.player(_as_it_played(agent, weights.get(ruleset.game, {})), ruleset))
        columns = ["game", "seed", "game_hash", "plies", "result", "termination"]
        lines = None
        if LINE.name in records and name in plan.lines:
            lines = tuple(plan.lines[name][int(number)] for number in records[LINE.name])
        rows: list[Any] = records[columns].to_dict("records")
        return cls(ruleset, (labels[0], labels[1]), (players[0], players[1]), plan.max_plies, tuple(rows), lines)

    def part(self, start: int, stop: int) -> Again:
        """Some of the games, from and up to."""
        lines = self.lines[start:stop] if self.lines is not None else None
        return replace(self, records=self.records[start:stop], lines=lines)

    def moves(self) -> list[tuple[int, ...] | None]:
        """The moves of each game; None where this version of the workbench plays another one from its seed."""
        played = trials.run_block(
            self.ruleset.game,
            self.ruleset.codes(),
            *self.players,
            np.array([record["seed"] for record in self.records], np.uint64),
            self.max_plies,
            keep=max(int(record["plies"]) for record in self.records),
            lines=None if self.lines is None else opening_moves(self.ruleset.game, self.ruleset.codes(), self.lines),
        )
        return [
            tuple(played["opening"][i, : record["plies"]].tolist())
            if f"{int(played['game_hash'][i]):016x}" == record["game_hash"]
            else None
            for i, record in enumerate(self.records)
        ]


def _as_it_played(agent: AgentSpec, weights: Mapping[str, float]) -> AgentSpec:
    """The agent with the default weights of its time, but for those that are its own."""
    return replace(agent, weights=tuple(sorted({**weights, **dict(agent.weights)}.items())))


def written(number: int, some: Again, kind: str) -> tuple[int, list[str | None]]:
    """The number, and each game as text of some kind: ``json``, ``text``, or what the family exchanges games in.

    None stands for a game that this version of the workbench does not play any more.
    """
    texts: list[str | None] = []
    found = some.moves()
    lists = np.full((len(found), max(len(moves or ()) for moves in found)), -1, np.int32)
    for line, moves in zip(lists, found, strict=True):
        line[: len(moves or ())] = moves or ()
    words = opening_texts(some.ruleset.game, some.ruleset.codes(), lists)
    for record, moves, text in zip(some.records, found, words, strict=True):
        if moves is None:
            texts.append(None)
            continue
        played = Played(
            int(record["game"]),
            int(record["seed"]),
            moves,
            tuple(text.split()),
            record["result"],
            record["termination"],
        )
        texts.append(_text(some, played, kind))
    return number, texts


def _text(some: Again, played: Played, kind: str) -> str:
    first, second = some.labels
    if kind == JSON:
        import json

        cell = {"ruleset": some.ruleset.name, "first": first, "second": second}
        return json.dumps(cell | played.as_json() | {"game": played.game + 1}, ensure_ascii=False) + "\n"
    if kind == TEXT:
        ended = f"{played.result} ({played.termination}, {len(played.moves)})"
        about = (some.ruleset.name, f"{first} - {second}", f"#{played.game + 1}", f"seed={played.seed}", ended)
        return f"{' | '.join(about)}\n{' '.join(played.moves)}\n\n"
    return exported(some.ruleset, played, first, second) + "\n"


def blocks(whole: Sequence[Again], agents: Mapping[str, AgentSpec]) -> list[Again]:
    """The games in parts of about a second, in their order."""
    parts = []
    for each in whole:
        size = min(agents[label].block() for label in each.labels)
        parts += [each.part(start, start + size) for start in range(0, len(each.records), size)]
    return parts
