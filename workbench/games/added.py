"""Game families from installed packages and from the user's project.

An installed package declares its families under the entry point group ``workbench.games``; installing it means trusting
it. A project's families are in its folder ``games/``. Since anybody may have written them, their code runs only after
the user has trusted that folder with its current content. ``--trust`` stores the folder's path and a digest of its
files in the user's configuration folder: no file in a project can do that, a copy elsewhere is another folder, and
changed code must be trusted again. The variable ``WORKBENCH_TRUST`` lists folders whose families are trusted whatever
their content, for machines without a user and for authors of families.

A process that has loaded a family passes its path and digest on in the same variable, so that workers load the same
code or none. Only the standard library is imported, since worker processes call this module, too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import json
import keyword
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any

from workbench import games
from workbench.base import project
from workbench.base.errors import LOADED_CODE, WorkbenchError, error_text, error_with_line, one_line, system_reason
from workbench.base.language import LANGUAGES, OR, join, join_list, tr, translated
from workbench.games.declaration import Conflict, Declaration, Named, Toggle, UnitKind
from workbench.games.results import ENGINE_ENDINGS

GROUP = "workbench.games"
"""The entry point group: ``hexapawn = "hexapawn_game"`` declares a family and the package in its folder."""
FOLDER = "games"
"""The folder in a project that contains a folder for each of its families."""
VARIABLE = "WORKBENCH_TRUST"
"""Folders of families, or folders that contain some, separated as in PATH; ``folder=digest`` if inherited."""
TRUSTED = "trusted-games.json"
"""The user's file of trusted folders with their digests."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_INHERITED = re.compile(r"(.+)=([0-9a-f]{64})")
_loaded: dict[str, Added] = {}
"""The families whose code is loaded in this process."""
_readable: dict[Added, str] = {}
"""Cached results of `_declaration_error`."""


class RefusedGame(WorkbenchError):
    """A game family that was found but cannot be played; the text says why and what to do."""


@dataclass(frozen=True)
class Added:
    """A family that is not part of the workbench."""

    name: str
    folder: Path
    place: str
    """The name of the folder in messages."""
    digest: str = ""
    """The digest of the files of a project's family; "" for installed packages."""
    refused: str = ""
    """Why its code may not run, as a sentence, or ""."""


def families() -> dict[str, Added]:
    """Return all added families by name: the project's first, then those of installed packages."""
    found: dict[str, Added] = {}
    for one in [*_project_families(), *_installed_families()]:
        before = found.get(one.name)
        if reason := _name_problem(one):
            one = replace(one, refused=reason)
        elif before and before.folder != one.folder:
            places = {"first": before.place, "second": one.place, "name": one.name}
            one = replace(before, refused=tr("{first} and {second} are both called '{name}': rename one", **places))
        found[one.name] = one
    return found


def _name_problem(one: Added) -> str:
    """Return why a family cannot have this name, or ""."""
    named = {"place": one.place, "one": one.name}
    if one.name in games.shipped() or Path(games.__path__[0], f"{one.name}.py").exists():
        return tr("{place}: '{one}' is reserved by the workbench", **named)
    if not _NAME.fullmatch(one.name):
        return tr("{place}: a game's name consists of lower-case letters, digits and _, found '{one}'", **named)
    if trouble := project.name_problem(one.name):
        return join(": ", (one.place, trouble))
    return ""


def load_problem(one: Added) -> str:
    """Return why a family cannot be played, as a sentence, or ""."""
    if one.refused:
        return one.refused
    if one not in _readable:
        _readable[one] = _declaration_error(one)
    return _readable[one]


def _declaration_error(one: Added) -> str:
    """Return the problem in a family's declaration, or ""."""
    try:
        declared = games.module(one.name, "rules").DECLARATION
    except WorkbenchError as error:
        return error_text(error)
    except (Exception, SystemExit) as error:  # third-party code may raise anything
        text = error_with_line(error, one.folder) or one_line(error)
        return tr("{place}/rules.py cannot be read: {error}", place=one.place, error=text)
    if not isinstance(declared, Declaration):
        return tr("{place}/rules.py: DECLARATION is not a Declaration", place=one.place)
    if declared.name != one.name:
        named = {"place": one.place, "declared": declared.name, "one": one.name}
        return tr("{place}/rules.py declares '{declared}'; here it must be '{one}'", **named)
    if text := declaration_problem(declared, one.folder / "rules.py"):
        return join("/", (one.place, text))
    return ""


