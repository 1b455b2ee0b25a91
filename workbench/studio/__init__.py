"""The studio: a designer's page in the browser, served on this machine only.

`server` starts it, `gate` decides who may come in. `pages` lays out what is seen, with the Vue components of `parts/`
(what several share is in `parts/shared`) for a `visitor`; `frame` is what pages share. Behind them stand
`drafts` (texts of files in the making: their meaning, undo, saving) with `experiments` and `searches`, `opponents` (who
plays at a table) and `workers` (processes of their own that know the games). `shelf` says how far each experiment is,
`jobs` is the queue with `child`, the process of a run, `findings` says what games say so far, and `report_files` knows
what may be sent of the reports. Imported by the command ``workbench studio`` alone, since it brings a web server along.
"""
