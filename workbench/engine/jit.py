"""Numba as the workbench uses it: every compiled function of the workbench is decorated here.

Numba's own cache looks at the file of the function that is called, not at the files of the functions it calls, and
not at the flags it was compiled with. So machine code is kept in folders that are named after everything that it
depends on: the versions, how much is checked and optimised, and sources. A kernel depends on its own files and on the
engine's `FOUNDATION`; a function of the engine that works for any game is compiled once for each type of rules, depends
on the engine and on the declaration of the family, and calls the kernel by name (`linking`). So an edit of a kernel
compiles that kernel anew, an edit of a player the players, and a second process nothing.

``NUMBA_CACHE_DIR`` moves the folder, ``NUMBA_DISABLE_JIT=1`` runs the same code as plain Python. Files that were
damaged are noticed by their checksum and compiled anew; where nothing can be written, everything is compiled and
nothing is kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import platform
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.registry import CPUDispatcher as Dispatcher
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
    infer_global,
    signature,
)
from numba.core.typing.typeof import typeof as typeof
from numba.core.typing.typeof import typeof_impl
from numba.extending import intrinsic, lower_builtin
from numba.np.arrayobj import populate_array

from workbench.base.language import tr

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
DECLARATIONS = frozenset(PACKAGE / "games" / name for name in ("declaration.py", "prices.py"))
"""What families declare their rules with."""
PREFIX = "machine-code"
KEPT_FOLDERS = 40
"""Folders of machine code that are kept; older ones belong to sources that have since changed."""

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "nogil": True, "no_cfunc_wrapper": True}
"""How everything is compiled. The kernels divide only by numbers that cannot be zero, hence NumPy's error model: no
branch for each division. And no compiled function allocates, so Numba's runtime is left out: with it, passing an array
to a function counts references by atomic instructions, which took three quarters of the time of a small game. The
interpreter's lock is free while a block is played, so that the threads of `workbench.runs.worker` run meanwhile. C
calls none of it, so there are no wrappers for that."""

IN_USE = 7 * 24 * 3600
"""Seconds for which a folder may belong to a run that is still going on."""

# Numba takes settings from a file of the working folder, which may be a stranger's, when it is imported and again
# whenever it compiles. Those of the environment are the user's own.
config._config_fname = ""
config.reload_config()

DISABLED = bool(config.DISABLE_JIT)

if DISABLED:
    # Hashes and random numbers wrap around at 64 bits; NumPy's scalars warn where machine code is silent.
    np.seterr(over="ignore")


KERNEL_FILES: dict[type, Path] = {}
"""The file of the kernel that answers for a type of rules: `contract.implement` enters it."""


LINKERS: list[Callable[[Any, bytes], None]] = []
"""What makes a kernel's functions known to the linker before machine code that calls them is loaded: `contract.link`.
"""


FOUNDATION = ("jit.py", "bits.py", "contract.py", "players.py", "rng.py", "folds.py")
"""The modules of the engine that a kernel imports, and those that they import."""


@functools.cache
def sources(file: Path) -> frozenset[Path]:
    """Return the files that decide what machine code from a file does.

    For a file of the engine that is the engine; for any other one its family, which is what stands beside it (the
    kernel and the declaration), and of the engine the `FOUNDATION`. A kernel imports nothing else.
    """
    engine = frozenset(PACKAGE.glob("engine/**/*.py"))
    if file in engine:
        return engine
    foundation = frozenset(PACKAGE / "engine" / name for name in FOUNDATION)
    return foundation | DECLARATIONS | {file, *file.parent.glob("kernel*.py"), *file.parent.glob("rules*.py")}


def driver_sources(kernel: Path) -> frozenset[Path]:
    """Return the files that decide the machine code of a function of the engine for the rules of this kernel's family.

    It calls the kernel by name, so the kernel is not among them.
    """
    return sources(PACKAGE / "engine" / "jit.py") | DECLARATIONS | {*kernel.parent.glob("rules*.py")}


@functools.cache
def folder_name(files: frozenset[Path]) -> str:
    """The name of the folder for the machine code of some files: their family, and a digest of all that it depends on.

    The digest is taken once in a process, before the code is compiled: an edit meanwhile must not pass for what was
    compiled.
    """
    parts = [platform.python_version(), numba.__version__, np.__version__, str(config.BOUNDSCHECK), str(config.OPT)]
    hashed = hashlib.sha256("\n".join(parts).encode())
    families = set()
    for file in sorted(files):
        content = file.read_bytes()
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.name
        hashed.update(f"\n{name} {len(content)}\n".encode() + content)
        if file not in DECLARATIONS and not file.is_relative_to(PACKAGE / "engine"):
            families.add(file.parent.name)
    return "-".join([PREFIX, *sorted(families or {"engine"}), hashed.hexdigest()[:20]])


def base() -> Path:
    """Return the folder that holds the folders of machine code."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "workbench"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "workbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workbench"