def trust_project() -> list[str]:
    """Trust the current code of the project's families and return their names for messages."""
    candidates = list(_candidates())
    if not candidates:
        what = tr("there is nothing to trust: no folder in this project's {folder}/ contains a game")
        raise RefusedGame(what.format(folder=FOLDER))
    trusted = []
    for candidate in candidates:
        if reason := _name_problem(candidate):
            raise RefusedGame(reason)
        digest = _digest(candidate)
        if not _is_trusted(candidate.folder, digest):
            _trust(candidate.folder, digest)
            trusted.append(candidate.place)
    return trusted


def spec(family: str, part: str) -> ModuleSpec | None:
    """Return the import spec of a family (if ``part`` is "") or of one of its modules; None if there is none."""
    one = families().get(family)
    if one is None:
        return None
    if one.refused:
        raise RefusedGame(one.refused)
    name = f"{games.__name__}.{family}" + (f".{part}" if part else "")
    if not part:
        # The package itself is not executed: only its modules are used.
        package = ModuleSpec(name, None, is_package=True)
        package.submodule_search_locations = [] if one.digest else [str(one.folder)]
        _loaded[family], LOADED_CODE[family] = one, one.folder
        if one.digest:
            _pass_to_children(one.folder, one.digest)
        return package
    if one.digest and _digest(one) != one.digest:
        raise RefusedGame(_changed(one))
    file = one.folder / f"{part}.py"
    if not one.digest or not part.isidentifier() or not file.is_file():
        return None
    return importlib.util.spec_from_file_location(name, file, loader=_Source(name, str(file)))


class _Source(SourceFileLoader):
    """A loader of trusted source text that neither reads nor writes byte code."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _candidates() -> Iterator[Added]:
    """Yield the project's folders that may be families."""
    here = project.find_project()
    own = Path(os.path.realpath(here.root)) / FOLDER
    if not here.shipped and own.is_dir():
        for folder in sorted(own.iterdir()):
            if (folder / "rules.py").exists() and not folder.name.startswith("."):
                yield Added(folder.name, folder, f"{FOLDER}/{folder.name}")


def _project_families() -> Iterator[Added]:
    """Yield the project's families and those inherited from the parent process."""
    candidates = {one.folder: one for one in _candidates()}
    for handed in filter(None, map(_INHERITED.fullmatch, _entries())):
        folder = Path(handed[1])
        if (folder / "rules.py").is_file():
            candidates.setdefault(folder, Added(folder.name, folder, str(folder)))
    for one in candidates.values():
        try:
            yield _authorized(replace(one, digest=_digest(one)))
        except RefusedGame as error:
            yield replace(one, refused=error_text(error))


def _digest(one: Added) -> str:
    """Return the SHA-256 of a family's file names and contents except hidden files and byte code; refuse links."""
    hashed = hashlib.sha256()
    for folder in (one.folder.parent, one.folder):
        if folder.is_symlink():
            text = tr("{one} is a link: code is never run through links", one=folder.name)
            raise RefusedGame(join(": ", (one.place, text)))
    try:
        for path in sorted(_files(one.folder, one.place)):
            content = path.read_bytes()
            hashed.update(f"{path.relative_to(one.folder).as_posix()} {len(content)}\n".encode() + content)
    except OSError as error:
        text = tr("cannot be read: {reason}", reason=system_reason(error))
        raise RefusedGame(join(": ", (one.place, text))) from None
    return hashed.hexdigest()


def _files(folder: Path, place: str) -> Iterator[Path]:
    for entry in os.scandir(folder):
        kind = entry.stat(follow_symlinks=False).st_mode
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if stat.S_ISDIR(kind):
            yield from _files(Path(entry.path), place)
        elif stat.S_ISREG(kind):
            yield Path(entry.path)
        else:
            text = tr("{entry} is a link or not a plain file: code is never run from those", entry=entry.name)
            raise RefusedGame(join(": ", (place, text)))


