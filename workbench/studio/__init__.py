"""The studio: a designer's page in the browser, served on this machine only.

`server` starts it, `gate` decides who may come in. `pages` lays out what is seen, with the Vue components of `parts/`
and the texts of `words`. Behind the pages stand `drafts` (rulesets in the making: YAML text, its meaning, undo),
`saving` (into the project's folders), `tables` (games in play) and `workers` (processes of their own that know the
games). Imported by the command ``workbench studio`` alone, since it brings a web server along.
"""
