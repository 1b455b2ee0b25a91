"""Editing the text of YAML files without touching the rest, and the meaning of an edited ruleset file.

All functions that change a text raise `InputError` if it is not YAML of keys and values.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from workbench import games
from workbench.base.errors import InputError, Problem, expected, input_error
from workbench.base.keys import yaml_flow
from workbench.base.language import bilingual, in_all, join, tr, translated, trn
from workbench.base.project import Project
from workbench.base.yamlfile import once_in_snapshot, parse_scalar
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.wording import is_picture
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library, RulesetFile
from workbench.rules.rulesets import LONGEST_TITLE, Ruleset, short_titles
from workbench.rules.settings import combine_settings

INDENT = "  "
BLOCK = "|\n"
"""The beginning of a block of lines."""


def set_entry(text: str, mapping: str, name: str, value_text: str | None, after_keys: Sequence[str] = ()) -> str:
    """Set an entry of a top-level mapping to ``value_text``, or remove it with None; return the new text.

    ``value_text`` is YAML: one line, or `BLOCK` and its lines. A new mapping follows the first of ``after_keys`` that
    exists, or else comes last.
    """
    root = _mapping(text)
    entry = _entry(root, mapping)
    if entry is None:
        if value_text is None:
            return text
        if any(_entry(root, other) for other in after_keys):
            return set_value(text, mapping, f"{{{name}: {value_text}}}", after_keys)
        return f"{_end_with_newline(text)}{mapping}:\n{_entry_text(INDENT, name, value_text)}"
    key, value = entry
    existing = _entry(value, name) if isinstance(value, yaml.MappingNode) else None
    if value_text is None:
        return _remove_entry(text, value, existing) if existing else text
    if not isinstance(value, yaml.MappingNode):
        if value.start_mark.index != value.end_mark.index:
            raise _syntax_error(key.start_mark.line + 1, mapping)
        # An empty "rules:" receives its entry on the next line.
        return _insert_lines(text, _line_end(text, key.end_mark.index), _entry_text(INDENT, name, value_text))
    if value.flow_style and value_text.startswith(BLOCK):
        # Braces cannot contain a block.
        value_text = json.dumps("/".join(value_text.split("\n")[1:]))
    if existing:
        old = existing[1]
        is_block = getattr(old, "style", "") in ("|", ">") or value_text.startswith(BLOCK)
        if is_block or (isinstance(old, yaml.CollectionNode) and not old.flow_style):
            if len(value.value) == 1 and not value.flow_style:
                # Removing the only entry first would lose the mapping's indentation.
                start = text.rfind("\n", 0, existing[0].start_mark.index) + 1
                end = _line_end(text, _value_end(old))
                indent = " " * existing[0].start_mark.column
                return f"{text[:start]}{_entry_text(indent, name, value_text)}{text[end:].removeprefix(chr(10))}"
            return set_entry(_remove_entry(text, value, existing), mapping, name, value_text)
        start, end = old.start_mark.index, old.end_mark.index
        gap = " " if text[start - 1 : start] == ":" else ""
        return f"{text[:start]}{gap}{value_text}{text[end:]}"
    if value.flow_style:
        closing_brace = value.end_mark.index - 1
        head = text[:closing_brace].rstrip()
        comma = "" if head.endswith(("{", ",")) else ", "
        return f"{head}{comma}{name}: {value_text}{text[closing_brace:]}"
    end, indent = _line_end(text, _value_end(value.value[-1][1])), " " * value.value[0][0].start_mark.column
    return _insert_lines(text, end, _entry_text(indent, name, value_text))


def _entry_text(indent: str, name: str, value_text: str) -> str:
    first, *other_lines = value_text.split("\n")
    return "".join([f"{indent}{name}: {first}\n", *(f"{indent}{INDENT}{line}\n" for line in other_lines)])


def set_text_key(text: str, name: str, content: str) -> str:
    """Set a top-level key of a ruleset file to a string, or remove it with ""; return the new text."""
    quoted = json.dumps(content, ensure_ascii=False)
    return set_value(text, name, quoted if content else None, ("title", "title_ja", "extends", "game"))


def set_value(text: str, name: str, value_text: str | None, after_keys: Sequence[str] = ()) -> str:
    """Set a top-level key, or remove it with None; return the new text. New keys follow the first of ``after_keys``."""
    root = _mapping(text)
    entry = _entry(root, name)
    if value_text is None:
        return _remove_entry(text, root, entry) if entry else text
    if entry is None:
        neighbour = next(filter(None, (_entry(root, other) for other in after_keys)), None)
        end = _line_end(text, max(_value_end(neighbour[1]), neighbour[0].end_mark.index)) if neighbour else len(text)
        return _insert_lines(text, end, f"{name}: {value_text}\n")
    key, old = entry
    if old.start_mark.index < key.end_mark.index:
        raise _syntax_error(key.start_mark.line + 1, name)  # an alias
    if isinstance(old, yaml.CollectionNode) and not old.flow_style:
        end = _line_end(text, _value_end(old))
        return f"{text[: key.end_mark.index]}: {value_text}{text[end:]}"
    gap = " " if text[old.start_mark.index - 1 : old.start_mark.index] == ":" else ""
    tail = "\n" if isinstance(old, yaml.ScalarNode) and old.style in ("|", ">") else ""
    return f"{text[: old.start_mark.index]}{gap}{value_text}{tail}{text[old.end_mark.index :]}"


def _mapping(text: str) -> yaml.MappingNode:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise _syntax_error(mark.line + 1 if mark else 1) from None
    if not isinstance(root, yaml.MappingNode):
        raise _syntax_error(1)
    return root


def _syntax_error(line: int, key: str | None = None) -> InputError:
    return input_error(expected(tr("lines of the form 'key: value'")), tr("correct the text first"), line=line, key=key)


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _remove_entry(text: str, mapping: Any, entry: tuple[Any, Any]) -> str:
    key, value = entry
    if not mapping.flow_style:
        return _without_lines(text, key.start_mark.index, value)
    index = next(i for i, (other, _) in enumerate(mapping.value) if other is key)
    start, end = key.start_mark.index, value.end_mark.index
    if index + 1 < len(mapping.value):
        end = mapping.value[index + 1][0].start_mark.index
    elif index:
        start = mapping.value[index - 1][1].end_mark.index
    return text[:start] + text[end:]


def _without_lines(text: str, start: int, node: Any) -> str:
    """Return the text without the lines from a start index to the end of a value."""
    return text[: text.rfind("\n", 0, start) + 1] + text[_line_end(text, _value_end(node)) :].removeprefix("\n")


def _insert_lines(text: str, end: int, lines: str) -> str:
    """Insert whole lines after the line that ends at an index."""
    return f"{_end_with_newline(text[:end])}{lines}{text[end:].removeprefix(chr(10))}"


def _line_end(text: str, index: int) -> int:
    """Return the end of the line that contains an index; the start of a line belongs to the previous line."""
    if index and text[index - 1 : index] == "\n":
        return index - 1
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _end_with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _value_end(node: Any) -> int:
    """Return the end of a value's text, without trailing comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _value_end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def yaml_scalar(setting: Setting) -> str:
    """Return a setting as YAML, quoted if necessary."""
    text = setting_text(setting)
    read_back = parse_scalar(text)
    is_unchanged = type(read_back) is type(setting) and read_back == setting
    return text if is_unchanged and re.fullmatch(r"[\w.+-]+", text) else json.dumps(text, ensure_ascii=False)


