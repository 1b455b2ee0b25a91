"""What the engine asks of a game: the functions every family's kernel must have, dispatched on the type of the rules.

A variant is a ``Rules`` NamedTuple of a family; a toggle is one of its fields, read at run time. The drivers (players,
trials, perft, solver) call the functions below; which kernel answers depends on the type of ``rules``. In compiled code
such a call names the kernel's function for the linker (`linking`): kernels are compiled once, drivers once a family,
and neither again when the other changes.

``state`` is a contiguous int64 array of `state_size` words, one game in play. ``moves`` is an int32 array of at least
`max_moves` entries. Seat 0 ("first") is the player of the side that moves first in the base game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba import types

from workbench.engine import linking
from workbench.engine.folds import Fold
from workbench.engine.jit import (
    DISABLED,
    KERNEL_FILES,
    LINKERS,
    F,
    compile_for_python,
    copy,
    folder_name,
    inlined,
    keep,
    njit,
    scratch,
    sources,
)
from workbench.engine.packing import get_bits, put_bits

ONGOING, FIRST, SECOND, DRAW = 0, 1, 2, 3
"""Results."""

HAND = 1 << 10
"""Stands for the cell of a unit in hand."""
KIND_SHIFT, COUNT_SHIFT = 12, 24
"""Bits of a unit's word below its kind, and below its count."""
MOST_UNITS = 1024
"""Room for the units of any position."""

CAP, REPETITION, ADJUDICATED = 1, 2, 3
"""Terminations that belong to the driver; a family's own begin at 8."""

SWAP = 1 << 30
"""Stands for a move in lists of moves: the second player takes the side of the first. No kernel knows it."""

MOVE: Any = np.int64 if DISABLED else np.int32
"""The type of a move that Python hands to a kernel: that of the drivers' lists, so that nothing is compiled twice.
Without machine code it must be a longer one, since what is shifted by 32 bits is nothing then."""

KERNELS: dict[type, ModuleType] = {}
_FROM_PYTHON: set[type] = set()
FEATURE_COUNTS: dict[type, int] = {}
EVENT_COUNTS: dict[type, int] = {}
STATES = ("packed_bytes", "pack", "unpack", "repetition_draws")
"""Functions of a kernel that only the solver calls."""
FOLDS: dict[type, tuple[Fold, ...]] = {}
"""For each kind of unit, which places on the board are worth the same to it (`games.declaration.UnitKind`)."""


@njit
def _some_move(rules: Any, state: Any, moves: Any) -> bool:
    return count_moves(rules, state, moves) > 0