def _authorized(one: Added) -> Added:
    """Return the family if its code may run; a family that is already loaded is returned unchanged."""
    if before := _loaded.get(one.name):
        if before.folder != one.folder:
            named = {"place": one.place, "one": one.name}
            raise RefusedGame(tr("{place}: another game '{one}' is loaded in this process: restart", **named))
        return before
    if _is_trusted(one.folder, one.digest):
        return one
    if _inherited_digests(one.folder):
        raise RefusedGame(_changed(one))
    how = tr("read it, then allow it with: workbench check-game {one} --trust", one=one.name)
    if str(one.folder) in _trusted_folders():
        raise RefusedGame(tr("{place} has changed since you trusted its code: {how}", place=one.place, how=how))
    message = tr("{place} contains a game, and a project's code runs only with your permission: {how}")
    raise RefusedGame(message.format(place=one.place, how=how))


def _changed(one: Added) -> str:
    return tr("{place} has changed since it was loaded: restart", place=one.place)


@functools.cache
def _installed_families() -> tuple[Added, ...]:
    """Return the families of installed packages."""
    found = []
    for entry in metadata.entry_points(group=GROUP):
        place = tr("the package {dist}", dist=entry.dist.name if entry.dist else entry.value)
        try:
            folder = Path(next(iter(entry.load().__path__)))
        except (Exception, SystemExit) as error:  # third-party code may raise anything
            fields = {"place": place, "entry": entry.name, "error": one_line(error)}
            reason = tr("{place} cannot be loaded as the game '{entry}': {error}", **fields)
            found.append(Added(entry.name, Path(), place, refused=reason))
        else:
            found.append(Added(entry.name, folder, place))
    return tuple(found)


# --- Trust


def _is_trusted(folder: Path, digest: str) -> bool:
    """Return whether the user trusts the current code in a folder; an inherited folder, only in its inherited state."""
    if handed := _inherited_digests(folder):
        return digest in handed
    named = [Path(os.path.realpath(entry)) for entry in _entries() if Path(entry).is_absolute()]
    return folder in named or folder.parent in named or _trusted_folders().get(str(folder)) == digest


