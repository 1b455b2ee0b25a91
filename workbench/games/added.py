"""Game families from installed packages and from the user's project.

An installed package declares its families under the entry point group ``workbench.games``; installing it means trusting
it. A project's families are in its folder ``games/``. Since anybody may have written them, their code runs only after
the user has trusted that folder with its current content. ``--trust`` stores the folder's path and a digest of its
files in the user's configuration folder, where a project's files cannot. A copy elsewhere, or changed code, must be
trusted again. The variable ``WORKBENCH_TRUST`` lists folders whose families are trusted regardless of their content,
for unattended machines and for authors of families.

A process that has loaded a family passes its path and digest on in the same variable, so that workers load the same
code or none. Only the standard library is imported, since worker processes import this module, too.
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
"""The entry point group; ``hexapawn = "hexapawn_game"`` declares a family and its package."""
FOLDER = "games"
"""The folder of a project that contains a folder for each family."""
VARIABLE = "WORKBENCH_TRUST"
"""Family folders and parents of family folders, separated as in PATH; inherited entries are ``folder=digest``."""
TRUSTED = "trusted-games.json"
"""The user's file of trusted folders with their digests."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_INHERITED = re.compile(r"(.+)=([0-9a-f]{64})")
_loaded: dict[str, Added] = {}
"""The families whose code this process has loaded."""
_readable: dict[Added, str] = {}
"""Cached results of `_declaration_error`."""


class RefusedGame(WorkbenchError):
    """Raised for a game family that cannot be played; the text gives the reason and a remedy."""


@dataclass(frozen=True)
class Added:
    """A family that does not ship with the workbench."""

    name: str
    folder: Path
    place: str
    """The folder's name, as used in messages."""
    digest: str = ""
    """The digest of a project family's files; "" for installed packages."""
    refused: str = ""
    """The reason why the code is not allowed to run, or ""."""


def families() -> dict[str, Added]:
    """Return all added families by name: the project's, then those of installed packages."""
    by_name: dict[str, Added] = {}
    for game in [*_project_families(), *_installed_families()]:
        previous = by_name.get(game.name)
        if reason := _name_problem(game):
            game = replace(game, refused=reason)
        elif previous and previous.folder != game.folder:
            places = {"first": previous.place, "second": game.place, "name": game.name}
            game = replace(previous, refused=tr("{first} and {second} are both called '{name}': rename one", **places))
        by_name[game.name] = game
    return by_name


def _name_problem(game: Added) -> str:
    """Return the reason why a family's name is not allowed, or ""."""
    fields = {"place": game.place, "one": game.name}
    if game.name in games.shipped() or Path(games.__path__[0], f"{game.name}.py").exists():
        return tr("{place}: '{one}' is reserved by the workbench", **fields)
    if not _NAME.fullmatch(game.name):
        return tr("{place}: expected a name of lower-case letters, digits and _, found '{one}'", **fields)
    if problem := project.name_problem(game.name):
        return join(": ", (game.place, problem))
    return ""


def load_problem(game: Added) -> str:
    """Return the reason why a family cannot be played, as a sentence, or ""."""
    if game.refused:
        return game.refused
    if game not in _readable:
        _readable[game] = _declaration_error(game)
    return _readable[game]


def _declaration_error(game: Added) -> str:
    """Return the error in a family's declaration, or ""."""
    try:
        declared = games.module(game.name, "rules").DECLARATION
    except WorkbenchError as error:
        return error_text(error)
    except (Exception, SystemExit) as error:  # third-party code may raise anything
        text = error_with_line(error, game.folder) or one_line(error)
        return tr("{place}/rules.py cannot be read: {error}", place=game.place, error=text)
    if not isinstance(declared, Declaration):
        return tr("{place}/rules.py: DECLARATION is not a Declaration", place=game.place)
    if declared.name != game.name:
        fields = {"place": game.place, "declared": declared.name, "one": game.name}
        return tr("{place}/rules.py declares '{declared}'; here it must be '{one}'", **fields)
    if text := declaration_problem(declared, game.folder / "rules.py"):
        return join("/", (game.place, text))
    return ""


