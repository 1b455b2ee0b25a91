"""The studio's page of rules, in Chromium."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests import few
from tests.studio import (
    COMMAND,
    DESK,
    ROOT,
    Line,
    Studio,
    fresh,
    opened,
    own_project,
    page_of,
    rules_page,
    sentence,
    unfold,
    yaml,
)

HOSTILE = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>${1+1}{{7*7}}`"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "chatra", "star", "rengo")
    (project / "rulesets" / "star" / "hostile.yaml").write_text(
        f"game: star\nextends: 5x5\ntitle: '{HOSTILE.replace(chr(39), chr(39) * 2)}'\nrules:\n  size: 4\n"
    )
    with opened(project) as studio:
        yield studio


def choose(page: Page, toggle: str, label: str) -> None:
    page.locator(f"#toggle-{toggle} .option", has=page.locator("code", has_text=re.compile(f"^{label}$"))).click()


@pytest.mark.thorough
def test_the_first_page_leads_to_the_current_rules_of_each_game(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, studio.address.removeprefix(studio.root)) as page:
        expect(page.locator(".way b")).to_have_text(["Choose a game", "Change a rule", "Try it"])
        cards = page.locator(".cards a")
        assert cards.locator("b").all_inner_texts() == ["Chatra", "Mixed shōgi (rengō shōgi II)", "The star game"]
        for picture in cards.locator("img").all():
            expect(picture).to_have_js_property("complete", True)
            assert picture.evaluate("image => image.naturalWidth") > 100
        cards.first.click()
        page.wait_for_url("**/rules/chatra/2008-02")
        # Nothing is changed yet: the ruleset's own title, and no button that asks for something.
        expect(page.locator("h1")).to_have_text("Rules of February 2008, the current ones")
        expect(page.locator(".chip, .toggle.changed, .main:not(dialog *)")).to_have_count(0)
        expect(page.locator(".changes")).to_contain_text("it will stand here")
        assert page.locator(".games a").all_inner_texts() == ["Chatra", "Mixed shōgi (rengō shōgi II)", "The star game"]
        expect(page.locator(".shelf a[aria-current=page] .name")).to_have_text("2008-02")
        page.click("text=The star game")
        page.wait_for_url("**/rules/star/default")
        expect(page.locator(".games a[aria-current]")).to_have_text("The star game")


@pytest.mark.thorough
def test_every_page_has_the_same_links_which_lead_to_the_rules_that_were_looked_at(
    chromium: Browser, studio: Studio
) -> None:
    words = ["Rules", "Play", "Try", "An idea", "Experiments", "Search", "Reports"]
    with rules_page(chromium, studio, "/rules/star/4x4") as page:
        paths = "/", "/idea/star", "/experiments", "/searches", "/reports", "/rules/star/4x4", "/play/new/star/4x4"
        for path in paths:
            page.goto(studio.root + path)
            page.wait_for_selector("#main")
            assert page.locator(".top nav a").all_inner_texts() == words
            page.click(".top nav a:has-text('Rules')")
            page.wait_for_url("**/rules/star/4x4")
        page.goto(studio.root + "/reports")
        page.click(".top nav a:has-text('Play')")
        page.wait_for_url("**/play/new/star/4x4")
        page.goto(studio.root + "/idea/rengo")
        page.click(".top nav a:has-text('Try')")
        page.wait_for_url("**/try/new/rengo/go9")


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
        expect(page.locator(".chip")).to_have_count(1)
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
        expect(page.locator(".verdict")).to_contain_text("✓ Everything fits together.")
        expect(page.locator("#toggle-size input")).to_have_value("4")
        expect(page.locator("#title")).to_have_value("Typed")


@pytest.mark.thorough
def test_text_that_is_no_yaml_can_be_mended_and_undone(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio) as page:
        fresh(page)
        yaml(page).fill("game: star\n  extends: [5x5\n")
        expect(page.locator(".verdict")).to_have_class(re.compile("wrong"))
        choose(page, "foul", "off")
        expect(page.locator(".verdict")).to_contain_text("mend the text first")
        expect(page.locator("#toggle-foul input:checked + .words code")).not_to_have_text("off")
        expect(yaml(page)).to_have_value("game: star\n  extends: [5x5\n")
        page.click("[data-do=undo]")
        expect(page.locator(".verdict")).to_contain_text("✓ Everything fits together.")


@pytest.mark.thorough
def test_what_does_not_go_together_is_said_at_once_and_before(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2007-09") as page:
        fresh(page)
        choose(page, "object_area", "away-from-centre")
        expect(page.locator(".chip")).to_have_count(1)
        option = page.locator("#toggle-size .option", has=page.locator("code", has_text=re.compile("^3$")))
        why = "on 3×3 every square touches the centre, so no object could be placed"
        expect(option.locator(".clash")).to_contain_text(why)
        option.click()
        expect(page.locator("#toggle-size .clash.now")).to_be_visible()
        expect(page.locator("#toggle-size .clash.now")).to_contain_text(why)
        expect(page.locator("#toggle-object_area .clash.now")).to_contain_text(why)
        expect(page.locator(".verdict .problems li")).to_contain_text(why)
        expect(page.locator(".verdict .problems li a")).to_have_text(re.compile(r"^line \d+$"))


@pytest.mark.thorough
def test_each_toggle_shows_its_source_and_a_position(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2007-09") as page:
        fresh(page)
        expect(page.locator("#toggle-object_area .source")).to_contain_text("Konuma")
        position = page.locator("#toggle-object_area .position")
        position.scroll_into_view_if_needed()
        expect(position.locator("svg.board use")).not_to_have_count(0)
        expect(position.locator("figcaption")).to_contain_text(
            "The squares d4–i9 that touch the centre zone are closed"
        )
        expect(position.locator("figcaption")).to_contain_text("Only “objects outside the centre” allows:")
        assert page.locator("#toggle-object_area .shut").count() > 3, "squares that are closed now are crossed out"


@pytest.mark.thorough
def test_numbers_and_files_are_fields(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2007-09") as page:
        fresh(page)
        field = page.locator("#toggle-subjects input[type=number]")
        field.fill("15")
        field.press("Enter")
        expect(yaml(page)).to_have_value(re.compile(r"\n  subjects: 15\n$"))
        expect(sentence(page, "subjects")).to_contain_text("15")
        field.fill("1000")
        field.press("Enter")
        expect(page.locator(".verdict")).to_contain_text("whole number from 1 to 112, found 1000")
        expect(yaml(page)).to_have_value(re.compile(r"\n  subjects: 15\n$"))
        page.goto(f"{studio.root}/rules/rengo/go13")
        page.wait_for_selector(".bundle")
        unfold(page)
        armies = page.locator("#toggle-first_army select")
        names = armies.locator("option").all_inner_texts()
        now = armies.input_value()
        other = next(name for name in names if name != now)
        armies.select_option(other)
        expect(yaml(page)).to_have_value(re.compile(f"\n  first_army: {re.escape(other)}\n"))
        fresh(page)


@pytest.mark.thorough
def test_prices_are_a_table_and_only_what_differs_is_written(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/rengo/twenty-free-stones") as page:
        fresh(page)
        price = page.locator("[aria-label='Points for each 飛']")
        before = price.input_value()
        price.fill("12")
        price.press("Enter")
        expect(yaml(page)).to_have_value(re.compile(r"\n  prices: \{飛: 12\}\n$"))
        expect(sentence(page, "prices")).to_contain_text("飛 12")
        price.fill(before)
        price.press("Enter")
        expect(yaml(page)).to_have_value(re.compile(r"\nrules:\n$"))
        free = page.locator("[aria-label='How many 碁 cost nothing']")
        assert free.input_value() == "20"
        free.fill("50")
        free.press("Enter")
        expect(yaml(page)).to_have_value(re.compile(r"\n  prices: source\n$"))
        price.fill("-3")
        price.press("Enter")
        expect(page.locator(".verdict")).to_contain_text("rules.prices")
        expect(price).to_have_value(before)


@pytest.mark.thorough
def test_what_has_no_effect_says_why_and_a_drawing_is_begun_by_its_choice(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2007-09") as page:
        fresh(page)
        expect(page.locator("#toggle-white_supply .idle")).to_contain_text("as many subjects as the game needs")
        number = page.locator("#toggle-white_supply .option", has=page.locator("[type=number]"))
        expect(number.locator(".clash")).to_be_visible()
        choices = page.locator("#toggle-drop_area [type=radio]")
        choices.nth(1).check()
        # The board comes with the answer to the choice.
        expect(page.locator(".painted")).to_have_count(1)
        choices.nth(0).check()
        expect(page.locator(".painted")).to_have_count(0)
        expect(choices.nth(0)).to_be_checked()


@pytest.mark.thorough
def test_the_file_is_folded_until_it_is_asked_for(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio) as page:
        expect(page.locator("#yaml")).not_to_be_visible()
        page.click(".yaml summary")
        expect(page.locator("#yaml")).to_be_visible()
        page.goto(f"{studio.root}/new-experiment")
        expect(page.locator("#yaml")).to_be_visible()


@pytest.mark.thorough
def test_the_keyboard_suffices(chromium: Browser, studio: Studio) -> None:
    saved = studio.project / "rulesets" / "star" / "by-keys.yaml"
    with rules_page(chromium, studio) as page:
        fresh(page)
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        page.locator("#toggle-foul input:checked").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".chip")).to_have_count(1)
        chosen = page.locator("#toggle-foul input:checked")
        expect(chosen).to_be_focused()
        page.keyboard.press("Control+z")
        expect(page.locator(".chip")).to_have_count(0)
        page.keyboard.press("Control+Shift+z")
        expect(page.locator(".chip")).to_have_count(1)
        page.keyboard.press("Control+s")
        expect(page.locator("#save-title")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#save-name")).to_have_value("5x5-foul-shape")
        page.keyboard.press("Control+a")
        page.keyboard.type("by-keys")
        page.keyboard.press("Enter")
        page.wait_for_url("**/edit/star/by-keys*")
        expect(page.locator(".notice")).to_have_text("Saved as star/by-keys")
    assert "foul" in saved.read_text()
    saved.unlink()


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
        expect(page.locator("#title")).to_have_value("5x5, Any shape may come back")
        page.fill("#title", "Stars for two")
        page.press("#title", "Enter")
        expect(yaml(page)).to_have_value(re.compile('title: "Stars for two"'))
        before = files_of(studio.project)
        page.click("[data-do=save]")
        for name, told in (("../../escaped", "expected a name in star/"), ("a b", "expected a name of letters"),
                           ("", "expected a name, found none"), ("a" * 200, "at most 60 letters, found one of 200"),
                           ("chatra/x", "expected a name in star/"), ("/tmp/x", "expected a name in")):  # fmt: skip
            page.fill("#save-name", name)
            page.click("[data-do=save-now]")
            expect(page.locator("dialog .problems")).to_contain_text(told)
        page.fill("#save-name", "4x4")
        page.fill("#save-title", "Another title")
        page.click("[data-do=save-now]")
        expect(page.locator("[data-do=replace]")).to_be_focused()
        expect(page.locator("dialog [role=alert]")).to_contain_text("came with the workbench")
        page.keyboard.press("Escape")
        page.reload()
        expect(page.locator("#title")).to_have_value("Stars for two")
        assert files_of(studio.project) == before
        page.click("[data-do=save]")
        page.fill("#save-name", "for-two")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/edit/star/for-two*")
        written = folder / "for-two.yaml"
        assert files_of(studio.project) - before == {written}
        assert 'title: "Stars for two"' in written.read_text() and "foul: off" in written.read_text()
        # Somebody else changes the file meanwhile: it is not overwritten unasked.
        unfold(page)
        expect(page.locator("#toggle-size")).to_be_visible()
        page.fill("#toggle-size input", "4")
        page.press("#toggle-size input", "Enter")
        expect(yaml(page)).to_have_value(re.compile("size: 4"))
        written.write_text(written.read_text() + "# mine\n")
        page.click("[data-do=save]")
        expect(page.locator("#save-name")).to_have_value("for-two")
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
        other.wait_for_selector("#toggle-foul", state="attached")
        choose(page, "foul", "off")
        expect(other.locator(".chip")).to_have_count(1)
        other.reload()
        expect(other.locator(".chip")).to_have_count(1)
        fresh(other)
        expect(page.locator(".chip")).to_have_count(0)


@pytest.mark.thorough
def test_the_language_follows_the_browser_and_is_remembered(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, locale="ja-JP") as page:
        fresh(page)
        assert page.evaluate("document.documentElement.lang") == "ja"
        expect(page.locator(".book h2")).to_have_text("ルールブック")
        expect(page.locator("[data-do=save]")).to_have_text("保存…")
        page.click("text=English")
        expect(page.locator(".book h2")).to_have_text("Rule book")
        page.reload()
        expect(page.locator(".book h2")).to_have_text("Rule book")
        assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.thorough
def test_new_rules_are_named_by_what_they_change_until_somebody_names_them(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/star/own-pieces") as page:
        expect(page.locator("h1")).to_have_text("Foul without the star: own pieces may not come back")
        choose(page, "stuck", "draw")
        expect(page.locator("#title")).to_have_value("own-pieces, A player who has no legal action draws")
        with rules_page(chromium, studio, "/rules/star/own-pieces", locale="ja-JP") as japanese:
            expect(japanese.locator("#title")).to_have_value("反則で★を見ない、行動できないプレイヤーがいれば引き分け")
            japanese.click("[data-do=save]")
            expect(japanese.locator("#save-title")).to_have_value(
                "反則で★を見ない、行動できないプレイヤーがいれば引き分け"
            )
            expect(japanese.locator("#save-name")).to_have_value("own-pieces-stuck-draw")
            japanese.keyboard.press("Escape")
            japanese.fill("#title", "自分の駒だけ")
            japanese.press("#title", "Tab")
            # The English title said what the rules were before: it goes, and the Japanese one stands in for it.
            expect(yaml(japanese)).to_have_value(re.compile(r"\ntitle_ja: \"自分の駒だけ\"\nrules:\n"))
            expect(yaml(japanese)).not_to_have_value(re.compile("\ntitle: "))


def test_the_file_of_a_shipped_ruleset_is_saved_under_a_new_name(chromium: Browser, studio: Studio) -> None:
    shipped = studio.project / "rulesets" / "star" / "shape.yaml"
    before = shipped.read_bytes()
    line = Line()
    with rules_page(chromium, studio, "/edit/star/shape", line=line) as page:
        line.told.keep()
        choose(page, "stuck", "draw")
        page.click("[data-do=save]")
        expect(page.locator("#save-name")).to_have_value("shape-2")
        # What the studio says late is proposed as well, as long as nobody has typed anything else.
        line.told.hand_on()
        expect(page.locator("#save-name")).to_have_value("shape-stuck-draw")
        expect(page.locator("#save-title")).to_have_value(re.compile("no legal action draws"))
        page.fill("#save-name", "shape")
        page.click("[data-do=save-now]")
        expect(page.locator("[data-do=replace]")).to_have_text("Replace the shipped file")
        assert shipped.read_bytes() == before
        page.keyboard.press("Escape")
        fresh(page)


def test_groups_fold_and_are_jumped_to(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2008-02") as page:
        expect(page.locator(".jump a")).to_have_text(
            ["Board and start", "Objects", "Drops", "Links", "End of the game", "Sides and score"]
        )
        page.reload()
        expect(page.locator("#toggle-stuck")).not_to_be_visible()
        page.click(".jump a:has-text('End of the game')")
        expect(page.locator("#toggle-repetition")).to_be_in_viewport()
        expect(page.locator(".bundle summary", has_text="End of the game")).to_be_focused()
        page.locator(".bundle summary", has_text="End of the game").click()
        expect(page.locator("#toggle-stuck")).not_to_be_visible()
        page.locator(".filter input").first.check()
        expect(page.locator(".bundle")).to_have_count(0)
        expect(page.locator(".choices")).to_contain_text("what you change will stand here")


def test_the_words_of_a_number_choose_it_and_the_tools_stay_in_sight(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2008-02", viewport={"width": 1280, "height": 800}) as page:
        fresh(page)
        number = page.locator("#toggle-white_extra_moves .option", has=page.locator("[type=number]"))
        number.locator(".sentence").click()
        expect(number.locator("[type=radio]")).to_be_checked()
        expect(page.locator(".chip")).to_have_count(1)
        for name in ("save", "play", "try"):
            expect(page.locator(f".head [data-do={name}]")).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 1024, "height": 768})
        assert page.locator(".head .tools").evaluate("each => each.scrollWidth <= each.clientWidth")
        link = page.locator("#toggle-white_extra_moves .skip")
        expect(link).to_have_css("opacity", "0")
        link.focus()
        expect(link).to_have_css("opacity", "1")
        expect(link).to_be_in_viewport(ratio=0.9)
        page.keyboard.press("Enter")
        expect(page.locator("[data-do=play]")).to_be_focused()
        page.goto(f"{page.url.split('#')[0]}#save")
        page.reload()
        expect(page.locator("dialog.save")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("[data-do=save]").first).to_be_focused()
        fresh(page)


def test_what_is_as_in_the_base_folds_and_says_its_settings_in_words(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2008-02") as page:
        choose(page, "drop_check", "allowed")
        expect(page.locator(".chip")).to_have_count(1)
        page.reload()
        expect(page.locator(".bundle[open]")).to_have_count(1)
        expect(page.locator(".bundle[open] h2")).to_have_text("Drops")
        expect(page.locator("#group-0 .now")).to_contain_text("12")
        expect(page.locator("#toggle-drop_check .ident").first).not_to_be_visible()
        page.locator(".filter input").nth(1).check()
        expect(page.locator("#toggle-drop_check .ident").first).to_have_text("drop_check")
        page.emulate_media(media="print")
        expect(page.locator(".book li").first).to_be_visible()
        expect(page.locator(".choices, .yaml, .lists").first).not_to_be_visible()
        page.emulate_media(media="screen")
        fresh(page)


def test_a_mistake_in_the_yaml_leaves_the_title_and_nothing_to_play(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/edit/star/stuck-draws") as page:
        title = page.locator("#title").input_value()
        text = yaml(page).input_value()
        yaml(page).fill(text.replace("extends:", "extends\uff1a"))
        link = page.locator(".verdict a")
        expect(link).to_have_text(f"line {text[: text.index('extends:')].count(chr(10)) + 1}")
        expect(page.locator("#title")).to_have_value(title)
        for area in ("play", "try"):
            expect(page.locator(f"[data-do={area}]")).to_have_attribute("aria-disabled", "true")
            expect(page.locator(f"[data-do={area}]")).not_to_have_attribute("href", re.compile("."))
        fresh(page)


def test_sources_and_settings_are_in_the_language_of_the_page(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/2008-02", locale="ja-JP") as page:
        expect(page.locator("#toggle-size .source")).to_contain_text("小沼諒「チャトラのルール")
        assert re.findall(r"(?:\b[a-z]{2,} ){2,}", " ".join(page.locator(".source").all_inner_texts())) == []


@pytest.mark.thorough
def test_a_phone_has_its_header_in_one_row(chromium: Browser, studio: Studio) -> None:
    for locale in ("ja-JP", "en-US"):
        with rules_page(chromium, studio, "/rules/star/4x4", viewport=PHONE, locale=locale) as page:
            assert page.evaluate("document.querySelector('.top').offsetHeight") < 60
            expect(page.locator("#tune")).not_to_be_visible()
            page.click(".tuning")
            page.click("#tune [href^='/theme/dark']")
            page.wait_for_selector("body.body--dark")


@pytest.mark.thorough
def test_mistakes_are_told_in_the_language_of_the_page(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/star/shape", locale="ja-JP") as page:
        fresh(page)
        yaml(page).fill("game: star\nextends: shape\ntitle_ja: 題\nrules:\n  sise: 4\n")
        problem = page.locator(".verdict .problems li")
        expect(problem).to_contain_text("5行目")
        expect(problem).to_contain_text(re.compile("sise.*必要.*size", re.DOTALL))


@pytest.mark.parametrize("path", few.first(1, ["/rules/chatra/2007-09", "/rules/star/5x5", "/rules/rengo/go13"]))
def test_no_english_sentence_is_left_in_the_japanese_page(chromium: Browser, studio: Studio, path: str) -> None:
    with rules_page(chromium, studio, path, locale="ja-JP") as page:
        fresh(page)
        page.evaluate("document.querySelectorAll('code, textarea, .position').forEach((e) => e.remove())")
        text = page.locator("body").inner_text()
        assert re.findall(r"(?:\b[a-z]{2,} ){3,}[a-z]{2,}", text) == []


@pytest.mark.parametrize(
    ("size", "language", "scheme"),
    few.first(1, itertools.product([PHONE, DESK], ["ja-JP", "en-US"], ["dark", "light"])),
)
def test_nothing_is_wider_than_the_window(
    chromium: Browser, studio: Studio, size: dict[str, int], language: str, scheme: str
) -> None:
    options = {"viewport": size, "locale": language, "color_scheme": scheme}
    with rules_page(chromium, studio, "/rules/chatra/2007-09", **options) as page:
        page.wait_for_selector(".toggle")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 200) == (scheme == "dark")


@pytest.mark.thorough
def test_a_phone_has_one_part_at_a_time(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, viewport=PHONE, has_touch=True) as page:
        expect(page.locator("#toggle-foul")).to_be_visible()
        expect(page.locator(".book")).not_to_be_visible()
        page.tap("[data-tab=book]")
        expect(page.locator(".book")).to_be_visible()
        expect(page.locator("#toggle-foul")).not_to_be_visible()
        page.tap("[data-tab=yaml]")
        expect(yaml(page)).to_be_visible()
        page.tap("[data-tab=choices]")
        page.locator("#toggle-foul .option").nth(1).click()
        expect(page.locator(".chip")).to_have_count(1)
        page.tap("[data-tab=book]")
        expect(page.locator(".book .changed").first).to_be_in_viewport()


@pytest.mark.thorough
def test_a_phone_has_what_is_done_with_changes_at_hand(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/chatra/C", viewport=PHONE, has_touch=True, is_mobile=True) as page:
        choose(page, "drop_check", "allowed")
        expect(page.locator(".chip")).to_have_count(1)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        expect(page.locator(".tools .number")).to_have_text("1 changed")
        for name in ("save", "play", "try"):
            expect(page.locator(f".head [data-do={name}]")).to_be_in_viewport(ratio=1)
        # What is above the group that is gone to is drawn meanwhile, and must not push it away.
        page.evaluate("for (const each of document.querySelectorAll('.bundle')) each.open = true")
        page.tap(".jump a:has-text('Links')")
        page.wait_for_timeout(500)
        expect(page.locator("#group-3 summary")).to_be_in_viewport(ratio=1)
        page.tap("[data-do=undo]")
        expect(page.locator(".tools .number")).to_have_count(0)


@pytest.mark.thorough
def test_no_choice_moves_when_its_picture_comes(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/rules/star/default", viewport=DESK) as page:
        held: list[Route] = []
        free = False
        page.route("**/position/**", lambda route: route.continue_() if free else held.append(route))
        with page.expect_request("**/position/**"):
            page.goto(f"{studio.root}/rules/star/5x5")
            page.wait_for_selector(".bundle")
            unfold(page)
        tops = "[...document.querySelectorAll('.toggle')].map((toggle) => toggle.getBoundingClientRect().top + scrollY)"
        before = page.evaluate(tops)
        free = True
        for route in held:
            route.continue_()
        for position in page.locator(".position").all():
            position.scroll_into_view_if_needed()
            expect(position.locator(".picture")).to_have_count(1)
        # The captions of some are longer than their room by two lines.
        assert page.evaluate(tops) == pytest.approx(before, abs=60)


@pytest.mark.thorough
def test_the_keys_stay_where_something_was_done_and_the_title_follows(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, "/rules/star/5x5") as page:
        fresh(page)
        before = page.title()
        choose(page, "stuck", "draw")
        expect(page).to_have_title("5x5, A player who has no legal action draws – Rule studio")
        page.locator(".chip").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#toggle-stuck input:checked")).to_be_focused()
        page.locator("[data-do=revert]").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(0)
        expect(page.locator("[data-do=revert]")).to_be_focused()
        expect(page).to_have_title(before)
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.locator("[data-do=play]")).to_be_focused()


@pytest.mark.thorough
def test_colours_can_be_chosen_and_are_remembered(chromium: Browser, studio: Studio) -> None:
    with rules_page(chromium, studio, color_scheme="light") as page:
        page.get_by_role("link", name="Dark", exact=True).click()
        page.wait_for_selector("body.body--dark")
        page.reload()
        page.wait_for_selector("body.body--dark")


@pytest.mark.parametrize("path", few.first(1, ["/edit/star/hostile", "/rules/star/5x5", "/rules/star/hostile"]))
def test_hostile_titles_are_text(chromium: Browser, studio: Studio, path: str) -> None:
    with rules_page(chromium, studio, path) as page:
        page.wait_for_selector(".toggle")
        entry = page.locator(".shelf a", has=page.locator("text=hostile")).locator(".title")
        expect(entry).to_have_text(HOSTILE)
        if path.startswith("/edit"):
            expect(page.locator("#title")).to_have_value(HOSTILE)
        assert page.locator("img").count() == 0 and page.title() != "hacked"


@pytest.mark.parametrize(
    ("language", "idea", "toggle", "chip"),
    few.first(
        1,
        [
            ("en-US", "drops may give check", "drop_check", "allowed"),
            ("ja-JP", "滑走をなくす", "link_moves", "flights"),
        ],
    ),
)
def test_a_value_of_a_toggle_that_comes_close_to_an_idea_opens_as_a_draft(
    chromium: Browser, studio: Studio, language: str, idea: str, toggle: str, chip: str
) -> None:
    with rules_page(chromium, studio, "/rules/chatra/C", locale=language) as page:
        fresh(page)
        page.goto(f"{studio.root}/idea/chatra")
        expect(page.locator("[data-do=from]")).to_have_value("chatra/2008-02")
        page.select_option("[data-do=from]", "chatra/C")
        page.wait_for_url("**/idea/chatra")
        expect(page.locator("[data-do=from]")).to_have_value("chatra/C")
        page.locator("#idea").press_sequentially(idea)
        page.click(f"[data-near={toggle}] [data-value='1']")
        expect(page).to_have_url(f"{studio.root}/rules/chatra/C#toggle-{toggle}")
        expect(page.locator(".chip")).to_have_text([re.compile(f"{chip}$")])
        page.goto(f"{studio.root}/idea/chatra?from=chatra/C&idea=repetition")
        page.click("[data-near=repetition] [data-value='1']")
        expect(page.locator(".chip")).to_have_count(2)
        page.click("[data-do=undo]")
        expect(page.locator(".chip")).to_have_text([re.compile(f"{chip}$")])
        fresh(page)


def test_an_idea_shows_toggles_and_rulesets_or_where_no_words_are_alike_the_groups_of_toggles(
    chromium: Browser, studio: Studio
) -> None:
    with rules_page(chromium, studio, "/idea/star?idea=four+pieces+each") as page:
        nearest = page.locator(".near > li").first
        expect(nearest).to_have_attribute("data-near", "pieces")
        expect(nearest.locator(".quiet")).to_have_text("Now: Each player has 3 pieces in hand at the start.")
        expect(nearest.locator("[data-value]")).to_have_count(0)  # A number is chosen in the rules.
        expect(nearest.locator("a")).to_have_attribute("href", "/rules/star/default#toggle-pieces")
        expect(page.locator(".same a").first).to_have_attribute("href", "/rules/star/four-pieces")
        page.fill("#idea", "zebra xylophone")
        expect(page.locator(".nothing")).to_contain_text("No rule of The star game has similar words.")
        expect(page.locator(".near, .same")).to_have_count(0)
        expect(page.locator(".groups dt").first).to_have_text("Board and pieces")
        page.click(".groups a:has-text('Board size')")
        expect(page).to_have_url(f"{studio.root}/rules/star/default#toggle-size")


@pytest.mark.thorough
def test_what_is_not_there_is_said(chromium: Browser, studio: Studio) -> None:
    context = chromium.new_context(locale="en-US")
    context.add_cookies([{"name": studio.cookie[0], "value": studio.cookie[1], "url": studio.root}])
    page = context.new_page()
    answer = page.goto(f"{studio.root}/rules/star/5x6")
    assert answer is not None and answer.status == 404
    expect(page.locator(".note a").first).to_have_attribute("href", "/rules/star/5x5")
    assert "5x5" not in page.locator(".note a").first.inner_text(), "its title"
    ways = ["To the first page", "To the rules that were looked at last"]
    assert page.locator(".note a").all_inner_texts()[-2:] == ways
    page.goto(f"{studio.root}/report/zzz")
    expect(page.locator(".note h1")).to_have_text("There is no report “zzz”.")
    expect(page.locator(".note a[href='/reports']")).to_have_count(1)
    for path in ("/rules/..%2f..%2fetc/passwd", "/edit/star/..%2f..%2f..%2fetc%2fpasswd"):
        page.goto(studio.root + path)
        expect(page.locator(".note")).to_contain_text("There is no such page.")
    context.close()


def test_a_link_out_of_the_project_is_not_read(chromium: Browser, studio: Studio, tmp_path: Path) -> None:
    outside, link = tmp_path / "secret.yaml", studio.project / "rulesets" / "star" / "link.yaml"
    outside.write_text("game: star\ntitle: secret\n")
    link.symlink_to(outside)
    with page_of(chromium, studio, "/edit/star/link", quiet=True) as page:
        expect(page.locator(".note")).to_contain_text("expected a file inside the project folder")
        assert "title: secret" not in page.content()
    link.unlink()
