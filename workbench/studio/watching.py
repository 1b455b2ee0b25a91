"""What is known of folders on disk, looked at anew now and then, and the pages that are told when it changes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Watched(ABC):
    """Something that pages show and that changes while they do."""

    def __init__(self) -> None:
        self.looked = False
        """Whether all of it has been looked at once."""
        self._listeners: list[Callable[[], None]] = []
        self._looking: asyncio.Task[None] | None = None

    def watch(self, client: Any, listener: Callable[[], None]) -> None:
        """Calls the listener after each change, until the page of a client is closed."""
        self._listeners.append(listener)
        client.on_delete(lambda: self._listeners.remove(listener))

    async def refresh(self) -> None:
        """Looks at all of it anew; who asks meanwhile waits for the same look."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._refresh())
        await asyncio.shield(self._looking)

    @abstractmethod
    async def _refresh(self) -> None:
        """Looks at all of it."""

    async def _refresh_again(self) -> None:
        """Looks at all of it once more: who looks at present may have seen a folder before its end."""
        if self._looking is not None and not self._looking.done():
            await asyncio.shield(self._looking)
        await self.refresh()

    def _changed(self) -> None:
        for listener in list(self._listeners):
            listener()
