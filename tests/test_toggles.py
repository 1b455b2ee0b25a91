"""Nothing of a declaration is left out elsewhere: what is missing is told, with where to write it and what."""

from __future__ import annotations

import ast
import dataclasses
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench import games
from workbench.base.language import bilingual, translated
from workbench.games.declaration import (
    COMMON,
    Declaration,
    Group,
    Named,
    Setting,
    Toggle,
    Value,
    equal_settings,
    identifier,
    kernel_names,
    setting_text,
)
from workbench.rules import rulebook, rulesets
from workbench.rules.settings import find_conflicts

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = games.names()
every_family = pytest.mark.parametrize("family", FAMILIES)
ONLY_REFUSE = {("rengo", "budget"), ("rengo", "prices")}
"""Toggles that decide what the loader refuses: no kernel reads them."""
NO_RULE_OF_PLAY = ONLY_REFUSE | {("rengo", "first_army"), ("rengo", "second_army")}
"""Besides, those that decide what is set up: no position tells of them, and the twin that plays reads none of them."""
COMMON_NAMES = {toggle.name for toggle in COMMON}
"""Toggles of all families, which drivers read: no kernel, twin or position tells of them. See tests/test_swap.py."""
KINDS = ("TOGGLES", "FEATURES", "EVENTS", "ENDINGS", "STYLES", "UNITS")


