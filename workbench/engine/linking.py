"""Calls between compiled functions that do not hold each other's machine code.

Numba compiles a function together with all that it calls, and so compiled the kernel of a game anew into every player.
Here a caller knows no more of a function than its machine types: either a name that the linker resolves when the
caller's machine code is loaded (the functions of a kernel), or an address that it is given as a number (the players, of
which only those that play need be compiled).
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer, infer_global, signature
from numba.core.typing.typeof import typeof as typeof
from numba.extending import intrinsic, lower_builtin


def address_of(function: Any, result: Any, arguments: tuple[Any, ...]) -> int:
    """Where the machine code of a compiled function is, for some machine types; it is compiled or loaded if need be."""
    function.compile(signature(result, *arguments))
    compiled = function.overloads[arguments]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def name(symbol: str, address: int) -> None:
    """Tell the linker where a function is; machine code that calls it is loaded only afterwards."""
    llvmlite.binding.add_symbol(symbol, address)


def _call(context: Any, builder: Any, callee: Any, sig: Any, args: Any) -> Any:
    status, value = context.call_conv.call_function(builder, callee, sig.return_type, sig.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return value


def call_by_name(function: Any, result: Any, arguments: tuple[Any, ...], knows: Any, symbol_for: Any) -> None:
    """Give a function that dispatches on its first argument its meaning in compiled code: a call by name.

    ``knows(type)`` says whether there is such a function for a type of the first argument, ``symbol_for(type)`` names
    it; ``arguments`` are the machine types of the others.
    """

    class Typing(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(result, args[0], *arguments) if knows(args[0]) else None

    infer(Typing)
    infer_global(function, types.Function(Typing))

    @lower_builtin(function, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        callee = cgutils.get_or_insert_function(builder.module, kind, symbol_for(sig.args[0]))
        return _call(context, builder, callee, sig, args)


PLAYER = types.int64, (types.float64[::1], types.uint64, types.uint64[::1], types.int64)
"""What a player returns, and its arguments but for rules, agent and workspace."""


def player_types(rules: Any, agent: Any, ws: Any) -> tuple[Any, ...]:
    """Return the machine types of a player's arguments."""
    weights, salt, rng, n = PLAYER[1]
    return rules, agent, weights, ws, salt, rng, n


@intrinsic  # type: ignore[untyped-decorator]
def call_player(
    typingctx: Any, address: Any, rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: Any
) -> Any:
    """Call the player whose machine code is at an address."""
    sig = signature(PLAYER[0], types.int64, *player_types(rules, agent, ws))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        inner = signature(sig.return_type, *sig.args[1:])
        kind = context.call_conv.get_function_type(inner.return_type, inner.args)
        return _call(context, builder, builder.inttoptr(args[0], kind.as_pointer()), inner, args[1:])

    return sig, codegen
