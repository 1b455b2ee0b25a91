"""The list of what is played, experiments or searches: what their pages have in common."""

from __future__ import annotations

from typing import Any, Protocol

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from workbench.errors import WorkbenchError
from workbench.studio.experiment_page import REFRESH_SECONDS
from workbench.studio.visitor import Visitor
from workbench.studio.words import translated_words


class Listed(Protocol):
    """What a page lists, such as the shelf of experiments."""

    looked: bool

    def rows(self, visitor: Visitor) -> list[dict[str, Any]]:
        """A row for each."""

    async def play(self, name: str, language: str) -> None:
        """Puts one into the queue."""

    def stop(self, name: str) -> None:
        """Stops it, or takes it out of the queue."""

    def watch(self, client: Any, listener: Any) -> None:
        """Calls the listener after each change."""

    async def refresh(self) -> None:
        """Looks at all of it anew."""


def show_list(panel: Element, shelf: Listed, visitor: Visitor) -> None:
    """Lets a panel list what is on a shelf, play and stop it, and keeps it up to date."""
    panel.props["words"] = translated_words(visitor.language)
    panel.props["language"] = visitor.language
    panel.props["trouble"] = ""

    def show() -> None:
        rows = shelf.rows(visitor)
        if panel.props.get("rows") != rows or panel.props.get("looked") != shelf.looked:
            panel.props["rows"], panel.props["looked"] = rows, shelf.looked
            panel.update()

    async def play(given: GenericEventArguments) -> None:
        panel.props["trouble"] = ""
        try:
            await shelf.play(str(given.args), visitor.language)
        except WorkbenchError as error:
            panel.props["trouble"] = visitor.translate(error.told(visitor.language))
        panel.update()

    panel.on("play", play)
    panel.on("stop", lambda given: shelf.stop(str(given.args)))
    show()
    shelf.watch(panel.client, show)
    ui.timer(REFRESH_SECONDS, shelf.refresh, immediate=True)