@njit
def _all_moves(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    return n


@njit
def _quiet_by_listing(rules: Any, state: Any, moves: Any) -> bool:
    _, stops = tactical_moves(rules, state, moves)
    return stops


@inlined
def unit_word(kind: int, owner: int, cell: int, count: int) -> int:
    """So many units of a kind and an owner (a seat) on a cell, or in `HAND`, as `units` writes them."""
    return count << COUNT_SHIFT | kind << KIND_SHIFT | owner << 11 | cell


@inlined
def cell_of_unit(word: int) -> int:
    """The cell of a unit, ``y << 5 | x`` with both from 0, from the top left as the first seat sees it; or `HAND`."""
    return word & 2047


@inlined
def owner_of_unit(word: int) -> int:
    """Return the seat that owns a unit."""
    return (word >> 11) & 1


@inlined
def kind_of_unit(word: int) -> int:
    """Return the kind of a unit, by its place in the declaration."""
    return (word >> KIND_SHIFT) & 4095


@inlined
def count_of_unit(word: int) -> int:
    """How many units of a kind and an owner there are; 1 on a cell of the board."""
    return word >> COUNT_SHIFT


@inlined
def without_count(word: int) -> int:
    """Return the word of one unit of that kind, owner and place: what `unit_word` makes of none."""
    return word & ((1 << COUNT_SHIFT) - 1)


@inlined
def surplus_of_unit(word: int) -> int:
    """How many units there are, those of the second seat negative."""
    return count_of_unit(word) if owner_of_unit(word) == 0 else -count_of_unit(word)


@inlined
def _balance(rules: Any, state: Any, worth: Any, words: Any) -> float:
    """Return the units of the first seat less those of the second, each at its worth."""
    total = 0.0
    for i in range(units(rules, state, words)):
        total += worth[kind_of_unit(words[i])] * surplus_of_unit(words[i])
    return total


@njit
def _gain_by_playing(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    words = scratch(MOST_UNITS)
    before = _balance(rules, state, worth, words)
    copy(state, after)
    play(rules, after, MOVE(move))
    gained = _balance(rules, after, worth, words) - before
    return gained if seat(rules, state) == 0 else -gained


@njit
def _packed_words(rules: Any, state: Any, packed: Any) -> None:
    at = 0
    for i in range(packed.shape[0]):
        packed[i] = 0
    for i in range(packed.shape[0] >> 3):
        at = put_bits(packed, at, 64, state[i])


@njit
def _unpacked_words(rules: Any, packed: Any, state: Any) -> None:
    for i in range(packed.shape[0] >> 3):
        state[i] = get_bits(packed, 64 * i, 64)


def implement(rules: type, kernel: ModuleType, features: int, events: int, folds: tuple[Fold, ...] = ()) -> None:
    """Make ``kernel`` the module that answers for this type of rules.

    Its family declares so many features and events, and kinds of units with these folds.

    It may leave out six functions: `count_moves`, if it has no faster way than to list the moves, `has_move`, if it
    has no faster way than to count them, `preferred`, if its family declares no styles, `gain`, if it knows no better
    than what `play` does to the `units`, `followed_moves`, if its tactical moves are all captures that there are, and
    `quiet`, if it has no faster way than to list the tactical moves. Without those that the solver calls (`STATES`) a
    state is packed as it is, and the solver keeps of each word the bits in which states differ.
    """
    stand_ins = (
        ("count_moves", kernel.legal_moves),
        ("has_move", _some_move),
        ("preferred", _all_moves),
        ("gain", _gain_by_playing),
        ("followed_moves", kernel.tactical_moves),
        ("quiet", _quiet_by_listing),
        ("pack", _packed_words),
        ("unpack", _unpacked_words),
    )
    for name, stand_in in stand_ins:
        if not hasattr(kernel, name):
            setattr(kernel, name, stand_in)
    for name in ("state_size", "max_moves", *STATES, *map(kernel_name, MACHINE_TYPES)):
        compile_for_python(getattr(kernel, name, None))
    KERNELS[rules] = kernel
    KERNEL_FILES[rules] = Path(str(kernel.__file__)).resolve()
    FEATURE_COUNTS[rules] = features
    EVENT_COUNTS[rules] = events
    FOLDS[rules] = folds


def state_size(rules: Any) -> int:
    """Return the number of words of a state."""
    return _kernel(rules).state_size(rules)  # type: ignore[no-any-return]


def max_moves(rules: Any) -> int:
    """Return a bound of the number of legal moves in any position."""
    return _kernel(rules).max_moves(rules)  # type: ignore[no-any-return]


def feature_count(rules: Any) -> int:
    """Return the number of heuristic features."""
    return FEATURE_COUNTS[type(rules)]


def event_count(rules: Any) -> int:
    """Return the number of event counters."""
    return EVENT_COUNTS[type(rules)]


def packed_bytes(rules: Any) -> int:
    """Return the bytes of a packed state."""
    kernel = KERNELS[type(rules)]
    return int(kernel.packed_bytes(rules) if packs_itself(rules) else 8 * kernel.state_size(rules))


def packs_itself(rules: Any) -> bool:
    """Return whether the family has a packing of its own; if not, a state is packed as it is, word by word."""
    return hasattr(KERNELS[type(rules)], "packed_bytes")


def repetition_draws(rules: Any) -> bool:
    """Whether a position that occurs too often can only be a draw, so that no history decides who can force a win.

    Only where `counts_positions`.
    """
    kernel = KERNELS[type(rules)]
    return bool(kernel.repetition_draws(rules)) if hasattr(kernel, "repetition_draws") else False


def _kernel(rules: Any) -> ModuleType:
    """Return the kernel of rules, compiled before Python calls one of its functions.

    While one function is loaded, those that call it cannot be compiled.
    """
    kernel = KERNELS[type(rules)]
    if not DISABLED and type(rules) not in _FROM_PYTHON:
        link(linking.typeof(rules))
        _FROM_PYTHON.add(type(rules))
    return kernel


def start(rules: Any, state: Any) -> None:
    """Write the initial position into ``state``."""
    _kernel(rules).start(rules, state)


def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves[:n]`` with the distinct legal moves in a fixed order and returns n."""
    return _kernel(rules).legal_moves(rules, state, moves)  # type: ignore[no-any-return]


def count_moves(rules: Any, state: Any, moves: Any) -> int:
    """Return the number of legal moves; ``moves`` is room for them. A family without a faster way just lists them."""
    return _kernel(rules).count_moves(rules, state, moves)  # type: ignore[no-any-return]


def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Whether there is a legal move; ``moves`` is room for them. `terminal` asks it, so at most leaves of a search.

    Where the game has ended by something else than the want of a move, the answer may be either.
    """
    return _kernel(rules).has_move(rules, state, moves)  # type: ignore[no-any-return]


def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a legal move, each exactly equally likely, found faster than by listing them all; -1: they must be listed.

    A family without such a way always answers -1.
    """
    return _kernel(rules).sample_move(rules, state, rng)  # type: ignore[no-any-return]


def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Return the legal moves that a search must still look at beyond its depth, and whether it may stop here instead.

    ``(n, True)`` is a quiet position, to be evaluated as it stands unless one of the n moves (captures, say) does
    better. ``(n, False)`` lists all legal moves of a position that cannot be judged by its features (a check, a forced
    capture). Neither says anything of the end of the game: that is `terminal`'s.
    """
    return _kernel(rules).tactical_moves(rules, state, moves)  # type: ignore[no-any-return]


def followed_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """The `tactical_moves`, and in a quiet position all that take enemy units, too: what a search by nodes follows.

    Where captures are no more urgent than other moves they are no tactical moves, but a search that stops in the midst
    of them, or leaves them out for being late, sees them wrong.
    """
    return _kernel(rules).followed_moves(rules, state, moves)  # type: ignore[no-any-return]


def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether a search may stop here, as `tactical_moves` says; ``moves`` is room for them."""
    return _kernel(rules).quiet(rules, state, moves)  # type: ignore[no-any-return]


def preferred(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    """Moves those of the n legal moves that a style allows itself to the front, and returns their number, at least 1.

    ``style`` counts the styles that the family declares, from 1. A family without styles keeps all moves.
    """
    return _kernel(rules).preferred(rules, state, moves, n, style)  # type: ignore[no-any-return]


def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move in place."""
    _kernel(rules).play(rules, state, MOVE(move))


def seat(rules: Any, state: Any) -> int:
    """Return the seat, 0 or 1, that chooses the next move."""
    return _kernel(rules).seat(rules, state)  # type: ignore[no-any-return]


def plain_outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the kernel's ``outcome``, in which a draw is one whatever it counts; for `outcome`."""
    return _kernel(rules).outcome(rules, state, n)  # type: ignore[no-any-return]


def counts_positions(rules: Any) -> bool:
    """Return whether a position that occurs again may end the game; if not, the drivers keep no count of positions."""
    return _kernel(rules).counts_positions(rules)  # type: ignore[no-any-return]


def plain_repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return the kernel's ``repetition``, in which a draw is one whatever it counts; for `repetition`."""
    return _kernel(rules).repetition(rules, state, count)  # type: ignore[no-any-return]


def features(rules: Any, state: Any, out: Any) -> None:
    """Fill the float64 array ``out`` with the numbers that a heuristic weighs, from seat 0's view."""
    _kernel(rules).features(rules, state, out)


def board_size(rules: Any) -> int:
    """Return the cells of a side of the board, which is square."""
    return _kernel(rules).board_size(rules)  # type: ignore[no-any-return]


def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words[:n]`` with the units on the board and in hand (`unit_word`) and returns n.

    ``words`` is an int64 array of `MOST_UNITS` entries. Players learn what a unit is worth on a cell.
    """
    return _kernel(rules).units(rules, state, words)  # type: ignore[no-any-return]


def gain(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """What the mover wins by a legal move in units, each at the ``worth`` (float64) of its kind, for a quick look.

    A family that can tell takes off what the enemy wins back on the same cell; one that has no such function plays the
    move and counts. ``after`` is room for a state.
    """
    return _kernel(rules).gain(rules, state, MOVE(move), worth, after)  # type: ignore[no-any-return]


def key(rules: Any, state: Any) -> Any:
    """Return a uint64 hash of all that makes two positions the same for the repetition rule."""
    return _kernel(rules).key(rules, state)


def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Add what a move did to the int32 counters of the game."""
    _kernel(rules).events(rules, before, MOVE(move), after, counts)


def pack(rules: Any, state: Any, packed: Any) -> None:
    """Fill the uint8 array ``packed`` with all of a state that its future depends on, repetition left aside.

    Two states that are packed alike have the same legal moves, outcomes and futures, and the same `key`.
    """
    _kernel(rules).pack(rules, state, packed)


def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Write a state that would be packed so."""
    _kernel(rules).unpack(rules, packed, state)


INT, BOOL = types.int64, types.boolean
STATE, MOVES, WORDS = types.int64[::1], types.int32[::1], types.uint64[::1]
PACKED = types.uint8[::1]
MACHINE_TYPES: dict[Any, tuple[Any, tuple[Any, ...]]] = {
    start: (types.none, (STATE,)),
    legal_moves: (types.int64, (STATE, MOVES)),
    count_moves: (types.int64, (STATE, MOVES)),
    has_move: (types.boolean, (STATE, MOVES)),
    sample_move: (types.int64, (STATE, WORDS)),
    tactical_moves: (types.Tuple((types.int64, types.boolean)), (STATE, MOVES)),
    followed_moves: (types.Tuple((types.int64, types.boolean)), (STATE, MOVES)),
    quiet: (types.boolean, (STATE, MOVES)),
    preferred: (types.int64, (STATE, MOVES, types.int64, types.int64)),
    play: (types.none, (STATE, types.int32)),
    seat: (types.int64, (STATE,)),
    plain_outcome: (types.UniTuple(types.int64, 2), (STATE, types.int64)),
    counts_positions: (types.boolean, ()),
    plain_repetition: (types.UniTuple(types.int64, 2), (STATE, types.int64)),
    features: (types.none, (STATE, types.float64[::1])),
    board_size: (types.int64, ()),
    units: (types.int64, (STATE, STATE)),
    gain: (types.float64, (STATE, types.int32, types.float64[::1], STATE)),
    key: (types.uint64, (STATE,)),
    events: (types.none, (STATE, types.int32, STATE, types.int32[::1])),
    pack: (types.none, (STATE, PACKED)),
    unpack: (types.none, (PACKED, STATE)),
}
"""What each function returns and takes after the rules, in compiled code."""


SELDOM = (followed_moves, quiet, gain, pack, unpack)
"""Those that searches by budget, solutions and the solver alone ask: compiled when machine code that calls them is."""


def kernel_name(generic: Any) -> str:
    """What a kernel calls the function that answers for one of `MACHINE_TYPES`."""
    return str(generic.__name__).removeprefix("plain_")


NOWHERE = 1
"""An address that is never called."""

LINKED: dict[str, str] = {}
"""For each type of rules whose kernel the linker knows, by `_symbols`, the folder of the kernel's machine code; the
names of the functions that are `SELDOM` asked are there, too, if it knows them."""


def _symbols(rules: Any) -> str:
    """What the names of a kernel's functions begin with, for the linker."""
    return f"workbench.{rules.instance_class.__module__}.{rules}."


APART: dict[Any, tuple[Any, Any, tuple[Any, ...]]] = {}
"""The functions that kernels keep `apart`, by what their callers call: each compiled, its result and its arguments."""


def apart(result: Any, *arguments: Any) -> Callable[[F], F]:
    """As `jit.njit`, for a large function of a kernel that others of it call: they do so by name.

    Numba copies what a function calls into its machine code and optimises it again there, which takes longer to compile
    than a call takes to run. ``result`` and ``arguments``, those after the rules, are machine types. A function that is
    called so must be defined before its callers.
    """

    def decorate(function: F) -> F:
        compiled = njit(function)
        if DISABLED:
            return compiled

        @functools.wraps(function)
        def by_name(rules: Any, *others: Any) -> Any:
            _kernel(rules)
            return compiled(rules, *others)

        APART[by_name] = compiled, result, arguments
        linking.call_by_name(by_name, result, arguments, _knows, functools.partial(_linked_symbol, generic=by_name))
        return by_name  # type: ignore[return-value]

    return decorate


def kernel_functions(rules: type) -> dict[Any, Any]:
    """Return the functions of the kernel that answers for a type of rules, each by the function that calls it.

    Those that are `apart` come first, so that the others may call them.
    """
    kernel = KERNELS[rules]
    own = {
        one: compiled for one, (compiled, *_) in APART.items() if one.__module__.startswith(f"{kernel.__package__}.")
    }
    return own | {one: getattr(kernel, kernel_name(one)) for one in MACHINE_TYPES if hasattr(kernel, kernel_name(one))}


def link(rules: Any, caller: bytes = b"") -> None:
    """Compile or loads what a kernel answers for a type of rules, and tells the linker where it is.

    Of the functions that are `SELDOM` asked only those that the machine code of a ``caller`` names.
    """
    prefix, folder = _symbols(rules), folder_name(sources(KERNEL_FILES[rules.instance_class]))
    functions = kernel_functions(rules.instance_class)
    if LINKED.get(prefix) == folder:
        for generic in SELDOM:
            symbol = prefix + kernel_name(generic)
            if generic in functions and LINKED.get(symbol) != folder and symbol.encode() in caller:
                LINKED[symbol] = folder
                linking.name(symbol, compile_function(rules, kernel_name(generic)))
        return
    for function in functions.values():
        keep(function)  # before another one compiles it for its own use
    # While they are compiled the functions ask for each other.
    LINKED[prefix] = folder
    try:
        for generic in functions:
            if generic not in SELDOM:
                linking.name(prefix + kernel_name(generic), compile_function(rules, kernel_name(generic)))
    except BaseException:
        # Machine code that is loaded for a name without a function calls address 0.
        del LINKED[prefix]
        raise
    link(rules, caller)


def compile_function(rules: Any, name: str) -> int:
    """Compile or loads the kernel's function of this name for a type of rules, and returns its address."""
    generic, function = next(
        each for each in kernel_functions(rules.instance_class).items() if kernel_name(each[0]) == name
    )
    result, arguments = APART[generic][1:] if generic in APART else MACHINE_TYPES[generic]
    return linking.address_of(function, result, (rules, *arguments))


def compile_only(rules: Any) -> None:
    """Give the functions of a kernel addresses at which there is nothing, for a process that runs none of them.

    What is compiled is loaded, and the linker wants an address for each name in it. So a process may compile one
    function without the others.
    """
    prefix, folder = _symbols(rules), folder_name(sources(KERNEL_FILES[rules.instance_class]))
    LINKED[prefix] = folder
    for generic, function in kernel_functions(rules.instance_class).items():
        keep(function)
        LINKED[prefix + kernel_name(generic)] = folder
        linking.name(prefix + kernel_name(generic), NOWHERE)


def _knows(rules: Any) -> bool:
    return getattr(rules, "instance_class", None) in KERNELS


def _linked_symbol(rules: Any, generic: Any) -> str:
    symbol = f"{_symbols(rules)}{kernel_name(generic)}"
    link(rules, symbol.encode())
    if generic not in kernel_functions(rules.instance_class):
        raise AttributeError(f"{KERNEL_FILES[rules.instance_class]} has no function {kernel_name(generic)}")
    return symbol


if not DISABLED:
    LINKERS.append(link)
    for _generic, (_result, _arguments) in MACHINE_TYPES.items():
        linking.call_by_name(_generic, _result, _arguments, _knows, functools.partial(_linked_symbol, generic=_generic))


@inlined
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Result and termination of a position that has n legal moves; ``(ONGOING, 0)`` while the game goes on.

    A draw is the result that it counts as (``draw_value``). Only n = 0 or n > 0 may matter. For drivers that know n;
    all others ask `terminal`.
    """
    result, termination = plain_outcome(rules, state, n)
    return (rules.draw_value if result == DRAW else result), termination


@inlined
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Result and termination of a position that now occurs for the ``count``-th time; a draw as in `outcome`."""
    result, termination = plain_repetition(rules, state, count)
    return (rules.draw_value if result == DRAW else result), termination


@njit
def terminal(rules: Any, state: Any, moves: Any) -> tuple[int, int]:
    """Result and termination of a position, whatever ends the game there; ``(ONGOING, 0)`` while it goes on.

    Players know of no other way to see the end of a game, but for `outcome` where they hold the list of moves.
    Repetition and the limit of plies belong to a game, not to a position: they are not looked at. ``moves`` is room.
    """
    return outcome(rules, state, 1 if has_move(rules, state, moves) else 0)
