"""What libraries say in English, translated by pattern: all other texts are messages from the start.

Typer reads the command line, PyYAML files; the system says what is wrong with a file.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable

from workbench.language import looked_up, tr

_COMMAND_LINE = (
    tr("Usage: {words}"),
    tr("Usage:"),
    tr("Options:"),
    tr("Arguments:"),
    tr("Commands:"),
    tr("Examples:"),
    tr("Show this message and exit."),
    tr("required"),
    tr("default: ({value})"),
    tr("default: {value}"),
    tr("Try '{command} -h' for help."),
    tr("Try '{command} --help' for help."),
    tr("Error: {error}"),
    tr("No such command '{name}'."),
    tr("No such command '{name}'. Did you mean {near}?"),
    tr("No such option: {name} Did you mean {near}?"),
    tr("No such option: {name} (Possible options: {near})"),
    tr("No such option: {name}"),
    tr("No such option '{name}'. Did you mean {near}?"),
    tr("No such option '{name}'."),
    tr("Missing argument '{name}'."),
    tr("Missing option '{name}'."),
    tr("Missing command."),
    tr("Invalid value for '{name}': {reason}"),
    tr("Invalid value for {name}: {reason}"),
    tr("Invalid value: {reason}"),
    tr("Option '{name}' requires an argument."),
    tr("Option {name} requires an argument."),
    tr("Option '{name}' does not take a value."),
    tr("Got unexpected extra argument ({words})"),
    tr("Got unexpected extra arguments ({words})"),
    tr("Got unexpected extra argument(s) ({words})"),
    tr("Input should be a valid integer, unable to parse string as an integer"),
    tr("Input should be a valid number, unable to parse string as a number"),
    tr("Input should be greater than or equal to {number}"),
    tr("Input should be less than or equal to {number}"),
    tr("'{value}' is not a valid integer."),
    tr("'{value}' is not a valid float."),
    tr("'{value}' is not a valid int."),
    tr("'{value}' is not one of {choices}."),
    tr("{value} is not in the range {range}."),
    tr("Aborted!"),
)
_FILES = (
    tr("No such file or directory"),
    tr("Permission denied"),
    tr("No space left on device"),
    tr("Read-only file system"),
    tr("Is a directory"),
    tr("Not a directory"),
    tr("File name too long"),
    tr("Too many levels of symbolic links"),
)
_YAML = (
    tr("mapping values are not allowed here"),
    tr("did not find expected ',' or ']' while parsing a flow sequence"),
    tr("did not find expected ',' or '}' while parsing a flow mapping"),
    tr("expected ',' or ']', but got {found} while parsing a flow sequence"),
    tr("expected ',' or '}}', but got {found} while parsing a flow mapping"),
    tr("expected <block end>, but found {found} while parsing a block mapping"),
    tr("expected <block end>, but found {found} while parsing a block collection"),
    tr("could not find expected ':' while scanning a simple key"),
    tr("found unexpected end of stream while scanning a quoted scalar"),
    tr("found unexpected end of stream"),
    tr("found character {found} that cannot start any token while scanning for the next token"),
    tr("found character {found} that cannot start any token"),
    tr("while parsing a block mapping"),
    tr("while parsing a flow sequence"),
    tr("while parsing a flow mapping"),
    tr("while scanning a quoted scalar"),
    tr("while scanning a simple key"),
    tr("expected alphabetic or numeric character, but found {found} while scanning an anchor"),
    tr("expected alphabetic or numeric character, but found {found} while scanning an alias"),
    tr("expected alphabetic or numeric character, but found {found} while scanning a directive"),
    tr("expected the node content, but found {found} while parsing a block node"),
    tr("expected the node content, but found {found} while parsing a flow node"),
    tr("expected chomping or indentation indicators, but found {found} while scanning a block scalar"),
    tr("expected '<document start>', but found {found}"),
    tr("expected URI, but found {found} while parsing a tag"),
    tr("expected ' ', but found {found} while scanning a tag"),
    tr("found unknown escape character {found} while scanning a double-quoted scalar"),
)


def from_library(text: str, other: Callable[[str], str] = str) -> str:
    """The message of what a library says; what ``other`` makes of the text, if it is none of those that are known."""
    for pattern, template in _patterns():
        if match := pattern.fullmatch(text):
            return template.format(**{name: from_library(value, other) for name, value in match.groupdict().items()})
    return other(text)


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(_pattern(one), re.DOTALL), looked_up(one)) for one in (*_COMMAND_LINE, *_FILES, *_YAML)]


def _pattern(template: str) -> str:
    if not re.search(r"\{\w+\}", template):
        return re.escape(template)
    return "".join(
        re.escape(text) + (f"(?P<{name}>.*?)" if name else "")
        for text, name, _, _ in string.Formatter().parse(template)
    )
