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


class _Known(MappingOf):
    """The value, whose moves must not contradict each other."""

    def read(self, node: Node, problems: list[Problem]) -> KnownValue | None:
        """What a file says; None, and problems, if it cannot be meant."""
        before = len(problems)
        values = self.values(node, problems)
        written = (node.descendant(name).value for name in ("winning_first_moves", "losing_first_moves"))
        winning, losing = (items if isinstance(items, tuple) else () for items in written)
        problems += [
            item.expected(tr("a move that wins or one that loses"), found=tr("{item} among both", item=item.text))
            for item in losing
            if item.text in {other.text for other in winning}
        ]
        if winning and values.get("best_play") in ("second", "draw"):
            none = tr("no first moves that win where best_play is {best_play}", best_play=values["best_play"])
            hint = tr("write best_play: first, or leave them out")
            problems.append(node.descendant("winning_first_moves").expected(none, hint, found=len(winning)))
        return KnownValue(**values, nodes=(*winning, *losing)) if len(problems) == before else None


KNOWN = _Known("known", keys_of(KnownValue))
