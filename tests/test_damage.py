"""Damaged report folders: damage is found, named and mended, and games of two engines are never mixed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.command_line import ROOT
from tests.report_folders import SAMPLE, contents, flip, load, partly, run
from workbench import report
from workbench.errors import InputError
from workbench.report.reading import read_report_trials
from workbench.run import errors, manifest, worker
from workbench.store import provenance, records

pytestmark = pytest.mark.usefixtures("quick_records")


# Damage


@pytest.mark.nightly
def test_a_file_of_records_knows_every_bit_of_itself(tmp_path: Path) -> None:
    path = run(load(tmp_path), tmp_path / "r").trials
    whole = path.read_bytes()
    checked = records.verify_records(path)
    assert not checked.damaged and checked.count == 160
    assert checked.sha256 == hashlib.sha256(whole).hexdigest()
    for at in range(0, len(whole), 371):
        flip(path, at, at % 8)
        with contextlib.suppress(records.Unreadable):
            assert records.verify_records(path).damaged
        path.write_bytes(whole)


def test_the_bit_that_was_read_without_a_word(tmp_path: Path) -> None:
    for name in ("trials.parquet", "provenance.json"):
        shutil.copy(SAMPLE / name, tmp_path)
    flip(tmp_path / "trials.parquet", 6439)
    with pytest.raises(InputError, match="damaged: games 0 to 199 of chatra/2007-09, random – random"):
        report.write_report(tmp_path)


@pytest.mark.nightly
def test_a_damaged_page_costs_its_games_alone(tmp_path: Path) -> None:
    what = load(tmp_path)
    path = run(what, tmp_path / "r").trials
    whole = path.read_bytes()
    third = pq.read_metadata(path).row_group(3).column(6)
    flip(path, third.data_page_offset + third.total_compressed_size - 2)
    outcome = run(what, tmp_path / "r")
    assert (outcome.resumed, outcome.played) == (144, 16)
    assert [note.partition("trials.parquet ")[2] for note in outcome.notes] == [
        "is damaged: games 8 to 23 of chatra/base, alphabeta-2 – alphabeta-2: played again"
    ]
    assert path.read_bytes() == whole
    flip(path, third.data_page_offset + third.total_compressed_size - 2)
    outcome = run(load(tmp_path, games=50), tmp_path / "r")
    assert (outcome.resumed, outcome.played) == (144, 56)
    assert run(load(tmp_path, games=50), tmp_path / "r").played == 0


KINDS = ("bit", "zeros", "cut", "swap", "noise", "longer", "empty")


def harm(content: bytes, kind: str, rng: random.Random) -> bytes:
    """A damaged copy."""
    changed = bytearray(content)
    at = rng.randrange(len(content))
    size = rng.choice((1, 4, 64, 512, 4096))
    if kind == "bit":
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == "zeros":
        changed[at : at + size] = bytes(len(changed[at : at + size]))
    elif kind == "cut":
        del changed[at:]
    elif kind == "swap":
        other = rng.randrange(len(content))
        changed[at], changed[other] = changed[other], changed[at]
    elif kind == "noise":
        changed[at : at + size] = rng.randbytes(len(changed[at : at + size]))
    elif kind == "longer":
        changed += rng.randbytes(size)
    else:
        changed.clear()
    return bytes(changed)


def fuzz(place: Path, count: int, seed: int) -> dict[str, int]:
    """Damages a file of a folder so often: every damage must be named or harmless, and mended by the next run."""
    rng = random.Random(seed)
    what = load(place, block=20)
    run(what, place / "whole")
    partly(what, place / "part", games=100)
    whole = contents(place / "whole")
    states = {"finished": (place / "whole", whole), "unfinished": (place / "part", contents(place / "part"))}
    tally = {"named": 0, "harmless": 0}
    for number in range(count):
        folder, before = states["finished" if number % 2 else "unfinished"]
        names = [name for name in before if name.endswith((".parquet", ".json"))]
        name = names[number // 2 % 2] if folder.name == "whole" else rng.choice([*names, "provenance.json"])
        kind = KINDS[number % len(KINDS)]
        shutil.rmtree(folder)
        for path, content in before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        (folder / name).write_bytes(harm(before[name], kind, rng))
        same = (folder / name).read_bytes() == before[name]
        clean = True
        try:
            said = provenance.load_provenance(folder)
            read = read_report_trials(folder, said, [(pair["first"], pair["second"]) for pair in said["pairings"]])
        except (InputError, provenance.Damaged):
            clean = False
        else:
            # What a report is made of is what was written.
            assert said == json.loads(before["provenance.json"]), (name, kind)
            assert len(read) == (160 if folder.name == "whole" else len(read))
        outcome = run(what, folder)
        named = any(Path(name).name in note for note in outcome.notes)
        assert named != clean, (name, kind, outcome.notes)
        assert not (same and named)
        tally["named" if named else "harmless"] += 1
        assert outcome.resumed + outcome.played == 160
        assert (folder / "trials.parquet").read_bytes() == whole["trials.parquet"]
        assert (
            provenance.load_provenance(folder)["digests"]["trials.parquet"]
            == records.verify_records(outcome.trials).sha256
        )
        if number % 10 == 0:
            assert run(what, folder).notes == ()
    return tally


@pytest.mark.nightly
def test_damage_is_named_or_harmless(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 60, seed=1)["named"] > 45


@pytest.mark.slow
def test_much_damage_is_named_or_harmless(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 600, seed=2)["named"] > 500


def test_a_file_that_cannot_be_read_at_present_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    hidden = sorted((tmp_path / "r" / "blocks").glob("*.parquet"))[3]
    for folder, path in (("r", hidden), ("whole", tmp_path / "whole" / "trials.parquet"),
                         ("whole", tmp_path / "whole" / "provenance.json")):  # fmt: skip
        before = contents(tmp_path / folder)
        with monkeypatch.context() as patch:
            # The mode of a file is nothing to root.
            hide(patch, path)
            with pytest.raises(errors.FolderUnreadable, match=f"(?s){path.name}: Permission denied.*played again"):
                run(what, tmp_path / folder)
            with pytest.raises(InputError, match="Permission denied"):
                report.write_report(tmp_path / folder)
        assert contents(tmp_path / folder) == before
    assert run(what, tmp_path / "whole").played == 0


def hide(patch: pytest.MonkeyPatch, hidden: Path) -> None:
    opened = open

    def careful(path: Any, *words: Any, **options: Any) -> Any:
        if str(path) == str(hidden):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *words, **options)

    read_bytes = Path.read_bytes
    patch.setattr(records, "open", careful, raising=False)
    patch.setattr(Path, "read_bytes", lambda self: careful(self, "rb").close() if self == hidden else read_bytes(self))


def test_a_lost_provenance_is_made_again(tmp_path: Path) -> None:
    what = load(tmp_path)
    run(what, tmp_path / "r")
    before = json.loads((tmp_path / "r" / "provenance.json").read_text(encoding="utf-8"))
    (tmp_path / "r" / "provenance.json").unlink()
    with pytest.raises(InputError, match="if its records are there, run the experiment again"):
        report.write_report(tmp_path / "r")
    outcome = run(what, tmp_path / "r")
    assert outcome.played == 0
    assert outcome.notes == ("provenance.json is missing: made again from the experiment, without date and machine",)
    after = provenance.load_provenance(tmp_path / "r")
    for name in ("experiment", "rulesets", "pairings", "weights", "engines", "digests"):
        assert after[name] == before[name]
    assert "started" not in after and "cpu" not in after and len(after["continued"]) == 1


def test_other_records_than_those_of_the_provenance_are_not_reported(tmp_path: Path) -> None:
    run(load(tmp_path), tmp_path / "r")
    run(load(tmp_path, games=30), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "trials.parquet", tmp_path / "r")
    with pytest.raises(InputError, match="trials.parquet is not what provenance.json speaks of"):
        report.write_report(tmp_path / "r")


def test_a_kill_between_records_and_their_digest_is_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    run(load(tmp_path, games=30), tmp_path / "r")
    what = load(tmp_path)
    save = provenance.save_provenance

    def killed(folder: Path, content: Any, digests: Any = None) -> Any:
        if digests is not None:
            raise KeyboardInterrupt
        return save(folder, content, digests)

    with monkeypatch.context() as patch:
        patch.setattr(provenance, "save_provenance", killed)
        with pytest.raises(errors.RunInterrupted):
            run(what, tmp_path / "r")
    said = provenance.load_provenance(tmp_path / "r")
    assert said["digests"]["trials.parquet"] != records.verify_records(tmp_path / "r" / "trials.parquet").sha256
    assert len(read_report_trials(tmp_path / "r", said, [("random", "random")])) == 80
    assert run(what, tmp_path / "r").played == 0
    assert (
        provenance.load_provenance(tmp_path / "r")["digests"]["trials.parquet"]
        == records.verify_records(tmp_path / "r" / "trials.parquet").sha256
    )


# Two engines


@pytest.mark.nightly
def test_games_of_two_engines_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = load(tmp_path)
    partly(what, tmp_path / "r")
    run(what, tmp_path / "whole")
    for lost in (False, True):
        if lost:
            for folder in ("r", "whole"):
                (tmp_path / folder / "provenance.json").unlink()
        with monkeypatch.context() as patch:
            patch.setattr(worker, "_engine_digest", lambda family: "0123456789abcdef")
            with pytest.raises(
                errors.FolderMismatch, match="engine: the games of chatra were played by .* 0123456789abcdef"
            ):
                run(what, tmp_path / "r")
            with pytest.raises(errors.FolderMismatch, match="--fresh"):
                run(load(tmp_path, games=41), tmp_path / "whole")
            load(tmp_path)
            # Nothing is mixed where nothing is played.
            assert run(what, tmp_path / "whole").played == 0
    assert provenance.load_provenance(tmp_path / "whole")["engines"] == manifest.engine_digests(["chatra"])
    assert run(what, tmp_path / "r").resumed > 0
    with monkeypatch.context() as patch:
        patch.setattr(worker, "_engine_digest", lambda family: "0123456789abcdef")
        assert run(what, tmp_path / "r", fresh=True).played == 160
    assert provenance.load_provenance(tmp_path / "r")["engines"] == {"chatra": "0123456789abcdef"}


def test_the_engine_is_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "workbench"
    shutil.copytree(ROOT / "workbench", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("workbench.__file__", str(package / "__init__.py"))
    monkeypatch.setattr("workbench.games.__path__", [str(package / "games")])
    digest = worker._engine_digest.__wrapped__
    assert digest("star") == manifest.engine_digests(["star"])["star"] != digest("chess")
    for name, changes in (("engine/agents.py", True), ("games/star/kernel.py", True), ("games/chess/kernel.py", False),
                          ("games/star/rules.py", True), ("questions/agents.py", False)):  # fmt: skip
        before = digest("star")
        with open(package / name, "a", encoding="utf-8") as stream:
            stream.write("\n# another rule\n")
        assert (digest("star") != before) == changes, name
    before = digest("star")
    source = package / "engine" / "rng.py"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert digest("star") == before


def mutants(content: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Copies of JSON content, each with one value taken out or changed to another."""
    places: list[tuple[Any, ...]] = []

    def walk(value: Any, place: tuple[Any, ...]) -> None:
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            places.append((*place, key))
            walk(value[key], (*place, key))

    walk(content, ())
    while True:
        place = rng.choice(places)
        copy = json.loads(json.dumps(content))
        inner = copy
        for key in place[:-1]:
            inner = inner[key]
        value = rng.choice([None, 1, -1, 2.5, 10**30, "", "x", [], [1], {}, {"x": 1}, True, "out"])
        if value == "out":
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
        yield f"{place} = {value}", copy


def test_a_changed_value_in_a_provenance_is_found(tmp_path: Path) -> None:
    run(load(tmp_path), tmp_path / "r")
    path = tmp_path / "r" / "provenance.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    changed = mutants(content, random.Random(4))
    for _ in range(200):
        _, mutant = next(changed)
        if mutant != content:
            path.write_text(json.dumps(mutant), encoding="utf-8")
            with pytest.raises(provenance.Damaged):
                provenance.load_provenance(tmp_path / "r")
