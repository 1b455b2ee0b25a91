"""Recorded games, replayed from their seeds or moves, and exported as text or JSON."""

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
    """Games of one cell as plain data, to be replayed in another process."""

    ruleset: Ruleset
    labels: tuple[str, str]
    players: tuple[Player, Player]
    max_plies: int
    records: tuple[Mapping[str, Any], ...]
    date: str = ""
    """The start of the run in the format of game files: 2026.11.25."""
    lines: Any = None
    """Each game's prescribed moves, int32 (games x plies, padded with -1); None if players chose every move."""
    complete: bool = False
    """True if ``lines`` are complete games and not only openings."""
    people: bool = False
    """True if people played: they may end a game before the rules do."""

    @classmethod
    def of(cls, records: pd.DataFrame, plan: AnalysisPlan, weights: Weights) -> ReplayBatch:
        """Return a batch of ``records``, which must be games of one cell.

        Raises:
            InputError: the game family, a player or its training is unavailable, or the player is external.
        """
        name, *labels = (str(records[column].iloc[0]) for column in ("ruleset", "first", "second"))
        ruleset = plan.ruleset(name)
        if ruleset.game not in games.names():
            raise input_error(tr("this version has no game {game}", game=ruleset.game), file=name)
        lines = None
        complete = MOVES.name in records and bool(records[MOVES.name].notna().all())
        if complete:
            lines = move_array([np.fromstring(text, np.int32, sep=" ") for text in map(str, records[MOVES.name])])
        elif LINE.name in records and name in plan.line_texts:
            numbers = records[LINE.name].to_numpy(np.intp)
            lines = opening_moves(ruleset.game, ruleset.codes(), plan.line_texts[name])[numbers]
        players = []
        for label in labels:
            agent = plan.agents[label]
            if agent.outside and not complete:
                message = tr("is external: no program is started to replay its games")
                raise input_error(message, file=label)
            # The default weights may have changed since the run; explicit weights have not.
            run_weights = {**weights.get(ruleset.game, {}), **dict(agent.weights)}
            agent = replace(agent, weights=tuple(sorted(run_weights.items())))
            players.append(library.engine_player(agent, ruleset))
        rows: list[Any] = records[["game", "seed", "game_hash", "plies", "result", "termination"]].to_dict("records")
        return cls(
            ruleset, (labels[0], labels[1]), (players[0], players[1]), plan.experiment.max_plies, tuple(rows),
            plan.date, lines, complete, any(plan.agents[label].kind == PEOPLE for label in labels),
        )  # fmt: skip

    def part(self, start: int, stop: int) -> ReplayBatch:
        """Return a batch of the games from ``start`` up to ``stop``, which is excluded."""
        lines = None if self.lines is None else self.lines[start:stop]
        return replace(self, records=self.records[start:stop], lines=lines)

    def moves(self) -> list[tuple[int, ...] | None]:
        """Return each game's moves, or None if this version of the workbench plays a different game from its seed."""
        return [
            None if differs else tuple(line[: record["plies"]].tolist())
            for line, record, differs in zip(*self.replay(), strict=True)
        ]

    def replay(self) -> tuple[Any, Sequence[Mapping[str, Any]], Any]:
        """Return the moves (int32, games x plies, padded with -1), the records, and True for each game that differs.

        Recorded moves are replayed by the rules, without players.
        """
        game, codes = self.ruleset.game, self.ruleset.codes()
        recorded = np.array([int(record["game_hash"], 16) for record in self.records], np.uint64)
        if self.people:
            hashes = addons().replay_moves(rules=trials.make_rules(game, codes), lines=self.lines)
            return self.lines, self.records, hashes != recorded
        placeholder = random_player(len(games.declaration(game).features))
        played = trials.run_block(BlockArguments(
            game, codes, *((placeholder, placeholder) if self.complete else self.players),
            np.array([record["seed"] for record in self.records], np.uint64), self.max_plies,
            keep=max(int(record["plies"]) for record in self.records), lines=self.lines,
        ))  # fmt: skip
        return played["opening"], self.records, np.asarray(played["game_hash"], np.uint64) != recorded


def move_array(lines: Sequence[Any]) -> Any:
    """Return lines of moves as int32 (lines x plies), padded with -1."""
    moves = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int32)
    for row, line in zip(moves, lines, strict=True):
        row[: len(line)] = line
    return moves


def replayed_texts(batch: ReplayBatch, kind: str) -> list[str | None]:
    """Return each game as text: ``json``, ``text``, or the format that the family's programs exchange.

    The text is None if this version of the workbench plays the game differently.
    """
    replayed = batch.moves()
    lines = move_array([moves or () for moves in replayed])
    notations = opening_texts(batch.ruleset.game, batch.ruleset.codes(), lines)
    texts: list[str | None] = []
    for record, moves, notation in zip(batch.records, replayed, notations, strict=True):
        if moves is None:
            texts.append(None)
            continue
        number, seed, move_texts = int(record["game"]), int(record["seed"]), tuple(notation.split())
        played = Played(number, seed, moves, move_texts, record["result"], record["termination"])
        texts.append(_text(batch, played, kind))
    return texts


def _text(batch: ReplayBatch, played: Played, kind: str) -> str:
    name, (first, second) = batch.ruleset.name, batch.labels
    if kind == JSON:
        cell = {"ruleset": name, "first": first, "second": second}
        return json.dumps(cell | played.as_json() | {"game": played.game + 1}, ensure_ascii=False) + "\n"
    if kind == TEXT:
        result = f"{played.result} ({played.termination}, {len(played.moves)})"
        header = (name, f"{first} - {second}", f"#{played.game + 1}", f"seed={played.seed}", result)
        return f"{' | '.join(header)}\n{' '.join(played.moves)}\n\n"
    return export_game(batch.ruleset, played, first, second, batch.date) + "\n"


def replay_blocks(batches: Sequence[ReplayBatch], agents: Mapping[str, AgentSpec]) -> list[ReplayBatch]:
    """Split batches into smaller ones that take about a second each, in the same order."""
    blocks = []
    for batch in batches:
        size = min(agents[label].block_size() for label in batch.labels)
        blocks += [batch.part(start, start + size) for start in range(0, len(batch.records), size)]
    return blocks
