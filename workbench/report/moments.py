"""Where a proposal acts: the position that tells it from the baseline most clearly, and both games from there on.

The positions come from games of a report that were played again (`report.replays`); `play.pairs` finds the one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench import games
from workbench.games.game_state import GameState
from workbench.games.results import RESULTS
from workbench.language import SEMICOLON, join, tr
from workbench.play import pairs
from workbench.play.pairs import Pair
from workbench.report.model import Moment, Replay
from workbench.report.names import Names
from workbench.report.numbers import format_percent


def find_pair(names: Names, proposal: str, lines: Iterable[Sequence[int]]) -> Pair | None:
    """The clearest pair of the baseline and a proposal in games of either; None where there is none."""
    base, player = names.plan.baseline, pairs.searcher(names.plan.agents.values())
    if player is None or not base or proposal not in names.proposals:
        return None
    was, now = names.plan.ruleset(base), names.plan.ruleset(proposal)
    return pairs.find_pair(was, now, player, lines) if {was.game, now.game} <= set(games.names()) else None


def decisive_moment(names: Names, proposal: str, replays: Iterable[Replay]) -> Moment | None:
    """The position in which a proposal acts most clearly, with the move under each ruleset, if there is one."""
    both = names.plan.baseline, proposal
    lines = [replay.moves for replay in replays if replay.ruleset in both and replay.moves is not None]
    pair = find_pair(names, proposal, lines)
    if pair is None:
        return None
    states, at = pair.states, len(pair.shared)
    cells = [state.touched() for state in states]
    highlights = {"shut": cells[0] - cells[1], "open": cells[1] - cells[0], "last": cells[0] & cells[1]}
    was, now = (
        tr("{ruleset}: {move}", ruleset=names.short(ruleset.name), move=state.texts[-1])
        for ruleset, state in zip(pair.rulesets, states, strict=True)
    )
    return Moment(
        f"moment-{names.rulesets.index(proposal)}", states[1].board(at), highlights, moment_text(names, pair),
        tr("Move {n}", n=at + 1), was, now, pair_replays(names, pair),
    )  # fmt: skip


def moment_text(names: Names, pair: Pair) -> str:
    """What happens in the position of a pair, in a line."""
    text = tr("Move {n}: {was} under {baseline}, {now} under {proposal}")
    if pair.chosen[0] == pair.chosen[1]:
        text = tr("Move {n}: {was} under {baseline} as under {proposal}, with other consequences")
    was, now = (state.texts[-1] for state in pair.states)
    baseline, proposal = (names.short(ruleset.name) for ruleset in pair.rulesets)
    where = text.format(n=len(pair.shared) + 1, was=was, now=now, baseline=baseline, proposal=proposal)
    before, after = (format_percent(value, 0) for value in pair.values)
    worth = tr("the first player can expect {before} → {after} of the points", before=before, after=after)
    return join(SEMICOLON, (where, worth))


def pair_replays(names: Names, pair: Pair) -> tuple[Replay, Replay]:
    """Both games of a pair, played on for some plies."""
    player = pairs.searcher(names.plan.agents.values())
    assert player is not None
    played = pairs.play_on(pair, player)
    return _replay(names, pair, played[0], "was"), _replay(names, pair, played[1], "now")


def _replay(names: Names, pair: Pair, game_state: GameState, which: str) -> Replay:
    ruleset, proposal = pair.rulesets[which == "now"], pair.rulesets[1].name
    text = tr("Where {proposal} acts: one game up to move {n}, played on under {ruleset}")
    if not pair.shared:
        text = tr("Where {proposal} acts: from the first move on, played under {ruleset}")
    about = text.format(
        proposal=names.short(proposal),
        n=len(pair.shared),
        ruleset=names.short(ruleset.name),
    )
    _, termination = game_state.outcome()
    return Replay(
        ruleset.name, "", "", 0, 0, RESULTS[game_state.result], termination or "", game_state.plies, (), ruleset.game,
        ruleset.codes(), tuple(game_state.played), link=f"pair/{proposal}/{which}", about=about,
        parting=len(pair.shared) + 1,
    )  # fmt: skip
