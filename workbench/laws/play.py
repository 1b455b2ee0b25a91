"""Laws of games: what players play, what the records say of it, and that a game depends on its seed alone."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from workbench import report
from workbench.engine import contract, jit
from workbench.errors import InputError
from workbench.games import swapping
from workbench.games.declaration import NO_SWAP
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.results import all_endings
from workbench.language import tr
from workbench.laws.subject import MEETINGS, PLAYERS, PLAYING, Broken, Subject, law, same_games
from workbench.play.judgement import Search
from workbench.questions.experiment import experiment_from_values
from workbench.questions.rulesets import Ruleset
from workbench.run import runner


@law("records", tr("Players play legal moves, and the records of their games say what happened."))
def records_tell_the_truth(subject: Subject) -> None:
    """Players play legal moves, and the records of their games say what happened."""
    known = all_endings(subject.declaration)
    for game_state, record in subject.replayed():
        _, termination = game_state.outcome()
        seats, counts = [], np.zeros_like(record["events"])
        for ply, move in enumerate(game_state.played):
            seats.append(contract.seat(game_state.rules, game_state.before(ply)))
            after = game_state.before(ply + 1)
            swapping.count_events(game_state.rules, game_state.before(ply), move, after, counts)
        turns = sum(a != b for a, b in zip([-1, *seats], seats, strict=False))
        for what, told, true in (
            ("plies", record["plies"], game_state.plies),
            ("result", record["result"], game_state.result),
            ("termination", known[int(record["termination"])].name, termination or "cap"),
            ("turns", record["turns"], turns),
        ):
            if told != true:
                raise Broken(
                    tr(
                        "{event}: the record says {recorded}, and played again the game says {replayed}",
                        event=what,
                        recorded=told,
                        replayed=true,
                    )
                )
        if not np.array_equal(counts, record["events"]):
            raise Broken(tr("events: counted again along the same game, they are others than in its record"))


@law("ends", tr("Every game ends by the rules, with an ending that is declared, or at the cap."))
def games_end(subject: Subject) -> None:
    """Every game ends by the rules, with an ending that is declared, or at the cap."""
    known = all_endings(subject.declaration)
    for pair, arrays in subject.blocks.items():
        cap = arrays["opening"].shape[1]
        for i, (result, ending, plies, legal) in enumerate(
            zip(arrays["result"], arrays["termination"], arrays["plies"], arrays["legal_moves"], strict=True)
        ):
            subject.at = subject.seed + i, " ".join(pair), None
            if int(ending) not in known:
                said = tr("a game ends by {ending}, which no ending of the declaration has as its code", ending=ending)
                raise Broken(said)
            if plies > cap or (ending == contract.CAP) != (result == contract.ONGOING):
                raise Broken(
                    tr(
                        "a game of {plies} plies has result {result} and ending {ending}",
                        plies=plies,
                        result=result,
                        ending=ending,
                    )
                )
            if not legal > 0:
                raise Broken(tr("there was no legal move from the start"))


@law("finished", tr("A finished game stays finished until its last move is taken back."))
def a_finished_game_stays_finished(subject: Subject) -> None:
    """Nothing can be played after the end, and the end is taken back with the last move."""
    for game_state, record in subject.replayed():
        if record["result"] == contract.ONGOING or not game_state.played:
            continue
        before, last = game_state.outcome(), game_state.texts[-1]
        if game_state.legal():
            raise Broken(tr("the game is over, and moves are legal"))
        try:
            game_state.push_text(last)
            raise Broken(tr("a move is accepted after the end of the game"))
        except IllegalMove as refused:
            if tr("the game is over") not in str(refused):
                raise
        if record["termination"] != contract.REPETITION:
            if game_state.perft(1) or game_state.perft(2):
                raise Broken(tr("perft counts moves after the end of the game"))
            n = len(subject.listed(game_state.state))
            outcome = contract.outcome(game_state.rules, game_state.state, n)
            again = contract.outcome(game_state.rules, game_state.state, n)
            if outcome != again or outcome[0] != before[0] or game_state.result != record["result"]:
                raise Broken(tr("asked again, outcome says something else"))
        game_state.undo()
        if last not in game_state.legal_texts():
            raise Broken(tr("{last} ended the game; taken back, it is no longer legal", last=last))


@law("seeds", tr("A game depends on its seed alone."))
def a_game_depends_on_its_seed_alone(subject: Subject) -> None:
    """Blocks of any size and order, played by every kind of player, give the same games."""
    if jit.DISABLED:
        return  # it would take minutes
    seeds = [3, 1 << 63, 2, 0, 12345678901234567890]
    meetings = {pair: 40 if count > 1 else 16 for pair, (count, _) in MEETINGS.items()}
    for (first, second), plies in {("random", "random"): 100, **meetings}.items():
        subject.at = subject.seed, f"{first} {second}", None
        whole = subject.block(first, second, seeds, plies)
        parts = [subject.block(first, second, part[::-1], plies) for part in (seeds[4:], seeds[1:4], seeds[:1])]
        backwards = {
            column: np.concatenate([part[column] for part in parts])[::-1] for column in whole if column != "nodes"
        }
        if not same_games(backwards, whole):
            raise Broken(tr("games of the same seeds differ when they are played in other blocks"))


@law("searches", tr("A search remembers nothing of earlier games."))
def searches_remember_nothing(subject: Subject) -> None:
    """A search remembers nothing of earlier games.

    At a depth at which the transposition table is used; what an earlier game left in it has another game's noise.
    """
    if jit.DISABLED:
        return  # it would take minutes
    seeds = list(range(8))
    together = subject.block("alphabeta-2", "alphabeta-2", seeds, 6)
    for i in seeds:
        subject.at = i, "alphabeta-2 alphabeta-2", None
        alone = subject.block("alphabeta-2", "alphabeta-2", [i], 6)
        if not same_games(alone, {column: values[i : i + 1] for column, values in together.items()}):
            raise Broken(tr("a game differs when others were played before it: key must tell positions apart"))


def short_games(subject: Subject, searched: bool, deep: bool = False) -> Iterator[str]:
    """Short games by random players and, if ``searched``, by the others, as text, to be compared with other processes.

    As text, since "not a number" then equals itself.
    """
    for kind in PLAYING:
        seeds, plies = ([3], 25 if deep else 6) if kind.at_once else ([4], 8 if deep else 2)
        if kind.at_random:
            seeds, plies = [1, 2], 150
        if kind.at_random or searched:
            for column, values in subject.block(kind.name, kind.name, seeds, plies).items():
                yield f"{subject.ruleset.name} {kind.name} {column} {json.dumps(values.tolist())}"


def the_pie_rule_is_played_and_reported(asked: Sequence[Ruleset]) -> None:
    """Games with the pie rule are played, judged and reported: of the first ruleset that allows it."""
    for ruleset in asked:
        with contextlib.suppress(InputError):  # a family may exclude it
            plain, pie = (ruleset.derive(swap=swap, label=swap) for swap in (NO_SWAP, "after-first"))
            break
    else:
        return
    game_state = GameState(pie.game, pie.codes())
    game_state.push(game_state.legal()[0])
    for spec in PLAYERS.values():
        if spec.declared.evaluates and Search(spec, pie).look(game_state)[0] not in game_state.legal():
            raise Broken(tr("where sides may be swapped, {player} chooses no legal ply", player=spec.label))
    keys = {"rulesets": [plain, pie], "baseline": plain, "agents": ["random", "greedy"], "games": 4, "max_plies": 40}
    with tempfile.TemporaryDirectory() as folder:
        runner.run_experiment(experiment_from_values(keys, "pie-rule"), Path(folder, "pie-rule"), workers=1)
        report.write_report(Path(folder, "pie-rule"))
