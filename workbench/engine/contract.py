"""What the engine asks of a game: the functions every family's kernel must have, dispatched on the type of the rules.

A variant is a ``Rules`` NamedTuple of a family; a toggle is one of its fields, read at run time. The drivers (players,
trials, perft, solver) call the functions below; which kernel answers depends on the type of ``rules``. Numba settles
that at compile time, so a call costs nothing and each driver's machine code is cached once a family.

``state`` is a contiguous int64 array of `state_size` words, one game in play. ``moves`` is an int32 array of at least
`max_moves` entries. Seat 0 ("first") is the player of the side that moves first in the base game.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from workbench.engine.jit import DISABLED, KERNEL_FILES, OPTIONS, njit

ONGOING, FIRST, SECOND, DRAW = 0, 1, 2, 3
"""Results."""

CAP, REPETITION, ADJUDICATED = 1, 2, 3
"""Terminations that belong to the driver; a family's own begin at 8."""

MOVE: Any = np.int64 if DISABLED else np.int32
"""The type of a move that Python hands to a kernel: that of the drivers' lists, so that nothing is compiled twice.
Without machine code it must be a longer one, since what is shifted by 32 bits is nothing then."""

KERNELS: dict[type, ModuleType] = {}
FEATURE_COUNTS: dict[type, int] = {}
EVENT_COUNTS: dict[type, int] = {}


@njit
def _some_move(rules: Any, state: Any, moves: Any) -> bool:
    return count_moves(rules, state, moves) > 0


