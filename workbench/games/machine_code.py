"""Whether the machine code of a game is there already, and how several processes share the work of compiling it."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from typing import Any

from workbench import games
from workbench.engine import contract, jit, linking, trials
from workbench.engine.agents import memory_of
from workbench.engine.players import RANDOM, nobody
from workbench.engine.trials import Codes

Part = str | int
"""A function of the kernel, by its name, or a kind of player; `RANDOM`, who is no function, stands for the games."""


def must_compile(functions: Iterable[str], families: Iterable[str]) -> bool:
    """Whether a compiled function, such as ``trials._play_block``, lacks machine code on disk for one of the families.

    If no family is named, whether it has none for any.
    """
    return jit.must_compile(functions, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)])


def stages(kinds: Collection[int]) -> tuple[list[Part], list[Part]]:
    """The parts of a family's machine code for games between such kinds of players: the kernel, then what calls it.

    The parts of a stage may be compiled by several processes at once. Functions that list or draw moves share most of
    what they call: the first compiles it while others are at what shares nothing, and the rest find it done.
    """

    def later(function: Any) -> bool:
        arguments = contract.MACHINE_TYPES[function][1]
        return contract.MOVES in arguments or contract.WORDS in arguments

    kernel = sorted(contract.MACHINE_TYPES, key=lambda one: (one is not contract.legal_moves, later(one)))
    return [one.__name__ for one in kernel], [*sorted({*kinds} - {RANDOM}), RANDOM]


def attempt(family: str, codes: Codes, part: Part) -> None:
    """As `make`; what fails says so again when it is needed."""
    with contextlib.suppress(Exception):
        make(family, codes, part)


def make(family: str, codes: Codes, part: Part) -> None:
    """Compiles a part for a family's type of rules, or loads it; ``codes`` are those of any of its rulesets."""
    rules = trials.rules_of(family, codes)
    if part == RANDOM:
        trials.warm_up(family, codes, [RANDOM])
    elif isinstance(part, int):
        player = nobody(contract.feature_count(rules))
        memory_of(rules, 1, player._replace(agent=player.agent._replace(kind=part)))
    else:
        generic = getattr(contract, part)
        function = contract.kernel_functions(type(rules)).get(generic)
        # A stand-in of the engine calls the kernel by name, all of which would be compiled for it: it comes with those
        # who call it.
        if function is not None and function.py_func.__module__ != contract.__name__:
            jit.keep(function)
            result, arguments = contract.MACHINE_TYPES[generic]
            linking.address_of(function, result, (linking.typeof(rules), *arguments))
