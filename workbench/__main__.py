"""``python -m workbench``: the same as the command ``workbench``."""

from workbench.cli import main

main()
