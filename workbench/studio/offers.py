"""The players of the workbench that pages offer, by what their kinds declare."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.questions.agent_kinds import KINDS

DEPTHS = (1, 2, 3, 4)
BUDGETS = (1_000, 10_000, 100_000)


def offered_agents(size: str = "", values: Iterable[int] = (0,), evaluates: bool = False) -> list[str]:
    """The agents that are offered by some depths or nodes, or without either, as tables call them.

    Where they must have an evaluation, only those of kinds that have one.
    """
    kinds = [kind for kind in KINDS.values() if size in kind.offered and kind.evaluates >= evaluates]
    return [kind.label(size, value) for kind in kinds for value in values]
