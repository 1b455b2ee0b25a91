"""Tests of the rule workbench."""
