"""What people write: rulesets, experiments, agents, lines; their schemas, and the rule book."""

from __future__ import annotations

from collections.abc import Iterator

from workbench import language


def _declared() -> Iterator[tuple[str, str]]:
    from workbench.questions import declared

    return declared.declared_sentences()


language.also(_declared)