TITLES = (("title", "en"), ("title_ja", "ja"))
"""The keys of titles and their languages."""


@dataclass(frozen=True)
class RulesetReading:
    """The interpretation of a ruleset file's text."""

    family: Declaration
    file: RulesetFile
    """The text, as far as it is valid."""
    settings: Mapping[str, Setting]
    """All toggles, as far as the text is valid."""
    inherited: Mapping[str, Setting]
    """The settings of the base, without those of the text itself."""
    problems: tuple[Problem, ...]
    ruleset: Ruleset | None
    """None if there are problems."""

    @property
    def titles(self) -> tuple[str, str]:
        """The titles in English and Japanese; "" if missing."""
        return self.file.title, self.file.title_ja

    @property
    def understood(self) -> bool:
        """True if the text is YAML of keys and values."""
        return bool(self.file.family or self.ruleset)

    def is_changed(self, toggle: Toggle) -> bool:
        """Return whether a toggle differs from the base."""
        return not equal_settings(self.settings[toggle.name], self.inherited[toggle.name])


def short_name(base: str, project: Project) -> str:
    """Return a ruleset's short title, or where it has none, its name without the game."""
    titles, name = dict[str, str](), base.rpartition("/")[2]
    with contextlib.suppress(InputError):
        titles = short_titles(rulesets.load_ruleset(base, project).heading)
    return bilingual(**{language: titles.get(language) or name for language in LONGEST_TITLE})


