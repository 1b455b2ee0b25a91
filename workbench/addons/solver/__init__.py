"""Exact values: solves small games, or proves their values forwards."""

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Adds the command of `workbench.addons.solver.command`."""
    from workbench.addons.solver import command  # noqa: F401


@offers
def solve_states(ruleset: Any, project: Any) -> Any:
    """Solves a ruleset."""
    from workbench.addons.solver import solving

    solution = solving.solve_ruleset(ruleset, random=False)
    if project:
        solving.save_solution(solution, ruleset, project)
    return solution.book
