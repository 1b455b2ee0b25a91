"""Import of chess rulesets from the sections of a ``variants.ini`` file of Fairy-Stockfish.

`read_variants` is part of the Python API.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.base import output, project, yamlfile
from workbench.base.errors import (
    NONE,
    InputError,
    Problem,
    display_path,
    error_text,
    expected,
    guess,
    hide_internal_frames,
)
from workbench.base.language import join, quoted, tr, translated
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.games.chess import uci
from workbench.games.chess.betza import rays
from workbench.games.chess.uci import Rule, Section, Unread, Variant, sections, workbench_betza
from workbench.games.declaration import Setting, setting_text
from workbench.games.drawings import DrawingError
from workbench.games.uci_variants import uci_variant
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library
from workbench.rules.rulesets import Ruleset

BEYOND = """amazons ataxx cambodian capablanca capahouse caparandom centaur chancellor checkshogi clobber10 courier
dobutsu embassy euroshogi flipello flipello10 flipersi gorogoro gothic grand gustav3 isolation isolation7x7 janggi
janggicasual janggimodern janggitraditional janus jesonmor joust judkins karouk koedem kyotoshogi manchu micro mini
minishogi minixiangqi modern okisakishogi omicron opulent shako shogi shoshogi shouse sittuyin snailtrail spartan supply
tencubed torishogi troitzky wolf xiangqi yarishogi"""
"""Built-in variants of Fairy-Stockfish that use other boards, pieces or games."""


@dataclass(frozen=True)
class ImportedVariant:
    """A ruleset converted from a section."""

    ruleset: Ruleset
    text: str
    unplayable: str
    """The reason why UCI engines cannot play the ruleset; "" if they can."""


def read_sections(
    path: str | Path, project: Project | None = None, only: Collection[str] = ()
) -> tuple[dict[str, ImportedVariant], list[Problem]]:
    """Return the rulesets of a file by section name, and the problems in all other sections."""
    file = display_path(path)
    parsed = list(sections(yamlfile.read_small_file(Path(path), "variants.ini").decode("utf-8", "replace")))
    names = [section.name for section in parsed]
    problems: list[Problem] = []
    if not any(names):
        message = expected(tr("a section such as [name:chess], or key = value"), NONE)
        problems = [problem for section in parsed for problem in _bad_lines(section, file)]
        problems = problems or [Problem(file, None, None, message)]
    for name in only:
        if name not in names:
            available = dict.fromkeys(filter(None, names))
            node = yamlfile.Node(file, 0, "", None)
            problems.append(node.unknown(tr("the name of a section"), name, available))
    if problems:
        raise InputError(problems)
    variants: dict[str, Variant | None] = {**uci.built_in(), **dict.fromkeys(BEYOND.split())}
    built_in = {*variants}  # no section may redefine these: "Variant 'placement' already exists"
    imported: dict[str, ImportedVariant] = {}
    for i, section in enumerate(parsed):
        section_problems: list[Problem] = []
        variant = _parse_variant(section, variants, parsed[i:], names[:i], file, section_problems)
        if section.name not in ("", *built_in, *names[:i]):
            variants[section.name] = variant
        if only and section.name not in only:
            continue
        if variant is not None and (ruleset := _import_section(section, variant, file, project, section_problems)):
            imported[section.name] = ruleset
        problems += section_problems
    return imported, problems


def _parse_variant(
    section: Section, variants: Mapping[str, Variant | None], later: list[Section], earlier: Collection[str], file: str,
    problems: list[Problem],
) -> Variant | None:  # fmt: skip
    """Parse a section's keys; on failure return None and add problems."""
    name, base = section.name, section.base
    if section.invalid_lines:
        problems += _bad_lines(section, file)
        return None
    message, hint = project.name_problem(name), ""
    if name in earlier:
        message = expected(tr("a unique name"), tr("{name} again", name=quoted(name)))
    elif base not in variants:
        message = expected(tr("a Fairy-Stockfish variant or an earlier section"), quoted(base))
        definition = next((other for other in later if other.name == base), None)
        hint = guess(base, list(filter(None, variants)))
        if definition:
            hint = tr("section '{base}' comes later, on line {line}", base=base, line=definition.line)
    elif variants[base] is None:
        message = tr("no chess ruleset can be based on '{base}'", base=base)
        if base in earlier and base not in BEYOND.split():
            message = expected(tr("a valid section"), quoted(base))
    if message:
        problems.append(Problem(file, section.line, name, message, hint))
        return None
    parent = variants[base]
    assert parent is not None
    try:
        return parent.extended(section)
    except Unread as error:
        line = section.keys[error.key][1]
        suggestion = guess(error.key, error.names, "") if error.names else ""
        problems.append(Problem(file, line, f"{name}.{error.key}", error_text(error), suggestion))
        return None


def _bad_lines(section: Section, file: str) -> list[Problem]:
    message = expected(tr("a section such as [name:chess], or key = value"))
    return [Problem(file, line, section.name or None, message) for line in section.invalid_lines]


