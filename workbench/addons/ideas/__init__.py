"""Search for the toggles and rulesets most similar to an idea in words."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.ideas import command as command


@offers
def similar_toggles(game: str, text: str) -> list[str]:
    """Return the names of the toggles whose titles, sentences or synonyms are similar to a text, best match first."""
    from workbench.addons.ideas.text_search import toggle_index

    return list(toggle_index(game).nearest(text))


@offers
def studio_page() -> Any:
    """Return the idea page."""
    from workbench.addons.ideas import page

    return page
