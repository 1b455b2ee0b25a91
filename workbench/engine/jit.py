"""The workbench's use of Numba: decorators, a cache of machine code, calls by symbol, and named tuples by reference.

Numba's cache depends on the file of the function that is called, not on the files of its callees or on compiler flags.
Here machine code is stored in folders named after everything that it depends on: versions, options and sources. A
kernel depends on its own files and on the engine's `FOUNDATION`. A function of the engine is compiled once per type of
rules, depends on the engine and on the family's declaration, and calls the kernel by symbol. So an edit of a kernel
recompiles that kernel, an edit of the engine the engine, and a second process compiles nothing.

``NUMBA_CACHE_DIR`` moves the cache, ``NUMBA_DISABLE_JIT=1`` runs the same code as plain Python. Damaged files are
detected by their checksum and compiled again; where the cache is not writable, nothing is stored.
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
from numba.core.registry import CPUDispatcher
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

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "nogil": True, "no_cfunc_wrapper": True}
"""Compiler options. Kernels divide by nonzero numbers, hence NumPy's error model, without a branch per division. No
compiled function allocates, hence no Numba runtime: its atomic reference counts for array arguments took three quarters
of the time of a small game. The interpreter lock is free during a block, for the threads of `workbench.runs.worker`. No
C code calls these functions, so there are no wrappers for it."""

PACKAGE = Path(__file__).resolve().parent.parent
DECLARATIONS = frozenset(PACKAGE / "games" / name for name in ("declaration.py", "prices.py"))
"""Modules by which families declare their rules."""
FOUNDATION = ("jit.py", "bits.py", "contract.py", "players.py", "rng.py", "folds.py")
"""The engine modules that a kernel imports, directly or indirectly."""
PREFIX = "machine-code"
MAX_FOLDERS, IN_USE_SECONDS = 40, 7 * 24 * 3600
"""Number of cache folders to keep, and the time since last use after which others are deleted."""

# On import and before compiling, Numba reads settings from a file in the working folder, which may not be trusted.
# Environment variables are set by the user.
config._config_fname = ""
config.reload_config()
DISABLED = bool(config.DISABLE_JIT)
if DISABLED:
    # Hashes and random numbers wrap around at 64 bits; unlike machine code, NumPy's scalars warn about it.
    np.seterr(over="ignore")

KERNEL_FILES: dict[type, Path] = {}
"""The kernel file for each type of rules, set by `contract.implement`."""
LINKERS: list[Callable[[Any, bytes], None]] = []
"""Callbacks that define a kernel's symbols before machine code that uses them is loaded: `contract.link`."""


# The cache of machine code


@functools.cache
def sources(file: Path) -> frozenset[Path]:
    """Return the source files that determine the machine code of a module.

    A module of the engine depends on the whole engine. A kernel imports only its own folder's kernel and declaration
    files and the engine's `FOUNDATION`.
    """
    engine = frozenset(PACKAGE.glob("engine/**/*.py"))
    if file in engine:
        return engine
    foundation = frozenset(PACKAGE / "engine" / name for name in FOUNDATION)
    return foundation | DECLARATIONS | {file, *file.parent.glob("kernel*.py"), *file.parent.glob("rules*.py")}


def driver_sources(kernel: Path) -> frozenset[Path]:
    """Return the source files that determine the machine code of engine functions compiled for a kernel's rules.

    These functions call the kernel by symbol and do not depend on its files.
    """
    return sources(PACKAGE / "engine" / "jit.py") | DECLARATIONS | {*kernel.parent.glob("rules*.py")}


@functools.cache
def folder_name(files: frozenset[Path]) -> str:
    """Return the name of the cache folder for machine code compiled from source files: family and digest.

    The digest is computed once per process, before compiling, so that a later edit is not mistaken for the compiled
    version.
    """
    parts = [platform.python_version(), numba.__version__, np.__version__, str(config.BOUNDSCHECK), str(config.OPT)]
    digest = hashlib.sha256("\n".join(parts).encode())
    families = set()
    for file in sorted(files):
        content = file.read_bytes()
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.name
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
        if file not in DECLARATIONS and not file.is_relative_to(PACKAGE / "engine"):
            families.add(file.parent.name)
    return "-".join([PREFIX, *sorted(families or {"engine"}), digest.hexdigest()[:20]])


def cache_root() -> Path:
    """Return the folder that contains the cache folders."""
    setting = os.environ.get("NUMBA_CACHE_DIR")
    if setting:
        return Path(setting)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "workbench"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "workbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workbench"


