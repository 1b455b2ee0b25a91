"""Generated files are current: JSON Schemas, the table of players, fingerprints and playthroughs."""

from __future__ import annotations

from tests import few, generated, playthroughs
from tests.playthroughs import playthrough

WRITE = "read what has changed, then run: python -m tests.generated --write"


def test_the_schemas_are_those_of_the_declarations() -> None:
    assert generated.stale_schemas() == [], WRITE


def test_the_guide_has_a_table_of_all_players() -> None:
    assert generated.GUIDE.read_text(encoding="utf-8") == generated.guide(), WRITE


def test_the_page_of_columns_has_those_of_all_records() -> None:
    assert generated.COLUMNS.read_text(encoding="utf-8") == generated.columns(), WRITE


def test_every_ruleset_has_the_rules_that_its_fingerprint_records() -> None:
    """A change means that old results are results of other rules."""
    assert generated.changed_fingerprints() == [], WRITE
    assert generated.FINGERPRINTS.read_text(encoding="utf-8") == generated.fingerprints(), WRITE


@few.every_ruleset(quick=few.ONE_EACH)
def test_game_is_the_recorded_one(name: str) -> None:
    text = playthrough(name)
    assert playthroughs.is_current(name, text), f"{WRITE} --ruleset {name}\n{text}"


def test_every_playthrough_has_its_ruleset() -> None:
    assert generated.playthroughs_of_no_ruleset() == [], WRITE
