"""Scheduling of training runs: finding those that players need, and running them in several processes.

Each result is saved at once. A training run is single-threaded and deterministic; see `workbench.players`.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.base.console import handle_signals
from workbench.base.errors import INTERRUPTED, display_path
from workbench.base.language import tr, trn
from workbench.base.project import Project
from workbench.engine.contract import board_size
from workbench.engine.training import Rows
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.players import library, trainer
from workbench.players.agent_kinds import LEARNED, NET, fallback_training, training_key
from workbench.players.agents import AgentSpec
from workbench.players.library import NET_TRAINER, Learned
from workbench.players.trainer import Base, Budget
from workbench.rules.rulesets import Ruleset
from workbench.runs.executor import Executor, ExecutorLost, Stopped, format_duration, terminal_bar
from workbench.runs.worker import Call, Preparation

if TYPE_CHECKING:
    from rich.console import Console

TRIAL_POSITIONS = 300_000
"""Positions to search when estimating the duration of a training run."""
OnProgress = Callable[[int, int, float | None], object]
"""A listener for the number of finished training runs, their total, and the seconds left if known."""


@dataclass(frozen=True)
class Training:
    """A training run of a player for a ruleset."""

    ruleset: Ruleset
    seed: int
    evaluation: str = LEARNED
    mixture: tuple[Ruleset, ...] = ()
    """The rulesets of joint training, including ``ruleset``; () for separate training."""

    @property
    def names(self) -> list[str]:
        """The names of the rulesets to train on."""
        return [ruleset.name for ruleset in self.mixture or (self.ruleset,)]

    @property
    def subject(self) -> tuple[str, str]:
        """The name and the fingerprint of the rules to train on."""
        return library.training_subject(self.ruleset, self.mixture)

    @property
    def key(self) -> str:
        """The name of the training run in records."""
        return training_key(self.evaluation, self.seed)

    @property
    def title(self) -> str:
        """The name of the training run in messages."""
        return tr("{ruleset}, training {seed}", ruleset=self.subject[0], seed=self.key)

    def find(self, project: Project, note: Callable[[str], object] = lambda line: None) -> Learned | None:
        """Return the learned weights, or None if they are missing; see `library.find_learned` for ``note``."""
        return library.find_learned(project, self.ruleset, self.seed, note, self.evaluation, self.mixture)


class TrainingStopped(Stopped):
    """The user stopped the training."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        message = tr("Stopped. {kept:,} of {total:,} training runs are saved. To continue: {command}")
        super().__init__(message.format(kept=kept, total=total, command=command))


def needed_trainings(players: Iterable[AgentSpec], rulesets: Iterable[Ruleset]) -> list[Training]:
    """Return the training runs that players and teachers need; joint ones outside an experiment raise `InputError`."""
    needed: dict[tuple[str, int], AgentSpec] = {}
    for player in players:
        if player.evaluation == NET:
            needed.setdefault((LEARNED, player.training), replace(player, evaluation=LEARNED))
        if player.training:
            needed[player.evaluation, player.training] = player
    return [
        Training(ruleset, seed, evaluation, player.learned_with(ruleset))
        for ruleset in rulesets
        for (evaluation, seed), player in needed.items()
    ]


def experiment_trainings(experiment: Experiment) -> list[Training]:
    """Return the training runs that an experiment needs, including those of the judge of its openings."""
    return needed_trainings(experiment.players_and_judge, experiment.rulesets)


def distinct_trainings(trainings: Iterable[Training]) -> list[Training]:
    """Return the distinct training runs; raise `InputError` if jointly trained rulesets cannot share weights."""
    unique: dict[tuple[str, str], Training] = {}
    for training in trainings:
        unique.setdefault((training.subject[1], training.key), replace(training, ruleset=training.ruleset.unswapped))
    for training in unique.values():
        library.check_boards(training.mixture or (training.ruleset,), f"evaluation: {training.evaluation}")
    return list(unique.values())


def missing_trainings(
    trainings: Iterable[Training], project: Project, note: Callable[[str], object] = lambda line: None
) -> list[Training]:
    """Return the training runs without a valid file, noting ignored files; damaged files raise `InputError`."""
    return [training for training in distinct_trainings(trainings) if training.find(project, note) is None]


