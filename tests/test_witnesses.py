"""Every family: each value of a toggle has a position in which it shows, and each sentence is there in Japanese."""

from __future__ import annotations

import pytest

from workbench import games, witnesses
from workbench.games.declaration import Setting, text
from workbench.session import IllegalMove

FAMILIES = games.names()


def holds(witness: witnesses.Witness, legal: set[str], outcome: tuple[str, str | None], seat: str = "") -> None:
    """Fails where a position is not what its witness expects; the tests of the families ask their twins, too."""
    expected = witness.expect
    assert set(expected.get("legal", ())) <= legal
    assert not set(expected.get("illegal", ())) & legal
    assert not seat or seat == expected.get("seat", seat)
    if "result" in expected:
        assert outcome == (expected["result"], expected["termination"])


EACH = [(family, witness) for family in FAMILIES for witness in witnesses.of(family)]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_value_has_a_witness(family: str) -> None:
    found = witnesses.of(family)
    witnessed = {str(witness) for witness in found}
    for toggle in games.declaration(family).toggles:
        for value in toggle.values:
            assert value.name == toggle.default or f"{toggle.name}={text(value.name)}" in witnessed
        numbers = [one.value for one in found if one.toggle == toggle.name and type(one.value) in (int, float)]
        if (family, toggle.name) != ("rengo", "budget"):  # decides what the loader refuses, not what a position allows
            assert toggle.span is None or any(toggle.allows(number) for number in numbers)


@pytest.mark.parametrize(("family", "witness"), EACH, ids=lambda each: str(each))
def test_a_witness_is_whole(family: str, witness: witnesses.Witness) -> None:
    toggle = games.declaration(family).toggle(witness.toggle)
    assert toggle.allows(witness.value) and witness.value != toggle.default
    assert witness.toggle not in witness.base
    assert witness.expect
    assert witness.sentence.endswith(".") and "\n" not in witness.sentence
    assert witness.sentence_ja.endswith("。")


@pytest.mark.parametrize(("family", "witness"), EACH, ids=lambda each: str(each))
def test_the_session_sees_what_differs(family: str, witness: witnesses.Witness) -> None:
    default = games.declaration(family).toggle(witness.toggle).default

    def seen(setting: Setting) -> object:
        try:
            session = witness.session(family, setting)
        except IllegalMove:
            return None
        return session.legal_texts(), session.outcome(), session.seat

    found = seen(witness.value)
    assert found is not None, "the value itself allows the moves"
    assert found != seen(default)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_sentence_of_the_declaration_is_there_in_japanese(family: str) -> None:
    declaration = games.declaration(family)
    toggles = declaration.toggles
    sentences = [value.ja for toggle in toggles for value in toggle.values]
    sentences += [toggle.span.ja for toggle in toggles if toggle.span]
    sentences += [one.ja for one in (*declaration.features, *declaration.events, *declaration.terminations.values())]
    assert all(sentence.endswith("。") for sentence in sentences)
    assert all(toggle.title_ja for toggle in toggles)


def test_between_two_settings_the_second_is_witnessed_first() -> None:
    found = witnesses.between("chatra", "limits_end", "check", "never")
    assert found is not None and found.value == "never"
    found = witnesses.between("chatra", "limits_end", "check", "check-or-centre")
    assert found is not None and found.value == "check", "a default has no witness of its own"
    assert witnesses.between("chatra", "repetition_count", 7, 8) is None
