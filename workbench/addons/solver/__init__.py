"""Exact solutions of small games and proofs of their values; `workbench.players.library` reads saved solutions."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.solver import command as command


@offers
def solve_states(ruleset: Any, project: Any) -> Any:
    """Return the hashes and values of all states; the solution is saved if there is a project."""
    from workbench.addons.solver import solving

    solution = solving.solve_ruleset(ruleset, random=False)
    if project:
        solving.save_solution(solution, ruleset, project)
    return solution.book
