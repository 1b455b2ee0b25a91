"""report.html in a real browser: what a designer sees, clicks and sends around, and the replay of its games."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests import few
from tests.report_folders import copy_records
from workbench import report
from workbench.base.language import bilingual, speaking
from workbench.experiments import experiment
from workbench.positions.game_state import UNIT
from workbench.records import provenance
from workbench.records.records import read_traces
from workbench.report.folders import read_report_trials, read_run_provenance
from workbench.report.model import Replay
from workbench.report.sections.games import choose_games, replay_games
from workbench.runs import runner
from workbench.statistics import AnalysisPlan

SAMPLE = Path(__file__).resolve().parent / "data" / "sample"
PHONE, DESK = 390, 1280


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, no_charts_in_module: None) -> report.Report:
    folder = tmp_path_factory.mktemp("sample")
    copy_records(SAMPLE, folder)
    return report.write_report(folder)


CLIPBOARD = (
    "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}});"
)


@contextmanager
def visit(browser: Browser, file: Path, width: int = DESK, fragment: str = "", **options: Any) -> Iterator[Page]:
    """An open report, which may do nothing behind the reader's back."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    page.add_init_script(CLIPBOARD)
    # Most of what is tested stands in the fold of the appendix.
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => document.querySelector('#appendix')?.setAttribute('open', ''))"
    )
    errors: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri() + fragment)
    yield page
    context.close()
    assert errors == []
    assert {url for url in requests if not url.startswith("data:")} == {file.as_uri()}, "a request left the file"


@pytest.fixture
def page(chromium: Browser, made: report.Report) -> Iterator[Page]:
    with visit(chromium, made.folder / "report.html") as page:
        yield page


@pytest.mark.thorough
def test_it_opens_and_is_used_without_errors_and_without_any_request(page: Page) -> None:
    assert page.title() == "A first look at the proposals for Chatra"
    for summary in page.query_selector_all("details:not(#appendix) > summary"):
        summary.click()
    for button in page.query_selector_all("thead button"):
        button.click()
    for value in page.eval_on_selector_all("[data-part=picker] option", "all => all.map((each) => each.value)"):
        page.select_option("[data-part=picker]", value)
        page.click("[data-part=last]")
    page.click("button[data-lang=ja]")


def test_a_link_into_the_appendix_opens_it(chromium: Browser, made: report.Report) -> None:
    page = chromium.new_page()
    page.goto((made.folder / "report.html").as_uri())
    fold = page.locator("#appendix")
    expect(fold).not_to_have_attribute("open", "")
    page.evaluate("location.hash = 'scorecard'")
    expect(fold).to_have_attribute("open", "")
    expect(page.locator("#scorecard h2")).to_be_in_viewport()
    page.close()


def board(page: Page) -> dict[int, str]:
    uses = page.eval_on_selector_all(
        "#viewer .pieces use",
        """all => all.map((each) => [Number(each.getAttribute("x")), Number(each.getAttribute("y")),
             document.querySelector(each.getAttribute("href")).dataset.piece])""",
    )
    columns = int(page.get_attribute("#viewer svg.board", "data-columns") or 0)
    return {(y // 10) * columns + x // 10: piece for x, y, piece in uses}


def replayed(folder: Path) -> list[Replay]:
    said = provenance.load_provenance(folder)
    plan = AnalysisPlan.from_provenance(said)
    names = [variant.name for variant in plan.rulesets]
    chosen = choose_games(pd.read_parquet(folder / "trials"), names, plan.pairings)
    return [game for game in replay_games(chosen, plan, said["weights"]) if game.moves is not None]


def positions(game: Replay) -> list[dict[int, str]]:
    """The pieces on the board before the first move and after each, by the `GameState`."""
    cells = [[symbol for row in board.cells for symbol in row] for board in game.boards()]
    return [{i: symbol for i, symbol in enumerate(each) if symbol} for each in cells]


def test_the_replay_steps_to_the_end_and_shows_the_boards_of_the_game(page: Page, made: report.Report) -> None:
    games_shown = replayed(made.folder)
    assert len(games_shown) >= 3 * 7
    for number in (0, 1, len(games_shown) - 1):
        game, boards = games_shown[number], positions(games_shown[number])
        page.select_option("[data-part=picker]", str(number))
        for ply in range(1, min(game.plies, 16) + 1):
            page.click("[data-part=next]")
            assert page.inner_text("[data-part=move]") == game.game_state.texts[ply - 1]
            assert board(page) == boards[ply]
        page.keyboard.press("End")
        assert page.inner_text("[data-part=ply]") == f"{game.plies} / {game.plies}"
        assert board(page) == boards[-1]
        page.click("[data-part=previous]")
        assert board(page) == boards[-2]


COLUMN = """(table, heading) => {
  const at = [...table.tHead.rows[0].cells].findIndex((each) => each.innerText.includes(heading));
  return [...table.tBodies[0].rows].map((row) => Number(row.cells[at].dataset.v));
}"""


def column(page: Page, heading: str) -> list[float]:
    return list(page.locator("#scorecard table").first.evaluate(COLUMN, heading))


def test_tables_sort_by_click_and_keyboard_and_say_so(page: Page) -> None:
    head = page.locator("#scorecard th", has_text="points from even")
    assert head.get_attribute("aria-sort") == "none"
    before = column(page, "points from even")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "points from even") == sorted(before, reverse=True) != before
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "points from even") == sorted(before)
    page.locator("#scorecard th", has_text="ruleset").locator("button").click()
    assert head.get_attribute("aria-sort") == "none"
    assert column(page, "points from even") == before, "names sort in the order of the experiment"


