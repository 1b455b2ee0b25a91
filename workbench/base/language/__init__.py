"""The languages of the workbench: texts are English inside the program, and translated on output.

A text that a reader may see is a `Message`: `tr` makes one of an English template and named fields. It is a string, the
English text, so that code may compare, sort and store it; output code (the console, help, errors, reports, the
studio) calls `translated` for another language. Fields that are messages are translated with it; names, titles, paths,
moves and whatever else a user wrote are plain strings and stay as they are.

The translations are catalogues of gettext, ``locale/<language>/<room>.po`` here and ``locale/<language>.po`` in the
folder of a family of games or an add-on, compiled into one ``workbench.mo``. A language exists if its folder does;
``python -m tests.catalogues`` brings the files up to date with the source.
"""

from __future__ import annotations

import functools
import gettext
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

FOLDER = Path(__file__).with_name("locale")
DOMAIN = "workbench"
SOURCE = "en"
"""The language of the source."""
LANGUAGES: tuple[str, ...] = (SOURCE, *sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
VARIABLES = ("WORKBENCH_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""Environment variables that select the language: the first one set decides."""

_current: ContextVar[str] = ContextVar("language", default=SOURCE)


def preferred(environment: Mapping[str, str]) -> str:
    """Return the language set by environment variables.

    >>> preferred({"LANG": "ja_JP.UTF-8"}), preferred({"WORKBENCH_LANG": "en", "LANG": "ja_JP.UTF-8"}), preferred({})
    ('ja', 'en', 'en')
    """
    value = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    language = value.casefold().partition("_")[0].partition(".")[0]
    return language if language in LANGUAGES else SOURCE


def current() -> str:
    """Return the language of this thread or task."""
    return _current.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the current language for a ``with`` block."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


class Message(str):
    """A text that has translations; as a string it is the English text.

    `tr`, `join` and `join_list` combine messages; an f-string would keep only the current language.
    """

    def in_language(self, language: str) -> str:
        """Return the text in a language, or in English if it is not translated."""
        raise NotImplementedError

    def format(self, *args: object, **fields: object) -> str:
        """Return the message with its named fields filled in."""
        raise NotImplementedError

    def __format__(self, spec: str) -> str:
        return self.in_language(current()).__format__(spec)

    def join(self, texts: Iterable[str], /) -> str:
        """Return the texts joined with this one between them."""
        return join(self, texts)

    def __add__(self, other: str) -> str:
        return join("", (self, other))

    def __radd__(self, other: str) -> str:
        return join("", (other, self))

    def __html__(self) -> Markup:
        """Return the text in every language; the style sheet shows one."""
        from markupsafe import Markup, escape

        texts = in_all(self)
        if len(set(texts)) == 1:
            return escape(texts[0])
        return Markup("").join(
            Markup('<span lang="{}">{}</span>').format(*pair) for pair in zip(LANGUAGES, texts, strict=True)
        )


class _Template(Message):
    """A message in the catalogue."""

    _key: tuple[str, str, int | None, str]
    _fields: dict[str, object]

    def __new__(
        cls, template: str, fields: Mapping[str, object], plural: str = "", number: int | None = None, context: str = ""
    ) -> _Template:
        english = plural if number is not None and number != 1 else template
        self = super().__new__(cls, _filled(english, fields, SOURCE))
        self._key = template, plural, number, context
        self._fields = dict(fields)
        return self

    def in_language(self, language: str) -> str:
        if language == SOURCE:
            return str(self)
        return _filled(_from_catalogue(language, *self._key), self._fields, language)

    def format(self, *args: object, **fields: object) -> str:
        template, plural, number, context = self._key
        filled = {name: _fill_nested(value, fields) for name, value in self._fields.items()}
        return _Template(template, {**filled, **fields}, plural, number, context)

    def __reduce__(self) -> tuple[Any, ...]:
        template, plural, number, context = self._key
        return _Template, (template, self._fields, plural, number, context)


class _Joined(Message):
    """A concatenation of texts."""

    _parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> _Joined:
        parts = tuple(parts)
        self = super().__new__(cls, "".join(parts))
        self._parts = parts
        return self

    def in_language(self, language: str) -> str:
        return "".join(translated(part, language) for part in self._parts)

    def format(self, *args: object, **fields: object) -> str:
        return _Joined(part.format(**fields) if isinstance(part, Message) else part for part in self._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Joined, (self._parts,)


class _Bilingual(Message):
    """A text with translations written beside it, such as a title in a user's file."""

    _texts: dict[str, str]

    def __new__(cls, texts: Mapping[str, str]) -> _Bilingual:
        self = super().__new__(cls, texts.get(SOURCE) or next(filter(None, texts.values()), ""))
        self._texts = dict(texts)
        return self

    def in_language(self, language: str) -> str:
        return self._texts.get(language) or str(self)

    def format(self, *args: object, **fields: object) -> str:
        return _Bilingual({language: _filled(text, fields, language) for language, text in self._texts.items() if text})

    def __reduce__(self) -> tuple[Any, ...]:
        return _Bilingual, (self._texts,)


class _Edited(Message):
    """A text edited in each language by a module-level function."""

    _text: str
    _edit: Callable[[str], str]

    def __new__(cls, text: str, edit: Callable[[str], str]) -> _Edited:
        self = super().__new__(cls, edit(str(text)))
        self._text, self._edit = text, edit
        return self

    def in_language(self, language: str) -> str:
        return self._edit(translated(self._text, language))

    def format(self, *args: object, **fields: object) -> str:
        return _Edited(self._text.format(**fields), self._edit)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Edited, (self._text, self._edit)


def _strip_period(text: str) -> str:
    return text.rstrip(".。")


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def edited(text: str, edit: Callable[[str], str]) -> str:
    """Return a text edited by a module-level function, in each language if it is a message."""
    return _Edited(text, edit) if isinstance(text, Message) else edit(text)


def strip_period(sentence: str) -> str:
    """Return a sentence without its full stop."""
    return edited(sentence, _strip_period)


def capitalized(text: str) -> str:
    """Return a text with its first letter capitalized."""
    return edited(text, _capitalized)


class _Unfilled(dict[str, object]):
    """Fields; missing ones are left in the template and filled later."""

    def __missing__(self, name: str) -> object:
        return _Field(name)


class _Field(str):
    def __format__(self, spec: str) -> str:
        return f"{{{self!s}:{spec}}}" if spec else f"{{{self!s}}}"


def _filled(template: str, fields: Mapping[str, object], language: str) -> str:
    if not fields:
        return template
    values = {name: translated(value, language) if isinstance(value, str) else value for name, value in fields.items()}
    return template.format_map(_Unfilled(values))


def _fill_nested(value: object, fields: Mapping[str, object]) -> object:
    """Fill the fields of a nested message that has any of them; return other values unchanged."""
    if isinstance(value, Message) and any(f"{{{name}" in value for name in fields):
        return value.format(**fields)
    return value


@functools.cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, FOLDER, [language], fallback=True)


def _from_catalogue(language: str, template: str, plural: str, number: int | None, context: str) -> str:
    catalogue = _catalogue(language)
    if number is None:
        return catalogue.pgettext(context, template) if context else catalogue.gettext(template)
    if context:
        return catalogue.npgettext(context, template, plural, number)
    return catalogue.ngettext(template, plural, number)


def tr(template: str, /, **fields: object) -> str:
    """Return a message of the catalogue; without fields, braces in the template are literal."""
    return _Template(template, fields)


def trn(singular: str, plural: str, number: int, /, **fields: object) -> str:
    """Return a message that depends on a number, which is also its field ``n``."""
    return _Template(singular, {"n": number, **fields}, plural, number)


def trc(context: str, template: str, /, **fields: object) -> str:
    """Return a message whose English is ambiguous; the context tells the translator which meaning is intended."""
    return _Template(template, fields, context=context)


def untranslated(value: object) -> str:
    """Return a value as text that needs no translation, such as a name or moves; a message is returned unchanged."""
    return value if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    """Return a user's own text, in quotes."""
    return tr("'{text}'", text=text)


def bilingual(**texts: str) -> str:
    """Return a text with its translations: ``bilingual(en="Hexapawn", ja="ヘキサポーン")``; any may be empty."""
    return _Bilingual(texts)


def join(separator: str, texts: Iterable[str]) -> str:
    """Return texts joined by a separator; messages among them are translated together."""
    texts = tuple(texts)
    if separator:
        texts = tuple(itertools.chain.from_iterable((separator, part) for part in texts))[1:]
    return _Joined(texts)


COMMA, OR, AND = trc("enumeration", ", "), trc("enumeration", " or "), trc("enumeration", " and ")
SEMICOLON = trc("enumeration", "; ")
"""Separators of an enumeration."""


def sentences(parts: Iterable[str]) -> str:
    """Return sentences joined into a paragraph."""
    return _join_pairs(parts, trc("sentences", "{first} {next}"))


def words(parts: Iterable[str]) -> str:
    """Return words joined into a phrase."""
    return _join_pairs(parts, trc("words", "{first} {next}"))


def _join_pairs(parts: Iterable[str], pair: str) -> str:
    text, *remaining = [part for part in parts if part] or [""]
    for part in remaining:
        text = pair.format(first=text, next=part)
    return text


def join_list(parts: Iterable[str], last: str = AND) -> str:
    """Return parts as ``A, B and C``; ``last`` separates the final two."""
    *initial, final = list(parts) or [""]
    return join(last, [join(COMMA, initial), final]) if initial else join("", [final])


def translated(text: str, language: str | None = None) -> str:
    """Return a text in a language, by default the current one; plain strings are returned unchanged."""
    return text.in_language(language or current()) if isinstance(text, Message) else text


def in_all(text: str) -> tuple[str, ...]:
    """Return a text in each of `LANGUAGES`."""
    return tuple(translated(text, language) for language in LANGUAGES)


def style_sheet() -> str:
    """Return a style sheet that shows each multilingual text in the page's language only."""
    hidden = (
        f':root[lang="{language}"] :is(span, tspan)[lang="{other}"]'
        for language, other in itertools.permutations(LANGUAGES, 2)
    )
    return f"{', '.join(hidden)} {{ display: none; }}\n"


def from_catalogue(text: str) -> str:
    """Return the message for an English text that a library passes on as a plain string, such as help."""
    return _Template(text, {})


OWN_NAME = trc("a language by its own name", "English")
"""The name of a language in the language itself."""
