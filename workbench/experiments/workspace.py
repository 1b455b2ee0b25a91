"""The files of a user's project: checking, listing and creating them, and their JSON Schemas (draft 2020-12)."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import workbench
from workbench import games
from workbench.base import errors, output, yamlfile
from workbench.base import project as projects
from workbench.base.addons import FileKind, addons
from workbench.base.console import WIDEST, display_width, padded, wrapped
from workbench.base.errors import InputError, Problem, abbreviated, display_path, expected, guess, input_error
from workbench.base.language import LANGUAGES, bilingual, join, quoted, speaking, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import Node, read_yaml, snapshot
from workbench.experiments import experiment, experiment_files
from workbench.experiments.design import value_schemas
from workbench.games import processes
from workbench.games.declaration import Declaration, Setting, setting_text
from workbench.players import agents
from workbench.rules import rulebook, ruleset_files, rulesets
from workbench.rules.edits import yaml_scalar
from workbench.rules.ruleset_files import KEYS as RULESET_KEYS
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset
from workbench.rules.settings import check_content_file, combine_settings, content_paths, find_conflicts, read_settings

RULESET = "ruleset"
EXPERIMENT = FileKind(
    "experiment", "experiments", tr("Experiments:"), tr("Rule workbench experiment"), experiment.KEYS,
    experiment.load_experiment,
)  # fmt: skip
KINDS: Mapping[str, FileKind] = {kind.name: kind for kind in (EXPERIMENT, *addons().file_kinds())}
"""The kinds of files besides rulesets."""
SCHEMAS = {RULESET: "rulesets/ruleset.schema.json"} | {name: kind.schema for name, kind in KINDS.items()}
"""The path of the JSON Schema for each kind of file."""
EDITOR: Mapping[str, Any] = {
    ".vscode/extensions.json": {"recommendations": ["redhat.vscode-yaml"]},
    ".vscode/settings.json": {
        "yaml.schemas": {
            SCHEMAS[RULESET]: "rulesets/*/*.yaml",
            **{kind.schema: f"{kind.folder}/*.yaml" for kind in KINDS.values()},
        },
        "[yaml]": {"editor.insertSpaces": True, "editor.tabSize": 2, "editor.quickSuggestions": {"strings": True}},
        "files.encoding": "utf8",
    },
}
"""VS Code settings for completing these files with the recommended extension."""
_LONGEST = 60
_NAME = re.compile(r"\w[\w+.,=-]*")
LONGEST_NAME = 200
"""The most bytes in the name of a file, whose temporary name is longer."""


@snapshot()
def check_files(names: Sequence[str], project: Project) -> tuple[int, list[Problem]]:
    """Return the number of valid files, and the problems of all others.

    Each of the names is a path, a folder, a ruleset or an experiment; without any, the whole project is checked.
    First moves and opening lines are checked in a process without machine code: they are too few to compile for.
    """
    valid = 0
    problems: list[Problem] = []
    targets = [target for name in names for target in _targets(name)] if names else _all_targets(project, problems)
    library = Library(project)
    uncompiled = processes.process_pool(compiled=False)
    checks: list[Future[list[Problem]]] = []
    try:
        for target in targets:
            try:
                checks += _check_target(target, project, library, uncompiled)
                valid += 1
            except InputError as error:
                problems += error.problems
        for check in checks:
            problems += check.result()
            valid -= bool(check.result())
    finally:
        processes.end(uncompiled)
    # A ruleset's problems recur in the rulesets that extend it.
    return valid, list(dict.fromkeys(problems))


def _all_targets(project: Project, problems: list[Problem]) -> list[str]:
    for folder in (project.rulesets, *(project.root / kind.folder for kind in KINDS.values())):
        for path in sorted(folder.rglob("*.yml")):
            message = expected(tr("the extension .yaml; this file is ignored"))
            problems.append(Problem(display_path(path), None, None, message, tr("rename it")))
    for path in sorted(project.rulesets.glob("*.yaml")):
        message = expected(tr("a ruleset in a folder named after its game; this file is ignored"))
        problems.append(Problem(display_path(path), None, None, message, tr("move it")))
    library, paths = Library(project), [path for kind in KINDS.values() for path in _files(kind, project).values()]
    return [*library.catalogue, *library.unlisted, *map(str, (*content_paths(project), *paths))]


def _files(kind: FileKind, project: Project) -> dict[str, Path]:
    """Return the files of a kind by name, sorted."""
    return experiment.files_by_stem(project.root / kind.folder)


def _targets(argument: str) -> list[str]:
    """Return the YAML files of a folder, or the argument itself if it is not a folder."""
    if not os.path.isdir(argument):
        return [argument]
    candidates = (path for path in Path(argument).rglob("*") if path.suffix in (".yaml", ".yml"))
    paths = [path for path in candidates if not any(part[0] == "." for part in path.relative_to(argument).parts[:-1])]
    if not paths:
        raise input_error(tr("there are no YAML files in this folder"), file=display_path(argument))
    return sorted(map(str, paths))


def _check_target(target: str, project: Project, library: Library, uncompiled: Executor) -> list[Future[list[Problem]]]:
    """Check a file, given by path or name; return the checks that still run in another process."""
    if target.endswith((".yaml", ".yml")) or os.path.isfile(target):
        path = Path(target)
        if check_content_file(path, project, library.known_settings):
            return []
        kind = KINDS.get(_kind(path, project))
        return _load_file(kind, path, project, uncompiled) if kind else _load_ruleset(path, library, uncompiled)
    if "/" in target:
        return _load_ruleset(target, library, uncompiled)
    names = list(library.catalogue)
    for kind in KINDS.values():
        files = _files(kind, project)
        if target in files:
            return _load_file(kind, files[target], project, uncompiled)
        names += files
    if target in names:
        return _load_ruleset(target, library, uncompiled)
    hint = guess(target, names) or tr("name a file, a ruleset, an experiment or a search")
    raise input_error(tr("there is no file, ruleset, experiment or search named '{word}'", word=target), hint)


def _load_ruleset(name_or_path: str | Path, library: Library, uncompiled: Executor) -> list[Future[list[Problem]]]:
    """Read a ruleset, and start and return the check of its known first moves, if any."""
    ruleset = rulesets.load_ruleset(name_or_path, library=library)
    if ruleset.known and ruleset.known.nodes:
        return [uncompiled.submit(rulesets.first_move_problems, ruleset)]
    return []


def _load_file(kind: FileKind, path: Path, project: Project, uncompiled: Executor) -> list[Future[list[Problem]]]:
    """Read a file, and start and return the check of an experiment's given lines, if any."""
    loaded = kind.load(path, project)
    if isinstance(loaded, experiment.Experiment) and isinstance(loaded.openings, experiment_files.GivenLines):
        return [uncompiled.submit(experiment_files.check_given_lines, loaded.openings, loaded.rulesets)]
    return []


