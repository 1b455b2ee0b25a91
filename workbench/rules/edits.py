"""Texts of YAML files that are edited: what a ruleset's text means, and changes that leave all else as it was.

Functions that change a text raise `InputError` if it is no YAML of keys and values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from workbench import games
from workbench.base.errors import InputError, Problem, expected, input_error
from workbench.base.language import COMMA, bilingual, join, tr, translated
from workbench.base.project import Project
from workbench.base.yamlfile import parse_scalar, snapshot
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.wording import changes_words, is_picture
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library, RulesetFile
from workbench.rules.rulesets import Ruleset, title_head
from workbench.rules.settings import combine_settings

INDENT = "  "
BLOCK = "|\n"
"""The beginning of a block of lines."""


def set_entry(text: str, mapping: str, name: str, written: str | None, beside: Sequence[str] = ()) -> str:
    """Return the text with an entry of a mapping of the top level set to some YAML; None leaves it out.

    It is of one line, or a block: `BLOCK` and its lines. A mapping that is not there yet stands behind the first of the
    keys ``beside`` that is there, or else at the end.

    Raises:
        InputError: the text is no YAML of keys and values, or there is something else than a mapping.
    """
    root = _mapping(text)
    rules = _entry(root, mapping)
    if written is None:
        found = _entry(rules[1], name) if rules and isinstance(rules[1], yaml.MappingNode) else None
        return text if rules is None or found is None else _remove_entry(text, rules[1], found)
    if rules is None and any(_entry(root, each) for each in beside):
        return set_value(text, mapping, f"{{{name}: {written}}}", beside)
    if rules is None:
        return f"{_end_with_newline(text)}{mapping}:\n{_entry_text(INDENT, name, written)}"
    key, value = rules
    if not isinstance(value, yaml.MappingNode):
        if value.start_mark.index != value.end_mark.index:
            raise _syntax_error(key.start_mark.line + 1, mapping)
        # "rules:" with nothing behind it: the entry goes on the next line.
        return _insert_lines(text, _line_end(text, key.end_mark.index), _entry_text(INDENT, name, written))
    if value.flow_style and written.startswith(BLOCK):
        # There is no room for a block between braces.
        written = json.dumps("/".join(written.split("\n")[1:]))
    found = _entry(value, name)
    if found:
        old = found[1]
        block = getattr(old, "style", "") in ("|", ">") or written.startswith(BLOCK)
        if block or (isinstance(old, yaml.CollectionNode) and not old.flow_style):
            if len(value.value) == 1 and not value.flow_style:
                # The mapping must not be left empty while its indentation is still needed.
                start = text.rfind("\n", 0, found[0].start_mark.index) + 1
                end = _line_end(text, _value_end(old))
                indent = " " * found[0].start_mark.column
                return f"{text[:start]}{_entry_text(indent, name, written)}{text[end:].removeprefix(chr(10))}"
            return set_entry(_remove_entry(text, value, found), mapping, name, written)
        start, end = old.start_mark.index, old.end_mark.index
        gap = " " if text[start - 1 : start] == ":" else ""
        return f"{text[:start]}{gap}{written}{text[end:]}"
    if value.flow_style:
        close = value.end_mark.index - 1
        before = text[:close].rstrip()
        comma = "" if before.endswith(("{", ",")) else ", "
        return f"{before}{comma}{name}: {written}{text[close:]}"
    end, indent = _line_end(text, _value_end(value.value[-1][1])), " " * value.value[0][0].start_mark.column
    return _insert_lines(text, end, _entry_text(indent, name, written))


def _entry_text(indent: str, toggle: str, written: str) -> str:
    """Return an entry of a mapping, with its line breaks."""
    first, *rest = written.split("\n")
    return "".join([f"{indent}{toggle}: {first}\n", *(f"{indent}{INDENT}{line}\n" for line in rest)])


def set_text_key(text: str, name: str, content: str) -> str:
    """Return the text of a ruleset file with a key of the top level set to some words; no words leave it out."""
    quoted = json.dumps(content, ensure_ascii=False)
    return set_value(text, name, quoted if content else None, ("title", "title_ja", "extends", "game"))


def set_value(text: str, name: str, written: str | None, beside: Sequence[str] = ()) -> str:
    """Return the text with a key of the top level set to some YAML of one line; None leaves it out.

    A new key stands behind the first of the keys ``beside`` that is there, or else at the end.
    """
    root = _mapping(text)
    found = _entry(root, name)
    if found is None:
        if written is None:
            return text
        before = next(filter(None, (_entry(root, each) for each in beside)), None)
        if before is None:
            return f"{_end_with_newline(text)}{name}: {written}\n"
        end = _line_end(text, max(_value_end(before[1]), before[0].end_mark.index))
        return _insert_lines(text, end, f"{name}: {written}\n")
    if written is None:
        return _remove_entry(text, root, found)
    key, old = found
    if old.start_mark.index < key.end_mark.index:
        raise _syntax_error(key.start_mark.line + 1, name)  # an alias
    if isinstance(old, yaml.CollectionNode) and not old.flow_style:
        end = _line_end(text, _value_end(old))
        return f"{text[: key.end_mark.index]}: {written}{text[end:]}"
    gap = " " if text[old.start_mark.index - 1 : old.start_mark.index] == ":" else ""
    tail = "\n" if isinstance(old, yaml.ScalarNode) and old.style in ("|", ">") else ""
    return f"{text[: old.start_mark.index]}{gap}{written}{tail}{text[old.end_mark.index :]}"


def list_items(text: str, name: str) -> list[str]:
    """Return the items of a list at the top level, each as it is written; none if there is no such list."""
    found = _entry(_mapping(text), name)
    if found is None or not isinstance(found[1], yaml.SequenceNode):
        return []
    return [text[item.start_mark.index : _value_end(item)].rstrip() for item in found[1].value]


def add_item(text: str, name: str, written: str, beside: Sequence[str] = ()) -> str:
    """Return the text with one more item in a list at the top level, in the style of the list."""
    found = _entry(_mapping(text), name)
    if found is None or found[1].value == "":
        return set_value(text, name, f"[{written}]", beside)
    old = _sequence(found)
    if not old.value:
        return set_value(text, name, f"[{written}]")
    if old.flow_style:
        end = _value_end(old.value[-1])
        return f"{text[:end]}, {written}{text[end:]}"
    return _insert_lines(text, _line_end(text, _value_end(old)), f"{' ' * old.start_mark.column}- {written}\n")


def remove_item(text: str, name: str, place: int) -> str:
    """Return the text without an item of a list at the top level."""
    root = _mapping(text)
    found = _entry(root, name)
    old = _sequence(found) if found else None
    if old is None or not 0 <= place < len(old.value):
        raise _syntax_error(found[0].start_mark.line + 1 if found else 1, name)
    if len(old.value) == 1:
        return set_value(text, name, "[]")
    item = old.value[place]
    if not old.flow_style:
        return _without_lines(text, item.start_mark.index, item)
    if place + 1 < len(old.value):
        return text[: item.start_mark.index] + text[old.value[place + 1].start_mark.index :]
    return text[: _value_end(old.value[place - 1])] + text[_value_end(item) :]


def _sequence(entry: tuple[Any, Any]) -> yaml.SequenceNode:
    key, value = entry
    if not isinstance(value, yaml.SequenceNode) or value.start_mark.index < key.end_mark.index:
        raise _syntax_error(key.start_mark.line + 1, key.value)
    return value


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
    return input_error(expected(tr("lines of the form 'key: value'")), tr("mend the text first"), line=line, key=key)


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _remove_entry(text: str, mapping: Any, entry: tuple[Any, Any]) -> str:
    key, value = entry
    if not mapping.flow_style:
        return _without_lines(text, key.start_mark.index, value)
    place = next(i for i, (other, _) in enumerate(mapping.value) if other is key)
    if place + 1 < len(mapping.value):
        start, end = key.start_mark.index, mapping.value[place + 1][0].start_mark.index
    elif place:
        start, end = mapping.value[place - 1][1].end_mark.index, value.end_mark.index
    else:
        start, end = key.start_mark.index, value.end_mark.index
    return text[:start] + text[end:]


def _without_lines(text: str, begin: int, node: Any) -> str:
    """Return the text without the lines from the one of a place to the end of a value."""
    return text[: text.rfind("\n", 0, begin) + 1] + text[_line_end(text, _value_end(node)) :].removeprefix("\n")


def _insert_lines(text: str, end: int, lines: str) -> str:
    """Return the text with whole lines behind the one that ends at a place."""
    return f"{_end_with_newline(text[:end])}{lines}{text[end:].removeprefix(chr(10))}"


def _line_end(text: str, index: int) -> int:
    """Where the line ends in which something ends; an end at the start of a line belongs to the line before."""
    if index and text[index - 1 : index] == "\n":
        return index - 1
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _end_with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _value_end(node: Any) -> int:
    """Where what is written of a value ends."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _value_end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def yaml_scalar(setting: Setting) -> str:
    """Return a setting as YAML writes it, in quotes where it would be read as something else."""
    text = setting_text(setting)
    read_back = parse_scalar(text)
    same = type(read_back) is type(setting) and read_back == setting
    return text if same and re.fullmatch(r"[\w.+-]+", text) else json.dumps(text, ensure_ascii=False)


