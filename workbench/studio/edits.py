"""Changes to the text of a YAML file that leave all else in it as it was written, comments too."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from workbench.files.yamlfile import InputError, Problem, scalar
from workbench.games.declaration import Setting, setting_text

INDENT = "  "


def with_rule(text: str, toggle: str, written: str | None) -> str:
    """The text of a ruleset file with a toggle set under ``rules`` to some YAML of one line; None leaves it out.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    root = _mapping(text)
    rules = _entry(root, "rules")
    if written is None:
        found = _entry(rules[1], toggle) if rules and isinstance(rules[1], yaml.MappingNode) else None
        return text if rules is None or found is None else _removed(text, rules[1], found)
    if rules is None:
        return f"{_ended(text)}rules:\n{INDENT}{toggle}: {written}\n"
    key, value = rules
    if not isinstance(value, yaml.MappingNode):
        if value.start_mark.index != value.end_mark.index:
            raise _not_understood(key.start_mark.line + 1, "rules")
        # "rules:" with nothing behind it: the entry goes on the next line.
        end = _line_end(text, key.end_mark.index)
        return f"{_ended(text[:end])}{INDENT}{toggle}: {written}\n{text[end:].removeprefix(chr(10))}"
    found = _entry(value, toggle)
    if found:
        old = found[1]
        if isinstance(old, yaml.CollectionNode) and not old.flow_style:
            return with_rule(_removed(text, value, found), toggle, written)
        start, end = old.start_mark.index, old.end_mark.index
        gap = " " if text[start - 1 : start] == ":" else ""
        return f"{text[:start]}{gap}{written}{text[end:]}"
    if value.flow_style:
        close = value.end_mark.index - 1
        before = text[:close].rstrip()
        comma = "" if before.endswith(("{", ",")) else ", "
        return f"{before}{comma}{toggle}: {written}{text[close:]}"
    last = value.value[-1][1]
    end = _line_end(text, _end(last))
    indent = " " * value.value[0][0].start_mark.column
    return f"{_ended(text[:end])}{indent}{toggle}: {written}\n{text[end:].removeprefix(chr(10))}"


def with_key(text: str, name: str, content: str) -> str:
    """The text with a key of the top level set to some words; no words leave it out.

    Raises:
        InputError: the text is no YAML of keys and values.
    """
    root = _mapping(text)
    found = _entry(root, name)
    quoted = json.dumps(content, ensure_ascii=False)
    if found is None:
        if not content:
            return text
        beside = _entry(root, "title") or _entry(root, "title_ja") or _entry(root, "extends") or _entry(root, "game")
        if beside is None:
            return f"{_ended(text)}{name}: {quoted}\n"
        end = _line_end(text, beside[1].end_mark.index)
        return f"{_ended(text[:end])}{name}: {quoted}\n{text[end:].removeprefix(chr(10))}"
    if not content:
        return _removed(text, root, found)
    old = found[1]
    gap = " " if text[old.start_mark.index - 1 : old.start_mark.index] == ":" else ""
    tail = "" if old.style not in ("|", ">") else "\n"
    return f"{text[: old.start_mark.index]}{gap}{quoted}{tail}{text[old.end_mark.index :]}"


def _mapping(text: str) -> yaml.MappingNode:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise _not_understood(mark.line + 1 if mark else 1) from None
    if not isinstance(root, yaml.MappingNode):
        raise _not_understood(1)
    return root


def _not_understood(line: int, key: str | None = None) -> InputError:
    return InputError([Problem("", line, key, "expected lines of the form 'key: value'", "mend the text first")])


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _removed(text: str, mapping: Any, entry: tuple[Any, Any]) -> str:
    key, value = entry
    if not mapping.flow_style:
        start = text.rfind("\n", 0, key.start_mark.index) + 1
        end = _line_end(text, _end(value))
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


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _end(node: Any) -> int:
    """Where what is written of a value ends."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def plain(setting: Setting) -> str:
    """A setting as YAML writes it, in quotes where it would be read as something else."""
    text = setting_text(setting)
    read_back = scalar(text)
    same = type(read_back) is type(setting) and read_back == setting
    return text if same and re.fullmatch(r"[\w.+-]+", text) else json.dumps(text, ensure_ascii=False)
