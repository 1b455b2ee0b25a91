"""What the studio's page of rules draws: areas and start positions, painted by mouse, finger and keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.studio import Studio, fresh, rules_page, sentence, yaml


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
        expect(page.locator(".chip b")).to_have_text("Where objects are placed: as drawn, 73 squares")
        assert "xxx" not in page.locator(".rules").inner_text()
        expect(sentence(page, "object_area").locator("svg.board")).to_have_count(1)
        painted.locator(".touch").focus()
        page.keyboard.press("ArrowRight")
        expect(painted.locator("[aria-live]")).to_have_text("b1 marked")
        page.keyboard.press(" ")
        expect(painted.locator("[aria-live]")).to_have_text("b1 not marked")
        expect(painted.locator(".counted")).to_have_text("72 squares")
        for key, square in (("End", "i1"), ("Home", "a1")):
            page.keyboard.press(key)
            expect(painted.locator("[aria-live]")).to_have_text(f"{square} marked")
        for action, count in (("invert", 9), ("across", 10), ("down", 12), ("all", 81), ("none", 0)):
            painted.locator(f"[data-paint={action}]").click()
            expect(painted.locator(".board .open")).to_have_count(count)
        page.locator("#toggle-object_area .option input").first.check()
        expect(yaml(page)).to_have_value(re.compile(r"\nrules:\n$"))
        page.click("[data-draw=start_position]")
        painted = page.locator("#toggle-start_position .painted")
        expect(painted.locator(".counted")).to_contain_text("Nothing of your own is drawn")
        # The first touch draws: a piece is chosen already.
        painted.locator("[data-cell=a1]").click()
        expect(painted.locator(".stage use")).to_have_count(1)
        expect(painted.locator(".counted")).not_to_contain_text("Nothing of your own")
        expect(page.locator(".head .main")).to_have_attribute("data-do", "save")
        painted.locator("[data-cell=a1]").click()
        painted.locator("[data-brush=B]").click()
        painted.locator("[data-cell=b2]").click()
        # What is wrong with it so far is said at once, as `check` says it.
        expect(page.locator(".verdict")).to_contain_text("one object of each player (B and W), or none")
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
        expect(painted.locator(".board .open")).to_have_count(75)
        painted.locator("[data-cell=a1]").hover()
        expect(page.locator(".chip")).to_have_count(1)
        expect(painted.locator(".board .open")).to_have_count(75)
        painted.locator("[data-cell=e5]").tap()
        expect(painted.locator(".board .open")).to_have_count(74)
        painted.locator("[data-cell=e5]").click()
        expect(painted.locator(".board .open")).to_have_count(75)


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
