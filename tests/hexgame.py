"""Hex, the game that `docs/hex.md` builds, with the packing of states left to the solver."""

from __future__ import annotations

from pathlib import Path

from tests import hexapawn

PAGE = hexapawn.ROOT / "docs" / "hex.md"
KERNEL_FILE = "games/hex/kernel.py"


def kernel() -> str:
    return next(block.content for block in hexapawn.blocks(PAGE) if block.file == KERNEL_FILE)


def project(root: Path, kernel: str = "") -> Path:
    """A project with the game and its rulesets ``hex/3x3`` and ``hex/4x4``; ``kernel``: instead of the page's."""
    for block in hexapawn.blocks(PAGE):
        if block.file.startswith("games/") or block.file in ("rulesets/hex/3x3.yaml", "rulesets/hex/4x4.yaml"):
            hexapawn.write(block, root)
    if kernel:
        (root / KERNEL_FILE).write_text(kernel, encoding="utf-8")
    return root
