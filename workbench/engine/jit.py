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

import numba
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.registry import CPUDispatcher as Dispatcher
from numba.extending import intrinsic, overload
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


FOUNDATION = ("jit.py", "reference.py", "linking.py", "contract.py", "packing.py", "players.py", "rng.py", "folds.py")
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
        keep(compiled)
    return compiled  # type: ignore[no-any-return]


def keep(compiled: Any) -> None:
    """Keep the machine code of a compiled function for the next process."""
    file = Path(compiled.py_func.__code__.co_filename).resolve()
    if CACHE is not None and file.exists() and not isinstance(compiled._cache, _Cache):
        compiled._cache = _Cache(compiled.py_func, file)  # as Dispatcher.enable_caching does


def inlined(function: F) -> F:
    """As `njit`, and copied into its callers: for helpers so small that passing their arguments costs more."""
    compiled = numba.njit(forceinline=True, no_cpython_wrapper=True, **OPTIONS)(function)
    if not DISABLED:
        compiled.__class__ = _Inlined
    return compiled  # type: ignore[no-any-return]


def compile_for_python(function: Any) -> None:
    """Let Python call the machine code of a function that may be `inlined`, not yet compiled."""
    if not DISABLED and isinstance(function, _Inlined):
        function.__class__ = Dispatcher
        function.targetoptions.pop("no_cpython_wrapper")


class _Inlined(Dispatcher):  # type: ignore[misc]
    """A compiled function that Python calls uncompiled, so that no entry for Python need be compiled."""

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return self.py_func(*arguments)


def spliced(function: F) -> F:
    """As `inlined`, but before the caller is compiled: for large functions with one caller, which compile only once."""
    return numba.njit(inline="always", **OPTIONS)(function)  # type: ignore[no-any-return]


@inlined
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


@intrinsic
def _popcount(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen


@intrinsic
def _lowest(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _highest(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), codegen


def popcount(word: int) -> int:
    """Return the number of set bits of a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a word that is not zero."""
    word = int(word) & 0xFFFFFFFFFFFFFFFF
    return (word & -word).bit_length() - 1


def highest(word: int) -> int:
    """Return the index of the highest set bit of a word that is not zero."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_length() - 1


# Numba compares the signatures of an overload and of its implementation, annotations included: these have none.
@overload(popcount, inline="always")
def _popcount_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _popcount(np.int64(word))


@overload(lowest, inline="always")
def _lowest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _lowest(np.int64(word))


@overload(highest, inline="always")
def _highest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _highest(np.int64(word))
