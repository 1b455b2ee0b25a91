"""Players that have learned: what a training gives, where it is kept, who plays by it, and what commands say of it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import as_json, call, printed, refused
from tests.star_project import FILE, star_experiment, star_project
from workbench import games
from workbench.base.errors import InputError
from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.players import agents, library, trainer
from workbench.players.agent_kinds import SEEDS
from workbench.players.agents import AgentSpec
from workbench.players.library import Learned, Match
from workbench.report.sections.rules import UnitWorth, unit_worths
from workbench.rules import rulesets
from workbench.runs import training

ROOT = Path(__file__).resolve().parent.parent
TINY = trainer.Budget(nodes=20_000, rounds=2, plies=60, positions=2_000, match=10)
STAR = rulesets.load_ruleset("star/default", Project(ROOT))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return star_project(tmp_path, monkeypatch, ("default", "four-pieces"))


@pytest.fixture(scope="module")
def trained() -> Learned:
    return trainer.train_player(STAR, 1, TINY)


def with_match(learned: Learned, wins: int, losses: int) -> Learned:
    return dataclasses.replace(learned, match=Match(wins, 0, losses))


def written(project: Project, listed: str) -> experiment.Experiment:
    return star_experiment(project, "star/default, star/four-pieces", listed)


@pytest.mark.thorough
def test_what_was_learned_is_kept_and_found_by_the_fingerprint(project: Project, trained: Learned) -> None:
    assert library.find_learned(project, STAR, 1) is None
    file = library.save_learned(project, trained, STAR)
    assert file == project.reports / "players" / "star" / f"default-{STAR.fingerprint}-1.json"
    assert library.find_learned(project, STAR, 1) == trained
    assert library.find_learned(project, STAR, 2) is None
    assert library.find_learned(project, rulesets.load_ruleset("star/four-pieces", project), 1) is None
    assert library.find_learned(project, dataclasses.replace(STAR, name="star/A+B"), 1) == trained, "whatever its name"


def test_files_that_come_with_the_rulesets_count_first(project: Project, trained: Learned) -> None:
    library.save_learned(project, dataclasses.replace(trained, games=7), STAR)
    file = library.save_learned(project, trained, STAR, with_rulesets=True)
    assert file.parent == project.rulesets / "star" / "players"
    assert library.find_learned(project, STAR, 1) == trained
    assert rulesets.ruleset_names(project) == ["star/default", "star/four-pieces"]


def test_what_another_trainer_learned_is_as_if_it_were_not_there(project: Project, trained: Learned) -> None:
    notes: list[str] = []
    library.save_learned(project, dataclasses.replace(trained, version=trained.version - 1), STAR)
    assert library.find_learned(project, STAR, 1, notes.append) is None
    library.save_learned(project, dataclasses.replace(trained, weights=trained.weights[:-1]), STAR)
    assert library.find_learned(project, STAR, 1, notes.append) is None
    assert len(notes) == 2 and all("another version of the trainer" in note for note in notes)


def test_an_agent_plays_by_what_it_learned_if_that_was_accepted(project: Project, trained: Learned) -> None:
    agent = AgentSpec.of("greedy", training=1)
    with pytest.raises(InputError, match=r"greedy-learned-1 needs a training run on star/default.*workbench train"):
        library.engine_player(agent, STAR, project)
    library.save_learned(project, with_match(trained, 5, 5), STAR)
    player = library.engine_player(agent, STAR, project)
    assert (player.agent.learned, player.weights) == (1, trained.weights)
    library.save_learned(project, with_match(trained, 4, 5), STAR)
    assert library.engine_player(agent, STAR, project) == AgentSpec.of("greedy").player(games.declaration("star"))


def test_noise_has_the_scale_of_what_was_learned(project: Project, trained: Learned) -> None:
    agent = AgentSpec.of("greedy", training=1)
    shifted = dataclasses.replace(with_match(trained, 5, 5), scale=0.25)
    file = library.save_learned(project, shifted, STAR)
    assert library.find_learned(project, STAR, 1) == shifted and shifted.digest != with_match(trained, 5, 5).digest
    plain = AgentSpec.of("greedy").player(games.declaration("star")).agent
    assert plain.temperature > 0
    assert library.engine_player(agent, STAR, project).agent.temperature == plain.temperature / 4
    # Files of trainings before there was a scale say nothing of it.
    library.save_learned(project, with_match(trained, 5, 5), STAR)
    assert "scale" not in json.loads(file.read_text(encoding="utf-8"))
    assert library.engine_player(agent, STAR, project).agent.temperature == plain.temperature


def test_a_weight_of_minus_zero_is_read_back(project: Project, trained: Learned) -> None:
    with_zero = dataclasses.replace(trained, weights=(-0.0, 2.0, *trained.weights[2:]))
    library.save_learned(project, with_zero, STAR)
    found = library.find_learned(project, STAR, trained.seed)
    assert found is not None and (found.weights, found.digest) == (with_zero.weights, with_zero.digest)


def test_a_search_leaves_moves_out_if_that_was_no_worse(project: Project, trained: Learned) -> None:
    agent = AgentSpec.of("alphabeta", nodes=100, training=1)
    for pruning, accepted, reductions in (
        (Match(5, 0, 5), True, 1), (Match(4, 0, 5), True, 0), (Match(4, 0, 5), False, 0),
    ):  # fmt: skip
        learned = dataclasses.replace(with_match(trained, 5, 5 if accepted else 6), pruning=pruning)
        library.save_learned(project, learned, STAR)
        player = library.engine_player(agent, STAR, project)
        assert (player.agent.reductions, player.agent.learned) == (reductions, accepted)
    with_pruning = dataclasses.replace(learned, pruning=Match(5, 0, 5))
    assert learned.digest != with_pruning.digest
    assert "its searches do not prune (44.4 % with pruning)" in training.describe_training(learned)
    assert "do not prune" not in training.describe_training(with_pruning)


def test_the_worth_of_units_and_the_commonest(trained: Learned) -> None:
    begin = len(games.declaration("star").features)
    assert library.unit_values(trained) == {"piece": trained.weights[begin]}
    assert library.most_common_unit(STAR) == "piece"


@pytest.mark.parametrize(
    "label",
    ["greedy-net-1", "alphabeta-10k-net-3-centre",
     "greedy-learned-1", "alphabeta-2-learned-2", "alphabeta-10k-learned-1", "best-first-2500n-learned-1000",
     "best-first-10k-learned-3", "greedy-learned-1-centre", "alphabeta-10k-learned-3-centre"],
)  # fmt: skip
def test_labels_are_read_back(label: str) -> None:
    agent = agents.agent_from_text(label)
    assert agent.label == label
    assert agents.agents_from_text(label) == [agent]
    assert AgentSpec.from_provenance(label, agent.canonical()) == agent
    assert agent.canonical()["evaluation"] == ("net" if "-net-" in label else "learned")


def test_an_agent_without_a_training_stands_for_three(project: Project) -> None:
    assert [agent.training for agent in agents.agents_from_text("greedy:evaluation=learned")] == list(SEEDS)
    assert agents.agent_from_text("greedy-learned").training == SEEDS[0]
    listed = "greedy, {greedy: {evaluation: learned}}, {best-first: {evaluation: learned, training: [2, 5]}}"
    loaded = written(project, listed)
    assert [agent.label for agent in loaded.players] == [
        "greedy", "greedy-learned-1", "greedy-learned-2", "greedy-learned-3",
        "best-first-10k-learned-2", "best-first-10k-learned-5",
    ]  # fmt: skip
    named = written(project, "{greedy: {evaluation: learned, name: pupil}}")
    assert [agent.label for agent in named.players] == ["pupil-1", "pupil-2", "pupil-3"]
    assert written(project, "{greedy: {evaluation: own}}").players == [AgentSpec.of("greedy")]


def test_lists_of_budgets_and_evaluations_stand_for_an_agent_each(project: Project) -> None:
    wanted = "{alphabeta: {nodes: [1000, 3000], evaluation: [own, learned], training: [1, 2]}}"
    assert [agent.label for agent in written(project, wanted).players] == [
        "alphabeta-1k", "alphabeta-1k-learned-1", "alphabeta-1k-learned-2",
        "alphabeta-3k", "alphabeta-3k-learned-1", "alphabeta-3k-learned-2",
    ]  # fmt: skip
    named = written(project, "{best-first: {nodes: [500, 2000], name: careful}}")
    assert [(agent.label, agent.nodes) for agent in named.players] == [("careful-500n", 500), ("careful-2k", 2000)]


def test_in_pairings_trainings_meet_their_own_kind(project: Project) -> None:
    path = project.experiments / "pairs.yaml"
    path.parent.mkdir()
    pairs = "pairings: [[greedy-learned, alphabeta-1-learned], [greedy, greedy-learned]]"
    file = FILE.replace("agents: [{agents}]", pairs).format(rulesets="star/default, star/four-pieces")
    path.write_text(file, encoding="utf-8")
    loaded = experiment.load_experiment(path, project)
    learned = [(f"greedy-learned-{seed}", f"alphabeta-1-learned-{seed}") for seed in (1, 2, 3)]
    assert [(first.label, second.label) for first, second in loaded.pairings] == [
        *learned, *(("greedy", label) for label, _ in learned)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "message"),
    [("{greedy: {evaluation: learned, weights: {tempo: 1}}}", "expected weights or evaluation: learned, found both"),
     ("{greedy: {training: 1}}", "training has no effect without"),
     ("{greedy: {evaluation: learned, training: 0}}", "a whole number from 1 to 1000"),
     ("{greedy: {evaluation: learned, training: [1, 1]}}", "without duplicates"),
     ("{greedy: {evaluation: lerned}}", "did you mean 'learned'"),
     ("{greedy: {evaluation: [own, own]}}", "an evaluation, or a list without duplicates"),
     ("{alphabeta: {nodes: [1000, 1000]}}", "a budget, or a list without duplicates"),
     ("{alphabeta: {nodes: [1000, many]}}", "a whole number from 0 to 100,000,000"),
     ("{alphabeta: {nodes: []}}", "a budget, or a list without duplicates"),
     ("{random: {evaluation: learned}}", "expected an option of random")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(project: Project, agent: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        written(project, agent)
    assert message in str(caught.value)


def test_what_was_learned_decides_a_cell_but_no_seed(project: Project) -> None:
    loaded = written(project, "greedy, greedy-learned-1")
    key = (loaded.rulesets[0].fingerprint, "1")
    first, second = (dataclasses.replace(loaded, learned={key: digest}) for digest in ("a", "b"))
    changed = [one.digest != other.digest for one, other in zip(first.cells(), second.cells(), strict=True)]
    assert changed == [False, True, False, False]
    assert (first.seeds(first.cells()[1], 0, 5) == second.seeds(second.cells()[1], 0, 5)).all()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "default_budget", lambda ruleset: TINY)


def test_train_keeps_what_is_learned_and_skips_what_is_there(project: Project, tiny: None) -> None:
    first = printed("train", "star/default", "--seed", "1", "--seed", "2", "--workers", "1")
    for seed in (1, 2):
        assert f"star/default, training run {seed}: " in first
        assert library.find_learned(project, STAR, seed) is not None
    files = {path: path.read_bytes() for path in (project.reports / "players" / "star").glob("*.json")}
    again = printed("train", "star/default", "--workers", "1")
    assert "star/default, training 1 already exists" in again and "star/default, training run 3: " in again
    assert "already exists" not in printed("train", "star/default", "--seed", "1", "--force", "--workers", "1")
    assert files == {path: path.read_bytes() for path in files}
    assert "expected the name of a ruleset" in refused("train", "star/defualt")


def test_a_stopped_training(project: Project, tiny: None, trained: Learned, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(ruleset: Any, seed: int, *_: Any) -> Learned:
        if seed == 2:
            raise KeyboardInterrupt
        return trained

    monkeypatch.setattr(trainer, "train_player", stopped)
    result = call("train", "star/default", "--workers", "1")
    assert result.exit_code == 130, result.output
    assert "1 of 3 training runs are saved. To continue: workbench train star/default --workers 1" in result.stderr
    assert library.find_learned(project, STAR, 1) == trained
    forced = call("train", "star/default", "--seed", "2", "--nodes", "900", "--workers", "1", "--force")
    assert forced.stderr.rstrip().endswith("workbench train star/default --seed 2 --nodes 900 --workers 1 --force")


@pytest.mark.thorough
def test_a_run_trains_what_it_needs_plays_and_goes_on(project: Project, tiny: None, no_charts: None) -> None:
    written(project, "greedy, {greedy: {evaluation: learned, training: [1, 2]}}")
    first = printed("run", "mine", "--workers", "1")
    assert "The players need 4 missing training runs for star/default, star/four-pieces" in first
    assert "All 36 games have already been played" in printed("run", "mine", "--workers", "1")
    said = json.loads((project.reports / "mine" / "provenance.json").read_text(encoding="utf-8"))["learned"]
    assert set(said) == {"star/default", "star/four-pieces"} and set(said["star/default"]) == {"1", "2"}
    learned = library.find_learned(project, STAR, 1)
    assert learned is not None
    assert said["star/default"]["1"]["digest"] == learned.digest
    # Other weights: the games that were played are not continued.
    row = (learned.weights[0] + 1, *learned.weights[1:])
    library.save_learned(project, dataclasses.replace(learned, weights=row), STAR)
    assert "weights of training run 1 for star/default: was" in refused("run", "mine", "--workers", "1")
    for file in (project.reports / "players" / "star").glob("*.json"):
        file.unlink()
    assert "36 games" in printed("report", "mine"), "records stay readable without the files"


@pytest.mark.thorough
def test_play_and_ladder_train_first(project: Project, tiny: None, no_charts: None) -> None:
    assert "game 0" in printed("play", "star/default", "--first", "greedy-learned-2", "--second", "random")
    assert library.find_learned(project, STAR, 2) is not None
    words = ("--agents", "random greedy greedy-learned", "--games", "400", "--lines", "20", "--plies", "2")
    printed("ladder", "star/default", *words, "--max-plies", "60", "--workers", "1")
    (table,) = project.reports.glob("ladders/star/default/*/players.csv")
    assert {"greedy-learned-1", "greedy-learned-3"} <= {*table.read_text(encoding="utf-8").replace(",", "\n").split()}
    # What was learned is part of what the ladder is kept by.
    learned = library.find_learned(project, STAR, 2)
    assert learned is not None
    row = (learned.weights[0] + 1, *learned.weights[1:])
    library.save_learned(project, dataclasses.replace(learned, weights=row), STAR)
    printed("ladder", "star/default", *words, "--max-plies", "60", "--workers", "1")
    assert len([*(project.reports / "ladders" / "star" / "default").iterdir()]) == 2


def said_of(worth: dict[str, float], commonest: str, accepted: bool = True) -> dict[str, Any]:
    match = {"wins": 6, "draws": 1, "losses": 3} if accepted else {"wins": 3, "draws": 1, "losses": 6}
    return {"digest": "ab" * 8, "accepted": accepted, "match": match, "nodes": 5, "games": 10, "worth": worth,
            "commonest": commonest}  # fmt: skip


def test_worth_is_told_in_units_of_the_commonest_kind() -> None:
    trainings = {"1": said_of({"pawn": 0.2, "rook": 1.0}, "pawn"), "2": said_of({"pawn": 0.5, "rook": 3.5}, "pawn")}
    by_ruleset, relative = unit_worths({"chess/orthodox": trainings})
    assert relative
    assert by_ruleset["chess/orthodox"] == [UnitWorth("pawn", 1.0, 1.0, 1.0), UnitWorth("rook", 6.0, 5.0, 7.0)]
    # Where units are a burden, the commonest counts -1, not 1.
    burden, relative = unit_worths({"chess/antichess": {"1": said_of({"pawn": -0.5, "rook": -1.0}, "pawn")}})
    assert relative and [each.mean for each in burden["chess/antichess"]] == [-1.0, -2.0]
    # A commonest kind that is worth nothing in one training is no unit for anything.
    trainings["2"] = said_of({"pawn": 0.01, "rook": 3.5}, "pawn")
    by_ruleset, relative = unit_worths({"chess/orthodox": trainings})
    assert not relative
    assert by_ruleset["chess/orthodox"][1] == UnitWorth("rook", 2.25, 1.0, 3.5)


@pytest.mark.thorough
def test_reports_say_what_units_are_worth(project: Project, trained: Learned, no_charts: None) -> None:
    for name, row, match in (("default", 0.4, Match(6, 0, 4)), ("four-pieces", 0.8, Match(4, 0, 6))):
        ruleset = rulesets.load_ruleset(f"star/{name}", project)
        begin = len(games.declaration("star").features)
        weights = (*trained.weights[:begin], row, *trained.weights[begin + 1 :])
        of_ruleset = dataclasses.replace(trained, ruleset=ruleset.name, fingerprint=ruleset.fingerprint)
        learned = dataclasses.replace(of_ruleset, weights=weights, match=match, pruning=match)
        library.save_learned(project, learned, ruleset)
    written(project, "greedy-learned-1")
    printed("run", "mine", "--workers", "1", "--lang", "en")
    english = (project.reports / "mine" / "report.md").read_text(encoding="utf-8")
    assert "## What units are worth" in english and "Four pieces each, training 1" in english
    assert "60.0 % of 10 games" in english and english.count("searches leave nothing out") == 1
    printed("report", "mine", "--lang", "ja")
    assert "駒は各4つの学習1" in (project.reports / "mine" / "report.md").read_text(encoding="utf-8")


def test_show_player(project: Project, trained: Learned) -> None:
    assert "no training run for star/default (workbench train star/default)" in refused("show-player", "star/default")
    begin = len(games.declaration("star").features)
    for seed, worth in ((1, 0.4), (2, 0.6)):
        weights = (*trained.weights[:begin], worth, *trained.weights[begin + 1 :])
        learned = dataclasses.replace(trained, seed=seed, weights=weights, match=Match(6, 0, 4))
        library.save_learned(project, learned, STAR)
    said = as_json("show-player", "star/default", "--json")
    assert said["unit"] == "piece"
    (told,) = said["rulesets"]
    assert [each["training"] for each in told["trainings"]] == [1, 2]
    assert told["worth"] == [{"kind": "piece", "ja": "駒", "mean": 1.0, "low": 1.0, "high": 1.0}]
    (bar,) = [line for line in printed("show-player", "star/default").splitlines() if "█" in line]
    assert bar.split()[:3] == ["star/default", "piece", "1.00"]
    assert "駒" in printed("show-player", "star/default", "--lang", "ja", "--out", "worth.svg")
    assert Path("worth.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert "exists already" in refused("show-player", "star/default", "--out", "worth.svg")
    extending = rulesets.load_ruleset("star/four-pieces", project)
    assert extending.parents == ("star/default",)
    library.save_learned(project, dataclasses.replace(trained, fingerprint=extending.fingerprint), extending)
    both = as_json("show-player", "star/four-pieces", "--json")
    assert [each["ruleset"] for each in both["rulesets"]] == ["star/four-pieces", "star/default"]