def _trust(folder: Path, digest: str) -> None:
    """Trust the current code in a folder, in this process and, where that can be stored, in later ones."""
    _pass_to_children(folder, digest)
    from workbench.base import output

    if file := project.config_file(TRUSTED):
        content = {"trusted": {**_trusted_folders(), str(folder): digest}}
        with contextlib.suppress(WorkbenchError):
            output.make_folder(file.parent)
            output.write_file(file, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _pass_to_children(folder: Path, digest: str) -> None:
    """Allow child processes to load a family in its current state."""
    if (entry := f"{folder}={digest}") not in _entries():
        os.environ[VARIABLE] = os.pathsep.join([*_entries(), entry])


def _inherited_digests(folder: Path) -> list[str]:
    """Return the digests of a folder that the parent process has passed on."""
    return [one[2] for one in map(_INHERITED.fullmatch, _entries()) if one and Path(one[1]) == folder]


def _entries() -> list[str]:
    return [entry for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]


def _trusted_folders() -> dict[str, str]:
    """Return the trusted folders with their digests; nothing if the file cannot be read."""
    file = project.config_file(TRUSTED)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        content: Any = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else {}
        return {str(folder): str(digest) for folder, digest in content["trusted"].items()}
    return {}


# --- Problems in a declaration that Python does not report

CODES = range(8, 64)
"""The valid codes of a family's endings: lower ones are the engine's, and higher ones do not fit the solver."""
_TUPLES: dict[str, type] = {
    "summary": str, "toggles": Toggle, "conflicts": Conflict, "features": Named, "events": Named, "units": UnitKind,
    "notation": str, "styles": Named, "seats": str,
}  # fmt: skip


def declaration_problem(declared: Declaration, file: Path) -> str:
    """Return a declaration's first problem with file and line, or ""."""
    name, text = next(_declaration_problems(declared), ("", ""))
    if not text:
        return ""
    source, quoted = file.read_text(encoding="utf-8", errors="replace"), rf"[\"']{re.escape(name)}[\"']"
    # Find the line that declares the name, or else one that mentions it.
    for pattern in (rf"\w\(\s*(?:name\s*=\s*)?{quoted}", rf"\b{re.escape(name)}\s*[=:]", quoted):
        if at := re.search(pattern, source):
            line = source.count("\n", 0, at.start()) + 1
            return tr("{path}, line {line}: {error}", path=file.name, line=line, error=text)
    return join(": ", (file.name, text))


def _declaration_problems(declared: Declaration) -> Iterator[tuple[str, str]]:
    """Yield each problem after the name of its entry."""
    for field, kind in _TUPLES.items():
        entries: Any = getattr(declared, field)
        if not isinstance(entries, tuple) or not all(isinstance(entry, kind) for entry in entries):
            text = tr("{name} must be a tuple of {kind}: one entry needs a comma, too", name=field, kind=kind.__name__)
            yield field, text
            return
    if len(tuple(declared.seats)) != 2:
        yield "seats", tr("seats must hold the names of the two players, found {n}", n=len(declared.seats))
    for code in [code for code in declared.terminations if code not in CODES]:
        low, high = CODES[0], CODES[-1]
        yield str(code), tr("the ending {code}: expected a code from {low} to {high}", code=code, low=low, high=high)
    endings = declared.terminations.values()
    named = {field: getattr(declared, field) for field in ("toggles", "features", "events", "units", "styles")}
    for field, ones in (named | {"terminations": (*ENGINE_ENDINGS.values(), *endings)}).items():
        names = [entry.name for entry in ones]
        for name in [name for name in names[::-1] if names.count(name) > 1]:
            yield (
                name,
                tr(
                    "{field} contains the name '{name}' twice (including the engine's own names)",
                    field=field,
                    name=name,
                ),
            )
    for toggle in declared.toggles:
        yield from ((toggle.name, problem) for problem in _toggle_problems(toggle))
    known = {toggle.name: toggle for toggle in declared.toggles}
    settings = [one.settings for one in declared.excluded()]
    settings += [idle.settings for toggle in declared.toggles for idle in toggle.has_no_effect_when]
    mentioned: list[tuple[str, Any]]
    mentioned = [(name, value) for each in settings for name, ones in each.items() for value in ones]
    for name, value in [*mentioned, *((name, None) for one in (*declared.events, *endings) for name in one.toggles)]:
        if name not in known:
            yield name, tr("there is no toggle '{name}'; there are {known}", name=name, known=", ".join(known))
        elif value is not None and not known[name].allows(value):
            yield str(value), tr("{name} cannot be {value}", name=name, value=repr(value))
    counted = ["plies", *(event.name for event in declared.events)]
    for event in [event for event in declared.events if event.per not in ("", *counted)]:
        yield event.name, tr("per '{per}': expected {known}", per=event.per, known=join_list(counted, OR))


def _toggle_problems(toggle: Toggle) -> Iterator[str]:
    """Yield the problems of a toggle."""
    name, span = toggle.name, toggle.span
    if not name.isidentifier() or keyword.iskeyword(name):
        what = tr("the toggle '{toggle}' needs a name of letters, digits and _ that is not a Python keyword")
        yield what.format(toggle=name)
    if span and span.low > span.high:
        yield tr("the span of {toggle} is empty: the smaller number comes first", toggle=name)
    elif not toggle.allows(toggle.default):
        choices, value = toggle.choices() or tr("values or a span"), repr(toggle.default)
        yield tr("the default of {toggle} is {value}; expected {choices}", toggle=name, value=value, choices=choices)
    codes = [toggle.code(value.name) for value in toggle.values]
    if len(set(codes)) != len(codes):
        yield tr("two values of the toggle {toggle} have the same code", toggle=name)
    if span and not all("{n}" in translated(span.sentence, language) for language in LANGUAGES):
        yield tr("the sentence of {toggle} must contain its number, as {n}", toggle=name, n="{n}")