def prepare_cache() -> tuple[Path | None, str]:
    """Create the cache and delete unused folders; return its path and "", or None and the reason for a failure."""
    try:
        folder = cache_root()
        engine_folder = folder / folder_name(sources(Path(__file__).resolve()))
        engine_folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        location = getattr(error, "filename", None) or tr("your cache folder")
        return None, f"{location}: {getattr(error, 'strerror', None) or error}"
    with contextlib.suppress(OSError):
        os.utime(engine_folder)
        for expired in sorted(folder.glob(f"{PREFIX}*"), key=lambda file: file.stat().st_mtime)[:-MAX_FOLDERS]:
            if time.time() - expired.stat().st_mtime > IN_USE_SECONDS:
                shutil.rmtree(expired, ignore_errors=True)
    return folder, ""


CACHE, NO_CACHE = (None, "") if DISABLED else prepare_cache()
"""The parent of the cache folders, or None and the reason."""


def must_compile(functions: Iterable[str], kernels: Collection[Path]) -> bool:
    """Check whether any function, such as ``trials._play_block``, is missing from the cache for any of the kernels.

    Without kernels, checks whether a function is missing for all games.
    """
    if DISABLED or CACHE is None:
        return not DISABLED
    sufficient = all if kernels else any
    kernels = kernels or list(PACKAGE.glob("games/*/kernel.py"))
    for function in functions:
        find_sources = sources if function.startswith("kernel") else driver_sources
        folders = [CACHE / folder_name(find_sources(kernel)) for kernel in kernels]
        if not sufficient(any(folder.glob(f"{function}-*.nbc")) for folder in folders):
            return True
    return False


class Damaged(Exception):
    """Raised if the checksum of a cache file is wrong."""


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's cache files, with an appended checksum that Numba's reader ignores."""

    rules: tuple[Any, ...] = ()
    """The argument types of the requested function that are rules."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return content + hashlib.sha256(content).digest()

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
        for rules_type in self.rules:
            LINKERS[0](rules_type, content)
        return super()._load_data(name)


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Numba's interface for a cache path; the path is a placeholder, because `_Cache` selects the folder."""

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
        return ""  # the folder's name includes a digest

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache for a function, stored in the folder of its family or of the family whose rules it takes.

    Problems with cache files are reported once, and the function is then compiled.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any, file: Path) -> None:
        super().__init__(function)
        self._sources = sources(file)
        self._is_driver = file.is_relative_to(PACKAGE / "engine")
        self._opened: dict[str, _Files] = {}
        folder_name(self._sources)

    def _open(self, sig: Any) -> Path:
        """Open the cache files for a signature and return their folder."""
        files = self._sources
        for argument_type in getattr(sig, "args", sig):
            if kernel := KERNEL_FILES.get(getattr(argument_type, "instance_class", type(None))):
                files |= driver_sources(kernel) if self._is_driver else sources(kernel)
        assert CACHE is not None
        folder = CACHE / folder_name(files)
        if folder.name not in self._opened:
            self._opened[folder.name] = _Files(str(folder), self._impl.filename_base, "")
            with contextlib.suppress(OSError):
                os.utime(folder)
        self._cache_file = self._opened[folder.name]
        return folder

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's key without the result type.

        Numba includes the result type if a function is compiled for a signature, but not if it is compiled by a call. A
        process that requests it the other way would compile it again.
        """
        return super()._index_key(tuple(getattr(sig, "args", sig)), codegen)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._open(sig)
        kinds = getattr(sig, "args", sig)
        self._cache_file.rules = tuple(kind for kind in kinds if getattr(kind, "instance_class", None) in KERNEL_FILES)
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # anything that unpickling and linking may raise
            message = tr("the machine code in {cache} is damaged or unreadable ({reason}): recompiling")
            _warn_once(message, error)
        with contextlib.suppress(OSError):
            self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._open(sig).mkdir(parents=True, exist_ok=True)
            super().save_overload(sig, data)
        except (OSError, Damaged) as error:
            _warn_once(tr("the machine code cannot be cached in {cache} ({reason}): every command recompiles"), error)


_warned: set[str] = set()


def _warn_once(message: Any, error: Exception) -> None:
    """Print a warning about the cache once per process."""
    if str(message) not in _warned:
        _warned.add(str(message))
        reason = getattr(error, "strerror", None) or type(error).__name__
        print(message.format(cache=CACHE, reason=reason), file=sys.stderr, flush=True)


# Decorators


def _ignore_literals(compiled: Any) -> None:
    """Make Numba compile a function once per type instead of once per literal number."""
    template = compiled.get_call_template

    def general(args: Any, kws: Any) -> Any:
        return template(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})

    compiled.get_call_template = general


def njit(function: F) -> F:
    """Compile a function on its first use and cache the machine code on disk."""
    compiled = numba.njit(**OPTIONS)(function)
    if not DISABLED:
        _ignore_literals(compiled)
        enable_disk_cache(compiled)
    return compiled  # type: ignore[no-any-return]


def enable_disk_cache(compiled: Any) -> None:
    """Cache the machine code of a compiled function on disk."""
    file = Path(compiled.py_func.__code__.co_filename).resolve()
    if CACHE is not None and file.exists() and not isinstance(compiled._cache, _Cache):
        compiled._cache = _Cache(compiled.py_func, file)  # as CPUDispatcher.enable_caching does


class _Inlined(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that Python calls as source code, which avoids compiling an entry point for Python."""

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return self.py_func(*arguments)


