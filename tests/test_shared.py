"""Weights that the rulesets of an experiment have in common: how they are learned, found, and who plays by them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests.command_line import call, printed, refused
from tests.star_project import star_experiment, star_project
from workbench import games
from workbench.base.errors import InputError
from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.players import agents, library, trainer
from workbench.players.agent_kinds import SHARED, fallback_training, shares_weights, split_training_key, training_key
from workbench.players.agents import AgentSpec
from workbench.players.library import Learned, Match
from workbench.rules import rulesets
from workbench.runs import training

ROOT = Path(__file__).resolve().parent.parent
TINY = trainer.Budget(nodes=40_000, rounds=2, plies=60, positions=2_000, match=10)
STAR, FOUR = (rulesets.load_ruleset(f"star/{name}", Project(ROOT)) for name in ("default", "four-pieces"))
PUPIL = AgentSpec.of("greedy", training=1, evaluation=SHARED)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(trainer, "default_budget", lambda ruleset: TINY)
    return star_project(tmp_path, monkeypatch, ("default", "four-pieces", "5x5"))


@pytest.fixture(scope="module")
def together() -> Learned:
    return trainer.train_together(PUPIL.within([STAR, FOUR]).mixture, 1, TINY)


def write(project: Project, listed: str, agents: str = "greedy-shared-1") -> Experiment:
    return star_experiment(project, listed, agents)


def trained_digests(loaded: Experiment, project: Project) -> list[str]:
    return [cell.digest for cell in training.with_learned_digests(loaded, project).cells()]


def accepted(learned: Learned, wins: int = 5) -> Learned:
    return dataclasses.replace(learned, match=Match(wins, 0, 10 - wins))


def test_which_players_have_weights_in_common() -> None:
    assert training_key(SHARED, 2) == "shared-2" and split_training_key("shared-2") == (SHARED, 2)
    assert fallback_training("shared-2") == ""
    assert [key for key in ("", "1", "net-1", "shared-1") if shares_weights(key)] == ["", "shared-1"]
    labels = ["random", "greedy", "alphabeta-2", "greedy-shared-1", "greedy-learned-1", "greedy-net-1"]
    common = [label for label in labels if agents.agent_from_text(label).weights_in_common]
    assert common == ["random", "greedy", "alphabeta-2", "greedy-shared-1"]


def test_a_mixture_is_the_same_whatever_the_order_and_the_pie_rule(project: Project) -> None:
    mixture = PUPIL.within([STAR, FOUR]).mixture
    swapped = dataclasses.replace(STAR, settings={**STAR.settings, "swap": "after-first"}, fingerprint="0" * 16)
    assert swapped.swap_ply and swapped.unswapped.fingerprint == STAR.fingerprint
    for others in ([FOUR, STAR], [FOUR, STAR, swapped]):
        assert PUPIL.within(others).mixture == mixture
    assert library.training_subject(STAR, mixture) == library.training_subject(FOUR, mixture)
    assert library.training_subject(STAR, mixture) != library.training_subject(STAR, mixture[:1])
    # Where a player has its experiment already, and where it learned each ruleset apart, nothing changes.
    assert PUPIL.within([STAR]).within([STAR, FOUR]).mixture == PUPIL.within([STAR]).mixture
    assert AgentSpec.of("greedy", training=1).within([STAR]).mixture == ()
    # A family's own rulesets are learned together, and no others.
    chatra = rulesets.load_ruleset("chatra/B", Project(ROOT))
    assert PUPIL.within([STAR, chatra, FOUR]).learned_with(STAR) == mixture


@pytest.mark.thorough
def test_the_same_mixture_and_seed_learn_the_same(together: Learned) -> None:
    again = trainer.train_together(PUPIL.within([FOUR, STAR]).mixture, 1, TINY)
    assert again == together
    assert (together.evaluation, together.key) == (SHARED, "shared-1")
    assert together.rulesets == tuple(each.name for each in PUPIL.within([STAR, FOUR]).mixture)
    assert together.match.games == 12, "ten games, shared out over two rulesets in pairs"
    other = trainer.train_together(PUPIL.within([STAR, FOUR]).mixture, 2, TINY)
    assert other.weights != together.weights


def test_a_mixture_of_one_learns_what_its_ruleset_alone_does() -> None:
    alone, mixed = trainer.train_player(STAR, 1, TINY), trainer.train_together((STAR,), 1, TINY)
    assert (mixed.weights, mixed.match, mixed.pruning) == (alone.weights, alone.match, alone.pruning)
    assert mixed.fingerprint != alone.fingerprint


def test_the_fit_is_to_the_positions_of_all_rulesets() -> None:
    import numpy as np

    joint = trainer.SharedSelfPlay([STAR, FOUR], TINY)
    for number, practice in enumerate(joint.practices):
        for _ in practice.play(number, 20_000 * (number + 1), 1.0):
            pass
    kept = [practice.stored for practice in joint.practices]
    assert min(kept) > 0 and joint.stored == sum(kept)
    assert joint.games == sum(practice.games for practice in joint.practices)
    row = np.random.default_rng(1).normal(size=len(joint.row))
    loss, slope = joint.loss(row, 0.5)
    losses, slopes = zip(*(practice.loss(row, 0.5) for practice in joint.practices), strict=True)
    assert loss == pytest.approx(sum(n * one for n, one in zip(kept, losses, strict=True)) / sum(kept))
    assert slope == pytest.approx(sum(n * one for n, one in zip(kept, slopes, strict=True)) / sum(kept))
    joint.row[0] = 7.0
    assert all(practice.row[0] == 7.0 for practice in joint.practices)


def test_memory_in_common_changes_no_game() -> None:
    joint = trainer.SharedSelfPlay([STAR, FOUR], TINY)
    first, second = joint.practices
    assert first.ws.table_keys is second.ws.table_keys and first.ws.nodes is not second.ws.nodes
    alone = [trainer.new_practice(ruleset, TINY, TINY.positions // 2) for ruleset in (STAR, FOUR)]
    for until in (5_000, 10_000, 15_000):
        for practice, other in zip(joint.practices, alone, strict=True):
            other.row = joint.row
            for one in (practice, other):
                for _ in one.play(3, until, 1.0):
                    pass
            assert (practice.nodes, practice.stored, practice.games) == (other.nodes, other.stored, other.games)
            assert (practice.stored_rows().scores == other.stored_rows().scores).all()


def test_what_was_learned_together_is_kept_and_found_by_the_mixture(project: Project, together: Learned) -> None:
    file = library.save_learned(project, accepted(together), STAR)
    assert file.name == f"2-rulesets-{together.fingerprint}-shared-1.json"
    pupil = PUPIL.within([FOUR, STAR])
    players = [library.engine_player(pupil, each, project) for each in (STAR, FOUR)]
    assert players[0] == players[1] and players[0].weights == together.weights
    # One decision for all of them.
    library.save_learned(project, accepted(together, wins=4), STAR)
    own = AgentSpec.of("greedy").player(games.declaration("star"))
    assert [library.engine_player(pupil, each, project) for each in (STAR, FOUR)] == [own, own]
    with pytest.raises(InputError, match=r"workbench train star/default --seed 1 --shared"):
        library.engine_player(PUPIL.within([STAR]), STAR, project)


def test_a_ruleset_that_is_added_makes_other_players_of_them(project: Project, together: Learned) -> None:
    loaded = write(project, "star/default, star/four-pieces", "greedy, greedy-shared-1")
    library.save_learned(project, together, STAR)
    before = trained_digests(loaded, project)
    turned = trained_digests(write(project, "star/four-pieces, star/default", "greedy, greedy-shared-1"), project)
    assert sorted(before) == sorted(turned)
    alone = write(project, "star/default", "greedy, greedy-shared-1")
    (missing,) = training.missing_trainings(training.experiment_trainings(alone), project)
    assert missing.title == "star/default, training shared-1"
    learned = trainer.train_together((STAR,), 1, TINY)
    library.save_learned(project, learned, STAR)
    after = trained_digests(alone, project)
    assert after[0] == before[0], "its own weights are what they were"
    assert after[1] not in before


def test_rulesets_without_weights_in_common_are_refused(project: Project) -> None:
    loaded = write(project, "star/default, star/5x5")
    with pytest.raises(InputError, match=r"one board size, found star/\S+ and star/"):
        training.missing_trainings(training.experiment_trainings(loaded), project)
    for command in (["run", "mine"], ["plan", "mine"], ["train", "star/default", "star/5x5", "--shared"]):
        message = refused(*command, "--workers", "1")
        assert "star/5x5" in message and "star/default" in message
    assert "found both" in refused("train", "star/default", "--shared", "--net")


def test_a_search_has_none(project: Project) -> None:
    (project.root / "searches").mkdir()
    text = "title: x\nbase: star/default\nspace: {pieces: [3, 4]}\ntargets: {first_score: [0.45, 0.55]}\n"
    (project.root / "searches" / "mine.yaml").write_text(text + "players: {strong: [greedy, greedy-shared-1]}\n")
    assert "a search's rulesets are not known in advance, found shared" in refused("check", "searches/mine.yaml")


@pytest.mark.parametrize(
    "command",
    [["play", "star/default", "--first", "greedy-shared-1", "--second", "random"],
     ["ladder", "star/default", "--agents", "random greedy-shared-1", "--games", "400"],
     ["handicap", "star/default", "--toggle", "pieces", "--agent", "greedy-shared-1"],
     ["bench", "star/default", "--agents", "greedy-shared-1"]],
)  # fmt: skip
def test_outside_of_an_experiment_there_are_none(command: list[str]) -> None:
    result = call(*command)
    assert result.exit_code == 2, result.output
    assert "needs weights shared by rulesets, which exist only within an experiment" in result.stderr


@pytest.mark.thorough
def test_a_run_trains_them_once_plays_and_goes_on(project: Project, together: Learned, no_charts: None) -> None:
    write(project, "star/default, star/four-pieces", "greedy, {greedy: {evaluation: [shared, learned], training: 1}}")
    assert "3 of 3 training runs are missing" in printed("plan", "mine", "--seconds", "0.1", "--workers", "1")
    assert "star/default, star/four-pieces, training run shared-1: " in printed("run", "mine", "--workers", "2")
    assert "All 36 games have already been played" in printed("run", "mine", "--workers", "1")
    said = json.loads((project.reports / "mine" / "provenance.json").read_text(encoding="utf-8"))
    learned = said["learned"]
    assert learned["star/default"]["shared-1"]["digest"] == learned["star/four-pieces"]["shared-1"]["digest"]
    assert learned["star/default"]["shared-1"]["digest"] == together.digest, "in another process, too"
    read = Experiment.from_provenance(said)
    written = experiment.load_experiment(project.experiments / "mine.yaml", project)
    assert [player.mixture for player in read.players] == [player.mixture for player in written.players]
    of_them = ("--ruleset", "four-pieces", "--agent", "greedy-shared-1", "--n", "2", "--export", "json")
    assert len(printed("games", "mine", *of_them).splitlines()) == 2, "they are played again from the records"
    # In the other order it is the same training; with one ruleset less another one.
    write(project, "star/four-pieces, star/default", "greedy, greedy-shared-1")
    assert "not there" not in printed("run", "mine", "--fresh", "--yes", "--workers", "1")
    write(project, "star/default", "greedy, greedy-shared-1")
    assert "training run shared-1: " in call("run", "mine", "--workers", "1").output
    assert "weights of training run shared-1 for star/default: was" in refused("run", "mine", "--workers", "1")


@pytest.mark.thorough
def test_train_learns_rulesets_together_in_any_order(project: Project) -> None:
    asked = ("--shared", "--seed", "1", "--workers", "1")
    first = printed("train", "star/four-pieces", "star/default", *asked)
    assert "star/default, star/four-pieces, training run shared-1: " in first
    assert "already exists" in printed("train", "star/default", "star/four-pieces", *asked)
    assert library.find_learned(project, STAR, 1) is None
    found = library.find_learned(project, FOUR, 1, evaluation=SHARED, mixture=PUPIL.within([STAR, FOUR]).mixture)
    assert found is not None and found.version == games.declaration("star").trainer
