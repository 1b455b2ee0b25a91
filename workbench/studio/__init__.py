"""The studio: a designer's page in the browser, served on this machine only.

`server` starts it, `gate` decides who may come in. `pages` lays out what is seen, with the Vue components of `parts/`
(what several share is in `parts/shared`) and the texts of `words`; `editing` is what every page does that edits a text.
Behind the pages stand `drafts` (rulesets in the making: YAML text, its meaning, undo, saving), `tables` (games in play)
and `workers` (processes of their own that know the games). `experiments` holds those in the making and says what they
would cost, `shelf` how far each is, `jobs` is the queue with `child`, the process of a run, and `report_files` knows
what may be sent of the reports.
`tryout` is the experiment by which rules are tried out, and `findings` what the games of a run say so far. Imported by
the command ``workbench studio`` alone, since it brings a web server along.
"""
