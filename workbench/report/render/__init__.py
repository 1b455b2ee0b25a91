"""Documents as a page, as Markdown and in the terminal; charts as SVG of the page and as files."""