@njit
def _all_moves(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    return n


def implement(rules: type, kernel: ModuleType, features: int, events: int) -> None:
    """Makes ``kernel`` the module that answers for this type of rules; its family declares so many features and events.

    It may leave out three functions: `count_moves`, if it has no faster way than to list the moves, `has_move`, if it
    has no faster way than to count them, and `preferred`, if its family declares no styles.
    """
    stand_ins = (("count_moves", kernel.legal_moves), ("has_move", _some_move), ("preferred", _all_moves))
    for name, stand_in in stand_ins:
        if not hasattr(kernel, name):
            setattr(kernel, name, stand_in)
    KERNELS[rules] = kernel
    KERNEL_FILES[rules] = Path(str(kernel.__file__)).resolve()
    FEATURE_COUNTS[rules] = features
    EVENT_COUNTS[rules] = events


def state_size(rules: Any) -> int:
    """The number of words of a state."""
    return KERNELS[type(rules)].state_size(rules)  # type: ignore[no-any-return]


def max_moves(rules: Any) -> int:
    """A bound of the number of legal moves in any position."""
    return KERNELS[type(rules)].max_moves(rules)  # type: ignore[no-any-return]


def feature_count(rules: Any) -> int:
    """The number of heuristic features."""
    return FEATURE_COUNTS[type(rules)]


def event_count(rules: Any) -> int:
    """The number of event counters."""
    return EVENT_COUNTS[type(rules)]


def start(rules: Any, state: Any) -> None:
    """Writes the initial position into ``state``."""
    KERNELS[type(rules)].start(rules, state)


def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fills ``moves[:n]`` with the distinct legal moves in a fixed order and returns n."""
    return KERNELS[type(rules)].legal_moves(rules, state, moves)  # type: ignore[no-any-return]


def count_moves(rules: Any, state: Any, moves: Any) -> int:
    """The number of legal moves; ``moves`` is room for them. A family without a faster way just lists them."""
    return KERNELS[type(rules)].count_moves(rules, state, moves)  # type: ignore[no-any-return]


def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Whether there is a legal move; ``moves`` is room for them. `terminal` asks it, so at most leaves of a search.

    Where the game has ended by something else than the want of a move, the answer may be either.
    """
    return KERNELS[type(rules)].has_move(rules, state, moves)  # type: ignore[no-any-return]


def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """A legal move, each exactly equally likely, found faster than by listing them all; -1: they must be listed.

    A family without such a way always answers -1.
    """
    return KERNELS[type(rules)].sample_move(rules, state, rng)  # type: ignore[no-any-return]


def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """The legal moves that a search must still look at beyond its depth, and whether it may stop here instead.

    ``(n, True)`` is a quiet position, to be evaluated as it stands unless one of the n moves (captures, say) does
    better. ``(n, False)`` lists all legal moves of a position that cannot be judged by its features (a check, a forced
    capture). Neither says anything of the end of the game: that is `terminal`'s.
    """
    return KERNELS[type(rules)].tactical_moves(rules, state, moves)  # type: ignore[no-any-return]


def preferred(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    """Moves those of the n legal moves that a style allows itself to the front, and returns their number, at least 1.

    ``style`` counts the styles that the family declares, from 1. A family without styles keeps all moves.
    """
    return KERNELS[type(rules)].preferred(rules, state, moves, n, style)  # type: ignore[no-any-return]


def play(rules: Any, state: Any, move: int) -> None:
    """Applies a legal move in place."""
    KERNELS[type(rules)].play(rules, state, MOVE(move))


def seat(rules: Any, state: Any) -> int:
    """The seat, 0 or 1, that chooses the next move."""
    return KERNELS[type(rules)].seat(rules, state)  # type: ignore[no-any-return]


def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Result and termination of a position that has n legal moves; ``(ONGOING, 0)`` while the game goes on.

    Only n = 0 or n > 0 may matter. For drivers that know n; all others ask `terminal`.
    """
    return KERNELS[type(rules)].outcome(rules, state, n)  # type: ignore[no-any-return]


def counts_positions(rules: Any) -> bool:
    """Whether a position that occurs again may end the game; if not, the drivers keep no count of positions."""
    return KERNELS[type(rules)].counts_positions(rules)  # type: ignore[no-any-return]


def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Result and termination of a position that now occurs for the ``count``-th time."""
    return KERNELS[type(rules)].repetition(rules, state, count)  # type: ignore[no-any-return]


def features(rules: Any, state: Any, out: Any) -> None:
    """Fills the float64 array ``out`` with the numbers that a heuristic weighs, from seat 0's view."""
    KERNELS[type(rules)].features(rules, state, out)


def key(rules: Any, state: Any) -> Any:
    """A uint64 hash of all that makes two positions the same for the repetition rule."""
    return KERNELS[type(rules)].key(rules, state)


def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Adds what a move did to the int32 counters of the game."""
    KERNELS[type(rules)].events(rules, before, MOVE(move), after, counts)


def _dispatch(generic: Any) -> None:
    """Gives a generic function its meaning in compiled code: a call of the kernel's own compiled function."""
    name = generic.__name__
    arguments = ", ".join(generic.__code__.co_varnames[: generic.__code__.co_argcount])

    def meaning(rules: Any) -> Any:
        if not isinstance(rules, types.BaseNamedTuple) or rules.instance_class not in KERNELS:
            return None
        scope = {"function": getattr(KERNELS[rules.instance_class], name)}
        exec(f"def implementation({arguments}):\n    return function({arguments})", scope)
        return scope["implementation"]

    # Numba matches arguments by name, so the overload is written with the names of its generic function.
    scope = {"meaning": meaning}
    exec(f"def typed({arguments}):\n    return meaning(rules)", scope)
    overload(generic, jit_options=OPTIONS)(scope["typed"])


for _generic in (
    state_size,
    max_moves,
    start,
    legal_moves,
    count_moves,
    has_move,
    sample_move,
    tactical_moves,
    preferred,
    play,
    seat,
    outcome,
    counts_positions,
    repetition,
    features,
    key,
    events,
):
    _dispatch(_generic)


def _dispatch_count(generic: Any, counts: dict[type, int]) -> None:
    """Gives a function that returns a number of the declaration its meaning in compiled code: a constant."""

    def typed(rules):  # type: ignore[no-untyped-def]
        if not isinstance(rules, types.BaseNamedTuple) or rules.instance_class not in counts:
            return None
        count = counts[rules.instance_class]
        return lambda rules: count

    overload(generic, jit_options=OPTIONS)(typed)


_dispatch_count(feature_count, FEATURE_COUNTS)
_dispatch_count(event_count, EVENT_COUNTS)


@njit
def terminal(rules: Any, state: Any, moves: Any) -> tuple[int, int]:
    """Result and termination of a position, whatever ends the game there; ``(ONGOING, 0)`` while it goes on.

    Players know of no other way to see the end of a game, but for `outcome` where they hold the list of moves.
    Repetition and the limit of plies belong to a game, not to a position: they are not looked at. ``moves`` is room.
    """
    return outcome(rules, state, 1 if has_move(rules, state, moves) else 0)
