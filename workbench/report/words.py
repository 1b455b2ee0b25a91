"""Text in English and Japanese at once: a report holds both, and the reader switches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

LANGUAGES = ("en", "ja")


class Words(NamedTuple):
    """A text in both languages."""

    en: str
    ja: str

    def format(self, **fields: object) -> Words:
        """The text with its fields filled in; fields may be words themselves."""
        english, japanese = (
            {name: value[i] if isinstance(value, Words) else value for name, value in fields.items()} for i in (0, 1)
        )
        return Words(self.en.format(**english), self.ja.format(**japanese))

    def join(self, parts: Iterable[Words]) -> Words:
        """The parts with this text between them."""
        parts = list(parts)
        return Words(self.en.join(part.en for part in parts), self.ja.join(part.ja for part in parts))

    def __html__(self) -> Markup:
        """Both texts, of which the style sheet shows one; a text that needs no translation stands alone."""
        if self.en == self.ja:
            return escape(self.en)
        return Markup('<span lang="en">{}</span><span lang="ja">{}</span>').format(*self)


NOTHING = Words("", "")


def same(text: object) -> Words:
    """A text that is equal in both languages: names, numbers, moves."""
    return Words(str(text), str(text))


def either(en: str, ja: str) -> Words:
    """A text whose Japanese may be missing."""
    return Words(en, ja or en)


def joined(parts: Sequence[Words | str]) -> Words:
    """``A, B and C``."""
    english, japanese = ([part[i] if isinstance(part, Words) else part for part in parts] for i in (0, 1))
    last = f" and {english.pop()}" if len(english) > 1 else ""
    return Words(", ".join(english) + last, "、".join(japanese))


def sentences(parts: Iterable[Words]) -> Words:
    """The sentences one after the other."""
    parts = list(parts)
    return Words(" ".join(part.en for part in parts), "".join(part.ja for part in parts))
