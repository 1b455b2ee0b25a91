"""Which engine plays, as a digest of its sources. Workers ask, too, so this imports the standard library only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import workbench


def engines(families: Iterable[str]) -> dict[str, str]:
    """For each game family, a digest of the sources that decide what is in its records: 16 hex digits.

    These are the engine, and the declaration, the kernels and the notation of the family. The versions of Python and of
    libraries are no part of it: the same sources play the same games under all of them.
    """
    return {family: _engine(family) for family in families}


@cache
def _engine(family: str) -> str:
    package = Path(workbench.__file__).resolve().parent
    hashed = hashlib.sha256()
    sources = [*package.glob("engine/**/*.py"), package / "games" / "declaration.py"]
    for names in ("rules.py", "kernel*.py", "notation*.py"):
        sources += package.glob(f"games/{family}/{names}")
    for source in sorted(sources):
        # A checkout on Windows has other line ends.
        content = source.read_bytes().replace(b"\r\n", b"\n")
        hashed.update(f"{source.relative_to(package).as_posix()} {len(content)}\n".encode() + content)
    return hashed.hexdigest()[:16]