ROWS = "all => all.map((each) => [each.tBodies[0].rows.length > 3, each.tHead.querySelector('button') !== null])"
"""Of tables: is it a large one, and can it be sorted?"""


def test_the_keyboard_skips_the_contents_and_stops_where_there_is_something_to_do(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    assert page.locator(page.locator(".skip").get_attribute("href") or "?").count() == 1
    assert all(large and sortable for large, sortable in page.eval_on_selector_all("table.sortable", ROWS))
    stops = "all => all.map((each) => [each.scrollWidth > each.clientWidth + 2, each.tabIndex === 0])"
    tables = page.eval_on_selector_all(".scroll:not(.window, #appendix details *)", stops)
    assert tables and all(wide == stop for wide, stop in tables)


def test_the_language_switches_all_that_is_read(page: Page) -> None:
    english = page.inner_text("body")
    assert "What the proposals change" in english and "各案のルール変更" not in english
    page.click("button[data-lang=ja]")
    japanese = page.inner_text("body")
    assert page.title() == "チャトラ改定案を手早く見る"
    assert "What the proposals change" not in japanese and "各案のルール変更" in japanese
    assert page.locator("[data-part=picker] option").first.inner_text().count("最短") == 1
    assert page.get_attribute("[data-part=next]", "aria-label") == "1手進む"
    page.select_option("[data-part=picker]", "3")
    assert "手で" in page.inner_text("[data-part=ending]")


def test_it_opens_in_the_language_that_was_asked_for(chromium: Browser, reported: Path, no_charts: None) -> None:
    content = provenance.load_provenance(reported)
    content["experiment"]["title_ja"] = "どれがよいか"
    provenance.save_provenance(reported, content)
    report.write_report(reported, "ja")
    assert (reported / "report.md").read_text(encoding="utf-8").startswith("# どれがよいか")
    with speaking("ja"):
        report.write_report(reported)
    assert (reported / "report.md").read_text(encoding="utf-8").startswith("# どれがよいか"), "spoken, not asked for"
    assert '<html lang="ja" data-follow>' in (reported / "report.html").read_text(encoding="utf-8")
    with visit(chromium, reported / "report.html", java_script_enabled=False) as page:
        assert page.title() == "どれがよいか"
        assert "結論" in page.inner_text("body") and "The answer" not in page.inner_text("body")


@pytest.mark.thorough
def test_it_remembers_the_language_that_its_reader_chose(
    chromium: Browser, made: report.Report, tmp_path: Path
) -> None:
    language = "document.documentElement.lang"
    follows, fixed = made.folder / "report.html", tmp_path / "fixed.html"
    fixed.write_text(follows.read_text(encoding="utf-8").replace(" data-follow>", ">"), encoding="utf-8")
    with visit(chromium, follows, locale="en-US") as page:
        page.click("button[data-lang=ja]")
        page.reload()
        assert page.evaluate(language) == "ja"
        assert page.get_attribute("button[data-lang=ja]", "aria-pressed") == "true"
    with visit(chromium, fixed, locale="ja-JP") as page:
        assert page.evaluate(language) == "en", "asked for when it was written"
    # Some browsers keep nothing for files, and say so with an error.
    blocked = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    with visit(chromium, follows, locale="ja-JP") as page:
        page.add_init_script(blocked)
        page.reload()
        assert page.evaluate(language) == "ja"
        page.click("button[data-lang=en]")
        assert page.evaluate(language) == "en"


def test_tables_that_go_on_beyond_a_phone_show_it(chromium: Browser, made: report.Report) -> None:
    with visit(chromium, made.folder / "report.html", PHONE) as page:
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.wait_for_timeout(100)
        states = page.eval_on_selector_all(
            ".scroll", "all => all.map((each) => [each.scrollWidth > each.clientWidth + 2, each.matches('.more')])"
        )
        assert any(wide for wide, _ in states) and all(wide == shown for wide, shown in states)
        table = page.locator("#scorecard .scroll")
        assert table.evaluate("each => getComputedStyle(each).maskImage").startswith("linear-gradient")
        table.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
        page.wait_for_timeout(100)
        assert table.evaluate("each => getComputedStyle(each).maskImage") == "none"


CHARTS = "svg.strip, .plot .name, .plot .values, .legend li"
BADLY_LABELLED = """(charts) => [...document.querySelectorAll(charts)].flatMap((each) => {
  const texts = each.localName === "svg" ? [...each.querySelectorAll("text")] : [each];
  const all = texts.filter((text) => text.checkVisibility() && text.textContent.trim()).map((text) => ({
    box: text.getBoundingClientRect(), size: parseFloat(getComputedStyle(text).fontSize), text: text.textContent }));
  const cut = all.filter(({ box, size }) => box.width && (box.left < -1 || box.right > innerWidth + 1 || size < 11));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const over = all.filter(({ box }, n) => all.slice(n + 1).some((other) => meet(box, other.box)));
  return [...cut, ...over].map((found) => found.text);
})"""
"""The texts of charts that are cut off, small or overprinted."""


def test_on_a_phone_the_answer_is_short_and_charts_keep_their_labels(chromium: Browser, made: report.Report) -> None:
    with visit(chromium, made.folder / "report.html", PHONE, locale="ja-JP") as page:
        assert page.locator("#appendix").bounding_box()["y"] <= 4 * 844  # type: ignore[index]
        assert page.evaluate(BADLY_LABELLED, CHARTS) == []


@pytest.mark.parametrize(("width", "lang"), few.first(1, itertools.product([PHONE, DESK], ["ja", "en"])))
def test_nothing_is_wider_than_the_window(chromium: Browser, made: report.Report, width: int, lang: str) -> None:
    with visit(chromium, made.folder / "report.html", width) as page:
        page.click(f"button[data-lang={lang}]")
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        command = f"<p class=command><code>workbench run {'a-long-name ' * 9}</code></p>"
        page.evaluate("command => document.querySelector('main').insertAdjacentHTML('afterbegin', command)", command)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Words beside a chart belong to it: they may not run into what stands to their right.
        wide = page.eval_on_selector_all(
            ".plot .values, .plot .name", "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
        )
        assert wide == 0


def test_every_picture_has_a_sentence_for_those_who_do_not_see_it(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for lang in ("en", "ja"):
        page.click(f"button[data-lang={lang}]")
        pictures = page.locator("[role=img]").count()
        assert pictures >= 10
        named = page.get_by_role("img", name=re.compile(r"\S.{10,}"))
        assert named.count() == pictures
    japanese = page.get_by_role("group", name=re.compile("最も強いプレイヤー")).first.aria_snapshot()
    assert "strongest players" not in japanese and "55.5 % (48.6–62.2)" in japanese.replace("\xa0", " ")


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", few.first(1, ["dark", "light"]))
def test_text_and_charts_stand_out_from_the_paper(chromium: Browser, made: report.Report, scheme: str) -> None:
    # Ratios of WCAG 2.2: 4.5 for text (1.4.3), 3 for what a chart is read by (1.4.11).
    with visit(chromium, made.folder / "report.html", color_scheme=scheme) as page:
        paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (paper > 0.5) == (scheme == "light")

        def contrast(selector: str, style: str) -> float:
            ink = luminance(page.locator(selector).first.evaluate(f"each => getComputedStyle(each).{style}"))
            low, high = sorted((ink, paper))
            return (high + 0.05) / (low + 0.05)

        for selector in ("h1", "p", "figcaption", ".small", "a", ".verdict", "summary"):
            assert contrast(selector, "color") >= 4.5, selector
        for series in range(3):
            assert contrast(f".plot .s{series} .interval", "stroke") >= 3, series
        assert contrast(".tick", "fill") >= 4.5


@pytest.mark.thorough
def test_on_paper_all_is_open_and_the_answer_takes_two_sheets_at_most(chromium: Browser) -> None:
    # A4 with margins of 12 mm, at 96 pixels an inch.
    width, height = (int(side / 25.4 * 96) for side in (210 - 24, 297 - 24))
    with visit(chromium, SAMPLE / "report.html", width) as page:
        page.check(".appendix input")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        appendix = page.locator("#appendix")
        assert appendix.evaluate("each => each.getBoundingClientRect().top + scrollY") <= 2 * height
        assert appendix.evaluate("each => getComputedStyle(each).breakBefore") == "page"
        assert page.locator(".finding").count() == 6 and page.locator("#answer table").count() == 0
        assert page.locator("details:not([open])").count() == 0
        for control in (".languages", "nav", ".controls"):
            assert not page.locator(control).first.is_visible()
        assert page.locator("#viewer svg.board").is_visible()
        head = page.locator("table.sortable thead button").first
        assert head.evaluate("each => getComputedStyle(each).display") == "contents", "Chromium repeats no button"
        key = page.locator(".legend li svg").first
        assert key.evaluate("each => each.getBoundingClientRect().width") >= 28, "its line is so long"


def test_without_its_script_the_page_still_says_everything(chromium: Browser, made: report.Report) -> None:
    with visit(chromium, made.folder / "report.html", java_script_enabled=False) as page:
        assert "The answer" in page.inner_text("body") and "結論" not in page.inner_text("body")
        assert page.locator("#viewer .pieces use").count() > 0
        assert page.locator("ol.moves li").count() > 0
        assert not page.locator(".languages").is_visible()
        assert not page.locator(".controls").is_visible()


# The replay


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, no_charts_in_module: None) -> Path:
    place = tmp_path_factory.mktemp("replay")
    keys = "rulesets: [chatra/9x9, star/5x5]\nagents: [random, greedy]\ngames: 8\nmax_plies: 90\nseed: 5\n"
    (place / "looks.yaml").write_text(f"title: Games to look at\n{keys}", encoding="utf-8")
    runner.run_experiment(experiment.load_experiment(place / "looks.yaml"), place / "out", workers=1)
    report.write_report(place / "out")
    return place / "out"


def data(folder: Path) -> dict[str, Any]:
    page = (folder / "report.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'id="games-data">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(found))


def greedy(folder: Path, game: str = "chatra") -> tuple[int, dict[str, Any]]:
    """The longest game of the greedy players that the report shows, and its number in the list."""
    shown = enumerate(data(folder)["games"])
    return max(
        ((number, one) for number, one in shown if one["id"].startswith(f"{game}/") and "/greedy/greedy/" in one["id"]),
        key=lambda each: len(each[1]["moves"]),
    )


@pytest.mark.thorough
def test_every_event_is_the_ply_of_the_count_in_the_records(folder: Path) -> None:
    provenance = read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(folder, provenance, plan.pairings).frame()
    reasons: Any = [(bilingual(en="all", ja="全部"),)] * len(trials)
    chosen = trials.assign(reasons=reasons)
    played = replay_games(chosen, plan, provenance["weights"])
    assert len(played) == len(trials) == 32
    happened_at_all = set()
    counted = {
        "chatra": ("checks", "captures", "slides", "centre_entries", "offside_drops", "quiet_moves"),
        "star": ("placements", "jumps", "fouls"),
    }
    for game, record in zip(played, chosen.to_dict("records"), strict=True):
        happened = [(name, ply) for ply, names in enumerate(game.game_state.ply_events(), 1) for name in names]
        plies = Counter(name for name, _ in happened)
        happened_at_all |= set(plies)
        for name in counted[game.family]:
            assert plies[name] == record[f"event_{name}"], name
        for name, ply in happened:
            assert "limits" not in name or record[f"event_{name}"] == ply, "this one is not a count: it holds the ply"
    assert {"checks", "captures", "limits_ended_by_check", "placements", "jumps"} <= happened_at_all


@pytest.mark.thorough
def test_the_curve_is_the_trace_of_the_run_and_random_players_have_none(folder: Path) -> None:
    traced = read_traces(folder)
    cells = zip(traced["ruleset"], traced["first"], traced["second"], traced["game"], strict=True)
    kept = {
        f"{ruleset}/{first}/{second}/{game + 1}": evaluations
        for (ruleset, first, second, game), evaluations in zip(cells, traced["evaluations"], strict=True)
    }
    for game in data(folder)["games"]:
        if "/random/random/" in game["id"]:
            assert game["curve"] == []
        else:
            assert game["curve"][:-1] == [round(int(value) / (UNIT / 100)) for value in kept[game["id"]]][:-1]
            ended = "Stopped after" not in game["ending"]
            assert not ended or game["curve"][-1] in (-100, 0, 100), "a game that has ended is where its result is"
    assert any(game["curve"] for game in data(folder)["games"]) and not any("random/random" in game for game in kept)


def test_the_event_of_a_ply_is_told_and_its_move_is_marked(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    words = data(folder)["families"]["chatra"]["happened"]
    ruled = [int(ply) for ply, which in game["events"].items() if any(words[place][1] for place in which)]
    quiet = next(ply for ply in range(1, len(game["moves"])) if str(ply) not in game["events"])
    with visit(chromium, folder / "report.html", locale="ja-JP") as page:
        page.select_option("[data-part=picker]", str(number))
        marked = page.locator(".moves button[data-rule]")
        expect(marked).to_have_count(len(ruled))
        marked.first.click()
        assert page.inner_text("[data-part=ply]") == f"{ruled[0]} / {len(game['moves'])}"
        happened = [words[place] for place in game["events"][str(ruled[0])]]
        japanese = [re.sub(r'.*<span lang="ja">(.*)</span>', r"\1", text) for text, _ in happened]
        assert page.inner_text("[data-part=event]").split(" · ") == japanese
        assert page.locator("[data-part=event] b").count() == sum(by_rule for _, by_rule in happened)
        page.locator(".moves button").nth(quiet - 1).click()
        assert page.inner_text("[data-part=event]") == ""


def test_what_stands_where_is_told_and_the_moves_are_one_stop(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder, "star")
    with visit(chromium, folder / "report.html", locale="en-US") as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator(".moves button").first.click()
        standing = page.locator("[data-part=standing]")
        expect(standing).to_have_text(re.compile(rf"First \(○\) piece: {game['moves'][0]}$"), use_inner_text=True)
        for key, place in (("ArrowRight", 1), ("End", len(game["moves"]) - 1), ("Home", 0)):
            page.keyboard.press(key)
            expect(page.locator(".moves button").nth(place)).to_be_focused()
            assert page.locator(".moves button[tabindex='0']").count() == 1
        for key in ("Home", "End"):
            page.keyboard.press(key)
            squares = re.findall(r"\b[a-z]\d+\b", page.inner_text("[data-part=standing]"))
            assert page.locator("[data-part=board] use").count() == len(squares)


def test_a_click_on_the_curve_goes_to_its_ply(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with visit(chromium, folder / "report.html") as page:
        page.select_option("[data-part=picker]", str(number))
        curve = page.locator(".curve")
        curve.scroll_into_view_if_needed()
        box = curve.bounding_box()
        assert box
        for wanted in (plies // 3, plies // 2, 0):
            page.mouse.click(box["x"] + box["width"] * wanted / plies, box["y"] + 20)
            assert page.inner_text("[data-part=ply]") == f"{wanted} / {plies}"
            assert curve.get_attribute("aria-valuenow") == str(wanted)
        page.keyboard.press("ArrowRight")
        assert page.inner_text("[data-part=value]") == f"{int(50 + game['curve'][0] / 2 + 0.5)} %"


@pytest.mark.thorough
def test_it_plays_by_itself_until_a_key_or_the_end(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with visit(chromium, folder / "report.html") as page:
        # Time stands still but for what the test lets pass.
        page.clock.install(time=0)
        page.reload()
        page.clock.pause_at(3_600_000)
        page.select_option("[data-part=picker]", str(number))
        place = page.locator("[data-part=ply]")
        page.focus("#viewer")
        page.keyboard.press(" ")
        page.clock.run_for(2500)
        expect(place).to_have_text(f"3 / {plies}")
        page.keyboard.press(" ")
        page.clock.run_for(5000)
        expect(place).to_have_text(f"3 / {plies}")
        page.select_option("[data-part=speed]", "5")
        page.click("[data-part=play]")
        page.clock.run_for(500)
        expect(place).to_have_text(f"6 / {plies}")
        # The button in the place of the one that was pressed has the keys; pressing it is one press, not two.
        assert page.evaluate("document.activeElement.dataset.part") == "pause"
        page.keyboard.press(" ")
        page.clock.run_for(5000)
        expect(place).to_have_text(f"6 / {plies}")
        page.click("[data-part=play]")
        page.clock.run_for(200 * plies)
        expect(place).to_have_text(f"{plies} / {plies}")
        expect(page.locator("[data-part=pause]")).to_be_hidden()


@pytest.mark.thorough
def test_a_link_leads_to_the_ply_and_is_followed_when_it_changes(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    with visit(chromium, folder / "report.html") as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator(".moves button").nth(6).click()
        page.click("[data-part=link]")
        expect(page.locator("[data-part=copied]")).to_be_visible()
        link = page.evaluate("window.copied")
    assert link.endswith(f"#game={game['id']}&ply=7")
    with visit(chromium, folder / "report.html", fragment="#" + link.partition("#")[2]) as page:
        assert page.input_value("[data-part=picker]") == str(number)
        assert page.inner_text("[data-part=ply]") == f"7 / {len(game['moves'])}"
        assert page.evaluate("scrollY") > 0
        page.evaluate("location.hash = 'game=star/none/greedy/greedy/1&ply=2'")
        assert page.input_value("[data-part=picker]") == str(number), "there is no such game"
        page.evaluate(f"location.hash = 'game={data(folder)['games'][0]['id']}'")
        expect(page.locator("[data-part=picker]")).to_have_value("0")


def test_a_game_is_copied_as_text_in_the_language_of_the_page(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    with visit(chromium, folder / "report.html", locale="ja-JP") as page:
        page.select_option("[data-part=picker]", str(number))
        page.click("[data-part=text]")
        expect(page.locator("[data-part=copied]")).to_be_visible()
        about, moves, ending = page.evaluate("window.copied").splitlines()
        # Browsers that give no clipboard copy what is selected.
        page.evaluate(
            "navigator.clipboard.writeText = () => Promise.reject(new Error('no')); window.copied = '';"
            "document.execCommand = () => { window.copied = document.activeElement.value; };"
        )
        page.click("[data-part=text]")
        page.wait_for_function("window.copied && !document.querySelector('textarea')")
    assert "局中の第" in about and "game" not in about
    assert moves.split() == game["moves"]
    assert re.search("手で|打ち切り", ending)


def test_a_phone_is_swiped(chromium: Browser, folder: Path) -> None:
    number, game = greedy(folder)
    plies = len(game["moves"])
    with visit(chromium, folder / "report.html", PHONE, has_touch=True, is_mobile=True) as page:
        page.select_option("[data-part=picker]", str(number))
        page.locator("[data-part=board]").scroll_into_view_if_needed()
        device = page.context.new_cdp_session(page)

        def swipe(right: int, down: int) -> None:
            box = page.locator("[data-part=board]").bounding_box()
            assert box
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            for kind, part in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)):
                point = {"x": x + right * part, "y": y + down * part}
                device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
            device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        place = page.locator("[data-part=ply]")
        page.locator("#viewer").press("End")
        for right, down, ply in ((90, 5, plies - 1), (90, 5, plies - 2), (-90, -5, plies - 1)):
            swipe(right, down)
            expect(place).to_have_text(f"{ply} / {plies}")
        swipe(10, 0)
        swipe(40, 90)
        expect(place).to_have_text(f"{plies - 1} / {plies}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
