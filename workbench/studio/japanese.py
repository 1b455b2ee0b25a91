"""What the declarations of the games say in English only, in Japanese: sentences of the catalogue."""

from __future__ import annotations

from workbench.language import translated


def japanese(sentence: str) -> str:
    """A sentence of a declaration or a message in Japanese; as it is where nobody has translated it."""
    return translated(sentence, "ja")
