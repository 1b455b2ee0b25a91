"""A report in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench.console import wrapped
from workbench.language import translated
from workbench.report.model import Listing, Printout, Remark


def print_document(title: str, answer: Sequence[str], printout: Printout, console: Console) -> None:
    """Prints the answer of a report, and tables and remarks below it."""
    console.print(_text(title, "bold"))
    for i, sentence in enumerate(answer):
        console.print(Text(wrapped(sentence, "  " if i else "", "  ")), soft_wrap=True)
    for part in printout:
        if isinstance(part, Remark):
            console.print(Text(wrapped(part.text), style=part.style), soft_wrap=True)
        else:
            console.print()
            console.print(_text(part.title, "bold"))
            # A word that does not fit is folded; a table that does not fit all the same runs on, and loses nothing.
            console.print(_table(part), crop=False)


def _table(listing: Listing) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in listing.columns:
        table.add_column(
            translated(column.head),
            min_width=column.least,
            max_width=column.most,
            overflow="fold" if column.most is None else "ellipsis",
            justify="right" if column.right else "left",
        )
    for row in listing.rows:
        table.add_row(*(_text(entry) if isinstance(entry, str) else _text(*entry) for entry in row))
    return table


def _text(text: str, style: str = "") -> Text:
    return Text(translated(text), style=style)
