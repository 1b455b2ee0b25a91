"""Who looks at a page: in which language and colours; and the texts of scripts in that language."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from workbench.base.errors import Problem
from workbench.base.language import LANGUAGES, SOURCE, strip_period, tr, translated, trc
from workbench.games.declaration import Declaration, Setting, Toggle, setting_text
from workbench.games.drawings import Drawing

if TYPE_CHECKING:
    from fastapi import Request

View = dict[str, Any]
Localizable = TypeVar("Localizable")
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
        """Return a text in the language of the page."""
        return translated(text, self.language)

    def localize(self, view: Localizable) -> Localizable:
        """Plain data with all its messages in the language of the page."""
        return localized(view, self.language)


def localized(view: Localizable, language: str) -> Localizable:
    """Plain data with all its messages in a language."""
    content: Any = view
    match content:
        case str():
            content = translated(content, language)
        case dict():
            content = {key: localized(value, language) for key, value in content.items()}
        case list() | tuple():
            content = [localized(value, language) for value in content]
    return cast(Localizable, content)


def preferred_language(cookies: Mapping[str, str], accepted: str) -> str:
    """Return the language that was chosen, or else the one of ours that the browser likes best; English by default.

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
def script_messages() -> dict[tuple[str, str], list[Path]]:
    """Return the contexts and texts of messages in the scripts of pages, in order, and the scripts that have them."""
    messages: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(Path(__file__).parents[1].rglob("*.js")):
        for match in _CALL.finditer(path.read_text(encoding="utf-8")):
            messages.setdefault((match["context"] or "", match["text"]), []).append(path)
    return messages


@functools.cache
def script_texts(language: str) -> dict[str, str]:
    """Return the texts of scripts that a language has other words for, by their English, behind a context and ``|``."""
    texts = {}
    for context, text in script_messages():
        words = translated(trc(context, text) if context else tr(text), language)
        if words != text:
            texts[f"{context}|{text}" if context else text] = words
    return texts


CALLED, SETTING = tr("“{title}”"), tr("“{title}: {words}”")


def problem_view(problem: Problem, visitor: Visitor, family: Declaration | None = None, own: str = "") -> View:
    """Return a problem as ``workbench check`` says it, its line apart; a ``family`` calls its toggles by their titles.

    A message about an unknown key keeps the names, which are to be written instead. ``own``: the file of the page; a
    problem of another one has its name.
    """
    keys = (problem.key or "").split(", ")
    toggles = [toggle for toggle in (family.toggles if family else ()) if f"rules.{toggle.name}" in keys]
    known = family if toggles else None
    elsewhere = bool(own and problem.file and problem.file != own)
    return {
        "file": (problem.file + (f":{problem.line}" if problem.line else "")) if elsewhere else "",
        "line": None if elsewhere else problem.line,
        "key": problem.key or "",
        "about": ", ".join(visitor.translate(toggle.title) for toggle in toggles),
        "message": with_titles(visitor.translate(problem.message), known, visitor),
        "hint": with_titles(visitor.translate(problem.hint), known, visitor),
    }


TO_JA, OR_JA = "を", "か"
"""What stands in Japanese between a toggle and what it is to be set to, and between two such settings."""


def with_titles(text: str, family: Declaration | None, visitor: Visitor) -> str:
    """Return a text in which toggles and settings such as ``king: capture`` are called by what rule books say.

    A name that is a word of English is one of a toggle only where a sentence begins.
    """
    if not family:
        return text

    def called(found: re.Match[str]) -> str:
        name, gap, settings = found.groups()
        toggle = family.toggle(name)
        if not settings:
            word = visitor.language == SOURCE and "_" not in name and not re.search(r"(^|; )$", text[: found.start()])
            return found[0] if word else visitor.translate(CALLED.format(title=toggle.title))
        values = {setting_text(one.name): one.name for one in toggle.values}
        words = [choice_words(toggle, values[each]) if each in values else each for each in settings.split(OR_JA)]
        if gap == TO_JA:
            told = OR_JA.join(f"「{visitor.translate(each)}」" for each in words)
            return f"{visitor.translate(CALLED.format(title=toggle.title))}{gap}{told}"
        return visitor.translate(SETTING.format(title=toggle.title, words=words[0]))

    names, word = "|".join(toggle.name for toggle in family.toggles), "[A-Za-z0-9_+-]+"
    setting = rf"(: |{TO_JA})({word}(?:{OR_JA}{word})*)"
    return re.sub(rf"(?<![\w./-])({names})(?![\w-])(?:{setting})?", called, text, flags=re.ASCII)


def choice_words(toggle: Toggle, setting: Setting) -> str:
    """What a choice of a toggle is called in a sentence: its label, or what the rule book says of it."""
    if label := toggle.label(setting):
        return label
    return setting_text(setting) if isinstance(toggle, Drawing) else strip_period(toggle.sentence(setting))
