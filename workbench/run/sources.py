"""Which engine plays, as a digest of its sources. Workers ask, too, so this imports no library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import workbench
from workbench import games


def engine_digests(families: Iterable[str]) -> dict[str, str]:
    """For each game family, a digest of the sources that decide what is in its records: 16 hex digits.

    These are the engine, and the declaration, the kernels and the notation of the family. The versions of Python and of
    libraries are no part of it: the same sources play the same games under all of them. Nor is where a family lies.
    A family that is not here has the digest ``none``.
    """
    return {family: _engine_digest(family) for family in families}


@cache
def _engine_digest(family: str) -> str:
    package = Path(workbench.__file__).resolve().parent
    try:
        folder = games.folder(family)
    except KeyError:
        return "none"
    engine = [*package.glob("engine/**/*.py"), package / "games" / "declaration.py"]
    sources = {source.relative_to(package).as_posix(): source for source in engine}
    for names in ("rules*.py", "kernel*.py", "notation*.py"):
        sources |= {f"games/{family}/{source.name}": source for source in folder.glob(names)}
    hashed = hashlib.sha256()
    for name, source in sorted(sources.items(), key=lambda one: PurePosixPath(one[0])):
        # A checkout on Windows has other line ends.
        content = source.read_bytes().replace(b"\r\n", b"\n")
        hashed.update(f"{name} {len(content)}\n".encode() + content)
    return hashed.hexdigest()[:16]
