"""Rules tried out against their base: which experiment that is, and the files in which it stands.

It is an experiment as anybody might write it, ``experiments/try-….yaml``, so ``workbench run`` plays it, too, and its
report is one like all others. Rules that have no file yet, or have changed since they were saved, are kept as they were
tried in ``rulesets/GAME/tried/``: known by name, but in no list of rulesets. The names end in a digest of both rules:
the same rules give the same experiment, and go on with its games.

How many games there are to be is measured once, when the experiment is written: so many that the first interim analysis
comes within seconds on this machine. From then on the file says it, whoever plays it wherever.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.errors import InputError
from workbench.files import output
from workbench.files.project import Project
from workbench.language import SOURCE, translated
from workbench.questions import edits, rulesets
from workbench.questions.edits import RulesetReading
from workbench.questions.ruleset_files import TRIED
from workbench.questions.rulesets import Ruleset
from workbench.studio.drafts import Draft
from workbench.studio.words import WORDS

RECIPE = 2
"""Counts up when the same rules are to be tried out in another way."""
PLAYERS = ("greedy", "alphabeta-2")
ANALYSES = 24
FIRST_ANALYSIS_SECONDS = 3.5
"""Seconds of play up to the first interim analysis. Some more pass before the first game."""
LEAST, MOST = 20, 300
"""Games of a cell at the first interim analysis."""
OFFERED = (120, 480, 1_200, 4_800)
"""Games of a cell that may be chosen instead of as many as suit the machine."""
PILOT = 0.6
"""Seconds of the pilot that tells how long a game takes."""
BLOCKS = 4
"""Blocks of a cell from one interim analysis to the next."""


@dataclass(frozen=True)
class Tryout:
    """Rules, and what they are compared with."""

    project: Project
    own: Ruleset
    base: Ruleset
    text: str
    """What is to be kept as the file of the rules; empty where they have one."""

    @property
    def differs(self) -> bool:
        """Whether there is anything to find out."""
        return self.own.fingerprint != self.base.fingerprint

    @property
    def path(self) -> Path:
        """The file of the experiment."""
        about = (RECIPE, PLAYERS, self.own.name, self.own.fingerprint, self.base.name, self.base.fingerprint)
        digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]
        game, own = self.own.game, self.base.name if self.text else self.own.name
        return self.project.experiments / f"try-{game}-{own.rpartition('/')[2]}-{digest}.yaml"

    @property
    def ruleset_path(self) -> Path:
        """The file of the rules, if they are to be kept."""
        return self.project.rulesets / f"{self.own.name}.yaml"

    @property
    def written(self) -> bool:
        """Whether all of its files are there."""
        return self.path.exists() and (not self.text or self.ruleset_path.exists())

    @property
    def title(self) -> str:
        """The title of the experiment."""
        own, base = (one.heading for one in (self.own, self.base))
        return WORDS["try_title"].format(own=own, base=base)

    @property
    def pilot_text(self) -> str:
        """The text of an experiment of the base alone, by which it is measured how long a game takes.

        The rules that are tried out may have no file before somebody begins.
        """
        return (
            f"title: {_quoted(self.path.stem)}\nrulesets: [{_quoted(self.base.name)}]\nagents: [{', '.join(PLAYERS)}]\n"
            f"games: {ANALYSES * LEAST}\nblock: {LEAST // BLOCKS}\nseed: 1\n"
        )

    def experiment_text(self, games: int, block: int, looks: int = ANALYSES, language: str = SOURCE) -> str:
        """The text of the experiment's file, its comment in a language."""
        title = self.title
        return (
            "# yaml-language-server: $schema=experiment.schema.json\n"
            "#\n"
            f"# {translated(WORDS['try_comment'], language)}\n"
            f"#     workbench run {self.path.stem}\n"
            f"title: {_quoted(str(title))}\n"
            f"title_ja: {_quoted(translated(title, 'ja'))}\n"
            f"rulesets: [{_quoted(self.base.name)}, {_quoted(self.own.name)}]\n"
            f"baseline: {_quoted(self.base.name)}\n"
            f"agents: [{', '.join(PLAYERS)}]\n"
            f"games: {games}\n"
            "until: decided\n"
            f"looks: {looks}\n"
            f"block: {block}\n"
            "seed: 1\n"
        )

    def write_rules(self) -> None:
        """Writes the file of rules that have none, unless that was done before.

        Raises:
            InputError: the place is none of the project's.
            Unwritable: the disk is full, say.
        """
        if self.text and not os.path.lexists(self.ruleset_path):
            _write_once(self.project, self.ruleset_path, self.text)

    def write(self, seconds: float, games: int = 0, language: str = SOURCE) -> None:
        """Writes the experiment's file, unless that was done before; ``seconds`` and ``games`` as in `games_of_cell`.

        Raises:
            InputError: the place is none of the project's.
            Unwritable: the disk is full, say.
        """
        if os.path.lexists(self.path):
            return
        games = games_of_cell(seconds, games)
        looks = min(ANALYSES, games // LEAST)
        text = self.experiment_text(games, max(5, games // looks // BLOCKS), looks, language)
        _write_once(self.project, self.path, text)


def games_of_cell(seconds: float, chosen: int = 0) -> int:
    """How many games a ruleset and player have at most: as many as were chosen (0: as suit the machine).

    ``seconds``: a game of each cell takes them together.
    """
    if chosen:
        return max(chosen, LEAST)
    first = min(max(FIRST_ANALYSIS_SECONDS * (os.cpu_count() or 1) / max(seconds, 1e-6), LEAST), MOST)
    return ANALYSES * _round_games(first)


def make_tryout(draft: Draft, reading: RulesetReading, base: str) -> Tryout:
    """The rules of a draft, against those of a ruleset.

    Raises:
        InputError: one of them cannot be read.
    """
    own = reading.ruleset
    if own is None:
        raise InputError(list(reading.problems))
    against = rulesets.load_ruleset(base, draft.project)
    if draft.kind == "file" and not draft.dirty:
        return Tryout(draft.project, own, against, "")
    stem = base if draft.kind == "new" else draft.name
    name = f"{draft.game}/{TRIED}/{stem.rpartition('/')[2]}-{own.fingerprint[:8]}"
    title = draft.title(reading)
    titles = {"title": str(title), "title_ja": translated(title, "ja")}
    text = re.sub(r"(?m)^(# yaml-language-server: \$schema=)\.\./(?=ruleset)", r"\1../../", draft.text)
    for key, words in titles.items():
        text = edits.set_text_key(text, key, words)
    own = replace(own, name=name, title=titles["title"], title_ja=titles["title_ja"])
    return Tryout(draft.project, own, against, text if text.endswith("\n") else f"{text}\n")


def _write_once(project: Project, path: Path, text: str) -> None:
    project.require_place(path)
    output.write_file(output.make_folder(path.parent) / path.name, text.encode(), new=True)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _round_games(games: float) -> int:
    """A number of games that is as round as it is large."""
    step = 5 if games < 50 else 10 if games < 200 else 50
    return int(games // step) * step


def measure_game_seconds(path: Path, project: Project, text: str, own: Ruleset) -> float:
    """The seconds of a game in each cell of an experiment, together, from a short pilot; needs machine code.

    ``own``: rules that are played besides those of the text.

    They are those of the processor: the experiment is to be no smaller because the machine is busy just now.
    """
    import time

    from workbench.questions import experiment
    from workbench.run import planning

    loaded = experiment.load_experiment(path, project, text)
    loaded = replace(loaded, rulesets=(*loaded.rulesets, own))
    paces = planning.plan_experiment(loaded, PILOT, clock=time.process_time).paces
    return len(loaded.rulesets) * sum(pace.seconds for pace in paces)
