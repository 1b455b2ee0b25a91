"""Settings and rule changes in words, for readers without a picture of drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeGuard

from workbench.base.language import COMMA, LANGUAGES, bilingual, join, strip_period, tr, translated, trn
from workbench.games import drawings
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing, DrawingError

LONGEST = {"ja": 30}
"""Maximum length, in characters, of a sentence that names a change, by language."""
LONGEST_ELSEWHERE = 50
MOST_CHANGES = 3
"""Maximum number of changes in the name of unnamed rules."""


def is_picture(toggle: Toggle, setting: Setting) -> TypeGuard[Drawing]:
    """Check whether a setting is a drawing that is best shown as a picture."""
    return isinstance(toggle, Drawing) and toggle.painted and toggle.is_drawn(setting)


def sentence_beside(toggle: Toggle, setting: Setting) -> str:
    """Return the rule book's sentence, suitable for use beside the picture of a drawing."""
    return toggle.drawn if is_picture(toggle, setting) else toggle.sentence(setting)


def setting_words(family: str, toggle: Toggle, settings: Mapping[str, Setting]) -> str:
    """Return a setting in a few words: as spelled in files, or for a picture its number of pieces or squares."""
    setting = settings[toggle.name]
    if not is_picture(toggle, setting):
        return setting_text(setting)
    try:
        count = len(drawings.shown(family, toggle, settings).signs)
    except DrawingError:
        return tr("drawn")
    return trn("{n} piece", "{n} pieces", count) if toggle.pieces else trn("{n} square", "{n} squares", count)


def change_words(family: str, toggle: Toggle, settings: Mapping[str, Setting]) -> str:
    """Return a toggle's setting as a phrase: its label, its sentence if short, or its title and value."""
    setting = settings[toggle.name]
    if label := toggle.label(setting):
        return label
    words = setting_words(family, toggle, settings)
    if is_picture(toggle, setting):
        return tr("{sentence} ({setting})", sentence=strip_period(toggle.drawn), setting=words)
    text = tr("{toggle}: {setting}", toggle=toggle.title, setting=words)
    # A number is clear without a sentence, except 0, which may mean none or no limit.
    if isinstance(setting, int | float) and not isinstance(setting, bool) and setting:
        return text
    sentence = strip_period(toggle.sentence(setting))
    phrases = {language: translated(sentence, language) for language in LANGUAGES}
    long = [language for language in LANGUAGES if len(phrases[language]) > LONGEST.get(language, LONGEST_ELSEWHERE)]
    return bilingual(**phrases | {language: translated(text, language) for language in long})


def changes_words(
    family: str, toggles: Iterable[Toggle], before: Mapping[str, Setting], after: Mapping[str, Setting],
    limit: int = MOST_CHANGES,
) -> str:  # fmt: skip
    """Return up to ``limit`` differences between two sets of rules, joined by commas."""
    changed = (toggle for toggle in toggles if not equal_settings(before.get(toggle.name), after[toggle.name]))
    changes = [change_words(family, toggle, after) for toggle in changed]
    return join(COMMA, [*changes[:limit], *(["…"] if changes[limit:] else [])])
