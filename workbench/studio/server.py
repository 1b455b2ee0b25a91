"""The studio's server, a process on this machine that runs until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import errno
import logging
import os
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import INTERRUPTED, WorkbenchError, system_reason
from workbench.base.language import strip_period, tr
from workbench.base.project import Project
from workbench.studio.auth import LOCAL, TOKEN, Gate, Session, load_session

if TYPE_CHECKING:
    import uvicorn

    from workbench.studio.jobs import Queue

PORT = 8765


class StopRequested(WorkbenchError):
    """Raised after the studio was stopped by Ctrl-C or SIGTERM."""

    exit_code = INTERRUPTED


def serve_studio(
    project: Project, host: str, port: int | None, show: bool, say: Callable[[str], None],
    programs: bool = False, on: str = "",
) -> None:  # fmt: skip
    """Serve the studio until it is stopped.

    If ``port`` is None, the port of the project's last studio or else `PORT` is used, or any other port if these are in
    use; 0 means any port. ``show`` opens a browser, ``say`` prints the address, ``programs`` allows external players
    named in experiments, and ``on`` is the cluster that plays experiments (see `workbench.runs.executor`).

    Raises:
        WorkbenchError: the server cannot listen on the address.
        StopRequested: the studio was stopped by Ctrl-C or SIGTERM.
    """
    display_host = "127.0.0.1" if host in ("0.0.0.0", "") else f"[{host}]" if ":" in host else host
    # A cookie sent over a network may be intercepted and is therefore valid for one studio only.
    is_local = display_host in LOCAL and host not in ("0.0.0.0", "")
    session = load_session(project.unsaved.parent) if is_local else Session()
    server_socket = _open_socket(host, [session.port, PORT, 0] if port is None else [port])
    bound_port = int(server_socket.getsockname()[1])
    gate = Gate(display_host, bound_port, session=session.cookie)
    session = session.save(port=bound_port)
    address = f"http://{display_host}:{bound_port}/?{TOKEN}={gate.token}"
    say(tr("The studio is open at {address}", address=address))
    say(tr("Ctrl-C ends it."))
    if show:
        # The browser waits in the queue of the socket while this process loads its libraries.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    # The context is separate because the command line caches YAML files, which the studio reads after each change.
    contextvars.Context().run(_run, project, gate, server_socket, session, programs, on, say)
    raise StopRequested(tr("The studio has stopped."))


def _open_socket(host: str, ports: Sequence[int | None]) -> socket.socket:
    """Return a listening socket on the first free port, skipping None."""
    port, *next_ports = [port for port in ports if port is not None]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server_socket = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server_socket.bind((host, port))
    except (OSError, OverflowError) as error:
        server_socket.close()
        code = getattr(error, "errno", 0)
        if next_ports and code in (errno.EADDRINUSE, errno.EACCES):
            return _open_socket(host, next_ports)
        reason = strip_period(system_reason(error))
        hint = tr("; choose another with --port, or 0 for any") if code == errno.EADDRINUSE else ""
        message = tr(
            "cannot listen on {host}:{wanted}: {reason}{hint}", host=host, wanted=port, reason=reason, hint=hint
        )
        raise WorkbenchError(message) from None
    server_socket.listen(128)
    return server_socket


def _run(
    project: Project, gate: Gate, server_socket: socket.socket, session: Session,
    programs: bool, on: str, say: Callable[[str], None],
) -> None:  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="workbench-studio-") as storage:
        # NiceGUI reads this at import time; its default is the current folder.
        os.environ["NICEGUI_STORAGE_PATH"] = storage
        from workbench.studio.workers import Workers, load_games

        with Workers() as workers:
            # The drawing worker loads the games for the first page while this process loads its libraries.
            workers.drawing.begin(load_games)
            import uvicorn

            from workbench.studio import pages
            from workbench.studio.documents import Autosave
            from workbench.studio.documents.rulesets import DraftStore
            from workbench.studio.jobs import Queue

            queue = Queue(project, programs, on, lambda names: session.save(queue=names))
            gate.app = pages.create_application(DraftStore(project, Autosave(project, say)), workers, queue)
            config = uvicorn.Config(
                gate, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
                timeout_graceful_shutdown=1, ws_max_size=2**21,
            )  # fmt: skip
            server = uvicorn.Server(config)
            with _stop_on_signals(server):
                asyncio.run(_serve(server, server_socket, queue, session.queue))


async def _serve(server: uvicorn.Server, server_socket: socket.socket, queue: Queue, unfinished: Sequence[str]) -> None:
    try:
        queue.resume(unfinished)
        await server.serve(sockets=[server_socket])
    finally:
        await queue.close()


@contextlib.contextmanager
def _stop_on_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop the server within the context; a second signal cancels pending responses."""

    def end(*_: object) -> None:
        # Otherwise uvicorn prints a traceback for each interrupted response.
        logging.getLogger("uvicorn.error").disabled = True
        server.force_exit = server.should_exit
        server.should_exit = True

    # uvicorn would send itself the signal again at the end.
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
    handlers = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