def _kind(path: Path, project: Project) -> str:
    """Return the kind of a file, determined by its folder or else by its keys."""
    full = Path(os.path.abspath(path))
    folders = {RULESET: project.rulesets} | {name: project.root / kind.folder for name, kind in KINDS.items()}
    for name, folder in folders.items():
        if full.is_relative_to(os.path.abspath(folder)):
            return name
    keys = yamlfile.read_yaml(path, []).value
    assert isinstance(keys, dict)
    keys_by_kind = {RULESET: RULESET_KEYS} | {name: kind.keys for name, kind in KINDS.items()}
    return max(keys_by_kind, key=lambda name: sum(key in keys_by_kind[name] for key in keys))


def schemas(project: Project) -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of each kind of file, in the current language."""
    names = rulesets.ruleset_names(project)
    content = {RULESET: ruleset_schema(known=names)}
    content |= {name: file_schema(kind, names) for name, kind in KINDS.items()}
    return {kind: translated_schema(schema) for kind, schema in content.items()}


def write_schemas(project: Project, kinds: Iterable[str]) -> list[Path]:
    """Write the schemas to the paths that YAML files refer to; return the paths."""
    _require_own_project(project, tr("schemas can only be written to a project folder"))
    content = schemas(project)
    paths = []
    for kind in kinds:
        path = project.root / SCHEMAS[kind]
        output.make_folder(path.parent)
        paths.append(output.write_file(path, _json(content[kind])))
    return paths


def new_ruleset(name: str, parent: Ruleset, title: str, project: Project, changes: Sequence[str] = ()) -> Path:
    """Write a ruleset file that extends another one; return its path.

    It contains the ``changes``, such as ``stuck=loss``, or every toggle as a comment if there are none.

    Raises:
        InputError: the name is invalid or taken, the parent is not a ruleset of the project, or a change is invalid.
    """
    path = ruleset_path(name, parent.game, project)
    require_listed(parent, project, "--from")
    require_new(path)
    settings = _read_changes(parent, changes)
    title = title or tr("{own}: a variant of {parent}", own=path.stem, parent=parent.name)
    return output.write_file(path, _template(parent, title, settings).encode(), new=True)


def require_listed(ruleset: Ruleset, project: Project, key: str) -> None:
    """Raise `InputError`, naming the option ``key``, if a ruleset is not listed in the project."""
    is_listed = ruleset.name in rulesets.ruleset_names(project)
    if is_listed and rulesets.load_ruleset(ruleset.name, project).path == ruleset.path:
        return
    actual = tr("the file {path}", path=display_path(ruleset.path or ""))
    hint = tr("copy it to rulesets/{game}/ first", game=ruleset.game)
    raise InputError([Node("", 0, key, None).expected(tr("the name of a ruleset in this project"), hint, actual)])


def require_new(path: Path) -> None:
    """Raise `InputError` if the file exists."""
    if os.path.lexists(path):
        raise input_error(tr("the file already exists"), tr("choose another name"), file=display_path(path))


def ruleset_path(name: str, game: str, project: Project) -> Path:
    """Return the path of a new ruleset, whose name may include the family."""
    _require_own_project(project, tr("rulesets can only be written to a project folder"))
    folder, slash, stem = name.rpartition("/")
    if slash and folder != game:
        message = expected(tr("a name in {game}/, the folder for that game", game=game), quoted(name))
        raise input_error(message, f"{game}/{stem}")
    return project.rulesets / game / f"{_checked_name(stem, 'free-drops', projects.name_problem)}.yaml"


def _checked_name(name: str, example: str, name_problem: Callable[[str], str]) -> str:
    """Return a name typed by the user, normalized to NFC; raise `InputError` if it is invalid."""
    name = unicodedata.normalize("NFC", name)
    message = expected(tr("a name with only letters, digits, +, -, . and _"), quoted(name))
    hint = tr("such as {example}", example=example)
    if not name:
        message = expected(tr("a name"), tr("nothing"))
    elif len(name) > _LONGEST:
        message = expected(tr("a name of at most {longest} characters", longest=_LONGEST), len(name))
    elif name.endswith((".yaml", ".yml")):
        hint = tr("omit the extension .yaml")
    elif _NAME.fullmatch(name):
        message = name_problem(name)
    if message:
        raise input_error(message, hint)
    return name


def _read_changes(parent: Ruleset, changes: Sequence[str]) -> dict[str, Setting]:
    """Parse changes such as ``stuck=loss`` into settings."""
    family = games.declaration(parent.game)
    nodes: dict[str, Node] = {}
    problems: list[Problem] = []
    for change in changes:
        name, separator, value = (part.strip() for part in change.partition("="))
        node = Node("", 0, f"--set {name}", yamlfile.parse_scalar(value), value)
        if not separator or not name or not value:
            problems.append(node.unknown("TOGGLE=VALUE", change, hint=tr("such as stuck=loss")))
        elif name in nodes:
            problems.append(node.repeated(tr("toggle"), name))
        else:
            nodes[name] = yamlfile.parse_yaml(value, node.key) if value.startswith("{") else node
    settings = read_settings(family, nodes, problems)
    if not problems:
        conflicts = find_conflicts(family, combine_settings(family, parent.settings, settings)) if settings else []
        problems = [Problem("", None, "--set", conflict.message) for conflict in conflicts]
    if problems:
        raise InputError(problems)
    return settings


def new_experiment(name: str, template: str, title: str, project: Project) -> Path:
    """Write an experiment file with an explanation of every key, based on an example or a ruleset; return its path."""
    path = new_path(EXPERIMENT, name, project)
    name = path.stem
    require_new(path)
    if template in experiment.experiment_names(project):
        source = experiment.find_experiment(template, project)
        ruleset_names = [ruleset.name for ruleset in experiment.load_experiment(source, project).rulesets]
        values = yamlfile.read_yaml(source, []).plain()
        values |= {"title": title or f"{name}: {values.get('title') or values['title_ja']}"}
        values.pop("title_ja", None)
    elif template in rulesets.ruleset_names(project):
        ruleset = rulesets.load_ruleset(template, project)
        ruleset_names = [*ruleset.parents[:1], ruleset.name]
        title = title or tr("{name}: what does {ruleset} change?", name=name, ruleset=ruleset.name)
        players = ["random", "greedy", "alphabeta-2"]
        values = {"title": title, "rulesets": ruleset_names, "agents": players, "games": 1000, "seed": 1}
    else:
        hint = guess(template, [*experiment.experiment_names(project), *rulesets.ruleset_names(project)])
        message = expected(tr("an experiment or a ruleset in this project"), quoted(template))
        raise input_error(message, hint, key="--from")
    output.make_folder(path.parent)
    return output.write_file(path, _experiment_template(values, ruleset_names).encode(), new=True)


def new_path(kind: FileKind, name: str, project: Project) -> Path:
    """Return the path of a new file of this kind and name."""
    _require_own_project(project, tr("files can only be written to a project folder"))
    name = _checked_name(name, "my-question", projects.experiment_name_problem)
    return project.root / kind.folder / f"{name}.yaml"


def _experiment_examples(rulesets: Sequence[str]) -> dict[str, Any]:
    """Return examples of all keys, using the experiment's rulesets and a toggle of their game."""
    examples = {name: key.example for name, key in experiment.KEYS.items()}
    toggles = [toggle for toggle in games.declaration(rulesets[0].partition("/")[0]).toggles if len(toggle.values) > 1]
    varied = {toggle.name: [value.name for value in toggle.values[:2]] for toggle in toggles[:1]}
    results = zip(dict.fromkeys((rulesets[0], rulesets[-1])), examples["published"]["results"].values(), strict=False)
    return examples | {
        "rulesets": list(dict.fromkeys(name.partition(" ")[0] for name in rulesets)),
        "baseline": rulesets[0],
        "vary": varied or examples["vary"],
        "published": examples["published"] | {"results": dict(results)},
    }


