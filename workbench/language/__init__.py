"""The languages of the workbench: it thinks in English, and becomes Japanese once, where a text leaves the program.

Code writes plain English where something is said, mostly f-strings. What prints (the console, the help, errors, the
writer of schemas) calls `translated`, which looks the text up in the catalogue (`ja.po`) by its template: the text with
numbered fields where values stand. Nothing is read and nothing is matched as long as the language is English.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.language.catalogue import Catalogue

LANGUAGES = ("en", "ja")
VARIABLES = ("WORKBENCH_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""Variables of the environment that say the language: the first that is set decides."""

_current: ContextVar[str] = ContextVar("language", default="en")
_others: list[Callable[[], Iterable[tuple[str, str]]]] = []


def wanted(environment: Mapping[str, str]) -> str:
    """The language that an environment asks for.

    >>> wanted({"LANG": "ja_JP.UTF-8"}), wanted({"WORKBENCH_LANG": "en", "LANG": "ja_JP.UTF-8"}), wanted({})
    ('ja', 'en', 'en')
    """
    said = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    return "ja" if said.casefold().startswith("ja") else "en"


def current() -> str:
    """The language in which this thread or task speaks."""
    return _current.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """A context in which a language is spoken."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def chosen(en: str, ja: str) -> str:
    """Of a text that has both languages the one that is spoken; the other where it is missing."""
    return (ja or en) if current() == "ja" else (en or ja)


class Told(str):
    """A text in the language that is spoken: it is not translated again, which might find English words in it."""


def translated(text: str, language: str | None = None) -> str:
    """A text of the workbench in a language (that which is spoken, if none is named).

    Names, numbers, paths, moves and what users wrote stay as they are, and so does a text that nobody has translated.
    """
    if (language or current()) != "ja" or not text or isinstance(text, Told):
        return text
    return _japanese().translate(text)


def also(pairs: Callable[[], Iterable[tuple[str, str]]]) -> None:
    """Adds texts that have their Japanese elsewhere: ``pairs`` gives templates in both languages, when first needed."""
    _others.append(pairs)
    _japanese.cache_clear()


@functools.cache
def _japanese() -> Catalogue:
    from workbench.language import catalogue

    others = [catalogue.Entry(en, ja) for pairs in _others for en, ja in pairs()]
    return catalogue.Catalogue([*others, *catalogue.shipped()])
