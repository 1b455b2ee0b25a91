"""Games of records, played again from their seeds or moves, and written as text or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import games
from workbench.base.addons import addons
from workbench.base.errors import input_error
from workbench.base.language import tr
from workbench.engine import trials
from workbench.engine.players import BlockArguments, Player, random_player
from workbench.players import library
from workbench.players.agent_kinds import PEOPLE
from workbench.players.agents import AgentSpec
from workbench.positions.playing import opening_moves, opening_texts
from workbench.records.records import LINE, MOVES
from workbench.rules.rulesets import Ruleset

if TYPE_CHECKING:
    import pandas as pd

    from workbench.statistics import AnalysisPlan

from workbench.players.match import Played, exported

JSON, TEXT = "json", "text"
Weights = Mapping[str, Mapping[str, float]]
"""The default weights of each family at the time of a run."""


@dataclass(frozen=True)
class ReplayBatch:
    """Some games of one cell, as plain data for another process."""

    ruleset: Ruleset
    labels: tuple[str, str]
    players: tuple[Player, Player]
    max_plies: int
    records: tuple[Mapping[str, Any], ...]
    date: str = ""
    """When the run began, as game files write it: 2026.11.25."""
    lines: tuple[str, ...] | None = None
    """The line that each game began with; None where the players chose from the first move on."""
    kept: tuple[str, ...] | None = None
    """The moves of each game as its record keeps them; None where those of some were not kept."""
    people: bool = False
    """True if people played them: they end where people ended them, and not only by the rules."""

    @classmethod
    def of(cls, records: pd.DataFrame, plan: AnalysisPlan, weights: Weights) -> ReplayBatch:
        """Return the records of some games of one cell.

        Raises:
            InputError: the game family, a player or what it has learned is not at hand, or one comes from outside.
        """
        name, *labels = (str(records[column].iloc[0]) for column in ("ruleset", "first", "second"))
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            raise input_error(tr("this version knows no game {game}", game=ruleset.game), file=name)
        players = []
        kept = None
        if MOVES.name in records and records[MOVES.name].notna().all():
            kept = tuple(map(str, records[MOVES.name]))
        for label in labels:
            agent = plan.agents[label]
            if agent.outside and kept is None:
                message = tr("plays from outside: no program is started to play its games again")
                raise input_error(message, file=label)
            players.append(library.engine_player(_as_it_played(agent, weights.get(ruleset.game, {})), ruleset))
        columns = ["game", "seed", "game_hash", "plies", "result", "termination"]
        lines = None
        if LINE.name in records and name in plan.line_texts:
            lines = tuple(plan.line_texts[name][int(number)] for number in records[LINE.name])
        rows: list[Any] = records[columns].to_dict("records")
        players_of = players[0], players[1]
        people = any(plan.agents[label].kind == PEOPLE for label in labels)
        return cls(
            ruleset, (labels[0], labels[1]), players_of, plan.experiment.max_plies, tuple(rows), plan.date, lines, kept,
            people,
        )  # fmt: skip

    def part(self, start: int, stop: int) -> ReplayBatch:
        """Some of the games, from and up to."""
        lines = self.lines[start:stop] if self.lines is not None else None
        kept = self.kept[start:stop] if self.kept is not None else None
        return replace(self, records=self.records[start:stop], lines=lines, kept=kept)

    def moves(self) -> list[tuple[int, ...] | None]:
        """Return the moves of each game; None where this version of the workbench plays another one from its seed."""
        return [
            None if other else tuple(line[: record["plies"]].tolist())
            for line, record, other in zip(*self.lists(), strict=True)
        ]

    def lists(self) -> tuple[Any, Sequence[Mapping[str, Any]], Any]:
        """The moves of each game: int32 (games x plies, -1 after the end); its record; whether it is another game now.

        Those that were kept are played again by the rules alone, without the players.
        """
        if self.people:
            lines = self._begun()
            rules = trials.make_rules(self.ruleset.game, self.ruleset.codes())
            hashes = addons().replay_moves(rules=rules, lines=lines)
            codes = [int(record["game_hash"], 16) for record in self.records]
            return lines, self.records, hashes != np.array(codes, np.uint64)
        idle = random_player(len(games.declaration(self.ruleset.game).features))
        played = trials.run_block(
            BlockArguments(
                self.ruleset.game,
                self.ruleset.codes(),
                *(self.players if self.kept is None else (idle, idle)),
                np.array([record["seed"] for record in self.records], np.uint64),
                self.max_plies,
                keep=max(int(record["plies"]) for record in self.records),
                lines=self._begun(),
            )
        )
        others = [
            f"{int(code):016x}" != record["game_hash"]
            for code, record in zip(played["game_hash"], self.records, strict=True)
        ]
        return played["opening"], self.records, np.array(others, np.bool_)

    def _begun(self) -> Any:
        """Return the moves that are given of each game, as `run_block` takes them."""
        if self.kept is not None:
            codes = [np.fromstring(text, np.int32, sep=" ") for text in self.kept]
            lines = np.full((len(codes), max(map(len, codes))), -1, np.int32)
            for line, moves in zip(lines, codes, strict=True):
                line[: len(moves)] = moves
            return lines
        if self.lines is not None:
            return opening_moves(self.ruleset.game, self.ruleset.codes(), self.lines)
        return None


def _as_it_played(agent: AgentSpec, weights: Mapping[str, float]) -> AgentSpec:
    """Return the agent with the default weights of its time, but for those that are its own."""
    return replace(agent, weights=tuple(sorted({**weights, **dict(agent.weights)}.items())))


def replayed_texts(some: ReplayBatch, kind: str) -> list[str | None]:
    """Return each game as text of some kind: ``json``, ``text``, or what the family exchanges games in.

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
    return texts


def _text(some: ReplayBatch, played: Played, kind: str) -> str:
    first, second = some.labels
    if kind == JSON:
        import json

        cell = {"ruleset": some.ruleset.name, "first": first, "second": second}
        return json.dumps(cell | played.as_json() | {"game": played.game + 1}, ensure_ascii=False) + "\n"
    if kind == TEXT:
        ended = f"{played.result} ({played.termination}, {len(played.moves)})"
        about = (some.ruleset.name, f"{first} - {second}", f"#{played.game + 1}", f"seed={played.seed}", ended)
        return f"{' | '.join(about)}\n{' '.join(played.moves)}\n\n"
    return exported(some.ruleset, played, first, second, some.date) + "\n"


def replay_blocks(whole: Sequence[ReplayBatch], agents: Mapping[str, AgentSpec]) -> list[ReplayBatch]:
    """Return the games in parts of about a second, in their order."""
    parts = []
    for each in whole:
        size = min(agents[label].block() for label in each.labels)
        parts += [each.part(start, start + size) for start in range(0, len(each.records), size)]
    return parts
