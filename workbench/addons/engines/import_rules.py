"""Rulesets of chess from the sections of a ``variants.ini`` of Fairy-Stockfish, as far as they can be expressed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.base import output, project, yamlfile
from workbench.base.errors import NONE, InputError, Problem, display_path, error_text, expected, guess
from workbench.base.language import join, quoted, tr, translated
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.games.chess import uci
from workbench.games.chess.betza import rays
from workbench.games.chess.uci import Rule, Section, Unread, Variant, ours, sections
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
"""Other variants that Fairy-Stockfish knows by name: other boards, other pieces, other games."""


@dataclass(frozen=True)
class Imported:
    """A section that a ruleset expresses."""

    ruleset: Ruleset
    text: str
    """Its file."""
    untold: str
    """The reason why no UCI engine can be given the ruleset, though one may know the section; empty if it can."""


def read_variants(
    path: str | Path, project: Project | None = None, only: Collection[str] = ()
) -> tuple[dict[str, Imported], list[Problem]]:
    """Return the rulesets of a file by the names of its sections, and the problems of lines and of all other sections.

    Raises:
        InputError: the file cannot be read, or has no section, or none of those asked for.
    """
    file = display_path(path)
    found = list(sections(yamlfile.read_small_file(Path(path), "variants.ini").decode("utf-8", "replace")))
    own = [section.name for section in found]
    problems: list[Problem] = []
    if not any(own):
        message = expected(tr("a section such as [name:chess], or key = value"), NONE)
        problems = [each for section in found for each in _wrong_lines(section, file)]
        problems = problems or [Problem(file, None, None, message)]
    for name in only:
        if name not in own:
            known_ones = dict.fromkeys(filter(None, own))
            problems.append(yamlfile.Node(file, 0, "", None).unknown(tr("the name of a section"), name, known_ones))
    if problems:
        raise InputError(problems)
    known: dict[str, Variant | None] = {**uci.built_in(), **dict.fromkeys(BEYOND.split())}
    named = {*known}  # which no section changes: "Variant 'placement' already exists"
    imported: dict[str, Imported] = {}
    for place, section in enumerate(found):
        wrong: list[Problem] = []
        variant = _variant(section, known, found[place:], own[:place], file, wrong)
        if section.name not in ("", *named, *own[:place]):
            known[section.name] = variant
        if only and section.name not in only:
            continue
        if variant is not None and (ruleset := _imported(section, variant, file, project, wrong)):
            imported[section.name] = ruleset
        problems += wrong
    return imported, problems


def _variant(
    section: Section,
    known: Mapping[str, Variant | None],
    later: list[Section],
    earlier: Collection[str],
    file: str,
    wrong: list[Problem],
) -> Variant | None:
    """All keys of a section; None, and problems, if they cannot be read."""
    name, base = section.name, section.base
    if section.wrong:
        wrong += _wrong_lines(section, file)
        return None
    message, hint = project.name_problem(name), ""
    if name in earlier:
        message = expected(tr("a name of its own"), tr("{name} again", name=quoted(name)))
    elif base not in known:
        message = expected(tr("a variant that Fairy-Stockfish knows, or an earlier section"), quoted(base))
        after = next((other for other in later if other.name == base), None)
        hint = guess(base, [each for each in known if each])
        if after:
            hint = tr("the section '{base}' stands in line {line}", base=base, line=after.line)
    elif known[base] is None:
        message = tr("no ruleset of chess comes near the rules of '{base}'", base=base)
        if base in earlier and base not in BEYOND.split():
            message = expected(tr("a section that can be read"), quoted(base))
    if message:
        wrong.append(Problem(file, section.line, name, message, hint))
        return None
    parent = known[base]
    assert parent is not None
    try:
        return parent.of(section)
    except Unread as error:
        line = section.keys[error.key][1]
        near = guess(error.key, error.names, "") if error.names else ""
        wrong.append(Problem(file, line, f"{name}.{error.key}", error_text(error), near))
        return None


def _wrong_lines(section: Section, file: str) -> list[Problem]:
    message = expected(tr("a section such as [name:chess], or key = value"))
    return [Problem(file, line, section.name or None, message) for line in section.wrong]


def _imported(
    section: Section, variant: Variant, file: str, project: Project | None, wrong: list[Problem]
) -> Imported | None:
    """Return the ruleset of a section; None, and problems, if there is none."""
    if message := uci.Start(variant).problem():
        line, hint = section.keys.get("startFen", ("", section.line))[1], ""
        if not section.base and not variant.pieces:
            hint = tr("without a parent it has no pieces but those it names: write [{name}:chess]", name=section.name)
        wrong.append(Problem(file, line, f"{section.name}.startFen", message, hint))
        return None
    either, left = uci.settings_of(variant)
    wrong += dict.fromkeys(_unsaid(section, variant, left, file))
    name = f"chess/{section.name}"
    refused: list[Problem] = []
    for settings in () if left else either:
        text = _text(section, settings)
        try:
            ruleset = rulesets.load_ruleset(name, library=Library(project, {name: text}))
            told = uci_variant(ruleset.game, ruleset.settings)
            return Imported(ruleset, text, told if isinstance(told, str) else "")
        except InputError as error:
            refused = error.problems
    for problem in refused:
        said = join(": ", filter(None, (problem.key, problem.message)))
        message = tr("no ruleset of chess says this: {problem}", problem=said)
        wrong.append(Problem(file, section.line, name, message, problem.hint))
    return None


def _unsaid(section: Section, variant: Variant, left: Mapping[str, Rule], file: str) -> Iterator[Problem]:
    """Yield the problems of keys that no ruleset of chess expresses."""
    for name, said in left.items():
        key = variant.written.get(said.key, "")
        value, line = section.keys.get(key, (variant.words.get(said.key, "-"), section.line))
        if key in section.keys or not section.base:
            message = tr("no ruleset of chess says this: {value}", value=value)
        else:
            message = tr("no ruleset of chess says this, which it inherits from '{base}'", base=section.base)
        hint = ""
        if said.key in variant.pieces:
            moves = variant.pieces[said.key][1]
            try:
                rays(ours(moves))
                if said.key in name.split():  # no letter stands for it
                    hint = tr("five kinds of pieces besides pawns can be said")
            except DrawingError as error:
                hint = error_text(error)
        yield Problem(file, line, f"{section.name}.{key or said.key}", message, hint)


def _text(section: Section, settings: Mapping[str, Setting]) -> str:
    """Return the file of a ruleset."""
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
        *(f"  {name}: {_written(setting)}" for name, setting in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def _written(setting: Setting) -> str:
    text = setting_text(setting)
    return text if yamlfile.parse_scalar(text) == setting and ": " not in text else json.dumps(text)


def own_folder(project: Project) -> Path:
    """Return the folder of the rulesets of chess in a project.

    Raises:
        InputError: the project is not the user's own.
    """
    return workspace.ruleset_path("imported", "chess", project).parent


def write_variants(imported: Mapping[str, Imported], folder: Path, replace: bool = False) -> list[Path]:
    """Write the files of rulesets into a folder, all or none of them; returns their paths.

    Raises:
        InputError: there are such files already, and they are not to be replaced.
    """
    paths = {folder / f"{name}.yaml": each.text for name, each in imported.items()}
    there = [path for path in paths if not replace and (path.exists() or path.is_symlink())]
    if there:
        hint = tr("--replace writes it anew, --out names another folder")
        message = tr("the file already exists")
        raise InputError(Problem(display_path(path), None, None, message, hint) for path in there)
    output.make_folder(folder)
    return [output.write_file(path, text.encode(), new=not replace) for path, text in paths.items()]