def new_ruleset(base: str, name: str, project: Project) -> RulesetText:
    """Return the text of a new ruleset that extends ``base`` without changes and has a short title."""
    game, _, parent = base.partition("/")
    title = short_name(base, project)
    lines = [
        "# yaml-language-server: $schema=../ruleset.schema.json",
        f"game: {game}",
        f"extends: {yaml_scalar(parent)}",
    ]
    lines += [f"{key}: {json.dumps(translated(title, lang), ensure_ascii=False)}" for key, lang in TITLES]
    return RulesetText(project, name, "\n".join([*lines, "rules:", ""]), title)


PLUS = bilingual(en=" + ", ja="+")


@dataclass(frozen=True)
class NamedChange:
    """A proposal with a short name, such as Chatra's A."""

    short: str
    heading: str
    settings: Mapping[str, Setting]
    """The settings that make it up."""
    before: Mapping[str, Setting]
    """The settings that they replace."""

    def in_force(self, settings: Mapping[str, Setting]) -> bool:
        """Return whether rules with these settings include the proposal."""
        return all(equal_settings(settings[name], setting) for name, setting in self.settings.items())


@dataclass(frozen=True)
class RulesetText:
    """The text of a ruleset file, saved or not."""

    project: Project
    name: str
    """The name of the ruleset; no file has it if the ruleset is not saved."""
    text: str
    base: str = ""
    """The short title of the extended ruleset, which is the automatic title of unchanged rules."""
    named: Sequence[NamedChange] = ()
    """The named proposals that automatic titles mention."""

    def read(self) -> RulesetReading:
        """Interpret the text together with the rulesets on disk that it extends."""
        return read_ruleset_text(self.project, self.name, self.text)

    def text_with(self, settings: Mapping[str, Setting]) -> str:
        """Return the text with toggles set and redundant settings removed; an automatic title is updated."""
        reading, text = self.read(), self.text
        for toggle, setting in settings.items():
            text = _with_toggle(self.project, self.name, text, toggle, setting)
        if self.base and self.is_named_by_changes(reading):
            title = self.title_by_changes(reading, {**reading.settings, **settings})
            for key, language in TITLES:
                text = set_text_key(text, key, translated(title, language))
        return text

    def is_named_by_changes(self, reading: RulesetReading) -> bool:
        """Return whether the text has automatic titles."""
        title = self.title_by_changes(reading, reading.settings)
        return reading.titles == in_all(title)

    def title_by_changes(self, reading: RulesetReading, after: Mapping[str, Setting]) -> str:
        """Return a short title such as ``C + D + 2 changes``: the named proposals in force, and the other changes."""
        changed = [
            toggle
            for toggle in reading.family.toggles
            if not equal_settings(reading.inherited[toggle.name], after[toggle.name])
        ]
        if not changed:
            return self.base
        proposals = [proposal for proposal in self.named if proposal.in_force(after)]
        told = {name for proposal in proposals for name in proposal.settings}
        rest = [_short_change(toggle, after[toggle.name]) for toggle in changed if toggle.name not in told]
        named = [*(proposal.short for proposal in proposals), *filter(None, rest)]
        for shown in range(len(named), len(proposals) - 1, -1):
            left = len(proposals) + len(rest) - shown
            counted = [trn("{n} change", "{n} changes", left)] if left else []
            title = join(PLUS, [*(named[:shown] or [self.base]), *counted])
            if all(len(translated(title, language)) <= most for language, most in LONGEST_TITLE.items()):
                break
        return title


