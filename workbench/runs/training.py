"""Trainings of players: those that an experiment needs, in several processes, each kept as soon as it is done.

A training is single-threaded and learns the same whatever runs beside it; see `workbench.players`.
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
from workbench.base.language import tr, translated, trn
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
from workbench.runs.executor import Executor, ExecutorLost
from workbench.runs.progress import Stopped, format_duration
from workbench.runs.worker import Call, Preparation

if TYPE_CHECKING:
    from rich.console import Console

TRIAL_POSITIONS = 300_000
"""Positions that are searched to find out how long a training takes."""
OnProgress = Callable[[int, int, float | None], object]
"""A listener for the trainings that are done, their total, and the seconds left, once one is done."""


@dataclass(frozen=True)
class Training:
    """A training, to be made or made: a ruleset with a seed."""

    ruleset: Ruleset
    seed: int
    evaluation: str = LEARNED
    mixture: tuple[Ruleset, ...] = ()
    """The rulesets that are learned together, its own among them; () where it is learned alone."""

    @property
    def names(self) -> list[str]:
        """The names of the rulesets that are learned."""
        return [each.name for each in self.mixture or (self.ruleset,)]

    @property
    def learned_of(self) -> tuple[str, str]:
        """The name and the fingerprint of what is learned."""
        return library.learned_of(self.ruleset, self.mixture)

    @property
    def key(self) -> str:
        """The name of the training in records."""
        return training_key(self.evaluation, self.seed)

    @property
    def title(self) -> str:
        """The training in words."""
        return tr("{ruleset}, training {seed}", ruleset=self.learned_of[0], seed=self.key)

    def find(self, project: Project, note: Callable[[str], object] = lambda line: None) -> Learned | None:
        """Return the learned weights; None if they are not there. ``note``: see `library.find_learned`."""
        return library.find_learned(project, self.ruleset, self.seed, note, self.evaluation, self.mixture)


class TrainingStopped(Stopped):
    """The user stopped the training."""

    exit_code = INTERRUPTED

    def __init__(self, kept: int, total: int, command: str) -> None:
        message = tr("Stopped. {kept:,} of {total:,} trainings are kept. To continue: {command}")
        super().__init__(message.format(kept=kept, total=total, command=command))


# What is needed


def needed_trainings(players: Iterable[AgentSpec], rulesets: Iterable[Ruleset]) -> list[Training]:
    """Return the trainings that players need under rulesets, of each ruleset: a net is taught by learned weights.

    Raises:
        InputError: a player has the same weights under all rulesets of an experiment, and plays in none.
    """
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
    """Return the trainings that an experiment needs, the judge of its openings among those who play."""
    return needed_trainings(_players_and_judge(experiment), experiment.rulesets)


def _players_and_judge(experiment: Experiment) -> list[AgentSpec]:
    openings = experiment.openings
    return [*experiment.players, *([openings.judge] if isinstance(openings, DrawnLines) else [])]


def each_once(trainings: Iterable[Training]) -> list[Training]:
    """Return the trainings without those that learn the same.

    Raises:
        InputError: rulesets that are to be learned together have no weights in common.
    """
    once: dict[tuple[str, str], Training] = {}
    for each in trainings:
        once.setdefault((each.learned_of[1], each.key), replace(each, ruleset=each.ruleset.unswapped))
    for each in once.values():
        library.check_boards(each.mixture or (each.ruleset,), f"evaluation: {each.evaluation}")
    return list(once.values())


def missing_trainings(
    trainings: Iterable[Training], project: Project, note: Callable[[str], object] = lambda line: None
) -> list[Training]:
    """The trainings without a valid file, each once; ``note`` is called with a line for each file that is ignored.

    Raises:
        InputError: a file is damaged, or rulesets that are to be learned together have no weights in common.
    """
    return [each for each in each_once(trainings) if each.find(project, note) is None]


def with_learned_digests(experiment: Experiment, project: Project) -> Experiment:
    """Return the experiment with the digests of what its players have learned.

    Raises:
        InputError: something has not been learned.
    """
    digests: dict[tuple[str, str], str] = {}
    for each in experiment_trainings(experiment):
        agent = next((one for one in _players_and_judge(experiment) if one.training_key == each.key), None)
        agent = agent or AgentSpec.of("greedy", training=each.seed, evaluation=each.evaluation)
        learned = library.require_learned(agent, each.ruleset, project)
        decides = learned.digest if learned.accepted else f"own {learned.digest}"
        if not learned.accepted and (fallback := fallback_training(each.key)):
            decides += f", {digests[each.ruleset.fingerprint, fallback]}"
        digests[each.ruleset.fingerprint, each.key] = decides
    return replace(experiment, learned=digests) if digests else experiment


def record_trainings(trainings: Iterable[Training], project: Project) -> dict[str, Any]:
    """The entries of trainings in the provenance: ruleset -> training -> all that a reader needs without the files."""
    records: dict[str, Any] = {}
    for each in trainings:
        learned = each.find(project)
        if learned is None:
            continue
        records.setdefault(each.ruleset.name, {})[each.key] = {
            "digest": learned.digest, "accepted": learned.accepted, "match": asdict(learned.match),
            "prunes": learned.prunes, "nodes": int(learned.budget.get("nodes", 0)), "games": learned.games,
            **({"beside": asdict(learned.beside)} if learned.beside else {}), "worth": library.unit_values(learned),
            "commonest": library.most_common_unit(each.ruleset),
        }  # fmt: skip
    return records


# What is said


def describe_training(learned: Learned) -> str:
    """Return the result of a training, in a sentence."""
    from workbench.statistics.intervals import score_interval

    match = learned.beside or learned.match
    low, high = (100 * float(end) for end in score_interval(match.wins, match.draws, match.losses))
    verdict = tr("accepted") if learned.accepted else tr("not accepted: its agents play by the game's own weights")
    if learned.beside:
        if not learned.accepted:
            verdict = tr("not accepted: its agents play by what does better")
        start = tr("it began with the base net") if learned.base else tr("it began at random")
        return tr(
            "{ruleset}, training {seed}: {score:.1f} % ({low:.1f} to {high:.1f}) of {games:,} games against the "
            "learned weights that it was taught by, {score2:.1f} % against the game's own, {verdict}; {start}",
            ruleset=learned.ruleset, seed=learned.key, score=100 * match.score, low=low, high=high,
            games=match.games, score2=100 * learned.match.score, verdict=verdict, start=start,
        )  # fmt: skip
    if not learned.prunes:
        without = 100 * learned.pruning.score
        verdict = tr("{text}; its searches leave nothing out ({score:.1f} % if they did)", text=verdict, score=without)
    return tr(
        "{ruleset}, training {seed}: {score:.1f} % ({low:.1f} to {high:.1f}) of {games:,} games "
        "against the game's own weights, {verdict}",
        ruleset=learned.ruleset, seed=learned.key, score=100 * match.score, low=low, high=high, games=match.games,
        verdict=verdict,
    )  # fmt: skip


def ensure_trained(
    trainings: Sequence[Training], project: Project, *, say: Callable[[str], object],
    executor: Executor | None = None, command: str = "", console: Console | None = None,
    on_progress: OnProgress | None = None,
) -> None:  # fmt: skip
    """Train what is missing, and names the trainings that were not accepted.

    Raises:
        TrainingStopped: the user pressed Ctrl-C.
        InputError: a file is damaged.
    """
    if not trainings:
        return
    needed = missing_trainings(trainings, project, say)
    if needed:
        rulesets = list(dict.fromkeys(name for each in needed for name in sorted(each.names)))
        names = ", ".join(rulesets[: library.NAMED])
        if (more := len(rulesets) - library.NAMED) > 0:
            names = tr("{rulesets} and {n} more", rulesets=names, n=more)
        many = trn("a training that is", "{n} trainings that are", len(needed))
        first = tr("The players need {many} not there, of {names}. First these (see workbench train):")
        say(first.format(many=many, names=names))
        run_trainings(
            needed, project, say=say, executor=executor, command=command, console=console, on_progress=on_progress
        )
    found = [(each, each.find(project)) for each in each_once(trainings)]
    there = [(each, learned) for each, learned in found if learned]
    for each, learned in there:
        if not learned.accepted and each not in needed:
            say(describe_training(learned))
    for game in dict.fromkeys(each.ruleset.game for each, _ in there):
        of_game = [(each, learned) for each, learned in there if each.ruleset.game == game]
        nodes = {each.title: learned.budget.get("nodes", 0) for each, learned in of_game}
        # A net that begins with a base learns by fewer.
        budgets = {(each.evaluation, bool(learned.base), nodes[each.title]) for each, learned in of_game}
        if len(budgets) > len({budget[:2] for budget in budgets}):
            budget_list = ", ".join(f"{name} {count:,}" for name, count in nodes.items())
            unlike = tr("Trained with unequal budgets (positions searched): {nodes}. To make them equal: {command}")
            say(unlike.format(nodes=budget_list, command="workbench train --force"))


# Training


def run_trainings(
    trainings: Sequence[Training], project: Project, *, say: Callable[[str], object],
    executor: Executor | None = None, nodes: int | None = None, with_rulesets: bool = False, command: str = "",
    console: Console | None = None, on_progress: OnProgress | None = None,
) -> list[Learned]:  # fmt: skip
    """Trains, and keeps each training when it is done; ``nodes`` is the budget, if not the family's.

    Raises:
        TrainingStopped: the user pressed Ctrl-C; what is done is kept.
        Stopped: the cluster is gone, or workers died again and again.
    """
    command = command or "workbench train"
    executor = executor or Executor()
    done: list[Learned] = []

    def call(training: Training) -> Call:
        game = training.ruleset.game
        preparation = Preparation(("training._play_games",), game, _compile_training, (training.ruleset,))
        return Call(_Lesson.learn, (_lesson(training, project, nodes),), training.title, (game,), (preparation,))

    try:
        with progress_display(len(trainings), console, on_progress) as tell_done:
            # A net begins with the weights that are learned first.
            for of_nets in (False, True):
                now = [each for each in trainings if (each.evaluation == NET) == of_nets]
                with contextlib.closing(executor.as_completed(now, call, say)) as learning:
                    for training, learned in learning:
                        with handle_signals(signal.SIG_IGN, signal.SIGINT):
                            library.save_learned(project, learned, training.ruleset, with_rulesets)
                            done.append(learned)
                        say(describe_training(learned))
                        tell_done(len(done))
    except KeyboardInterrupt:
        raise TrainingStopped(len(done), len(trainings), command) from None
    except ExecutorLost as error:
        ended = tr("{error}\n{count} of {total} trainings are kept. To continue: {command}")
        raise Stopped(ended.format(error=error, count=len(done), total=len(trainings), command=command)) from None
    return done


@dataclass(frozen=True)
class _Lesson:
    """A training with all that it needs."""

    training: Training
    budget: Budget
    taught: Learned | None
    """The learned weights that teach a net."""
    base: Base | None
    """The base net that it begins with."""

    def learn(self) -> Learned:
        if self.training.mixture:
            return trainer.train_together(self.training.mixture, self.training.seed, self.budget)
        if self.taught is None:
            return trainer.train_player(self.training.ruleset, self.training.seed, self.budget)
        return trainer.train_net(self.training.ruleset, self.taught, self.budget, self.base)


def _lesson(training: Training, project: Project, nodes: int | None) -> _Lesson:
    """Return a training with its budget, and with the weights that teach it if it is one of a net.

    Raises:
        InputError: nothing was learned that could teach a net.
    """
    budget, taught, base = trainer.default_budget(training.ruleset), None, None
    if training.evaluation == NET:
        taught = library.require_learned(AgentSpec.of("greedy", training=training.seed), training.ruleset, project)
        base = trainer.find_base(project, training.ruleset)
    return _Lesson(training, replace(budget, nodes=nodes) if nodes else budget, taught, base)


def _compile_training(ruleset: Ruleset) -> None:
    for _ in trainer.new_practice(ruleset, trainer.default_budget(ruleset), 20_000).play(0, 1, 0.0):
        pass


@contextlib.contextmanager
def progress_display(
    total: int, console: Console | None, on_progress: OnProgress | None = None
) -> Iterator[Callable[[int], None]]:
    """A bar in a terminal; what is yielded is called with the number of trainings that are done."""
    start_time = time.perf_counter()
    with contextlib.ExitStack() as stack:
        listeners: list[OnProgress] = [on_progress] if on_progress else []
        if console is not None and console.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            text = translated(tr("{task.completed:,.0f} of {task.total:,.0f} trainings"))
            columns = (BarColumn(), TextColumn(text), TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
            bar = stack.enter_context(Progress(*columns, console=console, transient=True))
            task = bar.add_task("", total=total, left="")

            def show(done: int, total: int, left: float | None) -> None:
                said = "" if left is None else translated(tr("{time} left", time=format_duration(left)))
                bar.update(task, completed=done, left=said)

            listeners.append(show)

        def tell_done(done: int) -> None:
            for listener in listeners:
                listener(done, total, (time.perf_counter() - start_time) * (total - done) / done if done else None)

        tell_done(0)
        yield tell_done


# How long it takes


def estimate_seconds(trainings: Sequence[Training], workers: int, project: Project) -> float:
    """About how long trainings take on so many processes, by a short trial for each family."""
    rates: dict[str, float] = {}
    work = []
    for each in trainings:
        game = each.ruleset.game
        if game not in rates:
            budget = trainer.default_budget(each.ruleset)
            # First one that compiles. Each begins anew: one long game may take all positions of a trial.
            for until in (1, TRIAL_POSITIONS):
                practice = trainer.new_practice(each.ruleset, budget, 20_000)
                start_time = time.perf_counter()
                for _ in practice.play(0, until, 0.0):
                    pass
                rates[game] = max(practice.nodes, 1) / max(time.perf_counter() - start_time, 1e-6)
        if each.evaluation != NET:
            work.append(trainer.default_budget(each.ruleset).nodes / rates[game] / trainer.SELF_PLAY_SHARE)
        else:
            base = trainer.find_base(project, each.ruleset)
            nodes = trainer.net_budget(each.ruleset.game, trainer.default_budget(each.ruleset), base).nodes
            work.append(nodes / rates[game] / trainer.GAMES_SHARE)
    return max(sum(work) / workers, max(work, default=0.0))


@dataclass(frozen=True)
class TrainingOutlook:
    """The trainings that a run has to make before it plays."""

    missing: int
    needed: int
    seconds: float
    """With all workers."""

    def __str__(self) -> str:
        message = tr(
            "{missing} of {needed} trainings are not there: about {duration} before the first game. "
            "The pilot played their agents by the game's own weights."
        )
        return message.format(missing=self.missing, needed=self.needed, duration=format_duration(self.seconds))


def training_outlook(experiment: Experiment, project: Project, workers: int) -> TrainingOutlook | None:
    """Return the trainings that a run of the experiment has to make first; None if there are none."""
    trainings = each_once(experiment_trainings(experiment))
    needed = missing_trainings(trainings, project)
    return TrainingOutlook(len(needed), len(trainings), estimate_seconds(needed, workers, project)) if needed else None


def without_missing_trainings(experiment: Experiment, project: Project) -> Experiment:
    """The experiment with the game's own weights, under the same labels, where something has not been learned."""
    needed = {each.key for each in missing_trainings(experiment_trainings(experiment), project)}

    def stand_in(agent: AgentSpec) -> AgentSpec:
        return agent.untrained if agent.training_key in needed else agent

    openings = experiment.openings
    if isinstance(openings, DrawnLines):
        openings = replace(openings, judge=stand_in(openings.judge))
    pairings = tuple((stand_in(first), stand_in(second)) for first, second in experiment.pairings)
    agents = tuple(map(stand_in, experiment.agents))
    return replace(experiment, pairings=pairings, agents=agents, openings=openings)


