"""The interface between the engine and a game: the functions of a kernel, dispatched on the type of the rules.

A variant is a ``Rules`` NamedTuple of its family, with a field for each toggle, read at run time. Players, trials and
solver call the functions declared below; the type of ``rules`` selects the kernel. In compiled code such a call is a
symbol that the linker resolves (`jit.call_by_name`): each kernel is compiled once, each driver once per family, and a
change of one does not recompile the other.

``state`` is a contiguous int64 array of `state_size` words, one game in progress. ``moves`` is an int32 array of at
least `max_moves` entries. Seat 0 ("first") is the player of the side that moves first in the base game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.registry import CPUDispatcher

from workbench.engine.bits import get_bits, put_bits
from workbench.engine.folds import Fold
from workbench.engine.jit import (
    DISABLED,
    KERNEL_FILES,
    LINKERS,
    F,
    call_by_name,
    compile_for_python,
    copy,
    define_symbol,
    enable_disk_cache,
    folder_name,
    inline_ir,
    machine_code_address,
    njit,
    scratch,
    sources,
    typeof,
)

ONGOING, FIRST, SECOND, DRAW = 0, 1, 2, 3
"""Results."""

HAND = 1 << 10
"""The cell of a unit in hand."""
KIND_SHIFT, COUNT_SHIFT = 12, 24
"""Bit positions of kind and count in a unit word."""
MOST_UNITS = 1024
"""Maximum number of unit words of a position."""

CAP, REPETITION, ADJUDICATED = 1, 2, 3
"""Terminations set by the driver; those of families start at 8."""

SWAP = 1 << 30
"""Code in move lists for a swap of sides by the second player. Kernels never see it."""

MOVE: Any = np.int64 if DISABLED else np.int32
"""Type of a move passed to a kernel: that of move lists, to avoid a second compilation. Without machine code it must be
wider, because shifting an int32 by 32 bits gives 0."""

KERNELS: dict[type, ModuleType] = {}
FEATURE_COUNTS: dict[type, int] = {}
EVENT_COUNTS: dict[type, int] = {}
FOLDS: dict[type, tuple[Fold, ...]] = {}
"""The fold of each kind of unit (`games.declaration.UnitKind`)."""
PACKING_FUNCTIONS = ("packed_bytes", "pack", "unpack", "repetition_draws")
"""Optional functions for the solver."""

INT, BOOL = types.int64, types.boolean
STATE, MOVES, WORDS = types.int64[::1], types.int32[::1], types.uint64[::1]
PACKED, FLOATS = types.uint8[::1], types.float64[::1]
MOVE_LIST, RESULT = types.Tuple((INT, BOOL)), types.UniTuple(INT, 2)
MACHINE_TYPES: dict[Any, tuple[Any, tuple[Any, ...]]] = {}
"""Machine types of the result, and of the arguments after the rules, of each `kernel_function`."""
SEPARATE: dict[Any, tuple[Any, Any, tuple[Any, ...]]] = {}
"""Compiled function, result type and argument types of each `separately_compiled` function."""
LINKED: dict[str, str] = {}
"""The cache folder of each linked kernel, by the `_symbol_prefix` of its rules, and of each linked `RARELY_CALLED`
function, by its symbol."""
DUMMY_ADDRESS = 1
_COMPILED_FOR_PYTHON: set[type] = set()


# Units


@inline_ir
def unit_word(kind: int, owner: int, cell: Any, count: int) -> Any:
    """Encode ``count`` units of one kind and owner (a seat) on a cell or in `HAND`."""
    return count << COUNT_SHIFT | kind << KIND_SHIFT | owner << 11 | cell


@inline_ir
def unit_cell(word: int) -> int:
    """Return a unit's cell, ``y << 5 | x`` from the first seat's top left corner, or `HAND`."""
    return word & 2047


@inline_ir
def unit_owner(word: int) -> int:
    """Return the seat that owns a unit."""
    return (word >> 11) & 1


@inline_ir
def unit_kind(word: int) -> int:
    """Return a unit's kind as an index into the declared kinds."""
    return (word >> KIND_SHIFT) & 4095


@inline_ir
def unit_count(word: int) -> int:
    """Return the number of units in a unit word; 1 for a unit on the board."""
    return word >> COUNT_SHIFT


