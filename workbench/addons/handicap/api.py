"""Handicaps for programs: `workbench.handicap`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from workbench import games as families
from workbench.addons.handicap.even import describe, play_handicap
from workbench.api.rulesets import Agent, to_agent, to_ruleset, to_whole_number
from workbench.base.errors import InputError, expected, guess, hide_internal_frames, input_error
from workbench.base.language import quoted, tr
from workbench.games.declaration import Toggle, setting_text
from workbench.rules.rulesets import Ruleset


@dataclass(frozen=True)
class EvenGame:
    """The result of `handicap`."""

    verdict: str
    """``named``; else no amount is: ``misfit``, the scores do not lie on one curve that passes one half once; ``open``,
    they may not pass one half between these amounts at all."""
    even: float
    """The amount at which the first player is expected to score one half, in the unit of the toggle; NaN if none is
    named."""
    low: float
    """The lower end of its 95 % interval; NaN if none is named."""
    high: float
    """The upper end."""
    nearest: Ruleset
    """The ruleset, of those that may be played, nearest to the even amount; or with the measured score nearest to ½."""
    table: pd.DataFrame
    """A row for each amount that was played: ``amount``, ``ruleset``, ``games``, ``score`` (0 to 1, of the first)."""
    sentences: tuple[str, ...]
    """All of it in words."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))


@hide_internal_frames
def handicap(
    rulesets: str | Path | Ruleset | Sequence[str | Path | Ruleset],
    toggle: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    agent: Agent = "greedy",
    games: int = 1000,
    seed: int = 0,
    max_plies: int = 400,
) -> EvenGame:
    """Looks for the amount of a handicap that makes the game even between two players of one strength.

    It plays in this process, more and more games near the answer, and fits a curve to the scores. Where these do not
    lie on one, no amount is named.

    Examples:
        >>> found = handicap(["star/default", "star/two-pieces"], games=200)
        >>> int(found.table["games"].sum())
        200

    Args:
        rulesets: one ruleset, whose ``toggle`` is the handicap; or several, ordered by the handicap that they give:
            their amounts are 0, 1, 2 and so on.
        toggle: a rule that takes numbers, such as ``komi``.
        low: the smallest amount of the toggle to try, of those that it allows.
        high: the largest one.
        agent: who plays both sides, such as ``alphabeta-1k``.
        games: how many games, in all.
        seed: where their chance comes from.
        max_plies: games are stopped here, and count as draws.

    Raises:
        InputError: there is no such ruleset, toggle or agent, or fewer than two amounts.
    """
    several = isinstance(rulesets, Sequence) and not isinstance(rulesets, str)
    bases = [to_ruleset(each) for each in rulesets] if several else [to_ruleset(rulesets)]  # type: ignore[union-attr, arg-type]
    if toggle and len(bases) > 1:
        raise input_error(expected(tr("one ruleset with a toggle, or several without one")), key="toggle")
    chosen = steps_of(bases[0], toggle, low, high) if toggle else list(enumerate(bases))
    if len(chosen) < 2:
        raise input_error(expected(tr("two amounts or more"), len(chosen)), key="toggle" if toggle else "rulesets")
    spec = to_agent(agent, bases[0], "agent")
    amounts, variants = [float(amount) for amount, _ in chosen], [variant for _, variant in chosen]
    names = [f"{toggle} {setting_text(variant.settings[toggle])}" if toggle else variant.name for variant in variants]
    found = play_handicap(
        variants,
        amounts,
        spec,
        to_whole_number(games, "games", 100, 10_000_000),
        to_whole_number(seed, "seed", 0, 2**63),
        to_whole_number(max_plies, "max_plies", 1, 100_000),
    )
    rows = [
        [amounts[place], variants[place].name, sum(result), found.score(place)]
        for place, result in enumerate(found.results)
        if sum(result)
    ]
    return EvenGame(
        found.found.verdict,
        found.found.even,
        found.found.low,
        found.found.high,
        variants[found.nearest],
        pd.DataFrame(rows, columns=["amount", "ruleset", "games", "score"]),
        tuple(describe(found, names, spec.label)),
    )


def steps_of(base: Ruleset, name: str, low: float | None, high: float | None) -> list[tuple[Any, Ruleset]]:
    """Return the numbers that a toggle allows, each with the ruleset that has it; excluded ones are left out."""
    toggles = {toggle.name: toggle for toggle in families.declaration(base.game).toggles}
    numeric = [one.name for one in toggles.values() if _numbers(one)]
    if name not in numeric:
        hint = guess(name, numeric, tr("rules with numbers are {names}"))
        raise input_error(expected(tr("a rule that takes numbers"), quoted(name)), hint, key="toggle")
    steps = []
    for number in _numbers(toggles[name]):
        if (low is None or number >= low) and (high is None or number <= high):
            try:
                steps.append((number, base.derive(**{name: number})))
            except InputError:
                continue
    return steps


def _numbers(toggle: Toggle) -> list[Any]:
    named = [value.name for value in toggle.values if type(value.name) in (int, float)]
    return sorted({*named, *(toggle.span.numbers() if toggle.span else ())}) if toggle.span or len(named) > 1 else []