def _experiment_template(values: dict[str, Any], ruleset_names: Sequence[str]) -> str:
    examples = _experiment_examples(ruleset_names)
    lines = [
        f"# yaml-language-server: $schema={Path(SCHEMAS['experiment']).name}",
        translated(tr("# To set a commented-out key, remove the '# ' in front of its name.")),
    ]
    for name, key in experiment.KEYS.items():
        prefix = "" if name in values else "# "
        value = json.dumps(values.get(name, examples[name]), ensure_ascii=False)
        lines += ["", wrapped(key.sentence, "# ", "# ", WIDEST), f"{prefix}{name}: {value}"]
    return "\n".join(lines) + "\n"


def _template(parent: Ruleset, title: str, settings: Mapping[str, Setting]) -> str:
    quoted_title = json.dumps(" ".join(title.split()), ensure_ascii=False)
    lines = [
        f"# yaml-language-server: $schema=../{Path(SCHEMAS['ruleset']).name}",
        f"game: {parent.game}",
        f"extends: {yaml_scalar(parent.name.rpartition('/')[2])}",
        f"title: {quoted_title}",
        '# source: "where these rules come from"',
        "rules:",
        *(f"  {name}: {setting_text(setting)}" for name, setting in settings.items()),
    ]
    if settings:
        return "\n".join(lines) + "\n"
    note = tr("  # Toggles have the values set in {parent}. To change one, remove the '# ' in front of its name.")
    lines.append(translated(note.format(parent=parent.name)))
    family = games.declaration(parent.game)
    for toggle in family.toggles:
        lines += ["", f"  # {translated(toggle.title)}"]
        lines += [
            wrapped(join(": ", (text, sentence)), "  #   - ", "  #     ", WIDEST)
            for _, text, sentence in rulebook.choices(family, toggle)
        ]
        lines.append(f"  # {toggle.name}: {setting_text(parent.settings[toggle.name])}")
    return "\n".join(lines) + "\n"


