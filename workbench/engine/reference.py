"""Named tuples that compiled functions take by reference.

Numba passes a named tuple field by field: a call that hands on the rules of a game and the memory of its players would
pass some two hundred words, and each function would be compiled to receive them. Here a tuple is packed once, into a
block of words in memory, and compiled code gets the block's address. A field is read from there when it is asked for,
and since nothing writes to it, the compiler may keep what it has read.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof, typeof_impl
from numba.np.arrayobj import populate_array

from workbench.engine.jit import DISABLED

WORD = 8
"""Bytes of a word."""


class ReferenceType(types.Type):  # type: ignore[misc]
    """The machine type of a named tuple: its class, and the types of its fields."""

    def __init__(self, instance_class: type, fields: tuple[Any, ...]) -> None:
        self.instance_class = instance_class
        self.fields = fields
        super().__init__(f"{instance_class.__module__}.{instance_class.__qualname__}{fields}")

    def field(self, name: str) -> tuple[Any, int] | None:
        """Return the type of a field and the word at which it begins; None if there is no such field."""
        names = self.instance_class._fields  # type: ignore[attr-defined]
        if name not in names:
            return None
        place = names.index(name)
        return self.fields[place], sum(_words(kind) for kind in self.fields[:place])


def _words(kind: Any) -> int:
    """Return the words of a field: the number itself, or the address and the shape of an array."""
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


def _type_of(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("an array that is passed by reference must be contiguous")
        return types.Array(typeof(value).dtype, value.ndim, "C")
    return types.float64 if isinstance(value, float) else types.int64


def _pack(self: Any) -> Any:
    """Return the fields as words in memory."""
    words: list[int] = []
    for value in self:
        if isinstance(value, np.ndarray):
            words += [value.ctypes.data, *value.shape]
        elif isinstance(value, float):
            words.append(int(np.float64(value).view(np.int64)))
        else:
            words.append(int(value))
    return np.array(words, np.int64)


def by_reference(named_tuple: Any) -> Any:
    """Return the named tuple, so that compiled functions take it by reference.

    Its fields are whole numbers, floats and contiguous arrays. An array may be written to, a field may not.
    """
    if DISABLED:
        return named_tuple
    packed = functools.cached_property(_pack)
    content = {
        "__module__": named_tuple.__module__,
        "__doc__": named_tuple.__doc__,
        "packed": packed,
        "machine_address": property(lambda self: self.packed.ctypes.data),
    }
    made = type(named_tuple.__name__, (named_tuple,), content)

    @typeof_impl.register(made)  # type: ignore[untyped-decorator]
    def type_of(value: Any, context: Any) -> Any:
        return ReferenceType(type(value), tuple(_type_of(field) for field in value))

    return made


register_default(ReferenceType)(models.OpaqueModel)


@unbox(ReferenceType)  # type: ignore[untyped-decorator]
def _address(kind: Any, value: Any, c: Any) -> Any:
    address = cgutils.alloca_once_value(c.builder, ir.Constant(c.context.get_value_type(kind), None))
    number = c.pyapi.object_getattr_string(value, "machine_address")
    # Ctrl-C may end the Python code that finds it.
    with c.builder.if_then(cgutils.is_not_null(c.builder, number), likely=True):
        c.builder.store(c.pyapi.long_as_voidptr(number), address)
        c.pyapi.decref(number)
    return NativeValue(c.builder.load(address), is_error=c.pyapi.c_api_error())


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = ReferenceType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        field = kind.field(name)
        return field[0] if field else None


@lower_getattr_generic(ReferenceType)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    field, place = kind.field(name)
    block = builder.bitcast(value, ir.IntType(64).as_pointer())

    def word(offset: int) -> Any:
        loaded = builder.load(builder.gep(block, [ir.Constant(ir.IntType(64), place + offset)]))
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if not isinstance(field, types.Array):
        return builder.bitcast(word(0), ir.DoubleType()) if field == types.float64 else word(0)
    shape = [word(1 + axis) for axis in range(field.ndim)]
    size = context.get_abi_sizeof(context.get_data_type(field.dtype))
    strides = [ir.Constant(ir.IntType(64), size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    array = context.make_array(field)(context, builder)
    data = builder.inttoptr(word(0), context.get_data_type(field.dtype).as_pointer())
    itemsize = context.get_constant(types.intp, size)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()
