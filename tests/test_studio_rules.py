"""The studio's page of rules, in Chromium, with areas and start positions that are painted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import few
from tests.studio import (
    COMMAND,
    HOSTILE,
    ROOT,
    Studio,
    fresh,
    opened,
    own_project,
    page_of,
    rules_page,
    sentence,
    store_of,
    unfold,
    until,
    yaml,
)
from workbench import games
from workbench.base.errors import InputError
from workbench.base.project import Project
from workbench.games.drawings import Drawing
from workbench.rules.edits import read_ruleset_text
from workbench.studio.documents.rulesets import RulesetDocument
from workbench.studio.pages.rules.view import RulesView, chosen_setting
from workbench.studio.visitor import Visitor


def choose(page: Page, toggle: str, label: str) -> None:
    page.locator(f"#toggle-{toggle} .option", has=page.locator("code", has_text=re.compile(f"^{label}$"))).click()


@pytest.mark.thorough
def test_the_first_page_leads_to_the_current_rules_of_each_game(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, studio.address.removeprefix(studio.root)) as page:
        cards = page.locator(".cards a")
        for family in map(games.declaration, games.shipped()):
            card = page.get_by_role("link", name=str(family.title), exact=True)
            expect(card).to_have_accessible_description(str(family.introduction))
        for picture in cards.locator("img").all():
            expect(picture).not_to_have_js_property("naturalWidth", 0)
        cards.filter(has_text="Chatra").click()
        page.wait_for_url("**/rules/chatra/2008-02")
        expect(page.locator(".chip, .toggle.changed, .main:not(dialog *)")).to_have_count(0)


def test_a_choice_rewrites_the_rule_book_and_the_yaml(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio) as page:
        fresh(page)
        before = sentence(page, "foul").inner_text()
        choose(page, "foul", "off")
        expect(yaml(page)).to_have_value(re.compile(r"\nrules:\n  foul: off\n$"))
        changed = sentence(page, "foul")
        expect(changed).to_have_class(re.compile("changed"))
        expect(changed.locator(".was")).to_have_text(f"Base: {before}")
        expect(page.locator("#toggle-foul")).to_have_class(re.compile("changed"))
        expect(page.locator(".chip")).to_have_text(re.compile("off$"))
        page.click("[data-do=undo]")
        expect(page.locator(".chip")).to_have_count(0)
        expect(sentence(page, "foul")).to_have_text(before)
        page.click("[data-do=redo]")
        expect(page.locator(".chip")).to_have_text(re.compile("off$"))
        # What is as in the base is not written.
        page.locator("#toggle-foul .option", has_text="base").locator("input").check()
        expect(yaml(page)).to_have_value(re.compile(r"\nrules:\n$"))


def test_yaml_that_is_typed_chooses_and_its_mistakes_are_those_of_check(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio) as page:
        fresh(page)
        text = "game: star\nextends: 5x5\ntitle: Typed\nrules:\n  foul: of\n  sise: 4\n"
        yaml(page).fill(text)
        problems = page.locator(".verdict .problems li")
        expect(problems).to_have_count(2)
        (studio.project / "rulesets" / "star" / "my-rules.yaml").write_text(text)
        told = subprocess.run(
            [sys.executable, "-c", COMMAND, "check", "star/my-rules"],
            cwd=studio.project, env={"PYTHONPATH": str(ROOT), "PATH": ""}, capture_output=True, text=True,
        ).stderr.splitlines()  # fmt: skip
        (studio.project / "rulesets" / "star" / "my-rules.yaml").unlink()
        assert len(told) == 2
        for line, shown in zip(told, problems.all(), strict=True):
            place, key, message = line.split(": ", 2)
            # The page calls a known rule by its title, too.
            line = shown.text_content() or ""
            assert line.startswith(f"line {place.rpartition(':')[2]}") and key in line
            assert re.sub(r"\s", "", message) in re.sub(r"\s", "", line)
        expect(page.locator(".numbers li.wrong")).to_have_text(["5", "6"])
        expect(page.locator("[data-do=save]")).to_be_disabled()
        page.locator(".verdict a", has_text="line 6").click()
        selected = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
        assert yaml(page).evaluate(selected) == "  sise: 4"
        yaml(page).fill(text.replace("foul: of", "foul: off").replace("sise", "size"))
        expect(page.locator(".verdict.wrong")).to_have_count(0)
        expect(page.locator("#toggle-size input")).to_have_value("4")


@pytest.mark.thorough
def test_the_keyboard_suffices(chromium: Browser, studio: Studio) -> None:
    saved = studio.project / "rulesets" / "star" / "By-keys.yaml"
    with rules_page(chromium, studio) as page:
        fresh(page)
    with rules_page(chromium, studio) as page:
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        page.locator("#toggle-foul input:checked").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".chip")).to_have_count(1)
        expect(page.locator("#toggle-foul input:checked")).to_be_focused()
        page.keyboard.press("Control+z")
        expect(page.locator(".chip")).to_have_count(0)
        page.keyboard.press("Control+Shift+z")
        expect(page.locator(".chip")).to_have_count(1)
        page.keyboard.press("Control+s")
        expect(page.locator("#save-title")).to_be_focused()
        expect(page.locator("#save-title")).to_have_value("no undoing the shape with ★")
        page.keyboard.press("Control+a")
        page.keyboard.type("By keys")
        page.keyboard.press("Enter")
        page.wait_for_url("**/edit/star/By-keys*")
        expect(page.locator(".notice")).to_have_text("Saved as “By keys”")
        expect(page.locator(".notice")).to_have_text("", timeout=30_000)
    assert "foul" in saved.read_text()
    saved.unlink()


def test_proposals_are_switches_and_name_the_rules(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2008-02") as page:
        fresh(page)
        switches = page.locator(".switches button")
        expect(switches).to_have_text(["A", "B", "C", "D", "E"])
        switches.nth(2).click()
        switches.nth(3).click()
        expect(switches.nth(3)).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#title")).to_have_value("C + D")
        choose(page, "drop_check", "allowed")
        expect(page.locator("#title")).to_have_value("C + D + 1 change")
        switches.nth(3).click()
        expect(page.locator("#title")).to_have_value("C + 1 change")
        expect(page.locator(".shelf [aria-current]")).to_have_text("C + 1 change")
        page.fill(".shelf input", "C")
        expect(page.locator(".shelf a").first).to_have_text("C: objects first")
        fresh(page)


def test_a_proposal_keeps_its_history_and_its_name(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    asked = project / "rulesets/star/tried"
    asked.mkdir()
    experiment = project / "experiments/try.yaml"
    with opened(project) as studio, rules_page(chromium, studio) as page:
        choose(page, "foul", "off")
        expect(page.locator("#title")).to_have_value(name := "5×5 cells, four pieces each + 1 change")
        text = yaml(page).input_value()
        end = read_ruleset_text(Project(project), "star/x", text).ruleset.fingerprint[:8]  # type: ignore[union-attr]
        (asked / f"5x5-{end}.yaml").write_text(text)
        experiment.write_text(f"title: '{name} – against 5x5'\nrulesets: [star/5x5, star/tried/5x5-{end}]\n")
        page.fill("#title", "Free shapes")
        page.press("#title", "Enter")
        expect(yaml(page)).to_have_value(re.compile("Free shapes"))
        until(lambda: "Free shapes – against 5x5" in experiment.read_text())
        page.click("[data-do=save]")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/edit/star/Free-shapes*")
        unfold(page)
        page.fill("#toggle-size input", "4")
        page.press("#toggle-size input", "Enter")
        expect(page.locator(".kept")).to_have_text("kept as a draft")
        page.goto(f"{studio.root}/history/file/star/Free-shapes")
        expect(page.locator("[data-version] h2")).to_have_text([re.compile("4"), re.compile("foul|shape")])
        page.click("[data-back='1']")
        page.wait_for_url("**/edit/star/Free-shapes")
        expect(page.locator(".kept")).to_have_text("saved")
        page.click("[data-do=undo]")
        expect(yaml(page)).to_have_value(re.compile("size: 4"))


def files_of(project: Path) -> set[Path]:
    """The files of a project, but for those by which the studio remembers drafts."""
    return {path for path in project.rglob("*") if ".studio" not in path.parts}


def test_a_file_is_saved_whole_within_the_project_and_replaced_only_when_asked(
    chromium: Browser, studio: Studio
) -> None:
    folder = studio.project / "rulesets" / "star"
    with rules_page(chromium, studio) as page:
        fresh(page)
        choose(page, "foul", "off")
        before = files_of(studio.project)
        # The name of another ruleset gets a number; the file is named after the title.
        page.fill("#title", "4×4 cells")
        page.press("#title", "Enter")
        expect(yaml(page)).to_have_value(re.compile('title: "4×4 cells"'))
        page.click("[data-do=save]")
        expect(page.locator("#save-title")).to_have_value("4×4 cells 2")
        page.keyboard.press("Escape")
        assert files_of(studio.project) == before
        page.click("[data-do=save]")
        page.fill("#save-title", "Stars for two: ../../mine")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/edit/star/Stars-for-two*")
        (written,) = files_of(studio.project) - before
        assert written.parent == folder and written.name == "Stars-for-two-..-..-mine.yaml"
        assert 'title: "Stars for two: ../../mine"' in written.read_text() and "foul: off" in written.read_text()
        expect(page.locator(".shelf [aria-current]")).to_have_text("Stars for two: ../../mine")
        expect(page.locator(".kept")).to_have_text("saved")
        # Somebody else changes the file meanwhile: it is not overwritten unasked.
        unfold(page)
        expect(page.locator("#toggle-size")).to_be_visible()
        page.fill("#toggle-size input", "4")
        page.press("#toggle-size input", "Enter")
        expect(yaml(page)).to_have_value(re.compile("size: 4"))
        written.write_text(written.read_text() + "# mine\n")
        page.click("[data-do=save]")
        expect(page.locator(".kept")).to_have_text("kept as a draft")
        page.click("[data-do=save-now]")
        page.locator("[data-do=replace]").wait_for()
        assert "# mine" in written.read_text()
        page.click("[data-do=replace]")
        expect(page.locator("[data-do=revert]")).to_be_disabled()
        assert "# mine" not in written.read_text() and "size: 4" in written.read_text()
    written.unlink()


@pytest.mark.thorough
def test_drafts_outlive_the_page_and_show_on_every_page(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/star/4x4") as page:
        fresh(page)
        other = page.context.new_page()
        other.goto(f"{studio.root}/rules/star/4x4")
        other.wait_for_selector("#main")
        choose(page, "foul", "off")
        expect(other.locator(".chip")).to_have_count(1)
        other.reload()
        expect(other.locator(".chip")).to_have_count(1)
        fresh(other)
        expect(page.locator(".chip")).to_have_count(0)


@pytest.mark.parametrize("path", few.first(1, ["/edit/star/hostile", "/rules/star/5x5", "/rules/star/hostile"]))
def test_hostile_titles_are_text(chromium: Browser, studio: Studio, path: str) -> None:
    with rules_page(chromium, studio, path) as page:
        page.wait_for_selector(".toggle")
        expect(page.locator(".shelf a", has_text="hacked")).to_have_text(HOSTILE)
        if path.startswith("/edit"):
            expect(page.locator("#title")).to_have_value(HOSTILE)
        assert page.locator("img").count() == 0 and page.title() != "hacked"


def test_a_change_that_comes_close_to_an_idea_opens_as_a_draft(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/C") as page:
        fresh(page)
        page.goto(f"{studio.root}/?game=chatra/C")
        expect(page.locator("[data-do=game]")).to_have_value("chatra/C")
        page.locator("#idea").press_sequentially("drops may give check")
        page.click("[data-near=drop_check] [data-value='allowed']")
        expect(page).to_have_url(re.compile(r"/rules/chatra/C[~0-9]*#toggle-drop_check"))
        expect(page.locator(".chip")).to_have_text([re.compile("allowed$")])
        page.go_back()
        expect(page.locator("[data-near=drop_check]")).to_be_visible()
        page.fill("#idea", "盤を8×8に")
        expect(page.locator("[data-near=size] .impossible")).to_have_text(re.compile("^8 is not possible here, only"))


def test_a_wish_is_answered_by_what_was_measured(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/?game=draughts&idea=fewer+draws") as page:
        first = page.locator(".near > li").first
        expect(first).to_have_attribute("data-near", "goal")
        expect(first).to_contain_text(re.compile(r"measured: \d+ fewer draws in 100 games \(likely, "))
        expect(page.locator("[data-near=draw_value]")).to_contain_text("not measured yet")
        page.select_option("[data-do=game]", "chatra/2008-02")
        told = re.compile(r"Of [\d,]+ saved games between the strongest players none was drawn")
        expect(page.locator(".idea .measured-now")).to_contain_text(told)
        expect(page.locator(".near")).to_have_count(0)
        page.click(".wishes button >> nth=0")
        expect(page.locator("#idea")).to_have_value("shorter games")
        expect(page.locator("[data-near=row_wins]")).to_be_visible()
        page.fill("#idea", "a smaller board")
        expect(page.locator("[data-near] [data-value]")).to_have_count(1)
        page.select_option("[data-do=game]", "chess/orthodox")
        expect(page.locator(".idea .nothing")).to_contain_text("The board cannot be made smaller here.")


@pytest.mark.parametrize("name", ["chatra/2008-02", "chess/orthodox", "draughts/english"])
def test_the_rule_book_to_hand_out_prints_on_one_page(chromium: Browser, studio: Studio, name: str) -> None:
    with page_of(chromium, studio, f"/book/file/{name}", locale="ja-JP") as page:
        expect(page.locator(".handout .start svg")).to_be_visible()
        assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
        page.emulate_media(media="print")
        expect(page.locator(".handout button, .handout details, .top").filter(visible=True)).to_have_count(0)


@pytest.mark.thorough
def test_what_is_not_there_is_said(chromium: Browser, studio: Studio) -> None:
    assert studio.answer("/rules/star/5x6")[0].status == 404
    with page_of(chromium, studio, "/rules/star/5x6", quiet=True) as page:
        expect(page.locator(".note a").first).to_have_attribute("href", "/rules/star/5x5")
        page.goto(f"{studio.root}/report/zzz")
        expect(page.locator(".note")).to_contain_text("zzz")
        for path in ("/rules/..%2f..%2fetc/passwd", "/edit/star/..%2f..%2f..%2fetc%2fpasswd"):
            page.goto(studio.root + path)
            expect(page.locator(".note")).to_contain_text("There is no such page.")


def chosen(document: RulesetDocument, toggle: str, choice: str | dict[str, Any]) -> str:
    document.set_toggle(toggle, chosen_setting(document.read(), toggle, choice))
    return document.text.partition("rules:\n")[2]


def test_only_prices_that_differ_are_written(in_the_checkout: None) -> None:
    document = store_of(Project(Path())).peek("rengo/twenty-free-stones", "new")
    assert chosen(document, "prices", "飛 12") == "  prices: {飛: 12}\n"
    assert chosen(document, "prices", "角 11") == "  prices: {飛: 12, 角: 11}\n"
    document.revert()
    assert chosen(document, "prices", "碁 free 50") == "  prices: source\n"
    for wrong in ("飛 -3", "飛 ", "飛"):
        with pytest.raises(InputError, match="rules.prices"):
            chosen(document, "prices", wrong)


def test_an_action_draws_on_all_squares(in_the_checkout: None) -> None:
    document = store_of(Project(Path())).peek("chatra/9x9", "new")
    chosen(document, "object_area", {"cells": [(0, 1)], "sign": ""})
    for action, count in (("invert", 10), ("across", 11), ("down", 13), ("all", 81), ("none", 0)):
        chosen(document, "object_area", {"action": action})
        reading = document.read()
        drawing = reading.family.toggle("object_area")
        assert isinstance(drawing, Drawing)
        board = RulesView(reading, document.project, Visitor("en", "light")).board(drawing)
        assert sum(bool(cell["sign"]) for cell in board["cells"]) == count


def test_a_link_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    project = Project(own_project(tmp_path / "mine", "star"))
    (tmp_path / "secret.yaml").write_text("game: star\ntitle: secret\n")
    (project.rulesets / "star" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(InputError, match="in the project folder"):
        store_of(project).draft("star/link", "file")


# Drawings


@pytest.mark.thorough
def test_areas_and_start_positions_are_painted(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/9x9") as page:
        page.click("[data-draw=object_area]")
        painted = page.locator("#toggle-object_area .painted")
        expect(painted.locator(".board .open")).to_have_count(72)
        painted.locator("[data-cell=e5]").click()
        expect(painted.locator(".board .open")).to_have_count(73)
        row = "    xxxxxxxxx\n"
        centre = "    xxx...xxx\n    xxx.x.xxx\n    xxx...xxx\n"
        expect(yaml(page)).to_have_value(
            re.compile(re.escape(f"rules:\n  object_area: |\n{3 * row}{centre}{3 * row}") + "$")
        )
        assert "xxx" not in page.locator(".rules").inner_text()
        expect(sentence(page, "object_area").locator("svg.board")).to_have_count(1)
        painted.locator("[data-cell=a1]").focus()
        page.keyboard.press("ArrowRight")
        expect(painted.locator("[data-cell=b1]")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press(" ")
        expect(painted.locator("[data-cell=b1]")).to_have_attribute("aria-pressed", "false")
        expect(painted.locator(".counted")).to_have_text("72 squares")
        page.locator("#toggle-object_area .option input").first.check()
        expect(yaml(page)).to_have_value(re.compile(r"\nrules:\n$"))
        page.click("[data-draw=start_position]")
        painted = page.locator("#toggle-start_position .painted")
        expect(painted.locator(".counted")).to_contain_text("No custom drawing yet")
        # The first touch draws: a piece is chosen already.
        painted.locator("[data-cell=a1]").click()
        expect(painted.locator(".stage use")).to_have_count(1)
        painted.locator("[data-cell=a1]").click()
        painted.locator("[data-brush=B]").click()
        painted.locator("[data-cell=b2]").click()
        # What is wrong with it so far is said at once, as `check` says it.
        expect(page.locator(".verdict")).to_contain_text("one object for each player (B and W), or none")
        painted.locator("[data-brush=W]").click()
        painted.locator("[data-cell=h8]").click()
        expect(page.locator(".verdict")).not_to_have_class(re.compile("wrong"))
        expect(painted.locator(".stage use")).to_have_count(2)
        page.click("[data-do=undo]")
        expect(painted.locator(".stage use")).to_have_count(1)


@pytest.mark.thorough
def test_a_mouse_paints_where_it_is_drawn_and_a_finger_where_it_taps(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/9x9", has_touch=True) as page:
        fresh(page)
        page.click("[data-draw=object_area]")
        painted = page.locator("#toggle-object_area .painted")
        expect(painted.locator(".board .open")).to_have_count(72)
        painted.locator("[data-cell=d5]").hover()
        place = "() => document.querySelector('#toggle-object_area .stage').getBoundingClientRect().top"
        before = page.evaluate(place)
        page.mouse.down()
        for cell in ("e5", "f5"):
            painted.locator(f"[data-cell={cell}]").hover()
        expect(painted.locator(".pending")).to_have_count(3)
        page.mouse.up()
        expect(painted.locator(".board .open")).to_have_count(75)
        assert page.evaluate(place) == pytest.approx(before, abs=1), "the board stands still"
        page.click("[data-do=undo]")
        expect(painted.locator(".board .open")).to_have_count(72)
        page.click("[data-do=redo]")
        painted.locator("[data-cell=a1]").hover()
        expect(painted.locator(".board .open")).to_have_count(75)
        painted.locator("[data-cell=e5]").tap()
        expect(painted.locator(".board .open")).to_have_count(74)


@pytest.mark.thorough
def test_what_is_painted_before_the_answer_to_the_stroke_before_leaves_that_one_alone(
    chromium: Browser, studio: Studio
) -> None:
    with rules_page(chromium, studio, "/rules/chatra/9x9") as page:
        fresh(page)
        page.click("[data-draw=start_position]")
        expect(page.locator("#toggle-start_position [data-cell=c3]")).to_be_visible()
        # Within one task of the page, so that no answer comes between.
        page.evaluate(
            """async () => {
              const tap = async (part) => {
                const target = document.querySelector(`#toggle-start_position ${part}`);
                target.releasePointerCapture = () => {};
                const pointer = { bubbles: true, pointerType: "mouse", button: 0 };
                for (const type of ["pointerdown", "pointerup"]) target.dispatchEvent(new PointerEvent(type, pointer));
                target.dispatchEvent(new MouseEvent("click", { bubbles: true, button: 0 }));
                await Promise.resolve();
              };
              await tap("[data-cell=c3]");
              await tap("[data-brush=W]");
              await tap("[data-cell=d4]");
            }"""
        )
        expect(yaml(page)).to_have_value(re.compile(r"\n    \.\.b\.{6}\n    \.{3}W\.{5}\n"))
