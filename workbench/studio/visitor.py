"""The language and colours of a page, and the texts of its scripts."""

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
"""Cookie names; they omit the port, which may change with the next studio."""
THEMES: Mapping[str, tuple[str, str]] = {
    "auto": ("◐", trc("colours", "Auto")),
    "light": ("○", tr("Light")),
    "dark": ("●", tr("Dark")),
}
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """The language and colours of a page."""

    language: str
    theme: str

    @classmethod
    def from_request(cls, request: Request) -> Visitor:
        """Return the visitor who sent a request."""
        theme = request.cookies.get(THEME, "")
        language = preferred_language(request.cookies, request.headers.get("accept-language", ""))
        return cls(language, theme if theme in THEMES else "auto")

    @property
    def dark(self) -> bool | None:
        """True if the page is dark; None if the system decides."""
        return {"light": False, "dark": True}.get(self.theme)

    def translate(self, text: str) -> str:
        """Return a text in the page's language."""
        return translated(text, self.language)

    def localize(self, view: Localizable) -> Localizable:
        """Return plain data with all messages in the page's language."""
        return localized(view, self.language)


def localized(view: Localizable, language: str) -> Localizable:
    """Return plain data with all messages in a language."""
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
    """Return the cookie's language or the supported language that the browser prefers; English by default.

    >>> preferred_language({}, "fr;q=0.9, ja;q=0.8, en;q=0.7")
    'ja'
    """
    if (chosen := cookies.get(LANGUAGE, "")) in LANGUAGES:
        return chosen
    found = re.findall(r"([a-z]+)[^,;]*(?:;\s*q=(\d(?:\.\d*)?)\s*)?(?=,|$)", accepted.lower())
    qualities = {str(name): float(quality or 1) for name, quality in reversed(found) if name in LANGUAGES}
    return max([*reversed(qualities), LANGUAGES[0]], key=lambda name: qualities.get(name, 1e-9))


_CALL = re.compile(r"""\btr(?:c\((["'])(?P<context>.+?)\1, |\()(["'])(?P<text>.+?)\3""")


@functools.cache
def script_messages() -> dict[tuple[str, str], list[Path]]:
    """Return the scripts that use each message, by (context, text)."""
    messages: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(Path(__file__).parents[1].rglob("*.js")):
        for match in _CALL.finditer(path.read_text(encoding="utf-8")):
            messages.setdefault((match["context"] or "", match["text"]), []).append(path)
    return messages


@functools.cache
def script_texts(language: str) -> dict[str, str]:
    """Return the translations of script texts by English text, with a prefix ``context|`` if there is a context."""
    texts = {}
    for context, text in script_messages():
        words = translated(trc(context, text) if context else tr(text), language)
        if words != text:
            texts[f"{context}|{text}" if context else text] = words
    return texts


CALLED, SETTING = tr("“{title}”"), tr("“{title}: {words}”")


def problem_view(problem: Problem, visitor: Visitor, family: Declaration) -> View:
    """Return a problem as printed by ``workbench check``, with the names of the family's toggles replaced by titles.

    A message about an unknown key keeps the names that the file needs.
    """
    keys = (problem.key or "").split(", ")
    toggles = [toggle for toggle in family.toggles if f"rules.{toggle.name}" in keys]

    def words(text: str) -> str:
        return with_titles(visitor.translate(text), family, visitor) if toggles else visitor.translate(text)

    return {
        "line": problem.line,
        "key": problem.key or "",
        "about": ", ".join(visitor.translate(toggle.title) for toggle in toggles),
        "message": words(problem.message),
        "hint": words(problem.hint),
    }


TO_JA, OR_JA = "を", "か"
"""The Japanese particles between a toggle and its setting, and between two settings."""


def with_titles(text: str, family: Declaration, visitor: Visitor) -> str:
    """Return a text in which titles and labels replace toggles and settings such as ``king: capture``.

    A toggle named by an English word is replaced only at the beginning of a sentence.
    """

    def title(match: re.Match[str]) -> str:
        name, gap, settings = match.groups()
        toggle = family.toggle(name)
        quoted = visitor.translate(CALLED.format(title=toggle.title))
        if not settings:
            word = visitor.language == SOURCE and "_" not in name and not re.search(r"(^|; )$", text[: match.start()])
            return match[0] if word else quoted
        values = {setting_text(value.name): value.name for value in toggle.values}
        labels = [choice_words(toggle, values[label]) if label in values else label for label in settings.split(OR_JA)]
        if gap == TO_JA:
            return quoted + gap + OR_JA.join(f"「{visitor.translate(label)}」" for label in labels)
        return visitor.translate(SETTING.format(title=toggle.title, words=labels[0]))

    names, word = "|".join(toggle.name for toggle in family.toggles), "[A-Za-z0-9_+-]+"
    setting = rf"(: |{TO_JA})({word}(?:{OR_JA}{word})*)"
    return re.sub(rf"(?<![\w./-])({names})(?![\w-])(?:{setting})?", title, text, flags=re.ASCII)


def choice_words(toggle: Toggle, setting: Setting) -> str:
    """Return a setting's label, or its rule book sentence."""
    if label := toggle.label(setting):
        return label
    return setting_text(setting) if isinstance(toggle, Drawing) else strip_period(toggle.sentence(setting))
