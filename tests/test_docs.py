"""Pages know every command, show what is printed, and link to what is there; commands explain themselves."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from workbench.cli import app
from workbench.questions import experiment, workspace

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "README.ja.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES if page.exists()}
COMMANDS = list(typer.main.get_group(app).commands)


def test_help_lists_all_commands_in_the_order_of_their_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    listed = CliRunner().invoke(app, ["--help"]).stdout.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert re.findall(r"(?m)^  ([\w-]+)", listed) == [
        "run",
        "plan",
        "report",
        "search",
        "effects",
        "why",
        "ladder",
        "handicap",
        "train",
        "show-player",
        "check",
        "studio",
        "list",
        "rules",
        "show",
        "diff",
        "idea",
        "schema",
        "moves",
        "perft",
        "play",
        "games",
        "import-games",
        "solve",
        "bench",
        "signature",
        "new",
        "import-rules",
        "init",
        "check-game",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_one_a_line(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = CliRunner().invoke(app, [command, "--help"]).stdout
    _, examples, lines = text.partition("  Examples:\n")
    assert examples
    for line in lines.strip().splitlines():
        assert re.match(rf"    (cd [\w-]+ && )?workbench ({command}|run)\b", f"    {line.strip()}")


def test_each_command_says_in_the_list_what_it_does_uncut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(app, ["--help"]).stdout
    assert "..." not in text.replace("[ARGS]...", "")


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_documentation_names_every_command(command: str) -> None:
    assert any(f"workbench {command}" in text for text in TEXTS.values())


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
def test_the_front_page_stays_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 120
    assert len(TEXTS["README.ja.md"].splitlines()) <= 120


def headings(text: str) -> set[str]:
    """The anchors of a page, as its headings make them."""
    lines = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", TEXTS)
def test_links_and_pictures_of_a_page_are_there(page: str) -> None:
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", TEXTS[page]):
        path, _, anchor = target.partition("#")
        linked = (folder / path).resolve() if path else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in headings(linked.read_text(encoding="utf-8")), f"{page} links to {target}"


@pytest.mark.parametrize("page", TEXTS)
def test_experiments_and_rulesets_that_a_page_names_are_there(page: str) -> None:
    for name in re.findall(r"workbench run ([\w-]+)", TEXTS[page]):
        assert name in ("my-question", "pie") or (ROOT / "experiments" / f"{name}.yaml").exists(), f"{page}: {name}"


@pytest.mark.skipif(not README.exists(), reason="an installed package has no documentation")
@pytest.mark.parametrize("page", ["docs/new-game", "docs/hex"])
def test_the_japanese_page_of_a_new_game_shows_what_the_test_of_the_english_one_runs(page: str) -> None:
    shown, run = (re.findall(r"(?ms)^```.*?^```$", TEXTS[f"{page}{end}"]) for end in (".ja.md", ".md"))
    assert shown == run != []


BLOCKS = [block for text in TEXTS.values() for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)]
EXAMPLES = sorted(
    {
        (command, output)
        for block in BLOCKS
        for command, output in re.findall(r"\$ workbench (.*)\n((?:[^$].*\n|\n)*)", block)
    }
)


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_pages_show_what_is_printed(command: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(README.parent)
    monkeypatch.setenv("COLUMNS", "100")
    result = CliRunner().invoke(app, shlex.split(command))
    printed = result.output + str(result.exception)
    for line in output.splitlines():
        # A shown line may end in an ellipsis, and lines may be left out at the end.
        assert line.removesuffix("…") in printed


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    assert "pip install --no-compile -e '.[dev]' -c constraints.txt && .venv/bin/python -m pytest" in readme
    assert "--no-compile -e '.[dev]' -c constraints.txt" in ci
    assert "\n  python -m pytest" in ci


@pytest.mark.parametrize("name", workspace.EDITOR)
def test_the_settings_of_the_editor_are_those_that_init_writes(name: str) -> None:
    assert json.loads((ROOT / name).read_text(encoding="utf-8")) == workspace.EDITOR[name]


PARTS = [
    block
    for text in TEXTS.values()
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    if not block.startswith("# ") and "players.cautious" not in block
]
QUESTION = {"title": "A page's example", "rulesets": ["chess/orthodox"], "agents": ["random"], "games": 10}


@pytest.mark.parametrize("part", PARTS, ids=[part.split(":")[0] for part in PARTS])
def test_parts_of_experiments_that_a_page_shows_are_right(part: str, tmp_path: Path) -> None:
    # A key that is shown twice is shown in two ways.
    for shown in re.split(r"(?m)^(?=openings:)", part):
        if own := yaml.safe_load(shown):
            rest = {key: value for key, value in QUESTION.items() if key not in own}
            if "published" in own:
                rest |= {"rulesets": list(own["published"]["results"]), "baseline": "chess/orthodox"}
            elif "f9" in shown:
                rest["rulesets"] = ["chatra/2007-09"]
            file = tmp_path / "question.yaml"
            file.write_text(shown + yaml.safe_dump(rest), encoding="utf-8")
            experiment.load_experiment(file)