def inline_ir(function: F) -> F:
    """Compile like `njit`, but let LLVM inline the code into callers; for very small functions."""
    compiled = numba.njit(forceinline=True, no_cpython_wrapper=True, **OPTIONS)(function)
    if not DISABLED:
        compiled.__class__ = _Inlined
    return compiled  # type: ignore[no-any-return]


def compile_for_python(function: Any) -> None:
    """Make calls from Python to a function use machine code, even if it is decorated with `inline_ir`."""
    if not DISABLED and isinstance(function, _Inlined):
        function.__class__ = CPUDispatcher
        function.targetoptions.pop("no_cpython_wrapper")


def inline_source(function: F) -> F:
    """Make Numba copy a function into its caller before compiling; for large functions with a single caller."""
    return numba.njit(inline="always", **OPTIONS)(function)  # type: ignore[no-any-return]


# Memory


@inline_ir
def copy(source: Any, target: Any) -> None:
    """Copy one state to another word by word, which is faster than a slice for such short arrays."""
    for i in range(source.shape[0]):
        target[i] = source[i]


def _stack(element: Any) -> Any:
    """Return a compiled function that allocates an array of a literal size on the stack."""
    array_type = types.Array(element, 1, "C")

    @intrinsic(prefer_literal=True)
    def array(typingctx: Any, size: Any) -> Any:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            length, width = size.literal_value, element.bitwidth // 8
            count = ir.Constant(ir.IntType(64), length)
            data = cgutils.alloca_once(builder, ir.IntType(element.bitwidth), size=count)
            array = context.make_array(array_type)(context, builder)
            shape, strides, itemsize = (context.get_constant(types.intp, number) for number in (length, width, width))
            populate_array(array, data=data, shape=[shape], strides=[strides], itemsize=itemsize, meminfo=None)
            return array._getvalue()

        return array_type(size), codegen

    return array


def scratch(size: int) -> Any:
    """Return an uninitialised int64 array of literal size on the stack, to avoid allocation in inner loops.

    The calling function must not return the array.
    """
    return np.zeros(size, np.int64)


def scratch_moves(size: int) -> Any:
    """Return an array like that of `scratch`, but of type int32, like all move lists."""
    return np.zeros(size, np.int32)


if not DISABLED:
    # Overloads cannot return arrays without Numba's runtime, so these are intrinsics.
    scratch, scratch_moves = _stack(types.int64), _stack(types.int32)


# Calls by symbol and by address
#
# Numba compiles callees into their caller, which would compile a game's kernel again for every player. Here a caller
# depends only on a function's machine types. Kernel functions are symbols that the linker resolves when the caller is
# loaded; players are called by an address passed as a number, so that only those in use are compiled.


def machine_code_address(function: Any, result: Any, arguments: tuple[Any, ...]) -> int:
    """Compile or load a function for some machine types and return its address."""
    function.compile(signature(result, *arguments))
    compiled = function.overloads[arguments]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def define_symbol(symbol: str, address: int) -> None:
    """Define a symbol for the linker; must precede the loading of machine code that uses it."""
    llvmlite.binding.add_symbol(symbol, address)