def trust_project() -> list[str]:
    """Trust the current code of the project's families and return the names of newly trusted folders."""
    candidates = list(_candidates())
    if not candidates:
        message = tr("there is nothing to trust: no folder in this project's {folder}/ contains a game")
        raise RefusedGame(message.format(folder=FOLDER))
    trusted = []
    for candidate in candidates:
        if reason := _name_problem(candidate):
            raise RefusedGame(reason)
        digest = _digest(candidate)
        if not _is_trusted(candidate.folder, digest):
            _trust(candidate.folder, digest)
            trusted.append(candidate.place)
    return trusted


def spec(family: str, submodule: str) -> ModuleSpec | None:
    """Return the import spec of a family (if ``submodule`` is "") or of its module, or None if it does not exist."""
    game = families().get(family)
    if game is None:
        return None
    if game.refused:
        raise RefusedGame(game.refused)
    name = f"{games.__name__}.{family}" + (f".{submodule}" if submodule else "")
    if not submodule:
        # Only the package's modules are executed, not the package itself.
        package = ModuleSpec(name, None, is_package=True)
        package.submodule_search_locations = [] if game.digest else [str(game.folder)]
        _loaded[family], LOADED_CODE[family] = game, game.folder
        if game.digest:
            _pass_to_children(game.folder, game.digest)
        return package
    if game.digest and _digest(game) != game.digest:
        raise RefusedGame(_change_message(game))
    file = game.folder / f"{submodule}.py"
    if not game.digest or not submodule.isidentifier() or not file.is_file():
        return None
    return importlib.util.spec_from_file_location(name, file, loader=_Source(name, str(file)))


class _Source(SourceFileLoader):
    """A loader that executes source text without reading or writing byte code."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _candidates() -> Iterator[Added]:
    """Yield the project's folders that may contain families."""
    this_project = project.find_project()
    games_folder = Path(os.path.realpath(this_project.root)) / FOLDER
    if not this_project.shipped and games_folder.is_dir():
        for folder in sorted(games_folder.iterdir()):
            if (folder / "rules.py").exists() and not folder.name.startswith("."):
                yield Added(folder.name, folder, f"{FOLDER}/{folder.name}")


def _project_families() -> Iterator[Added]:
    """Yield the project's families and those inherited from the parent process."""
    candidates = {game.folder: game for game in _candidates()}
    for inherited in filter(None, map(_INHERITED.fullmatch, _trust_entries())):
        folder = Path(inherited[1])
        if (folder / "rules.py").is_file():
            candidates.setdefault(folder, Added(folder.name, folder, str(folder)))
    for game in candidates.values():
        try:
            yield _authorized(replace(game, digest=_digest(game)))
        except RefusedGame as error:
            yield replace(game, refused=error_text(error))


def _digest(game: Added) -> str:
    """Return the SHA-256 of a family's file names and contents, ignoring hidden files and byte code; reject links."""
    sha256 = hashlib.sha256()
    for folder in (game.folder.parent, game.folder):
        if folder.is_symlink():
            text = tr("{one} is a link: code is never run through links", one=folder.name)
            raise RefusedGame(join(": ", (game.place, text)))
    try:
        for path in sorted(_files(game.folder, game.place)):
            content = path.read_bytes()
            sha256.update(f"{path.relative_to(game.folder).as_posix()} {len(content)}\n".encode() + content)
    except OSError as error:
        text = tr("cannot be read: {reason}", reason=system_reason(error))
        raise RefusedGame(join(": ", (game.place, text))) from None
    return sha256.hexdigest()


def _files(folder: Path, place: str) -> Iterator[Path]:
    for entry in os.scandir(folder):
        mode = entry.stat(follow_symlinks=False).st_mode
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if stat.S_ISDIR(mode):
            yield from _files(Path(entry.path), place)
        elif stat.S_ISREG(mode):
            yield Path(entry.path)
        else:
            text = tr("{entry} is a link or not a plain file: code is run only from plain files", entry=entry.name)
            raise RefusedGame(join(": ", (place, text)))


