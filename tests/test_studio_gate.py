"""Who may speak to the studio, and how it ends."""

from __future__ import annotations

import http.client
import re
import signal
import socket
from pathlib import Path

import pytest

from tests import few
from tests.command_line import refused
from tests.patience import PATIENCE
from tests.studio import Studio, opened, own_project, until


def answer(
    studio: Studio, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
    sent = {"Host": f"127.0.0.1:{studio.port}"} | (headers or {})
    connection.request(method, path, headers=sent)
    response = connection.getresponse()
    content = response.read().decode()
    connection.close()
    return response, content


@pytest.fixture(scope="module")
def cookie(studio: Studio) -> str:
    response, _ = answer(studio, studio.address.removeprefix(studio.root))
    return response.headers["Set-Cookie"].partition(";")[0]


PAGE = "/rules/star/5x5"


def test_the_token_gives_a_cookie_that_only_the_studio_itself_sees(studio: Studio) -> None:
    response, page = answer(studio, studio.address.removeprefix(studio.root))
    name, *flags = re.split("; ?", response.headers["Set-Cookie"])
    assert response.status == 200 and set(flags) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert len(name.partition("=")[2]) > 40 and studio.address.partition("=")[2] not in name
    assert response.headers["Referrer-Policy"] == "no-referrer", "the token stays here"
    assert "token" not in page


def test_with_the_cookie_the_page_comes(studio: Studio, cookie: str) -> None:
    response, page = answer(studio, PAGE, {"Cookie": f"a=b; {cookie}"})
    assert response.status == 200 and "nicegui" in page


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PAGE, {"Cookie": ""}),
        (PAGE, {"Cookie": "workbench-studio-{port}=wrong"}),
        ("/?token=wrong", {"Cookie": ""}),
        ("/?token=", {"Cookie": ""}),
        (PAGE, {"Host": "evil.example:{port}"}),
        (PAGE, {"Host": "127.0.0.1"}),
        (PAGE, {"Host": "127.0.0.1:1"}),
        (PAGE, {"Host": "192.168.0.1:{port}"}),
        (PAGE, {"Origin": "http://evil.example"}),
        (PAGE, {"Origin": "http://localhost:1"}),
        (PAGE, {"Origin": "null"}),
        (PAGE, {"Origin": "https://127.0.0.1:{port}"}),
        (PAGE, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}),
        (PAGE, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}),
        (PAGE, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
        ("/position/star/size?was=5&now=4", {"Cookie": ""}),
        ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {"Cookie": ""}),
        ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {"Origin": "http://evil.example"}),
    ],
)
def test_who_lacks_token_host_or_origin_is_refused(
    studio: Studio, cookie: str, path: str, headers: dict[str, str]
) -> None:
    told = {name: value.format(port=studio.port) for name, value in headers.items()}
    response, content = answer(studio, path, {"Cookie": cookie} | told)
    assert response.status == 403
    assert "Set-Cookie" not in response.headers and "nicegui" not in content


def websocket(studio: Studio, headers: dict[str, str]) -> str:
    """The first line with which the server answers who asks for a websocket."""
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return connection.makefile("rb").readline().decode()


def test_a_websocket_needs_the_same(studio: Studio, cookie: str) -> None:
    host = f"127.0.0.1:{studio.port}"
    right = {"Host": host, "Origin": f"http://{host}", "Cookie": cookie}
    assert "101" in websocket(studio, right)
    for wrong in (
        {"Origin": "http://evil.example"},
        {"Origin": ""},
        {"Host": f"evil.example:{studio.port}", "Origin": f"http://evil.example:{studio.port}"},
        {"Cookie": ""},
        {"Cookie": cookie + "x"},
    ):
        assert "403" in websocket(studio, right | wrong), wrong
    without = {name: value for name, value in right.items() if name != "Origin"}
    assert "403" in websocket(studio, without)


def test_the_policy_lets_scripts_come_from_the_studio_alone(studio: Studio, cookie: str) -> None:
    response, page = answer(studio, PAGE, {"Cookie": cookie})
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    own, nonce, *rest = policy["script-src"].split()
    assert own == "'self'" and rest == ["'unsafe-eval'"]
    number = nonce.removeprefix("'nonce-").removesuffix("'")
    scripts = re.findall(r"<script[^>]*>", page)
    assert len(number) > 20 and scripts and all(f'nonce="{number}"' in script for script in scripts)
    assert not re.search(r"https?:", " ".join(policy.values()))
    again, _ = answer(studio, PAGE, {"Cookie": cookie})
    assert number not in again.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff" and response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "evil"])
def test_the_choice_of_a_language_leads_back_to_the_studio_only(studio: Studio, cookie: str, back: str) -> None:
    response, _ = answer(studio, f"/language/ja?back={back}", {"Cookie": cookie})
    assert response.headers["Location"] == "/"
    assert response.headers["Set-Cookie"].startswith("workbench-language=ja;")


@pytest.mark.thorough
@pytest.mark.parametrize("number", few.first(1, [signal.SIGINT, signal.SIGTERM]))
def test_it_ends_as_other_commands_do(tmp_path: Path, number: signal.Signals) -> None:
    with opened(own_project(tmp_path, "star")) as studio:
        response, _ = answer(studio, studio.address.removeprefix(studio.root))
        assert response.status == 200
        # An answer is awaited that takes a second or more: nobody is told of it with a traceback.
        sent = {"Cookie": response.headers["Set-Cookie"].partition(";")[0], "Host": f"127.0.0.1:{studio.port}"}
        waiting = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
        waiting.request("GET", "/position/star/foul?was=no-undo&now=off", headers=sent)
        other, _ = answer(studio, PAGE, sent)
        assert other.status == 200
        assert studio.end(number) == 130
        assert studio.process.stdout is not None
        assert studio.process.stdout.read().splitlines() == ["Ctrl-C ends it.", "The studio has ended."]
        waiting.close()
        assert not (studio.project / ".nicegui").exists()


@pytest.mark.thorough
def test_a_port_that_is_taken_is_said(in_the_checkout: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        message = refused("studio", "--no-open", "--port", str(taken.getsockname()[1]))
    assert "cannot be listened on" in message and "--port" in message
    assert "cannot be listened on" in refused("studio", "--no-open", "--host", "192.0.2.1")


@pytest.mark.thorough
def test_no_process_outlives_a_server_that_was_killed(tmp_path: Path) -> None:
    with opened(own_project(tmp_path, "star")) as studio:
        response, _ = answer(studio, studio.address.removeprefix(studio.root))
        cookie = response.headers["Set-Cookie"].partition(";")[0]
        drawn, content = answer(studio, "/position/star/foul?was=no-undo&now=off", {"Cookie": cookie})
        assert drawn.status == 200 and "<svg" in content
        children = Path(f"/proc/{studio.process.pid}/task/{studio.process.pid}/children")
        if not children.exists():
            pytest.skip("only Linux lists the children of a process")
        pids = [int(pid) for pid in children.read_text().split()]
        assert pids
        studio.process.kill()
        studio.process.wait(60)
        until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()])