def init_project(folder: Path) -> tuple[int, int]:
    """Create a project folder with the shipped files; return the numbers of files written and already present.

    Raises:
        InputError: the folder contains other files, or changed versions of these; nothing was written.
    """
    shipped = projects.find_project(Path(workbench.__file__).resolve().parent / "_data")
    content = {
        path.relative_to(shipped.root).as_posix(): path.read_bytes()
        for part in ("rulesets", *(kind.folder for kind in KINDS.values()))
        for path in sorted((shipped.root / part).rglob("*.yaml"))
    }
    content |= {SCHEMAS[kind]: _json(schema) for kind, schema in schemas(shipped).items()}
    # Existing editor settings are kept.
    content |= {name: _json(entry) for name, entry in EDITOR.items() if not os.path.lexists(folder / name)}
    # The schemas may have been written in another language.
    localized: set[tuple[str, bytes]] = set()
    for language in LANGUAGES:
        with speaking(language):
            localized |= {(SCHEMAS[kind], _json(schema)) for kind, schema in schemas(shipped).items()}
    if folder.exists() and not folder.is_dir():
        raise input_error(expected(tr("a folder"), tr("a file")), file=display_path(folder))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "rulesets").is_dir():
        message = expected(tr("a new or empty folder"), tr("one with other files"))
        raise input_error(message, tr("choose another folder"), file=display_path(folder))
    problems = []
    missing = {}
    for name, shipped_content in content.items():
        path = folder / name
        if not os.path.lexists(path):
            missing[path] = shipped_content
        elif not path.is_file() or ((found := path.read_bytes()) != shipped_content and (name, found) not in localized):
            message = tr("differs from the shipped file and would be overwritten")
            problems.append(Problem(display_path(path), None, None, message, tr("rename it, or choose another folder")))
    if problems:
        raise InputError(problems)
    for path, shipped_content in missing.items():
        output.make_folder(path.parent)
        output.write_file(path, shipped_content, new=True)
    return len(missing), len(content) - len(missing)


