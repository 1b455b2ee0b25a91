"""``python -m tests.release``: the wheel and the source archive, installed and used outside of the checkout.

Builds both, installs each into a fresh environment of every Python from 3.11 on that is found (on the path, or kept by
pyenv), and uses it there as somebody would who has no clone: a project is made and checked, an experiment is run and
reported, a notebook's first lines are run, and the studio answers. Needs the package index, and minutes for each.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FROM_PYTHON = """
import time
begun = time.process_time()
import workbench as wb
assert time.process_time() - begun < 0.1, "import workbench takes longer than 0.1 s"
game = wb.Game("star/default", "b2 c2")
game.push(game.choose("alphabeta-2", seed=1))
fewer = wb.ruleset("star/default").derive(pieces=2)
trials = wb.run("two", rulesets=["star/default", fewer], agents=["random"], games=50, seed=1)
assert len(trials) == 100
print(wb.compare(trials)[["ruleset", "measure", "verdict"]])
"""


def pythons() -> dict[str, str]:
    """The newest Python of each minor version that is found, by that version."""
    found: dict[str, str] = {}
    for version in PYTHONS:
        kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        if program := str(kept[-1]) if kept else shutil.which(f"python{version}"):
            found[version] = program
    return found


def said(*words: str | Path, folder: Path, **environment: str) -> str:
    """What a command prints.

    Raises:
        SystemExit: it fails; with all that it said.
    """
    kept = {name: word for name, word in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "NUMBA"))}
    command, own = [str(word) for word in words], kept | environment
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def answers(command: Path, folder: Path, **environment: str) -> float:
    """Starts the studio, asks for its page, ends it; the seconds until it answered."""
    begun = time.perf_counter()
    words = [str(command), "studio", "--no-open", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, text=True) as studio:
        assert studio.stdout is not None
        address = ""
        for line in studio.stdout:
            if stands := re.search(r"http://\S+", line):
                address = stands[0]
                break
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
        seconds = time.perf_counter() - begun
        studio.terminate()
    return seconds


def used(python: str, package: Path, place: Path) -> str:
    """Installs a package into a fresh environment, and uses all of it; what to say of it."""
    said(python, "-m", "venv", place / "venv", folder=place)
    said(place / "venv/bin/python", "-m", "pip", "install", "--quiet", package, folder=place)
    command, project = place / "venv/bin/workbench", place / "project"
    code = {"NUMBA_CACHE_DIR": str(place / "machine-code")}
    version = said(command, "--version", folder=place).strip()
    said(command, "init", project, folder=place)
    said(command, "check", folder=project)
    begun = time.perf_counter()
    said(command, "run", "star", "--games", "50", "--workers", "2", folder=project, **code)
    seconds = time.perf_counter() - begun
    (reported,) = (folder for folder in (project / "reports").iterdir() if folder.name.startswith("star"))
    said(command, "report", reported, folder=project, **code)
    assert (reported / "report.html").stat().st_size > 100_000
    said(place / "venv/bin/python", "-W", "error", "-c", FROM_PYTHON, folder=project, **code)
    studio = answers(command, project, **code)
    return f"{version}: first run {seconds:.0f} s, studio answers after {studio:.1f} s"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        said(sys.executable, "-m", "build", "--outdir", place / "dist", ROOT, folder=place)
        packages = sorted((place / "dist").iterdir())
        for version, python in pythons().items():
            for package in packages:
                kind = "wheel" if package.suffix == ".whl" else "source"
                into = place / f"{version}-{kind}"
                into.mkdir()
                print(f"Python {version}, {kind}: {used(python, package, into)}", flush=True)
                shutil.rmtree(into)


if __name__ == "__main__":
    main()
