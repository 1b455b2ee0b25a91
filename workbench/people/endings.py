"""How people's games ended: what their tags say, beside what the rules say of the last position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.engine.contract import DRAW, ONGOING
from workbench.games.results import ENGINE_ENDINGS, RESULTS

NO_RESULT, RESIGNATION, AGREEMENT, TIME, ABANDONED, AWARDED = (
    "no-result", "resignation", "agreement", "time", "abandoned", "awarded",
)  # fmt: skip
"""Endings that only people's games have: see `results.PEOPLE_ENDINGS`."""
PGN_RESULTS: Mapping[bytes, int] = {b"1-0": 1, b"0-1": 2, b"1/2-1/2": 3, b"1/2": 3, b"2-0": 1, b"0-2": 2, b"1-1": 3}
"""The engine's code of each result of a file, told from the side that moves first; of all others there is none."""
_STOPPED = {ending.name.encode(): ending.name for ending in ENGINE_ENDINGS.values()}


class End(NamedTuple):
    """How a game ended."""

    result: str
    """As records have it."""
    termination: str
    contradicts: bool = False
    """Whether the file says another result than the rules, which decide."""


def ended(tags: Mapping[bytes, bytes], result: int, termination: str, draw_value: int = DRAW) -> End:
    """How a game with these tags ended, whose last position has a result and an ending by the rules.

    A win by the rules, or an end in which nobody can move, stands whatever the file says. A draw that has to be claimed
    does not: who went on until the time ran out has lost. ``draw_value`` is the result that a draw counts as.
    """
    end = _ended(tags, result, termination)
    counts = RESULTS[draw_value]
    if end.result == RESULTS[DRAW] != counts:
        said = PGN_RESULTS.get(tags.get(b"Result", b"").strip(), draw_value)
        return End(counts, end.termination, said not in (DRAW, draw_value))
    return end


def _ended(tags: Mapping[bytes, bytes], result: int, termination: str) -> End:
    said = tags.get(b"Result", b"*").strip()
    told = PGN_RESULTS.get(said, 0)
    if said.decode("ascii", "replace") in RESULTS:
        told = RESULTS.index(said.decode())
    by = tags.get(b"Termination", b"").lower()
    if result != ONGOING and (told == 0 or told == result):
        return End(RESULTS[result], termination)
    if result not in (ONGOING, DRAW) or termination == "stalemate":
        return End(RESULTS[result], termination, contradicts=True)
    if by in _STOPPED:
        return End(RESULTS[told], _STOPPED[by])
    if told == 0:
        return End(RESULTS[0], NO_RESULT)
    if b"time" in by:
        return End(RESULTS[told], TIME)
    if b"abandon" in by:
        return End(RESULTS[told], ABANDONED)
    if any(word in by for word in (b"infraction", b"adjudicat", b"death", b"emergency", b"forfeit")):
        return End(RESULTS[told], AWARDED)
    return End(RESULTS[told], AGREEMENT if told == DRAW else RESIGNATION)
