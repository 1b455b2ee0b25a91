"""The law of the pie rule, which every game may be played by: players, judges and reports know what to do with it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from workbench import report
from workbench.errors import InputError
from workbench.games.declaration import NO_SWAP
from workbench.games.game_state import GameState
from workbench.language import tr
from workbench.laws.subject import PLAYERS, Broken
from workbench.play.judgement import Search
from workbench.questions.experiment_values import experiment_from_values
from workbench.questions.rulesets import Ruleset
from workbench.run import runner


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
