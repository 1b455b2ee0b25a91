"""Prints the playthroughs that have changed; with ``--write`` it writes them, and removes those of no ruleset."""

from __future__ import annotations

import sys

from tests.playthroughs import FOLDER, path_of, playthrough
from workbench.questions import rulesets


def main() -> None:
    """Compares, and writes if asked to."""
    write = "--write" in sys.argv[1:]
    for name in rulesets.names():
        path, text = path_of(name), playthrough(name)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        print(f"{name}: {'written' if write else 'differs; --write writes it'}")
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in sorted(FOLDER.rglob("*.txt")):
        if path not in map(path_of, rulesets.names()):
            print(f"{path.relative_to(FOLDER)}: {'removed' if write else 'belongs to no ruleset'}")
            if write:
                path.unlink()


if __name__ == "__main__":
    main()
