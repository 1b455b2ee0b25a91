"""Who looks at a page: in which language and colours; and the texts of scripts in that language."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.language import LANGUAGES, tr, translated, trc

if TYPE_CHECKING:
    from fastapi import Request


LANGUAGE, THEME = "workbench-language", "workbench-theme"
"""The names of the cookies; they outlive the studio, whose port may be another one next time."""
THEMES: Mapping[str, tuple[str, str]] = {
    "auto": ("◐", trc("colours", "Auto")),
    "light": ("○", tr("Light")),
    "dark": ("●", tr("Dark")),
}
"""The colours of pages: their signs and names."""
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """Language and colours of a page."""

    language: str
    theme: str

    @classmethod
    def from_request(cls, request: Request) -> Visitor:
        """Who sends a request."""
        theme = request.cookies.get(THEME, "")
        return cls(
            preferred_language(request.cookies, request.headers.get("accept-language", "")),
            theme if theme in THEMES else "auto",
        )

    @property
    def dark(self) -> bool | None:
        """Whether the page is dark; None if the system decides."""
        return {"light": False, "dark": True}.get(self.theme)

    def translate(self, text: str) -> str:
        """A text in the language of the page."""
        return translated(text, self.language)


def preferred_language(cookies: Mapping[str, str], accepted: str) -> str:
    """The language that was chosen, or else the one of ours that the browser likes best; English by default.

    >>> preferred_language({}, "fr;q=0.9, ja;q=0.8, en;q=0.7")
    'ja'
    """
    chosen = cookies.get(LANGUAGE, "")
    if chosen in LANGUAGES:
        return chosen
    liked = []
    for place, part in enumerate(accepted.split(",")):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            quality = 0.0
        language = tag.strip().lower().partition("-")[0]
        if language in LANGUAGES and quality > 0:
            liked.append((-quality, place, language))
    return min(liked)[2] if liked else LANGUAGES[0]


_CALL = re.compile(r"""\btr(?:c\((["'])(?P<context>.+?)\1, |\()(["'])(?P<text>.+?)\3""")


@functools.cache
def script_messages() -> dict[tuple[str, str], None]:
    """The contexts and texts of messages in the scripts of pages, in order: what they call ``tr`` and ``trc`` with."""
    scripts = sorted((Path(__file__).parent / "parts").rglob("*.js"))
    found = (match for path in scripts for match in _CALL.finditer(path.read_text(encoding="utf-8")))
    return dict.fromkeys((match["context"] or "", match["text"]) for match in found)


@functools.cache
def script_texts(language: str) -> dict[str, str]:
    """The texts of scripts that a language has other words for, by their English, behind a context and ``|``."""
    texts = {}
    for context, text in script_messages():
        words = translated(trc(context, text) if context else tr(text), language)
        if words != text:
            texts[f"{context}|{text}" if context else text] = words
    return texts
