"""Reports in the studio: the gallery, one or two of them in frames, and what their files may not do."""

from __future__ import annotations

import http.client
import io
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from tests.report_folders import SAMPLE
from tests.studio import Studio, opened, own_project, page_of
from workbench.files.project import Project
from workbench.language import translated
from workbench.studio import report_files
from workbench.studio.visitor import Visitor

STUN = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
STUN.bind(("127.0.0.1", 0))
STUN.settimeout(3)
"""Where the hostile report would call by WebRTC."""
HOSTILE = """<!doctype html><html lang="en" data-follow><title>Hostile</title><h1>hostile</h1><script>
const tried = [];
document.querySelector("h1").textContent = "running";
const call = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:STUN_PORT" }] });
call.createDataChannel("out");
call.createOffer().then((offer) => call.setLocalDescription(offer));
const attempt = (name, act) => { try { act(); tried.push(name); } catch {} };
attempt("parent", () => { parent.document.title = "hacked"; });
attempt("cookie", () => { document.cookie; });
attempt("storage", () => localStorage.length);
attempt("top", () => { top.location = "https://evil.example/"; });
fetch("/experiments").then(() => tried.push("fetch"), () => {}).finally(() => {
  document.querySelector("h1").textContent = "tried: " + tried.join();
});
</script><h2 id="late" tabindex="0" onclick="this.textContent = 'running'">late</h2>
<img src="https://evil.example/x.png" onerror="document.title = 1">"""
SCRIPTED = '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"><script>top.x = 1</script></svg>'


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "star")
    reports = project / "reports"
    shutil.copytree(SAMPLE, reports / "sample")
    shutil.copytree(SAMPLE, reports / "older", ignore=shutil.ignore_patterns("*.svg", "gain.png"))
    for name in ("how-to-read.md", "how-to-read.ja.md"):
        shutil.copy(SAMPLE.parent / name, reports)
    (reports / "evil").mkdir()
    (reports / "evil" / "report.html").write_text(HOSTILE.replace("STUN_PORT", str(STUN.getsockname()[1])))
    (reports / "past").mkdir()
    page = (SAMPLE / "report.html").read_text().replace('<script type="module">', '<script type="module">// Past.', 1)
    (reports / "past" / "report.html").write_text(page)
    os.utime(reports / "past" / "report.html", (1_000_000_000, 1_000_000_000))
    (reports / "evil" / "report.md").write_text("# <img src=x onerror=alert(1)>\n")
    (reports / "evil" / "chart.svg").write_text(SCRIPTED)
    (reports / "evil" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
    (project / "secret.txt").write_text("secret")
    (reports / "linked").symlink_to(reports / "sample")
    (reports / "sample" / "linked.png").symlink_to(reports / "sample" / "gain.png")
    # Newest first; the hostile one, of now, is last, so that no page opens it by itself.
    for folder, touched in (("sample", 2_000_000_000), ("older", 1_990_000_000)):
        for each in (reports / folder).iterdir():
            if not each.is_symlink() and each.is_file():
                os.utime(each, (touched, touched))
    with opened(project) as studio:
        yield studio


def answer(studio: Studio, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    sent = {"Host": f"127.0.0.1:{studio.port}", "Cookie": "=".join(studio.cookie)}
    connection.request("GET", path, headers=sent | {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_a_report_is_sent_shut_in(studio: Studio) -> None:
    response, page = answer(studio, "/report-files/sample/report.html")
    assert response.status == 200 and b"A first look at the proposals for Chatra" in page
    policy = dict(part.partition(" ")[::2] for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["sandbox"] == "allow-scripts", "and no origin"
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'self'"
    assert policy["img-src"] == "data:" and "connect-src" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    studio_page, _ = answer(studio, "/reports")
    assert "frame-src 'self'" in studio_page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in studio_page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": ""},
        {"Host": "evil.example"},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"},
    ],
)
@pytest.mark.parametrize("path", ["/report-files/sample/report.html", "/small-charts/sample/gain.png"])
def test_reports_are_for_the_studios_own_pages(studio: Studio, path: str, headers: dict[str, str]) -> None:
    assert answer(studio, path, **headers)[0].status == 403


@pytest.mark.parametrize(
    "address",
    [
        *("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "sample/../../secret.txt", "sample//report.html"),
        *("linked/report.html", "sample/linked.png", "sample/provenance.json", "sample/trials.parquet"),
        *("sample/.workbench", "sample", "sample/", "", "report.html", "nothing/report.html", "/etc/passwd"),
        *("sample/tables/comparisons.csv", "sample%00/report.html"),
    ],
)  # fmt: skip
def test_nothing_else_is_sent(studio: Studio, address: str) -> None:
    for area in ("/report-files/", "/small-charts/"):
        response, content = answer(studio, area + address)
        assert response.status == 404 and b"secret" not in content


def test_charts_of_the_gallery_are_small(studio: Studio) -> None:
    response, content = answer(studio, "/small-charts/sample/gain.png?1")
    whole = (SAMPLE / "gain.png").read_bytes()
    assert response.status == 200 and len(content) < len(whole) / 3
    with Image.open(io.BytesIO(content)) as small, Image.open(io.BytesIO(whole)) as large:
        assert max(small.size) == report_files.WIDTH
        assert abs(small.width / small.height - large.width / large.height) < 0.02
    assert answer(studio, "/small-charts/evil/broken.png")[0].status == 404


def test_a_report_follows_language_and_colours_of_its_reader() -> None:
    page = (SAMPLE / "report.html").read_bytes()
    assert b'<html lang="en" data-follow>' in page and b"(prefers-color-scheme: dark)" in page
    japanese = report_files.adapt_page(page, Visitor("ja", "auto"))
    assert b'<html lang="ja">' in japanese and b"(prefers-color-scheme: dark)" in japanese
    dark = report_files.adapt_page(page, Visitor("en", "dark"))
    assert b"(prefers-color-scheme: dark)" not in dark and dark.count(b"(min-width: 0)") > 0
    light = report_files.adapt_page(page, Visitor("en", "light"))
    assert b"(prefers-color-scheme: dark)" not in light and b"(min-width: 0)" not in light


def test_folders_of_reports_are_found_newest_first(studio: Studio) -> None:
    found = report_files.list_folders(Project(studio.project))
    assert found[0].name == "sample"
    assert {folder.name for folder in found} == {"sample", "older", "evil", "past"}, "and no links"
    charts = {folder.name: [name for name, _ in folder.charts] for folder in found}
    assert charts["sample"] == ["first_score.png", "gain.png", "lengths.png", "portraits.png"]
    assert charts["evil"] == ["broken.png", "chart.svg"]
    title = report_files.folder_title(studio.project / "reports" / "sample")
    assert title is not None and translated(title, "ja") == "チャトラ改定案を手早く見る"


@pytest.mark.browser
def test_the_gallery_shows_charts_as_they_are_scrolled_to(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/reports", quiet=True) as page:
        page.wait_for_selector("[data-report=sample]")
        assert page.locator("[data-report]").first.get_attribute("data-report") == "sample"
        pictures = page.locator("[data-report=sample] img")
        expect(pictures).to_have_count(4)
        assert all(each.get_attribute("loading") == "lazy" for each in pictures.all())
        page.wait_for_function("document.querySelector('[data-report=sample] img').naturalWidth > 0")
        expect(page.locator("[data-report=evil] h2")).to_have_text("<img src=x onerror=alert(1)>")
        pictures.nth(1).click()
        expect(page.locator("dialog[open] h2")).to_contain_text("Gain in fairness")
        page.wait_for_function("document.querySelector('dialog img').naturalWidth > 480")
        page.keyboard.press("Escape")
        expect(page.locator("dialog.picture")).not_to_be_visible()
        page.check("[data-report=sample] .pick input")
        page.check("[data-report=older] .pick input")
        page.click("[data-do=compare]")
        page.wait_for_url("**/report/sample?beside=older")
        expect(page.locator("iframe")).to_have_count(2)


@pytest.mark.browser
def test_a_report_opens_in_the_page_and_another_one_beside_it(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/sample", locale="ja-JP") as page:
        report = page.frame_locator("iframe >> nth=0")
        expect(report.locator("h1")).to_have_text("チャトラ改定案を手早く見る", use_inner_text=True)
        # Its own scripts run: the language changes.
        report.locator("button[data-lang=en]").click()
        expect(report.locator("h1")).to_have_text("A first look at the proposals for Chatra", use_inner_text=True)
        page.click("[data-do=beside]")
        page.select_option("[data-place='1']", "older")
        expect(page.locator("iframe")).to_have_count(2)
        assert page.url.endswith("/report/sample?beside=older")
        boxes = [frame.bounding_box() for frame in page.locator("iframe").all()]
        assert boxes[0] and boxes[1] and boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
        page.reload()
        expect(page.locator("iframe")).to_have_count(2)
        page.click("[data-do=alone]")
        expect(page.locator("iframe")).to_have_count(1)


@pytest.mark.thorough
@pytest.mark.browser
def test_on_a_phone_two_reports_share_the_place(chromium: Browser, studio: Studio) -> None:
    size = {"width": 390, "height": 844}
    with page_of(chromium, studio, "/report/sample?beside=older", viewport=size) as page:
        frames = page.locator("iframe")
        expect(frames.nth(0)).to_be_visible()
        expect(frames.nth(1)).not_to_be_visible()
        page.locator("[role=tab]").nth(1).click()
        expect(frames.nth(1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_a_hostile_report_reaches_nothing(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/evil", quiet=True) as page:
        asked: list[str] = []
        page.context.on("requestfinished", lambda request: asked.append(request.url))
        page.reload()
        report = page.frame_locator("iframe")
        expect(report.locator("h1")).to_have_text("hostile")
        report.locator("#late").click()
        expect(report.locator("#late")).to_have_text("late")
        assert "hacked" not in page.title() and page.url.endswith("/report/evil")
        page.goto(f"{studio.root}/report-files/evil/report.html")
        expect(page.locator("h1")).to_have_text("hostile")
        assert page.title() == "Hostile"
        assert not [url for url in asked if "evil.example" in url]
    with pytest.raises(TimeoutError):
        STUN.recv(100)


@pytest.mark.browser
def test_the_listener_hears_what_a_page_that_is_not_shut_in_calls(chromium: Browser) -> None:
    page = chromium.new_page()
    page.set_content(HOSTILE.replace("STUN_PORT", str(STUN.getsockname()[1])))
    assert STUN.recv(100)[4:8] == bytes.fromhex("2112a442"), "the mark of STUN"
    page.close()


def test_a_report_of_another_version_says_that_its_script_does_not_run(studio: Studio) -> None:
    note = b'<main><p class="note" role="note">This report was written by another version'
    assert note in answer(studio, "/report-files/past/report.html")[1]
    assert note not in answer(studio, "/report-files/sample/report.html")[1]


def test_a_missing_report_is_said(studio: Studio) -> None:
    response, page = answer(studio, "/report/nothing")
    assert response.status == 404 and "There is no such report." in page.decode()


def test_no_file_is_too_odd(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert report_files.list_folders(project) == []
    (tmp_path / "reports" / "x").mkdir(parents=True)
    os.mkfifo(tmp_path / "reports" / "x" / "report.html")
    assert report_files.list_folders(project) == [] and report_files.resolve_address(project, "x/report.html") is None
    assert report_files.read_content(tmp_path / "reports" / "x" / "report.html") is None
