"""The lock, constraints.txt: versions with which all tests have passed, for whatever the project needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RENEW = "renew it as CONTRIBUTING.md says"


def locked() -> dict[str, list[str]]:
    """The versions of each package; several where Pythons differ."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = re.fullmatch(r"([\w.-]+)==(\S+)(?: ; .+)?", line).groups()  # type: ignore[union-attr]
            found.setdefault(canonicalize_name(name), []).append(version)
    return found


def needed() -> Iterator[Requirement]:
    """What is installed for the tests and the pages, and so all that README's commands install."""
    optional = (each for name in ("dask", "docs", "dev") for each in PROJECT["optional-dependencies"][name])
    for text in (*PROJECT["dependencies"], *optional):
        if (requirement := Requirement(text)).name != PROJECT["name"]:
            yield requirement


@pytest.mark.parametrize("requirement", list(needed()), ids=lambda each: str(each.name))
def test_the_lock_has_an_allowed_version_of_whatever_is_needed(requirement: Requirement) -> None:
    versions = locked().get(canonicalize_name(requirement.name), [])
    assert versions and all(requirement.specifier.contains(version) for version in versions), RENEW


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_versions_with_other_internals_are_not_installed(name: str) -> None:
    """What a next minor version changes in them is not known; the newest one that is locked was tested."""
    requirement = next(each for each in needed() if each.name == name)
    major, minor = max(tuple(map(int, version.split(".")[:2])) for version in locked()[name])
    assert requirement.specifier.contains(f"{major}.{minor}.9")
    assert not requirement.specifier.contains(f"{major}.{minor + 1}.0")
