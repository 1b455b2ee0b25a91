"""The studio: a designer's page in the browser, served on this machine only.

`server` starts it, `auth` decides who may come in, and `pages` holds a folder for each page: ``page.py`` (addresses and
events), ``view.py`` (the data that it shows) and a Vue component of the folder's name. `frame` is what stands around
pages, ``shared/`` what several components import, and a `visitor` has a language and colours. Behind them stand
`documents` (files in the making: their meaning, undo, saving), which pages edit by `editor`; `tryouts`; `opponents`
(who plays a person); and `workers`, processes that run `game_tasks`. `runs` lists experiments and searches with their
progress, `searches` reads the results of searches, `jobs` is the queue with `run_process`, the process of a run,
`interim_report` reads the games of a run that is still played, and `report_files` says what may be sent of the
reports. Imported by the command ``workbench studio`` alone, since it brings a web server along.
"""
