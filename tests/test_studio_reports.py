"""Reports in the studio: the list, one as a page, on paper, the table of their rulesets, and what files may not do."""

from __future__ import annotations

import csv
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import workbench as wb
from tests.patience import PATIENCE
from tests.report_folders import SAMPLE
from tests.studio import ROOT, Studio, opened, own_project, page_of
from workbench.addons.compare import view as compare_view
from workbench.addons.compare.view import Source, compare_reports
from workbench.base.language import translated
from workbench.base.project import Project
from workbench.studio import report_files

CALL = """const call = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:STUN_PORT" }] });
call.createDataChannel("out");
call.createOffer().then((offer) => call.setLocalDescription(offer));"""
HOSTILE = """<!doctype html><html lang="en" data-follow><title>Hostile</title><h1>hostile</h1><script>
const tried = [];
document.querySelector("h1").textContent = "running";
{CALL}
const attempt = (name, act) => { try { act(); tried.push(name); } catch {} };
attempt("parent", () => { parent.document.title = "hacked"; });
attempt("cookie", () => { document.cookie; });
attempt("storage", () => localStorage.length);
attempt("top", () => { top.location = "https://evil.example/"; });
fetch("/experiments").then(() => tried.push("fetch"), () => {}).finally(() => {
  document.querySelector("h1").textContent = "tried: " + tried.join();
});
</script><style>h1 { background: url(https://evil.example/paper.png); }</style>
<iframe src="https://evil.example/frame"></iframe><form action="https://evil.example/"><button>send</button></form>
<p style="position: fixed; inset: 0" lang="en">paper</p><a href="javascript:alert(1)">leads elsewhere</a>
<svg><use href="https://evil.example/#x"/><script>document.title = 2</script></svg>
<h2 id="late" tabindex="0" onclick="this.textContent = 'running'">late</h2>
<img src="https://evil.example/x.png" onerror="document.title = 1">""".replace("{CALL}", CALL)


FORBIDDEN = ("<script", "<iframe", "<form", "<img", "<meta", "<base", "<a h", "<style>h1")