def _short_change(toggle: Toggle, setting: Setting) -> str:
    """Return a few words that name a change, or "" if only a sentence could."""
    if is_picture(toggle, setting):
        return tr("drawn start") if toggle.pieces else tr("marked squares")
    is_number = isinstance(setting, int | float) and not isinstance(setting, bool)
    # Without a colon, after which lists would cut the title.
    numbered = join(" ", [toggle.title, setting_text(setting)]) if is_number else ""
    return toggle.label(setting) or numbered


def _with_toggle(project: Project, name: str, text: str, toggle: str, setting: Setting) -> str:
    reading = read_ruleset_text(project, name, text)
    if toggle not in reading.settings or not reading.family.toggle(toggle).allows(setting):
        raise input_error(tr("is not a setting"), key=f"rules.{toggle}")
    written = set_entry(text, "rules", toggle, _setting_yaml(reading, toggle, setting))
    if equal_settings(reading.inherited[toggle], setting):
        shorter = set_entry(text, "rules", toggle, None)
        # Parents with different roots may leave the toggle unclear unless it is written.
        problems = [len(read_ruleset_text(project, name, draft).problems) for draft in (shorter, written)]
        return shorter if problems[0] <= problems[1] else written
    return written


@once_in_snapshot
def read_ruleset_text(project: Project, name: str, text: str) -> RulesetReading:
    """Interpret a text as the file of a ruleset with this name."""
    library = Library(project, {name: text})
    file, problems = library.examine(name)
    family = games.declaration(name.partition("/")[0])
    ruleset = None
    if not problems:
        try:
            ruleset = rulesets.load_ruleset(name, library=library)
        except InputError as error:
            problems = error.problems
    settings, inherited = _base_and_settings(family, file)
    return RulesetReading(family, file, settings, inherited, tuple(dict.fromkeys(problems)), ruleset)


def _base_and_settings(family: Declaration, file: RulesetFile) -> tuple[dict[str, Setting], dict[str, Setting]]:
    ancestors = [ancestor.own for ancestor in file.ancestry if ancestor is not file and ancestor.family is family]
    inherited = combine_settings(family, family.defaults(), *ancestors)
    return combine_settings(family, inherited, file.own if file.family is family else {}), inherited


def file_settings(file: RulesetFile) -> Mapping[str, Setting]:
    """Return the settings of all toggles of a ruleset file, as far as it is valid; empty without a usable family."""
    return _base_and_settings(file.family, file)[0] if file.family else {}


def _setting_yaml(reading: RulesetReading, name: str, setting: Setting) -> str:
    """Return a setting as YAML; a price list contains only its differences from the inherited list."""
    toggle = reading.family.toggle(name)
    if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and "/" in str(setting) and not toggle.fields:
        return BLOCK + str(setting).replace("/", "\n")
    if not isinstance(toggle, PriceList) or setting == toggle.default:
        return yaml_scalar(setting)
    inherited_table, entries = toggle.table(reading.inherited[name]), dict[str, Any]()
    for unit, price in toggle.table(setting).items():
        numbers = {EACH: price.each, FREE: price.free}
        changed = {key: number for key, number in numbers.items() if number != getattr(inherited_table[unit], key)}
        if changed:
            entries[unit] = price.each if [*changed] == [EACH] else changed
    return yaml_flow(entries) if entries else yaml_scalar(setting)


LONGEST_NAME = 48
"""Maximum length of a suggested file name."""


def unused_name(parts: Sequence[str], names: Collection[str]) -> str:
    """Return a file name that joins the parts and is not among ``names``."""
    stem = re.sub(r"[^\w+.-]+", "-", re.sub(r"\s*\+\s*", "+", "-".join(parts)))[:LONGEST_NAME].strip("-._")
    return next(name for n in range(1, len(names) + 3) if (name := f"{stem}{f'-{n}' if n > 1 else ''}") not in names)
