"""What is known of best play under a ruleset, and who says so.

It is said of the very rules of the file that says it: it has no part in their fingerprint, and what extends them does
not inherit it, since another rule may have another value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import Problem
from workbench.files.yamlfile import Node
from workbench.questions.keys import ListOf, OneOf, Text, key, keys_of, unknown

VALUES = ("first", "second", "draw")


@dataclass(frozen=True)
class KnownValue:
    """The result of best play from the start."""

    best_play: str = key(
        OneOf(VALUES), "Who wins if both sides play best, first or second; draw if neither.", "draw", required=True
    )
    source: str = key(Text(), "Who found it, and where it is told.", "J. Schaeffer et al., 2007", required=True)
    winning_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        "First moves that are known to win for the first player, in the notation of the game.",
        ["22-18"],
        default=(),
    )
    losing_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        "First moves that are known to lose for the first player.",
        ["23-19", "24-20"],
        default=(),
    )
    places: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """Where the file writes its first moves."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``workbench show --json`` prints it."""
        moves = {name: list(getattr(self, name)) for name in ("winning_first_moves", "losing_first_moves")}
        return {"best_play": self.best_play, "source": self.source} | moves

    def told(self) -> Iterator[str]:
        """What is known, a line each."""
        result = "a draw" if self.best_play == "draw" else f"the {self.best_play} player wins"
        yield f"best play: {result}"
        yield f"known from: {self.source}"
        if self.winning_first_moves:
            yield f"first moves that win: {', '.join(self.winning_first_moves)}"
        if self.losing_first_moves:
            yield f"first moves that lose: {', '.join(self.losing_first_moves)}"


KEYS = keys_of(KnownValue)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``known``."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [one.name for one in KEYS.values() if one.required],
        "properties": {name: one.schema() for name, one in KEYS.items()},
    }


def read(node: Node, problems: list[Problem]) -> KnownValue | None:
    """What a file says under ``known``; None, and problems, if it cannot be meant."""
    entries = node.value
    if not isinstance(entries, dict):
        example = 'for instance {best_play: draw, source: "J. Schaeffer et al., 2007"}'
        problems.append(node.problem(f"expected what is known of best play, found {node.described()}", example))
        return None
    before = len(problems)
    problems += unknown(entries, KEYS, "known")
    values: dict[str, Any] = {}
    for name, declared in KEYS.items():
        if name in entries:
            values[name] = declared.kind.read(entries[name], problems)
        elif declared.required:
            hint = declared.missing(node.file, node.line).hint
            problems.append(node.problem(f"expected {name}, found none", hint))
    winning, losing = (_items(entries.get(name)) for name in ("winning_first_moves", "losing_first_moves"))
    problems += [
        item.problem(f"expected a move that wins or one that loses, found {item.text} among both")
        for item in losing
        if item.text in {other.text for other in winning}
    ]
    if winning and values.get("best_play") in ("second", "draw"):
        said = values["best_play"]
        problems.append(
            entries["winning_first_moves"].problem(
                f"expected no first moves that win where best_play is {said}, found {len(winning)}",
                "write best_play: first, or leave them out",
            )
        )
    return KnownValue(**values, places=(*winning, *losing)) if len(problems) == before else None


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.value if node is not None and isinstance(node.value, tuple) else ()