@pytest.fixture(scope="module")
def stun() -> Iterator[socket.socket]:
    """Where the hostile report would call by WebRTC."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(3)
        yield listener


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, stun: socket.socket) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "star")
    reports = project / "reports"
    shutil.copytree(SAMPLE, reports / "sample")
    shutil.copytree(SAMPLE, reports / "older", ignore=shutil.ignore_patterns("*.svg", "gain.png"))
    (reports / "evil").mkdir()
    (reports / "evil" / "report.html").write_text(HOSTILE.replace("STUN_PORT", str(stun.getsockname()[1])))
    (reports / "past").mkdir()
    page = (SAMPLE / "report.html").read_text().replace('<script type="module">', '<script type="module">// Past.', 1)
    (reports / "past" / "report.html").write_text(page)
    os.utime(reports / "past" / "report.html", (1_000_000_000, 1_000_000_000))
    (reports / "pictures").mkdir()
    shutil.copy(SAMPLE / "gain.png", reports / "pictures")
    (reports / "odd").mkdir()
    odd = "<h1>&lt;img src=x onerror=alert(1)></h1>"
    (reports / "odd" / "report.html").write_text(odd)
    (project / "secret.txt").write_text("secret")
    (reports / "linked").symlink_to(reports / "sample")
    # Newest first; the hostile one, of now, is last, so that no page opens it by itself.
    for folder, touched in (("sample", 2_000_000_000), ("older", 1_990_000_000)):
        for each in (reports / folder).iterdir():
            if not each.is_symlink() and each.is_file():
                os.utime(each, (touched, touched))
    with opened(project) as studio:
        yield studio


def test_a_report_is_sent_as_plain_text(studio: Studio) -> None:
    response, page = studio.answer("/report-files/sample/report.html")
    assert response.status == 200 and "A first look at the proposals for Chatra" in page
    assert response.headers["X-Content-Type-Options"] == "nosniff", "no browser takes it for a page"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "address",
    [
        *("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "sample/../../secret.txt", "sample//report.html"),
        *("linked/report.html", "sample/gain.png", "sample/provenance.json", "sample/trials"),
        *("sample/.workbench", "sample", "sample/", "", "report.html", "nothing/report.html", "/etc/passwd"),
        *("sample/tables/comparisons.csv", "sample%00/report.html"),
    ],
)  # fmt: skip
def test_nothing_else_is_sent(studio: Studio, address: str) -> None:
    response, content = studio.answer(f"/report-files/{address}")
    assert response.status == 404 and "secret" not in content


def test_folders_of_reports_are_found_newest_first(studio: Studio) -> None:
    project = Project(studio.project)
    found = [*report_files.list_reports(project)]
    assert found[0] == "sample"
    assert {*found} == {"sample", "older", "evil", "past", "odd"}, "no links, no loose pictures"
    assert translated(report_files.read_head(project, "sample")[0], "ja") == "チャトラ改定案を手早く見る"


def test_a_report_says_in_short_what_it_answers() -> None:
    glance = report_files.read_scores(SAMPLE)
    assert glance.players == ("random", "greedy", "alphabeta-2")
    assert translated(glance.bars[0][0], "ja") == "2007年9月版ルール（改正案の比較の基準）"
    assert all(low < value < high for _, value, low, high, *_ in glance.bars)
    strong = report_files.read_scores(ROOT / "reports" / "sample")
    # The numbers of the README, of strong players together.
    assert [f"{100 * bar.score:.1f}" for bar in strong.bars] == ["63.9", "59.8"]
    assert translated(strong.bars[1].certainty, "en") == "fairer, settled"
    # Reports that lean to different sides say whether they are sure of it.
    assert [translated(bar[4], "en") for bar in glance.bars[:2]] == ["baseline", "cannot tell yet"]


def test_the_list_tells_answers_latest_first(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/answers", locale="ja-JP") as page:
        first = page.locator("[data-report]").first
        expect(first).to_have_attribute("data-report", "sample")
        for words in ("公平になるとは言えません", "2手先まで読むほか2組", "55.5 %"):
            expect(first).to_contain_text(words)
        expect(page.locator("[data-report=odd] h2")).to_have_text("<img src=x onerror=alert(1)>")
        expect(page.locator("[data-report]").last).to_have_attribute("data-report", "past")
        first.locator("h2 a").click()
        page.click("[data-do=compare]")
        page.wait_for_url("**/compare?report=sample")


def test_a_report_is_a_page_in_the_language_and_colours_of_the_studio(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/sample#scorecard", locale="ja-JP", color_scheme="dark") as page:
        expect(page.locator("h1")).to_have_text("チャトラ改定案を手早く見る", use_inner_text=True)
        # A link opens the fold of what it leads to, and tables sort.
        expect(page.locator("#scorecard thead button").first).to_be_in_viewport()
        lead = page.locator(".lead").evaluate(
            "lead => [getComputedStyle(lead).color, getComputedStyle(document.body).color]"
        )
        assert lead[0] == lead[1] == "rgb(231, 229, 224)"
        page.locator("nav a[href='#lengths']").click()
        page.wait_for_url("**/report/sample#lengths")
        page.go_back()
        page.wait_for_url("**/report/sample#scorecard")
        assert page.evaluate("document.querySelectorAll('iframe').length") == 0


def text_of_pages(page: Page, folder: Path, **options: Any) -> list[str]:
    path = folder / "printed.pdf"
    page.pdf(path=path, prefer_css_page_size=True, **options)
    done = subprocess.run(["pdftotext", str(path), "-"], check=True, capture_output=True, text=True)
    return done.stdout.split("\f")[:-1]


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="reads PDF files with pdftotext")
def test_printing_prints_the_report(chromium: Browser, studio: Studio, tmp_path: Path) -> None:
    with page_of(chromium, studio, "/report/sample", locale="ja-JP") as page:
        page.click("#appendix > summary")
        page.check(".appendix input")
        from_studio = text_of_pages(page, tmp_path)
        studio_words = page.locator(".top").inner_text().split("\n")[0]
    alone = chromium.new_page(locale="ja-JP")
    alone.goto((SAMPLE / "report.html").as_uri())
    alone.click("#appendix > summary")
    alone.check(".appendix input")
    for pages in (from_studio, text_of_pages(alone, tmp_path)):
        begins = next(number for number, text in enumerate(pages) if text.lstrip().startswith("付録"))
        assert 1 <= begins <= 2, "the answer takes two pages at most"
        assert pages[0].lstrip().startswith("チャトラ改定案")
        assert not re.search(f"The answer|{re.escape(studio_words)}", "".join(pages))
    alone.close()


@pytest.mark.thorough
def test_the_copy_of_a_hostile_report_asks_for_nothing(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/evil", quiet=True) as page:
        expect(page.locator("h1")).to_have_text("hostile")
        found = page.evaluate("""async () => {
          const { copyReport } = await import("studio/report.js");
          const box = document.createElement("div");
          const page = await (await fetch("/report-files/evil/report.html")).text();
          box.append(...copyReport(`${page}<meta http-equiv="refresh" content="0;url=/"><base href="/x">`));
          return box.innerHTML;
        }""")
        assert "hostile" in found and "paper" in found and "leads elsewhere" in found
        for word in (*FORBIDDEN, "onclick", "onerror", "fixed", "evil", "javascript"):
            assert word not in found, word


@pytest.mark.thorough
def test_rulesets_of_reports_stand_in_one_table(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/compare?report=sample&report=older") as page:
        page.wait_for_selector(".compare tbody tr")
        rows = page.locator(".compare [data-row]")
        expect(rows).to_have_count(14)
        expect(rows.filter(has=page.locator(".difference"))).to_have_count(12)
        expect(page.locator(".compare .of").last).to_contain_text("compared with Rules of September 2007")
        for words in ("64.0 %", "−8.5", "less fair, likely 81 %"):
            expect(page.locator("[data-report=sample][data-row='chatra/D']")).to_contain_text(words)
        page.select_option("[data-do=base]", "sample|chatra/D")
        expect(page.locator("tr.baseline").first).to_have_attribute("data-row", "chatra/D")
        page.check("[data-do=all]")
        expect(rows).to_have_count(42)
        page.click(".chosen-ones .chip a >> nth=1")
        page.wait_for_url("**/compare?report=sample")
        expect(rows).to_have_count(7)
        page.select_option("[data-do=add-report]", "older")
        page.wait_for_url("**/compare?report=sample&report=older")


def test_rules_without_a_report_are_compared_by_what_they_say(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/compare?ruleset=star/4x4&ruleset=new/star/5x5&ruleset=star/none") as page:
        expect(page.locator(".chip")).to_have_count(2)
        expect(page.locator(".said dt")).to_have_count(4)
        page.select_option("[data-do=add-ruleset]", "star/default")
        expect(page.locator(".chip")).to_have_count(3)


@pytest.mark.thorough
def test_a_hostile_report_reaches_nothing(chromium: Browser, studio: Studio, stun: socket.socket) -> None:
    with page_of(chromium, studio, "/report/evil", quiet=True) as page:
        asked: list[str] = []
        page.context.on("requestfinished", lambda request: asked.append(request.url))
        page.reload()
        expect(page.locator("h1")).to_have_text("hostile")
        page.click("#late")
        expect(page.locator("#late")).to_have_text("late")
        assert "hacked" not in page.title() and page.url.endswith("/report/evil")
        page.goto(f"{studio.root}/report-files/evil/report.html")
        expect(page.locator("pre")).to_contain_text("<h1>hostile</h1>")
        assert not [url for url in asked if "evil.example" in url]
    with pytest.raises(TimeoutError):
        stun.recv(100)


def test_the_listener_hears_what_a_page_that_is_not_shut_in_calls(chromium: Browser, stun: socket.socket) -> None:
    page = chromium.new_page()
    stun.settimeout(PATIENCE)
    # The call alone: what else the hostile page tries leads it away from itself, and its call with it.
    page.set_content(f"<script>{CALL}</script>".replace("STUN_PORT", str(stun.getsockname()[1])))
    assert stun.recv(100)[4:8] == bytes.fromhex("2112a442"), "the mark of STUN"
    page.close()


def test_no_file_is_too_odd(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert report_files.list_reports(project) == {}
    (tmp_path / "reports" / "x").mkdir(parents=True)
    os.mkfifo(tmp_path / "reports" / "x" / "report.html")
    assert report_files.list_reports(project) == {} and report_files.resolve_address(project, "x/report.html") is None
    assert report_files.read_content(tmp_path / "reports" / "x" / "report.html") is None


# Comparing


STRONG = """\
ruleset,measure,compared,verdict,direction,reason,now,now_low,now_high,likely,fairness,likely_fairer
chatra/2007-09,first_score,False,settled,more,,0.2,0.16,0.24,1,,
chatra/B,first_score,False,settled,more,,0.15,0.11,0.19,1,,
chatra/B,first_score,True,settled,less,,-0.05,-0.08,-0.02,0.001,fairer,0.999
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("reports") / "sample"
    shutil.copytree(SAMPLE, folder)
    (folder / "tables" / "strong_verdicts.csv").write_text(STRONG)
    return Source("sample", folder, "A title", 0.0)