def _call(context: Any, builder: Any, callee: Any, sig: Any, args: Any) -> Any:
    status, value = context.call_conv.call_function(builder, callee, sig.return_type, sig.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return value


def call_by_name(function: Any, result: Any, arguments: tuple[Any, ...], is_known: Any, find_symbol: Any) -> None:
    """Compile calls to ``function`` as calls to a symbol that depends on the type of the first argument.

    ``is_known(type)`` checks whether a type has such a function, and ``find_symbol(type)`` returns its symbol.
    ``arguments`` are the machine types of the remaining arguments.
    """

    class Typing(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(result, args[0], *arguments) if is_known(args[0]) else None

    infer(Typing)
    infer_global(function, types.Function(Typing))

    @lower_builtin(function, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function_type = context.call_conv.get_function_type(sig.return_type, sig.args)
        callee = cgutils.get_or_insert_function(builder.module, function_type, find_symbol(sig.args[0]))
        return _call(context, builder, callee, sig, args)


PLAYER = types.int64, (types.float64[::1], types.uint64, types.uint64[::1], types.int64)
"""Machine types of a player's result, and of its arguments other than rules, agent and workspace."""


def player_types(rules: Any, agent: Any, ws: Any) -> tuple[Any, ...]:
    """Return the machine types of a player's arguments."""
    weights, salt, rng, n = PLAYER[1]
    return rules, agent, weights, ws, salt, rng, n


@intrinsic
def call_player(
    typingctx: Any, address: Any, rules: Any, agent: Any, weights: Any, ws: Any, salt: Any, rng: Any, n: Any
) -> Any:
    """Call the player whose machine code is at ``address``."""
    sig = signature(PLAYER[0], types.int64, *player_types(rules, agent, ws))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        inner = signature(sig.return_type, *sig.args[1:])
        function_type = context.call_conv.get_function_type(inner.return_type, inner.args)
        return _call(context, builder, builder.inttoptr(args[0], function_type.as_pointer()), inner, args[1:])

    return sig, codegen


# Named tuples by reference
#
# Numba passes a named tuple field by field, some two hundred words for the rules and the players' memory. Here a tuple
# is packed once into a block of words, and compiled code receives the block's address. Nothing writes to the block, so
# the compiler may reuse loaded values.


class ReferenceType(types.Type):  # type: ignore[misc]
    """The machine type of a named tuple: its class and its field types."""

    def __init__(self, instance_class: type, fields: tuple[Any, ...]) -> None:
        self.instance_class = instance_class
        self.fields = fields
        super().__init__(f"{instance_class.__module__}.{instance_class.__qualname__}{fields}")

    def field(self, name: str) -> tuple[Any, int] | None:
        """Return a field's type and the index of its first word, or None if there is no such field."""
        names = self.instance_class._fields  # type: ignore[attr-defined]
        if name not in names:
            return None
        index = names.index(name)
        return self.fields[index], sum(_word_count(field_type) for field_type in self.fields[:index])


def _word_count(field_type: Any) -> int:
    """Return the number of words in a field: one for a number, address and shape for an array."""
    return 1 + field_type.ndim if isinstance(field_type, types.Array) else 1


def _field_type(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("an array that is passed by reference must be contiguous")
        return types.Array(typeof(value).dtype, value.ndim, "C")
    return types.float64 if isinstance(value, float) else types.int64


def _pack_fields(self: Any) -> Any:
    """Return the fields packed into an int64 array."""
    words: list[int] = []
    for value in self:
        if isinstance(value, np.ndarray):
            words += [value.ctypes.data, *value.shape]
        else:
            words.append(int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value))
    return np.array(words, np.int64)


def by_reference(named_tuple: Any) -> Any:
    """Decorate a named tuple so that compiled functions receive it by reference.

    Fields may be whole numbers, floats and contiguous arrays. Compiled code may write to the arrays, but not to fields.
    """
    if DISABLED:
        return named_tuple
    packed = functools.cached_property(_pack_fields)
    content = {
        "__module__": named_tuple.__module__,
        "__doc__": named_tuple.__doc__,
        "packed": packed,
        "machine_address": property(lambda self: self.packed.ctypes.data),
    }
    reference_class = type(named_tuple.__name__, (named_tuple,), content)

    @typeof_impl.register(reference_class)
    def type_of(value: Any, context: Any) -> Any:
        return ReferenceType(type(value), tuple(map(_field_type, value)))

    return reference_class


register_default(ReferenceType)(models.OpaqueModel)


@unbox(ReferenceType)
def _unbox_address(kind: Any, value: Any, c: Any) -> Any:
    address = cgutils.alloca_once_value(c.builder, ir.Constant(c.context.get_value_type(kind), None))
    number = c.pyapi.object_getattr_string(value, "machine_address")
    # The property fails if Ctrl-C interrupts it.
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
def _load_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    field, index = kind.field(name)
    block = builder.bitcast(value, ir.IntType(64).as_pointer())

    def word(offset: int) -> Any:
        loaded = builder.load(builder.gep(block, [ir.Constant(ir.IntType(64), index + offset)]))
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