def prepare() -> tuple[Path | None, str]:
    """The folder of the folders of machine code, made if it has to be, and "", or None and why it cannot be made.

    Machine code that nothing has used for long is deleted.
    """
    try:
        folder = base()
        engine = folder / folder_name(sources(Path(__file__).resolve()))
        engine.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        where = getattr(error, "filename", None) or tr("your cache folder")
        return None, f"{where}: {getattr(error, 'strerror', None) or error}"
    with contextlib.suppress(OSError):
        os.utime(engine)
        for old in sorted(folder.glob(f"{PREFIX}*"), key=lambda f: f.stat().st_mtime)[:-KEPT_FOLDERS]:
            if time.time() - old.stat().st_mtime > IN_USE:
                shutil.rmtree(old, ignore_errors=True)
    return folder, ""


CACHE, NO_CACHE = (None, "") if DISABLED else prepare()
"""The folder of the folders of machine code, and why there is none."""


def must_compile(functions: Iterable[str], kernels: Collection[Path]) -> bool:
    """Whether a compiled function, such as ``trials._play_block``, lacks machine code on disk for one of the kernels.

    If no file of a kernel is named, whether it has none for any.
    """
    if DISABLED or CACHE is None:
        return not DISABLED
    enough = all if kernels else any
    kernels = kernels or list(PACKAGE.glob("games/*/kernel.py"))
    for function in functions:
        of_kernel = function.startswith("kernel")
        folders = [folder_name(sources(kernel) if of_kernel else driver_sources(kernel)) for kernel in kernels]
        present = [any((CACHE / folder).glob(f"{function}-*.nbc")) for folder in folders]
        if not enough(present):
            return True
    return False


