"""Changes to the text of a YAML file that leave all else in it as it was written, comments too."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import yaml

from workbench.errors import InputError
from workbench.files.yamlfile import parse_scalar
from workbench.games.declaration import Setting, setting_text

INDENT = "  "
BLOCK = "|\n"
"""How a block of lines begins."""


def set_rule(text: str, toggle: str, written: str | None) -> str:
    """The text of a ruleset file with a toggle set under ``rules`` to some YAML; None leaves it out.

    It is of one line, or a block: `BLOCK` and its lines.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    return set_entry(text, "rules", toggle, written)


def set_entry(text: str, mapping: str, name: str, written: str | None, beside: Sequence[str] = ()) -> str:
    """The text with an entry of a mapping of the top level set as `set_rule` does it for ``rules``.

    A mapping that is not there yet stands behind the first of the keys ``beside`` that is there, or else at the end.

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
        end = _line_end(text, key.end_mark.index)
        return f"{_end_with_newline(text[:end])}{_entry_text(INDENT, name, written)}{text[end:].removeprefix(chr(10))}"
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
    last = value.value[-1][1]
    end = _line_end(text, _value_end(last))
    indent = " " * value.value[0][0].start_mark.column
    return f"{_end_with_newline(text[:end])}{_entry_text(indent, name, written)}{text[end:].removeprefix(chr(10))}"


def _entry_text(indent: str, toggle: str, written: str) -> str:
    """An entry of a mapping, with its line breaks."""
    first, *rest = written.split("\n")
    return "".join([f"{indent}{toggle}: {first}\n", *(f"{indent}{INDENT}{line}\n" for line in rest)])


def set_text_key(text: str, name: str, content: str) -> str:
    """The text of a ruleset file with a key of the top level set to some words; no words leave it out.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    quoted = json.dumps(content, ensure_ascii=False)
    return set_value(text, name, quoted if content else None, ("title", "title_ja", "extends", "game"))


def set_value(text: str, name: str, written: str | None, beside: Sequence[str] = ()) -> str:
    """The text with a key of the top level set to some YAML of one line; None leaves it out.

    A new key stands behind the first of the keys ``beside`` that is there, or else at the end.

    Raises:
        InputError: the text is no YAML of keys and values.
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
        return f"{_end_with_newline(text[:end])}{name}: {written}\n{text[end:].removeprefix(chr(10))}"
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
    """The items of a list at the top level, each as it is written; none if there is no such list.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    found = _entry(_mapping(text), name)
    if found is None or not isinstance(found[1], yaml.SequenceNode):
        return []
    return [text[item.start_mark.index : _value_end(item)].rstrip() for item in found[1].value]


def add_item(text: str, name: str, written: str, beside: Sequence[str] = ()) -> str:
    """The text with one more item in a list at the top level, in the style of the list.

    Raises:
        InputError: the text is no YAML of keys and values, or there is something else than a list.
    """
    found = _entry(_mapping(text), name)
    if found is None or found[1].value == "":
        return set_value(text, name, f"[{written}]", beside)
    old = _sequence(found)
    if not old.value:
        return set_value(text, name, f"[{written}]")
    if old.flow_style:
        end = _value_end(old.value[-1])
        return f"{text[:end]}, {written}{text[end:]}"
    end = _line_end(text, _value_end(old))
    return (
        f"{_end_with_newline(text[:end])}{' ' * old.start_mark.column}- {written}\n{text[end:].removeprefix(chr(10))}"
    )


def remove_item(text: str, name: str, place: int) -> str:
    """The text without an item of a list at the top level.

    Raises:
        InputError: the text is no YAML of keys and values, or there is no such item.
    """
    root = _mapping(text)
    found = _entry(root, name)
    old = _sequence(found) if found else None
    if old is None or not 0 <= place < len(old.value):
        raise _syntax_error(found[0].start_mark.line + 1 if found else 1, name)
    if len(old.value) == 1:
        return set_value(text, name, "[]")
    item = old.value[place]
    if not old.flow_style:
        start = text.rfind("\n", 0, item.start_mark.index) + 1
        return text[:start] + text[_line_end(text, _value_end(item)) :].removeprefix("\n")
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
    return InputError.of("expected lines of the form 'key: value'", "mend the text first", line=line, key=key)


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _remove_entry(text: str, mapping: Any, entry: tuple[Any, Any]) -> str:
    key, value = entry
    if not mapping.flow_style:
        start = text.rfind("\n", 0, key.start_mark.index) + 1
        end = _line_end(text, _value_end(value))
        return text[:start] + text[end:].removeprefix("\n")
    place = next(i for i, (other, _) in enumerate(mapping.value) if other is key)
    if place + 1 < len(mapping.value):
        start, end = key.start_mark.index, mapping.value[place + 1][0].start_mark.index
    elif place:
        start, end = mapping.value[place - 1][1].end_mark.index, value.end_mark.index
    else:
        start, end = key.start_mark.index, value.end_mark.index
    return text[:start] + text[end:]


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
    """A setting as YAML writes it, in quotes where it would be read as something else."""
    text = setting_text(setting)
    read_back = parse_scalar(text)
    same = type(read_back) is type(setting) and read_back == setting
    return text if same and re.fullmatch(r"[\w.+-]+", text) else json.dumps(text, ensure_ascii=False)