def _import_section(
    section: Section, variant: Variant, file: str, project: Project | None, problems: list[Problem]
) -> ImportedVariant | None:
    """Convert a section to a ruleset; on failure return None and add problems."""
    if message := uci.Start(variant).problem():
        line, hint = section.keys.get("startFen", ("", section.line))[1], ""
        if not section.base and not variant.pieces:
            hint = tr("without a parent it has only the pieces it defines: write [{name}:chess]", name=section.name)
        problems.append(Problem(file, line, f"{section.name}.startFen", message, hint))
        return None
    alternatives, inexpressible = uci.find_settings(variant)
    problems += dict.fromkeys(_inexpressible(section, variant, inexpressible, file))
    name = f"chess/{section.name}"
    refused: list[Problem] = []
    for settings in () if inexpressible else alternatives:
        text = _ruleset_yaml(section, settings)
        try:
            ruleset = rulesets.load_ruleset(name, library=Library(project, {name: text}))
            variant_or_reason = uci_variant(ruleset.game, ruleset.settings)
            reason = variant_or_reason if isinstance(variant_or_reason, str) else ""
            return ImportedVariant(ruleset, text, reason)
        except InputError as error:
            refused = error.problems
    for problem in refused:
        text = join(": ", filter(None, (problem.key, problem.message)))
        message = tr("no chess ruleset can express this: {problem}", problem=text)
        problems.append(Problem(file, section.line, name, message, problem.hint))
    return None


def _inexpressible(section: Section, variant: Variant, rules: Mapping[str, Rule], file: str) -> Iterator[Problem]:
    """Yield a problem for each key that no chess ruleset can express."""
    for name, rule in rules.items():
        key = variant.written.get(rule.key, "")
        value, line = section.keys.get(key, (variant.words.get(rule.key, "-"), section.line))
        if key in section.keys or not section.base:
            message = tr("no chess ruleset can express this: {value}", value=value)
        else:
            message = tr("no chess ruleset can express this (inherited from '{base}')", base=section.base)
        hint = ""
        if rule.key in variant.pieces:
            moves = variant.pieces[rule.key][1]
            try:
                rays(workbench_betza(moves))
                if rule.key in name.split():  # all letters are in use
                    hint = tr("at most five custom pieces, not counting pawns")
            except DrawingError as error:
                hint = error_text(error)
        yield Problem(file, line, f"{section.name}.{key or rule.key}", message, hint)


def _ruleset_yaml(section: Section, settings: Mapping[str, Setting]) -> str:
    """Return a ruleset file's content."""
    base = section.base or "chess"
    inherits = f"[{section.name}:{section.base}]" if section.base else f"[{section.name}]"
    title = tr("{own}: a variant of {parent}", own=section.name, parent=base)
    lines = [
        "# yaml-language-server: $schema=../ruleset.schema.json",
        "game: chess",
        f"title: {json.dumps(title, ensure_ascii=False)}",
        f"title_ja: {json.dumps(translated(title, 'ja'), ensure_ascii=False)}",
        f"source: {json.dumps(f'variants.ini (Fairy-Stockfish): {inherits}', ensure_ascii=False)}",
        "rules:" if settings else "rules: {}",
        *(f"  {name}: {_setting_yaml(setting)}" for name, setting in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def _setting_yaml(setting: Setting) -> str:
    text = setting_text(setting)
    return text if yamlfile.parse_scalar(text) == setting and ": " not in text else json.dumps(text)


def ruleset_folder(project: Project) -> Path:
    """Return the project's folder of chess rulesets."""
    return workspace.ruleset_path("imported", "chess", project).parent


def write_variants(imported: Mapping[str, ImportedVariant], folder: Path, replace: bool = False) -> list[Path]:
    """Write all ruleset files into a folder and return their paths; if a file exists, none is written."""
    paths = {folder / f"{name}.yaml": variant.text for name, variant in imported.items()}
    existing = [path for path in paths if not replace and (path.exists() or path.is_symlink())]
    if existing:
        hint = tr("--replace overwrites it; --out sets another folder")
        message = tr("the file already exists")
        raise InputError(Problem(display_path(path), None, None, message, hint) for path in existing)
    output.make_folder(folder)
    return [output.write_file(path, text.encode(), new=not replace) for path, text in paths.items()]


@hide_internal_frames
def read_variants(file: str | Path, unsaid: Callable[[Problem], object] | None = None) -> dict[str, Ruleset]:
    """Return the chess rulesets in a Fairy-Stockfish ``variants.ini`` file, by section name.

    A section becomes a ruleset only if all of its keys can be expressed, which guarantees the same rules. No file is
    written; ``workbench import-rules`` writes files.

    Examples:
        Convert the sections, and print why others cannot be converted::

            variants = wb.read_variants("variants.ini", unsaid=print)
            wb.play(variants["coffeehouse"], games=100)

    Args:
        file: path of the file.
        unsaid: called with the problem of each key that no chess ruleset can express; its section is skipped.

    Raises:
        InputError: the file cannot be read, or a section cannot be converted and ``unsaid`` is None.
    """
    imported, problems = read_sections(file)
    if problems and unsaid is None:
        raise InputError(problems)
    for problem in problems:
        assert unsaid
        unsaid(problem)
    return {name: variant.ruleset for name, variant in imported.items()}