class Damaged(Exception):
    """A file of machine code is not as it was written."""


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files with a checksum at the end of each, where its reader does not look."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return content + hashlib.sha256(content).digest()

    rules: tuple[Any, ...] = ()
    """The types of rules among the arguments of the function whose machine code is asked for."""

    def _check(self, path: str, head: bytes = b"") -> bytes:
        content = Path(path).read_bytes().removeprefix(head)
        if hashlib.sha256(content[:-32]).digest() != content[-32:]:
            raise Damaged(path)
        return content

    def _load_index(self) -> Any:
        if os.path.exists(self._index_path):
            self._check(self._index_path, pickle.dumps(self._version, protocol=-1))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        content = self._check(self._data_path(name))
        for kind in self.rules:
            LINKERS[0](kind, content)
        return super()._load_data(name)


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells Numba what it asks before the types are known; the folder is `_Cache`'s to choose."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(CACHE)

    def ensure_cache_path(self) -> None:
        pass

    def get_source_stamp(self) -> str:
        return ""  # the name of the folder says it

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function, in the folder of the function's family, or of that whose rules are an argument.

    It says what is wrong with its files, and goes on without them.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any, file: Path) -> None:
        super().__init__(function)
        self._sources = sources(file)
        self._drives = file.is_relative_to(PACKAGE / "engine")
        self._opened: dict[str, _Files] = {}
        folder_name(self._sources)

    def _open(self, sig: Any) -> Path:
        """Turns to the files for a signature, and returns their folder."""
        files = self._sources
        for kind in getattr(sig, "args", sig):
            if kernel := KERNEL_FILES.get(getattr(kind, "instance_class", type(None))):
                files |= driver_sources(kernel) if self._drives else sources(kernel)
        assert CACHE is not None
        folder = CACHE / folder_name(files)
        if folder.name not in self._opened:
            self._opened[folder.name] = _Files(str(folder), self._impl.filename_base, "")
            with contextlib.suppress(OSError):
                os.utime(folder)
        self._cache_file = self._opened[folder.name]
        return folder

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Numba's key, by the types of the arguments alone, as its dispatcher knows what it has compiled.

        It names the type of the result, too, where a function is compiled for that, and not where a call compiles it:
        the next process, which asks the other way, would compile it anew.
        """
        return super()._index_key(tuple(getattr(sig, "args", sig)), codegen)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._open(sig)
        kinds = getattr(sig, "args", sig)
        self._cache_file.rules = tuple(kind for kind in kinds if getattr(kind, "instance_class", None) in KERNEL_FILES)
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever unpickling and linking may raise
            _say_once(
                tr(
                    "the machine code in {cache} is damaged or cannot be read ({reason}): compiling anew",
                    cache=CACHE,
                    reason=_reason(error),
                )
            )
        with contextlib.suppress(OSError):
            self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._open(sig).mkdir(parents=True, exist_ok=True)
            super().save_overload(sig, data)
        except (OSError, Damaged) as error:
            _say_once(
                tr(
                    "the machine code cannot be kept in {cache} ({reason}): every command compiles anew",
                    cache=CACHE,
                    reason=_reason(error),
                )
            )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__


_said: set[str] = set()


def _say_once(line: str) -> None:
    """Tell the user, once in a process, about a folder of machine code."""
    kind = line.partition("(")[0]
    if kind not in _said:
        _said.add(kind)
        print(line, file=sys.stderr, flush=True)


def _once_for_all_numbers(compiled: Any) -> None:
    """Compile a function once for a type, where Numba would compile it again for each number written in a call."""
    template = compiled.get_call_template

    def general(args: Any, kws: Any) -> Any:
        return template(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})

    compiled.get_call_template = general


def njit(function: F) -> F:
    """Return the function, compiled on first use and kept for the next process."""
    compiled = numba.njit(**OPTIONS)(function)
    if not DISABLED:
        _once_for_all_numbers(compiled)
        enable_disk_cache(compiled)
    return compiled  # type: ignore[no-any-return]


def enable_disk_cache(compiled: Any) -> None:
    """Keep the machine code of a compiled function for the next process."""
    file = Path(compiled.py_func.__code__.co_filename).resolve()
    if CACHE is not None and file.exists() and not isinstance(compiled._cache, _Cache):
        compiled._cache = _Cache(compiled.py_func, file)  # as Dispatcher.enable_caching does


def inline_ir(function: F) -> F:
    """As `njit`, and copied into its callers: for helpers so small that passing their arguments costs more."""
    compiled = numba.njit(forceinline=True, no_cpython_wrapper=True, **OPTIONS)(function)
    if not DISABLED:
        compiled.__class__ = _Inlined
    return compiled  # type: ignore[no-any-return]


def compile_for_python(function: Any) -> None:
    """Let Python call the machine code of a function that may be `inline_ir`, not yet compiled."""
    if not DISABLED and isinstance(function, _Inlined):
        function.__class__ = Dispatcher
        function.targetoptions.pop("no_cpython_wrapper")


class _Inlined(Dispatcher):  # type: ignore[misc]
    """A compiled function that Python calls uncompiled, so that no entry for Python need be compiled."""

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return self.py_func(*arguments)


def inline_source(function: F) -> F:
    """Copy a function into its caller before compiling: for large functions with one caller, compiled only once."""
    return numba.njit(inline="always", **OPTIONS)(function)  # type: ignore[no-any-return]


@inline_ir
def copy(source: Any, target: Any) -> None:
    """Copy one state over another, word by word: quicker than a slice for the few words of a state."""
    for i in range(source.shape[0]):
        target[i] = source[i]


def _stack(element: Any) -> Any:
    """Return an array on the stack, of a literal size and of elements of a machine type."""
    kind = types.Array(element, 1, "C")

    @intrinsic(prefer_literal=True)
    def array(typingctx: Any, size: Any) -> Any:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            length, width = size.literal_value, element.bitwidth // 8
            room = ir.Constant(ir.IntType(64), length)
            data = cgutils.alloca_once(builder, ir.IntType(element.bitwidth), size=room)
            array = context.make_array(kind)(context, builder)
            shape, strides, itemsize = (context.get_constant(types.intp, number) for number in (length, width, width))
            populate_array(array, data=data, shape=[shape], strides=[strides], itemsize=itemsize, meminfo=None)
            return array._getvalue()

        return kind(size), codegen

    return array


def scratch(size: int) -> Any:
    """Return an uninitialised int64 array of a literal size that lives on the stack: no allocation in inner loops.

    It must not be returned by the function that asks for it.
    """
    return np.zeros(size, np.int64)


def scratch_moves(size: int) -> Any:
    """As `scratch`, but of int32, as all lists of moves are: what fills them is compiled for that type alone."""
    return np.zeros(size, np.int32)


if not DISABLED:
    # Not by an overload: functions without Numba's runtime return no arrays, intrinsics do.
    scratch, scratch_moves = _stack(types.int64), _stack(types.int32)


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

    @lower_builtin(function, types.VarArg(types.Any))
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


@intrinsic
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

    @typeof_impl.register(made)
    def type_of(value: Any, context: Any) -> Any:
        return ReferenceType(type(value), tuple(_type_of(field) for field in value))

    return made


register_default(ReferenceType)(models.OpaqueModel)


@unbox(ReferenceType)
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


@lower_getattr_generic(ReferenceType)
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
