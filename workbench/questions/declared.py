"""What the declarations of the games say in both languages, for the catalogue: it keeps no second copy of them."""

from __future__ import annotations

from collections.abc import Iterator

from workbench import games
from workbench.games.declaration import Declaration
from workbench.games.results import all_endings


def declared_sentences() -> Iterator[tuple[str, str]]:
    """Titles and sentences of all families, in English and Japanese; a number is the field ``{0}``."""
    for name in games.names():
        for english, japanese in _family_sentences(games.declaration(name)):
            if japanese:
                yield english.replace("{n}", "{0}"), japanese.replace("{n}", "{0}")


def _family_sentences(family: Declaration) -> Iterator[tuple[str, str]]:
    yield family.title, family.title_ja
    for toggle in family.toggles:
        yield toggle.title, toggle.title_ja
        yield from ((value.sentence, value.ja) for value in toggle.values)
        for pattern in (toggle.span, toggle.files):
            if pattern:
                yield pattern.sentence, pattern.ja
    for named in (*family.features, *family.events, *all_endings(family).values(), *family.styles):
        yield named.sentence, named.ja
    yield from ((landmark.sentence, landmark.ja) for landmark in family.landmarks)