def with_learned_digests(experiment: Experiment, project: Project) -> Experiment:
    """Return the experiment with the digests of its learned weights; missing ones raise `InputError`."""
    digests: dict[tuple[str, str], str] = {}
    for training in experiment_trainings(experiment):
        agent = next((player for player in experiment.players_and_judge if player.training_key == training.key), None)
        agent = agent or AgentSpec.of("greedy", training=training.seed, evaluation=training.evaluation)
        learned = library.require_learned(agent, training.ruleset, project)
        weights_id = learned.digest if learned.accepted else f"own {learned.digest}"
        if not learned.accepted and (fallback := fallback_training(training.key)):
            weights_id += f", {digests[training.ruleset.fingerprint, fallback]}"
        digests[training.ruleset.fingerprint, training.key] = weights_id
    return replace(experiment, learned=digests) if digests else experiment


def record_trainings(trainings: Iterable[Training], project: Project) -> dict[str, Any]:
    """Return the provenance entries of training runs, by ruleset and training key."""
    records: dict[str, Any] = {}
    for training in trainings:
        learned = training.find(project)
        if learned is None:
            continue
        records.setdefault(training.ruleset.name, {})[training.key] = {
            "digest": learned.digest, "accepted": learned.accepted, "match": asdict(learned.match),
            "prunes": learned.prunes, "nodes": int(learned.budget.get("nodes", 0)), "games": learned.games,
            **({"beside": asdict(learned.beside)} if learned.beside else {}), "worth": library.unit_values(learned),
            "commonest": library.most_common_unit(training.ruleset),
        }  # fmt: skip
    return records


def describe_training(learned: Learned) -> str:
    """Describe the result of a training run in a sentence."""
    from workbench.statistics.intervals import score_interval

    match = learned.beside or learned.match
    low, high = (100 * float(end) for end in score_interval(match.wins, match.draws, match.losses))
    fields = {"ruleset": learned.ruleset, "seed": learned.key, "score": 100 * match.score, "low": low, "high": high,
             "games": match.games}  # fmt: skip
    if learned.beside:
        verdict = tr("accepted") if learned.accepted else tr("not accepted: its agents use the better weights")
        start = tr("started from the base net") if learned.base else tr("started from random weights")
        text = tr(
            "{ruleset}, training run {seed}: {score:.1f} % ({low:.1f} to {high:.1f}) of {games:,} games against the "
            "weights it was distilled from, {score2:.1f} % against the hand-tuned ones, {verdict}; {start}"
        )
        return text.format(**fields, score2=100 * learned.match.score, verdict=verdict, start=start)
    verdict = tr("accepted") if learned.accepted else tr("not accepted: its agents use the hand-tuned weights")
    if not learned.prunes:
        pruned_score = 100 * learned.pruning.score
        verdict = tr("{text}; its searches do not prune ({score:.1f} % with pruning)", text=verdict, score=pruned_score)
    text = tr(
        "{ruleset}, training run {seed}: {score:.1f} % ({low:.1f} to {high:.1f}) of {games:,} games against "
        "the hand-tuned weights, {verdict}"
    )
    return text.format(**fields, verdict=verdict)


def ensure_trained(
    trainings: Sequence[Training], project: Project, *, say: Callable[[str], object],
    executor: Executor | None = None, command: str = "", console: Console | None = None,
    on_progress: OnProgress | None = None,
) -> None:  # fmt: skip
    """Carry out missing training runs and report rejected weights and unequal budgets; may raise `TrainingStopped`."""
    needed = missing_trainings(trainings, project, say)
    if needed:
        rulesets = list(dict.fromkeys(name for training in needed for name in sorted(training.names)))
        names = ", ".join(rulesets[: library.NAMED])
        if (hidden := len(rulesets) - library.NAMED) > 0:
            names = tr("{rulesets} and {n} more", rulesets=names, n=hidden)
        count = trn("a missing training run", "{n} missing training runs", len(needed))
        message = tr("The players need {many} for {names}. Running these first (see workbench train):")
        say(message.format(many=count, names=names))
        run_trainings(
            needed, project, say=say, executor=executor, command=command, console=console, on_progress=on_progress
        )
    games: dict[str, list[tuple[Training, Learned]]] = {}
    for training in distinct_trainings(trainings):
        if learned := training.find(project):
            games.setdefault(training.ruleset.game, []).append((training, learned))
            if not learned.accepted and training not in needed:
                say(describe_training(learned))
    for results in games.values():
        nodes = {training.title: learned.budget.get("nodes", 0) for training, learned in results}
        # A net that starts from a base net needs fewer nodes.
        budgets = {(training.evaluation, bool(learned.base), nodes[training.title]) for training, learned in results}
        if len(budgets) > len({budget[:2] for budget in budgets}):
            budget_list = ", ".join(f"{name} {count:,}" for name, count in nodes.items())
            text = tr("Trained with different budgets (positions searched): {nodes}. To equalize them: {command}")
            say(text.format(nodes=budget_list, command="workbench train --force"))


