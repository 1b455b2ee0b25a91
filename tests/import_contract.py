"""The import-linter contract ``only``: what a part of the workbench may import, named in full.

import-linter's own contracts list what is forbidden, and a list of what is forbidden misses the next dependency.
"""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Iterable
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class OnlyContract(Contract):
    """Modules that import the standard library and what is named, nothing else. Names are shell patterns."""

    modules: Any = fields.SetField(subfield=fields.StringField())
    allowed: Any = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Looks at every import that a file writes; what those files import in turn is their own contract's matter."""
        bound = _matching(graph, self.modules)
        allowed = _matching(graph, self.allowed or ())
        foreign = [
            (importer, imported)
            for importer in sorted(bound)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if imported not in allowed and imported.partition(".")[0] not in sys.stdlib_module_names
        ]
        # A contract that binds nobody is a misspelt one.
        return ContractCheck(kept=bool(bound) and not foreign, metadata={"bound": bound, "foreign": foreign})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints each import that is not allowed, with its line."""
        if not check.metadata["bound"]:
            output.print_error("No module has such a name.")
        for importer, imported in check.metadata["foreign"]:
            output.print_error(f"{importer} may not import {imported}.")


def _matching(graph: ImportGraph, patterns: Iterable[str]) -> set[str]:
    """The modules that shell patterns name; ``*`` matches dots, too."""
    return {module for pattern in patterns for module in fnmatch.filter(graph.modules, pattern)}
