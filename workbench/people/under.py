"""Games that would have been legal under other rules, and the first difference of those that would not."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench import games
from workbench.engine import contract
from workbench.engine.trials import rules_of
from workbench.errors import text_of
from workbench.games import swapping
from workbench.games.results import RESULTS, all_endings
from workbench.language import LANGUAGES, translated
from workbench.people import replaying as r
from workbench.people.reading import ROOM, Games, stand
from workbench.questions.rulesets import Ruleset

DRAUGHTS = "draughts"
EXAMPLES = 3
"""Games that are named of each kind of difference."""


@dataclass
class Difference:
    """The fate of some games under a proposal."""

    games: int = 0
    legal: int = 0
    """Games that stay legal to their end, and end as they did."""
    other_result: int = 0
    """Games that stay legal to their end, where the proposal has another result."""
    plies: Counter[int] = field(default_factory=Counter)
    """The plies, from 1, of the first move that is not possible -> games."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Events of the first impossible move, with commas, or with a colon the ending before it -> games."""
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[Difference]) -> Difference:
        """The difference of several cells together."""
        whole = cls()
        for part in parts:
            whole.games += part.games
            whole.legal += part.legal
            whole.other_result += part.other_result
            whole.plies += part.plies
            whole.kinds += part.kinds
            for kind, named in part.examples.items():
                whole.examples[kind] = [*whole.examples.get(kind, []), *named][:EXAMPLES]
        return whole

    def as_json(self) -> dict[str, Any]:
        """All of it, as provenance keeps it."""
        return {
            "games": self.games, "legal": self.legal, "other_result": self.other_result,
            "plies": {str(ply): count for ply, count in sorted(self.plies.items())},
            "kinds": dict(self.kinds.most_common()), "examples": self.examples,
        }  # fmt: skip


class Proposal:
    """Follows games of a ruleset under another one of its family."""

    def __init__(self, base: Ruleset, proposal: Ruleset) -> None:
        self.proposal = proposal
        declaration = games.declaration(proposal.game)
        self._notation = games.notation(proposal.game)
        self._events = [event.name for event in declaration.events]
        self._endings = all_endings(declaration)
        self._base = rules_of(base.game, base.codes())
        self._rules = rules_of(proposal.game, proposal.codes())
        # Captures of several pieces are numbered by their place among all.
        captures = (
            importlib.import_module("workbench.games.draughts.kernel_captures") if base.game == DRAUGHTS else None
        )
        self._followed = r.Replayer(self._rules, ROOM, captures_from=captures.MULTI if captures else 0)
        self._buffer = np.zeros(int(contract.max_moves(self._rules)), np.int32)
        self._draw_value = int(self._rules.draw_value)
        self._renamed = self._names_of_squares()

    def _names_of_squares(self) -> dict[str, str]:
        """Names under the proposal of the squares of the games' rules, where they depend on the rules."""
        names = getattr(self._notation, "names", None)
        if names is None:
            return {}
        others = names(self._rules)
        return {name: others[bit] for bit, name in names(self._base).items() if bit in others}

    def _written(self, text: str) -> str:
        """A move of the games' rules as the proposal writes it."""
        return re.sub("[a-l]?[0-9]+", lambda name: self._renamed.get(name[0], name[0]), text) if self._renamed else text

    def follow(self, read: Games, labels: Sequence[str], into: Mapping[str, Difference], file: str) -> None:
        """Adds what becomes of some games to the differences of their cells."""
        found, moves = read.block.found, read.block.moves.copy()
        plies, drawn_at = found[:, r.PLIES], found[:, r.DRAWN_AT]
        about = self._followed.follow(self._base, moves, read.block.moves, plies, drawn_at).found
        self._by_text(read, moves, about)
        kind_of = {}
        for game in np.flatnonzero(about[:, r.STATUS] != r.WHOLE).tolist():
            if about[game, r.STATUS] == r.OVER:
                kind_of[game] = f":{self._endings[int(about[game, r.TERMINATION])].name}"
                continue
            line = read.block.moves[game, : int(about[game, r.PLIES]) + 1]
            before, after = stand(self._base, line[:-1]), stand(self._base, line)
            counts = np.zeros(len(self._events), np.int32)
            swapping.count_events(self._base, before, int(line[-1]), after, counts)
            kind_of[game] = ",".join(self._events[place] for place in np.flatnonzero(counts > 0).tolist())
        for game, label in enumerate(labels):
            difference = into[label]
            difference.games += 1
            if game in kind_of:
                kind = kind_of[game]
                difference.plies[int(about[game, r.PLIES]) + 1] += 1
                difference.kinds[kind] += 1
                named = difference.examples.setdefault(kind, [])
                if len(named) < EXAMPLES:
                    named.append(self._example(read, moves[game], game, about[game], file))
                continue
            end = read.told[game].end
            result = int(about[game, r.RESULT])
            result = RESULTS.index(end.result) if result == found[game, r.RESULT] else result
            if RESULTS[self._draw_value if result == contract.DRAW else result] == end.result:
                difference.legal += 1
            else:
                difference.other_result += 1

    def _by_text(self, read: Games, moves: Any, about: Any) -> None:
        """Goes on where a move is only numbered otherwise: a capture in draughts, by its place among all captures."""
        write = getattr(self._notation, "full", None)
        sure_to = np.full(len(moves), -1, np.int64)
        while write is not None:
            again = []
            for game in np.flatnonzero(about[:, r.STATUS] == r.UNMATCHED).tolist():
                ply = int(about[game, r.PLIES])
                line = read.block.moves[game]
                code = int(line[ply])
                base, there = stand(self._base, line[:ply]), stand(self._rules, moves[game, :ply])
                try:
                    other = self._notation.parse_move(self._rules, there, self._written(write(self._base, base, code)))
                except ValueError:
                    continue
                n = contract.legal_moves(self._rules, there, self._buffer)
                if int(other) in self._buffer[:n]:
                    moves[game, ply], sure_to[game] = other, ply
                    again.append(game)
            if not again:
                return
            found, played = read.block.found[again], read.block.moves[again]
            plies, drawn_at = found[:, r.PLIES], found[:, r.DRAWN_AT]
            about[again] = self._followed.follow(
                self._base, moves[again], played, plies, drawn_at, sure_to[again]
            ).found

    def _example(self, read: Games, moves: Any, game: int, about: Any, file: str) -> dict[str, Any]:
        """A game in which the proposal forbids a move: where it is, the move, and why it is forbidden.

        In brackets is the move as the proposal writes it, where its squares have other names.
        """
        ply = int(about[r.PLIES])
        line = read.block.moves[game]
        base, other = stand(self._base, line[:ply]), stand(self._rules, moves[:ply])
        text = str(self._notation.format_move(self._base, base, int(line[ply])))
        there = self._written(text)
        if about[r.STATUS] == r.OVER:
            reason = self._endings[int(about[r.TERMINATION])].sentence
        else:
            try:
                move = self._notation.parse_move(self._rules, other, there)
                reason = self._notation.explain(self._rules, other, there, move)
            except ValueError as problem:
                reason = text_of(problem)
        return {
            "file": file,
            "game": int(read.numbers[game]),
            "ply": ply + 1,
            "move": text if text == there else f"{text} ({there})",
            "reason": {language: translated(reason, language) for language in LANGUAGES},
        }
