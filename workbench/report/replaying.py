"""Recorded games, replayed from their seeds or moves and export_game as text or JSON."""

from __future__ import annotations

import json
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
from workbench.players.match import Played, export_game
from workbench.positions.game_state import opening_moves, opening_texts
from workbench.records.records import LINE, MOVES
from workbench.rules.rulesets import Ruleset

if TYPE_CHECKING:
    import pandas as pd

    from workbench.statistics import AnalysisPlan

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
    """The start of the run as in game files: 2026.11.25."""
    given: Any = None
    """The prescribed moves of each game, int32 (games x plies, padded with -1); None if players chose every move."""
    complete: bool = False
    """True if these are the recorded moves of whole games, not just opening lines."""
    people: bool = False
    """True if people played: they may end a game before the rules do."""

    @classmethod
    def of(cls, records: pd.DataFrame, plan: AnalysisPlan, weights: Weights) -> ReplayBatch:
        """Return the records of some games of one cell.

        Raises:
            InputError: the game family, a player or its training is unavailable, or the player is external.
        """
        name, *labels = (str(records[column].iloc[0]) for column in ("ruleset", "first", "second"))
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            raise input_error(tr("this version knows no game {game}", game=ruleset.game), file=name)
        given = None
        complete = MOVES.name in records and bool(records[MOVES.name].notna().all())
        if complete:
            given = move_array([np.fromstring(text, np.int32, sep=" ") for text in map(str, records[MOVES.name])])
        elif LINE.name in records and name in plan.line_texts:
            numbers = records[LINE.name].to_numpy(np.intp)
            given = opening_moves(ruleset.game, ruleset.codes(), plan.line_texts[name])[numbers]
        players = []
        for label in labels:
            agent = plan.agents[label]
            if agent.outside and not complete:
                message = tr("plays from outside: no program is started to play its games again")
                raise input_error(message, file=label)
            # The default weights may have changed since the run; explicit weights have not.
            at_the_time = {**weights.get(ruleset.game, {}), **dict(agent.weights)}
            agent = replace(agent, weights=tuple(sorted(at_the_time.items())))
            players.append(library.engine_player(agent, ruleset))
        rows: list[Any] = records[["game", "seed", "game_hash", "plies", "result", "termination"]].to_dict("records")
        return cls(
            ruleset, (labels[0], labels[1]), (players[0], players[1]), plan.experiment.max_plies, tuple(rows),
            plan.date, given, complete, any(plan.agents[label].kind == PEOPLE for label in labels),
        )  # fmt: skip

    def part(self, start: int, stop: int) -> ReplayBatch:
        """Return the games from ``start`` up to but excluding ``stop``."""
        given = None if self.given is None else self.given[start:stop]
        return replace(self, records=self.records[start:stop], given=given)

    def moves(self) -> list[tuple[int, ...] | None]:
        """Return the moves of each game; None where this version of the workbench plays another one from its seed."""
        return [
            None if other else tuple(line[: record["plies"]].tolist())
            for line, record, other in zip(*self.lists(), strict=True)
        ]

    def lists(self) -> tuple[Any, Sequence[Mapping[str, Any]], Any]:
        """Return each game's moves (int32, games x plies, padded with -1) and record, and whether it differs now.

        Recorded moves are replayed by the rules alone, without the players.
        """
        game, codes = self.ruleset.game, self.ruleset.codes()
        recorded = np.array([int(record["game_hash"], 16) for record in self.records], np.uint64)
        if self.people:
            hashes = addons().replay_moves(rules=trials.make_rules(game, codes), lines=self.given)
            return self.given, self.records, hashes != recorded
        idle = random_player(len(games.declaration(game).features))
        played = trials.run_block(BlockArguments(
            game, codes, *((idle, idle) if self.complete else self.players),
            np.array([record["seed"] for record in self.records], np.uint64), self.max_plies,
            keep=max(int(record["plies"]) for record in self.records), lines=self.given,
        ))  # fmt: skip
        return played["opening"], self.records, np.asarray(played["game_hash"], np.uint64) != recorded


def move_array(lines: Sequence[Any]) -> Any:
    """Return lines of moves as int32 (lines x plies), padded with -1."""
    moves = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int32)
    for row, line in zip(moves, lines, strict=True):
        row[: len(line)] = line
    return moves


def replayed_texts(batch: ReplayBatch, kind: str) -> list[str | None]:
    """Return each game as text: ``json``, ``text``, or in the format that the family's programs exchange.

    None stands for a game that this version of the workbench plays differently.
    """
    replayed = batch.moves()
    lines = move_array([moves or () for moves in replayed])
    words = opening_texts(batch.ruleset.game, batch.ruleset.codes(), lines)
    texts: list[str | None] = []
    for record, moves, text in zip(batch.records, replayed, words, strict=True):
        if moves is None:
            texts.append(None)
            continue
        number, seed, plies = int(record["game"]), int(record["seed"]), tuple(text.split())
        played = Played(number, seed, moves, plies, record["result"], record["termination"])
        texts.append(_text(batch, played, kind))
    return texts


def _text(batch: ReplayBatch, played: Played, kind: str) -> str:
    name, (first, second) = batch.ruleset.name, batch.labels
    if kind == JSON:
        cell = {"ruleset": name, "first": first, "second": second}
        return json.dumps(cell | played.as_json() | {"game": played.game + 1}, ensure_ascii=False) + "\n"
    if kind == TEXT:
        result = f"{played.result} ({played.termination}, {len(played.moves)})"
        about = (name, f"{first} - {second}", f"#{played.game + 1}", f"seed={played.seed}", result)
        return f"{' | '.join(about)}\n{' '.join(played.moves)}\n\n"
    return export_game(batch.ruleset, played, first, second, batch.date) + "\n"


def replay_blocks(batches: Sequence[ReplayBatch], agents: Mapping[str, AgentSpec]) -> list[ReplayBatch]:
    """Return the games in batches that take about a second each, in their order."""
    blocks = []
    for batch in batches:
        size = min(agents[label].block() for label in batch.labels)
        blocks += [batch.part(start, start + size) for start in range(0, len(batch.records), size)]
    return blocks