@inline_ir
def strip_count(word: int) -> int:
    """Return a unit word with its count cleared, for use as a table index."""
    return word & ((1 << COUNT_SHIFT) - 1)


@inline_ir
def signed_count(word: int) -> int:
    """Return the number of units in a unit word, negated for the second seat."""
    return unit_count(word) if unit_owner(word) == 0 else -unit_count(word)


@inline_ir
def _balance(rules: Any, state: Any, worth: Any, words: Any) -> float:
    """Return the total worth of the first seat's units minus that of the second's."""
    total = 0.0
    for i in range(units(rules, state, words)):
        total += worth[unit_kind(words[i])] * signed_count(words[i])
    return total


# Registration of kernels


@njit
def _has_move_by_counting(rules: Any, state: Any, moves: Any) -> bool:
    return count_moves(rules, state, moves) > 0


@njit
def _prefer_all(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    return n


@njit
def _quiet_by_listing(rules: Any, state: Any, moves: Any) -> bool:
    _, is_quiet = tactical_moves(rules, state, moves)
    return is_quiet


@njit
def gain_by_playing(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """Compute a move's `gain` by playing it and comparing the balance of units."""
    words = scratch(MOST_UNITS)
    before = _balance(rules, state, worth, words)
    copy(state, after)
    play(rules, after, MOVE(move))
    difference = _balance(rules, after, worth, words) - before
    return difference if seat(rules, state) == 0 else -difference


@njit
def _pack_words(rules: Any, state: Any, packed: Any) -> None:
    position = 0
    for i in range(packed.shape[0]):
        packed[i] = 0
    for i in range(packed.shape[0] >> 3):
        position = put_bits(packed, position, 64, state[i])


@njit
def _unpack_words(rules: Any, packed: Any, state: Any) -> None:
    for i in range(packed.shape[0] >> 3):
        state[i] = get_bits(packed, 64 * i, 64)


def implement(rules: type, kernel: ModuleType, features: int, events: int, folds: tuple[Fold, ...] = ()) -> None:
    """Register the kernel for a type of rules, with its feature count, event count and the folds of its units.

    Missing optional functions are replaced: `count_moves` lists the moves, `has_move` counts them, `preferred` keeps
    all moves, `gain` plays the move and compares units, and `followed_moves` and `quiet` use the tactical moves. If
    `PACKING_FUNCTIONS` are missing, states are packed word by word, and the solver finds out which bits vary.
    """
    fallbacks = {
        "count_moves": kernel.legal_moves,
        "has_move": _has_move_by_counting,
        "preferred": _prefer_all,
        "gain": gain_by_playing,
        "followed_moves": kernel.tactical_moves,
        "quiet": _quiet_by_listing,
        "pack": _pack_words,
        "unpack": _unpack_words,
    }
    for name, fallback in fallbacks.items():
        if not hasattr(kernel, name):
            setattr(kernel, name, fallback)
    for name in ("state_size", "max_moves", *PACKING_FUNCTIONS, *map(kernel_name, MACHINE_TYPES)):
        compile_for_python(getattr(kernel, name, None))
    KERNELS[rules] = kernel
    KERNEL_FILES[rules] = Path(str(kernel.__file__)).resolve()
    FEATURE_COUNTS[rules] = features
    EVENT_COUNTS[rules] = events
    FOLDS[rules] = folds


def _compiled_kernel(rules: Any) -> ModuleType:
    """Return the kernel for the rules, compiled and linked so that Python can call its functions.

    The whole kernel is compiled at once, because callers cannot be compiled while a callee is being loaded.
    """
    kernel = KERNELS[type(rules)]
    if not DISABLED and type(rules) not in _COMPILED_FOR_PYTHON:
        link(typeof(rules))
        _COMPILED_FOR_PYTHON.add(type(rules))
    return kernel


def kernel_name(generic: Any) -> str:
    """Return the name by which kernels define a `kernel_function`."""
    return str(generic.__name__).removeprefix("plain_")


def kernel_functions(rules: type) -> dict[Any, Any]:
    """Map the generic functions to the kernel's functions for a type of rules.

    `separately_compiled` functions come first, because the others may call them.
    """
    kernel = KERNELS[rules]
    separate = {
        generic: compiled
        for generic, (compiled, *_) in SEPARATE.items()
        if generic.__module__.startswith(f"{kernel.__package__}.")
    }
    named = {generic: getattr(kernel, kernel_name(generic), None) for generic in MACHINE_TYPES}
    return separate | {generic: function for generic, function in named.items() if function is not None}


# Linking


def _symbol_prefix(rules: Any) -> str:
    return f"workbench.{rules.instance_class.__module__}.{rules}."


def _folder(rules: Any) -> str:
    return folder_name(sources(KERNEL_FILES[rules.instance_class]))


def link(rules: Any, caller: bytes = b"") -> None:
    """Compile or load the kernel for a type of rules and define its symbols.

    `RARELY_CALLED` functions are linked only if they are named in ``caller``, the machine code about to be loaded.
    """
    prefix, folder = _symbol_prefix(rules), _folder(rules)
    functions = kernel_functions(rules.instance_class)
    if LINKED.get(prefix) == folder:
        for generic in RARELY_CALLED:
            symbol = prefix + kernel_name(generic)
            if generic in functions and LINKED.get(symbol) != folder and symbol.encode() in caller:
                LINKED[symbol] = folder
                define_symbol(symbol, compile_function(rules, kernel_name(generic)))
        return
    for function in functions.values():
        enable_disk_cache(function)  # must precede compilation as a callee
    # Compiling one function requests the symbols of others, so the kernel is marked as linked first.
    LINKED[prefix] = folder
    try:
        for generic in functions:
            if generic not in RARELY_CALLED:
                define_symbol(prefix + kernel_name(generic), compile_function(rules, kernel_name(generic)))
    except BaseException:
        # Otherwise machine code loaded later would call address 0 for the missing symbols.
        del LINKED[prefix]
        raise
    link(rules, caller)


def compile_function(rules: Any, name: str) -> int:
    """Compile or load a kernel function for a type of rules and return its address."""
    functions = kernel_functions(rules.instance_class)
    generic = next(generic for generic in functions if kernel_name(generic) == name)
    result, arguments = SEPARATE[generic][1:] if generic in SEPARATE else MACHINE_TYPES[generic]
    return machine_code_address(functions[generic], result, (rules, *arguments))


def link_to_dummies(rules: Any) -> None:
    """Define all symbols of a kernel at a dummy address, in a process that compiles functions but runs none.

    Compiled code is loaded at once, and the linker needs an address for every symbol.
    """
    prefix, folder = _symbol_prefix(rules), _folder(rules)
    LINKED[prefix] = folder
    for generic, function in kernel_functions(rules.instance_class).items():
        enable_disk_cache(function)
        LINKED[prefix + kernel_name(generic)] = folder
        define_symbol(prefix + kernel_name(generic), DUMMY_ADDRESS)


def _has_kernel(rules: Any) -> bool:
    return getattr(rules, "instance_class", None) in KERNELS


def _link_by_name(generic: Any, result: Any, arguments: tuple[Any, ...]) -> None:
    """Compile calls to a generic function as calls to the kernel's function by symbol."""

    def symbol(rules: Any) -> str:
        name = _symbol_prefix(rules) + kernel_name(generic)
        link(rules, name.encode())
        if generic not in kernel_functions(rules.instance_class):
            raise AttributeError(f"{KERNEL_FILES[rules.instance_class]} has no function {kernel_name(generic)}")
        return name

    call_by_name(generic, result, arguments, _has_kernel, symbol)


def separately_compiled(result: Any, *arguments: Any) -> Callable[[F], F]:
    """Return a decorator like `jit.njit` for large functions, which their kernel calls by symbol.

    Numba would otherwise copy and optimise the function in each caller, which takes more time than it saves.
    ``result`` and ``arguments`` (after the rules) are machine types. Define the function before its callers.
    """

    def decorate(function: F) -> F:
        compiled = njit(function)
        if DISABLED:
            return compiled

        @functools.wraps(function)
        def call(rules: Any, *values: Any) -> Any:
            _compiled_kernel(rules)
            return compiled(rules, *values)

        SEPARATE[call] = compiled, result, arguments
        _link_by_name(call, result, arguments)
        return call  # type: ignore[return-value]

    return decorate


def kernel_function(result: Any, *arguments: Any) -> Callable[[F], F]:
    """Return a decorator that forwards an empty declaration to the kernel's function of the same name.

    ``result`` and ``arguments`` (after the rules) are machine types.
    """
    move = arguments.index(types.int32) if types.int32 in arguments else None

    def decorate(declaration: F) -> F:
        name = kernel_name(declaration)

        @functools.wraps(declaration)
        def call(rules: Any, *values: Any) -> Any:
            if move is not None:
                values = (*values[:move], MOVE(values[move]), *values[move + 1 :])
            return getattr(_compiled_kernel(rules), name)(rules, *values)

        MACHINE_TYPES[call] = result, arguments
        if not DISABLED:
            _link_by_name(call, result, arguments)
        return call  # type: ignore[return-value]

    return decorate


# Functions of a kernel, called by Python only


def state_size(rules: Any) -> int:
    """Return the number of int64 words in a state."""
    return int(_compiled_kernel(rules).state_size(rules))


def max_moves(rules: Any) -> int:
    """Return an upper bound on the number of legal moves in any position."""
    return int(_compiled_kernel(rules).max_moves(rules))


def feature_count(rules: Any) -> int:
    """Return the number of heuristic features."""
    return FEATURE_COUNTS[type(rules)]


def event_count(rules: Any) -> int:
    """Return the number of event counters."""
    return EVENT_COUNTS[type(rules)]


def packed_bytes(rules: Any) -> int:
    """Return the size of a packed state in bytes."""
    kernel = KERNELS[type(rules)]
    return int(kernel.packed_bytes(rules) if has_packing(rules) else 8 * kernel.state_size(rules))


def has_packing(rules: Any) -> bool:
    """Check whether the family packs its states itself; otherwise they are packed word by word."""
    return hasattr(KERNELS[type(rules)], "packed_bytes")


def repetition_draws(rules: Any) -> bool:
    """Check whether repetition can only end in a draw, so the history does not affect who can force a win.

    Only meaningful if `counts_positions`.
    """
    kernel = KERNELS[type(rules)]
    return bool(kernel.repetition_draws(rules)) if hasattr(kernel, "repetition_draws") else False


def board_size(rules: Any) -> int:
    """Return the number of rows and columns of the board, without compiling anything."""
    function = KERNELS[type(rules)].board_size
    return int((function.py_func if isinstance(function, CPUDispatcher) else function)(rules))


# Functions of a kernel, called by Python and compiled code


@kernel_function(types.none, STATE)
def start(rules: Any, state: Any) -> None:
    """Write the initial position into ``state``."""


@kernel_function(INT, STATE, MOVES)
def legal_moves(rules: Any, state: Any, moves: Any) -> int:
    """Fill ``moves[:n]`` with the legal moves, each once and in a fixed order, and return n."""


@kernel_function(INT, STATE, MOVES)
def count_moves(rules: Any, state: Any, moves: Any) -> int:
    """Return the number of legal moves; ``moves`` is a buffer."""


@kernel_function(BOOL, STATE, MOVES)
def has_move(rules: Any, state: Any, moves: Any) -> bool:
    """Return whether there is a legal move; ``moves`` is a buffer. Searches call this at the majority of their leaves.

    The result is undefined if the game has ended for any reason other than a lack of moves.
    """


@kernel_function(INT, STATE, WORDS)
def sample_move(rules: Any, state: Any, rng: Any) -> int:
    """Return a uniformly random legal move without listing all moves, or -1 if they must be listed.

    A family without a method for this always returns -1.
    """


@kernel_function(MOVE_LIST, STATE, MOVES)
def tactical_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves[:n]`` with the moves to search beyond the depth limit; return n and whether the position is quiet.

    A quiet position is evaluated unless one of the n moves, such as a capture, is better. In a position that features
    cannot evaluate (check, forced capture), the n moves are all legal moves. Neither result reveals whether the game
    has ended: call `terminal`.
    """


@kernel_function(MOVE_LIST, STATE, MOVES)
def followed_moves(rules: Any, state: Any, moves: Any) -> tuple[int, bool]:
    """Fill ``moves`` like `tactical_moves`, but include all captures in a quiet position, for node-budget searches.

    In some games captures are no more urgent than other moves and therefore not tactical, but a search that stops in
    the middle of an exchange, or prunes late captures, misjudges it.
    """


@kernel_function(BOOL, STATE, MOVES)
def quiet(rules: Any, state: Any, moves: Any) -> bool:
    """Check whether the position is quiet in the sense of `tactical_moves`; ``moves`` is a buffer."""


@kernel_function(INT, STATE, MOVES, INT, INT)
def preferred(rules: Any, state: Any, moves: Any, n: int, style: int) -> int:
    """Reorder the legal moves so that those allowed by a style come first; return their number, at least 1.

    ``style`` is the index of a style in the family's declaration, starting at 1.
    """


@kernel_function(types.none, STATE, types.int32)
def play(rules: Any, state: Any, move: int) -> None:
    """Apply a legal move in place."""


@kernel_function(INT, STATE)
def seat(rules: Any, state: Any) -> int:
    """Return the seat, 0 or 1, that chooses the next move."""


@kernel_function(RESULT, STATE, INT)
def plain_outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the kernel's ``outcome``, in which draws are not converted; see `outcome`."""


@kernel_function(BOOL)
def counts_positions(rules: Any) -> bool:
    """Check whether repeated positions may end the game; otherwise drivers do not count positions."""


@kernel_function(RESULT, STATE, INT)
def plain_repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return the kernel's ``repetition``, in which draws are not converted; see `repetition`."""


@kernel_function(types.none, STATE, FLOATS)
def features(rules: Any, state: Any, out: Any) -> None:
    """Fill the float64 array ``out`` with the heuristic features, from the first seat's view."""


@kernel_function(INT, STATE, STATE)
def units(rules: Any, state: Any, words: Any) -> int:
    """Fill ``words[:n]`` with the units on the board and in hand, encoded by `unit_word`, and return n.

    ``words`` is an int64 array of `MOST_UNITS` entries.
    """


@kernel_function(types.float64, STATE, types.int32, FLOATS, STATE)
def gain(rules: Any, state: Any, move: int, worth: Any, after: Any) -> float:
    """Return a quick estimate of the mover's gain in units, weighted by the float64 ``worth`` of each kind.

    A family may subtract the worth of a recapture on the same cell. ``after`` is a buffer for a state.
    """


@kernel_function(types.uint64, STATE)
def key(rules: Any, state: Any) -> Any:
    """Return a uint64 hash of everything that the repetition rule compares."""


@kernel_function(types.none, STATE, types.int32, STATE, MOVES)
def events(rules: Any, before: Any, move: int, after: Any, counts: Any) -> None:
    """Add a move's events to the game's int32 event counters."""


@kernel_function(types.none, STATE, PACKED)
def pack(rules: Any, state: Any, packed: Any) -> None:
    """Pack everything that determines a state's future, except repetition, into the uint8 array ``packed``.

    States with equal packings have the same legal moves, outcomes and futures, and the same `key`.
    """


@kernel_function(types.none, PACKED, STATE)
def unpack(rules: Any, packed: Any, state: Any) -> None:
    """Restore a state from its packing."""


RARELY_CALLED = (followed_moves, quiet, gain, pack, unpack)
"""Functions for node-budget searches, solutions and the solver, compiled only with machine code that calls them."""

if not DISABLED:
    LINKERS.append(link)


@inline_ir
def outcome(rules: Any, state: Any, n: int) -> tuple[int, int]:
    """Return the result and termination of a position with n legal moves; ``(ONGOING, 0)`` if the game continues.

    A draw is converted to ``draw_value``. Of n, only whether it is 0 affects the result. If the moves are not listed,
    call `terminal` instead.
    """
    result, termination = plain_outcome(rules, state, n)
    return (rules.draw_value if result == DRAW else result), termination


@inline_ir
def repetition(rules: Any, state: Any, count: int) -> tuple[int, int]:
    """Return the result and termination at a position's ``count``-th occurrence, converting draws like `outcome`."""
    result, termination = plain_repetition(rules, state, count)
    return (rules.draw_value if result == DRAW else result), termination


@njit
def terminal(rules: Any, state: Any, moves: Any) -> tuple[int, int]:
    """Return the result and termination of a position; ``(ONGOING, 0)`` if the game continues. ``moves`` is a buffer.

    Players detect the end of a game by this function, or by `outcome` if they have listed the moves. Repetition and the
    limit of plies depend on the game's history and are not checked.
    """
    return outcome(rules, state, 1 if has_move(rules, state, moves) else 0)