TITLES = (("title", "en"), ("title_ja", "ja"))
"""The keys of titles, with their languages."""


@dataclass(frozen=True)
class RulesetReading:
    """The meaning of the text of a ruleset file."""

    family: Declaration
    file: RulesetFile
    """The text, as far as it could be read."""
    settings: Mapping[str, Setting]
    """Every toggle, as far as the text can be understood."""
    inherited: Mapping[str, Setting]
    """The same without what the text itself writes: the base."""
    problems: tuple[Problem, ...]
    ruleset: Ruleset | None
    """The rules; None while there are problems."""

    @property
    def understood(self) -> bool:
        """True if the text is YAML of keys and values, so that it can be understood."""
        return bool(self.file.family or self.ruleset)

    def is_changed(self, toggle: Toggle) -> bool:
        """Return whether a toggle differs from the base."""
        return not equal_settings(self.settings[toggle.name], self.inherited[toggle.name])


def short_title(base: str, project: Project) -> str:
    """Return the short name of a ruleset: its own name, and in Japanese the head of its title."""
    own = base.rpartition("/")[2]
    try:
        head = title_head(rulesets.load_ruleset(base, project))
    except InputError:
        head = ""
    return bilingual(en=own, ja=head or own)


def new_ruleset(base: str, name: str, project: Project) -> RulesetText:
    """New rules that extend a ruleset and change nothing yet; their title is its short one."""
    own, called = base.rpartition("/")[2], short_title(base, project)
    text = (
        "# yaml-language-server: $schema=../ruleset.schema.json\n"
        f"game: {base.partition('/')[0]}\n"
        f"extends: {yaml_scalar(own)}\n"
        + "".join(f"{key}: {json.dumps(translated(called, lang), ensure_ascii=False)}\n" for key, lang in TITLES)
        + "rules:\n"
    )
    return RulesetText(project, name, text, called)


