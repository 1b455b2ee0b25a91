"""Engines from outside play by the rulesets asked for: what they cannot be told, or do otherwise, is refused."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests import few
from tests.addons.engines.test_outside import ENGINE, ROOT, engine, installed, moves_of, own, program, spec, written
from tests.command_line import call
from workbench import games
from workbench.addons.engines import uci as engine_players
from workbench.base.errors import PlayerFailed
from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.games.declaration import Declaration, Setting, Toggle, Value
from workbench.games.uci_variants import UciVariant, uci_variant, with_names
from workbench.players.external import ExternalPlayer, probe_player
from workbench.positions.game_state import GameState
from workbench.rules import rulebook, rulesets
from workbench.runs import runner
from workbench.runs.runner import probe_external_players

own = own  # the fixture

SPEAKING = [name for name in sorted(games.shipped()) if importlib.util.find_spec(f"workbench.games.{name}.uci")]
"""The families that are told to engines."""
UNSEEN = {("chess", "insufficient_material")}
"""Toggles that engines need not know: the workbench ends such games."""


def settings_of(family: str, toggle: Toggle) -> list[Setting]:
    """Every value that a toggle lists, and examples of what it does not list; without the default."""
    listed = [value.name for value in toggle.values]
    shown = [witness.value for witness in rulebook.family_witnesses(family) if witness.toggle == toggle.name]
    ends = [toggle.span.low, toggle.span.high] if toggle.span else []
    return [setting for setting in dict.fromkeys([*listed, *shown, *ends]) if setting != toggle.default]


@pytest.mark.parametrize("family", SPEAKING)
def test_every_setting_is_told_to_engines_or_refused_by_name(family: str) -> None:
    declaration = games.declaration(family)
    plain = uci_variant(family, declaration.defaults())
    assert isinstance(plain, UciVariant)
    for toggle in declaration.toggles:
        for setting in settings_of(family, toggle):
            said = uci_variant(family, declaration.defaults() | {toggle.name: setting})
            if isinstance(said, str):
                assert re.search(rf"\b{toggle.name}\b.*{re.escape(str(setting))}", said), said
            else:
                assert (said == plain) == ((family, toggle.name) in UNSEEN), (toggle.name, setting)


@pytest.mark.parametrize("family", SPEAKING)
def test_what_is_declared_later_is_not_passed_over(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    declaration = games.declaration(family)
    late = Value("later", "This was not thought of.")
    toggles = [dataclasses.replace(toggle, values=(*toggle.values, late)) for toggle in declaration.toggles]
    new = Toggle(
        name="new", title="New", source="", default="as-before", values=(Value("as-before", "As before."), late)
    )
    grown: Declaration = dataclasses.replace(declaration, toggles=(*toggles, new))
    monkeypatch.setattr(games.module(family, "rules"), "DECLARATION", grown)
    assert isinstance(uci_variant(family, grown.defaults()), UciVariant)
    for toggle in grown.toggles:
        said = uci_variant(family, grown.defaults() | {toggle.name: "later"})
        assert said == f"UCI cannot express {toggle.name}: later"


def ruleset(own: Project, **rules: Setting) -> None:
    content = {"game": "chess", "title": "varied", "rules": rules}
    (own.rulesets / "chess/varied.yaml").write_text(json.dumps(content), encoding="utf-8")


def variants(own: Project) -> dict[str, Any]:
    program(own.root / "engines/variants", (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8"))
    return {"uci": {"command": "engines/variants", "nodes": 10}}


def said_of(player: Any, own: Project, name: str = "chess/varied") -> list[str]:
    said: list[str] = []
    loaded = written(own, {"agents": [player]}, rulesets=[name], games=2, max_plies=6)
    probe_external_players(loaded, True, "", said.append)
    return said[1:]


@pytest.mark.family("chess")
@pytest.mark.parametrize(
    ("rules", "difference"),
    [
        ({"pawn_double_step": "anywhere"}, "it does not allow e4e6 after 'position startpos moves e2e4 d7d5'"),
        ({"pawn_double_step": "never"}, "it would allow a2a4 after 'position startpos'"),
        ({"knight_moves": "NC", "insufficient_material": "play-on"}, "does not allow b1a4 after 'position startpos'"),
        ({"capture": "obligatory"}, "it would allow a2a3 after 'position startpos moves e2e4 d7d5'"),
        ({"queen_moves": "QNmC"}, "it does not allow d1c3 after 'position startpos'"),
        ({"rook_moves": "R4"}, "it does not allow e1f1 after 'position fen 4k3/8/8/8/8/8/3P4/r3K2R w K - 0 1'"),
    ],
)
def test_an_engine_that_ignores_a_setting_is_refused_before_it_plays(
    own: Project, rules: dict[str, Setting], difference: str
) -> None:
    ruleset(own, **rules)
    with pytest.raises(PlayerFailed) as failed:
        said_of(variants(own), own)
    text = str(failed.value)
    assert "does not play by the same rules as chess/varied: it " in text and text.endswith(f"{difference}.")


@pytest.mark.family("chess")
def test_draws_are_not_asked_for(own: Project) -> None:
    ruleset(own, repetition=5)
    assert said_of(variants(own), own) == []


@pytest.mark.family("chess")
@pytest.mark.parametrize(
    ("rules", "ending"),
    [
        ({"stalemate": "loss"}, "stalemate"),
        ({"flag": "Kk d4 e4 d5 e5", "insufficient_material": "play-on"}, "flag"),
        ({"flag": "N *8; n *1", "insufficient_material": "play-on"}, "flag"),
        ({"bare_king": "loses", "insufficient_material": "play-on"}, "bare-king"),
        ({"king": "capture", "castling": "never", "insufficient_material": "play-on"}, None),
    ],
)
def test_an_engine_that_does_not_know_how_games_are_won_is_refused(
    own: Project, rules: dict[str, Setting], ending: str | None
) -> None:
    """It has the same moves, all but one: where kings are taken."""
    ruleset(own, **rules)
    with pytest.raises(PlayerFailed, match=r"does not play by the same rules as chess/varied: it ") as failed:
        said_of(variants(own), own)
    text = str(failed.value)
    assert ending is None or re.search(rf"does not see that \S+ wins \({ending}\) after 'position startpos ", text)


@pytest.mark.family("chess")
@pytest.mark.parametrize(("name", "known"), [("king-of-the-hill", "kingofthehill"), ("three-check", "3check")])
def test_an_engine_plays_what_it_knows_by_name(own: Project, name: str, known: str) -> None:
    """Without VariantPath, from the name alone; in positions with checks that were given before."""
    program(own.root / "engines/lichess", (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8"))
    path = own.rulesets / f"chess/{name}.yaml"
    path.write_text((ROOT / f"rulesets/chess/{name}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    assert said_of({"uci": {"command": "engines/lichess", "nodes": 10}}, own, f"chess/{name}") == []
    played = rulesets.load_ruleset(f"chess/{name}", own)
    variant = uci_variant("chess", played.settings)
    assert isinstance(variant, UciVariant) and with_names("chess", variant).names == (known,)
    ruleset(own, **{**played.own, "stalemate": "loss"})
    with pytest.raises(PlayerFailed, match="does not know chess/varied: it lacks the VariantPath option"):
        said_of({"uci": {"command": "engines/lichess", "nodes": 10}}, own)


def ends_of(game_state: GameState) -> Iterator[tuple[int, str | None]]:
    if game_state.outcome()[0]:
        yield game_state.outcome()
    for answer in game_state.legal():
        game_state.push(answer)
        yield game_state.outcome()
        game_state.undo()


@pytest.mark.family("chess")
@pytest.mark.parametrize(
    ("name", "endings"),
    [
        ("antichess", {"lose-all", "stalemate"}), ("atomic", {"blown-up", "mate"}), ("orthodox", {"mate"}),
        ("extinction", {"extinction"}), ("king-of-the-hill", {"flag", "mate"}), ("bare-king", {"bare-king", "mate"}),
        ("racing-kings", {"flag"}), ("stalemate-wins", {"mate", "stalemate"}), ("three-check", {"checks", "mate"}),
        ("two-kings", {"extinction"}),
    ],
)  # fmt: skip
def test_goals_are_positions_from_which_one_colour_wins(name: str, endings: set[str]) -> None:
    loaded = rulesets.load_ruleset(f"chess/{name}")
    asked = set()
    for ending, game_state, winning in engine_players.winning_positions(loaded):
        winner = game_state.side
        asked.add((ending, winner))
        assert 0 < len(winning) <= len(game_state.legal()) / 3
        for move in winning:
            game_state.push(move)
            assert set(ends_of(game_state)) == {(1 + winner, ending)}
            game_state.undo()
    assert asked == {(ending, side) for ending in endings for side in (0, 1)}


@pytest.mark.parametrize(
    ("mood", "message"),
    few.first(
        1,
        [
            ("mistaken", r"^random-10 \(Random Mover 1.0\) does not play by the same rules as chess/orthodox: it "),
            ("crashing", r"^chess/orthodox: random-10 \(Random Mover 1.0\) was killed by SIGSEGV\.$"),
        ],
    ),
)
def test_what_happens_when_moves_are_compared_is_one_sentence(own: Project, mood: str, message: str) -> None:
    with pytest.raises(PlayerFailed, match=message):
        said_of(engine(Mood=mood), own, "chess/orthodox")
    words = f"uci:engines/random,nodes=10,options.Mood={mood}"
    done = call("play", "chess/orthodox", "--first", words, "--second", "random", "--max-plies", "2")
    assert done.exit_code == 1 and re.search(message.strip("^$"), " ".join(done.output.split()))
    for play in (lambda: wb.play("chess/orthodox", words, "random"), lambda: wb.Game("chess/orthodox").choose(words)):
        with pytest.raises(wb.WorkbenchError, match=message):
            play()


@pytest.mark.parametrize("mood", few.first(1, ["searching", "ignoring"]))
def test_one_that_cannot_list_its_moves_plays_orthodox_chess_alone(
    own: Project, monkeypatch: pytest.MonkeyPatch, mood: str
) -> None:
    monkeypatch.setattr("workbench.addons.engines.uci.LISTING_SECONDS", 0.2)
    cannot = "(Random Mover 1.0) does not list its legal moves ('go perft 1')"
    (note,) = said_of(engine(Mood=mood), own, "chess/orthodox")
    assert cannot in note and "cannot be checked" in note
    words = f"uci:engines/random,nodes=10,options.Mood={mood}"
    done = call("play", "chess/orthodox", "--first", words, "--second", "random", "--max-plies", "2")
    assert done.exit_code == 0 and "cannot be checked" in " ".join(done.stderr.split())
    ruleset(own, stalemate="loss")
    other = variants(own)
    other["uci"]["options"] = {"Mood": mood}
    refused = f"variants-10 {cannot}, so its rules cannot be checked against chess/varied"
    with pytest.raises(PlayerFailed, match=re.escape(refused)):
        said_of(other, own)


@pytest.mark.thorough
def test_moves_are_compared_once(own: Project, tmp_path: Path) -> None:
    """For each ruleset before its first game, and not again for each block; in one process, not for each question."""
    marked = (ROOT / "tests/uci_engine.py").read_text(encoding="utf-8").replace(
        '        elif words[:2] == ["go", "perft"]:\n', '        elif words[:2] == ["go", "perft"]:\n'
        f'            Path({str(tmp_path / "asked")!r}).open("a").write(f"{{os.getpid()}}\\n")\n', 1)  # fmt: skip
    program(own.root / "engines/random", marked)
    loaded = written(own, {"agents": [ENGINE, "random"]}, games=6, block=1, max_plies=4)
    runner.run_experiment(loaded, tmp_path / "out", workers=1, allow_programs=True)
    asked = (tmp_path / "asked").read_text().split()
    assert len(set(asked)) == 1 and len(asked) > 10
    game = wb.Game("chess/orthodox")
    for _ in range(3):
        game.push(game.choose("uci:engines/random,nodes=10"))
    assert len(set((tmp_path / "asked").read_text().split())) == 2


@pytest.mark.family("chess")
def test_an_engine_is_not_asked_for_a_game_that_began_elsewhere(own: Project) -> None:
    game = wb.Game("chess/orthodox", position="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    with pytest.raises(PlayerFailed, match="random-10 can play only from the starting position"):
        game.choose("uci:engines/random,nodes=10")


@pytest.mark.family("chess")
@pytest.mark.skipif(not installed("fairy-stockfish"), reason="apt-get install fairy-stockfish")
@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, ""),
        ({"stalemate": "loss", "repetition": 4}, ""),
        ({"checks_to_win": 3, "insufficient_material": "play-on"}, ""),
        ({"flag": "Kk d4 e4 d5 e5", "insufficient_material": "play-on"}, ""),
        ({**rulesets.load_ruleset("chess/racing-kings").own}, ""),
        ({"drops": "placement"}, ""),
        ({"flag": "Kk d4 e4", "insufficient_material": "play-on"}, None),
        ({"king": "capture", "insufficient_material": "play-on"}, None),
        ({"pawn_double_step": "anywhere"}, None),
        ({"knight_moves": "K", "king_moves": "N", "castling": "never", "insufficient_material": "play-on"}, None),
    ],
)
def test_fairy_stockfish_has_our_moves_or_is_refused(
    own: Project, rules: dict[str, Setting], message: str | None
) -> None:
    """Version 11.1 ignores some settings and dies by others; later versions may know them."""
    ruleset(own, **rules)
    varied = rulesets.load_ruleset("chess/varied", own)
    outsider = ExternalPlayer.of(spec(own, "uci:fairy-stockfish,nodes=10"), varied)
    assert outsider is not None
    try:
        name, note = probe_player(outsider, varied)
    except PlayerFailed as failed:
        assert message is None and re.search("not play by the same rules as|was killed by SIG", str(failed)), failed
        assert "flag" not in rules or "wins (flag)" in str(failed)
    else:
        assert "Stockfish" in name and not note
        arrays = moves_of(own, "uci:fairy-stockfish,nodes=10", "random", "chess/varied", cap=60)
        assert arrays["plies"].min() > 2


NPM = Path("experiments/engines/fairy-stockfish")
"""The wrapper of Fairy-Stockfish as npm has it."""


@pytest.mark.thorough
@pytest.mark.skipif(not (ROOT / NPM.parent / "node_modules").is_dir(), reason=f"see {NPM}")
def test_fairy_stockfish_of_npm_has_our_moves() -> None:
    goals = ("three-check", "racing-kings", "king-of-the-hill", "antichess", "bare-king", "placement")
    loaded = [rulesets.load_ruleset(f"chess/{name}", Project(ROOT)) for name in goals]
    for ruleset in (*experiment.load_experiment(ROOT / "experiments/chess-three-families.yaml").rulesets, *loaded):
        outsider = ExternalPlayer.of(spec(Project(ROOT), f"uci:{NPM},nodes=10"), ruleset)
        assert outsider is not None
        name, note = probe_player(outsider, ruleset)
        assert name.startswith("Fairy-Stockfish") and not note
