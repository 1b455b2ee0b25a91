"""The games that a project keeps, each with the rules under which it began."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from workbench.base.errors import InputError
from workbench.base.language import in_all, tr
from workbench.rules.edits import RulesetReading, read_ruleset_text
from workbench.studio.documents.rulesets import DraftStore


class KeptGame(NamedTuple):
    """A game that was not taken back to its beginning."""

    identity: str
    """The fingerprint of its rules, and the digest of a link if it began with one."""
    reading: RulesetReading
    """Its rules."""
    title: str
    """The title of its rules."""
    earlier: bool
    """True if the rules of the page have changed since."""
    address: str
    over: bool
    content: Mapping[str, Any]


def own_text(reading: RulesetReading, title: str) -> str:
    """Return a ruleset's text with all its settings, so that changes of its parents do not change it."""
    english, japanese = in_all(title)
    parents = [name.partition("/")[2] for name, _ in reading.file.parents]
    text = {"game": reading.family.name, "title": english, "title_ja": japanese, "rules": dict(reading.settings)}
    return json.dumps(text | ({"extends": parents} if parents else {}), ensure_ascii=False)


def kept_games(store: DraftStore, page: str = "") -> Iterator[KeptGame]:
    """Yield the kept games, latest first: all, or those of the ruleset page with a document key."""
    for key in store.autosave.names("games"):
        own_page, _, identity = key.rpartition(" ")
        kind, _, name = own_page.partition(" ")
        if page not in ("", own_page):
            continue
        with contextlib.suppress(InputError):
            draft, content = store.peek(name, kind), store.autosave.load("games", key)
            reading = read_ruleset_text(store.project, draft.name, str(content.get("text")))
            if reading.ruleset is None or reading.ruleset.fingerprint != identity[: len(reading.ruleset.fingerprint)]:
                continue
            present, address = draft.read().ruleset, f"/play/{kind}/{quote(name)}"
            is_present = present is not None and present.fingerprint == reading.ruleset.fingerprint
            title = store.title(draft)
            if not is_present:
                title = tr("{title} (under the earlier rules)", title=reading.ruleset.heading)
            if present is None or identity != present.fingerprint:
                address += f"?game={identity}"
            yield KeptGame(identity, reading, title, not is_present, address, bool(content.get("over")), content)