def _authorized(game: Added) -> Added:
    """Return the family if its code is allowed to run; a loaded family is returned as it was loaded."""
    if loaded := _loaded.get(game.name):
        if loaded.folder != game.folder:
            fields = {"place": game.place, "one": game.name}
            raise RefusedGame(tr("{place}: another game '{one}' is loaded in this process: restart", **fields))
        return loaded
    if _is_trusted(game.folder, game.digest):
        return game
    if _inherited_digests(game.folder):
        raise RefusedGame(_change_message(game))
    advice = tr("read it, then allow it with: workbench check-game {one} --trust", one=game.name)
    if str(game.folder) in _trusted_folders():
        raise RefusedGame(tr("{place} has changed since you trusted its code: {how}", place=game.place, how=advice))
    message = tr("{place} contains a game, and a project's code runs only with your permission: {how}")
    raise RefusedGame(message.format(place=game.place, how=advice))


def _change_message(game: Added) -> str:
    return tr("{place} has changed since it was loaded: restart", place=game.place)


@functools.cache
def _installed_families() -> tuple[Added, ...]:
    """Return the families of installed packages."""
    installed = []
    for entry in metadata.entry_points(group=GROUP):
        place = tr("the package {dist}", dist=entry.dist.name if entry.dist else entry.value)
        try:
            folder = Path(next(iter(entry.load().__path__)))
        except (Exception, SystemExit) as error:  # third-party code may raise anything
            fields = {"place": place, "entry": entry.name, "error": one_line(error)}
            reason = tr("{place} cannot be loaded as the game '{entry}': {error}", **fields)
            installed.append(Added(entry.name, Path(), place, refused=reason))
        else:
            installed.append(Added(entry.name, folder, place))
    return tuple(installed)


# --- Trust


def _is_trusted(folder: Path, digest: str) -> bool:
    """Return whether a folder's current code is trusted; inherited trust is limited to the inherited digests."""
    if digests := _inherited_digests(folder):
        return digest in digests
    folders = [Path(os.path.realpath(entry)) for entry in _trust_entries() if Path(entry).is_absolute()]
    return folder in folders or folder.parent in folders or _trusted_folders().get(str(folder)) == digest


