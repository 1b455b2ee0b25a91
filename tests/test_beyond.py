"""Rulesets one step beyond a space: which they are, and a search that plays them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import printed
from workbench.addons.search.neighbours import AREA, LETTER, NUMBER, PLACE, VALUE, neighbours
from workbench.rules import rulesets


def settings_of(base: str, toggle: str, **changes: str) -> list[object]:
    ruleset = rulesets.load_ruleset(base)
    if changes:
        ruleset = rulesets.derive_ruleset(ruleset, changes, "x", "x")
    return [one.ruleset.settings[toggle] for one in neighbours([ruleset], limit=500) if one.toggle == toggle]


def test_steps_are_the_next_numbers_other_values_letters_and_orbits() -> None:
    assert {3, 4, 6} & set(settings_of("chatra/2008-02", "repetition_count")) == {4, 6}
    assert set(settings_of("chatra/2008-02", "stuck")) == {"loss"}
    knights = settings_of("chess/orthodox", "knight_moves", insufficient_material="play-on")
    assert knights == ["NW", "NF", "ND", "NA"]
    assert not settings_of("chess/orthodox", "knight_moves"), "refused beside draws by insufficient material"
    assert "fmWfc" not in settings_of("chess/orthodox", "pawn_moves")
    areas = [text for text in settings_of("chatra/2008-02", "object_area") if "/" in str(text)]
    assert len(areas) == len(set(areas)) >= 15
    assert all(str(text) == str(text)[::-1] for text in areas), "areas stay as symmetric as they are"


def test_pieces_of_a_drawn_position_step_aside_with_their_counterparts() -> None:
    start = "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w -"
    moved = settings_of("chess/orthodox", "start_position", start_position=start, castling="never")
    assert "rbnqknbr/1ppppppp/p7/8/8/P7/1PPPPPPP/RBNQKNBR w -" in [str(text) for text in moved]
    assert not settings_of("chess/orthodox", "start_position"), "the usual array is no drawing"


def test_no_two_have_the_same_rules_and_the_simplest_come_first() -> None:
    base = rulesets.load_ruleset("chatra/2008-02")
    other = rulesets.derive_ruleset(base, {"stuck": "loss"}, "y", "y")
    found = neighbours([base, other], {rulesets.load_ruleset("chatra/2008-01").fingerprint}, 60)
    kinds = [one.kind for one in found]
    assert kinds == sorted(kinds) and set(kinds) <= {NUMBER, VALUE, LETTER, AREA, PLACE} and len(found) == 60
    prints = [one.ruleset.fingerprint for one in found]
    assert len(set(prints)) == 60 and not {base.fingerprint, other.fingerprint} & set(prints)
    assert rulesets.load_ruleset("chatra/2008-01").fingerprint not in prints
    assert all(one.change for one in found) and {one.origin.name for one in found} == {base.name, "y"}
    assert not {"draw_value", "prices"} & {one.toggle for one in found}


@pytest.mark.slow
def test_a_search_plays_what_lies_beyond_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("rulesets/star", "searches"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "rulesets" / "star" / "one.yaml").write_text("game: star\ntitle: One\n")
    (tmp_path / "searches" / "few.yaml").write_text(
        "title: Few draws\nbase: star/one\nspace: {stuck: [draw, loss], pieces: [3, 4]}\n"
        "targets: {first_score: [0.70, 0.71]}\nplayers: {quick: [random], strong: [random, greedy]}\n"
        "budget: {games: 400}\nfinalists: 2\n"
    )
    monkeypatch.chdir(tmp_path)
    told = json.loads(printed("search", "few", "--beyond", "4", "--why", "--json"))
    rows = told["beyond"]
    assert len(rows) == 6 and sum(row["beside"] is None for row in rows) == 2
    assert [row["misses"] for row in rows] == sorted(row["misses"] for row in rows)
    assert all(row["change"]["ja"] for row in rows if row["beside"])
    page = (tmp_path / "reports" / "searches" / "few" / "report.md").read_text("utf-8")
    assert all(text["en"] in page for text in told["nearest"] + told.get("why", []))
    assert ("why" in told) == (told["result"]["finalists"][0]["ruleset"] != "star/one")
    assert (tmp_path / "reports" / "few.beyond" / "report.html").exists()
    again = json.loads(printed("search", "few", "--beyond", "4", "--why", "--json"))
    assert again["beyond"] == rows, "played once, and found again"
    printed("search", "few", "--fresh", "--yes", "--json")
    assert not (tmp_path / "reports" / "few.beyond" / "trials").exists()