def run_trainings(
    trainings: Sequence[Training], project: Project, *, say: Callable[[str], object],
    executor: Executor | None = None, nodes: int | None = None, with_rulesets: bool = False, command: str = "",
    console: Console | None = None, on_progress: OnProgress | None = None,
) -> list[Learned]:  # fmt: skip
    """Train and save weights with ``nodes`` or the family's budget; may raise `Stopped` or `TrainingStopped`."""
    command = command or "workbench train"
    executor = executor or Executor()
    finished: list[Learned] = []

    def call(training: Training) -> Call:
        game = training.ruleset.game
        preparation = Preparation(("training._play_games",), game, _compile_training, (training.ruleset,))
        budget, teacher, base = trainer.default_budget(training.ruleset), None, None
        if training.evaluation == NET:
            agent = AgentSpec.of("greedy", training=training.seed)
            teacher = library.require_learned(agent, training.ruleset, project)
            base = trainer.find_base(project, training.ruleset)
        arguments = training, replace(budget, nodes=nodes) if nodes else budget, teacher, base
        return Call(_learn, arguments, training.title, (game,), (preparation,))

    try:
        with progress_display(len(trainings), console, on_progress) as show_done:
            # The learned weights that teach nets come first.
            for is_net in (False, True):
                stage = [training for training in trainings if (training.evaluation == NET) == is_net]
                with contextlib.closing(executor.as_completed(stage, call, say)) as results:
                    for training, learned in results:
                        with handle_signals(signal.SIG_IGN, signal.SIGINT):
                            library.save_learned(project, learned, training.ruleset, with_rulesets)
                            finished.append(learned)
                        say(describe_training(learned))
                        show_done(len(finished))
    except KeyboardInterrupt:
        raise TrainingStopped(len(finished), len(trainings), command) from None
    except ExecutorLost as error:
        message = tr("{error}\n{count} of {total} training runs are saved. To continue: {command}")
        raise Stopped(message.format(error=error, count=len(finished), total=len(trainings), command=command)) from None
    return finished


def _learn(training: Training, budget: Budget, teacher: Learned | None, base: Base | None) -> Learned:
    """Train weights or, with a ``teacher``, a net, which starts from the ``base`` net if there is one."""
    if training.mixture:
        return trainer.train_together(training.mixture, training.seed, budget)
    if teacher is None:
        return trainer.train_player(training.ruleset, training.seed, budget)
    return trainer.train_net(training.ruleset, teacher, budget, base)


def _compile_training(ruleset: Ruleset) -> None:
    for _ in trainer.new_practice(ruleset, trainer.default_budget(ruleset), 20_000).play(0, 1, 0.0):
        pass


