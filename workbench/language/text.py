"""Text in English and Japanese at once: a page holds both, and the reader switches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markupsafe import Markup

LANGUAGES = ("en", "ja")


class Text(NamedTuple):
    """A text in both languages."""

    en: str
    ja: str

    def format(self, **fields: object) -> Text:
        """The text with its fields filled in; fields may be words themselves."""
        english, japanese = (
            {name: value[i] if isinstance(value, Text) else value for name, value in fields.items()} for i in (0, 1)
        )
        return Text(self.en.format(**english), self.ja.format(**japanese))

    def join(self, parts: Iterable[Text]) -> Text:
        """The parts with this text between them."""
        parts = list(parts)
        return Text(self.en.join(part.en for part in parts), self.ja.join(part.ja for part in parts))

    def __html__(self) -> Markup:
        """Both texts, of which the style sheet shows one; a text that needs no translation stands alone."""
        from markupsafe import Markup, escape

        if self.en == self.ja:
            return escape(self.en)
        return Markup('<span lang="en">{}</span><span lang="ja">{}</span>').format(*self)


EMPTY = Text("", "")


def verbatim(text: object) -> Text:
    """A text that is equal in both languages: names, numbers, moves."""
    return Text(str(text), str(text))


def bilingual(en: str, ja: str) -> Text:
    """A text whose Japanese may be missing."""
    return Text(en, ja or en)


def joined(parts: Sequence[Text | str]) -> Text:
    """``A, B and C``."""
    english, japanese = ([part[i] if isinstance(part, Text) else part for part in parts] for i in (0, 1))
    last = f" and {english.pop()}" if len(english) > 1 else ""
    return Text(", ".join(english) + last, "、".join(japanese))


def sentences(parts: Iterable[Text]) -> Text:
    """The sentences one after the other."""
    parts = list(parts)
    return Text(" ".join(part.en for part in parts), "".join(part.ja for part in parts))
