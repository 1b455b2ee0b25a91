"""Base nets, as files: what the rulesets of a family have in common, with which nets of single rulesets begin.

One lies with the rulesets for each family and size of board. It plays nowhere itself. `nets` learns it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.engine.contract import board_size
from workbench.engine.search import nets
from workbench.files import output
from workbench.files import project as projects
from workbench.files.project import Project
from workbench.learning import library
from workbench.questions.rulesets import Ruleset


@dataclass(frozen=True)
class Base:
    """A base net."""

    game: str
    size: int
    """Of the board."""
    version: int
    """Of the trainer of nets."""
    rulesets: tuple[str, ...]
    """The rulesets that it was learned of."""
    positions: int
    net: tuple[float, ...]
    """The numbers of the net, as `engine.search.nets` lays them out."""

    @property
    def digest(self) -> str:
        """Of what begins with it."""
        # A file says 0 for a number of -0.0.
        return hashlib.sha256(json.dumps([number + 0.0 for number in self.net]).encode()).hexdigest()[:16]


def base_file(folder: Path, size: int) -> Path:
    """The file of a base net, by the size of its board, among those of what players of its family have learned."""
    return folder / f"base-{size}.json"


def save_base(project: Project, base: Base) -> Path:
    """Saves a base net with the rulesets of its family.

    Raises:
        Unwritable: the folder cannot be written.
    """
    folder = library.shipped_folder(project, base.game)
    output.make_folder(folder)
    content = asdict(base) | {"net": base.net[: nets.INPUTS], "inputs": library.pack_inputs(base.net[nets.INPUTS :])}
    text = json.dumps(content | {"digest": base.digest}, separators=(",", ":")) + "\n"
    return output.write_file(base_file(folder, base.size), text.encode())


def find_base(project: Project, ruleset: Ruleset) -> Base | None:
    """The base net that nets of a ruleset begin with; None if there is none for a board of its size.

    Raises:
        InputError: the file is damaged.
    """
    rules = ruleset.rules()
    for each in (project, projects.shipped_project()):
        file = base_file(library.shipped_folder(each, ruleset.game), int(board_size(rules)))
        if file.is_file():
            base = _read_base(str(file), file.stat().st_mtime_ns)
            if base.version == library.NET_TRAINER and len(base.net) == nets.net_size(rules):
                return base
    return None


@functools.lru_cache(maxsize=16)
def _read_base(file: str, changed: int) -> Base:
    """A file of that time of change.

    Raises:
        InputError: it is damaged.
    """
    with library.reading_file(Path(file)) as content:
        digest, inputs = content.pop("digest"), library.unpack_inputs(content.pop("inputs"))
        content["net"] = tuple(float(number) for number in (*content["net"], *inputs))
        base = Base(**content | {"rulesets": tuple(content["rulesets"])})
    if base.digest != digest:
        raise library.wrong_digest(Path(file))
    return base