def _require_own_project(project: Project, reason: str) -> None:
    if project.shipped:
        message = tr("there is no project folder here (one with rulesets/), and {why}", why=reason)
        raise input_error(message, tr("make one with: workbench init my-rules"))


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def new_file_problem(path: Path) -> str:
    """Return the reason why a new file cannot be written, or "" if it can."""
    if "\0" in str(path):
        return expected(tr("the name of a file"), tr("a name containing a null character"))
    try:
        if os.path.lexists(path):
            return tr("{path} exists already", path=display_path(path))
        if not path.parent.is_dir():
            return tr("there is no folder {parent}", parent=display_path(path.parent))
        if not os.access(path.parent, os.W_OK):
            return tr("{parent} is not writable", parent=display_path(path.parent))
        if len(os.fsencode(path.name)) > LONGEST_NAME:
            return expected(tr("a shorter name"), quoted(abbreviated(path.name)))
    except OSError as error:
        return join(": ", (abbreviated(str(path)), errors.system_reason(error)))
    return ""


HEADS = {"rulesets": tr("Rulesets:")} | {kind.folder: kind.heading for kind in KINDS.values()}


@snapshot()
def list_files(project: Project, game: str = "") -> dict[str, list[dict[str, Any]]]:
    """Return the files of a project, or only those of a game, by kind, as plain data."""
    files = {"rulesets": Library(project).catalogue} | {kind.folder: _files(kind, project) for kind in KINDS.values()}
    listed = {kind: [_listed_file(name, path) for name, path in paths.items()] for kind, paths in files.items()}
    return {kind: [file for file in entries if not game or game in file["games"]] for kind, entries in listed.items()}


