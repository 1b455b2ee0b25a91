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
from workbench.language import tr
from workbench.questions.keys import ListOf, MappingOf, OneOf, Text, key, keys_of

VALUES = ("first", "second", "draw")


@dataclass(frozen=True)
class KnownValue:
    """The result of best play from the start."""

    best_play: str = key(
        OneOf(VALUES), tr("Who wins if both sides play best, first or second; draw if neither."), "draw", required=True
    )
    source: str = key(Text(), tr("Who found it, and where it is told."), "J. Schaeffer et al., 2007", required=True)
    winning_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        tr("First moves that are known to win for the first player, in the notation of the game."),
        ["22-18"],
        default=(),
    )
    losing_first_moves: tuple[str, ...] = key(
        ListOf("moves", Text(), once="move"),
        tr("First moves that are known to lose for the first player."),
        ["23-19", "24-20"],
        default=(),
    )
    nodes: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    """Where the file writes its first moves."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``workbench show --json`` prints it."""
        moves = {name: list(getattr(self, name)) for name in ("winning_first_moves", "losing_first_moves")}
        return {"best_play": self.best_play, "source": self.source} | moves

    def describe(self) -> Iterator[str]:
        """What is known, a line each."""
        result = (
            tr("a draw") if self.best_play == "draw" else tr("the {best_play} player wins", best_play=self.best_play)
        )
        yield tr("best play: {result}", result=result)
        yield tr("known from: {source}", source=self.source)
        if self.winning_first_moves:
            yield tr(
                "first moves that win: {winning_first_moves}", winning_first_moves=", ".join(self.winning_first_moves)
            )
        if self.losing_first_moves:
            yield tr(
                "first moves that lose: {losing_first_moves}", losing_first_moves=", ".join(self.losing_first_moves)
            )


KEYS = keys_of(KnownValue)
_MAPPING = MappingOf("known", KEYS)


def known_value_schema() -> dict[str, Any]:
    """The JSON Schema of ``known``."""
    return _MAPPING.schema()


def read_known_value(node: Node, problems: list[Problem]) -> KnownValue | None:
    """What a file says under ``known``; None, and problems, if it cannot be meant."""
    before = len(problems)
    values = _MAPPING.values(node, problems)
    winning, losing = (_items_of(node, name) for name in ("winning_first_moves", "losing_first_moves"))
    problems += [
        item.problem(tr("expected a move that wins or one that loses, found {item} among both", item=item.text))
        for item in losing
        if item.text in {other.text for other in winning}
    ]
    if winning and values.get("best_play") in ("second", "draw"):
        said = values["best_play"]
        problems.append(
            node.descendant("winning_first_moves").problem(
                tr(
                    "expected no first moves that win where best_play is {best_play}, found {found}",
                    best_play=said,
                    found=len(winning),
                ),
                tr("write best_play: first, or leave them out"),
            )
        )
    return KnownValue(**values, nodes=(*winning, *losing)) if len(problems) == before else None


def _items_of(node: Node, name: str) -> tuple[Node, ...]:
    items = node.descendant(name).value
    return items if isinstance(items, tuple) else ()
