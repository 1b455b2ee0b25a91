"""How a report is written down: the page, Markdown, the terminal, and charts as SVG of the page and as files."""
