"""Renderers: documents as a page, as Markdown and in the terminal, charts as SVG and as files."""