def rows_of(source: Source, baseline: str, language: str = "en") -> dict[tuple[str, str], Any]:
    (report,) = compare_reports([source], (source.name, baseline), language)["reports"]
    assert report["baseline"] == baseline
    return {(row["ruleset"].partition("/")[2], row["players"]): row for row in report["rows"]}


def test_numbers_are_those_of_the_report(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    with (SAMPLE / "tables" / "comparisons.csv").open(encoding="utf-8") as stream:
        compared = [row for row in csv.DictReader(stream) if row["measure"] == "plies_mean"]
    assert len(compared) == 18
    for row in compared:
        shown = rows[row["ruleset"].partition("/")[2], row["first"]]["values"]["plies_mean"]
        numbers = [float(each.replace("−", "-")) for each in re.findall(r"[-+−]?[\d.]*\d", shown["difference"])]
        assert numbers == pytest.approx([float(row[key]) for key in ("difference", "low", "high")], abs=0.051)
        assert shown["sort"] == pytest.approx(float(row["value"]), rel=1e-4)
    certainty = rows["D", "alphabeta-2"]["certainty"]
    page = (SAMPLE / "report.html").read_text(encoding="utf-8")
    assert f'<span lang="en">{certainty["text"]}</span>' in page and f">{certainty['chance']}<" in page, (
        "as on the card"
    )
    assert rows["D", "random"]["certainty"]["text"] == "yardstick"


def test_a_difference_has_the_sign_that_the_report_gives_it(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    for name in ("A", "B", "C", "D", "E"):
        shown = rows[name, "alphabeta-2"]["values"]["first_score"]
        even = abs(rows["2007-09", "alphabeta-2"]["values"]["first_score"]["sort"] - 0.5) - abs(shown["sort"] - 0.5)
        assert shown["difference"].startswith("+" if even > 0 else "−"), "plus is nearer to 50 %"


def test_changes_that_never_acted_are_said_to_be_silent(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_view, "_silent_rulesets", lambda read, baseline: frozenset({"chatra/D"}))
    certainty = rows_of(replace(source, changed=1.0), "chatra/2007-09")["D", "alphabeta-2"]["certainty"]
    assert certainty["text"].startswith("unknown") and certainty["chance"] == ""


def test_any_ruleset_may_be_the_baseline_but_is_sure_of_nothing(source: Source) -> None:
    rows = rows_of(source, "chatra/D", "ja")
    own, other = rows["D", "greedy"], rows["2007-09", "greedy"]
    assert own["values"]["first_score"]["difference"] == ""
    there = rows_of(source, "chatra/2007-09")["D", "greedy"]["values"]["first_score"]["difference"]
    signs = str.maketrans("+−", "−+")
    assert other["values"]["first_score"]["difference"].split()[0] == there.split()[0].translate(signs)
    assert "確実" not in other["certainty"]["text"]
    strong = rows["B", "強いプレイヤー（推定）"]
    assert strong["values"]["first_score"]["difference"] == strong["certainty"]["text"] == ""


def test_strong_play_is_as_the_report_estimates_it(source: Source) -> None:
    rows = rows_of(source, "chatra/2007-09")
    row = rows["B", "strong play (estimate)"]
    score = row["values"]["first_score"]
    assert (score["text"], score["ends"]) == ("65.0\N{NO-BREAK SPACE}%", "61.0–69.0")
    assert score["difference"] == "+5.0 (+2.0…+8.0)", "plus is fairer, as in the report"
    assert (row["certainty"]["text"], row["certainty"]["kind"]) == ("fairer, settled", "good")
    assert ("A", "strong play (estimate)") not in rows
    without = Source("sample", SAMPLE, "A title", 2.0)
    assert not any(players.startswith("strong") for _, players in rows_of(without, "chatra/2007-09"))


def test_toggles_that_differ_say_what_each_ruleset_says(source: Source) -> None:
    opening, *others = compare_reports([source], ("", ""), "en")["toggles"]
    assert len(others) == 4 and all(len(toggle["sentences"]) > 1 for toggle in others)
    said = {name: opening["sentences"][place]["text"] for name, place in opening["of"].items()}
    assert "proposal C" in said["sample|chatra/C"] and said["sample|chatra/A"] == said["sample|chatra/2007-09"]


def test_what_rulesets_draw_is_compared_by_pictures() -> None:
    base = wb.ruleset("chatra/9x9")
    rows = "xxxxxxxxx/" * 3 + "xxx...xxx/"
    drawn = [base.derive(object_area=rows + last) for last in ("xxx...xxx", "xx.....xx")]
    (toggle,) = compare_view._differing_toggles([(str(n), one) for n, one in enumerate((base, *drawn))], "en")
    assert toggle["of"] == {"0": 0, "1": 1, "2": 2}
    assert [each["text"] for each in toggle["sentences"][1:]] == ["Objects may be placed only on marked squares."] * 2
    pictures = [each["picture"] for each in toggle["sentences"]]
    assert not pictures[0] and "<svg" in pictures[1] and pictures[1] != pictures[2]


@pytest.mark.thorough
def test_what_cannot_be_read_says_so_and_leaves_the_others(source: Source, tmp_path: Path) -> None:
    found = compare_reports([Source("gone", tmp_path, "Gone", 0.0), source], ("gone", "x"), "en")["reports"]
    assert "there is no such file" in found[0]["trouble"] and "rows" not in found[0]
    assert found[1]["baseline"] == "chatra/2007-09" and found[1]["rows"]