def _trust(folder: Path, digest: str) -> None:
    """Trust a folder's current code in this process and, if that can be stored, in later ones."""
    _pass_to_children(folder, digest)
    from workbench.base import output

    if file := project.config_file(TRUSTED):
        content = {"trusted": {**_trusted_folders(), str(folder): digest}}
        with contextlib.suppress(WorkbenchError):
            output.make_folder(file.parent)
            output.write_file(file, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _pass_to_children(folder: Path, digest: str) -> None:
    """Allow child processes to load a family with its current code."""
    if (entry := f"{folder}={digest}") not in _trust_entries():
        os.environ[VARIABLE] = os.pathsep.join([*_trust_entries(), entry])


def _inherited_digests(folder: Path) -> list[str]:
    """Return the digests that the parent process has passed on for a folder."""
    return [match[2] for match in map(_INHERITED.fullmatch, _trust_entries()) if match and Path(match[1]) == folder]


def _trust_entries() -> list[str]:
    return [entry for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]


def _trusted_folders() -> dict[str, str]:
    """Return the digest of each trusted folder; empty if the file cannot be read."""
    file = project.config_file(TRUSTED)
    with contextlib.suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        content: Any = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else {}
        return {str(folder): str(digest) for folder, digest in content["trusted"].items()}
    return {}


# --- Problems in a declaration that Python does not report

CODES = range(8, 64)
"""The valid codes of a family's endings. The engine uses lower codes, and the solver does not support higher ones."""
_TUPLES: dict[str, type] = {
    "summary": str, "toggles": Toggle, "conflicts": Conflict, "features": Named, "events": Named, "units": UnitKind,
    "notation": str, "styles": Named, "seats": str,
}  # fmt: skip


def declaration_problem(declared: Declaration, file: Path) -> str:
    """Return a declaration's first problem, with file and line, or ""."""
    name, text = next(_declaration_problems(declared), ("", ""))
    if not text:
        return ""
    source, quoted = file.read_text(encoding="utf-8", errors="replace"), rf"[\"']{re.escape(name)}[\"']"
    # Prefer the line that declares the name to a line that mentions it.
    for pattern in (rf"\w\(\s*(?:name\s*=\s*)?{quoted}", rf"\b{re.escape(name)}\s*[=:]", quoted):
        if match := re.search(pattern, source):
            line = source.count("\n", 0, match.start()) + 1
            return tr("{path}, line {line}: {error}", path=file.name, line=line, error=text)
    return join(": ", (file.name, text))


def _declaration_problems(declared: Declaration) -> Iterator[tuple[str, str]]:
    """Yield the problems of a declaration as (name of the entry, text)."""
    for field, kind in _TUPLES.items():
        entries: Any = getattr(declared, field)
        if not isinstance(entries, tuple) or not all(isinstance(entry, kind) for entry in entries):
            text = tr(
                "{name} must be a tuple of {kind}: a single entry needs a trailing comma",
                name=field,
                kind=kind.__name__,
            )
            yield field, text
            return
    if len(tuple(declared.seats)) != 2:
        yield "seats", tr("seats: expected the names of the two players, found {n}", n=len(declared.seats))
    for code in [code for code in declared.terminations if code not in CODES]:
        low, high = CODES[0], CODES[-1]
        yield str(code), tr("the ending {code}: expected a code from {low} to {high}", code=code, low=low, high=high)
    endings = declared.terminations.values()
    fields = {field: getattr(declared, field) for field in ("toggles", "features", "events", "units", "styles")}
    for field, values in (fields | {"terminations": (*ENGINE_ENDINGS.values(), *endings)}).items():
        names = [entry.name for entry in values]
        for name in [name for name in names[::-1] if names.count(name) > 1]:
            yield (
                name,
                tr(
                    "{field} contains the name '{name}' twice (counting the engine's own names)", field=field, name=name
                ),
            )
    for toggle in declared.toggles:
        yield from ((toggle.name, problem) for problem in _toggle_problems(toggle))
    toggles = {toggle.name: toggle for toggle in declared.toggles}
    settings = [entry.settings for entry in declared.excluded()]
    settings += [no_effect.settings for toggle in declared.toggles for no_effect in toggle.has_no_effect_when]
    mentioned: list[tuple[str, Any]]
    mentioned = [(name, value) for rule in settings for name, values in rule.items() for value in values]
    mentioned += [(name, None) for entry in (*declared.events, *endings) for name in entry.toggles]
    for name, value in mentioned:
        if name not in toggles:
            yield name, tr("there is no toggle '{name}'; the toggles are {known}", name=name, known=", ".join(toggles))
        elif value is not None and not toggles[name].allows(value):
            yield str(value), tr("{name} cannot be {value}", name=name, value=repr(value))
    denominators = ["plies", *(event.name for event in declared.events)]
    for event in [event for event in declared.events if event.per not in ("", *denominators)]:
        yield event.name, tr("per '{per}': expected {known}", per=event.per, known=join_list(denominators, OR))


def _toggle_problems(toggle: Toggle) -> Iterator[str]:
    """Yield the problems of a toggle's declaration."""
    name, span = toggle.name, toggle.span
    if not name.isidentifier() or keyword.iskeyword(name):
        message = tr("the toggle '{toggle}' needs a name of letters, digits and _ that is not a Python keyword")
        yield message.format(toggle=name)
    if span and span.low > span.high:
        yield tr("the span of {toggle} is empty: the smaller number must come first", toggle=name)
    elif not toggle.allows(toggle.default):
        choices, value = toggle.choices() or tr("values or a span"), repr(toggle.default)
        yield tr("the default of {toggle} is {value}; expected {choices}", toggle=name, value=value, choices=choices)
    codes = [toggle.code(value.name) for value in toggle.values]
    if len(set(codes)) != len(codes):
        yield tr("two values of the toggle {toggle} have the same code", toggle=name)
    if span and not all("{n}" in translated(span.sentence, language) for language in LANGUAGES):
        yield tr("the sentence of {toggle} must contain its number as {n}", toggle=name, n="{n}")