# Base nets


def check_base(rulesets: Sequence[Ruleset], project: Project) -> list[Learned]:
    """Return the learned weights that play for a base net of rulesets.

    Raises:
        InputError: the rulesets are of several games or sizes of board, or nothing was learned of one.
    """
    library.check_boards(rulesets, "--base")
    player = AgentSpec.of("greedy", training=trainer.BASE_SEED)
    return [library.require_learned(player, each, project) for each in rulesets]


def train_base(
    rulesets: Sequence[Ruleset], project: Project, *, say: Callable[[str], object], executor: Executor | None = None,
    command: str, console: Console | None = None,
) -> Base:  # fmt: skip
    """Learn the base net of rulesets and saves it with those of its family.

    Raises:
        TrainingStopped: the user pressed Ctrl-C; nothing is kept.
        InputError: see `check_base`.
    """
    taught, first = check_base(rulesets, project), rulesets[0]
    executor = executor or Executor()
    gathered: dict[tuple[int, int], Rows] = {}
    net: Any = None

    def call(task: tuple[int, int]) -> Call:
        number, i = task
        return Call(trainer.play_for_base, (rulesets[i], taught[i], net, number), rulesets[i].name)

    try:
        with progress_display(trainer.BASE_ROUNDS * len(rulesets), console) as tell_done:
            for number in range(trainer.BASE_ROUNDS):
                for task, played in executor.as_completed([(number, i) for i in range(len(rulesets))], call, say):
                    gathered[task] = played
                    tell_done(len(gathered))
                rows = [gathered[task] for task in sorted(gathered)]
                net = trainer.fit_base(rows, first.rules(), trainer.base_budget(trainer.default_budget(first)))
    except KeyboardInterrupt:
        raise TrainingStopped(0, 1, command) from None
    base = Base(
        game=first.game,
        size=int(board_size(first.rules())),
        version=NET_TRAINER,
        rulesets=tuple(each.name for each in rulesets),
        positions=sum(len(rows.early) for rows in gathered.values()),
        net=tuple(float(number) for number in net),
    )
    file = display_path(trainer.save_base(project, base))
    text = tr("{positions:,} positions of {count} rulesets: {file}")
    say(text.format(positions=base.positions, count=len(rulesets), file=file))
    return base
