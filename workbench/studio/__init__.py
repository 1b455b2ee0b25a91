"""The studio, a designer's workbench in the browser that is served on this machine only.

`server` starts it, `auth` controls access, and `pages` has a package for each page: its addresses and events,
``view.py`` (its data) and a Vue component of the same name. `frame` draws the header of pages, ``shared/`` contains
scripts of several components, and a `visitor` has a language and colours. `documents` defines the meaning, undo and
saving of rules; `asks` are questions about proposals; `opponents` are the players of a game; and `workers` are
processes that run `game_tasks`. `runs` lists experiments and searches with their progress, `jobs` is the queue with
`run_process`, the process of a run, `interim_report` reads the games of a run in progress, and `report_files` reads
reports. Imported by the command ``workbench studio`` only, since it needs a web server.
"""
