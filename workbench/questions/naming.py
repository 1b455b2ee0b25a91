"""What rules are called until somebody names them: by their base, and by what they change."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from workbench.games.declaration import Declaration, Setting, equal_settings, setting_text
from workbench.games.wording import changes_words, is_picture
from workbench.language import COMMA, join

LONGEST_NAME = 48
"""Characters of a file's name that is proposed."""


def changed_title(base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting]) -> str:
    """A title such as ``2008-02, A drop may give check``; the base's name alone if nothing is changed."""
    changes = changes_words(family.name, family.toggles, before, after)
    return join(COMMA, [base, changes]) if changes else base


def changed_name(
    base: str, family: Declaration, before: Mapping[str, Setting], after: Mapping[str, Setting], known: Collection[str]
) -> str:
    """The name of a file such as ``2008-02-drop_check-allowed``, other than the names that are known."""
    parts = [base]
    for toggle in family.toggles:
        setting = after[toggle.name]
        if not equal_settings(before[toggle.name], setting):
            parts += [toggle.name] if is_picture(toggle, setting) else [toggle.name, setting_text(setting)]
    return unused_name(parts, known)


def unused_name(parts: Sequence[str], known: Collection[str]) -> str:
    """The name of a file made of some words, other than the names that are known."""
    stem = re.sub(r"[^\w+.-]+", "-", "-".join(parts))[:LONGEST_NAME].rstrip("-._")
    return next(name for n in range(1, len(known) + 3) if (name := f"{stem}{f'-{n}' if n > 1 else ''}") not in known)
