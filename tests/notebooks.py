"""The notebooks of docs/, run anew: ``python -m tests.notebooks`` writes what they show into them."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))


def executed(notebook: Path, folder: Path) -> Any:
    """The notebook with what its cells show when they run in a folder, one after the other.

    Raises:
        CellExecutionError: a cell raised.
    """
    content = nbformat.read(notebook, as_version=4)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error::DeprecationWarning:workbench"}
    environment |= {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = NotebookClient(content, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment)
    for cell in content.cells:
        cell.metadata.pop("execution", None)
    return content


def shown(content: Any) -> list[list[str]]:
    """For each cell of code all that it prints, and what else it shows, but for pictures and addresses of objects."""
    texts: list[list[str]] = []
    for cell in content.cells:
        if cell.cell_type == "code":
            printed = "".join(out.text for out in cell.outputs if out.output_type == "stream")
            others = [out.get("data", {}).get("text/plain", "") for out in cell.outputs if out.output_type != "stream"]
            texts.append([re.sub(r"<Figure.*|<Axes.*| at 0x\w+", "", text) for text in (printed, *others)])
    return texts


if __name__ == "__main__":
    for each in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as place:
            nbformat.write(executed(each, Path(place)), each)
