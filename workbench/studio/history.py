"""A text that is being written, and every text that it was before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

MAX_STEPS = 500
"""Steps that can be taken back."""
TYPING_SECONDS = 1.5
"""Seconds between two letters of one step."""
MAX_TEXT = 100_000
"""Characters of a text; the file of a ruleset or an experiment has one or two thousand."""
MAX_SAVED_TEXT = 200_000
"""Characters of all texts together that are kept on disk."""


@dataclass
class History:
    """A text with the steps that led to it, which can be taken back and done again."""

    saved: str
    """The text as it is on disk, or as a new one begins."""
    texts: list[str] = field(default_factory=list)
    place: int = 0
    """Which of the texts counts; those behind it can be had again."""
    _typed: float = 0.0

    def __post_init__(self) -> None:
        self.texts = self.texts or [self.saved]

    @property
    def text(self) -> str:
        """The text that counts."""
        return self.texts[self.place]

    @property
    def dirty(self) -> bool:
        """Whether something would be lost."""
        return self.text != self.saved

    def write(self, text: str) -> None:
        """Takes a text that was typed; letters in quick succession are one step."""
        text = text.replace("\r\n", "\n")[:MAX_TEXT]
        now = time.monotonic()
        goes_on = now - self._typed < TYPING_SECONDS and self.place == len(self.texts) - 1 > 0
        if text != self.text and goes_on:
            self.texts[self.place] = text
        else:
            self.step(text)
        self._typed = now

    def undo(self) -> bool:
        """Takes the last step back; False if there is none."""
        self._typed = 0.0
        self.place -= self.place > 0
        return self.place > 0

    def redo(self) -> None:
        """Does again what was taken back."""
        self._typed = 0.0
        self.place = min(self.place + 1, len(self.texts) - 1)

    def revert(self) -> None:
        """Goes back to the text on disk; that is a step, too."""
        self.step(self.saved)

    def as_json(self) -> dict[str, Any] | None:
        """Plain data for `resume`: the text, and the steps before and behind it as far as there is room.

        None if nothing was written.
        """
        if len(self.texts) == 1:
            return None
        first, last, room = self.place, self.place + 1, MAX_SAVED_TEXT - len(self.text)
        while first and len(self.texts[first - 1]) <= room:
            first -= 1
            room -= len(self.texts[first])
        while last < len(self.texts) and len(self.texts[last]) <= room:
            room -= len(self.texts[last])
            last += 1
        return {"saved": self.saved, "texts": self.texts[first:last], "place": self.place - first}

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Takes what `as_json` gave, if there is more in it than in the file; anything else changes nothing."""
        match kept:
            case {"saved": str(saved), "texts": [*texts], "place": int(place)} if (
                0 <= place < len(texts) <= MAX_STEPS
                and all(isinstance(text, str) and len(text) <= MAX_TEXT for text in (saved, *texts))
                and (saved == self.saved or texts[place] not in (saved, self.saved))
            ):
                self.saved, self.texts, self.place = saved, texts, place

    @contextmanager
    def unless_refused(self) -> Iterator[None]:
        """Forgets what is written within if that ends in an error."""
        texts, place = list(self.texts), self.place
        try:
            yield
        except Exception:
            self.texts, self.place = texts, place
            raise

    def step(self, text: str) -> None:
        """Takes a text as a step of its own."""
        self._typed = 0.0
        if text == self.text:
            return
        del self.texts[self.place + 1 :]
        self.texts.append(text)
        del self.texts[: max(0, len(self.texts) - MAX_STEPS)]
        self.place = len(self.texts) - 1