def files_of(family: str, *kinds: str) -> dict[str, str]:
    folder = ROOT / "workbench" / "games" / family
    paths = [path for kind in kinds for path in folder.glob(f"{kind}*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def missing_in_kernel(declaration: Declaration, sources: Mapping[str, str]) -> Iterator[str]:
    """What is declared and the kernel neither reads nor writes."""
    source = "\n".join(sources.values())
    files = f"workbench/games/{declaration.name}/kernel*.py"
    for toggle in declaration.toggles:
        read = re.search(rf"\brules\.{toggle.name}\b", source)
        if not read and (declaration.name, toggle.name) not in ONLY_REFUSE and toggle.name not in COMMON_NAMES:
            values = [each.name for each in toggle.values if not equal_settings(each.name, toggle.default)]
            named = "".join(f" == TOGGLES.{toggle.name}.{identifier(setting_text(v))}" for v in values[:1])
            yield f"{files}: no kernel reads the toggle {toggle.name}; write `if rules.{toggle.name}{named}:`"
    for kind, names, what in (
        ("FEATURES", declaration.features, "out[FEATURES.{}] = …"),
        ("EVENTS", declaration.events, "counts[EVENTS.{}] += 1"),
        ("ENDINGS", declaration.terminations.values(), "return FIRST, ENDINGS.{}"),
    ):
        written = {name for source in sources.values() for name in names_written(kind, source)}
        for name in (identifier(one.name) for one in names):
            if name not in written:
                yield f"{files}: no kernel writes what is declared as {name}; write `{what.format(name)}`"


def names_written(kind: str, source: str) -> Iterator[str]:
    """The names of a kind that a kernel writes; a comparison with a name writes nothing."""
    nodes = [*ast.walk(ast.parse(source))]
    compared = {id(part) for node in nodes if isinstance(node, ast.Compare) for part in ast.walk(node)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == kind and id(node) not in compared:
            yield node.attr


def undeclared(declaration: Declaration, sources: Mapping[str, str]) -> Iterator[str]:
    """Names that a source reads from the declaration and that are not in it."""
    known = dict(zip(KINDS, kernel_names(declaration), strict=True))
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            kind, _, name = ast.unparse(node).partition(".") if isinstance(node, ast.Attribute) else ("", "", "")
            try:
                _ = kind in known and operator.attrgetter(name)(known[kind])
            except AttributeError as error:
                yield f"{file}, line {node.lineno}: {error}"  # type: ignore[attr-defined]


def misread(sources: Mapping[str, str]) -> Iterator[str]:
    """What runs as Python and is refused by Numba when it reaches it, minutes later."""
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("scratch", "scratch_moves"):
                for attribute in (each for each in ast.walk(node.args[0]) if isinstance(each, ast.Attribute)):
                    yield f"{file}, line {node.lineno}: import {attribute.attr} by its own name, as a literal for Numba"
            if isinstance(node, ast.Attribute) and node.attr == "view":
                yield f"{file}, line {node.lineno}: find another name: Numba takes `view` for the method of arrays"


def twin_files(family: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "games" / family).glob("twin*.py")]


def missing_in_twin(declaration: Declaration, sources: Iterable[str]) -> Iterator[str]:
    """Toggles and endings that the slow twin does not know."""
    nodes = (node for source in sources for node in ast.walk(ast.parse(source)))
    words = {node.value for node in nodes if isinstance(node, ast.Constant)}
    file = f"tests/games/{declaration.name}/twin.py"
    for toggle in declaration.toggles:
        if toggle.name not in {*words, *COMMON_NAMES} and (declaration.name, toggle.name) not in NO_RULE_OF_PLAY:
            yield f'{file}: the twin never reads settings["{toggle.name}"]; write its rule from the rule text'
    for ending in declaration.terminations.values():
        if ending.name not in words:
            yield f'{file}: the twin never ends a game by "{ending.name}"; return it with the result in `outcome`'


def missing_witnesses(declaration: Declaration, known: tuple[rulebook.Witness, ...]) -> Iterator[str]:
    """Values of toggles that no position tells from the default."""
    file = f"workbench/games/{declaration.name}/witnesses.yaml"

    def lacking(toggle: Toggle, value: Setting) -> str:
        told = f"{file}: write a witness for {toggle.name}: {setting_text(value)}, as others there"
        return f"{told}, that differs from {toggle.name}: {setting_text(toggle.default)}"

    for toggle in (one for one in declaration.toggles if one.name not in COMMON_NAMES):
        witnessed = [one.value for one in known if one.toggle == toggle.name]
        for value in toggle.values:
            if not any(equal_settings(value.name, one) for one in (toggle.default, *witnessed)):
                yield lacking(toggle, value.name)
        numbers = [one for one in witnessed if type(one) in (int, float) and toggle.allows(one)]
        if toggle.span and not numbers and (declaration.name, toggle.name) not in NO_RULE_OF_PLAY:
            yield lacking(toggle, toggle.span.high)


def impossible_witnesses(declaration: Declaration, known: Iterable[rulebook.Witness]) -> Iterator[str]:
    """Witnesses whose settings the declaration refuses: no ruleset could have them."""
    file = f"workbench/games/{declaration.name}/witnesses.yaml"
    for witness in known:
        settings = {**declaration.defaults(), **witness.base, witness.toggle: witness.value}
        wrong = [name for name, value in settings.items() if name not in declaration.defaults()]
        wrong += [toggle.name for toggle in declaration.toggles if not toggle.allows(settings[toggle.name])]
        for name in wrong:
            yield f"{file}, {witness}: there is no {name}: {setting_text(settings[name])}; mend its toggle, value, base"
        for conflict in [] if wrong else find_conflicts(declaration, settings):
            combined = " with ".join(f"{name}: {setting_text(settings[name])}" for name in conflict.settings)
            yield f"{file}, {witness}: refused is {combined} ({conflict.message!s}); write others under `base`"


def missing_in_japanese(declaration: Declaration) -> Iterator[str]:
    """Texts that are there in English only, or are no Japanese sentence where they are an English one."""
    sentences = [one.sentence for one in (*declaration.features, *declaration.events)]
    sentences += [one.sentence for one in declaration.terminations.values()]
    sentences += [one.sentence for toggle in declaration.toggles for one in (*toggle.values, toggle.span) if one]
    others = [toggle.title for toggle in declaration.toggles] + [one.message for one in declaration.excluded()]
    for text in (*others, *sentences):
        japanese = translated(text, "ja")
        if japanese == str(text) or (text in sentences and not japanese.endswith("。")):
            yield f"workbench/games/{declaration.name}/locale/ja.po: run python -m tests.catalogues, translate '{text}'"


def no_toggles(declaration: Declaration) -> Iterator[str]:
    known = {toggle.name for toggle in declaration.toggles}
    for one in (*declaration.events, *declaration.terminations.values()):
        for name in sorted({*one.toggles} - known):
            yield f"workbench/games/{declaration.name}/rules.py: {one.name} tells of {name}, which is no toggle"


def counted_for_nothing(declaration: Declaration) -> Iterator[str]:
    known = {event.name for event in declaration.events} | {"plies"}
    for event in declaration.events:
        if event.per and event.per not in known - {event.name}:
            yield f"workbench/games/{declaration.name}/rules.py: {event.name} is counted per {event.per}, no event"


LACKING: dict[str, Callable[[Declaration], Iterable[str]]] = {
    "kernel": lambda family: missing_in_kernel(family, files_of(family.name, "kernel")),
    "names": lambda family: undeclared(family, files_of(family.name, "kernel", "notation")),
    "compiler": lambda family: misread(files_of(family.name, "kernel")),
    "twin": lambda family: missing_in_twin(family, twin_files(family.name)),
    "witnesses": lambda family: missing_witnesses(family, rulebook.family_witnesses(family.name)),
    "settings": lambda family: impossible_witnesses(family, rulebook.family_witnesses(family.name)),
    "Japanese": missing_in_japanese, "toggles": no_toggles, "counts": counted_for_nothing
}  # fmt: skip


@pytest.mark.parametrize("where", LACKING)
@every_family
def test_nothing_of_a_declaration_is_left_out(family: str, where: str) -> None:
    assert "\n".join(LACKING[where](games.declaration(family))) == ""


def test_what_numba_misreads_is_told_with_its_line() -> None:
    told = [line.partition(": ")[0] for line in misread({"kernel.py": "a = scratch(b.CELLS + 1)\nc = b.view(a)\n"})]
    assert told == ["kernel.py, line 1", "kernel.py, line 2"]


def test_what_a_new_toggle_lacks_is_told_one_by_one() -> None:
    chess = games.declaration("chess")
    toggle = Toggle(
        "lone_king", bilingual(en="A king without other pieces", ja="裸の王"), "nowhere", "nothing",
        (Value("nothing", bilingual(en="It means nothing.", ja="何もない。")), Value("wins-at-once", "It wins.")),
    )  # fmt: skip
    walks = Named("walks", bilingual(en="Walks of a king.", ja="王の歩み。"), toggles=("lone_kings",), per="walks")
    alone = Named("lone-king", bilingual(en="A king is alone.", ja="王だけになった。"))
    more = dataclasses.replace(
        chess, toggles=(*chess.toggles, toggle), events=(*chess.events, walks),
        terminations={**chess.terminations, 999: alone},
    )  # fmt: skip
    sources = files_of("chess", "kernel")

    def lacks(missing: Callable[..., Iterable[str]], known: Any) -> list[str]:
        """What chess itself lacks, as while a toggle is being added, is told by the other tests."""
        lacking = set(missing(chess, known))
        return [line.partition(": ")[2].partition("; ")[2] for line in missing(more, known) if line not in lacking]

    assert lacks(missing_in_kernel, sources) == [
        "write `if rules.lone_king == TOGGLES.lone_king.wins_at_once:`", "write `counts[EVENTS.walks] += 1`",
        "write `return FIRST, ENDINGS.lone_king`",
    ]  # fmt: skip
    wrong = "def f(rules):\n    return rules.king == TOGGLES.king.capturd or ENDINGS.lone_king\n"
    (unknown,) = undeclared(more, {"kernel.py": wrong})
    assert unknown.startswith("kernel.py, line 2: the toggle king of chess has no 'capturd'")
    twin = lacks(missing_in_twin, twin_files("chess"))
    assert twin == ["write its rule from the rule text", "return it with the result in `outcome`"]
    known = rulebook.family_witnesses("chess")
    (witness,) = set(missing_witnesses(more, known)) - set(missing_witnesses(chess, known))
    assert "write a witness for lone_king: wins-at-once" in witness
    (japanese,) = set(missing_in_japanese(more)) - set(missing_in_japanese(chess))
    assert japanese.endswith("translate 'It wins.'")
    assert list(no_toggles(more)) == ["workbench/games/chess/rules.py: walks tells of lone_kings, which is no toggle"]
    assert list(counted_for_nothing(more)) == ["workbench/games/chess/rules.py: walks is counted per walks, no event"]


def test_an_ending_that_a_kernel_only_asks_for_is_not_written() -> None:
    star = games.declaration("star")
    asks = "def events(after):\n    return after == ENDINGS.surrounded\n"
    ends = "def outcome():\n    return DRAW, ENDINGS.stuck\n"
    missing = "\n".join(missing_in_kernel(star, {"asks.py": asks, "ends.py": ends}))
    assert "declared as surrounded" in missing and "declared as stuck" not in missing


def test_a_witness_that_a_conflict_refuses_is_told() -> None:
    chess = games.declaration("chess")
    bare = rulebook.Witness("king", "capture", {"result": "first"}, "A king is taken.", base={"turns": "triple"})
    (told,) = impossible_witnesses(chess, [bare])
    assert "king=capture: refused is king: capture with insufficient_material: draw (a king can be captured" in told
    mended = dataclasses.replace(bare, base={"turns": "triple", "insufficient_material": "play-on"})
    assert list(impossible_witnesses(chess, [mended])) == []
    (told,) = impossible_witnesses(chess, [dataclasses.replace(mended, value="captured")])
    assert told.endswith("king=captured: there is no king: captured; mend its toggle, value, base")


@every_family
def test_a_page_has_every_toggle_in_one_group_and_begins_with_rules_that_are_there(family: str) -> None:
    declaration = games.declaration(family)
    grouped = [toggle.name for title, toggles in declaration.grouped() for toggle in toggles if title]
    assert sorted(grouped) == sorted(toggle.name for toggle in declaration.toggles), (
        f"name it in `groups` of workbench/games/{family}/rules.py"
    )
    assert f"{family}/{declaration.current}" in rulesets.ruleset_names()


@every_family
def test_sources_are_translated(family: str) -> None:
    for toggle in games.declaration(family).toggles:
        assert translated(toggle.source, "ja") != str(toggle.source), toggle.name


def test_toggles_of_no_group_come_last_without_a_title() -> None:
    declaration = dataclasses.replace(games.declaration("star"), groups=(Group("One", ("stuck",)),))
    (title, [stuck]), (_, common), (none, rest) = declaration.grouped()
    assert (title, stuck.name, none) == ("One", "stuck", "")
    assert [toggle.name for toggle in common] == [one.name for one in COMMON]
    grouped = {"stuck", *COMMON_NAMES}
    assert [toggle.name for toggle in rest] == [one.name for one in declaration.toggles if one.name not in grouped]