def _listed_file(name: str, path: Path) -> dict[str, Any]:
    try:
        content = read_yaml(path, []).plain()
    except InputError:
        content = {}
    game_names = {name.partition("/")[0]} if "/" in name else set(re.findall(r"([\w-]+)/", repr(content)))
    titles = {key: str(content[key]) if content.get(key) else None for key in ("title", "title_ja")}
    return {"name": name, **titles, "games": sorted(game_names & {*games.names()}), "file": display_path(path)}


def describe_files(listed: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of a listing of files, by kind and with titles."""
    if not any(listed.values()):
        yield tr("This project has no such files.")
    width = max((display_width(file["name"]) for files in listed.values() for file in files), default=0)
    for kind, files in listed.items():
        if files:
            yield HEADS[kind]
        for file in files:
            title = bilingual(en=file["title"] or file["title_ja"] or "", ja=file["title_ja"] or file["title"] or "")
            yield wrapped(title or tr("(no title)"), f"  {padded(file['name'], width)}  ", " " * (width + 4))


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def ruleset_schema(game: str | None = None, known: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON Schema of the ruleset files of one game or all games; ``extends`` suggests ``known`` rulesets."""
    families = [games.declaration(name) for name in ([game] if game else games.names())]
    properties = {name: key.schema() for name, key in ruleset_files.KEYS.items()}
    if game:
        properties["game"]["oneOf"] = [{"const": family.name, "description": family.title} for family in families]
    return {
        "$schema": DIALECT, "title": "Ruleset",
        "description": tr("A ruleset: the rulesets it extends and the toggles it changes."),
        "type": "object", "properties": properties, "required": ["game"],
        "anyOf": [{"required": ["title"]}, {"required": ["title_ja"]}], "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"game": {"const": family.name}}, "required": ["game"]},
                "then": {"properties": {"rules": {"$ref": f"#/$defs/{family.name}"}, **_extends_schema(family, known)}},
            }
            for family in families
        ],
        "$defs": {family.name: _rules_schema(family) for family in families},
    }  # fmt: skip


def _extends_schema(family: Declaration, known: Sequence[str]) -> dict[str, Any]:
    """Return the schema of ``extends``, which suggests the ``known`` rulesets of the family but allows any name."""
    names = [name.removeprefix(f"{family.name}/") for name in known if name.startswith(f"{family.name}/")]
    if not names:
        return {}
    name = {"anyOf": [{"enum": names}, {"type": ["string", "number"]}]}
    return {"extends": {"anyOf": [name, {"type": "array", "items": name}]}}


def translated_schema(schema: Any) -> Any:
    """Return a schema with titles and descriptions in the current language."""
    if isinstance(schema, list):
        return [translated_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    texts = {key: schema[key] for key in ("title", "description") if isinstance(schema.get(key), str)}
    return {key: translated(texts[key]) if key in texts else translated_schema(value) for key, value in schema.items()}


def file_schema(kind: FileKind, known: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file, suggesting ``known`` rulesets."""
    ruleset: dict[str, Any] = {"type": "string", "pattern": "^[^/]+/[^/]+$"}
    required = [key for key in kind.keys.values() if key.required]
    return {
        "$schema": DIALECT, "title": kind.schema_title, "type": "object", "additionalProperties": False,
        "required": [key.name for key in required if not key.instead],
        "allOf": [
            {"anyOf": [{"required": [key.name]}, {"required": [key.instead]}]} for key in required if key.instead
        ],
        "properties": {name: key.schema() for name, key in kind.keys.items()},
        "$defs": {
            "agent": agents.agent_schema(),
            "ruleset": {"anyOf": [{"enum": list(known)}, ruleset]} if known else ruleset,
        },
    }  # fmt: skip


def _rules_schema(family: Declaration) -> dict[str, Any]:
    toggles = {}
    for toggle in family.toggles:
        text = tr("{toggle}. Default: {default}. Source: {source}.")
        description = text.format(toggle=toggle.title, default=setting_text(toggle.default), source=toggle.source)
        toggles[toggle.name] = {
            "title": toggle.title, "description": description, "default": toggle.default,
            "oneOf": value_schemas(toggle),
        }  # fmt: skip
    return {
        "description": tr("Toggles of {family}.", family=family.title), "type": ["object", "null"],
        "properties": toggles, "additionalProperties": False,
    }  # fmt: skip