@dataclass(frozen=True)
class RulesetText:
    """The text of a ruleset file, be it written or not."""

    project: Project
    name: str
    """Of the ruleset; of one that has no file yet a name that no file has."""
    text: str
    base: str = ""
    """The short title of what new rules extend, whose title follows their changes unless it was chosen."""

    @snapshot()
    def read(self) -> RulesetReading:
        """Read the text, with the rulesets that it extends as they are on disk now."""
        return read_ruleset_text(self.project, self.name, self.text)

    def text_with(self, settings: Mapping[str, Setting]) -> str:
        """The text with toggles set, or left out where that says the same, and with the title that this gives it."""
        reading, text = self.read(), self.text
        for toggle, setting in settings.items():
            text = _with_toggle(self.project, self.name, text, toggle, setting)
        if self.base and is_named_by_changes(reading, self.base):
            after = {**reading.settings, **settings}
            title = changed_title(self.base, reading.family, reading.inherited, after)
            for key, language in TITLES:
                text = set_text_key(text, key, translated(title, language))
        return text


def is_named_by_changes(reading: RulesetReading, base: str) -> bool:
    """Return whether the titles in the text are those made of its changes to a base."""
    title = changed_title(base, reading.family, reading.inherited, reading.settings)
    return [reading.file.title, reading.file.title_ja] == [translated(title, language) for _, language in TITLES]