@contextlib.contextmanager
def progress_display(
    total: int, console: Console | None, on_progress: OnProgress | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a bar in a terminal; yield a function that takes the number of finished training runs."""
    start_time = time.perf_counter()
    text = tr("{task.completed:,.0f} of {task.total:,.0f} training runs")
    with terminal_bar(console, total, text, "left") as update:

        def show_done(finished: int) -> None:
            seconds = (time.perf_counter() - start_time) * (total - finished) / finished if finished else None
            left = "" if seconds is None else tr("{time} left", time=format_duration(seconds))
            update(completed=finished, left=left)
            if on_progress:
                on_progress(finished, total, seconds)

        show_done(0)
        yield show_done


def estimate_seconds(trainings: Sequence[Training], workers: int, project: Project) -> float:
    """Estimate the duration of training runs in ``workers`` processes by a short trial for each family."""
    rates: dict[str, float] = {}
    durations = []
    for training in trainings:
        game = training.ruleset.game
        budget = trainer.default_budget(training.ruleset)
        if game not in rates:
            # The first pass compiles. Both start anew, because one long game may use up the positions of a trial.
            for limit in (1, TRIAL_POSITIONS):
                practice = trainer.new_practice(training.ruleset, budget, 20_000)
                start_time = time.perf_counter()
                for _ in practice.play(0, limit, 0.0):
                    pass
                rates[game] = max(practice.nodes, 1) / max(time.perf_counter() - start_time, 1e-6)
        if training.evaluation != NET:
            durations.append(budget.nodes / rates[game] / trainer.SELF_PLAY_SHARE)
        else:
            nodes = trainer.net_budget(game, budget, trainer.find_base(project, training.ruleset)).nodes
            durations.append(nodes / rates[game] / trainer.GAMES_SHARE)
    return max(sum(durations) / workers, max(durations, default=0.0))


@dataclass(frozen=True)
class TrainingOutlook:
    """The training runs that are necessary before an experiment can be played."""

    missing: int
    needed: int
    seconds: float
    """The duration with all workers."""

    def __str__(self) -> str:
        message = tr(
            "{missing} of {needed} training runs are missing: about {duration} before the first game. The "
            "pilot used the hand-tuned weights for their agents."
        )
        return message.format(missing=self.missing, needed=self.needed, duration=format_duration(self.seconds))


def training_outlook(experiment: Experiment, project: Project, workers: int) -> TrainingOutlook | None:
    """Return the outlook on an experiment's missing training runs, or None if no run is missing."""
    trainings = distinct_trainings(experiment_trainings(experiment))
    needed = missing_trainings(trainings, project)
    return TrainingOutlook(len(needed), len(trainings), estimate_seconds(needed, workers, project)) if needed else None


def without_missing_trainings(experiment: Experiment, project: Project) -> Experiment:
    """Return the experiment with hand-tuned weights in place of missing ones, under the same labels."""
    missing = {training.key for training in missing_trainings(experiment_trainings(experiment), project)}

    def substitute(agent: AgentSpec) -> AgentSpec:
        return agent.untrained if agent.training_key in missing else agent

    openings = experiment.openings
    if isinstance(openings, DrawnLines):
        openings = replace(openings, judge=substitute(openings.judge))
    pairings = tuple((substitute(first), substitute(second)) for first, second in experiment.pairings)
    agents = tuple(map(substitute, experiment.agents))
    return replace(experiment, pairings=pairings, agents=agents, openings=openings)


# Base nets


def check_base(rulesets: Sequence[Ruleset], project: Project) -> list[Learned]:
    """Return the weights that play a base net's games; raise `InputError` if boards differ or weights are missing."""
    library.check_boards(rulesets, "--base")
    player = AgentSpec.of("greedy", training=trainer.BASE_SEED)
    return [library.require_learned(player, ruleset, project) for ruleset in rulesets]


def train_base(
    rulesets: Sequence[Ruleset], project: Project, *, say: Callable[[str], object], executor: Executor | None = None,
    command: str, console: Console | None = None,
) -> Base:  # fmt: skip
    """Train and save the base net of some rulesets; raise `TrainingStopped`, or `InputError` like `check_base`."""
    teachers, first = check_base(rulesets, project), rulesets[0]
    executor = executor or Executor()
    rows_by_task: dict[tuple[int, int], Rows] = {}
    net: Any = None

    def call(task: tuple[int, int]) -> Call:
        number, i = task
        return Call(trainer.play_for_base, (rulesets[i], teachers[i], net, number), rulesets[i].name)

    try:
        with progress_display(trainer.BASE_ROUNDS * len(rulesets), console) as show_done:
            for number in range(trainer.BASE_ROUNDS):
                for task, played in executor.as_completed([(number, i) for i in range(len(rulesets))], call, say):
                    rows_by_task[task] = played
                    show_done(len(rows_by_task))
                rows = [rows_by_task[task] for task in sorted(rows_by_task)]
                net = trainer.fit_base(rows, first.rules(), trainer.base_budget(trainer.default_budget(first)))
    except KeyboardInterrupt:
        raise TrainingStopped(0, 1, command) from None
    base = Base(
        game=first.game, size=int(board_size(first.rules())), version=NET_TRAINER,
        rulesets=tuple(ruleset.name for ruleset in rulesets), net=tuple(float(number) for number in net),
        positions=sum(len(rows.early) for rows in rows_by_task.values()),
    )  # fmt: skip
    file = display_path(trainer.save_base(project, base))
    text = tr("{positions:,} positions from {count} rulesets: {file}")
    say(text.format(positions=base.positions, count=len(rulesets), file=file))
    return base
