"""Every text of the workbench's source that a user may read, as a template with numbered fields.

What is one is decided by a rule and not by a list: a string of at least two words, one of them in small letters, is a
text, wherever it stands. It is none

* in modules whose texts have their Japanese beside them, or that no user reads (`APART`);
* as a docstring; but that of a command is its help;
* beside its Japanese: in a tuple, under a name that has another one with ``_ja``, or in a call that holds both
  languages (`BILINGUAL`);
* in a call that reads a pattern, or that tells programmers of a mistake (`NO_TEXT`);
* as a constant that declarations give as a source: the name of a publication;
* if it is no language but a command, markup, or words of a protocol (`CODE`).

Texts of one word cannot be told from names; they are seen where Japanese output is searched for English words.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import workbench
from workbench.cli import app
from workbench.cli.spoken import BRACES

ROOT = Path(workbench.__file__).parent
APART = (
    "_data/*",
    "language/*",
    "engine/search/*",
    "engine/reference.py",
    "engine/contract.py",
    "engine/linking.py",
    "games/*/kernel*.py",
    "games/declaration.py:Names",
    "statistics/diagnostics.py",
    "statistics/ladder.py",
    "statistics/metrics.py",
    "statistics/portrait.py",
    "engine/game_numbers.py",
    "store/records.py:COLUMNS",
    "report/render/*",
    "report/sections/answer.py",
    "report/sections/known.py",
    "report/sections/prices.py",
    "report/sections/published.py",
    "report/sections/run.py",
    "report/sections/scorecard.py",
    "report/__init__.py",
    "report/names.py",
    "report/sections/openings.py",
    "report/sections/strong.py",
    "language/text.py",
    "studio/edits.py",
    "studio/gate.py",
    "studio/words.py",
)
"""Compiled code, and reports, which hold both languages; of these only what they print in a terminal is English."""
BILINGUAL = {"Text", "bilingual", "chosen", "Value", "Span", "UnitKind", "Landmark", "Own", "Toggle", "Drawing"}
BILINGUAL |= {"Custom", "Measure", "Naming"}
NO_TEXT = {"compile", "match", "fullmatch", "sub", "search", "split", "findall", "finditer", "startswith", "getattr"}
NO_TEXT |= {"AssertionError", "KeyError", "TypeError", "LookupError", "AttributeError", "NotImplementedError", "Names"}
NO_TEXT |= {"namedtuple", "Thread", "send", "_send"}
CODE = tuple(
    map(
        re.compile,
        (
            r"(cd \S+ && )?workbench( [\w-]+)?( \S+)?( \{\d+\})*( '\S* ?\S*')?( -.*)?",  # commands
            r"workbench \S+ \S+ (\S+|\"[^\"]*\"|--\S+ '[^']*')( \S+| \"[^\"]*\"| '[^']*')*",
            r"</?\w.*|(verdict|sign|whole|bold|on) \w+",  # markup and styles
            r"(setoption|position|go) .*|id name ?",  # the Universal Chess Interface
            r"pattern \{0\}|rule workbench|model name|if set|Node \| None",  # tags of records
            r"apt-get install .*",
            r"mapping values are not allowed|cannot start any token",  # words of PyYAML
            r"# source: .*|(rules|game|title|title_ja): .*|# yaml-language-server(.|\n)*|own \{0\}",  # files
            r"https?://.*|(script|img|connect|style)-src .*|<!doctype.*|\(\{0\}\)\(.*",  # addresses and patterns
            r"[\w'. ]+, [\w., ]*\d{4}|[A-Z]\. [A-Z]\w+( et al\.)?, .*",  # publications
        ),
    )
)
JAPANESE = re.compile("[ぁ-ん]")
MOST_WAYS = 12
"""Ways in which the branches of one text may combine."""


class Found(NamedTuple):
    """A text of the source."""

    place: str
    template: str


def is_text(template: str) -> bool:
    """Whether a template is one of a text: two words, and no code."""
    if any(pattern.fullmatch(template) for pattern in CODE):
        return False
    if " " not in template:
        return False
    words = re.findall(
        r"(?:^|(?<=[\s(}:']))(?:a|[A-Za-z][a-z’']+)(?=[\s,.:;)?!{']|$)", re.sub(r"\{\d+\}", "{}", template)
    )
    return len(words) >= (1 if "{" in template else 2) and any(word[1:].islower() for word in words)


def numbered(parts: list[str | None]) -> str:
    """The template of constant parts and fields (None).

    >>> numbered(["expected {n: ", None, "}, found ", None])
    'expected {{n: {0}}}, found {1}'
    """
    count = itertools.count()
    return "".join(
        f"{{{next(count)}}}" if part is None else part.replace("{", "{{").replace("}", "}}") for part in parts
    )


def ways(node: ast.expr) -> list[list[str | None]]:
    """The texts that an expression may be: each in parts, a field being None."""
    match node:
        case ast.Constant(value=str(text)):
            return [[text]]
        case ast.JoinedStr(values=values):
            return _products([ways(value) for value in values])
        case ast.FormattedValue(value=value, format_spec=None) if _has_text(value):
            return ways(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _has_text(left) or _has_text(right):
            return _products([ways(left), ways(right)])
        case ast.IfExp(body=body, orelse=orelse) if _has_text(body) or _has_text(orelse):
            return [*ways(body), *ways(orelse)]
    return [[None]]


def _has_text(node: ast.expr) -> bool:
    return any(part is not None for way in ways(node) for part in way)


def _products(parts: list[list[list[str | None]]]) -> list[list[str | None]]:
    combined = itertools.islice(itertools.product(*parts), MOST_WAYS)
    return [list(itertools.chain.from_iterable(each)) for each in combined]


def with_fields(template: str) -> str:
    """A constant text as a template: fields that are filled later get numbers, too."""
    count = itertools.count()
    return re.sub(r"\{\{(\w*|:[^{}]*)\}\}", lambda match: f"{{{next(count)}}}", template)


def _of(node: ast.AST, name: str, apart: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The lines and templates of texts in a node of the tree."""
    match node:
        case ast.FunctionDef() if any(map(_is_command, node.decorator_list)) and (doc := ast.get_docstring(node)):
            for paragraph in inspect.cleandoc(doc).split("\n\n"):
                count = itertools.count()
                text = BRACES.sub(lambda match: f"{{{next(count)}}}", " ".join(paragraph.split()))  # noqa: B023
                yield node.lineno, text
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Assign(targets=[ast.Name(id=constant)]) | ast.AnnAssign(target=ast.Name(id=constant)):
            if f"{name}:{constant}" in APART or (constant in apart and not isinstance(node.value, ast.Call)):
                return
        case ast.Tuple() if any(JAPANESE.search(part or "") for one in node.elts for way in ways(one) for part in way):
            return
        case ast.ClassDef(name=class_name) if f"{name}:{class_name}" in APART:
            return
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in BILINGUAL | NO_TEXT:
            for keyword in node.keywords:
                if keyword.arg == "idle":
                    yield from _of(keyword.value, name, apart)
            return
        case ast.Call(func=ast.Name(id="Named"), keywords=keywords) if any(each.arg == "ja" for each in keywords):
            return
        case ast.Call(func=ast.Name(id="examples"), args=lines):
            for line in lines:
                assert isinstance(line, ast.Constant)
                if gap := re.search(r"\S\s{2,}(\S.*)", str(line.value)):
                    yield line.lineno, gap[1]
            return
        case ast.Constant(value=str()) | ast.JoinedStr() | ast.BinOp(op=ast.Add()) | ast.IfExp():
            if _has_text(node):
                for way in ways(node):
                    for paragraph in numbered(way).split("\n\n"):
                        if is_text(paragraph):
                            yield node.lineno, with_fields(paragraph.strip())
                for inner in ast.walk(node):
                    if isinstance(inner, ast.FormattedValue) and not _has_text(inner.value):
                        yield from _of(inner.value, name, apart)
                    elif isinstance(inner, ast.IfExp):
                        yield from _of(inner.test, name, apart)
                return
    for child in ast.iter_child_nodes(node):
        yield from _of(child, name, apart)


def _apart(tree: ast.AST) -> frozenset[str]:
    """The names of a module that declarations give as a source, and those whose Japanese has a name of its own."""
    given = (node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "source")
    sources = {name.id for value in given for name in ast.walk(value) if isinstance(name, ast.Name)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(sources | {name for name in names if f"{name}_ja" in names})


def _is_command(decorator: ast.expr) -> bool:
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr == "command"
    )


@functools.cache
def everything() -> list[Found]:
    """The texts of the workbench."""
    found: list[Found] = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if any(fnmatch.fnmatch(name, apart) for apart in APART):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [Found(f"{name}:{line}", template) for line, template in _of(tree, name, _apart(tree))]
    return found


def commands() -> list[str]:
    """The names of the commands that a user sees."""
    return [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]


if __name__ == "__main__":
    for place, template in everything():
        print(f"{place}\t{template}")