def _with_toggle(project: Project, name: str, text: str, toggle: str, setting: Setting) -> str:
    reading = read_ruleset_text(project, name, text)
    if toggle not in reading.settings or not reading.family.toggle(toggle).allows(setting):
        raise input_error(tr("is no such setting"), key=f"rules.{toggle}")
    written = set_entry(text, "rules", toggle, _yaml_of_setting(reading, toggle, setting))
    if equal_settings(reading.inherited[toggle], setting):
        without = set_entry(text, "rules", toggle, None)
        left_out = read_ruleset_text(project, name, without)
        # Parents that start from different rulesets may leave the toggle unclear unless it is written.
        if len(left_out.problems) <= len(read_ruleset_text(project, name, written).problems):
            return without
    return written


@snapshot()
def read_ruleset_text(project: Project, name: str, text: str) -> RulesetReading:
    """Read a text as the file of a ruleset of that name."""
    library = Library(project, {name: text})
    file, problems = library.examined(name)
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
    before = [one.own for one in file.ancestry if one is not file and one.family is family]
    inherited = combine_settings(family, family.defaults(), *before)
    return combine_settings(family, inherited, file.own if file.family is family else {}), inherited


def settings_of(file: RulesetFile) -> Mapping[str, Setting]:
    """Every toggle of a ruleset file, as far as it can be understood; none of a family that may not play."""
    return _base_and_settings(file.family, file)[0] if file.family else {}


def _yaml_of_setting(reading: RulesetReading, name: str, setting: Setting) -> str:
    """Return the YAML that sets a toggle: for a price list, its differences from the inherited one."""
    toggle = reading.family.toggle(name)
    if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and "/" in str(setting) and not toggle.fields:
        return BLOCK + str(setting).replace("/", "\n")
    if not isinstance(toggle, PriceList) or setting == toggle.default:
        return yaml_scalar(setting)
    before, after = toggle.table(reading.inherited[name]), toggle.table(setting)
    entries = []
    for unit, price in after.items():
        numbers = {EACH: price.each, FREE: price.free}
        differing = [f"{what}: {number}" for what, number in numbers.items() if number != getattr(before[unit], what)]
        if differing == [f"{EACH}: {price.each}"]:
            entries.append(f"{yaml_scalar(unit)}: {price.each}")
        elif differing:
            entries.append(f"{yaml_scalar(unit)}: {{{', '.join(differing)}}}")
    return f"{{{', '.join(entries)}}}" if entries else yaml_scalar(setting)


LONGEST_NAME = 48
"""Characters of a file's name that is proposed."""


def changed_title(base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting]) -> str:
    """Return a title such as ``2008-02, A drop may give check``; the base's name alone if nothing is changed."""
    changes = changes_words(family.name, family.toggles, before, after)
    return join(COMMA, [base, changes]) if changes else base


def changed_name(
    base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting], known: Collection[str]
) -> str:
    """Return the name of a file such as ``2008-02-drop_check-allowed``, other than the names that are known."""
    parts = [base]
    for toggle in family.toggles:
        setting = after[toggle.name]
        if not equal_settings(before[toggle.name], setting):
            parts += [toggle.name] if is_picture(toggle, setting) else [toggle.name, setting_text(setting)]
    return unused_name(parts, known)


def unused_name(parts: Sequence[str], known: Collection[str]) -> str:
    """Return the name of a file made of some words, other than the names that are known."""
    stem = re.sub(r"[^\w+.-]+", "-", "-".join(parts))[:LONGEST_NAME].rstrip("-._")
    return next(name for n in range(1, len(known) + 3) if (name := f"{stem}{f'-{n}' if n > 1 else ''}") not in known)
