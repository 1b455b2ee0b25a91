"""The catalogues of translations, brought up to date with the source: ``python -m tests.catalogues``.

Messages are found by Babel where the source calls ``tr``, ``trn`` and ``trc``; scripts of the studio and the command
line's help are asked for theirs. Each goes into the catalogue of its room, its family of games or its add-on; messages
of several go into ``shared.po``. New messages get an empty translation, unused ones are deleted, and all catalogues of
a language are compiled into ``workbench.mo``.
"""

from __future__ import annotations

import inspect
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import workbench
from workbench.base.language import DOMAIN, FOLDER, LANGUAGES, SOURCE
from workbench.studio.visitor import script_messages

ROOT = Path(workbench.__file__).parent
KEYWORDS = {"tr": None, "trn": (1, 2), "trc": ((1, "c"), 2)}
SHARED = "shared"
_NEVER = datetime(2026, 1, 1, tzinfo=UTC)
"""A date that stands in compiled files, which are equal if their catalogues are."""
Key = tuple[str, str | tuple[str, ...]]
"""The context of a message, and its English (singular and plural, where it has one)."""


def messages() -> dict[Key, str]:
    """Every message of the source, in order, with the catalogue that it belongs to."""
    rooms: dict[Key, dict[str, None]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        with path.open("rb") as file:
            for _, text, _, context in extract("python", file, KEYWORDS):
                rooms.setdefault((context or "", text), {})[_catalogue_of(path)] = None
    for key, paths in script_messages().items():
        rooms.setdefault(key, {}).update(dict.fromkeys(map(_catalogue_of, paths)))
    for module, text in _help():
        rooms.setdefault(("", text), {})[_catalogue_of(ROOT.parent.joinpath(*module.split(".")))] = None
    return {key: next(iter(where)) if len(where) == 1 else SHARED for key, where in rooms.items()}


def _catalogue_of(path: Path) -> str:
    first, *rest = path.relative_to(ROOT).parts
    if first in ("games", "addons") and len(rest) > 1:
        return rest[0]
    return first if rest else DOMAIN


def _help() -> Iterator[tuple[str, str]]:
    """The help of commands, by their modules: paragraphs, what examples do, and the words of options."""
    import typer.main

    from workbench.cli import app

    top = typer.main.get_command(app)
    for command in (top, *top.commands.values()):  # type: ignore[attr-defined]
        module = command.callback.__module__
        for text in (command.help or "", command.epilog or ""):
            for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
                if paragraph.startswith("\b"):
                    for line in paragraph.splitlines()[1:]:
                        if gap := re.search(r"\S\s{2,}(\S.*)", line):
                            yield module, gap[1]
                elif paragraph:
                    yield module, " ".join(paragraph.split())
        for parameter in command.params:
            for sentence in (getattr(parameter, "help", None), getattr(parameter, "show_default", None)):
                if isinstance(sentence, str) and (" " in sentence or sentence.endswith(".")):
                    yield module, " ".join(sentence.split())


def po_file(language: str, name: str) -> Path:
    """The file of a catalogue; a family of games and an add-on have theirs in their own folder."""
    for folder in (ROOT / "games" / name, ROOT / "addons" / name):
        if folder.is_dir():
            return folder / "locale" / f"{language}.po"
    return FOLDER / language / f"{name}.po"


def po_files(language: str) -> list[Path]:
    return sorted([*(FOLDER / language).glob("*.po"), *ROOT.glob(f"*/*/locale/{language}.po")])


def read(language: str) -> list[Catalog]:
    return [read_po(io.BytesIO(path.read_bytes()), locale=language) for path in po_files(language)]


def entries(catalogue: Catalog) -> Iterator[tuple[Key, Message]]:
    for each in catalogue:
        if each.id:
            yield (each.context or "", each.id if isinstance(each.id, str) else tuple(each.id)), each


def forms(message: Message) -> tuple[str, ...]:
    """The translation of a message, in one form or in those of its plural; "" where there is none."""
    text = message.string
    return tuple(map(str, text)) if isinstance(text, list | tuple) else (str(text or ""),)


def updated(language: str) -> dict[str, Catalog]:
    """The catalogues of a language with the messages of the source, each with the translation that it has."""
    before = read(language)
    translations = {key: each.string for one in before for key, each in entries(one)}
    after: dict[str, Catalog] = {}
    for (context, text), room in messages().items():
        catalogue = after.setdefault(room, Catalog(locale=language, domain=room, fuzzy=False))
        catalogue.add(text, translations.get((context, text), ""), context=context or None)
    return after


def as_po(catalogue: Catalog) -> bytes:
    written = io.BytesIO()
    plain = Catalog(locale=catalogue.locale, header_comment="", fuzzy=False, charset="utf-8")
    for (context, text), each in entries(catalogue):
        plain.add(text, each.string, context=context or None)
    write_po(written, plain, width=120, omit_header=True)
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    header += f'"Language: {catalogue.locale}\\n"\n"Plural-Forms: {plain.plural_forms}\\n"\n\n'
    return header.encode() + written.getvalue()


def compiled(language: str) -> bytes:
    whole = Catalog(locale=language, fuzzy=False, creation_date=_NEVER, revision_date=_NEVER)
    for catalogue in read(language):
        for (context, text), each in entries(catalogue):
            whole.add(text, each.string, context=context or None)
    written = io.BytesIO()
    write_mo(written, whole)
    return written.getvalue()


def compiled_path(language: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo"


def main() -> None:
    for language in LANGUAGES:
        if language == SOURCE:
            continue
        after = updated(language)
        files = {po_file(language, name): catalogue for name, catalogue in after.items()}
        for path in po_files(language):
            if path not in files:
                path.unlink()
        for path, catalogue in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(as_po(catalogue))
        compiled_path(language).parent.mkdir(exist_ok=True)
        compiled_path(language).write_bytes(compiled(language))
        empty = [each.id for one in after.values() for _, each in entries(one) if not each.string]
        print(f"{language}: {sum(len(one) for one in after.values()):,} messages, {len(empty):,} without a translation")
        for text in empty:
            print(f"  {text!r}")


if __name__ == "__main__":
    main()
