"""Generated files are current: JSON Schemas, the table of players, fingerprints and playthroughs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import few, generated, playthroughs
from tests.playthroughs import path_of, playthrough
from workbench.questions import rulesets, workspace

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


@pytest.mark.thorough
def test_what_is_stale_is_told_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On copies: a schema that lacks something, another fingerprint, and a playthrough that nobody has written."""
    copies = {kind: tmp_path / path for kind, path in workspace.SCHEMAS.items()}
    for kind, path in copies.items():
        path.parent.mkdir()
        path.write_bytes((generated.ROOT / workspace.SCHEMAS[kind]).read_bytes())
    monkeypatch.setattr(workspace, "SCHEMAS", {kind: str(path) for kind, path in copies.items()})
    fingerprints = tmp_path / "fingerprints.txt"
    fingerprints.write_text(generated.fingerprints(), encoding="utf-8")
    monkeypatch.setattr(generated, "FINGERPRINTS", fingerprints)
    monkeypatch.setattr(playthroughs, "FOLDER", tmp_path / "playthroughs")
    playthroughs.record("star/default", playthrough("star/default"))
    one = ["--ruleset", "star/default"]
    looked_at = f"schemas, fingerprints and playthroughs (1 of {len(rulesets.ruleset_names())})"
    for arguments in (one, ["--write", *one]):
        assert (generated.main(arguments), capsys.readouterr().out) == (0, f"All are current: {looked_at}.\n")

    schema = json.loads(copies["ruleset"].read_text(encoding="utf-8"))
    del schema["properties"]["title"]
    copies["ruleset"].write_text(json.dumps(schema), encoding="utf-8")
    content = fingerprints.read_text(encoding="utf-8")
    fingerprints.write_text(content.replace("star/default ", "star/default 0"), encoding="utf-8")
    path_of("star/default").unlink()
    playthroughs.record("star/gone", "a game")
    stale = [
        f"{copies['ruleset']}",
        "tests/fingerprints.txt, star/default",
        "tests/playthroughs, star/default",
        "tests/playthroughs, star/gone, of no ruleset",
    ]
    assert generated.main(one) == 4
    assert capsys.readouterr().out.splitlines() == [
        *(f"{line}: not current" for line in stale),
        f"Not current: 4 of the {looked_at}. With --write they are written.",
    ]
    assert generated.main(["--write", *one]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *(f"{line}: written" for line in stale[:3]),
        "tests/playthroughs, star/gone, of no ruleset: removed",
        f"Changed: 4 of the {looked_at}. Read the diff, and say in the commit why.",
    ]
    assert (generated.main(one), capsys.readouterr().out) == (0, f"All are current: {looked_at}.\n")
    assert fingerprints.read_text(encoding="utf-8") == content
    assert path_of("star/default").exists() and list(playthroughs.recorded()) == ["star/default"]
