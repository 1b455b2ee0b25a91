"""Text in figures: fonts, the width of a line, and where lines break, in English and in Japanese."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.textpath import text_to_path

POINT = 1 / 72
"""Inches."""
NO_START = "、。，．・：；？！ー）」』】…％,.:;?!)"  # noqa: RUF001 - these are the Japanese signs
"""Signs that begin no line."""
_UNIT = re.compile(rf"\s+|[^\s\u2e80-\uffef]+|[（「『【]*[\u2e80-\uffef][{re.escape(NO_START)}]*")
"""What is not broken: spaces, a word, or a Japanese letter with the signs around it."""


def figure_style() -> AbstractContextManager[None]:
    """Settings for making and for saving a figure: text that has Japanese in it needs a second font.

    A dollar is a dollar: what users write is no mathematics.
    """
    return mpl.rc_context(
        {"font.family": _font_families(), "svg.hashsalt": "workbench", "svg.fonttype": "path", "text.parse_math": False}
    )


def _font_families() -> list[str]:
    """The fonts of figures, each for what those before it lack."""
    return ["DejaVu Sans", *_japanese_font()]


@cache
def _japanese_font() -> tuple[str, ...]:
    """The name of the font of matplotlib-fontja, made known to matplotlib; empty without that package.

    The package is not imported: doing so would change the settings of the whole process.
    """
    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec is None or spec.origin is None:
        return ()
    path = Path(spec.origin).parent / "fonts" / "ipaexg.ttf"
    if not path.is_file():
        return ()
    font_manager.fontManager.addfont(str(path))
    added = font_manager.fontManager.ttflist[-1]
    # The font has one weight; without an entry for bold, matplotlib complains before it uses that one all the same.
    font_manager.fontManager.ttflist.append(dataclasses.replace(added, weight=700))
    return (added.name,)


@cache
def text_width(text: str, size: float, bold: bool = False) -> float:
    """How many inches a line of text takes in the fonts of `figure_style`."""
    return float(text_to_path.get_text_width_height_descent(text, _font(size, bold), ismath=False)[0]) * POINT


@cache
def _font(size: float, bold: bool) -> font_manager.FontProperties:
    return font_manager.FontProperties(family=_font_families(), size=size, weight="bold" if bold else "normal")


def wrap_text(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """The text in lines of at most that many inches, if no word is longer; Japanese breaks between any two letters."""
    lines = [""]
    for unit in _UNIT.findall(text):
        if text_width((lines[-1] + unit).rstrip(), size, bold) <= width or not lines[-1]:
            lines[-1] += unit if lines[-1] else unit.lstrip()
        else:
            lines.append(unit.lstrip())
    return [line.rstrip() for line in lines if line.strip()]


def truncate_lines(lines: list[str], most: int) -> list[str]:
    """The first lines of a text; an ellipsis says that there were more."""
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1][:-1] + "…"]
